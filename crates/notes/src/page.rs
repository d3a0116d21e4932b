//! Writing memory files: a new one as a whole, and changes to one of a person's so that every byte they did not ask
//! us to change stays: unknown fields, their order, remarks, quotes, line endings and a byte order mark.

use model::{MemoryId, Millis};

use crate::front::{Front, MARK};
use crate::scalar::{self, Quote};
use crate::{Note, read, time};

/// What is to be written into a file that is there. `None` leaves a part as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    pub id: Option<MemoryId>,
    pub title: Option<String>,
    pub critical: Option<bool>,
    pub pinned: Option<bool>,
    pub hits: Option<u64>,
    pub prevented: Option<u64>,
    pub last_applied: Option<Millis>,
    pub text: Option<String>,
}

/// A new file. Read again, it gives the same note.
pub fn write(note: &Note) -> String {
    let mut out = String::from("---\n");
    let mut field = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            out.push_str(&format!("{key}: {value}\n"));
        }
    };
    let plain = |text: &String| scalar::write(text, Quote::Plain);
    field("id", note.id.map(|id| id.to_string()));
    field("name", note.title.as_ref().map(plain));
    field("description", note.description.as_ref().map(plain));
    field("kind", note.kind.map(|kind| kind.name().to_owned()));
    field("tags", (!note.tags.is_empty()).then(|| scalar::write_list(&note.tags)));
    field("project", note.project.as_ref().map(plain));
    field("critical", note.critical.map(|critical| critical.to_string()));
    field("pinned", note.pinned.map(|pinned| pinned.to_string()));
    field("invariant", note.invariant.as_ref().map(plain));
    field("hits", Some(note.hits.to_string()));
    field("prevented", Some(note.prevented.to_string()));
    field("last_applied", note.last_applied.map(time::day));
    field("created", note.created.map(time::moment));
    out.push_str(&format!("---\n\n{}\n", note.text));
    out
}

/// The file with the change in it and nothing else changed.
pub fn rewrite(text: &str, change: &Change) -> String {
    let mut page = text.to_owned();
    if let Some(said) = &change.text {
        page = with_text(&page, said);
    }
    let truth = |value: bool| value.to_string();
    for (keys, value) in [
        (&["id"][..], change.id.map(|id| id.to_string())),
        (&["critical"], change.critical.map(truth)),
        (&["pinned", "evergreen"], change.pinned.map(truth)),
        (&["hits"], change.hits.map(|count| count.to_string())),
        (&["prevented"], change.prevented.map(|count| count.to_string())),
        (&["last_applied"], change.last_applied.map(time::day)),
    ] {
        if let Some(value) = value {
            page = with_field(&page, keys, &value);
        }
    }
    // A text whose heading named it may have lost its heading.
    let named = change.title.clone().or_else(|| change.text.as_ref().and(read(text).title));
    if let Some(title) = named
        && read(&page).title.as_ref() != Some(&title)
    {
        page = with_field(&page, &["name", "title"], &title);
    }
    page
}

fn with_text(page: &str, said: &str) -> String {
    let body = &page[Front::parse(page).body..];
    let at = page.len() - body.trim_start().len();
    let end = page.trim_end().len().max(at);
    let said = said.trim().replace("\r\n", "\n").replace('\n', line_ending(page));
    let tail = if page[end..].is_empty() { line_ending(page) } else { &page[end..] };
    format!("{}{said}{tail}", &page[..at])
}

/// Into the field where it stands, under whichever of its names; else as a new last field, or in a new block.
fn with_field(page: &str, keys: &[&str], value: &str) -> String {
    let front = Front::parse(page);
    let newline = line_ending(page);
    let place = keys.iter().find_map(|key| front.field(key));
    if let Some(field) = place {
        let raw = &page[field.value.clone()];
        let written = scalar::write(value, if raw.is_empty() { Quote::Plain } else { scalar::quote(raw) });
        let written = if is_bare(value) && scalar::quote(raw) == Quote::Plain { value } else { &written };
        let end = if field.is_one_line(page) { field.value.end } else { field.end };
        let space = if page[..field.value.start].ends_with(':') { " " } else { "" };
        return format!("{}{space}{written}{}", &page[..field.value.start], &page[end..]);
    }
    let written = if is_bare(value) { value.to_owned() } else { scalar::write(value, Quote::Plain) };
    let line = format!("{}: {written}{newline}", keys[0]);
    if let Some(close) = front.close {
        return format!("{}{line}{}", &page[..close], &page[close..]);
    }
    let (mark, rest) = if page.starts_with(MARK) { page.split_at(MARK.len()) } else { ("", page) };
    format!("{mark}---{newline}{line}---{newline}{newline}{rest}")
}

/// Truths, numbers, days and ids are written as what they are and not as texts.
fn is_bare(value: &str) -> bool {
    let number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    number || matches!(value, "true" | "false") || value.parse::<MemoryId>().is_ok()
}

fn line_ending(page: &str) -> &'static str {
    match page.find('\n') {
        Some(at) if page[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: &str, change: &Change, expected: &str) {
        assert_eq!(rewrite(page, change), expected);
        // Writing the same again changes nothing.
        assert_eq!(rewrite(expected, change), expected);
    }

    #[test]
    fn only_the_value_changes() {
        let hits = Change { hits: Some(4), ..Change::default() };
        check(
            "\u{feff}---\r\n# mine\r\nhits:   3   # so far\r\nunknown: {a: 1}\r\n---\r\nText \r\n\r\n",
            &hits,
            "\u{feff}---\r\n# mine\r\nhits:   4   # so far\r\nunknown: {a: 1}\r\n---\r\nText \r\n\r\n",
        );
        check("---\nhits:\nname: x\n---\ny", &hits, "---\nhits: 4\nname: x\n---\ny");
        check("---\nhits: '3'\n---\ny", &hits, "---\nhits: '4'\n---\ny");
        check("---\nmetadata:\n  hits: 3\n---\ny", &hits, "---\nmetadata:\n  hits: 4\n---\ny");
        check("---\nname: x\n---\ny", &hits, "---\nname: x\nhits: 4\n---\ny");
        check("y\n", &hits, "---\nhits: 4\n---\n\ny\n");
    }

    #[test]
    fn a_title_keeps_its_quotes_and_goes_where_titles_stand() {
        let title = |text: &str| Change { title: Some(text.to_owned()), ..Change::default() };
        check("---\nname: \"old\" # r\n---\ny", &title("it: is"), "---\nname: \"it: is\" # r\n---\ny");
        check("---\nname: old\n---\ny", &title("it: is"), "---\nname: \"it: is\"\n---\ny");
        check("---\ntitle: >\n  a\n  b\nhits: 1\n---\ny", &title("c"), "---\ntitle: c\nhits: 1\n---\ny");
        check("# Old\n\ny\n", &title("New"), "---\nname: New\n---\n\n# Old\n\ny\n");
        check("---\nname: 7\n---\ny", &title("true"), "---\nname: true\n---\ny");
    }

    #[test]
    fn a_text_is_written_between_what_stands_around_it() {
        let text = |text: &str| Change { text: Some(text.to_owned()), ..Change::default() };
        check(
            "---\r\nname: n\r\n---\r\n\r\nold\r\n\r\n",
            &text("a\nb"),
            "---\r\nname: n\r\n---\r\n\r\na\r\nb\r\n\r\n",
        );
        check("---\nname: n\n---\n", &text("new"), "---\nname: n\n---\nnew\n");
        check("# Old\nx", &text("new"), "---\nname: Old\n---\n\nnew\n");
        check("plain", &text("new"), "new\n");
    }

    #[test]
    fn pinned_is_written_under_the_name_it_has() {
        let pin = Change { pinned: Some(false), ..Change::default() };
        check("---\nevergreen: true\n---\ny", &pin, "---\nevergreen: false\n---\ny");
    }
}
