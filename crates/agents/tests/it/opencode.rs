//! OpenCode: what the shim is answered, and the one file that is ours.

use agents::{
    Adapter, Copilot, Cursor, Location, OpenCode, Ours, Program, Scope, SettingsError, SettingsFile,
};
use model::{Advice, EventKind, Reply, Verdict};

use crate::{everything, fixture_of, say, with_incoming};

fn answered(name: &str, advice: &Advice) -> String {
    let json = fixture_of("opencode", name);
    let event = with_incoming(&json, None, |incoming| OpenCode.read(incoming));
    let Reply { exit, stdout, stderr } = OpenCode.write(&event, advice);
    assert_eq!((exit, stderr), (0, Vec::new()), "{name}");
    String::from_utf8(stdout).expect("UTF-8")
}

fn ours(server: bool) -> Ours {
    let program = |name: &str, args: &[&str]| Program {
        program: format!("/opt/my tools/{name}"),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
    };
    let hook = program("throughline-hook", &["--agent", "opencode"]);
    Ours { hook, server: server.then(|| program("throughline", &["mcp"])), fast: false }
}

fn file() -> &'static dyn SettingsFile {
    OpenCode.files()[0]
}

#[test]
fn an_answer_is_what_the_shim_can_do_something_with() {
    for name in
        ["SessionStart-1", "UserPromptSubmit-1", "PostToolUse-2", "PostToolUseFailure-1", "SubagentStart-1"]
    {
        assert_eq!(answered(name, &everything()), r#"{"context":"a\n\nb"}"#, "{name}");
    }
    assert_eq!(answered("PreToolUse-1", &everything()), r#"{"deny":"held by a","context":"a\n\nb"}"#);
    assert_eq!(answered("PreCompact-1", &everything()), r#"{"context":"keep the plan"}"#);
    for name in ["Stop-1", "SessionEnd-1", "SubagentStop-1", "StopFailure-1"] {
        assert_eq!(answered(name, &everything()), "", "{name}");
    }
    assert_eq!(answered("PreToolUse-1", &Advice::silent()), "");
}

#[test]
fn a_question_is_not_made_a_refusal_and_a_refusal_always_has_words() {
    let verdict = |verdict| Advice { verdict: Some(verdict), ..Advice::default() };
    assert_eq!(answered("PreToolUse-1", &verdict(Verdict::Ask { reason: "sure?".into() })), "");
    assert_eq!(answered("PreToolUse-1", &verdict(Verdict::Allow { reason: "known".into() })), "");
    let mute = verdict(Verdict::Deny { reason: " ".into() });
    assert_eq!(answered("PreToolUse-1", &mute), r#"{"deny":"refused"}"#);
}

#[test]
fn a_long_note_is_cut_and_says_so() {
    let long = answered("UserPromptSubmit-1", &say(&[&"x".repeat(20_000)]));
    assert!(long.chars().count() < 10_100 && long.contains("more characters left out"), "{}", long.len());
}

#[test]
fn the_plugin_names_our_programs_and_goes_away_whole() {
    let made = file().add(None, &ours(true)).unwrap();
    assert_eq!(made.summary, ["add the plugin"]);
    assert!(made.after.contains(r#"const HOOK = ["/opt/my tools/throughline-hook","--agent","opencode"]"#));
    assert!(made.after.contains(r#"const SERVER = ["/opt/my tools/throughline","mcp"]"#));
    let installed = file().installed(&made.after).unwrap();
    assert_eq!(installed.programs, ["/opt/my tools/throughline-hook", "/opt/my tools/throughline"]);
    assert_eq!(installed.present, OpenCode.events_to_register());
    assert!(installed.missing.is_empty() && !installed.stale);
    assert!(!file().add(Some(&made.after), &ours(true)).unwrap().changes());
    assert_eq!(file().remove(&made.after).unwrap().after, "");
}

#[test]
fn hooks_alone_start_no_server() {
    let made = file().add(None, &ours(false)).unwrap().after;
    assert!(made.contains("const SERVER = null\n"));
    assert_eq!(file().installed(&made).unwrap().programs, ["/opt/my tools/throughline-hook"]);
    let with_server = file().add(Some(&made), &ours(true)).unwrap();
    assert_eq!(with_server.summary, ["update the plugin"]);
}

#[test]
fn a_plugin_of_an_older_release_is_stale_and_somebody_elses_is_left_alone() {
    let older =
        file().add(None, &ours(true)).unwrap().after.replace("DEADLINE_MS = 5000", "DEADLINE_MS = 9000");
    assert!(file().installed(&older).unwrap().stale);
    assert!(file().add(Some(&older), &ours(true)).unwrap().changes());
    let theirs = "export const Mine = async () => ({})\n";
    assert!(matches!(file().add(Some(theirs), &ours(true)), Err(SettingsError::WrongShape { line: 1, .. })));
    assert!(!file().remove(theirs).unwrap().changes());
    assert!(file().installed(theirs).unwrap().programs.is_empty());
}

#[test]
fn it_is_found_in_the_persons_folder_and_in_a_project() {
    assert_eq!(file().path(Scope::User, false), Some(Location::AgentHome("plugin/throughline.js")));
    let project = Location::Project(".opencode/plugin/throughline.js");
    assert_eq!(file().path(Scope::Project, false), Some(project));
    assert_eq!(file().path(Scope::Local, false), None);
}

#[test]
fn what_is_no_envelope_is_an_event_without_fields() {
    let adapters: [&dyn Adapter; 3] = [&OpenCode, &Copilot, &Cursor];
    let deep = format!(
        r#"{{"tool_name":"bash","tool_input":{0}1{1},"tool_response":{0}1{1},"tool_result":[],"tool_output":7}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    for adapter in adapters {
        for json in ["", "[]", "7", "{", r#"{"hook_event_name":7,"session_id":[]}"#, "\u{0}\u{1}", &deep] {
            for hint in [None, Some("PreToolUse"), Some("PostToolUse"), Some("Stop"), Some("Unheard")] {
                let event = with_incoming(json.as_bytes(), hint, |incoming| adapter.read(incoming));
                let wanted = hint.map_or(EventKind::Other, EventKind::from_name);
                assert_eq!(event.kind, wanted, "{} {hint:?} {:.40}", adapter.name(), json);
                let reply = adapter.write(&event, &everything());
                assert_eq!(reply.exit, 0);
            }
        }
    }
}

#[test]
fn envelopes_in_the_words_of_the_house_are_read_as_they_are() {
    let adapters: [&dyn Adapter; 3] = [&OpenCode, &Copilot, &Cursor];
    for name in ["PostToolUse-1", "UserPromptSubmit-1", "Stop-1", "SessionStart-1"] {
        let json = fixture_of("claude_code", name);
        let theirs = with_incoming(&json, None, |incoming| agents::ClaudeCode.read(incoming));
        for adapter in adapters {
            let event = with_incoming(&json, None, |incoming| adapter.read(incoming));
            assert_eq!((event.kind, &event.session), (theirs.kind, &theirs.session), "{}", adapter.name());
            assert_eq!(event.detail, theirs.detail, "{} {name}", adapter.name());
        }
    }
}
