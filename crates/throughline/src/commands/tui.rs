//! A terminal full of memory: sessions, what happens now, search. Reads what the other commands read and changes
//! nothing. Everything slow is done on a thread beside it, so that a key is always answered at once.

mod app;
mod clean;
mod live;
mod page;
mod rows;
pub(crate) mod screen;
mod search;
mod sessions;
mod source;
mod story;
mod theme;

use std::sync::mpsc::{self, TryRecvError};
use std::time::{Duration, Instant};

use clap::Args;

use self::app::{App, Step};
use self::screen::{Heard, Screen};
use self::source::Source;
use self::theme::Theme;
use super::reader;
use crate::report::{Failure, hint};
use crate::world::World;

/// How long the person waits at most for what was read; four times a second is often enough to look alive.
const AT_REST: Duration = Duration::from_millis(250);
/// The same while an answer is awaited.
const AWAITING: Duration = Duration::from_millis(30);

#[derive(Debug, Args)]
#[command(
    after_help = "Keys: 1 sessions, 2 live, 3 or / search, Tab the next of them; arrows or j and k move,
Enter opens, Esc goes back, space pauses the live view, w says why a hit was found, q leaves."
)]
pub(crate) struct Tui {}

impl Tui {
    #[expect(clippy::unused_self, reason = "every command is run in the same way")]
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        if !screen::is_there() {
            return Screen::open().map(drop);
        }
        let tables = reader::tables(world)?;
        let (wants, wanted) = mpsc::sync_channel(MAX_WAITING);
        let (news, heard) = mpsc::sync_channel(MAX_WAITING);
        let source = Source::new(world.clone(), tables);
        std::thread::Builder::new().name("source".into()).spawn(move || source.run(&wanted, &news))?;

        let mut app = App::new(Theme { color: world.color });
        let mut screen = Screen::open()?;
        let (mut asked, mut is_stale) = (None, true);
        loop {
            loop {
                match heard.try_recv() {
                    Ok(news) => is_stale |= app.hear(news),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return Err(reading_ended()),
                }
            }
            if is_stale {
                screen.draw(|frame| app.draw(frame, crate::when::now()))?;
                is_stale = false;
            }
            let want = app.want(Instant::now());
            if want.is_some() && want != asked && wants.try_send(want.clone()).is_ok() {
                asked = want;
            }
            let patience = if app.is_waiting() { AWAITING } else { AT_REST };
            match screen.hear(patience)? {
                None => {}
                Some(Heard::Ended) => return Ok(()),
                Some(Heard::Resized) => is_stale = true,
                Some(Heard::Key(key)) => {
                    is_stale = true;
                    if app.press(key, Instant::now()) == Step::Leave {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// Questions and answers on their way. The person asks one thing at a time; whoever is not listening gets no more.
const MAX_WAITING: usize = 16;

fn reading_ended() -> anyhow::Error {
    hint(Failure::Person, "what is shown can no longer be read", "run `throughline doctor`")
}

#[cfg(test)]
mod tests;
