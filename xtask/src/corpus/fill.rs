//! Fills the holes of a template.

use super::Value;
use super::format::{base64, expand, percent};
use super::random::Random;

const USERS: &[&str] = &["admin", "deploy", "svc_app", "alice", "root", "bob.k", "app_rw", "jenkins"];
const HOSTS: &[&str] = &[
    "db.acme.dev",
    "prod-db-1.internal",
    "registry.initech.io",
    "globex.co",
    "10.20.3.7",
    "api-eu.hooli.net",
];
const DATABASES: &[&str] = &["orders", "app_production", "billing", "analytics", "users"];
const WORDS: &[&str] =
    &["atlas", "billing", "checkout", "falcon", "gateway", "ledger", "notify", "search", "webapp"];

/// Returns the text and what must be gone from it. `shown` is written into the holes, `secret` is the part of it
/// that matters.
pub(crate) fn fill(
    template: &str,
    name: &str,
    shown: &str,
    secret: &str,
    random: &mut Random,
) -> (String, Vec<Value>) {
    let template = expand(template, random);
    let (user, host) = (random.pick(USERS), random.pick(HOSTS));
    let mut out = String::with_capacity(template.len() + shown.len());
    let mut values = Vec::new();
    let mut rest = template.as_str();
    while let Some(open) = rest.find('«') {
        out.push_str(&rest[..open]);
        let tail = &rest[open + '«'.len_utf8()..];
        let close = tail.find('»').expect("every hole of a template is closed");
        match &tail[..close] {
            "V" => {
                out.push_str(shown);
                remember(&mut values, Value::plain(secret.to_owned()));
            }
            "64" => encoded(base64(shown.as_bytes()), &mut out, &mut values),
            "pair64" => encoded(base64(format!("{user}:{shown}").as_bytes()), &mut out, &mut values),
            "url" => {
                let text = if shown.contains('%') { shown.to_owned() } else { percent(shown) };
                out.push_str(&text);
                remember(&mut values, Value::plain(text));
            }
            "NAME" => out.push_str(&words(name).join("_").to_uppercase()),
            "name" => out.push_str(&words(name).join("_")),
            "kebab" => out.push_str(&words(name).join("-")),
            "dotted" => out.push_str(&words(name).join(".")),
            "camel" => out.push_str(&camel(name)),
            "user" => out.push_str(user),
            "host" => out.push_str(host),
            "db" => out.push_str(random.pick(DATABASES)),
            "word" => out.push_str(random.pick(WORDS)),
            other => panic!("the templates know no hole named {other}"),
        }
        rest = &tail[close + '»'.len_utf8()..];
    }
    out.push_str(rest);
    (out, values)
}

fn remember(values: &mut Vec<Value>, value: Value) {
    if values.iter().all(|known| known.text != value.text) {
        values.push(value);
    }
}

fn encoded(text: String, out: &mut String, values: &mut Vec<Value>) {
    out.push_str(&text);
    remember(values, Value::core(text));
}

/// The lower-case words of `SCREAMING_NAME`, `dotted.name` or `camelName`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_lower = false;
    for letter in name.chars() {
        if matches!(letter, '_' | '.' | '-') || (letter.is_uppercase() && before_lower) {
            words.push(String::new());
        }
        before_lower = letter.is_lowercase();
        if letter.is_alphanumeric() {
            words.last_mut().expect("there is always a last word").extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn camel(name: &str) -> String {
    let mut out = String::new();
    for (index, word) in words(name).iter().enumerate() {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if index > 0 => out.extend(first.to_uppercase()),
            Some(first) => out.push(first),
            None => {}
        }
        out.push_str(letters.as_str());
    }
    out
}
