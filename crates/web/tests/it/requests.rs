//! Every request a stranger, a page or a program of the person may send, and what each is told.

use serde_json::json;

use crate::world::World;

/// How the head of a request goes on after its first line, for somebody who may come in.
const OURS: &str = "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\nConnection: close\r\n";
const NOBODY: &str = "Host: 127.0.0.1:PORT\r\nConnection: close\r\n";
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

struct Case {
    says: &'static str,
    request: String,
    status: u16,
}

fn case(says: &'static str, status: u16, request: &str) -> Case {
    Case { says, request: request.to_owned(), status }
}

fn get(says: &'static str, status: u16, path: &str, headers: &str) -> Case {
    case(says, status, &format!("GET {path} HTTP/1.1\r\n{headers}\r\n"))
}

/// `INITIALIZE` to `/mcp`, with these headers on top of what a client sends.
fn begin(says: &'static str, status: u16, headers: &str) -> Case {
    let length = INITIALIZE.len();
    case(
        says,
        status,
        &format!(
            "POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n{headers}\r\n{INITIALIZE}"
        ),
    )
}

fn allowed() -> Vec<Case> {
    vec![
        get("health needs no token", 200, "/health", NOBODY),
        get("localhost is our name", 200, "/health", "Host: localhost:PORT\r\nConnection: close\r\n"),
        get("in any case of letters", 200, "/health", "Host: LOCALHOST:PORT\r\nConnection: close\r\n"),
        get("and so is ::1", 200, "/health", "Host: [::1]:PORT\r\nConnection: close\r\n"),
        case("an old client that says Host", 200, &format!("GET /health HTTP/1.0\r\n{NOBODY}\r\n")),
        case(
            "an address in full",
            200,
            &format!("GET http://127.0.0.1:PORT/health HTTP/1.1\r\n{NOBODY}\r\n"),
        ),
        get("the status with a token", 200, "/api/v1/status", OURS),
        get(
            "a page of our own",
            200,
            "/api/v1/status",
            &format!("{OURS}Origin: http://localhost:PORT\r\nSec-Fetch-Site: same-origin\r\n"),
        ),
        get("a person at the address bar", 200, "/api/v1/status", &format!("{OURS}Sec-Fetch-Site: none\r\n")),
        get(
            "bearer in small letters",
            200,
            "/api/v1/status",
            "Host: 127.0.0.1:PORT\r\nauthorization: bearer TOKEN\r\nConnection: close\r\n",
        ),
        begin("a session of the protocol", 200, "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\n"),
    ]
}

fn without_a_token() -> Vec<Case> {
    let with = |said: &str| format!("Host: 127.0.0.1:PORT\r\nConnection: close\r\nAuthorization: {said}\r\n");
    vec![
        get("no token", 401, "/api/v1/status", NOBODY),
        get("an empty one", 401, "/api/v1/status", &with("Bearer ")),
        get("a wrong one", 401, "/api/v1/status", &with(&format!("Bearer {}", "0".repeat(64)))),
        get("one that begins right", 401, "/api/v1/status", &with("Bearer TOKEN0")),
        get("the right one under another scheme", 401, "/api/v1/status", &with("Basic TOKEN")),
        get("in the address", 401, "/api/v1/status?token=TOKEN", NOBODY),
        get("in a cookie", 401, "/api/v1/status", &format!("{NOBODY}Cookie: token=TOKEN\r\n")),
        get("two of them", 400, "/api/v1/status", &format!("{OURS}Authorization: Bearer x\r\n")),
        get("a path that is not there", 401, "/no/such/path", NOBODY),
        get("health with something behind it", 401, "/health/../api/v1/status", NOBODY),
        get("health, escaped", 401, "/%68ealth", NOBODY),
        case(
            "health that would change something",
            401,
            &format!("POST /health HTTP/1.1\r\n{NOBODY}Content-Length: 0\r\n\r\n"),
        ),
        begin("the protocol without a token", 401, "Host: 127.0.0.1:PORT\r\n"),
        case(
            "the end of a session without a token",
            401,
            &format!("DELETE /mcp HTTP/1.1\r\n{NOBODY}Mcp-Session-Id: x\r\n\r\n"),
        ),
    ]
}

fn from_other_names() -> Vec<Case> {
    let host = |name: &str| format!("Host: {name}\r\nAuthorization: Bearer TOKEN\r\nConnection: close\r\n");
    vec![
        get("no name", 421, "/health", "Connection: close\r\n"),
        case("no name in an old request", 421, "GET /health HTTP/1.0\r\n\r\n"),
        get("a name that an attacker points here", 421, "/health", &host("attacker.example:PORT")),
        get("one that begins like ours", 421, "/health", &host("127.0.0.1.attacker.example:PORT")),
        get("one that ends like ours", 421, "/health", &host("x.localhost:PORT")),
        get("ours with a dot", 421, "/health", &host("localhost.:PORT")),
        get("ours without the port", 421, "/health", &host("127.0.0.1")),
        get("ours with another port", 421, "/health", &host("127.0.0.1:1")),
        get("our address in other figures", 421, "/health", &host("2130706433:PORT")),
        get("every address at once", 421, "/health", &host("0.0.0.0:PORT")),
        get("somebody before ours", 421, "/health", &host("user@127.0.0.1:PORT")),
        get("two names", 400, "/health", &format!("{NOBODY}Host: attacker.example\r\n")),
        case(
            "an address in full that is another's",
            421,
            &format!("GET http://attacker.example/health HTTP/1.1\r\n{NOBODY}\r\n"),
        ),
        begin(
            "the protocol under another name",
            421,
            "Host: rebound.attacker.example:PORT\r\nAuthorization: Bearer TOKEN\r\n",
        ),
    ]
}

fn from_other_pages() -> Vec<Case> {
    let origin = |page: &str| format!("{OURS}Origin: {page}\r\n");
    let ours = "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\n";
    vec![
        get("another page", 403, "/health", &origin("https://attacker.example")),
        get("a page without an origin", 403, "/health", &origin("null")),
        get("a page of another program here", 403, "/health", &origin("http://127.0.0.1:3000")),
        get("ours, but encrypted", 403, "/health", &origin("https://127.0.0.1:PORT")),
        get("an empty one", 403, "/health", &origin("")),
        get(
            "a page elsewhere, as its browser says",
            403,
            "/health",
            &format!("{OURS}Sec-Fetch-Site: cross-site\r\n"),
        ),
        get("another program's page here", 403, "/health", &format!("{OURS}Sec-Fetch-Site: same-site\r\n")),
        case(
            "the question before a foreign request",
            403,
            &format!(
                "OPTIONS /mcp HTTP/1.1\r\n{NOBODY}Origin: https://attacker.example\r\nAccess-Control-Request-Method: POST\r\n\r\n"
            ),
        ),
        begin("the protocol from another page", 403, &format!("{ours}Origin: https://attacker.example\r\n")),
        begin("the protocol from a file", 403, &format!("{ours}Origin: null\r\n")),
        begin("the protocol from a page elsewhere", 403, &format!("{ours}Sec-Fetch-Site: cross-site\r\n")),
    ]
}

fn nonsense() -> Vec<Case> {
    let post = |path: &str, rest: &str| format!("POST {path} HTTP/1.1\r\n{OURS}{rest}");
    let json = "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";
    vec![
        get("nothing is there", 404, "/no/such/path", OURS),
        get("a way out", 404, "/api/v1/../../../../etc/passwd", OURS),
        get("an escaped way out", 404, "/%2e%2e/%2e%2e/etc/passwd", OURS),
        case("what is only read is not written", 405, &post("/api/v1/status", "Content-Length: 0\r\n\r\n")),
        case("nor removed", 405, &format!("DELETE /api/v1/status HTTP/1.1\r\n{OURS}\r\n")),
        case(
            "the protocol has no such method",
            405,
            &format!("PUT /mcp HTTP/1.1\r\n{OURS}Content-Length: 0\r\n\r\n"),
        ),
        case(
            "a form",
            415,
            &post(
                "/mcp",
                "Accept: application/json, text/event-stream\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
            ),
        ),
        case(
            "a client that takes no stream",
            406,
            &post("/mcp", "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"),
        ),
        case(
            "a session nobody has",
            404,
            &post(
                "/mcp",
                &format!(
                    "{json}Mcp-Session-Id: nobody\r\nContent-Length: 40\r\n\r\n{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}"
                ),
            ),
        ),
        case(
            "a body that is said to be too large",
            413,
            &post("/mcp", &format!("{json}Content-Length: 1048577\r\n\r\n")),
        ),
        case("two lengths", 400, &post("/mcp", "Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}")),
        case(
            "of a length and pieces the pieces count",
            406,
            &post("/mcp", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ),
        case("a length below nothing", 400, &post("/mcp", "Content-Length: -1\r\n\r\n")),
        case("pieces without a length", 400, &post("/mcp", "Transfer-Encoding: chunked\r\n\r\nzz\r\n")),
        case("no HTTP", 400, "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        case("another version of it", 400, &format!("GET /health HTTP/9.9\r\n{NOBODY}\r\n")),
        get("too many headers", 431, "/health", &format!("{NOBODY}{}", "X: y\r\n".repeat(100))),
        get(
            "a header beyond reason",
            431,
            "/health",
            &format!("{NOBODY}X-Long: {}\r\n", "x".repeat(64 << 10)),
        ),
    ]
}

#[test]
fn every_request_gets_the_answer_of_the_table() {
    let world = World::new();
    let tables = [allowed(), without_a_token(), from_other_names(), from_other_pages(), nonsense()];
    let cases: Vec<Case> = tables.into_iter().flatten().collect();
    assert!(cases.len() >= 60, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let answer = world.send(&case.request);
        if answer.status() != case.status {
            wrong.push(format!(
                "{}: {} instead of {}\n{}",
                case.says,
                answer.status(),
                case.status,
                answer.0
            ));
        }
        assert!(!answer.0.contains(&world.token), "{}: {}", case.says, answer.0);
        assert!(!answer.0.to_lowercase().contains("access-control-allow"), "{}: {}", case.says, answer.0);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn who_is_not_let_in_hears_what_to_do_and_nothing_else() {
    let world = World::new();
    for case in without_a_token().iter().chain(&from_other_names()).chain(&from_other_pages()) {
        let answer = world.send(&case.request);
        assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{}", case.says);
        let problem = answer.json();
        assert_eq!(problem["status"], case.status, "{}", case.says);
        assert!(problem["title"].is_string() && problem["detail"].is_string(), "{}", case.says);
        for repeated in ["attacker", "1.2.3", "pid"] {
            assert!(!answer.body().contains(repeated), "{}: {}", case.says, answer.0);
        }
    }
    let answer = world.send(&format!("GET /api/v1/status HTTP/1.1\r\n{NOBODY}\r\n"));
    assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"throughline\""));
    assert!(answer.json()["detail"].as_str().unwrap().contains("`throughline mcp --http`"));
}

#[test]
fn what_is_asked_is_answered_and_a_browser_is_told_what_it_may_not_do() {
    let world = World::new();
    let health = world.send(&format!("GET /health HTTP/1.1\r\n{NOBODY}\r\n"));
    assert_eq!(health.json(), json!({ "ok": true, "version": "1.2.3" }));
    let status = world.send(&format!("GET /api/v1/status HTTP/1.1\r\n{OURS}\r\n"));
    assert_eq!(status.json()["pid"], 7);
    for answer in [health, status] {
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
        assert!(answer.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
    }
    let other = world.send(&format!("POST /api/v1/status HTTP/1.1\r\n{OURS}Content-Length: 0\r\n\r\n"));
    assert_eq!(other.header("allow"), Some("GET,HEAD"));
}
