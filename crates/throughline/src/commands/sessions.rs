//! The sessions of all agents.

use clap::Args;
use serde_json::json;
use store::{ClaimRow, PeerRow, SessionFilter, SessionRow, Tables};

use super::{live, reader};
use crate::report::person;
use crate::world::World;
use crate::{print, when};

/// Nobody here can ask a process on another machine: without a sign for half an hour it is not counted.
const RECENT: u64 = 30 * 60 * 1000;
/// Files of one session that a line shows.
const MAX_HELD: usize = 20;

#[derive(Debug, Args)]
pub(crate) struct Sessions {
    /// Only sessions at work now, with what they were asked and which files they hold
    #[arg(long)]
    live: bool,
    /// Only sessions of this project
    #[arg(long)]
    project: Option<String>,
    /// The last so many; 0 for all [default: 20, with --json all]
    #[arg(long)]
    limit: Option<usize>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Sessions {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        if self.live {
            return self.live(world);
        }
        let filter = SessionFilter {
            project: self.project.clone(),
            limit: self.limit.unwrap_or(if self.json { 0 } else { 20 }),
            ..SessionFilter::default()
        };
        let tables = reader::tables(world)?;
        let sessions = tables.sessions(&filter).map_err(person)?;
        if self.json {
            return sessions.iter().try_for_each(|session| {
                let mut row = json!(session);
                row["outcome"] = json!(tables.outcome(&session.id).map_err(person)?.map(|row| row.outcome));
                print::json(&row)
            });
        }
        let rows: Vec<_> = sessions.iter().map(cells).collect();
        print::table(
            &["SESSION", "LAST SEEN", "PROJECT", "BRANCH", "PROMPTS", "TOOLS", "STATE"],
            &rows,
            world.color,
        )
    }
}

impl Sessions {
    fn live(&self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        let mut rows = live::sessions(&tables)?;
        rows.retain(|row| self.project.is_none() || row.session.project == self.project);
        if let Some(limit) = self.limit.filter(|limit| *limit > 0) {
            rows.truncate(limit);
        }
        if self.json {
            return rows.iter().try_for_each(|row| print::json(&live::to_json(&tables, row)?));
        }
        let elsewhere = elsewhere(&tables)?;
        if rows.is_empty() && elsewhere.is_empty() {
            print::remark("no session is at work");
            return Ok(());
        }
        let cells = |row: &PeerRow| -> anyhow::Result<Vec<String>> {
            let session = &row.session;
            let files: Vec<String> = live::files(&tables, session)?.iter().map(held).collect();
            let or_dash = |text: &Option<String>| print::one_line(text.as_deref().unwrap_or("-"), 24);
            Ok(vec![
                print::one_line(session.id.as_str(), 8),
                print::time(session.last_seen_at),
                or_dash(&session.project),
                or_dash(&session.branch),
                print::one_line(
                    if files.is_empty() { "-".to_owned() } else { files.join(", ") }.as_str(),
                    60,
                ),
                print::one_line(row.goal.as_deref().unwrap_or("-"), 60),
            ])
        };
        let rows = rows.iter().map(cells).collect::<anyhow::Result<Vec<_>>>()?;
        if !rows.is_empty() {
            print::table(&["SESSION", "LAST SEEN", "PROJECT", "BRANCH", "HOLDS", "FOR"], &rows, world.color)?;
        }
        if !elsewhere.is_empty() {
            print::line("on other machines of the team:")?;
            print::table(
                &["SESSION", "LAST SEEN", "WHOSE", "BRANCH", "HOLDS", "FOR"],
                &elsewhere,
                world.color,
            )?;
        }
        Ok(())
    }
}

/// Teammates' sessions on projects that are shared, last heard of first.
fn elsewhere(tables: &Tables) -> anyhow::Result<Vec<Vec<String>>> {
    let now = when::now();
    let mut rows = Vec::new();
    for project in tables.shared_projects().map_err(person)? {
        let since = now.saturating_sub(engine::CLAIM_LEASE);
        let claims = tables.team_claims(&project, None, since).map_err(person)?;
        for (by, session) in tables.team_sessions(&project, now.saturating_sub(RECENT)).map_err(person)? {
            let held = claims.iter().filter(|(_, claim)| claim.session == session.id);
            let held: Vec<&str> = held.map(|(_, claim)| claim.path.as_str()).take(MAX_HELD).collect();
            let or_dash =
                |text: &str, most: usize| print::one_line(if text.is_empty() { "-" } else { text }, most);
            rows.push(vec![
                print::one_line(session.id.as_str(), 8),
                print::time(session.seen_at),
                print::one_line(&by.user, 24),
                or_dash(session.branch.as_deref().unwrap_or_default(), 24),
                or_dash(&held.join(", "), 60),
                or_dash(session.goal.as_deref().unwrap_or_default(), 60),
            ]);
        }
    }
    Ok(rows)
}

/// A file by its name in its repository.
fn held(claim: &ClaimRow) -> String {
    claim.relative.clone().unwrap_or_else(|| claim.path.clone())
}

fn cells(session: &SessionRow) -> Vec<String> {
    let or_dash = |text: &Option<String>| print::one_line(text.as_deref().unwrap_or("-"), 24);
    vec![
        print::one_line(session.id.as_str(), 8),
        print::time(session.last_seen_at),
        or_dash(&session.project),
        or_dash(&session.branch),
        session.prompts.to_string(),
        session.tools.to_string(),
        session
            .end_reason
            .as_deref()
            .map_or_else(|| "open".to_owned(), |reason| print::one_line(&format!("ended ({reason})"), 30)),
    ]
}
