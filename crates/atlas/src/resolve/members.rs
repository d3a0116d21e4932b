//! Members: what can be asked of a module, a type or a value of it, inherited or not.

use code::{Kind, Place, Symbol, SymbolId};

use super::types::Around;
use super::{At, Head, Meaning, Resolver, same_family};
use crate::leaf::Leaf;
use crate::library::Def;

/// Types above a type; more are a circle.
const MAX_HEIGHT: usize = 16;
/// Parts of one type that are looked at; a name of so many files is a namespace.
const MAX_PARTS: usize = 256;

impl<'a> Resolver<'a> {
    /// What `.name` of something is, asked from there.
    pub(super) fn member(&self, at: At<'a>, of: &Meaning, name: &str) -> Option<Meaning> {
        match of {
            Meaning::Module(module) => self.deeper(|| self.export(at, module, name)).flatten(),
            Meaning::Value(ty) if ty.head == Head::Around(Around::Tuple) => {
                let part = ty.arguments.get(name.parse::<usize>().ok()?)?.clone();
                Some(if part.head == Head::Outside { Meaning::Outside } else { Meaning::Value(part) })
            }
            Meaning::Type(ty) | Meaning::Value(ty) => match ty.asked() {
                Some(def) => self.member_of(def, name),
                None => (ty.head == Head::Outside).then_some(Meaning::Outside),
            },
            Meaning::Bases(def) => {
                let bases = self.bases(*def);
                let found = bases.iter().flatten().find_map(|base| self.member_of(*base, name));
                let unknown = bases.iter().any(Option::is_none);
                found.or_else(|| unknown.then_some(Meaning::Outside)).map(|meaning| match meaning {
                    // It is still asked of the value itself.
                    Meaning::Def(member, _) => Meaning::Def(member, Some(*def)),
                    other => other,
                })
            }
            Meaning::Def(named, _) => match self.value_of(of) {
                Meaning::Def(def, _) => {
                    // A member of a function: a static of it, or a nested definition that is named from outside.
                    let leaf = self.library.leaf(def.file)?;
                    self.member_of(def, name).or_else(|| self.nested(leaf, def, name))
                }
                held => match self.deeper(|| self.member(at, &held, name)).flatten() {
                    // An object that is written out: what it has is defined in it.
                    None | Some(Meaning::Outside | Meaning::Unknown) if has_objects(at.leaf) => {
                        let its = matches!(held, Meaning::Outside | Meaning::Unknown);
                        its.then(|| self.member_of(*named, name)).flatten().or(match held {
                            Meaning::Outside => Some(Meaning::Outside),
                            _ => None,
                        })
                    }
                    found => found,
                },
            },
            Meaning::Outside => Some(Meaning::Outside),
            Meaning::Unknown => None,
        }
    }

    fn nested(&self, leaf: &'a Leaf, of: Def, name: &str) -> Option<Meaning> {
        let known = leaf.index().name_id(name)?;
        let ids = leaf.index().symbols(known).iter();
        let mut inside = ids.filter(|id| leaf.facts().symbols[id.0 as usize].parent == Some(of.symbol));
        inside.next().map(|id| self.symbol_meaning(leaf, Def { file: of.file, symbol: *id }))
    }

    /// A member of a type, its own or inherited.
    pub(super) fn member_of(&self, of: Def, name: &str) -> Option<Meaning> {
        let of = self.whole(of);
        self.inherited(of, of, name, &mut Vec::new())
    }

    fn inherited(&self, asked: Def, of: Def, name: &str, seen: &mut Vec<Def>) -> Option<Meaning> {
        if seen.len() >= MAX_HEIGHT || seen.contains(&of) {
            return None;
        }
        seen.push(of);
        if let Some(meaning) = self.own_member(asked, of, name) {
            return Some(meaning);
        }
        self.bases(of).into_iter().flatten().find_map(|base| self.inherited(asked, base, name, seen))
    }

    /// What stands in a type under this name: a method before a field.
    fn written_in(&self, asked: Def, of: Def, name: &str) -> Option<(Meaning, Kind)> {
        let leaf = self.library.leaf(of.file)?;
        let facts = leaf.facts();
        let kind_of = |id: SymbolId| facts.symbols[id.0 as usize].kind;
        let ids = leaf.index().symbols(leaf.index().name_id(name)?).iter().copied();
        let children = ids.filter(|id| {
            let child = &facts.symbols[id.0 as usize];
            // What has no name of its own gives its members to the type around it: Kotlin's `companion object`.
            let in_block = child.parent.and_then(|id| facts.symbol(id)).is_some_and(|around| {
                around.flags.block && around.kind != Kind::Impl && around.parent == Some(of.symbol)
            });
            (child.parent == Some(of.symbol) || in_block) && child.kind != Kind::Impl
        });
        let id = children.min_by_key(|id| kind_of(*id) == Kind::Field)?;
        let meaning = self.symbol_meaning(leaf, Def { file: of.file, symbol: id });
        Some((asked_of(asked, meaning), kind_of(id)))
    }

    /// Other types of the same name beside a type: a companion (Scala's `object`), another part (C#'s `partial`).
    fn companions(&self, leaf: &'a Leaf, of: Def) -> Vec<Def> {
        let facts = leaf.facts();
        let Some(symbol) = facts.symbol(of.symbol) else { return Vec::new() };
        let is_type = |part: &Symbol| part.kind.is_type() && part.kind != Kind::Impl && !part.flags.block;
        let mut parts: Vec<Def> = leaf
            .index()
            .symbols(symbol.name)
            .iter()
            .filter(|id| {
                let part = &facts.symbols[id.0 as usize];
                **id != of.symbol && part.parent == symbol.parent && is_type(part)
            })
            .map(|id| Def { file: of.file, symbol: *id })
            .collect();
        if leaf.language.settings().partial_types {
            let elsewhere = self.library.named(facts.text(symbol.name)).filter(|part| part.file != of.file);
            parts.extend(elsewhere.filter(|part| {
                let there = self.library.leaf(part.file);
                there.is_some_and(|there| same_family(there, leaf) && there.package() == leaf.package())
                    && self.library.symbol(*part).is_some_and(is_type)
            }));
        }
        parts
    }

    /// What a type itself says it has.
    fn own_member(&self, asked: Def, of: Def, name: &str) -> Option<Meaning> {
        let leaf = self.library.leaf(of.file)?;
        let facts = leaf.facts();
        let symbol = facts.symbol(of.symbol)?;
        // `x.name()` is the method where there is a field of that name, too.
        let is_call = self.wants_call.take();
        let written = self.written_in(asked, of, name);
        let is_field = |found: &(Meaning, Kind)| is_call && found.1 == Kind::Field;
        let (field, mut method) = match written {
            Some(found) if is_field(&found) => (Some(found.0), None),
            other => (None, other),
        };
        if method.is_none() && field.is_none() {
            let mut beside = self.companions(leaf, of).into_iter();
            method = beside.find_map(|part| self.written_in(asked, part, name));
        }
        if let Some((meaning, _)) = method {
            return Some(meaning);
        }
        // Written elsewhere: behind a receiver, in an `impl`, in an extension, in another part of the type.
        let owner_name = facts.text(symbol.name);
        let is_open = leaf.language.settings().open_types;
        for def in self.library.named(name) {
            let Some(other) = self.library.leaf(def.file).filter(|other| same_family(other, leaf)) else {
                continue;
            };
            let Some(member) = self.library.symbol(def) else { continue };
            let written = match member.owner {
                Some(owner) => Some(other.facts().text(owner)),
                None if is_open => {
                    let around = member.parent.and_then(|id| other.facts().symbol(id));
                    around.map(|around| other.facts().text(around.name))
                }
                None => None,
            };
            let Some(written) = written else { continue };
            if last_part(written) == owner_name && self.owner(def) == Some(of) {
                return Some(asked_of(asked, self.symbol_meaning(other, def)));
            }
        }
        if field.is_some() {
            return field;
        }
        // A field that is only ever given a value.
        let mut last = None;
        for part in if is_open { self.parts(of) } else { vec![of] } {
            match self.given_field(part, name) {
                Some(Meaning::Unknown) => last = Some(Meaning::Unknown),
                Some(Meaning::Outside) => last = last.or(Some(Meaning::Outside)),
                Some(meaning) => return Some(meaning),
                None => {}
            }
        }
        last
    }

    /// The first value of a field that says what it is; `None` at the start is no answer.
    fn given_field(&self, of: Def, name: &str) -> Option<Meaning> {
        let leaf = self.library.leaf(of.file)?;
        let (facts, index) = (leaf.facts(), leaf.index());
        let known = index.name_id(name)?;
        let fields = index.bindings(known).iter().copied().filter(|binding| {
            let binding = &facts.bindings[*binding as usize];
            binding.place == Place::Field && binding.scope == Some(of.symbol)
        });
        let mut last = None;
        for field in fields {
            let meaning = self.binding(of.file, leaf, field);
            if !matches!(meaning, Meaning::Unknown | Meaning::Outside) {
                return Some(meaning);
            }
            last = Some(if last == Some(Meaning::Unknown) { Meaning::Unknown } else { meaning });
        }
        last
    }

    /// The type a member belongs to.
    pub(crate) fn owner(&self, def: Def) -> Option<Def> {
        if let Some(known) = self.owners.borrow().get(&def) {
            return *known;
        }
        self.owners.borrow_mut().insert(def, None);
        let owner = self.deeper(|| self.find_owner(def)).flatten();
        self.owners.borrow_mut().insert(def, owner);
        owner
    }

    fn find_owner(&self, def: Def) -> Option<Def> {
        let leaf = self.library.leaf(def.file)?;
        let facts = leaf.facts();
        let symbol = facts.symbol(def.symbol)?;
        if let Some(owner) = symbol.owner {
            let at = self.at(def.file, symbol.parent, symbol.span.line)?;
            return self.named_type(at, facts.text(owner));
        }
        let parent = symbol.parent?;
        let around = facts.symbol(parent)?;
        let def = Def { file: def.file, symbol: parent };
        if around.kind == Kind::Impl {
            return self.canonical(def);
        }
        around.kind.is_type().then(|| self.whole(def))
    }

    /// The parts of a type that is defined in several; itself alone in most languages.
    pub(super) fn parts(&self, def: Def) -> Vec<Def> {
        let Some((leaf, facts)) = self.library.leaf(def.file).zip(self.library.facts(def.file)) else {
            return vec![def];
        };
        let Some(symbol) = facts.symbol(def.symbol).filter(|_| leaf.language.settings().open_types) else {
            return vec![def];
        };
        let whole_name = facts.qualified(def.symbol);
        let same = self.library.named(facts.text(symbol.name)).filter(|other| {
            let there = self.library.leaf(other.file).filter(|there| same_family(there, leaf));
            there.is_some_and(|there| {
                let is_type = self.library.symbol(*other).is_some_and(|symbol| symbol.kind.is_type());
                is_type && there.facts().qualified(other.symbol) == whole_name
            })
        });
        same.take(MAX_PARTS).collect()
    }

    /// The part of a type that stands for all of them.
    pub(super) fn whole(&self, def: Def) -> Def {
        let is_open = self.library.leaf(def.file).is_some_and(|leaf| leaf.language.settings().open_types);
        if !is_open {
            return def;
        }
        if let Some(known) = self.wholes.borrow().get(&def) {
            return *known;
        }
        let whole = self.parts(def).first().copied().unwrap_or(def);
        self.wholes.borrow_mut().insert(def, whole);
        whole
    }

    /// The type that a block without a name is of (Rust's `impl`, Swift's `extension`); a type is its own.
    pub(super) fn canonical(&self, def: Def) -> Option<Def> {
        let facts = self.library.facts(def.file)?;
        let symbol = facts.symbol(def.symbol)?;
        if !symbol.flags.block && symbol.kind != Kind::Impl {
            return Some(def);
        }
        let at = self.at(def.file, symbol.parent, symbol.span.line)?;
        let written = symbol.owner.unwrap_or(symbol.name);
        let named = self.named_type(at, facts.text(written));
        // A class without a name is none but itself.
        named.or_else(|| (symbol.kind == Kind::Class).then_some(def))
    }

    /// The type around a place in the text: that of `self` there.
    pub(super) fn own_type(&self, at: At<'a>) -> Option<Def> {
        let within = at.within?;
        // In an object that is written out in a method, `this` is most often still the method's.
        let mut object = None;
        for id in std::iter::once(within).chain(at.facts.around(within)) {
            let symbol = at.facts.symbol(id)?;
            let def = Def { file: at.file, symbol: id };
            if symbol.owner.is_some()
                && symbol.kind != Kind::Impl
                && let Some(owner) = self.owner(def)
            {
                return Some(owner);
            }
            if symbol.kind.is_type() {
                return self.canonical(def).map(|def| self.whole(def));
            }
            if has_objects(at.leaf) && object.is_none() {
                // The object a method is written in, or what a function makes by being called with `new`.
                let is_maker = symbol.kind == Kind::Function
                    && at.facts.text(symbol.name).starts_with(char::is_uppercase);
                let is_member = matches!(symbol.kind, Kind::Method | Kind::Property);
                let parent = symbol.parent.filter(|_| is_member).map(|symbol| Def { file: at.file, symbol });
                object = if is_maker { Some(def) } else { parent };
            }
        }
        object
    }

    fn named_type(&self, at: At<'a>, written: &str) -> Option<Def> {
        match self.type_of(at, written, None)?.head {
            Head::Def(def) => Some(def),
            _ => None,
        }
    }

    /// What a type extends, in order. `None` for what is not of the workspace.
    pub(super) fn bases(&self, def: Def) -> Vec<Option<Def>> {
        if let Some(known) = self.bases.borrow().get(&def) {
            return known.clone();
        }
        self.bases.borrow_mut().insert(def, Vec::new());
        let bases = self.deeper(|| self.find_bases(def)).unwrap_or_default();
        self.bases.borrow_mut().insert(def, bases.clone());
        bases
    }

    fn find_bases(&self, def: Def) -> Vec<Option<Def>> {
        let Some(leaf) = self.library.leaf(def.file) else { return Vec::new() };
        let facts = leaf.facts();
        let Some(symbol) = facts.symbol(def.symbol) else { return Vec::new() };
        let Some(at) = self.at(def.file, symbol.parent, symbol.span.line) else { return Vec::new() };
        let mut bases: Vec<Option<Def>> = symbol
            .bases
            .iter()
            .map(|base| self.named_type(at, facts.text(*base)).filter(|base| *base != def))
            .collect();
        for part in self.parts(def).into_iter().filter(|part| *part != def) {
            let Some((facts, symbol)) = self.library.facts(part.file).zip(self.library.symbol(part)) else {
                continue;
            };
            let Some(there) = self.at(part.file, symbol.parent, symbol.span.line) else { continue };
            let more = symbol.bases.iter().map(|base| self.named_type(there, facts.text(*base)));
            bases.extend(more.filter(|base| *base != Some(def)));
        }
        // What is implemented for it in blocks of their own.
        let name = facts.text(symbol.name);
        for block in self.library.named(name) {
            let Some(other) = self.library.leaf(block.file).filter(|other| same_family(other, leaf)) else {
                continue;
            };
            let Some(implemented) = self.library.symbol(block).filter(|s| s.kind == Kind::Impl) else {
                continue;
            };
            let Some(of_trait) = implemented.of_trait else { continue };
            if self.canonical(block) != Some(def) {
                continue;
            }
            let Some(there) = self.at(block.file, implemented.parent, implemented.span.line) else {
                continue;
            };
            // A trait of elsewhere has no definition to inherit from, and adds nothing that is unknown here.
            bases.extend(
                self.named_type(there, other.facts().text(of_trait)).filter(|base| *base != def).map(Some),
            );
        }
        bases
    }

    pub(super) fn inherits(&self, from: Def, base: Def) -> bool {
        let (mut open, mut seen) = (vec![from], Vec::new());
        while let Some(at) = open.pop() {
            if at == base {
                return true;
            }
            if seen.len() < MAX_HEIGHT * 4 && !seen.contains(&at) {
                seen.push(at);
                open.extend(self.bases(at).into_iter().flatten());
            }
        }
        false
    }

    /// The methods of its type's bases that a method stands in for.
    pub(crate) fn overridden(&self, def: Def) -> Vec<Def> {
        let Some((facts, symbol)) = self.library.facts(def.file).zip(self.library.symbol(def)) else {
            return Vec::new();
        };
        let Some(owner) =
            self.owner(def).filter(|_| symbol.kind.is_callable() && symbol.kind != Kind::Constructor)
        else {
            return Vec::new();
        };
        let name = facts.text(symbol.name);
        let bases = self.bases(owner).into_iter().flatten();
        let found = bases.filter_map(|base| match self.member_of(base, name)? {
            Meaning::Def(member, _) if member != def => Some(member),
            _ => None,
        });
        found.collect()
    }

    /// Whether what a type extends is not all here.
    pub(crate) fn extends_unknown(&self, def: Def) -> bool {
        self.has_unknown_base(def, 0)
    }

    /// Whether a type extends something that is not of the workspace.
    pub(super) fn has_unknown_base(&self, def: Def, height: usize) -> bool {
        height < MAX_HEIGHT
            && self
                .bases(def)
                .into_iter()
                .any(|base| base.is_none_or(|base| self.has_unknown_base(base, height + 1)))
    }
}

/// Whether an object may be made without a type: by being written out, or by a function.
fn has_objects(leaf: &Leaf) -> bool {
    !leaf.language.settings().prototypes.is_empty()
}

fn last_part(path: &str) -> &str {
    path.rsplit(['.', ':', '\\']).next().unwrap_or(path)
}

/// A member is remembered with the type it was asked of.
fn asked_of(asked: Def, meaning: Meaning) -> Meaning {
    match meaning {
        Meaning::Def(def, _) => Meaning::Def(def, Some(asked)),
        other => other,
    }
}
