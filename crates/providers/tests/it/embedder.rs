//! Remote embedders: order, length, and one bad text among good ones.

use providers::ProviderError;
use providers::embedder::{Dialect, RemoteEmbedder};
use serde_json::{Value, json};

use crate::server::{Answer, Server, at_once, soon};

const BOTH: [Dialect; 2] = [Dialect::OpenAi, Dialect::Ollama];

/// A server whose vector for a text is `[len, 1, 0]`, or whatever `fails` says of the whole input.
fn server(dialect: Dialect, fails: fn(&[&str]) -> Option<Answer>) -> Server {
    Server::answering(move |body| {
        let texts: Vec<&str> =
            body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
        fails(&texts).unwrap_or_else(|| {
            let vectors: Vec<Value> = texts.iter().map(|text| json!([text.len(), 1, 0])).collect();
            Answer::Json(200, wrap(dialect, &vectors))
        })
    })
}

fn wrap(dialect: Dialect, vectors: &[Value]) -> Value {
    match dialect {
        // Out of order on purpose: the index counts.
        Dialect::OpenAi => {
            let data = vectors.iter().enumerate().rev();
            json!({"data": data.map(|(index, vector)| json!({"index": index, "embedding": vector})).collect::<Vec<_>>()})
        }
        Dialect::Ollama => json!({"embeddings": vectors}),
    }
}

fn embedder(dialect: Dialect, server: &Server) -> RemoteEmbedder {
    RemoteEmbedder::new(dialect, server.endpoint(), "m", 3)
}

fn expected(length: f64) -> Vec<f32> {
    let norm = length.hypot(1.0);
    vec![(length / norm) as f32, (1.0 / norm) as f32, 0.0]
}

#[test]
fn every_text_has_its_vector_of_length_one_in_order() {
    for dialect in BOTH {
        let server = server(dialect, |_| None);
        let texts: Vec<String> = (1..=70).map(|n| "x".repeat(n)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = embedder(dialect, &server).embed(&texts, soon()).unwrap();
        for (n, vector) in vectors.into_iter().enumerate() {
            let (vector, expected) = (vector.unwrap(), expected(n as f64 + 1.0));
            assert!(vector.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6), "{n}: {vector:?}");
        }
        assert_eq!(server.heard().len(), 3, "32, 32 and 6");
    }
    assert_eq!(embedder(Dialect::Ollama, &server(Dialect::Ollama, |_| None)).name(), "ollama:m:3");
}

#[test]
fn nothing_asks_nobody_and_an_empty_text_has_no_vector() {
    let server = server(Dialect::OpenAi, |_| None);
    let embedder = embedder(Dialect::OpenAi, &server);
    assert_eq!(embedder.embed(&[], soon()).unwrap(), Vec::<Option<Vec<f32>>>::new());
    assert_eq!(embedder.embed(&["", " \n"], soon()).unwrap(), [None, None]);
    assert!(server.heard().is_empty());
    assert_eq!(embedder.embed(&["", "a"], soon()).unwrap(), [None, Some(expected(1.0))]);
}

#[test]
fn one_bad_text_never_fails_the_batch() {
    for dialect in BOTH {
        for fails in [
            (|texts| texts.contains(&"bad").then(|| Answer::Json(400, json!({"error": "invalid input"}))))
                as fn(&[&str]) -> _,
            |texts| {
                let said = "failed to encode response: json: unsupported value: NaN";
                texts.contains(&"bad").then(|| Answer::Json(500, json!({"error": said})))
            },
        ] {
            let server = server(dialect, fails);
            let texts = ["aa", "bb", "bad", "cc", "dd", "ee", "ff", "gg"];
            let vectors = embedder(dialect, &server).embed(&texts, soon()).unwrap();
            assert_eq!(vectors.iter().filter(|vector| vector.is_none()).count(), 1);
            assert!(vectors[2].is_none());
            assert!(server.heard().len() <= 16, "{}", server.heard().len());
        }
    }
}

#[test]
fn a_vector_that_points_nowhere_or_holds_no_number_is_none() {
    let server = Server::answering(|body| {
        let texts = body["input"].as_array().unwrap();
        let vector = |text: &Value| match text.as_str() {
            Some("zero") => json!([0, 0, 0]),
            Some("null") => json!([1, null, 0]),
            Some("huge") => json!([1e39, 1, 1]),
            _ => json!([3, 1, 0]),
        };
        Answer::Json(200, json!({"embeddings": texts.iter().map(vector).collect::<Vec<_>>()}))
    });
    let vectors =
        embedder(Dialect::Ollama, &server).embed(&["zero", "fine", "null", "huge"], soon()).unwrap();
    assert_eq!(vectors, [None, Some(expected(3.0)), None, None]);
}

#[test]
fn a_batch_that_is_too_long_is_halved_and_then_the_text_itself() {
    for dialect in BOTH {
        let server = server(dialect, |texts| {
            let is_long = texts.iter().map(|text| text.len()).sum::<usize>() > 1_000;
            is_long
                .then(|| Answer::Json(400, json!({"error": "the input length exceeds the context length"})))
        });
        let (long, endless) = ("x".repeat(900), "é".repeat(6_000));
        let texts = [long.as_str(), &endless, "short", &long];
        let vectors = embedder(dialect, &server).embed(&texts, soon()).unwrap();
        assert_eq!(vectors[0], Some(expected(900.0)));
        assert_eq!(vectors[1], Some(expected(750.0)), "12,000 bytes halved four times");
        assert_eq!(vectors[2], Some(expected(5.0)));
        assert!(server.heard().len() <= 16, "{}", server.heard().len());
    }
}

#[test]
fn a_text_no_length_of_which_is_taken_is_left_without_a_vector() {
    let server = server(Dialect::OpenAi, |texts| {
        texts.iter().any(|text| text.starts_with('x')).then(|| Answer::Json(413, json!({})))
    });
    let long = "x".repeat(40_000);
    let vectors = embedder(Dialect::OpenAi, &server).embed(&[&long, "y"], soon()).unwrap();
    assert_eq!(vectors, [None, Some(expected(1.0))]);
    assert_eq!(server.heard().len(), 8, "the pair, six lengths, and the other");
}

#[test]
fn another_models_vectors_are_rejected() {
    for dialect in BOTH {
        let server = server(dialect, |_| None);
        let other = RemoteEmbedder::new(dialect, server.endpoint(), "m", 4);
        let error = other.embed(&["a"], soon()).unwrap_err();
        assert!(
            matches!(&error, ProviderError::Rejected { detail } if detail.contains("3 dimensions")),
            "{error:?}"
        );
        let probed = RemoteEmbedder::probe(dialect, server.endpoint(), "m", soon()).unwrap();
        assert_eq!(probed.dimension(), 3);
    }
}

#[test]
fn what_is_wrong_with_all_is_an_error_at_once() {
    let check = |answer: Answer, most: usize| {
        let server = Server::playing(vec![answer]);
        let error = embedder(Dialect::OpenAi, &server).embed(&["a", "b", "c", "d"], soon()).unwrap_err();
        assert!(server.heard().len() <= most, "{}", server.heard().len());
        error
    };
    let missing = json!({"error": {"message": "model 'm' not found"}});
    assert!(matches!(check(Answer::Json(404, missing), 1), ProviderError::Rejected { .. }));
    assert!(matches!(check(Answer::Json(401, json!({})), 1), ProviderError::Unauthorized { .. }));
    assert_eq!(check(Answer::Json(503, json!({})), 1), ProviderError::Busy { retry_after: None });
    assert!(matches!(check(Answer::Flood, 1), ProviderError::Garbage { .. }));
    assert!(matches!(check(Answer::Json(200, json!({"data": []})), 1), ProviderError::Garbage { .. }));
    // Each text was tried alone before all of them were given up.
    assert!(matches!(check(Answer::Json(400, json!({"error": "no"})), 7), ProviderError::Rejected { .. }));
}

#[test]
fn a_server_that_never_answers_costs_the_deadline() {
    let server = Server::playing(vec![Answer::Silence]);
    assert_eq!(embedder(Dialect::Ollama, &server).embed(&["a"], at_once()), Err(ProviderError::Timeout));
}
