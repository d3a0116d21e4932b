//! What is put in front of an agent, for hooks that fetch it. It is what our own hook would say, and asking for it
//! changes nothing: nothing counts as shown, because nobody knows whether it was.

use std::fmt::Write;
use std::time::Duration;

use model::MemoryKind;
use serde_json::{Value, json};
use store::{MemoryFilter, MemoryPage};

use super::called::{Called, Said, Trouble};
use super::dates::iso;
use super::search::{found, of_observations};
use super::shapes;

/// A person waits for their agent to begin.
const PATIENCE: Duration = Duration::from_secs(10);
/// As theirs: shorter words than these say too little to look for more.
const LEAST_QUESTION: usize = 20;
/// Characters of one memory in front of a prompt.
const SHOWN: usize = 600;

pub(super) fn inject(called: &Called<'_>) -> Result<Said, Trouble> {
    let said = called.asked("projects").or_else(|| called.asked("project"));
    let projects = said.ok_or_else(|| Trouble::bad("Project(s) parameter is required"))?;
    // A worktree comes after the repository it belongs to; it is where the agent works.
    let project = projects.split(',').map(str::trim).rfind(|name| !name.is_empty());
    let project = project.ok_or_else(|| Trouble::bad("At least one project is required"))?;
    let mut envelope =
        json!({ "hook_event_name": "SessionStart", "source": "startup", "session_id": "preview" });
    if let Some(root) = roots(called, project)?.into_iter().next() {
        envelope["cwd"] = json!(root);
    }
    let said = called.house.ask(&json!({ "ask": "context", "envelope": envelope }), PATIENCE);
    match &said["text"] {
        Value::String(text) => Ok(Said::Text(text.clone())),
        _ => Err(Trouble::out_of_order()),
    }
}

/// The folders of a project by its name, last seen first. They call a worktree `repository/worktree`.
pub(super) fn roots(called: &Called<'_>, project: &str) -> Result<Vec<String>, Trouble> {
    let named: Vec<_> = called.tables(|tables| {
        let all = tables.workspaces()?;
        let bears = |name: &str, root: &str| root.rsplit('/').next() == Some(name);
        let by_name = |name: &str| -> Vec<String> {
            let fits = all.iter().filter(|at| at.project.as_deref() == Some(name) || bears(name, &at.root));
            fits.map(|at| at.root.clone()).collect()
        };
        let whole = by_name(project);
        Ok(match project.rsplit_once('/') {
            Some((_, last)) if whole.is_empty() => by_name(last),
            _ => whole,
        })
    })?;
    Ok(named)
}

/// The last summaries of a project, newest first, as a text for a model.
pub(super) fn recent(called: &Called<'_>) -> Result<Said, Trouble> {
    let page = MemoryPage {
        only: MemoryFilter {
            project: called.asked("project").map(str::to_owned),
            kinds: vec![MemoryKind::Summary],
            ..MemoryFilter::default()
        },
        limit: called.limit(3),
        ..MemoryPage::default()
    };
    let rows = called.tables(|tables| tables.memory_page(&page))?.rows;
    let mut text = "# Recent session context\n".to_owned();
    for row in &rows {
        let memory = &row.memory;
        let _ = write!(text, "\n## {} (S{}, {})\n\n{}\n", memory.title, row.n, iso(memory.at), memory.text);
    }
    if rows.is_empty() {
        text.push_str("\nNo previous sessions found.\n");
    }
    Ok(Said::Json(shapes::content(&text)))
}

/// Memories that say something about a prompt.
pub(super) fn semantic(called: &Called<'_>) -> Result<Said, Trouble> {
    let question = called.text(&["q", "query"]).map(str::to_owned).or_else(|| called.question());
    let nothing = || Said::Json(json!({ "context": "", "count": 0 }));
    let Some(question) = question.filter(|question| question.chars().count() >= LEAST_QUESTION) else {
        return Ok(nothing());
    };
    let limit = match &called.body["limit"] {
        Value::Number(limit) => limit.as_u64(),
        Value::String(limit) => limit.parse().ok(),
        _ => None,
    };
    let limit = limit.unwrap_or(5).clamp(1, 20) as usize;
    let only = json!({ "project": called.text(&["project"]), "kinds": of_observations() });
    let rows = found(called, &question, &only, limit)?;
    if rows.is_empty() {
        return Ok(nothing());
    }
    let mut text = "## Relevant past work\n".to_owned();
    for row in &rows {
        let memory = &row.memory;
        let shown: String = memory.text.chars().take(SHOWN).collect();
        let _ = write!(text, "\n### {} ({}, #{})\n{shown}\n", memory.title, &iso(memory.at)[..10], row.n);
    }
    Ok(Said::Json(json!({ "context": text, "count": rows.len() })))
}
