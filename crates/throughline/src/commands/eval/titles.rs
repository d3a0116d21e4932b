//! Titles that tell nobody what a memory is about. The list is documented in docs/reference/session-labels.md.

use std::sync::LazyLock;

use regex_automata::meta::Regex;

/// A title of so few characters names nothing.
const MIN_CHARS: usize = 21;

/// The kind of a poor title and what it looks like, the first that matches.
const POOR: &[(&str, &str)] = &[
    ("diff", r"^(?:Change|Add|Remove|Update|Edit)\b[^:]{0,120}: ?`"),
    ("command", r"gh pr create|\$\(cat|<<\s*.?EOF|^Pull request: gh"),
    (
        "preamble",
        r"(?i)^(?:Now I|Now let|Let me|I'll|I will|I'm|I have|I've|Perfect|Great|Good\b|Excellent|Here's|Here is|Done\b|All done|Got it|OK\b|Yes\b|Готово|Отлично|Понял|Fertig\b|Perfekt|Parfait|Listo\b|Perfecto|好的|完成|了解)",
    ),
    ("n-more", r"\band \d+ more\b"),
    ("path", r#"(?:^|[\s`"(])/(?:[\w.+-]+/){2,}"#),
    ("markup", r"^\s*[{<\[]|<[a-z-]+>|_notification|agent_id:|task_id|teammate"),
    ("install-task", r"^Install \S+: `"),
    (
        "reply",
        r"(?i)^(?:yes|yeah|ok|okay|да|нет|no|ja|nein|oui|non|sí|commit|push|continue|go|\d+)\b.{0,25}$",
    ),
    ("cut", r"(?::|,|\bthe|\band|\bof)\s*…?$"),
    ("redacted", r"^\S*REDACTED\S*\.?\w*$"),
];

static COMPILED: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let compile = |text| Regex::new(text).expect("the expressions are ours");
    POOR.iter().map(|&(name, text)| (name, compile(text))).collect()
});

/// What is poor about a title; none for one that says something.
pub(super) fn poor(title: &str) -> Option<&'static str> {
    let title = title.trim();
    if title.chars().count() < MIN_CHARS {
        return Some("short");
    }
    COMPILED.iter().find(|(_, regex)| regex.is_match(title)).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poor_title_is_told_by_its_kind() {
        for (title, kind) in [
            ("Change main in main.rs: `let a = 1;`", "diff"),
            ("Pull request: gh pr create --title x", "command"),
            ("Let me look at the parser before I change it", "preamble"),
            ("Edit parser.rs, lexer.rs and 4 more files of it", "n-more"),
            ("Read /home/user/project/src/main.rs twice today", "path"),
            ("<teammate-message>the task is done</teammate-message>", "markup"),
            ("Install lint: `just lint` in the root", "install-task"),
            ("continue with the next one", "reply"),
            ("The parser reads the file and the", "cut"),
            ("Fix it", "short"),
        ] {
            assert_eq!(poor(title), Some(kind), "{title}");
        }
        assert_eq!(poor("The parser stops at the first empty line"), None);
    }
}
