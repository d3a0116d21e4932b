//! What each dialect says and understands.

use providers::{Anthropic, Completion, Model, Ollama, OpenAi, ProviderError};
use serde_json::{Value, json};

use crate::server::{Answer, SECRET, Server, request, soon};

fn said(text: &str, input_tokens: u64, output_tokens: u64) -> Completion {
    Completion { text: text.to_owned(), input_tokens, output_tokens }
}

#[test]
fn the_messages_api_is_spoken() {
    let server = Server::playing(vec![Answer::Json(
        200,
        json!({
            "type": "message", "stop_reason": "end_turn",
            "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "It "}, {"type": "text", "text": "broke."}],
            "usage": {"input_tokens": 11, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 1, "output_tokens": 4},
        }),
    )]);
    let model = Anthropic::new(server.endpoint(), "claude-haiku-4-5");
    assert_eq!(model.name(), "anthropic:claude-haiku-4-5");
    assert_eq!(model.complete(&request(), soon()).unwrap(), said("It broke.", 42, 4));
    let heard = &server.heard()[0];
    assert_eq!(heard.line, "POST /v1/messages HTTP/1.1");
    assert_eq!(heard.header("x-api-key"), Some(SECRET));
    assert_eq!(heard.header("authorization"), None);
    assert_eq!(heard.header("anthropic-version"), Some("2023-06-01"));
    let expected = json!({
        "model": "claude-haiku-4-5", "max_tokens": 500, "system": "Be brief.",
        "messages": [{"role": "user", "content": "What happened?"}],
    });
    assert_eq!(heard.body, expected);
}

fn choice(content: &Value, finish: &str) -> Value {
    json!({"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": finish}],
           "usage": {"prompt_tokens": 12, "completion_tokens": 3}})
}

#[test]
fn chat_completions_are_spoken() {
    let server = Server::playing(vec![Answer::Json(200, choice(&json!("It broke."), "stop"))]);
    let model = OpenAi::new(server.endpoint(), "gpt-x");
    let mut request = request();
    request.schema = Some(json!({"type": "object"}));
    assert_eq!(model.complete(&request, soon()).unwrap(), said("It broke.", 12, 3));
    let heard = &server.heard()[0];
    assert_eq!(heard.line, "POST /chat/completions HTTP/1.1");
    assert_eq!(heard.header("authorization"), Some(format!("Bearer {SECRET}").as_str()));
    assert_eq!(heard.body["max_tokens"], 500);
    assert_eq!(heard.body["messages"][0]["role"], "system");
    assert_eq!(heard.body["response_format"]["json_schema"]["schema"], json!({"type": "object"}));
}

#[test]
fn what_a_compatible_server_does_not_know_is_learned_once() {
    let complains = |said: &str| Answer::Json(400, json!({"error": {"message": said}}));
    let server = Server::playing(vec![
        complains("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        complains("response_format of type json_schema is not supported"),
        Answer::Json(200, choice(&json!("[]"), "stop")),
    ]);
    let model = OpenAi::new(server.endpoint(), "gpt-x");
    let mut request = request();
    request.schema = Some(json!({"type": "object"}));
    for _ in 0..2 {
        assert_eq!(model.complete(&request, soon()).unwrap().text, "[]");
    }
    let heard = server.heard();
    assert_eq!(heard.len(), 4, "three to learn, one that knows");
    for body in heard[2..].iter().map(|heard| &heard.body) {
        assert_eq!(body["max_completion_tokens"], 500);
        assert!(body.get("max_tokens").is_none() && body.get("response_format").is_none());
    }
}

#[test]
fn a_server_that_only_complains_is_not_asked_for_ever() {
    let complaint = json!({"error": {"message": "response_format and max_completion_tokens are bad"}});
    let server = Server::playing(vec![Answer::Json(400, complaint)]);
    let model = OpenAi::new(server.endpoint(), "gpt-x");
    let mut request = request();
    request.schema = Some(json!({}));
    assert!(matches!(model.complete(&request, soon()), Err(ProviderError::Rejected { .. })));
    assert!(server.heard().len() <= 3);
}

#[test]
fn ollama_is_spoken_with_a_context_that_holds_the_prompt() {
    let server = Server::playing(vec![Answer::Json(
        200,
        json!({"message": {"role": "assistant", "content": "It broke."}, "done": true, "done_reason": "stop",
               "prompt_eval_count": 9, "eval_count": 3}),
    )]);
    let model = Ollama::new(server.endpoint(), "qwen3:4b");
    let mut request = request();
    request.prompt = "word ".repeat(8_000);
    request.schema = Some(json!({"type": "object"}));
    assert_eq!(model.complete(&request, soon()).unwrap(), said("It broke.", 9, 3));
    let heard = &server.heard()[0];
    assert_eq!(heard.line, "POST /api/chat HTTP/1.1");
    assert_eq!(heard.body["stream"], false);
    assert_eq!(heard.body["format"], json!({"type": "object"}));
    assert_eq!(heard.body["options"], json!({"num_ctx": 16_384, "num_predict": 500}));
    request.prompt = "word ".repeat(50_000);
    assert_eq!(model.complete(&request, soon()), Err(ProviderError::TooLarge), "never cut silently");
    assert_eq!(server.heard().len(), 1);
}

#[test]
fn a_server_that_counts_nothing_is_not_free() {
    let server = Server::playing(vec![Answer::Json(
        200,
        json!({"choices": [{"message": {"content": "four words of text"}}], "usage": null}),
    )]);
    let result = OpenAi::new(server.endpoint(), "x").complete(&request(), soon());
    assert!(matches!(result, Ok(Completion { input_tokens: 1.., output_tokens: 1.., .. })), "{result:?}");
}

#[test]
fn a_refusal_is_a_refusal_in_every_dialect() {
    let refused = Err(ProviderError::Refused);
    let server = Server::playing(vec![Answer::Json(
        200,
        json!({"content": [{"type": "text", "text": "I"}], "stop_reason": "refusal", "usage": {}}),
    )]);
    assert_eq!(Anthropic::new(server.endpoint(), "m").complete(&request(), soon()), refused);
    for answer in [
        json!({"choices": [{"message": {"content": null, "refusal": "I cannot."}, "finish_reason": "stop"}]}),
        choice(&json!("…"), "content_filter"),
    ] {
        let server = Server::playing(vec![Answer::Json(200, answer)]);
        assert_eq!(OpenAi::new(server.endpoint(), "m").complete(&request(), soon()), refused);
    }
}
