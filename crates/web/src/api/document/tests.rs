//! The document holds together: whoever makes a client of it finds every name it uses.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::super::all;
use super::document;

fn made() -> Value {
    document(&all(), "1.2.3")
}

/// Every operation with its path.
fn operations(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, methods)| {
        methods.as_object().unwrap().values().map(move |operation| (path, operation))
    })
}

fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let document = made();
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(!found.is_empty());
    for reference in found {
        let pointer = reference.strip_prefix('#').expect("nothing is outside");
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn every_operation_has_a_name_of_its_own_and_a_tag_that_is_explained() {
    let document = made();
    let tags: HashSet<&Value> = document["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    let mut names = HashSet::new();
    for (path, operation) in operations(&document) {
        let name = operation["operationId"].as_str().unwrap();
        assert!(names.insert(name), "{name} twice");
        assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "{name}");
        assert!(tags.contains(&operation["tags"][0]), "{path}: {}", operation["tags"]);
        assert!(!operation["summary"].as_str().unwrap().is_empty(), "{path}");
    }
}

#[test]
fn what_stands_in_a_path_is_described_and_nothing_else_is() {
    let document = made();
    for (path, operation) in operations(&document) {
        let named: BTreeSet<&str> =
            path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        let parameters = operation["parameters"].as_array().unwrap();
        let of_path = parameters.iter().filter(|parameter| parameter["in"] == "path");
        let described: BTreeSet<&str> = of_path
            .map(|parameter| {
                assert_eq!(parameter["required"], true, "{path}");
                parameter["name"].as_str().unwrap()
            })
            .collect();
        assert_eq!(named, described, "{path}");
    }
}

#[test]
fn no_parameter_may_be_null() {
    let document = made();
    for (path, operation) in operations(&document) {
        for parameter in operation["parameters"].as_array().unwrap() {
            let said = parameter["schema"].to_string();
            assert!(!said.contains("null"), "{path}: {parameter}");
        }
    }
}

#[test]
fn every_answer_is_described_and_every_path_is_below_the_version() {
    let document = made();
    for (path, operation) in operations(&document) {
        let responses = operation["responses"].as_object().unwrap();
        assert!(responses.keys().any(|status| status.starts_with('2')), "{path}");
        assert!(responses.contains_key("4XX"), "{path}");
        assert!(path.starts_with("/api/v1/") || ["/metrics", "/health"].contains(&path.as_str()), "{path}");
    }
}

#[test]
fn every_parameter_says_what_it_is() {
    let document = made();
    for (path, operation) in operations(&document) {
        for parameter in operation["parameters"].as_array().unwrap() {
            assert!(
                parameter["description"].as_str().is_some_and(|said| !said.is_empty()),
                "{path}: {parameter}"
            );
        }
    }
}

#[test]
fn no_two_shapes_share_a_name() {
    let document = made();
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "{name}");
    }
}

#[test]
fn both_keys_are_described_and_a_cookie_makes_no_links() {
    let document = made();
    for scheme in document["security"].as_array().unwrap() {
        for name in scheme.as_object().unwrap().keys() {
            assert!(document["components"]["securitySchemes"][name].is_object(), "{name}");
        }
    }
    assert_eq!(document["paths"]["/api/v1/links"]["post"]["security"], serde_json::json!([{ "token": [] }]));
}

#[test]
fn every_body_has_an_example_of_its_own_fields() {
    let document = made();
    for (path, operation) in operations(&document) {
        let body = &operation["requestBody"]["content"]["application/json"];
        if body.is_null() {
            continue;
        }
        let (schema, example) = (&body["schema"], body["example"].as_object());
        let example = example.unwrap_or_else(|| panic!("{path}: no example"));
        for name in example.keys() {
            assert!(schema["properties"][name].is_object(), "{path}: {name}");
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            assert!(example.contains_key(name.as_str().unwrap()), "{path}: {name}");
        }
    }
}
