//! The words behind `hook`. Nothing is refused: an agent that is told of a mistake here shows it to a person.

use std::ffi::OsString;

use model::EventId;

/// Whose hooks came first, and who calls without saying who it is.
const DEFAULT_AGENT: &str = "claude-code";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    pub agent: String,
    /// Empty if the command line names none.
    pub event: String,
    /// The tiny executable could not deliver stdin; this is the id it minted.
    pub undelivered: Option<EventId>,
    /// … because a daemon of this protocol version answered.
    pub other_version: Option<u8>,
    /// How long the agent waits, in milliseconds, where that is less than what we install.
    pub timeout: Option<u32>,
}

impl Arguments {
    pub fn read(mut args: impl Iterator<Item = OsString>) -> Self {
        let mut read = Self {
            agent: DEFAULT_AGENT.to_owned(),
            event: String::new(),
            undelivered: None,
            other_version: None,
            timeout: None,
        };
        while let Some(word) = args.next() {
            let Some(word) = word.to_str() else { continue };
            let mut value = || args.next().and_then(|value| value.into_string().ok());
            match word {
                "--agent" => read.agent = value().filter(|name| is_name(name)).unwrap_or(read.agent),
                "--undelivered" => read.undelivered = value().and_then(|id| id.parse().ok()),
                "--other-version" => read.other_version = value().and_then(|version| version.parse().ok()),
                "--timeout" => read.timeout = value().and_then(|ms| ms.parse().ok()),
                event if is_name(event) => event.clone_into(&mut read.event),
                _ => {}
            }
        }
        read
    }
}

fn is_name(text: &str) -> bool {
    !text.starts_with('-') && wire::is_namespace(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Arguments {
        Arguments::read(words.iter().map(OsString::from))
    }

    #[test]
    fn everything_is_optional_and_nothing_is_refused() {
        let nothing = read(&[]);
        assert_eq!((nothing.agent.as_str(), nothing.event.as_str()), (DEFAULT_AGENT, ""));
        assert_eq!(read(&["--agent"]), nothing);
        assert_eq!(read(&["--unheard", "--agent", "../x", "--undelivered", "x"]), nothing);
        assert_eq!(read(&["Stop"]).event, "Stop");
        assert_eq!(read(&[&"x".repeat(65)]).event, "");
    }

    #[test]
    fn what_the_tiny_executable_says_is_understood() {
        let id = EventId::mint(1_763_244_000_123, [3; 10]);
        let read = read(&[
            "--undelivered",
            &id.to_string(),
            "--agent",
            "codex",
            "--timeout",
            "900",
            "--other-version",
            "9",
            "Stop",
        ]);
        let expected = Arguments {
            agent: "codex".to_owned(),
            event: "Stop".to_owned(),
            undelivered: Some(id),
            other_version: Some(9),
            timeout: Some(900),
        };
        assert_eq!(read, expected);
    }
}
