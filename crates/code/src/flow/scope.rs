//! Which variable a name is: scopes as the text nests them, and access paths (`x`, `self.count`, `cfg.server.port`).
//! Knows no control flow.

use std::collections::HashMap;

/// Members an access path keeps: `self.a.b.c` of `self.a.b.c.d`. Deeper ones are rare, and what is cut is only less exact.
pub(crate) const MAX_MEMBERS: usize = 3;
/// Aliases that are followed from one to the next: `a = b; c = a; c.push(1)`.
const MAX_ALIASES: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VariableId(pub(crate) u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PathId(pub(crate) u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Path<'t> {
    pub(crate) variable: VariableId,
    /// An empty text: no member.
    pub(crate) members: [&'t str; MAX_MEMBERS],
    /// Whether more members were written than are kept.
    pub(crate) cut: bool,
}

impl<'t> Path<'t> {
    pub(crate) fn of(variable: VariableId) -> Self {
        Self { variable, members: [""; MAX_MEMBERS], cut: false }
    }

    pub(crate) fn push(&mut self, member: &'t str) {
        match self.members.iter_mut().find(|kept| kept.is_empty()) {
            Some(kept) => *kept = member,
            None => self.cut = true,
        }
    }

    fn members(&self) -> impl Iterator<Item = &'t str> + '_ {
        self.members.iter().copied().take_while(|member| !member.is_empty())
    }

    /// Whether whoever changes this changes that too.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.variable == other.variable
            && self.members().zip(other.members.iter()).all(|(mine, theirs)| mine == *theirs)
    }

    /// Whether one is a part of the other.
    pub(crate) fn touches(&self, other: &Self) -> bool {
        self.covers(other) || other.covers(self)
    }
}

/// What a closure reads and changes of what is around it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Captures {
    pub(crate) reads: Vec<PathId>,
    pub(crate) changes: Vec<PathId>,
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is said by another word of the text")]
pub(crate) struct Variable<'t> {
    pub(crate) name: &'t str,
    /// How many functions are around its declaration, within the one that is looked at.
    pub(crate) function: u32,
    /// Declared in the text that is looked at: not a global, a module or a function of elsewhere.
    pub(crate) declared: bool,
    /// Of an expression alone (a comprehension, a lambda's parameter), or made up by us.
    pub(crate) inner: bool,
    /// Points at something others may change when they are handed it.
    pub(crate) pointer: bool,
    /// Declared as one that may change. Says something only where a language asks for it.
    pub(crate) mutable: bool,
    /// Whether everything it was given is a number or a text: `None`, it was given nothing yet.
    pub(crate) scalar: Option<bool>,
    /// Of the value a method is asked of, whose word is not written: its path begins there.
    field: bool,
    /// Bound by a pattern or a closure's list: it may be a reference without saying so.
    pub(crate) vague: bool,
    /// What it is a part of, or another name for.
    pub(crate) aliases: Vec<PathId>,
    pub(crate) captures: Captures,
}

#[derive(Debug, Default)]
struct Scope<'t> {
    names: HashMap<&'t str, VariableId>,
    is_function: bool,
    /// Names that it says are those of outside, and the place where it does.
    said: HashMap<&'t str, PathId>,
}

#[derive(Debug)]
pub(crate) struct Scopes<'t> {
    /// The innermost last. The first has what is outside of the function: variables of the file, words for the value a
    /// method is asked of.
    open: Vec<Scope<'t>>,
    pub(crate) variables: Vec<Variable<'t>>,
    pub(crate) paths: Vec<Path<'t>>,
    known: HashMap<Path<'t>, PathId>,
    functions: u32,
    /// Whether a name that nobody declared is a field.
    bare_fields: bool,
    /// Words for the value a method is asked of.
    own: Vec<VariableId>,
    /// Fields of that value by name, where they may stand alone.
    fields: HashMap<&'t str, VariableId>,
}

impl<'t> Scopes<'t> {
    pub(crate) fn new(bare_fields: bool) -> Self {
        let open = vec![Scope::default(), Scope { is_function: true, ..Scope::default() }];
        Self {
            open,
            variables: Vec::new(),
            paths: Vec::new(),
            known: HashMap::new(),
            functions: 0,
            bare_fields,
            own: Vec::new(),
            fields: HashMap::new(),
        }
    }

    /// A word for the value a method is asked of.
    pub(crate) fn declare_own(&mut self, word: &'t str) {
        let id = self.declare_at(0, word);
        self.own.push(id);
    }

    /// A variable of the file.
    pub(crate) fn declare_outside(&mut self, name: &'t str) {
        self.declare_at(0, name);
    }

    /// The word that need not be written before a field.
    pub(crate) fn bare_word(&self) -> Option<&'t str> {
        let own = self.own.first().filter(|_| self.bare_fields)?;
        Some(self.variables[own.0 as usize].name)
    }

    pub(crate) fn is_own(&self, id: VariableId) -> bool {
        self.own.contains(&id)
    }

    /// Whether a path is all of the value a method is asked of.
    pub(crate) fn is_whole_own(&self, path: PathId) -> bool {
        let path = &self.paths[path.0 as usize];
        self.is_own(path.variable) && path.members[0].is_empty()
    }

    /// Whether a variable is none of the function's.
    pub(crate) fn is_outside(&self, id: VariableId) -> bool {
        self.open[0].names.get(self.variables[id.0 as usize].name) == Some(&id)
    }

    /// Whether a name is one of the function's.
    pub(crate) fn is_inside(&self, name: &str) -> bool {
        self.open[1..].iter().any(|scope| scope.names.contains_key(name))
    }

    /// The variable of that name outside of the function.
    pub(crate) fn outside(&mut self, name: &'t str) -> VariableId {
        match self.open[0].names.get(name) {
            Some(id) => *id,
            None => self.make(0, name, false),
        }
    }

    pub(crate) fn enter(&mut self, is_function: bool) {
        self.open.push(Scope { is_function, ..Scope::default() });
        self.functions += u32::from(is_function);
    }

    pub(crate) fn leave(&mut self) {
        if self.open.len() > 2 {
            let left = self.open.pop();
            self.functions -= u32::from(left.is_some_and(|scope| scope.is_function));
        }
    }

    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// How many functions are around what is looked at now.
    pub(crate) fn functions(&self) -> u32 {
        self.functions
    }

    /// The variable a use of a name means.
    pub(crate) fn find(&mut self, name: &'t str) -> VariableId {
        if let Some(id) = self.known(name) {
            return id;
        }
        // Nobody said so yet: a global, or declared further down.
        if self.bare_fields && name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return self.field(name);
        }
        self.make(0, name, false)
    }

    fn field(&mut self, name: &'t str) -> VariableId {
        if let Some(id) = self.fields.get(name) {
            return *id;
        }
        let id = self.push(name, true);
        let variable = &mut self.variables[id.0 as usize];
        (variable.field, variable.function) = (true, 0);
        self.fields.insert(name, id);
        id
    }

    pub(crate) fn known(&self, name: &str) -> Option<VariableId> {
        self.open.iter().rev().find_map(|scope| scope.names.get(name).copied())
    }

    /// A new variable of the innermost scope, or the one of that scope and name.
    pub(crate) fn declare(&mut self, name: &'t str) -> VariableId {
        let at = self.open.len() - 1;
        self.declare_at(at, name)
    }

    /// A new variable of the innermost function.
    pub(crate) fn declare_in_function(&mut self, name: &'t str) -> VariableId {
        let at = self.open.iter().rposition(|scope| scope.is_function).unwrap_or(0);
        self.declare_at(at, name)
    }

    fn declare_at(&mut self, at: usize, name: &'t str) -> VariableId {
        // The first parameter of a method that is called like that: `self`.
        let own = self.open[0].names.get(name).copied().filter(|id| at == 1 && self.is_own(*id));
        if let Some(id) = own {
            return id;
        }
        match self.open[at].names.get(name) {
            Some(id) => {
                self.variables[id.0 as usize].declared = true;
                *id
            }
            None => self.make(at, name, true),
        }
    }

    /// The variable an assignment changes. Where assigning declares, that is one of the innermost function.
    pub(crate) fn assign(&mut self, name: &'t str, assigning_declares: bool) -> VariableId {
        if assigning_declares {
            let function = self.open.iter().rposition(|scope| scope.is_function).unwrap_or(0);
            let within = self.open[function..].iter().rev().find_map(|scope| scope.names.get(name));
            return match within {
                Some(id) => {
                    self.variables[id.0 as usize].declared = true;
                    *id
                }
                None => self.make(function, name, true),
            };
        }
        let id = self.find(name);
        self.variables[id.0 as usize].declared = true;
        id
    }

    /// The variable that holds a function by its name.
    pub(crate) fn assign_or_declare(&mut self, name: &'t str, assigning_declares: bool) -> VariableId {
        if assigning_declares { self.assign(name, true) } else { self.declare(name) }
    }

    /// `global x`, `nonlocal x`: the name is the one of outside. Gives what stands for having said so.
    pub(crate) fn outer(&mut self, name: &'t str) -> PathId {
        let said = self.unwritten();
        let function = self.open.iter().rposition(|scope| scope.is_function).unwrap_or(0);
        let outside = self.open[..function].iter().rev().find_map(|scope| scope.names.get(name).copied());
        let id = outside.unwrap_or_else(|| self.make(0, name, false));
        self.open[function].names.insert(name, id);
        self.open[function].said.insert(name, said);
        said
    }

    /// Where the innermost function says that a name is the one of outside.
    pub(crate) fn said(&self, name: &str) -> Option<PathId> {
        self.open.iter().rfind(|scope| scope.is_function)?.said.get(name).copied()
    }

    /// A variable nobody wrote: the value of an `if`, what a closure gives.
    pub(crate) fn unwritten(&mut self) -> PathId {
        let id = self.push("", true);
        self.variables[id.0 as usize].inner = true;
        self.path(Path::of(id))
    }

    fn make(&mut self, at: usize, name: &'t str, declared: bool) -> VariableId {
        let functions = self.open[..=at].iter().filter(|scope| scope.is_function).count() as u32;
        let id = self.push(name, declared);
        self.variables[id.0 as usize].function = functions.saturating_sub(1);
        self.open[at].names.insert(name, id);
        id
    }

    fn push(&mut self, name: &'t str, declared: bool) -> VariableId {
        self.variables.push(Variable {
            name,
            function: self.functions,
            declared,
            inner: false,
            pointer: false,
            mutable: false,
            scalar: None,
            field: false,
            vague: false,
            aliases: Vec::new(),
            captures: Captures::default(),
        });
        VariableId(self.variables.len() as u32 - 1)
    }

    pub(crate) fn path(&mut self, mut path: Path<'t>) -> PathId {
        let variable = &self.variables[path.variable.0 as usize];
        if variable.field
            && let Some(own) = self.own.first()
        {
            // `count` is `this.count`.
            let mut whole = Path::of(*own);
            whole.push(variable.name);
            path.members().for_each(|member| whole.push(member));
            whole.cut |= path.cut;
            path = whole;
        }
        if let Some(id) = self.known.get(&path) {
            return *id;
        }
        let id = PathId(self.paths.len() as u32);
        self.paths.push(path);
        self.known.insert(path, id);
        id
    }

    /// What is known about the variable of a path, or about the field it begins with.
    pub(crate) fn variable(&self, path: PathId) -> &Variable<'t> {
        let Path { variable, members, .. } = &self.paths[path.0 as usize];
        let field = self.fields.get(members[0]).filter(|_| self.bare_fields && self.is_own(*variable));
        &self.variables[field.unwrap_or(variable).0 as usize]
    }

    /// What else changes when this is changed through.
    pub(crate) fn aliases(&self, path: PathId) -> Vec<PathId> {
        let mut found = self.variable(path).aliases.clone();
        let mut at = 0;
        while at < found.len() && found.len() < MAX_ALIASES {
            for next in &self.variable(found[at]).aliases {
                if !found.contains(next) && *next != path {
                    found.push(*next);
                }
            }
            at += 1;
        }
        found
    }

    pub(crate) fn text(&self, path: PathId) -> String {
        let path = &self.paths[path.0 as usize];
        let root = self.variables[path.variable.0 as usize].name;
        let has_members = !path.members[0].is_empty();
        // As most write it: `count`, not `this.count`.
        let is_bare = self.bare_fields && self.is_own(path.variable) && has_members;
        let words: Vec<&str> = Some(root).filter(|_| !is_bare).into_iter().chain(path.members()).collect();
        words.join(".")
    }
}
