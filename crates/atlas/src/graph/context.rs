//! Everything needed to change one symbol, the nearest first, within a budget of tokens.

use std::collections::HashSet;

use super::reach::Bounds;
use super::uses::{self, Used, Wanted};
use super::{Map, find, reach};
use crate::answer::{Answer, Piece};
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

pub(super) fn tokens_of(text: &str) -> usize {
    (text.len() as f32 / BYTES_PER_TOKEN).ceil() as usize
}

pub(super) fn context(map: &Map<'_>, wanted: &str, tokens: Option<usize>) -> Result<Answer, AtlasError> {
    let def = find::one(map, wanted)?;
    let budget = tokens.unwrap_or(TOKENS).clamp(MIN_TOKENS, MAX_TOKENS);
    let mut pack = Pack { pieces: Vec::new(), left_out: Vec::new(), left: budget, seen: HashSet::new() };
    let item = map.item(def);
    // Whole if it fits, else what its outline says of it.
    if !pack.add(map, "definition", def, Lines::Whole) {
        pack.add(map, "definition", def, Lines::Signature);
    }
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
    let tokens = budget - pack.left;
    Ok(Answer::Context { symbol: item, pieces: pack.pieces, tokens, left_out: pack.left_out })
}

#[derive(Clone, Copy)]
enum Lines {
    Whole,
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
            Lines::Whole => (source(map, def, item.line, item.end_line), item.line, item.end_line),
            Lines::Around(at) => {
                let from = at.saturating_sub(AROUND).max(item.line);
                let to = (at + AROUND).min(item.end_line);
                (source(map, def, from, to), from, to)
            }
        };
        if !self.seen.insert((def, line)) {
            return true;
        }
        let tokens = tokens_of(&text) + tokens_of(&item.file) + 6;
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

fn source(map: &Map<'_>, def: Def, from: u32, to: u32) -> String {
    let text = map.atlas.text(def.file).unwrap_or_default();
    let lines =
        text.lines().skip(from.saturating_sub(1) as usize).take((to + 1).saturating_sub(from) as usize);
    lines.collect::<Vec<_>>().join("\n")
}
