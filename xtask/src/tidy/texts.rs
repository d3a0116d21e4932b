//! Rules for every tracked text: nothing of the machine it was written on, and a changelog to write into.

use std::path::Path;

use super::{Finding, Source};

/// The names a person in an example may have.
const EXAMPLE_PEOPLE: &[&str] =
    &["user", "alice", "bob", "dev", "me", "you", "ada", "app", "runner", "ubuntu"];

/// Where a lock file may say its packages come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(crate) fn check(sources: &[Source], root: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    let root = root.to_string_lossy();
    for source in sources {
        let example = source.path.contains("/fixtures/") || source.path.contains("/corpus/");
        for (at, line) in source.text.lines().enumerate() {
            let mut find = |says: String| {
                findings.push(Finding { file: source.path.clone(), line: at + 1, says });
            };
            if line.contains(root.as_ref()) {
                find("names a path of this machine".to_owned());
            } else if let Some(name) = home_of(line).filter(|_| !example) {
                find(format!("names the home of \"{name}\"; examples belong to {}", EXAMPLE_PEOPLE[0]));
            }
            if source.path.ends_with("Cargo.lock")
                && line.starts_with("source = ")
                && !line.contains(REGISTRY)
            {
                find("a package from somewhere else than crates.io".to_owned());
            }
            if source.path.ends_with("package-lock.json") && line.contains("\"resolved\"") {
                find("a lock file that names the registry it was made with".to_owned());
            }
            if source.path.ends_with(".cargo/config.toml") && line.trim_start().starts_with("[source") {
                find("a registry of this machine".to_owned());
            }
        }
    }
    let changelog = sources.iter().find(|source| source.path == "CHANGELOG.md");
    if !changelog.is_some_and(|changelog| changelog.text.lines().any(|line| line == "## [Unreleased]")) {
        let says = "has no `## [Unreleased]` section".to_owned();
        findings.push(Finding { file: "CHANGELOG.md".to_owned(), line: 0, says });
    }
    findings
}

/// ARCHITECTURE names a test for each promise; a renamed test would leave the promise without one.
pub(crate) fn check_proofs(sources: &[Source]) -> Vec<Finding> {
    let Some(page) = sources.iter().find(|source| source.path == "ARCHITECTURE.md") else {
        return Vec::new();
    };
    let exists = |name: &str| {
        let function = format!("fn {name}(");
        sources
            .iter()
            .any(|source| source.path == name || (source.is_rust() && source.text.contains(&function)))
    };
    let mut findings = Vec::new();
    let mut proving = false;
    let mut unproved = None;
    // A heading behind the last line closes the last promise.
    for (at, line) in page.text.lines().chain(["## end"]).enumerate() {
        if line.starts_with('#')
            && let Some((promised, promise)) =
                unproved.replace((at, line)).filter(|(_, line)| is_promise(line))
        {
            let says = format!("no test is named for {promise}");
            findings.push(Finding { file: page.path.clone(), line: promised + 1, says });
        }
        unproved = unproved.filter(|_| !line.starts_with("Proved by "));
        proving = line.starts_with("Proved by ") || (proving && !line.is_empty());
        if !proving {
            continue;
        }
        // Every second part lies between backticks.
        for name in line.split('`').skip(1).step_by(2).filter(|name| !exists(name)) {
            let says = format!("names a proof that does not exist: {name}");
            findings.push(Finding { file: page.path.clone(), line: at + 1, says });
        }
    }
    findings
}

/// `### 3. Nothing unredacted is written anywhere`
fn is_promise(heading: &str) -> bool {
    heading.strip_prefix("### ").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Whose home folder a line names, unless it is an example's.
fn home_of(line: &str) -> Option<&str> {
    for folder in ["/home/", "/Users/"] {
        for (at, _) in line.match_indices(folder) {
            let rest = &line[at + folder.len()..];
            let end =
                rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '-');
            let name = &rest[..end.unwrap_or(rest.len())];
            if !name.is_empty() && !EXAMPLE_PEOPLE.contains(&name) {
                return Some(name);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(path: &str, text: &str) -> Vec<String> {
        let changelog = Source { path: "CHANGELOG.md".to_owned(), text: "## [Unreleased]\n".to_owned() };
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        check(&[changelog, source], Path::new("/srv/checkout"))
            .into_iter()
            .map(|finding| finding.says)
            .collect()
    }

    #[test]
    fn a_path_of_the_machine_is_named_and_an_example_is_not() {
        assert_eq!(says("a.md", "see /srv/checkout/a.md").len(), 1);
        assert_eq!(says("a.md", concat!("see /home", "/zoe/a.md")).len(), 1);
        assert_eq!(says("a.md", "see /home/user/a.md, or /home/$USER"), [""; 0]);
    }

    #[test]
    fn a_package_from_elsewhere_is_named() {
        assert_eq!(says("Cargo.lock", "source = \"registry+https://mirror.example/index\"").len(), 1);
        assert_eq!(says("Cargo.lock", &format!("source = \"{REGISTRY}\"")), [""; 0]);
    }

    #[test]
    fn a_promise_whose_test_is_gone_is_named() {
        let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let page =
            source("ARCHITECTURE.md", "`prose`\n\nProved by `kept`, `a/b.py`,\n`lost`.\n\n`more_prose`\n");
        let findings = check_proofs(&[page, source("a/b.py", ""), source("t.rs", "fn kept() {}")]);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            (findings[0].line, findings[0].says.as_str()),
            (4, "names a proof that does not exist: lost")
        );
    }

    #[test]
    fn a_changelog_without_a_place_to_write_is_named() {
        assert_eq!(check(&[], Path::new("/srv/checkout")).len(), 1);
    }
}
