//! Functions of a file, what they are called, and how many ways lead through each. Counts nodes; knows no steps.

use tree_sitter::Node;

use super::table::{Part, Role, Shape, Table};

/// A function that has a name: its own, or the one it is bound to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<'t> {
    pub(crate) node: Node<'t>,
    pub(crate) name: Node<'t>,
}

/// In the order of the text; what contains another comes before it.
pub(crate) fn functions<'t>(table: &Table, root: Node<'t>) -> Vec<Found<'t>> {
    let mut found = Vec::new();
    each(root, |node, around| {
        found.extend(named(table, node, around));
        true
    });
    found
}

pub(crate) fn named<'t>(table: &Table, node: Node<'t>, around: &[Node<'t>]) -> Option<Found<'t>> {
    let shape = table.shape(node).filter(|shape| is_function(shape.role))?;
    shape.part(node, Part::Body)?;
    let name = name_node(table, node).or_else(|| bound(table, node, around))?;
    Some(Found { node, name })
}

fn is_function(role: Role) -> bool {
    matches!(role, Role::Function | Role::Hoisted)
}

/// Whether a function is a value in another: it has no name of its own, and is no member of a type in there.
pub(crate) fn is_value(table: &Table, inner: Node<'_>, outer: Node<'_>) -> bool {
    let mut around = std::iter::successors(inner.parent(), Node::parent).take_while(|node| *node != outer);
    name_node(table, inner).is_none() && !around.any(|node| table.role(node) == Some(Role::Type))
}

/// Every node below and with one, with those around it, until `visit` says that what is inside does not matter. A node
/// that is asked for its parent would look for it from the root on.
pub(crate) fn each<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>, &[Node<'t>]) -> bool) {
    let mut cursor = root.walk();
    let mut around: Vec<Node<'t>> = Vec::new();
    loop {
        let node = cursor.node();
        if visit(node, &around) && cursor.goto_first_child() {
            around.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if around.pop().is_none() || !cursor.goto_parent() {
                return;
            }
        }
        if around.is_empty() {
            return;
        }
    }
}

/// Where the name of a function stands in it.
pub(crate) fn name_node<'t>(table: &Table, node: Node<'t>) -> Option<Node<'t>> {
    let shape = table.shape(node)?;
    let name = shape.part(node, Part::Name).or_else(|| {
        let declarator = declarator(table, node)?;
        table.shape(declarator)?.part(declarator, Part::Name)
    })?;
    // `(*name)`: the name is what is left without what is around it.
    let mut name = name;
    while let (1, Some(inside)) = (name.named_child_count(), name.named_child(0)) {
        name = inside;
    }
    Some(name)
}

/// The part of a function that has its parameters where that is not the function itself: C's declarators.
fn declarator<'t>(table: &Table, node: Node<'t>) -> Option<Node<'t>> {
    let mut at = table.shape(node)?.part(node, Part::Inside)?;
    loop {
        let shape = table.shape(at)?;
        if shape.part(at, Part::Parameters).is_some() {
            return Some(at);
        }
        at = shape.part(at, Part::Declared).or_else(|| shape.part(at, Part::Inside))?;
    }
}

/// What each parameter is declared by.
pub(crate) fn parameters<'t>(table: &Table, node: Node<'t>) -> Vec<Node<'t>> {
    let Some(shape) = table.shape(node) else { return Vec::new() };
    let mut lists = shape.parts(node, Part::Parameters);
    lists.extend(shape.parts(node, Part::Results));
    if lists.is_empty()
        && let Some(declarator) = declarator(table, node)
        && let Some(shape) = table.shape(declarator)
    {
        lists = shape.parts(declarator, Part::Parameters);
    }
    let mut found = Vec::new();
    for list in lists {
        if table.role(list) == Some(Role::Name) {
            found.push(list);
            continue;
        }
        let mut cursor = list.walk();
        found.extend(list.named_children(&mut cursor).filter(|child| !child.is_extra()));
    }
    found
}

/// The name a function without one is bound to: `const f = () => 1`, `{ f: function () {} }`.
fn bound<'t>(table: &Table, node: Node<'t>, around: &[Node<'t>]) -> Option<Node<'t>> {
    let mut node = node;
    let mut around = around.iter().rev();
    let mut parent = *around.next()?;
    // A list of one: Go's `f := func() {}`.
    if table.shape(parent).is_none() && parent.named_child_count() == 1 {
        (node, parent) = (parent, *around.next()?);
    }
    let shape = table.shape(parent).filter(|shape| matches!(shape.role, Role::Bind | Role::Property))?;
    if shape.part(parent, Part::Value)? != node {
        return None;
    }
    let parts = [Part::Name, Part::Declared, Part::Target];
    parts.into_iter().find_map(|part| shape.part(parent, part))
}

/// Names of variables of a file.
pub(crate) fn globals<'t>(table: &Table, root: Node<'t>, text: &'t str) -> Vec<&'t str> {
    let mut cursor = root.walk();
    root.named_children(&mut cursor).flat_map(|child| declared(table, child, text, true)).collect()
}

/// Names that a statement declares, or writes if these count, functions and imports left out.
pub(crate) fn declared<'t>(table: &Table, statement: Node<'t>, text: &'t str, written: bool) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut open = vec![(statement, false)];
    while let Some((node, is_target)) = open.pop() {
        let mut cursor = node.walk();
        let Some(shape) = table.shape(node) else {
            open.extend(node.named_children(&mut cursor).map(|child| (child, is_target)));
            continue;
        };
        match shape.role {
            Role::Name if is_target => found.push(&text[node.byte_range()]),
            Role::Statement | Role::Hoist => {
                open.extend(node.named_children(&mut cursor).map(|child| (child, false)));
            }
            Role::Bind | Role::Pointing => {
                let children = shape.children(node);
                // A module that is loaded is no variable.
                let loads = |(part, child): &(Option<Part>, Node<'_>)| {
                    *part == Some(Part::Value) && text[child.byte_range()].starts_with("require(")
                };
                if !children.iter().any(loads) {
                    open.extend(children.iter().filter_map(|(part, child)| match part {
                        Some(Part::Declared) => Some((*child, true)),
                        Some(Part::Target) => Some((*child, is_target || written)),
                        None => Some((*child, is_target)),
                        _ => None,
                    }));
                }
            }
            _ => {}
        }
    }
    found
}

/// Decisions plus one: branches, loops, arms, handlers, conditional expressions and operators that stop early. Functions
/// with a name of their own are not part of the one around them.
pub(crate) fn complexity(table: &Table, function: Node<'_>, text: &str) -> u32 {
    let mut decisions = 1_u32;
    each(function, |node, around| {
        let Some(shape) = table.shape(node) else { return true };
        match shape.role {
            Role::If | Role::Loop | Role::After | Role::Catch | Role::Decision | Role::Assert => {
                decisions += 1;
            }
            Role::Case | Role::Falling => decisions += u32::from(!is_default(shape, node, text)),
            // One of the arms is always taken, also where none of them says so.
            Role::Whole => {
                let mut has_default = false;
                each(node, |arm, _| match table.shape(arm) {
                    Some(shape) if matches!(shape.role, Role::Case | Role::Falling) => {
                        has_default |= is_default(shape, arm, text);
                        false
                    }
                    _ => arm == node || table.role(arm).is_none(),
                });
                decisions = decisions.saturating_sub(u32::from(!has_default));
            }
            Role::Function | Role::Hoisted if node != function => {
                return named(table, node, around).is_none();
            }
            _ => {}
        }
        true
    });
    decisions.max(1)
}

/// Whether an arm takes what no other takes.
fn is_default(arm: &Shape, node: Node<'_>, text: &str) -> bool {
    let mut said = arm
        .children(node)
        .into_iter()
        .filter(|(part, _)| matches!(part, Some(Part::Pattern | Part::Value | Part::Init | Part::Guard)));
    said.all(|(_, child)| matches!(&text[child.byte_range()], "default" | "_"))
}
