//! What is known of sessions whose work is checked: the workspace they began in, and where their programs are. A session
//! has one workspace of its own; wherever it goes, only that is checked, or a work tree of the same repository.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use engine::Step;
use model::SessionId;

use crate::workspace;

/// Sessions that are known; the ones longest ago are known anew by their next event.
const MAX_SESSIONS: usize = 256;

/// What the environment of a session says. Used and not kept.
#[derive(Debug, Default)]
pub(crate) struct Around {
    pub(crate) path: Option<String>,
    /// Where its agent's own files are.
    pub(crate) config: Option<String>,
}

/// The workspace that is a session's own, and where to look.
#[derive(Debug)]
pub(super) struct Own {
    /// A real path.
    pub(super) root: PathBuf,
    pub(super) path: OsString,
    /// The files that Claude Code's word about it may be in.
    pub(super) claude: Vec<PathBuf>,
}

#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<HashMap<SessionId, Session>>);

#[derive(Debug)]
struct Session {
    /// The folder its agent names, and the workspace that is; of one that names none, the workspace it was first seen in.
    began: Option<(Option<PathBuf>, PathBuf)>,
    path: Option<OsString>,
    config: Option<OsString>,
    used_at: Instant,
}

impl Sessions {
    pub(super) fn heard(&self, session: &SessionId, around: &Around) {
        if around.path.is_none() && around.config.is_none() {
            return;
        }
        self.with(session, |session| {
            // A session may change it: a virtual environment is entered, a folder with another one of direnv's.
            session.path = around.path.as_ref().map(OsString::from).or_else(|| session.path.take());
            session.config = around.config.as_ref().map(OsString::from);
        });
    }

    pub(super) fn own(&self, step: &Step) -> Own {
        self.with(&step.session, |session| {
            let project = step.project.as_ref().filter(|project| project.is_absolute());
            let root = match &session.began {
                Some((named, root)) if project.is_none() || named.as_ref() == project => root.clone(),
                _ => {
                    let root = project.map_or_else(|| step.root.clone(), |project| root_of(project));
                    session.began = Some((project.cloned(), root.clone()));
                    root
                }
            };
            let variable = |name: &str| std::env::var_os(name);
            let named = [session.config.clone(), variable(wire::CONFIG_FOLDER)];
            Own {
                root: if is_work_tree_of(&step.root, &root) { step.root.clone() } else { root },
                path: session.path.clone().or_else(|| variable(wire::PATH)).unwrap_or_default(),
                claude: checks::claude_files(variable("HOME"), named.into_iter().flatten()),
            }
        })
    }

    fn with<T>(&self, session: &SessionId, ask: impl FnOnce(&mut Session) -> T) -> T {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !sessions.contains_key(session) && sessions.len() >= MAX_SESSIONS {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.used_at);
            if let Some(oldest) = oldest.map(|(session, _)| session.clone()) {
                sessions.remove(&oldest);
            }
        }
        let new = || Session { began: None, path: None, config: None, used_at: Instant::now() };
        let known = sessions.entry(session.clone()).or_insert_with(new);
        known.used_at = Instant::now();
        ask(known)
    }
}

fn root_of(folder: &Path) -> PathBuf {
    PathBuf::from(workspace::resolve(folder).root)
}

/// Whether both are work trees of one repository, which names them.
fn is_work_tree_of(one: &Path, other: &Path) -> bool {
    if one == other {
        return true;
    }
    let main = |root: &Path| checks::main_work_tree(root);
    match (main(one), main(other)) {
        (Some(one), Some(other)) => one == other,
        (Some(main), None) => main == other,
        (None, Some(main)) => main == one,
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use engine::Act;

    use super::*;

    fn step(root: &Path, project: Option<&Path>) -> Step {
        let (root, project) = (root.to_owned(), project.map(Path::to_owned));
        Step { session: SessionId::new("s"), subagent: None, root, project, call: None, act: Act::Pass }
    }

    #[test]
    fn a_session_has_the_workspace_it_began_in_wherever_it_goes() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let (one, other, inner) = (top.join("one"), top.join("other"), top.join("one/inner"));
        for folder in [&one, &other, &inner] {
            std::fs::create_dir_all(folder.join(".git")).unwrap();
        }
        let named = Sessions::default();
        assert_eq!(named.own(&step(&other, Some(&one))).root, one);
        assert_eq!(named.own(&step(&inner, Some(&one))).root, one);
        let unnamed = Sessions::default();
        assert_eq!(unnamed.own(&step(&one, None)).root, one);
        assert_eq!(unnamed.own(&step(&other, None)).root, one);
    }

    #[test]
    fn a_session_has_the_path_it_told_and_keeps_it() {
        let sessions = Sessions::default();
        let (root, session) = (Path::new("/w"), SessionId::new("s"));
        assert_eq!(Some(sessions.own(&step(root, None)).path), std::env::var_os("PATH"));
        sessions.heard(&session, &Around { path: Some("/a:/b".into()), config: Some("/none/c".into()) });
        let own = sessions.own(&step(root, None));
        assert_eq!(own.path, "/a:/b");
        assert_eq!(own.claude[0], Path::new("/none/c/.claude.json"));
        sessions.heard(&session, &Around::default());
        assert_eq!(sessions.own(&step(root, None)).path, "/a:/b");
    }
}
