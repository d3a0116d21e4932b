//! Judges what was kept of sessions: against labels where there are any, against the sessions' own words where not.
//! What each figure means is told in docs/reference/session-labels.md.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use model::{Memory, MemoryKind};
use regex_automata::meta::Regex;
use serde::Serialize;
use serde_json::{Value, json};
use store::MemoryRow;

use super::labels::{Labeled, Labels, Why};
use super::sessions::{Session, TakenIn};
use super::titles;
use super::words::{Spoken, words};

/// So much of a quotation must stand in what the person typed.
const SAID: f64 = 0.6;
/// So much of a title in the words of the request makes it a repetition of the request.
const REPEATED: f64 = 0.7;
/// So much of a paragraph must be kept somewhere.
const FOUND: f64 = 0.9;

/// In front of what a memory says a person said.
static PERSON_SAID: LazyLock<Regex> = LazyLock::new(|| {
    let lead = r#"[Tt]he (?:person|user|human)[^.:"“\n]{0,30}? (?:said|answered|ordered|wants|decided|corrected|asked for|prefers|told)\b(?:[^:"“\n]{0,30}[:"“])?"#;
    Regex::new(lead).expect("the expression is ours")
});
/// In front of what only repeats the request.
static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:-\s*)?(?:Asked|Request|Goal|last asked)\b").expect("the expression is ours")
});

#[derive(Debug, Default, Serialize)]
pub(super) struct Figures {
    sessions: usize,
    labeled_sessions: usize,
    memories: BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<Facts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    orders: Option<Orders>,
    #[serde(skip_serializing_if = "Option::is_none")]
    must_not: Option<MustNots>,
    person_said: Share,
    poor_titles: Share,
    poor_titles_by_kind: BTreeMap<&'static str, usize>,
    lost_paragraphs: Share,
    sayable_words_per_session: usize,
    #[serde(skip)]
    details: Vec<Value>,
}

/// So many of so many.
#[derive(Debug, Default, Clone, Copy, Serialize)]
struct Share {
    count: usize,
    of: usize,
    percent: Option<f64>,
}

impl Share {
    fn add(&mut self, holds: bool) {
        self.count += usize::from(holds);
        self.of += 1;
        self.percent = Some((1000.0 * self.count as f64 / self.of as f64).round() / 10.0);
    }

    fn line(self) -> String {
        let percent = self.percent.map_or_else(String::new, |percent| format!(" ({percent:.1} %)"));
        format!("{} of {}{percent}", self.count, self.of)
    }
}

#[derive(Debug, Default, Serialize)]
struct Facts {
    sayable: Share,
    by_kind: BTreeMap<String, Share>,
    /// Where those stand that are not sayable.
    elsewhere: BTreeMap<&'static str, usize>,
}

#[derive(Debug, Default, Serialize)]
struct Orders {
    kept: Share,
    /// Of what is kept as a person's order, the share that the labels know.
    precision: Share,
}

#[derive(Debug, Default, Serialize)]
struct MustNots {
    said: Share,
    by_why: BTreeMap<&'static str, Share>,
}

pub(super) fn measure(taken: &TakenIn, labels: Option<&Labels>) -> Figures {
    let mut figures = Figures { sessions: taken.sessions.len(), ..Figures::default() };
    let mut said_words = 0;
    for (id, session) in &taken.sessions {
        for row in &session.memories {
            *figures.memories.entry(row.memory.kind.name()).or_default() += 1;
            if is_sayable(row) {
                said_words += words(&whole(&row.memory)).len();
                figures.quotations(id, session, row);
            }
            figures.title(id, row);
        }
        figures.paragraphs(id, session);
    }
    figures.sayable_words_per_session = said_words / taken.sessions.len().max(1);
    if let Some(labels) = labels {
        for (id, labeled) in &labels.sessions {
            let Some(session) = taken.sessions.get(id) else { continue };
            figures.labeled_sessions += 1;
            figures.facts(id, session, &lessons_of_project(taken, id), labeled);
            figures.orders(id, session, labeled);
            figures.must_not(id, session, labeled);
        }
    }
    figures
}

impl Figures {
    pub(super) fn details(&self) -> &[Value] {
        &self.details
    }

    /// `lessons` are of the session's project and of other sessions: what a project keeps once moves to its last session.
    fn facts(&mut self, id: &str, session: &Session, lessons: &[&MemoryRow], labeled: &Labeled) {
        let facts = self.facts.get_or_insert_default();
        let rows: Vec<&MemoryRow> = session.memories.iter().chain(lessons.iter().copied()).collect();
        let own: Vec<String> = rows.iter().map(|row| own(&row.memory, &session.requests)).collect();
        for fact in &labeled.facts {
            let place = rows
                .iter()
                .zip(&own)
                .filter_map(|(row, own)| {
                    let is_here = fact.pattern.matches(&whole(&row.memory));
                    let place = match row.memory.kind {
                        MemoryKind::Chunk => Place::Chunk,
                        MemoryKind::Prompt => Place::Prompt,
                        _ if !is_sayable(row) => Place::NotSayable,
                        _ if fact.pattern.matches(own) => Place::Sayable,
                        _ => Place::Request,
                    };
                    is_here.then_some((place, row))
                })
                .min_by_key(|(place, _)| *place);
            let is_sayable = matches!(place, Some((Place::Sayable, _)));
            facts.sayable.add(is_sayable);
            facts.by_kind.entry(fact.kind.clone()).or_default().add(is_sayable);
            let name = place.map_or("nowhere", |(place, _)| place.name());
            if !is_sayable {
                *facts.elsewhere.entry(name).or_default() += 1;
            }
            self.details.push(json!({ "what": "fact", "session": id, "id": fact.id, "kind": fact.kind,
                "verdict": name, "memory": place.map(|(_, row)| row.memory.title.as_str()) }));
        }
    }

    fn orders(&mut self, id: &str, session: &Session, labeled: &Labeled) {
        let orders = self.orders.get_or_insert_default();
        let binding: Vec<&MemoryRow> =
            session.memories.iter().filter(|row| is_sayable(row) && is_binding(row.memory.kind)).collect();
        for order in labeled.orders.iter().filter(|order| order.standing) {
            let kept = binding.iter().find(|row| order.pattern.matches(&whole(&row.memory)));
            orders.kept.add(kept.is_some());
            self.details
                .push(json!({ "what": "order", "session": id, "id": order.id, "kept": kept.is_some(),
                "memory": kept.map(|row| row.memory.title.as_str()) }));
        }
        for row in binding.into_iter().filter(|row| is_a_persons(&row.memory)) {
            let text = whole(&row.memory);
            let is_known = labeled.orders.iter().any(|order| order.standing && order.pattern.matches(&text))
                || labeled.facts.iter().any(|fact| fact.person && fact.pattern.matches(&text));
            orders.precision.add(is_known);
            self.details.push(json!({ "what": "kept-as-order", "session": id, "in_labels": is_known,
                "memory": row.memory.title }));
        }
    }

    fn must_not(&mut self, id: &str, session: &Session, labeled: &Labeled) {
        let must_not = self.must_not.get_or_insert_default();
        for not in &labeled.must_not {
            let said = session.memories.iter().filter(|row| is_sayable(row)).find(|row| {
                let text = match not.why {
                    Why::NotPerson | Why::Moment => whole(&row.memory),
                    Why::False | Why::Reverted | Why::Superseded => own(&row.memory, &session.requests),
                };
                (not.why != Why::Moment || is_binding(row.memory.kind))
                    && not.pattern.matches(&text)
                    && !not.unless.iter().any(|unless| unless.is_match(&whole(&row.memory)))
            });
            must_not.said.add(said.is_some());
            must_not.by_why.entry(not.why.name()).or_default().add(said.is_some());
            self.details
                .push(json!({ "what": "must-not", "session": id, "id": not.id, "why": not.why.name(),
                "said": said.is_some(), "memory": said.map(|row| row.memory.title.as_str()) }));
        }
    }

    /// "The person said …": did they?
    fn quotations(&mut self, id: &str, session: &Session, row: &MemoryRow) {
        if row.memory.kind == MemoryKind::Summary {
            return;
        }
        for text in std::iter::once(&row.memory.text).chain(&row.memory.facts) {
            for lead in PERSON_SAID.find_iter(text.as_str()) {
                let rest = text[lead.end()..].lines().next().unwrap_or_default();
                let quotation =
                    rest.trim_matches(|sign: char| sign.is_whitespace() || "\"“”.:".contains(sign));
                if words(quotation).is_empty() {
                    continue;
                }
                let is_true = session.person.share(quotation) >= SAID;
                self.person_said.add(is_true);
                self.details.push(json!({ "what": "person-said", "session": id, "true": is_true,
                    "quotation": quotation, "memory": row.memory.title }));
            }
        }
    }

    fn title(&mut self, id: &str, row: &MemoryRow) {
        use MemoryKind::{Chunk, Prompt, Summary};
        if matches!(row.memory.kind, Chunk | Prompt | Summary) {
            return;
        }
        let poor = titles::poor(&row.memory.title);
        self.poor_titles.add(poor.is_some());
        if let Some(kind) = poor {
            *self.poor_titles_by_kind.entry(kind).or_default() += 1;
            self.details.push(
                json!({ "what": "poor-title", "session": id, "kind": kind, "memory": row.memory.title }),
            );
        }
    }

    /// What the agent wrote and no search finds.
    fn paragraphs(&mut self, id: &str, session: &Session) {
        let mut kept = Spoken::default();
        for row in &session.memories {
            kept.add(&whole(&row.memory));
        }
        for paragraph in &session.paragraphs {
            let is_lost = kept.share(paragraph) < FOUND;
            self.lost_paragraphs.add(is_lost);
            if is_lost {
                self.details.push(json!({ "what": "lost-paragraph", "session": id, "paragraph": paragraph }));
            }
        }
    }

    pub(super) fn table(&self) -> String {
        let mut rows = vec![("sessions".to_owned(), self.sessions.to_string())];
        if let Some(facts) = &self.facts {
            rows.push(("… with labels".to_owned(), self.labeled_sessions.to_string()));
            rows.push(("facts that may be said unasked".to_owned(), facts.sayable.line()));
            rows.extend(facts.by_kind.iter().map(|(kind, share)| (format!("    {kind}"), share.line())));
            rows.extend(
                facts.elsewhere.iter().map(|(place, count)| (format!("… {place}"), count.to_string())),
            );
        }
        if let Some(orders) = &self.orders {
            rows.push(("standing orders kept as such".to_owned(), orders.kept.line()));
            rows.push(("… of what is kept as an order, in the labels".to_owned(), orders.precision.line()));
        }
        if let Some(must_not) = &self.must_not {
            rows.push(("must-nots that may be said".to_owned(), must_not.said.line()));
            rows.extend(must_not.by_why.iter().map(|(why, share)| (format!("    {why}"), share.line())));
        }
        rows.push(("\"the person said\" that a person said".to_owned(), self.person_said.line()));
        rows.push(("poor titles".to_owned(), self.poor_titles.line()));
        rows.extend(
            self.poor_titles_by_kind.iter().map(|(kind, count)| (format!("    {kind}"), count.to_string())),
        );
        rows.push(("paragraphs of the agent that nothing holds".to_owned(), self.lost_paragraphs.line()));
        rows.push(("sayable words a session".to_owned(), self.sayable_words_per_session.to_string()));
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
        let lines: Vec<String> =
            rows.iter().map(|(name, value)| format!("{name:<width$}  {value}\n")).collect();
        lines.concat()
    }
}

/// Sayable learnings of a session's project that other sessions made.
fn lessons_of_project<'a>(taken: &'a TakenIn, id: &str) -> Vec<&'a MemoryRow> {
    let project = |session: &Session| session.memories.iter().find_map(|row| row.memory.project_key.clone());
    let Some(own) = taken.sessions.get(id).and_then(project) else { return Vec::new() };
    let others = taken.sessions.iter().filter(|(other, _)| *other != id);
    let rows = others.flat_map(|(_, session)| &session.memories);
    rows.filter(|row| row.memory.kind == MemoryKind::Learning && is_sayable(row))
        .filter(|row| row.memory.project_key.as_deref() == Some(own.as_str()))
        .collect()
}

/// Where a fact stands, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Sayable,
    /// Only in what repeats the request.
    Request,
    /// In a memory that is not said unasked.
    NotSayable,
    Prompt,
    Chunk,
}

impl Place {
    const fn name(self) -> &'static str {
        match self {
            Self::Sayable => "sayable",
            Self::Request => "only as the request",
            Self::NotSayable => "only in what is not said unasked",
            Self::Prompt => "only in a prompt",
            Self::Chunk => "only in a piece of talk",
        }
    }
}

/// Whether it may be said to an agent that did not ask.
fn is_sayable(row: &MemoryRow) -> bool {
    !matches!(row.memory.kind, MemoryKind::Chunk | MemoryKind::Prompt)
        && row.superseded_by.is_none()
        && engine::origin(&row.memory).is_trusted()
}

/// Whether it binds those who read it.
fn is_binding(kind: MemoryKind) -> bool {
    matches!(kind, MemoryKind::Decision | MemoryKind::Learning | MemoryKind::Note)
}

/// Whether it is kept as what a person wants.
fn is_a_persons(memory: &Memory) -> bool {
    memory.kind == MemoryKind::Note || PERSON_SAID.is_match(memory.text.as_str())
}

fn whole(memory: &Memory) -> String {
    let mut text =
        format!("{}\n{}\n{}", memory.title, memory.subtitle.as_deref().unwrap_or_default(), memory.text);
    for fact in &memory.facts {
        text.push('\n');
        text.push_str(fact);
    }
    text
}

/// A memory's text without what only repeats the request: a title in its words, and what follows "Asked:".
fn own(memory: &Memory, requests: &Spoken) -> String {
    let mut kept = String::new();
    let mut is_request = false;
    let text = whole(memory);
    for (at, line) in text.lines().enumerate() {
        if at == 0 && requests.share(line.trim_end_matches('…')) >= REPEATED {
            continue;
        }
        for sentence in sentences(line) {
            if REQUEST.is_match(sentence) {
                is_request = true;
                continue;
            }
            is_request = is_request && requests.share(sentence) >= REPEATED;
            if !is_request {
                kept.push_str(sentence);
            }
        }
        kept.push('\n');
    }
    kept
}

/// A line's sentences, each with the space behind it.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .zip(rest.chars().skip(1))
            .find(|((_, sign), next)| ".!?…".contains(*sign) && *next == ' ')
            .map_or(rest.len(), |((at, sign), _)| at + sign.len_utf8() + 1);
        let (sentence, left) = rest.split_at(end);
        rest = left;
        Some(sentence)
    })
}

#[cfg(test)]
mod tests {
    use model::MemoryId;

    use super::*;

    #[test]
    fn what_repeats_the_request_is_not_a_memorys_own() {
        let mut requests = Spoken::default();
        requests.add("please make the export faster, it takes minutes");
        let text = "Asked: please make the export faster. It takes minutes. The index was missing.";
        let memory = Memory::new(
            MemoryId::from_u64(1),
            MemoryKind::Bugfix,
            0,
            "Please make the export faster".into(),
            text.into(),
        );
        assert_eq!(own(&memory, &requests).trim(), "The index was missing.");
    }

    #[test]
    fn a_line_is_cut_at_the_ends_of_its_sentences() {
        assert_eq!(sentences("One. Two, v1.2! Drei").collect::<Vec<_>>(), ["One. ", "Two, v1.2! ", "Drei"]);
    }
}
