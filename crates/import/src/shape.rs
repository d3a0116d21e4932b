//! The shape every record is brought into: bounded texts, one-line titles, clean lists. Knows no source.

use model::{Memory, MemoryId, MemoryKind, Millis, Provenance, estimate_tokens};
use serde_json::Value;

/// As much as one memory holds; what is larger is a file, and is kept up to here.
pub const MAX_TEXT_BYTES: usize = 64 << 10;
/// One line of a terminal and a bit.
pub const MAX_TITLE_CHARS: usize = 160;
/// Facts, concepts or files of one memory.
pub const MAX_ITEMS: usize = 200;
/// A fact is a sentence or two; a path is shorter.
const MAX_ITEM_CHARS: usize = 2000;
/// Names of projects, kinds and tags.
const MAX_NAME_CHARS: usize = 200;
/// Ids are names, hashes or paths.
const MAX_EXTERNAL_ID_CHARS: usize = 1000;

/// Who wrote it, as far as we know.
const BY: &str = "import";

/// A memory with what every one needs; the caller adds what its source knows.
pub(crate) fn memory(id: MemoryId, kind: MemoryKind, at: Millis, title: &str, text: &str) -> Memory {
    let text = cut(text, MAX_TEXT_BYTES);
    let title = [title, text].into_iter().map(title_of).find(|line| !line.is_empty()).unwrap_or_else(|| {
        // Not a letter anywhere: whatever is there, then.
        shorten(&one_line(cut(text, 8 * MAX_TITLE_CHARS)), MAX_TITLE_CHARS)
    });
    Memory {
        provenance: Provenance { by: BY.to_owned(), tokens: estimate_tokens(text), ..Provenance::default() },
        ..Memory::new(id, kind, at, title, text.to_owned())
    }
}

pub(crate) fn is_too_long(text: &str) -> bool {
    text.len() > MAX_TEXT_BYTES
}

/// The first line that says something, up to the end of its first sentence when the line is long.
pub(crate) fn title_of(text: &str) -> String {
    let line = text.lines().map(|line| line.trim_start_matches(['#', '>', '*', '-', ' ', '\t']));
    let line = line.map(str::trim).find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default();
    // Long enough for every title, short enough for a line of a megabyte.
    let line = one_line(cut(line, 8 * MAX_TITLE_CHARS));
    if line.chars().count() <= MAX_TITLE_CHARS {
        return line;
    }
    if let Some(end) = sentence_end(&line) {
        return line[..end].to_owned();
    }
    shorten(&line, MAX_TITLE_CHARS)
}

/// Where the first sentence ends, if that is within a title and not after an abbreviation's few letters.
fn sentence_end(line: &str) -> Option<usize> {
    let least = 24;
    line.char_indices()
        .take(MAX_TITLE_CHARS)
        .zip(line.chars().skip(1))
        .filter(|((at, sign), next)| *at >= least && matches!(sign, '.' | '!' | '?') && *next == ' ')
        .map(|((at, sign), _)| at + sign.len_utf8())
        .next()
        .or_else(|| line.char_indices().take(MAX_TITLE_CHARS).find(|(_, c)| *c == '。').map(|(at, _)| at + 3))
}

/// At most so many characters, cut at a word where there is one, and marked.
fn shorten(text: &str, chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(chars - 1) else { return text.to_owned() };
    let head = &text[..end];
    let word = head.rfind(' ').filter(|at| at * 3 > end * 2).unwrap_or(end);
    format!("{}…", head[..word].trim_end())
}

/// Runs of white space are one space; what steers a terminal is gone.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The name of a project, a kind or a tag. `None` when nothing is left.
pub(crate) fn name(text: &str) -> Option<String> {
    let name = one_line(cut(text, 8 * MAX_NAME_CHARS));
    (!name.is_empty()).then(|| shorten(&name, MAX_NAME_CHARS))
}

/// Ids come back to whoever gave them, so that only what no id holds is taken out.
pub(crate) fn external_id(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_EXTERNAL_ID_CHARS).collect()
}

/// A subtitle: one line, a little longer than a title.
pub(crate) fn subtitle(text: &str) -> Option<String> {
    let line = one_line(cut(text, 8 * MAX_NAME_CHARS));
    (!line.is_empty()).then(|| shorten(&line, 2 * MAX_TITLE_CHARS))
}

/// Each item on one line, without repetitions, at most [`MAX_ITEMS`].
pub(crate) fn items<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for text in texts {
        let item = one_line(cut(text, 4 * MAX_ITEM_CHARS));
        if item.is_empty() || items.contains(&item) {
            continue;
        }
        items.push(shorten(&item, MAX_ITEM_CHARS));
        if items.len() == MAX_ITEMS {
            break;
        }
    }
    items
}

/// A JSON list of strings, as other tools put it in a column. What is no list is one item per line.
pub(crate) fn list(text: &str) -> Vec<String> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(values)) => {
            let texts: Vec<String> = values
                .into_iter()
                .filter_map(|value| match value {
                    Value::String(text) => Some(text),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                })
                .collect();
            items(texts.iter().map(String::as_str))
        }
        Ok(Value::String(text)) => items([text.as_str()]),
        Ok(Value::Null) => Vec::new(),
        _ => items(text.lines().map(|line| line.trim().trim_start_matches(['-', '*']))),
    }
}

/// The longest beginning of whole characters within so many bytes.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_bounded_line_without_signs_that_steer_a_terminal() {
        let sentence = "The refresh token was rotated twice because of a race. ";
        for (text, title) in [
            ("# Auth\nbody", "Auth"),
            ("\n\n- first point\n- second", "first point"),
            ("a\x1b[31mred\x07 b", "a [31mred b"),
            ("", ""),
            (&sentence.repeat(9), sentence.trim()),
        ] {
            assert_eq!(title_of(text), title);
        }
        let long = title_of(&"слово ".repeat(1000));
        assert!(long.chars().count() <= MAX_TITLE_CHARS && long.ends_with("слово…"), "{long}");
        assert_eq!(title_of(&"x".repeat(9 << 20)).chars().count(), MAX_TITLE_CHARS);
    }

    #[test]
    fn a_list_is_read_from_json_from_lines_and_from_nonsense() {
        for (text, expected) in [
            (r#"["a","b","a",""]"#, &["a", "b"][..]),
            (r#"["a",1,null,{"x":2}]"#, &["a", "1"]),
            (r#""one""#, &["one"]),
            ("null", &[]),
            ("- a\n- b", &["a", "b"]),
            (r#"["cut", "#, &[r#"["cut","#]),
        ] {
            assert_eq!(list(text), expected, "{text}");
        }
        let many = serde_json::to_string(&(0..5000).map(|n| n.to_string()).collect::<Vec<_>>()).unwrap();
        assert_eq!(list(&many).len(), MAX_ITEMS);
    }
}
