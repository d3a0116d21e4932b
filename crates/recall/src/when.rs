//! Words of time: "yesterday", "last month", "3 weeks ago", "in March". They make a window that favors what is in
//! it and hides nothing. In UTC: a day more on either side costs less than a time zone that is not known here.

const DAY: u64 = 24 * 60 * 60 * 1000;

/// Unix milliseconds, first and last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub from: u64,
    pub to: u64,
}

impl Window {
    pub fn holds(&self, at: u64) -> bool {
        (self.from..=self.to).contains(&at)
    }
}

const UNITS: &[(&str, u64)] = &[
    ("minute", 60_000),
    ("hour", 3_600_000),
    ("day", DAY),
    ("week", 7 * DAY),
    ("month", 30 * DAY),
    ("quarter", 91 * DAY),
    ("year", 365 * DAY),
];

const NUMBERS: &[(&str, u64)] = &[
    ("a", 1),
    ("an", 1),
    ("one", 1),
    ("two", 2),
    ("couple", 2),
    ("three", 3),
    ("few", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
];

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

/// The time a question speaks of, the first it names.
pub fn window(text: &str, now: u64) -> Option<Window> {
    let words = lowercase(text);
    (0..words.len()).find_map(|at| at_word(&words, at, now))
}

/// A time that is told by what happened then: "before the release", "since the last deploy".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What it is called, as a question would ask for it.
    pub name: &'static str,
    pub side: Side,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Before,
    After,
}

/// What happened, in any of its words.
const EVENTS: &[(&str, &str)] = &[
    ("release", "release released version"),
    ("deploy", "deploy deployed deployment"),
    ("deployment", "deploy deployed deployment"),
    ("launch", "launch launched"),
    ("rollout", "rollout rolled"),
    ("merge", "merge merged"),
    ("migration", "migration migrated"),
    ("outage", "outage incident"),
    ("incident", "outage incident"),
];

/// "Before" is not since the beginning: what led to an event happened about then.
const LED_TO: u64 = 60 * DAY;

impl Event {
    /// The time before or after the event, which happened at `at`.
    pub fn window(&self, at: u64, now: u64) -> Window {
        match self.side {
            Side::Before => Window { from: at.saturating_sub(LED_TO), to: at },
            Side::After => Window { from: at, to: now.max(at) },
        }
    }
}

/// The event a question measures its time by. Only the one that everybody knows, "the release": a release of
/// something is a subject like any other.
pub fn event(text: &str) -> Option<Event> {
    let words = lowercase(text);
    let at = words.iter().position(|word| matches!(word.as_str(), "before" | "after" | "since"))?;
    let side = if words[at] == "before" { Side::Before } else { Side::After };
    let mut rest = words[at + 1..].iter().map(String::as_str);
    if !matches!(rest.next(), Some("the" | "our" | "last" | "latest")) {
        return None;
    }
    let named = rest.find(|word| !matches!(*word, "last" | "latest" | "previous" | "recent"))?;
    let (_, name) = EVENTS.iter().find(|(event, _)| *event == named)?;
    let whose = matches!(rest.next(), Some("of" | "for"));
    (!whose).then_some(Event { name, side })
}

/// A span said in words or short: `3 weeks`, `3w`, `yesterday`, `last month`. Milliseconds.
pub fn span(text: &str) -> Option<u64> {
    let text = text.trim().to_lowercase();
    match text.as_str() {
        "today" => return Some(DAY),
        "yesterday" => return Some(2 * DAY),
        _ => {}
    }
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (count, rest) = text.split_at(digits);
    let mut words = rest.split_whitespace();
    let mut word = words.next()?;
    let count = if count.is_empty() {
        let count = if word == "last" || word == "past" { 1 } else { number(word)? };
        word = words.next()?;
        count
    } else {
        count.parse().ok()?
    };
    let unit = match word {
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => DAY,
        "w" => 7 * DAY,
        "mo" => 30 * DAY,
        "y" => 365 * DAY,
        _ => unit(word)?,
    };
    count.checked_mul(unit)
}

fn lowercase(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn at_word(words: &[String], at: usize, now: u64) -> Option<Window> {
    let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
    let midnight = now - now % DAY;
    match words[at].as_str() {
        "yesterday" => Some(Window { from: midnight.saturating_sub(DAY), to: midnight }),
        "today" | "tonight" => Some(Window { from: midnight, to: now }),
        "this" if unit(next).is_some_and(|unit| unit >= DAY) => {
            Some(Window { from: now.saturating_sub(unit(next)?), to: now })
        }
        "last" | "past" | "previous" => weekday(next, now).or_else(|| last(words, at, now)),
        "on" => weekday(next, now),
        "recently" | "lately" => Some(Window { from: now.saturating_sub(14 * DAY), to: now }),
        // "may" is also a verb: a month is one after "in", "since" or "last".
        "in" | "since" | "during" => month(next, now),
        word => {
            let count = number(word)?;
            let unit = unit(next)?;
            let ago = words.get(at + 2).is_some_and(|word| word == "ago");
            if !ago {
                return None;
            }
            // "Three weeks ago" is not on the hour: as wide as its unit on both sides.
            let middle = now.saturating_sub(count.checked_mul(unit)?);
            Some(Window { from: middle.saturating_sub(unit), to: middle.saturating_add(unit) })
        }
    }
}

fn last(words: &[String], at: usize, now: u64) -> Option<Window> {
    let next = words.get(at + 1)?;
    if let Some(window) = month(next, now) {
        return Some(window);
    }
    let (count, named) = match number(next) {
        Some(count) => (count, words.get(at + 2)?),
        None => (1, next),
    };
    let span = count.checked_mul(unit(named)?)?;
    // "Last month" said on the 3rd is the month before, said on the 30th it may be this one: two spans hold both.
    let from = now.saturating_sub(span.saturating_mul(if count == 1 { 2 } else { 1 }));
    Some(Window { from, to: now })
}

fn number(word: &str) -> Option<u64> {
    NUMBERS
        .iter()
        .find(|(name, _)| *name == word)
        .map(|(_, count)| *count)
        .or_else(|| word.parse().ok().filter(|count| *count < 1000))
}

fn unit(word: &str) -> Option<u64> {
    let singular = word.strip_suffix('s').unwrap_or(word);
    UNITS.iter().find(|(name, _)| *name == singular).map(|(_, span)| *span)
}

/// The latest day of that name before today.
fn weekday(word: &str, now: u64) -> Option<Window> {
    let named = WEEKDAYS.iter().position(|name| *name == word)? as u64;
    let today = now / DAY;
    let back = (today + 7 - named - 1) % 7 + 1;
    let from = today.checked_sub(back)? * DAY;
    Some(Window { from, to: from + DAY })
}

/// The latest month of that name that has begun.
fn month(word: &str, now: u64) -> Option<Window> {
    let index = MONTHS.iter().position(|name| *name == word)? as u64;
    let (year, current) = civil(now);
    let year = if index > current { year.checked_sub(1)? } else { year };
    let from = start_of(year, index);
    let to = if index == 11 { start_of(year + 1, 0) } else { start_of(year, index + 1) };
    Some(Window { from, to })
}

/// Year and month (from 0) of a moment.
fn civil(at: u64) -> (u64, u64) {
    let mut year = 1970 + at / (366 * DAY);
    while start_of(year + 1, 0) <= at {
        year += 1;
    }
    let month = (0..12).rev().find(|month| start_of(year, *month) <= at).unwrap_or(0);
    (year, month)
}

fn start_of(year: u64, month: u64) -> u64 {
    const BEFORE: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    let leap = leaps(year) - leaps(year - 1);
    let days = (year - 1970) * 365 + leaps(year - 1) - leaps(1969);
    (days + BEFORE[month as usize] + if month > 1 { leap } else { 0 }) * DAY
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-16 00:00 UTC.
    const NOW: u64 = 1_794_787_200_000;

    #[test]
    fn words_of_time_make_a_window() {
        let days =
            |text: &str| window(text, NOW).map(|w| ((NOW - w.from) / DAY, NOW.saturating_sub(w.to) / DAY));
        assert_eq!(days("what broke yesterday"), Some((1, 0)));
        assert_eq!(days("why did it fail last month?"), Some((60, 0)));
        assert_eq!(days("the decision 3 weeks ago"), Some((28, 14)));
        assert_eq!(days("two days ago"), Some((3, 1)));
        assert_eq!(days("in the last 10 days"), Some((10, 0)));
        // A Monday.
        assert_eq!(days("what failed last Friday"), Some((3, 2)));
        assert_eq!(days("on Monday"), Some((7, 6)));
        assert_eq!(days("in March"), Some((260, 229)));
        assert_eq!(days("in December"), Some((350, 319)));
    }

    #[test]
    fn what_only_looks_like_time_makes_none() {
        for text in [
            "",
            "how many weeks ago did I",
            "the last commit",
            "you may march on",
            "9999999999 years ago",
            "ago",
        ] {
            assert_eq!(window(text, NOW), None, "{text}");
        }
        assert_eq!(window("a year ago", 5), Some(Window { from: 0, to: 365 * DAY }));
    }

    #[test]
    fn an_event_tells_a_time_by_what_happened_then() {
        let side = |text: &str| event(text).map(|event| (event.name.split(' ').next().unwrap(), event.side));
        assert_eq!(side("what broke before the release?"), Some(("release", Side::Before)));
        assert_eq!(side("changes since the last deploy"), Some(("deploy", Side::After)));
        assert_eq!(side("after our latest deployment"), Some(("deploy", Side::After)));
        for text in
            ["release notes", "before release", "after the release of tokio", "since the parser", "before"]
        {
            assert_eq!(side(text), None, "{text}");
        }
        let before = event("before the release").unwrap().window(NOW - DAY, NOW);
        assert!(before.holds(NOW - 2 * DAY) && !before.holds(NOW) && !before.holds(NOW - 100 * DAY));
        let after = event("after the release").unwrap().window(NOW - DAY, NOW);
        assert!(after.holds(NOW) && !after.holds(NOW - 2 * DAY));
    }

    #[test]
    fn spans_are_read_short_and_long() {
        assert_eq!(span("3 weeks"), Some(21 * DAY));
        assert_eq!(span("3w"), Some(21 * DAY));
        assert_eq!(span("last month"), Some(30 * DAY));
        assert_eq!(span("two days"), Some(2 * DAY));
        assert_eq!(span("90d"), Some(90 * DAY));
        assert_eq!(span("99999999999999999999d"), None);
        assert_eq!(span("soon"), None);
    }
}
