//! Control and data flow, and slices, of one function as it is on disk now. Nothing of it is kept: a function is parsed
//! sooner than its flow is read from anywhere.

use code::SymbolId;
use code::flow::{Direction, Flow, flow_of, try_flow};

use super::{Map, find};
use crate::answer::{Answer, Item};
use crate::error::AtlasError;
use crate::library::{Def, FileId};

pub(super) fn flow(map: &Map<'_>, symbol: &str) -> Result<Answer, AtlasError> {
    let def = find::one(map, symbol)?;
    let (leaf, text) = source(map, def.file, symbol)?;
    let span = map.library.symbol(def).map(|symbol| symbol.span).unwrap_or_default();
    let flow = flow_of(leaf.language, &text, span).map_err(|why| unable(symbol, why))?;
    let text = flow.text();
    Ok(Answer::Flow { symbol: map.item(def), flow: serde_json::to_value(&flow).unwrap_or_default(), text })
}

pub(super) fn slice(
    map: &Map<'_>,
    path: &str,
    line: u32,
    variable: Option<&str>,
    forward: bool,
) -> Result<Answer, AtlasError> {
    let file = map.atlas.relative(path).and_then(|path| map.library.by_path(path));
    let missing = || AtlasError::NotMapped { file: path.to_owned(), why: map.atlas.why_not(path) };
    let file = file.ok_or_else(missing)?;
    let (leaf, text) = source(map, file, path)?;
    let place = format!("{path}:{line}");
    let flow = try_flow(leaf.language, &text, line).map_err(|why| unable(&place, why))?;
    let direction = if forward { Direction::Forward } else { Direction::Backward };
    let slice = flow.slice(line, variable, direction);
    if slice.lines.is_empty() {
        let what = match variable {
            Some(variable) => format!("{variable} is not known at {place}"),
            None => format!("no statement stands at {place}"),
        };
        return Err(AtlasError::Unable(what));
    }
    let lines: Vec<u32> = slice.lines.iter().flat_map(|(from, to)| *from..=*to).collect();
    let all: Vec<&str> = text.lines().collect();
    let mut said = String::new();
    for line in &lines {
        let text = all.get(line.saturating_sub(1) as usize).copied().unwrap_or_default();
        said.push_str(&format!("{line:>5}  {text}\n"));
    }
    Ok(Answer::Slice { symbol: around(map, file, &flow, line), lines, text: said })
}

/// The function that was looked at, as the map knows it.
fn around(map: &Map<'_>, file: FileId, flow: &Flow, line: u32) -> Item {
    let called = map.library.facts(file).and_then(|facts| {
        let is_it = |symbol: &code::Symbol| {
            *facts.text(symbol.name) == *flow.name
                && symbol.span.line <= flow.span.line
                && flow.span.end_line <= symbol.span.end_line
        };
        facts.symbols.iter().rposition(is_it).map(|id| Def { file, symbol: SymbolId(id as u32) })
    });
    let known = called.or_else(|| find::at_line(map, file, line)).filter(|_| !flow.name.is_empty());
    let known = known.and_then(|def| map.enclosing(file, Some(def.symbol)));
    known.map_or_else(
        || Item {
            file: map.library.path(file).to_owned(),
            line: flow.span.line,
            end_line: flow.span.end_line,
            name: if flow.name.is_empty() { "<module>".to_owned() } else { flow.name.to_string() },
            kind: "module".to_owned(),
            ..Item::default()
        },
        |def| map.item(def),
    )
}

fn source<'a>(map: &Map<'a>, file: FileId, asked: &str) -> Result<(&'a crate::Leaf, String), AtlasError> {
    let leaf = map.library.leaf(file);
    let missing = || AtlasError::NotMapped { file: asked.to_owned(), why: "it cannot be read" };
    let leaf = leaf.ok_or_else(missing)?;
    let text = map.atlas.text(file).ok_or_else(missing)?;
    Ok((leaf, text))
}

fn unable(asked: &str, why: code::flow::Refusal) -> AtlasError {
    AtlasError::Unable(format!("the flow of {asked} cannot be told: {why}"))
}
