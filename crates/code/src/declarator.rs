//! The name inside of a declarator (C and its kin): `f` of `*(*f)(int)`, and whether it is a function's.

use tree_sitter::Node;

use crate::language::Settings;

/// Signs around a name that anybody can read; a type with more is made by a program.
const MAX_DEPTH: usize = 24;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Declared<'t> {
    pub(crate) name: Node<'t>,
    /// `f(int)`, but not `(*f)(int)`, which is a variable.
    pub(crate) is_function: bool,
    /// The path its name is written with: `A::B` of `A::B::f`.
    pub(crate) owner: Option<(usize, usize)>,
}

pub(crate) fn read<'t>(mut node: Node<'t>, settings: &Settings) -> Option<Declared<'t>> {
    let (known, members) = (&settings.declarators, &settings.expressions.members);
    let (mut is_function, mut owner) = (false, None);
    for _ in 0..MAX_DEPTH {
        let kind = node.kind();
        if known.names.iter().any(|name| name == kind) {
            return Some(Declared { name: node, is_function, owner });
        }
        if known.several.iter().any(|several| several == kind) {
            return None;
        }
        if let Some([_, scope, name]) = members.iter().find(|member| member[0] == kind) {
            let name = node.child_by_field_name(name)?;
            if let Some(scope) = node.child_by_field_name(scope) {
                let start = owner.map_or(scope.start_byte(), |(start, _)| start);
                owner = Some((start, scope.end_byte()));
            }
            node = name;
            continue;
        }
        if !known.plain.iter().any(|plain| plain == kind) {
            is_function = kind == known.function;
        }
        let inner = node.child_by_field_name("declarator").or_else(|| node.child_by_field_name("name"));
        node = if let Some(inner) = inner {
            inner
        } else {
            // References and parentheses do not call what is in them anything.
            let mut cursor = node.walk();
            node.named_children(&mut cursor).find(|child| {
                let kind = child.kind();
                kind.ends_with("declarator")
                    || members.iter().any(|member| member[0] == kind)
                    || known.names.iter().any(|name| name == kind)
            })?
        };
    }
    None
}
