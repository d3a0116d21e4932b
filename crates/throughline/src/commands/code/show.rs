//! Answers as people read them: aligned, with lines to go to, and what it cost a model to read at the end.

use atlas::answer::{Answer, Found, Indexed, Item, Piece, Reached, Site};
use atlas::say;

use crate::print;
use crate::world::World;

/// More than any terminal scrolls: the map bounds its answers itself.
const PLENTY: usize = 1_000_000;
/// Beyond this a place stands in the way of what is there.
const MAX_PLACE: usize = 48;

pub(super) fn page(world: &World, answer: &Answer) -> String {
    let page = Page { world };
    match answer {
        Answer::Index(indexed) => page.index(indexed),
        Answer::Outline { .. } => outline(world, answer, None),
        Answer::Items { items, total } => page.counted(page.items(items), "symbols", items.len(), *total),
        Answer::Sites { symbol, others, sites, total, through } => {
            let meant: String = [symbol].into_iter().chain(others).map(|item| page.of(item)).collect();
            let through = print::block(&say::through(through), 0);
            page.counted(meant + &page.sites(sites) + &through, "uses", sites.len(), *total)
        }
        Answer::Callees { symbol, callees, outside, unknown } => {
            let mut text = page.of(symbol) + &page.callees(callees);
            for (what, all) in [("not of this workspace", outside), ("not seen what it is", unknown)] {
                if !all.is_empty() {
                    let names: Vec<String> = all.iter().map(|name| print::one_line(name, 60)).collect();
                    text += &print::dim(&format!("{what}: {}\n", names.join(", ")), world.color);
                }
            }
            page.counted(text, "callees", callees.len(), callees.len())
        }
        Answer::Impact { symbols, reached, tests, files, cut, removed } => {
            let gone = print::block(&say::removed(removed, PLENTY), 0);
            gone.clone() + &page.impact(symbols, reached, tests, files, *cut, !gone.is_empty())
        }
        Answer::Dead { items, total, of } => {
            let text = page.counted(page.items(items), "unused", items.len(), *total);
            text + &print::dim(&format!("of {} definitions\n", say::number(*of)), world.color)
        }
        Answer::Flow { symbol, text, .. } => page.of(symbol) + &print::block(text, 0),
        Answer::Slice { symbol, lines, text } => {
            let all = (symbol.end_line.saturating_sub(symbol.line) + 1) as usize;
            let text = page.of(symbol) + &print::block(text, 0);
            let last = format!("slice: {} of {} lines, {}\n", lines.len(), all, cost(&text));
            text + &print::dim(&last, world.color)
        }
        Answer::Search { hits } => page.counted(page.found(hits), "hits", hits.len(), hits.len()),
        Answer::Deps { modules, edges } => {
            let text = print::block(&say::answer(answer, PLENTY), 0);
            let last = format!(
                "{}, {}\n",
                print::count(modules.len() as u64, "module", "modules"),
                print::count(edges.len() as u64, "edge", "edges")
            );
            text + &print::dim(&last, world.color)
        }
        Answer::Context { pieces, tokens, left_out, .. } => page.context(pieces, *tokens, left_out),
    }
}

/// The outline with its lines in a column; within a budget as a model is given it.
pub(super) fn outline(world: &World, answer: &Answer, budget: Option<usize>) -> String {
    let Answer::Outline { file, language, lines, tokens: whole, items, broken } = answer else {
        return page(world, answer);
    };
    let compact = say::outline(items, budget.unwrap_or(PLENTY));
    let note = if *broken { ", parts could not be parsed" } else { "" };
    let head = format!(
        "{}  {language}, {lines} lines{note}\n",
        print::bold(&print::one_line(file, 200), world.color)
    );
    let body = if budget.is_some() { print::block(&compact, 0) } else { aligned(world, &compact) };
    let nothing = if items.is_empty() { "defines nothing\n" } else { "" };
    let last = format!("outline: {}; the file: {}\n", tokens(say::tokens(&compact)), say::number(*whole));
    head + &body + nothing + &print::dim(&last, world.color)
}

/// Which tests to run.
pub(super) fn tests(world: &World, answer: &Answer) -> String {
    let page = Page { world };
    let Answer::Impact { tests, .. } = answer else { return self::page(world, answer) };
    let rows: Vec<[String; 3]> = tests
        .iter()
        .map(|test| {
            let over = test.path.len().saturating_sub(2);
            let way = if over == 0 { String::new() } else { format!("over {}", way(&test.path)) };
            [place(&test.item.file, test.item.line), print::one_line(&test.item.name, 60), way]
        })
        .collect();
    page.counted(page.columns(&rows), "tests", tests.len(), tests.len())
}

/// Ranges in a column of their own, what is behind them indented as before.
fn aligned(world: &World, outline: &str) -> String {
    let rows: Vec<(usize, &str, &str)> = outline
        .lines()
        .map(|line| {
            let bare = line.trim_start();
            let (range, rest) = bare.split_once("  ").unwrap_or(("", bare));
            (line.len() - bare.len(), range, rest)
        })
        .collect();
    let wide = rows.iter().map(|(_, range, _)| range.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (indent, range, rest) in rows {
        let range = print::dim(&format!("{range:>wide$}"), world.color);
        let rest = print::one_line(rest, world.width.saturating_sub(wide + indent + 2).max(20));
        text.push_str(format!("{range}  {:indent$}{rest}", "").trim_end());
        text.push('\n');
    }
    text
}

struct Page<'w> {
    world: &'w World,
}

impl Page<'_> {
    /// What the answer is about.
    fn of(&self, symbol: &Item) -> String {
        let place = format!("{}:{}", symbol.file, say::range(symbol.line, symbol.end_line));
        let signature = if symbol.signature.is_empty() { &symbol.name } else { &symbol.signature };
        format!(
            "{}  {}\n",
            print::bold(&print::one_line(signature, 160), self.world.color),
            print::dim(&print::one_line(&place, 200), self.world.color)
        )
    }

    fn items(&self, items: &[Item]) -> String {
        let rows: Vec<[String; 3]> = items
            .iter()
            .map(|item| {
                let place = format!("{}:{}", item.file, say::range(item.line, item.end_line));
                let signature = if item.signature.is_empty() { &item.name } else { &item.signature };
                [
                    print::one_line(&place, 200),
                    print::one_line(&item.name, 60),
                    print::one_line(signature, 160),
                ]
            })
            .collect();
        self.columns(&rows)
    }

    fn sites(&self, sites: &[Site]) -> String {
        let rows: Vec<[String; 3]> = sites
            .iter()
            .map(|site| {
                let doubt = if site.sure { "" } else { "?" };
                let role = if site.role == "call" { String::new() } else { format!(" ({})", site.role) };
                let of = site.of.as_deref().map(|of| format!(" of {of}")).unwrap_or_default();
                let around = format!("{}{doubt}{role}{of}", site.name);
                [place(&site.file, site.line), print::one_line(&around, 60), print::one_line(&site.text, 160)]
            })
            .collect();
        self.columns(&rows)
    }

    fn callees(&self, callees: &[Reached]) -> String {
        let rows: Vec<[String; 3]> = callees
            .iter()
            .map(|callee| {
                let line = format!("line {}", callee.call_line);
                [line, print::one_line(&callee.item.name, 60), place(&callee.item.file, callee.item.line)]
            })
            .collect();
        self.columns(&rows)
    }

    fn found(&self, hits: &[Found]) -> String {
        let mut text = String::new();
        let wide = hits.iter().map(|hit| hit.why.chars().count()).max().unwrap_or_default();
        for hit in hits {
            let item = &hit.item;
            let place =
                print::one_line(&format!("{}:{}", item.file, say::range(item.line, item.end_line)), 200);
            let signature = if item.signature.is_empty() { &item.name } else { &item.signature };
            let why = print::dim(&format!("{:<wide$}", hit.why), self.world.color);
            let signature = print::bold(&print::one_line(signature, 120), self.world.color);
            text += &format!("{why}  {place}  {signature}\n");
            let below = hit.text.as_deref().or(item.doc.as_deref());
            if let Some(below) =
                below.map(|below| print::one_line(below, self.world.width.saturating_sub(wide + 3)))
            {
                text += &format!("{:wide$}  {}\n", "", print::dim(&below, self.world.color));
            }
        }
        text
    }

    fn impact(
        &self,
        symbols: &[Item],
        reached: &[Reached],
        tests: &[Reached],
        files: &[String],
        cut: bool,
        has_more: bool,
    ) -> String {
        let mut text = match symbols {
            [symbol] => self.of(symbol),
            [] if has_more => String::new(),
            [] => "nothing has changed that the map knows\n".to_owned(),
            several => format!("{}\n{}\n", print::bold("changed", self.world.color), self.items(several)),
        };
        let mut depth = 0;
        let mut near: Vec<&Reached> = reached.iter().collect();
        near.sort_by_key(|row| row.depth);
        for level in near.chunk_by(|a, b| a.depth == b.depth) {
            depth = level.first().map_or(depth, |row| row.depth);
            let head = if depth <= 1 { "calls it".to_owned() } else { format!("{depth} calls away") };
            text += &format!("{}\n", print::bold(&head, self.world.color));
            let rows: Vec<[String; 3]> = level
                .iter()
                .map(|row| {
                    let over =
                        if row.path.len() > 2 { format!("over {}", way(&row.path)) } else { String::new() };
                    [place(&row.item.file, row.call_line), print::one_line(&row.item.name, 60), over]
                })
                .collect();
            text += &self.columns(&rows);
        }
        if !tests.is_empty() {
            text += &format!("{}\n", print::bold("tests", self.world.color));
            let rows: Vec<[String; 3]> = tests
                .iter()
                .map(|test| {
                    [
                        place(&test.item.file, test.item.line),
                        print::one_line(&test.item.name, 60),
                        String::new(),
                    ]
                })
                .collect();
            text += &self.columns(&rows);
        }
        let last = format!(
            "reaches {} and {} in {}{}; {}\n",
            print::count(reached.len() as u64, "definition", "definitions"),
            print::count(tests.len() as u64, "test", "tests"),
            print::count(files.len() as u64, "file", "files"),
            if cut { " (not everything is listed)" } else { "" },
            cost(&text),
        );
        text + &print::dim(&last, self.world.color)
    }

    fn context(&self, pieces: &[Piece], cost: usize, left_out: &[String]) -> String {
        let mut text = String::new();
        for piece in pieces {
            let place = format!("{}:{}", piece.file, say::range(piece.line, piece.end_line));
            let head = print::bold(
                &print::one_line(&format!("{} {}", piece.role, piece.name), 120),
                self.world.color,
            );
            text += &format!("{head}  {}\n", print::dim(&print::one_line(&place, 200), self.world.color));
            text += &print::block(&piece.text, 0);
            text.push('\n');
        }
        let mut last = format!("context: {}", tokens(cost));
        if !left_out.is_empty() {
            let names: Vec<String> = left_out.iter().map(|name| print::one_line(name, 60)).collect();
            last += &format!("; did not fit: {}", names.join(", "));
        }
        text + &print::dim(&format!("{last}\n"), self.world.color)
    }

    fn index(&self, indexed: &Indexed) -> String {
        let mut text = print::block(&say::answer(&Answer::Index(indexed.clone()), PLENTY), 0);
        text += &print::dim(&format!("{}\n", print::one_line(&indexed.root, 200)), self.world.color);
        text
    }

    /// A place, a name and what is said there, each as wide as the widest.
    fn columns(&self, rows: &[[String; 3]]) -> String {
        let wide = |at: usize| {
            let widths = rows.iter().map(|row| row[at].chars().count().min(MAX_PLACE));
            widths.max().unwrap_or_default()
        };
        let (first, second) = (wide(0), wide(1));
        let mut text = String::new();
        for [place, name, rest] in rows {
            let gap = second.saturating_sub(name.chars().count());
            let used = first.max(place.chars().count()) + second.max(name.chars().count()) + 4;
            let rest = print::one_line(rest, self.world.width.saturating_sub(used).max(20));
            let name = print::bold(name, self.world.color);
            let line = format!("{place:<first$}  {name}{:gap$}  {}", "", print::dim(&rest, self.world.color));
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// How many, of how many, and what it costs a model to read.
    fn counted(&self, text: String, what: &str, shown: usize, total: usize) -> String {
        let of = if total > shown { format!(" of {}", say::number(total)) } else { String::new() };
        let last = format!("{what}: {}{of}; {}\n", say::number(shown), cost(&text));
        text + &print::dim(&last, self.world.color)
    }
}

fn place(file: &str, line: u32) -> String {
    print::one_line(&format!("{file}:{line}"), 200)
}

/// The names between the two ends.
fn way(path: &[String]) -> String {
    let between = path.get(1..path.len().saturating_sub(1)).unwrap_or_default();
    let names: Vec<String> = between.iter().map(|name| print::one_line(name, 40)).collect();
    names.join(" > ")
}

/// What a model would read of it: colors are for people.
fn cost(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (at, part) in text.split('\u{1b}').enumerate() {
        plain.push_str(if at == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) });
    }
    tokens(say::tokens(&plain))
}

fn tokens(count: usize) -> String {
    format!("{} {}", say::number(count), if count == 1 { "token" } else { "tokens" })
}
