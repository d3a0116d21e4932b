//! Calls as values that can be sent: a session's process hands them to the daemon, which has code and tables in memory
//! already, and stays small itself. What cannot be handed over is done where it was asked; the answer is the same.

use rmcp::model::Resource;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::keeper::{Keeper, Refusal};
use crate::resources;
use crate::tools::{self, Tool};

/// One thing that is asked of memory.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Asked {
    Tool { name: String, arguments: Map<String, Value> },
    List { cursor: Option<String> },
    Read { uri: String },
}

/// What is said to it, or why nothing is.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    Answer { text: String, data: Value },
    Page { resources: Vec<Resource>, next: Option<String> },
    Text(Option<String>),
    Refused { what: String, next: String },
}

/// Does what another process was asked for. Whatever it is, there is an answer.
pub fn answer(keeper: &dyn Keeper, call: &Value) -> Value {
    let said = match Asked::deserialize(call) {
        Ok(Asked::Tool { name, arguments }) => match tools::by_name(&name) {
            Some(tool) => {
                (tool.run)(keeper, arguments).map(|Answer { text, data }| Said::Answer { text, data })
            }
            None => Err(misunderstood()),
        },
        Ok(Asked::List { cursor }) => {
            resources::list(keeper, cursor.as_deref()).map(|(resources, next)| Said::Page { resources, next })
        }
        Ok(Asked::Read { uri }) => resources::read(keeper, &uri).map(Said::Text),
        Err(_) => Err(misunderstood()),
    };
    let said = said.unwrap_or_else(|Refusal { what, next }| Said::Refused { what, next });
    json!(said)
}

pub(crate) fn run(
    keeper: &dyn Keeper,
    tool: &Tool,
    arguments: Map<String, Value>,
) -> Result<Answer, Refusal> {
    let asked = json!(Asked::Tool { name: tool.name.to_owned(), arguments: arguments.clone() });
    match hand_over(keeper, Some(tool.name), &asked)? {
        Some(Said::Answer { text, data }) => Ok(Answer { text, data }),
        Some(_) => Err(misunderstood()),
        None => (tool.run)(keeper, arguments),
    }
}

pub(crate) fn list(
    keeper: &dyn Keeper,
    cursor: Option<&str>,
) -> Result<(Vec<Resource>, Option<String>), Refusal> {
    let asked = json!(Asked::List { cursor: cursor.map(str::to_owned) });
    match hand_over(keeper, None, &asked)? {
        Some(Said::Page { resources, next }) => Ok((resources, next)),
        Some(_) => Err(misunderstood()),
        None => resources::list(keeper, cursor),
    }
}

pub(crate) fn read(keeper: &dyn Keeper, uri: &str) -> Result<Option<String>, Refusal> {
    match hand_over(keeper, None, &json!(Asked::Read { uri: uri.to_owned() }))? {
        Some(Said::Text(text)) => Ok(text),
        Some(_) => Err(misunderstood()),
        None => resources::read(keeper, uri),
    }
}

/// `None`: it has to be done here.
fn hand_over(keeper: &dyn Keeper, tool: Option<&str>, asked: &Value) -> Result<Option<Said>, Refusal> {
    let Some(said) = keeper.forward(tool, asked) else { return Ok(None) };
    match Said::deserialize(said?) {
        Ok(Said::Refused { what, next }) => Err(Refusal { what, next }),
        Ok(said) => Ok(Some(said)),
        Err(_) => Err(misunderstood()),
    }
}

/// Two releases at one table.
fn misunderstood() -> Refusal {
    Refusal::new("the daemon speaks of something else", "run `throughline daemon restart`, then try again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_comes_back_as_it_was() {
        for asked in [
            Asked::Tool { name: "mem_get".to_owned(), arguments: Map::new() },
            Asked::List { cursor: None },
            Asked::Read { uri: "memory://x".to_owned() },
        ] {
            let sent = json!(asked);
            assert_eq!(json!(Asked::deserialize(&sent).expect("it can be read")), sent);
        }
        for said in [
            Said::Answer { text: "a".to_owned(), data: json!({ "b": [1] }) },
            Said::Page { resources: vec![Resource::new("memory://x", "x")], next: Some("20".to_owned()) },
            Said::Text(None),
            Said::Text(Some("t".to_owned())),
            Said::Refused { what: "w".to_owned(), next: "n".to_owned() },
        ] {
            let sent = json!(said);
            assert_eq!(json!(Said::deserialize(&sent).expect("it can be read")), sent);
        }
    }
}
