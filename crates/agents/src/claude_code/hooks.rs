//! Our handlers in the client's settings files: one per event, in a group of its own, without a shell.
//! Touches nothing that is not ours, also when it stands beside us in the same list.
//!
//! A handler of ours bears a field the client does not know and therefore ignores. Its value says what had
//! to be made for it, so that taking it out can tell an empty list that we left behind from one that was
//! there before us, even after the client has rewritten the file in its own form.

use model::EventKind;
use serde::Serialize;
use serde_json::Value;

use super::powers::REGISTERED;
use crate::document::Document;
use crate::json::{self, Member, Span};
use crate::{Edit, HookCommand, Installed, SettingsError};

const MARKER: &str = "throughline";
/// The hook gives up long before; this is for a machine so busy that it does not even start. Seconds.
/// `SessionEnd` needs it said: unsaid, all its hooks together get a second and a half.
const TIMEOUT_SECONDS: u64 = 5;

pub(super) fn add(text: Option<&str>, hook: &HookCommand) -> Result<Edit, SettingsError> {
    let mut document = Document::parse(text.unwrap_or("{}\n"))?;
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
    for kind in REGISTERED {
        let hooks = hooks_of(&document)?;
        let events = document.members(&hooks).unwrap_or_default();
        match events.iter().rposition(|event| document.string(&event.key).as_deref() == Some(kind.name())) {
            None => {
                let group = render(&document, &[Group::of(hook, *kind, made)]);
                document.append_member(&hooks, kind.name(), &group);
                changes.added.push(kind.name().to_owned());
            }
            Some(at) => add_to_list(&mut document, (at, &events[at].value), hook, *kind, &mut changes)?,
        }
    }
    // Events an earlier version registered and this one does not.
    for stray in places(&document).iter().rev().filter(|place| place.kind().is_none()) {
        changes.removed.push(stray.event.clone());
        take_out(&mut document, stray);
    }
    Ok(changes.into_edit(text, document.into_text()))
}

pub(super) fn remove(text: &str) -> Result<Edit, SettingsError> {
    let mut document = Document::parse(text)?;
    let mut changes = Changes::default();
    let mut made_hooks = false;
    // From the end, so that the places before stay where they are.
    for place in places(&document).iter().rev() {
        made_hooks |= place.made == Made::Hooks;
        changes.removed.push(place.event.clone());
        take_out(&mut document, place);
    }
    let root = document.root();
    if made_hooks
        && let Some(members) = document.members(&root)
        && let Some(index) =
            members.iter().rposition(|member| document.string(&member.key).as_deref() == Some("hooks"))
        && document.members(&members[index].value).is_some_and(|events| events.is_empty())
    {
        document.remove_member(&root, index);
    }
    changes.removed.reverse();
    Ok(changes.into_edit(Some(text), document.into_text()))
}

pub(super) fn installed(text: &str) -> Result<Installed, SettingsError> {
    let document = Document::parse(text)?;
    let places = places(&document);
    let calls_us =
        |kind: &&EventKind| places.iter().any(|place| place.kind() == Some(**kind) && place.all_calls);
    let mut programs: Vec<String> = Vec::new();
    for place in &places {
        if !programs.contains(&place.hook.program) {
            programs.push(place.hook.program.clone());
        }
    }
    // A file that has no place for us in some list is no better than one with an old path.
    let stale = places
        .first()
        .is_some_and(|place| !matches!(add(Some(text), &place.hook), Ok(edit) if !edit.changes()));
    let disabled = document.member(&document.root(), "disableAllHooks");
    Ok(Installed {
        present: REGISTERED.iter().filter(calls_us).copied().collect(),
        missing: REGISTERED.iter().filter(|kind| !calls_us(kind)).copied().collect(),
        programs,
        stale,
        hooks_disabled: disabled.is_some_and(|span| &document.bytes()[span] == b"true"),
    })
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
struct Group<'a> {
    hooks: [Handler<'a>; 1],
}

#[derive(Serialize)]
struct Handler<'a> {
    r#type: &'static str,
    command: &'a str,
    args: Vec<&'a str>,
    timeout: u64,
    throughline: Made,
}

impl<'a> Group<'a> {
    fn of(hook: &'a HookCommand, kind: EventKind, made: Made) -> Self {
        Self { hooks: [Handler::of(hook, kind, made)] }
    }
}

impl<'a> Handler<'a> {
    fn of(hook: &'a HookCommand, kind: EventKind, made: Made) -> Self {
        let args = hook.args.iter().map(String::as_str).chain([kind.name()]).collect();
        Self { r#type: "command", command: &hook.program, args, timeout: TIMEOUT_SECONDS, throughline: made }
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
    hook: HookCommand,
    handler: Value,
}

impl Place {
    /// The event, if it is one that we register.
    fn kind(&self) -> Option<EventKind> {
        REGISTERED.iter().copied().find(|kind| kind.name() == self.event)
    }
}

#[derive(Default)]
struct Changes {
    added: Vec<String>,
    updated: Vec<String>,
    removed: Vec<String>,
}

impl Changes {
    fn into_edit(self, before: Option<&str>, after: String) -> Edit {
        let line = |verb: &str, events: &[String]| {
            let noun = if events.len() == 1 { "hook" } else { "hooks" };
            (!events.is_empty()).then(|| format!("{verb} {} {noun}: {}", events.len(), events.join(", ")))
        };
        let summary = [("add", &self.added), ("update", &self.updated), ("remove", &self.removed)]
            .into_iter()
            .filter_map(|(verb, events)| line(verb, events))
            .collect();
        Edit { before: before.map(str::to_owned), after, summary }
    }
}

/// Makes the list of one event, given with its index, hold us exactly once and under no condition.
fn add_to_list(
    document: &mut Document,
    (at, list): (usize, &Span),
    hook: &HookCommand,
    kind: EventKind,
    changes: &mut Changes,
) -> Result<(), SettingsError> {
    if document.items(list).is_none() {
        return Err(document.wrong_shape(list, &format!("hooks.{}", kind.name()), "a list"));
    }
    let ours = places_in(document, at, kind.name(), list);
    let kept = ours.iter().position(|place| place.all_calls);
    // From the end, so that the places before keep their spans.
    for (number, place) in ours.iter().enumerate().rev() {
        if Some(number) != kept {
            changes.removed.push(place.event.clone());
            take_handler_out(document, place);
            continue;
        }
        let wanted = Handler::of(hook, kind, place.made);
        if serde_json::to_value(&wanted).is_ok_and(|wanted| wanted != place.handler) {
            let wanted = render(document, &wanted);
            document.replace(&place.span, &wanted);
            changes.updated.push(place.event.clone());
        }
    }
    if kept.is_none() {
        // The list begins where it did, but may have become shorter.
        let list = json::value_at(document.bytes(), list.start).unwrap_or_else(|| list.clone());
        let made = ours.last().map_or(Made::Group, |place| place.made);
        let group = render(document, &Group::of(hook, kind, made));
        document.append_item(&list, &group);
        changes.added.push(kind.name().to_owned());
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
fn places(document: &Document) -> Vec<Place> {
    let Ok(hooks) = hooks_of(document) else { return Vec::new() };
    let events = document.members(&hooks).unwrap_or_default();
    let in_event = |(at, event): (usize, &Member)| match document.string(&event.key) {
        Some(name) => places_in(document, at, &name, &event.value),
        None => Vec::new(),
    };
    events.iter().enumerate().flat_map(in_event).collect()
}

/// The handlers of ours in the list of one event. What has not the shape of a handler is not ours.
fn places_in(document: &Document, event_at: usize, event: &str, list: &Span) -> Vec<Place> {
    let mut places = Vec::new();
    for (group_at, group) in document.items(list).unwrap_or_default().into_iter().enumerate() {
        let Some(handlers) = document.member(&group, "hooks") else { continue };
        for (handler_at, span) in document.items(&handlers).unwrap_or_default().into_iter().enumerate() {
            let Some(handler) = json::value(document.bytes(), &span) else { continue };
            let Some((hook, made)) = ours(&handler, event) else { continue };
            places.push(Place {
                event: event.to_owned(),
                indexes: [event_at, group_at, handler_at],
                all_calls: takes_all_calls(document, &group),
                span,
                made,
                hook,
                handler,
            });
        }
    }
    places
}

/// What a handler calls, if it bears our marker or calls our program by its exact name.
fn ours(handler: &Value, event: &str) -> Option<(HookCommand, Made)> {
    let program = handler.get("command")?.as_str()?.to_owned();
    let mut args: Vec<String> = match handler.get("args") {
        Some(Value::Array(args)) => args.iter().filter_map(|arg| arg.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    };
    let marker = handler.get(MARKER).and_then(Value::as_str);
    let file_name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_called = match file_name {
        "throughline-hook" => true,
        "throughline" => args.first().is_some_and(|arg| arg == "hook"),
        _ => false,
    };
    if marker.is_none() && !is_called {
        return None;
    }
    if args.last().is_some_and(|arg| arg == event) {
        args.pop();
    }
    let made = match marker {
        Some("hooks") => Made::Hooks,
        Some("event") => Made::Event,
        _ => Made::Group,
    };
    Some((HookCommand { program, args }, made))
}

fn takes_all_calls(document: &Document, group: &Span) -> bool {
    match document.member(group, "matcher") {
        None => true,
        Some(matcher) => {
            document.string(&matcher).is_some_and(|matcher| matcher.is_empty() || matcher == "*")
        }
    }
}

/// One line of JSON, spaced as the file is.
fn render(document: &Document, value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let done = if document.is_tight() {
        value.serialize(&mut serde_json::Serializer::new(&mut bytes))
    } else {
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Spaced))
    };
    done.expect("strings, numbers and string keys always serialize");
    String::from_utf8(bytes).expect("serde_json writes UTF-8")
}

/// One line, with a space behind colons and commas.
struct Spaced;

impl serde_json::ser::Formatter for Spaced {
    fn begin_array_value<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, writer: &mut W) -> std::io::Result<()> {
        writer.write_all(b": ")
    }
}
