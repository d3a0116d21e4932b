//! What stands in what: the nesting of definitions, the definition around a reference, the scope of a name; and lists of
//! imports that are nested themselves.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::Node;

use crate::extract::{At, Bound, How};
use crate::facts::{
    Binding, Chain, ChainId, Import, Kind, Name, Place, Reference, Role, Root, Symbol, SymbolId,
};
use crate::language::{Settings, Visibility};
use crate::names::Names;
use crate::place;

/// Definitions by where they stand, each with the one around it.
#[derive(Debug)]
pub(crate) struct Nest {
    ranges: Vec<Range<usize>>,
    parents: Vec<Option<SymbolId>>,
}

impl Nest {
    /// Of ranges in the order of their beginnings, the longer first.
    pub(crate) fn of(ranges: impl Iterator<Item = Range<usize>>) -> Self {
        let ranges: Vec<Range<usize>> = ranges.collect();
        let mut parents = Vec::with_capacity(ranges.len());
        let mut open: Vec<usize> = Vec::new();
        for (at, range) in ranges.iter().enumerate() {
            // Two of the very same range are neighbors: `const a = 1, b = 2`.
            while open.last().is_some_and(|outer| {
                ranges[*outer].end < range.end
                    || ranges[*outer].end <= range.start
                    || ranges[*outer] == *range
            }) {
                open.pop();
            }
            parents.push(open.last().map(|outer| SymbolId(*outer as u32)));
            open.push(at);
        }
        Self { ranges, parents }
    }

    pub(crate) fn parent(&self, id: SymbolId) -> Option<SymbolId> {
        self.parents[id.0 as usize]
    }

    /// A definition and those around it in the text, the innermost first.
    pub(crate) fn upward(&self, id: SymbolId) -> impl Iterator<Item = SymbolId> + '_ {
        std::iter::successors(Some(id), |at| self.parent(*at))
    }

    pub(crate) fn range(&self, id: SymbolId) -> &Range<usize> {
        &self.ranges[id.0 as usize]
    }

    /// How many definitions are around each.
    pub(crate) fn depths(&self) -> Vec<usize> {
        let mut depths: Vec<usize> = Vec::with_capacity(self.parents.len());
        for parent in &self.parents {
            depths.push(parent.map_or(0, |parent| depths[parent.0 as usize] + 1));
        }
        depths
    }

    /// The depth down to which there are no more than so many.
    pub(crate) fn depth_of(&self, most: usize) -> usize {
        let depths = self.depths();
        let deepest = depths.iter().copied().max().unwrap_or_default();
        let fits = |depth: &usize| depths.iter().filter(|at| *at <= depth).count() <= most;
        (0..=deepest).rev().find(fits).unwrap_or_default()
    }

    /// The innermost definition around a byte.
    pub(crate) fn innermost(&self, byte: usize) -> Option<SymbolId> {
        let before = self.ranges.partition_point(|range| range.start <= byte);
        let mut at = before.checked_sub(1)?;
        loop {
            if self.ranges[at].contains(&byte) {
                return Some(SymbolId(at as u32));
            }
            at = self.parents[at]?.0 as usize;
        }
    }
}

/// What stands in a block belongs to the type the block is about; what stands in a test is a part of it.
pub(crate) fn inherit(symbol: &mut Symbol, around: &Symbol, settings: &Settings) {
    if around.flags.block {
        symbol.owner = symbol.owner.or(around.owner);
        symbol.of_trait = symbol.of_trait.or(around.of_trait);
    }
    if symbol.kind == Kind::Function && (around.flags.block || around.kind == Kind::Trait) {
        symbol.kind = Kind::Method;
    }
    if settings.constructors_by_name && symbol.kind == Kind::Method && symbol.name == around.name {
        symbol.kind = Kind::Constructor;
    }
    // What a trait asks for and a variant are seen with what they are of, whatever their own words say.
    if settings.visibility == Visibility::Keyword {
        let is_asked = matches!(around.kind, Kind::Trait | Kind::Interface) || symbol.kind == Kind::Variant;
        symbol.flags.public |= around.flags.public && is_asked;
        symbol.flags.public |= around.flags.block && around.of_trait.is_some();
    }
    symbol.flags.test |= around.flags.test;
}

/// The functions of a file, by where they stand.
#[derive(Debug)]
pub(crate) struct Scopes {
    ranges: Vec<Range<usize>>,
    /// The furthest end of any that begins there or before.
    ends: Vec<usize>,
}

impl Scopes {
    pub(crate) fn of(mut ranges: Vec<Range<usize>>) -> Self {
        ranges.sort_unstable_by_key(|range| range.start);
        let ends = ranges.iter().scan(0, |furthest, range| {
            *furthest = range.end.max(*furthest);
            Some(*furthest)
        });
        Self { ends: ends.collect(), ranges }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether a byte is inside of one.
    pub(crate) fn is_around(&self, byte: usize) -> bool {
        let before = self.ranges.partition_point(|range| range.start < byte);
        before.checked_sub(1).is_some_and(|last| self.ends[last] > byte)
    }

    /// How many that begin at `from` or later are around a byte.
    pub(crate) fn between(&self, from: usize, byte: usize) -> usize {
        let before = self.ranges.partition_point(|range| range.start <= byte);
        let later = self.ranges[..before].iter().rev().take_while(|range| range.start >= from);
        later.filter(|range| range.end > byte).count()
    }
}

/// What is around the names of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'a> {
    pub(crate) extents: &'a Extents,
    pub(crate) nest: &'a Nest,
    pub(crate) scopes: &'a Scopes,
    pub(crate) symbols: &'a [Symbol],
}

/// Functions and blocks, each with its last line.
#[derive(Debug)]
pub(crate) struct Extents {
    nest: Nest,
    last_lines: Vec<u32>,
}

impl Extents {
    pub(crate) fn of(mut extents: Vec<(Range<usize>, u32)>) -> Self {
        extents.sort_unstable_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        extents.dedup();
        let nest = Nest::of(extents.iter().map(|(range, _)| range.clone()));
        Self { nest, last_lines: extents.into_iter().map(|(_, line)| line).collect() }
    }

    /// The last line a name that is bound at a byte holds on.
    fn until(&self, byte: usize) -> u32 {
        self.nest.innermost(byte).map_or(u32::MAX, |around| self.last_lines[around.0 as usize])
    }
}

/// What is mixed into a type inside of it is one of its bases.
pub(crate) fn mix_in(mixins: &[At<Name>], nest: &Nest, symbols: &mut [Symbol]) {
    for (at, base) in mixins {
        let mut around = nest.innermost(*at).into_iter().flat_map(|id| nest.upward(id));
        if let Some(id) = around.find(|id| symbols[id.0 as usize].kind.is_type()) {
            let bases = &mut symbols[id.0 as usize].bases;
            if !bases.contains(base) {
                bases.push(*base);
            }
        }
    }
}

/// Members of a class after `private:`, and before any such label, are not seen outside of it.
pub(crate) fn hide(labels: &[At<bool>], nest: &Nest, symbols: &mut [Symbol]) {
    if labels.is_empty() {
        return;
    }
    let directly: Vec<(Option<SymbolId>, usize, bool)> =
        labels.iter().map(|(at, is_private)| (nest.innermost(*at), *at, *is_private)).collect();
    for at in 0..symbols.len() {
        let symbol = &symbols[at];
        let Some(kind) = symbol.parent.map(|id| symbols[id.0 as usize].kind).filter(|kind| kind.is_type())
        else {
            continue;
        };
        let before = directly
            .iter()
            .filter(|(of, byte, _)| *of == symbol.parent && *byte < symbol.span.start as usize)
            .max_by_key(|(_, byte, _)| *byte);
        let is_private = before.map_or(kind == Kind::Class, |(_, _, is_private)| *is_private);
        symbols[at].flags.public &= !is_private;
    }
}

/// Each use once: a call is said to be a call, not a mention of its name; the name of a definition is no use of it.
pub(crate) fn references(mut found: Vec<At<Reference>>, taken: &[usize], nest: &Nest) -> Vec<Reference> {
    // A base stands in the place of a type, and says more.
    let rank = |role: Role| if role == Role::Base { Role::Call } else { role };
    found.sort_by_key(|(at, reference)| {
        (*at, rank(reference.role), reference.receiver.is_none(), reference.arguments.is_none())
    });
    found.dedup_by_key(|(at, _)| *at);
    found.retain(|(at, _)| taken.binary_search(at).is_err());
    found.into_iter().map(|(at, reference)| Reference { within: nest.innermost(at), ..reference }).collect()
}

/// A mention of a parameter or a local variable is nobody else's business.
/// Where a bare name may be a call, that of a variable is none.
pub(crate) fn forget_locals(
    references: &mut Vec<Reference>,
    bindings: &[Binding],
    nest: &Nest,
    bare_calls: bool,
) {
    let locals: HashSet<(SymbolId, Name)> = bindings
        .iter()
        .filter(|binding| matches!(binding.place, Place::Parameter | Place::Local))
        .filter_map(|binding| Some((binding.scope?, binding.name)))
        .collect();
    references.retain(|reference| {
        let bare = bare_calls && reference.role == Role::Call && reference.arguments.is_none();
        if !(reference.role == Role::Value || bare) || reference.receiver.is_some() {
            return true;
        }
        let mut around = reference.within.into_iter().flat_map(|within| nest.upward(within));
        !around.any(|scope| locals.contains(&(scope, reference.name)))
    });
}

/// `super` alone calls what the method around it overrides.
pub(crate) fn super_calls(references: &mut [Reference], superior: Name, chain: ChainId, symbols: &[Symbol]) {
    for reference in references {
        if reference.name == superior
            && reference.role == Role::Call
            && reference.receiver.is_none()
            && let Some(around) = reference.within.map(|id| &symbols[id.0 as usize])
        {
            (reference.name, reference.receiver) = (around.name, Some(chain));
        }
    }
}

/// Each with the scope it is in: a function's for parameters and locals, a type's for fields.
pub(crate) fn bindings(
    mut found: Vec<At<Bound>>,
    Around { extents, scopes, nest, symbols }: Around<'_>,
    chains: &[Chain],
    settings: &Settings,
) -> Vec<Binding> {
    let rank = |place: Place| match place {
        Place::Field => 0_u8,
        Place::Parameter => 1,
        Place::Local | Place::Global => 2,
    };
    found.sort_by_key(|(at, Bound { binding, how, .. })| {
        (*at, binding.name, *how, rank(binding.place), binding.of_type.is_none(), binding.value.is_none())
    });
    // Of `a or A()` both are what it is given; the one that says more is kept.
    let says = |value: Option<ChainId>| match value.map(|id| chains[id.0 as usize].root) {
        None => 0,
        Some(Root::Unknown) => 1,
        Some(Root::Literal) => 2,
        Some(_) => 3,
    };
    found.dedup_by(|(at, again), (first, kept)| {
        // A parameter that is a field as well is both.
        let is_both = kept.binding.place == Place::Field && again.binding.place == Place::Parameter;
        let same = at == first && again.binding.name == kept.binding.name && !is_both;
        if same {
            kept.binding.of_type = kept.binding.of_type.or(again.binding.of_type);
            if says(again.binding.value) > says(kept.binding.value) {
                kept.binding.value = again.binding.value;
            }
        }
        same
    });
    // Names that a function says are the file's (`global x`).
    let mut shared: HashSet<(SymbolId, Name)> = HashSet::new();
    found.retain_mut(|(at, Bound { binding, how, column })| {
        match how {
            How::Assigned => return true,
            How::Returned => {
                binding.scope = nest.innermost(*at).filter(|id| {
                    let symbol = &symbols[id.0 as usize];
                    let gives = matches!(symbol.kind, Kind::Function | Kind::Method | Kind::Property);
                    // A function without a name in it gives its own.
                    let is_own = scopes.is_empty() || scopes.between(nest.range(*id).start, *at) == 1;
                    gives && is_own && symbol.returns.is_none()
                });
                return binding.scope.is_some();
            }
            How::Inner => {
                binding.scope = nest.innermost(*at);
                return binding.scope.is_some();
            }
            How::OfValue => {
                let value = |id: &SymbolId| place::is_value(symbols[id.0 as usize].kind);
                binding.scope = nest.innermost(*at).filter(value);
                return binding.scope.is_some();
            }
            How::Declared => {}
        }
        if matches!(binding.place, Place::Parameter | Place::Local) {
            binding.until = extents.until(*at);
        }
        let (place, scope) = scope(*at, binding, *column, nest, symbols, settings);
        (binding.place, binding.scope) = (place, scope);
        if place == Place::Global
            && let Some(function) = scope
        {
            shared.insert((function, binding.name));
            binding.scope = None;
            // Only said to be the file's, and given nothing.
            return binding.of_type.is_some() || binding.value.is_some();
        }
        true
    });
    for (_, Bound { binding, .. }) in &mut found {
        if binding.scope.is_some_and(|scope| shared.contains(&(scope, binding.name))) {
            (binding.place, binding.scope) = (Place::Global, None);
        }
    }
    let declared: HashMap<(Option<SymbolId>, Name), Place> = found
        .iter()
        .filter(|(_, bound)| bound.how != How::Assigned && bound.binding.place != Place::Field)
        .map(|(_, Bound { binding, .. })| ((binding.scope, binding.name), binding.place))
        .collect();
    let placed = found.into_iter().map(|(at, Bound { mut binding, how, .. })| {
        if how == How::Assigned {
            let around = nest.innermost(at).into_iter().flat_map(|id| nest.upward(id)).map(Some);
            let known = around
                .chain([None])
                .find_map(|scope| declared.get(&(scope, binding.name)).map(|place| (*place, scope)));
            // What is declared nowhere here is the file's, or somebody's it can see.
            (binding.place, binding.scope) = known.unwrap_or((Place::Global, None));
        }
        binding
    });
    placed.collect()
}

/// Where a name holds; for a name of the file, the function it is said in.
fn scope(
    at: usize,
    binding: &Binding,
    column: u32,
    nest: &Nest,
    symbols: &[Symbol],
    settings: &Settings,
) -> (Place, Option<SymbolId>) {
    let around = nest.innermost(at).into_iter().flat_map(|id| nest.upward(id));
    let mut own_end = None;
    let mut around = around
        .filter(|id| {
            let symbol = &symbols[id.0 as usize];
            // The name of a symbol is not inside of it: `const f = () => …` binds f outside. Nor is it inside of the
            // others of one declaration: `var a, b int`, `a = b = 1`.
            let mut together =
                symbols[..=id.0 as usize].iter().rev().take_while(|other| other.span == symbol.span);
            let is_own = together.any(|symbol| {
                (symbol.name_line, symbol.name_column) == (binding.line, column)
                    && symbol.name == binding.name
                    && (!symbol.kind.is_type() || settings.kinds_by_place)
            });
            if is_own {
                own_end = Some(symbol.span.end);
            }
            let is_value = settings.kinds_by_place && place::is_value(symbol.kind);
            let beside = is_value && own_end == Some(symbol.span.end);
            // `__construct(private A $a)`: the parameter is the constructor's, the field is not.
            let elsewhere = is_value && symbol.parent != nest.parent(*id);
            !is_own && !beside && !elsewhere
        })
        .peekable();
    let of_type = |id: &SymbolId| symbols[id.0 as usize].kind.is_type();
    let in_type = around.peek().is_some_and(of_type);
    if settings.kinds_by_place && binding.place == Place::Local && in_type {
        return (Place::Field, around.next());
    }
    let scope = match binding.place {
        Place::Field => {
            let all: Vec<SymbolId> = around.collect();
            let of_owner = || {
                let owner = all.iter().find_map(|id| symbols[id.0 as usize].owner)?;
                let named = |symbol: &Symbol| symbol.name == owner && symbol.kind.is_type();
                settings.owners_are_types.then(|| symbols.iter().position(named))?
            };
            let own = all.iter().find(|id| of_type(id)).copied();
            own.or_else(|| of_owner().map(|at| SymbolId(at as u32))).or(all.first().copied())
        }
        // A type may have parameters, too: `class A(b: B)`, `type F func(b B)`, `List[T]`.
        Place::Parameter if !settings.kinds_by_place => {
            around.find(|id| symbols[id.0 as usize].kind != Kind::Module)
        }
        Place::Parameter | Place::Local | Place::Global => {
            around.find(|id| !of_type(id) && symbols[id.0 as usize].kind != Kind::Module)
        }
    };
    match (binding.place, scope) {
        (Place::Local, None) => (Place::Global, None),
        (place, scope) => (place, scope),
    }
}

/// What a file hands on of its own (`export { a, b as c }`): a definition under its own name is simply public; what was
/// brought in is handed on from where it came.
pub(crate) fn own_exports(imports: &mut Vec<Import>, symbols: &mut [Symbol], nothing: Name) {
    let is_own = |import: &Import| import.reexport && import.module == nothing;
    let brought: HashMap<Name, Import> = imports
        .iter()
        .filter(|import| !is_own(import) && import.within.is_none())
        .filter_map(|import| Some((import.local?, import.clone())))
        .collect();
    imports.retain_mut(|import| {
        let (true, Some(name)) = (is_own(import), import.name) else { return true };
        let mut here = false;
        for symbol in symbols.iter_mut().filter(|symbol| symbol.name == name && symbol.parent.is_none()) {
            symbol.flags.public = true;
            here = true;
        }
        if !here && let Some(from) = brought.get(&name) {
            (import.module, import.name, import.wildcard) = (from.module, from.name, from.wildcard);
            return true;
        }
        !here || import.local != Some(name)
    });
}

/// `require("a")` alone is no import of its own where what it gives is brought in by name.
pub(crate) fn forget_bare(imports: &mut Vec<Import>) {
    let is_bare = |import: &Import| import.local.is_none() && !import.wildcard;
    let named: Vec<(Name, u32, u32)> = imports
        .iter()
        .filter(|import| !is_bare(import))
        .map(|import| (import.module, import.line, import.end_line))
        .collect();
    if named.len() == imports.len() {
        return;
    }
    imports.retain(|import| {
        let has_it = |(module, line, end_line): &(Name, u32, u32)| {
            *module == import.module && (*line..=*end_line).contains(&import.line)
        };
        !is_bare(import) || !named.iter().any(has_it)
    });
}

/// What an exported object has is seen with it, and so is what a thing is given later.
pub(crate) fn share_visibility(symbols: &mut [Symbol]) {
    let exported: HashSet<Name> = symbols
        .iter()
        .filter(|symbol| symbol.flags.public && symbol.parent.is_none() && symbol.owner.is_none())
        .map(|symbol| symbol.name)
        .collect();
    for at in 0..symbols.len() {
        if symbols[at].owner.is_some_and(|owner| exported.contains(&owner)) {
            symbols[at].flags.public = true;
        }
        let Some(parent) = symbols[at].parent.map(|id| &symbols[id.0 as usize]) else { continue };
        if matches!(parent.kind, Kind::Constant | Kind::Variable) && parent.flags.public {
            symbols[at].flags.public = true;
        }
    }
}

/// How many neighbors come before a part that has no name: the `1` of `struct A(X, Y)`'s Y.
pub(crate) fn ordinal(node: Node<'_>) -> usize {
    std::iter::successors(node.prev_sibling(), Node::prev_sibling)
        .filter(|before| before.kind() == ",")
        .count()
}

/// The last line with a token of the node in it: some grammars end a node behind its line break.
pub(crate) fn last_line(node: Node<'_>, end: usize, text: &str) -> u32 {
    let written = text[node.start_byte()..end].trim_end();
    // A heading's section is longer than its node.
    let rows = if end == node.end_byte() {
        let cut = text[node.start_byte() + written.len()..end].matches('\n').count();
        (node.end_position().row + 1).saturating_sub(cut)
    } else {
        node.start_position().row + 1 + written.matches('\n').count()
    };
    rows.max(node.start_position().row + 1) as u32
}

/// Scala's `import a.{b, c => d}, e.f._` as one import each.
pub(crate) fn dotted<'t>(
    node: Node<'t>,
    text: &'t str,
    reexport: bool,
    names: &mut Names<'t>,
) -> Vec<Import> {
    let (line, end_line) = (node.start_position().row as u32 + 1, node.end_position().row as u32 + 1);
    let written = &text[node.byte_range()];
    let written = written.split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    let mut found = Vec::new();
    let mut depth = 0_i32;
    let paths = written.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    for path in paths {
        let (module, selected) = match path.split_once('{') {
            Some((module, selected)) => {
                (module.trim().trim_end_matches('.'), selected.trim().trim_end_matches('}'))
            }
            // `a.b as c` has a dot before its last name, too.
            None => path.trim().rsplit_once('.').unwrap_or(("", path.trim())),
        };
        for selector in selected.split(',').map(str::trim).filter(|selector| !selector.is_empty()) {
            let words: Vec<&str> = selector.split_whitespace().collect();
            let (name, local) = match words.as_slice() {
                [name, "=>" | "as", local, ..] => (*name, *local),
                [name, ..] => (*name, *name),
                [] => continue,
            };
            let wildcard = matches!(name, "_" | "*" | "given");
            let mut named = |name: &str| (!wildcard).then(|| names.made(name.trim_matches('`')));
            let (name, local) = (named(name), named(local).filter(|_| local != "_"));
            found.push(Import {
                module: names.made(module),
                name,
                local,
                wildcard,
                reexport,
                line,
                end_line,
                within: None,
            });
        }
    }
    found
}

/// Rust's `use a::{b::{c, d as e}, f::*}` as one import each.
pub(crate) fn use_tree<'t>(
    node: Node<'t>,
    text: &'t str,
    reexport: bool,
    names: &mut Names<'t>,
) -> Vec<Import> {
    let mut found = Vec::new();
    let whole = node.child_by_field_name("argument").unwrap_or(node);
    spread(whole, text, "", &mut |module, name, local, wildcard, at| {
        found.push(Import {
            module: names.made(module),
            name: name.map(|name| names.made(name)),
            local: local.map(|local| names.made(local)),
            wildcard,
            reexport,
            line: at.start_position().row as u32 + 1,
            end_line: at.end_position().row as u32 + 1,
            within: None,
        });
    });
    found
}

type Said<'a> = dyn FnMut(&str, Option<&str>, Option<&str>, bool, Node<'_>) + 'a;

fn spread(node: Node<'_>, text: &str, prefix: &str, say: &mut Said<'_>) {
    let words = |node: Node<'_>| text[node.byte_range()].split_whitespace().collect::<String>();
    let joined = |path: &str| if prefix.is_empty() { path.to_owned() } else { format!("{prefix}::{path}") };
    match node.kind() {
        "use_list" => {
            let mut cursor = node.walk();
            for child in node.named_children(&mut cursor) {
                spread(child, text, prefix, say);
            }
        }
        "scoped_use_list" => {
            let path = node.child_by_field_name("path").map(words).unwrap_or_default();
            let inner = if path.is_empty() { prefix.to_owned() } else { joined(&path) };
            if let Some(list) = node.child_by_field_name("list") {
                spread(list, text, &inner, say);
            }
        }
        "use_wildcard" => {
            let path = node.named_child(0).map(words).unwrap_or_default();
            let module = if path.is_empty() { prefix.to_owned() } else { joined(&path) };
            say(&module, None, None, true, node);
        }
        "use_as_clause" => {
            let path = node.child_by_field_name("path").map(words).unwrap_or_default();
            let alias = node.child_by_field_name("alias").map(words);
            item(&joined(&path), alias.as_deref(), node, say);
        }
        "identifier" | "scoped_identifier" | "crate" | "super" | "self" => {
            item(&joined(&words(node)), None, node, say);
        }
        _ => {}
    }
}

/// `a::b::c` is c of `a::b`; `a::b::self` is b of `a`.
fn item(path: &str, alias: Option<&str>, node: Node<'_>, say: &mut Said<'_>) {
    let path = path.strip_suffix("::self").unwrap_or(path);
    let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
    // `as _` is for a trait's methods: it has no name here.
    let local = alias.unwrap_or(name);
    say(module, Some(name), (local != "_").then_some(local), false, node);
}
