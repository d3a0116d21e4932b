//! Names beside values: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<password>…</password>`.
//! The scanner that wins the passwords. It believes a name only as far as its strength goes, and a value
//! only when it is no placeholder, no reference and no code.

use crate::hit::{Hit, Rule};
use crate::judge;
use crate::lexicon::{self, Announced, Strength};
use crate::mask;
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
#[expect(clippy::struct_excessive_bools, reason = "four independent observations, each asked for by name")]
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
    let flagged = dashes > 0 && text::begins_token(text, name_start);
    let name = trim_name(&name[dashes..]);
    let Some(announced) = lexicon::announced(name) else { return name_end };
    // arn:aws:secretsmanager:…:secret:name is the name of a secret.
    if operator == Operator::Colon && value_at == name_end + 1 && text::before(text, name_start) == b':' {
        return name_end;
    }
    if operator == Operator::Comma && !matches!(text::before(text, name_start), b'"' | b'\'' | b'`') {
        return name_end;
    }
    let bound = operator == Operator::Blank
        && !flagged
        && is_typed(text, value_at)
        && is_blank_bound(text, name_start, name);
    if operator == Operator::Blank && !flagged && !bound {
        return name_end;
    }
    let query = matches!(text::before(text, name_start), b'?' | b'&');
    // Badges carry a token so that anybody can see them.
    if query && text[..name_start - 1].ends_with(b".svg") {
        return name_end;
    }
    let mut own_line = is_own_line(text, name_start);
    let inline =
        operator == Operator::Equals && !spaced && (announced.shouted || !is_inside_code(text, name_start));
    let found = found(text, value_at, operator, own_line && !spaced, flagged || bound, query);
    let Some(value) = found else { return name_end };
    if value.end - value.start >= value::LONGEST_VALUE {
        scan.long_until = value.end;
        return name_end;
    }
    if announced.kind == "mnemonic" {
        return mnemonic(scan, value, name_end);
    }
    // `password: other_name,` is a member of a program's structure; configuration has no comma there.
    if !value.quoted && operator == Operator::Colon && matches!(text::at(text, value.end), b',' | b';' | b')')
    {
        own_line = false;
    }
    let setting = Setting {
        operator,
        quoted: value.quoted,
        own_line,
        spaced,
        flag: flagged || query || inline || bound,
    };
    let value = without_scheme(text, value);
    let bytes = &text[value.start..value.end];
    if !judge::is_secret(announced, name, bytes, setting) {
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
        || text::begins_token(text, at)
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
    if !judge::is_vendor_value(name, bytes, value.quoted) {
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
    judge::is_secret(announced, name, &value[inner.start..inner.end], setting)
        .then(|| hit(announced, inner.start, inner.end))
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
        b'=' | b'!' if next == b'=' => {
            (Operator::Compares, if text::at(text, at + 2) == b'=' { 3 } else { 2 })
        }
        b'=' if next == b'>' => (Operator::Equals, 2),
        b'=' if next == b'~' => return None,
        b'=' => (Operator::Equals, 1),
        b':' | b'+' | b'?' | b'|' if next == b'=' => (Operator::Equals, 2),
        b':' if next == b':' => (text::at(text, at + 2) == b'=').then_some((Operator::Equals, 3))?,
        b':' => (Operator::Colon, 1),

        b'|' if next == b'|' && text::at(text, at + 2) == b'=' => (Operator::Equals, 3),

        b',' if closed_quote => return comma(text, at),
        b'(' if !closed_quote && !spaced => (Operator::Call, 1),
        b'>' if !spaced => (Operator::Markup, 1),
        b'<' => return markup_pair(text, at),
        b'|' if spaced => return table_cell(text, name_end, at),
        b'\n' | b'\r' if !closed_quote => {
            return value_attribute(text, at).map(|at| (Operator::Equals, at, true));
        }
        _ if spaced && closed_quote => {
            return value_attribute(text, at).map(|at| (Operator::Equals, at, true));
        }
        _ if spaced => {
            if let Some(value) = value_attribute(text, at) {
                return Some((Operator::Equals, value, true));
            }
            if let Some(value) = after_type_word(text, at) {
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
    (matches!(text::at(text, after), b'|' | b'\n' | b'\r') && end > value).then_some((
        Operator::Colon,
        value,
        true,
    ))
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
                return Some(text::skip_blank(text, at + 1, 16));
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

fn found(
    text: &[u8],
    at: usize,
    operator: Operator,
    environment: bool,
    flagged: bool,
    query: bool,
) -> Option<Value> {
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
            let mut value = value::read(text, at, ending)?;
            // `pass=…&user=…` is a form, wherever it stands.
            if !value.quoted && ending == Ending::Blank {
                let bytes = &text[value.start..value.end];
                let field = memchr::memchr_iter(b'&', bytes).find(|&and| {
                    let name = text::run_end(bytes, and + 1, NAME, 40);
                    name > and + 1 && text::at(bytes, name) == b'='
                });
                value.end = field.map_or(value.end, |and| value.start + and);
            }
            Some(value)
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
    if [&b"requirepass"[..], b"masterauth", b"storepass", b"keypass"]
        .iter()
        .any(|word| name.eq_ignore_ascii_case(word))
    {
        return true;
    }
    let from = name_start.saturating_sub(160);
    let lead = &text[from..name_start];
    if text::contains_folded(lead, b"login ")
        || text::contains_folded(lead, b"configure set ")
        || text::contains_folded(lead, b"machine ")
    {
        return true;
    }
    // ENV NAME value, ARG NAME value; enable secret value
    let lead_end = lead.trim_ascii_end();
    if [&b"ENV"[..], b"ARG", b"enable"].iter().any(|word| lead_end.ends_with(word)) {
        return true;
    }
    // CREATE USER x WITH PASSWORD 'y'; ALTER ROLE … ENCRYPTED PASSWORD '…'
    text::contains_folded(lead, b"user ") && text::contains_folded(lead, b"with ")
        || text::contains_folded(lead, b"encrypted ")
        || text::contains_folded(lead, b"alter role")
        || text::contains_folded(lead, b"alter user")
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
        for word in [
            &b"export"[..],
            b"set",
            b"setx",
            b"env",
            b"declare",
            b"-x",
            b"-e",
            b"--env",
            b"$env:",
            b"-",
            b"+",
            b"#",
            b"//",
            b">",
            b"<",
            b"*",
            b"|",
            b"$",
            b"\"",
            b"'",
            b"{",
            b"--build-arg",
            b"arg",
        ] {
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
    // Inside a string of that call, it is configuration again: connect("user=u password=…").
    let in_string = text::count(lead, b'"') % 2 == 1 || text::count(lead, b'\'') % 2 == 1;
    !in_string && memchr::memchr2(b'(', b'{', lead).is_some()
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
    let arrow = trimmed
        .strip_suffix("→".as_bytes())
        .or_else(|| trimmed.strip_suffix(b"->"))
        .or_else(|| trimmed.strip_suffix(b":"))
        .or_else(|| trimmed.strip_suffix(b"|"));
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
    let words = phrase
        .split(|&b| b == b' ')
        .filter(|word| (3..=8).contains(&word.len()) && word.iter().all(|&b| text::is(b, LOWER)))
        .count();
    if !(11..=25).contains(&words) || words + 1 < phrase.split(|&b| b == b' ').count() {
        return resume;
    }
    scan.hits.push(Hit { kind: "mnemonic".into(), ..Hit::new(value.start, end, &RULES[1]) });
    end
}

fn skip_space(text: &[u8], from: usize, limit: usize) -> usize {
    let ceiling = text.len().min(from.saturating_add(limit));
    let mut at = from;
    while at < ceiling && text[at].is_ascii_whitespace() {
        at += 1;
    }
    at
}
