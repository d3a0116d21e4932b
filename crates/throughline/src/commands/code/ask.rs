//! Who answers: the daemon where one runs, which has the map in memory; else this process with a map of its own. No
//! daemon is started for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use atlas::exchange::{Asked, Reason, Refused, Said};
use atlas::{Answer, Atlas, Question, Shelf};
use indicatif::ProgressBar;

use super::{rows, show};
use crate::report::{Failure, hint};
use crate::world::World;
use crate::{print, progress};

/// A daemon reads for half a minute at most before it says how far it is.
const ANSWER: Duration = Duration::from_mins(1);
/// A million lines in a language that is slow to read, on a disk that is slow to read it from.
const PATIENCE: Duration = Duration::from_mins(10);
/// How often a bar moves.
const GLANCE: Duration = Duration::from_millis(300);
/// Names that are near, or that are meant: more help nobody.
const MAX_NAMES: usize = 8;

/// One workspace, and whoever asks about it.
#[derive(Debug)]
pub(crate) struct Desk<'w> {
    world: &'w World,
    /// Where paths on the command line begin.
    cwd: PathBuf,
    workspace: engine::Workspace,
    /// How long a map that is being made is waited for.
    patience: Duration,
}

impl<'w> Desk<'w> {
    pub(crate) fn at(world: &'w World, cwd: Option<&Path>) -> anyhow::Result<Self> {
        let named = cwd.map_or_else(|| world.cwd.clone(), |cwd| world.cwd.join(cwd));
        let cwd = fs::canonicalize(&named).ok().filter(|cwd| cwd.is_dir()).ok_or_else(|| {
            let what = format!("{} is not a folder", named.display());
            hint(Failure::Person, what, "name a folder of the workspace after --cwd")
        })?;
        let workspace = daemon::resolve_workspace(&cwd);
        Ok(Self { world, cwd, workspace, patience: PATIENCE })
    }

    /// For whoever can ask again.
    pub(crate) fn in_a_hurry(self) -> Self {
        Self { patience: Duration::ZERO, ..self }
    }

    /// Of the project, for titles.
    pub(super) fn name(&self) -> &str {
        &self.workspace.project
    }

    /// Paths in the question begin where the person stands.
    pub(super) fn ask(&self, question: Question) -> anyhow::Result<Answer> {
        self.reply(question).map_err(refused)
    }

    /// An answer from whoever has one.
    pub(crate) fn reply(&self, question: Question) -> Result<Answer, Refused> {
        let root = Path::new(&self.workspace.root);
        let question = Words { cwd: &self.cwd, root }.place(question);
        let until = Instant::now() + self.patience;
        let bar = progress::items("reading the code", 0);
        let said = loop {
            match of_daemon(self.world, &self.workspace, &question, None) {
                None => break of_ours(self.world, &self.workspace, &question, &bar),
                Some(Err(Refused { reason: Reason::NotYet, .. })) if Instant::now() < until => {}
                Some(said) => break said,
            }
        };
        bar.finish_and_clear();
        said
    }

    /// Asks and prints.
    pub(super) fn tell(&self, question: Question, json: bool) -> anyhow::Result<()> {
        self.print(&self.ask(question)?, json)
    }

    pub(super) fn print(&self, answer: &Answer, json: bool) -> anyhow::Result<()> {
        if json { rows::print(answer) } else { print::text(&show::page(self.world, answer)) }
    }

    pub(super) fn print_to(&self, answer: &Answer, json: bool, file: Option<&Path>) -> anyhow::Result<()> {
        match file {
            None => self.print(answer, json),
            Some(file) => {
                let world = World { color: false, ..self.world.clone() };
                let text = if json { rows::text(answer)? } else { show::page(&world, answer) };
                super::draw::write(file, &text)
            }
        }
    }

    /// Like a question, but waited for, and watched.
    pub(super) fn index(&self, anew: bool) -> anyhow::Result<Answer> {
        let bar = progress::items("reading the code", 0);
        let answer = self.watched(&bar, anew);
        bar.finish_and_clear();
        answer.map_err(refused)
    }

    fn watched(&self, bar: &ProgressBar, anew: bool) -> Result<Answer, Refused> {
        let mut question = Question::Index { anew };
        loop {
            match of_daemon(self.world, &self.workspace, &question, Some(GLANCE)) {
                None => return of_ours(self.world, &self.workspace, &question, bar),
                Some(Ok(Answer::Index(so_far))) if so_far.partial => {
                    advance(bar, atlas::Progress { done: so_far.files, of: so_far.files + so_far.left });
                    question = Question::Index { anew: false };
                }
                // Somebody else has it read just now.
                Some(Err(Refused { reason: Reason::NotYet, .. })) => {}
                Some(said) => return said,
            }
        }
    }
}

/// `None`: no daemon runs, or it cannot say. Then it is found out here.
fn of_daemon(
    world: &World,
    workspace: &engine::Workspace,
    question: &Question,
    within: Option<Duration>,
) -> Option<Result<Answer, Refused>> {
    let within_ms = within.map(|within| within.as_millis() as u64);
    let asked = Asked { within_ms, ..Asked::new(&workspace.root, question.clone()) };
    let asked = serde_json::to_vec(&asked).ok()?;
    let said = client::ask(&world.place, &asked, Instant::now() + ANSWER).ok()?;
    // An older one does not know the question; an answer that is too long for the wire is cut.
    match serde_json::from_slice(&said).ok()? {
        Said::Code(answer) => Some(Ok(answer)),
        Said::Refused(refused) => Some(Err(refused)),
    }
}

fn of_ours(
    world: &World,
    workspace: &engine::Workspace,
    question: &Question,
    bar: &ProgressBar,
) -> Result<Answer, Refused> {
    let mut atlas = Atlas::open(Path::new(&workspace.root), shelf(world))?;
    if let Question::Index { anew: true } = question {
        atlas.forget();
    }
    let read = atlas.freshen(&mut |so_far| advance(bar, so_far))?;
    Ok(match question {
        Question::Index { .. } => Answer::Index(read),
        question => atlas.answer(question)?,
    })
}

fn advance(bar: &ProgressBar, so_far: atlas::Progress) {
    if bar.length() != Some(so_far.of as u64) {
        bar.set_length(so_far.of as u64);
    }
    bar.set_position(so_far.done as u64);
}

/// What was known before is kept beside everything else of ours, where the daemon keeps it, too. Where nothing can be
/// written the map is made anew.
fn shelf(world: &World) -> Option<Shelf> {
    client::place::make_folder(&world.place.data).ok()?;
    Some(Shelf::at(&world.place.code()))
}

/// With the next step a person can take.
pub(crate) fn refused(refused: Refused) -> anyhow::Error {
    let Refused { what, reason, names } = refused;
    let shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| print::one_line(name, 120)).collect();
    let more = names.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!(" … {more} more") } else { String::new() };
    let next = match reason {
        Reason::NotYet => "ask again in a moment; `throughline code index` shows how far it is".to_owned(),
        Reason::Unknown if shown.is_empty() => {
            "`throughline code search` finds it by what it does".to_owned()
        }
        Reason::Unknown => format!("near it: {}{rest}", shown.join(", ")),
        Reason::Ambiguous => format!("say which: {}{rest}", shown.join(", ")),
        Reason::NotMapped => {
            "`throughline code status` says what is on the map, and what was left out".to_owned()
        }
        Reason::Unable => String::new(),
        Reason::Broken => {
            "run `throughline code index --anew`; `throughline doctor` finds what else is wrong".to_owned()
        }
    };
    hint(Failure::Person, print::one_line(&what, 400), next)
}

/// Paths and symbols as they were typed in a folder, as the workspace knows them.
#[derive(Debug)]
struct Words<'d> {
    cwd: &'d Path,
    root: &'d Path,
}

impl Words<'_> {
    fn place(&self, question: Question) -> Question {
        match question {
            Question::Outline { file } => Question::Outline { file: self.file(&file) },
            Question::Symbol { name, kind, limit } => {
                Question::Symbol { name: self.symbol(&name), kind, limit }
            }
            Question::Refs { symbol, limit } => Question::Refs { symbol: self.symbol(&symbol), limit },
            Question::Callers { symbol, limit } => Question::Callers { symbol: self.symbol(&symbol), limit },
            Question::Callees { symbol, limit } => Question::Callees { symbol: self.symbol(&symbol), limit },
            Question::Impact { symbol, depth, limit } => {
                Question::Impact { symbol: self.symbol(&symbol), depth, limit }
            }
            Question::TestsFor { targets, limit } => Question::TestsFor {
                targets: targets.iter().map(|target| self.symbol(target)).collect(),
                limit,
            },
            Question::Dead { under, public, limit } => {
                Question::Dead { under: self.under(under.as_deref()), public, limit }
            }
            Question::Flow { symbol } => Question::Flow { symbol: self.symbol(&symbol) },
            Question::Slice { file, line, variable, forward } => {
                Question::Slice { file: self.file(&file), line, variable, forward }
            }
            Question::Search { query, under, limit } => {
                Question::Search { query, under: self.under(under.as_deref()), limit }
            }
            Question::Deps { under, files, depth } => {
                Question::Deps { under: self.under(under.as_deref()), files, depth }
            }
            Question::Context { symbol, tokens } => {
                Question::Context { symbol: self.symbol(&symbol), tokens }
            }
            plain @ (Question::Index { .. } | Question::DiffImpact { .. } | Question::Status) => plain,
        }
    }

    /// A path from where the person stands; what is not there may be one from the top of the workspace.
    fn file(&self, text: &str) -> String {
        self.inside(text).unwrap_or_else(|| text.to_owned())
    }

    /// Like a path, and nothing for the workspace itself.
    fn under(&self, text: Option<&str>) -> Option<String> {
        text.map(|text| self.file(text)).filter(|path| !path.is_empty())
    }

    /// The path in `path:name` is one from where the person stands, too. A bare word is a name: a folder may be called
    /// like a function.
    fn symbol(&self, text: &str) -> String {
        if text.contains(['/', '.'])
            && let Some(path) = self.inside(text)
        {
            return path;
        }
        for (at, _) in text.match_indices(':') {
            if let Some(path) = self.inside(&text[..at]).filter(|path| !path.is_empty()) {
                return format!("{path}{}", &text[at..]);
            }
        }
        text.to_owned()
    }

    fn inside(&self, text: &str) -> Option<String> {
        if text.is_empty() {
            return None;
        }
        let real = fs::canonicalize(self.cwd.join(text)).ok()?;
        Some(real.strip_prefix(self.root).ok()?.to_str()?.to_owned())
    }
}
