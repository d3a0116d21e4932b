//! Search and timelines, as text tables for models or as rows for programs. Finding and ranking are ours.

use std::time::Duration;

use mcp::End;
use model::{MemoryId, MemoryKind};
use serde_json::{Value, json};
use store::{MemoryFilter, MemoryPage, MemoryRow, PromptPage, PromptRow};

use super::called::{Called, Said, Trouble};
use super::shapes;

/// Milliseconds as a rule; the first question after a start may find the model still asleep.
const PATIENCE: Duration = Duration::from_secs(10);
const USUAL: usize = 20;
/// What search gives at most, and so how far one can skip in it.
const MAX_HITS: usize = 200;
/// Neighbors on one side of a moment.
const MAX_DEPTH: usize = 100;

/// What they call an observation: all that was kept but summaries, prompts and pieces of conversations.
pub(super) fn kinds_of_observations() -> Vec<MemoryKind> {
    let others = [MemoryKind::Summary, MemoryKind::Prompt, MemoryKind::Chunk];
    MemoryKind::ALL.iter().copied().filter(|kind| !others.contains(kind)).collect()
}

pub(super) fn of_observations() -> Vec<&'static str> {
    kinds_of_observations().into_iter().map(MemoryKind::name).collect()
}

pub(super) fn search(called: &Called<'_>) -> Result<Said, Trouble> {
    let wanted = called.asked("type");
    let wants = |name: &str| wanted.is_none_or(|wanted| wanted == name);
    let observations =
        if wants("observations") { matching(called, &obs_kinds(called)?)? } else { Vec::new() };
    let sessions = if wants("sessions") { matching(called, &[MemoryKind::Summary])? } else { Vec::new() };
    let prompts = if wants("prompts") { matching_prompts(called)? } else { Vec::new() };
    answer(called, &observations, &sessions, &prompts)
}

pub(super) fn observations(called: &Called<'_>) -> Result<Said, Trouble> {
    answer(called, &matching(called, &obs_kinds(called)?)?, &[], &[])
}

pub(super) fn sessions(called: &Called<'_>) -> Result<Said, Trouble> {
    answer(called, &[], &matching(called, &[MemoryKind::Summary])?, &[])
}

pub(super) fn prompts(called: &Called<'_>) -> Result<Said, Trouble> {
    answer(called, &[], &[], &matching_prompts(called)?)
}

pub(super) fn by_file(called: &Called<'_>) -> Result<Said, Trouble> {
    let file = called.asked("filePath").or_else(|| called.asked("files")).or_else(|| called.asked("path"));
    let file = file.ok_or_else(|| Trouble::bad("filePath is required"))?;
    let mut page = listed(called, kinds_of_observations())?;
    page.only.file = Some(file.to_owned());
    let rows = called.tables(|tables| tables.memory_page(&page))?.rows;
    answer(called, &rows, &[], &[])
}

pub(super) fn by_type(called: &Called<'_>) -> Result<Said, Trouble> {
    let said = called.asked("type").or_else(|| called.asked("obs_type"));
    let kinds = named_kinds(said.ok_or_else(|| Trouble::bad("type is required"))?)?;
    let page = listed(called, kinds)?;
    let rows = called.tables(|tables| tables.memory_page(&page))?.rows;
    answer(called, &rows, &[], &[])
}

pub(super) fn by_concept(called: &Called<'_>) -> Result<Said, Trouble> {
    let concept = called.asked("concept").or_else(|| called.asked("concepts"));
    let concept = concept.ok_or_else(|| Trouble::bad("concept is required"))?;
    let only = only(called, &kinds_of_observations())?;
    let mut rows = found(called, concept, &only, MAX_HITS)?;
    rows.retain(|row| row.memory.concepts.iter().any(|of| of.eq_ignore_ascii_case(concept)));
    rows.truncate(called.limit(USUAL));
    answer(called, &rows, &[], &[])
}

/// What was kept around a moment: a memory's number, a summary's with an S before it, a time, or the best hit.
pub(super) fn timeline(called: &Called<'_>) -> Result<Said, Trouble> {
    let before = called.number("depth_before", 10, MAX_DEPTH);
    let after = called.number("depth_after", 10, MAX_DEPTH);
    let center = match (called.asked("anchor"), called.question()) {
        (Some(anchor), _) => anchored(called, anchor)?,
        (None, Some(question)) => found(called, &question, &only(called, &obs_kinds(called)?)?, 1)?.pop(),
        (None, None) => return Err(Trouble::bad("anchor or query is required")),
    };
    let Some(center) = center else { return Err(Trouble::not_found("No such moment")) };
    let rows = called.tables(|tables| tables.around(&center, before, after))?;
    if called.asked("format") == Some("json") {
        let items: Vec<Value> = rows.iter().map(shapes::observation).collect();
        return Ok(Said::Json(json!({ "anchor": center.n, "items": items })));
    }
    let heading = format!("# Timeline around #{}", center.n);
    Ok(Said::Json(shapes::content(&shapes::table(&heading, &rows))))
}

fn anchored(called: &Called<'_>, anchor: &str) -> Result<Option<MemoryRow>, Trouble> {
    let number = anchor.trim_start_matches(['S', '#']).parse().ok().filter(|_| anchor.len() <= 8);
    if let Some(n) = number {
        return called.tables(|tables| tables.memory_at(n));
    }
    let until = called.moment("anchor", End::Until)?;
    let mut page = listed(called, kinds_of_observations())?;
    page.only.until = until.map(|at| at + 1);
    (page.limit, page.offset) = (1, 0);
    Ok(called.tables(|tables| tables.memory_page(&page))?.rows.pop())
}

/// Memories of these kinds: by what they say where something is asked, else the newest.
fn matching(called: &Called<'_>, kinds: &[MemoryKind]) -> Result<Vec<MemoryRow>, Trouble> {
    let Some(question) = called.question() else {
        let page = listed(called, kinds.to_vec())?;
        return Ok(called.tables(|tables| tables.memory_page(&page))?.rows);
    };
    let (limit, offset) = (called.limit(USUAL), called.offset());
    let hits = found(called, &question, &only(called, kinds)?, (limit + offset).min(MAX_HITS))?;
    let mut rows: Vec<MemoryRow> = hits.into_iter().skip(offset).take(limit).collect();
    match called.asked("orderBy") {
        Some("date_desc") => rows.sort_by_key(|row| std::cmp::Reverse(row.memory.at)),
        Some("date_asc") => rows.sort_by_key(|row| row.memory.at),
        _ => {}
    }
    Ok(rows)
}

fn matching_prompts(called: &Called<'_>) -> Result<Vec<PromptRow>, Trouble> {
    let page = PromptPage {
        project: called.asked("project").map(str::to_owned),
        since: called.moment("dateStart", End::Since)?,
        words: called.question(),
        offset: if called.question().is_none() { called.offset() } else { 0 },
        limit: called.limit(USUAL),
        ..PromptPage::default()
    };
    Ok(called.tables(|tables| tables.prompt_page(&page))?.rows)
}

/// What search finds, best first. `only` has the fields of the daemon's question.
pub(super) fn found(
    called: &Called<'_>,
    question: &str,
    only: &Value,
    limit: usize,
) -> Result<Vec<MemoryRow>, Trouble> {
    let mut asked = only.clone();
    asked["ask"] = json!("search");
    asked["query"] = json!(question);
    asked["limit"] = json!(limit);
    let said = called.house.ask(&asked, PATIENCE);
    let hits = said["hits"].as_array().ok_or_else(Trouble::out_of_order)?;
    let ids: Vec<MemoryId> =
        hits.iter().filter_map(|hit| hit["id"].as_str().and_then(|id| id.parse().ok())).collect();
    let mut rows = called.tables(|tables| tables.memories_by_id(&ids))?;
    rows.sort_by_key(|row| ids.iter().position(|id| *id == row.memory.id));
    Ok(rows)
}

fn only(called: &Called<'_>, kinds: &[MemoryKind]) -> Result<Value, Trouble> {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    Ok(json!({
        "project": called.asked("project"),
        "kinds": names,
        "since": called.moment("dateStart", End::Since)?,
        "until": called.moment("dateEnd", End::Until)?,
    }))
}

fn listed(called: &Called<'_>, kinds: Vec<MemoryKind>) -> Result<MemoryPage, Trouble> {
    let order = match called.asked("orderBy") {
        Some("date_asc") => store::MemoryOrder::Oldest,
        _ => store::MemoryOrder::Newest,
    };
    Ok(MemoryPage {
        only: MemoryFilter {
            project: called.asked("project").map(str::to_owned),
            kinds,
            since: called.moment("dateStart", End::Since)?,
            until: called.moment("dateEnd", End::Until)?,
            ..MemoryFilter::default()
        },
        order,
        offset: called.offset(),
        limit: called.limit(USUAL),
        ..MemoryPage::default()
    })
}

fn obs_kinds(called: &Called<'_>) -> Result<Vec<MemoryKind>, Trouble> {
    called.asked("obs_type").map_or_else(|| Ok(kinds_of_observations()), named_kinds)
}

/// Kinds by their names; a few of theirs are one of ours.
fn named_kinds(said: &str) -> Result<Vec<MemoryKind>, Trouble> {
    let kind = |name: &str| match name {
        "security_alert" | "security_note" | "sensitive" => Some(MemoryKind::Security),
        name => MemoryKind::from_name(name),
    };
    let names = said.split(',').map(str::trim).filter(|name| !name.is_empty());
    names
        .map(|name| kind(name).ok_or_else(|| Trouble::bad(format!("no such type; there are {}", known()))))
        .collect()
}

fn known() -> String {
    of_observations().join(", ")
}

fn answer(
    called: &Called<'_>,
    observations: &[MemoryRow],
    sessions: &[MemoryRow],
    prompts: &[PromptRow],
) -> Result<Said, Trouble> {
    let total = observations.len() + sessions.len() + prompts.len();
    let question = called.question().unwrap_or_default();
    if called.asked("format") == Some("json") {
        let summaries = called.tables(|tables| {
            sessions
                .iter()
                .map(|row| Ok((row, tables.summary_of(row.memory.id)?)))
                .collect::<Result<Vec<_>, _>>()
        })?;
        return Ok(Said::Json(json!({
            "observations": observations.iter().map(shapes::observation).collect::<Vec<_>>(),
            "sessions": summaries.iter().map(|(row, said)| shapes::summary(row, said.as_ref())).collect::<Vec<_>>(),
            "prompts": prompts.iter().map(|row| shapes::prompt(row, None)).collect::<Vec<_>>(),
            "totalResults": total,
            "query": question,
        })));
    }
    let mut text = format!("Found {total} result(s) matching \"{question}\"\n");
    for (heading, rows) in [("## Observations", observations), ("## Sessions", sessions)] {
        if !rows.is_empty() {
            text.push('\n');
            text.push_str(&shapes::table(heading, rows));
        }
    }
    if !prompts.is_empty() {
        text.push('\n');
        text.push_str(&shapes::prompts_table("## Prompts", prompts));
    }
    Ok(Said::Json(shapes::content(&text)))
}
