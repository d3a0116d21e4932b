//! One value of front matter: how it is read from what people write, and how it is written so that it reads back.

/// How a value stands in its line, so that it can be written again the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quote {
    Plain,
    Single,
    Double,
}

/// Where the value ends in what follows the colon: before a remark, if it is one. In plain text a `#` is more often
/// a number or a tag than a remark, so there it ends the value only behind a number, a date or a word of YAML.
pub(crate) fn end(text: &str) -> usize {
    let whole = text.trim_end().len();
    let after = match text.chars().next() {
        Some('"') => closing_double(text),
        Some('\'') => closing_single(text),
        Some('[') => closing_list(text),
        _ => match text.find(" #").or_else(|| text.find("\t#")) {
            Some(at) if is_word_of_yaml(text[..at].trim_end()) => Some(text[..at].trim_end().len()),
            _ => None,
        },
    };
    match after {
        Some(after) if text[after..].trim().is_empty() || text[after..].trim_start().starts_with('#') => {
            after
        }
        _ => whole,
    }
}

pub(crate) fn quote(text: &str) -> Quote {
    match text.chars().next() {
        Some('"') if closing_double(text) == Some(text.len()) => Quote::Double,
        Some('\'') if closing_single(text) == Some(text.len()) => Quote::Single,
        _ => Quote::Plain,
    }
}

/// Without its quotes; `None` for YAML's nothing.
pub(crate) fn read(text: &str) -> Option<String> {
    let value = match quote(text) {
        Quote::Double => unescape(&text[1..text.len() - 1]),
        Quote::Single => text[1..text.len() - 1].replace("''", "'"),
        Quote::Plain if matches!(text, "" | "null" | "~" | "{}" | "[]") => String::new(),
        Quote::Plain => text.to_owned(),
    };
    (!value.is_empty()).then_some(value)
}

/// `[a, "b, c"]`. `None`: no list.
pub(crate) fn list(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let mut items = Vec::new();
    let mut rest = inner.trim_start();
    while !rest.is_empty() {
        let quoted = match rest.chars().next() {
            Some('"') => closing_double(rest),
            Some('\'') => closing_single(rest),
            _ => None,
        };
        let from = quoted.unwrap_or(0);
        let stop = rest[from..].find(',').map_or(rest.len(), |at| from + at);
        items.extend(read(rest[..stop].trim()));
        rest = rest.get(stop + 1..).unwrap_or_default().trim_start();
    }
    Some(items)
}

/// As one line that reads back as this text, in the quotes it had or in those it needs.
pub(crate) fn write(text: &str, quote: Quote) -> String {
    match quote {
        Quote::Single if !text.contains(char::is_control) => format!("'{}'", text.replace('\'', "''")),
        Quote::Plain if is_plain(text) => text.to_owned(),
        _ => format!("\"{}\"", escape(text)),
    }
}

pub(crate) fn write_list(items: &[String]) -> String {
    let one = |item: &String| {
        let plain = is_plain(item) && !item.contains([',', '[', ']', '{', '}']);
        write(item, if plain { Quote::Plain } else { Quote::Double })
    };
    format!("[{}]", items.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// Whether YAML, also a strict reader's, takes it as this text without quotes.
fn is_plain(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '(' | '/' | '.'));
    starts
        && !text.ends_with([' ', ':', '\t'])
        && !text.contains(|c: char| c.is_control() || c == '\u{feff}')
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains(":\t")
        && !is_word_of_yaml(text)
        && text.trim() == text
}

/// What a reader of YAML takes for a number, a date, a truth or nothing.
fn is_word_of_yaml(text: &str) -> bool {
    const WORDS: &[&str] = &["true", "false", "yes", "no", "on", "off", "null", "~", "y", "n", ""];
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | ':' | 'T' | 'Z' | 'e' | '_'));
    numeric || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for sign in text.chars() {
        match sign {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            sign if sign.is_control() || sign == '\u{feff}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(sign)));
            }
            sign => out.push(sign),
        }
    }
    out
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let mut after = rest[at + 1..].chars();
        match after.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(sign @ ('"' | '\\')) => out.push(sign),
            Some('u') => {
                let digits: String = after.clone().take(4).collect();
                match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                    Some(sign) if digits.len() == 4 => {
                        out.push(sign);
                        after.nth(3);
                    }
                    _ => out.push_str("\\u"),
                }
            }
            // A person's path with backslashes stays as they wrote it.
            Some(sign) => out.extend(['\\', sign]),
            None => out.push('\\'),
        }
        rest = after.as_str();
    }
    out.push_str(rest);
    out
}

fn closing_double(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, sign) in text.char_indices().skip(1) {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn closing_single(text: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        let found = at + text[at..].find('\'')?;
        if text[found + 1..].starts_with('\'') {
            at = found + 2;
        } else {
            return Some(found + 1);
        }
    }
}

fn closing_list(text: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        let rest = &text[at..];
        match rest.chars().next()? {
            '"' => at += closing_double(rest)?,
            '\'' => at += closing_single(rest)?,
            ']' => return Some(at + 1),
            sign => at += sign.len_utf8(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_ends_a_number_and_not_a_sentence() {
        for (text, value) in [
            ("3 # times", "3"),
            ("true\t# said Ann", "true"),
            ("2026-11-16 # Monday", "2026-11-16"),
            ("see issue #3", "see issue #3"),
            ("\"a # b\" # c", "\"a # b\""),
            ("'it''s' # c", "'it''s'"),
            ("[a, \"b]\"] # c", "[a, \"b]\"]"),
            ("\"open # c", "\"open # c"),
            ("[a, b", "[a, b"),
            ("", ""),
            ("'", "'"),
        ] {
            assert_eq!(&text[..end(text)], value, "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_back_in_every_kind_of_quotes() {
        for text in [
            "plain",
            "a: b",
            "it's \"so\"",
            "C:\\temp\\new",
            "true",
            "12",
            "- x",
            "#tag",
            "a # b",
            "tab\there",
            "two\nlines",
            "ends:",
            " padded ",
            "[x]",
            "{y}",
            "*z",
            "umlaut ä 漢字",
            "\u{7}bell",
            "\\u12",
            "'q'",
        ] {
            for quote in [Quote::Plain, Quote::Single, Quote::Double] {
                let written = write(text, quote);
                assert!(!written.contains('\n'), "{written}");
                assert_eq!(end(&written), written.len(), "{written}");
                assert_eq!(read(&written).as_deref(), Some(text), "{written}");
            }
        }
    }

    #[test]
    fn a_list_splits_at_commas_outside_of_quotes() {
        assert_eq!(list("[one, 'two, three', \"four\", ,]").unwrap(), ["one", "two, three", "four"]);
        assert_eq!(list("[]").unwrap(), Vec::<String>::new());
        assert_eq!(list("one, two"), None);
        let items = ["a, b".to_owned(), "c".to_owned(), "[d]".to_owned()];
        assert_eq!(list(&write_list(&items)).unwrap(), items);
    }
}
