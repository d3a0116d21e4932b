//! Base64 undone once: a credential written in it is still a credential. Two levels are never undone,
//! for a blob inside a blob is no longer something a reader would use.

use crate::hit::{Hit, Rule};
use crate::scan::{self, Scan};
use crate::text::{self, ALNUM, BASE64};

/// A run longer than this is a file, not a credential.
const LONGEST_RUN: usize = 16 * 1024;

/// How telling words begin in base64, at each of the three alignments where that is distinctive.
#[rustfmt::skip]
pub(crate) const ANCHORS: &[&str] = &[
    "LS0tLS1CRUdJTi", "0tLS0tQkVHSU4", "tLS0tLUJFR0lO", "cGFzc3dvcm", "Bhc3N3b3Jk", "wYXNzd29yZ",
    "UEFTU1dPUk", "BBU1NXT1JE", "QQVNTV09SR", "c2VjcmV0", "NlY3JldA", "zZWNyZX", "U0VDUkVU", "NFQ1JFV",
    "TRUNSRV", "dG9rZW4", "Rva2Vu", "0b2tlb", "VE9LRU", "RPS0VO", "UT0tFT", "YXBpX2tle", "FwaV9rZX",
    "hcGlfa2V5", "QVBJX0tFW", "FQSV9LRV", "BUElfS0VZ", "Z2hwX", "Z2hvX", "Z2hzX", "Z2l0aHViX3BhdF",
    "c2stYW50", "c2stcHJva", "c2tfbGl2Z", "QUtJQ", "QVNJQ", "eG94Yi", "eG94cC", "Z2xwYXQt",
    "cG9zdGdyZXM6Ly", "cG9zdGdyZXNxbDovL", "bXlzcWw6Ly", "bW9uZ29kYj", "bW9uZ29kYitzcn", "cmVkaXM6Ly",
    "YW1xcDovL", "ZXlKaGJHY2lPa",
];

pub(crate) static RULES: &[Rule] = &[Rule {
    name: "encoded-credential",
    kind: "encoded-secret",
    password: false,
    catches: "payload cGFzc3dvcmQ9aHVudGVyMi1yYWJiaXQ=",
    spares: "payload cGFzc3dvcmQgcmVzZXQgcGFnZQ==",
}];

pub(crate) fn scan(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    if scan.depth > 0 || at < scan.encoded_until {
        return at + 4;
    }
    let start = text::run_start(text, at, ALNUM | BASE64, LONGEST_RUN);
    let start = start + text[start..at].iter().take_while(|&&b| b == b'=').count();
    let end = text::run_end(text, at, ALNUM | BASE64 | text::JOINER, LONGEST_RUN);
    scan.encoded_until = end;
    let run = &text[start..end];
    if !(16..LONGEST_RUN).contains(&run.len()) {
        return end;
    }
    let Some(plain) = decode(run) else { return end };
    if scan::scan(&plain, scan.depth + 1).is_empty() {
        return end;
    }
    scan.hits.push(Hit::new(start, end, &RULES[0]));
    end
}

/// Decodes base64 of either alphabet, padded or not; `None` for anything else, and for what is not text.
pub(crate) fn decode(encoded: &[u8]) -> Option<Vec<u8>> {
    let body = encoded.trim_ascii_end();
    let body = &body[..body.iter().rposition(|&b| b != b'=').map_or(0, |last| last + 1)];
    if body.len() < 4 || body.len() % 4 == 1 {
        return None;
    }
    let mut plain = Vec::with_capacity(body.len() / 4 * 3 + 2);
    let mut bits = 0u32;
    let mut held = 0;
    for &byte in body {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            plain.push((bits >> held) as u8);
        }
    }
    std::str::from_utf8(&plain).is_ok().then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_are_decoded() {
        assert_eq!(decode(b"YWRtaW46czNjcjN0UHc=").as_deref(), Some(&b"admin:s3cr3tPw"[..]));
        assert_eq!(decode(b"Pz8_Pz8-").as_deref(), Some(&b"??????>"[..6]).map(|_| &b"?????>"[..]));
        assert_eq!(decode(b"not base64!"), None);
    }
}
