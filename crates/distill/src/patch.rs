//! What an edit did, read from its lines: which definitions came and went, inside of which it happened, what was
//! renamed, and the one changed line that says most. It knows no grammar, only how definitions begin.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lessons::{Lesson, is_lesson_file, lines_written, written};
use crate::plans;
use crate::text::{
    clip, count, extension, field, file_name, identifiers, is_coined, is_word, one_line, push_new,
};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Edit {
    pub file: String,
    #[serde(default)]
    pub created: bool,
    pub added: u32,
    pub removed: u32,
    /// Definitions that were not there before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defines: Vec<String>,
    /// Definitions that are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drops: Vec<String>,
    /// Definitions whose inside changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<String>,
    /// A name that became another in every changed line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed: Option<(String, String)>,
    /// The changed line that says most, as it was and as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Coined names in the changed lines, to match what is said later with what was done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The lines that changed, by their numbers before it: first and last of each place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<(u32, u32)>,
    /// Marks of the changed code as it was and as it is, without comments and indentation; 0: there was none.
    #[serde(default)]
    pub was: u32,
    #[serde(default)]
    pub is: u32,
    /// Prints of lines that came and of lines that went, the first ones of each: by them a later edit is known to replace an earlier one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub came: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub went: Vec<u32>,
    /// Lines written for the next agent, where the file is for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<Lesson>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Area {
    Code,
    Test,
    Config,
    Docs,
}

/// A larger patch is a generated file or a move; its first lines say as much as all of them.
const MAX_LINES_READ: usize = 600;
const MAX_DEFINITIONS: usize = 8;
const MAX_NAMES: usize = 14;
const MAX_SPANS: usize = 6;
const MAX_LINE_BYTES: usize = 110;
/// Prints of lines kept of an edit. More go than come: one edit may replace what several have written.
const MAX_CAME: usize = 12;
const MAX_WENT: usize = 40;
/// How far up, and in how large a file, the definition around a change is looked for.
const MAX_LINES_UP: usize = 250;
const MAX_FILE_BYTES: usize = 1024 * 1024;

impl Edit {
    /// From what Edit, MultiEdit, Write and their kin were given and answered.
    pub(crate) fn read(file: String, input: &Value, response: &Value) -> Self {
        let mut patch = Patch::default();
        let hunks =
            response.get("structuredPatch").and_then(Value::as_array).filter(|hunks| !hunks.is_empty());
        let original = field(response, "originalFile").filter(|text| text.len() <= MAX_FILE_BYTES);
        if let Some(hunks) = hunks {
            for hunk in hunks {
                patch.hunk(hunk, original);
            }
        } else if let Some(edits) = input.get("edits").and_then(Value::as_array) {
            for edit in edits.iter().take(64) {
                patch.replace(
                    field(edit, "old_string").unwrap_or(""),
                    field(edit, "new_string").unwrap_or(""),
                );
            }
        } else if input.get("old_string").is_some() || input.get("new_string").is_some() {
            patch.replace(field(input, "old_string").unwrap_or(""), field(input, "new_string").unwrap_or(""));
        } else if input.get("new_source").is_some() {
            patch.replace(
                field(response, "old_source").unwrap_or(""),
                field(input, "new_source").unwrap_or(""),
            );
        } else {
            let content = field(input, "content").or_else(|| field(response, "content")).unwrap_or("");
            patch.replace(original.unwrap_or(""), content);
        }
        let created =
            field(response, "type") == Some("create") || field(response, "edit_mode") == Some("insert");
        if is_lesson_file(&file) {
            return Self { lessons: written(input, response), ..patch.settle(file, created) };
        }
        if plans::is_plan_file(&file) {
            let lessons = plans::bounded(lines_written(input, response, plans::is_kept));
            // Code in a plan defines nothing yet.
            let title = field(input, "content").filter(|_| created).and_then(plans::heading);
            let defines = title.into_iter().collect();
            return Self {
                lessons,
                defines,
                drops: Vec::new(),
                inside: Vec::new(),
                ..patch.settle(file, created)
            };
        }
        patch.settle(file, created)
    }

    pub(crate) fn area(&self) -> Area {
        area(&self.file)
    }

    /// Whether it puts back what another edit took away, and takes away what that one brought.
    pub(crate) fn undoes(&self, other: &Self) -> bool {
        self.file == other.file && self.was == other.is && self.is == other.was && self.was != self.is
    }
}

pub(crate) fn area(path: &str) -> Area {
    let lower = path.to_ascii_lowercase();
    let name = file_name(&lower);
    let in_folder = |folder: &str| lower.split(['/', '\\']).rev().skip(1).any(|part| part == folder);
    let tests = in_folder("tests")
        || in_folder("test")
        || in_folder("__tests__")
        || in_folder("spec")
        || in_folder("e2e")
        || in_folder("fixtures")
        || name.contains("_test.")
        || name.contains(".test.")
        || name.contains(".spec.")
        || name.contains("_spec.")
        || (name.starts_with("test_") && name.contains('.'))
        || name == "conftest.py";
    match extension(name) {
        "md" | "mdx" | "rst" | "adoc" | "txt" if name != "requirements.txt" => Area::Docs,
        _ if tests => Area::Test,
        "toml" | "yaml" | "yml" | "json" | "ini" | "cfg" | "conf" | "lock" | "env" | "properties" | "txt"
        | "editorconfig" | "gitignore" | "dockerignore" | "plist" | "service" | "tf" | "tfvars" | "jsonl"
        | "csv" | "jsonc" | "json5" => Area::Config,
        _ if name.starts_with("dockerfile")
            || name.starts_with("makefile")
            || name.starts_with(".env")
            || name == "justfile" =>
        {
            Area::Config
        }
        _ => Area::Code,
    }
}

#[derive(Default)]
struct Patch {
    added: u32,
    removed: u32,
    read: usize,
    defined: Vec<String>,
    dropped: Vec<String>,
    inside: Vec<String>,
    names: Vec<String>,
    renames: Vec<(String, String)>,
    pairs: u32,
    /// Renames at the beginning of a line, and outside of comments.
    keys: u32,
    code: u32,
    best: Option<(i32, Option<String>, Option<String>)>,
    spans: Vec<(u32, u32)>,
    was: u32,
    is: u32,
    came: Vec<u32>,
    went: Vec<u32>,
}

impl Patch {
    fn hunk(&mut self, hunk: &Value, original: Option<&str>) {
        let Some(lines) = hunk.get("lines").and_then(Value::as_array) else { return };
        let mut around: Vec<&str> = Vec::new();
        let mut old: Vec<&str> = Vec::new();
        let mut new: Vec<&str> = Vec::new();
        let mut first_change = true;
        let mut number = count(hunk, "oldStart").unwrap_or(1);
        let mut span: Option<(u32, u32)> = None;
        for line in lines.iter().filter_map(Value::as_str) {
            match line.as_bytes().first() {
                Some(b'+') => self.added = self.added.saturating_add(1),
                Some(b'-') => self.removed = self.removed.saturating_add(1),
                _ => {}
            }
            // A line that comes stands before the one that has its number now.
            let changes = matches!(line.as_bytes().first(), Some(b'+' | b'-'));
            if changes {
                span = Some((span.map_or(number, |(first, _)| first), number));
            } else if let Some(span) = span.take().filter(|_| self.spans.len() < MAX_SPANS) {
                self.spans.push(span);
            }
            number = number.saturating_add(u32::from(line.as_bytes().first() != Some(&b'+')));
            if self.read >= MAX_LINES_READ {
                continue;
            }
            self.read += 1;
            let rest = line.get(1..).unwrap_or("");
            match line.as_bytes().first() {
                Some(b'+') => new.push(rest),
                Some(b'-') => old.push(rest),
                Some(b'\\') => {}
                _ => {
                    self.block(&old, &new);
                    old.clear();
                    new.clear();
                    around.push(rest);
                }
            }
            if first_change && !(old.is_empty() && new.is_empty()) {
                first_change = false;
                let above = original.map(|text| above(text, count(hunk, "oldStart").unwrap_or(1) as usize));
                self.enclose(rest, &around, above.unwrap_or_default());
            }
        }
        self.block(&old, &new);
        self.spans.extend(span.filter(|_| self.spans.len() < MAX_SPANS));
    }

    /// The definition whose inside a changed line is: the nearest above with less indentation.
    fn enclose(&mut self, changed: &str, around: &[&str], above: Vec<&str>) {
        let depth = indentation(changed);
        let found = around
            .iter()
            .rev()
            .copied()
            .chain(above)
            .take(MAX_LINES_UP)
            .find_map(|line| (indentation(line) < depth).then(|| definition(line)).flatten());
        if let Some(name) = found {
            push_new(&mut self.inside, &name, MAX_DEFINITIONS);
        }
    }

    /// Two texts of which one replaced the other: what is equal at both ends did not change.
    fn replace(&mut self, old: &str, new: &str) {
        let old_lines: Vec<&str> = old.lines().collect();
        let new_lines: Vec<&str> = new.lines().collect();
        let head = old_lines.iter().zip(&new_lines).take_while(|(old, new)| old == new).count();
        let room = old_lines.len().min(new_lines.len()) - head;
        let tail = old_lines
            .iter()
            .rev()
            .zip(new_lines.iter().rev())
            .take(room)
            .take_while(|(old, new)| old == new)
            .count();
        let old_changed = &old_lines[head..old_lines.len() - tail];
        let new_changed = &new_lines[head..new_lines.len() - tail];
        self.added = self.added.saturating_add(new_changed.len() as u32);
        self.removed = self.removed.saturating_add(old_changed.len() as u32);
        if let Some(first) = new_changed.first().or(old_changed.first()) {
            self.enclose(first, &old_lines[..head], Vec::new());
        }
        let room = MAX_LINES_READ.saturating_sub(self.read);
        let old_read = &old_changed[..old_changed.len().min(room)];
        let new_read = &new_changed[..new_changed.len().min(room)];
        self.read += old_read.len() + new_read.len();
        self.block(old_read, new_read);
    }

    /// Lines that were removed together with the ones that came in their place.
    fn block(&mut self, old: &[&str], new: &[&str]) {
        self.was = marked(self.was, old);
        self.is = marked(self.is, new);
        let prints = |lines: &[&str]| lines.iter().filter_map(|line| print(line)).collect::<HashSet<u32>>();
        let (stood, stands) = (prints(old), prints(new));
        let add = |list: &mut Vec<u32>, lines: &[&str], other: &HashSet<u32>, max: usize| {
            let prints = lines.iter().filter_map(|line| print(line)).filter(|print| !other.contains(print));
            list.extend(prints.take(max.saturating_sub(list.len())));
        };
        add(&mut self.came, new, &stood, MAX_CAME);
        add(&mut self.went, old, &stands, MAX_WENT);
        for line in old {
            if let Some(name) = definition(line) {
                push_new(&mut self.dropped, &name, 4 * MAX_DEFINITIONS);
            }
        }
        for line in new {
            if let Some(name) = definition(line) {
                push_new(&mut self.defined, &name, 4 * MAX_DEFINITIONS);
            }
        }
        for line in new.iter().chain(old) {
            for name in identifiers(line).filter(|name| is_coined(name)) {
                push_new(&mut self.names, name, MAX_NAMES);
            }
        }
        let paired = old.len() == new.len();
        let stood: HashSet<&str> = old.iter().map(|line| line.trim()).collect();
        for (at, line) in new.iter().enumerate() {
            // A line that stood there before, or only moved, did not change.
            if stood.contains(line.trim()) {
                self.pairs += u32::from(paired && old[at] != *line);
                continue;
            }
            let before = paired.then(|| old[at]);
            let score = telling(line) + if before.is_some() { 2 } else { 0 };
            if score > self.best.as_ref().map_or(0, |best| best.0) {
                let quote = |line: &str| one_line(line.trim(), MAX_LINE_BYTES);
                self.best = Some((score, before.map(quote), Some(quote(line))));
            }
            if let Some(before) = before {
                self.pairs += 1;
                if let Some((from, to)) = renamed(before, line) {
                    self.code += u32::from(!is_comment(line.trim()));
                    self.keys += u32::from(first_word(before) == from);
                    self.renames.push((from, to));
                }
            }
        }
        if new.is_empty() {
            for line in old {
                let score = telling(line) - 2;
                if score > self.best.as_ref().map_or(0, |best| best.0) {
                    self.best = Some((score, Some(one_line(line.trim(), MAX_LINE_BYTES)), None));
                }
            }
        }
    }

    fn settle(self, file: String, created: bool) -> Edit {
        let only = |list: &[String], other: &[String]| -> Vec<String> {
            list.iter().filter(|name| !other.contains(name)).take(MAX_DEFINITIONS).cloned().collect()
        };
        let defines = only(&self.defined, &self.dropped);
        let drops = only(&self.dropped, &self.defined);
        let mut inside = self.inside;
        for name in self.defined.iter().filter(|name| self.dropped.contains(name)) {
            push_new(&mut inside, name, MAX_DEFINITIONS);
        }
        let renamed = self
            .renames
            .first()
            .filter(|first| self.pairs > 0 && self.renames.iter().all(|other| other == *first))
            .filter(|_| self.renames.len() as u32 == self.pairs && self.added == self.removed)
            .filter(|_| holds_names(&file, self.keys, self.code))
            .cloned();
        let (before, after) = self.best.map_or((None, None), |(_, before, after)| (before, after));
        Edit {
            file,
            created,
            added: self.added,
            removed: self.removed,
            defines,
            drops,
            inside,
            renamed,
            before,
            after,
            names: self.names,
            spans: self.spans,
            was: self.was,
            is: self.is,
            came: self.came,
            went: self.went,
            lessons: Vec::new(),
        }
    }
}

/// A mark of lines of code, equal where they are: FNV-1a, without comments, blanks at both ends and empty lines.
pub(crate) fn marked(mark: u32, lines: &[&str]) -> u32 {
    let mut mark = mark;
    for line in lines {
        let line = line.trim();
        let code = if is_comment(line) { "" } else { line.split(" // ").next().unwrap_or(line).trim_end() };
        if code.is_empty() {
            continue;
        }
        mark = if mark == 0 { 0x811c_9dc5 } else { mark };
        for byte in code.bytes().chain([b'\n']) {
            mark = (mark ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
    mark
}

/// A print of one line that says something; a brace or `return nil` stands in every file.
fn print(line: &str) -> Option<u32> {
    const LEAST_LETTERS: usize = 12;
    let letters = line.chars().filter(|char| char.is_alphanumeric()).take(LEAST_LETTERS).count();
    (letters == LEAST_LETTERS).then(|| marked(0, &[line])).filter(|print| *print != 0)
}

/// The lines above line `number`, nearest first.
fn above(text: &str, number: usize) -> Vec<&str> {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().take(number.saturating_sub(1)) {
        lines.push(line);
        if lines.len() > 2 * MAX_LINES_UP {
            lines.drain(..MAX_LINES_UP);
        }
    }
    lines.reverse();
    lines
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// How much a line says of a change: calls and conditions much, imports and braces nothing.
pub(crate) fn telling(line: &str) -> i32 {
    let line = line.trim();
    if line.len() < 4 || !line.chars().any(char::is_alphabetic) {
        return 0;
    }
    if is_comment(line) || is_import(line) {
        return 1;
    }
    let mut score = 2;
    if line.contains('(') {
        score += 2;
    }
    if line.contains('=') || line.contains(": ") {
        score += 1;
    }
    if ["if ", "return", "match ", "while ", "for ", "await", "throw", "raise", "catch", "except"]
        .iter()
        .any(|word| line.contains(word))
    {
        score += 1;
    }
    score += match line.len() {
        12..=72 => 2,
        73..=110 => 1,
        _ => 0,
    };
    if definition(line).is_some() {
        score += 1;
    }
    score
}

/// Whether a word that became another can be a name there. In prose it is a word, and after a key it is a value.
fn holds_names(file: &str, keys: u32, code: u32) -> bool {
    let keyed = matches!(extension(file), "css" | "scss" | "sass" | "less" | "html" | "htm" | "xml" | "svg");
    match area(file) {
        Area::Docs => false,
        Area::Config => keys > 0,
        Area::Code | Area::Test if keyed => keys > 0,
        Area::Code | Area::Test => code > 0,
    }
}

fn first_word(line: &str) -> &str {
    line.split(|char: char| !is_word(char)).find(|word| !word.is_empty()).unwrap_or("")
}

/// A line that brings in names, also one of a list as Go writes it: `slog "log/slog"`.
pub(crate) fn is_import(line: &str) -> bool {
    const IMPORTS: &[&str] = &["use ", "import ", "from ", "#include", "require(", "mod ", "package "];
    let listed = || {
        let (name, path) = line.split_once('"')?;
        let alone = path.strip_suffix('"')?;
        let named = name.trim().chars().all(|char| is_word(char) || char == '.');
        Some(named && !alone.is_empty() && !alone.contains(['"', ' ', ',', ':']))
    };
    IMPORTS.iter().any(|start| line.starts_with(start)) || listed().unwrap_or(false)
}

fn is_comment(line: &str) -> bool {
    const COMMENTS: &[&str] = &["//", "#[", "# ", "/*", "* ", "<!--", "--", "\"\"\"", "@"];
    COMMENTS.iter().any(|start| line.starts_with(start))
}

/// Where one line became another by one name alone.
fn renamed(before: &str, after: &str) -> Option<(String, String)> {
    let words = |line: &str| -> Vec<String> {
        line.split(|char: char| !is_word(char)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (old, new) = (words(before), words(after));
    if old.len() != new.len() || before.len() > 400 {
        return None;
    }
    let (from, to) = old.iter().zip(&new).find(|(old, new)| old != new)?;
    let name =
        |word: &str| word.len() >= 3 && word.starts_with(|first: char| first.is_alphabetic() || first == '_');
    // A number or a literal that changed is no rename, and neither is a keyword.
    if !name(from) || !name(to) || KEYWORDS.contains(&from.as_str()) || KEYWORDS.contains(&to.as_str()) {
        return None;
    }
    let same = old.iter().zip(&new).all(|(old, new)| old == new || (old == from && new == to));
    let outside =
        |line: &str| line.chars().filter(|char| !is_word(*char) && !char.is_whitespace()).collect::<String>();
    (same && outside(before) == outside(after) && !before.contains(['"', '\'']))
        .then(|| (clip(from, 60), clip(to, 60)))
}

const KEYWORDS: &[&str] = &[
    "true", "false", "True", "False", "null", "None", "let", "const", "var", "mut", "pub", "public",
    "private", "async", "return", "warn", "error", "info", "debug", "and", "not",
];

const MODIFIERS: &[&str] = &[
    "pub",
    "export",
    "default",
    "async",
    "static",
    "public",
    "private",
    "protected",
    "abstract",
    "final",
    "unsafe",
    "extern",
    "override",
    "open",
    "data",
    "sealed",
    "inline",
    "internal",
    "declare",
    "partial",
    "virtual",
    "suspend",
    "crate",
    "super",
    "in",
    "self",
    "C",
    "create",
    "CREATE",
    "OR",
    "or",
    "replace",
    "REPLACE",
    "UNIQUE",
    "unique",
    "IF",
    "NOT",
    "EXISTS",
    "if",
    "not",
    "exists",
];

/// The name a line defines.
pub(crate) fn definition(line: &str) -> Option<String> {
    let line = line.trim_start();
    if line.len() < 6 || line.len() > 400 {
        return None;
    }
    // Tests of JavaScript are named by a sentence.
    for start in ["it(", "test(", "describe(", "it.each(", "test.skip("] {
        if let Some(rest) = line.strip_prefix(start) {
            let quote = rest.chars().next().filter(|char| matches!(char, '\'' | '"' | '`'))?;
            let name = rest[1..].split(quote).next()?;
            return (name.len() > 2).then(|| format!("test \"{}\"", clip(name, 70)));
        }
    }
    if !line.starts_with(|first: char| first.is_alphabetic()) {
        return None;
    }
    let mut words =
        line.split(|char: char| char.is_whitespace() || char == '(').filter(|word| !word.is_empty());
    let mut exported = false;
    for _ in 0..8 {
        let word = words.next()?.trim_end_matches(')');
        match word {
            "fn" | "def" | "function" | "function*" | "class" | "struct" | "enum" | "trait" | "interface"
            | "macro_rules!" | "mod" | "namespace" | "record" | "protocol" | "object" | "module"
            | "TABLE" | "INDEX" | "VIEW" | "table" | "index" | "defmodule" | "defp" | "union" | "actor"
            | "fun" => {
                // What SQL puts between the keyword and the name.
                let next = words.find(|word| !MODIFIERS.contains(word))?;
                // A module without a body is a line of a list.
                if word == "mod" && (line.ends_with(';') || next.starts_with("tests")) {
                    return None;
                }
                return name_of(next);
            }
            "func" => {
                // The receiver of a method stands before its name.
                let rest = line[line.find("func")? + 4..].trim_start();
                let rest = if rest.starts_with('(') { rest.split_once(')')?.1.trim_start() } else { rest };
                return name_of(rest);
            }
            "type" => {
                let next = words.next()?;
                return line.contains(['=', '{']).then(|| name_of(next)).flatten().or_else(|| {
                    words
                        .next()
                        .filter(|kind| matches!(*kind, "struct" | "interface"))
                        .and_then(|_| name_of(next))
                });
            }
            "const" | "static" | "let" | "var" | "val" => {
                let next = words.next()?;
                if next == "fn" {
                    return name_of(words.next()?);
                }
                let name = name_of(next)?;
                let constant = name.len() > 2
                    && name
                        .chars()
                        .all(|char| char.is_ascii_uppercase() || char == '_' || char.is_ascii_digit());
                let callable = line.contains("=>") || line.contains("= function") || line.contains("= async");
                return (constant || callable || (exported && word == "const")).then_some(name);
            }
            word if MODIFIERS.contains(&word) || word.starts_with("pub(") => exported |= word == "export",
            "\"C\"" => {}
            _ => return None,
        }
    }
    None
}

fn name_of(word: &str) -> Option<String> {
    let end = word.find(|char: char| !(is_word(char) || char == '!' || char == '$')).unwrap_or(word.len());
    let name = &word[..end];
    let fits = (2..=60).contains(&name.len())
        && name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    fits.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn definitions_of_many_languages() {
        for (line, name) in [
            ("    pub(crate) async fn append(&mut self) {", "append"),
            ("pub struct Journal<T> {", "Journal"),
            ("def parse_lease(raw: str) -> Lease:", "parse_lease"),
            ("export default function CartView() {", "CartView"),
            ("export const useCart = () => {", "useCart"),
            ("func (s *Store) Open(path string) error {", "Open"),
            ("type Lease struct {", "Lease"),
            ("export interface Cart {", "Cart"),
            ("public class OrderService {", "OrderService"),
            ("CREATE TABLE IF NOT EXISTS users (", "users"),
            ("  it('adds an item', () => {", "test \"adds an item\""),
            ("const MAX_RETRIES: u32 = 3;", "MAX_RETRIES"),
        ] {
            assert_eq!(definition(line).as_deref(), Some(name), "{line}");
        }
        for line in [
            "let x = 1;",
            "return fn();",
            "mod text;",
            "// fn old() {",
            "}",
            "for class in classes:",
            "if x {",
        ] {
            assert_eq!(definition(line), None, "{line}");
        }
    }

    #[test]
    fn a_patch_says_what_came_and_where() {
        let response = json!({
            "originalFile": "impl Journal {\n    fn append(&mut self) {\n        let a = 1;\n        seal(segment);\n    }\n}\n",
            "structuredPatch": [{"oldStart": 3, "oldLines": 2, "newStart": 3, "newLines": 2,
                "lines": ["         let a = 1;", "-        seal(segment);", "+        seal(segment.clone());"]}],
        });
        let edit = Edit::read("src/journal.rs".into(), &json!({}), &response);
        assert_eq!((edit.added, edit.removed), (1, 1));
        assert_eq!(edit.inside, ["append"]);
        assert_eq!(edit.before.as_deref(), Some("seal(segment);"));
        assert_eq!(edit.after.as_deref(), Some("seal(segment.clone());"));
        assert_eq!(edit.renamed, None);
    }

    #[test]
    fn a_rename_is_one_name_that_became_another_everywhere() {
        let input = json!({"old_string": "let lease = read_lease();\nuse_it(lease);", "new_string": "let claim = read_lease();\nuse_it(claim);"});
        let edit = Edit::read("a.rs".into(), &input, &Value::Null);
        assert_eq!(edit.renamed, Some(("lease".into(), "claim".into())));
        let input = json!({"old_string": "retries = 3", "new_string": "retries = 5"});
        assert_eq!(Edit::read("a.py".into(), &input, &Value::Null).renamed, None);
    }

    #[test]
    fn paths_say_what_they_are_for() {
        assert_eq!(area("src/a.rs"), Area::Code);
        assert_eq!(area("tests/it/main.rs"), Area::Test);
        assert_eq!(area("src/cart.test.ts"), Area::Test);
        assert_eq!(area("Cargo.toml"), Area::Config);
        assert_eq!(area("README.md"), Area::Docs);
        assert_eq!(area("Dockerfile"), Area::Config);
    }
}
