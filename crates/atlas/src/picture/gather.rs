//! At most so many boxes: folders are taken together until they fit on a page.

use std::collections::BTreeMap;

use super::{Graph, Node};
use crate::answer::{Edge, Module};

/// More boxes than this nobody tells apart.
pub const MAX_MODULES: usize = 60;
/// What has no room of its own is drawn as one box of this name.
const OTHERS: &str = "…";

pub(super) fn gather(modules: &[Module], edges: &[Edge]) -> Graph {
    let names = names(modules);
    let mut nodes: Vec<Node> = Vec::new();
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    let mut home = Vec::with_capacity(modules.len());
    for (module, name) in modules.iter().zip(&names) {
        let at = *by_name.entry(name).or_insert_with(|| {
            nodes.push(Node { module: Module { name: name.clone(), ..Module::default() }, of: 0 });
            nodes.len() - 1
        });
        let node = &mut nodes[at];
        node.of += 1;
        node.module.files += module.files;
        node.module.lines += module.lines;
        node.module.symbols += module.symbols;
        home.push(at);
    }
    let mut weights: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for edge in edges {
        if let (Some(&from), Some(&to)) = (home.get(edge.from), home.get(edge.to))
            && from != to
        {
            *weights.entry((from, to)).or_default() += edge.count;
        }
    }
    let edges: Vec<Edge> = weights.into_iter().map(|((from, to), count)| Edge { from, to, count }).collect();
    let circles = circles(nodes.len(), &edges);
    for (node, circle) in nodes.iter_mut().zip(&circles) {
        node.module.circular = circles.iter().filter(|other| *other == circle).count() > 1;
    }
    Graph { nodes, edges }
}

/// The name each module is drawn under.
fn names(modules: &[Module]) -> Vec<String> {
    let own = |module: &Module| module.name.clone();
    if modules.len() <= MAX_MODULES {
        return modules.iter().map(own).collect();
    }
    // The deepest folders that still fit.
    let deepest = modules.iter().map(|module| depth(&module.name)).max().unwrap_or(0);
    for most in (1..deepest).rev() {
        let cut: Vec<String> = modules.iter().map(|module| first(&module.name, most).to_owned()).collect();
        let mut distinct: Vec<&String> = cut.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() <= MAX_MODULES {
            return cut;
        }
    }
    // Even the folders at the top are too many: the largest are drawn.
    let cut: Vec<String> = modules.iter().map(|module| first(&module.name, 1).to_owned()).collect();
    let mut lines: BTreeMap<&str, u64> = BTreeMap::new();
    for (module, name) in modules.iter().zip(&cut) {
        *lines.entry(name).or_default() += module.lines;
    }
    let mut largest: Vec<(&str, u64)> = lines.into_iter().collect();
    largest.sort_by_key(|(name, lines)| (std::cmp::Reverse(*lines), *name));
    let kept: Vec<String> =
        largest.iter().take(MAX_MODULES - 1).map(|(name, _)| (*name).to_owned()).collect();
    cut.into_iter().map(|name| if kept.contains(&name) { name } else { OTHERS.to_owned() }).collect()
}

fn depth(name: &str) -> usize {
    name.split('/').count()
}

/// So many folders of a path.
fn first(name: &str, folders: usize) -> &str {
    name.match_indices('/').nth(folders - 1).map_or(name, |(at, _)| &name[..at])
}

/// For each node the circle it is in: strongly connected components, numbered. Without recursion: a chain of a
/// thousand modules must not use up the stack.
fn circles(nodes: usize, edges: &[Edge]) -> Vec<usize> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for edge in edges {
        next[edge.from].push(edge.to);
        before[edge.to].push(edge.from);
    }
    // Kosaraju: the order of leaving, then backwards through it.
    let mut left = Vec::with_capacity(nodes);
    let mut seen = vec![false; nodes];
    for start in 0..nodes {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut stack = vec![(start, 0)];
        while let Some((node, at)) = stack.last_mut() {
            if let Some(&to) = next[*node].get(*at) {
                *at += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            } else {
                left.push(*node);
                stack.pop();
            }
        }
    }
    let mut circle = vec![usize::MAX; nodes];
    for (number, &start) in left.iter().rev().enumerate() {
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            if circle[node] == usize::MAX {
                circle[node] = number;
                stack.extend(before[node].iter().copied().filter(|&from| circle[from] == usize::MAX));
            }
        }
    }
    circle
}
