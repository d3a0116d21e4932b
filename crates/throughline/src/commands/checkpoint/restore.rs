//! Brings files back, after showing what changes; keeps the present as a checkpoint of its own first.

use std::io::{self, IsTerminal, Write};

use checkpoint::{Change, Left, Limits, Mode, New, Plan, Repository, Restored, Scope};
use clap::Args;
use model::Deed;
use serde_json::{Value, json};

use super::super::reader;
use super::Found;
use crate::report::{Failure, hint};
use crate::world::World;
use crate::{print, when};

/// Lines a person reads before they say yes.
const SHOWN: usize = 30;

#[derive(Debug, Args)]
#[command(after_help = "\
The files are as they were at the checkpoint: what was changed since is changed back, what was deleted since is there \
again, and what was made since is removed. What git ignores is left alone. HEAD and branches never move: after commits \
the difference shows up as uncommitted changes. The index is not touched; with --index, what was staged then is staged \
again, if HEAD is where it was.

First the present is kept as a checkpoint of its own, and its id is printed: restoring that one undoes this. A file \
that cannot be kept (over 50 MB, unreadable) is neither overwritten nor removed. In the middle of a merge or a rebase \
nothing is done, unless --force is given.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag a person types")]
pub(crate) struct Restore {
    /// Its id, or the beginning of it
    id: String,
    /// Only the files that had uncommitted changes at the time; what else came since stays
    #[arg(long)]
    only_changed: bool,
    /// Stage again what was staged then
    #[arg(long)]
    index: bool,
    /// Also in the middle of a merge or a rebase
    #[arg(long)]
    force: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// One JSON object; without --yes it says what would change, and nothing is done
    #[arg(long)]
    json: bool,
}

impl Restore {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let wanted = self.wanted(world)?;
        if wanted.is_there_already() {
            return self.tell_nothing(&wanted.plan);
        }
        if self.json && !self.yes {
            return print::json(&plan_json(&wanted.plan));
        }
        if !self.yes && !is_confirmed(&wanted.plan)? {
            return print::line("nothing was changed");
        }
        let (restored, recorded) = wanted.restore(world)?;
        if self.json {
            return print::json(&done_json(&wanted.found.id, &restored));
        }
        tell(&wanted.found.id, &restored, recorded)
    }

    fn wanted(&self, world: &World) -> anyhow::Result<Wanted> {
        let scope = if self.only_changed { Scope::Dirty } else { Scope::Everything };
        Wanted::find(world, &self.id, Mode { scope, force: self.force, index: self.index })
    }

    fn tell_nothing(&self, plan: &Plan) -> anyhow::Result<()> {
        if self.json {
            return print::json(&plan_json(plan));
        }
        print::line("all files are as they were then already")?;
        print::text(&left_text(&plan.left))
    }
}

/// Without `confirm`, what would change; nothing is done by force.
pub(super) fn to_json(world: &World, id: &str, scope: Scope, confirm: bool) -> anyhow::Result<Value> {
    let wanted = Wanted::find(world, id, Mode { scope, force: false, index: false })?;
    if wanted.is_there_already() || !confirm {
        return Ok(plan_json(&wanted.plan));
    }
    let (restored, _) = wanted.restore(world)?;
    Ok(done_json(&wanted.found.id, &restored))
}

/// A checkpoint, and what it would change here.
struct Wanted {
    repository: Repository,
    found: Found,
    mode: Mode,
    plan: Plan,
}

impl Wanted {
    fn find(world: &World, id: &str, mode: Mode) -> anyhow::Result<Self> {
        let here = super::look(&world.cwd)?;
        let tables = reader::tables(world).ok();
        let found = super::find(tables.as_ref(), here.as_ref().ok(), id)?;
        let repository = place_of(&found, here)?;
        let plan = repository.plan(&found.id, mode).map_err(super::explain)?;
        Ok(Self { repository, found, mode, plan })
    }

    fn is_there_already(&self) -> bool {
        self.plan.changes.is_empty() && !self.plan.restores_index
    }

    /// What was done, and whether the checkpoint to undo it is recorded.
    fn restore(&self, world: &World) -> anyhow::Result<(Restored, anyhow::Result<()>)> {
        let safety = super::new_id();
        let message = format!("before restoring {}", self.found.id);
        let new = New { id: &safety, message: &message, at: when::now(), limits: Limits::BY_HAND };
        let restored = self.repository.restore(&self.found.id, self.mode, &new).map_err(super::explain)?;
        let recorded = record(world, &new, &restored);
        Ok((restored, recorded))
    }
}

/// The work tree that a checkpoint is of, if this is it.
pub(super) fn place_of(found: &Found, here: Result<Repository, &'static str>) -> anyhow::Result<Repository> {
    holds_files(found)?;
    let repository = here.map_err(|why| {
        let next =
            format!("go to the folder it was made in; `throughline checkpoint show {}` names it", found.id);
        hint(Failure::Person, why, next)
    })?;
    is_here(found, &repository)?;
    Ok(repository)
}

/// One that was made outside of a repository is a record alone.
fn holds_files(found: &Found) -> anyhow::Result<()> {
    if found.record.as_ref().is_none_or(|record| record.reference.is_some()) {
        return Ok(());
    }
    let what = format!("checkpoint {} holds no files: it was made outside of a repository", found.id);
    let next = format!("`throughline checkpoint show {}` shows what it does hold", found.id);
    Err(hint(Failure::Person, what, next))
}

/// In a work tree that is not its own, everything there would be taken for made since.
fn is_here(found: &Found, repository: &Repository) -> anyhow::Result<()> {
    let Some(record) = &found.record else { return Ok(()) };
    let top = repository.top().to_string_lossy();
    if record.root == top {
        return Ok(());
    }
    let what = format!("checkpoint {} is of {}", found.id, print::one_line(&record.root, 200));
    Err(hint(Failure::Person, what, "go there and run it again"))
}

fn is_confirmed(plan: &Plan) -> anyhow::Result<bool> {
    for change in plan.changes.iter().take(SHOWN) {
        let path = print::one_line(&change.path.to_string_lossy(), 160);
        print::line(&format!("{:<10} {path}", change.kind.name()))?;
    }
    if plan.changes.len() > SHOWN {
        print::line(&format!("and {} more", plan.changes.len() - SHOWN))?;
    }
    if plan.restores_index {
        print::line("what was staged then is staged again")?;
    }
    print::text(&left_text(&plan.left))?;
    if !io::stdin().is_terminal() {
        let next = "add --yes to restore without being asked";
        return Err(hint(Failure::Person, "there is no terminal to ask on", next));
    }
    let mut out = io::stdout().lock();
    out.write_all(b"Restore this? How it is now is kept first. [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// The safety checkpoint is listed like any other. Without a daemon git alone has it, which is enough to undo.
fn record(world: &World, new: &New<'_>, restored: &Restored) -> anyhow::Result<()> {
    let Some(safety) = &restored.safety else { return Ok(()) };
    let place = daemon::resolve_workspace(&world.cwd);
    let record = model::Checkpoint {
        at: new.at,
        workspace: Some(place.key),
        project: Some(place.project),
        root: place.root,
        message: Some(new.message.to_owned()),
        ..daemon::checkpoint_record(new.id, Some(safety))
    };
    reader::send(world, &[Deed::Checkpoint { checkpoint: Box::new(record) }])?;
    Ok(())
}

fn tell(id: &str, restored: &Restored, recorded: anyhow::Result<()>) -> anyhow::Result<()> {
    let files = print::count(restored.changed.len() as u64, "file is", "files are");
    print::line(&format!("{files} as at checkpoint {id}"))?;
    if restored.index_restored {
        print::line("what was staged then is staged again")?;
    }
    print::text(&left_text(&restored.left))?;
    if restored.head_then != restored.head_now {
        let then = restored.head_then.as_deref().unwrap_or("before the first commit");
        let next = format!("HEAD was at {then} then and stays where it is");
        print::line(&next)?;
    }
    if let Some(safety) = &restored.safety {
        print::line(&format!("to undo: throughline checkpoint restore {}", safety.id))?;
    }
    if let Err(error) = recorded {
        print::remark(&format!("the checkpoint to undo it is in git alone: {error}"));
    }
    Ok(())
}

fn plan_json(plan: &Plan) -> Value {
    json!({
        "restored": null,
        "would_change": plan.changes.iter().map(change_json).collect::<Vec<_>>(),
        "left": plan.left.iter().map(left_json).collect::<Vec<_>>(),
        "would_restore_index": plan.restores_index,
        "head_then": plan.head_then,
        "head_now": plan.head_now,
        "in_progress": plan.in_progress.map(checkpoint::Operation::name),
        "safety": null,
    })
}

fn done_json(id: &str, restored: &Restored) -> Value {
    json!({
        "restored": id,
        "changed": restored.changed.iter().map(change_json).collect::<Vec<_>>(),
        "left": restored.left.iter().map(left_json).collect::<Vec<_>>(),
        "index_restored": restored.index_restored,
        "head_then": restored.head_then,
        "head_now": restored.head_now,
        "safety": restored.safety.as_ref().map(|safety| &safety.id),
    })
}

fn change_json(change: &Change) -> Value {
    json!({ "path": change.path.to_string_lossy(), "what": change.kind.name() })
}

fn left_json(left: &Left) -> Value {
    json!({ "path": left.path.to_string_lossy(), "why": left.why.name() })
}

fn left_text(left: &[Left]) -> String {
    let lines = left.iter().take(SHOWN).map(|left| {
        let path = print::one_line(&left.path.to_string_lossy(), 160);
        format!("{:<10} {path} ({})\n", "left", left.why.name())
    });
    let more = left.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!("and {more} more are left\n") };
    lines.chain([more]).collect()
}
