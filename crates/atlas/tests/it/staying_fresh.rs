//! An answer is what the files say when it is asked for.

use std::fs;
use std::process::Command;

use atlas::{AtlasError, Question};

use crate::workspace::{Workspace, index, is_mapped, names};

#[test]
fn an_edit_is_seen_by_the_next_question() {
    let workspace = Workspace::new(&[("a.py", "def one(): pass\n"), ("b.py", "def other(): pass\n")]);
    let mut atlas = workspace.atlas();
    assert_eq!(names(&mut atlas, "a.py"), ["one"]);
    workspace.write("a.py", "def one(): pass\ndef three(): pass\n");
    assert_eq!(names(&mut atlas, "a.py"), ["one", "three"]);
    let known = index(&mut atlas);
    assert_eq!((known.files, known.changed), (2, 0));
}

#[test]
fn an_edit_of_the_same_size_in_the_same_moment_is_seen() {
    let workspace = Workspace::new(&[("a.py", "def aaaa(): pass\n")]);
    let mut atlas = workspace.atlas();
    for name in ["bbbb", "cccc", "dddd", "eeee", "ffff", "gggg"] {
        workspace.write("a.py", &format!("def {name}(): pass\n"));
        assert_eq!(names(&mut atlas, "a.py"), [name]);
    }
}

#[test]
fn an_edit_that_puts_its_time_back_is_seen() {
    let workspace = Workspace::new(&[("a.py", "def aaaa(): pass\n")]);
    let old = fs::FileTimes::new()
        .set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_007));
    let set_old =
        || fs::File::options().write(true).open(workspace.at("a.py")).unwrap().set_times(old).unwrap();
    set_old();
    let mut atlas = workspace.atlas();
    assert_eq!(names(&mut atlas, "a.py"), ["aaaa"]);
    // Past the window in which every stamp is doubted.
    std::thread::sleep(std::time::Duration::from_millis(80));
    assert_eq!(names(&mut atlas, "a.py"), ["aaaa"]);
    workspace.write("a.py", "def bbbb(): pass\n");
    set_old();
    assert_eq!(names(&mut atlas, "a.py"), ["bbbb"]);
}

#[test]
fn what_is_touched_and_not_changed_is_not_read_anew() {
    let workspace = Workspace::new(&[("a.py", "def one(): pass\n")]);
    let mut atlas = workspace.atlas();
    assert_eq!(index(&mut atlas).changed, 1);
    workspace.write("a.py", "def one(): pass\n");
    assert_eq!(index(&mut atlas).changed, 0);
}

#[test]
fn what_is_deleted_is_not_on_the_map() {
    let workspace = Workspace::new(&[("a.py", "def one(): pass\n"), ("b.py", "def other(): pass\n")]);
    let mut atlas = workspace.atlas();
    assert_eq!(index(&mut atlas).files, 2);
    workspace.remove("a.py");
    assert!(!is_mapped(&mut atlas, "a.py"));
    assert!(atlas.library().defining("one").is_empty());
    let known = index(&mut atlas);
    assert_eq!((known.files, known.removed), (1, 0), "it was removed by the question before");
}

#[test]
fn a_renamed_file_is_only_there_under_its_new_name() {
    let workspace = Workspace::new(&[("src/a.py", "def one(): pass\n")]);
    let mut atlas = workspace.atlas();
    index(&mut atlas);
    fs::rename(workspace.at("src/a.py"), workspace.at("src/b.py")).unwrap();
    assert_eq!(names(&mut atlas, "src/b.py"), ["one"]);
    assert!(!is_mapped(&mut atlas, "src/a.py"));
    assert_eq!(atlas.library().defining("one").len(), 1);
}

#[test]
fn a_renamed_folder_takes_all_below_with_it() {
    let workspace = Workspace::new(&[("old/deep/a.py", "def one(): pass\n"), ("old/b.py", "x = 1\n")]);
    let mut atlas = workspace.atlas();
    assert_eq!(index(&mut atlas).files, 2);
    fs::rename(workspace.at("old"), workspace.at("new")).unwrap();
    assert_eq!(names(&mut atlas, "new/deep/a.py"), ["one"]);
    assert!(!is_mapped(&mut atlas, "old/deep/a.py"));
    assert_eq!(index(&mut atlas).files, 2);
}

#[test]
fn a_new_file_in_a_new_folder_is_found() {
    let workspace = Workspace::new(&[("a.py", "def one(): pass\n")]);
    let mut atlas = workspace.atlas();
    index(&mut atlas);
    workspace.write("x/y/z/new.py", "def deep(): pass\n");
    assert_eq!(names(&mut atlas, "x/y/z/new.py"), ["deep"]);
    // And again in a folder that is known by now.
    workspace.write("x/y/more.py", "def more(): pass\n");
    assert_eq!(names(&mut atlas, "x/y/more.py"), ["more"]);
}

#[test]
fn a_folder_that_becomes_a_file_and_back_is_followed() {
    let workspace = Workspace::new(&[("thing/a.py", "def one(): pass\n"), ("b.py", "x = 1\n")]);
    let mut atlas = workspace.atlas();
    index(&mut atlas);
    fs::remove_dir_all(workspace.at("thing")).unwrap();
    workspace.write("thing", "no folder any more\n");
    assert_eq!(index(&mut atlas).files, 1);
    workspace.remove("thing");
    workspace.write("thing/a.py", "def two(): pass\n");
    assert_eq!(names(&mut atlas, "thing/a.py"), ["two"]);
    // A source that becomes a folder with the same name.
    workspace.remove("b.py");
    workspace.write("b.py/inner.py", "def inner(): pass\n");
    assert_eq!(names(&mut atlas, "b.py/inner.py"), ["inner"]);
    assert!(!is_mapped(&mut atlas, "b.py"));
}

#[test]
fn rules_about_what_to_ignore_hold_from_the_moment_they_are_written() {
    let workspace = Workspace::new(&[("a.py", "def one(): pass\n"), ("gen/b.py", "def two(): pass\n")]);
    let mut atlas = workspace.atlas();
    assert_eq!(index(&mut atlas).files, 2);
    workspace.write(".gitignore", "gen/\n");
    assert_eq!(index(&mut atlas).files, 1);
    workspace.write(".gitignore", "a.py\n");
    assert!(!is_mapped(&mut atlas, "a.py"));
    assert_eq!(names(&mut atlas, "gen/b.py"), ["two"]);
    workspace.remove(".gitignore");
    workspace.write("gen/.throughlineignore", "*.py\n");
    assert_eq!(names(&mut atlas, "a.py"), ["one"]);
    assert!(!is_mapped(&mut atlas, "gen/b.py"));
}

#[test]
fn another_branch_is_another_map() {
    let workspace = Workspace::new(&[("a.py", "def one(): pass\n"), ("only/main.py", "def here(): pass\n")]);
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .current_dir(workspace.root())
            .args(["-c", "user.name=x", "-c", "user.email=x@x"])
            .args(arguments);
        let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    git(&["checkout", "-qb", "other"]);
    workspace.write("a.py", "def uno(): pass\n");
    git(&["rm", "-q", "only/main.py"]);
    workspace.write("other/b.py", "def there(): pass\n");
    git(&["add", "."]);
    git(&["commit", "-qm", "two"]);
    let mut atlas = workspace.atlas();
    assert_eq!(index(&mut atlas).files, 2);
    git(&["checkout", "-q", "main"]);
    assert_eq!(names(&mut atlas, "a.py"), ["one"]);
    assert_eq!(names(&mut atlas, "only/main.py"), ["here"]);
    assert!(!is_mapped(&mut atlas, "other/b.py"));
    git(&["checkout", "-q", "other"]);
    assert_eq!(names(&mut atlas, "a.py"), ["uno"]);
    assert_eq!(names(&mut atlas, "other/b.py"), ["there"]);
    assert_eq!(index(&mut atlas).files, 2);
}

#[test]
fn what_could_not_be_read_in_time_is_not_on_the_map_and_that_is_said() {
    let workspace = Workspace::new(&[("a.py", "def one(): pass\n"), ("b.py", "def two(): pass\n")]);
    let mut atlas = workspace.atlas();
    index(&mut atlas);
    workspace.write("a.py", "def three(): pass\n");
    let past = std::time::Instant::now();
    let asked = Question::Symbol { name: "one".to_owned(), kind: None, limit: None };
    assert!(matches!(atlas.answer_until(Some(past), &asked), Err(AtlasError::NotYet)));
    assert!(atlas.is_partial() && atlas.library().defining("one").is_empty());
    assert_eq!(names(&mut atlas, "a.py"), ["three"]);
    assert!(!atlas.is_partial());
}

#[test]
fn a_workspace_that_is_gone_is_an_empty_map() {
    let workspace = Workspace::new(&[("a.py", "def one(): pass\n")]);
    let mut atlas = workspace.atlas();
    assert_eq!(index(&mut atlas).files, 1);
    fs::remove_dir_all(workspace.root()).unwrap();
    assert_eq!(index(&mut atlas).files, 0);
    workspace.write("a.py", "def two(): pass\n");
    assert_eq!(names(&mut atlas, "a.py"), ["two"]);
}
