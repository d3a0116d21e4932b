//! A prompt as skills are held against it: its words without their endings, its sentences, the files it names, and where
//! it lies among meanings.

use embed::{Embedder, StaticModel};

/// What a person types is shorter; what is longer was pasted, and what is asked stands above or below it.
const MAX_CHARS: usize = 1500;
const EITHER_END: usize = 600;
/// Of one sentence; a longer one is no sentence.
const MAX_SENTENCE: usize = 300;
const MAX_FILES: usize = 32;
/// Before what is wanted: politeness, and who is asked.
const LEADS: &str = "please can could would you we i us lets let's want need to should help me now then ok okay so and also just hey hi";

#[derive(Debug)]
pub struct Prompt {
    /// Stemmed, in order; names that are made of several words are taken apart.
    pub(super) words: Vec<String>,
    /// The same with such names whole: `GraphQL` is one word to whoever writes `graphql`.
    pub(super) whole: Vec<String>,
    pub(super) sentences: Vec<String>,
    /// The first word of each sentence that says what is wanted, stemmed.
    pub(super) verbs: Vec<String>,
    /// As they are written.
    pub(super) files: Vec<String>,
    /// Edited lately, from the workspace.
    pub(super) edited: Vec<String>,
    pub(super) vector: Vec<f32>,
    /// In small letters.
    pub(super) text: String,
}

impl Prompt {
    /// `None`: it asks nothing (a command of the client's, a machine's message, nothing at all).
    pub fn read(text: &str, edited: &[String]) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.starts_with('/') || text.starts_with('<') || text.starts_with('!') {
            return None;
        }
        let text = without_code(text);
        let text = ends(&text);
        let sentences = sentences(&text);
        let verbs = sentences.iter().filter_map(|sentence| verb(sentence)).collect();
        let (words, whole) = (terms(&text), whole(&text));
        if words.is_empty() {
            return None;
        }
        let files = text.split_whitespace().filter_map(file).take(MAX_FILES).collect();
        let vector = vector(&text);
        let edited = edited.iter().take(MAX_FILES).cloned().collect();
        Some(Self { words, whole, sentences, verbs, files, edited, vector, text: text.to_lowercase() })
    }

    /// Whether it has these words, one after the other.
    pub(super) fn has(&self, keyword: &Keyword) -> bool {
        match &keyword.signed {
            Some(signed) => has_signed(&self.text, signed),
            None => within(&self.words, &keyword.words) || within(&self.whole, &keyword.whole),
        }
    }
}

fn within(text: &[String], words: &[String]) -> bool {
    !words.is_empty() && text.windows(words.len()).any(|window| window == words)
}

/// A word or phrase that somebody looks for.
#[derive(Debug)]
pub(super) struct Keyword {
    pub(super) written: String,
    /// Stemmed, in order, as [`Prompt`] has them.
    pub(super) words: Vec<String>,
    whole: Vec<String>,
    /// In small letters, where a sign at either end is part of the name: `c++`, `c#`, `.net`, `--force`.
    signed: Option<String>,
}

impl Keyword {
    /// A sign is a part of it, so it is the name of something: `c++`.
    pub(super) fn is_sign(&self) -> bool {
        self.signed.as_ref().is_some_and(|signed| signed.ends_with(AT_THE_END))
    }

    /// `None`: it says nothing.
    pub(super) fn read(written: &str) -> Option<Self> {
        let (words, whole) = (terms(written), whole(written));
        let signed = Some(written.trim().to_lowercase()).filter(|text| is_signed(text));
        // A single letter is a word of every text.
        let letters = words.iter().map(|word| word.chars().count()).sum::<usize>();
        let says_something = letters > 1 || letters == 1 && signed.is_some();
        says_something.then(|| Self { written: crate::page::one_line(written, 60), words, whole, signed })
    }
}

/// Signs that end a name, and those that begin one. Others (`?`, `!`, quotes) only stand beside words.
const AT_THE_END: [char; 2] = ['+', '#'];
const AT_THE_BEGINNING: [char; 5] = ['.', '#', '@', '$', '-'];

fn is_signed(text: &str) -> bool {
    let is_name = |text: &str| text.chars().any(char::is_alphanumeric);
    is_name(text) && (text.ends_with(AT_THE_END) || text.starts_with(AT_THE_BEGINNING))
}

/// A sign is its own border, as long as it is not one of more: `c+` is not in `c++`. Both in small letters.
fn has_signed(text: &str, signed: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(signed).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + signed.len()..].chars().next());
        let begins = match signed.chars().next() {
            // `asp.net`, `App.tsx`.
            Some('.') => before != Some('.'),
            first => before.is_none_or(|before| !is_letter(before) && Some(before) != first),
        };
        let ends = match signed.chars().next_back() {
            // `c++17`.
            Some(last) if AT_THE_END.contains(&last) => {
                after.is_none_or(|after| after != last && (!is_letter(after) || after.is_numeric()))
            }
            _ => after.is_none_or(|after| !is_letter(after)),
        };
        begins && ends
    })
}

/// Words without their endings.
pub(super) fn terms(text: &str) -> Vec<String> {
    recall::analyze(text).words
}

/// The same without taking names apart.
pub(super) fn whole(text: &str) -> Vec<String> {
    terms(&text.to_lowercase())
}

/// Where a text lies among meanings; zeros, which are near to nothing, where no word is known.
pub(super) fn vector(text: &str) -> Vec<f32> {
    let made = StaticModel::builtin().embed(&[text]).ok();
    made.and_then(|mut vectors| vectors.pop()).unwrap_or_default()
}

/// From -1 to 1; vectors have unit length.
pub(super) fn nearness(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// What stands in a block of code was pasted: it says nothing of what is wanted.
fn without_code(text: &str) -> String {
    let parts = text.split("```").enumerate();
    parts.filter(|(at, _)| at % 2 == 0).map(|(_, part)| part).collect::<Vec<_>>().join("\n")
}

fn ends(text: &str) -> String {
    if text.chars().count() <= MAX_CHARS {
        return text.to_owned();
    }
    let first: String = text.chars().take(EITHER_END).collect();
    let mut last: Vec<char> = text.chars().rev().take(EITHER_END).collect();
    last.reverse();
    format!("{first}\n{}", last.into_iter().collect::<String>())
}

fn sentences(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut sentence = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends = matches!(letter, '\n' | ';')
            || (matches!(letter, '.' | '!' | '?') && letters.peek().is_none_or(|next| next.is_whitespace()));
        if ends || sentence.chars().count() >= MAX_SENTENCE {
            all.push(std::mem::take(&mut sentence));
        }
        if !ends {
            sentence.push(letter);
        }
    }
    all.push(sentence);
    all.retain(|sentence| !sentence.trim().is_empty());
    all
}

fn verb(sentence: &str) -> Option<String> {
    let is_lead = |word: &&str| {
        let word =
            word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '\'').to_lowercase();
        LEADS.split(' ').any(|lead| lead == word)
    };
    let first = sentence.split_whitespace().find(|word| !is_lead(word))?;
    terms(first).into_iter().next()
}

/// A word that is a path: it has a slash, or an ending like a file's.
fn file(word: &str) -> Option<String> {
    let word = word.trim_matches(|letter: char| "\"'`()[]{}<>,;:!?".contains(letter)).trim_end_matches('.');
    let word = word.strip_prefix('@').unwrap_or(word).trim_start_matches("./");
    if word.contains("://") || word.len() < 3 {
        return None;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=5).contains(&ending.len())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
    });
    (has_ending || (word.contains('/') && word.matches('/').count() > 1)).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_its_words_its_wishes_and_its_files() {
        let prompt =
            Prompt::read("Hi! Could you please fix src/web/App.tsx, and the tests in `lib/a.rs`?", &[])
                .unwrap();
        assert_eq!(prompt.files, ["src/web/App.tsx", "lib/a.rs"]);
        assert!(prompt.verbs.contains(&"fix".to_owned()), "{:?}", prompt.verbs);
        let has = |prompt: &Prompt, word: &str| prompt.has(&Keyword::read(word).unwrap());
        assert!(has(&prompt, "test") && !has(&prompt, "est"));
        for nothing in ["", "/clear", "<task-notification>x", "   ", "!ls"] {
            assert!(Prompt::read(nothing, &[]).is_none(), "{nothing}");
        }
        let pasted = Prompt::read("why?\n```\nkubectl deploy\n```", &[]).unwrap();
        assert!(!has(&pasted, "deploy"));
    }

    #[test]
    fn a_keyword_is_found_however_its_letters_are_written_and_signs_are_part_of_it() {
        for (keyword, prompt, is_there) in [
            ("graphql", "add a GraphQL api", true),
            ("GraphQL", "add a graphql api", true),
            ("TypeScript", "port it to typescript", true),
            ("PostgreSQL", "use postgresql here", true),
            ("OpenAPI", "write the OPENAPI document", true),
            ("openapi", "the OpenAPIs of both", true),
            ("react component", "make a ReactComponent", true),
            ("user service", "where is userService?", true),
            ("script", "port it to typescript", false),
            ("c++", "port it to C++.", true),
            ("c++", "in c++17, please", true),
            ("c++", "the abc++ thing", false),
            ("c++", "a c+++ thing", false),
            ("c++", "a plan c", false),
            ("C#", "rewrite it in C#", true),
            ("c#", "the (C#) part", true),
            ("c#", "vitamin c is good", false),
            ("f#", "half#way", false),
            (".net", "an ASP.NET page", true),
            (".net", "cast the net", false),
            ("--force", "push with --force", true),
            ("--force", "--force-with-lease is fine", true),
            ("--force", "use the force", false),
            ("node.js", "a node.js server", true),
            ("what is this?", "what is this", true),
        ] {
            let (read, word) = (Prompt::read(prompt, &[]).unwrap(), Keyword::read(keyword).unwrap());
            assert_eq!(read.has(&word), is_there, "{keyword} in {prompt}");
        }
        for nothing in ["c", "", "?", "++"] {
            assert!(Keyword::read(nothing).is_none(), "{nothing}");
        }
    }
}
