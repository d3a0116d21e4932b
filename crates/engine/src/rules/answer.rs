//! What a rule's program prints and what a model answers, read strictly: anything but the agreed shape is a fault of
//! the rule and never half an answer.

use serde::Deserialize;

use super::{Rule, Then};

/// A rule speaks in sentences; the client takes 10,000 characters for all behaviors together.
const MAX_TEXT: usize = 4000;
/// Reasons are shown in a dialog.
const MAX_REASON: usize = 1000;

/// What a rule wants said or done. Nothing of it: silence.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Said {
    /// Context for the model.
    pub say: Option<String>,
    /// A line for the person.
    pub tell: Option<String>,
    pub deny: Option<String>,
    pub ask: Option<String>,
    /// Skips the question to the person; only for a rule that is marked for it.
    pub allow: Option<String>,
    /// Reason to go on with the turn.
    pub hold: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("it printed no JSON object of say, tell, deny, ask, allow and hold: {0}")]
    Shape(String),
    #[error("`{0}` is empty; a person wants to know why")]
    Empty(&'static str),
    #[error("it printed more than one of deny, ask and allow")]
    Undecided,
    #[error("it printed `allow`, which its rule.toml does not permit with `allow = true`")]
    NotPermitted,
    #[error("the model answered something else than {{\"answer\":\"yes\"|\"no\",\"reason\":\"…\"}}")]
    NoJudgment,
}

impl Said {
    /// What a program printed. Nothing, or nothing but white space, is silence.
    pub fn read(rule: &Rule, printed: &[u8]) -> Result<Self, AnswerError> {
        if printed.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self::default());
        }
        let said: Self = object(printed).map_err(AnswerError::Shape)?;
        if let Some((name, _)) = said.parts().into_iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(AnswerError::Empty(name));
        }
        if said.allow.is_some() && !rule.may_allow {
            return Err(AnswerError::NotPermitted);
        }
        if [&said.deny, &said.ask, &said.allow].iter().filter(|verdict| verdict.is_some()).count() > 1 {
            return Err(AnswerError::Undecided);
        }
        let cut = |text: Option<String>, most| text.map(|text| cut(text, most));
        Ok(Self {
            say: cut(said.say, MAX_TEXT),
            tell: cut(said.tell, MAX_REASON),
            deny: cut(said.deny, MAX_REASON),
            ask: cut(said.ask, MAX_REASON),
            allow: cut(said.allow, MAX_REASON),
            hold: cut(said.hold, MAX_REASON),
        })
    }

    /// What a yes with this reason does.
    pub fn of(then: Then, reason: String) -> Self {
        let reason = Some(cut(reason, MAX_REASON));
        match then {
            Then::Say => Self { say: reason, ..Self::default() },
            Then::Tell => Self { tell: reason, ..Self::default() },
            Then::Ask => Self { ask: reason, ..Self::default() },
            Then::Deny => Self { deny: reason, ..Self::default() },
            Then::Hold => Self { hold: reason, ..Self::default() },
        }
    }

    pub fn is_silent(&self) -> bool {
        *self == Self::default()
    }

    /// What is there, by name.
    pub fn parts(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("say", &self.say),
            ("tell", &self.tell),
            ("deny", &self.deny),
            ("ask", &self.ask),
            ("allow", &self.allow),
            ("hold", &self.hold),
        ];
        all.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?))).collect()
    }
}

/// A model's answer to a rule's question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgment {
    Yes(String),
    No,
}

/// One JSON object and nothing around it: a model that chats has not judged.
pub fn judgment(answer: &str) -> Result<Judgment, AnswerError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Answer {
        answer: String,
        reason: String,
    }
    let read: Answer = object(answer.as_bytes()).map_err(|_| AnswerError::NoJudgment)?;
    match read.answer.as_str() {
        "yes" if !read.reason.trim().is_empty() => Ok(Judgment::Yes(read.reason)),
        "no" => Ok(Judgment::No),
        _ => Err(AnswerError::NoJudgment),
    }
}

/// An object and no list: by itself the parser takes a list for the fields in their order.
fn object<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, String> {
    if !text.trim_ascii_start().starts_with(b"{") {
        return Err("it does not begin with a brace".to_owned());
    }
    serde_json::from_slice(text).map_err(|error| error.to_string())
}

fn cut(mut text: String, most: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(most) {
        text.truncate(end);
        text.push('…');
    }
    text
}
