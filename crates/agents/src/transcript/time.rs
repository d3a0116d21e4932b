//! `2026-11-15T19:33:08.845Z` to milliseconds. Agents write no other form; anything else is no time.

use model::Millis;

const DAY: u64 = 86_400_000;

pub(crate) fn millis(text: &str) -> Option<Millis> {
    let text = text.strip_suffix('Z')?;
    let (date, time) = text.split_once('T')?;
    let mut date = date.splitn(3, '-').map(number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut clock = clock.splitn(3, ':').map(number);
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let in_range = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !in_range {
        return None;
    }
    let fraction = number(format!("{fraction:0<3}").get(..3)?)?;
    Some(days(year, month, day) * DAY + ((hour * 60 + minute) * 60 + second) * 1000 + fraction)
}

fn number(digits: &str) -> Option<u64> {
    (!digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}

/// Days since 1970. Years begin in March, so that a leap day is the last of its year.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap_days = year / 4 - year / 100 + year / 400;
    // The first of March of the year 0 was 719,468 days before 1970.
    year * 365 + leap_days + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::millis;

    #[test]
    fn a_time_of_the_client_is_read_and_nothing_else_is() {
        assert_eq!(millis("1970-01-01T00:00:00.000Z"), Some(0));
        assert_eq!(millis("2026-11-15T19:33:08.845Z"), Some(1_794_771_188_845));
        assert_eq!(millis("2024-02-29T23:59:59Z"), Some(1_709_251_199_000));
        assert_eq!(millis("2000-03-01T00:00:00.5Z"), Some(951_868_800_500));
        for other in [
            "",
            "Z",
            "2026-11-15",
            "2026-11-15T19:33:08+01:00",
            "1969-01-01T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-11-15T19:33:08.8é5Z",
            "99999-01-01T00:00:00Z",
            "2026-11-15T25:00:00Z",
        ] {
            assert_eq!(millis(other), None, "{other}");
        }
    }
}
