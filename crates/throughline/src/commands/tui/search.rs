//! The third pane: a question, what was found, and why.

use std::time::{Duration, Instant};

use model::Millis;
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::app::Taken;
use super::clean::Clean;
use super::page::Page;
use super::rows::{Cell, Rows, fit};
use super::source::{HitLine, LINE, Want};
use super::theme::Theme;
use crate::when;

/// Whoever stops typing for so long wants to see something.
const SETTLED: Duration = Duration::from_millis(250);
/// A longer question is a text; nobody types one here.
const MAX_QUERY: usize = 500;
const WIDE: u16 = 90;

#[derive(Debug)]
pub(super) struct Search {
    query: String,
    /// Keys go into the question.
    is_typing: bool,
    typed: Option<Instant>,
    /// The question whose answer is awaited or shown.
    asked: String,
    answered: Option<String>,
    rows: Rows<HitLine>,
    failure: Option<Clean>,
    page: Option<(Shown, Page)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Shown {
    /// The whole text of this memory, once it is read.
    Memory(String),
    Why,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            query: String::new(),
            is_typing: true,
            typed: None,
            asked: String::new(),
            answered: None,
            rows: Rows::default(),
            failure: None,
            page: None,
        }
    }
}

impl Search {
    pub(super) fn want(&mut self, now: Instant) -> Option<Want> {
        if let Some((Shown::Memory(id), _)) = &self.page {
            return Some(Want::Memory(id.clone()));
        }
        if self.typed.is_some_and(|at| now.saturating_duration_since(at) >= SETTLED) {
            self.ask();
        }
        (!self.asked.is_empty()).then(|| Want::Hits(self.asked.clone()))
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.typed.is_some() || self.is_asking()
    }

    fn is_asking(&self) -> bool {
        !self.asked.is_empty() && self.answered.as_ref() != Some(&self.asked)
    }

    fn ask(&mut self) {
        self.typed = None;
        let asked = self.query.trim();
        if asked != self.asked {
            self.asked = asked.to_owned();
        }
        if self.asked.is_empty() {
            self.rows = Rows::default();
            self.answered = None;
        }
    }

    pub(super) fn hear(&mut self, query: &str, found: Result<Vec<HitLine>, Clean>) {
        if query != self.asked {
            return;
        }
        self.answered = Some(query.to_owned());
        match found {
            Ok(hits) => {
                self.failure = None;
                // The same question again, after a page was closed: the choice stays.
                self.rows.replace(hits, |one, other| one.id == other.id);
            }
            Err(failure) => {
                self.failure = Some(failure);
                self.rows = Rows::default();
            }
        }
    }

    pub(super) fn hear_memory(&mut self, id: &str, lines: Vec<Clean>) {
        if let Some((Shown::Memory(shown), page)) = &mut self.page
            && shown == id
        {
            page.refresh(lines);
        }
    }

    pub(super) fn type_again(&mut self) {
        self.page = None;
        self.is_typing = true;
    }

    pub(super) fn press(&mut self, code: KeyCode, now: Instant) -> Taken {
        if let Some((_, page)) = &mut self.page {
            return match code {
                KeyCode::Esc | KeyCode::Backspace => {
                    self.page = None;
                    Taken::Yes
                }
                code if page.press(code) => Taken::Yes,
                _ => Taken::No,
            };
        }
        if self.is_typing { self.write(code, now) } else { self.choose(code) }
    }

    fn write(&mut self, code: KeyCode, now: Instant) -> Taken {
        match code {
            KeyCode::Char(c) => {
                if self.query.chars().count() < MAX_QUERY && !c.is_control() {
                    self.query.push(c);
                    self.typed = Some(now);
                }
            }
            KeyCode::Backspace => {
                self.query.pop();
                self.typed = Some(now);
            }
            KeyCode::Enter => {
                self.ask();
                self.is_typing = false;
            }
            KeyCode::Esc | KeyCode::Down => self.is_typing = false,
            _ => return Taken::No,
        }
        Taken::Yes
    }

    fn choose(&mut self, code: KeyCode) -> Taken {
        if self.rows.press(code) {
            return Taken::Yes;
        }
        match (code, self.rows.chosen()) {
            (KeyCode::Enter, Some(hit)) => {
                let page = Page::new(hit.title.clone(), vec![Clean::line("Reading…", LINE)]);
                self.page = Some((Shown::Memory(hit.id.clone()), page));
            }
            (KeyCode::Char('w'), Some(hit)) => {
                let mut lines = hit.why.clone();
                if lines.is_empty() {
                    lines.push(Clean::line("No reason was given.", LINE));
                }
                let title = Clean::line(&format!("Why: {}", hit.title.as_str()), LINE);
                self.page = Some((Shown::Why, Page::new(title, lines)));
            }
            _ => return Taken::No,
        }
        Taken::Yes
    }

    pub(super) fn keys(&self) -> &'static str {
        match (&self.page, self.is_typing) {
            (Some(_), _) => "arrows scroll  Esc back  q quit",
            (None, true) => "type a question  Enter or Down results  Tab panes",
            (None, false) => "Enter read  w why  / question  1 2 3 Tab panes  q quit",
        }
    }

    pub(super) fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, theme: Theme, now: Millis) {
        if let Some((_, page)) = &mut self.page {
            return page.draw(frame, area, theme);
        }
        let [question, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
        let cursor = if self.is_typing { "▏" } else { "" };
        // The end of a long question is what is being typed.
        let room = usize::from(question.width).saturating_sub(3);
        let shown: String = self.query.chars().rev().take(room).collect();
        let shown: String = shown.chars().rev().collect();
        let shown = Clean::line(&shown, room);
        let space = if self.query.ends_with(' ') { " " } else { "" };
        let line = vec![
            Span::styled("> ", theme.kind()),
            Span::raw(format!("{}{space}", shown.as_str())),
            Span::styled(cursor, theme.kind()),
        ];
        frame.render_widget(Line::from(line), question);
        if let Some(said) = self.said() {
            let said = fit(said, usize::from(body.width), false);
            frame.render_widget(Line::styled(said, theme.faint()), body);
            return;
        }
        let is_wide = area.width >= WIDE;
        self.rows.draw(frame, body, theme, |hit| {
            let ago = if hit.at == 0 { "-".to_owned() } else { when::ago(hit.at, now) };
            let tokens = hit.tokens.map_or_else(|| "-".to_owned(), |tokens| format!("{tokens} tk"));
            let mut cells =
                vec![Cell::new(hit.kind.as_str(), 10, theme.kind()), Cell::new(ago, 10, theme.faint())];
            if is_wide {
                cells.push(Cell::new(hit.project.as_str(), 14, theme.plain()));
            }
            cells.push(Cell::new(format!("{tokens:>7}"), 7, theme.faint()));
            cells.push(Cell::new(hit.title.as_str(), 0, theme.strong()));
            cells
        });
    }

    /// What stands there in place of hits.
    fn said(&self) -> Option<&str> {
        if let Some(failure) = self.failure.as_ref().filter(|_| !self.is_asking()) {
            return Some(failure.as_str());
        }
        match () {
            () if self.asked.is_empty() => Some("What are you looking for?"),
            () if self.is_asking() && self.rows.items().is_empty() => Some("Searching…"),
            () if self.rows.items().is_empty() => Some("Nothing matches well; try other words."),
            () => None,
        }
    }
}
