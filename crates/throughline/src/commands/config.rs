//! Reading and changing settings. A change keeps the file's comments and order, and reaches a running daemon.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use engine::config::{Layer, Value, key, keys, variable};
use serde_json::json;
use toml_edit::{DocumentMut, Item, Table};

use super::reader;
use crate::report::{Failure, hint};
use crate::world::World;
use crate::{config, print};

#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print one value
    Get {
        key: String,
        #[arg(long)]
        json: bool,
    },
    /// Change one value in your file (lists: separated by commas)
    Set { key: String, value: String },
    /// Go back to the default
    Unset { key: String },
    /// All keys and their values
    List {
        /// Say where each value comes from
        #[arg(long)]
        origin: bool,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
        /// The reference page
        #[arg(long, conflicts_with_all = ["json", "origin"])]
        markdown: bool,
    },
    /// Print the path of your file
    Path,
}

impl Config {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        match self.command {
            Command::Get { key, json } => get(world, &key, json),
            Command::Set { key, value } => {
                set(world, &key, &value)?;
                if team::take_password(&value).1.is_some() {
                    print::remark(
                        "there is a password in it, in a file of settings: `throughline team join` keeps one in a file \
                         of its own, and ~/.pgpass (mode 600) is read, too",
                    );
                }
                Ok(())
            }
            Command::Unset { key } => unset(world, &key),
            Command::List { markdown: true, .. } => print::text(&reference()),
            Command::List { origin, json, .. } => list(world, origin, json),
            Command::Path => print::line(&world.place.config_file().display().to_string()),
        }
    }
}

fn get(world: &World, name: &str, as_json: bool) -> anyhow::Result<()> {
    let (config, errors) = config::load(&world.place);
    warn(&errors);
    let Some((value, _)) = config.get(name) else { return Err(unknown(name)) };
    let value = shown(value);
    if as_json { print::json(&json_of(&value)) } else { print::line(&value.to_string()) }
}

/// Writes the person's file and tells a running daemon.
pub(crate) fn set(world: &World, name: &str, text: &str) -> anyhow::Result<()> {
    let mut config = engine::config::Config::default();
    config.set(Layer::Flag, "the command line", name, text).map_err(|error| {
        hint(Failure::Person, error.to_string(), format!("`throughline config get {name}` shows it"))
    })?;
    let value = config.get(name).map(|(value, _)| value.clone());
    edit(world, name, value.as_ref())
}

/// Takes a value out of the person's file and tells a running daemon.
pub(crate) fn unset(world: &World, name: &str) -> anyhow::Result<()> {
    edit(world, name, None)
}

/// Every setting, its value and where that comes from.
pub(crate) fn to_json(world: &World) -> Vec<serde_json::Value> {
    let (config, _) = config::load(&world.place);
    let one = |(name, value, origin): (&str, &Value, &engine::config::Origin)| {
        let layer = origin.layer.to_string();
        json!({ "key": name, "value": json_of(&shown(value)), "origin": layer, "place": origin.place })
    };
    config.iter().map(one).collect()
}

fn edit(world: &World, name: &str, value: Option<&Value>) -> anyhow::Result<()> {
    if key(name).is_none() {
        return Err(unknown(name));
    }
    let path = world.place.config_file();
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error.into()),
    };
    let mut document = text.parse::<DocumentMut>().map_err(|error| {
        let what = format!("{} is not valid TOML and was not changed: {error}", path.display());
        hint(Failure::Person, what, "correct the line it names, then try again")
    })?;
    let (section, field) = name.split_once('.').unwrap_or(("", name));
    let table = document.entry(section).or_insert_with(|| Item::Table(Table::new()));
    let Some(table) = table.as_table_like_mut() else {
        let what = format!("{} has {section} as a value, expected a table", path.display());
        return Err(hint(Failure::Person, what, format!("write [{section}] instead")));
    };
    match value {
        Some(value) => {
            table.insert(field, toml_edit::value(value.to_toml()));
        }
        None => {
            table.remove(field);
        }
    }
    world.place.ensure()?;
    let part = path.with_extension("toml.part");
    let mut file = fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&part)?;
    file.write_all(document.to_string().as_bytes())?;
    file.sync_all()?;
    fs::rename(&part, &path)?;
    // No daemon: the next one reads the file.
    let _ = reader::control(world, &json!({ "ask": "reload" }), Instant::now() + Duration::from_secs(2));
    Ok(())
}

fn list(world: &World, with_origin: bool, as_json: bool) -> anyhow::Result<()> {
    let (config, errors) = config::load(&world.place);
    warn(&errors);
    if as_json {
        return to_json(world).iter().try_for_each(print::json);
    }
    let row = |(name, value, origin): (&str, &Value, &engine::config::Origin)| {
        let mut row = vec![name.to_owned(), shown(value).to_string()];
        if with_origin {
            row.push(if origin.place.is_empty() {
                "default".into()
            } else {
                format!("{} ({})", origin.layer, origin.place)
            });
        }
        row
    };
    let rows: Vec<_> = config.iter().map(row).collect();
    let head: &[&str] = if with_origin { &["KEY", "VALUE", "ORIGIN"] } else { &["KEY", "VALUE"] };
    print::table(head, &rows, world.color)
}

/// Wrong settings are named on stderr; the right ones hold.
fn warn(errors: &[engine::config::ConfigError]) {
    for error in errors {
        let _ = writeln!(io::stderr(), "warning: {error}");
    }
}

fn unknown(name: &str) -> anyhow::Error {
    let what = format!("no key is called \"{}\"", print::one_line(name, 60));
    hint(Failure::Person, what, "`throughline config list` shows them all")
}

/// A value for whoever looks: an address may hold a password.
fn shown(value: &Value) -> Value {
    match value {
        Value::Text(text) => Value::Text(team::masked(text)),
        other => other.clone(),
    }
}

fn json_of(value: &Value) -> serde_json::Value {
    match value {
        Value::Flag(flag) => json!(flag),
        Value::Number(number) => json!(number),
        Value::Text(text) => json!(text),
        Value::List(list) => json!(list),
    }
}

fn reference() -> String {
    let mut page = "# Settings\n\nGenerated by `throughline config list --markdown`. A value is taken from, weakest first: \
                    the default, your file (`throughline config path`), the project's `.throughline/config.toml` (which can \
                    only narrow), the environment, a flag.\n\n| key | default | takes | variable | meaning |\n|---|---|---|---|---|\n"
        .to_owned();
    for key in keys() {
        let default = key.default.to_string();
        let default = if default.is_empty() { "none".to_owned() } else { format!("`{default}`") };
        let variable = variable(&key.name);
        page.push_str(&format!(
            "| `{}` | {default} | {} | `{variable}` | {} |\n",
            key.name, key.kind, key.manual
        ));
    }
    page
}
