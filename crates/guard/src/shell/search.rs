//! What `find` would find, as far as its words tell: an expression over names, paths and kinds. A test that needs more
//! than these may hold or not.

use super::Word;

/// They write what was found into the file that follows.
pub(super) const WRITES: &[&str] = &["-fprint", "-fprint0", "-fls", "-fprintf"];
/// Tests and actions that take a word and are not looked into.
const WITH_WORD: &str = " -regex -iregex -xtype -size -mtime -mmin -atime -amin -ctime -cmin -user -group -uid -gid \
    -perm -links -inum -samefile -fstype -lname -ilname -used -regextype -context -newer -anewer -cnewer ";
/// Expressions within expressions; more are nobody's search.
const MAX_DEPTH: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    node: Node,
    pub min_depth: usize,
    pub max_depth: usize,
    /// Links are followed: `-L`.
    pub follows: bool,
    has_action: bool,
    /// Folders come after what is in them: then none is left out.
    is_deep: bool,
}

/// Something on the disk that is held against a search.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    pub name: &'a str,
    /// As `find` would say it: it begins with where the search begins.
    pub path: &'a str,
    /// The letter of `-type`.
    pub kind: char,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Name { pattern: String, folds: bool },
    Path { pattern: String, folds: bool },
    Kind(String),
    Unknown,
    Known(bool),
    Action,
    Prune,
    Not(Box<Node>),
    All(Vec<Node>),
    Any(Vec<Node>),
}

/// What may come of an expression.
#[derive(Clone, Copy)]
struct May {
    hold: bool,
    fail: bool,
}

#[derive(Default)]
struct Seen {
    reached: bool,
    pruned: bool,
}

impl Search {
    /// From the words after `find`.
    pub(super) fn of(words: &[Word]) -> Self {
        let mut search = Self {
            node: Node::Known(true),
            min_depth: 0,
            max_depth: usize::MAX,
            follows: false,
            has_action: false,
            is_deep: false,
        };
        let until = words.iter().position(|word| {
            let text = word.prefix();
            let is_option =
                matches!(&*text, "-H" | "-L" | "-P" | "-E" | "-X" | "-d" | "-s" | "-x" | "--" | "-D" | "-f");
            text.starts_with(['-', '(', '!']) && !is_option && !text.starts_with("-O")
        });
        let until = until.unwrap_or(words.len());
        search.follows = words[..until].iter().any(|word| word.text().as_deref() == Some("-L"));
        let mut words = words[until..].iter().peekable();
        search.node = search.any(&mut words, 0);
        search
    }

    /// Whether the search may act on this, and whether it stops above what is in it.
    pub fn finds(&self, entry: &Entry<'_>) -> (bool, bool) {
        let mut seen = Seen::default();
        let may = eval(&self.node, entry, &mut seen, true);
        let found = if self.has_action { seen.reached } else { may.hold };
        (found, seen.pruned && !self.is_deep)
    }

    /// A name that everything it finds has, as a pattern.
    pub fn name(&self) -> Option<&str> {
        fn of(node: &Node) -> Option<&str> {
            match node {
                Node::Name { pattern, folds: false } => Some(pattern),
                Node::All(nodes) => nodes.iter().find_map(of),
                Node::Any(nodes) => match nodes.as_slice() {
                    [only] => of(only),
                    _ => None,
                },
                _ => None,
            }
        }
        of(&self.node)
    }

    fn any(&mut self, words: &mut Words<'_>, depth: usize) -> Node {
        let mut any = Vec::new();
        loop {
            let mut all = Vec::new();
            let is_next = loop {
                match words.peek().map(|word| word.text()) {
                    None => break false,
                    Some(Some(text)) if text == ")" => break false,
                    Some(Some(text)) if matches!(&*text, "-o" | "-or" | ",") => {
                        words.next();
                        break true;
                    }
                    Some(Some(text)) if matches!(&*text, "-a" | "-and") => drop(words.next()),
                    Some(_) => all.push(self.one(words, depth)),
                }
            };
            any.push(Node::All(all));
            if !is_next {
                return Node::Any(any);
            }
        }
    }

    fn one<'a>(&mut self, words: &mut Words<'a>, depth: usize) -> Node {
        let Some(word) = words.next() else { return Node::Known(true) };
        let Some(text) = word.text() else { return Node::Unknown };
        if depth > MAX_DEPTH {
            return Node::Unknown;
        }
        let number = |words: &mut Words<'a>| words.next().and_then(Word::text)?.parse::<usize>().ok();
        match text.as_str() {
            "(" => {
                let node = self.any(words, depth + 1);
                words.next();
                node
            }
            "!" | "-not" => Node::Not(Box::new(self.one(words, depth + 1))),
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename" => {
                let Some(word) = words.next().filter(|word| !word.is_unknown()) else { return Node::Unknown };
                let (pattern, folds) = (word.shape(), text.starts_with("-i"));
                if text.ends_with("-name") || text == "-iname" {
                    Node::Name { pattern, folds }
                } else {
                    Node::Path { pattern, folds }
                }
            }
            "-type" => words.next().and_then(Word::text).map_or(Node::Unknown, Node::Kind),
            "-maxdepth" => {
                self.max_depth = number(words).unwrap_or(usize::MAX);
                Node::Known(true)
            }
            "-mindepth" => {
                self.min_depth = number(words).unwrap_or(0);
                Node::Known(true)
            }
            "-prune" => Node::Prune,
            "-depth" | "-d" => {
                self.is_deep = true;
                Node::Known(true)
            }
            "-true" | "-mount" | "-xdev" | "-daystart" | "-noleaf" | "-follow" | "-warn" | "-nowarn" => {
                self.follows |= text == "-follow";
                Node::Known(true)
            }
            "-false" => Node::Known(false),
            "-delete" => {
                self.is_deep = true;
                self.acts()
            }
            "-print" | "-print0" | "-ls" => self.acts(),
            "-printf" | "-fprint" | "-fprint0" | "-fls" => {
                words.next();
                self.acts()
            }
            "-fprintf" => {
                words.next();
                words.next();
                self.acts()
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                for word in words.by_ref() {
                    if word.text().is_some_and(|text| text == ";" || text == "+") {
                        break;
                    }
                }
                self.acts()
            }
            _ => {
                let takes = WITH_WORD.contains(&format!(" {text} ")) || text.starts_with("-newer");
                if takes {
                    words.next();
                }
                Node::Unknown
            }
        }
    }

    const fn acts(&mut self) -> Node {
        self.has_action = true;
        Node::Action
    }
}

type Words<'a> = std::iter::Peekable<std::slice::Iter<'a, Word>>;

fn eval(node: &Node, entry: &Entry<'_>, seen: &mut Seen, is_sure: bool) -> May {
    let known = |holds: bool| May { hold: holds, fail: !holds };
    match node {
        Node::Name { pattern, folds } => known(matches(pattern, entry.name, *folds)),
        Node::Path { pattern, folds } => known(matches(pattern, entry.path, *folds)),
        Node::Kind(kinds) => known(kinds.split(',').any(|kind| kind.starts_with(entry.kind))),
        Node::Unknown => May { hold: true, fail: true },
        Node::Known(holds) => known(*holds),
        Node::Action => {
            seen.reached = true;
            May { hold: true, fail: true }
        }
        Node::Prune => {
            seen.pruned |= is_sure;
            known(true)
        }
        Node::Not(node) => {
            let may = eval(node, entry, seen, is_sure);
            May { hold: may.fail, fail: may.hold }
        }
        Node::All(nodes) => {
            let mut all = known(true);
            for node in nodes {
                if !all.hold {
                    break;
                }
                let may = eval(node, entry, seen, is_sure && !all.fail);
                all = May { hold: may.hold, fail: all.fail || may.fail };
            }
            all
        }
        Node::Any(nodes) => {
            let mut any = known(false);
            for node in nodes {
                if !any.fail {
                    break;
                }
                let may = eval(node, entry, seen, is_sure && !any.hold);
                any = May { hold: any.hold || may.hold, fail: may.fail };
            }
            any
        }
    }
}

/// As `fnmatch` does it for `find`: `*` also crosses slashes and begins with a dot.
fn matches(pattern: &str, text: &str, folds: bool) -> bool {
    let letters = |text: &str| -> Vec<char> {
        if folds { text.to_lowercase().chars().collect() } else { text.chars().collect() }
    };
    let (pattern, text) = (letters(pattern), letters(text));
    let (mut at, mut place) = (0, 0);
    // The last star, and where the text was tried from behind it.
    let mut star: Option<(usize, usize)> = None;
    while place < text.len() {
        let step = match pattern.get(at) {
            Some('*') => {
                star = Some((at, place));
                at += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => class(&pattern[at..], text[place]),
            Some('\\') if at + 1 < pattern.len() => (pattern[at + 1] == text[place]).then_some(2),
            Some(letter) => (*letter == text[place]).then_some(1),
            None => None,
        };
        match (step, star) {
            (Some(step), _) => {
                at += step;
                place += 1;
            }
            (None, Some((behind, from))) => {
                star = Some((behind, from + 1));
                at = behind + 1;
                place = from + 1;
            }
            (None, None) => return false,
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

/// The length of a class that has the letter.
fn class(pattern: &[char], letter: char) -> Option<usize> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let begin = 1 + usize::from(negated);
    let Some(end) = (begin + 1..pattern.len()).find(|at| pattern[*at] == ']') else {
        return (letter == '[').then_some(1);
    };
    let members = &pattern[begin..end];
    let is_in = |at: usize| match members[at..] {
        [low, '-', high, ..] => (low..=high).contains(&letter),
        [one, ..] => one == letter,
        [] => false,
    };
    ((0..members.len()).any(is_in) != negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::read;

    #[track_caller]
    fn check(command: &str, found: &[&str], not: &[&str]) {
        let script = read(command);
        let search = Search::of(script.commands[0].arguments());
        for (path, expected) in
            found.iter().map(|path| (path, true)).chain(not.iter().map(|path| (path, false)))
        {
            let (text, kind) = path.strip_suffix('/').map_or((*path, 'f'), |folder| (folder, 'd'));
            let entry = Entry { name: text.rsplit('/').next().unwrap(), path: text, kind };
            assert_eq!(search.finds(&entry).0, expected, "{command}: {path}");
        }
    }

    #[test]
    fn an_expression_finds_what_find_would_find() {
        check("find . -name '*.o' -delete", &["./a.o", "./.o", "./d/x.o"], &["./a.pem", "./o"]);
        check("find . -name '*.o' -o -name '*.d' | x", &["./a.o", "./a.d"], &["./a.c"]);
        check("find . -type f ! -name '*.c' -exec rm {} +", &["./a.o"], &["./a.c", "./a.o/"]);
        check(r"find . \( -name a -o -name b \) -delete", &["./a", "./b"], &["./c"]);
        check("find . -path ./s -prune -o -name '*.o' -print", &["./a.o"], &["./s/", "./a"]);
        check("find . -path '*/s/*' -delete", &["./s/x", "./a/s/b/c"], &["./s/", "./sx/a"]);
        check("find . -iname '*.PEM' -mtime +3 -delete", &["./a.pem"], &["./a.o"]);
        check("find . -name '[ab]?' -newer x -delete", &["./ax", "./b1"], &["./cx", "./a"]);
        check("find . -name \"$X\" -delete", &["./a", "./b"], &[]);
        check("find . -maxdepth 1 -type f -empty -delete", &["./a"], &["./a/"]);
        check("find . -name '*a*b*c' -delete", &["./xaxbxc", "./abc"], &["./acb"]);
    }

    #[test]
    fn what_is_left_out_is_not_gone_into() {
        let script = read("find . -name node_modules -prune -o -type f -print");
        let search = Search::of(script.commands[0].arguments());
        let at = |name, kind| search.finds(&Entry { name, path: name, kind });
        assert_eq!(at("node_modules", 'd'), (false, true));
        assert_eq!(at("a", 'f'), (true, false));
        assert_eq!(search.name(), None);
        let script = read("find . -name '*.o' -delete");
        assert_eq!(Search::of(script.commands[0].arguments()).name(), Some("*.o"));
    }
}
