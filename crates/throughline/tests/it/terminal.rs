//! A real terminal of a given size with a program in it: keys go in, and what a person would see comes out.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

/// A program that is alive shows something within this; one that hangs fails the test.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Terminal {
    child: Child,
    ours: OwnedFd,
    /// Held open, so that what is left of the terminal can be looked at when its program is gone.
    theirs: OwnedFd,
    keys: File,
    bytes: Receiver<Vec<u8>>,
    seen: vt100::Parser,
    /// Every byte the program ever sent.
    sent: Vec<u8>,
    before: Termios,
}

impl Terminal {
    pub(crate) fn new(command: &mut Command, rows: u16, columns: u16) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let open = || {
            let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
            rustix::fs::open(&name, flags, rustix::fs::Mode::empty()).unwrap()
        };
        let theirs = open();
        size(&ours, rows, columns);
        let before = tcgetattr(&theirs).unwrap();
        let child = command
            .env("TERM", "xterm-256color")
            .stdin(Stdio::from(open()))
            .stdout(Stdio::from(open()))
            .stderr(Stdio::from(open()))
            .spawn()
            .unwrap();
        let mut output = File::from(ours.try_clone().unwrap());
        let (to, bytes) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // A terminal nobody writes to any more answers with an error.
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if to.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            keys: File::from(ours.try_clone().unwrap()),
            ours,
            theirs,
            bytes,
            seen: vt100::Parser::new(cells(rows), cells(columns), 0),
            sent: Vec::new(),
            before,
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn resize(&mut self, rows: u16, columns: u16) {
        self.seen.screen_mut().set_size(cells(rows), cells(columns));
        size(&self.ours, rows, columns);
        // The kernel tells whoever has it as its own; ours was only given its ends.
        crate::house::signal(self.child.id(), rustix::process::Signal::WINCH);
    }

    /// Waits until the screen shows it.
    pub(crate) fn shows(&mut self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text))
    }

    pub(crate) fn until(&mut self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let screen = self.seen.screen().contents();
            if is_so(&screen) {
                return screen;
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.bytes.recv_timeout(left) {
                Ok(bytes) => {
                    self.sent.extend_from_slice(&bytes);
                    self.seen.process(&bytes);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("never: {what}; the screen is\n{screen}")
                }
            }
        }
    }

    /// Waits until the program has ended, and says how; whatever it sent is read by then.
    pub(crate) fn ends(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            self.drain(Duration::from_millis(5));
            if let Some(status) = self.child.try_wait().unwrap() {
                self.drain(Duration::from_millis(50));
                return status;
            }
            assert!(Instant::now() < until, "it does not end");
        }
    }

    fn drain(&mut self, patience: Duration) {
        while let Ok(bytes) = self.bytes.recv_timeout(patience) {
            self.sent.extend_from_slice(&bytes);
            self.seen.process(&bytes);
        }
    }

    pub(crate) fn sent(&self) -> &[u8] {
        &self.sent
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The other screen is left, the cursor is seen, and keys are echoed again.
    pub(crate) fn assert_given_back(&self) {
        let screen = self.seen.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{:?}", screen.contents());
        let after = tcgetattr(self.theirs.as_fd()).unwrap();
        assert_eq!(
            (after.local_modes, after.input_modes, after.output_modes),
            (self.before.local_modes, self.before.input_modes, self.before.output_modes)
        );
    }

    pub(crate) fn is_raw(&self) -> bool {
        tcgetattr(self.theirs.as_fd()).unwrap().local_modes != self.before.local_modes
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a terminal has at least one cell")
}

fn size(terminal: &OwnedFd, rows: u16, columns: u16) {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).unwrap();
}
