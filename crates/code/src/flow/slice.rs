//! Slices: the statements that decide what a line computes, or that a line has a say in. Follows data and control
//! dependence from statement to statement; knows no text.

use serde::{Deserialize, Serialize};

use super::{Flow, StatementKind, Via, blocks};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// What the line depends on.
    Backward,
    /// What depends on the line.
    Forward,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Slice {
    /// As ranges, both ends in them, in order.
    pub lines: Vec<(u32, u32)>,
    /// Into [`Flow::statements`], in order.
    pub statements: Vec<u32>,
}

impl Slice {
    pub fn contains(&self, line: u32) -> bool {
        self.lines.iter().any(|(first, last)| (*first..=*last).contains(&line))
    }

    pub fn count(&self) -> u32 {
        self.lines.iter().map(|(first, last)| last + 1 - first).sum()
    }
}

/// Why a statement is in a slice: a jump may be there only because it is taken, and then what it gives does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wanted {
    No,
    AsJump,
    Wholly,
}

impl Flow {
    /// The statements a line depends on, or that depend on it. With a variable (`x`, `self.count`): only on, or because
    /// of, that variable's value at that line. Empty where no statement stands at that line.
    pub fn slice(&self, line: u32, variable: Option<&str>, direction: Direction) -> Slice {
        let seeds = self.statements_at(line);
        // `this.count` is called `count` here.
        let own = Some(&*self.own).filter(|own| !own.is_empty());
        let variable = variable.map(|name| own.and_then(|own| name.strip_prefix(own)).unwrap_or(name));
        let mut wanted = vec![Wanted::No; self.statements.len()];
        let mut open: Vec<(u32, Wanted)> = Vec::new();
        for seed in &seeds {
            match (variable, direction) {
                (None, _) => open.push((*seed, Wanted::Wholly)),
                (Some(name), Direction::Backward) => self.seed_backward(*seed, name, &mut wanted, &mut open),
                (Some(name), Direction::Forward) => self.seed_forward(*seed, name, &mut wanted, &mut open),
            }
        }
        let (data, control) = match direction {
            Direction::Backward => (self.data_backward(), self.control_backward()),
            Direction::Forward => (self.data_forward(), self.control_forward()),
        };
        while let Some((at, why)) = open.pop() {
            if wanted[at as usize] >= why {
                continue;
            }
            wanted[at as usize] = why;
            let is_jump = self.statements[at as usize].kind == StatementKind::Jump;
            if why == Wanted::Wholly {
                open.extend(data[at as usize].iter().map(|to| (*to, Wanted::Wholly)));
            }
            // Forward, a jump whose value changes is still taken as before.
            if direction == Direction::Backward || !is_jump || why == Wanted::AsJump {
                open.extend(control[at as usize].iter().map(|to| {
                    let jumps = self.statements[*to as usize].kind == StatementKind::Jump;
                    (*to, if jumps { Wanted::AsJump } else { Wanted::Wholly })
                }));
            }
        }
        let statements: Vec<u32> =
            (0..self.statements.len() as u32).filter(|at| wanted[*at as usize] != Wanted::No).collect();
        let briefly = |at: u32| wanted[at as usize] == Wanted::AsJump && !seeds.contains(&at);
        Slice { lines: self.lines_of(&statements, briefly, direction), statements }
    }

    /// Statements with a word of theirs on a line; else the innermost around it.
    pub fn statements_at(&self, line: u32) -> Vec<u32> {
        let here = |(_, statement): &(usize, &super::Statement)| {
            statement.lines.iter().any(|(first, last)| (*first..=*last).contains(&line))
        };
        // A parameter is there because of its function's first line as well; what stands on its own line is meant.
        let mut found: Vec<u32> = self
            .statements
            .iter()
            .enumerate()
            .filter(here)
            .filter(|(_, s)| s.kind != StatementKind::Parameter || s.span.0 == line)
            .map(|(at, _)| at as u32)
            .collect();
        if found.is_empty() {
            let around =
                self.statements.iter().enumerate().filter(|(_, s)| s.span.0 < line && line <= s.span.1);
            // Between the statements of a block there is none.
            let innermost = around.min_by_key(|(_, s)| s.span.1 - s.span.0);
            found.extend(innermost.filter(|(_, s)| s.kind == StatementKind::Plain).map(|(at, _)| at as u32));
        }
        found
    }

    fn names(&self, path: u32, name: &str) -> bool {
        let path = &self.variables[path as usize];
        &**path == name || path.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
    }

    fn seed_backward(&self, seed: u32, name: &str, wanted: &mut [Wanted], open: &mut Vec<(u32, Wanted)>) {
        let defined = self.definitions.iter().any(|d| d.statement == seed && self.names(d.variable, name));
        if defined {
            return open.push((seed, Wanted::Wholly));
        }
        let uses = |at: u32| {
            let used = &self.uses[at as usize];
            used.statement == seed && self.names(used.variable, name)
        };
        let mut found: Vec<u32> = self
            .chains
            .iter()
            .filter(|chain| uses(chain.to))
            .map(|chain| self.definitions[chain.from as usize].statement)
            .collect();
        if !self.uses.iter().any(|used| used.statement == seed && self.names(used.variable, name)) {
            found.extend(self.definitions_before(seed, name));
        }
        open.extend(found.into_iter().map(|at| (at, Wanted::Wholly)));
        let control = self.control.iter().filter(|dependence| dependence.statement == seed);
        open.extend(control.map(|dependence| {
            let jumps = self.statements[dependence.on as usize].kind == StatementKind::Jump;
            (dependence.on, if jumps { Wanted::AsJump } else { Wanted::Wholly })
        }));
        // Itself, without what else it reads.
        wanted[seed as usize] = wanted[seed as usize].max(Wanted::AsJump);
    }

    /// Statements that define a variable last before another.
    fn definitions_before(&self, seed: u32, name: &str) -> Vec<u32> {
        let before = lists(self.statements.len(), self.ways.iter().map(|(from, to)| (*to, *from)));
        let mut found = Vec::new();
        let mut seen = vec![false; self.statements.len()];
        let mut open = before[seed as usize].clone();
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            let mut own = self
                .definitions
                .iter()
                .filter(|definition| definition.statement == at && self.names(definition.variable, name));
            let first = own.next();
            found.extend(first.map(|_| at));
            let whole = |definition: &super::Definition| {
                !definition.partial && &*self.variables[definition.variable as usize] == name
            };
            if !first.into_iter().chain(own).any(whole) {
                open.extend(&before[at as usize]);
            }
        }
        found
    }

    fn seed_forward(&self, seed: u32, name: &str, wanted: &mut [Wanted], open: &mut Vec<(u32, Wanted)>) {
        let mut defined = false;
        for (at, definition) in self.definitions.iter().enumerate() {
            if definition.statement == seed && self.names(definition.variable, name) {
                defined = true;
                let reached = self.chains.iter().filter(|chain| chain.from == at as u32);
                let reached = reached.map(|chain| self.uses[chain.to as usize].statement);
                open.extend(reached.map(|to| (to, Wanted::Wholly)));
            }
        }
        if defined {
            wanted[seed as usize] = Wanted::Wholly;
        } else if self.uses.iter().any(|used| used.statement == seed && self.names(used.variable, name)) {
            open.push((seed, Wanted::Wholly));
        }
    }

    fn data_backward(&self) -> Vec<Vec<u32>> {
        let pairs = self.chains.iter().map(|chain| {
            let (definition, used) = (&self.definitions[chain.from as usize], &self.uses[chain.to as usize]);
            (used.statement, definition.statement)
        });
        lists(self.statements.len(), pairs)
    }

    fn data_forward(&self) -> Vec<Vec<u32>> {
        let pairs = self.chains.iter().map(|chain| {
            let (definition, used) = (&self.definitions[chain.from as usize], &self.uses[chain.to as usize]);
            (definition.statement, used.statement)
        });
        lists(self.statements.len(), pairs)
    }

    fn control_backward(&self) -> Vec<Vec<u32>> {
        lists(
            self.statements.len(),
            self.control.iter().map(|dependence| (dependence.statement, dependence.on)),
        )
    }

    fn control_forward(&self) -> Vec<Vec<u32>> {
        let ahead = self.control.iter().filter(|dependence| dependence.via == Via::Branch);
        lists(self.statements.len(), ahead.map(|dependence| (dependence.on, dependence.statement)))
    }

    /// The lines of statements; backward with those that say under which condition they stand. Of a jump that matters
    /// only because it is taken, the first says so.
    fn lines_of(
        &self,
        statements: &[u32],
        briefly: impl Fn(u32) -> bool,
        direction: Direction,
    ) -> Vec<(u32, u32)> {
        let mut lines: Vec<u32> = Vec::new();
        for at in statements {
            let statement = &self.statements[*at as usize];
            let all = statement.lines.iter().flat_map(|(first, last)| *first..=*last);
            lines.extend(all.take(if briefly(*at) { 1 } else { usize::MAX }));
            if direction == Direction::Backward {
                lines.extend(&statement.under);
            }
        }
        blocks::ranges(lines)
    }
}

fn lists(len: usize, pairs: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); len];
    for (from, to) in pairs {
        if !lists[from as usize].contains(&to) {
            lists[from as usize].push(to);
        }
    }
    lists
}
