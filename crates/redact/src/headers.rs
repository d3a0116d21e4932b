//! HTTP headers and the tokens they carry: `Authorization`, `Cookie`, bearer tokens, JWTs.

use crate::encoded;
use crate::expression;
use crate::hit::{Hit, Rule};
use crate::holes;
use crate::likeness::Shape;
use crate::scan::Scan;
use crate::text::{self, ALNUM, BASE64, JOINER};
use crate::value;

pub(crate) const WORDS: &[&str] =
    &["authorization", "cookie:", "cookie\":", "cookie'", "bearer ", "basic ", "digest username"];

/// A header line; cookies are limited to 8 KB by every server.
const LONGEST_HEADER: usize = 8192;
const LONGEST_JWT: usize = 16 * 1024;

pub(crate) static RULES: &[Rule] = &[
    Rule {
        name: "authorization-header",
        kind: "authorization",
        password: false,
        catches: "Authorization: Token q8Zr4vLx91Tn",
        spares: "Authorization: Bearer <token>",
    },
    Rule {
        name: "cookie-header",
        kind: "cookie",
        password: false,
        catches: "Cookie: sid=q8Zr4vLx91Tnqq; theme=dark",
        spares: "Cookie: theme=dark; lang=en",
    },
    Rule {
        name: "bearer-token",
        kind: "bearer",
        password: false,
        catches: "curl -H 'X-A: Bearer Xk29vQmZ7LpR4tYw'",
        spares: "a bearer token is sent",
    },
    Rule {
        name: "basic-credentials",
        kind: "basic-auth",
        password: false,
        catches: "proxy: Basic YWRtaW46czNjcjN0UHc=",
        spares: "Basic authentication is off",
    },
    Rule {
        name: "jwt",
        kind: "jwt",
        password: false,
        catches: "t eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiIsImlhdCI6MTUxNn0.q8Zr4vLx91Tn_2sB7-xKq8Zr4vLx91Tn",
        spares: "the prefix eyJ begins a token",
    },
];

pub(crate) fn scan(scan: &mut Scan<'_>, at: usize, word: &[u8]) -> usize {
    let text = scan.text;
    match word[0] {
        b'a' => authorization(scan, at + word.len()),
        b'c' => cookies(scan, at),
        b'd' => digest(scan, at),
        _ if !text::begins_token(text, at) => at + 1,
        b'b' if word[1] == b'e' => bearer(scan, at + word.len()),
        _ => basic(scan, at + word.len()),
    }
}

/// After the name of the header: operator, scheme, credentials.
fn authorization(scan: &mut Scan<'_>, from: usize) -> usize {
    let text = scan.text;
    let mut at = text::run_end_of(text, from, b'\\', 4);
    while matches!(text::at(text, at), b'"' | b'\'' | b']' | b')') {
        at += 1;
    }
    at = text::skip_blank(text, at, 16);
    let operator = text::at(text, at);
    if matches!(operator, b':' | b'=' | b',') {
        at += 1;
        if matches!(text::at(text, at), b'>' | b'=') {
            at += 1;
        }
    } else if !matches!(operator, b'"' | b'\'') {
        // A quote alone is nginx: proxy_set_header Authorization "Basic …";
        return from;
    }
    at = text::skip_blank(text, at, 16);
    at = text::run_end_of(text, at, b'\\', 4);
    let quoted = matches!(text::at(text, at), b'"' | b'\'' | b'`');
    if quoted {
        at += 1;
    }
    let (scheme_end, scheme) = scheme(text, at);
    let start = text::skip_blank(text, scheme_end, 8);
    let end = credential_end(text, start);
    if end <= start {
        return from;
    }
    let credential = &text[start..end];
    if holes::is_placeholder(credential) || expression::is_code(credential) && !quoted {
        return from;
    }
    let shape = Shape::of(credential);
    let believed = if scheme {
        credential.len() >= 6
            && (shape.digits > 0
                || shape.surprise > 4.9
                || shape.upper > 0 && shape.lower > 0 && !shape.is_wordy())
    } else {
        shape.is_opaque()
    };
    if !believed {
        return from;
    }
    scan.hits.push(Hit::new(start, end, &RULES[0]));
    end
}

fn scheme(text: &[u8], at: usize) -> (usize, bool) {
    for scheme in [
        &b"bearer"[..],
        b"basic",
        b"token",
        b"apikey",
        b"api-key",
        b"key",
        b"negotiate",
        b"ntlm",
        b"oauth",
        b"bot",
        b"splunk",
        b"genie",
        b"pve",
        b"sso-key",
        b"digest",
        b"apikey-v1",
        b"snowflake",
        b"ssws",
        b"zoho-oauthtoken",
        b"googlelogin",
        b"aws4-hmac-sha256",
        b"hmac",
        b"pat",
    ] {
        if text::starts_with_folded(text, at, scheme) {
            let end = at + scheme.len();
            if text::is(text::at(text, end), text::BLANK) {
                return (end, true);
            }
            if text::starts_with_folded(text, end, b"%20") {
                return (end + 3, true);
            }
        }
    }
    (at, false)
}

fn credential_end(text: &[u8], start: usize) -> usize {
    let limit = text.len().min(start + LONGEST_HEADER);
    let mut end = start;
    while end < limit
        && (text::is(text[end], ALNUM | JOINER | BASE64)
            || matches!(text[end], b'~' | b':' | b'!' | b'%' | b'@' | b'$' | b'|'))
    {
        end += 1;
    }
    while end > start && matches!(text[end - 1], b'.' | b':') {
        end -= 1;
    }
    end
}

fn bearer(scan: &mut Scan<'_>, from: usize) -> usize {
    let text = scan.text;
    let start = text::skip_blank(text, from, 8);
    let end = credential_end(text, start);
    if end - start < 12 {
        return from;
    }
    let token = &text[start..end];
    let shape = Shape::of(token);
    if holes::is_placeholder(token)
        || expression::is_code(token)
        || !(shape.is_opaque() || value::is_uuid(token))
    {
        return from;
    }
    scan.hits.push(Hit::new(start, end, &RULES[2]));
    end
}

fn basic(scan: &mut Scan<'_>, from: usize) -> usize {
    let text = scan.text;
    let end = text::run_end(text, from, ALNUM | BASE64 | JOINER, 2048);
    let Some(plain) = encoded::decode(&text[from..end]) else { return from };
    if plain.len() < 4
        || !plain.contains(&b':')
        || !plain.iter().all(|&b| b.is_ascii_graphic() || b == b' ' || b >= 0x80)
    {
        return from;
    }
    scan.hits.push(Hit::new(from, end, &RULES[3]));
    end
}

/// `Authorization: Digest username="…", response="…"`
fn digest(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let end = text::line_end(text, at, 1024);
    let Some(found) = memchr::memmem::find(&text[at..end], b"response=\"") else { return at + 6 };
    let start = at + found + 10;
    let stop = text::run_end(text, start, ALNUM, 128);
    if stop - start < 16 {
        return at + 6;
    }
    scan.hits.push(Hit::new(start, stop, &RULES[0]));
    stop
}

/// `Cookie: a=b; c=d` and `Set-Cookie: a=b; Path=/`. Names stay, and values too short to open anything.
fn cookies(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let from = at + 6;
    let mut at = from;
    while matches!(text::at(text, at), b'"' | b'\'' | b':' | b' ' | b'\\' | b'=') && at < from + 8 {
        at += 1;
    }
    let limit = text.len().min(at + LONGEST_HEADER);
    let mut resume = from;
    loop {
        let name_end = text::run_end(text, at, ALNUM | JOINER, 128);
        if name_end == at || text::at(text, name_end) != b'=' {
            return resume;
        }
        let name = &text[at..name_end];
        let start = name_end + 1;
        let mut end = start;
        while end < limit && !matches!(text[end], b';' | b'"' | b'\'' | b',' | b'\\') && text[end] > b' ' {
            end += 1;
        }
        let cookie = &text[start..end];
        if cookie.len() >= 6
            && !is_attribute(name)
            && !holes::is_placeholder(cookie)
            && is_cookie_secret(name, cookie)
        {
            scan.hits.push(Hit::new(start, end, &RULES[1]));
        }
        resume = end.max(from);
        if text::at(text, end) != b';' {
            return resume;
        }
        at = text::skip_blank(text, end + 1, 4);
    }
}

fn is_attribute(name: &[u8]) -> bool {
    [&b"path"[..], b"domain", b"expires", b"max-age", b"samesite", b"version", b"priority"]
        .iter()
        .any(|word| name.eq_ignore_ascii_case(word))
}

fn is_cookie_secret(name: &[u8], cookie: &[u8]) -> bool {
    let shape = Shape::of(cookie);
    let telling = [
        &b"sess"[..],
        b"sid",
        b"token",
        b"auth",
        b"jwt",
        b"login",
        b"remember",
        b"secret",
        b"csrf",
        b"xsrf",
        b"key",
        b"user",
    ]
    .iter()
    .any(|word| text::contains_folded(name, word));
    shape.is_opaque()
        || cookie.len() >= 16 && shape.digits > 0 && !shape.is_wordy()
        || telling && (shape.digits > 0 || shape.surprise > 5.0)
}

/// `at` is at `eyJ`: a JSON Web Token, whole or cut off in its second part.
pub(crate) fn jwt(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    if !text::begins_token(text, at) {
        return at + 3;
    }
    let limit = text.len().min(at + LONGEST_JWT);
    let mut end = at;
    let mut dots = [0usize; 5];
    let mut parts = 0;
    while end < limit {
        let byte = text[end];
        if byte == b'.' && parts < 4 {
            dots[parts] = end;
            parts += 1;
        } else if !(text::is(byte, ALNUM) || matches!(byte, b'_' | b'-' | b'=')) {
            break;
        }
        end += 1;
    }
    while end > at && text[end - 1] == b'.' && parts > 2 {
        end -= 1;
        parts -= 1;
    }
    if parts == 0 {
        return at + 3;
    }
    let header = &text[at..dots[0]];
    if header.len() < 15 || end - at < 40 {
        return at + 3;
    }
    let Some(plain) = encoded::decode(header) else { return at + 3 };
    let says = [&b"\"alg\""[..], b"\"typ\"", b"\"enc\"", b"\"kid\""]
        .iter()
        .any(|word| memchr::memmem::find(&plain, word).is_some());
    if !says || holes::is_repetitive(&text[dots[0] + 1..end]) {
        return at + 3;
    }
    scan.hits.push(Hit::new(at, end, &RULES[4]));
    end
}
