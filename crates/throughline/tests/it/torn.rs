//! Calls that arrive late, in part or with something behind them: no guard lets one pass because it has not seen it. Real
//! executables, with a daemon, without one and with one that is stopped. Cuts and pauses are drawn from a fixed seed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use agents::{Holds, Ours, Program};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::house::{House, THROUGHLINE, feed, signal, spawn};

const SEED: u64 = 0x17_2026_1117;
/// Of each executable, in each state of the daemon.
const CASES: usize = 28;
/// At once: they wait for their input, not for a processor.
const CROWD: usize = 14;
/// What the hooks are told of the agent's patience, so that nobody waits five seconds for each: they give up on stdin half a
/// second before it.
const TIMEOUT_MS: u64 = 1300;

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// How one call reaches its hook.
#[derive(Debug, Clone)]
struct Case {
    event: &'static str,
    /// Whether the command line names the event.
    named: bool,
    cut: usize,
    then: Then,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// The client dies.
    End,
    /// The rest comes after so many milliseconds.
    Rest(u64),
    /// Nothing more comes, and nobody hangs up.
    Nothing,
}

fn deadly(house: &House, event: &str) -> String {
    let mut envelope = house.envelope("s1", event);
    envelope["tool_name"] = json!("Bash");
    envelope["tool_input"] =
        json!({ "command": "echo \"{}\"; echo '}'; rm -rf /; true", "description": "a } in a \"text\";" });
    envelope["permission_suggestions"] = json!([{ "rules": [{}] }]);
    envelope.to_string()
}

/// What the agent is told to do; nothing where it is told nothing.
fn decision(said: &[u8]) -> String {
    let answer: Value = serde_json::from_slice(said).unwrap_or_default();
    let said = &answer["hookSpecificOutput"];
    said["permissionDecision"]
        .as_str()
        .or(said["decision"]["behavior"].as_str())
        .unwrap_or_default()
        .to_owned()
}

/// Places behind the bytes that look like an end, and any others.
fn cases(dice: &mut Dice, house: &House) -> Vec<Case> {
    let drawn = (0..CASES).map(|at| {
        let event = if dice.below(4) == 0 { "PermissionRequest" } else { "PreToolUse" };
        let text = deadly(house, event);
        let ends = |byte: u8| -> Vec<usize> {
            let found = text.bytes().enumerate().filter(|(_, found)| *found == byte);
            found.map(|(at, _)| at + 1).filter(|cut| *cut < text.len()).collect()
        };
        let places = match at % 4 {
            0 => ends(b'}'),
            1 => ends(b'"'),
            2 => ends(b';'),
            _ => (0..text.len()).collect(),
        };
        let cut = places[dice.below(places.len() as u64) as usize];
        let then = match at % 7 {
            0 | 1 => Then::End,
            2 => Then::Nothing,
            _ => Then::Rest(dice.below(TIMEOUT_MS)),
        };
        Case { event, named: dice.below(5) > 0, cut, then }
    });
    drawn.collect()
}

/// Every executable that speaks for a hook, each with the large one beside it.
fn executables(house: &House) -> Vec<(&'static str, PathBuf)> {
    let mut found = vec![("throughline hook", PathBuf::from(THROUGHLINE))];
    let plain = Path::new(THROUGHLINE).with_file_name("throughline-hook");
    let tiny = [("plain", plain.is_file().then_some(plain)), ("raw", raw_hook().map(Path::to_owned))];
    for (form, path) in tiny {
        let Some(path) = path else { continue };
        let bin = house.home().join(form);
        fs::create_dir_all(&bin).unwrap();
        for (from, name) in [(path.as_path(), "throughline-hook"), (Path::new(THROUGHLINE), "throughline")] {
            if !bin.join(name).exists() {
                std::os::unix::fs::symlink(from, bin.join(name)).unwrap();
            }
        }
        // By their links they would look for each other in the folder of the original.
        let hook = bin.join("throughline-hook");
        if form == "raw" {
            fs::remove_file(&hook).unwrap();
            fs::hard_link(&path, &hook).or_else(|_| fs::copy(&path, &hook).map(drop)).unwrap();
        }
        found.push((form, hook));
    }
    found
}

/// The raw hook of these sources, built as a release builds it; in the folder where the hook's own tests build it, too.
fn raw_hook() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let raw = cfg!(all(target_os = "linux", target_env = "gnu"))
        && cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    let build = || {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("raw");
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hook/Cargo.toml");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--quiet", "--release", "--package", "throughline-hook", "--manifest-path"]);
        cargo.arg(manifest).arg("--target-dir").arg(&target);
        assert!(cargo.status().unwrap().success(), "the raw hook does not build");
        target.join("release/throughline-hook")
    };
    BUILT.get_or_init(|| raw.then(build)).as_deref()
}

fn command(house: &House, program: &Path, words: &[&str]) -> Command {
    let mut args = if program == Path::new(THROUGHLINE) { vec!["hook"] } else { Vec::new() };
    args.extend(words);
    house.program(program, &args)
}

fn run(house: &House, program: &Path, case: &Case) -> String {
    let text = deadly(house, case.event);
    let (first, rest) = text.as_bytes().split_at(case.cut);
    let timeout = TIMEOUT_MS.to_string();
    let mut words = vec!["--timeout", timeout.as_str()];
    words.extend(case.named.then_some(case.event));
    let mut command = command(house, program, &words);
    let mut child = spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut stdin = child.stdin.take();
    let mut write = |bytes: &[u8]| drop(stdin.as_mut().map(|stdin| stdin.write_all(bytes)));
    write(first);
    match case.then {
        Then::End => stdin = None,
        Then::Rest(pause) => {
            thread::sleep(Duration::from_millis(pause));
            // It may have answered and gone.
            write(rest);
            stdin = None;
        }
        Then::Nothing => {}
    }
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(0), "{case:?}: {output:?}");
    decision(&output.stdout)
}

/// All cases, many at once; what is said of each.
fn run_all(house: &House, program: &Path, cases: &[Case]) -> Vec<String> {
    let mut said = Vec::new();
    for crowd in cases.chunks(CROWD) {
        said.extend(thread::scope(|scope| {
            let started: Vec<_> =
                crowd.iter().map(|case| scope.spawn(move || run(house, program, case))).collect();
            started.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
        }));
    }
    said
}

#[test]
fn no_call_that_is_cut_or_late_passes_a_guard_in_silence() {
    let house = House::punctual();
    house.place().ensure().unwrap();
    let mut dice = Dice(SEED);
    let mut check = |state: &str| {
        for (form, program) in executables(&house) {
            let cases = cases(&mut dice, &house);
            let said = run_all(&house, &program, &cases);
            for (case, said) in cases.iter().zip(&said) {
                let (what, text) = (said.as_str(), deadly(&house, case.event));
                let shown = &text[..case.cut];
                assert!(["ask", "deny"].contains(&what), "{form}, {state}: {said:?} to {case:?}: {shown}");
            }
            // A short pause is waited out, and the call is judged as what it is.
            let waited = Case { event: "PreToolUse", named: true, cut: 90, then: Then::Rest(150) };
            let judged = (0..20).any(|_| run(&house, &program, &waited) == "deny");
            assert!(judged, "{form}, {state}: never waited for the rest");
            // One that is cut is a question with a reason, and a refusal where the question is being asked already.
            for (event, expected) in [("PreToolUse", "ask"), ("PermissionRequest", "deny")] {
                let cut = Case { event, named: true, cut: 90, then: Then::End };
                assert_eq!(run(&house, &program, &cut), expected, "{form}, {state}");
            }
        }
    };
    // A folder in the socket's place: no daemon can come up.
    fs::create_dir(house.place().socket()).unwrap();
    check("no daemon");
    fs::remove_dir(house.place().socket()).unwrap();
    house.start();
    check("a daemon");
    let pid = house.pid();
    signal(pid, Signal::STOP);
    check("a stopped daemon");
    signal(pid, Signal::CONT);
}

#[test]
fn a_call_is_judged_whole_or_not_at_all() {
    let house = House::new();
    let text = deadly(&house, "PreToolUse");
    let harmless = text.replace("rm -rf /;", "ls;");
    let deep = harmless
        .replace("\"description\":", &format!("\"x\":{}1{},\"d\":", "[".repeat(300), "]".repeat(300)));
    let other = text.replace("PreToolUse", "Stop");
    let mut latin = text.clone().into_bytes();
    let at = text.find("echo").unwrap();
    latin[at] = 0xe9;
    let inside = format!("{{\"tool_input\":{{\"hook_event_name\":\"Stop\"}},{}", &text[1..]);
    let check = |state: &str| {
        for (form, program) in executables(&house) {
            let say =
                |words: &[&str], body: &[u8]| decision(&feed(command(&house, &program, words), body).stdout);
            let named = |body: &[u8]| say(&["PreToolUse"], body);
            for (what, body) in [
                ("nothing", Vec::new()),
                ("a word", b"null".to_vec()),
                ("a list", format!("[{harmless}]").into_bytes()),
                ("two of them", format!("{harmless}{text}").into_bytes()),
                ("something behind it", format!("{harmless} ; x").into_bytes()),
                ("a comma too many", harmless.replace(",\"tool_name\"", ",,\"tool_name\"").into_bytes()),
                ("a mark in front", format!("\u{feff}{harmless}").into_bytes()),
                ("too deep", deep.clone().into_bytes()),
                ("no UTF-8", latin.clone()),
            ] {
                assert_eq!(named(&body), "ask", "{form}, {state}: {what}");
            }
            assert_eq!(named(text.as_bytes()), "deny", "{form}, {state}");
            assert_eq!(named(format!("\n {text} \r\n").as_bytes()), "deny", "{form}, {state}: white space");
            assert_eq!(named(harmless.as_bytes()), "", "{form}, {state}: harmless");
            // Whoever names the event: the command line, the envelope, or nobody.
            assert_eq!(say(&["Stop"], text.as_bytes()), "deny", "{form}, {state}: a wrong word");
            assert_eq!(say(&[], inside.as_bytes()), "deny", "{form}, {state}: a name inside");
            assert_eq!(say(&[], &text.as_bytes()[..12]), "ask", "{form}, {state}: no name yet");
            assert_eq!(say(&["Stop"], &other.as_bytes()[..90]), "", "{form}, {state}: decides nothing");
            assert_eq!(say(&["PostToolUse"], b"{\"tool"), "", "{form}, {state}: decides nothing");
            let codex = say(&["--agent", "codex", "PreToolUse"], &text.as_bytes()[..90]);
            assert_eq!(codex, "deny", "{form}, {state}: it cannot ask");
        }
    };
    house.place().ensure().unwrap();
    fs::create_dir(house.place().socket()).unwrap();
    check("no daemon");
    fs::remove_dir(house.place().socket()).unwrap();
    house.start();
    check("a daemon");
    // What decides nothing is kept as it came.
    assert!(house.heard().iter().any(|(_, event)| event == "PostToolUse"));
    house.ok(&["config", "set", "behaviors.guard-scope", "off"]);
    house.ok(&["config", "set", "behaviors.guard-commands", "off"]);
    let cut = feed(house.command(&["hook", "PreToolUse"]), &text.as_bytes()[..90]);
    assert_eq!(decision(&cut.stdout), "", "a person may");
}

#[test]
fn five_megabytes_at_once_from_many_are_no_question() {
    let house = House::new();
    let folder = house.work().join(".throughline");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("scope.json"), "{\"allow\": [\"src/**\"]}").unwrap();
    house.start();
    let content = "fn main() { println!(\"{}\"); } // a line of code\n".repeat(5 << 20 >> 6);
    let writing = |path: &str| {
        let mut envelope = house.envelope("s1", "PreToolUse");
        envelope["tool_name"] = json!("Write");
        envelope["tool_input"] = json!({ "file_path": house.work().join(path), "content": content });
        envelope.to_string().into_bytes()
    };
    let executables = executables(&house);
    let calls: Vec<(&Path, Vec<u8>, &str)> = executables
        .iter()
        .flat_map(|(_, program)| {
            [("src/a.rs", ""), ("docs/b.md", "deny")]
                .map(|(path, said)| (program.as_path(), writing(path), said))
        })
        .collect();
    thread::scope(|scope| {
        for (program, body, expected) in &calls {
            let house = &house;
            scope.spawn(move || {
                let said = feed(command(house, program, &["PreToolUse"]), body);
                assert_eq!(decision(&said.stdout), *expected, "{program:?}");
            });
        }
    });
}

#[test]
fn the_hook_gives_up_before_the_timeout_that_is_installed() {
    let program = |name: &str| Program { program: format!("/opt/{name}"), args: Vec::new() };
    let ours = Ours { hook: program("throughline-hook"), server: None, fast: false };
    for agent in agents::ALL {
        let file = agent.files().iter().find(|file| file.holds() != Holds::Server).unwrap();
        let text = file.add(None, &ours).unwrap().after;
        let mut found = 0;
        for word in ["\"timeout\": ", "\"timeoutSec\": ", "\"timeout\":", "DEADLINE_MS = "] {
            for (at, _) in text.match_indices(word) {
                let digits: String =
                    text[at + word.len()..].chars().take_while(char::is_ascii_digit).collect();
                let Ok(number) = digits.parse::<u32>() else { continue };
                let ms = if number < 100 { number * 1000 } else { number };
                assert_eq!(ms, wire::timeout_ms(agent.name().as_bytes(), b"PreToolUse"), "{}", agent.name());
                found += 1;
            }
        }
        assert!(found > 0, "{}: {text}", agent.name());
    }
    let plugin = include_str!("../../../../plugin/hooks/hooks.json");
    assert_eq!(plugin.matches("\"timeout\":").count(), plugin.matches("\"timeout\": 5 ").count());
}
