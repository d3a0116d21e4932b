//! Members of something whose type is not seen. One definition may be the only one that fits; it is meant only if something
//! else than its name says so, because most values nobody can say anything about are of other projects' types.

use std::collections::HashMap;
use std::rc::Rc;

use code::{ChainId, Facts, Reference, Role, Root, Step};

use super::{At, MAX_GUESSES, Meaning, Resolution, Resolver, same_family};
use crate::library::Def;

/// Words of a variable's name that say nothing of what it is.
const FILLERS: &[&str] = &["class", "cls", "instance", "obj", "object", "type"];
/// Letters of a word that may stand for a longer one: `req`, `app`, `conn`.
const MIN_SHORT: usize = 3;

/// What a member of some name may be.
#[derive(Debug)]
pub(super) struct Guessed {
    /// The only one that is meant, if something speaks for it.
    one: Option<Def>,
    /// Itself and those that override it.
    fitting: Vec<Def>,
}

/// By name, then by language and whether it is called.
pub(super) type Guesses = HashMap<String, HashMap<(&'static str, bool), Rc<Guessed>>>;

impl<'a> Resolver<'a> {
    /// The only definition that fits, if there is only one and something speaks for it.
    pub(super) fn guess(&self, at: At<'a>, name: &str, reference: &Reference) -> Resolution {
        let settings = at.leaf.language.settings();
        if settings.common_members.iter().any(|common| common == name) {
            return Resolution::default();
        }
        let is_call = matches!(reference.role, Role::Call | Role::New);
        let guessed = self.guessed(at, name, is_call);
        match guessed.one {
            Some(one) if self.is_likely(at, name, reference, &guessed.fitting) => {
                Resolution { defs: self.overloads(one), sure: false, outside: false }
            }
            _ => Resolution::default(),
        }
    }

    /// What a member of this name may be in a language, whoever asks: a frequent name is asked for ten thousand times.
    fn guessed(&self, at: At<'a>, name: &str, is_call: bool) -> Rc<Guessed> {
        let key = (at.leaf.language.name, is_call);
        if let Some(known) = self.guesses.borrow().get(name).and_then(|known| known.get(&key)) {
            return Rc::clone(known);
        }
        let guessed = Rc::new(self.look_around(at, name, is_call));
        self.guesses.borrow_mut().entry(name.to_owned()).or_default().insert(key, Rc::clone(&guessed));
        guessed
    }

    fn look_around(&self, at: At<'a>, name: &str, is_call: bool) -> Guessed {
        let mut fitting = Vec::new();
        for def in self.library.named(name).take(MAX_GUESSES) {
            let Some((leaf, symbol)) = self.library.leaf(def.file).zip(self.library.symbol(def)) else {
                continue;
            };
            let is_member = symbol.owner.is_some() || self.owner(def).is_some();
            let fits = if is_call { symbol.kind.is_callable() } else { !symbol.kind.is_type() };
            if !same_family(leaf, at.leaf) || !is_member || !fits {
                continue;
            }
            fitting.push(def);
        }
        // Of a method and those that override it, the one they all come from is meant.
        let roots: Vec<Def> =
            fitting.iter().copied().filter(|def| !self.overrides_one_of(*def, &fitting)).collect();
        let one = roots.split_first().and_then(|(first, rest)| {
            // Overloads of one type are one.
            let owner = self.owner(*first);
            let is_one =
                rest.is_empty() || owner.is_some() && rest.iter().all(|def| self.owner(*def) == owner);
            is_one.then_some(*first)
        });
        Guessed { one, fitting }
    }

    fn overrides_one_of(&self, def: Def, others: &[Def]) -> bool {
        let Some(owner) = self.owner(def) else { return false };
        others.iter().any(|other| {
            *other != def
                && self.owner(*other).is_some_and(|base| base != owner && self.inherits(owner, base))
        })
    }

    /// Whether more than a name speaks for it: what is asked is called like the type, the code is of that type's own
    /// family, or nobody else has a member of that name.
    fn is_likely(&self, at: At<'a>, name: &str, reference: &Reference, fitting: &[Def]) -> bool {
        let owners: Vec<Def> = fitting.iter().filter_map(|def| self.owner(*def)).collect();
        let asked = reference.receiver.and_then(|chain| spoken(at.facts, chain));
        let is_called_so = asked.is_some_and(|asked| {
            owners.iter().any(|owner| {
                let of_type = self.library.facts(owner.file).zip(self.library.symbol(*owner));
                of_type.is_some_and(|(facts, symbol)| is_called_like(asked, facts.text(symbol.name)))
            })
        });
        is_called_so
            || self.own_type(at).is_some_and(|own| owners.iter().any(|owner| self.inherits(own, *owner)))
            || words(name).len() > 1 && !self.is_foreign(at, name)
    }

    /// Whether a member of this name is asked of something that is known not to be of the workspace.
    fn is_foreign(&self, at: At<'a>, name: &str) -> bool {
        if let Some(known) = self.foreign.borrow().get(name) {
            return *known;
        }
        let is_foreign = self.library.mentioning(name).iter().any(|file| {
            let there = self.at(*file, None, 0).filter(|there| same_family(there.leaf, at.leaf));
            let Some((there, known)) =
                there.and_then(|there| Some((there, there.leaf.index().name_id(name)?)))
            else {
                return false;
            };
            let uses = there.leaf.index().references(known).iter();
            uses.map(|index| &there.facts.references[*index as usize]).any(|found| {
                let there = At { within: found.within, line: found.line, column: found.column, ..there };
                found.receiver.is_some_and(|chain| self.chain(there, chain) == Meaning::Outside)
            })
        });
        self.foreign.borrow_mut().insert(name.to_owned(), is_foreign);
        is_foreign
    }
}

/// The name by which something is asked: `request` of `self.request`, `get_request` of `get_request()`.
fn spoken(facts: &Facts, chain: ChainId) -> Option<&str> {
    let chain = facts.chain(chain)?;
    let last = chain.steps.iter().rev().find_map(|step| match step {
        Step::Member(name) => Some(*name),
        _ => None,
    });
    last.or(match chain.root {
        Root::Name(name) => Some(name),
        _ => None,
    })
    .map(|name| facts.text(name))
}

/// Whether something that is called so may be of a type that is called so.
fn is_called_like(asked: &str, of_type: &str) -> bool {
    let (asked, of_type) = (words(asked), words(of_type));
    let Some(last) = asked.iter().rev().find(|word| !FILLERS.contains(&word.as_str())) else { return false };
    let initials: String = of_type.iter().filter_map(|word| word.chars().next()).collect();
    let is_short = |one: &str, other: &str| one.len() >= MIN_SHORT && other.starts_with(one);
    of_type.iter().any(|word| word == last || is_short(word, last) || is_short(last, word))
        || last.len() > 1 && *last == initials
        || last.len() >= MIN_SHORT && *last == of_type.concat()
}

/// The words a name is made of, in small letters.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut begins = true;
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphabetic() {
            begins = true;
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let is_hump = letter.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase())
                // The last capital of several begins a word: `HTTPConnection`.
                || letters.get(at + 1).is_some_and(|next| next.is_lowercase()));
        if begins || is_hump {
            words.push(String::new());
        }
        begins = false;
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_words() {
        for (name, expected) in [
            ("HTTPConnection", "http connection"),
            ("_bind_to_schema", "bind to schema"),
            ("parseURL2", "parse url"),
            ("x", "x"),
            ("$", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn what_is_called_like_a_type_may_be_of_it() {
        for (asked, of_type) in [
            ("request", "Request"),
            ("req", "Request"),
            ("param_convertors", "Convertor"),
            ("field_obj", "Field"),
            ("ws", "WebSocket"),
            ("websocket", "WebSocket"),
            ("client", "TestClient"),
            ("get_request", "Request"),
            ("app2", "Application"),
        ] {
            assert!(is_called_like(asked, of_type), "{asked} {of_type}");
        }
        for (asked, of_type) in [
            ("response", "Request"),
            ("cookies", "TestClient"),
            ("request_body", "Request"),
            ("r", "Request"),
        ] {
            assert!(!is_called_like(asked, of_type), "{asked} {of_type}");
        }
    }
}
