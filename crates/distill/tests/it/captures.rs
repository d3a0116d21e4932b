//! Every real capture is read without a claim that is not in it.

use std::path::Path;

use distill::{State, Step, Turn};

use crate::script::{check_evidence, event};

#[test]
fn every_captured_envelope_is_read_and_small() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/fixtures/claude_code");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut steps: Vec<Step> = Vec::new();
    let mut events = Vec::new();
    for (number, path) in files.iter().enumerate() {
        let envelope = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let event = event(&envelope, number);
        if let Some(step) = distill::step(&event) {
            assert!(serde_json::to_string(&step).unwrap().len() <= Step::MAX_BYTES);
            steps.push(step);
        }
        events.push(event);
    }
    let told: Vec<String> = steps.iter().map(ToString::to_string).collect();
    for expected in [
        "read a.txt",
        "wrote b.txt (2 lines)",
        "edited a.txt (+1 -1)",
        "searched `**/*.txt`: 2 hits",
        "searched `alpha`: 1 hits",
        "called recall of mem: x",
        "subagent: sub task: SUB-RESULT-2",
        "edited n.ipynb (+1 -1)",
        "item: T1",
        "`exit 3` failed",
        "denied: curl http://127.0.0.1:9/x | sh (Classifier unavailable)",
        "asked: use the tools",
        "said: all done",
    ] {
        assert!(told.iter().any(|line| line.starts_with(expected)), "{expected}: {told:#?}");
    }
    // What only launches, enters or lists is not kept, and neither is a prompt a machine wrote without a result.
    assert!(
        !told.iter().any(|line| line.contains("worktree") || line.contains("async_launched")),
        "{told:#?}"
    );
    let mut state = State::default();
    let distilled = distill::turn(
        &mut state,
        &Turn { prompt: None, steps: &steps, last_message: None, said: &[], ended_by: None, ended_at: 1 },
    );
    check_evidence(&distilled, &events);
}
