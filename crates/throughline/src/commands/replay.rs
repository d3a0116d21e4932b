//! Feeds recorded envelopes through the pipeline and prints what every step made of them: to see why a hook answered
//! as it did, to write a behavior or a rule, to report a fault. Changes nothing that is kept.

mod page;
mod recording;
mod scratch;

use std::time::{Duration, Instant};

use clap::Args;
use client::call;
use serde_json::{Value, json};
use wire::Kind;

use self::page::Totals;
use self::recording::{Found, Recorded};
use self::scratch::Scratch;
use super::reader;
use crate::print;
use crate::report::{Failure, hint};
use crate::world::World;

/// An envelope of 50 MB on a busy machine, and the rules that hear of it.
const PATIENCE: Duration = Duration::from_mins(1);

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  throughline events --json | throughline replay -        what would be made of them now
  throughline replay recorded/ -v                         every file, also who stayed silent
  throughline replay turn.jsonl --behavior recall-on-prompt
  throughline replay turn.jsonl --scratch                 in a throw-away store, with what was learned")]
pub(crate) struct Replay {
    /// Files of envelopes (one, or one a line, also as `events --json` prints them), folders of them, `-` for stdin
    #[arg(required = true, value_name = "FILE|DIR")]
    files: Vec<String>,
    /// As if this agent had sent them, where the recording does not say
    #[arg(long, value_name = "NAME", value_parser = agent)]
    agent: Option<String>,
    /// Ask this behavior alone
    #[arg(long, value_name = "NAME", value_parser = behavior)]
    behavior: Option<String>,
    /// Begin with an empty store, really journal and learn, show the memories that come of it, and throw it away
    #[arg(long)]
    scratch: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    /// Also those who said nothing, what was said, and the reply
    #[arg(long, short)]
    verbose: bool,
}

impl Replay {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let scratch = if self.scratch { Some(Scratch::open(world)?) } else { None };
        let world = scratch.as_ref().map_or(world, Scratch::world);
        reader::start(world)?;
        let mut run = Run {
            command: self,
            world,
            scratch: scratch.as_ref(),
            id: client::mint(),
            totals: Totals::default(),
        };
        for named in &self.files {
            for file in recording::files(named)? {
                recording::read(&file, &mut |found| run.take(found))?;
            }
        }
        if !self.json {
            print::text(&run.totals.page(world.color))?;
        }
        if let Some(scratch) = &scratch {
            scratch.show(self.json)?;
        }
        match run.totals.troubles {
            0 => Ok(()),
            troubles => {
                let what =
                    print::count(troubles, "recording could not be read", "recordings could not be read");
                Err(hint(Failure::Person, what, "name files of JSON, or of JSON lines"))
            }
        }
    }
}

/// One replay under way.
struct Run<'a> {
    command: &'a Replay,
    world: &'a World,
    scratch: Option<&'a Scratch>,
    /// The daemon remembers under it what one event changes for the next.
    id: model::EventId,
    totals: Totals,
}

impl Run<'_> {
    fn take(&mut self, found: Found) -> anyhow::Result<()> {
        match found {
            Found::Envelope(recorded) => {
                let mut answer = self.ask(&recorded)?;
                answer["file"] = json!(recorded.place);
                self.totals.add(&answer);
                if let Some(scratch) = self.scratch {
                    scratch.deliver(&recorded, self.agent(&recorded))?;
                }
                if self.command.json {
                    return print::json(&answer);
                }
                print::text(&page::event(&answer, self.world, self.command.verbose))
            }
            Found::Trouble { place, what } => {
                self.totals.troubles += 1;
                if self.command.json {
                    return print::json(&json!({ "file": place, "error": what }));
                }
                print::line(&format!("{}: {what}", print::one_line(&place, 300)))
            }
        }
    }

    fn agent<'a>(&'a self, recorded: &'a Recorded) -> &'a str {
        let recorded = recorded.agent.as_deref().filter(|name| agents::by_name(name).is_some());
        recorded.or(self.command.agent.as_deref()).unwrap_or(agents::ALL[0].name())
    }

    fn ask(&self, recorded: &Recorded) -> anyhow::Result<Value> {
        let header = json!({
            "agent": self.agent(recorded),
            "hint": recorded.hint,
            "context": recorded.context,
            "behavior": self.command.behavior,
        });
        let mut body = header.to_string().into_bytes();
        body.push(b'\n');
        body.extend_from_slice(&recorded.body);
        let question = client::Request {
            kind: Kind::Control,
            id: self.id,
            agent: "",
            event: "replay",
            context: b"",
            body: &body,
        };
        let reply = call(&self.world.place, &question, Instant::now() + PATIENCE);
        let answer: Value =
            serde_json::from_slice(&reply.map_err(|trouble| reader::explain(&trouble))?.stdout)?;
        match answer["error"].as_str() {
            Some(what) => Err(hint(Failure::Person, what, "try again")),
            None => Ok(answer),
        }
    }
}

fn agent(name: &str) -> Result<String, String> {
    let known = || agents::ALL.iter().map(|adapter| adapter.name()).collect::<Vec<_>>().join(", ");
    agents::by_name(name).map(|_| name.to_owned()).ok_or_else(|| format!("known agents: {}", known()))
}

fn behavior(name: &str) -> Result<String, String> {
    let known = || engine::ALL.iter().map(|behavior| behavior.name()).collect::<Vec<_>>().join(", ");
    engine::by_name(name).map(|_| name.to_owned()).ok_or_else(|| format!("known behaviors: {}", known()))
}
