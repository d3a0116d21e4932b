//! Turns the advice of many behaviors into one. Knows nothing of agents; if you need their names, you are
//! in the wrong room.

use model::Advice;

/// Notes, tells and marks are kept in the order given; of several verdicts the strongest wins and of equals the
/// first; the first reason to hold and the instructions of all are kept.
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
        if whole.hold.is_none() && part.hold.is_some() {
            whole.hold = part.hold;
            whole.by = whole.by.or(part.by);
        }
        whole.instructions = match (whole.instructions.take(), part.instructions) {
            (Some(first), Some(second)) => Some(first + "\n\n" + &second),
            (first, second) => first.or(second),
        };
    }
    whole
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
    fn notes_keep_their_order_and_instructions_are_joined() {
        let instruct = |text: &str| Advice { instructions: Some(text.into()), ..Advice::default() };
        let merged =
            merge([Advice::say("a", "1".into()), instruct("x"), Advice::say("b", "2".into()), instruct("y")]);
        assert_eq!(merged.notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(merged.instructions.as_deref(), Some("x\n\ny"));
    }
}
