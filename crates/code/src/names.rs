//! Texts of one file, each kept once.

use std::collections::HashMap;

use crate::facts::Name;

#[derive(Debug, Default)]
pub(crate) struct Names<'t> {
    known: HashMap<&'t str, Name>,
    /// Texts that stand nowhere in the file as they are: white space folded, arguments dropped.
    made: HashMap<Box<str>, Name>,
    list: Vec<Box<str>>,
}

impl<'t> Names<'t> {
    pub(crate) fn of(&mut self, text: &'t str) -> Name {
        if let Some(name) = self.known.get(text) {
            return *name;
        }
        let name = self.made(text);
        self.known.insert(text, name);
        name
    }

    pub(crate) fn made(&mut self, text: &str) -> Name {
        if let Some(name) = self.made.get(text) {
            return *name;
        }
        let name = Name(self.list.len() as u32);
        self.list.push(text.into());
        self.made.insert(text.into(), name);
        name
    }

    pub(crate) fn finish(self) -> Vec<Box<str>> {
        self.list
    }
}
