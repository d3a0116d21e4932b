//! A door of one test: its own port, its own token, and a house of which the daemon's status can be asked and which has
//! a journal.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use engine::Workspace;
use mcp::{Checkpointing, Claiming, End, Keeper, Keepers, Messaging, Note, Refusal, Remembered};
use model::{Entry, EventKind, Millis, SessionId};
use serde_json::{Value, json};
use store::journal::JournalPolicy;
use store::{Journal, Location, StoreError, Stored, Tables};
use web::{Bound, Door, Glimpse, Token};

/// Far from the ports that people and other tests use; the search goes on from here.
const PORT: u16 = 23_777;
/// A door that is alive answers at once; one that hangs fails the test.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct World {
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) journal: Arc<Journal>,
    door: Option<Door>,
    /// After the journal and the door, which use it.
    _folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::load_or_make(&folder.path().join("token")).unwrap();
        let bound = Bound::bind(PORT).unwrap();
        let port = bound.port();
        let revealed = token.reveal().to_owned();
        let journal = Journal::open(&folder.path().join("journal"), JournalPolicy::default()).unwrap().0;
        let journal = Arc::new(journal);
        let door = bound.open(token, Arc::new(Houses(Arc::clone(&journal)))).unwrap();
        Self { port, token: revealed, journal, door: Some(door), _folder: folder }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a text in which PORT and TOKEN stand for ours, and reads all that comes back. The text must end its
    /// connection.
    pub(crate) fn send(&self, text: &str) -> Answer {
        let mut stream = self.connect();
        // A door that has heard enough may close before all is sent.
        let _ = stream.write_all(self.filled(text).as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        Answer(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(crate) fn filled(&self, text: &str) -> String {
        text.replace("PORT", &self.port.to_string()).replace("TOKEN", &self.token)
    }

    /// A message to `/mcp` by somebody who may come in.
    pub(crate) fn say(&self, headers: &str, message: &Value) -> Answer {
        let body = message.to_string();
        self.send(&format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\nConnection: close\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Content-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        ))
    }

    pub(crate) fn close(&mut self) {
        if let Some(door) = self.door.take() {
            door.close();
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.close();
    }
}

#[derive(Debug)]
pub(crate) struct Answer(pub(crate) String);

impl Answer {
    /// 0: the connection was closed without a word.
    pub(crate) fn status(&self) -> u16 {
        self.0.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let head = self.0.split("\r\n\r\n").next()?;
        let pairs = head.lines().filter_map(|line| line.split_once(':'));
        pairs.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    pub(crate) fn body(&self) -> &str {
        self.0.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.body()).unwrap_or_else(|_| panic!("no JSON: {}", self.0))
    }
}

struct Houses(Arc<Journal>);

/// Tables are proved with a real daemon, where the binary is; here is only who may come in.
impl web::House for Houses {
    fn ask(&self, question: &Value, _: Duration) -> Value {
        if question["ask"] == "status" { json!({ "running": true, "pid": 7 }) } else { Value::Null }
    }

    fn read(&self, _: &mut dyn FnMut(&Tables) -> Result<(), StoreError>) -> Result<(), StoreError> {
        Err(StoreError::Busy(PathBuf::new()))
    }

    fn hear(&self, _: &str, _: &str, _: Vec<u8>) -> Vec<u8> {
        Vec::new()
    }

    fn take(&self, _: &str, _: &str, _: Vec<u8>) -> web::Taken {
        web::Taken::NotKept
    }

    fn entry(&self, _: Location) -> Result<Stored, StoreError> {
        Err(StoreError::Busy(PathBuf::new()))
    }

    fn entries(&self, from: u64, most: usize) -> Vec<Stored> {
        self.0.read_from(from).take(most).filter_map(Result::ok).collect()
    }

    fn glimpse(&self, entry: &Entry) -> Glimpse {
        Glimpse {
            title: entry.event.clone(),
            kind: EventKind::Other,
            cwd: None,
            project: None,
            subagent: None,
            call: None,
            ok: None,
            duration_ms: None,
            detail: None,
        }
    }

    fn head(&self) -> u64 {
        self.0.head()
    }

    fn wait_beyond(&self, position: u64, patience: Duration) -> u64 {
        self.0.wait_beyond(position, patience)
    }

    fn wait_learned(&self, position: u64, patience: Duration) -> u64 {
        std::thread::sleep(patience);
        position
    }

    fn settings(&self) -> Vec<Value> {
        Vec::new()
    }

    fn set(&self, _: &str, _: Option<&str>) -> Result<(), Refusal> {
        Err(Refusal::new("nothing is set here", ""))
    }

    fn faults(&self) -> Vec<engine::Fault> {
        Vec::new()
    }

    fn agents(&self) -> Vec<web::KnownAgent> {
        Vec::new()
    }

    fn checks(&self) -> Value {
        json!({})
    }

    fn remember(&self, _: Option<&Path>, _: Note) -> Result<Remembered, Refusal> {
        Err(Refusal::new("nothing is kept here", ""))
    }

    fn clean(&self, text: &str) -> Result<String, Refusal> {
        Ok(text.to_owned())
    }

    fn log(&self, _: usize) -> Vec<String> {
        Vec::new()
    }
}

impl Keepers for Houses {
    fn version(&self) -> &'static str {
        "1.2.3"
    }

    fn keeper(&self, folder: Option<&Path>) -> Arc<dyn Keeper> {
        Arc::new(House(folder.map(Path::to_owned)))
    }
}

/// Says of everything where it was asked from.
struct House(Option<PathBuf>);

impl House {
    fn place(&self) -> Refusal {
        Refusal::new(format!("asked from {:?}", self.0), "")
    }
}

impl Keeper for House {
    fn version(&self) -> &'static str {
        "1.2.3"
    }

    fn folder(&self) -> &Path {
        self.0.as_deref().unwrap_or(Path::new("/"))
    }

    fn workspace(&self) -> Workspace {
        Workspace {
            key: model::WorkspaceKey::from_hex(String::new()),
            root: String::new(),
            project: String::new(),
            project_key: String::new(),
            branch: None,
        }
    }

    fn ask(&self, question: &Value, _: Duration) -> Result<Value, Refusal> {
        if question["ask"] == "status" { Ok(json!({ "running": true, "pid": 7 })) } else { Err(self.place()) }
    }

    fn tables(&self) -> Result<Tables, Refusal> {
        Err(self.place())
    }

    fn moment(&self, _: &str, _: End) -> Result<Millis, Refusal> {
        Err(self.place())
    }

    fn remember(&self, _: Note) -> Result<Remembered, Refusal> {
        Err(self.place())
    }

    fn forget(&self, _: &[String]) -> Result<bool, Refusal> {
        Err(self.place())
    }

    fn hand_over(&self, _: Option<&str>, _: &str) -> Result<SessionId, Refusal> {
        Err(self.place())
    }

    fn checkpoint(&self, _: Checkpointing) -> Result<Value, Refusal> {
        Err(self.place())
    }

    fn claims(&self, _: Claiming) -> Result<Value, Refusal> {
        Err(self.place())
    }

    fn message(&self, _: Messaging) -> Result<Value, Refusal> {
        Err(self.place())
    }

    fn live_sessions(&self, _: bool) -> Result<Vec<Value>, Refusal> {
        Err(self.place())
    }

    fn code(&self, _: atlas::Question) -> Result<atlas::Answer, Refusal> {
        Err(self.place())
    }
}
