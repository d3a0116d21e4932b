//! How good recall-on-prompt is: what it would put in front of an agent for prompts of which somebody has written down
//! what belongs there. The same code as in life, from the question to the page.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use model::WorkspaceKey;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Tables;

use super::Search;
use crate::behaviors::recall_on_prompt::{Judged, ask, chosen, judge, page, question};
use crate::config::Config;
use crate::{Result, Workspace};

/// One line of a file of prompts.
#[derive(Debug, Clone, Deserialize)]
pub struct Prompt {
    pub id: String,
    pub prompt: String,
    #[serde(default)]
    pub project: Option<String>,
    /// None: it should be answered with silence.
    pub relevant: Vec<String>,
    #[serde(default)]
    pub split: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PromptReport {
    pub related: usize,
    pub unrelated: usize,
    /// Of what was said, the share that is right.
    pub precision: f64,
    /// Of the unrelated prompts, the share answered with silence.
    pub silence: f64,
    /// Of the related prompts, the share with a right memory in the first three.
    #[serde(rename = "right@3")]
    pub right_3: f64,
    /// Of the related prompts, the share for which anything was said.
    pub spoken: f64,
    /// Memories that were said in all, those of them that are right, and prompts beside which any were.
    pub items: usize,
    pub right: usize,
    pub spoke: usize,
    /// What a note costs on average.
    pub tokens: f64,
    pub p50_ms: f64,
    pub p95_ms: f64,
}

/// Asks with every prompt; beside the figures everything that was judged, for whoever fits the weights.
pub fn measure_prompts(
    search: &Search,
    database: &Path,
    prompts: &[Prompt],
    now: u64,
) -> Result<(PromptReport, Vec<Value>)> {
    let tables = Tables::open_read_only(database)?;
    let budget = Config::default().number("recall.prompt-tokens") as u32;
    let (mut report, mut candidates, mut times) = (PromptReport::default(), Vec::new(), Vec::new());
    for prompt in prompts {
        let start = Instant::now();
        let here = prompt.project.as_deref().map(workspace);
        let judged = match question(&prompt.prompt) {
            Some(text) => {
                let hits = search.run(&ask(&text, here.as_ref(), now))?;
                judge(&tables, &text, &hits, here.as_ref(), None, false)?
            }
            None => Vec::new(),
        };
        let relevant: HashSet<&str> = prompt.relevant.iter().map(String::as_str).collect();
        let is_right =
            |one: &Judged| one.row.memory.external_id.as_deref().is_some_and(|id| relevant.contains(id));
        candidates.extend(judged.iter().map(|one| {
            json!({
                "prompt": prompt.id,
                "memory": one.row.memory.external_id,
                "relevant": is_right(one),
                "split": prompt.split,
                "chance": one.chance,
                "signs": one.signs,
            })
        }));
        let said = chosen(judged);
        let note = page(&said, &prompt.prompt, budget, &mut |_| true).finish("recall-on-prompt");
        times.push(start.elapsed().as_secs_f64() * 1000.0);
        let said = &said[..note.as_ref().map_or(0, |note| note.items.len()).min(said.len())];
        report.items += said.len();
        report.right += said.iter().filter(|one| is_right(one)).count();
        if let Some(note) = &note {
            report.spoke += 1;
            report.tokens += f64::from(model::estimate_tokens(&note.text));
        }
        if relevant.is_empty() {
            report.unrelated += 1;
            report.silence += f64::from(u8::from(said.is_empty()));
        } else {
            report.related += 1;
            report.spoken += f64::from(u8::from(!said.is_empty()));
            report.right_3 += f64::from(u8::from(said.iter().take(3).any(is_right)));
        }
    }
    report.precision = share(report.right as f64, report.items);
    report.silence = share(report.silence, report.unrelated);
    report.right_3 = share(report.right_3, report.related);
    report.spoken = share(report.spoken, report.related);
    report.tokens = share(report.tokens, report.spoke);
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or(0.0);
    (report.p50_ms, report.p95_ms) = (at(0.5), at(0.95));
    Ok((report, candidates))
}

fn share(part: f64, whole: usize) -> f64 {
    part / (whole as f64).max(1.0)
}

/// A place that is known by its name alone.
fn workspace(project: &str) -> Workspace {
    Workspace {
        key: WorkspaceKey::from_hex(String::new()),
        root: String::new(),
        project: project.to_owned(),
        project_key: project.to_owned(),
        branch: None,
    }
}
