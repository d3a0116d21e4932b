//! How sessions ended: what was inferred, and what a person says of it, which stands.

use clap::Args;
use model::{Deed, SessionId, SessionOutcome};
use serde_json::json;
use store::{OutcomeRow, Tables};

use super::{reader, remember};
use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

/// A reason is a sentence or two; more belongs in `throughline remember`.
const MAX_NOTE_CHARS: usize = 1000;
/// Enough of a session's id to name it.
const SESSION_CHARS: usize = 8;

#[derive(Debug, Args)]
#[command(after_help = "Example: throughline outcome 8dcc5c1e partial+ --note \"works, but slow\"")]
pub(crate) struct Outcome {
    /// The session's id, or a unique beginning of it [default: all, the latest first]
    session: Option<String>,
    /// How it ended: succeeded, partial+, partial-, failed. Without it, what is known is shown
    #[arg(value_parser = outcome, value_name = "OUTCOME", requires = "session")]
    said: Option<SessionOutcome>,
    /// Why, in your words
    #[arg(long, value_name = "TEXT", requires = "said")]
    note: Option<String>,
    /// The last so many; 0 for all [default: 20, with --json all]
    #[arg(long, conflicts_with = "session")]
    limit: Option<usize>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Outcome {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        let Some(session) = &self.session else { return self.list(world, &tables) };
        let session = reader::session(&tables, session)?.id;
        match self.said {
            Some(outcome) => say(world, &session, outcome, self.note.as_deref(), self.json),
            None => show(&tables, &session, self.json),
        }
    }

    fn list(&self, world: &World, tables: &Tables) -> anyhow::Result<()> {
        let limit = self.limit.unwrap_or(if self.json { 0 } else { 20 });
        let rows = tables.outcomes(limit).map_err(person)?;
        if self.json {
            return rows.iter().try_for_each(print::json);
        }
        if rows.is_empty() {
            print::remark("no session has an outcome yet: it is inferred when one ends");
            return Ok(());
        }
        let cells = |row: &OutcomeRow| {
            vec![
                short(&row.session),
                print::time(row.at),
                row.outcome.name().to_owned(),
                print::one_line(&row.said_by, 20),
                print::one_line(&row.why, 200),
            ]
        };
        let rows: Vec<_> = rows.iter().map(cells).collect();
        print::table(&["SESSION", "SAID AT", "OUTCOME", "BY", "WHY"], &rows, world.color)
    }
}

/// A beginning that can be pasted, without a sign that it is one.
fn short(session: &SessionId) -> String {
    print::one_line(session.as_str(), SESSION_CHARS).trim_end_matches('…').to_owned()
}

fn outcome(name: &str) -> Result<SessionOutcome, String> {
    SessionOutcome::from_name(&name.to_lowercase()).ok_or_else(|| {
        let known: Vec<&str> = SessionOutcome::ALL.iter().map(|outcome| outcome.name()).collect();
        format!("known outcomes: {}", known.join(", "))
    })
}

fn show(tables: &Tables, session: &SessionId, as_json: bool) -> anyhow::Result<()> {
    let row = tables.outcome(session).map_err(person)?;
    match row {
        Some(row) if as_json => print::json(&row),
        Some(row) => print::line(&in_words(&row)),
        None if as_json => print::json(&json!({ "session": session, "outcome": null })),
        None => {
            let what = "nothing showed how it ended; say it with `throughline outcome";
            print::line(&format!("{what} {} succeeded`", short(session)))
        }
    }
}

fn say(
    world: &World,
    session: &SessionId,
    outcome: SessionOutcome,
    note: Option<&str>,
    as_json: bool,
) -> anyhow::Result<()> {
    let note = note.map(|note| remember::clean(world, note.trim())).transpose()?;
    if note.as_ref().is_some_and(|note| note.chars().count() > MAX_NOTE_CHARS) {
        let what = format!("a note has at most {MAX_NOTE_CHARS} characters");
        return Err(hint(Failure::Person, what, "keep the rest with `throughline remember`"));
    }
    reader::send(world, &[Deed::Outcome { session: session.clone(), outcome, note }])?;
    show(&reader::tables(world)?, session, as_json)
}

/// `partial+ (inferred): 1 commit was made; 2 steps are left open`.
pub(super) fn in_words(row: &OutcomeRow) -> String {
    let by = print::one_line(&row.said_by, 20);
    let why =
        if row.why.is_empty() { String::new() } else { format!(": {}", print::one_line(&row.why, 1000)) };
    format!("{} ({by}){why}", row.outcome.name())
}
