//! Times as people write them in front matter: a day, or a moment. What names no zone is UTC.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use model::Millis;

/// The end of the year 2199: what is said to be later is a mistake.
const LATEST: Millis = 7_258_118_399_999;
const DAY: Millis = 24 * 60 * 60 * 1000;

/// RFC 3339, a date and a time, or a date alone.
pub(crate) fn read(text: &str) -> Option<Millis> {
    let text = text.trim();
    let timestamp = text.parse::<Timestamp>().ok().or_else(|| {
        let civil: DateTime = text.parse().ok()?;
        Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
    })?;
    let at = Millis::try_from(timestamp.as_millisecond()).ok()?;
    (1..=LATEST).contains(&at).then_some(at)
}

pub(crate) fn day(at: Millis) -> String {
    stamp(at).strftime("%Y-%m-%d").to_string()
}

pub(crate) fn moment(at: Millis) -> String {
    stamp(at).to_string()
}

/// Whether a file, which names days, says the same of both.
pub fn same_day(one: Option<Millis>, other: Option<Millis>) -> bool {
    one.map(|at| at / DAY) == other.map(|at| at / DAY)
}

fn stamp(at: Millis) -> Timestamp {
    Timestamp::from_millisecond(at.min(LATEST) as i64).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_and_a_moment_read_back() {
        let at = 1_763_244_000_123;
        assert_eq!(read(&moment(at)), Some(at));
        assert_eq!(day(at), "2025-11-15");
        assert!(same_day(read(&day(at)), Some(at)) && !same_day(None, Some(at)));
        assert_eq!(read("2025-11-15 22:00:00"), Some(1_763_244_000_000));
        for text in ["", "soon", "12", "9999-01-01", "1960-01-01"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
