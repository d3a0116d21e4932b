//! Tables with a header row: the cells under `password` or `api_key` go, whatever separates the columns.
//! A header is believed only when every cell of it is a name and a row of as many cells follows.

use crate::expression;
use crate::hit::{Hit, Rule};
use crate::holes;
use crate::judge;
use crate::lexicon::{self, Strength};
use crate::lines::prefix;
use crate::scan::Scan;
use crate::text::{self, ALNUM, NAME};
use crate::value;

const MOST_ROWS: usize = 5000;
/// Longer lines are data of other kinds.
const LONGEST_ROW: usize = 4096;
const LONGEST_HEADER: usize = 512;
const MOST_COLUMNS: usize = 32;

/// Named in `engine`: it reaches further than the scanners of single values.
pub(crate) static RULES: &[Rule] = &[Rule {
    name: "password-column",
    kind: "password",
    password: true,
    catches: "user,password\nme,s3cr3tPw\n",
    spares: "user,password,email are required",
}];

/// Cheap: the name that ends here may be a cell of a header.
pub(crate) fn may_head(text: &[u8], name_end: usize) -> bool {
    let mut at = name_end;
    if matches!(text::at(text, at), b'"') {
        at += 1;
    }
    match text::at(text, at) {
        b',' | b';' | b'\t' | b'|' | b'\n' => true,
        b'\r' => text::at(text, at + 1) == b'\n',
        b' ' => {
            let next = text::run_end_of(text, at, b' ', 48);
            text::at(text, next) == b'|' || next >= at + 2 && text::is(text::at(text, next), ALNUM)
        }
        _ => false,
    }
}

/// Reads the table whose header holds the name. Returns where the scan goes on, `None` when it is no table.
pub(crate) fn scan(scan: &mut Scan<'_>, name_start: usize, name_end: usize) -> Option<usize> {
    let text = scan.text;
    if name_end <= scan.settled {
        return None;
    }
    let line = text::line_start(text, name_start);
    let stop = text::line_end(text, name_start, LONGEST_HEADER);
    if stop >= text.len() || stop - line >= LONGEST_HEADER {
        return None;
    }
    let next = after_break(text, stop);
    let row = &text[next.min(text.len())..text::line_end(text, next.min(text.len()), LONGEST_ROW)];
    let lead = prefix(&text[line..stop]).max(common_lead(&text[line..name_start], row));
    // The header begins a string: `text = 'user,password`.
    let quote = opening_quote(text.get(line + lead..name_start)?);
    let lead = lead + quote.map_or(0, |(at, _)| at + 1);
    let header = without_color(&text[line + lead..stop]);
    let separator = separator(header, name_start.checked_sub(line + lead)?, name_end - line - lead)?;
    let mut named: Vec<(usize, Strength)> = Vec::new();
    let mut columns = 0;
    for cell in cells(header, separator) {
        let name = bare(&header[cell.0..cell.1]);
        let named_or_empty = is_name(name) || name.is_empty() && separator == b'|';
        if !named_or_empty || columns >= MOST_COLUMNS {
            return None;
        }
        if let Some(said) =
            lexicon::announced(name).filter(|said| said.strength >= Strength::Opaque && said.last)
        {
            named.push((columns, said.strength));
        }
        columns += 1;
    }
    if columns < 2 || named.is_empty() {
        return None;
    }
    // Lists in programs and sentences have a blank behind each comma; so do tables, but of plain cells.
    let airy = matches!(separator, b',' | b';') && header.windows(2).any(|pair| pair == [separator, b' ']);
    let found = scan.hits.len();
    let mut row = after_break(text, stop);
    let mut rows = 0;
    while row < text.len() && rows < MOST_ROWS {
        let end = text::line_end(text, row, LONGEST_ROW);
        // What a viewer puts before the header it puts before each row.
        let from = if lead == 0 {
            row
        } else if common_lead(&text[line..name_start], &text[row..end]) >= lead {
            row + lead
        } else {
            row + prefix(&text[row..end]).min(end - row)
        };
        // The string may end with the row.
        let stop =
            quote.and_then(|(_, quote)| memchr::memchr(quote, &text[from..end])).map_or(end, |at| from + at);
        if is_rule(without_color(&text[from..stop])) {
            rows += 1;
            row = after_break(text, end);
            continue;
        }
        let cells: Vec<(usize, usize)> = cells(without_color(&text[from..stop]), separator).collect();
        if cells.len() != columns
            || airy && !cells.iter().all(|&(start, stop)| is_cell(&text[from + start..from + stop]))
        {
            break;
        }
        for &(column, strength) in &named {
            let (start, stop) = cells[column];
            let cell = &text[from + start..from + stop];
            let value = bare(cell);
            let offset = cell.len() - cell.trim_ascii_start().len();
            let quote = usize::from(value.len() < cell.trim_ascii().len());
            let at = from + start + offset + quote;
            if is_cell_secret(value, strength) {
                scan.hits.push(Hit::new(at, at + value.len(), &RULES[0]));
            }
        }
        rows += 1;
        row = after_break(text, end);
    }
    if rows == 0 {
        return None;
    }
    scan.settled = row.min(text.len());
    (scan.hits.len() > found).then_some(scan.settled)
}

fn is_cell_secret(value: &[u8], strength: Strength) -> bool {
    if value.len() < 4 || value.len() >= value::LONGEST_VALUE || holes::is_placeholder(value) {
        return false;
    }
    // "1 to 255", "dk (derived key)": a description of the column.
    if text::count(value, b' ') >= 2 || value.contains(&b' ') && value.contains(&b'(') {
        return false;
    }
    if strength == Strength::Password {
        return !expression::is_code(value) && !value.iter().all(|&b| b == b'-');
    }
    judge::is_opaque_cell(value)
}

/// Few words and nothing of a program.
fn is_cell(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    text::count(cell, b' ') <= 1
        && !cell.iter().any(|b| matches!(b, b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'='))
        && text::count(cell, b'"').is_multiple_of(2)
}

/// The quote that is open before the first cell, and where.
fn opening_quote(lead: &[u8]) -> Option<(usize, u8)> {
    let first = lead.iter().position(|&b| matches!(b, b',' | b';' | b'|' | b'\t')).unwrap_or(lead.len());
    let at = lead[..first].iter().rposition(|&b| matches!(b, b'"' | b'\'' | b'`'))?;
    let quote = lead[at];
    // `"name","password"` has its quotes around each cell.
    let cell_is_quoted = at + 1 == first || text::count(&lead[..first], quote).is_multiple_of(2);
    (!cell_is_quoted && at > 0).then_some((at, quote))
}

/// What two lines have in common at their beginning, numbers aside: what a log or a viewer put there. A cell
/// or a bar is no part of it.
fn common_lead(header: &[u8], row: &[u8]) -> usize {
    let common = header
        .iter()
        .zip(row)
        .take_while(|(a, b)| a == b || text::is(**a, text::DIGIT) && text::is(**b, text::DIGIT))
        .count();
    let lead = &header[..common];
    let end = lead
        .iter()
        .rposition(|&b| matches!(b, b' ' | b'\t' | b':' | b'>' | b']' | b')'))
        .map_or(0, |at| at + 1);
    // The row begins with its bar.
    let bar = memchr::memchr(b'|', &header[..end]).filter(|&bar| is_first_bar(header, bar));
    bar.unwrap_or(end)
}

/// The bar opens the row, rather than closing the name of a container before it.
fn is_first_bar(header: &[u8], bar: usize) -> bool {
    memchr::memchr(b'|', &header[bar + 1..]).is_some()
        || !text::is(text::before(header, bar.saturating_sub(1)), ALNUM)
}

/// The sign between the cells, judged by what stands on both sides of the name.
fn separator(header: &[u8], start: usize, end: usize) -> Option<u8> {
    let quoted = usize::from(text::before(header, start) == b'"');
    let right = end + usize::from(quoted > 0 && text::at(header, end) == b'"');
    let left = start - quoted;
    // Words of a longer name: "Secret access key".
    let cell = header[..left].iter().rposition(|&b| matches!(b, b',' | b';' | b'\t' | b'|'));
    let between = cell.map_or(&header[..left], |at| &header[at + 1..left]);
    if !between.iter().all(|&b| text::is(b, ALNUM) || matches!(b, b' ' | b'"')) {
        return None;
    }
    let before = cell.map(|at| header[at]);
    let after = header[right.min(header.len())..].iter().copied().find(|&b| b != b' ');
    let sign = before.or(after)?;
    let fits = |side: Option<u8>| side.is_none_or(|byte| byte == sign);
    (matches!(sign, b',' | b';' | b'\t' | b'|') && fits(after)).then_some(sign)
}

/// Ranges of the cells; bars may enclose the row.
fn cells(row: &[u8], separator: u8) -> impl Iterator<Item = (usize, usize)> + '_ {
    let trimmed = row.trim_ascii_start().starts_with(b"|") && separator == b'|';
    let start = if trimmed { memchr::memchr(b'|', row).map_or(0, |bar| bar + 1) } else { 0 };
    let closed = trimmed && row.trim_ascii_end().ends_with(b"|") && row.trim_ascii().len() > 1;
    let end = if closed { memchr::memrchr(b'|', row).unwrap_or(row.len()) } else { row.len() };
    let mut from = start;
    let mut done = end < start;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        // A separator inside quotes is part of the cell.
        let mut at = from;
        let mut quoted = false;
        while at < end && (quoted || row[at] != separator) {
            quoted ^= row[at] == b'"' && separator != b'|';
            at += 1;
        }
        let cell = (from, at);
        done = at >= end;
        from = at + 1;
        Some(cell)
    })
}

fn bare(cell: &[u8]) -> &[u8] {
    let cell = cell.trim_ascii();
    for quote in [b"\"", b"`", b"'"] {
        if cell.len() >= 2
            && let Some(inside) = cell.strip_prefix(quote).and_then(|cell| cell.strip_suffix(quote))
        {
            return inside;
        }
    }
    cell
}

fn is_name(cell: &[u8]) -> bool {
    (1..=40).contains(&cell.len())
        && text::is(cell[0], text::ALPHA)
        && cell.iter().all(|&b| text::is(b, NAME) || matches!(b, b' ' | b'(' | b')' | b'/' | b'#'))
        && text::count(cell, b' ') <= 3
}

/// `|---|---|`, `+-----+-----+`, `-----+----`: the line under a header.
fn is_rule(row: &[u8]) -> bool {
    row.len() >= 3
        && row.iter().all(|&b| matches!(b, b'-' | b'+' | b'|' | b':' | b'=' | b' '))
        && memchr::memmem::find(row, b"--").is_some()
}

fn after_break(text: &[u8], end: usize) -> usize {
    end + 1 + usize::from(text::at(text, end) == b'\r')
}

/// The row without the sequence that ends its color.
fn without_color(row: &[u8]) -> &[u8] {
    match memchr::memrchr(0x1b, row) {
        Some(escape) if escape + text::color_len(row, escape) == row.len() => &row[..escape],
        _ => row,
    }
}
