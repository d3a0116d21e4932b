//! What hooks cost right now: a table that is refreshed while somebody looks. Asks the daemon, which has counted it,
//! and counts nothing itself.

mod board;

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use model::{Costs, Spread, Windows};
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};
use serde_json::{Value, json};

use self::board::{Board, Look};
use super::reader;
use super::tui::screen::{Heard, Screen};
use crate::print;
use crate::report;
use crate::world::World;

/// The daemon answers in a millisecond; one that is stopped must not freeze the table.
const PATIENCE: Duration = Duration::from_secs(1);
/// Numbers that change faster cannot be read.
const REFRESH: Duration = Duration::from_secs(1);
/// What a hook may cost beside the start of a process: more, and a person begins to notice.
const BUDGET_US: u64 = 1000;

#[derive(Debug, Args)]
#[command(after_help = "Keys: s sorts by the next column, w takes the next time,
arrows or j and k scroll, q leaves.
Examples:
  throughline top
  throughline top --once --window hour
  throughline top --json | jq '.hooks[] | {event, p99: .minute.p99_us}'")]
pub(crate) struct Top {
    /// Print it once and leave; so it is, too, where there is no terminal
    #[arg(long)]
    once: bool,
    /// Over which time
    #[arg(long, value_enum, default_value_t = Window::Minute)]
    window: Window,
    /// By which column
    #[arg(long, value_enum, default_value_t = Sort::Name)]
    sort: Sort,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Window {
    Minute,
    Hour,
    /// Since the daemon started
    Start,
}

impl Window {
    fn of<T>(self, windows: &Windows<T>) -> &T {
        match self {
            Self::Minute => &windows.minute,
            Self::Hour => &windows.hour,
            Self::Start => &windows.all,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Minute => "the last minute",
            Self::Hour => "the last hour",
            Self::Start => "since the daemon started",
        }
    }

    const fn next(self) -> Self {
        match self {
            Self::Minute => Self::Hour,
            Self::Hour => Self::Start,
            Self::Start => Self::Minute,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    Name,
    Calls,
    P50,
    P99,
    Max,
    Tokens,
}

impl Sort {
    const fn next(self) -> Self {
        match self {
            Self::Name => Self::Calls,
            Self::Calls => Self::P50,
            Self::P50 => Self::P99,
            Self::P99 => Self::Max,
            Self::Max => Self::Tokens,
            Self::Tokens => Self::Name,
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

impl Top {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        if self.json {
            return print::json(&to_json(&costs(world)?));
        }
        let look = Look { window: self.window, sort: self.sort };
        if self.once || !io::stdout().is_terminal() {
            let board = Board::of(&costs(world)?, look);
            return print::text(&board.text(world.color));
        }
        watch(world, look)
    }
}

fn costs(world: &World) -> anyhow::Result<Costs> {
    let said = reader::control(world, &json!({ "ask": "metrics" }), Instant::now() + PATIENCE)?;
    Ok(serde_json::from_value(said)?)
}

/// Until the person leaves. A daemon that is gone is said to be, and found again when it is back.
fn watch(world: &World, mut look: Look) -> anyhow::Result<()> {
    let mut screen = Screen::open()?;
    // Lines above the first that is seen.
    let mut above = 0;
    loop {
        let asked = Instant::now();
        let found = costs(world);
        loop {
            screen.draw(|frame| above = draw(frame, &found, look, above, world.color))?;
            let left = (asked + REFRESH).saturating_duration_since(Instant::now());
            match screen.hear(left)? {
                None => break,
                Some(Heard::Resized) => {}
                Some(Heard::Ended) => return Ok(()),
                Some(Heard::Key(key)) if leaves(key) => return Ok(()),
                Some(Heard::Key(key)) => match key.code {
                    KeyCode::Char('s') => look.sort = look.sort.next(),
                    KeyCode::Char('w') => look.window = look.window.next(),
                    KeyCode::Up | KeyCode::Char('k') => above = above.saturating_sub(1),
                    KeyCode::Down | KeyCode::Char('j') => above = above.saturating_add(1),
                    _ => {}
                },
            }
        }
    }
}

fn leaves(key: KeyEvent) -> bool {
    matches!(key.code, KeyCode::Char('q') | KeyCode::Esc)
        || key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)
}

/// Returns how many lines are above, which is never so many that nothing is left to see.
fn draw(frame: &mut Frame<'_>, found: &anyhow::Result<Costs>, look: Look, above: u16, color: bool) -> u16 {
    let [body, foot] = Layout::vertical([Constraint::Min(0), Constraint::Length(1)]).areas(frame.area());
    let lines = match found {
        Ok(costs) => Board::of(costs, look).lines(color),
        Err(error) => {
            let (what, next) = report::parts(error);
            vec![Line::raw(what), Line::raw(next)]
        }
    };
    let hidden = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_sub(body.height);
    let above = above.min(hidden);
    let table = Paragraph::new(lines).scroll((above, 0));
    // A row that is too wide is cut; what to do about a daemon that is gone is not.
    frame.render_widget(if found.is_ok() { table } else { table.wrap(Wrap { trim: true }) }, body);
    let more = if hidden > above { "   j more" } else { "" };
    let keys = format!("q quit{more}   s sort: {}   w {}", look.sort.name(), look.window.words());
    frame.render_widget(Paragraph::new(keys).style(Style::new().add_modifier(Modifier::DIM)), foot);
    above
}

/// What scripts may rely on.
fn to_json(costs: &Costs) -> Value {
    let spread = |spread: &Spread| {
        json!({
            "count": spread.count,
            "p50_us": spread.quantile(0.50),
            "p99_us": spread.quantile(0.99),
            "max_us": spread.max_us,
        })
    };
    let spreads = |windows: &Windows<Spread>| {
        json!({
            "minute": spread(&windows.minute),
            "hour": spread(&windows.hour),
            "start": spread(&windows.all),
        })
    };
    let amounts = |windows: &Windows<u64>| json!({ "minute": windows.minute, "hour": windows.hour, "start": windows.all });
    let hooks: Vec<Value> = costs
        .hooks
        .iter()
        .map(|hook| {
            let mut one = spreads(&hook.took);
            one["event"] = json!(hook.event);
            one
        })
        .collect();
    let behaviors: Vec<Value> = costs
        .behaviors
        .iter()
        .map(|one| {
            json!({
                "name": one.name,
                "on": one.on,
                "advice": spreads(&one.advice),
                "learning": spreads(&one.learning),
                "failed": amounts(&one.failed),
                "late": amounts(&one.late),
                "panicked": amounts(&one.panicked),
                "tokens": amounts(&one.tokens),
            })
        })
        .collect();
    json!({
        "version": costs.version,
        "pid": costs.pid,
        "started_at": costs.started_at,
        "uptime_ms": costs.uptime_ms,
        "budget_us": BUDGET_US,
        "hooks": hooks,
        "behaviors": behaviors,
        "envelopes": costs.envelopes,
        "sessions_live": costs.sessions_live,
        "memories": costs.memories,
        "spooled": costs.spooled,
        "journal_bytes": costs.journal_bytes,
        "journal_head": costs.journal_head,
        "learned": costs.learned,
    })
}
