//! Calls among tokens, where no program can be made of them: a name before parentheses is one, and what is asked of can
//! be read backwards. Finds no definitions and no bindings: a run of tokens does not say what it means by them.

use tree_sitter::Node;

use crate::extract::Reading;
use crate::facts::{Chain, Role, Root, Step};
use crate::language::Settings;
use crate::names::Names;
use crate::nested::Program;

/// Trees in trees that are looked into.
const MAX_DEPTH: usize = 64;
/// Steps back from a name to where its receiver begins.
const MAX_BACK: usize = 64;

/// What the tokens of a tree use. `again`: trees in braces among them may be programs, and are left for later.
pub(crate) fn read<'t>(tree: Node<'t>, again: bool, reading: &mut Reading<'t>) {
    walk(tree, again, 0, reading);
}

/// Whether a tree has nothing in it that tokens do not tell as well as a program does: no statements, no closures.
pub(crate) fn are_plain(tree: Node<'_>, settings: &Settings) -> bool {
    let (mut depth, tokens) = (0_usize, &settings.tokens);
    if tokens.tree.is_empty() {
        return false;
    }
    let mut cursor = tree.walk();
    loop {
        let kind = cursor.node().kind();
        if tokens.program_signs.iter().any(|sign| sign == kind) {
            return false;
        }
        if kind == tokens.tree && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if depth == 0 || !cursor.goto_parent() {
                return true;
            }
            depth -= 1;
            if depth == 0 {
                return true;
            }
        }
    }
}

fn walk<'t>(tree: Node<'t>, again: bool, depth: usize, reading: &mut Reading<'t>) {
    if depth > MAX_DEPTH {
        return;
    }
    let mut cursor = tree.walk();
    let list: Vec<Node<'t>> = tree.children(&mut cursor).collect();
    let tokens = Tokens { list: &list, text: reading.text, settings: reading.settings };
    for (at, node) in list.iter().enumerate() {
        if tokens.is_tree(at) {
            let mark = &tokens.settings.tokens.mark;
            let bang = &tokens.settings.tokens.bang;
            let before = if at > 1 && tokens.is(at - 1, bang) { at - 1 } else { at };
            if before > 0 && tokens.is(before - 1, mark) {
                continue;
            }
            // The arguments of a macro, and blocks of statements.
            let apart = tokens.opens(at, "{") || at > 0 && tokens.is(at - 1, &tokens.settings.tokens.bang);
            if again && apart && node.named_child_count() > 0 {
                reading.programs.push(Program { node: *node, only_uses: false });
            } else {
                walk(*node, again, depth + 1, reading);
            }
        } else if let Some(role) = tokens.role(at) {
            let receiver = tokens.receiver(at, &mut reading.names);
            let arguments = tokens.arguments(at);
            reading.used(*node, role, receiver, arguments);
        } else if node.child_count() > 0 {
            // A repetition and the like.
            walk(*node, again, depth + 1, reading);
        }
    }
}

/// The children of one tree.
#[derive(Clone, Copy)]
struct Tokens<'a, 't> {
    list: &'a [Node<'t>],
    text: &'t str,
    settings: &'t Settings,
}

impl<'t> Tokens<'_, 't> {
    fn kind(&self, at: usize) -> &'t str {
        self.list.get(at).map_or("", Node::kind)
    }

    fn word(&self, at: usize) -> &'t str {
        &self.text[self.list[at].byte_range()]
    }

    fn is(&self, at: usize, sign: &str) -> bool {
        self.kind(at) == sign
    }

    fn is_among(&self, at: usize, signs: &[String]) -> bool {
        let kind = self.kind(at);
        signs.iter().any(|sign| sign == kind)
    }

    fn is_tree(&self, at: usize) -> bool {
        self.is(at, &self.settings.tokens.tree)
    }

    fn is_name(&self, at: usize) -> bool {
        self.is_among(at, &self.settings.tokens.names)
    }

    fn is_member_sign(&self, at: usize) -> bool {
        self.is_among(at, &self.settings.tokens.members)
    }

    fn opens(&self, at: usize, bracket: &str) -> bool {
        self.is_tree(at) && self.list[at].child(0).is_some_and(|first| first.kind() == bracket)
    }

    /// Behind a name and its type arguments.
    fn behind(&self, at: usize) -> usize {
        if !(self.is(at + 1, "::") && self.is(at + 2, "<")) {
            return at + 1;
        }
        let mut open = 0_usize;
        for next in at + 2..self.list.len().min(at + MAX_BACK) {
            match self.kind(next) {
                "<" => open += 1,
                "<<" => open += 2,
                ">" => open = open.saturating_sub(1),
                ">>" => open = open.saturating_sub(2),
                _ => {}
            }
            if open == 0 {
                return next + 1;
            }
        }
        at + 1
    }

    fn role(&self, at: usize) -> Option<Role> {
        let tokens = &self.settings.tokens;
        if !self.is_name(at) {
            return None;
        }
        let word = self.word(at);
        let is_plain = word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !self.settings.expressions.own.iter().any(|own| own == word)
            && !self.settings.own.iter().any(|own| own == word)
            && !tokens.words.iter().any(|known| known == word)
            && !tokens.roots.iter().any(|root| root == word);
        let asked = at > 0 && self.is_member_sign(at - 1);
        if !is_plain || at > 0 && !asked && self.is_among(at - 1, &tokens.before_definitions) {
            return None;
        }
        let next = self.behind(at);
        let is_macro = self.is(next, &tokens.bang) && self.is_tree(next + 1);
        if is_macro || self.opens(next, "(") {
            return Some(Role::Call);
        }
        if self.opens(next, "{") && is_camel(word) {
            return Some(Role::New);
        }
        let labels = !asked && self.is_among(next, &tokens.after_labels);
        (!labels).then_some(Role::Value)
    }

    fn arguments(&self, at: usize) -> Option<u8> {
        let list = self.behind(at);
        if !self.opens(list, "(") {
            return None;
        }
        let mut cursor = self.list[list].walk();
        let (mut count, mut open) = (0_u8, false);
        for token in self.list[list].children(&mut cursor).skip(1) {
            match token.kind() {
                "," => open = false,
                ")" => {}
                _ if !open => {
                    open = true;
                    count = count.saturating_add(1);
                }
                _ => {}
            }
        }
        Some(count)
    }

    /// What stands before `.name` and `::name`, read from there to its beginning.
    fn receiver(&self, at: usize, names: &mut Names<'t>) -> Option<Chain> {
        if at == 0 || !self.is_member_sign(at - 1) {
            return None;
        }
        let unknown = Chain { root: Root::Unknown, steps: Vec::new() };
        let mut steps = Vec::new();
        let root = at.checked_sub(2).and_then(|last| self.back(last, &mut steps, names));
        let Some(root) = root else { return Some(unknown) };
        steps.reverse();
        Some(Chain { root, steps })
    }

    fn back(&self, mut at: usize, steps: &mut Vec<Step>, names: &mut Names<'t>) -> Option<Root> {
        let (expressions, tokens) = (&self.settings.expressions, &self.settings.tokens);
        for _ in 0..MAX_BACK {
            let before = at.checked_sub(1);
            let is_asked = |at: usize| self.is_name(at) || self.is_tree(at) || self.is(at, ">");
            if self.is_among(at, &tokens.inside) {
                steps.push(Step::Inside);
                // `.await` has a sign of its own before it.
                let before = before?;
                at = if self.is_member_sign(before) { before.checked_sub(1)? } else { before };
            } else if self.is_tree(at) {
                let asked = before.filter(|before| is_asked(*before));
                match (asked, self.list[at].child(0)?.kind()) {
                    (Some(before), "(") => {
                        steps.push(Step::Call);
                        at = before;
                    }
                    (Some(before), "[") => {
                        steps.push(Step::Element);
                        at = before;
                    }
                    (Some(before), "{") if self.is_name(before) && is_camel(self.word(before)) => {
                        return Some(Root::Of(names.of(self.word(before))));
                    }
                    _ => return None,
                }
            } else if self.is(at, ">") {
                at = self.before_arguments(at)?;
            } else if self.is_name(at) || before.is_some_and(|before| self.is(before, ".")) {
                // `a.0` is a member, too.
                let word = self.word(at);
                let asked = before.filter(|before| self.is_member_sign(*before));
                let Some(sign) = asked else { return self.root(at, word, names) };
                if steps.last() == Some(&Step::Call) && expressions.inside_methods.iter().any(|m| m == word) {
                    steps.pop();
                    steps.push(Step::Inside);
                } else {
                    steps.push(Step::Member(names.of(word)));
                }
                at = sign.checked_sub(1)?;
            } else if self.is_among(at, &expressions.literals) {
                return Some(Root::Literal);
            } else {
                return None;
            }
        }
        None
    }

    fn root(&self, at: usize, word: &'t str, names: &mut Names<'t>) -> Option<Root> {
        let expressions = &self.settings.expressions;
        let is_path = self.is(at + 1, &expressions.path_separator);
        if self.settings.own.iter().any(|own| own == word) || !is_path && self.is_among(at, &expressions.own)
        {
            return Some(Root::Own);
        }
        match word.strip_prefix('$') {
            // `$crate` is the crate the macro stands in; what else a macro is given is anything.
            Some("crate") => Some(Root::Name(names.of("crate"))),
            Some(_) => None,
            None => Some(Root::Name(names.of(word))),
        }
    }

    /// From the end of `name::<A, B>` to the name.
    fn before_arguments(&self, end: usize) -> Option<usize> {
        let mut open = 0_usize;
        for at in (end.saturating_sub(MAX_BACK)..=end).rev() {
            match self.kind(at) {
                ">" => open += 1,
                ">>" => open += 2,
                "<" => open = open.saturating_sub(1),
                "<<" => open = open.saturating_sub(2),
                _ => {}
            }
            if open == 0 {
                let before = at.checked_sub(1)?;
                return if self.is(before, "::") { before.checked_sub(1) } else { None };
            }
        }
        None
    }
}

/// A word that is written like a type, neither like a constant nor like a value.
fn is_camel(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && (word.len() == 1 || word.contains(char::is_lowercase))
}
