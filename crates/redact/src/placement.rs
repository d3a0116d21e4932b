//! What the place of a name says about its value: bound by a word alone, one field of several, a flag of a
//! command, a label. Reads around the name; the value itself is judged elsewhere.

use crate::assign::trim_name;
use crate::lexicon::Announced;
use crate::lines::{self, ends_line, is_inside_code};
use crate::operators::Operator;
use crate::prose;
use crate::text::{self, ALNUM, ALPHA, BLANK, DIGIT, NAME};
use crate::value::Value;

const LONGEST_NAME: usize = 80;

/// The words before that belong to the name: "API key", "mot de passe".
pub(crate) fn full_name<'t>(text: &'t [u8], name_start: usize, name: &'t [u8]) -> &'t [u8] {
    if name.eq_ignore_ascii_case(b"passe") {
        let lead = &text[name_start.saturating_sub(7)..name_start];
        return if lead.eq_ignore_ascii_case(b"mot de ") { b"password" } else { name };
    }
    if text::starts_with_folded(name, 0, b"contrase") {
        return b"password";
    }
    if !name.eq_ignore_ascii_case(b"key") || text::before(text, name_start) != b' ' {
        return name;
    }
    let word = text::run_start(text, name_start - 1, ALNUM, 16);
    // "the key: …" is any key; "API key: …" is not.
    if word == name_start - 1 { name } else { &text[word..name_start + name.len()] }
}

pub(crate) fn has_digit(text: &[u8], at: usize) -> bool {
    text[at..].iter().take(64).take_while(|&&b| b > b' ').any(|&b| text::is(b, DIGIT))
}

/// `props.put("password", "…")`: the call sets what it names.
pub(crate) fn is_setter(text: &[u8], name_start: usize) -> bool {
    #[rustfmt::skip]
    const SETTERS: &[&[u8]] = &[
        b"set", b"put", b"property", b"default", b"option", b"string", b"add", b"env", b"var", b"param",
        b"field", b"append", b"with", b"store", b"get", b"fetch", b"define", b"entry", b"of", b"pair",
        b"setting", b"config",
    ];
    let quote = name_start.saturating_sub(1);
    let open = text::run_start(text, quote, BLANK, 4);
    if text::before(text, open) != b'(' {
        return false;
    }
    let name_end = text::run_start(text, open - 1, BLANK, 2);
    let call = &text[text::run_start(text, name_end, ALNUM, 40)..name_end];
    // INSERT INTO settings VALUES ('smtp_password', '…')
    if call.eq_ignore_ascii_case(b"values") {
        return true;
    }
    if name_end < open - 1 {
        return false;
    }
    SETTERS
        .iter()
        .any(|word| call.len() >= word.len() && call[call.len() - word.len()..].eq_ignore_ascii_case(word))
}

/// "password Ocean42" in a sentence, not a part of a longer name or of a command.
pub(crate) fn is_plain_noun(text: &[u8], name_start: usize, name: &[u8]) -> bool {
    name.iter().all(|&b| text::is(b, ALPHA))
        && matches!(text::before(text, name_start), b' ' | b'(' | b'"' | b'\n' | 0)
}

/// "WiFi password: …" is a label and its value, "user: me, password: …" two of them; in a file of settings, so
/// is `password = …`.
pub(crate) fn is_labelled(text: &[u8], name_start: usize, operator: Operator, spaced: bool) -> bool {
    if operator == Operator::Colon {
        let lead = lines::bare_lead(text, name_start).trim_ascii();
        #[rustfmt::skip]
        const USERS: &[&[u8]] = &[
            b"user", b"login", b"benutzer", b"usuario", b"usu\xc3\xa1rio", b"utilisateur", b"mail", b"name",
            b"host",
        ];
        return lead.len() <= 24
            && lead.iter().all(|&b| text::is(b, ALNUM) || matches!(b, b' ' | b'-' | b'*'))
            || !is_inside_code(text, name_start)
                && USERS.iter().any(|word| text::contains_folded(lead, word));
    }
    spaced && lines::is_among_settings(text, text::line_start(text, name_start))
}

/// The flag stands in a command and not in a sentence about flags: its value is quoted, or other flags
/// stand before it and nothing but flags and arguments behind.
pub(crate) fn is_command(text: &[u8], name_start: usize, value: Value, operator: Operator) -> bool {
    let flag = &text[name_start..text::run_end(text, name_start, NAME, LONGEST_NAME)];
    if value.quoted
        || operator == Operator::Equals
        || matches!(flag, b"-storepass" | b"-keypass" | b"-passwd")
    {
        return true;
    }
    let start = text::line_start(text, name_start);
    let lead = &text[start..name_start];
    // "both --user and --password should be set": a sentence, and its next word is one.
    let sentence = [&b" and "[..], b" or ", b" the ", b" if ", b"both ", b" use ", b" with ", b"instead "]
        .iter()
        .any(|word| text::contains_folded(lead, word));
    if sentence && prose::is_plain_word(text, value.start) && !lead.trim_ascii_start().starts_with(b"$ ") {
        return false;
    }
    memchr::memmem::find(lead, b" -").is_some()
        || ends_line(text, value.end, value.quoted)
            && memchr::memchr(b' ', lead.trim_ascii()).is_some()
            && memchr::memmem::find(lead, b"the ").is_none()
        || text[value.end..].starts_with(b" -")
}

/// One of several `name=value` beside each other: a connection string, a log line, mount options.
pub(crate) fn is_field(text: &[u8], name_start: usize, value: Value) -> bool {
    let before = text::before(text, name_start);
    if matches!(before, b';' | b'&')
        || text::at(text, value.end) == b';' && text::is(text::at(text, value.end + 1), ALPHA)
    {
        return true;
    }
    // -e NAME=value, --set name=value
    #[rustfmt::skip]
    const OPTIONS: &[&[u8]] = &[
        b" -e", b"--env", b"-var", b"--set", b"--set-string", b"--build-arg", b"--from-literal",
        b"--from-literal=", b" -D", b"--extra-vars", b"--var", b" -o", b"--secret", b"--secrets",
        b"config:set", b"secrets set", b"env set", b"--define",
    ];
    let start = text::line_start(text, name_start);
    let lead = &text[start..name_start];
    if OPTIONS.iter().any(|option| lead.trim_ascii_end().ends_with(option)) {
        return true;
    }
    // vault kv put path password=…
    if ends_line(text, value.end, value.quoted)
        && memchr::memchr(b' ', lead.trim_ascii()).is_some()
        && !lead.iter().any(|&b| matches!(b, b'(' | b'"' | b'\'' | b'=' | b','))
    {
        return true;
    }
    // `user=me, password=…` is a call over several lines.
    if lead.ends_with(b", ") {
        return false;
    }
    let lead = lead.trim_ascii_end();
    let lead = lead.strip_suffix(b",").unwrap_or(lead);
    let word =
        lead.iter().rposition(|&b| matches!(b, b' ' | b'\t' | b',' | b'"' | b'\'')).map_or(0, |at| at + 1);
    let field = &lead[word..];
    let equals = memchr::memchr(b'=', field);
    let named = equals.is_some_and(|at| at > 0 && field[..at].iter().all(|&b| text::is(b, NAME)));
    named && !is_inside_code(text, name_start)
}

/// The word at `at` is in quotes or has something in it that is no letter: cheap, and false for prose.
pub(crate) fn is_typed(text: &[u8], at: usize) -> bool {
    !prose::is_plain_word(text, at)
}

/// Words after which a name and its value need nothing between them but a blank.
#[rustfmt::skip]
const BINDERS: &[&[u8]] = &[
    b"ENV", b"ARG", b"enable", b"setenv", b"SetEnv", b"putenv", b"setx", b"-gx", b"-Ux", b"-x", b"-g", b"-U",
    b"-gxu", b"fastcgi_param", b"uwsgi_param", b"scgi_param", b"define", b"config set", b"configure set",
    b"--global", b"--local", b"--system", b"git config", b"config", b"set -l", b"export", b"param", b"add",
    b"secrets set", b"env set", b"env add", b"env:set", b"config:set", b"/v", b"setenv -s",
];

/// `setenv NAME value`, `#define NAME "value"`, `fastcgi_param NAME value;`
pub(crate) fn is_bound_by_word(text: &[u8], name_start: usize, announced: Announced) -> bool {
    let start = text::line_start(text, name_start);
    let lead = text[start..name_start].trim_ascii_end();
    // Directives that are nothing but a password: requirepass, rootpw, wpa-psk.
    let name = trim_name(&text[name_start..text::run_end(text, name_start, NAME, LONGEST_NAME)]);
    const DIRECTIVES: &[&[u8]] =
        &[b"requirepass", b"masterauth", b"rootpw", b"bindpw", b"wpa-psk", b"storepass", b"keypass"];
    if lead.is_empty() && DIRECTIVES.iter().any(|word| name.eq_ignore_ascii_case(word)) {
        return true;
    }
    // netrc on one line or over several.
    let near = &text[name_start.saturating_sub(160)..name_start];
    if text::contains_folded(near, b"machine ") && text::contains_folded(near, b"login ") {
        return true;
    }
    // A listing of variables in two columns.
    let after = text::run_end(text, name_start, NAME, LONGEST_NAME);
    let gap = text::run_end(text, after, BLANK, 64) - after;
    if announced.shouted && (gap >= 2 || text::at(text, after) == b'\t') && lead.is_empty() {
        return true;
    }
    let bound = BINDERS.iter().any(|word| {
        let from = lead.len().saturating_sub(word.len());
        lead[from..].eq_ignore_ascii_case(word) && !text::is(text::before(lead, from), ALNUM)
    });
    // fish and tcl: `set NAME value`
    bound && (announced.shouted || !lead.ends_with(b"add") && !lead.ends_with(b"param"))
        || announced.shouted && lead.ends_with(b"set")
}

/// Bound to its value by a blank alone: netrc, redis.conf, SQL.
pub(crate) fn is_blank_bound(text: &[u8], name_start: usize, name: &[u8]) -> bool {
    if [&b"requirepass"[..], b"masterauth", b"storepass", b"keypass"]
        .iter()
        .any(|word| name.eq_ignore_ascii_case(word))
    {
        return true;
    }
    let from = name_start.saturating_sub(160);
    let lead = &text[from..name_start];
    // CREATE USER x WITH PASSWORD 'y'; ALTER ROLE … ENCRYPTED PASSWORD '…'
    #[rustfmt::skip]
    const LEADS: &[&[u8]] = &[
        b"login ", b"configure set ", b"machine ", b"config set ", b"encrypted ", b"create user",
        b"create role", b"create login", b"alter role", b"alter user", b"alter login",
    ];
    LEADS.iter().any(|word| text::contains_folded(lead, word))
        || text::contains_folded(lead, b"user ") && text::contains_folded(lead, b"with ")
}
