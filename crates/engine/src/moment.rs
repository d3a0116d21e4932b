//! A moment as people read it, in UTC: an agent's machine may be anywhere.

use model::Millis;

const MINUTE: u64 = 60 * 1000;
const DAY: u64 = 24 * 60 * MINUTE;

/// `2026-11-15`.
pub(crate) fn day(at: Millis) -> String {
    let (year, month, day) = civil(at / DAY);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `2026-11-15 19:33 UTC`.
pub(crate) fn minute(at: Millis) -> String {
    let minutes = at % DAY / MINUTE;
    format!("{} {:02}:{:02} UTC", day(at), minutes / 60, minutes % 60)
}

/// `40 minutes`, `3 hours`, `2 days`.
pub(crate) fn span(length: Millis) -> String {
    let (number, name) = match length / MINUTE {
        minutes @ 0..120 => (minutes, "minute"),
        minutes @ 120..2880 => (minutes / 60, "hour"),
        minutes => (minutes / 1440, "day"),
    };
    format!("{number} {name}{}", if number == 1 { "" } else { "s" })
}

/// Year, month and day from the days since 1970: years are counted from March, so that the leap day is a year's
/// last, and in eras of 400 years, which all have as many days.
fn civil(days: u64) -> (u64, u64, u64) {
    const ERA: u64 = 146_097;
    // From the first of March of the year 0.
    let days = days + 719_468;
    let of_era = days % ERA;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / (ERA - 1)) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + days / ERA * 400;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_the_calendar_has_them() {
        assert_eq!(minute(0), "1970-01-01 00:00 UTC");
        assert_eq!(day(951_782_400_000), "2000-02-29");
        assert_eq!(day(4_107_542_400_000), "2100-03-01");
        assert_eq!(minute(1_794_771_228_505), "2026-11-15 19:33 UTC");
        assert_eq!(
            [span(MINUTE), span(119 * MINUTE), span(3 * 60 * MINUTE), span(3 * DAY)],
            ["1 minute", "119 minutes", "3 hours", "3 days"]
        );
    }
}
