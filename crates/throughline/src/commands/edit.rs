//! Changes what a memory says, or how much it matters.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::Command as Process;

use clap::Args;
use model::Deed;
use serde_json::json;
use store::MemoryRow;

use super::{reader, remember};
use crate::print;
use crate::report::{Failure, hint};
use crate::world::World;

#[derive(Debug, Args)]
#[command(
    after_help = "Without options it opens your editor, which needs a terminal.\nExample: throughline edit 0k3v7m2n --pin"
)]
pub(crate) struct Edit {
    /// The memory's id, or a unique beginning of it
    id: String,
    #[arg(long)]
    title: Option<String>,
    /// The new text; `-` reads it from stdin
    #[arg(long)]
    text: Option<String>,
    /// Whether every session should know it
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    critical: Option<bool>,
    /// Never drop it to make room
    #[arg(long)]
    pin: bool,
    /// It may be dropped to make room
    #[arg(long, conflicts_with = "pin")]
    unpin: bool,
    /// One JSON object: the memory as it is now
    #[arg(long)]
    json: bool,
}

impl Edit {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        let row = reader::memory(&reader::tables(world)?, &self.id)?;
        let asked_for = self.title.is_some() || self.text.is_some() || self.critical.is_some();
        let (title, text) = if asked_for || self.pin || self.unpin {
            let text =
                if self.text.as_deref() == Some("-") { Some(remember::from_stdin()?) } else { self.text };
            (self.title, text)
        } else {
            in_editor(world, &row)?
        };
        let title = title.map(|title| title.trim().to_owned()).filter(|title| *title != row.memory.title);
        if title.as_deref() == Some("") {
            return Err(hint(Failure::Person, "a memory needs a title", "give one, or leave it as it is"));
        }
        let text = text.map(|text| remember::clean(world, text.trim())).transpose()?;
        let text = text.filter(|text| *text != row.memory.text);
        let critical = self.critical.filter(|critical| *critical != row.memory.critical);
        let pinned = (self.pin || self.unpin).then_some(self.pin).filter(|pin| *pin != row.memory.pinned);
        let id = row.memory.id;
        let changes = title.is_some() || text.is_some() || critical.is_some() || pinned.is_some();
        if changes {
            reader::send(world, &[Deed::Edit { id, title, text, critical, pinned }])?;
        }
        if self.json {
            let row = reader::memory(&reader::tables(world)?, &id.to_string())?;
            return print::json(&json!({ "changed": changes, "memory": row }));
        }
        print::line(&if changes { format!("{id} is changed") } else { "nothing was changed".to_owned() })
    }
}

/// Title and text as the person leaves them.
fn in_editor(world: &World, row: &MemoryRow) -> anyhow::Result<(Option<String>, Option<String>)> {
    if !io::stdin().is_terminal() {
        let next = "give the new text with --text, or with `--text -` on stdin; `throughline edit --help` has the rest";
        return Err(hint(Failure::Person, "there is no terminal for an editor", next));
    }
    let draft = Draft::write(world, &format!("# {}\n\n{}\n", row.memory.title, row.memory.text))?;
    let editor = World::editor();
    // Through a shell, as others do: the variable may hold options.
    let mut script = editor.clone();
    script.push(" \"$1\"");
    let ended = Process::new("sh").arg("-c").arg(script).arg("sh").arg(&draft.0).status()?;
    if !ended.success() {
        let what = format!("{} ended with an error, nothing was changed", editor.to_string_lossy());
        return Err(hint(Failure::Person, what, "name your editor in EDITOR, or use --title and --text"));
    }
    Ok(parts(&String::from_utf8_lossy(&fs::read(&draft.0)?)))
}

/// The first line is the title if it is still marked as one.
fn parts(draft: &str) -> (Option<String>, Option<String>) {
    let (first, rest) = draft.split_once('\n').unwrap_or((draft, ""));
    match first.strip_prefix("# ") {
        Some(title) => (Some(title.trim().to_owned()), Some(rest.trim().to_owned())),
        None => (None, Some(draft.trim().to_owned())),
    }
}

/// A file for one person alone that is gone when the editing is over.
struct Draft(PathBuf);

impl Draft {
    fn write(world: &World, text: &str) -> anyhow::Result<Self> {
        let draft = Self(world.place.run().join(format!("edit-{}.md", std::process::id())));
        let mut file = fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(&draft.0)?;
        file.write_all(text.as_bytes())?;
        Ok(draft)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Gone already is as good.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_reads_back_with_and_without_its_title() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(parts("# Use uv\n\nAlways.\nReally.\n"), (some("Use uv"), some("Always.\nReally.")));
        assert_eq!(parts("Always.\n"), (None, some("Always.")));
        assert_eq!(parts(""), (None, some("")));
    }
}
