//! Passwords that people make of words, told from the words of forms, messages and programs. Knows no names of
//! credentials; `judge` asks when a name has been believed.

use crate::assign::Setting;
use crate::expression;
use crate::holes;
use crate::judge::{has_code_marks, is_markup_or_label};
use crate::lexicon::{self, Announced, Strength};
use crate::likeness::Shape;
use crate::operators::Operator;
use crate::text::{self, ALPHA, DIGIT, UPPER};
use crate::value;

/// Letters alone where a file has its passwords: `password: bluehorse`, `"BlueHorse"`, `blue-horse-sea`. Labels,
/// types and names of programs have words of their trade in them, or joints of another kind.
pub(crate) fn is_plain_password(announced: Announced, value: &[u8], shape: &Shape, setting: Setting) -> bool {
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
pub(crate) fn has_word_of_trade(value: &[u8]) -> bool {
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
pub(crate) fn is_made(value: &[u8]) -> bool {
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
pub(crate) fn is_technical(value: &[u8]) -> bool {
    const BEGINNINGS: &[&[u8]] = &[
        b"sha", b"aes", b"md5", b"utf", b"pbkdf", b"base", b"rsa", b"hmac", b"scrypt", b"argon", b"bcrypt",
        b"latin", b"iso", b"ascii", b"des", b"chacha", b"ed25519", b"mysql", b"http", b"oauth", b"x509",
        b"win",
    ];
    BEGINNINGS.iter().any(|word| text::starts_with_folded(value, 0, word))
}

/// `pbkdf2`, `Argon2id`, `sha512`: a method and its number, and nothing else.
fn is_name_of_method(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const METHODS: &[&[u8]] = &[
        b"sha", b"aes", b"md5", b"utf", b"pbkdf", b"base", b"rsa", b"hmac", b"scrypt", b"argon", b"bcrypt", b"chacha",
        b"ed25519", b"oauth", b"x509", b"ecdsa", b"blake", b"ripemd", b"crc",
    ];
    METHODS.iter().any(|word| text::starts_with_folded(value, 0, word) && value.len() <= word.len() + 4)
        && value.iter().all(|&b| text::is(b, text::ALNUM) || matches!(b, b'-' | b'_'))
}

/// `PASSWORD`, `TOKEN`: where a usage text names what to put.
pub(crate) fn is_metavariable(shape: &Shape) -> bool {
    shape.lower == 0
}

/// What a sentence calls a password: quoted or not, it must not be a word of the language.
pub(crate) fn is_told_password(value: &[u8], quoted: bool) -> bool {
    let value = if quoted { value } else { value.strip_suffix(b".").unwrap_or(value) };
    if value.len() < if quoted { 4 } else { 6 } || holes::is_placeholder(value) {
        return false;
    }
    // "the field is password1": the name of one, not one.
    if !quoted
        && lexicon::announced(value).is_some_and(|said| said.strength == Strength::Password && said.firm)
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
    if !quoted && expression::is_code(value) || has_code_marks(value) && shape.surprise < 4.75 {
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
        || shape.digits <= 2
            && shape.humps > 0
            && shape.flips <= 1
            && shape.symbols == 0
            && shape.len <= 12
            && shape.is_wordy()
        || shape.digits == 1
            && shape.symbols == 0
            && shape.joiners == 0
            && shape.len < 9
            && shape.is_wordy()
            && !quoted;
    let technical = technical || is_name_of_method(value);
    let mixed = shape.upper > 0 && shape.lower > 0;
    let odd = mixed && (!shape.is_wordy() && (shape.symbols > 0 || shape.humps >= 2) || is_made(value));
    let typed = shape.digits > 0 && (shape.letters() > 0 || shape.symbols > 0) || odd;
    let letters = quoted && shape.lower == shape.len && shape.len >= 10;
    (typed && !technical || letters || shape.is_opaque()) && !is_markup_or_label(value, &shape)
}

/// "the password is `dragon`": said outright and set apart, a plain word is one.
pub(crate) fn is_told_word(value: &[u8], shape: &Shape, setting: Setting) -> bool {
    let camel = shape.humps > 0 && shape.lower > shape.upper && value.len() >= 10;
    (setting.certain && setting.quoted && value.len() >= 6 || camel && setting.spaced)
        && shape.letters() == shape.len
        && !is_predicate(value)
        && !has_word_of_trade(value)
        && !holes::is_placeholder(value)
}

/// "the passphrase for the key is bluehorseriver" ends a line with no word that passwords are said to be.
pub(crate) fn is_last_word(value: &[u8], shape: &Shape, setting: Setting) -> bool {
    setting.line_end
        && !setting.quoted
        && shape.lower == shape.len
        && (10..=24).contains(&value.len())
        && !is_predicate(value)
}

/// Ends as the words do that describe passwords: required, insecure, alphanumeric, somewhere.
pub(crate) fn is_predicate(value: &[u8]) -> bool {
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

pub(crate) fn is_word_chain_of(value: &[u8], shape: &Shape, least: usize) -> bool {
    let words = value.split(|&b| matches!(b, b'-' | b'.' | b'_')).filter(|word| word.len() >= 3).count();
    words >= least
        && shape.digits == 0
        && shape.symbols == 0
        && shape.upper == 0
        && shape.spaces == 0
        && shape.joiners + 1 == words
}

/// A phrase with nothing around it to say where it ends: only a number at its end, or the word passphrase
/// before it, tells it from a sentence.
pub(crate) fn is_whole_phrase(value: &[u8], passphrase: bool) -> bool {
    let shape = Shape::of(value);
    let numbered = value.last().is_some_and(|&b| text::is(b, DIGIT));
    (2..=6).contains(&shape.spaces) && (numbered || passphrase) && is_phrase(value, &shape)
}

/// Words with spaces between are labels and sentences, unless something in them is not a word.
pub(crate) fn is_phrase_password(value: &[u8], shape: &Shape, setting: Setting) -> bool {
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

/// `correct horse battery 52`: plain words and a number, no sentence.
pub(crate) fn is_phrase(value: &[u8], shape: &Shape) -> bool {
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
