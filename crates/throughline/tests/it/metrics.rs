//! `/metrics` of a real daemon, read as Prometheus reads it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::house::House;

fn get(house: &House, token: &str) -> String {
    let port = house.status()["port"].as_u64().expect("a port");
    let mut stream = TcpStream::connect(("127.0.0.1", u16::try_from(port).unwrap())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said
}

fn token(house: &House) -> String {
    fs::read_to_string(house.data().join("run/token")).unwrap().trim().to_owned()
}

/// Every sample by its name and labels.
fn scrape(house: &House) -> BTreeMap<String, f64> {
    let said = get(house, &token(house));
    let (head, body) = said.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.to_lowercase().contains("content-type: text/plain; version=0.0.4; charset=utf-8"), "{head}");
    let samples = body.lines().filter(|line| !line.starts_with('#'));
    samples
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap_or_else(|_| panic!("{line}")))
        })
        .collect()
}

#[test]
fn a_scrape_says_what_hooks_cost_and_only_to_whoever_may_ask() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("s1", "SessionStart"));
    house.send(&house.prompt("s1", "the key is AKIAIOSFODNN7EXAMPLX, keep it"));
    for _ in 0..4 {
        house.send(&house.tool("s1", "Bash", "done"));
    }
    house.ok(&["remember", "a thing worth knowing"]);
    house.ok(&["sessions"]);
    let samples = scrape(&house);
    let of = |name: &str| *samples.get(name).unwrap_or_else(|| panic!("no {name}: {samples:#?}"));
    let whole = |name: &str| of(name) as u64;
    assert_eq!(whole("throughline_hook_duration_seconds_count{event=\"PostToolUse\"}"), 4);
    assert_eq!(whole("throughline_hook_duration_seconds_bucket{event=\"PostToolUse\",le=\"+Inf\"}"), 4);
    let sum = of("throughline_hook_duration_seconds_sum{event=\"PostToolUse\"}");
    assert!(sum > 0.0 && sum < 60.0, "{sum}");
    assert!(of("throughline_envelopes_total{outcome=\"kept\"}") >= 6.0);
    assert_eq!(whole("throughline_sessions_live"), 1);
    assert!(of("throughline_memories") >= 1.0);
    assert!(of("throughline_journal_bytes") > 0.0);
    assert_eq!(whole("throughline_journal_position"), whole("throughline_learned_position"));
    assert_eq!(whole("throughline_streams_open"), 0);
    assert!(
        samples.keys().any(|name| name.starts_with("throughline_redactions_total{kind=")),
        "{samples:#?}"
    );
    assert!(samples.keys().any(|name| name.starts_with("throughline_build_info{version=")));
    assert!(samples.keys().any(|name| name.starts_with("throughline_learning_duration_seconds_count")));
    let text = get(&house, &token(&house));
    assert!(
        !text.contains("AKIA") && !text.contains("worth knowing"),
        "numbers, and no word of anybody's work"
    );
    let refused = get(&house, "wrong");
    assert!(refused.starts_with("HTTP/1.1 401") && !refused.contains("throughline_"), "{refused}");
}

#[test]
fn counts_only_grow_and_a_bucket_is_never_more_than_the_next() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("s1", "SessionStart"));
    let before = scrape(&house);
    house.send(&house.tool("s1", "Bash", "done"));
    house.send(&house.envelope("s1", "Stop"));
    let after = scrape(&house);
    let grows =
        |name: &&String| name.contains("_total") || name.contains("_bucket") || name.contains("_count");
    for name in before.keys().filter(grows) {
        assert!(after[name] >= before[name], "{name}");
    }
    for (series, all) in after.iter().filter(|(name, _)| name.contains("_count{")) {
        let (name, label) = series.split_once("_count{").unwrap();
        let label = label.trim_end_matches('}');
        let mut buckets: Vec<(f64, f64)> = after
            .iter()
            .filter_map(|(sample, value)| {
                let bound =
                    sample.strip_prefix(&format!("{name}_bucket{{{label},le=\""))?.strip_suffix("\"}")?;
                Some((bound.replace("+Inf", "inf").parse().unwrap(), *value))
            })
            .collect();
        buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert!(buckets.len() > 10 && buckets.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{series}");
        assert_eq!(buckets.last().unwrap().1 as u64, *all as u64, "{series}");
    }
}
