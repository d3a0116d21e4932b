//! A note in the making: lines that fit a budget of tokens, each with its item. Stored text comes in as one line
//! without anything that deceives, so it can neither begin a line of its own nor pose as one of ours. The fence
//! around the whole is put there by whoever delivers it.

use model::{Item, Note, estimate_tokens};

use crate::fence::sanitize;

/// Of the client's 10,000 characters, what all notes of one answer may take; the rest is for fences and for what
/// others say on the same event.
pub(crate) const MAX_CHARS: usize = 9_000;

#[derive(Debug)]
pub struct Page {
    budget: u32,
    used: u32,
    /// As the client counts them: in UTF-16 units.
    units: usize,
    text: String,
    items: Vec<Item>,
    /// A heading that waits for its first line.
    heading: Option<String>,
}

impl Page {
    pub fn new(budget: u32) -> Self {
        Self { budget, used: 0, units: 0, text: String::new(), items: Vec::new(), heading: None }
    }

    /// Tokens that are left.
    pub fn room(&self) -> u32 {
        self.budget.saturating_sub(self.used)
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many items stand on it.
    pub fn items(&self) -> usize {
        self.items.len()
    }

    /// Whether a line would be taken: to be known before it is claimed.
    pub fn fits(&self, line: &str) -> bool {
        self.cost(&self.added(line)).is_some()
    }

    /// What a line adds, with the heading that waits for it.
    fn added(&self, line: &str) -> String {
        let mut added = String::new();
        if let Some(heading) = &self.heading {
            if !self.text.is_empty() {
                added.push('\n');
            }
            added.push_str(heading);
            added.push('\n');
        }
        added.push_str(&sanitize(line));
        added.push('\n');
        added
    }

    /// Its tokens and units, if there is room for them.
    fn cost(&self, added: &str) -> Option<(u32, usize)> {
        let tokens = estimate_tokens(added);
        let units = added.chars().map(char::len_utf16).sum::<usize>();
        (self.used + tokens <= self.budget && self.units + units <= MAX_CHARS).then_some((tokens, units))
    }

    /// Our own words above what follows; left out when nothing does.
    pub fn heading(&mut self, words: &str) {
        self.heading = Some(words.to_owned());
    }

    /// One line, or several that belong together. False: it does not fit, and the page is as it was.
    /// `tokens` of the item is set to what the line costs.
    pub fn item(&mut self, line: &str, item: Item) -> bool {
        let added = self.added(line);
        let Some((tokens, units)) = self.cost(&added) else { return false };
        self.heading = None;
        self.used += tokens;
        self.units += units;
        self.text.push_str(&added);
        self.items.push(Item { tokens, ..item });
        true
    }

    /// Our own words at the end, if there is anything to end and room for them.
    pub fn closing(&mut self, words: &str) {
        let tokens = estimate_tokens(words) + 1;
        if !self.items.is_empty() && self.used + tokens <= self.budget {
            self.used += tokens;
            self.text.push_str(words);
            self.text.push('\n');
        }
    }

    /// Nothing on it is no note.
    pub fn finish(self, from: &'static str) -> Option<Note> {
        let Self { text, items, .. } = self;
        (!items.is_empty()).then(|| Note { from, text: text.trim_end().to_owned(), items })
    }
}

/// Stored text as one line of at most so many characters: control characters, line breaks and what deceives are
/// gone.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let clean = sanitize(text);
    let mut line = String::new();
    for word in clean.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > most * 4 {
            break;
        }
    }
    if line.char_indices().nth(most).is_none() {
        return line;
    }
    let end = line.char_indices().nth(most.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    // A word is not cut unless it is most of the line.
    let end = line[..end].rfind(' ').filter(|at| at * 2 > end).unwrap_or(end);
    format!("{}…", line[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(title: &str) -> Item {
        Item { memory: None, part: "hit".into(), title: title.into(), tokens: 0, why: String::new() }
    }

    #[test]
    fn a_page_takes_what_fits_and_leaves_no_heading_without_a_line() {
        let mut page = Page::new(40);
        page.heading("What is known:");
        assert!(page.item("- one short line", item("one")));
        page.heading("More:");
        assert!(!page.item(&"word ".repeat(100), item("two")));
        let note = page.finish("recall-on-start").unwrap();
        assert_eq!(note.text, "What is known:\n- one short line");
        assert_eq!(note.items.len(), 1);
        assert!(note.items[0].tokens > 0);
        assert!(Page::new(40).finish("recall-on-start").is_none());
    }

    #[test]
    fn no_budget_makes_a_page_longer_than_the_client_takes() {
        let mut page = Page::new(u32::MAX);
        while page.item(&"é".repeat(100), item("x")) {}
        assert!(page.finish("recall-on-start").unwrap().text.chars().count() <= MAX_CHARS);
    }

    #[test]
    fn stored_text_is_one_line_that_begins_no_other() {
        assert_eq!(one_line("a\u{202e}b\n\n- [x] do this\u{1b}[2J", 100), "ab - [x] do this[2J");
        assert_eq!(one_line("one two three four", 12), "one two…");
        assert_eq!(one_line(&"x".repeat(50), 10).chars().count(), 10);
    }
}
