//! Appends against the floor, in one run and interleaved, so that the ratios travel between machines.
//!
//! - journal: `Journal::append`, synced before it returns
//! - shared: the same bytes, all threads append to one file under a mutex, each with its own fdatasync
//! - own: the same bytes, every thread appends to a file of its own, with its own fdatasync
//! - zeroed: like shared, into a file that was filled with zeros and synced before, as the journal's
//!   segments are. Here the filling is not measured; in the journal it goes on beside the appends.
//!
//! Then how fast the tables can be made anew: 100,000 entries read back, and read back into rows.
//!
//! `cargo bench -p throughline-store --bench journal [-- milliseconds per round]`
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and stops when it cannot run")]

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

use model::{Context, Entry, EventId, SessionId};
use store::journal::{Durability, Journal, JournalPolicy, Stored};
use store::{Batch, EventRow, SessionTouch, StoreError, Tables};

const ROUNDS: usize = 6;
const SIZES: [usize; 3] = [1 << 10, 10 << 10, 100 << 10];
const PRODUCERS: [usize; 2] = [1, 16];
const ZEROED_BYTES: u64 = 64 << 20;
const REBUILT: u64 = 100_000;

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Journal,
    Shared,
    Own,
    Zeroed,
}

const SIDES: [(Side, &str); 4] =
    [(Side::Journal, "journal"), (Side::Shared, "shared"), (Side::Own, "own"), (Side::Zeroed, "zeroed")];

#[derive(Default)]
struct Sample {
    micros: Vec<f64>,
    seconds: f64,
}

fn main() {
    let millis = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(400);
    println!(
        "size KB  producers  side        events/s     p50 us     p99 us   rate/shared  p99/shared  rate/own  p99/own"
    );
    for size in SIZES {
        for producers in PRODUCERS {
            let mut samples: [Sample; 4] = Default::default();
            for round in 0..ROUNDS {
                for turn in 0..SIDES.len() {
                    // Another order in every round: whoever follows the largest writer pays for it.
                    let index = (round + turn) % SIDES.len();
                    measure(
                        SIDES[index].0,
                        size,
                        producers,
                        Duration::from_millis(millis),
                        &mut samples[index],
                    );
                }
            }
            report(size, producers, &mut samples);
        }
    }
    rebuild();
}

fn rebuild() {
    let folder = tempfile::tempdir_in(std::env::var_os("BENCH_DIR").unwrap_or_else(|| ".".into())).unwrap();
    let policy = JournalPolicy { durability: Durability::Process, ..JournalPolicy::default() };
    let (journal, _) = Journal::open(&folder.path().join("journal"), policy.clone()).unwrap();
    let mut entry = entry(2 << 10);
    for number in 0..REBUILT {
        entry.id = EventId::mint(number, [7; 10]);
        journal.append(&entry).unwrap();
    }
    drop(journal);
    let begin = Instant::now();
    let (journal, _) = Journal::open(&folder.path().join("journal"), policy).unwrap();
    println!("opened {REBUILT} entries of 2 KB in {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
    let begin = Instant::now();
    assert_eq!(journal.read_from(1).map(Result::unwrap).count() as u64, REBUILT);
    println!("read them in {:.2} s", begin.elapsed().as_secs_f64());
    let begin = Instant::now();
    let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
    let mut entries = journal.read_from(1).map(Result::unwrap).peekable();
    while entries.peek().is_some() {
        tables
            .write(|batch| entries.by_ref().take(1000).try_for_each(|stored| learn(batch, stored)))
            .unwrap();
    }
    println!("made rows of them in {:.2} s", begin.elapsed().as_secs_f64());
    assert_eq!(tables.cursor().unwrap(), REBUILT);
}

fn learn(batch: &mut Batch<'_>, stored: Stored) -> Result<(), StoreError> {
    let Entry { id, at, agent, session, event, tool, envelope, .. } = stored.entry;
    batch.touch_session(&SessionTouch::new(session.clone(), &agent, at))?;
    let (seq, bytes, location) = (stored.seq, envelope.len() as u64, stored.location);
    batch.insert_event(&EventRow {
        seq,
        id,
        at,
        agent,
        session,
        kind: event,
        tool,
        subagent: None,
        bytes,
        location,
    })?;
    batch.set_cursor(seq)
}

fn report(size: usize, producers: usize, samples: &mut [Sample; 4]) {
    let figures: Vec<(f64, f64, f64)> = samples
        .iter_mut()
        .map(|sample| {
            sample.micros.sort_by(f64::total_cmp);
            let at = |share: f64| sample.micros[((sample.micros.len() - 1) as f64 * share) as usize];
            (sample.micros.len() as f64 / sample.seconds, at(0.5), at(0.99))
        })
        .collect();
    let (shared, own) = (figures[1], figures[2]);
    for ((_, name), (rate, p50, p99)) in SIDES.iter().zip(&figures) {
        println!(
            "{:>7}  {producers:>9}  {name:<8} {rate:>11.0} {p50:>10.0} {p99:>10.0}   {:>11.2}  {:>10.2}  {:>8.2}  {:>7.2}",
            size >> 10,
            rate / shared.0,
            p99 / shared.2,
            rate / own.0,
            p99 / own.2,
        );
    }
}

fn measure(side: Side, size: usize, producers: usize, time: Duration, into: &mut Sample) {
    let folder = tempfile::tempdir_in(std::env::var_os("BENCH_DIR").unwrap_or_else(|| ".".into())).unwrap();
    let entry = entry(size);
    let start = Barrier::new(producers + 1);
    match side {
        Side::Journal => {
            let (journal, _) =
                Journal::open(&folder.path().join("journal"), JournalPolicy::default()).unwrap();
            let ids = AtomicU64::new(0);
            produce(producers, time, &start, into, |_| {
                let mut entry = entry.clone();
                let (journal, ids) = (&journal, &ids);
                move || {
                    entry.id = EventId::mint(ids.fetch_add(1, Ordering::Relaxed), [7; 10]);
                    journal.append(&entry).unwrap();
                }
            });
        }
        Side::Own => produce(producers, time, &start, into, |thread| {
            let mut file = File::create(folder.path().join(thread.to_string())).unwrap();
            let bytes = record(&entry);
            move || append(&mut file, &bytes)
        }),
        Side::Shared | Side::Zeroed => {
            let mut file = File::create(folder.path().join("shared")).unwrap();
            if side == Side::Zeroed {
                fill(&mut file);
            }
            let file = Mutex::new(file);
            let bytes = record(&entry);
            produce(producers, time, &start, into, |_| {
                let (file, bytes) = (&file, &bytes);
                move || {
                    let mut file = file.lock().unwrap();
                    if side == Side::Zeroed
                        && file.stream_position().unwrap() + bytes.len() as u64 > ZEROED_BYTES
                    {
                        file.seek(SeekFrom::Start(0)).unwrap();
                    }
                    append(&mut file, bytes);
                }
            });
        }
    }
}

/// Closed loop: every producer has one append in the air.
fn produce<F: FnMut() + Send>(
    producers: usize,
    time: Duration,
    start: &Barrier,
    into: &mut Sample,
    make: impl Fn(usize) -> F,
) {
    let works: Vec<F> = (0..producers).map(make).collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> = works
            .into_iter()
            .map(|mut work| {
                scope.spawn(move || {
                    start.wait();
                    let begin = Instant::now();
                    let mut micros = Vec::new();
                    while begin.elapsed() < time {
                        let before = Instant::now();
                        work();
                        micros.push(before.elapsed().as_secs_f64() * 1e6);
                    }
                    micros
                })
            })
            .collect();
        start.wait();
        let begin = Instant::now();
        for thread in threads {
            into.micros.extend(thread.join().unwrap());
        }
        into.seconds += begin.elapsed().as_secs_f64();
    });
}

fn append(file: &mut File, bytes: &[u8]) {
    file.write_all(bytes).unwrap();
    file.sync_data().unwrap();
}

fn fill(file: &mut File) {
    let zeros = vec![0; 1 << 20];
    for _ in 0..ZEROED_BYTES >> 20 {
        file.write_all(&zeros).unwrap();
    }
    file.sync_all().unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
}

/// As many bytes as the journal writes for the same entry, give or take a few.
fn record(entry: &Entry) -> Vec<u8> {
    vec![b'x'; entry.envelope.len() + 48 + 70]
}

fn entry(size: usize) -> Entry {
    Entry {
        id: EventId::from_bytes([0; 16]),
        at: 1_763_244_000_000,
        agent: "claude-code".to_owned(),
        session: SessionId::new("0193a1b2-0000-7000-8000-000000000000"),
        event: "PostToolUse".to_owned(),
        tool: Some("Bash".to_owned()),
        context: Context::new(),
        envelope: vec![b'x'; size],
    }
}
