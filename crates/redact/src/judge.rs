//! Does a value under such a name, in such a setting, have to go? The questions in the order of their price:
//! shapes first, placeholders last. Reads no text beyond the value; where it stands is told by `Setting`.

use crate::assign::Setting;
use crate::expression;
use crate::holes;
use crate::lexicon::{Announced, Strength};
use crate::likeness::Shape;
use crate::operators::Operator;
use crate::structures;
use crate::text::{self, ALPHA, DIGIT, UPPER};
use crate::value;
use crate::words::{
    is_last_word, is_metavariable, is_phrase_password, is_plain_password, is_technical, is_told_password,
    is_told_word, is_word_chain,
};

/// The heart of it.
pub(crate) fn is_secret(announced: Announced, name: &[u8], value: &[u8], setting: Setting) -> bool {
    if value.len() < 3 || value.len() >= value::LONGEST_VALUE {
        return false;
    }
    if !setting.quoted && (expression::is_code(value) || setting.operator == Operator::Compares) {
        return false;
    }
    if setting.operator == Operator::Says && value.ends_with(b":") {
        return false;
    }
    if value.eq_ignore_ascii_case(name) {
        return false;
    }
    let shape = Shape::of(value);
    if shape.foreign > 0
        && (shape.letters() == 0 && (shape.digits == 0 || shape.spaces > 0)
            || shape.symbols == 0
                && (shape.digits == 0 || shape.digits == 1 && value.last().is_some_and(|&b| b >= 0x80)))
    {
        // A label in another language.
        return false;
    }
    // The bytes of a message, as programs write them down.
    if memchr::memmem::find_iter(value, b"\\x").take(2).count() == 2 {
        return false;
    }
    let believed = match announced.strength {
        Strength::Password => is_password(announced, value, &shape, setting),
        Strength::Secret if setting.operator == Operator::Says => {
            is_opaque_value(name, value, &shape)
                || (shape.symbols > 0 || !shape.is_wordy()) && is_told_password(value, setting.quoted)
        }
        Strength::Secret => {
            is_opaque_value(name, value, &shape) || is_secretive(announced, value, &shape, setting)
        }
        Strength::Opaque
            if matches!(setting.operator, Operator::Comma | Operator::Call) && !announced.last =>
        {
            false
        }
        Strength::Opaque
            if !setting.quoted
                && (setting.spaced || setting.operator == Operator::Colon)
                && is_constant(value) =>
        {
            false
        }
        Strength::Opaque => {
            is_opaque_value(name, value, &shape)
                || announced.kind == "api-key" && announced.last && is_short_key(&shape, setting)
                || announced.shouted && setting.own_line && is_secretive(announced, value, &shape, setting)
                || value::is_uuid(value)
                    && setting.operator != Operator::Compares
                    && is_trusted_with_uuid(announced, name, setting)
        }
        Strength::Faint if announced.kind == "otp" && shape.digits == shape.len => {
            (4..=8).contains(&shape.len)
                && matches!(setting.operator, Operator::Colon | Operator::Says)
                && !setting.quoted
        }
        Strength::Faint if announced.kind == "auth" && structures::is_encoded_pair(value) => true,
        Strength::Faint => {
            value.len() >= 20
                && is_opaque_value(name, value, &shape)
                && is_faint_enough(announced, &shape, setting)
        }
    };
    let believed = believed
        || setting.quoted
            && announced.last
            && (announced.strength > Strength::Faint || announced.shouted)
            && matches!(setting.operator, Operator::Equals | Operator::Colon | Operator::Comma)
            && is_noise(&shape)
            && !is_pattern(value)
            && !expression::is_expression(value);
    // Last, because it is the dearest question and most values are out by now.
    believed && !holes::is_placeholder(value)
}

/// `apikey: abcd1234efgh`: short, but letters and digits take turns.
fn is_short_key(shape: &Shape, setting: Setting) -> bool {
    (10..20).contains(&shape.len)
        && shape.digits >= 3
        && shape.letters() >= 3
        && shape.flips >= 2
        && shape.joiners + shape.symbols + shape.spaces + shape.foreign == 0
        && (setting.quoted || setting.own_line || setting.flag)
        && !matches!(setting.operator, Operator::Comma | Operator::Compares | Operator::Call)
}

/// A UUID is a key where somebody says key, and an identifier under most other names.
fn is_trusted_with_uuid(announced: Announced, name: &[u8], setting: Setting) -> bool {
    // These make a request recognizable when it is repeated.
    let repeats = [&b"request"[..], b"client", b"change", b"action", b"idempot", b"sync", b"cancel", b"job"]
        .iter()
        .any(|word| text::contains_folded(name, word));
    announced.kind != "token"
        || announced.shouted
        || !repeats && announced.last && (setting.quoted || setting.own_line || setting.flag)
        || [&b"auth"[..], b"access", b"api", b"bearer", b"secret", b"bot", b"service", b"deploy", b"personal"]
            .iter()
            .any(|word| text::contains_folded(name, word))
}

fn is_faint_enough(announced: Announced, shape: &Shape, setting: Setting) -> bool {
    // A bare `key` names table entries far more often than credentials.
    if announced.kind == "key" || announced.kind == "auth" {
        if setting.flag && !shape.hex && shape.digits >= 3 {
            return true;
        }
        return (announced.shouted && setting.own_line || shape.len >= 24)
            && (!shape.hex || announced.shouted)
            && shape.digits >= 2
            && shape.upper > 1
            && shape.lower > 1;
    }
    if announced.kind == "api-key" {
        // Somebody's key, by a name nobody knows: `civo_key`. A digest under such a name is more often a digest.
        return shape.digits >= 3
            && (!shape.hex || announced.shouted)
            && (setting.quoted || setting.own_line || setting.flag);
    }
    setting.flag || announced.shouted || shape.len >= 24
}

fn is_password(announced: Announced, value: &[u8], shape: &Shape, setting: Setting) -> bool {
    if value::is_plain_identifier(value) && !(shape.is_opaque() || value::is_uuid(value)) {
        return false;
    }
    let firm = setting.quoted
        || setting.own_line
        || setting.flag
        || setting.certain
        || setting.labelled
        || setting.operator == Operator::Markup;
    if setting.operator == Operator::Says {
        return is_told_password(value, setting.quoted)
            || is_last_word(value, shape, setting)
            || is_told_word(value, shape, setting);
    }
    if shape.digits == shape.len {
        // Digits alone are a count in code, a PIN or a poor password in quotes.
        return shape.len >= if setting.quoted || setting.flag { 4 } else { 6 }
            && setting.operator != Operator::Compares
            && firm;
    }
    let odd = shape.digits > 0 || shape.symbols > 0;
    if shape.spaces > 0 {
        return is_phrase_password(value, shape, setting);
    }
    if matches!(setting.operator, Operator::Comma | Operator::Call) && !announced.last {
        return false;
    }
    // `define('DB_PASSWORD', '…')` sets a variable; `('password', '…')` may be a name and its label.
    // A literal that a password is set to, or compared with.
    let spoken = setting.quoted
        && announced.firm
        && announced.last
        && setting.operator != Operator::Comma
        && !is_technical(value)
        && !(shape.joiners > 0 && shape.symbols == 0 && shape.digits < 2);
    let set =
        setting.operator == Operator::Comma && (announced.shouted || setting.certain) && !is_technical(value)
            || spoken;
    if matches!(setting.operator, Operator::Comma | Operator::Compares | Operator::Call) && !set {
        let typed = shape.digits > 0
            && shape.letters() > 0
            && (shape.symbols > 0
                || !shape.is_wordy()
                || shape.joiners == 0 && (shape.flips > 1 || shape.digits >= 2 && announced.firm));
        if setting.quoted
            && setting.operator != Operator::Comma
            && is_plain_password(announced, value, shape, setting)
        {
            return true;
        }
        return value.len() >= 6 && typed && !is_technical(value) && !is_markup_or_label(value, shape)
            || shape.is_opaque();
    }
    if !setting.quoted && (setting.spaced || setting.operator == Operator::Colon) && is_constant(value) {
        return false;
    }
    if odd && firm {
        if has_code_marks(value) && (is_pattern(value) || !shape.is_opaque() && !is_jumble(shape, setting)) {
            return false;
        }
        if !setting.quoted
            && !setting.flag
            && setting.spaced
            && shape.symbols == 0
            && shape.is_wordy()
            && shape.flips <= 1
            && shape.digits < 2
            && !announced.shouted
            && !setting.labelled
        {
            // `password = value2` is code; `password=hunter2` is not.
            return false;
        }
        return value.len() >= 4 && !is_markup_or_label(value, shape);
    }
    if odd {
        let telling = shape.symbols > 0 && setting.operator == Operator::Colon || !shape.is_wordy();
        let mixed =
            shape.digits > 0 || shape.upper > 0 && shape.lower > 0 && shape.symbols > 0 && !shape.is_wordy();
        // "Passwort: walnut28" in a sentence; `password: value2,` in a program.
        let written = shape.digits >= 2
            && (setting.operator == Operator::Colon
                || setting.operator == Operator::Equals && !setting.spaced)
            && shape.joiners == 0
            && !is_technical(value);
        let typed = mixed && shape.letters() > 1 && !is_markup_or_label(value, shape);
        return value.len() >= 6 && typed && (telling || written) && !has_code_marks(value)
            || shape.is_opaque();
    }
    // Letters and joints alone.
    if announced.shouted && setting.operator == Operator::Equals && setting.own_line && !setting.spaced {
        return value.len() >= 4;
    }
    if announced.shouted
        && announced.last
        && shape.lower == shape.len
        && (setting.quoted || setting.line_end && setting.own_line || setting.flag)
    {
        return value.len() >= 6;
    }
    if is_word_chain(value, shape) {
        // `password = index_url_user_password` is a name of the program.
        let name = !setting.quoted && setting.spaced && value.contains(&b'_');
        return (firm || setting.line_end) && !name;
    }
    if setting.certain {
        return value.len() >= 5 && !is_metavariable(shape);
    }
    if is_plain_password(announced, value, shape, setting) {
        return true;
    }
    value.len() >= 8
        && firm
        && (shape.surprise >= 5.2 || setting.operator == Operator::Blank && !shape.is_wordy())
}

/// All kinds of characters in a disorder no program has between quotes.
fn is_jumble(shape: &Shape, setting: Setting) -> bool {
    (setting.quoted || setting.certain)
        && shape.upper > 0
        && shape.lower > 0
        && (shape.digits > 0 && shape.symbols >= 2 && shape.surprise >= 4.75
            || shape.symbols >= 4 && shape.surprise >= if setting.certain { 3.8 } else { 4.4 })
}

/// `SCSI_PASS_THROUGH32`, `kPasswordType2`: a name of the program, where one may stand.
fn is_constant(value: &[u8]) -> bool {
    value.contains(&b'_')
        && text::is(value[0], ALPHA)
        && value.iter().all(|&b| text::is(b, UPPER | DIGIT) || b == b'_')
}

pub(crate) fn is_markup_or_label(value: &[u8], shape: &Shape) -> bool {
    let last = value[value.len() - 1];
    // "Password!", "password?", "enter:" are labels.
    shape.digits == 0 && shape.symbols == 1 && matches!(last, b':' | b'!' | b'?' | b'*') && shape.is_wordy()
        || value[0] == b'/' && shape.digits == 0
        || value[0] == b'#' && value.len() <= 9 && value[1..].iter().all(|&b| text::is(b, text::HEX))
        || value[0] == b'.' && shape.digits == 0
        || shape.digits == 0 && value.contains(&b'/') && shape.is_wordy()
        || shape.digits == 0 && value.contains(&b'=') && shape.is_wordy()
        || shape.digits == 0
            && shape.symbols
                == value.iter().filter(|b| matches!(b, b':' | b'@' | b'\\' | b'+' | b'|' | b'\'')).count()
            && shape.symbols > 0
            && shape.is_wordy()
            && !value.contains(&b'@')
}

/// Program text caught in between: a pattern, a tag, a call, brackets and the marks of statements. What is
/// written in every kind of sign without any order has those by chance.
pub(crate) fn has_code_marks(value: &[u8]) -> bool {
    if is_pattern(value) {
        return true;
    }
    let brackets =
        value.iter().filter(|b| matches!(b, b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>')).count();
    let marked = brackets >= 2
        || value.windows(2).any(|pair| {
            matches!(pair, b"()" | b"::" | b"->" | b"=>" | b".*" | b"{}" | b"[]" | b"&&" | b"%s" | b"%d")
        });
    marked && !is_disorderly(value)
}

/// A regular expression: its classes, groups and repetitions.
fn is_pattern(value: &[u8]) -> bool {
    let has = |mark: &[u8]| memchr::memmem::find(value, mark).is_some();
    let escaped =
        value.windows(2).any(|pair| matches!(pair, b"\\s" | b"\\d" | b"\\w" | b"\\b" | b"\\S" | b"\\W"));
    let repeats = value.iter().any(|b| matches!(b, b'+' | b'*' | b'{' | b'[' | b'('));
    memchr::memmem::find_iter(value, b"][").take(3).count() == 3
        || has(b"(?") && value.contains(&b')')
        || [&b"[a-z"[..], b"[A-Z", b"[0-9", b"a-zA-Z", b"A-Za-z", b"0-9]"].iter().any(|class| has(class))
            && value.contains(&b']')
        || has(b"[^") && [&b"]+"[..], b"]*", b"]{"].iter().any(|end| has(end))
        || value[0] == b'^' && value.ends_with(b"$") && repeats
        || escaped && repeats
        || (has(b".*") || has(b".+"))
            && (value[0] == b'^' || value.ends_with(b"$") || value[0] == b'/' || has(b"\\"))
}

/// Letters of both cases, digits and signs that keep taking turns: generated, not written.
pub(crate) fn is_disorderly(value: &[u8]) -> bool {
    let shape = Shape::of(value);
    if shape.len < 8 || shape.spaces > 0 || shape.len > 200 {
        return false;
    }
    let signs = shape.symbols + shape.joiners;
    let kinds = usize::from(shape.lower > 0)
        + usize::from(shape.upper > 0)
        + usize::from(shape.digits > 0)
        + usize::from(signs > 0);
    let kind = |byte: u8| -> u8 {
        match byte {
            b'a'..=b'z' => 0,
            b'A'..=b'Z' => 1,
            b'0'..=b'9' => 2,
            _ => 3,
        }
    };
    // A capital before a small letter begins a word.
    let turns = value
        .windows(2)
        .filter(|pair| kind(pair[0]) != kind(pair[1]) && (kind(pair[0]), kind(pair[1])) != (1, 0))
        .count();
    let restless = turns * 20 >= (shape.len - 1) * 9;
    let loud = turns * 3 >= shape.len - 1 && shape.surprise >= 4.75;
    kinds == 4 && shape.symbols > 0 && (restless || loud)
        || kinds == 3 && restless && shape.surprise >= 4.4 && !expression::is_expression(value)
}

/// A `secret` in a configuration line need not be random, only not a plain word.
fn is_secretive(announced: Announced, value: &[u8], shape: &Shape, setting: Setting) -> bool {
    if value::is_plain_identifier(value) && !value::is_uuid(value)
        || shape.spaces > 0
        || has_code_marks(value)
    {
        return false;
    }
    let firm = setting.quoted || setting.own_line && !setting.spaced || setting.flag;
    if !firm
        || matches!(setting.operator, Operator::Comma | Operator::Compares | Operator::Call | Operator::Says)
    {
        return false;
    }
    let mixed = shape.digits > 0 && shape.letters() > 0;
    if announced.shouted && setting.own_line {
        return value.len() >= 8 && mixed && shape.digits < shape.len;
    }
    // `secret: bluewhale77`
    let written =
        announced.last && shape.digits >= 2 && shape.joiners == 0 && (setting.quoted || setting.line_end);
    value.len() >= 8
        && mixed
        && (shape.symbols > 0 || !shape.is_wordy() || written)
        && !is_markup_or_label(value, shape)
}

/// What key generators of web frameworks write: every kind of sign in no order, blanks and brackets among them.
fn is_noise(shape: &Shape) -> bool {
    shape.len >= 20
        && shape.symbols >= 4
        && shape.digits >= 2
        && shape.letters() >= 6
        && shape.flips + shape.symbols >= shape.len / 4
        && shape.surprise > 4.4
}

/// `abcd-efgh-ijkl-mnop`, four letters at a time and none of it a word.
fn is_grouped(value: &[u8], shape: &Shape) -> bool {
    shape.len == 19
        && shape.lower == 16
        && value.split(|&b| b == b'-').all(|group| group.len() == 4)
        && shape.surprise > 4.3
}

fn is_opaque_value(name: &[u8], value: &[u8], shape: &Shape) -> bool {
    if is_grouped(value, shape) {
        return true;
    }
    if !shape.is_opaque() && !is_long_mixture(shape) {
        return false;
    }
    if value::is_plain_identifier(value) || has_code_marks(value) || value.starts_with(b"data:") {
        return false;
    }
    if shape.hex && is_digest_name(name) {
        return false;
    }
    // A subresource or lock file hash says so itself; so does the digest of an image.
    let digest = text::starts_with_folded(value, 0, b"sha") && text::is(text::at(value, 3), DIGIT)
        || text::contains_folded(value, b"@sha256:");
    !digest
}

/// Symbols, digits and letters together, nothing a program would name.
fn is_long_mixture(shape: &Shape) -> bool {
    shape.len >= 10
        && shape.spaces == 0
        && shape.digits >= 2
        && shape.symbols >= 1
        && shape.letters() >= 3
        && shape.foreign == 0
        && shape.flips >= 2
        && shape.surprise > 4.4
}

fn is_digest_name(name: &[u8]) -> bool {
    [
        &b"sha"[..],
        b"hash",
        b"digest",
        b"commit",
        b"etag",
        b"checksum",
        b"integrity",
        b"fingerprint",
        b"revision",
        b"cache",
    ]
    .iter()
    .any(|word| text::contains_folded(name, word))
}

/// A word that stands alone where a secret is expected.
pub(crate) fn is_opaque_cell(value: &[u8]) -> bool {
    let shape = Shape::of(value);
    value.len() >= 10
        && (is_opaque_value(b"", value, &shape) || value::is_uuid(value))
        && !holes::is_placeholder(value)
}

/// Beside a vendor's name, only what nobody would type is believed.
pub(crate) fn is_vendor_value(name: &[u8], value: &[u8], quoted: bool) -> bool {
    if value.len() < 10 || value.len() > 400 || !quoted && expression::is_code(value) {
        return false;
    }
    // A record that proves who owns a domain is there for everybody to read.
    if text::contains_folded(name, b"verification") {
        return false;
    }
    let shape = Shape::of(value);
    if value::is_uuid(value) {
        let parts = [&b"key"[..], b"token", b"secret", b"auth", b"access", b"api"];
        return parts.iter().any(|part| text::contains_folded(name, part)) && !holes::is_placeholder(value);
    }
    shape.symbols <= 4
        && shape.len >= 14
        && shape.digits >= 2
        && is_opaque_value(name, value, &shape)
        && !holes::is_placeholder(value)
}
