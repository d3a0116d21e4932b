//! Types as they are written, in any of the languages: a path and its arguments. What is only punctuation around a type
//! (references, pointers, lifetimes, `mut`, `dyn`) is dropped; what is around it and means something (a list of it, an
//! optional one) is kept as a type with an argument.

/// A list, a slice, an array, a channel: what is in it is its argument.
pub(super) const LIST: &str = "[]";
/// Several at once: `(A, B)`.
pub(super) const TUPLE: &str = "()";
/// One of several, or nothing: `A | B`, `A?`.
pub(super) const EITHER: &str = "|";

/// Nesting that anybody writes; more is cut.
const MAX_DEPTH: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Written {
    /// `a::b::C`, `a.b.C` in parts; one of the signs above.
    pub(super) path: Vec<String>,
    pub(super) arguments: Vec<Written>,
}

impl Written {
    pub(super) fn read(text: &str) -> Option<Self> {
        read(text.trim(), 0)
    }

    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self.path.as_slice(), [only] if only == sign)
    }

    fn of(sign: &str, arguments: Vec<Written>) -> Self {
        Self { path: vec![sign.to_owned()], arguments }
    }
}

const NOISE: &[&str] = &[
    "mut ",
    "dyn ",
    "impl ",
    "const ",
    "readonly ",
    "ref ",
    "volatile ",
    "struct ",
    "enum ",
    "union ",
    "class ",
    "final ",
    "in ",
    "out ",
    "inout ",
    "some ",
    "any ",
    "typeof ",
    "keyof ",
    "async ",
    "unsigned ",
    "signed ",
    "static ",
    "chan ",
    "<-chan ",
    "@escaping ",
    "val ",
    "var ",
    "params ",
    "register ",
    "typename ",
    "abstract ",
    "asserts ",
    "unique ",
];

fn read(text: &str, depth: usize) -> Option<Written> {
    let text = bare(text);
    if text.is_empty() || depth > MAX_DEPTH {
        return None;
    }
    let parts = split(text, '|');
    if parts.len() > 1 {
        let all = parts.iter().filter(|part| !is_nothing(part)).filter_map(|part| read(part, depth + 1));
        return Some(Written::of(EITHER, all.collect()));
    }
    // What is met last: `A + Send`, `A & B`.
    for sign in ['+', '&'] {
        let parts = split(text, sign);
        if parts.len() > 1 {
            return read(parts[0], depth + 1);
        }
    }
    if let Some(inner) = text.strip_suffix('?').or_else(|| text.strip_prefix('?')) {
        return Some(Written::of(EITHER, read(inner, depth + 1).into_iter().collect()));
    }
    if let Some(inner) = text.strip_suffix("[]") {
        return Some(Written::of(LIST, read(inner, depth + 1).into_iter().collect()));
    }
    if let Some(inner) = text.strip_prefix("...") {
        return Some(Written::of(LIST, read(inner, depth + 1).into_iter().collect()));
    }
    if let Some(rest) = text.strip_prefix("map[") {
        let end = closing(rest, '[', ']', 1)?;
        let arguments =
            [&rest[..end], &rest[end + 1..]].iter().filter_map(|part| read(part, depth + 1)).collect();
        return Some(Written { path: vec!["map".into()], arguments });
    }
    if let Some(rest) = text.strip_prefix('[') {
        let end = closing(rest, '[', ']', 1)?;
        // `[]T`, `[4]T` or `[T]`, `[T; 4]`, `[K: V]`.
        let of = if end + 1 < rest.len() { &rest[end + 1..] } else { split(&rest[..end], ';')[0] };
        let of = split(of, ':').last().copied().unwrap_or(of);
        return Some(Written::of(LIST, read(of, depth + 1).into_iter().collect()));
    }
    if let Some(rest) = text.strip_prefix('(') {
        let end = closing(rest, '(', ')', 1)?;
        if !rest[end + 1..].trim().is_empty() {
            // A function's type gives nothing until it is called.
            return None;
        }
        let mut parts: Vec<Written> =
            split(&rest[..end], ',').iter().filter_map(|part| read(part, depth + 1)).collect();
        return if parts.len() == 1 { parts.pop() } else { Some(Written::of(TUPLE, parts)) };
    }
    if text.starts_with("func") && text[4..].trim_start().starts_with('(') || text.starts_with('{') {
        return None;
    }
    let head_end = text.find(['<', '[', '(', '{', ' ', '=']).unwrap_or(text.len());
    let (head, rest) = text.split_at(head_end);
    let path: Vec<String> = head
        .split(['.', '\\', '/'])
        .flat_map(|part| part.split("::"))
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect();
    if path.is_empty() {
        return None;
    }
    let rest = rest.trim_start();
    let arguments = match rest.chars().next() {
        Some('<') => inner(rest, '<', '>').map(|inside| arguments(inside, depth)),
        Some('[') => inner(rest, '[', ']').map(|inside| arguments(inside, depth)),
        _ => None,
    };
    Some(Written { path, arguments: arguments.unwrap_or_default() })
}

fn arguments(inside: &str, depth: usize) -> Vec<Written> {
    let parts = split(inside, ',').into_iter().filter(|part| !part.trim_start().starts_with('\''));
    // `Item = T` names its argument.
    parts.filter_map(|part| read(split(part, '=').last().copied().unwrap_or(part), depth + 1)).collect()
}

fn is_nothing(text: &str) -> bool {
    matches!(text.trim(), "None" | "null" | "undefined" | "nil" | "void" | "never" | "")
}

/// Without what only says how it is held.
fn bare(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let before = text;
        text = text
            .trim_start_matches(['&', '*', '@', '~', '"', '\'', ':'])
            .trim_end_matches(['*', '&', '"', '\'', ';', '!'])
            .trim();
        // A lifetime: what the sign before it left.
        if before.starts_with(['&', '\''])
            && let Some((word, rest)) = text.split_once(' ')
            && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
            && before.contains('\'')
        {
            text = rest.trim_start();
        }
        if let Some(rest) = text.strip_prefix("for<").and_then(|rest| rest.split_once('>')) {
            text = rest.1.trim_start();
        }
        for noise in NOISE {
            text = text.strip_prefix(noise).unwrap_or(text).trim_start();
        }
        if text == before {
            return text;
        }
    }
}

/// At a sign that stands in no bracket.
fn split(text: &str, sign: char) -> Vec<&str> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0i32);
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            // `->` and `=>` close nothing.
            '>' if last == '-' || last == '=' => {}
            '>' | ']' | ')' | '}' => depth -= 1,
            // `::` is one sign, and no end.
            ':' if sign == ':' && (last == ':' || text[at + 1..].starts_with(':')) => {}
            _ if c == sign && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + c.len_utf8();
            }
            _ => {}
        }
        last = c;
    }
    parts.push(&text[from..]);
    parts
}

/// Where the bracket that is open closes.
fn closing(text: &str, open: char, close: char, mut depth: i32) -> Option<usize> {
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

fn inner(text: &str, open: char, close: char) -> Option<&str> {
    let rest = text.strip_prefix(open)?;
    closing(rest, open, close, 1).map(|end| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(written: &Written) -> String {
        let arguments: Vec<String> = written.arguments.iter().map(say).collect();
        let path = written.path.join(".");
        if arguments.is_empty() { path } else { format!("{path}<{}>", arguments.join(", ")) }
    }

    #[test]
    fn types_of_every_language_are_a_path_and_its_arguments() {
        for (text, said) in [
            ("Foo", "Foo"),
            ("&'a mut crate::a::Foo<'a, T>", "crate.a.Foo<T>"),
            ("Option<Box<dyn Store + Send>>", "Option<Box<Store>>"),
            ("*pkg.Client", "pkg.Client"),
            ("[]*Item", "[]<Item>"),
            ("map[string]*Item", "map<string, Item>"),
            ("[u8; 4]", "[]<u8>"),
            ("list[Item]", "list<Item>"),
            ("dict[str, list[Item]]", "dict<str, list<Item>>"),
            ("Item | None", "|<Item>"),
            ("Optional[\"Item\"]", "Optional<Item>"),
            ("Promise<Array<User>>", "Promise<Array<User>>"),
            ("User[]", "[]<User>"),
            ("string | undefined", "|<string>"),
            ("(usize, Foo)", "()<usize, Foo>"),
            ("(Foo)", "Foo"),
            ("impl Iterator<Item = Foo>", "Iterator<Foo>"),
            ("const std::vector<Foo> &", "std.vector<Foo>"),
            ("Foo?", "|<Foo>"),
            ("?Foo", "|<Foo>"),
            ("\\App\\Models\\User", "App.Models.User"),
            ("Result<Vec<T>, Error>", "Result<Vec<T>, Error>"),
        ] {
            assert_eq!(Written::read(text).map(|written| say(&written)).as_deref(), Some(said), "{text}");
        }
        for nothing in ["", "func(int) error", "(a: number) => string", "{ a: string }", "<"] {
            assert_eq!(Written::read(nothing), None, "{nothing}");
        }
    }
}
