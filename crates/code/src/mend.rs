//! Texts that are right although a grammar cannot read them: the same text with signs exchanged byte for byte, so that it
//! can. Only what does not parse is touched, and only if less of it is broken then; names are read from the text itself.

use tree_sitter::{Node, Tree};

use crate::language::Mends;

/// A text that its grammar may read better. `None`: there is nothing to exchange.
pub(crate) fn text(text: &str, mends: &Mends) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    begin_lines(text, mends, &mut bytes);
    for word in &mends.unknown {
        leave_out(text, word, &mut bytes);
    }
    for word in &mends.names {
        rename(text, word, &mut bytes);
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
        node.children(&mut cursor).filter(Node::has_error).map(below).sum()
    }
    below(tree.root_node())
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
            ("interface A {\n  (a: string): B\n  // more\n  <T>(a: T): T\n  b(): void\n}\n", &["A", "b"][..]),
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
    fn what_is_wrong_stays_as_it_was() {
        let typescript = languages::by_name("typescript").expect("it is listed");
        let text = "const a = (\n  <b\nfunction c() {}\n";
        let tree = parse(typescript, text).expect("it is small");
        assert!(tree.root_node().has_error());
    }
}
