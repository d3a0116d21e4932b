//! The table itself: the same rows on a terminal and in a pipe.

use std::cmp::Reverse;

use model::{Costs, Spread};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::{BUDGET_US, Sort, Window};
use crate::print;

/// What the person wants to see.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) window: Window,
    pub(super) sort: Sort,
}

pub(super) struct Board {
    head: Vec<String>,
    parts: Vec<Part>,
}

/// Rows under a heading of their own.
struct Part {
    title: &'static str,
    columns: &'static [&'static str],
    rows: Vec<Row>,
    /// Said in place of rows that are not there.
    nothing: &'static str,
}

struct Row {
    name: String,
    spread: Spread,
    lost: u64,
    tokens: u64,
    cells: Vec<String>,
    /// The half of all calls takes more than the budget.
    is_over: bool,
}

const HOOKS: &[&str] = &["CALLS", "P50", "P99", "MAX", "OF 1 MS"];
const ADVICE: &[&str] = &["CALLS", "P50", "P99", "MAX", "LOST", "TOKENS"];
const LEARNING: &[&str] = &["CALLS", "P50", "P99", "MAX"];
/// Names are the longest of ours.
const NAME: usize = 20;
/// Beside the space before it.
const CELL: usize = 7;

impl Board {
    pub(super) fn of(costs: &Costs, look: Look) -> Self {
        let Look { window, sort } = look;
        let hooks = costs.hooks.iter().map(|hook| {
            let spread = window.of(&hook.took).clone();
            let p50 = spread.quantile(0.50);
            Row {
                is_over: p50 > BUDGET_US,
                cells: [timings(&spread), vec![format!("{} %", p50 * 100 / BUDGET_US)]].concat(),
                ..Row::new(&hook.event, spread)
            }
        });
        let advice = costs.behaviors.iter().map(|one| {
            let lost = [&one.failed, &one.late, &one.panicked].map(|troubles| *window.of(troubles));
            let lost: u64 = lost.iter().sum();
            let tokens = *window.of(&one.tokens);
            let row = Row::new(&one.name, window.of(&one.advice).clone());
            let cells = [row.cells.clone(), vec![lost.to_string(), tokens.to_string()]].concat();
            Row { lost, tokens, cells, ..row }
        });
        let learning =
            costs.behaviors.iter().map(|one| Row::new(&one.name, window.of(&one.learning).clone()));
        let part = |title, columns, rows: Vec<Row>, nothing| {
            let mut rows: Vec<Row> = rows
                .into_iter()
                .filter(|row| row.spread.count > 0 || row.lost > 0 || row.tokens > 0)
                .collect();
            rows.sort_by_key(|row| (Reverse(row.weight(sort)), row.name.clone()));
            Part { title, columns, rows, nothing }
        };
        let parts = vec![
            part("HOOK", HOOKS, hooks.collect(), "no hook called"),
            part("ADVICE", ADVICE, advice.collect(), "no behavior was asked"),
            part("LEARNING", LEARNING, learning.collect(), "nothing was learned"),
        ];
        Self { head: head(costs, window), parts }
    }

    /// For a pipe, and for a terminal that keeps it.
    pub(super) fn text(&self, color: bool) -> String {
        let mut out = self.head.join("\n") + "\n";
        for part in &self.parts {
            out.push_str(&format!("\n{}\n", print::bold(&part.heading(), color)));
            for row in &part.rows {
                out.push_str(&format!("{}\n", row.line()));
            }
            if part.rows.is_empty() {
                out.push_str(&format!("{}\n", print::dim(part.nothing, color)));
            }
        }
        out
    }

    pub(super) fn lines(&self, color: bool) -> Vec<Line<'static>> {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let over = if color { Style::new().fg(Color::Yellow) } else { bold };
        let mut lines: Vec<Line<'static>> = self.head.iter().cloned().map(Line::raw).collect();
        for part in &self.parts {
            lines.push(Line::raw(""));
            lines.push(Line::from(Span::styled(part.heading(), bold)));
            let row = |row: &Row| {
                let style = if row.is_over || row.lost > 0 { over } else { Style::new() };
                Line::from(Span::styled(row.line(), style))
            };
            lines.extend(part.rows.iter().map(row));
            if part.rows.is_empty() {
                lines.push(Line::from(Span::styled(part.nothing, Style::new().add_modifier(Modifier::DIM))));
            }
        }
        lines
    }
}

fn head(costs: &Costs, window: Window) -> Vec<String> {
    let calls: u64 = costs.hooks.iter().map(|hook| window.of(&hook.took).count).sum();
    let mut all = Spread::default();
    costs.hooks.iter().for_each(|hook| all.add(window.of(&hook.took)));
    let known = |number: Option<u64>| number.map_or_else(|| "?".to_owned(), |number| number.to_string());
    let behind = costs.journal_head.saturating_sub(costs.learned);
    let learned = if behind == 0 { "all learned".to_owned() } else { format!("{behind} not yet learned") };
    vec![
        format!("throughline {}, up {}, pid {}", costs.version, span(costs.uptime_ms / 1000), costs.pid),
        format!("{}: {}", window.words(), print::count(calls, "hook", "hooks")),
        if calls == 0 {
            "budget 1 ms".to_owned()
        } else {
            format!("p50 {}, p99 {}, budget 1 ms", micros(all.quantile(0.50)), micros(all.quantile(0.99)))
        },
        format!(
            "sessions {}  memories {}  spool {}",
            known(costs.sessions_live),
            known(costs.memories),
            costs.spooled
        ),
        format!("journal {}, {} entries, {learned}", print::bytes(costs.journal_bytes), costs.journal_head),
    ]
}

impl Part {
    fn heading(&self) -> String {
        format!("{:<NAME$}{}", self.title, cells(self.columns))
    }
}

impl Row {
    fn new(name: &str, spread: Spread) -> Self {
        let cells = timings(&spread);
        Self { name: name.to_owned(), spread, lost: 0, tokens: 0, cells, is_over: false }
    }

    fn weight(&self, sort: Sort) -> u64 {
        match sort {
            Sort::Name => 0,
            Sort::Calls => self.spread.count,
            Sort::P50 => self.spread.quantile(0.50),
            Sort::P99 => self.spread.quantile(0.99),
            Sort::Max => self.spread.max_us,
            Sort::Tokens => self.tokens,
        }
    }

    fn line(&self) -> String {
        format!("{:<NAME$}{}", print::one_line(&self.name, NAME - 2), cells(&self.cells))
    }
}

/// Apart from each other, also where one of them is wider than its column.
fn cells<T: std::fmt::Display>(cells: &[T]) -> String {
    cells.iter().map(|cell| format!(" {cell:>CELL$}")).collect::<Vec<_>>().concat()
}

fn timings(spread: &Spread) -> Vec<String> {
    vec![
        spread.count.to_string(),
        micros(spread.quantile(0.50)),
        micros(spread.quantile(0.99)),
        micros(spread.max_us),
    ]
}

/// `312 µs`, `1.4 ms`, `103 ms`, `2.0 s`.
fn micros(micros: u64) -> String {
    match micros {
        0..1000 => format!("{micros} µs"),
        100_000..1_000_000 => format!("{} ms", micros / 1000),
        1000..100_000 => format!("{:.1} ms", micros as f64 / 1e3),
        _ => format!("{:.1} s", micros as f64 / 1e6),
    }
}

fn span(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use model::{BehaviorCost, HookCost, SPREAD, Windows, place_of};

    use super::*;

    fn took(micros: &[u64]) -> Windows<Spread> {
        let mut spread = Spread { places: vec![0; SPREAD], ..Spread::default() };
        for one in micros {
            spread.places[place_of(*one)] += 1;
            spread.count += 1;
            spread.micros += one;
            spread.max_us = spread.max_us.max(*one);
        }
        Windows { all: spread.clone(), hour: spread.clone(), minute: spread }
    }

    fn costs() -> Costs {
        let hook = |event: &str, micros: &[u64]| HookCost { event: event.to_owned(), took: took(micros) };
        Costs {
            version: "1.2.3".to_owned(),
            pid: 42,
            uptime_ms: 3_700_000,
            hooks: vec![hook("PreToolUse", &[300, 310]), hook("UserPromptSubmit", &[40_000])],
            behaviors: vec![
                BehaviorCost {
                    name: "recall-on-prompt".to_owned(),
                    advice: took(&[39_000]),
                    late: Windows { minute: 2, ..Windows::default() },
                    tokens: Windows { minute: 412, ..Windows::default() },
                    ..BehaviorCost::default()
                },
                BehaviorCost { name: "never-asked".to_owned(), ..BehaviorCost::default() },
            ],
            journal_bytes: 12_345,
            journal_head: 9,
            learned: 7,
            memories: Some(3),
            ..Costs::default()
        }
    }

    #[test]
    fn the_table_names_what_was_called_and_how_much_of_the_budget_it_took() {
        let text = Board::of(&costs(), Look { window: Window::Minute, sort: Sort::Name }).text(false);
        assert!(text.starts_with("throughline 1.2.3, up 1 h 1 min, pid 42\n"), "{text}");
        let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or(name).to_owned();
        let words = |line: String| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        assert_eq!(words(line("UserPromptSubmit")), "UserPromptSubmit 1 40.0 ms 40.0 ms 40.0 ms 4000 %");
        assert_eq!(words(line("recall-on-prompt")), "recall-on-prompt 1 39.0 ms 39.0 ms 39.0 ms 2 412");
        assert_eq!(line("journal"), "journal 12.1 KB, 9 entries, 2 not yet learned");
        assert_eq!(line("sessions"), "sessions ?  memories 3  spool 0");
        assert!(text.contains("nothing was learned"), "{text}");
        assert!(!text.contains("never-asked"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn numbers_of_a_bad_day_stand_apart() {
        for (took, said) in [
            (999, "999 µs"),
            (99_949, "99.9 ms"),
            (103_400, "103 ms"),
            (999_999, "999 ms"),
            (2_000_000, "2.0 s"),
            (123_400_000, "123.4 s"),
        ] {
            assert_eq!(micros(took), said);
        }
        let bad = Costs {
            hooks: vec![HookCost { event: "PermissionRequest".to_owned(), took: took(&[16_000_000; 3]) }],
            ..Costs::default()
        };
        let text = Board::of(&bad, Look { window: Window::Start, sort: Sort::Name }).text(false);
        let row = text.lines().find(|line| line.starts_with("PermissionRequest")).unwrap();
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(words.len(), 10, "{row}");
    }

    #[test]
    fn the_heaviest_stands_first_in_the_column_that_is_sorted_by() {
        let order = |sort| {
            let board = Board::of(&costs(), Look { window: Window::Minute, sort });
            board.parts[0].rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(order(Sort::Name), ["PreToolUse", "UserPromptSubmit"]);
        assert_eq!(order(Sort::Calls), ["PreToolUse", "UserPromptSubmit"]);
        for sort in [Sort::P50, Sort::P99, Sort::Max] {
            assert_eq!(order(sort), ["UserPromptSubmit", "PreToolUse"], "{sort:?}");
        }
    }
}
