//! Says when the window is nearly full, while there is still room to write the hand-off. Measures what the agent's
//! own file says was used; estimates nothing.

use model::{Advice, Author, Detail, Event, EventKind, Fill, SessionId};

use crate::behavior::{Behavior, Context};
use crate::{Result, fence};

/// What current models hold, and what those before the fifth generation do.
const WINDOW: u64 = 1_000_000;
const OLDER_WINDOW: u64 = 200_000;
const OLDER_THAN: u32 = 5;
/// The client compacts this much before the window's end.
const RESERVED: u64 = 33_000;
/// The last answer is near the end of the file, unless a tool gave much since: then a second look is taken.
const PROMPT_BYTES: &[u64] = &[128 << 10, 2 << 20];
/// In the middle of a turn a look must cost next to nothing.
const BATCH_BYTES: &[u64] = &[64 << 10];
/// In the middle of a turn one look in so many: the calls between fill a few per cent of the smallest window.
const LOOK_EVERY: u8 = 4;
/// Windows of one session that were filled and emptied; nobody has filled more.
const MAX_CROSSINGS: u32 = 1000;

#[derive(Debug)]
pub(crate) struct WarnContextLimit;

impl Behavior for WarnContextLimit {
    fn name(&self) -> &'static str {
        "warn-context-limit"
    }

    fn manual(&self) -> &'static str {
        "Says, once for every time the model's window fills to `recall.warn-percent`, how full it is and how the \
         hand-off is written before the client compacts the conversation. Measured from the real usage in the \
         agent's transcript, on prompts and in the middle of long turns."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::UserPromptSubmit, EventKind::PostToolBatch]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        self.on().contains(&kind)
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let percent = cx.config.number("recall.warn-percent").min(100);
        if percent == 0 || event.subagent.is_some() || !is_time(event) {
            return Ok(Advice::silent());
        }
        let looks = if event.kind == EventKind::UserPromptSubmit { PROMPT_BYTES } else { BATCH_BYTES };
        let Some(fill) = looks.iter().find_map(|bytes| cx.around.tail(event, *bytes)?.usage) else {
            return Ok(Advice::silent());
        };
        let Some(limit) = limit(&fill, wanted_window(event)) else { return Ok(Advice::silent()) };
        let is_full = fill.tokens.saturating_mul(100) >= limit * percent;
        let is_low = fill.tokens * 2 < limit;
        if !is_full && !is_low {
            return Ok(Advice::silent());
        }
        let marks = cx.read(|tables| {
            let mut crossing = 0;
            // Said and emptied since: the next time is another one.
            while crossing < MAX_CROSSINGS && tables.is_marked(&emptied(&event.session, crossing))? {
                crossing += 1;
            }
            let said = said(&event.session, crossing);
            Ok(match (tables.is_marked(&said)?, is_full) {
                (false, true) => vec![said],
                (true, false) => vec![emptied(&event.session, crossing)],
                _ => Vec::new(),
            })
        })?;
        if !is_full || marks.is_empty() {
            return Ok(Advice { marks, ..Advice::silent() });
        }
        Ok(Advice { marks, ..Advice::say(self.name(), warning(&event.session, &fill, limit)) })
    }
}

/// In the middle of a turn not every call is worth a look. Nothing is counted: the event's own id is the dice.
fn is_time(event: &Event) -> bool {
    match (&event.kind, &event.detail) {
        (EventKind::UserPromptSubmit, Detail::Prompt { author, .. }) => *author == Author::Person,
        (EventKind::PostToolBatch, _) => event.id.as_bytes()[15].is_multiple_of(LOOK_EVERY),
        _ => false,
    }
}

fn said(session: &SessionId, crossing: u32) -> String {
    format!("context-limit:{session}:{crossing}")
}

fn emptied(session: &SessionId, crossing: u32) -> String {
    format!("context-limit:{session}:{crossing}:emptied")
}

/// The tokens at which the client compacts; `wanted` is the window a person set. `None`: a model nobody knows.
fn limit(fill: &Fill, wanted: Option<u64>) -> Option<u64> {
    let is_large = |name: &str| Some(name.contains("[1m]") || generation(name)? >= OLDER_THAN);
    // More than the smaller window holds is in the larger one, whatever the name says.
    let window =
        if fill.tokens > OLDER_WINDOW || is_large(fill.model.as_deref()?)? { WINDOW } else { OLDER_WINDOW };
    Some(wanted.map_or(window, |wanted| wanted.min(window)) - RESERVED)
}

/// What is too small to be a window is a mistake, and the client's own is used.
fn wanted_window(event: &Event) -> Option<u64> {
    let set = event.context.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW")?.trim().parse::<u64>().ok()?;
    (set >= 2 * RESERVED).then_some(set)
}

/// The first number in a model's name: 5 of `claude-opus-5-5`, 4 of `claude-sonnet-4-5-20250929`.
fn generation(name: &str) -> Option<u32> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter_map(|word| word.parse().ok()).find(|number| *number < 1000)
}

fn warning(session: &SessionId, fill: &Fill, limit: u64) -> String {
    let percent = fill.tokens.saturating_mul(100) / limit;
    format!(
        "This conversation takes {} tokens, {percent} % of the {} at which the client compacts it; after that only a \
         summary of it is left. A hand-off that is written before is put in front of the conversation again. It is \
         worth most when it holds: the task and the exact next step; open threads and who is waited for; decisions \
         and constraints with their reasons; what has been tried and failed; names, numbers and commands that a \
         summary would lose. It is written with\n{} <<'END'\n(the hand-off, at most 16 KB)\nEND",
        thousands(fill.tokens),
        thousands(limit),
        command(session)
    )
}

/// A session's id is a stranger's text: what is no plain word does not get into a command line. There the command
/// finds the session by itself.
fn command(session: &SessionId) -> String {
    let id = session.as_str();
    let is_plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_plain && !id.starts_with('-') && fence::sanitize(id) == id {
        format!("throughline handoff write --session {id} -")
    } else {
        "throughline handoff write -".to_owned()
    }
}

/// `821,950`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::{EventId, Injection, Subagent, Tail};
    use store::Tables;

    use super::*;
    use crate::behaviors::tests::{Around, context_in, event};

    struct House {
        _folder: tempfile::TempDir,
        path: std::path::PathBuf,
        tables: Tables,
        said: u64,
    }

    impl House {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("derived.db");
            let tables = Tables::open(&path).unwrap();
            Self { _folder: folder, path, tables, said: 0 }
        }

        /// The note, if any; its marks are learned as the daemon learns them.
        fn ask(&mut self, event: &Event, model: Option<&str>, tokens: u64) -> Option<String> {
            let usage = Some(Fill { model: model.map(str::to_owned), tokens });
            let tail = Some(Tail { said: Vec::new(), usage });
            let cx = context_in(Arc::new(Around { tail, ..Around::new(&self.path) }));
            let advice = WarnContextLimit.advise(&cx, event).unwrap();
            self.said += 1;
            let injection = Injection {
                session: event.session.clone(),
                subagent: None,
                event: event.name.clone(),
                notes: Vec::new(),
                marks: advice.marks.clone(),
            };
            self.tables.write(|batch| batch.put_injection(self.said, self.said, &injection)).unwrap();
            advice.notes.into_iter().next().map(|note| note.text)
        }
    }

    fn prompt() -> Event {
        event(
            EventKind::UserPromptSubmit,
            Detail::Prompt { text: "go on with the work".into(), author: Author::Person },
        )
    }

    #[test]
    fn a_full_window_is_told_once_with_the_command_and_again_after_it_was_emptied() {
        let mut house = House::new();
        let model = Some("claude-opus-5-5");
        assert_eq!(house.ask(&prompt(), model, 821_949), None);
        let text = house.ask(&prompt(), model, 821_950).unwrap();
        assert!(text.starts_with("This conversation takes 821,950 tokens, 85 % of the 967,000"), "{text}");
        assert!(text.contains("throughline handoff write --session session-1 - <<'END'"), "{text}");
        assert_eq!(house.ask(&prompt(), model, 900_000), None, "once");
        assert_eq!(house.ask(&prompt(), model, 600_000), None, "not yet emptied");
        assert_eq!(house.ask(&prompt(), model, 900_000), None);
        assert_eq!(house.ask(&prompt(), model, 30_000), None, "emptied");
        assert_eq!(house.ask(&prompt(), model, 40_000), None);
        assert!(house.ask(&prompt(), model, 830_000).is_some(), "a second time");
        assert_eq!(house.ask(&prompt(), model, 840_000), None);
    }

    #[test]
    fn the_window_is_the_models() {
        let fill = |model: Option<&str>, tokens| Fill { model: model.map(str::to_owned), tokens };
        let limit = |model, tokens| super::limit(&fill(model, tokens), None);
        assert_eq!(limit(Some("claude-sonnet-4-5-20250929"), 1), Some(167_000));
        assert_eq!(limit(Some("claude-3-5-haiku-latest"), 1), Some(167_000));
        assert_eq!(limit(Some("claude-opus-5-5"), 1), Some(967_000));
        assert_eq!(limit(Some("us.anthropic.claude-haiku-5-5-v1:0"), 1), Some(967_000));
        assert_eq!(limit(Some("claude-sonnet-4-5[1m]"), 1), Some(967_000));
        assert_eq!(limit(Some("claude-sonnet-4-5"), 250_000), Some(967_000), "it could not hold that");
        assert_eq!(limit(Some("<synthetic>"), 150_000), None);
        assert_eq!(limit(None, 150_000), None);
        assert_eq!(limit(None, 900_000), Some(967_000));
        let set = |wanted| super::limit(&fill(Some("claude-opus-5-5"), 1), Some(wanted));
        assert_eq!(set(400_000), Some(367_000), "a person may want a smaller one");
        assert_eq!(set(9_000_000), Some(967_000), "and never gets a larger one");
    }

    #[test]
    fn an_older_model_is_warned_in_the_middle_of_a_turn_and_a_subagent_never() {
        let mut house = House::new();
        let mut batch = event(EventKind::PostToolBatch, Detail::Plain);
        let mut dice = [7; 10];
        batch.id = EventId::mint(1, dice);
        assert_eq!(
            house.ask(&batch, Some("claude-sonnet-4-5"), 150_000),
            None,
            "not every call is looked at"
        );
        dice[9] = 8;
        batch.id = EventId::mint(1, dice);
        let mut of_subagent = batch.clone();
        of_subagent.subagent = Some(Subagent { id: "a".into(), kind: "Explore".into() });
        assert_eq!(house.ask(&of_subagent, Some("claude-sonnet-4-5"), 150_000), None);
        let text = house.ask(&batch, Some("claude-sonnet-4-5"), 150_000).unwrap();
        assert!(text.contains("89 % of the 167,000"), "{text}");
        let machine = Detail::Prompt { text: "<task-notification>".into(), author: Author::Machine };
        assert_eq!(house.ask(&event(EventKind::UserPromptSubmit, machine), None, 999_000), None);
    }

    #[test]
    fn a_strange_session_id_does_not_get_into_a_command_line() {
        assert_eq!(command(&SessionId::new("a; rm -rf ~")), "throughline handoff write -");
        assert_eq!(command(&SessionId::new("-x")), "throughline handoff write -");
    }
}
