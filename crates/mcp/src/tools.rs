//! The tools: one file each, one line in [`ALL`]. A tool's arguments are a type; its schema, its parsing and the
//! words of its errors follow from that. Reading comes in three steps that cost the model little: an index
//! (`mem_search`), the surroundings of a hit (`mem_timeline`), full text (`mem_get`).

mod checkpoint;
mod claims;
mod code;
mod code_callers;
mod code_context;
mod code_deps;
mod code_impact;
mod code_outline;
mod code_search;
mod code_slice;
mod code_symbol;
mod context;
mod forget;
mod get;
mod handoff;
mod hook;
mod message;
mod patterns;
mod save;
mod search;
mod sessions;
mod status;
mod timeline;

use std::ops::RangeInclusive;

use rmcp::schemars::JsonSchema;
use rmcp::schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use store::{MemoryRow, StoreError, Tables};

use crate::answer::{Answer, line};
use crate::keeper::{Keeper, Refusal};
pub(crate) use get::memory_page;
pub(crate) use sessions::story;

/// In the order a model reads them.
pub(crate) const ALL: &[Tool] = &[
    Tool::of::<search::Search>(),
    Tool::of::<timeline::Timeline>(),
    Tool::of::<get::Get>(),
    Tool::of::<save::Save>(),
    Tool::of::<forget::Forget>(),
    Tool::of::<context::Context>(),
    Tool::of::<code_outline::Outline>(),
    Tool::of::<code_symbol::Symbol>(),
    Tool::of::<code_callers::Callers>(),
    Tool::of::<code_impact::Impact>(),
    Tool::of::<code_slice::Slice>(),
    Tool::of::<code_search::Search>(),
    Tool::of::<code_context::Context>(),
    Tool::of::<code_deps::Deps>(),
    Tool::of::<handoff::Handoff>(),
    Tool::of::<checkpoint::Checkpoint>(),
    Tool::of::<claims::Claims>(),
    Tool::of::<message::Message>(),
    Tool::of::<patterns::Patterns>(),
    Tool::of::<sessions::Sessions>(),
    Tool::of::<status::Status>(),
];

/// Called by an agent's hooks and offered to no model.
const UNLISTED: &[Tool] = &[Tool::of::<hook::Hook>()];

/// A tool as the protocol needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) effect: Effect,
    /// What a client is told while it waits.
    pub(crate) waiting: &'static str,
    pub(crate) schema: fn() -> Map<String, Value>,
    pub(crate) run: Run,
}

type Run = fn(&dyn Keeper, Map<String, Value>) -> Result<Answer, Refusal>;

/// What a call may change, as honestly as a client can be told in four words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    /// Nothing that was there is lost.
    Adds,
    /// What was there may be replaced or gone; the same call again changes nothing more.
    Replaces,
    /// One of its actions replaces, another adds something at every call.
    AddsOrReplaces,
}

/// What one file gives: the arguments, and what is done with them.
pub(crate) trait Call: DeserializeOwned + JsonSchema + 'static {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const EFFECT: Effect = Effect::Reads;
    const WAITING: &'static str = "waiting for the daemon";

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal>;
}

impl Tool {
    const fn of<C: Call>() -> Self {
        Self {
            name: C::NAME,
            title: C::TITLE,
            description: C::DESCRIPTION,
            effect: C::EFFECT,
            waiting: C::WAITING,
            schema: schema::<C>,
            run: run::<C>,
        }
    }

    /// Whether a model is offered it.
    pub(crate) fn is_listed(&self) -> bool {
        ALL.iter().any(|tool| tool.name == self.name)
    }
}

pub(crate) fn by_name(name: &str) -> Option<&'static Tool> {
    ALL.iter().chain(UNLISTED).find(|tool| tool.name == name)
}

fn run<C: Call>(keeper: &dyn Keeper, arguments: Map<String, Value>) -> Result<Answer, Refusal> {
    // Some clients send every argument, and null for those that were not given.
    let given: Map<String, Value> = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    match C::deserialize(&given) {
        Ok(call) => call.call(keeper),
        Err(error) => Err(unreadable::<C>(&given, &error.to_string())),
    }
}

/// Names the argument, which the error itself does not: it is the one without which the error would be another.
fn unreadable<C: Call>(given: &Map<String, Value>, error: &str) -> Refusal {
    let wrong = given.keys().find(|name| {
        let mut others = given.clone();
        others.remove(*name);
        C::deserialize(&others).err().is_none_or(|without| without.to_string() != error)
    });
    let properties = schema::<C>().remove("properties").unwrap_or_default();
    let known = wrong.and_then(|name| Some((name, properties.get(name)?)));
    // The reader of the error knows the names of JSON's types, not of ours.
    let error = line(error, 300).replace("u32", "an integer of at least 0").replace("a sequence", "an array");
    match known {
        Some((name, takes)) => {
            let (kind, about) = (takes["type"].as_str(), takes["description"].as_str());
            let takes = format!("{} ({})", kind.unwrap_or_default(), about.unwrap_or_default());
            Refusal::new(
                format!("{name} of {} cannot be read: {error}", C::NAME),
                format!("{name} takes: {}; correct it and call {} again", line(&takes, 400), C::NAME),
            )
        }
        None => Refusal::new(
            format!("the arguments of {} cannot be read: {error}", C::NAME),
            format!("correct them and call {} again; its schema says what it takes", C::NAME),
        ),
    }
}

/// A schema small enough for a prompt: no meta schema, no names of our types, no null beside a type.
fn schema<C: Call>() -> Map<String, Value> {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<C>();
    let Value::Object(mut schema) = schema.to_value() else { return Map::new() };
    for noise in ["$schema", "title", "description"] {
        schema.remove(noise);
    }
    slim(&mut schema);
    schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema
}

fn slim(schema: &mut Map<String, Value>) {
    schema.remove("format");
    if schema.get("minimum").and_then(Value::as_u64) == Some(0) {
        schema.remove("minimum");
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    for list in ["type", "enum"] {
        if let Some(Value::Array(values)) = schema.get_mut(list) {
            values.retain(|value| !value.is_null() && value != "null");
            if let ("type", [one]) = (list, values.as_slice()) {
                let one = one.clone();
                schema.insert(list.to_owned(), one);
            }
        }
    }
    for value in schema.values_mut() {
        if let Value::Object(inner) = value {
            slim(inner);
        }
    }
}

fn within(
    name: &str,
    given: Option<u32>,
    default: usize,
    range: RangeInclusive<usize>,
) -> Result<usize, Refusal> {
    let value = given.map_or(default, |value| value as usize);
    if range.contains(&value) {
        return Ok(value);
    }
    let (least, most) = range.into_inner();
    Err(Refusal::new(format!("{name} is {value}"), format!("{name} must be {least} to {most}")))
}

/// What is not blank.
fn said(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

fn missing(name: &str, why: &str) -> Refusal {
    Refusal::new(format!("{name} is missing"), why)
}

#[expect(clippy::needless_pass_by_value, reason = "it ends here, and is given to `map_err`")]
fn stored(error: StoreError) -> Refusal {
    Refusal::new(error.to_string(), "")
}

fn find_memory(tables: &Tables, id: &str) -> Result<MemoryRow, Refusal> {
    match tables.memory(id.trim()) {
        Ok(Some(row)) => Ok(row),
        Ok(None) => Err(Refusal::new(
            format!("no memory is called \"{}\"", line(id, 40)),
            "take an id from mem_search or mem_timeline; a forgotten memory has none any more",
        )),
        Err(StoreError::Ambiguous(id)) => Err(Refusal::new(
            format!("more than one memory begins with \"{}\"", line(&id, 40)),
            "give all twelve characters",
        )),
        Err(error) => Err(stored(error)),
    }
}

fn find_session(tables: &Tables, id: &str) -> Result<store::SessionRow, Refusal> {
    match tables.session(id.trim()) {
        Ok(Some(row)) => Ok(row),
        Ok(None) => Err(Refusal::new(
            format!("no session begins with \"{}\"", line(id, 40)),
            "sessions with action \"list\" says their ids",
        )),
        Err(StoreError::Ambiguous(id)) => Err(Refusal::new(
            format!("more than one session begins with \"{}\"", line(&id, 40)),
            "give more of the id",
        )),
        Err(error) => Err(stored(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a client always loads is paid for in every session.
    #[test]
    fn all_descriptions_together_are_short() {
        let bytes: usize = ALL.iter().map(|tool| tool.description.len()).sum();
        assert!(bytes <= 2048, "{bytes}");
        assert!(crate::server::INSTRUCTIONS.len() <= 2048);
    }

    #[test]
    fn a_schema_is_an_object_that_describes_every_argument() {
        for tool in ALL {
            let schema = (tool.schema)();
            assert_eq!(schema["type"], "object", "{}", tool.name);
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
            for (name, argument) in schema["properties"].as_object().expect("properties") {
                assert!(argument["description"].is_string(), "{} {name}: {argument}", tool.name);
                assert!(argument["type"].is_string(), "{} {name}: {argument}", tool.name);
            }
            let text = Value::Object(schema).to_string();
            assert!(!text.contains("null") && !text.contains("$ref"), "{text}");
        }
    }

    #[test]
    fn names_are_unique_and_fit_every_client() {
        let mut names: Vec<&str> = ALL.iter().chain(UNLISTED).map(|tool| tool.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len() + UNLISTED.len());
        assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')));
    }
}
