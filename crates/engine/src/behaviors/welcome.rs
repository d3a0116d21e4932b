//! Greets the person once per workspace and tells each fault once, with the command that repairs it. Everything
//! else it has to say is silence: a greeting that comes every day is read by nobody.

use model::{Advice, Detail, Event, EventKind, MemoryId, StartSource};

use super::recall_on_start::homes;
use crate::behavior::{Behavior, Context, Learned};
use crate::hints::{self, Hints};
use crate::moment;
use crate::page::one_line;
use crate::{Fault, Loss, Result};

/// Faults told at one start; more at once have one cause, and the next start tells the rest.
const MAX_FAULTS: usize = 3;
/// A line of a box, as wide as a terminal is at least.
const WIDTH: usize = 74;
const MAX_WORDS: usize = 400;
/// Memories that wait for their vectors before a person is told: fewer are done before the first answer is read.
const MANY_WAITING: u64 = 1_000;
const DAY_MILLIS: u64 = 24 * 60 * 60 * 1000;
/// Begins the mark of what was said about events that could not be kept; how many follows.
const LOST: &str = "not-kept:";

#[derive(Debug)]
pub(crate) struct Welcome;

impl Behavior for Welcome {
    fn name(&self) -> &'static str {
        "welcome"
    }

    fn manual(&self) -> &'static str {
        "Tells the person, once per workspace, how much is remembered of this project, how to look at it \
         (`throughline view`) and how many past conversations of this folder can be taken in (`throughline backfill`); how far search by meaning is while it reads a large import, once \
         a day; each fault of throughline once, with the command that repairs it; and at the next start of any session, once, \
         how many events could not be kept and since when. Otherwise it is silent."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::SessionStart]
    }

    fn speaks_on(&self, _kind: EventKind) -> bool {
        true
    }

    fn waits_for(&self, event: &Event) -> Learned {
        match event.detail {
            // What was told at a start a moment ago is not told again.
            Detail::Start { source: StartSource::Startup, .. } => Learned::Before,
            // Events that could not be kept are counted beside the tables.
            _ => Learned::Nothing,
        }
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let mut advice = Advice::silent();
        // Whatever begins: what is lost is not known otherwise.
        if let Some(loss) = cx.around.loss() {
            advice = tell_loss(&loss);
        }
        if !matches!(event.detail, Detail::Start { source: StartSource::Startup, .. }) {
            return Ok(advice);
        }
        tell_faults(cx, &mut advice);
        tell_reading(cx, &mut advice);
        match greet(cx, event, &mut advice) {
            // Without tables there is nothing to greet with; why there are none is a fault, and that is told.
            Err(error) if advice.is_silent() => Err(error),
            _ => Ok(advice),
        }
    }
}

/// What a person is told about events that could not be kept. Whoever delivers it notes it: see `losses_told`.
pub fn tell_loss(loss: &Loss) -> Advice {
    let Loss { events, since, until } = *loss;
    let (were, when) = (if events == 1 { "was" } else { "were" }, moment::minute(since));
    let when = match moment::minute(until) {
        last if last == when => format!("at {when}"),
        last => format!("between {when} and {last}"),
    };
    let fault = Fault {
        name: String::new(),
        what: format!(
            "{} of agents {were} not kept {when}: the data folder could not be written, as on a full disk. What they \
             did then is not remembered.",
            many(events, "event")
        ),
        repair: "throughline doctor".to_owned(),
    };
    let mut advice = Advice::silent();
    advice.tells.push(banner(&fault));
    advice.marks.push(format!("{LOST}{events}:{since}"));
    advice
}

/// How many lost events this advice speaks of.
pub fn losses_told(advice: &Advice) -> Option<u64> {
    let said = advice.marks.iter().find_map(|mark| mark.strip_prefix(LOST))?;
    said.split(':').next()?.parse().ok()
}

fn greet(cx: &Context, event: &Event, advice: &mut Advice) -> Result<()> {
    let Some(here) = &cx.workspace else { return Ok(()) };
    let mark = format!("welcome:{}", here.key.as_str());
    let counted = cx.read(|tables| {
        if tables.is_marked(&mark)? {
            return Ok(None);
        }
        let memories = tables.count_at(&homes(tables, Some(here), &[])?)?;
        // The one that begins just now remembers nothing.
        let own = u64::from(tables.has_session(event.session.as_str())?);
        Ok(Some((memories, tables.count_sessions(&here.key)?.saturating_sub(own))))
    })?;
    let Some((memories, sessions)) = counted else { return Ok(()) };
    let past = event.transcript.as_deref().map_or(0, |transcript| cx.around.past_conversations(transcript));
    let mut sentences = Vec::new();
    if memories > 0 {
        let of = if sessions > 0 { format!(" of {}", many(sessions, "session")) } else { String::new() };
        sentences.push(format!(
            "throughline remembers {}{of} in this project (to look: throughline view).",
            many(memories, "memory")
        ));
    }
    if past > 0 {
        let who = if memories > 0 { "" } else { "throughline: " };
        sentences.push(format!(
            "{who}{} of this folder can be taken in: throughline backfill",
            many(past, "past conversation")
        ));
    }
    if !sentences.is_empty() {
        advice.tells.push(sentences.join(" "));
        advice.marks.push(mark);
    }
    Ok(())
}

/// Once a day, and only where a person would notice: while many memories wait for their vectors, what is asked for in
/// other words than theirs is not found yet.
fn tell_reading(cx: &Context, advice: &mut Advice) {
    let Some(reading) = cx.around.reading().filter(|reading| reading.waiting >= MANY_WAITING) else { return };
    let mark = format!("reading:{}", cx.now / DAY_MILLIS);
    // Where it is not known whether it was told, it can wait: nothing is wrong.
    if !cx.read(|tables| Ok(tables.is_marked(&mark)?)).is_ok_and(|told| !told) {
        return;
    }
    let left = match reading.seconds_left {
        Some(seconds) if seconds >= 90 => format!("; about {} minutes left", seconds.div_ceil(60)),
        Some(_) => "; about a minute left".to_owned(),
        None => String::new(),
    };
    advice.tells.push(format!(
        "throughline is reading {} for search by meaning: {} done{left} (throughline model status). Until then they \
         are found by their words.",
        many(reading.memories, "memory"),
        reading.memories.saturating_sub(reading.waiting)
    ));
    advice.marks.push(mark);
}

fn tell_faults(cx: &Context, advice: &mut Advice) {
    let mut faults = cx.around.faults();
    faults.extend(bad_hints(cx));
    if faults.is_empty() {
        return;
    }
    let marks: Vec<String> = faults.iter().map(|fault| format!("fault:{}", fault.name)).collect();
    let told = cx.read(|tables| {
        let asked: std::result::Result<Vec<bool>, store::StoreError> =
            marks.iter().map(|mark| tables.is_marked(mark)).collect();
        Ok(asked?)
    });
    // Where the tables cannot be read nobody knows what was told, and a fault told twice is better than never.
    let told = told.unwrap_or_else(|_| vec![false; marks.len()]);
    let new = faults.iter().zip(marks).zip(told).filter(|(_, told)| !told).map(|(new, _)| new);
    for (fault, mark) in new.take(MAX_FAULTS) {
        advice.tells.push(banner(fault));
        advice.marks.push(mark);
    }
}

/// A person's own file that cannot be read. Another mistake in it is another fault.
fn bad_hints(cx: &Context) -> Option<Fault> {
    let what = Hints::load(cx.around.data()).err()?.to_string();
    let path = cx.around.data().join(hints::FILE);
    Some(Fault {
        name: format!("hints:{}", MemoryId::of(&[&what])),
        what: format!("{what}. Until it is right, no folder is hinted at a project."),
        repair: format!("${{EDITOR:-vi}} {}", path.display()),
    })
}

/// ```text
/// ┌─ throughline ──┐
/// │ what is wrong  │
/// └────────────────┘
/// ```
fn banner(fault: &Fault) -> String {
    let mut lines = wrap(&one_line(&fault.what, MAX_WORDS));
    // A command is copied: it stays on one line, however long.
    lines.push(format!("Repair: {}", one_line(&fault.repair, MAX_WORDS)));
    let title = "─ throughline ";
    let inner = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0).max(title.chars().count());
    let mut text = format!("┌{title}{}┐", "─".repeat(inner + 2 - title.chars().count()));
    for line in lines {
        let space = " ".repeat(inner - line.chars().count());
        text.push_str(&format!("\n│ {line}{space} │"));
    }
    text.push_str(&format!("\n└{}┘", "─".repeat(inner + 2)));
    text
}

fn wrap(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn many(count: u64, one: &str) -> String {
    match (count, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ => format!("{count} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::{Injection, Memory, MemoryKind};
    use store::Tables;

    use super::*;
    use crate::behaviors::tests::{Around, context_in, event};

    fn start(source: StartSource) -> Event {
        let mut start = event(EventKind::SessionStart, Detail::Start { source, model: None });
        start.transcript = Some("/agent/projects/-w/s.jsonl".into());
        start
    }

    fn remember(tables: &mut Tables, count: u64) {
        tables
            .write(|batch| {
                for at in 0..count {
                    let id = MemoryId::from_u64(at);
                    let text = format!("text {at}");
                    let mut memory = Memory::new(id, MemoryKind::Note, 1, "t".into(), text);
                    memory.project_key = Some("p1".into());
                    crate::memory::keep(batch, &memory)?;
                }
                Ok(())
            })
            .unwrap();
    }

    fn note(tables: &mut Tables, advice: &Advice) {
        let start = start(StartSource::Startup);
        let injection = Injection {
            session: start.session,
            subagent: None,
            event: "SessionStart".into(),
            notes: Vec::new(),
            marks: advice.marks.clone(),
        };
        tables.write(|batch| batch.put_injection(1, 1, &injection)).unwrap();
    }

    #[test]
    fn a_person_is_greeted_once_per_workspace_and_only_with_something_to_say() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived.db");
        let mut tables = Tables::open(&path).unwrap();
        let silent = context_in(Arc::new(Around::new(&path)));
        assert!(Welcome.advise(&silent, &start(StartSource::Startup)).unwrap().is_silent());

        remember(&mut tables, 2);
        let cx = context_in(Arc::new(Around { past: 3, ..Around::new(&path) }));
        let advice = Welcome.advise(&cx, &start(StartSource::Startup)).unwrap();
        assert_eq!(
            advice.tells,
            [
                "throughline remembers 2 memories in this project (to look: throughline view). 3 past conversations of this folder can be taken in: \
              throughline backfill"
            ]
        );
        assert!(advice.notes.is_empty(), "the model hears nothing of it");
        assert!(Welcome.advise(&cx, &start(StartSource::Resume)).unwrap().is_silent());
        note(&mut tables, &advice);
        assert!(Welcome.advise(&cx, &start(StartSource::Startup)).unwrap().is_silent());
    }

    #[test]
    fn a_fault_is_told_once_in_a_box_with_its_repair() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived.db");
        let mut tables = Tables::open(&path).unwrap();
        let fault = Fault {
            name: "full:1".into(),
            what:
                "The disk is full, and what agents do is kept aside until there is room again for all of it."
                    .into(),
            repair: "throughline gc".into(),
        };
        std::fs::write(folder.path().join(hints::FILE), "[hints").unwrap();
        let cx = context_in(Arc::new(Around { faults: vec![fault], ..Around::new(&path) }));
        let advice = Welcome.advise(&cx, &start(StartSource::Startup)).unwrap();
        assert_eq!(advice.tells.len(), 2, "{advice:?}");
        let lines: Vec<&str> = advice.tells[0].lines().collect();
        assert!(lines[0].starts_with("┌─ throughline ─") && lines[0].ends_with('┐'), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("│ Repair: throughline gc")), "{lines:?}");
        let widths: Vec<usize> = lines.iter().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|width| *width == widths[0] && *width <= WIDTH + 4), "{lines:?}");
        assert!(
            advice.tells[1].contains("project_hints.toml line 1: is not valid TOML"),
            "{}",
            advice.tells[1]
        );
        note(&mut tables, &advice);
        assert!(Welcome.advise(&cx, &start(StartSource::Startup)).unwrap().is_silent());
    }

    #[test]
    fn a_large_import_is_told_as_progress_in_one_line_and_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived.db");
        let mut tables = Tables::open(&path).unwrap();
        let with = |waiting, seconds_left| {
            let reading = Some(crate::Reading { memories: 100_000, waiting, seconds_left });
            let cx = context_in(Arc::new(Around { reading, ..Around::new(&path) }));
            Welcome.advise(&cx, &start(StartSource::Startup)).unwrap()
        };
        assert!(with(20, Some(1)).is_silent(), "what a session has just said is no import");
        let advice = with(60_000, Some(540));
        assert_eq!(
            advice.tells,
            [
                "throughline is reading 100000 memories for search by meaning: 40000 done; about 9 minutes left (throughline model \
              status). Until then they are found by their words."
            ]
        );
        assert!(
            advice.notes.is_empty() && !advice.tells[0].contains('│'),
            "no box, and the model hears nothing"
        );
        assert!(
            with(60_000, None).tells[0].contains("40000 done (throughline"),
            "no guess before it can be told"
        );
        note(&mut tables, &advice);
        assert!(with(50_000, Some(450)).is_silent());
    }

    #[test]
    fn what_could_not_be_kept_is_told_at_whatever_start_comes_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived.db");
        let loss = Loss { events: 103, since: 1_794_771_228_505, until: 1_794_774_828_505 };
        let cx = context_in(Arc::new(Around { loss: Some(loss), ..Around::new(&path) }));
        for source in [StartSource::Startup, StartSource::Resume, StartSource::Clear, StartSource::Compact] {
            let advice = Welcome.advise(&cx, &start(source)).unwrap();
            let said = advice.tells.join(" ").replace(['│', '\n'], " ");
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                said.contains(
                    "103 events of agents were not kept between 2026-11-15 19:33 UTC and 2026-11-15 20:33 UTC"
                ),
                "{said}"
            );
            assert!(said.contains("throughline doctor"), "{said}");
            assert_eq!(losses_told(&advice), Some(103));
            assert!(advice.notes.is_empty(), "the model hears nothing of it");
        }
        assert_eq!(losses_told(&Advice::silent()), None);
    }

    #[test]
    fn a_fault_is_told_also_where_the_tables_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived.db");
        let fault = Fault { name: "x".into(), what: "Damaged.".into(), repair: "throughline doctor".into() };
        let cx = context_in(Arc::new(Around { faults: vec![fault], ..Around::new(&path) }));
        assert_eq!(Welcome.advise(&cx, &start(StartSource::Startup)).unwrap().tells.len(), 1);
    }
}
