//! The way back: what it changes, what it spares, and the way back from there.

use std::fs::File;

use checkpoint::{ChangeKind, CheckpointError, Form, MAX_FILE, Mode, Scope, WhyLeft};

use crate::world::{EVERYTHING, World};

fn kinds(changes: &[checkpoint::Change]) -> Vec<(&str, ChangeKind)> {
    changes.iter().map(|change| (change.path.to_str().unwrap(), change.kind)).collect()
}

#[test]
fn everything_comes_back_and_the_restore_can_be_undone() {
    let world = World::new();
    world.write("a", "staged\n");
    world.git(&["add", "a"]);
    world.write("a", "changed\n");
    world.write("loose", "untracked\n");
    world.remove("b");
    let (then, status_then) = (world.files(), world.git(&["status", "--porcelain"]));
    let snapshot = world.keep("c1");

    world.git(&["checkout", "-q", "-f", "HEAD", "--", "."]);
    world.write("d/e", "edited since\n");
    world.write("d/since", "made since\n");
    world.git(&["add", "d/e"]);
    world.remove("loose");
    world.write("x.ignored", "mine\n");
    let (now, status_now) = (world.files(), world.git(&["status", "--porcelain"]));
    let head = world.git(&["rev-parse", "HEAD"]);

    let planned = world.repository().plan("c1", EVERYTHING).unwrap();
    assert_eq!(world.files(), now);
    let restored = world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(planned.changes, restored.changed);
    assert_eq!(
        kinds(&restored.changed),
        [
            ("a", ChangeKind::Overwrite),
            ("b", ChangeKind::Remove),
            ("d/e", ChangeKind::Overwrite),
            ("d/since", ChangeKind::Remove),
            ("loose", ChangeKind::Create),
        ]
    );
    let mut expected = then.clone();
    expected.insert("x.ignored".into(), "mine\\n".to_owned());
    assert_eq!(world.files(), expected);
    assert_eq!(world.git(&["status", "--porcelain"]), status_then);
    assert_eq!(world.git(&["diff", "--stat", &snapshot.reference, "--", "a", "b", "d"]), "");
    assert_eq!(world.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(world.git(&["stash", "list"]), "");

    let undone = world.restore(&restored.safety.unwrap().id, EVERYTHING, "s2").unwrap();
    assert!(undone.index_restored);
    assert_eq!(world.files(), now);
    assert_eq!(world.git(&["status", "--porcelain"]), status_now);
}

#[test]
fn a_restore_to_where_we_are_changes_nothing_and_keeps_nothing() {
    let world = World::new();
    world.write("a", "changed\n");
    world.keep("c1");
    let own = world.own();
    let restored = world.restore("c1", EVERYTHING, "s1").unwrap();
    assert!(restored.safety.is_none() && restored.changed.is_empty());
    assert_eq!(world.own(), own);
    assert_eq!(world.repository().list().unwrap().len(), 1);
}

#[test]
fn after_commits_head_stays_and_the_files_are_as_they_were() {
    let world = World::new();
    world.write("a", "at the time\n");
    let snapshot = world.keep("c1");
    world.write("b", "committed since\n");
    world.write("new", "committed since\n");
    world.commit("second");
    let head = world.git(&["rev-parse", "HEAD"]);
    let restored = world.restore("c1", EVERYTHING, "s1").unwrap();
    assert!(!restored.index_restored);
    assert_ne!(restored.head_then, restored.head_now);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(world.git(&["diff", &snapshot.reference]), "");
    assert_eq!((world.read("a").as_str(), world.read("b").as_str()), ("at the time\n", "two\n"));
    assert!(!world.has("new"));
    assert_eq!(world.git(&["diff", "--cached"]), "");
}

#[test]
fn only_the_files_that_were_dirty_can_be_asked_for() {
    let world = World::new();
    world.write("a", "at the time\n");
    world.write("loose", "untracked\n");
    world.keep("c1");
    world.write("a", "since\n");
    world.write("b", "since\n");
    world.write("new", "since\n");
    world.remove("loose");
    let restored =
        world.restore("c1", Mode { scope: Scope::Dirty, force: false, index: true }, "s1").unwrap();
    assert_eq!(kinds(&restored.changed), [("a", ChangeKind::Overwrite), ("loose", ChangeKind::Create)]);
    assert_eq!((world.read("b").as_str(), world.read("new").as_str()), ("since\n", "since\n"));
}

#[test]
fn a_file_that_is_ignored_by_now_is_kept_before_it_is_overwritten() {
    let world = World::new();
    world.write("notes", "at the time\n");
    world.keep("c1");
    world.write(".git/info/exclude", "notes\n");
    world.write("notes", "since, and ignored\n");
    world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.read("notes"), "at the time\n");
    world.restore("s1", EVERYTHING, "s2").unwrap();
    assert_eq!(world.read("notes"), "since, and ignored\n");
}

#[test]
fn a_folder_with_ignored_files_in_place_of_a_file_stays() {
    let world = World::new();
    world.write("thing", "a file\n");
    world.keep("c1");
    world.remove("thing");
    world.write("thing/x.ignored", "precious\n");
    world.write("thing/seen", "not ignored\n");
    let restored = world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.read("thing/x.ignored"), "precious\n");
    assert_eq!(restored.left.len(), 1);
    assert_eq!(restored.left[0].why, WhyLeft::InTheWay);
}

#[test]
fn what_is_too_large_to_keep_is_neither_overwritten_nor_removed() {
    let world = World::new();
    world.write("grew", "small\n");
    world.keep("c1");
    File::create(world.top.join("grew")).unwrap().set_len(MAX_FILE + 1).unwrap();
    File::create(world.top.join("came")).unwrap().set_len(MAX_FILE + 1).unwrap();
    let restored = world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.top.join("grew").metadata().unwrap().len(), MAX_FILE + 1);
    assert!(world.has("came"));
    assert!(restored.changed.is_empty());
    assert_eq!(restored.left[0].why, WhyLeft::NotInSafety);
}

#[test]
fn what_the_checkpoint_skipped_stays_when_it_has_been_committed_since() {
    let world = World::new();
    File::create(world.top.join("large")).unwrap().set_len(MAX_FILE + 1).unwrap();
    world.keep("c1");
    world.write("large", "small by now\n");
    world.commit("second");
    let restored = world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.read("large"), "small by now\n");
    assert_eq!(restored.left[0].why, WhyLeft::NotInCheckpoint);
}

#[test]
fn a_git_at_work_is_waited_for_by_the_person() {
    let world = World::new();
    world.keep("c1");
    world.write("a", "since\n");
    world.write(".git/index.lock", "");
    assert!(matches!(world.restore("c1", EVERYTHING, "s1"), Err(CheckpointError::Busy(_))));
    assert_eq!(world.read("a"), "since\n");
}

#[test]
fn a_restore_that_cannot_finish_says_where_the_present_is_kept() {
    let world = World::new();
    world.write(".gitattributes", "*.q filter=broken\n");
    world.write("x.q", "at the time\n");
    world.git(&["config", "filter.broken.clean", "cat"]);
    world.keep("c1");
    world.write("x.q", "since\n");
    world.git(&["config", "filter.broken.smudge", "false"]);
    world.git(&["config", "filter.broken.required", "true"]);
    let Err(CheckpointError::HalfWay { safety, .. }) = world.restore("c1", EVERYTHING, "s1") else {
        panic!("a filter that fails is a restore that fails");
    };
    assert_eq!(safety, "s1");
    world.git(&["config", "filter.broken.smudge", "cat"]);
    world.restore("s1", EVERYTHING, "s2").unwrap();
    assert_eq!(world.read("x.q"), "since\n");
}

#[test]
fn the_folder_one_stands_in_is_not_taken_away() {
    let world = World::new();
    world.keep("c1");
    world.write("deep/er/new", "since\n");
    world.write("other/new", "since\n");
    let here = crate::world::repository(&world.top.join("deep/er"));
    here.restore("c1", EVERYTHING, &crate::world::new("s1")).unwrap();
    assert!(world.has("deep/er") && !world.has("deep/er/new"));
    assert!(!world.has("other"));
}

#[test]
fn without_being_asked_to_a_restore_does_not_touch_the_index() {
    let world = World::new();
    world.write("a", "staged then\n");
    world.git(&["add", "a"]);
    world.write("b", "changed\n");
    world.keep("c1");
    world.write("a", "staged now\n");
    world.write("d/e", "staged, too\n");
    world.git(&["add", "a", "d/e"]);
    world.write("b", "since\n");
    let (own, staged) = (world.own(), world.git(&["diff", "--cached"]));
    let files = Mode { index: false, ..EVERYTHING };
    assert!(!world.repository().plan("c1", files).unwrap().restores_index);
    let restored = world.restore("c1", files, "s1").unwrap();
    assert!(!restored.index_restored);
    assert_eq!((world.read("a").as_str(), world.read("b").as_str()), ("staged then\n", "changed\n"));
    assert_eq!(world.own(), own, "not a byte of it");
    assert_eq!(world.git(&["diff", "--cached"]), staged);
    world.restore("s1", files, "s2").unwrap();
    assert_eq!((world.read("a").as_str(), world.read("b").as_str()), ("staged now\n", "since\n"));
    assert_eq!(world.read("d/e"), "staged, too\n");
}

#[test]
fn what_has_changed_since_is_told_untracked_files_and_all() {
    let world = World::new();
    world.write("loose", "one\n");
    world.keep("c1");
    let repository = world.repository();
    let told = |form, path: Option<&str>| {
        let told = repository.difference_since("c1", form, path.map(std::path::Path::new));
        String::from_utf8(told.unwrap()).unwrap()
    };
    assert_eq!(told(Form::Patch, None), "");
    world.write("loose", "two\n");
    world.write("d/new", "made since\n");
    world.remove("b");
    let own = world.own();
    let patch = told(Form::Patch, None);
    for part in ["-one\n+two\n", "+made since\n", "deleted file mode"] {
        assert!(patch.contains(part), "{patch}");
    }
    assert!(told(Form::Stat, None).contains("3 files changed"), "{}", told(Form::Stat, None));
    assert!(!told(Form::Patch, Some("d")).contains("loose"));
    assert!(told(Form::Patch, Some("./d/../b")).contains("deleted file mode"));
    assert_eq!(world.own(), own);
    let outside = repository.difference_since("c1", Form::Stat, Some("../x".as_ref()));
    assert!(matches!(outside, Err(CheckpointError::Outside(_))));
}
