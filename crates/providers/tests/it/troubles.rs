//! What goes wrong between us and a provider has one name each, whichever the dialect; and ends in time.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use providers::{Anthropic, Endpoint, Key, Model, Ollama, OpenAi, ProviderError};
use serde_json::json;

use crate::server::{Answer, SECRET, Server, at_once, request, soon};

/// Every dialect, asked once, each with a server of its own that plays `answer`.
fn all(answer: &Answer, until: fn() -> Instant) -> Vec<ProviderError> {
    let server = || Server::playing(vec![answer.clone()]);
    ask(&[server(), server(), server()], until)
}

fn ask(servers: &[Server; 3], until: fn() -> Instant) -> Vec<ProviderError> {
    let models: [Box<dyn Model>; 3] = [
        Box::new(Anthropic::new(servers[0].endpoint(), "m")),
        Box::new(OpenAi::new(servers[1].endpoint(), "m")),
        Box::new(Ollama::new(servers[2].endpoint(), "m")),
    ];
    models.iter().map(|model| model.complete(&request(), until()).unwrap_err()).collect()
}

#[test]
fn a_server_that_never_answers_costs_the_deadline_and_no_more() {
    let begun = Instant::now();
    assert_eq!(all(&Answer::Silence, at_once), vec![ProviderError::Timeout; 3]);
    assert!(begun.elapsed() >= Duration::from_millis(850), "{:?}", begun.elapsed());
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
}

#[test]
fn a_server_that_drips_costs_the_deadline_and_no_more() {
    let begun = Instant::now();
    assert_eq!(all(&Answer::Drip, at_once), vec![ProviderError::Timeout; 3]);
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
}

#[test]
fn a_deadline_that_has_passed_asks_nobody() {
    let server = Server::playing(vec![Answer::Silence]);
    let result = Ollama::new(server.endpoint(), "m").complete(&request(), Instant::now());
    assert_eq!(result, Err(ProviderError::Timeout));
    assert!(server.heard().is_empty());
}

#[test]
fn a_body_without_end_is_not_read_to_its_end() {
    for error in all(&Answer::Flood, soon) {
        assert!(
            matches!(&error, ProviderError::Garbage { detail } if detail.contains("longer than")),
            "{error:?}"
        );
    }
}

#[test]
fn garbage_and_json_that_breaks_off_are_garbage() {
    for body in ["<html>hello</html>", "", "{\"content\": [{\"type\": \"te", "[]", "{}", "null"] {
        for error in all(&Answer::Text(200, "", body.to_owned()), soon) {
            assert!(matches!(error, ProviderError::Garbage { .. }), "{body}: {error:?}");
        }
    }
    for body in [json!({"content": [], "choices": [], "message": {"content": ""}})] {
        for error in all(&Answer::Json(200, body), soon) {
            assert!(matches!(error, ProviderError::Garbage { .. }), "{error:?}");
        }
    }
}

#[test]
fn a_connection_that_breaks_is_unreachable() {
    for error in all(&Answer::Short("{\"content\":"), soon) {
        assert!(matches!(error, ProviderError::Unreachable { .. }), "{error:?}");
    }
    for error in all(&Answer::Reset, soon) {
        assert!(matches!(error, ProviderError::Unreachable { .. }), "{error:?}");
    }
    for error in ask(&[Server::resetting(), Server::resetting(), Server::resetting()], soon) {
        assert!(matches!(error, ProviderError::Unreachable { .. }), "{error:?}");
    }
}

#[test]
fn nobody_there_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let endpoint = Endpoint::new(&url, None, None).unwrap();
    let error = Ollama::new(endpoint, "m").complete(&request(), soon()).unwrap_err();
    assert!(matches!(error, ProviderError::Unreachable { .. }), "{error:?}");
}

#[test]
fn an_https_address_is_spoken_to_in_tls_or_not_at_all() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let first = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut record = [0; 6];
        stream.read_exact(&mut record).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").ok();
        record
    });
    let endpoint = Endpoint::new(&url, Key::new(SECRET), None).unwrap();
    let error = Anthropic::new(endpoint, "m").complete(&request(), soon()).unwrap_err();
    assert!(matches!(error, ProviderError::Unreachable { .. }), "{error:?}");
    let record = first.join().unwrap();
    assert_eq!((record[0], record[5]), (22, 1), "a handshake that begins with a hello of the client");
}

#[test]
fn a_busy_server_says_when_to_come_back() {
    let limited = Answer::Text(429, "retry-after: 17\r\n", r#"{"error":{"message":"slow down"}}"#.to_owned());
    let busy = |retry_after| vec![ProviderError::Busy { retry_after }; 3];
    assert_eq!(all(&limited, soon), busy(Some(Duration::from_secs(17))));
    for status in [500, 503, 529] {
        assert_eq!(all(&Answer::Text(status, "", "oops".to_owned()), soon), busy(None), "{status}");
    }
}

#[test]
fn a_key_that_is_not_accepted_is_told_without_the_key() {
    let complaint =
        json!({"error": {"message": format!("invalid key {SECRET}"), "type": "authentication_error"}});
    for error in all(&Answer::Json(401, complaint), soon) {
        let ProviderError::Unauthorized { detail } = &error else { panic!("{error:?}") };
        assert_eq!(detail, "invalid key [key] (authentication_error)");
    }
}

#[test]
fn a_prompt_that_is_too_long_is_too_large() {
    let complaint = json!({"error": {"message": "prompt is too long: 9 tokens > 8 maximum"}});
    assert_eq!(all(&Answer::Json(400, complaint), soon), vec![ProviderError::TooLarge; 3]);
}

#[test]
fn a_redirect_to_another_host_is_not_followed() {
    let elsewhere = Server::playing(vec![Answer::Json(200, json!({}))]);
    let location: &'static str = format!("location: {}/stolen\r\n", elsewhere.url).leak();
    for status in [301, 302, 303, 307, 308] {
        for error in all(&Answer::Text(status, location, String::new()), soon) {
            assert!(matches!(error, ProviderError::Rejected { .. }), "{status}: {error:?}");
        }
    }
    assert!(elsewhere.heard().is_empty());
}

#[test]
fn no_error_shows_the_key() {
    let echo = Answer::Text(200, "", format!("\"{SECRET}\""));
    for error in all(&echo, soon) {
        assert!(!format!("{error:?} {error}").contains(SECRET), "{error:?}");
    }
}
