//! What an expression reads and writes. The walk keeps its own list of what is still to be done, so that an expression
//! of ten thousand terms needs no deeper stack than one of two.

use std::rc::Rc;

use tree_sitter::Node;

use super::graph::{Access, Mode};
use super::scope::{Path, PathId};
use super::table::{Part, Role, Shape, Words};
use super::walker::{Walker, is_control, is_jump, line_of};

/// How the names of a pattern are bound.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is said by another word of the text")]
pub(crate) struct Binding {
    /// New variables, instead of those there are.
    pub(crate) declare: bool,
    /// What the bound value may be a part of.
    pub(crate) aliases: Rc<[PathId]>,
    /// The closure that is bound.
    pub(crate) closure: Option<usize>,
    pub(crate) pointer: bool,
    pub(crate) constant: bool,
    /// Whether what is bound is a number or a text; `None`: nothing is said about it.
    pub(crate) scalar: Option<bool>,
    pub(crate) mutable: bool,
    pub(crate) vague: bool,
    /// What is bound is read too: `x += 1`.
    pub(crate) update: bool,
}

pub(crate) enum Task<'t> {
    Read(Node<'t>),
    Bind(Node<'t>, Binding),
    LeaveScope,
    LeaveHoist,
}

impl<'t> Walker<'t> {
    pub(crate) fn expression(&mut self, node: Node<'t>) {
        self.run(Task::Read(node));
    }

    /// The names of a pattern, bound to a part of `values`.
    pub(crate) fn bind(&mut self, node: Node<'t>, declare: bool, values: &[Node<'t>]) {
        let aliases = values.iter().filter_map(|value| self.viewed(*value)).collect();
        self.bind_as(node, Binding { declare, aliases, vague: true, ..Binding::default() });
    }

    pub(crate) fn bind_as(&mut self, node: Node<'t>, binding: Binding) {
        self.run(Task::Bind(node, binding));
    }

    fn run(&mut self, task: Task<'t>) {
        let mut tasks = vec![task];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Read(node) => self.read_node(node, &mut tasks),
                Task::Bind(node, binding) => self.bind_node(node, &binding, &mut tasks),
                Task::LeaveScope => {
                    self.scopes.leave();
                    self.inner -= 1;
                }
                Task::LeaveHoist => self.hoisting -= 1,
            }
        }
    }

    fn read_node(&mut self, node: Node<'t>, tasks: &mut Vec<Task<'t>>) {
        if node.is_extra() {
            return;
        }
        let Some(shape) = self.table.shape(node) else {
            return Self::push_children(node, tasks);
        };
        match shape.role {
            Role::Skip | Role::Comment => {}
            Role::Name => {
                if let Some(path) = self.path_of(node) {
                    self.read(path, line_of(node));
                }
            }
            Role::Member => match (self.path_of(node), shape.part(node, Part::Object)) {
                (Some(path), _) => self.read(path, line_of(node)),
                (None, Some(object)) => tasks.push(Task::Read(object)),
                (None, None) => Self::push_children(node, tasks),
            },
            Role::Index => {
                self.gathered.risky = true;
                Self::push_children(node, tasks);
            }
            Role::Call => self.call(node, shape, tasks),
            Role::Macro => self.macro_call(node, shape, tasks),
            Role::Bind | Role::Import | Role::Pointing | Role::Clause | Role::Property => {
                self.binding(node, shape, &Binding::default(), false, tasks);
            }
            Role::Update => {
                let binding = Binding { update: true, ..Binding::default() };
                self.binding(node, shape, &binding, false, tasks);
            }
            Role::Propagate => {
                self.gathered.propagates = true;
                Self::push_children(node, tasks);
            }
            Role::Inner => {
                self.scopes.enter(false);
                self.inner += 1;
                tasks.push(Task::LeaveScope);
                let (clauses, rest): (Vec<_>, Vec<_>) =
                    self.rest(node).into_iter().partition(|c| self.table.role(*c) == Some(Role::Clause));
                tasks.extend(rest.into_iter().rev().map(Task::Read));
                tasks.extend(clauses.into_iter().rev().map(Task::Read));
            }
            Role::Function | Role::Hoisted => self.closure(node, shape, &[], None),
            Role::Hoist => {
                self.hoisting += 1;
                tasks.push(Task::LeaveHoist);
                Self::push_children(node, tasks);
            }
            Role::Outer => {
                for name in self.rest(node) {
                    self.scopes.outer(self.word(name));
                }
            }
            Role::Format => self.format(node),
            Role::Tokens => self.tokens(node, tasks),
            role if is_control(role) => self.value_of(node),
            role if is_jump(role) => {
                // `x ?? throw y`, `a || return`: it may be taken, or not.
                self.lowered.insert(node.id());
                let ways = self.graph.frontier.clone();
                let gathered = self.gather(|walker| walker.statement(node, None));
                drop(gathered);
                self.graph.frontier.extend(ways);
            }
            _ => Self::push_children(node, tasks),
        }
    }

    fn push_children(node: Node<'t>, tasks: &mut Vec<Task<'t>>) {
        let first = tasks.len();
        let mut cursor = node.walk();
        tasks.extend(node.named_children(&mut cursor).map(Task::Read));
        tasks[first..].reverse();
    }

    /// A node with a target and a value. In a pattern, what has no part belongs to the pattern.
    fn binding(
        &mut self,
        node: Node<'t>,
        shape: &'t Shape,
        outer: &Binding,
        in_pattern: bool,
        tasks: &mut Vec<Task<'t>>,
    ) {
        let children = shape.children(node);
        let values: Vec<Node<'t>> = super::control::pick(&children, Part::Value);
        let values: Vec<Node<'t>> = values.into_iter().flat_map(|value| self.spread(value)).collect();
        let mut binding = outer.clone();
        if !values.is_empty() && shape.role != Role::Update && (!in_pattern || outer.aliases.is_empty()) {
            binding.aliases = values.iter().filter_map(|value| self.viewed(*value)).collect();
            binding.closure = match values[..] {
                [value] if matches!(self.table.role(value), Some(Role::Function | Role::Hoisted)) => {
                    Some(value.id())
                }
                _ => None,
            };
        }
        if !values.is_empty() && shape.role != Role::Update {
            let scalar = values.iter().all(|value| self.table.role(*value) == Some(Role::Scalar));
            binding.scalar = Some(scalar || binding.scalar == Some(true));
        }
        binding.pointer |= shape.role == Role::Pointing;
        for (part, child) in &children {
            match part {
                Some(Part::Mutable) => binding.mutable = true,
                Some(Part::Constant) => binding.constant |= self.word(*child) == "const",
                Some(Part::Type) => {
                    let text = self.text[child.byte_range()].trim_start_matches([':', ' ']);
                    binding.scalar = Some(self.table.has_word(Words::Scalars, text));
                }
                Some(Part::Pointer) => {
                    binding.pointer |= self.text[child.byte_range()].contains("mut ");
                }
                _ => {}
            }
        }
        // The last pushed is done first: values, then what they are bound to.
        for (part, child) in children.iter().rev() {
            match part {
                Some(Part::Target) => tasks.push(Task::Bind(*child, binding.clone())),
                Some(Part::Declared) => {
                    tasks.push(Task::Bind(*child, Binding { declare: true, ..binding.clone() }));
                }
                _ => {}
            }
        }
        for (part, child) in children.iter().rev() {
            match part {
                None if in_pattern => tasks.push(Task::Bind(*child, binding.clone())),
                None | Some(Part::Value | Part::Guard | Part::Condition) => tasks.push(Task::Read(*child)),
                // `[key]: value`
                Some(Part::Name) if child.named_child_count() > 0 => tasks.push(Task::Read(*child)),
                _ => {}
            }
        }
    }

    /// The values of a list without brackets, or of one in parentheses.
    fn spread(&self, value: Node<'t>) -> Vec<Node<'t>> {
        let is_list = self.table.shape(value).is_none()
            && (value.named_child_count() == 1 || value.child(1).is_some_and(|token| token.kind() == ","));
        if is_list { self.rest(value) } else { vec![value] }
    }

    fn bind_node(&mut self, node: Node<'t>, binding: &Binding, tasks: &mut Vec<Task<'t>>) {
        if node.is_extra() {
            return;
        }
        let Some(shape) = self.table.shape(node) else {
            let first = tasks.len();
            let mut cursor = node.walk();
            tasks.extend(node.named_children(&mut cursor).map(|child| Task::Bind(child, binding.clone())));
            tasks[first..].reverse();
            return;
        };
        match shape.role {
            Role::Name => self.write_name(node, binding),
            Role::Member => {
                let object = shape.part(node, Part::Object);
                if binding.update {
                    tasks.push(Task::Read(node));
                }
                match (self.path_of(node), object) {
                    (Some(path), object) => {
                        if let Some(base) = object.and_then(|object| self.path_of(object)) {
                            self.access(base, Mode::Base, line_of(node));
                        }
                        let cut = self.scopes.paths[path.0 as usize].cut;
                        self.access(path, if cut { Mode::Change } else { Mode::Write }, line_of(node));
                        self.change_aliases(path, line_of(node));
                    }
                    (None, Some(object)) => {
                        tasks.push(Task::Read(object));
                        self.change_root(node);
                    }
                    (None, None) => {}
                }
            }
            Role::Index | Role::Dereference | Role::Call | Role::Through => {
                Self::push_children(node, tasks);
                self.change_root(node);
            }
            Role::Skip | Role::Comment => {}
            Role::Bind | Role::Import | Role::Pointing | Role::Property | Role::Clause | Role::Update => {
                self.binding(node, shape, binding, true, tasks);
            }
            Role::Function | Role::Hoisted | Role::Macro | Role::Format | Role::Tokens => {
                tasks.push(Task::Read(node));
            }
            _ => {
                let children = self.rest(node);
                tasks.extend(children.into_iter().rev().map(|child| Task::Bind(child, binding.clone())));
            }
        }
    }

    fn write_name(&mut self, node: Node<'t>, binding: &Binding) {
        let name = self.word(node);
        if name.is_empty() || name == "_" {
            return;
        }
        let is_constant = binding.declare
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && self.table.rule("capitals-are-constants");
        if is_constant {
            return;
        }
        let id = match (binding.declare, self.hoisting > 0) {
            (true, false) => self.scopes.declare(name),
            (true, true) => self.scopes.declare_in_function(name),
            (false, _) => self.scopes.assign(name, self.table.rule("assignment-declares")),
        };
        let path = self.scopes.path(Path::of(id));
        if binding.update {
            self.read(path, line_of(node));
        }
        let captures = binding.closure.and_then(|closure| self.captured.get(&closure)).cloned();
        let inner = self.inner > 0;
        let variable = &mut self.scopes.variables[id.0 as usize];
        variable.inner |= inner && binding.declare;
        variable.pointer |= binding.pointer && !binding.constant;
        variable.mutable |= binding.mutable;
        variable.vague |= binding.vague;
        // A value of a pattern is a part of something: nothing is known about it.
        if let Some(scalar) = binding.scalar.or((!binding.update).then_some(false)) {
            variable.scalar = Some(variable.scalar.unwrap_or(true) && scalar);
        }
        for alias in &*binding.aliases {
            if *alias != path && !variable.aliases.contains(alias) {
                variable.aliases.push(*alias);
            }
        }
        if let Some(captures) = captures {
            variable.captures = captures;
        }
        self.access(path, Mode::Write, line_of(node));
        if let Some(path) = self.scopes.said(name).filter(|_| !binding.declare) {
            self.gathered.accesses.push(Access { path, mode: Mode::Read, line: line_of(node) });
        }
    }
}
