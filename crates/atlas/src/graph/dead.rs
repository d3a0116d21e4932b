//! What nobody uses. Rather silent than wrong: a name that might be meant somewhere is alive, and so is what a framework,
//! a runtime or another project may call.

use code::{Kind, Symbol, SymbolId, Visibility};

use super::Map;
use crate::answer::Answer;
use crate::library::{Def, FileId};

/// Files that say a name; one that more say is in use somewhere.
const MAX_MENTIONS: usize = 40;

/// Called by who runs the program, whatever the language.
const ENTRIES: &[&str] = &[
    "main",
    "init",
    "setup",
    "teardown",
    "run",
    "handler",
    "default",
    "configure",
    "register",
    "activate",
    "deactivate",
];

/// Marks that call nothing: what has only these may be dead.
const QUIET_MARKS: &[&str] = &[
    "inline",
    "must_use",
    "allow",
    "expect",
    "cfg",
    "doc",
    "derive",
    "staticmethod",
    "classmethod",
    "property",
    "cached_property",
    "abstractmethod",
    "override",
    "Override",
    "Deprecated",
    "deprecated",
    "SuppressWarnings",
    "Nullable",
    "NotNull",
    "nodiscard",
    "cold",
    "track_caller",
    "overload",
    "functools.wraps",
    "wraps",
    "lru_cache",
    "functools.lru_cache",
    "cache",
    "functools.cache",
    "JvmStatic",
    "Obsolete",
    "contextmanager",
    "contextlib.contextmanager",
];

pub(super) fn dead(map: &Map<'_>, under: Option<&str>, public: bool, limit: usize) -> Answer {
    let under = under.and_then(|path| map.atlas.relative(path)).map(|path| path.trim_end_matches('/'));
    let (mut items, mut total, mut of) = (Vec::new(), 0, 0);
    let mut files: Vec<FileId> = map.library.files().collect();
    files.sort_by_key(|file| map.library.path(*file));
    for file in files {
        let Some(leaf) = map.library.leaf(file) else { continue };
        let inside = under.is_none_or(|under| {
            under.is_empty()
                || *leaf.path == *under
                || leaf.path.strip_prefix(under).is_some_and(|rest| rest.starts_with('/'))
        });
        if !inside || leaf.is_test || leaf.language.is_outline_only() {
            continue;
        }
        for (id, symbol) in leaf.facts().symbols.iter().enumerate() {
            let def = Def { file, symbol: SymbolId(id as u32) };
            if !counts(symbol) {
                continue;
            }
            of += 1;
            if !may_be_dead(map, def, symbol, public) || is_used(map, def) {
                continue;
            }
            total += 1;
            if items.len() < limit {
                items.push(map.item(def));
            }
        }
    }
    Answer::Dead { items, total, of }
}

/// What can be dead at all: fields, variants and parts of documents live with what holds them.
fn counts(symbol: &Symbol) -> bool {
    let holds = matches!(symbol.kind, Kind::Constant | Kind::Variable) && symbol.parent.is_none();
    (symbol.kind.is_callable() || symbol.kind.is_type() || holds)
        && !matches!(symbol.kind, Kind::Impl | Kind::Constructor | Kind::Test)
        && !symbol.flags.declared
        && !symbol.flags.block
}

fn may_be_dead(map: &Map<'_>, def: Def, symbol: &Symbol, public: bool) -> bool {
    let Some(leaf) = map.library.leaf(def.file) else { return false };
    let facts = leaf.facts();
    let name = facts.text(symbol.name);
    if map.is_test(def)
        || ENTRIES.contains(&name)
        || (name.starts_with("__") && name.ends_with("__"))
        || name.starts_with('_') && name.len() == 1
    {
        return false;
    }
    let quiet = symbol.marks.iter().all(|mark| QUIET_MARKS.contains(&facts.text(*mark)));
    if !quiet || symbol.of_trait.is_some() {
        return false;
    }
    // Its type may be asked for it by whoever knows only the base.
    if !map.resolver.overridden(def).is_empty() {
        return false;
    }
    if let Some(owner) = map.resolver.owner(def) {
        if map.resolver.extends_unknown(owner) {
            return false;
        }
        // What an interface declares is for others to call.
        if map.library.symbol(owner).is_some_and(|owner| matches!(owner.kind, Kind::Interface | Kind::Trait))
        {
            return false;
        }
    }
    let told = leaf.language.settings().visibility != Visibility::All;
    public || !told || !is_reachable(map, def, symbol)
}

/// Whether somebody outside of the workspace can get at it: public itself, and all that is around it.
fn is_reachable(map: &Map<'_>, def: Def, symbol: &Symbol) -> bool {
    let Some(facts) = map.library.facts(def.file) else { return true };
    let around = facts.around(def.symbol).filter_map(|id| facts.symbol(id));
    // What is defined in a function is that function's own.
    let mut around = around.filter(|around| !around.flags.block).peekable();
    let inside = around.peek().is_some_and(|around| around.kind.is_callable());
    symbol.flags.public && !inside && around.all(|around| around.flags.public || around.kind.is_callable())
}

/// Whether anything outside of it says its name and may mean it.
fn is_used(map: &Map<'_>, def: Def) -> bool {
    let Some((facts, symbol)) = map.library.facts(def.file).zip(map.library.symbol(def)) else { return true };
    let name = facts.text(symbol.name);
    let mentioning = map.library.mentioning(name);
    if mentioning.len() > MAX_MENTIONS {
        return true;
    }
    for file in mentioning {
        let Some(leaf) = map.library.leaf(*file) else { continue };
        let index = leaf.index();
        let Some(id) = index.name_id(name) else { continue };
        // Imported under its name or another: somebody wants it.
        let facts = leaf.facts();
        let imported = facts.imports.iter().any(|import| import.name == Some(id));
        if imported {
            return true;
        }
        for at in index.references(id) {
            let reference = &facts.references[*at as usize];
            // By itself it is not used.
            let own = *file == def.file
                && reference.within.is_some_and(|within| {
                    within == def.symbol || facts.around(within).any(|at| at == def.symbol)
                });
            if own {
                continue;
            }
            let found = map.resolver.resolve(*file, reference);
            if found.defs.contains(&def) || found.defs.is_empty() && !found.outside {
                return true;
            }
            // A bare name of elsewhere may still be this one, reached in a way we do not see.
            if found.defs.is_empty() && reference.receiver.is_none() && map.library.named(name).count() == 1 {
                return true;
            }
        }
    }
    false
}
