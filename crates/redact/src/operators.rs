//! What stands between a name and its value: operators, types, markup, the other half of a pair.
//! Finds where the value begins and how it is bound; what the value is worth is judged elsewhere.

use crate::expression::is_identifier;
use crate::judge;
use crate::prose;
use crate::text::{self, ALNUM, BLANK, NAME};
use crate::value::{self, Ending};

/// Between a name and its value: blanks, quotes, a type. More is another statement.
const LONGEST_GAP: usize = 64;
const LONGEST_NAME: usize = 80;

/// How a name is bound to its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `=`, `:=`, `=>`.
    Equals,
    /// `==`, `!=`: something is compared.
    Compares,
    Colon,
    /// `("name", "value")`.
    Comma,
    /// `name: PASSWORD, value: …`: a pair whose other half is the value.
    Twin,
    /// `<name>value</name>`.
    Markup,
    /// `.password("value")`.
    Call,
    /// "the password is …".
    Says,
    /// `--password value`, `password value` in a netrc.
    Blank,
}

/// Finds the operator after a name and where its value begins.
pub(crate) fn operator(text: &[u8], name_end: usize) -> Option<(Operator, usize, bool)> {
    // the password's …
    if text::starts_with(text, name_end, b"'s ") {
        return prose::said(text, name_end + 3).map(|at| (Operator::Says, at, true)).or(Some((
            Operator::Says,
            name_end + 3,
            true,
        )));
    }
    if let Some(value) = prose::after_pronoun(text, name_end) {
        return Some((Operator::Says, value, true));
    }
    let mut at = text::run_end_of(text, name_end, b'\\', 8);
    let closed_quote = matches!(text::at(text, at), b'"' | b'\'' | b'`');
    if closed_quote {
        at += 1;
    } else {
        at = name_end;
    }
    while matches!(text::at(text, at), b'[' | b']' | b')' | b'?' | b'*') && at < name_end + 12 {
        at += 1;
    }
    let gap = at;
    at = text::skip_blank(text, at, LONGEST_GAP);
    let spaced = has_blank(text, gap, at);
    let byte = text::at(text, at);
    let next = text::at(text, at + 1);
    let (operator, length) = match byte {
        // A password may begin with the sign: NAME==…
        b'=' if matches!(next, b'=' | b'~') && !spaced && begins_disorderly(text, at + 1) => {
            (Operator::Equals, 1)
        }
        b'=' | b'!' if next == b'=' => {
            (Operator::Compares, if text::at(text, at + 2) == b'=' { 3 } else { 2 })
        }
        b'=' if next == b'>' => (Operator::Equals, 2),
        b'=' if next == b'~' => return None,
        b'=' => (Operator::Equals, 1),
        b':' | b'+' | b'?' | b'|' if next == b'=' => (Operator::Equals, 2),
        b':' if next == b':' => (text::at(text, at + 2) == b'=').then_some((Operator::Equals, 3))?,
        // ${PASSWORD:-value}
        b':' if matches!(next, b'-' | b'=') && at == name_end => {
            (text::at(text, at + 2) != b'}').then_some((Operator::Equals, 2))?
        }
        b':' => (Operator::Colon, 1),

        b'|' if next == b'|' && text::at(text, at + 2) == b'=' => (Operator::Equals, 3),
        b'|' | b'?' if matches!(next, b'|' | b'?' | b':') && spaced => return default_value(text, at + 2),

        // A closed bracket before the comma ended the call that the name stands in.
        b',' if matches!(text::before(text, gap), b')' | b']') => return None,
        b',' if closed_quote => return comma(text, at),
        // CURLOPT_USERPWD, "…" and {:password, "…"}
        b',' if matches!(text::at(text, text::skip_blank(text, at + 1, 4)), b'"' | b'\'') => {
            return comma(text, at);
        }
        b'<' if next == b'-' && spaced => (Operator::Equals, 2),
        b'(' if spaced && gap == name_end => {
            // auth token (prod): …
            let close = memchr::memchr(b')', &text[at..text.len().min(at + 24)]).map(|close| at + close + 1);
            match close.filter(|&close| text::starts_with(text, close, b": ")) {
                Some(close) => (Operator::Colon, close + 1 - at),
                None => (Operator::Says, 1),
            }
        }
        b'-' if spaced && next == b' ' => (Operator::Says, 1),
        _ if spaced && text::starts_with(text, at, "→".as_bytes()) => (Operator::Says, "→".len()),
        _ if spaced && text::starts_with(text, at, "–".as_bytes()) => (Operator::Says, "–".len()),
        _ if text::starts_with(text, at, "：".as_bytes()) => (Operator::Colon, "：".len()),
        b'(' if !closed_quote && !spaced => (Operator::Call, 1),
        b'>' if !spaced => (Operator::Markup, 1),
        // wrangler secret put NAME <<< 'value'
        b'<' if text::starts_with(text, at, b"<<<") => (Operator::Equals, 3),
        b'<' => return markup_pair(text, at),
        b'|' if spaced => return table_cell(text, name_end, at),
        b'\n' | b'\r' if !closed_quote || text::before(text, at) == b'`' => {
            return value_attribute(text, at)
                .map(|at| (Operator::Twin, at, true))
                .or_else(|| prose::on_next_line(text, at).map(|value| (Operator::Says, value.start, true)));
        }
        b'{' if spaced => return inside_braces(text, at).map(|at| (Operator::Twin, at, true)),
        _ if spaced && closed_quote => {
            if byte == b'{' {
                return inside_braces(text, at).map(|at| (Operator::Twin, at, true));
            }
            return value_attribute(text, at).map(|at| (Operator::Twin, at, true));
        }
        _ if spaced => {
            if let Some(value) = value_attribute(text, at) {
                return Some((Operator::Twin, value, true));
            }
            if let Some(value) = attributed(text, name_end) {
                return Some((Operator::Markup, value, false));
            }
            if let Some(value) = registry_value(text, at) {
                return Some((Operator::Twin, value, true));
            }
            if let Some(value) = after_type_word(text, at) {
                return Some((Operator::Equals, value, true));
            }
            if let Some(value) = prose::said(text, at) {
                let operator = if value == at { Operator::Blank } else { Operator::Says };
                return Some((operator, value, true));
            }
            return Some((Operator::Blank, at, true));
        }
        _ => return None,
    };
    // <AdministratorPassword><Value>…
    if operator == Operator::Markup && text::at(text, at + 1) == b'<' {
        let inside = [&b"<value>"[..], b"<string>", b"<plaintext>"]
            .into_iter()
            .find(|tag| text::starts_with_folded(text, at + 1, tag))?;
        return Some((Operator::Markup, at + 1 + inside.len(), false));
    }
    let mut after = at + length;
    // **Password:** value
    if operator == Operator::Colon
        && (text::starts_with(text, after, b"** ") || text::starts_with(text, after, b"__ "))
    {
        after += 2;
    }
    let mut value = text::skip_blank(text, after, LONGEST_GAP);
    // ["password"]=> string(10) "value"
    if text::starts_with(text, value, b"string(") {
        let digits = text::run_end(text, value + 7, text::DIGIT, 6);
        if text::starts_with(text, digits, b") \"") {
            value = digits + 2;
        }
    }
    let spaced = spaced || has_blank(text, after, value) && operator != Operator::Colon;
    if matches!(text::at(text, value), b'\n' | b'\r') {
        // A value on the next line is only believed in quotes.
        let line = skip_space(text, value, LONGEST_GAP);
        // A fence opens a listing.
        if text::starts_with(text, line, b"```") {
            return None;
        }
        if !matches!(text::at(text, line), b'"' | b'\'' | b'`') {
            let alone = (operator == Operator::Colon).then(|| prose::on_next_line(text, value)).flatten();
            return alone.map(|alone| (Operator::Says, alone.start, true));
        }
        value = line;
    }
    if operator == Operator::Colon {
        value = after_type(text, value).unwrap_or(value);
    }
    // YAML: an anchor or a tag before the value.
    if operator == Operator::Colon && matches!(text::at(text, value), b'&' | b'!') {
        let end = text::run_end(text, value + 1, NAME, 24).max(text::run_end(text, value + 2, NAME, 24));
        if text::at(text, end) == b' '
            && text::at(text, text::skip_blank(text, end, 8)) != b'='
            && (text[value] == b'&' || text::starts_with(text, value, b"!!"))
        {
            value = text::skip_blank(text, end, 8);
        }
    }
    if matches!(operator, Operator::Equals | Operator::Colon) {
        if text::at(text, value) == b'{'
            && let Some(inside) = inside_braces(text, value)
        {
            return Some((Operator::Twin, inside, true));
        }
        value = inside_constructor(text, value).unwrap_or(value);
    }
    Some((operator, value, spaced))
}

/// `env.PASSWORD || 'value'`, `getenv('PASSWORD') ?: 'value'`: what is used when nothing is set.
fn default_value(text: &[u8], from: usize) -> Option<(Operator, usize, bool)> {
    let value = skip_space(text, from, LONGEST_GAP);
    matches!(text::at(text, value), b'"' | b'\'' | b'`').then_some((Operator::Equals, value, true))
}

/// `String::from("value")`, `new SecretString("value")`, `[]byte("value")`: the value is the argument. Calls
/// that look something up by name (`get("password")`) are not among them.
fn inside_constructor(text: &[u8], from: usize) -> Option<usize> {
    #[rustfmt::skip]
    const CONSTRUCTORS: &[&[u8]] = &[
        b"from", b"new", b"string", b"str", b"secret", b"secretstring", b"secretstr", b"some", b"byte", b"bytes",
        b"text", b"buffer", b"securestring", b"of", b"just", b"ok", b"vec", b"protectedstring", b"password",
        b"passwordof", b"sensitive", b"redacted", b"nsstring", b"std", b"quote", b"literal",
        b"valueof", b"cstring",
    ];
    let mut at = from;
    if text::starts_with(text, at, b"new ") || text::starts_with(text, at, b"&") {
        at = text::skip_blank(text, at + 1 + 3 * usize::from(text[at] == b'n'), 4);
    }
    let limit = text.len().min(at + 48);
    let mut open = at;
    while open < limit
        && (text::is(text[open], ALNUM)
            || matches!(text[open], b':' | b'.' | b'_' | b'[' | b']' | b'<' | b'>'))
    {
        open += 1;
    }
    if text::at(text, open) != b'(' || open == at {
        return None;
    }
    let last = text[at..open].rsplit(|&b| !text::is(b, ALNUM)).find(|part| !part.is_empty())?;
    if !CONSTRUCTORS.iter().any(|known| last.eq_ignore_ascii_case(known)) {
        return None;
    }
    let value = text::skip_blank(text, open + 1, 8);
    let quote = text::run_end_of(text, value, b'\\', 4);
    (matches!(text::at(text, quote), b'"' | b'\'' | b'`')
        || matches!(text::at(text, value + 1), b'"' | b'\''))
    .then_some(value)
}

/// `variable "password" { default = "…" }`, `"password": {"type": "string", "value": "…"}`.
fn inside_braces(text: &[u8], brace: usize) -> Option<usize> {
    let limit = text.len().min(brace + 240);
    let window = &text[brace + 1..limit];
    let stop = memchr::memchr2(b'}', b'{', window).unwrap_or(window.len());
    member(text, brace + 1, brace + 1 + stop)
}

/// A terminal color between two things does not set them apart; a blank does.
fn has_blank(text: &[u8], from: usize, to: usize) -> bool {
    text[from..to].iter().any(|&b| text::is(b, BLANK))
}

fn comma(text: &[u8], at: usize) -> Option<(Operator, usize, bool)> {
    let value = skip_space(text, at + 1, LONGEST_GAP);
    if let Some(pair) = value_attribute(text, value) {
        return Some((Operator::Twin, pair, true));
    }
    matches!(text::at(text, value), b'"' | b'\'' | b'`' | b'\\').then_some((Operator::Comma, value, true))
}

/// `| password | … |`: a row of a table, not a filter or an alternative.
fn table_cell(text: &[u8], name_end: usize, bar: usize) -> Option<(Operator, usize, bool)> {
    let start = text::line_start(text, name_end);
    let lead = text[start..name_end].trim_ascii_start();
    let name = text::run_start(text, name_end, NAME, LONGEST_NAME);
    let opens = lead.first() == Some(&b'|') && text[start..name].trim_ascii() == b"|";
    if !opens && !text[start..name].trim_ascii().is_empty() {
        return None;
    }
    let value = text::skip_blank(text, bar + 1, LONGEST_GAP);
    let end = value + text[value..text.len().min(value + 256)].iter().position(|&b| b <= b' ')?;
    let after = text::skip_blank(text, end, LONGEST_GAP);
    (matches!(text::at(text, after), b'|' | b'\n' | b'\r') && end > value).then_some((
        Operator::Colon,
        value,
        true,
    ))
}

/// `"value": …`, `value="…"`: the other half of a name and value pair, perhaps behind a member or two
/// (`"Type": "SecureString"`) and whatever viewers put before each line.
fn value_attribute(text: &[u8], from: usize) -> Option<usize> {
    let limit = text.len().min(from + 360);
    let window = &text[from..limit];
    // `<property name="password">`: the attributes end here.
    if window.first() == Some(&b'>') {
        return None;
    }
    let stop = memchr::memchr2(b'}', b'{', window).unwrap_or(window.len());
    let stop = memchr::memmem::find(&window[..stop], b"/>").unwrap_or(stop);
    let blank_line = memchr::memmem::find(&window[..stop], b"\n\n").unwrap_or(stop);
    let lines = memchr::memchr_iter(b'\n', &window[..blank_line]).nth(3).unwrap_or(blank_line);
    member(text, from, from + lines)
}

/// The value of the first member called `value` or `default` between two places, unless another pair
/// begins before it.
fn member(text: &[u8], from: usize, to: usize) -> Option<usize> {
    const WORDS: &[&[u8]] =
        &[b"value", b"content", b"parametervalue", b"defaultvalue", b"default", b"stringvalue"];
    let mut at = from;
    while at < to {
        if !text::is(text[at], text::ALPHA) || !text::begins_token(text, at) {
            at += 1;
            continue;
        }
        let end = text::run_end(text, at, NAME, LONGEST_NAME);
        let word = &text[at..end];
        let mut after = text::run_end_of(text, end, b'\\', 8);
        if matches!(text::at(text, after), b'"' | b'\'') {
            after += 1;
        }
        after = text::skip_blank(text, after, 8);
        // `settings.local:96:` is a file and a line.
        let assigns = matches!(text::at(text, after), b'=' | b':')
            && !matches!(text::at(text, after + 1), b'=' | b':' | b'0'..=b'9');
        if assigns && WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)) {
            return Some(text::skip_blank(text, after + 1, 8));
        }
        // A member that is neither a value nor a description of one: this is some other text.
        if assigns && !is_description(word) {
            return None;
        }
        if !assigns && at == from {
            return None;
        }
        at = end.max(at + 1);
    }
    None
}

/// Members that stand between the name and the value of a variable in the listings of clouds and pipelines.
fn is_description(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&[u8]] = &[
        b"type", b"sensitive", b"description", b"secure", b"encrypted", b"overwrite", b"tier", b"datatype", b"version",
        b"slotsetting", b"secret", b"protected", b"masked", b"hidden", b"raw", b"enabled", b"isenabled", b"scope",
        b"environment_scope", b"variable_type", b"required", b"issecret", b"id", b"label", b"group", b"kind", b"format",
        b"target", b"serializeas", b"override", b"public",
    ];
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// `<key>Password</key><string>…`, `<name>password</name><value>…`.
fn markup_pair(text: &[u8], at: usize) -> Option<(Operator, usize, bool)> {
    if text::at(text, at + 1) != b'/' {
        return None;
    }
    let close = at + memchr::memchr(b'>', &text[at..text.len().min(at + 32)])?;
    let mut open = skip_space(text, close + 1, LONGEST_GAP);
    // A viewer's number or a diff's sign may stand before the next line.
    if text::at(text, open) != b'<' {
        let stop = open.saturating_add(16).min(text.len());
        open += memchr::memchr(b'<', &text[open..stop])?;
    }
    let opens = [&b"<string>"[..], b"<value>", b"<data>"]
        .into_iter()
        .find(|tag| text::starts_with_folded(text, open, tag))?;
    Some((Operator::Markup, open + opens.len(), false))
}

/// `<Pass encoding="base64">value</Pass>`
fn attributed(text: &[u8], name_end: usize) -> Option<usize> {
    let name = text::run_start(text, name_end, NAME, LONGEST_NAME);
    if text::before(text, name) != b'<' {
        return None;
    }
    let close = name_end + memchr::memchr2(b'>', b'\n', &text[name_end..text.len().min(name_end + 96)])?;
    (text[close] == b'>' && text[close - 1] != b'/').then_some(close + 1)
}

/// `DefaultPassword    REG_SZ    value`
fn registry_value(text: &[u8], at: usize) -> Option<usize> {
    let word =
        [&b"REG_SZ"[..], b"REG_EXPAND_SZ"].into_iter().find(|word| text::starts_with(text, at, word))?;
    let value = text::skip_blank(text, at + word.len(), LONGEST_GAP);
    (value > at + word.len()).then_some(value)
}

/// `var token string = "…"`: Go puts the type where others put nothing.
fn after_type_word(text: &[u8], from: usize) -> Option<usize> {
    let word = [&b"string "[..], b"[]byte ", b"String ", b"*string ", b"TEXT ", b"text "]
        .into_iter()
        .find(|word| text::starts_with(text, from, word))?;
    let at = text::skip_blank(text, from + word.len(), 8);
    (text::at(text, at) == b'=' && text::at(text, at + 1) != b'=').then(|| text::skip_blank(text, at + 1, 8))
}

/// `password: &str = "…"`: the value is behind the type.
fn after_type(text: &[u8], from: usize) -> Option<usize> {
    let limit = text.len().min(from + 40);
    let mut at = from;
    while at < limit {
        match text[at] {
            b'=' if at > from && text::at(text, at + 1) != b'=' => {
                // A sign inside a password is no type before it.
                let is_type = text[from..at]
                    .split(|&b| !text::is(b, ALNUM) && b != b'_')
                    .filter(|part| !part.is_empty())
                    .all(|part| text::is(part[0], text::DIGIT) && part.len() <= 4 || is_identifier(part));
                let spaced = text::is(text::before(text, at), BLANK);
                return (spaced || is_type && matches!(text::at(text, at + 1), b' ' | b'"' | b'\''))
                    .then(|| text::skip_blank(text, at + 1, 16));
            }
            b if text::is(b, ALNUM)
                || matches!(
                    b,
                    b' ' | b'&' | b'<' | b'>' | b'_' | b'\'' | b'[' | b']' | b'.' | b'|' | b'?'
                ) =>
            {
                at += 1;
            }
            _ => return None,
        }
    }
    None
}

/// The word at `from` is generated, whatever sign it begins with.
fn begins_disorderly(text: &[u8], from: usize) -> bool {
    value::read(text, from, Ending::Pair).is_some_and(|word| {
        !word.quoted
            && !text::is(text::at(text, from + 1), BLANK)
            && judge::is_disorderly(&text[word.start..word.end])
    })
}

fn skip_space(text: &[u8], from: usize, limit: usize) -> usize {
    let ceiling = text.len().min(from.saturating_add(limit));
    let mut at = from;
    while at < ceiling && text[at].is_ascii_whitespace() {
        at += 1;
    }
    at
}
