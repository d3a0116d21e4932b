//! Passwords of other habits: keyboard walks, names with dates, generated groups, sayings, default schemes of firms.

use crate::corpus::format::{expand, percent};
use crate::corpus::passwords::Fit;
use crate::corpus::random::Random;

pub(crate) const NAMES: &str = "SPRING_DATASOURCE_PASSWORD|MARIADB_ROOT_PASSWORD|KEYCLOAK_ADMIN_PASSWORD|MINIO_ROOT_PASSWORD|\
NEO4J_PASSWORD|COUCHDB_PASSWORD|SONAR_JDBC_PASSWORD|WORDPRESS_DB_PASSWORD|PGADMIN_DEFAULT_PASSWORD|SVN_PASSWORD|\
DJANGO_SUPERUSER_PASSWORD|MATCH_PASSWORD|BORG_PASSPHRASE|RESTIC_PASSWORD|SIGNING_STORE_PASSWORD|KEY_STORE_PASS|\
windowsServiceAccountPassword|smtpPass|mqtt_password|vncPassword|NEXUS_PASS|E2E_USER_PASSWORD|TEST_ACCOUNT_PWD|IMAP_PASS";

const WALKS: &[&str] = &["qwerty", "asdfgh", "1qaz2wsx", "zxcvbn", "qazwsx", "q1w2e3r4", "poiuyt"];
#[rustfmt::skip]
const PEOPLE: &[&str] = &["marta", "oliver", "priya", "hiroshi", "lucia", "benoit", "fatima", "sven", "chloe", "mateo", "ingrid"];
const FIRMS: &[&str] = &["Acme", "Initech", "Globex", "Hooli", "Umbra", "Vandelay", "Stark"];
#[rustfmt::skip]
const SAYINGS: &[&str] = &["letmein", "opensesame", "iloveyou", "trustno", "ihatemondays", "nevergonna", "whoknows", "itsasecret"];
#[rustfmt::skip]
const THINGS: &[&str] = &["Tulip", "Bicycle", "Volcano", "Penguin", "Harbor", "Biscuit", "Cactus", "Piano", "Meteor", "Glacier"];

/// One password, already in the form in which it stands in the text.
pub(crate) fn make(fit: Fit, random: &mut Random) -> String {
    let mark = random.pick(&["!", "@", "*", "_", "+", "!1", "-", "."]);
    let (person, firm, thing) = (random.pick(PEOPLE), random.pick(FIRMS), random.pick(THINGS));
    let year = random.between(1984, 2026);
    let plain = match random.below(14) {
        0 => format!("{}{}{mark}", random.pick(WALKS), random.below(1000)),
        1 => format!("{person}{}{:02}", random.between(1, 12), random.between(60, 99)),
        2 => format!("{firm}@{year}"),
        3 => format!("{firm}-{thing}{mark}{}", random.below(100)),
        4 => format!("{}{}", random.pick(SAYINGS), random.between(1, 99)),
        5 => expand("{n6}-{n6}-{n6}", random),
        6 => expand("{w22}", random),
        7 => expand("{u1}{l5}{d4}*{u1}{l3}", random),
        8 => format!("P@ss{thing}{year}"),
        9 => format!("{thing}.{}.{year}", random.pick(THINGS)),
        10 => expand("{w5}^{w5}~{w6}", random),
        11 => format!("My{thing}Is{}!", random.pick(&["Blue", "Red", "Big", "Old"])),
        12 => expand("{h24}", random),
        _ => format!("x{}_{person}_x{}", random.below(10), random.below(100)),
    };
    match fit {
        Fit::Url => percent(&plain),
        Fit::Word => plain,
        Fit::Quoted => match random.below(6) {
            0 => format!("{thing} on the {} {}{mark}", random.pick(THINGS), random.below(100)),
            1 => format!("{plain}#{}", random.below(100)),
            2 => expand("{w4}&{w4}[{w3}]{w3}", random),
            _ => plain,
        },
    }
}
