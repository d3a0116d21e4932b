//! Names, links, modes and line endings: what a file can be.

use crate::world::{EVERYTHING, World, dirty};

#[test]
fn any_name_is_kept_and_brought_back() {
    let world = World::new();
    let names: &[&[u8]] = &[
        b"with space",
        b"new\nline",
        b"quo\"te",
        b"tab\t",
        b"-dash",
        b":(top)magic",
        b"*",
        b"back\\slash",
        b"\xc3\xa9",
        b"d/\xff\xfe no text",
    ];
    for name in names {
        world.write_bytes(name, b"before");
    }
    let before = world.files();
    let snapshot = world.keep("c1");
    assert_eq!(snapshot.dirty.len(), names.len());
    for name in names {
        world.write_bytes(name, b"after");
    }
    world.git(&["add", "-A"]);
    world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.files(), before);
}

#[test]
fn links_and_executable_files_come_back_as_what_they_were() {
    let world = World::new();
    world.write("tool", "#!/bin/sh\n");
    world.executable("tool", true);
    world.executable("a", true);
    world.link("link", "d/e");
    world.link("dangling", "nowhere");
    world.link("folder", "d");
    world.remove("b");
    world.link("b", "a");
    let before = world.files();
    let snapshot = world.keep("c1");
    assert!(dirty(&snapshot).contains(&"b retyped".to_owned()), "{snapshot:?}");
    for path in ["link", "dangling", "folder", "b"] {
        world.remove(path);
        world.write(path, "a file now\n");
    }
    world.executable("tool", false);
    world.executable("a", false);
    world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.files(), before);
}

#[test]
fn a_folder_and_a_file_can_change_places() {
    let world = World::new();
    world.remove("d");
    world.write("d", "a file now\n");
    world.remove("a");
    world.write("a/b/c", "a folder now\n");
    let before = world.files();
    let snapshot = world.keep("c1");
    assert_eq!(
        world.git(&["ls-tree", "-r", "--name-only", &snapshot.reference]),
        ".gitignore\na/b/c\nb\nd\n"
    );
    world.git(&["checkout", "-q", "-f", "."]);
    world.git(&["clean", "-q", "-fd"]);
    let between = world.files();
    world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.files(), before);
    world.restore("s1", EVERYTHING, "s2").unwrap();
    assert_eq!(world.files(), between);
}

#[test]
fn a_folder_that_became_a_link_is_no_way_out_of_the_tree() {
    let world = World::new();
    let outside = world.outside().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("e"), "not ours\n").unwrap();
    let original = world.files();
    world.keep("c0");
    world.remove("d");
    world.link("d", outside.to_str().unwrap());
    let linked = world.files();
    world.keep("c1");
    world.restore("c0", EVERYTHING, "s1").unwrap();
    assert_eq!(world.files(), original);
    world.restore("c1", EVERYTHING, "s2").unwrap();
    assert_eq!(world.files(), linked);
    assert_eq!(std::fs::read_to_string(outside.join("e")).unwrap(), "not ours\n");
}

#[test]
fn an_ignored_link_in_place_of_a_folder_is_not_followed() {
    let world = World::new();
    world.write("out/file", "kept\n");
    world.keep("c1");
    let outside = world.outside().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("file"), "not ours\n").unwrap();
    world.remove("out");
    world.link("out", outside.to_str().unwrap());
    world.write(".git/info/exclude", "/out\n");
    let restored = world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(std::fs::read_to_string(outside.join("file")).unwrap(), "not ours\n");
    assert_eq!(restored.left.len(), 1, "{restored:?}");
    assert!(world.top.join("out").is_symlink());
}

#[test]
fn line_endings_are_those_a_checkout_gives() {
    let world = World::new();
    world.git(&["config", "core.autocrlf", "true"]);
    world.write("a", "one\r\ntwo\r\n");
    world.write("loose", "x\r\ny\r\n");
    let before = world.files();
    let snapshot = world.keep("c1");
    assert_eq!(world.git(&["show", &format!("{}:loose", snapshot.reference)]), "x\ny\n");
    world.write("a", "other\r\n");
    world.remove("loose");
    world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.files(), before);
    assert_eq!(world.git(&["diff", &snapshot.reference, "--", "a"]), "");
}

#[test]
fn attributes_are_back_before_the_files_they_speak_of() {
    let world = World::new();
    world.write(".gitattributes", "*.txt text eol=crlf\n");
    world.write("t.txt", "one\r\ntwo\r\n");
    let before = world.files();
    world.keep("c1");
    world.write(".gitattributes", "*.txt -text\n");
    world.write("t.txt", "other\n");
    world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.files(), before);
}

#[test]
fn a_filter_of_the_person_cleans_and_smudges_as_in_a_commit() {
    let world = World::new();
    world.git(&["config", "filter.upper.clean", "tr a-z A-Z"]);
    world.git(&["config", "filter.upper.smudge", "tr A-Z a-z"]);
    world.write(".gitattributes", "*.up filter=upper\n");
    world.write("x.up", "words\n");
    let snapshot = world.keep("c1");
    assert_eq!(world.git(&["show", &format!("{}:x.up", snapshot.reference)]), "WORDS\n");
    world.write("x.up", "others\n");
    world.restore("c1", EVERYTHING, "s1").unwrap();
    assert_eq!(world.read("x.up"), "words\n");
}
