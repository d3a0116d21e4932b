//! How fast a team's database takes changes and finds memories: a real server, started for this, and the crate's own bench.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use anyhow::{Context, Result, ensure};

use super::measured::Measured;
use super::page::{Goal, Page};
use crate::run;

/// Hybrid search, p95.
const SEARCH_MS: f64 = 40.0;
/// 10,000 changes a minute are 6 ms each.
const CHANGE_MS: f64 = 6.0;
/// Of a thousand that are nearest.
const MISSED: f64 = 100.0;
/// Rows that are no times.
const NUMBERS: &str = "number: ";
/// What the machine's unrest is read from: the same kind of work, without ours.
const FLOOR: &str = "floor: sixty nearest, bare";

pub(crate) fn measure(page: &mut Page, sizes: &[usize]) -> Result<()> {
    let server = Server::start()?;
    for size in sizes {
        let from = page.goals().len();
        page.begin(
            &format!("A team's database with {size} memories"),
            "PostgreSQL on this machine with 1 GB of shared buffers, without syncing, sixteen projects. Changes go through \
             the seam; memories beyond those are written by the server itself. From \
             `cargo bench -p throughline-team --bench team`.",
        );
        let fixed = ["bench", "--quiet", "-p", "throughline-team", "--bench", "team", "--"];
        let mut command = run::cargo(&[&fixed[..], &[&size.to_string()]].concat());
        command.env("THROUGHLINE_TEST_POSTGRES", &server.url);
        let measured = Measured::read(&run::read(&mut command)?)?;
        measured.show_without(page, NUMBERS);
        // Every number of a bench is read as nanoseconds, and shown as milliseconds.
        let number = |name: &str| Ok::<_, anyhow::Error>(measured.get(name)?.median() * 1e6);
        for name in measured.names().filter(|name| name.starts_with(NUMBERS)) {
            page.line(&format!("\n{}: {:.0}", name.trim_start_matches(NUMBERS), number(name)?));
        }
        let noise = measured.get(FLOOR)?.noise();
        for (name, most) in [
            ("hybrid search, every project", SEARCH_MS),
            ("hybrid search, one project", SEARCH_MS),
            ("a memory with its vector, told in batches of 200", CHANGE_MS),
            ("a memory with its vector, told when all are there", CHANGE_MS),
            ("a claim, told in batches of 200", CHANGE_MS),
        ] {
            let ours = measured.get(name)?.percentile(95.0);
            page.goal(Goal { says: format!("{name}, p95"), ours, reference: 1.0, most, unit: "ms", noise });
        }
        for of in ["every project", "one project"] {
            let ours = number(&format!("{NUMBERS}missed in a thousand nearest, {of}"))?;
            let says = format!("missed of a thousand nearest, {of}");
            page.goal(Goal { says, ours, reference: 1.0, most: MISSED, unit: "", noise: 1.0 });
        }
        page.end(from);
    }
    Ok(())
}

/// A private server, which leaves when its input ends.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start() -> Result<Self> {
        let mut child = run::command("python3")
            .args(["tests-team/run.py", "--serve"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("python3 is needed to start a server")?;
        let out = child.stdout.take().context("its output was asked for")?;
        let mut lines = BufReader::new(out).lines();
        let url = lines.find_map(|line| line.ok().filter(|line| line.starts_with("postgres://")));
        let url = url.unwrap_or_default();
        let server = Self { child, url };
        ensure!(!server.url.is_empty(), "there is no server with pgvector; see `cargo xtask team-test`");
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // It has nobody else to tell.
        let _ = self.child.wait();
    }
}
