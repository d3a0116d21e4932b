//! What agents may run: a command held against the rules and never run, and the rules that hold here.

use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use engine::{Deciding, by_name};
use guard::commands::{self as rules, Judgment, Lists, Origin, Place, Rules, SHIPPED, Shipped, table_lines};
use guard::shell;
use model::{Context, Detail, Event, EventId, EventKind, Outcome, SessionId, ToolCall, Verdict};
use serde_json::{Value, json};

use crate::report::{Failure, hint};
use crate::world::{World, variable};
use crate::{config, print};

#[derive(Debug, Args)]
pub(crate) struct Guard {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What the guards would say about a command, and which rule says so; nothing is run
    #[command(after_help = "Examples: throughline guard test 'git push -f origin main'\n          \
                            throughline guard test --json < script.sh")]
    Test {
        /// As an agent would send it, in quotes [default: read from stdin]
        command: Option<String>,
        /// One JSON object: command, verdict, by, rule, origin, file, why, instead, about, commands, reads
        #[arg(long)]
        json: bool,
    },
    /// The rules that hold here: yours, this repository's, and those that are shipped
    List {
        /// With the table of commands and files that shipped rules ask about
        #[arg(long)]
        table: bool,
        /// One JSON object a line: origin, verdict, rule, why, file, table
        #[arg(long)]
        json: bool,
    },
}

/// Characters of a command, a word or a reason on one line.
const WIDTH: usize = 300;

impl Guard {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        match &self.command {
            Command::Test { command, json } => test(world, command.as_deref(), *json),
            Command::List { table, json } => list(world, *table, *json),
        }
    }
}

fn place(world: &World) -> Place {
    Place::find(&world.cwd, project().as_deref(), world.home.as_deref())
}

fn project() -> Option<PathBuf> {
    variable("CLAUDE_PROJECT_DIR").map(PathBuf::from).filter(|path| path.is_absolute())
}

fn test(world: &World, command: Option<&str>, as_json: bool) -> anyhow::Result<()> {
    let command = match command {
        Some(command) => command.to_owned(),
        None => from_stdin()?,
    };
    let place = place(world);
    // A file that cannot be read decides, too; the shipped rules then show how the command was read.
    let rules = Rules::load(Some(&world.place.data), &place.workspace);
    let broken = rules.as_ref().err().map(|broken| broken.file.clone());
    let rules = rules.unwrap_or_default();
    let judgment = rules::judge(&rules, &place, &command);
    let tested = Tested { said: said(world, &command), file: broken.or_else(|| file(&rules, &judgment)) };
    if as_json { print::json(&tested.value(&command, &judgment)) } else { tested.print(world, &judgment) }
}

fn from_stdin() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    if io::stdin().is_terminal() {
        return Err(hint(
            Failure::Usage,
            "no command is given",
            "throughline guard test 'COMMAND', or give it on stdin",
        ));
    }
    // As much as is read of any command, and one byte to see that there is more.
    io::stdin().lock().take(shell::MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What an agent would hear, by the function that hooks ask.
fn said(world: &World, command: &str) -> Option<(&'static str, Verdict)> {
    let (config, _) = config::load(&world.place);
    let call = ToolCall {
        name: "Bash".to_owned(),
        use_id: None,
        input: json!({ "command": command }),
        outcome: Outcome::Pending,
    };
    let project =
        project().map(|path| ("CLAUDE_PROJECT_DIR".to_owned(), path.to_string_lossy().into_owned()));
    let event = Event {
        id: EventId::mint(0, [0; 10]),
        at: 0,
        agent: "",
        session: SessionId::new(""),
        kind: EventKind::PreToolUse,
        name: EventKind::PreToolUse.name().to_owned(),
        cwd: Some(world.cwd.to_string_lossy().into_owned()),
        transcript: None,
        prompt_id: None,
        permission_mode: None,
        subagent: None,
        context: project.into_iter().collect::<Context>(),
        detail: Detail::Tool(call),
    };
    let data = Some(world.place.data.as_path());
    let advice =
        engine::decide(&Deciding { config: &config, data, home: world.home.as_deref(), began: None }, &event);
    Some((advice.by?, advice.verdict?))
}

/// Where the rule stands that decided; a shipped one stands in no file.
fn file(rules: &Rules, judgment: &Judgment) -> Option<PathBuf> {
    judgment.verdict?;
    match judgment.origin {
        Origin::Shipped => None,
        Origin::User => rules.user.file.clone(),
        Origin::Project => rules.project.file.clone(),
    }
}

struct Tested {
    said: Option<(&'static str, Verdict)>,
    file: Option<PathBuf>,
}

impl Tested {
    fn verdict(&self) -> &'static str {
        match &self.said {
            None => "none",
            Some((_, Verdict::Allow { .. })) => "allow",
            Some((_, Verdict::Ask { .. })) => "ask",
            Some((_, Verdict::Deny { .. })) => "deny",
        }
    }

    fn reason(&self) -> &str {
        match &self.said {
            None => "",
            Some((_, Verdict::Allow { reason } | Verdict::Ask { reason } | Verdict::Deny { reason })) => {
                reason
            }
        }
    }

    /// The rule is that of guard-commands; where another guard decided, its reason names its own.
    fn is_by_rule(&self, judgment: &Judgment) -> bool {
        self.said.as_ref().is_some_and(|(by, _)| *by == "guard-commands") && judgment.verdict.is_some()
    }

    fn value(&self, command: &str, judgment: &Judgment) -> Value {
        let is_by_rule = self.is_by_rule(judgment);
        let rule = |text: &str| (is_by_rule && !text.is_empty()).then(|| text.to_owned());
        json!({
            "command": command,
            "verdict": self.verdict(),
            "by": self.said.as_ref().map(|(by, _)| by),
            "reason": self.reason(),
            "rule": rule(&judgment.rule),
            "origin": rule(name(judgment.origin)),
            "file": self.file.as_ref().map(|file| file.to_string_lossy().into_owned()),
            "why": rule(&judgment.why),
            "instead": rule(&judgment.instead),
            "about": judgment.about().filter(|_| is_by_rule),
            "commands": judgment.script.commands.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "unreadable": judgment.script.is_unreadable,
            "truncated": judgment.script.is_truncated,
        })
    }

    fn print(&self, world: &World, judgment: &Judgment) -> anyhow::Result<()> {
        let script = &judgment.script;
        for command in &script.commands {
            let folder = command.folder.as_ref().map(|folder| format!(" (in {})", folder.shape()));
            let elsewhere = if command.is_elsewhere { " (elsewhere)" } else { "" };
            let about = format!("{}{elsewhere}", folder.unwrap_or_default());
            print::line(&format!(
                "  {}{}",
                print::one_line(&command.to_string(), WIDTH),
                print::dim(&print::one_line(&about, WIDTH), world.color)
            ))?;
        }
        if script.is_unreadable {
            print::line("  a shell would not take this: it is read as far as it goes")?;
        }
        if script.is_truncated {
            print::line("  this is too long or too deep: not all of it is read")?;
        }
        let reason = match self.reason() {
            "" => "no rule speaks: the agent does what it would do without us",
            reason => reason,
        };
        let verdict = print::bold(self.verdict(), world.color);
        print::line(&format!("{verdict}  {}", print::one_line(reason, 2 * WIDTH)))?;
        if self.is_by_rule(judgment) {
            let place = match &self.file {
                Some(file) => file.display().to_string(),
                None => "shipped; `throughline guard list` shows all".to_owned(),
            };
            print::line(&format!("      rule: {} ({place})", print::one_line(&judgment.rule, WIDTH)))?;
        }
        Ok(())
    }
}

/// What a shipped rule says here: its own word, or what the person or the repository has made of it.
fn verdict(rules: &Rules, rule: &Shipped) -> &'static str {
    rules.setting(rule.name).map_or(rule.verdict.name(), rules::Setting::name)
}

fn list(world: &World, with_table: bool, as_json: bool) -> anyhow::Result<()> {
    let place = place(world);
    let rules = Rules::load(Some(&world.place.data), &place.workspace).map_err(|broken| {
        hint(Failure::Person, broken.to_string(), "until it is repaired, every command is a question to you")
    })?;
    let own = [(&rules.user, Origin::User), (&rules.project, Origin::Project)];
    if as_json {
        for (lists, origin) in own {
            for (verdict, pattern) in rows(lists, origin) {
                let file = lists.file.as_deref().map(Path::to_string_lossy);
                print::json(&json!({
                    "origin": name(origin), "verdict": verdict, "rule": pattern, "why": null, "file": file,
                }))?;
            }
        }
        return SHIPPED.iter().try_for_each(|rule| {
            print::json(&json!({
                "origin": name(Origin::Shipped), "verdict": verdict(&rules, rule), "rule": rule.name,
                "why": rule.why, "file": null, "table": table_lines(rule.name).collect::<Vec<_>>(),
            }))
        });
    }
    for (lists, origin) in own {
        let Some(file) = &lists.file else { continue };
        print::line(&print::bold(&file.to_string_lossy(), world.color))?;
        for (verdict, pattern) in rows(lists, origin) {
            print::line(&format!("  {verdict:<5}  {}", print::one_line(pattern, WIDTH)))?;
        }
        if origin == Origin::Project && !lists.allow.is_empty() {
            print::line("  its \"allow\" counts for nothing: a repository's file may only narrow")?;
        }
    }
    print::line(&print::bold("shipped", world.color))?;
    for rule in SHIPPED {
        print::line(&format!("  {:<5}  {:<18}  {}", verdict(&rules, rule), rule.name, rule.why))?;
        for line in table_lines(rule.name).filter(|_| with_table) {
            print::line(&format!("         {}", print::dim(line, world.color)))?;
        }
    }
    if let Some(broken) = &rules.ignored {
        print::remark(&format!("this repository's rules count for nothing: {broken}"));
    }
    let branches: Vec<&str> = rules.protected().collect();
    print::line(&format!("protected branches: {}", print::one_line(&branches.join(", "), WIDTH)))?;
    if by_name("guard-commands").is_some_and(|guard| !config::load(&world.place).0.is_on(guard.name())) {
        print::remark("none of them holds: the behavior guard-commands is off");
    }
    Ok(())
}

/// What counts of a file, strongest first.
fn rows(lists: &Lists, origin: Origin) -> Vec<(&'static str, &str)> {
    let allow = if origin == Origin::User { lists.allow.as_slice() } else { &[] };
    let named = [("deny", lists.deny.as_slice()), ("ask", &lists.ask), ("allow", allow)];
    named
        .into_iter()
        .flat_map(|(verdict, patterns)| patterns.iter().map(move |pattern| (verdict, pattern.written())))
        .collect()
}

const fn name(origin: Origin) -> &'static str {
    match origin {
        Origin::Shipped => "shipped",
        Origin::User => "user",
        Origin::Project => "project",
    }
}
