//! One line for every envelope of every agent.

use std::path::Path;

use agents::title;

use crate::{fixture, fixture_of, read, with_incoming};

#[test]
fn every_envelope_of_every_agent_has_a_title_of_one_line() {
    for adapter in agents::ALL {
        let agent = adapter.name().replace('-', "_");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(&agent);
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|found| found != "json") {
                continue;
            }
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let hint = name.rsplit_once('-').map(|(event, _)| event);
            let event = with_incoming(&fixture_of(&agent, &name), hint, |incoming| adapter.read(incoming));
            let said = title(&event);
            assert!((1..=200).contains(&said.chars().count()), "{agent} {name}: {said:?}");
            assert!(!said.contains(char::is_control), "{agent} {name}: {said:?}");
            assert_eq!(said.trim(), said, "{agent} {name}");
        }
    }
}

#[test]
fn what_was_done_can_be_read_off_a_list() {
    let titles = |names: &[&str]| -> Vec<String> {
        names.iter().map(|name| title(&read(&fixture(name), None))).collect()
    };
    let done = ["SessionStart-1", "UserPromptSubmit-1", "PostToolUse-1", "SubagentStart-1", "SessionEnd-1"];
    assert_eq!(
        titles(&done),
        [
            "Session starts (startup)",
            "use the tools",
            "Read a.txt",
            "Subagent starts: general-purpose",
            "Session ends (other)"
        ]
    );
}
