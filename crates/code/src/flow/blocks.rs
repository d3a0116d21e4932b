//! Steps to basic blocks: what runs from its first line to its last without a choice.

use super::graph::{ENTRY, EXIT, Graph};
use super::{Block, Edge, EdgeKind, StatementKind};

/// Whether each step can be reached at all.
pub(crate) fn reached(graph: &Graph<'_>) -> Vec<bool> {
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); graph.steps.len()];
    for (from, to, kind) in &graph.edges {
        if kind.is_some() {
            next[*from as usize].push(*to);
        }
    }
    for (from, to) in &graph.throws {
        next[*from as usize].push(*to);
    }
    let mut reached = vec![false; graph.steps.len()];
    let mut open = vec![ENTRY];
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut reached[at as usize], true) {
            open.extend(&next[at as usize]);
        }
    }
    reached
}

/// Lines that no way leads to, as ranges.
pub(crate) fn unreachable(graph: &Graph<'_>, reached: &[bool]) -> Vec<(u32, u32)> {
    let mut dead: Vec<u32> = Vec::new();
    let mut alive: Vec<u32> = Vec::new();
    for (step, reached) in graph.steps.iter().zip(reached) {
        let list = if *reached { &mut alive } else { &mut dead };
        list.extend(step.lines.iter().flat_map(|(first, last)| *first..=*last));
    }
    alive.sort_unstable();
    dead.retain(|line| alive.binary_search(line).is_err());
    ranges(dead)
}

/// Lines as ranges, both ends in them.
pub(crate) fn ranges(mut lines: Vec<u32>) -> Vec<(u32, u32)> {
    lines.sort_unstable();
    lines.dedup();
    let mut found: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match found.last_mut() {
            Some(range) if range.1 + 1 == line => range.1 = line,
            _ => found.push((line, line)),
        }
    }
    found
}

/// Blocks, the entry first and the exit last, with the number of the block of each step; and the edges between them.
pub(crate) fn blocks(graph: &Graph<'_>, reached: &[bool]) -> (Vec<Block>, Vec<Edge>, Vec<Option<u32>>) {
    let steps = graph.steps.len();
    let mut next: Vec<Vec<(u32, EdgeKind)>> = vec![Vec::new(); steps];
    let mut before = vec![0_u32; steps];
    for (from, to, kind) in &graph.edges {
        if let Some(kind) = kind
            && reached[*from as usize]
        {
            next[*from as usize].push((*to, *kind));
            before[*to as usize] += 1;
        }
    }
    // A step begins a block unless the one before it leads only here, and only it does.
    let mut begins = vec![true; steps];
    for ways in &next {
        if let [(to, EdgeKind::Next)] = ways[..]
            && before[to as usize] == 1
            && to != EXIT
        {
            begins[to as usize] = false;
        }
    }
    let mut of_step: Vec<Option<u32>> = vec![None; steps];
    let mut blocks: Vec<Block> = Vec::new();
    let heads = (0..steps as u32).filter(|at| begins[*at as usize] && reached[*at as usize] && *at != EXIT);
    for head in heads.chain([EXIT]) {
        let id = blocks.len() as u32;
        let mut block = Block { first: 0, last: 0, statements: Vec::new() };
        let mut at = head;
        loop {
            of_step[at as usize] = Some(id);
            let step = &graph.steps[at as usize];
            for (first, last) in &step.lines {
                block.first = if block.first == 0 { *first } else { block.first.min(*first) };
                block.last = block.last.max(*last);
            }
            if !matches!(step.kind, StatementKind::Entry | StatementKind::Exit) {
                block.statements.push(at);
            }
            match next[at as usize][..] {
                [(to, EdgeKind::Next)] if !begins[to as usize] => at = to,
                _ => break,
            }
        }
        blocks.push(block);
    }
    let mut edges: Vec<Edge> = Vec::new();
    for (from, ways) in next.iter().enumerate() {
        for (to, kind) in ways {
            if let (Some(from_block), Some(to_block)) = (of_step[from], of_step[*to as usize])
                && (from_block != to_block || begins[*to as usize])
            {
                let edge = Edge { from: from_block, to: to_block, kind: *kind };
                if !edges.contains(&edge) {
                    edges.push(edge);
                }
            }
        }
    }
    edges.sort_by_key(|edge| (edge.from, edge.to));
    (blocks, edges, of_step)
}
