//! Settings, each with where its value comes from. What the daemon would call, read or reveal is changed at a terminal
//! and never here; the engine's table of keys says which that is.

use engine::config::{Key, Kind, Value as Default, key, keys};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::endpoint::{Asked, Endpoint, Given, Nothing, delete, get, put};
use super::words::{Name, Words};
use crate::House;
use crate::problem::Problem;

/// What a person wants hidden, in their own words: showing it would undo that.
const SECRET: &[&str] = &["redact.literals", "redact.patterns"];
/// Words of a list that is set here.
const MAX_LIST: usize = 200;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/settings", "Settings, with where each value comes from", list),
        get("/api/v1/settings/{key}", "One setting", one),
        put("/api/v1/settings/{key}", "Change a setting in your file", change),
        delete("/api/v1/settings/{key}", "Take a setting out of your file", reset),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct Settings {
    items: Vec<Setting>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Setting {
    key: String,
    /// What holds now; null where it is secret.
    value: Option<SettingValue>,
    default: SettingValue,
    kind: SettingKind,
    /// The words it takes, where it takes only some.
    choices: Option<&'static [&'static str]>,
    /// The smallest number it takes.
    least: Option<u64>,
    manual: &'static str,
    /// Which layer says so: `default`, `user`, `environment`, …
    origin: String,
    /// The file or variable that says so; empty for a default.
    place: String,
    /// Whether it can be changed over HTTP.
    changeable: bool,
    /// Why not.
    why_not: Option<String>,
    secret: bool,
    /// After a change: what your file says does not hold, because this says otherwise.
    overruled_by: Option<String>,
}

/// One of the shapes a setting has.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum SettingValue {
    Flag(bool),
    Number(u64),
    Text(String),
    List(Vec<String>),
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SettingKind {
    Flag,
    Number,
    Port,
    Word,
    Text,
    List,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Which {
    key: Name,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Change {
    value: Wish,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a value is a text, a whole number from 0 on, true or false, or a list of texts"
)]
enum Wish {
    Flag(bool),
    Number(u64),
    Text(Words<2000>),
    List(#[schemars(length(max = 200))] Vec<Words<500>>),
}

fn list(house: &dyn House, _: Asked) -> Result<Given<Settings>, Problem> {
    let held = house.settings();
    let mut items: Vec<Setting> = keys().map(|key| describe(key, &held)).collect();
    items.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    Ok(Settings { items }.into())
}

fn one(house: &dyn House, asked: Asked<Which>) -> Result<Given<Setting>, Problem> {
    Ok(describe(named(&asked.path.key)?, &house.settings()).into())
}

fn change(house: &dyn House, asked: Asked<Which, Nothing, Change>) -> Result<Given<Setting>, Problem> {
    let key = changeable(&asked.path.key)?;
    let text = written(asked.body.value)?;
    put_down(house, key, Some(&text))
}

fn reset(house: &dyn House, asked: Asked<Which>) -> Result<Given<Setting>, Problem> {
    let key = changeable(&asked.path.key)?;
    put_down(house, key, None)
}

fn put_down(house: &dyn House, key: Key, value: Option<&str>) -> Result<Given<Setting>, Problem> {
    house
        .set(&key.name, value)
        .map_err(|refusal| Problem::refusal("the setting was not changed", &refusal))?;
    let mut setting = describe(key, &house.settings());
    let expected = if value.is_some() { "user" } else { "default" };
    if setting.origin != expected {
        setting.overruled_by = Some(format!("{} ({})", setting.place, setting.origin));
    }
    Ok(setting.into())
}

fn named(name: &Name) -> Result<Key, Problem> {
    key(name.as_str()).ok_or(Problem::not_found("no setting has this key", "GET /api/v1/settings lists them"))
}

fn changeable(name: &Name) -> Result<Key, Problem> {
    let key = named(name)?;
    by_hand(&key).map_or(Ok(key), Err)
}

/// Why nobody changes it over HTTP, neither with the token nor with the page's cookie.
pub(super) fn by_hand(key: &Key) -> Option<Problem> {
    let why = key.by_hand?;
    Some(Problem {
        status: http::StatusCode::FORBIDDEN,
        title: "this setting is changed at a terminal",
        detail: format!("{why}; run `throughline config set {} VALUE`", key.name).into(),
    })
}

/// As a command line gives it.
fn written(wish: Wish) -> Result<String, Problem> {
    let items = match wish {
        Wish::Flag(flag) => return Ok(flag.to_string()),
        Wish::Number(number) => return Ok(number.to_string()),
        Wish::Text(text) => return Ok(text.into_text()),
        Wish::List(items) => items,
    };
    if items.len() > MAX_LIST || items.iter().any(|item| item.as_str().contains(',')) {
        return Err(Problem::refused(
            "the list cannot be written down",
            "send at most 200 words, none with a comma",
        ));
    }
    Ok(items.iter().map(Words::as_str).collect::<Vec<_>>().join(","))
}

fn describe(key: Key, held: &[Value]) -> Setting {
    let Key { name, kind, default, manual, by_hand } = key;
    let setting = held.iter().find(|setting| setting["key"] == name.as_str()).unwrap_or(&Value::Null);
    let text = |field: &str| setting[field].as_str().unwrap_or_default().to_owned();
    let secret = SECRET.contains(&name.as_str());
    let value = SettingValue::deserialize(&setting["value"]).ok().map(without_credentials);
    let (kind, choices, least) = match kind {
        Kind::Flag => (SettingKind::Flag, None, None),
        Kind::Number { least } => (SettingKind::Number, None, Some(least)),
        Kind::Port => (SettingKind::Port, None, Some(1)),
        Kind::Word(words) => (SettingKind::Word, Some(words), None),
        Kind::Text => (SettingKind::Text, None, None),
        Kind::List => (SettingKind::List, None, None),
    };
    Setting {
        value: value.filter(|_| !secret),
        default: match default {
            Default::Flag(flag) => SettingValue::Flag(flag),
            Default::Number(number) => SettingValue::Number(number),
            Default::Text(text) => SettingValue::Text(text),
            Default::List(list) => SettingValue::List(list),
        },
        kind,
        choices,
        least,
        manual,
        origin: text("origin"),
        place: text("place"),
        changeable: by_hand.is_none(),
        why_not: by_hand.map(|why| format!("{why}; run `throughline config set {name} VALUE`")),
        secret,
        overruled_by: None,
        key: name,
    }
}

/// An address may carry a name and a password, or a key behind its question mark.
fn without_credentials(value: SettingValue) -> SettingValue {
    let SettingValue::Text(text) = value else { return value };
    let Some((scheme, rest)) = text.split_once("://") else { return SettingValue::Text(text) };
    let (host, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = host.rsplit_once('@').map_or_else(|| host.to_owned(), |(_, host)| format!("…@{host}"));
    let whole = path.map_or_else(|| format!("{scheme}://{host}"), |path| format!("{scheme}://{host}/{path}"));
    let shown = whole.split_once('?').map_or_else(|| whole.clone(), |(before, _)| format!("{before}?…"));
    SettingValue::Text(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_address_carries_is_not_shown() {
        let shown = |text: &str| match without_credentials(SettingValue::Text(text.to_owned())) {
            SettingValue::Text(text) => text,
            other => panic!("{other:?}"),
        };
        assert_eq!(shown("http://me:secret@host:1/v1?key=abc"), "http://…@host:1/v1?…");
        assert_eq!(shown("http://127.0.0.1:8080/v1"), "http://127.0.0.1:8080/v1");
        assert_eq!(shown("on"), "on");
    }

    #[test]
    fn a_list_is_written_as_a_command_line_gives_it() {
        let list = |words: &[&str]| {
            written(Wish::List(
                words.iter().map(|word| Words::try_from((*word).to_owned()).unwrap()).collect(),
            ))
        };
        assert_eq!(list(&["Read", "Glob"]), Ok("Read,Glob".to_owned()));
        assert!(list(&["a,b"]).is_err());
    }
}
