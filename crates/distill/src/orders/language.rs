//! The words by which an order is known in a language, read from `LANG.txt`; `README.md` beside them tells their form.

use std::collections::HashSet;
use std::sync::LazyLock;

/// What a phrase says about the sentence that holds it. `README.md` says what belongs into each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Language,
    Opening,
    Remember,
    Standing,
    Choice,
    Forbidding,
    Wish,
    Unwished,
    Task,
    Moment,
    Pointing,
    Question,
    Request,
    Report,
    Telling,
    GoingOn,
    Voice,
    Workflow,
    Trivial,
    Asking,
    Between,
    Lasting,
    Comparing,
    Craft,
    Reason,
    Definite,
    Numbered,
    Purpose,
    Assuring,
    WhyNot,
    Modal,
    Principle,
    Accepting,
    Deciding,
    Chore,
}

const SECTIONS: &[(&str, Section)] = &[
    ("language", Section::Language),
    ("opening", Section::Opening),
    ("remember", Section::Remember),
    ("standing", Section::Standing),
    ("choice", Section::Choice),
    ("forbidding", Section::Forbidding),
    ("wish", Section::Wish),
    ("unwished", Section::Unwished),
    ("task", Section::Task),
    ("moment", Section::Moment),
    ("pointing", Section::Pointing),
    ("question", Section::Question),
    ("request", Section::Request),
    ("report", Section::Report),
    ("telling", Section::Telling),
    ("going-on", Section::GoingOn),
    ("voice", Section::Voice),
    ("workflow", Section::Workflow),
    ("trivial", Section::Trivial),
    ("asking", Section::Asking),
    ("between", Section::Between),
    ("lasting", Section::Lasting),
    ("comparing", Section::Comparing),
    ("craft", Section::Craft),
    ("reason", Section::Reason),
    ("definite", Section::Definite),
    ("numbered", Section::Numbered),
    ("purpose", Section::Purpose),
    ("assuring", Section::Assuring),
    ("why-not", Section::WhyNot),
    ("modal", Section::Modal),
    ("principle", Section::Principle),
    ("accepting", Section::Accepting),
    ("deciding", Section::Deciding),
    ("chore", Section::Chore),
];

/// English first: where nothing tells, it is the language of a sentence.
const FILES: &[(&str, &str)] = &[
    ("en", include_str!("en.txt")),
    ("de", include_str!("de.txt")),
    ("fr", include_str!("fr.txt")),
    ("es", include_str!("es.txt")),
    ("pt", include_str!("pt.txt")),
    ("it", include_str!("it.txt")),
    ("ru", include_str!("ru.txt")),
    ("zh", include_str!("zh.txt")),
    ("ja", include_str!("ja.txt")),
    ("ko", include_str!("ko.txt")),
];

static ALL: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let mut all: Vec<Language> = FILES.iter().map(|(name, text)| Language::read(name, text)).collect();
    // Words of the trade ("commit", "push") are said in every language, so that they tell none.
    if let Some((english, others)) = all.split_first_mut() {
        for other in others {
            other.words.retain(|word| other.own.contains(word) || !english.words.contains(word));
        }
        english.words.retain(|word| english.own.contains(word));
    }
    all
});

#[derive(Debug)]
pub(super) struct Language {
    pub(super) name: &'static str,
    /// Words stand apart; otherwise a phrase is found inside of others.
    spaced: bool,
    phrases: Vec<Vec<Phrase>>,
    /// What tells it from other languages: its own words and letters, and the words of its orders.
    words: HashSet<String>,
    /// Those of its section alone.
    own: HashSet<String>,
    letters: Vec<char>,
}

/// `^a … b*`: at the beginning of a clause, "a", then anywhere after it a word that begins with "b".
#[derive(Debug)]
struct Phrase {
    /// At the beginning of a clause (`^`), or of the sentence (`^^`).
    begins: bool,
    first: bool,
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    text: String,
    /// The last word may go on.
    open: bool,
}

/// Where a phrase was found in a sentence.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordMatch<'a> {
    /// Where it begins.
    pub(super) start: usize,
    /// What follows it.
    pub(super) rest: &'a str,
    /// What follows its first words: the object of an imperative.
    pub(super) object: &'a str,
    /// It begins a clause, as an imperative does.
    pub(super) begins: bool,
}

/// Whether a sentence names a principle of the trade ("YAGNI"), in whatever language it is.
pub(super) fn principle(bare: &str) -> bool {
    ALL[0].finds(Section::Principle, bare).is_some()
}

/// The language of a text: by its script, or else by the words that hold its sentences together.
pub(super) fn of(text: &str) -> &'static Language {
    guess(text).unwrap_or(&ALL[0])
}

/// A sentence may be in another language than the text around it.
pub(super) fn of_sentence(sentence: &str, of_text: &'static Language) -> &'static Language {
    guess(sentence).unwrap_or(of_text)
}

fn guess(text: &str) -> Option<&'static Language> {
    const SEEN_BYTES: usize = 2000;
    let text = plain(&text[..text.floor_char_boundary(SEEN_BYTES)]);
    let named = |name: &str| ALL.iter().find(|language| language.name == name);
    let count = |wanted: fn(char) -> bool| text.chars().filter(|char| wanted(*char)).count();
    if count(|char| matches!(char, '가'..='힣')) > 1 {
        return named("ko");
    }
    if count(|char| matches!(char, 'ぁ'..='ヿ')) > 1 {
        return named("ja");
    }
    if count(|char| matches!(char, '一'..='鿿')) > 1 {
        return named("zh");
    }
    if count(|char| matches!(char, 'а'..='я' | 'ё')) > 3 {
        return named("ru");
    }
    let score = |language: &Language| {
        let letters = language.letters.iter().filter(|letter| text.contains(**letter)).count();
        letters + words_of(&text).filter(|word| language.words.contains(*word)).count()
    };
    // Of two with the same count the first one is taken.
    let scored = ALL.iter().rev().map(|language| (score(language), language)).filter(|(score, _)| *score > 0);
    scored.max_by_key(|(score, _)| *score).map(|(_, language)| language)
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !(char.is_alphanumeric() || char == '\'')).filter(|word| !word.is_empty())
}

/// In small letters, with one kind of apostrophe and of space.
pub(super) fn plain(text: &str) -> String {
    let lower = text.to_lowercase().replace(['’', '‘'], "'");
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first words of what follows, up to the end of the clause.
fn near(rest: &str, words: usize) -> String {
    let clause = rest.split([',', ';', ':', '(']).next().unwrap_or("");
    clause.split_whitespace().take(words).collect::<Vec<_>>().join(" ")
}

impl Language {
    fn read(name: &'static str, text: &str) -> Self {
        let mut phrases: Vec<Vec<Phrase>> = SECTIONS.iter().map(|_| Vec::new()).collect();
        let mut section = None;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(heading) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = SECTIONS.iter().find(|(known, _)| *known == heading).map(|(_, section)| *section);
            } else if let Some(section) = section {
                phrases[section as usize].extend(Phrase::read(line));
            }
        }
        let own = |section: Section| phrases[section as usize].iter().flat_map(|phrase| &phrase.parts);
        let orders = [Section::Standing, Section::Choice, Section::Forbidding, Section::Wish]
            .into_iter()
            .flat_map(own);
        let said = orders.flat_map(|part| words_of(&part.text)).filter(|word| word.chars().count() > 2);
        let language: HashSet<String> = own(Section::Language).map(|part| part.text.clone()).collect();
        let words = said.map(str::to_owned).chain(language.iter().cloned()).collect();
        let single = |part: &Part| {
            part.text.chars().next().filter(|first| !first.is_ascii() && part.text.chars().count() == 1)
        };
        let letters = own(Section::Language).filter_map(single).collect();
        Self { name, spaced: !matches!(name, "zh" | "ja" | "ko"), words, own: language, letters, phrases }
    }

    pub(super) fn is_empty(&self, section: Section) -> bool {
        self.phrases[section as usize].is_empty()
    }

    /// What follows the first phrase of a section in a sentence.
    pub(super) fn finds<'a>(&self, section: Section, bare: &'a str) -> Option<&'a str> {
        self.matches(section, bare).map(|found| found.rest)
    }

    /// The first phrase of a section in a sentence.
    pub(super) fn matches<'a>(&self, section: Section, bare: &'a str) -> Option<WordMatch<'a>> {
        let mut clauses = None;
        self.phrases[section as usize].iter().find_map(|phrase| {
            if !phrase.begins {
                let (first, others) = phrase.parts.split_first()?;
                let first_end = self.find(first, bare, 0)?;
                let end = self.others_end(others, bare, first_end)?;
                let start = first_end - first.text.len();
                return Some(WordMatch { start, rest: &bare[end..], object: &bare[end..], begins: false });
            }
            let clauses = clauses.get_or_insert_with(|| self.clauses(bare));
            let places = if phrase.first { 1 } else { clauses.len() };
            let places = clauses.iter().take(places);
            let (at, end) = places.copied().find_map(|at| Some((at, self.ends_from(phrase, bare, at)?)))?;
            let first = phrase.parts.first().map_or(0, |part| part.text.len());
            Some(WordMatch { start: at, rest: &bare[end..], object: &bare[at + first..], begins: true })
        })
    }

    pub(super) fn is_spaced(&self) -> bool {
        self.spaced
    }

    /// Whether what follows an imperative is a definite thing that has no name: "move the cursor".
    pub(super) fn is_definite(&self, rest: &str) -> bool {
        /// "Use gzip for the segments" is about gzip.
        const NEAR: usize = 2;
        /// A name stands behind its article.
        const NAMED: usize = 5;
        self.spaced
            && self.finds(Section::Definite, &near(rest, NEAR)).is_some()
            && crate::text::names(&near(rest, NAMED)) == 0
    }

    /// Whether what follows an imperative is a kind of things: "amend commits". English tells it by the form of a word.
    pub(super) fn is_plural(&self, rest: &str) -> bool {
        const NEAR: usize = 3;
        let plural = |word: &str| {
            word.len() > 3
                && word.ends_with('s')
                && !["ss", "us", "is", "'s"].iter().any(|end| word.ends_with(end))
        };
        self.name == "en" && near(rest, NEAR).split(' ').any(plural)
    }

    /// Whether the last word points at what is at hand: "we should always show it".
    pub(super) fn ends_pointing(&self, bare: &str) -> bool {
        let last = bare.rsplit(' ').next().unwrap_or("").trim_end_matches(['.', '!', ')']);
        self.spaced
            && !bare.contains([',', ';', ':'])
            && [Section::Definite, Section::Pointing]
                .iter()
                .all(|section| self.begins(*section, last).is_some_and(str::is_empty))
    }

    /// What follows the longest phrase of a section that a sentence begins with.
    pub(super) fn begins<'a>(&self, section: Section, bare: &'a str) -> Option<&'a str> {
        let phrases = self.phrases[section as usize].iter();
        let ends = phrases.filter_map(|phrase| self.ends_from(phrase, bare, 0));
        ends.max()
            .map(|end| bare[end..].trim_start_matches([' ', ',', ':', '-', '—', '，', '：', '、', '.', '!']))
    }

    /// Without "ok", "please", "and" and the like before it.
    pub(super) fn without_openings<'a>(&self, lower: &'a str) -> &'a str {
        let mut bare = lower.trim_start_matches(['"', '\'', '(', ' ']);
        while let Some(rest) =
            self.begins(Section::Opening, bare).filter(|rest| rest.len() < bare.len() && !rest.is_empty())
        {
            bare = rest;
        }
        bare
    }

    /// The same for a title, in the letters it was typed in.
    pub(super) fn bare_title<'a>(&self, sentence: &'a str) -> &'a str {
        let lower = plain(sentence);
        let mut bare = self.without_openings(&lower);
        if let Some(rest) = self.begins(Section::Remember, bare).filter(|rest| self.is_enough(rest)) {
            bare = self.without_openings(rest);
        }
        let asked = self.begins(Section::Request, bare).or_else(|| self.begins(Section::WhyNot, bare));
        if let Some(rest) = asked {
            bare = self.without_openings(rest);
        }
        // Small letters may take more bytes than large ones, but are as many.
        let dropped = lower[..lower.len() - bare.len()].chars().count();
        let at = sentence.char_indices().nth(dropped).map_or(0, |(at, _)| at);
        let same = sentence.chars().count() == lower.chars().count();
        if same { sentence[at..].trim_start() } else { sentence }
    }

    /// Whether a sentence is long enough to say something by itself.
    pub(super) fn is_enough(&self, bare: &str) -> bool {
        if self.spaced {
            bare.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).nth(2).is_some()
        } else {
            bare.chars().filter(|char| char.is_alphanumeric()).nth(4).is_some()
        }
    }

    /// Whether the clause in which something was found speaks of what is at hand: "this should work", "so it shouldn't".
    pub(super) fn points_before(&self, bare: &str, found: WordMatch<'_>) -> bool {
        let clause = self.clauses(bare).into_iter().rfind(|start| *start <= found.start).unwrap_or(0);
        let clause = &bare[clause..];
        // "That's wrong, …" begins with what was found.
        let sections = [Section::Wish, Section::Unwished, Section::Forbidding, Section::Choice];
        let subject = bare[..found.start].trim_end().rsplit(' ').next().unwrap_or("");
        self.begins(Section::Pointing, clause).is_some()
            && sections.iter().all(|section| self.begins(*section, clause).is_none())
            || self.spaced && self.begins(Section::Pointing, subject).is_some_and(str::is_empty)
    }

    /// Whether a sentence ends with what is at hand: "use the reviewer on this".
    pub(super) fn points_last(&self, bare: &str, rest: &str) -> bool {
        if rest.contains([',', ';', ':']) {
            return false;
        }
        let last = bare.rsplit(' ').next().unwrap_or("").trim_end_matches(['.', '!', ')']);
        self.spaced && self.begins(Section::Pointing, last).is_some_and(str::is_empty)
    }

    /// Whether what is forbidden or chosen is at hand: "don't commit this".
    pub(super) fn points(&self, rest: &str, bare: &str) -> bool {
        const NEAR: usize = 3;
        if !self.spaced {
            // The verb comes last in Japanese and Korean.
            let object = if self.name == "zh" { rest } else { bare };
            return self.finds(Section::Pointing, object).is_some();
        }
        // "In this repo" points at what lasts.
        let (close, around) = (near(rest, NEAR), near(rest, NEAR + 2));
        self.matches(Section::Pointing, &close).is_some_and(|pointing| {
            let lasting = self.matches(Section::Lasting, &around);
            !lasting.is_some_and(|lasting| {
                (lasting.start..around.len() - lasting.rest.len()).contains(&pointing.start)
            })
        })
    }

    /// Whether what is wished for is done once: a verb such as "add" follows, or ends the sentence.
    pub(super) fn is_task(&self, rest: &str, bare: &str) -> bool {
        if !self.spaced {
            return self.finds(Section::Task, bare).is_some();
        }
        let mut verb = rest.trim_start();
        while let Some(next) = self.begins(Section::Between, verb) {
            verb = next;
        }
        let last = bare.rsplit(' ').next().unwrap_or("").trim_end_matches(['.', '!', ',']);
        let ends = matches!(self.name, "de") && self.finds(Section::Task, last).is_some();
        ends || self.begins(Section::Task, verb).is_some()
    }

    /// Whether a sentence begins with a verb of a task, and with nothing that is wished for or forbidden.
    pub(super) fn begins_task(&self, bare: &str) -> bool {
        let sections = [Section::Wish, Section::Forbidding, Section::Choice];
        self.begins(Section::Task, bare).is_some()
            && sections.iter().all(|section| self.begins(*section, bare).is_none())
    }

    /// Where clauses begin, after their own openings.
    fn clauses(&self, bare: &str) -> Vec<usize> {
        let mut found = vec![0];
        for (at, char) in bare.char_indices() {
            let next = at + char.len_utf8();
            let spaced = bare[next..].starts_with(' ')
                && matches!(char, ',' | ';' | ':' | '.' | '-' | '—' | '–' | ')');
            if spaced || char == '(' || matches!(char, '，' | '、' | '；' | '：' | '。') {
                let rest = self.without_openings(&bare[next..]);
                found.push(bare.len() - rest.len());
            }
        }
        found
    }

    /// Where a phrase ends that begins at a place.
    fn ends_from(&self, phrase: &Phrase, text: &str, at: usize) -> Option<usize> {
        let (first, others) = phrase.parts.split_first()?;
        let end = at + first.text.len();
        let here = text[at..].starts_with(first.text.as_str()) && self.is_whole(first, text, at, end);
        if here { self.others_end(others, text, end) } else { None }
    }

    fn others_end(&self, others: &[Part], text: &str, end: usize) -> Option<usize> {
        others.iter().try_fold(end, |end, part| self.find(part, text, end))
    }

    /// Where the first whole occurrence of a part ends.
    fn find(&self, part: &Part, text: &str, from: usize) -> Option<usize> {
        let places = text[from..].match_indices(part.text.as_str()).map(|(at, _)| from + at);
        places
            .map(|at| (at, at + part.text.len()))
            .find(|(at, end)| self.is_whole(part, text, *at, *end))
            .map(|(_, end)| end)
    }

    /// Whether no word goes on at either side.
    fn is_whole(&self, part: &Part, text: &str, at: usize, end: usize) -> bool {
        let free = |char: Option<char>| !char.is_some_and(|char| char.is_alphanumeric() || char == '_');
        let wordy = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
        !self.spaced
            || (free(text[..at].chars().next_back()) || !wordy(part.text.chars().next()))
                && (part.open || free(text[end..].chars().next()) || !wordy(part.text.chars().next_back()))
    }
}

impl Phrase {
    fn read(line: &str) -> Option<Self> {
        let line = plain(line);
        let (begins, rest) = line.strip_prefix('^').map_or((false, line.as_str()), |rest| (true, rest));
        let (first, rest) = rest.strip_prefix('^').map_or((false, rest), |rest| (true, rest));
        let part = |text: &str| {
            let text = text.trim();
            let word = text.strip_suffix('*');
            Part { text: word.unwrap_or(text).to_owned(), open: word.is_some() }
        };
        let parts: Vec<Part> = rest.split('…').map(part).collect();
        parts.iter().all(|part| !part.text.is_empty()).then_some(Self { begins, first, parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_whole() {
        for (name, text) in FILES {
            for heading in text.lines().filter_map(|line| line.strip_prefix('[')) {
                let heading = heading.trim_end().trim_end_matches(']');
                assert!(
                    SECTIONS.iter().any(|(known, _)| *known == heading),
                    "{name}.txt: [{heading}] is unknown"
                );
            }
        }
        for (at, (_, section)) in SECTIONS.iter().enumerate() {
            assert_eq!(at, *section as usize, "phrases are kept by the place of their section");
        }
        for language in ALL.iter() {
            for section in [Section::Standing, Section::Forbidding, Section::Wish, Section::Moment] {
                assert!(!language.is_empty(section), "{}.txt has no [{section:?}]", language.name);
            }
        }
    }

    #[test]
    fn a_language_is_known_by_its_script_and_words() {
        for (name, text) in [
            ("en", "Never push to main"),
            ("de", "Bitte nie auf main pushen, das ist wichtig"),
            ("fr", "Ne pousse jamais sur la branche main"),
            ("es", "No hagas push a la rama main"),
            ("pt", "Não faça push para a branch main"),
            ("it", "Non fare mai push sul branch main"),
            ("ru", "Никогда не пушь в main"),
            ("zh", "不要推送到 main 分支"),
            ("ja", "main には push しないでください"),
            ("ko", "main 브랜치에 푸시하지 마세요"),
        ] {
            assert_eq!(of(text).name, name, "{text}");
        }
    }
}
