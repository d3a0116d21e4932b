//! What is in the spool comes out as it went in, in order, once; what is damaged is set aside; nothing grows.

use std::fs::{self, File, FileTimes};
use std::io;
use std::time::{Duration, SystemTime};

use client::spool::{self, Damage, MAX_BYTES, MAX_DAMAGED, MAX_FILES, Spool, Spooled, keep};

use crate::house::{House, envelope, mode};

#[test]
fn envelopes_come_out_in_the_order_they_were_minted() {
    let house = House::new();
    for at in [30, 10, 20] {
        keep(&house.place, &envelope(at, "{}"), at == 20).unwrap();
    }
    let mut times = Vec::new();
    for spooled in Spool::drain(&house.place).unwrap() {
        let Spooled::Whole { path, envelope, private_prompt } = spooled else { panic!("{spooled:?}") };
        assert_eq!(private_prompt, envelope.at == 20);
        times.push(envelope.at);
        spool::remove(&path).unwrap();
        spool::remove(&path).unwrap();
    }
    assert_eq!(times, [10, 20, 30]);
    assert!(house.spooled().is_empty());
}

#[test]
fn a_spool_that_is_not_there_is_empty() {
    assert!(House::new().spooled().is_empty());
}

#[test]
fn files_are_for_us_alone_whatever_the_mask() {
    let house = House::new();
    keep(&house.place, &envelope(1, "{}"), false).unwrap();
    let files: Vec<_> =
        fs::read_dir(house.place.spool()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    assert_eq!((mode(&files[0]), mode(&house.place.spool()), mode(&house.place.data)), (0o600, 0o700, 0o700));
}

#[test]
fn the_same_envelope_twice_is_one_file() {
    let house = House::new();
    keep(&house.place, &envelope(1, "{}"), false).unwrap();
    keep(&house.place, &envelope(1, "{}"), false).unwrap();
    assert_eq!(house.spooled().len(), 1);
}

#[test]
fn a_full_spool_refuses_the_new_one() {
    let house = House::new();
    keep(&house.place, &envelope(1, "{}"), false).unwrap();
    let giant = File::create(house.place.spool().join("giant.env")).unwrap();
    giant.set_len(MAX_BYTES).unwrap();
    for _ in 1..=3 {
        let refused = keep(&house.place, &envelope(2, "{}"), false).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::StorageFull);
    }
    drop(giant);
    fs::remove_file(house.place.spool().join("giant.env")).unwrap();
    keep(&house.place, &envelope(3, "{}"), false).unwrap();
    assert_eq!(house.spooled().iter().map(|envelope| envelope.at).collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn a_spool_of_too_many_files_is_full() {
    let house = House::new();
    house.place.ensure().unwrap();
    for at in 0..MAX_FILES {
        File::create(house.place.spool().join(format!("{at}.part"))).unwrap();
    }
    assert_eq!(keep(&house.place, &envelope(1, "{}"), false).unwrap_err().kind(), io::ErrorKind::StorageFull);
}

#[test]
fn abandoned_parts_are_swept_and_fresh_ones_are_not() {
    let house = House::new();
    house.place.ensure().unwrap();
    let (old, fresh) = (house.place.spool().join("old.part"), house.place.spool().join("fresh.part"));
    let long_ago = SystemTime::now() - Duration::from_hours(1);
    File::create(&old).unwrap().set_times(FileTimes::new().set_modified(long_ago)).unwrap();
    File::create(&fresh).unwrap();
    assert!(house.spooled().is_empty());
    assert_eq!((old.exists(), fresh.exists()), (false, true));
}

#[test]
fn a_damaged_file_is_set_aside_and_the_others_come_out() {
    let house = House::new();
    for at in 1..=3 {
        keep(&house.place, &envelope(at, "{\"a\":1}"), false).unwrap();
    }
    let second = house.place.spool().join(format!("{}.env", envelope(2, "").id));
    let mut bytes = fs::read(&second).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&second, bytes).unwrap();
    let found: Vec<_> = Spool::drain(&house.place).unwrap().collect();
    assert_eq!(found.len(), 3);
    let Spooled::Damaged { path: Some(aside), damage: Damage::Checksum } = &found[1] else {
        panic!("{found:?}")
    };
    assert!(aside.starts_with(house.place.spool().join("damaged")) && aside.exists());
    assert_eq!(house.spooled().len(), 2);
}

#[test]
fn what_is_set_aside_is_bounded() {
    let house = House::new();
    house.place.ensure().unwrap();
    for at in 0..MAX_DAMAGED + 5 {
        fs::write(house.place.spool().join(format!("{at}.env")), "no envelope at all").unwrap();
    }
    let kept = Spool::drain(&house.place)
        .unwrap()
        .filter(|found| matches!(found, Spooled::Damaged { path: Some(_), .. }))
        .count();
    assert_eq!(kept, MAX_DAMAGED);
    assert!(house.spooled().is_empty());
}

#[test]
fn a_link_in_the_spool_is_not_followed() {
    let house = House::new();
    keep(&house.place, &envelope(1, "{}"), false).unwrap();
    let elsewhere = house.root.path().join("elsewhere");
    let inside = house.place.spool().join(format!("{}.env", envelope(1, "").id));
    fs::rename(&inside, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &inside).unwrap();
    assert!(house.spooled().is_empty());
    assert!(elsewhere.exists());
}

#[test]
fn a_file_in_the_place_of_the_folder_is_an_error() {
    let house = House::new();
    fs::create_dir_all(house.place.data.parent().unwrap()).unwrap();
    fs::write(&house.place.data, "a file").unwrap();
    assert!(keep(&house.place, &envelope(1, "{}"), false).is_err());
}
