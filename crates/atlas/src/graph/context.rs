//! Everything needed to change one symbol, the nearest first, within a budget of tokens.

use std::collections::HashSet;

use super::reach::Bounds;
use super::uses::{self, Used, Wanted};
use super::{Map, find, reach};
use crate::answer::{Answer, Item, Piece};
use crate::error::AtlasError;
use crate::library::Def;

/// What an agent can take without thinking about it.
const TOKENS: usize = 2000;
const MIN_TOKENS: usize = 100;
const MAX_TOKENS: usize = 50_000;
/// Code has more signs than prose: bytes of one token.
const BYTES_PER_TOKEN: f32 = 3.2;
/// Lines around a call that show what it is given.
const AROUND: u32 = 2;
const MAX_CALLERS: usize = 12;
const MAX_CALLEES: usize = 24;
const MAX_TESTS: usize = 6;
/// Of the budget, what names of what did not fit may take.
const OF_LEFT_OUT: usize = 8;
/// What begins the list of those, in tokens.
const LEFT_OUT_HEAD: usize = 8;

pub(super) fn tokens_of(text: &str) -> usize {
    (text.len() as f32 / BYTES_PER_TOKEN).ceil() as usize
}

pub(super) fn context(map: &Map<'_>, wanted: &str, tokens: Option<usize>) -> Result<Answer, AtlasError> {
    let def = find::one(map, wanted)?;
    let budget = tokens.unwrap_or(TOKENS).clamp(MIN_TOKENS, MAX_TOKENS);
    let kept = budget / OF_LEFT_OUT;
    let mut pack =
        Pack { pieces: Vec::new(), left_out: Vec::new(), left: budget - kept, seen: HashSet::new() };
    let item = map.item(def);
    pack.begin(map, def);
    if let Some(owner) = map.resolver.owner(def) {
        pack.add(map, "type", owner, Lines::Signature);
    }
    let used: Vec<Used> = uses::used_by(map, def);
    let mut callees = used.iter().filter_map(|used| match used {
        Used::Def { def: used, .. } if *used != def => Some(*used),
        _ => None,
    });
    for callee in callees.by_ref().take(MAX_CALLEES) {
        pack.add(map, "callee", callee, Lines::Signature);
    }
    let calls = uses::of(map, &[def], Wanted::Calls);
    let (tests, callers): (Vec<_>, Vec<_>) = calls
        .iter()
        .filter_map(|found| Some((map.enclosing(found.file, found.reference.within)?, found.reference.line)))
        .filter(|(caller, _)| *caller != def)
        .partition(|(caller, _)| map.is_test(*caller));
    for (caller, line) in callers.iter().take(MAX_CALLERS) {
        pack.add(map, "caller", *caller, Lines::Around(*line));
    }
    for (test, line) in tests.iter().take(MAX_TESTS) {
        pack.add(map, "test", *test, Lines::Around(*line));
    }
    if tests.is_empty() {
        let wave = reach::wave(map, &[def], Bounds::tests(4, MAX_TESTS));
        if let Answer::Impact { tests, .. } = wave.answer(map, &[def], MAX_TESTS) {
            pack.left_out.extend(
                tests
                    .into_iter()
                    .map(|test| format!("test {}:{} {}", test.item.file, test.item.line, test.item.name)),
            );
        }
    }
    let left = pack.left + kept;
    let (left_out, said) = fitting(pack.left_out, left);
    Ok(Answer::Context { symbol: item, pieces: pack.pieces, tokens: budget - (left - said), left_out })
}

/// As many of the names as fit, how many more there are, and what that costs.
fn fitting(names: Vec<String>, left: usize) -> (Vec<String>, usize) {
    if names.is_empty() {
        return (names, 0);
    }
    let all = names.len();
    let mut said = LEFT_OUT_HEAD;
    let mut kept = Vec::new();
    for name in names {
        let cost = tokens_of(&name) + 1;
        if said + cost > left {
            break;
        }
        said += cost;
        kept.push(name);
    }
    if kept.len() < all {
        kept.push(format!("{} more", all - kept.len()));
    }
    (kept, said.min(left))
}

#[derive(Clone, Copy)]
enum Lines {
    Signature,
    Around(u32),
}

struct Pack {
    pieces: Vec<Piece>,
    left_out: Vec<String>,
    left: usize,
    seen: HashSet<(Def, u32)>,
}

impl Pack {
    /// The definition itself: whole if it fits, else as many of its lines as leave a third to what is around it.
    fn begin(&mut self, map: &Map<'_>, def: Def) {
        let item = map.item(def);
        let whole = source(map, def, item.line, item.end_line);
        let head = head_cost("definition", &item);
        let (mut text, mut end_line) = (whole, item.end_line);
        if head + tokens_of(&text) > self.left {
            let most = (self.left * 2 / 3).saturating_sub(head);
            (text, end_line) = beginning(&text, item.line, item.end_line, most);
        }
        let tokens = (head + tokens_of(&text)).min(self.left);
        self.left -= tokens;
        self.seen.insert((def, item.line));
        let (role, line) = ("definition".to_owned(), item.line);
        self.pieces.push(Piece { role, file: item.file, line, end_line, name: item.name, text, tokens });
    }

    /// Whether it fits. What does not is named.
    fn add(&mut self, map: &Map<'_>, role: &str, def: Def, lines: Lines) -> bool {
        let item = map.item(def);
        let (text, line, end_line) = match lines {
            Lines::Signature => {
                let mut text = item.signature.clone();
                if let Some(doc) = &item.doc {
                    text.push_str("  // ");
                    text.push_str(doc);
                }
                (text, item.line, item.end_line)
            }
            Lines::Around(at) => {
                let from = at.saturating_sub(AROUND).max(item.line);
                let to = (at + AROUND).min(item.end_line);
                (source(map, def, from, to), from, to)
            }
        };
        if !self.seen.insert((def, line)) {
            return true;
        }
        let tokens = tokens_of(&text) + head_cost(role, &item);
        if tokens > self.left {
            self.left_out.push(format!("{role} {}:{} {}", item.file, item.line, item.name));
            self.seen.remove(&(def, line));
            return false;
        }
        self.left -= tokens;
        self.pieces.push(Piece {
            role: role.to_owned(),
            file: item.file,
            line,
            end_line,
            name: item.name,
            text,
            tokens,
        });
        true
    }
}

/// The line above a piece: what it is, and where.
fn head_cost(role: &str, item: &Item) -> usize {
    tokens_of(role) + tokens_of(&item.name) + tokens_of(&item.file) + 6
}

/// The first lines of a text that cost no more than this, and the last of them; at least a part of the first one.
fn beginning(text: &str, line: u32, end_line: u32, most: usize) -> (String, u32) {
    let room = (most as f32 * BYTES_PER_TOKEN) as usize;
    let mut kept = String::new();
    let mut last = line;
    for (at, one) in text.lines().enumerate() {
        // Room for the line that says how many there are more.
        if kept.len() + one.len() + 20 > room {
            break;
        }
        kept.push_str(one);
        kept.push('\n');
        last = line + at as u32;
    }
    if kept.is_empty() {
        kept.extend(text.lines().next().unwrap_or_default().chars().take(room.saturating_sub(20) / 2));
        kept.push('\n');
    }
    kept.push_str(&format!("… {} more lines", end_line.saturating_sub(last)));
    (kept, last)
}

fn source(map: &Map<'_>, def: Def, from: u32, to: u32) -> String {
    let text = map.atlas.text(def.file).unwrap_or_default();
    let lines =
        text.lines().skip(from.saturating_sub(1) as usize).take((to + 1).saturating_sub(from) as usize);
    lines.collect::<Vec<_>>().join("\n")
}
