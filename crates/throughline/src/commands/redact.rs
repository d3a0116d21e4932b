//! The redactor as a filter: the same code and the same rules that guard the journal.

use std::io::{self, Read, Write};

use clap::Args;
use serde_json::json;

use crate::config;
use crate::print;
use crate::report::{Failure, hint};
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct Redact {
    /// List the findings, one JSON object a line, instead of the text
    #[arg(long)]
    json: bool,
    /// Treat the input as one hook envelope (JSON) and not as plain text
    #[arg(long)]
    envelope: bool,
}

impl Redact {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let settings = config::redaction(&world.place);
        let redactor = redact::Redactor::new(settings).map_err(|error| {
            hint(Failure::Person, error.to_string(), "correct redact.patterns with `throughline config set`")
        })?;
        let mut input = Vec::new();
        io::stdin().lock().read_to_end(&mut input)?;
        let (output, findings) = if self.envelope {
            let redacted = redactor.envelope(&input);
            (redacted.json, redacted.findings)
        } else {
            let redacted = redactor.bytes(&input);
            (redacted.bytes, redacted.findings)
        };
        if self.json {
            return findings.iter().try_for_each(|finding| {
                print::json(&json!({
                    "kind": finding.kind,
                    "rule": finding.rule,
                    "start": finding.start,
                    "end": finding.end,
                    "mark": finding.mark,
                    "path": finding.path,
                }))
            });
        }
        io::stdout().lock().write_all(&output)?;
        Ok(())
    }
}
