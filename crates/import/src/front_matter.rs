//! The block between two lines of dashes at the head of a note. Read line by line and forgiving: people and
//! models write it by hand, and a slip must not cost the note. It is no YAML parser and will not become one.

/// A block that has not ended by then is a rule of dashes, and text follows it.
const MAX_LINES: usize = 300;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    fields: Vec<Field>,
}

#[derive(Debug, PartialEq, Eq)]
struct Field {
    key: String,
    indent: usize,
    values: Vec<String>,
    shape: Shape,
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

/// What the block says, and the text after it.
pub(crate) fn split(text: &str) -> (FrontMatter, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let nothing = (FrontMatter::default(), text);
    let mut at = 0;
    let mut lines = Vec::new();
    for (number, line) in text.split_inclusive('\n').take(MAX_LINES).enumerate() {
        at += line.len();
        let line = line.trim_end();
        match (number, line) {
            (0, "---") => {}
            (0, _) => return nothing,
            (_, "---" | "...") => return (FrontMatter::parse(&lines), &text[at..]),
            _ => lines.push(line),
        }
    }
    nothing
}

impl FrontMatter {
    /// The value at the top level; else in a nested block (`metadata:`), where some tools put everything.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        let value = self.field(key)?.values.first()?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// A list, or a single value as a list of one.
    pub(crate) fn list(&self, key: &str) -> Vec<&str> {
        self.field(key).into_iter().flat_map(|field| &field.values).map(String::as_str).collect()
    }

    pub(crate) fn is_true(&self, key: &str) -> bool {
        self.text(key).is_some_and(|text| matches!(text.to_lowercase().as_str(), "true" | "yes" | "on" | "1"))
    }

    /// Zero when it is missing, negative or no number.
    pub(crate) fn count(&self, key: &str) -> u64 {
        let number =
            self.text(key).and_then(|text| text.parse::<f64>().ok()).filter(|number| number.is_finite());
        number.unwrap_or(0.0).max(0.0) as u64
    }

    fn field(&self, key: &str) -> Option<&Field> {
        let mut named = self.fields.iter().filter(|field| field.key == key && !field.values.is_empty());
        let first = named.next()?;
        if first.indent == 0 { Some(first) } else { named.find(|field| field.indent == 0).or(Some(first)) }
    }

    fn parse(lines: &[&str]) -> Self {
        let mut fields: Vec<Field> = Vec::new();
        for line in lines {
            let text = line.trim();
            let indent = line.len() - line.trim_start().len();
            if let Some(field) = fields.last_mut() {
                let inside = indent > field.indent;
                match field.shape {
                    Shape::Block { folded } if inside || text.is_empty() => {
                        field.extend(text, if folded { ' ' } else { '\n' });
                        continue;
                    }
                    Shape::Line if inside && !text.is_empty() => {
                        field.extend(text, ' ');
                        continue;
                    }
                    Shape::Open | Shape::List if text.starts_with("- ") || text == "-" => {
                        field.shape = Shape::List;
                        field.values.extend(scalar(text[1..].trim()));
                        continue;
                    }
                    _ => {}
                }
            }
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if let Some((key, value)) = pair(text) {
                fields.push(Field::new(key, indent, value));
            }
        }
        Self { fields }
    }
}

impl Field {
    fn new(key: &str, indent: usize, value: &str) -> Self {
        let list = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let (shape, values) = match value {
            "" => (Shape::Open, Vec::new()),
            "|" | "|-" | "|+" => (Shape::Block { folded: false }, Vec::new()),
            ">" | ">-" | ">+" => (Shape::Block { folded: true }, Vec::new()),
            value => match list {
                Some(list) => (Shape::List, list.split(',').filter_map(|item| scalar(item.trim())).collect()),
                None => (Shape::Line, scalar(value).into_iter().collect()),
            },
        };
        Self { key: key.to_lowercase(), indent, values, shape }
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
}

fn pair(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    (is_key && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (key, value.trim()))
}

/// Without its quotes; `None` for YAML's nothing.
fn scalar(text: &str) -> Option<String> {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return (!inner.is_empty()).then(|| inner.replace("\\\"", "\""));
        }
    }
    (!matches!(text, "" | "null" | "~" | "{}" | "[]")).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_field_is_read() {
        let (front, body) = split(concat!(
            "---\r\nname: \"quoted\"\ndescription: a: b, c\ntags: [one, 'two', ]\nprojects:\n  - shop\n  - till\n",
            "hits: 48\nprevented: -3\nlast_applied: null\ncritical: true\ninvariant: >\n  never push\n  on Friday\n",
            "rules: |\n  first\n  second\n\nplain: begins\n  and goes on\nmetadata:\n  type: design\n  hits: 1\n",
            "no field at all\n---\n# Body\n"
        ));
        assert_eq!(body, "# Body\n");
        for (key, value) in [
            ("name", Some("quoted")),
            ("description", Some("a: b, c")),
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
        assert_eq!(front.list("name"), ["quoted"]);
        assert_eq!((front.count("hits"), front.count("prevented"), front.count("name")), (48, 0, 0));
        assert!(front.is_true("critical") && !front.is_true("evergreen"));
    }

    #[test]
    fn the_top_level_wins_over_a_nested_block_wherever_it_stands() {
        let (front, _) = split("---\nmetadata:\n  type: nested\n  node: x\ntype: top\n---\n");
        assert_eq!(front.text("type"), Some("top"));
        assert_eq!(front.text("node"), Some("x"));
    }

    #[test]
    fn what_is_no_front_matter_is_text() {
        let endless = format!("---\n{}", "a: b\n".repeat(10_000));
        for text in ["", "---", "text\n---\n", "--- \nno end", "----\na: b\n---\n", endless.as_str()] {
            assert_eq!(split(text), (FrontMatter::default(), text), "{}", &text[..text.len().min(20)]);
        }
    }
}
