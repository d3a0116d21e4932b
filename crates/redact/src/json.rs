//! Walks one JSON value string by string, on decoded text, with the name of each value as context.
//! Builds no tree and never recurses by depth: nesting is a small stack, and only JSON inside a string
//! inside JSON calls itself, four levels at most. What is not JSON is not guessed at: it becomes one
//! redacted string.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::engine::{self, Edit, Redactor, Told};
use crate::escapes::{self, Offsets, decode, write_escaped};
use crate::hit::Hit;
use crate::holes;
use crate::lexicon::{self, Strength};
use crate::printing::{self, Prints};
use crate::text::{self, ALNUM, BASE64, DIGIT, JOINER};
use crate::{RedactedEnvelope, assign, mask, structures, tags, value};

/// Deeper nesting is an attack or an accident, and readers after us refuse it as well.
const DEEPEST: usize = 100;
/// JSON in a string in JSON in a string…
const DEEPEST_STRINGS: u8 = 4;
/// Redacting a name seldom makes another name; making a third is somebody trying.
const MOST_RENAMINGS: usize = 8;

/// Fields by which an envelope is filed. An open private block hides the text of its siblings, not
/// which session and event it belongs to.
#[rustfmt::skip]
const IDENTITY: &[&[u8]] = &[
    b"session_id", b"transcript_path", b"cwd", b"hook_event_name", b"tool_name", b"tool_use_id",
    b"prompt_id", b"permission_mode", b"agent_id", b"agent_type", b"agent_transcript_path", b"source",
    b"reason", b"trigger", b"model",
];

#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub edits: Vec<Edit>,
    pub private_prompt: bool,
    /// The name of some member was changed.
    pub renamed: bool,
    /// A command that prints a secret was named behind what it printed.
    late: Option<Prints>,
}

/// An object or array that is open.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent observations, each asked for by name")]
struct Frame {
    object: bool,
    /// The name of the current member, or the name the array goes by.
    name: (usize, usize),
    /// The name under which this container stands in its parent.
    own: (usize, usize),
    /// The value of `"name"` or `"key"`, for its twin `"value"`.
    twin: (usize, usize),
    /// The element before, if it was a string: `["--password", "…"]`.
    previous: (usize, usize),
    /// A private block was left open before this point.
    hidden: bool,
    /// It was opened in here, not before.
    opened: bool,
    /// It was closed in here.
    closed: bool,
    /// The string under `"value"`, for a name that comes behind it.
    valued: (usize, usize),
    /// Another member says that the value is secret: `"Type": "SecureString"`.
    secret: bool,
}

/// The edits that redact `input`, or `None` when it is not one JSON value.
pub(crate) fn walk(redactor: &Redactor, input: &[u8]) -> Option<Walked> {
    let first = input.iter().find(|b| !b.is_ascii_whitespace())?;
    if !matches!(first, b'{' | b'[' | b'"') || std::str::from_utf8(input).is_err() {
        return None;
    }
    let mut walked = Walker::new(redactor, input, 0).walk()?;
    if walked.late.is_some() {
        let again = Walker { prints: walked.late, ..Walker::new(redactor, input, 0) };
        walked = again.walk()?;
    }
    // A name that was redacted may read as another name, which announces other things.
    for _ in 0..MOST_RENAMINGS {
        if !walked.renamed {
            break;
        }
        let current = engine::apply(input, &walked.edits);
        let again = Walker { prints: walked.late, ..Walker::new(redactor, &current, 0) };
        let again = again.walk()?;
        walked.renamed = again.renamed;
        walked.private_prompt |= again.private_prompt;
        walked.edits = engine::compose(&walked.edits, again.edits);
    }
    Some(walked)
}

struct Walker<'w> {
    redactor: &'w Redactor,
    text: &'w [u8],
    at: usize,
    level: u8,
    stack: Vec<Frame>,
    out: Walked,
    /// The document calls itself a Kubernetes Secret; asked of the few members that would be secret then.
    kubernetes: OnceCell<bool>,
    /// The document holds a JSON Web Key; asked like that.
    key_set: OnceCell<bool>,
    /// The string read last with its escapes undone, in a buffer for all of them.
    scratch: Vec<u8>,
    /// Its lone surrogates.
    lone: Vec<(usize, usize)>,
    /// What the output of the command of this envelope holds.
    prints: Option<Prints>,
    /// Output was met before the command.
    printed: bool,
}

/// A string as it stands in the text, between its quotes.
#[derive(Debug, Clone, Copy)]
struct Raw {
    start: usize,
    end: usize,
    /// How much of `Walker::scratch` it fills with its escapes undone, if it has any.
    plain: Option<usize>,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Expect {
    Value,
    /// A value, or the end of an array just opened.
    ValueOrEnd,
    Name,
    /// A name, or the end of an object just opened.
    NameOrEnd,
    CommaOrEnd,
}

impl<'w> Walker<'w> {
    fn new(redactor: &'w Redactor, text: &'w [u8], level: u8) -> Walker<'w> {
        Walker {
            redactor,
            text,
            at: 0,
            level,
            stack: Vec::new(),
            out: Walked::default(),
            kubernetes: OnceCell::new(),
            key_set: OnceCell::new(),
            scratch: Vec::new(),
            lone: Vec::new(),
            prints: None,
            printed: false,
        }
    }

    fn walk(mut self) -> Option<Walked> {
        let mut expect = Expect::Value;
        loop {
            self.skip_space();
            let Some(&byte) = self.text.get(self.at) else {
                return (self.stack.is_empty() && expect == Expect::CommaOrEnd).then_some(self.out);
            };
            expect = match expect {
                Expect::Value | Expect::ValueOrEnd => match byte {
                    b']' if expect == Expect::ValueOrEnd => self.close(false)?,
                    b'{' => self.open(true)?,
                    b'[' => self.open(false)?,
                    b'"' => {
                        let string = self.string()?;
                        self.value(string);
                        Expect::CommaOrEnd
                    }
                    _ => {
                        self.scalar()?;
                        Expect::CommaOrEnd
                    }
                },
                Expect::NameOrEnd if byte == b'}' => self.close(true)?,
                Expect::Name | Expect::NameOrEnd => {
                    if byte != b'"' {
                        return None;
                    }
                    let string = self.string()?;
                    self.name(string);
                    self.skip_space();
                    if self.text.get(self.at) != Some(&b':') {
                        return None;
                    }
                    self.at += 1;
                    Expect::Value
                }
                Expect::CommaOrEnd => {
                    let frame = self.stack.last()?;
                    match byte {
                        b',' => {
                            let object = frame.object;
                            self.at += 1;
                            if object { Expect::Name } else { Expect::Value }
                        }
                        b'}' => self.close(true)?,
                        b']' => self.close(false)?,
                        _ => return None,
                    }
                }
            };
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn open(&mut self, object: bool) -> Option<Expect> {
        if self.stack.len() >= DEEPEST {
            return None;
        }
        let parent = self.stack.last().copied().unwrap_or_default();
        let kept = self.level == 0 && self.stack.len() == 1 && IDENTITY.contains(&self.slice(parent.name));
        self.stack.push(Frame {
            object,
            name: parent.name,
            own: parent.name,
            hidden: parent.hidden && !kept,
            ..Frame::default()
        });
        self.at += 1;
        Some(if object { Expect::NameOrEnd } else { Expect::ValueOrEnd })
    }

    fn close(&mut self, object: bool) -> Option<Expect> {
        let frame = self.stack.pop()?;
        self.at += 1;
        self.judge_late(&frame);
        // A block that one element of a list leaves open goes on in the next, and behind the list.
        if let Some(parent) = self.stack.last_mut() {
            if !parent.object || !frame.object {
                parent.hidden |= frame.hidden && (frame.opened || parent.opened);
                parent.opened |= frame.opened && frame.hidden;
            }
            // Closed in this element, closed for those behind it.
            if frame.closed && !parent.object {
                parent.hidden = false;
                parent.opened = false;
                parent.closed = true;
            }
        }
        (frame.object == object).then_some(Expect::CommaOrEnd)
    }

    /// An object whose value stood before its name, or whose other members say that it is secret.
    fn judge_late(&mut self, frame: &Frame) {
        if !frame.object || frame.valued == (0, 0) {
            return;
        }
        let (start, end) = frame.valued;
        // What was found in it already stays as it is.
        if self.out.edits.iter().rev().take_while(|edit| edit.end > start).any(|edit| edit.start < end) {
            return;
        }
        let value = self.slice(frame.valued);
        let named = frame.twin != (0, 0) && assign::judge_named(self.slice(frame.twin), value).is_some();
        if named || frame.secret && value.len() >= 4 && !holes::is_placeholder(value) {
            let path = self.path();
            for mut edit in self
                .redactor
                .edits_of(self.text, vec![Hit::named(start, end, "secret".into(), "known-document".into())])
            {
                if let Some(told) = &mut edit.told {
                    told.path = Some(path.clone());
                }
                self.push(edit);
            }
        }
    }

    /// Reads the string at the quote.
    fn string(&mut self) -> Option<Raw> {
        let start = self.at + 1;
        self.lone.clear();
        let read = escapes::read(self.text, start, &mut self.scratch, &mut self.lone)?;
        self.at = read.end + 1;
        Some(Raw { start, end: read.end, plain: read.plain })
    }

    fn slice(&self, range: (usize, usize)) -> &'w [u8] {
        &self.text[range.0..range.1]
    }

    /// A member's name: context for its value, and a text that may itself hold a secret.
    fn name(&mut self, string: Raw) {
        let Raw { start, end, .. } = string;
        // Names are short; a secret has at least eight characters.
        let edits = self.out.edits.len();
        if end - start >= 8 || string.plain.is_some() {
            self.redact(string, None);
        }
        // A name that was itself redacted, or is no name, is no context: it reads otherwise the next time.
        self.out.renamed |= self.out.edits.len() != edits;
        let is_name = self.out.edits.len() == edits
            && self.text[start..end].iter().all(|&b| {
                b >= 0x80
                    || text::is(b, ALNUM | JOINER)
                    || matches!(b, b' ' | b'$' | b'@' | b':' | b'/' | b'#')
            });
        if let Some(frame) = self.stack.last_mut() {
            frame.name = if is_name { (start, end) } else { (start, start) };
        }
    }

    fn value(&mut self, string: Raw) {
        let Raw { start, end, .. } = string;
        let frame = self.stack.last().copied().unwrap_or_default();
        let top = self.level == 0 && self.stack.len() == 1;
        let member = self.slice(frame.name);
        if frame.hidden && !(top && IDENTITY.contains(&member)) {
            let raw = self.slice((start, end));
            let plain = string.plain.is_some();
            let decoded = string.plain.map_or(raw, |length| &self.scratch[..length]);
            let Some(close) = tags::closing(decoded) else {
                if start < end {
                    self.hide(start, end, "");
                }
                return;
            };
            // The rest of this text is as public as it was before the block.
            let (_, stop) = Offsets::new(raw, plain).raw(0, close);
            let rest = decoded[close..].to_vec();
            let context = self.context(&frame);
            self.hide(start, start + stop, "");
            self.unhide();
            // What stood before the block may read otherwise without it.
            self.out.renamed = true;
            let found = self.redactor.edits(&rest, Some(context));
            let offsets = &mut Offsets::new(raw, plain);
            for edit in found.edits {
                let (from, to) = offsets.raw(close + edit.start, close + edit.end);
                self.out.edits.push(Edit { start: start + from, end: start + to, ..edit });
            }
            if found.open_private {
                self.leave_open();
            }
            return;
        }
        if top && IDENTITY.contains(&member) && end - start < 512 && is_plain_id(self.slice((start, end))) {
            return;
        }
        let context = self.context(&frame);
        self.note_command(member, string);
        if let Some(kind) = self.structural(&frame, start, end) {
            self.mark_whole(start, end, kind);
        } else {
            let found = self.redact(string, Some(context));
            if found.open_private {
                self.leave_open();
            }
            if top && member == b"prompt" && found.had_private {
                self.out.private_prompt = self.is_blank_after(start, end);
            }
        }
        let Some(frame) = self.stack.last_mut() else { return };
        if frame.object {
            let is = |words: &[&[u8]]| words.iter().any(|word| member.eq_ignore_ascii_case(word));
            if is(&[
                b"name",
                b"key",
                b"parameterkey",
                b"variable",
                b"header",
                b"field",
                b"option_name",
                b"setting",
                b"param",
            ]) {
                frame.twin = (start, end);
            } else if is(&[b"value", b"val", b"parametervalue", b"option_value"]) {
                frame.valued = (start, end);
            }
            // Parameter stores, vaults and pipelines say it of the value beside.
            let said = &self.text[start..end];
            frame.secret |= is(&[b"type"]) && said.eq_ignore_ascii_case(b"securestring")
                || is(&[b"id", b"kid", b"sid"]) && memchr::memmem::find(said, b"/secrets/").is_some();
        } else {
            frame.previous = (start, end);
        }
    }

    fn leave_open(&mut self) {
        if let Some(frame) = self.stack.last_mut() {
            frame.hidden = true;
            frame.opened = true;
            frame.closed = false;
        }
    }

    /// The private block is closed: in this container, and in those that are hidden because of it.
    fn unhide(&mut self) {
        if let Some(frame) = self.stack.last_mut() {
            frame.hidden = false;
            frame.opened = false;
            frame.closed = true;
        }
    }

    /// A command of the envelope: what it prints is known from here on.
    fn note_command(&mut self, member: &[u8], string: Raw) {
        if self.level > 0 || self.stack.len() < 2 || !matches!(member, b"command" | b"cmd" | b"script") {
            return;
        }
        if !matches!(self.slice(self.stack[0].name), b"tool_input" | b"input" | b"arguments" | b"args") {
            return;
        }
        let raw = self.slice((string.start, string.end));
        let command = string.plain.map_or(raw, |length| &self.scratch[..length]);
        let prints = printing::of(command);
        self.prints = self.prints.max(prints);
        if self.printed {
            self.out.late = self.out.late.max(prints);
        }
    }

    /// The string stands in what a command of this envelope wrote.
    fn is_output(&self) -> bool {
        const OUTPUTS: &[&[u8]] =
            &[b"tool_response", b"tool_output", b"tool_result", b"output", b"result", b"response", b"stdout"];
        self.level == 0 && self.stack.first().is_some_and(|root| OUTPUTS.contains(&self.slice(root.name)))
    }

    /// The name a value goes by: its member, the twin of a pair, or the flag before it in a list.
    fn context(&self, frame: &Frame) -> &'w [u8] {
        let name = self.slice(frame.name);
        if frame.object && frame.twin != (0, 0) {
            let valued =
                [&b"value"[..], b"parametervalue", b"val", b"content", b"defaultvalue", b"option_value"]
                    .iter()
                    .any(|word| name.eq_ignore_ascii_case(word));
            if valued {
                return self.slice(frame.twin);
            }
        }
        // "db_password": {"type": "string", "value": "…"}
        if frame.object
            && [&b"value"[..], b"default"].iter().any(|word| name.eq_ignore_ascii_case(word))
            && lexicon::announced(self.slice(frame.own)).is_some_and(|said| said.strength > Strength::Faint)
        {
            return self.slice(frame.own);
        }
        let previous = self.slice(frame.previous);
        if !frame.object && previous.starts_with(b"--") && !previous.contains(&b'=') {
            previous
        } else {
            name
        }
    }

    /// Values that their place in a known document makes secret.
    fn structural(&self, frame: &Frame, start: usize, end: usize) -> Option<&'static str> {
        let bytes = self.slice((start, end));
        if bytes.is_empty() {
            return None;
        }
        if frame.object
            && matches!(self.slice(frame.own), b"data" | b"stringData")
            && self.is_kubernetes()
            && !holes::is_placeholder(bytes)
        {
            return Some("k8s-secret");
        }
        let name = self.slice(frame.name);
        if frame.object
            && matches!(name, b"d" | b"p" | b"q" | b"dp" | b"dq" | b"qi" | b"k")
            && bytes.len() >= 16
            && bytes.iter().all(|&b| text::is(b, ALNUM | BASE64 | JOINER))
            && *self.key_set.get_or_init(|| holds(self.text, b"\"kty\""))
        {
            return Some("private-key");
        }
        if matches!(name, b"auth" | b"_auth") && structures::is_encoded_pair(bytes) {
            return Some("basic-auth");
        }
        None
    }

    fn is_kubernetes(&self) -> bool {
        *self.kubernetes.get_or_init(|| holds(self.text, b"Secret\"") && holds(self.text, b"\"kind\""))
    }

    /// Numbers and the three words. A number called `password` is one.
    fn scalar(&mut self) -> Option<()> {
        let start = self.at;
        let end = text::run_end(self.text, start, ALNUM | JOINER | BASE64, 4096);
        let token = &self.text[start..end];
        self.at = end;
        match token {
            b"true" | b"false" | b"null" => return Some(()),
            _ if !is_number(token) => return None,
            _ => {}
        }
        let frame = self.stack.last().copied().unwrap_or_default();
        if frame.hidden && self.stack.len() > 1 {
            self.hide(start, end, "null");
            return Some(());
        }
        if frame.object
            && token.len() >= 4
            && token.iter().all(|&b| text::is(b, DIGIT))
            && lexicon::announced(self.slice(frame.name))
                .is_some_and(|said| said.strength == Strength::Password)
        {
            let mark = format!("\"{}\"", mask::mark("password", None));
            let told = Told {
                kind: "password".into(),
                rule: "assigned-password".into(),
                mark: None,
                path: Some(self.path()),
            };
            self.out.edits.push(Edit { start, end, text: mark.into(), told: Some(told) });
        }
        Some(())
    }

    fn hide(&mut self, start: usize, end: usize, stead: &'static str) {
        let told = Told {
            kind: "private".into(),
            rule: "private-block".into(),
            mark: None,
            path: Some(self.path()),
        };
        self.out.edits.push(Edit { start, end, text: stead.into(), told: Some(told) });
    }

    fn mark_whole(&mut self, start: usize, end: usize, kind: &'static str) {
        let hit = Hit::named(start, end, kind.into(), "known-document".into());
        for mut edit in self.redactor.edits_of(self.text, vec![hit]) {
            if let Some(told) = &mut edit.told {
                told.path = Some(self.path());
            }
            self.out.edits.push(edit);
        }
    }

    /// Redacts the string read last.
    fn redact(&mut self, string: Raw, name: Option<&[u8]>) -> engine::Edits {
        let Raw { start, end, plain } = string;
        let raw = &self.text[start..end];
        for &(from, to) in &self.lone {
            self.out.edits.push(Edit {
                start: start + from,
                end: start + to,
                text: "\u{fffd}".into(),
                told: None,
            });
        }
        let scratch = std::mem::take(&mut self.scratch);
        let decoded = plain.map_or(raw, |length| &scratch[..length]);
        let output = name.is_some() && self.is_output();
        self.printed |= output;
        let prints = self.prints.filter(|_| output || self.level > 0);
        let mut found = self.redact_decoded(decoded, name, prints);
        if !found.edits.is_empty() {
            let path = self.path();
            let mut offsets = Offsets::new(raw, plain.is_some());
            for edit in found.edits.drain(..) {
                let (from, to) = offsets.raw(edit.start, edit.end);
                let told = edit.told.map(|told| Told {
                    path: Some(match &told.path {
                        Some(inner) if !inner.is_empty() => format!("{path}.{inner}"),
                        _ => path.clone(),
                    }),
                    ..told
                });
                self.push(Edit { start: start + from, end: start + to, text: edit.text, told });
            }
        }
        self.scratch = scratch;
        found
    }

    /// Keeps edits sorted and apart; a repaired surrogate inside a redacted value is gone with it.
    fn push(&mut self, edit: Edit) {
        let keep =
            self.out.edits.iter().rposition(|earlier| earlier.end <= edit.start).map_or(0, |last| last + 1);
        let later: Vec<Edit> =
            self.out.edits.split_off(keep).into_iter().filter(|other| other.start >= edit.end).collect();
        self.out.edits.push(edit);
        self.out.edits.extend(later);
    }

    fn redact_decoded(
        &mut self,
        decoded: &[u8],
        name: Option<&[u8]>,
        prints: Option<Prints>,
    ) -> engine::Edits {
        if self.level < DEEPEST_STRINGS && looks_like_json(decoded) {
            let inner = Walker { prints, ..Walker::new(self.redactor, decoded, self.level + 1) };
            if let Some(walked) = inner.walk() {
                self.out.renamed |= walked.renamed;
                return engine::Edits { edits: walked.edits, ..engine::Edits::default() };
            }
        }
        // In an answer of several members, only those that hold what was asked for.
        let prints = prints.filter(|_| self.level == 0 || name.is_some_and(printing::is_answer));
        self.redactor.edits_of_output(decoded, name, prints)
    }

    fn is_blank_after(&self, start: usize, end: usize) -> bool {
        let edits: Vec<Edit> = self
            .out
            .edits
            .iter()
            .filter(|edit| edit.start >= start && edit.end <= end)
            .map(|edit| Edit { start: edit.start - start, end: edit.end - start, ..edit.clone() })
            .collect();
        let left = engine::apply(&self.text[start..end], &edits);
        let mut plain = Vec::new();
        decode(&left, &mut plain);
        String::from_utf8_lossy(&plain).trim().is_empty()
    }

    fn path(&self) -> String {
        let names: Vec<Cow<'_, str>> = self
            .stack
            .iter()
            .filter(|frame| frame.object)
            .map(|frame| String::from_utf8_lossy(self.slice(frame.name)))
            .collect();
        names.join(".")
    }
}

fn holds(text: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(text, word).is_some()
}

fn is_plain_id(bytes: &[u8]) -> bool {
    value::is_uuid(bytes) || bytes.iter().all(|&b| text::is(b, text::ALPHA) || b == b'_')
}

fn looks_like_json(text: &[u8]) -> bool {
    let trimmed = text.trim_ascii();
    trimmed.len() > 2 && matches!((trimmed[0], trimmed[trimmed.len() - 1]), (b'{', b'}') | (b'[', b']'))
}

fn is_number(token: &[u8]) -> bool {
    let token = token.strip_prefix(b"-").unwrap_or(token);
    let digits = text::run_end(token, 0, DIGIT, token.len());
    if digits == 0 || digits > 1 && token[0] == b'0' {
        return false;
    }
    let mut at = digits;
    if text::at(token, at) == b'.' {
        let end = text::run_end(token, at + 1, DIGIT, token.len());
        if end == at + 1 {
            return false;
        }
        at = end;
    }
    if matches!(text::at(token, at), b'e' | b'E') {
        let sign = usize::from(matches!(text::at(token, at + 1), b'+' | b'-'));
        let end = text::run_end(token, at + 1 + sign, DIGIT, token.len());
        if end == at + 1 + sign {
            return false;
        }
        at = end;
    }
    at == token.len()
}

/// What is no JSON: scanned as it stands and with its escapes undone, then wrapped as one string.
pub(crate) fn unreadable(redactor: &Redactor, input: &[u8]) -> RedactedEnvelope {
    let lossy = String::from_utf8_lossy(input);
    let first = redactor.edits(lossy.as_bytes(), None);
    let once = engine::apply(lossy.as_bytes(), &first.edits);
    let mut findings = engine::findings(first.edits);
    let mut plain = Vec::new();
    decode(&once, &mut plain);
    let second = redactor.edits(&plain, None);
    let text = if second.edits.is_empty() {
        once
    } else {
        let mut offsets = Offsets::new(&once, true);
        let edits: Vec<Edit> = second
            .edits
            .into_iter()
            .map(|edit| {
                let (start, end) = offsets.raw(edit.start, edit.end);
                Edit { start, end, ..edit }
            })
            .collect();
        let twice = engine::apply(&once, &edits);
        findings.extend(engine::findings(edits));
        twice
    };
    let mut json = Vec::with_capacity(text.len() + 32);
    json.push(b'{');
    for name in [&b"\"session_id\""[..], b"\"hook_event_name\""] {
        if let Some(value) = identity(&text, name) {
            json.extend_from_slice(name);
            json.extend_from_slice(b":\"");
            json.extend_from_slice(value);
            json.extend_from_slice(b"\",");
        }
    }
    json.extend_from_slice(b"\"unreadable\":\"");
    write_escaped(&String::from_utf8_lossy(&text), &mut json);
    json.extend_from_slice(b"\"}");
    RedactedEnvelope { json, findings, parsed: false, private_prompt: false }
}

/// An envelope that is cut off, too deep or broken in one byte still says whose it is, so that it stays in its
/// session and in its private turn. A bounded look at redacted text: agents send these members first.
fn identity<'t>(text: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
    const LOOK: usize = 4096;
    const LONGEST: usize = 400;
    let text = &text[..text.len().min(LOOK)];
    let after = &text[memchr::memmem::find(text, name)? + name.len()..];
    let value = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"\"")?;
    let end = value.iter().take(LONGEST + 1).position(|&byte| byte < 0x20 || matches!(byte, b'"' | b'\\'))?;
    (value[end] == b'"' && std::str::from_utf8(&value[..end]).is_ok()).then_some(&value[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_strictly() {
        for number in ["0", "-1", "1.5", "1e9", "-0.1E-2"] {
            assert!(is_number(number.as_bytes()), "{number}");
        }
        for other in ["01", "1.", ".5", "1e", "--1", "0x1", "nan"] {
            assert!(!is_number(other.as_bytes()), "{other}");
        }
    }
}
