//! Names beside values: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<password>…</password>`.
//! The scanner that wins the passwords. It believes a name only as far as its strength goes, and a value
//! only when it is no placeholder, no reference and no code.

use crate::hit::{Hit, Rule};
use crate::lexicon::{self, Announced, Strength};
use crate::mask;
use crate::likeness::Shape;
use crate::scan::Scan;
use crate::text::{self, ALNUM, ALPHA, BLANK, DIGIT, LOWER, NAME, UPPER};
use crate::value::{self, Ending, Value};

/// Between a name and its value: blanks, quotes, a type. More is another statement.
const LONGEST_GAP: usize = 64;
const LONGEST_NAME: usize = 80;
/// Indentation, a line number with its file, `declare -x`: what may stand before an assignment.
const LONGEST_LEAD: usize = 120;

pub(crate) static RULES: &[Rule] = &[
    Rule {
        name: "assigned-password",
        kind: "password",
        password: true,
        catches: "DB_PASSWORD=hunter2-rabbit",
        spares: "password = get_password()",
    },
    Rule {
        name: "assigned-secret",
        kind: "secret",
        password: false,
        catches: "client_secret: \"q8Zr4vLx91Tn\"",
        spares: "client_secret: \"<your-client-secret>\"",
    },
    Rule {
        name: "assigned-token",
        kind: "token",
        password: false,
        catches: "auth_token = 'Xk29vQmZ7LpR4tYw'",
        spares: "token = next_token()",
    },
    Rule {
        name: "vendor-context",
        kind: "vendor-key",
        password: false,
        catches: "algolia_search: 'f09ab7cd18e24f5690ab12cd34ef56ab'",
        spares: "algolia_search: 'instantsearch-results'",
    },
];

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
    /// `<name>value</name>`.
    Markup,
    /// `.password("value")`.
    Call,
    /// "the password is …".
    Says,
    /// `--password value`, `password value` in a netrc.
    Blank,
}

/// What surrounds a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub operator: Operator,
    pub quoted: bool,
    /// Nothing but the assignment stands on the line: a configuration or environment file.
    pub own_line: bool,
    /// Blanks around the operator, as programs are written.
    pub spaced: bool,
    /// A command-line flag, a field of a URL query, or `NAME=value` as shells write it.
    pub flag: bool,
}

/// Reads the assignment whose name holds position `at`. Returns where the scan goes on.
pub(crate) fn scan(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    if at < scan.dead_until {
        return at + 1;
    }
    let name_end = name_end(text, at);
    if name_end - at >= LONGEST_NAME {
        scan.dead_until = name_end;
        return name_end;
    }
    let Some((operator, value_at, spaced)) = operator(text, name_end) else { return name_end };
    if value_at < scan.long_until {
        return name_end;
    }
    let name_start = name_start(text, at);
    if text[..name_start].ends_with(mask::OPENING) {
        return name_end;
    }
    let name = &text[name_start..name_end];
    let dashes = name.iter().take_while(|&&b| b == b'-').count();
    let flagged = dashes > 0 && !text::is(text::before(text, name_start), ALNUM);
    let name = trim_name(&name[dashes..]);
    let Some(announced) = lexicon::announced(name) else { return name_end };
    // arn:aws:secretsmanager:…:secret:name is the name of a secret.
    if operator == Operator::Colon && value_at == name_end + 1 && text::before(text, name_start) == b':' {
        return name_end;
    }
    if operator == Operator::Comma && !matches!(text::before(text, name_start), b'"' | b'\'' | b'`') {
        return name_end;
    }
    if operator == Operator::Blank && !flagged && !(is_typed(text, value_at) && is_blank_bound(text, name_start, name)) {
        return name_end;
    }
    let query = matches!(text::before(text, name_start), b'?' | b'&');
    let own_line = is_own_line(text, name_start);
    let inline = operator == Operator::Equals && !spaced && (announced.shouted || !is_inside_code(text, name_start));
    let found = found(text, value_at, operator, own_line && !spaced, flagged, query);
    let Some(value) = found else { return name_end };
    if value.end - value.start >= value::LONGEST_VALUE {
        scan.long_until = value.end;
        return name_end;
    }
    if announced.kind == "mnemonic" {
        return mnemonic(scan, value, name_end);
    }
    let setting = Setting { operator, quoted: value.quoted, own_line, spaced, flag: flagged || query || inline };
    let value = without_scheme(text, value);
    let bytes = &text[value.start..value.end];
    if !is_secret(announced, name, bytes, setting) {
        return name_end;
    }
    scan.hits.push(hit(announced, value.start, value.end));
    value.end
}

/// Reads the assignment whose name begins with a vendor's name. Only opaque values are taken.
pub(crate) fn vendor(scan: &mut Scan<'_>, at: usize, length: usize) -> usize {
    let text = scan.text;
    let after = at + length;
    let begins = !text::is(text::before(text, at), ALPHA)
        || text::is(text[at], UPPER) && text::is(text::before(text, at), LOWER);
    if !begins {
        return at + 1;
    }
    // The rest of the name, and at most two words more: "Datadog API key: …".
    let mut name_end = text::run_end(text, after, NAME, 40);
    if text::at(text, name_end) == b' ' && text::is(text::at(text, name_end + 1), ALPHA) {
        let more = text::run_end(text, name_end, NAME | BLANK, 24);
        if matches!(text::at(text, more), b'=' | b':' | b'"' | b'\'') {
            name_end = more;
        }
    }
    let Some((operator, value_at, _)) = operator(text, name_end) else { return after };
    if !matches!(operator, Operator::Equals | Operator::Colon | Operator::Comma) {
        return after;
    }
    let name_start = name_start(text, at);
    let name = trim_name(&text[name_start..name_end]);
    let Some(value) = value::read(text, value_at, Ending::Punctuation) else { return after };
    let bytes = &text[value.start..value.end];
    if !is_vendor_value(name, bytes, value.quoted) {
        return after;
    }
    scan.hits.push(Hit::new(value.start, value.end, &RULES[3]));
    value.end
}

/// A value found under a name that structure gives: a JSON key, a field of a pair.
pub(crate) fn judge_named(name: &[u8], value: &[u8]) -> Option<Hit> {
    let announced = lexicon::announced(trim_name(name))?;
    let setting =
        Setting { operator: Operator::Colon, quoted: true, own_line: true, spaced: false, flag: false };
    let whole = Value { start: 0, end: value.len(), quoted: true };
    if announced.kind == "mnemonic" {
        let words = value.split(|&b| b == b' ').count();
        return (words >= 11).then(|| hit(announced, 0, value.len()));
    }
    let inner = without_scheme(value, whole);
    is_secret(announced, name, &value[inner.start..inner.end], setting).then(|| hit(announced, inner.start, inner.end))
}

fn hit(announced: Announced, start: usize, end: usize) -> Hit {
    let rule = match announced.strength {
        Strength::Password => &RULES[0],
        Strength::Secret => &RULES[1],
        _ => &RULES[2],
    };
    Hit { kind: announced.kind.into(), ..Hit::new(start, end, rule) }
}

fn name_end(text: &[u8], at: usize) -> usize {
    let mut end = text::run_end(text, at, NAME, LONGEST_NAME);
    while end > at && matches!(text[end - 1], b'.' | b'-') {
        end -= 1;
    }
    end
}

/// Start of the name around `at`. The end of a terminal color (`[1;32m`) is no part of it.
fn name_start(text: &[u8], at: usize) -> usize {
    let start = text::run_start(text, at, NAME, LONGEST_NAME);
    if matches!(text::before(text, start), b'[' | b';') {
        let letter = text::run_end(text, start, DIGIT, 4);
        let escape = memchr::memrchr(0x1b, &text[start.saturating_sub(16)..start]);
        if letter < at && text[letter] == b'm' && escape.is_some() {
            return letter + 1;
        }
    }
    start
}

fn trim_name(name: &[u8]) -> &[u8] {
    let start = name.iter().position(|&b| text::is(b, ALNUM)).unwrap_or(name.len());
    let end = name.iter().rposition(|&b| text::is(b, ALNUM)).map_or(start, |last| last + 1);
    &name[start..end.max(start)]
}

/// Finds the operator after a name and where its value begins.
fn operator(text: &[u8], name_end: usize) -> Option<(Operator, usize, bool)> {
    let mut at = text::run_end_of(text, name_end, b'\\', 8);
    let closed_quote = matches!(text::at(text, at), b'"' | b'\'' | b'`');
    if closed_quote {
        at += 1;
    } else {
        at = name_end;
    }
    while matches!(text::at(text, at), b']' | b')' | b'?' | b'*') && at < name_end + 12 {
        at += 1;
    }
    let gap = at;
    at = text::skip_blank(text, at, LONGEST_GAP);
    let spaced = has_blank(text, gap, at);
    let byte = text::at(text, at);
    let next = text::at(text, at + 1);
    let (operator, length) = match byte {
        b'=' if next == b'=' => (Operator::Compares, if text::at(text, at + 2) == b'=' { 3 } else { 2 }),
        b'=' if next == b'>' => (Operator::Equals, 2),
        b'=' if next == b'~' => return None,
        b'=' => (Operator::Equals, 1),
        b':' if next == b'=' => (Operator::Equals, 2),
        b':' if next == b':' => (text::at(text, at + 2) == b'=').then_some((Operator::Equals, 3))?,
        b':' => (Operator::Colon, 1),
        b'+' | b'?' | b'|' if next == b'=' => (Operator::Equals, 2),
        b'|' if next == b'|' && text::at(text, at + 2) == b'=' => (Operator::Equals, 3),
        b'!' if next == b'=' => (Operator::Compares, if text::at(text, at + 2) == b'=' { 3 } else { 2 }),
        b',' if closed_quote => return comma(text, at),
        b'(' if !closed_quote && !spaced => (Operator::Call, 1),
        b'>' if !spaced => (Operator::Markup, 1),
        b'<' => return markup_pair(text, at),
        b'|' if spaced => return table_cell(text, name_end, at),
        b'\n' | b'\r' if !closed_quote => return value_attribute(text, at).map(|at| (Operator::Equals, at, true)),
        _ if spaced && closed_quote => return value_attribute(text, at).map(|at| (Operator::Equals, at, true)),
        _ if spaced => {
            if let Some(value) = value_attribute(text, at) {
                return Some((Operator::Equals, value, true));
            }
            for verb in [&b"is "[..], b"was ", b"is: ", b"set to "] {
                if text::starts_with_folded(text, at, verb) {
                    return Some((Operator::Says, text::skip_blank(text, at + verb.len(), 8), true));
                }
            }
            return Some((Operator::Blank, at, true));
        }
        _ => return None,
    };
    let after = at + length;
    let mut value = text::skip_blank(text, after, LONGEST_GAP);
    let spaced = spaced || has_blank(text, after, value) && operator != Operator::Colon;
    if matches!(text::at(text, value), b'\n' | b'\r') {
        // A value on the next line is only believed in quotes.
        let line = skip_space(text, value, LONGEST_GAP);
        if !matches!(text::at(text, line), b'"' | b'\'' | b'`') {
            return None;
        }
        value = line;
    }
    if operator == Operator::Colon {
        value = after_type(text, value).unwrap_or(value);
    }
    Some((operator, value, spaced))
}

/// A terminal color between two things does not set them apart; a blank does.
fn has_blank(text: &[u8], from: usize, to: usize) -> bool {
    text[from..to].iter().any(|&b| text::is(b, BLANK))
}

fn comma(text: &[u8], at: usize) -> Option<(Operator, usize, bool)> {
    let value = skip_space(text, at + 1, LONGEST_GAP);
    if let Some(pair) = value_attribute(text, value) {
        return Some((Operator::Equals, pair, true));
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
    (matches!(text::at(text, after), b'|' | b'\n' | b'\r') && end > value).then_some((Operator::Colon, value, true))
}

/// `"value": …`, `value="…"`: the other half of a name and value pair.
fn value_attribute(text: &[u8], from: usize) -> Option<usize> {
    let mut at = skip_space(text, from, LONGEST_GAP);
    at = text::run_end_of(text, at, b'\\', 8);
    if matches!(text::at(text, at), b'"' | b'\'') {
        at += 1;
    }
    let word = [&b"value"[..], b"content", b"parametervalue", b"defaultvalue"]
        .into_iter()
        .find(|word| text::starts_with_folded(text, at, word))?;
    at = text::run_end_of(text, at + word.len(), b'\\', 8);
    if matches!(text::at(text, at), b'"' | b'\'') {
        at += 1;
    }
    at = text::skip_blank(text, at, 8);
    matches!(text::at(text, at), b'=' | b':').then(|| text::skip_blank(text, at + 1, 8))
}

/// `<key>Password</key><string>…`, `<name>password</name><value>…`.
fn markup_pair(text: &[u8], at: usize) -> Option<(Operator, usize, bool)> {
    if text::at(text, at + 1) != b'/' {
        return None;
    }
    let close = at + memchr::memchr(b'>', &text[at..text.len().min(at + 32)])?;
    let open = skip_space(text, close + 1, LONGEST_GAP);
    let opens = [&b"<string>"[..], b"<value>", b"<data>"].into_iter().find(|tag| text::starts_with_folded(text, open, tag))?;
    Some((Operator::Markup, open + opens.len(), false))
}

/// `password: &str = "…"`: the value is behind the type.
fn after_type(text: &[u8], from: usize) -> Option<usize> {
    let limit = text.len().min(from + 40);
    let mut at = from;
    while at < limit {
        match text[at] {
            b'=' if at > from && text::at(text, at + 1) != b'=' => return Some(text::skip_blank(text, at + 1, 16)),
            b if text::is(b, ALNUM) || matches!(b, b' ' | b'&' | b'<' | b'>' | b'_' | b'\'' | b'[' | b']' | b'.' | b'|' | b'?') => at += 1,
            _ => return None,
        }
    }
    None
}

fn found(text: &[u8], at: usize, operator: Operator, environment: bool, flagged: bool, query: bool) -> Option<Value> {
    match operator {
        Operator::Markup => {
            let limit = text.len().min(at + value::LONGEST_VALUE);
            let end = at + memchr::memchr3(b'<', b'\n', b'>', text.get(at..limit)?)?;
            (end > at && text[end] == b'<').then_some(Value { start: at, end, quoted: false })
        }
        Operator::Call | Operator::Comma => {
            let value = value::read(text, at, Ending::Punctuation)?;
            (value.quoted || operator == Operator::Comma).then_some(value)
        }
        _ => {
            let ending = if (environment || flagged) && !query { Ending::Blank } else { Ending::Punctuation };
            value::read(text, at, ending)
        }
    }
}

/// The word at `at` is in quotes or has something in it that is no letter: cheap, and false for prose.
fn is_typed(text: &[u8], at: usize) -> bool {
    let end = text::run_end(text, at, ALPHA, 64);
    !matches!(text::at(text, end), b' ' | b'.' | b',' | b'\n' | b'\r' | b')' | b':' | b';' | b'=' | 0)
}

/// Bound to its value by a blank alone: netrc, redis.conf, SQL, `aws configure set`.
fn is_blank_bound(text: &[u8], name_start: usize, name: &[u8]) -> bool {
    if [&b"requirepass"[..], b"masterauth", b"storepass", b"keypass"].iter().any(|word| name.eq_ignore_ascii_case(word)) {
        return true;
    }
    let from = name_start.saturating_sub(160);
    let lead = &text[from..name_start];
    if text::contains_folded(lead, b"login ") || text::contains_folded(lead, b"configure set ") || text::contains_folded(lead, b"machine ") {
        return true;
    }
    // CREATE USER x WITH PASSWORD 'y'; ALTER ROLE … ENCRYPTED PASSWORD '…'
    text::contains_folded(lead, b"user ") && text::contains_folded(lead, b"with ") || text::contains_folded(lead, b"encrypted ")
        || text::contains_folded(lead, b"alter role") || text::contains_folded(lead, b"alter user")
}

/// The assignment has its line to itself, but for what tools put before it.
fn is_own_line(text: &[u8], name_start: usize) -> bool {
    let start = text::line_start(text, name_start);
    let mut lead = &text[start..name_start];
    // An escaped line break begins a line as well.
    if let Some(escaped) = memchr::memrchr_iter(b'\\', lead).find(|&at| text::at(lead, at + 1) == b'n') {
        lead = &lead[escaped + 2..];
    }
    if lead.len() > LONGEST_LEAD {
        return false;
    }
    lead = strip_colors_and_numbers(lead);
    loop {
        lead = lead.trim_ascii();
        let before = lead.len();
        for word in [&b"export"[..], b"set", b"setx", b"env", b"declare", b"-x", b"-e", b"--env", b"$env:", b"-", b"+", b"#", b"//", b">", b"<", b"*", b"|", b"$", b"\"", b"'", b"{", b"--build-arg", b"arg"] {
            if lead.len() >= word.len() && lead[lead.len() - word.len()..].eq_ignore_ascii_case(word) {
                lead = &lead[..lead.len() - word.len()];
                break;
            }
        }
        if lead.is_empty() {
            return true;
        }
        if lead.len() == before {
            return false;
        }
    }
}

/// An open bracket before the name on its line: a call's argument or a member, not an environment.
fn is_inside_code(text: &[u8], name_start: usize) -> bool {
    let start = text::line_start(text, name_start);
    let lead = &text[start..name_start];
    memchr::memchr3(b'(', b'{', b'[', lead).is_some()
}

/// Drops what viewers put before a line: `  12→`, `12:`, `src/a.env:12:`, terminal colors.
fn strip_colors_and_numbers(lead: &[u8]) -> &[u8] {
    let mut lead = lead;
    while let Some(escape) = memchr::memrchr(0x1b, lead) {
        let length = text::color_len(lead, escape);
        if length == 0 || escape + length < lead.len() && !lead[escape + length..].trim_ascii().is_empty() {
            break;
        }
        lead = &lead[..escape];
    }
    let trimmed = lead.trim_ascii_end();
    let arrow = trimmed.strip_suffix("→".as_bytes()).or_else(|| trimmed.strip_suffix(b"->")).or_else(|| trimmed.strip_suffix(b":")).or_else(|| trimmed.strip_suffix(b"|"));
    let digits = arrow.unwrap_or(trimmed).trim_ascii_end();
    let number = text::run_start(digits, digits.len(), DIGIT, 8);
    if number < digits.len() {
        let rest = &digits[..number];
        if rest.trim_ascii().is_empty() || arrow.is_some() && matches!(rest.last(), Some(b':' | b'-')) {
            return b"";
        }
    }
    lead
}

/// `Bearer …`, `Basic …`, `Token …`: the scheme is no part of the value.
fn without_scheme(text: &[u8], value: Value) -> Value {
    for scheme in [&b"Bearer "[..], b"Basic ", b"Token ", b"ApiKey ", b"Negotiate ", b"token=", b"pass:"] {
        if text::starts_with_folded(text, value.start, scheme) && value.start + scheme.len() < value.end {
            return Value { start: value.start + scheme.len(), ..value };
        }
    }
    value
}

fn mnemonic(scan: &mut Scan<'_>, value: Value, resume: usize) -> usize {
    let text = scan.text;
    let end = if value.quoted { value.end } else { text::line_end(text, value.start, 400) };
    let phrase = &text[value.start..end];
    let words = phrase.split(|&b| b == b' ').filter(|word| (3..=8).contains(&word.len()) && word.iter().all(|&b| text::is(b, LOWER))).count();
    if !(11..=25).contains(&words) || words + 1 < phrase.split(|&b| b == b' ').count() {
        return resume;
    }
    scan.hits.push(Hit { kind: "mnemonic".into(), ..Hit::new(value.start, end, &RULES[1]) });
    end
}

/// The heart of it: does a value under such a name, in such a setting, have to go?
pub(crate) fn is_secret(announced: Announced, name: &[u8], value: &[u8], setting: Setting) -> bool {
    if value.len() < 3 || value.len() >= value::LONGEST_VALUE {
        return false;
    }
    if !setting.quoted && value::is_code(value) {
        return false;
    }
    if value.eq_ignore_ascii_case(name) {
        return false;
    }
    let shape = Shape::of(value);
    if shape.foreign > 0 && shape.letters() == 0 {
        return false;
    }
    let believed = match announced.strength {
        Strength::Password => is_password(announced, value, &shape, setting),
        Strength::Secret => is_opaque_value(name, value, &shape) || is_secretive(announced, value, &shape, setting),
        Strength::Opaque if matches!(setting.operator, Operator::Comma | Operator::Call) && !announced.last => false,
        Strength::Opaque if !setting.quoted && (setting.spaced || setting.operator == Operator::Colon) && is_constant(value) => false,
        Strength::Opaque => {
            is_opaque_value(name, value, &shape)
                || announced.shouted && setting.own_line && is_secretive(announced, value, &shape, setting)
                || value::is_uuid(value) && setting.operator != Operator::Compares && is_trusted_with_uuid(announced, name)
        }
        Strength::Faint => {
            value.len() >= 20 && is_opaque_value(name, value, &shape) && is_faint_enough(announced, &shape, setting)
        }
    };
    // Last, because it is the dearest question and most values are out by now.
    believed && !value::is_placeholder(value)
}

/// A UUID is a key where somebody says key, and an identifier under most other names.
fn is_trusted_with_uuid(announced: Announced, name: &[u8]) -> bool {
    announced.kind != "token"
        || announced.shouted
        || [&b"auth"[..], b"access", b"api", b"bearer", b"secret", b"bot", b"service", b"deploy", b"personal"].iter().any(|word| text::contains_folded(name, word))
}

fn is_faint_enough(announced: Announced, shape: &Shape, setting: Setting) -> bool {
    // A bare `key` names table entries far more often than credentials.
    if announced.kind == "key" || announced.kind == "auth" {
        return (announced.shouted && setting.own_line || shape.len >= 24) && (!shape.hex || announced.shouted) && shape.digits >= 2 && shape.upper > 1 && shape.lower > 1;
    }
    setting.flag || announced.shouted || shape.len >= 24
}

fn is_password(announced: Announced, value: &[u8], shape: &Shape, setting: Setting) -> bool {
    if value::is_plain_identifier(value) && !(shape.is_opaque() || value::is_uuid(value)) {
        return false;
    }
    let firm = setting.quoted || setting.own_line || setting.flag || setting.operator == Operator::Markup;
    if shape.digits == shape.len {
        // Digits alone are a count in code, a PIN or a poor password in quotes.
        return shape.len >= if setting.quoted || setting.flag { 4 } else { 6 } && setting.operator != Operator::Compares && firm;
    }
    let odd = shape.digits > 0 || shape.symbols > 0;
    if shape.spaces > 0 {
        return is_phrase_password(value, shape, setting);
    }
    if setting.operator == Operator::Says && !(shape.digits > 0 && (shape.letters() > 0 || shape.symbols > 0)) {
        return false;
    }
    if matches!(setting.operator, Operator::Comma | Operator::Call) && !announced.last {
        return false;
    }
    if matches!(setting.operator, Operator::Comma | Operator::Compares | Operator::Call) {
        let typed = shape.digits > 0 && shape.letters() > 0 && (shape.symbols > 0 || !shape.is_wordy() || shape.flips > 1 && shape.joiners == 0);
        return value.len() >= 6 && typed && !is_markup_or_label(value, shape) || shape.is_opaque();
    }
    if !setting.quoted && (setting.spaced || setting.operator == Operator::Colon) && is_constant(value) {
        return false;
    }
    if odd && firm {
        if has_code_marks(value) && !shape.is_opaque() {
            return false;
        }
        if !setting.quoted && setting.spaced && shape.symbols == 0 && shape.is_wordy() && shape.flips <= 1 && !announced.shouted {
            // `password = value2` is code; `password=hunter2` is not.
            return false;
        }
        return value.len() >= 4 && !is_markup_or_label(value, shape);
    }
    if odd {
        return value.len() >= 6 && shape.digits > 0 && shape.letters() > 1 && !has_code_marks(value) && !shape.is_wordy() || shape.is_opaque();
    }
    // Letters and joints alone.
    if announced.shouted && setting.operator == Operator::Equals && setting.own_line && !setting.spaced {
        return value.len() >= 4;
    }
    let words = value.split(|&b| text::is(b, text::JOINER)).filter(|word| word.len() >= 3).count();
    if words >= 4 && shape.upper == 0 && shape.joiners + 1 == words {
        return firm;
    }
    value.len() >= 8 && shape.surprise >= 5.2 && firm
}

/// `SCSI_PASS_THROUGH32`, `kPasswordType2`: a name of the program, where one may stand.
fn is_constant(value: &[u8]) -> bool {
    value.contains(&b'_') && text::is(value[0], ALPHA) && value.iter().all(|&b| text::is(b, UPPER | DIGIT) || b == b'_')
}

/// Words with spaces between are labels and sentences, unless something in them is not a word.
fn is_phrase_password(value: &[u8], shape: &Shape, setting: Setting) -> bool {
    setting.quoted
        && value.len() <= 64
        && shape.digits > 0
        && shape.symbols > 0
        && shape.spaces <= 6
        && !has_code_marks(value)
        && value.split(|&b| b == b' ').any(|word| {
            let shape = Shape::of(word);
            shape.digits > 0 && shape.symbols > 0 && shape.letters() > 0
        })
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
        || shape.digits == 0 && shape.symbols == value.iter().filter(|b| matches!(b, b':' | b'@' | b'\\' | b'+' | b'|' | b'\'')).count() && shape.is_wordy() && !value.contains(&b'@')
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
    round >= 2 || value.windows(2).any(|pair| matches!(pair, b"()" | b"::" | b"->" | b"=>" | b"\\s" | b"\\d" | b"\\w" | b".*" | b"{}" | b"[]" | b"&&" | b"%s" | b"%d"))
}

/// A `secret` in a configuration line need not be random, only not a plain word.
fn is_secretive(announced: Announced, value: &[u8], shape: &Shape, setting: Setting) -> bool {
    if value::is_plain_identifier(value) && !value::is_uuid(value) || shape.spaces > 0 || has_code_marks(value) {
        return false;
    }
    let firm = setting.quoted || setting.own_line && !setting.spaced || setting.flag;
    if !firm || matches!(setting.operator, Operator::Comma | Operator::Compares | Operator::Call | Operator::Says) {
        return false;
    }
    let mixed = shape.digits > 0 && shape.letters() > 0;
    if announced.shouted && setting.own_line {
        return value.len() >= 8 && mixed && shape.digits < shape.len;
    }
    value.len() >= 8 && mixed && (shape.symbols > 0 || !shape.is_wordy()) && !is_markup_or_label(value, shape)
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
    shape.len >= 10 && shape.spaces == 0 && shape.digits >= 2 && shape.symbols >= 1 && shape.letters() >= 3 && shape.foreign == 0 && shape.flips >= 2 && shape.surprise > 4.4
}

fn is_digest_name(name: &[u8]) -> bool {
    [&b"sha"[..], b"hash", b"digest", b"commit", b"etag", b"checksum", b"integrity", b"fingerprint", b"revision", b"cache"]
        .iter()
        .any(|word| text::contains_folded(name, word))
}

fn is_vendor_value(name: &[u8], value: &[u8], quoted: bool) -> bool {
    if value.len() < 10 || value.len() > 400 || !quoted && value::is_code(value) {
        return false;
    }
    let shape = Shape::of(value);
    if value::is_uuid(value) {
        let parts = [&b"key"[..], b"token", b"secret", b"auth", b"access", b"api"];
        return parts.iter().any(|part| text::contains_folded(name, part)) && !value::is_placeholder(value);
    }
    shape.symbols <= 4 && shape.len >= 14 && shape.digits >= 2 && is_opaque_value(name, value, &shape) && !value::is_placeholder(value)
}

fn skip_space(text: &[u8], from: usize, limit: usize) -> usize {
    let ceiling = text.len().min(from.saturating_add(limit));
    let mut at = from;
    while at < ceiling && text[at].is_ascii_whitespace() {
        at += 1;
    }
    at
}
