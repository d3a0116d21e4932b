//! Flow: every language's table is what its grammar knows; blocks and chains of a function in each; and whatever the
//! text is, an answer or a refusal in time.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use code::flow::{self, Direction, EdgeKind, Flow, MAX_STATEMENTS, Refusal};
use code::{Language, languages};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(name)
}

fn language(name: &str) -> &'static Language {
    languages::by_name(name).unwrap()
}

#[test]
fn every_flow_table_has_a_meaning_in_its_grammar() {
    for language in languages::ALL.iter().filter(|language| language.has_flow()) {
        flow::prove(language).unwrap_or_else(|error| panic!("{}: {error}", language.name));
    }
}

/// Each file of `flow_blocks` is a function, then what is said about it. `UPDATE=1` writes that anew, to be read.
#[test]
fn blocks_and_chains_are_as_they_were_read() {
    let mut wrong = Vec::new();
    for language in languages::ALL.iter().filter(|language| language.has_flow()) {
        let path = folder("flow_blocks").join(format!("{}.txt", language.name));
        let whole = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let text = whole.split_once("=====\n").map_or(&*whole, |(text, _)| text);
        let mut said = format!("{text}=====\n");
        let last = flow::functions(language, text)
            .into_iter()
            .filter(|f| f.span.line == 1 || language.name == "java");
        let function = last.last().expect("a function");
        let flow = flow::flow_of(language, text, function.span).unwrap();
        assert_eq!(flow.complexity, function.complexity);
        render(&flow, &mut said);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &said).unwrap();
        }
        if fs::read_to_string(&path).unwrap() != said {
            wrong.push(format!("{}:\n{said}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The blocks, then for each line what is written there and where what is read there comes from.
fn render(flow: &Flow, out: &mut String) {
    out.push_str(&flow.text());
    let mut rows: Vec<String> = Vec::new();
    for (at, statement) in flow.statements.iter().enumerate() {
        let Some((line, _)) = statement.lines.first() else { continue };
        let at = at as u32;
        let name = |variable: u32| &*flow.variables[variable as usize];
        let mut row = format!("{line:3}");
        for definition in
            flow.definitions.iter().filter(|d| d.statement == at && !name(d.variable).is_empty())
        {
            write!(row, " {}{}", name(definition.variable), if definition.partial { "~" } else { "" })
                .unwrap();
        }
        row.push_str(" <-");
        for (index, used) in flow.uses.iter().enumerate().filter(|(_, used)| used.statement == at) {
            let mut from: Vec<u32> = flow
                .chains
                .iter()
                .filter(|chain| chain.to == index as u32)
                .map(|chain| flow.definitions[chain.from as usize].line)
                .collect();
            from.sort_unstable();
            from.dedup();
            let from: Vec<String> = from.iter().map(u32::to_string).collect();
            if !from.is_empty() && !name(used.variable).is_empty() {
                write!(row, " {}@{}", name(used.variable), from.join(",")).unwrap();
            }
        }
        if !row.ends_with(&format!("{line} <-")) && !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows.sort();
    out.push_str(&rows.join("\n"));
    out.push('\n');
}

#[test]
fn a_slice_of_a_line_without_a_statement_is_empty() {
    let text = "def f(a):\n    b = a\n\n    # nothing\n    return b\n";
    let flow = flow::flow(language("python"), text, 2).unwrap();
    for line in [3, 4] {
        assert!(flow.slice(line, None, Direction::Backward).lines.is_empty(), "line {line}");
    }
    assert_eq!(flow.slice(5, None, Direction::Backward).lines, [(1, 2), (5, 5)]);
}

#[test]
fn a_variable_that_a_line_does_not_name_has_the_value_it_has_there() {
    let text = "def f(a):\n    b = 1\n    if a:\n        b = 2\n    print(a)\n    b = 3\n    return b\n";
    let flow = flow::flow(language("python"), text, 5).unwrap();
    let slice = flow.slice(5, Some("b"), Direction::Backward);
    assert_eq!(slice.lines, [(1, 5)]);
}

#[test]
fn a_line_in_no_function_is_of_the_top_of_the_file() {
    let text = "import os\nroot = os.getcwd()\n\ndef f():\n    return root\n\nname = f()\nif name:\n    print(name)\n";
    let flow = flow::flow(language("python"), text, 7).unwrap();
    assert_eq!((&*flow.name, flow.branches), ("", 1));
    let slice = flow.slice(9, Some("name"), Direction::Backward);
    assert_eq!(slice.lines, [(1, 2), (4, 4), (7, 9)]);
}

#[test]
fn the_innermost_function_with_a_name_is_meant() {
    let text = "function outer(a) {\n  const inner = (b) => {\n    return b;\n  };\n  return [1].map((c) => {\n    return c + a;\n  });\n}\n";
    let javascript = language("javascript");
    let name = |line| flow::flow(javascript, text, line).unwrap().name;
    // The second line gives `inner` what it is: a statement of `outer`.
    assert_eq!([&*name(1), &*name(2), &*name(3), &*name(6)], ["outer", "outer", "inner", "outer"]);
    let names: Vec<_> =
        flow::complexity(javascript, text).into_iter().map(|(span, name, _)| (span.line, name)).collect();
    assert_eq!(names, [(1, "outer".into()), (2, "inner".into())]);
}

#[test]
fn a_line_that_binds_a_function_is_a_statement_of_the_one_around_it() {
    let javascript = language("javascript");
    let text = "function total(xs) {\n  let sum = 0;\n  const add = (y) => { sum += y; };\n  xs.forEach(add);\n  return sum;\n}\nconst alone = (z) => z;\n";
    let name = |line| flow::flow(javascript, text, line).unwrap().name;
    assert_eq!([&*name(3), &*name(7)], ["total", "alone"]);
    let slice = flow::flow(javascript, text, 3).unwrap().slice(3, None, Direction::Backward);
    assert!(slice.contains(2), "what it adds to is declared around it: {:?}", slice.lines);
}

#[test]
fn a_flow_survives_being_written_down() {
    let text = "def f(a):\n    try:\n        return g(a)\n    except E:\n        self.n += 1\n";
    let flow = flow::flow(language("python"), text, 1).unwrap();
    let written = toml_edit::ser::to_string(&flow).unwrap();
    assert_eq!(toml_edit::de::from_str::<Flow>(&written).unwrap(), flow);
}

#[test]
fn what_no_way_leads_to_is_said() {
    for (name, text, lines) in [
        ("python", "def f():\n    return 1\n    print(2)\n", vec![(3, 3)]),
        ("rust", "fn f() {\n    panic!(\"no\");\n    g();\n}\n", vec![(3, 3)]),
        ("c", "int f(void) {\n    for (;;) {\n        g();\n    }\n    return 1;\n}\n", vec![(5, 5)]),
        ("java", "class A {\n  int f() {\n    throw new E();\n  }\n}\n", vec![]),
        ("go", "func f() {\n\tos.Exit(1)\n\tg()\n}\n", vec![(3, 3)]),
        ("typescript", "function f() {\n  while (true) {\n    if (a) break;\n  }\n  g();\n}\n", vec![]),
    ] {
        let found = flow::flow(language(name), text, if name == "java" { 2 } else { 1 }).unwrap();
        assert_eq!(found.unreachable, lines, "{name}");
    }
}

#[test]
fn every_kind_of_edge_is_drawn() {
    let mut seen = Vec::new();
    for path in texts() {
        let (language, text) = path;
        for function in flow::functions(language, &text) {
            let found = flow::flow_of(language, &text, function.span).unwrap();
            assert!(found.dot().starts_with("digraph"));
            seen.extend(found.edges.iter().map(|edge| edge.kind));
        }
    }
    for kind in [
        EdgeKind::Next,
        EdgeKind::True,
        EdgeKind::False,
        EdgeKind::Back,
        EdgeKind::Break,
        EdgeKind::Continue,
        EdgeKind::Return,
        EdgeKind::Throw,
        EdgeKind::Catch,
        EdgeKind::Finally,
        EdgeKind::Case,
        EdgeKind::Fallthrough,
        EdgeKind::Defer,
        EdgeKind::Propagate,
        EdgeKind::Goto,
        EdgeKind::Closure,
    ] {
        assert!(seen.contains(&kind), "{kind:?}");
    }
}

/// Every function of the cases and the blocks, and every language's sample.
fn texts() -> Vec<(&'static Language, String)> {
    let mut found = Vec::new();
    for language in languages::ALL.iter().copied().filter(|language| language.has_flow()) {
        let cases = fs::read_dir(folder("flow_cases").join(language.name)).unwrap();
        let mut paths: Vec<PathBuf> = cases.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.push(folder("flow_blocks").join(format!("{}.txt", language.name)));
        for path in paths {
            let whole = fs::read_to_string(path).unwrap();
            found.push((
                language,
                whole.split_once("=====\n").map_or(whole.clone(), |(text, _)| text.to_owned()),
            ));
        }
        let extension = &language.settings().extensions[0];
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages").join(language.name);
        found.push((language, fs::read_to_string(sample.join(format!("sample.{extension}"))).unwrap()));
    }
    found
}

/// Numbers that are the same in every run.
fn numbers(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    }
}

#[test]
fn no_text_however_broken_makes_it_fail() {
    let mut number = numbers(7);
    for (language, text) in texts() {
        for round in 0..24 {
            let mut broken = text.clone();
            let mut at = || {
                let mut at = number(broken.len());
                while !broken.is_char_boundary(at) {
                    at -= 1;
                }
                at
            };
            // Cut off, cut out, or something put in between.
            let (one, other) = (at(), at());
            match round % 3 {
                0 => broken.truncate(one),
                1 => broken.replace_range(one.min(other)..one.max(other), ""),
                _ => broken.insert_str(one, ["{", "(", "\"", "if", " else ", "\n}", "=>", "try:"][other % 8]),
            }
            let lines = broken.lines().count() as u32;
            for line in [1, lines / 2, lines] {
                ask(language, &broken, line);
            }
        }
    }
}

/// Everything that can be asked.
fn ask(language: &Language, text: &str, line: u32) {
    let Ok(flow) = flow::try_flow(language, text, line) else { return };
    let names = flow.variables.first().map(|name| &**name);
    for direction in [Direction::Backward, Direction::Forward] {
        for variable in [None, names] {
            let slice = flow.slice(line, variable, direction);
            assert!(slice.lines.iter().all(|(first, last)| first <= last), "{:?}", slice.lines);
        }
    }
    assert!(!flow.text().is_empty() && !flow.dot().is_empty());
}

#[test]
fn nothing_is_said_about_what_is_empty() {
    for language in languages::ALL.iter().filter(|language| language.has_flow()) {
        assert_eq!(flow::try_flow(language, "", 1), Err(Refusal::Nothing), "{}", language.name);
        assert_eq!(flow::try_flow(language, "\n", 0), Err(Refusal::Nothing), "{}", language.name);
    }
    assert_eq!(flow::try_flow(language("markdown"), "# a", 1), Err(Refusal::Language));
    let empty = flow::flow(language("rust"), "fn f() {}\n", 1).unwrap();
    assert_eq!((empty.complexity, empty.depth, empty.exits, empty.blocks.len()), (1, 0, 1, 2));
}

#[test]
fn a_function_with_too_many_statements_is_refused() {
    let text = |count: usize| format!("def f(a):\n{}", "    a.append(1)\n".repeat(count));
    assert_eq!(flow::try_flow(language("python"), &text(MAX_STATEMENTS + 1), 1), Err(Refusal::Statements));
    let flow = flow::flow(language("python"), &text(MAX_STATEMENTS - 10), 1).unwrap();
    let slice = flow.slice(MAX_STATEMENTS as u32 - 10, Some("a"), Direction::Backward);
    assert_eq!(slice.count() as usize, MAX_STATEMENTS - 10);
}

#[test]
fn depth_needs_no_deeper_stack() {
    let deep = 3_000;
    let texts = [
        ("python", format!("def f(a):\n    return {}a{}\n", "(".repeat(deep), ")".repeat(deep))),
        ("python", format!("def f(a):\n    return {}a{}\n", "[".repeat(deep), "]".repeat(deep))),
        ("c", format!("int f(int a) {{ {} a++; {} }}\n", "{".repeat(deep), "}".repeat(deep))),
        ("c", format!("int f(int a) {{ return {} a; }}\n", "a +".repeat(deep))),
        ("java", format!("class A {{ void f(int a) {{ {} g(); }} }}\n", "if (a > 0) ".repeat(deep))),
        ("go", format!("func f(a int) {{ {} a++ }}\n", "if a > 1 { a++ } else ".repeat(deep) + "{") + "}\n"),
        (
            "rust",
            format!(
                "fn f(a: u32) -> u32 {{ {} a {} }}\n",
                "match a { _ => { ".repeat(deep),
                " } }".repeat(deep)
            ),
        ),
        ("rust", format!("fn f(a: u32) {{ {} a {} }}\n", "g(|| { ".repeat(deep), " });".repeat(deep))),
        (
            "javascript",
            format!("function f(a) {{ {} a(); {} }}\n", "g(() => { ".repeat(deep), " });".repeat(deep)),
        ),
        (
            "javascript",
            format!("function f(a) {{ return {} a {}; }}\n", "g((b) => ".repeat(deep), ")".repeat(deep)),
        ),
        ("typescript", format!("function f(a) {{ a{}; }}\n", ".then((b) => b)".repeat(deep))),
        ("python", format!("def f(a):\n    return {} a\n", "lambda b: ".repeat(deep))),
    ];
    for (name, text) in texts {
        ask(language(name), &text, if name == "python" { 2 } else { 1 });
    }
}

#[test]
fn three_hundred_lines_take_milliseconds() {
    let mut text = "def f(items, limit):\n    total = 0\n    seen = {}\n".to_owned();
    for at in 0..49 {
        write!(
            text,
            "    for item{at} in items:\n        if item{at} > limit:\n            seen[item{at}] = total\n            continue\n        total += item{at}\n    items = sorted(seen)\n"
        )
        .unwrap();
    }
    text.push_str("    print(items)\n    return total\n");
    let lines = text.lines().count() as u32;
    assert!((295..=305).contains(&lines));
    // Optimized it is 10 ms; the best of some, because others run beside this.
    let bound = Duration::from_millis(if cfg!(debug_assertions) { 400 } else { 10 });
    let best = (0..25)
        .map(|_| {
            let began = Instant::now();
            let flow = flow::flow(language("python"), &text, 2).unwrap();
            assert!(flow.slice(lines, None, Direction::Backward).count() > 200);
            began.elapsed()
        })
        .min();
    println!("{lines} lines: {best:?}");
    assert!(best.unwrap() < bound, "{best:?}");
}
