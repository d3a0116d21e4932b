//! What a snapshot holds, and what it leaves as it is.

use std::fs::{self, File};

use checkpoint::{CheckpointError, Limits, MAX_FILE, MAX_FILES, WhySkipped};

use crate::world::{AT, World, dirty, new};

#[test]
fn a_dirty_tree_is_kept_and_nothing_of_the_persons_own_is_touched() {
    let world = World::new();
    world.write("stashed", "x");
    world.git(&["stash", "-q", "-u"]);
    world.write("a", "staged\n");
    world.git(&["add", "a"]);
    world.write("a", "one more\n");
    world.write("loose", "untracked\n");
    world.write("x.ignored", "left out\n");
    world.remove("b");
    for hook in ["reference-transaction", "post-index-change", "pre-commit", "post-commit", "post-checkout"] {
        let path = format!(".git/hooks/{hook}");
        world.write(&path, "#!/bin/sh\ntouch \"$(git rev-parse --show-toplevel)/hooked\"\n");
        world.executable(&path, true);
    }
    let (own, files, status) = (world.own(), world.files(), world.git(&["status", "--porcelain"]));
    let snapshot = world.keep("c1");
    assert_eq!(world.own(), own);
    assert_eq!(world.files(), files);
    assert_eq!(world.git(&["status", "--porcelain"]), status);
    assert_eq!(dirty(&snapshot), ["a modified+", "b deleted", "loose untracked"]);
    assert_eq!(snapshot.branch.as_deref(), Some("main"));
    assert_eq!(snapshot.head, Some(world.git(&["rev-parse", "HEAD"]).trim().to_owned()));
    assert_eq!(snapshot.reference, "refs/throughline/checkpoints/c1");
    assert_eq!(world.git(&["show", &format!("{}:a", snapshot.reference)]), "one more\n");
    assert_eq!(world.git(&["show", &format!("{}:loose", snapshot.reference)]), "untracked\n");
    let tree = world.git(&["ls-tree", "-r", "--name-only", &snapshot.reference]);
    assert_eq!(tree, ".gitignore\na\nd/e\nloose\n");
    assert_eq!(world.git(&["show", &format!("{}^2:a", snapshot.reference)]), "staged\n");
    assert_eq!(
        world.git(&["rev-parse", &format!("{}^1", snapshot.reference)]),
        world.git(&["rev-parse", "HEAD"])
    );
}

#[test]
fn a_clean_tree_has_a_snapshot_that_outlives_its_branch() {
    let world = World::new();
    let snapshot = world.keep("c1");
    assert!(snapshot.dirty.is_empty());
    world.write("a", "amended\n");
    world.git(&["commit", "-q", "-a", "--amend", "-m", "other"]);
    world.git(&["reflog", "expire", "--expire=now", "--all"]);
    world.git(&["gc", "-q", "--prune=now"]);
    world.restore("c1", crate::world::EVERYTHING, "s1").unwrap();
    assert_eq!(world.read("a"), "one\n");
}

#[test]
fn git_alone_can_bring_a_snapshot_back() {
    let world = World::new();
    world.write("a", "changed\n");
    world.write("loose", "untracked\n");
    let snapshot = world.keep("c1");
    world.git(&["checkout", "-q", "."]);
    world.remove("loose");
    world.git(&["stash", "apply", "-q", &snapshot.reference]);
    assert_eq!((world.read("a"), world.read("loose")), ("changed\n".to_owned(), "untracked\n".to_owned()));
}

#[test]
fn a_file_that_is_too_large_is_named_and_its_folder_is_kept() {
    let world = World::new();
    world.write("d/small", "kept");
    File::create(world.top.join("d/large")).unwrap().set_len(MAX_FILE + 1).unwrap();
    let snapshot = world.keep("c1");
    let skipped: Vec<_> =
        snapshot.skipped.iter().map(|skipped| (skipped.path.to_str(), skipped.why)).collect();
    assert_eq!(skipped, [(Some("d/large"), WhySkipped::TooLarge)]);
    let tree = world.git(&["ls-tree", "-r", "--name-only", &snapshot.reference, "d/"]);
    assert_eq!(tree, "d/e\nd/small\n");
    assert_eq!(world.repository().show("c1").unwrap().skipped, [std::path::Path::new("d/large")]);
}

#[test]
fn a_folder_that_somebody_forgot_to_ignore_is_refused_as_a_whole() {
    let world = World::new();
    let folder = world.top.join("forgotten");
    fs::create_dir(&folder).unwrap();
    for number in 0..=MAX_FILES {
        File::create(folder.join(number.to_string())).unwrap();
    }
    let refused = world.repository().create(&new("c1"));
    assert!(matches!(refused, Err(CheckpointError::TooMany(count)) if count == MAX_FILES + 1), "{refused:?}");
    assert!(world.repository().list().unwrap().is_empty());
}

#[test]
fn a_pipe_is_no_file_and_stays_where_it_is() {
    let world = World::new();
    world.remove("b");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        world.top.join("b"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    let snapshot = world.keep("c1");
    assert_eq!(snapshot.skipped.len(), 1);
    assert_eq!(snapshot.skipped[0].why, WhySkipped::Special);
    world.write("a", "since\n");
    world.restore("c1", crate::world::EVERYTHING, "s1").unwrap();
    assert_eq!(world.read("a"), "one\n");
    assert!(world.has("b"));
}

#[test]
fn an_edit_of_the_same_size_in_the_same_moment_is_seen() {
    let world = World::new();
    world.git(&["config", "core.trustctime", "false"]);
    let moment = std::time::UNIX_EPOCH + std::time::Duration::from_millis(AT);
    let touch = |path: &str| {
        File::options().write(true).open(world.top.join(path)).unwrap().set_modified(moment).unwrap();
    };
    touch("a");
    world.git(&["update-index", "-q", "--refresh"]);
    // Written in the moment after which the index was: only the index's own time tells that it must be read again.
    world.write("a", "eno\n");
    touch("a");
    touch(".git/index");
    assert_eq!(dirty(&world.keep("c1")), ["a modified"]);
}

#[test]
fn a_file_that_is_only_announced_is_kept() {
    let world = World::new();
    world.write("later", "content\n");
    world.git(&["add", "-N", "later"]);
    let snapshot = world.keep("c1");
    assert_eq!(world.git(&["show", &format!("{}:later", snapshot.reference)]), "content\n");
}

#[test]
fn the_list_is_newest_first_and_an_id_is_used_once() {
    let world = World::new();
    let repository = world.repository();
    for (id, at) in [("c2", AT), ("c1", AT), ("c3", AT + 1000)] {
        let message = format!("of {id}\nsecond line");
        repository.create(&checkpoint::New { id, message: &message, at, limits: Limits::BY_HAND }).unwrap();
    }
    let listed: Vec<_> = repository.list().unwrap().into_iter().map(|entry| (entry.id, entry.at)).collect();
    let second = AT / 1000;
    assert_eq!(listed, [("c3".to_owned(), second + 1), ("c2".to_owned(), second), ("c1".to_owned(), second)]);
    assert_eq!(repository.list().unwrap()[0].title, "of c3 second line");
    assert!(matches!(repository.create(&new("c1")), Err(CheckpointError::Refused(_))));
    assert!(matches!(repository.create(&new("../x")), Err(CheckpointError::BadId(_))));
}

#[test]
fn only_the_newest_are_retained_and_the_others_are_named() {
    let world = World::new();
    let repository = world.repository();
    for (number, id) in ["c1", "c2", "c3", "c4"].iter().enumerate() {
        repository
            .create(&checkpoint::New {
                id,
                message: "",
                at: AT + number as u64 * 1000,
                limits: Limits::BY_HAND,
            })
            .unwrap();
    }
    assert_eq!(repository.retain(2, "c3").unwrap(), ["c2", "c1"]);
    assert!(repository.retain(2, "c1").unwrap().is_empty());
    assert!(repository.drop("c3").unwrap());
    assert!(!repository.drop("c3").unwrap());
    let left: Vec<_> = repository.list().unwrap().into_iter().map(|entry| entry.id).collect();
    assert_eq!(left, ["c4"]);
    assert!(matches!(repository.show("c3"), Err(CheckpointError::Unknown(_))));
}

#[test]
fn the_one_just_made_is_retained_whatever_the_others_of_its_second_are_called() {
    let world = World::new();
    let repository = world.repository();
    for id in ["z1", "z2", "a1"] {
        repository.create(&new(id)).unwrap();
    }
    assert_eq!(repository.retain(2, "a1").unwrap(), ["z1"]);
}

#[test]
fn what_it_holds_is_counted_in_lines() {
    let world = World::new();
    world.write("a", "one\nmore\n");
    world.write_bytes(b"binary", b"\0\x01\x02");
    world.remove("b");
    world.keep("c1");
    let shown = world.repository().show("c1").unwrap();
    let files: Vec<_> = shown.files.iter().map(|file| (file.path.to_str().unwrap(), file.lines)).collect();
    assert_eq!(files, [("a", Some((1, 0))), ("b", Some((0, 1))), ("binary", None)]);
    assert_eq!(shown.branch.as_deref(), Some("main"));
}

#[test]
fn a_ref_that_somebody_else_put_there_is_no_checkpoint() {
    let world = World::new();
    world.git(&["update-ref", "refs/throughline/checkpoints/foreign", "HEAD"]);
    let found = world.restore("foreign", crate::world::EVERYTHING, "s1");
    assert!(matches!(found, Err(CheckpointError::Unknown(_))), "{found:?}");
}

#[test]
fn nothing_of_ours_is_left_in_the_git_folder_and_old_leavings_are_swept() {
    let world = World::new();
    let (old, young) = (world.top.join(".git/throughline-old"), world.top.join(".git/throughline-young"));
    for folder in [&old, &young] {
        fs::create_dir(folder).unwrap();
    }
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(AT / 1000);
    File::open(&old).unwrap().set_modified(long_ago).unwrap();
    world.keep("c1");
    let entries = fs::read_dir(world.top.join(".git")).unwrap().flatten();
    let ours: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().contains("throughline-"))
        .collect();
    assert_eq!(ours, [young]);
}

#[test]
fn automatic_ones_and_those_that_were_asked_for_do_not_push_each_other_out() {
    let world = World::new();
    let repository = world.repository();
    for id in ["c1", "auto-1", "auto-2", "auto-3"] {
        repository.create(&new(id)).unwrap();
    }
    assert_eq!(repository.retain(1, "auto-3").unwrap(), ["auto-2", "auto-1"]);
    assert!(repository.retain(1, "c1").unwrap().is_empty());
    let left: Vec<_> =
        repository.list().unwrap().into_iter().map(|entry| (entry.is_automatic(), entry.id)).collect();
    assert_eq!(left, [(false, "c1".to_owned()), (true, "auto-3".to_owned())]);
}

#[test]
fn an_automatic_one_leaves_large_files_out_and_a_restore_leaves_them_alone() {
    let world = World::new();
    let large = "x".repeat(Limits::AUTOMATIC.file as usize + 1);
    world.write("dump", &large);
    world.write("a", "changed\n");
    let automatic = checkpoint::New { limits: Limits::AUTOMATIC, ..new("auto-1") };
    let snapshot = world.repository().create(&automatic).unwrap();
    assert_eq!(snapshot.skipped.len(), 1);
    assert_eq!(
        (snapshot.skipped[0].path.to_str(), snapshot.skipped[0].why),
        (Some("dump"), WhySkipped::TooLarge)
    );
    world.write("a", "again\n");
    world.restore("auto-1", crate::world::EVERYTHING, "s1").unwrap();
    assert_eq!(world.read("a"), "changed\n");
    assert_eq!(world.read("dump").len(), large.len());
}
