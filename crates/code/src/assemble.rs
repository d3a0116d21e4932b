//! What was read of a file put together: definitions in their order, each with what is around it and what is said about
//! it; uses and bindings in their scopes. Asks nothing of a query.

use std::collections::HashSet;

use tree_sitter::Node;

use crate::docs::{self, Stand};
use crate::extract::{Chains, Found, How, Reading, column_of, line_of};
use crate::facts::{Chain, Facts, Import, Kind, Name, Root, Span, Symbol, SymbolId};
use crate::language::{Settings, Visibility};
use crate::names::Names;
use crate::structure::{self, Around, Extents, Nest, Scopes};
use crate::{headings, place, signature};

impl<'t> Reading<'t> {
    pub(crate) fn finish(mut self) -> Facts {
        // What contains another comes first; of two definitions in one node the names decide.
        self.definitions.sort_by_key(|found| {
            (found.node.start_byte(), std::cmp::Reverse(found.node.end_byte()), found.name.start_byte())
        });
        let mut definitions = std::mem::take(&mut self.definitions);
        headings::stretch(&mut definitions, self.text.len());
        self.beside.sort();
        let scopes = Scopes::of(std::mem::take(&mut self.scopes));
        definitions.retain(|found| {
            let is_value = matches!(found.kind, Kind::Constant | Kind::Variable);
            let is_local = found.body.is_none() && scopes.is_around(found.node.start_byte());
            !is_value || !is_local && !self.brought.contains(&found.name.start_byte())
        });
        let mut nest = Nest::of(definitions.iter().map(Found::range));
        let most = self.settings.max_definitions;
        if most > 0 && definitions.len() > most {
            let depth = nest.depth_of(most);
            let mut kept = nest.depths().into_iter().map(|at| at <= depth);
            definitions.retain(|_| kept.next().unwrap_or_default());
            definitions.truncate(most);
            nest = Nest::of(definitions.iter().map(Found::range));
        }
        let by_place = self.settings.kinds_by_place;
        if by_place {
            definitions = placed(definitions, &nest, self.text, &mut self.names, self.settings);
            nest = Nest::of(definitions.iter().map(Found::range));
        }
        let kinds: Vec<Kind> = definitions.iter().map(|found| found.kind).collect();
        let mut symbols: Vec<Symbol> = Vec::with_capacity(definitions.len());
        for (at, found) in definitions.iter().enumerate() {
            let id = SymbolId(at as u32);
            let mut parent = if by_place { place::parent(&nest, &kinds, id) } else { nest.parent(id) };
            if let Some(around) = parent.filter(|_| found.member) {
                let of_type = |id: &SymbolId| kinds[id.0 as usize].is_type();
                parent = nest.upward(around).find(of_type).or(parent);
            }
            let mut symbol = self.symbol(found, parent);
            if let Some(around) = parent {
                structure::inherit(&mut symbol, &symbols[around.0 as usize], self.settings);
            }
            // Without a type there is nothing it could belong to.
            symbol.flags.of_type &=
                symbol.owner.is_some() || parent.is_some_and(|id| symbols[id.0 as usize].kind.is_type());
            symbols.push(symbol);
        }
        structure::hide(&self.labels, &nest, &mut symbols);
        self.bindings.retain(|(at, _)| !self.brought.contains(at));
        structure::mix_in(&self.mixins, &nest, &mut symbols);
        let mut taken: Vec<usize> = definitions.iter().map(|found| found.name.start_byte()).collect();
        let named = self.bindings.iter().filter(|(_, bound)| bound.how != How::Returned);
        taken.extend(named.map(|(at, _)| *at));
        taken.append(&mut self.mentions);
        taken.sort_unstable();
        let mut imports: Vec<Import> = Vec::with_capacity(self.imports.len());
        for (at, mut import) in self.imports {
            // What is handed on and defined at once is not inside of itself: `module.exports = function () {}`.
            let inner = nest.innermost(at);
            import.within = inner.filter(|id| nest.range(*id).start != at).or_else(|| nest.parent(inner?));
            if !imports.contains(&import) {
                imports.push(import);
            }
        }
        imports.sort_by_key(|import| import.line);
        structure::forget_bare(&mut imports);
        let nothing = self.names.made("");
        structure::own_exports(&mut imports, &mut symbols, nothing);
        if self.settings.visibility == Visibility::Export {
            structure::share_visibility(&mut symbols);
        }
        let extents = Extents::of(std::mem::take(&mut self.extents));
        let around = Around { extents: &extents, scopes: &scopes, nest: &nest, symbols: &symbols };
        let bindings = structure::bindings(self.bindings, around, &self.chains.list, self.settings);
        self.lists.sort_unstable_by_key(|list| list.start);
        self.references.retain(|(at, _)| {
            let before = self.lists.partition_point(|list| list.start <= *at);
            before == 0 || !self.lists[before - 1].contains(at)
        });
        let mut references = structure::references(self.references, &taken, &nest);
        structure::forget_locals(&mut references, &bindings, &nest, self.settings.bare_calls);
        if self.settings.bare_calls {
            let superior = self.names.made("super");
            let chain = self.chains.keep(Chain { root: Root::Super, steps: Vec::new() });
            structure::super_calls(&mut references, superior, chain, &symbols);
        }
        let Chains { list: chains, .. } = self.chains;
        let (names, package, broken) = (self.names.finish(), self.package, self.broken);
        let lines = self.text.lines().count() as u32;
        Facts { names, symbols, references, imports, bindings, chains, package, lines, broken }
    }

    fn symbol(&mut self, found: &Found<'t>, parent: Option<SymbolId>) -> Symbol {
        let Found { node, name, kind, .. } = *found;
        let (text, settings) = (self.text, self.settings);
        let field = |node: Node<'t>, fields: &[String]| {
            fields.iter().find_map(|field| node.child_by_field_name(field))
        };
        let holder = found.body.unwrap_or(node);
        let inner = field(holder, &settings.bodies);
        // A function as the value of a name: its body, not the function, ends the signature. A test has its name before.
        let body = if kind == Kind::Test { found.body } else { inner.or(found.body) };
        let returns =
            found.returns.or_else(|| field(holder, &settings.returns).map(|node| self.type_of(node)));
        let stand = Stand::of(node, settings);
        let first = stand.head(settings).unwrap_or_else(|| docs::first_token(node, settings));
        // A body that begins before its name is none.
        let end = match (found.head, body) {
            (Some(head), _) => head.end_byte(),
            (None, Some(body)) => docs::without_comments(body, settings).start_byte(),
            (None, None) => node.end_byte(),
        };
        let end = if end < name.end_byte() { node.end_byte() } else { end };
        let is_value = matches!(kind, Kind::Constant | Kind::Variable | Kind::Field);
        let before = body.filter(|body| found.head.is_none() && body.end_byte() <= name.start_byte());
        let around = before.map(|body| {
            let [start, end] = [first.start_byte(), node.end_byte()];
            format!("{} … {}", &text[start..body.start_byte()], &text[body.end_byte()..end])
        });
        let written = if let Some(around) = &around {
            // `typedef struct { … } name`.
            around
        } else if found.head.or(body).is_none() && (kind.is_type() || is_value) {
            // Without a body of that name its first line says what it is.
            text[first.start_byte()..end].split('\n').next().unwrap_or_default()
        } else {
            &text[first.start_byte()..end]
        };
        let quoted = self.said[found.pattern].as_deref().unwrap_or(&text[name.byte_range()]);
        let mut word = quoted.trim_matches(['"', '\'', '`']);
        if word.len() == quoted.len() {
            word = settings.bare(word);
        }
        if found.flags.block {
            // Its type as written: `a::B<T>` is called B.
            let bare = signature::type_name(word);
            word = bare.rsplit([':', '.']).next().unwrap_or(bare);
        }
        if found.level.is_some() {
            // `## A heading ##`
            word = word.trim_end_matches(['#', ' ']);
        }
        let word_name =
            if word.contains('\n') { self.names.made(&signature::fold(word)) } else { self.names.of(word) };
        let marked = docs::marks(&stand, text, settings, &self.beside);
        let mut flags = found.flags;
        flags.public |= docs::is_public(&stand, word, text, settings);
        flags.public &= !found.private;
        flags.declared |= settings.declared_without_body && kind.is_callable() && body.is_none();
        flags.test |= kind == Kind::Test
            || marked.iter().any(|mark| docs::is_test_mark(mark, settings))
            || kind.is_callable() && settings.tests.prefixes.iter().any(|prefix| word.starts_with(&**prefix));
        let mut marks: Vec<Name> = Vec::with_capacity(marked.len());
        for name in marked.into_iter().map(docs::mark_name).filter(|name| !name.is_empty()) {
            let name = self.names.of(name);
            if !marks.contains(&name) {
                marks.push(name);
            }
        }
        Symbol {
            name: word_name,
            kind,
            span: Span {
                line: line_of(first),
                end_line: structure::last_line(node, found.range().end, text),
                start: first.start_byte() as u32,
                end: found.range().end as u32,
            },
            name_line: line_of(name),
            name_column: column_of(name),
            parent,
            owner: found.owner,
            of_trait: found.of_trait,
            bases: found.bases.clone(),
            returns,
            // A heading has no body that could be opened at its end.
            signature: match found.level {
                Some(_) => signature::as_written(written).into(),
                None => signature::one_line(written),
            },
            doc: docs::doc(&stand, body, text, settings, &self.beside),
            marks,
            flags,
        }
    }
}

/// Definitions with the kinds their places give them; local variables are left out.
fn placed<'t>(
    definitions: Vec<Found<'t>>,
    nest: &Nest,
    text: &str,
    names: &mut Names<'_>,
    settings: &Settings,
) -> Vec<Found<'t>> {
    let owners: HashSet<Name> = if settings.owners_are_types {
        definitions.iter().filter_map(|found| found.owner).collect()
    } else {
        HashSet::new()
    };
    let said: Vec<place::Said> = definitions
        .iter()
        .map(|found| place::Said {
            kind: found.kind,
            has_owner: found.owner.is_some(),
            owns: !owners.is_empty() && owners.contains(&names.made(&text[found.name.byte_range()])),
        })
        .collect();
    let kinds = place::kinds(nest, &said, settings.owners_are_types);
    let with_kinds = definitions.into_iter().zip(kinds);
    with_kinds.filter_map(|(found, kind)| Some(Found { kind: kind?, ..found })).collect()
}
