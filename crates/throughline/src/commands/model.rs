//! What turns texts into vectors: which models there are, which one is in use, how far it is.

use std::time::Duration;

use clap::{Args, Subcommand};
use embed::{Embedder, MiniLm, StaticModel};
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
    bytes: usize,
    license: &'static str,
    use_for: &'static str,
}

impl BuiltIn {
    fn all() -> [Self; 2] {
        [
            Self {
                name: "minilm-l6",
                model: MiniLm::builtin(),
                bytes: weights_minilm_a::WEIGHTS.len() + weights_minilm_b::WEIGHTS.len(),
                license: "Apache-2.0",
                use_for: "memories and questions",
            },
            Self {
                name: "static-128",
                model: StaticModel::builtin(),
                bytes: weights_static::WEIGHTS.len(),
                license: "Apache-2.0",
                use_for: "code, and whatever the other has not read yet",
            },
        ]
    }

    fn dims(&self) -> usize {
        self.model.identity().dims
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
    /// Use another model; what has vectors of the old one is read anew in the background
    #[command(after_help = "Examples:
  throughline model use static-128
  throughline model use nomic-embed-text --provider ollama")]
    Use(Use),
    /// Make no more vectors until `resume`; search goes on with words
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
            Command::Use(wanted) => wanted.run(world),
            Command::Pause => {
                ask(world, "model-pause")?;
                print::line("paused: no vectors are made until `throughline model resume`")
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
            if !BuiltIn::all().iter().any(|known| known.name == self.name) {
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
    if as_json {
        let models = BuiltIn::all().map(|model| {
            json!({
                "name": model.name,
                "bytes": model.bytes,
                "dims": model.dims(),
                "license": model.license,
                "current": model.name == current,
            })
        });
        return print::json(&models);
    }
    let mut rows: Vec<Vec<String>> = BuiltIn::all()
        .iter()
        .map(|model| {
            vec![
                if model.name == current { "*" } else { "" }.to_owned(),
                model.name.to_owned(),
                print::bytes(model.bytes as u64),
                model.dims().to_string(),
                model.license.to_owned(),
                model.use_for.to_owned(),
            ]
        })
        .collect();
    if !current.is_empty() && !BuiltIn::all().iter().any(|model| model.name == current) {
        let name = print::one_line(current, 40);
        let cells = ["*", &name, "-", "-", "-", "named in the settings"];
        rows.push(cells.map(str::to_owned).to_vec());
    }
    print::table(&["", "MODEL", "SIZE", "DIMENSIONS", "LICENSE", "FOR"], &rows, world.color)
}

fn status(world: &World, as_json: bool) -> anyhow::Result<()> {
    let now = ask(world, "model")?;
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
    print::line(&format!("model    {model}\nvectors  {vectors}\nwaiting  {waiting}\n{state}"))?;
    trouble.map_or(Ok(()), |trouble| print::line(&format!("trouble  {trouble}")))
}
