//! The files rules stand in: a person's own in our data folder, a repository's under `.throughline`. Strict: a word that
//! is not known is an error, for a rule that is misspelled would protect nobody.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::small::read_small;

use super::shipped::ALL;
use super::{Pattern, Verdict};

/// In the data folder, and in a repository's `.throughline`.
pub const FILE: &str = "commands.json";
pub const PROJECT_FOLDER: &str = ".throughline";
/// A person's list of commands; more is another program's output.
const MAX_BYTES: u64 = 256 * 1024;
/// Each is held against each command while the agent waits.
const MAX_PATTERNS: usize = 1000;

/// Branches nobody may force or delete, where nobody says which.
const PROTECTED: &[&str] = &["main", "master", "trunk", "production", "release/*"];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    pub user: Lists,
    /// Of the repository: only its `ask`, `deny` and `protected` count.
    pub project: Lists,
    /// The repository's file cannot be read, so it adds nothing. It takes nothing away either: whoever wrote it could else
    /// turn a denial into a question with a comma too many.
    pub ignored: Option<Broken>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Lists {
    pub allow: Vec<Pattern>,
    pub ask: Vec<Pattern>,
    pub deny: Vec<Pattern>,
    /// Names of branches, as globs.
    pub protected: Option<Vec<String>>,
    /// What shipped rules say instead, by their names.
    pub rules: BTreeMap<String, Setting>,
    /// Where they stand. `None`: there is no such file.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

/// What a shipped rule is changed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Setting {
    Off,
    Ask,
    Deny,
}

impl Setting {
    /// `ask` changes a denial into a question, and a question stays one; `deny` and `off` hold for all a rule finds.
    pub(super) const fn over(self, verdict: Verdict) -> Verdict {
        match (self, verdict) {
            (_, Verdict::Allow) | (Self::Off, _) => Verdict::Allow,
            (Self::Ask, _) => Verdict::Ask,
            (Self::Deny, _) => Verdict::Deny,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A file of rules that cannot be read. Nothing is allowed on its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub file: PathBuf,
    /// 0: it is not the text that is wrong.
    pub line: usize,
    pub column: usize,
    pub what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file.display(), self.what),
            line => write!(f, "{}:{line}:{}: {}", self.file.display(), self.column, self.what),
        }
    }
}

impl std::error::Error for Broken {}

impl Rules {
    /// Those of the person (`data` is our data folder) and of the repository. An error is one of the person's own file;
    /// of the repository's see [`Rules::ignored`].
    pub fn load(data: Option<&Path>, workspace: &Path) -> Result<Self, Broken> {
        let user = data.map_or_else(|| Ok(Lists::default()), |data| Lists::load(&data.join(FILE)))?;
        Ok(Self { user, ..Self::of_repository(workspace) })
    }

    /// What a repository adds, without anything of the person's.
    pub fn of_repository(workspace: &Path) -> Self {
        match Lists::load_within(workspace, &workspace.join(PROJECT_FOLDER).join(FILE)) {
            Ok(project) => Self { project, ..Self::default() },
            Err(ignored) => Self { ignored: Some(ignored), ..Self::default() },
        }
    }

    /// What a shipped rule is changed to. A repository may only make it a denial.
    pub fn setting(&self, rule: &str) -> Option<Setting> {
        let project = self.project.rules.get(rule).copied().filter(|set| *set == Setting::Deny);
        project.or_else(|| self.user.rules.get(rule).copied())
    }

    pub fn is_protected(&self, branch: &str) -> bool {
        self.protected().any(|protected| super::pattern::glob(protected, branch))
    }

    /// The person's list, or ours where there is none; a repository may add to it.
    pub fn protected(&self) -> impl Iterator<Item = &str> {
        let users = self.user.protected.as_deref();
        let ours = PROTECTED.iter().copied().filter(move |_| users.is_none());
        let added = self.project.protected.as_deref().unwrap_or_default();
        users.unwrap_or_default().iter().chain(added).map(String::as_str).chain(ours)
    }
}

impl Lists {
    pub fn load(file: &Path) -> Result<Self, Broken> {
        let broken = |what: String| Broken { file: file.to_owned(), line: 0, column: 0, what };
        // A link that leads nowhere is not no file, and a pipe would be waited for.
        match fs::symlink_metadata(file).and_then(|_| fs::metadata(file).map_err(|error| as_broken(&error))) {
            Ok(found) if !found.is_file() => return Err(broken("it is not a file".to_owned())),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Self::default());
            }
            Err(error) => return Err(broken(error.to_string())),
        }
        let text = read_small(file, MAX_BYTES).map_err(|error| broken(error.to_string()))?;
        Self::parse(file, &text)
    }

    /// A file that came with a repository: one that leads out of it would have the person's other files read as rules.
    fn load_within(workspace: &Path, file: &Path) -> Result<Self, Broken> {
        let real = |path: &Path| path.canonicalize().ok();
        if let (Some(workspace), Some(target)) = (real(workspace), real(file))
            && !target.starts_with(workspace)
        {
            let what = "it is a link that leads out of the repository".to_owned();
            return Err(Broken { file: file.to_owned(), line: 0, column: 0, what });
        }
        Self::load(file)
    }

    pub fn parse(file: &Path, text: &str) -> Result<Self, Broken> {
        let lists: Self = serde_json::from_str(text).map_err(|error| {
            let said = error.to_string();
            // serde_json ends with the place, which stands at the front here.
            let what = said.split(" at line ").next().unwrap_or(&said).to_owned();
            Broken { file: file.to_owned(), line: error.line().max(1), column: error.column(), what }
        })?;
        if lists.allow.len() + lists.ask.len() + lists.deny.len() > MAX_PATTERNS {
            let what = format!("a file has at most {MAX_PATTERNS} rules");
            return Err(Broken { file: file.to_owned(), line: 0, column: 0, what });
        }
        if let Some(name) = lists.rules.keys().find(|name| !ALL.iter().any(|rule| rule.name == name.as_str()))
        {
            let what = format!("no shipped rule is called \"{name}\" (`throughline guard list` names them)");
            return Err(Broken { file: file.to_owned(), line: 0, column: 0, what });
        }
        Ok(Self { file: Some(file.to_owned()), ..lists })
    }
}

/// What a link leads to and is not there.
fn as_broken(error: &io::Error) -> io::Error {
    io::Error::other(format!("it is a link: {error}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_no_file_is_not_waited_for_and_is_no_permission() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        assert_eq!(Lists::load(&file), Ok(Lists::default()));
        assert_eq!(Lists::load(&file.join("below")), Ok(Lists::default()));
        symlink("nowhere", &file).unwrap();
        assert!(Lists::load(&file).unwrap_err().what.contains("link"));
        fs::remove_file(&file).unwrap();
        symlink("/dev/zero", &file).unwrap();
        assert_eq!(Lists::load(&file).unwrap_err().what, "it is not a file");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, place, said) in [
            ("{\n  \"deny\": [\"rm *\",]\n}", (2, 19), "trailing comma"),
            ("{\"denied\": []}", (1, 9), "unknown field `denied`"),
            ("{\"allow\": [\"*\"]}", (1, 15), "would match every command"),
            ("{\"allow\": \"ls\"}", (1, 14), "invalid type"),
            ("", (1, 0), "EOF"),
        ] {
            let broken = Lists::parse(Path::new("commands.json"), text).unwrap_err();
            assert_eq!((broken.line, broken.column), place, "{broken}");
            assert!(broken.to_string().contains(said), "{broken}");
        }
    }

    #[test]
    fn a_repository_may_protect_more_branches_and_no_fewer() {
        let lists = |text| Lists::parse(Path::new("x"), text).unwrap();
        let none = Rules::default();
        assert!(none.is_protected("main") && none.is_protected("release/2") && !none.is_protected("feature"));
        let project = Rules { project: lists("{\"protected\": [\"dev\"]}"), ..Rules::default() };
        assert!(project.is_protected("main") && project.is_protected("dev"));
        let user = Rules { user: lists("{\"protected\": [\"stable\"]}"), ..Rules::default() };
        assert!(user.is_protected("stable") && !user.is_protected("main"));
    }
}
