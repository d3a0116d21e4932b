//! Words from one session to another.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Call, Effect, missing, said};
use crate::answer::{Answer, Room, clean, rows_text, when};
use crate::keeper::{Keeper, Messaging, Refusal};

/// A message has at most a thousand characters.
const CELL_CHARS: usize = 1000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Message {
    /// send a message, or list what was sent and whether it was said
    action: Action,
    /// A session's id or the beginning of it
    to: Option<String>,
    /// For send: to every other session at work in this repository
    #[serde(default)]
    all: bool,
    /// For send: what to say, at most 1000 characters
    text: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Action {
    Send,
    List,
}

impl Call for Message {
    const NAME: &'static str = "message";
    const TITLE: &'static str = "Message";
    const DESCRIPTION: &'static str = "Say something to another session; it hears it with its next event.";
    const EFFECT: Effect = Effect::Adds;

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let to = self.to.as_deref().and_then(said).map(str::to_owned);
        match self.action {
            Action::List => {
                let sent = keeper.message(Messaging::List { to })?;
                let mut room = Room::new();
                let rows = sent.as_array().into_iter().flatten().map(row);
                let rows: Vec<Value> = rows.take_while(|row| room.fits(&row.to_string())).collect();
                let text = rows_text(&rows, "no message was sent in the last week", None);
                Ok(Answer { text, data: json!({ "messages": rows }) })
            }
            Action::Send => {
                let text = self.text.as_deref().and_then(said);
                let text = text.ok_or_else(|| missing("text", "say something"))?.to_owned();
                if to.is_none() && !self.all {
                    let next = "name a session; sessions with action \"list\" and live says who is at work";
                    return Err(missing("to", next));
                }
                let all = self.all && to.is_none();
                let data = clean(keeper.message(Messaging::Send { to, all, text })?, CELL_CHARS);
                Ok(Answer { text: data.to_string(), data })
            }
        }
    }
}

fn row(message: &Value) -> Value {
    let at = |name: &str| message[name].as_u64().map(when);
    let row = json!({
        "to": message["to"],
        "from": message["from"],
        "sent": at("at"),
        "said": at("delivered_at"),
        "text": message["text"],
    });
    clean(row, CELL_CHARS)
}
