//! What stands right before a definition and belongs to it: comments that document it, decorators and attributes, the
//! words that make it public.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::beside::Beside;
use crate::language::{Settings, Visibility};

/// The first line of documentation is looked for in so many characters.
const MAX_DOC: usize = 160;
/// Comments before a definition that are looked at: a comment of more lines begins somewhere we need not see.
const MAX_BEFORE: usize = 64;

/// A definition and what is around it. A node's parent is looked for from the root of the tree down, so that is done
/// once, and not where there is no need.
#[derive(Debug)]
pub(crate) struct Stand<'t> {
    /// The definition, then what is wrapped around it.
    levels: Vec<Node<'t>>,
    /// The level that stands for it among its siblings: behind it are only holders of modifiers.
    outermost: usize,
    /// What is around all that.
    around: Option<Node<'t>>,
}

impl<'t> Stand<'t> {
    pub(crate) fn of(node: Node<'t>, settings: &Settings) -> Self {
        let Settings { wrappers, modifiers, heads, member_lists, .. } = settings;
        let is_wrapper = |kind: &str| wrappers.iter().any(|wrapper| wrapper == kind);
        let is_holder = |kind: &str| is_wrapper(kind) || modifiers.iter().any(|m| m == kind);
        let mut stand = Self { levels: vec![node], outermost: 0, around: None };
        if [wrappers, modifiers, heads, member_lists].iter().all(|kinds| kinds.is_empty()) {
            return stand;
        }
        let (mut at, mut wrapped) = (node, true);
        loop {
            stand.around = at.parent();
            let Some(holder) = stand.around.filter(|parent| is_holder(parent.kind())) else { return stand };
            wrapped &= is_wrapper(holder.kind());
            if wrapped {
                stand.outermost = stand.levels.len();
            }
            stand.levels.push(holder);
            at = holder;
        }
    }

    /// The node that stands for a definition among its siblings: itself, or what is wrapped around it.
    fn outermost(&self) -> Node<'t> {
        self.levels[self.outermost]
    }

    /// What is right around the definition.
    fn parent(&self) -> Option<Node<'t>> {
        self.levels.get(1).copied().or(self.around)
    }

    /// What a definition's first words are in, where they are outside of it: `const` of `const f = …`. Of several that
    /// share such words they are the first one's.
    pub(crate) fn head(&self, settings: &Settings) -> Option<Node<'t>> {
        let around = self.parent().filter(|p| settings.heads.iter().any(|head| head == p.kind()))?;
        let node = self.levels.first().copied()?;
        let mut cursor = around.walk();
        let first = around.named_children(&mut cursor).find(|child| child.kind_id() == node.kind_id());
        (first == Some(node)).then(|| first_token(around, settings))
    }
}

/// A body with the comments right before it, which are no part of a signature.
pub(crate) fn without_comments<'t>(mut body: Node<'t>, settings: &Settings) -> Node<'t> {
    while let Some(comment) = body.prev_sibling().filter(|n| settings.comments.iter().any(|c| c == n.kind()))
    {
        body = comment;
    }
    body
}

/// Where a definition begins without the decorators in front of it.
pub(crate) fn first_token<'t>(node: Node<'t>, settings: &Settings) -> Node<'t> {
    let is_mark = |kind: &str| settings.marks.iter().any(|mark| mark == kind);
    let is_comment = |kind: &str| settings.comments.iter().any(|comment| comment == kind);
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        let kind = child.kind();
        if is_mark(kind) || is_comment(kind) {
            continue;
        }
        if settings.modifiers.iter().any(|m| m == kind) && child.child_count() > 0 {
            // `@Override public`: the annotation is no token of the definition, `public` is.
            let mut inner = child.walk();
            if let Some(word) = child.children(&mut inner).find(|word| !is_mark(word.kind())) {
                return word;
            }
            continue;
        }
        return if child.start_byte() == node.start_byte() { node } else { child };
    }
    node
}

/// Decorators, attributes, annotations: as written, to be named by [`mark_name`].
pub(crate) fn marks<'s>(
    stand: &Stand<'_>,
    text: &'s str,
    settings: &Settings,
    beside: &Beside<'_>,
) -> Vec<&'s str> {
    if settings.marks.is_empty() {
        return Vec::new();
    }
    let is_mark = |node: &Node<'_>| settings.marks.iter().any(|mark| mark == node.kind());
    let mut found = Vec::new();
    for at in &stand.levels {
        let mut cursor = at.walk();
        for child in at.children(&mut cursor) {
            if is_mark(&child) {
                found.push(&text[child.byte_range()]);
            } else if settings.modifiers.iter().any(|m| m == child.kind()) {
                let mut inner = child.walk();
                let held = child.children(&mut inner).filter(is_mark);
                found.extend(held.map(|mark| &text[mark.byte_range()]));
            }
        }
        let before = beside.before(at.start_byte(), text).take(MAX_BEFORE);
        found.extend(before.filter(is_mark).map(|mark| &text[mark.byte_range()]));
    }
    found
}

/// Whether a mark as written makes a test of what it stands before.
pub(crate) fn is_test_mark(mark: &str, settings: &Settings) -> bool {
    let last = mark_name(mark).rsplit(['.', ':', '\\']).next().unwrap_or_default();
    settings
        .tests
        .marks
        .iter()
        .any(|known| if known.contains('(') { bare_mark(mark).starts_with(&**known) } else { known == last })
}

/// `app.route` of `@app.route("/")`, `test` of `#[test]`, `derive` of `#[derive(Debug)]`.
pub(crate) fn mark_name(text: &str) -> &str {
    let text = bare_mark(text);
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '\\' | '$')))
        .unwrap_or(text.len());
    text[..end].trim_end_matches([':', '.'])
}

fn bare_mark(text: &str) -> &str {
    text.trim_start_matches(['@', '#', '!', '[', ' ', '('])
}

/// The first line of the comment above, or of the string a body begins with.
pub(crate) fn doc(
    stand: &Stand<'_>,
    body: Option<Node<'_>>,
    text: &str,
    settings: &Settings,
    beside: &Beside<'_>,
) -> Option<Box<str>> {
    if settings.docstrings
        && let Some(line) = body.and_then(|body| docstring(body, text, settings))
    {
        return Some(line);
    }
    let mut comment = None;
    let outer = stand.outermost();
    let mut row = outer.start_position().row;
    for before in beside.before(outer.start_byte(), text).take(MAX_BEFORE) {
        // An empty line ends what belongs together.
        if row.saturating_sub(last_row(before)) > 1 {
            break;
        }
        let words = &text[before.byte_range()];
        if let Some(line) = doc_mark(words, &settings.doc_marks) {
            return Some(line);
        }
        if settings.comments.iter().any(|known| known == before.kind()) {
            let documents = settings.doc_comments.is_empty()
                || settings.doc_comments.iter().any(|start| words.starts_with(&**start));
            // Behind other code on its line, it is about that code.
            if !documents || !Beside::is_alone(before, text) {
                break;
            }
            let said = words.trim_start_matches(SIGNS);
            if !settings.no_doc_comments.iter().any(|start| said.starts_with(&**start)) {
                comment = Some(before);
            }
        }
        row = before.start_position().row;
    }
    first_line(&text[comment?.byte_range()])
}

/// A comment, or a token that ends a statement, may end behind its line break.
fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 { end.row.saturating_sub(1) } else { end.row }
}

/// The first line of a mark that is documentation: `@doc "Opens it."`.
fn doc_mark(words: &str, marks: &[String]) -> Option<Box<str>> {
    if !marks.iter().any(|mark| mark == mark_name(words)) {
        return None;
    }
    first_line(&words[words.find('"')?..])
}

fn docstring(body: Node<'_>, text: &str, settings: &Settings) -> Option<Box<str>> {
    let mut first = body.named_child(0)?;
    if let Some(line) = doc_mark(&text[first.byte_range()], &settings.inner_doc_marks) {
        return Some(line);
    }
    if first.kind() == "expression_statement" {
        first = first.named_child(0)?;
    }
    if !first.kind().contains("string") {
        return None;
    }
    first_line(text[first.byte_range()].trim_start_matches(|c: char| c.is_ascii_alphabetic()))
}

/// What makes a comment one.
const SIGNS: &[char] = &['/', '*', '#', '!', '-', ';', '"', '\'', '%', '<', '>', '=', ' ', '\t'];

/// Tags around documentation, which say nothing.
const TAGS: &[&str] =
    &["<summary>", "</summary>", "<para>", "</para>", "<p>", "</p>", "<inheritdoc/>", "<inheritdoc />"];

/// The first line with a word in it, without the signs that make it a comment.
fn first_line(text: &str) -> Option<Box<str>> {
    let bare = |line: &str| -> String {
        let line = TAGS.iter().fold(line.to_owned(), |line, tag| line.replace(tag, ""));
        line.trim_matches(SIGNS).to_owned()
    };
    text.lines()
        .map(|line| {
            let is_tagged = line.contains('<');
            if is_tagged { Cow::Owned(bare(line)) } else { line.trim_matches(SIGNS).into() }
        })
        .find(|line| line.chars().any(char::is_alphanumeric))
        .map(|line| match line.char_indices().nth(MAX_DOC) {
            Some((end, _)) => format!("{}…", line[..end].trim_end()).into(),
            None => line.into(),
        })
}

pub(crate) fn is_public(stand: &Stand<'_>, name: &str, text: &str, settings: &Settings) -> bool {
    let has =
        |words: &[String]| modifier_words(stand, text, settings).any(|word| words.iter().any(|w| w == word));
    match settings.visibility {
        Visibility::All => true,
        Visibility::Underscore => !name.starts_with('_') || (name.starts_with("__") && name.ends_with("__")),
        Visibility::Capital => name.chars().next().is_some_and(char::is_uppercase),
        Visibility::Keyword => has(&settings.public),
        Visibility::Unless => !has(&settings.private),
        Visibility::Export => {
            let is_list = |p: Node<'_>| settings.member_lists.iter().any(|m| m == p.kind());
            if stand.parent().is_some_and(is_list) {
                return !name.starts_with('#') && !has(&settings.private);
            }
            stand.levels.iter().any(|level| level.kind() == "export_statement")
        }
    }
}

/// The first words of a definition, as far as they can be modifiers.
fn modifier_words<'s>(
    stand: &Stand<'_>,
    text: &'s str,
    settings: &Settings,
) -> impl Iterator<Item = &'s str> {
    let outer = stand.outermost();
    // An annotation in front may have brackets of its own.
    let start = if stand.outermost == 0 { first_token(outer, settings) } else { outer }.start_byte();
    let all = &text[start..outer.end_byte()];
    let head = &all[..all.find(['{', '(', '=', ';']).unwrap_or(all.len())];
    head.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '@'))
        .filter(|word| !word.is_empty())
        .take(24)
}
