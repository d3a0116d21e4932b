//! Commands that run on another machine or in a container: what they mean for what is kept there, or here behind a mount.

use std::path::{Path, PathBuf};

use super::Verdict;
use super::look::{Look, Parsed};
use super::place::{Reach, Target, is_temporary, normal};
use super::shipped::{DELETE_OUTSIDE, Finding, RIGHTS_OUTSIDE, WHOLE_MACHINE};
use crate::shell::{Command, Part, Word, Wrap, find_folders};

/// Where a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Far {
    Here,
    /// Another machine, with all that is kept there.
    Machine,
    /// A container, which the command at this place starts or enters.
    Container(usize),
}

/// Programs that start programs that start programs: as deep as a text nests.
const HOPS: usize = 32;
/// Folders that are made again by whoever made them.
const THROWAWAY: &str = "node_modules target build dist out tmp temp cache .cache __pycache__ .pytest_cache .venv venv \
    coverage .next .nuxt .turbo .gradle .tox .mypy_cache obj bin-cache logs";
/// Where programs in containers keep what is in nobody's image.
const DATA: &[&str] =
    &["/var/lib", "/data", "/db", "/mnt", "/srv", "/home", "/backup", "/backups", "/storage"];

pub(super) fn far(look: &Look<'_>, at: usize) -> Far {
    if !look.script.commands[at].is_elsewhere {
        return Far::Here;
    }
    let mut next = look.script.commands[at].within;
    for _ in 0..HOPS {
        let Some(outer) = next else { break };
        let command = &look.script.commands[outer];
        if command.wraps == Some(Wrap::Elsewhere) {
            let is_container = look.program(outer).is_some_and(|program| {
                let programs =
                    "docker podman nerdctl kubectl oc docker-compose podman-compose chroot lxc incus crictl";
                programs.split(' ').any(|known| known == program)
            });
            return if is_container { Far::Container(outer) } else { Far::Machine };
        }
        next = command.within;
    }
    Far::Machine
}

/// Folders of this machine that a container sees, and where.
pub(super) fn mounts(look: &Look<'_>, at: usize) -> Vec<(PathBuf, PathBuf)> {
    let words = &look.raw[at];
    let mut all = Vec::new();
    let mut add = |source: &str, target: &str| {
        let source =
            (!source.is_empty() && !source.contains('*')).then(|| look.place.written(None, source)).flatten();
        let is_path = |path: &&PathBuf| !path.as_os_str().is_empty();
        if let Some(source) = source.as_ref().filter(is_path).map(|path| normal(path)) {
            all.push((source, normal(Path::new(target))));
        }
    };
    for (at, word) in words.iter().enumerate() {
        let next = || words.get(at + 1).map(String::as_str);
        let volume = match word.as_str() {
            "-v" | "--volume" => next(),
            word => word
                .strip_prefix("--volume=")
                .or_else(|| word.strip_prefix("-v").filter(|rest| rest.starts_with(['/', '~', '.']))),
        };
        // A name without a slash is a volume of its own.
        if let Some(volume) = volume.filter(|volume| volume.starts_with(['/', '~', '.'])) {
            let mut parts = volume.split(':');
            if let (Some(source), Some(target), mode) = (parts.next(), parts.next(), parts.next())
                && !mode.is_some_and(|mode| mode.split(',').any(|mode| mode == "ro"))
            {
                add(source, target);
            }
        }
        let mount = if word == "--mount" { next() } else { word.strip_prefix("--mount=") };
        if let Some(mount) = mount {
            let field = |names: &[&str]| {
                mount.split(',').find_map(|pair| {
                    let (name, value) = pair.split_once('=')?;
                    names.contains(&name).then_some(value)
                })
            };
            let is_read_only = mount.split(',').any(|part| part == "readonly" || part == "ro");
            if let (Some(source), Some(target)) =
                (field(&["source", "src"]), field(&["target", "dst", "destination"]))
                && source.starts_with(['/', '~', '.'])
                && !is_read_only
            {
                add(source, target);
            }
        }
    }
    all
}

/// Where a path of a command leads, on this machine or another one. `None`: nowhere that is kept, or nobody knows.
pub(super) fn resolve(look: &Look<'_>, at: usize, path: &str) -> Option<PathBuf> {
    let command = &look.script.commands[at];
    let folder = command.folder.as_deref();
    match far(look, at) {
        Far::Here => look.place.written(folder, path).map(|path| normal(&path)),
        Far::Machine => {
            let is_whole = path.starts_with(['/', '~']) || folder.is_some();
            is_whole.then(|| look.place.written(folder, path)).flatten().map(|path| normal(&path))
        }
        Far::Container(start) => {
            let path = normal(&look.place.written(folder, path).filter(|_| !path.starts_with('~'))?);
            behind(&mounts(look, start), &path)
        }
    }
}

/// What of this machine is behind a path of a container.
fn behind(mounts: &[(PathBuf, PathBuf)], path: &Path) -> Option<PathBuf> {
    let mut found = mounts.iter().filter_map(|(source, target)| {
        let rest = path.strip_prefix(target).ok()?;
        Some(if rest.as_os_str().is_empty() { source.clone() } else { source.join(rest) })
    });
    found.next()
}

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (at, command) in look.commands() {
        mounted(look, at, all);
        if !command.is_elsewhere {
            continue;
        }
        let program = look.program(at);
        let parsed = Parsed::of(command.arguments());
        let is_deep = parsed.letter("rR") || parsed.long("--recursive");
        let (words, rule): (Vec<Word>, _) = match program.as_deref() {
            Some("rm" | "grm" | "srm") if is_deep => {
                (parsed.operands.iter().map(|word| (*word).clone()).collect(), &DELETE_OUTSIDE)
            }
            Some("find" | "gfind") if look.raw[at].iter().any(|word| word == "-delete") => {
                (find_folders(command), &DELETE_OUTSIDE)
            }
            Some("chmod" | "chown" | "chgrp") if is_deep => {
                (parsed.operands.iter().skip(1).map(|word| (*word).clone()).collect(), &RIGHTS_OUTSIDE)
            }
            _ => continue,
        };
        let is_filtered = matches!(program.as_deref(), Some("find" | "gfind"))
            && look.raw[at]
                .iter()
                .any(|word| matches!(word.as_str(), "-name" | "-mtime" | "-mmin" | "-iname"));
        let far = far(look, at);
        if !is_filtered && words.iter().any(|word| is_lost(look, command, far, word)) {
            all.push(Finding { rule, verdict: Verdict::Ask, commands: vec![at] });
        }
    }
}

/// `docker run -v /:/host`: whatever runs in there has the whole machine.
fn mounted(look: &Look<'_>, at: usize, all: &mut Vec<Finding>) {
    let is_run = matches!(look.program(at).as_deref(), Some("docker" | "podman" | "nerdctl"))
        && look.raw[at].iter().take(4).any(|word| matches!(word.as_str(), "run" | "create"));
    if is_run && mounts(look, at).iter().any(|(source, _)| source == Path::new("/")) {
        all.push(Finding { rule: &WHOLE_MACHINE, verdict: Verdict::Ask, commands: vec![at] });
    }
}

fn is_lost(look: &Look<'_>, command: &Command, far: Far, word: &Word) -> bool {
    let target = look.place.target(command.folder.as_deref(), word);
    let (Target::Path(path) | Target::AllIn(path) | Target::SomeIn(path)) = &target else { return false };
    let shape = word.shape();
    let name = shape.trim_end_matches(['/', '*']).rsplit('/').next().unwrap_or_default();
    let is_throwaway = !name.is_empty()
        && (THROWAWAY.split_whitespace().any(|known| known == name)
            || name.rsplit_once('.').is_some_and(|(_, end)| end == "log"));
    if is_throwaway || is_temporary(path) {
        return false;
    }
    match far {
        Far::Here => false,
        // Even a name alone is something that is kept there.
        Far::Machine => {
            !matches!(word.parts().first(), Some(Part::Variable { .. } | Part::Output(_) | Part::Given))
        }
        Far::Container(start) => {
            let mounts = mounts(look, start);
            if let Some(host) = behind(&mounts, path) {
                return !matches!(look.place.reach(&Target::Path(host)), Some(Reach::Inside));
            }
            let is_run = look.raw[start].iter().take(4).any(|word| word == "run");
            !is_run && DATA.iter().any(|data| path.starts_with(data))
        }
    }
}
