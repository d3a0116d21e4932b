//! Says which imports of an edit lead nowhere, with what was most likely meant. Only imports that the edit wrote.

use std::path::Path;

use atlas::{Trouble, What};
use model::{Advice, Detail, Event, EventKind, Item, Outcome};

use super::on_code::{self, EDITORS, File};
use crate::behavior::{Behavior, Context, Late};
use crate::page::one_line;
use crate::{Page, Result};

const TOKENS: u32 = 120;

#[derive(Debug)]
pub(crate) struct CheckImports;

impl Behavior for CheckImports {
    fn name(&self) -> &'static str {
        "check-imports"
    }

    fn manual(&self) -> &'static str {
        "After an edit, says which imports it wrote lead nowhere: a module that is not in the workspace, a name that a module \
         does not have, a dependency that is neither installed nor declared; with the nearest right path. Python, TypeScript, \
         JavaScript, Rust and Go. What cannot be told from files is taken to be right."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PostToolUse]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn late(&self, cx: &Context, event: &Event) -> Late {
        on_code::while_unchanged(cx, event)
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Detail::Tool(call) = &event.detail else { return Ok(Advice::silent()) };
        let succeeded = matches!(call.outcome, Outcome::Succeeded { .. });
        if !succeeded || !EDITORS.contains(&call.name.as_str()) {
            return Ok(Advice::silent());
        }
        let Some(file) = File::of(cx, event, call) else { return Ok(Advice::silent()) };
        let Some(text) = on_code::text(Path::new(&file.path)) else { return Ok(Advice::silent()) };
        let lines = written(call, &text);
        let troubles =
            on_code::map(cx, |atlas| atlas.import_troubles(&file.inside, Some(&lines))).unwrap_or_default();
        let mut page = Page::new(TOKENS);
        page.heading(&format!("Imports of {} that lead nowhere:", one_line(&file.inside, 160)));
        for trouble in troubles {
            let text = line(&trouble);
            // What has no room is not told.
            let new =
                || on_code::desk(cx, event, |desk| desk.tell(format!("import {}:{text}", file.inside), 0));
            if page.fits(&text) && new().unwrap_or(true) {
                let why = format!("line {} of {}", trouble.line, file.inside);
                page.item(
                    &text,
                    Item {
                        memory: None,
                        part: "import".to_owned(),
                        title: trouble.module.clone(),
                        tokens: 0,
                        why,
                    },
                );
            }
        }
        Ok(Advice { notes: page.finish(self.name()).into_iter().collect(), ..Advice::silent() })
    }
}

fn line(trouble: &Trouble) -> String {
    let module = one_line(&trouble.module, 120);
    let what = match (trouble.what, &trouble.name) {
        (What::NoName, Some(name)) => format!("{module} has no {}", one_line(name, 80)),
        (What::NotInstalled, _) => format!("{module} is neither installed nor declared as a dependency"),
        _ => format!("there is no module {module}"),
    };
    let nearest =
        trouble.nearest.as_deref().map(|nearest| format!("; {}", one_line(nearest, 160))).unwrap_or_default();
    format!("line {}: {what}{nearest}", trouble.line)
}

/// The lines an edit wrote, in the file as it is now. All of them, where that cannot be told.
fn written(call: &model::ToolCall, text: &str) -> Vec<(u32, u32)> {
    let whole = vec![(1, u32::MAX)];
    let news: Vec<&str> = match call.name.as_str() {
        "Edit" => call.input.get("new_string").and_then(|new| new.as_str()).into_iter().collect(),
        "MultiEdit" => {
            let edits = call.input.get("edits").and_then(|edits| edits.as_array());
            edits.into_iter().flatten().filter_map(|edit| edit.get("new_string")?.as_str()).collect()
        }
        _ => return whole,
    };
    let found = news.into_iter().filter(|new| !new.trim().is_empty()).filter_map(|new| {
        let at = text.find(new)?;
        let first = text[..at].matches('\n').count() as u32 + 1;
        Some((first, first + new.matches('\n').count() as u32))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::behaviors::on_code::world::World;

    fn after(world: &World, path: &str, new: &str) -> Option<String> {
        let text = std::fs::read_to_string(world.path(path)).unwrap_or_default();
        world.write(path, &format!("{new}\n{text}"));
        let input = json!({ "file_path": world.path(path), "old_string": "x", "new_string": new });
        let advice = world.ask(&CheckImports, EventKind::PostToolUse, "Edit", input);
        advice.notes.into_iter().next().map(|note| note.text)
    }

    fn world() -> World {
        World::new(&[
            ("app/__init__.py", ""),
            ("app/models.py", "class Item:\n    pass\n\n\ndef find_item():\n    return Item()\n"),
            ("app/views.py", "import nowhere_old\nx = 1\n"),
        ])
    }

    #[test]
    fn an_import_that_leads_nowhere_is_told_with_what_was_meant() {
        let world = world();
        let note = after(&world, "app/views.py", "from .model import Item").unwrap();
        assert!(
            note.contains("line 1: there is no module .model; Item is defined in app/models.py"),
            "{note}"
        );
        assert!(!note.contains("nowhere_old"), "what the edit did not write is not its business: {note}");
        let note = after(&world, "app/views.py", "from .models import Itm").unwrap();
        assert!(note.contains(".models has no Itm; Item is there"), "{note}");
    }

    #[test]
    fn imports_that_hold_are_not_spoken_of() {
        let world = world();
        for good in [
            "from .models import Item, find_item",
            "from app import models",
            "import os, json",
            "import requests",
            "from . import models as m",
        ] {
            assert_eq!(after(&world, "app/views.py", good), None, "{good}");
        }
    }

    #[test]
    fn a_broken_import_is_told_once() {
        let world = world();
        assert!(after(&world, "app/views.py", "from .model import Item").is_some());
        let input = json!({ "file_path": world.path("app/views.py"), "old_string": "x", "new_string": "from .model import Item" });
        assert!(world.ask(&CheckImports, EventKind::PostToolUse, "Edit", input).is_silent());
    }

    #[test]
    fn a_name_that_nothing_behind_an_index_has_is_told() {
        let world = World::new(&[
            ("package.json", r#"{"private": true, "workspaces": ["packages/*"]}"#),
            ("packages/core/package.json", r#"{"name": "@acme/core", "main": "src/index.ts"}"#),
            ("packages/core/src/index.ts", "export * from './math';\nexport * from './text';\n"),
            (
                "packages/core/src/math.ts",
                "export function add(a: number, b: number) {\n  return a + b;\n}\n",
            ),
            ("packages/core/src/text.ts", "export * from './more';\nexport const trim = (a: string) => a;\n"),
            ("packages/core/src/more.ts", "export const upper = (a: string) => a;\n"),
            (
                "packages/app/package.json",
                r#"{"name": "@acme/app", "dependencies": {"@acme/core": "1", "lodash": "4"}}"#,
            ),
            ("packages/app/src/main.ts", "export const x = 1;\n"),
        ]);
        let main = "packages/app/src/main.ts";
        let note = after(&world, main, "import { addd } from '@acme/core'").unwrap();
        assert!(note.contains("@acme/core has no addd; add is"), "{note}");
        for good in ["import { add, trim, upper } from '@acme/core'", "import { x } from 'lodash'"] {
            assert_eq!(after(&world, main, good), None, "{good}");
        }
        world.write("packages/core/src/text.ts", "export * from 'lodash';\n");
        assert_eq!(after(&world, main, "import { adddd } from '@acme/core'"), None, "nobody here knows");
    }

    #[test]
    fn a_rust_path_is_told_by_the_first_of_it_that_is_not_there() {
        let world = World::new(&[
            ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
            ("src/lib.rs", "pub mod bb;\npub mod views;\n"),
            ("src/bb.rs", "pub fn food() {}\npub mod inner {\n    pub fn deep() {}\n}\n"),
            ("src/views.rs", "pub fn x() {}\n"),
        ]);
        let note = after(&world, "src/views.rs", "use crate::aa::foo;").unwrap();
        assert!(note.contains("there is no module crate::aa") && !note.contains("has no foo"), "{note}");
        let note = after(&world, "src/views.rs", "use crate::bb::fooo;").unwrap();
        assert!(note.contains("crate::bb has no fooo; food is there"), "{note}");
        assert_eq!(after(&world, "src/views.rs", "use crate::bb::inner::deep;"), None);
    }
}
