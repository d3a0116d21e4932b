//! What a script has set so far: variables, functions, the folder, the positional words. A subshell's changes are taken
//! back by a log instead of a copy, so that many small subshells cost what they change.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Part, Word};

/// A value that is followed: Linux gives one argument no more.
pub(super) const MAX_VALUE: usize = 128 * 1024;
/// Of a list or a loop; people name dozens of files.
const MAX_VALUES: usize = 4096;
/// More are a program's, not a command's.
const MAX_NAMES: usize = 2048;
/// Of a folder: no system opens a longer path.
const MAX_PATH: usize = 4096;

/// Several words: a list, or what a loop's variable becomes in turn.
pub(super) type Value = Arc<[Word]>;

#[derive(Debug, Clone)]
pub(super) struct Function {
    pub(super) text: Arc<str>,
    pub(super) holes: Arc<[Part]>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    variables: HashMap<String, Value>,
    functions: HashMap<String, Function>,
    folder: Option<Arc<Word>>,
    /// `$1` and so on; `None`: those of whoever runs the script.
    positional: Option<Value>,
    log: Vec<Undo>,
    /// Something was set that is not kept: what follows is not known as it would be.
    pub(super) overflows: bool,
}

#[derive(Debug)]
enum Undo {
    Variable(String, Option<Value>),
    Function(String, Option<Function>),
    Folder(Option<Arc<Word>>),
    Positional(Option<Value>),
}

impl State {
    /// To come back to with [`State::back`].
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    pub(super) fn back(&mut self, mark: usize) {
        while self.log.len() > mark {
            match self.log.pop() {
                Some(Undo::Variable(name, Some(value))) => drop(self.variables.insert(name, value)),
                Some(Undo::Variable(name, None)) => drop(self.variables.remove(&name)),
                Some(Undo::Function(name, Some(function))) => drop(self.functions.insert(name, function)),
                Some(Undo::Function(name, None)) => drop(self.functions.remove(&name)),
                Some(Undo::Folder(folder)) => self.folder = folder,
                Some(Undo::Positional(words)) => self.positional = words,
                None => {}
            }
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<Value> {
        self.variables.get(name).cloned()
    }

    pub(super) fn set(&mut self, name: &str, mut words: Vec<Word>) {
        if self.variables.len() >= MAX_NAMES && !self.variables.contains_key(name) {
            self.overflows = true;
            return;
        }
        let unknown = || Word { parts: vec![Part::Variable { name: name.to_owned(), may_be_empty: false }] };
        if words.len() > MAX_VALUES {
            self.overflows = true;
            words.truncate(MAX_VALUES);
            words.push(unknown());
        }
        for word in &mut words {
            if word.len() > MAX_VALUE {
                self.overflows = true;
                *word = unknown();
            }
        }
        let before = self.variables.insert(name.to_owned(), words.into());
        self.log.push(Undo::Variable(name.to_owned(), before));
    }

    /// It has a value, and nobody can say which.
    pub(super) fn set_unknown(&mut self, name: &str) {
        let part = Part::Variable { name: name.to_owned(), may_be_empty: false };
        self.set(name, vec![Word { parts: vec![part] }]);
    }

    pub(super) fn unset(&mut self, name: &str) {
        if let Some(before) = self.variables.remove(name) {
            self.log.push(Undo::Variable(name.to_owned(), Some(before)));
        }
    }

    pub(super) fn function(&self, name: &str) -> Option<Function> {
        self.functions.get(name).cloned()
    }

    pub(super) fn define(&mut self, name: &str, function: Function) {
        if self.functions.len() >= MAX_NAMES && !self.functions.contains_key(name) {
            self.overflows = true;
            return;
        }
        let before = self.functions.insert(name.to_owned(), function);
        self.log.push(Undo::Function(name.to_owned(), before));
    }

    pub(super) fn folder(&self) -> Option<Arc<Word>> {
        self.folder.clone()
    }

    pub(super) fn enter(&mut self, folder: Option<Arc<Word>>) {
        let before = std::mem::replace(&mut self.folder, folder);
        self.log.push(Undo::Folder(before));
    }

    pub(super) fn positional(&self) -> Option<Value> {
        self.positional.clone()
    }

    pub(super) fn set_positional(&mut self, words: Option<Value>) {
        let before = std::mem::replace(&mut self.positional, words);
        self.log.push(Undo::Positional(before));
    }

    /// After `cd to`: joined as it is written, for whoever knows where the shell is.
    pub(super) fn change_folder(&mut self, to: &Word) {
        let begins = to.prefix();
        // A variable may hold a whole path: then what was before does not count.
        let is_whole = begins.starts_with('/') || begins.is_empty() || to.is_home();
        let folder = match &self.folder {
            Some(folder) if !is_whole => {
                let mut joined = folder.as_ref().clone();
                joined.push(Part::Text("/".to_owned()));
                to.parts.iter().for_each(|part| joined.push(part.clone()));
                joined
            }
            _ => to.clone(),
        };
        let folder = if folder.len() > MAX_PATH { Word { parts: vec![Part::Given] } } else { folder };
        self.enter(Some(Arc::new(folder)));
    }
}
