//! Words as bash makes them: what we say we know must be what it says.

use std::io::Write;
use std::process::{Command, Stdio};

use guard::shell::{Word, read};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Words in one run; one process of bash judges them all.
const WORDS: usize = 4000;

const PIECES: &[&str] = &[
    "a",
    "b",
    "-rf",
    "/",
    ".",
    "=",
    ":",
    "é",
    "'x y'",
    "'$v'",
    "\"$v\"",
    "\"x $v y\"",
    "$v",
    "${v}",
    "$w",
    "\"$w\"",
    "$n",
    "\"$n\"",
    "${v:-d}",
    "${u:-d}",
    "${u-d e}",
    "\"${u:-d e}\"",
    "${v:+s}",
    "\\ ",
    "\\$",
    "\\\\",
    "\\'",
    "\\\"",
    "\"\\$v\"",
    "\"\\a\"",
    "\"a'b\"",
    "'a\"b'",
    "$'\\x41\\n\\t'",
    "$'a\\'b'",
    "{a,b}",
    "{a,{b,c}}",
    "{,x}",
    "{a}",
    "{}",
    "\"{a,b}\"",
    "$(echo e)",
    "\"$(echo 'e  f')\"",
    "$(echo e f)",
    "`echo g`",
    "$(printf '%s' h)",
    "${#v}",
    "#",
    " ",
    " ",
    "%",
    ",",
    "^",
    "@",
    "\"\"",
    "''",
    "\\\n",
    "!",
    "+",
    "]",
];

#[test]
fn a_word_that_is_known_is_what_bash_makes_of_it() {
    let mut runner =
        TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let piece = prop::collection::vec(prop::sample::select(PIECES), 1..7);
    let words: Vec<String> =
        (0..WORDS).map(|_| piece.new_tree(&mut runner).expect("a word").current().concat()).collect();
    let Some(said) = said_by_bash(&words) else {
        eprintln!("SKIPPED: there is no bash");
        return;
    };
    let (mut compared, mut wrong) = (0, Vec::new());
    for (word, bash) in words.iter().zip(&said) {
        let script = read(&format!("v=val; w='one  two'; n=; unset u; printf {word}"));
        let command = script.commands.last().expect("printf");
        let ours: Option<Vec<String>> = command.arguments().iter().map(Word::text).collect();
        let (Some(ours), false, Some(bash)) = (ours, script.is_unreadable, bash) else { continue };
        // Of a word with braces in which a value is split, we say each part once.
        let has_braces = word.contains("{a,") || word.contains("{,");
        if has_braces && ["$w", "$(echo e f)", "d e"].iter().any(|split| word.contains(split)) {
            continue;
        }
        compared += 1;
        if ours != *bash {
            wrong.push(format!("{word:?}: bash {bash:?}, we {ours:?}"));
        }
    }
    assert!(compared > WORDS / 2, "only {compared} were compared");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The words bash makes of each text; `None` where it takes it for no word.
fn said_by_bash(words: &[String]) -> Option<Vec<Option<Vec<String>>>> {
    const ASK: &str = r#"v=val; w='one  two'; n=
        while IFS= read -r -d '' text; do
            (eval "set -- $text" && printf '<' && for word in "$@"; do printf '%s\037' "$word"; done) 2>/dev/null
            printf '\036'
        done"#;
    let mut bash = Command::new("bash")
        .args(["--norc", "-c", ASK])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = bash.stdin.take()?;
    let text: String = words.iter().map(|word| word.clone() + "\0").collect();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = bash.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let answers = text.split('\u{1e}').map(|answer| {
        let words = answer.strip_prefix('<')?;
        Some(words.split_terminator('\u{1f}').map(str::to_owned).collect())
    });
    Some(answers.collect())
}
