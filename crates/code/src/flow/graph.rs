//! What is built while a function is walked: steps, the ways between them, and where a jump leads. Knows no node kinds.

use super::scope::PathId;
use super::{EdgeKind, StatementKind};

/// One step of a function: at most a statement, at least a condition.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) kind: StatementKind,
    /// Lines with words of its own, in order, from 1, both ends in it.
    pub(crate) lines: Vec<(u32, u32)>,
    /// Lines of the whole of it, what is inside included.
    pub(crate) span: (u32, u32),
    pub(crate) region: u32,
    pub(crate) accesses: Vec<Access>,
}

/// What a step does with a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) path: PathId,
    pub(crate) mode: Mode,
    pub(crate) line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Read,
    /// Only whose member it is: `x` of `x.a = 1`.
    Base,
    /// What was there before is gone.
    Write,
    /// What was there before may have changed.
    Change,
}

/// A line that belongs to the steps below without being one of their conditions: `else`, `finally`, the head of an
/// endless loop, the `break` an arm ends with. 0: none.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) line: u32,
    pub(crate) parent: u32,
}

#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) step: u32,
    pub(crate) last: u32,
    pub(crate) risky: Vec<u32>,
    pub(crate) catches: Vec<u32>,
}

/// The way out of a step that leads to whatever comes next. `None`: where it would lead if the jump were not there,
/// which only control dependence asks for.
pub(crate) type Dangling = (u32, Option<EdgeKind>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Return,
    Throw,
    /// Of the frame with this number.
    Break(usize),
    Continue(usize),
}

/// What a jump may lead out of.
#[derive(Debug)]
pub(crate) enum Frame<'t> {
    Loop {
        label: Option<&'t str>,
        breaks: Vec<Dangling>,
        continues: Vec<Dangling>,
        value: Option<PathId>,
    },
    /// Also a block with a label.
    Switch {
        label: Option<&'t str>,
        /// Whether a `break` without a label means it.
        bare: bool,
        breaks: Vec<Dangling>,
        value: Option<PathId>,
    },
    Try {
        throws: Vec<Dangling>,
        /// Steps that call something, and what is called may throw.
        risky: Vec<u32>,
    },
    Finally {
        pending: Vec<(Exit, Vec<Dangling>)>,
        risky: Vec<u32>,
    },
    Function {
        returns: Vec<Dangling>,
        value: Option<PathId>,
    },
}

#[derive(Debug)]
pub(crate) struct Graph<'t> {
    pub(crate) steps: Vec<Step>,
    /// From, to; `None` as in [`Dangling`].
    pub(crate) edges: Vec<(u32, u32, Option<EdgeKind>)>,
    /// From a step that may throw to the step that catches it.
    pub(crate) throws: Vec<(u32, u32)>,
    /// What was tried: the step of the `try`, the first and the last of its body, the steps that catch.
    pub(crate) tries: Vec<Tried>,
    /// Functions within: first and last step, and how many functions are around what is inside.
    pub(crate) closures: Vec<(u32, u32, u32)>,
    /// What a `return` gives that has a name, and the line: what was put off may still write it.
    pub(crate) given: Vec<(u32, PathId, u32)>,
    /// The first step of what was put off to the end.
    pub(crate) deferred: Option<u32>,
    pub(crate) regions: Vec<Region>,
    pub(crate) frontier: Vec<Dangling>,
    pub(crate) frames: Vec<Frame<'t>>,
    /// More than can be looked at.
    pub(crate) full: bool,
}

pub(crate) const ENTRY: u32 = 0;
pub(crate) const EXIT: u32 = 1;

impl Graph<'_> {
    pub(crate) fn new() -> Self {
        let bare = |kind| Step { kind, lines: Vec::new(), span: (0, 0), region: 0, accesses: Vec::new() };
        Self {
            steps: vec![bare(StatementKind::Entry), bare(StatementKind::Exit)],
            edges: Vec::new(),
            throws: Vec::new(),
            tries: Vec::new(),
            closures: Vec::new(),
            given: Vec::new(),
            deferred: None,
            regions: vec![Region { line: 0, parent: 0 }],
            frontier: vec![(ENTRY, Some(EdgeKind::Next))],
            frames: Vec::new(),
            full: false,
        }
    }

    /// A step that comes next.
    pub(crate) fn add(&mut self, step: Step, risky: bool) -> u32 {
        let id = self.steps.len() as u32;
        self.full |= self.steps.len() >= super::MAX_STATEMENTS;
        self.steps.push(step);
        let frontier = std::mem::take(&mut self.frontier);
        self.join(frontier, id, None);
        self.frontier = vec![(id, Some(EdgeKind::Next))];
        if risky {
            for frame in self.frames.iter_mut().rev() {
                match frame {
                    Frame::Try { risky, .. } | Frame::Finally { risky, .. } => risky.push(id),
                    Frame::Function { .. } => break,
                    Frame::Loop { .. } | Frame::Switch { .. } => {}
                }
            }
        }
        id
    }

    /// Ways to a step; `kind` instead of theirs where it is given.
    pub(crate) fn join(&mut self, ways: Vec<Dangling>, to: u32, kind: Option<EdgeKind>) {
        for (from, way) in ways {
            let way = way.map(|way| kind.unwrap_or(way));
            if !self.edges.iter().rev().take(8).any(|edge| *edge == (from, to, way)) {
                self.edges.push((from, to, way));
            }
        }
    }

    /// Ways out of here, through every `finally` on the way.
    pub(crate) fn leave(&mut self, exit: Exit, ways: Vec<Dangling>) {
        let mut ways = ways;
        for (at, frame) in self.frames.iter_mut().enumerate().rev() {
            match (frame, exit) {
                (Frame::Finally { pending, .. }, _) => {
                    match pending.iter_mut().find(|(known, _)| *known == exit) {
                        Some((_, list)) => list.append(&mut ways),
                        None => pending.push((exit, ways)),
                    }
                    return;
                }
                (Frame::Loop { breaks, .. } | Frame::Switch { breaks, .. }, Exit::Break(to)) if at == to => {
                    return breaks.append(&mut ways);
                }
                (Frame::Loop { continues, .. }, Exit::Continue(to)) if at == to => {
                    return continues.append(&mut ways);
                }
                (Frame::Try { throws, .. }, Exit::Throw) => return throws.append(&mut ways),
                (Frame::Function { returns, .. }, Exit::Return | Exit::Throw) => {
                    return returns.append(&mut ways);
                }
                _ => {}
            }
        }
        // A jump out of nothing: broken text.
        self.join(ways, EXIT, None);
    }

    /// The frame a `break` or `continue` means.
    pub(crate) fn target(&self, label: Option<&str>, is_break: bool) -> Option<usize> {
        for (at, frame) in self.frames.iter().enumerate().rev() {
            match frame {
                Frame::Function { .. } => return None,
                Frame::Loop { label: own, .. } if label.is_none() || label == *own => return Some(at),
                Frame::Switch { label: own, bare, .. }
                    if is_break && label.map_or(*bare, |label| Some(label) == *own) =>
                {
                    return Some(at);
                }
                _ => {}
            }
        }
        None
    }

    /// What the innermost function, or what a `break` with a value leaves, gives.
    pub(crate) fn function_value(&self) -> Option<PathId> {
        let innermost = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Function { value, .. } => Some(*value),
            _ => None,
        });
        innermost.flatten()
    }

    pub(crate) fn frame_value(&self, at: usize) -> Option<PathId> {
        match self.frames.get(at)? {
            Frame::Loop { value, .. } | Frame::Switch { value, .. } => *value,
            _ => None,
        }
    }

    pub(crate) fn region(&mut self, line: u32, parent: u32) -> u32 {
        self.regions.push(Region { line, parent });
        self.regions.len() as u32 - 1
    }
}
