//! The second pane: what agents do, as it arrives. Whoever pauses it reads in peace and loses nothing.

use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::app::Taken;
use super::clean::Clean;
use super::rows::{Cell, Rows};
use super::sessions::clock;
use super::source::{EVENTS, EventLine, LINE};
use super::theme::Theme;

/// Narrower than this the name of the event is left out: its title says most of it.
const WIDE: u16 = 90;

#[derive(Debug, Default)]
pub(super) struct Live {
    rows: Rows<EventLine>,
    is_read: bool,
    is_paused: bool,
    /// What came while it was paused.
    held: Vec<EventLine>,
}

impl Live {
    pub(super) fn is_waiting(&self) -> bool {
        !self.is_read
    }

    /// Whether anything is seen of it.
    pub(super) fn hear(&mut self, lines: Vec<EventLine>, is_all: bool) -> bool {
        let was_read = std::mem::replace(&mut self.is_read, true);
        if self.is_paused {
            let last = self.held.last().or(self.rows.items().last()).map_or(0, |line| line.seq);
            self.held.extend(lines.into_iter().filter(|line| line.seq > last));
            let over = self.held.len().saturating_sub(EVENTS);
            self.held.drain(..over);
        } else if is_all {
            let follows = !was_read || self.rows.is_at_end();
            self.rows.replace(lines, |one, other| one.seq == other.seq);
            self.follow(follows);
        } else if lines.is_empty() {
            return false;
        } else {
            self.show(lines);
        }
        true
    }

    fn show(&mut self, lines: Vec<EventLine>) {
        let follows = self.rows.is_at_end();
        self.rows.extend(lines, EVENTS);
        self.follow(follows);
    }

    fn follow(&mut self, follows: bool) {
        if follows {
            self.rows.go_to_end();
        }
    }

    pub(super) fn press(&mut self, code: KeyCode) -> Taken {
        if self.rows.press(code) {
            return Taken::Yes;
        }
        match (code, self.rows.chosen()) {
            (KeyCode::Char(' '), _) => {
                self.is_paused = !self.is_paused;
                if !self.is_paused {
                    let held = std::mem::take(&mut self.held);
                    self.show(held);
                }
                Taken::Yes
            }
            (KeyCode::Enter, Some(line)) => {
                let title = format!("{} {}", line.short.as_str(), line.project.as_str());
                Taken::Open(Box::new((line.session.clone(), Clean::line(&title, LINE))))
            }
            _ => Taken::No,
        }
    }

    pub(super) fn keys(&self) -> &'static str {
        if self.is_paused {
            "space go on  Enter session  1 2 3 Tab panes  q quit"
        } else {
            "space pause  Enter session  1 2 3 Tab panes  q quit"
        }
    }

    pub(super) fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, theme: Theme) {
        let [body, state] =
            Layout::vertical([Constraint::Min(0), Constraint::Length(u16::from(self.is_paused))]).areas(area);
        if self.rows.items().is_empty() {
            let said = if self.is_read { "Nothing has happened yet." } else { "Reading…" };
            frame.render_widget(Line::styled(said, theme.faint()), body);
        }
        let is_wide = area.width >= WIDE;
        self.rows.draw(frame, body, theme, |line| {
            let mut cells = vec![
                Cell::new(clock(line.at), 8, theme.faint()),
                Cell::new(line.short.as_str(), 8, theme.faint()),
                Cell::new(line.project.as_str(), 12, theme.strong()),
            ];
            if is_wide {
                cells.push(Cell::new(line.kind.as_str(), 18, theme.kind()));
            }
            cells.push(Cell::new(line.title.as_str(), 0, theme.plain()));
            cells
        });
        if self.is_paused {
            let said = format!("Paused; {} more since.", self.held.len());
            frame.render_widget(Line::styled(said, theme.trouble()), state);
        }
    }
}
