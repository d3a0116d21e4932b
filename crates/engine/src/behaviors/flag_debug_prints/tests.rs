//! Edits as an agent makes them, and which of their lines are flagged.

use serde_json::{Value, json};

use super::*;
use crate::behaviors::on_code::world::World;

/// One file of `snippets.txt`.
#[derive(Debug, Default)]
struct Snippet<'t> {
    path: &'t str,
    beside: Vec<(&'t str, String)>,
    before: String,
    after: String,
    patch: Vec<String>,
    /// Lines that are to be told.
    told: Vec<u32>,
}

fn snippets() -> Vec<Snippet<'static>> {
    let mut all: Vec<Snippet<'_>> = Vec::new();
    for line in include_str!("snippets.txt").lines().filter(|line| !line.starts_with('#')) {
        let (sign, rest) = line.split_at_checked(2).unwrap_or((line, ""));
        if sign == "@ " {
            all.push(Snippet { path: rest, ..Snippet::default() });
            continue;
        }
        let Some(snippet) = all.last_mut() else { continue };
        match sign {
            "& " => {
                let (path, text) = rest.split_once(' ').unwrap();
                snippet.beside.push((path, text.replace("\\n", "\n")));
            }
            "! " | "+ " => {
                snippet.after.push_str(&format!("{rest}\n"));
                snippet.patch.push(format!("+{rest}"));
                if sign == "! " {
                    snippet.told.push(snippet.after.lines().count() as u32);
                }
            }
            "  " => {
                snippet.before.push_str(&format!("{rest}\n"));
                snippet.after.push_str(&format!("{rest}\n"));
                snippet.patch.push(format!(" {rest}"));
            }
            _ => assert_eq!(line, "", "what is this line of snippets.txt?"),
        }
    }
    all
}

impl Snippet<'_> {
    fn world(&self) -> World {
        let world = World::new(&[(self.path, &self.after)]);
        self.beside.iter().for_each(|(path, text)| world.write(path, text));
        world
    }

    fn response(&self) -> Value {
        let lines = self.patch.len();
        json!({ "originalFile": self.before, "structuredPatch": [
            { "oldStart": 1, "oldLines": lines, "newStart": 1, "newLines": lines, "lines": self.patch }] })
    }
}

fn after(world: &World, tool: &str, input: Value, response: Value) -> Option<String> {
    let advice = world.after(&FlagDebugPrints, tool, input, response);
    advice.notes.into_iter().next().map(|note| note.text)
}

/// The lines a note names.
fn named(note: Option<&str>) -> Vec<u32> {
    let lines = note.into_iter().flat_map(str::lines).filter_map(|line| line.strip_prefix("- line"));
    let numbers = lines.filter_map(|line| line.split_once(": ")).flat_map(|(numbers, _)| {
        numbers
            .trim_start_matches('s')
            .split([',', ' '])
            .filter_map(|number| number.parse().ok())
            .collect::<Vec<u32>>()
    });
    let mut all: Vec<u32> = numbers.collect();
    all.sort_unstable();
    all
}

#[test]
fn every_snippet_is_told_of_as_it_is_labeled() {
    let all = snippets();
    let (told, spared): (Vec<_>, Vec<_>) = all.iter().partition(|snippet| !snippet.told.is_empty());
    assert!(told.len() >= 20 && spared.len() >= 20, "{} told, {} spared", told.len(), spared.len());
    let mut wrong = Vec::new();
    for snippet in &all {
        let world = snippet.world();
        let input = json!({ "file_path": world.path(snippet.path), "old_string": "", "new_string": "" });
        let note = after(&world, "Edit", input, snippet.response());
        if named(note.as_deref()) != snippet.told {
            wrong.push(format!("{}: {:?} is told, not {:?}", snippet.path, note, snippet.told));
        }
        let tokens = note.as_deref().map_or(0, model::estimate_tokens);
        assert!(tokens <= TOKENS, "{tokens} tokens: {note:?}");
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[test]
fn a_note_names_the_file_and_the_lines_once_in_a_conversation() {
    let world = World::new(&[("src/a.ts", "const a = 1\nconsole.log(a)\ndebugger\nconsole.log(2)\n")]);
    let ask = || {
        let input = json!({ "file_path": world.path("src/a.ts"), "content": "const a = 1\nconsole.log(a)\ndebugger\nconsole.log(2)\n" });
        after(&world, "Write", input, json!({ "originalFile": null, "structuredPatch": [] }))
    };
    assert_eq!(
        ask().unwrap(),
        "Debug output that this edit left in src/a.ts:\n- lines 2, 4: console.log\n- line 3: debugger\n\
         Remove it, or mark what is meant: `throughline: allow-prints`."
    );
    assert_eq!(ask(), None);
}

#[test]
fn what_was_only_moved_is_not_new() {
    let world = World::new(&[("a.py", "def f(x):\n    if x:\n        print(x)\n")]);
    let path = world.path("a.py");
    let input = json!({ "file_path": path, "old_string": "    print(x)", "new_string": "    if x:\n        print(x)" });
    assert_eq!(after(&world, "Edit", input, json!({})), None);
}

#[test]
fn a_file_that_was_formatted_since_is_read_as_it_is() {
    let world = World::new(&[("src/a.js", "import b from 'b';\n\n\nconsole.log(b);\n")]);
    let input = json!({ "file_path": world.path("src/a.js"), "content": "x" });
    let patch = json!({ "structuredPatch": [{ "newStart": 1, "lines": ["+import b from 'b';", "+console.log(b);"] }] });
    let note = after(&world, "Write", input, patch).unwrap();
    assert_eq!(named(Some(&note)), [4], "{note}");
}

#[test]
fn a_hundred_prints_are_one_short_note() {
    let text = (0..100).map(|n| format!("console.log({n})")).collect::<Vec<_>>().join("\n");
    let world = World::new(&[("src/a.js", &text)]);
    let input = json!({ "file_path": world.path("src/a.js"), "content": text });
    let note = after(&world, "Write", input, json!({ "originalFile": null })).unwrap();
    assert!(note.contains("lines 1, 2, 3, 4, 5, 6 and 94 more: console.log"), "{note}");
    assert!(model::estimate_tokens(&note) <= TOKENS);
}
