//! The small languages of `sed`, `awk`, `ed`, `ex` and `patch`, as far as they name files they write and commands they run.
//! What is computed there is not known.

use super::{RedirectKind, Script, Word};

/// What such a script does beside printing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Does {
    pub(super) writes: Vec<String>,
    /// Something in these folders.
    pub(super) within: Vec<String>,
    pub(super) runs: Vec<String>,
}

/// What a command reads from its standard input.
pub(super) enum Input {
    Text(String),
    File(Word),
    Unknown,
}

/// Lines of one script; a person's have dozens.
const MAX_LINES: usize = 4096;

pub(super) fn input(script: &Script, at: usize) -> Input {
    if let Some(redirect) = script.input_of(at) {
        return match redirect.kind {
            RedirectKind::Document | RedirectKind::Text => Input::Text(redirect.target.shape()),
            _ => Input::File(redirect.target.clone()),
        };
    }
    let mut said = String::new();
    for command in script.upstream(at).into_iter().map(|at| &script.commands[at]) {
        match command.program().as_deref() {
            Some("echo") => {
                let words: Vec<String> = command.arguments().iter().map(Word::shape).collect();
                said.push_str(&words.join(" ").replace("\\n", "\n"));
                said.push('\n');
            }
            Some("printf") => {
                // A format with its words in their order: what stands between them does not matter here.
                for word in command.arguments() {
                    said.push_str(&word.shape().replace("\\n", "\n").replace("%s", "\n"));
                    said.push('\n');
                }
            }
            Some("cat") => {
                if let [file] = command.arguments() {
                    return Input::File(file.clone());
                }
                let documents = command
                    .redirects
                    .iter()
                    .filter(|redirect| matches!(redirect.kind, RedirectKind::Document | RedirectKind::Text));
                documents.for_each(|redirect| said.push_str(&redirect.target.shape()));
            }
            _ => {}
        }
    }
    if said.is_empty() { Input::Unknown } else { Input::Text(said) }
}

/// `sed`: `w file`, `s/a/b/w file`, `e command`.
pub(super) fn sed(script: &str) -> Does {
    let mut does = Does::default();
    for line in script.lines().take(MAX_LINES) {
        sed_line(line, &mut does);
    }
    does
}

fn sed_line(line: &str, does: &mut Does) {
    let mut rest = line.trim_start_matches([' ', '\t', ';', '{', '}']);
    while !rest.is_empty() {
        rest = behind_address(rest);
        let mut letters = rest.chars();
        let Some(letter) = letters.next() else { return };
        let behind = letters.as_str();
        match letter {
            'w' | 'W' => return does.writes.extend(file(behind)),
            'e' => return does.runs.extend(file(behind)),
            // Their words go to the end of the line.
            'a' | 'i' | 'c' | 'r' | 'R' | '#' => return,
            's' | 'y' => {
                let Some(sign) = behind.chars().next() else { return };
                let Some(flags) = past(&behind[sign.len_utf8()..], sign).and_then(|rest| past(rest, sign))
                else {
                    return;
                };
                let end = flags.find([';', '}']).unwrap_or(flags.len());
                // With `w` the rest of the line is its name; with `e` what stands there is run, and nobody knows what.
                if let Some(at) = flags.find('w').filter(|at| *at < end && letter == 's') {
                    return does.writes.extend(file(&flags[at + 1..]));
                }
                rest = &flags[end..];
            }
            ':' | 'b' | 't' | 'T' => {
                rest = behind.find([';', '}']).map_or("", |at| &behind[at..]);
            }
            _ => rest = behind,
        }
        rest = rest.trim_start_matches([' ', '\t', ';', '{', '}']);
    }
}

fn file(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Behind `1,5`, `$!`, `/a/,/b/I`, `\%a%`.
fn behind_address(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|letter: char| {
            letter.is_ascii_digit() || matches!(letter, '$' | ',' | '!' | '~' | '+' | ' ' | '\t' | '{')
        });
        let sign = match rest.chars().next() {
            Some('/') => '/',
            Some('\\') => {
                let Some(sign) = rest[1..].chars().next() else { return "" };
                rest = &rest[1..];
                sign
            }
            _ => return rest,
        };
        match past(&rest[sign.len_utf8()..], sign) {
            Some(behind) => rest = behind.trim_start_matches(['I', 'M']),
            None => return "",
        }
    }
}

/// What stands behind a sign that no backslash and no brackets hide.
fn past(text: &str, sign: char) -> Option<&str> {
    let (mut escaped, mut class) = (false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' if sign != '[' => class = true,
            ']' if class => class = false,
            letter if letter == sign && !class => return Some(&text[at + letter.len_utf8()..]),
            _ => {}
        }
    }
    // A bracket that was none.
    if class { text.split_once(sign).map(|(_, rest)| rest) } else { None }
}

/// `awk`: `print > "file"`, `print | "command"`, `system("command")`. `given` are its variables.
pub(super) fn awk(program: &str, given: &[(String, String)]) -> Does {
    let mut does = Does::default();
    let (mut at, mut prints) = (0, false);
    let bytes = program.as_bytes();
    let mut known: Vec<(String, String)> = given.to_vec();
    while at < bytes.len() {
        let rest = &program[at..];
        match bytes[at] {
            b'"' => at += 1 + quoted(&rest[1..]).1,
            b';' | b'{' | b'}' | b'\n' => {
                prints = false;
                at += 1;
            }
            b'#' => at += rest.find('\n').unwrap_or(rest.len()),
            b'>' if prints => {
                let target = rest.trim_start_matches('>').trim_start();
                aim(target, &known, &mut does.writes, &mut does.within);
                at += rest.len() - target.len();
            }
            b'|' => {
                let target = rest.trim_start_matches(['|', '&']).trim_start();
                if !target.starts_with("getline") {
                    aim(target, &known, &mut does.runs, &mut Vec::new());
                }
                at += rest.len() - target.len();
            }
            letter if letter.is_ascii_alphabetic() || letter == b'_' => {
                let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                let length = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
                let (name, behind) = rest.split_at(length);
                let behind = behind.trim_start();
                match name {
                    "print" | "printf" => prints = true,
                    "system" => {
                        aim(behind.trim_start_matches(['(', ' ']), &known, &mut does.runs, &mut Vec::new());
                    }
                    _ => {
                        if let Some(value) = behind.strip_prefix('=').filter(|rest| !rest.starts_with('=')) {
                            let value = value.trim_start();
                            if let Some(text) = value.strip_prefix('"') {
                                known.push((name.to_owned(), quoted(text).0));
                            }
                        }
                    }
                }
                at += length;
            }
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    // `"command" | getline`.
    for piece in program.split("| getline").skip(1).zip(program.split("| getline")) {
        let before = piece.1.trim_end();
        if let Some(text) = before.strip_suffix('"').and_then(|text| text.rsplit_once('"')) {
            does.runs.push(text.1.to_owned());
        }
    }
    does
}

/// A text in quotes, or the name of a variable that is known; what follows it on the line makes it a beginning.
fn aim(target: &str, known: &[(String, String)], whole: &mut Vec<String>, within: &mut Vec<String>) {
    let (text, behind) =
        if let Some(text) = target.strip_prefix(['"', '(']).map(|text| text.trim_start_matches('"')) {
            let (text, length) = quoted(text);
            let begin = target.len() - target.trim_start_matches(['(', '"']).len();
            (text, target.get(begin + length..).unwrap_or_default())
        } else {
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let length = target.find(|letter| !is_name(letter)).unwrap_or(target.len());
            let (name, behind) = target.split_at(length);
            let Some((_, text)) = known.iter().rev().find(|(known, _)| known == name) else { return };
            (text.clone(), behind)
        };
    let behind = behind.trim_start_matches([' ', '\t']);
    if behind.is_empty() || behind.starts_with([';', '}', '\n', ')', '#']) {
        whole.extend(file(&text));
    } else if let Some((folder, _)) = text.rsplit_once('/') {
        within.push(if folder.is_empty() { "/".to_owned() } else { folder.to_owned() });
    }
}

/// The text up to the quote that ends it, and how many bytes that took.
fn quoted(text: &str) -> (String, usize) {
    let mut said = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (said, at + 1),
            '\\' => said.extend(letters.next().map(|(_, letter)| letter)),
            letter => said.push(letter),
        }
    }
    (said, text.len())
}

/// `ed` and `ex`, a line each: `w file`, `1,5w! file`, `sav file`, `w !command`, `!command`, `r !command`.
pub(super) fn ex(script: &str) -> Does {
    let mut does = Does::default();
    for line in script.lines().take(MAX_LINES) {
        for part in line.split('|') {
            ex_line(part.trim(), &mut does);
        }
        // A command of the shell may hold the bar.
        if let Some((_, command)) = line.split_once('!').filter(|(before, _)| is_ex_range(before)) {
            does.runs.extend(file(command));
        }
    }
    does
}

/// Nothing but a range and `w`, `r` or nothing before the mark.
fn is_ex_range(before: &str) -> bool {
    let name = before.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic()).trim();
    matches!(name, "" | "w" | "r" | "write" | "read" | "sil" | "silent" | "silent exe")
}

fn ex_line(line: &str, does: &mut Does) {
    let mut rest = line.trim_start_matches(':');
    // `g/a/w file`, `/a/,/b/w file`: behind the last pattern.
    if rest.contains('/') && !rest.starts_with(['w', 's', 'e', 'r']) {
        let cut = rest.find(" /").unwrap_or(rest.len());
        if let Some(at) = rest[..cut].rfind('/') {
            rest = &rest[at + 1..];
        }
    }
    let rest = rest.trim_start_matches(|letter: char| {
        letter.is_ascii_digit() || matches!(letter, '%' | ',' | '.' | '$' | '+' | '-' | ';' | ' ' | '\'')
    });
    let length = rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (name, behind) = rest.split_at(length);
    if !matches!(name, "w" | "W" | "wq" | "wr" | "write" | "x" | "xit" | "sav" | "saveas" | "up" | "update") {
        return;
    }
    let target = behind.trim_start_matches('!').trim_start_matches([' ', '>', '\t']);
    let has_gap = behind.trim_start_matches('!').starts_with([' ', '\t', '>']);
    if has_gap && !target.starts_with('!') {
        does.writes.extend(file(target));
    }
}

/// The files a patch names, without their first `strip` folders.
pub(crate) fn patch(text: &str, strip: usize) -> Vec<String> {
    const BEGINNINGS: &[&str] = &["rename from ", "rename to ", "copy to "];
    const WHOLE: &[&str] =
        &["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "Index: "];
    let mut files = Vec::new();
    for line in text.lines() {
        let marked = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "));
        let named = BEGINNINGS.iter().chain(WHOLE).find_map(|begin| line.strip_prefix(begin));
        let path = match (marked, named) {
            (Some(path), _) => {
                let path = path.split('\t').next().unwrap_or(path).trim().trim_matches('"');
                // Folders behind the first name, as far as there are so many.
                path.splitn(strip + 1, '/').last().unwrap_or(path)
            }
            (None, Some(path)) => path.trim().trim_matches('"'),
            (None, None) => continue,
        };
        let is_none = matches!(path, "" | "/dev/null" | "dev/null");
        if !is_none && !files.iter().any(|known| known == path) && files.len() < MAX_LINES {
            files.push(path.to_owned());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sed_writes_what_its_script_names() {
        for (script, files) in [
            ("w out", vec!["out"]),
            ("s/a/b/gw /etc/x y", vec!["/etc/x y"]),
            ("1,5{/w x/w out\n}", vec!["out"]),
            ("$!w a", vec!["a"]),
            (r"\%a%w b", vec!["b"]),
            ("s/[/]w x/b/", vec![]),
            ("s/w out/w in/", vec![]),
            ("a w out", vec![]),
            ("s|a|b|;s|w|w|w c", vec!["c"]),
            ("p;d", vec![]),
            ("/x/s//y/w d", vec!["d"]),
        ] {
            assert_eq!(sed(script).writes, files, "{script}");
        }
        assert_eq!(sed("1e throughline pause").runs, ["throughline pause"]);
    }

    #[test]
    fn awk_writes_where_it_prints() {
        let given = [("f".to_owned(), "/etc/x".to_owned())];
        for (program, files) in [
            (r#"{print > "out"}"#, vec!["out"]),
            (r#"{ print $1, $2 >> "a b" ; x }"#, vec!["a b"]),
            (r#"BEGIN{printf "%s > %s\n", "x", "y" > "/etc/p"}"#, vec!["/etc/p"]),
            (r#"$1 > "5" {print}"#, vec![]),
            ("{print > f}", vec!["/etc/x"]),
            (r#"BEGIN{o="here"; print "x" > o}"#, vec!["here"]),
            ("{print > $1}", vec![]),
            (r#"{print ">" "x"}"#, vec![]),
            (r#"{print > ("out")}"#, vec!["out"]),
        ] {
            assert_eq!(awk(program, &given).writes, files, "{program}");
        }
        assert_eq!(awk(r#"{print > "dir/" $1}"#, &[]).within, ["dir"]);
        assert_eq!(awk(r#"BEGIN{system("rm x")}"#, &[]).runs, ["rm x"]);
        assert_eq!(awk(r#"{print | "tee x"}"#, &[]).runs, ["tee x"]);
    }

    #[test]
    fn ed_and_ex_write_where_they_are_told_to() {
        for (script, files) in [
            ("w /etc/x\nq", vec!["/etc/x"]),
            (",s/a/b/g\nw\nq", vec![]),
            ("%w! out", vec!["out"]),
            ("1,5w >> out", vec!["out"]),
            ("sav other", vec!["other"]),
            ("a\nhello world\n.\nwq", vec![]),
            ("wq", vec![]),
        ] {
            assert_eq!(ex(script).writes, files, "{script}");
        }
        assert_eq!(ex("w !tee x").runs, ["tee x"]);
        assert_eq!(ex("!rm x").runs, ["rm x"]);
    }

    #[test]
    fn a_patch_names_its_files() {
        let text =
            "--- a/src/x.rs\t2024\n+++ b/src/x.rs\n--- /dev/null\n+++ b/.claude/settings.json\nrename to y\n";
        assert_eq!(patch(text, 1), ["src/x.rs", ".claude/settings.json", "y"]);
        assert_eq!(patch("+++ x\n", 0), ["x"]);
        assert_eq!(patch("+++ x\n", 1), ["x"]);
    }
}
