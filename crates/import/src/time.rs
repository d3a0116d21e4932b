//! Reads the times others write: numbers of four sizes and several ways to write a date. Never guesses a zone:
//! what names none is UTC.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use model::Millis;
use serde_json::Value;

/// The end of the year 2199. What is said to be later is no time but a mistake in its unit.
pub const LATEST: Millis = 7_258_118_399_999;

/// Larger than the seconds of any date until the year 5138, smaller than the milliseconds of any after 1973.
const FIRST_MILLIS: f64 = 1e11;
const FIRST_MICROS: f64 = 1e14;
const FIRST_NANOS: f64 = 1e17;

pub(crate) fn from_value(value: &Value) -> Option<Millis> {
    match value {
        Value::Number(number) => from_number(number.as_f64()?),
        Value::String(text) => from_text(text),
        _ => None,
    }
}

/// Seconds, milliseconds, microseconds or nanoseconds, told apart by their size.
pub(crate) fn from_number(number: f64) -> Option<Millis> {
    if !number.is_finite() || number <= 0.0 {
        return None;
    }
    let millis = match number {
        n if n < FIRST_MILLIS => n * 1e3,
        n if n < FIRST_MICROS => n,
        n if n < FIRST_NANOS => n / 1e3,
        n => n / 1e6,
    };
    // A float beyond the largest integer becomes the largest.
    within(millis.round() as Millis)
}

/// RFC 3339, a date and a time, a date alone, or digits.
pub(crate) fn from_text(text: &str) -> Option<Millis> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return from_number(number);
    }
    let timestamp = text.parse::<Timestamp>().ok().or_else(|| {
        let civil: DateTime = text.parse().ok()?;
        Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
    })?;
    within(Millis::try_from(timestamp.as_millisecond()).ok()?)
}

/// Zero is how "not known" is kept.
fn within(at: Millis) -> Option<Millis> {
    (1..=LATEST).contains(&at).then_some(at)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_moment_is_read_from_every_way_to_write_it() {
        let at = Some(1_763_244_000_000);
        for value in [
            json!(1_763_244_000),
            json!(1_763_244_000.0),
            json!(1_763_244_000_000_i64),
            json!(1_763_244_000_000_000_i64),
            json!(1_763_244_000_000_000_000_i64),
            json!("1763244000"),
            json!("2025-11-15T22:00:00Z"),
            json!("2025-11-15T23:00:00+01:00"),
            json!("2025-11-15 22:00:00"),
        ] {
            assert_eq!(from_value(&value), at, "{value}");
        }
        assert_eq!(from_text("2025-11-15"), Some(1_763_164_800_000));
        for value in [
            json!(null),
            json!(-5),
            json!(1e-9),
            json!(1e300),
            json!(9e20),
            json!(u64::MAX),
            json!(7_258_118_400_u64),
            json!("soon"),
            json!(""),
            json!("nan"),
            json!([1]),
            json!("1969-01-01"),
            json!("2200-01-01T00:00:00Z"),
            json!("9999-12-31"),
        ] {
            assert_eq!(from_value(&value), None, "{value}");
        }
    }
}
