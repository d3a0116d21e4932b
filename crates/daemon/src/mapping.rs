//! The maps of the workspaces that are worked in: made in the background, lent to whoever asks, put away when nobody has
//! asked for a while. What is put away is kept on disk by `atlas`, so coming back costs milliseconds.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use atlas::exchange::{Asked, Said};
use atlas::{Answer, Atlas, AtlasError, Question, Shelf};
use client::Place;
use serde_json::{Value, json};

use crate::bell::{Bell, Woken};

/// Maps that are open at once. A person works in few places at a time, and each holds some tens of megabytes.
const MAX_OPEN: usize = 6;
/// All of them together, by a rough reckoning; the one that is in use stays in any case.
const MAX_BYTES: usize = 512 << 20;
/// A map nobody has asked for that long is put away.
const IDLE: Duration = Duration::from_mins(20);
/// How long the background reads before it lets others have the map.
const SLICE: Duration = Duration::from_millis(40);
/// Whoever waits for an answer goes before the background, also on the processor.
const NICE: i32 = 10;
/// Workspaces that wait to be mapped; more than a person opens at once.
const MAX_WAITING: usize = 32;
/// What an answer may take from us to whoever asked.
const WAY_BACK: Duration = Duration::from_millis(500);
/// The part of a hook's time that bringing a map up to date may take; the rest is for the answer.
const FRESHEN_SHARE: u32 = 2;

pub(crate) struct Mapping {
    place: Place,
    pub(crate) bell: Bell,
    waiting: Mutex<VecDeque<PathBuf>>,
    /// Workspaces that wait or are being mapped.
    unready: AtomicUsize,
    rooms: Mutex<HashMap<PathBuf, Arc<Room>>>,
}

/// One map. It is taken out by whoever uses it.
struct Room {
    state: Mutex<State>,
    back: Condvar,
}

struct State {
    atlas: Option<Atlas>,
    /// Somebody has it.
    lent: bool,
    /// It was whole when it was last looked at.
    ready: bool,
    /// How many wait for it that are not the background.
    wanted: usize,
    used: Instant,
    /// Bytes, roughly.
    weight: usize,
}

/// Who takes a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taker {
    /// Only if it is whole.
    Hook,
    Asker,
    /// Only if nobody else wants it.
    Background,
}

impl Mapping {
    pub(crate) fn new(place: Place) -> Arc<Self> {
        Arc::new(Self {
            place,
            bell: Bell::default(),
            waiting: Mutex::default(),
            unready: AtomicUsize::new(0),
            rooms: Mutex::default(),
        })
    }

    /// Has a workspace mapped, or its map brought up to date, when there is time.
    pub(crate) fn warm(&self, root: &Path) {
        if !self.is_workspace(root) {
            return;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MAX_WAITING && !waiting.iter().any(|known| known == root) {
            waiting.push_back(root.to_owned());
            self.unready.fetch_add(1, Ordering::SeqCst);
            self.bell.ring();
        }
    }

    /// How many workspaces are not made ready yet: their maps, and what the first edit in each of their languages needs.
    pub(crate) fn warming(&self) -> usize {
        self.unready.load(Ordering::SeqCst)
    }

    /// Lends a map that is whole, as the files are now. False: there is none, or not in time.
    pub(crate) fn lend(&self, root: &Path, until: Instant, with: &mut dyn FnMut(&mut Atlas)) -> bool {
        let room = self.rooms().get(root).cloned();
        let Some(room) = room else {
            self.warm(root);
            return false;
        };
        let Some(mut lent) = room.take(until, Taker::Hook) else {
            self.warm(root);
            return false;
        };
        let now = Instant::now();
        let share = until.saturating_duration_since(now) / FRESHEN_SHARE;
        let Some(atlas) = lent.atlas.as_mut() else { return false };
        let fresh = atlas.freshen_until(Some(now + share), &mut |_| {}).is_ok() && !atlas.is_partial();
        lent.ready = fresh;
        if fresh {
            with(atlas);
        } else {
            // Much has changed at once; the background reads it.
            self.warm(root);
        }
        fresh
    }

    /// Answers a question about a workspace; one that was never mapped is mapped for it.
    pub(crate) fn ask(&self, root: &Path, question: &Question, until: Instant) -> Result<Answer, AtlasError> {
        let root = root
            .canonicalize()
            .map_err(|source| AtlasError::Disk { path: root.display().to_string(), source })?;
        if !self.is_workspace(&root) {
            return Err(AtlasError::Unable(format!("{} is no folder to be mapped", root.display())));
        }
        let room = self.room(&root);
        let mut looks = 0;
        loop {
            let mut lent = room.take(until, Taker::Asker).ok_or(AtlasError::NotYet)?;
            let atlas = lent.open(|| self.open(&root))?;
            let slice = Some(until.min(Instant::now() + SLICE));
            looks += 1;
            let read = match question {
                Question::Index { anew: true } if looks == 1 => {
                    atlas.answer_until(slice, question).map(|_| ())
                }
                _ if looks == 1 => atlas.freshen_until(slice, &mut |_| {}).map(|_| ()),
                _ => {
                    if atlas.go_on(slice, &mut |_| {}) {
                        // It took a while, and files may have changed meanwhile.
                        atlas.freshen_until(Some(until), &mut |_| {}).map(|_| ())
                    } else {
                        Ok(())
                    }
                }
            };
            let whole = !atlas.is_partial();
            if read.is_ok() && !whole && Instant::now() < until {
                // Hooks get the map in between.
                continue;
            }
            // A bug in answering costs the answer, and not the door's thread.
            let answer = catch_unwind(AssertUnwindSafe(|| atlas.answer_now(Some(until), question)));
            lent.ready = whole;
            drop(lent);
            if !whole {
                self.warm(&root);
            }
            self.make_room(&root);
            let bug = |_| Err(AtlasError::Unable("this question ended in a bug of ours".to_owned()));
            return read.and_then(|()| answer.unwrap_or_else(bug));
        }
    }

    /// A control question.
    pub(crate) fn control(&self, question: &Value, patience: Duration) -> Value {
        match serde_json::from_value::<Asked>(question.clone()) {
            Ok(asked) => {
                let patience = asked.within_ms.map_or(patience, |ms| patience.min(Duration::from_millis(ms)));
                // Whoever asked has to hear it, too.
                let until = Instant::now() + patience.saturating_sub((patience / 5).min(WAY_BACK));
                json!(Said::from(self.ask(Path::new(&asked.root), &asked.code, until)))
            }
            Err(error) => json!({ "error": format!("the question about code cannot be read: {error}") }),
        }
    }

    /// Maps what waits, until the bell is closed.
    pub(crate) fn run(&self) {
        // Where it cannot be had, the slices alone have to do.
        let _ = rustix::process::nice(NICE);
        loop {
            let next = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            match next {
                Some(root) => {
                    self.map(&root);
                    self.unready.fetch_sub(1, Ordering::SeqCst);
                }
                None => match self.bell.wait(Some(IDLE)) {
                    Woken::Closed => break,
                    Woken::Rung => {}
                    Woken::Late => self.put_away(IDLE),
                },
            }
            if self.bell.is_closed() {
                break;
            }
        }
        self.rooms().clear();
    }

    /// Reads a workspace a slice at a time, so that a hook that wants the map waits for a slice at most: first what its
    /// files say, then what its definitions are about.
    fn map(&self, root: &Path) {
        let room = self.room(root);
        let (mut looked, mut prepared, mut surveyed, mut languages) = (false, false, false, Vec::new());
        while !self.bell.is_closed() {
            let Some(mut lent) = room.take(Instant::now() + IDLE, Taker::Background) else { return };
            let Ok(atlas) = lent.open(|| self.open(root)) else { return };
            let until = Some(Instant::now() + SLICE);
            let step = catch_unwind(AssertUnwindSafe(|| {
                if !std::mem::replace(&mut looked, true) {
                    return atlas.freshen_until(until, &mut |_| {}).is_err();
                }
                if !atlas.go_on(until, &mut |_| {}) {
                    return false;
                }
                if !prepared {
                    languages = atlas.languages();
                    prepared = languages.is_empty();
                    return false;
                }
                if !std::mem::replace(&mut surveyed, true) {
                    // How imports are followed here: the first edit that writes one would wait for it.
                    atlas.rules();
                    return false;
                }
                atlas.understand(until)
            }));
            // Whoever asks next finds the bug again, and is told.
            let done = step.unwrap_or(true);
            if done {
                atlas.tidy();
            }
            lent.ready = !atlas.is_partial();
            drop(lent);
            if done {
                break;
            }
            if !languages.is_empty() {
                // Nobody has to wait for the map meanwhile.
                atlas::prepare(&std::mem::take(&mut languages));
                prepared = true;
            }
        }
        self.make_room(root);
    }

    fn room(&self, root: &Path) -> Arc<Room> {
        let mut rooms = self.rooms();
        if let Some(room) = rooms.get(root) {
            return Arc::clone(room);
        }
        while rooms.len() >= MAX_OPEN && drop_oldest(&mut rooms, root) {}
        let state =
            State { atlas: None, lent: false, ready: false, wanted: 0, used: Instant::now(), weight: 0 };
        let room = Arc::new(Room { state: Mutex::new(state), back: Condvar::new() });
        rooms.insert(root.to_owned(), Arc::clone(&room));
        room
    }

    /// Puts maps away that are together too large, the one that was not used for longest first.
    fn make_room(&self, keep: &Path) {
        let mut rooms = self.rooms();
        while rooms.values().map(|room| room.state().weight).sum::<usize>() > MAX_BYTES
            && drop_oldest(&mut rooms, keep)
        {}
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Room>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_away(&self, idle: Duration) {
        let mut rooms = self.rooms();
        rooms.retain(|_, room| {
            let state = room.state();
            state.lent || state.used.elapsed() < idle
        });
    }

    /// Not the root of the disk, and not the home of the person whose data this is, unless they keep it in git.
    fn is_workspace(&self, root: &Path) -> bool {
        let is_home =
            || self.place.data.parent().and_then(Path::parent) == Some(root) && !root.join(".git").exists();
        root.is_absolute() && root.parent().is_some() && !is_home() && root.is_dir()
    }

    fn open(&self, root: &Path) -> Result<Atlas, AtlasError> {
        Atlas::open(root, Some(Shelf::at(&self.place.code())))
    }
}

/// Whether there was one. Whoever has it keeps it until it is done.
fn drop_oldest(rooms: &mut HashMap<PathBuf, Arc<Room>>, keep: &Path) -> bool {
    let others = rooms.iter().filter(|(root, _)| *root != keep);
    let oldest = others.min_by_key(|(_, room)| room.state().used).map(|(root, _)| root.clone());
    oldest.is_some_and(|oldest| rooms.remove(&oldest).is_some())
}

impl Room {
    /// The map, when whoever has it gives it back.
    fn take(&self, until: Instant, taker: Taker) -> Option<Lent<'_>> {
        let mut state = self.state();
        let waits = usize::from(taker != Taker::Background);
        state.wanted += waits;
        loop {
            let gives_way = taker == Taker::Background && state.wanted > 0;
            let left = until.saturating_duration_since(Instant::now());
            if taker == Taker::Hook && !state.ready || (state.lent || gives_way) && left.is_zero() {
                state.wanted -= waits;
                return None;
            }
            if !state.lent && !gives_way {
                state.wanted -= waits;
                state.lent = true;
                state.used = Instant::now();
                return Some(Lent { atlas: state.atlas.take(), ready: state.ready, room: self });
            }
            state = self.back.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A map that is lent. It goes back when this is dropped, also when whoever has it panics.
struct Lent<'r> {
    atlas: Option<Atlas>,
    ready: bool,
    room: &'r Room,
}

impl Lent<'_> {
    fn open(&mut self, open: impl FnOnce() -> Result<Atlas, AtlasError>) -> Result<&mut Atlas, AtlasError> {
        if self.atlas.is_none() {
            self.atlas = Some(open()?);
        }
        Ok(self.atlas.as_mut().expect("it was just opened"))
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut state = self.room.state();
        state.weight = self.atlas.as_ref().map_or(0, Atlas::weight);
        state.atlas = self.atlas.take();
        state.ready = self.ready;
        state.lent = false;
        drop(state);
        // The background may be among those who wait, and give way to another.
        self.room.back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread;

    use super::*;

    fn house() -> (tempfile::TempDir, Arc<Mapping>, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let work = real.join("work");
        fs::create_dir(&work).unwrap();
        fs::write(work.join("a.py"), "def f():\n    pass\n").unwrap();
        let place = Place { data: real.join(".throughline/default") };
        (folder, Mapping::new(place), work)
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(10)
    }

    fn named(mapping: &Mapping, work: &Path, name: &str) -> bool {
        let question = Question::Symbol { name: name.to_owned(), kind: None, limit: None };
        mapping.ask(work, &question, soon()).is_ok()
    }

    #[test]
    fn a_map_is_made_in_the_background_and_lent_when_it_is_whole() {
        let (_folder, mapping, work) = house();
        assert!(!mapping.lend(&work, soon(), &mut |_| panic!("there is none yet")));
        let thread = thread::spawn({
            let mapping = Arc::clone(&mapping);
            move || mapping.run()
        });
        let mut files = 0;
        while files == 0 {
            mapping.lend(&work, soon(), &mut |atlas| files = atlas.library().len());
            thread::yield_now();
        }
        assert_eq!(files, 1);
        mapping.bell.close();
        thread.join().unwrap();
    }

    #[test]
    fn a_workspace_is_warm_when_the_first_edit_in_each_of_its_languages_has_nothing_to_wait_for() {
        let (_folder, mapping, work) = house();
        fs::write(work.join("b.ts"), "export const a = 1;\n").unwrap();
        let thread = thread::spawn({
            let mapping = Arc::clone(&mapping);
            move || mapping.run()
        });
        mapping.warm(&work);
        while mapping.warming() > 0 {
            thread::sleep(Duration::from_millis(1));
        }
        for path in ["a.py", "b.ts"] {
            assert!(code::languages::of_path(path).unwrap().is_prepared(), "{path}");
        }
        let ready = mapping.lend(&work, soon(), &mut |atlas| assert_eq!(atlas.library().len(), 2));
        assert!(ready, "and its map is whole");
        mapping.bell.close();
        thread.join().unwrap();
    }

    #[test]
    fn a_question_is_answered_from_the_files_as_they_are() {
        let (_folder, mapping, work) = house();
        assert!(named(&mapping, &work, "f") && !named(&mapping, &work, "g"));
        fs::write(work.join("b.py"), "def g():\n    pass\n").unwrap();
        assert!(named(&mapping, &work, "g"));
        fs::remove_file(work.join("b.py")).unwrap();
        assert!(!named(&mapping, &work, "g"));
    }

    #[test]
    fn a_home_and_the_root_of_the_disk_are_not_mapped() {
        let (folder, mapping, _work) = house();
        for root in [Path::new("/"), folder.path()] {
            assert!(mapping.ask(root, &Question::Status, soon()).is_err(), "{}", root.display());
        }
        assert!(mapping.ask(Path::new("/nowhere/at/all"), &Question::Status, soon()).is_err());
    }

    #[test]
    fn a_borrower_that_panics_gives_the_map_back() {
        let (_folder, mapping, work) = house();
        assert!(named(&mapping, &work, "f"));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            mapping.lend(&work, soon(), &mut |_| panic!("a bug"));
        }));
        assert!(panicked.is_err() && named(&mapping, &work, "f"));
    }

    #[test]
    fn the_background_gives_way_to_whoever_asks() {
        let (_folder, mapping, work) = house();
        for at in 0..300 {
            fs::write(work.join(format!("f{at}.py")), format!("def f{at}():\n    return {at}\n").repeat(40))
                .unwrap();
        }
        mapping.warm(&work);
        let thread = thread::spawn({
            let mapping = Arc::clone(&mapping);
            move || mapping.run()
        });
        let mut answered = 0;
        let mut whole = false;
        while !whole {
            let status = mapping.ask(&work, &Question::Status, Instant::now() + Duration::from_millis(300));
            if let Ok(Answer::Index(known)) = status {
                answered += 1;
                whole = !known.partial;
            }
        }
        assert!(answered > 0);
        assert!(named(&mapping, &work, "f299"));
        mapping.bell.close();
        thread.join().unwrap();
    }

    #[test]
    fn what_was_mapped_is_known_to_the_next_daemon() {
        let (_folder, mapping, work) = house();
        fs::create_dir_all(&mapping.place.data).unwrap();
        assert!(named(&mapping, &work, "f"));
        let next = Mapping::new(mapping.place.clone());
        let Ok(Answer::Index(known)) = next.ask(&work, &Question::Status, soon()) else {
            panic!("no answer")
        };
        assert_eq!((known.files, known.changed), (1, 0));
    }

    #[test]
    fn only_so_many_maps_are_open() {
        let (folder, mapping, _work) = house();
        for at in 0..MAX_OPEN * 2 {
            let work = folder.path().join(format!("w{at}"));
            fs::create_dir(&work).unwrap();
            mapping.ask(&work, &Question::Status, soon()).unwrap();
        }
        assert_eq!(mapping.rooms.lock().unwrap().len(), MAX_OPEN);
    }
}
