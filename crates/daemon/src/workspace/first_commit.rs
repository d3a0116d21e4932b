//! Asks git for the first commit of a repository: what all its clones share, wherever they lie. Off the path of
//! an event, one question at a time and none for longer than [`PATIENCE`]; an event takes what is known by then.
//!
//! It can only be too narrow. A shallow clone, a repository without commits and a machine without git have no
//! first commit and stay projects of their own. Of several roots (histories that were merged) the one behind the
//! first parents counts: it stays the same when another project's history is merged in.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A million commits are walked in less on a laptop; past it the repository lies on a disk that is not answering.
const PATIENCE: Duration = Duration::from_secs(10);
/// How soon the answer is looked for: git needs milliseconds for most repositories.
const LOOK: Duration = Duration::from_millis(5);
/// A repository without an answer is asked again after this: its first commit is made, its history is fetched.
const ASK_AGAIN: Duration = Duration::from_mins(5);
/// Repositories in use on one machine; past it the answers are asked for anew.
const MAX_KNOWN: usize = 1024;
/// One hash and a line feed; SHA-256 repositories have the longer one.
const MAX_ANSWER: u64 = 256;
const HASH_DIGITS: [usize; 2] = [40, 64];

/// First commits by project key.
#[derive(Debug, Clone, Default)]
pub(crate) struct FirstCommits {
    known: Arc<Mutex<HashMap<String, Known>>>,
    asking: Arc<AtomicBool>,
}

#[derive(Debug, Clone)]
struct Known {
    asked: Instant,
    commit: Option<String>,
}

impl FirstCommits {
    pub(crate) fn known(&self, project_key: &str) -> Option<String> {
        self.lock().get(project_key).and_then(|known| known.commit.clone())
    }

    /// Sees to it that the answer will be known. Returns at once; while another repository is being asked the
    /// question is dropped, and the next event there repeats it.
    pub(crate) fn look_up(&self, project_key: &str, common_dir: PathBuf) {
        let settled = self
            .lock()
            .get(project_key)
            .is_some_and(|known| known.commit.is_some() || known.asked.elapsed() < ASK_AGAIN);
        if settled || self.asking.swap(true, Ordering::AcqRel) {
            return;
        }
        let (here, key) = (self.clone(), project_key.to_owned());
        let started = thread::Builder::new().name("first-commit".to_owned()).spawn(move || {
            let _turn = Turn(Arc::clone(&here.asking));
            let known = Known { asked: Instant::now(), commit: ask(&common_dir) };
            let mut all = here.lock();
            if all.len() >= MAX_KNOWN {
                all.clear();
            }
            all.insert(key, known);
        });
        if started.is_err() {
            self.asking.store(false, Ordering::Release);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Given back however the question ends.
struct Turn(Arc<AtomicBool>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Blocks for [`PATIENCE`] at most. `None`: there is none, or nobody could say.
pub(crate) fn ask(common_dir: &Path) -> Option<String> {
    // A shallow history ends at a commit that is nobody's first.
    if common_dir.join("shallow").exists() {
        return None;
    }
    let until = Instant::now() + PATIENCE;
    // What the remote calls its main line is the same in every clone, whatever is checked out in this one.
    ["refs/remotes/origin/HEAD", "HEAD"].iter().find_map(|tip| walk(common_dir, tip, until))
}

fn walk(common_dir: &Path, tip: &str, until: Instant) -> Option<String> {
    let mut git = Command::new("git");
    // The repository is a stranger's: it may not fetch, not replace objects and not be led elsewhere by our
    // environment. `safe.directory` is read from the home folder.
    git.env_clear()
        .envs(["PATH", "HOME"].iter().filter_map(|name| Some((*name, std::env::var_os(name)?))))
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .arg("--git-dir")
        .arg(common_dir)
        .args(["rev-list", "--first-parent", "--max-parents=0", tip, "--"])
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = git.spawn().ok()?;
    let done = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if Instant::now() < until => thread::sleep(LOOK),
            _ => {
                // Both fail only when it has ended by itself.
                let _ = child.kill();
                let _ = child.wait();
                break false;
            }
        }
    };
    let mut answer = String::new();
    child.stdout.take()?.take(MAX_ANSWER).read_to_string(&mut answer).ok()?;
    let hash = answer.trim();
    let is_hash = HASH_DIGITS.contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    (done && is_hash).then(|| hash.to_owned())
}
