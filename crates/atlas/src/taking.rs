//! Many files at once: each is read, and where its text is new, parsed and packed, on as many threads as there are
//! cores. What becomes of them is the caller's.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use crate::key::Key;
use crate::leaf::{Leaf, Source};
use crate::pack::{self, Head};
use crate::reading::{self, Text};
use crate::tree::{Due, Seen, State};

/// Trees may nest as deep as a hostile file wants, and some of what reads them goes down with them.
const STACK: usize = 64 << 20;
/// More threads wait for the disk and for each other.
const MAX_THREADS: usize = 8;
/// Fewer files than this for a thread are not worth starting one.
const FILES_A_THREAD: usize = 4;
/// Files that are parsed and wait to be taken; packed they are small.
const WAITING: usize = 256;

/// What was kept of a text's facts before.
pub(crate) trait Known: Sync {
    fn head(&self, key: Key) -> Option<Head>;
    fn source(&self, key: Key) -> Source;
}

/// A file that was looked at.
#[derive(Debug)]
pub(crate) struct Taken {
    /// Its place in the list of what is due.
    pub(crate) at: usize,
    /// `None`: it is not there.
    pub(crate) seen: Option<Seen>,
    /// Where it is on the map with another text than before.
    pub(crate) leaf: Option<Leaf>,
    /// Facts that were made now, to be kept.
    pub(crate) made: Option<Box<[u8]>>,
}

/// Gives each file to `take` as it is done, in any order. After `until` no further file is begun.
pub(crate) fn all(
    root: &Path,
    due: &[Due],
    known: Option<&dyn Known>,
    until: Option<Instant>,
    take: &mut dyn FnMut(Taken),
) {
    let next = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let threads = cores.min(due.len().div_ceil(FILES_A_THREAD));
    let (sender, receiver) = mpsc::sync_channel(WAITING);
    thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                while until.is_none_or(|until| Instant::now() < until) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = due.get(at) else { return };
                    if sender.send(one(root, at, file, known)).is_err() {
                        return;
                    }
                }
            };
            let builder = thread::Builder::new().name("atlas".to_owned()).stack_size(STACK);
            // A thread that cannot be started leaves its files due for the next look.
            let _ = builder.spawn_scoped(scope, work);
        }
        drop(sender);
        receiver.iter().for_each(take);
    });
}

fn one(root: &Path, at: usize, due: &Due, known: Option<&dyn Known>) -> Taken {
    let looked = reading::look(root, due);
    let plain = Taken { at, seen: looked.seen, leaf: None, made: None };
    let Some(Text { language, key, content }) = looked.text else { return plain };
    if let Some((head, source)) = known.and_then(|known| Some((known.head(key)?, known.source(key)))) {
        return Taken { leaf: Some(Leaf::new(&due.path, language, head, source)), ..plain };
    }
    match reading::facts(language, &content) {
        Ok(facts) => {
            let (head, body) = (Head::of(&facts, &content), Box::from(pack::body(&facts)));
            let leaf = Leaf::new(&due.path, language, head, Source::Nowhere);
            Taken { leaf: Some(leaf), made: Some(body), ..plain }
        }
        Err(reason) => {
            Taken { seen: plain.seen.map(|seen| Seen { state: State::Left(reason), ..seen }), ..plain }
        }
    }
}
