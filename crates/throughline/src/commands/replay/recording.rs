//! Recordings as people have them: one envelope in a file, one a line, a list of them, or the lines of `events --json`;
//! plain or compressed; whole folders of such files. What is broken costs itself alone.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::commands::lines;
use crate::report::{Failure, hint};

/// Folders in folders.
const MAX_DEPTH: usize = 16;
/// A year of a busy person's hooks, one file each.
const MAX_FILES: usize = 1_000_000;

/// An envelope as it was recorded.
pub(super) struct Recorded {
    /// The file, and the line in it where there are several.
    pub(super) place: String,
    pub(super) agent: Option<String>,
    pub(super) hint: Option<String>,
    pub(super) context: Value,
    pub(super) body: Vec<u8>,
}

pub(super) enum Found {
    Envelope(Recorded),
    Trouble { place: String, what: String },
}

type Take<'a> = &'a mut dyn FnMut(Found) -> anyhow::Result<()>;

/// What a name on the command line stands for: itself, or the recordings in a folder in the order of their names.
pub(super) fn files(named: &str) -> anyhow::Result<Vec<String>> {
    let path = Path::new(named);
    if named == "-" || !path.is_dir() {
        return Ok(vec![named.to_owned()]);
    }
    let mut found = Vec::new();
    walk(path, 0, &mut found);
    found.sort_unstable();
    if found.is_empty() {
        let what = format!("{named} holds no .json and no .jsonl file");
        return Err(hint(Failure::Person, what, "name a file, or another folder"));
    }
    Ok(found.into_iter().map(|path| path.to_string_lossy().into_owned()).collect())
}

fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        let is_recording = path.extension().is_some_and(|end| end == "json" || end == "jsonl");
        if kind.is_dir() && depth < MAX_DEPTH {
            walk(&path, depth + 1, found);
        } else if is_recording && kind.is_file() && found.len() < MAX_FILES {
            found.push(path);
        }
    }
}

/// Every envelope of a file. An error is whoever takes them; trouble with the file is told to them.
pub(super) fn read(file: &str, take: Take<'_>) -> anyhow::Result<()> {
    let mut source = match lines::open(file) {
        Ok(source) => source,
        Err(error) => {
            // It begins with the file's name, which is told beside it.
            let what = crate::report::parts(&error).0;
            let what = what.strip_prefix(file).and_then(|what| what.strip_prefix(": ")).unwrap_or(&what);
            return trouble(file.to_owned(), what.to_owned(), take);
        }
    };
    let (mut first, mut at) = (Vec::new(), 0);
    while first.trim_ascii().is_empty() {
        first.clear();
        at += 1;
        match line(&mut source, &mut first) {
            Ok(0) => return trouble(file.to_owned(), "it is empty".to_owned(), take),
            Ok(_) => {}
            Err(error) => return trouble(file.to_owned(), error.to_string(), take),
        }
    }
    if first.len() > wire::MAX_BODY {
        return trouble(file.to_owned(), too_long(), take);
    }
    if is_json(&first) {
        return read_lines(file, (first, at), &mut source, take);
    }
    let room = wire::MAX_BODY + 1 - first.len();
    if let Err(error) = source.take(room as u64).read_to_end(&mut first) {
        return trouble(file.to_owned(), error.to_string(), take);
    }
    if first.len() > wire::MAX_BODY {
        return trouble(file.to_owned(), too_long(), take);
    }
    read_whole(file, &first, take)
}

fn read_lines(
    file: &str,
    first: (Vec<u8>, usize),
    source: &mut lines::Lines,
    take: Take<'_>,
) -> anyhow::Result<()> {
    let (mut text, mut at) = first;
    let mut is_only = true;
    loop {
        let mut next = Vec::new();
        let more = match line(source, &mut next) {
            Ok(read) => read > 0,
            Err(error) => {
                trouble(format!("{file}:{}", at + 1), error.to_string(), take)?;
                false
            }
        };
        is_only = is_only && next.trim_ascii().is_empty();
        if !text.trim_ascii().is_empty() {
            let place = if is_only && !more { file.to_owned() } else { format!("{file}:{at}") };
            one(&place, &text, take)?;
        }
        if !more {
            return Ok(());
        }
        (text, at) = (next, at + 1);
    }
}

/// One value over many lines, several of those one after the other, or lines of which the first is broken.
fn read_whole(file: &str, text: &[u8], take: Take<'_>) -> anyhow::Result<()> {
    let values = serde_json::Deserializer::from_slice(text).into_iter::<&RawValue>();
    if let Ok(values) = values.collect::<Result<Vec<_>, _>>()
        && values.len() > 1
    {
        return values
            .iter()
            .enumerate()
            .try_for_each(|(at, value)| one(&format!("{file}#{}", at + 1), value.get().as_bytes(), take));
    }
    let lines =
        || text.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
    if is_json(text) || lines().count() == 1 || !lines().any(|(_, line)| is_envelope(line)) {
        return one(file, text, take);
    }
    for (at, line) in lines() {
        one(&format!("{file}:{}", at + 1), line, take)?;
    }
    Ok(())
}

/// What `events --json` prints, or what another recorder made like it.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    envelope: &'a RawValue,
    agent: Option<Value>,
    event: Option<Value>,
    #[serde(default)]
    context: Value,
}

/// One text that should be an envelope. What is no JSON but begins like some is what a hook would carry, too.
fn one(place: &str, text: &[u8], take: Take<'_>) -> anyhow::Result<()> {
    let text = text.trim_ascii();
    if text.len() > wire::MAX_BODY {
        return trouble(place.to_owned(), too_long(), take);
    }
    if let Ok(all) = serde_json::from_slice::<Vec<&RawValue>>(text) {
        for (at, each) in all.iter().enumerate() {
            member(&format!("{place}[{at}]"), each.get().as_bytes(), take)?;
        }
        return Ok(());
    }
    member(place, text, take)
}

/// One that is no list of them. Lists in lists are nobody's recording: they are not opened, however deep they go.
fn member(place: &str, text: &[u8], take: Take<'_>) -> anyhow::Result<()> {
    if text.starts_with(b"[") && is_json(text) {
        return trouble(place.to_owned(), "a list in a list".to_owned(), take);
    }
    if let Ok(line) = serde_json::from_slice::<Line<'_>>(text) {
        if line.envelope.get() == "null" {
            let what = "its envelope is no longer kept".to_owned();
            return trouble(place.to_owned(), what, take);
        }
        let word = |value: Option<Value>| value.and_then(|value| value.as_str().map(str::to_owned));
        return take(Found::Envelope(Recorded {
            place: place.to_owned(),
            agent: word(line.agent),
            hint: word(line.event),
            context: line.context,
            body: line.envelope.get().as_bytes().to_vec(),
        }));
    }
    if !is_json(text) && !text.starts_with(b"{") {
        return trouble(place.to_owned(), "no JSON".to_owned(), take);
    }
    let body = text.to_vec();
    take(Found::Envelope(Recorded {
        place: place.to_owned(),
        agent: None,
        hint: None,
        context: Value::Null,
        body,
    }))
}

fn trouble(place: String, what: String, take: Take<'_>) -> anyhow::Result<()> {
    take(Found::Trouble { place, what })
}

/// At most one byte more than an envelope may have; then it is no line of ours.
fn line(source: &mut lines::Lines, into: &mut Vec<u8>) -> std::io::Result<usize> {
    source.by_ref().take(wire::MAX_BODY as u64 + 1).read_until(b'\n', into)
}

fn too_long() -> String {
    format!("longer than {} MB, which no hook carries", wire::MAX_BODY >> 20)
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(text).is_ok()
}

/// A whole envelope and not a piece of one.
fn is_envelope(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Members {
        hook_event_name: Option<serde::de::IgnoredAny>,
        session_id: Option<serde::de::IgnoredAny>,
        envelope: Option<serde::de::IgnoredAny>,
    }
    let begins = line.trim_ascii_start().starts_with(b"{");
    let members = serde_json::from_slice::<Members>(line).ok().filter(|_| begins);
    members.is_some_and(|of| of.hook_event_name.is_some() || of.session_id.is_some() || of.envelope.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a file of this text is, one line each.
    fn check(text: &[u8], expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, text).unwrap();
        let name = path.to_string_lossy().into_owned();
        let mut found = Vec::new();
        read(&name, &mut |one| {
            found.push(match one {
                Found::Envelope(one) => {
                    let agent = one.agent.unwrap_or_default();
                    format!("{} {agent} {}", one.place, String::from_utf8_lossy(&one.body))
                }
                Found::Trouble { place, what } => format!("{place} ! {what}"),
            });
            Ok(())
        })
        .unwrap();
        let found: Vec<String> = found.iter().map(|line| line.replacen(&name, "f", 1)).collect();
        assert_eq!(found, expected, "{}", String::from_utf8_lossy(text));
    }

    #[test]
    fn an_envelope_is_found_in_every_form_people_keep_it_in() {
        check(br#"{"session_id":"a"}"#, &[r#"f  {"session_id":"a"}"#]);
        check(b"{\n \"session_id\": \"a\"\n}\n", &["f  {\n \"session_id\": \"a\"\n}"]);
        check(b"\n{\"a\":1}\n\n{\"b\":2}\n", &["f:2  {\"a\":1}", "f:4  {\"b\":2}"]);
        check(b"{\n\"a\":1\n}\n{\n\"b\":2\n}\n", &["f#1  {\n\"a\":1\n}", "f#2  {\n\"b\":2\n}"]);
        check(b"[{\"a\":1},{\"b\":2}]", &["f[0]  {\"a\":1}", "f[1]  {\"b\":2}"]);
        let lines = br#"{"id":"x","at":1,"agent":"codex","event":"Stop","envelope":{"a":1}}"#;
        check(lines, &[r#"f codex {"a":1}"#]);
    }

    #[test]
    fn what_is_broken_costs_itself_alone() {
        check(b"", &["f ! it is empty"]);
        check(b"\x7fELF\0\0", &["f ! no JSON"]);
        check(b"plain words\n", &["f ! no JSON"]);
        check(b"{\"session_id\": \"a\", \"x\": [1, 2", &["f  {\"session_id\": \"a\", \"x\": [1, 2"]);
        check(
            b"{\"session_id\":\"a\"}\nnoise\n{\"session_id\":\"b\n{\"session_id\":\"c\"}",
            &[
                "f:1  {\"session_id\":\"a\"}",
                "f:2 ! no JSON",
                "f:3  {\"session_id\":\"b",
                "f:4  {\"session_id\":\"c\"}",
            ],
        );
        check(b"noise\n{\"session_id\":\"a\"}\n", &["f:1 ! no JSON", "f:2  {\"session_id\":\"a\"}"]);
        check(br#"{"event":"Stop","envelope":null}"#, &["f ! its envelope is no longer kept"]);
        check(b"42", &["f  42"]);
        check(b"[[{\"a\":1}], {\"b\":2}]", &["f[0] ! a list in a list", "f[1]  {\"b\":2}"]);
        let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
        check(&deep, &["f[0] ! a list in a list"]);
    }
}
