//! What the rows of claude-mem's database mean to us: sessions, prompts, observations and summaries. The SQL is
//! in `store`.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use model::{Memory, MemoryId, MemoryKind, Millis, SessionId};
use store::{ClaudeMem, ClaudeMemError, ClaudeMemRow, ClaudeMemTable};

use crate::{Effect, Item, Options, Problem, Prompt, Reader, Record, Session, Source, shape, time};

/// Observations name their session by an id of claude-mem's own. Beyond so many sessions they keep that one.
const MAX_SESSIONS: usize = 1_000_000;

/// The five answers of a summary and what stands before each in its text.
const ANSWERS: &[(&str, &str)] = &[
    ("request", "Request"),
    ("investigated", "Investigated"),
    ("learned", "Learned"),
    ("completed", "Completed"),
    ("next_steps", "Next steps"),
    ("notes", "Notes"),
];

pub(crate) fn read(path: &Path, options: &Options) -> Reader {
    let place = path.display().to_string();
    let opened = ClaudeMem::open(path).and_then(|database| Ok((database.count()?, database)));
    match opened {
        Err(error) => Reader::stopped(place, error.to_string()),
        Ok((count, database)) => Reader::new(
            count,
            Rows {
                // Old files keep the only prompt of a session with it.
                prompts_in_sessions: !database.has(ClaudeMemTable::Prompts),
                database,
                place,
                options: options.clone(),
                tables: ClaudeMemTable::ALL.iter().copied().collect(),
                after: i64::MIN,
                sessions: HashMap::new(),
                projects: HashMap::new(),
                said: Vec::new(),
                waiting: VecDeque::new(),
                is_checked: false,
            },
        ),
    }
}

struct Rows {
    database: ClaudeMem,
    place: String,
    options: Options,
    prompts_in_sessions: bool,
    tables: VecDeque<ClaudeMemTable>,
    after: i64,
    /// From claude-mem's id of a session to the agent's.
    sessions: HashMap<String, SessionId>,
    /// Of the agent's sessions: prompts name none.
    projects: HashMap<SessionId, String>,
    /// What is to be said of the row at hand.
    said: Vec<(Effect, &'static str)>,
    waiting: VecDeque<Item>,
    is_checked: bool,
}

impl Iterator for Rows {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.waiting.pop_front() {
                return Some(item);
            }
            let Some(&table) = self.tables.front() else { return self.last_word() };
            match self.database.next(table, self.after) {
                Ok(Some(row)) => {
                    self.after = row.id;
                    self.take(table, &row);
                }
                Ok(None) => {
                    self.tables.pop_front();
                    self.after = i64::MIN;
                }
                Err(ClaudeMemError::Row { id, what }) => {
                    self.after = id;
                    return Some(Err(self.problem(Effect::Lost, table, id, what)));
                }
                Err(error) => {
                    self.tables.clear();
                    self.is_checked = true;
                    return Some(Err(Problem::new(Effect::Stopped, &self.place, error.to_string())));
                }
            }
        }
    }
}

impl Rows {
    fn last_word(&mut self) -> Option<Item> {
        if std::mem::replace(&mut self.is_checked, true) || !self.database.has_changed() {
            return None;
        }
        let what = "was written while it was read; import again for what is missing, nothing is doubled";
        Some(Err(Problem::new(Effect::Stopped, &self.place, what)))
    }

    fn take(&mut self, table: ClaudeMemTable, row: &ClaudeMemRow) {
        let record = match table {
            ClaudeMemTable::Sessions => {
                let session = self.session(row);
                let prompt = row.text("user_prompt").filter(|_| self.prompts_in_sessions);
                let memory = prompt.map(|text| {
                    self.memory(table, row, MemoryKind::Prompt, "started_at", text, text, &session.id)
                });
                self.waiting.push_back(Ok(Record::Session(session)));
                memory.map(|memory| Record::Prompt(Box::new(Prompt { number: Some(1), memory })))
            }
            ClaudeMemTable::Prompts => self.prompt(row),
            ClaudeMemTable::Observations => self.observation(row).map(Record::from),
            ClaudeMemTable::Summaries => self.summary(row).map(Record::from),
        };
        match record {
            Some(record) => {
                self.waiting.push_back(Ok(record));
                for (effect, what) in std::mem::take(&mut self.said) {
                    self.waiting.push_back(Err(self.problem(effect, table, row.id, what)));
                }
            }
            None if table == ClaudeMemTable::Sessions => {}
            None => {
                let problem = self.problem(Effect::LeftOut, table, row.id, "says nothing");
                self.waiting.push_back(Err(problem));
            }
        }
    }

    fn session(&mut self, row: &ClaudeMemRow) -> Session {
        let ours = row.text("memory_session_id");
        let id = SessionId::new(row.text("content_session_id").or(ours).unwrap_or_default());
        if let Some(ours) = ours
            && self.sessions.len() < MAX_SESSIONS
        {
            self.sessions.insert(ours.to_owned(), id.clone());
        }
        let project = self.project(row);
        if let Some(project) = &project
            && self.projects.len() < MAX_SESSIONS
        {
            self.projects.insert(id.clone(), project.clone());
        }
        let agent = match row.text("platform_source") {
            None | Some("claude") => "claude-code".to_owned(),
            Some(other) => shape::name(other).unwrap_or_default(),
        };
        Session {
            id,
            agent,
            project,
            title: row.text("custom_title").and_then(shape::subtitle),
            started_at: moment(row, "started_at"),
            ended_at: row.integer("completed_at_epoch").and_then(|at| time::from_number(at as f64)),
        }
    }

    fn prompt(&mut self, row: &ClaudeMemRow) -> Option<Record> {
        let text = row.text("prompt_text")?;
        let session = SessionId::new(row.text("content_session_id").unwrap_or_default());
        let table = ClaudeMemTable::Prompts;
        let memory = self.memory(table, row, MemoryKind::Prompt, "created_at", text, text, &session);
        let number = row.integer("prompt_number").and_then(|number| u32::try_from(number).ok());
        Some(Record::Prompt(Box::new(Prompt { number, memory })))
    }

    fn observation(&mut self, row: &ClaudeMemRow) -> Option<Memory> {
        let list = |column| row.text(column).map(shape::list).unwrap_or_default();
        let facts = list("facts");
        let given = row.text("type").unwrap_or_default().trim();
        let kind = kind(given);
        // The first versions had one text; later ones a narrative.
        let joined = facts.join("\n");
        let texts = ["narrative", "text", "subtitle", "title"].iter().find_map(|column| row.text(column));
        let text = texts.or((!joined.is_empty()).then_some(joined.as_str()))?;
        let title = row.text("title").or(row.text("subtitle")).unwrap_or(text);
        let session = self.session_of(row);
        let table = ClaudeMemTable::Observations;
        let mut memory = self.memory(
            table,
            row,
            kind.unwrap_or(MemoryKind::Document),
            "created_at",
            title,
            text,
            &session,
        );
        memory.subtitle = row.text("subtitle").and_then(shape::subtitle);
        memory.facts = facts;
        memory.concepts = list("concepts");
        if kind.is_none_or(|kind| kind.name() != given) {
            memory.concepts.extend(shape::name(given));
        }
        memory.files_read = list("files_read");
        memory.files_modified = list("files_modified");
        Some(memory)
    }

    fn summary(&mut self, row: &ClaudeMemRow) -> Option<Memory> {
        let mut text = String::new();
        for (column, name) in ANSWERS {
            if let Some(answer) = row.text(column) {
                text.push_str(&format!("{name}: {}\n", answer.trim()));
            }
        }
        let text = text.trim_end();
        let title = ["request", "completed", "learned"].iter().find_map(|column| row.text(column));
        let session = self.session_of(row);
        let title = title.or((!text.is_empty()).then_some(text))?;
        let table = ClaudeMemTable::Summaries;
        let mut memory = self.memory(table, row, MemoryKind::Summary, "created_at", title, text, &session);
        memory.files_read = row.text("files_read").map(shape::list).unwrap_or_default();
        memory.files_modified = row.text("files_edited").map(shape::list).unwrap_or_default();
        Some(memory)
    }

    #[expect(clippy::too_many_arguments, reason = "what every row has in common, called four times")]
    fn memory(
        &mut self,
        table: ClaudeMemTable,
        row: &ClaudeMemRow,
        kind: MemoryKind,
        time_column: &str,
        title: &str,
        text: &str,
        session: &SessionId,
    ) -> Memory {
        let at = moment(row, time_column);
        // Row numbers begin with 1 in every database; with the session and the time they are one row's alone.
        let id = MemoryId::of(&[
            Source::ClaudeMem.name(),
            self.options.label.as_deref().unwrap_or_default(),
            table.name(),
            session.as_str(),
            &at.unwrap_or_default().to_string(),
            &row.id.to_string(),
        ]);
        if shape::is_too_long(text) {
            self.said
                .push((Effect::Shortened, "is longer than the 64 KB of a memory; its beginning is kept"));
        }
        if at.is_none() {
            self.said.push((Effect::Undated, "has no time between 1970 and 2200"));
        }
        let mut memory = shape::memory(id, kind, at.unwrap_or_default(), title, text);
        memory.session = Some(session.clone());
        memory.project = self.project_of(row, session);
        memory.external_id = Some(format!("claude-mem/{}/{}", table.name(), row.id));
        memory.provenance.place = Some(format!("claude-mem, {} {}", table.name(), row.id));
        if matches!(table, ClaudeMemTable::Observations | ClaudeMemTable::Summaries)
            && let Some(tokens) =
                row.integer("discovery_tokens").and_then(|tokens| u32::try_from(tokens).ok())
            && tokens > 0
        {
            memory.provenance.tokens = tokens;
        }
        memory
    }

    fn session_of(&self, row: &ClaudeMemRow) -> SessionId {
        let ours = row.text("memory_session_id").unwrap_or_default();
        self.sessions.get(ours).cloned().unwrap_or_else(|| SessionId::new(ours))
    }

    /// Its own, else that of its session.
    fn project_of(&self, row: &ClaudeMemRow, session: &SessionId) -> Option<String> {
        named_project(row)
            .or_else(|| self.projects.get(session).cloned())
            .or_else(|| self.options.project.clone())
    }

    fn project(&self, row: &ClaudeMemRow) -> Option<String> {
        named_project(row).or_else(|| self.options.project.clone())
    }

    fn problem(&self, effect: Effect, table: ClaudeMemTable, id: i64, what: impl Into<String>) -> Problem {
        Problem::new(effect, format!("{}, {} {id}", self.place, table.name()), what)
    }
}

/// A worktree's rows that were merged into their main project belong there.
fn named_project(row: &ClaudeMemRow) -> Option<String> {
    ["merged_into_project", "project"].iter().find_map(|column| row.text(column)).and_then(shape::name)
}

/// The number, else the text beside it: `created_at_epoch`, `created_at`.
fn moment(row: &ClaudeMemRow, column: &str) -> Option<Millis> {
    let number = row.integer(&format!("{column}_epoch")).and_then(|at| time::from_number(at as f64));
    number.or_else(|| time::from_text(row.text(column)?))
}

/// Its types of code work are kinds of ours; those of other modes (law, mail) are not.
fn kind(name: &str) -> Option<MemoryKind> {
    match name {
        "security_alert" | "security_note" | "sensitive" => Some(MemoryKind::Security),
        name => MemoryKind::from_name(name).filter(|kind| kind.is_observation()),
    }
}
