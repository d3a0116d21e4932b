//! Private turns: a session whose last prompt was entirely private has a marker, and nothing it does is
//! kept until a person writes the next prompt. The marker is an empty file named by a hash, so that a hostile
//! session id cannot become a path.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::Place;
use crate::spool::create_private;

/// The prompt of a session was entirely private.
pub fn begin(place: &Place, session: &str) -> io::Result<()> {
    crate::place::make_folder(&place.private())?;
    match create_private(&marker(place, session)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// A person wrote another prompt, or the session is over.
pub fn end(place: &Place, session: &str) -> io::Result<()> {
    match fs::remove_file(marker(place, session)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// In doubt (the folder cannot be read) a turn counts as private: what is not kept cannot leak.
pub fn is_private(place: &Place, session: &str) -> bool {
    match fs::symlink_metadata(marker(place, session)) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

/// Whether a private turn keeps us from recording this event. Everything can quote the turn: results, the last
/// message, a notification, a summary. A session's start and end say only that it was there.
pub fn covers(event: &str) -> bool {
    !matches!(event, "SessionStart" | "SessionEnd")
}

/// What a prompt starts with when a finished background task wrote it. It ends no private turn.
const MACHINE_PROMPT: &[u8] = b"<task-notification";

/// What the client does about an envelope it is going to spool, from the event's name on the command line, which is
/// in the words of the house, and a bounded look at its redacted JSON, which says its own where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    Keep,
    /// Keep it; a private turn begins.
    Begin,
    /// Keep it; a private turn, if there is one, is over.
    End,
    /// Keep it unless the turn is private.
    Ask,
}

pub(crate) fn course(hint: Option<&str>, json: &[u8], private_prompt: bool) -> Course {
    let event = match hint.unwrap_or_default().as_bytes() {
        b"" => wire::peek::event_name(json),
        named => named,
    };
    match event {
        b"UserPromptSubmit" if private_prompt => Course::Begin,
        b"UserPromptSubmit" => match wire::peek::member_start(json, b"\"prompt\"") {
            Some(text) if !text.starts_with(MACHINE_PROMPT) => Course::End,
            _ => Course::Ask,
        },
        b"SessionEnd" => Course::End,
        event if std::str::from_utf8(event).is_ok_and(covers) => Course::Ask,
        _ => Course::Keep,
    }
}

pub(crate) fn session(json: &[u8]) -> Option<&str> {
    /// Room for what `SessionId` keeps, at four bytes a character.
    const LIMIT: usize = model::SessionId::MAX_CHARS * 4;
    std::str::from_utf8(wire::peek::string_member(json, b"\"session_id\"", LIMIT)?).ok()
}

fn marker(place: &Place, session: &str) -> PathBuf {
    let session = model::SessionId::new(session);
    let mut name = String::with_capacity(64);
    for byte in Sha256::digest(session.as_str().as_bytes()) {
        write!(name, "{byte:02x}").expect("a String takes everything");
    }
    place.private().join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_person_ends_a_private_turn() {
        let prompt = |text: &str| {
            format!(r#"{{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"{text}"}}"#)
        };
        assert_eq!(course(None, prompt("hello").as_bytes(), false), Course::End);
        assert_eq!(course(None, prompt("").as_bytes(), true), Course::Begin);
        assert_eq!(course(None, prompt("<task-notification>done").as_bytes(), false), Course::Ask);
        assert_eq!(course(None, br#"{"hook_event_name":"PostToolUse"}"#, false), Course::Ask);
        assert_eq!(course(Some(""), br#"{"hook_event_name":"Stop"}"#, false), Course::Ask);
        assert_eq!(course(None, br#"{"hook_event_name":"SessionStart"}"#, false), Course::Keep);
        assert_eq!(course(None, b"not json", false), Course::Ask);
    }

    #[test]
    fn another_agents_event_is_what_the_command_line_calls_it() {
        let prompt = br#"{"session_id":"s","hook_event_name":"BeforeAgent","prompt":"hello"}"#;
        assert_eq!(course(Some("UserPromptSubmit"), prompt, false), Course::End);
        assert_eq!(course(Some("UserPromptSubmit"), prompt, true), Course::Begin);
        assert_eq!(course(Some("SessionEnd"), br#"{"hook_event_name":"sessionEnd"}"#, false), Course::End);
        assert_eq!(course(None, prompt, false), Course::Ask, "unknown by itself");
    }
}
