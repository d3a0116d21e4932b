//! An expression as a chain: where it begins, and what is asked of it step by step. What is no chain is unknown, and an
//! unknown is never guessed at here.

use tree_sitter::Node;

use crate::facts::{Chain, Root, Step};
use crate::language::{Expressions, Settings};
use crate::names::Names;

/// A chain of more steps says nothing a reader could follow, either.
const MAX_STEPS: usize = 24;
/// `a or b or c or …`: past this nobody expects one type.
const MAX_EITHER: usize = 4;

pub(crate) fn read<'t>(node: Node<'_>, text: &'t str, settings: &Settings, names: &mut Names<'t>) -> Chain {
    let unknown = || Chain { root: Root::Unknown, steps: Vec::new() };
    let mut steps = Vec::new();
    let Some(root) = walk(node, text, settings, names, &mut steps, 0) else { return unknown() };
    if steps.len() > MAX_STEPS {
        return unknown();
    }
    steps.reverse();
    Chain { root, steps }
}

/// The name of what is called, and what it is asked of, a path in its parts: `f` of `f`, `a.b` of `a.b.f`.
pub(crate) fn callee<'t>(mut node: Node<'t>, settings: &Settings) -> Option<(Node<'t>, Vec<Node<'t>>)> {
    let expressions = &settings.expressions;
    // Type arguments and parentheses around it are few.
    for _ in 0..MAX_STEPS {
        let kind = node.kind();
        if expressions.names.iter().any(|name| name == kind) {
            return Some((node, Vec::new()));
        }
        if let Some((name, objects)) = member(node, settings) {
            let is_name = expressions.names.iter().any(|known| known == name.kind());
            return is_name.then_some((name, objects));
        }
        let [_, inner] = expressions.through.iter().find(|known| known[0] == kind)?;
        node = child(node, inner)?;
    }
    None
}

/// The chain of what something is asked of.
pub(crate) fn of_parts<'t>(
    parts: &[Node<'_>],
    text: &'t str,
    settings: &Settings,
    names: &mut Names<'t>,
) -> Option<Chain> {
    let (first, rest) = parts.split_first()?;
    let mut chain = read(*first, text, settings, names);
    for part in rest {
        chain.steps.push(Step::Member(names.of(&text[bare(*part, settings).byte_range()])));
    }
    Some(chain)
}

/// The name of a member without its type arguments, and what it is a member of. A path that nests to the right
/// (`a::(b::c)`) is of many.
fn member<'t>(mut node: Node<'t>, settings: &Settings) -> Option<(Node<'t>, Vec<Node<'t>>)> {
    let kind = node.kind();
    let [_, object, name] = settings.expressions.members.iter().find(|known| known[0] == kind)?;
    let mut objects = Vec::new();
    for _ in 0..MAX_STEPS {
        objects.extend(child(node, object));
        let named = child(node, name)?;
        if named.kind() != kind {
            return Some((bare(named, settings), objects));
        }
        node = named;
    }
    None
}

/// Without type arguments.
fn bare<'t>(node: Node<'t>, settings: &Settings) -> Node<'t> {
    let kind = node.kind();
    let through = settings.expressions.through.iter().find(|known| known[0] == kind);
    through.and_then(|[_, inner]| child(node, inner)).unwrap_or(node)
}

/// From the outside in; steps come last first.
fn walk<'t>(
    mut node: Node<'_>,
    text: &'t str,
    settings: &Settings,
    names: &mut Names<'t>,
    steps: &mut Vec<Step>,
    depth: usize,
) -> Option<Root> {
    let expressions = &settings.expressions;
    loop {
        if steps.len() > MAX_STEPS {
            return None;
        }
        let kind = node.kind();
        let is = |kinds: &[String]| kinds.iter().any(|known| known == kind);
        let field = |pairs: &[[String; 2]]| {
            let pair = pairs.iter().find(|pair| is_kind(&pair[0], node, kind))?;
            child(node, &pair[1])
        };
        let operator = || node.child_by_field_name("operator").map_or("", |operator| operator.kind());
        let either =
            expressions.either.iter().find(|e| e[0] == kind && (e[1].is_empty() || e[1] == operator()));
        if let Some([_, _, first, second]) = either {
            let branches = [first, second].into_iter().filter_map(|field| child(node, field));
            return either_of(branches, text, settings, names, steps, depth);
        }
        if is(&expressions.own) {
            let separator = &expressions.path_separator;
            // `self::f` is asked of a module.
            let is_path = !separator.is_empty() && text[node.end_byte()..].starts_with(&**separator);
            return Some(if is_path { Root::Name(names.of(&text[node.byte_range()])) } else { Root::Own });
        }
        if is(&expressions.superior) {
            return Some(Root::Super);
        }
        if is(&expressions.literals) {
            return Some(Root::Literal);
        }
        if is(&expressions.names) {
            let word = &text[node.byte_range()];
            return Some(if settings.own.iter().any(|own| own == word) {
                Root::Own
            } else if settings.superior.iter().any(|superior| superior == word) {
                // `super()` is what `super` is.
                if steps.last() == Some(&Step::Call) {
                    steps.pop();
                }
                Root::Super
            } else {
                let head = head_of(word, expressions, names, steps);
                Root::Name(names.of(head))
            });
        }
        if is(&expressions.own_members) {
            steps.push(Step::Member(names.of(settings.bare(&text[node.byte_range()]))));
            return Some(Root::Own);
        }
        if let Some([_, object, method]) = expressions.methods.iter().find(|known| known[0] == kind) {
            let name = node.child_by_field_name(method)?;
            let word = &text[name.byte_range()];
            let object = node.child_by_field_name(object);
            if expressions.makers.iter().any(|maker| maker == word)
                && let Some(root) = made(object, text, settings, names)
            {
                return Some(root);
            }
            match object {
                Some(object) if expressions.inside_methods.iter().any(|m| m == word) => {
                    steps.push(Step::Inside);
                    node = object;
                }
                Some(object) => {
                    steps.extend([Step::Call, Step::Member(names.of(word))]);
                    node = object;
                }
                None => {
                    steps.push(Step::Call);
                    node = name;
                }
            }
            continue;
        }
        if let Some((name, objects)) = member(node, settings) {
            let word = &text[name.byte_range()];
            let word = word.strip_prefix(expressions.member_sigil.as_str()).unwrap_or(word);
            // `.unwrap()` is a step, not a member of anything of ours.
            if steps.last() == Some(&Step::Call) && expressions.inside_methods.iter().any(|m| m == word) {
                steps.pop();
                steps.push(Step::Inside);
            } else {
                steps.push(Step::Member(names.of(word)));
            }
            // `.name` and `::name` without anything before them.
            let Some((first, rest)) = objects.split_first() else { return Some(Root::Unknown) };
            for object in rest.iter().rev() {
                steps.push(Step::Member(names.of(&text[bare(*object, settings).byte_range()])));
            }
            node = *first;
        } else if let Some(called) = field(&expressions.calls) {
            let name = &text[called.byte_range()];
            let argument = expressions
                .made_by
                .iter()
                .find(|(made_by, _)| made_by == name)
                .and_then(|(_, nth)| node.child_by_field_name("arguments")?.named_child(*nth));
            if let Some(of) = argument {
                let written = text[of.byte_range()].trim_matches(['"', '\'']);
                let is_name = written.starts_with(|c: char| c.is_alphabetic() || c == '_');
                return Some(if is_name { Root::Of(names.made(written)) } else { Root::Unknown });
            }
            if let Some(of) = made_of(called, text, settings) {
                return Some(Root::Of(names.of(of)));
            }
            if expressions.builders.iter().any(|builder| builder == &text[called.byte_range()]) {
                let of = node.child_by_field_name("arguments").and_then(|list| list.named_child(0))?;
                return Some(Root::Of(names.of(&text[of.byte_range()])));
            }
            let is_index = expressions.calls_that_index && text[called.end_byte()..].starts_with('[');
            steps.push(if is_index { Step::Element } else { Step::Call });
            node = called;
        } else if let Some(of) = field(&expressions.news) {
            let written = crate::signature::type_name(&text[of.byte_range()]);
            let is_own = settings.own.iter().any(|own| own == written);
            return Some(if is_own { Root::Own } else { Root::Of(names.made(written)) });
        } else if let Some(of) = field(&expressions.casts) {
            let written = text[of.byte_range()].trim();
            // `<T>x`, but not `(List<T>) x`.
            let bare = written.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
            let written = bare.unwrap_or(written).trim();
            return Some(Root::Of(names.of(written)));
        } else if let Some(indexed) = field(&expressions.elements) {
            steps.push(Step::Element);
            node = indexed;
        } else if let Some(inner) = field(&expressions.inside) {
            steps.push(Step::Inside);
            node = inner;
        } else {
            node = field(&expressions.through)?;
        }
    }
}

/// The first part of a path that is one node (`A\B\c`); what is behind it are steps.
fn head_of<'t>(
    word: &'t str,
    expressions: &Expressions,
    names: &mut Names<'t>,
    steps: &mut Vec<Step>,
) -> &'t str {
    let separator = expressions.path_separator.as_str();
    if separator.is_empty() {
        return word;
    }
    let mut parts = word.split(separator).filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or(word);
    let rest: Vec<&str> = parts.collect();
    steps.extend(rest.into_iter().rev().map(|part| Step::Member(names.of(part))));
    first
}

/// The first of two expressions that says what it is.
fn either_of<'t, 'n>(
    branches: impl Iterator<Item = Node<'n>>,
    text: &'t str,
    settings: &Settings,
    names: &mut Names<'t>,
    steps: &mut Vec<Step>,
    depth: usize,
) -> Option<Root> {
    let mut found = None;
    for branch in branches.take_while(|_| depth < MAX_EITHER) {
        let mut more = Vec::new();
        match walk(branch, text, settings, names, &mut more, depth + 1) {
            None | Some(Root::Unknown) => {}
            Some(Root::Literal) => found = Some(Root::Literal),
            Some(root) => {
                steps.extend(more);
                return Some(root);
            }
        }
    }
    found
}

/// By a field's name, or by its number among the named children (`""` is the first).
fn child<'n>(node: Node<'n>, field: &str) -> Option<Node<'n>> {
    match field {
        "" => node.named_child(0),
        "1" => node.named_child(1),
        "2" => node.named_child(2),
        name => node.child_by_field_name(name),
    }
}

/// What `make<T>()` gives, where it says so by its name.
fn made_of<'t>(called: Node<'_>, text: &'t str, settings: &Settings) -> Option<&'t str> {
    let expressions = &settings.expressions;
    let [kind, name, arguments] = expressions.generic_makers.first()?;
    let mut node = called;
    for _ in 0..MAX_STEPS {
        if node.kind() == *kind {
            let word = &text[child(node, name)?.byte_range()];
            let is_maker = expressions.makers.iter().any(|maker| maker == word);
            let first = child(node, arguments)?.named_child(0)?;
            return is_maker.then(|| text[first.byte_range()].trim());
        }
        let [_, _, inner] = expressions.members.iter().find(|known| known[0] == node.kind())?;
        node = child(node, inner)?;
    }
    None
}

/// What `T.new` gives; without a `T` it is one of the type around it.
fn made<'t>(
    object: Option<Node<'_>>,
    text: &'t str,
    settings: &Settings,
    names: &mut Names<'t>,
) -> Option<Root> {
    let Some(object) = object else { return Some(Root::Own) };
    let written = &text[object.byte_range()];
    if settings.expressions.own.iter().any(|own| own == object.kind()) {
        return Some(Root::Own);
    }
    written
        .starts_with(char::is_uppercase)
        .then(|| Root::Of(names.made(crate::signature::type_name(written))))
}

/// `unary_expression <-` is such a node that begins with that token.
fn is_kind(known: &str, node: Node<'_>, kind: &str) -> bool {
    match known.strip_prefix(kind) {
        Some("") => true,
        Some(more) => {
            more.strip_prefix(' ').is_some_and(|token| node.child(0).is_some_and(|c| c.kind() == token))
        }
        None => false,
    }
}
