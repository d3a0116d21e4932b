//! Documents in lines, good and bad.

use std::io::BufReader;

use import::{Effect, MAX_TEXT_BYTES, MAX_TITLE_CHARS, Options, Source};
use model::MemoryKind;

use crate::world::{World, halves, ids, options, told};

#[test]
fn a_document_keeps_what_it_says_of_itself() {
    let world = World::new();
    let path = world.file(
        "docs.jsonl",
        concat!(
            "\u{feff}{\"id\":\"d1\",\"text\":\"Auth moved. Tokens rotate.\",\"ts\":1763244000,\"session\":\"s1\",\"project\":\"shop\",\"kind\":\"Decision\"}\r\n",
            "\n",
            "{\"id\":7,\"text\":\"def login(): pass\",\"ts\":\"2025-11-15T22:00:00Z\",\"kind\":\"function\",\"extra\":{}}\n",
            "{\"text\":\"only a text\"}",
        ),
    );
    let reader = Source::Jsonl.read(&path, &Options { project: Some("till".into()), ..options() });
    assert!((2..=4).contains(&reader.estimate()), "{}", reader.estimate());
    let (records, problems) = halves(reader);
    assert_eq!(problems, []);
    let memories: Vec<_> = records.iter().map(|record| record.memory().unwrap()).collect();
    let [first, second, third] = memories.as_slice() else { panic!("{memories:?}") };

    assert_eq!((first.kind, first.at), (MemoryKind::Decision, 1_763_244_000_000));
    assert_eq!(first.external_id.as_deref(), Some("d1"));
    assert_eq!(first.session.as_ref().unwrap().as_str(), "s1");
    assert_eq!(
        (first.project.as_deref(), first.title.as_str()),
        (Some("shop"), "Auth moved. Tokens rotate.")
    );
    assert_eq!(first.concepts, [""; 0]);
    assert!(first.provenance.place.as_ref().unwrap().ends_with("docs.jsonl:1"));

    assert_eq!((second.kind, second.at), (MemoryKind::Document, 1_763_244_000_000));
    assert_eq!(
        (second.external_id.as_deref(), second.concepts.as_slice()),
        (Some("7"), &["function".to_owned()][..])
    );

    assert_eq!(
        (third.kind, third.at),
        (MemoryKind::Document, 0),
        "when is not known, and nothing is made up"
    );
    assert_eq!((third.external_id.as_deref(), third.project.as_deref()), (None, Some("till")));
}

#[test]
fn a_document_is_what_it_says_wherever_it_is_read_and_under_a_label_its_id() {
    let world = World::new();
    let text = "{\"id\":\"a\",\"text\":\"one\"}\n{\"id\":\"b\",\"text\":\"two\"}\n{\"text\":\"two\"}\n";
    let path = world.file("docs.jsonl", text);
    let renamed = world.file("elsewhere/notes.jsonl", text);
    let changed = world.file("elsewhere/docs.jsonl", text.replace("one", "changed"));
    let read = |path, label: Option<&str>| {
        let options = Options { label: label.map(str::to_owned), ..options() };
        ids(&halves(Source::Jsonl.read(path, &options)).0)
    };
    let first = read(&path, None);
    assert_eq!(first.len(), 3);
    assert_eq!(first, read(&path, None));
    assert_eq!(first, read(&renamed, None));
    let piped = import::read_jsonl(Box::new(text.as_bytes()), &options());
    assert_eq!(first, ids(&halves(piped).0));
    let other = read(&changed, None);
    assert!(other[0] != first[0] && other[1..] == first[1..], "another text takes nobody's place");
    assert!(first[0] != first[1] && first[1] != first[2]);

    let labeled = read(&path, Some("wiki"));
    assert_eq!(labeled, read(&changed, Some("wiki")), "news of the same documents");
    assert!(labeled.iter().all(|id| !first.contains(id)));
    assert!(read(&path, Some("other")).iter().all(|id| !labeled.contains(id)));
}

#[test]
fn one_id_in_two_projects_or_sessions_is_two_documents() {
    let world = World::new();
    let line = |rest: &str| format!("{{\"id\":1,\"text\":\"same\"{rest}}}\n");
    let lines = ["", ",\"project\":\"a\"", ",\"project\":\"b\"", ",\"session\":\"a\"", ",\"ts\":1763244000"];
    let path = world.file("docs.jsonl", lines.map(line).concat());
    let ids = ids(&halves(Source::Jsonl.read(&path, &options())).0);
    assert_eq!(ids[0], ids[4], "a time does not make it another one");
    let apart: std::collections::HashSet<_> = ids[..4].iter().collect();
    assert_eq!(apart.len(), 4);
}

#[test]
fn two_texts_under_one_id_of_a_label_are_told_and_the_first_stays() {
    let world = World::new();
    let line = |text: &str| format!("{{\"id\":1,\"text\":\"{text}\"}}\n");
    let path = world.file("docs.jsonl", ["one", "one", "two"].map(line).concat());
    let labeled = Options { label: Some("wiki".into()), ..options() };
    let (records, problems) = halves(Source::Jsonl.read(&path, &labeled));
    assert_eq!(records.len(), 2);
    assert_eq!(told(&problems), [(Effect::LeftOut, "docs.jsonl:3".to_owned())]);
    assert!(problems[0].what.contains("line 1"), "{}", problems[0]);
    let (records, problems) = halves(Source::Jsonl.read(&path, &options()));
    assert_eq!((records.len(), problems.len()), (3, 0), "without a label both are kept");
}

#[test]
fn a_time_that_is_none_is_told_and_the_document_kept_without() {
    let world = World::new();
    let odd = ["1e300", "-5", "99999999999999999999", "\"soon\"", "[]", "\"2300-01-01\""];
    let fine = ["null", "0", "1763244000"];
    let line = |ts: &&str| format!("{{\"text\":\"at {}\",\"ts\":{ts}}}\n", ts.replace('"', ""));
    let path = world.file("docs.jsonl", odd.iter().chain(&fine).map(line).collect::<String>());
    let (records, problems) = halves(Source::Jsonl.read(&path, &options()));
    let times: Vec<_> = records.iter().map(|record| record.memory().unwrap().at).collect();
    assert_eq!(times, [0, 0, 0, 0, 0, 0, 0, 0, 1_763_244_000_000]);
    let expected: Vec<_> = (1..=odd.len()).map(|at| (Effect::Undated, format!("docs.jsonl:{at}"))).collect();
    assert_eq!(told(&problems), expected);
}

#[test]
fn a_line_that_cannot_be_read_is_named_and_the_rest_follows() {
    let world = World::new();
    let good = "{\"id\":\"g\",\"text\":\"good\"}";
    let deep = format!("{{\"text\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let bad = [
        "{\"text\":\"cut off",
        "[1,2]",
        "\"text\"",
        "{}",
        "{\"text\":5}",
        "{\"text\":\"  \"}",
        "not json at all",
        "{\"text\":\"twice\"} {\"text\":\"twice\"}",
        &deep,
    ];
    let mut lines: Vec<&str> = vec![good];
    lines.extend(bad);
    lines.push(good);
    let path = world.file("docs.jsonl", lines.join("\n"));
    let (records, problems) = halves(Source::Jsonl.read(&path, &options()));
    assert_eq!(records.len(), 2);
    let expected: Vec<_> = (2..2 + bad.len()).map(|at| (Effect::Lost, format!("docs.jsonl:{at}"))).collect();
    assert_eq!(told(&problems), expected);
    assert!(problems[0].what.contains("column"), "{}", problems[0]);
}

#[test]
fn wrong_types_beside_a_text_are_passed_over_and_stray_bytes_replaced() {
    let world = World::new();
    let line = b"{\"id\":[1],\"text\":\"caf\xff and \\ud83d\\ude00\",\"ts\":{},\"session\":null,\"project\":9,\"kind\":true}";
    let (records, problems) = halves(Source::Jsonl.read(&world.file("docs.jsonl", line), &options()));
    assert_eq!(told(&problems), [(Effect::Undated, "docs.jsonl:1".to_owned())]);
    let memory = records[0].memory().unwrap();
    assert_eq!(memory.text, "caf\u{fffd} and 😀");
    assert_eq!((memory.at, memory.project.as_deref(), memory.session.as_ref()), (0, Some("9"), None));
}

#[test]
fn a_giant_line_is_passed_over_and_a_giant_text_is_shortened() {
    let world = World::new();
    let giant = format!("{{\"id\":\"g\",\"text\":\"{}\"}}", "x".repeat(50 << 20));
    let large = format!("{{\"id\":\"l\",\"text\":\"{}\"}}", "é".repeat(MAX_TEXT_BYTES));
    let path = world.file("docs.jsonl", format!("{giant}\n{large}\n{{\"text\":\"small\"}}\n"));
    let (records, problems) = halves(Source::Jsonl.read(&path, &options()));
    assert_eq!(
        told(&problems),
        [(Effect::Lost, "docs.jsonl:1".to_owned()), (Effect::Shortened, "docs.jsonl:2".to_owned())]
    );
    let memory = records[0].memory().unwrap();
    assert_eq!(memory.text.len(), MAX_TEXT_BYTES);
    assert!(memory.title.chars().count() <= MAX_TITLE_CHARS);
    assert_eq!(records.len(), 2);
}

#[test]
fn what_is_no_file_of_lines_is_refused_with_the_next_step() {
    let world = World::new();
    let gzip = world.file("docs.jsonl.gz", [0x1f, 0x8b, 8, 0]);
    let folder = world.path().to_owned();
    for (path, says) in
        [(gzip, "gunzip"), (folder, "is a folder"), ("/no/such/file".into(), "cannot be opened")]
    {
        let (records, problems) = halves(Source::Jsonl.read(&path, &options()));
        assert!(records.is_empty());
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].effect, Effect::Stopped);
        assert!(problems[0].what.contains(says), "{}", problems[0]);
    }
    let empty = Source::Jsonl.read(&world.file("empty", ""), &options());
    assert_eq!(empty.estimate(), 0);
    assert_eq!(empty.count(), 0);
}

#[test]
fn a_pipe_is_read_like_a_file() {
    let lines = BufReader::with_capacity(3, "{\"text\":\"a\"}\n{\"text\":\"b\"}".as_bytes());
    let (records, problems) = halves(import::read_jsonl(Box::new(lines), &options()));
    assert_eq!((records.len(), problems.len()), (2, 0));
}

#[test]
fn a_document_may_have_a_title_and_files() {
    let world = World::new();
    let path = world.file(
        "titled.jsonl",
        concat!(
            "{\"text\":\"The queue is drained by hand.\",\"title\":\"Draining\",\"files\":[\"src/queue.rs\",7,\"\"]}\n",
            "{\"text\":\"Nothing else is known.\",\"title\":\" \",\"files\":\"src/a.rs\"}\n",
        ),
    );
    let (records, problems) = halves(Source::Jsonl.read(&path, &options()));
    assert_eq!(problems, []);
    let told: Vec<_> = records.iter().map(|record| record.memory().unwrap()).collect();
    assert_eq!(
        (told[0].title.as_str(), told[0].files_read.join(" ")),
        ("Draining", "src/queue.rs".to_owned())
    );
    assert_eq!((told[1].title.as_str(), told[1].files_read.len()), ("Nothing else is known.", 0));
}
