//! `throughline view`: a link that opens once, the cookie it leaves, and the page behind it.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use crate::house::{House, eventually, output, skipped};
use crate::http_door::port;

/// All that is answered to a request, in which its connection ends.
fn send(port: u16, line: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!("{line} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said
}

/// `name=value` of the cookie that a link leaves, which it does once.
pub(crate) fn cookie(port: u16, code: &str) -> String {
    let said =
        send(port, &format!("GET /open/{code}"), "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n");
    assert!(said.starts_with("HTTP/1.1 303") && said.contains("\r\nlocation: /\r\n"), "{said}");
    let set = said.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(set.split("; ").any(|one| one == part), "{set}");
    }
    assert!(!set.contains("Max-Age") && !set.contains("Expires"), "it goes with the browser's window: {set}");
    set.split("; ").next().unwrap().to_owned()
}

/// What the page fetches once, and says with every question.
pub(crate) fn page_key(port: u16, cookie: &str) -> String {
    let headers = format!("Cookie: {cookie}\r\nX-Throughline: viewer\r\nContent-Length: 0\r\n");
    let said = send(port, "POST /api/v1/page-key", &headers);
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    let body: serde_json::Value = serde_json::from_str(said.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let again = send(port, "POST /api/v1/page-key", &headers);
    assert!(again.starts_with("HTTP/1.1 401"), "it is said once: {again}");
    body["key"].as_str().expect("a key").to_owned()
}

fn code(link: &str) -> &str {
    link.trim().rsplit('/').next().unwrap()
}

#[test]
fn a_link_opens_the_page_once_and_the_page_outlives_the_daemon() {
    let house = House::new();
    let link = house.ok(&["view", "--print"]);
    let port = port(&house);
    assert!(link.starts_with(&format!("http://127.0.0.1:{port}/open/")), "{link}");
    let cookie = cookie(port, code(&link));
    let again = send(port, &format!("GET /open/{}", code(&link)), "");
    assert!(again.starts_with("HTTP/1.1 410") && again.contains("throughline view"), "{again}");
    let copied = format!("Cookie: {cookie}\r\nSec-Fetch-Site: same-origin\r\n");
    let by_cookie = format!("{copied}X-Throughline-Page: {}\r\n", page_key(port, &cookie));
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/assets/app.js", "text/javascript; charset=utf-8"),
        ("/assets/app.css", "text/css; charset=utf-8"),
        ("/assets/icon.svg", "image/svg+xml"),
        ("/api/v1/status", "application/json"),
    ] {
        let said = send(port, &format!("GET {path}"), &by_cookie);
        assert!(
            said.starts_with("HTTP/1.1 200") && said.contains(&format!("content-type: {kind}\r\n")),
            "{said}"
        );
        assert!(send(port, &format!("GET {path}"), "").starts_with("HTTP/1.1 401"), "{path} without it");
        let copied = send(port, &format!("GET {path}"), &copied);
        let opens = if path.starts_with("/api/") { "HTTP/1.1 401" } else { "HTTP/1.1 200" };
        assert!(copied.starts_with(opens), "{path} with a cookie that was copied: {copied}");
    }
    let closed = send(port, "GET /", "");
    assert!(closed.contains("throughline view") && !closed.contains("/assets/"), "{closed}");
    house.ok(&["daemon", "restart"]);
    let port = self::port(&house);
    let mut said = String::new();
    eventually("the next daemon serves the page", || {
        let answer = send(port, "GET /api/v1/status", &by_cookie);
        if answer != said {
            eprintln!("{answer}");
        }
        said = answer;
        said.starts_with("HTTP/1.1 200")
    });
    assert!(send(port, "GET /api/v1/status", &copied).starts_with("HTTP/1.1 401"));
    house.ok(&["daemon", "stop"]);
    fs::remove_file(house.data().join("run/token")).unwrap();
    house.start();
    let port = self::port(&house);
    assert!(
        send(port, "GET /api/v1/status", &by_cookie).starts_with("HTTP/1.1 401"),
        "it ends with the token"
    );
}

#[test]
fn the_persons_browser_is_given_the_link() {
    let house = House::new();
    let browser = house.home().join("browser");
    let heard = house.home().join("heard");
    fs::write(&browser, format!("#!/bin/sh\necho \"$2\" > '{}'\n", heard.display())).unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = house.command(&["view"]);
    let done = output(command.env("BROWSER", format!("{} --new %s", browser.display())));
    assert!(done.status.success(), "{done:?}");
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(said.contains("opened in your browser") && !said.contains("/open/"), "{said}");
    eventually("the browser has heard", || fs::read_to_string(&heard).is_ok_and(|link| link.ends_with('\n')));
    cookie(port(&house), code(&fs::read_to_string(&heard).unwrap()));
}

#[test]
fn where_no_browser_can_be_opened_the_link_is_said_with_how_long_it_holds() {
    let house = House::new();
    for (arguments, browser) in
        [(&["view"][..], None), (&["view", "--no-open"], Some("true")), (&["view"], Some("false"))]
    {
        let mut command = house.command(arguments);
        if let Some(browser) = browser {
            command.env("BROWSER", browser);
        }
        let done = output(&mut command);
        assert!(done.status.success(), "{done:?}");
        let said = String::from_utf8(done.stdout).unwrap();
        assert!(said.contains("/open/") && said.contains("60 seconds"), "{said}");
        let remark = String::from_utf8(done.stderr).unwrap();
        assert_eq!(remark.contains("no browser could be opened"), browser == Some("false"), "{remark}");
    }
}

#[test]
fn who_has_no_http_hears_how_to_get_it() {
    let house = House::new();
    house.ok(&["config", "set", "http.enabled", "false"]);
    let refused = house.run(&["view"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("serves no HTTP") && said.contains("config set http.enabled true"), "{said}");
}

#[test]
fn a_link_that_another_user_of_the_machine_opens_stays_shut_and_stays_whole() {
    if !rustix::process::geteuid().is_root() {
        return skipped("being another user needs root");
    }
    let house = House::new();
    let link = house.ok(&["view", "--print"]);
    let (port, code) = (port(&house), code(&link));
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port}; printf 'GET /open/{code} HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3"
    );
    let nobody = output(
        Command::new("bash")
            .args(["-c", &script])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .uid(65_534)
            .gid(65_534),
    );
    let said = String::from_utf8_lossy(&nobody.stdout);
    assert!(said.starts_with("HTTP/1.1 410"), "{nobody:?}");
    cookie(port, code);
}
