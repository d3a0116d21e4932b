//! Answers as texts that cost little: for models, which pay by the token, and for people, who read less than they are
//! given. Every text stays within its budget and says what it left out; nothing is looked up here.

use std::fmt::Write;

use crate::answer::{Item, Reached, Site};

mod outline;
mod whole;

pub use outline::outline;
pub use whole::{answer, removed, through};

/// What stands for a file's own level, where no definition is around a use.
const TOP: &str = "<module>";
/// A signature longer than this says more than a list needs; the file has the rest.
const SIGNATURE_CHARS: usize = 160;
const DOC_CHARS: usize = 100;
/// Parts of one line; a file with more goes on in the next.
const MAX_GROUP: usize = 12;

/// As a model would count them.
pub fn tokens(text: &str) -> usize {
    model::estimate_tokens(text) as usize
}

/// `5,310`
pub fn number(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `12-40`, `12`
pub fn range(line: u32, end_line: u32) -> String {
    if end_line > line { format!("{line}-{end_line}") } else { line.to_string() }
}

/// Definitions, each to be gone to, in the order they are given; those of one file in a row share its name.
pub fn items(items: &[Item], budget: usize) -> String {
    let rows: Vec<Row> = items.iter().map(|item| Row { file: &item.file, text: definition(item) }).collect();
    in_files(&rows, budget)
}

/// Uses by file: `src/a.rs: 12, 15 in f, 40 in g`. A `?` says that the receiver's type could not be seen.
pub fn sites(sites: &[Site], budget: usize) -> String {
    let mut files: Vec<(&str, Vec<&Site>)> = Vec::new();
    for site in sites {
        match files.iter_mut().find(|(file, _)| *file == site.file) {
            Some((_, of_it)) => of_it.push(site),
            None => files.push((&site.file, vec![site])),
        }
    }
    let only_calls = sites.iter().all(|site| matches!(site.role.as_str(), "call" | "new"));
    let full = rows_of(&files, |of_it| uses(of_it, only_calls));
    if tokens(&full.text()) <= budget {
        return full.text();
    }
    // Lines are worth more than the names around them: whoever knows the line can go there.
    rows_of(&files, |of_it| of_it.iter().map(|site| (site.line.to_string(), 1)).collect()).cut(budget)
}

/// Definitions that are reached over others, the nearest first: `src/a.rs: 14 in f` and, farther away, over whom.
pub fn reached(reached: &[Reached], budget: usize) -> String {
    let mut rows: Vec<&Reached> = reached.iter().collect();
    let key = |row: &Reached| (row.depth, row.item.file.clone(), row.call_line, row.item.name.clone());
    rows.sort_by_cached_key(|row| key(row));
    let mut all = Wrapped::default();
    for level in rows.chunk_by(|a, b| a.depth == b.depth) {
        let depth = level[0].depth;
        let head = if depth <= 1 { "calls it:\n".to_owned() } else { format!("{depth} calls away:\n") };
        for (at, file) in level.chunk_by(|a, b| a.item.file == b.item.file).enumerate() {
            let parts = file.iter().map(|row| {
                let over = row.path.get(1).filter(|_| depth > 1);
                let over = over.map(|over| format!(" via {}", clean(over))).unwrap_or_default();
                (format!("{} in {}{over}", row.call_line, clean(&row.item.name)), 1)
            });
            let parts: Vec<_> = parts.collect();
            all.add(if at == 0 { &head } else { "" }, &file[0].item.file, &parts);
        }
    }
    all.cut(budget)
}

/// A definition without its file: `12-40  def save(self, order)  in Store  "Keeps an order."`
fn definition(item: &Item) -> String {
    let mut text = format!("{}  {}", range(item.line, item.end_line), headline(item, SIGNATURE_CHARS));
    if let Some((owner, _)) = item.name.rsplit_once(['.', ':', '#'])
        && !owner.is_empty()
    {
        let _ = write!(text, "  in {}", clean(owner.trim_end_matches(':')));
    }
    if let Some(doc) = item.doc.as_deref().filter(|doc| !doc.trim().is_empty()) {
        let _ = write!(text, "  # {}", clip(doc, DOC_CHARS));
    }
    text
}

/// What a definition says of itself: its signature, else kind and name.
fn headline(item: &Item, most: usize) -> String {
    if item.signature.trim().is_empty() {
        clip(&format!("{} {}", item.kind, bare(&item.name)), most)
    } else {
        clip(&item.signature, most)
    }
}

/// `save` of `Store.save`, `Store::save`, `Store#save`.
fn bare(name: &str) -> &str {
    name.rsplit(['.', ':', '#']).next().filter(|last| !last.is_empty()).unwrap_or(name)
}

/// `12, 15 in f`, `40 in g`, each with how many it tells of.
fn uses(sites: &[&Site], only_calls: bool) -> Vec<(String, usize)> {
    let mut groups: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for site in sites {
        let line = format!("{}{}", site.line, if site.sure { "" } else { "?" });
        match groups
            .iter_mut()
            .find(|(name, role, lines)| *name == site.name && *role == site.role && lines.len() < MAX_GROUP)
        {
            Some((_, _, lines)) => lines.push(line),
            None => groups.push((&site.name, &site.role, vec![line])),
        }
    }
    let part = |(name, role, lines): &(&str, &str, Vec<String>)| {
        let around =
            if *name == TOP || name.is_empty() { String::new() } else { format!(" in {}", clean(name)) };
        let what = if only_calls || *role == "call" { String::new() } else { format!(" ({role})") };
        (format!("{}{around}{what}", lines.join(", ")), lines.len())
    };
    groups.iter().map(part).collect()
}

fn rows_of(files: &[(&str, Vec<&Site>)], parts: impl Fn(&[&Site]) -> Vec<(String, usize)>) -> Wrapped {
    let mut all = Wrapped::default();
    for (file, of_it) in files {
        all.add("", file, &parts(of_it));
    }
    all
}

/// Lines of several parts each, so that a text can be cut between any two.
#[derive(Default)]
struct Wrapped {
    lines: Vec<String>,
    /// What each line tells of.
    counts: Vec<usize>,
}

impl Wrapped {
    fn add(&mut self, head: &str, file: &str, parts: &[(String, usize)]) {
        for (at, chunk) in parts.chunks(MAX_GROUP).enumerate() {
            let before = if at == 0 { format!("{head}{}: ", clean(file)) } else { "  ".to_owned() };
            let texts: Vec<&str> = chunk.iter().map(|(text, _)| text.as_str()).collect();
            self.lines.push(format!("{before}{}\n", texts.join(", ")));
            self.counts.push(chunk.iter().map(|(_, count)| count).sum());
        }
    }

    fn text(&self) -> String {
        self.lines.concat()
    }

    fn cut(&self, budget: usize) -> String {
        cut(&self.lines, budget, |kept| format!("… {} more\n", self.counts[kept..].iter().sum::<usize>()))
    }
}

struct Row<'a> {
    file: &'a str,
    text: String,
}

/// Rows below the names of their files; a single row stands beside its file's name.
fn in_files(rows: &[Row<'_>], budget: usize) -> String {
    let mut lines = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        let follows = at > 0 && rows[at - 1].file == row.file;
        let is_followed = rows.get(at + 1).is_some_and(|next| next.file == row.file);
        lines.push(match (follows, is_followed) {
            (true, _) => format!("  {}\n", row.text),
            (false, true) => format!("{}\n  {}\n", clean(row.file), row.text),
            (false, false) => format!("{}:{}\n", clean(row.file), row.text),
        });
    }
    cut(&lines, budget, |kept| format!("… {} more\n", lines.len() - kept))
}

/// All of it, if it fits.
fn joined(lines: &[String], budget: usize) -> Option<String> {
    let text = lines.concat();
    (tokens(&text) <= budget).then_some(text)
}

/// As many of the first as fit, and what is said of the rest when so many are kept. At least one: an answer of none
/// answers nothing.
fn cut(lines: &[String], budget: usize, rest: impl Fn(usize) -> String) -> String {
    if let Some(text) = joined(lines, budget) {
        return text;
    }
    let fits = |kept: usize| tokens(&(lines[..kept].concat() + &rest(kept))) <= budget;
    // More lines never cost less, so the last that fits is found by halves.
    let (mut low, mut high) = (1, lines.len().max(1));
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle) { low = middle } else { high = middle - 1 }
    }
    let kept = low.min(lines.len());
    lines[..kept].concat() + &if kept < lines.len() { rest(kept) } else { String::new() }
}

/// At most so many characters, on one line.
fn clip(text: &str, most: usize) -> String {
    let clean = clean(text);
    match clean.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", clean[..end].trim_end()),
        None => clean,
    }
}

/// A stranger's name or line, without what ends a line or moves a cursor.
fn clean(text: &str) -> String {
    let visible = |c: char| if c.is_control() || is_turn(c) { '\u{fffd}' } else { c };
    text.trim().chars().map(|c| if matches!(c, '\n' | '\t' | '\r') { ' ' } else { visible(c) }).collect()
}

/// Signs that make a text read in another order than it is written.
pub(crate) fn is_turn(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests;
