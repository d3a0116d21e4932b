//! Our handlers in a settings file of the shape `{"hooks": {EVENT: [{"hooks": [HANDLER]}]}}`, which several agents
//! share: one per event, in a group of its own. Touches nothing that is not ours, also when it stands beside us in
//! the same list. What a handler looks like is the agent's [`Form`]; it starts our program or calls our MCP server.
//!
//! Where an agent ignores fields it does not know, a handler of ours bears one. Its value says what had to be made
//! for it, so that taking it out can tell an empty list that we left behind from one that was there before us, even
//! after the agent has rewritten the file in its own form.

use model::EventKind;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::document::Document;
use crate::json::{self, Member, Span};
use crate::servers;
use crate::{Edit, Installed, Ours, Program, SettingsError};

const MARKER: &str = "throughline";
/// The tool of our MCP server that takes events. Not in its list of tools: only who is told of it can call it.
pub(crate) const TOOL: &str = "hook";
/// The kind of a handler that calls a tool, wherever an agent has such.
pub(crate) const TOOL_HANDLER: &str = "mcp_tool";

/// What is different from agent to agent.
pub(crate) struct Form {
    /// The events to be called on, in the order they are written.
    pub(crate) events: &'static [EventKind],
    /// The agent's own name of an event.
    pub(crate) name: fn(EventKind) -> &'static str,
    /// The fields of a handler, in their order and without our mark.
    pub(crate) handler: fn(&Ours, EventKind) -> Vec<(&'static str, Value)>,
    /// What a handler starts, whoever wrote it. `None`: it has another shape.
    pub(crate) program: fn(&Value) -> Option<Program>,
    /// Unknown fields are ignored, so ours may bear a mark. Elsewhere only the program's name tells it.
    pub(crate) marked: bool,
}

impl Form {
    fn kind(&self, name: &str) -> Option<EventKind> {
        self.events.iter().copied().find(|kind| (self.name)(*kind) == name)
    }
}

pub(crate) fn add(form: &Form, text: Option<&str>, ours: &Ours) -> Result<Edit, SettingsError> {
    let mut document = Document::parse(text.unwrap_or("{}\n"))?;
    let changes = add_to(form, &mut document, ours)?;
    Ok(changes.into_edit(text, document.into_text()))
}

/// The same in a document that holds more of us.
pub(crate) fn add_to(form: &Form, document: &mut Document, ours: &Ours) -> Result<Changes, SettingsError> {
    let mut changes = Changes::default();
    let root = document.root();
    if document.members(&root).is_none() {
        return Err(document.wrong_shape(&root, "the file", "an object"));
    }
    let mut made = Made::Event;
    if document.member(&root, "hooks").is_none() {
        document.append_member(&root, "hooks", "{}");
        made = Made::Hooks;
    }
    for kind in form.events {
        let name = (form.name)(*kind);
        let hooks = hooks_of(document)?;
        let events = document.members(&hooks).unwrap_or_default();
        match events.iter().rposition(|event| document.string(&event.key).as_deref() == Some(name)) {
            None => {
                let group = document.render(&[Group::of(form, ours, *kind, made)]);
                document.append_member(&hooks, name, &group);
                changes.added.push(name.to_owned());
            }
            Some(at) => add_to_list(form, document, (at, &events[at].value), ours, *kind, &mut changes)?,
        }
    }
    // Events an earlier version registered and this one does not.
    for stray in places(form, document).iter().rev().filter(|place| form.kind(&place.event).is_none()) {
        changes.removed.push(stray.event.clone());
        take_out(document, stray);
    }
    Ok(changes)
}

pub(crate) fn remove(form: &Form, text: &str) -> Result<Edit, SettingsError> {
    let mut document = Document::parse(text)?;
    let changes = remove_from(form, &mut document);
    Ok(changes.into_edit(Some(text), document.into_text()))
}

pub(crate) fn remove_from(form: &Form, document: &mut Document) -> Changes {
    let mut changes = Changes::default();
    let mut made_hooks = false;
    // From the end, so that the places before stay where they are.
    for place in places(form, document).iter().rev() {
        made_hooks |= place.made == Made::Hooks;
        changes.removed.push(place.event.clone());
        take_out(document, place);
    }
    if made_hooks {
        document.remove_empty(&document.root(), "hooks");
    }
    changes.removed.reverse();
    changes
}

pub(crate) fn installed(form: &Form, text: &str) -> Result<Installed, SettingsError> {
    let document = Document::parse(text)?;
    let places = places(form, &document);
    let calls_us = |kind: &&EventKind| {
        places.iter().any(|place| form.kind(&place.event) == Some(**kind) && place.all_calls)
    };
    let mut programs: Vec<String> = Vec::new();
    for hook in places.iter().filter_map(|place| place.calls.program()) {
        if !programs.contains(&hook.program) {
            programs.push(hook.program.clone());
        }
    }
    let disabled = document.member(&document.root(), "disableAllHooks");
    Ok(Installed {
        present: form.events.iter().filter(calls_us).copied().collect(),
        missing: form.events.iter().filter(|kind| !calls_us(kind)).copied().collect(),
        programs,
        doubled: form.events.iter().filter(|kind| is_doubled(form, &places, **kind)).copied().collect(),
        outdated: written(&places)
            .is_some_and(|ours| places.iter().any(|place| !is_current(form, &ours, place))),
        stale: is_stale(form, text, &places),
        word: places.iter().find_map(|place| place.calls.word()).map(str::to_owned),
        hooks_disabled: disabled.is_some_and(|span| &document.bytes()[span] == b"true"),
        plugin: false,
    })
}

/// What is there, as if it were to be written again.
fn written(places: &[Place]) -> Option<Ours> {
    let hook = places.iter().find_map(|place| place.calls.program())?;
    let word = places.iter().find_map(|place| place.calls.word());
    let server = word.map(|word| Program {
        program: String::new(),
        args: vec![Program::WORD_OPTION.to_owned(), word.to_owned()],
    });
    Some(Ours { hook: hook.clone(), fast: server.is_some(), server })
}

fn is_doubled(form: &Form, places: &[Place], kind: EventKind) -> bool {
    places.iter().filter(|place| form.kind(&place.event) == Some(kind)).count() > 1
}

/// Whether a handler is as this release would write it, whatever program it names. One of an event that is not ours any
/// more is not.
fn is_current(form: &Form, ours: &Ours, place: &Place) -> bool {
    let Some(kind) = form.kind(&place.event) else { return false };
    let hook = place.calls.program().unwrap_or(&ours.hook).clone();
    let ours = Ours { hook, server: ours.server.clone(), fast: ours.fast };
    let mut handler = place.handler.clone();
    if let Some(handler) = handler.as_object_mut() {
        handler.remove(MARKER);
    }
    let fields = (form.handler)(&ours, kind);
    handler == Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Whether writing again what is there would change something. A file that has no place for us in some list is no
/// better than one with an old path.
fn is_stale(form: &Form, text: &str, places: &[Place]) -> bool {
    if places.is_empty() {
        return false;
    }
    let Some(ours) = written(places) else { return true };
    !matches!(add(form, Some(text), &ours), Ok(edit) if !edit.changes())
}

/// The outermost thing that had to be made for a handler, and goes with it once it is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Made {
    Group,
    Event,
    Hooks,
}

#[derive(Serialize)]
struct Group {
    hooks: [Handler; 1],
}

impl Group {
    fn of(form: &Form, ours: &Ours, kind: EventKind, made: Made) -> Self {
        Self { hooks: [Handler::of(form, ours, kind, made)] }
    }
}

/// An object with its fields in the order people would write them.
struct Handler(Vec<(&'static str, Value)>);

impl Handler {
    fn of(form: &Form, ours: &Ours, kind: EventKind, made: Made) -> Self {
        let mut fields = (form.handler)(ours, kind);
        if form.marked {
            fields.push((MARKER, serde_json::to_value(made).unwrap_or_default()));
        }
        Self(fields)
    }
}

impl Serialize for Handler {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// A handler of ours in a document.
#[derive(Debug, Clone)]
struct Place {
    event: String,
    /// Where it is: the member of `hooks`, the group in its list, the handler in the group.
    indexes: [usize; 3],
    span: Span,
    /// Its group has no matcher that keeps calls away from it.
    all_calls: bool,
    made: Made,
    calls: Calls,
    handler: Value,
}

/// What a handler of ours does.
#[derive(Debug, Clone)]
enum Calls {
    Program(Program),
    /// Our MCP server, with this word.
    Server(String),
}

impl Calls {
    fn program(&self) -> Option<&Program> {
        match self {
            Self::Program(program) => Some(program),
            Self::Server(_) => None,
        }
    }

    fn word(&self) -> Option<&str> {
        match self {
            Self::Program(_) => None,
            Self::Server(word) => Some(word),
        }
    }
}

#[derive(Default)]
pub(crate) struct Changes {
    added: Vec<String>,
    updated: Vec<String>,
    removed: Vec<String>,
}

impl Changes {
    pub(crate) fn into_edit(self, before: Option<&str>, after: String) -> Edit {
        Edit { before: before.map(str::to_owned), after, summary: self.lines() }
    }

    /// For a person, one line for each thing that happens.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |verb: &str, events: &[String]| {
            let noun = if events.len() == 1 { "hook" } else { "hooks" };
            (!events.is_empty()).then(|| format!("{verb} {} {noun}: {}", events.len(), events.join(", ")))
        };
        [("add", &self.added), ("update", &self.updated), ("remove", &self.removed)]
            .into_iter()
            .filter_map(|(verb, events)| line(verb, events))
            .collect()
    }
}

/// Makes the list of one event, given with its index, hold us exactly once and under no condition.
fn add_to_list(
    form: &Form,
    document: &mut Document,
    (at, list): (usize, &Span),
    ours: &Ours,
    kind: EventKind,
    changes: &mut Changes,
) -> Result<(), SettingsError> {
    let name = (form.name)(kind);
    if document.items(list).is_none() {
        return Err(document.wrong_shape(list, &format!("hooks.{name}"), "a list"));
    }
    let mine = places_in(form, document, at, name, list);
    let kept = mine.iter().position(|place| place.all_calls);
    // From the end, so that the places before keep their spans.
    for (number, place) in mine.iter().enumerate().rev() {
        if Some(number) != kept {
            changes.removed.push(place.event.clone());
            take_handler_out(document, place);
            continue;
        }
        let wanted = Handler::of(form, ours, kind, place.made);
        if serde_json::to_value(&wanted).is_ok_and(|wanted| wanted != place.handler) {
            let wanted = document.render(&wanted);
            document.replace(&place.span, &wanted);
            changes.updated.push(place.event.clone());
        }
    }
    if kept.is_none() {
        // The list begins where it did, but may have become shorter.
        let list = json::value_at(document.bytes(), list.start).unwrap_or_else(|| list.clone());
        let made = mine.last().map_or(Made::Group, |place| place.made);
        let group = document.render(&Group::of(form, ours, kind, made));
        document.append_item(&list, &group);
        changes.added.push(name.to_owned());
    }
    Ok(())
}

/// Takes a handler out, and what was made for it where that is empty now.
fn take_out(document: &mut Document, place: &Place) {
    take_handler_out(document, place);
    let Ok(hooks) = hooks_of(document) else { return };
    let list = document.members(&hooks).and_then(|events| events.into_iter().nth(place.indexes[0]));
    if place.made != Made::Group
        && let Some(list) = list
        && document.items(&list.value).is_some_and(|groups| groups.is_empty())
    {
        document.remove_member(&hooks, place.indexes[0]);
    }
}

/// Takes a handler out, and its group where it was alone: a group without handlers does nothing.
fn take_handler_out(document: &mut Document, place: &Place) {
    let [event, group, handler] = place.indexes;
    let Ok(hooks) = hooks_of(document) else { return };
    let Some(list) = document.members(&hooks).and_then(|events| events.into_iter().nth(event)) else {
        return;
    };
    let Some(group_span) = document.items(&list.value).and_then(|groups| groups.into_iter().nth(group))
    else {
        return;
    };
    let Some(handlers) = document.member(&group_span, "hooks") else { return };
    match document.items(&handlers) {
        Some(alone) if alone.len() == 1 => document.remove_item(&list.value, group),
        _ => document.remove_item(&handlers, handler),
    }
}

fn hooks_of(document: &Document) -> Result<Span, SettingsError> {
    let root = document.root();
    let Some(hooks) = document.member(&root, "hooks") else {
        return Err(document.wrong_shape(&root, "the file", "an object with hooks"));
    };
    match document.members(&hooks) {
        Some(_) => Ok(hooks),
        None => Err(document.wrong_shape(&hooks, "hooks", "an object")),
    }
}

/// All handlers of ours, in the order of the text.
fn places(form: &Form, document: &Document) -> Vec<Place> {
    let Ok(hooks) = hooks_of(document) else { return Vec::new() };
    let events = document.members(&hooks).unwrap_or_default();
    let in_event = |(at, event): (usize, &Member)| match document.string(&event.key) {
        Some(name) => places_in(form, document, at, &name, &event.value),
        None => Vec::new(),
    };
    events.iter().enumerate().flat_map(in_event).collect()
}

/// The handlers of ours in the list of one event. What has not the shape of a handler is not ours.
fn places_in(form: &Form, document: &Document, event_at: usize, event: &str, list: &Span) -> Vec<Place> {
    let mut places = Vec::new();
    for (group_at, group) in document.items(list).unwrap_or_default().into_iter().enumerate() {
        let Some(handlers) = document.member(&group, "hooks") else { continue };
        for (handler_at, span) in document.items(&handlers).unwrap_or_default().into_iter().enumerate() {
            let Some(handler) = json::value(document.bytes(), &span) else { continue };
            let Some((calls, made)) = ours(form, &handler, event) else { continue };
            places.push(Place {
                event: event.to_owned(),
                indexes: [event_at, group_at, handler_at],
                all_calls: takes_all_calls(document, &group),
                span,
                made,
                calls,
                handler,
            });
        }
    }
    places
}

/// What a handler calls, if it bears our mark, calls our program by its exact name or the one tool of our server that
/// only hooks call.
fn ours(form: &Form, handler: &Value, event: &str) -> Option<(Calls, Made)> {
    let marker = handler.get(MARKER).and_then(Value::as_str);
    let calls = match word_of(handler) {
        Some(word) => Calls::Server(word),
        None => Calls::Program(program_of(form, handler, event, marker.is_some())?),
    };
    let made = match marker {
        Some("hooks") => Made::Hooks,
        Some("event") => Made::Event,
        // What was empty before us comes back from the copy of the original.
        None if !form.marked => Made::Hooks,
        _ => Made::Group,
    };
    Some((calls, made))
}

fn program_of(form: &Form, handler: &Value, event: &str, marked: bool) -> Option<Program> {
    let mut hook = (form.program)(handler)?;
    if !marked && !hook.is_hook() {
        return None;
    }
    let canonical = form.kind(event).map(EventKind::name);
    if hook.args.last().is_some_and(|arg| arg == event || Some(arg.as_str()) == canonical) {
        hook.args.pop();
    }
    Some(hook)
}

/// The word of a handler that calls our MCP server, empty where somebody has taken it out.
fn word_of(handler: &Value) -> Option<String> {
    let is = |name: &str, value: &str| handler.get(name).and_then(Value::as_str) == Some(value);
    let ours = is("type", TOOL_HANDLER) && is("server", servers::NAME) && is("tool", TOOL);
    ours.then(|| handler.pointer("/input/word").and_then(Value::as_str).unwrap_or_default().to_owned())
}

fn takes_all_calls(document: &Document, group: &Span) -> bool {
    match document.member(group, "matcher") {
        None => true,
        Some(matcher) => {
            document.string(&matcher).is_some_and(|matcher| matcher.is_empty() || matcher == "*")
        }
    }
}
