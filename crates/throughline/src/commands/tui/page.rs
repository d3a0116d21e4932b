//! A text that is read by itself, over the list it was opened from.

use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::clean::Clean;
use super::rows::fit;
use super::theme::Theme;

/// Narrower than this no word is kept whole.
const NARROW: usize = 10;

#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) title: Clean,
    lines: Vec<Clean>,
    top: usize,
    height: usize,
    /// Lines when it was last drawn, each as wide as the terminal was.
    total: usize,
}

impl Page {
    pub(super) fn new(title: Clean, lines: Vec<Clean>) -> Self {
        Self { title, lines, ..Self::default() }
    }

    /// The same page with other words in it.
    pub(super) fn refresh(&mut self, lines: Vec<Clean>) {
        self.lines = lines;
    }

    pub(super) fn press(&mut self, code: KeyCode) -> bool {
        let last = self.total.saturating_sub(self.height.max(1));
        self.top = match code {
            KeyCode::Up | KeyCode::Char('k') => self.top.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => (self.top + 1).min(last),
            KeyCode::PageUp => self.top.saturating_sub(self.height),
            KeyCode::PageDown | KeyCode::Char(' ') => (self.top + self.height).min(last),
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => last,
            _ => return false,
        };
        true
    }

    pub(super) fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, theme: Theme) {
        let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
        let title = fit(self.title.as_str(), usize::from(head.width), false);
        frame.render_widget(Line::styled(title, theme.strong()), head);
        let width = usize::from(body.width).max(1);
        let wrapped: Vec<String> = self.lines.iter().flat_map(|line| wrap(line.as_str(), width)).collect();
        (self.total, self.height) = (wrapped.len(), usize::from(body.height));
        self.top = self.top.min(self.total.saturating_sub(self.height.max(1)));
        let seen = wrapped.into_iter().skip(self.top).take(self.height).map(Line::raw);
        frame.render_widget(Paragraph::new(seen.collect::<Vec<_>>()), body);
    }
}

/// Breaks between words; a word that is too long for a line is broken, too.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for piece in text.split_inclusive(' ') {
        let wide = Span::raw(piece.trim_end()).width();
        if used > 0 && used + wide > width && width > NARROW {
            lines.push(String::new());
            used = 0;
        }
        for c in piece.chars() {
            let wide = if c.is_ascii() { 1 } else { Span::raw(c.to_string()).width() };
            if used + wide > width {
                if c == ' ' {
                    continue;
                }
                lines.push(String::new());
                used = 0;
            }
            if let Some(line) = lines.last_mut() {
                line.push(c);
            }
            used += wide;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_long_words_within() {
        assert_eq!(wrap("one two three", 20), ["one two three"]);
        assert_eq!(wrap("the quick brown fox jumps", 11), ["the quick ", "brown fox ", "jumps"]);
        assert_eq!(wrap("abcdefghijklmnopqrstuvwxyz", 12), ["abcdefghijkl", "mnopqrstuvwx", "yz"]);
        assert_eq!(wrap("", 12), [""]);
        assert_eq!(wrap("四四四四", 4), ["四四", "四四"]);
        assert!(wrap("x", 0).len() <= 2);
    }
}
