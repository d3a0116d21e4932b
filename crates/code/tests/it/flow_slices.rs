//! Slices whose needed lines were found by hand. Every file of `flow_cases/LANGUAGE` is a function, then `=====`, then
//! criteria: `backward LINE [VARIABLE]` or `forward …`, and below it every line that is needed, with the reason.
//!
//! Needed is, from the criterion on: every definition that may reach a needed use; every condition that decides whether
//! a needed line runs, `else`, `case` and `catch` with what they belong to; the guard of every jump that would leave
//! before a needed line, and the jump; in a `try`, what may throw when its handler is needed; the first line of the
//! function when one of its parameters is. Outside of a `try`, that something called may throw needs nothing.
//! A line that was not found needed may be in a slice; one that was may not be missing.

use std::fs;
use std::path::Path;

use code::flow::{self, Direction, Slice};
use code::languages;

/// Of the function's lines, on average over all cases.
const MOST: f64 = 0.40;

struct Case {
    name: String,
    language: &'static str,
    direction: Direction,
    line: u32,
    variable: Option<String>,
    needed: Vec<u32>,
    text: String,
}

/// A slice, and how much of its function it is.
fn check(case: &Case) -> (Slice, f64) {
    let language = languages::by_name(case.language).unwrap();
    let flow = flow::flow(language, &case.text, case.line)
        .unwrap_or_else(|| panic!("{}: no function at line {}", case.name, case.line));
    let slice = flow.slice(case.line, case.variable.as_deref(), case.direction);
    let lines = flow.span.end_line - flow.span.line + 1;
    assert!((15..=60).contains(&lines), "{}: {} has {lines} lines", case.name, flow.name);
    let missing: Vec<u32> = case.needed.iter().copied().filter(|line| !slice.contains(*line)).collect();
    assert!(missing.is_empty(), "{}: {missing:?} are missing in {:?}", case.name, slice.lines);
    (slice.clone(), f64::from(slice.count()) / f64::from(lines))
}

#[test]
fn no_needed_line_is_missing_and_slices_are_small() {
    let cases = cases();
    let mut shares: Vec<(&str, f64, f64)> = Vec::new();
    let mut wrong = Vec::new();
    for case in &cases {
        match std::panic::catch_unwind(|| check(case)) {
            Ok((slice, share)) => {
                let more: Vec<u32> = (1..=case.text.lines().count() as u32)
                    .filter(|line| slice.contains(*line) && !case.needed.contains(line))
                    .collect();
                println!("{share:.2} {} more: {more:?}", case.name);
                shares.push((
                    group(case.language),
                    share,
                    case.needed.len() as f64 / f64::from(slice.count()),
                ));
            }
            Err(said) => wrong.push(said.downcast_ref::<String>().cloned().unwrap_or_default()),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    for language in ["python", "typescript", "rust", "go", "java", "c"] {
        let own: Vec<f64> =
            shares.iter().filter(|(of, ..)| *of == language).map(|(_, share, _)| *share).collect();
        println!("{language}: {} slices, {:.3} of the function", own.len(), mean(&own));
        assert!(own.len() >= 6, "{language} has {} slices", own.len());
    }
    let all: Vec<f64> = shares.iter().map(|(_, share, _)| *share).collect();
    let exact: Vec<f64> = shares.iter().map(|(.., exact)| *exact).collect();
    println!(
        "all: {} slices, {:.3} of the function, {:.3} of it needed",
        all.len(),
        mean(&all),
        mean(&exact)
    );
    assert!(all.len() >= 36);
    assert!(mean(&all) <= MOST, "slices are {:.3} of their functions", mean(&all));
}

fn group(language: &str) -> &str {
    match language {
        "javascript" | "tsx" => "typescript",
        other => other,
    }
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/flow_cases");
    let mut cases = Vec::new();
    for language in languages::ALL.iter().filter(|language| language.has_flow()) {
        let mut files: Vec<_> =
            fs::read_dir(folder.join(language.name)).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files {
            let whole = fs::read_to_string(&file).unwrap();
            let (text, asked) = whole.split_once("=====\n").expect("a function, then criteria");
            for block in asked.split("\n\n").filter(|block| !block.trim().is_empty()) {
                let name = file.file_stem().unwrap().to_string_lossy();
                cases.push(read(language.name, &name, text, block.trim_start_matches('\n')));
            }
        }
    }
    cases
}

fn read(language: &'static str, file: &str, text: &str, block: &str) -> Case {
    let mut lines = block.lines();
    let head = lines.next().unwrap();
    let words: Vec<&str> = head.split_whitespace().collect();
    let direction = match words[0] {
        "backward" => Direction::Backward,
        "forward" => Direction::Forward,
        other => panic!("{file}: {other} is no direction"),
    };
    let mut needed = Vec::new();
    for line in lines {
        let numbers =
            line.split_whitespace().take_while(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let before = needed.len();
        for number in numbers {
            let (first, last) = number.split_once('-').unwrap_or((number, number));
            needed.extend(first.parse::<u32>().unwrap()..=last.parse().unwrap());
        }
        assert!(needed.len() > before, "{file}: {line} names no line");
    }
    needed.sort_unstable();
    needed.dedup();
    Case {
        name: format!("{language}/{file}: {head}"),
        language,
        direction,
        line: words[1].parse().unwrap(),
        variable: words.get(2).map(|word| (*word).to_owned()),
        needed,
        text: text.to_owned(),
    }
}
