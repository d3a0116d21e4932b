//! Opens the viewer: asks the daemon for a link that opens once, and gives it to the person's browser.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;
use web::Token;

use super::mcp::token_file;
use super::reader;
use crate::print;
use crate::report::{Failure, hint};
use crate::world::{World, variable};

/// The daemon is here and makes a link in a millisecond.
const PATIENCE: Duration = Duration::from_secs(5);
/// A link and a few headers.
const MAX_ANSWER: u64 = 16 << 10;
/// Who cannot open a browser says so at once; who can may stay as long as the browser does.
const FAILS_WITHIN: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  throughline view
  ssh -L 37777:127.0.0.1:37777 host   then there: throughline view --no-open")]
pub(crate) struct View {
    /// Say the link and open nothing
    #[arg(long)]
    no_open: bool,
    /// The link alone, for scripts; opens nothing
    #[arg(long)]
    print: bool,
}

impl View {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        let link = Link::ask(world)?;
        if self.print {
            return print::line(&link.url);
        }
        let openers = if self.no_open { Vec::new() } else { openers() };
        let mut refused = Vec::new();
        for opener in openers {
            match opener.open(&link.url) {
                Ok(()) => {
                    return print::line(&format!("opened in your browser: http://127.0.0.1:{}", link.port));
                }
                Err(why) => refused.push(why),
            }
        }
        if !refused.is_empty() {
            print::remark(&format!("no browser could be opened: {}", refused.join("; ")));
        }
        link.say()
    }
}

struct Link {
    url: String,
    seconds: u64,
    port: u16,
}

impl Link {
    fn ask(world: &World) -> anyhow::Result<Self> {
        reader::start(world)?;
        let status = reader::status(world).unwrap_or_default();
        let port = status["port"].as_u64().and_then(|port| u16::try_from(port).ok());
        let port = port.ok_or_else(|| {
            hint(
                Failure::Person,
                "the daemon serves no HTTP, so there is no page",
                "run `throughline config set http.enabled true` and `throughline daemon restart`; `throughline daemon \
                 logs` says what else may be wrong",
            )
        })?;
        let path = token_file(world);
        let Ok(Some(token)) = Token::load(&path) else {
            let what = format!("no token can be read from {}", path.display());
            return Err(hint(Failure::Person, what, "run `throughline daemon restart`"));
        };
        let answer = ask(port, &token).map_err(|error| {
            let what = format!("the daemon gives no link on port {port}: {error}");
            hint(Failure::Person, what, "run `throughline daemon restart`; `throughline doctor` says more")
        })?;
        let url = answer["url"].as_str().unwrap_or_default().to_owned();
        Ok(Self { url, seconds: answer["seconds"].as_u64().unwrap_or_default(), port })
    }

    fn say(&self) -> anyhow::Result<()> {
        print::line(&format!("{}\nopens once, within {} seconds, on this machine", self.url, self.seconds))
    }
}

/// One request by hand: an HTTP client would be a dependency for a single line.
fn ask(port: u16, token: &Token) -> Result<Value, String> {
    let text = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).map_err(text)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(text)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(text)?;
    let head = format!(
        "POST /api/v1/links HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {}\r\n\
         Content-Length: 0\r\nConnection: close\r\n\r\n",
        token.reveal()
    );
    stream.write_all(head.as_bytes()).map_err(text)?;
    let mut said = String::new();
    stream.take(MAX_ANSWER).read_to_string(&mut said).map_err(text)?;
    let (head, body) = said.split_once("\r\n\r\n").ok_or("it does not speak HTTP")?;
    let answer: Value = serde_json::from_str(body).map_err(|_| "it does not speak JSON")?;
    if head.starts_with("HTTP/1.1 200") {
        return Ok(answer);
    }
    Err(answer["title"].as_str().unwrap_or("it says why to nobody").to_owned())
}

/// What opens a browser here.
#[derive(Debug, PartialEq, Eq)]
struct Opener {
    program: OsString,
    /// What stands for the link, if the person says where it goes.
    arguments: Vec<String>,
}

/// In the order they are tried. None: nobody sits before this machine, or there is no such program.
fn openers() -> Vec<Opener> {
    let named = variable("BROWSER").and_then(|named| named.into_string().ok());
    let chosen = named.as_deref().map(chosen).unwrap_or_default();
    if chosen.is_empty() { of_the_machine().into_iter().collect() } else { chosen }
}

fn of_the_machine() -> Option<Opener> {
    let alone = |name: &str| Opener { program: name.into(), arguments: Vec::new() };
    if cfg!(target_os = "macos") {
        return Some(alone("open"));
    }
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    // The screen belongs to Windows there, whatever is set here.
    if is_set("WSL_DISTRO_NAME") && is_there("wslview") {
        return Some(alone("wslview"));
    }
    let has_screen = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    (has_screen && is_there("xdg-open")).then(|| alone("xdg-open"))
}

/// What `$BROWSER` names: commands with a colon between them, `%s` where the link goes.
fn chosen(named: &str) -> Vec<Opener> {
    let opener = |command: &str| {
        let mut words = command.split_whitespace();
        let program = words.next()?.into();
        Some(Opener { program, arguments: words.map(str::to_owned).collect() })
    };
    named.split(':').filter_map(opener).collect()
}

fn is_there(program: &str) -> bool {
    let path = variable("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| Path::new(&folder).join(program).is_file())
}

impl Opener {
    fn open(&self, url: &str) -> Result<(), String> {
        let mut arguments: Vec<String> = self.arguments.iter().map(|word| word.replace("%s", url)).collect();
        if arguments == self.arguments {
            arguments.push(url.to_owned());
        }
        let name = self.program.to_string_lossy();
        // In a group of its own: who closes the terminal keeps the browser.
        let mut child = Command::new(&self.program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|error| format!("{name}: {error}"))?;
        let until = Instant::now() + FAILS_WITHIN;
        while Instant::now() < until {
            match child.try_wait() {
                Ok(Some(ended)) if ended.success() => return Ok(()),
                Ok(Some(ended)) => return Err(format!("{name} ended with {ended}")),
                Ok(None) => thread::sleep(reader::PAUSE),
                Err(error) => return Err(format!("{name}: {error}")),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_person_may_say_which_browser_and_how() {
        let arguments = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let opener =
            |program: &str, words: &[&str]| Opener { program: program.into(), arguments: arguments(words) };
        assert_eq!(chosen("firefox"), [opener("firefox", &[])]);
        assert_eq!(
            chosen(":firefox --new-tab %s:w3m"),
            [opener("firefox", &["--new-tab", "%s"]), opener("w3m", &[])]
        );
        assert_eq!(chosen(""), []);
        assert_eq!(chosen(" : "), []);
    }

    #[test]
    fn a_browser_that_cannot_be_opened_gives_way_to_the_next() {
        let opened: Vec<bool> =
            chosen("/nowhere/browser:false:true").iter().map(|one| one.open("http://x").is_ok()).collect();
        assert_eq!(opened, [false, false, true]);
    }
}
