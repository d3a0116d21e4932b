//! The command line. One file per command in `commands/`, one line here.

use clap::{CommandFactory, Parser, Subcommand};

use crate::commands;
use crate::report::Failure;
use crate::world::World;

/// A memory, a map and manners for coding agents.
#[derive(Debug, Parser)]
#[command(name = "throughline", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Attach to an agent: shows the edit to its settings, then makes it
    Install(commands::install::Install),
    /// Detach from an agent: restores its settings
    Uninstall(commands::uninstall::Uninstall),
    /// Stop recording until `resume`, without touching any settings
    Pause(commands::pause::Pause),
    /// Record again after `pause`
    Resume(commands::pause::Resume),
    /// Check everything and say how to repair what is wrong
    Doctor(commands::doctor::Doctor),
    /// The background process: run, start, stop, restart, status, logs, unit, openapi
    Daemon(commands::daemon::Daemon),
    /// Deliver one hook call (what agents run), or your own rules: new, test, list, remove
    Hook(commands::hook::Hook),
    /// Serve memory to an agent as tools (what agents run; MCP on stdin)
    Mcp(commands::mcp::Mcp),
    /// Open the viewer in your browser
    View(commands::view::View),
    /// Find memories by what they say
    Search(commands::search::Search),
    /// What was kept just before and after a memory
    Timeline(commands::timeline::Timeline),
    /// Show memories in full, by their ids
    Show(commands::show::Show),
    /// Keep what you say
    Remember(commands::remember::Remember),
    /// Change what a memory says or how much it matters
    Edit(commands::edit::Edit),
    /// Take memories away for good
    Forget(commands::forget::Forget),
    /// What an agent would be told here and why, or what it was told
    Context(commands::context::Context),
    /// The map of the code: outline, callers, impact, tests-for, slice, search, context, map
    Code(commands::code::Code),
    /// The note for whoever sits down here next: show, write, list
    Handoff(commands::handoff::Handoff),
    /// Places to come back to: create, list, show, restore
    Checkpoint(commands::checkpoint::Checkpoint),
    /// Where agents may write: check, explain, init
    Scope(commands::scope::Scope),
    /// What agents may run: test, list
    Guard(commands::guard::Guard),
    /// Which workspaces may have their compilers and linters run: trust, untrust, list
    Checks(commands::checks::Checks),
    /// Which skills a prompt calls for: list, test
    Skills(commands::skills::Skills),
    /// Who works on which file: list, take, release
    Claims(commands::claims::Claims),
    /// Say something to another session, with its next event
    Message(commands::message::Message),
    /// Share memories and claims with a team, through PostgreSQL
    Team(commands::team::Team),
    /// Patterns of agents: start, list, show, stop, kinds
    Pattern(commands::pattern::PatternCommand),
    /// List agents that other agents started, with their parts and answers
    Agents(commands::agents::Agents),
    /// List sessions, last seen first
    Sessions(commands::sessions::Sessions),
    /// The story of one session: show
    Session(commands::session::Session),
    /// How sessions ended: shown, confirmed, corrected
    Outcome(commands::outcome::Outcome),
    /// List journaled events, newest last
    Events(commands::events::Events),
    /// Counts and growth: memories, tokens saved, sessions, events, redactions
    Stats(commands::stats::Stats),
    /// What hooks cost right now
    Top(commands::top::Top),
    /// Sessions, the live stream and search, in the terminal
    Tui(commands::tui::Tui),
    /// Take in past sessions from their transcripts
    Backfill(commands::backfill::Backfill),
    /// Read the conversations of agents without hooks as they are written: add, list, remove
    Watch(commands::watch::Watch),
    /// Take in what other tools have kept
    Import(commands::import::Import),
    /// Write all journaled events, or all memories, as JSON lines
    Export(commands::export::Export),
    /// Drop what is expendable to make room
    Gc(commands::gc::Gc),
    /// Measure how good search is, and what is kept of sessions
    Eval(commands::eval::Eval),
    /// The models that make vectors: list, install, use, status, pause, resume
    Model(commands::model::Model),
    /// What every step makes of recorded envelopes, and how long it takes
    Replay(commands::replay::Replay),
    /// Redact text from stdin to stdout
    Redact(commands::redact::Redact),
    /// What throughline does, piece by piece: list, enable, disable, explain
    Behaviors(commands::behaviors::Behaviors),
    /// Read and change settings: get, set, list, path
    Config(commands::config::Config),
    /// Derive the database anew from the journal
    Rebuild(commands::rebuild::Rebuild),
    /// Print a completion script for a shell
    Completions(commands::completions::Completions),
    /// Print the manual page
    Man(commands::man::Man),
}

pub(crate) fn run() -> anyhow::Result<()> {
    // One process per session of an agent: it need not know every other command to serve this one.
    if let Some(command) = commands::mcp::Mcp::alone() {
        return command.run(World::look()?);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are printed to stdout and are no failure.
            let code = if error.use_stderr() { Failure::Usage as i32 } else { 0 };
            let _ = error.print();
            leave(code);
        }
    };
    let world = World::look()?;
    match cli.command {
        Command::Install(command) => command.run(&world),
        Command::Uninstall(command) => command.run(&world),
        Command::Pause(command) => command.run(&world),
        Command::Resume(command) => command.run(&world),
        Command::Doctor(command) => command.run(&world),
        Command::Daemon(command) => command.run(&world),
        Command::Hook(command) => command.run(&world),
        Command::Mcp(command) => command.run(world),
        Command::View(command) => command.run(&world),
        Command::Search(command) => command.run(&world),
        Command::Timeline(command) => command.run(&world),
        Command::Show(command) => command.run(&world),
        Command::Remember(command) => command.run(&world),
        Command::Edit(command) => command.run(&world),
        Command::Forget(command) => command.run(&world),
        Command::Context(command) => command.run(&world),
        Command::Code(command) => command.run(&world),
        Command::Handoff(command) => command.run(&world),
        Command::Checkpoint(command) => command.run(&world),
        Command::Scope(command) => command.run(&world),
        Command::Guard(command) => command.run(&world),
        Command::Checks(command) => command.run(&world),
        Command::Skills(command) => command.run(&world),
        Command::Claims(command) => command.run(&world),
        Command::Message(command) => command.run(&world),
        Command::Team(command) => command.run(&world),
        Command::Pattern(command) => command.run(&world),
        Command::Agents(command) => command.run(&world),
        Command::Sessions(command) => command.run(&world),
        Command::Session(command) => command.run(&world),
        Command::Outcome(command) => command.run(&world),
        Command::Events(command) => command.run(&world),
        Command::Stats(command) => command.run(&world),
        Command::Top(command) => command.run(&world),
        Command::Tui(command) => command.run(&world),
        Command::Backfill(command) => command.run(&world),
        Command::Watch(command) => command.run(&world),
        Command::Import(command) => command.run(&world),
        Command::Export(command) => command.run(&world),
        Command::Gc(command) => command.run(&world),
        Command::Eval(command) => command.run(),
        Command::Model(command) => command.run(&world),
        Command::Replay(command) => command.run(&world),
        Command::Redact(command) => command.run(&world),
        Command::Behaviors(command) => command.run(&world),
        Command::Config(command) => command.run(&world),
        Command::Rebuild(command) => command.run(&world),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(),
    }
}

pub(crate) fn definition() -> clap::Command {
    Cli::command()
}

#[expect(clippy::exit, reason = "usage errors end in clap's words and the code scripts rely on")]
fn leave(code: i32) -> ! {
    std::process::exit(code)
}
