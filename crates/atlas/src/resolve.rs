//! What a reference means: the definition it names, found as the language finds it — scopes, imports, the types of
//! receivers, what a type inherits. Where the text does not show a receiver's type, one definition may still be the only
//! one that fits; that is said to be less sure, and never guessed among several.

mod exports;
mod fixtures;
mod given;
mod guess;
mod handed;
mod members;
mod scopes;
mod types;
mod written;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use code::{Chain, ChainId, Facts, Kind, Name, Reference, Role, Root, Step, SymbolId};

use crate::leaf::Leaf;
use crate::library::{Def, FileId, Library, folder_of};
use crate::modules::{Module, Modules, Rules};
pub(crate) use fixtures::is_run_by_framework;
pub(crate) use types::{Head, Ty};

/// Steps of thought for one reference; code that needs more is not understood by its readers, either.
const MAX_DEPTH: u32 = 48;
/// Definitions of one name that are looked through when a receiver's type is unknown.
const MAX_GUESSES: usize = 64;

/// What a name or an expression is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Meaning {
    Module(Module),
    /// A function, a method, a constant, a variable: itself, asked of a value of this type.
    Def(Def, Option<Def>),
    Type(Ty),
    Value(Ty),
    /// What this type extends.
    Bases(Def),
    /// Nothing of this workspace.
    Outside,
    Unknown,
}

/// What a reference turned out to be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolution {
    /// The definition; several where a language has overloads.
    pub defs: Vec<Def>,
    /// The receiver's type was seen.
    pub sure: bool,
    /// It is known to be none of the workspace's.
    pub outside: bool,
}

/// A chain of a file, seen from a definition of it.
type Place = (FileId, ChainId, Option<SymbolId>);

/// A name in a file, its role, and how it was asked for.
type Said = (FileId, Name, Role, u8);

/// Resolves references of one state of the library; what it found out is remembered as long as it lives.
pub struct Resolver<'a> {
    library: &'a Library,
    rules: &'a Rules,
    depth: Cell<u32>,
    /// Whether what is looked for is a value: a module of the same name is then not meant.
    wants_value: Cell<bool>,
    /// A name in the place of a type is looked for.
    wants_type: Cell<bool>,
    /// Whether what is looked for is called: a field of the same name is then not meant, if there is a method.
    wants_call: Cell<bool>,
    bindings: RefCell<HashMap<(FileId, u32), Meaning>>,
    /// Variables that are being thought about: `let x = x()` does not mean the x it makes.
    open: RefCell<HashSet<(FileId, u32)>>,
    chains: RefCell<HashMap<Place, Meaning>>,
    /// What functions give whose types do not say it.
    given: RefCell<HashMap<(Def, Option<Def>), Meaning>>,
    /// Whether members of these names are asked of what is not of the workspace.
    foreign: RefCell<HashMap<String, bool>>,
    owners: RefCell<HashMap<Def, Option<Def>>>,
    wholes: RefCell<HashMap<Def, Def>>,
    bases: RefCell<HashMap<Def, Vec<Option<Def>>>>,
    handed: handed::Handed,
    guesses: RefCell<guess::Guesses>,
    /// What a name is in all of a file.
    in_files: RefCell<HashMap<Said, Option<Meaning>>>,
    /// What wildcard imports take from, by file, import and how it was asked for.
    sources: RefCell<HashMap<(FileId, u32, u8), Meaning>>,
}

impl std::fmt::Debug for Resolver<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resolver").finish_non_exhaustive()
    }
}

/// Where in which file a name is met.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) file: FileId,
    pub(crate) leaf: &'a Leaf,
    pub(crate) facts: &'a Facts,
    pub(crate) within: Option<SymbolId>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl<'a> Resolver<'a> {
    pub fn new(library: &'a Library, rules: &'a Rules) -> Self {
        Self {
            library,
            rules,
            depth: Cell::new(0),
            wants_value: Cell::new(false),
            wants_type: Cell::new(false),
            wants_call: Cell::new(false),
            bindings: RefCell::default(),
            open: RefCell::default(),
            chains: RefCell::default(),
            given: RefCell::default(),
            foreign: RefCell::default(),
            owners: RefCell::default(),
            wholes: RefCell::default(),
            bases: RefCell::default(),
            handed: handed::Handed::default(),
            guesses: RefCell::default(),
            in_files: RefCell::default(),
            sources: RefCell::default(),
        }
    }

    pub fn library(&self) -> &'a Library {
        self.library
    }

    /// What a reference of a file means.
    pub fn resolve(&self, file: FileId, reference: &Reference) -> Resolution {
        let Some(at) = self.at(file, reference.within, reference.line) else { return Resolution::default() };
        let at = At { column: reference.column, ..at };
        let name = at.facts.text(reference.name);
        let is_value = !matches!(reference.role, Role::Type | Role::Base);
        let Some(chain) = reference.receiver else {
            return match self.wanting(is_value, || self.name(at, name, reference.role)) {
                Some(meaning) => self.settle(meaning, reference),
                None => match self.open_type(at.leaf, name) {
                    Some(meaning) => self.settle(meaning, reference),
                    None => self.anywhere(at, name),
                },
            };
        };
        let receiver = self.chain(at, chain);
        match receiver {
            Meaning::Unknown => self.guess(at, name, reference),
            Meaning::Outside => Resolution { outside: true, ..Resolution::default() },
            receiver => {
                let is_call = reference.role.is_call();
                let look = || self.calling(is_call, || self.member(at, &receiver, name));
                if let Some(meaning) = self.wanting(is_value, look) {
                    self.settle(meaning, reference)
                } else {
                    // A type whose bases are not all known may have it from there.
                    let outside = !matches!(receiver, Meaning::Module(_)) && self.is_open(&receiver);
                    Resolution { outside, ..Resolution::default() }
                }
            }
        }
    }

    pub(crate) fn at(&self, file: FileId, within: Option<SymbolId>, line: u32) -> Option<At<'a>> {
        let leaf = self.library.leaf(file)?;
        Some(At { file, leaf, facts: leaf.facts(), within, line, column: u32::MAX })
    }

    pub(crate) fn rules(&self, leaf: &Leaf) -> Option<&'a dyn Modules> {
        self.rules.of(leaf.language.name)
    }

    /// The definitions a meaning stands for.
    fn settle(&self, meaning: Meaning, reference: &Reference) -> Resolution {
        let sure = |defs| Resolution { defs, sure: true, outside: false };
        match meaning {
            Meaning::Def(def, _) => {
                let mut defs = self.overloads(def);
                // `const unknown = ZodUnknown.create`: who calls the one calls the other.
                if reference.role.is_call()
                    && self.library.symbol(def).is_some_and(|symbol| !symbol.kind.is_callable())
                {
                    let held = self.value_of(&meaning);
                    if held != meaning && matches!(held, Meaning::Def(..) | Meaning::Type(_)) {
                        defs.extend(self.settle(held, reference).defs);
                    }
                }
                sure(defs)
            }
            Meaning::Type(Ty { head: Head::Def(def), .. }) => {
                let mut defs = vec![def];
                if reference.role.is_call() {
                    defs.extend(self.constructors(def));
                }
                sure(defs)
            }
            Meaning::Module(module) => {
                let inner = module.within.zip(module.files.first());
                sure(inner.map(|(symbol, file)| Def { file: *file, symbol }).into_iter().collect())
            }
            Meaning::Outside | Meaning::Type(_) => Resolution { outside: true, ..Resolution::default() },
            Meaning::Bases(def) if reference.role.is_call() => {
                let bases = self.bases(def).into_iter().flatten();
                let built: Vec<Def> = bases.flat_map(|base| self.constructors(base)).collect();
                Resolution { sure: !built.is_empty(), defs: built, outside: false }
            }
            // A local variable: its name is nobody's.
            Meaning::Value(_) | Meaning::Bases(_) | Meaning::Unknown => Resolution::default(),
        }
    }

    /// The same name again in the same place: overloads, declarations beside their definition, branches of an `if`.
    fn overloads(&self, def: Def) -> Vec<Def> {
        let mut defs = vec![def];
        let Some((leaf, symbol)) = self.library.leaf(def.file).zip(self.library.symbol(def)) else {
            return defs;
        };
        if !symbol.kind.is_callable() {
            return defs;
        }
        let facts = leaf.facts();
        for id in leaf.index().symbols(symbol.name) {
            let other = &facts.symbols[id.0 as usize];
            let same =
                other.parent == symbol.parent && other.owner == symbol.owner && other.kind.is_callable();
            if *id != def.symbol && same {
                defs.push(Def { file: def.file, symbol: *id });
            }
        }
        if symbol.parent.is_none() && symbol.owner.is_none() {
            defs.extend(self.variants(leaf, def, facts.text(symbol.name)));
        }
        // A prototype stands for its definition elsewhere.
        if symbol.flags.declared && symbol.parent.is_none() && leaf.language.settings().global_names {
            let name = facts.text(symbol.name);
            defs.extend(self.library.named(name).filter(|other| {
                *other != def
                    && self
                        .library
                        .symbol(*other)
                        .is_some_and(|other| other.parent.is_none() && other.kind.is_callable())
            }));
        }
        defs
    }

    /// The same function in other files of a package that is one folder: one for each system (Go's `lock_windows.go`).
    fn variants(&self, leaf: &Leaf, def: Def, name: &str) -> Vec<Def> {
        let folder = folder_of(&leaf.path);
        let mut others = self.library.defining(name).iter().copied();
        // Very few have any: asking for all files beside it would cost more than the answer is worth.
        if !others.any(|file| file != def.file && folder_of(self.library.path(file)) == folder) {
            return Vec::new();
        }
        let beside = self.rules(leaf).map(|rules| rules.siblings(self.library, def.file)).unwrap_or_default();
        let defining = self.library.defining(name);
        let beside = beside.into_iter().filter(|file| defining.contains(file));
        let same = beside.flat_map(|file| self.library.named(name).filter(move |other| other.file == file));
        same.filter(|other| {
            self.library.symbol(*other).is_some_and(|other| {
                other.parent.is_none() && other.owner.is_none() && other.kind.is_callable()
            })
        })
        .collect()
    }

    /// What building a value of a type runs.
    pub(crate) fn constructors(&self, class: Def) -> Vec<Def> {
        let mut own = Vec::new();
        for part in self.parts(class) {
            let Some(leaf) = self.library.leaf(part.file) else { continue };
            let children = leaf.index().children(Some(part.symbol)).iter();
            let makes = children.filter(|id| leaf.facts().symbols[id.0 as usize].kind == Kind::Constructor);
            own.extend(makes.map(|id| Def { file: part.file, symbol: *id }));
        }
        if !own.is_empty() || self.depth.get() > MAX_DEPTH {
            return own;
        }
        // Without one of its own, its base's runs.
        self.deeper(|| {
            let base = self.bases(class).iter().flatten().next().copied();
            base.map(|base| self.constructors(base)).unwrap_or_default()
        })
        .unwrap_or_default()
    }

    /// A bare name that is nowhere in sight, in languages where that may be a name of any file.
    fn anywhere(&self, at: At<'_>, name: &str) -> Resolution {
        if !at.leaf.language.settings().global_names {
            return Resolution { outside: true, ..Resolution::default() };
        }
        let is_global = |def: &Def| {
            let leaf = self.library.leaf(def.file);
            let symbol = self.library.symbol(*def);
            leaf.zip(symbol).is_some_and(|(leaf, symbol)| {
                let public = symbol.flags.public || def.file == at.file;
                same_family(leaf, at.leaf) && symbol.parent.is_none() && symbol.owner.is_none() && public
            })
        };
        let defs: Vec<Def> = self.library.named(name).filter(is_global).take(MAX_GUESSES).collect();
        let defined: Vec<Def> = defs
            .iter()
            .copied()
            .filter(|def| self.library.symbol(*def).is_some_and(|s| !s.flags.declared))
            .collect();
        match (defined.len(), defs.len()) {
            (0, 0) => Resolution { outside: true, ..Resolution::default() },
            // A definition, and as many declarations of it as there are.
            (0 | 1, _) => Resolution { defs, sure: true, outside: false },
            _ => Resolution::default(),
        }
    }

    /// What an expression is.
    pub(crate) fn chain(&self, at: At<'a>, id: ChainId) -> Meaning {
        let key = (at.file, id, at.within);
        // Within one function a variable may change its meaning; a chain that begins with one is not remembered.
        let Some(chain) = at.facts.chain(id) else { return Meaning::Unknown };
        let keeps = !matches!(chain.root, Root::Name(_));
        if keeps && let Some(known) = self.chains.borrow().get(&key) {
            return known.clone();
        }
        let meaning =
            self.wanting_type(false, || self.wanting(false, || self.deeper(|| self.follow(at, chain))));
        let meaning = meaning.unwrap_or(Meaning::Unknown);
        if keeps {
            self.chains.borrow_mut().insert(key, meaning.clone());
        }
        meaning
    }

    fn follow(&self, at: At<'a>, chain: &Chain) -> Meaning {
        let mut meaning = match chain.root {
            Root::Name(name) => {
                let text = at.facts.text(name);
                match self.name(at, text, Role::Value) {
                    Some(meaning) => meaning,
                    None => match self.head(at, text) {
                        Some(meaning) => meaning,
                        // A type parameter: what it must be is known.
                        None => self.bound(at, text).map_or(Meaning::Outside, Meaning::Type),
                    },
                }
            }
            Root::Own => match self.own_type(at) {
                Some(def) => Meaning::Value(Ty::of(def)),
                None => self.head(at, "self").unwrap_or(Meaning::Unknown),
            },
            Root::Super => match self.own_type(at) {
                Some(def) => Meaning::Bases(def),
                None => self.head(at, "super").unwrap_or(Meaning::Unknown),
            },
            Root::Of(name) => {
                let text = at.facts.text(name);
                self.type_of(at, text, None).map_or(Meaning::Outside, Meaning::Value)
            }
            Root::Literal => Meaning::Outside,
            Root::Unknown => Meaning::Unknown,
        };
        let mut steps = chain.steps.as_slice();
        let mut taken_out = false;
        while let Some((step, rest)) = steps.split_first() {
            steps = rest;
            let is_call = rest.first() == Some(&Step::Call);
            if is_call
                && let Step::Member(name) = step
                && let Some(held) = self.held_by(at, &meaning, at.facts.text(*name))
            {
                taken_out = held != self.value_of(&meaning);
                (meaning, steps) = (held, &rest[1..]);
                continue;
            }
            // What was taken out of a list may not have been there: `list.first().map(|one| …)` is of the one.
            if *step == Step::Element && std::mem::take(&mut taken_out) && self.is_one(&meaning) {
                continue;
            }
            if let (Step::Element, Some(Step::Member(_))) = (step, rest.first())
                && let Some(pair) = self.pair(&meaning)
            {
                meaning = pair;
                continue;
            }
            meaning = self.calling(is_call, || self.step(at, &meaning, *step));
            if meaning == Meaning::Unknown {
                break;
            }
        }
        meaning
    }

    /// What a method of a holder gives: `unwrap` of an option, `iter` of a list. A type that has such a method itself is
    /// asked itself; one that has not is what it holds.
    fn held_by(&self, at: At<'a>, meaning: &Meaning, method: &str) -> Option<Meaning> {
        let holders = &at.leaf.language.settings().holders;
        let is = |methods: &[String]| methods.iter().any(|known| known == method);
        let (same, inside) = (is(&holders.same), is(&holders.inside));
        let (keys, values, counted) = (is(&holders.keys), is(&holders.values), is(&holders.counted));
        if !(same || inside || keys || values || counted) {
            return None;
        }
        let Meaning::Value(ty) = self.value_of(meaning) else { return None };
        if let Some(def) = ty.asked() {
            let is_own = self.calling(true, || self.member_of(def, method)).is_some();
            return (!is_own && (same || inside)).then(|| Meaning::Value(ty.clone()));
        }
        let ty = ty.opened();
        let held = match ty.head {
            Head::Around(_) if same => ty.clone(),
            Head::Around(_) if counted => ty.element()?.counted(),
            Head::Around(_) if inside || values => ty.element()?,
            Head::Around(_) => ty.inside(),
            Head::Def(_) | Head::Outside => return None,
        };
        let held = if keys || values || counted { held.many() } else { held };
        Some(if held.head == Head::Outside { Meaning::Outside } else { Meaning::Value(held) })
    }

    fn is_one(&self, meaning: &Meaning) -> bool {
        matches!(self.value_of(meaning), Meaning::Value(ty) if matches!(ty.opened().head, Head::Def(_)))
    }

    /// What a loop over pairs gives: both.
    fn pair(&self, meaning: &Meaning) -> Option<Meaning> {
        let Meaning::Value(ty) = self.value_of(meaning) else { return None };
        ty.opened().pair().map(Meaning::Value)
    }

    fn step(&self, at: At<'a>, meaning: &Meaning, step: Step) -> Meaning {
        match step {
            Step::Member(name) => {
                let name = at.facts.text(name);
                match meaning {
                    Meaning::Outside => Meaning::Outside,
                    _ => match self.member(at, meaning, name) {
                        Some(meaning) => meaning,
                        // What a type does not have itself it has from a base that is not here.
                        None if self.has_foreign_base(meaning) => Meaning::Outside,
                        None => Meaning::Unknown,
                    },
                }
            }
            Step::Call => self.called(meaning),
            Step::Element => match self.value_of(meaning) {
                Meaning::Value(ty) => self.element(&ty).map_or(Meaning::Unknown, Meaning::Value),
                // `f[T]` is f.
                function @ Meaning::Def(..) => function,
                // `Generic[T]` is Generic.
                Meaning::Type(ty) => Meaning::Type(ty),
                Meaning::Outside => Meaning::Outside,
                _ => Meaning::Unknown,
            },
            Step::Inside => match self.value_of(meaning) {
                Meaning::Value(ty) => Meaning::Value(ty.inside()),
                other => other,
            },
        }
    }

    /// What a call gives.
    fn called(&self, meaning: &Meaning) -> Meaning {
        match meaning {
            Meaning::Type(ty) => Meaning::Value(ty.clone()),
            Meaning::Outside => Meaning::Outside,
            Meaning::Def(def, asked) => {
                let Some(symbol) = self.library.symbol(*def) else { return Meaning::Unknown };
                if symbol.kind == Kind::Constructor {
                    let owner = asked.or_else(|| self.owner(*def));
                    return owner.map_or(Meaning::Unknown, |owner| Meaning::Value(Ty::of(owner)));
                }
                if !symbol.kind.is_callable() && symbol.kind != Kind::Variant {
                    // A variable that holds something that can be called.
                    return match self.value_of(meaning) {
                        held @ (Meaning::Type(_) | Meaning::Def(..)) if held != *meaning => {
                            self.called(&held)
                        }
                        Meaning::Outside => Meaning::Outside,
                        _ => Meaning::Unknown,
                    };
                }
                self.returned(*def, *asked)
            }
            _ => Meaning::Unknown,
        }
    }

    fn returned(&self, def: Def, asked: Option<Def>) -> Meaning {
        let Some(symbol) = self.library.symbol(def) else { return Meaning::Unknown };
        if symbol.kind == Kind::Variant {
            let owner = self.owner(def);
            return owner.map_or(Meaning::Unknown, |owner| Meaning::Value(Ty::of(owner)));
        }
        let Some(at) = self.at(def.file, Some(def.symbol), symbol.span.line) else { return Meaning::Unknown };
        let Some(returns) = symbol.returns else { return self.given(def, asked) };
        let ty = self.deeper(|| self.type_of(at, at.facts.text(returns), asked)).flatten();
        ty.map_or(Meaning::Unknown, Meaning::Value)
    }

    /// A variable, a constant, a property: what it holds. Anything else is itself.
    fn value_of(&self, meaning: &Meaning) -> Meaning {
        let Meaning::Def(def, asked) = meaning else { return meaning.clone() };
        let Some((leaf, symbol)) = self.library.leaf(def.file).zip(self.library.symbol(*def)) else {
            return Meaning::Unknown;
        };
        match symbol.kind {
            Kind::Property if symbol.returns.is_some() => self.returned(*def, *asked),
            Kind::Variant => self.returned(*def, *asked),
            Kind::Variable | Kind::Constant | Kind::Field | Kind::Property => {
                let index = leaf.index();
                let facts = leaf.facts();
                let binding = index
                    .bindings(symbol.name)
                    .iter()
                    .find(|at| facts.bindings[**at as usize].line == symbol.name_line);
                match binding {
                    Some(binding) => self.binding(def.file, leaf, *binding),
                    None if symbol.returns.is_some() => self.returned(*def, *asked),
                    None => Meaning::Unknown,
                }
            }
            _ => meaning.clone(),
        }
    }

    /// Whether something may have members nobody here can see.
    fn is_open(&self, meaning: &Meaning) -> bool {
        match meaning {
            Meaning::Value(Ty { head: Head::Def(def), .. })
            | Meaning::Type(Ty { head: Head::Def(def), .. })
            | Meaning::Bases(def) => self.has_unknown_base(*def, 0),
            Meaning::Module(_) => false,
            _ => true,
        }
    }

    fn has_foreign_base(&self, meaning: &Meaning) -> bool {
        let of_type = match self.value_of(meaning) {
            Meaning::Value(ty) | Meaning::Type(ty) => ty.asked(),
            Meaning::Bases(def) => Some(def),
            _ => None,
        };
        of_type.is_some_and(|def| self.has_unknown_base(def, 0))
    }

    /// What is wanted, as one number: an answer is remembered for who asks the same way.
    fn wants(&self) -> u8 {
        u8::from(self.wants_value.get())
            | u8::from(self.wants_type.get()) << 1
            | u8::from(self.wants_call.get()) << 2
    }

    /// Looks for a value, or for anything.
    fn wanting<T>(&self, value: bool, look: impl FnOnce() -> T) -> T {
        let before = self.wants_value.replace(value);
        let found = look();
        self.wants_value.set(before);
        found
    }

    fn wanting_type<T>(&self, of_type: bool, look: impl FnOnce() -> T) -> T {
        let before = self.wants_type.replace(of_type);
        let found = look();
        self.wants_type.set(before);
        found
    }

    /// Looks for what is called, or for anything.
    fn calling<T>(&self, call: bool, look: impl FnOnce() -> T) -> T {
        let before = self.wants_call.replace(call);
        let found = look();
        self.wants_call.set(before);
        found
    }

    /// Thinks one step further, unless it has gone on for too long.
    fn deeper<T>(&self, think: impl FnOnce() -> T) -> Option<T> {
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            self.handed.break_off();
            return None;
        }
        self.depth.set(depth + 1);
        let thought = think();
        self.depth.set(depth);
        Some(thought)
    }
}

/// Languages that call each other's definitions.
pub(crate) fn same_family(one: &Leaf, other: &Leaf) -> bool {
    const FAMILIES: &[&[&str]] =
        &[&["typescript", "tsx", "javascript"], &["c", "cpp"], &["java", "kotlin", "scala"]];
    let (one, other) = (one.language.name, other.language.name);
    one == other || FAMILIES.iter().any(|family| family.contains(&one) && family.contains(&other))
}
