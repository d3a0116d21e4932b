//! MindStone's folder as it lies on a disk.

use import::{Effect, Options, Source};
use model::MemoryKind;

use crate::world::{World, halves, ids, imported, options, told};

const RULE: &str = concat!(
    "---\nname: feedback_no_friday\ndescription: Deploys wait for Monday.\ntype: feedback\ntags: [deploy, RULES]\n",
    "projects: [shop]\nhits: 48\nprevented: 2\nlast_applied: 2026-04-26\ncreated: 2026-04-24\nhalf_life_days: 30\n",
    "critical: true\nevergreen: true\ninvariant: >\n  Never deploy\n  on a Friday.\n---\n# No deploys on Friday\n\nIt broke.\n"
);

#[test]
fn a_memory_file_keeps_its_weight_and_its_rule() {
    let world = World::new();
    world.file("orchestrator/memory/feedback_no_friday.md", RULE);
    let (records, problems) = world.read(Source::Mindstone);
    assert_eq!(problems, []);
    let found = imported(&records[0]);
    assert_eq!((found.hits, found.prevented, found.last_applied_at), (48, 2, Some(1_777_161_600_000)));
    let memory = &found.memory;
    assert_eq!((memory.kind, memory.at), (MemoryKind::Learning, 1_776_988_800_000));
    assert_eq!(memory.title, "No deploys on Friday");
    assert_eq!(memory.subtitle.as_deref(), Some("Deploys wait for Monday."));
    assert_eq!(memory.facts, ["Never deploy on a Friday."]);
    assert_eq!(memory.concepts, ["deploy", "RULES", "feedback"]);
    assert_eq!((memory.project.as_deref(), memory.critical, memory.pinned), (Some("shop"), true, true));
    assert_eq!(memory.external_id.as_deref(), Some("feedback_no_friday.md"));
    assert!(memory.text.starts_with("# No deploys") && memory.text.ends_with("It broke."));
}

#[test]
fn who_is_who_and_the_log_are_left_alone_and_named() {
    let world = World::new();
    for name in ["IDENTITY.md", "USER.md", "LOG.md", "memory/MEMORY.md"] {
        world.file(&format!("orchestrator/{name}"), "I am.");
    }
    world.file("orchestrator/memory/log_june.md", "---\ntype: log\n---\nx");
    world.file("orchestrator/memory/kept.md", "kept");
    let (records, problems) = world.read(Source::Mindstone);
    assert_eq!(records.len(), 1);
    let mut names: Vec<String> = told(&problems).into_iter().map(|(_, name)| name).collect();
    names.sort();
    assert_eq!(names, ["IDENTITY.md", "LOG.md", "MEMORY.md", "USER.md", "log_june.md"]);
    assert!(problems.iter().all(|problem| problem.effect == Effect::LeftOut));
}

#[test]
fn the_folder_may_be_named_from_above_or_from_within_and_twice() {
    let world = World::new();
    world.file("orchestrator/memory/a.md", RULE);
    let read = |below: &str| ids(&halves(Source::Mindstone.read(&world.path().join(below), &options())).0);
    let first = read("");
    assert_eq!(first.len(), 1);
    for below in ["", "orchestrator", "orchestrator/memory", "orchestrator/memory/a.md"] {
        assert_eq!(read(below), first, "{below}");
    }
    let labeled = Options { label: Some("laptop".into()), ..options() };
    assert_ne!(ids(&halves(Source::Mindstone.read(world.path(), &labeled)).0), first);
}

#[test]
fn slips_in_the_front_matter_cost_no_memory() {
    for (text, kind, project, hits) in [
        ("no front matter", MemoryKind::Document, None, 0),
        ("---\ntype: design\nprojects: shop\nhits: many\n---\nbody", MemoryKind::Decision, Some("shop"), 0),
        ("---\nmetadata:\n  type: user\n  hits: 3\n---\nbody", MemoryKind::Note, None, 3),
        ("---\ntype: reference\nprojects: [a, b]\nhits: -1\n---\nbody", MemoryKind::Document, None, 0),
        ("---\nnever closed: x\nbody", MemoryKind::Document, None, 0),
        ("---\ncreated: 2026–04–24\nhits: inf\n---\nbody", MemoryKind::Document, None, 0),
        ("---\ninvariant: only a rule\n---\n", MemoryKind::Document, None, 0),
    ] {
        let world = World::new();
        world.file("memory/a_b.md", text);
        let (records, problems) = world.read(Source::Mindstone);
        assert_eq!(problems, [], "{text}");
        let found = imported(&records[0]);
        assert_eq!(
            (found.memory.kind, found.memory.project.as_deref(), found.hits),
            (kind, project, hits),
            "{text}"
        );
        assert!(!found.memory.title.is_empty());
    }
}
