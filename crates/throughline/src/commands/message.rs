//! Words for another session, said with its next event.

use clap::Args;
use mcp::Messaging;
use model::{Deed, SessionId};
use serde_json::{Value, json};
use store::{MessageFilter, MessageRow, SessionRow, Tables};

use super::{at_work, live, reader, remember};
use crate::print;
use crate::report::{Failure, hint, person};
use crate::when;
use crate::world::{World, variable};

/// Messages a list shows unless it is asked for more.
const LISTED: usize = 20;
const ID_CHARS: usize = 8;
/// Nobody here can ask a process on another machine: whoever was not heard of for a day is gone.
const ELSEWHERE: u64 = 24 * 60 * 60 * 1000;
/// Of a person's name.
const MAX_NAME_CHARS: usize = 40;

#[derive(Debug, Args)]
#[command(after_help = "It is said with the session's next prompt or tool call, once, with who sent it.\n\
                        Example: throughline message 3f2a81c0 \"I rename Parser; leave src/parser.rs to me\"")]
pub(crate) struct Message {
    /// The session's id or the beginning of it, also of a teammate's session on another machine, then what to say; with --all only what to say
    #[arg(value_name = "SESSION TEXT", required_unless_present = "list")]
    words: Vec<String>,
    /// To every other session at work in this repository, in all its worktrees
    #[arg(long, conflicts_with = "list")]
    all: bool,
    /// What was sent, last first, and whether it was said; of one session if one is named
    #[arg(long)]
    list: bool,
    /// One JSON object a line
    #[arg(long, requires = "list")]
    json: bool,
}

impl Message {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        if self.list {
            return self.show(world);
        }
        let (to, text) = match (self.all, self.words.as_slice()) {
            (true, words) => (None, words.join(" ")),
            (false, [session, words @ ..]) => (Some(session.as_str()), words.join(" ")),
            (false, []) => (None, String::new()),
        };
        let sent = send(world, to, self.all, &text)?;
        let ids: Vec<String> = sent.iter().map(id).collect();
        print::line(&format!("session {} hears it with its next event", ids.join(", ")))
    }

    fn show(&self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        let to = self.words.first().map(|id| known(&tables, id)).transpose()?;
        let rows = messages(&tables, to.as_ref())?;
        if self.json {
            return rows.iter().try_for_each(|row| print::json(&json!(row)));
        }
        if rows.is_empty() {
            print::remark("no message was sent in the last week");
            return Ok(());
        }
        let cells = |row: &MessageRow| {
            vec![
                print::time(row.at),
                name(row),
                id(&row.to),
                row.delivered_at.map_or_else(|| "waits".to_owned(), print::time),
                print::one_line(&row.text, 100),
            ]
        };
        let rows: Vec<_> = rows.iter().map(cells).collect();
        print::table(&["SENT", "FROM", "TO", "SAID", "TEXT"], &rows, world.color)
    }
}

/// For tools: what the subcommand of the same meaning does.
pub(crate) fn to_json(world: &World, wish: Messaging) -> anyhow::Result<Value> {
    match wish {
        Messaging::Send { to, all, text } => {
            Ok(json!({ "sent_to": send(world, to.as_deref(), all, &text)? }))
        }
        Messaging::List { to } => {
            let tables = reader::tables(world)?;
            let to = to.map(|id| known(&tables, &id)).transpose()?;
            Ok(json!(messages(&tables, to.as_ref())?))
        }
    }
}

fn messages(tables: &Tables, to: Option<&SessionId>) -> anyhow::Result<Vec<MessageRow>> {
    tables.messages(&MessageFilter { to, limit: LISTED, ..MessageFilter::default() }).map_err(person)
}

/// Who it is sent to.
fn send(world: &World, to: Option<&str>, all: bool, text: &str) -> anyhow::Result<Vec<SessionId>> {
    if text.trim().is_empty() {
        return Err(hint(Failure::Person, "there is nothing to say", "give the session and the text"));
    }
    let text = remember::clean(world, text.trim())?;
    let most = engine::MAX_MESSAGE_CHARS;
    if text.chars().count() > most {
        let what = format!("a message has at most {most} characters");
        return Err(hint(Failure::Person, what, "write the rest into a file and say where it is"));
    }
    let tables = reader::tables(world)?;
    let own = at_work::own(&tables)?;
    let others = |row: &SessionRow| own.as_ref().is_none_or(|own| *own != row.id);
    let to: Vec<SessionId> = match to {
        Some(id) => vec![recipient(&tables, id)?],
        None if all => {
            let here = daemon::resolve_workspace(&world.cwd).project_key;
            let live = live::sessions(&tables)?.into_iter().map(|row| row.session);
            let here = |row: &SessionRow| row.project_key.as_deref() == Some(here.as_str());
            live.filter(|row| here(row) && others(row)).map(|row| row.id).collect()
        }
        None => Vec::new(),
    };
    if to.is_empty() {
        let next = "`throughline sessions --live` lists who is at work";
        return Err(hint(Failure::Person, "nobody else is at work in this repository", next));
    }
    for session in &to {
        let waiting = MessageFilter { to: Some(session), waiting: true, ..MessageFilter::default() };
        if tables.messages(&waiting).map_err(person)?.len() >= engine::MAX_MESSAGES_WAITING {
            let what = format!("too many messages wait for session {}", id(session));
            return Err(hint(Failure::Person, what, "wait until it has heard them"));
        }
    }
    let from = own.as_ref().map_or_else(person_name, |own| own.as_str().to_owned());
    let deeds: Vec<Deed> = to
        .iter()
        .map(|to| Deed::Message { to: to.clone(), from: from.clone(), text: text.clone() })
        .collect();
    reader::send(world, &deeds)?;
    Ok(to)
}

/// A session of this machine, or of a team's on another one.
fn known(tables: &Tables, name: &str) -> anyhow::Result<SessionId> {
    match reader::session(tables, name) {
        Ok(row) => Ok(row.id),
        Err(nobody) => match tables.team_session(reader::as_copied(name)).map_err(person)? {
            Some((_, session)) => Ok(session.id),
            None => Err(nobody),
        },
    }
}

/// Only who may hear it still.
fn recipient(tables: &Tables, name: &str) -> anyhow::Result<SessionId> {
    let row = match reader::session(tables, name) {
        Ok(row) => row,
        Err(nobody) => {
            let Some((by, session)) = tables.team_session(reader::as_copied(name)).map_err(person)? else {
                return Err(nobody);
            };
            let is_gone = session.seen_at < when::now().saturating_sub(ELSEWHERE);
            if session.ended_at.is_none() && !is_gone {
                return Ok(session.id);
            }
            let who = print::one_line(&by.user, MAX_NAME_CHARS);
            let what = format!("{who}'s session {} has ended and hears nothing any more", id(&session.id));
            return Err(hint(Failure::Person, what, "who starts a session here is told who is at work"));
        }
    };
    if live::is_live(&row, when::now()) {
        return Ok(row.id);
    }
    let why = match &row.end_reason {
        Some(reason) => format!("has ended ({})", print::one_line(reason, 30)),
        None => format!("is gone; it was last seen {}", print::time(row.last_seen_at)),
    };
    let what = format!("session {} {why} and hears nothing any more", id(&row.id));
    Err(hint(Failure::Person, what, "`throughline sessions --live` lists who is at work"))
}

/// A person is known by the name of the account.
fn person_name() -> String {
    let name = ["USER", "LOGNAME"].iter().find_map(|name| variable(name)).unwrap_or_default();
    let name: String = name.to_string_lossy().chars().take(MAX_NAME_CHARS).collect();
    if name.is_empty() { "a person".to_owned() } else { name }
}

fn name(row: &MessageRow) -> String {
    if let Some(author) = &row.author {
        return print::one_line(author, MAX_NAME_CHARS);
    }
    match &row.sender {
        Some(_) => print::one_line(&row.from, ID_CHARS),
        None => print::one_line(&row.from, MAX_NAME_CHARS),
    }
}

fn id(session: &SessionId) -> String {
    print::one_line(&session.as_str().chars().take(ID_CHARS).collect::<String>(), ID_CHARS)
}
