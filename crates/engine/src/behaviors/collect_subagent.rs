//! Collects what agents answer, and says to whoever coordinates them what follows: which part is due, what came of the
//! whole. Holds the end of a turn while an agent that is needed is out, and the end of an agent whose answer has no line
//! as agreed; both a few times and no more.

use std::time::Instant;

use model::{Advice, Detail, Event, EventKind, MemoryId, Millis, SessionId};
use patterns::{Pattern, Step};
use store::{Batch, PatternFilter, PatternRow, Tables};

use super::brief_subagent::{item, quoted};
use crate::behavior::{Behavior, Context, Learned};
use crate::coordination::{self, pattern_of};
use crate::page::one_line;
use crate::{Page, Result};

/// What is said at once to a coordinator, over all patterns.
const TOKENS: u32 = 1800;
/// Of one answer in what came of a pattern.
const LINE_CHARS: usize = 600;
/// In a hold everything is one line.
const HOLD_LINE_CHARS: usize = 200;
const MAX_LINES: usize = 40;
/// How often one pattern holds the end of a turn. The client lets go after eight.
const MAX_HOLDS: usize = 3;
/// How often all of them together hold it between two prompts of a person.
const MAX_HOLDS_A_TURN: usize = 6;
/// Of a hold. A client cuts at ten thousand.
const HOLD_CHARS: usize = 5000;
/// For how long after its start an agent is waited for at the end of a turn.
const HOLD_FOR: Millis = 15 * 60 * 1000;
/// A pattern that ended earlier has been spoken of, or nobody was there to hear it.
const RECENT: Millis = 60 * 60 * 1000;
/// Patterns of one session that are looked at on an event.
const MAX_PATTERNS: usize = 16;

#[derive(Debug)]
pub(crate) struct CollectSubagent;

impl Behavior for CollectSubagent {
    fn name(&self) -> &'static str {
        "collect-subagent"
    }

    fn manual(&self) -> &'static str {
        "Keeps what agents answered. When a pattern is complete, or its next part is due, computes it (votes, reductions, the \
         next stage, another round) and says so to whoever coordinates, with its next event: the answer of the call, the end \
         of a batch of calls, a prompt. A jury's votes are said when all are in. An agent whose answer lacks the agreed line \
         of JSON is asked for it once. The end of a turn is held while an agent that is needed is out, for all patterns together, \
         three times for each at most and for a quarter of an hour, and once for each part that was never started. `throughline pattern` lists, shows and \
         stops them."
    }

    fn on(&self) -> &'static [EventKind] {
        &[
            EventKind::UserPromptSubmit,
            EventKind::PostToolUse,
            EventKind::PostToolUseFailure,
            EventKind::PermissionDenied,
            EventKind::PostToolBatch,
            EventKind::SubagentStop,
            EventKind::Stop,
            EventKind::SessionEnd,
        ]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        !matches!(kind, EventKind::SessionEnd | EventKind::PermissionDenied)
    }

    fn waits_for(&self, event: &Event) -> Learned {
        match event.kind {
            // Its answer is in this very event.
            EventKind::PostToolUse | EventKind::PostToolUseFailure
                if coordination::starter(event).is_some() =>
            {
                Learned::This
            }
            // What was kept before may tell of an agent that is back, of one that began, of a pattern nobody knows yet.
            EventKind::UserPromptSubmit | EventKind::Stop | EventKind::SubagentStop => Learned::Before,
            EventKind::PostToolUse if declares(event) => Learned::Before,
            _ => Learned::Nothing,
        }
    }

    fn learns_always(&self) -> bool {
        // What agents have answered is given to those that come after them.
        true
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        match event.kind {
            EventKind::SubagentStop => ask_again(cx, event),
            EventKind::Stop => hold(cx, event),
            EventKind::PostToolUse | EventKind::PostToolUseFailure => {
                // Of other tools the end of their batch tells soon enough.
                if coordination::starter(event).is_none() {
                    return if declares(event) { say(self.name(), cx, event) } else { Ok(Advice::silent()) };
                }
                say(self.name(), cx, event)
            }
            _ => say(self.name(), cx, event),
        }
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        match event.kind {
            EventKind::PostToolUse | EventKind::PostToolUseFailure | EventKind::PermissionDenied => {
                coordination::answered(batch, event)
            }
            EventKind::PostToolBatch => coordination::batch_over(batch, event),
            EventKind::SubagentStop => coordination::stopped(batch, event),
            EventKind::SessionEnd => coordination::ended(batch, event),
            _ => coordination::settled(batch, event),
        }
    }
}

/// The patterns whoever caused this event coordinates: those that go on, and those that ended lately.
fn coordinated(tables: &Tables, event: &Event, now: Millis) -> Result<Vec<(PatternRow, Pattern)>> {
    let filter = PatternFilter {
        session: Some(&event.session),
        since: Some(now.saturating_sub(RECENT)),
        limit: MAX_PATTERNS,
        ..PatternFilter::default()
    };
    let by = event.subagent.as_ref().map(|agent| &agent.id);
    let rows = tables.patterns(&filter)?.into_iter().rev();
    let read = |row: PatternRow| pattern_of(&row).map(|pattern| (row, pattern));
    Ok(rows.filter_map(read).filter(|(_, pattern)| pattern.coordinator.as_ref() == by).collect())
}

/// A command that may have declared a pattern: whoever ran it is told at once.
fn declares(event: &Event) -> bool {
    let Detail::Tool(call) = &event.detail else { return false };
    call.input
        .get("command")
        .and_then(|command| command.as_str())
        .is_some_and(|text| text.contains("pattern start"))
}

fn mark(row: &PatternRow, what: &str) -> String {
    format!("pattern:{}:{what}", row.id)
}

/// Said once, also when two calls answer at the same moment.
fn is_new(cx: &Context, session: &SessionId, subagent: Option<&str>, mark: &str) -> bool {
    cx.around.claim(session, subagent, MemoryId::of(&[mark]))
}

fn say(from: &'static str, cx: &Context, event: &Event) -> Result<Advice> {
    let due = cx.read(|tables| {
        let mut due = Vec::new();
        for (row, pattern) in coordinated(tables, event, cx.now)? {
            for step in misread(&pattern).into_iter().chain(pattern.step(cx.now)) {
                if !tables.is_marked(&mark(&row, &step.key))? {
                    due.push((mark(&row, &step.key), step));
                }
            }
        }
        Ok(due)
    })?;
    // What comes too late is not heard, and must not count as said.
    if Instant::now() >= cx.until {
        return Ok(Advice::silent());
    }
    let mut page = Page::new(TOKENS);
    let mut marks = Vec::new();
    let subagent = event.subagent.as_ref().map(|agent| agent.id.as_str());
    for (mark, step) in due {
        // What has no room is not claimed: it is said another time.
        if page.fits(&step.headline) && is_new(cx, &event.session, subagent, &mark) && write(&mut page, &step)
        {
            marks.push(mark);
        }
    }
    let notes = page.finish(from).into_iter().collect();
    Ok(Advice { notes, marks, ..Advice::silent() })
}

/// Options of its tags that are as if they were not said.
fn misread(pattern: &Pattern) -> Option<Step> {
    let troubles = pattern.spec.troubles();
    let keys: Vec<&str> = troubles.iter().map(|trouble| trouble.key.as_str()).collect();
    let what: Vec<String> = troubles.iter().map(|trouble| one_line(&trouble.to_string(), 240)).collect();
    (!troubles.is_empty()).then(|| Step {
        key: format!("misread:{}", keys.join(",")),
        headline: format!(
            "The {} goes by what is usual where its options are not understood: {}.",
            pattern.title(),
            what.join("; ")
        ),
        lines: Vec::new(),
        tags: Vec::new(),
        is_over: false,
    })
}

/// False: there is no room, and it is said another time.
fn write(page: &mut Page, step: &Step) -> bool {
    if !page.item(&step.headline, item(if step.is_over { "outcome" } else { "due" }, &step.headline)) {
        return false;
    }
    for tag in &step.tags {
        page.item(&format!("  {tag}"), item("tag", tag));
    }
    let most = (LINE_CHARS * 8 / step.lines.len().max(1)).clamp(120, LINE_CHARS * 4);
    for line in step.lines.iter().take(MAX_LINES) {
        let text = one_line(&line.text, most);
        page.item(&quoted(&format!("- {}", one_line(&line.title, 120)), &text), item("answer", &line.title));
    }
    true
}

/// An agent whose answer lacks its line is asked for it, once.
fn ask_again(cx: &Context, event: &Event) -> Result<Advice> {
    let (Some(agent), Detail::Stop { again: false, last_message }) = (&event.subagent, &event.detail) else {
        return Ok(Advice::silent());
    };
    let said = last_message.as_deref().unwrap_or_default();
    let wanted = cx.read(|tables| {
        let Some(call) = tables.call_of_agent(&event.session, &agent.id)? else { return Ok(None) };
        let beside = tables.open_calls(&event.session)?;
        let beside = beside.iter().filter(|other| {
            !call.certain && !other.certain && other.agent_kind == call.agent_kind && other.call != call.call
        });
        let mut contracts: Vec<&str> = Vec::new();
        for one in [&call].into_iter().chain(beside) {
            let Some(id) = &one.pattern else { return Ok(None) };
            let Some(pattern) = tables.pattern(id)?.as_ref().and_then(pattern_of) else { return Ok(None) };
            let Some(role) = pattern.part_of(&one.call).and_then(|part| pattern.role(&part.slot)) else {
                return Ok(None);
            };
            if role.read(said).is_some() || pattern.outcome.is_some() {
                return Ok(None);
            }
            if !contracts.contains(&role.answer) {
                contracts.push(role.answer);
            }
        }
        Ok(Some(contracts.join(" or ")))
    })?;
    let hold = wanted.map(|contract| {
        format!(
            "collect-subagent: your answer lacks the last line that your part asks for, or says something else in it. Answer once more with that line alone, \
             one line of JSON: {contract}"
        )
    });
    Ok(Advice { hold, ..Advice::silent() })
}

/// The end of a turn waits for agents that are out, a few times; what is over and unsaid, and what was never started, is
/// said once. All patterns hold it together.
fn hold(cx: &Context, event: &Event) -> Result<Advice> {
    let Detail::Stop { again, .. } = event.detail else { return Ok(Advice::silent()) };
    cx.read(|tables| {
        let patterns = coordinated(tables, event, cx.now)?;
        if patterns.is_empty() {
            return Ok(Advice::silent());
        }
        let turn = tables.last_prompt(&event.session)?.map_or(0, |prompt| prompt.number);
        let in_turn = |times: usize| format!("pattern-hold:{}:{turn}:{times}", event.session.as_str());
        let Some(in_all) = first_free(tables, MAX_HOLDS_A_TURN, in_turn)? else { return Ok(Advice::silent()) };
        let mut marks = vec![in_turn(in_all)];
        let (mut texts, mut out) = (Vec::new(), Vec::new());
        for (row, pattern) in &patterns {
            // What does not fit any more is said another time.
            let said: usize = texts.iter().chain(&out).map(String::len).sum();
            if said > HOLD_CHARS {
                break;
            }
            match reason(tables, cx, row, pattern, again)? {
                Some(Reason::Said(text, more)) => {
                    texts.push(text);
                    marks.extend(more);
                }
                Some(Reason::Out(text, more)) => {
                    out.push(text);
                    marks.extend(more);
                }
                None => {}
            }
        }
        if !out.is_empty() {
            texts.push(format!(
                "{}. Do not answer for them. If you can, wait for their answers or do other work; they report by themselves, \
                 and what follows is said to you then. If you are only waiting, end your turn.",
                out.join("; ")
            ));
        }
        if texts.is_empty() {
            return Ok(Advice::silent());
        }
        Ok(held(format!("collect-subagent: {}", texts.join(" ")), marks))
    })
}

/// Why a pattern holds the end of a turn, with what is noted when it does.
enum Reason {
    /// Something is to be said.
    Said(String, Vec<String>),
    /// Somebody is out.
    Out(String, Vec<String>),
}

fn reason(
    tables: &Tables,
    cx: &Context,
    row: &PatternRow,
    pattern: &Pattern,
    again: bool,
) -> Result<Option<Reason>> {
    let step = pattern.step(cx.now);
    if let Some(step) = step.as_ref().filter(|step| step.is_over) {
        let said = mark(row, &step.key);
        return Ok((!tables.is_marked(&said)?).then(|| Reason::Said(in_one_line(step), vec![said])));
    }
    let hold = |times: usize| mark(row, &format!("hold:{times}"));
    let Some(times) = first_free(tables, MAX_HOLDS, hold)? else { return Ok(None) };
    let out: Vec<String> = pattern
        .out(cx.now)
        .into_iter()
        .filter(|part| cx.now < part.called_at.saturating_add(HOLD_FOR))
        .map(|part| pattern.view(cx.now).label(&part.slot))
        .collect();
    if !out.is_empty() {
        let progress = pattern.view(cx.now).progress();
        let standing = mark(row, &format!("held-at:{progress}"));
        // Nothing has changed since it was held in this turn: it would only go round.
        if again && tables.is_marked(&standing)? {
            return Ok(None);
        }
        let text = format!(
            "the {} is not complete: {progress}; out: {} (hold {times} of {MAX_HOLDS})",
            pattern.title(),
            out.join(", ")
        );
        return Ok(Some(Reason::Out(text, vec![hold(times), standing])));
    }
    let Some(step) = step else { return Ok(None) };
    let lacking = mark(row, &format!("lacks:{}", step.key));
    if tables.is_marked(&lacking)? {
        return Ok(None);
    }
    let text = format!(
        "{} If it is not wanted any more: `throughline pattern stop {}`. This is said once.",
        in_one_line(&step),
        pattern.spec.id
    );
    Ok(Some(Reason::Said(text, vec![hold(times), lacking, mark(row, &step.key)])))
}

fn held(text: String, marks: Vec<String>) -> Advice {
    Advice { hold: Some(text), marks, ..Advice::silent() }
}

/// Which hold comes next; none when there were so many.
fn first_free(tables: &Tables, most: usize, mark: impl Fn(usize) -> String) -> Result<Option<usize>> {
    for times in 1..=most {
        if !tables.is_marked(&mark(times))? {
            return Ok(Some(times));
        }
    }
    Ok(None)
}

fn in_one_line(step: &Step) -> String {
    let mut text = step.headline.clone();
    for tag in &step.tags {
        text.push_str(&format!(" {tag}"));
    }
    let lines = step.lines.iter().take(MAX_LINES / 2);
    for line in lines {
        let said = one_line(&line.text, HOLD_LINE_CHARS);
        text.push_str(&format!(" {}: \"{}\";", one_line(&line.title, 80), said.replace('"', "'")));
    }
    text
}

#[cfg(test)]
mod tests {
    use model::Outcome;
    use serde_json::json;

    use super::super::brief_subagent::tests::Story;
    use super::*;
    use crate::behaviors::tests::{Around, context};

    fn juror(n: u32) -> String {
        format!("[pattern:jury id=review n={n} of=3] Is it right?")
    }

    fn vote(word: &str, why: &str) -> String {
        format!("I looked.\n{{\"vote\":\"{word}\",\"why\":\"{why}\"}}")
    }

    fn said(advice: &Advice) -> String {
        advice.notes.iter().map(|note| note.text.as_str()).collect()
    }

    fn stop(story: &mut Story, again: bool) -> Advice {
        let event =
            story.event(EventKind::Stop, None, Detail::Stop { again, last_message: Some("done".into()) });
        let advice = story.hear(&CollectSubagent, &event);
        // Whoever delivers it notes what is said once.
        let injection = model::Injection {
            session: event.session.clone(),
            subagent: None,
            event: "Stop".into(),
            notes: Vec::new(),
            marks: advice.marks.clone(),
        };
        story.tables.write(|batch| batch.put_injection(event.at, event.at, &injection)).unwrap();
        advice
    }

    #[test]
    fn a_verdict_is_said_with_the_last_answer_and_no_vote_before_it() {
        let mut story = Story::new();
        for n in 1..=3 {
            story.call(&format!("c{n}"), &juror(n));
        }
        // They begin and end in another order than they were called in.
        for agent in ["a3", "a1", "a2"] {
            story.start(agent);
        }
        for (agent, word) in [("a2", "approve"), ("a3", "reject"), ("a1", "approve")] {
            assert!(story.stop(agent, &vote(word, &format!("BECAUSE-{agent}")), false).is_silent());
        }
        for n in [2, 3] {
            let text = said(&story.answer(&format!("c{n}"), &juror(n), &format!("a{n}"), "x"));
            assert!(text.is_empty(), "{text}");
        }
        let text = said(&story.answer("c1", &juror(1), "a1", "x"));
        assert!(text.contains("approved, 2 for and 1 against"), "{text}");
        assert!(text.contains("- juror 3 of 3:\n> reject: BECAUSE-a3"), "{text}");
        let rows = story.tables.patterns(&PatternFilter::default()).unwrap();
        let pattern = pattern_of(&rows[0]).unwrap();
        assert_eq!(pattern.outcome.as_ref().unwrap().verdict, "approved");
        let votes: Vec<_> =
            pattern.parts.iter().map(|part| (part.slot.n, part.agent.clone().unwrap())).collect();
        assert_eq!(votes, [(1, "a1".into()), (2, "a2".into()), (3, "a3".into())], "guesses are put right");
    }

    #[test]
    fn an_answer_without_its_line_is_asked_for_once_and_kept_with_what_was_said_before() {
        let mut story = Story::new();
        story.call("c1", "[pattern:jury id=one of=1] Judge.");
        story.start("a1");
        let held = story.stop("a1", "A long analysis.", false).hold.unwrap();
        assert!(held.contains("\"vote\":"), "{held}");
        assert!(stop(&mut story, false).hold.unwrap().contains("out: "), "it is out until it answers");
        let line = "{\"vote\":\"reject\",\"why\":\"no\"}";
        assert!(story.stop("a1", line, true).is_silent());
        story.answer("c1", "[pattern:jury id=one of=1] Judge.", "a1", line);
        let rows = story.tables.patterns(&PatternFilter::default()).unwrap();
        let pattern = pattern_of(&rows[0]).unwrap();
        assert_eq!(pattern.outcome.as_ref().unwrap().verdict, "rejected");
        assert!(pattern.parts[0].result.as_ref().unwrap().starts_with("A long analysis."));
    }

    #[test]
    fn the_end_of_a_turn_is_held_while_a_juror_is_out_and_not_for_ever() {
        let mut story = Story::new();
        for n in 1..=2 {
            story.call(&format!("c{n}"), &juror(n));
            story.start(&format!("a{n}"));
            let response = json!({ "isAsync": true, "status": "async_launched", "agentId": format!("a{n}") });
            let outcome = Outcome::Succeeded { response, duration_ms: None };
            let event = story.tool(EventKind::PostToolUse, &format!("c{n}"), &juror(n), outcome);
            story.hear(&CollectSubagent, &event);
        }
        let held = stop(&mut story, false).hold.unwrap();
        assert!(held.contains("0 of 3 are in; out: juror 1 of 3, juror 2 of 3"), "{held}");
        assert!(stop(&mut story, true).is_silent(), "nothing has changed in this turn");
        story.stop("a1", &vote("approve", "x"), false);
        assert!(stop(&mut story, true).hold.unwrap().contains("1 of 3 are in"));
        assert!(stop(&mut story, false).hold.is_some());
        assert!(stop(&mut story, false).is_silent(), "three times are enough");
    }

    #[test]
    fn however_many_patterns_are_out_they_hold_the_end_of_a_turn_together() {
        let mut story = Story::new();
        for n in 1..=7 {
            let tag = format!("[pattern:jury id=j{n} of=1] Judge.");
            story.call(&format!("c{n}"), &tag);
            story.start(&format!("a{n}"));
            let response = json!({ "isAsync": true, "status": "async_launched", "agentId": format!("a{n}") });
            let outcome = Outcome::Succeeded { response, duration_ms: None };
            let event = story.tool(EventKind::PostToolUse, &format!("c{n}"), &tag, outcome);
            story.hear(&CollectSubagent, &event);
        }
        let held = stop(&mut story, false).hold.unwrap();
        for n in 1..=7 {
            assert!(held.contains(&format!("the jury \"j{n}\" is not complete")), "{held}");
        }
        assert_eq!(held.matches("Do not answer for them").count(), 1, "{held}");
        assert!(stop(&mut story, true).is_silent(), "nothing has changed");
        // One after the other they are back: each is said, and the turn ends all the same.
        let mut holds = 1;
        for n in 1..=7 {
            story.stop(&format!("a{n}"), &vote("approve", "fine"), false);
            holds += usize::from(stop(&mut story, true).hold.is_some());
        }
        assert_eq!(holds, MAX_HOLDS_A_TURN);
    }

    #[test]
    fn a_part_that_was_never_started_is_said_once_at_the_end_of_a_turn() {
        let mut story = Story::new();
        let first = "[pattern:pipeline id=p stages=plan,build stage=plan] Plan.";
        story.call("c1", first);
        story.start("a1");
        let answer = "Rings.\n{\"status\":\"ok\",\"summary\":\"rings\"}";
        story.stop("a1", answer, false);
        let text = said(&story.answer("c1", first, "a1", answer));
        assert!(text.contains("pattern:pipeline id=p role=stage n=2"), "{text}");
        let held = stop(&mut story, false).hold.unwrap();
        assert!(held.contains("role=stage n=2") && !held.contains('\n'), "{held}");
        assert!(stop(&mut story, false).is_silent());
    }

    #[test]
    fn a_call_that_was_refused_and_an_agent_that_died_have_failed() {
        let mut story = Story::new();
        let prompt = "[pattern:chain id=c of=3] Handle it.";
        story.call("c1", prompt);
        let batch = story.event(EventKind::PostToolBatch, None, Detail::Plain);
        let text = said(&story.hear(&CollectSubagent, &batch));
        assert!(text.contains("n=2"), "the next handler is due: {text}");
        story.call("c2", prompt);
        story.start("a2");
        let outcome = Outcome::Failed { error: "killed".into(), interrupted: true, duration_ms: None };
        let event = story.tool(EventKind::PostToolUseFailure, "c2", prompt, outcome);
        story.hear(&CollectSubagent, &event);
        let rows = story.tables.patterns(&PatternFilter::default()).unwrap();
        let pattern = pattern_of(&rows[0]).unwrap();
        let why: Vec<_> = pattern.parts.iter().map(|part| part.why.clone().unwrap()).collect();
        assert_eq!(why, ["it was not started", "killed"]);
        let end = story.event(EventKind::SessionEnd, None, Detail::End { reason: "other".into() });
        story.learn(&end);
        let rows = story.tables.patterns(&PatternFilter::default()).unwrap();
        assert_eq!(pattern_of(&rows[0]).unwrap().outcome.unwrap().verdict, "stopped");
    }

    #[test]
    fn a_declared_pattern_is_said_with_its_tags_and_one_of_a_name_may_come_again() {
        let mut story = Story::new();
        let session = SessionId::new("s");
        let options = std::collections::BTreeMap::from([("of".to_owned(), "2".to_owned())]);
        let declare = |story: &mut Story| {
            story
                .tables
                .write(|batch| {
                    coordination::declare(batch, &session, "jury", "review", &options, 1_000_000)
                        .map_err(|error| error.into_store().unwrap())
                })
                .unwrap();
        };
        declare(&mut story);
        let prompt = story.event(
            EventKind::UserPromptSubmit,
            None,
            Detail::Prompt { text: "go".into(), author: model::Author::Person },
        );
        let text = said(&story.hear(&CollectSubagent, &prompt));
        assert!(text.contains("pattern:jury id=review role=juror n=2]"), "{text}");
        for n in 1..=2 {
            let tag = format!("[pattern:jury id=review role=juror n={n}] judge");
            story.call(&format!("c{n}"), &tag);
            story.start(&format!("a{n}"));
            story.stop(&format!("a{n}"), &vote("approve", "fine"), false);
            story.answer(&format!("c{n}"), &tag, &format!("a{n}"), "x");
        }
        story.call("c9", &juror(1));
        let rows = story.tables.patterns(&PatternFilter::default()).unwrap();
        assert_eq!(rows.len(), 2, "{rows:?}");
        assert!(rows[0].id.ends_with("#2") && rows[1].ended_at.is_some(), "{rows:?}");
    }

    #[test]
    fn a_pattern_that_time_decides_is_over_for_everybody() {
        let mut story = Story::new();
        let tag = "[pattern:jury id=quiet of=1 timeout=1s] Judge.";
        for n in 1..=2 {
            story.call(&format!("c{n}"), tag);
            story.start(&format!("a{n}"));
            story.wait(2000);
        }
        let row = story.tables.patterns(&PatternFilter::default()).unwrap().remove(0);
        let now = story.event(EventKind::Stop, None, Detail::Plain).at;
        assert_eq!(row.ended_at, None, "no event has told of it");
        let seen = coordination::picture(&row, now).unwrap();
        assert_eq!((seen.state.as_str(), seen.ended_at), ("no quorum", Some(now)));
        assert_eq!(seen.nodes[0].says.as_deref(), Some("no answer in time"));
        assert_eq!(seen.lines[0].text, "no answer in time");
        let held = stop(&mut story, false).hold.unwrap();
        assert!(held.contains("no quorum") && held.contains("no answer in time"), "{held}");
        let row = story.tables.patterns(&PatternFilter::default()).unwrap().remove(0);
        assert!(row.ended_at.is_some(), "and now it is noted");
        story.call("c3", tag);
        assert_eq!(story.tables.patterns(&PatternFilter::default()).unwrap().len(), 2, "the next is another");
    }

    #[test]
    fn what_was_kept_a_moment_ago_is_heard_with_a_prompt_and_at_the_end_of_a_turn() {
        let mut story = Story::new();
        // Called a moment ago, and nothing of it is learned.
        let called = story.tool(EventKind::PreToolUse, "c1", &juror(1), Outcome::Pending);
        let started = story.event(EventKind::SubagentStart, Some("a1"), Detail::Plain);
        let stop = Detail::Stop { again: false, last_message: Some("done".into()) };
        let stop = story.event(EventKind::Stop, None, stop);
        let behind = |story: &Story, events: Vec<Event>, now: &Event| {
            let around = Around::new(&story.database());
            *around.behind.lock().unwrap() = events;
            let around = std::sync::Arc::new(around);
            let cx = context(&story.database(), |_| true);
            crate::behavior::advise(&CollectSubagent, &Context { now: now.at, around, ..cx }, now).unwrap()
        };
        let held = behind(&story, vec![called, started], &stop).hold.unwrap();
        assert!(held.contains("out: juror 1 of 3"), "{held}");
        // An agent in the background is back, and a prompt follows at once.
        let one = "[pattern:jury id=one of=1] Judge.";
        story.call("c9", one);
        story.start("a9");
        let response = json!({ "isAsync": true, "status": "async_launched", "agentId": "a9" });
        let launched =
            story.tool(EventKind::PostToolUse, "c9", one, Outcome::Succeeded { response, duration_ms: None });
        story.learn(&launched);
        let detail = Detail::Stop { again: false, last_message: Some(vote("approve", "fine")) };
        let back = story.event(EventKind::SubagentStop, Some("a9"), detail);
        let prompt = Detail::Prompt { text: "and?".into(), author: model::Author::Person };
        let prompt = story.event(EventKind::UserPromptSubmit, None, prompt);
        let text = said(&behind(&story, vec![back], &prompt));
        assert!(text.contains("approved, 1 for and 0 against"), "{text}");
    }

    #[test]
    fn an_option_that_is_not_understood_is_said_once() {
        let mut story = Story::new();
        let tag = "[pattern:jury id=j n=1 of=2 pass=majority quorum=2/3 mood=good] Judge.";
        story.call("c1", tag);
        story.start("a1");
        story.stop("a1", &vote("approve", "fine"), false);
        let text = said(&story.answer("c1", tag, "a1", "x"));
        for wanted in
            ["pass=majority cannot be read", "quorum=2/3 cannot be read (a number from 1 to 2", "\"mood\""]
        {
            assert!(text.contains(wanted), "{text}");
        }
        assert_eq!(text.matches("goes by what is usual").count(), 1, "{text}");
    }

    #[test]
    fn a_session_without_patterns_hears_nothing() {
        let mut story = Story::new();
        assert!(stop(&mut story, false).is_silent());
        assert!(story.stop("a-compaction", "summary", false).is_silent());
        let cx = context(&story.database(), |_| true);
        let batch = story.event(EventKind::PostToolBatch, None, Detail::Plain);
        assert!(crate::behavior::advise(&CollectSubagent, &cx, &batch).unwrap().is_silent());
    }
}
