//! Names in sight: locals, what is defined around, the file's own, what is imported, what lies beside it.

use code::{Binding, Facts, Kind, Name, Place, Role, SymbolId};

use super::{At, Meaning, Resolver};
use crate::leaf::Leaf;
use crate::library::{Def, FileId};
use crate::modules::{Module, Target};

impl<'a> Resolver<'a> {
    /// What a bare name is here. `None`: it is nowhere in sight. Unknown: it is, and nobody can say what it holds.
    pub(super) fn name(&self, at: At<'a>, name: &str, role: Role) -> Option<Meaning> {
        let settings = at.leaf.language.settings();
        if settings.own.iter().any(|own| own == name) {
            // `cls()`, `Self(…)`, `self`.
            return self.own_type(at).map(|def| Meaning::Type(super::Ty::of(def)));
        }
        // `super(x)` in a constructor.
        if settings.implicit_own && role == Role::Call && settings.superior.iter().any(|word| word == name) {
            return self.own_type(at).map(Meaning::Bases);
        }
        let index = at.leaf.index();
        let known = index.name_id(name);
        let mut closed = false;
        // A field may be called like its type: `Logger *Logger`.
        let mut field = None;
        let mut scope = at.within;
        while let Some(id) = scope {
            let symbol = at.facts.symbol(id)?;
            if symbol.kind.is_type() {
                match self.in_type(at, id, name, role) {
                    Some(meaning @ (Meaning::Type(_) | Meaning::Module(_))) => return Some(meaning),
                    Some(meaning) if role == Role::Type => field = field.or(Some(meaning)),
                    Some(meaning) => return Some(meaning),
                    None => {}
                }
                // What a class is built with is seen in all of it: Kotlin's `class A(b: B)`.
                if let Some(meaning) = known.and_then(|known| self.in_function(at, id, known, role)) {
                    return Some(meaning);
                }
            } else if let Some(known) = known {
                if let Some(meaning) = self.in_function(at, id, known, role) {
                    return Some(meaning);
                }
                if let Some(meaning) = self.child(at, Some(id), known, role) {
                    return Some(meaning);
                }
            }
            if let Some(meaning) = known.and_then(|known| self.imported(at, Some(id), known)) {
                return Some(meaning);
            }
            if symbol.kind == Kind::Module && !symbol.flags.declared {
                if let Some(meaning) = self.wild(at, Some(id), name) {
                    return Some(meaning);
                }
                closed |= settings.closed_modules;
                if closed {
                    break;
                }
            }
            // A method that the text does not nest in its type still sees what the type has.
            if settings.implicit_own
                && symbol.owner.is_some()
                && let Some(owner) = self.owner(Def { file: at.file, symbol: id })
                && let Some(meaning) = self.member_of(owner, name)
            {
                return Some(meaning);
            }
            scope = symbol.parent;
        }
        if closed {
            return field;
        }
        self.in_file(at, name, known, role).or(field)
    }

    /// What a name is in all of a file. Remembered: `Vec` is said in many functions, and found in none of them.
    fn in_file(&self, at: At<'a>, name: &str, known: Option<Name>, role: Role) -> Option<Meaning> {
        let is_global = |binding: &u32| {
            let binding = &at.facts.bindings[*binding as usize];
            binding.place == Place::Global && binding.scope.is_none()
        };
        // Which one of a file's variables is meant depends on the line.
        let key = known.filter(|known| !at.leaf.index().bindings(*known).iter().any(is_global));
        let Some(key) = key.map(|known| (at.file, known, role, self.wants())) else {
            return self.look_in_file(at, name, known, role);
        };
        if let Some(known) = self.in_files.borrow().get(&key) {
            return known.clone();
        }
        let (found, is_settled) = self.handed.watch(|| self.look_in_file(at, name, known, role));
        if is_settled {
            self.in_files.borrow_mut().insert(key, found.clone());
        }
        found
    }

    fn look_in_file(&self, at: At<'a>, name: &str, known: Option<Name>, role: Role) -> Option<Meaning> {
        let at = At { within: None, ..at };
        if let Some(known) = known {
            if let Some(meaning) = self.child(at, None, known, role) {
                return Some(meaning);
            }
            if let Some(meaning) = self.imported(at, None, known) {
                return Some(meaning);
            }
            // A variable of the file that is no definition of its own.
            let global = at.leaf.index().bindings(known).iter().find(|binding| {
                let binding = &at.facts.bindings[**binding as usize];
                binding.place == Place::Global && binding.scope.is_none() && at.line <= binding.until
            });
            if let Some(global) = global {
                return Some(self.binding(at.file, at.leaf, *global));
            }
        }
        self.beside(at, name).or_else(|| self.bare_import(at, name)).or_else(|| self.wild(at, None, name))
    }

    /// A name that heads a path without being imported: `crate`, `self`, a dependency.
    pub(super) fn head(&self, at: At<'a>, name: &str) -> Option<Meaning> {
        let root = self.rules(at.leaf).and_then(|rules| rules.root(self.library, at.file, at.within, name));
        match root {
            Some(Target::Module(module)) => Some(Meaning::Module(module)),
            Some(Target::Outside) => Some(Meaning::Outside),
            Some(Target::Missing) => Some(Meaning::Unknown),
            None => self.open_type(at.leaf, name),
        }
    }

    /// A type that is in sight everywhere.
    pub(super) fn open_type(&self, leaf: &Leaf, name: &str) -> Option<Meaning> {
        if !leaf.language.settings().open_types {
            return None;
        }
        let mut tops = self.library.named(name).filter(|def| {
            let other = self.library.leaf(def.file);
            other.is_some_and(|other| super::same_family(other, leaf))
                && self.library.symbol(*def).is_some_and(|symbol| {
                    symbol.kind.is_type() && symbol.parent.is_none() && symbol.owner.is_none()
                })
        });
        Some(Meaning::Type(super::Ty::of(self.whole(tops.next()?))))
    }

    /// What is defined right in a scope under this name.
    fn child(&self, at: At<'a>, scope: Option<SymbolId>, name: Name, role: Role) -> Option<Meaning> {
        let mut found: Option<(bool, Def)> = None;
        for id in at.leaf.index().symbols(name) {
            let symbol = &at.facts.symbols[id.0 as usize];
            if !is_child(at.facts, symbol.parent, scope)
                || symbol.owner.is_some()
                || !has_name(symbol.kind, at.leaf.language.settings())
            {
                continue;
            }
            let def = Def { file: at.file, symbol: *id };
            // A type and a function may have one name; what is called by a plain name is either.
            let fits = match role {
                Role::Type => symbol.kind.is_type() || symbol.kind == Kind::Module,
                // `interface A` beside `const A`.
                _ => !matches!(symbol.kind, Kind::Interface | Kind::Type),
            };
            let better = found.is_none_or(|(known, _)| fits && !known);
            if better {
                found = Some((fits, def));
            }
        }
        found.map(|(_, def)| self.symbol_meaning(at.leaf, def))
    }

    fn in_function(&self, at: At<'a>, scope: SymbolId, name: Name, role: Role) -> Option<Meaning> {
        if role == Role::Type {
            return None;
        }
        let declared_first = at.leaf.language.settings().declared_first;
        let bindings = at.leaf.index().bindings(name).iter().copied();
        let mine = bindings.filter(|binding| {
            let binding = &at.facts.bindings[*binding as usize];
            // What has ended is not meant, nor is a parameter of a function that only begins behind it.
            let is_behind = (declared_first
                || binding.place == Place::Parameter && binding.until != u32::MAX)
                && !has_begun(binding, at);
            binding.scope == Some(scope)
                && matches!(binding.place, Place::Parameter | Place::Local)
                && at.line <= binding.until
                && !is_behind
        });
        // The last one before it is used; in a loop it may be one further down.
        let mut chosen: Option<(u32, &Binding)> = None;
        for at_index in mine {
            let binding = &at.facts.bindings[at_index as usize];
            let better = match chosen {
                None => true,
                Some((_, known)) => {
                    let is_inner = binding.until < known.until;
                    has_begun(binding, at) && (is_inner || tells(binding) || !tells(known))
                }
            };
            if better {
                chosen = Some((at_index, binding));
            }
        }
        let (chosen, binding) = chosen?;
        if !has_begun(binding, at) && self.open.borrow().contains(&(at.file, chosen)) {
            return None;
        }
        // `let f = () => …` is a definition: that one is meant, not what it holds.
        if let Some(def) = defined_here(at, scope, binding) {
            return Some(self.symbol_meaning(at.leaf, def));
        }
        Some(self.binding(at.file, at.leaf, chosen))
    }

    /// In the body of a type its own names are in sight; from its methods only where the language says so.
    fn in_type(&self, at: At<'a>, scope: SymbolId, name: &str, role: Role) -> Option<Meaning> {
        let settings = at.leaf.language.settings();
        let def = Def { file: at.file, symbol: scope };
        if settings.implicit_own {
            let owner = self.canonical(def).unwrap_or(def);
            return self.member_of(owner, name);
        }
        let known = at.leaf.index().name_id(name)?;
        (at.within == Some(scope)).then(|| self.child(at, Some(scope), known, role)).flatten()
    }

    /// What the files beside this one define, where that can be seen without an import.
    fn beside(&self, at: At<'a>, name: &str) -> Option<Meaning> {
        let rules = self.rules(at.leaf)?;
        // Asked by name first: the files of a package may be many.
        let defining = self.library.defining(name);
        if defining.is_empty() {
            return None;
        }
        let siblings = rules.siblings(self.library, at.file);
        for file in siblings {
            if defining.contains(&file)
                && let Some(meaning) = self.top_level(file, name)
            {
                return Some(meaning);
            }
        }
        None
    }

    /// What a file defines at its top under this name.
    pub(super) fn top_level(&self, file: FileId, name: &str) -> Option<Meaning> {
        let there = self.at(file, None, u32::MAX)?;
        let known = there.leaf.index().name_id(name)?;
        self.child(there, None, known, Role::Value)
    }

    /// What a definition is to whoever names it.
    pub(super) fn symbol_meaning(&self, leaf: &'a Leaf, def: Def) -> Meaning {
        let Some(symbol) = self.library.symbol(def) else { return Meaning::Unknown };
        match symbol.kind {
            Kind::Module => {
                if symbol.flags.declared
                    && let Some(rules) = self.rules(leaf)
                {
                    let name = leaf.facts().text(symbol.name);
                    let of = Module { files: vec![def.file], folder: None, within: symbol.parent };
                    if let Some(module) = rules.child(self.library, &of, name) {
                        return Meaning::Module(module);
                    }
                }
                Meaning::Module(Module { files: vec![def.file], folder: None, within: Some(def.symbol) })
            }
            kind if kind.is_type() => Meaning::Type(super::Ty::of(self.whole(def))),
            _ => Meaning::Def(def, None),
        }
    }

    /// The definition a variable is another name of.
    pub(crate) fn held(&self, file: FileId, index: u32) -> Option<Def> {
        match self.binding(file, self.library.leaf(file)?, index) {
            Meaning::Def(def, _) | Meaning::Type(super::Ty { head: super::Head::Def(def), .. }) => Some(def),
            _ => None,
        }
    }

    /// What a variable holds, by its type if that is written, else by what it is given.
    pub(super) fn binding(&self, file: FileId, leaf: &'a Leaf, index: u32) -> Meaning {
        let key = (file, index);
        if let Some(known) = self.bindings.borrow().get(&key) {
            return known.clone();
        }
        // A variable that is made of itself is unknown while we think about it.
        self.bindings.borrow_mut().insert(key, Meaning::Unknown);
        self.open.borrow_mut().insert(key);
        let meaning = self.deeper(|| self.bound_to(file, leaf, index)).unwrap_or(Meaning::Unknown);
        self.open.borrow_mut().remove(&key);
        self.bindings.borrow_mut().insert(key, meaning.clone());
        meaning
    }

    fn bound_to(&self, file: FileId, leaf: &'a Leaf, index: u32) -> Meaning {
        let facts = leaf.facts();
        let Some(binding) = facts.bindings.get(index as usize) else { return Meaning::Unknown };
        let Some(at) = self.at(file, binding.scope, binding.line) else { return Meaning::Unknown };
        if let Some(of_type) = binding.of_type {
            return match self.type_of(at, facts.text(of_type), None) {
                Some(ty) if ty.head == super::Head::Outside => Meaning::Outside,
                Some(ty) => Meaning::Value(ty),
                None => Meaning::Unknown,
            };
        }
        let Some(value) = binding.value else { return self.lent(at, binding) };
        // `x = x.strip()` means the x before it.
        let at = At { column: binding.column.saturating_sub(1), ..at };
        // What a field is given is seen from the method it is given in, which is not kept: its parameters are looked for.
        let at = if binding.place == Place::Field { giver(at, binding) } else { at };
        match self.chain(at, value) {
            Meaning::Def(def, asked) => {
                // A variable that is given another variable holds what that holds.
                let held = self.value_of(&Meaning::Def(def, asked));
                if held == Meaning::Unknown { Meaning::Def(def, asked) } else { held }
            }
            meaning => meaning,
        }
    }
}

/// Whether a symbol stands right in a scope; a block without a name (Rust's `impl`) is not a scope of names.
pub(super) fn is_child(facts: &Facts, parent: Option<SymbolId>, scope: Option<SymbolId>) -> bool {
    let mut at = parent;
    while at != scope {
        // Namespaces and tests' blocks do not hide what is in them from the file.
        let around = at.and_then(|id| facts.symbol(id));
        let Some(around) = around.filter(|a| scope.is_none() && a.flags.block && a.owner.is_none()) else {
            return false;
        };
        // A parent stands before its children: a damaged row cannot make a circle.
        at = around.parent.filter(|parent| Some(*parent) < at);
    }
    true
}

fn has_begun(binding: &Binding, at: At<'_>) -> bool {
    (binding.line, binding.column) <= (at.line, at.column)
}

fn defined_here(at: At<'_>, scope: SymbolId, binding: &Binding) -> Option<Def> {
    let ids = at.leaf.index().symbols(binding.name).iter();
    let same = ids.filter(|id| {
        let symbol = &at.facts.symbols[id.0 as usize];
        symbol.parent == Some(scope) && symbol.name_line == binding.line && symbol.kind.is_callable()
    });
    same.map(|id| Def { file: at.file, symbol: *id }).next()
}

/// The method a field is given its value in.
fn giver<'a>(at: At<'a>, binding: &Binding) -> At<'a> {
    let inner = at.facts.symbols.iter().enumerate().rev().find(|(_, symbol)| {
        symbol.kind.is_callable() && symbol.span.line <= binding.line && binding.line <= symbol.span.end_line
    });
    match inner {
        Some((id, _)) => At { within: Some(SymbolId(id as u32)), ..at },
        None => at,
    }
}

/// Whether a definition can be named without what it is a part of.
pub(super) fn has_name(kind: Kind, settings: &code::Settings) -> bool {
    let is_member = matches!(kind, Kind::Method | Kind::Property | Kind::Field | Kind::Constructor);
    let is_nameless = matches!(kind, Kind::Impl | Kind::Test);
    !(is_nameless || is_member && settings.closed_members)
}

fn tells(binding: &Binding) -> bool {
    binding.of_type.is_some() || binding.value.is_some()
}
