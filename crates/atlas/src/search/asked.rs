//! A query as people and models type it: a name, `Owner.name`, `fn name(`, `class X`, `kind:function name`, a piece of
//! source, or a description.

use code::Kind;

/// Words that say what follows is a definition, and of which kinds.
const KEYWORDS: &[(&str, &[Kind])] = &[
    ("fn", &[Kind::Function, Kind::Method, Kind::Constructor, Kind::Test]),
    ("func", &[Kind::Function, Kind::Method, Kind::Constructor, Kind::Test]),
    ("fun", &[Kind::Function, Kind::Method, Kind::Constructor, Kind::Test]),
    ("def", &[Kind::Function, Kind::Method, Kind::Constructor, Kind::Test]),
    ("function", &[Kind::Function, Kind::Method, Kind::Constructor, Kind::Test]),
    ("method", &[Kind::Method, Kind::Constructor, Kind::Function]),
    ("class", &[Kind::Class, Kind::Struct, Kind::Interface, Kind::Type]),
    ("struct", &[Kind::Struct, Kind::Class]),
    ("enum", &[Kind::Enum]),
    ("interface", &[Kind::Interface, Kind::Trait]),
    ("trait", &[Kind::Trait, Kind::Interface]),
    ("type", &[Kind::Type, Kind::Class, Kind::Struct, Kind::Enum, Kind::Interface, Kind::Trait]),
    ("const", &[Kind::Constant, Kind::Variable]),
    ("static", &[Kind::Constant, Kind::Variable]),
    ("let", &[Kind::Variable, Kind::Constant]),
    ("var", &[Kind::Variable, Kind::Constant]),
    ("mod", &[Kind::Module]),
    ("module", &[Kind::Module]),
    ("macro", &[Kind::Macro]),
    ("test", &[Kind::Test, Kind::Function, Kind::Method]),
    ("impl", &[Kind::Impl]),
];
/// What stands before such a word and says nothing to us.
const MODIFIERS: &[&str] = &[
    "pub",
    "async",
    "export",
    "default",
    "public",
    "private",
    "protected",
    "abstract",
    "final",
    "unsafe",
    "override",
];
/// Nobody types more; what is pasted begins with what matters.
const MAX_QUERY: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Asked {
    /// What a definition may be called, the type it belongs to first: `["Owner", "name"]`. Empty: it is a description.
    pub(super) name: Vec<String>,
    /// Empty: any.
    pub(super) kinds: Vec<Kind>,
    /// The query without its filters.
    pub(super) text: String,
    /// It stood in quotes: found as it is written, or not at all.
    pub(super) exactly: bool,
}

impl Asked {
    pub(super) fn read(query: &str) -> Self {
        let query = query[..query.floor_char_boundary(MAX_QUERY)].trim();
        let mut asked = Self::default();
        let mut words = Vec::new();
        for word in query.split_whitespace() {
            match word.strip_prefix("kind:").map(kinds_of) {
                Some(kinds) if !kinds.is_empty() => asked.kinds.extend(kinds),
                _ => words.push(word),
            }
        }
        asked.text = words.join(" ");
        if let Some(quoted) = quoted(&asked.text) {
            (asked.text, asked.exactly) = (quoted.to_owned(), true);
            return asked;
        }
        words.retain(|word| !MODIFIERS.contains(word));
        let keyword = words.first().and_then(|first| KEYWORDS.iter().find(|(known, _)| known == first));
        match (keyword, &words[..]) {
            (Some((_, kinds)), [_, name, ..])
                if words.len() == 2 || name.contains(['(', '<', ':', '{', '=']) =>
            {
                if let Some(name) = name_of(name) {
                    asked.name = name;
                    asked.kinds.extend(*kinds);
                }
            }
            (_, [name]) => asked.name = name_of(name).unwrap_or_default(),
            _ => {}
        }
        asked
    }

    /// What it would be called if the words of a description were a name: `readFile`, `read_file` of `read file`.
    pub(super) fn joined(&self) -> Vec<String> {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        if !(2..=6).contains(&words.len())
            || !words.iter().all(|word| word.chars().all(char::is_alphanumeric))
        {
            return Vec::new();
        }
        let small: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let capital = |word: &String| {
            let mut letters = word.chars();
            letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
        };
        let pascal: String = small.iter().map(capital).collect();
        let camel = small[0].clone() + &small[1..].iter().map(capital).collect::<String>();
        vec![small.join("_"), camel, pascal, small.join("-"), small.join("_").to_uppercase()]
    }
}

fn kinds_of(name: &str) -> Vec<Kind> {
    let known = KEYWORDS.iter().find(|(word, _)| *word == name).map(|(_, kinds)| kinds.to_vec());
    match Kind::from_name(name) {
        // Whoever asks for functions wants methods, too; whoever asks for methods means them.
        Some(Kind::Function) | None => known.unwrap_or_default(),
        Some(kind) => vec![kind],
    }
}

fn quoted(text: &str) -> Option<&str> {
    let inside = ['"', '\'', '`'].into_iter().find_map(|sign| text.strip_prefix(sign)?.strip_suffix(sign))?;
    (!inside.trim().is_empty()).then_some(inside)
}

/// The parts of a name, where the word is one: `a::B<T>.c(x)` is `a`, `B`, `c`.
fn name_of(word: &str) -> Option<Vec<String>> {
    let word = word.trim_end_matches(['{', ';', ',', '=', ':']);
    let word = without_arguments(word.split(['(', '{']).next().unwrap_or(word));
    let parts: Vec<&str> = word.split("::").flat_map(|part| part.split(['.', '#'])).collect();
    let is_name = |part: &&str| {
        let mut letters = part.chars();
        let begins = |first: char| first.is_alphabetic() || matches!(first, '_' | '$' | '@' | '~');
        letters.next().is_some_and(begins)
            && letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '!' | '?' | '-'))
    };
    // `file.rs` is a name and a path; that it is no definition is found out by looking.
    (!parts.is_empty() && parts.iter().all(is_name)).then(|| parts.into_iter().map(str::to_owned).collect())
}

/// `Vec<T>::push` is `Vec::push`.
fn without_arguments(word: &str) -> String {
    let mut depth = 0_u32;
    let mut kept = String::new();
    for letter in word.chars() {
        match letter {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, name: &[&str], kinds: &[&str]) {
        let asked = Asked::read(query);
        assert_eq!(asked.name, name, "{query}");
        for kind in kinds {
            assert!(asked.kinds.iter().any(|known| known.name() == *kind), "{query}: {:?}", asked.kinds);
        }
        assert_eq!(asked.kinds.is_empty(), kinds.is_empty(), "{query}");
    }

    #[test]
    fn a_name_is_a_name_however_it_is_typed() {
        check("parse_header", &["parse_header"], &[]);
        check("Owner.name", &["Owner", "name"], &[]);
        check("std::vec::Vec<T>::push(x)", &["std", "vec", "Vec", "push"], &[]);
        check("Owner#name", &["Owner", "name"], &[]);
        check("fn x(", &["x"], &["function", "method"]);
        check("pub async fn serve(self)", &["serve"], &["function"]);
        check("class HTTPServer:", &["HTTPServer"], &["class"]);
        check("def get_option", &["get_option"], &["method"]);
        check("kind:function name", &["name"], &["function", "method"]);
        check("kind:struct Builder", &["Builder"], &["struct"]);
        check("$scope", &["$scope"], &[]);
    }

    #[test]
    fn a_description_is_none() {
        check("parse the headers of a request", &[], &[]);
        check("class that serves files", &[], &[]);
        check("kind:class serves files over http", &[], &["class"]);
        check("kind:nonsense x", &[], &[]);
        check("", &[], &[]);
        check("3 + 4", &[], &[]);
        check("\u{202e}→", &[], &[]);
    }

    #[test]
    fn quotes_mean_what_is_written() {
        let asked = Asked::read("\"connection refused\"");
        assert!(asked.exactly && asked.text == "connection refused" && asked.name.is_empty());
        assert!(!Asked::read("\"").exactly && !Asked::read("''").exactly);
    }

    #[test]
    fn words_may_be_a_name_with_spaces() {
        assert!(Asked::read("read file").joined().contains(&"readFile".to_owned()));
        assert!(Asked::read("read file").joined().contains(&"read_file".to_owned()));
        assert!(Asked::read("how is a file read, and by whom").joined().is_empty());
    }
}
