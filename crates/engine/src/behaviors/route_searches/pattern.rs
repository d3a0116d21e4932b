//! What a pattern is about: names of definitions.

/// Words of languages that stand before names.
const KEYWORDS: &[&str] = &[
    "def",
    "class",
    "fn",
    "func",
    "function",
    "struct",
    "enum",
    "trait",
    "impl",
    "interface",
    "type",
    "const",
    "let",
    "var",
    "val",
    "pub",
    "async",
    "await",
    "export",
    "default",
    "new",
    "import",
    "from",
    "use",
    "self",
    "this",
    "static",
    "void",
    "return",
    "public",
    "private",
    "protected",
    "mod",
    "module",
    "package",
    "macro_rules",
    "fun",
    "object",
    "record",
    "override",
    "abstract",
    "final",
    "extends",
    "implements",
    "require",
    "include",
    "crate",
    "super",
    "typedef",
    "extern",
    "inline",
    "where",
    "for",
    "if",
    "while",
    "match",
    "the",
    "and",
    "not",
];
const MAX_NAMES: usize = 8;

/// A name that is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sought {
    /// What stands before it: `store` of `store.save`.
    pub(super) receiver: Option<String>,
    pub(super) name: String,
    /// The words it stands among, where the text is a phrase: only a definition that has them is meant.
    pub(super) phrase: Option<Vec<String>>,
}

/// Names in the order they stand. Text with blanks is literal: its words are no names of their own, unless the others are
/// words of a language (`def parse`, `class Store`).
pub(super) fn names(pattern: &str) -> Vec<Sought> {
    let mut names: Vec<Sought> = Vec::new();
    for part in alternatives(pattern) {
        let mut found = Vec::new();
        for word in split(&unescaped(&part)) {
            let word = word.replace("::", ".");
            let mut parts: Vec<&str> = word
                .split(['.', ':'])
                .filter(|part| is_identifier(part) && !KEYWORDS.contains(part))
                .collect();
            let Some(name) = parts.pop() else { continue };
            let receiver = parts.pop().map(str::to_owned);
            found.push(Sought { receiver, name: name.to_owned(), phrase: None });
        }
        // A wildcard parts words as well as a blank does, but says nothing of what stands between them.
        let is_phrase = found.len() > 1 && part.trim().contains(' ');
        for mut sought in found {
            if is_phrase {
                sought.phrase = Some(words(&unescaped(&part)));
            }
            if names.len() < MAX_NAMES && !names.contains(&sought) {
                names.push(sought);
            }
        }
    }
    names
}

/// Whether a line has these words, one after the other.
pub(super) fn has_phrase(line: &str, phrase: &[String]) -> bool {
    words(line).windows(phrase.len().max(1)).any(|window| window == phrase)
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$')))
}

/// At `|` and `\|`, also within a group.
fn alternatives(pattern: &str) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '|' => parts.push(std::mem::take(&mut part)),
            '\\' if rest.peek() == Some(&'|') => {
                rest.next();
                parts.push(std::mem::take(&mut part));
            }
            '\\' => {
                part.push(c);
                part.extend(rest.next());
            }
            c => part.push(c),
        }
    }
    parts.push(part);
    parts
}

/// Without what a regular expression adds: classes, groups, repeats.
fn unescaped(part: &str) -> String {
    let mut plain = String::new();
    let mut rest = part.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                // Word borders and classes are no letters.
                Some(
                    'b' | 'B' | 's' | 'S' | 'w' | 'W' | 'd' | 'D' | 'A' | 'z' | 'Z' | 'n' | 't' | '<' | '>'
                    | '(' | ')',
                )
                | None => plain.push(' '),
                Some(c) => plain.push(c),
            },
            '[' => {
                for _ in rest.by_ref().take_while(|c| *c != ']') {}
                plain.push(' ');
            }
            '{' => {
                for _ in rest.by_ref().take_while(|c| *c != '}') {}
                plain.push(' ');
            }
            // `.` before a repeat is anything; between letters it joins.
            '.' if matches!(rest.peek(), Some('*' | '+' | '?')) => plain.push(' '),
            '^' | '$' | '*' | '+' | '?' | '(' | ')' => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain
}

fn is_identifier(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_out_of_patterns() {
        for (pattern, found) in [
            ("parse_config", &["parse_config"][..]),
            (r"\bparse_config\b", &["parse_config"]),
            (r"def parse_config\(", &["parse_config"]),
            ("fn (open|close_all)", &["open", "close_all"]),
            (r"foo_bar\|baz", &["foo_bar", "baz"]),
            (r"class\s+UserService", &["UserService"]),
            (r"store\.save\(", &["store.save"]),
            ("Store::open", &["Store.open"]),
            (r"func \(.*\) ServeHTTP", &["ServeHTTP"]),
            (r"^import .* from", &[]),
            (r"[A-Z]+_[0-9]{4}", &["_"]),
            ("TODO", &["TODO"]),
            ("", &[]),
        ] {
            let names: Vec<String> = names(pattern)
                .into_iter()
                .filter(|sought| sought.phrase.is_none())
                .map(|sought| match sought.receiver {
                    Some(receiver) => format!("{receiver}.{}", sought.name),
                    None => sought.name,
                })
                .collect();
            assert_eq!(names, found, "{pattern}");
        }
    }

    #[test]
    fn text_with_blanks_is_a_phrase() {
        for pattern in [
            "Connection refused by peer",
            "Connection refused",
            "Too many redirects",
            "where is the retry policy decided",
            "HttpClient send retry",
            "raise ValueError",
        ] {
            let found = names(pattern);
            assert!(!found.is_empty() && found.iter().all(|sought| sought.phrase.is_some()), "{pattern}");
        }
        let phrase = names("Connection refused").remove(0).phrase.unwrap();
        assert!(has_phrase("def f(x='Connection refused')", &phrase));
        assert!(!has_phrase("class Connection: refused", &["refused".into(), "Connection".into()]));
    }
}
