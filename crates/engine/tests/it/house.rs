//! A store with memories in it, filed and ready to be asked.

use std::path::PathBuf;
use std::sync::Arc;

use embed::{EmbedError, Embedder, Identity, StaticModel};
use engine::search::{Ask, Hit, Search};
use model::{Memory, MemoryId, MemoryKind, Provenance, Urgency};
use store::{Filing, Tables};

pub(crate) const NOW: u64 = 1_790_000_000_000;
pub(crate) const DAY: u64 = 24 * 60 * 60 * 1000;

pub(crate) struct House {
    pub(crate) tables: Tables,
    pub(crate) search: Search,
    pub(crate) path: PathBuf,
    _folder: tempfile::TempDir,
}

impl House {
    pub(crate) fn new(memories: &[Memory]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        let mut tables = Tables::open(&path).unwrap();
        put(&mut tables, memories);
        let search = Search::open(&path).unwrap();
        let mut house = Self { tables, search, path, _folder: folder };
        house.file();
        house
    }

    pub(crate) fn with_vectors(memories: &[Memory]) -> Self {
        let mut house = Self::new(memories);
        house.search.use_model(&mut house.tables, Arc::new(Static("one"))).unwrap();
        house.file();
        house
    }

    pub(crate) fn file(&mut self) {
        while self.search.index_due(&mut self.tables, 3).unwrap() > 0 {}
        while self.search.embed_due(&mut self.tables, 3).unwrap() > 0 {}
    }

    pub(crate) fn ask(&self, ask: Ask) -> Vec<Hit> {
        self.search.run(&Ask { limit: if ask.limit == 0 { 10 } else { ask.limit }, now: NOW, ..ask }).unwrap()
    }

    /// The titles found, best first.
    pub(crate) fn find(&self, text: &str) -> Vec<String> {
        titles(&self.ask(Ask { text: text.to_owned(), ..Ask::default() }))
    }
}

pub(crate) fn titles(hits: &[Hit]) -> Vec<String> {
    hits.iter().map(|hit| hit.title.clone()).collect()
}

pub(crate) fn put(tables: &mut Tables, memories: &[Memory]) {
    let filing = Filing { seq: 0, tokens: 0, fingerprint: 0 };
    tables
        .write(|batch| memories.iter().try_for_each(|memory| batch.put_memory(memory, filing).map(|_| ())))
        .unwrap();
}

pub(crate) fn memory(number: u64, title: &str, text: &str) -> Memory {
    Memory {
        id: MemoryId::from_u64(number),
        kind: MemoryKind::Note,
        at: NOW - 100 * DAY,
        title: title.to_owned(),
        subtitle: None,
        text: text.to_owned(),
        facts: Vec::new(),
        concepts: Vec::new(),
        files_read: Vec::new(),
        files_modified: Vec::new(),
        tools: Vec::new(),
        session: None,
        workspace: None,
        project: None,
        project_key: None,
        branch: None,
        external_id: None,
        urgency: Urgency::Normal,
        critical: false,
        pinned: false,
        provenance: Provenance::default(),
    }
}

/// The static model under a name: another name is another model.
pub(crate) struct Static(pub(crate) &'static str);

impl Embedder for Static {
    fn identity(&self) -> &Identity {
        use std::sync::OnceLock;
        static ONE: OnceLock<Identity> = OnceLock::new();
        static TWO: OnceLock<Identity> = OnceLock::new();
        let slot = if self.0 == "one" { &ONE } else { &TWO };
        slot.get_or_init(|| Identity { name: self.0.to_owned(), ..StaticModel::builtin().identity().clone() })
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        StaticModel::builtin().embed(texts)
    }
}

pub(crate) fn some() -> Vec<Memory> {
    vec![
        memory(1, "token refresh", "The token refresh failed because the clock of the server was ahead."),
        memory(
            2,
            "color flags",
            "--no-color and --color=never are the same flag now, see src/flags/parse.rs",
        ),
        memory(3, "borrow error", "error[E0382]: borrow of moved value, fixed by cloning the handle"),
        memory(4, "cats", "My cat is called Minka and likes fish."),
    ]
}
