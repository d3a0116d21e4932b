//! What a team shares, in PostgreSQL: the way there, the schema, and both directions of news. Blocking on the outside;
//! the runtime of the client library stays in here. Decides nothing about what may leave a machine, reads no
//! environment, and trusts the server with nothing but what the team has told it.

pub mod admin;
mod apply;
mod connect;
mod error;
mod fold;
mod half;
mod listen;
mod news;
mod options;
mod prepared;
mod prune;
mod read;
mod rows;
mod schema;
mod search;
mod tls;

use std::collections::HashMap;
use std::fmt;

use model::{MemoryId, Millis, SessionId};
use postgres::types::ToSql;
use postgres::{Client, Row};
use store::shared::{
    Author, Change, News, Shared, SharedAsk, SharedClaim, SharedError, SharedHit, SharedMemory,
    SharedMessage, SharedPattern, SharedProject, SharedSession,
};

use error::sort;
use options::refused;
use prepared::Prepared;
use rows::{clean, unsigned};

pub use listen::{Listener, Woken};
pub use options::{Options, masked, take_password};

/// One connection of one member.
pub struct Team {
    client: Client,
    options: Options,
    me: Me,
    /// The team's number.
    number: i32,
    prepared: Prepared,
    /// Our own numbers, by machine.
    authors: HashMap<String, i32>,
    /// Numbers of projects that were told of; `None` where they are closed to us.
    projects: HashMap<SharedProject, Option<i64>>,
}

/// Who the database says this is; a claim of ours counts for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Me {
    pub team: String,
    pub user: String,
}

impl Team {
    /// As a member. Who could see or do more than a member is refused: what runs every day must not be able to.
    pub fn connect(options: &Options) -> Result<Self, SharedError> {
        let mut client = connect::open(options)?;
        let (number, me) = who(&mut client)?;
        Ok(Self {
            client,
            options: options.clone(),
            me,
            number,
            prepared: Prepared::default(),
            authors: HashMap::new(),
            projects: HashMap::new(),
        })
    }

    pub fn me(&self) -> &Me {
        &self.me
    }

    /// A second connection that hears of what others tell. What `machine` tells is no news to itself.
    pub fn listen(&mut self, machine: &str) -> Result<Listener, SharedError> {
        let own = self
            .query("SELECT throughline.my_author($1)", &[&clean(machine)])
            .map_err(|error| sort(&error))?
            .first()
            .map(|row| row.get(0));
        let mut client = connect::open(&self.options)?;
        client.batch_execute(&format!("LISTEN throughline_{}", self.number)).map_err(|error| sort(&error))?;
        Ok(Listener { client, own })
    }

    fn query(&mut self, sql: &str, arguments: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, postgres::Error> {
        self.prepared.query(&mut self.client, sql, arguments)
    }
}

fn who(client: &mut Client) -> Result<(i32, Me), SharedError> {
    let ask = |client: &mut Client, sql: &str| client.query_one(sql, &[]).map_err(|error| sort(&error));
    let row = ask(
        client,
        "SELECT rolsuper OR rolbypassrls OR rolcreaterole, to_regclass('throughline.house') IS NOT NULL
         FROM pg_roles WHERE rolname = session_user",
    )?;
    if row.get(0) {
        return Err(refused(
            "this role may do more than a member",
            "use the URL that `throughline team invite` gave you",
        ));
    }
    let usable: bool = row.get::<_, bool>(1)
        && ask(client, "SELECT has_schema_privilege('throughline', 'USAGE')")?.get::<_, bool>(0);
    if !usable {
        return Err(refused(
            "there is no team in this database for this role",
            "ask for a new invitation; whoever runs the database begins with `throughline team init`",
        ));
    }
    let found = ask(client, "SELECT version FROM throughline.house")?.get::<_, i32>(0) as u32;
    if found > schema::VERSION {
        return Err(schema::too_new(found));
    }
    if found < schema::VERSION {
        let hint = "ask whoever runs it for `throughline team init`";
        return Err(SharedError::Version { found, known: schema::VERSION, hint });
    }
    let row = client
        .query_opt(
            "SELECT t.id, t.name, m.name FROM throughline.members m JOIN throughline.teams t ON t.id = m.team
             WHERE m.id = throughline.my_member()",
            &[],
        )
        .map_err(|error| sort(&error))?;
    let row = row.ok_or_else(|| refused("this role is no member of a team", "ask for an invitation"))?;
    Ok((row.get(0), Me { team: row.get(1), user: row.get(2) }))
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("me", &self.me).finish_non_exhaustive()
    }
}

impl Shared for Team {
    fn applied(&mut self, by: &Author, outbox: &str) -> Result<u64, SharedError> {
        self.position(by, outbox)
    }

    /// What is told of a project that is closed to this member is passed over, and counts as told.
    fn apply(&mut self, by: &Author, outbox: &str, changes: &[(u64, Change)]) -> Result<usize, SharedError> {
        self.tell(by, outbox, changes)
    }

    fn news(
        &mut self,
        machine: &str,
        projects: &[SharedProject],
        cursor: &str,
        limit: usize,
    ) -> Result<News, SharedError> {
        self.hear(machine, projects, cursor, limit)
    }

    fn search(&mut self, ask: &SharedAsk) -> Result<Vec<SharedHit>, SharedError> {
        self.find(ask)
    }

    fn memory(&mut self, id: MemoryId) -> Result<Option<SharedMemory>, SharedError> {
        self.one_memory(id).map_err(|error| sort(&error))
    }

    fn sessions(
        &mut self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedSession)>, SharedError> {
        self.live_sessions(project, since).map_err(|error| sort(&error))
    }

    fn claims(
        &mut self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedClaim)>, SharedError> {
        self.held_claims(project, since).map_err(|error| sort(&error))
    }

    fn messages(&mut self, to: &SessionId) -> Result<Vec<SharedMessage>, SharedError> {
        self.waiting_messages(to).map_err(|error| sort(&error))
    }

    fn prune(&mut self, before: Millis) -> Result<u64, SharedError> {
        self.take_out(before).map_err(|error| sort(&error))
    }

    fn patterns(&mut self, project: &SharedProject, limit: usize) -> Result<Vec<SharedPattern>, SharedError> {
        self.newest_patterns(project, limit).map_err(|error| sort(&error))
    }
}
