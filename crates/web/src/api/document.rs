//! The OpenAPI document, made from the list of endpoints and their types when the door opens. Nothing in it is
//! written by hand but the sentences.

mod examples;

use http::{Method, StatusCode};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::endpoint::{Description, Endpoint, MAX_NUMBER};
use crate::guard::BY_TOKEN_ALONE;

/// What the parts of the API are about, by the first word of their paths.
const TAGS: &[(&str, &str)] = &[
    ("status", "What the daemon says of itself"),
    ("health", "What may be wrong, and what repairs it"),
    ("sessions", "Conversations of agents, and what happened in them"),
    ("prompts", "What people asked for, in their words"),
    ("events", "What hooks delivered, as it was journaled"),
    ("injections", "What was put in front of agents, word for word, and why"),
    ("verdicts", "What guards decided, and why"),
    ("memories", "What is kept: read, written, changed, forgotten"),
    ("observations", "Memories that were made of work"),
    ("summaries", "Turns in five answers"),
    ("search", "Memories by what they say"),
    ("timeline", "What was kept around a moment"),
    ("context", "What an agent would be told"),
    ("hand-offs", "What a session leaves for the next one"),
    ("checkpoints", "Places to come back to"),
    ("claims", "Who works on which file"),
    ("patterns", "Parts of agents that work together, and what came of them"),
    ("agents", "Whose hooks are heard"),
    ("workspaces", "Folders in which agents work"),
    ("projects", "Repositories, by name"),
    ("behaviors", "What is said and done on events, switched on and off"),
    ("settings", "Settings, and where each comes from"),
    ("stats", "Figures, now and over time"),
    ("logs", "What the daemon wrote down"),
    ("stream", "What happens, as it happens"),
    ("links", "Ways into the page"),
    ("metrics", "Figures for Prometheus"),
    ("openapi.json", "This document"),
];

/// What parameters say that are the same wherever they are, by their names; a room says more where there is more to say.
const USUAL: &[(&str, &str)] = &[
    ("limit", "How many rows a page has at most."),
    ("cursor", "Where the page begins: `next` of the one before, sent as it came."),
    ("offset", "How many rows to skip, in place of a cursor."),
    ("session", "Of this session alone: its id, as its agent says it."),
    ("project", "Of this project alone, by its name."),
    ("agent", "Of this agent alone: `name` of GET /api/v1/agents."),
    ("tool", "Of this tool alone, as its agent calls it."),
    ("order", "Which come first."),
    ("step", "How long one step is."),
    ("lines", "How many lines, the last ones."),
    ("id", "Its id, as lists say it."),
    ("key", "Its key, as lists say it."),
    ("name", "Its name, as lists say it."),
];

/// What a request is told that cannot be answered (RFC 9457).
#[derive(JsonSchema)]
#[expect(dead_code, reason = "its shape is described; `Problem` writes it")]
struct Problem {
    r#type: String,
    /// What happened.
    title: String,
    status: u16,
    /// What to do.
    detail: String,
}

pub(crate) fn document(endpoints: &[Endpoint], version: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut schemas = settings.into_generator();
    let problem = schemas.subschema_for::<Problem>();
    let mut paths = Map::new();
    for endpoint in endpoints {
        let description = (endpoint.describe)(&mut schemas);
        let operation = operation(endpoint, description, &problem);
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        path[endpoint.method.as_str().to_ascii_lowercase()] = operation;
    }
    let used = |name: &str| endpoints.iter().any(|endpoint| tag(endpoint.path) == name);
    let tags: Vec<Value> = TAGS
        .iter()
        .filter(|(name, _)| used(name))
        .map(|(name, about)| json!({ "name": name, "description": about }))
        .collect();
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "throughline",
            "version": version,
            "description": "What your agents remember, on this machine alone. Times are milliseconds since 1970. Lists come \
                in pages: `next` of one is `cursor` of the following. A GET may be asked again with `If-None-Match`, a \
                change be bound to a version with `If-Match`. What a page changes needs the header \
                `X-Throughline: viewer`, too.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }, { "cookie": [], "page": [] }],
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "For programs. `throughline mcp --http` says in which file it is.",
                },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "throughline-37777",
                    "description": "For the page: `throughline view` opens a link that sets it. The number is the port the \
                        daemon has. Alone it opens nothing of the API. What changes something needs the header \
                        `X-Throughline: viewer` as well.",
                },
                "page": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-Throughline-Page",
                    "description": "The page's own half of its key: `POST /api/v1/page-key` says it once, to the page that a \
                        link has opened within the last minute.",
                },
            },
            "schemas": schemas.take_definitions(true),
        },
    });
    bound_numbers(&mut document);
    document
}

fn operation(endpoint: &Endpoint, description: Description, problem: &Schema) -> Value {
    let Description { path, query, body, answer } = description;
    let mut parameters = parameters("path", path);
    parameters.extend(self::parameters("query", query));
    let is_read = endpoint.method == Method::GET;
    if is_read && endpoint.has_version {
        parameters.push(header("If-None-Match", "The version that is known already"));
    } else if endpoint.takes_version {
        parameters.push(header("If-Match", "The version that the change is meant for"));
    }
    let mut operation = json!({
        "operationId": operation_id(endpoint),
        "tags": [tag(endpoint.path)],
        "summary": endpoint.summary,
        "parameters": parameters,
        "responses": responses(endpoint, answer, problem),
    });
    if BY_TOKEN_ALONE.contains(&endpoint.path) {
        operation["security"] = json!([{ "token": [] }]);
    }
    if let Some(body) = body {
        operation["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": body } } });
        if let Some(example) = examples::of(&operation_id(endpoint)) {
            operation["requestBody"]["content"]["application/json"]["example"] = example;
        }
    }
    operation
}

fn responses(endpoint: &Endpoint, answer: Option<Schema>, problem: &Schema) -> Value {
    let refused = |what: &str| {
        json!({
            "description": what,
            "content": { "application/problem+json": { "schema": problem } },
        })
    };
    let mut headers = Map::new();
    if endpoint.has_version {
        let version = json!({ "description": "The version of this answer", "schema": { "type": "string" } });
        headers.insert("ETag".to_owned(), version);
    }
    let mut success = json!({ "description": endpoint.summary, "headers": headers });
    if endpoint.status != StatusCode::NO_CONTENT {
        let schema = answer.map_or_else(|| json!({ "type": "string" }), Schema::to_value);
        success["content"] = json!({ endpoint.media: { "schema": schema } });
    }
    let mut responses = json!({
        "4XX": refused("Refused: what is wrong and what to do"),
        "503": refused("The daemon is busy or out of order"),
    });
    if endpoint.may_be_known {
        let mut known = success.clone();
        known["description"] = json!("The same is there already");
        responses["200"] = known;
    }
    if endpoint.method == Method::GET && endpoint.has_version {
        responses["304"] = json!({ "description": "It is what `If-None-Match` says" });
    }
    if endpoint.status == StatusCode::CREATED {
        let place = json!({ "description": "Where it is from now on", "schema": { "type": "string" } });
        success["headers"]["Location"] = place;
    }
    responses[endpoint.status.as_str()] = success;
    responses
}

fn header(name: &str, description: &str) -> Value {
    json!({
        "name": name,
        "in": "header",
        "required": false,
        "description": description,
        "schema": { "type": "string" },
    })
}

fn without_base(path: &str) -> &str {
    path.strip_prefix("/api/v1").unwrap_or(path).trim_start_matches('/')
}

fn tag(path: &str) -> &str {
    without_base(path).split('/').next().unwrap_or_default()
}

/// `get-memories-id`: stable, unique, and a name in most languages.
fn operation_id(endpoint: &Endpoint) -> String {
    let path = without_base(endpoint.path).replace(['{', '}'], "").replace(['/', '.'], "-");
    format!("{}-{path}", endpoint.method.as_str().to_ascii_lowercase())
}

/// The fields of a type, each a parameter.
fn parameters(place: &str, of: Option<Schema>) -> Vec<Value> {
    let Some(of) = of.map(Schema::to_value) else { return Vec::new() };
    let required = of["required"].as_array().cloned().unwrap_or_default();
    let Some(fields) = of["properties"].as_object() else { return Vec::new() };
    let one = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        without_null(&mut schema);
        let mut parameter = json!({
            "name": name,
            "in": place,
            "required": place == "path" || required.iter().any(|one| one == name),
            "schema": schema,
        });
        let usual = || USUAL.iter().find(|(usual, _)| usual == name).map(|(_, what)| json!(what));
        if let Some(description) = description.or_else(usual) {
            parameter["description"] = description;
        }
        parameter
    };
    fields.iter().map(one).collect()
}

/// A parameter is there or it is not; in an address there is no `null`.
fn without_null(schema: &mut Value) {
    if let Some(types) = schema["type"].as_array() {
        let types: Vec<Value> = types.iter().filter(|one| *one != "null").cloned().collect();
        schema["type"] = if let [one] = types.as_slice() { one.clone() } else { json!(types) };
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let any: Vec<Value> = any.iter().filter(|one| one["type"] != "null").cloned().collect();
        match any.as_slice() {
            [one] => *schema = one.clone(),
            _ => schema["anyOf"] = json!(any),
        }
    }
    if let Some(schema) = schema.as_object_mut()
        && schema.get("default").is_some_and(Value::is_null)
    {
        schema.remove("default");
    }
}

/// What is a whole number here has an end: its type's, or where everybody can count to.
fn bound_numbers(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let most = match fields.get("format").and_then(Value::as_str) {
                Some("uint64" | "int64" | "uint" | "int") => Some(MAX_NUMBER),
                Some("uint32") => Some(u64::from(u32::MAX)),
                Some("uint16") => Some(u64::from(u16::MAX)),
                _ => None,
            };
            if let Some(most) = most {
                fields.entry("maximum").or_insert(json!(most));
            }
            fields.values_mut().for_each(bound_numbers);
        }
        Value::Array(items) => items.iter_mut().for_each(bound_numbers),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
