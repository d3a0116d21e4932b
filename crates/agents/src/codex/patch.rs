//! The text of `apply_patch`: which files it adds, deletes, moves and changes, and how. Forgiving: a line that is
//! none of its grammar is passed over, since the agent's own parser has the last word on whether it applies.

use serde_json::{Value, json};

/// A patch of more files is a generated one; its first files say as much as all of them.
const MAX_FILES: usize = 64;
/// Places of one file that are told apart. What comes after them is part of the last.
const MAX_HUNKS: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: String,
    pub(crate) what: Changed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Changed {
    Added { content: String },
    Deleted,
    Updated { moved_to: Option<String>, hunks: Vec<Hunk> },
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Hunk {
    pub(crate) old: String,
    pub(crate) new: String,
}

/// In the order of the patch.
pub(crate) fn changes(patch: &str) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for line in patch.lines() {
        if let Some(change) = header(line) {
            if changes.len() == MAX_FILES {
                break;
            }
            changes.push(change);
        } else if let Some(change) = changes.last_mut() {
            body(&mut change.what, line);
        }
    }
    changes
}

impl Change {
    /// As Write or Edit would have been called, in the words of the house.
    pub(crate) fn call(&self, file_path: &str) -> (&'static str, Value) {
        match &self.what {
            Changed::Added { content } => ("Write", json!({ "file_path": file_path, "content": content })),
            Changed::Deleted => (
                "Edit",
                json!({ "file_path": file_path, "old_string": "", "new_string": "", "deleted": true }),
            ),
            Changed::Updated { moved_to, hunks } => {
                let mut input = match hunks.as_slice() {
                    [only] => {
                        json!({ "file_path": file_path, "old_string": only.old, "new_string": only.new })
                    }
                    several => {
                        let edits: Vec<Value> = several
                            .iter()
                            .map(|hunk| json!({ "old_string": hunk.old, "new_string": hunk.new }))
                            .collect();
                        json!({ "file_path": file_path, "edits": edits })
                    }
                };
                if let Some(moved_to) = moved_to {
                    input["moved_to"] = json!(moved_to);
                }
                ("Edit", input)
            }
        }
    }
}

fn header(line: &str) -> Option<Change> {
    let rest = line.strip_prefix("*** ")?;
    let (path, what) = if let Some(path) = rest.strip_prefix("Add File: ") {
        (path, Changed::Added { content: String::new() })
    } else if let Some(path) = rest.strip_prefix("Delete File: ") {
        (path, Changed::Deleted)
    } else {
        (rest.strip_prefix("Update File: ")?, Changed::Updated { moved_to: None, hunks: Vec::new() })
    };
    Some(Change { path: path.trim().to_owned(), what })
}

fn body(what: &mut Changed, line: &str) {
    match what {
        Changed::Added { content } => {
            if let Some(text) = line.strip_prefix('+') {
                content.push_str(text);
                content.push('\n');
            }
        }
        Changed::Deleted => {}
        Changed::Updated { moved_to, hunks } => {
            if let Some(path) = line.strip_prefix("*** Move to: ") {
                *moved_to = Some(path.trim().to_owned());
            } else if line.starts_with("@@") {
                if hunks.len() < MAX_HUNKS {
                    hunks.push(Hunk::default());
                }
            } else if !line.starts_with("*** ") {
                if hunks.is_empty() {
                    hunks.push(Hunk::default());
                }
                let hunk = hunks.last_mut().expect("one was pushed");
                let (text, is_old, is_new) = match line.as_bytes().first() {
                    Some(b'-') => (&line[1..], true, false),
                    Some(b'+') => (&line[1..], false, true),
                    Some(b' ') => (&line[1..], true, true),
                    _ => (line, true, true),
                };
                for (side, belongs) in [(&mut hunk.old, is_old), (&mut hunk.new, is_new)] {
                    if belongs {
                        side.push_str(text);
                        side.push('\n');
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_told_file_by_file() {
        let patch = "*** Begin Patch\n*** Update File: src/a.py\n*** Move to: src/b.py\n@@ def parse():\n keep\n-old\n+new\n@@\n+last\n*** Add File: notes/why.md\n+One.\n+\n+Two.\n*** Delete File: gone.py\n*** End Patch\n";
        let found = changes(patch);
        let paths: Vec<&str> = found.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, ["src/a.py", "notes/why.md", "gone.py"]);
        let Changed::Updated { moved_to, hunks } = &found[0].what else { panic!("{found:?}") };
        assert_eq!(moved_to.as_deref(), Some("src/b.py"));
        assert_eq!(hunks[0], Hunk { old: "keep\nold\n".into(), new: "keep\nnew\n".into() });
        assert_eq!(hunks[1], Hunk { old: String::new(), new: "last\n".into() });
        assert_eq!(found[1].what, Changed::Added { content: "One.\n\nTwo.\n".into() });
        assert_eq!(found[2].what, Changed::Deleted);
    }

    #[test]
    fn what_is_no_patch_changes_nothing() {
        for text in ["", "hello", "+added to nothing", "*** End Patch"] {
            assert_eq!(changes(text), [], "{text}");
        }
        assert_eq!(changes(&"*** Delete File: a\n".repeat(1000)).len(), MAX_FILES);
    }
}
