//! The code map at a terminal: what is where, who calls what, what a change touches. Every word of it is a question to
//! the map; here it is read, asked and printed, and nothing is found out.

mod ask;
mod draw;
mod rows;
mod show;

use std::path::PathBuf;

use atlas::Question;
use atlas::question::MAX_LIMIT;
use clap::{Args, Subcommand};

pub(crate) use self::ask::{Desk, refused};
use self::draw::Form;
use crate::print;
use crate::world::World;

/// What a context may cost where nobody said: a page that leaves room for the work.
const CONTEXT_TOKENS: u32 = 4_000;
/// More than a model's window is no context.
const MAX_CONTEXT_TOKENS: i64 = 200_000;
/// Farther away nothing can be told from everything.
const MAX_DEPTH: i64 = 32;

#[derive(Debug, Args)]
#[command(after_help = "A SYMBOL is `name`, `Owner.name`, `FILE:name`, `FILE:Owner.name` or `FILE:LINE`.
The map follows the files: nothing has to be indexed before it is asked.
Example: throughline code callers Store.save")]
pub(crate) struct Code {
    #[command(subcommand)]
    command: Command,
    /// Of the workspace this folder is in: its git top level, else the folder itself [default: this one]
    #[arg(long, value_name = "DIR", global = true)]
    cwd: Option<PathBuf>,
}

/// What the commands that give rows share.
#[derive(Debug, Args)]
struct Rows {
    /// At most so many [default: 50]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_LIMIT as i64))]
    limit: Option<u32>,
    /// One JSON array
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Bring the map up to date, with a bar; what it knows then
    #[command(after_help = "Example: throughline code index")]
    Index {
        /// Forget what is known and read everything again
        #[arg(long)]
        anew: bool,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Every definition of a file with its lines and signature
    #[command(after_help = "Example: throughline code outline src/main.rs")]
    Outline {
        file: String,
        /// In at most so many tokens: what is deepest is named, then counted
        #[arg(long, value_name = "N", conflicts_with = "json")]
        tokens: Option<u32>,
        /// One JSON array
        #[arg(long)]
        json: bool,
    },
    /// Where a name is defined; names that begin so where nothing is called exactly that
    #[command(visible_alias = "symbols", after_help = "Example: throughline code symbol Store --kind class")]
    Symbol {
        name: String,
        /// Only this kind: function, method, class, struct, enum, interface, trait, type, constant and so on
        #[arg(long, value_parser = kind)]
        kind: Option<String>,
        #[command(flatten)]
        rows: Rows,
    },
    /// Every use of a symbol: calls, types, values, imports
    #[command(after_help = "Example: throughline code refs src/store.py:Store")]
    Refs {
        symbol: String,
        #[command(flatten)]
        rows: Rows,
    },
    /// Every call of a symbol, with its line and the function it stands in
    #[command(after_help = "Example: throughline code callers Store.save --json")]
    Callers {
        symbol: String,
        #[command(flatten)]
        rows: Rows,
    },
    /// What a symbol calls
    #[command(after_help = "Example: throughline code callees main")]
    Callees {
        symbol: String,
        #[command(flatten)]
        rows: Rows,
    },
    /// Who calls it, who calls those, and so on
    #[command(after_help = "Example: throughline code impact Store.save --depth 3")]
    Impact {
        symbol: String,
        /// Calls in between, at most
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_DEPTH))]
        depth: Option<u32>,
        #[command(flatten)]
        rows: Rows,
    },
    /// Which tests reach these symbols or files
    #[command(after_help = "Example: throughline code tests-for src/store.py Cart.total")]
    TestsFor {
        #[arg(required = true, value_name = "SYMBOL|FILE")]
        targets: Vec<String>,
        #[command(flatten)]
        rows: Rows,
    },
    /// What nobody uses; entry points, tests and public API are respected
    #[command(after_help = "Example: throughline code dead src")]
    Dead {
        /// Only below this folder or in this file
        #[arg(value_name = "FOLDER|FILE")]
        under: Option<String>,
        /// What others could use counts, too
        #[arg(long)]
        public: bool,
        #[command(flatten)]
        rows: Rows,
    },
    /// How a function runs: blocks, branches, loops, complexity
    #[command(after_help = "Example: throughline code flow parse --dot | dot -Tsvg > parse.svg")]
    Flow {
        symbol: String,
        /// The graph for Graphviz
        #[arg(long, conflicts_with = "json")]
        dot: bool,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// The lines of a function that one line depends on, or that depend on it
    #[command(after_help = "Example: throughline code slice src/store.py:42 --variable total")]
    Slice {
        #[arg(value_name = "FILE:LINE", value_parser = place)]
        place: (String, u32),
        /// Only for what this variable holds there
        #[arg(long, value_name = "NAME")]
        variable: Option<String>,
        /// What depends on the line
        #[arg(long)]
        forward: bool,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Find code by name, by text and by meaning at once
    #[command(after_help = "Example: throughline code search where are orders retried")]
    Search {
        #[arg(required = true)]
        query: Vec<String>,
        /// Only below this folder
        #[arg(long, value_name = "FOLDER")]
        under: Option<String>,
        #[command(flatten)]
        rows: Rows,
    },
    /// Which folder uses which
    #[command(after_help = "Example: throughline code deps src --files --svg -o deps.svg")]
    Deps {
        #[command(flatten)]
        view: View,
        /// The graph for Graphviz
        #[arg(long, conflicts_with_all = ["svg", "json"])]
        dot: bool,
    },
    /// Everything needed to change one symbol, within a budget of tokens
    #[command(after_help = "Example: throughline code context Store.save --tokens 3000")]
    Context {
        symbol: String,
        #[arg(long, value_name = "N", default_value_t = CONTEXT_TOKENS, value_parser = clap::value_parser!(u32).range(1..=MAX_CONTEXT_TOKENS))]
        tokens: u32,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// What the changes since a revision touch, and which tests
    #[command(after_help = "Example: throughline code diff-impact main")]
    DiffImpact {
        /// A revision of git [default: what is not committed]
        base: Option<String>,
        /// At most so many [default: 50]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_LIMIT as i64))]
        limit: Option<u32>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// The picture of all modules
    #[command(after_help = "Example: throughline code map --svg -o map.svg")]
    Map {
        #[command(flatten)]
        view: View,
    },
    /// What is on the map, by language, and what was left out
    #[command(after_help = "Example: throughline code status")]
    Status {
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
}

/// Which modules are told apart, and how they are given.
#[derive(Debug, Args)]
struct View {
    /// Only below this folder
    #[arg(value_name = "FOLDER")]
    under: Option<String>,
    /// Files instead of folders
    #[arg(long)]
    files: bool,
    /// Folders in folders that are told apart
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_DEPTH))]
    depth: Option<u32>,
    /// A picture
    #[arg(long, conflicts_with = "json")]
    svg: bool,
    /// To this file instead of stdout
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Code {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        let desk = Desk::at(world, self.cwd.as_deref())?;
        match self.command {
            Command::Index { anew, json } => {
                let answer = desk.index(anew)?;
                if json { rows::print(&answer) } else { print::text(&show::page(world, &answer)) }
            }
            Command::Status { json } => desk.tell(Question::Status, json),
            Command::Outline { file, tokens, json } => {
                let answer = desk.ask(Question::Outline { file })?;
                if json {
                    return rows::print(&answer);
                }
                print::text(&show::outline(world, &answer, tokens.map(|tokens| tokens as usize)))
            }
            Command::Symbol { name, kind, rows } => {
                desk.tell(Question::Symbol { name, kind, limit: rows.limit() }, rows.json)
            }
            Command::Refs { symbol, rows } => {
                desk.tell(Question::Refs { symbol, limit: rows.limit() }, rows.json)
            }
            Command::Callers { symbol, rows } => {
                desk.tell(Question::Callers { symbol, limit: rows.limit() }, rows.json)
            }
            Command::Callees { symbol, rows } => {
                desk.tell(Question::Callees { symbol, limit: rows.limit() }, rows.json)
            }
            Command::Impact { symbol, depth, rows } => {
                let depth = depth.map(|depth| depth as usize);
                let question = Question::Impact { symbol, depth, limit: rows.limit() };
                desk.tell(question, rows.json)
            }
            Command::TestsFor { targets, rows } => {
                let answer = desk.ask(Question::TestsFor { targets, limit: rows.limit() })?;
                if rows.json { rows::tests(&answer) } else { print::text(&show::tests(world, &answer)) }
            }
            Command::Dead { under, public, rows } => {
                desk.tell(Question::Dead { under, public, limit: rows.limit() }, rows.json)
            }
            Command::Flow { symbol, dot, json } => {
                let answer = desk.ask(Question::Flow { symbol })?;
                if dot { draw::flow(&answer) } else { desk.print(&answer, json) }
            }
            Command::Slice { place: (file, line), variable, forward, json } => {
                desk.tell(Question::Slice { file, line, variable, forward }, json)
            }
            Command::Search { query, under, rows } => {
                let query = query.join(" ");
                desk.tell(Question::Search { query, under, limit: rows.limit() }, rows.json)
            }
            Command::Deps { view, dot } => {
                let form = if dot { Some(Form::Dot) } else { None };
                view.tell(&desk, form)
            }
            Command::Map { view } => view.tell(&desk, None),
            Command::Context { symbol, tokens, json } => {
                desk.tell(Question::Context { symbol, tokens: Some(tokens as usize) }, json)
            }
            Command::DiffImpact { base, limit, json } => {
                let limit = limit.map(|limit| limit as usize);
                let answer = desk.ask(Question::DiffImpact { base, limit })?;
                if json { rows::whole(&answer) } else { print::text(&show::page(world, &answer)) }
            }
        }
    }
}

impl Rows {
    fn limit(&self) -> Option<usize> {
        self.limit.map(|limit| limit as usize)
    }
}

impl View {
    fn tell(self, desk: &Desk<'_>, form: Option<Form>) -> anyhow::Result<()> {
        let depth = self.depth.map(|depth| depth as usize);
        let answer = desk.ask(Question::Deps { under: self.under, files: self.files, depth })?;
        match form.or(self.svg.then_some(Form::Svg)) {
            Some(form) => draw::modules(&answer, form, desk.name(), self.output.as_deref()),
            None => desk.print_to(&answer, self.json, self.output.as_deref()),
        }
    }
}

fn kind(name: &str) -> Result<String, String> {
    let known: Vec<&str> = ::code::facts::Kind::ALL.iter().map(|kind| kind.name()).collect();
    if known.contains(&name) {
        Ok(name.to_owned())
    } else {
        Err(format!("the kinds are {}", known.join(", ")))
    }
}

fn place(text: &str) -> Result<(String, u32), String> {
    let wanted = || "a file and a line are wanted, such as src/store.py:42".to_owned();
    let (file, line) = text.rsplit_once(':').ok_or_else(wanted)?;
    let line = line.parse().ok().filter(|line| *line > 0).ok_or_else(wanted)?;
    if file.is_empty() { Err(wanted()) } else { Ok((file.to_owned(), line)) }
}
