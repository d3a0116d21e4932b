//! Cutting text down to what can be quoted. Everything here is bounded and never splits a character;
//! it knows nothing of tools, commands or events.

use std::borrow::Cow;

use serde_json::Value;

/// What is looked at of one output, at each end: the first error stands near the beginning, the verdict at the end.
const WINDOW_BYTES: usize = 48 * 1024;
/// No line that says something is longer; a minified bundle is.
const MAX_LINE_BYTES: usize = 600;

/// At most `max` bytes, with a sign where something is missing.
pub(crate) fn clip(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let room = max.saturating_sub('…'.len_utf8());
    let cut = &text[..text.floor_char_boundary(room)];
    // A word is left whole where one ends near.
    let cut = match cut.rfind(char::is_whitespace) {
        Some(end) if end * 4 > cut.len() * 3 => &cut[..end],
        _ => cut,
    };
    format!("{}…", cut.trim_end())
}

/// How long a text is to its reader, in Latin letters: a Cyrillic or Greek letter of two bytes is one, a Chinese sign two.
pub(crate) fn letters(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(|char| char.len_utf8().max(2) - 1).sum() }
}

/// The bytes that a bound in Latin letters leaves to a text in its own script.
pub(crate) fn room(text: &str, max: usize) -> usize {
    let seen = &text[..text.floor_char_boundary(max)];
    max.saturating_mul(seen.len().max(1)) / letters(seen).max(1)
}

/// White space of any kind becomes one space.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    // Twice the room is enough to fill it even where half of the text is indentation; more is not looked at.
    let seen = &text[..text.floor_char_boundary(max.saturating_mul(4))];
    let mut line = String::with_capacity(seen.len().min(max + 16));
    for word in seen.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > max {
            break;
        }
    }
    clip(&line, max)
}

/// The lines of both ends of an output, each bounded, without the colors of a terminal.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let (head, tail) = if text.len() <= 2 * WINDOW_BYTES {
        (text, "")
    } else {
        let head = text.floor_char_boundary(WINDOW_BYTES);
        let tail = text.ceil_char_boundary(text.len() - WINDOW_BYTES);
        (&text[..head], &text[tail..])
    };
    head.lines().chain(tail.lines()).map(|line| plain(&line[..line.floor_char_boundary(MAX_LINE_BYTES)]))
}

/// Without escape sequences.
fn plain(line: &str) -> Cow<'_, str> {
    let line = line.trim_end();
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut clean = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\u{1b}' {
            clean.push(char);
        } else if chars.next_if_eq(&'[').is_some() {
            // A control sequence ends with a letter or one of a few signs.
            for char in chars.by_ref() {
                if ('@'..='~').contains(&char) {
                    break;
                }
            }
        }
    }
    Cow::Owned(clean)
}

/// A path as people say it: relative where it is inside of `cwd`.
pub(crate) fn relative(path: &str, cwd: Option<&str>) -> String {
    const MAX_PATH_BYTES: usize = 240;
    let path = path.trim();
    let inside = cwd
        .map(|cwd| cwd.trim_end_matches(['/', '\\']))
        .filter(|cwd| !cwd.is_empty())
        .and_then(|cwd| path.strip_prefix(cwd))
        .and_then(|rest| rest.strip_prefix(['/', '\\']));
    let path = inside.unwrap_or(path);
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.len() <= MAX_PATH_BYTES {
        return path.to_owned();
    }
    // The end of a path says more than its beginning.
    format!("…{}", &path[path.ceil_char_boundary(path.len() - MAX_PATH_BYTES)..])
}

pub(crate) fn file_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

/// `journal` of `src/journal.rs`.
pub(crate) fn stem(path: &str) -> &str {
    let name = file_name(path);
    match name.find('.') {
        Some(0) | None => name,
        Some(end) => &name[..end],
    }
}

pub(crate) fn extension(path: &str) -> &str {
    file_name(path).rsplit_once('.').map_or("", |(_, extension)| extension)
}

pub(crate) fn field<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

pub(crate) fn count(value: &Value, name: &str) -> Option<u32> {
    value.get(name).and_then(Value::as_u64).map(|count| u32::try_from(count).unwrap_or(u32::MAX))
}

pub(crate) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Names as programs write them, in order, with repetitions.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !is_word(char)).filter(|word| {
        word.len() >= 3 && word.len() <= 60 && word.starts_with(|first: char| !first.is_numeric())
    })
}

/// Whether a name was made by a programmer rather than taken from prose: `snake_case`, `camelCase`, `E0382`.
pub(crate) fn is_coined(word: &str) -> bool {
    if word.len() < 3 {
        return false;
    }
    let inner = &word[word.chars().next().map_or(0, char::len_utf8)..];
    inner.contains('_')
        || (inner.chars().any(char::is_uppercase) && inner.chars().any(char::is_lowercase))
        || (word.chars().any(char::is_alphabetic) && word.chars().any(char::is_numeric))
}

/// How many things a sentence names, so that one knows what it speaks of: code in ticks, coined names,
/// options. A number alone is how much there is of something.
pub(crate) fn names(sentence: &str) -> usize {
    let quoted = sentence.split('`').skip(1).step_by(2).filter(|code| !code.is_empty()).count();
    let outside: String = sentence.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let named = |word: &str| {
        let word = word.trim_matches(|char: char| !is_word(char) && char != '-' && char != '/');
        let capitals = word.len() > 2 && word.chars().all(|char| char.is_ascii_uppercase() || char == '_');
        word.starts_with("--")
            || (word.contains(['.', '/', '-']) && word.len() > 4 && word.is_ascii())
            || capitals
            || word.split(|char: char| !is_word(char)).any(is_coined)
    };
    quoted + outside.split_whitespace().filter(|word| named(word)).count()
}

/// Words that say something, in small letters: what two sentences share if they say the same.
pub(crate) fn content_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = text
        .split(|char: char| !is_word(char))
        .filter(|word| word.chars().count() > 3 || (!word.is_ascii() && word.chars().count() > 1))
        .map(str::to_lowercase)
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether most of what one sentence says is in another.
pub(crate) fn says_again(text: &str, other: &str) -> bool {
    let (words, others) = (content_words(text), content_words(other));
    let shared = words.iter().filter(|word| others.binary_search(word).is_ok()).count();
    shared >= 2 && shared * 2 >= words.len()
}

/// Whether `text` holds `word` with no word character at either side. ASCII case does not count.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    find_word(text, word).is_some()
}

pub(crate) fn find_word(text: &str, word: &str) -> Option<usize> {
    let (bytes, needle) = (text.as_bytes(), word.as_bytes());
    if needle.is_empty() || needle.len() > bytes.len() {
        return None;
    }
    let free = |byte: Option<&u8>| byte.is_none_or(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
    let starts_as_word = needle[0].is_ascii_alphanumeric();
    let ends_as_word = needle[needle.len() - 1].is_ascii_alphanumeric();
    let (small, large) = (needle[0].to_ascii_lowercase(), needle[0].to_ascii_uppercase());
    memchr::memchr2_iter(small, large, &bytes[..=bytes.len() - needle.len()]).find(|&at| {
        bytes[at..at + needle.len()].eq_ignore_ascii_case(needle)
            && (!starts_as_word || at == 0 || free(bytes.get(at - 1)))
            && (!ends_as_word || free(bytes.get(at + needle.len())))
    })
}

/// Appends what is not there yet, up to `max`.
pub(crate) fn push_new(list: &mut Vec<String>, item: &str, max: usize) {
    if !item.is_empty() && list.len() < max && !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
    }
}

/// `a`, `a and b`, `a, b and 3 more`.
pub(crate) fn enumerate<T: AsRef<str>>(items: &[T], max: usize) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [rest @ .., last] if items.len() <= max => {
            let rest: Vec<&str> = rest.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", rest.join(", "), last.as_ref())
        }
        _ => {
            let shown: Vec<&str> = items[..max].iter().map(AsRef::as_ref).collect();
            format!("{} and {} more", shown.join(", "), items.len() - max)
        }
    }
}

/// The same in a title, where how many more there are says nothing.
pub(crate) fn listed<T: AsRef<str>>(items: &[T], max: usize) -> String {
    if items.len() <= max {
        return enumerate(items, max);
    }
    let shown: Vec<&str> = items[..max].iter().map(AsRef::as_ref).collect();
    format!("{} and others", shown.join(", "))
}

/// A text in which a file is called by its name, wherever it lies on this machine.
pub(crate) fn without_folders(text: &str) -> String {
    const DEEP: usize = 3;
    let is_path = |char: char| is_word(char) || "/.+-@~".contains(char);
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let begins = rest[..at].chars().next_back().is_none_or(|before| !is_path(before) && before != ':');
        let end = rest[at..].find(|char: char| !is_path(char)).map_or(rest.len(), |end| at + end);
        let path = &rest[at..end];
        plain.push_str(&rest[..at]);
        let deep = begins && path.matches('/').count() >= DEEP;
        plain.push_str(if deep { file_name(path) } else { path });
        rest = &rest[end..];
    }
    plain.push_str(rest);
    plain
}

/// With its first letter large, as a title begins.
pub(crate) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        // A name keeps its case: `iPhone`, `npm test`, `snake_case`.
        Some(first) if first.is_lowercase() => {
            let word = text.split(char::is_whitespace).next().unwrap_or(text);
            if is_coined(word) || word.contains(['(', '.', '/', ':', '-', '=']) {
                return text.to_owned();
            }
            first.to_uppercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

/// About how many bytes of text a value holds. A tree too deep or too large to matter counts as what was seen.
pub(crate) fn weight(value: &Value) -> usize {
    const MAX_NODES: usize = 20_000;
    let mut bytes = 0_usize;
    let mut waiting = vec![value];
    let mut seen = 0;
    while let Some(value) = waiting.pop() {
        seen += 1;
        if seen > MAX_NODES {
            break;
        }
        match value {
            Value::String(text) => bytes = bytes.saturating_add(text.len()),
            Value::Array(items) => waiting.extend(items.iter().take(MAX_NODES)),
            Value::Object(fields) => waiting.extend(fields.values()),
            _ => bytes = bytes.saturating_add(4),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_ends_between_characters_and_shows() {
        assert_eq!(clip("short", 10), "short");
        assert_eq!(clip("ééééé", 6), "é…");
        assert_eq!(one_line("a\n   b\t c", 20), "a b c");
        assert!(one_line(&"word ".repeat(10_000), 80).len() <= 80);
    }

    #[test]
    fn colors_are_no_part_of_a_line() {
        let seen: Vec<_> = lines("\u{1b}[31merror\u{1b}[0m: no\n").map(Cow::into_owned).collect();
        assert_eq!(seen, ["error: no"]);
    }

    #[test]
    fn a_long_output_is_seen_at_both_ends() {
        let text = format!("first\n{}last", "x\n".repeat(200_000));
        let seen: Vec<_> = lines(&text).collect();
        assert_eq!(seen.first().unwrap(), "first");
        assert_eq!(seen.last().unwrap(), "last");
        assert!(seen.len() < 100_000);
    }

    #[test]
    fn a_path_inside_the_folder_is_relative_and_another_stays() {
        assert_eq!(relative("/project/src/a.rs", Some("/project")), "src/a.rs");
        assert_eq!(relative("/projects/a.rs", Some("/project")), "/projects/a.rs");
        assert_eq!(relative("./a.rs", None), "a.rs");
    }

    #[test]
    fn a_file_is_called_by_its_name() {
        assert_eq!(without_folders("Fix `/home/user/shop/cart.ts:12` now"), "Fix `cart.ts:12` now");
        for same in ["GET /api/orders", "src/shop/cart.ts", "https://a.example/b/c/d", "a / b"] {
            assert_eq!(without_folders(same), same);
        }
    }

    #[test]
    fn a_word_stands_alone() {
        assert!(has_word("the Fix is in", "fix"));
        assert!(!has_word("prefix", "fix"));
        assert!(!has_word("fix_it", "fix"));
        assert!(is_coined("snake_case") && is_coined("camelCase") && is_coined("E0382"));
        assert!(!is_coined("Because") && !is_coined("word"));
    }
}
