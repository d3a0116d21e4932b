//! Types: what is written, and the definition it means.

use code::{Kind, Role};

use super::written::{EITHER, LIST, TUPLE, Written};
use super::{At, Meaning, Resolver};
use crate::library::Def;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ty {
    pub(crate) head: Head,
    pub(crate) arguments: Vec<Ty>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Head {
    Def(Def),
    /// A list, a union, a promise: what is inside is what matters.
    Around(Around),
    /// Of no definition here.
    Outside,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Around {
    /// Asked as if it were what is inside.
    Transparent,
    Holder,
    /// `K` and `V`: an element is the second.
    Pairs,
    Tuple,
}

impl Ty {
    pub(crate) fn of(def: Def) -> Self {
        Self { head: Head::Def(def), arguments: Vec::new() }
    }

    /// What `[…]` or a loop gives.
    pub(super) fn element(&self) -> Option<Self> {
        match self.head {
            Head::Around(Around::Transparent) => self.arguments.first().and_then(Ty::element),
            Head::Around(Around::Pairs) => self.arguments.last().cloned(),
            Head::Around(_) => self.arguments.first().cloned(),
            Head::Def(_) | Head::Outside => None,
        }
    }

    /// What `?`, `await` or `unwrap` gives: itself, where there is nothing around it.
    pub(super) fn inside(&self) -> Self {
        match self.head {
            Head::Around(_) => self.arguments.first().cloned().unwrap_or_else(|| self.clone()),
            Head::Def(_) | Head::Outside => self.clone(),
        }
    }

    /// Without what is asked as if it were not there: `Arc<Mutex<T>>` is a `Mutex<T>`.
    pub(super) fn opened(&self) -> &Self {
        match (self.head, self.arguments.first()) {
            (Head::Around(Around::Transparent), Some(inside)) => inside.opened(),
            _ => self,
        }
    }

    /// The pairs of a map, as one of them.
    pub(super) fn pair(&self) -> Option<Self> {
        (self.head == Head::Around(Around::Pairs))
            .then(|| Self { head: Head::Around(Around::Tuple), arguments: self.arguments.clone() })
    }

    /// Its number, and it.
    pub(super) fn counted(self) -> Self {
        let number = Self { head: Head::Outside, arguments: Vec::new() };
        Self { head: Head::Around(Around::Tuple), arguments: vec![number, self] }
    }

    /// A list of it.
    pub(super) fn many(self) -> Self {
        Self { head: Head::Around(Around::Holder), arguments: vec![self] }
    }

    /// The definition whose members it has.
    pub(super) fn asked(&self) -> Option<Def> {
        match self.head {
            Head::Def(def) => Some(def),
            Head::Around(Around::Transparent) => self.arguments.first().and_then(Ty::asked),
            Head::Around(_) | Head::Outside => None,
        }
    }
}

impl<'a> Resolver<'a> {
    /// A type as it is written somewhere. `asked`: the type that `Self` means there, where it is another than the one
    /// around it.
    pub(super) fn type_of(&self, at: At<'a>, text: &str, asked: Option<Def>) -> Option<Ty> {
        // What is in quotes may be a type itself: `Optional["A"]`.
        if !at.leaf.language.settings().quoted_types
            && let Some((whole, member)) = lookup(text)
        {
            return self.deeper(|| self.looked_up(at, whole, member, asked)).flatten();
        }
        let written = Written::read(text)?;
        self.deeper(|| self.typed(at, &written, asked)).flatten()
    }

    /// The type of a member: `A['b']`.
    fn looked_up(&self, at: At<'a>, whole: &str, member: &str, asked: Option<Def>) -> Option<Ty> {
        let whole = Meaning::Value(self.type_of(at, whole, asked)?);
        match self.value_of(&self.member(at, &whole, member)?) {
            Meaning::Value(ty) | Meaning::Type(ty) => Some(ty),
            _ => None,
        }
    }

    fn typed(&self, at: At<'a>, written: &Written, asked: Option<Def>) -> Option<Ty> {
        let inner = || -> Vec<Ty> {
            let all = written.arguments.iter();
            all.map(|w| self.typed(at, w, asked).unwrap_or(Ty { head: Head::Outside, arguments: Vec::new() }))
                .collect()
        };
        let around = |around, arguments| Some(Ty { head: Head::Around(around), arguments });
        if written.is(LIST) {
            return around(Around::Holder, inner());
        }
        if written.is(TUPLE) {
            return around(Around::Tuple, inner());
        }
        if written.is(EITHER) {
            let all = inner();
            let known = all.iter().find(|ty| ty.head != Head::Outside).or(all.first()).cloned();
            return known.map(|ty| Ty { head: Head::Around(Around::Transparent), arguments: vec![ty] });
        }
        let settings = at.leaf.language.settings();
        let (first, rest) = written.path.split_first()?;
        if rest.is_empty() && (settings.own.contains(first) || first == "Self") {
            return asked.or_else(|| self.own_type(at)).map(Ty::of);
        }
        let last = written.path.last()?;
        let mut meaning =
            self.wanting_type(true, || self.name(at, first, Role::Type)).or_else(|| self.head(at, first));
        for part in rest {
            meaning = self.wanting_type(true, || self.member(at, &meaning?, part));
        }
        match meaning {
            Some(Meaning::Type(ty)) => {
                // An alias is what it stands for.
                if let Head::Def(def) = ty.head
                    && let Some(symbol) = self.library.symbol(def).filter(|s| s.kind == Kind::Type)
                    && (!settings.defined_types || symbol.signature.contains(" = "))
                    && let Some(target) = symbol.returns
                    && let Some(there) = self.at(def.file, symbol.parent, symbol.span.line)
                    && let Some(target) = Written::read(there.facts.text(target))
                {
                    let parameters = parameters_in(&symbol.signature);
                    let ty = self.deeper(|| self.typed(there, &target, asked)).flatten();
                    if let Some(ty) = ty.filter(|ty| ty.head != Head::Outside) {
                        // `type Result<T> = other::Result<T, Error>`: what it is given is what is inside.
                        return Some(ty.filled(&target, &parameters, &inner()));
                    }
                }
                Some(Ty { arguments: inner(), ..ty })
            }
            // A variable in the place of a type: `typeof x`, a class held by a name.
            Some(other @ Meaning::Def(..)) => match self.value_of(&other) {
                Meaning::Type(ty) | Meaning::Value(ty) => Some(ty),
                // A function that makes values by being called with `new`.
                Meaning::Def(maker, _) if !settings.prototypes.is_empty() => Some(Ty::of(maker)),
                // An object that is written out.
                _ => match other {
                    Meaning::Def(object, _) if !settings.prototypes.is_empty() => Some(Ty::of(object)),
                    _ => None,
                },
            },
            Some(Meaning::Value(ty)) => Some(ty),
            _ => {
                if settings.transparent_types.contains(last) {
                    return around(Around::Transparent, inner());
                }
                if settings.wrapping_types.contains(last) || !written.arguments.is_empty() {
                    let arguments = inner();
                    let kind = if arguments.len() == 2
                        && !matches!(&**last, "Result" | "Either" | "Tuple" | "tuple")
                    {
                        Around::Pairs
                    } else {
                        Around::Holder
                    };
                    return around(kind, arguments);
                }
                if rest.is_empty()
                    && let Some(bound) = self.bound(at, first)
                {
                    return Some(bound);
                }
                Some(Ty { head: Head::Outside, arguments: Vec::new() })
            }
        }
    }

    /// What is in a value of a type: of a list its elements, of a type made of one (Go's `type Nodes []Node`) those.
    pub(super) fn element(&self, ty: &Ty) -> Option<Ty> {
        if let Some(element) = ty.element() {
            return Some(element);
        }
        let def = ty.asked()?;
        let symbol = self.library.symbol(def).filter(|symbol| symbol.kind == Kind::Type)?;
        let there = self.at(def.file, symbol.parent, symbol.span.line)?;
        self.deeper(|| self.type_of(there, there.facts.text(symbol.returns?), None)).flatten()?.element()
    }

    /// What a type parameter must be: `T: Bound`, `T extends Bound`, `T Bound`, in the signature of what is around it.
    pub(super) fn bound(&self, at: At<'a>, parameter: &str) -> Option<Ty> {
        let own = at.within.into_iter();
        let around = at.within.into_iter().flat_map(|within| at.facts.around(within));
        for id in own.chain(around) {
            let symbol = at.facts.symbol(id)?;
            if let Some(bound) = bound_in(&symbol.signature, parameter) {
                let here = At { within: symbol.parent, ..at };
                return self.type_of(here, bound, None).filter(|ty| ty.head != Head::Outside);
            }
        }
        None
    }
}

/// A type and the member of it that is meant, where a type is written so.
fn lookup(text: &str) -> Option<(&str, &str)> {
    let (whole, member) = text.trim().strip_suffix(']')?.rsplit_once('[')?;
    let quote = member.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let member = member.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_name = member.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    // `A | B['c']` is about B alone.
    (is_name && !whole.is_empty() && !whole.contains('|')).then_some((whole, member))
}

impl Ty {
    /// With the arguments of an alias in the places of its parameters.
    fn filled(mut self, written: &Written, parameters: &[&str], given: &[Ty]) -> Self {
        for (inside, argument) in self.arguments.iter_mut().zip(&written.arguments) {
            let place = parameters.iter().position(|parameter| argument.is(parameter));
            if let Some(known) = place.and_then(|place| given.get(place)) {
                *inside = known.clone();
            }
        }
        self
    }
}

/// The type parameters that a signature begins with: `T` and `E` of `type Result<T, E = Error>`.
fn parameters_in(signature: &str) -> Vec<&str> {
    let head = signature.split('=').next().unwrap_or_default();
    let head = if head.contains('<') { signature } else { return Vec::new() };
    let Some((_, rest)) = head.split_once('<') else { return Vec::new() };
    let end = rest.find('>').unwrap_or(rest.len());
    let parts = rest[..end].split(',').map(|part| part.trim().split([':', '=', ' ']).next().unwrap_or(part));
    parts.filter(|part| !part.starts_with('\'')).collect()
}

/// The bound of a type parameter in a signature, as written.
fn bound_in<'s>(signature: &'s str, parameter: &str) -> Option<&'s str> {
    for (at, _) in signature.match_indices(parameter) {
        let before = signature[..at].chars().next_back();
        // A parameter of a type is declared behind a bracket, a comma or `where`.
        if !before.is_some_and(|c| matches!(c, '<' | ' ' | ',' | '[')) {
            continue;
        }
        let behind = &signature[at + parameter.len()..];
        let bound = [": ", " extends ", " : "].iter().find_map(|sign| behind.strip_prefix(sign));
        let Some(bound) = bound else { continue };
        let end = bound.find([',', '>', '{', '=', ')']).unwrap_or(bound.len());
        let bound = bound[..end].trim().trim_start_matches('?');
        if !bound.is_empty() {
            return Some(bound);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{bound_in, lookup};

    #[test]
    fn a_member_of_a_type_is_told_from_a_list_of_it() {
        for (text, parts) in [
            ("A['b']", Some(("A", "b"))),
            ("A<B, C>[\"b\"]", Some(("A<B, C>", "b"))),
            ("A[]", None),
            ("list[A]", None),
        ] {
            assert_eq!(lookup(text), parts, "{text}");
        }
    }

    #[test]
    fn the_bound_of_a_type_parameter_is_read_from_its_signature() {
        for (signature, parameter, bound) in [
            ("fn f<T: Store>(t: &T)", "T", Some("Store")),
            ("fn f<A, B>(a: A) where A: Read + Send, B: Write", "A", Some("Read + Send")),
            ("function f<T extends Base>(t: T)", "T", Some("Base")),
            ("fn f<T>(t: T)", "T", None),
        ] {
            assert_eq!(bound_in(signature, parameter), bound, "{signature}");
        }
    }
}
