//! What the captures of a query mean; they mean the same in every language:
//!
//! | capture | on |
//! |---|---|
//! | `@definition.KIND` | a whole definition; KIND as in [`Kind::name`]. Of several patterns that match one, the last decides |
//! | `@definition` | the same where its `@word` says the kind, by a table of `language.toml` (`(#set! words "table")`) |
//! | `@name` | the name of a definition, reference, import or binding; of a definition without one, where it would stand |
//! | `@declarator` | what the name of a definition or a binding is somewhere in: [`crate::declarator`] |
//! | `@owner`, `@trait`, `@base`, `@returns`, `@body` | of a definition: the type it belongs to, …; it reaches to the end of its body, also where that stands behind it |
//! | `@level` | the sign of a heading, which reaches to the next one of its level: [`crate::headings`] |
//! | `@head` | the last part of a definition's signature, where a body does not tell |
//! | `@is.public`, `@is.test`, `@is.static`, `@is.declared`, `@is.block` | a definition for which this holds |
//! | `@is.private` | a definition that is not public, whatever else is said of it |
//! | `@is.member` | a definition inside of a function that is the type's around it (`constructor(private x)`) |
//! | `@scope` | a function, named or not: a constant or variable inside of one is no definition, unless it has a `@body` |
//! | `@block` | a part of a function that has names of its own, which hold until it ends |
//! | `@mixin` | of a reference: a base of the type it stands in (`include Comparable`) |
//! | `@reference.ROLE` | a use; `@receiver` what it is asked of; `@arguments` the list of them; `@callee` instead of a name and a receiver: both of it |
//! | `@mention` | a name that looks like a use and is none (`@spec open(t) :: t`) |
//! | `@import` | with `@module`, `@name`, `@alias`, and `@wildcard`, `@reexport` where these hold. `@path` is a module and a name of it in one (`a.b.C`). Without `@module` it is what the file hands on of its own (`export { a as b }`). `(#set! name "x")` is a name no node has, here and of a definition |
//! | `@import.tree` | a nested list of imports (Rust's `use`), taken apart by [`crate::structure`] |
//! | `@import.dotted` | a list of imports with dots and braces: `import a.{b, c => d}, e.f._` |
//! | `@binding.PLACE` | with `@name` (or `@ordinal`: how many come before it), `@type`, `@value` (or `@value.element`, `@value.inside`); `@value.member` is the member of the value (or of a value of the type) that is bound: `const { a } = b`; `@place` the same by how many come before it: `for (a, b) in c`; `@value.part` a value of which the name is given the part that stands in its place: `a, b := f()` |
//! | `@binding.assigned` | the same for a name that is bound elsewhere: it has the place of its declaration |
//! | `@binding.inner` | the same for a name that holds inside of the definition it stands in: `g` of `f = function g() {}` |
//! | `@binding.member` | the same for a member of the constant or variable that is defined around it: `a` of `const x = { a: 1 }` |
//! | `@binding.returned` | with `@value`: what the function around it gives; kept under the name [`RETURNED`](crate::facts::RETURNED) |
//! | `@type.list`, `@from` | of a binding: many of this type (`[]T`); where it holds from, if that is not its name's place |
//! | `@program` | tokens that are most likely a program again (a macro's arguments): [`crate::nested`] |
//! | `@tokens` | tokens that are none, or only in parts (a macro's template): [`crate::tokens`] |
//! | `@template` | the text of a program in which only uses count, for its names are somebody else's (C's `#define`) |
//! | `@access` | a label after which the members of a type are seen, or are not (`private:`) |
//! | `@silent` | what names in it mean is nobody's business (an attribute's) |
//! | `@package` | the name of the package or namespace |
//!
//! What begins with an underscore is for the query's own predicates.

use crate::facts::{Kind, Place, Role};

/// What a capture means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capture {
    Definition(Kind),
    /// A definition whose kind a `@word` says.
    Defined,
    Reference(Role),
    Import,
    ImportTree,
    ImportDotted,
    Binding(Place),
    /// A value for a name that is declared elsewhere.
    Assigned,
    /// A value for a member of what is defined around it.
    OfValue,
    /// A name that only the definition around it knows.
    Inner,
    /// What the function around it gives.
    Returned,
    Scope,
    Block,
    Package,
    /// A name that is only talked about.
    Mention,
    Program,
    Template,
    Silent,
    Access,
    Tokens,
    /// A comment or a mark, wherever it stands.
    Beside,
    Part(Part),
    Ignored,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Name,
    Declarator,
    Owner,
    OfTrait,
    Base,
    Returns,
    Body,
    Head,
    Level,
    Public,
    Test,
    Static,
    Declared,
    Block,
    Private,
    Word,
    Mixin,
    Member,
    Receiver,
    Callee,
    Arguments,
    Module,
    Path,
    Alias,
    Wildcard,
    Reexport,
    Type,
    Value,
    Element,
    Inside,
    ValueMember,
    Piece,
    From,
    TypeList,
    Ordinal,
    Place,
}

impl Capture {
    pub(crate) fn of(name: &str) -> Option<Self> {
        if let Some(kind) = name.strip_prefix("definition.") {
            return Kind::from_name(kind).map(Self::Definition);
        }
        Some(match name {
            "definition" => Self::Defined,
            "reference.call" => Self::Reference(Role::Call),
            "reference.new" => Self::Reference(Role::New),
            "reference.type" => Self::Reference(Role::Type),
            "reference.base" => Self::Reference(Role::Base),
            "reference.value" => Self::Reference(Role::Value),
            "import" => Self::Import,
            "import.tree" => Self::ImportTree,
            "import.dotted" => Self::ImportDotted,
            "binding.parameter" => Self::Binding(Place::Parameter),
            "binding.local" => Self::Binding(Place::Local),
            "binding.field" => Self::Binding(Place::Field),
            "binding.global" => Self::Binding(Place::Global),
            "binding.assigned" => Self::Assigned,
            "binding.member" => Self::OfValue,
            "binding.inner" => Self::Inner,
            "binding.returned" => Self::Returned,
            "scope" => Self::Scope,
            "block" => Self::Block,
            "package" => Self::Package,
            "mention" => Self::Mention,
            "program" => Self::Program,
            "template" => Self::Template,
            "silent" => Self::Silent,
            "access" => Self::Access,
            "tokens" => Self::Tokens,
            "beside" => Self::Beside,
            "name" => Self::Part(Part::Name),
            "declarator" => Self::Part(Part::Declarator),
            "owner" => Self::Part(Part::Owner),
            "trait" => Self::Part(Part::OfTrait),
            "base" => Self::Part(Part::Base),
            "returns" => Self::Part(Part::Returns),
            "body" => Self::Part(Part::Body),
            "head" => Self::Part(Part::Head),
            "level" => Self::Part(Part::Level),
            "is.public" => Self::Part(Part::Public),
            "is.test" => Self::Part(Part::Test),
            "is.static" => Self::Part(Part::Static),
            "is.declared" => Self::Part(Part::Declared),
            "is.block" => Self::Part(Part::Block),
            "is.private" => Self::Part(Part::Private),
            "word" => Self::Part(Part::Word),
            "mixin" => Self::Part(Part::Mixin),
            "is.member" => Self::Part(Part::Member),
            "receiver" => Self::Part(Part::Receiver),
            "callee" => Self::Part(Part::Callee),
            "arguments" => Self::Part(Part::Arguments),
            "module" => Self::Part(Part::Module),
            "path" => Self::Part(Part::Path),
            "alias" => Self::Part(Part::Alias),
            "wildcard" => Self::Part(Part::Wildcard),
            "reexport" => Self::Part(Part::Reexport),
            "type" => Self::Part(Part::Type),
            "value" => Self::Part(Part::Value),
            "value.element" => Self::Part(Part::Element),
            "value.inside" => Self::Part(Part::Inside),
            "value.member" => Self::Part(Part::ValueMember),
            "value.part" => Self::Part(Part::Piece),
            "from" => Self::Part(Part::From),
            "type.list" => Self::Part(Part::TypeList),
            "ordinal" => Self::Part(Part::Ordinal),
            "place" => Self::Part(Part::Place),
            other if other.starts_with('_') => Self::Ignored,
            _ => return None,
        })
    }
}
