//! The OpenAPI document, made from the list of endpoints and their types when it is asked for. Nothing in it is
//! written by hand but the sentences.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::endpoint::{Description, Endpoint};

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
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "throughline",
            "version": version,
            "description": "What your agents remember, on this machine alone.",
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas.take_definitions(true),
        },
    })
}

fn operation(endpoint: &Endpoint, description: Description, problem: &Schema) -> Value {
    let Description { path, query, body, answer } = description;
    let mut parameters = parameters("path", path);
    parameters.extend(self::parameters("query", query));
    let refused = json!({
        "description": "Refused: what is wrong and what to do",
        "content": { "application/problem+json": { "schema": problem } },
    });
    let mut success = json!({ "description": endpoint.summary });
    if let Some(answer) = answer {
        success["content"] = json!({ "application/json": { "schema": answer } });
    }
    let mut responses = json!({ "4XX": refused, "503": refused });
    responses[endpoint.status.as_str()] = success;
    let mut operation = json!({
        "operationId": operation_id(endpoint),
        "tags": [endpoint.path.split('/').nth(3).unwrap_or_default()],
        "summary": endpoint.summary,
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(body) = body {
        operation["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": body } } });
    }
    operation
}

/// `get-memories-id`: stable, unique, and a name in most languages.
fn operation_id(endpoint: &Endpoint) -> String {
    let path = endpoint.path.trim_start_matches("/api/v1/").replace(['{', '}'], "").replace('/', "-");
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
        let mut parameter = json!({
            "name": name,
            "in": place,
            "required": place == "path" || required.iter().any(|one| one == name),
            "schema": schema,
        });
        if let Some(description) = description {
            parameter["description"] = description;
        }
        parameter
    };
    fields.iter().map(one).collect()
}
