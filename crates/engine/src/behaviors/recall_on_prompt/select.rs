//! From the hits of a search to the few memories that are worth a prompt's tokens. The one path for life and for
//! measuring.

use model::{Memory, MemoryKind, SessionId};
use store::{MemoryRow, Tables};

use super::judge::{Judge, Signs};
use crate::behaviors::recall_on_start::homes;
use crate::search::{Ask, Hit};
use crate::{Result, Workspace, origin};

/// Hits that are looked at.
const ASKED: usize = 40;
/// Of those, judged at most: of this project, and of others, and as many again of those that wait for their vectors,
/// so that neither takes the other's place. What is farther behind is not what a prompt is about.
const JUDGED_HERE: usize = 6;
const JUDGED_ELSEWHERE: usize = 2;
/// Memories that are said; what comes fourth was never the one that counted.
pub(crate) const MOST: usize = 3;
/// A memory less likely than this to belong to the prompt is not said. One in seven sounds low: silence costs the
/// answer, and what is above it is right in six of seven cases, since few memories are in between.
const FLOOR: f32 = 0.16;
/// Beside the best, what is less likely than this share of it is not said.
const BESIDE: f32 = 0.9;

/// A hit with what speaks for it.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    pub(crate) row: MemoryRow,
    pub(crate) is_here: bool,
    pub(crate) signs: Signs,
    pub(crate) chance: f32,
}

impl Judged {
    /// Whether it has no vector yet.
    fn waits(&self) -> bool {
        self.signs.read <= 0.0
    }

    /// For a person who asks why it was said.
    pub(crate) fn why(&self) -> String {
        let Signs { near, ahead, covered, here, ours, surface, .. } = self.signs;
        let nearness = if self.waits() {
            "by its words alone".to_owned()
        } else {
            format!("nearness {near:.2}, {ahead:.2} above usual")
        };
        let mut why = format!(
            "likely {:.2} (floor {FLOOR:.2}): {nearness}, {:.0} % of what the prompt says",
            self.chance,
            covered * 100.0
        );
        for (sign, words) in
            [(here, ", of this project"), (ours, ", asks about us"), (surface, ", asks for looks")]
        {
            why.push_str(if sign > 0.0 { words } else { "" });
        }
        why
    }
}

/// The question a search is asked for a prompt.
pub(crate) fn ask(text: &str, here: Option<&Workspace>, now: u64) -> Ask {
    Ask { text: text.to_owned(), limit: ASKED, now, here: here.cloned(), ..Ask::default() }
}

/// What might be said, judged, likeliest first.
pub(crate) fn judge(
    tables: &Tables,
    text: &str,
    hits: &[Hit],
    here: Option<&Workspace>,
    session: Option<&SessionId>,
    elsewhere: bool,
) -> Result<Vec<Judged>> {
    let mut judged = Vec::with_capacity(JUDGED_HERE + JUDGED_ELSEWHERE);
    if hits.is_empty() {
        return Ok(judged);
    }
    let judge = Judge::new(tables, text)?;
    let homes = homes(tables, here, &[])?;
    // One client's facts are no business of another's model, unless the person says so.
    let mut rooms = [[if elsewhere { JUDGED_ELSEWHERE } else { 0 }, JUDGED_HERE]; 2];
    for hit in hits {
        let room = &mut rooms[usize::from(hit.evidence.nearness.is_some())];
        if hit.kind == MemoryKind::Chunk || *room == [0, 0] {
            continue;
        }
        let Some(row) = tables.memory(&hit.id.to_string())? else { continue };
        let is_here = is_here(&row.memory, &homes);
        let room = &mut room[usize::from(is_here)];
        if *room == 0 || row.superseded_by.is_some() || !may_be_said(&row.memory, session) {
            continue;
        }
        *room -= 1;
        let signs = judge.signs(&row.memory, hit.evidence, is_here);
        judged.push(Judged { row, is_here, signs, chance: signs.chance() });
    }
    judged.sort_by(|a, b| b.chance.total_cmp(&a.chance));
    Ok(judged)
}

/// Those that are worth saying, likeliest first; of them the first [`MOST`] are said.
pub(crate) fn chosen(judged: Vec<Judged>) -> Vec<Judged> {
    let best = |waits: bool| {
        let alike = judged.iter().filter(|one| one.waits() == waits);
        alike.map(|one| one.chance).fold(0.0, f32::max)
    };
    // What nearness says for one memory takes nothing from what words say for another that it has not read.
    let best = [best(false), best(true)];
    let worth = |one: &Judged| one.chance >= FLOOR.max(best[usize::from(one.waits())] * BESIDE);
    judged.into_iter().filter(worth).collect()
}

/// Unasked only what is ours to say: no words of others and nothing of the conversation itself; and only what says
/// something: that the same was asked before is no answer.
fn may_be_said(memory: &Memory, session: Option<&SessionId>) -> bool {
    let own = session.is_some() && memory.session.as_ref() == session;
    let asks = match memory.kind {
        MemoryKind::Prompt => true,
        MemoryKind::Summary => memory.text.lines().all(|line| line.starts_with("Request:")),
        _ => false,
    };
    origin(memory).is_trusted() && !own && !asks
}

/// What belongs to no project is at home in every one.
fn is_here(memory: &Memory, homes: &[String]) -> bool {
    let at_home = |home: &String| homes.contains(home);
    match (&memory.project_key, &memory.project) {
        (None, None) => true,
        (key, name) => key.as_ref().is_some_and(at_home) || name.as_ref().is_some_and(at_home),
    }
}
