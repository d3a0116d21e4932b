//! A person's own rules: begun, listed, tested, removed. The other meaning of the word, a hook call of an agent, `main`
//! has taken before the parser ran; its argument is here for the help text only.

mod list;
mod new;
mod remove;
mod test;

use clap::{Args, Subcommand};

use crate::world::World;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Hook {
    /// The event's name; without it the envelope's own is used
    event: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Begin a rule of your own: a folder with a program or a question, and a test
    New(new::New),
    /// Run a rule's tests
    Test(test::Test),
    /// Your rules, and how they do
    List(list::List),
    /// Take a rule away
    Remove(remove::Remove),
}

/// The words that are ours and no event's name: the commands, and what asks for help.
pub(crate) const WORDS: [&str; 7] = ["new", "test", "list", "remove", "help", "--help", "-h"];

impl Hook {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        match &self.command {
            Some(Command::New(command)) => command.run(world),
            Some(Command::Test(command)) => command.run(world),
            Some(Command::List(command)) => command.run(world),
            Some(Command::Remove(command)) => command.run(world),
            None => unreachable!("main delivers hooks before the command line is parsed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Subcommand as _;
    use model::EventKind;

    use super::*;

    #[test]
    fn every_word_of_ours_reaches_the_parser_and_none_is_an_event() {
        let command = Command::augment_subcommands(clap::Command::new("hook"));
        let words: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(words, WORDS[..words.len()]);
        for word in WORDS {
            assert!(EventKind::ALL.iter().all(|kind| !kind.name().eq_ignore_ascii_case(word)));
        }
    }
}
