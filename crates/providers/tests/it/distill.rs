//! Distilling with a model: what a batch costs, and what of an answer is believed.

use model::MemoryKind;
use proptest::prelude::*;
use providers::distill::{Batch, LEAST_RAW_TOKENS, Parsed, RawStep, distill_prompt, parse};
use providers::{ProviderError, tokens};
use serde_json::{Value, json};

const CALLS: usize = 20;

fn step(tool: &str, input: &str, output: &str, ok: bool) -> RawStep {
    RawStep { tool: tool.to_owned(), at: 0, input: input.to_owned(), output: output.to_owned(), ok }
}

fn batch() -> Batch {
    Batch {
        request: Some("make the refresh survive a slow gateway".to_owned()),
        steps: vec![
            step("Read", r#"{"file_path":"/p/src/token.rs"}"#, "fn refresh() { … }", true),
            step(
                "Edit",
                r#"{"file_path":"/p/src/token.rs","new_string":"retry(3)"}"#,
                r#"{"ok":true}"#,
                true,
            ),
            step("Bash", r#"{"command":"cargo test -p auth"}"#, "error in src/gateway.rs\nFAILED", false),
            step("Bash", r#"{"command":"cargo test -p auth"}"#, "test result: ok. 12 passed", true),
        ],
    }
}

fn claim(fields: &Value) -> Value {
    let mut claim = json!({
        "kind": "bugfix", "title": "Refresh retries three times", "subtitle": "s", "narrative": "n",
        "facts": ["retry(3) in /p/src/token.rs"], "concepts": ["retry"],
        "files_read": [], "files_modified": [], "steps": [1, 3],
    });
    claim.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    claim
}

fn read(answer: &str) -> Vec<Parsed> {
    parse(answer, &batch()).unwrap()
}

fn titles(answer: &str) -> Vec<String> {
    read(answer).into_iter().map(|parsed| parsed.title).collect()
}

/// Tokens of all that is sent, the schema included, for one token of raw material.
fn ratio(batch: &Batch) -> f64 {
    let request = distill_prompt(batch);
    request.input_tokens() as f64 / batch.raw_tokens() as f64
}

#[test]
fn a_batch_of_twenty_recorded_calls_costs_at_most_one_and_a_half_of_its_material() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../agents/fixtures/claude_code");
    let mut steps = Vec::new();
    for n in 1.. {
        let Ok(text) = std::fs::read_to_string(format!("{folder}/PostToolUse-{n}.json")) else { break };
        let envelope: Value = serde_json::from_str(&text).unwrap();
        let payload = &envelope["stdin"];
        let payload = if payload.is_object() { payload } else { &envelope };
        let (input, output) = (payload["tool_input"].to_string(), payload["tool_response"].to_string());
        steps.push(step(payload["tool_name"].as_str().unwrap(), &input, &output, true));
    }
    assert!(steps.len() >= CALLS, "{} recorded calls", steps.len());
    for steps in steps.chunks_exact(CALLS) {
        let batch = Batch { request: None, steps: steps.to_vec() };
        println!("recorded: {} raw tokens, ratio {:.2}", batch.raw_tokens(), ratio(&batch));
        assert!(ratio(&batch) <= 1.5, "{}", ratio(&batch));
    }
}

/// Twenty calls of each kind with about `bytes` of material each.
fn synthetic(bytes: usize) -> Vec<Batch> {
    let code = "    let token = self.cache.get(&key).ok_or(Error::Missing { key })?;\n";
    let prose =
        "The gateway drops a request that arrives after the deadline without telling anybody about it. ";
    let fill = |text: &str| text.chars().cycle().take(bytes / 2).collect::<String>();
    let calls = [
        ("Edit", json!({"file_path": "/p/a.rs", "old_string": fill(code), "new_string": "x"}), fill(code)),
        ("Bash", json!({"command": "cargo test", "description": fill(prose)}), fill(code)),
        ("WebFetch", json!({"url": "https://example.com", "prompt": fill(prose)}), fill(prose)),
        ("mcp__tracker__search", json!({"query": fill(prose)}), fill(prose)),
    ];
    let batch = |(tool, input, output): (&str, Value, String)| Batch {
        request: Some("find out why the refresh fails".to_owned()),
        steps: vec![step(tool, &input.to_string(), &output, true); CALLS],
    };
    calls.into_iter().map(batch).collect()
}

#[test]
fn a_batch_worth_asking_about_costs_at_most_one_and_a_half_of_its_material() {
    let mut worst: f64 = 0.0;
    for bytes in [250, 330, 400, 500, 970, 2_000, 8_000, 100_000] {
        for batch in synthetic(bytes) {
            if batch.is_worth_asking() {
                worst = worst.max(ratio(&batch));
                assert!(ratio(&batch) <= 1.5, "{} raw tokens: {}", batch.raw_tokens(), ratio(&batch));
            }
        }
    }
    println!("worst ratio at {LEAST_RAW_TOKENS} raw tokens and more: {worst:.2}");
    // A call of 970 characters was the measure of the best known peer (204 tokens for each of the material).
    for batch in synthetic(970) {
        assert!(batch.is_worth_asking(), "{}", batch.raw_tokens());
    }
}

#[test]
fn what_surrounds_the_material_is_small() {
    let empty = Batch { request: None, steps: vec![step("Bash", "", "", true); CALLS] };
    let request = distill_prompt(&empty);
    let (system, prompt) = (tokens::estimate(&request.system), tokens::estimate(&request.prompt));
    println!(
        "constant: {system} tokens of instructions, {prompt} of fences, {} in all",
        request.input_tokens()
    );
    assert!(system <= 350 && prompt <= 160, "{system} {prompt}");
}

#[test]
fn an_answer_is_read_with_or_without_its_wrapping() {
    let one = claim(&json!({})).to_string();
    for answer in [
        json!({"observations": [claim(&json!({}))]}).to_string(),
        format!("[{one}]"),
        one.clone(),
        format!("Here are the observations:\n```json\n[{one}]\n```\nLet me know!"),
        format!("<think>steps {{1}} [2, 3]</think>\n{{\"observations\": [{one}]}}"),
        format!("{one}\n{{\"note\": \"no observation\"}}"),
    ] {
        assert_eq!(titles(&answer), ["Refresh retries three times"], "{answer}");
    }
    assert!(read("[]").is_empty() && read(r#"{"observations": []}"#).is_empty());
}

#[test]
fn an_answer_that_breaks_off_gives_what_was_complete() {
    let whole = json!({"observations": [
        claim(&json!({"title": "first {with} \"signs\" ]"})), claim(&json!({"title": "second"})), claim(&json!({"title": "third"})),
    ]})
    .to_string();
    let third = whole.find("third").unwrap();
    for end in third..whole.len() - 3 {
        assert_eq!(titles(&whole[..end]), ["first {with} \"signs\" ]", "second"], "{end}");
    }
}

#[test]
fn what_is_no_answer_is_garbage() {
    for answer in [
        "",
        "I cannot help with that.",
        "fn main() { }",
        "{\"observations\": [{\"kind\": \"bug",
        "[1, 2]",
        "{}",
    ] {
        assert!(matches!(parse(answer, &batch()), Err(ProviderError::Garbage { .. })), "{answer}");
    }
}

#[test]
fn an_observation_without_a_kind_of_ours_a_title_or_evidence_is_dropped() {
    for fields in [
        json!({"kind": "summary"}),
        json!({"kind": "epiphany"}),
        json!({"kind": 3}),
        json!({"title": " \u{200b}"}),
        json!({"steps": []}),
        json!({"steps": [4, 99]}),
        json!({"steps": [-1]}),
        json!({"steps": ["1"]}),
        json!({"steps": "all"}),
    ] {
        assert!(read(&claim(&fields).to_string()).is_empty(), "{fields}");
    }
    let parsed = &read(&claim(&json!({"kind": " Security", "steps": [3, 1, 3, 77]})).to_string())[0];
    assert_eq!((parsed.kind, parsed.steps.as_slice()), (MemoryKind::Security, [1, 3].as_slice()));
}

#[test]
fn a_file_is_believed_only_when_a_cited_step_names_it() {
    let files = |fields: Value| {
        let parsed = read(&claim(&fields).to_string()).remove(0);
        (parsed.files_read, parsed.files_modified)
    };
    let (token, gateway) = ("/p/src/token.rs".to_owned(), "src/gateway.rs".to_owned());
    // Invented, a part of a name, and of a step that is not cited.
    let claimed = json!(["/p/src/token.rs", "/etc/passwd", "oken.rs", "token", "src/gateway.rs"]);
    assert_eq!(files(json!({"files_modified": claimed, "steps": [1]})), (vec![], vec![token.clone()]));
    // The last parts of a path are the path.
    assert_eq!(files(json!({"files_modified": ["src/token.rs"], "steps": [1]})).1, ["src/token.rs"]);
    // Read, or named by a step that failed, is not modified.
    assert_eq!(files(json!({"files_modified": [token], "steps": [0]})), (vec![token.clone()], vec![]));
    assert_eq!(files(json!({"files_modified": [gateway], "steps": [2]})), (vec![gateway], vec![]));
    assert_eq!(files(json!({"files_read": token, "steps": [0]})).0, [token]);
}

#[test]
fn a_fact_is_believed_only_with_what_was_recorded() {
    let facts = |claimed: &[&str]| {
        read(&claim(&json!({"facts": claimed, "steps": [1, 3]})).to_string()).remove(0).facts
    };
    let borne_out = [
        "`retry(3)` was added to /p/src/token.rs.",
        "cargo test -p auth: 12 passed",
        "The gateway is slow, e.g. at night, and/or overloaded.",
    ];
    assert_eq!(facts(&borne_out), borne_out);
    let invented = [
        "13 tests passed",
        "see src/other.rs",
        "set MAX_RETRIES",
        "src/gateway.rs is to blame (of a step that is not cited)",
        "kept in /etc/throughline",
    ];
    assert!(facts(&invented).is_empty(), "{:?}", facts(&invented));
}

#[test]
fn a_path_is_found_in_escaped_text() {
    let batch = Batch {
        request: None,
        steps: vec![step("Edit", r#"{"file_path":"C:\\p\\a.rs","diff":"x\nsrc/b.rs"}"#, "", true)],
    };
    let answer = claim(&json!({"files_modified": ["C:\\p\\a.rs", "src/b.rs"], "steps": [0]})).to_string();
    assert_eq!(parse(&answer, &batch).unwrap()[0].files_modified, ["C:\\p\\a.rs", "src/b.rs"]);
}

#[test]
fn words_of_a_model_are_bounded_and_plain() {
    let long = "wörter ".repeat(5_000);
    let answer = claim(&json!({
        "title": format!("a\u{1b}[31m\u{202e}b\n{long}"), "narrative": long, "facts": vec!["f"; 500],
        "concepts": (0..500).map(|n| n.to_string()).collect::<Vec<_>>(), "subtitle": 7,
    }));
    let parsed = &read(&answer.to_string())[0];
    assert!(parsed.title.starts_with("ab wörter") && parsed.title.len() <= 160);
    assert!(parsed.narrative.len() <= 3_000 && parsed.subtitle.is_empty());
    assert_eq!((parsed.facts.len(), parsed.concepts.len()), (1, 8));
}

#[test]
fn a_hostile_answer_costs_no_time() {
    let begun = std::time::Instant::now();
    for answer in
        ["{".repeat(4 << 20), "[".repeat(4 << 20), "{\"a\":".repeat(1 << 20), "[{\"kind\":1,".repeat(300_000)]
    {
        let _ = parse(&answer, &batch());
    }
    // Quadratic would be hours; the bound is wide for a busy machine.
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_a_model_says_it_cites_steps_and_names_their_files(text in ".{0,400}", at in 0_usize..600, file in "[a-z./\\\\\"]{1,12}") {
        let mut answer = json!({"observations": [claim(&json!({"files_modified": [file], "steps": [0, 1, 2, 3]}))]}).to_string();
        let at = (0..=at.min(answer.len())).rev().find(|&at| answer.is_char_boundary(at)).unwrap();
        answer.insert_str(at, &text);
        if let Ok(found) = parse(&answer, &batch()) {
            for parsed in found {
                prop_assert!(!parsed.steps.is_empty() && parsed.steps.iter().all(|&step| step < 4));
                let all = batch().steps.iter().map(|step| format!("{}{}", step.input, step.output)).collect::<Vec<_>>().concat();
                for file in parsed.files_read.iter().chain(&parsed.files_modified) {
                    prop_assert!(all.contains(file.as_str()) || all.contains(&file.replace('\\', "\\\\").replace('"', "\\\"")));
                }
            }
        }
    }

    #[test]
    fn any_material_stays_between_its_fences(input in "\\PC{0,300}", output in ".{0,300}", asked in ".{0,80}") {
        let batch = Batch { request: Some(asked), steps: vec![step("Bash", &input, &output, false); 3] };
        let request = distill_prompt(&batch);
        let mark = request.prompt[2..7].to_owned();
        let lines: Vec<&str> = request.prompt.lines().filter(|line| line.contains(&mark)).collect();
        prop_assert_eq!(lines[0], format!("<<{mark}"));
        prop_assert_eq!(lines[lines.len() - 1], format!("{mark}>>"));
        prop_assert_eq!(lines.iter().filter(|line| line.ends_with(" Bash failed")).count(), 3);
        prop_assert!(lines.len() <= 2 + 1 + 3 * 2);
    }
}
