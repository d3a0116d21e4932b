//! How much a prompt calls for a skill. A phrase, a name or a file is sure; an everyday word alone is not, whatever rule it
//! stands in: it takes company, or a description that means the same.

use std::sync::OnceLock;

use guard::scope::{Pattern, Subject};

use super::prompt::{Prompt, nearness, terms};
use super::rules::Triggers;
use super::{Enforcement, Priority, Rule, Shelf, Skill};

/// One sure sign.
const SURE: f32 = 1.0;
/// An everyday word, and the same word as what is asked for ("review my changes").
const EVERYDAY_WORD: f32 = 0.35;
const AS_WISH: f32 = 0.25;
/// A file that matches and was edited lately.
const EDITED: f32 = 0.35;
/// What a description adds that means about the same, from here on.
const NEAR_FROM: f32 = 0.25;
/// A skill without a rule is said where its description means the same and shares words.
const DESCRIBED_FLOOR: f32 = 0.56;
const SHARED_WORDS: usize = 2;

/// Words of every conversation with an agent: a keyword that is one of them alone names no skill.
const EVERYDAY: &str = "add analyze answer api app ask branch browser bug build call change check class clean code command commit \
    component config continue create data database debug delete deploy design diff doc document documentation edit environment \
    error example explain fail feature file find fix folder form format frontend backend function generate get git give go handle help history \
    idea implement improve include install issue item keep know last learn library like line link lint list load log look make \
    memory merge message method model module move name new note open option output package page path plan print problem project prompt \
    pull push query question read refactor release remember remove rename report request research result review route rule run save \
    schema screen script search see server service session set setup show sort start state status step stop style summary \
    table task test text thing time tool type understand update use user value verify version view wait web work write";

pub(super) fn everyday() -> &'static [String] {
    static STEMS: OnceLock<Vec<String>> = OnceLock::new();
    STEMS.get_or_init(|| terms(EVERYDAY))
}

fn is_everyday(words: &[String]) -> bool {
    matches!(words, [only] if everyday().contains(only))
}

/// A skill that fits, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit<'a> {
    pub name: &'a str,
    pub description: &'a str,
    /// `None`: by its description alone.
    pub rule: Option<usize>,
    pub priority: Priority,
    pub enforcement: Enforcement,
    pub score: f32,
    /// By a phrase, a name, a pattern or a file, not by an everyday word.
    pub is_sure: bool,
    pub why: String,
}

/// What fits, best first; nothing where in doubt.
pub fn hits<'a>(shelf: &'a Shelf, prompt: &Prompt) -> Vec<Hit<'a>> {
    let by_rule = shelf.rules.iter().enumerate().filter_map(|(at, rule)| by_rule(at, rule, prompt));
    let mut found: Vec<Hit<'a>> = by_rule.collect();
    // A repository's rule takes nothing away: what the person's skill says of itself counts beside it.
    let is_free = |skill: &&Skill| {
        !shelf.rules.iter().any(|rule| rule.name == skill.name && !rule.is_theirs)
            && !found.iter().any(|hit| hit.name == skill.name)
    };
    let free: Vec<&Skill> = shelf.skills.iter().filter(is_free).collect();
    found.extend(free.into_iter().filter_map(|skill| by_description(skill, prompt)));
    // Who names it needs no hint.
    found.retain(|hit| !prompt.text.contains(&format!("{} skill", hit.name.to_lowercase())));
    found.sort_by(|a, b| a.priority.cmp(&b.priority).then(b.score.total_cmp(&a.score)));
    found
}

const fn floor(priority: Priority) -> f32 {
    match priority {
        Priority::Critical => 0.7,
        Priority::High => 0.75,
        Priority::Medium => 0.8,
        Priority::Low => 0.95,
    }
}

fn by_rule<'a>(at: usize, rule: &'a Rule, prompt: &Prompt) -> Option<Hit<'a>> {
    if matches(&rule.not_when, prompt, false).is_some() {
        return None;
    }
    let (mut score, mut is_sure, mut why) = (0.0, false, String::new());
    let mut say = |words: String| {
        if why.is_empty() {
            why = words;
        }
    };
    if let Some(sign) = matches(&rule.triggers, prompt, rule.is_theirs) {
        is_sure = sign.is_sure;
        score += sign.score;
        say(sign.why);
    }
    let is_named = |file: &&String| covers(&rule.paths, file) && !covers(&rule.not_paths, file);
    if let Some(file) = prompt.files.iter().find(is_named) {
        is_sure = true;
        score += SURE;
        say(format!("the file {file}"));
    } else if prompt.edited.iter().any(|file| is_named(&file)) {
        score += EDITED;
        say("a file edited lately".to_owned());
    }
    if score <= 0.0 {
        return None;
    }
    let near = nearness(&prompt.vector, &rule.vector);
    let near = if rule.description.is_empty() { 0.0 } else { (near - NEAR_FROM).max(0.0) };
    // `commit` is an everyday word, and the whole name of a skill.
    let is_name = rule.name_words.iter().any(|word| prompt.verbs.contains(word));
    score += near + if is_name { AS_WISH } else { 0.0 };
    (score >= floor(rule.priority)).then(|| Hit {
        name: &rule.name,
        description: &rule.description,
        rule: Some(at),
        priority: rule.priority,
        enforcement: rule.enforcement,
        score,
        is_sure,
        why,
    })
}

struct Sign {
    score: f32,
    is_sure: bool,
    why: String,
}

/// Of a stranger's triggers only what says what the prompt is about, and in the prompt's words.
fn matches(triggers: &Triggers, prompt: &Prompt, is_theirs: bool) -> Option<Sign> {
    let mut sign: Option<Sign> = None;
    for keyword in triggers.keywords.iter().filter(|keyword| prompt.has(keyword)) {
        let why = if is_theirs { keyword.words.join(" ") } else { keyword.written.clone() };
        let why = format!("\"{why}\"");
        if !is_everyday(&keyword.words) {
            return Some(Sign { score: SURE, is_sure: true, why });
        }
        let is_wish = prompt.verbs.contains(&keyword.words[0]);
        let score = EVERYDAY_WORD + if is_wish { AS_WISH } else { 0.0 };
        match &mut sign {
            Some(sign) => sign.score += EVERYDAY_WORD,
            None => sign = Some(Sign { score, is_sure: false, why }),
        }
    }
    for pattern in &triggers.patterns {
        for sentence in &prompt.sentences {
            let Some(found) = pattern.find(sentence) else { continue };
            let part = &sentence[found.range()];
            if is_theirs && !super::theirs::tells(part) {
                continue;
            }
            if terms(part).len() > 1 || !is_everyday(&terms(part)) {
                return Some(Sign {
                    score: SURE,
                    is_sure: true,
                    why: format!("\"{}\"", crate::page::one_line(part, 40)),
                });
            }
            sign.get_or_insert(Sign { score: EVERYDAY_WORD, is_sure: false, why: format!("\"{part}\"") });
        }
    }
    sign
}

fn covers(patterns: &[Pattern], file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let subject = Subject::new(Some(file.trim_start_matches('/')), name, false);
    patterns.iter().any(|pattern| pattern.names(&subject))
}

fn by_description<'a>(skill: &'a Skill, prompt: &Prompt) -> Option<Hit<'a>> {
    let near = nearness(&prompt.vector, &skill.vector);
    if near < DESCRIBED_FLOOR {
        return None;
    }
    let is_telling = |word: &&String| word.chars().count() > 2 && !everyday().contains(word);
    let mut shared: Vec<&String> =
        prompt.whole.iter().filter(is_telling).filter(|word| skill.words.contains(word)).collect();
    shared.sort();
    shared.dedup();
    (shared.len() >= SHARED_WORDS).then(|| Hit {
        name: &skill.name,
        description: &skill.description,
        rule: None,
        priority: Priority::Low,
        enforcement: Enforcement::Suggest,
        score: near,
        is_sure: false,
        why: "what it says of itself".to_owned(),
    })
}
