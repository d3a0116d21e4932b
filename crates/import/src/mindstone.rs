//! MindStone's memory files: one memory per file, with the use it has been. Who the agent is (IDENTITY), who the
//! user is (USER) and the log are not memories and are left alone.

use std::path::Path;

use model::MemoryId;

use crate::folder::{Folder, Note};
use crate::note::{self, kind_of, place_of, set_project};
use crate::{
    Effect, Imported, Item, Options, Problem, Reader, Record, Source, front_matter, markdown, shape, time,
};

/// Where the memories lie, from wherever a person may point.
const MEMORY_FOLDERS: &[&str] = &["orchestrator/memory", "memory"];

const LEFT_ALONE: &[(&str, &str)] = &[
    ("IDENTITY.md", "says who the agent is, which is not a memory"),
    ("USER.md", "says who the user is; use `throughline remember` for what should be kept of it"),
    ("LOG.md", "is a log of sessions; their transcripts tell more, see `throughline backfill`"),
    ("MEMORY.md", "is an index of the others"),
];

pub(crate) fn read(path: &Path, options: &Options) -> Reader {
    let found = MEMORY_FOLDERS.iter().map(|name| path.join(name)).find(|folder| folder.is_dir());
    let folder = match Folder::open(found.as_deref().unwrap_or(path)) {
        Ok(folder) => folder,
        Err(problem) => return Reader::stopped(problem.place, problem.what),
    };
    let mut left_alone = Vec::new();
    // Named so that nobody wonders where they are.
    if let Some(home) = folder.root.parent().filter(|_| found.is_some()) {
        for (name, why) in LEFT_ALONE.iter().filter(|(name, _)| home.join(name).is_file()) {
            let place = home.join(name).display().to_string();
            left_alone.push(Problem::new(Effect::LeftOut, place, *why));
        }
    }
    note::read(folder, left_alone, options, memories)
}

fn memories(note: &Note, options: &Options) -> Vec<Item> {
    let item = memory(note, options);
    let is_cut =
        item.is_ok() && (note.is_cut || shape::is_too_long(front_matter::split(&note.text).1.trim()));
    [item].into_iter().chain(is_cut.then(|| Err(note.shortened()))).collect()
}

fn memory(note: &Note, options: &Options) -> Item {
    let left_out = |why: &str| Err(Problem::new(Effect::LeftOut, &note.path, why));
    let file = note.name.rsplit('/').next().unwrap_or_default();
    if let Some((_, why)) = LEFT_ALONE.iter().find(|(name, _)| *name == file) {
        return left_out(why);
    }
    let (front, body) = front_matter::split(&note.text);
    let given = front.text("type").unwrap_or_default();
    if matches!(given, "index" | "log") {
        return left_out("is an index or a log of the others");
    }
    let invariant = front.text("invariant");
    let description = front.text("description");
    let body = body.trim();
    let text = if body.is_empty() { invariant.or(description).unwrap_or_default() } else { body };
    if text.is_empty() {
        return left_out("is empty");
    }
    let stem = shape::one_line(&note.stem.replace(['_', '-'], " "));
    let title = markdown::title(body).or(front.text("name")).unwrap_or(&stem);
    let at = front.text("created").and_then(time::from_text).or(note.modified).unwrap_or_default();
    let id = MemoryId::of(&[Source::Mindstone.name(), &place_of(note, options)]);
    let mut memory = shape::memory(id, kind_of(given), at, title, text);
    memory.subtitle = description.and_then(shape::subtitle);
    memory.facts = shape::items(invariant);
    memory.concepts =
        shape::items(front.list("tags").into_iter().chain((!given.is_empty()).then_some(given)));
    set_project(&mut memory, &front, options);
    memory.external_id = Some(shape::external_id(&note.name));
    memory.critical = front.is_true("critical");
    memory.pinned = front.is_true("evergreen");
    memory.provenance.place = Some(note.path.clone());
    Ok(Record::Memory(Box::new(Imported {
        memory,
        hits: front.count("hits"),
        prevented: front.count("prevented"),
        last_applied_at: front.text("last_applied").and_then(time::from_text),
    })))
}
