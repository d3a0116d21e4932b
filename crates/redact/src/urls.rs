//! User information in URLs: `scheme://user:password@host`. The user and the host stay.

use crate::hit::{Hit, Rule};
use crate::holes;
use crate::likeness::Shape;
use crate::scan::Scan;
use crate::text::{self, ALNUM};

/// An authority longer than this is no authority.
const LONGEST_AUTHORITY: usize = 1024;

pub(crate) static RULES: &[Rule] = &[
    Rule {
        name: "url-password",
        kind: "url-password",
        password: true,
        catches: "postgres://app:s3cr3tPw@db.internal:5432/app",
        spares: "postgres://user:password@localhost/db",
    },
    Rule {
        name: "url-token",
        kind: "url-token",
        password: false,
        catches: "https://Xk29vQmZ7LpR4tYwB3@git.internal/repo.git",
        spares: "https://git@git.internal/repo.git",
    },
];

/// `at` is at `://`.
pub(crate) fn scan(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let start = at + 3;
    if !text::is(text::before(text, at), ALNUM) {
        return start;
    }
    let limit = text.len().min(start + LONGEST_AUTHORITY);
    let mut end = start;
    let mut slash = None;
    let mut sign = None;
    while end < limit {
        match text[end] {
            // A password may hold an unescaped `/` or `#`; a path rarely holds an `@` before a host.
            b'@' if slash.is_none() || is_database(text, at) && sign.is_none() => sign = Some(end),
            b'/' | b'?' | b'#' if slash.is_none() => {
                slash = Some(end);
                if sign.is_some() || !is_database(text, at) {
                    break;
                }
            }
            b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'|' => break,
            b if b <= b' ' || b == 0x7f => break,
            _ => {}
        }
        end += 1;
    }
    let Some(sign) = sign else { return start };
    let info = &text[start..sign];
    let next = text::at(text, sign + 1);
    if !(text::is(next, ALNUM) || matches!(next, b'[' | b'$' | b'{' | b'/' | b'(' | b'<' | b'%')) {
        return start;
    }
    match memchr::memchr(b':', info) {
        Some(colon) => {
            let password = &info[colon + 1..];
            if password.is_empty() || is_example(&info[..colon], password) {
                return sign;
            }
            scan.hits.push(Hit::new(start + colon + 1, sign, &RULES[0]));
        }
        None if info.len() >= 16 && Shape::of(info).is_opaque() && !holes::is_placeholder(info) => {
            scan.hits.push(Hit::new(start, sign, &RULES[1]));
        }
        None => {}
    }
    sign
}

fn is_database(text: &[u8], at: usize) -> bool {
    [
        &b"postgres"[..],
        b"postgresql",
        b"mysql",
        b"mongodb",
        b"mongodb+srv",
        b"redis",
        b"rediss",
        b"amqp",
        b"amqps",
        b"mariadb",
        b"mssql",
        b"sqlserver",
        b"clickhouse",
    ]
    .iter()
    .any(|scheme| at >= scheme.len() && text[at - scheme.len()..at].eq_ignore_ascii_case(scheme))
}

fn is_example(user: &[u8], password: &[u8]) -> bool {
    holes::is_placeholder(password)
        || password.iter().all(|&b| b == b'*' || b == b'.')
        // The documentation's pair: user:pass, foo:bar, alice:bob.
        || password.len() <= 4 && password.iter().all(|&b| text::is(b, text::LOWER))
        || user.eq_ignore_ascii_case(password)
        // {password}, prefix{0}: a hole for a format.
        || memchr::memchr(b'{', password).is_some_and(|open| {
            memchr::memchr(b'}', &password[open..]).is_some_and(|close| {
                password[open + 1..open + close].iter().all(|&b| text::is(b, text::NAME)) && Shape::of(password).flips <= 2
            })
        })
}
