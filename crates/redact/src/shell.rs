//! Secrets that pass between commands: through a pipe, a here-string, a redirection, or out on the screen.

use crate::hit::Hit;
use crate::holes;
use crate::judge;
use crate::scan::Scan;
use crate::structures::RULES;
use crate::text;
use crate::value::{self, Ending};
use crate::words;

/// `echo 'password' | program that reads one`
pub(crate) fn piped(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let start = text::line_start(text, at);
    let stop = text::line_end(text, at, 200);
    if let Some(found) = memchr::memmem::find(&text[at..stop], b"<<<") {
        return here_string(scan, at + found);
    }
    let Some(value) = echoed(text, start, at) else { return at + 4 };
    if text::count(&text[value.end..at], b'|') != 1 {
        return at + 4;
    }
    scan.hits.push(Hit::new(value.start, value.end, &RULES[8]));
    at + 4
}

/// `printf '%s' 'password' > /run/secrets/name`
pub(crate) fn redirected(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let start = text::line_start(text, at);
    if let Some(value) = echoed(text, start, at)
        && !text[value.end..at].contains(&b'|')
        && text[value.end..at].trim_ascii_end().ends_with(b">")
    {
        scan.hits.push(Hit::new(value.start, value.end, &RULES[8]));
    }
    at + 4
}

/// What the last `echo` or `printf` between two places writes.
pub(crate) fn echoed(text: &[u8], start: usize, at: usize) -> Option<value::Value> {
    let lead = &text[start..at];
    let echo = [&b"echo "[..], b"printf ", b"print ", b"Write-Output "]
        .into_iter()
        .find_map(|word| memchr::memmem::rfind(lead, word).map(|found| found + word.len()))?;
    let mut from = text::skip_blank(text, start + echo, 8);
    for option in [
        &b"-n "[..],
        b"-e ",
        b"-ne ",
        b"-r ",
        b"-- ",
        b"'%s' ",
        b"\"%s\" ",
        b"'%s\\n' ",
        b"\"%s\\n\" ",
        b"%s ",
        b"'%s\\\\n' ",
    ] {
        if text::starts_with(text, from, option) {
            from = text::skip_blank(text, from + option.len(), 8);
        }
    }
    let value = value::read(text, from, Ending::Blank).filter(|value| value.end < at)?;
    let bytes = &text[value.start..value.end];
    let stands = bytes.len() >= 4 && !holes::is_placeholder(bytes) && !bytes.starts_with(b"$");
    stands.then_some(value)
}

/// `wrangler secret put NAME <<< 'value'`: what a command reads that takes secrets.
pub(crate) fn here_string(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let resume = at + 3;
    let start = text::line_start(text, at);
    let lead = &text[start..at];
    let takes =
        [&b"pass"[..], b"secret", b"token", b"login", b"key", b"sudo -s", b"cryptsetup", b"kinit", b"auth"]
            .iter()
            .any(|word| text::contains_folded(lead, word));
    let from = text::skip_blank(text, resume, 4);
    let Some(value) = value::read(text, from, Ending::Blank).filter(|_| takes) else { return resume };
    let mut begin = value.start;
    // chpasswd <<< 'user:password'
    if text::contains_folded(lead, b"chpasswd")
        && let Some(colon) = memchr::memchr(b':', &text[value.start..value.end])
    {
        begin += colon + 1;
    }
    let bytes = &text[begin..value.end];
    if bytes.len() < 4 || bytes.starts_with(b"$") || holes::is_placeholder(bytes) {
        return resume;
    }
    scan.hits.push(Hit::new(begin, value.end, &RULES[8]));
    value.end
}

/// The line after a command that prints a secret, if it is one opaque word.
pub(crate) fn printed(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let resume = at + 4;
    let end = text::line_end(text, at, 400);
    let escaped = memchr::memmem::find(&text[at..end], b"\\n").map(|found| at + found);
    let (mut line, mut stop) = if let Some(found) = escaped {
        (found + 2, end)
    } else {
        let line = end + 1 + usize::from(text::at(text, end) == b'\r');
        if line >= text.len() {
            return resume;
        }
        (line, text::line_end(text, line, 1024))
    };
    // Viewers and logs put their numbers and stamps before the line.
    while line < stop {
        let word = text[line..stop].iter().position(|&b| b <= b' ').map_or(stop, |blank| line + blank);
        if word == stop {
            break;
        }
        line = text::skip_blank(text, word, 16).max(word + 1);
    }
    if let Some(arrow) = memchr::memmem::rfind(&text[line.min(stop)..stop], "→".as_bytes()) {
        line += arrow + "→".len();
    } else if let Some(close) = memchr::memrchr2(b']', b':', &text[line.min(stop)..stop]) {
        line += close + 1;
    }
    if let Some(found) = text[line.min(stop)..stop].iter().position(|&b| matches!(b, b'\\' | b'"' | b'\'')) {
        stop = line + found;
    }
    // rg writes `12-` before a line of context.
    let digits = text::run_end(text, line, text::DIGIT, 6);
    if digits > line && text::at(text, digits) == b'-' && digits < line + 5 {
        line = digits + 1;
    }
    // Behind a prompt, one word below the command is what it printed, whatever it looks like.
    let prompt = text[text::line_start(text, at)..at].trim_ascii_start();
    let prompted = [&b"$ "[..], b"# ", b"% ", b"> ", "❯ ".as_bytes(), b"PS "]
        .iter()
        .any(|sign| prompt.starts_with(sign))
        || memchr::memmem::find(prompt, b"$ ").is_some();
    let alone = line < stop && text::before(text, line) == b'\n';
    let believed = line < stop
        && (judge::is_opaque_cell(&text[line..stop])
            || prompted && alone && words::is_told_password(&text[line..stop], false)
            || prompted
                && alone
                && judge::is_disorderly(&text[line..stop])
                && !holes::is_placeholder(&text[line..stop]));
    if !believed {
        return resume;
    }
    scan.hits.push(Hit::new(line, stop, &RULES[9]));
    resume
}
