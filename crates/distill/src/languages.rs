//! By which words a sentence is known to state a cause, a finding, something done or something left to do, in each
//! language that has a file in `languages/`; its README tells the form. Which files are asked is decided by the letters
//! of the text alone: one sentence is too short to tell Spanish from Portuguese, and need not be.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::text::find_word;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Cause,
    Root,
    Finding,
    Gotcha,
    Aha,
    Chosen,
    Done,
    Next,
    Hedge,
    Pleasantry,
    Announce,
    Receipt,
    Verdict,
    Aside,
    Conclusion,
    Condition,
    Howto,
}

impl Section {
    const ALL: [(Self, &'static str); 17] = [
        (Self::Cause, "cause"),
        (Self::Root, "root"),
        (Self::Finding, "finding"),
        (Self::Gotcha, "gotcha"),
        (Self::Aha, "aha"),
        (Self::Chosen, "chosen"),
        (Self::Done, "done"),
        (Self::Next, "next"),
        (Self::Hedge, "hedge"),
        (Self::Pleasantry, "pleasantry"),
        (Self::Announce, "announce"),
        (Self::Receipt, "receipt"),
        (Self::Verdict, "verdict"),
        (Self::Aside, "aside"),
        (Self::Conclusion, "conclusion"),
        (Self::Condition, "condition"),
        (Self::Howto, "howto"),
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Letters {
    Latin,
    Cyrillic,
    Chinese,
    Japanese,
    Korean,
}

const FILES: [(Letters, bool, &str); 10] = [
    (Letters::Latin, true, include_str!("languages/english.txt")),
    (Letters::Latin, false, include_str!("languages/german.txt")),
    (Letters::Latin, false, include_str!("languages/french.txt")),
    (Letters::Latin, false, include_str!("languages/spanish.txt")),
    (Letters::Latin, false, include_str!("languages/portuguese.txt")),
    (Letters::Latin, false, include_str!("languages/italian.txt")),
    (Letters::Cyrillic, false, include_str!("languages/russian.txt")),
    (Letters::Chinese, false, include_str!("languages/chinese.txt")),
    (Letters::Japanese, false, include_str!("languages/japanese.txt")),
    (Letters::Korean, false, include_str!("languages/korean.txt")),
];

struct Language {
    letters: Letters,
    english: bool,
    markers: [Vec<&'static str>; Section::ALL.len()],
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    FILES.iter().map(|(letters, english, file)| Language::read(*letters, *english, file)).collect()
});

impl Language {
    fn read(letters: Letters, english: bool, file: &'static str) -> Self {
        let mut markers: [Vec<&'static str>; Section::ALL.len()] = Default::default();
        let mut section = None;
        for line in file.lines() {
            let line = line.split('#').next().unwrap_or("").trim();
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = Section::ALL.iter().position(|(_, known)| *known == name);
            } else if let Some(section) = section {
                markers[section].extend(line.split('|').map(str::trim).filter(|marker| !marker.is_empty()));
            }
        }
        Self { letters, english, markers }
    }
}

fn asked(text: &str) -> impl Iterator<Item = &'static Language> {
    let letters = letters(text);
    LANGUAGES.iter().filter(move |language| language.letters == letters)
}

/// Whether a text holds a marker of a section, as whole words where its letters are written with spaces.
pub(crate) fn says(text: &str, section: Section) -> bool {
    let text = lowered(text);
    let spaced = is_spaced(&text);
    asked(&text).any(|language| {
        // English says what is done by the first word of a sentence; others do not.
        let first = section == Section::Done && language.english;
        language.markers[section as usize].iter().any(|marker| {
            if first { starts(&text, marker, true).is_some() } else { holds(&text, marker, spaced) }
        })
    })
}

/// What follows a marker of a section at the very beginning of a text that is in small letters; the longest marker counts.
pub(crate) fn after(lower: &str, section: Section) -> Option<&str> {
    let spaced = is_spaced(lower);
    asked(lower)
        .flat_map(|language| &language.markers[section as usize])
        .filter_map(|marker| starts(lower, marker, spaced))
        .min_by_key(|rest| rest.len())
}

/// Small letters, for [`after`]; a typographic apostrophe is a plain one.
pub(crate) fn lowered(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.to_lowercase().replace('’', "'"))
}

fn starts<'a>(text: &'a str, marker: &str, spaced: bool) -> Option<&'a str> {
    text.strip_prefix(marker).filter(|rest| !spaced || !rest.starts_with(char::is_alphanumeric))
}

fn holds(text: &str, marker: &str, spaced: bool) -> bool {
    if marker.is_ascii() && text.is_ascii() {
        return find_word(text, marker).is_some();
    }
    text.match_indices(marker).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + marker.len()..].chars().next();
        !spaced || [before, behind].iter().all(|char| char.is_none_or(|char| !char.is_alphanumeric()))
    })
}

fn is_spaced(text: &str) -> bool {
    matches!(letters(text), Letters::Latin | Letters::Cyrillic)
}

/// Names in a program are Latin everywhere: a few letters of another kind decide.
fn letters(text: &str) -> Letters {
    const ENOUGH: usize = 2;
    if text.is_ascii() {
        return Letters::Latin;
    }
    let (mut cyrillic, mut han, mut kana, mut hangul) = (0, 0, 0, 0);
    for char in text.chars().take(400) {
        match char {
            '\u{400}'..='\u{52f}' => cyrillic += 1,
            '\u{3040}'..='\u{30ff}' => kana += 1,
            '\u{4e00}'..='\u{9fff}' => han += 1,
            '\u{ac00}'..='\u{d7af}' => hangul += 1,
            _ => {}
        }
    }
    match () {
        () if hangul >= ENOUGH => Letters::Korean,
        () if kana >= ENOUGH => Letters::Japanese,
        () if han >= ENOUGH => Letters::Chinese,
        () if cyrillic >= ENOUGH => Letters::Cyrillic,
        () => Letters::Latin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_fills_every_section_with_small_letters() {
        for (language, (_, _, file)) in LANGUAGES.iter().zip(FILES) {
            let named: Vec<&str> =
                file.lines().filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')).collect();
            for name in named {
                assert!(Section::ALL.iter().any(|(_, known)| *known == name), "unknown section {name}");
            }
            for (section, name) in Section::ALL {
                let markers = &language.markers[section as usize];
                assert!(!markers.is_empty(), "{name} of {}", &file[..80.min(file.len())]);
                for marker in markers {
                    assert_eq!(*marker, marker.to_lowercase(), "{name}");
                }
            }
        }
    }

    #[test]
    fn a_cause_is_known_in_each_language() {
        for cause in [
            "The exporter hangs because the lease is never renewed.",
            "Der Export hängt, weil der Lease nie erneuert wird.",
            "L'export bloque parce que le bail n'est jamais renouvelé.",
            "La exportación se cuelga porque el lease nunca se renueva.",
            "A exportação trava porque o lease nunca é renovado.",
            "L'esportazione si blocca perché il lease non viene mai rinnovato.",
            "Экспорт зависает, потому что аренда никогда не продлевается.",
            "导出卡住是因为租约从未续期。",
            "リースが更新されないことが原因でエクスポートが止まります。",
            "리스가 갱신되지 않기 때문에 내보내기가 멈춥니다.",
        ] {
            assert!(says(cause, Section::Cause), "{cause}");
            assert!(says(cause, Section::Gotcha), "{cause}");
            assert!(!says(cause, Section::Hedge), "{cause}");
        }
    }

    #[test]
    fn a_marker_is_a_whole_word_where_words_have_spaces() {
        assert!(!says("Некоторые файлы были созданы", Section::Hedge));
        assert!(says("Стоит ли это делать", Section::Hedge));
        assert_eq!(after("let me look", Section::Announce), Some(" look"));
        assert_eq!(after("letmein is a password", Section::Announce), None);
    }
}
