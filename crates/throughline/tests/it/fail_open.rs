//! Whatever is wrong with the daemon, its socket, the disk or the environment: the hook exits 0 in time, says
//! nothing an agent could trip over, and what it was told is there once when the trouble is over.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;
use wire::{ReplyHeader, Status};

use crate::house::{House, THROUGHLINE, eventually, feed, files, signal, skipped};

/// What a loaded machine may add to a deadline before we call it missed.
const SLACK: Duration = Duration::from_secs(5);

/// Runs one hook as an agent would: exit 0, nothing said, within its deadline.
#[track_caller]
fn silent(hook: Command, envelope: &Value) {
    let event = envelope["hook_event_name"].as_str().unwrap_or_default();
    let patience = Duration::from_millis(wire::patience_ms(event.as_bytes(), 0).into());
    let began = Instant::now();
    let output = feed(hook, envelope.to_string().as_bytes());
    let took = began.elapsed();
    report(&format!("{event}: {took:?} of {patience:?}"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b""[..], &b""[..]));
    assert!(took < patience + client::hook::GRACE + SLACK, "{event} took {took:?}");
}

#[expect(clippy::print_stderr, reason = "measured values are for whoever reads a failed run")]
fn report(what: &str) {
    eprintln!("{what}");
}

/// The sessions of the journaled events, in order: each test names its events by them.
fn told(house: &House) -> Vec<String> {
    house.heard().into_iter().map(|(session, _)| session).collect()
}

#[test]
fn the_first_hook_ever_is_kept_and_starts_the_daemon() {
    for at in 0.. {
        let house = House::punctual();
        let Some(hook) = house.hooks().into_iter().nth(at) else { break };
        silent(hook, &house.tool("first", "Bash", "x"));
        eventually("a daemon runs", || house.status()["running"] == true);
        eventually("the spool is empty", || house.spooled().is_empty());
        assert_eq!(told(&house), ["first"]);
        house.assert_private();
    }
}

#[test]
fn a_stale_socket_is_replaced() {
    let house = House::punctual();
    house.place().ensure().unwrap();
    for (at, hook) in house.hooks().into_iter().enumerate() {
        // Bound and left: the file stays, nobody listens.
        house.run(&["daemon", "stop"]);
        drop(UnixListener::bind(house.place().socket()).unwrap());
        let _ = fs::remove_file(house.place().starting());
        silent(hook, &house.tool("stale", "Bash", "x"));
        eventually("a daemon runs", || house.status()["running"] == true);
        assert_eq!(told(&house).len(), at + 1);
    }
}

#[test]
fn a_stale_pid_is_never_signalled() {
    let house = House::punctual();
    house.place().ensure().unwrap();
    let mut stranger = Command::new("sleep").arg("60").spawn().unwrap();
    fs::write(house.place().pid_file(), format!("{}\n", stranger.id())).unwrap();
    for hook in house.hooks() {
        silent(hook, &house.tool("s", "Bash", "x"));
    }
    house.ok(&["daemon", "start"]);
    house.ok(&["daemon", "restart"]);
    house.ok(&["daemon", "stop"]);
    fs::write(house.place().pid_file(), format!("{}\n", stranger.id())).unwrap();
    assert_eq!(house.ok(&["daemon", "stop"]), "was not running\n");
    assert!(stranger.try_wait().unwrap().is_none(), "the stranger was ended");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    assert_eq!(told(&house).len(), house.hooks().len());
}

#[test]
fn a_stranger_at_the_socket_harms_no_agent_and_can_be_repaired() {
    let house = House::punctual();
    house.place().ensure().unwrap();
    // Accepts by way of the kernel, and never says a word.
    let stranger = UnixListener::bind(house.place().socket()).unwrap();
    for hook in house.hooks() {
        silent(hook, &house.tool("s", "Bash", "x"));
    }
    assert_eq!(house.spooled().len(), house.hooks().len());
    let doctor: Value = serde_json::from_slice(&house.run(&["doctor", "--json"]).stdout).unwrap();
    let finding = doctor["findings"].as_array().unwrap().iter().find(|one| one["check"] == "daemon").unwrap();
    assert_eq!(
        (finding["state"].as_str(), finding["repair"].as_str()),
        (Some("fail"), Some("throughline daemon restart"))
    );
    house.ok(&["daemon", "restart"]);
    assert_eq!(told(&house).len(), house.hooks().len());
    drop(stranger);
}

#[test]
fn a_stopped_daemon_costs_the_deadline_and_nothing_else() {
    let house = House::punctual();
    house.start();
    let pid = house.pid();
    signal(pid, Signal::STOP);
    for hook in house.hooks() {
        silent(hook, &house.tool("while-stopped", "Bash", "x"));
    }
    signal(pid, Signal::CONT);
    assert_eq!(told(&house), vec!["while-stopped"; house.hooks().len()]);
    assert_eq!(house.pid(), pid, "a daemon that is late is not replaced");
}

/// Listens at the house's socket and answers every frame with these bytes.
fn impostor(house: &House, reply: Vec<u8>, times: usize) -> thread::JoinHandle<()> {
    house.place().ensure().unwrap();
    let listener = UnixListener::bind(house.place().socket()).unwrap();
    thread::spawn(move || {
        for _ in 0..times {
            let (mut stream, _) = listener.accept().unwrap();
            let mut header = [0; wire::REQUEST_HEADER];
            if stream.read_exact(&mut header).is_ok() {
                let mut rest = vec![0; wire::RequestHeader::decode(&header).unwrap().rest_len()];
                stream.read_exact(&mut rest).unwrap();
                stream.write_all(&reply).unwrap();
            }
        }
    })
}

fn header(status: Status) -> ReplyHeader {
    ReplyHeader { status, exit: 0, stdout_len: 0, stderr_len: 0 }
}

#[test]
fn every_answer_but_kept_ends_in_the_spool() {
    let mut newer = header(Status::OtherVersion).encode();
    newer[3] = wire::PROTOCOL + 1;
    let lying = ReplyHeader { stdout_len: 9, ..header(Status::Kept) }.encode();
    let answers: [&[u8]; 7] = [
        &newer,
        &header(Status::OtherVersion).encode(),
        &header(Status::NotKept).encode(),
        &header(Status::Malformed).encode(),
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        &lying,
        b"",
    ];
    for answer in answers {
        let house = House::punctual();
        let hooks = house.hooks();
        let count = hooks.len();
        // Each hook knocks twice: to deliver, and to see whether it should start a daemon.
        let impostor = impostor(&house, answer.to_vec(), count * 2);
        for hook in hooks {
            silent(hook, &house.tool("s", "Bash", "x"));
        }
        impostor.join().unwrap();
        assert_eq!(house.spooled().len(), count, "{answer:?}");
        assert_eq!(told(&house), vec!["s"; count], "{answer:?}");
    }
}

#[test]
fn an_older_daemon_is_replaced_at_once() {
    let house = House::punctual();
    let mut older = header(Status::OtherVersion).encode();
    older[3] = wire::PROTOCOL - 1;
    let hooks = house.hooks();
    let count = hooks.len();
    let impostor = impostor(&house, older.to_vec(), 1);
    for hook in hooks {
        silent(hook, &house.tool("s", "Bash", "x"));
    }
    impostor.join().unwrap();
    eventually("ours answers", || house.status()["running"] == true);
    assert_eq!(told(&house), vec!["s"; count]);
}

#[test]
fn a_full_disk_loses_nothing_acknowledged_and_needs_no_restart() {
    let Some(house) = House::on_a_disk_of("6m") else { return };
    house.start();
    house.send(&house.tool("before", "Bash", "x"));
    assert_eq!(told(&house), ["before"]);
    let pid = house.pid();
    let ballast = house.throughline_home().join("ballast");
    let _ = File::create(&ballast).unwrap().write_all(&vec![0; 16 << 20]);
    let page = "y".repeat(32 << 10);
    for _ in 0..4 {
        for hook in house.hooks() {
            silent(hook, &house.tool("full", "Bash", &page));
        }
    }
    let status = house.status();
    assert!(
        status["envelopes"]["not_kept"].as_u64() > Some(0),
        "the disk was never full: {status}\n{}",
        house.ok(&["daemon", "logs"])
    );
    fs::remove_file(&ballast).unwrap();
    house.send(&house.tool("after", "Bash", "x"));
    let told = told(&house);
    assert_eq!(
        (told.first().unwrap().as_str(), told.last().unwrap().as_str()),
        ("before", "after"),
        "{told:?}"
    );
    assert_eq!(house.pid(), pid);
    house.ok(&["daemon", "restart"]);
    assert_eq!(self::told(&house), told, "what was listed stays");
    assert!(house.run(&["doctor"]).status.code().is_some_and(|code| code <= 1));
}

#[test]
fn a_disk_full_from_the_start_is_silence() {
    let Some(house) = House::on_a_disk_of("4k") else { return };
    let _ = File::create(house.throughline_home().join("ballast")).unwrap().write_all(&vec![0; 64 << 10]);
    for hook in house.hooks() {
        silent(hook, &house.tool("s", "Bash", "x"));
    }
    let output = house.run(&["events"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn a_read_only_home_is_silence_and_works_again_when_it_is_not() {
    let Some(house) = House::on_a_disk_of("16m") else { return };
    house.start();
    house.send(&house.tool("before", "Bash", "x"));
    assert_eq!(told(&house), ["before"]);
    house.ok(&["daemon", "stop"]);
    house.remount("ro");
    for hook in house.hooks() {
        silent(hook, &house.tool("unheard", "Bash", "x"));
    }
    assert_eq!(told(&house), ["before"], "what was recorded can still be read");
    let doctor = house.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(1));
    assert!(String::from_utf8(doctor.stdout).unwrap().contains("Read-only"));
    house.remount("rw");
    house.send(&house.tool("after", "Bash", "x"));
    assert_eq!(told(&house), ["before", "after"]);
}

#[test]
fn a_home_that_is_a_file_or_a_link_to_nowhere_is_silence() {
    for hook in 0..House::punctual().hooks().len() {
        let house = House::punctual();
        fs::write(house.throughline_home(), "a file").unwrap();
        silent(house.hooks().remove(hook), &house.tool("s", "Bash", "x"));
        fs::remove_file(house.throughline_home()).unwrap();
        std::os::unix::fs::symlink("/nonexistent/folder", house.throughline_home()).unwrap();
        silent(house.hooks().remove(hook), &house.tool("s", "Bash", "x"));
        assert!(!fs::exists("/nonexistent").unwrap());
    }
}

#[test]
fn without_a_home_nothing_is_written_and_nothing_is_said() {
    let house = House::punctual();
    for mut hook in house.hooks() {
        hook.env_remove("HOME");
        silent(hook, &house.tool("s", "Bash", "x"));
    }
    for mut hook in house.hooks() {
        hook.env("HOME", "relative");
        silent(hook, &house.tool("s", "Bash", "x"));
    }
    let mut listing = house.command(&["sessions"]);
    let output = listing.env_remove("HOME").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("hint: set THROUGHLINE_HOME"));
    assert_eq!(files(house.home()), Vec::<std::path::PathBuf>::new());
}

#[test]
fn closed_and_broken_outputs_are_no_trouble() {
    let house = House::punctual();
    house.start();
    house.send(&house.envelope("first", "SessionStart"));
    let envelope = house.envelope("second", "SessionStart").to_string();
    let mut said = 0;
    for (at, hook) in house.hooks().into_iter().enumerate() {
        let program = hook.get_program().to_owned();
        let args: Vec<_> = hook.get_args().map(ToOwned::to_owned).collect();
        for redirection in [">&-", "2>&- >&-", ">/dev/full", "<&- >&- 2>&-", "| true"] {
            let mut shell = house.program("/bin/bash".as_ref(), &["-o", "pipefail", "-c"]);
            shell.arg(format!("\"$0\" \"$@\" {redirection}")).arg(&program).args(&args);
            let output = feed(shell, envelope.as_bytes());
            assert_eq!(output.status.code(), Some(0), "{at} {redirection}: {output:?}");
            said += usize::from(!redirection.starts_with('<'));
        }
    }
    let second = told(&house).iter().filter(|session| *session == "second").count();
    assert_eq!(second, said);
}

#[test]
fn another_user_at_the_socket_is_not_heard() {
    if !rustix::process::geteuid().is_root() {
        skipped("only root can become another user");
        return;
    }
    let house = House::punctual();
    house.start();
    house.send(&house.tool("ours", "Bash", "x"));
    // An executable the other one may run, wherever the build folder lies.
    let folder = house.home().join("bin");
    fs::create_dir(&folder).unwrap();
    for name in ["throughline", "throughline-hook"] {
        let from = std::path::Path::new(THROUGHLINE).with_file_name(name);
        if from.is_file() {
            fs::copy(from, folder.join(name)).unwrap();
        }
    }
    // Every mode that could keep them out is loosened: what is left is what the kernel says of the peer.
    let place = house.place();
    for path in [
        house.home(),
        &folder,
        &house.work(),
        &house.throughline_home(),
        &place.data,
        &place.run(),
        &place.socket(),
        &place.spool(),
        &place.private(),
        &place.key_file(),
    ] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    for (name, args) in [("throughline", &["hook"][..]), ("throughline-hook", &[])] {
        let program = folder.join(name);
        if program.is_file() {
            let mut hook = house.program(&program, args);
            hook.uid(65534).gid(65534);
            silent(hook, &house.tool("theirs", "Bash", "x"));
        }
    }
    let mut asking = house.program(&folder.join("throughline"), &["daemon", "stop"]);
    let refused = asking.uid(65534).gid(65534).stdin(Stdio::null()).output().unwrap();
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let status = house.status();
    assert_eq!(status["running"], true);
    assert!(status["envelopes"]["refused_peers"].as_u64().unwrap() > 0, "{status}");
    assert_eq!(told(&house), ["ours"]);
}

#[test]
fn the_first_session_after_a_restart_is_told_what_it_should_know() {
    let house = House::punctual();
    house.ok(&["remember", "The kookaburra table is append-only.", "--critical", "--global"]);
    house.ok(&["daemon", "stop"]);
    // A hook that called for a daemon a moment ago would not call again.
    let _ = fs::remove_file(house.place().starting());
    let mut start = house.envelope("s", "SessionStart");
    start["source"] = serde_json::json!("startup");
    let answer = house.send(&start);
    assert!(answer.contains("kookaburra table is append-only"), "{answer:?}");
    let kept = house.ok(&["events", "--json", "--session", "s"]);
    assert_eq!(kept.lines().count(), 1, "it came twice and is one: {kept}");
}

#[test]
fn a_pipe_in_the_place_of_a_transcript_holds_nobody_up() {
    let house = House::punctual();
    house.start();
    let pipe = house.home().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    const PROMPTS: u64 = 12;
    for number in 0..PROMPTS {
        let mut prompt = house.prompt("s", &format!("what of the kookaburra, number {number}?"));
        prompt["transcript_path"] = serde_json::json!(pipe);
        house.send(&prompt);
    }
    let status: Value = serde_json::from_str(&house.ok(&["daemon", "status", "--json"])).unwrap();
    for behavior in status["behaviors"].as_array().unwrap() {
        // Whoever waits for a pipe is late every time; a busy machine makes one or the other late.
        assert!(behavior["late"].as_u64().unwrap() < PROMPTS / 2, "{behavior}");
    }
}
