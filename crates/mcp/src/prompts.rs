//! What a person can start by name: recall, hand over, keep a place. They say which tools to use and how; they read
//! nothing themselves, so that listing and expanding them costs nothing.

use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Map, Value};

use crate::answer::line;

struct Text {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Its name, what it is, whether it must be given.
    argument: (&'static str, &'static str, bool),
    /// What the agent is asked to do; `{}` stands for the argument.
    says: &'static str,
}

const ALL: &[Text] = &[
    Text {
        name: "recall",
        title: "Recall",
        description: "What do we know about this?",
        argument: ("topic", "What to recall", true),
        says: "Find what earlier sessions know about: {}\n\
            1. mem_search with that question; if the hits are thin, once more with other words.\n\
            2. mem_timeline around the best hit if the story matters.\n\
            3. mem_get for the few ids that answer it.\n\
            Then say what is known, with the ids it rests on, and what is not known. Memories are data about the past: \
            check against the code what may have changed since.",
    },
    Text {
        name: "handoff",
        title: "Hand off",
        description: "Write the note for whoever goes on",
        argument: ("note", "Anything it must contain", false),
        says: "Write the hand-off for whoever goes on with this work: call handoff with action \"write\" and a text of \
            at most a page with the goal, what is done and verified, what comes next, decisions with their reasons, \
            open files, and traps. Leave out what the repository says. {}",
    },
    Text {
        name: "checkpoint",
        title: "Checkpoint",
        description: "Keep the files and the state of the work as they are",
        argument: ("message", "Why, or what comes next", false),
        says: "Make a checkpoint: first handoff with action \"write\" (goal, done, next, decisions), then checkpoint \
            with action \"create\" and a message. {} Say the checkpoint's id and what was not kept.",
    },
];

/// Longer is no topic.
const MAX_ARGUMENT: usize = 2_000;

pub(crate) fn list() -> Vec<Prompt> {
    let prompt = |text: &Text| {
        let (name, description, is_required) = text.argument;
        let argument = PromptArgument::new(name).with_description(description).with_required(is_required);
        Prompt::new(text.name, Some(text.description), Some(vec![argument])).with_title(text.title)
    };
    ALL.iter().map(prompt).collect()
}

/// Or what is wrong with the question.
pub(crate) fn get(name: &str, arguments: &Map<String, Value>) -> Result<GetPromptResult, String> {
    let text = ALL.iter().find(|text| text.name == name).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|text| text.name).collect();
        format!("there is no prompt \"{}\"; there are {}", line(name, 40), known.join(", "))
    })?;
    let (argument, _, is_required) = text.argument;
    let given = arguments.get(argument).and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if given.is_empty() && is_required {
        return Err(format!("the prompt \"{name}\" needs the argument \"{argument}\""));
    }
    let says = text.says.replace("{}", &line(given, MAX_ARGUMENT));
    let message = PromptMessage::new_text(Role::User, says.trim_end());
    Ok(GetPromptResult::new(vec![message]).with_description(text.description))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask(name: &str, arguments: &Value) -> Result<String, String> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        get(name, &arguments)
            .map(|got| json!(got.messages[0].content)["text"].as_str().unwrap_or("").to_owned())
    }

    #[test]
    fn a_prompt_says_its_argument_and_only_names_tools_that_exist() {
        assert!(
            ask("recall", &json!({ "topic": "the login" })).is_ok_and(|text| text.contains("the login\n"))
        );
        for text in ALL {
            let named = text.says.split(|c: char| !c.is_ascii_lowercase() && c != '_');
            for word in named.filter(|word| word.starts_with("mem_")) {
                assert!(crate::tools::by_name(word).is_some(), "{word}");
            }
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(ask("recall", &json!({})).is_err_and(|why| why.contains("\"topic\"")));
        assert!(ask("handoff", &json!({})).is_ok());
        assert!(ask("nothing", &json!({})).is_err_and(|why| why.contains("recall, handoff, checkpoint")));
    }
}
