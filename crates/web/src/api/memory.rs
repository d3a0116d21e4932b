//! A memory as the API gives it: whole, or as a card of a list. Made from the store's row; says nothing that the row
//! does not, but whose words it holds.

use model::{MemoryKind, Millis};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use store::MemoryRow;

/// Characters of a text on a card: four lines of a list.
pub(crate) const CARD_CHARS: usize = 400;

/// A memory, whole.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Memory {
    #[serde(flatten)]
    pub(crate) outline: Outline,
    pub(crate) text: String,
    pub(crate) facts: Vec<String>,
    pub(crate) concepts: Vec<String>,
    /// Ids of the events that show it, oldest first.
    pub(crate) evidence: Vec<String>,
}

/// A memory in a list: its text is cut, facts and evidence are left out.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct MemoryCard {
    #[serde(flatten)]
    pub(crate) outline: Outline,
    pub(crate) text: String,
    /// Whether there is more of the text.
    pub(crate) cut: bool,
}

/// What both say.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Outline {
    /// Twelve letters and digits.
    pub(crate) id: String,
    /// The id it had where it was brought in from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) external_id: Option<String>,
    pub(crate) kind: Kind,
    /// When it happened, not when it was written down.
    pub(crate) at: Millis,
    pub(crate) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) subtitle: Option<String>,
    pub(crate) files_read: Vec<String>,
    pub(crate) files_modified: Vec<String>,
    pub(crate) tools: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) workspace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    pub(crate) urgency: Urgency,
    /// Something every session should know.
    pub(crate) critical: bool,
    /// Never dropped to make room.
    pub(crate) pinned: bool,
    /// `person`, `agent`, `import`, `extractive/3`, the name of a model.
    pub(crate) written_by: String,
    pub(crate) origin: Origin,
    /// A file and a place in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<String>,
    /// What the work it stands for cost to read.
    pub(crate) raw_tokens: u32,
    /// What reading it costs.
    pub(crate) tokens: u32,
    /// How often the same was said again.
    pub(crate) repeats: u64,
    /// How often an agent named it after it was shown.
    pub(crate) hits: u64,
    /// How often it kept somebody from a mistake.
    pub(crate) prevented: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_applied_at: Option<Millis>,
    /// The memory that holds instead of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) superseded_by: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Urgency {
    Normal,
    High,
}

/// Whose words a memory holds. What is from outside is never said to an agent unasked, nor what is retired: an agent's own work in
/// words that today's rules would not choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Origin {
    Person,
    Work,
    Outside,
    Retired,
}

/// What a memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Kind(pub(crate) MemoryKind);

impl JsonSchema for Kind {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MemoryKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = MemoryKind::ALL.iter().map(|kind| kind.name()).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

impl From<MemoryRow> for Memory {
    fn from(mut row: MemoryRow) -> Self {
        let text = std::mem::take(&mut row.memory.text);
        let facts = std::mem::take(&mut row.memory.facts);
        let concepts = std::mem::take(&mut row.memory.concepts);
        let evidence = row.memory.provenance.events.iter().map(ToString::to_string).collect();
        Self { outline: row.into(), text, facts, concepts, evidence }
    }
}

impl Memory {
    /// What a change of it is compared with: what it says and the marks that people give it. How often it was shown or
    /// of use is not among them, for that changes while somebody edits.
    pub(crate) fn words(&self) -> impl Serialize {
        let Outline { kind, title, subtitle, critical, pinned, superseded_by, .. } = &self.outline;
        let said = (title, subtitle, &self.text, &self.facts, &self.concepts);
        (said, kind, critical, pinned, superseded_by)
    }
}

impl From<MemoryRow> for MemoryCard {
    fn from(mut row: MemoryRow) -> Self {
        let (text, cut) = cut(std::mem::take(&mut row.memory.text));
        Self { outline: row.into(), text, cut }
    }
}

impl From<MemoryRow> for Outline {
    fn from(row: MemoryRow) -> Self {
        let origin = match engine::origin(&row.memory) {
            engine::Origin::Person => Origin::Person,
            engine::Origin::Work => Origin::Work,
            engine::Origin::Outside => Origin::Outside,
            engine::Origin::Retired => Origin::Retired,
        };
        let MemoryRow { memory, tokens, repeats, hits, prevented, last_applied_at, superseded_by, .. } = row;
        Self {
            id: memory.id.to_string(),
            external_id: memory.external_id,
            kind: Kind(memory.kind),
            at: memory.at,
            title: memory.title,
            subtitle: memory.subtitle,
            files_read: memory.files_read,
            files_modified: memory.files_modified,
            tools: memory.tools,
            session: memory.session.map(|session| session.as_str().to_owned()),
            workspace: memory.workspace.map(|workspace| workspace.as_str().to_owned()),
            project: memory.project,
            branch: memory.branch,
            urgency: match memory.urgency {
                model::Urgency::Normal => Urgency::Normal,
                model::Urgency::High => Urgency::High,
            },
            critical: memory.critical,
            pinned: memory.pinned,
            written_by: memory.provenance.by,
            origin,
            place: memory.provenance.place,
            raw_tokens: memory.provenance.tokens,
            tokens,
            repeats,
            hits,
            prevented,
            last_applied_at,
            superseded_by: superseded_by.map(|id| id.to_string()),
        }
    }
}

fn cut(mut text: String) -> (String, bool) {
    match text.char_indices().nth(CARD_CHARS) {
        Some((end, _)) => {
            text.truncate(end);
            (text, true)
        }
        None => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use model::MemoryId;

    use super::*;

    fn row(text: &str) -> MemoryRow {
        let memory = model::Memory::new(
            MemoryId::from_u64(7),
            MemoryKind::Decision,
            5,
            "Use uv".to_owned(),
            text.to_owned(),
        );
        MemoryRow {
            n: 1,
            memory,
            tokens: 2,
            seq: 3,
            repeats: 0,
            hits: 0,
            prevented: 0,
            last_applied_at: None,
            superseded_by: None,
            author: None,
        }
    }

    #[test]
    fn a_card_cuts_between_characters_and_says_so() {
        let card = MemoryCard::from(row(&"ä".repeat(CARD_CHARS + 1)));
        assert_eq!((card.text.chars().count(), card.cut), (CARD_CHARS, true));
        let card = MemoryCard::from(row(&"ä".repeat(CARD_CHARS)));
        assert_eq!((card.text.chars().count(), card.cut), (CARD_CHARS, false));
    }

    #[test]
    fn a_memory_is_one_flat_object_without_what_is_not_known() {
        let value = serde_json::to_value(Memory::from(row("always"))).unwrap();
        assert_eq!(
            value,
            serde_json::json!({
                "id": "000000000007", "kind": "decision", "at": 5, "title": "Use uv", "text": "always",
                "facts": [], "concepts": [], "evidence": [], "files_read": [], "files_modified": [], "tools": [],
                "urgency": "normal", "critical": false, "pinned": false, "written_by": "", "origin": "work",
                "raw_tokens": 0, "tokens": 2, "repeats": 0, "hits": 0, "prevented": 0,
            })
        );
    }
}
