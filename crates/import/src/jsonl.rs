//! Documents `{id, text, ts, session, project, kind}`, one JSON object per line. Only `text` is needed. Unknown
//! fields are passed over; a line that cannot be read costs itself.
//!
//! No document takes another's place unasked. Files of different people use the same ids, and one file comes by
//! several names and through pipes: so a document is its project, its session, its id and its text, wherever it was
//! read. Only a caller that names the collection with a label says that an id in it is one document for good, and
//! then a changed text is news of it.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use model::{MemoryId, MemoryKind, Millis, SessionId};
use serde_json::{Map, Value};

use crate::lines::{self, Line};
use crate::{Effect, Item, Options, Problem, Reader, Record, Source, shape, time};

/// Lines are counted in this much and the rest is taken to be alike.
const SAMPLE_BYTES: u64 = 256 << 10;
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// Documents under one label of which it is known that no two are the same.
const MAX_LABELED: usize = 4_000_000;
const MARK: &[u8] = "\u{feff}".as_bytes();

pub(crate) fn read(path: &Path, options: &Options) -> Reader {
    let place = path.display().to_string();
    match open(path) {
        Err(problem) => Reader::stopped(place, problem),
        Ok((file, estimate)) => {
            let Reader { items, .. } = read_from(Box::new(BufReader::new(file)), place, options);
            Reader::new(estimate, items)
        }
    }
}

pub(crate) fn read_from(lines: Box<dyn BufRead + Send>, place: String, options: &Options) -> Reader {
    Reader::new(
        0,
        Documents {
            lines,
            place,
            options: options.clone(),
            line: 0,
            labeled: HashMap::new(),
            next: VecDeque::new(),
            done: false,
        },
    )
}

fn open(path: &Path) -> Result<(File, u64), String> {
    let file = File::open(path).map_err(|error| format!("cannot be opened: {error}"))?;
    let about = file.metadata().map_err(|error| error.to_string())?;
    if about.is_dir() {
        return Err("is a folder; give a file of JSON lines".to_owned());
    }
    if !about.is_file() {
        return Ok((file, 0));
    }
    // Read by another handle: a pipe could not be read twice, but a pipe is no file.
    let mut sample = Vec::new();
    File::open(path)
        .and_then(|file| file.take(SAMPLE_BYTES).read_to_end(&mut sample))
        .map_err(|error| format!("cannot be read: {error}"))?;
    if sample.starts_with(GZIP) {
        return Err("is compressed; run `gunzip -k` on it and import what comes out".to_owned());
    }
    if sample.starts_with(ZSTD) {
        return Err("is compressed; run `unzstd` on it and import what comes out".to_owned());
    }
    let lines = sample.split(|byte| *byte == b'\n').count().saturating_sub(1).max(1) as u64;
    Ok((file, if sample.is_empty() { 0 } else { about.len().div_ceil((sample.len() as u64 / lines).max(1)) }))
}

struct Documents {
    lines: Box<dyn BufRead + Send>,
    place: String,
    options: Options,
    line: u64,
    /// What each document under a label says, and in which line.
    labeled: HashMap<MemoryId, (MemoryId, u64)>,
    /// Said after the record they are about.
    next: VecDeque<Problem>,
    done: bool,
}

impl Documents {
    fn problem(&self, effect: Effect, what: impl Into<String>) -> Problem {
        Problem::new(effect, format!("{}:{}", self.place, self.line), what)
    }

    fn document(&mut self, line: &[u8]) -> Item {
        // A stray byte in a text is no reason to lose the text.
        let text = String::from_utf8_lossy(line);
        let lost = |what: String| self.problem(Effect::Lost, what);
        let fields: Map<String, Value> = match serde_json::from_str(&text) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return Err(lost("is not a JSON object".to_owned())),
            Err(error) => return Err(lost(format!("is not JSON: {}", reason(&error)))),
        };
        let body = match fields.get("text") {
            Some(Value::String(text)) if !text.trim().is_empty() => text,
            Some(Value::String(_)) => return Err(lost("has an empty text".to_owned())),
            Some(_) => return Err(lost("has a `text` that is not a string".to_owned())),
            None => return Err(lost("has no `text`".to_owned())),
        };
        let external = word(&fields, "id").map(|id| shape::external_id(&id)).filter(|id| !id.is_empty());
        let session = word(&fields, "session");
        let project = word(&fields, "project").and_then(|name| shape::name(&name));
        let project = project.or_else(|| self.options.project.clone());
        let given = fields.get("ts").filter(|ts| !ts.is_null() && ts.as_f64() != Some(0.0));
        let at = given.and_then(time::from_value);
        let is_undated = given.is_some() && at.is_none();
        let id = self.id(project.as_deref(), session.as_deref(), external.as_deref(), at, body)?;
        let given = word(&fields, "kind").and_then(|kind| shape::name(&kind));
        let kind = given.as_deref().and_then(|kind| MemoryKind::from_name(&kind.to_lowercase()));
        let title = word(&fields, "title");

        let mut memory = shape::memory(
            id,
            kind.unwrap_or(MemoryKind::Document),
            at.unwrap_or_default(),
            title.as_deref().unwrap_or(body),
            body,
        );
        if kind.is_none() {
            memory.concepts.extend(given);
        }
        let files = fields.get("files").and_then(Value::as_array).into_iter().flatten();
        memory.files_read = shape::items(files.filter_map(Value::as_str));
        memory.session = session.map(|id| SessionId::new(&id));
        memory.project = project;
        memory.external_id = external;
        memory.provenance.place = Some(format!("{}:{}", self.place, self.line));
        if shape::is_too_long(body) {
            let what = format!("has {} bytes of text; the first {} are kept", body.len(), memory.text.len());
            self.next.push_back(self.problem(Effect::Shortened, what));
        }
        if is_undated {
            let what = "has a `ts` that is no time between 1970 and 2200";
            self.next.push_back(self.problem(Effect::Undated, what));
        }
        Ok(Record::from(memory))
    }

    fn id(
        &mut self,
        project: Option<&str>,
        session: Option<&str>,
        external: Option<&str>,
        at: Option<Millis>,
        text: &str,
    ) -> Result<MemoryId, Problem> {
        let name = Source::Jsonl.name();
        let (project, session) = (project.unwrap_or_default(), session.unwrap_or_default());
        match (&self.options.label, external) {
            (Some(label), Some(external)) => {
                let id = MemoryId::of(&[name, "label", label, external]);
                self.only_one(id, text)?;
                Ok(id)
            }
            (None, Some(external)) => Ok(MemoryId::of(&[name, "id", project, session, external, text])),
            // Without an id of its own a document is what it says, where and when.
            (label, None) => {
                let label = label.as_deref().unwrap_or_default();
                let at = at.unwrap_or_default().to_string();
                Ok(MemoryId::of(&[name, "text", label, project, session, &at, text]))
            }
        }
    }

    /// Of two texts under one id in one file nobody knows which is the newer: the first stays.
    fn only_one(&mut self, id: MemoryId, text: &str) -> Result<(), Problem> {
        let says = MemoryId::of(&[text]);
        match self.labeled.get(&id) {
            Some((first, _)) if *first == says => Ok(()),
            Some((_, line)) => {
                let what = format!("has the id of line {line} and says something else");
                Err(self.problem(Effect::LeftOut, what))
            }
            None if self.labeled.len() >= MAX_LABELED => {
                self.done = true;
                let what = format!("is beyond the {MAX_LABELED} documents of one import with a label");
                Err(self.problem(Effect::Stopped, what))
            }
            None => {
                self.labeled.insert(id, (says, self.line));
                Ok(())
            }
        }
    }
}

impl Iterator for Documents {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if let Some(problem) = self.next.pop_front() {
            return Some(Err(problem));
        }
        while !self.done {
            self.line += 1;
            let line = match lines::next(&mut self.lines) {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => {
                    self.done = true;
                    return Some(Err(self.problem(Effect::Stopped, format!("cannot be read: {error}"))));
                }
            };
            match line {
                Line::TooLong { bytes } => {
                    let what =
                        format!("is a line of {bytes} bytes; at most {} are read", lines::MAX_LINE_BYTES);
                    return Some(Err(self.problem(Effect::Lost, what)));
                }
                Line::Bytes(line) => {
                    let line = if self.line == 1 { line.strip_prefix(MARK).unwrap_or(&line) } else { &line };
                    if !line.trim_ascii().is_empty() {
                        return Some(self.document(line));
                    }
                }
            }
        }
        self.done = true;
        None
    }
}

/// A string or a number: ids are written as both.
fn word(fields: &Map<String, Value>, name: &str) -> Option<String> {
    match fields.get(name)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// serde's words without its line, which is always the first.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let (what, _) = text.rsplit_once(" at line ").unwrap_or((&text, ""));
    format!("{what} at column {}", error.column())
}
