//! Uses of a definition: every place that says its name, or a name it has been given, and means it.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use code::{Kind, Reference, Role, Root};

use super::{Map, find};
use crate::answer::{Answer, Reached, Site, Through};
use crate::error::AtlasError;
use crate::library::{Def, FileId};

/// Names one definition goes by; more are a game.
const MAX_NAMES: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Wanted {
    Calls,
    All,
}

/// A use that was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) file: FileId,
    pub(super) reference: Reference,
    pub(super) of: Def,
    /// Of the definitions the reference may mean, the how manieth this is.
    rank: usize,
    pub(super) sure: bool,
}

/// Uses by what they mean.
type Meant = HashMap<Def, Vec<Use>>;

/// What one question has found out about names. A wave meets a name as often as there are definitions called so: their
/// uses are told apart once.
#[derive(Debug, Default)]
pub(crate) struct Known {
    meant: RefCell<HashMap<(String, Wanted), Rc<Meant>>>,
    aliases: RefCell<HashMap<String, Rc<Aliases>>>,
}

/// Other names of what goes by one.
#[derive(Debug, Default)]
struct Aliases {
    imported: Vec<String>,
    /// Variables that hold it, by what they hold.
    given: Vec<(Def, String)>,
}

impl Known {
    fn meant(&self, map: &Map<'_>, name: &str, wanted: Wanted) -> Rc<Meant> {
        let key = (name.to_owned(), wanted);
        if let Some(known) = self.meant.borrow().get(&key) {
            return Rc::clone(known);
        }
        let meant = Rc::new(meant(map, name, wanted, None));
        self.meant.borrow_mut().insert(key, Rc::clone(&meant));
        meant
    }

    fn aliases(&self, map: &Map<'_>, name: &str) -> Rc<Aliases> {
        if let Some(known) = self.aliases.borrow().get(name) {
            return Rc::clone(known);
        }
        let aliases = Rc::new(aliases(map, name));
        self.aliases.borrow_mut().insert(name.to_owned(), Rc::clone(&aliases));
        aliases
    }
}

/// Every use of these definitions, in the order of files and lines.
pub(super) fn of(map: &Map<'_>, targets: &[Def], wanted: Wanted) -> Vec<Use> {
    let mut uses = Vec::new();
    for (name, only) in names(map, targets) {
        let meant = match &only {
            None => map.known.meant(map, &name, wanted),
            Some(_) => Rc::new(meant(map, &name, wanted, only.as_ref())),
        };
        uses.extend(targets.iter().filter_map(|target| meant.get(target)).flatten().copied());
    }
    let place = |found: &Use| (found.file, found.reference.line, found.reference.column);
    uses.sort_by_key(|found| (place(found), found.rank));
    uses.dedup_by_key(|found| place(found));
    uses
}

fn meant(map: &Map<'_>, name: &str, wanted: Wanted, only: Option<&HashSet<FileId>>) -> Meant {
    let mut meant = Meant::new();
    for file in map.library.mentioning(name).iter().copied() {
        if only.is_some_and(|only| !only.contains(&file)) {
            continue;
        }
        let Some(leaf) = map.library.leaf(file) else { continue };
        let index = leaf.index();
        let Some(id) = index.name_id(name) else { continue };
        for at in index.references(id) {
            let reference = leaf.facts().references[*at as usize];
            if wanted == Wanted::Calls && !reference.role.is_call() {
                continue;
            }
            let found = map.resolver.resolve(file, &reference);
            for (rank, of) in found.defs.iter().enumerate() {
                let found = Use { file, reference, of: *of, rank, sure: found.sure };
                meant.entry(*of).or_default().push(found);
            }
        }
    }
    meant
}

fn aliases(map: &Map<'_>, name: &str) -> Aliases {
    let mut aliases = Aliases::default();
    for file in map.library.mentioning(name) {
        let Some(leaf) = map.library.leaf(*file) else { continue };
        let (facts, index) = (leaf.facts(), leaf.index());
        let Some(id) = index.name_id(name) else { continue };
        let renamed = index.renamed(id).iter().filter_map(|at| facts.imports[*at as usize].local);
        aliases.imported.extend(renamed.map(|local| facts.text(local).to_owned()));
        for at in index.given(id) {
            let alias = facts.text(facts.bindings[*at as usize].name);
            aliases.given.extend(map.resolver.held(*file, *at).map(|held| (held, alias.to_owned())));
        }
    }
    aliases
}

/// The names definitions go by: their own everywhere, an alias in the files that give it or get it.
fn names(map: &Map<'_>, targets: &[Def]) -> BTreeMap<String, Option<HashSet<FileId>>> {
    let mut names: BTreeMap<String, Option<HashSet<FileId>>> = BTreeMap::new();
    for target in targets {
        let Some((facts, symbol)) = map.library.facts(target.file).zip(map.library.symbol(*target)) else {
            continue;
        };
        names.insert(facts.text(symbol.name).to_owned(), None);
        // Who builds a value runs its constructor.
        if symbol.kind == Kind::Constructor
            && let Some(class) = map.resolver.owner(*target)
            && let Some((facts, class)) = map.library.facts(class.file).zip(map.library.symbol(class))
        {
            names.insert(facts.text(class.name).to_owned(), None);
            for own in map
                .library
                .leaf(target.file)
                .map(|leaf| leaf.language.settings())
                .into_iter()
                .flat_map(|s| s.own.iter().chain(&s.superior))
            {
                names.insert(own.clone(), None);
            }
        }
    }
    let mut open: Vec<String> = names.keys().cloned().collect();
    while let Some(name) = open.pop() {
        if names.len() >= MAX_NAMES {
            break;
        }
        let aliases = map.known.aliases(map, &name);
        // Of a name that many have, only what is given this very definition.
        let given = aliases.given.iter().filter(|(held, _)| targets.contains(held)).map(|(_, alias)| alias);
        for alias in aliases.imported.iter().chain(given) {
            if alias == "default" || !names.contains_key(alias) && names.len() < MAX_NAMES {
                // Whoever imports the alias says it, too: it is looked for everywhere.
                if names.insert(alias.clone(), None).is_none() && alias != "default" {
                    open.push(alias.clone());
                }
            }
        }
    }
    // What a module is as a whole is most often called as its file is.
    let is_whole = names.remove("=").is_some();
    if is_whole {
        let files = targets.iter().map(|target| map.library.path(target.file));
        for name in files.flat_map(spoken) {
            names.entry(name).or_insert(None);
        }
    }
    // What is handed out as the default goes by any name: those its importers give it.
    if names.remove("default").is_some() || is_whole {
        for file in map.library.mentioning("default") {
            let Some(facts) = map.library.facts(*file) else { continue };
            for import in &facts.imports {
                if import.name.is_some_and(|name| facts.text(name) == "default")
                    && let Some(local) = import.local
                    && names.len() < MAX_NAMES * 4
                {
                    let entry =
                        names.entry(facts.text(local).to_owned()).or_insert_with(|| Some(HashSet::new()));
                    match entry {
                        // Handed on, it is called so elsewhere.
                        _ if import.reexport => *entry = None,
                        Some(files) => {
                            files.insert(*file);
                        }
                        None => {}
                    }
                }
            }
        }
    }
    names
}

/// A file's name as a name of a program: `parseUrl` and `ParseUrl` of `lib/parse-url.js`, `Parser` of `parser/index.js`.
fn spoken(path: &str) -> [String; 3] {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or(file);
    let stem = if stem == "index" { folder.rsplit('/').next().unwrap_or(stem) } else { stem };
    let mut words =
        stem.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>()).unwrap_or_default()
    };
    let first = words.next().unwrap_or_default();
    let rest: String = words.map(capital).collect();
    [stem.to_owned(), format!("{first}{rest}"), format!("{}{rest}", capital(first))]
}

pub(super) fn sites(map: &Map<'_>, wanted: &str, role: Wanted, limit: usize) -> Result<Answer, AtlasError> {
    let targets = find::named(map, wanted)?;
    let uses = of(map, &targets, role);
    let mut sites: Vec<Site> = uses.iter().map(|found| site(map, found, targets.len() > 1)).collect();
    if role == Wanted::All {
        sites.extend(imports(map, &targets));
    }
    // What is sure comes first, so that a limit cuts guesses.
    sites.sort_by(|a, b| (!a.sure, &a.file, a.line, a.column).cmp(&(!b.sure, &b.file, b.line, b.column)));
    let total = sites.len();
    sites.truncate(limit);
    add_texts(map, &mut sites);
    let mut items = targets.iter().map(|def| map.item(*def));
    let symbol = items.next().unwrap_or_default();
    let through = through_bases(map, &targets, role);
    Ok(Answer::Sites { symbol, others: items.collect(), sites, total, through })
}

/// What these override, and how often that is used: each use may mean these, and nobody can say which do. What a definition
/// does with its base's own (`super().save()`) is no such use.
fn through_bases(map: &Map<'_>, targets: &[Def], wanted: Wanted) -> Vec<Through> {
    let mut bases: Vec<Def> = Vec::new();
    let mut open = targets.to_vec();
    while let Some(def) = open.pop() {
        for base in map.resolver.overridden(def) {
            if !bases.contains(&base) && !targets.contains(&base) && bases.len() < MAX_NAMES {
                bases.push(base);
                open.push(base);
            }
        }
    }
    let is_of_base = |found: &Use| {
        let facts = map.library.facts(found.file);
        let chain = facts.zip(found.reference.receiver).and_then(|(facts, chain)| facts.chain(chain));
        chain.is_some_and(|chain| chain.root == Root::Super)
    };
    let used = bases.into_iter().map(|base| {
        let uses = of(map, &[base], wanted).iter().filter(|found| !is_of_base(found)).count();
        Through { name: find::spelled(map, base), uses }
    });
    used.filter(|through| through.uses > 0).collect()
}

/// A use of what is not there any more.
pub(super) fn lost(map: &Map<'_>, file: FileId, reference: Reference) -> Site {
    // Whose it was is said by whoever asks.
    let of = Def { file, symbol: code::SymbolId(u32::MAX) };
    let mut site = [site(map, &Use { file, reference, of, rank: 0, sure: true }, false)];
    add_texts(map, &mut site);
    let [site] = site;
    site
}

fn site(map: &Map<'_>, found: &Use, several: bool) -> Site {
    let around = map.enclosing(found.file, found.reference.within).map(|def| map.item(def));
    let around = around.unwrap_or_else(|| crate::answer::Item {
        name: "<module>".to_owned(),
        kind: "module".to_owned(),
        line: 1,
        end_line: map.library.facts(found.file).map_or(1, |facts| facts.lines),
        ..Default::default()
    });
    Site {
        file: map.library.path(found.file).to_owned(),
        line: found.reference.line,
        end_line: found.reference.line,
        column: found.reference.column,
        name: around.name,
        kind: around.kind,
        signature: around.signature,
        role: found.reference.role.name().to_owned(),
        from_line: around.line,
        to_line: around.end_line,
        sure: found.sure,
        of: several.then(|| find::spelled(map, found.of)),
        text: String::new(),
    }
}

/// Imports that bring one of these.
fn imports(map: &Map<'_>, targets: &[Def]) -> Vec<Site> {
    let mut found = Vec::new();
    for target in targets {
        let Some((facts, symbol)) = map.library.facts(target.file).zip(map.library.symbol(*target)) else {
            continue;
        };
        let name = facts.text(symbol.name);
        for file in map.library.mentioning(name) {
            let Some(at) = map.resolver.at(*file, None, u32::MAX) else { continue };
            let Some(id) = at.leaf.index().name_id(name) else { continue };
            for import in at.facts.imports.iter().filter(|import| import.name == Some(id)) {
                let means = match map.resolver.import_meaning(at, import) {
                    crate::resolve::Meaning::Def(def, _) => def == *target,
                    crate::resolve::Meaning::Type(ty) => ty.head == crate::resolve::Head::Def(*target),
                    _ => false,
                };
                if means {
                    found.push(Site {
                        file: at.leaf.path.to_string(),
                        line: import.line,
                        end_line: import.end_line,
                        column: 1,
                        name: "<module>".to_owned(),
                        kind: "module".to_owned(),
                        role: "import".to_owned(),
                        from_line: 1,
                        to_line: at.facts.lines,
                        sure: true,
                        ..Site::default()
                    });
                }
            }
        }
    }
    found
}

/// The lines themselves, from the files as they are.
fn add_texts(map: &Map<'_>, sites: &mut [Site]) {
    let mut open: Option<(String, Vec<String>)> = None;
    for site in sites {
        if open.as_ref().is_none_or(|(file, _)| *file != site.file) {
            let text = map.library.by_path(&site.file).and_then(|file| map.atlas.text(file));
            let lines = text.map(|text| text.lines().map(str::to_owned).collect()).unwrap_or_default();
            open = Some((site.file.clone(), lines));
        }
        if let Some((_, lines)) = &open
            && let Some(line) = lines.get(site.line.saturating_sub(1) as usize)
        {
            site.text = line.trim().chars().take(160).collect();
        }
    }
}

/// What a definition uses, each once, with the first line it is used on.
pub(super) fn callees(map: &Map<'_>, wanted: &str, limit: usize) -> Result<Answer, AtlasError> {
    let def = find::one(map, wanted)?;
    let (mut callees, mut outside, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for found in used_by(map, def) {
        match found {
            Used::Def { def: used, line } => {
                if !callees.iter().any(|known: &(Def, u32)| known.0 == used) {
                    callees.push((used, line));
                }
            }
            Used::Outside(name) if !outside.contains(&name) => outside.push(name),
            Used::Unknown(name) if !unknown.contains(&name) => unknown.push(name),
            Used::Outside(_) | Used::Unknown(_) => {}
        }
    }
    outside.truncate(limit);
    unknown.truncate(limit);
    let name = map.item(def).name;
    let callees = callees.into_iter().take(limit).map(|(used, line)| Reached {
        item: map.item(used),
        depth: 1,
        path: vec![name.clone()],
        call_line: line,
    });
    Ok(Answer::Callees { symbol: map.item(def), callees: callees.collect(), outside, unknown })
}

pub(super) enum Used {
    Def {
        def: Def,
        line: u32,
    },
    Outside(String),
    /// It cannot be seen what is called.
    Unknown(String),
}

/// What the text of a definition calls, in its order.
pub(super) fn used_by(map: &Map<'_>, def: Def) -> Vec<Used> {
    let Some((facts, symbol)) = map.library.facts(def.file).zip(map.library.symbol(def)) else {
        return Vec::new();
    };
    let lines = symbol.span.line..=symbol.span.end_line;
    let inside = facts.references.iter().filter(|reference| {
        reference.role.is_call()
            && lines.contains(&reference.line)
            && reference
                .within
                .is_some_and(|within| within == def.symbol || facts.around(within).any(|at| at == def.symbol))
    });
    let mut used = Vec::new();
    for reference in inside {
        let found = map.resolver.resolve(def.file, reference);
        // A class and its constructor are one to whoever builds it.
        let meant = found
            .defs
            .iter()
            .find(|found| map.library.symbol(**found).is_some_and(|s| !s.flags.declared))
            .or(found.defs.first());
        match meant {
            Some(meant) => used.push(Used::Def { def: *meant, line: reference.line }),
            None if found.outside => used.push(Used::Outside(facts.text(reference.name).to_owned())),
            None if reference.role == Role::Call => {
                used.push(Used::Unknown(facts.text(reference.name).to_owned()));
            }
            None => {}
        }
    }
    used
}
