//! What modules hand out, remembered while a question is answered: wildcards lead to the same modules again and again,
//! and in circles.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::Meaning;
use crate::modules::Module;

/// A module, a name, and how it is asked for.
type Key = (u32, u32, u8);

#[derive(Default)]
pub(super) struct Handed {
    modules: RefCell<HashMap<Module, u32>>,
    names: RefCell<HashMap<Box<str>, u32>>,
    known: RefCell<HashMap<Key, Option<Meaning>>>,
    /// What is being looked for, the first one first.
    asked: RefCell<Vec<Key>>,
    /// The place in `asked` of what was met again, if that is still being looked for.
    circle: Cell<Option<usize>>,
}

impl Handed {
    /// What is known, or what `look` finds. Who asks for what is being looked for finds nothing there.
    pub(super) fn find(
        &self,
        module: &Module,
        name: &str,
        how: u8,
        look: impl FnOnce() -> Option<Meaning>,
    ) -> Option<Meaning> {
        let key = (self.module(module), self.name(name), how);
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let again = self.asked.borrow().iter().position(|asked| *asked == key);
        if again.is_some() {
            self.meet(again);
            return None;
        }
        let place = self.asked.borrow().len();
        self.asked.borrow_mut().push(key);
        let outside = self.circle.take();
        let found = look();
        self.asked.borrow_mut().pop();
        let circle = self.circle.replace(outside).filter(|first| *first < place);
        self.meet(circle);
        // What was not found while somebody before is still looking may be found by them yet.
        if found.is_some() || circle.is_none() {
            self.known.borrow_mut().insert(key, found.clone());
        }
        found
    }

    /// What `look` finds, and whether it would find the same again: nobody it asked is still looking, or was broken off.
    pub(super) fn watch<T>(&self, look: impl FnOnce() -> T) -> (T, bool) {
        let outside = self.circle.take();
        let found = look();
        let circle = self.circle.replace(outside);
        self.meet(circle);
        (found, circle.is_none())
    }

    /// A thought that was broken off: nobody who is thinking knows that there is nothing.
    pub(super) fn break_off(&self) {
        self.meet(Some(0));
    }

    fn meet(&self, first: Option<usize>) {
        let nearest = [self.circle.get(), first].into_iter().flatten().min();
        self.circle.set(nearest);
    }

    fn module(&self, module: &Module) -> u32 {
        if let Some(known) = self.modules.borrow().get(module) {
            return *known;
        }
        let mut modules = self.modules.borrow_mut();
        let number = modules.len() as u32;
        modules.insert(module.clone(), number);
        number
    }

    fn name(&self, name: &str) -> u32 {
        if let Some(known) = self.names.borrow().get(name) {
            return *known;
        }
        let mut names = self.names.borrow_mut();
        let number = names.len() as u32;
        names.insert(name.into(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::FileId;

    #[test]
    fn what_is_not_found_in_a_circle_is_looked_for_again_and_what_is_found_is_not() {
        let handed = Handed::default();
        let [a, b] = [0, 1].map(|file| Module::of(FileId(file)));
        let looks = Cell::new(0);
        let count = || looks.set(looks.get() + 1);
        // a hands on what b hands out, and b what a does; then a finds it elsewhere.
        let found = handed.find(&a, "x", 0, || {
            let of_b = handed.find(&b, "x", 0, || {
                count();
                handed.find(&a, "x", 0, || unreachable!("a is being looked for"))
            });
            assert_eq!(of_b, None);
            Some(Meaning::Outside)
        });
        assert_eq!(found, Some(Meaning::Outside));
        let of_b = handed.find(&b, "x", 0, || {
            count();
            handed.find(&a, "x", 0, || unreachable!("a is known"))
        });
        assert_eq!((of_b, looks.get()), (Some(Meaning::Outside), 2));
        assert_eq!(handed.find(&b, "x", 0, || unreachable!("b is known now")), Some(Meaning::Outside));
        assert_eq!(handed.find(&b, "y", 0, || None), None);
        assert_eq!(handed.find(&b, "y", 0, || unreachable!("that there is nothing is known, too")), None);
    }
}
