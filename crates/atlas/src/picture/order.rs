//! The order within each row, so that few lines cross. An edge over several rows gets a place in each of them.

use super::Graph;
use super::layers::Layers;

/// Sweeps down and up; later ones change next to nothing on sixty boxes.
const SWEEPS: usize = 24;

/// What stands in a row: a box, or the way of a line past the boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Box(usize),
    Way(usize),
}

#[derive(Debug)]
pub(super) struct Order {
    pub(super) stops: Vec<Stop>,
    /// Stops from left to right, the top row first.
    pub(super) rows: Vec<Vec<usize>>,
    /// For each edge its stops from top to bottom, and whether the edge itself runs upwards.
    pub(super) ways: Vec<(Vec<usize>, bool)>,
}

pub(super) fn order(graph: &Graph, layers: &Layers) -> Order {
    let mut stops: Vec<Stop> = (0..graph.nodes.len()).map(Stop::Box).collect();
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); layers.rows];
    let from_top = |row: usize| layers.rows - 1 - row;
    for (node, &row) in layers.row.iter().enumerate() {
        rows[from_top(row)].push(node);
    }
    let mut ways = vec![(Vec::new(), false); graph.edges.len()];
    for &(upper, lower, edge) in &layers.down {
        let mut way = vec![upper];
        for row in &mut rows[from_top(layers.row[upper]) + 1..from_top(layers.row[lower])] {
            stops.push(Stop::Way(edge));
            row.push(stops.len() - 1);
            way.push(stops.len() - 1);
        }
        way.push(lower);
        ways[edge] = (way, graph.edges[edge].from == lower);
    }
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); stops.len()];
    let mut below = above.clone();
    for (way, _) in &ways {
        for pair in way.windows(2) {
            below[pair[0]].push(pair[1]);
            above[pair[1]].push(pair[0]);
        }
    }
    let mut best = rows.clone();
    let mut fewest = crossings(&rows, &below, stops.len());
    for sweep in 0..SWEEPS {
        if fewest == 0 {
            break;
        }
        if sweep % 2 == 0 {
            for at in 1..rows.len() {
                sort(&mut rows, at, at - 1, &above, stops.len());
            }
        } else {
            for at in (0..rows.len().saturating_sub(1)).rev() {
                sort(&mut rows, at, at + 1, &below, stops.len());
            }
        }
        swap(&mut rows, &above, &below, stops.len());
        let now = crossings(&rows, &below, stops.len());
        if now < fewest {
            fewest = now;
            best.clone_from(&rows);
        }
    }
    Order { stops, rows: best, ways }
}

/// Each where its neighbors in the other row are on average.
fn sort(rows: &mut [Vec<usize>], at: usize, other: usize, neighbors: &[Vec<usize>], stops: usize) {
    let place = places(&rows[other], stops);
    let middle = |position: usize, stop: usize| {
        let of = &neighbors[stop];
        if of.is_empty() {
            position as f64
        } else {
            of.iter().map(|&one| place[one] as f64).sum::<f64>() / of.len() as f64
        }
    };
    let mut keyed: Vec<(f64, usize)> =
        rows[at].iter().enumerate().map(|(position, &stop)| (middle(position, stop), stop)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows[at] = keyed.into_iter().map(|(_, stop)| stop).collect();
}

/// Two neighbors change places where that saves crossings.
fn swap(rows: &mut [Vec<usize>], above: &[Vec<usize>], below: &[Vec<usize>], stops: usize) {
    for at in 0..rows.len() {
        let up = at.checked_sub(1).map(|up| places(&rows[up], stops));
        let down = rows.get(at + 1).map(|row| places(row, stops));
        for left in 0..rows[at].len().saturating_sub(1) {
            let (one, two) = (rows[at][left], rows[at][left + 1]);
            let (mut now, mut then) = (0, 0);
            for (places, neighbors) in [(&up, above), (&down, below)] {
                let Some(places) = places else { continue };
                for &a in &neighbors[one] {
                    for &b in &neighbors[two] {
                        now += usize::from(places[a] > places[b]);
                        then += usize::from(places[a] < places[b]);
                    }
                }
            }
            if then < now {
                rows[at].swap(left, left + 1);
            }
        }
    }
}

fn crossings(rows: &[Vec<usize>], below: &[Vec<usize>], stops: usize) -> usize {
    let mut count = 0;
    for pair in rows.windows(2) {
        let place = places(&pair[1], stops);
        let ends: Vec<Vec<usize>> =
            pair[0].iter().map(|&stop| below[stop].iter().map(|&to| place[to]).collect()).collect();
        for (left, of_left) in ends.iter().enumerate() {
            for of_right in &ends[left + 1..] {
                count += of_left.iter().map(|a| of_right.iter().filter(|b| *b < a).count()).sum::<usize>();
            }
        }
    }
    count
}

fn places(row: &[usize], stops: usize) -> Vec<usize> {
    let mut place = vec![0; stops];
    for (at, &stop) in row.iter().enumerate() {
        place[stop] = at;
    }
    place
}
