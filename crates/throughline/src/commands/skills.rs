//! Which skills and rules there are, and what a prompt would call for. Says nothing to an agent.

use clap::{Args, Subcommand};
use engine::skills::{Places, Prompt, hits, shelf};
use serde_json::json;

use crate::print;
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct Skills {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The rules and skills that are found from here, and what is wrong with them
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Which skills a prompt calls for, and why
    #[command(after_help = "Example: throughline skills test 'write a migration for the orders table'")]
    Test {
        prompt: String,
        /// One JSON object a line: name, score, priority, enforcement, sure, why
        #[arg(long)]
        json: bool,
    },
}

const WIDTH: usize = 100;

impl Skills {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let root = world.project_root();
        let shelf = shelf(Places { workspace: Some(&root), home: world.home.as_deref() });
        match &self.command {
            Command::List { json: as_json } => {
                for rule in &shelf.rules {
                    let (priority, enforcement) = (rule.priority.name(), rule.enforcement.name());
                    let file = if rule.is_theirs { &shelf.their_file } else { &shelf.file };
                    if *as_json {
                        print::json(&json!({
                            "name": rule.name, "kind": if rule.is_agent { "agent" } else { "skill" }, "by": "rule",
                            "priority": priority, "enforcement": enforcement, "description": rule.description,
                            "file": file.as_ref().map(|file| file.to_string_lossy().into_owned()),
                        }))?;
                    } else {
                        let about = print::one_line(&rule.description, WIDTH);
                        print::line(&format!("{:<28}  {priority:<8}  {enforcement:<7}  {about}", rule.name))?;
                    }
                }
                for skill in &shelf.skills {
                    if *as_json {
                        print::json(&json!({
                            "name": skill.name, "kind": "skill", "by": "description",
                            "description": skill.description, "file": skill.file.to_string_lossy(),
                        }))?;
                    } else {
                        let about = print::one_line(&skill.description, WIDTH);
                        print::line(&format!("{:<28}  {:<8}  {:<7}  {about}", skill.name, "-", "-"))?;
                    }
                }
                for fault in &shelf.faults {
                    print::remark(&format!("fault: {}", print::one_line(fault, 2 * WIDTH)));
                }
                if shelf.rules.is_empty() && shelf.skills.is_empty() {
                    print::remark("no rules and no skills here, and none of yours");
                }
                Ok(())
            }
            Command::Test { prompt, json: as_json } => {
                let prompt = Prompt::read(prompt, &[]);
                let found = prompt.as_ref().map(|prompt| hits(&shelf, prompt)).unwrap_or_default();
                for hit in &found {
                    let (priority, enforcement) = (hit.priority.name(), hit.enforcement.name());
                    if *as_json {
                        print::json(&json!({
                            "name": hit.name, "score": hit.score, "priority": priority,
                            "enforcement": enforcement, "sure": hit.is_sure, "why": hit.why,
                        }))?;
                    } else {
                        let why = print::one_line(&hit.why, WIDTH);
                        print::line(&format!(
                            "{}  {:.2}  {priority}, {enforcement}: {why}",
                            hit.name, hit.score
                        ))?;
                    }
                }
                if found.is_empty() && !as_json {
                    print::line("nothing: an agent would hear of no skill")?;
                }
                Ok(())
            }
        }
    }
}
