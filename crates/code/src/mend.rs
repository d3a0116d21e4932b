//! Texts that are right although a grammar cannot read them: the same text with signs exchanged byte for byte, so that it
//! can. Only what does not parse is touched, and only if less of it is broken then; names are read from the text itself.

use tree_sitter::{Node, Tree};

use crate::language::Mends;

/// A text that its grammar may read better. `None`: there is nothing to exchange.
pub(crate) fn text(text: &str, mends: &Mends) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    begin_lines(text, mends, &mut bytes);
    for begin in &mends.continues {
        go_on(text, begin, &mut bytes);
    }
    if mends.ends_before_a_brace {
        end_before_braces(text, &mut bytes);
    }
    for word in &mends.unknown {
        leave_out(text, word, &mut bytes);
    }
    for word in &mends.names {
        rename(text, word, &mut bytes);
    }
    for [signs, others] in &mends.signs {
        for (at, _) in text.match_indices(&**signs).filter(|_| signs.len() == others.len()) {
            bytes[at..at + signs.len()].copy_from_slice(others.as_bytes());
        }
    }
    for [word, other] in &mends.words {
        exchange(word, other, &mut bytes);
    }
    if bytes == text.as_bytes() {
        return None;
    }
    String::from_utf8(bytes).ok()
}

/// A word that stands alone.
fn exchange(word: &str, other: &str, bytes: &mut [u8]) {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    if word.len() != other.len() || word.is_empty() {
        return;
    }
    for at in 0..bytes.len().saturating_sub(word.len() - 1) {
        let end = at + word.len();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        if bytes[at..end].eq_ignore_ascii_case(word.as_bytes())
            && !is_part(before)
            && !is_part(bytes.get(end))
        {
            bytes[at..end].copy_from_slice(other.as_bytes());
        }
    }
}

/// How much of a tree could not be read.
pub(crate) fn broken(tree: &Tree) -> usize {
    fn below(node: Node<'_>) -> usize {
        if node.is_error() {
            return node.byte_range().len().max(1);
        }
        if node.is_missing() {
            return 1;
        }
        let mut cursor = node.walk();
        let inside: usize = node.children(&mut cursor).filter(Node::has_error).map(below).sum();
        // A sign without a name (the end of a statement) that is missing is no child of anything.
        inside.max(1)
    }
    let root = tree.root_node();
    if root.has_error() { below(root) } else { 0 }
}

/// A member that begins on a line of its own ends the one before it, which has no semicolon.
fn begin_lines(text: &str, mends: &Mends, bytes: &mut [u8]) {
    let mut at = 0;
    // What the last line with code in it ends with.
    let mut last = None;
    for line in text.split_inclusive('\n') {
        let code = line.trim();
        let indent = line.len() - line.trim_start().len();
        let is_comment = code.starts_with("//") || code.starts_with("/*") || code.starts_with('*');
        if !code.is_empty() && !is_comment {
            let ends = |c: char| {
                c.is_alphanumeric() || matches!(c, '_' | '$' | '>' | ')' | ']' | '}' | '"' | '\'' | '`')
            };
            let begins = mends.begins.iter().any(|begin| code.starts_with(&**begin));
            if begins && indent > 0 && last.is_some_and(ends) {
                bytes[at + indent - 1] = b';';
            }
            let code = code.split(" //").next().unwrap_or(code).trim_end();
            // `=>` and `->` end nothing.
            last = if code.ends_with("=>") { None } else { code.chars().next_back() };
        }
        at += line.len();
    }
}

/// `var x = 0; private set`: what stands behind the semicolon belongs to what stands before it.
fn go_on(text: &str, begin: &str, bytes: &mut [u8]) {
    for (at, _) in text.match_indices(begin) {
        let before = text[..at].trim_end_matches([' ', '\t']);
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        if before.ends_with(';') && !text[at + begin.len()..].starts_with(is_part) {
            bytes[before.len() - 1] = b' ';
        }
    }
}

/// `class A { fun b() = 1 }`: a line break would end what stands before the brace, and so does the blank there.
fn end_before_braces(text: &str, bytes: &mut [u8]) {
    let ends_of_templates = template_ends(text);
    for (at, _) in text.match_indices('}') {
        let blank = text[..at].trim_end_matches([' ', '\t']);
        let ends_nothing = blank.ends_with(['{', ';', ',', '(', '\n', '\r']) || blank.ends_with("->");
        let has_room = blank.len() < at && !blank.is_empty();
        if has_room && !ends_nothing && ends_of_templates.binary_search(&at).is_err() {
            bytes[at - 1] = b';';
        }
    }
}

/// Where the expressions in a text's templates (`"${ a }"`) end: one expression is all that may stand there.
fn template_ends(text: &str) -> Vec<usize> {
    let mut open: Vec<bool> = Vec::new();
    let mut ends = Vec::new();
    for (at, sign) in text.bytes().enumerate() {
        match sign {
            b'{' => open.push(text[..at].ends_with('$')),
            b'}' if open.pop() == Some(true) => ends.push(at),
            _ => {}
        }
    }
    ends
}

/// `<out T>`, `<in T>`: behind a bracket or a comma, before a name.
fn leave_out(text: &str, word: &str, bytes: &mut [u8]) {
    for (at, _) in text.match_indices(word) {
        let end = at + word.len();
        let before = bytes[..at].iter().rev().find(|byte| !byte.is_ascii_whitespace());
        let mut behind = text[end..].chars();
        let is_word =
            behind.next() == Some(' ') && behind.next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if is_word
            && bytes[..at].last().is_some_and(|byte| !byte.is_ascii_alphanumeric())
            && matches!(before, Some(b'<' | b','))
        {
            bytes[at..end].fill(b' ');
        }
    }
}

/// A name like a word of the language: the last letter of it becomes a capital.
fn rename(text: &str, word: &str, bytes: &mut [u8]) {
    let is_part = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
    };
    for (at, _) in text.match_indices(word) {
        let end = at + word.len();
        let behind = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
        let is_name = behind.is_none_or(|byte| b",:;)=.?]}([".contains(byte));
        if is_name
            && !is_part(at.checked_sub(1).and_then(|before| bytes.get(before)))
            && !is_part(bytes.get(end))
        {
            bytes[end - 1] = bytes[end - 1].to_ascii_uppercase();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{facts, languages, parse};

    #[test]
    fn what_a_grammar_cannot_read_is_read_all_the_same_with_its_own_names() {
        let typescript = languages::by_name("typescript").expect("it is listed");
        for (text, names) in [
            (
                "interface A {\n  (a: string): B\n  // more\n  <T>(a: T): T\n  b(): void\n}\n",
                &["A", "()", "()", "b"][..],
            ),
            ("interface A<out T, in U> {\n  b: T\n}\n", &["A", "b"]),
            ("function f(using: A) {\n  return using.b;\n}\n", &["f"]),
        ] {
            let tree = parse(typescript, text).expect("it is small");
            assert!(!tree.root_node().has_error(), "{text}");
            let facts = facts(typescript, text).expect("it is small");
            let said: Vec<&str> = facts.symbols.iter().map(|symbol| facts.text(symbol.name)).collect();
            assert_eq!(said, names);
            assert!(!facts.names.iter().any(|name| &**name == "usinG"), "the text is what was written");
        }
    }

    #[test]
    fn a_body_on_one_line_takes_nothing_from_what_stands_behind_it() {
        let kotlin = languages::by_name("kotlin").expect("it is listed");
        for (text, names) in [
            ("class T { fun x() {} }\nfun after() {}\n", &["T", "x", "after"][..]),
            (
                "interface Api { fun call(): Int }\nclass E { companion object { val a = 1 } }\n",
                &["Api", "call", "E", "companion", "a"],
            ),
            ("class Foo {\n    var x: Int = 0; private set\n    fun bar() = x\n}\n", &["Foo", "x", "bar"]),
            (
                "enum class Op(val sign: Char) { PLUS('+') { override fun of(a: Int) = a }, \
                 MINUS('-') { override fun of(a: Int) = -a }; abstract fun of(a: Int): Int }\n\
                 class After { fun one() = \"${ two } }\" }\n",
                &["Op", "sign", "PLUS", "of", "MINUS", "of", "of", "After", "one"],
            ),
            ("@A(b = [])\nclass C { fun of(dynamic: D) = dynamic.d }\n", &["C", "of"]),
            ("class A { fun b() = list.map { it + 1 } }\nval c = { d: Int -> }\n", &["A", "b", "c"]),
        ] {
            let facts = facts(kotlin, text).expect("it is small");
            let said: Vec<&str> = facts.symbols.iter().map(|symbol| facts.text(symbol.name)).collect();
            assert_eq!(said, names, "{text}");
            assert!(!facts.broken, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_stays_as_it_was() {
        let typescript = languages::by_name("typescript").expect("it is listed");
        let text = "const a = (\n  <b\nfunction c() {}\n";
        let tree = parse(typescript, text).expect("it is small");
        assert!(tree.root_node().has_error());
    }
}
