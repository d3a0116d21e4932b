//! Output that is left from looking at a program while it was written: which calls and statements of a text are such, and
//! whether the text is a program that talks to a person anyway. The words are each language's own (`[prints]` in its
//! `language.toml`). A function of the same name that the text has itself, or brings in from elsewhere, is not one. What
//! the path of a file says about it is not known here.

use serde::Deserialize;
use tree_sitter::{Node, Query, QueryCursor, StreamingIterator as _, Tree};

use crate::facts::{Facts, Import, Name, Place, Reference, Role, Root, Step, SymbolId};
use crate::language::{Language, Settings};

/// In a comment behind code: this line may print. In one that stands alone: all of the file may.
pub const MARK: &str = "throughline: allow-prints";

/// What a language's people leave in a text by mistake.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Words {
    /// Calls that only ever look at a program (`dbg`, `pdb.set_trace`). As the path they are reached by, imports followed;
    /// `*.name`: of whatever value. With `()` behind it: without arguments.
    pub stray: Vec<String>,
    /// Calls that a program may well talk to a person with, and a library not (`print`, `console.log`).
    pub talk: Vec<String>,
    /// Modules whose users are programs with a command line, and what is below them.
    pub programs: Vec<String>,
    /// Functions that make a file a program.
    pub mains: Vec<String>,
    /// Packages that are programs.
    pub packages: Vec<String>,
    /// Ends of the paths of files that are programs or scripts: `/build.rs`, `.kts`.
    pub files: Vec<String>,
    /// What is said in comments to those who look for prints, too: about the line, the one below it, the file.
    pub allow_line: Vec<String>,
    pub allow_next: Vec<String>,
    pub allow_file: Vec<String>,
    /// Words of the statements that the query finds, so that a line without any need not be parsed.
    pub statements: Vec<String>,
    /// What no call tells, as a query. `@stray`: a statement that is one; `@program`: it makes the file a program; `@spare`:
    /// what stands in it is meant; `@all`: so is all of the file.
    pub query: String,
}

impl Words {
    /// Whether a line can hold one at all: most edits write none, and need not be parsed to know it.
    pub fn may_be_in(&self, line: &str) -> bool {
        let last = |path: &str| {
            let path = path.strip_suffix("()").unwrap_or(path);
            line.contains(path.rsplit('.').next().unwrap_or(path))
        };
        self.stray.iter().chain(&self.talk).any(|path| last(path))
            || self.statements.iter().any(|word| line.contains(&**word))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sort {
    /// No program is meant to have it.
    Stray,
    /// A library is not.
    Talk,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Print {
    pub line: u32,
    /// As it is called: `console.log`.
    pub what: Box<str>,
    pub sort: Sort,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prints {
    /// In the order of the text, without those in tests and those that are marked as meant.
    pub found: Vec<Print>,
    /// The text says that it is a program that talks to a person.
    pub is_program: bool,
}

/// What is left in a text. `None`: it is too large or takes too long to parse, or its language has no words for it.
pub fn find(language: &Language, text: &str) -> Option<Prints> {
    let words = &language.settings().prints;
    if words.stray.is_empty() && words.talk.is_empty() {
        return None;
    }
    let facts = crate::facts(language, text)?;
    let tree = crate::parse(language, text)?;
    let beside = Beside::of(language, &tree, text);
    let is_program = beside.is_program || says_program(words, &facts);
    if beside.all {
        return Some(Prints { found: Vec::new(), is_program });
    }
    let mut found: Vec<Print> = Vec::new();
    for reference in facts.references.iter().filter(|reference| reference.role == Role::Call) {
        if beside.spares(reference.line) || is_tested(&facts, reference.within) {
            continue;
        }
        let Some(path) = path(&facts, language.settings(), reference) else { continue };
        let arguments = reference.arguments;
        let is_in = |list: &[String]| list.iter().any(|word| matches(word, &path, arguments));
        let sort = match (is_in(&words.stray), is_in(&words.talk)) {
            (true, _) => Sort::Stray,
            (_, true) => Sort::Talk,
            _ => continue,
        };
        found.push(Print { line: reference.line, what: written(&facts, reference).into(), sort });
    }
    let statements = beside.stray.iter().filter(|(line, _)| !beside.spares(*line));
    found.extend(statements.map(|(line, what)| Print { line: *line, what: what.clone(), sort: Sort::Stray }));
    found.sort_by_key(|print| print.line);
    found.dedup();
    Some(Prints { found, is_program })
}

fn says_program(words: &Words, facts: &Facts) -> bool {
    let imports = |module: &str| {
        words.programs.iter().any(|known| {
            module
                .strip_prefix(&**known)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':', '/']))
        })
    };
    facts.imports.iter().any(|import| imports(facts.text(import.module)))
        || facts.package.is_some_and(|package| words.packages.iter().any(|p| p == facts.text(package)))
        || facts.symbols.iter().any(|symbol| {
            let is_member = symbol.parent.is_some() && !symbol.flags.of_type;
            symbol.kind.is_callable()
                && !is_member
                && words.mains.iter().any(|main| main == facts.text(symbol.name))
        })
}

/// A test, or inside of one.
fn is_tested(facts: &Facts, within: Option<SymbolId>) -> bool {
    within.is_some_and(|id| {
        std::iter::once(id)
            .chain(facts.around(id))
            .any(|id| facts.symbol(id).is_some_and(|symbol| symbol.flags.test))
    })
}

fn matches(word: &str, path: &str, arguments: Option<u8>) -> bool {
    let word = match word.strip_suffix("()") {
        Some(_) if arguments != Some(0) => return false,
        Some(word) => word,
        None => word,
    };
    match word.strip_prefix("*.") {
        Some(member) => path.rsplit_once('.').is_some_and(|(_, last)| last == member),
        None => word == path,
    }
}

/// What a call is reached by, imports followed: `pprint.pprint` of a `pprint` that was imported from there. `None`: it is
/// of the text's own making.
fn path(facts: &Facts, settings: &Settings, reference: &Reference) -> Option<String> {
    let name = facts.text(reference.name);
    let Some(chain) = reference.receiver.and_then(|id| facts.chain(id)) else {
        let root = root(facts, settings, reference.name, reference)?;
        return Some(root);
    };
    let Root::Name(first) = chain.root else { return Some(format!("?.{name}")) };
    let steps = chain.steps.iter().map(|step| match step {
        Step::Member(name) => Some(facts.text(*name)),
        _ => None,
    });
    let Some(mut parts) = steps.collect::<Option<Vec<_>>>() else { return Some(format!("?.{name}")) };
    parts.push(name);
    // A value of its own has members of its own; what holds for any value holds for it, too.
    let root = root(facts, settings, first, reference).unwrap_or_else(|| "?".to_owned());
    Some(format!("{root}.{}", parts.join(".")))
}

/// What a bare name stands for, as far as the file tells.
fn root(facts: &Facts, settings: &Settings, name: Name, at: &Reference) -> Option<String> {
    let text = facts.text(name);
    if let Some(import) = facts.imports.iter().find(|import| brings(facts, import, name)) {
        let module = facts.text(import.module);
        return Some(match import.name {
            // What a module is without a name of its own.
            Some(name) if !matches!(facts.text(name), "default" | "*") => {
                format!("{module}.{}", facts.text(name))
            }
            _ => module.to_owned(),
        });
    }
    (!is_own(facts, settings, name, at)).then(|| text.to_owned())
}

fn brings(facts: &Facts, import: &Import, name: Name) -> bool {
    match import.local {
        Some(local) => local == name,
        None if import.wildcard || import.name.is_some() => false,
        None => facts.text(import.module).rsplit(['/', '.', ':']).next() == Some(facts.text(name)),
    }
}

/// Whether a variable or a definition of this name is in sight.
fn is_own(facts: &Facts, settings: &Settings, name: Name, at: &Reference) -> bool {
    let around: Vec<SymbolId> =
        at.within.into_iter().flat_map(|id| std::iter::once(id).chain(facts.around(id))).collect();
    let bound = facts.bindings.iter().filter(|binding| binding.name == name).any(|binding| {
        let in_scope = binding.scope.is_none_or(|scope| around.contains(&scope));
        match binding.place {
            Place::Global => true,
            Place::Field => settings.implicit_own && in_scope,
            Place::Parameter | Place::Local => {
                in_scope && (binding.until == u32::MAX || (binding.line..=binding.until).contains(&at.line))
            }
        }
    });
    bound
        || facts.symbols.iter().filter(|symbol| symbol.name == name).any(|symbol| match symbol.parent {
            None => symbol.owner.is_none() || settings.implicit_own,
            Some(parent) => {
                let is_member = facts.symbol(parent).is_some_and(|parent| parent.kind.is_type());
                around.contains(&parent) && (!is_member || settings.implicit_own)
            }
        })
}

/// A call as it stands there, for a person to find it.
fn written(facts: &Facts, reference: &Reference) -> String {
    let name = facts.text(reference.name);
    let chain = reference.receiver.and_then(|id| facts.chain(id));
    let Some(Root::Name(first)) = chain.map(|chain| chain.root) else { return name.to_owned() };
    let members = chain.iter().flat_map(|chain| &chain.steps).filter_map(|step| match step {
        Step::Member(name) => Some(facts.text(*name)),
        _ => None,
    });
    std::iter::once(facts.text(first)).chain(members).chain([name]).collect::<Vec<_>>().join(".")
}

/// What comments and the language's query say.
#[derive(Debug, Default)]
struct Beside {
    stray: Vec<(u32, Box<str>)>,
    /// Lines of what is meant, both included.
    spared: Vec<(u32, u32)>,
    all: bool,
    is_program: bool,
}

/// A language's query for prints, compiled.
#[derive(Debug)]
pub(crate) struct Asked {
    query: Query,
}

impl Language {
    fn asked(&self) -> &Asked {
        self.printing.get_or_init(|| {
            let settings = self.settings();
            let mut text = settings.prints.query.clone();
            for kind in &settings.comments {
                text.extend(["\n(", kind, ") @comment"]);
            }
            let query = Query::new(&self.loaded().grammar, &text)
                .unwrap_or_else(|error| panic!("[prints] of languages/{}: {error}", self.name));
            Asked { query }
        })
    }
}

impl Beside {
    fn of(language: &Language, tree: &Tree, text: &str) -> Self {
        let query = &language.asked().query;
        let words = &language.settings().prints;
        let names = query.capture_names();
        let mut beside = Self::default();
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
        while let Some(found) = matches.next() {
            for capture in found.captures() {
                let node = capture.node;
                let lines = (node.start_position().row as u32 + 1, node.end_position().row as u32 + 1);
                match names[capture.index as usize] {
                    "stray" => {
                        let what = text[node.byte_range()].trim_end_matches(';').trim();
                        beside.stray.push((lines.0, what.into()));
                    }
                    "program" => beside.is_program = true,
                    "spare" => beside.spared.push(lines),
                    "all" => beside.all = true,
                    "comment" => beside.hear(words, node, text, lines),
                    // Names with an underscore are for the query's own conditions.
                    _ => {}
                }
            }
        }
        beside
    }

    /// What a comment allows.
    fn hear(&mut self, words: &Words, node: Node<'_>, text: &str, lines: (u32, u32)) {
        let said = &text[node.byte_range()];
        let has = |list: &[String]| list.iter().any(|word| said.contains(&**word));
        let line = text[..node.start_byte()].rsplit('\n').next().unwrap_or_default();
        let alone = line.trim().is_empty();
        if said.contains(MARK) && alone || has(&words.allow_file) {
            self.all = true;
        }
        if said.contains(MARK) || has(&words.allow_line) {
            self.spared.push(lines);
        }
        if has(&words.allow_next) {
            self.spared.push((lines.0, lines.1 + 1));
        }
    }

    fn spares(&self, line: u32) -> bool {
        self.spared.iter().any(|(from, to)| (*from..=*to).contains(&line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::ALL;

    #[test]
    fn every_language_has_words_that_can_be_asked_for() {
        for language in ALL {
            let words = &language.settings().prints;
            let found = find(language, "\n");
            assert_eq!(found.is_some(), !words.talk.is_empty(), "{}", language.name);
            assert_eq!(words.query.contains("@stray"), !words.statements.is_empty(), "{}", language.name);
            for word in words.stray.iter().chain(&words.talk) {
                assert!(words.may_be_in(&word.replace("()", "")), "{}: {word}", language.name);
            }
        }
    }
}
