//! Facts are the daemon's: an event sees what the one before it left, a behavior that is alone finds what it needs, and
//! what two behaviors say at one moment, or one says late, is heard. Real hooks, one process each.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;

use serde_json::{Value, json};

use crate::house::{House, eventually, feed};

/// Only these behaviors are on, and the two that decide what is kept at all.
fn alone(house: &House, names: &[&str], more: &str) {
    let mut settings = "[behaviors]\n".to_owned();
    for behavior in engine::ALL.iter().filter(|behavior| behavior.modes().contains(&"off")) {
        let name = behavior.name();
        let is_on = names.contains(&name) || ["capture", "record-prompt"].contains(&name);
        let on = behavior.modes().iter().find(|mode| **mode != "off").expect("it can be on");
        settings.push_str(&format!("{name} = \"{}\"\n", if is_on { on } else { "off" }));
    }
    settings.push_str(more);
    fs::create_dir_all(house.place().config_file().parent().unwrap()).unwrap();
    fs::write(house.place().config_file(), settings).unwrap();
    house.start();
}

fn write(house: &House, path: &str, text: &str) {
    let path = house.work().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn call(house: &House, event: &str, tool: &str, input: Value) -> Value {
    let mut envelope = house.tool("s1", tool, "");
    envelope["hook_event_name"] = json!(event);
    envelope["tool_input"] = input;
    envelope
}

fn file(house: &House, path: &str) -> Value {
    json!({ "file_path": house.work().canonicalize().unwrap().join(path) })
}

/// A hook of an agent's program that lives in this process.
fn of_process(house: &House, pid: u32, envelope: &Value) -> String {
    let mut hook = house.command(&["hook"]);
    hook.env("CLAUDE_PID", pid.to_string());
    let output = feed(hook, envelope.to_string().as_bytes());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn start(house: &House, session: &str) -> Value {
    let mut start = house.envelope(session, "SessionStart");
    start["source"] = json!("startup");
    start
}

#[test]
fn a_start_right_behind_an_end_sees_it_and_gets_what_it_left() {
    let house = House::new();
    house.start();
    // Both processes live: nothing but its end tells that a session is over.
    let (ours, another) = (std::process::id(), 1);
    let mut pids = [ours, another].into_iter().cycle();
    let mut pid = pids.next().unwrap();
    of_process(&house, pid, &start(&house, "round-0"));
    for round in 0..25 {
        let session = format!("round-{round}");
        of_process(&house, pid, &house.prompt(&session, &format!("make the widget number {round} spin")));
        let mut stop = house.envelope(&session, "Stop");
        stop["last_assistant_message"] =
            json!(format!("It spins. The next step is to paint the widget number {round} in green."));
        of_process(&house, pid, &stop);
        let mut end = house.envelope(&session, "SessionEnd");
        end["reason"] = json!("prompt_input_exit");
        of_process(&house, pid, &end);
        pid = pids.next().unwrap();
        let next = format!("round-{}", round + 1);
        let mut said = of_process(&house, pid, &start(&house, &next));
        if !said.contains(&format!("widget number {round} in green")) {
            // On a machine that had no time for it in a second it comes with the next event.
            said.push_str(&of_process(&house, pid, &house.prompt(&next, "what is next?")));
        }
        assert!(said.contains(&format!("widget number {round} in green")), "{round}: {said}");
        assert!(!said.contains("at work in this"), "{round}: {said}");
    }
}

/// A model that says no to everything, and what it was asked.
fn asked_model() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (to, asked) = mpsc::channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(&stream);
            let (mut line, mut length) = (String::new(), 0);
            while line != "\r\n" {
                line.clear();
                reader.read_line(&mut line).unwrap();
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let answer = r#"{"answer":"no","reason":"done"}"#;
            let said = json!({ "choices": [{ "message": { "content": answer } }] }).to_string();
            let head = "HTTP/1.1 200 X\r\nconnection: close\r\ncontent-length: ";
            let _ = stream.write_all(format!("{head}{}\r\n\r\n{said}", said.len()).as_bytes());
            if to.send(String::from_utf8_lossy(&body).into_owned()).is_err() {
                return;
            }
        }
    });
    (url, asked)
}

#[test]
fn a_judge_that_is_alone_knows_which_files_were_changed_by_tools_commands_and_subagents() {
    let (url, asked) = asked_model();
    let house = House::new();
    alone(
        &house,
        &["judge-stop"],
        &format!("\n[distill]\nprovider = \"openai\"\nmodel = \"small\"\nbase-url = \"{url}\"\n"),
    );
    for path in ["src/a.py", "src/b.py", "src/c.py"] {
        write(&house, path, "x = 1\n");
    }
    house.send(&house.prompt("s1", "rename x everywhere"));
    house.send(&call(&house, "PostToolUse", "Edit", file(&house, "src/a.py")));
    let command = json!({ "command": "sed -i s/x/y/ src/b.py" });
    house.send(&call(&house, "PostToolUse", "Bash", command));
    let mut subagents = call(&house, "PostToolUse", "Write", file(&house, "src/c.py"));
    (subagents["agent_id"], subagents["agent_type"]) = (json!("a1"), json!("general-purpose"));
    house.send(&subagents);
    let mut compacted = start(&house, "s1");
    compacted["source"] = json!("compact");
    house.send(&compacted);
    // At once behind the prompt's events: what it judges by is waited for.
    let mut stop = house.envelope("s1", "Stop");
    (stop["last_assistant_message"], stop["stop_hook_active"]) = (json!("Renamed."), json!(false));
    house.send(&stop);
    let question = asked.recv().unwrap();
    for path in ["src/a.py", "src/b.py", "src/c.py", "rename x everywhere"] {
        assert!(question.contains(path), "{path}: {question}");
    }
}

#[test]
fn who_reads_searches_and_edits_is_known_to_whichever_behavior_is_alone() {
    let large = {
        let mut text = "class Store:\n".to_owned();
        for at in 0..60 {
            text.push_str(&format!("    def method_{at}(self, order):\n"));
            text.push_str(&"        order.step()  # one of several things that are done\n".repeat(8));
        }
        text
    };
    let read = |house: &House| house.send(&call(house, "PreToolUse", "Read", file(house, "src/store.py")));
    // What is said is waited for: a map may not be whole yet, and a machine may be busy.
    let house = House::new();
    write(&house, "src/store.py", &large);
    alone(&house, &["map-reads"], "");
    house.send(&call(&house, "PreToolUse", "Grep", json!({ "pattern": "method_42" })));
    let mut said = String::new();
    eventually("an outline", || {
        said = read(&house);
        said.contains("Outline of")
    });
    assert!(said.contains("searched for just before"), "route-searches is off: {said}");
    house.send(&call(&house, "PostToolUse", "Edit", file(&house, "src/store.py")));
    write(&house, "src/store.py", &format!("{large}\n# edited\n"));
    assert_eq!(read(&house), "", "a file that is edited has no outline");

    let house = House::new();
    write(&house, "mail.py", "def send(to, text):\n    return to, text\n");
    write(&house, "app.py", "import mail\n");
    alone(&house, &["show-signatures"], "");
    let edit = |session: &str| {
        let mut edit = call(&house, "PreToolUse", "Write", file(&house, "app.py"));
        edit["tool_input"]["content"] = json!("import mail\n\nmail.send('a', 'b')\n");
        edit["session_id"] = json!(session);
        edit
    };
    let mut sessions = 0;
    eventually("a signature", || {
        sessions += 1;
        house.send(&edit(&format!("other-{sessions}"))).contains("def send(to, text)")
    });
    house.send(&call(&house, "PostToolUse", "Read", file(&house, "mail.py")));
    assert_eq!(house.send(&edit("s1")), "", "map-reads is off, and it was read");
}

#[test]
fn agents_are_known_to_whoever_collects_and_ends_to_whoever_registers_alone() {
    let house = House::new();
    alone(&house, &["collect-subagent"], "");
    house.send(&start(&house, "s1"));
    let mut said = String::new();
    for n in 1..=2 {
        let prompt = format!("[pattern:jury id=review n={n} of=2] Is it right?");
        let (call, vote) = (format!("c{n}"), "I looked.\n{\"vote\":\"yes\",\"why\":\"it is\"}");
        let mut tool = call_of(&house, "PreToolUse", &call, &prompt);
        house.send(&tool);
        for (event, words) in [("SubagentStart", None), ("SubagentStop", Some(vote))] {
            let mut agent = house.envelope("s1", event);
            (agent["agent_id"], agent["agent_type"]) = (json!(call), json!("general-purpose"));
            if let Some(words) = words {
                (agent["last_assistant_message"], agent["stop_hook_active"]) = (json!(words), json!(false));
            }
            house.send(&agent);
        }
        tool["hook_event_name"] = json!("PostToolUse");
        tool["tool_response"] =
            json!({ "status": "completed", "agentId": call, "content": [{ "type": "text", "text": vote }] });
        said.push_str(&house.send(&tool));
    }
    if !said.contains("jury") {
        said.push_str(&house.send(&house.prompt("s1", "and?")));
    }
    assert!(said.contains("jury"), "brief-subagent is off: {said}");

    let house = House::new();
    alone(&house, &["register-session"], "");
    let (ours, another) = (std::process::id(), 1);
    of_process(&house, ours, &start(&house, "first"));
    let seen = of_process(&house, another, &start(&house, "second"));
    assert!(seen.contains("at work in this"), "{seen}");
    let mut end = house.envelope("first", "SessionEnd");
    end["reason"] = json!("other");
    of_process(&house, ours, &end);
    assert_eq!(of_process(&house, 2, &start(&house, "second")), "", "complete-session is off");
}

fn call_of(house: &House, event: &str, id: &str, prompt: &str) -> Value {
    let input = json!({ "description": "d", "prompt": prompt, "subagent_type": "general-purpose" });
    let mut tool = call(house, event, "Agent", input);
    tool["tool_use_id"] = json!(id);
    tool
}

#[test]
fn the_first_edit_in_each_language_is_heard_after_a_fresh_start_of_the_daemon() {
    let house = House::new();
    let files = [
        ("lib/a.py", "def f(x):\n    print(x)\n", "print(x)"),
        ("lib/b.ts", "export function f(x: number) {\n  console.log(x);\n}\n", "console.log(x)"),
        ("lib/c.rs", "pub fn f(x: u8) {\n    dbg!(x);\n}\n", "dbg!(x)"),
        (
            "lib/d.go",
            "package d\n\nimport \"fmt\"\n\nfunc F(x int) {\n\tfmt.Println(x)\n}\n",
            "fmt.Println(x)",
        ),
    ];
    for (path, text, _) in files {
        write(&house, path, &text.lines().take(1).chain([""]).collect::<Vec<_>>().join("\n"));
    }
    house.start();
    house.send(&start(&house, "s1"));
    eventually("the workspace is warm", || house.status()["warming"] == 0);
    for (path, text, left) in files {
        write(&house, path, text);
        let mut edit = call(&house, "PostToolUse", "Write", file(&house, path));
        edit["tool_input"]["content"] = json!(text);
        edit["tool_response"] = json!({ "type": "create" });
        let mut said = house.send(&edit);
        // On a machine that was too busy it comes with the next event that is answered in time.
        eventually(&format!("{left} in {path} is told"), || {
            if !said.contains(path) {
                said = house.send(&call(&house, "PreToolUse", "Bash", json!({ "command": "true" })));
            }
            said.contains("Debug output") && said.contains(path)
        });
    }
}
