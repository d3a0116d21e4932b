//! Where programs keep a literal apart from its name: `password() { return "…" }`, `expect(password).toBe("…")`,
//! `assertEquals("…", password)`, `user, password = "…", "…"`, `INSERT INTO t (password) VALUES ('…')`.
//! Finds the literal; whether it can be a secret is judged elsewhere.

use crate::text::{self, ALNUM, ALPHA, NAME};
use crate::value::{self, Ending, Value};

/// From a name to its literal; beyond it stands another statement.
const REACH: usize = 80;
/// Columns of a statement that inserts, and tuples it inserts.
const MOST_COLUMNS: usize = 64;
const MOST_TUPLES: usize = 1000;

/// Between a name and a literal, these say that the one is the other's value.
const LINKS: &[&[u8]] = &[
    b"return",
    b"=>",
    b"-> ",
    b"tobe(",
    b"toequal(",
    b"tostrictequal(",
    b"to eq",
    b"isequalto(",
    b"equalto(",
    b"equals(",
    b".eq(",
    b"shouldbe",
    b"orelse(",
    b"unwrap_or",
    b"ordefault(",
    b"or_else",
    b"fetch(",
    b"should eq",
    b"should ==",
    b") or ",
    b".or(",
    b"?: ",
    b"isequal(",
    b"assert",
];

/// The quoted literal that follows the name which ends at `name_end`, through the syntax of a program.
pub(crate) fn literal_after(text: &[u8], name_end: usize) -> Option<usize> {
    let limit = text.len().min(name_end + REACH);
    let mut at = name_end;
    while at < limit {
        let byte = text[at];
        match byte {
            b'"' | b'`' => break,
            // A lifetime is no quote.
            b'\'' if text::before(text, at) != b'&' => break,
            b';' | b'#' | b'+' | b'/' | b'%' | b'@' | b'$' => return None,
            _ => at += 1,
        }
    }
    if at >= limit || at == name_end {
        return None;
    }
    let between = &text[name_end..at];
    // One statement has few words and at most one line break within.
    if text::count(between, b'\n') > 2 || text::count(between, b',') > 1 {
        return None;
    }
    let start = at
        - usize::from(
            text::is(text::before(text, at), ALPHA) && !text::is(text::before(text, at - 1), ALNUM),
        );
    let trimmed = between.trim_ascii();
    let opens = matches!(
        trimmed,
        b"{" | b"= (" | b"=(" | b"= \\" | b":= (" | b": (" | b"(" | b"= [" | b"::new(" | b"::from("
    ) && !matches!(text::at(text, name_end), b'(');
    // Over a line break only a function leads to its value.
    let linked = (between.first() == Some(&b'(') || !between.contains(&b'\n'))
        && LINKS.iter().any(|link| text::contains_folded(between, link));
    let calls = between.first() == Some(&b'(')
        && between.get(1) == Some(&b')')
        && matches!(trimmed.last(), Some(b'{' | b'>'));
    let typed = is_type(trimmed);
    (opens || linked || calls || typed).then_some(start)
}

/// `NVARCHAR(50) =`, `As String =`, `: constant String :=`, `(Some(`.
fn is_type(between: &[u8]) -> bool {
    if between == b"(Some(" || between == b"(Some" {
        return true;
    }
    let Some(head) = between.strip_suffix(b"=") else { return false };
    let head = head.strip_suffix(b":").unwrap_or(head).trim_ascii();
    !head.is_empty()
        && head.iter().all(|&b| {
            text::is(b, ALNUM) || matches!(b, b' ' | b'(' | b')' | b':' | b'_' | b'*' | b'<' | b'>' | b'?')
        })
        && text::count(head, b' ') <= 3
        && [&b"char"[..], b"text", b"string", b"const"].iter().any(|word| text::contains_folded(head, word))
}

/// `"…" == password`, `assertEquals("…", user.password)`, `"…".equals(password)`: the literal before the name.
pub(crate) fn literal_before(text: &[u8], name_start: usize) -> Option<Value> {
    let start = text::line_start(text, name_start);
    let lead = text[start..name_start].trim_ascii_end();
    let (rest, needs_call) = [&b"==="[..], b"==", b".equals(", b".eq("]
        .into_iter()
        .find_map(|sign| lead.strip_suffix(sign).map(|rest| (rest, false)))
        .or_else(|| lead.strip_suffix(b",").map(|rest| (rest, true)))?;
    let rest = rest.trim_ascii_end();
    let quote = *rest.last()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let inside = &rest[..rest.len() - 1];
    let open = memchr::memrchr(quote, inside)?;
    // A list of names is no comparison.
    let call = &rest[..open];
    if needs_call
        && ![&b"equal"[..], b"assert_eq", b"assertsame", b"compare", b"expect_eq", b"verify", b"matches"]
            .iter()
            .any(|word| text::contains_folded(call, word))
    {
        return None;
    }
    Some(Value { start: start + open + 1, end: start + inside.len(), quoted: true })
}

/// `user, password = "me", "…"`: which of the values on the right belongs to the name.
pub(crate) fn in_tuple(text: &[u8], name_start: usize, value_at: usize) -> Option<usize> {
    let start = text::line_start(text, name_start);
    let lead = &text[start..name_start];
    let trimmed = lead.trim_ascii();
    if !trimmed.ends_with(b",")
        || !trimmed.iter().all(|&b| text::is(b, NAME) || matches!(b, b' ' | b',' | b'(' | b'[' | b'$'))
    {
        return None;
    }
    let mut at = value_at;
    while matches!(text::at(text, at), b'(' | b'[') {
        at += 1;
    }
    for _ in 0..text::count(trimmed, b',') {
        let before = value::read(text, at, Ending::Punctuation)?;
        let next = before.end + usize::from(before.quoted);
        if text::at(text, next) != b',' {
            return None;
        }
        at = text::skip_blank(text, next + 1, 8);
    }
    Some(at)
}

/// `INSERT INTO t (a, password) VALUES (1, '…'), (2, '…')`: the values under the name.
pub(crate) fn inserted(text: &[u8], name_start: usize, name_end: usize) -> Vec<Value> {
    let mut found = Vec::new();
    let floor = name_start.saturating_sub(512);
    let Some(open) = memchr::memrchr(b'(', &text[floor..name_start]).map(|at| floor + at) else {
        return found;
    };
    let column = text::count(&text[open..name_start], b',');
    let head = &text[open.saturating_sub(120)..open];
    if column >= MOST_COLUMNS || !text::contains_folded(head, b"into") {
        return found;
    }
    let limit = text.len().min(name_end + 1024);
    let Some(close) = memchr::memchr(b')', &text[name_end..limit]).map(|at| name_end + at) else {
        return found;
    };
    let mut at = skip_space(text, close + 1);
    if !text::starts_with_folded(text, at, b"values") {
        return found;
    }
    at = skip_space(text, at + "values".len());
    for _ in 0..MOST_TUPLES {
        if text::at(text, at) != b'(' {
            break;
        }
        at = skip_space(text, at + 1);
        let mut index = 0;
        loop {
            let Some(cell) = value::read(text, at, Ending::Punctuation) else { return found };
            if index == column && cell.quoted {
                found.push(cell);
            }
            at = skip_space(text, cell.end + usize::from(cell.quoted));
            if text::at(text, at) != b',' || index > MOST_COLUMNS {
                break;
            }
            index += 1;
            at = skip_space(text, at + 1);
        }
        if text::at(text, at) != b')' {
            break;
        }
        at = skip_space(text, at + 1);
        if text::at(text, at) != b',' {
            break;
        }
        at = skip_space(text, at + 1);
    }
    found
}

fn skip_space(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < text.len() && at < from + 32 && text[at].is_ascii_whitespace() {
        at += 1;
    }
    at
}
