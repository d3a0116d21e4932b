//! Serves memory as tools to one agent over its pipe, or says how to reach the same over HTTP.

mod hooked;
mod house;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Parser};
use mcp::serve;
use serde_json::{Value, json};
use web::Token;

use super::reader;
use crate::print;
use crate::report::{self, Failure, hint};
use crate::world::{World, variable};
pub(crate) use house::{House, Houses};

/// Where the agent works, whatever folder it starts us in.
const PROJECT_VARIABLE: &str = "CLAUDE_PROJECT_DIR";
/// Stands for the token in what is printed without it; clients put the variable's value in.
const TOKEN_VARIABLE: &str = "${THROUGHLINE_TOKEN}";

#[derive(Debug, Args)]
#[command(after_help = "Examples, in the settings of an agent:
  {\"mcpServers\": {\"throughline\": {\"command\": \"throughline\", \"args\": [\"mcp\"]}}}
over HTTP what `throughline mcp --http` prints")]
pub(crate) struct Mcp {
    /// The folder the agent works in [default: what the agent says, else this one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Also take the events of the agent's own hooks, which say this word (written by `throughline install --fast`)
    #[arg(long, value_name = "WORD")]
    hooks: Option<String>,
    /// Serve nothing: print what a client's settings need to reach the daemon over HTTP
    #[arg(long, conflicts_with = "cwd")]
    http: bool,
    /// With the token in it
    #[arg(long, requires = "http")]
    show_token: bool,
    /// The entry for the settings alone, as JSON
    #[arg(long, requires = "http")]
    json: bool,
}

/// This command and no other.
#[derive(Debug, Parser)]
struct Alone {
    #[command(flatten)]
    mcp: Mcp,
}

impl Mcp {
    /// When the command line is this command and can be read. Whatever else it is, help and errors included, is said by
    /// the whole command line.
    pub(crate) fn alone() -> Option<Self> {
        let mut line = std::env::args_os().skip(1).peekable();
        if line.peek()? != "mcp" {
            return None;
        }
        Alone::try_parse_from(line).ok().map(|alone| alone.mcp)
    }

    pub(crate) fn run(self, mut world: World) -> anyhow::Result<()> {
        if self.http {
            return show(&world, self.show_token, self.json);
        }
        let named = self.cwd.or_else(|| variable(PROJECT_VARIABLE).map(PathBuf::from));
        if let Some(folder) = named.filter(|folder| !folder.as_os_str().is_empty()) {
            world.cwd = std::path::absolute(folder)?;
        }
        let house = House::new(world).with_hooks(self.hooks.filter(|word| !word.is_empty()));
        serve(Arc::new(house), io::stdin(), io::stdout()).map_err(report::person)
    }
}

/// The secret is said only to whoever asks for it: a terminal is recorded, and so is what an agent reads.
pub(crate) fn token_file(world: &World) -> PathBuf {
    world.place.run().join("token")
}

fn show(world: &World, show_token: bool, as_json: bool) -> anyhow::Result<()> {
    reader::start(world)?;
    let status = reader::status(world).unwrap_or_default();
    let Some(port) = status["port"].as_u64() else {
        return Err(hint(
            Failure::Person,
            "the daemon serves no HTTP",
            "run `throughline config set http.enabled true` and `throughline daemon restart`; `throughline daemon logs` \
             says what else may be wrong",
        ));
    };
    let path = token_file(world);
    let token = match Token::load(&path) {
        Ok(Some(token)) if show_token => token.reveal().to_owned(),
        Ok(Some(_)) => TOKEN_VARIABLE.to_owned(),
        Ok(None) | Err(_) => {
            let what = format!("no token can be read from {}", path.display());
            return Err(hint(Failure::Person, what, "run `throughline daemon restart`"));
        }
    };
    let url = format!("http://127.0.0.1:{port}/mcp");
    let entry = entry(&url, &token);
    if as_json {
        return print::json(&entry);
    }
    print::line(&format!("URL     {url}"))?;
    print::line(&format!("header  Authorization: Bearer {token}"))?;
    if !show_token {
        let path = path.display();
        print::line(&format!("token   in {path}; --show-token puts it in, or before the client starts:"))?;
        print::line(&format!("        export THROUGHLINE_TOKEN=\"$(cat '{path}')\""))?;
    }
    print::line(&format!("\nin a client's settings:\n{entry:#}"))
}

fn entry(url: &str, token: &str) -> Value {
    let headers = json!({ "Authorization": format!("Bearer {token}") });
    json!({ "mcpServers": { "throughline": { "type": "http", "url": url, "headers": headers } } })
}
