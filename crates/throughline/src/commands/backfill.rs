//! Takes in the sessions that ran before we were there, from the transcripts their agent has left. The daemon does
//! the work; it may be stopped at any moment and begun again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use daemon::{ConversationFile, find_conversations};
use model::MemoryKind;
use serde_json::{Value, json};
use store::MemoryFilter;

use super::conversations::Kept;
use super::reader;
use crate::report::{Failure, hint};
use crate::world::World;
use crate::{print, progress};

/// The agent that names the folders of its conversations after projects.
const BY_PROJECT: &str = "claude-code";
/// How often the daemon is asked how far it is.
const LOOK: Duration = Duration::from_millis(100);
const ANSWER: Duration = Duration::from_secs(10);
/// The agent shortens the names of folders beyond this.
const MAX_SLUG: usize = 200;

#[derive(Debug, Args)]
#[command(
    after_help = "It may be interrupted and begun again; nothing is taken in twice.\nExample: throughline backfill --project ."
)]
pub(crate) struct Backfill {
    /// The agent whose sessions they are
    #[arg(long, value_name = "NAME", default_value = "claude-code")]
    client: String,
    /// Where its conversations lie, if not where the agent puts them by itself
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Only sessions that ran in this folder (Claude Code)
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// The sessions of every project (the default)
    #[arg(long, conflicts_with = "project")]
    all: bool,
    /// Only say what would be read
    #[arg(long)]
    dry_run: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Backfill {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let kept = Kept::of(world, &self.client, self.folder.as_deref())?;
        let files = self.files(&kept, world)?;
        let bytes = files.iter().map(|file| file.bytes).sum::<u64>();
        if files.is_empty() || self.dry_run {
            return self.tell_files(&kept.folder, &files, bytes);
        }
        let paths: Vec<&Path> =
            files.iter().map(|file| file.path.as_path()).filter(|path| path.to_str().is_some()).collect();
        reader::start(world)?;
        let before = count_memories(world);
        let stopped = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&stopped))?;
        let begun = Instant::now();
        let started = reader::answer(
            world,
            &json!({ "ask": "backfill", "agent": kept.agent, "paths": paths }),
            ANSWER,
        )?;
        if started["started"] != true {
            print::remark("one is under way already; this is how far it is");
        }
        let status = watch(world, &stopped)?;
        let seconds = begun.elapsed().as_secs_f64();
        // The last of it is still being derived.
        let settled = !stopped.load(Ordering::SeqCst) && settle(world, &stopped);
        let memories = count_memories(world).saturating_sub(before);
        self.tell(&status, memories, seconds, settled)
    }

    /// Of all projects or of one, oldest first.
    fn files(&self, kept: &Kept, world: &World) -> anyhow::Result<Vec<ConversationFile>> {
        if !kept.folder.is_dir() {
            let what = format!("{} is no folder", kept.folder.display());
            let variable = kept.conversations.folder().variable;
            let step = format!("name it with --folder, or the agent's own folder in {variable}");
            return Err(hint(Failure::Person, what, step));
        }
        let mut files = find_conversations(&kept.folder, kept.conversations);
        if let Some(project) = &self.project {
            if kept.agent != BY_PROJECT {
                let what = format!("{} does not say which project a conversation is of", kept.agent);
                return Err(hint(Failure::Person, what, "leave --project out"));
            }
            let path = world.cwd.join(project);
            let path = std::fs::canonicalize(&path).unwrap_or(path);
            let wanted = slug(&path);
            files.retain(|file| {
                let project = project_of(file);
                project == wanted || (wanted.len() >= MAX_SLUG && project.starts_with(&wanted))
            });
        }
        Ok(files)
    }

    fn tell_files(&self, folder: &Path, files: &[ConversationFile], bytes: u64) -> anyhow::Result<()> {
        if self.json {
            return print::json(&json!({ "files": files.len(), "bytes": bytes, "folder": folder }));
        }
        if files.is_empty() {
            return print::line(&format!("no transcript lies in {}", folder.display()));
        }
        let mut projects: Vec<&str> = files.iter().map(project_of).collect();
        projects.sort_unstable();
        projects.dedup();
        let counted = print::count(files.len() as u64, "transcript", "transcripts");
        let bytes = print::bytes(bytes);
        if self.client != BY_PROJECT {
            return print::line(&format!("{counted}, {bytes}"));
        }
        let projects = print::count(projects.len() as u64, "project", "projects");
        print::line(&format!("{counted} of {projects}, {bytes}"))
    }

    fn tell(&self, status: &Value, memories: u64, seconds: f64, settled: bool) -> anyhow::Result<()> {
        let number = |name: &str| status[name].as_u64().unwrap_or_default();
        if self.json {
            return print::json(&json!({
                "files": number("files_done"),
                "bytes": number("bytes_done"),
                "events": number("events"),
                "already_known": number("already_known"),
                "memories": memories,
                "seconds": seconds,
                "complete": number("files_done") == number("files"),
                "troubles": status["troubles"],
            }));
        }
        let speed = number("bytes_done") as f64 / seconds.max(0.001);
        print::line(&format!(
            "{} read, {} in {seconds:.1} s ({}/s)",
            print::count(number("files_done"), "transcript", "transcripts"),
            print::bytes(number("bytes_done")),
            print::bytes(speed as u64)
        ))?;
        print::line(&format!(
            "{} new, {} known already, {}",
            print::count(number("events"), "event", "events"),
            number("already_known"),
            print::count(memories, "new memory", "new memories")
        ))?;
        for trouble in status["troubles"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            print::line(&format!("  not read: {}", print::one_line(trouble, 300)))?;
        }
        if number("files_done") < number("files") {
            print::line("stopped before the end; `throughline backfill` goes on where it was")?;
        } else if !settled {
            print::line(
                "the last of it is still being derived; `throughline daemon status` says how far it is",
            )?;
        }
        Ok(())
    }
}

/// The folder below the agent's that it is in.
fn project_of(file: &ConversationFile) -> &str {
    file.relative.split_once('/').map_or("", |(project, _)| project)
}

/// The name the agent gives a folder. It counts in UTF-16.
fn slug(path: &Path) -> String {
    let letters = path.to_string_lossy().encode_utf16().take(MAX_SLUG).collect::<Vec<_>>();
    let plain = |unit: &u16| u8::try_from(*unit).ok().filter(u8::is_ascii_alphanumeric).unwrap_or(b'-');
    letters.iter().map(|unit| char::from(plain(unit))).collect()
}

/// Follows it to its end, or stops it when the person wants that.
fn watch(world: &World, stopped: &AtomicBool) -> anyhow::Result<Value> {
    let ask = |name: &str| reader::answer(world, &json!({ "ask": name }), ANSWER);
    let mut status = ask("backfill-status")?;
    let bar = progress::bytes("reading", status["bytes"].as_u64().unwrap_or_default());
    let mut told = false;
    while status["running"] == true {
        if stopped.load(Ordering::SeqCst) && !told {
            ask("backfill-stop")?;
            told = true;
        }
        bar.set_position(status["bytes_done"].as_u64().unwrap_or_default());
        thread::sleep(LOOK);
        status = ask("backfill-status")?;
    }
    bar.finish_and_clear();
    Ok(status)
}

/// Waits while the tables grow. False: it takes longer than anybody wants to wait, or nobody waits any more.
fn settle(world: &World, stopped: &AtomicBool) -> bool {
    /// A gigabyte of transcripts is derived in this.
    const PATIENCE: Duration = Duration::from_mins(10);
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until && !stopped.load(Ordering::SeqCst) {
        if reader::settle(world).is_ok() {
            return true;
        }
    }
    false
}

/// What came of turns: their requests, talk and summaries would count each of them again.
fn count_memories(world: &World) -> u64 {
    use MemoryKind::{Chunk, Prompt, Summary};
    let kinds =
        MemoryKind::ALL.iter().copied().filter(|kind| !matches!(kind, Chunk | Prompt | Summary)).collect();
    let filter = MemoryFilter { kinds, ..MemoryFilter::default() };
    let counted = reader::tables(world).ok().and_then(|tables| tables.numbers(&filter).ok().flatten());
    counted.map_or(0, |numbers| numbers.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_as_the_agent_names_it() {
        assert_eq!(slug(Path::new("/home/me/my.project_1")), "-home-me-my-project-1");
        assert_eq!(slug(Path::new("/é🦀")), "----");
        assert_eq!(slug(Path::new(&"/x".repeat(500))).len(), MAX_SLUG);
    }
}
