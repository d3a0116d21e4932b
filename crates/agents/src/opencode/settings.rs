//! The one file that names us: a plugin that is wholly ours, which OpenCode finds by where it is. The plugin also adds
//! our MCP server to the configuration as it is loaded, so that a person's `opencode.json`, with its comments, is left
//! alone.

use serde_json::Value;

use super::powers::REGISTERED;
use crate::{Edit, Holds, Installed, Location, Ours, Program, Scope, SettingsError, SettingsFile};

const SHIM: &str = include_str!("shim.js");
/// The lines of the shim that say what is started.
const HOOK: &str = "const HOOK = ";
const SERVER: &str = "const SERVER = ";

/// `plugin/throughline.js` in OpenCode's folder, or in a project's `.opencode`.
pub(super) struct Shim;

impl SettingsFile for Shim {
    fn holds(&self) -> Holds {
        Holds::Both
    }

    fn path(&self, scope: Scope, _: bool) -> Option<Location> {
        match scope {
            Scope::User => Some(Location::AgentHome("plugin/throughline.js")),
            Scope::Project => Some(Location::Project(".opencode/plugin/throughline.js")),
            Scope::Local => None,
        }
    }

    fn add(&self, text: Option<&str>, ours: &Ours) -> Result<Edit, SettingsError> {
        if let Some(text) = text
            && !text.trim().is_empty()
            && hook_in(text).is_none()
        {
            return Err(SettingsError::WrongShape {
                line: 1,
                column: 1,
                place: "the file".to_owned(),
                found: "somebody else's plugin",
                expected: "ours, or none",
            });
        }
        let after = whole(&ours.hook, ours.server.as_ref());
        let summary = match text {
            Some(text) if text == after => Vec::new(),
            Some(_) => vec!["update the plugin".to_owned()],
            None => vec!["add the plugin".to_owned()],
        };
        Ok(Edit { before: text.map(str::to_owned), after, summary })
    }

    fn remove(&self, text: &str) -> Result<Edit, SettingsError> {
        let ours = hook_in(text).is_some();
        Ok(Edit {
            before: Some(text.to_owned()),
            after: if ours { String::new() } else { text.to_owned() },
            summary: ours.then(|| "remove the plugin".to_owned()).into_iter().collect(),
        })
    }

    fn installed(&self, text: &str) -> Result<Installed, SettingsError> {
        let Some(hook) = hook_in(text) else {
            return Ok(Installed { missing: REGISTERED.to_vec(), ..Installed::default() });
        };
        let server = program_in(text, SERVER);
        Ok(Installed {
            present: REGISTERED.to_vec(),
            stale: whole(&hook, server.as_ref()) != text,
            programs: [Some(hook), server].into_iter().flatten().map(|program| program.program).collect(),
            ..Installed::default()
        })
    }
}

/// The file as we write it.
fn whole(hook: &Program, server: Option<&Program>) -> String {
    let mut text = String::with_capacity(SHIM.len() + 256);
    for line in SHIM.lines() {
        if line.starts_with(HOOK) {
            text.extend([HOOK, &words(Some(hook))]);
        } else if line.starts_with(SERVER) {
            text.extend([SERVER, &words(server)]);
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}

/// JSON is JavaScript.
fn words(program: Option<&Program>) -> String {
    let Some(Program { program, args }) = program else { return Value::Null.to_string() };
    let words = std::iter::once(program.as_str()).chain(args.iter().map(String::as_str));
    words.collect::<Value>().to_string()
}

/// What the shim starts. `None`: it is not ours.
fn hook_in(text: &str) -> Option<Program> {
    program_in(text, HOOK).filter(Program::is_hook)
}

fn program_in(text: &str, opening: &str) -> Option<Program> {
    let line = text.lines().find_map(|line| line.strip_prefix(opening))?;
    let mut words = serde_json::from_str::<Vec<String>>(line.trim_end_matches(';')).ok()?.into_iter();
    Some(Program { program: words.next()?, args: words.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shim_has_one_line_for_each_program() {
        for opening in [HOOK, SERVER] {
            assert_eq!(SHIM.lines().filter(|line| line.starts_with(opening)).count(), 1, "{opening}");
        }
        assert!(hook_in(SHIM).is_some());
    }
}
