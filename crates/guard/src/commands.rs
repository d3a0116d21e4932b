//! Rules over commands: what is allowed, asked about and denied. A person's own rules, those of a repository (which may
//! only narrow) and a small set that is shipped, each held against the commands a text would really start. Decides and
//! does nothing; where no rule speaks, it is silent.

mod allowed;
mod credentials;
mod deletes;
mod disks;
mod downloads;
mod far;
mod file;
mod files;
mod foreign;
mod look;
mod own;
mod pattern;
mod place;
mod pushes;
mod sends;
mod shells;
mod shipped;
mod small;
mod sql;
mod table;

use crate::shell::{self, Script};

pub use file::{Broken, FILE, Lists, PROJECT_FOLDER, Rules, Setting};
pub use pattern::Pattern;
pub use place::Place;
pub use shipped::{ALL as SHIPPED, Shipped};
pub use table::lines as table_lines;

use look::Look;

/// Weakest first: of several the strongest decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Allow,
    Ask,
    Deny,
}

impl Verdict {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Where a rule stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Shipped,
    /// In the person's own file.
    User,
    /// In the repository's file.
    Project,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgment {
    /// `None`: no rule speaks, and the agent does what it would do without us.
    pub verdict: Option<Verdict>,
    /// The name of a shipped rule, or the pattern as it is written.
    pub rule: String,
    pub origin: Origin,
    pub why: String,
    /// What to do instead.
    pub instead: String,
    /// The command it is about, in [`Judgment::script`].
    pub command: Option<usize>,
    pub script: Script,
}

impl Judgment {
    /// The command it is about, in one line.
    pub fn about(&self) -> Option<String> {
        Some(self.script.commands.get(self.command?)?.to_string())
    }

    /// The rule, as a person would name it.
    pub fn named(&self) -> String {
        match self.origin {
            Origin::Shipped => format!("throughline's rule {}", self.rule),
            Origin::User => format!("your rule \"{}\" in {FILE}", self.rule),
            Origin::Project => format!("this repository's rule \"{}\" in {PROJECT_FOLDER}/{FILE}", self.rule),
        }
    }
}

/// What the rules say about a command.
pub fn judge(rules: &Rules, place: &Place, command: &str) -> Judgment {
    let script = shell::read(command);
    let found = decide(&Look::new(rules, place, &script));
    let none = Found {
        verdict: None,
        rule: String::new(),
        origin: Origin::Shipped,
        why: "",
        instead: "",
        command: None,
    };
    let Found { verdict, rule, origin, why, instead, command } = found.unwrap_or(none);
    Judgment { verdict, rule, origin, why: why.to_owned(), instead: instead.to_owned(), command, script }
}

struct Found {
    verdict: Option<Verdict>,
    rule: String,
    origin: Origin,
    why: &'static str,
    instead: &'static str,
    command: Option<usize>,
}

/// The strongest rule that speaks. A person's words come before ours where both are as strong.
fn decide(look: &Look<'_>) -> Option<Found> {
    let listed = |lists: fn(&Lists) -> &[Pattern], verdict, why, instead| {
        let files = [(&look.rules.user, Origin::User), (&look.rules.project, Origin::Project)];
        files.into_iter().find_map(|(file, origin)| {
            let (command, pattern) = look.matched(lists(file))?;
            let rule = pattern.written().to_owned();
            Some(Found { verdict: Some(verdict), rule, origin, why, instead, command: Some(command) })
        })
    };
    let mut findings = shipped::findings(look);
    findings.retain(|finding| !allowed::is_excepted(look, finding));
    let shipped = |verdict: Verdict| {
        let finding = findings.iter().find(|finding| finding.verdict == verdict)?;
        Some(Found {
            verdict: Some(verdict),
            rule: finding.rule.name.to_owned(),
            origin: Origin::Shipped,
            why: finding.rule.why,
            instead: finding.rule.instead,
            command: finding.commands.first().copied(),
        })
    };
    listed(
        |lists| &lists.deny,
        Verdict::Deny,
        "A rule denies it.",
        "Ask the user to run it, or find another way.",
    )
    .or_else(|| shipped(Verdict::Deny))
    .or_else(|| listed(|lists| &lists.ask, Verdict::Ask, "A rule asks before it.", ""))
    .or_else(|| shipped(Verdict::Ask))
    .or_else(|| unread(look.script))
    .or_else(|| {
        let (command, pattern) = allowed::all(look)?;
        let rule = pattern.written().to_owned();
        let why = "A rule of yours allows it.";
        Some(Found { verdict: Some(Verdict::Allow), rule, origin: Origin::User, why, instead: "", command })
    })
}

/// What was not read whole is nobody's to pass.
fn unread(script: &Script) -> Option<Found> {
    let rule = &shipped::UNREAD;
    script.is_truncated.then(|| Found {
        verdict: Some(Verdict::Ask),
        rule: rule.name.to_owned(),
        origin: Origin::Shipped,
        why: rule.why,
        instead: rule.instead,
        command: None,
    })
}
