//! `memory://ID` and `session://ID`: what tools say, for clients that attach things by address.

use model::MemoryKind;
use rmcp::model::{Resource, ResourceTemplate};
use store::{MemoryFilter, SessionFilter};

use crate::answer::{TITLE_CHARS, line, when};
use crate::keeper::{Keeper, Refusal};
use crate::lending::unescaped;
use crate::tools::{memory_page, story};

/// On one page of the list.
const PER_PAGE: usize = 20;
/// Of each sort; who looks for older ones searches.
const LISTED: usize = 50;
/// What is worth a place in a list: what was decided and what was said.
const KINDS: &[MemoryKind] = &[MemoryKind::Note, MemoryKind::Decision, MemoryKind::Learning];
const MEMORY: &str = "memory://";
const SESSION: &str = "session://";
const MIME: &str = "text/markdown";

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, description: &str| {
        ResourceTemplate::new(uri, name).with_description(description).with_mime_type(MIME)
    };
    vec![
        template("memory://{id}", "memory", "One memory in full, by the id that mem_search says"),
        template("session://{id}", "session", "What one session was about, by its id"),
    ]
}

/// A page of what stands here, and where the next begins. The cursor is what an earlier answer said.
pub(crate) fn list(
    keeper: &dyn Keeper,
    cursor: Option<&str>,
) -> Result<(Vec<Resource>, Option<String>), Refusal> {
    let from: usize = match cursor.map(str::parse) {
        None => 0,
        Some(Ok(from)) => from,
        Some(Err(_)) => return Err(Refusal::new("this cursor is none of ours", "begin without a cursor")),
    };
    let all = all(keeper)?;
    let page: Vec<Resource> = all.iter().skip(from).take(PER_PAGE).cloned().collect();
    let next = from.saturating_add(PER_PAGE);
    Ok((page, (next < all.len()).then(|| next.to_string())))
}

fn all(keeper: &dyn Keeper) -> Result<Vec<Resource>, Refusal> {
    let tables = keeper.tables()?;
    let here = keeper.workspace();
    let stored = |error: store::StoreError| Refusal::new(error.to_string(), "");
    let sessions = SessionFilter { workspace: Some(here.key), limit: LISTED, ..SessionFilter::default() };
    let memories = MemoryFilter {
        project: Some(here.project_key),
        kinds: KINDS.to_vec(),
        limit: LISTED,
        ..MemoryFilter::default()
    };
    let mut all = Vec::new();
    for row in tables.memories(&memories).map_err(stored)? {
        let memory = &row.memory;
        let about = format!("{}, {}, {} tokens", memory.kind.name(), when(memory.at), row.tokens);
        let resource = Resource::new(format!("{MEMORY}{}", memory.id), line(&memory.title, TITLE_CHARS));
        all.push(resource.with_description(about).with_mime_type(MIME));
    }
    for session in tables.sessions(&sessions).map_err(stored)? {
        let name = format!("session {}", line(session.id.as_str(), 40));
        let about = format!("last seen {}, {} prompts", when(session.last_seen_at), session.prompts);
        let resource = Resource::new(format!("{SESSION}{}", address(session.id.as_str())), name);
        all.push(resource.with_description(about).with_mime_type(MIME));
    }
    Ok(all)
}

/// What stands at an address; `None`: no such address.
pub(crate) fn read(keeper: &dyn Keeper, uri: &str) -> Result<Option<String>, Refusal> {
    let stored = |error: store::StoreError| Refusal::new(error.to_string(), "");
    if let Some(id) = uri.strip_prefix(MEMORY) {
        let row = keeper.tables()?.memory(&plain(id)).map_err(stored)?;
        return Ok(row.map(|row| memory_page(&row)));
    }
    if let Some(id) = uri.strip_prefix(SESSION) {
        let tables = keeper.tables()?;
        let Some(row) = tables.session(&plain(id)).map_err(stored)? else { return Ok(None) };
        return story(&tables, &row, 0).map(|answer| Some(answer.text));
    }
    Ok(None)
}

/// A session's id is a stranger's text; what an address may not contain is escaped.
fn address(id: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let letter = |byte| if is_plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") };
    id.bytes().map(letter).collect()
}

/// The reverse.
fn plain(text: &str) -> String {
    unescaped(text.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strange_id_survives_its_address() {
        for id in ["8dcc5c1e-1", "a b/c%20", "é\u{1}\"", ""] {
            assert_eq!(plain(&address(id)), id);
            assert!(address(id).is_ascii());
        }
        assert_eq!(plain("100%"), "100%");
        assert_eq!(plain("%zz/"), "%zz");
    }
}
