//! Which project of this machine is which one of the team's. An event brings its repository's first commit along when it
//! is known by then; a session whose first event is its only one would be told to nobody. So git is asked here, too, where
//! nobody waits: of each project once, and again after a while, since a first commit may be made later.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use store::{Nameless, StoreError, Tables};

use crate::bell::Bell;
use crate::workspace::project_of;

/// A folder without an answer is asked again after this.
const ASK_AGAIN: Duration = Duration::from_mins(5);
/// Questions in one look: git takes milliseconds, and seconds on a disk that does not answer.
const MAX_QUESTIONS: usize = 8;
/// Projects on one machine; past it everybody is asked anew.
const MAX_ASKED: usize = 1024;

/// When which project was asked for, by its key.
#[derive(Debug, Default)]
pub(super) struct Naming {
    asked: HashMap<String, Instant>,
}

impl Naming {
    /// Files the first commits that can be found out by now. Runs git.
    pub(super) fn look(&mut self, tables: &mut Tables, bell: &Bell) -> Result<(), StoreError> {
        let is_due = |project: &Nameless| {
            self.asked.get(&project.key).is_none_or(|asked| asked.elapsed() >= ASK_AGAIN)
        };
        let due: Vec<Nameless> = tables.nameless_projects()?.into_iter().filter(is_due).collect();
        for project in due.into_iter().take(MAX_QUESTIONS) {
            if bell.is_closed() {
                return Ok(());
            }
            if self.asked.len() >= MAX_ASKED {
                self.asked.clear();
            }
            self.asked.insert(project.key.clone(), Instant::now());
            let found = project_of(Path::new(&project.root));
            // Another repository may lie there by now.
            if found.common_dir_key == project.key
                && let Some(commit) = &found.first_commit
            {
                tables.write(|batch| batch.upsert_project(&project.key, &project.name, Some(commit)))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use engine::deeds::Done;
    use model::{Deed, Memory, MemoryId, MemoryKind, SessionId, WorkspaceKey};
    use store::SessionTouch;
    use store::shared::SharedProject;

    use super::*;

    fn git(folder: &Path, args: &[&str]) {
        let who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
        let done = Command::new("git").current_dir(folder).args(who).args(args).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    #[test]
    fn a_session_whose_first_event_is_its_only_one_waits_to_be_told() {
        let folder = tempfile::tempdir().unwrap();
        let (shop, plain) = (folder.path().join("shop"), folder.path().join("plain"));
        for place in [&shop, &plain] {
            std::fs::create_dir_all(place).unwrap();
        }
        git(&shop, &["init", "-q"]);
        git(&shop, &["commit", "-q", "--allow-empty", "-m", "first"]);
        let commit = project_of(&shop).first_commit.unwrap();
        let mut tables = Tables::open(&folder.path().join("t.db")).unwrap();
        tables
            .write(|batch| {
                batch.share_projects("ana", &[SharedProject(commit.clone())])?;
                for (place, key) in [(&shop, "w1"), (&plain, "w2"), (&shop, "w3")] {
                    let workspace = WorkspaceKey::from_hex(key.into());
                    let found = crate::workspace::resolve(place);
                    // The last one lay there before somebody put another repository in its place.
                    let project_key = if key == "w3" { "gone".to_owned() } else { found.project_key };
                    batch.upsert_workspace(&workspace, &found.root, None, 1)?;
                    batch.upsert_project(&project_key, &found.project, None)?;
                    batch.place_workspace(&workspace, &project_key)?;
                    batch.touch_session(&SessionTouch {
                        workspace: Some(workspace),
                        ..SessionTouch::new(SessionId::new(&format!("session in {key}")), "claude-code", 1)
                    })?;
                }
                Ok(())
            })
            .unwrap();
        assert_eq!(tables.count_outbox().unwrap(), 0);
        let (mut naming, bell) = (Naming::default(), Bell::default());
        naming.look(&mut tables, &bell).unwrap();
        let waiting = tables.outbox(10, 1).unwrap();
        assert_eq!(waiting.len(), 1, "{waiting:?}");
        assert_eq!(waiting[0].project.0, commit);
        assert_eq!(tables.nameless_projects().unwrap().len(), 2);
        assert_eq!(naming.asked.len(), 3, "each was asked once");
    }
    #[test]
    fn what_was_said_where_no_session_ever_was_waits_once_somebody_says_where_that_is() {
        let folder = tempfile::tempdir().unwrap();
        let shop = folder.path().join("shop");
        std::fs::create_dir_all(&shop).unwrap();
        git(&shop, &["init", "-q"]);
        git(&shop, &["commit", "-q", "--allow-empty", "-m", "first"]);
        let found = crate::workspace::resolve(&shop);
        let note = |number: u64| Deed::Remember {
            memory: Box::new(Memory {
                workspace: Some(found.key.clone()),
                project_key: Some(found.project_key.clone()),
                ..Memory::new(
                    MemoryId::from_u64(number),
                    MemoryKind::Note,
                    1,
                    format!("note {number}"),
                    "x".into(),
                )
            }),
        };
        let place = Deed::Place {
            workspace: found.key.clone(),
            root: found.root.clone(),
            project: found.project.clone(),
            project_key: found.project_key.clone(),
        };
        let mut tables = Tables::open(&folder.path().join("t.db")).unwrap();
        let commit = project_of(&shop).first_commit.unwrap();
        let learn = |tables: &mut Tables, deed: &Deed| {
            let done = Done { id: client::mint(), at: 1 };
            let learned = tables.write(|batch| {
                engine::deeds::learn(batch, done, deed).unwrap();
                Ok(())
            });
            learned.unwrap();
        };
        let (mut naming, bell) = (Naming::default(), Bell::default());
        learn(&mut tables, &note(1));
        tables.write(|batch| batch.share_projects("ana", &[SharedProject(commit)])).unwrap();
        naming.look(&mut tables, &bell).unwrap();
        assert_eq!(tables.count_outbox().unwrap(), 0, "nobody knows where it was said");
        // `team share` says it, and so does every note from then on.
        learn(&mut tables, &place);
        naming.look(&mut tables, &bell).unwrap();
        assert_eq!(tables.count_outbox().unwrap(), 1, "what was kept before waits");
        learn(&mut tables, &note(2));
        assert_eq!(tables.count_outbox().unwrap(), 2);
    }
}
