//! `skill-rules.json`: the file of an existing tool, as it is, and a few words more (`pathTriggers`, `notWhen`, `cooldown`,
//! `maxPerSession`). What one rule gets wrong costs that rule or that trigger, and is said; fields of others are passed over.

use guard::scope::Pattern;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use serde_json::Value;

use super::prompt::{Keyword, terms};
use super::{Enforcement, Priority, is_name};
use crate::page::one_line;

pub const RULES_FILE: &str = "skill-rules.json";
/// The largest that is known has 83 kB.
pub(super) const MAX_BYTES: u64 = 1 << 20;
/// Of one file.
const MAX_RULES: usize = 500;
/// Of one rule; the rest are left out.
const MAX_KEYWORDS: usize = 200;
const MAX_PATTERNS: usize = 64;
/// Of one pattern or keyword; what is longer names nothing.
const MAX_CHARS: usize = 512;
/// What a compiled pattern may take.
const MAX_COMPILED: usize = 256 << 10;
const DESCRIPTION_CHARS: usize = 300;
/// What is wrong with one file, at most.
pub(super) const MAX_FAULTS: usize = 50;
/// Between two hints at one skill where a rule wants several in a session.
const COOLDOWN_MS: u64 = 30 * 60 * 1000;
const MAX_PER_SESSION: u32 = 20;

#[derive(Debug)]
pub struct Rule {
    pub name: String,
    /// It names an agent, not a skill.
    pub is_agent: bool,
    /// It came with a repository: see [`super::theirs`].
    pub is_theirs: bool,
    pub enforcement: Enforcement,
    pub priority: Priority,
    pub description: String,
    /// What to say where the prompt is held.
    pub block_message: Option<String>,
    pub cooldown_ms: u64,
    pub max_per_session: u32,
    pub(super) triggers: Triggers,
    pub(super) not_when: Triggers,
    pub(super) paths: Vec<Pattern>,
    pub(super) not_paths: Vec<Pattern>,
    pub(super) vector: Vec<f32>,
    pub(super) name_words: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Triggers {
    pub(super) keywords: Vec<Keyword>,
    pub(super) patterns: Vec<Regex>,
}

/// The rules of a file, and what is wrong with it.
pub(super) fn read(text: &str) -> (Vec<Rule>, Vec<String>) {
    let mut faults = Vec::new();
    let document: Value = match serde_json::from_str(text) {
        Ok(document) => document,
        Err(error) => return (Vec::new(), vec![format!("{RULES_FILE} is not JSON: {error}")]),
    };
    let mut rules = Vec::new();
    for (kind, is_agent) in [("skills", false), ("agents", true)] {
        let Some(named) = document.get(kind).and_then(Value::as_object) else { continue };
        for (name, value) in named {
            if rules.len() == MAX_RULES {
                faults.push(format!("only the first {MAX_RULES} rules count"));
                break;
            }
            if !is_name(name) {
                faults.push(format!("{}: no name of a skill", one_line(name, 60)));
                continue;
            }
            rules.push(rule(name, is_agent, value, &mut faults));
        }
    }
    if rules.is_empty() && faults.is_empty() {
        faults.push(format!("{RULES_FILE} has no \"skills\""));
    }
    faults.truncate(MAX_FAULTS);
    (rules, faults)
}

fn rule(name: &str, is_agent: bool, value: &Value, faults: &mut Vec<String>) -> Rule {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    check(name, value, faults);
    let enforcement = match text("enforcement") {
        Some("block" | "require") => Enforcement::Block,
        Some("warn") => Enforcement::Warn,
        _ => Enforcement::Suggest,
    };
    let priority = match text("priority") {
        Some("critical") => Priority::Critical,
        Some("high") => Priority::High,
        Some("low") => Priority::Low,
        _ => Priority::Medium,
    };
    let none = Value::Null;
    let triggers = triggers(name, value.get("promptTriggers").unwrap_or(&none), faults);
    let not_when = not_when(name, value.get("notWhen").unwrap_or(&none), faults);
    let files = value.get("fileTriggers").unwrap_or(&none);
    let own = value.get("pathTriggers").unwrap_or(&none);
    let mut paths = globs(name, files.get("pathPatterns").unwrap_or(&none), faults);
    paths.extend(globs(name, own.get("patterns").unwrap_or(own), faults));
    let mut not_paths = globs(name, files.get("pathExclusions").unwrap_or(&none), faults);
    not_paths.extend(globs(name, own.get("exclusions").unwrap_or(&none), faults));
    let description = one_line(text("description").unwrap_or_default(), DESCRIPTION_CHARS);
    Rule {
        is_agent,
        is_theirs: false,
        enforcement,
        priority,
        block_message: text("blockMessage").map(|text| one_line(text, DESCRIPTION_CHARS)),
        cooldown_ms: value.get("cooldown").and_then(span).unwrap_or(COOLDOWN_MS),
        max_per_session: value
            .get("maxPerSession")
            .and_then(Value::as_u64)
            .and_then(|most| u32::try_from(most).ok())
            .map_or(1, |most| most.min(MAX_PER_SESSION)),
        triggers,
        not_when,
        paths,
        not_paths,
        vector: super::prompt::vector(&format!("{}: {description}", name.replace(['-', '_', ':'], " "))),
        name_words: terms(name),
        name: name.to_owned(),
        description,
    }
}

/// What a rule may have: ours, and what files of existing tools have beside it, which is passed over.
const KEYS: &[&str] = &[
    "enforcement",
    "priority",
    "description",
    "promptTriggers",
    "fileTriggers",
    "pathTriggers",
    "notWhen",
    "cooldown",
    "maxPerSession",
    "blockMessage",
    "type",
    "reminder",
    "coActivate",
    "loading",
    "skipConditions",
    "sessionTracking",
    "notes",
    "examples",
    "tags",
    "category",
    "version",
    "enabled",
    "_comment",
    "$comment",
];

/// Says what of a rule is not as its author meant it; it holds all the same, without that.
fn check(name: &str, value: &Value, faults: &mut Vec<String>) {
    let Some(fields) = value.as_object() else {
        faults.push(format!("{name}: a rule is an object"));
        return;
    };
    let words = [
        ("enforcement", &["suggest", "warn", "block", "require"][..], "suggest"),
        ("priority", &["critical", "high", "medium", "low"][..], "medium"),
    ];
    for (key, known, instead) in words {
        let Some(given) = fields.get(key) else { continue };
        if !given.as_str().is_some_and(|given| known.contains(&given)) {
            let given = one_line(&given.to_string(), 40);
            faults.push(format!("{name}: {key} {given} is none of {}; {instead} counts", known.join(", ")));
        }
    }
    let known = |what: &str, value: Option<&Value>, keys: &[&str], faults: &mut Vec<String>| {
        let Some(fields) = value.and_then(Value::as_object) else { return };
        for key in fields.keys().filter(|key| !keys.contains(&key.as_str())) {
            faults.push(format!("{name}: {what} {} is not known and passed over", one_line(key, 40)));
        }
    };
    known("the key", Some(value), KEYS, faults);
    let files = ["pathPatterns", "pathExclusions", "contentPatterns", "createOnly"];
    known("the key promptTriggers", fields.get("promptTriggers"), &["keywords", "intentPatterns"], faults);
    known("the key fileTriggers", fields.get("fileTriggers"), &files, faults);
    known("the key pathTriggers", fields.get("pathTriggers"), &["patterns", "exclusions"], faults);
    for (key, may_be_list) in
        [("promptTriggers", false), ("fileTriggers", false), ("pathTriggers", true), ("notWhen", true)]
    {
        let is_wrong = |given: &&Value| !(given.is_object() || may_be_list && given.is_array());
        if fields.get(key).is_some_and(|given| is_wrong(&given)) {
            let or = if may_be_list { " or a list" } else { "" };
            faults.push(format!("{name}: {key} is no object{or}"));
        }
    }
    let lists = [
        ("promptTriggers", "keywords"),
        ("promptTriggers", "intentPatterns"),
        ("fileTriggers", "pathPatterns"),
        ("fileTriggers", "pathExclusions"),
        ("pathTriggers", "patterns"),
        ("pathTriggers", "exclusions"),
        ("notWhen", "keywords"),
        ("notWhen", "intentPatterns"),
    ];
    for (around, key) in lists {
        let given = fields.get(around).and_then(|around| around.get(key));
        match given.map(Value::as_array) {
            Some(None) => faults.push(format!("{name}: {key} is no list")),
            Some(Some(list)) if !list.iter().all(Value::is_string) => {
                faults.push(format!("{name}: {key} has something that is no text"));
            }
            _ => {}
        }
    }
    let is_span = |given: &Value| span(given).is_some();
    if fields.get("cooldown").is_some_and(|given| !is_span(given)) {
        faults.push(format!("{name}: cooldown is no time (\"30m\", \"2h\")"));
    }
    if fields.get("maxPerSession").is_some_and(|given| given.as_u64().is_none()) {
        faults.push(format!("{name}: maxPerSession is no number"));
    }
}

fn triggers(name: &str, value: &Value, faults: &mut Vec<String>) -> Triggers {
    let keywords = strings(value.get("keywords")).take(MAX_KEYWORDS).filter_map(keyword).collect();
    let mut patterns = Vec::new();
    for text in strings(value.get("intentPatterns")).take(MAX_PATTERNS) {
        match pattern(text) {
            Ok(pattern) => patterns.push(pattern),
            Err(error) => faults.push(format!("{name}: the pattern {} {error}", one_line(text, 60))),
        }
    }
    Triggers { keywords, patterns }
}

/// A list of words and phrases, or triggers like those of the prompt.
fn not_when(name: &str, value: &Value, faults: &mut Vec<String>) -> Triggers {
    if value.is_array() {
        let keywords = strings(Some(value)).take(MAX_KEYWORDS).filter_map(keyword).collect();
        return Triggers { keywords, patterns: Vec::new() };
    }
    triggers(name, value, faults)
}

fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn keyword(written: &str) -> Option<Keyword> {
    if written.chars().count() > MAX_CHARS { None } else { Keyword::read(written) }
}

/// Linear in the length of what it is matched with. What a machine with memory would need (`(?=…)`) is refused.
fn pattern(text: &str) -> Result<Regex, String> {
    if text.chars().count() > MAX_CHARS {
        return Err(format!("has more than {MAX_CHARS} characters"));
    }
    let build = |text: &str| {
        let config = Regex::config().nfa_size_limit(Some(MAX_COMPILED)).hybrid_cache_capacity(MAX_COMPILED);
        let syntax = syntax::Config::new().case_insensitive(true);
        Regex::builder().configure(config).syntax(syntax).build(text).map_err(|_| "cannot be read".to_owned())
    };
    if build(text)?.is_match("") {
        return Err("matches everything".to_owned());
    }
    // A pattern may end in a comment of its own; the line's end is none of it then.
    build(&whole_words(text, "")).or_else(|_| build(&whole_words(text, "\n")))
}

/// Begins with a word and ends with one, endings aside: `ast` is not in `last`, `test` is in `testing`. In the pattern
/// itself, so that of `(prod|production)` the one counts that is a word, whichever comes first.
fn whole_words(pattern: &str, end: &str) -> String {
    const ENDINGS: &str = "s|es|ed|d|ing|er|ers|ion|ions|ation|ment|ly";
    format!(
        r"(?:\b{{start-half}}|\b{{end-half}})(?:{pattern}{end})(?:(?:{ENDINGS})?\b{{end-half}}|\b{{start-half}})"
    )
}

fn globs(name: &str, value: &Value, faults: &mut Vec<String>) -> Vec<Pattern> {
    let mut globs = Vec::new();
    for text in strings(Some(value)).take(MAX_PATTERNS) {
        match Pattern::read(text) {
            Ok(glob) => globs.push(glob),
            Err(error) => {
                faults.push(format!("{name}: the path {} cannot be read: {error}", one_line(text, 60)));
            }
        }
    }
    globs
}

/// Minutes as a number, or `"30m"`, `"2h"`, `"1d"`, `"45s"`.
fn span(value: &Value) -> Option<u64> {
    const MINUTE: u64 = 60 * 1000;
    if let Some(minutes) = value.as_u64() {
        return minutes.checked_mul(MINUTE);
    }
    let text = value.as_str()?.trim();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "s" => 1000,
        "" | "m" | "min" => MINUTE,
        "h" => 60 * MINUTE,
        "d" => 24 * 60 * MINUTE,
        _ => return None,
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_existing_tool_is_taken_as_it_is() {
        let (rules, faults) = read(
            r#"{"version": "1.0", "notes": {"x": 1}, "skills": {
                "ast-grep-find": {"type": "domain", "enforcement": "suggest", "priority": "high", "description": "Search by syntax",
                    "promptTriggers": {"keywords": ["ast", "ast-grep"], "intentPatterns": ["(find|search).*?(call|usage)s?"]},
                    "reminder": "x", "coActivate": ["y"], "loading": "lazy"},
                "frontend": {"enforcement": "block", "priority": "critical", "blockMessage": "Read\nit first",
                    "fileTriggers": {"pathPatterns": ["web/**/*.tsx"], "pathExclusions": ["**/*.test.tsx"]},
                    "notWhen": ["storybook"], "cooldown": "2h", "maxPerSession": 3}},
              "agents": {"scout": {"promptTriggers": {"keywords": ["explore"]}}}}"#,
        );
        assert!(faults.is_empty(), "{faults:?}");
        let by = |name: &str| rules.iter().find(|rule| rule.name == name).unwrap();
        assert_eq!((rules.len(), by("ast-grep-find").priority), (3, Priority::High));
        assert_eq!(by("ast-grep-find").triggers.keywords[1].words, ["ast", "grep"]);
        let front = by("frontend");
        assert_eq!((front.cooldown_ms, front.max_per_session), (2 * 60 * 60 * 1000, 3));
        assert_eq!(front.block_message.as_deref(), Some("Read it first"));
        assert_eq!((front.paths.len(), front.not_paths.len(), front.not_when.keywords.len()), (1, 1, 1));
        assert!(by("scout").is_agent);
    }

    #[test]
    fn a_pattern_begins_and_ends_with_a_word_whichever_of_its_words_comes_first() {
        for (text, sentence, found) in [
            ("deploy.*?(prod|production)", "deploy to production", Some("deploy to production")),
            ("deploy.*?(prod|production)", "deploy to prod now", Some("deploy to prod")),
            ("deploy.*?(prod|production)", "deploy the product", None),
            ("(create|add).*?(comp|component)", "Create a component", Some("Create a component")),
            ("(create|add).*?(comp|component)", "create a company", None),
            ("ast", "the last one", None),
            ("test", "testing it", Some("testing")),
            ("write.*?test", "rewrite the tests", None),
            (r"fix\s+#", "fix #12", Some("fix #")),
            ("(?x) ship \\s it # for good", "ship it", Some("ship it")),
            (r"über", "das über alles", Some("über")),
        ] {
            let pattern = pattern(text).unwrap();
            let part = pattern.find(sentence).map(|found| &sentence[found.range()]);
            assert_eq!(part, found, "{text} in {sentence}");
        }
        let long = "a".repeat(100_000);
        let began = std::time::Instant::now();
        assert!(pattern("(a+)+b").unwrap().find(&long).is_none());
        // Backtracking would take longer than anybody lives; the bound is wide for a busy machine.
        assert!(began.elapsed() < std::time::Duration::from_mins(1), "linear");
    }

    #[test]
    fn what_one_rule_gets_wrong_costs_that_alone() {
        let (rules, faults) = read(
            r#"{"skills": {"a": {"promptTriggers": {"keywords": ["x", 3, "deploy"], "intentPatterns": ["(?=x)y", ".*", "(", "ship it"]}},
                "bad name\n": {}, "b": 3}}"#,
        );
        let names: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!((rules[0].triggers.keywords.len(), rules[0].triggers.patterns.len()), (1, 1));
        // A number among keywords, three patterns, a name, and a rule that is a number.
        assert_eq!(faults.len(), 6, "{faults:?}");
        assert!(read("{").1[0].contains("not JSON") && read("{}").1[0].contains("no \"skills\""));
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for (rule, said) in [
            (
                r#"{"enforcement": "blok"}"#,
                "a: enforcement \"blok\" is none of suggest, warn, block, require; suggest counts",
            ),
            (
                r#"{"priority": "urgent"}"#,
                "a: priority \"urgent\" is none of critical, high, medium, low; medium counts",
            ),
            (r#"{"priority": 1}"#, "a: priority 1 is none of"),
            (r#"{"promptTrigger": {}}"#, "a: the key promptTrigger is not known"),
            (r#"{"promptTriggers": {"keyword": []}}"#, "a: the key promptTriggers keyword is not known"),
            (r#"{"promptTriggers": {"keywords": "deploy"}}"#, "a: keywords is no list"),
            (
                r#"{"promptTriggers": {"keywords": ["deploy", 3]}}"#,
                "a: keywords has something that is no text",
            ),
            (r#"{"promptTriggers": ["deploy"]}"#, "a: promptTriggers is no object"),
            (r#"{"notWhen": "x"}"#, "a: notWhen is no object or a list"),
            (r#"{"cooldown": "soon"}"#, "a: cooldown is no time"),
            (r#"{"maxPerSession": "two"}"#, "a: maxPerSession is no number"),
        ] {
            let (rules, faults) = read(&format!(r#"{{"skills": {{"a": {rule}}}}}"#));
            assert_eq!((rules.len(), faults.len()), (1, 1), "{rule}: {faults:?}");
            assert!(faults[0].contains(said), "{rule}: {faults:?}");
        }
    }
}
