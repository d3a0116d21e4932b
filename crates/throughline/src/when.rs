//! Moments as people type them: `3 weeks`, `yesterday`, `2026-01-31`, RFC 3339. A day begins where the person
//! lives.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};
use model::Millis;

use crate::report::{Failure, hint};

/// Which end of a day or a span is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Since,
    /// The day that is named still belongs to it.
    Until,
}

pub(crate) fn now() -> Millis {
    Timestamp::now().as_millisecond().max(0) as Millis
}

pub(crate) fn read(text: &str, end: End) -> anyhow::Result<Millis> {
    moment(text.trim(), end, &Zoned::now()).ok_or_else(|| {
        let what = format!("\"{}\" is no moment", crate::print::one_line(text, 40));
        hint(
            Failure::Person,
            what,
            "write it like \"3 weeks\", \"yesterday\", \"2026-01-31\" or \"2026-01-31T12:00:00Z\"",
        )
    })
}

fn moment(text: &str, end: End, now: &Zoned) -> Option<Millis> {
    let zone = now.time_zone();
    let day = match text.to_lowercase().as_str() {
        "now" => return millis(now.timestamp()),
        "today" => Some(now.date()),
        "yesterday" => now.date().yesterday().ok(),
        // A date of RFC 3339 parses as a date, too: only a text without a time is a day.
        _ if text.len() <= "2026-01-31".len() => text.parse::<Date>().ok(),
        _ => None,
    };
    if let Some(day) = day {
        let day = if end == End::Until { day.tomorrow().ok()? } else { day };
        return millis(day.to_zoned(zone.clone()).ok()?.timestamp());
    }
    if let Ok(stamp) = text.parse::<Timestamp>() {
        return millis(stamp);
    }
    if text.starts_with(|c: char| c.is_ascii_digit())
        && let Ok(time) = text.parse::<DateTime>()
    {
        return millis(time.to_zoned(zone.clone()).ok()?.timestamp());
    }
    millis(now.checked_sub(span(text)?).ok()?.timestamp())
}

/// `3 weeks`, `2d`, `3 weeks ago`, `last month`, `a year`.
fn span(text: &str) -> Option<Span> {
    let lower = text.to_lowercase();
    let one = ["last ", "past ", "an ", "a ", "one "].iter().find_map(|word| lower.strip_prefix(word));
    let span: Span = match one {
        Some(unit) => format!("1 {unit}").parse().ok()?,
        None if lower.starts_with(|c: char| c.is_ascii_digit()) => lower.parse().ok()?,
        None => return None,
    };
    Some(span.abs())
}

fn millis(stamp: Timestamp) -> Option<Millis> {
    Millis::try_from(stamp.as_millisecond()).ok()
}

/// How long ago, in the largest unit that says enough; past a month the day itself.
pub(crate) fn ago(at: Millis, now: Millis) -> String {
    const MINUTE: u64 = 60_000;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    match now.saturating_sub(at) {
        0..MINUTE => "just now".to_owned(),
        past @ MINUTE..HOUR => format!("{} min ago", past / MINUTE),
        past @ HOUR..DAY => format!("{} h ago", past / HOUR),
        past if past < 31 * DAY => format!("{} d ago", past / DAY),
        _ => day(at),
    }
}

/// `2026-01-31`, where the person lives.
pub(crate) fn day(at: Millis) -> String {
    let stamp = i64::try_from(at).ok().and_then(|at| Timestamp::from_millisecond(at).ok());
    stamp.map_or_else(|| "-".to_owned(), |stamp| stamp.to_zoned(TimeZone::system()).date().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60 * 1000;

    fn at_noon() -> Zoned {
        let noon: DateTime = "2026-11-16T12:00:00".parse().expect("a time");
        noon.to_zoned(TimeZone::UTC).expect("a moment")
    }

    #[test]
    fn moments_are_read_as_people_type_them() {
        let midnight = 1_794_787_200_000;
        let noon = midnight + DAY / 2;
        for (text, since) in [
            ("today", midnight),
            ("Yesterday", midnight - DAY),
            ("2026-11-15", midnight - DAY),
            ("2026-11-16T10:00:00Z", midnight + 10 * DAY / 24),
            ("2026-11-16T12:00:00+02:00", midnight + 10 * DAY / 24),
            ("2026-11-16T10:00", midnight + 10 * DAY / 24),
            ("3 weeks", noon - 21 * DAY),
            ("3 weeks ago", noon - 21 * DAY),
            ("2d", noon - 2 * DAY),
            ("1 week 2 days", noon - 9 * DAY),
            ("last month", noon - 31 * DAY),
            ("A year ago", noon - 365 * DAY),
            ("90 minutes", noon - DAY / 16),
            ("now", noon),
        ] {
            assert_eq!(moment(text, End::Since, &at_noon()), Some(since), "{text}");
        }
        for text in ["", "soon", "2026-13-01", "9999999999 years", "-3 weeks", "12", "\0"] {
            assert_eq!(moment(text, End::Since, &at_noon()), None, "{text}");
        }
    }

    #[test]
    fn a_day_named_as_the_end_still_belongs_to_it() {
        let until = moment("2026-11-15", End::Until, &at_noon()).expect("a moment");
        assert_eq!(until - moment("2026-11-15", End::Since, &at_noon()).expect("a moment"), DAY);
    }

    #[test]
    fn the_past_is_told_in_its_largest_unit() {
        let now = 1_794_787_200_000;
        for (past, said) in
            [(0, "just now"), (5 * 60_000, "5 min ago"), (3 * 3_600_000, "3 h ago"), (2 * DAY, "2 d ago")]
        {
            assert_eq!(ago(now - past, now), said);
        }
        assert_eq!(ago(now + 5, now), "just now", "a clock that is behind");
        assert!(ago(now - 300 * DAY, now).starts_with("2026-01-"));
    }
}
