//! Words of time: "yesterday", "last month", "3 weeks ago", "in March". They make a window that favors what is in
//! it and hides nothing. In UTC: a day more on either side costs less than a time zone that is not known here.

mod event;

pub use event::{Event, Side, event};

use crate::calendar::{
    DAY, END, YEARS, civil, day, midnight, month_named, start_of, week_start, weekday_before,
};

/// Unix milliseconds, first and last, and how far it reaches beyond them: nobody remembers a date to the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub from: u64,
    pub to: u64,
    /// Before `from` and after `to` it fades over so many milliseconds.
    pub early: u64,
    pub late: u64,
}

impl Window {
    fn new(from: u64, to: u64, edge: u64) -> Self {
        Self { from, to, early: edge, late: edge }
    }

    pub fn holds(&self, at: u64) -> bool {
        (self.from..=self.to).contains(&at)
    }

    /// How much a moment belongs to it: 1 inside, 0 beyond its edges.
    pub fn share(&self, at: u64) -> f32 {
        let (beyond, edge) = if at < self.from {
            (self.from - at, self.early)
        } else {
            (at.saturating_sub(self.to), self.late)
        };
        match beyond {
            0 => 1.0,
            _ if beyond >= edge => 0.0,
            _ => 1.0 - beyond as f32 / edge as f32,
        }
    }

    /// What is over does not reach into today.
    fn over(mut self, now: u64) -> Self {
        self.late = self.late.min(midnight(now).saturating_sub(self.to));
        self
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

/// The time a question speaks of, the first it names.
pub fn window(text: &str, now: u64) -> Option<Window> {
    let (words, now) = (lowercase(text), now.min(END));
    (0..words.len()).find_map(|at| at_word(&words, at, now))
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

/// The moment a filter names: a span before `now`, or a day.
pub fn moment(text: &str, now: u64) -> Option<u64> {
    let numbers: Vec<u64> = text.split('-').map_while(|part| part.parse().ok()).collect();
    match numbers[..] {
        [year, month, number] if text.matches('-').count() == 2 => day(year, month, number),
        _ => span(text).map(|span| now.saturating_sub(span)),
    }
}

fn lowercase(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn at_word(words: &[String], at: usize, now: u64) -> Option<Window> {
    let word_at = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
    let next = word_at(at + 1);
    let today = midnight(now);
    match word_at(at) {
        "yesterday" => Some(Window::new(today.saturating_sub(DAY), today, DAY / 2).over(now)),
        "today" | "tonight" => Some(Window::new(today, now, 0)),
        "this" => this(next, now),
        // "In the last month" goes up to now, "last month" was over when this one began.
        "last" | "previous" if at > 0 && words[at - 1] == "the" => {
            weekday(next, now).or_else(|| past(words, at, now))
        }
        "last" | "previous" => weekday(next, now).or_else(|| last(words, at, now)),
        "past" => past(words, at, now),
        "recently" | "lately" => Some(Window::new(now.saturating_sub(14 * DAY), now, 14 * DAY)),
        "on" => weekday(next, now).or_else(|| date(words, at + 1, now)),
        // "may" is also a verb: a month is one after "in", "since" or "last".
        "in" | "during" => month_or_year(words, at + 1, now),
        "since" => {
            named(words, at + 1, now).map(|inner| Window { to: now.max(inner.from), late: 0, ..inner })
        }
        "after" => {
            let inner = named(words, at + 1, now)?;
            Some(Window { from: inner.to, to: now.max(inner.to), early: 0, late: 0 })
        }
        "before" | "until" => {
            let inner = named(words, at + 1, now)?;
            Some(Window { from: 0, to: inner.from, early: 0, late: 0 })
        }
        word => date(words, at, now).or_else(|| {
            let count = number(word)?;
            (word_at(at + 2) == "ago").then(|| ago(count, unit(next)?, now)).flatten()
        }),
    }
}

/// A time by any name that may stand after "since".
fn named(words: &[String], at: usize, now: u64) -> Option<Window> {
    let again = matches!(words.get(at)?.as_str(), "since" | "after" | "before" | "until");
    if again {
        return None;
    }
    let on = || weekday(&words[at], now);
    month_or_year(words, at, now).or_else(on).or_else(|| at_word(words, at, now))
}

/// "Three weeks ago" is not on the hour: half its unit on both sides, and fading over as much again.
fn ago(count: u64, unit: u64, now: u64) -> Option<Window> {
    let middle = now.saturating_sub(count.checked_mul(unit)?);
    if unit == DAY {
        let from = midnight(middle);
        return Some(Window::new(from, from + DAY, DAY / 2));
    }
    Some(Window::new(middle.saturating_sub(unit / 2), middle.saturating_add(unit / 2), unit / 2))
}

/// The week, month or year that has begun.
fn this(named: &str, now: u64) -> Option<Window> {
    let (year, month) = civil(now);
    let from = match named {
        "week" => week_start(now),
        "month" => start_of(year, month),
        "quarter" => start_of(year, month / 3 * 3),
        "year" => start_of(year, 0),
        "morning" | "afternoon" | "evening" => midnight(now),
        _ => return None,
    };
    Some(Window { from, to: now, early: DAY, late: 0 })
}

/// The one before this, as the calendar has it; with a number, as many up to now.
fn last(words: &[String], at: usize, now: u64) -> Option<Window> {
    let next = words.get(at + 1)?.as_str();
    if month_named(next).is_some() {
        return month_or_year(words, at + 1, now);
    }
    let (year, month) = civil(now);
    let before = |months: u64, start: u64| {
        let (year, month) = civil(start.saturating_sub(1));
        Window::new(start_of(year, month + 1 - months.min(month + 1)), start, 0)
    };
    let window = match next {
        "night" => Window::new(midnight(now).saturating_sub(DAY), midnight(now) + DAY / 4, 0),
        // On a Monday it is the seven days before, on a Sunday the seven before those: both are meant.
        "week" => Window::new(now.saturating_sub(14 * DAY), week_start(now), 3 * DAY),
        "month" => Window { early: 4 * DAY, late: 4 * DAY, ..before(1, start_of(year, month)) },
        "quarter" => Window { early: 7 * DAY, late: 7 * DAY, ..before(3, start_of(year, month / 3 * 3)) },
        "year" => Window { early: 14 * DAY, late: 14 * DAY, ..before(12, start_of(year, 0)) },
        _ => return past(words, at, now),
    };
    Some(window.over(now))
}

/// "The last 10 days", "the past month": up to now.
fn past(words: &[String], at: usize, now: u64) -> Option<Window> {
    let next = words.get(at + 1)?;
    let (count, named) = match number(next) {
        Some(count) => (count, words.get(at + 2)?),
        None => (1, next),
    };
    let span = count.checked_mul(unit(named)?)?;
    Some(Window { from: now.saturating_sub(span), to: now, early: span / 8, late: 0 })
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
    let from = weekday_before(word, now)?;
    Some(Window::new(from, from + DAY, 0))
}

/// "March", "March 2025", "2025"; without a year the latest that has begun.
fn month_or_year(words: &[String], at: usize, now: u64) -> Option<Window> {
    const EDGE: u64 = 3 * DAY;
    let (this_year, this_month) = civil(now);
    let year = |at: usize| {
        let word = words.get(at).filter(|word| word.len() == 4)?;
        word.parse().ok().filter(|year| YEARS.contains(year) && *year <= this_year)
    };
    if let Some(year) = year(at) {
        return Some(Window::new(start_of(year, 0), start_of(year, 12), EDGE));
    }
    let month = month_named(words.get(at)?)?;
    let latest = if month > this_month { this_year.checked_sub(1)? } else { this_year };
    let year = year(at + 1).unwrap_or(latest);
    (year >= 1970).then(|| Window::new(start_of(year, month), start_of(year, month + 1), EDGE))
}

/// "2025-10-12", "October 12", "October 2025".
fn date(words: &[String], at: usize, now: u64) -> Option<Window> {
    let numeral = |at: usize, digits: usize| {
        words.get(at).filter(|word| word.len() <= digits).and_then(|word| word.parse::<u64>().ok())
    };
    if words.get(at)?.len() == 4
        && let Some(year) = numeral(at, 4)
    {
        let from = day(year, numeral(at + 1, 2)?, numeral(at + 2, 2)?)?;
        return Some(Window::new(from, from + DAY, DAY / 2));
    }
    let month = month_named(&words[at])?;
    if numeral(at + 1, 4).is_some_and(|year| YEARS.contains(&year)) {
        return month_or_year(words, at, now);
    }
    let named = words.get(at + 1)?.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number = named.parse().ok().filter(|_| named.len() <= 2)?;
    let (year, _) = civil(now);
    let from = day(year, month + 1, number)?;
    let from = if from > now { day(year - 1, month + 1, number)? } else { from };
    Some(Window::new(from, from + DAY, DAY / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-16 00:00 UTC.
    const NOW: u64 = 1_794_787_200_000;

    /// Days before now of the first and the last moment.
    fn days(text: &str) -> Option<(u64, u64)> {
        window(text, NOW).map(|window| ((NOW - window.from) / DAY, NOW.saturating_sub(window.to) / DAY))
    }

    #[test]
    fn words_of_time_make_a_window() {
        assert_eq!(days("what broke yesterday"), Some((1, 0)));
        assert_eq!(days("the decision 3 weeks ago"), Some((24, 17)));
        assert_eq!(days("two days ago"), Some((2, 1)));
        assert_eq!(days("a month ago"), Some((45, 15)));
        assert_eq!(days("in the last 10 days"), Some((10, 0)));
        assert_eq!(days("during the past month"), Some((30, 0)));
        // A Monday.
        assert_eq!(days("what failed last Friday"), Some((3, 2)));
        assert_eq!(days("on Monday"), Some((7, 6)));
    }

    #[test]
    fn months_and_years_are_those_of_the_calendar() {
        assert_eq!(days("why did it fail last month?"), Some((46, 15)));
        assert_eq!(days("in the last month"), Some((30, 0)));
        assert_eq!(days("last week"), Some((14, 0)));
        assert_eq!(days("last quarter"), Some((138, 46)));
        assert_eq!(days("what we chose last year"), Some((684, 319)));
        assert_eq!(days("this month"), Some((15, 0)));
        assert_eq!(days("in March"), Some((260, 229)));
        assert_eq!(days("in December"), Some((350, 319)));
        assert_eq!(days("in october"), Some((46, 15)));
        assert_eq!(days("in 2025"), Some((684, 319)));
        assert_eq!(days("the outage of october 2025"), Some((411, 380)));
        assert_eq!(days("since march"), Some((260, 0)));
        assert_eq!(days("since yesterday"), Some((1, 0)));
        assert_eq!(days("after march"), Some((229, 0)));
        assert_eq!(days("before november").map(|(_, to)| to), Some(15));
        assert_eq!(days("before 2026").map(|(_, to)| to), Some(319));
        assert_eq!(days("on 2026-11-02"), Some((14, 13)));
        assert_eq!(days("on October 12th"), Some((35, 34)));
    }

    #[test]
    fn a_window_fades_and_what_is_over_is_not_today() {
        let month = window("last month", NOW).unwrap();
        let share = |days| month.share(NOW - days * DAY);
        assert!(share(30) > 0.99 && share(46) > 0.99 && share(0).abs() < 1e-6);
        assert!(share(14) > 0.5 && share(48) > 0.4 && share(14) < 1.0 && share(60).abs() < 1e-6);
        for text in ["last week", "yesterday", "last month", "last year"] {
            for day in 0..40 {
                let now = NOW + day * DAY + DAY / 2;
                assert!(window(text, now).unwrap().share(now).abs() < 1e-6, "{text} on day {day}");
            }
        }
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
            "before the parser",
            "in 2080",
            "in 42",
            "error 2025",
            "since before after",
            "this function",
        ] {
            assert_eq!(window(text, NOW), None, "{text}");
        }
        assert_eq!(window("a year ago", 5).map(|window| window.from), Some(0));
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
        assert_eq!(moment("2026-11-15", NOW), Some(NOW - DAY));
        assert_eq!(moment("2w", NOW), Some(NOW - 14 * DAY));
        for text in ["undefined", "2026-11", "2026-11-15-1", "2026-13-01", ""] {
            assert_eq!(moment(text, NOW), None, "{text}");
        }
    }
}
