//! Where everything of one namespace lies. Only names and modes; what is inside the files is others' business.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Everything of ours is for one person alone.
pub const FOLDER_MODE: u32 = 0o700;
pub const FILE_MODE: u32 = 0o600;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub data: PathBuf,
}

impl Place {
    /// `THROUGHLINE_HOME` or `~/.throughline`, then `THROUGHLINE_NAMESPACE` or `default`. `None` where
    /// neither names an absolute folder: a relative one would be another folder for every hook.
    pub fn from_env(get: &dyn Fn(&str) -> Option<OsString>) -> Option<Self> {
        let set = |key: &str| get(key).filter(|value| !value.is_empty());
        let home = match set("THROUGHLINE_HOME") {
            Some(home) => PathBuf::from(home),
            None => PathBuf::from(set("HOME")?).join(wire::HOME_FOLDER),
        };
        if !home.is_absolute() {
            return None;
        }
        let namespace = set("THROUGHLINE_NAMESPACE")
            .filter(|name| wire::is_namespace(name.as_bytes()))
            .unwrap_or_else(|| wire::DEFAULT_NAMESPACE.into());
        Some(Self { data: home.join(namespace) })
    }

    pub fn run(&self) -> PathBuf {
        self.data.join("run")
    }

    pub fn socket(&self) -> PathBuf {
        self.run().join(wire::SOCKET_NAME)
    }

    pub fn lock(&self) -> PathBuf {
        self.run().join("daemon.lock")
    }

    pub fn pid_file(&self) -> PathBuf {
        self.run().join("daemon.pid")
    }

    /// Touched by whoever starts the daemon, so that a hundred hooks do not all start one.
    pub fn starting(&self) -> PathBuf {
        self.run().join("starting")
    }

    /// Markers of sessions whose present turn is private.
    pub fn private(&self) -> PathBuf {
        self.run().join("private")
    }

    /// Where sessions began, a file each.
    pub fn began(&self) -> PathBuf {
        self.run().join("began")
    }

    /// There while recording is paused.
    pub fn paused(&self) -> PathBuf {
        self.data.join("paused")
    }

    pub fn spool(&self) -> PathBuf {
        self.data.join("spool")
    }

    /// How many events could not be kept. Beside what may be removed and mounted elsewhere, so that it stays.
    pub fn losses(&self) -> PathBuf {
        self.data.join("not-kept")
    }

    pub fn journal(&self) -> PathBuf {
        self.data.join("journal")
    }

    /// What the maps of workspaces know. It may be deleted at any time.
    pub fn code(&self) -> PathBuf {
        self.data.join("code.db")
    }

    pub fn archive(&self) -> PathBuf {
        self.data.join("archive")
    }

    /// Models that were brought in.
    pub fn models(&self) -> PathBuf {
        self.data.join("models")
    }

    pub fn database(&self) -> PathBuf {
        self.data.join("derived.db")
    }

    /// Memories as files, unless the settings name another folder.
    pub fn memories(&self) -> PathBuf {
        self.data.join("memories")
    }

    /// What the memory files said when they were last the same as the store.
    pub fn memories_state(&self) -> PathBuf {
        self.data.join("memories.json")
    }

    pub fn logs(&self) -> PathBuf {
        self.data.join("logs")
    }

    pub fn key_file(&self) -> PathBuf {
        self.data.join("key")
    }

    pub fn config_file(&self) -> PathBuf {
        self.data.join("config.toml")
    }

    /// Makes the folders, each for us alone; one that was open to others is closed.
    pub fn ensure(&self) -> io::Result<()> {
        for folder in
            [self.data.clone(), self.run(), self.private(), self.spool(), self.journal(), self.logs()]
        {
            make_folder(&folder)?;
        }
        Ok(())
    }
}

/// A folder of ours with all folders above it. Cheap when it is there already.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => {
            if found.permissions().mode() & 0o077 != 0 {
                fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE))?;
            }
            Ok(())
        }
        Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
        Err(_) => DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder),
    }
}
