//! How soon the HTTP API answers with many memories behind it, how soon an event is on the page, and what a thousand
//! pages that nobody looks at cost. Everything over the loopback door that pages use, beside the one answer that asks
//! nobody: `/health`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};

use super::Options;
use super::exchange::{exchange_of, socket_in};
use super::material::Material;
use super::page::{Goal, Page};
use super::samples::Samples;
use super::search::Place;
use crate::run::Executables;

const ROUNDS: usize = 300;
const QUICK_ROUNDS: usize = 40;
/// The first answers open readers and fill caches.
const WARM_UP: usize = 10;
/// What any of them may take, p95.
const MOST_MS: f64 = 10.0;
/// From the hook's first byte to the line on the stream: more than "after its commit".
const DELIVERY_MS: f64 = 50.0;
const DELIVERIES: usize = 200;
const CLIENTS: usize = 1_000;
const CLIENTS_MB: f64 = 50.0;
/// Connections of ours besides, and files.
const SPARE_FILES: u64 = 200;
/// Sessions that work while memories are imported, and what each does.
const SESSIONS: usize = 200;
const CALLS: usize = 10;
const PATIENCE: Duration = Duration::from_secs(30);

/// Everything that is a list or a search. `MEMORY`, `SESSION` and `QUESTION` stand for others in every round.
const PATHS: &[&str] = &[
    "/api/v1/status",
    "/api/v1/sessions?limit=50",
    "/api/v1/sessions?limit=50&count=true",
    "/api/v1/sessions/SESSION",
    "/api/v1/sessions/SESSION/timeline?limit=200",
    "/api/v1/prompts?limit=50",
    "/api/v1/events?limit=50",
    "/api/v1/events?session=SESSION&limit=50",
    "/api/v1/injections?limit=50",
    "/api/v1/memories?limit=50",
    "/api/v1/memories?limit=50&count=true",
    "/api/v1/memories?limit=50&offset=OFFSET",
    "/api/v1/memories?limit=50&project=project-3&order=used",
    "/api/v1/memories?limit=50&project=project-3&kind=note&since=1763000000000",
    "/api/v1/memories/MEMORY",
    "/api/v1/memories/MEMORY/history",
    "/api/v1/observations?limit=50",
    "/api/v1/summaries?limit=50",
    "/api/v1/search?q=QUESTION",
    "/api/v1/search?q=QUESTION&explain=true&project=project-3",
    "/api/v1/timeline?anchor=MEMORY",
    "/api/v1/timeline?q=QUESTION",
    "/api/v1/hand-offs?limit=50",
    "/api/v1/checkpoints?limit=50",
    "/api/v1/claims",
    "/api/v1/agents",
    "/api/v1/workspaces",
    "/api/v1/projects",
    "/api/v1/behaviors",
    "/api/v1/settings",
    "/api/v1/stats",
    "/api/v1/stats/series?names=memories,events,tokens-injected&step=day",
];

pub(crate) fn measure(
    page: &mut Page,
    options: Options,
    sizes: &[usize],
    release: &Executables,
) -> Result<()> {
    let material = Material::gather()?;
    for size in sizes {
        one_size(page, options, *size, &material, release)?;
    }
    Ok(())
}

fn one_size(
    page: &mut Page,
    options: Options,
    size: usize,
    material: &Material,
    release: &Executables,
) -> Result<()> {
    let from = page.goals().len();
    page.begin(
        &format!("HTTP API with {size} memories"),
        "One connection that is kept, one question after the other, every path in every round, beside `GET /health`, which \
         asks nobody. What stands in a path changes from round to round.",
    );
    let place = Place::start(release)?;
    place.fill(material, size)?;
    work(&place)?;
    let entrance = Entrance::of(place.home())?;
    let mut door = entrance.open()?;
    let targets = Targets::learn(&mut door)?;
    let rounds = if options.quick { QUICK_ROUNDS } else { ROUNDS };
    let mut floor = Vec::new();
    let mut times = vec![Vec::new(); PATHS.len()];
    for round in 0..rounds + WARM_UP {
        floor.push(door.timed("/health")?);
        for (path, times) in PATHS.iter().zip(&mut times) {
            times.push(door.timed(&targets.fill(path, round, material, size))?);
        }
        if round + 1 == WARM_UP {
            floor.clear();
            times.iter_mut().for_each(Vec::clear);
        }
    }
    page.times_head();
    let floor = Samples::new(&floor);
    page.times("/health", &floor, None);
    let times: Vec<Samples> = times.iter().map(|times| Samples::new(times)).collect();
    for (path, samples) in PATHS.iter().zip(&times) {
        page.times(path, samples, None);
    }
    let delivery = deliver(&place, &entrance)?;
    page.times("an event, from its hook to the stream", &delivery, None);
    let idle = idle_clients(&place, &entrance)?;
    page.line("");
    page.head(&["what", "value"]);
    page.row(&[&format!("resident, for {CLIENTS} idle streams"), &format!("{idle:.1} MB more")]);
    let mut goal = |says: String, ours: f64, reference: f64, unit: &'static str| {
        page.goal(Goal { says, ours, reference, most: 1.0, unit, noise: floor.noise() });
    };
    for (path, samples) in PATHS.iter().zip(&times) {
        goal(format!("`{path}` p95 / {MOST_MS} ms"), samples.percentile(95.0), MOST_MS, "ms");
    }
    goal(format!("delivery p95 / {DELIVERY_MS} ms"), delivery.percentile(95.0), DELIVERY_MS, "ms");
    goal(format!("{CLIENTS} idle streams / {CLIENTS_MB} MB"), idle, CLIENTS_MB, "MB");
    page.end(from);
    Ok(())
}

/// Sessions with prompts and calls of tools, so that lists have what to list.
fn work(place: &Place<'_>) -> Result<()> {
    for session in 0..SESSIONS {
        happen(place.home(), session, "SessionStart", 0)?;
        happen(place.home(), session, "UserPromptSubmit", 0)?;
        for call in 0..CALLS {
            happen(place.home(), session, "PostToolUse", call)?;
        }
        happen(place.home(), session, "Stop", 0)?;
    }
    // An answer waits for what was said before it.
    place.program(&["sessions", "--limit", "1"]).run()?;
    Ok(())
}

/// One call of a hook, acknowledged.
fn happen(home: &Path, session: usize, event: &str, call: usize) -> Result<()> {
    let mut envelope = json!({
        "session_id": format!("bench-api-{session}"),
        "transcript_path": home.join("none.jsonl"),
        "cwd": home.join("project-3"),
        "hook_event_name": event,
    });
    match event {
        "UserPromptSubmit" => envelope["prompt"] = json!(format!("why does part {session} fail?")),
        "PostToolUse" => {
            envelope["tool_name"] = json!("Bash");
            envelope["tool_use_id"] = json!(format!("toolu_{session}_{call}"));
            envelope["tool_input"] = json!({ "command": format!("cargo test part_{call}") });
            envelope["tool_response"] = json!({ "stdout": "ok", "stderr": "" });
        }
        _ => {}
    }
    exchange_of(event.as_bytes(), &socket_in(home), envelope.to_string().as_bytes())?;
    Ok(())
}

/// From before a hook's envelope is sent until the stream tells of it.
fn deliver(place: &Place<'_>, entrance: &Entrance) -> Result<Samples> {
    let mut stream = entrance.open()?;
    stream.send("/api/v1/stream")?;
    stream.line_with("event: hello")?;
    let mut times = Vec::new();
    for number in 0..DELIVERIES {
        let id = SESSIONS + number;
        let start = Instant::now();
        happen(place.home(), id, "PostToolUse", number)?;
        stream.line_with(&format!("\"bench-api-{id}\""))?;
        times.push(start.elapsed());
    }
    Ok(Samples::new(&times))
}

/// What so many streams that nobody reads add to the daemon, in megabytes.
fn idle_clients(place: &Place<'_>, entrance: &Entrance) -> Result<f64> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    let wanted = CLIENTS as u64 + SPARE_FILES;
    if soft < wanted {
        ensure!(hard >= wanted, "{CLIENTS} connections need as many open files; the limit is {hard}");
        setrlimit(Resource::RLIMIT_NOFILE, wanted, hard)?;
    }
    let [before, _] = place.memory()?;
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        let mut client = entrance.open()?;
        client.send("/api/v1/stream")?;
        client.line_with("event: hello").with_context(|| format!("the stream number {number}"))?;
        clients.push(client);
    }
    let [after, _] = place.memory()?;
    Ok(after - before)
}

/// What is there to be asked for.
struct Targets {
    memories: Vec<String>,
    sessions: Vec<String>,
}

impl Targets {
    fn learn(door: &mut Door) -> Result<Self> {
        let mut ids = |path: &str| -> Result<Vec<String>> {
            let answer: Value = serde_json::from_slice(&door.ask(path)?)?;
            let items = answer["items"].as_array().context("a list has items")?;
            Ok(items.iter().filter_map(|item| item["id"].as_str().map(str::to_owned)).collect())
        };
        let targets = Self {
            memories: ids("/api/v1/memories?limit=500")?,
            sessions: ids("/api/v1/sessions?limit=200")?,
        };
        ensure!(!targets.memories.is_empty() && !targets.sessions.is_empty(), "there is nothing to ask for");
        Ok(targets)
    }

    fn fill(&self, path: &str, round: usize, material: &Material, size: usize) -> String {
        let question = material.question(round, size).replace(' ', "+");
        path.replace("MEMORY", &self.memories[round % self.memories.len()])
            .replace("SESSION", &self.sessions[round % self.sessions.len()])
            .replace("OFFSET", &(round * 7919 % size).to_string())
            .replace("QUESTION", &question)
    }
}

/// Where the door is, and what opens it.
struct Entrance {
    port: u16,
    token: String,
}

impl Entrance {
    fn of(home: &Path) -> Result<Self> {
        let run = home.join(wire::DEFAULT_NAMESPACE).join("run");
        let read = |name: &str| fs::read_to_string(run.join(name)).with_context(|| format!("no {name}"));
        Ok(Self { port: read("port")?.trim().parse()?, token: read("token")?.trim().to_owned() })
    }

    fn open(&self) -> Result<Door> {
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let head = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n", self.port, self.token);
        Ok(Door { stream: BufReader::new(stream), head })
    }
}

/// A connection that is kept.
struct Door {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Door {
    fn timed(&mut self, path: &str) -> Result<Duration> {
        let start = Instant::now();
        self.ask(path)?;
        Ok(start.elapsed())
    }

    fn send(&mut self, path: &str) -> Result<()> {
        let request = format!("GET {path} HTTP/1.1\r\n{}", self.head);
        Ok(self.stream.get_mut().write_all(request.as_bytes())?)
    }

    /// The body of an answer that is a success.
    fn ask(&mut self, path: &str) -> Result<Vec<u8>> {
        self.send(path)?;
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut length = 0;
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let Some((name, value)) = line.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        ensure!(status == "200", "{path} is answered with {status}: {}", String::from_utf8_lossy(&body));
        Ok(body)
    }

    /// Reads on until a line has these words.
    fn line_with(&mut self, words: &str) -> Result<()> {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                bail!("the stream ended before it told of {words}");
            }
        }
        Ok(())
    }
}
