//! Rules for Rust files. They look at code with comments and literals blanked out, so that a sentence about
//! `unsafe` is not an unsafe block. No grammar beyond that: what needs a parser is a lint's work.

use super::{Finding, Source};

/// A file longer than this is not read any more.
const MAX_LINES: usize = 800;
/// A file longer than this is mentioned.
const AIM_LINES: usize = 400;

/// The files that may hold unsafe code, each for the reason its first lines give.
const MAY_BE_UNSAFE: &[&str] = &[
    "crates/hook/src/raw/system.rs",
    "crates/embed/src/kernels/avx2.rs",
    "crates/embed/src/kernels/avx512.rs",
    "crates/embed/src/kernels/neon.rs",
];

/// Words that mean "not finished", and never reach the main branch.
const UNFINISHED: &[&str] = &["todo!(", "unimplemented!(", "dbg!("];

pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let code = blank(&source.text);
    let mut findings = Vec::new();
    let mut find = |at: usize, says: String| {
        findings.push(Finding { file: source.path.clone(), line: line_of(&code, at), says });
    };
    let lines = source.text.lines().count();
    if lines > MAX_LINES {
        find(0, format!("{lines} lines; {MAX_LINES} are the most"));
    }
    if !source.text.starts_with("//!") {
        find(0, "opens without `//!`: its purpose and its refusal".to_owned());
    }
    if !MAY_BE_UNSAFE.contains(&source.path.as_str()) {
        for at in words(&code, "unsafe") {
            find(at, "unsafe code outside the files that may hold it".to_owned());
        }
    }
    for word in UNFINISHED {
        for (at, _) in code.match_indices(word) {
            find(at, format!("{} is not finished", word.trim_end_matches('(')));
        }
    }
    for (at, attribute) in attributes(&code) {
        let silences = ["allow(", "expect("].iter().any(|word| attribute.contains(word));
        if silences && !attribute.contains("reason") {
            find(at, "silences a lint without a reason".to_owned());
        }
        if attribute.trim_end_matches(']').ends_with("[ignore") {
            find(at, "a test is ignored without a reason".to_owned());
        }
    }
    findings
}

/// Every file of `tests/it/` is a module of its `main.rs`; a forgotten one would never run.
pub(crate) fn check_test_binaries(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let Some((folder, name)) = source.path.rsplit_once('/') else { continue };
        if !folder.ends_with("tests/it") || name == "main.rs" {
            continue;
        }
        let Some(module) = name.strip_suffix(".rs") else { continue };
        let main = sources.iter().find(|other| other.path == format!("{folder}/main.rs"));
        if !main.is_some_and(|main| blank(&main.text).contains(&format!("mod {module};"))) {
            let says = format!("is no module of {folder}/main.rs, so it never runs");
            findings.push(Finding { file: source.path.clone(), line: 0, says });
        }
    }
    findings
}

/// A remark about a file that is longer than it should be, and not yet too long.
pub(crate) fn long(source: &Source) -> Option<String> {
    let lines = source.text.lines().count();
    let long = source.is_rust() && lines > AIM_LINES && lines <= MAX_LINES;
    long.then(|| format!("{}: {lines} lines; aim for {AIM_LINES}", source.path))
}

fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

/// Where `word` stands alone.
fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = code.as_bytes();
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        !part(at.checked_sub(1).and_then(|at| bytes.get(at))) && !part(bytes.get(at + word.len()))
    })
}

/// Every `#[…]` and `#![…]` with its place.
fn attributes(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices('#') {
        let open = if code[at..].starts_with("#![") { at + 2 } else { at + 1 };
        if !code[open..].starts_with('[') {
            continue;
        }
        let mut depth = 0;
        for (offset, letter) in code[open..].char_indices() {
            depth += i32::from(letter == '[') - i32::from(letter == ']');
            if depth == 0 {
                found.push((at, &code[at..=open + offset]));
                break;
            }
        }
    }
    found
}

/// The code with the inside of comments, strings and characters replaced by spaces, every line kept in its place.
fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => until_line_end(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => after_block_comment(bytes, at),
            b'"' => after_string(bytes, at),
            b'r' if !follows_a_word(bytes, at) => after_raw_string(bytes, at),
            b'\'' => after_character(bytes, at),
            _ => at,
        };
        for byte in &mut out[at..end.max(at)] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    String::from_utf8(out).expect("whole characters were replaced by spaces")
}

fn until_line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

fn after_block_comment(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

fn after_string(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn follows_a_word(bytes: &[u8], at: usize) -> bool {
    // `br"…"` and `cr"…"` are raw strings, too.
    let before = at.checked_sub(1).map(|before| bytes[before]);
    before.is_some_and(|byte| (byte.is_ascii_alphanumeric() || byte == b'_') && byte != b'b' && byte != b'c')
}

fn after_raw_string(bytes: &[u8], at: usize) -> usize {
    let hashes = bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(at + 1 + hashes) != Some(&b'"') {
        return at;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let body = at + 2 + hashes;
    bytes[body..]
        .windows(close.len())
        .position(|window| window == close)
        .map_or(bytes.len(), |length| body + length + close.len())
}

/// A character literal, not a lifetime: `'x'`, `'\n'`, `'é'`.
fn after_character(bytes: &[u8], at: usize) -> usize {
    /// `'\u{10FFFF}'` is the longest.
    const LONGEST: usize = 12;
    let rest = &bytes[at + 1..bytes.len().min(at + LONGEST)];
    let length = match rest {
        [b'\\', _, more @ ..] => more.iter().position(|byte| *byte == b'\'').map(|length| length + 2),
        [first, ..] => {
            let width = if *first < 0x80 { 1 } else { first.leading_ones() as usize };
            (rest.get(width) == Some(&b'\'')).then_some(width)
        }
        [] => None,
    };
    length.map_or(at, |length| at + length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(path: &str, text: &str) -> Vec<String> {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        check(&source).into_iter().map(|finding| format!("{}: {}", finding.line, finding.says)).collect()
    }

    #[test]
    fn a_word_in_a_comment_or_a_literal_is_no_code() {
        let text = "//! unsafe\n/* unsafe /* todo!() */ dbg!( */\nconst A: &str = \"unsafe \\\" todo!(\";\n\
                    const B: &[u8] = br#\"unsafe \" dbg!(\"#;\nconst C: char = '\"';\nfn f<'a>(x: &'a str) {}\n";
        assert_eq!(says("a.rs", text), [""; 0]);
    }

    #[test]
    fn code_after_a_quote_character_is_still_seen() {
        let text = "//! x\nconst C: char = '\\'';\nconst D: char = 'é';\nunsafe fn f() {}\n";
        assert_eq!(says("a.rs", text), ["4: unsafe code outside the files that may hold it"]);
        assert_eq!(says(MAY_BE_UNSAFE[0], text), [""; 0]);
    }

    #[test]
    fn a_lint_is_silenced_only_with_a_reason() {
        assert_eq!(
            says("a.rs", "//! x\n#[allow(dead_code)]\nfn f() {}\n"),
            ["2: silences a lint without a reason"]
        );
        assert_eq!(says("a.rs", "//! x\n#![expect(\n    dead_code,\n    reason = \"later\"\n)]\n"), [""; 0]);
        assert_eq!(
            says("a.rs", "//! x\n#[ignore]\n#[test]\nfn f() {}\n"),
            ["2: a test is ignored without a reason"]
        );
        assert_eq!(says("a.rs", "//! x\n#[derive(Debug)]\nstruct A;\nlet x = y.expect(\"z\");\n"), [""; 0]);
    }

    #[test]
    fn a_file_opens_with_its_purpose_and_ends_before_it_is_too_long() {
        assert_eq!(says("a.rs", "fn f() {}\n").len(), 1);
        assert_eq!(
            says("a.rs", &format!("//! x\n{}", "\n".repeat(MAX_LINES))),
            ["1: 801 lines; 800 are the most"]
        );
    }

    #[test]
    fn a_test_file_nobody_lists_is_named() {
        let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let sources = [
            source("crates/a/tests/it/main.rs", "//! x\nmod kept;\n// mod lost;\n"),
            source("crates/a/tests/it/kept.rs", "//! x\n"),
            source("crates/a/tests/it/lost.rs", "//! x\n"),
        ];
        let findings = check_test_binaries(&sources);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].file, "crates/a/tests/it/lost.rs");
    }
}
