//! What a pattern is about: names of definitions, or a question in words.

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
const DECLARING: &[&str] = &[
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
    "pub",
    "async",
    "export",
    "import",
    "from",
    "use",
    "return",
    "new",
];
const MAX_NAMES: usize = 8;
/// Words of a question.
const MIN_WORDS: usize = 3;

/// Names in the order they stand; `Owner.name` where the pattern joins them.
pub(super) fn names(pattern: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in alternatives(pattern) {
        let plain = unescaped(&part);
        // A question has words, and words are common names.
        if question(&plain).is_some() {
            continue;
        }
        for word in plain.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$'))) {
            let word = word.replace("::", ".");
            let parts: Vec<&str> = word
                .split(['.', ':'])
                .filter(|part| is_identifier(part) && !KEYWORDS.contains(part))
                .collect();
            if parts.is_empty() {
                continue;
            }
            let joined = parts[parts.len().saturating_sub(2)..].join(".");
            for name in [joined, parts[parts.len() - 1].to_owned()] {
                if names.len() < MAX_NAMES && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    // `Owner.name` first: where it is known, the bare name says nothing more.
    names
}

/// Words that ask for a meaning: several plain words and nothing that a regular expression or a name would have.
pub(super) fn question(pattern: &str) -> Option<String> {
    let plain = pattern.trim().trim_end_matches('?');
    let words: Vec<&str> = plain.split_whitespace().collect();
    let is_plain = |word: &&str| {
        word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-' | ','))
            && !word.chars().skip(1).any(char::is_uppercase)
    };
    // `class Foo extends`: a declaration begins with a word of its language.
    let declares = words.first().is_some_and(|word| DECLARING.contains(word));
    (words.len() >= MIN_WORDS && words.iter().all(is_plain) && !declares).then(|| words.join(" "))
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
            (r"store\.save\(", &["store.save", "save"]),
            ("Store::open", &["Store.open", "open"]),
            (r"func \(.*\) ServeHTTP", &["ServeHTTP"]),
            (r"^import .* from", &[]),
            (r"[A-Z]+_[0-9]{4}", &["_"]),
            ("TODO", &["TODO"]),
            ("", &[]),
        ] {
            assert_eq!(names(pattern), found, "{pattern}");
        }
    }

    #[test]
    fn a_question_is_plain_words() {
        assert_eq!(
            question("where is the retry policy decided?").as_deref(),
            Some("where is the retry policy decided")
        );
        assert!(names("where is the retry policy decided").is_empty());
        for pattern in
            ["parse_config", "def foo bar", "foo.*bar baz", "import useState from", "HttpClient send retry"]
        {
            assert_eq!(question(pattern), None, "{pattern}");
        }
    }
}
