//! What must hold of every file, also of those nobody has thought of.

use model::{MemoryId, MemoryKind};
use notes::{Change, Note, read, rewrite, slug, write};
use proptest::prelude::*;

const DAY: u64 = 24 * 60 * 60 * 1000;

/// Lines people and tools write into front matter, none of them a counter.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-gi-z][a-z_]{0,8}: [ -~äß]{0,30}",
        "# [ -~]{0,20}",
        "  - [a-z# ]{0,10}",
        "rules: [|>]",
        "metadata:",
        "  node: [a-z]{1,5}",
        "",
        "[ -~]{0,20}",
    ]
    .prop_filter("no end of the block", |line| !matches!(line.trim_end(), "---" | "..."))
}

fn note() -> impl Strategy<Value = Note> {
    let words = "[!-~äß漢][ -~äß漢]{0,40}[!-~äß漢]";
    (
        (
            words,
            proptest::option::of(words),
            proptest::option::of("[a-z]{1,9}"),
            "[!-~äß]([ -~äß\n]{0,200}[!-~äß])?",
        ),
        proptest::collection::vec("[a-zA-Z0-9 ,:#'\"-]{0,12}", 0..4),
        (
            any::<u32>(),
            any::<u32>(),
            proptest::option::of(1_u64..60_000),
            proptest::option::of(1_u64..4_000_000_000_000),
        ),
        (any::<u64>(), 0..MemoryKind::ALL.len(), any::<Option<bool>>(), any::<Option<bool>>()),
    )
        .prop_map(|((title, description, project, text), tags, (hits, prevented, day, created), rest)| {
            let mut seen: Vec<String> = Vec::new();
            // As a reader keeps them.
            for tag in tags {
                let tag = tag.split_whitespace().collect::<Vec<_>>().join(" ");
                if !tag.is_empty() && !seen.contains(&tag) {
                    seen.push(tag);
                }
            }
            let one_line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
            Note {
                id: Some(MemoryId::from_u64(rest.0)),
                title: Some(one_line(title)),
                description: description.map(one_line),
                kind: Some(MemoryKind::ALL[rest.1]),
                tags: seen,
                project,
                critical: rest.2,
                pinned: rest.3,
                hits: u64::from(hits),
                prevented: u64::from(prevented),
                last_applied: day.map(|day| day * DAY),
                created,
                invariant: None,
                text: text.trim().to_owned(),
                is_index: false,
                has_front: true,
                slips: Vec::new(),
            }
        })
        .prop_filter("a text", |note| !note.text.is_empty() && note.title.as_deref() != Some(""))
}

proptest! {
    #[test]
    fn what_is_written_reads_back(note in note()) {
        prop_assert_eq!(read(&write(&note)), note);
    }

    #[test]
    fn a_counter_written_back_changes_no_other_byte(
        before in proptest::collection::vec(line(), 0..6),
        after in proptest::collection::vec(line(), 0..6),
        body in "[ -~\n\räß]{0,80}",
        (old, new) in (0_u64..1000, 0_u64..1_000_000),
        crlf in any::<bool>(),
        mark in any::<bool>(),
    ) {
        // The counter stands at the top level, behind whatever stands before it.
        let newline = if crlf { "\r\n" } else { "\n" };
        let mut page = String::from(if mark { "\u{feff}" } else { "" });
        let all = |lines: &[String]| lines.iter().flat_map(|line| [line.as_str(), newline]).collect::<String>();
        let head = format!("{page}---{newline}{}name: x{newline}hits: ", all(&before));
        let tail = format!(" # mine{newline}name2: y{newline}{}---{newline}{body}", all(&after));
        page = format!("{head}{old}{tail}");
        let changed = rewrite(&page, &Change { hits: Some(new), ..Change::default() });
        prop_assert_eq!(&changed, &format!("{head}{new}{tail}"));
        prop_assert_eq!(rewrite(&changed, &Change { hits: Some(old), ..Change::default() }), page);
    }

    #[test]
    fn no_text_breaks_the_reader_or_loses_its_words(text in "(---\n)?[ -~\n\r\t:#'\"\\[\\]|>ä\u{feff}-]{0,200}") {
        let note = read(&text);
        let marked = rewrite(&text, &Change { critical: Some(true), hits: Some(7), ..Change::default() });
        let after = read(&marked);
        prop_assert_eq!((after.critical, after.hits), (Some(true), 7));
        prop_assert_eq!(after.text, note.text);
        prop_assert!(!slug(&text).contains(['/', '\0', '.']));
    }

    #[test]
    fn a_text_written_into_any_page_reads_back(page in "(---\nname: [a-z]{1,5}\n---\n)?[ -~\n\r]{0,100}", said in "[a-zä][ -~ä\n]{0,80}[a-zä]") {
        let after = rewrite(&page, &Change { text: Some(said.clone()), ..Change::default() });
        let (before, note) = (read(&page), read(&after));
        prop_assert_eq!(note.text, said);
        if before.title.is_some() {
            prop_assert_eq!(note.title, before.title);
        }
    }
}
