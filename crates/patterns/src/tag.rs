//! The tag in a task's prompt that says which part an agent has: `[pattern:jury id=review n=2 of=3]`. A model writes it,
//! so it is read forgivingly: any case, any order, `:` or `=`, commas or spaces, quotes or none. The older
//! `[PATTERN:type-id:stage]` is understood, too.

use std::collections::BTreeMap;

use crate::kind::by_name;
use crate::spec::{MAX_OPTION_CHARS, MAX_OPTIONS};

/// A tag stands where a prompt begins, or it is the last line; whoever names one in between means no part by it.
const BEGINNING: usize = 200;
const MAX_TAG: usize = 2000;
/// Of a pattern's name.
const MAX_NAME: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// As the list of kinds names it.
    pub kind: &'static str,
    pub id: String,
    pub role: Option<String>,
    pub n: Option<u32>,
    /// The part by its name: a stage, a shard, a handler.
    pub name: Option<String>,
    pub round: Option<u32>,
    /// Everything else that was said.
    pub options: BTreeMap<String, String>,
}

impl Tag {
    /// The first tag of a prompt that names a kind there is, in the beginning or on a last line of its own, and not quoted.
    pub fn find(prompt: &str) -> Option<Self> {
        let beginning = prompt.char_indices().nth(BEGINNING).map_or(prompt.len(), |(at, _)| at);
        let last = prompt.trim_end().rfind('\n').map_or(0, |at| at + 1);
        let first = prompt[..beginning].match_indices('[').map(|(at, _)| at);
        let end = Some(last + leading(&prompt[last..])).filter(|at| *at >= beginning);
        first.chain(end).find_map(|at| {
            let inside = prompt[at..].strip_prefix('[')?;
            let word = inside.get(..8)?;
            if !word[..7].eq_ignore_ascii_case("pattern") || !matches!(word.as_bytes()[7], b':' | b'=' | b' ')
            {
                return None;
            }
            let close = inside.find(']').filter(|close| *close <= MAX_TAG)?;
            let after = &inside[close + 1..];
            let stands = if at < beginning {
                !is_quoted(&prompt[..at], after)
            } else {
                // Far below a fence counts, and nothing else of its line is there to quote it.
                after.trim().is_empty() && prompt[..at].matches("```").count().is_multiple_of(2)
            };
            stands.then(|| Self::read(inside[8..close].trim())).flatten()
        })
    }

    fn read(inside: &str) -> Option<Self> {
        let mut words = split(inside);
        let first = words.next()?;
        let (kind, older) = match by_name(&first) {
            Some(kind) => (kind.name(), None),
            None => older(&first)?,
        };
        let (id, name) = older.map_or((None, None), |(id, stage)| (Some(id), stage));
        let mut tag = Self {
            kind,
            id: id.unwrap_or_else(|| kind.to_owned()),
            role: None,
            n: None,
            name,
            round: None,
            options: BTreeMap::new(),
        };
        for word in words {
            let Some((key, value)) = word.split_once(['=', ':']) else { continue };
            let (key, value) =
                (key.trim().to_ascii_lowercase().replace('_', "-"), value.trim().trim_matches(['"', '\'']));
            let value: String = value.chars().take(MAX_OPTION_CHARS).collect();
            if value.is_empty() {
                continue;
            }
            match key.as_str() {
                "id" => tag.id = name_of(&value).unwrap_or(tag.id),
                "role" => tag.role = Some(value.to_ascii_lowercase()),
                "n" | "index" | "number" => tag.n = value.parse().ok().filter(|n| *n > 0),
                "round" | "r" => tag.round = value.parse().ok().filter(|round| *round > 0),
                "stage" | "shard" | "part" | "handler" | "name" | "type" => match value.parse() {
                    Ok(n) if n > 0 => tag.n = Some(n),
                    _ => tag.name = Some(value),
                },
                "agents" | "total" | "count" | "jurors" | "mappers" => {
                    tag.options.insert("of".to_owned(), value);
                }
                _ if tag.options.len() < MAX_OPTIONS => {
                    tag.options.insert(key, value);
                }
                _ => {}
            }
        }
        Some(tag)
    }
}

/// Spaces before the first word.
fn leading(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether what stands between these two is shown and not meant: in backticks, in quotes, in a quotation.
fn is_quoted(before: &str, after: &str) -> bool {
    const OPEN: [char; 5] = ['"', '\'', '“', '‘', '«'];
    const CLOSE: [char; 5] = ['"', '\'', '”', '’', '»'];
    let line = before.rsplit('\n').next().unwrap_or(before);
    // A fence has three.
    !before.matches('`').count().is_multiple_of(2)
        || line.trim_start().starts_with('>')
        || before.ends_with(OPEN) && after.starts_with(CLOSE)
        // Who puts a whole task in quotes means it.
        || !line.matches('"').count().is_multiple_of(2) && before.trim() != "\""
}

/// Words apart at spaces and semicolons, except within quotes. A comma is a part of a list, unless a space follows it.
fn split(text: &str) -> impl Iterator<Item = String> {
    let mut words = Vec::new();
    let (mut word, mut quote) = (String::new(), None);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let apart = quote.is_none()
            && (c.is_whitespace()
                || c == ';'
                || c == ',' && chars.peek().is_none_or(|next| next.is_whitespace()));
        if apart {
            words.push(std::mem::take(&mut word));
            continue;
        }
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            _ => {}
        }
        word.push(c);
    }
    words.push(word);
    words.into_iter().filter(|word| !word.is_empty())
}

type Older = (&'static str, Option<(String, Option<String>)>);

/// `type-id:stage` of the existing tool. A type may have hyphens of its own, so the longest that is one counts.
fn older(word: &str) -> Option<Older> {
    let (name, stage) = match word.split_once(':') {
        Some((name, stage)) => (name, Some(stage.to_owned()).filter(|stage| !stage.is_empty())),
        None => (word, None),
    };
    let (kind, id) =
        name.match_indices('-').rev().find_map(|(at, _)| Some((by_name(&name[..at])?, &name[at + 1..])))?;
    Some((kind.name(), Some((name_of(id)?, stage))))
}

/// A pattern's name: letters, digits, `-`, `_`, `.`; nothing else of a stranger's word.
pub fn name_of(text: &str) -> Option<String> {
    let name: String = text
        .trim()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
        .take(MAX_NAME)
        .collect();
    Some(name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Tag {
        Tag::find(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn a_tag_is_understood_however_a_model_writes_it() {
        for text in [
            "[pattern:jury id=review role=juror n=2 of=3]\nJudge it.",
            "Please: [Pattern: Jury, id:review, role:Juror, n:2, of:3] judge",
            "[PATTERN:jury id=\"review\" role='juror' index=2 total=3]",
            "[pattern=jury; id=review; role=juror; n=2; of=3]",
            "[x] [pattern:nothing] [pattern:jury id=review role=juror n=2 of=3]",
        ] {
            let tag = found(text);
            assert_eq!(
                (tag.kind, tag.id.as_str(), tag.role.as_deref(), tag.n),
                ("jury", "review", Some("juror"), Some(2)),
                "{text}"
            );
            assert_eq!(tag.options.get("of").map(String::as_str), Some("3"), "{text}");
        }
        let tag = found("[pattern:pipeline stages=plan,build,check stage=build topic=\"a b, c\"]");
        assert_eq!((tag.id.as_str(), tag.name.as_deref()), ("pipeline", Some("build")));
        assert_eq!(tag.options["stages"], "plan,build,check");
        assert_eq!(tag.options["topic"], "a b, c");
    }

    #[test]
    fn the_older_tag_is_understood() {
        let tag = found("[PATTERN:map_reduce-abc-1:mapper] go");
        assert_eq!((tag.kind, tag.id.as_str(), tag.name.as_deref()), ("map-reduce", "abc-1", Some("mapper")));
        assert_eq!(found("[PATTERN:gencritic-x:critic]").kind, "generator-critic");
        assert_eq!(found("[PATTERN:debate-x:pro]").kind, "adversarial");
    }

    #[test]
    fn a_tag_that_is_quoted_or_in_the_middle_is_nobodys_part() {
        let tag = "[pattern:jury id=review n=1 of=3]";
        let long = "Words that say what it is all about. ".repeat(8);
        for text in [
            format!("Is the example `{tag}` right?"),
            format!("Is the example \"{tag}\" right?"),
            format!("Is the example \"{tag} judge\" right?"),
            format!("Is “{tag}” right?"),
            format!("Is '{tag}' right?"),
            format!("Look at this:\n```\n{tag} Judge.\n```\n"),
            format!("They wrote:\n> {tag}\nWhat does it mean?"),
            format!("{long} Which part is {tag} and who has it?"),
            format!("{long}\n{tag} is what they wrote."),
            format!("{long}\n```\n{tag}"),
            format!("{long}\n{tag}\nIs it right?"),
        ] {
            assert_eq!(Tag::find(&text), None, "{text}");
        }
        for text in [
            format!("{tag} Is it right?"),
            format!("\"{tag} Is it right?\""),
            format!("You are a juror.\n\n{tag}\nIs `x` right?"),
            format!("Don't hurry: {tag} is it right?"),
            format!("{long}\n\n  {tag}\n"),
            format!("{long}\nLook at `x`, \"y\".\n{tag}"),
        ] {
            assert_eq!(found(&text).n, Some(1), "{text}");
        }
    }

    #[test]
    fn what_is_no_tag_is_none() {
        for text in [
            "",
            "[pattern]",
            "[pattern:",
            "pattern:jury",
            "[patterns:jury]",
            "[pattern:unheard-of id=x]",
            "[é",
            "[pattern:jury",
        ] {
            assert_eq!(Tag::find(text), None, "{text}");
        }
    }
}
