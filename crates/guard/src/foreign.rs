//! Text of other languages (`python -c`, `node -e`, a here-document for `perl`), looked at and not understood: the texts in
//! quotes, what they would be as paths and as commands, and whether anything there changes files at all. What is put
//! together at run time from pieces that say nothing is not seen.

use crate::shell::{Command, RedirectKind, Script, Word};

const INTERPRETERS: &str = "python python2 python3 pypy pypy3 ipython node nodejs deno bun tsx ts-node perl ruby irb php lua \
    luajit rscript osascript tclsh expect groovy julia awk gawk mawk nawk emacs sqlite3";
/// Of one command: a person's scripts are smaller.
const MAX_TEXT: usize = 256 * 1024;
/// Texts in quotes that are looked at.
const MAX_LITERALS: usize = 2000;
/// Words of one call, and names of one path.
const MAX_RUN: usize = 12;

/// Where a program is an interpreter, also behind one that starts it (`uv run python`): its place among the words.
fn interpreter(command: &Command) -> Option<usize> {
    /// `poetry run python`, `npx -y tsx`.
    const FIRST: usize = 4;
    command.words.iter().take(FIRST).position(|word| {
        let name = word.text().unwrap_or_default().to_ascii_lowercase();
        let name = name.rsplit('/').next().unwrap_or_default();
        let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        INTERPRETERS.split_whitespace().any(|known| known == name || (!plain.is_empty() && known == plain))
    })
}

/// The texts an interpreter would run, as far as the command holds them. `None`: it is none.
pub(crate) fn texts(script: &Script, at: usize) -> Option<Vec<String>> {
    let command = &script.commands[at];
    let place = interpreter(command)?;
    let mut all: Vec<String> = command.words[place + 1..].iter().map(Word::shape).collect();
    let documents = |command: &Command, all: &mut Vec<String>| {
        let texts = command
            .redirects
            .iter()
            .filter(|redirect| matches!(redirect.kind, RedirectKind::Document | RedirectKind::Text));
        all.extend(texts.map(|redirect| redirect.target.shape()));
    };
    documents(command, &mut all);
    if let Some(input) = script.input_of(at).filter(|input| input.kind != RedirectKind::Read) {
        all.push(input.target.shape());
    }
    for upstream in script.upstream(at) {
        let command = &script.commands[upstream];
        all.extend(command.words.iter().skip(1).map(Word::shape));
        documents(command, &mut all);
    }
    // A script that the same command has written before.
    let operands: Vec<String> = command.words[place + 1..].iter().map(Word::shape).collect();
    for before in &script.commands[..at] {
        let written = before.redirects.iter().filter(|redirect| redirect.kind.is_output());
        let is_it = written.into_iter().any(|redirect| operands.contains(&redirect.target.shape()));
        let is_tee = before.program().as_deref() == Some("tee")
            && before.arguments().iter().any(|word| operands.contains(&word.shape()));
        if is_it || is_tee {
            documents(before, &mut all);
            all.extend(before.words.iter().skip(1).map(Word::shape));
        }
    }
    let mut room = MAX_TEXT;
    all.retain(|text| {
        let fits = text.len() <= room;
        room = room.saturating_sub(text.len());
        fits && text.len() > 1
    });
    Some(all)
}

/// A text in quotes, and what stands between it and the next one.
struct Literal {
    text: String,
    behind: String,
}

fn literals(text: &str) -> Vec<Literal> {
    // What stands before the first is behind none.
    let mut all = vec![Literal { text: String::new(), behind: String::new() }];
    let mut rest = text;
    while let Some(begin) = rest.find(['"', '\'', '`']).filter(|_| all.len() < MAX_LITERALS) {
        if let Some(last) = all.last_mut() {
            rest[..begin].clone_into(&mut last.behind);
        }
        let sign = &rest[begin..=begin];
        let triple = sign.repeat(3);
        let mark = if rest[begin..].starts_with(&triple) { triple.as_str() } else { sign };
        let inside = &rest[begin + mark.len()..];
        let mut end = None;
        let mut escaped = false;
        for (at, letter) in inside.char_indices() {
            match letter {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if inside[at..].starts_with(mark) => {
                    end = Some(at);
                    break;
                }
                // An apostrophe of a sentence ends with its line.
                '\n' if mark.len() == 1 && mark != "`" => break,
                _ => {}
            }
        }
        match end {
            Some(end) => {
                let text = inside[..end].replace("\\\"", "\"").replace("\\'", "'").replace("\\/", "/");
                all.push(Literal { text, behind: String::new() });
                rest = &inside[end + mark.len()..];
            }
            None => rest = inside,
        }
    }
    if let Some(last) = all.last_mut() {
        rest.clone_into(&mut last.behind);
    }
    all
}

/// Paths that its texts in quotes are, or are put together from: `join(home, ".claude", "settings.json")`.
pub(crate) fn paths(text: &str) -> Vec<String> {
    let is_path = |text: &str| {
        !text.is_empty() && text.len() < 4096 && !text.contains(['\n', ' ', '\t', '"', '\'', '`', '<'])
    };
    let all = literals(text);
    let mut paths = Vec::new();
    for (at, literal) in all.iter().enumerate() {
        let one = literal.text.trim_start_matches(['>', '+', ' ']);
        if !is_path(one) {
            continue;
        }
        let mut path = one.to_owned();
        paths.push(path.clone());
        let mut behind = &literal.behind;
        for next in all.iter().skip(at + 1).take(MAX_RUN) {
            let between: String = behind.chars().filter(|letter| !letter.is_whitespace()).collect();
            let is_joined = matches!(between.as_str(), "," | "/" | "+" | ")/" | "." | "..");
            if !is_joined || !is_path(&next.text) {
                break;
            }
            let glue = if matches!(between.as_str(), "+" | "." | "..") { "" } else { "/" };
            path = format!("{path}{glue}{}", next.text);
            paths.push(path.replace("//", "/"));
            behind = &next.behind;
        }
    }
    // Perl's and Ruby's own quotes, and a path that stands in none: `q(/a/b)`, `%w[a b]`.
    let is_end = |letter: char| letter.is_whitespace() || "\"'`()[]{};,<>=".contains(letter);
    let bare = all.iter().flat_map(|literal| literal.behind.split(is_end));
    paths.extend(bare.filter(|word| word.contains('/') && is_path(word)).map(str::to_owned));
    // Folder and name in two places: `chdir(".claude")`, then `open("settings.json")`.
    let folders: Vec<&str> = all
        .iter()
        .map(|literal| literal.text.as_str())
        .filter(|text| is_path(text) && is_hidden(text))
        .collect();
    let names: Vec<&str> = all
        .iter()
        .map(|literal| literal.text.as_str())
        .filter(|text| is_path(text) && !text.contains('/') && text.contains('.'))
        .collect();
    for folder in folders.iter().take(MAX_RUN) {
        paths.extend(
            names.iter().take(MAX_RUN).map(|name| format!("{}/{name}", folder.trim_end_matches('/'))),
        );
    }
    paths
}

fn is_hidden(path: &str) -> bool {
    path.trim_end_matches('/').rsplit('/').next().is_some_and(|name| name.starts_with('.') && name.len() > 2)
}

/// Whether anything there changes files or starts programs. A file that is opened to be read is nobody's question.
pub(crate) fn changes(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "write",
        "dump(",
        "unlink",
        "remove",
        "rename",
        "os.replace",
        "rmtree",
        "rmsync",
        "rm(",
        "rmdir",
        "rm_",
        "copy",
        "move",
        "truncate",
        "touch",
        "symlink",
        "link(",
        "chmod",
        "system",
        "exec",
        "spawn",
        "popen",
        "subprocess",
        "file_put_contents",
        "appendfile",
        "createwritestream",
        "save",
        "fopen",
        "'w",
        "\"w",
        "'a'",
        "\"a\"",
        "'r+",
        "\"r+",
        "'>",
        "\">",
        "'+<",
        "\"+<",
        "`w",
        "delete",
        "insert",
        "update",
        "drop",
        "qx",
        "mkdir",
        "inplace",
        "fileinput",
        "sh(",
        "$`",
    ];
    let text = text.to_ascii_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}

/// Whether anything there may start programs.
pub(crate) fn runs(text: &str) -> bool {
    changes(text) || ["`", "%x", "qx"].iter().any(|sign| text.contains(sign))
}

/// Commands that its texts in quotes are: `system("…")`, `run(["…", "…"])`.
pub(crate) fn commands(text: &str) -> Vec<String> {
    let all = literals(text);
    let mut found = Vec::new();
    for (at, literal) in all.iter().enumerate() {
        let mut line = literal.text.clone();
        found.push(line.clone());
        if line.contains(char::is_whitespace) {
            continue;
        }
        let mut behind = &literal.behind;
        for next in all.iter().skip(at + 1).take(MAX_RUN) {
            let between: String = behind.chars().filter(|letter| !letter.is_whitespace()).collect();
            if !matches!(between.as_str(), "," | ",[" | "],[" | "" | ",(") {
                break;
            }
            line = format!("{line} {}", quoted(&next.text));
            behind = &next.behind;
        }
        found.push(line);
    }
    // Ruby's and Perl's own: `%x(throughline pause)`, `qx{…}`, `system q(…)`.
    for (open, close) in
        [("%x(", ')'), ("%x{", '}'), ("%x[", ']'), ("qx(", ')'), ("qx{", '}'), ("qx/", '/'), ("q(", ')')]
    {
        found.extend(text.split(open).skip(1).filter_map(|rest| Some(rest.split_once(close)?.0.to_owned())));
    }
    found
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_however_they_are_put_together() {
        for (text, path) in [
            ("open('/h/.claude/settings.json','w')", "/h/.claude/settings.json"),
            ("Path.home() / \".claude\" / \"settings.json\"", ".claude/settings.json"),
            ("os.path.join(h, '.claude', 'settings.json')", ".claude/settings.json"),
            ("h + '/.claude' + '/settings.json'", "/.claude/settings.json"),
            ("os.chdir('.claude'); open('settings.json','w')", ".claude/settings.json"),
            ("open(F, '>', '/x/y')", "/x/y"),
            ("open F, '>/x/y'", "/x/y"),
            ("`${h}/.claude/settings.json`", "${h}/.claude/settings.json"),
        ] {
            assert!(paths(text).iter().any(|found| found == path), "{text}: {:?}", paths(text));
        }
    }

    #[test]
    fn commands_are_found_as_texts_and_as_lists() {
        for (text, command) in [
            ("os.system('throughline pause')", "throughline pause"),
            ("subprocess.run(['throughline', 'daemon', \"stop\"])", "throughline 'daemon' 'stop'"),
            ("spawnSync('throughline', ['pause'])", "throughline 'pause'"),
            ("%x(throughline pause)", "throughline pause"),
            ("`throughline pause`", "throughline pause"),
        ] {
            assert!(commands(text).iter().any(|found| found == command), "{text}: {:?}", commands(text));
        }
    }

    #[test]
    fn reading_changes_nothing() {
        assert!(!changes("import json; print(json.load(open('.claude/settings.json')))"));
        assert!(changes("json.dump(x, open('.claude/settings.json', 'w'))"));
        assert!(changes("require('fs').writeFileSync('a', 'b')"));
    }
}
