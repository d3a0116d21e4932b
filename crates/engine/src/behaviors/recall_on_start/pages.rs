//! The pages a person may keep in our folder: who the agent is, who the person is, what happened last. Read anew
//! each time, quoted line by line, cut at a line where they are too long.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use model::estimate_tokens;

use crate::page::one_line;

/// A longer page is a document: only its beginning is looked at.
const MAX_BYTES: u64 = 32 << 10;
/// Of a log only the end counts.
const LOG_BYTES: u64 = 8 << 10;
const LOG_LINES: usize = 8;
/// Characters of one line.
const MAX_LINE: usize = 400;
const MAX_LOG_LINE: usize = 200;

/// As many lines of the page as the tokens hold. `None`: there is none, or nothing on it.
pub(super) fn quote(folder: &Path, name: &str, tokens: u32) -> Option<String> {
    let text = read(&folder.join(name), 0, MAX_BYTES)?;
    let cut = format!("(The rest is in {name}.)");
    let (mut quoted, mut used) = (String::new(), estimate_tokens(&cut) + 1);
    for line in text.lines().map(str::trim_end).skip_while(|line| line.is_empty()) {
        let line = format!("> {}", one_line_keeping_indent(line));
        let cost = estimate_tokens(&line) + 1;
        if used + cost > tokens {
            // A page of which nothing fits is left out; the person sees it in `throughline context`.
            return (!quoted.is_empty()).then(|| quoted + &cut);
        }
        used += cost;
        quoted.push_str(line.trim_end());
        quoted.push('\n');
    }
    let quoted = quoted.trim_end_matches(['\n', '>', ' ']).to_owned();
    (!quoted.is_empty()).then_some(quoted)
}

/// The last lines of the log.
pub(super) fn end_of_log(folder: &Path, name: &str, tokens: u32) -> Option<String> {
    let path = folder.join(name);
    let size = std::fs::metadata(&path).ok()?.len();
    let from = size.saturating_sub(LOG_BYTES);
    let text = read(&path, from, LOG_BYTES)?;
    // What the beginning of the piece cuts is no line.
    let text = if from > 0 { text.split_once('\n').map_or("", |(_, rest)| rest) } else { &text };
    let mut used = 0;
    let mut last: Vec<String> = text
        .lines()
        .rev()
        .map(|line| one_line(line, MAX_LOG_LINE))
        .filter(|line| !line.is_empty())
        .map(|line| format!("> {line}"))
        .take(LOG_LINES)
        .take_while(|line| {
            used += estimate_tokens(line) + 1;
            used <= tokens
        })
        .collect();
    last.reverse();
    (!last.is_empty()).then(|| last.join("\n"))
}

/// Lists keep their shape.
fn one_line_keeping_indent(line: &str) -> String {
    let indent = line.len() - line.trim_start_matches(' ').len();
    format!("{}{}", " ".repeat(indent.min(8)), one_line(line, MAX_LINE))
}

fn read(path: &Path, from: u64, most: u64) -> Option<String> {
    // Not opened before it is known to be a file: a pipe would keep us waiting.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_quoted_and_cut_at_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("USER.md");
        assert_eq!(quote(folder.path(), "USER.md", 100), None);
        std::fs::write(&path, "\n# Ana\n- likes tea\n  - green\u{202e}\n\n").unwrap();
        let whole = "> # Ana\n> - likes tea\n>   - green";
        assert_eq!(quote(folder.path(), "USER.md", 100).as_deref(), Some(whole));
        std::fs::write(&path, "one line of many words\n".repeat(100)).unwrap();
        let cut = quote(folder.path(), "USER.md", 40).unwrap();
        assert!(cut.ends_with("words\n(The rest is in USER.md.)"), "{cut}");
        assert!(estimate_tokens(&cut) <= 40);
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert_eq!(quote(folder.path(), "USER.md", 100), None);
    }

    #[test]
    fn of_a_log_the_last_lines_are_said() {
        let folder = tempfile::tempdir().unwrap();
        let lines: Vec<String> = (0..2000).map(|at| format!("day {at}\n")).collect();
        std::fs::write(folder.path().join("LOG.md"), lines.concat()).unwrap();
        let said = end_of_log(folder.path(), "LOG.md", 1000).unwrap();
        assert_eq!(said.lines().count(), LOG_LINES);
        assert!(said.ends_with("> day 1999"), "{said}");
        assert_eq!(end_of_log(folder.path(), "LOG.md", 15).unwrap().lines().count(), 3);
    }
}
