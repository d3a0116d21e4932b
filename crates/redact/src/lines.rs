//! What stands before a name on its line: nothing, the numbers and stamps of viewers, or a program.
//! Reads backwards from the name and never past the start of the line.

use crate::text::{self, ALNUM, ALPHA, DIGIT, NAME};

/// Indentation, a line number with its file, `declare -x`: what may stand before an assignment.
const LONGEST_LEAD: usize = 140;

/// Words and signs that may stand before an assignment that still has its line to itself.
#[rustfmt::skip]
const LEADS: &[&[u8]] = &[
    b"export", b"set", b"setx", b"env", b"declare", b"local", b"readonly", b"typeset", b"-x", b"-e", b"-r",
    b"--env", b"$env:", b"-", b"+", b"#", b"//", b">", b"<", b"*", b"|", b"$", b"\"", b"'", b"{", b"--build-arg",
    b"arg", b"-gx", b"-ux", b"-g", b"-u", b"environment=", b"-d", b"?", b"[", b"<!--", b"/*", b"--", b";", b"rem",
    b"var", b"let", b"const", b"val", b"my", b"def",
];

/// What stands before the name on its line, without what viewers and logs put there.
pub(crate) fn bare_lead(text: &[u8], name_start: usize) -> &[u8] {
    let start = text::line_start(text, name_start);
    let lead = without_stamps(strip_colors_and_numbers(&text[start..name_start]));
    // A level: DEBUG, INFO.
    let trimmed = lead.trim_ascii_start();
    let level = text::run_end(trimmed, 0, text::UPPER, 8);
    if level >= 4 && matches!(text::at(trimmed, level), b' ' | b':') { &trimmed[level..] } else { lead }
}

/// The assignment has its line to itself, but for what tools put before it.
pub(crate) fn is_own_line(text: &[u8], name_start: usize) -> bool {
    let start = text::line_start(text, name_start);
    let mut lead = &text[start..name_start];
    // An escaped line break begins a line as well.
    if let Some(escaped) = memchr::memrchr_iter(b'\\', lead).find(|&at| text::at(lead, at + 1) == b'n') {
        lead = &lead[escaped + 2..];
    }
    // Between the variables of a process stands a zero.
    if let Some(zero) = memchr::memrchr(0, lead) {
        lead = &lead[zero + 1..];
    }
    if lead.len() > LONGEST_LEAD {
        return false;
    }
    lead = without_stamps(strip_colors_and_numbers(lead));
    // The first line of a string: msg="password: …".
    if let [.., b'=' | b'(' | b'[' | b' ' | b':' | b'{', b'"' | b'\'' | b'`'] = lead {
        return true;
    }
    loop {
        lead = lead.trim_ascii();
        let before = lead.len();
        for word in LEADS {
            let ends = lead.len() >= word.len() && lead[lead.len() - word.len()..].eq_ignore_ascii_case(word);
            // A word ends a lead only where it begins one: `asset` does not end in `set`.
            let whole = !text::is(word[0], ALPHA)
                || !text::is(text::before(lead, lead.len().saturating_sub(word.len())), ALNUM);
            if ends && whole {
                lead = &lead[..lead.len() - word.len()];
                break;
            }
        }
        if lead.is_empty() {
            return true;
        }
        if lead.len() == before {
            return false;
        }
    }
}

/// Drops what logs put before a line: `2026-07-15T04:25:50Z ##[debug]`, `web_1  | `, `[12:00:01] `.
fn without_stamps(lead: &[u8]) -> &[u8] {
    let mut lead = lead;
    // `web_1  | `: a container's name; a table's row begins with the bar.
    let name = text::run_end(lead, 0, NAME, 40);
    let bar = text::skip_blank(lead, name, 16);
    if name > 0 && text::at(lead, bar) == b'|' && text::at(lead, bar + 1) == b' ' {
        lead = &lead[bar + 1..];
    }
    for _ in 0..3 {
        let trimmed = lead.trim_ascii_start();
        let stamped = text::run_end(trimmed, 0, DIGIT, 4) == 4 && text::at(trimmed, 4) == b'-';
        let bracketed = trimmed.first() == Some(&b'[') || trimmed.starts_with(b"##[");
        let end = if stamped {
            trimmed.iter().position(|&b| b == b' ' || b == b'\t')
        } else if bracketed {
            memchr::memchr(b']', trimmed).map(|close| close + 1)
        } else {
            None
        };
        let Some(end) = end else { break };
        lead = &trimmed[end..];
        // `2026-07-15 04:25:50,123 `
        let clock = lead.trim_ascii_start();
        let digits = text::run_end(clock, 0, DIGIT, 2);
        if stamped && digits == 2 && text::at(clock, 2) == b':' {
            lead = clock.iter().position(|&b| b == b' ').map_or(&clock[..0], |blank| &clock[blank..]);
        }
    }
    lead
}

/// An open bracket before the name on its line: a call's argument or a member, not an environment.
pub(crate) fn is_inside_code(text: &[u8], name_start: usize) -> bool {
    let start = text::line_start(text, name_start);
    let lead = &text[start..name_start];
    // Inside a string of that call, it is configuration again: connect("user=u password=…").
    let in_string = text::count(lead, b'"') % 2 == 1 || text::count(lead, b'\'') % 2 == 1;
    !in_string && memchr::memchr2(b'(', b'{', lead).is_some()
}

/// Drops what viewers put before a line: `  12→`, `12:`, `12-`, `src/a.env:12:`, terminal colors.
fn strip_colors_and_numbers(lead: &[u8]) -> &[u8] {
    let mut lead = lead;
    while let Some(escape) = memchr::memrchr(0x1b, lead) {
        let length = text::color_len(lead, escape);
        if length == 0 || escape + length < lead.len() && !lead[escape + length..].trim_ascii().is_empty() {
            break;
        }
        lead = &lead[..escape];
    }
    let trimmed = lead.trim_ascii_end();
    let arrow = trimmed
        .strip_suffix("→".as_bytes())
        .or_else(|| trimmed.strip_suffix(b"->"))
        .or_else(|| trimmed.strip_suffix(b":"))
        .or_else(|| trimmed.strip_suffix(b"|"))
        .or_else(|| trimmed.strip_suffix(b"-"));
    let digits = arrow.unwrap_or(trimmed).trim_ascii_end();
    let number = text::run_start(digits, digits.len(), DIGIT, 8);
    if number < digits.len() {
        let rest = &digits[..number];
        if rest.trim_ascii().is_empty() || arrow.is_some() && matches!(rest.last(), Some(b':' | b'-')) {
            return b"";
        }
    }
    lead
}

/// The value that ends at `end` ends its line, but for a quote, a color or an escaped line break.
pub(crate) fn ends_line(text: &[u8], end: usize, quoted: bool) -> bool {
    let mut at = text::run_end_of(text, end, b'\\', 4);
    // The string that holds the line ends with it.
    if !quoted && matches!(text::at(text, at), b'"' | b'\'' | b'`') {
        return true;
    }
    if matches!(text::at(text, at), b'n' | b'r') && at > end {
        return true;
    }
    if matches!(text::at(text, at), b'"' | b'\'' | b'`') {
        at += 1;
    } else {
        at = end;
    }
    // `"…";` ends a statement; `Name;` may be a type.
    if text::at(text, at) == b';' && at > end {
        at += 1;
    }
    at = text::skip_blank(text, at, 32);
    let comment = [&b"# "[..], b"-->", b"*/", b"// "].iter().any(|sign| text::starts_with(text, at, sign));
    comment && at > end
        || at >= text.len()
        || matches!(text[at], b'\n' | b'\r' | 0)
        || text::starts_with(text, at, b"\\n")
}

/// The lines around are settings too: `name = value`, sections, comments, and nothing of a program.
pub(crate) fn is_among_settings(text: &[u8], line: usize) -> bool {
    let before = line.checked_sub(1).map(|end| &text[text::line_start(text, end)..end]);
    let end = text::line_end(text, line, 256);
    let next = (end + 1).min(text.len());
    let after = &text[next..text::line_end(text, next, 256)];
    let judged: Vec<bool> = before.into_iter().chain([after]).filter_map(is_setting).collect();
    !judged.is_empty() && judged.into_iter().all(|setting| setting)
}

/// `None` for a line that says nothing.
fn is_setting(line: &[u8]) -> Option<bool> {
    let line = line.trim_ascii();
    let first = *line.first()?;
    if first == b'[' {
        return Some(line.last() == Some(&b']') && !line.contains(&b','));
    }
    if matches!(first, b'#' | b';') {
        return None;
    }
    let Some(equals) = memchr::memchr(b'=', line) else { return Some(false) };
    let name = line[..equals].trim_ascii();
    let value = line[equals + 1..].trim_ascii();
    let named = !name.is_empty() && name.iter().all(|&b| text::is(b, NAME));
    let plain = !value.iter().any(|&b| matches!(b, b'(' | b')' | b'{' | b'}' | b'"' | b'\'' | b';' | b'['));
    Some(named && plain)
}

/// Length of what a viewer puts before a line: `  12→`, `12-`, `src/a.csv:12:`, `+`, a stamp.
pub(crate) fn prefix(line: &[u8]) -> usize {
    let mut at = 0;
    let color = text::color_len(line, 0);
    at += color;
    let name = text::run_end(line, at, NAME, 40);
    let bar = text::skip_blank(line, name, 16);
    if name > at
        && text::at(line, bar) == b'|'
        && text::at(line, bar + 1) == b' '
        && is_container(&line[at..name])
    {
        return bar + 2;
    }
    // A stamp, with or without a level in brackets.
    if text::run_end(line, at, DIGIT, 5) == at + 4 && text::at(line, at + 4) == b'-' {
        let blank = line[at..].iter().position(|&b| b == b' ').map_or(line.len(), |blank| at + blank + 1);
        if line[blank.min(line.len())..].starts_with(b"##[") {
            let close = memchr::memchr(b']', &line[blank..]).map_or(0, |close| close + 1);
            return blank + close;
        }
        return blank.min(line.len());
    }
    // A number, alone or behind a file's name.
    let blanks = text::run_end(line, at, text::BLANK, 12);
    let digits = text::run_end(line, blanks, DIGIT, 8);
    if digits > blanks {
        for arrow in ["→".as_bytes(), b"->", b":", b"-", b"\t", b"|"] {
            if line[digits..].starts_with(arrow) {
                return digits + arrow.len();
            }
        }
    }
    if let Some(colon) = memchr::memchr(b':', &line[..line.len().min(80)]) {
        let digits = text::run_end(line, colon + 1, DIGIT, 8);
        let path = line[..colon].iter().all(|&b| text::is(b, NAME) || b == b'/');
        if path && digits > colon + 1 && matches!(text::at(line, digits), b':' | b'-') {
            return digits + 1;
        }
    }
    if matches!(text::at(line, at), b'+' | b'-') && text::is(text::at(line, at + 1), ALNUM)
        || line[at..].starts_with(b"+\"")
        || line[at..].starts_with(b"+|")
        || line[at..].starts_with(b"-|")
        || line[at..].starts_with(b"> ")
    {
        return at + 1;
    }
    at.max(blanks.min(line.len()))
}

/// `web_1`, `db-2`: a container of a composition, not the first cell of a table.
fn is_container(name: &[u8]) -> bool {
    name.last().is_some_and(|&b| text::is(b, DIGIT)) && name.iter().any(|&b| matches!(b, b'_' | b'-'))
}
