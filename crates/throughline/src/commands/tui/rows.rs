//! A list with one row chosen. Draws only the rows that are seen, however many there are.

use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme::Theme;

#[derive(Debug)]
pub(super) struct Rows<T> {
    items: Vec<T>,
    chosen: usize,
    top: usize,
    /// Rows that were seen when it was last drawn: a page.
    height: usize,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { items: Vec::new(), chosen: 0, top: 0, height: 1 }
    }
}

impl<T> Rows<T> {
    pub(super) fn items(&self) -> &[T] {
        &self.items
    }

    pub(super) fn chosen(&self) -> Option<&T> {
        self.items.get(self.chosen)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.chosen + 1 >= self.items.len()
    }

    pub(super) fn go_to_end(&mut self) {
        self.chosen = self.items.len().saturating_sub(1);
    }

    /// Other items. The choice stays on what it was on, if that is still there.
    pub(super) fn replace(&mut self, items: Vec<T>, same: impl Fn(&T, &T) -> bool) {
        let was = self.items.get(self.chosen);
        let is = was.and_then(|was| items.iter().position(|item| same(was, item)));
        self.chosen = is.unwrap_or(self.chosen).min(items.len().saturating_sub(1));
        self.items = items;
    }

    /// Puts more below, and lets the oldest go beyond so many.
    pub(super) fn extend(&mut self, more: Vec<T>, most: usize) {
        self.items.extend(more);
        let over = self.items.len().saturating_sub(most);
        self.items.drain(..over);
        self.chosen = self.chosen.saturating_sub(over);
        self.top = self.top.saturating_sub(over);
    }

    /// Whether the key moves here.
    pub(super) fn press(&mut self, code: KeyCode) -> bool {
        let last = self.items.len().saturating_sub(1);
        self.chosen = match code {
            KeyCode::Up | KeyCode::Char('k') => self.chosen.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => (self.chosen + 1).min(last),
            KeyCode::PageUp => self.chosen.saturating_sub(self.height),
            KeyCode::PageDown => (self.chosen + self.height).min(last),
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => last,
            _ => return false,
        };
        true
    }

    /// Each row from its cells; the last cell takes what is left.
    pub(super) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        theme: Theme,
        cells: impl Fn(&T) -> Vec<Cell>,
    ) {
        self.height = usize::from(area.height).max(1);
        self.top = self.top.min(self.chosen).max((self.chosen + 1).saturating_sub(self.height));
        // What was at the end stays there when the terminal grows.
        self.top = self.top.min(self.items.len().saturating_sub(self.height));
        for (at, item) in self.items.iter().enumerate().skip(self.top).take(self.height) {
            let row = Rect { y: area.y + (at - self.top) as u16, height: 1, ..area };
            let mut line = line_of(cells(item), usize::from(area.width));
            if at == self.chosen {
                line = line.style(theme.selected());
                frame.buffer_mut().set_style(row, theme.selected());
            }
            frame.render_widget(line, row);
        }
    }
}

/// A piece of a row: a text, how wide it is, and how it looks.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) text: String,
    /// 0: as wide as what is left.
    pub(super) width: usize,
    pub(super) style: Style,
}

impl Cell {
    pub(super) fn new(text: impl Into<String>, width: usize, style: Style) -> Self {
        Self { text: text.into(), width, style }
    }
}

fn line_of(cells: Vec<Cell>, width: usize) -> Line<'static> {
    let mut left = width;
    let mut spans = Vec::with_capacity(cells.len());
    for cell in cells {
        let wide = if cell.width == 0 { left } else { cell.width.min(left) };
        let text = fit(&cell.text, wide, cell.width > 0);
        left -= wide;
        spans.push(Span::styled(text, cell.style));
        if cell.width > 0 && left > 0 {
            spans.push(Span::raw(" "));
            left -= 1;
        }
    }
    Line::from(spans)
}

/// At most so many columns, and exactly so many where others stand behind it.
pub(super) fn fit(text: &str, width: usize, pad: bool) -> String {
    let (mut out, mut used) = (String::new(), 0);
    for c in text.chars() {
        let wide = columns(c);
        if used + wide > width {
            // The last place says that there is more.
            while used + 1 > width {
                let Some(last) = out.pop() else { break };
                used -= columns(last);
            }
            if width > 0 {
                out.push('…');
                used += 1;
            }
            break;
        }
        out.push(c);
        used += wide;
    }
    if pad {
        out.extend(std::iter::repeat_n(' ', width.saturating_sub(used)));
    }
    out
}

fn columns(c: char) -> usize {
    if c.is_ascii() { 1 } else { Span::raw(c.to_string()).width() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_fits_its_columns_also_where_letters_are_wide() {
        for (text, width, shown) in [
            ("abc", 5, "abc  "),
            ("abcdef", 4, "abc…"),
            ("四四四", 4, "四…"),
            ("四四", 4, "四四"),
            ("é", 2, "é "),
            ("abc", 1, "…"),
            ("abc", 0, ""),
            ("", 2, "  "),
        ] {
            let fitted = fit(text, width, true);
            assert_eq!(fitted.trim_end(), shown.trim_end(), "{text} in {width}");
            assert_eq!(Span::raw(&*fitted).width(), width, "{text} in {width}");
        }
    }

    #[test]
    fn the_choice_stays_on_its_item_and_within_the_list() {
        let mut rows = Rows::default();
        rows.replace(vec![1, 2, 3], |a, b| a == b);
        assert!(rows.press(KeyCode::Down));
        rows.replace(vec![9, 8, 2, 7], |a, b| a == b);
        assert_eq!(rows.chosen(), Some(&2));
        rows.replace(vec![5], |a, b| a == b);
        assert_eq!(rows.chosen(), Some(&5));
        rows.replace(Vec::new(), |a, b| a == b);
        assert_eq!(rows.chosen(), None);
        assert!(rows.press(KeyCode::Down) && rows.press(KeyCode::Up) && !rows.press(KeyCode::Enter));
    }

    #[test]
    fn what_is_added_below_lets_the_oldest_go() {
        let mut rows = Rows::default();
        rows.extend((0..10).collect(), 10);
        rows.go_to_end();
        rows.extend(vec![10, 11], 10);
        assert_eq!((rows.items().len(), rows.chosen()), (10, Some(&9)));
        assert!(!rows.is_at_end());
    }
}
