//! Their lists, a page at a time, and single things by number.

use mcp::Note;
use model::MemoryKind;
use serde_json::{Value, json};
use store::{MemoryFilter, MemoryPage, MemoryRow, PromptPage, StoreError, Tables};

use super::called::{Called, Said, Trouble};
use super::search::kinds_of_observations;
use super::{numbers, shapes};

const USUAL: usize = 20;
/// Numbers in one batch: a page of a viewer, several times over.
const MAX_BATCH: usize = 500;

pub(super) fn observations(called: &Called<'_>) -> Result<Said, Trouble> {
    let page = page(called, kinds_of_observations());
    let rows = called.tables(|tables| tables.memory_page(&page))?.rows;
    Ok(paged(called, rows.iter().map(shapes::observation).collect()))
}

pub(super) fn summaries(called: &Called<'_>) -> Result<Said, Trouble> {
    let page = page(called, vec![MemoryKind::Summary]);
    let items = called.tables(|tables| {
        tables.memory_page(&page)?.rows.iter().map(|row| with_answers(tables, row)).collect()
    })?;
    Ok(paged(called, items))
}

pub(super) fn prompts(called: &Called<'_>) -> Result<Said, Trouble> {
    let page = PromptPage {
        project: called.asked("project").map(str::to_owned),
        offset: called.offset(),
        limit: called.limit(USUAL) + 1,
        ..PromptPage::default()
    };
    let items = called.tables(|tables| {
        let rows = tables.prompt_page(&page)?.rows;
        rows.iter()
            .map(|row| {
                let project = tables.session_card(&row.session)?.and_then(|card| card.row.project);
                Ok(shapes::prompt(row, project.as_deref()))
            })
            .collect()
    })?;
    Ok(paged(called, items))
}

pub(super) fn observation(called: &Called<'_>) -> Result<Said, Trouble> {
    let id = called.id()?;
    let row = called.tables(|tables| tables.memory_at(id))?;
    row.map(|row| Said::Json(shapes::observation(&row)))
        .ok_or_else(|| Trouble::not_found(format!("Observation #{id} not found")))
}

/// They call a summary a session here.
pub(super) fn session(called: &Called<'_>) -> Result<Said, Trouble> {
    let id = called.id()?;
    let found = called.tables(|tables| {
        let row = tables.memory_at(id)?.filter(|row| row.memory.kind == MemoryKind::Summary);
        row.map(|row| with_answers(tables, &row)).transpose()
    })?;
    found.map(Said::Json).ok_or_else(|| Trouble::not_found(format!("Session #{id} not found")))
}

pub(super) fn prompt(called: &Called<'_>) -> Result<Said, Trouble> {
    let id = called.id()?;
    let found = called.tables(|tables| {
        let Some((first, last)) = numbers::prompts_of(id) else { return Ok(None) };
        let Some(row) = tables.prompt_between(first, last)? else { return Ok(None) };
        let project = tables.session_card(&row.session)?.and_then(|card| card.row.project);
        Ok(Some(shapes::prompt(&row, project.as_deref())))
    })?;
    found.map(Said::Json).ok_or_else(|| Trouble::not_found(format!("Prompt #{id} not found")))
}

pub(super) fn batch(called: &Called<'_>) -> Result<Said, Trouble> {
    let ids =
        numbers_in(&called.body["ids"]).ok_or_else(|| Trouble::bad("ids must be an array of numbers"))?;
    let most = called.body["limit"].as_u64().map_or(MAX_BATCH, |limit| limit.min(MAX_BATCH as u64) as usize);
    let mut rows: Vec<MemoryRow> = called.tables(|tables| {
        ids.iter().take(MAX_BATCH).filter_map(|n| tables.memory_at(*n).transpose()).collect()
    })?;
    if let Some(project) = called.text(&["project"]) {
        rows.retain(|row| row.memory.project.as_deref() == Some(project));
    }
    match called.text(&["orderBy"]) {
        Some("date_desc") => rows.sort_by_key(|row| std::cmp::Reverse(row.memory.at)),
        Some("date_asc") => rows.sort_by_key(|row| row.memory.at),
        _ => {}
    }
    rows.truncate(most);
    Ok(Said::Json(rows.iter().map(shapes::observation).collect()))
}

/// What was kept about a file, which may be named in several ways.
pub(super) fn by_file(called: &Called<'_>) -> Result<Said, Trouble> {
    /// Absolute, and below the repository and the folder: more ways there are not.
    const MAX_NAMES: usize = 8;
    let names: Vec<&str> = called.all_asked("path").take(MAX_NAMES).collect();
    if names.is_empty() {
        return Err(Trouble::bad("path query parameter is required"));
    }
    let mut rows: Vec<MemoryRow> = called.tables(|tables| {
        let mut rows = Vec::new();
        for name in &names {
            let mut page = page(called, kinds_of_observations());
            page.only.file = Some((*name).to_owned());
            rows.extend(tables.memory_page(&page)?.rows);
        }
        Ok(rows)
    })?;
    rows.sort_by_key(|row| std::cmp::Reverse((row.memory.at, row.n)));
    rows.dedup_by_key(|row| row.n);
    rows.truncate(called.limit(USUAL));
    let observations: Vec<Value> = rows.iter().map(shapes::observation).collect();
    Ok(Said::Json(json!({ "count": observations.len(), "observations": observations })))
}

/// Something to keep, said by a program for a person.
pub(super) fn save(called: &Called<'_>) -> Result<Said, Trouble> {
    let text = called.text(&["text"]).ok_or_else(|| Trouble::bad("text is required"))?;
    let project = called.text(&["project"]).or_else(|| called.body["metadata"]["project"].as_str());
    let note = Note {
        text: text.to_owned(),
        title: called.text(&["title"]).map(str::to_owned),
        kind: MemoryKind::Note,
        files: Vec::new(),
        project: project.map(str::to_owned),
        global: false,
        critical: false,
        pinned: false,
    };
    let kept = called.house.remember(None, note).map_err(|refusal| Trouble::bad(refusal.what))?;
    let (n, memory) = (kept.row.n, &kept.row.memory);
    Ok(Said::Json(json!({
        "success": true,
        "id": n,
        "title": memory.title,
        "project": memory.project,
        "message": format!("Memory saved as observation #{n}"),
    })))
}

fn page(called: &Called<'_>, kinds: Vec<MemoryKind>) -> MemoryPage {
    MemoryPage {
        only: MemoryFilter {
            project: called.asked("project").map(str::to_owned),
            kinds,
            ..MemoryFilter::default()
        },
        offset: called.offset(),
        // One more than is shown tells whether there are more.
        limit: called.limit(USUAL) + 1,
        ..MemoryPage::default()
    }
}

fn paged(called: &Called<'_>, mut items: Vec<Value>) -> Said {
    let limit = called.limit(USUAL);
    let has_more = items.len() > limit;
    items.truncate(limit);
    Said::Json(json!({ "items": items, "hasMore": has_more, "offset": called.offset(), "limit": limit }))
}

fn with_answers(tables: &Tables, row: &MemoryRow) -> Result<Value, StoreError> {
    Ok(shapes::summary(row, tables.summary_of(row.memory.id)?.as_ref()))
}

/// An array, or a text that is one or a list with commas.
fn numbers_in(said: &Value) -> Option<Vec<u64>> {
    match said {
        Value::Array(all) => all.iter().map(Value::as_u64).collect(),
        Value::String(text) => {
            let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
            inner.split(',').map(|part| part.trim().parse().ok()).collect()
        }
        _ => None,
    }
}
