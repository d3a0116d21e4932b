//! Says what the functions take that an edit newly calls, before it is written. Only what this conversation has not read
//! as it is, and each once.

use std::collections::HashSet;
use std::path::Path;

use model::{Advice, Detail, Event, EventKind, Item, ToolCall};
use serde_json::Value;

use super::on_code::{self, EDITORS, File};
use crate::behavior::{Behavior, Context, Late};
use crate::desk::Lines;
use crate::page::one_line;
use crate::{Page, Result};

const TOKENS: u32 = 120;
/// Signatures of one edit; with more of them nobody reads any.
const MAX_SIGNATURES: usize = 5;

#[derive(Debug)]
pub(crate) struct ShowSignatures;

impl Behavior for ShowSignatures {
    fn name(&self) -> &'static str {
        "show-signatures"
    }

    fn manual(&self) -> &'static str {
        "Before an edit, says the signatures of the workspace's functions that the new text calls and the old one did not, \
         found through the file's imports and scopes. Silent about what this conversation has read as it is now, and about \
         what it was told."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PreToolUse]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn late(&self, _cx: &Context, _event: &Event) -> Late {
        // The call has been made by then; what it is about is as true beside its result.
        Late::Turn
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Detail::Tool(call) = &event.detail else { return Ok(Advice::silent()) };
        if !EDITORS.contains(&call.name.as_str()) {
            return Ok(Advice::silent());
        }
        let Some(file) = File::of(cx, event, call) else { return Ok(Advice::silent()) };
        let before = on_code::text(Path::new(&file.path)).unwrap_or_default();
        let Some(edit) = applied(call, &before) else { return Ok(Advice::silent()) };
        let called =
            on_code::map(cx, |atlas| atlas.would_call(&file.inside, &edit.text, &edit.lines, &edit.known));
        let root = cx.workspace.as_ref().map(|here| here.root.clone()).unwrap_or_default();
        let mut page = Page::new(TOKENS);
        page.heading("What this edit newly calls:");
        for item in called.unwrap_or_default() {
            if page.items() == MAX_SIGNATURES {
                break;
            }
            let path = Path::new(&root).join(&item.file);
            let Some(path) = path.to_str() else { continue };
            let text = format!("{}:{} {}", item.file, item.line, one_line(&item.signature, 160));
            // Lines it has read need not be said; nor what it is about to write itself.
            let read = item.file == file.inside
                && edit.lines.iter().any(|(from, to)| *from <= item.line && item.line <= *to)
                || on_code::text(Path::new(path)).is_some_and(|there| {
                    let lines = Lines { from: item.line, to: item.line };
                    on_code::desk(cx, event, |desk| desk.has_read(path, lines, on_code::content(&there)))
                        .unwrap_or(false)
                });
            let new = || {
                on_code::desk(cx, event, |desk| {
                    desk.tell(
                        format!("signature {}:{}", item.file, item.name),
                        on_code::content(&item.signature),
                    )
                })
            };
            if !read && page.fits(&text) && new().unwrap_or(false) {
                let why = format!("{} is called and was not read", item.name);
                page.item(
                    &text,
                    Item {
                        memory: None,
                        part: "signature".to_owned(),
                        title: item.name.clone(),
                        tokens: 0,
                        why,
                    },
                );
            }
        }
        Ok(Advice { notes: page.finish(self.name()).into_iter().collect(), ..Advice::silent() })
    }
}

/// A file as an edit would leave it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Applied {
    pub(super) text: String,
    /// The lines that are new.
    pub(super) lines: Vec<(u32, u32)>,
    /// Words of the text that is replaced: what it called is known.
    pub(super) known: HashSet<String>,
}

/// `None`: it cannot be told, or nothing would change.
pub(super) fn applied(call: &ToolCall, before: &str) -> Option<Applied> {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut edit = Applied { text: before.to_owned(), ..Applied::default() };
    match call.name.as_str() {
        "Write" => {
            edit.text = text(&call.input, "content")?;
            edit.known = words(before);
            edit.lines = vec![(1, u32::MAX)];
        }
        "Edit" => replace(&mut edit, &call.input)?,
        "MultiEdit" => {
            for one in call.input.get("edits")?.as_array()? {
                replace(&mut edit, one)?;
            }
        }
        _ => return None,
    }
    (edit.text.len() <= code::MAX_TEXT && edit.text != before).then_some(edit)
}

fn replace(edit: &mut Applied, one: &Value) -> Option<()> {
    let old = one.get("old_string")?.as_str()?;
    let new = one.get("new_string")?.as_str()?;
    let all = one.get("replace_all").and_then(Value::as_bool).unwrap_or(false);
    // An empty old text makes a new file.
    let at = if old.is_empty() { 0 } else { edit.text.find(old)? };
    let first = edit.text[..at].matches('\n').count() as u32 + 1;
    edit.lines.push((first, first + new.matches('\n').count() as u32));
    edit.known.extend(words(old));
    edit.text = match (old.is_empty(), all) {
        (true, _) => format!("{new}{}", edit.text),
        (false, true) => edit.text.replace(old, new),
        (false, false) => edit.text.replacen(old, new, 1),
    };
    Some(())
}

fn words(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    words
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$'))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use model::Outcome;
    use serde_json::json;

    use super::*;
    use crate::behaviors::MapReads;
    use crate::behaviors::on_code::world::World;

    fn world() -> World {
        World::new(&[
            ("app/__init__.py", ""),
            ("app/mail.py", "def send(to: str, subject: str, *, now: bool = False) -> None:\n    pass\n"),
            ("app/views.py", "from app.mail import send\n\n\ndef view(user):\n    user.save()\n"),
        ])
    }

    fn edit(world: &World) -> Option<String> {
        let path = world.path("app/views.py");
        let input = json!({ "file_path": path, "old_string": "    user.save()", "new_string": "    user.save()\n    send(user.mail, 'hi')" });
        world.before(&ShowSignatures, "Edit", input)
    }

    #[test]
    fn an_edit_hears_what_the_functions_take_that_it_newly_calls_once() {
        let world = world();
        let note = edit(&world).unwrap();
        assert!(
            note.contains("app/mail.py:1 def send(to: str, subject: str, *, now: bool = False) -> None"),
            "{note}"
        );
        assert!(model::estimate_tokens(&note) <= TOKENS);
        assert_eq!(edit(&world), None, "it has been said");
        let text = std::fs::read_to_string(world.path("app/views.py")).unwrap();
        assert!(!text.contains("send(user"), "nothing was written");
    }

    #[test]
    fn what_was_read_need_not_be_said() {
        let world = world();
        world.after(&MapReads, "Read", json!({ "file_path": world.path("app/mail.py") }), json!({}));
        assert_eq!(edit(&world), None);
    }

    fn call(name: &str, input: Value) -> ToolCall {
        ToolCall { name: name.into(), use_id: None, input, outcome: Outcome::Pending }
    }

    #[test]
    fn an_edit_is_applied_as_the_tool_would() {
        let before = "a\nold(1)\nb\n";
        let edit =
            applied(&call("Edit", json!({ "old_string": "old(1)", "new_string": "x(1)\ny(2)" })), before)
                .unwrap();
        assert_eq!(edit.text, "a\nx(1)\ny(2)\nb\n");
        assert_eq!(edit.lines, [(2, 3)]);
        assert!(edit.known.contains("old") && !edit.known.contains("x"));
        let many = call(
            "MultiEdit",
            json!({ "edits": [
            { "old_string": "a", "new_string": "c" }, { "old_string": "b", "new_string": "d\n" } ] }),
        );
        assert_eq!(applied(&many, before).unwrap().text, "c\nold(1)\nd\n\n");
        let all = call("Edit", json!({ "old_string": "\n", "new_string": ";", "replace_all": true }));
        assert_eq!(applied(&all, before).unwrap().text, "a;old(1);b;");
        for nothing in [
            call("Edit", json!({ "old_string": "zzz", "new_string": "x" })),
            call("Edit", json!({ "old_string": "a", "new_string": "a" })),
            call("Edit", json!({ "new_string": 7 })),
            call("Read", json!({})),
        ] {
            assert_eq!(applied(&nothing, before), None);
        }
        assert_eq!(
            applied(&call("Write", json!({ "content": "z" })), before).unwrap().lines,
            [(1, u32::MAX)]
        );
    }
}
