//! The sessions of all agents.

use clap::Args;
use serde_json::json;
use store::{SessionFilter, SessionRow};

use super::reader;
use crate::print;
use crate::report::person;
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct Sessions {
    /// Only sessions that have not ended
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
        let filter = SessionFilter {
            live: self.live,
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
