//! E-mail addresses and telephone numbers: policy, not secrets, and off unless asked for.
//! Exact formats only; a timestamp, a version, an address or an id is no telephone number.

use crate::hit::{Hit, Rule};
use crate::text::{self, ALNUM, ALPHA, DIGIT, JOINER};

pub(crate) static RULES: &[Rule] = &[
    Rule {
        name: "email-address",
        kind: "email",
        password: false,
        catches: "write to jane.doe@company.org today",
        spares: "git@github and user@localhost",
    },
    Rule {
        name: "phone-number",
        kind: "phone",
        password: false,
        catches: "call +1 415 555 0132 today",
        spares: "2024-05-17 12:30:45 and 1.22.333.4444",
    },
];

pub(crate) fn emails(text: &[u8], hits: &mut Vec<Hit>) {
    for at in memchr::memchr_iter(b'@', text) {
        let start = text::run_start(text, at, ALNUM | JOINER, 64);
        let start = start + text[start..at].iter().take_while(|&&b| !text::is(b, ALNUM)).count();
        let mut end = text::run_end(text, at + 1, ALNUM | JOINER, 255);
        while end > at && !text::is(text[end - 1], ALNUM) {
            end -= 1;
        }
        if start >= at || end <= at + 3 || matches!(text::before(text, start), b'/' | b':' | b'@') {
            continue;
        }
        let domain = &text[at + 1..end];
        let Some(dot) = memchr::memrchr(b'.', domain) else { continue };
        let top = &domain[dot + 1..];
        // `a@b.c` is a name in code; `pkg@1.2.3` a version; `git@host:path` an address of a repository.
        let plausible = (2..=12).contains(&top.len())
            && top.iter().all(|&b| text::is(b, ALPHA))
            && dot > 0
            && domain[0] != b'-'
            && !domain.contains(&b'_');
        if plausible && text::at(text, end) != b':' && text::at(text, end) != b'(' {
            hits.push(Hit::new(start, end, &RULES[0]));
        }
    }
}

pub(crate) fn phones(text: &[u8], hits: &mut Vec<Hit>) {
    for at in memchr::memchr2_iter(b'+', b'(', text) {
        if text::is(text::before(text, at), ALNUM | JOINER) {
            continue;
        }
        let found = if text[at] == b'+' { international(text, at) } else { bracketed(text, at) };
        if let Some(end) = found {
            hits.push(Hit::new(at, end, &RULES[1]));
        }
    }
}

/// `+`, a country, and groups of digits: 8 to 15 digits in all.
fn international(text: &[u8], plus: usize) -> Option<usize> {
    if !matches!(text::at(text, plus + 1), b'1'..=b'9') {
        return None;
    }
    let mut at = plus + 1;
    let mut end = at;
    let mut digits = 0;
    let mut groups = 0;
    while at < text.len() && digits <= 15 {
        let run = text::run_end(text, at, DIGIT, 16);
        if run == at {
            break;
        }
        digits += run - at;
        groups += 1;
        end = run;
        at = match text::at(text, run) {
            b' ' | b'-' | b'.' if text::is(text::at(text, run + 1), DIGIT) => run + 1,
            b' ' if text::at(text, run + 1) == b'(' => run + 2,
            b')' if text::at(text, run + 1) == b' ' => run + 2,
            b'(' | b')' => run + 1,
            _ => break,
        };
    }
    let decimal = text::at(text, end) == b'.' && text::is(text::at(text, end + 1), DIGIT);
    let ends = !decimal && !text::is(text::at(text, end), ALNUM);
    ((8..=15).contains(&digits) && ends && (groups > 1 || digits >= 10)).then_some(end)
}

/// `(415) 555-0132`
fn bracketed(text: &[u8], open: usize) -> Option<usize> {
    let digits = |from: usize, count: usize| {
        text.get(from..from + count).is_some_and(|run| run.iter().all(|&b| text::is(b, DIGIT)))
    };
    if !digits(open + 1, 3) || text::at(text, open + 4) != b')' {
        return None;
    }
    let at = open + 5 + usize::from(text::at(text, open + 5) == b' ');
    let end = at + 8;
    let fits = digits(at, 3)
        && matches!(text::at(text, at + 3), b'-' | b'.' | b' ')
        && digits(at + 4, 4)
        && !text::is(text::at(text, end), ALNUM);
    fits.then_some(end)
}
