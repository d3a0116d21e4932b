//! The block between two lines of dashes at the head of a file, with the place of everything in it. Read line by line
//! and forgiving: a slip must not cost the note, and what is not understood is kept where it stands.

use std::ops::Range;

use crate::{Slip, scalar};

/// A block that has not ended by then is a rule of dashes, and text follows it.
const MAX_LINES: usize = 300;
/// Slips told of one file; whoever mends these reads the rest.
const MAX_SLIPS: usize = 5;

pub(crate) const MARK: &str = "\u{feff}";

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Front {
    pub(crate) fields: Vec<Field>,
    /// Where the closing line begins: new fields go before it. `None`: there is no block.
    pub(crate) close: Option<usize>,
    /// Where the text after the block begins.
    pub(crate) body: usize,
    pub(crate) slips: Vec<Slip>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// In small letters.
    pub(crate) key: String,
    pub(crate) line: usize,
    indent: usize,
    /// The value in the line of its key, without a remark behind it.
    pub(crate) value: Range<usize>,
    /// Where the last line that belongs to the field ends, its line ending left out.
    pub(crate) end: usize,
    shape: Shape,
    values: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Nothing after the colon: a list, a block of fields or nothing follows.
    Open,
    Line,
    /// `|` keeps its lines, `>` joins them.
    Block {
        folded: bool,
    },
    List,
}

impl Front {
    /// Cannot fail: what is no block is text.
    pub fn parse(text: &str) -> Self {
        let start = if text.starts_with(MARK) { MARK.len() } else { 0 };
        let nothing = Self { body: start, ..Self::default() };
        let mut front = Self::default();
        let mut at = start;
        for (number, line) in text[start..].split_inclusive('\n').take(MAX_LINES).enumerate() {
            let begins = at;
            at += line.len();
            let said = line.trim_end();
            match (number, said) {
                (0, "---") => {}
                (0, _) => return nothing,
                (_, "---" | "...") => {
                    front.close = Some(begins);
                    front.body = at;
                    front.fields.iter_mut().for_each(Field::finish);
                    return front;
                }
                _ => front.line(number + 1, begins, said),
            }
        }
        let what =
            "front matter that begins here has no line of dashes at its end; all of it is taken as text";
        let slips = vec![Slip { line: 1, what: what.to_owned() }];
        // A single line of dashes is a rule, and nobody's mistake.
        if front.fields.is_empty() { nothing } else { Self { slips, ..nothing } }
    }

    /// At the top level; else in a nested block (`metadata:`), where some tools put everything. One without a value
    /// is better than none for who wants to write it.
    /// What follows the block, in the text it was read from.
    pub fn body<'a>(&self, text: &'a str) -> &'a str {
        &text[self.body..]
    }

    pub(crate) fn field(&self, key: &str) -> Option<&Field> {
        let rank = |field: &&Field| (!field.values.is_empty(), field.indent == 0);
        // Of equals the first: `max_by_key` would give the last.
        self.fields.iter().rev().filter(|field| field.key == key).max_by_key(rank)
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        let value = self.field(key)?.values.first()?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// A list, or a single value as a list of one.
    pub fn list(&self, key: &str) -> Vec<&str> {
        self.field(key).into_iter().flat_map(|field| &field.values).map(String::as_str).collect()
    }

    fn line(&mut self, number: usize, begins: usize, line: &str) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if let Some(field) = self.fields.last_mut()
            && field.takes(indent, text)
        {
            field.end = begins + line.len();
            return;
        }
        if text.is_empty() || text.starts_with('#') {
            return;
        }
        match pair(text) {
            Some((key, after)) => {
                let value = &text[after..];
                let from = begins + indent + after;
                let until = from + scalar::end(value);
                let end = begins + line.len();
                self.fields.push(Field::new(key, number, indent, from..until, end, &value[..until - from]));
            }
            None if self.slips.len() < MAX_SLIPS => {
                self.slips.push(Slip { line: number, what: "is no field of front matter".to_owned() });
            }
            None => {}
        }
    }
}

impl Field {
    fn new(key: &str, line: usize, indent: usize, place: Range<usize>, end: usize, value: &str) -> Self {
        let (shape, values) = match value {
            "" => (Shape::Open, Vec::new()),
            "|" | "|-" | "|+" => (Shape::Block { folded: false }, Vec::new()),
            ">" | ">-" | ">+" => (Shape::Block { folded: true }, Vec::new()),
            value => (Shape::Line, vec![value.to_owned()]),
        };
        Self { key: key.to_lowercase(), line, indent, value: place, end, shape, values }
    }

    /// Takes a line that goes on with this field. False: the line is something else.
    fn takes(&mut self, indent: usize, text: &str) -> bool {
        let inside = indent > self.indent;
        match self.shape {
            Shape::Block { folded } if inside || text.is_empty() => {
                // Empty lines between are the block's; those behind it are nobody's.
                if text.is_empty() && self.values.is_empty() {
                    return false;
                }
                self.extend(text, if folded { ' ' } else { '\n' });
                true
            }
            Shape::Line if inside && !text.is_empty() && !text.starts_with('#') => {
                self.extend(text, ' ');
                true
            }
            Shape::Open | Shape::List if text.starts_with("- ") || text == "-" => {
                self.shape = Shape::List;
                let item = text[1..].trim();
                self.values.extend(scalar::read(&item[..scalar::end(item)]));
                true
            }
            _ => false,
        }
    }

    fn extend(&mut self, text: &str, between: char) {
        match self.values.first_mut() {
            Some(value) => {
                value.push(between);
                value.push_str(text);
            }
            None => self.values.push(text.to_owned()),
        }
    }

    /// Quotes and brackets may close in a later line than they open in.
    fn finish(&mut self) {
        if self.shape == Shape::Line
            && let Some(raw) = self.values.pop()
        {
            if let Some(items) = scalar::list(&raw) {
                (self.shape, self.values) = (Shape::List, items);
            } else {
                self.values = scalar::read(&raw).into_iter().collect();
            }
        } else if let (Shape::Block { .. }, Some(value)) = (self.shape, self.values.first_mut()) {
            value.truncate(value.trim_end().len());
        }
    }

    pub(crate) fn is_list(&self) -> bool {
        self.shape == Shape::List
    }

    /// Whether all of it stands in the line of its key.
    pub(crate) fn is_one_line(&self, text: &str) -> bool {
        !text[self.value.start..self.end].contains('\n')
    }
}

/// The key, and where its value begins.
fn pair(text: &str) -> Option<(&str, usize)> {
    let (key, rest) = text.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let white = rest.len() - rest.trim_start().len();
    (is_key && (rest.is_empty() || white > 0)).then_some((key, key.len() + 1 + white))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_field_is_read() {
        let text = concat!(
            "\u{feff}---\r\nname: \"quoted\"\ndescription: a: b, c #3\ntags: [one, 'two', ]\nprojects:\n  - 'shop' # ours\n  - till\n",
            "hits: 48 # so far\nlast_applied: null\ncritical: true\ninvariant: >\n  never push\n  on Friday\n",
            "rules: |\n  first\n  second\n\nplain: begins\n  and goes on\nmetadata:\n  type: design\n  hits: 1\n",
            "long: [a,\n  b]\nno field at all\n---\n# Body\n"
        );
        let front = Front::parse(text);
        assert_eq!(&text[front.body..], "# Body\n");
        for (key, value) in [
            ("name", Some("quoted")),
            ("description", Some("a: b, c #3")),
            ("last_applied", None),
            ("invariant", Some("never push on Friday")),
            ("rules", Some("first\nsecond")),
            ("plain", Some("begins and goes on")),
            ("type", Some("design")),
            ("hits", Some("48")),
            ("nothing", None),
        ] {
            assert_eq!(front.text(key), value, "{key}");
        }
        assert_eq!(front.list("tags"), ["one", "two"]);
        assert_eq!(front.list("projects"), ["shop", "till"]);
        assert_eq!(front.list("long"), ["a", "b"]);
        assert_eq!(front.slips, [Slip { line: 25, what: "is no field of front matter".to_owned() }]);
    }

    #[test]
    fn the_top_level_wins_over_a_nested_block_wherever_it_stands() {
        let front = Front::parse("---\nmetadata:\n  type: nested\n  node: x\ntype: top\ntype: late\n---\n");
        assert_eq!(front.text("type"), Some("top"));
        assert_eq!(front.text("node"), Some("x"));
    }

    #[test]
    fn what_is_no_front_matter_is_text_and_a_block_without_end_is_told() {
        for text in ["", "---", "text\n---\n", "--- \nno end", "----\na: b\n---\n"] {
            assert_eq!(Front::parse(text), Front::default(), "{text}");
        }
        let endless = format!("---\n{}", "a: b\n".repeat(10_000));
        let front = Front::parse(&endless);
        assert_eq!((front.body, front.close, front.slips.len()), (0, None, 1));
    }
}
