//! Folders of notes, friendly and hostile.

use std::os::unix::fs::symlink;
use std::process::Command;

use import::{Effect, MAX_TITLE_CHARS, Options, Source};
use model::MemoryKind;

use crate::world::{World, halves, ids, options, told};

fn long(word: &str) -> String {
    format!("{word} ").repeat(300)
}

#[test]
fn a_short_note_is_one_memory_and_a_long_one_is_one_per_section() {
    let world = World::new();
    world.file("short.md", "---\ntags: a, b\nmodified: 2026-02-03\n---\n# Short\n\n## One\nx\n## Two\ny\n");
    let text =
        format!("# Long\n\nabout\n\n## Setup\n{}\n## Use\n{}\n## Setup\nagain\n", long("make"), long("run"));
    world.file("sub/long.md", text);
    world.file("sub/readme.txt", "not a note");
    let reader = Source::MemoryMd.read(world.path(), &Options { project: Some("shop".into()), ..options() });
    assert_eq!(reader.estimate(), 2);
    let (records, problems) = halves(reader);
    assert_eq!(problems, []);
    let memories: Vec<_> = records.iter().map(|record| record.memory().unwrap()).collect();
    let told: Vec<_> =
        memories.iter().map(|m| (m.title.as_str(), m.external_id.as_deref().unwrap())).collect();
    assert_eq!(
        told,
        [
            ("Short", "short.md"),
            ("Long", "sub/long.md"),
            ("Setup", "sub/long.md#Setup"),
            ("Use", "sub/long.md#Use"),
            ("Setup", "sub/long.md#Setup (2)"),
        ]
    );
    assert!(memories.iter().all(|m| m.project.as_deref() == Some("shop") && m.kind == MemoryKind::Document));
    assert_eq!(memories[0].at, 1_770_076_800_000);
    assert_eq!(memories[0].concepts, ["a", "b"]);
    assert_eq!(memories[2].subtitle.as_deref(), Some("Long"));
}

#[test]
fn reading_again_gives_the_same_ids_also_after_a_section_was_put_in_between() {
    let world = World::new();
    let (one, two) = (format!("## One\n{}\n", long("alpha")), format!("## Two\n{}\n", long("beta")));
    world.file("vault/n.md", format!("{one}{two}"));
    let first = ids(&world.read(Source::MemoryMd).0);
    assert_eq!(first, ids(&world.read(Source::MemoryMd).0));
    assert_eq!(first, ids(&halves(Source::MemoryMd.read(&world.path().join("vault"), &options())).0));
    world.file("vault/n.md", format!("{one}## Between\nc\n{two}"));
    let second = ids(&world.read(Source::MemoryMd).0);
    assert_eq!((second[0], second[2]), (first[0], first[1]));
    world.file("other/n.md", format!("{one}{two}"));
    let mut all = ids(&world.read(Source::MemoryMd).0);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 5, "the same text elsewhere is another note");
}

#[test]
fn links_pipes_hidden_folders_and_what_is_not_text_are_left_out() {
    let outside = World::new();
    outside.file("secret.md", "not yours");
    let world = World::new();
    world.file("note.md", "kept");
    world.file(".obsidian/workspace.md", "hidden");
    world.file("node_modules/x/README.md", "a stranger's");
    world.file("binary.md", b"\x00\x01\x02");
    world.file("empty.md", "---\ntags: [x]\n---\n\n");
    symlink(outside.path().join("secret.md"), world.path().join("link.md")).unwrap();
    symlink(outside.path(), world.path().join("linked-folder")).unwrap();
    symlink(world.path(), world.path().join("loop")).unwrap();
    assert!(Command::new("mkfifo").arg(world.path().join("pipe.md")).status().unwrap().success());
    let (records, problems) = world.read(Source::MemoryMd);
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].memory().unwrap().text, "kept");
    let mut names = told(&problems);
    names.sort_by(|a, b| a.1.cmp(&b.1));
    let expected = ["binary.md", "empty.md", "link.md"].map(|name| (Effect::LeftOut, name.to_owned()));
    assert_eq!(names, expected);
}

#[test]
fn strange_names_bytes_and_sizes_are_taken_as_they_are() {
    let world = World::new();
    world.file("..md", "hidden by its dot");
    world.file("a\nb\x1b[31m.md", "odd name");
    world.file("latin.md", b"# Caf\xe9\n\ntext");
    world.file("giant.MD", format!("# {}\n{}", "word ".repeat(99), "x".repeat(9 << 20)));
    world.file(&format!("{}deep.md", "d/".repeat(30)), "too deep");
    let (records, problems) = world.read(Source::MemoryMd);
    let titles: Vec<_> = records.iter().map(|record| record.memory().unwrap().title.as_str()).collect();
    assert_eq!(records.len(), 3, "{titles:?}");
    assert!(titles.contains(&"Caf\u{fffd}") && titles.contains(&"a b [31m"), "{titles:?}");
    assert!(titles.iter().all(|title| title.chars().count() <= MAX_TITLE_CHARS));
    let effects: Vec<Effect> = problems.iter().map(|problem| problem.effect).collect();
    assert_eq!(effects, [Effect::LeftOut, Effect::Shortened], "{problems:?}");
}

#[test]
fn the_index_of_an_auto_memory_is_left_out_and_a_memory_file_with_words_is_kept() {
    let world = World::new();
    world.file("a/MEMORY.md", "# Memory\n- [Login](login.md): how\n- [Deploy](deploy.md): when\n");
    world.file("b/MEMORY.md", "# Memory\nAlways run the tests first.\nNever on Friday.\nSee [x](x.md).\n");
    world.file(
        "a/login.md",
        "---\nname: login\ntype: feedback\nmetadata:\n  created: 2026-01-01\n---\nUse the lock.",
    );
    let (records, problems) = world.read(Source::MemoryMd);
    assert_eq!(told(&problems), [(Effect::LeftOut, "MEMORY.md".to_owned())]);
    let kinds: Vec<_> = records.iter().map(|record| record.memory().unwrap().kind).collect();
    assert_eq!(kinds, [MemoryKind::Learning, MemoryKind::Document]);
    assert_eq!(records[0].memory().unwrap().at, 1_767_225_600_000);
}

#[test]
fn a_folder_that_is_not_there_stops_with_its_name() {
    let (records, problems) = halves(Source::MemoryMd.read("/no/such/folder".as_ref(), &options()));
    assert!(records.is_empty());
    assert_eq!(problems[0].effect, Effect::Stopped);
    assert!(problems[0].to_string().contains("/no/such/folder"), "{}", problems[0]);
}
