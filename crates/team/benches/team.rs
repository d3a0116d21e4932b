//! How fast a team's database takes and finds, with a real server: changes through the seam, then hybrid search among as many
//! memories as are wanted.
//!
//! `THROUGHLINE_TEST_POSTGRES=… cargo bench -p throughline-team --bench team -- 100000`: a line for each thing that was
//! measured, its name and its times in nanoseconds. `cargo xtask bench team` starts a server, reads it and judges.
//! With `keep` behind the number its database stays, and the next run with it only searches there: a million take a while.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "its output is its purpose")]

use std::collections::HashSet;
use std::time::Instant;

use model::{Memory, MemoryId, MemoryKind, SessionId};
use postgres::{Client, NoTls};
use store::shared::{
    Author, Change, Shared, SharedAsk, SharedClaim, SharedMemory, SharedProject, SharedVectors,
};
use team::admin::{self, Init};
use team::{Options, Team};

const DEFAULT_SIZE: u64 = 10_000;
/// Told through the seam, whatever the size.
const TOLD: u64 = 4_000;
const BATCH: u64 = 200;
const PROJECTS: u64 = 16;
const DIMS: usize = 384;
const QUESTIONS: usize = 200;
const WARM_UP: usize = 20;
/// Questions whose nearest are also looked for by comparing everything.
const COMPARED: usize = 100;
/// Told once more when the database is full.
const TOLD_LATE: u64 = 2_000;
const CLUSTERS: usize = 256;
/// Of noise there is so much; a memory's is three of them.
const NOISE: usize = 4_096;

fn main() {
    let size: u64 = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(DEFAULT_SIZE);
    let server = std::env::var("THROUGHLINE_TEST_POSTGRES")
        .expect("a server, such as `cargo xtask bench team` starts");
    let (place, _) = server.rsplit_once('/').unwrap();
    let keep = std::env::args().any(|word| word == "keep");
    let team = if keep { format!("benchkept{size}") } else { format!("bench{}", std::process::id()) };
    let there = connect(&server).query("SELECT FROM pg_database WHERE datname = $1", &[&team]).unwrap();
    let full = !there.is_empty();
    if !full {
        connect(&server).batch_execute(&format!("CREATE DATABASE {team}")).unwrap();
    }
    let admin = Options { url: format!("{place}/{team}"), ..Options::default() };
    admin::init(&admin, &Init::new(&team)).unwrap();
    let invitation = admin::invite(&admin, &team, "ann").unwrap();
    let options = Options { url: invitation.url, password: Some(invitation.password), ..Options::default() };
    let mut ann = Team::connect(&options).unwrap();
    let mut random = Random(7);
    let space = Space::new(&mut random);
    if !full {
        changes(&mut ann, &admin, &mut random, &space);
        if size > TOLD {
            let begun = Instant::now();
            fill(&admin, &space, size);
            tell("filling, not through the seam", &[begun.elapsed().as_nanos()]);
        }
    }
    tell("number: bytes of the database", &[u128::from(size_of(&admin))]);
    searches(&mut ann, &admin, &mut random, &space);
    if keep {
        return;
    }
    let times = memories(&mut ann, &mut random, &space, size.max(TOLD), TOLD_LATE);
    tell("a memory with its vector, told when all are there", &times);
    drop(ann);
    let mut server = connect(&server);
    server.batch_execute(&format!("DROP DATABASE {team} WITH (FORCE)")).unwrap();
    server.batch_execute(&format!("DROP ROLE {}", invitation.role)).unwrap();
}

fn by() -> Author {
    Author { user: "ann".to_owned(), machine: "bench".to_owned() }
}

fn memories(ann: &mut Team, random: &mut Random, space: &Space, from: u64, count: u64) -> Vec<u128> {
    let mut times = Vec::new();
    for first in (from..from + count).step_by(BATCH as usize) {
        let batch: Vec<(u64, Change)> =
            (first + 1..=first + BATCH).map(|n| (n, memory(n, random, space))).collect();
        let begun = Instant::now();
        ann.apply(&by(), "memories", &batch).unwrap();
        times.push(begun.elapsed().as_nanos() / u128::from(BATCH));
    }
    times
}

fn changes(ann: &mut Team, admin: &Options, random: &mut Random, space: &Space) {
    let before = size_of(admin);
    let times = memories(ann, random, space, 0, TOLD);
    tell("a memory with its vector, told in batches of 200", &times);
    tell("number: bytes of a memory", &[u128::from((size_of(admin) - before) / TOLD)]);
    let mut times = Vec::new();
    for first in (0..TOLD).step_by(BATCH as usize) {
        let batch: Vec<(u64, Change)> = (first + 1..=first + BATCH).map(|n| (n, claim(n))).collect();
        let begun = Instant::now();
        ann.apply(&by(), "claims", &batch).unwrap();
        times.push(begun.elapsed().as_nanos() / u128::from(BATCH));
    }
    tell("a claim, told in batches of 200", &times);
    let mut times = Vec::new();
    for n in 0..QUESTIONS as u64 {
        let begun = Instant::now();
        ann.apply(&by(), "single", &[(n + 1, claim(n))]).unwrap();
        times.push(begun.elapsed().as_nanos());
    }
    tell("a claim, told alone", &times);
}

fn searches(ann: &mut Team, admin: &Options, random: &mut Random, space: &Space) {
    let questions: Vec<SharedAsk> = (0..QUESTIONS + WARM_UP)
        .map(|_| SharedAsk {
            // What is left of a question without its stop words: two that say something, two that are everywhere.
            words: vec![word(random, 0.8), word(random, 0.6), word(random, 0.3), word(random, 0.1)],
            vector: Some(("bench/1".to_owned(), space.vector(random))),
            projects: None,
            limit: 10,
        })
        .collect();
    let one = |ask: &SharedAsk| SharedAsk { projects: Some(vec![project(3)]), ..ask.clone() };
    let words = |ask: &SharedAsk| SharedAsk { vector: None, ..ask.clone() };
    let near = |ask: &SharedAsk| SharedAsk { words: Vec::new(), ..ask.clone() };
    floors(admin, &questions);
    search(ann, "hybrid search, every project", questions.iter().map(SharedAsk::clone));
    search(ann, "hybrid search, one project", questions.iter().map(one));
    search(ann, "part: words alone, every project", questions.iter().map(words));
    search(ann, "part: words alone, one project", questions.iter().map(words).map(|ask| one(&ask)));
    search(ann, "part: nearness alone, every project", questions.iter().map(near));
    search(ann, "part: nearness alone, one project", questions.iter().map(near).map(|ask| one(&ask)));
    let nearest: Vec<SharedAsk> = questions.iter().take(COMPARED).map(near).collect();
    tell("number: missed in a thousand nearest, every project", &[missed(ann, admin, &nearest)]);
    let nearest: Vec<SharedAsk> = nearest.iter().map(one).collect();
    tell("number: missed in a thousand nearest, one project", &[missed(ann, admin, &nearest)]);
}

fn search(team: &mut Team, name: &str, questions: impl Iterator<Item = SharedAsk>) {
    let mut times = Vec::new();
    for (at, ask) in questions.enumerate() {
        let begun = Instant::now();
        let hits = team.search(&ask).unwrap();
        assert!(!hits.is_empty(), "a bench that finds nothing measures nothing");
        if at >= WARM_UP {
            times.push(begun.elapsed().as_nanos());
        }
    }
    tell(name, &times);
}

/// What no search can be faster than: the way there and back, and one question to the graphs without rights or words.
fn floors(admin: &Options, questions: &[SharedAsk]) {
    let mut client = connect(&admin.url);
    let nothing = client.prepare("SELECT 1").unwrap();
    let sql = format!("SELECT id FROM throughline.vectors_1 ORDER BY {NEARNESS} LIMIT 60");
    let bare = client.prepare(&sql).unwrap();
    client
        .batch_execute("SET jit = off; SET plan_cache_mode = force_custom_plan; SET hnsw.ef_search = 60")
        .unwrap();
    let (mut empty, mut nearest) = (Vec::new(), Vec::new());
    for (at, ask) in questions.iter().enumerate() {
        let begun = Instant::now();
        client.query(&nothing, &[]).unwrap();
        let between = Instant::now();
        client.query(&bare, &[&ask.vector.as_ref().unwrap().1]).unwrap();
        if at >= WARM_UP {
            empty.push((between - begun).as_nanos());
            nearest.push(between.elapsed().as_nanos());
        }
    }
    tell("floor: nothing is asked", &empty);
    tell("floor: sixty nearest, bare", &nearest);
}

const NEARNESS: &str = "(embedding OPERATOR(public.<=>) $1::real[]::public.halfvec)";

/// How many in a thousand of the ten that are nearest are not found.
fn missed(team: &mut Team, admin: &Options, questions: &[SharedAsk]) -> u128 {
    let mut client = connect(&admin.url);
    let sql = format!(
        "SELECT v.id FROM throughline.vectors_1 v JOIN throughline.projects p ON p.id = v.project
         WHERE $2::text[] IS NULL OR p.key = ANY ($2) ORDER BY 0 + {NEARNESS} LIMIT 10"
    );
    let all = client.prepare(&sql).unwrap();
    let mut both = 0;
    for ask in questions {
        let keys: Option<Vec<&str>> =
            ask.projects.as_ref().map(|keys| keys.iter().map(|key| key.0.as_str()).collect());
        let rows = client.query(&all, &[&ask.vector.as_ref().unwrap().1, &keys]).unwrap();
        let nearest: HashSet<u64> = rows.iter().map(|row| row.get::<_, i64>(0).unsigned_abs()).collect();
        let hits = team.search(ask).unwrap();
        both += hits.iter().filter(|hit| nearest.contains(&hit.memory.memory.id.as_u64())).count();
    }
    1000 - (both * 1000 / (10 * questions.len())) as u128
}

fn fill(admin: &Options, space: &Space, size: u64) {
    let fill = include_str!("fill.sql")
        .replace("{from}", &(TOLD + 1).to_string())
        .replace("{size}", &size.to_string());
    let mut filler = connect(&admin.url);
    for (table, vectors) in [("centers", &space.centers), ("noise", &space.noise)] {
        filler.batch_execute(&format!("CREATE TEMP TABLE {table} (n integer, v public.halfvec)")).unwrap();
        let one =
            filler.prepare(&format!("INSERT INTO {table} VALUES ($1, $2::real[]::public.halfvec)")).unwrap();
        for (n, vector) in vectors.iter().enumerate() {
            filler.execute(&one, &[&(n as i32), vector]).unwrap();
        }
    }
    for statement in fill.split(";\n") {
        let code: Vec<&str> = statement.lines().filter(|line| !line.starts_with("--")).collect();
        for statement in code.join("\n").split("; ") {
            let begun = Instant::now();
            filler.batch_execute(statement).unwrap_or_else(|error| panic!("{error}: {statement}"));
            if statement.trim_start().starts_with("CREATE INDEX") {
                let of = if statement.contains("hnsw") { "graphs" } else { "terms" };
                tell(&format!("building the {of}"), &[begun.elapsed().as_nanos()]);
            }
        }
    }
}

fn connect(url: &str) -> Client {
    Client::connect(url, NoTls).unwrap()
}

fn size_of(admin: &Options) -> u64 {
    let row = connect(&admin.url).query_one("SELECT pg_database_size(current_database())", &[]).unwrap();
    row.get::<_, i64>(0).unsigned_abs()
}

fn project(n: u64) -> SharedProject {
    // Not by the last digits, which say what is sampled.
    SharedProject(format!("commit{}", n / 16 % PROJECTS))
}

fn memory(n: u64, random: &mut Random, space: &Space) -> Change {
    let text: Vec<String> = (0..60)
        .map(|_| {
            let rarity = random.unit();
            word(random, rarity)
        })
        .collect();
    let (title, text) = (text[..6].join(" "), text.join(" "));
    Change::Memory(Box::new(SharedMemory {
        project: project(n),
        memory: Memory::new(MemoryId::from_u64(n), MemoryKind::Note, n, title, text),
        changed_at: n,
        hits: 0,
        prevented: 0,
        last_applied_at: None,
        superseded_by: None,
        vectors: Some(SharedVectors { model: "bench/1".to_owned(), parts: vec![space.vector(random)] }),
    }))
}

fn claim(n: u64) -> Change {
    Change::Claim(SharedClaim {
        project: project(n),
        session: SessionId::new("bench"),
        path: format!("src/part{}/file{n}.rs", n % 40),
        branch: Some("main".to_owned()),
        since_at: n,
        last_at: n,
        lines: Some((1, 9)),
        goal: None,
    })
}

/// The n-th most frequent word; `rarity` 0 is the most frequent, 1 the rarest. As in `fill.sql`.
fn word(random: &mut Random, rarity: f64) -> String {
    let rarity = (rarity + (random.unit() - 0.5) * 0.1).clamp(0.0, 1.0);
    format!("w{}", 40_000_f64.powf(rarity).round())
}

/// Where vectors lie: in clusters, and within one like what models make, which differ much in few directions and little in
/// most. Noise that is the same in all of them has no neighbours, only points that are equally far.
struct Space {
    centers: Vec<Vec<f32>>,
    noise: Vec<Vec<f32>>,
}

impl Space {
    fn new(random: &mut Random) -> Self {
        let mut number = |scale: f32| (random.unit() * 2.0 - 1.0) as f32 * scale;
        let centers = (0..CLUSTERS).map(|_| (0..DIMS).map(|_| number(1.0)).collect()).collect();
        let noise = (0..NOISE)
            .map(|_| (0..DIMS).map(|at| number(1.94 / (1.0 + at as f32 / 24.0))).collect())
            .collect();
        Self { centers, noise }
    }

    fn vector(&self, random: &mut Random) -> Vec<f32> {
        let mut pick = |of: &'_ [Vec<f32>]| (random.unit() * of.len() as f64) as usize;
        let center = &self.centers[pick(&self.centers)];
        let noise = [pick(&self.noise), pick(&self.noise), pick(&self.noise)].map(|at| &self.noise[at]);
        let sum = |at: usize| center[at] + noise.iter().map(|noise| noise[at]).sum::<f32>();
        let vector: Vec<f32> = (0..DIMS).map(sum).collect();
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.iter().map(|number| number / length).collect()
    }
}

fn tell(name: &str, times: &[u128]) {
    let times: Vec<String> = times.iter().map(u128::to_string).collect();
    println!("{name}\t{}", times.join(" "));
}

/// The same numbers every time.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
