//! A world of its own for each test: a home, the executables beside each other, an environment that is empty but
//! for what the test says.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use client::Place;
use client::spool::{Spool, Spooled};
use model::Envelope;
use tempfile::TempDir;

/// What a loaded machine may add to a deadline. A hook that hangs exceeds it by far.
pub(crate) const SLACK: Duration = Duration::from_secs(5);

/// For what must come: only a test that fails waits so long.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Private text: it must reach no disk, however the envelope gets there.
pub(crate) const CANARY: &str = "canary-5f1d7c";

/// The three executables that speak the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Plain,
    Raw,
    /// `throughline hook`, the library's twin.
    Twin,
}

impl Form {
    pub(crate) fn all() -> Vec<Self> {
        let mut forms = vec![Self::Plain, Self::Twin];
        if raw_hook().is_some() {
            forms.push(Self::Raw);
        }
        forms
    }
}

pub(crate) struct House {
    root: TempDir,
    pub(crate) form: Form,
    pub(crate) place: Place,
}

impl House {
    pub(crate) fn new(form: Form) -> Self {
        Self::with_home(form, "home")
    }

    pub(crate) fn with_home(form: Form, home: &str) -> Self {
        let root = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let place = Place { data: root.path().join(home).join("default") };
        place.ensure().unwrap();
        let bin = root.path().join("bin");
        fs::create_dir(&bin).unwrap();
        // Links, because a copy may still be open for writing in a child that another thread is just starting.
        fs::hard_link(stand_in(), bin.join("throughline")).unwrap();
        let hook = match form {
            Form::Plain | Form::Twin => PathBuf::from(env!("CARGO_BIN_EXE_throughline-hook")),
            Form::Raw => raw_hook().unwrap().to_owned(),
        };
        fs::hard_link(hook, bin.join("throughline-hook")).unwrap();
        Self { root, form, place }
    }

    /// A hook about to be started, with `event` on its command line and piped ends.
    pub(crate) fn hook(&self, event: &str) -> Command {
        let bin = self.root.path().join("bin");
        let mut command = match self.form {
            Form::Twin => {
                let mut command = Command::new(bin.join("throughline"));
                command.arg("hook");
                command
            }
            Form::Plain | Form::Raw => Command::new(bin.join("throughline-hook")),
        };
        command.env_clear();
        command.env("THROUGHLINE_HOME", self.place.data.parent().unwrap());
        command.env("CLAUDE_PID", "42").env("CLAUDE_CODE_MESSAGING_TOKEN", "not for us");
        if !event.is_empty() {
            command.arg(event);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a hook to its end.
    pub(crate) fn call(&self, event: &str, body: &[u8]) -> Outcome {
        run(self.hook(event), body)
    }

    /// What lies in the spool, checked for what must hold of everything there.
    pub(crate) fn spooled(&self) -> Vec<Envelope> {
        let mut found = Vec::new();
        for spooled in Spool::drain(&self.place).unwrap() {
            match spooled {
                Spooled::Whole { path, envelope, .. } => {
                    assert_eq!(mode(&path), 0o600, "{}", path.display());
                    assert_eq!(mode(path.parent().unwrap()), 0o700);
                    assert!(
                        path.file_name().unwrap().to_str().unwrap().starts_with(&envelope.id.to_string())
                    );
                    found.push(envelope);
                }
                Spooled::Damaged { path, damage } => panic!("{path:?}: {damage}"),
            }
        }
        self.assert_no_canary();
        found
    }

    pub(crate) fn assert_no_canary(&self) {
        for file in files(self.place.data.parent().unwrap()) {
            let bytes = fs::read(&file).unwrap_or_default();
            let found = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
            assert!(!found, "private text in {}", file.display());
        }
    }

    /// How often somebody asked for a daemon; they are not waited for by the hook.
    pub(crate) fn daemon_starts(&self) -> usize {
        fs::read(self.place.data.join("daemon-starts")).map_or(0, |trace| trace.len())
    }
}

#[derive(Debug)]
pub(crate) struct Outcome {
    /// `None`: ended by a signal.
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) took: Duration,
}

impl Outcome {
    #[track_caller]
    pub(crate) fn assert_silent_within(&self, form: Form, ms: u64) {
        assert_eq!(self.exit, Some(0), "{form:?}: {self:?}");
        assert_eq!((self.stdout.as_slice(), self.stderr.as_slice()), (&b""[..], &b""[..]), "{form:?}");
        self.assert_within(form, ms);
    }

    #[track_caller]
    pub(crate) fn assert_within(&self, form: Form, ms: u64) {
        assert!(self.took < Duration::from_millis(ms) + SLACK, "{form:?} took {:?}", self.took);
    }
}

pub(crate) fn run(mut command: Command, body: &[u8]) -> Outcome {
    let started = Instant::now();
    let mut child = command.spawn().unwrap();
    let stdin = child.stdin.take();
    // From a thread: a body larger than a pipe and a reply larger than a pipe would wait for each other.
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(body)));
        finish(child, started)
    })
}

pub(crate) fn finish(child: Child, started: Instant) -> Outcome {
    let output = child.wait_with_output().unwrap();
    let took = started.elapsed();
    Outcome { exit: output.status.code(), stdout: output.stdout, stderr: output.stderr, took }
}

/// An envelope of that event, with private text in it.
pub(crate) fn envelope(event: &str) -> Vec<u8> {
    format!(
        r#"{{"session_id":"5f1d","hook_event_name":"{event}","cwd":"/","text":"before <private>{CANARY}</private> after"}}"#
    )
    .into_bytes()
}

pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files(&entry.path()));
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    found
}

pub(crate) fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The raw hook of these sources, built as `cargo xtask setup` builds it. `None` where there is none.
pub(crate) fn raw_hook() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            let raw = cfg!(all(target_os = "linux", target_env = "gnu"))
                && cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
            raw.then(|| {
                let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("raw");
                let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
                let status = Command::new(cargo)
                    .args([
                        "build",
                        "--quiet",
                        "--profile",
                        "hook",
                        "--package",
                        "throughline-hook",
                        "--manifest-path",
                    ])
                    .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
                    .arg("--target-dir")
                    .arg(&target)
                    .status();
                assert!(status.unwrap().success(), "the raw hook does not build");
                target.join("hook/throughline-hook")
            })
        })
        .as_deref()
}

fn stand_in() -> PathBuf {
    let bin = Path::new(env!("CARGO_BIN_EXE_throughline-hook")).parent().unwrap();
    let stand_in = bin.join("examples/stand_in");
    assert!(stand_in.exists(), "run the tests of the whole package: they need its example");
    stand_in
}
