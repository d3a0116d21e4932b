//! Days, months and years of a moment, in UTC. No time zones, and nothing before 1970.

/// Milliseconds.
pub(crate) const DAY: u64 = 24 * 60 * 60 * 1000;

/// The year 10000: a clock beyond it is wrong.
pub(crate) const END: u64 = 253_402_300_800_000;

/// Years that are taken for one; a number beyond them is a number.
pub(crate) const YEARS: std::ops::RangeInclusive<u64> = 1990..=2099;

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// From the day the count of days begins with.
const WEEKDAYS: &[&str] = &["thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday"];

/// From 0. By its name, or by its first three letters.
pub(crate) fn month_named(word: &str) -> Option<u64> {
    let short = word.len() == 3 || word == "sept";
    MONTHS.iter().position(|name| *name == word || (short && name.starts_with(word))).map(|at| at as u64)
}

/// The first moment of the latest day of that name before today.
pub(crate) fn weekday_before(word: &str, now: u64) -> Option<u64> {
    let named = WEEKDAYS.iter().position(|name| *name == word)? as u64;
    let today = now / DAY;
    let back = (today + 7 - named - 1) % 7 + 1;
    Some(today.checked_sub(back)? * DAY)
}

/// The first moment of the day.
pub(crate) fn midnight(now: u64) -> u64 {
    now - now % DAY
}

/// The first moment of the week, which begins on Monday.
pub(crate) fn week_start(now: u64) -> u64 {
    midnight(now).saturating_sub((now / DAY + 3) % 7 * DAY)
}

/// Year and month (from 0) of a moment.
pub(crate) fn civil(at: u64) -> (u64, u64) {
    let mut year = 1970 + at / (366 * DAY);
    while start_of(year + 1, 0) <= at {
        year += 1;
    }
    let month = (0..12).rev().find(|month| start_of(year, *month) <= at).unwrap_or(0);
    (year, month)
}

/// The first moment of a month, counted from 0; more than 11 are months of the next years.
pub(crate) fn start_of(year: u64, month: u64) -> u64 {
    const BEFORE: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let (year, month) = (year + month / 12, month % 12);
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    let leap = leaps(year) - leaps(year - 1);
    let days = (year - 1970) * 365 + leaps(year - 1) - leaps(1969);
    (days + BEFORE[month as usize] + if month > 1 { leap } else { 0 }) * DAY
}

/// The first moment of a day, with month and day as people count them. `None`: there is no such day.
pub(crate) fn day(year: u64, month: u64, day: u64) -> Option<u64> {
    let month = month.checked_sub(1).filter(|month| *month < 12)?;
    if !YEARS.contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    let start = start_of(year, month) + (day - 1) * DAY;
    (start < start_of(year, month + 1)).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-16 00:00 UTC, a Monday.
    const NOW: u64 = 1_794_787_200_000;

    #[test]
    fn days_weeks_and_months_begin_where_they_do() {
        assert_eq!((civil(NOW), civil(NOW - 16 * DAY)), ((2026, 10), (2026, 9)));
        assert_eq!(day(2026, 11, 16), Some(NOW));
        assert_eq!((day(2026, 2, 29), day(2028, 2, 29).is_some(), day(2026, 13, 1)), (None, true, None));
        assert_eq!((week_start(NOW + 5), week_start(NOW - 1)), (NOW, NOW - 7 * DAY));
        assert_eq!(start_of(2025, 12), start_of(2026, 0));
        assert_eq!(weekday_before("friday", NOW), Some(NOW - 3 * DAY));
        assert_eq!((month_named("sept"), month_named("nov"), month_named("n")), (Some(8), Some(10), None));
    }
}
