//! A program and its arguments as one line for a POSIX shell, and such a line back: some agents start hooks through
//! a shell only. No expansion of any kind: a line that asks for one is not ours, and is not read.

use crate::Program;

/// The line that starts `program` with its arguments and one more word.
pub(crate) fn line(program: &Program, last: &str) -> String {
    let words = std::iter::once(program.program.as_str()).chain(program.args.iter().map(String::as_str));
    words.chain([last]).map(quoted).collect::<Vec<_>>().join(" ")
}

/// What a line starts. `None`: no line of plain words, so nothing that we wrote.
pub(crate) fn program(line: &str) -> Option<Program> {
    let mut words = words(line)?.into_iter();
    Some(Program { program: words.next()?, args: words.collect() })
}

/// In single quotes where a shell would see more than a word.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:=@%,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '"' => break,
                        '$' | '`' => return None,
                        '\\' => match rest.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(rest.next()?),
            '$' | '`' | '|' | '&' | ';' | '<' | '>' | '(' | ')' | '*' | '?' | '\n' | '\r' => return None,
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(words: &[&str]) -> Program {
        let args = words[1..].iter().map(|word| (*word).to_owned()).collect();
        Program { program: words[0].to_owned(), args }
    }

    #[test]
    fn a_line_is_read_back_whatever_is_in_the_path() {
        for path in ["/opt/bin/hook", "/opt/my tools/hook", "/o'brien/$HOME/`x`", "/a\\b\"c", "/é;&|/hook"] {
            let program = made(&[path, "--agent", "codex"]);
            let back = super::program(&line(&program, "Stop"));
            assert_eq!(back, Some(made(&[path, "--agent", "codex", "Stop"])), "{path}");
        }
        assert_eq!(line(&made(&["/opt/bin/hook"]), "Stop"), "/opt/bin/hook Stop");
        assert_eq!(line(&made(&["/my tools/hook"]), "Stop"), "'/my tools/hook' Stop");
    }

    #[test]
    fn what_a_person_quoted_otherwise_is_read_and_what_needs_a_shell_is_not() {
        assert_eq!(program(r#""/my tools/hook"  a\ b "#), Some(made(&["/my tools/hook", "a b"])));
        for line in ["", "  ", "hook | tee log", "$HOME/hook", "\"$HOME/hook\"", "a && b", "'open", "x > y"] {
            assert_eq!(program(line), None, "{line}");
        }
    }

    #[test]
    fn a_real_shell_sees_the_words_that_were_meant() {
        for path in ["/o'brien/$HOME/`x`", "/my tools/hook", "/a\\b\"c", "/é;&|*?/hook"] {
            let program = made(&["printf", "%s\\n", path]);
            let out =
                std::process::Command::new("sh").arg("-c").arg(line(&program, "Stop")).output().unwrap();
            assert_eq!(String::from_utf8(out.stdout).unwrap(), format!("{path}\nStop\n"));
        }
    }
}
