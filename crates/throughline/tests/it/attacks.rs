//! Everything that somebody who must not come in may try at the HTTP door, against a real daemon that has something to
//! hide: a page in the person's browser with the cookie that the browser adds, a program of another user, a proxy that
//! reads requests otherwise than we do. All are refused, none learns a word, and nothing has changed afterwards.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::house::House;
use crate::http_door::{body, get, port, token};
use crate::view::{cookie, page_key};

const SECRET: &str = "The vault opens at moonrise.";
const REMEMBER: &str = r#"{"text":"An attacker was here."}"#;
/// Longer than the door waits for the rest of a head.
const PATIENCE: Duration = Duration::from_secs(25);

/// What stands for what in a request: PORT, TOKEN, COOKIE (with its name), VALUE (of the cookie), MEMORY, CODE.
struct Attack {
    what: &'static str,
    request: String,
}

fn attack(what: &'static str, request: impl Into<String>) -> Attack {
    Attack { what, request: request.into() }
}

/// Any request, with the two lines that each one has.
fn raw(what: &'static str, line: &str, headers: &str, body: &str) -> Attack {
    attack(
        what,
        format!("{line} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n{headers}\r\n{body}"),
    )
}

/// A request without a key.
fn bare(what: &'static str, line: &str) -> Attack {
    raw(what, line, "", "")
}

/// What a page in the person's browser sends, to which the browser adds the cookie.
fn page(what: &'static str, line: &str, headers: &str) -> Attack {
    raw(what, line, &format!("Cookie: COOKIE\r\n{headers}"), "")
}

/// The same with a memory in its body.
fn page_writes(what: &'static str, line: &str, headers: &str) -> Attack {
    let headers = format!("Cookie: COOKIE\r\nContent-Length: {}\r\n{headers}", REMEMBER.len());
    raw(what, line, &headers, REMEMBER)
}

/// Under another name, with every key there is.
fn named(what: &'static str, host: &str) -> Attack {
    attack(
        what,
        format!(
            "GET /api/v1/memories HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nAuthorization: Bearer TOKEN\r\nCookie: COOKIE\r\n\r\n"
        ),
    )
}

const LIST: &str = "GET /api/v1/memories";
const POST: &str = "POST /api/v1/memories";
const JSON: &str = "Content-Type: application/json\r\n";
const FOREIGN: &str = "Origin: https://attacker.example\r\nSec-Fetch-Site: cross-site\r\n";

fn names() -> Vec<Attack> {
    vec![
        attack("no name", "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"),
        named("a name that an attacker points here", "attacker.example:PORT"),
        named("one that begins like ours", "127.0.0.1.attacker.example:PORT"),
        named("one that ends like ours", "attacker.localhost:PORT"),
        named("one that resolves to us everywhere", "localtest.me:PORT"),
        named("ours with a dot behind it", "localhost.:PORT"),
        named("our address with a dot", "127.0.0.1.:PORT"),
        named("somebody before ours", "attacker@127.0.0.1:PORT"),
        named("ours without the port", "localhost"),
        named("ours with another port", "localhost:1"),
        named("ours with a port that only adds up", "localhost:0PORT"),
        named("our address as one number", "2130706433:PORT"),
        named("our address, short", "127.1:PORT"),
        named("our neighbor", "127.0.0.2:PORT"),
        named("every address", "0.0.0.0:PORT"),
        named("the older in the newer", "[::ffff:127.0.0.1]:PORT"),
        named("the newer, written out", "[0:0:0:0:0:0:0:1]:PORT"),
        named("with a space", "127.0.0.1 :PORT"),
        named("nothing", ""),
        raw("two names", LIST, "Host: attacker.example\r\nAuthorization: Bearer TOKEN\r\n", ""),
        raw(
            "an address in full that is another's",
            "GET http://attacker.example/api/v1/memories",
            "Cookie: COOKIE\r\n",
            "",
        ),
        raw(
            "an address in full with somebody in it",
            "GET http://x@127.0.0.1:PORT/api/v1/memories",
            "Cookie: COOKIE\r\n",
            "",
        ),
        attack(
            "the name that a proxy was asked for",
            "GET /api/v1/memories HTTP/1.1\r\nHost: attacker.example\r\nX-Forwarded-Host: 127.0.0.1:PORT\r\nForwarded: host=127.0.0.1:PORT\r\nCookie: COOKIE\r\nConnection: close\r\n\r\n",
        ),
    ]
}

fn pages() -> Vec<Attack> {
    vec![
        page("a foreign page reads", LIST, FOREIGN),
        page(
            "a foreign image",
            LIST,
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n",
        ),
        page("a page without an origin", LIST, "Origin: null\r\n"),
        page(
            "a page of another port here",
            LIST,
            "Origin: http://127.0.0.1:3000\r\nSec-Fetch-Site: same-site\r\n",
        ),
        page("its browser says no more", LIST, "Sec-Fetch-Site: same-site\r\n"),
        page("ours, but encrypted", LIST, "Origin: https://127.0.0.1:PORT\r\n"),
        page(
            "ours, and another",
            LIST,
            "Origin: http://127.0.0.1:PORT\r\nOrigin: https://attacker.example\r\n",
        ),
        page("ours, with a path", LIST, "Origin: http://127.0.0.1:PORT/\r\n"),
        page(
            "a browser that says two things",
            LIST,
            "Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n",
        ),
        page("a foreign page listens", "GET /api/v1/stream", FOREIGN),
        page(
            "another port's page listens",
            "GET /api/v1/stream",
            "Origin: http://localhost:3000\r\nSec-Fetch-Site: same-site\r\n",
        ),
        page(
            "a foreign page frames ours",
            "GET /",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: iframe\r\n",
        ),
        page(
            "a foreign page follows a link to ours",
            "GET /",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n",
        ),
        page(
            "a foreign page runs our script",
            "GET /assets/app.js",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: script\r\n",
        ),
        page(
            "a foreign page opens a WebSocket",
            "GET /api/v1/stream",
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: https://attacker.example\r\n",
        ),
        page(
            "a script that wraps what it is given",
            "GET /api/v1/memories?callback=steal",
            "Sec-Fetch-Site: cross-site\r\n",
        ),
        page(
            "the question before a foreign request",
            "OPTIONS /api/v1/memories",
            &format!(
                "{FOREIGN}Access-Control-Request-Method: DELETE\r\nAccess-Control-Request-Headers: x-throughline\r\n"
            ),
        ),
        page(
            "the question for a private network",
            "OPTIONS /api/v1/memories",
            &format!("{FOREIGN}Access-Control-Request-Private-Network: true\r\n"),
        ),
        page("a foreign page opens a link", "GET /open/CODE", FOREIGN),
        page_writes("a form", POST, &format!("{FOREIGN}Content-Type: application/x-www-form-urlencoded\r\n")),
        page_writes(
            "a form of another port",
            POST,
            "Sec-Fetch-Site: same-site\r\nContent-Type: multipart/form-data; boundary=x\r\n",
        ),
        page_writes("JSON that calls itself text", POST, &format!("{FOREIGN}Content-Type: text/plain\r\n")),
        page_writes(
            "JSON with our header, from elsewhere",
            POST,
            &format!("{FOREIGN}{JSON}X-Throughline: viewer\r\n"),
        ),
        page_writes("a beacon", POST, "Origin: https://attacker.example\r\nContent-Type: text/plain\r\n"),
        page_writes(
            "ours without the header",
            POST,
            &format!("Origin: http://127.0.0.1:PORT\r\nSec-Fetch-Site: same-origin\r\n{JSON}"),
        ),
        page_writes("with another header", POST, &format!("{JSON}X-Throughline: 1\r\n")),
        page_writes(
            "with the header twice",
            POST,
            &format!("{JSON}X-Throughline: viewer\r\nX-Throughline: viewer\r\n"),
        ),
        page_writes(
            "ours that calls itself text",
            POST,
            "X-Throughline: viewer\r\nContent-Type: text/plain\r\n",
        ),
        page(
            "forgetting without the header",
            "DELETE /api/v1/memories/MEMORY",
            "Sec-Fetch-Site: same-origin\r\n",
        ),
        page(
            "forgetting that looks like reading",
            "GET /api/v1/memories/MEMORY",
            &format!("{FOREIGN}X-HTTP-Method-Override: DELETE\r\nX-Method-Override: DELETE\r\n"),
        ),
        page_writes("forgetting that looks like writing", POST, "X-HTTP-Method: DELETE\r\n"),
        page("a link by cookie", "POST /api/v1/links", "X-Throughline: viewer\r\nContent-Length: 0\r\n"),
        page_writes(
            "the agents' protocol by cookie",
            "POST /mcp",
            &format!("{JSON}X-Throughline: viewer\r\nAccept: application/json, text/event-stream\r\n"),
        ),
        page_writes(
            "two kinds of content",
            POST,
            "X-Throughline: viewer\r\nContent-Type: application/json\r\nContent-Type: text/plain\r\n",
        ),
        page_writes("a setting without the header", "PUT /api/v1/settings/http.port", JSON),
    ]
}

fn keys() -> Vec<Attack> {
    let with = |what, said: &str| raw(what, LIST, said, "");
    vec![
        bare("no key", LIST),
        bare("nobody listens", "GET /api/v1/stream"),
        bare("the front door", "GET /"),
        bare("the page's files", "GET /assets/app.js"),
        bare("the counters", "GET /metrics"),
        bare("what can be asked", "GET /api/v1/openapi.json"),
        bare("a worker's list", "GET /api/observations"),
        bare("a worker's stream", "GET /stream"),
        raw("a worker is told to keep something", "POST /api/memory/save", JSON, ""),
        page(
            "a worker by a page of another port",
            "GET /api/search?query=moonrise",
            "Sec-Fetch-Site: same-site\r\n",
        ),
        bare("the token in the address", "GET /api/v1/memories?token=TOKEN"),
        bare("under its other name", "GET /api/v1/memories?access_token=TOKEN&authorization=Bearer%20TOKEN"),
        with("the token in a cookie", "Cookie: token=TOKEN\r\n"),
        with("the token in our cookie", "Cookie: throughline-PORT=TOKEN\r\n"),
        with("the cookie as a token", "Authorization: Bearer VALUE\r\n"),
        with("the cookie under another name", "Cookie: throughline-1=VALUE\r\n"),
        with("the cookie of another daemon", "Cookie: throughline-PORT=OTHER\r\n"),
        with("half of the cookie", "Cookie: throughline-PORT=0\r\n"),
        with("the cookie in two headers", "Cookie: a=b\r\nCookie: COOKIE\r\n"),
        with("the token as a password", "Authorization: Basic TOKEN\r\n"),
        with("two tokens", "Authorization: Bearer x\r\nAuthorization: Bearer TOKEN\r\n"),
        with("a part of the file", "Range: bytes=0-1\r\nCookie: throughline-PORT=x\r\n"),
        with("what somebody may have kept", "If-None-Match: *\r\nCache-Control: only-if-cached\r\n"),
        with("the address a proxy meant", "X-Original-URL: /health\r\nX-Rewrite-URL: /health\r\n"),
        with("somebody near", "X-Forwarded-For: 127.0.0.1\r\nX-Real-IP: ::1\r\nVia: 1.1 localhost\r\n"),
        bare(
            "a link that nobody made",
            "GET /open/0000000000000000000000000000000000000000000000000000000000000000",
        ),
        bare("a link without a code", "GET /open/"),
        bare("a link that was used", "GET /open/USED"),
        bare("a link in other letters", "GET /open/%43ODE"),
        bare("a link that is only looked at", "HEAD /open/CODE"),
        raw("a link that a browser fetches ahead", "GET /open/CODE", "Sec-Purpose: prefetch\r\n", ""),
        raw("a link that is sent", "POST /open/CODE", "Content-Length: 0\r\n", ""),
        raw("a link without the token", "POST /api/v1/links", "Content-Length: 0\r\n", ""),
    ]
}

fn paths() -> Vec<Attack> {
    vec![
        bare("out of what is open", "GET /health/../api/v1/memories"),
        bare("escaped", "GET /health/%2e%2e/api/v1/memories"),
        bare("escaped slashes", "GET /health%2f..%2fapi/v1/memories"),
        bare("two slashes", "GET //api/v1/memories"),
        bare("what some servers cut off", "GET /health/..;/api/v1/memories"),
        bare("open, and more", "GET /health;x=/api/v1/memories"),
        bare("open, escaped", "GET /%68ealth"),
        bare("open, in capitals", "GET /HEALTH"),
        bare("nothing in the middle", "GET /health%00/api/v1/memories"),
        bare("out of the page's files", "GET /assets/../../../../etc/passwd"),
        bare("a file of the house", "GET /assets/%2e%2e/run/token"),
        bare("the other way round", "GET /assets\\..\\..\\run\\token"),
        bare("all of them", "GET /assets/"),
        attack("nothing itself", "GET /health\0 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"),
    ]
}

/// What one reader takes for one request and another for two. The second one, if it were read, would forget the memory.
fn lengths() -> Vec<Attack> {
    let second = "DELETE /api/v1/memories/MEMORY HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\n\r\n";
    let post = |what, headers: &str, body: &str| {
        attack(
            what,
            format!(
                "POST /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nCookie: COOKIE\r\n{JSON}{headers}\r\n{body}"
            ),
        )
    };
    vec![
        post(
            "a length, then pieces",
            "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
            &format!("0\r\n\r\n{second}"),
        ),
        post(
            "pieces, then a length",
            "Transfer-Encoding: chunked\r\nContent-Length: 300\r\n",
            &format!("0\r\n\r\n{second}"),
        ),
        post("two lengths", "Content-Length: 0\r\nContent-Length: 300\r\n", second),
        post("two lengths in one", "Content-Length: 0, 300\r\n", second),
        post("a length with a sign", "Content-Length: +0\r\n", second),
        post("a length below nothing", "Content-Length: -1\r\n", second),
        post("a length in other figures", "Content-Length: 0x0\r\n", second),
        post("a length beyond all numbers", "Content-Length: 18446744073709551616\r\n", second),
        post(
            "pieces under a name of their own",
            "Transfer-Encoding: xchunked\r\n",
            &format!("0\r\n\r\n{second}"),
        ),
        post(
            "pieces and something after",
            "Transfer-Encoding: chunked, identity\r\n",
            &format!("0\r\n\r\n{second}"),
        ),
        post(
            "a piece with nonsense before its length",
            "Transfer-Encoding: chunked\r\n",
            &format!("zz\r\n\r\n{second}"),
        ),
        post(
            "a piece longer than all numbers",
            "Transfer-Encoding: chunked\r\n",
            &format!("fffffffffffffffff\r\n\r\n{second}"),
        ),
        post(
            "a piece with a long remark",
            "Transfer-Encoding: chunked\r\n",
            &format!("1;{}\r\nx\r\n0\r\n\r\n", "x".repeat(20_000)),
        ),
        post("a header that goes on", "X: y\r\n Content-Length: 300\r\nContent-Length: 0\r\n", ""),
        post("a space before the colon", "Content-Length : 0\r\n", second),
        post("a name with nothing in it", "Content\0-Length: 0\r\n", second),
        attack(
            "lines that end too early",
            "GET /api/v1/memories HTTP/1.1\nHost: 127.0.0.1:PORT\nConnection: close\n\n",
        ),
        attack("HTTP of the first days", "GET /api/v1/memories\r\n\r\n"),
        attack("an old client without a name", "GET /health HTTP/1.0\r\n\r\n"),
        attack("HTTP of later days", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        attack("another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        attack("something encrypted", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{fc}\u{3}\u{3}\r\n\r\n"),
        attack(
            "a way through",
            "CONNECT attacker.example:443 HTTP/1.1\r\nHost: attacker.example:443\r\n\r\n",
        ),
        bare("a way through to ourselves", "CONNECT 127.0.0.1:PORT"),
        raw("an echo", "TRACE /api/v1/memories", "Cookie: COOKIE\r\n", ""),
        bare("what is there at all", "OPTIONS *"),
        raw("a method of its own", "STEAL /api/v1/memories", "Cookie: COOKIE\r\n", ""),
        raw("too many headers", "GET /health", &"X: y\r\n".repeat(100), ""),
        raw("a header beyond reason", "GET /health", &format!("X: {}\r\n", "x".repeat(64 << 10)), ""),
        attack(
            "an address beyond reason",
            format!("GET /{} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", "x".repeat(64 << 10)),
        ),
        raw(
            "a body beyond reason",
            POST,
            &format!("Authorization: Bearer TOKEN\r\n{JSON}Content-Length: 1048577\r\n"),
            "",
        ),
        attack("a head that never ends", "GET /health HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX-"),
        attack(
            "a body that never comes",
            "POST /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nCookie: COOKIE\r\nX-Throughline: viewer\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
        ),
        attack("nobody says anything", ""),
    ]
}

/// A program of the same person has copied the browser's file of cookies, while the page is open.
fn copied() -> Vec<Attack> {
    const COPIED: &str = "Cookie: a=b; COOKIE\r\n";
    let read = |what: &'static str, headers: &str| {
        raw(what, "GET /api/v1/memories", &format!("{COPIED}{headers}"), "")
    };
    let mut attacks = vec![
        read("the cookie alone", ""),
        read("as a browser would say it", "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n"),
        read("as the page would say it", "X-Throughline: viewer\r\n"),
        read("an empty half", "X-Throughline-Page: \r\n"),
        read(
            "a guessed half",
            "X-Throughline-Page: 0000000000000000000000000000000000000000000000000000000000000000\r\n",
        ),
        read("the cookie as its own half", "X-Throughline-Page: VALUE\r\n"),
        read("the half said twice", "X-Throughline-Page: HALF\r\nX-Throughline-Page: HALF\r\n"),
        read("the page in the address bar", "X-Throughline-Page: HALF\r\nSec-Fetch-Mode: navigate\r\n"),
        raw("the half in the address", "GET /api/v1/memories?x-throughline-page=HALF", COPIED, ""),
        raw("the half alone", "GET /api/v1/memories", "X-Throughline-Page: HALF\r\n", ""),
        raw("the half as a token", "GET /api/v1/memories", "Authorization: Bearer HALF\r\n", ""),
        raw("the half as a cookie", "GET /api/v1/memories", "Cookie: throughline-PORT=HALF\r\n", ""),
        raw(
            "the half once more",
            "POST /api/v1/page-key",
            "Cookie: a=b; COOKIE\r\nX-Throughline: viewer\r\nContent-Length: 0\r\n",
            "",
        ),
        raw(
            "forgetting",
            "DELETE /api/v1/memories/MEMORY",
            "Cookie: a=b; COOKIE\r\nX-Throughline: viewer\r\n",
            "",
        ),
    ];
    for path in
        ["/api/v1/stream", "/api/v1/status", "/api/v1/openapi.json", "/metrics", "/api/v1/memories/MEMORY"]
    {
        attacks.push(raw("other answers", &format!("GET {path}"), COPIED, ""));
    }
    attacks
}

struct Keys {
    port: u16,
    token: String,
    cookie: String,
    /// The page's own.
    half: String,
    memory: String,
    code: String,
    used: String,
    other: String,
}

impl Keys {
    fn fill(&self, text: &str) -> String {
        // The browser of a person whose page is open: whoever uses it has both halves of the page's key.
        text.replace("Cookie: COOKIE\r\n", "Cookie: COOKIE\r\nX-Throughline-Page: HALF\r\n")
            .replace("HALF", &self.half)
            .replace("PORT", &self.port.to_string())
            .replace("TOKEN", &self.token)
            .replace("COOKIE", &self.cookie)
            .replace("VALUE", self.value())
            .replace("OTHER", &self.other)
            .replace("MEMORY", &self.memory)
            .replace("USED", &self.used)
            .replace("CODE", &self.code)
    }

    fn value(&self) -> &str {
        self.cookie.split_once('=').unwrap().1
    }

    /// All that comes back until the door closes.
    fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        // A door that has heard enough may close before all is sent.
        let _ = stream.write_all(self.fill(request).as_bytes());
        let mut said = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => said.extend_from_slice(&buffer[..length]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
                Err(error) => panic!("still open: {error}: {}", String::from_utf8_lossy(&said)),
            }
        }
        String::from_utf8_lossy(&said).into_owned()
    }

    /// What is wrong with an answer to somebody who must not come in.
    fn judge(&self, said: &str) -> Option<String> {
        let answers = said.matches("HTTP/1.1 ").count();
        if answers > 1 {
            return Some(format!("{answers} answers"));
        }
        let status: u16 = said.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        // Nothing at all is the shortest refusal.
        if !(said.is_empty() || (400..=499).contains(&status)) {
            return Some(format!("status {status}"));
        }
        let said = said.to_lowercase();
        let hidden = [
            SECRET,
            &self.token,
            self.value(),
            &self.half,
            &self.code,
            &self.memory,
            "access-control-",
            "attacker",
        ];
        let shown = hidden.iter().find(|hidden| said.contains(&hidden.to_lowercase()));
        shown
            .map(|shown| format!("says {shown}"))
            .or_else(|| said.contains("set-cookie").then(|| "a cookie".into()))
    }
}

fn state(house: &House) -> (Value, Value, String) {
    house.ok(&["search", "moonrise"]);
    let (port, token) = (port(house), token(house));
    let status = body(&get(port, "/api/v1/status", &token));
    let kept = house.ok(&["export", "--memories"]);
    assert!(status["journal_head"].is_u64(), "{status}");
    (status["journal_head"].clone(), json!(kept.lines().count()), kept)
}

#[test]
fn every_attack_is_refused_learns_nothing_and_changes_nothing() {
    let (house, elsewhere) = (House::new(), House::new());
    house.start();
    elsewhere.start();
    let memory = house.ok(&["remember", SECRET]);
    let memory = memory.split_whitespace().find(|word| word.len() == 12).expect("an id").to_owned();
    let link = |house: &House| house.ok(&["view", "--print"]).trim().to_owned();
    let code = |link: &str| link.rsplit('/').next().unwrap().to_owned();
    let used = link(&house);
    let cookie_here = cookie(port(&house), &code(&used));
    let other = cookie(port(&elsewhere), &code(&link(&elsewhere)));
    let half = page_key(port(&house), &cookie_here);
    let fresh = link(&house);
    let known = Keys {
        port: port(&house),
        token: token(&house),
        cookie: cookie_here,
        half,
        memory,
        code: code(&fresh),
        used: code(&used),
        other: other.split_once('=').unwrap().1.to_owned(),
    };
    let before = state(&house);
    assert!(before.2.contains(SECRET), "there is something to hide: {}", before.2);
    let attacks: Vec<Attack> =
        [names(), pages(), keys(), copied(), paths(), lengths()].into_iter().flatten().collect();
    assert!(attacks.len() >= 60, "{}", attacks.len());
    // At the same time: those that dawdle cost the others nothing.
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let tries: Vec<_> = attacks
            .iter()
            .map(|attack| {
                let known = &known;
                scope.spawn(move || {
                    let said = known.send(&attack.request);
                    known.judge(&said).map(|why| format!("{}: {why}: {}", attack.what, said.escape_debug()))
                })
            })
            .collect();
        tries.into_iter().filter_map(|one| one.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), attacks.len(), wrong.join("\n"));
    assert_eq!(state(&house), before);
    // All of it with the right keys: the door is not simply shut.
    assert!(cookie(known.port, &known.code).starts_with("throughline-"), "nobody has spent the link");
    let by_cookie =
        "Host: 127.0.0.1:PORT\r\nCookie: COOKIE\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n";
    let read = known.send(&format!("GET /api/v1/memories/MEMORY HTTP/1.1\r\n{by_cookie}\r\n"));
    assert!(read.contains(SECRET), "{read}");
    let forgotten = known.send(&format!(
        "DELETE /api/v1/memories/MEMORY HTTP/1.1\r\n{by_cookie}X-Throughline: viewer\r\n\r\n"
    ));
    assert!(forgotten.starts_with("HTTP/1.1 200"), "{forgotten}");
    assert_ne!(state(&house), before, "what was tried would have been seen");
}
