//! Prints megabytes per second of CPU for each shape of input: ordinary ones first, then hostile ones; and what
//! one envelope of a usual size costs, for it is in the waiting time of every hook.
//! `cargo run --release -p throughline-redact --example throughput [FILE…]` also measures files of your own.

#![expect(clippy::print_stdout, reason = "a measuring program")]

use std::hint::black_box;
use std::time::Instant;

use redact::{Redactor, Settings};

const SIZE: usize = 4 << 20;

fn main() {
    let redactor = Redactor::new(Settings::default()).expect("default settings hold no rule that can fail");
    let start = Instant::now();
    black_box(redactor.bytes(b"warm up"));
    println!("first use {:>10.3} ms", start.elapsed().as_secs_f64() * 1e3);
    let mut rates = Vec::new();
    for (name, unit) in shapes() {
        let text = unit.repeat(SIZE / unit.len() + 1);
        let rate = measure(|| redactor.bytes(text.as_bytes()).bytes.len(), text.len());
        let envelope = envelope(&text);
        let walked = measure(|| redactor.envelope(envelope.as_bytes()).json.len(), envelope.len());
        println!("{name:<22} bytes {rate:>7.0} MB/s   envelope {walked:>7.0} MB/s");
        rates.push((name, rate.min(walked)));
    }
    for size in [300, 1_000, 10_000, 64_000, 100_000] {
        let (_, unit) = &shapes()[0];
        let text: String = unit.chars().cycle().take(size).collect();
        let envelope = envelope(&text);
        let rate = measure(|| redactor.envelope(envelope.as_bytes()).json.len(), envelope.len());
        println!("envelope of {:>6} bytes {:>8.1} µs", envelope.len(), envelope.len() as f64 / rate);
    }
    for path in std::env::args().skip(1) {
        if let Ok(text) = std::fs::read(&path) {
            let rate = measure(|| redactor.bytes(&text).bytes.len(), text.len());
            println!("{path:<22} bytes {rate:>7.0} MB/s");
        }
    }
    let mut ordered: Vec<f64> = rates.iter().map(|(_, rate)| *rate).collect();
    ordered.sort_by(f64::total_cmp);
    let median = ordered[ordered.len() / 2];
    let (slowest, rate) = rates.iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are shapes");
    println!(
        "median {median:.0} MB/s, slowest {slowest} at {rate:.0} MB/s ({:.2} of the median)",
        rate / median
    );
}

/// Several runs together: the system counts processor time in ticks, and one run is too short for them.
fn measure(mut run: impl FnMut() -> usize, bytes: usize) -> f64 {
    const ENOUGH: f64 = 0.3;
    const MOST_RUNS: u32 = 1_000_000;
    let (start, busy) = (Instant::now(), cpu_seconds());
    let mut runs = 0;
    // Asking for the time costs more than redacting a short text.
    let batch = 1 + (100_000 / bytes) as u32;
    loop {
        for _ in 0..batch {
            black_box(run());
        }
        runs += batch;
        let wall = start.elapsed().as_secs_f64();
        let spent = busy.zip(cpu_seconds()).map_or(wall, |(before, after)| after - before);
        if spent > ENOUGH || runs > MOST_RUNS {
            return bytes as f64 * f64::from(runs) / 1e6 / spent;
        }
    }
}

/// Time this thread was on a processor, where the system tells.
fn cpu_seconds() -> Option<f64> {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(schedule.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

fn envelope(text: &str) -> String {
    format!("{{\"tool_response\":{{\"stdout\":{}}}}}", quote(text))
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\u{1b}' => quoted.push_str("\\u001b"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn shapes() -> Vec<(&'static str, String)> {
    let code = include_str!("../src/engine.rs");
    let log = (0..200)
        .map(|n| format!("2026-11-15T22:15:{:02}.{n:03}Z INFO  server::http request id={n:08x}-5996-4055-8d51-9334035847e7 path=/api/v1/items/{n} status=200 took={n}ms\n", n % 60))
        .collect::<Vec<_>>().concat();
    let diff = code.lines().map(|line| format!("+{line}\n")).collect::<Vec<_>>().concat();
    let numbered = code
        .lines()
        .enumerate()
        .map(|(n, line)| format!("{:>6}→{line}\n", n + 1))
        .collect::<Vec<_>>()
        .concat();
    let lock = (0..100)
        .map(|n| {
            format!(
                "[[package]]\nname = \"crate-{n}\"\nversion = \"1.{n}.0\"\nchecksum = \"{:064x}\"\n\n",
                n * 0x1234_5678_9abc_usize
            )
        })
        .collect::<Vec<_>>()
        .concat();
    let prose = "The daemon commits before it answers, so an acknowledged event is never lost. When the socket is gone, the client writes a spool file and leaves; the next start drains it.\n".repeat(20);
    let secrets = (0..40)
        .map(|n| {
            format!(
                "export SERVICE_{n}_PASSWORD=hunter{n}-rabbit\nuser {n} logged in from 10.0.0.{n}\n{}",
                &log[..600]
            )
        })
        .collect::<Vec<_>>()
        .concat();
    let mixed = [code, &log, &diff, &prose, &lock, &secrets].concat();
    let mut shapes = vec![
        ("mixed tool output", mixed),
        ("source code", code.to_owned()),
        ("log", log),
        ("diff", diff),
        ("line numbers", numbered),
        ("lock file", lock),
        ("prose", prose),
        ("one secret per KB", secrets),
        ("base64", "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4".repeat(16)),
    ];
    for (name, unit) in [
        ("all <private>", "<private>"),
        ("all </private>", "</private>"),
        ("all =", "="),
        ("all <", "<"),
        ("all quotes", "\""),
        ("all backslashes", "\\"),
        ("all password=", "password="),
        ("all password: x", "password: x\n"),
        ("all \"password\":", "\"password\":"),
        ("all key=", "key="),
        ("all token", "token"),
        ("all api_key = '", "api_key = '"),
        ("all -----BEGIN", "-----BEGIN"),
        ("all armor", "-----BEGIN RSA PRIVATE KEY-----"),
        ("all armor ends", "-----END RSA PRIVATE KEY-----"),
        ("all eyJ", "eyJ"),
        ("all eyJ.", "eyJhbGciOiJIUzI1NiJ9."),
        ("all ://", "://"),
        ("all a://", "a://b:"),
        ("all @", "postgres://a@"),
        ("all ghp_", "ghp_"),
        ("all curl", "curl -u "),
        ("all mysql", "mysql "),
        ("all Bearer", "Bearer "),
        ("all Cookie", "Cookie: a=b; "),
        ("all encoded", "cGFzc3dvcmQ"),
        ("all kind: Secret", "kind: Secret\n"),
        ("all \"kty\"", "\"kty\""),
        ("all user,password", "user,password\n"),
        ("all [REDACTED:", "[REDACTED:"),
        ("all marks", "password=[REDACTED:password] "),
        ("all \\u0070", "\\u0070assword="),
        ("all AKIA", "AKIAAKIA"),
        ("all stripe", "stripe_"),
        ("all :5432:", ":5432:"),
        ("all spaces", " "),
        ("all newlines", "\n"),
        ("all colors", "\u{1b}[32m"),
    ] {
        shapes.push((name, unit.to_owned()));
    }
    shapes
}
