//! What a memory file says, as far as it can be understood.

use model::{MemoryId, MemoryKind, Millis};

use crate::front::{Field, Front};
use crate::{Slip, time};

/// When a note was written, by whichever name its tool gives it.
const TIMES: &[&str] = &["created", "created_at", "date"];
/// Tags of one note, and the length of one: more is a list of something else.
const MAX_TAGS: usize = 64;
const MAX_TAG_CHARS: usize = 200;
/// A title is a line in a list.
const MAX_TITLE_BYTES: usize = 200;
const MAX_DESCRIPTION_BYTES: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Note {
    /// Once we have written it: it is the same memory under whatever name.
    pub id: Option<MemoryId>,
    /// What the block calls it, else its first heading.
    pub title: Option<String>,
    pub description: Option<String>,
    pub kind: Option<MemoryKind>,
    pub tags: Vec<String>,
    /// `None` holds everywhere.
    pub project: Option<String>,
    pub critical: Option<bool>,
    pub pinned: Option<bool>,
    pub hits: u64,
    pub prevented: u64,
    pub last_applied: Option<Millis>,
    pub created: Option<Millis>,
    /// The rule in one or two sentences, beside the text.
    pub invariant: Option<String>,
    /// Never with a carriage return before the end of a line, never with white space around it.
    pub text: String,
    /// An index or a log of the others, which is no memory.
    pub is_index: bool,
    /// There is a block to write into.
    pub has_front: bool,
    /// What was not understood and left as it is.
    pub slips: Vec<Slip>,
}

pub fn read(text: &str) -> Note {
    let front = Front::parse(text);
    let body = text[front.body..].trim().replace("\r\n", "\n");
    let mut slips = front.slips.clone();
    let description = front.text("description").or(front.text("summary")).map(one_line);
    let description = description.map(|text| cut(&text, MAX_DESCRIPTION_BYTES));
    let invariant = front.text("invariant").map(str::to_owned);
    let said =
        if body.is_empty() { invariant.clone().or(description.clone()).unwrap_or_default() } else { body };
    let given = front.text("kind").or(front.text("type"));
    let (project, tags) = belongs(&front);
    let mut check = Check { front: &front, slips: &mut slips };
    let kind = check.value("kind", NO_KIND, kind).or_else(|| check.value("type", NO_KIND, kind));
    check.list("tags");
    let mut note = Note {
        id: check.value("id", "is no id of a memory", |text| text.parse().ok()),
        critical: check.value("critical", NO_TRUTH, truth),
        pinned: check.value("pinned", NO_TRUTH, truth).or(check.value("evergreen", NO_TRUTH, truth)),
        hits: check.value("hits", NO_COUNT, count).unwrap_or(0),
        prevented: check.value("prevented", NO_COUNT, count).unwrap_or(0),
        last_applied: check.value("last_applied", NO_DATE, time::read),
        created: TIMES.iter().find_map(|key| check.value(key, NO_DATE, time::read)),
        title: title(&front, &said),
        description,
        kind,
        is_index: matches!(given, Some("index" | "log")),
        has_front: front.close.is_some(),
        tags,
        project,
        invariant,
        text: said.trim().to_owned(),
        slips: Vec::new(),
    };
    slips.sort_by_key(|slip| slip.line);
    note.slips = slips;
    note
}

const NO_KIND: &str = "is no kind of memory";
const NO_COUNT: &str = "is no number from 0 on";
const NO_LIST: &str = "is no list like [one, two]";
const NO_TRUTH: &str = "is neither true nor false";
const NO_DATE: &str = "is no date like 2026-11-16";

struct Check<'a> {
    front: &'a Front,
    slips: &'a mut Vec<Slip>,
}

impl Check<'_> {
    /// A value that is not what it should be is told and not taken.
    fn value<T>(&mut self, key: &str, otherwise: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.front.text(key)?;
        let value = read(text);
        if value.is_none() {
            self.slip(key, otherwise);
        }
        value
    }

    fn list(&mut self, key: &str) {
        if self.front.text(key).is_some_and(is_map) {
            self.slip(key, NO_LIST);
        }
    }

    fn slip(&mut self, key: &str, otherwise: &str) {
        let line = self.front.field(key).map_or(1, |field: &Field| field.line);
        self.slips.push(Slip { line, what: format!("{key} {otherwise}") });
    }
}

fn title(front: &Front, body: &str) -> Option<String> {
    let named = ["name", "title"].into_iter().find_map(|key| front.text(key)).map(one_line);
    let title = named.or_else(|| heading(body).map(one_line))?;
    (!title.is_empty()).then(|| cut(&title, MAX_TITLE_BYTES))
}

/// The first heading of the first level that stands outside of code.
fn heading(text: &str) -> Option<&str> {
    let mut fenced = false;
    text.lines().find_map(|line| {
        fenced ^= line.trim_start().starts_with("```");
        let title = line.strip_prefix("# ").filter(|_| !fenced)?.trim().trim_end_matches('#').trim();
        (!title.is_empty()).then_some(title)
    })
}

/// One project is the note's own. A note of several holds everywhere and is found by their names.
fn belongs(front: &Front) -> (Option<String>, Vec<String>) {
    let mut projects = front.list("projects");
    projects.extend(front.list("project"));
    // Some write one line: `tags: a, b` or `tags: #a #b`.
    let tags = if front.text("tags").is_some_and(is_map) { Vec::new() } else { front.list("tags") };
    let one_by_one = front.field("tags").is_some_and(|field| !field.is_list());
    let mut tags: Vec<String> = tags
        .into_iter()
        .flat_map(|tag| if one_by_one { tag.split([',', '#']).collect() } else { vec![tag] })
        .map(one_line)
        .collect();
    if projects.len() > 1 {
        tags.extend(projects.iter().map(|name| one_line(name)));
    }
    let mut kept: Vec<String> = Vec::new();
    for tag in tags {
        let tag: String = tag.chars().take(MAX_TAG_CHARS).collect();
        if kept.len() < MAX_TAGS && !tag.is_empty() && !kept.contains(&tag) {
            kept.push(tag);
        }
    }
    let project = match projects.as_slice() {
        [one] => Some(cut(&one_line(one), MAX_TITLE_BYTES)).filter(|name| !name.is_empty()),
        _ => None,
    };
    (project, kept)
}

/// Our kinds, and the types of MindStone, which Claude Code's own memory shares. Another tool's word is a document;
/// what is no word at all is a slip.
fn kind(given: &str) -> Option<MemoryKind> {
    match given {
        "feedback" => Some(MemoryKind::Learning),
        "design" => Some(MemoryKind::Decision),
        "user" | "identity" => Some(MemoryKind::Note),
        given if !given.starts_with(char::is_alphabetic) => None,
        given => Some(MemoryKind::from_name(given).unwrap_or(MemoryKind::Document)),
    }
}

fn is_map(text: &str) -> bool {
    text.starts_with('{')
}

fn truth(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// A fraction is cut.
fn count(text: &str) -> Option<u64> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)?;
    Some(number as u64)
}

/// Runs of white space are one space; what steers a terminal is gone.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

fn cut(text: &str, bytes: usize) -> String {
    text[..text.floor_char_boundary(bytes)].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_file_is_all_text_and_named_by_its_heading() {
        let note = read("```sh\n# no\n```\n# Deploys ##\r\n\r\nOn Tuesdays.\r\n");
        assert_eq!(note.title.as_deref(), Some("Deploys"));
        assert_eq!(note.text, "```sh\n# no\n```\n# Deploys ##\n\nOn Tuesdays.");
        assert!(!note.has_front && note.slips.is_empty());
        assert_eq!(read("just words").title, None);
    }

    #[test]
    fn a_file_of_mindstone_is_understood() {
        let note = read(concat!(
            "---\nname: feedback_uv\ndescription: Use uv\ntype: feedback\ntags: [python, uv]\nprojects: shop\n",
            "hits: 48\nprevented: 2\nlast_applied: 2026-07-01\ncreated: 2026-01-02\nhalf_life_days: 30\n",
            "critical: true\nevergreen: yes\ninvariant: >\n  Never pip.\n---\n\n# Use uv\n\nAlways.\n"
        ));
        assert_eq!((note.title.as_deref(), note.kind), (Some("feedback_uv"), Some(MemoryKind::Learning)));
        assert_eq!((note.hits, note.prevented, note.critical, note.pinned), (48, 2, Some(true), Some(true)));
        assert_eq!((note.project.as_deref(), note.invariant.as_deref()), (Some("shop"), Some("Never pip.")));
        assert_eq!(note.tags, ["python", "uv"]);
        assert!(note.last_applied > note.created && note.slips.is_empty());
    }

    #[test]
    fn a_value_that_is_none_is_told_with_its_line_and_costs_itself() {
        let note =
            read("---\nid: nonsense!\nhits: many\ncritical: perhaps\nlast_applied: 2026–07–01\n---\ntext");
        let told: Vec<(usize, &str)> =
            note.slips.iter().map(|slip| (slip.line, slip.what.as_str())).collect();
        assert_eq!(
            told,
            [
                (2, "id is no id of a memory"),
                (3, "hits is no number from 0 on"),
                (4, "critical is neither true nor false"),
                (5, "last_applied is no date like 2026-11-16"),
            ]
        );
        assert_eq!((note.id, note.hits, note.critical, note.text.as_str()), (None, 0, None, "text"));
    }

    #[test]
    fn what_is_no_count_no_kind_no_list_and_no_date_is_told_and_not_taken() {
        let note = read("---\nhits: -4\nkind: 7\ntags: {a: b}\nlast_applied: tomorrow\n---\ntext");
        let told: Vec<(usize, &str)> =
            note.slips.iter().map(|slip| (slip.line, slip.what.as_str())).collect();
        assert_eq!(
            told,
            [
                (2, "hits is no number from 0 on"),
                (3, "kind is no kind of memory"),
                (4, "tags is no list like [one, two]"),
                (5, "last_applied is no date like 2026-11-16"),
            ]
        );
        assert_eq!((note.hits, note.kind, note.tags.len(), note.last_applied), (0, None, 0, None));
        let other = read("---\ntype: reference\n---\ntext");
        assert_eq!((other.kind, other.slips.len()), (Some(MemoryKind::Document), 0), "another tool's word");
    }

    #[test]
    fn an_empty_body_is_said_by_the_rule_or_the_description() {
        assert_eq!(read("---\ndescription: d\n---\n \n").text, "d");
        assert_eq!(read("---\ndescription: d\ninvariant: i\n---\n").text, "i");
        assert_eq!(read("---\nname: n\n---\n").text, "");
    }

    #[test]
    fn several_projects_are_tags_and_an_index_is_none_of_ours() {
        let note = read("---\nprojects: [shop, till]\ntags: a, b\ntype: index\n---\nx");
        assert_eq!(
            (note.project, note.tags),
            (None, vec!["a".into(), "b".into(), "shop".into(), "till".into()])
        );
        assert!(note.is_index);
    }
}
