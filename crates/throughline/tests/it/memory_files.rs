//! Memories as files: what a person writes into the folder is found, what is remembered lies there, and nothing in
//! the folder can do harm.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::house::{House, eventually, files};

fn folder(house: &House) -> PathBuf {
    house.data().join("memories")
}

/// A running daemon that has made its folder.
fn open() -> House {
    let house = House::new();
    house.start();
    eventually("the folder is made", || folder(&house).is_dir());
    house
}

/// Whether a search for the word gives a memory that says it.
fn found(house: &House, word: &str) -> bool {
    let found: Vec<Value> = serde_json::from_str(&house.ok(&["search", word, "--json"])).unwrap();
    let mut ids = found.iter().filter_map(|hit| hit["id"].as_str());
    // It may go between the search and the look.
    ids.any(|id| String::from_utf8_lossy(&house.run(&["show", id, "--json"]).stdout).contains(word))
}

fn shown(house: &House, id: &str) -> Value {
    serde_json::from_str(&house.ok(&["show", id, "--json"])).unwrap()
}

/// What `show` says of a file's memory; files are known by their names.
fn memory(house: &House, name: &str) -> Option<Value> {
    let output = house.run(&["show", name, "--json"]);
    output.status.success().then(|| serde_json::from_slice(&output.stdout).unwrap())
}

fn remember(house: &House, args: &[&str]) -> String {
    house.ok(&[&["remember"], args].concat()).trim().to_owned()
}

fn problems(house: &House) -> String {
    house.status()["memory_files"]["problems"].to_string()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn a_file_is_found_edited_and_taken_away_as_a_person_likes() {
    let house = open();
    let path = folder(&house).join("deploys.md");
    fs::write(
        &path,
        "---\nname: Deploys\ntags: [ops]\nhits: 7\n# mine\n---\n\nWe deploy with the wombatword.\n",
    )
    .unwrap();
    eventually("it is found", || found(&house, "wombatword"));
    let before = memory(&house, "deploys.md").unwrap();
    assert_eq!((&before["title"], &before["hits"]), (&"Deploys".into(), &7.into()));
    assert_eq!(before["provenance"]["place"], "deploys.md");

    // As editors do: aside, then renamed.
    let aside = folder(&house).join(".deploys.md.swp");
    fs::write(
        &aside,
        text(&path).replace("wombatword", "koalaword").replace("hits: 7", "hits: 7\ncritical: yes"),
    )
    .unwrap();
    fs::rename(&aside, &path).unwrap();
    eventually("the edit is taken", || found(&house, "koalaword") && !found(&house, "wombatword"));
    eventually("it is critical", || {
        memory(&house, "deploys.md").is_some_and(|said| said["critical"] == true)
    });
    assert_eq!(memory(&house, "deploys.md").unwrap()["id"], before["id"], "it is the same memory");

    let away = house.home().join("deploys.md");
    fs::rename(&path, &away).unwrap();
    eventually("it is gone with its file", || memory(&house, "deploys.md").is_none());
    assert!(!found(&house, "koalaword"));
    fs::rename(&away, &path).unwrap();
    eventually("it is back with its file", || found(&house, "koalaword"));
    let after = memory(&house, "deploys.md").unwrap();
    assert_eq!((&after["id"], &after["hits"], &after["critical"]), (&before["id"], &7.into(), &true.into()));
}

#[test]
fn what_is_remembered_lies_in_a_file_and_changes_only_where_it_changed() {
    let house = open();
    let id = remember(&house, &["The staging database is read-only on Fridays", "--global"]);
    let path = folder(&house).join("the-staging-database-is-read-only-on-fridays.md");
    eventually("the file is there", || path.exists());
    let first = text(&path);
    assert!(first.starts_with(&format!("---\nid: {id}\nname: The staging database")), "{first}");
    house.assert_private();

    // A person's own words and fields stay, whatever we write beside them.
    let mine = first.replace("hits: 0", "hits: 0   # told\r\nreviewed-by: 'Ann'\r\n# a remark");
    fs::write(&path, &mine).unwrap();
    house.ok(&["edit", &id, "--critical", "true"]);
    let expected = mine.replace("critical: false", "critical: true");
    eventually("the mark is written", || text(&path) == expected);
    house.ok(&["edit", &id, "--text", "It is read-only on Mondays, too"]);
    let head = &expected[..expected.rfind("---\n").unwrap() + 4];
    eventually("the text is written", || text(&path) == format!("{head}\nIt is read-only on Mondays, too\n"));
    assert_eq!(shown(&house, &id)["title"], "The staging database is read-only on Fridays");
}

#[test]
fn a_forgotten_memory_has_no_file_and_its_file_brings_it_not_back() {
    let house = open();
    let id = remember(&house, &["The bilbyword is secret"]);
    let path = folder(&house).join("the-bilbyword-is-secret.md");
    eventually("the file is there", || path.exists());
    let kept = text(&path);
    house.ok(&["forget", &id, "--yes"]);
    assert!(!path.exists(), "gone before the answer");
    assert_eq!(house.files_with("bilbyword"), Vec::<PathBuf>::new());
    fs::write(&path, kept).unwrap();
    eventually("it is told", || problems(&house).contains("was forgotten"));
    assert!(!found(&house, "bilbyword"));
    // In new words it is a new memory.
    fs::write(&path, "The bilbyword is an animal").unwrap();
    eventually("the new one is found", || found(&house, "bilbyword"));
}

#[test]
fn a_folder_that_goes_away_takes_no_memory_with_it() {
    let house = open();
    for number in 0..8 {
        fs::write(
            folder(&house).join(format!("note-{number}.md")),
            format!("number{number} of the quokkaword"),
        )
        .unwrap();
    }
    eventually("all are taken", || {
        (0..8).all(|number| memory(&house, &format!("note-{number}.md")).is_some())
    });
    let away = house.home().join("away");
    fs::rename(folder(&house), &away).unwrap();
    eventually("it is told", || problems(&house).contains("cannot be opened"));
    remember(&house, &["Remembered meanwhile"]);
    assert!(!folder(&house).exists(), "nobody makes another in its place");
    assert!((0..8).all(|number| memory(&house, &format!("note-{number}.md")).is_some()));

    fs::rename(&away, folder(&house)).unwrap();
    eventually("what was remembered meanwhile is there", || {
        folder(&house).join("remembered-meanwhile.md").exists()
    });
    for number in 0..7 {
        fs::remove_file(folder(&house).join(format!("note-{number}.md"))).unwrap();
    }
    eventually("it is told", || problems(&house).contains("7 of 9 files are gone at once"));
    assert!((0..8).all(|number| memory(&house, &format!("note-{number}.md")).is_some()));
    let doctor = house.ok(&["doctor"]);
    assert!(doctor.contains("repair: throughline forget --missing-files"), "{doctor}");
    let asked = house.run(&["forget", "--missing-files"]);
    assert!(!asked.status.success() && String::from_utf8_lossy(&asked.stderr).contains("--yes"), "{asked:?}");
    let gone: Value =
        serde_json::from_str(&house.ok(&["forget", "--missing-files", "--yes", "--json"])).unwrap();
    assert_eq!(gone["forgotten"].as_array().map(Vec::len), Some(7), "{gone}");
    assert!((0..7).all(|number| memory(&house, &format!("note-{number}.md")).is_none()));
    assert!(memory(&house, "note-7.md").is_some(), "what has its file stays");
    eventually("nothing is wrong any more", || problems(&house) == "[]");
    assert!(house.ok(&["forget", "--missing-files", "--yes"]).contains("no memory file is missing"));
}

#[test]
fn everything_a_person_wants_kept_has_a_file_whatever_its_kind() {
    let house = open();
    let id = remember(&house, &["we ship on Tuesdays", "--kind", "decision"]);
    let is_there = |name: &str| text(&folder(&house).join(name)).contains(&id);
    eventually("it has a file", || is_there("we-ship-on-tuesdays.md"));
    house.send(&house.prompt("s", "make the whole export work with very many rows please"));
    house.ok(&["rebuild"]);
    eventually("it is compared", || house.status()["memory_files"]["files"] == 1);
    assert_eq!(fs::read_dir(folder(&house)).unwrap().count(), 1, "a prompt has none");
}

#[test]
fn every_slip_of_a_file_is_told_and_doctor_says_how_many_more_there_are() {
    let house = open();
    let slips = "---\nhits: -4\nkind: 7\ntags: {a: b}\nlast_applied: tomorrow\n---\nwords";
    for number in 0..7 {
        fs::write(folder(&house).join(format!("slip-{number}.md")), slips).unwrap();
    }
    eventually("all are told", || problems(&house).contains("slip-6.md"));
    for line in ["line 2: hits", "line 3: kind", "line 4: tags", "line 5: last_applied"] {
        assert!(problems(&house).contains(line), "{line}: {}", problems(&house));
    }
    assert!(house.ok(&["doctor"]).contains("and 2 more"));
    assert_eq!(text(&folder(&house).join("slip-0.md")), slips, "they are left alone");
}

#[test]
fn nothing_that_lies_in_the_folder_does_harm() {
    let house = open();
    let here = folder(&house);
    fs::write(house.home().join("outside.md"), "the outsideword").unwrap();
    symlink(house.home().join("outside.md"), here.join("link.md")).unwrap();
    symlink(house.home(), here.join("up")).unwrap();
    symlink("loop", here.join("loop")).unwrap();
    let made = Command::new("mkfifo").arg(here.join("pipe.md")).status().unwrap();
    assert!(made.success());
    fs::File::create(here.join("giant.md")).unwrap().set_len(50 << 20).unwrap();
    fs::write(here.join("latin.md"), b"caf\xe9 latinword").unwrap();
    fs::write(here.join("README.md"), "the readmeword").unwrap();
    fs::write(here.join("open.md"), "---\nname: x\nthe body is taken: openword\n").unwrap();
    fs::create_dir_all(here.join("topic/deep")).unwrap();
    eventually("folders are watched", || house.status()["memory_files"]["watched"] == true);
    fs::write(here.join("topic/deep/inner.md"), "the innerword").unwrap();
    eventually("the sound ones are found", || found(&house, "innerword") && found(&house, "openword"));
    for word in ["outsideword", "latinword", "readmeword"] {
        assert!(!found(&house, word), "{word}");
    }
    let told = problems(&house);
    for name in ["link.md", "pipe.md", "giant.md", "latin.md", "open.md"] {
        assert!(told.contains(name), "{name} in {told}");
    }
    assert_eq!(text(&house.home().join("outside.md")), "the outsideword");
}

#[test]
fn a_secret_stays_in_its_file_and_no_mask_is_written_over_it() {
    let house = open();
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let path = folder(&house).join("token.md");
    fs::write(&path, format!("---\nname: Token\n---\nThe echidnaword is {secret}\n")).unwrap();
    eventually("it is found", || found(&house, "echidnaword"));
    let ours: Vec<_> = house.files_with(&secret).into_iter().filter(|file| *file != path).collect();
    assert_eq!(ours, Vec::<PathBuf>::new());
    let said = memory(&house, "token.md").unwrap();
    assert!(said["text"].as_str().unwrap().contains("[REDACTED:"), "{said}");
    let changed = said["text"].as_str().unwrap().replace("echidnaword", "echidna");
    house.ok(&["edit", "token.md", "--text", &changed]);
    eventually("it is told", || problems(&house).contains("token.md"));
    assert!(text(&path).contains(&secret));
}

#[test]
fn a_renamed_file_is_the_same_memory_and_a_copied_one_another() {
    let house = open();
    let id = remember(&house, &["The numbatword sleeps"]);
    let path = folder(&house).join("the-numbatword-sleeps.md");
    eventually("the file is there", || path.exists());
    let renamed = folder(&house).join("animals.md");
    fs::rename(&path, &renamed).unwrap();
    eventually("it moved", || memory(&house, "animals.md").is_some_and(|said| said["id"] == id.as_str()));
    fs::write(folder(&house).join("aaa.md"), text(&renamed).replace("sleeps", "wakes")).unwrap();
    eventually("the copy is its own", || {
        memory(&house, "aaa.md").is_some_and(|said| said["id"] != id.as_str())
    });
    assert!(shown(&house, &id)["text"].as_str().unwrap().contains("sleeps"));
}

#[test]
fn a_folder_of_a_persons_own_keeps_its_mode_and_is_there_after_a_rebuild() {
    let house = House::new();
    let mine = house.home().join("notes");
    fs::create_dir(&mine).unwrap();
    fs::set_permissions(&mine, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(mine.join("first.md"), "the dingoword").unwrap();
    house.ok(&["config", "set", "memory.folder", mine.to_str().unwrap()]);
    house.start();
    eventually("it is found", || found(&house, "dingoword"));
    remember(&house, &["Remembered here"]);
    let path = mine.join("remembered-here.md");
    eventually("the file is there", || path.exists());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
    assert_eq!(fs::metadata(&mine).unwrap().permissions().mode() & 0o777, 0o755);
    let before: Vec<(PathBuf, String)> =
        files(&mine).into_iter().map(|path| (path.clone(), text(&path))).collect();

    house.ok(&["rebuild"]);
    assert!(found(&house, "dingoword"));
    house.ok(&["daemon", "stop"]);
    fs::write(mine.join("first.md"), "the dingoword and the kangarooword").unwrap();
    house.start();
    eventually("what was written meanwhile is found", || found(&house, "kangarooword"));
    let after: Vec<PathBuf> = files(&mine);
    assert_eq!(after.len(), before.len(), "{after:?}");
    house.ok(&["config", "set", "memory.folder", "off"]);
    fs::write(mine.join("second.md"), "the emuword").unwrap();
    eventually("it is off", || house.status()["memory_files"]["folder"].is_null());
    assert!(!found(&house, "emuword") && found(&house, "kangarooword"));
}

#[test]
fn what_changed_on_both_sides_is_merged_and_where_it_cannot_be_the_file_holds() {
    let house = open();
    let id = remember(&house, &["The possumword is grey"]);
    let path = folder(&house).join("the-possumword-is-grey.md");
    eventually("the file is there", || path.exists());
    // While the folder is away, each side changes on its own.
    let away = house.home().join("away");
    fs::rename(folder(&house), &away).unwrap();
    eventually("it is told", || problems(&house).contains("cannot be opened"));
    house.ok(&["edit", &id, "--title", "Possums", "--text", "They are black", "--critical", "true"]);
    let aside = away.join("the-possumword-is-grey.md");
    let mine =
        text(&aside).replace("\nThe possumword", "\nBrown: the possumword").replace("hits: 0", "hits: 5");
    fs::write(&aside, &mine).unwrap();
    fs::rename(&away, folder(&house)).unwrap();
    let merged = mine
        .replace("name: The possumword is grey", "name: Possums")
        .replace("critical: false", "critical: true");
    eventually("the file has what it did not change", || text(&path) == merged);
    eventually("the store has what the file changed", || {
        let said = shown(&house, &id);
        (&said["text"], &said["hits"], &said["title"])
            == (&"Brown: the possumword is grey".into(), &5.into(), &"Possums".into())
    });
}
