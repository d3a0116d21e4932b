//! What the numbers were measured on. Nothing that names the machine, only what explains its numbers.

use std::fs;

/// The three load averages.
pub(crate) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let words: Vec<&str> = text.split(' ').take(3).collect();
    if words.len() == 3 { words.join(" ") } else { "unknown".to_owned() }
}

pub(crate) fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = value(&processors, "model name").unwrap_or("unknown processor");
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    // Major and minor say enough; the rest names a build.
    let kernel: Vec<&str> = kernel.trim().split('.').take(2).collect();
    format!("{cores} cores ({processor}), {} {}", std::env::consts::OS, kernel.join("."))
}

/// A number of kilobytes from `/proc/<pid>/status`, as bytes.
pub(crate) fn status_bytes(pid: u32, key: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let number: u64 = value(&text, key)?.split(' ').next()?.parse().ok()?;
    Some(number * 1024)
}

/// CPU time in ticks, and how often it gave up the processor to wait, over all threads.
pub(crate) fn effort(pid: u32) -> Option<(u64, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold spaces; the fields are counted behind it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    let mut waits = 0;
    for task in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        let text = fs::read_to_string(task.path().join("status")).unwrap_or_default();
        waits += value(&text, "voluntary_ctxt_switches").and_then(|number| number.parse().ok()).unwrap_or(0);
    }
    Some((ticks, waits))
}

fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}
