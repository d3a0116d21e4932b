//! What a file would mean if its text were another: for whoever is about to write it.

use std::collections::HashSet;

use crate::answer::Item;
use crate::atlas::Atlas;
use crate::graph::Map;

/// Calls of one edit that are looked at.
const MAX_CALLS: usize = 64;

impl Atlas {
    /// What the calls on these lines of a text that is not written yet would call: each definition once, in the order of
    /// the text. Names in `known` are passed over.
    pub fn would_call(
        &mut self,
        path: &str,
        text: &str,
        lines: &[(u32, u32)],
        known: &HashSet<String>,
    ) -> Vec<Item> {
        self.suppose(path, text, |atlas, file| {
            let map = Map::new(atlas);
            let Some(facts) = map.library.facts(file) else { return Vec::new() };
            let calls = facts.references.iter().filter(|reference| {
                reference.role.is_call()
                    && lines.iter().any(|(from, to)| *from <= reference.line && reference.line <= *to)
                    && !known.contains(facts.text(reference.name))
            });
            let (mut items, mut seen) = (Vec::new(), HashSet::new());
            for reference in calls.take(MAX_CALLS) {
                let found = map.resolver.resolve(file, reference);
                // A class is called by building it: its constructor says what it takes.
                let callable = found
                    .defs
                    .iter()
                    .rev()
                    .find(|def| map.library.symbol(**def).is_some_and(|s| s.kind.is_callable()));
                let Some(def) = callable.or(found.defs.first()) else { continue };
                if found.sure && seen.insert(*def) {
                    items.push(map.item(*def));
                }
            }
            items
        })
        .unwrap_or_default()
    }
}
