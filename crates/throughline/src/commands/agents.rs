//! Agents that other agents started: what each is part of, whether it is back, what it answered.

use std::collections::HashMap;

use clap::Args;
use engine::coordination::pattern_of;
use engine::patterns::Pattern;
use serde_json::json;
use store::{CallRow, SubagentRow};

use super::{pattern, reader};
use crate::print;
use crate::report::person;
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct Agents {
    /// Of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Agents {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        let session = self.session.as_deref().map(|id| reader::session(&tables, id)).transpose()?;
        let session = session.map(|row| row.id);
        let rows = tables.subagents(session.as_ref(), self.limit.max(1)).map_err(person)?;
        let mut patterns: HashMap<String, Option<Pattern>> = HashMap::new();
        let mut known = Vec::new();
        for row in &rows {
            let call = tables.call_of_agent(&row.session, &row.id).map_err(person)?;
            let mut part = None;
            if let Some(id) = call.as_ref().and_then(|call| call.pattern.as_ref()) {
                if !patterns.contains_key(id) {
                    let found = tables.pattern(id).map_err(person)?.as_ref().and_then(pattern_of);
                    patterns.insert(id.clone(), found);
                }
                part = patterns[id].as_ref().map(|pattern| (pattern, pattern::part_of(pattern, &row.id)));
            }
            known.push(Known::of(row, call.as_ref(), part));
        }
        if self.json {
            return known.iter().try_for_each(|one| print::json(&one.json));
        }
        if known.is_empty() {
            print::remark("no agent was started by another one");
            return Ok(());
        }
        let cells: Vec<_> = known.into_iter().map(|one| one.cells).collect();
        print::table(&["AGENT", "KIND", "STATE", "PART", "STARTED", "ABOUT", "ANSWER"], &cells, world.color)
    }
}

struct Known {
    json: serde_json::Value,
    cells: Vec<String>,
}

impl Known {
    fn of(
        row: &SubagentRow,
        call: Option<&CallRow>,
        part: Option<(&Pattern, Option<(String, String)>)>,
    ) -> Self {
        // A vote is nobody's business before all are in.
        let sealed = part
            .as_ref()
            .is_some_and(|(pattern, _)| pattern.outcome.is_none() && pattern.spec.kind().is_sealed());
        let answer = row.result.as_deref().filter(|_| !sealed).map(last_line);
        let part = part.and_then(|(_, part)| part).map(|(title, label)| format!("{label} of {title}"));
        let about = call.and_then(|call| call.about.as_deref());
        Self {
            json: json!({
                "session": row.session, "id": row.id, "kind": row.kind, "state": row.state, "part": part,
                "started_at": row.started_at, "ended_at": row.ended_at, "about": about, "answer": answer,
            }),
            cells: vec![
                print::one_line(&row.id, 20),
                print::one_line(&row.kind, 24),
                row.state.clone(),
                print::one_line(part.as_deref().unwrap_or("-"), 48),
                print::time(row.started_at),
                print::one_line(about.unwrap_or("-"), 32),
                print::one_line(answer.unwrap_or("-"), 80),
            ],
        }
    }
}

/// The line an answer ends with says the most.
fn last_line(text: &str) -> &str {
    text.lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("```"))
        .unwrap_or_default()
}
