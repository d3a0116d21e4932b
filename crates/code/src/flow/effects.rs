//! What a function of the same file does to what both see: the fields of the value a method is asked of, the variables
//! of the file. Its own text is asked, not its name; what it calls in turn is looked into a few calls deep.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use tree_sitter::Node;

use super::StatementKind;
use super::graph::Mode;
use super::measure;
use super::scope::Path;
use super::table::{Role, Table};
use super::walker::Walker;

/// Calls within calls that are looked into. What is further down is rarely meant by whoever reads the first, and every
/// level is a walk within a walk.
const MAX_CALLS: usize = 3;

/// A file as its functions know it.
#[derive(Debug)]
pub(crate) struct File<'t> {
    root: Node<'t>,
    functions: OnceCell<Vec<Known<'t>>>,
    effects: RefCell<HashMap<usize, Rc<Effects<'t>>>>,
    depth: Cell<usize>,
}

/// A function of the file that others can call.
#[derive(Debug)]
struct Known<'t> {
    name: &'t str,
    node: Node<'t>,
    /// The types around it, the innermost first.
    types: Vec<usize>,
    /// Whether it stands in another function.
    nested: bool,
}

/// Paths by the names of what they begin with: each walk numbers its own variables.
#[derive(Debug, Default)]
pub(crate) struct Effects<'t> {
    pub(crate) reads: Vec<Outside<'t>>,
    pub(crate) changes: Vec<Outside<'t>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outside<'t> {
    pub(crate) root: &'t str,
    /// Its variable is of the walk that found it.
    pub(crate) path: Path<'t>,
}

/// Whom a call may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A method of the type around a function.
    Own,
    /// The same, or one of a type around that: the receiver is not written.
    Bare,
    /// A function of the file.
    File,
}

impl<'t> File<'t> {
    pub(crate) fn of(root: Node<'t>) -> Rc<Self> {
        let (functions, effects) = (OnceCell::new(), RefCell::default());
        Rc::new(Self { root, functions, effects, depth: Cell::new(0) })
    }

    pub(crate) fn root(&self) -> Node<'t> {
        self.root
    }

    fn functions(&self, table: &Table, text: &'t str) -> &[Known<'t>] {
        self.functions.get_or_init(|| {
            let mut found = Vec::new();
            measure::each(self.root, |node, around| {
                if let Some(function) = measure::named(table, node, around) {
                    let role = |node: &&Node<'t>| table.role(**node);
                    let is_type = |node: &&Node<'t>| role(node) == Some(Role::Type);
                    let types: Vec<usize> = around.iter().rev().filter(is_type).map(Node::id).collect();
                    let nested = around
                        .iter()
                        .rev()
                        .take_while(|node| !is_type(node))
                        .any(|node| matches!(role(&node), Some(Role::Function | Role::Hoisted)));
                    let name = &text[function.name.byte_range()];
                    found.push(Known { name, node, types, nested });
                }
                true
            });
            found
        })
    }

    /// What a call from inside of a function does. `None`: no function of the file is meant, or it is too far down.
    pub(crate) fn called(
        self: &Rc<Self>,
        from: Node<'t>,
        (name, asked): (&str, Asked),
        table: &'t Table,
        text: &'t str,
    ) -> Option<Vec<Rc<Effects<'t>>>> {
        let functions = self.functions(table, text);
        if !functions.iter().any(|known| known.name == name) {
            return None;
        }
        let types = functions.iter().find(|known| known.node == from).map_or(&[][..], |known| &known.types);
        let types = if asked == Asked::Own { &types[..types.len().min(1)] } else { types };
        let is_meant = |known: &&Known<'t>| {
            let in_sight = match known.types.first() {
                Some(of) => asked != Asked::File && types.contains(of),
                None => asked == Asked::File,
            };
            known.name == name && in_sight && !known.nested
        };
        let meant: Vec<Node<'t>> = functions.iter().filter(is_meant).map(|known| known.node).collect();
        if meant.is_empty() {
            return None;
        }
        meant.into_iter().map(|node| self.effects_of(node, table, text)).collect()
    }

    fn effects_of(
        self: &Rc<Self>,
        node: Node<'t>,
        table: &'t Table,
        text: &'t str,
    ) -> Option<Rc<Effects<'t>>> {
        if let Some(known) = self.effects.borrow().get(&node.id()) {
            return Some(Rc::clone(known));
        }
        if self.depth.get() >= MAX_CALLS {
            return None;
        }
        // While it is looked at, what it calls finds nothing here: it may call itself.
        self.effects.borrow_mut().insert(node.id(), Rc::default());
        self.depth.set(self.depth.get() + 1);
        let mut walker = Walker::new(text, table, Rc::clone(self));
        walker.whole_function(node);
        self.depth.set(self.depth.get() - 1);
        let mut effects = Effects::default();
        // A parameter called `self` is what it is asked of, not written.
        let steps = walker.graph.steps.iter().filter(|step| step.kind != StatementKind::Parameter);
        for access in steps.flat_map(|step| &step.accesses) {
            let path = walker.scopes.paths[access.path.0 as usize];
            if !walker.scopes.is_outside(path.variable) || !walker.scopes.variable(access.path).declared {
                continue;
            }
            let root = walker.scopes.variables[path.variable.0 as usize].name;
            let list = match access.mode {
                Mode::Read => &mut effects.reads,
                Mode::Write | Mode::Change => &mut effects.changes,
                Mode::Base => continue,
            };
            let found = Outside { root, path };
            if !list.contains(&found) {
                list.push(found);
            }
        }
        let effects = Rc::new(effects);
        self.effects.borrow_mut().insert(node.id(), Rc::clone(&effects));
        Some(effects)
    }
}
