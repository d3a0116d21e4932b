//! The terminal while a command has all of it. However the command ends, by a key, an error, a signal or a panic, the
//! person gets it back as it was.

use std::io::{self, IsTerminal, Stdout, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::{Frame, Terminal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::report::{Failure, hint};

/// A signal is noticed after this at the latest.
const SIGNALS: Duration = Duration::from_millis(250);

/// Whether the terminal is ours now.
static TAKEN: AtomicBool = AtomicBool::new(false);

pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    ended: Arc<AtomicBool>,
}

/// What the person did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    Key(KeyEvent),
    /// The terminal has another size now.
    Resized,
    /// Somebody wants us to leave.
    Ended,
}

impl Screen {
    pub(crate) fn open() -> anyhow::Result<Self> {
        if !is_there() {
            return Err(hint(
                Failure::Person,
                "this needs a terminal to draw on and keys to read",
                "run it in a terminal; `throughline top --once`, `sessions`, `events` and `search` print to a pipe",
            ));
        }
        let ended = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&ended))?;
        }
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // First the terminal: what is said on the other screen goes with it.
            give_back(&mut io::stdout());
            before(panic);
        }));
        TAKEN.store(true, Ordering::SeqCst);
        let taken = enable_raw_mode().and_then(|()| execute!(io::stdout(), EnterAlternateScreen, Hide));
        let terminal = taken.and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        terminal.map(|terminal| Self { terminal, ended }).map_err(|error| {
            give_back(&mut io::stdout());
            error.into()
        })
    }

    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw).map(drop)
    }

    /// Waits for the person, and no longer than that. `None`: nothing happened.
    pub(crate) fn hear(&self, patience: Duration) -> io::Result<Option<Heard>> {
        let until = Instant::now() + patience;
        loop {
            if self.ended.load(Ordering::SeqCst) {
                return Ok(Some(Heard::Ended));
            }
            let left = until.saturating_duration_since(Instant::now());
            let is_there = match event::poll(left.min(SIGNALS)) {
                // A signal woke us; what it wants is looked at above.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                polled => polled?,
            };
            if is_there {
                match event::read()? {
                    Event::Key(key) if key.kind != KeyEventKind::Release => return Ok(Some(Heard::Key(key))),
                    Event::Resize(..) => return Ok(Some(Heard::Resized)),
                    _ => {}
                }
            } else if left.is_zero() {
                return Ok(None);
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back(&mut io::stdout());
    }
}

pub(crate) fn is_there() -> bool {
    io::stdout().is_terminal() && io::stdin().is_terminal()
}

/// Once, whoever comes first: a panic, or the end.
fn give_back(out: &mut impl Write) {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // A terminal that is gone needs nothing back.
        let _ = disable_raw_mode();
        let _ = execute!(out, LeaveAlternateScreen, Show);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terminal_is_given_back_once() {
        TAKEN.store(true, Ordering::SeqCst);
        let mut out = Vec::new();
        give_back(&mut out);
        give_back(&mut out);
        assert_eq!(String::from_utf8_lossy(&out), "\u{1b}[?1049l\u{1b}[?25h");
    }
}
