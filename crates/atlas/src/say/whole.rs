//! A whole answer as one text, for whoever asked over a wire.

use std::fmt::Write;

use super::{clean, clip, cut, definition, items, number, outline, range, reached, sites};
use crate::answer::{Answer, Edge, Found, Indexed, Item, Module, Piece, Reached, Removed, Through};

/// Of a line that was found.
const LINE_CHARS: usize = 160;
/// Uses of what is gone: all of them are mended, but the first are enough to begin with.
const MAX_USERS: usize = 10;
/// Names that are not of the workspace: enough to see what kind of thing it leans on.
const MAX_OUTSIDE: usize = 20;

/// The answer within a budget of tokens.
pub fn answer(answer: &Answer, budget: usize) -> String {
    match answer {
        Answer::Index(indexed) => index(indexed),
        Answer::Outline { file, language, lines, tokens, items, broken } => {
            let note = if *broken { ", parts could not be parsed" } else { "" };
            let head =
                format!("{} ({language}, {lines} lines, {} tokens{note})\n", clean(file), number(*tokens));
            head + &outline(items, budget)
        }
        Answer::Items { items: found, total } => items(found, budget) + &rest(found.len(), *total),
        Answer::Sites { symbol, others, sites: found, total, through: bases } => {
            let meant: String = [symbol].into_iter().chain(others).map(of).collect();
            let nothing = if found.is_empty() { "no use was found\n" } else { "" };
            meant + nothing + &sites(found, budget) + &rest(found.len(), *total) + &through(bases)
        }
        Answer::Callees { symbol, callees, outside, unknown } => {
            of(symbol) + &uses(callees, outside, unknown, budget)
        }
        Answer::Impact { symbols, reached: found, tests, files, cut, removed: gone } => {
            removed(gone, budget / 4) + &impact(symbols, found, tests, files, *cut, budget)
        }
        Answer::Dead { items: found, total, of } => {
            let head = format!("{total} of {} definitions are used by nobody\n", number(*of));
            head + &items(found, budget) + &rest(found.len(), *total)
        }
        Answer::Flow { symbol, text, .. } => of(symbol) + &lines(text, budget),
        Answer::Slice { symbol, lines: kept, text } => {
            let all = symbol.end_line.saturating_sub(symbol.line) + 1;
            let head = format!("{} of {all} lines of {}", kept.len(), of(symbol));
            head + &lines(text, budget)
        }
        Answer::Search { hits } => search(hits, budget),
        Answer::Deps { modules, edges } => deps(modules, edges, budget),
        Answer::Context { pieces, left_out, .. } => context(pieces, left_out),
    }
}

fn index(indexed: &Indexed) -> String {
    let mut text = format!(
        "{} files, {} lines, {} definitions, {} uses",
        number(indexed.files),
        number(usize::try_from(indexed.lines).unwrap_or(usize::MAX)),
        number(indexed.symbols),
        number(indexed.references)
    );
    if indexed.changed + indexed.removed > 0 {
        let _ = write!(
            text,
            "; {} read anew, {} gone, in {} ms",
            indexed.changed, indexed.removed, indexed.took_ms
        );
    }
    if indexed.partial {
        text.push_str("; not everything is on the map yet");
    }
    text.push('\n');
    for (what, counts) in [("languages", &indexed.languages), ("left out", &indexed.skipped)] {
        if !counts.is_empty() {
            let mut counts: Vec<(&String, &usize)> = counts.iter().collect();
            counts.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
            let parts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            let _ = writeln!(text, "{what}: {}", parts.join(", "));
        }
    }
    text
}

fn uses(callees: &[Reached], outside: &[String], unknown: &[String], budget: usize) -> String {
    let mut lines: Vec<String> = callees
        .iter()
        .map(|callee| {
            let item = &callee.item;
            let place = format!("{}:{}", clean(&item.file), range(item.line, item.end_line));
            format!("{}  {}  {place}\n", callee.call_line, clip(&item.name, LINE_CHARS))
        })
        .collect();
    if lines.is_empty() {
        let known = if unknown.is_empty() { "" } else { " that can be seen" };
        lines.push(format!("uses nothing of this workspace{known}\n"));
    }
    let mut text = cut(&lines, budget, |kept| format!("… {} more\n", lines.len() - kept));
    for (what, all) in [("not of this workspace", outside), ("not seen what it is", unknown)] {
        if !all.is_empty() {
            let more = all.len().saturating_sub(MAX_OUTSIDE);
            let names: Vec<String> = all.iter().take(MAX_OUTSIDE).map(|name| clean(name)).collect();
            let rest = if more > 0 { format!(" … {more} more") } else { String::new() };
            let _ = writeln!(text, "{what}: {}{rest}", names.join(", "));
        }
    }
    text
}

/// What is gone: `gone: src/a.py:12  f, still used by src/b.py:3 in g`
pub fn removed(gone: &[Removed], budget: usize) -> String {
    if gone.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = gone
        .iter()
        .map(|gone| {
            let users = gone.users.iter().take(MAX_USERS);
            let mut users: Vec<String> = users
                .map(|user| format!("{}:{} in {}", clean(&user.file), user.line, clean(&user.name)))
                .collect();
            if gone.users.len() > MAX_USERS {
                users.push(format!("{} more", gone.users.len() - MAX_USERS));
            }
            let users = if users.is_empty() {
                String::new()
            } else {
                format!(", still used by {}", users.join(", "))
            };
            format!(
                "gone: {}:{}  {}{users}\n",
                clean(&gone.item.file),
                gone.item.line,
                clean(&gone.item.name)
            )
        })
        .collect();
    cut(&lines, budget, |kept| format!("… {} more are gone\n", lines.len() - kept))
}

fn impact(
    symbols: &[Item],
    found: &[Reached],
    tests: &[Reached],
    files: &[String],
    is_cut: bool,
    budget: usize,
) -> String {
    let mut text = match symbols {
        [symbol] => of(symbol),
        several => items(several, budget / 3),
    };
    let _ = writeln!(
        text,
        "reaches {} definitions and {} tests in {} files{}",
        found.len(),
        tests.len(),
        files.len(),
        if is_cut { "; not everything is listed" } else { "" }
    );
    // Tests are what is run next: they keep their third.
    let of_tests = if tests.is_empty() { 0 } else { budget / 3 };
    text += &reached(found, budget.saturating_sub(of_tests));
    if !tests.is_empty() {
        text.push_str("tests:\n");
        text += &items(&tests.iter().map(|test| test.item.clone()).collect::<Vec<_>>(), of_tests);
    }
    text
}

fn search(hits: &[Found], budget: usize) -> String {
    if hits.is_empty() {
        return "nothing matches\n".to_owned();
    }
    let lines: Vec<String> = hits
        .iter()
        .map(|hit| {
            let mut line = format!("{}:{}  [{}]\n", clean(&hit.item.file), definition(&hit.item), hit.why);
            if let Some(text) = &hit.text {
                let _ = writeln!(line, "    {}", clip(text, LINE_CHARS));
            }
            line
        })
        .collect();
    cut(&lines, budget, |kept| format!("… {} more\n", lines.len() - kept))
}

fn deps(modules: &[Module], edges: &[Edge], budget: usize) -> String {
    let lines: Vec<String> = modules
        .iter()
        .enumerate()
        .map(|(at, module)| {
            let mut uses: Vec<&Edge> = edges.iter().filter(|edge| edge.from == at && edge.to != at).collect();
            uses.sort_by_key(|edge| (std::cmp::Reverse(edge.count), edge.to));
            let names = uses.iter().filter_map(|edge| {
                modules.get(edge.to).map(|to| format!("{} {}", label(&to.name), edge.count))
            });
            let names = names.collect::<Vec<_>>().join(", ");
            let arrow = if names.is_empty() { String::new() } else { format!(" -> {names}") };
            let circle = if module.circular { ", in a circle" } else { "" };
            let files =
                if module.files == 1 { "1 file".to_owned() } else { format!("{} files", module.files) };
            format!("{} ({files}, {} lines{circle}){arrow}\n", label(&module.name), module.lines)
        })
        .collect();
    if lines.is_empty() {
        return "nothing is on the map\n".to_owned();
    }
    cut(&lines, budget, |kept| format!("… {} more modules\n", lines.len() - kept))
}

/// The workspace itself has no name.
fn label(name: &str) -> String {
    if name.is_empty() { ".".to_owned() } else { clean(name) }
}

/// Its budget was kept when the pieces were chosen.
fn context(pieces: &[Piece], left_out: &[String]) -> String {
    let mut text = String::new();
    for piece in pieces {
        let place = format!("{}:{}", clean(&piece.file), range(piece.line, piece.end_line));
        let _ = writeln!(text, "{} {}  {place}", piece.role, clean(&piece.name));
        text.push_str(piece.text.trim_end());
        text.push_str("\n\n");
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    if !left_out.is_empty() {
        let _ = writeln!(
            text,
            "did not fit: {}",
            left_out.iter().map(|name| clean(name)).collect::<Vec<_>>().join(", ")
        );
    }
    text
}

/// Uses of what it overrides, which may be uses of it: `and 3 through src/a.py:Base.save`
pub fn through(bases: &[Through]) -> String {
    let lines = bases.iter().map(|base| format!("and {} through {}\n", base.uses, clean(&base.name)));
    lines.collect()
}

/// What was asked about: `src/a.rs:12-40  fn save(&self)`
fn of(symbol: &Item) -> String {
    format!("{}:{}\n", clean(&symbol.file), definition(symbol))
}

/// What the answer itself did not list.
fn rest(shown: usize, total: usize) -> String {
    if total > shown { format!("{shown} of {total}; a larger limit gives the rest\n") } else { String::new() }
}

fn lines(text: &str, budget: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    if lines.is_empty() {
        String::new()
    } else {
        cut(&lines, budget, |kept| format!("… {} more lines\n", lines.len() - kept))
    }
}
