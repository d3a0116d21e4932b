//! Where everything stands, in the unit of a picture's points.

use super::order::{Order, Stop};
use super::{Box, Drawing, Graph, Line};
use crate::answer::Edge;

/// A letter of the label is about this wide, at its size.
const LETTER: f64 = 7.4;
const MIN_WIDTH: f64 = 92.0;
const MAX_WIDTH: f64 = 230.0;
/// The smallest box holds two lines of text; the one with the most lines of code is this much higher.
const MIN_HEIGHT: f64 = 42.0;
const GROWTH: f64 = 54.0;
const GAP: f64 = 22.0;
/// A line that passes needs less room than a box.
const WAY_WIDTH: f64 = 6.0;
const ROW_GAP: f64 = 56.0;
const MARGIN: f64 = 24.0;
/// Between two lines that pass side by side.
const WAY_GAP: f64 = 8.0;
/// The part of a box's side that lines may end at, and how far apart they are at most.
const PORTS: f64 = 0.8;
const MAX_PORT_GAP: f64 = 22.0;
/// Rounds in which boxes move towards their neighbors.
const ROUNDS: usize = 16;

pub(super) fn place(graph: Graph, order: &Order) -> Drawing {
    let sizes: Vec<(f64, f64)> = sizes(&graph, order);
    let xs = across(order, &sizes);
    let (ys, height) = down(order, &sizes);
    let mut boxes = Vec::with_capacity(graph.nodes.len());
    for (at, node) in graph.nodes.into_iter().enumerate() {
        let (width, high) = sizes[at];
        let (x, y) = (round(xs[at] - width / 2.0), round(ys[at] - high / 2.0));
        boxes.push(Box { module: node.module, of: node.of, x, y, width, height: high });
    }
    let ports = ports(order, &sizes, &xs);
    let bands = bands(order, &sizes, &ys);
    let mut lines = Vec::with_capacity(graph.edges.len());
    for (at, (edge, (way, upwards))) in graph.edges.iter().zip(&order.ways).enumerate() {
        let mut points = Vec::with_capacity(2 * way.len());
        for (step, &stop) in way.iter().enumerate() {
            let half = sizes[stop].1 / 2.0;
            if step == 0 {
                points.push((round(ports[at].0), round(ys[stop] + half)));
            } else if step + 1 == way.len() {
                points.push((round(ports[at].1), round(ys[stop] - half)));
            } else {
                // Straight past the boxes of a row: it bends only where none are.
                points.push((round(xs[stop]), round(ys[stop] - bands[stop])));
                points.push((round(xs[stop]), round(ys[stop] + bands[stop])));
            }
        }
        if *upwards {
            points.reverse();
        }
        let circular = reaches(&graph.edges, None, edge.to, edge.from, boxes.len());
        let implied = !circular && reaches(&graph.edges, Some(at), edge.from, edge.to, boxes.len());
        lines.push(Line { from: edge.from, to: edge.to, count: edge.count, circular, implied, points });
    }
    let across = boxes.iter().map(|one| one.x + one.width);
    let right = across.chain(lines.iter().flat_map(|line| line.points.iter().map(|point| point.0)));
    let width = round(right.fold(0.0, f64::max) + MARGIN);
    Drawing { width, height: round(height), boxes, lines }
}

/// Where each line leaves its upper box and arrives at its lower one: side by side, in the order of where they go.
fn ports(order: &Order, sizes: &[(f64, f64)], xs: &[f64]) -> Vec<(f64, f64)> {
    let mut ports = vec![(0.0, 0.0); order.ways.len()];
    let mut leaving: Vec<Vec<(f64, usize)>> = vec![Vec::new(); order.stops.len()];
    let mut arriving = leaving.clone();
    for (edge, (way, _)) in order.ways.iter().enumerate() {
        if let ([upper, next, ..], [.., before, lower]) = (way.as_slice(), way.as_slice()) {
            leaving[*upper].push((xs[*next], edge));
            arriving[*lower].push((xs[*before], edge));
        }
    }
    for (ends, is_upper) in [(&mut leaving, true), (&mut arriving, false)] {
        for (stop, of_it) in ends.iter_mut().enumerate() {
            of_it.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let room = sizes[stop].0 * PORTS;
            let step = (room / of_it.len().max(1) as f64).min(MAX_PORT_GAP);
            let first = xs[stop] - step * (of_it.len().saturating_sub(1)) as f64 / 2.0;
            for (at, (_, edge)) in of_it.iter().enumerate() {
                let x = first + step * at as f64;
                if is_upper { ports[*edge].0 = x } else { ports[*edge].1 = x }
            }
        }
    }
    ports
}

/// Half of the height of each stop's row.
fn bands(order: &Order, sizes: &[(f64, f64)], ys: &[f64]) -> Vec<f64> {
    let mut bands = vec![0.0; ys.len()];
    for row in &order.rows {
        let high = row.iter().map(|&stop| sizes[stop].1).fold(0.0, f64::max);
        for &stop in row {
            bands[stop] = high / 2.0;
        }
    }
    bands
}

fn sizes(graph: &Graph, order: &Order) -> Vec<(f64, f64)> {
    let most = graph.nodes.iter().map(|node| node.module.lines).max().unwrap_or(0).max(1) as f64;
    let size = |stop: &Stop| match *stop {
        Stop::Way(_) => (WAY_WIDTH, 0.0),
        Stop::Box(node) => {
            let module = &graph.nodes[node].module;
            let label = super::svg::label(&module.name).chars().count();
            let below = super::svg::about(module).chars().count();
            let text = (label as f64 * LETTER).max(below as f64 * LETTER * 0.8);
            let share = (module.lines as f64 / most).sqrt();
            (
                round((text + 24.0).clamp(MIN_WIDTH, MAX_WIDTH) + share * 30.0),
                round(MIN_HEIGHT + share * GROWTH),
            )
        }
    };
    order.stops.iter().map(size).collect()
}

/// The middle of each stop: side by side first, then towards the middle of their neighbors as far as there is room.
fn across(order: &Order, sizes: &[(f64, f64)]) -> Vec<f64> {
    let mut xs = vec![0.0; order.stops.len()];
    for row in &order.rows {
        let mut x = 0.0;
        for &stop in row {
            xs[stop] = x + sizes[stop].0 / 2.0;
            x += sizes[stop].0 + GAP;
        }
        // Rows are centered on each other to begin with.
        for &stop in row {
            xs[stop] -= x / 2.0;
        }
    }
    let mut neighbors: Vec<Vec<usize>> = vec![Vec::new(); xs.len()];
    for (way, _) in &order.ways {
        for pair in way.windows(2) {
            neighbors[pair[0]].push(pair[1]);
            neighbors[pair[1]].push(pair[0]);
        }
    }
    for round in 0..ROUNDS {
        let rows: std::boxed::Box<dyn Iterator<Item = &Vec<usize>>> = if round % 2 == 0 {
            std::boxed::Box::new(order.rows.iter())
        } else {
            std::boxed::Box::new(order.rows.iter().rev())
        };
        for row in rows {
            let wanted: Vec<f64> = row
                .iter()
                .map(|&stop| {
                    let of = &neighbors[stop];
                    if of.is_empty() {
                        xs[stop]
                    } else {
                        of.iter().map(|&one| xs[one]).sum::<f64>() / of.len() as f64
                    }
                })
                .collect();
            settle(row, &wanted, sizes, &order.stops, &mut xs);
        }
    }
    let left = (0..xs.len()).map(|stop| xs[stop] - sizes[stop].0 / 2.0).fold(f64::INFINITY, f64::min);
    if left.is_finite() {
        for x in &mut xs {
            *x += MARGIN - left;
        }
    }
    xs
}

/// The places nearest to those wanted that keep the order and the gaps: neighbors that would overlap move as one block
/// to the mean of what they want.
fn settle(row: &[usize], wanted: &[f64], sizes: &[(f64, f64)], stops: &[Stop], xs: &mut [f64]) {
    struct Block {
        from: usize,
        /// Sum and count of where the first of the block should be.
        sum: f64,
        count: f64,
    }
    let mut offset = vec![0.0; row.len()];
    for at in 1..row.len() {
        let (left, right) = (row[at - 1], row[at]);
        let both_pass = [left, right].iter().all(|&stop| matches!(stops[stop], Stop::Way(_)));
        let gap = if both_pass { WAY_GAP } else { GAP };
        offset[at] = offset[at - 1] + f64::midpoint(sizes[left].0, sizes[right].0) + gap;
    }
    let mut blocks: Vec<Block> = Vec::new();
    for at in 0..row.len() {
        blocks.push(Block { from: at, sum: wanted[at] - offset[at], count: 1.0 });
        while let [.., before, last] = blocks.as_mut_slice() {
            if before.sum / before.count <= last.sum / last.count {
                break;
            }
            before.sum += last.sum;
            before.count += last.count;
            blocks.pop();
        }
    }
    for (number, block) in blocks.iter().enumerate() {
        let end = blocks.get(number + 1).map_or(row.len(), |next| next.from);
        for at in block.from..end {
            xs[row[at]] = block.sum / block.count + offset[at];
        }
    }
}

/// The middle of each stop's row, and the height of all.
fn down(order: &Order, sizes: &[(f64, f64)]) -> (Vec<f64>, f64) {
    let mut ys = vec![0.0; order.stops.len()];
    let mut y = MARGIN;
    for row in &order.rows {
        let high = row.iter().map(|&stop| sizes[stop].1).fold(0.0, f64::max);
        for &stop in row {
            ys[stop] = y + high / 2.0;
        }
        y += high + ROW_GAP;
    }
    let height = if order.rows.is_empty() { 2.0 * MARGIN } else { y - ROW_GAP + MARGIN };
    (ys, height)
}

/// Whether there is a way, without this edge.
fn reaches(edges: &[Edge], without: Option<usize>, from: usize, to: usize, nodes: usize) -> bool {
    let mut seen = vec![false; nodes];
    let mut stack = vec![from];
    while let Some(node) = stack.pop() {
        if node == to {
            return true;
        }
        if !std::mem::replace(&mut seen[node], true) {
            let next =
                edges.iter().enumerate().filter(|(at, edge)| edge.from == node && without != Some(*at));
            stack.extend(next.map(|(_, edge)| edge.to));
        }
    }
    false
}

/// A tenth of a point is finer than any screen, and keeps the text short and the same everywhere.
fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
