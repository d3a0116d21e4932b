//! What stands where a secret would: a hole to fill, a reference, an example. A value is one only if all of it
//! is: a password with a `<`, a `${` or the word "example" somewhere inside is still a password.

use std::sync::OnceLock;

use crate::likeness::Shape;
use crate::text::{self, ALNUM, ALPHA, DIGIT, JOINER, LOWER, UPPER};

/// Longer values are no examples; only how they end is looked at.
const LONGEST_EXAMPLE: usize = 80;

pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    let trimmed = value.trim_ascii();
    if trimmed.is_empty() {
        return true;
    }
    if memchr::memchr_iter(b'[', trimmed).any(|at| trimmed[at..].starts_with(crate::mask::OPENING)) {
        return true;
    }
    is_vocabulary(trimmed)
        || is_reference(trimmed)
        || is_repetitive(trimmed)
        || is_enclosed(trimmed)
        || is_abbreviated(trimmed)
        || is_example(trimmed)
}

/// `abc...`, `sk-…`, `...`: not the value, but that there is one.
fn is_abbreviated(value: &[u8]) -> bool {
    value.starts_with(b"...")
        || value.ends_with(b"...")
        || value.starts_with("…".as_bytes())
        || value.ends_with("…".as_bytes())
        || value.len() <= 24
            && (memchr::memmem::find(value, b"...").is_some()
                || memchr::memmem::find(value, "…".as_bytes()).is_some())
}

/// A word that only examples have, and beside it nothing that could be a secret.
fn is_example(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const HOLES: &[&[u8]] = &[
        b"example", b"changeme", b"change_me", b"change-me", b"changethis", b"change_this", b"change-this",
        b"placeholder", b"your_", b"your-", b"yourpass", b"yoursecret", b"yourtoken", b"yourapi",
        b"yourkey", b"your ", b"replace", b"insert_", b"insert-", b"xxxx", b"dummy", b"redacted",
        b"not-a-real", b"notareal", b"fill_me", b"fill-me", b"todo", b"fixme", b"sample",
        b"_here", b"-here", b"****", b"goes-here", b"some_", b"some-", b"put_",
        b"my_api_key", b"enter_", b"enter-",
    ];
    if value.ends_with(b"EXAMPLE") || value.ends_with(b"EXAMPLEKEY") {
        return true;
    }
    if value.len() > LONGEST_EXAMPLE {
        return false;
    }
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
    let letters = text::letters(value);
    let mut holes = HOLES.iter().zip(LETTERS);
    holes.any(|(hole, wanted)| {
        letters & wanted == wanted && text::contains_folded(value, hole) && is_plain_around(value, hole)
    })
}

/// What is left of `value` without `hole` is nothing anybody would keep secret.
fn is_plain_around(value: &[u8], hole: &[u8]) -> bool {
    let mut rest = Vec::with_capacity(value.len());
    let mut at = 0;
    while at < value.len() {
        if text::starts_with_folded(value, at, hole) {
            at += hole.len();
            continue;
        }
        rest.push(value[at]);
        at += 1;
    }
    let shape = Shape::of(&rest);
    let symbols = rest.iter().filter(|b| b.is_ascii_punctuation() && !is_soft(**b)).count();
    rest.len() <= 4
        || symbols <= 1 && shape.digits <= 6 && shape.flips <= 3 && !shape.is_opaque()
        || shape.is_wordy() && symbols <= 2
}

/// Signs that words are joined and wrapped with.
fn is_soft(byte: u8) -> bool {
    text::is(byte, JOINER)
        || matches!(
            byte,
            b'<' | b'>' | b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'/' | b':' | b'*' | b'\'' | b'"'
        )
}

/// `<your key>`, `[hidden]`, `(none)`, `{password}`: brackets around words, perhaps cut off at a blank.
fn is_enclosed(value: &[u8]) -> bool {
    let close = match value[0] {
        b'<' => b'>',
        b'[' => b']',
        b'(' => b')',
        b'{' => b'}',
        _ => return false,
    };
    let inside = &value[1..];
    let inside = inside.strip_suffix(&[close]).unwrap_or(inside);
    is_words(inside)
}

/// Words and the signs between them; nothing of it is opaque.
fn is_words(inside: &[u8]) -> bool {
    let shape = Shape::of(inside);
    shape.letters() >= 2
        && (shape.flips <= 2 || shape.upper == 0 && shape.flips <= 4 && shape.len <= 12)
        && shape.digits <= 4
        && !shape.is_opaque()
        && inside.iter().all(|&b| {
            b >= 0x80
                || text::is(b, ALNUM | JOINER)
                || matches!(
                    b,
                    b' ' | b'/' | b':' | b'|' | b'\'' | b',' | b'*' | b'?' | b'<' | b'>' | b'$' | b'='
                )
        })
        && (shape.surprise < 5.2 || shape.lower == 0 || shape.letters() <= 4)
}

/// `$VAR`, `${VAR}`, `{{ var }}`, `%VAR%`, `process.env.X`, `vault:…`: the secret is elsewhere.
fn is_reference(value: &[u8]) -> bool {
    let first = value[0];
    let last = value[value.len() - 1];
    match first {
        b'$' if is_variable(value) => return true,
        b'%' => {
            let conversion = value.len() <= 3 && text::is(last, ALPHA);
            // %NAME% is a variable; %l33tW0rd% is somebody's taste.
            let inside = &value[1..value.len().max(2) - 1];
            let named = last == b'%'
                && is_name(inside)
                && (!inside.iter().any(|&b| text::is(b, DIGIT))
                    || !inside.iter().any(|&b| text::is(b, LOWER)));
            let formatted = value.strip_prefix(b"%(").is_some_and(|rest| {
                let name = text::run_end(rest, 0, ALNUM | JOINER, rest.len());
                name > 0 && (name == rest.len() || rest[name] == b')' && rest.len() - name <= 3)
            });
            if named || formatted || conversion {
                return true;
            }
        }
        b'@' if value.len() > 2 && value[1..].iter().all(|&b| text::is(b, UPPER | DIGIT) || b == b'_') => {
            return true;
        }
        b'@' if text::starts_with(value, 0, b"@Microsoft.KeyVault(") => return true,
        b'@' if matches!(text::at(value, 1), b'{' | b'@') && is_words(&value[2..]) => return true,
        b'@' | b'_'
            if value.len() > 4
                && last == first
                && is_name(trim(value, first))
                && Shape::of(value).lower == 0 =>
        {
            return true;
        }
        b'!' if value[1..].iter().all(|&b| text::is(b, ALPHA)) && value.len() > 2 => return true,
        _ => {}
    }
    is_template(value) || is_path_elsewhere(value, first)
}

/// `$NAME`, `$config['x']`, `$env:NAME`, `$this->x`.
fn is_variable(value: &[u8]) -> bool {
    if matches!(value, b"$@" | b"$*" | b"$?" | b"$$") {
        return true;
    }
    let rest = &value[1..];
    let name = text::run_end(rest, 0, ALNUM | JOINER, rest.len());
    let name = memchr::memmem::find(&rest[..(name + 1).min(rest.len())], b"->").unwrap_or(name);
    if name == 0 {
        return false;
    }
    let environment = rest[..name].iter().all(|&b| text::is(b, UPPER | DIGIT) || b == b'_');
    let shape = Shape::of(&rest[..name]);
    let joined = shape.humps > 0 || memchr::memchr(b'_', &rest[..name]).is_some();
    let variable = shape.digits == 0 || name < 3 || joined && shape.is_wordy();
    if !environment && !variable {
        return false;
    }
    let after = &rest[name..];
    after.is_empty()
        || text::starts_with_folded(rest, 0, b"env:") && is_name(&after[1..])
        || after.starts_with(b"->")
        || after.starts_with(b"[") && (after.ends_with(b"]") || after.len() == 1)
        || matches!(after[0], b'/' | b':' | b'$' | b'@' | b',' | b'"' | b'\'')
            && after.iter().all(|&b| {
                text::is(b, ALNUM | JOINER) || matches!(b, b'/' | b':' | b'$' | b'@' | b',' | b'"' | b'\'')
            })
}

/// At least one whole `${…}`, `$(…)`, `{{…}}`, `#{…}`, `%{…}` or `<%…%>`, and outside of them nothing secret.
/// One that begins the value may have been cut off at a blank.
fn is_template(value: &[u8]) -> bool {
    const PAIRS: &[(&[u8], &[u8])] = &[
        (b"${{", b"}}"),
        (b"${", b"}"),
        (b"$((", b"))"),
        (b"$(", b")"),
        (b"$[[", b"]]"),
        (b"{{", b"}}"),
        (b"#{", b"}"),
        (b"%{", b"}"),
        (b"@{", b"}"),
        (b"<%", b"%>"),
        (b"[[", b"]]"),
    ];
    let mut found = false;
    let mut outside: Vec<u8> = Vec::new();
    let mut at = 0;
    while at < value.len() {
        if let Some(end) = named_hole(value, at) {
            found = true;
            at = end;
            continue;
        }
        let pair = PAIRS.iter().find(|(open, _)| text::starts_with(value, at, open));
        let Some((open, close)) = pair else {
            outside.push(value[at]);
            at += 1;
            continue;
        };
        let inside = &value[at + open.len()..];
        let end = memchr::memmem::find(inside, close);
        let body = &inside[..end.unwrap_or(inside.len())];
        // Only the first may be open: what follows was cut off.
        if !is_lookup(body) || end.is_none() && at > 0 {
            outside.push(value[at]);
            at += 1;
            continue;
        }
        found = true;
        at = end.map_or(value.len(), |end| at + open.len() + end + close.len());
    }
    if !found {
        return false;
    }
    let shape = Shape::of(&outside);
    outside.len() < 6 || !shape.is_opaque() && (shape.flips <= 4 || shape.is_wordy() || shape.spaces > 0)
}

/// `<token>`, `{name}`, `{}` at `at`: a plain word in brackets. Returns where it ends.
fn named_hole(value: &[u8], at: usize) -> Option<usize> {
    let close = match value[at] {
        b'<' => b'>',
        b'{' => b'}',
        _ => return None,
    };
    let inside = &value[at + 1..];
    let inside = &inside[..memchr::memchr(close, inside)?];
    let shape = Shape::of(inside);
    let plain = inside.len() <= 2 && inside.iter().all(|&b| text::is(b, DIGIT)) && close == b'}'
        || inside.len() >= 3
            && shape.digits == 0
            && shape.symbols == 0
            && shape.letters() + shape.joiners + shape.spaces == shape.len
            && (shape.surprise < 4.75
                && (shape.upper <= 1 || shape.lower == 0 || shape.humps == shape.upper));
    plain.then(|| at + inside.len() + 2)
}

/// What stands inside of a template: a name, a path, a call or a command, and no password by chance.
fn is_lookup(body: &[u8]) -> bool {
    let trimmed = body.trim_ascii();
    let Some(&first) = trimmed.first() else { return !body.is_empty() || body.len() == trimmed.len() };
    let name = text::run_end(trimmed, 0, ALNUM | JOINER, trimmed.len());
    let head = &trimmed[..name];
    if !(text::is(first, ALPHA)
        || matches!(
            first,
            b'_' | b'.' | b'$' | b'!' | b'#' | b'/' | b'-' | b'\'' | b'"' | b'<' | b'%' | b'{' | b'='
        ))
    {
        return false;
    }
    let shape = Shape::of(head);
    let plain = shape.flips <= 2
        && !shape.is_opaque()
        && (shape.surprise < 5.3 || shape.lower == 0 || name <= 6 && shape.digits == 0);
    plain
        && (trimmed.len() == name
            || !Shape::of(trimmed).is_opaque()
            || memchr::memchr2(b' ', b'.', trimmed).is_some())
}

/// `process.env.X`, `os.environ[`, `vault:secret/app`, `arn:aws:…`: another place is named.
fn is_path_elsewhere(value: &[u8], first: u8) -> bool {
    /// These name a store, and all that follows is an address in it.
    #[rustfmt::skip]
    const STORES: &[&[u8]] = &[
        b"vault:", b"op://", b"ref+", b"arn:aws", b"projects/", b"ssm:", b"secretsmanager:", b"keyring:", b"file:",
        b"/run/secrets", b"awskms:", b"gcp:", b"akv:", b"std::", b"env!(", b"@env", b"aws-sm:", b"keychain:", b"doppler:",
        b"secretref:", b"valuefrom:", b"bw://", b"env:",
    ];
    /// These begin a path of names.
    #[rustfmt::skip]
    const HEADS: &[&[u8]] = &[
        b"process.env", b"os.environ", b"os.getenv", b"import.meta.env", b"system.getenv", b"env.", b"env(", b"env[",
        b"getenv", b"secrets.", b"vars.", b"config.", b"self.", b"this.", b"settings.", b"data.", b"var.", b"local.",
        b"module.", b"args.", b"opts.", b"options.", b"params.", b"req.", b"request.", b"ctx.", b"credentials.",
        b"user.", b"props.", b"state.", b"input.", b"event.", b"context.", b"app.", b"cfg.", b"conf.",
    ];
    let begins = |words: &[&[u8]]| {
        words
            .iter()
            .find(|word| word[0] == first.to_ascii_lowercase() && text::starts_with_folded(value, 0, word))
            .map(|word| word.len())
    };
    if text::starts_with_folded(value, 0, b"enc[") {
        // ENC[AES256_GCM,data:…]: encrypted, perhaps cut off at its comma.
        return value.ends_with(b"]") || value.iter().all(|&b| text::is(b, ALNUM | JOINER) || b == b'[');
    }
    if value.starts_with(b"$ANSIBLE_VAULT") {
        return true;
    }
    if begins(STORES).is_some() {
        return value.iter().all(|&b| {
            text::is(b, ALNUM | JOINER)
                || matches!(
                    b,
                    b'/' | b':'
                        | b'#'
                        | b'?'
                        | b'='
                        | b'&'
                        | b'+'
                        | b'"'
                        | b'\''
                        | b'('
                        | b')'
                        | b'*'
                        | b'@'
                        | b' '
                        | b'<'
                        | b'>'
                        | b'!'
                )
        });
    }
    let Some(head) = begins(HEADS) else { return false };
    let tail = &value[head..];
    let parts_are_names = tail.split(|&b| !text::is(b, ALNUM) && b != b'_').all(|part| {
        let shape = Shape::of(part);
        !shape.is_opaque() && (shape.flips <= 2 || shape.lower == 0)
    });
    parts_are_names
        && tail.iter().all(|&b| {
            text::is(b, ALNUM | JOINER)
                || matches!(
                    b,
                    b'[' | b']' | b'(' | b')' | b'"' | b'\'' | b'?' | b'!' | b':' | b'$' | b',' | b'|' | b' '
                )
        })
}

fn trim(value: &[u8], sign: u8) -> &[u8] {
    let start = value.iter().position(|&b| b != sign).unwrap_or(value.len());
    let end = value.iter().rposition(|&b| b != sign).map_or(start, |last| last + 1);
    &value[start..end.max(start)]
}

fn is_name(value: &[u8]) -> bool {
    !value.is_empty() && value.iter().all(|&b| text::is(b, ALNUM | JOINER))
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
            "<password",
            "${VAULT_PW:-}",
            "$(cat /run/secrets/x)",
            "$(cat",
            "#{ENV['X']}",
            "https://${HOST}/x",
            "${{ secrets.TOKEN }}",
            "[hidden]",
            "(optional)",
            "ghp_...",
            "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf",
            "$config['db']",
            "example-password-123",
        ] {
            assert!(is_placeholder(hole.as_bytes()), "{hole}");
        }
    }

    #[test]
    fn a_part_that_looks_like_a_hole_makes_no_placeholder() {
        for value in [
            "hunter2",
            "S3cr3t!",
            "correct-horse-battery-staple",
            "P@ssw0rd123",
            "$ecure1!",
            "k8sPa55",
            "Kx7f<Qm9vTz2",
            "<Kx7fQm9vTz2",
            "Kx7f${9vTz2Q",
            "aB3{{xQ9vT!",
            "Qm9$(vTz2Kx7",
            "<Kx7f&Qm9>",
            "[aK3xQ9vT]",
            "user.Kx7f!Qm9vTz2",
            "Tz2example!Kx7f#Qm9v",
            "(Kx7fQm9vTz2)",
            "#{7fKx9vQ}",
            "env.Kx7fQ9!v",
        ] {
            assert!(!is_placeholder(value.as_bytes()), "{value}");
        }
    }
}
