//! What a definition is by where it stands, for languages that write a method like any function and a field like any
//! variable (`kinds-by-place`). Knows nodes by their ranges alone.

use crate::facts::{Kind, SymbolId};
use crate::structure::Nest;

/// What the text itself says of a definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said {
    pub(crate) kind: Kind,
    pub(crate) has_owner: bool,
    /// Whether others say that they belong to it.
    pub(crate) owns: bool,
}

/// The kind of each definition; `None`: a variable of a function, which is nobody else's business.
pub(crate) fn kinds(nest: &Nest, said: &[Said], owners_are_types: bool) -> Vec<Option<Kind>> {
    let mut owns: Vec<bool> = said.iter().map(|said| said.owns).collect();
    for (at, said) in said.iter().enumerate() {
        // `t = { f = function() end }`
        if let Some(around) = nest.parent(SymbolId(at as u32)).filter(|_| said.kind == Kind::Method) {
            owns[around.0 as usize] = true;
        }
    }
    let mut kinds: Vec<Option<Kind>> = Vec::with_capacity(said.len());
    for (at, Said { kind, has_owner, .. }) in said.iter().enumerate() {
        // What was left out has nothing in it that could be asked of it: what is around it is around its parts.
        let around = scope(nest, at, |outer| kinds[outer]);
        let of_type = around.is_some_and(Kind::is_type);
        kinds.push(match kind {
            Kind::Variable | Kind::Constant if around.is_some_and(has_locals) => None,
            Kind::Variable | Kind::Constant | Kind::Field if owners_are_types && owns[at] => {
                Some(Kind::Class)
            }
            Kind::Variable if of_type => Some(Kind::Field),
            Kind::Function if of_type => Some(Kind::Method),
            Kind::Method if !of_type && !has_owner && around != Some(Kind::Module) => Some(Kind::Function),
            _ => Some(*kind),
        });
    }
    kinds
}

/// The definition around one. A value is not around what is written in it: `a = b = 1` defines two neighbors.
pub(crate) fn parent(nest: &Nest, kinds: &[Kind], id: SymbolId) -> Option<SymbolId> {
    let is_type = kinds[id.0 as usize].is_type();
    nest.upward(id).skip(1).find(|outer| {
        let kind = kinds[outer.0 as usize];
        // Nor is a second name: `typedef struct a { … } b`.
        let is_second = is_type && kind == Kind::Type;
        !is_value(kind) && !is_second
    })
}

/// A property with a body is a function.
fn has_locals(kind: Kind) -> bool {
    kind.is_callable() || kind == Kind::Property
}

/// What is given a value and has no names of its own.
pub(crate) fn is_value(kind: Kind) -> bool {
    matches!(kind, Kind::Variable | Kind::Constant | Kind::Field | Kind::Variant)
}

fn scope(nest: &Nest, at: usize, kind: impl Fn(usize) -> Option<Kind>) -> Option<Kind> {
    nest.upward(SymbolId(at as u32))
        .skip(1)
        .find_map(|id| kind(id.0 as usize).filter(|kind| !is_value(*kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_a_definition_decides_what_it_is() {
        // A class with a function with a variable, a class variable that is two, and a function of its own.
        let ranges = [0..50, 5..20, 10..15, 25..40, 30..40, 60..70];
        let nest = Nest::of(ranges.into_iter());
        let said =
            [Kind::Class, Kind::Function, Kind::Variable, Kind::Variable, Kind::Variable, Kind::Method];
        let said = said.map(|kind| Said { kind, has_owner: false, owns: false });
        let class = Some(Kind::Class);
        let field = Some(Kind::Field);
        let expected = [class, Some(Kind::Method), None, field, field, Some(Kind::Function)];
        assert_eq!(kinds(&nest, &said, false), expected);
    }

    #[test]
    fn a_table_with_functions_is_a_type() {
        // `local t = { f = function() end }`, `local m = {}` with an `m.f` further down, `local n = {}`.
        let nest = Nest::of([0..50, 10..40, 60..70, 80..90].into_iter());
        let said = [Kind::Variable, Kind::Method, Kind::Variable, Kind::Variable].map(|kind| Said {
            kind,
            has_owner: false,
            owns: false,
        });
        let mut said = said.to_vec();
        said[2].owns = true;
        let class = Some(Kind::Class);
        assert_eq!(kinds(&nest, &said, true), [class, Some(Kind::Method), class, Some(Kind::Variable)]);
    }

    #[test]
    fn neighbors_in_one_assignment_have_the_same_parent() {
        let nest = Nest::of([0..50, 25..40, 30..40].into_iter());
        let class = Some(SymbolId(0));
        let kinds = [Kind::Class, Kind::Field, Kind::Field];
        let parents = [0, 1, 2].map(|id| parent(&nest, &kinds, SymbolId(id)));
        assert_eq!(parents, [None, class, class]);
    }
}
