//! A map of a million lines: how fast it is made beside a bare parse of the same bytes on the same threads, what it takes
//! in memory, how soon it is there again, what a changed file costs, and how long every kind of question takes.
//!
//! The lines are copies of what lies on a machine that builds Rust: the sources of packages, Python's library, headers of
//! C, scripts of npm. Folders get other names; files stay as they are, but two that say the same are not both taken.
//!
//! `cargo bench -p throughline-atlas --bench map [-- LINES [ROUNDS]]`. Rows are a name, a tab, and numbers: nanoseconds,
//! or bytes where the name says so.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and stops when it cannot run")]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use atlas::{Atlas, Question, Shelf};

const LINES: usize = 1_000_000;
/// Of the lines, in percent; what one does not have the next one gives.
const SHARES: &[(&str, usize)] = &[("rs", 55), ("py", 25), ("h", 8), ("c", 4), ("js", 5), ("ts", 3)];
/// As in a workspace of people: no file of tables.
const MAX_FILE: u64 = 120 << 10;
const STARTS: usize = 7;
const LOOKS: usize = 60;
const EDITS: usize = 40;
const QUESTIONS: usize = 60;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["cold", root, shelf] => cold(Path::new(root), Path::new(shelf)),
        ["bare", root] => bare(Path::new(root)),
        ["corpus", root, lines] => println!("{:?}", gather(Path::new(root), lines.parse().unwrap())),
        ["warm", root, shelf] => warm(Path::new(root), Path::new(shelf)),
        ["ask", root, shelf, kind] => ask(Path::new(root), Path::new(shelf), kind),
        ref rest => all(
            rest.first().and_then(|lines| lines.parse().ok()).unwrap_or(LINES),
            rest.get(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(2),
        ),
    }
}

fn all(lines: usize, rounds: usize) {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("work");
    let (files, lines, bytes) = gather(&root, lines);
    println!("{files} files, {lines} lines, {:.1} MB", bytes as f64 / 1e6);
    row("corpus bytes", [bytes as u128]);
    let root = root.to_str().unwrap();
    let mut rows = Vec::new();
    for round in 0..rounds.max(1) {
        child(&["bare", root], &mut rows);
        child(&["cold", root, home.path().join(format!("{round}.db")).to_str().unwrap()], &mut rows);
    }
    child(&["warm", root, home.path().join("0.db").to_str().unwrap()], &mut rows);
    for (name, numbers) in rows {
        println!("{name}\t{}", numbers.join(" "));
    }
}

/// A process of its own, so that memory is what one of them takes. Rows of one name are one row.
fn child(arguments: &[&str], rows: &mut Vec<(String, Vec<String>)>) {
    let output = Command::new(std::env::current_exe().unwrap()).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((name, numbers)) = line.split_once('\t') else {
            println!("{line}");
            continue;
        };
        let numbers = numbers.split(' ').map(str::to_owned);
        match rows.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.extend(numbers),
            None => rows.push((name.to_owned(), numbers.collect())),
        }
    }
}

/// The same bytes, only parsed; reading them is not counted.
fn bare(root: &Path) {
    let mut paths = Vec::new();
    walk(root, &mut paths);
    let texts: Vec<_> = paths
        .iter()
        .filter_map(|path| {
            let language = code::languages::of_path(path.to_str()?)?;
            Some((language, fs::read_to_string(path).ok()?))
        })
        .collect();
    for language in code::languages::ALL {
        // Grammars and queries are made once a process, and not what is measured.
        let _ = code::parse(language, "");
    }
    let threads = std::thread::available_parallelism().unwrap().get();
    let next = AtomicUsize::new(0);
    let parse = || {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((language, text)) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
                        std::hint::black_box(code::parse(language, text));
                    }
                });
            }
        });
    };
    times("bare parse", &repeat(1, |_| parse()));
}

fn cold(root: &Path, shelf: &Path) {
    let mut spent = Spent::default();
    let mut atlas = Atlas::open(root, Some(Shelf::at(shelf))).unwrap();
    let indexed = spent.once(|| atlas.freshen(&mut |_| {}).unwrap());
    times("cold index", &spent);
    println!(
        "{} files, {} lines, {} definitions, {} references, left out: {:?}",
        indexed.files, indexed.lines, indexed.symbols, indexed.references, indexed.skipped
    );
    row("cold resident bytes", [memory("VmRSS")]);
    row("cold peak bytes", [memory("VmHWM")]);
    row("shelf bytes", [u128::from(fs::metadata(shelf).unwrap().len())]);
}

fn warm(root: &Path, shelf: &Path) {
    let open = || Atlas::open(root, Some(Shelf::at(shelf))).unwrap();
    // Stamps that were taken right after the files were copied are doubted once.
    open().freshen(&mut |_| {}).unwrap();
    let file = some_files(&mut open(), 1).remove(0);
    let outline =
        |atlas: &mut Atlas, file: &str| atlas.answer(&Question::Outline { file: file.to_owned() }).unwrap();
    times("warm start to an outline", &repeat(STARTS, |_| drop(outline(&mut open(), &file))));
    times("of it, what was kept is read", &repeat(STARTS, |_| drop(open())));
    let mut atlas = open();
    atlas.freshen(&mut |_| {}).unwrap();
    row("warm resident bytes", [memory("VmRSS")]);

    let looks = repeat(LOOKS, |_| {
        let indexed = atlas.freshen(&mut |_| {}).unwrap();
        assert_eq!(indexed.changed, 0);
    });
    times("look at what has not changed", &looks);
    times("bare walk and stat", &repeat(LOOKS / 6, |_| walk_and_stat(root)));

    // As the daemon does when it has time.
    atlas::prepare(&atlas.languages());
    let files = some_files(&mut atlas, EDITS);
    let edits = repeat(EDITS, |at| {
        let path = root.join(&files[at]);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}\n")).unwrap();
        outline(&mut atlas, &files[at]);
    });
    times("one changed file", &edits);
    std::thread::sleep(Duration::from_millis(100));
    atlas.freshen(&mut |_| {}).unwrap();
    times("what definitions are about", &repeat(1, |_| assert!(atlas.understand(None))));
    questions(&mut atlas, None);
    row("resident bytes after all questions", [memory("VmRSS")]);
}

/// One kind of question alone, with what took longest.
fn ask(root: &Path, shelf: &Path, kind: &str) {
    let mut atlas = Atlas::open(root, Some(Shelf::at(shelf))).unwrap();
    atlas.freshen(&mut |_| {}).unwrap();
    questions(&mut atlas, Some(kind));
}

fn questions(atlas: &mut Atlas, only: Option<&str>) {
    let names = some_names(atlas, QUESTIONS);
    let files = some_files(atlas, QUESTIONS);
    let limit = Some(50);
    type Kind<'a> = (&'a str, Box<dyn Fn(usize) -> Question + 'a>);
    let kinds: Vec<Kind<'_>> = vec![
        ("outline", Box::new(|at| Question::Outline { file: files[at].clone() })),
        ("symbol", Box::new(|at| Question::Symbol { name: last(&names[at]), kind: None, limit })),
        ("refs", Box::new(|at| Question::Refs { symbol: names[at].clone(), limit })),
        ("callers", Box::new(|at| Question::Callers { symbol: names[at].clone(), limit })),
        ("callees", Box::new(|at| Question::Callees { symbol: names[at].clone(), limit })),
        ("impact", Box::new(|at| Question::Impact { symbol: names[at].clone(), depth: None, limit })),
        ("tests-for", Box::new(|at| Question::TestsFor { targets: vec![names[at].clone()], limit })),
        ("context", Box::new(|at| Question::Context { symbol: names[at].clone(), tokens: None })),
        ("flow", Box::new(|at| Question::Flow { symbol: names[at].clone() })),
        (
            "search",
            Box::new(|at| Question::Search {
                query: WORDS[at % WORDS.len()].to_owned(),
                under: None,
                limit: Some(20),
            }),
        ),
        ("dead", Box::new(|at| Question::Dead { under: Some(folder(&files[at])), public: false, limit })),
        (
            "deps",
            Box::new(|at| Question::Deps { under: Some(folder(&files[at])), files: false, depth: None }),
        ),
        ("dead, everywhere", Box::new(|_| Question::Dead { under: None, public: false, limit })),
        ("deps, everywhere", Box::new(|_| Question::Deps { under: None, files: false, depth: None })),
    ];
    for (name, question) in kinds.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
        let rounds = if name.contains("everywhere") { 3 } else { QUESTIONS };
        let mut failed = 0;
        let mut ask = |at: usize| {
            // A name that is ambiguous, or a language without flow, is an answer, too.
            failed += usize::from(atlas.answer(&question(at)).is_err());
        };
        if only.is_some() {
            let mut slow: Vec<(Duration, Question)> = (0..rounds)
                .map(|at| {
                    let begun = Instant::now();
                    ask(at);
                    (begun.elapsed(), question(at))
                })
                .collect();
            slow.sort_by_key(|(took, _)| std::cmp::Reverse(*took));
            slow.iter().take(5).for_each(|(took, question)| println!("{took:?} {question:?}"));
        }
        let first = repeat(rounds, &mut ask);
        let again = repeat(rounds, &mut ask);
        times(&format!("{name}, first time"), &first);
        times(name, &again);
        if failed > 0 {
            println!("{name}: {failed} of {} without an answer", rounds * 2);
        }
    }
}

const WORDS: &[&str] = &[
    "parse the headers of a request",
    "spawn a thread and wait for it",
    "fn with_capacity(",
    "class HTTPServer",
    "read_to_string",
    "convert a path to utf8",
    "kind:struct Builder",
    "retry with backoff",
    "Vec.push",
    "serialize a map to json",
    "def get_option",
    "compile a regular expression",
];

fn last(name: &str) -> String {
    name.rsplit(['.', ':']).next().unwrap_or(name).to_owned()
}

fn folder(path: &str) -> String {
    path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
}

/// Functions with a body, as far apart as can be: `path:name`.
fn some_names(atlas: &mut Atlas, count: usize) -> Vec<String> {
    let library = atlas.library();
    let all: Vec<String> = library
        .definitions()
        .filter(|(_, kind, _)| kind.is_callable())
        .map(|(def, _, name)| format!("{}:{name}", library.path(def.file)))
        .collect();
    spread(&all, count)
}

fn some_files(atlas: &mut Atlas, count: usize) -> Vec<String> {
    let library = atlas.library();
    let mut all: Vec<String> = library
        .files()
        .filter(|file| library.leaf(*file).is_some_and(|leaf| leaf.symbol_count() > 3))
        .map(|file| library.path(file).to_owned())
        .collect();
    all.sort();
    spread(&all, count)
}

fn spread(all: &[String], count: usize) -> Vec<String> {
    (0..count).map(|at| all[at * all.len() / count].clone()).collect()
}

/// On the clock, and on the processor: on a busy machine the second tells more.
#[derive(Default)]
struct Spent {
    clock: Vec<Duration>,
    processor: Vec<Duration>,
}

fn repeat(count: usize, mut what: impl FnMut(usize)) -> Spent {
    let mut spent = Spent::default();
    for at in 0..count {
        spent.once(|| what(at));
    }
    spent
}

impl Spent {
    fn once<T>(&mut self, what: impl FnOnce() -> T) -> T {
        let (from, busy) = (Instant::now(), processor());
        let answer = what();
        self.clock.push(from.elapsed());
        self.processor.push(processor().saturating_sub(busy));
        answer
    }
}

/// What all threads have used.
fn processor() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn times(name: &str, spent: &Spent) {
    row(name, spent.clock.iter().map(Duration::as_nanos));
    row(&format!("{name} (processor)"), spent.processor.iter().map(Duration::as_nanos));
}

fn row(name: &str, numbers: impl IntoIterator<Item = u128>) {
    let numbers: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    println!("{name}\t{}", numbers.join(" "));
}

fn memory(key: &str) -> u128 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u128>().ok()).unwrap_or(0) * 1024
}

/// What any look at the disk has to do at least: the same walk, and a stat of every file.
fn walk_and_stat(root: &Path) {
    for entry in ignore::WalkBuilder::new(root).require_git(false).build().flatten() {
        std::hint::black_box(entry.path().symlink_metadata().ok());
    }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), files),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
}

/// Copies sources until there are so many lines; how many files, lines and bytes there are.
fn gather(root: &Path, lines: usize) -> (usize, usize, usize) {
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).unwrap();
    let mut found = Vec::new();
    walk(&cargo.join("registry/src"), &mut found);
    for place in [
        "/usr/lib/python3.11",
        "/usr/lib/python3.12",
        "/usr/lib/python3.13",
        "/usr/include",
        "/usr/lib/node_modules",
    ] {
        walk(Path::new(place), &mut found);
    }
    let registry = cargo.join("registry/src");
    let (mut files, mut total, mut bytes) = (0, 0, 0);
    let mut seen = HashSet::new();
    let mut missing = 0;
    for (ending, share) in SHARES.iter().rev() {
        let mut wanted = lines * share / 100 + missing;
        let listed: Vec<&PathBuf> =
            found.iter().filter(|path| path.extension().is_some_and(|known| known == *ending)).collect();
        for path in listed {
            if wanted == 0 {
                break;
            }
            if !fs::metadata(path).is_ok_and(|data| data.len() <= MAX_FILE) {
                continue;
            }
            let Ok(text) = fs::read_to_string(path) else { continue };
            if text.len() < 200 || !seen.insert(text.clone()) {
                continue;
            }
            let inside = path.strip_prefix(&registry).or_else(|_| path.strip_prefix("/usr")).unwrap();
            let to = root.join(renamed(inside));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(to, &text).unwrap();
            let count = text.lines().count();
            (files, total, bytes) = (files + 1, total + count, bytes + text.len());
            wanted = wanted.saturating_sub(count);
        }
        missing = wanted;
    }
    (files, total, bytes)
}

/// Folders that are left out by their name are called otherwise.
fn renamed(path: &Path) -> PathBuf {
    let parts = path.iter().map(|part| {
        let part = part.to_string_lossy();
        match &*part {
            "node_modules" | "vendor" | "third_party" | "site-packages" | "dist" | "build" | "target"
            | "bin" => {
                format!("{part}-of-it")
            }
            hidden => hidden.trim_start_matches('.').to_owned(),
        }
    });
    parts.collect()
}
