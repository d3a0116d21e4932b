//! Cursor's files that name us: `hooks.json` with a flat list of handlers per event, and its list of MCP servers.
//! Touches nothing that is not ours, also when it stands beside us in the same list.
//!
//! Cursor ignores fields it does not know, so a handler of ours bears one that says what had to be made for it; with
//! that, taking it out can tell an empty list that we left behind from one that was there before us.

use model::EventKind;
use serde::Serialize;
use serde_json::Value;

use super::powers::{REGISTERED, name};
use crate::document::Document;
use crate::json::{self, Span};
use crate::servers::{self, ServersFile, Stdio};
use crate::{Edit, Holds, Installed, Location, Ours, Program, Scope, SettingsError, SettingsFile, shell};

/// The hook gives up long before; this is for a machine so busy that it does not even start. Seconds.
const TIMEOUT_SECONDS: u64 = 5;
/// The format of the file, without which Cursor refuses it.
const VERSION: &str = "1";

/// `hooks.json` in Cursor's folder, and in a project's `.cursor`.
pub(super) struct Hooks;

impl SettingsFile for Hooks {
    fn holds(&self) -> Holds {
        Holds::Hooks
    }

    fn path(&self, scope: Scope, _: bool) -> Option<Location> {
        match scope {
            Scope::User => Some(Location::AgentHome("hooks.json")),
            Scope::Project => Some(Location::Project(".cursor/hooks.json")),
            Scope::Local => None,
        }
    }

    fn add(&self, text: Option<&str>, ours: &Ours) -> Result<Edit, SettingsError> {
        let mut document = Document::parse(text.unwrap_or("{}\n"))?;
        let made = make_room(&mut document)?;
        let (mut added, mut updated) = (Vec::new(), Vec::new());
        for kind in REGISTERED {
            match add_to_event(&mut document, &ours.hook, *kind, made)? {
                Some(Change::Added) => added.push(name(*kind)),
                Some(Change::Updated) => updated.push(name(*kind)),
                None => {}
            }
        }
        let lines = [("add", added), ("update", updated)];
        Ok(edit(text, document, lines.iter().filter_map(|(verb, events)| line(verb, events)).collect()))
    }

    fn remove(&self, text: &str) -> Result<Edit, SettingsError> {
        let mut document = Document::parse(text)?;
        let places = places(&document);
        // From the end, so that the places before stay where they are.
        for place in places.iter().rev() {
            take_out(&mut document, place);
        }
        let made = |least| places.iter().any(|place| place.made >= least);
        if made(Made::Hooks) {
            document.remove_empty(&document.root(), "hooks");
        }
        let root = document.root();
        if made(Made::File)
            && document.member(&root, "hooks").is_none()
            && let Some(index) = index_of(&document, &root, "version")
        {
            document.remove_member(&root, index);
        }
        let events: Vec<&str> = places.iter().map(|place| name(place.kind)).collect();
        Ok(edit(Some(text), document, line("remove", &events).into_iter().collect()))
    }

    fn installed(&self, text: &str) -> Result<Installed, SettingsError> {
        let places = places(&Document::parse(text)?);
        let calls_us = |kind: &&EventKind| places.iter().any(|place| place.kind == **kind && place.all_calls);
        let is_doubled = |kind: &EventKind| places.iter().filter(|place| place.kind == *kind).count() > 1;
        let mut programs: Vec<String> = Vec::new();
        for place in &places {
            if !programs.contains(&place.hook.program) {
                programs.push(place.hook.program.clone());
            }
        }
        let stale = places.first().is_some_and(|place| {
            let ours = Ours { hook: place.hook.clone(), server: None, fast: false };
            !matches!(self.add(Some(text), &ours), Ok(edit) if !edit.changes())
        });
        Ok(Installed {
            present: REGISTERED.iter().filter(calls_us).copied().collect(),
            missing: REGISTERED.iter().filter(|kind| !calls_us(kind)).copied().collect(),
            doubled: REGISTERED.iter().filter(|kind| is_doubled(kind)).copied().collect(),
            programs,
            stale,
            ..Installed::default()
        })
    }
}

/// The outermost thing that had to be made for a handler, and goes with it once it is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Made {
    Handler,
    Event,
    Hooks,
    File,
}

#[derive(Serialize)]
struct Handler {
    command: String,
    timeout: u64,
    throughline: Made,
}

impl Handler {
    fn of(hook: &Program, kind: EventKind, made: Made) -> Self {
        Self { command: shell::line(hook, kind.name()), timeout: TIMEOUT_SECONDS, throughline: made }
    }
}

/// A handler of ours in a document.
struct Place {
    kind: EventKind,
    /// Where it is: the member of `hooks`, the handler in its list.
    indexes: [usize; 2],
    span: Span,
    all_calls: bool,
    made: Made,
    hook: Program,
    handler: Value,
}

enum Change {
    Added,
    Updated,
}

/// Makes the members that a file of hooks has to have. What was made.
fn make_room(document: &mut Document) -> Result<Made, SettingsError> {
    let root = document.root();
    if document.members(&root).is_none() {
        return Err(document.wrong_shape(&root, "the file", "an object"));
    }
    let mut made = Made::Event;
    if document.member(&root, "version").is_none() {
        document.append_member(&root, "version", VERSION);
        made = Made::File;
    }
    let root = document.root();
    match document.member(&root, "hooks") {
        None => {
            document.append_member(&root, "hooks", "{}");
            Ok(made.max(Made::Hooks))
        }
        Some(hooks) if document.members(&hooks).is_none() => {
            Err(document.wrong_shape(&hooks, "hooks", "an object"))
        }
        Some(_) => Ok(made),
    }
}

/// Makes the list of one event hold us exactly once.
fn add_to_event(
    document: &mut Document,
    hook: &Program,
    kind: EventKind,
    made: Made,
) -> Result<Option<Change>, SettingsError> {
    let mut changed = None;
    let mine: Vec<Place> = places(document).into_iter().filter(|place| place.kind == kind).collect();
    let kept = mine.iter().position(|place| place.all_calls);
    for (number, place) in mine.iter().enumerate().rev() {
        if Some(number) != kept {
            take_handler_out(document, place);
            changed = Some(Change::Updated);
            continue;
        }
        let wanted = Handler::of(hook, kind, place.made);
        if serde_json::to_value(&wanted).is_ok_and(|wanted| wanted != place.handler) {
            let wanted = document.render(&wanted);
            document.replace(&place.span, &wanted);
            changed = Some(Change::Updated);
        }
    }
    if kept.is_some() {
        return Ok(changed);
    }
    let hooks = document.member(&document.root(), "hooks").unwrap_or_else(|| document.root());
    let Some(list) = document.member(&hooks, name(kind)) else {
        let handlers = document.render(&[Handler::of(hook, kind, made)]);
        document.append_member(&hooks, name(kind), &handlers);
        return Ok(Some(Change::Added));
    };
    if document.items(&list).is_none() {
        return Err(document.wrong_shape(&list, &format!("hooks.{}", name(kind)), "a list"));
    }
    let made = mine.last().map_or(Made::Handler, |place| place.made);
    let handler = document.render(&Handler::of(hook, kind, made));
    document.append_item(&list, &handler);
    Ok(Some(Change::Added))
}

/// Takes a handler out, and its event's list where that was made for it and is empty now.
fn take_out(document: &mut Document, place: &Place) {
    take_handler_out(document, place);
    let Some(hooks) = document.member(&document.root(), "hooks") else { return };
    let list = document.members(&hooks).and_then(|events| events.into_iter().nth(place.indexes[0]));
    if place.made > Made::Handler
        && let Some(list) = list
        && document.items(&list.value).is_some_and(|handlers| handlers.is_empty())
    {
        document.remove_member(&hooks, place.indexes[0]);
    }
}

fn take_handler_out(document: &mut Document, place: &Place) {
    let Some(hooks) = document.member(&document.root(), "hooks") else { return };
    let list = document.members(&hooks).and_then(|events| events.into_iter().nth(place.indexes[0]));
    if let Some(list) = list {
        document.remove_item(&list.value, place.indexes[1]);
    }
}

/// All handlers of ours, in the order of the text. What has not the shape of a handler is not ours.
fn places(document: &Document) -> Vec<Place> {
    let hooks = document.member(&document.root(), "hooks");
    let events = hooks.and_then(|hooks| document.members(&hooks)).unwrap_or_default();
    let mut places = Vec::new();
    for (event_at, event) in events.iter().enumerate() {
        let said = document.string(&event.key);
        let Some(kind) = REGISTERED.iter().copied().find(|kind| said.as_deref() == Some(name(*kind))) else {
            continue;
        };
        for (handler_at, span) in document.items(&event.value).unwrap_or_default().into_iter().enumerate() {
            let Some(handler) = json::value(document.bytes(), &span) else { continue };
            let Some(hook) = program(&handler, kind) else { continue };
            let matcher = handler.get("matcher").and_then(Value::as_str).unwrap_or_default();
            places.push(Place {
                kind,
                indexes: [event_at, handler_at],
                all_calls: matches!(matcher, "" | "*"),
                made: made(&handler),
                span,
                hook,
                handler,
            });
        }
    }
    places
}

/// What a handler starts, if it bears our mark or starts our program by its exact name.
fn program(handler: &Value, kind: EventKind) -> Option<Program> {
    let mut hook = shell::program(handler.get("command")?.as_str()?)?;
    if hook.args.last().is_some_and(|last| last == kind.name()) {
        hook.args.pop();
    }
    (hook.is_hook() || handler.get("throughline").is_some()).then_some(hook)
}

fn made(handler: &Value) -> Made {
    match handler.get("throughline").and_then(Value::as_str) {
        Some("file") => Made::File,
        Some("hooks") => Made::Hooks,
        Some("event") => Made::Event,
        _ => Made::Handler,
    }
}

fn index_of(document: &Document, object: &Span, key: &str) -> Option<usize> {
    let members = document.members(object)?;
    members.iter().rposition(|member| document.string(&member.key).as_deref() == Some(key))
}

fn line(verb: &str, events: &[&str]) -> Option<String> {
    let noun = if events.len() == 1 { "hook" } else { "hooks" };
    (!events.is_empty()).then(|| format!("{verb} {} {noun}: {}", events.len(), events.join(", ")))
}

fn edit(before: Option<&str>, document: Document, summary: Vec<String>) -> Edit {
    Edit { before: before.map(str::to_owned), after: document.into_text(), summary }
}

/// `mcp.json` in Cursor's folder, and in a project's `.cursor`.
pub(super) const SERVERS: ServersFile<Stdio> = ServersFile { entry: servers::stdio, path: servers_path };

fn servers_path(scope: Scope, _: bool) -> Option<Location> {
    match scope {
        Scope::User => Some(Location::AgentHome("mcp.json")),
        Scope::Project => Some(Location::Project(".cursor/mcp.json")),
        Scope::Local => None,
    }
}
