//! Whatever is wrong with the daemon or the disk: exit 0, silence, in time, and the envelope redacted in the spool.

use std::fs;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use wire::Status;

use crate::daemon::{Manner, bind, reply, serve};
use crate::house::{Form, House, PATIENCE, envelope, finish};

/// One call in that world, on each executable: silent, in time, spooled once and redacted.
#[track_caller]
fn check_spooled(arrange: impl Fn(&House)) {
    for form in Form::all() {
        let house = House::new(form);
        arrange(&house);
        // PreToolUse has 150 ms; without an argument the hook finds that out by itself.
        for (count, event) in ["PreToolUse", ""].into_iter().enumerate() {
            house.call(event, &envelope("PreToolUse")).assert_silent_within(form, 150);
            let spooled = house.spooled();
            assert_eq!(spooled.len(), count + 1, "{form:?}");
            let last = spooled.last().unwrap();
            assert_eq!(last.agent, "claude-code");
            assert_eq!(last.hint.as_deref().unwrap_or_default(), event);
            assert_eq!(last.context.get("CLAUDE_PID").map(String::as_str), Some("42"));
            assert!(String::from_utf8_lossy(&last.body).contains("before"), "{form:?}");
        }
    }
}

#[test]
fn no_daemon_means_the_spool_and_one_start() {
    check_spooled(|_| {});
    for form in Form::all() {
        let house = House::new(form);
        for _ in 0..3 {
            house.call("Stop", &envelope("Stop")).assert_silent_within(form, 400);
        }
        let patience = Instant::now() + PATIENCE;
        while house.daemon_starts() == 0 && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(house.daemon_starts(), 1, "{form:?}: one start a second");
        assert_eq!(house.spooled().len(), 3);
    }
}

#[test]
fn a_socket_nobody_listens_at_is_as_good_as_none() {
    check_spooled(|house| drop(bind(&house.place)));
}

#[test]
fn a_file_in_the_place_of_the_socket_is_as_good_as_none() {
    check_spooled(|house| fs::write(house.place.socket(), "not a socket").unwrap());
}

#[test]
fn a_daemon_that_hangs_is_left_alone() {
    check_spooled(|house| {
        serve(&house.place, Manner::Hang);
    });
}

#[test]
fn a_daemon_that_hangs_is_not_joined_by_another() {
    for form in Form::all() {
        let house = House::new(form);
        serve(&house.place, Manner::Hang);
        house.call("Stop", &envelope("Stop")).assert_silent_within(form, 400);
        assert_eq!((house.daemon_starts(), house.spooled().len()), (0, 1), "{form:?}");
        assert!(!house.place.starting().exists());
    }
}

#[test]
fn a_full_backlog_is_not_waited_for() {
    for form in Form::all() {
        let house = House::new(form);
        let listener = bind(&house.place);
        // Nobody accepts: the backlog fills until one more does not get through.
        let mut waiting = Vec::new();
        while let Some(stream) = connect_at_once(&house) {
            waiting.push(stream);
        }
        house.call("PreToolUse", &envelope("PreToolUse")).assert_silent_within(form, 150);
        assert_eq!(house.spooled().len(), 1, "{form:?}");
        drop((listener, waiting));
    }
}

fn connect_at_once(house: &House) -> Option<UnixStream> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, socket_with};
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::NONBLOCK, None).unwrap();
    let connected =
        client::socket_address(&house.place.socket(), |address| connect(&socket, address)).unwrap();
    connected.is_ok().then(|| socket.into())
}

#[test]
fn a_daemon_that_closes_at_once_loses_nothing() {
    check_spooled(|house| {
        serve(&house.place, Manner::Close);
    });
}

#[test]
fn garbage_is_no_reply() {
    check_spooled(|house| {
        serve(&house.place, Manner::Bytes(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".to_vec()));
    });
}

#[test]
fn half_a_reply_is_no_reply() {
    let mut half = reply(Status::Kept, 2, b"half of this is missing", b"");
    half.truncate(30);
    check_spooled(|house| {
        serve(&house.place, Manner::Bytes(half.clone()));
    });
}

#[test]
fn another_protocol_is_no_reply() {
    for version in [0, 9] {
        let mut other = reply(Status::Kept, 2, b"misread", b"");
        other[3] = version;
        check_spooled(|house| {
            serve(&house.place, Manner::Bytes(other.clone()));
        });
    }
}

#[test]
fn what_the_daemon_could_not_keep_is_spooled() {
    for status in [Status::NotKept, Status::OtherVersion, Status::Malformed] {
        check_spooled(|house| {
            serve(&house.place, Manner::Reply(status, 2, b"not to be printed".to_vec(), Vec::new()));
        });
    }
}

#[test]
fn a_daemon_that_drips_is_late() {
    check_spooled(|house| {
        serve(&house.place, Manner::Drip);
    });
}

#[test]
fn a_reply_larger_than_any_is_no_reply() {
    let mut huge = wire::ReplyHeader { status: Status::Kept, exit: 0, stdout_len: u32::MAX, stderr_len: 7 };
    check_spooled(|house| {
        serve(&house.place, Manner::Bytes(huge.encode().to_vec()));
    });
    huge.stdout_len = 2 << 20;
    check_spooled(|house| {
        serve(&house.place, Manner::Bytes([huge.encode().to_vec(), vec![b'x'; 2 << 20]].concat()));
    });
}

#[test]
fn without_a_home_there_is_silence() {
    for form in Form::all() {
        let house = House::new(form);
        for home in [None, Some(""), Some("relative")] {
            let mut hook = house.hook("Stop");
            hook.env_remove("THROUGHLINE_HOME");
            home.map(|home| hook.env("HOME", home).current_dir(&house.place.data));
            crate::house::run(hook, &envelope("Stop")).assert_silent_within(form, 400);
        }
        assert!(house.spooled().is_empty());
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_costs_the_envelope_and_nothing_else() {
    for form in Form::all() {
        let house = House::new(form);
        fs::remove_dir_all(&house.place.data).unwrap();
        fs::write(&house.place.data, "a file where the folder should be").unwrap();
        house.call("Stop", &envelope("Stop")).assert_silent_within(form, 400);
        house.assert_no_canary();
    }
}

#[test]
fn a_missing_large_executable_is_silence() {
    for form in [Form::Plain, Form::Raw] {
        if !Form::all().contains(&form) {
            continue;
        }
        let house = House::new(form);
        let mut hook = house.hook("Stop");
        fs::remove_file(std::path::Path::new(hook.get_program()).with_file_name("throughline")).unwrap();
        hook.env("CLAUDE_PROJECT_DIR", "/somewhere");
        crate::house::run(hook, &envelope("Stop")).assert_silent_within(form, 400);
    }
}

#[test]
fn invalid_utf_8_is_spooled_as_one_json_value() {
    for form in Form::all() {
        let house = House::new(form);
        house.call("Stop", b"{\"prompt\":\"\xff\xfe\x80 broken\"").assert_silent_within(form, 400);
        let spooled = house.spooled();
        assert_eq!(spooled.len(), 1, "{form:?}");
        assert!(std::str::from_utf8(&spooled[0].body).is_ok(), "{form:?}");
    }
}

#[test]
fn a_reader_that_went_away_does_not_fail_a_hook_that_spools() {
    for form in Form::all() {
        let house = House::new(form);
        let started = Instant::now();
        let mut child = house.hook("Stop").spawn().unwrap();
        drop(child.stdout.take());
        drop(child.stderr.take());
        child.stdin.take().unwrap().write_all(&envelope("Stop")).unwrap();
        assert_eq!(finish(child, started).exit, Some(0), "{form:?}");
        assert_eq!(house.spooled().len(), 1);
    }
}
