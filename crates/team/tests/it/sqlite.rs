//! The stories on one machine's own tables.

use std::cell::RefCell;
use std::rc::Rc;

use model::{MemoryId, Millis, SessionId};
use store::Tables;
use store::shared::{
    Author, Change, News, Shared, SharedAsk, SharedClaim, SharedError, SharedHit, SharedMemory,
    SharedMessage, SharedPattern, SharedProject, SharedSession,
};

use crate::stories::{Stage, Story};

struct OneFile(Rc<RefCell<Tables>>);

impl Stage for OneFile {
    fn enter(&mut self, _user: &str) -> Box<dyn Shared> {
        Box::new(Seat(Rc::clone(&self.0)))
    }
}

struct Seat(Rc<RefCell<Tables>>);

impl Shared for Seat {
    fn applied(&mut self, by: &Author, outbox: &str) -> Result<u64, SharedError> {
        Shared::applied(&mut *self.0.borrow_mut(), by, outbox)
    }
    fn apply(&mut self, by: &Author, outbox: &str, changes: &[(u64, Change)]) -> Result<usize, SharedError> {
        Shared::apply(&mut *self.0.borrow_mut(), by, outbox, changes)
    }
    fn news(
        &mut self,
        machine: &str,
        projects: &[SharedProject],
        cursor: &str,
        limit: usize,
    ) -> Result<News, SharedError> {
        Shared::news(&mut *self.0.borrow_mut(), machine, projects, cursor, limit)
    }
    fn search(&mut self, ask: &SharedAsk) -> Result<Vec<SharedHit>, SharedError> {
        Shared::search(&mut *self.0.borrow_mut(), ask)
    }
    fn memory(&mut self, id: MemoryId) -> Result<Option<SharedMemory>, SharedError> {
        Shared::memory(&mut *self.0.borrow_mut(), id)
    }
    fn sessions(
        &mut self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedSession)>, SharedError> {
        Shared::sessions(&mut *self.0.borrow_mut(), project, since)
    }
    fn claims(
        &mut self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedClaim)>, SharedError> {
        Shared::claims(&mut *self.0.borrow_mut(), project, since)
    }
    fn messages(&mut self, to: &SessionId) -> Result<Vec<SharedMessage>, SharedError> {
        Shared::messages(&mut *self.0.borrow_mut(), to)
    }
    fn prune(&mut self, before: Millis) -> Result<u64, SharedError> {
        Shared::prune(&mut *self.0.borrow_mut(), before)
    }
    fn patterns(&mut self, project: &SharedProject, limit: usize) -> Result<Vec<SharedPattern>, SharedError> {
        Shared::patterns(&mut *self.0.borrow_mut(), project, limit)
    }
}

fn check(story: Story) {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::open(&folder.path().join("tables.db")).unwrap();
    story(&mut OneFile(Rc::new(RefCell::new(tables))));
}

crate::stories!(check);
