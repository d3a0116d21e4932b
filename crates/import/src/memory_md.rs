//! Folders of plain Markdown: Claude Code's auto memory, Serena, basic-memory, an Obsidian vault. A short note is
//! one memory; a long one is one per section, so that a search finds the section and not the book.

use std::collections::HashMap;
use std::path::Path;

use model::{Memory, MemoryId, Millis, estimate_tokens};

use crate::folder::{Folder, Note};
use crate::front_matter::{self, FrontMatter};
use crate::note::{self, kind_of, place_of, set_project};
use crate::{Effect, Item, Options, Problem, Reader, Record, Source, markdown, shape, time};

/// A note within this is read in one go, by people and by an embedder.
const WHOLE_TOKENS: u32 = 400;
/// When a note was written, by whichever name its tool gives it.
const TIMES: &[&str] = &["modified", "updated", "updated_at", "date", "created", "created_at"];
/// The index Claude Code keeps of its notes.
const INDEX: &str = "MEMORY.md";

pub(crate) fn read(path: &Path, options: &Options) -> Reader {
    match Folder::open(path) {
        Ok(folder) => note::read(folder, Vec::new(), options, memories),
        Err(problem) => Reader::stopped(problem.place, problem.what),
    }
}

fn memories(note: &Note, options: &Options) -> Vec<Item> {
    let (front, body) = front_matter::split(&note.text);
    let body = body.trim();
    let left_out = |why: &str| vec![Err(Problem::new(Effect::LeftOut, &note.path, why))];
    if body.is_empty() {
        return left_out("is empty");
    }
    if note.name.ends_with(INDEX) && is_index(body) {
        return left_out("is an index of the others");
    }
    let stem = shape::one_line(&note.stem.replace(['_', '-'], " "));
    let title = front.text("title").or(markdown::title(body)).or(front.text("name")).unwrap_or(&stem);
    let page = Page { note, front: &front, title, options };

    let sections = markdown::sections(body);
    let mut items = Vec::new();
    let mut is_cut = note.is_cut;
    if estimate_tokens(body) <= WHOLE_TOKENS || sections.len() < 2 {
        is_cut |= shape::is_too_long(body);
        items.push(Ok(Record::from(page.memory(None, 1, body))));
    } else {
        // Two sections of one name are told apart by their order.
        let mut seen: HashMap<&str, u32> = HashMap::new();
        for section in sections {
            let times = seen.entry(section.heading.unwrap_or_default()).or_default();
            *times += 1;
            is_cut |= shape::is_too_long(section.text);
            items.push(Ok(Record::from(page.memory(section.heading, *times, section.text))));
        }
    }
    if is_cut {
        items.push(Err(note.shortened()));
    }
    items
}

struct Page<'a> {
    note: &'a Note,
    front: &'a FrontMatter,
    title: &'a str,
    options: &'a Options,
}

impl Page<'_> {
    fn memory(&self, heading: Option<&str>, times: u32, text: &str) -> Memory {
        let Self { note, front, title, options } = self;
        let given = front.text("type").unwrap_or_default();
        let id = MemoryId::of(&[
            Source::MemoryMd.name(),
            &place_of(note, options),
            heading.unwrap_or_default(),
            &times.to_string(),
        ]);
        let mut memory = shape::memory(id, kind_of(given), self.at(), heading.unwrap_or(title), text);
        memory.subtitle = match heading {
            Some(_) => shape::subtitle(title),
            None => front.text("description").or(front.text("summary")).and_then(shape::subtitle),
        };
        let tags = front.list("tags");
        // Some write one line: `tags: a, b` or `tags: #a #b`.
        let tags = tags.iter().flat_map(|tag| tag.split([',', '#'])).map(str::trim);
        memory.concepts = shape::items(tags.chain((!given.is_empty()).then_some(given)));
        set_project(&mut memory, front, options);
        let anchor = match (heading, times) {
            (None, _) => String::new(),
            (Some(heading), 1) => format!("#{heading}"),
            (Some(heading), times) => format!("#{heading} ({times})"),
        };
        memory.external_id = Some(shape::external_id(&format!("{}{anchor}", note.name)));
        memory.provenance.place = Some(format!("{}{}", note.path, shape::one_line(&anchor)));
        memory.critical = front.is_true("critical");
        memory.pinned = front.is_true("evergreen") || front.is_true("pinned");
        memory
    }

    fn at(&self) -> Millis {
        let said = TIMES.iter().find_map(|name| self.front.text(name).and_then(time::from_text));
        said.or(self.note.modified).unwrap_or_default()
    }
}

/// Whether most of what it says are links to other notes.
fn is_index(body: &str) -> bool {
    let said = body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (mut links, mut lines) = (0, 0);
    for line in said {
        lines += 1;
        links += usize::from(line.contains(".md)") || line.contains("[["));
    }
    links > 0 && links * 3 >= lines * 2
}
