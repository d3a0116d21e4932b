//! Where a team's database is and how it is reached: what a URL says, and what is safe. Nothing here connects, and
//! nothing here prints a password.

use std::fmt;
use std::fs;
use std::net::IpAddr;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use postgres::config::{Config, Host, SslMode};
use store::shared::SharedError;

/// The next step for whoever gave an address that is none.
const WRITE: &str = "write postgres://user@host/database";
/// A laptop that wakes up in another network finds out within this time: the first four packets went unanswered.
const CONNECT: Duration = Duration::from_secs(8);
/// A connection nobody answers on is given up after idle + retries × interval: a quarter of a minute. A packet in so many
/// seconds is nothing beside what is told.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(6);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(3);
const KEEPALIVE_RETRIES: u32 = 3;
/// What was sent and is not acknowledged for so long was not received. The kernel repeats it a handful of times until
/// then, in growing steps: after a shorter cut the same connection goes on, after a longer one a new one is quicker.
const UNACKNOWLEDGED: Duration = Duration::from_secs(10);

/// How the team's database is reached. Whoever makes this has read the environment and the files; here are only values.
#[derive(Clone, Default)]
pub struct Options {
    /// `postgres://user@host:port/database?sslmode=verify-full&sslrootcert=/path`
    pub url: String,
    /// From `PGPASSWORD` or a file that only its owner reads. Counts before the URL's.
    pub password: Option<String>,
    /// Where `~/.pgpass` is; asked when there is no other password.
    pub pgpass: Option<PathBuf>,
    /// A person has said that passwords and memories may go over this network in the clear.
    pub allow_plain: bool,
}

/// A URL may carry a password.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("allow_plain", &self.allow_plain).finish_non_exhaustive()
    }
}

/// How the other side proves who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Loopback, a Unix socket, or a person who said so.
    Plain,
    /// The certificate is one of these roots' and bears the host's name. `None`: the system's roots.
    Full(Option<PathBuf>),
}

/// A URL taken apart.
pub(crate) struct Target {
    pub(crate) config: Config,
    pub(crate) trust: Trust,
}

impl Options {
    /// What is wrong with a URL is said without repeating it.
    pub(crate) fn target(&self) -> Result<Target, SharedError> {
        let (plain_url, ssl) = take_ssl(&self.url)?;
        let mut config: Config = plain_url
            .parse()
            .map_err(|error| refused(&format!("the URL cannot be understood: {error}"), WRITE))?;
        if config.get_user().is_none_or(str::is_empty) {
            return Err(refused("the URL names no user", WRITE));
        }
        if config.get_dbname().is_none() {
            return Err(refused("the URL names no database", WRITE));
        }
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(refused("the URL names no host", WRITE));
        }
        let trust = match (ssl.mode.as_deref(), is_near(&config)) {
            (Some("disable"), false) if !self.allow_plain => {
                return Err(refused(
                    "sslmode=disable would send passwords and memories in the clear",
                    "take it out of the URL; if the way there is a tunnel of your own, join with --allow-plain \
                     (or set THROUGHLINE_STORAGE_ALLOW_PLAIN=true)",
                ));
            }
            (Some("disable"), _) => Trust::Plain,
            // Who names a root wants it asked for, wherever the server is.
            (None | Some("prefer" | "allow"), true) if !ssl.names_root => Trust::Plain,
            // `require` and `verify-ca` leave a stranger in the middle undetected: the stronger one costs nothing.
            (None | Some("prefer" | "allow" | "require" | "verify-ca" | "verify-full"), _) => {
                Trust::Full(ssl.root)
            }
            (Some(_), _) => {
                let says = "the URL has an sslmode that is none";
                return Err(refused(says, "leave it out, or write sslmode=verify-full"));
            }
        };
        config.ssl_mode(if trust == Trust::Plain { SslMode::Disable } else { SslMode::Require });
        if let Some(password) = &self.password {
            config.password(password);
        } else if config.get_password().is_none()
            && let Some(password) = self.pgpass(&config)
        {
            config.password(password);
        }
        config.application_name("throughline");
        config.connect_timeout(CONNECT).tcp_user_timeout(UNACKNOWLEDGED);
        config.keepalives(true).keepalives_idle(KEEPALIVE_IDLE);
        config.keepalives_interval(KEEPALIVE_INTERVAL).keepalives_retries(KEEPALIVE_RETRIES);
        Ok(Target { config, trust })
    }

    /// `host:port:database:user:password`, the first line that fits, as libpq reads it. A file others can read is
    /// passed over, as libpq does.
    fn pgpass(&self, config: &Config) -> Option<String> {
        let path = self.pgpass.as_ref()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if fs::metadata(path).ok()?.permissions().mode() & 0o077 != 0 {
                return None;
            }
        }
        let text = fs::read_to_string(path).ok()?;
        let host = match config.get_hosts().first()? {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(_) => "localhost".to_owned(),
        };
        let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
        let wanted = [host.as_str(), port.as_str(), config.get_dbname()?, config.get_user()?];
        text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
            let fields = fields(line);
            let (password, places) = fields.split_last()?;
            let fits = places.len() == wanted.len()
                && places.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted);
            fits.then(|| password.clone())
        })
    }
}

/// What a person must change, and how.
pub(crate) fn refused(says: &str, next: &'static str) -> SharedError {
    SharedError::Refused { says: says.to_owned(), next }
}

/// A URL without its password, and the password.
pub fn take_password(url: &str) -> (String, Option<String>) {
    match password_at(url) {
        Some(at) => {
            let password = unescape(&url[at.clone()]);
            (format!("{}{}", &url[..at.start - 1], &url[at.end..]), Some(password))
        }
        None => (url.to_owned(), None),
    }
}

/// A URL for people: where it holds a password, that is a sign instead. Anything else is left as it is.
pub fn masked(url: &str) -> String {
    const SIGN: &str = "…";
    let mut shown = match password_at(url) {
        Some(at) => format!("{}{SIGN}{}", &url[..at.start], &url[at.end..]),
        None => url.to_owned(),
    };
    let asked =
        if shown.contains("://") { shown.find("?password=").or(shown.find("&password=")) } else { None };
    if let Some(at) = asked.map(|at| at + "?password=".len()) {
        let end = shown[at..].find('&').map_or(shown.len(), |end| at + end);
        shown.replace_range(at..end, SIGN);
    }
    shown
}

/// Where a URL's password is: behind the user, up to the last `@` before its place ends. It may hold one itself.
fn password_at(url: &str) -> Option<Range<usize>> {
    let from = url.find("://")? + 3;
    let end = url[from..].find(['/', '?', '#']).map_or(url.len(), |at| from + at);
    let end = from + url[from..end].rfind('@')?;
    let start = from + url[from..end].find(':')? + 1;
    Some(start..end)
}

/// Fields between colons; a backslash takes the next character as it is.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let last = fields.last_mut().expect("there is one from the beginning");
        match letter {
            '\\' => last.extend(letters.next()),
            ':' => fields.push(String::new()),
            letter => last.push(letter),
        }
    }
    fields
}

#[derive(Default)]
struct Ssl {
    mode: Option<String>,
    root: Option<PathBuf>,
    names_root: bool,
}

/// The client library knows neither `verify-full` nor roots: both are taken out of the URL, the rest is left to it.
fn take_ssl(url: &str) -> Result<(String, Ssl), SharedError> {
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(refused("this is no address of a PostgreSQL database", WRITE));
    }
    let Some((place, query)) = url.split_once('?') else { return Ok((url.to_owned(), Ssl::default())) };
    let mut ssl = Ssl::default();
    let mut rest = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sslmode", mode)) => ssl.mode = Some(mode.to_owned()),
            Some(("sslrootcert", path)) => {
                ssl.names_root = true;
                ssl.root = (path != "system").then(|| PathBuf::from(unescape(path)));
            }
            _ => rest.push(pair),
        }
    }
    let url = if rest.is_empty() { place.to_owned() } else { format!("{place}?{}", rest.join("&")) };
    Ok((url, ssl))
}

/// `%2F` and the like.
fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        if let Some(byte) = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Every place it may connect to is this machine.
fn is_near(config: &Config) -> bool {
    let hosts = config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => {
            name == "localhost"
                || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    });
    hosts && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trust(url: &str, allow_plain: bool) -> Result<Trust, String> {
        let options = Options { url: url.to_owned(), allow_plain, ..Options::default() };
        options.target().map(|target| target.trust).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_leaves_this_machine_in_the_clear_unless_a_person_says_so() {
        let full = Ok(Trust::Full(None));
        assert_eq!(trust("postgres://ann@db.example.com/team", false), full);
        for mode in ["prefer", "allow", "require", "verify-ca", "verify-full"] {
            assert_eq!(
                trust(&format!("postgres://ann@db.example.com/team?sslmode={mode}"), false),
                full,
                "{mode}"
            );
        }
        assert!(trust("postgres://ann@db.example.com/team?sslmode=disable", false).is_err());
        assert_eq!(trust("postgres://ann@db.example.com/team?sslmode=disable", true), Ok(Trust::Plain));
        // A near name in front of a far address, and one near host among others.
        assert_eq!(trust("postgres://ann@localhost/team?hostaddr=10.0.0.9", false), full);
        assert_eq!(trust("postgres://ann@localhost,db.example.com/team", false), full);
    }

    #[test]
    fn loopback_and_a_socket_need_no_certificate_but_may_have_one() {
        for url in [
            "postgres://ann@localhost/team",
            "postgres://ann@127.0.0.1:5433/team",
            "postgres://ann@[::1]/team",
            "postgres://ann@%2Frun%2Fpostgresql/team",
        ] {
            assert_eq!(trust(url, false), Ok(Trust::Plain), "{url}");
        }
        let root = Some(PathBuf::from("/a b/root.pem"));
        for mode in ["sslmode=verify-full&", "sslmode=prefer&", ""] {
            let url = format!("postgres://ann@localhost/team?{mode}sslrootcert=%2Fa%20b%2Froot.pem");
            assert_eq!(trust(&url, false), Ok(Trust::Full(root.clone())), "{url}");
        }
        assert_eq!(trust("postgres://ann@localhost/team?sslrootcert=system", false), Ok(Trust::Full(None)));
    }

    #[test]
    fn a_url_is_shown_and_kept_without_its_password() {
        for (url, kept, password, shown) in [
            (
                "postgres://ana:s3cret@db:5433/team?sslmode=verify-full",
                "postgres://ana@db:5433/team?sslmode=verify-full",
                Some("s3cret"),
                "postgres://ana:…@db:5433/team?sslmode=verify-full",
            ),
            ("postgres://a:p@ss:w@db/team", "postgres://a@db/team", Some("p@ss:w"), "postgres://a:…@db/team"),
            ("postgres://a:p%2Fw@db/team", "postgres://a@db/team", Some("p/w"), "postgres://a:…@db/team"),
            ("postgres://a@db:5432/t", "postgres://a@db:5432/t", None, "postgres://a@db:5432/t"),
            ("postgres://[::1]:5432/t?x=a:b@c", "postgres://[::1]:5432/t?x=a:b@c", None, {
                "postgres://[::1]:5432/t?x=a:b@c"
            }),
            ("auto", "auto", None, "auto"),
        ] {
            assert_eq!(take_password(url), (kept.to_owned(), password.map(str::to_owned)), "{url}");
            assert_eq!(masked(url), shown);
        }
        assert_eq!(masked("postgres://a@db/t?password=x&b=c"), "postgres://a@db/t?password=…&b=c");
    }

    #[test]
    fn what_is_wrong_with_a_url_is_said_without_its_password() {
        for url in [
            "postgres://ann:hunter2@db/team?sslmode=disable",
            "postgres://ann:hunter2@db/team?nonsense=1",
            "postgres://ann:hunter2@/team",
            "postgres://ann:hunter2@db:x/team",
            "mysql://ann:hunter2@db/team",
            "postgres://:hunter2@db/team",
        ] {
            let says = trust(url, false).expect_err(url);
            assert!(!says.contains("hunter2"), "{says}");
        }
        let options = Options { url: "postgres://ann:hunter2@db/x".to_owned(), ..Options::default() };
        assert!(!format!("{options:?}").contains("hunter2"));
    }

    #[cfg(unix)]
    #[test]
    fn a_password_comes_from_a_file_that_only_its_owner_reads() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pgpass");
        fs::write(&path, "# mine\nother:*:*:*:no\ndb:5432:team:ann:pa\\:ss\n").unwrap();
        let options = Options {
            url: "postgres://ann@db/team".to_owned(),
            pgpass: Some(path.clone()),
            ..Options::default()
        };
        let password = || options.target().unwrap().config.get_password().map(<[u8]>::to_vec);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(password(), None);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(password().as_deref(), Some(&b"pa:ss"[..]));
    }
}
