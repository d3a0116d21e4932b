//! One pass of a language's query over a tree, and the facts it gives. What captures mean is in [`crate::capture`].

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, Parser, QueryCursor, Range, StreamingIterator as _, Tree};

use crate::beside::Beside;
use crate::capture::{Capture, Part};
use crate::chain;
use crate::docs;
use crate::facts::{
    Binding, Chain, ChainId, Facts, Flags, Import, Kind, Name, Place, RETURNED, Reference, Role, Root, Step,
};
use crate::language::{Language, Settings, Word};
use crate::mend;
use crate::names::Names;
use crate::nested::{self, Program};
use crate::structure;
use crate::{declarator, headings, signature, tokens};

/// A larger file is made by a program, and nobody reads it.
pub const MAX_TEXT: usize = 4 << 20;
/// Grammars may take very long over what is not their language.
const PARSE_PATIENCE: Duration = Duration::from_secs(5);
/// Patterns that stay open at once; past this a query forgets some instead of growing.
const MAX_OPEN: u32 = 65_536;

thread_local! {
    /// A parser keeps its memory from file to file.
    static PARSERS: RefCell<HashMap<&'static str, Parser>> = RefCell::default();
}

/// The tree of a text. `None`: it is too large, or takes too long.
pub fn parse(language: &Language, text: &str) -> Option<Tree> {
    let tree = parse_within(language, text, &[])?;
    let mends = &language.settings().mends;
    if tree.root_node().has_error()
        && let Some(mended) = mend::text(text, mends)
        && let Some(better) = parse_within(language, &mended, &[])
        && (!mends.words.is_empty() || mend::broken(&better) < mend::broken(&tree))
    {
        return Some(better);
    }
    Some(tree)
}

/// The tree of parts of a text, as if they were all of it.
pub(crate) fn parse_within(language: &Language, text: &str, parts: &[Range]) -> Option<Tree> {
    if text.len() > MAX_TEXT {
        return None;
    }
    PARSERS.with_borrow_mut(|parsers| {
        let parser = parsers.entry(language.name).or_insert_with(|| {
            let mut parser = Parser::new();
            parser.set_language(&language.loaded().grammar).expect("the grammar links with this tree-sitter");
            parser
        });
        parser.set_included_ranges(parts).ok()?;
        let until = Instant::now() + PARSE_PATIENCE;
        let mut late = |_: &tree_sitter::ParseState| {
            if Instant::now() > until { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let bytes = text.as_bytes();
        let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
        let options = ParseOptions::new().progress_callback(&mut late);
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}

/// All that a text says. `None`: it is too large, or takes too long to parse.
pub fn facts(language: &Language, text: &str) -> Option<Facts> {
    let tree = parse(language, text)?;
    let mut reading = Reading {
        text,
        settings: language.settings(),
        names: Names::default(),
        definitions: Vec::new(),
        known: HashMap::new(),
        scopes: Vec::new(),
        extents: Vec::new(),
        brought: HashSet::new(),
        references: Vec::new(),
        imports: Vec::new(),
        lists: Vec::new(),
        labels: Vec::new(),
        bindings: Vec::new(),
        programs: Vec::new(),
        beside: Beside::default(),
        chains: Chains::default(),
        package: None,
        said: &language.loaded().said,
        words: &language.loaded().words,
        mixins: Vec::new(),
        mentions: Vec::new(),
        broken: tree.root_node().has_error(),
    };
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MAX_OPEN);
    reading.query(language, &mut cursor, Piece { tree: &tree, end: text.len(), only_uses: false });
    Some(nested::finish(reading, language, &mut cursor, 0))
}

/// A tree of a piece of the text, up to a byte.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) end: usize,
    pub(crate) only_uses: bool,
}

pub(crate) type Parts<'t> = Vec<(Capture, Node<'t>)>;

/// A definition as it was matched.
#[derive(Debug)]
pub(crate) struct Found<'t> {
    pub(crate) node: Node<'t>,
    pub(crate) name: Node<'t>,
    pub(crate) kind: Kind,
    pub(crate) pattern: usize,
    pub(crate) owner: Option<Name>,
    pub(crate) of_trait: Option<Name>,
    pub(crate) bases: Vec<Name>,
    pub(crate) returns: Option<Name>,
    pub(crate) body: Option<Node<'t>>,
    pub(crate) member: bool,
    pub(crate) private: bool,
    pub(crate) head: Option<Node<'t>>,
    pub(crate) flags: Flags,
    /// Of a heading: how deep it stands.
    pub(crate) level: Option<u8>,
    /// Where it ends, if not with its node.
    pub(crate) end: Option<usize>,
}

#[derive(Debug, Default)]
pub(crate) struct Chains {
    pub(crate) known: HashMap<Chain, ChainId>,
    pub(crate) list: Vec<Chain>,
}

impl Chains {
    pub(crate) fn keep(&mut self, chain: Chain) -> ChainId {
        if let Some(id) = self.known.get(&chain) {
            return *id;
        }
        let id = ChainId(self.list.len() as u32);
        self.list.push(chain.clone());
        self.known.insert(chain, id);
        id
    }
}

/// A reference with the byte its name begins at.
pub(crate) type At<T> = (usize, T);

/// A binding, and how its scope is found.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) binding: Binding,
    pub(crate) how: How,
    /// Of its name.
    pub(crate) column: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum How {
    /// By what is around it.
    Declared,
    /// Inside of the definition it stands in.
    Inner,
    /// As what the function right around it gives.
    Returned,
    /// As a member of the constant or variable right around it.
    OfValue,
    /// Where its name is declared.
    Assigned,
}

pub(crate) struct Reading<'t> {
    pub(crate) text: &'t str,
    pub(crate) settings: &'t Settings,
    pub(crate) names: Names<'t>,
    pub(crate) definitions: Vec<Found<'t>>,
    /// By node and name: matches of one node do not always come one after another.
    pub(crate) known: HashMap<(usize, usize), usize>,
    pub(crate) scopes: Vec<std::ops::Range<usize>>,
    /// Those and the blocks in them, with their last lines.
    pub(crate) extents: Vec<(std::ops::Range<usize>, u32)>,
    /// Where names of imports stand: `a` of `const a = require("a")` is no constant.
    pub(crate) brought: HashSet<usize>,
    pub(crate) references: Vec<At<Reference>>,
    pub(crate) imports: Vec<At<Import>>,
    /// Where nested lists of imports and the like stand: the names in them are no uses.
    pub(crate) lists: Vec<std::ops::Range<usize>>,
    /// Where members of a type begin to be private, or cease to be.
    pub(crate) labels: Vec<At<bool>>,
    pub(crate) bindings: Vec<At<Bound>>,
    /// Tokens that are still to be read.
    pub(crate) programs: Vec<Program<'t>>,
    pub(crate) beside: Beside<'t>,
    pub(crate) chains: Chains,
    pub(crate) package: Option<Name>,
    /// Names that no node has, by pattern.
    pub(crate) said: &'t [Option<Box<str>>],
    pub(crate) mixins: Vec<At<Name>>,
    /// Where names are only talked about.
    pub(crate) mentions: Vec<usize>,
    /// What words define, by pattern.
    pub(crate) words: &'t [HashMap<Box<str>, Word>],
    pub(crate) broken: bool,
}

fn part<'t>(parts: &Parts<'t>, wanted: Part) -> Option<Node<'t>> {
    parts.iter().find(|(capture, _)| *capture == Capture::Part(wanted)).map(|(_, node)| *node)
}

pub(crate) fn line_of(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}

pub(crate) fn column_of(node: Node<'_>) -> u32 {
    node.start_position().column as u32 + 1
}

impl<'t> Reading<'t> {
    /// All that a tree says.
    pub(crate) fn query(&mut self, language: &Language, cursor: &mut QueryCursor, piece: Piece<'t>) {
        let loaded = language.loaded();
        let mut matches = cursor.matches(&loaded.query, piece.tree.root_node(), self.text.as_bytes());
        let mut parts = Parts::new();
        while let Some(found) = matches.next() {
            let captures = found.captures();
            if captures.iter().any(|capture| capture.node.end_byte() > piece.end) {
                continue;
            }
            parts.clear();
            let captured = found.captures().iter();
            parts.extend(captured.map(|capture| (loaded.captures[capture.index as usize], capture.node)));
            let is_use = |(capture, _): &(Capture, Node<'_>)| matches!(capture, Capture::Reference(_));
            if !piece.only_uses || parts.iter().any(is_use) {
                self.take(&parts, found.pattern_index);
            }
        }
    }

    fn take(&mut self, parts: &Parts<'t>, pattern: usize) {
        let main = parts.iter().find(|(capture, _)| !matches!(capture, Capture::Part(_) | Capture::Ignored));
        let Some((capture, node)) = main else { return };
        match *capture {
            Capture::Definition(kind) => self.definition(kind, *node, parts, pattern),
            Capture::Defined => {
                let Some(word) = part(parts, Part::Word) else { return };
                let said = self.words[pattern].get(&self.text[word.byte_range()]).copied();
                if let Some(said) = said {
                    // A word that defines is no use of anything.
                    self.mentions.push(word.start_byte());
                    self.definition(said.kind, *node, parts, pattern);
                    self.defined_by(said, *node, parts);
                }
            }
            Capture::Reference(role) => self.reference(role, *node, parts),
            Capture::Import => self.import(*node, parts, pattern),
            Capture::ImportTree => {
                let reexport = part(parts, Part::Reexport).is_some();
                self.lists.push(node.byte_range());
                let found = structure::use_tree(*node, self.text, reexport, &mut self.names);
                self.imports.extend(found.into_iter().map(|import| (node.start_byte(), import)));
            }
            Capture::ImportDotted => {
                let reexport = part(parts, Part::Reexport).is_some();
                self.lists.push(node.byte_range());
                let found = structure::dotted(*node, self.text, reexport, &mut self.names);
                self.imports.extend(found.into_iter().map(|import| (node.start_byte(), import)));
            }
            Capture::Binding(place) => self.binding(place, *node, parts, How::Declared),
            Capture::Assigned => self.binding(Place::Local, *node, parts, How::Assigned),
            Capture::OfValue => self.binding(Place::Field, *node, parts, How::OfValue),
            Capture::Returned => self.returned(parts),
            Capture::Inner => self.binding(Place::Local, *node, parts, How::Inner),
            Capture::Scope => {
                self.scopes.push(node.byte_range());
                self.extents.push((node.byte_range(), node.end_position().row as u32 + 1));
            }
            Capture::Block => self.extents.push((node.byte_range(), node.end_position().row as u32 + 1)),
            Capture::Mention => self.mentions.push(node.start_byte()),
            Capture::Package => self.package = Some(self.name_of(*node)),
            // Without a tree in it there are only literals in most of them.
            Capture::Program if self.says_something(*node) => {
                self.programs.push(Program { node: *node, only_uses: false });
            }
            Capture::Silent => self.lists.push(node.byte_range()),
            Capture::Access => {
                let is_private =
                    self.settings.hidden_labels.iter().any(|word| *word == self.text[node.byte_range()]);
                self.labels.push((node.start_byte(), is_private));
            }
            Capture::Template => self.programs.push(Program { node: *node, only_uses: true }),
            Capture::Tokens => tokens::read(*node, false, self),
            Capture::Beside => {
                let Settings { comments, mark_names, .. } = self.settings;
                let is_comment = comments.iter().any(|kind| kind == node.kind());
                let name = docs::mark_name(&self.text[node.byte_range()]);
                if is_comment || mark_names.is_empty() || mark_names.iter().any(|known| known == name) {
                    self.beside.add(*node);
                }
            }
            Capture::Program | Capture::Part(_) | Capture::Ignored => {}
        }
    }

    fn says_something(&self, tokens: Node<'t>) -> bool {
        let mut cursor = tokens.walk();
        tokens
            .named_children(&mut cursor)
            .any(|child| !self.settings.expressions.literals.iter().any(|kind| kind == child.kind()))
    }

    fn name_of(&mut self, node: Node<'t>) -> Name {
        let text = &self.text[node.byte_range()];
        self.names.of(self.settings.bare(text))
    }

    /// What a call gives: `(n int, err error)` without the names.
    fn given(&mut self, node: Node<'t>) -> Name {
        let mut types = Vec::new();
        let mut is_named = false;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let Some(of) = child.child_by_field_name("type") else { return self.type_of(node) };
            let names = child.children_by_field_name("name", &mut child.walk()).count();
            is_named |= names > 0;
            types.extend(std::iter::repeat_n(&self.text[of.byte_range()], names.max(1)));
        }
        if !is_named || !self.text[node.byte_range()].starts_with('(') {
            return self.type_of(node);
        }
        self.names.made(&format!("({})", types.join(", ")))
    }

    /// A type as written, white space folded.
    pub(crate) fn type_of(&mut self, node: Node<'t>) -> Name {
        let text = self.text[node.byte_range()].trim_start_matches([':', ' ']);
        let mut text = text.strip_prefix("->").unwrap_or(text).trim();
        if self.settings.quoted_types {
            text = text.trim_matches(['"', '\'']);
        }
        // `struct a { … } b`: the rest is a definition.
        let has_bodies = !self.settings.declarators.function.is_empty();
        if let Some(brace) = text.find('{').filter(|_| has_bodies) {
            text = text[..brace].trim_end();
        }
        if text.contains(['\n', '\t']) {
            return self.names.made(&signature::fold(text));
        }
        self.names.of(text)
    }

    fn definition(&mut self, kind: Kind, node: Node<'t>, parts: &Parts<'t>, pattern: usize) {
        let declared = part(parts, Part::Declarator).and_then(|node| declarator::read(node, self.settings));
        let Some(name) = declared.map(|declared| declared.name).or_else(|| part(parts, Part::Name)) else {
            return;
        };
        let prototype = match kind {
            Kind::Variable if declared.is_some_and(|declared| declared.is_function) => Some(Kind::Function),
            Kind::Field if declared.is_some_and(|declared| declared.is_function) => Some(Kind::Method),
            _ => None,
        };
        let path = declared.and_then(|declared| declared.owner);
        let path = path.map(|(start, end)| signature::type_name(&self.text[start..end]));
        let called = &self.text[name.byte_range()];
        let is_constructor = self.settings.constructors_by_name
            && path.is_some_and(|path| path.rsplit(':').next() == Some(called));
        let kind = match prototype.unwrap_or(kind) {
            Kind::Function if is_constructor => Kind::Constructor,
            Kind::Function if path.is_some() => Kind::Method,
            kind => kind,
        };
        let bases: Vec<Name> = parts
            .iter()
            .filter(|(capture, _)| *capture == Capture::Part(Part::Base))
            .map(|(_, base)| self.names.made(signature::type_name(&self.text[base.byte_range()])))
            .collect();
        let bare = |wanted| part(parts, wanted).map(|n| signature::type_name(&self.text[n.byte_range()]));
        let (owner, of_trait) = (bare(Part::Owner), bare(Part::OfTrait));
        let owner = owner.or(path);
        let instance = owner.and_then(|owner| {
            self.settings.prototypes.iter().find_map(|ending| owner.strip_suffix(&**ending))
        });
        let of_trait = of_trait.map(|text| self.names.made(text));
        let owner = instance.or(owner).map(|text| self.names.made(text));
        let is_given = declared.is_none_or(|declared| declared.is_function);
        let returns = part(parts, Part::Returns).filter(|_| is_given).map(|node| self.given(node));
        let has = |wanted| part(parts, wanted).is_some();
        let flags = Flags {
            public: has(Part::Public),
            test: has(Part::Test),
            of_type: has(Part::Static) && instance.is_none(),
            declared: has(Part::Declared) || prototype.is_some(),
            block: has(Part::Block),
        };
        let (body, head) = (part(parts, Part::Body), part(parts, Part::Head));
        let key = (node.id(), if self.settings.named_once { 0 } else { name.id() });
        let known = self.known.get(&key).map(|at| &mut self.definitions[*at]);
        if let Some(known) = known {
            // A pattern that begins further out is met first, however far down it stands.
            if pattern >= known.pattern {
                (known.kind, known.pattern, known.name) = (kind, pattern, name);
            }
            known.owner = owner.or(known.owner);
            known.of_trait = of_trait.or(known.of_trait);
            for base in bases {
                if !known.bases.contains(&base) {
                    known.bases.push(base);
                }
            }
            known.returns = returns.or(known.returns);
            known.body = body.or(known.body);
            known.member |= has(Part::Member);
            known.private |= has(Part::Private);
            known.head = head.or(known.head);
            known.flags.public |= flags.public;
            known.flags.test |= flags.test;
            known.flags.of_type |= flags.of_type;
            known.flags.declared |= flags.declared;
            known.flags.block |= flags.block;
            return;
        }
        self.known.insert(key, self.definitions.len());
        self.definitions.push(Found {
            node,
            name,
            kind,
            pattern,
            owner,
            of_trait,
            bases,
            returns,
            body,
            member: has(Part::Member),
            private: has(Part::Private),
            head,
            level: part(parts, Part::Level).and_then(|sign| headings::level(sign.kind())),
            // What a macro defines has a body beside it: `TEST(a, b) { … }`.
            end: body.map(|body| body.end_byte()).filter(|end| *end > node.end_byte()),
            flags,
        });
    }

    /// What else a word says of the definition it makes.
    fn defined_by(&mut self, word: Word, node: Node<'t>, parts: &Parts<'t>) {
        let Some(name) = part(parts, Part::Name) else { return };
        if let Some(at) = self.known.get(&(node.id(), name.id())) {
            let known = &mut self.definitions[*at];
            known.flags.of_type |= word.flags.of_type;
            known.flags.test |= word.flags.test;
            known.flags.declared |= word.flags.declared;
            known.private |= word.private;
        }
    }

    fn reference(&mut self, role: Role, node: Node<'t>, parts: &Parts<'t>) {
        let mut name = part(parts, Part::Name).unwrap_or(node);
        let mut receiver: Vec<Node<'t>> = part(parts, Part::Receiver).into_iter().collect();
        if let Some(callee) = part(parts, Part::Callee) {
            let Some(of) = chain::callee(callee, self.settings) else { return };
            (name, receiver) = of;
        }
        if let Some(base) = part(parts, Part::Mixin) {
            let base_name = self.names.made(signature::type_name(&self.text[base.byte_range()]));
            self.mixins.push((base.start_byte(), base_name));
        }
        let is_member = self.settings.expressions.own_members.iter().any(|kind| kind == name.kind());
        let receiver = chain::of_parts(&receiver, self.text, self.settings, &mut self.names)
            .or_else(|| is_member.then_some(Chain { root: Root::Own, steps: Vec::new() }))
            .map(|chain| self.chains.keep(chain));
        let arguments = part(parts, Part::Arguments).map(|list| {
            let mut cursor = list.walk();
            let is_comment = |node: &Node<'_>| self.settings.comments.iter().any(|c| c == node.kind());
            list.named_children(&mut cursor).filter(|node| !is_comment(node)).count().min(255) as u8
        });
        // The type around it, mentioned in itself.
        let is_own = role == Role::Type || role == Role::Value && receiver.is_none();
        if is_own && self.settings.own.iter().any(|own| *own == self.text[name.byte_range()]) {
            return;
        }
        self.refer(name, role, receiver, arguments);
    }

    /// A use that was read from tokens.
    pub(crate) fn used(
        &mut self,
        name: Node<'t>,
        role: Role,
        receiver: Option<Chain>,
        arguments: Option<u8>,
    ) {
        let receiver = receiver.map(|chain| self.chains.keep(chain));
        self.refer(name, role, receiver, arguments);
    }

    fn refer(&mut self, name: Node<'t>, role: Role, receiver: Option<ChainId>, arguments: Option<u8>) {
        let reference = Reference {
            name: self.name_of(name),
            role,
            line: line_of(name),
            column: column_of(name),
            receiver,
            within: None,
            arguments,
        };
        self.references.push((name.start_byte(), reference));
    }

    fn import(&mut self, node: Node<'t>, parts: &Parts<'t>, pattern: usize) {
        let reexport = part(parts, Part::Reexport).is_some();
        let path = part(parts, Part::Path).map(|path| &self.text[path.byte_range()]);
        let path = path.map(|path| path.rsplit_once('.').unwrap_or(("", path)));
        let module = match part(parts, Part::Module) {
            _ if path.is_some() => path.map_or("", |(module, _)| module),
            Some(module) => self.text[module.byte_range()].trim_matches(['"', '\'', '`']),
            // Handed on by its own file: `export { a as b }`.
            None if reexport => "",
            None => return,
        };
        let module = self.names.of(module);
        let said = self.said[pattern].as_deref();
        let mut word = |wanted| {
            part(parts, wanted)
                .map(|node| self.settings.bare(self.text[node.byte_range()].trim_matches(['"', '\''])))
                .map(|word| self.names.of(word))
        };
        let (name, alias) = (word(Part::Name), word(Part::Alias));
        if let Some(local) = part(parts, Part::Alias).or(part(parts, Part::Name)).filter(|_| !reexport) {
            self.brought.insert(local.start_byte());
        }
        let name = name.or_else(|| path.map(|(_, name)| self.names.of(name.trim_matches('`'))));
        let name = name.or_else(|| said.map(|said| self.names.made(said)));
        let wildcard = part(parts, Part::Wildcard).is_some();
        let local = alias.or(name);
        let import = Import {
            module,
            name,
            local,
            wildcard,
            reexport,
            line: line_of(node),
            end_line: node.end_position().row as u32 + 1,
            within: None,
        };
        self.imports.push((node.start_byte(), import));
    }

    fn returned(&mut self, parts: &Parts<'t>) {
        let Some(value) = part(parts, Part::Value) else { return };
        let value_chain = self.chain(value, None);
        // What nobody can say is no help.
        if self.chains.list[value_chain.0 as usize].root == Root::Unknown {
            return;
        }
        let binding = Binding {
            name: self.names.made(RETURNED),
            place: Place::Local,
            scope: None,
            line: line_of(value),
            column: column_of(value),
            until: u32::MAX,
            of_type: None,
            value: Some(value_chain),
        };
        self.bindings
            .push((value.start_byte(), Bound { binding, column: column_of(value), how: How::Returned }));
    }

    fn binding(&mut self, place: Place, node: Node<'t>, parts: &Parts<'t>, how: How) {
        let ordinal = part(parts, Part::Ordinal);
        let mut name = part(parts, Part::Name).or(ordinal).unwrap_or(node);
        if let Some(declarator) = part(parts, Part::Declarator) {
            match declarator::read(declarator, self.settings) {
                Some(declared) if !declared.is_function => name = declared.name,
                _ => return,
            }
        }
        let called = match ordinal {
            Some(ordinal) => self.names.made(&structure::ordinal(ordinal).to_string()),
            None => self.name_of(name),
        };
        let member = part(parts, Part::ValueMember).map(|member| Step::Member(self.name_of(member)));
        let member = member.or_else(|| {
            let place = structure::ordinal(part(parts, Part::Place)?).to_string();
            Some(Step::Member(self.names.made(&place)))
        });
        let mut of_type = part(parts, Part::Type);
        let value =
            [(Part::Value, None), (Part::Element, Some(Step::Element)), (Part::Inside, Some(Step::Inside))]
                .into_iter()
                .find_map(|(wanted, step)| Some((part(parts, wanted)?, step)));
        let value = value.or_else(|| {
            let of = part(parts, Part::Piece)?;
            let place = self.names.made(&structure::ordinal(name).to_string());
            Some((of, Some(Step::Member(place))))
        });
        let value = match (value, member) {
            (Some((node, step)), member) => Some(self.chain(node, step.into_iter().chain(member))),
            (None, Some(member)) => of_type.take().map(|node| {
                let root = Root::Of(self.type_of(node));
                self.chains.keep(Chain { root, steps: vec![member] })
            }),
            (None, None) => None,
        };
        if member.is_some() {
            // The type is of the whole, not of the member.
            of_type = None;
        }
        // A type without a name is no type to look for.
        let of_type = of_type.filter(|of| !self.settings.declarators.is_nameless(*of));
        let of_type = of_type.map(|of| self.type_of(of)).or_else(|| {
            let many = part(parts, Part::TypeList)?;
            Some(self.names.made(&format!("[]{}", self.text[many.byte_range()].trim())))
        });
        // In one case of a type switch a name means something else than in the next.
        let from = part(parts, Part::From).unwrap_or(name);
        let (line, column) = (line_of(from), column_of(from));
        let binding =
            Binding { name: called, place, scope: None, line, column, until: u32::MAX, of_type, value };
        self.bindings.push((from.start_byte(), Bound { binding, how, column: column_of(name) }));
    }

    fn chain(&mut self, node: Node<'t>, steps: impl IntoIterator<Item = Step>) -> ChainId {
        let mut chain = chain::read(node, self.text, self.settings, &mut self.names);
        chain.steps.extend(steps);
        self.chains.keep(chain)
    }
}
