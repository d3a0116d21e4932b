//! Which folder or file uses which: imports that lead to files of the workspace, counted.

use std::collections::{BTreeMap, HashMap};

use super::Map;
use crate::answer::{Answer, Edge, Module};
use crate::library::{FileId, folder_of};

/// Folders that are told apart where nobody said.
const DEPTH: usize = 2;
/// Nodes of one answer; the rest is together in one of its folder.
const MAX_MODULES: usize = 2000;

pub(super) fn deps(map: &Map<'_>, under: Option<&str>, files: bool, depth: Option<usize>) -> Answer {
    let under = under.and_then(|path| map.atlas.relative(path)).unwrap_or_default().trim_end_matches('/');
    let depth = depth.unwrap_or(DEPTH).max(1);
    let node_of = |path: &str| -> Option<String> {
        let inside = if under.is_empty() { path } else { path.strip_prefix(under)?.strip_prefix('/')? };
        if files {
            return Some(inside.to_owned());
        }
        let folder = folder_of(inside);
        let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).take(depth).collect();
        Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
    };
    let mut nodes: BTreeMap<String, Module> = BTreeMap::new();
    let mut links: HashMap<(String, String), usize> = HashMap::new();
    for file in map.library.files() {
        let Some(leaf) = map.library.leaf(file).filter(|leaf| !leaf.language.is_outline_only()) else {
            continue;
        };
        let Some(node) = node_of(&leaf.path) else { continue };
        if nodes.len() >= MAX_MODULES && !nodes.contains_key(&node) {
            continue;
        }
        let facts = leaf.facts();
        let module =
            nodes.entry(node.clone()).or_insert_with(|| Module { name: node.clone(), ..Module::default() });
        module.files += 1;
        module.lines += u64::from(facts.lines);
        module.symbols += facts.symbols.len();
        for to in imported(map, file) {
            let Some(to) = node_of(map.library.path(to)).filter(|to| *to != node) else { continue };
            *links.entry((node.clone(), to)).or_default() += 1;
        }
    }
    let mut modules: Vec<Module> = nodes.into_values().collect();
    let index: HashMap<String, usize> =
        modules.iter().enumerate().map(|(at, module)| (module.name.clone(), at)).collect();
    let mut edges: Vec<Edge> = links
        .into_iter()
        .filter_map(|((from, to), count)| {
            Some(Edge { from: *index.get(&from)?, to: *index.get(&to)?, count })
        })
        .collect();
    edges.sort_by_key(|edge| (edge.from, edge.to));
    for at in circles(modules.len(), &edges) {
        modules[at].circular = true;
    }
    Answer::Deps { modules, edges }
}

/// The files a file imports, each once for every import of it.
fn imported(map: &Map<'_>, file: FileId) -> Vec<FileId> {
    let Some(facts) = map.library.facts(file) else { return Vec::new() };
    let mut found = Vec::new();
    for import in &facts.imports {
        // A package of many files is one thing: its first file stands for it.
        found.extend(map.resolver.import_files(file, import).into_iter().take(1).filter(|to| *to != file));
    }
    // Modules a file declares are parts of it (Rust's `mod`): they are not what it uses.
    found
}

/// Nodes that are in a circle: components of more than one node, found without recursion.
fn circles(count: usize, edges: &[Edge]) -> Vec<usize> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    for edge in edges {
        out[edge.from].push(edge.to);
    }
    const NEW: usize = usize::MAX;
    let (mut index, mut low) = (vec![NEW; count], vec![0; count]);
    let (mut on, mut stack, mut next) = (vec![false; count], Vec::new(), 0);
    let mut circular = Vec::new();
    for start in 0..count {
        if index[start] != NEW {
            continue;
        }
        let mut open = vec![(start, 0)];
        while let Some((at, child)) = open.pop() {
            if child == 0 {
                (index[at], low[at]) = (next, next);
                next += 1;
                stack.push(at);
                on[at] = true;
            }
            if let Some(to) = out[at].get(child).copied() {
                open.push((at, child + 1));
                if index[to] == NEW {
                    open.push((to, 0));
                } else if on[to] {
                    low[at] = low[at].min(index[to]);
                }
                continue;
            }
            if let Some((above, _)) = open.last() {
                low[*above] = low[*above].min(low[at]);
            }
            if low[at] == index[at] {
                // A component is on top of the stack; from below, a long chain would be walked once for each of its nodes.
                let from = stack.iter().rposition(|node| *node == at).unwrap_or(0);
                let component = stack.split_off(from);
                for node in &component {
                    on[*node] = false;
                }
                if component.len() > 1 {
                    circular.extend(component);
                }
            }
        }
    }
    circular.sort_unstable();
    circular
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_circle_is_found_and_nothing_else() {
        let edge = |from, to| Edge { from, to, count: 1 };
        let edges = [edge(0, 1), edge(1, 2), edge(2, 0), edge(2, 3), edge(3, 4), edge(5, 5)];
        assert_eq!(circles(6, &edges), [0, 1, 2]);
        assert!(circles(3, &[edge(0, 1), edge(1, 2), edge(0, 2)]).is_empty());
        let long: Vec<Edge> = (0..100_000).map(|at| edge(at, at + 1)).collect();
        assert!(circles(100_001, &long).is_empty(), "deep graphs need no deep stack");
    }
}
