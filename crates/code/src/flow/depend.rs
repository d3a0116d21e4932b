//! Control dependence: which steps decide whether a step runs. A step depends on a branch when one way out of the branch
//! always leads to it and another may not (Ferrante, Ottenstein and Warren 1987); a jump counts as a branch whose other
//! way is where it would lead if it were not there (Ball and Horwitz 1993), so that what stands after
//! `if bad: return` depends on the condition and on the `return`.

use super::graph::{EXIT, Graph};
use super::{EdgeKind, StatementKind};

/// A step and the one it depends on, in order, each pair once.
pub(crate) fn control(graph: &Graph<'_>) -> Vec<(u32, u32)> {
    let steps = graph.steps.len();
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); steps];
    for (from, to, kind) in &graph.edges {
        if counts(*kind) && !next[*from as usize].contains(to) {
            next[*from as usize].push(*to);
        }
    }
    let before = end_everything(&mut next, graph);
    let above = post_dominators(&next, &before);
    let mut found = Vec::new();
    for (from, ways) in next.iter().enumerate() {
        if ways.len() < 2 {
            continue;
        }
        for to in ways {
            let mut at = *to;
            // Up to what every way out of `from` leads to.
            while Some(at) != above[from] && at != EXIT {
                found.push((at, from as u32));
                match above[at as usize] {
                    Some(up) if up != at => at = up,
                    _ => break,
                }
            }
        }
    }
    for tried in &graph.tries {
        // That a `try` is left early is not decided where it begins, but by what may throw in it. A jump in it is only
        // taken when nothing did.
        let own: Vec<u32> = found.iter().filter(|(step, _)| *step == tried.step).map(|(_, on)| *on).collect();
        let is_inside = |(step, on): &(u32, u32)| {
            *on == tried.step
                && (tried.step..=tried.last).contains(step)
                && graph.steps[*step as usize].kind != StatementKind::Jump
        };
        let inside: Vec<u32> = found.iter().filter(|pair| is_inside(pair)).map(|(step, _)| *step).collect();
        found.retain(|pair| !is_inside(pair));
        found.extend(inside.iter().flat_map(|step| own.iter().map(|on| (*step, *on))));
        found.extend(tried.risky.iter().chain(&tried.catches).map(|on| (tried.step, *on)));
        found.extend(tried.catches.iter().flat_map(|step| tried.risky.iter().map(|on| (*step, *on))));
    }
    found.retain(|(step, on)| step != on);
    found.sort_unstable();
    found.dedup();
    found
}

/// Ways that are not a decision of this function: what is called may fail anywhere.
fn counts(kind: Option<EdgeKind>) -> bool {
    kind != Some(EdgeKind::Finally)
}

/// Gives every step a way to the end, also those of a loop without one, and says from where each is reached.
fn end_everything(next: &mut [Vec<u32>], graph: &Graph<'_>) -> Vec<Vec<u32>> {
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); next.len()];
    for (from, ways) in next.iter().enumerate() {
        for to in ways {
            before[*to as usize].push(from as u32);
        }
    }
    let mut ends = vec![false; next.len()];
    let mut open = vec![EXIT];
    loop {
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut ends[at as usize], true) {
                open.extend(&before[at as usize]);
            }
        }
        // An endless loop is as if its head could end it.
        let is_loop = |at: usize| graph.steps[at].kind == StatementKind::Loop;
        let head = (0..ends.len()).find(|at| !ends[*at] && is_loop(*at));
        let Some(at) = head.or_else(|| ends.iter().rposition(|ends| !ends)) else { return before };
        next[at].push(EXIT);
        before[EXIT as usize].push(at as u32);
        open.push(at as u32);
    }
}

/// The nearest step that every way from a step to the end passes (Cooper, Harvey and Kennedy 2001).
fn post_dominators(next: &[Vec<u32>], before: &[Vec<u32>]) -> Vec<Option<u32>> {
    let mut order: Vec<u32> = Vec::new();
    let mut rank = vec![usize::MAX; next.len()];
    let mut seen = vec![false; next.len()];
    let mut open = vec![(EXIT, 0)];
    seen[EXIT as usize] = true;
    while let Some((at, child)) = open.last_mut() {
        if let Some(to) = before[*at as usize].get(*child) {
            *child += 1;
            if !std::mem::replace(&mut seen[*to as usize], true) {
                open.push((*to, 0));
            }
        } else {
            rank[*at as usize] = order.len();
            order.push(*at);
            open.pop();
        }
    }
    let mut above: Vec<Option<u32>> = vec![None; next.len()];
    above[EXIT as usize] = Some(EXIT);
    let mut changed = true;
    while changed {
        changed = false;
        for at in order.iter().rev().copied().filter(|at| *at != EXIT) {
            let mut best: Option<u32> = None;
            for to in &next[at as usize] {
                if above[*to as usize].is_none() {
                    continue;
                }
                best = Some(match best {
                    None => *to,
                    Some(other) => meet(*to, other, &above, &rank),
                });
            }
            if best.is_some() && above[at as usize] != best {
                above[at as usize] = best;
                changed = true;
            }
        }
    }
    above
}

fn meet(mut one: u32, mut other: u32, above: &[Option<u32>], rank: &[usize]) -> u32 {
    while one != other {
        while rank[one as usize] < rank[other as usize] {
            match above[one as usize] {
                Some(up) if up != one => one = up,
                _ => return other,
            }
        }
        while rank[other as usize] < rank[one as usize] {
            match above[other as usize] {
                Some(up) if up != other => other = up,
                _ => return one,
            }
        }
    }
    one
}
