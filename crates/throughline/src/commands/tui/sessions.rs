//! The first pane: sessions, those at work first, and the story of the one that is opened.

use model::{Millis, SessionId};
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::app::Taken;
use super::clean::Clean;
use super::page::Page;
use super::rows::{Cell, Rows, fit};
use super::source::{LINE, SessionLine, Want};
use super::story::StoryLine;
use super::theme::Theme;
use crate::{print, when};

/// Narrower than this a row has no room for branch, agent and counts.
const WIDE: u16 = 90;

#[derive(Debug, Default)]
pub(super) struct Sessions {
    rows: Rows<SessionLine>,
    is_read: bool,
    open: Option<Open>,
}

/// A session whose story is seen.
#[derive(Debug)]
struct Open {
    id: SessionId,
    title: Clean,
    rows: Rows<StoryLine>,
    is_read: bool,
    page: Option<Page>,
}

impl Sessions {
    pub(super) fn want(&self) -> Want {
        self.open.as_ref().map_or(Want::Sessions, |open| Want::Story(open.id.clone()))
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.open.as_ref().map_or(!self.is_read, |open| !open.is_read)
    }

    pub(super) fn open(&mut self, id: SessionId, title: Clean) {
        self.open = Some(Open { id, title, rows: Rows::default(), is_read: false, page: None });
    }

    pub(super) fn hear(&mut self, lines: Vec<SessionLine>) {
        self.rows.replace(lines, |one, other| one.id == other.id);
        self.is_read = true;
    }

    pub(super) fn hear_story(&mut self, id: &SessionId, lines: Vec<StoryLine>) {
        let Some(open) = self.open.as_mut().filter(|open| open.id == *id) else { return };
        // Whoever reads the end goes on reading it.
        let follows = !open.is_read || open.rows.is_at_end();
        open.rows.replace(lines, |one, other| one == other);
        if follows {
            open.rows.go_to_end();
        }
        open.is_read = true;
    }

    pub(super) fn press(&mut self, code: KeyCode) -> Taken {
        let Some(open) = &mut self.open else {
            if self.rows.press(code) {
                return Taken::Yes;
            }
            let Some(line) = self.rows.chosen().filter(|_| code == KeyCode::Enter) else { return Taken::No };
            let parts = [&line.short, &line.project, &line.about].map(Clean::as_str);
            return Taken::Open(Box::new((line.id.clone(), Clean::line(&parts.join(" "), LINE))));
        };
        let taken = match (&mut open.page, code) {
            (Some(_), KeyCode::Esc | KeyCode::Backspace) => {
                open.page = None;
                true
            }
            (Some(page), code) => page.press(code),
            (None, KeyCode::Esc | KeyCode::Backspace) => {
                self.open = None;
                true
            }
            (None, KeyCode::Enter) => {
                open.page = open.rows.chosen().map(|line| {
                    let title = format!("{}  {}", print::time(line.at), line.mark);
                    Page::new(Clean::line(&title, LINE), line.whole.clone())
                });
                true
            }
            (None, code) => open.rows.press(code),
        };
        if taken { Taken::Yes } else { Taken::No }
    }

    pub(super) fn keys(&self) -> &'static str {
        match &self.open {
            None => "Enter timeline  1 2 3 Tab panes  / search  q quit",
            Some(Open { page: None, .. }) => "Enter read  Esc back  g G first, last  q quit",
            Some(_) => "arrows scroll  Esc back  q quit",
        }
    }

    pub(super) fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, theme: Theme, now: Millis) {
        if let Some(open) = &mut self.open {
            return open.draw(frame, area, theme);
        }
        if self.rows.items().is_empty() {
            let said = if self.is_read { "No session yet." } else { "Reading…" };
            frame.render_widget(Line::styled(said, theme.faint()), area);
            return;
        }
        let is_wide = area.width >= WIDE;
        self.rows.draw(frame, area, theme, |line| {
            let mark = if line.is_live {
                Cell::new("●", 1, theme.alive())
            } else {
                Cell::new(" ", 1, theme.plain())
            };
            let mut cells = vec![
                mark,
                Cell::new(when::ago(line.seen_at, now), 10, theme.faint()),
                Cell::new(line.project.as_str(), 14, theme.strong()),
            ];
            if is_wide {
                let counts = format!("{} prompts, {} calls", line.prompts, line.tools);
                cells.push(Cell::new(line.branch.as_str(), 12, theme.plain()));
                cells.push(Cell::new(line.agent.as_str(), 11, theme.kind()));
                cells.push(Cell::new(counts, 22, theme.faint()));
            }
            let about = if line.about.as_str().is_empty() { &line.short } else { &line.about };
            cells.push(Cell::new(about.as_str(), 0, theme.plain()));
            cells
        });
    }
}

impl Open {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, theme: Theme) {
        if let Some(page) = &mut self.page {
            return page.draw(frame, area, theme);
        }
        let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
        let title = fit(self.title.as_str(), usize::from(head.width), false);
        frame.render_widget(Line::styled(title, theme.strong()), head);
        if self.rows.items().is_empty() {
            let said = if self.is_read { "Nothing is known of it." } else { "Reading…" };
            frame.render_widget(Line::styled(said, theme.faint()), body);
            return;
        }
        self.rows.draw(frame, body, theme, |line| {
            let style = match line.mark {
                "prompt" => theme.strong(),
                "failed" | "guard" => theme.trouble(),
                _ => theme.plain(),
            };
            vec![
                Cell::new(clock(line.at), 8, theme.faint()),
                Cell::new(line.mark, 11, theme.kind()),
                Cell::new(line.text.as_str(), 0, style),
            ]
        });
    }
}

/// `14:05:09`, where the person lives.
pub(super) fn clock(at: Millis) -> String {
    print::time(at).split(' ').next_back().unwrap_or_default().to_owned()
}
