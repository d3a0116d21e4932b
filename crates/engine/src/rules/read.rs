//! `rule.toml` to a [`Rule`]. Strict: a key that is not known or does not fit is an error with its name, because a rule
//! that means something else than was written is worse than none.

use std::str::FromStr;
use std::time::Duration;

use model::EventKind;
use toml_edit::{DocumentMut, Item};

use super::{EVENTS, Kind, Match, PROMPT_EVENTS, Rule, RuleError, Then, is_name, most};

/// A rule is a page; more is something else.
const MAX_TEXT: usize = 64 << 10;
/// Nobody has more tools to name.
const MAX_LIST: usize = 64;

const KEYS: &[&str] = &["kind", "on", "tools", "match", "budget-ms", "enabled", "allow", "then"];
const MATCH_KEYS: &[&str] = &["command", "file", "prompt"];

impl Rule {
    pub fn read(name: &str, text: &str) -> Result<Self, RuleError> {
        if !is_name(name) {
            return wrong(format!("\"{name}\" is no name: small letters, digits and single dashes"));
        }
        if text.len() > MAX_TEXT {
            return wrong(format!("it is longer than {MAX_TEXT} bytes"));
        }
        let file = DocumentMut::from_str(text).map_err(|error| RuleError(error.message().to_owned()))?;
        for (key, _) in file.iter() {
            if !KEYS.contains(&key) {
                return wrong(format!("`{key}` is not known; there are {}", KEYS.join(", ")));
            }
        }
        let on = events(file.get("on"))?;
        let kind = kind(file.get("kind"), file.get("then"), &on)?;
        let budget = budget(file.get("budget-ms"), &on)?;
        if matches!(kind, Kind::Prompt(_)) && budget.is_none() {
            return wrong("a prompt rule says how long an agent may wait for it: `budget-ms`".to_owned());
        }
        let may_allow = flag(&file, "allow", false)?;
        if may_allow && kind != Kind::Command {
            return wrong("`allow` is for command rules: no model skips a question to you".to_owned());
        }
        Ok(Self {
            name: name.to_owned(),
            kind,
            on,
            matching: matching(file.get("tools"), file.get("match"))?,
            budget,
            enabled: flag(&file, "enabled", true)?,
            may_allow,
        })
    }
}

fn events(item: Option<&Item>) -> Result<Vec<EventKind>, RuleError> {
    let known = || EVENTS.iter().map(|(kind, _)| kind.name()).collect::<Vec<_>>().join(", ");
    let names = list("on", item)?;
    if names.is_empty() {
        return wrong(format!("`on` names the events it hears, of {}", known()));
    }
    let event = |name: &String| {
        let kind = EventKind::from_name(name);
        most(kind).map(|_| kind).ok_or_else(|| {
            RuleError(format!("`on`: no rule can answer on \"{name}\" in time; there are {}", known()))
        })
    };
    names.iter().map(event).collect()
}

fn kind(item: Option<&Item>, then: Option<&Item>, on: &[EventKind]) -> Result<Kind, RuleError> {
    match item.and_then(Item::as_str) {
        Some("command") if then.is_none() => Ok(Kind::Command),
        Some("command") => {
            wrong("`then` is for prompt rules; a program says itself what it wants".to_owned())
        }
        Some("prompt") => {
            if let Some(kind) = on.iter().find(|kind| !PROMPT_EVENTS.contains(kind)) {
                let known: Vec<_> = PROMPT_EVENTS.iter().map(|kind| kind.name()).collect();
                let only = known.join(", ");
                return wrong(format!("`on`: a model is asked only on {only}, not on {}", kind.name()));
            }
            let named = then.and_then(Item::as_str);
            let found = Then::ALL.iter().find(|one| Some(one.name()) == named);
            let fitting = |one: &&Then| on.iter().all(|kind| one.fits(*kind));
            found.filter(fitting).map(|then| Kind::Prompt(*then)).ok_or_else(|| {
                let known: Vec<_> = Then::ALL.iter().filter(fitting).map(|one| one.name()).collect();
                RuleError(format!("`then` says what a yes does; on these events: {}", known.join(", ")))
            })
        }
        _ => wrong("`kind` is \"command\" or \"prompt\"".to_owned()),
    }
}

fn budget(item: Option<&Item>, on: &[EventKind]) -> Result<Option<Duration>, RuleError> {
    let Some(item) = item else { return Ok(None) };
    let longest = on.iter().filter_map(|kind| most(*kind)).max().unwrap_or_default();
    let millis = item.as_integer().and_then(|millis| u64::try_from(millis).ok()).map(Duration::from_millis);
    match millis.filter(|budget| !budget.is_zero() && *budget <= longest) {
        Some(budget) => Ok(Some(budget)),
        None => wrong(format!("`budget-ms` is 1 to {} on these events", longest.as_millis())),
    }
}

fn matching(tools: Option<&Item>, item: Option<&Item>) -> Result<Match, RuleError> {
    let mut matching = Match { tools: super::glob::words(&list("tools", tools)?)?, ..Match::default() };
    let Some(item) = item else { return Ok(matching) };
    let Some(table) = item.as_table_like() else {
        return wrong("`match` is a table, such as { command = 'git push' }".to_owned());
    };
    for (key, item) in table.iter() {
        let Some(text) = item.as_str() else { return wrong(format!("`match.{key}` is a text")) };
        let named = |error: RuleError| RuleError(format!("`match.{key}`: {error}"));
        match key {
            "command" => matching.command = Some(super::matching::pattern(text).map_err(named)?),
            "prompt" => matching.prompt = Some(super::matching::pattern(text).map_err(named)?),
            "file" => matching.file = Some(super::glob::path(text).map_err(named)?),
            _ => return wrong(format!("`match.{key}` is not known; there are {}", MATCH_KEYS.join(", "))),
        }
    }
    Ok(matching)
}

fn list(key: &str, item: Option<&Item>) -> Result<Vec<String>, RuleError> {
    let Some(item) = item else { return Ok(Vec::new()) };
    let words = item.as_array().filter(|array| array.len() <= MAX_LIST);
    let words: Option<Vec<String>> =
        words.and_then(|array| array.iter().map(|one| one.as_str().map(str::to_owned)).collect());
    words.ok_or_else(|| RuleError(format!("`{key}` is a list of at most {MAX_LIST} texts")))
}

fn flag(file: &DocumentMut, key: &str, usual: bool) -> Result<bool, RuleError> {
    match file.get(key) {
        None => Ok(usual),
        Some(item) => item.as_bool().ok_or_else(|| RuleError(format!("`{key}` is true or false"))),
    }
}

fn wrong<T>(what: String) -> Result<T, RuleError> {
    Err(RuleError(what))
}
