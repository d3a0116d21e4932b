//! One session: what was asked and what happened.

use clap::Args;
use serde_json::json;
use store::{EventFilter, Order};

use super::reader;
use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The session's id, or a unique beginning of it
    session: String,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        let Some(session) = tables.session(&self.session).map_err(person)? else {
            let what = format!("no session begins with \"{}\"", print::one_line(&self.session, 40));
            return Err(hint(Failure::Person, what, "`throughline sessions` lists them"));
        };
        let prompts = tables.prompts(&session.id).map_err(person)?;
        let filter = EventFilter {
            session: Some(session.id.clone()),
            order: Order::OldestFirst,
            ..EventFilter::default()
        };
        let events = tables.events(&filter).map_err(person)?;
        if self.json {
            return print::json(&json!({ "session": session, "prompts": prompts, "events": events }));
        }
        let known = |label: &str, value: &Option<String>| {
            value
                .as_ref()
                .map(|value| format!("{label:<10}{}\n", print::one_line(value, 100)))
                .unwrap_or_default()
        };
        let mut head = format!("session   {}\nagent     {}\n", session.id, session.agent);
        head.push_str(&known("project", &session.project));
        head.push_str(&known("branch", &session.branch));
        head.push_str(&known("folder", &session.cwd));
        head.push_str(&known("model", &session.model));
        head.push_str(&format!("started   {}\n", print::time(session.started_at)));
        match session.ended_at {
            Some(at) => {
                let reason = session.end_reason.as_deref().unwrap_or("other");
                head.push_str(&format!("ended     {} ({reason})\n", print::time(at)));
            }
            None => head.push_str(&format!("last seen {}\n", print::time(session.last_seen_at))),
        }
        print::line(&engine::sanitize(&head))?;
        for event in &events {
            let prompt = prompts.iter().find(|prompt| prompt.id == event.id);
            let what = match (prompt, &event.tool) {
                (Some(prompt), _) => format!("#{} {}", prompt.number, print::one_line(&prompt.text, 100)),
                (None, Some(tool)) => print::one_line(tool, 40),
                (None, None) => String::new(),
            };
            let row = format!("{}  {:<20} {what}", print::time(event.at), print::one_line(&event.kind, 20));
            print::line(row.trim_end())?;
        }
        Ok(())
    }
}
