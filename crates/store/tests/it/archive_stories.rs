//! A transcript on its way into the archive and back.

use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use agents::transcript::{Line, chunks};
use model::SessionId;
use store::StoreError;
use store::archive::{
    Appended, Archive, Key, MAX_GENERATIONS, MAX_LINE_BYTES, MAX_READ_BYTES, RawLines, read, span,
};

use crate::world::World;

pub(crate) const SECRET: &str = "hunter2-of-the-test";

/// An archive and a source beside it.
pub(crate) struct Shelf {
    world: World,
}

impl Shelf {
    pub(crate) fn new() -> Self {
        Self { world: World::new() }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.world.path().join("archive")
    }

    pub(crate) fn source(&self) -> PathBuf {
        self.world.path().join("source.jsonl")
    }

    pub(crate) fn open(&self) -> Archive {
        Archive::open(&self.folder()).unwrap()
    }

    pub(crate) fn write(&self, text: &str) {
        fs::write(self.source(), text).unwrap();
    }

    pub(crate) fn grow(&self, text: &str) {
        OpenOptions::new().append(true).open(self.source()).unwrap().write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn append(&self, archive: &Archive) -> Appended {
        archive.append(&key(), &self.source(), &redact).unwrap()
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        let lines = read(&self.folder(), &key(), 0..u64::MAX).unwrap();
        lines.into_iter().map(|line| line.text).collect()
    }

    /// Every file of the archive.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { found.push(path) }
            }
        }
        found.sort();
        found
    }
}

pub(crate) fn key() -> Key {
    keyed("one")
}

fn keyed(session: &str) -> Key {
    Key { agent: "claude-code".to_owned(), session: SessionId::new(session), subagent: None }
}

pub(crate) fn redact(line: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(line).replace(SECRET, "[redacted]").into_bytes()
}

fn lines(range: Range<u32>) -> String {
    let lines: Vec<String> = range.map(|number| format!("{{\"line\":{number}}}\n")).collect();
    lines.concat()
}

#[test]
fn only_what_is_new_is_read_and_only_whole_lines_are_taken() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    shelf.write("{\"a\":1}\n{\"b\":2}\n{\"torn");
    let first = shelf.append(&archive);
    assert_eq!(
        (first.new_lines.clone(), first.generation, first.first_line, first.bytes_read),
        (0..2, 1, 0, 16)
    );
    shelf.grow("\":3}\n{\"d\":4}\n");
    let second = shelf.append(&archive);
    assert_eq!((second.new_lines.clone(), second.generation, second.bytes_read), (2..4, 1, 19));
    assert_eq!(shelf.texts(), ["{\"a\":1}", "{\"b\":2}", "{\"torn\":3}", "{\"d\":4}"]);
    assert_eq!(archive.total_bytes(), first.bytes_written + second.bytes_written);
    assert_eq!(
        archive.read(&key(), 1..3).unwrap().iter().map(|line| line.number).collect::<Vec<_>>(),
        [1, 2]
    );
    assert_eq!(span(&shelf.folder(), &key()).unwrap(), 0..4);
    assert_eq!(span(&shelf.folder(), &keyed("another")).unwrap(), 0..0);
}

#[test]
fn without_news_nothing_is_read_or_written() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    shelf.write(&lines(0..10));
    let before = SystemTime::now() - Duration::from_mins(1);
    let keep_time = || {
        let source = OpenOptions::new().write(true).open(shelf.source()).unwrap();
        source.set_times(FileTimes::new().set_modified(before)).unwrap();
    };
    keep_time();
    shelf.append(&archive);
    let kept = fs::read(&shelf.files()[0]).unwrap();
    // Other bytes, but the same to `stat`: who looked inside would notice.
    let mut source = OpenOptions::new().write(true).open(shelf.source()).unwrap();
    source.write_all(&[b'x'; 10]).unwrap();
    drop(source);
    keep_time();
    let again = shelf.append(&archive);
    assert_eq!((again.new_lines, again.bytes_read, again.bytes_written), (10..10, 0, 0));
    assert_eq!(fs::read(&shelf.files()[0]).unwrap(), kept);
}

#[test]
fn a_later_process_goes_on_where_the_earlier_stopped() {
    let shelf = Shelf::new();
    shelf.write(&lines(0..3));
    shelf.append(&shelf.open());
    let archive = shelf.open();
    assert_eq!(shelf.append(&archive).new_lines, 3..3);
    shelf.grow(&lines(3..5));
    let appended = shelf.append(&archive);
    assert_eq!((appended.new_lines, appended.generation), (3..5, 1));
    assert_eq!(shelf.texts().len(), 5);
    assert_eq!(archive.total_bytes(), fs::metadata(&shelf.files()[0]).unwrap().len());
}

#[test]
fn a_source_that_was_cut_or_replaced_begins_a_generation() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    shelf.write(&lines(0..4));
    shelf.append(&archive);

    shelf.write(&lines(0..2));
    let cut = shelf.append(&archive);
    assert_eq!((cut.new_lines, cut.generation, cut.first_line), (4..6, 2, 4));

    // Another file of the same name that is longer than the one before.
    fs::remove_file(shelf.source()).unwrap();
    shelf.write(&lines(100..110));
    let replaced = shelf.append(&archive);
    assert_eq!((replaced.new_lines, replaced.generation, replaced.first_line), (6..16, 3, 6));

    // Rewritten in place behind its beginning.
    let mut text = lines(100..110);
    text.replace_range(text.len() - 3..text.len() - 2, "x");
    shelf.write(&(text + "{}\n"));
    assert_eq!(shelf.append(&archive).generation, 4);

    let all = shelf.texts();
    assert_eq!(all.len(), 4 + 2 + 10 + 11, "nothing that was here is lost");
    assert_eq!(all[4], "{\"line\":0}");
    assert_eq!(archive.read(&key(), 6..7).unwrap()[0].text, "{\"line\":100}");
}

#[test]
fn the_same_content_in_another_file_is_no_replacement() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    shelf.write(&lines(0..4));
    shelf.append(&archive);
    fs::remove_file(shelf.source()).unwrap();
    shelf.write(&lines(0..6));
    let appended = shelf.append(&archive);
    assert_eq!((appended.new_lines, appended.generation), (4..6, 1), "a restored backup, say");
}

#[test]
fn an_emptied_source_waits_and_a_missing_one_is_an_error_that_changes_nothing() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    shelf.write(&lines(0..4));
    shelf.append(&archive);
    shelf.write("");
    assert_eq!(shelf.append(&archive).new_lines, 4..4);
    fs::remove_file(shelf.source()).unwrap();
    assert!(matches!(archive.append(&key(), &shelf.source(), &redact), Err(StoreError::Io { .. })));
    shelf.write(&lines(0..5));
    assert_eq!(shelf.append(&archive).new_lines, 4..5, "it is the first generation, grown");
}

#[test]
fn a_source_that_is_replaced_again_and_again_stays_bounded() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    for round in 0..MAX_GENERATIONS as u32 + 5 {
        shelf.write(&lines(round * 10..round * 10 + 3));
        shelf.append(&archive);
    }
    assert_eq!(shelf.files().len(), MAX_GENERATIONS);
    assert_eq!(span(&shelf.folder(), &key()).unwrap(), 15..39, "numbers are not given again");
    let bytes: u64 = shelf.files().iter().map(|file| fs::metadata(file).unwrap().len()).sum();
    assert_eq!(archive.total_bytes(), bytes);
}

#[test]
fn nothing_unredacted_reaches_the_archive() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    let hostile = Key {
        session: SessionId::new(&format!("../../{SECRET}")),
        subagent: Some(SECRET.to_owned()),
        ..key()
    };
    shelf.write(&format!("{{\"key\":\"{SECRET}\"}}\n").repeat(20_000));
    for key in [key(), hostile.clone()] {
        archive.append(&key, &shelf.source(), &redact).unwrap();
    }
    let contains = |bytes: &[u8]| bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
    for file in shelf.files() {
        assert!(!file.to_string_lossy().contains(SECRET), "{}", file.display());
        let bytes = fs::read(&file).unwrap();
        assert!(!contains(&bytes));
        let text = zstd::stream::decode_all(bytes.as_slice()).unwrap();
        assert!(!contains(&text) && text.starts_with(b"{\"key\":\"[redacted]\"}\n"));
        assert!(file.starts_with(shelf.folder()), "a session id is no path");
    }
    assert_eq!(shelf.files().len(), 2);
    assert_eq!(archive.read(&hostile, 19_999..20_000).unwrap().len(), 1);
}

/// The real redactor, a real transcript with secrets where tools and people put them, and the way back out.
#[test]
fn a_real_transcript_comes_back_readable_and_without_its_secrets() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    let recorded =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../agents/fixtures/claude_code_transcripts/tools.jsonl");
    let token = format!("ghp_{}", "A1b2C3d4E5f6".repeat(3));
    let text = fs::read_to_string(recorded).unwrap();
    let planted = text
        .replace("\"use the tools\"", &format!("\"use {token} with the tools\""))
        .replace("\"stdout\":\"hi\"", &format!("\"stdout\":\"GITHUB_TOKEN={token}\""))
        .replace("alpha", &format!("token: {token}"));
    assert!(planted.matches(&token).count() > 5);
    shelf.write(&planted);
    let redactor = redact::Redactor::new(redact::Settings::default()).unwrap();
    archive.append(&key(), &shelf.source(), &|line| redactor.envelope(line).json).unwrap();
    for file in shelf.files() {
        let bytes = fs::read(file).unwrap();
        let text = String::from_utf8(zstd::stream::decode_all(bytes.as_slice()).unwrap()).unwrap();
        assert!(!text.contains(&token) && text.lines().count() == planted.lines().count());
    }
    let lines: Vec<Line> = archive
        .read(&key(), 0..u64::MAX)
        .unwrap()
        .iter()
        .flat_map(|line| agents::ClaudeCode.lines(line.number, line.text.as_bytes()))
        .collect();
    let found = chunks(&lines);
    assert_eq!(found.len(), 1);
    assert!(found[0].text.starts_with("use ") && found[0].text.ends_with("all done"), "{}", found[0].text);
    assert_eq!((found[0].first_line, found[0].last_line), (2, 52));
}

#[test]
fn a_redactor_that_breaks_lines_keeps_their_numbers() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    shelf.write("a-b\nc\n");
    let breaks = |line: &[u8]| String::from_utf8_lossy(line).replace('-', "\n").into_bytes();
    archive.append(&key(), &shelf.source(), &breaks).unwrap();
    assert_eq!(shelf.texts(), ["a b", "c"]);
}

#[test]
fn a_line_that_is_too_long_is_left_out_and_keeps_its_place() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    let mut source = File::create(shelf.source()).unwrap();
    source.write_all(b"before\n").unwrap();
    for _ in 0..50 {
        source.write_all(&vec![b'x'; 1 << 20]).unwrap();
    }
    source.write_all(b"\nafter\n").unwrap();
    let appended = archive
        .append(&key(), &shelf.source(), &|line| {
            assert!(line.len() <= MAX_LINE_BYTES);
            line.to_vec()
        })
        .unwrap();
    assert_eq!((appended.new_lines, appended.left_out), (0..3, 1));
    let note = format!("{{\"type\":\"throughline-left-out\",\"bytes\":{}}}", 50 << 20);
    assert_eq!(shelf.texts(), ["before", note.as_str(), "after"]);

    let mut raw = RawLines::open(&shelf.source()).unwrap();
    let mut seen = Vec::new();
    while let Some(line) = raw.next().unwrap() {
        seen.push((line.number, line.bytes.len(), line.length, line.whole));
    }
    assert_eq!(seen, [(0, 6, 6, true), (1, 0, 50 << 20, true), (2, 5, 5, true)]);
}

#[test]
fn a_long_transcript_is_read_in_pages() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    shelf.write(&format!("{}\n", "x".repeat(1 << 20)).repeat(10));
    shelf.append(&archive);
    let (mut at, mut pages) = (0, 0);
    while at < 10 {
        let page = archive.read(&key(), at..10).unwrap();
        assert_eq!(page[0].number, at);
        let bytes: usize = page.iter().map(|line| line.text.len()).sum();
        assert!(bytes <= MAX_READ_BYTES + (1 << 20), "{bytes}");
        at = page.last().unwrap().number + 1;
        pages += 1;
    }
    assert_eq!((at, pages), (10, 3));
}

#[test]
fn links_pipes_and_folders_are_no_sources() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    shelf.write(&lines(0..1));
    let link = shelf.source().with_extension("link");
    symlink(shelf.source(), &link).unwrap();
    let pipe = shelf.source().with_extension("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    for path in [link, pipe, shelf.folder()] {
        assert!(archive.append(&key(), &path, &redact).is_err(), "{}", path.display());
        assert!(RawLines::open(&path).is_err(), "{}", path.display());
    }
    assert_eq!(shelf.files(), Vec::<PathBuf>::new());
}

#[test]
fn the_archive_is_private_and_has_one_writer() {
    let shelf = Shelf::new();
    fs::create_dir(shelf.folder()).unwrap();
    fs::set_permissions(shelf.folder(), fs::Permissions::from_mode(0o755)).unwrap();
    let archive = shelf.open();
    shelf.write(&lines(0..1));
    shelf.append(&archive);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&shelf.folder()), 0o700);
    for file in shelf.files() {
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    }
    assert!(matches!(Archive::open(&shelf.folder()), Err(StoreError::Busy(_))));
    drop(archive);
    shelf.open();
}

#[test]
fn a_session_goes_with_its_subagents_and_no_other() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    shelf.write(&lines(0..9));
    let subagent = Key { subagent: Some("a44b".to_owned()), ..key() };
    for key in [key(), subagent.clone(), keyed("two")] {
        archive.append(&key, &shelf.source(), &redact).unwrap();
    }
    let before = archive.total_bytes();
    let removed = archive.remove("claude-code", &SessionId::new("one")).unwrap();
    assert_eq!((removed, archive.total_bytes()), (before / 3 * 2, before / 3));
    for key in [key(), subagent] {
        assert_eq!(archive.read(&key, 0..9).unwrap(), []);
    }
    assert_eq!(archive.read(&keyed("two"), 0..9).unwrap().len(), 9);
    assert_eq!(archive.remove("claude-code", &SessionId::new("one")).unwrap(), 0);
    assert_eq!(shelf.append(&archive).new_lines, 0..9, "nothing is remembered of it");
}

#[test]
fn the_sessions_that_grew_least_recently_go_first_and_the_last_one_stays() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    shelf.write(&lines(0..9));
    for session in ["old", "older", "new"] {
        archive.append(&keyed(session), &shelf.source(), &redact).unwrap();
    }
    let each = archive.total_bytes() / 3;
    let ages = [("older", 300), ("old", 200), ("new", 100)];
    for (session, age) in ages {
        let path = shelf
            .files()
            .into_iter()
            .find(|file| fs::read(file).is_ok() && is_of(&shelf, file, session))
            .unwrap();
        let time = SystemTime::now() - Duration::from_secs(age);
        OpenOptions::new()
            .write(true)
            .open(path)
            .unwrap()
            .set_times(FileTimes::new().set_modified(time))
            .unwrap();
    }
    let kept = |session: &str| !archive.read(&keyed(session), 0..9).unwrap().is_empty();
    assert_eq!(archive.enforce(u64::MAX).unwrap().sessions, 0);
    let dropped = archive.enforce(each * 2).unwrap();
    assert_eq!((dropped.sessions, dropped.bytes, archive.total_bytes()), (1, each, each * 2));
    assert_eq!([kept("older"), kept("old"), kept("new")], [false, true, true]);
    assert_eq!(archive.enforce(0).unwrap().sessions, 1);
    assert_eq!([kept("old"), kept("new")], [false, true]);
}

/// Which file is whose is not in its name: a copy of the archive without the others tells.
fn is_of(shelf: &Shelf, file: &Path, session: &str) -> bool {
    let copy = shelf.source().with_extension("copy");
    let _ = fs::remove_dir_all(&copy);
    let folder = file.parent().unwrap().file_name().unwrap();
    fs::create_dir_all(copy.join(folder)).unwrap();
    fs::copy(file, copy.join(folder).join(file.file_name().unwrap())).unwrap();
    !read(&copy, &keyed(session), 0..1).unwrap().is_empty()
}

#[test]
fn a_removal_that_was_interrupted_is_finished_at_the_next_start() {
    let shelf = Shelf::new();
    shelf.write(&lines(0..9));
    shelf.append(&shelf.open());
    let session = shelf.files()[0].parent().unwrap().to_owned();
    let name = session.file_name().unwrap().to_str().unwrap();
    fs::rename(&session, shelf.folder().join(format!("removed-{name}"))).unwrap();
    let archive = shelf.open();
    assert_eq!((archive.total_bytes(), shelf.files().len()), (0, 0));
}

#[test]
fn readers_see_a_prefix_while_the_writer_writes() {
    let shelf = Shelf::new();
    let archive = shelf.open();
    shelf.write("");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut most = 0;
                    while !done.load(Ordering::Relaxed) {
                        let texts = shelf.texts();
                        assert!(texts.len() >= most, "a line was here and is gone");
                        most = texts.len();
                        for (number, text) in texts.iter().enumerate() {
                            assert_eq!(text, &format!("{{\"line\":{number}}}"));
                        }
                    }
                    most
                })
            })
            .collect();
        for round in 0..60 {
            shelf.grow(&lines(round * 50..round * 50 + 50));
            shelf.append(&archive);
        }
        done.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().unwrap();
        }
    });
    assert_eq!(shelf.texts().len(), 3000);
}
