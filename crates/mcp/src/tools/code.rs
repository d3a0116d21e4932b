//! What the tools of the code map share: the question goes to the map, the answer comes back as few words as possible,
//! and as rows for who counts on rows. Names and lines are strangers' words and leave here cleaned.

use atlas::answer::{Answer as Found, Item, Reached, Site};
use atlas::{Question, say};
use serde_json::{Value, json};

use super::within;
use crate::answer::{Answer, MAX_TOKENS, Room, clean};
use crate::keeper::{Keeper, Refusal};

/// What a client is told while it waits.
pub(super) const WAITING: &str = "reading the code";
const MAX_LIMIT: usize = 500;
/// Of a signature or a line of code in a row.
const CELL_CHARS: usize = 300;
/// What a client adds around a text, and what the lines below a text take.
const ASIDE: usize = 200;

/// Asks the map and says what it answered.
pub(super) fn tell(keeper: &dyn Keeper, question: Question) -> Result<Answer, Refusal> {
    tell_within(keeper, question, MAX_TOKENS as usize - ASIDE)
}

pub(super) fn tell_within(keeper: &dyn Keeper, question: Question, tokens: usize) -> Result<Answer, Refusal> {
    let found = keeper.code(question)?;
    let text = engine::sanitize(&say::answer(&found, tokens));
    let data = data(&found, &text, tokens);
    Ok(Answer { text, data })
}

pub(super) fn limit(given: Option<u32>) -> Result<Option<usize>, Refusal> {
    match given {
        None => Ok(None),
        some => within("limit", some, 0, 1..=MAX_LIMIT).map(Some),
    }
}

/// The same as rows, as many as there is room for; texts that are no rows are one field.
fn data(found: &Found, text: &str, tokens: usize) -> Value {
    let rows = |rows: Vec<Value>| fitting(rows, tokens);
    let list = |name: &str, all: Vec<Value>, total: usize| {
        let all = rows(all);
        let left = total.saturating_sub(all.len());
        json!({ name: all, "total": total, "left": left })
    };
    match found {
        Found::Outline { file, language, lines, tokens, items, .. } => {
            // An outline as rows costs three times as much as its text.
            let outline: Vec<&str> = text.lines().skip(1).collect();
            let file = clean(json!(file), CELL_CHARS);
            json!({ "file": file, "language": language, "lines": lines, "tokens": tokens, "definitions": items.len(),
                "outline": outline })
        }
        Found::Items { items, total } => list("symbols", items.iter().map(item).collect(), *total),
        Found::Dead { items, total, .. } => list("unused", items.iter().map(item).collect(), *total),
        Found::Sites { symbol, sites, total, through, .. } => {
            let mut data = list("uses", sites.iter().map(site).collect(), *total);
            if !through.is_empty() {
                data["through"] = clean(json!(through), CELL_CHARS);
            }
            data["symbol"] = item(symbol);
            data
        }
        Found::Callees { symbol, callees, outside, unknown } => {
            let mut data = list("callees", callees.iter().map(reached).collect(), callees.len());
            data["symbol"] = item(symbol);
            data["outside"] = clean(json!(outside.iter().take(20).collect::<Vec<_>>()), CELL_CHARS);
            data["unknown"] = clean(json!(unknown.iter().take(20).collect::<Vec<_>>()), CELL_CHARS);
            data
        }
        Found::Impact { symbols, reached: found, tests, files, cut, removed } => {
            // Tests are what is run next: they come first.
            let tests = fitting(tests.iter().map(reached).collect(), tokens / 3);
            let symbols = fitting(symbols.iter().map(item).collect(), tokens / 6);
            let rows = fitting(found.iter().map(reached).collect(), tokens / 2);
            let mut data = json!({ "symbols": symbols, "left": found.len() - rows.len(), "reached": rows, "tests": tests,
                "files": files.len(), "cut": cut });
            if !removed.is_empty() {
                let gone = removed.iter().map(|gone| {
                    let mut row = item(&gone.item);
                    row["users"] = gone.users.iter().take(10).map(site).collect();
                    row
                });
                data["removed"] = json!(fitting(gone.collect(), tokens / 6));
            }
            data
        }
        Found::Search { hits } => {
            let hit = |hit: &atlas::answer::Found| {
                let mut row = item(&hit.item);
                row["why"] = json!(hit.why);
                row
            };
            list("hits", hits.iter().map(hit).collect(), hits.len())
        }
        Found::Slice { symbol, lines, .. } => json!({ "symbol": item(symbol), "lines": lines, "text": text }),
        Found::Deps { modules, edges } => {
            let name = |at: usize| modules.get(at).map(|module| module.name.as_str()).unwrap_or_default();
            let uses = edges.iter().map(|edge| {
                clean(
                    json!({ "from": name(edge.from), "to": name(edge.to), "count": edge.count }),
                    CELL_CHARS,
                )
            });
            let uses = fitting(uses.collect(), tokens / 2);
            let row = |module: &atlas::answer::Module| clean(json!(module), CELL_CHARS);
            let modules = fitting(modules.iter().map(row).collect(), tokens / 2);
            json!({ "modules": modules, "left": edges.len() - uses.len(), "uses": uses })
        }
        Found::Flow { symbol, .. } => json!({ "symbol": item(symbol), "text": text }),
        Found::Context { symbol, tokens, left_out, .. } => {
            let left_out = clean(json!(left_out), CELL_CHARS);
            json!({ "symbol": item(symbol), "tokens": tokens, "left_out": left_out, "text": text })
        }
        Found::Index(indexed) => clean(json!(indexed), CELL_CHARS),
    }
}

fn fitting(rows: Vec<Value>, tokens: usize) -> Vec<Value> {
    let mut room = Room::of(u32::try_from(tokens).unwrap_or(MAX_TOKENS));
    rows.into_iter().take_while(|row| room.fits(&row.to_string())).collect()
}

fn item(item: &Item) -> Value {
    let row = json!({ "file": item.file, "line": item.line, "end_line": item.end_line, "name": item.name,
        "kind": item.kind, "signature": item.signature });
    clean(row, CELL_CHARS)
}

fn site(site: &Site) -> Value {
    let mut row = json!({ "file": site.file, "line": site.line, "in": site.name, "role": site.role });
    if !site.sure {
        row["sure"] = json!(false);
    }
    clean(row, CELL_CHARS)
}

fn reached(found: &Reached) -> Value {
    let item = &found.item;
    let row = json!({ "file": item.file, "line": item.line, "name": item.name, "call_line": found.call_line,
        "depth": found.depth });
    clean(row, CELL_CHARS)
}
