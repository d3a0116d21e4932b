//! Finds memories by what they say. The daemon ranks; here the question is put together and the answer laid out.

use std::time::Duration;

use clap::Args;
use model::{MemoryKind, Millis};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::shared::{Shared, SharedAsk, SharedHit};
use store::{MemoryRow, Tables};

use super::{batch, reader, remember};
use crate::print;
use crate::report::{Failure, hint};
use crate::when::{self, End};
use crate::world::World;

/// Milliseconds as a rule; the first question after a start may find the model still asleep.
const PATIENCE: Duration = Duration::from_secs(10);
/// What a person reads, and what a script usually takes.
const LIMIT: usize = 10;
const SCRIPT_LIMIT: usize = 20;
/// Beyond this nothing is ranked.
const MAX_LIMIT: u64 = engine::search::MAX_LIMIT as u64;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  throughline search why did the token refresh fail last month
  throughline search --kind decision --since \"3 weeks\" --here database
  throughline search --batch questions.jsonl --json")]
pub(crate) struct Search {
    /// What to look for, as you would ask it
    #[arg(required_unless_present = "batch", value_name = "QUERY")]
    query: Vec<String>,
    /// At most so many [default: 10, with --json 20]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=MAX_LIMIT))]
    limit: Option<u64>,
    /// Say of each hit why it is there
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    only: Only,
    /// Many queries at once: lines `{qid, query}` in, lines `{qid, ids}` out; `-` is stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["query", "explain", "Only"])]
    batch: Option<String>,
    /// Also ask the team's database, for what is not on this machine
    #[arg(long, conflicts_with_all = ["batch", "Only"])]
    team: bool,
    /// One JSON array
    #[arg(long)]
    json: bool,
}

/// What a hit must be, whatever the words say.
#[derive(Debug, Default, Args)]
pub(crate) struct Only {
    /// Only of this project
    #[arg(long)]
    project: Option<String>,
    /// Only of the project you are in
    #[arg(long, conflicts_with = "project")]
    here: bool,
    /// Only of this kind, such as decision; may be given several times
    #[arg(long = "kind", value_name = "KIND", value_parser = remember::kind)]
    kinds: Vec<MemoryKind>,
    /// Only what read or changed this file: its path, or the end of it
    #[arg(long)]
    file: Option<String>,
    /// Only what came of this tool, such as Bash
    #[arg(long)]
    tool: Option<String>,
    /// Only of this session (its id or a unique beginning of it)
    #[arg(long)]
    session: Option<String>,
    /// Only of this branch
    #[arg(long)]
    branch: Option<String>,
    /// Only since then: "3 weeks", "yesterday", 2026-01-31
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only until then; a day that is named still counts
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
}

/// What scripts may rely on, and beside it what a person wants to see.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Hit {
    pub(crate) id: String,
    #[serde(default)]
    external_id: Option<String>,
    kind: String,
    title: String,
    score: f64,
    at: Millis,
    project: Option<String>,
    session: Option<String>,
    /// Whose words it holds: `person`, `work` or `outside`. Told to scripts with the reasons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<Vec<Factor>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Factor {
    name: String,
    value: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Search {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        let default = if self.json || self.batch.is_some() { SCRIPT_LIMIT } else { LIMIT };
        let limit = self.limit.map_or(default, |limit| limit as usize);
        if let Some(file) = &self.batch {
            return batch::run(world, file, limit);
        }
        let query = self.query.join(" ");
        let mut hits = find(world, &query, limit, self.explain, &self.only)?;
        if self.team {
            add_teams(world, &query, limit, &mut hits)?;
        }
        if self.json {
            // Scripts rely on the keys of a plain answer.
            for hit in hits.iter_mut().filter(|_| !self.explain) {
                hit.origin = None;
            }
            return print::json(&hits);
        }
        if hits.is_empty() {
            return print::line(&self.only.advice());
        }
        // The texts, if they can be had; a hit without one is still a hit.
        let tables = Tables::open_read_only(&world.place.database()).ok();
        let columns = Columns::of(&hits, when::now());
        let mut out = String::new();
        for (number, hit) in hits.iter().enumerate() {
            let kept = tables.as_ref().and_then(|tables| tables.memory(&hit.id).ok().flatten());
            out.push_str(&columns.row(number, hit, kept.as_ref(), world));
            if let Some(text) = kept.and_then(|row| hit.beyond_title(&row.memory.text)) {
                let text = print::one_line(&text, world.width.saturating_sub(5));
                out.push_str(&format!("    {}\n", print::dim(&text, world.color)));
            }
            for factor in hit.why.iter().flatten() {
                let note = print::one_line(factor.note.as_deref().unwrap_or_default(), 80);
                out.push_str(format!("      {:<12} {:>8.3}  {note}", factor.name, factor.value).trim_end());
                out.push('\n');
            }
        }
        print::text(&out)
    }
}

/// What the team's database has beside these, behind them: scores of two engines are not compared. A database that does
/// not answer costs a remark.
fn add_teams(world: &World, query: &str, limit: usize, hits: &mut Vec<Hit>) -> anyhow::Result<()> {
    let Some(options) = super::team::configured(world) else {
        return Err(hint(Failure::Person, "there is no team", "`throughline team join` takes an invitation"));
    };
    let words = recall::analyze(query).words;
    let ask = SharedAsk { words, vector: None, projects: None, limit };
    match options.and_then(|options| team::Team::connect(&options)?.search(&ask)) {
        Ok(found) => {
            for SharedHit { memory, by, score } in found {
                let id = memory.memory.id.to_string();
                if hits.iter().all(|hit| hit.id != id) {
                    hits.push(Hit {
                        id,
                        external_id: None,
                        kind: memory.memory.kind.name().to_owned(),
                        title: format!("{}: {}", by.user, memory.memory.title),
                        score,
                        at: memory.memory.at,
                        project: memory.memory.project,
                        session: memory.memory.session.map(|session| session.as_str().to_owned()),
                        origin: None,
                        why: None,
                    });
                }
            }
        }
        Err(error) => print::remark(&format!("without the team's: {error}")),
    }
    Ok(())
}

/// The best hits, best first.
pub(crate) fn find(
    world: &World,
    query: &str,
    limit: usize,
    explain: bool,
    only: &Only,
) -> anyhow::Result<Vec<Hit>> {
    if query.trim().is_empty() {
        let next = "say what you look for: throughline search why did the login fail";
        return Err(hint(Failure::Person, "the query is empty", next));
    }
    let mut question = json!({
        "ask": "search",
        "query": query,
        "limit": limit,
        "cwd": world.cwd,
        "explain": explain,
    });
    only.add_to(world, &mut question)?;
    let mut answer = reader::answer(world, &question, PATIENCE)?;
    Ok(serde_json::from_value(answer["hits"].take())?)
}

impl Only {
    fn add_to(&self, world: &World, question: &mut Value) -> anyhow::Result<()> {
        let project = if self.here {
            Some(daemon::resolve_workspace(&world.cwd).project_key)
        } else {
            self.project.clone()
        };
        let session = match &self.session {
            Some(id) => Some(reader::session_id(&reader::tables(world)?, id)?),
            None => None,
        };
        let read = |text: &Option<String>, end| text.as_deref().map(|text| when::read(text, end)).transpose();
        let (since, until) = (read(&self.since, End::Since)?, read(&self.until, End::Until)?);
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        question["kinds"] = json!(kinds);
        for (name, value) in [
            ("project", json!(project)),
            ("session", json!(session)),
            ("file", json!(self.file)),
            ("tool", json!(self.tool)),
            ("branch", json!(self.branch)),
            ("since", json!(since)),
            ("until", json!(until)),
        ] {
            question[name] = value;
        }
        Ok(())
    }

    fn is_narrow(&self) -> bool {
        let texts =
            [&self.project, &self.file, &self.tool, &self.session, &self.branch, &self.since, &self.until];
        self.here || !self.kinds.is_empty() || texts.iter().any(|text| text.is_some())
    }

    /// What to try when nothing was found.
    fn advice(&self) -> String {
        let next = if self.is_narrow() {
            "try it without --project, --here, --kind, --since or the other filters"
        } else {
            "try other words, `throughline backfill` to take in past sessions, or `throughline stats` to see what is kept"
        };
        format!("nothing matches well; {next}")
    }
}

/// What stands before the titles: id, when, kind and project of each hit, as wide as the widest.
struct Columns(Vec<[String; 4]>);

impl Columns {
    fn of(hits: &[Hit], now: Millis) -> Self {
        let cells = |hit: &Hit| {
            let project = hit.project.as_deref().unwrap_or("-");
            let ago = if hit.at == 0 { "-".to_owned() } else { when::ago(hit.at, now) };
            let texts = [&hit.id, &ago, &hit.kind, project];
            texts.map(|text| print::one_line(text, 16))
        };
        Self(hits.iter().map(cells).collect())
    }

    fn row(&self, at: usize, hit: &Hit, kept: Option<&MemoryRow>, world: &World) -> String {
        let mut head = format!("{:>2}", at + 1);
        for (column, cell) in self.0[at].iter().enumerate() {
            let wide = self.0.iter().map(|cells| cells[column].chars().count()).max().unwrap_or_default();
            head.push_str(&format!("  {cell:<wide$}"));
        }
        let mut cost = kept.map(|row| format!("{} tokens", row.tokens)).unwrap_or_default();
        if hit.origin.as_deref() == Some("outside") {
            cost.push_str(", from outside");
        }
        let room = world.width.saturating_sub(head.chars().count() + cost.len() + 5).max(20);
        let title = print::bold(&print::one_line(&hit.title, room), world.color);
        format!("{head}  {title}  {}\n", print::dim(&cost, world.color))
    }
}

impl Hit {
    /// What a text says that the title does not.
    fn beyond_title(&self, text: &str) -> Option<String> {
        let rest = text.trim_start().strip_prefix(self.title.trim_end_matches('…')).unwrap_or(text);
        let words: Vec<&str> = rest.trim_start_matches(['.', ':']).split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    }
}
