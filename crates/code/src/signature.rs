//! A definition on one line, and types without their arguments.

/// What fits in an outline's line; the rest is in the file.
const MAX_CHARS: usize = 240;

/// White space folded, cut where nobody reads on.
pub(crate) fn as_written(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(MAX_CHARS));
    let mut count = 0;
    for word in text.split_whitespace() {
        if count > 0 {
            line.push(' ');
            count += 1;
        }
        for c in word.chars() {
            if count >= MAX_CHARS {
                line.push('…');
                return line;
            }
            line.push(c);
            count += 1;
        }
    }
    line
}

/// White space folded, what opens a body dropped.
pub(crate) fn one_line(text: &str) -> Box<str> {
    let line = as_written(text);
    if line.ends_with('…') {
        return line.into();
    }
    let mut bare = line.trim_end();
    // `def f; end`: an empty body.
    if let Some(before) = bare.strip_suffix("end").filter(|before| before.ends_with([' ', ';'])) {
        bare = before.trim_end_matches([' ', ';']);
    }
    // `const x = {`: the bracket of a value, then what leads to it.
    if let Some(before) = bare.strip_suffix(['{', '[']) {
        bare = before.trim_end();
    }
    for opening in ["=>", "->", "=", ":", ";", "&", "do", "begin", "then", ","] {
        if let Some(before) = bare.strip_suffix(opening)
            // A word must stand alone.
            && (!opening.starts_with(char::is_alphabetic) || before.ends_with(char::is_whitespace))
        {
            bare = before.trim_end();
            break;
        }
    }
    // A call that was left in the middle: `it("works", ` or `const x = f(`.
    let closed = if bare.matches('(').count() == bare.matches(')').count() + 1 {
        format!("{bare}{}", if bare.ends_with('(') { "…)" } else { ")" })
    } else {
        bare.to_owned()
    };
    // Parameters on lines of their own leave gaps.
    closed.replace("( ", "(").replace(", )", ")").replace(" )", ")").into()
}

/// White space folded.
pub(crate) fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `Foo` of `Foo<T>`, `&mut Foo`, `*Foo`, `Foo[T]`, `Foo | None` is left to whoever resolves; here only what follows a
/// bracket is dropped, so that `impl<T> Foo<T>` and `class A(Generic[T])` name what they mean.
pub(crate) fn type_name(text: &str) -> &str {
    let text = text.trim().trim_start_matches(['&', '*', '?']).trim_start();
    let mut text = text;
    // `&'a mut dyn Foo + Send` is about Foo.
    while let Some((word, rest)) = text.split_once(char::is_whitespace) {
        if !matches!(word, "mut" | "dyn" | "const" | "impl") && !word.starts_with('\'') {
            break;
        }
        text = rest.trim_start();
    }
    let end = text.find(['<', '[', '(', '{', ' ', '\n']).unwrap_or(text.len());
    if end == 0 { text } else { text[..end].trim_end_matches(':') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_one_line_without_the_opening_of_a_body() {
        for (text, line) in [
            ("def f(a, b) -> int:", "def f(a, b) -> int"),
            ("fn f(\n    a: u32,\n    b: u32,\n) -> u32 {", "fn f(a: u32, b: u32) -> u32"),
            ("def f(a=(\"b\",)):", "def f(a=(\"b\",))"),
            ("const f = (x) =>", "const f = (x)"),
            ("const x = {", "const x"),
            ("const x = f({", "const x = f(…)"),
            ("it(\"works\", ", "it(\"works\")"),
            ("def redo", "def redo"),
            ("def f do", "def f"),
            ("def f\n  end", "def f"),
            ("def f; end", "def f"),
            ("test \"x\" do end", "test \"x\""),
            ("def append", "def append"),
        ] {
            assert_eq!(&*one_line(text), line);
        }
        assert_eq!(one_line(&"é".repeat(500)).chars().count(), MAX_CHARS + 1);
    }

    #[test]
    fn a_types_name_has_no_arguments() {
        for (text, name) in [
            ("Foo<T>", "Foo"),
            ("&mut a::B", "a::B"),
            ("*T", "T"),
            ("List[int]", "List"),
            ("[]T", "[]T"),
            ("A::<T>", "A"),
            ("&'a mut dyn B + C", "B"),
        ] {
            assert_eq!(type_name(text), name);
        }
    }
}
