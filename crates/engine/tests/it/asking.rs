//! What a question means: the time it names, what only looks like a filter, signs, and words nobody uses.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use embed::{EmbedError, Embedder, Identity, MiniLm, StaticModel};
use engine::search::Ask;
use model::Memory;
use store::MemoryFilter;

use crate::house::{DAY, House, NOW, Static, memory, some};

/// Answers when it is told to.
struct Slow {
    asked: Mutex<Sender<()>>,
    answers: Mutex<Receiver<()>>,
}

impl Embedder for Slow {
    fn identity(&self) -> &Identity {
        StaticModel::builtin().identity()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.asked.lock().unwrap().send(()).unwrap();
        self.answers.lock().unwrap().recv().unwrap();
        StaticModel::builtin().embed(texts)
    }
}

/// The large model in the binary.
struct Builtin;

impl Embedder for Builtin {
    fn identity(&self) -> &Identity {
        MiniLm::builtin().identity()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        MiniLm::builtin().embed(texts)
    }
}

#[test]
fn memories_that_contradict_each_other_are_all_shown() {
    let text = "The backup of the production database runs every night on port 5432 of the first host.";
    let memories: Vec<Memory> = [
        text.to_owned(),
        text.replace("production", "staging"),
        text.replace("5432", "5433"),
        text.replace("runs every night", "never runs"),
        text.replace("first", "second"),
        text.to_owned(),
    ]
    .iter()
    .zip(1..)
    .map(|(text, number)| memory(number, "Backup", text))
    .collect();
    let house = House::with_vectors(&memories);
    assert_eq!(house.find("backup of the database").len(), 5);
    // A title may be all that tells two apart.
    let titled = House::new(&[
        memory(1, "Production", "Keys are rotated every night by the job."),
        memory(2, "Staging", "Keys are rotated every night by the job."),
    ]);
    assert_eq!(titled.find("when are keys rotated").len(), 2);
}

#[test]
fn last_month_is_answered_from_last_month_and_not_from_today() {
    // 2026-11-19 12:00 UTC, a Thursday.
    let now = 1_795_089_600_000;
    let text = "The nightly deploy failed because the disk of the build host was full.";
    let at = |days: u64, number, text: &str| Memory { at: now - days * DAY, ..memory(number, "", text) };
    let first = |house: &House, text: &str| {
        let ask = Ask { text: text.to_owned(), limit: 10, now, ..Ask::default() };
        let hits = house.search.run(&ask).unwrap();
        (hits[0].id.as_u64(), hits.len())
    };
    let days = [(0, 1), (30, 2), (10, 3), (1, 4), (60, 5), (400, 6)];
    let different: Vec<Memory> =
        days.iter().map(|(days, n)| at(*days, *n, &format!("{text} Take {n}."))).collect();
    let same: Vec<Memory> = days.iter().map(|(days, n)| at(*days, *n, text)).collect();
    for (memories, shown) in [(different, 6), (same, 1)] {
        let house = House::with_vectors(&memories);
        for (time, id) in [
            ("last month", 2),
            ("a month ago", 2),
            ("in october", 2),
            ("last week", 3),
            ("10 days ago", 3),
            ("yesterday", 4),
            ("today", 1),
            ("in September", 5),
            ("last year", 6),
            ("in 2025", 6),
            ("before march", 6),
        ] {
            assert_eq!(first(&house, &format!("why did the deploy fail {time}?")), (id, shown), "{time}");
        }
    }
}

#[test]
fn what_only_looks_like_a_filter_is_text() {
    let house = House::with_vectors(&[
        memory(1, "Crash", "TypeError: tool:undefined is not a function, thrown by the runner."),
        memory(2, "Cache", "The cache of the parser was stale."),
    ]);
    for question in [
        "TypeError: tool:undefined is not a function",
        "kind:nonsense TypeError",
        "since:forever TypeError function",
        "file:missing.rs TypeError",
        "project:nowhere TypeError",
        "session:none TypeError",
        "tool:undefined",
    ] {
        assert_eq!(house.find(question).first().map(String::as_str), Some("Crash"), "{question}");
    }
    // What was asked for beside the question still holds.
    let filter = MemoryFilter { project: Some("nowhere".to_owned()), ..MemoryFilter::default() };
    let text = "tool:undefined TypeError".to_owned();
    assert!(house.ask(Ask { text, filter, ..Ask::default() }).is_empty());
}

#[test]
fn emoji_issue_numbers_and_short_flags_find_their_memory() {
    let house = House::new(&[
        memory(1, "Rocket", "Shipped 🚀 to everybody."),
        memory(2, "Crab", "Rewritten 🦀 in a week."),
        memory(3, "Issue", "Fixes #123 in the printer."),
        memory(4, "Count", "There are 123 printers."),
        memory(5, "Remove", "Cleaned with rm -rf by mistake."),
        memory(6, "Radio", "An rf signal was lost."),
    ]);
    for (question, title) in
        [("🚀", "Rocket"), ("🦀", "Crab"), ("#123", "Issue"), ("what about -rf", "Remove")]
    {
        assert_eq!(house.find(question)[0], title, "{question}");
    }
}

#[test]
fn nothing_is_found_for_a_word_that_is_nothing_to_any_memory() {
    let mut house = House::new(&some());
    house.search.use_model(&mut house.tables, Arc::new(Builtin)).unwrap();
    house.file();
    for question in ["blorptastic", "zxqv", "flurble gnarp"] {
        assert_eq!(house.find(question), [""; 0], "{question}");
    }
    assert_eq!(house.find("kitten")[0], "cats");
    assert_eq!(house.find("ownership problem with the compiler")[0], "borrow error");
}

#[test]
fn vectors_are_free_while_a_model_reads_a_question() {
    let mut house = House::new(&some());
    let (asked, reads) = channel();
    let (answer, answers) = channel();
    let slow = Slow { asked: Mutex::new(asked), answers: Mutex::new(answers) };
    answer.send(()).unwrap();
    house.search.use_model(&mut house.tables, Arc::new(slow)).unwrap();
    while house.search.embed_due(&mut house.tables, 10).unwrap() > 0 {}
    reads.recv().unwrap();
    let House { search, tables, .. } = &mut house;
    std::thread::scope(|scope| {
        let search = &*search;
        let question = scope.spawn(move || {
            search.run(&Ask { text: "kitten".to_owned(), limit: 1, now: NOW, ..Ask::default() }).unwrap()
        });
        reads.recv().unwrap();
        // Needs the vectors for itself, and gets them before the question is answered.
        search.use_model(tables, Arc::new(Static("two"))).unwrap();
        answer.send(()).unwrap();
        assert!(question.join().unwrap().is_empty(), "a vector of one model is not compared with another's");
    });
}
