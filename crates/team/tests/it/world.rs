//! A database of its own for every test, on the server that `cargo xtask team-test` has started.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

use ::postgres::{Client, NoTls};
use model::{MemoryId, Millis, SessionId};
use store::shared::{
    Author, Change, News, Shared, SharedAsk, SharedClaim, SharedError, SharedHit, SharedMemory,
    SharedMessage, SharedPattern, SharedProject, SharedSession,
};
use team::admin::{self, Init, Invitation};
use team::{Options, Team};

use crate::stories::Stage;

/// The administrator's URL. Without it there is nothing to test with: the tests are marked, and counted as skipped.
const SERVER: &str = "THROUGHLINE_TEST_POSTGRES";

pub(crate) struct World {
    pub(crate) team: String,
    pub(crate) admin: Options,
    database: String,
    invited: HashMap<String, Invitation>,
}

/// The server's administrator, in some database.
pub(crate) fn server(database: &str) -> Options {
    let url = std::env::var(SERVER)
        .unwrap_or_else(|_| panic!("{SERVER} names no server: run cargo xtask team-test"));
    let (place, _) = url.rsplit_once('/').unwrap();
    Options { url: format!("{place}/{database}"), ..Options::default() }
}

pub(crate) fn client(options: &Options) -> Client {
    let mut config: ::postgres::Config = options.url.parse().unwrap();
    if let Some(password) = &options.password {
        config.password(password);
    }
    config.connect(NoTls).unwrap()
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(true)
    }

    pub(crate) fn with(open: bool) -> Self {
        let team = unique();
        let database = format!("db_{team}");
        client(&server("postgres")).batch_execute(&format!("CREATE DATABASE {database}")).unwrap();
        let admin = server(&database);
        admin::init(&admin, &Init { open, partitions: 4, ..Init::new(&team) }).unwrap();
        Self { team, admin, database, invited: HashMap::new() }
    }

    pub(crate) fn options(&mut self, user: &str) -> Options {
        let (admin, team) = (&self.admin, &self.team);
        let invitation =
            self.invited.entry(user.to_owned()).or_insert_with(|| admin::invite(admin, team, user).unwrap());
        Options {
            url: invitation.url.clone(),
            password: Some(invitation.password.clone()),
            ..Options::default()
        }
    }

    pub(crate) fn member(&mut self, user: &str) -> Member {
        Member { team: Team::connect(&self.options(user)).unwrap(), clock: client(&self.admin) }
    }

    /// A member with a prompt of their own.
    pub(crate) fn raw(&mut self, user: &str) -> Client {
        client(&self.options(user))
    }

    pub(crate) fn has_vectors(&self) -> bool {
        let found = client(&self.admin).query("SELECT FROM pg_extension WHERE extname = 'vector'", &[]);
        !found.unwrap().is_empty()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let mut server = client(&server("postgres"));
        let _ = server.batch_execute(&format!("DROP DATABASE {} WITH (FORCE)", self.database));
        for invitation in self.invited.values() {
            let _ = server.batch_execute(&format!("DROP ROLE IF EXISTS {}", invitation.role));
        }
    }
}

/// A member who asks for news when whatever was begun before has ended: other tests write to the same server, and what
/// began before their end is held back.
pub(crate) struct Member {
    team: Team,
    clock: Client,
}

impl Deref for Member {
    type Target = Team;

    fn deref(&self) -> &Team {
        &self.team
    }
}

impl DerefMut for Member {
    fn deref_mut(&mut self) -> &mut Team {
        &mut self.team
    }
}

impl Shared for Member {
    fn applied(&mut self, by: &Author, outbox: &str) -> Result<u64, SharedError> {
        self.team.applied(by, outbox)
    }
    fn apply(&mut self, by: &Author, outbox: &str, changes: &[(u64, Change)]) -> Result<usize, SharedError> {
        self.team.apply(by, outbox, changes)
    }
    fn news(
        &mut self,
        machine: &str,
        projects: &[SharedProject],
        cursor: &str,
        limit: usize,
    ) -> Result<News, SharedError> {
        let begun: String =
            self.clock.query_one("SELECT pg_snapshot_xmax(pg_current_snapshot())::text", &[]).unwrap().get(0);
        let over = "SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8";
        while !self.clock.query_one(over, &[&begun]).unwrap().get::<_, bool>(0) {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        self.team.news(machine, projects, cursor, limit)
    }
    fn search(&mut self, ask: &SharedAsk) -> Result<Vec<SharedHit>, SharedError> {
        self.team.search(ask)
    }
    fn memory(&mut self, id: MemoryId) -> Result<Option<SharedMemory>, SharedError> {
        self.team.memory(id)
    }
    fn sessions(
        &mut self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedSession)>, SharedError> {
        self.team.sessions(project, since)
    }
    fn claims(
        &mut self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedClaim)>, SharedError> {
        self.team.claims(project, since)
    }
    fn messages(&mut self, to: &SessionId) -> Result<Vec<SharedMessage>, SharedError> {
        self.team.messages(to)
    }
    fn prune(&mut self, before: Millis) -> Result<u64, SharedError> {
        self.team.prune(before)
    }
    fn patterns(&mut self, project: &SharedProject, limit: usize) -> Result<Vec<SharedPattern>, SharedError> {
        self.team.patterns(project, limit)
    }
}

impl Stage for World {
    fn enter(&mut self, user: &str) -> Box<dyn Shared> {
        Box::new(self.member(user))
    }
}

/// Names of teams and databases that no other test has, in whichever process.
pub(crate) fn unique() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("t{}x{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
