//! `project_hints.toml` in our folder: which folders belong to which project's memories, in a person's own words.
//! A file that is not there says nothing; one that cannot be read says nothing and is a fault of its own.

use std::fmt;
use std::path::Path;

use recall::standing::MATCH_BOOST;

pub(crate) const FILE: &str = "project_hints.toml";
/// A list a person keeps by hand.
const MAX_BYTES: u64 = 64 << 10;
const MAX_HINTS: usize = 500;
/// Projects one folder may belong to.
const MAX_TAGS: usize = 8;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hints {
    /// A part of a folder's path in small letters, and the project it means.
    hints: Vec<(String, String)>,
    match_boost: f32,
}

impl Default for Hints {
    fn default() -> Self {
        Self { hints: Vec::new(), match_boost: MATCH_BOOST }
    }
}

/// The projects one folder belongs to, as a person says, and what that is worth.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hinted {
    pub(crate) tags: Vec<String>,
    pub(crate) match_boost: f32,
}

/// What is wrong with the file, for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadHints(String);

impl fmt::Display for BadHints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{FILE} {}", self.0)
    }
}

impl Hints {
    pub(crate) fn load(data: &Path) -> Result<Self, BadHints> {
        let path = data.join(FILE);
        let Ok(about) = std::fs::metadata(&path) else { return Ok(Self::default()) };
        if !about.is_file() || about.len() > MAX_BYTES {
            return Err(BadHints(format!("is no file of at most {} KiB", MAX_BYTES >> 10)));
        }
        let text =
            std::fs::read_to_string(&path).map_err(|error| BadHints(format!("cannot be read: {error}")))?;
        Self::read(&text)
    }

    fn read(text: &str) -> Result<Self, BadHints> {
        let bad = |at: Option<std::ops::Range<usize>>, what: &str| BadHints(told(text, at, what));
        // Not the kind that can be edited: that one has forgotten where things stand.
        let document = toml_edit::Document::parse(text)
            .map_err(|error| bad(error.span(), &format!("is not valid TOML: {}", error.message())))?;
        let mut read = Self::default();
        if let Some(item) = document.get("hints") {
            let table =
                item.as_table_like().ok_or_else(|| bad(item.span(), "has a [hints] that is no table"))?;
            for (part, value) in table.iter().take(MAX_HINTS) {
                let tag = value.as_str().ok_or_else(|| {
                    bad(value.span(), &format!("gives \"{part}\" something else than a project's name"))
                })?;
                // An empty part would be in every path.
                if !part.trim().is_empty() && !tag.trim().is_empty() {
                    read.hints.push((part.to_lowercase(), tag.trim().to_owned()));
                }
            }
        }
        if let Some(boost) = document.get("settings").and_then(|settings| settings.get("match_boost")) {
            let number = boost.as_float().or_else(|| boost.as_integer().map(|whole| whole as f64));
            match number {
                Some(number) if number.is_finite() && number > 0.0 => read.match_boost = number as f32,
                _ => return Err(bad(boost.span(), "has a match_boost that is no number above 0")),
            }
        }
        Ok(read)
    }

    /// What is hinted at for this folder.
    pub(crate) fn at(&self, cwd: &str) -> Hinted {
        Hinted { tags: self.tags(cwd), match_boost: self.match_boost }
    }

    fn tags(&self, cwd: &str) -> Vec<String> {
        let cwd = cwd.to_lowercase();
        let mut tags: Vec<String> = Vec::new();
        for (_, tag) in self.hints.iter().filter(|(part, _)| cwd.contains(part)) {
            if !tags.contains(tag) && tags.len() < MAX_TAGS {
                tags.push(tag.clone());
            }
        }
        tags
    }
}

/// With the line of the mistake, where that is known.
fn told(text: &str, at: Option<std::ops::Range<usize>>, what: &str) -> String {
    let Some(before) = at.and_then(|at| text.get(..at.start)) else { return what.to_owned() };
    format!("line {}: {what}", before.matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_belongs_to_the_projects_its_path_is_hinted_at() {
        let hints = Hints::read(
            "[hints]\n\"Acme/Shop\" = \"shop\"\nacme = \"house-rules\"\n\"\" = \"x\"\n[settings]\nmatch_boost = 3\n",
        )
        .unwrap();
        assert_eq!(hints.tags("/home/me/ACME/shop/web"), ["shop", "house-rules"]);
        assert!(hints.tags("/home/me/other").is_empty());
        assert!((hints.match_boost - 3.0).abs() < f32::EPSILON);
    }

    #[test]
    fn no_file_says_nothing_and_a_bad_one_says_what_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Hints::load(folder.path()), Ok(Hints::default()));
        for (bad, line) in [
            ("[hints", 1),
            ("# mine\n\n[hints]\na = \"x\"\nb = \n", 5),
            ("[hints]\na = 3\n", 2),
            ("hints = 1\n", 1),
            ("[settings]\n\nmatch_boost = -1\n", 3),
        ] {
            std::fs::write(folder.path().join(FILE), bad).unwrap();
            let said = Hints::load(folder.path()).unwrap_err().to_string();
            assert!(said.starts_with(&format!("project_hints.toml line {line}: ")), "{bad}: {said}");
        }
    }
}
