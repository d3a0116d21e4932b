//! A `flow.scm` as a table: what a node of each kind does, and which of its children play which part. It is written as
//! tree-sitter queries, so that a grammar can prove it, but nothing is searched: whoever walks the tree asks about the
//! node at hand. Knows no tree.

use std::collections::HashMap;

use tree_sitter::Node;

use super::query::{Pattern, Tokens};

/// What a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    Function,
    Hoisted,
    Type,
    Block,
    Giving,
    If,
    Else,
    Loop,
    After,
    Switch,
    Whole,
    Case,
    Falling,
    Try,
    Catch,
    Finally,
    With,
    Return,
    Throw,
    Break,
    Continue,
    Goto,
    Label,
    Fallthrough,
    Give,
    Defer,
    Assert,
    Propagate,
    Statement,
    Skip,
    Comment,
    Decision,
    Name,
    Member,
    Index,
    Call,
    Macro,
    Through,
    Bind,
    Import,
    Pointing,
    Update,
    Reference,
    Dereference,
    Inner,
    Clause,
    Format,
    Tokens,
    Hoist,
    Outer,
    Property,
    Scalar,
}

/// Which part a child plays in what a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Name,
    Parameters,
    /// What it gives, by names that it may write.
    Results,
    Body,
    Condition,
    Then,
    Else,
    Init,
    Update,
    Target,
    Declared,
    Value,
    Subject,
    Pattern,
    Guard,
    Handler,
    Finally,
    Label,
    Callee,
    Receiver,
    Method,
    Arguments,
    Object,
    Member,
    Inside,
    Skip,
    /// The declarator or type of what points at something.
    Pointer,
    /// The word that says that it may change.
    Mutable,
    /// The word that may say that it may not.
    Constant,
    /// What says whether it can be changed by whoever is handed it.
    Type,
}

/// Words a language's table knows: methods that change nothing, functions that never return, …
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Words {
    /// Calls that change neither what they are asked of nor their arguments. A `*` at the end: whatever begins so.
    Pure,
    /// Calls that change what they are asked of although somebody wants what they give.
    Mutates,
    /// Calls that change their first argument.
    Fills,
    /// Calls that give a part of what they are asked of: who changes that part changes the whole.
    Views,
    /// Calls that run the functions they are handed before they return.
    Now,
    /// Calls that never return.
    Never,
    /// Conditions that always hold.
    Truth,
    /// Names of the value a method is asked of where no parameter says so.
    Own,
    /// Types whose values nobody can change: numbers, texts.
    Scalars,
    /// What holds for the whole language, see [`super`].
    Rules,
}

/// How a child is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Select {
    Field(u16),
    Kind(u16),
    /// Every named child that has no other part.
    Rest,
}

#[derive(Debug, Clone)]
enum Condition {
    /// The child of this field is one of these kinds.
    Kinds(u16, Vec<String>),
    /// There is no such child.
    Absent(u16),
    /// There is a child of one of these kinds.
    Has(Vec<String>),
}

#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) role: Role,
    parts: Vec<(Select, Part)>,
    conditions: Vec<Condition>,
}

/// A language's `flow.scm`, read.
#[derive(Debug)]
pub(crate) struct Table {
    /// By the number of a node's kind; of several the first whose conditions hold is meant.
    shapes: Vec<Vec<Shape>>,
    words: HashMap<Words, Vec<String>>,
}

const ROLES: &[(&str, Role)] = &[
    ("function", Role::Function),
    ("function.hoisted", Role::Hoisted),
    ("type", Role::Type),
    ("block", Role::Block),
    ("block.giving", Role::Giving),
    ("if", Role::If),
    ("else", Role::Else),
    ("loop", Role::Loop),
    ("loop.after", Role::After),
    ("switch", Role::Switch),
    ("switch.whole", Role::Whole),
    ("case", Role::Case),
    ("case.falling", Role::Falling),
    ("try", Role::Try),
    ("catch", Role::Catch),
    ("finally", Role::Finally),
    ("with", Role::With),
    ("return", Role::Return),
    ("throw", Role::Throw),
    ("break", Role::Break),
    ("continue", Role::Continue),
    ("goto", Role::Goto),
    ("label", Role::Label),
    ("fallthrough", Role::Fallthrough),
    ("give", Role::Give),
    ("defer", Role::Defer),
    ("assert", Role::Assert),
    ("propagate", Role::Propagate),
    ("statement", Role::Statement),
    ("skip", Role::Skip),
    ("comment", Role::Comment),
    ("decision", Role::Decision),
    ("name", Role::Name),
    ("member", Role::Member),
    ("index", Role::Index),
    ("call", Role::Call),
    ("macro", Role::Macro),
    ("through", Role::Through),
    ("bind", Role::Bind),
    ("import", Role::Import),
    ("bind.pointer", Role::Pointing),
    ("update", Role::Update),
    ("reference", Role::Reference),
    ("dereference", Role::Dereference),
    ("inner", Role::Inner),
    ("clause", Role::Clause),
    ("format", Role::Format),
    ("tokens", Role::Tokens),
    ("hoist", Role::Hoist),
    ("outer", Role::Outer),
    ("property", Role::Property),
    ("scalar", Role::Scalar),
];

const PARTS: &[(&str, Part)] = &[
    ("name", Part::Name),
    ("parameters", Part::Parameters),
    ("results", Part::Results),
    ("body", Part::Body),
    ("condition", Part::Condition),
    ("then", Part::Then),
    ("else", Part::Else),
    ("init", Part::Init),
    ("update", Part::Update),
    ("target", Part::Target),
    ("declared", Part::Declared),
    ("value", Part::Value),
    ("subject", Part::Subject),
    ("pattern", Part::Pattern),
    ("guard", Part::Guard),
    ("handler", Part::Handler),
    ("finally", Part::Finally),
    ("label", Part::Label),
    ("callee", Part::Callee),
    ("receiver", Part::Receiver),
    ("method", Part::Method),
    ("arguments", Part::Arguments),
    ("object", Part::Object),
    ("member", Part::Member),
    ("inside", Part::Inside),
    ("skip", Part::Skip),
    ("pointer", Part::Pointer),
    ("mutable", Part::Mutable),
    ("constant", Part::Constant),
    ("type", Part::Type),
];

const WORDS: &[(&str, Words)] = &[
    ("words.pure", Words::Pure),
    ("words.mutates", Words::Mutates),
    ("words.fills", Words::Fills),
    ("words.views", Words::Views),
    ("words.now", Words::Now),
    ("words.never", Words::Never),
    ("words.truth", Words::Truth),
    ("words.own", Words::Own),
    ("words.scalars", Words::Scalars),
    ("words.rules", Words::Rules),
];

fn among<T: Copy>(list: &[(&str, T)], name: &str) -> Option<T> {
    list.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning)
}

impl Table {
    /// The first thing in it that has no meaning is said.
    pub(crate) fn read(text: &str, grammar: &tree_sitter::Language) -> Result<Self, String> {
        let mut table = Self { shapes: vec![Vec::new(); grammar.node_kind_count()], words: HashMap::new() };
        let mut tokens = Tokens::of(text);
        while let Some(pattern) = tokens.pattern()? {
            table.take(pattern, grammar)?;
        }
        Ok(table)
    }

    fn take(&mut self, pattern: Pattern, grammar: &tree_sitter::Language) -> Result<(), String> {
        if let Some(kind) = among(WORDS, &pattern.role) {
            self.words.entry(kind).or_default().extend(pattern.words);
            return Ok(());
        }
        let role = among(ROLES, &pattern.role).ok_or_else(|| format!("what is a @{}?", pattern.role))?;
        let field = |name: &str| {
            grammar.field_id_for_name(name).map(u16::from).ok_or_else(|| format!("no field is called {name}"))
        };
        for kind in &pattern.kinds {
            let mut shape = Shape { role, parts: Vec::new(), conditions: Vec::new() };
            for child in &pattern.children {
                let select = match (&child.field, child.kinds.as_slice()) {
                    (Some(name), _) => Some(Select::Field(field(name)?)),
                    (None, [one]) if one != "_" => Some(Select::Kind(grammar.id_for_node_kind(one, true))),
                    (None, _) => Some(Select::Rest),
                };
                match (&child.part, select) {
                    _ if child.absent => {
                        let name = child.field.as_deref().unwrap_or_default();
                        shape.conditions.push(Condition::Absent(field(name)?));
                    }
                    (None, Some(Select::Field(id))) => {
                        shape.conditions.push(Condition::Kinds(id, child.kinds.clone()));
                    }
                    (None, _) => shape.conditions.push(Condition::Has(child.kinds.clone())),
                    (Some(name), Some(select)) => {
                        let part = among(PARTS, name).ok_or_else(|| format!("what is a part @{name}?"))?;
                        // `(_expression)` and its like stand for many kinds.
                        let broad = matches!(select, Select::Kind(_))
                            && child.kinds.iter().any(|kind| kind.starts_with('_'));
                        shape.parts.push((if broad { Select::Rest } else { select }, part));
                    }
                    (Some(_), None) => {}
                }
            }
            let mut known = false;
            for id in 0..grammar.node_kind_count() {
                if grammar.node_kind_for_id(id as u16) == Some(kind) && grammar.node_kind_is_named(id as u16)
                {
                    self.shapes[id].push(shape.clone());
                    known = true;
                }
            }
            if !known {
                return Err(format!("no node is a {kind}"));
            }
        }
        Ok(())
    }

    pub(crate) fn shape(&self, node: Node<'_>) -> Option<&Shape> {
        let shapes = self.shapes.get(node.kind_id() as usize)?;
        shapes.iter().find(|shape| shape.conditions.iter().all(|condition| condition.holds(node)))
    }

    pub(crate) fn role(&self, node: Node<'_>) -> Option<Role> {
        self.shape(node).map(|shape| shape.role)
    }

    pub(crate) fn has_word(&self, words: Words, word: &str) -> bool {
        self.words.get(&words).is_some_and(|list| {
            list.iter().any(|known| match known.strip_suffix('*') {
                Some(beginning) => begins(word, beginning),
                None => known == word,
            })
        })
    }

    pub(crate) fn words(&self, words: Words) -> impl Iterator<Item = &str> {
        self.words.get(&words).into_iter().flatten().map(String::as_str)
    }

    /// Whether a language-wide rule holds.
    pub(crate) fn rule(&self, name: &str) -> bool {
        self.has_word(Words::Rules, name)
    }
}

/// `get*` is `get`, `get_x` and `getX`, not `getaway`.
fn begins(word: &str, beginning: &str) -> bool {
    let Some(rest) = word.strip_prefix(beginning) else { return false };
    rest.is_empty() || beginning.ends_with('_') || rest.starts_with(|c: char| !c.is_ascii_lowercase())
}

impl Condition {
    fn holds(&self, node: Node<'_>) -> bool {
        match self {
            Self::Kinds(field, kinds) => node
                .child_by_field_id(*field)
                .is_some_and(|child| kinds.iter().any(|kind| kind == "_" || kind == child.kind())),
            Self::Absent(field) => node.child_by_field_id(*field).is_none(),
            Self::Has(kinds) => {
                let mut cursor = node.walk();
                node.children(&mut cursor).any(|child| kinds.iter().any(|kind| kind == child.kind()))
            }
        }
    }
}

impl Shape {
    /// The children of a node with the part each plays, in the order of the text. Tokens and what is between, such as
    /// comments, are left out.
    pub(crate) fn children<'t>(&self, node: Node<'t>) -> Vec<(Option<Part>, Node<'t>)> {
        let mut found = Vec::new();
        let mut cursor = node.walk();
        if !cursor.goto_first_child() {
            return found;
        }
        loop {
            let child = cursor.node();
            let field = cursor.field_id().map(u16::from);
            let part = self.part_of(child, field);
            if (child.is_named() && !child.is_extra()) || part.is_some_and(|part| part != Part::Skip) {
                found.push((part, child));
            }
            if !cursor.goto_next_sibling() {
                return found;
            }
        }
    }

    fn part_of(&self, child: Node<'_>, field: Option<u16>) -> Option<Part> {
        let exact = self.parts.iter().find(|(select, _)| match select {
            Select::Field(id) => field == Some(*id) && child.is_named(),
            Select::Kind(id) => child.is_named() && child.kind_id() == *id,
            Select::Rest => false,
        });
        let rest = || self.parts.iter().find(|(select, _)| *select == Select::Rest && child.is_named());
        exact.or_else(rest).filter(|_| !child.is_extra()).map(|(_, part)| *part)
    }

    pub(crate) fn part<'t>(&self, node: Node<'t>, wanted: Part) -> Option<Node<'t>> {
        self.children(node).into_iter().find(|(part, _)| *part == Some(wanted)).map(|(_, child)| child)
    }

    pub(crate) fn parts<'t>(&self, node: Node<'t>, wanted: Part) -> Vec<Node<'t>> {
        let children = self.children(node).into_iter();
        children.filter(|(part, _)| *part == Some(wanted)).map(|(_, child)| child).collect()
    }
}
