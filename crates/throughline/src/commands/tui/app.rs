//! The three panes, which of them is seen, and where a key goes. Knows no terminal and reads nothing: what it wants
//! read it says, and what was read it is told.

use std::time::Instant;

use model::Millis;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::clean::Clean;
use super::live::Live;
use super::rows::fit;
use super::search::Search;
use super::sessions::Sessions;
use super::source::{News, Want};
use super::theme::Theme;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pane {
    Sessions,
    Live,
    Search,
}

const PANES: [(Pane, &str); 3] =
    [(Pane::Sessions, "Sessions"), (Pane::Live, "Live"), (Pane::Search, "Search")];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Stay,
    Leave,
}

/// What a pane makes of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Taken {
    /// It was for the pane.
    Yes,
    No,
    /// The story of this session is to be opened.
    Open(Box<(model::SessionId, Clean)>),
}

#[derive(Debug)]
pub(super) struct App {
    theme: Theme,
    pane: Pane,
    sessions: Sessions,
    live: Live,
    search: Search,
    is_served: bool,
    trouble: Option<Clean>,
}

impl App {
    pub(super) fn new(theme: Theme) -> Self {
        Self {
            theme,
            pane: Pane::Sessions,
            sessions: Sessions::default(),
            live: Live::default(),
            search: Search::default(),
            is_served: true,
            trouble: None,
        }
    }

    /// What is on the screen and should be read. `None`: nothing new.
    pub(super) fn want(&mut self, now: Instant) -> Option<Want> {
        match self.pane {
            Pane::Sessions => Some(self.sessions.want()),
            Pane::Live => Some(Want::Live),
            Pane::Search => self.search.want(now),
        }
    }

    /// Whether somebody waits for an answer.
    pub(super) fn is_waiting(&self) -> bool {
        match self.pane {
            Pane::Sessions => self.sessions.is_waiting(),
            Pane::Live => self.live.is_waiting(),
            Pane::Search => self.search.is_waiting(),
        }
    }

    /// Whether what is seen may have changed.
    pub(super) fn hear(&mut self, news: News) -> bool {
        match news {
            News::Sessions(lines) => self.sessions.hear(lines),
            News::Story(id, lines) => self.sessions.hear_story(&id, lines),
            News::Events { lines, is_all } => return self.live.hear(lines, is_all),
            News::Hits(query, found) => self.search.hear(&query, found),
            News::Memory(id, lines) => self.search.hear_memory(&id, lines),
            News::Daemon(is_served) => self.is_served = is_served,
            News::Trouble(trouble) => self.trouble = trouble,
        }
        true
    }

    pub(super) fn press(&mut self, key: KeyEvent, now: Instant) -> Step {
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return Step::Leave;
        }
        match key.code {
            KeyCode::Tab => self.turn(1),
            KeyCode::BackTab => self.turn(PANES.len() - 1),
            code => match self.give(code, now) {
                Taken::Yes => {}
                Taken::Open(session) => {
                    let (id, title) = *session;
                    self.pane = Pane::Sessions;
                    self.sessions.open(id, title);
                }
                Taken::No => match code {
                    KeyCode::Char('q') => return Step::Leave,
                    KeyCode::Char('1') => self.pane = Pane::Sessions,
                    KeyCode::Char('2') => self.pane = Pane::Live,
                    KeyCode::Char('3' | '/') => {
                        self.pane = Pane::Search;
                        self.search.type_again();
                    }
                    _ => {}
                },
            },
        }
        Step::Stay
    }

    fn give(&mut self, code: KeyCode, now: Instant) -> Taken {
        match self.pane {
            Pane::Sessions => self.sessions.press(code),
            Pane::Live => self.live.press(code),
            Pane::Search => self.search.press(code, now),
        }
    }

    fn turn(&mut self, by: usize) {
        let at = PANES.iter().position(|(pane, _)| *pane == self.pane).unwrap_or_default();
        self.pane = PANES[(at + by) % PANES.len()].0;
    }

    pub(super) fn draw(&mut self, frame: &mut Frame<'_>, now: Millis) {
        let trouble = self.trouble_line();
        let [head, body, said, foot] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Min(0),
            Constraint::Length(u16::from(trouble.is_some())),
            Constraint::Length(1),
        ])
        .areas(frame.area());
        self.draw_head(frame, head);
        match self.pane {
            Pane::Sessions => self.sessions.draw(frame, body, self.theme, now),
            Pane::Live => self.live.draw(frame, body, self.theme),
            Pane::Search => self.search.draw(frame, body, self.theme, now),
        }
        if let Some(trouble) = trouble {
            let text = fit(&trouble, usize::from(said.width), false);
            frame.render_widget(Line::styled(text, self.theme.trouble()), said);
        }
        let keys = match self.pane {
            Pane::Sessions => self.sessions.keys(),
            Pane::Live => self.live.keys(),
            Pane::Search => self.search.keys(),
        };
        let keys = fit(keys, usize::from(foot.width), false);
        frame.render_widget(Line::styled(keys, self.theme.faint()), foot);
    }

    fn draw_head(&self, frame: &mut Frame<'_>, area: Rect) {
        let tab = |(number, (pane, name)): (usize, &(Pane, &str))| {
            let style = if *pane == self.pane { self.theme.selected() } else { self.theme.plain() };
            [Span::styled(format!(" {} {name} ", number + 1), style), Span::raw(" ")]
        };
        let tabs: Vec<Span<'_>> = PANES.iter().enumerate().flat_map(tab).collect();
        frame.render_widget(Line::from(tabs), area);
    }

    fn trouble_line(&self) -> Option<String> {
        match &self.trouble {
            Some(trouble) => Some(trouble.as_str().to_owned()),
            None if !self.is_served => {
                Some("The daemon is not there: run `throughline daemon start`".to_owned())
            }
            None => None,
        }
    }
}
