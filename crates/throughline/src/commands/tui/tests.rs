//! The panes without a terminal: what is drawn for what was read, at every size, and where keys go.

use std::time::{Duration, Instant};

use model::{Millis, SessionId};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::app::{App, Step};
use super::clean::Clean;
use super::source::{EVENTS, EventLine, HitLine, News, SessionLine, Want};
use super::story::StoryLine;
use super::theme::Theme;

const NOON: Millis = 1_794_787_200_000;

struct Pane {
    app: App,
    terminal: Terminal<TestBackend>,
    now: Instant,
}

impl Pane {
    fn new(columns: u16, rows: u16) -> Self {
        let terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        Self { app: App::new(Theme { color: true }), terminal, now: Instant::now() }
    }

    fn press(&mut self, code: KeyCode) -> Step {
        self.app.press(KeyEvent::new(code, KeyModifiers::NONE), self.now)
    }

    fn keys(&mut self, text: &str) {
        for c in text.chars() {
            self.press(KeyCode::Char(c));
        }
    }

    fn want(&mut self) -> Option<Want> {
        self.app.want(self.now)
    }

    fn screen(&mut self) -> String {
        self.terminal.draw(|frame| self.app.draw(frame, NOON)).unwrap();
        let buffer = self.terminal.backend().buffer();
        let width = usize::from(buffer.area.width);
        let symbols: Vec<&str> = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
        symbols.chunks(width.max(1)).map(|row| row.concat().trim_end().to_owned() + "\n").collect()
    }
}

fn clean(text: &str) -> Clean {
    Clean::line(text, 300)
}

fn session(id: &str, is_live: bool, about: &str) -> SessionLine {
    SessionLine {
        id: SessionId::new(id),
        short: clean(id),
        is_live,
        seen_at: NOON - 120_000,
        project: clean("throughline"),
        branch: clean("main"),
        agent: clean("claude-code"),
        prompts: 3,
        tools: 14,
        about: clean(about),
    }
}

fn event(seq: u64, title: &str) -> EventLine {
    EventLine {
        seq,
        at: NOON,
        session: SessionId::new("s1"),
        short: clean("s1"),
        project: clean("throughline"),
        kind: clean("PostToolUse"),
        title: clean(title),
    }
}

fn hit(id: &str, title: &str) -> HitLine {
    HitLine {
        id: id.to_owned(),
        kind: clean("decision"),
        at: NOON - 3_600_000,
        project: clean("throughline"),
        title: clean(title),
        tokens: Some(42),
        why: vec![clean("words 0.5 both words occur")],
    }
}

#[test]
fn sessions_are_rows_that_fit_narrow_and_wide_terminals() {
    for (columns, expected) in
        [(60, &["● 2 min ago", "repair the login"][..]), (120, &["3 prompts, 14 calls", "claude-code"])]
    {
        let mut pane = Pane::new(columns, 10);
        assert_eq!(pane.want(), Some(Want::Sessions));
        assert!(pane.screen().contains("Reading…"));
        let lines = vec![session("a", true, "repair the login form"), session("b", false, "write the notes")];
        assert!(pane.app.hear(News::Sessions(lines)));
        let screen = pane.screen();
        for text in expected {
            assert!(screen.contains(text), "{text}\n{screen}");
        }
        assert!(screen.starts_with(" 1 Sessions   2 Live   3 Search"), "{screen}");
        assert!(screen.contains("q quit"), "{screen}");
    }
}

#[test]
fn any_size_can_be_drawn() {
    for (columns, rows) in [(1, 1), (2, 2), (3, 1), (10, 3), (60, 4), (300, 100)] {
        let mut pane = Pane::new(columns, rows);
        pane.app.hear(News::Sessions(vec![session("a", true, "四四四 wide and é combining")]));
        pane.app.hear(News::Events { lines: vec![event(1, "cargo test")], is_all: true });
        pane.app.hear(News::Daemon(false));
        for key in ['1', '2', '3'] {
            pane.keys(&key.to_string());
            pane.screen();
        }
        pane.keys("what");
        pane.screen();
    }
}

#[test]
fn a_session_opens_as_a_story_and_follows_its_end() {
    let mut pane = Pane::new(80, 8);
    pane.app.hear(News::Sessions(vec![session("a", true, "one"), session("b", false, "two")]));
    pane.press(KeyCode::Down);
    pane.press(KeyCode::Enter);
    let id = SessionId::new("b");
    assert_eq!(pane.want(), Some(Want::Story(id.clone())));
    let line = |number: u64| StoryLine {
        at: NOON + number,
        mark: "tool",
        text: clean(&format!("step {number}")),
        whole: Clean::lines(&format!("all of step {number}")),
    };
    pane.app.hear(News::Story(id.clone(), (0..30).map(line).collect()));
    assert!(pane.screen().contains("step 29"), "{}", pane.screen());
    pane.app.hear(News::Story(id.clone(), (0..40).map(line).collect()));
    assert!(pane.screen().contains("step 39"), "who reads the end goes on reading it\n{}", pane.screen());
    pane.press(KeyCode::Home);
    pane.app.hear(News::Story(id.clone(), (0..50).map(line).collect()));
    assert!(pane.screen().contains("step 0"), "who reads elsewhere is left there\n{}", pane.screen());
    pane.app.hear(News::Story(SessionId::new("other"), Vec::new()));
    assert!(pane.screen().contains("step 0"), "what was asked before is not shown now");
    pane.press(KeyCode::Enter);
    assert!(pane.screen().contains("all of step 0"), "{}", pane.screen());
    pane.press(KeyCode::Esc);
    pane.press(KeyCode::Esc);
    assert_eq!(pane.want(), Some(Want::Sessions));
}

#[test]
fn the_live_view_follows_until_somebody_reads_and_holds_a_bounded_number() {
    let mut pane = Pane::new(100, 8);
    pane.keys("2");
    assert_eq!(pane.want(), Some(Want::Live));
    let events = |from: u64, to: u64| {
        (from..to).map(|seq| event(seq, &format!("cargo test {seq}"))).collect::<Vec<_>>()
    };
    pane.app.hear(News::Events { lines: events(0, 20), is_all: true });
    assert!(pane.screen().contains("cargo test 19"));
    assert!(
        !pane.app.hear(News::Events { lines: Vec::new(), is_all: false }),
        "nothing new is nothing to draw"
    );
    pane.press(KeyCode::Up);
    pane.app.hear(News::Events { lines: events(20, 22), is_all: false });
    assert!(!pane.screen().contains("cargo test 21"), "{}", pane.screen());
    pane.press(KeyCode::End);
    assert!(pane.screen().contains("cargo test 21"));
    pane.keys(" ");
    pane.app.hear(News::Events { lines: events(22, 24), is_all: false });
    pane.app.hear(News::Events { lines: events(0, 24), is_all: true });
    let screen = pane.screen();
    assert!(screen.contains("Paused; 2 more since.") && !screen.contains("cargo test 23"), "{screen}");
    pane.keys(" ");
    assert!(pane.screen().contains("cargo test 23"));
    for round in 0..10 {
        let from = 24 + round * 300;
        pane.app.hear(News::Events { lines: events(from, from + 300), is_all: false });
    }
    assert!(pane.screen().contains("cargo test 3023"));
    pane.press(KeyCode::Home);
    let screen = pane.screen();
    let first = 3024 - EVENTS;
    assert!(
        screen.lines().nth(1).is_some_and(|line| line.ends_with(&format!("cargo test {first}"))),
        "{screen}"
    );
}

#[test]
fn a_question_is_asked_when_typing_stops_and_digits_belong_to_it() {
    let mut pane = Pane::new(80, 10);
    pane.keys("/port 8443 q");
    assert_eq!(pane.want(), None, "still typing");
    pane.now += Duration::from_secs(1);
    assert_eq!(pane.want(), Some(Want::Hits("port 8443 q".to_owned())));
    assert!(pane.app.is_waiting() && pane.screen().contains("Searching…"));
    pane.app.hear(News::Hits("port".to_owned(), Ok(vec![hit("1", "an older answer")])));
    assert!(!pane.screen().contains("an older answer"));
    pane.app.hear(News::Hits(
        "port 8443 q".to_owned(),
        Ok(vec![hit("1", "the gateway"), hit("2", "the billing")]),
    ));
    let screen = pane.screen();
    assert!(
        screen.contains("decision") && screen.contains("1 h ago") && screen.contains("42 tk"),
        "{screen}"
    );
    pane.press(KeyCode::Down);
    pane.press(KeyCode::Down);
    pane.keys("w");
    assert!(pane.screen().contains("Why: the billing") && pane.screen().contains("both words occur"));
    pane.press(KeyCode::Esc);
    pane.press(KeyCode::Enter);
    assert_eq!(pane.want(), Some(Want::Memory("2".to_owned())));
    pane.app.hear(News::Memory("2".to_owned(), Clean::lines("all of it\nis here")));
    assert!(pane.screen().contains("is here"));
    pane.press(KeyCode::Esc);
    assert_eq!(pane.press(KeyCode::Char('q')), Step::Leave);
}

#[test]
fn what_cannot_be_answered_is_said_in_its_place() {
    let mut pane = Pane::new(80, 6);
    pane.keys("/login");
    pane.press(KeyCode::Enter);
    pane.app.hear(News::Hits(
        "login".to_owned(),
        Err(clean("no daemon listens; run `throughline daemon start`")),
    ));
    assert!(pane.screen().contains("no daemon listens"));
    pane.app.hear(News::Hits("login".to_owned(), Ok(Vec::new())));
    assert!(pane.screen().contains("Nothing matches well"));
    pane.app.hear(News::Daemon(false));
    assert!(pane.screen().contains("The daemon is not there"));
    pane.app.hear(News::Trouble(Some(clean("the database is busy"))));
    assert!(pane.screen().contains("the database is busy"));
    pane.app.hear(News::Trouble(None));
    pane.app.hear(News::Daemon(true));
    let screen = pane.screen();
    assert!(!screen.contains("busy") && !screen.contains("not there"), "{screen}");
}

#[test]
fn tab_goes_round_and_control_c_leaves_from_anywhere() {
    let mut pane = Pane::new(80, 6);
    let mut wants = Vec::new();
    for _ in 0..3 {
        pane.press(KeyCode::Tab);
        wants.push(pane.want());
    }
    assert_eq!(wants, [Some(Want::Live), None, Some(Want::Sessions)]);
    pane.press(KeyCode::BackTab);
    pane.keys("q");
    assert_eq!(pane.want(), None, "a letter of the question");
    let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(pane.app.press(control_c, pane.now), Step::Leave);
}

#[test]
fn without_color_nothing_is_colored_and_everything_is_there() {
    let mut pane = Pane::new(100, 8);
    pane.app = App::new(Theme { color: false });
    pane.app.hear(News::Sessions(vec![session("a", true, "repair the login form")]));
    pane.app.hear(News::Daemon(false));
    assert!(pane.screen().contains("repair the login form"));
    let buffer = pane.terminal.backend().buffer();
    assert!(buffer.content().iter().all(|cell| cell.fg == ratatui::style::Color::Reset));
}
