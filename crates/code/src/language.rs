//! A language as data: which files are its, its grammar, and the queries and words that say what its nodes mean.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use serde::Deserialize;
use tree_sitter::Query;

use crate::facts::{Flags, Kind};

/// The folder of a language, in this executable.
pub struct Language {
    /// The folder's name.
    pub name: &'static str,
    pub(crate) grammar: fn() -> tree_sitter::Language,
    /// `language.toml`.
    pub(crate) settings: &'static str,
    /// `tags.scm`, `imports.scm`, `bindings.scm`: one query, one pass.
    pub(crate) queries: &'static [&'static str],
    /// `flow.scm`, where there is one, and those of the languages it is a kind of.
    pub(crate) flow: &'static [&'static str],
    pub(crate) told: OnceLock<Settings>,
    pub(crate) loaded: OnceLock<Loaded>,
    pub(crate) flowing: OnceLock<crate::flow::Table>,
    pub(crate) printing: OnceLock<crate::prints::Asked>,
}

impl Language {
    /// Whether all that an edit's first note needs has been made: nobody waits for it any more.
    pub fn is_prepared(&self) -> bool {
        let prints = &self.settings().prints;
        let finds_prints = !prints.stray.is_empty() || !prints.talk.is_empty();
        self.loaded.get().is_some() && (!finds_prints || self.printing.get().is_some())
    }
}

/// What is made of a language's files when it is first needed.
pub(crate) struct Loaded {
    pub(crate) grammar: tree_sitter::Language,
    pub(crate) query: Query,
    /// What each capture of the query means, by its index.
    pub(crate) captures: Vec<crate::capture::Capture>,
    /// `(#set! name "x")`, by pattern.
    pub(crate) said: Vec<Option<Box<str>>>,
    /// `(#set! words "x")`, by pattern: what its `@word` makes a definition.
    pub(crate) words: Vec<HashMap<Box<str>, Word>>,
}

/// What a word makes of a definition, for languages that define by calling (`attr_reader :x`, `defmodule X do`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) kind: Kind,
    pub(crate) flags: Flags,
    pub(crate) private: bool,
}

impl Word {
    /// Of `method static`, `function test private`: a kind and what holds for it.
    fn of(written: &str) -> Option<Self> {
        let mut words = written.split_whitespace();
        let mut word =
            Self { kind: Kind::from_name(words.next()?)?, flags: Flags::default(), private: false };
        for more in words {
            match more {
                "static" => word.flags.of_type = true,
                "test" => word.flags.test = true,
                "declared" => word.flags.declared = true,
                "private" => word.private = true,
                _ => return None,
            }
        }
        Some(word)
    }
}

/// How a language tells what may be seen from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    /// Everything may be.
    #[default]
    All,
    /// What does not begin with an underscore.
    Underscore,
    /// What begins with a capital letter.
    Capital,
    /// What has one of the words of `public` among its modifiers.
    Keyword,
    /// What has none of the words of `private` among its modifiers.
    Unless,
    /// What is exported; of what stands in one of `member-lists`, what has none of the words of `private`.
    Export,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in language.toml")]
pub struct Settings {
    /// Endings of files, without the dot.
    pub extensions: Vec<String>,
    /// Names of files that have no such ending.
    pub files: Vec<String>,
    /// First words after `#!`, for files without an ending.
    pub interpreters: Vec<String>,
    /// The language whose settings these are, but for which files are its.
    pub like: Option<String>,
    /// Of a program, or only a text with an outline.
    pub outline_only: bool,
    /// How many definitions are kept; past that the deepest are left out. 0: all.
    pub max_definitions: usize,
    /// Whether a node is one definition, named by the last pattern that matches it.
    pub named_once: bool,
    pub visibility: Visibility,
    pub public: Vec<String>,
    pub private: Vec<String>,
    /// Labels after which the members of a type are not seen.
    pub hidden_labels: Vec<String>,
    /// Node kinds that are comments.
    pub comments: Vec<String>,
    /// Comments that are documentation begin like this; empty: every comment right above is.
    pub doc_comments: Vec<String>,
    /// What is said to a tool, not to a reader, begins like this.
    pub no_doc_comments: Vec<String>,
    /// Documentation is the first string of the body.
    pub docstrings: bool,
    /// Names of marks that are documentation (`@doc "…"`), and of those that stand first in what they are about.
    pub doc_marks: Vec<String>,
    pub inner_doc_marks: Vec<String>,
    /// Names of marks, where other nodes look like them; empty: all are.
    pub mark_names: Vec<String>,
    /// Node kinds of decorators, attributes, annotations.
    pub marks: Vec<String>,
    /// Node kinds that hold modifiers (`public`, `static`) and marks.
    pub modifiers: Vec<String>,
    /// Node kinds that wrap a definition without being one (`decorated_definition`, `export_statement`): comments and
    /// marks stand before them.
    pub wrappers: Vec<String>,
    /// Those of them whose first words belong to the signature: `const` of `const f = …`.
    pub heads: Vec<String>,
    /// Node kinds that members of a type stand right in.
    pub member_lists: Vec<String>,
    /// Field names of bodies; a signature ends where one begins.
    pub bodies: Vec<String>,
    /// Field names of the types that calls give, in a definition or in the function it is given as its value.
    pub returns: Vec<String>,
    /// What an owner ends with where its instances are meant, not itself: `.prototype`.
    pub prototypes: Vec<String>,
    pub expressions: Expressions,
    /// Tables of words that define: by the name a pattern knows the table by, then by what the words make (`field`,
    /// `method static`), the words.
    pub words: HashMap<String, HashMap<String, Vec<String>>>,
    pub declarators: Declarators,
    pub tokens: Tokens,
    pub tests: Tests,
    pub prints: crate::prints::Words,
    pub mends: Mends,
    /// Words that stand for the value a method is asked of (`self`, `this`, `@`), and for its type (`Self`, `cls`).
    pub own: Vec<String>,
    pub superior: Vec<String>,
    /// Whether a bare name may be a member of the type around it.
    pub implicit_own: bool,
    /// Signs that a name may begin with and that are no part of it (`@name`, `:name`).
    pub sigils: String,
    /// A name ends before any of these signs, though its node goes on (`alias ll='ls -l'`).
    pub names_end_at: String,
    /// Whether a bare name that is no variable is a call (Ruby). Queries say it is one; variables are taken back.
    pub bare_calls: bool,
    /// Whether what stands around a definition decides what it is: a function in a type is a method, a variable in a
    /// type a field, a variable in a function no definition.
    pub kinds_by_place: bool,
    /// Whether a method that is called like its type makes one (C++).
    pub constructors_by_name: bool,
    /// Whether a variable is a type if functions belong to it (Lua's tables).
    pub owners_are_types: bool,
    /// Whether a type may stand in quotes.
    pub quoted_types: bool,
    /// Whether a member is only ever named by what it is a member of (`this.a`).
    pub closed_members: bool,
    /// Whether a method takes the value it is asked of as its first parameter, whatever its name (Python).
    pub receiver_first: bool,
    /// Whether a module inside of a file sees nothing of what is around it (Rust).
    pub closed_modules: bool,
    /// Whether a type may be written in parts, in several files of its package (C#'s `partial`).
    pub partial_types: bool,
    /// Whether a function without a body is only declared, where the grammar makes no difference (Kotlin).
    pub declared_without_body: bool,
    /// Whether a local name holds from where it is declared on, and not before (Go, Java).
    pub declared_first: bool,
    /// Whether `type A B` makes a type of its own, and only `type A = B` another name (Go).
    pub defined_types: bool,
    /// Whether a type may be defined in several parts, each in a file of its own (Ruby), and is in sight everywhere.
    pub open_types: bool,
    /// Whether a bare name that is defined nowhere in sight may be one of any file (C, Ruby, Bash).
    pub global_names: bool,
    /// Types whose arguments are what is inside of them, by a step or a loop: `Option<T>`, `Promise<T>`, `list[T]`.
    pub wrapping_types: Vec<String>,
    /// Those of them that are asked as if they were what is inside: `Box<T>`, `Optional[T]`, `Readonly<T>`.
    pub transparent_types: Vec<String>,
    /// Methods of what holds something (`Option`, `Vec`, a map, an iterator), by what they give.
    pub holders: Holders,
    /// Members of built-in types that are so common that a value of an unknown type most likely has them.
    pub common_members: Vec<String>,
}

/// What holds something and is asked for it. A type that has such a method of its own means that one.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Holders {
    /// What holds the same: `iter`, `filter`, `as_ref`.
    pub same: Vec<String>,
    /// What is inside: `unwrap`, `first`, `lock`.
    pub inside: Vec<String>,
    /// Of pairs, the first and the second of each.
    pub keys: Vec<String>,
    pub values: Vec<String>,
    /// Each with its number before it.
    pub counted: Vec<String>,
}

/// Node kinds of expressions, so that a receiver can be read. For a field, `""` is the first named child, `"1"` the second.
/// Where a field goes with it, a kind may be followed by the token such a node begins with: `unary_expression <-`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Expressions {
    /// Names.
    pub names: Vec<String>,
    /// `kind`, the field of the object, the field of the member: `["attribute", "object", "attribute"]`.
    pub members: Vec<[String; 3]>,
    /// `kind`, the field of what is called.
    pub calls: Vec<[String; 2]>,
    /// A sign in front of a member that is no part of its name: `A::$b`.
    pub member_sigil: String,
    /// A member that is called, in one node: `kind`, the field of the object, the field of the method.
    pub methods: Vec<[String; 3]>,
    /// Methods of a type that give a value of it (`T.new`).
    pub makers: Vec<String>,
    /// `kind`, the fields of the name and of the type arguments of `make<T>`: such a maker gives a T.
    pub generic_makers: Vec<[String; 3]>,
    /// Functions that give a value of the type that is their first argument (`new(T)`).
    pub builders: Vec<String>,
    /// Functions that give a value of the type one of their arguments names, and which: `cast(T, x)`,
    /// `setmetatable({}, T)`.
    pub made_by: Vec<(String, u32)>,
    /// Node kinds of names that are members of the type around them (`@name`).
    pub own_members: Vec<String>,
    /// Whether a call with square brackets is an element (Swift).
    pub calls_that_index: bool,
    /// `kind`, the field of the type: `new T()`, `T { }`.
    pub news: Vec<[String; 2]>,
    /// `kind`, the field of the type, which is kept as written: `x as T[]`.
    pub casts: Vec<[String; 2]>,
    /// `kind`, the field of what is indexed.
    pub elements: Vec<[String; 2]>,
    /// `kind`, the field of what is inside (`""`: the first named child): `await x`, `x?`, `x!`, `(x)`, `&x`, `*x`.
    pub inside: Vec<[String; 2]>,
    /// One of two is meant (`a or b`, `c ? a : b`): `kind`, its operator (`""`: any), the field that is believed first, the
    /// other. What says nothing leaves it to the other.
    pub either: Vec<[String; 4]>,
    /// Parentheses and the like, which change nothing: `kind`, field.
    pub through: Vec<[String; 2]>,
    /// Node kinds of `self`, `this` where they are no names.
    pub own: Vec<String>,
    pub superior: Vec<String>,
    pub literals: Vec<String>,
    /// Methods that give what is inside: `unwrap`, `clone`, `borrow`, `lock`.
    pub inside_methods: Vec<String>,
    /// What stands between the parts of a path, if such a path can begin with the word for the value a method is asked
    /// of: `self::f` is of the module, `self.f` of the value.
    pub path_separator: String,
}

/// Node kinds around a name that say what it is.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Declarators {
    pub names: Vec<String>,
    /// With parameters.
    pub function: String,
    /// Parentheses and the like, which change nothing.
    pub plain: Vec<String>,
    /// Of many names: `auto [a, b]`.
    pub several: Vec<String>,
    /// Types that may have no name.
    pub bodied: Vec<String>,
}

impl Declarators {
    pub(crate) fn is_nameless(&self, of: tree_sitter::Node<'_>) -> bool {
        self.bodied.iter().any(|kind| kind == of.kind()) && of.child_by_field_name("name").is_none()
    }
}

/// The signs by which the tokens of a macro's arguments can be read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tokens {
    /// The node kind of tokens in brackets.
    pub tree: String,
    /// What ends a statement, so that such a tree can be read as one.
    pub ending: String,
    pub names: Vec<String>,
    /// Names that say where a path begins, and nothing else.
    pub roots: Vec<String>,
    /// What stands before a member's name.
    pub members: Vec<String>,
    /// What stands between a macro's name and its arguments.
    pub bang: String,
    /// What asks for the inside of what stands before it.
    pub inside: Vec<String>,
    /// What only a program has: of tokens with one of these one is made, the others are read as they are.
    pub program_signs: Vec<String>,
    /// Words that the grammar takes for names.
    pub words: Vec<String>,
    /// What makes the tree behind it a mark.
    pub mark: String,
    /// A name behind one of these is defined there, not used.
    pub before_definitions: Vec<String>,
    /// A name before one of these is a label.
    pub after_labels: Vec<String>,
}

/// What a grammar does not know of its language: see [`crate::mend`].
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mends {
    /// What a line begins with that begins something new, where the grammar goes on.
    pub begins: Vec<String>,
    /// What goes on behind a semicolon, where the grammar ends (`var x = 0; private set`).
    pub continues: Vec<String>,
    /// Whether a statement ends before a brace that closes on the same line, where the grammar asks for a line break.
    pub ends_before_a_brace: bool,
    /// Words before a name that the grammar does not know.
    pub unknown: Vec<String>,
    /// Words that the grammar takes for its own where they are names.
    pub names: Vec<String>,
    /// Signs it does not know together and others, byte for byte, that it does: `= []`.
    pub signs: Vec<[String; 2]>,
    /// Words it does not know and others of the same length that come close, in capitals or not. What it makes of them is
    /// taken even if no less is broken: names are behind them.
    pub words: Vec<[String; 2]>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tests {
    /// A function whose name begins like this is one.
    pub prefixes: Vec<String>,
    /// A function with such a mark is one (the last part of it: `test` of `tokio::test`), and so is all that stands in
    /// a definition with one. With an open bracket in it, it is what a mark begins with, arguments and all: `cfg(test`.
    pub marks: Vec<String>,
    /// Parts of a path that make a file one of tests: `/tests/`, `.test.`, `_test.go`.
    pub paths: Vec<String>,
    /// A function with such a mark is no test but what tests are given that have a parameter of its name.
    pub fixtures: Vec<String>,
    /// Files whose fixtures are given to all tests in their folder and below.
    pub shared: Vec<String>,
    /// Types around what a fixture gives and takes back: `Iterator[T]`.
    pub lent: Vec<String>,
    /// Names and marks of what is no test but runs around every test that stands beside it.
    pub around: Vec<String>,
}

impl Settings {
    /// A name without the signs in front of it, and without what it is given behind it.
    pub(crate) fn bare<'t>(&self, name: &'t str) -> &'t str {
        let name =
            if self.sigils.is_empty() { name } else { name.trim_start_matches(|c| self.sigils.contains(c)) };
        if self.names_end_at.is_empty() {
            return name;
        }
        name.split(|c| self.names_end_at.contains(c)).next().unwrap_or(name)
    }
}

impl Language {
    /// What its `language.toml` says.
    pub fn settings(&self) -> &Settings {
        self.told.get_or_init(|| {
            let told: Settings = toml_edit::de::from_str(self.settings)
                .unwrap_or_else(|error| panic!("languages/{}/language.toml: {error}", self.name));
            let Some(other) = told.like.as_deref().and_then(crate::languages::by_name) else { return told };
            let Settings { extensions, files, interpreters, .. } = told;
            Settings { extensions, files, interpreters, ..other.settings().clone() }
        })
    }

    pub fn is_outline_only(&self) -> bool {
        self.settings().outline_only
    }

    /// Whether L3 to L5 can be asked of it.
    pub fn has_flow(&self) -> bool {
        !self.flow.is_empty()
    }

    /// What its `flow.scm` says.
    pub(crate) fn flow_table(&self) -> Option<&crate::flow::Table> {
        self.has_flow().then(|| {
            self.flowing.get_or_init(|| {
                crate::flow::Table::read(&self.flow.join("\n"), &self.loaded().grammar)
                    .unwrap_or_else(|error| panic!("languages/{}/flow.scm: {error}", self.name))
            })
        })
    }

    /// A table of words that define.
    fn words(&self, table: &str) -> HashMap<Box<str>, Word> {
        let lists = self.settings().words.get(table);
        let lists = lists.unwrap_or_else(|| panic!("languages/{}: there is no [words.{table}]", self.name));
        let mut words = HashMap::new();
        for (makes, list) in lists {
            let word = Word::of(makes)
                .unwrap_or_else(|| panic!("languages/{}: what is a {makes:?} in words?", self.name));
            words.extend(list.iter().map(|text| (text.as_str().into(), word)));
        }
        words
    }

    pub(crate) fn loaded(&self) -> &Loaded {
        self.loaded.get_or_init(|| {
            let grammar = (self.grammar)();
            // Comments and marks are met on the way.
            let settings = self.settings();
            let mut text = self.queries.join("\n");
            for kind in settings.comments.iter().chain(&settings.marks) {
                text.extend(["\n(", kind, ") @beside"]);
            }
            let query = Query::new(&grammar, &text)
                .unwrap_or_else(|error| panic!("the queries of languages/{}: {error}", self.name));
            let captures = query
                .capture_names()
                .iter()
                .map(|name| {
                    crate::capture::Capture::of(name)
                        .unwrap_or_else(|| panic!("languages/{}: what is a @{name}?", self.name))
                })
                .collect();
            let set = |at: usize, key: &str| {
                let set = query.property_settings(at).iter().find(|set| &*set.key == key)?;
                set.value.clone()
            };
            let patterns = 0..query.pattern_count();
            let said = patterns.clone().map(|at| set(at, "name")).collect();
            let words = patterns
                .map(|at| set(at, "words").map_or_else(HashMap::new, |table| self.words(&table)))
                .collect();
            Loaded { grammar, query, captures, said, words }
        })
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
