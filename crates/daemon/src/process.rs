//! Whether the process of a session lives. A process id alone is not enough: the system gives it to another program when
//! the first is gone, so the moment it began is part of its name. Signals nobody.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// Where in `/proc/PID/stat`, behind the name, the beginning stands: field 22 of proc_pid_stat(5).
#[cfg(target_os = "linux")]
const BEGAN_FIELD: usize = 19;

/// Whether a process of this id lives, and began at this moment where that is known.
pub fn is_running(pid: u32, began: Option<&str>) -> bool {
    let Some(id) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    // Signal 0 asks without touching.
    if matches!(test_kill_process(id), Err(Errno::SRCH)) {
        return false;
    }
    match (began, self::began(pid)) {
        (Some(then), now) => now.is_some_and(|now| then == now),
        (None, _) => true,
    }
}

/// A name for the moment a process began: in ticks since the machine did, which no setting of the clock and no sleep
/// changes, and which run of the machine that was. `None`: there is no such process, or the system does not tell.
#[cfg(target_os = "linux")]
pub(crate) fn began(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of a program is in parentheses, and may hold some.
    let fields = stat.rsplit_once(')')?.1;
    let mut fields = fields.split_ascii_whitespace();
    // A process that ended and was not waited for does nothing any more.
    let state = fields.next()?;
    let ticks = fields.nth(BEGAN_FIELD - 1)?;
    (state != "Z").then(|| format!("{}-{ticks}", boot()))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn began(_pid: u32) -> Option<String> {
    None
}

/// Eight letters of this run of the machine.
#[cfg(target_os = "linux")]
fn boot() -> &'static str {
    static BOOT: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    BOOT.get_or_init(|| {
        let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        id.chars().take(8).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_itself_until_it_is_gone_and_never_another_of_its_id() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let pid = child.id();
        let then = began(pid);
        assert!(is_running(pid, then.as_deref()));
        assert!(is_running(pid, None));
        if cfg!(target_os = "linux") {
            assert!(!is_running(pid, Some("00000000-1")), "another one had this id");
            // Two that begin within one tick of the clock are told apart by their ids alone; the first one began long ago.
            assert_ne!(then, began(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_running(pid, then.as_deref()) && !is_running(pid, None));
        assert!(!is_running(0, None) && !is_running(u32::MAX, None));
    }
}
