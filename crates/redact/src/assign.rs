//! Names beside values: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<password>…</password>`.
//! The scanner that wins the passwords. It believes a name only as far as its strength goes, and a value
//! only when it is no placeholder, no reference and no code.

use crate::blocks;
use crate::expression;
use crate::hit::{Hit, Rule};
use crate::judge;
use crate::lexicon::{self, Announced, Strength};
use crate::likeness::Shape;
use crate::lines::{ends_line, is_inside_code, is_own_line};
use crate::mask;
use crate::operators::{Operator, operator};
use crate::placement::{
    full_name, has_digit, is_blank_bound, is_bound_by_word, is_command, is_field, is_labelled, is_plain_noun,
    is_setter, is_typed,
};
use crate::program;
use crate::prose;
use crate::scan::Scan;
use crate::structures;
use crate::tables;
use crate::text::{self, ALNUM, ALPHA, BLANK, DIGIT, LOWER, NAME, UPPER};
use crate::value::{self, Ending, Value};
use crate::words;

const LONGEST_NAME: usize = 80;

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

/// What surrounds a value.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "independent observations, each asked for by name")]
pub(crate) struct Setting {
    pub operator: Operator,
    pub quoted: bool,
    /// Nothing but the assignment stands on the line: a configuration or environment file.
    pub own_line: bool,
    /// Blanks around the operator, as programs are written.
    pub spaced: bool,
    /// A command-line flag, a field of a URL query, or `NAME=value` as shells write it.
    pub flag: bool,
    /// The place takes a credential and nothing else, so a plain word is one.
    pub certain: bool,
    /// The line ends with the value.
    pub line_end: bool,
    /// A few plain words before the name and nothing else: "WiFi password: …", or a file of settings.
    pub labelled: bool,
}

/// Reads the assignment whose name holds position `at`. Returns where the scan goes on.
pub(crate) fn scan(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    if at < scan.dead_until {
        return at + 1;
    }
    // Some literals begin with the blank before the name.
    let at = if text::is(text[at], NAME) { at } else { at + 1 };
    let name_end = name_end(text, at);
    if name_end - at >= LONGEST_NAME {
        scan.dead_until = name_end;
        return name_end;
    }
    if text::before(text, at) == b' ' && prose::before(scan, at) {
        return name_end;
    }
    if tables::may_head(text, name_end)
        && let Some(resume) = tables::scan(scan, name_start(text, at), name_end)
    {
        return resume;
    }
    // "seed phrase: …" is one name.
    let phrase =
        [&b" phrase"[..], b" words"].into_iter().find(|word| text::starts_with_folded(text, name_end, word));
    let seed = text::starts_with_folded(text, at, b"seed") || text::starts_with_folded(text, at, b"recovery");
    let name_end = name_end + phrase.filter(|_| seed).map_or(0, <[u8]>::len);
    let found = scan.hits.len();
    let resume = beside(scan, at, name_end);
    if scan.hits.len() == found && is_strong_word(text, at) {
        apart(scan, at, name_end);
    }
    resume
}

/// Words for which it is worth looking further than the next sign.
fn is_strong_word(text: &[u8], at: usize) -> bool {
    [&b"pass"[..], b"pwd", b"secret", b"token"].iter().any(|word| text::starts_with_folded(text, at, word))
}

/// A literal that a program keeps apart from the name: a return, a comparison, a column.
fn apart(scan: &mut Scan<'_>, at: usize, name_end: usize) {
    let text = scan.text;
    let near = &text[name_end..text.len().min(name_end + 80)];
    let name_start = name_start(text, at);
    let before = text::before(text, name_start);
    let compared = matches!(before, b' ' | b'(')
        && memchr::memchr2(b'"', b'\'', &text[name_start.saturating_sub(80)..name_start]).is_some();
    if memchr::memchr3(b'"', b'\'', b'`', near).is_none() && !compared {
        return;
    }
    let name = trim_name(&text[name_start..name_end]);
    let Some(announced) = lexicon::announced(name).filter(|said| said.last && said.firm) else { return };
    if announced.strength == Strength::Faint {
        return;
    }
    let mut setting = Setting {
        operator: Operator::Equals,
        quoted: true,
        own_line: false,
        spaced: true,
        flag: false,
        certain: false,
        line_end: false,
        labelled: false,
    };
    let mut take = |value: Value, setting: Setting| {
        let bytes = &text[value.start..value.end.max(value.start)];
        if value.quoted && judge::is_secret(announced, name, bytes, setting) {
            scan.hits.push(hit(announced, value.start, value.end));
        }
    };
    if let Some(value) =
        program::literal_after(text, name_end).and_then(|at| value::read(text, at, Ending::Punctuation))
    {
        take(value, setting);
        return;
    }
    if matches!(text::at(text, name_end), b',' | b')' | b'`') {
        for value in program::inserted(text, name_start, name_end) {
            take(value, setting);
        }
    }
    if compared && let Some(value) = program::literal_before(text, name_start) {
        setting.operator = Operator::Compares;
        take(value, setting);
    }
}

/// A value beside its name, with an operator, a verb or nothing but a blank between.
fn beside(scan: &mut Scan<'_>, at: usize, name_end: usize) -> usize {
    let text = scan.text;
    let Some((operator, mut value_at, spaced)) = operator(text, name_end) else { return name_end };
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
    let name = full_name(text, name_start, trim_name(&name[dashes..]));
    // checksum/secret: the digest of one.
    if text[..name_start].ends_with(b"checksum/") {
        return name_end;
    }
    let Some(announced) = lexicon::announced(name) else { return name_end };
    // arn:aws:secretsmanager:…:secret:name is the name of a secret.
    if operator == Operator::Colon && value_at == name_end + 1 && text::before(text, name_start) == b':' {
        return name_end;
    }
    if matches!(operator, Operator::Colon | Operator::Equals)
        && matches!(text::at(text, value_at), b'|' | b'>' | b'<' | b'"' | b'\'')
        && !text[name_end..value_at].contains(&b'\n')
        && let Some(lines) = blocks::lines_of(text, name_start, value_at, announced)
    {
        let end = lines.last().map_or(name_end, |last| last.1);
        scan.hits.extend(lines.into_iter().map(|(start, end)| hit(announced, start, end)));
        return end;
    }
    // `pass` alone on its line is a statement, whatever is called `value` below it.
    if operator == Operator::Twin
        && !announced.firm
        && !announced.shouted
        && text::at(text, name_end) == b'\n'
    {
        return name_end;
    }
    let lead = &text[..name_start];
    let names = announced.shouted
        || matches!(lead.last(), Some(b'"' | b'\'' | b'`'))
        || lead.ends_with(b"{:")
        || lead.ends_with(b"(:");
    let mut operator = operator;
    if operator == Operator::Comma && !names {
        // strcmp(password, "…"), assertEqual(user.password, "…")
        if !announced.last || !announced.firm || announced.strength != Strength::Password {
            return name_end;
        }
        operator = Operator::Compares;
    }
    if operator == Operator::Equals
        && let Some(own) = program::in_tuple(text, name_start, value_at)
    {
        value_at = own;
    }
    // A sentence speaks of a password; "pass" alone is what one does, and a bare key opens doors.
    let is_noun =
        announced.strength > Strength::Faint && (announced.firm || !name.eq_ignore_ascii_case(b"pass"));
    let next_line = operator == Operator::Says && text[name_end..value_at.min(text.len())].contains(&b'\n');
    // "here is the token", an empty line, the token; `printenv NAME` and what it prints.
    let printed = next_line && announced.shouted && is_printed(text, name_start, name_end, value_at);
    let noun = is_noun
        && (!next_line || announced.strength < Strength::Password && is_plain_noun(text, name_start, name));
    if operator == Operator::Says && !printed && !noun {
        return name_end;
    }
    let operator = if printed { Operator::Twin } else { operator };
    // `C(--password) option` is a sentence about a flag.
    if flagged && operator == Operator::Blank && !text::is(text::at(text, name_end), BLANK) {
        return name_end;
    }
    let mut told = false;
    let mut binder = false;
    let bound = operator == Operator::Blank && !flagged && {
        binder = is_bound_by_word(text, name_start, announced);
        let word_end = text::run_end(text, value_at, ALPHA, 64);
        let bound = binder
            && (announced.shouted || ends_line(text, word_end, false) || is_typed(text, value_at))
            || is_typed(text, value_at) && is_blank_bound(text, name_start, name);
        // `password "…"`: a sentence, or a language that needs no operator.
        told = !bound
            && is_noun
            && (announced.firm || !name.contains(&b'_'))
            && (matches!(text::at(text, value_at), b'"' | b'\'' | b'`')
                || announced.last
                    && is_typed(text, value_at)
                    && (has_digit(text, value_at) || prose::is_chain(text, value_at))
                    && is_plain_noun(text, name_start, name));
        bound
    };
    if operator == Operator::Blank && !flagged && !bound && !told {
        return name_end;
    }
    let operator = if told { Operator::Says } else { operator };
    let query = matches!(text::before(text, name_start), b'?' | b'&');
    // Badges carry a token so that anybody can see them.
    if query && text[..name_start - 1].ends_with(b".svg") {
        return name_end;
    }
    let mut own_line = is_own_line(text, name_start);
    let tight = operator == Operator::Equals && !spaced
        || operator == Operator::Colon && value_at == name_end + 1 && announced.shouted;
    let inline = tight && (announced.shouted || !is_inside_code(text, name_start));
    let found = enclosed(text, name_start, value_at, operator).or_else(|| {
        let place =
            Place { own_line, tight: own_line && !spaced, flagged: flagged || bound, query, name_start };
        found(text, value_at, operator, place)
    });
    let Some(value) = found else { return name_end };
    if value.end - value.start >= value::LONGEST_VALUE {
        scan.long_until = value.end;
        return name_end;
    }
    if announced.kind == "mnemonic" {
        return mnemonic(scan, value, name_end);
    }
    // `password: SomeType2;` is a declaration.
    if !value.quoted
        && operator == Operator::Colon
        && text::at(text, value.end) == b';'
        && text::is(text[value.start], UPPER)
    {
        return name_end;
    }
    // `password: other_name,` is a member of a program's structure; configuration has no comma there.
    if !value.quoted && operator == Operator::Colon && matches!(text::at(text, value.end), b',' | b';' | b')')
    {
        own_line = false;
    }
    let line_end = ends_line(text, value.end, value.quoted);
    let certain = announced.last
        && (query
            || operator == Operator::Twin
            || operator == Operator::Markup && text::before(text, name_start) == b'<'
            || operator == Operator::Says && value.quoted && !told
            || operator == Operator::Comma && announced.firm && is_setter(text, name_start)
            || text::before(text, name_start) == b'[' && text::at(text, name_end) == b']'
            || bound && (binder || value.quoted)
            || flagged && is_command(text, name_start, value, operator)
            || inline && is_field(text, name_start, value));
    let setting = Setting {
        operator,
        quoted: value.quoted,
        own_line,
        spaced,
        flag: flagged || query || inline || bound,
        certain,
        line_end,
        labelled: line_end && is_labelled(text, name_start, operator, spaced),
    };
    // {SSHA}…: a hash that says so is found as one.
    if text::at(text, value.start) == b'{' && structures::is_directory_hash(text, value.start) {
        return name_end;
    }
    let value = without_scheme(text, value);
    let bytes = &text[value.start..value.end];
    if let Some(end) = phrase_end(text, value, announced, setting) {
        scan.hits.push(hit(announced, value.start, end));
        return end;
    }
    if !judge::is_secret(announced, name, bytes, setting) {
        return name_end;
    }
    scan.hits.push(hit(announced, value.start, value.end));
    value.end
}

/// `printenv NAME`, `echo $NAME`, `NAME:` and directly below what it holds.
fn is_printed(text: &[u8], name_start: usize, name_end: usize, value_at: usize) -> bool {
    let between = &text[name_end..value_at];
    let lead = &text[text::line_start(text, name_start)..name_start];
    text::count(between, b'\n') == 1
        && (between.contains(&b':')
            || [&b"printenv"[..], b"echo", b" get", b"print", b"show"]
                .iter()
                .any(|word| text::contains_folded(lead, word)))
}

/// `"NAME=some value"`: quotes around the whole assignment close its value.
fn enclosed(text: &[u8], name_start: usize, value_at: usize, operator: Operator) -> Option<Value> {
    let quote = text::before(text, name_start);
    if operator != Operator::Equals
        || !matches!(quote, b'"' | b'\'')
        || text::is(text::before(text, name_start - 1), ALNUM)
        || matches!(text::at(text, value_at), b'"' | b'\'' | b'\\')
        || text::before(text, value_at) != b'='
    {
        return None;
    }
    let slashes = name_start - 1 - text::run_start_of(text, name_start - 1, b'\\', 8);
    let whole = value::read(text, name_start - 1 - slashes, Ending::Punctuation)?;
    let closed = matches!(text::at(text, text::run_end_of(text, whole.end, b'\\', 8)), b'"' | b'\'');
    // "NAME=value command --with arguments" is a command.
    if memchr::memmem::find(&text[value_at.min(whole.end)..whole.end], b" -").is_some() {
        return None;
    }
    // "a=b&c=d" is a form.
    let closed = closed && !text[value_at.min(whole.end)..whole.end].contains(&b'&');
    (closed && whole.end > value_at).then_some(Value { start: value_at, end: whole.end, quoted: true })
}

/// A passphrase without quotes up to the end of its line: `NAME=four plain words 12`.
fn phrase_end(text: &[u8], value: Value, announced: Announced, setting: Setting) -> Option<usize> {
    if value.quoted
        || announced.strength != Strength::Password
        || !announced.last
        || text::at(text, value.end) != b' '
        || !text[value.start..value.end].iter().all(|&b| text::is(b, LOWER))
    {
        return None;
    }
    let placed = match setting.operator {
        Operator::Equals => setting.own_line && !setting.spaced,
        Operator::Colon | Operator::Says => true,
        _ => false,
    };
    if !placed {
        return None;
    }
    let stop = text::line_end(text, value.end, 64);
    let quote = memchr::memchr3(b'"', b'\'', b'`', &text[value.start..stop]);
    let stop = quote.map_or(stop, |quote| value.start + quote);
    let phrase = text[value.start..stop].trim_ascii_end();
    let phrase = phrase.strip_suffix(b".").unwrap_or(phrase);
    words::is_whole_phrase(phrase, announced.kind == "passphrase").then_some(value.start + phrase.len())
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
        // Words and no numbers: `name v1.2.0 h1:…` is a line of checksums.
        let more = text::run_end(text, name_end, ALPHA | BLANK, 24);
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
    // X-GitHub-Request-Id, youtubeVideoId: what the vendor calls something, not what opens it.
    if lexicon::describes(name) {
        return after;
    }
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
    let setting = Setting {
        operator: Operator::Colon,
        quoted: true,
        own_line: true,
        spaced: false,
        flag: false,
        certain: false,
        line_end: true,
        labelled: false,
    };
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
    // The one name among the many that is not of the alphabet of programs.
    if text::starts_with(text, end, "ña".as_bytes())
        && text[at..end].to_ascii_lowercase().ends_with(b"contrase")
    {
        end += "ña".len();
    }
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

pub(crate) fn trim_name(name: &[u8]) -> &[u8] {
    let start = name.iter().position(|&b| text::is(b, ALNUM)).unwrap_or(name.len());
    let end = name.iter().rposition(|&b| text::is(b, ALNUM)).map_or(start, |last| last + 1);
    &name[start..end.max(start)]
}

/// Where an assignment stands, as far as it says where its value ends.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "independent observations, each asked for by name")]
struct Place {
    own_line: bool,
    /// On its own line, without blanks around the operator: an environment file.
    tight: bool,
    flagged: bool,
    query: bool,
    name_start: usize,
}

fn found(text: &[u8], at: usize, operator: Operator, place: Place) -> Option<Value> {
    match operator {
        Operator::Markup => {
            let limit = text.len().min(at + value::LONGEST_VALUE);
            let end = at + memchr::memchr2(b'<', b'\n', text.get(at..limit)?)?;
            (end > at && text[end] == b'<').then_some(Value { start: at, end, quoted: false })
        }
        Operator::Call | Operator::Comma => {
            let value = value::read(text, at, Ending::Punctuation)?;
            (value.quoted || operator == Operator::Comma).then_some(value)
        }
        _ => unquoted(text, at, operator, place),
    }
}

/// A value that may have no quotes ends where its container does: the line, the pair, the field, the word.
fn unquoted(text: &[u8], at: usize, operator: Operator, place: Place) -> Option<Value> {
    let narrow = value::read(text, at, Ending::Punctuation);
    if narrow.is_some_and(|value| value.quoted) {
        return narrow;
    }
    if place.query {
        return value::read(text, at, Ending::Query);
    }
    if operator == Operator::Equals
        && let Some(pair) = in_connection_string(text, at, place.name_start)
    {
        return Some(pair);
    }
    let wide = value::read(text, at, if is_bare_line(text, place) { Ending::Line } else { Ending::Blank })?;
    // `pass=…&user=…` is a form, wherever it stands.
    let bytes = &text[wide.start..wide.end];
    let field = memchr::memchr2_iter(b'&', b',', bytes).find(|&and| {
        let name = text::run_end(bytes, and + 1, NAME, 40);
        name > and + 2 && text::at(bytes, name) == b'=' && is_field_name(&bytes[and + 1..name])
    });
    let wide = Value { end: field.map_or(wide.end, |and| wide.start + and), ..wide };
    // `password = ; a comment`
    let first = text::at(text, wide.start);
    if !place.tight && matches!(first, b';' | b'#') && !judge::is_disorderly(&text[wide.start..wide.end]) {
        return narrow;
    }
    if place.tight || place.flagged || narrow.is_none_or(|narrow| narrow.end >= wide.end) {
        return Some(wide);
    }
    let bytes = &text[wide.start..wide.end];
    let whole_line = place.own_line
        && matches!(operator, Operator::Equals | Operator::Colon | Operator::Twin)
        && ends_line(text, wide.end, false)
        && !expression::is_code(bytes);
    if whole_line || !is_inside_code(text, place.name_start) && judge::is_disorderly(bytes) {
        Some(wide)
    } else {
        narrow
    }
}

/// `user`, `client_id`: a word, not a part of a password between two of its signs.
fn is_field_name(name: &[u8]) -> bool {
    let shape = Shape::of(name);
    text::is(name[0], ALPHA)
        && shape.flips <= 1
        && (shape.upper == 0 || shape.lower == 0 || shape.lower > 2 * shape.upper)
        && (shape.surprise < 5.0 || name.len() <= 3)
}

/// A line of a file, and no quote opened on it before the name.
fn is_bare_line(text: &[u8], place: Place) -> bool {
    place.own_line
        && !text[text::line_start(text, place.name_start)..place.name_start]
            .iter()
            .any(|b| matches!(b, b'"' | b'\'' | b'`'))
}

/// `Server=h;Password=…;Port=1`: pairs with a semicolon between them, and braces around a value that holds one.
fn in_connection_string(text: &[u8], at: usize, name_start: usize) -> Option<Value> {
    let lead = &text[text::line_start(text, name_start)..name_start];
    // The pair before, and its name.
    let semicolon = lead.trim_ascii_end().ends_with(b";")
        && lead.iter().rev().skip(1).take_while(|b| **b != b';').any(|b| *b == b'=');
    if text::at(text, at) == b'{' && semicolon {
        let near = &text[at..text.len().min(at + 256)];
        let close = memchr::memmem::find(near, b"};").or_else(|| memchr::memmem::find(near, b"}\""))?;
        let one_line = !near[..close].contains(&b'\n');
        return (one_line && close > 1).then_some(Value { start: at + 1, end: at + close, quoted: true });
    }
    let value = value::read(text, at, Ending::Pair)?;
    let after = text::skip_blank(text, value.end + 1, 2);
    let name = text::run_end(text, after, NAME | BLANK, 40);
    let another = text::at(text, value.end) == b';' && name > after && text::at(text, name) == b'=';
    // A statement in a program ends with a semicolon as well, but is no pair.
    (semicolon || another && text::at(text, name + 1) != b'=' && !text::is(text::at(text, name + 1), BLANK))
        .then_some(value)
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
