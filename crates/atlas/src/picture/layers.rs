//! Which row a box is in: who uses stands above what is used. Circles are broken where that turns the least weight.

use super::Graph;

/// The row of each node, counted from the bottom, and the edges as they run downwards.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layers {
    pub(super) row: Vec<usize>,
    pub(super) rows: usize,
    /// From above to below: (upper, lower, edge).
    pub(super) down: Vec<(usize, usize, usize)>,
}

pub(super) fn layers(graph: &Graph) -> Layers {
    let nodes = graph.nodes.len();
    let rank = feed(graph);
    let down: Vec<(usize, usize, usize)> = graph
        .edges
        .iter()
        .enumerate()
        .map(|(at, edge)| {
            let (from, to) = (edge.from, edge.to);
            if rank[from] < rank[to] { (from, to, at) } else { (to, from, at) }
        })
        .collect();
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for &(upper, lower, _) in &down {
        below[upper].push(lower);
    }
    // From what uses nothing upwards; a row that is full pushes the next one up.
    let widest = widest(nodes);
    let mut by_rank: Vec<usize> = (0..nodes).collect();
    by_rank.sort_by_key(|&node| std::cmp::Reverse(rank[node]));
    let mut row = vec![0; nodes];
    let mut used: Vec<usize> = Vec::new();
    for node in by_rank {
        let mut at = below[node].iter().map(|&lower| row[lower] + 1).max().unwrap_or(0);
        while used.get(at).is_some_and(|count| *count >= widest) {
            at += 1;
        }
        if used.len() <= at {
            used.resize(at + 1, 0);
        }
        used[at] += 1;
        row[node] = at;
    }
    Layers { row, rows: used.len(), down }
}

/// Boxes side by side: a page is wider than high, and boxes are, too.
fn widest(nodes: usize) -> usize {
    ((nodes as f64).sqrt() * 1.2).ceil().max(4.0) as usize
}

/// An order in which few edges run backwards: what only uses comes first, what is only used last, and between them
/// whoever gives most more than it takes (Eades, Lin and Smyth 1993).
fn feed(graph: &Graph) -> Vec<usize> {
    let nodes = graph.nodes.len();
    let mut rank = vec![0; nodes];
    let mut waits = vec![true; nodes];
    let (mut first, mut last) = (0, nodes);
    let weight = |node: usize, waits: &[bool]| {
        let (mut out, mut into) = (0, 0);
        for edge in &graph.edges {
            if edge.from == node && waits[edge.to] {
                out += edge.count.max(1);
            } else if edge.to == node && waits[edge.from] {
                into += edge.count.max(1);
            }
        }
        (out, into)
    };
    while first < last {
        let weights: Vec<(usize, usize, usize)> = (0..nodes)
            .filter(|&node| waits[node])
            .map(|node| {
                let (out, into) = weight(node, &waits);
                (node, out, into)
            })
            .collect();
        let sink = weights.iter().rev().find(|(_, out, _)| *out == 0);
        let source = weights.iter().find(|(_, _, into)| *into == 0);
        let node = if let Some(&(node, ..)) = sink {
            last -= 1;
            rank[node] = last;
            node
        } else {
            let giver = source.or_else(|| {
                weights
                    .iter()
                    .max_by_key(|(node, out, into)| (*out as i64 - *into as i64, std::cmp::Reverse(*node)))
            });
            let Some(&(node, ..)) = giver else { break };
            rank[node] = first;
            first += 1;
            node
        };
        waits[node] = false;
    }
    rank
}
