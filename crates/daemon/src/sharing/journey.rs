//! The two ways between our tables and a team's, in steps that can be cut anywhere: what was told and not noted is passed
//! over by the other side the next time, and what was taken in is noted in the transaction that takes it in.

use engine::sharing::{Leaving, take_in};
use model::Millis;
use redact::Redactor;
use store::Tables;
use store::shared::{Author, Change, Shared, SharedError, SharedProject};

/// Changes in one transaction of the other side: a few tenths of a second, and some megabytes at most.
const SHIP: usize = 200;
/// News in one transaction of ours: whoever else wants to write waits no longer than for the learner.
const PULL: usize = 200;
/// Of what the other side says about something it does not take.
const MAX_WHY: usize = 200;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Names in the outbox; 0 when none is left.
    pub(super) looked_at: usize,
    /// Changes the other side did not know.
    pub(super) new: u64,
    /// Why something was set aside.
    pub(super) aside: Option<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) changes: u64,
    pub(super) more: bool,
}

/// Forgets what the other side has already: we were cut off, or killed, between telling and noting.
pub(super) fn catch_up(tables: &mut Tables, team: &mut dyn Shared, by: &Author) -> Result<(), SharedError> {
    let applied = team.applied(by, &tables.outbox_name()?)?;
    Ok(tables.write(|batch| batch.outbox_done(applied))?)
}

/// Tells the first of what waits. What the other side does not take, whatever happens, is set aside, and what waits behind
/// it is told; any other trouble leaves everything where it is.
pub(super) fn ship(
    tables: &mut Tables,
    team: &mut dyn Shared,
    by: &Author,
    leaving: &Leaving<'_>,
    now: Millis,
) -> Result<Told, SharedError> {
    let waiting = tables.outbox(SHIP, now)?;
    let Some(last) = waiting.last().map(|waiting| waiting.position) else { return Ok(Told::default()) };
    let looked_at = waiting.len();
    let changes: Vec<_> = waiting
        .into_iter()
        .filter_map(|waiting| {
            let position = waiting.position;
            Some((position, leaving.change(waiting)?))
        })
        .collect();
    let outbox = tables.outbox_name()?;
    let told = match apply(team, by, &outbox, &changes) {
        Ok(new) => Told { looked_at, new, aside: None },
        // All or none of them: one is wrong, and only one by one they say which.
        Err(SharedError::Unfit(_)) => one_by_one(tables, team, by, &outbox, &changes, now)?,
        Err(error) => return Err(error),
    };
    tables.write(|batch| batch.outbox_done(last))?;
    Ok(Told { looked_at, ..told })
}

fn apply(
    team: &mut dyn Shared,
    by: &Author,
    outbox: &str,
    changes: &[(u64, Change)],
) -> Result<u64, SharedError> {
    if changes.is_empty() {
        return Ok(0);
    }
    Ok(team.apply(by, outbox, changes)? as u64)
}

fn one_by_one(
    tables: &mut Tables,
    team: &mut dyn Shared,
    by: &Author,
    outbox: &str,
    changes: &[(u64, Change)],
    now: Millis,
) -> Result<Told, SharedError> {
    let mut told = Told::default();
    for change in changes {
        match apply(team, by, outbox, std::slice::from_ref(change)) {
            Ok(new) => told.new += new,
            Err(SharedError::Unfit(why)) => {
                let why: String = why.chars().take(MAX_WHY).collect();
                tables.write(|batch| batch.set_aside(change.0, &why, now))?;
                told.aside = Some(why);
            }
            // What was told of these is passed over the next time.
            Err(error) => return Err(error),
        }
    }
    Ok(told)
}

/// Takes in the first of what others have told since.
pub(super) fn pull(
    tables: &mut Tables,
    team: &mut dyn Shared,
    by: &Author,
    projects: &[SharedProject],
    redactor: &Redactor,
) -> Result<Taken, SharedError> {
    let cursor = tables.news_cursor()?;
    let news = team.news(&by.machine, projects, &cursor, PULL)?;
    if news.cursor != cursor || !news.changes.is_empty() {
        tables.write(|batch| {
            for (author, change) in &news.changes {
                take_in(batch, redactor, author, change)?;
            }
            batch.set_news_cursor(&news.cursor)
        })?;
    }
    Ok(Taken { changes: news.changes.len() as u64, more: news.more })
}

#[cfg(test)]
mod tests {
    use engine::sharing::Places;
    use model::{Memory, MemoryId, MemoryKind, WorkspaceKey};
    use redact::Settings;
    use store::{Filing, MemoryFilter};

    use super::*;

    const NOON: Millis = 1_800_000_000_000;

    fn machine(path: &std::path::Path) -> Tables {
        let mut tables = Tables::open(path).unwrap();
        let workspace = WorkspaceKey::from_hex("w".into());
        tables
            .write(|batch| {
                batch.upsert_workspace(&workspace, "/srv/ana/shop", Some("shop"), NOON)?;
                batch.upsert_project("k", "shop", Some("c0ffee"))?;
                batch.place_workspace(&workspace, "k")?;
                batch.share_projects("ana", &[SharedProject("c0ffee".into())])
            })
            .unwrap();
        tables
    }

    #[test]
    fn what_may_leave_arrives_under_its_authors_name_and_the_rest_never_leaves() {
        let folder = tempfile::tempdir().unwrap();
        let mut team = Tables::open(&folder.path().join("team.db")).unwrap();
        let mut ana = machine(&folder.path().join("ana.db"));
        let mut ben = machine(&folder.path().join("ben.db"));
        ben.write(|batch| batch.share_projects("ben", &[SharedProject("c0ffee".into())])).unwrap();
        let author = |user: &str| Author { user: user.into(), machine: format!("{user}s") };
        let note = |number: u64, text: &str, concepts: &[&str]| Memory {
            project: Some("shop".into()),
            project_key: Some("k".into()),
            workspace: Some(WorkspaceKey::from_hex("w".into())),
            concepts: concepts.iter().map(|concept| (*concept).to_owned()).collect(),
            ..Memory::new(MemoryId::from_u64(number), MemoryKind::Note, NOON, text.into(), text.into())
        };
        let filing = Filing { seq: 1, tokens: 1, fingerprint: 0 };
        ana.write(|batch| {
            batch.put_memory(&note(1, "carts of /srv/ana/shop/src/cart.rs expire", &[]), filing)?;
            batch.put_memory(&note(2, "my salary", &["private"]), filing)
        })
        .unwrap();
        let redactor = Redactor::new(Settings::default()).unwrap();
        let places = Places::new("/srv/ana", "ana");
        let leaving = Leaving { redactor: &redactor, places: &places };
        let told = ship(&mut ana, &mut team, &author("ana"), &leaving, NOON).unwrap();
        assert_eq!(told, Told { looked_at: 2, new: 1, aside: None });
        assert_eq!(ship(&mut ana, &mut team, &author("ana"), &leaving, NOON).unwrap(), Told::default());
        let projects = [SharedProject("c0ffee".into())];
        let taken = pull(&mut ben, &mut team, &author("ben"), &projects, &redactor).unwrap();
        assert_eq!(taken, Taken { changes: 1, more: false });
        let titles: Vec<String> =
            ben.memories(&MemoryFilter::default()).unwrap().into_iter().map(|row| row.memory.title).collect();
        assert_eq!(titles, ["ana: carts of src/cart.rs expire"]);
        assert_eq!(ben.count_outbox().unwrap(), 0);
    }

    /// A team whose database does not take one of them, and is away for another.
    struct Picky {
        tables: Tables,
        is_away: bool,
    }

    impl Picky {
        fn judge(&self, changes: &[(u64, Change)]) -> Result<(), SharedError> {
            for (_, change) in changes {
                let Change::Memory(told) = change else { continue };
                if told.memory.title.contains("unfit") {
                    return Err(SharedError::Unfit("no such value (22021)".into()));
                }
                if self.is_away && told.memory.title.contains("away") {
                    return Err(SharedError::Unreachable("the server is starting".into()));
                }
            }
            Ok(())
        }
    }

    impl Shared for Picky {
        fn applied(&mut self, by: &Author, outbox: &str) -> Result<u64, SharedError> {
            self.tables.applied(by, outbox)
        }
        fn apply(
            &mut self,
            by: &Author,
            outbox: &str,
            changes: &[(u64, Change)],
        ) -> Result<usize, SharedError> {
            self.judge(changes)?;
            self.tables.apply(by, outbox, changes)
        }
        fn news(
            &mut self,
            machine: &str,
            projects: &[SharedProject],
            cursor: &str,
            limit: usize,
        ) -> Result<store::shared::News, SharedError> {
            self.tables.news(machine, projects, cursor, limit)
        }
        fn search(
            &mut self,
            ask: &store::shared::SharedAsk,
        ) -> Result<Vec<store::shared::SharedHit>, SharedError> {
            Shared::search(&mut self.tables, ask)
        }
        fn memory(&mut self, id: MemoryId) -> Result<Option<store::shared::SharedMemory>, SharedError> {
            Shared::memory(&mut self.tables, id)
        }
        fn sessions(
            &mut self,
            project: &SharedProject,
            since: Millis,
        ) -> Result<Vec<(Author, store::shared::SharedSession)>, SharedError> {
            Shared::sessions(&mut self.tables, project, since)
        }
        fn claims(
            &mut self,
            project: &SharedProject,
            since: Millis,
        ) -> Result<Vec<(Author, store::shared::SharedClaim)>, SharedError> {
            Shared::claims(&mut self.tables, project, since)
        }
        fn messages(
            &mut self,
            to: &model::SessionId,
        ) -> Result<Vec<store::shared::SharedMessage>, SharedError> {
            Shared::messages(&mut self.tables, to)
        }
        fn prune(&mut self, before: Millis) -> Result<u64, SharedError> {
            self.tables.prune(before)
        }
        fn patterns(
            &mut self,
            project: &SharedProject,
            limit: usize,
        ) -> Result<Vec<store::shared::SharedPattern>, SharedError> {
            Shared::patterns(&mut self.tables, project, limit)
        }
    }

    #[test]
    fn what_is_never_taken_is_set_aside_and_what_is_not_taken_now_keeps_the_order() {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::open(&folder.path().join("team.db")).unwrap();
        let mut team = Picky { tables, is_away: true };
        let mut ana = machine(&folder.path().join("ana.db"));
        let filing = Filing { seq: 1, tokens: 1, fingerprint: 0 };
        for (number, text) in ["one", "unfit", "two", "away", "three"].into_iter().enumerate() {
            let id = MemoryId::from_u64(number as u64 + 1);
            let memory = Memory {
                project_key: Some("k".into()),
                ..Memory::new(id, MemoryKind::Note, NOON, text.into(), text.into())
            };
            ana.write(|batch| batch.put_memory(&memory, filing)).unwrap();
        }
        let redactor = Redactor::new(Settings::default()).unwrap();
        let places = Places::new("/srv/ana", "ana");
        let leaving = Leaving { redactor: &redactor, places: &places };
        let by = Author { user: "ana".into(), machine: "anas".into() };
        let away = ship(&mut ana, &mut team, &by, &leaving, NOON);
        assert!(matches!(away, Err(SharedError::Unreachable(_))), "{away:?}");
        let (aside, last) = ana.outbox_aside().unwrap();
        assert_eq!((aside, last.unwrap().why.as_str()), (1, "no such value (22021)"));
        let told = |team: &Picky| {
            let rows = team.tables.memories(&MemoryFilter::default()).unwrap();
            let mut titles: Vec<String> = rows.into_iter().map(|row| row.memory.title).collect();
            titles.sort();
            titles
        };
        assert_eq!(told(&team), ["ana: one", "ana: two"], "what is behind waits");
        team.is_away = false;
        catch_up(&mut ana, &mut team, &by).unwrap();
        assert_eq!(ship(&mut ana, &mut team, &by, &leaving, NOON).unwrap().new, 2);
        assert_eq!(told(&team), ["ana: away", "ana: one", "ana: three", "ana: two"]);
        assert_eq!((ana.count_outbox().unwrap(), ana.outbox_aside().unwrap().0), (0, 1));
    }
}
