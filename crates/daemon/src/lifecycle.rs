//! Becoming the one daemon of a user and namespace, and ceasing to be it. The lock decides, never a pid:
//! a stored pid may long belong to somebody else.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::Wish;

/// `sun_path` holds 108 bytes with its ending NUL.
const MAX_SOCKET_PATH: usize = 107;

#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock, waiting at most this long for a predecessor to leave. `None`: somebody else holds it.
    pub fn take(path: &Path, patience: Duration) -> io::Result<Option<Self>> {
        let until = Instant::now() + patience;
        loop {
            let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
            match file.try_lock() {
                // The file may have been removed since: a lock nobody else can find keeps nobody out.
                Ok(()) if is_at(&file, path) => return Ok(Some(Self { _file: file })),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(held), Ok(found)) => (held.dev(), held.ino()) == (found.dev(), found.ino()),
        _ => false,
    }
}

/// The socket, and how to know later that the path still leads to it.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) listener: UnixListener,
    path: PathBuf,
    inode: u64,
}

impl Bound {
    /// Binds under a name of our own and renames over whatever stands at the path: a stale socket, a file,
    /// or a stranger's socket (who does not hold the lock). There is no moment without a socket.
    pub(crate) fn bind(path: &Path) -> io::Result<Self> {
        let fresh = path.with_extension(format!("{}", std::process::id()));
        let _ = fs::remove_file(&fresh);
        let listener = within_limit(&fresh, |short| UnixListener::bind(short))?;
        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o600))?;
        let inode = fs::symlink_metadata(&fresh)?.ino();
        if let Err(error) = fs::rename(&fresh, path) {
            let _ = fs::remove_file(&fresh);
            return Err(error);
        }
        Ok(Self { listener, path: path.to_owned(), inode })
    }

    /// False when the path was removed or taken over: then nobody can reach us any more.
    pub(crate) fn is_reachable(&self) -> bool {
        fs::symlink_metadata(&self.path)
            .is_ok_and(|meta| meta.ino() == self.inode && meta.file_type().is_socket())
    }

    pub(crate) fn remove(&self) {
        if self.is_reachable() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Calls with a path short enough for a socket address: a longer one is reached through its folder's
/// descriptor.
fn within_limit<T>(path: &Path, call: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if path.as_os_str().as_bytes().len() <= MAX_SOCKET_PATH {
        return call(path);
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let folder = File::open(folder)?;
    call(&PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(name))
}

/// Tells when something is removed from the folder or put over something in it: then we may have become
/// unreachable, and the next daemon waits for us to leave. Costs nothing while nothing happens.
#[cfg(target_os = "linux")]
pub(crate) fn watch(folder: &Path, wish: mpsc::Sender<Wish>) -> io::Result<()> {
    use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
    let changes = WatchFlags::DELETE
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVED_TO
        | WatchFlags::DELETE_SELF
        | WatchFlags::MOVE_SELF;
    let watch = inotify::init(CreateFlags::CLOEXEC)?;
    inotify::add_watch(&watch, folder, changes)?;
    thread::Builder::new().name("watch".into()).spawn(move || {
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut changes = inotify::Reader::new(&watch, &mut buffer);
        while changes.next().is_ok() && wish.send(Wish::LookAround).is_ok() {}
    })?;
    Ok(())
}

/// Elsewhere the look around once a minute has to do.
#[cfg(not(target_os = "linux"))]
pub(crate) fn watch(_: &Path, _: mpsc::Sender<Wish>) -> io::Result<()> {
    Ok(())
}

/// Our process, or our port: for people and scripts. Nothing is ever signalled by it.
pub(crate) fn write_number(path: &Path, number: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
    // Over what stands there, and only then cut: a full disk has no room for it a second time.
    let text = format!("{number}\n");
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

/// No core dumps, no debugger of another user: what we hold in memory is not redacted yet.
pub(crate) fn harden() {
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn the_lock_has_one_holder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.lock");
        let held = Lock::take(&path, Duration::ZERO).unwrap();
        assert!(held.is_some());
        assert!(Lock::take(&path, Duration::from_millis(10)).unwrap().is_none());
        drop(held);
        assert!(Lock::take(&path, Duration::ZERO).unwrap().is_some());
    }

    #[test]
    fn whatever_stands_at_the_path_is_replaced_and_a_takeover_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.sock");
        fs::write(&path, "not a socket").unwrap();
        let first = Bound::bind(&path).unwrap();
        assert!(first.is_reachable());
        let second = Bound::bind(&path).unwrap();
        assert!(!first.is_reachable());
        first.remove();
        assert!(UnixStream::connect(&path).is_ok(), "the successor's socket is not removed");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        second.remove();
        assert!(!path.exists());
    }

    #[test]
    fn a_path_longer_than_a_socket_address_works() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("d".repeat(120));
        fs::create_dir(&deep).unwrap();
        assert!(Bound::bind(&deep.join("daemon.sock")).unwrap().is_reachable());
    }
}
