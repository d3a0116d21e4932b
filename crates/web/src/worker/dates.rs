//! Times as theirs writes them: ISO 8601 in UTC, with milliseconds.

use model::Millis;

const DAY: u64 = 86_400_000;

/// `2026-11-15T19:33:00.000Z`.
pub(super) fn iso(at: Millis) -> String {
    let (year, month, day) = civil(at / DAY);
    let (seconds, millis) = (at % DAY / 1000, at % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Years are counted from March, so that the leap day is a year's last, in eras of 400 years of 146,097 days.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let january = u64::from(month >= 10);
    (era * 400 + year + january, if month < 10 { month + 3 } else { month - 9 }, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_as_javascript_writes_it() {
        for (at, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_709_208_000_123, "2024-02-29T12:00:00.123Z"),
            (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(iso(at), text);
        }
    }
}
