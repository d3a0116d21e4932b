//! Where a snapshot can be made, and where there is none to make.

use std::fs;
use std::path::Path;

use checkpoint::{CheckpointError, Operation, Place};

use crate::world::{EVERYTHING, World, dirty, git_in, new, repository};

#[test]
fn a_folder_without_a_repository_and_a_bare_one_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(checkpoint::find(folder.path()).unwrap(), Place::NoRepository));
    assert!(git_in(folder.path(), &["init", "-q", "--bare", "bare"]).status.success());
    assert!(matches!(checkpoint::find(&folder.path().join("bare")).unwrap(), Place::NoWorkTree));
    let world = World::new();
    assert!(matches!(checkpoint::find(&world.top.join(".git")).unwrap(), Place::NoWorkTree));
    assert!(matches!(checkpoint::find(Path::new("/nowhere/at/all")), Err(CheckpointError::Io { .. })));
}

#[test]
fn a_folder_below_the_top_is_the_whole_repository() {
    let world = World::new();
    world.write("a", "changed\n");
    let below = repository(&world.top.join("d"));
    assert_eq!(below.top(), world.top);
    assert_eq!(dirty(&below.create(&new("c1")).unwrap()), ["a modified"]);
}

#[test]
fn a_repository_without_a_commit_is_kept_and_brought_back() {
    let world = World::empty();
    world.write("staged", "one\n");
    world.git(&["add", "staged"]);
    world.write("loose", "two\n");
    let before = world.files();
    let snapshot = world.keep("c1");
    assert_eq!((snapshot.head.as_ref(), snapshot.branch.as_deref()), (None, Some("main")));
    assert_eq!(dirty(&snapshot), ["staged added+", "loose untracked"]);
    world.remove("staged");
    world.write("loose", "changed\n");
    world.git(&["rm", "-q", "--cached", "staged"]);
    let restored = world.restore("c1", EVERYTHING, "s1").unwrap();
    assert!(restored.index_restored);
    assert_eq!(world.files(), before);
    assert_eq!(world.git(&["status", "--porcelain"]), "A  staged\n?? loose\n");
    assert_eq!(world.repository().show("c1").unwrap().files.len(), 2);
}

#[test]
fn an_empty_repository_has_an_empty_snapshot() {
    let world = World::empty();
    let snapshot = world.keep("c1");
    assert!(snapshot.dirty.is_empty());
    world.write("new", "since\n");
    world.restore("c1", EVERYTHING, "s1").unwrap();
    assert!(!world.has("new"));
    world.restore("s1", EVERYTHING, "s2").unwrap();
    assert_eq!(world.read("new"), "since\n");
}

#[test]
fn a_detached_head_has_no_branch() {
    let world = World::new();
    world.git(&["checkout", "-q", "--detach"]);
    world.write("a", "changed\n");
    let snapshot = world.keep("c1");
    assert!(snapshot.branch.is_none() && snapshot.head.is_some());
    world.restore("c1", EVERYTHING, "s1").unwrap();
    assert!(world.tell(&["symbolic-ref", "-q", "HEAD"]).stdout.is_empty());
}

#[test]
fn a_linked_work_tree_is_kept_by_itself_and_listed_with_the_others() {
    let world = World::new();
    let linked = world.top.with_file_name("linked");
    world.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    fs::write(linked.join("a"), "in the linked one\n").unwrap();
    fs::write(linked.join("loose"), "there\n").unwrap();
    world.write("b", "in the main one\n");
    let there = repository(&linked);
    let snapshot = there.create(&new("c1")).unwrap();
    assert_eq!(snapshot.branch.as_deref(), Some("side"));
    assert_eq!(dirty(&snapshot), ["a modified", "loose untracked"]);
    assert_eq!(world.repository().list().unwrap().len(), 1);
    fs::write(linked.join("a"), "again\n").unwrap();
    there.restore("c1", EVERYTHING, &new("s1")).unwrap();
    assert_eq!(fs::read_to_string(linked.join("a")).unwrap(), "in the linked one\n");
    assert_eq!(world.read("b"), "in the main one\n");
}

#[test]
fn submodules_and_repositories_inside_are_left_alone_and_named() {
    let other = World::new();
    let world = World::new();
    world.git(&["submodule", "--quiet", "add", other.top.to_str().unwrap(), "module"]);
    world.git(&["commit", "-q", "-m", "with a module"]);
    world.write("nested/file", "in a repository of its own\n");
    assert!(git_in(&world.top.join("nested"), &["init", "-q"]).status.success());
    world.write("a", "changed\n");
    let snapshot = world.keep("c1");
    assert_eq!(dirty(&snapshot), ["a modified"]);
    assert_eq!(snapshot.repositories, [Path::new("module"), Path::new("nested/")]);

    world.write("module/a", "changed inside\n");
    let commit =
        ["-c", "user.name=P", "-c", "user.email=p@example.org", "commit", "-q", "-a", "-m", "inside"];
    assert!(git_in(&world.top.join("module"), &commit).status.success());
    world.git(&["add", "module"]);
    world.write("a", "again\n");
    world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.read("a"), "changed\n");
    assert_eq!(world.read("module/a"), "changed inside\n");
    assert_eq!(world.read("nested/file"), "in a repository of its own\n");
}

#[test]
fn a_conflict_is_kept_with_its_markers_and_a_restore_waits_for_the_merge() {
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "side"]);
    world.write("a", "theirs\n");
    world.git(&["rm", "-q", "b"]);
    world.commit("side");
    world.git(&["checkout", "-q", "main"]);
    world.write("a", "ours\n");
    world.write("b", "ours too\n");
    world.commit("main");
    assert!(!world.tell(&["merge", "-q", "side"]).status.success());
    let (own, marked) = (world.own(), world.read("a"));
    let snapshot = world.keep("c1");
    assert_eq!(world.own(), own);
    assert_eq!(snapshot.in_progress, Some(Operation::Merge));
    assert_eq!(dirty(&snapshot), ["a conflicted+", "b conflicted+"]);
    assert_eq!(world.git(&["show", &format!("{}:a", snapshot.reference)]), marked);
    assert_eq!(world.git(&["show", &format!("{}^2:a", snapshot.reference)]), "ours\n");

    world.write("a", "solved badly\n");
    let refused = world.restore("c1", EVERYTHING, "s1");
    assert!(matches!(refused, Err(CheckpointError::InProgress(Operation::Merge))));
    assert_eq!(world.read("a"), "solved badly\n");
    world.restore("c1", checkpoint::Mode { force: true, ..EVERYTHING }, "s1").unwrap();
    assert_eq!(world.read("a"), marked);
    assert!(world.has(".git/MERGE_HEAD"));
}

#[test]
fn another_format_of_hashes_is_as_good() {
    let world = World::empty();
    world.remove(".git");
    if !world.tell(&["init", "-q", "-b", "main", "--object-format=sha256"]).status.success() {
        return;
    }
    world.init(&[]);
    world.write("a", "one\n");
    world.commit("first");
    world.write("a", "two\n");
    assert_eq!(world.keep("c1").commit.len(), 64);
    world.write("a", "three\n");
    world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.read("a"), "two\n");
}

#[test]
fn a_split_index_stays_one() {
    let world = World::new();
    world.git(&["update-index", "--split-index"]);
    world.write("a", "changed\n");
    let own = world.own();
    world.keep("c1");
    assert_eq!(world.own(), own);
    world.write("a", "again\n");
    world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.read("a"), "changed\n");
}

#[test]
fn what_a_sparse_checkout_hides_stays_hidden_and_is_not_taken_for_deleted() {
    let world = World::new();
    world.write("hidden/h", "one\n");
    world.commit("more");
    world.git(&["sparse-checkout", "set", "--cone", "d"]);
    assert!(!world.has("hidden"));
    world.write("a", "changed\n");
    let snapshot = world.keep("c1");
    assert_eq!(dirty(&snapshot), ["a modified"]);
    assert_eq!(world.git(&["show", &format!("{}:hidden/h", snapshot.reference)]), "one\n");

    world.git(&["sparse-checkout", "disable"]);
    world.write("hidden/h", "two\n");
    world.commit("later");
    world.git(&["sparse-checkout", "set", "--cone", "d"]);
    let restored = world.restore("c1", EVERYTHING, "s1").unwrap();
    assert!(!world.has("hidden"));
    assert_eq!(restored.left[0].why, checkpoint::WhyLeft::NotCheckedOut);
    assert_eq!(world.read("a"), "changed\n");
    assert!(world.outside().exists());
}
