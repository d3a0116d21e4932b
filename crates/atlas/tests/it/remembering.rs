//! What a map knew is there for the next process, and a shelf in whatever state costs no answer.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::Duration;

use atlas::{Atlas, Question, Shelf};

use crate::workspace::{Workspace, index, is_mapped, names, outline};

/// Past the window in which a stamp is doubted.
fn rest() {
    thread::sleep(Duration::from_millis(80));
}

fn workspace() -> Workspace {
    Workspace::new(&[
        ("a.py", "from b import two\ndef one(): two()\n"),
        ("sub/b.py", "def two(): pass\n"),
        ("made.py", "# @generated\ndef three(): pass\n"),
    ])
}

#[test]
fn the_next_process_reads_nothing_anew_and_answers_the_same() {
    let workspace = workspace();
    let first = {
        let mut atlas = workspace.shelved();
        assert_eq!(index(&mut atlas).changed, 2);
        rest();
        index(&mut atlas);
        (names(&mut atlas, "a.py"), index(&mut atlas))
    };
    let mut atlas = workspace.shelved();
    let known = index(&mut atlas);
    assert_eq!((known.changed, known.files, known.skipped.get("generated")), (0, 2, Some(&1)));
    assert_eq!((known.lines, known.bytes, known.symbols), (first.1.lines, first.1.bytes, first.1.symbols));
    assert_eq!(names(&mut atlas, "a.py"), first.0);
    assert_eq!(atlas.library().mentioning("two").len(), 1);
    assert_eq!(atlas.library().named("two").count(), 1);
}

#[test]
fn what_happened_while_nobody_looked_is_seen() {
    let workspace = workspace();
    index(&mut workspace.shelved());
    rest();
    workspace.write("a.py", "def uno(): pass\n");
    workspace.remove("sub/b.py");
    workspace.write("new/c.py", "def four(): pass\n");
    workspace.write("made.py", "def five(): pass\n");
    let mut atlas = workspace.shelved();
    let known = index(&mut atlas);
    assert_eq!((known.changed, known.removed, known.files), (3, 1, 3));
    assert_eq!(names(&mut atlas, "a.py"), ["uno"]);
    assert_eq!(names(&mut atlas, "made.py"), ["five"]);
    assert!(!is_mapped(&mut atlas, "sub/b.py") && atlas.library().defining("two").is_empty());
    // And it is kept: the next one has nothing to do.
    drop(atlas);
    rest();
    index(&mut workspace.shelved());
    let known = index(&mut workspace.shelved());
    assert_eq!((known.changed, known.removed, known.files), (0, 0, 3));
}

#[test]
fn the_same_text_elsewhere_is_known_already() {
    let workspace = workspace();
    index(&mut workspace.shelved());
    let other = workspace.root().with_file_name("worktree");
    fs::create_dir(&other).unwrap();
    fs::copy(workspace.at("a.py"), other.join("moved.py")).unwrap();
    let mut atlas = Atlas::open(&other, Some(Shelf::at(&workspace.shelf()))).unwrap();
    assert_eq!(index(&mut atlas).files, 1);
    assert_eq!(names(&mut atlas, "moved.py"), ["one"]);
}

#[test]
fn the_shelf_is_for_its_owner_alone() {
    let workspace = workspace();
    index(&mut workspace.shelved());
    let mode = fs::metadata(workspace.shelf()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_damaged_shelf_is_put_aside_and_made_anew() {
    let workspace = workspace();
    for damage in
        [&b"not a database at all, and longer than its head is, so that it is looked at as one"[..], b""]
    {
        index(&mut workspace.shelved());
        fs::write(workspace.shelf(), damage).unwrap();
        let _ = fs::remove_file(workspace.home("code.db-wal"));
        assert_eq!(names(&mut workspace.shelved(), "a.py"), ["one"]);
    }
    let aside = fs::read_dir(workspace.home("")).unwrap().flatten();
    assert_eq!(aside.filter(|file| file.file_name().to_string_lossy().contains("damaged")).count(), 1);
}

#[test]
fn bytes_that_rot_in_the_middle_cost_no_answer() {
    let files: Vec<(String, String)> =
        (0..60).map(|at| (format!("f{at}.py"), format!("def f{at}(): pass\n").repeat(50))).collect();
    let pairs: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let workspace = Workspace::new(&pairs);
    index(&mut workspace.shelved());
    let good = fs::read(workspace.shelf()).unwrap();
    let mut state = 7_u64;
    for _ in 0..12 {
        let mut bad = good.clone();
        for _ in 0..40 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 20) as usize % bad.len();
            bad[at] ^= (state >> 9) as u8;
        }
        for name in ["code.db-wal", "code.db-shm"] {
            let _ = fs::remove_file(workspace.home(name));
        }
        fs::write(workspace.shelf(), bad).unwrap();
        let mut atlas = workspace.shelved();
        assert_eq!(index(&mut atlas).files, 60);
        for at in [0, 17, 59] {
            assert_eq!(outline(&mut atlas, &format!("f{at}.py")).unwrap().len(), 50, "{at}");
        }
    }
}

#[test]
fn a_shelf_that_is_deleted_under_us_costs_no_answer() {
    let workspace = workspace();
    let mut atlas = workspace.shelved();
    index(&mut atlas);
    for name in ["code.db", "code.db-wal", "code.db-shm"] {
        let _ = fs::remove_file(workspace.home(name));
    }
    assert_eq!(names(&mut atlas, "a.py"), ["one"]);
    workspace.write("a.py", "def uno(): pass\n");
    assert_eq!(names(&mut atlas, "a.py"), ["uno"]);
}

#[test]
fn without_a_place_for_a_shelf_the_map_lives_in_memory() {
    let workspace = workspace();
    let nowhere = Shelf::at(&workspace.root().join("no/such/folder/code.db"));
    let mut atlas = Atlas::open(&workspace.root(), Some(nowhere)).unwrap();
    assert_eq!(names(&mut atlas, "a.py"), ["one"]);
}

#[test]
fn two_processes_with_one_shelf_both_see_every_edit() {
    let workspace = workspace();
    let (mut daemon, mut command) = (workspace.shelved(), workspace.shelved());
    for name in ["aaaa", "bbbb", "cccc"] {
        workspace.write("a.py", &format!("def {name}(): pass\n"));
        assert_eq!(names(&mut daemon, "a.py"), [name]);
        assert_eq!(names(&mut command, "a.py"), [name]);
    }
    workspace.remove("a.py");
    assert_eq!((index(&mut daemon).files, index(&mut command).files), (1, 1));
    assert_eq!(index(&mut workspace.shelved()).files, 1);
}

#[test]
fn many_who_index_at_once_do_not_trouble_each_other() {
    let files: Vec<(String, String)> =
        (0..120).map(|at| (format!("d{}/f{at}.py", at % 7), format!("def f{at}(): pass\n"))).collect();
    let pairs: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let workspace = Workspace::new(&pairs);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut atlas = workspace.shelved();
                assert_eq!(index(&mut atlas).files, 120);
                for at in [0, 60, 119] {
                    assert_eq!(names(&mut atlas, &format!("d{}/f{at}.py", at % 7)), [format!("f{at}")]);
                }
            });
        }
    });
    assert_eq!(index(&mut workspace.shelved()).files, 120);
}

#[test]
fn anew_means_that_nothing_known_is_believed() {
    let workspace = workspace();
    index(&mut workspace.shelved());
    let mut atlas = workspace.shelved();
    index(&mut atlas);
    let atlas::Answer::Index(known) = atlas.answer(&Question::Index { anew: true }).unwrap() else {
        panic!()
    };
    assert_eq!((known.changed, known.files), (2, 2));
    assert_eq!(names(&mut atlas, "a.py"), ["one"]);
}
