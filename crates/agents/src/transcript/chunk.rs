//! Cuts a conversation into verbatim pieces that are worth searching: what a person wrote and what the agent
//! answered. What tools gave is left out, since secrets and noise arrive there; of a tool's use there is a
//! line with its name and its file.

use model::Millis;

use super::turn_words::{Queue, words_at_refusal};
use super::{Line, ToolOutcome, What};

/// About 200 tokens, what the embedder reads best.
pub const TARGET_CHUNK_CHARS: usize = 1_000;
/// Text without a place to break is broken here.
pub const MAX_CHUNK_CHARS: usize = 1_600;
/// Pieces of one call. A day of talk is a few hundred; beyond this it is a machine that talks.
pub const MAX_CHUNKS: usize = 10_000;
/// Tools in whose calls the two talk to each other, in the words of the house.
const ASKING: &str = "AskUserQuestion";
const PLANNING: &str = "ExitPlanMode";
/// Words behind a command's name that are more than a switch.
pub const LEAST_ARGUMENTS: usize = 3;
/// A mention names a file, not a tale.
const MAX_MENTION_CHARS: usize = 160;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    pub text: String,
    pub first_line: u64,
    /// The agent's own name of the record it begins in.
    pub record: Option<String>,
    /// Of the pieces that begin in that line the how-manieth, from 0: a long answer is one line and several pieces.
    pub part: u64,
    pub last_line: u64,
    /// When the first of it was said.
    pub at: Option<Millis>,
    pub voice: Voice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    Person,
    Agent,
    Both,
}

/// A turn is a person's message and all that the agent answered; no piece spans two turns, or two agents.
pub fn chunks<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Vec<Chunk> {
    let mut done = Vec::new();
    let mut open: Option<Chunk> = None;
    let mut mentioned = String::new();
    let mut speaker = None;
    // Questions to the person that are not answered yet. A call that is made beside one does not answer it.
    let mut asked: Vec<&str> = Vec::new();
    let mut queue = Queue::default();
    for line in lines {
        if done.len() >= MAX_CHUNKS {
            break;
        }
        if speaker != line.subagent.as_ref().map(|subagent| &subagent.id) {
            speaker = line.subagent.as_ref().map(|subagent| &subagent.id);
            done.extend(open.take());
        }
        match &line.what {
            What::Person { text } => {
                done.extend(open.take());
                mentioned.clear();
                add(&mut done, &mut open, line, Voice::Person, text);
            }
            // What follows the name of a command is said by whoever typed it, and "/model opus" is a switch.
            What::Command { name, arguments } => {
                done.extend(open.take());
                mentioned.clear();
                if arguments.split_whitespace().nth(LEAST_ARGUMENTS - 1).is_some() {
                    add(&mut done, &mut open, line, Voice::Person, &format!("{name} {arguments}"));
                }
            }
            What::ToolResult { outcome: ToolOutcome::Refused, text, .. } => {
                if let Some(words) = words_at_refusal(text) {
                    add(&mut done, &mut open, line, Voice::Person, words);
                }
            }
            What::Agent { text, .. } => add(&mut done, &mut open, line, Voice::Agent, text),
            What::ToolUse { id, name, input, file } => {
                if name == ASKING {
                    asked.push(id);
                }
                if let Some(plan) = input["plan"].as_str().filter(|_| name == PLANNING) {
                    add(&mut done, &mut open, line, Voice::Agent, plan);
                }
                let mention = mention(name, file.as_deref());
                // A tool alone is no conversation, and ten edits of one file are one mention.
                if let Some(chunk) = &mut open
                    && mention != mentioned
                    && chars(&chunk.text) + chars(&mention) < TARGET_CHUNK_CHARS
                {
                    chunk.text.push('\n');
                    chunk.text.push_str(&mention);
                    chunk.last_line = line.number;
                    mentioned = mention;
                }
            }
            What::Queue(queued) => {
                if let Some(words) = queue.hear(queued) {
                    add(&mut done, &mut open, line, Voice::Person, &words);
                }
            }
            // What a person answers to a question is given to the model as a tool's result.
            What::ToolResult { id, outcome: ToolOutcome::Succeeded, text, .. }
                if asked.contains(&id.as_str()) =>
            {
                asked.retain(|open| open != id);
                add(&mut done, &mut open, line, Voice::Person, text);
            }
            What::Machine { .. } | What::Boundary { .. } | What::Start { .. } => {
                done.extend(open.take());
                mentioned.clear();
            }
            _ => {}
        }
    }
    done.extend(open);
    done.truncate(MAX_CHUNKS);
    done
}

fn add(done: &mut Vec<Chunk>, open: &mut Option<Chunk>, line: &Line, voice: Voice, text: &str) {
    for (piece, separator) in pieces(text) {
        if let Some(chunk) = open {
            let separator = if chunk.last_line == line.number { separator } else { "\n\n" };
            if chars(&chunk.text) + separator.len() + chars(piece) <= TARGET_CHUNK_CHARS {
                chunk.text.push_str(separator);
                chunk.text.push_str(piece);
                chunk.last_line = line.number;
                if chunk.voice != voice {
                    chunk.voice = Voice::Both;
                }
                continue;
            }
        }
        if done.len() >= MAX_CHUNKS {
            return;
        }
        done.extend(open.take());
        let number = line.number;
        let part = done.last().filter(|last| last.first_line == number).map_or(0, |last| last.part + 1);
        let text = piece.to_owned();
        let record = line.uuid.clone();
        *open = Some(Chunk { text, first_line: number, record, part, last_line: number, at: line.at, voice });
    }
}

/// Paragraphs, and parts of those that are too long, each with what stood before it.
fn pieces(text: &str) -> impl Iterator<Item = (&str, &'static str)> {
    text.split("\n\n").flat_map(|paragraph| {
        let mut rest = paragraph.trim_matches('\n');
        let mut separator = "\n\n";
        std::iter::from_fn(move || {
            rest = if separator.is_empty() { rest } else { rest.trim_end() };
            if rest.trim().is_empty() {
                return None;
            }
            let (piece, left, next) = cut(rest);
            let found = (piece, separator);
            (rest, separator) = (left, next);
            Some(found)
        })
    })
}

/// The first piece, the rest, and what stood between them. A paragraph within the cap stays whole.
fn cut(text: &str) -> (&str, &str, &'static str) {
    let Some((cap, _)) = text.char_indices().nth(MAX_CHUNK_CHARS) else { return (text, "", "") };
    let target = text.char_indices().nth(TARGET_CHUNK_CHARS).map_or(cap, |(at, _)| at);
    for (mark, separator) in [("\n", "\n"), (". ", " "), (" ", " ")] {
        // Looking back from the target, and not so far that crumbs are made.
        if let Some(at) = text[..target].rfind(mark).filter(|at| *at >= target / 2) {
            let end = at + mark.len() - 1;
            return (&text[..end], &text[end + 1..], separator);
        }
    }
    (&text[..target], &text[target..], "")
}

fn mention(name: &str, file: Option<&str>) -> String {
    let text = match file {
        Some(file) => format!("[{name} {}]", file.replace(['\n', '\r'], " ")),
        None => format!("[{name}]"),
    };
    match text.char_indices().nth(MAX_MENTION_CHARS) {
        Some(_) => format!("[{}]", name.chars().take(MAX_MENTION_CHARS - 2).collect::<String>()),
        None => text,
    }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use model::SessionId;

    use super::*;

    fn line(number: u64, what: What) -> Line {
        Line {
            number,
            at: Some(1000 + number),
            uuid: None,
            parent: None,
            session: SessionId::new("s"),
            prompt_id: None,
            cwd: None,
            branch: None,
            subagent: None,
            what,
        }
    }

    fn person(number: u64, text: &str) -> Line {
        line(number, What::Person { text: text.to_owned() })
    }

    fn agent(number: u64, text: &str) -> Line {
        line(number, What::Agent { text: text.to_owned(), message: None, ends_turn: true })
    }

    fn tool(number: u64, name: &str, file: Option<&str>) -> Line {
        let (id, name, file) = ("t".to_owned(), name.to_owned(), file.map(str::to_owned));
        line(number, What::ToolUse { id, name, input: serde_json::json!({"command": "cat secret"}), file })
    }

    #[test]
    fn a_turn_is_one_piece_and_the_next_turn_another() {
        let lines = [
            person(0, "why is it slow?"),
            agent(1, "Let me look."),
            tool(2, "Read", Some("src/a.rs")),
            tool(3, "Read", Some("src/a.rs")),
            tool(4, "Bash", None),
            agent(9, "The loop is quadratic."),
            person(12, "fix it"),
        ];
        let found = chunks(&lines);
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[0].text,
            "why is it slow?\n\nLet me look.\n[Read src/a.rs]\n[Bash]\n\nThe loop is quadratic."
        );
        assert_eq!((found[0].first_line, found[0].last_line, found[0].at), (0, 9, Some(1000)));
        assert_eq!((found[0].voice, found[1].voice), (Voice::Both, Voice::Person));
        assert_eq!((found[1].text.as_str(), found[1].first_line), ("fix it", 12));
    }

    #[test]
    fn a_long_answer_breaks_between_paragraphs_then_lines_then_words_and_else_anywhere() {
        let paragraphs = vec!["x".repeat(400); 5].join("\n\n");
        let found = chunks(&[agent(0, &paragraphs)]);
        assert_eq!(found.iter().map(|chunk| chunk.text.len()).collect::<Vec<_>>(), [802, 802, 400]);

        let words = "word ".repeat(1000);
        let found = chunks(&[agent(0, &words)]);
        assert!(found.iter().all(|chunk| chunk.text.len() <= TARGET_CHUNK_CHARS));
        assert!(found.iter().all(|chunk| chunk.text.split(' ').all(|word| word == "word")));
        assert_eq!(found.iter().map(|chunk| chunk.text.split(' ').count()).sum::<usize>(), 1000);

        let solid = "ü".repeat(5000);
        let found = chunks(&[agent(0, &solid)]);
        assert_eq!(found.iter().map(|chunk| chunk.text.as_str()).collect::<String>(), solid);
    }

    #[test]
    fn a_paragraph_within_the_cap_stays_whole() {
        let paragraph = "y".repeat(MAX_CHUNK_CHARS);
        assert_eq!(chunks(&[agent(0, &paragraph)])[0].text, paragraph);
    }

    #[test]
    fn the_pieces_of_one_line_are_told_apart() {
        let paragraphs = vec!["x".repeat(900); 3].join("\n\n");
        let found = chunks(&[person(0, "why?"), agent(1, &paragraphs), agent(2, "That is it.")]);
        let places: Vec<(u64, u64)> = found.iter().map(|chunk| (chunk.first_line, chunk.part)).collect();
        assert_eq!(places, [(0, 0), (1, 0), (1, 1)], "{found:?}");
        let found = chunks(&[agent(1, &paragraphs), agent(2, &paragraphs)]);
        let places: Vec<(u64, u64)> = found.iter().map(|chunk| (chunk.first_line, chunk.part)).collect();
        assert_eq!(places, [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]);
    }

    #[test]
    fn words_in_calls_are_words() {
        let call = |number, name: &str, input: serde_json::Value| {
            let (id, name) = ("q".to_owned(), name.to_owned());
            line(number, What::ToolUse { id, name, input, file: None })
        };
        let result = |number, id: &str, outcome, text: &str| {
            let (id, text) = (id.to_owned(), text.to_owned());
            line(number, What::ToolResult { id, outcome, text, structured: None })
        };
        let refusal = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user \
                       said:\nnever on Fridays";
        let (name, arguments) = ("/review".to_owned(), "the parser, please".to_owned());
        let lines = [
            line(0, What::Command { name, arguments }),
            call(1, ASKING, serde_json::json!({})),
            tool(1, "Read", Some("src/beside.rs")),
            result(2, "q", ToolOutcome::Succeeded, "\"How many?\"=\"ten a minute\""),
            call(3, "Bash", serde_json::json!({ "plan": "not one" })),
            result(4, "t", ToolOutcome::Refused, refusal),
            result(5, "q", ToolOutcome::Succeeded, "what a command printed"),
            call(6, PLANNING, serde_json::json!({ "plan": "First the parser." })),
        ];
        let text: String = chunks(&lines).into_iter().map(|chunk| chunk.text).collect();
        for said in ["/review the parser, please", "ten a minute", "never on Fridays", "First the parser."] {
            assert!(text.contains(said), "{said}: {text}");
        }
        assert!(!text.contains("not one") && !text.contains("printed"), "{text}");
    }

    #[test]
    fn a_talkative_machine_is_bounded() {
        let lines: Vec<Line> = (0..MAX_CHUNKS as u64 + 50).map(|number| person(number, "again")).collect();
        assert_eq!(chunks(&lines).len(), MAX_CHUNKS);
        let long = "z".repeat((MAX_CHUNKS + 50) * TARGET_CHUNK_CHARS);
        assert_eq!(chunks(&[agent(0, &long)]).len(), MAX_CHUNKS);
    }
}
