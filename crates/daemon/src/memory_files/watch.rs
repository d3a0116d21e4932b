//! Tells when something happens to files, without looking. Costs nothing while nothing happens.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::bell::Bell;

/// Rung when files were touched; the flag says that it was for files.
#[derive(Debug, Clone, Default)]
pub(super) struct Touched {
    pub(super) bell: Arc<Bell>,
    pub(super) flag: Arc<AtomicBool>,
}

impl Touched {
    fn ring(&self) {
        self.flag.store(true, Ordering::SeqCst);
        self.bell.ring();
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::Watch;

#[cfg(target_os = "linux")]
mod linux {
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream;
    use std::thread;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::inotify::{self, CreateFlags, WatchFlags};

    use super::{Arc, Path, Touched, io};

    /// Whoever drops it ends its thread.
    #[derive(Debug)]
    pub(in super::super) struct Watch {
        inotify: Arc<OwnedFd>,
        _held: UnixStream,
    }

    impl Watch {
        pub(in super::super) fn start(touched: Touched) -> io::Result<Self> {
            let inotify = Arc::new(inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?);
            let (held, dropped) = UnixStream::pair()?;
            let events = Arc::clone(&inotify);
            thread::Builder::new()
                .name("memory-watch".into())
                .spawn(move || follow(&events, &dropped, &touched))?;
            Ok(Self { inotify, _held: held })
        }

        /// A folder, not what lies in folders of it. Adding one again changes nothing.
        pub(in super::super) fn add(&self, folder: &Path) -> io::Result<()> {
            let changes = WatchFlags::CLOSE_WRITE
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR
                | WatchFlags::DONT_FOLLOW;
            inotify::add_watch(&self.inotify, folder, changes)?;
            Ok(())
        }
    }

    fn follow(events: &OwnedFd, dropped: &UnixStream, touched: &Touched) {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        loop {
            let mut fds = [
                PollFd::new(events, PollFlags::IN),
                PollFd::from_borrowed_fd(dropped.as_fd(), PollFlags::IN),
            ];
            match poll(&mut fds, None) {
                Ok(_) if !fds[1].revents().is_empty() => return,
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
            let mut reader = inotify::Reader::new(events, &mut buffer);
            let mut is_ours = false;
            while let Ok(event) = reader.next() {
                // Swap files of editors and our own drafts.
                let hidden = event.file_name().is_some_and(|name| name.to_bytes().starts_with(b"."));
                is_ours |= !hidden;
            }
            if is_ours {
                touched.ring();
            }
        }
    }
}

/// Elsewhere nobody tells; whoever asks learns so and looks every second.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(super) struct Watch;

#[cfg(not(target_os = "linux"))]
impl Watch {
    pub(super) fn start(_: Touched) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn add(&self, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
