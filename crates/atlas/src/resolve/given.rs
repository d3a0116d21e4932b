//! What a function gives where no type says it: what stands behind its `return`s.

use code::{RETURNED, Root};

use super::{At, Meaning, Resolver, Ty};
use crate::library::Def;

impl Resolver<'_> {
    /// What a call of a function gives, by the first `return` of it that says something.
    pub(super) fn given(&self, def: Def, asked: Option<Def>) -> Meaning {
        let key = (def, asked);
        if let Some(known) = self.given.borrow().get(&key) {
            return known.clone();
        }
        // A function that gives what it gives itself is unknown while we think about it.
        self.given.borrow_mut().insert(key, Meaning::Unknown);
        let meaning = self.deeper(|| self.first_given(def, asked)).flatten().unwrap_or(Meaning::Unknown);
        self.given.borrow_mut().insert(key, meaning.clone());
        meaning
    }

    fn first_given(&self, def: Def, asked: Option<Def>) -> Option<Meaning> {
        let at = self.at(def.file, Some(def.symbol), u32::MAX)?;
        let index = at.leaf.index();
        // What gives nothing but others' values gives one of those.
        let (mut outside, mut unknown) = (false, false);
        for binding in index.bindings(index.name_id(RETURNED)?) {
            let binding = at.facts.bindings.get(*binding as usize)?;
            let Some(value) = binding.value.filter(|_| binding.scope == Some(def.symbol)) else { continue };
            let chain = at.facts.chain(value)?;
            match chain.root {
                // An object: what it has is defined in the function.
                Root::Literal if chain.steps.is_empty() => return Some(Meaning::Def(def, None)),
                Root::Own if chain.steps.is_empty() => {
                    return asked.or_else(|| self.own_type(at)).map(|own| Meaning::Value(Ty::of(own)));
                }
                _ => {}
            }
            match self.chain(At { line: binding.line, ..at }, value) {
                Meaning::Unknown => unknown = true,
                Meaning::Outside => outside = true,
                meaning @ Meaning::Def(..) => match self.value_of(&meaning) {
                    Meaning::Unknown => unknown = true,
                    Meaning::Outside => outside = true,
                    held => return Some(held),
                },
                meaning => return Some(meaning),
            }
        }
        (outside && !unknown).then_some(Meaning::Outside)
    }
}
