//! The end of the daemon's log, line by line.

use std::borrow::Cow;

use model::Millis;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::endpoint::{Asked, Endpoint, Given, Nothing, get};
use crate::House;
use crate::problem::Problem;

/// A screen's worth a hundred times over.
const MAX_LINES: u16 = 2000;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![get("/api/v1/logs", "The last lines of the daemon's log, oldest first", logs)]
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u16")]
struct Lines(u16);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[serde(default)]
    lines: Lines,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Log {
    lines: Vec<LogLine>,
}

/// An occurrence. A line that is not one of ours is text alone.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct LogLine {
    at: Option<Millis>,
    /// `INFO` or `WARN`.
    level: Option<String>,
    text: String,
}

fn logs(house: &dyn House, asked: Asked<Nothing, Wanted>) -> Result<Given<Log>, Problem> {
    let lines = house.log(usize::from(asked.query.lines.0));
    Ok(Log { lines: lines.iter().map(|line| parse(line)).collect() }.into())
}

/// `2026-11-16T11:00:00.000Z WARN what happened`.
fn parse(line: &str) -> LogLine {
    let mut parts = line.splitn(3, ' ');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(at), Some(level @ ("INFO" | "WARN")), Some(text)) if moment(at).is_some() => {
            LogLine { at: moment(at), level: Some(level.to_owned()), text: text.to_owned() }
        }
        _ => LogLine { at: None, level: None, text: line.to_owned() },
    }
}

/// A time as the log writes it, `2026-11-16T11:00:00.000Z`, in milliseconds.
fn moment(text: &str) -> Option<Millis> {
    let is_ours = text.len() == 24
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            10 => byte == b'T',
            13 | 16 => byte == b':',
            19 => byte == b'.',
            23 => byte == b'Z',
            _ => byte.is_ascii_digit(),
        });
    let part = |from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
    if !is_ours {
        return None;
    }
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let (hours, minutes, seconds) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
    // Days of the calendar, counted from March so that the leap day is the last of a year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    let since_1970 = days.checked_sub(719_469)?;
    Some((((since_1970 * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + part(20, 23)?)
}

impl Default for Lines {
    fn default() -> Self {
        Self(200)
    }
}

impl TryFrom<u16> for Lines {
    type Error = String;

    fn try_from(lines: u16) -> Result<Self, Self::Error> {
        if (1..=MAX_LINES).contains(&lines) {
            Ok(Self(lines))
        } else {
            Err(format!("lines is 1 to {MAX_LINES}"))
        }
    }
}

impl JsonSchema for Lines {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Lines".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": MAX_LINES, "default": 200 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart_and_a_strange_one_is_left_whole() {
        let line = parse("2026-11-16T11:00:00.000Z WARN not kept: disk full");
        assert_eq!((line.at, line.level.as_deref()), (Some(1_794_826_800_000), Some("WARN")));
        assert_eq!(moment("1970-01-01T00:00:00.007Z"), Some(7));
        assert_eq!(moment("2024-02-29T23:59:59.999Z"), Some(1_709_251_199_999));
        assert_eq!(line.text, "not kept: disk full");
        assert_eq!(parse("<script> INFO x").text, "<script> INFO x");
        assert_eq!(parse("").text, "");
    }
}
