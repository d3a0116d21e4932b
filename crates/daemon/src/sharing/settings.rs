//! Where the team's database is, what opens it, and what of this machine is shared with it. The password is read when a
//! connection is made, and is kept nowhere.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;

use client::Place;
use engine::config::Config;
use store::shared::{SharedError, SharedProject};
use team::Options;

/// A machine's name: nobody guesses it, and nobody is known by it.
const NAME_BYTES: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    url: String,
    password_file: String,
    allow_plain: bool,
    /// In order, each once.
    pub(super) projects: Vec<SharedProject>,
}

impl Settings {
    /// `None`: there is no team.
    pub(super) fn read(config: &Config) -> Option<Self> {
        let url = config.text("storage.url").trim();
        if url.is_empty() {
            return None;
        }
        let mut projects: Vec<SharedProject> =
            config.list("storage.projects").iter().map(|commit| SharedProject(commit.clone())).collect();
        projects.sort();
        projects.dedup();
        Some(Self {
            url: url.to_owned(),
            password_file: config.text("storage.password-file").trim().to_owned(),
            allow_plain: config.flag("storage.allow-plain"),
            projects,
        })
    }

    pub(super) fn options(&self) -> Result<Options, SharedError> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Ok(Options {
            url: self.url.clone(),
            password: self.password()?,
            pgpass: home.map(|home| home.join(".pgpass")),
            allow_plain: self.allow_plain,
        })
    }

    fn password(&self) -> Result<Option<String>, SharedError> {
        if self.password_file.is_empty() {
            return Ok(std::env::var("PGPASSWORD").ok().filter(|password| !password.is_empty()));
        }
        let refused = |why: String| {
            let says = format!("the password in {} cannot be used: {why}", self.password_file);
            SharedError::Refused { says, next: "correct the file, or join again with an invitation" }
        };
        let file = fs::metadata(&self.password_file).map_err(|error| refused(error.to_string()))?;
        if file.permissions().mode() & 0o077 != 0 {
            return Err(refused(format!("others can read it; run chmod 600 {}", self.password_file)));
        }
        let text = fs::read_to_string(&self.password_file).map_err(|error| refused(error.to_string()))?;
        Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
    }

    /// Without a password, for people.
    pub(super) fn shown_url(&self) -> String {
        let Some((scheme, rest)) = self.url.split_once("://") else { return "[not a URL]".to_owned() };
        match rest.split_once('@') {
            Some((who, place)) => {
                let who = who.split(':').next().unwrap_or_default();
                format!("{scheme}://{who}@{}", place.split('?').next().unwrap_or_default())
            }
            None => format!("{scheme}://{}", rest.split('?').next().unwrap_or_default()),
        }
    }
}

/// The name of this machine among its owner's: random, made once, kept in the data folder.
pub(super) fn machine(place: &Place) -> io::Result<String> {
    let path = place.data.join("machine");
    match fs::read_to_string(&path) {
        Ok(name) if !name.trim().is_empty() => return Ok(name.trim().to_owned()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let (one, other) = (client::mint(), client::mint());
    let random = one.as_bytes()[6..].iter().chain(&other.as_bytes()[6..]).take(NAME_BYTES);
    let mut name = String::new();
    for byte in random {
        name.push_str(&format!("{byte:02x}"));
    }
    let part = place.data.join("machine.part");
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
    file.write_all(name.as_bytes())?;
    file.sync_data()?;
    fs::rename(&part, &path)?;
    Ok(name)
}

#[cfg(test)]
mod tests {
    use engine::config::Layer;

    use super::*;

    #[test]
    fn without_an_address_there_is_no_team_and_a_password_is_never_shown() {
        let mut config = Config::default();
        assert_eq!(Settings::read(&config), None);
        let url = "postgres://ana:s3cret@db.example.com:5433/team?sslmode=verify-full";
        config.set(Layer::User, "test", "storage.url", url).unwrap();
        config.set(Layer::User, "test", "storage.projects", "b,a,b").unwrap();
        let settings = Settings::read(&config).unwrap();
        assert_eq!(settings.shown_url(), "postgres://ana@db.example.com:5433/team");
        assert_eq!(settings.projects, [SharedProject("a".into()), SharedProject("b".into())]);
        let mut project = Config::default();
        assert!(project.set(Layer::Project, "repository", "storage.url", url).is_err());
    }

    #[test]
    fn a_password_that_others_can_read_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("password");
        fs::write(&path, "s3cret\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let settings = Settings {
            url: String::new(),
            password_file: path.display().to_string(),
            allow_plain: false,
            projects: Vec::new(),
        };
        let says = settings.password().unwrap_err().to_string();
        assert!(says.contains("chmod 600") && !says.contains("s3cret"), "{says}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(settings.password().unwrap().as_deref(), Some("s3cret"));
    }
}
