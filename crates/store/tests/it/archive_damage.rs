//! A kill at any byte, a bit that rotted, any text at all: what is read back is what was written, or nothing.

use std::fs::{self, OpenOptions};
use std::io::Write;

use proptest::prelude::*;
use store::archive::Archive;

use crate::archive_stories::{Shelf, key, redact};
use crate::world::Chance;

/// Three frames, and what they hold.
fn three_frames(shelf: &Shelf) -> Vec<String> {
    let archive = shelf.open();
    shelf.write("");
    for round in 0..3 {
        for line in 0..4 {
            shelf.grow(&format!("{{\"round\":{round},\"line\":{line}}}\n"));
        }
        shelf.append(&archive);
    }
    shelf.texts()
}

#[test]
fn a_kill_at_any_byte_loses_nothing_and_doubles_nothing() {
    let shelf = Shelf::new();
    let texts = three_frames(&shelf);
    let path = shelf.files().pop().unwrap();
    let whole = fs::read(&path).unwrap();
    for end in 0..whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        let left = shelf.texts();
        assert_eq!(left[..], texts[..left.len()], "{end}: a reader sees whole frames");
        assert_eq!(left.len() % 4, 0);
        let archive = shelf.open();
        let appended = shelf.append(&archive);
        assert_eq!(appended.new_lines, left.len() as u64..12, "{end}");
        assert_eq!(shelf.texts(), texts, "{end}");
    }
}

#[test]
fn a_length_without_its_bytes_is_cut() {
    let shelf = Shelf::new();
    let texts = three_frames(&shelf);
    let path = shelf.files().pop().unwrap();
    let whole = fs::read(&path).unwrap();
    for zeros in [1, 79, 80, 500] {
        let mut torn = whole.clone();
        let at = torn.len() - zeros.min(40);
        torn[at..].fill(0);
        torn.extend(vec![0; zeros]);
        fs::write(&path, &torn).unwrap();
        assert_eq!(shelf.texts(), texts[..8]);
        shelf.append(&shelf.open());
        assert_eq!(shelf.texts(), texts, "{zeros}");
        assert_eq!(fs::read(&path).unwrap(), whole, "the tail is gone, not buried");
    }
}

#[test]
fn a_rotten_frame_costs_its_lines_and_not_those_behind_it() {
    let shelf = Shelf::new();
    let texts = three_frames(&shelf);
    let path = shelf.files().pop().unwrap();
    let whole = fs::read(&path).unwrap();
    let frame = whole.len() / 3;
    let mut chance = Chance(7);
    for _ in 0..300 {
        let mut rotten = whole.clone();
        let at = frame + chance.below(frame as u64 - 8) as usize;
        rotten[at] ^= 1 << chance.below(8);
        fs::write(&path, &rotten).unwrap();
        assert_eq!(shelf.texts(), [&texts[..4], &texts[8..]].concat(), "byte {at}");
        let archive = shelf.open();
        assert_eq!(shelf.append(&archive).new_lines, 12..12, "what follows the damage is not written again");
    }
}

#[test]
fn garbage_in_the_folder_is_nobodys_transcript() {
    let shelf = Shelf::new();
    let texts = three_frames(&shelf);
    let folder = shelf.files().pop().unwrap().parent().unwrap().to_owned();
    for name in ["main-x.zst", "main-00000000.zst", "main-.zst", "notes.txt"] {
        fs::write(folder.join(name), "garbage").unwrap();
    }
    fs::write(shelf.folder().join("stray"), "garbage").unwrap();
    let archive = shelf.open();
    assert_eq!(shelf.append(&archive).new_lines, 12..12);
    assert_eq!(shelf.texts(), texts);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_and_the_next_call_goes_on() {
    let shelf = Shelf::new();
    let texts = three_frames(&shelf);
    let path = shelf.files().pop().unwrap();
    let archive = shelf.open();
    shelf.append(&archive);
    // Root may write everything, except into a folder as if it were a file.
    let aside = path.with_extension("aside");
    fs::rename(&path, &aside).unwrap();
    fs::create_dir(&path).unwrap();
    shelf.grow("{\"more\":1}\n");
    assert!(archive.append(&key(), &shelf.source(), &redact).is_err());
    fs::remove_dir(&path).unwrap();
    fs::rename(&aside, &path).unwrap();
    assert_eq!(shelf.append(&archive).new_lines, 12..13);
    assert_eq!(shelf.texts()[..12], texts[..]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// However a source grows, what is read back is its whole lines.
    #[test]
    fn any_bytes_in_any_portions_come_back(
        portions in prop::collection::vec(prop::collection::vec(prop_oneof![4 => any::<u8>(), 1 => Just(b'\n')], 0..300), 1..6),
        reopen: bool,
    ) {
        let shelf = Shelf::new();
        shelf.write("");
        let mut archive = Some(shelf.open());
        let mut whole = Vec::new();
        for portion in &portions {
            let mut source = OpenOptions::new().append(true).open(shelf.source()).unwrap();
            source.write_all(portion).unwrap();
            whole.extend_from_slice(portion);
            if reopen {
                drop(archive.take());
                archive = Some(shelf.open());
            }
            let archive: &Archive = archive.as_ref().expect("just opened");
            prop_assert_eq!(archive.append(&key(), &shelf.source(), &|line| line.to_vec()).unwrap().generation, 1);
        }
        let end = whole.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let expected: Vec<String> = String::from_utf8_lossy(&whole[..end]).split_terminator('\n').map(str::to_owned).collect();
        prop_assert_eq!(shelf.texts(), expected);
    }
}
