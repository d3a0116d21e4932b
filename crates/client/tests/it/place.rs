//! Where things lie, from the environment alone.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use client::{Place, key};

use crate::house::{House, mode};

fn place(pairs: &[(&str, &str)]) -> Option<Place> {
    let get = |key: &str| pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| OsString::from(value));
    Place::from_env(&get)
}

#[track_caller]
fn check(pairs: &[(&str, &str)], expected: Option<&str>) {
    assert_eq!(place(pairs).map(|place| place.data).as_deref(), expected.map(Path::new));
}

#[test]
fn a_place_is_found_in_the_environment() {
    check(&[("HOME", "/h")], Some("/h/.throughline/default"));
    check(&[("HOME", "/h"), ("THROUGHLINE_HOME", "/t")], Some("/t/default"));
    check(&[("HOME", "/h"), ("THROUGHLINE_HOME", "")], Some("/h/.throughline/default"));
    check(&[("THROUGHLINE_HOME", "/t"), ("THROUGHLINE_NAMESPACE", "work")], Some("/t/work"));
}

#[test]
fn without_an_absolute_home_there_is_none() {
    check(&[], None);
    check(&[("HOME", "")], None);
    check(&[("HOME", "relative")], None);
    check(&[("HOME", "/h"), ("THROUGHLINE_HOME", "relative")], None);
}

#[test]
fn a_hostile_namespace_is_the_default_one() {
    for name in ["", ".", "..", "../x", "a/b", "/etc", ".hidden"] {
        check(&[("HOME", "/h"), ("THROUGHLINE_NAMESPACE", name)], Some("/h/.throughline/default"));
    }
}

#[test]
fn folders_are_made_for_us_alone_and_an_open_one_is_closed() {
    let house = House::new();
    fs::create_dir_all(house.place.run()).unwrap();
    fs::set_permissions(house.place.run(), fs::Permissions::from_mode(0o755)).unwrap();
    house.place.ensure().unwrap();
    for folder in [house.place.data.clone(), house.place.run(), house.place.spool(), house.place.logs()] {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
    }
}

#[test]
fn all_who_make_the_key_at_once_get_the_same_one() {
    let house = House::new();
    let keys: Vec<_> = std::thread::scope(|scope| {
        let makers: Vec<_> = (0..8).map(|_| scope.spawn(|| key::load(&house.place).unwrap())).collect();
        makers.into_iter().map(|maker| maker.join().unwrap()).collect()
    });
    assert!(keys.iter().all(|key| *key == keys[0] && *key != [0; 32]));
    assert_eq!(mode(&house.place.key_file()), 0o600);
    assert_eq!(fs::read_dir(&house.place.data).unwrap().count(), 1, "no part is left");
}

#[test]
fn a_key_of_the_wrong_length_is_not_replaced() {
    let house = House::new();
    house.place.ensure().unwrap();
    fs::write(house.place.key_file(), "short").unwrap();
    assert_eq!(key::load(&house.place).unwrap_err().kind(), std::io::ErrorKind::InvalidData);
    assert_eq!(fs::read(house.place.key_file()).unwrap(), b"short");
}
