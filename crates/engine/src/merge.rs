//! Turns the advice of many behaviors into one. Knows nothing of agents; if you need their names, you are
//! in the wrong room.

use model::Advice;

use crate::once::Once;

/// What one behavior has to say on an event, and what it has noted as said: that counts only if its words are delivered.
#[derive(Debug, Default)]
pub struct Part {
    pub advice: Advice,
    pub once: Once,
}

impl Part {
    /// Whether it may be said another time: something of it is said once, and is free again if it is not heard now.
    pub fn comes_again(&self) -> bool {
        !self.once.is_empty() || !self.advice.marks.is_empty()
    }
}

impl From<Advice> for Part {
    fn from(advice: Advice) -> Self {
        Self { advice, once: Once::default() }
    }
}

/// Between the reasons of several that hold one turn, and between instructions.
const BETWEEN: &str = "\n\n";

/// Notes, tells and marks are kept in the order given; of several verdicts the strongest wins and of equals the
/// first; all reasons to hold and all instructions are kept, in the order given.
pub fn merge(parts: impl IntoIterator<Item = Advice>) -> Advice {
    let mut whole = Advice::silent();
    for part in parts {
        whole.notes.extend(part.notes);
        whole.tells.extend(part.tells);
        whole.marks.extend(part.marks);
        let is_stronger = match (&whole.verdict, &part.verdict) {
            (Some(held), Some(new)) => new.strength() > held.strength(),
            (None, new) => new.is_some(),
            (Some(_), None) => false,
        };
        if is_stronger {
            (whole.verdict, whole.by) = (part.verdict, part.by);
        }
        if part.hold.is_some() {
            whole.by = whole.by.or(part.by);
        }
        whole.hold = join(whole.hold.take(), part.hold);
        whole.instructions = join(whole.instructions.take(), part.instructions);
    }
    whole
}

fn join(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(first + BETWEEN + &second),
        (first, second) => first.or(second),
    }
}

#[cfg(test)]
mod tests {
    use model::Verdict;

    use super::*;

    fn verdict(verdict: Verdict) -> Advice {
        Advice { verdict: Some(verdict), ..Advice::default() }
    }

    #[test]
    fn deny_beats_ask_beats_allow_and_the_first_of_equals_wins() {
        let deny = |reason: &str| verdict(Verdict::Deny { reason: reason.into() });
        let ask = verdict(Verdict::Ask { reason: "ask".into() });
        let allow = verdict(Verdict::Allow { reason: "allow".into() });
        let merged = merge([allow.clone(), deny("b"), ask.clone(), deny("a")]);
        assert_eq!(merged.verdict, Some(Verdict::Deny { reason: "b".into() }));
        assert_eq!(merge([allow, ask.clone()]).verdict, ask.verdict);
    }

    #[test]
    fn of_several_that_hold_a_turn_all_are_heard_in_their_order() {
        let hold = |by, text: &str| Advice { hold: Some(text.into()), by: Some(by), ..Advice::default() };
        let merged = merge([hold("collect-subagent", "a juror is out"), hold("check-code", "2 new errors")]);
        assert_eq!(merged.hold.as_deref(), Some("a juror is out\n\n2 new errors"));
        assert_eq!(merged.by, Some("collect-subagent"));
    }

    #[test]
    fn notes_keep_their_order_and_instructions_are_joined() {
        let instruct = |text: &str| Advice { instructions: Some(text.into()), ..Advice::default() };
        let merged =
            merge([Advice::say("a", "1".into()), instruct("x"), Advice::say("b", "2".into()), instruct("y")]);
        assert_eq!(merged.notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(merged.instructions.as_deref(), Some("x\n\ny"));
    }
}
