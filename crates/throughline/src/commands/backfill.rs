//! Takes in the sessions that ran before we were there, from the transcripts their agent has left. The daemon does
//! the work; it may be stopped at any moment and begun again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use model::MemoryKind;
use serde_json::{Value, json};
use store::MemoryFilter;
use store::archive::{TranscriptFile, find_transcripts};

use super::reader;
use crate::report::{Failure, hint};
use crate::world::World;
use crate::{print, progress};

/// The agent whose transcripts are read, and where it keeps them in its folder.
const AGENT: &str = "claude-code";
const TRANSCRIPTS: &str = "projects";
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
    /// Only sessions that ran in this folder
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
        let folder = transcripts(world)?;
        let files = self.files(&folder, world);
        let bytes = files.iter().map(|file| file.bytes).sum::<u64>();
        if files.is_empty() || self.dry_run {
            return self.tell_files(&folder, &files, bytes);
        }
        let paths: Vec<&Path> =
            files.iter().map(|file| file.path.as_path()).filter(|path| path.to_str().is_some()).collect();
        reader::start(world)?;
        let before = count_memories(world);
        let stopped = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&stopped))?;
        let begun = Instant::now();
        let started =
            reader::answer(world, &json!({ "ask": "backfill", "agent": AGENT, "paths": paths }), ANSWER)?;
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
    fn files(&self, folder: &Path, world: &World) -> Vec<TranscriptFile> {
        let mut files = find_transcripts(folder);
        if let Some(project) = &self.project {
            let path = world.cwd.join(project);
            let path = std::fs::canonicalize(&path).unwrap_or(path);
            let wanted = slug(&path);
            files.retain(|file| {
                file.project == wanted || (wanted.len() >= MAX_SLUG && file.project.starts_with(&wanted))
            });
        }
        files
    }

    fn tell_files(&self, folder: &Path, files: &[TranscriptFile], bytes: u64) -> anyhow::Result<()> {
        if self.json {
            return print::json(&json!({ "files": files.len(), "bytes": bytes, "folder": folder }));
        }
        if files.is_empty() {
            return print::line(&format!("no transcript lies in {}", folder.display()));
        }
        let mut projects: Vec<&str> = files.iter().map(|file| file.project.as_str()).collect();
        projects.sort_unstable();
        projects.dedup();
        print::line(&format!(
            "{} of {}, {}",
            print::count(files.len() as u64, "transcript", "transcripts"),
            print::count(projects.len() as u64, "project", "projects"),
            print::bytes(bytes)
        ))
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

/// Where the agent keeps its transcripts.
fn transcripts(world: &World) -> anyhow::Result<PathBuf> {
    let adapter = agents::by_name(AGENT).expect("the agent is in the list");
    let folder = world.agent_home(adapter.home())?.join(TRANSCRIPTS);
    if folder.is_dir() {
        return Ok(folder);
    }
    let what = format!("{} is no folder", folder.display());
    let variable = adapter.home().variable;
    Err(hint(Failure::Person, what, format!("name the agent's folder in {variable}, if it is another")))
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

/// All but the pieces of conversations, which come later and in the daemon's own time.
fn count_memories(world: &World) -> u64 {
    let kinds = MemoryKind::ALL.iter().copied().filter(|kind| *kind != MemoryKind::Chunk).collect();
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
