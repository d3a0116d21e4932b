//! Where things lie on this machine, taken out of texts: paths within the repository become relative, others are not
//! said, and the person's name here is not either. By shape alone: nothing looks at the disk.

/// Folders in which people's files lie. Anything else that begins with a slash may be a route of somebody's API.
const TOPS: &[&str] = &[
    "home",
    "Users",
    "root",
    "tmp",
    "var",
    "private",
    "mnt",
    "media",
    "Volumes",
    "srv",
    "opt",
    "run",
    "work",
    "workspace",
    "workspaces",
    "data",
    "scratch",
    "export",
    "nfs",
    "usr",
    "etc",
    "proc",
    "dev",
    "build",
];
/// What is said in the place of a path.
const PATH: &str = "[path]";
const USER: &str = "[user]";
/// A shorter name is a part of too many words.
const LEAST_NAME: usize = 3;
/// Names that many machines give and that say nothing about anybody.
const NOBODY: &[&str] =
    &["root", "user", "admin", "dev", "test", "ubuntu", "debian", "runner", "node", "git", "ec2-user"];

/// What this machine's texts may give away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    home: String,
    user: String,
}

impl Places {
    /// The person's home folder and name here; either may be empty.
    pub fn new(home: &str, user: &str) -> Self {
        let is_name = user.len() >= LEAST_NAME && !NOBODY.contains(&user);
        Self {
            home: home.trim_end_matches('/').to_owned(),
            user: if is_name { user.to_owned() } else { String::new() },
        }
    }

    /// A file as others know it: relative to the repository. `None`: it is not in it.
    pub(super) fn within(file: &str, root: Option<&str>) -> Option<String> {
        let is_absolute = file.starts_with('/') || file.starts_with('~') || is_drive(file);
        if !is_absolute {
            let leaves = file.split('/').any(|part| part == "..");
            return (!leaves && !file.is_empty()).then(|| file.to_owned());
        }
        let within = file.strip_prefix(root?.trim_end_matches('/'))?.strip_prefix('/')?;
        (!within.is_empty() && !within.split('/').any(|part| part == "..")).then(|| within.to_owned())
    }

    /// A text without places and names.
    pub(super) fn taken_out(&self, text: &str, root: Option<&str>) -> String {
        let text = self
            .without_paths(text, root.map(|root| root.trim_end_matches('/')).filter(|root| root.len() > 1));
        if self.user.is_empty() { text } else { without_word(&text, &self.user) }
    }

    fn without_paths(&self, text: &str, root: Option<&str>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let mut before = None;
        while let Some(first) = rest.chars().next() {
            let begins = before.is_none_or(|c: char| !is_of_path(c) && c != ':')
                || before == Some(':') && !rest.starts_with("//");
            let is_file_url = rest.starts_with("file://");
            if begins && (first == '/' || is_drive(rest)) || is_file_url {
                let end = rest.find(ends_path).unwrap_or(rest.len());
                // The full stop belongs to the sentence, a colon and a number to the path.
                let path = rest[..end].trim_end_matches(['.', ',', ':', ';']);
                out.push_str(&self.said(path, root));
                before = path.chars().next_back();
                rest = &rest[path.len().max(first.len_utf8())..];
                continue;
            }
            out.push(first);
            before = Some(first);
            rest = &rest[first.len_utf8()..];
        }
        out
    }

    fn said(&self, path: &str, root: Option<&str>) -> String {
        if let Some(root) = root
            && let Some(within) = path.strip_prefix(root)
        {
            if within.is_empty() || within == "/" {
                return ".".to_owned();
            }
            if let Some(within) = within.strip_prefix('/') {
                return within.to_owned();
            }
        }
        let beside = root.and_then(|root| root.rsplit_once('/')).map_or("", |(parent, _)| parent);
        let top = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        let is_place = is_drive(path)
            || path.starts_with("file://")
            || TOPS.contains(&top) && path.trim_end_matches('/').matches('/').count() > 1
            || is_below(path, &self.home)
            || beside.len() > 1 && is_below(path, beside);
        if is_place { PATH.to_owned() } else { path.to_owned() }
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.len() > 1 && path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `C:\` or `C:/`, of which people's files are on other systems.
fn is_drive(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 3 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'\\')
}

fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '\\' | '~' | '*' | '<' | '$' | '}')
}

fn ends_path(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '<' | '>' | '|' | ';' | ',' | '{' | '}')
}

fn without_word(text: &str, word: &str) -> String {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices(word) {
        let (before, after) = (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        if at >= from && !is_word(before) && !is_word(after) {
            out.push_str(&text[from..at]);
            out.push_str(USER);
            from = at + word.len();
        }
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_relative_or_are_not_said_and_what_only_looks_like_one_stays() {
        let places = Places::new("/srv/ana/", "ana");
        for (text, left) in [
            ("see /srv/ana/shop/src/a.rs:12.", "see src/a.rs:12."),
            ("in `/srv/ana/shop` and '/srv/ana/shop/'", "in `.` and '.'"),
            ("/srv/ana/shopping/x", "[path]"),
            ("/srv/ben/x, /Users/user/x; /tmp/a/b", "[path], [path]; [path]"),
            ("cp /var/lib/x/y=z", "cp [path]"),
            ("GET /api/v1/users and /login", "GET /api/v1/users and /login"),
            ("https://example.com/srv/ana/x", "https://example.com/srv/[user]/x"),
            ("file:///srv/ana/x", "[path]"),
            (r"C:\Users\Ana\x.txt is", "[path] is"),
            ("a/b/c and 1/2 and </div> and src/tmp/x", "a/b/c and 1/2 and </div> and src/tmp/x"),
            ("PATH=/srv/ana/bin:/usr/local/bin", "PATH=[path]"),
            ("ana's banana, ana_x, Ana", "[user]'s banana, ana_x, Ana"),
            ("/tmp", "/tmp"),
            ("", ""),
        ] {
            assert_eq!(places.taken_out(text, Some("/srv/ana/shop")), left, "{text}");
        }
        assert_eq!(Places::new("", "root").taken_out("root /x/y", None), "root /x/y");
    }

    #[test]
    fn a_file_is_relative_to_its_repository_or_nobody_elses() {
        let root = Some("/srv/ana/shop");
        for (file, left) in [
            ("/srv/ana/shop/src/a.rs", Some("src/a.rs")),
            ("src/a.rs", Some("src/a.rs")),
            ("/srv/ana/shopping/a.rs", None),
            ("../other/a.rs", None),
            ("/srv/ana/shop/../x", None),
            ("~/x", None),
            ("/srv/ana/shop", None),
            ("", None),
        ] {
            assert_eq!(Places::within(file, root).as_deref(), left, "{file}");
        }
        assert_eq!(Places::within("/w/a.rs", None), None);
    }
}
