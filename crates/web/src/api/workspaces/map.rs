//! A picture of a workspace: its folders and files as far as agents touched them. Paths are text from strangers; they
//! are taken apart at slashes and never opened. Beyond a bound the deepest folders stand for what is in them.

use std::collections::BTreeMap;

use model::{Millis, SessionId, WorkspaceKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{ClaimFilter, ClaimRow, Touch};

use super::super::endpoint::{Asked, Given};
use super::super::reading::read;
use super::super::session::now;
use super::super::words::Name;
use crate::House;
use crate::problem::Problem;

/// What a picture can show.
const MAX_NODES: usize = 2000;
/// Folders within folders; deeper ones are one.
const MAX_DEPTH: u8 = 12;
/// Of those who touched a node, the last.
const MAX_SESSIONS: usize = 8;
/// Claims of one workspace; more are nobody's work.
const MAX_CLAIMS: usize = 1000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    key: Name,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// Touched at or after this time, in Unix milliseconds.
    #[serde(default)]
    since: Millis,
    /// Folders within folders.
    #[schemars(range(min = 1, max = 12))]
    depth: Option<u8>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Map {
    root: String,
    project: Option<String>,
    /// Folders before what is in them.
    nodes: Vec<Node>,
    /// How deep it goes: less than asked for where there is too much to show.
    depth: u8,
    /// Whether something is left out even so.
    cut: bool,
    /// Files outside of the workspace, which are not shown.
    outside: u64,
}

/// A file, or a folder with all that is in it.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Node {
    /// From the root of the workspace on.
    path: String,
    folder: bool,
    /// Memories that say it was read, and changed.
    reads: u64,
    edits: u64,
    /// Who touched it, the last first.
    sessions: Vec<String>,
    last_at: Millis,
    /// Files that are held now.
    live_claims: u64,
}

pub(super) fn map(house: &dyn House, asked: Asked<Which, Wanted>) -> Result<Given<Map>, Problem> {
    let key = WorkspaceKey::from_hex(asked.path.key.into_text());
    let Wanted { since, depth } = asked.query;
    if depth.is_some_and(|depth| !(1..=MAX_DEPTH).contains(&depth)) {
        return Err(Problem::refused("this depth is not shown", format!("depth is 1 to {MAX_DEPTH}")));
    }
    let found = read(house, |tables| {
        let Some(workspace) = tables.workspace(&key)? else { return Ok(None) };
        let filter = ClaimFilter {
            below: Some(&workspace.root),
            since: now().saturating_sub(engine::CLAIM_LEASE),
            limit: MAX_CLAIMS,
            ..ClaimFilter::default()
        };
        let claims = tables.claims(&filter)?;
        Ok(Some((tables.touches(&key, since)?, claims, workspace)))
    })?;
    let (touches, claims, workspace) =
        found.ok_or(Problem::not_found("no workspace has this key", "GET /api/v1/workspaces lists them"))?;
    let (leaves, outside) = leaves(&workspace.root, touches, claims);
    let (nodes, depth, cut) = shown(leaves, depth.unwrap_or(MAX_DEPTH));
    Ok(Map { root: workspace.root, project: workspace.project, nodes, depth, cut, outside }.into())
}

/// What is known of one file.
#[derive(Debug, Default, Clone)]
struct Leaf {
    reads: u64,
    edits: u64,
    /// With the last time each touched it.
    sessions: BTreeMap<SessionId, Millis>,
    last_at: Millis,
    live_claims: u64,
}

impl Leaf {
    fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.edits += other.edits;
        self.live_claims += other.live_claims;
        self.last_at = self.last_at.max(other.last_at);
        for (session, at) in &other.sessions {
            let last = self.sessions.entry(session.clone()).or_default();
            *last = (*last).max(*at);
        }
    }
}

/// Files by their path from the root on, and how many others there were.
fn leaves(root: &str, touches: Vec<Touch>, claims: Vec<ClaimRow>) -> (BTreeMap<Vec<String>, Leaf>, u64) {
    let mut leaves: BTreeMap<Vec<String>, Leaf> = BTreeMap::new();
    let mut outside = 0;
    for touch in touches {
        let Some(path) = inside(root, &touch.path) else {
            outside += 1;
            continue;
        };
        let leaf = Leaf {
            reads: u64::from(!touch.modified),
            edits: u64::from(touch.modified),
            sessions: touch.session.into_iter().map(|session| (session, touch.at)).collect(),
            last_at: touch.at,
            live_claims: 0,
        };
        leaves.entry(path).or_default().add(&leaf);
    }
    for claim in claims {
        let Some(path) = inside(root, &claim.path) else { continue };
        let leaf = Leaf {
            sessions: BTreeMap::from([(claim.session, claim.last_at)]),
            last_at: claim.last_at,
            live_claims: 1,
            ..Leaf::default()
        };
        leaves.entry(path).or_default().add(&leaf);
    }
    (leaves, outside)
}

/// The parts of a path from the root on. `None`: it lies elsewhere, or leads there.
fn inside(root: &str, path: &str) -> Option<Vec<String>> {
    let root = root.trim_end_matches('/');
    let within = match path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')) {
        Some(within) => within,
        None if path.starts_with('/') => return None,
        None => path,
    };
    let parts: Vec<String> =
        within.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect();
    (!parts.is_empty() && parts.iter().all(|part| part != "..")).then_some(parts)
}

/// As deep as there is room for; if even the first level is too much, what was touched last.
fn shown(leaves: BTreeMap<Vec<String>, Leaf>, deepest: u8) -> (Vec<Node>, u8, bool) {
    let mut depth = deepest;
    let mut nodes = gathered(&leaves, depth);
    while nodes.len() > MAX_NODES && depth > 1 {
        depth -= 1;
        nodes = gathered(&leaves, depth);
    }
    let cut = nodes.len() > MAX_NODES;
    if cut {
        let mut newest: Vec<(Vec<String>, (bool, Leaf))> = nodes.into_iter().collect();
        newest.sort_unstable_by_key(|(_, (_, leaf))| std::cmp::Reverse(leaf.last_at));
        newest.truncate(MAX_NODES);
        nodes = newest.into_iter().collect();
    }
    (nodes.into_iter().map(|(path, (folder, leaf))| node(&path, folder, leaf)).collect(), depth, cut)
}

/// Every file and folder down to this depth; a folder counts all that is in it.
fn gathered(leaves: &BTreeMap<Vec<String>, Leaf>, depth: u8) -> BTreeMap<Vec<String>, (bool, Leaf)> {
    let mut nodes: BTreeMap<Vec<String>, (bool, Leaf)> = BTreeMap::new();
    for (path, leaf) in leaves {
        for length in 1..=path.len().min(usize::from(depth)) {
            let node = nodes.entry(path[..length].to_vec()).or_default();
            node.0 |= length < path.len();
            node.1.add(leaf);
        }
    }
    nodes
}

fn node(path: &[String], folder: bool, leaf: Leaf) -> Node {
    let mut sessions: Vec<(SessionId, Millis)> = leaf.sessions.into_iter().collect();
    sessions.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
    Node {
        path: path.join("/"),
        folder,
        reads: leaf.reads,
        edits: leaf.edits,
        sessions: sessions.into_iter().take(MAX_SESSIONS).map(|(id, _)| id.as_str().to_owned()).collect(),
        last_at: leaf.last_at,
        live_claims: leaf.live_claims,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &str, modified: bool, session: &str, at: Millis) -> Touch {
        Touch { path: path.to_owned(), modified, session: Some(SessionId::new(session)), at }
    }

    #[test]
    fn folders_count_what_is_in_them_and_name_the_last_first() {
        let touches = vec![
            touch("src/a.rs", true, "one", 5),
            touch("/w/src/a.rs", false, "two", 9),
            touch("src/b.rs", false, "one", 7),
        ];
        let (leaves, outside) = leaves("/w", touches, Vec::new());
        assert_eq!(outside, 0);
        let (nodes, _, cut) = shown(leaves, MAX_DEPTH);
        let seen: Vec<_> = nodes.iter().map(|node| (node.path.as_str(), node.reads, node.edits)).collect();
        assert_eq!(seen, [("src", 2, 1), ("src/a.rs", 1, 1), ("src/b.rs", 1, 0)]);
        assert_eq!(nodes[0].sessions, ["two", "one"]);
        assert!(nodes[0].folder && !nodes[1].folder && !cut);
    }

    #[test]
    fn paths_that_lead_elsewhere_are_not_on_the_map_and_strange_ones_are_text() {
        for path in ["/etc/passwd", "../x", "a/../../x", "", "/", "./", "/ww/x"] {
            assert_eq!(inside("/w", path), None, "{path}");
        }
        assert_eq!(
            inside("/w/", "<img src=x>/\u{202e}b"),
            Some(vec!["<img src=x>".into(), "\u{202e}b".into()])
        );
    }

    #[test]
    fn what_is_too_much_stands_behind_its_folder() {
        let touches = (0..5000).map(|at| touch(&format!("d{}/f{at}", at % 7), false, "s", at)).collect();
        let (leaves, _) = leaves("/w", touches, Vec::new());
        let (nodes, depth, cut) = shown(leaves, MAX_DEPTH);
        assert_eq!((nodes.len(), depth, cut), (7, 1, false));
        assert_eq!(nodes.iter().map(|node| node.reads).sum::<u64>(), 5000);
    }
}
