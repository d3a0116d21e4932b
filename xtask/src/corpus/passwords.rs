//! Passwords as people make them: short, wordy, decorated, and seldom random.

use super::format::{expand, percent};
use super::random::Random;

/// Where the value has to stand, and so which characters it may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Unquoted, ended by white space.
    Word,
    /// Between quotes: spaces and most symbols are welcome, quotes and backslashes are not.
    Quoted,
    /// The user part of a URL: reserved characters are percent-encoded.
    Url,
}

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "summer", "winter", "dragon", "monkey", "falcon", "purple", "orange", "coffee", "guitar", "shadow", "tiger", "rocket",
    "pepper", "ginger", "hunter", "soccer", "hockey", "yankee", "london", "berlin", "madrid", "kitten", "puppy", "maggie",
    "bailey", "harley", "jordan", "thomas", "daniel", "andrea", "walnut", "copper", "silver", "thunder", "sunset", "castle",
    "knight", "wizard", "pirate", "banana", "cherry", "mango", "pickle", "waffle", "noodle", "river", "ocean", "forest",
    "battery", "staple", "correct", "horse", "planet", "cosmic", "velvet", "marble", "lantern", "anchor", "beacon", "ember",
    "quartz", "raven", "saffron", "timber", "umbrella", "violet", "willow", "yonder", "zephyr", "atlas", "bishop", "cobalt",
];

#[rustfmt::skip]
const FOREIGN: &[&str] = &["grüße", "señor", "façade", "smörgås", "żółw", "naïve", "élan", "köln"];

pub(crate) const NAMES: &str = "DB_PASSWORD|DB_PASS|DB_PWD|DATABASE_PASSWORD|MYSQL_ROOT_PASSWORD|POSTGRES_PASSWORD|\
PGPASSWORD|REDIS_PASSWORD|SMTP_PASSWORD|SMTP_PASS|EMAIL_HOST_PASSWORD|MAIL_PASSWORD|LDAP_BIND_PASSWORD|ADMIN_PASSWORD|\
ROOT_PASSWORD|ADMIN_PW|KEYSTORE_PASSWORD|TRUSTSTORE_PASSWORD|SSH_PASSPHRASE|GPG_PASSPHRASE|RABBITMQ_DEFAULT_PASS|\
MONGO_INITDB_ROOT_PASSWORD|ELASTIC_PASSWORD|GRAFANA_ADMIN_PASSWORD|KAFKA_SASL_PASSWORD|FTP_PASSWORD|PASSWORD|PASSWD|\
dbPassword|userPassword|adminPass|wifi_password|ansible_become_password|vault_password|SUDO_PASS|JENKINS_PASSWORD|\
KEY_PASSPHRASE|CERT_PASSWORD|SA_PASSWORD|MSSQL_SA_PASSWORD|ORACLE_PWD|PROXY_PASSWORD|BACKUP_PASSPHRASE";

fn word(random: &mut Random) -> &'static str {
    random.pick(WORDS)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

fn leet(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            'a' => '4',
            'e' => '3',
            'i' => '1',
            'o' => '0',
            's' => '5',
            other => other,
        })
        .collect()
}

/// One password, already in the form in which it stands in the text.
pub(crate) fn make(fit: Fit, random: &mut Random) -> String {
    let mark = random.pick(&["!", "@", "#", "%", "*", "_", "+", "^", "?", "!!", "."]);
    let (first, second) = (word(random), word(random));
    let plain = match random.below(16) {
        0 => format!("{}{}{mark}", capital(first), random.between(1970, 2026)),
        1 => format!("{first}{}", random.between(1, 999)),
        2 => format!("{}{}{}", leet(first), capital(second), random.below(100)),
        3 => format!("{}{mark}{}{}", capital(first), capital(second), random.below(1000)),
        4 => format!("{first}-{second}-{}-{}", word(random), word(random)),
        5 => expand("{w16}", random),
        6 => expand("{w12}", random),
        7 => expand("{w4}!{w4}@{w5}%{w3}", random),
        8 => expand("{d8}", random),
        9 => format!("{}@{}", leet(&capital(first)), random.below(10_000)),
        10 => format!("{}{}", expand("{l3}{d2}{u2}", random), mark),
        11 => format!("{}.{}.{}", first, second, random.below(100)),
        12 => format!("{first}{second}"),
        13 => expand("{n20}", random),
        14 => format!("{mark}{}{}{mark}", leet(first), capital(second)),
        _ => expand("{w8}-{w8}", random),
    };
    match fit {
        Fit::Url => percent(&plain),
        Fit::Word => plain.replace('#', "~").replace('?', "+"),
        Fit::Quoted => match random.below(6) {
            0 => format!("{first} {second} {} {}", word(random), random.below(100)),
            1 => format!("{plain}${}&{}", second, random.below(10)),
            2 => format!("{}{}{}", random.pick(FOREIGN), random.below(100), mark),
            3 => expand("{w5};{w4}({w3}){w2}=", random),
            _ => plain,
        },
    }
}
