//! What people may set. A table of keys, each with its default and its manual; every value remembers the
//! layer and the place it came from. Takes texts and pairs: reading files and the environment is the
//! binary's business.

mod keys;
mod layer;
mod value;

use std::collections::BTreeMap;

pub use keys::{Key, key, keys};
pub use layer::{Layer, Origin};
pub use value::{Kind, Value};

use crate::behavior;

/// Every key has a value here: the defaults fill what no layer sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    values: BTreeMap<String, (Value, Origin)>,
}

/// What is wrong with one setting, where it stands and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("{place} is not valid TOML: {what}")]
    Unreadable { place: String, what: String },
    #[error("{place} sets {key}, which is no key of ours; \"throughline config list\" shows them all{hint}")]
    UnknownKey { place: String, key: String, hint: String },
    #[error("{place} sets {key} to {found}; it takes {expected}")]
    WrongType { place: String, key: String, found: String, expected: String },
    #[error(
        "{place} may not set {key}: a project's file can only narrow (switch behaviors off, skip more tools)"
    )]
    Widens { place: String, key: String },
}

impl Default for Config {
    fn default() -> Self {
        let values =
            keys().map(|key| (key.name.clone(), (key.default.clone(), Origin::default_value()))).collect();
        Self { values }
    }
}

impl Config {
    /// Reads one TOML text over what is there. Good keys are taken even where others are wrong: one typo must
    /// not switch redaction rules off. The errors are for a person.
    pub fn read_toml(&mut self, layer: Layer, place: &str, text: &str) -> Vec<ConfigError> {
        let document = match text.parse::<toml_edit::DocumentMut>() {
            Ok(document) => document,
            Err(error) => {
                let what = error.to_string().trim_end().replace('\n', " ");
                return vec![ConfigError::Unreadable { place: place.to_owned(), what }];
            }
        };
        let mut flat = Vec::new();
        value::flatten("", document.as_item(), &mut flat);
        flat.into_iter().filter_map(|(name, item)| self.read_item(layer, place, &name, &item).err()).collect()
    }

    fn read_item(
        &mut self,
        layer: Layer,
        place: &str,
        name: &str,
        item: &toml_edit::Item,
    ) -> Result<(), ConfigError> {
        let key = key(name).ok_or_else(|| ConfigError::UnknownKey {
            place: place.to_owned(),
            key: name.to_owned(),
            hint: nearest(name).map(|near| format!("; did you mean {near}?")).unwrap_or_default(),
        })?;
        let value = key.kind.read(item).ok_or_else(|| ConfigError::WrongType {
            place: place.to_owned(),
            key: name.to_owned(),
            found: item.to_string().trim().to_owned(),
            expected: key.kind.to_string(),
        })?;
        self.put(layer, place, &key, value)
    }

    /// Sets one value from text, as the environment or a command line gives it.
    pub fn set(&mut self, layer: Layer, place: &str, name: &str, text: &str) -> Result<(), ConfigError> {
        let Some(key) = key(name) else {
            let hint = nearest(name).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            return Err(ConfigError::UnknownKey { place: place.to_owned(), key: name.to_owned(), hint });
        };
        let value = key.kind.parse(text).ok_or_else(|| ConfigError::WrongType {
            place: place.to_owned(),
            key: name.to_owned(),
            found: format!("\"{text}\""),
            expected: key.kind.to_string(),
        })?;
        self.put(layer, place, &key, value)
    }

    fn put(&mut self, layer: Layer, place: &str, key: &Key, value: Value) -> Result<(), ConfigError> {
        let value = if layer == Layer::Project { self.narrowed(place, key, value)? } else { value };
        self.values.insert(key.name.clone(), (value, Origin { layer, place: place.to_owned() }));
        Ok(())
    }

    /// A project file comes with someone's repository: it may take away, never add.
    fn narrowed(&self, place: &str, key: &Key, value: Value) -> Result<Value, ConfigError> {
        let widens = || ConfigError::Widens { place: place.to_owned(), key: key.name.clone() };
        match value {
            Value::Text(mode) if mode == "off" && is_narrowing(&key.name) => Ok(Value::Text(mode)),
            Value::List(more) if key.name == "capture.skip-tools" => {
                let mut all = self.list(&key.name).to_vec();
                all.extend(more.into_iter().filter(|tool| !self.list(&key.name).contains(tool)));
                Ok(Value::List(all))
            }
            _ => Err(widens()),
        }
    }

    pub fn get(&self, name: &str) -> Option<(&Value, &Origin)> {
        self.values.get(name).map(|(value, origin)| (value, origin))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value, &Origin)> {
        self.values.iter().map(|(name, (value, origin))| (name.as_str(), value, origin))
    }

    pub fn is_on(&self, behavior: &str) -> bool {
        self.text(&format!("behaviors.{behavior}")) != "off"
    }

    /// What a behavior is set to, one of its modes.
    pub fn mode(&self, behavior: &str) -> &str {
        self.text(&format!("behaviors.{behavior}"))
    }

    pub fn text(&self, name: &str) -> &str {
        match self.values.get(name) {
            Some((Value::Text(text), _)) => text,
            _ => "",
        }
    }

    pub fn number(&self, name: &str) -> u64 {
        match self.values.get(name) {
            Some((Value::Number(number), _)) => *number,
            _ => 0,
        }
    }

    pub fn flag(&self, name: &str) -> bool {
        matches!(self.values.get(name), Some((Value::Flag(true), _)))
    }

    pub fn list(&self, name: &str) -> &[String] {
        match self.values.get(name) {
            Some((Value::List(list), _)) => list,
            _ => &[],
        }
    }

    /// The redactor's settings, and what is wrong with rules that were left out: one broken pattern must not
    /// cost the others. The key is the install's own and never in a file people share.
    pub fn redaction(&self, key: [u8; 32]) -> (redact::Settings, Vec<String>) {
        let mut settings = redact::Settings {
            key,
            literals: self.list("redact.literals").to_vec(),
            patterns: self.list("redact.patterns").iter().map(|text| kind_and_pattern(text)).collect(),
            allow: self.list("redact.allow").to_vec(),
            email: self.flag("redact.email"),
            phone: self.flag("redact.phone"),
        };
        let mut errors = Vec::new();
        settings.patterns.retain(|pattern| {
            let alone = redact::Settings { patterns: vec![pattern.clone()], ..redact::Settings::default() };
            redact::Redactor::new(alone).map_err(|error| errors.push(error.to_string())).is_ok()
        });
        (settings, errors)
    }

    pub fn journal(&self) -> store::journal::JournalPolicy {
        store::journal::JournalPolicy {
            segment_bytes: self.number("journal.segment-bytes"),
            durability: match self.text("journal.durability") {
                "process" => store::journal::Durability::Process,
                _ => store::journal::Durability::Power,
            },
            keep_bytes: self.number("journal.keep-bytes"),
            keep_days: u32::try_from(self.number("journal.keep-days")).unwrap_or(u32::MAX),
        }
    }
}

/// `ticket=TCK-[0-9]{6}` names its kind; a bare pattern is of the kind `custom`.
fn kind_and_pattern(text: &str) -> (String, String) {
    match text.split_once('=') {
        Some((kind, pattern))
            if !kind.is_empty()
                && kind.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') =>
        {
            (kind.to_owned(), pattern.to_owned())
        }
        _ => ("custom".to_owned(), text.to_owned()),
    }
}

/// The environment variable of a key: `capture.skip-tools` is `THROUGHLINE_CAPTURE_SKIP_TOOLS`.
pub fn variable(name: &str) -> String {
    let shouted: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    format!("THROUGHLINE_{shouted}")
}

/// The key a typo most likely meant: the same letters, or one that ends alike.
fn nearest(name: &str) -> Option<String> {
    let plain = |text: &str| {
        text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
    };
    let wanted = plain(name);
    keys()
        .map(|key| key.name)
        .find(|known| {
            plain(known) == wanted || plain(known).ends_with(&wanted) || wanted.ends_with(&plain(known))
        })
        .or_else(|| behavior::by_name(name).map(|behavior| format!("behaviors.{}", behavior.name())))
}

/// Whether less happens when this is off. Without a guard more does.
fn is_narrowing(key: &str) -> bool {
    key.strip_prefix("behaviors.").and_then(behavior::by_name).is_some_and(|behavior| !behavior.may_refuse())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_layers_win_and_remember_their_place() {
        let mut config = Config::default();
        assert!(
            config.read_toml(Layer::User, "config.toml", "[journal]\ndurability = \"process\"\n").is_empty()
        );
        config.set(Layer::Environment, "THROUGHLINE_JOURNAL_KEEP_DAYS", "journal.keep-days", "7").unwrap();
        assert_eq!(config.text("journal.durability"), "process");
        let (value, origin) = config.get("journal.keep-days").unwrap();
        assert_eq!((value, origin.layer), (&Value::Number(7), Layer::Environment));
        assert_eq!(config.get("redact.email").unwrap().1.layer, Layer::Default);
    }

    #[test]
    fn one_bad_key_does_not_cost_the_good_ones() {
        let mut config = Config::default();
        let errors = config.read_toml(
            Layer::User,
            "c",
            "[redact]\nemail = \"yes\"\nliterals = [\"hunter2\"]\n[capture]\nskiptools = []\n",
        );
        assert_eq!(config.list("redact.literals"), ["hunter2"]);
        assert!(errors[0].to_string().contains("true or false"), "{errors:?}");
        assert!(errors[1].to_string().contains("did you mean capture.skip-tools?"), "{errors:?}");
    }

    #[test]
    fn a_project_file_can_only_narrow() {
        let mut config = Config::default();
        let text = "[behaviors]\ncapture = \"off\"\nrecord-prompt = \"on\"\n[redact]\nallow = [\"abc\"]\n[capture]\nskip-tools = [\"Read\"]\n";
        let errors = config.read_toml(Layer::Project, "p", text);
        assert!(!config.is_on("capture"));
        assert!(config.list("capture.skip-tools").contains(&"Read".to_owned()));
        assert!(config.list("capture.skip-tools").len() > 1, "the user's own list stays");
        assert!(config.list("redact.allow").is_empty());
        assert_eq!(errors.len(), 2, "{errors:?}");
    }

    /// Every key with every value it may have: what a project's file changes is a behavior that does less, or a tool more
    /// that is not captured.
    #[test]
    fn no_key_of_a_projects_file_widens() {
        for key in keys() {
            let values: Vec<String> = match &key.kind {
                Kind::Text => vec!["x".into(), "off".into(), "https://x.example".into(), String::new()],
                _ => [
                    "on",
                    "off",
                    "strict",
                    "true",
                    "false",
                    "0",
                    "1",
                    "999999",
                    "x",
                    "a,b",
                    "*",
                    "installed",
                    "always",
                    "never",
                ]
                .map(str::to_owned)
                .to_vec(),
            };
            for value in values {
                let mut config = Config::default();
                let before = config.clone();
                if config.set(Layer::Project, "p", &key.name, &value).is_err() {
                    assert_eq!(config.get(&key.name), before.get(&key.name), "{} = {value}", key.name);
                    continue;
                }
                let behavior = key.name.strip_prefix("behaviors.").and_then(behavior::by_name);
                if let Some(behavior) = behavior {
                    assert!(!config.is_on(behavior.name()), "{} = {value}", key.name);
                    assert!(!behavior.may_refuse(), "{} is what refuses for the person", key.name);
                } else {
                    assert_eq!(key.name, "capture.skip-tools", "{value}");
                    let kept = |tool: &String| config.list(&key.name).contains(tool);
                    assert!(before.list(&key.name).iter().all(kept), "{value}");
                }
            }
        }
        let mut config = Config::default();
        for name in ["guard-commands", "guard-scope", "run-rules", "claim-files"] {
            assert!(config.set(Layer::Project, "p", &format!("behaviors.{name}"), "off").is_err(), "{name}");
        }
    }

    #[test]
    fn every_behavior_has_a_switch_and_every_key_a_manual() {
        let config = Config::default();
        for behavior in crate::ALL {
            assert_eq!(config.mode(behavior.name()), behavior.modes()[0]);
            assert!(key(&format!("behaviors.{}", behavior.name())).is_some());
        }
        for key in keys() {
            assert!(key.manual.len() > 20, "{}", key.name);
        }
    }

    #[test]
    fn what_the_daemon_would_call_read_or_reveal_is_changed_by_hand() {
        let listed = ["-url", "-variable", ".provider", ".folder", ".agents", ".port", ".patterns", ".allow"];
        for key in keys() {
            let room = key.name.split('.').next().unwrap_or_default();
            let is_kept = matches!(room, "http" | "watch" | "redact")
                || listed.iter().any(|ending| key.name.ends_with(ending));
            assert!(
                key.by_hand.is_some() || !is_kept,
                "{} may be changed by anybody with the token",
                key.name
            );
            // A text that anybody may change names nothing but itself.
            let is_named = key.name == "distill.model";
            assert!(key.by_hand.is_some() || key.kind != Kind::Text || is_named, "{}", key.name);
            let guards = ["behaviors.guard-scope", "behaviors.guard-commands", "behaviors.run-rules"];
            let is_guard = guards.contains(&key.name.as_str()) || key.name == "checks.project-code";
            assert!(
                key.by_hand.is_some() || !is_guard,
                "{} may be switched by anybody with the token",
                key.name
            );
        }
    }

    #[test]
    fn user_patterns_may_name_their_kind() {
        assert_eq!(kind_and_pattern("ticket=TCK-[0-9]{6}"), ("ticket".into(), "TCK-[0-9]{6}".into()));
        assert_eq!(kind_and_pattern("(?i)a=b"), ("custom".into(), "(?i)a=b".into()));
    }
}
