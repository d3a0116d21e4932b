//! Several agents judge the same thing, each for itself. Nobody sees a vote before all are in.

use super::seats;
use crate::answer::Answer;
use crate::kind::{Kind, Role};
use crate::options::Takes;
use crate::pattern::{Part, Slot};
use crate::spec::Spec;
use crate::step::{Line, Outcome, Standing};
use crate::view::View;

pub(crate) const USUALLY: u32 = 3;

pub(crate) struct Jury;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vote {
    Approve,
    Reject,
    Abstain,
}

impl Kind for Jury {
    fn name(&self) -> &'static str {
        "jury"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["vote", "panel"]
    }

    fn manual(&self) -> &'static str {
        "Jurors (`of`, 3) judge the same thing, each for itself; votes stay sealed until all are in. Without `pass` the \
         larger side wins and equal sides are a tie; `pass=2/3` (or `60%`, `all`) is the share of the votes cast that \
         approval needs. `quorum` is how many must vote at all (more than half). A juror that fails is asked for once more, \
         then it has not voted; one that cannot be read has not voted either."
    }

    fn options(&self) -> &'static [(&'static str, Takes)] {
        &[("of", Takes::Agents), ("names", Takes::Names), ("pass", Takes::Share), ("quorum", Takes::Quorum)]
    }

    fn roles(&self) -> &'static [Role] {
        &[Role {
            name: "juror",
            aliases: &["judge", "voter", "reviewer"],
            rules: "Judge for yourself, from what you see yourself. You do not know how others vote and do not ask. Look for \
                    what speaks against it before you decide.",
            answer: r#"{"vote":"approve" or "reject" or "abstain","why":"the reason in one sentence"}"#,
            key: "vote",
            reads: is_vote,
        }]
    }

    fn plan(&self, spec: &Spec) -> Vec<Slot> {
        seats("juror", spec.agents(USUALLY))
    }

    fn is_sealed(&self) -> bool {
        true
    }

    fn standing(&self, view: &View<'_>) -> Standing {
        let all = view.gather(self.plan(view.spec()));
        if !all.is_complete() {
            return Standing::due(all.due);
        }
        let votes: Vec<(&Part, Option<Vote>)> =
            all.answered.iter().map(|part| (*part, part.answer.as_ref().and_then(vote))).collect();
        let count = |wanted: Vote| votes.iter().filter(|(_, vote)| *vote == Some(wanted)).count() as u32;
        let (yes, no, abstained) = (count(Vote::Approve), count(Vote::Reject), count(Vote::Abstain));
        let (cast, seats) = (yes + no, (all.answered.len() + all.lost.len()) as u32);
        let quorum = view.spec().count("quorum", seats).unwrap_or(seats / 2 + 1);
        let (verdict, rule) = match view.spec().share("pass") {
            _ if cast < quorum => ("no quorum", format!("{cast} of {seats} voted, {quorum} must")),
            // In thousandths, rounded to the voters' favor: two of three are two thirds.
            Some(share) => {
                let needed = (u64::from(share) * u64::from(cast)).div_ceil(1000) as u32;
                (
                    if yes >= needed { "approved" } else { "rejected" },
                    format!("{needed} of {cast} votes needed"),
                )
            }
            None if yes == no => ("tie", "equal sides: nobody wins".to_owned()),
            None => (if yes > no { "approved" } else { "rejected" }, "the larger side wins".to_owned()),
        };
        let headline = format!(
            "The {} is in: {verdict}, {yes} for and {no} against, {abstained} abstained, {} without a readable vote ({rule}).",
            view.pattern.title(),
            seats - cast - abstained
        );
        let lines = votes
            .iter()
            .map(|(part, vote)| line(view, part, *vote))
            .chain(view.lines_of(all.lost, "vote"))
            .collect();
        Standing::over(Outcome::new(verdict, verdict == "approved", headline).with(lines))
    }
}

fn vote(answer: &Answer) -> Option<Vote> {
    match answer.yes("vote") {
        Some(true) => Some(Vote::Approve),
        Some(false) => Some(Vote::Reject),
        None => matches!(answer.word("vote")?.as_str(), "abstain" | "abstained" | "abstention")
            .then_some(Vote::Abstain),
    }
}

fn is_vote(answer: &Answer, _key: &str) -> bool {
    vote(answer).is_some()
}

fn line(view: &View<'_>, part: &Part, vote: Option<Vote>) -> Line {
    let word = match vote {
        Some(Vote::Approve) => "approve",
        Some(Vote::Reject) => "reject",
        Some(Vote::Abstain) => "abstain",
        None => "unreadable vote",
    };
    let why = part.answer.as_ref().and_then(|answer: &Answer| answer.text("why")).unwrap_or_default();
    Line::new(view.label(&part.slot), format!("{word}: {why}"))
}
