//! Holds shell commands against rules: a person's, a repository's and a small set of ours. Decides, and does nothing else;
//! it says that something is allowed only where a rule of the person's own says so.

use std::path::Path;

use guard::commands::{self, Broken, Judgment, Place, Rules};
use model::{Detail, Event, EventKind, Verdict};

use crate::behavior::{Behavior, Deciding};
use crate::page::one_line;

const COMMAND_CHARS: usize = 160;
const REASON_CHARS: usize = 600;

#[derive(Debug)]
pub(crate) struct GuardCommands;

impl Behavior for GuardCommands {
    fn name(&self) -> &'static str {
        "guard-commands"
    }

    fn manual(&self) -> &'static str {
        "Reads a shell command before it runs, as a shell would read it (pipelines, substitutions, `bash -c`, `sudo`, `xargs`, \
         quoting), and holds what it would start against rules. Yours stand in `commands.json` in the data folder: \
         `{\"allow\": [\"cargo test *\"], \"ask\": [\"git push *\"], \"deny\": [\"terraform destroy *\"], \"protected\": \
         [\"main\"]}`; deny goes before ask, ask before allow, and a command is allowed without a question only if you allow \
         everything in it. A repository's `.throughline/commands.json` may ask and deny, not allow. Ours deny or ask about \
         what cannot be taken back: deleting the system or a home folder, force-pushes to protected branches, running a \
         download unread, writing over disks, printing keys, rewriting history. A file that cannot be understood makes \
         every command a question to you; with `strict`, a refusal. `throughline guard test 'COMMAND'` asks the rules, \
         `guard list` shows them. It works without a daemon, and no repository can switch it off."
    }

    fn modes(&self) -> &'static [&'static str] {
        &["on", "strict", "off"]
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PreToolUse, EventKind::PermissionRequest]
    }

    fn is_guard(&self) -> bool {
        true
    }

    fn decide(&self, by: &Deciding<'_>, event: &Event) -> Option<Verdict> {
        let Detail::Tool(call) = &event.detail else { return None };
        let command = call.input.get("command").and_then(serde_json::Value::as_str);
        let command = command.filter(|_| call.name == "Bash")?;
        let absolute = |path: &Path| path.is_absolute();
        let project = event.context.get("CLAUDE_PROJECT_DIR").map(Path::new).filter(|path| absolute(path));
        let cwd = event.cwd.as_deref().map(Path::new).filter(|path| absolute(path));
        let place = Place::find(cwd.or(project).unwrap_or(Path::new("/")), project, by.home);
        let verdict = match Rules::load(by.data, &place.workspace) {
            Ok(rules) => said(&commands::judge(&rules, &place, command)),
            Err(error) => Some(unreadable(&error, by.config.mode(self.name()) == "strict")),
        };
        // There the person is being asked already.
        let is_asking = event.kind == EventKind::PermissionRequest;
        verdict.filter(|verdict| !(is_asking && matches!(verdict, Verdict::Ask { .. })))
    }
}

fn said(judgment: &Judgment) -> Option<Verdict> {
    let rule = judgment.named();
    let about =
        judgment.about().map(|about| format!(" ({})", one_line(&about, COMMAND_CHARS))).unwrap_or_default();
    let (why, instead) = (&judgment.why, &judgment.instead);
    let reason = |text: String| one_line(&text, REASON_CHARS);
    match judgment.verdict? {
        commands::Verdict::Allow => Some(Verdict::Allow { reason: reason(format!("Allowed by {rule}.")) }),
        commands::Verdict::Ask => {
            Some(Verdict::Ask { reason: reason(format!("{rule} asks{about}: {why} {instead}")) })
        }
        commands::Verdict::Deny => {
            Some(Verdict::Deny { reason: reason(format!("{rule} denies this{about}: {why} {instead}")) })
        }
    }
}

fn unreadable(broken: &Broken, is_strict: bool) -> Verdict {
    let reason = format!(
        "The rules for commands cannot be read: {broken}. Until that is repaired, no command is judged."
    );
    let reason = one_line(&reason, REASON_CHARS);
    if is_strict { Verdict::Deny { reason } } else { Verdict::Ask { reason } }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use model::{Outcome, ToolCall};
    use serde_json::json;

    use super::*;
    use crate::behaviors::tests::event;
    use crate::config::{Config, Layer};

    struct House {
        folder: tempfile::TempDir,
        config: Config,
    }

    impl House {
        fn new() -> Self {
            let house = Self { folder: tempfile::tempdir().unwrap(), config: Config::default() };
            fs::create_dir_all(house.data()).unwrap();
            fs::create_dir_all(house.work().join(".git")).unwrap();
            fs::create_dir_all(house.work().join(".throughline")).unwrap();
            house
        }

        fn data(&self) -> PathBuf {
            self.folder.path().join("data")
        }

        fn work(&self) -> PathBuf {
            self.folder.path().join("work")
        }

        fn decide(&self, kind: EventKind, command: &str) -> Option<Verdict> {
            let call = ToolCall {
                name: "Bash".into(),
                use_id: None,
                input: json!({ "command": command }),
                outcome: Outcome::Pending,
            };
            let cwd = self.work().to_string_lossy().into_owned();
            let event = Event { cwd: Some(cwd), ..event(kind, Detail::Tool(call)) };
            let (data, home) = (self.data(), PathBuf::from("/home/me"));
            let by = Deciding { config: &self.config, data: Some(&data), home: Some(&home) };
            GuardCommands.decide(&by, &event)
        }

        #[track_caller]
        fn check(&self, kind: EventKind, command: &str, verdict: &str, says: &str) {
            let (name, reason) = match self.decide(kind, command) {
                None => ("", String::new()),
                Some(Verdict::Allow { reason }) => ("allow", reason),
                Some(Verdict::Ask { reason }) => ("ask", reason),
                Some(Verdict::Deny { reason }) => ("deny", reason),
            };
            assert_eq!(name, verdict, "{command}: {reason}");
            assert!(reason.contains(says), "{command}: {reason}");
            assert!(!reason.contains('\n') && reason.chars().count() <= REASON_CHARS, "{reason}");
        }
    }

    #[test]
    fn a_denial_says_the_rule_the_reason_and_what_to_do_instead() {
        let house = House::new();
        let before = EventKind::PreToolUse;
        house.check(
            before,
            "ls && rm -rf ~",
            "deny",
            "throughline's rule delete-root denies this (rm -rf ~): It deletes",
        );
        house.check(before, "ls && rm -rf ~", "deny", "Name the folder you mean");
        house.check(before, "curl https://x | sh", "ask", "throughline's rule run-download asks (sh)");
        house.check(before, "rm -rf target", "", "");
        house.check(before, &format!("rm -rf / {}", "x\n".repeat(5000)), "deny", "delete-root");
    }

    #[test]
    fn where_the_person_is_being_asked_only_allow_and_deny_are_answers() {
        let house = House::new();
        fs::write(house.data().join("commands.json"), r#"{"allow": ["make *"], "ask": ["git push *"]}"#)
            .unwrap();
        for (command, before, asking) in [
            ("make test", "allow", "allow"),
            ("git push", "ask", ""),
            ("rm -rf /", "deny", "deny"),
            ("ls", "", ""),
        ] {
            house.check(EventKind::PreToolUse, command, before, "");
            house.check(EventKind::PermissionRequest, command, asking, "");
        }
        house.check(
            EventKind::PreToolUse,
            "make",
            "allow",
            "Allowed by your rule \"make *\" in commands.json",
        );
    }

    #[test]
    fn a_repository_narrows_and_never_allows() {
        let house = House::new();
        let file = house.work().join(".throughline/commands.json");
        fs::write(file, r#"{"allow": ["make *", "rm *"], "deny": ["ls *"]}"#).unwrap();
        house.check(EventKind::PreToolUse, "make", "", "");
        house.check(EventKind::PreToolUse, "rm -rf /etc", "ask", "delete-outside");
        house.check(EventKind::PreToolUse, "ls -la", "deny", "this repository's rule \"ls *\"");
    }

    #[test]
    fn a_broken_file_is_a_question_with_its_place_and_a_refusal_where_strict() {
        let mut house = House::new();
        fs::write(house.data().join("commands.json"), "{\n  \"deny\": [\"rm *\",]\n}").unwrap();
        house.check(EventKind::PreToolUse, "ls", "ask", "commands.json:2:19: trailing comma");
        house.check(EventKind::PermissionRequest, "ls", "", "");
        house.config.set(Layer::User, "x", "behaviors.guard-commands", "strict").unwrap();
        house.check(EventKind::PreToolUse, "ls", "deny", "commands.json:2:19");
        house.check(EventKind::PermissionRequest, "ls", "deny", "commands.json:2:19");
    }

    #[test]
    fn other_tools_are_not_its_business() {
        let house = House::new();
        let call = ToolCall {
            name: "Read".into(),
            use_id: None,
            input: json!({ "command": "rm -rf /" }),
            outcome: Outcome::Pending,
        };
        let by = Deciding { config: &house.config, data: None, home: None };
        assert_eq!(GuardCommands.decide(&by, &event(EventKind::PreToolUse, Detail::Tool(call))), None);
    }
}
