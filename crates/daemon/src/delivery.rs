//! What becomes of the parts of an answer: joined, written in the agent's dialect, and then looked for in what is written.
//! Whose words are there has been heard, and counts as said; everything else is free to be said another time. What the
//! agent cannot be told on this event, what a stronger verdict replaced and what had no room are all the same here: the
//! reply alone tells.

use agents::Adapter;
use engine::{Part, fence, merge};
use model::{Advice, Event, Note, Reply, Verdict};
use redact::Redactor;
use serde_json::Value;

use crate::deeds;

/// What is sent, and what of it counts.
#[derive(Debug)]
pub(crate) struct Delivered {
    pub(crate) reply: Reply,
    /// What was heard, notes without their fences, with the marks of that.
    pub(crate) advice: Advice,
    /// Who holds the turn, and why.
    pub(crate) holds: Vec<(Option<&'static str>, String)>,
}

/// Writes the answer that these parts make, in their order.
pub(crate) fn deliver(
    adapter: &dyn Adapter,
    event: &Event,
    mut parts: Vec<Part>,
    redactor: &Redactor,
    nonce: u64,
) -> Delivered {
    // What is stored is clean; what was read from a person's own pages may not be.
    for note in parts.iter_mut().flat_map(|part| &mut part.advice.notes) {
        deeds::clean(redactor, &mut note.text);
    }
    let fenced = |advice: &Advice| {
        let mut advice = advice.clone();
        for note in &mut advice.notes {
            note.text = fence(note.from, nonce, &note.text);
        }
        advice
    };
    let written: Vec<Advice> = parts.iter().map(|part| fenced(&part.advice)).collect();
    let write = |takes: &[bool]| {
        let taken = written.iter().zip(takes);
        let reply = adapter.write(
            event,
            // What a part decides stands in any case: no verdict is lost for want of room.
            &merge(taken.map(|(whole, takes)| if *takes { whole.clone() } else { decided(whole) })),
        );
        (Said::in_reply(&reply), reply)
    };
    let comes_again = |at: usize| parts[at].comes_again() && has_words(&written[at]);
    let is_heard = |said: &Said, takes: &[bool]| {
        (0..parts.len()).all(|at| !takes[at] || !comes_again(at) || said.has_all_of(&written[at]))
    };
    let mut takes = vec![true; parts.len()];
    let (mut said, mut reply) = write(&takes);
    if !is_heard(&said, &takes) {
        // One after the other: whoever comes later takes no room from who is there, and what has none comes another time.
        takes.fill(false);
        for at in 0..parts.len() {
            takes[at] = true;
            takes[at] = is_heard(&write(&takes).0, &takes);
        }
        // What would be alone in its place is sent as far as there is room: it would never be heard otherwise.
        for has in [|advice: &Advice| advice.hold.is_some(), |advice: &Advice| !advice.notes.is_empty()] {
            if !(0..parts.len()).any(|at| takes[at] && has(&written[at]))
                && let Some(first) = (0..parts.len()).find(|at| has(&written[*at]))
            {
                takes[first] = true;
            }
        }
        (said, reply) = write(&takes);
    }
    for (at, part) in parts.iter_mut().enumerate().filter(|(at, _)| !takes[*at]) {
        // With its words goes what it noted as said.
        *part = Part::from(decided(&written[at]));
    }
    let written: Vec<Advice> = parts.iter().map(|part| fenced(&part.advice)).collect();
    settle(parts, &written, &said, reply)
}

/// An advice without its words.
fn decided(advice: &Advice) -> Advice {
    Advice { verdict: advice.verdict.clone(), by: advice.by, ..Advice::silent() }
}

/// Notes as said what was heard, and takes the rest back.
fn settle(parts: Vec<Part>, written: &[Advice], said: &Said, reply: Reply) -> Delivered {
    let mut heard = Vec::new();
    let mut holds = Vec::new();
    for (part, written) in parts.into_iter().zip(written) {
        let Part { mut advice, once } = part;
        if said.has_all_of(written) {
            once.heard();
        } else {
            drop(once);
            advice.marks.clear();
        }
        let mut texts = written.notes.iter();
        // Below the line that opens its fence.
        let is_there = |note: &Note| note.text.lines().nth(1).is_some_and(|line| said.has(line));
        advice.notes.retain(|_| texts.next().is_some_and(is_there));
        if !said.has(advice.instructions.as_deref().unwrap_or_default()) {
            advice.instructions = None;
        }
        if let Some(hold) = advice.hold.take_if(|hold| !said.begins(hold)) {
            drop(hold);
        }
        holds.extend(advice.hold.clone().map(|hold| (advice.by, hold)));
        heard.push(advice);
    }
    Delivered { reply, advice: merge(heard), holds }
}

/// Words beside a verdict.
fn has_words(advice: &Advice) -> bool {
    let Advice { notes, tells, hold, instructions, .. } = advice;
    !notes.is_empty() || !tells.is_empty() || hold.is_some() || instructions.is_some()
}

/// Every text of a reply.
struct Said(Vec<String>);

impl Said {
    fn in_reply(reply: &Reply) -> Self {
        fn texts(value: Value, found: &mut Vec<String>) {
            match value {
                Value::String(text) => found.push(text),
                Value::Array(values) => values.into_iter().for_each(|value| texts(value, found)),
                Value::Object(fields) => fields.into_iter().for_each(|(_, value)| texts(value, found)),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        let mut found = Vec::new();
        match serde_json::from_slice(&reply.stdout) {
            Ok(value) => texts(value, &mut found),
            // Instructions are plain text.
            Err(_) => found.push(String::from_utf8_lossy(&reply.stdout).into_owned()),
        }
        Self(found)
    }

    fn has(&self, text: &str) -> bool {
        self.0.iter().any(|said| said.contains(text))
    }

    /// Whether it is there at least in part: what is cut is cut at its end.
    fn begins(&self, text: &str) -> bool {
        self.has(text) || text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| self.has(line))
    }

    /// Whether the words that an advice's marks stand for are there. A reason to hold goes before notes beside it, and notes
    /// before lines for the person. Marks without any words are facts.
    fn has_all_of(&self, advice: &Advice) -> bool {
        let Advice { notes, tells, verdict, hold, instructions, .. } = advice;
        if let Some(hold) = hold {
            return self.has(hold);
        }
        if !notes.is_empty() {
            return notes.iter().all(|note| self.has(&note.text));
        }
        if !tells.is_empty() {
            return tells.iter().all(|line| self.has(line));
        }
        if let Some(instructions) = instructions {
            return self.has(instructions);
        }
        match verdict {
            // What was decided was decided, also where its reason was cut.
            Some(Verdict::Allow { reason } | Verdict::Ask { reason } | Verdict::Deny { reason }) => {
                self.begins(reason)
            }
            None => true,
        }
    }
}

#[cfg(test)]
mod tests;
