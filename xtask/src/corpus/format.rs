//! The grammar the format tables are written in, and the encodings they need.
//!
//! A grammar is literal text with fields: `{w20}` is twenty characters of class `w`, `{h8-16}` eight to sixteen
//! hexadecimal digits, `{uuid}` a word with its own rule. Because values exist only at run time, nothing in this
//! repository looks like a credential to a scanner.

use super::random::Random;
use std::fmt::Write as _;

const DIGITS: &str = "0123456789";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const BASE62: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The characters of one class letter.
fn class(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => DIGITS,
        'h' => "0123456789abcdef",
        'H' => "0123456789ABCDEF",
        'l' => LOWER,
        'u' => UPPER,
        'a' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        'n' => "0123456789abcdefghijklmnopqrstuvwxyz",
        'N' => "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        'w' => BASE62,
        'b' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        's' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        'k' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        'K' => "abcdefghijklmnopqrstuvwxyz234567",
        'c' => "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
        'C' => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        '5' => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
        _ => return None,
    })
}

/// Expands one grammar. Text in braces that is no field stays as it is, so JSON may be written plainly.
pub(crate) fn expand(grammar: &str, random: &mut Random) -> String {
    let mut out = String::with_capacity(grammar.len() * 2);
    let mut rest = grammar;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let tail = &rest[open + 1..];
        let Some(close) = tail.find('}') else {
            out.push_str(&rest[open..]);
            return out;
        };
        if let Some(text) = field(&tail[..close], random) {
            out.push_str(&text);
            rest = &tail[close + 1..];
        } else {
            out.push('{');
            rest = tail;
        }
    }
    out.push_str(rest);
    out
}

fn field(name: &str, random: &mut Random) -> Option<String> {
    match name {
        "uuid" => return Some(uuid(random)),
        "UUID" => return Some(uuid(random).to_uppercase()),
        "crc36" => return Some(checksummed(random)),
        "jwt" => return Some(jwt(random)),
        "date" => return Some(date(random)),
        "time" => return Some(format!("{}T{}Z", date(random), clock(random))),
        "clock" => return Some(clock(random)),
        "ip" => {
            return Some(format!(
                "10.{}.{}.{}",
                random.below(256),
                random.below(256),
                random.between(2, 250)
            ));
        }
        _ => {}
    }
    let mut characters = name.chars();
    let alphabet = class(characters.next()?)?;
    let counts = characters.as_str();
    let (low, high) = counts.split_once('-').unwrap_or((counts, counts));
    let length = random.between(low.parse().ok()?, high.parse().ok()?);
    Some(random.string(alphabet, length))
}

fn date(random: &mut Random) -> String {
    format!("20{:02}-{:02}-{:02}", random.between(21, 26), random.between(1, 12), random.between(1, 28))
}

fn clock(random: &mut Random) -> String {
    format!("{:02}:{:02}:{:02}", random.below(24), random.below(60), random.below(60))
}

fn uuid(random: &mut Random) -> String {
    expand("{h8}-{h4}-4{h3}-a{h3}-{h12}", random)
}

/// Thirty base-62 characters and their CRC-32 in six more: the scheme of GitHub and npm tokens.
fn checksummed(random: &mut Random) -> String {
    let body = random.string(BASE62, 30);
    let mut sum = crc32(body.as_bytes());
    let mut tail = [b'0'; 6];
    for digit in tail.iter_mut().rev() {
        *digit = BASE62.as_bytes()[(sum % 62) as usize];
        sum /= 62;
    }
    body + &String::from_utf8_lossy(&tail)
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    !sum
}

fn jwt(random: &mut Random) -> String {
    let header =
        random.pick(&[r#"{"alg":"HS256","typ":"JWT"}"#, r#"{"typ":"JWT","alg":"RS256","kid":"k1"}"#]);
    let payload =
        expand(r#"{"sub":"{d8}","name":"{l6}","iat":17{d8},"exp":18{d8},"role":"service"}"#, random);
    let signature = random.bytes(32);
    format!("{}.{}.{}", base64url(header.as_bytes()), base64url(payload.as_bytes()), base64url(&signature))
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for position in 0..4 {
            if position <= chunk.len() {
                out.push(char::from(BASE64[(word >> (18 - 6 * position)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

pub(crate) fn base64url(bytes: &[u8]) -> String {
    base64(bytes).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

/// Percent-encodes what a careful person encodes in the user part of a URL.
pub(crate) fn percent(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!*".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The inside of a JSON string.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if (control as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", control as u32);
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_agree_with_their_published_vectors() {
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
        assert_eq!(base64(b"foob"), "Zm9vYg==");
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(escape("a\"\n\u{1}"), "a\\\"\\n\\u0001");
    }

    #[test]
    fn fields_keep_their_length_and_braces_of_json_stay() {
        let mut random = Random::new(1, "t");
        assert_eq!(expand("ab{w20}", &mut random).len(), 22);
        assert_eq!(expand("{crc36}", &mut random).len(), 36);
        assert_eq!(expand("{\"k\": {}}", &mut random), "{\"k\": {}}");
    }
}
