//! How a browser comes in: with a link, once, and from then on with a cookie, which opens less than the token.

use crate::world::{Answer, World};

const NOBODY: &str = "Host: 127.0.0.1:PORT\r\nConnection: close\r\n";
const OURS: &str = "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\nConnection: close\r\n";

/// What `throughline view` asks for; the path of the link.
fn link(world: &World) -> String {
    let answer = world.send(&format!("POST /api/v1/links HTTP/1.1\r\n{OURS}Content-Length: 0\r\n\r\n"));
    assert_eq!(answer.status(), 200, "{}", answer.0);
    let said = answer.json();
    assert_eq!(said["seconds"], 60);
    let url = said["url"].as_str().unwrap().to_owned();
    url.strip_prefix(&world.filled("http://127.0.0.1:PORT")).expect("our own address").to_owned()
}

fn get(world: &World, path: &str, headers: &str) -> Answer {
    world.send(&format!("GET {path} HTTP/1.1\r\n{NOBODY}{headers}\r\n"))
}

/// The headers of a page that a link has opened: its browser's cookie and its own key.
fn page(world: &World) -> String {
    let cookie = cookie(world);
    let key = fetch_key(world, &cookie);
    assert_eq!(key.status(), 200, "{}", key.0);
    format!("{cookie}X-Throughline-Page: {}\r\n", key.json()["key"].as_str().unwrap())
}

fn fetch_key(world: &World, cookie: &str) -> Answer {
    let headers = format!("{NOBODY}{cookie}X-Throughline: viewer\r\nContent-Length: 0\r\n");
    world.send(&format!("POST /api/v1/page-key HTTP/1.1\r\n{headers}\r\n"))
}

/// The header of a browser that has opened a link.
fn cookie(world: &World) -> String {
    let opened = get(world, &link(world), "Sec-Fetch-Site: none\r\n");
    assert_eq!((opened.status(), opened.header("location")), (303, Some("/")), "{}", opened.0);
    let set = opened.header("set-cookie").expect("a cookie");
    format!("Cookie: other=1; {}\r\n", set.split(';').next().unwrap())
}

#[test]
fn a_link_is_not_spent_by_who_only_looks_at_it() {
    let world = World::new();
    let path = link(&world);
    let looked = world.send(&format!("HEAD {path} HTTP/1.1\r\n{NOBODY}\r\n"));
    assert_eq!(looked.status(), 410);
    for header in ["Sec-Purpose: prefetch;prerender\r\n", "Purpose: prefetch\r\n", "X-Moz: prefetch\r\n"] {
        assert_eq!(get(&world, &path, header).status(), 410, "{header}");
    }
    assert_eq!(get(&world, &path, "Sec-Fetch-Site: cross-site\r\n").status(), 403);
    assert_eq!(get(&world, &path, "").status(), 303, "and still opens");
    let late = get(&world, &path, "");
    assert_eq!((late.status(), late.header("set-cookie")), (410, None));
    assert!(late.body().contains("throughline view"), "{}", late.0);
}

#[test]
fn a_page_reads_and_writes_with_the_header_and_makes_no_keys() {
    let world = World::new();
    let cookie = page(&world);
    assert_eq!(get(&world, "/api/v1/status", &cookie).status(), 200);
    let says = |line: &str, headers: &str| {
        world.send(&format!("{line} HTTP/1.1\r\n{NOBODY}{cookie}{headers}Content-Length: 0\r\n\r\n")).status()
    };
    assert_eq!(says("POST /api/v1/status", ""), 403, "without the header");
    assert_eq!(says("POST /api/v1/status", "X-Throughline: viewer\r\n"), 405, "with it, as with the token");
    assert_eq!(says("POST /api/v1/links", "X-Throughline: viewer\r\n"), 401);
    assert_eq!(says("POST /mcp", "X-Throughline: viewer\r\n"), 401);
    assert_eq!(says("GET /mcp", "Accept: text/event-stream\r\n"), 401);
}

#[test]
fn a_cookie_that_was_copied_opens_the_pages_files_alone() {
    let world = World::new();
    let cookie = cookie(&world);
    // The page was faster.
    assert_eq!(fetch_key(&world, &cookie).status(), 200);
    assert_eq!(fetch_key(&world, &cookie).status(), 401, "the key is said once");
    for path in ["/api/v1/status", "/api/v1/stream", "/api/v1/openapi.json", "/metrics", "/nothing"] {
        for headers in
            ["", "X-Throughline: viewer\r\n", "X-Throughline-Page: \r\n", "X-Throughline-Page: 0\r\n"]
        {
            assert_eq!(get(&world, path, &format!("{cookie}{headers}")).status(), 401, "{path} {headers}");
        }
    }
    assert_eq!(get(&world, "/", &cookie).status(), 200, "the page says what to do");
    // The key of another page, and both halves where no script asks.
    let other = page(&world);
    let (their_cookie, their_key) = other.split_once("X-Throughline-Page").unwrap();
    let theirs = format!("X-Throughline-Page{their_key}");
    assert_eq!(get(&world, "/api/v1/status", &format!("{cookie}{theirs}")).status(), 401);
    assert_eq!(get(&world, "/api/v1/status", &theirs).status(), 401, "a key alone");
    assert_eq!(get(&world, "/api/v1/status", their_cookie).status(), 401);
    for (mode, status) in [("navigate", 401), ("no-cors", 401), ("cors", 200), ("same-origin", 200)] {
        let headers = format!("{other}Sec-Fetch-Mode: {mode}\r\n");
        assert_eq!(get(&world, "/api/v1/status", &headers).status(), status, "{mode}");
    }
    let without = format!("{NOBODY}{other}Content-Length: 0\r\n");
    assert_eq!(world.send(&format!("POST /api/v1/page-key HTTP/1.1\r\n{without}\r\n")).status(), 403);
}

#[test]
fn a_cookie_of_another_daemon_opens_nothing() {
    let (one, other) = (World::new(), World::new());
    let value = cookie(&other).trim().rsplit('=').next().unwrap().to_owned();
    let planted = format!("Cookie: throughline-PORT={value}\r\n");
    assert_eq!(get(&one, "/api/v1/status", &planted).status(), 401);
    assert_eq!(get(&one, "/", &planted).status(), 401);
}

#[test]
fn the_page_may_do_what_it_needs_and_is_kept_until_it_changes() {
    let world = World::new();
    let cookie = cookie(&world);
    for path in ["/", "/assets/app.js", "/assets/app.css", "/assets/icon.svg"] {
        let answer = get(&world, path, &cookie);
        assert_eq!(answer.status(), 200, "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        for part in
            ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]
        {
            assert!(policy.split("; ").any(|one| one == part), "{policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
        let tag = answer.header("etag").expect("a tag");
        let again = get(&world, path, &format!("{cookie}If-None-Match: W/\"x\", {tag}\r\n"));
        assert_eq!((again.status(), again.body()), (304, ""), "{path}");
        assert_eq!(get(&world, path, "").status(), 401, "{path} without the cookie");
    }
    let whole = page(&world);
    for path in ["/assets", "/assets/", "/assets/index.html", "/assets/app.js/", "/index.html"] {
        assert_eq!(get(&world, path, &whole).status(), 404, "{path}");
        assert_eq!(get(&world, path, &cookie).status(), 401, "{path} with the cookie alone");
    }
}

#[test]
fn both_addresses_of_the_machine_lead_here() {
    let world = World::new();
    let Ok(mut six) = std::net::TcpStream::connect(("::1", world.port)) else { return };
    use std::io::{Read, Write};
    let head = format!("GET /health HTTP/1.1\r\nHost: [::1]:{}\r\nConnection: close\r\n\r\n", world.port);
    six.write_all(head.as_bytes()).unwrap();
    let mut said = String::new();
    six.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
}
