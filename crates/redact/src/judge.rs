//! Does a value under such a name, in such a setting, have to go? The questions in the order of their price:
//! shapes first, placeholders last. Reads no text beyond the value; where it stands is told by `Setting`.

use crate::assign::Setting;
use crate::lexicon::{Announced, Strength};
use crate::likeness::Shape;
use crate::operators::Operator;
use crate::structures;
use crate::text::{self, ALPHA, DIGIT, UPPER};
use crate::value;

/// The heart of it.
pub(crate) fn is_secret(announced: Announced, name: &[u8], value: &[u8], setting: Setting) -> bool {
    if value.len() < 3 || value.len() >= value::LONGEST_VALUE {
        return false;
    }
    if !setting.quoted && (value::is_code(value) || setting.operator == Operator::Compares) {
        return false;
    }
    if setting.operator == Operator::Says && value.ends_with(b":") {
        return false;
    }
    if value.eq_ignore_ascii_case(name) {
        return false;
    }
    let shape = Shape::of(value);
    if shape.foreign > 0 && shape.letters() == 0 && (shape.digits == 0 || shape.spaces > 0) {
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
            && !value
                .windows(2)
                .any(|pair| matches!(pair, b"()" | b"::" | b"->" | b"=>" | b"\\d" | b"\\w" | b"\\s"));
    // Last, because it is the dearest question and most values are out by now.
    believed && !value::is_placeholder(value)
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
        if has_code_marks(value) && !shape.is_opaque() && !is_jumble(shape, setting) {
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
        return firm || setting.line_end;
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

/// Letters alone where a file has its passwords: `password: bluehorse`, `"BlueHorse"`, `blue-horse-sea`. Labels,
/// types and names of programs have words of their trade in them, or joints of another kind.
fn is_plain_password(announced: Announced, value: &[u8], shape: &Shape, setting: Setting) -> bool {
    if !announced.last || value.len() < 9 || is_predicate(value) {
        return false;
    }
    let lower = shape.lower == shape.len;
    let camel = shape.letters() == shape.len && shape.humps > 0 && shape.lower > shape.upper;
    let kebab = is_word_chain_of(value, shape, 3) && value.len() >= 12;
    if !(lower || (camel || kebab) && !has_word_of_trade(value)) {
        return false;
    }
    if setting.quoted {
        // "pass" and "pw" are also verbs and widths: these need the line to themselves.
        return announced.firm || setting.own_line && setting.line_end;
    }
    match setting.operator {
        Operator::Markup => announced.firm,
        Operator::Equals => setting.line_end && (setting.own_line && !setting.spaced || setting.labelled),
        // `password: SecretType` is a member of a program.
        Operator::Colon => {
            !camel && setting.line_end && (setting.own_line && !setting.spaced || setting.labelled)
        }
        _ => false,
    }
}

/// A word of forms, messages and programs inside: `PasswordField`, `forgot-password-link`, `InvalidLogin`.
fn has_word_of_trade(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&[u8]] = &[
        b"pass", b"field", b"input", b"label", b"text", b"type", b"error", b"invalid", b"require", b"form", b"user",
        b"name", b"login", b"button", b"hidden", b"string", b"value", b"key", b"token", b"secret", b"auth", b"basic",
        b"hash", b"encod", b"plain", b"enter", b"confirm", b"reset", b"change", b"forgot", b"valid", b"length", b"rule",
        b"schema", b"component", b"view", b"page", b"provider", b"manager", b"service", b"policy", b"strength",
        b"expire", b"wrong", b"match", b"weak", b"short", b"must", b"cred", b"config", b"option", b"param", b"arg",
        b"data", b"object", b"class", b"model", b"handler", b"prompt", b"digest", b"bytes", b"char", b"test", b"example",
        b"default", b"code", b"file", b"link", b"mail", b"account", b"session", b"request", b"response", b"custom",
        b"array", b"list", b"item", b"index", b"crypt", b"sign", b"placeholder", b"missing", b"empty", b"script", b"sql",
        b"kennwort", b"wachtwoord", b"contrase", b"senha", b"parola", b"heslo", b"haslo", b"time", b"access",
    ];
    WORDS.iter().any(|word| text::contains_folded(value, word))
}

/// Two words with a sign between them: `Blue#Horse`, `Blue!Horse`.
fn is_made(value: &[u8]) -> bool {
    value.len() >= 8
        && value.iter().filter(|b| !text::is(**b, ALPHA)).count() == 1
        && value.windows(3).any(|three| {
            text::is(three[0], ALPHA)
                && matches!(
                    three[1],
                    b'!' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'~' | b'+' | b'?' | b'@'
                )
                && text::is(three[2], UPPER)
        })
}

/// What passwords are hashed, encoded and encrypted with.
fn is_technical(value: &[u8]) -> bool {
    const BEGINNINGS: &[&[u8]] = &[
        b"sha", b"aes", b"md5", b"utf", b"pbkdf", b"base", b"rsa", b"hmac", b"scrypt", b"argon", b"bcrypt",
        b"latin", b"iso", b"ascii", b"des", b"chacha", b"ed25519", b"mysql", b"http", b"oauth", b"x509",
        b"win",
    ];
    BEGINNINGS.iter().any(|word| text::starts_with_folded(value, 0, word))
}

/// `PASSWORD`, `TOKEN`: where a usage text names what to put.
fn is_metavariable(shape: &Shape) -> bool {
    shape.lower == 0
}

/// All kinds of characters in a disorder no program has between quotes.
fn is_jumble(shape: &Shape, setting: Setting) -> bool {
    (setting.quoted || setting.certain)
        && shape.upper > 0
        && shape.lower > 0
        && (shape.digits > 0 && shape.symbols >= 2 && shape.surprise >= 4.75
            || shape.symbols >= 4 && shape.surprise >= 4.4)
}

/// What a sentence calls a password: quoted or not, it must not be a word of the language.
pub(crate) fn is_told_password(value: &[u8], quoted: bool) -> bool {
    let value = if quoted { value } else { value.strip_suffix(b".").unwrap_or(value) };
    if value.len() < if quoted { 4 } else { 6 } || value::is_placeholder(value) {
        return false;
    }
    // "the field is password1": the name of one, not one.
    if !quoted
        && crate::lexicon::announced(value)
            .is_some_and(|said| said.strength == Strength::Password && said.firm)
    {
        return false;
    }
    let shape = Shape::of(value);
    if value::is_plain_identifier(value) && !shape.is_opaque() && !value::is_uuid(value) {
        return false;
    }
    if shape.spaces > 0 {
        return quoted && is_phrase(value, &shape);
    }
    if !quoted && value::is_code(value) || has_code_marks(value) && shape.surprise < 4.75 {
        return false;
    }
    if is_word_chain(value, &shape) {
        return true;
    }
    if shape.digits == shape.len {
        return shape.len >= 6;
    }
    // AES256, SHA512, OAuth2, Base64: what passwords are made with.
    let technical = shape.lower == 0 && shape.symbols == 0 && shape.flips <= 2
        || shape.digits <= 2 && shape.humps > 0 && shape.flips <= 1 && shape.symbols == 0 && shape.len <= 12
        || shape.digits == 1
            && shape.symbols == 0
            && shape.joiners == 0
            && shape.len < 9
            && shape.is_wordy()
            && !quoted;
    let mixed = shape.upper > 0 && shape.lower > 0;
    let odd = mixed && (!shape.is_wordy() && (shape.symbols > 0 || shape.humps >= 2) || is_made(value));
    let typed = shape.digits > 0 && (shape.letters() > 0 || shape.symbols > 0) || odd;
    let letters = quoted && shape.lower == shape.len && shape.len >= 10;
    (typed && !technical || letters || shape.is_opaque()) && !is_markup_or_label(value, &shape)
}

/// "the passphrase for the key is bluehorseriver" ends a line with no word that passwords are said to be.
fn is_last_word(value: &[u8], shape: &Shape, setting: Setting) -> bool {
    setting.line_end
        && !setting.quoted
        && shape.lower == shape.len
        && (10..=24).contains(&value.len())
        && !is_predicate(value)
}

/// "the password is `dragon`": said outright and set apart, a plain word is one.
fn is_told_word(value: &[u8], shape: &Shape, setting: Setting) -> bool {
    let camel = shape.humps > 0 && shape.lower > shape.upper && value.len() >= 10;
    (setting.certain && setting.quoted && value.len() >= 6 || camel && setting.spaced)
        && shape.letters() == shape.len
        && !is_predicate(value)
        && !has_word_of_trade(value)
        && !value::is_placeholder(value)
}

/// Ends as the words do that describe passwords: required, insecure, alphanumeric, somewhere.
fn is_predicate(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const ENDINGS: &[&[u8]] = &[
        b"ed", b"ing", b"able", b"ible", b"ent", b"ant", b"ect", b"ous", b"ical", b"ory", b"ary", b"ive", b"ly",
        b"ic", b"ure", b"where", b"ess", b"ful", b"ion", b"ions", b"ment", b"words", b"word", b"way", b"thing",
        b"ters", b"ity", b"ance", b"ence", b"ase", b"ate", b"ify", b"ise", b"ize", b"ional", b"ble", b"field",
        b"string", b"value", b"input", b"token", b"secret", b"key", b"hash", b"text", b"phrase", b"holder",
    ];
    ENDINGS.iter().any(|ending| value.ends_with(ending))
}

/// `correct-horse-battery-staple`
pub(crate) fn is_word_chain(value: &[u8], shape: &Shape) -> bool {
    is_word_chain_of(value, shape, 4)
}

fn is_word_chain_of(value: &[u8], shape: &Shape, least: usize) -> bool {
    let words = value.split(|&b| matches!(b, b'-' | b'.' | b'_')).filter(|word| word.len() >= 3).count();
    words >= least
        && shape.digits == 0
        && shape.symbols == 0
        && shape.upper == 0
        && shape.spaces == 0
        && shape.joiners + 1 == words
}

/// `SCSI_PASS_THROUGH32`, `kPasswordType2`: a name of the program, where one may stand.
fn is_constant(value: &[u8]) -> bool {
    value.contains(&b'_')
        && text::is(value[0], ALPHA)
        && value.iter().all(|&b| text::is(b, UPPER | DIGIT) || b == b'_')
}

/// Words with spaces between are labels and sentences, unless something in them is not a word.
fn is_phrase_password(value: &[u8], shape: &Shape, setting: Setting) -> bool {
    if !setting.quoted || value.len() > 64 || shape.spaces > 6 {
        return false;
    }
    let odd = shape.digits > 0
        && shape.symbols > 0
        && !has_code_marks(value)
        && value.split(|&b| b == b' ').any(|word| {
            let shape = Shape::of(word);
            shape.digits > 0 && shape.symbols > 0 && shape.letters() > 0
        });
    odd || is_phrase(value, shape)
}

/// A phrase with nothing around it to say where it ends: only a number at its end, or the word passphrase
/// before it, tells it from a sentence.
pub(crate) fn is_whole_phrase(value: &[u8], passphrase: bool) -> bool {
    let shape = Shape::of(value);
    let numbered = value.last().is_some_and(|&b| text::is(b, DIGIT));
    (2..=6).contains(&shape.spaces) && (numbered || passphrase) && is_phrase(value, &shape)
}

/// `correct horse battery 52`: plain words and a number, no sentence.
fn is_phrase(value: &[u8], shape: &Shape) -> bool {
    #[rustfmt::skip]
    const GRAMMAR: &[&[u8]] = &[
        b"the", b"a", b"an", b"is", b"are", b"be", b"must", b"should", b"can", b"your", b"you", b"of", b"to", b"for",
        b"and", b"or", b"in", b"on", b"at", b"with", b"has", b"have", b"not", b"no", b"than", b"least", b"characters",
        b"chars", b"character", b"password", b"passwords", b"length", b"max", b"min", b"enter", b"new", b"digits",
        b"minimum", b"maximum", b"hours", b"days", b"minutes", b"seconds", b"if", b"by", b"it", b"this", b"that",
        b"from", b"step", b"version", b"select", b"input", b"line", b"page", b"bytes", b"bits", b"test", b"user",
    ];
    if shape.upper > 0 || shape.symbols > 0 || shape.foreign > 0 || shape.digits > 6 {
        return false;
    }
    let mut words = 0;
    let mut numbers = 0;
    for word in value.split(|&b| b == b' ') {
        if word.iter().all(|&b| text::is(b, DIGIT)) && !word.is_empty() {
            numbers += 1;
        } else if word.len() < 3 || GRAMMAR.contains(&word) || !word.iter().all(|&b| text::is(b, text::LOWER))
        {
            return false;
        } else {
            words += 1;
        }
    }
    words >= 2 && numbers == 1 || words >= 4 && numbers == 0
}

fn is_markup_or_label(value: &[u8], shape: &Shape) -> bool {
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

/// Brackets and statement marks: program text caught in between.
fn has_code_marks(value: &[u8]) -> bool {
    let mut round = 0;
    for &byte in value {
        match byte {
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' => round += 1,
            _ => {}
        }
    }
    round >= 2
        || value.windows(2).any(|pair| {
            matches!(
                pair,
                b"()"
                    | b"::"
                    | b"->"
                    | b"=>"
                    | b"\\s"
                    | b"\\d"
                    | b"\\w"
                    | b".*"
                    | b"{}"
                    | b"[]"
                    | b"&&"
                    | b"%s"
                    | b"%d"
            )
        })
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

fn is_opaque_value(name: &[u8], value: &[u8], shape: &Shape) -> bool {
    if !shape.is_opaque() && !is_long_mixture(shape) {
        return false;
    }
    if value::is_plain_identifier(value) || has_code_marks(value) || value.starts_with(b"data:") {
        return false;
    }
    if shape.hex && is_digest_name(name) {
        return false;
    }
    // A subresource or lock file hash says so itself.
    !(text::starts_with_folded(value, 0, b"sha") && text::is(text::at(value, 3), DIGIT))
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
        && !value::is_placeholder(value)
}

/// Beside a vendor's name, only what nobody would type is believed.
pub(crate) fn is_vendor_value(name: &[u8], value: &[u8], quoted: bool) -> bool {
    if value.len() < 10 || value.len() > 400 || !quoted && value::is_code(value) {
        return false;
    }
    // A record that proves who owns a domain is there for everybody to read.
    if text::contains_folded(name, b"verification") {
        return false;
    }
    let shape = Shape::of(value);
    if value::is_uuid(value) {
        let parts = [&b"key"[..], b"token", b"secret", b"auth", b"access", b"api"];
        return parts.iter().any(|part| text::contains_folded(name, part)) && !value::is_placeholder(value);
    }
    shape.symbols <= 4
        && shape.len >= 14
        && shape.digits >= 2
        && is_opaque_value(name, value, &shape)
        && !value::is_placeholder(value)
}
