//! What the text of one file says: definitions, references, imports and what names stand for. Nothing here is resolved:
//! a reference is written down as it was written, and whoever knows the other files finds out what it means.

use serde::{Deserialize, Serialize};

/// A text of this file that occurs more than once: an index into [`Facts::names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Name(pub u32);

/// An index into [`Facts::symbols`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SymbolId(pub u32);

/// An index into [`Facts::chains`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChainId(pub u32);

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Facts {
    /// Each text once.
    pub names: Vec<Box<str>>,
    /// In the order of the text; what contains another comes before it.
    pub symbols: Vec<Symbol>,
    /// In the order of the text.
    pub references: Vec<Reference>,
    pub imports: Vec<Import>,
    pub bindings: Vec<Binding>,
    pub chains: Vec<Chain>,
    /// The package or namespace the file says it belongs to (`package x`, `namespace A\B`).
    pub package: Option<Name>,
    /// Lines of the text.
    pub lines: u32,
    /// Whether a part of it could not be parsed. What could be is here all the same.
    pub broken: bool,
}

/// Where something stands. Lines and columns count from 1, columns in bytes; ends are inclusive lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    pub line: u32,
    pub end_line: u32,
    /// Bytes of the text, for whoever has it at hand.
    pub start: u32,
    pub end: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    pub name: Name,
    pub kind: Kind,
    /// From the first token of the definition, decorators, attributes and comments left out, to its last.
    pub span: Span,
    /// Where its name stands, for whoever points at it.
    pub name_line: u32,
    pub name_column: u32,
    /// The definition around it in the text.
    pub parent: Option<SymbolId>,
    /// The type it belongs to where the text does not nest it there: a method's receiver, an `impl`'s type, as written
    /// but without type arguments.
    pub owner: Option<Name>,
    /// The trait or interface it is a part of where the text says so (`impl Trait for Type`).
    pub of_trait: Option<Name>,
    /// What it extends, implements, embeds or mixes in, as written without type arguments.
    pub bases: Vec<Name>,
    /// The type a call of it gives, as written.
    pub returns: Option<Name>,
    /// One line: the definition without its body, white space folded.
    pub signature: Box<str>,
    /// The first line of what is said about it.
    pub doc: Option<Box<str>>,
    /// Decorators, attributes and annotations as written, without their arguments: `app.route`, `test`, `Override`.
    pub marks: Vec<Name>,
    pub flags: Flags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is true or false on its own")]
pub struct Flags {
    /// Visible outside its file (or package, where that is what the language means).
    pub public: bool,
    /// A test, or a part of one.
    pub test: bool,
    /// Belongs to the type itself: static methods, associated functions without a receiver, class methods.
    pub of_type: bool,
    /// Declared without a body: interface methods, prototypes, abstract methods, overload signatures.
    pub declared: bool,
    /// A type of which `of_trait` or an anonymous block is meant (Rust `impl`, Swift `extension`): it has no name of its own.
    pub block: bool,
}

macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident $name:literal),+ $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Kind { $($(#[$about])* $kind),+ }

        impl Kind {
            pub const ALL: &[Kind] = &[$(Kind::$kind),+];

            /// As it stands in queries (`@definition.function`), in answers and in filters.
            pub const fn name(self) -> &'static str {
                match self { $(Kind::$kind => $name),+ }
            }
        }
    };
}

kinds! {
    Function "function",
    Method "method",
    Constructor "constructor",
    Class "class",
    Struct "struct",
    Enum "enum",
    Interface "interface",
    Trait "trait",
    Impl "impl",
    Type "type",
    Constant "constant",
    Variable "variable",
    Field "field",
    Variant "variant",
    Property "property",
    Module "module",
    Macro "macro",
    Test "test",
    /// A heading, a table, a rule, a key: parts of what is no program.
    Section "section",
    Key "key",
}

impl Kind {
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    pub const fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor | Self::Macro | Self::Test)
    }

    /// What has members.
    pub const fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Enum | Self::Interface | Self::Trait | Self::Impl | Self::Type
        )
    }
}

/// A use of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reference {
    pub name: Name,
    pub role: Role,
    pub line: u32,
    pub column: u32,
    /// What it is asked of: `a.b` of `a.b.name()`, `A::B` of `A::B::name`. `None`: the bare name.
    pub receiver: Option<ChainId>,
    /// The innermost definition it stands in.
    pub within: Option<SymbolId>,
    /// Arguments of a call, where they can be counted.
    pub arguments: Option<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Role {
    /// `f(x)`, `a.f(x)`, a decorator, a macro.
    Call,
    /// `new T()`, `T { … }`. In languages that build with a plain call it is a call.
    New,
    /// In the place of a type.
    Type,
    /// Extended or implemented.
    Base,
    /// Handed on, stored, compared: not called here.
    Value,
}

impl Role {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::New => "new",
            Self::Type => "type",
            Self::Base => "base",
            Self::Value => "value",
        }
    }

    pub const fn is_call(self) -> bool {
        matches!(self, Self::Call | Self::New)
    }
}

/// An expression as far as it says what type it has: a root and what is asked of it, step by step.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Chain {
    pub root: Root,
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Root {
    /// A name: a variable, a type, a module, a function.
    Name(Name),
    /// `self`, `this`, `Self`: the type around it, or a value of it.
    Own,
    /// `super`: what that type extends.
    Super,
    /// `new T(…)`, `T { … }`, a cast, an annotation: a value of this type, as written.
    Of(Name),
    /// A literal of a built-in type (`"text"`, `[1]`, `{}`): never one of the workspace's.
    Literal,
    /// Anything else.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Step {
    /// `.name`, `::name`, `->name`.
    Member(Name),
    /// `(…)`: what a call of it gives.
    Call,
    /// `[…]`, an element that is iterated over.
    Element,
    /// `?`, `.await`, `!`, `.unwrap()`: what is inside of an Option, a Result, a Promise, a pointer.
    Inside,
}

/// A name that is brought in from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Import {
    /// Where from, as written: `./a/b`, `flask.app`, `crate::x`, `github.com/x/y`, `..pkg`.
    pub module: Name,
    /// What of it; `None`: the module itself.
    pub name: Option<Name>,
    /// What it is called here. `None`: nothing is (an import for its effects, a wildcard).
    pub local: Option<Name>,
    pub wildcard: bool,
    /// Handed on to whoever imports this file (`export … from`, `pub use`).
    pub reexport: bool,
    pub line: u32,
    pub end_line: u32,
    /// The definition it stands in; most stand in none.
    pub within: Option<SymbolId>,
}

/// The name of a binding that is what the function that is its scope gives, where no type says it.
pub const RETURNED: &str = "return";

/// What a name stands for in a scope: a parameter, a variable, a field.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Binding {
    pub name: Name,
    pub place: Place,
    /// The function, or for a field the type, it belongs to. `None`: the file.
    pub scope: Option<SymbolId>,
    /// Where it begins to hold: most often where its name stands.
    pub line: u32,
    pub column: u32,
    /// The last line it holds on: that of the block, or of the function without a name, that it stands in.
    /// [`u32::MAX`]: as long as its scope.
    pub until: u32,
    /// Its type, as written.
    pub of_type: Option<Name>,
    /// What it is given.
    pub value: Option<ChainId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Place {
    Parameter,
    Local,
    /// Of the type that `scope` is, or that is around it.
    Field,
    /// Of the file.
    Global,
}

impl Facts {
    pub fn text(&self, name: Name) -> &str {
        self.names.get(name.0 as usize).map_or("", |text| text)
    }

    pub fn symbol(&self, id: SymbolId) -> Option<&Symbol> {
        self.symbols.get(id.0 as usize)
    }

    pub fn chain(&self, id: ChainId) -> Option<&Chain> {
        self.chains.get(id.0 as usize)
    }

    /// The definitions around one, the innermost first, itself not among them.
    pub fn around(&self, id: SymbolId) -> impl Iterator<Item = SymbolId> + '_ {
        std::iter::successors(self.symbol(id).and_then(|symbol| symbol.parent), |at| {
            // A parent stands before its children: a damaged row cannot make a circle.
            self.symbol(*at).and_then(|symbol| symbol.parent).filter(|parent| parent < at)
        })
    }

    /// `Owner.name`, with every definition around it that has a name.
    pub fn qualified(&self, id: SymbolId) -> String {
        let Some(symbol) = self.symbol(id) else { return String::new() };
        let mut parts = vec![self.text(symbol.name)];
        // A block is called what its type is called.
        // What stands in a type is called by that, whatever else it may be asked of (C#'s `Foo(this string s)`).
        let in_type = symbol.parent.and_then(|id| self.symbol(id)).is_some_and(|around| {
            around.kind.is_type() && !around.flags.block && Some(around.name) != symbol.owner
        });
        if let Some(owner) = symbol.owner.filter(|_| !symbol.flags.block && !in_type) {
            parts.push(self.text(owner));
        }
        for at in self.around(id) {
            if let Some(around) = self.symbol(at).filter(|around| !around.flags.block) {
                parts.push(self.text(around.name));
                parts.extend(around.owner.map(|owner| self.text(owner)));
            }
        }
        parts.reverse();
        parts.join(".")
    }
}
