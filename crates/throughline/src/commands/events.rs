//! What was journaled, one event a line.

use clap::Args;
use model::SessionId;
use serde_json::json;
use store::journal::Reader;
use store::{EventFilter, EventRow, Order};

use super::reader;
use crate::print;
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct Events {
    /// Only events of this session (its id or a unique beginning of it)
    #[arg(long)]
    session: Option<String>,
    /// Only events of this kind, such as PostToolUse
    #[arg(long)]
    event: Option<String>,
    /// Only events of this tool, such as Bash
    #[arg(long)]
    tool: Option<String>,
    /// The newest so many; 0 for all [default: 50, with --json all]
    #[arg(long)]
    limit: Option<usize>,
    /// One JSON object a line, with the redacted envelope
    #[arg(long)]
    json: bool,
}

impl Events {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        let session = match &self.session {
            Some(id) => Some(
                tables
                    .session(id)
                    .map_err(crate::report::person)?
                    .map_or_else(|| SessionId::new(id), |found| found.id),
            ),
            None => None,
        };
        let mut rows = tables
            .events(&EventFilter {
                session,
                kind: self.event.clone(),
                tool: self.tool.clone(),
                after: None,
                order: Order::NewestFirst,
                limit: self.limit.unwrap_or(if self.json { 0 } else { 50 }),
            })
            .map_err(crate::report::person)?;
        rows.reverse();
        if self.json {
            let journal = reader::journal(world)?;
            return rows.iter().try_for_each(|row| print_json(&journal, row));
        }
        let rows: Vec<_> = rows.iter().map(cells).collect();
        print::table(&["SEQ", "AT", "SESSION", "EVENT", "TOOL", "SIZE"], &rows, world.color)
    }
}

/// What scripts may rely on: `{id, seq, at, agent, session, event, tool, envelope}`. An envelope that retention or
/// damage took is `null`; the row still tells that it was there.
pub(super) fn print_json(journal: &Reader, row: &EventRow) -> anyhow::Result<()> {
    let fields = json!({
        "id": row.id.to_string(),
        "seq": row.seq,
        "at": row.at,
        "agent": row.agent,
        "session": row.session,
        "event": row.kind,
        "tool": row.tool,
    });
    let envelope = match journal.read_at(row.location) {
        Ok(stored) => on_one_line(&stored.entry.envelope),
        Err(_) => "null".to_owned(),
    };
    // Pasted, not parsed: an envelope may be nested deeper than any parser goes.
    let fields = fields.to_string();
    print::line(&format!("{},\"envelope\":{envelope}}}", &fields[..fields.len() - 1]))
}

/// Leaves out white space between JSON tokens; inside strings line ends are escaped anyway.
fn on_one_line(json: &[u8]) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let kept = json.iter().copied().filter(|byte| {
        let keep = in_string || !byte.is_ascii_whitespace();
        match byte {
            b'"' if !escaped => in_string = !in_string,
            _ => {}
        }
        escaped = in_string && *byte == b'\\' && !escaped;
        keep
    });
    String::from_utf8_lossy(&kept.collect::<Vec<_>>()).into_owned()
}

fn cells(row: &EventRow) -> Vec<String> {
    vec![
        row.seq.to_string(),
        print::time(row.at),
        print::one_line(row.session.as_str(), 8),
        print::one_line(&row.kind, 24),
        print::one_line(row.tool.as_deref().unwrap_or("-"), 24),
        print::bytes(row.bytes),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_fits_on_one_line_and_its_strings_stay() {
        let pretty = b"{\n  \"a b\": \"x \\\" \\\\\",\r\n\t\"c\" : [ 1 ]\n}";
        assert_eq!(on_one_line(pretty), r#"{"a b":"x \" \\","c":[1]}"#);
    }
}
