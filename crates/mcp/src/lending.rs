//! Which keeper answers a call: over a pipe always the same, over HTTP one for the folder the caller works in. Where
//! that is, its client says (its roots), else a header, else the address; what the folder means is the keeper's
//! business.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::time::timeout;

use crate::keeper::{Keeper, Keepers};

/// The header, and the parameter in the address, that name a folder for clients without roots.
const HEADER: &str = "x-throughline-folder";
const PARAMETER: &str = "folder";
/// A client that offers its roots and does not say them is waited for once.
const ROOTS: Duration = Duration::from_secs(2);
/// Of a path, as bytes; the kernel takes no longer one.
const MAX_FOLDER: usize = 4096;

pub(crate) enum Lending {
    One(Arc<dyn Keeper>),
    Each { keepers: Arc<dyn Keepers>, roots: Mutex<Roots> },
}

/// What this session's client says of the folders it has open.
#[derive(Clone, Default)]
pub(crate) enum Roots {
    #[default]
    NotAsked,
    /// The first of them, if it has any.
    Said(Option<PathBuf>),
}

impl Lending {
    pub(crate) fn to_one(keeper: Arc<dyn Keeper>) -> Self {
        Self::One(keeper)
    }

    pub(crate) fn to_each(keepers: Arc<dyn Keepers>) -> Self {
        Self::Each { keepers, roots: Mutex::default() }
    }

    pub(crate) fn version(&self) -> &str {
        match self {
            Self::One(keeper) => keeper.version(),
            Self::Each { keepers, .. } => keepers.version(),
        }
    }

    /// Whether the hooks of an agent come here; over HTTP they never do.
    pub(crate) fn takes_hooks(&self) -> bool {
        matches!(self, Self::One(keeper) if keeper.takes_hooks())
    }

    pub(crate) async fn keeper(&self, context: &RequestContext<RoleServer>) -> Arc<dyn Keeper> {
        match self {
            Self::One(keeper) => Arc::clone(keeper),
            Self::Each { keepers, roots } => {
                let known = roots.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let root = match known {
                    Roots::Said(root) => root,
                    Roots::NotAsked => {
                        let root = ask_roots(context).await;
                        *roots.lock().unwrap_or_else(PoisonError::into_inner) = Roots::Said(root.clone());
                        root
                    }
                };
                let folder =
                    root.or_else(|| context.extensions.get::<http::request::Parts>().and_then(named));
                keepers.keeper(folder.as_deref())
            }
        }
    }

    /// The client has opened another folder.
    pub(crate) fn forget_roots(&self) {
        if let Self::Each { roots, .. } = self {
            *roots.lock().unwrap_or_else(PoisonError::into_inner) = Roots::NotAsked;
        }
    }
}

#[expect(
    deprecated,
    reason = "the next protocol has no roots; clients of today say their folder in no other way"
)]
async fn ask_roots(context: &RequestContext<RoleServer>) -> Option<PathBuf> {
    context.peer.peer_info()?.capabilities.roots.as_ref()?;
    let said = timeout(ROOTS, context.peer.list_roots()).await.ok()?.ok()?;
    said.roots.iter().find_map(|root| folder(&unescaped(root.uri.strip_prefix("file://")?)))
}

/// The folder that the request itself names.
fn named(request: &http::request::Parts) -> Option<PathBuf> {
    let header = request.headers.get(HEADER).and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
    header.and_then(folder).or_else(|| {
        let pairs = request.uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
        pairs
            .into_iter()
            .find(|(name, _)| *name == PARAMETER)
            .and_then(|(_, value)| folder(&unescaped(value)))
    })
}

/// Relative to what, nobody here knows.
fn folder(text: &str) -> Option<PathBuf> {
    let is_path = !text.contains('\0') && text.len() <= MAX_FOLDER && Path::new(text).is_absolute();
    is_path.then(|| PathBuf::from(text))
}

/// An address without its escapes. What is no escape stays as it is; bytes that are no text are replaced.
pub(crate) fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped =
            after.first_chunk::<2>().filter(|two| *first == b'%' && two.iter().all(u8::is_ascii_hexdigit));
        let byte = escaped.and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: &str, header: Option<&str>) -> Option<PathBuf> {
        let mut request = http::Request::builder().uri(address);
        if let Some(value) = header {
            request = request.header(HEADER, value);
        }
        named(&request.body(()).expect("a request").into_parts().0)
    }

    #[test]
    fn a_folder_is_named_by_the_header_else_by_the_address() {
        assert_eq!(of("/mcp", None), None);
        assert_eq!(of("/mcp?folder=/projects/a%20b", None), Some("/projects/a b".into()));
        assert_eq!(of("/mcp?folder=/one&folder=/two", Some("/three é")), Some("/three é".into()));
        assert_eq!(of("/mcp?x=1&folder=/one", Some("relative")), Some("/one".into()));
    }

    #[test]
    fn what_is_no_path_from_the_top_is_no_folder() {
        for text in ["", "work", "../x", "~/x", "/a\0b", &format!("/{}", "x".repeat(MAX_FOLDER))] {
            assert_eq!(folder(text), None, "{text:?}");
        }
        assert_eq!(of("/mcp?folder=%2Fa%00b", None), None);
    }

    #[test]
    fn an_escape_that_is_none_stays() {
        assert_eq!(unescaped("100%"), "100%");
        assert_eq!(unescaped("%zz%+1%41"), "%zz%+1A");
    }
}
