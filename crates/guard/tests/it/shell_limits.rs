//! Whatever is read, reading ends, soon, and in the length of the text.

use std::time::Duration;

use guard::shell::{MAX_BYTES, read, writes};
use proptest::prelude::*;

use crate::work::worked;

/// Pieces of which hostile scripts are made.
const PIECES: &[&str] = &[
    "rm",
    " -rf ",
    "/",
    "~",
    "$HOME",
    "$x",
    "${x",
    "${x:-",
    "}",
    "$(",
    "`",
    ")",
    "(",
    "((",
    "))",
    "{",
    "{a,b}",
    ";",
    "&",
    "&&",
    "||",
    "|",
    "\n",
    "<<EOF\n",
    "EOF\n",
    "<<<",
    ">",
    ">>",
    "2>&1",
    "<(",
    ">(",
    "'",
    "\"",
    "\\",
    "$'\\x",
    "#",
    "*",
    "[",
    "]",
    "[[ ",
    " ]]",
    "if ",
    "then ",
    "fi ",
    "for x in ",
    "do ",
    "done ",
    "case ",
    " in ",
    "esac ",
    ";;",
    "f() ",
    "f ",
    "function ",
    "x=",
    "x+=",
    "a=(",
    "sudo ",
    "env ",
    "xargs ",
    "bash -c ",
    "eval ",
    "find . -exec ",
    " {} ",
    "\\;",
    "cd ",
    "echo ",
    "sh ",
    "é",
    "\u{F0000}",
    "\u{0}",
    "!",
    "~+",
    "..",
    ",",
    "trap ",
    "alias x=",
    "ssh h ",
    "sed -i ",
    "mv a b ",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_too_strange_to_read(text in "\\PC{0,200}") {
        read(&text);
        writes(&text);
    }

    #[test]
    fn no_script_is_too_strange_to_read(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        let text = pieces.concat();
        read(&text);
        writes(&text);
    }

    #[test]
    fn what_is_quoted_is_one_word(text in "[^'\\x00]{0,80}") {
        let script = read(&format!("echo '{text}'"));
        prop_assert_eq!(script.commands.len(), 1);
        prop_assert_eq!(script.commands[0].words[1].text(), Some(text));
    }
}

/// Long enough to tell a square from a line without optimization.
const LONG: usize = MAX_BYTES / 8;

/// Twice as much may take a little more than twice as long, not four times.
#[test]
fn time_grows_with_the_length_alone() {
    for piece in PIECES.iter().copied().chain([
        "a=$a$a;",
        "$a",
        "{a,b}{c,d}",
        "cd a;",
        "f(){ f; };f;",
        "echo a|sh|",
        "nice ",
        "(cd b;a);",
        "x=1;(a $x);",
        "for i in a b c; do ",
        "cat <<E;",
        "'a' ",
        "\"$(",
        "${a:-${",
        "echo a | xargs echo {} |",
        "find / |",
        "[a",
        "a[",
        "{{",
        "b=(1 2 3);",
        "eval 'a b';",
        "bash -c 'a';",
        "$((",
        "case a in b) ",
        "a & ",
        "`a`",
        "echo $a > b$a;",
    ]) {
        let whole = piece.repeat(LONG / piece.len());
        let took = |text: &str| {
            let best = (0..3).map(|_| {
                worked(|| {
                    read(text);
                })
            });
            best.min().unwrap_or_default()
        };
        let (short, long) = (took(&whole[..floor(&whole, LONG / 8)]), took(&whole));
        let bound = short * 24 + Duration::from_millis(60);
        assert!(long < bound, "{piece:?}: {short:?} for an eighth, {long:?} for all");
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[test]
fn what_is_too_long_or_too_deep_is_said_to_be() {
    assert!(read(&"a;".repeat(MAX_BYTES)).is_truncated);
    assert!(read(&"(".repeat(1000)).is_truncated);
    assert!(read(&"$(".repeat(1000)).is_truncated);
    assert!(read(&"nice ".repeat(1000)).is_truncated);
    let names: Vec<String> = (0..10_000).map(|at| format!("a{at}")).collect();
    for script in ["for d in LIST; do rm $d; done", "a=(LIST)", "x='LIST'; y=$x$x$x$x; eval $y$y"] {
        assert!(read(&script.replace("LIST", &names.join(" "))).is_truncated, "{script}");
    }
    assert!(read(&format!("rm {{{}}}", names.join(","))).is_truncated);
    let variables = names.join("=x;") + "=x;";
    assert!(read(&variables).is_truncated);
    let written = writes(&format!("touch {{{},secret/a}}", names[..100].join(",")));
    assert_eq!(written.all.last().map(|write| write.path.as_str()), Some("secret/a"));
    let fifty = names[..50].join(" ");
    let script = format!("for f in {fifty}; do {} done", "cp \"$f\" \"x/$f\"; ".repeat(40));
    assert!(!read(&script).is_truncated, "a loop over fifty files");
    assert!(!read(&format!("cat > f <<'EOF'\n{}EOF\n", "let x = \"$(\";\n".repeat(10_000))).is_truncated);
}
