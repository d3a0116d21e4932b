//! One exchange of JSON: bounded, within a deadline, and every ending of it named. Knows no dialect.

use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::Value;
use ureq::http::{HeaderMap, HeaderValue, StatusCode};

use crate::{Endpoint, ProviderError};

/// A complaint is a few lines; a proxy's error page is a few kilobytes.
const MAX_COMPLAINT_BYTES: u64 = 64 * 1024;
/// What of a complaint is kept: enough for the sentence that says what is wrong, too little for a page of HTML.
const MAX_DETAIL_CHARS: usize = 300;
/// Longer waits than this are not believed; a provider that is closed until tomorrow says so again in an hour.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(1);

/// How a dialect presents the key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Auth {
    Bearer,
    XApiKey,
}

impl Endpoint {
    /// Posts `body` to `path` and reads a `T` of at most `max_bytes`, both before `until`.
    pub(crate) fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        auth: Auth,
        headers: &[(&'static str, &'static str)],
        body: &Value,
        max_bytes: u64,
        until: Instant,
    ) -> Result<T, ProviderError> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ProviderError::Timeout);
        }
        let mut request = self.agent.post(self.url(path)).config().timeout_global(Some(left)).build();
        request = request.header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, HeaderValue::from_static(value));
        }
        if let Some(key) = &self.key {
            request = match auth {
                Auth::Bearer => request.header("authorization", key.header("Bearer ")),
                Auth::XApiKey => request.header("x-api-key", key.header("")),
            };
        }
        let mut response = request.send(body.to_string().as_bytes()).map_err(|error| trouble(&error))?;
        let status = response.status();
        let limit = if status.is_success() { max_bytes } else { MAX_COMPLAINT_BYTES };
        let bytes = response.body_mut().with_config().limit(limit).read_to_vec();
        if !status.is_success() {
            // A complaint that is too long or breaks off still has its status.
            let detail = self.blotted(&complaint(&bytes.unwrap_or_default()));
            return Err(refusal(status, detail, retry_after(response.headers())));
        }
        let bytes = bytes.map_err(|error| trouble(&error))?;
        serde_json::from_slice(&bytes)
            .map_err(|error| ProviderError::garbage(self.blotted(&tidy(&error.to_string()))))
    }

    fn blotted(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.blot_out(text))
    }
}

/// What an unsuccessful status asks of us.
pub(crate) fn refusal(status: StatusCode, detail: String, retry_after: Option<Duration>) -> ProviderError {
    // Quotas and balances come as 400, 402, 403 or 429; whichever, waiting a minute does not fill them.
    if says(&detail, &["insufficient_quota", "exceeded your current quota", "credit balance", "billing"]) {
        return ProviderError::Unauthorized { detail };
    }
    match status.as_u16() {
        401..=403 => ProviderError::Unauthorized { detail },
        413 => ProviderError::TooLarge,
        400 | 422 | 500 if is_about_length(&detail) => ProviderError::TooLarge,
        // Ollama's way to say that one text of a batch gave no numbers: not a server in trouble.
        500 if says(&detail, &["unsupported value"]) => ProviderError::rejected(detail),
        408 | 409 | 425 | 429 | 500.. => ProviderError::Busy { retry_after },
        300..400 => {
            ProviderError::rejected(format!("it redirects ({status}), and a redirect is not followed"))
        }
        _ if detail.is_empty() => ProviderError::rejected(status.to_string()),
        _ => ProviderError::rejected(format!("{status}: {detail}")),
    }
}

/// The words of the providers in use for "this is more than the model reads".
fn is_about_length(detail: &str) -> bool {
    const WORDS: &[&str] = &[
        "context_length",
        "context length",
        "context window",
        "context size",
        "prompt is too long",
        "too many tokens",
        "maximum input length",
        "exceeds the maximum",
        "too large to process",
        "reduce the length",
        "maximum context",
    ];
    says(detail, WORDS)
}

pub(crate) fn says(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

fn trouble(error: &ureq::Error) -> ProviderError {
    match error {
        ureq::Error::Timeout(_) => ProviderError::Timeout,
        ureq::Error::BodyExceedsLimit(limit) => {
            ProviderError::garbage(format!("the answer is longer than {limit} bytes"))
        }
        ureq::Error::Protocol(_) | ureq::Error::Http(_) => ProviderError::garbage(tidy(&error.to_string())),
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => ProviderError::Timeout,
        _ => ProviderError::unreachable(tidy(&error.to_string())),
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    // The form with a date is not used by the providers we know, and would need a clock that agrees with theirs.
    let seconds: f64 = headers.get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0)
        .then(|| Duration::from_secs_f64(seconds.min(MAX_RETRY_AFTER.as_secs_f64())))
}

/// The sentence in an error body: `{"error": {"message", "type" or "code"}}`, `{"error": "…"}`, or plain text.
fn complaint(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return tidy(&text) };
    let error = value.get("error").unwrap_or(&value);
    let word = |key: &str| error.get(key).and_then(Value::as_str);
    let message = error.as_str().or_else(|| word("message")).or_else(|| word("detail")).unwrap_or_default();
    match word("code").or_else(|| word("type")) {
        Some(code) => tidy(&format!("{message} ({code})")),
        None => tidy(message),
    }
}

/// One line of plain text, bounded: it ends in a log and on a terminal.
pub(crate) fn tidy(text: &str) -> String {
    let words = text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    let mut line = words.take(MAX_DETAIL_CHARS).collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(MAX_DETAIL_CHARS) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(code: u16, detail: &str) -> ProviderError {
        refusal(StatusCode::from_u16(code).unwrap(), detail.to_owned(), None)
    }

    #[test]
    fn a_status_is_named_for_what_to_do_about_it() {
        for code in [408, 429, 500, 502, 503, 504, 529] {
            assert_eq!(status(code, ""), ProviderError::Busy { retry_after: None }, "{code}");
        }
        for code in [401, 402, 403] {
            assert!(matches!(status(code, ""), ProviderError::Unauthorized { .. }), "{code}");
        }
        for code in [301, 307, 400, 404, 405] {
            assert!(matches!(status(code, ""), ProviderError::Rejected { .. }), "{code}");
        }
        assert_eq!(status(413, ""), ProviderError::TooLarge);
    }

    #[test]
    fn the_complaints_of_the_providers_are_understood() {
        for said in [
            "prompt is too long: 210000 tokens > 200000 maximum (invalid_request_error)",
            "This model's maximum context length is 8192 tokens (context_length_exceeded)",
            "the input length exceeds the context length",
            "request (9000 tokens) exceeds the available context size",
        ] {
            assert_eq!(status(400, said), ProviderError::TooLarge, "{said}");
        }
        for (code, said) in
            [(429, "You exceeded your current quota"), (400, "Your credit balance is too low")]
        {
            assert!(matches!(status(code, said), ProviderError::Unauthorized { .. }), "{said}");
        }
    }

    #[test]
    fn a_complaint_is_one_bounded_line_whatever_its_form() {
        let check = |body: &str, line: &str| assert_eq!(complaint(body.as_bytes()), line);
        check(
            r#"{"error":{"message":"no\nsuch model","type":"not_found_error"}}"#,
            "no such model (not_found_error)",
        );
        check(r#"{"error":"model \"x\" not found"}"#, r#"model "x" not found"#);
        check(r#"{"detail":"nope"}"#, "nope");
        check("<html>\u{1b}[31m bad</html>", "<html> [31m bad</html>");
        assert!(complaint("ä".repeat(10_000).as_bytes()).chars().count() <= MAX_DETAIL_CHARS + 1);
    }

    #[test]
    fn a_wish_to_wait_is_read_and_bounded() {
        let after = |text: &'static str| {
            retry_after(&HeaderMap::from_iter([(
                ureq::http::header::RETRY_AFTER,
                HeaderValue::from_static(text),
            )]))
        };
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        assert_eq!(after("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(after("999999999"), Some(MAX_RETRY_AFTER));
        for nonsense in ["-1", "inf", "NaN", "Wed, 21 Oct 2026 07:28:00 GMT", ""] {
            assert_eq!(after(nonsense), None, "{nonsense}");
        }
    }
}
