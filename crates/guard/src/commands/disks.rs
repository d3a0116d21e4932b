//! Disks below their file systems.

use super::Verdict;
use super::look::Look;
use super::shipped::{DISKS, Finding, asks_for_help};
use crate::shell::{Command, Word, writes_of};

const TOOLS: &str = "mke2fs mkswap fdisk sfdisk cfdisk gdisk sgdisk parted wipefs blkdiscard newfs pvcreate pvremove vgremove \
    lvremove";
const DEVICES: &str = "sd hd vd xvd nvme mmcblk disk rdisk dm- mapper/ md loop sr nbd zram mem kmem ram";

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (at, command) in look.commands() {
        let verdict = match look.program(at).as_deref() {
            Some(program)
                if program.starts_with("mkfs") || TOOLS.split_whitespace().any(|tool| tool == program) =>
            {
                tool(command, &look.plain[at])
            }
            // It reads, unless it is told to write.
            Some("badblocks") => {
                let writes =
                    |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('w');
                look.plain[at].iter().any(writes).then(|| tool(command, &look.plain[at])).flatten()
            }
            Some("diskutil") => {
                const VERBS: &str =
                    "erasedisk erasevolume partitiondisk reformat zerodisk randomdisk secureerase";
                let verb = look.plain[at].get(1).map(|verb| verb.to_ascii_lowercase());
                verb.filter(|verb| VERBS.split(' ').any(|known| known == verb)).map(|_| Verdict::Deny)
            }
            Some("cryptsetup") => {
                let formats = look.plain[at]
                    .iter()
                    .any(|word| matches!(word.as_str(), "luksFormat" | "erase" | "luksErase"));
                formats.then_some(Verdict::Deny)
            }
            _ => None,
        };
        let writes_device =
            || writes_of(command).iter().any(|write| is_device(&write.path)).then_some(Verdict::Deny);
        let Some(verdict) = verdict.or_else(writes_device) else { continue };
        let verdict = if command.is_elsewhere { Verdict::Ask } else { verdict };
        all.push(Finding { rule: &DISKS, verdict, commands: vec![at] });
    }
}

fn tool(command: &Command, words: &[String]) -> Option<Verdict> {
    let only_looks = words
        .iter()
        .skip(1)
        .any(|word| matches!(word.as_str(), "-l" | "--list" | "-p" | "print" | "-V" | "-n" | "--no-act"));
    if only_looks || asks_for_help(words) {
        return None;
    }
    let devices = command.arguments().iter().filter(|word| is_device(&word.prefix())).count();
    let is_unknown = command.arguments().iter().any(Word::is_unknown);
    match (devices, is_unknown) {
        (1.., _) => Some(Verdict::Deny),
        (0, true) => Some(Verdict::Ask),
        // An image in a file.
        (0, false) => None,
    }
}

fn is_device(path: &str) -> bool {
    let name = path.strip_prefix("/dev/");
    name.is_some_and(|name| DEVICES.split(' ').any(|device| name.starts_with(device)))
}
