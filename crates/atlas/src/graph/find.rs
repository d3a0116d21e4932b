//! Which definition somebody means by a name.

use code::{Kind, SymbolId};

use super::{MAX_MEANT, Map};
use crate::answer::Answer;
use crate::error::AtlasError;
use crate::library::{Def, FileId};

/// Names that are told when there is none of that name.
const MAX_NEAREST: usize = 5;
/// Names that are compared letter by letter to find them.
const MAX_COMPARED: usize = 200_000;

/// The definitions somebody means by a name; never none. Overloads and declarations of one are one, the definition first.
pub(crate) fn named(map: &Map<'_>, wanted: &str) -> Result<Vec<Def>, AtlasError> {
    let mut found = all_named(map, wanted)?;
    let (file, _) = split(map, wanted);
    // A file and the whole name in it mean that one, whatever is called so further inside.
    if file.is_some() {
        keep_exact(map, wanted, &mut found);
    }
    // Somebody who says a name means what can be called or built before what merely holds something. What a file or a type
    // holds for everybody is as good as a function.
    if found.iter().any(|def| rank(map, *def) < HOLDS) {
        found.retain(|def| rank(map, *def) < HOLDS || is_held_for_all(map, *def));
    }
    if found.len() > MAX_MEANT {
        found.retain(|def| rank(map, *def) < HOLDS);
    }
    if found.is_empty() || found.len() > MAX_MEANT {
        let all = all_named(map, wanted)?;
        let choices = all.iter().take(MAX_NEAREST).map(|def| spelled(map, *def)).collect();
        return Err(AtlasError::Ambiguous { wanted: wanted.to_owned(), choices });
    }
    Ok(found)
}

/// Only what is called exactly so, not what is so called inside of something else; all, where nothing is.
fn keep_exact(map: &Map<'_>, wanted: &str, found: &mut Vec<Def>) {
    let (_, name) = split(map, wanted.trim().trim_end_matches("()"));
    let parts = parts(name);
    let is_exact = |def: &Def| {
        let qualified = map.item(*def).name;
        qualified.split('.').flat_map(|part| part.split("::")).eq(parts.iter().copied())
    };
    if found.iter().any(is_exact) {
        found.retain(is_exact);
    }
}

/// A constant of a file or of a type, not of a function.
fn is_held_for_all(map: &Map<'_>, def: Def) -> bool {
    let Some(facts) = map.library.facts(def.file) else { return false };
    rank(map, def) == HOLDS
        && !facts
            .around(def.symbol)
            .any(|at| facts.symbol(at).is_some_and(|around| around.kind.is_callable()))
}

fn parts(name: &str) -> Vec<&str> {
    let parts = name.split(['.', '#', '/', '\\']).flat_map(|part| part.split("::"));
    parts.filter(|part| !part.is_empty()).collect()
}

/// Every definition a name may mean, what can be called before what holds something; never none.
fn all_named(map: &Map<'_>, wanted: &str) -> Result<Vec<Def>, AtlasError> {
    let wanted = wanted.trim().trim_end_matches("()");
    let (file, name) = split(map, wanted);
    if let Some(file) = file
        && let Ok(line) = name.parse::<u32>()
    {
        return at_line(map, file, line).map(|def| vec![def]).ok_or_else(|| unknown(map, wanted, name));
    }
    let parts = parts(name);
    let Some(last) = parts.last() else { return Err(unknown(map, wanted, name)) };
    let mut found: Vec<Def> = map.library.named(last).filter(|def| fits(map, *def, file, &parts)).collect();
    found.retain(|def| map.library.symbol(*def).is_some_and(|symbol| symbol.kind != Kind::Impl));
    if found.is_empty() {
        return Err(unknown(map, wanted, last));
    }
    found.sort_by_key(|def| (rank(map, *def), *def));
    Ok(found)
}

/// The one definition a name means, for answers about one.
pub(super) fn one(map: &Map<'_>, wanted: &str) -> Result<Def, AtlasError> {
    let mut found = named(map, wanted)?;
    keep_exact(map, wanted, &mut found);
    let defined: Vec<Def> = found
        .iter()
        .copied()
        .filter(|def| map.library.symbol(*def).is_some_and(|s| !s.flags.declared))
        .collect();
    let among = if defined.is_empty() { &found } else { &defined };
    // What is not of a test is meant before what is.
    let outside: Vec<Def> = among.iter().copied().filter(|def| !map.is_test(*def)).collect();
    let among = if outside.is_empty() { among } else { &outside };
    let same_place =
        |one: &Def, other: &Def| one.file == other.file && map.item(*one).name == map.item(*other).name;
    match among.as_slice() {
        [] => Err(unknown(map, wanted, wanted)),
        [first, rest @ ..] if rest.iter().all(|other| same_place(first, other)) => Ok(*first),
        several => {
            let choices = several.iter().take(MAX_NEAREST).map(|def| spelled(map, *def)).collect();
            Err(AtlasError::Ambiguous { wanted: wanted.to_owned(), choices })
        }
    }
}

/// `path:rest`, where there is such a file; else everything is a name.
fn split<'w>(map: &Map<'_>, wanted: &'w str) -> (Option<FileId>, &'w str) {
    for (at, _) in wanted.match_indices(':').collect::<Vec<_>>().into_iter().rev() {
        let (path, rest) = (&wanted[..at], &wanted[at + 1..]);
        let file = map.atlas.relative(path).and_then(|path| map.library.by_path(path));
        if file.is_some() && !rest.starts_with(':') {
            return (file, rest.trim_start_matches(':'));
        }
    }
    (None, wanted)
}

/// The definition that begins at a line, else the innermost one around it.
pub(super) fn at_line(map: &Map<'_>, file: FileId, line: u32) -> Option<Def> {
    let facts = map.library.facts(file)?;
    let mut all = facts
        .symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| symbol.kind != Kind::Impl || symbol.span.line == line);
    let begins = all.clone().find(|(_, symbol)| symbol.name_line == line || symbol.span.line == line);
    let around = || all.rfind(|(_, symbol)| symbol.span.line <= line && line <= symbol.span.end_line);
    begins.or_else(around).map(|(id, _)| Def { file, symbol: SymbolId(id as u32) })
}

/// Whether a definition can be called by these parts: its own name, preceded by what is around it or by its file.
fn fits(map: &Map<'_>, def: Def, file: Option<FileId>, parts: &[&str]) -> bool {
    if file.is_some_and(|file| file != def.file) {
        return false;
    }
    let Some(leaf) = map.library.leaf(def.file) else { return false };
    let qualified = leaf.facts().qualified(def.symbol);
    let own: Vec<&str> = qualified.split('.').flat_map(|part| part.split("::")).collect();
    let mut place: Vec<&str> = leaf.path.split('/').collect();
    if let Some(stem) = place.pop() {
        let stem = stem.split('.').next().unwrap_or(stem);
        // `__init__`, `mod` and `index` are called by their folder's name.
        if !matches!(stem, "__init__" | "mod" | "index" | "lib" | "main") || parts.contains(&stem) {
            place.push(stem);
        }
    }
    place.extend(own.iter().copied());
    let is_tail = |whole: &[&str]| {
        whole.len() >= parts.len()
            && whole[whole.len() - parts.len()..].iter().zip(parts).all(|(a, b)| a == b)
    };
    // A package is named, not the file in it: `cobra.Execute`.
    let by_folder = || {
        let folders: Vec<&str> = leaf
            .path
            .split('/')
            .rev()
            .skip(1)
            .take(1)
            .chain(leaf.facts().package.map(|p| leaf.facts().text(p)))
            .collect();
        parts.len() == own.len() + 1
            && folders.contains(&parts[0])
            && own.iter().zip(&parts[1..]).all(|(a, b)| a == b)
    };
    // An extension is called by the type it extends, wherever it is written: `Store.Count` of `Words.Count`.
    let by_owner = || {
        let owner = leaf.facts().symbol(def.symbol).and_then(|symbol| symbol.owner);
        matches!((parts, owner), ([of, name], Some(owner)) if *of == leaf.facts().text(owner) && own.last() == Some(name))
    };
    is_tail(&own) || is_tail(&place) || by_folder() || by_owner()
}

const HOLDS: u8 = 3;

fn rank(map: &Map<'_>, def: Def) -> u8 {
    let Some(symbol) = map.library.symbol(def) else { return u8::MAX };
    match symbol.kind {
        _ if symbol.flags.declared => 2,
        kind if kind.is_callable() => 0,
        kind if kind.is_type() => 1,
        Kind::Module | Kind::Property => 2,
        Kind::Constant | Kind::Variable => HOLDS,
        _ => HOLDS + 1,
    }
}

/// As it can be asked for again.
pub(super) fn spelled(map: &Map<'_>, def: Def) -> String {
    let item = map.item(def);
    format!("{}:{}", item.file, item.name)
}

fn unknown(map: &Map<'_>, wanted: &str, name: &str) -> AtlasError {
    AtlasError::Unknown { wanted: wanted.to_owned(), nearest: nearest(map, name) }
}

/// Names that differ in little: other case, a letter, a part.
fn nearest(map: &Map<'_>, name: &str) -> Vec<String> {
    let name = name.rsplit(['.', ':', '#', '/']).next().unwrap_or(name).to_lowercase();
    let mut near: Vec<(usize, String)> = Vec::new();
    let mut compared = 0;
    for file in map.library.files() {
        let Some(facts) = map.library.facts(file) else { continue };
        for (id, symbol) in facts.symbols.iter().enumerate() {
            compared += 1;
            if compared > MAX_COMPARED {
                break;
            }
            if symbol.kind == Kind::Impl || matches!(symbol.kind, Kind::Key | Kind::Section) {
                continue;
            }
            let other = facts.text(symbol.name).to_lowercase();
            let away = if other == name {
                0
            } else if other.len().abs_diff(name.len()) <= 2 {
                match distance(&name, &other) {
                    away if away <= 2 && away * 2 < name.len() => away,
                    _ => continue,
                }
            } else if name.len() >= 4
                && (other.contains(&*name) || name.contains(&*other) && other.len() >= 4)
            {
                3
            } else {
                continue;
            };
            let qualified = facts.qualified(SymbolId(id as u32));
            if !near.iter().any(|(_, known)| *known == qualified) {
                near.push((away, qualified));
            }
        }
    }
    near.sort();
    near.into_iter().take(MAX_NEAREST).map(|(_, name)| name).collect()
}

/// Letters to change; names are short.
pub(crate) fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, c) in one.chars().take(64).enumerate() {
        let mut corner = row[0];
        row[0] = at + 1;
        for (to, d) in other.iter().enumerate() {
            let change = corner + usize::from(c != *d);
            corner = row[to + 1];
            row[to + 1] = change.min(row[to] + 1).min(corner + 1);
        }
    }
    row[other.len()]
}

/// Definitions by name; by the beginning of it, or by any part, where nothing is called exactly so.
pub(super) fn symbol(
    map: &Map<'_>,
    name: &str,
    kind: Option<&str>,
    limit: usize,
) -> Result<Answer, AtlasError> {
    let of_kind = |def: &Def| {
        kind.is_none_or(|kind| map.library.symbol(*def).is_some_and(|symbol| symbol.kind.name() == kind))
    };
    let mut found: Vec<Def> = all_named(map, name).unwrap_or_default();
    found.retain(of_kind);
    if found.is_empty() {
        found = beginning(map, name);
        found.retain(of_kind);
    }
    if found.is_empty() {
        return Err(unknown(map, name, name));
    }
    let total = found.len();
    Ok(Answer::Items { items: found.into_iter().take(limit).map(|def| map.item(def)).collect(), total })
}

fn beginning(map: &Map<'_>, name: &str) -> Vec<Def> {
    let wanted = name.to_lowercase();
    let mut found: Vec<(bool, usize, Def)> = Vec::new();
    for file in map.library.files() {
        let Some(facts) = map.library.facts(file) else { continue };
        for (id, symbol) in facts.symbols.iter().enumerate() {
            let other = facts.text(symbol.name).to_lowercase();
            if symbol.kind != Kind::Impl && other.contains(&wanted) {
                let def = Def { file, symbol: SymbolId(id as u32) };
                found.push((!other.starts_with(&wanted), other.len(), def));
            }
        }
    }
    found.sort();
    found.into_iter().map(|(_, _, def)| def).collect()
}
