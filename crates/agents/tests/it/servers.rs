//! Our entry in a list of MCP servers: added once, updated in place, taken out to the byte.

use agents::{Adapter, ClaudeCode, Location, Ours, Program, Scope, SettingsError, SettingsFile};
use serde_json::{Value, json};

fn file() -> &'static dyn SettingsFile {
    ClaudeCode.files()[1]
}

fn ours(program: &str) -> Ours {
    let server = Program { program: program.into(), args: vec!["mcp".into()] };
    Ours { hook: server.clone(), server: Some(server), fast: false }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect(text)
}

#[test]
fn a_server_is_added_beside_others_and_taken_out_to_the_byte() {
    let files = [
        "{}\n",
        "{\"mcpServers\":{\"other\":{\"command\":\"x\"}},\"numStartups\":7}",
        "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  },\n  \"é\": [1,  2]\n}\n",
        "{\n\t\"projects\": {}\n}",
    ];
    for before in files {
        let added = file().add(Some(before), &ours("/opt/bin/throughline")).unwrap();
        assert_eq!(added.summary, ["add the MCP server throughline"], "{before}");
        let wanted = json!({ "type": "stdio", "command": "/opt/bin/throughline", "args": ["mcp"] });
        assert_eq!(parse(&added.after)["mcpServers"]["throughline"], wanted);
        assert_eq!(file().installed(&added.after).unwrap().programs, ["/opt/bin/throughline"]);
        assert!(!file().add(Some(&added.after), &ours("/opt/bin/throughline")).unwrap().changes());
        assert_eq!(file().remove(&added.after).unwrap().after, before);
    }
}

#[test]
fn a_server_that_moved_is_updated_and_what_a_person_added_to_it_stays() {
    let old = file().add(None, &ours("/old/throughline")).unwrap().after;
    let new = file().add(Some(&old), &ours("/new/throughline")).unwrap();
    assert_eq!(new.summary, ["update the MCP server throughline"]);
    assert_eq!(parse(&new.after)["mcpServers"]["throughline"]["command"], "/new/throughline");
    let personal = new.after.replace("\"type\": \"stdio\"", "\"type\": \"stdio\", \"env\": {\"A\": \"1\"}");
    assert!(!file().add(Some(&personal), &ours("/new/throughline")).unwrap().changes());
}

#[test]
fn somebody_elses_server_of_our_name_is_not_ours_to_remove() {
    let text = "{\"mcpServers\":{\"throughline\":{\"command\":\"python3\",\"args\":[\"theirs.py\"]}}}";
    assert!(!file().remove(text).unwrap().changes());
    assert!(file().installed(text).unwrap().programs.is_empty());
}

#[test]
fn a_list_of_another_shape_is_refused_with_its_place() {
    let error = file().add(Some("{\n \"mcpServers\": []\n}"), &ours("/t")).unwrap_err();
    assert!(matches!(error, SettingsError::WrongShape { line: 2, column: 16, .. }), "{error:?}");
    assert!(!file().remove("{\"mcpServers\": []}").unwrap().changes());
}

#[test]
fn the_list_moves_with_the_clients_folder() {
    assert_eq!(file().path(Scope::User, false), Some(Location::Home(".claude.json")));
    assert_eq!(file().path(Scope::User, true), Some(Location::AgentHome(".claude.json")));
    assert_eq!(file().path(Scope::Project, false), Some(Location::Project(".mcp.json")));
    assert_eq!(file().path(Scope::Local, false), None);
}

#[test]
fn without_a_server_to_name_the_list_stays_as_it_is() {
    let hooks_only = Ours { server: None, ..ours("/t") };
    assert!(!file().add(Some("{\"a\": 1}"), &hooks_only).unwrap().changes());
}
