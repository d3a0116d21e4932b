//! A daemon that answers: it gets the envelope byte for byte, the agent gets the reply byte for byte.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use wire::Status;

use crate::daemon::{Heard, Manner, reply, serve};
use crate::house::{Form, House, Outcome, PATIENCE, envelope, finish, run};

/// What a daemon of that manner hears of one call, and what comes of it. Nothing may be spooled.
fn call(form: Form, manner: Manner, event: &str, body: &[u8]) -> (Heard, Outcome) {
    let house = House::new(form);
    let heard = serve(&house.place, manner);
    let outcome = house.call(event, body);
    assert_eq!(house.spooled().len(), 0, "{form:?}: delivered and spooled; {outcome:?}");
    (heard.recv_timeout(PATIENCE).unwrap(), outcome)
}

#[test]
fn a_daemon_hears_everything_and_the_agent_gets_the_reply() {
    for form in Form::all() {
        let body = envelope("Stop");
        let before = client::mint();
        let (heard, outcome) = call(form, Manner::prints(b"{\"continue\":true}"), "Stop", &body);
        assert_eq!(
            (outcome.exit, outcome.stdout.as_slice()),
            (Some(0), &b"{\"continue\":true}"[..]),
            "{form:?}"
        );
        assert_eq!((heard.agent.as_slice(), heard.event.as_slice()), (&b"claude-code"[..], &b"Stop"[..]));
        assert_eq!(heard.context, b"CLAUDE_PID=42\0", "{form:?}");
        assert_eq!(heard.body, body);
        assert_eq!(heard.header.client_version, client::VERSION);
        assert!((1..=350).contains(&heard.header.wait_ms), "{}", heard.header.wait_ms);
        let id = model::EventId::from_bytes(heard.header.id);
        assert!((before.minted_at()..=client::mint().minted_at()).contains(&id.minted_at()), "{form:?}");
        assert_eq!((heard.header.id[6] >> 4, heard.header.id[8] >> 6), (7, 2), "{form:?}: {id}");
    }
}

#[test]
fn another_agent_says_who_it_is() {
    for form in Form::all() {
        let house = House::new(form);
        let heard = serve(&house.place, Manner::silent());
        let mut hook = house.hook("");
        hook.args(["--agent", "codex", "--unheard-of", "Stop"]);
        run(hook, &envelope("Stop")).assert_silent_within(form, 400);
        let heard = heard.recv_timeout(PATIENCE).unwrap();
        assert_eq!(
            (heard.agent.as_slice(), heard.event.as_slice()),
            (&b"codex"[..], &b"Stop"[..]),
            "{form:?}"
        );
    }
}

#[test]
fn the_deadline_is_found_in_the_envelope_when_nobody_names_it() {
    for form in Form::all() {
        for (event, longest, less) in [("SessionStart", 950, 350), ("Stop", 350, 20), ("Unheard", 20, 0)] {
            let house = House::new(form);
            let heard = serve(&house.place, Manner::silent());
            house.call("", &envelope(event)).assert_silent_within(form, longest.into());
            let heard = heard.recv_timeout(PATIENCE).unwrap();
            // On a loaded machine part of it is spent before the request is made, but not most of it.
            let wait = heard.header.wait_ms;
            assert!(less < wait && wait <= longest, "{form:?} {event}: {wait} ms");
        }
    }
}

#[test]
fn only_a_block_changes_the_exit_code() {
    for form in Form::all() {
        for (exit, expected) in [(0, 0), (1, 0), (2, 2), (7, 0), (255, 0)] {
            let manner = Manner::Reply(Status::Kept, exit, b"out".to_vec(), b"err".to_vec());
            let (_, outcome) = call(form, manner, "Stop", &envelope("Stop"));
            assert_eq!(outcome.exit, Some(expected), "{form:?}");
            assert_eq!((outcome.stdout.as_slice(), outcome.stderr.as_slice()), (&b"out"[..], &b"err"[..]));
        }
    }
}

#[test]
fn the_largest_reply_is_printed_whole() {
    let largest: Vec<u8> = (0..wire::MAX_REPLY).map(|at| (at % 251) as u8).collect();
    for form in Form::all() {
        let (_, outcome) = call(form, Manner::prints(&largest), "SessionStart", &envelope("SessionStart"));
        assert_eq!(outcome.exit, Some(0));
        assert!(outcome.stdout == largest, "{form:?}: {} bytes", outcome.stdout.len());
    }
}

#[test]
fn a_reader_that_went_away_changes_nothing() {
    for form in Form::all() {
        for exit in [0, 2] {
            let house = House::new(form);
            serve(&house.place, Manner::Reply(Status::Kept, exit, vec![b'x'; 100_000], b"err".to_vec()));
            let started = Instant::now();
            let mut child = house.hook("Stop").spawn().unwrap();
            drop(child.stdout.take());
            drop(child.stderr.take());
            child.stdin.take().unwrap().write_all(&envelope("Stop")).unwrap();
            let outcome = finish(child, started);
            assert_eq!(outcome.exit, Some(exit.into()), "{form:?}");
            outcome.assert_within(form, 400);
        }
    }
}

#[test]
fn a_reader_that_never_reads_is_not_waited_for() {
    for form in Form::all() {
        let house = House::new(form);
        serve(&house.place, Manner::prints(&vec![b'x'; wire::MAX_REPLY]));
        let started = Instant::now();
        let mut child = house.hook("Stop").spawn().unwrap();
        child.stdin.take().unwrap().write_all(&envelope("Stop")).unwrap();
        let unread = child.stdout.take();
        let outcome = finish(child, started);
        assert_eq!(outcome.exit, Some(0), "{form:?}");
        outcome.assert_within(form, 400 + 1000);
        drop(unread);
    }
}

#[test]
fn closed_standard_descriptors_are_not_taken_for_the_socket() {
    for form in Form::all() {
        let house = House::new(form);
        let heard = serve(&house.place, Manner::prints(b"nobody reads this"));
        let hook = house.hook("Stop");
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", "exec \"$0\" \"$@\" <&- >&- 2>&-"]).arg(hook.get_program()).args(hook.get_args());
        shell.env_clear().envs(hook.get_envs().filter_map(|(key, value)| Some((key, value?))));
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        run(shell, b"").assert_silent_within(form, 1000);
        assert_eq!(heard.recv_timeout(PATIENCE).unwrap().body, b"", "{form:?}");
        assert_eq!(house.spooled().len(), 0, "{form:?}");
    }
}

#[test]
fn an_empty_stdin_is_an_envelope_too() {
    for form in Form::all() {
        let (heard, outcome) = call(form, Manner::silent(), "Stop", b"");
        outcome.assert_silent_within(form, 400);
        assert_eq!(heard.body, b"", "{form:?}");
    }
}

#[test]
fn a_stdin_that_is_never_closed_is_not_waited_for() {
    for form in Form::all() {
        let house = House::new(form);
        let heard = serve(&house.place, Manner::silent());
        let started = Instant::now();
        let mut child = house.hook("PreToolUse").spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&envelope("PreToolUse")).unwrap();
        finish(child, started).assert_silent_within(form, 150);
        let heard = heard.recv_timeout(PATIENCE).unwrap();
        assert_eq!(heard.body, envelope("PreToolUse"), "{form:?}");
        drop(stdin);
    }
}

#[test]
fn an_agent_that_writes_late_and_in_pieces_is_waited_for() {
    for form in Form::all() {
        let house = House::new(form);
        let heard = serve(&house.place, Manner::silent());
        let started = Instant::now();
        let mut child = house.hook("Notification").spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let body = envelope("Notification");
        for piece in body.chunks(body.len() / 2 + 1) {
            std::thread::sleep(Duration::from_millis(80));
            stdin.write_all(piece).unwrap();
        }
        drop(stdin);
        finish(child, started).assert_silent_within(form, 1000);
        assert_eq!(heard.recv_timeout(PATIENCE).unwrap().body, body, "{form:?}");
    }
}

#[test]
fn fifty_megabytes_arrive_whole() {
    let mut body = envelope("SessionStart");
    let end = body.pop();
    body.resize(50 << 20, b' ');
    body.extend(end);
    for form in Form::all() {
        let (heard, outcome) = call(form, Manner::prints(b"{}"), "SessionStart", &body);
        assert_eq!((outcome.exit, outcome.stdout.as_slice()), (Some(0), &b"{}"[..]), "{form:?}");
        assert!(heard.body == body, "{form:?}: {} bytes", heard.body.len());
        outcome.assert_within(form, 1000 + 50 * 20);
    }
}

#[test]
fn what_is_beyond_the_largest_body_is_cut_and_the_agent_can_still_write_it() {
    let body = vec![b'x'; wire::MAX_BODY + (1 << 20)];
    for form in Form::all() {
        let (heard, outcome) = call(form, Manner::silent(), "SessionStart", &body);
        outcome.assert_silent_within(form, 1000 + 64 * 20);
        assert_eq!(heard.body.len(), wire::MAX_BODY, "{form:?}");
    }
}

#[test]
fn bytes_that_are_no_text_arrive_unchanged() {
    let body: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    for form in Form::all() {
        let (heard, outcome) = call(form, Manner::silent(), "Stop", &body);
        outcome.assert_silent_within(form, 1000);
        assert!(heard.body == body, "{form:?}");
    }
}

#[test]
fn a_path_longer_than_an_address_is_reached() {
    let long = format!("{0}/{0}", "deep-folder-".repeat(12));
    for form in Form::all() {
        let house = House::with_home(form, &long);
        assert!(house.place.socket().as_os_str().len() > 200);
        let heard = serve(&house.place, Manner::prints(b"{}"));
        let outcome = house.call("Stop", &envelope("Stop"));
        assert_eq!((outcome.exit, outcome.stdout.as_slice()), (Some(0), &b"{}"[..]), "{form:?}");
        assert_eq!(heard.recv_timeout(PATIENCE).unwrap().body, envelope("Stop"));
    }
}

#[test]
fn a_namespace_is_a_folder_and_a_hostile_one_is_none() {
    for form in Form::all() {
        let house = House::new(form);
        let heard = serve(&house.place, Manner::silent());
        for namespace in ["", "..", "a/b", ".hidden", "default"] {
            let mut hook = house.hook("Stop");
            hook.env("THROUGHLINE_NAMESPACE", namespace);
            run(hook, &envelope("Stop")).assert_silent_within(form, 400);
            assert!(heard.recv_timeout(PATIENCE).is_ok(), "{form:?} {namespace:?}");
        }
        let mut hook = house.hook("Stop");
        hook.env("THROUGHLINE_NAMESPACE", "other");
        run(hook, &envelope("Stop")).assert_silent_within(form, 400);
        assert!(house.place.data.with_file_name("other").join("spool").is_dir(), "{form:?}");
    }
}

#[test]
fn a_daemon_that_asks_for_time_gets_it_and_its_answer_is_printed() {
    let answer = reply(Status::Kept, 2, &[b'x'; 5000], b"err");
    // Longer than a turn's end waits by itself; and both headers in one piece.
    for taken in [900, 0] {
        for form in Form::all() {
            let (_, outcome) =
                call(form, Manner::Longer(3000, taken, answer.clone()), "Stop", &envelope("Stop"));
            assert_eq!(outcome.exit, Some(2), "{form:?} {taken}");
            assert_eq!(
                (outcome.stdout.len(), outcome.stderr.as_slice()),
                (5000, &b"err"[..]),
                "{form:?} {taken}"
            );
        }
    }
}

#[test]
fn a_daemon_that_asked_for_time_and_says_nothing_is_left_alone_and_nothing_is_spooled() {
    let garbage = b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec();
    let twice = reply(Status::Longer, 0, b"", b"");
    for (asked, taken, then) in [(200, 30_000, Vec::new()), (3000, 10, garbage), (3000, 10, twice)] {
        for form in Form::all() {
            let house = House::new(form);
            serve(&house.place, Manner::Longer(asked, taken, then.clone()));
            house.call("Stop", &envelope("Stop")).assert_silent_within(form, 600);
            assert!(house.spooled().is_empty(), "{form:?}: it is kept");
            assert_eq!(house.daemon_starts(), 0);
        }
    }
}

#[test]
fn no_daemon_is_given_more_than_there_is() {
    for form in Form::all() {
        let house = House::new(form);
        serve(&house.place, Manner::Longer(60_000, 20_000, Vec::new()));
        let outcome = house.call("Stop", &envelope("Stop"));
        outcome.assert_silent_within(form, u64::from(wire::MOST_LONGER_MS) + 400);
        assert!(outcome.took < Duration::from_secs(15), "{form:?}");
    }
}
