//! Where a value ends, and whether it can be a secret: no placeholder, no reference, no code.
//! Whether it *is* one depends on the name beside it, which the callers know.

use std::sync::OnceLock;

use crate::likeness::Shape;
use crate::text::{self, ALNUM, ALPHA, DIGIT, JOINER, LOWER, NAME, STOP, UPPER};

/// Longer than any credential that is not a key file; a longer run is data.
pub(crate) const LONGEST_VALUE: usize = 4096;

/// A value as it stands in the text, without its quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value {
    pub start: usize,
    pub end: usize,
    pub quoted: bool,
}

/// How an unquoted value ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// At a blank or any punctuation that closes things.
    Punctuation,
    /// At a blank only: an environment file, a command line.
    Blank,
}

/// Reads the value at `from`, after blanks were skipped.
pub(crate) fn read(text: &[u8], from: usize, ending: Ending) -> Option<Value> {
    let mut at = from;
    // Prefixes of string literals: r"…", b"…", f"…", @"…", L"…", u8"…".
    if text::is(text::at(text, at), ALPHA) || matches!(text::at(text, at), b'@' | b'$') {
        let next = text::at(text, at + 1);
        if matches!(text[at], b'r' | b'b' | b'f' | b'u' | b'L' | b'@' | b'$' | b'R' | b'N' | b'E')
            && matches!(next, b'"' | b'\'')
        {
            at += 1;
        }
    }
    let slashes = text::run_end_of(text, at, b'\\', 8) - at;
    let quote = text::at(text, at + slashes);
    if matches!(quote, b'"' | b'\'' | b'`') {
        return Some(quoted(text, at + slashes, slashes, quote));
    }
    let start = from;
    let limit = text.len().min(start + LONGEST_VALUE);
    let mut end = start;
    while end < limit {
        let byte = text[end];
        if byte == b'\\' && matches!(text::at(text, end + 1), b'n' | b'r' | b't' | b'"' | b'\'' | b'\\') {
            break;
        }
        if text::is(byte, STOP) {
            let closes = match ending {
                Ending::Punctuation => true,
                Ending::Blank => byte <= b' ' || byte == 0x7f || matches!(byte, b'"' | b'\'' | b'`'),
            };
            if closes {
                break;
            }
        }
        if byte == b'[' && text::starts_with(text, end, crate::mask::OPENING) {
            break;
        }
        end += 1;
    }
    if ending == Ending::Blank {
        while end > start
            && (matches!(text[end - 1], b',' | b';')
                || matches!(text[end - 1], b')' | b']' | b'}')
                    && !text[start..end - 1].contains(&opening(text[end - 1])))
        {
            end -= 1;
        }
    }
    (end > start).then_some(Value { start, end, quoted: false })
}

fn opening(closing: u8) -> u8 {
    match closing {
        b')' => b'(',
        b']' => b'[',
        _ => b'{',
    }
}

fn quoted(text: &[u8], quote_at: usize, slashes: usize, quote: u8) -> Value {
    let mut start = quote_at + 1;
    // Triple quotes of Python and friends.
    if slashes == 0 && text::at(text, start) == quote && text::at(text, start + 1) == quote {
        start += 2;
    }
    let limit = text.len().min(start + LONGEST_VALUE);
    let mut from = start;
    loop {
        let window = &text[from.min(limit)..limit];
        let Some(found) = memchr::memchr2(quote, b'\n', window) else {
            return Value { start, end: limit, quoted: true };
        };
        let at = from + found;
        if text[at] == b'\n' {
            let end = if at > start && text[at - 1] == b'\r' { at - 1 } else { at };
            return Value { start, end, quoted: true };
        }
        let back = at - text::run_start_of(text, at, b'\\', at - start);
        // The closing quote is escaped as deeply as the opening one; a deeper one belongs to the value.
        if back <= slashes {
            return Value { start, end: at - back, quoted: true };
        }
        from = at + 1;
    }
}

/// True for what stands where a secret would: a hole to fill, a reference, an example.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    let trimmed = value.trim_ascii();
    let Some(&first) = trimmed.first() else { return true };
    let last = trimmed[trimmed.len() - 1];
    if memchr::memchr_iter(b'[', trimmed).any(|at| trimmed[at..].starts_with(crate::mask::OPENING)) {
        return true;
    }
    if is_vocabulary(trimmed) || is_reference(trimmed, first, last) || is_repetitive(trimmed) {
        return true;
    }
    #[rustfmt::skip]
    const HOLES: &[&[u8]] = &[
        b"example", b"changeme", b"change_me", b"change-me", b"changethis", b"change_this", b"change-this",
        b"placeholder", b"your_", b"your-", b"yourpass", b"yoursecret", b"yourtoken", b"yourapi",
        b"yourkey", b"your ", b"replace", b"insert_", b"insert-", b"xxxx", b"dummy", b"redacted",
        b"not-a-real", b"notareal", b"fill_me", b"fill-me", b"todo", b"fixme", b"sample", b"<", b"...",
        b"\xe2\x80\xa6", b"_here", b"-here", b"****", b"goes-here", b"some_", b"some-", b"put_",
        b"my_api_key", b"enter_", b"enter-", b"********",
    ];
    if trimmed.len() <= 80 {
        // Most holes have a letter that the value has not: that is seen without searching for them.
        const LETTERS: [u32; HOLES.len()] = {
            let mut letters = [0; HOLES.len()];
            let mut at = 0;
            while at < letters.len() {
                letters[at] = text::letters(HOLES[at]);
                at += 1;
            }
            letters
        };
        let letters = text::letters(trimmed);
        for (hole, wanted) in HOLES.iter().zip(LETTERS) {
            if letters & wanted == wanted && text::contains_folded(trimmed, hole) {
                return true;
            }
        }
    } else if trimmed.ends_with(b"EXAMPLE") || trimmed.ends_with(b"EXAMPLEKEY") {
        return true;
    }
    false
}

/// `$VAR`, `${VAR}`, `{{ var }}`, `<name>`, `%VAR%`, `process.env.X`, `vault:…`: the secret is elsewhere.
fn is_reference(value: &[u8], first: u8, last: u8) -> bool {
    match first {
        b'$' => {
            let second = text::at(value, 1);
            if matches!(second, b'{' | b'(' | b'[') {
                return true;
            }
            let rest = &value[1..];
            let name = text::run_end(rest, 0, ALNUM | JOINER, rest.len());
            let all_name = name == rest.len() && !rest.is_empty();
            let environment = rest.iter().all(|&b| text::is(b, UPPER | DIGIT) || b == b'_');
            let shape = Shape::of(rest);
            let variable = shape.digits == 0 || rest.len() < 3 || shape.humps > 0 && shape.is_wordy();
            if all_name && (environment || variable) || matches!(value, b"$@" | b"$*" | b"$?" | b"$$") {
                return true;
            }
            // PHP, PowerShell and shell paths: $config['x'], $env:NAME, $this->x
            if rest.starts_with(b"env:")
                || memchr::memmem::find(rest, b"->").is_some()
                || rest.contains(&b'[')
            {
                return true;
            }
        }
        // Jenkins keeps what it encrypted in braces.
        b'{' if last == b'}' => {
            return !Shape::of(&value[1..value.len() - 1]).is_opaque() || value.len() < 24;
        }
        b'<' if last == b'>' => return true,
        b'[' if last == b']' => return true,
        b'(' if last == b')' => return true,
        b'%' => {
            let conversion = value.len() <= 3 && text::is(last, ALPHA);
            // %NAME% is a variable; %l33tW0rd% is somebody's taste.
            let inside = &value[1..value.len().max(2) - 1];
            let named = last == b'%'
                && (!inside.iter().any(|&b| text::is(b, DIGIT))
                    || !inside.iter().any(|&b| text::is(b, LOWER)));
            if named || text::at(value, 1) == b'(' || conversion || text::at(value, 1) == b'{' {
                return true;
            }
        }
        b'#' if text::at(value, 1) == b'{' => return true,
        b'@' if value.len() > 2 && value[1..].iter().all(|&b| text::is(b, UPPER | DIGIT) || b == b'_') => {
            return true;
        }
        b'@' if matches!(text::at(value, 1), b'{' | b'@')
            || text::starts_with(value, 0, b"@Microsoft.KeyVault") =>
        {
            return true;
        }
        b'!' if value[1..].iter().all(|&b| text::is(b, ALPHA)) && value.len() > 2 => return true,
        _ => {}
    }
    if value.windows(2).any(|pair| matches!(pair, b"${" | b"$(" | b"{{" | b"#{")) {
        return true;
    }
    #[rustfmt::skip]
    const REFERENCES: &[&[u8]] = &[
        b"process.env", b"os.environ", b"os.getenv", b"import.meta.env", b"system.getenv", b"env.",
        b"env(", b"env[", b"getenv", b"secrets.", b"vars.", b"vault:", b"op://", b"ref+", b"arn:aws",
        b"projects/", b"ssm:", b"secretsmanager:", b"keyring:", b"config.", b"self.", b"this.",
        b"settings.", b"data.", b"var.", b"local.", b"module.", b"args.", b"opts.", b"options.",
        b"params.", b"req.", b"request.", b"ctx.", b"std::", b"env!(", b"file:", b"/run/secrets",
        b"awskms:", b"gcp:", b"akv:", b"enc[", b"@env", b"credentials.", b"user.", b"props.", b"state.",
        b"input.", b"event.", b"context.", b"app.", b"cfg.", b"conf.",
    ];
    REFERENCES.iter().any(|reference| {
        reference[0] == first.to_ascii_lowercase() && text::starts_with_folded(value, 0, reference)
    })
}

/// `xxxx`, `0000`, `abcabc`, `123456789`, `abcdefgh`.
pub(crate) fn is_repetitive(value: &[u8]) -> bool {
    let judged = &value[..value.len().min(96)];
    if judged.len() < 3 {
        return false;
    }
    let mut seen = [0u64; 4];
    let mut distinct = 0;
    let mut runs = 0;
    for (index, &byte) in judged.iter().enumerate() {
        let bit = 1u64 << (byte & 63);
        if seen[usize::from(byte >> 6)] & bit == 0 {
            seen[usize::from(byte >> 6)] |= bit;
            distinct += 1;
        }
        if index > 0 {
            let step = i16::from(byte) - i16::from(judged[index - 1]);
            if matches!(step, -1..=1)
                || (judged[index - 1] == b'9' && matches!(byte, b'0' | b'a' | b'A'))
                || (judged[index - 1] == b'z' && byte == b'0')
            {
                runs += 1;
            }
        }
    }
    if distinct <= 2 || judged.len() >= 16 && distinct <= 4 {
        return true;
    }
    // Digits in order are somebody's password; longer orderly runs are nobody's key.
    judged.len() >= 10 && runs * 4 >= (judged.len() - 1) * 3
}

/// Every word of it is a word people write where the secret should go.
fn is_vocabulary(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&[u8]] = &[
        b"password", b"passwords", b"passwd", b"passphrase", b"passcode", b"pass", b"pwd", b"pw",
        b"secret", b"secrets", b"token", b"tokens", b"key", b"keys", b"apikey", b"api", b"auth", b"access",
        b"user", b"username", b"name", b"my", b"your", b"the", b"an", b"a", b"here", b"example", b"test",
        b"testing", b"tests", b"demo", b"foo", b"bar", b"baz", b"qux", b"quux", b"value", b"string",
        b"str", b"text", b"none", b"null", b"nil", b"true", b"false", b"undefined", b"empty", b"required",
        b"optional", b"hidden", b"default", b"db", b"database", b"client", b"private", b"public", b"id",
        b"bearer", b"new", b"old", b"some", b"any", b"this", b"is", b"not", b"real", b"set", b"enter",
        b"input", b"type", b"field", b"env", b"var", b"variable", b"variables", b"credential",
        b"credentials", b"cred", b"creds", b"super", b"app", b"application", b"service", b"account",
        b"login", b"email", b"mail", b"hash", b"hashed", b"salt", b"encrypted", b"plaintext", b"plain",
        b"raw", b"signing", b"encryption", b"session", b"cookie", b"jwt", b"oauth", b"oauth2", b"refresh",
        b"csrf", b"xsrf", b"webhook", b"url", b"uri", b"config", b"configuration", b"bytes", b"byte",
        b"int", b"integer", b"bool", b"boolean", b"number", b"object", b"array", b"list", b"dict", b"map",
        b"any", b"void", b"self", b"function", b"generate", b"generated", b"random", b"and", b"or", b"for",
        b"of", b"in", b"to", b"from", b"with", b"no", b"yes", b"on", b"off", b"basic", b"digest",
        b"redacted", b"masked", b"confirm", b"confirmation", b"current", b"invalid", b"valid", b"wrong",
        b"correct", b"missing", b"incorrect", b"forgot", b"reset", b"change", b"show", b"hide", b"update",
        b"create", b"delete", b"get", b"file", b"path", b"me", b"please", b"enabled", b"disabled",
        b"manager", b"provider", b"store", b"master", b"server", b"host", b"root", b"github", b"gitlab",
        b"aws", b"google", b"azure", b"slack", b"stripe", b"openai", b"anthropic", b"npm", b"docker",
        b"admin", b"guest", b"temp", b"temporary", b"tbd", b"na", b"mypassword", b"mypass", b"mysecret", b"mytoken",
        b"mykey", b"passwort", b"kennwort", b"wachtwoord", b"contrasena", b"senha", b"parola", b"heslo", b"haslo", b"unknown", b"never", b"varchar", b"encrypted", b"option", b"instead", b"argument", b"flag",
        b"parameter", b"prompt", b"stdin", b"ask", b"interactive",
    ];
    static INITIALS: OnceLock<[Vec<&[u8]>; 26]> = OnceLock::new();
    let initials = INITIALS.get_or_init(|| {
        std::array::from_fn(|letter| {
            WORDS.iter().copied().filter(|word| word[0] == b'a' + letter as u8).collect()
        })
    });
    let mut at = 0;
    let mut words = 0;
    while at < value.len() {
        let byte = value[at];
        if text::is(byte, JOINER) || matches!(byte, b' ' | b':' | b'/' | b'!' | b'?' | b'*') {
            at += 1;
            continue;
        }
        // `test-token-123`: a number after words that say it is none.
        if text::is(byte, DIGIT) && words >= 2 && text::contains_folded(value, b"test") {
            at = text::run_end(value, at, DIGIT, value.len());
            continue;
        }
        let words_of = initials.get(usize::from(byte.to_ascii_lowercase().wrapping_sub(b'a')));
        let longest = words_of
            .into_iter()
            .flatten()
            .filter(|word| text::starts_with_folded(value, at, word))
            .map(|word| word.len())
            .max();
        let Some(longest) = longest else { return false };
        // One or two letters are words only when they stand alone.
        if longest <= 2 && text::is(text::at(value, at + longest), ALPHA) {
            return false;
        }
        at += longest;
        words += 1;
        if words > 12 {
            return false;
        }
    }
    words > 0
}

/// True when an unquoted value reads as program text: a call, a path of names, a type, a number.
pub(crate) fn is_code(value: &[u8]) -> bool {
    let first = value[0];
    if matches!(
        first,
        b'(' | b'[' | b'{' | b'&' | b'*' | b'!' | b'~' | b'|' | b'=' | b'\\' | b'?' | b'^' | b'/'
    ) && value.len() > 1
        && !text::is(value[value.len() - 1], DIGIT)
        && (matches!(first, b'(' | b'[' | b'{')
            || value[value.len() - 1] != first && Shape::of(value).flips < 3)
    {
        let rest_is_name = value[1..].iter().all(|&b| {
            text::is(b, NAME)
                || matches!(b, b'/' | b':' | b'(' | b')' | b'[' | b']' | b'&' | b'*' | b'{' | b'}' | b'!')
        });
        if rest_is_name {
            return true;
        }
    }
    let name_end = value.iter().position(|&b| !text::is(b, NAME) && b != b'$').unwrap_or(value.len());
    if name_end > 0 && name_end < value.len() && !text::is(first, DIGIT) {
        // name(…, name[…, name::name, name->name, name!(
        let next = value[name_end];
        let after = text::at(value, name_end + 1);
        if matches!(next, b'(' | b'[' | b'{')
            || next == b':' && after == b':'
            || next == b'-' && after == b'>'
            || next == b'!' && matches!(after, b'(' | b'[')
        {
            return true;
        }
    }
    if name_end == value.len() && value.contains(&b'.') {
        // a.b.c is a path of names, unless a part is opaque.
        let parts_are_names = value.split(|&b| b == b'.').all(|part| {
            part.first().is_some_and(|&b| text::is(b, ALPHA) || b == b'_') && !Shape::of(part).is_opaque()
        });
        // Blue.Whale77: capitals and a number are how people make words into a password.
        let shape = Shape::of(value);
        let made = shape.joiners == 1
            && shape.upper == 2
            && shape.digits >= 2
            && text::is(value[value.len() - 1], DIGIT);
        if parts_are_names && !made {
            return true;
        }
    }
    if value.len() > 2
        && value[0] == b'0'
        && matches!(value[1], b'x' | b'X' | b'b' | b'o')
        && text::run_end(value, 2, text::HEX, 40).max(3) >= value.len().min(40).saturating_sub(6)
        && value.len() <= 24
    {
        // 0x8031005C, 0xFFu32
        return true;
    }
    value
        .iter()
        .all(|&b| text::is(b, DIGIT) || matches!(b, b'.' | b'-' | b':' | b'+' | b'x' | b'_' | b'e' | b'%'))
        && value.len() < 6
}

/// Shapes that are somebody's identifier, never their secret.
pub(crate) fn is_plain_identifier(value: &[u8]) -> bool {
    is_uuid(value) || is_version_or_time(value) || is_path(value)
}

pub(crate) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(index, &b)| {
            if matches!(index, 8 | 13 | 18 | 23) { b == b'-' } else { text::is(b, text::HEX) }
        })
}

fn is_version_or_time(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"v").unwrap_or(value);
    value.first().is_some_and(|&b| text::is(b, DIGIT))
        && value.iter().filter(|&&b| text::is(b, ALPHA)).count() <= 5
        && value
            .iter()
            .all(|&b| text::is(b, ALNUM) || matches!(b, b'.' | b'-' | b':' | b'+' | b'/' | b' ' | b'_'))
        && value.iter().filter(|&&b| matches!(b, b'.' | b'-' | b':')).count() >= 2
        && value.split(|&b| !text::is(b, DIGIT)).all(|digits| digits.len() <= 6)
}

fn is_path(value: &[u8]) -> bool {
    if value.starts_with(b"./")
        || value.starts_with(b"../")
        || value.starts_with(b"~/")
        || text::contains_folded(value, b"://")
    {
        return true;
    }
    let slashes = text::count(value, b'/');
    let backslashes = text::count(value, b'\\');
    if backslashes >= 2
        && value.split(|&b| b == b'\\').filter(|part| part.len() > 3).all(|part| !Shape::of(part).is_opaque())
    {
        return true;
    }
    if slashes == 0 {
        return has_file_ending(value);
    }
    if value.len() > 200 {
        return false;
    }
    // Base64 also has slashes; a path has words between them.
    let wordy = value
        .split(|&b| b == b'/')
        .filter(|part| part.len() > 2)
        .filter(|part| !Shape::of(part).is_opaque())
        .count();
    let parts = value.split(|&b| b == b'/').filter(|part| part.len() > 2).count();
    (value[0] == b'/' || slashes >= 2 || has_file_ending(value))
        && wordy == parts
        && Shape::of(value).surprise < 5.0
}

fn has_file_ending(value: &[u8]) -> bool {
    let Some(dot) = memchr::memrchr(b'.', value) else { return false };
    #[rustfmt::skip]
    const ENDINGS: &[&[u8]] = &[
        b"txt", b"json", b"yaml", b"yml", b"toml", b"xml", b"pem", b"key", b"crt", b"cer", b"env", b"cfg",
        b"conf", b"ini", b"js", b"ts", b"tsx", b"jsx", b"py", b"rs", b"go", b"java", b"rb", b"php",
        b"html", b"css", b"scss", b"md", b"sh", b"sql", b"db", b"log", b"csv", b"png", b"jpg", b"svg",
        b"com", b"org", b"net", b"io", b"dev", b"vue", b"kt", b"cs", b"cpp", b"h", b"c", b"lock", b"gz",
        b"zip", b"pub", b"p12", b"jks", b"pfx",
    ];
    dot > 0
        && ENDINGS.iter().any(|ending| value[dot + 1..].eq_ignore_ascii_case(ending))
        && !Shape::of(&value[..dot]).is_opaque()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_no_secrets() {
        for hole in [
            "<your-api-key>",
            "${DB_PASSWORD}",
            "$PASSWORD",
            "{{ password }}",
            "xxxxxxxx",
            "changeme",
            "process.env.TOKEN",
            "your-password-here",
            "my_secret_key",
            "password",
            "********",
            "%s",
            "%(password)s",
            "os.environ[\"X\"]",
            "AKIAIOSFODNN7EXAMPLE",
        ] {
            assert!(is_placeholder(hole.as_bytes()), "{hole}");
        }
        for value in
            ["hunter2", "S3cr3t!", "correct-horse-battery-staple", "P@ssw0rd123", "$ecure1!", "k8sPa55"]
        {
            assert!(!is_placeholder(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn code_is_no_secret() {
        for code in [
            "get_password()",
            "self.password",
            "config.db.password",
            "args[0]",
            "Option<String>",
            "std::env::var",
            "&password",
        ] {
            let value = read(code.as_bytes(), 0, Ending::Blank).unwrap();
            let value = &code.as_bytes()[value.start..value.end];
            assert!(is_code(value) || is_placeholder(value), "{code}");
        }
    }

    #[test]
    fn quotes_close_as_they_opened() {
        let text = br#"\"a\\\"b\" "#;
        let value = read(text, 0, Ending::Punctuation).unwrap();
        assert_eq!(&text[value.start..value.end], br#"a\\\"b"#);
    }
}
