//! What turns texts into vectors: which models there are, which one is in use, how far it is.

mod install;

use std::time::Duration;

use clap::{Args, Subcommand};
use embed::{Embedder, MiniLm, StaticModel};
use serde::Serialize;
use serde_json::{Value, json};

use super::{config, reader};
use crate::print;
use crate::report::{Failure, hint};
use crate::world::World;

/// The daemon answers from what it has at hand.
const PATIENCE: Duration = Duration::from_secs(5);

/// The provider of the models the binary carries.
const BUILT_IN: &str = "builtin";

/// A model the binary carries, under the name it has in the settings.
struct BuiltIn {
    name: &'static str,
    model: &'static dyn Embedder,
    bytes: u64,
    license: &'static str,
    use_for: &'static str,
}

impl BuiltIn {
    fn all() -> [Self; 2] {
        [
            Self {
                name: "minilm-l6",
                model: MiniLm::builtin(),
                bytes: 18_366_080,
                license: "Apache-2.0",
                use_for: "memories and questions",
            },
            Self {
                name: "static-128",
                model: StaticModel::builtin(),
                bytes: 4_633_016,
                license: "Apache-2.0",
                use_for: "code, and whatever the other has not read yet",
            },
        ]
    }
}

#[derive(Debug, Args)]
pub(crate) struct Model {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The models this binary carries, and which one is in use
    List {
        /// One JSON array
        #[arg(long)]
        json: bool,
    },
    /// How much has vectors, and how much waits for them
    Status {
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Bring in another static model, from a file or an address, by its hash
    #[command(
        after_help = "Example: throughline model install https://example.org/tiny.stv --sha256 9f86d081..."
    )]
    Install(install::Install),
    /// Use another model; what has vectors of the old one is read anew in the background
    #[command(after_help = "Examples:
  throughline model use static-128
  throughline model use nomic-embed-text --provider ollama")]
    Use(Use),
    /// Make no more vectors until `resume` or until the daemon starts anew; search goes on with words
    Pause,
    /// Make vectors again
    Resume,
}

#[derive(Debug, Args)]
struct Use {
    /// The name `list` shows, or the provider's name for it
    name: String,
    /// Who makes the vectors; a remote one is sent your memories, redacted
    #[arg(long, value_parser = ["builtin", "ollama", "openai"], default_value = "builtin")]
    provider: String,
    /// Where a remote one answers [default: the provider's own address]
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The variable that holds the key of a remote one
    #[arg(long, value_name = "VARIABLE")]
    key_variable: Option<String>,
}

impl Model {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        match self.command {
            Command::List { json } => list(world, json),
            Command::Status { json } => status(world, json),
            Command::Install(wanted) => wanted.run(world),
            Command::Use(wanted) => wanted.run(world),
            Command::Pause => {
                ask(world, "model-pause")?;
                print::line(
                    "paused: no vectors are made until `throughline model resume`, or until the daemon starts anew",
                )
            }
            Command::Resume => {
                ask(world, "model-resume")?;
                print::line("making vectors again")
            }
        }
    }
}

impl Use {
    fn run(&self, world: &World) -> anyhow::Result<()> {
        let (provider, model) =
            (("embed.provider", self.provider.as_str()), ("embed.model", self.name.as_str()));
        let (base_url, key_variable) = (self.base_url.as_deref(), self.key_variable.as_deref());
        // In an order in which no remote model is ever asked for one of ours.
        let settings = if self.provider == BUILT_IN {
            let is_installed = || install::installed(world).iter().any(|(name, _)| *name == self.name);
            if !BuiltIn::all().iter().any(|known| known.name == self.name) && !is_installed() {
                let what = format!("no model here is called \"{}\"", print::one_line(&self.name, 60));
                let next = "`throughline model list` shows them; a remote one needs --provider";
                return Err(hint(Failure::Person, what, next));
            }
            vec![provider, model]
        } else {
            let places = [("embed.base-url", base_url), ("embed.key-variable", key_variable)];
            let places = places.into_iter().map(|(key, value)| (key, value.unwrap_or_default()));
            places.chain([model, provider]).collect()
        };
        for (key, value) in settings {
            config::set(world, key, value)?;
        }
        print::line(&format!(
            "{} is used from now on; `throughline model status` says how far it is",
            print::one_line(&self.name, 60)
        ))
    }
}

fn ask(world: &World, question: &str) -> anyhow::Result<Value> {
    reader::answer(world, &json!({ "ask": question }), PATIENCE)
}

fn list(world: &World, as_json: bool) -> anyhow::Result<()> {
    let now = ask(world, "model")?;
    let current = now["model"].as_str().unwrap_or_default();
    let mut models: Vec<Listed> = BuiltIn::all().iter().map(Listed::of).collect();
    let installed = install::installed(world);
    models.extend(installed.iter().map(|(name, bytes)| Listed {
        name,
        bytes: Some(*bytes),
        dims: None,
        license: None,
        use_for: "installed",
        current: false,
    }));
    if !current.is_empty() && !models.iter().any(|model| model.name == current) {
        let (bytes, dims, license) = (None, None, None);
        models.push(Listed { name: current, bytes, dims, license, use_for: "remote", current: false });
    }
    for model in &mut models {
        model.current = model.name == current;
    }
    if as_json {
        return print::json(&models);
    }
    let rows: Vec<Vec<String>> = models.iter().map(Listed::cells).collect();
    print::table(&["", "MODEL", "SIZE", "DIMENSIONS", "LICENSE", "FOR"], &rows, world.color)
}

#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    bytes: Option<u64>,
    dims: Option<usize>,
    license: Option<&'static str>,
    #[serde(rename = "for")]
    use_for: &'static str,
    current: bool,
}

impl Listed<'_> {
    fn of(model: &BuiltIn) -> Self {
        Self {
            name: model.name,
            bytes: Some(model.bytes),
            dims: Some(model.model.identity().dims),
            license: Some(model.license),
            use_for: model.use_for,
            current: false,
        }
    }

    fn cells(&self) -> Vec<String> {
        let dash = || "-".to_owned();
        vec![
            if self.current { "*" } else { "" }.to_owned(),
            print::one_line(self.name, 60),
            self.bytes.map_or_else(dash, print::bytes),
            self.dims.map_or_else(dash, |dims| dims.to_string()),
            self.license.unwrap_or("-").to_owned(),
            self.use_for.to_owned(),
        ]
    }
}

fn status(world: &World, as_json: bool) -> anyhow::Result<()> {
    let mut now = ask(world, "model")?;
    now["distiller"] = ask(world, "models")?;
    if as_json {
        return print::json(&now);
    }
    let number = |name: &str| now[name].as_u64().unwrap_or_default();
    let waiting = number("waiting");
    let vectors = number("memories").saturating_sub(waiting);
    let trouble = now["trouble"].as_str().map(|trouble| print::one_line(trouble, 300));
    let state = match (now["paused"] == true, waiting) {
        _ if trouble.is_some() => "waits after a trouble; search finds everything by its words",
        (true, _) => "paused; `throughline model resume` goes on",
        (false, 0) => "everything has its vectors",
        (false, _) => "at work; search finds the rest by its words",
    };
    let model = print::one_line(now["model"].as_str().unwrap_or("-"), 60);
    print::line(&format!("model      {model}\nvectors    {vectors}\nwaiting    {waiting}"))?;
    if let Some(progress) = progress(&now, waiting) {
        print::line(&format!("progress   {progress}"))?;
    }
    print::line(state)?;
    if let Some(trouble) = trouble {
        print::line(&format!("trouble    {trouble}"))?;
    }
    print::line(&distiller(&now["distiller"]))
}

/// `42 % done, 120 a second, about 8 minutes left`; none where nothing waits or nothing is known yet.
fn progress(now: &Value, waiting: u64) -> Option<String> {
    let memories = now["memories"].as_u64().filter(|_| waiting > 0)?;
    let done = memories.saturating_sub(waiting) * 100 / memories.max(1);
    let rate = now["per_second"].as_f64().zip(now["seconds_left"].as_u64());
    let rate = rate.map_or_else(String::new, |(rate, seconds)| {
        let left = match seconds {
            0..90 => format!("{seconds} seconds"),
            _ => format!("{} minutes", seconds.div_ceil(60)),
        };
        format!(", {rate:.0} a second, about {left} left")
    });
    Some(format!("{done} % done{rate}"))
}

/// The model that writes better accounts of turns, if a person has named one, and what it has cost.
fn distiller(now: &Value) -> String {
    let text = |name: &str| print::one_line(now[name].as_str().unwrap_or("-"), 200);
    let number = |name: &str| now[name].as_u64().unwrap_or_default();
    if now["state"].as_str().is_none_or(|state| state == "off") {
        return "distiller  none but our own".to_owned();
    }
    let reason =
        now["reason"].as_str().map(|why| format!(" ({})", print::one_line(why, 200))).unwrap_or_default();
    format!(
        "distiller  {} {}: {}{reason}, {} turns done, {} waiting\nspent      {} of {} tokens today, {} in and {} out in all",
        text("provider"),
        text("model"),
        text("state"),
        number("turns_done"),
        number("turns_waiting"),
        number("tokens_today"),
        number("tokens_per_day"),
        number("input_tokens"),
        number("output_tokens"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_how_much_how_fast_and_how_long() {
        let now = json!({ "memories": 1000, "per_second": 12.0, "seconds_left": 50 });
        assert_eq!(progress(&now, 600).as_deref(), Some("40 % done, 12 a second, about 50 seconds left"));
        let now = json!({ "memories": 100_000, "per_second": 119.7, "seconds_left": 502 });
        assert_eq!(progress(&now, 60_000).as_deref(), Some("40 % done, 120 a second, about 9 minutes left"));
        assert_eq!(progress(&json!({ "memories": 10, "per_second": null }), 5).as_deref(), Some("50 % done"));
        assert_eq!(progress(&json!({ "memories": 10 }), 0), None);
        assert_eq!(progress(&json!({}), 3), None);
    }

    #[test]
    fn the_sizes_that_are_told_are_those_of_the_weights() {
        let minilm = weights_minilm_a::WEIGHTS.len() + weights_minilm_b::WEIGHTS.len();
        let told = BuiltIn::all().map(|model| model.bytes as usize);
        assert_eq!(told, [minilm, weights_static::WEIGHTS.len()]);
    }
}
