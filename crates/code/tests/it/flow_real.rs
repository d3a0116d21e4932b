//! Slices of functions nobody wrote for us. Asked for by hand, with folders of sources:
//! `FLOW_SOURCES=DIR:DIR cargo test --release -p throughline-code real_functions -- --ignored --nocapture`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use code::flow::{self, Direction, Flow};
use code::languages;

/// Of the function's lines, on average over all variables.
const MOST: f64 = 0.40;
/// Shorter ones are read at once; longer ones are rare.
const LINES: std::ops::RangeInclusive<u32> = 15..=150;
/// Larger files are made by programs.
const LARGEST: u64 = 400_000;

#[derive(Default)]
struct Sum {
    functions: u32,
    /// Of the last use of each variable, backward.
    variables: (u32, f64),
    /// Of every line, backward and forward.
    lines: (u32, f64, f64),
}

#[test]
#[ignore = "needs FLOW_SOURCES"]
fn slices_of_real_functions_are_small() {
    let sources = std::env::var("FLOW_SOURCES").expect("FLOW_SOURCES names folders");
    let mut files = Vec::new();
    for folder in sources.split(':') {
        walk(Path::new(folder), &mut files);
    }
    files.sort();
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for file in files {
        let language = languages::of_path(&file.to_string_lossy()).filter(|language| language.has_flow());
        let (Some(language), Ok(text)) = (language, fs::read_to_string(&file)) else { continue };
        // A table of cases is one statement of a hundred lines: nobody asks for a slice of a test.
        let path = file.to_string_lossy();
        if language.settings().tests.paths.iter().any(|part| path.contains(&**part)) {
            continue;
        }
        let sum = sums.entry(language.name).or_default();
        for function in flow::functions(language, &text) {
            let lines = function.span.end_line - function.span.line + 1;
            if !LINES.contains(&lines) {
                continue;
            }
            let Ok(flow) = flow::flow_of(language, &text, function.span) else { continue };
            measure(&flow, lines, sum);
        }
    }
    let mut all = (0, 0.0);
    for (language, sum) in &sums {
        let (count, share) = sum.variables;
        println!(
            "{language:10} {:5} functions; {count:6} variables, {:.3}; {:6} lines, backward {:.3}, forward {:.3}",
            sum.functions,
            share / f64::from(count),
            sum.lines.0,
            sum.lines.1 / f64::from(sum.lines.0),
            sum.lines.2 / f64::from(sum.lines.0),
        );
        all = (all.0 + count, all.1 + share);
    }
    let mean = all.1 / f64::from(all.0);
    println!("{} variables, {mean:.3}", all.0);
    assert!(mean <= MOST, "slices are {mean:.3} of their functions");
}

fn measure(flow: &Flow, lines: u32, sum: &mut Sum) {
    sum.functions += 1;
    let share = |line, variable, direction| {
        f64::from(flow.slice(line, variable, direction).count()) / f64::from(lines)
    };
    let root = |variable: u32| flow.variables[variable as usize].split('.').next().unwrap();
    let mut last: BTreeMap<&str, u32> = BTreeMap::new();
    for used in &flow.uses {
        let name = root(used.variable);
        if !name.is_empty() && flow.definitions.iter().any(|definition| root(definition.variable) == name) {
            let line = last.entry(name).or_default();
            *line = used.line.max(*line);
        }
    }
    for (name, line) in last {
        sum.variables.0 += 1;
        sum.variables.1 += share(line, Some(name), Direction::Backward);
    }
    let mut firsts: Vec<u32> =
        flow.statements.iter().filter_map(|s| s.lines.first()).map(|range| range.0).collect();
    firsts.sort_unstable();
    firsts.dedup();
    for line in firsts {
        sum.lines.0 += 1;
        sum.lines.1 += share(line, None, Direction::Backward);
        sum.lines.2 += share(line, None, Direction::Forward);
    }
}

fn walk(at: &Path, found: &mut Vec<PathBuf>) {
    if at.is_file() {
        found.push(at.to_owned());
    }
    let Ok(entries) = fs::read_dir(at) else { return };
    for entry in entries.flatten() {
        let small = entry.metadata().is_ok_and(|data| data.is_dir() || data.len() < LARGEST);
        if small {
            walk(&entry.path(), found);
        }
    }
}
