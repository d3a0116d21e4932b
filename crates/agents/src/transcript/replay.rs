//! The events that hooks would have sent of a conversation, in the words of the house, so that the past is taken
//! in on the same path as the present, whichever agent it was. **Nothing is redacted here**: the intake does that, before it
//! looks at anything.
//!
//! What a transcript does not tell is left out rather than guessed: how long a tool took, the permission mode. Calls that never
//! ran are no events, as in hooks: 91 of 5,038 in 71 real sessions, of which the client refused 50 for their input and people 35
//! (what they said then is told with the turn), and 6 never ended. A turn ends in a Stop if its last reply asks for no tool and nobody interrupted it.
//!
//! Reading the same transcript twice, or once more after it has grown, gives the same ids. A session that was
//! also recorded live has other ids there; [`Twin`] says how to recognize its events.

use std::collections::VecDeque;

use model::{Context, EventId, EventKind, Millis, Said};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::read::{PROMPT_SOURCE, SYSTEM};

use super::calls::{Call, Calls};
use super::turn_words::TurnWords;
use super::{Conversations, Ending, Line, PastEvent, ToolOutcome, Twin, What};

/// Conversations of subagents inside one file, which only old transcripts have, several at once.
const MAX_THREADS: usize = 64;
/// A subagent's end without a type would read as the end of a compaction.
const UNKNOWN_TYPE: &str = "unknown";
/// The parts of a session that there is one of.
const START: &str = "start";
const END: &str = "end";

#[derive(Debug)]
pub struct Replay {
    path: String,
    /// Hooks inside a subagent name the transcript of the session.
    session_path: String,
    threads: VecDeque<Thread>,
    calls: Calls,
    started: bool,
    /// A prompt, an answer or a call came since the last start.
    busy: bool,
    /// The agent said goodbye, and nothing came after it.
    over: bool,
    compaction: Option<Compaction>,
    /// A record without a time happened when the one before it did.
    clock: Millis,
    began: Option<Millis>,
    /// The main thread's last record.
    last: Option<Line>,
}

/// The main thread or one subagent's.
#[derive(Debug, Default)]
struct Thread {
    subagent: Option<String>,
    kind: Option<String>,
    prompt_id: Option<String>,
    /// What was said in its turn.
    words: TurnWords,
    /// The turn goes on because a hook held it.
    held: bool,
    /// A typed command that the agent may or may not be asked to answer.
    command: Option<Line>,
}

#[derive(Debug)]
struct Compaction {
    boundary: Line,
    trigger: String,
    summary: Option<String>,
}

impl Replay {
    pub fn new(conversations: &dyn Conversations, path: &str) -> Self {
        Self {
            path: path.to_owned(),
            session_path: conversations.session_path(path),
            threads: VecDeque::new(),
            calls: Calls::default(),
            started: false,
            busy: false,
            over: false,
            compaction: None,
            clock: 0,
            began: None,
            last: None,
        }
    }

    /// The events that are complete with this line. Lines come in the order of the file.
    pub fn push(&mut self, mut line: Line) -> Vec<PastEvent> {
        let mut out = Vec::new();
        // It may be written before the session's first record, and is no event.
        if matches!(line.what, What::Queue(_)) {
            let at = self.thread(&line);
            self.threads[at].words.hear(&line);
            return out;
        }
        self.began = self.began.or(line.at);
        self.clock = line.at.unwrap_or(self.clock);
        line.at = Some(self.clock);
        if line.subagent.is_none() {
            self.settle_compaction(&line, &mut out);
            self.start(&line, &mut out);
        }
        let at = self.thread(&line);
        self.step(at, &line, &mut out);
        if line.subagent.is_none() {
            self.last = Some(Line { what: What::Meta, ..line });
        }
        out
    }

    /// What is complete if nothing follows for now: a turn whose last reply asks for no tool. More may be pushed.
    pub fn rest(&mut self) -> Vec<PastEvent> {
        let mut out = Vec::new();
        self.flush_compaction(None, &mut out);
        for at in 0..self.threads.len() {
            self.stop(at, &mut out);
        }
        out
    }

    /// What an event of this kind would have noted, were it to end the main thread's turn now.
    pub(super) fn said_by_now(mut self, kind: EventKind) -> Vec<Said> {
        self.flush_compaction(None, &mut Vec::new());
        let Some(at) = self.threads.iter().position(|thread| thread.subagent.is_none()) else {
            return Vec::new();
        };
        if kind == EventKind::Stop {
            // The event tells the last words itself, and the file may not have them yet.
            self.threads[at].words.answer();
        } else {
            self.stop(at, &mut Vec::new());
        }
        self.threads[at].words.take()
    }

    /// What the end of the file completes.
    pub fn finish(mut self, ending: Ending) -> Vec<PastEvent> {
        let mut out = self.rest();
        let is_over = match ending {
            Ending::Over => true,
            Ending::OverBefore(at) => 0 < self.clock && self.clock < at,
            Ending::Open => false,
        };
        if let (true, true, false, Some(line)) = (is_over, self.started, self.over, self.last.take()) {
            let fields = json!({ "reason": "other" });
            let mut event = self.event(EventKind::SessionEnd, &line, END, Twin::Session, fields);
            if let Some(at) = self.threads.iter().position(|thread| thread.subagent.is_none()) {
                self.note_said(at, &mut event);
            }
            out.push(event);
        }
        out
    }

    fn step(&mut self, at: usize, line: &Line, out: &mut Vec<PastEvent>) {
        if !matches!(line.what, What::Start { .. } | What::Meta | What::Printed | What::SessionOver { .. }) {
            self.busy = true;
            self.over = false;
        }
        match &line.what {
            What::Person { text } => self.prompt(at, line, text, out),
            What::Machine { text } if line.subagent.is_none() => self.prompt(at, line, text, out),
            // A subagent's task: what an earlier one said last was its end.
            What::Machine { .. } | What::TurnOver => self.stop(at, out),
            What::Command { .. } => {
                self.stop(at, out);
                self.threads[at].command = Some(line.clone());
            }
            What::Printed => self.threads[at].command = None,
            What::Agent { .. } => {
                self.command(at, out);
                self.threads[at].words.hear(line);
            }
            What::ToolUse { id, name, input, .. } => {
                self.command(at, out);
                self.threads[at].words.hear(line);
                self.calls.open(id, name, input);
            }
            What::ToolResult { id, outcome, text, structured } => {
                if line.subagent.is_none() {
                    self.stop_subagents(out);
                }
                self.threads[at].words.hear(line);
                if let Some(call) = self.calls.close(id) {
                    out.extend(self.tool_event(line, call, *outcome, text, structured.as_ref()));
                }
            }
            What::Held => {
                self.stop(at, out);
                self.threads[at].held = true;
            }
            What::Interrupted => self.threads[at].words.hear(line),
            What::SessionOver { reason } => {
                self.stop(at, out);
                self.over = true;
                let fields = json!({ "reason": reason });
                let mut event = self.event(EventKind::SessionEnd, line, "over", Twin::Session, fields);
                self.note_said(at, &mut event);
                out.push(event);
            }
            // A subagent's own compaction is no event of the session.
            What::Boundary { trigger } if line.subagent.is_none() => {
                self.stop(at, out);
                self.threads[at].command = None;
                let (boundary, trigger) = (line.clone(), trigger.clone());
                self.compaction = Some(Compaction { boundary, trigger, summary: None });
            }
            What::Boundary { .. }
            | What::Queue(_)
            | What::Compaction { .. }
            | What::Start { .. }
            | What::Usage { .. }
            | What::Meta => {}
        }
    }

    fn prompt(&mut self, at: usize, line: &Line, text: &str, out: &mut Vec<PastEvent>) {
        self.stop_subagents(out);
        self.stop(at, out);
        let thread = &mut self.threads[at];
        thread.held = false;
        thread.command = None;
        thread.prompt_id.clone_from(&line.prompt_id);
        let twin = self.prompt_twin(at);
        let by_machine = matches!(line.what, What::Machine { .. });
        let mut fields = json!({ "prompt": text });
        if by_machine {
            fields[PROMPT_SOURCE] = SYSTEM.into();
        }
        let mut event = self.event(EventKind::UserPromptSubmit, line, "prompt", twin, fields);
        // Of a turn that was interrupted: it has no Stop. A machine's prompt ends no turn.
        if !by_machine {
            self.note_said(at, &mut event);
        }
        out.push(event);
    }

    /// What was said in a turn goes with the event that ends it.
    fn note_said(&mut self, at: usize, event: &mut PastEvent) {
        let thread = &mut self.threads[at];
        let said = thread.words.take();
        if thread.subagent.is_none() {
            Said::note_in_turn(&mut event.context, &said);
        }
    }

    /// A command that the agent answers was a prompt; hooks get it as it was typed.
    fn command(&mut self, at: usize, out: &mut Vec<PastEvent>) {
        let Some(line) = self.threads[at].command.take() else { return };
        if let What::Command { name, arguments } = &line.what {
            let text = format!("{name} {arguments}");
            self.prompt(at, &line, text.trim_end(), out);
        }
    }

    fn stop(&mut self, at: usize, out: &mut Vec<PastEvent>) {
        let thread = &mut self.threads[at];
        let Some(answer) = thread.words.answer() else { return };
        let active = std::mem::take(&mut thread.held);
        let mut fields = json!({ "stop_hook_active": active, "last_assistant_message": answer.text });
        let kind = if thread.subagent.is_none() { EventKind::Stop } else { EventKind::SubagentStop };
        // Several subagents of one prompt end for themselves.
        let twin = match &thread.subagent {
            None => self.prompt_twin(at),
            Some(id) => {
                fields["agent_transcript_path"] = json!(self.path);
                Twin::Subagent(id.clone())
            }
        };
        let mut event = self.event(kind, &answer.line, "stop", twin, fields);
        self.note_said(at, &mut event);
        out.push(event);
    }

    /// Old transcripts hold the subagents' records among the main thread's, which waits for them.
    fn stop_subagents(&mut self, out: &mut Vec<PastEvent>) {
        for at in 0..self.threads.len() {
            if self.threads[at].subagent.is_some() {
                self.stop(at, out);
            }
        }
    }

    fn tool_event(
        &self,
        line: &Line,
        call: Call,
        outcome: ToolOutcome,
        text: &str,
        structured: Option<&Value>,
    ) -> Option<PastEvent> {
        let mut fields = Map::new();
        let kind = match outcome {
            ToolOutcome::Succeeded => {
                let response = structured.cloned().unwrap_or_else(|| Value::from(text));
                fields.insert("tool_response".to_owned(), response);
                EventKind::PostToolUse
            }
            ToolOutcome::Failed | ToolOutcome::Interrupted => {
                fields.insert("error".to_owned(), text.into());
                fields.insert("is_interrupt".to_owned(), (outcome == ToolOutcome::Interrupted).into());
                EventKind::PostToolUseFailure
            }
            // Hooks hear nothing of it, either.
            ToolOutcome::Refused => return None,
        };
        fields.insert("tool_name".to_owned(), call.name.into());
        fields.insert("tool_input".to_owned(), call.input);
        fields.insert("tool_use_id".to_owned(), call.id.clone().into());
        Some(self.event(kind, line, &call.id, Twin::ToolUse(call.id.clone()), Value::Object(fields)))
    }

    /// A session begins with its first record, or anew where a hook's trace says so.
    fn start(&mut self, line: &Line, out: &mut Vec<PastEvent>) {
        let source = match &line.what {
            // It follows every compaction, with or without a trace.
            What::Start { source } if source == "compact" && self.started => return,
            What::Start { source } if !self.started || self.busy => source.as_str(),
            What::Meta | What::Start { .. } => return,
            _ if self.started => return,
            _ => "startup",
        };
        let part = if self.started { "start again" } else { START };
        if self.started {
            let at = self.thread(line);
            self.stop(at, out);
        }
        self.started = true;
        self.busy = false;
        out.push(self.event(EventKind::SessionStart, line, part, Twin::Session, json!({ "source": source })));
    }

    /// A compaction is told as a whole: its instructions are written behind its summary.
    fn settle_compaction(&mut self, line: &Line, out: &mut Vec<PastEvent>) {
        let Some(compaction) = &mut self.compaction else { return };
        match &line.what {
            What::Meta | What::Start { .. } | What::Usage { .. } => {}
            What::Compaction { summary } => {
                compaction.summary = Some(summary.clone());
                compaction.boundary.prompt_id.clone_from(&line.prompt_id);
            }
            What::Command { name, arguments } if name == "/compact" => {
                self.flush_compaction(Some(arguments), out);
            }
            _ => self.flush_compaction(None, out),
        }
    }

    fn flush_compaction(&mut self, instructions: Option<&str>, out: &mut Vec<PastEvent>) {
        let Some(Compaction { boundary, trigger, summary }) = self.compaction.take() else { return };
        let prompt_id = boundary.prompt_id.clone();
        let at = self.thread(&boundary);
        let before = std::mem::replace(&mut self.threads[at].prompt_id, prompt_id);
        let twin = self.prompt_twin(at);
        let fields = json!({ "trigger": trigger, "custom_instructions": instructions });
        let mut event = self.event(EventKind::PreCompact, &boundary, "before", twin.clone(), fields);
        self.note_said(at, &mut event);
        out.push(event);
        let fields = json!({ "trigger": trigger, "compact_summary": summary });
        out.push(self.event(EventKind::PostCompact, &boundary, "after", twin.clone(), fields));
        let fields = json!({ "source": "compact" });
        out.push(self.event(EventKind::SessionStart, &boundary, "start after", twin, fields));
        self.threads[at].prompt_id = before;
    }

    /// The place of the line's thread, made if it is new.
    fn thread(&mut self, line: &Line) -> usize {
        let id = line.subagent.as_ref().map(|subagent| &subagent.id);
        let at = self.threads.iter().position(|thread| thread.subagent.as_ref() == id).unwrap_or_else(|| {
            if self.threads.len() == MAX_THREADS {
                self.threads.pop_front();
            }
            self.threads.push_back(Thread { subagent: id.cloned(), ..Thread::default() });
            self.threads.len() - 1
        });
        let thread = &mut self.threads[at];
        if let Some(kind) = line.subagent.as_ref().and_then(|subagent| subagent.kind.as_ref()) {
            thread.kind = Some(kind.clone());
        }
        if thread.prompt_id.is_none() || line.subagent.is_some() {
            thread.prompt_id = line.prompt_id.clone().or(thread.prompt_id.take());
        }
        at
    }

    fn prompt_twin(&self, at: usize) -> Twin {
        self.threads[at].prompt_id.clone().map_or(Twin::Session, Twin::Prompt)
    }

    /// One envelope. `part` tells apart the events that one record gives.
    fn event(&self, kind: EventKind, line: &Line, part: &str, twin: Twin, fields: Value) -> PastEvent {
        let mut body = json!({
            "session_id": line.session.as_str(),
            "transcript_path": if line.subagent.is_some() { &self.session_path } else { &self.path },
            "hook_event_name": kind.name(),
        });
        let subagent = line.subagent.as_ref().map(|subagent| &subagent.id);
        let thread = self.threads.iter().find(|thread| thread.subagent.as_ref() == subagent);
        // A start belongs to no prompt, unless a compaction made it.
        let inside_prompt = kind != EventKind::SessionStart || matches!(twin, Twin::Prompt(_));
        if let Some(prompt_id) = thread.and_then(|thread| thread.prompt_id.as_ref()).filter(|_| inside_prompt)
        {
            body["prompt_id"] = json!(prompt_id);
        }
        if let Some(cwd) = &line.cwd {
            body["cwd"] = json!(cwd);
        }
        if let (Some(id), Some(thread)) = (subagent, thread) {
            body["agent_id"] = json!(id);
            body["agent_type"] = json!(thread.kind.as_deref().unwrap_or(UNKNOWN_TYPE));
        }
        if let (Value::Object(body), Value::Object(fields)) = (&mut body, fields) {
            body.extend(fields);
        }
        let at = line.at.unwrap_or(self.clock);
        let branch = line.branch.iter().map(|branch| ("branch".to_owned(), branch.clone()));
        PastEvent {
            id: self.identify(kind, line, part, at),
            at,
            session: line.session.clone(),
            kind,
            line: line.number,
            twin,
            context: branch.collect::<Context>(),
            body: body.to_string().into_bytes(),
        }
    }

    /// Sorts by the time of the record like every other id. The record's uuid is unique in its session; one
    /// without is named by its place. A session starts and ends once, whatever its last record is when it is read.
    fn identify(&self, kind: EventKind, line: &Line, part: &str, at: Millis) -> EventId {
        let (at, record) = match (&line.uuid, part) {
            (_, START | END) => (self.began.unwrap_or(at), String::new()),
            (Some(uuid), _) => (at, uuid.clone()),
            (None, _) => (at, format!("line {}", line.number)),
        };
        let mut hash = Sha256::new();
        for text in ["throughline past event", line.session.as_str(), kind.name(), &record, part] {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        let mut random = [0; 10];
        random.copy_from_slice(&hash.finalize()[..10]);
        EventId::mint(at, random)
    }
}
