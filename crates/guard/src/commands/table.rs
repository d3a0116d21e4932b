//! The table of commands that cannot be taken back: data that a person can read (`table.txt`), and how a command is held
//! against it.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::pattern::glob;
use super::shipped::{self, Shipped};

const TEXT: &str = include_str!("table.txt");

/// What the table says, by what it is about.
pub(super) struct Table {
    /// By the name of the program.
    commands: HashMap<&'static str, Vec<Row>>,
    pub(super) writes: Vec<(&'static Shipped, &'static str)>,
    pub(super) secrets: Vec<&'static str>,
}

/// One line about a program.
pub(super) struct Row {
    pub(super) rule: &'static Shipped,
    /// Its first words that are no options; each is several that will do.
    verbs: Vec<Vec<String>>,
    /// Options that stand anywhere, each with the value it must have.
    options: Vec<Vec<(&'static str, Option<String>)>>,
    somewhere: Vec<Vec<String>>,
    never: Vec<String>,
}

pub(super) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| parse(TEXT))
}

/// The lines of the table that belong to a rule, as they are written.
pub fn lines(rule: &str) -> impl Iterator<Item = &'static str> {
    let mut section = "";
    TEXT.lines().filter(move |line| {
        if let Some(name) = header(line) {
            section = name;
            return false;
        }
        section == rule && !line.is_empty() && !line.starts_with('#')
    })
}

fn header(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.strip_suffix(']')
}

fn parse(text: &'static str) -> Table {
    let mut table = Table { commands: HashMap::new(), writes: Vec::new(), secrets: Vec::new() };
    let mut rule = None;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = header(line) {
            rule = shipped::ALL.iter().copied().find(|rule| rule.name == name);
            continue;
        }
        // A test reads every header; a line without a rule would speak for nobody.
        let Some(rule) = rule else { continue };
        match line.split_once(' ') {
            Some(("write", path)) => table.writes.push((rule, path)),
            Some(("secret", name)) => table.secrets.push(name),
            _ => {
                let (programs, rest) = line.split_once(' ').unwrap_or((line, ""));
                for program in programs.split('|') {
                    table.commands.entry(program).or_default().push(row(rule, rest));
                }
            }
        }
    }
    table
}

fn either(word: &str) -> Vec<String> {
    word.split('|').map(str::to_ascii_lowercase).collect()
}

fn row(rule: &'static Shipped, rest: &'static str) -> Row {
    let mut row =
        Row { rule, verbs: Vec::new(), options: Vec::new(), somewhere: Vec::new(), never: Vec::new() };
    let mut words = rest.split_whitespace();
    while let Some(word) = words.next() {
        if word == ".." {
            row.somewhere.extend(words.next().map(either));
        } else if let Some(word) = word.strip_prefix('!') {
            row.never.push(word.to_ascii_lowercase());
        } else if word.starts_with('-') {
            let option = |option: &'static str| match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_ascii_lowercase())),
                None => (option, None),
            };
            row.options.push(word.split('|').map(option).collect());
        } else {
            row.verbs.push(either(word));
        }
    }
    row
}

impl Table {
    /// The rows that a command is one of. `words` is all of it, `bare` the same without options; both begin with the
    /// program.
    pub(super) fn rows<'t>(
        &'t self,
        program: &str,
        words: &'t [String],
        bare: &'t [String],
    ) -> impl Iterator<Item = &'t Row> {
        // `python3.11` is python.
        let plain = program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        let rows = self.commands.get(program).or_else(|| self.commands.get(plain));
        rows.into_iter().flatten().filter(move |row| row.matches(words, bare))
    }
}

impl Row {
    fn matches(&self, words: &[String], bare: &[String]) -> bool {
        let small = |word: &String| word.to_ascii_lowercase();
        let operands = bare.get(1..).unwrap_or_default();
        operands.len() >= self.verbs.len()
            && self.verbs.iter().zip(operands).all(|(verb, word)| {
                let word = small(word);
                verb.iter().any(|verb| glob(verb, &word))
            })
            && self
                .options
                .iter()
                .all(|any| any.iter().any(|(name, value)| has(words, name, value.as_deref())))
            && self.somewhere.iter().all(|any| {
                words.iter().skip(1).map(small).any(|word| any.iter().any(|wanted| glob(wanted, &word)))
            })
            && !words.iter().skip(1).map(small).any(|word| self.never.iter().any(|never| glob(never, &word)))
    }
}

/// Whether an option stands there, with this value where one is asked for.
fn has(words: &[String], name: &str, value: Option<&str>) -> bool {
    words.iter().enumerate().skip(1).any(|(at, word)| {
        let joined = word.strip_prefix(name);
        let is_short = name.len() == 2 && !name.starts_with("--");
        match (value, joined) {
            (None, Some("")) => true,
            (None, Some(rest)) if rest.starts_with('=') => !matches!(rest, "=false" | "=0"),
            (None, _) => {
                let letters = word.strip_prefix('-').filter(|rest| is_short && !rest.starts_with('-'));
                letters.is_some_and(|letters| letters.contains(&name[1..]))
            }
            (Some(value), Some("")) => {
                words.get(at + 1).is_some_and(|word| glob(value, &word.to_ascii_lowercase()))
            }
            (Some(value), Some(rest)) if is_short || rest.starts_with('=') => {
                glob(value, &rest.trim_start_matches('=').to_ascii_lowercase())
            }
            (Some(_), _) => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_belongs_to_a_rule_and_says_something() {
        for line in TEXT.lines() {
            if let Some(name) = header(line) {
                assert!(shipped::ALL.iter().any(|rule| rule.name == name), "{name} is no rule");
                assert!(lines(name).count() > 0, "{name} has no lines");
            }
        }
        let mut all: Vec<&str> =
            TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        let before = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), before, "a line stands there twice");
    }

    #[track_caller]
    fn check(line: &'static str, command: &str, expected: bool) {
        let (_, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let bare: Vec<String> = words.iter().filter(|word| !word.starts_with('-')).cloned().collect();
        assert_eq!(row(&shipped::UNREAD, rest).matches(&words, &bare), expected, "{line}: {command}");
    }

    #[test]
    fn verbs_stand_first_options_anywhere_and_small_letters_are_capital_ones() {
        check("x delete ns|namespace", "x delete ns a", true);
        check("x delete ns|namespace", "x delete pod ns", false);
        check("x rm -r|--recursive", "x rm a -rf", true);
        check("x rm -r|--recursive", "x rm a --recursive", true);
        check("x rm -r|--recursive", "x rm a", false);
        check("x delete -n=*prod*", "x -n my-prod delete deploy", false);
        check("x .. flushall", "x -h host FLUSHALL", true);
        check("x -X=DELETE|--method=DELETE", "x -XDELETE a", true);
        check("x -X=DELETE|--method=DELETE", "x --method delete a", true);
        check("x -X=DELETE|--method=DELETE", "x --method=get a", false);
        check("x !-l", "x -l", false);
    }
}
