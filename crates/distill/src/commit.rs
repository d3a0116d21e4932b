//! What a commit or a pull request says of itself: its subject, and why, as its message tells it. Read from the command
//! that made it and from what that printed; trailers, checklists and who generated it are left out.

use crate::command::{Command, Purpose};
use crate::languages::{Section, says};
use crate::prose;
use crate::sentences::{Sentence, sentences};
use crate::step::Commit;
use crate::text::{lines, one_line};

const MAX_SUBJECT_BYTES: usize = 140;
/// What is kept of a message behind its subject: the sentences that say why first.
const MAX_SENTENCES: usize = 4;
const MAX_SENTENCE_BYTES: usize = 240;
/// What is read of a command.
const MAX_COMMAND_BYTES: usize = 32 * 1024;

/// `None`: the command makes neither.
pub(crate) fn read(command: &Command, text: &str, output: &str) -> Option<Commit> {
    let text = &text[..text.floor_char_boundary(MAX_COMMAND_BYTES)];
    if command.purpose == Purpose::Commit {
        return commit(text, output);
    }
    let creates = ["gh pr create", "glab mr create", "gh issue create", "glab issue create"]
        .iter()
        .any(|start| command.family.starts_with(start));
    if creates { pull_request(text, output) } else { None }
}

/// `[main 1a2b3c4] subject`, else the subject of the command itself or of the log printed after it.
fn commit(command: &str, output: &str) -> Option<Commit> {
    let from = command.find("git commit").or_else(|| command.find("commit"))?;
    let message = message(&command[from..]);
    let body = message.as_ref().map(|(_, body)| why(body)).unwrap_or_default();
    let subject = message.map(|(subject, _)| subject);
    for line in lines(output) {
        if let Some((head, subject)) = line.trim().strip_prefix('[').and_then(|rest| rest.split_once("] "))
            && let Some(hash) = head.rsplit(' ').next().filter(|hash| is_hash(hash))
        {
            let subject = one_line(subject, MAX_SUBJECT_BYTES);
            return Some(Commit { hash: Some(hash.to_owned()), subject, body });
        }
    }
    let logs = command[from..].contains("git log");
    match logs.then(|| logged(output)).flatten() {
        // A log of something else names another commit.
        Some((hash, logged)) if subject.as_ref().is_none_or(|subject| *subject == logged) => {
            Some(Commit { hash: Some(hash), subject: logged, body })
        }
        _ => subject.map(|subject| Commit { hash: None, subject, body }),
    }
}

/// The number is at the end of the address that was printed.
fn pull_request(command: &str, output: &str) -> Option<Commit> {
    let subject =
        option(command, &["--title", "-t"]).next().map(|title| one_line(title, MAX_SUBJECT_BYTES))?;
    let body = option(command, &["--body", "-b", "--description", "-d"]).next().map(why).unwrap_or_default();
    let number = lines(output).find_map(|line| {
        let (address, number) = line.trim().rsplit_once('/')?;
        let request = ["/pull", "/merge_requests", "/issues"].iter().any(|kind| address.ends_with(kind));
        let digits =
            !number.is_empty() && number.len() <= 9 && number.bytes().all(|byte| byte.is_ascii_digit());
        (request && digits).then(|| format!("#{number}"))
    });
    (!subject.is_empty()).then_some(Commit { hash: number, subject, body })
}

fn is_hash(word: &str) -> bool {
    (7..=40).contains(&word.len()) && word.chars().all(|char| char.is_ascii_hexdigit())
}

/// The newest of `git log --oneline`: `1a2b3c4 (HEAD -> main) subject`.
fn logged(output: &str) -> Option<(String, String)> {
    lines(output).find_map(|line| {
        let (hash, rest) = line.trim().split_once(' ').filter(|(hash, _)| is_hash(hash))?;
        let subject = match rest.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
            Some((names, subject)) if names.contains("HEAD") => subject,
            _ => rest,
        };
        Some((hash.to_owned(), one_line(subject, MAX_SUBJECT_BYTES)))
    })
}

/// The subject and what stands behind it: of `-m`, `-am`, `--message`, several of them, or `-F -` with a document.
fn message(command: &str) -> Option<(String, String)> {
    let mut parts: Vec<&str> = option(command, &["-m", "--message"]).collect();
    if parts.is_empty() && [" -F -", " -F-", "--file=-", "--file -"].iter().any(|from| command.contains(from))
    {
        parts.extend(document(command));
    }
    let (first, others) = parts.split_first()?;
    let (subject, rest) = first.trim().split_once('\n').unwrap_or((first.trim(), ""));
    let subject = one_line(subject, MAX_SUBJECT_BYTES);
    let mut body = rest.to_owned();
    for other in others {
        body.push_str("\n\n");
        body.push_str(other);
    }
    (!subject.is_empty()).then_some((subject, body))
}

/// The values of an option, in order: quoted, or a document in `"$(cat <<'EOF' … EOF)"`. Short ones may be joined: `-am`.
fn option<'a>(command: &'a str, names: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let named = |word: &str| {
        names.iter().any(|name| {
            let joined = name.len() == 2
                && name.ends_with('m')
                && word.strip_prefix('-').and_then(|rest| rest.strip_suffix('m')).is_some_and(|rest| {
                    rest.len() < 6 && rest.chars().all(|char| char.is_ascii_alphabetic())
                });
            word == *name || joined
        })
    };
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(at) = command[from..].find(" -").map(|at| from + at + 1) {
            let word = &command[at..];
            let end = word.find(|char: char| char == '=' || char.is_whitespace()).unwrap_or(word.len());
            from = at + end;
            if named(&word[..end]) {
                let start = (at + end + 1).min(command.len());
                let (value, length) = value(&command[command.ceil_char_boundary(start)..])?;
                from = (start + length).min(command.len());
                return Some(value);
            }
        }
        None
    })
}

/// A quoted value and how many bytes of the command it takes.
fn value(rest: &str) -> Option<(&str, usize)> {
    let trimmed = rest.trim_start();
    let skipped = rest.len() - trimmed.len();
    if trimmed.starts_with("\"$(cat") {
        let text = document(trimmed)?;
        let end = (text.as_ptr() as usize - rest.as_ptr() as usize) + text.len();
        return Some((text, end));
    }
    let quote = trimmed.chars().next().filter(|char| matches!(char, '\'' | '"'))?;
    let inside = &trimmed[1..];
    let mut escaped = false;
    for (at, char) in inside.char_indices() {
        if char == quote && !escaped {
            return Some((&inside[..at], skipped + at + 2));
        }
        escaped = char == '\\' && !escaped && quote == '"';
    }
    None
}

/// What stands between `<<'EOF'` and its end.
fn document(text: &str) -> Option<&str> {
    let mark = text.split_once("<<")?.1.trim_start_matches('-').trim_start();
    let name = mark.trim_start_matches(['\'', '"', '\\']);
    let length = name.find(|char: char| !char.is_alphanumeric() && char != '_')?;
    let (name, rest) = (&name[..length], &name[length..]);
    if name.is_empty() {
        return None;
    }
    let start = rest.find('\n')? + 1;
    let text = &rest[start..];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().trim_end_matches([')', '"']) == name {
            return Some(text[..at].trim_matches('\n'));
        }
        at += line.len();
    }
    Some(text)
}

/// The sentences of a message that say why first, in their order.
fn why(body: &str) -> Vec<String> {
    let plain: Vec<&str> = body.lines().filter(|line| !is_trailer(line)).collect();
    let all = sentences(&plain.join("\n"));
    let plans = |sentence: &Sentence| {
        ["test plan", "checklist", "how to test", "testing"]
            .iter()
            .any(|plan| sentence.heading.starts_with(plan))
    };
    let mut ranked: Vec<(u8, usize, &Sentence)> = all
        .iter()
        .enumerate()
        .filter(|(_, sentence)| sentence.text.len() > 20 && !sentence.text.ends_with(':') && !plans(sentence))
        .map(|(at, sentence)| {
            let tells = prose::states_cause(&sentence.text) || says(&sentence.text, Section::Finding);
            (u8::from(!tells) + u8::from(sentence.bullet), at, sentence)
        })
        .collect();
    ranked.sort_by_key(|(rank, at, _)| (*rank, *at));
    ranked.truncate(MAX_SENTENCES);
    ranked.sort_by_key(|(_, at, _)| *at);
    ranked.into_iter().map(|(_, _, sentence)| one_line(&sentence.text, MAX_SENTENCE_BYTES)).collect()
}

/// `Co-Authored-By: …`, `Entire-Checkpoint: …`, `🤖 Generated with …`, `- [ ] …`.
fn is_trailer(line: &str) -> bool {
    let line = line.trim();
    let lower = line.to_lowercase();
    let key = line.split_once(": ").map(|(key, _)| key).filter(|key| key.contains('-') && !key.contains(' '));
    let trailer = key.is_some_and(|key| key.chars().all(|char| char.is_alphanumeric() || char == '-'));
    trailer
        || ["- [ ]", "- [x]", "* [ ]", "* [x]", "🤖"].iter().any(|mark| lower.starts_with(mark))
        || lower.contains("generated with")
        || lower.contains("generated by")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(command: &str, output: &str) -> Commit {
        read(&Command::read(command), command, output).expect("it makes one")
    }

    #[test]
    fn a_message_keeps_why_and_loses_its_trailers() {
        let body = "The lease was never renewed because the timer was dropped.\n\n- Add a timer to the lease\n- [ ] ask for review\n\n🤖 Generated with a tool\n\nCo-Authored-By: Somebody <s@example.org>\n";
        let kept = ["The lease was never renewed because the timer was dropped.", "Add a timer to the lease"];
        for command in [
            format!("git add -A && git commit -m \"$(cat <<'EOF'\nfix: renew the lease\n\n{body}EOF\n)\""),
            format!("git commit -F - <<'END'\nfix: renew the lease\n\n{body}END"),
            format!("git commit -am 'fix: renew the lease' -m '{body}'"),
            format!("git commit -m \"fix: renew the lease\n\n{body}\" && git push"),
        ] {
            let commit = made(&command, "[main 1a2b3c4] fix: renew the lease\n 1 file changed");
            assert_eq!(commit.hash.as_deref(), Some("1a2b3c4"), "{command}");
            assert_eq!(commit.subject, "fix: renew the lease", "{command}");
            assert_eq!(commit.body, kept, "{command}");
            assert_eq!(made(&command, "").subject, "fix: renew the lease", "{command}");
        }
    }

    #[test]
    fn a_pull_request_has_its_number_title_and_why() {
        let command = "gh pr create --title \"Renew leases\" --body \"$(cat <<'EOF'\n## Summary\nLeases ran out because nobody renewed them.\n\n## Test plan\n- [x] run it\n- Run all of the tests once more\nEOF\n)\"";
        let made = made(command, "https://forge.example/o/r/pull/180\n");
        assert_eq!(made.hash.as_deref(), Some("#180"));
        assert_eq!(made.subject, "Renew leases");
        assert_eq!(made.body, ["Leases ran out because nobody renewed them."]);
    }

    #[test]
    fn half_of_a_command_is_no_trouble() {
        for command in [
            "git commit -m \"",
            "git commit -m",
            "git commit -F - <<",
            "git commit -m \"$(cat <<'EOF'",
            "git commit -m é",
        ] {
            read(&Command::read(command), command, "");
        }
    }
}
