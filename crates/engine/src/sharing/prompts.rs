//! What a person asked for, taken out of what was made of it. A turn's memories quote the request they answer; prompts
//! never leave, so neither does the quotation, nor a title that is one. By what stands in a memory, so that one of an
//! earlier build leaves no more than one of today.

use model::{Memory, MemoryKind, Summary};

use crate::memory::title_of;

/// How an observation begins that quotes what was asked for.
const ASKED: &str = "Asked: ";
/// How a decision begins that is a sentence of a prompt.
const SAID: &str = "The person said: ";
/// What `extract-learnings` calls a lesson that repeats a decision, whoever's it was.
const DECIDED: &str = "decided";
/// The same as a line of a summary.
const DECIDED_LINE: &str = "Decided: ";

/// A memory without the words of the prompts it rests on. `None`: nothing else is in it.
pub(super) fn without(memory: Memory, prompts: &[String]) -> Option<Memory> {
    match memory.kind {
        MemoryKind::Summary => summary(memory),
        MemoryKind::Learning => (!memory.concepts.iter().any(|concept| concept == DECIDED)).then_some(memory),
        MemoryKind::Decision if memory.text.starts_with(SAID) => None,
        kind if kind.is_observation() && memory.text.starts_with(ASKED) => Some(observation(memory, prompts)),
        _ => Some(memory),
    }
}

/// The narrative behind the request. Where nobody knows any more how long that was, the facts say what happened.
fn observation(mut memory: Memory, prompts: &[String]) -> Memory {
    let behind = prompts.iter().find_map(|prompt| {
        let rest = memory.text.strip_prefix(distill::asked(prompt).as_str())?;
        Some(rest.strip_prefix('.').unwrap_or(rest).trim_start()).filter(|rest| !rest.is_empty())
    });
    // A request names the work where nothing else was said of it. Where the prompt is not known, all of the text may be it.
    let asked =
        prompts.iter().map(|prompt| distill::asked(prompt)).find(|asked| memory.text.starts_with(asked));
    if quotes(&memory.title, asked.as_deref().unwrap_or(&memory.text)) {
        memory.title =
            memory.facts.first().map_or_else(|| memory.kind.name().to_owned(), |fact| title_of(fact));
    }
    memory.text = match behind {
        Some(behind) => behind.to_owned(),
        None if memory.facts.is_empty() => memory.title.clone(),
        None => memory.facts.join("; "),
    };
    memory
}

/// Whether a title is words of a request, up to where it was cut or where its place in the code follows.
fn quotes(title: &str, request: &str) -> bool {
    let (title, request) = (title.to_lowercase(), request.to_lowercase());
    let head = title.split(['…', ':']).next().unwrap_or_default().trim();
    !head.is_empty() && request.contains(head)
}

/// The four answers that are not the request, under the first of them that says what came of it.
fn summary(mut memory: Memory) -> Option<Memory> {
    let told = answers(&memory.text);
    let came = [&told.completed, &told.learned, &told.investigated, &told.next_steps];
    memory.title = title_of(came.into_iter().flatten().next()?);
    memory.text = crate::behaviors::summary_text(&told);
    Some(memory)
}

/// A summary's text as it was put together, read again: what stands before the first answer is what was asked.
fn answers(text: &str) -> Summary {
    let mut told: [Vec<String>; 4] = Default::default();
    let mut at = None;
    for line in text.lines() {
        let (name, first) = line.split_once(':').unwrap_or_default();
        let named = match name {
            "Investigated" => Some(0),
            // Somebody else's tool has a sixth answer.
            "Learned" | "Notes" => Some(1),
            "Completed" => Some(2),
            "Next steps" => Some(3),
            _ => None,
        };
        at = named.or(at);
        let Some(items) = at.map(|at| &mut told[at]) else { continue };
        if named.is_some() {
            items.extend(Some(first.trim().to_owned()).filter(|first| !first.is_empty()));
            continue;
        }
        match (line.strip_prefix("- "), items.last_mut()) {
            (None, Some(last)) => *last = format!("{last}\n{line}"),
            (item, _) => items.push(item.unwrap_or(line).to_owned()),
        }
    }
    let [investigated, mut learned, completed, next_steps] = told;
    // What was decided is a memory of its own, and leaves as that or not at all.
    learned.retain(|item| !item.starts_with(DECIDED_LINE));
    Summary { request: String::new(), investigated, learned, completed, next_steps }
}

#[cfg(test)]
mod tests {
    use model::MemoryId;

    use super::*;

    const PROMPT: &str = "Our biggest client Globex is upset. Henry from sales promised them a refund; please fix \
                          the rounding in the cart";

    fn memory(kind: MemoryKind, title: &str, text: &str) -> Memory {
        Memory::new(MemoryId::from_u64(1), kind, 5, title.into(), text.into())
    }

    fn check(kind: MemoryKind, title: &str, text: &str, left: Option<(&str, &str)>) {
        let mut made = memory(kind, title, text);
        made.facts = vec!["cart.rs: changes total (+1 -1)".into()];
        let told = without(made.clone(), &[PROMPT.to_owned()]);
        assert_eq!(told.as_ref().map(|told| (told.title.as_str(), told.text.as_str())), left, "{text}");
        // The same once more, as whoever takes it in does.
        let again = told.clone().and_then(|told| without(told, &[]));
        assert_eq!(again, told, "{text}");
        // Whether the prompt is known or not, no word of it leaves.
        for told in without(made, &[]).into_iter().chain(told) {
            let whole = serde_json::to_string(&told).unwrap();
            assert!(!whole.contains("Globex") && !whole.contains("Henry"), "{whole}");
        }
    }

    #[test]
    fn a_title_that_is_the_request_stays_here() {
        let text = "Asked: Our biggest client Globex is upset. The total rounds up now.";
        let fact = "cart.rs: changes total (+1 -1)";
        for title in ["Our biggest client Globex is upset", "Our biggest client Globex…: total (cart.rs)"] {
            check(MemoryKind::Change, title, text, Some((fact, fact)));
        }
    }

    #[test]
    fn what_was_asked_is_in_no_memory_that_leaves() {
        use MemoryKind::{Change, Decision, Discovery, Learning, Summary};
        let asked = distill::asked(PROMPT);
        assert!(asked.contains("Globex") && asked.contains("Henry"), "{asked}");
        let change = format!("{asked}. Rounds half up. Changed cart.rs.");
        let left = "Rounds half up. Changed cart.rs.";
        check(Change, "Change total in cart.rs", &change, Some(("Change total in cart.rs", left)));
        check(
            Discovery,
            "It rounds down",
            "Asked: Globex, in another build's words. It rounds down.",
            // Nobody knows which of these words were the request.
            Some(("cart.rs: changes total (+1 -1)", "cart.rs: changes total (+1 -1)")),
        );
        let said = "The person said: Always refund Globex.";
        check(Decision, "Always refund Globex", said, None);
        check(Decision, "Rounds half up", "The agent said: Rounds half up.", {
            Some(("Rounds half up", "The agent said: Rounds half up."))
        });
        let request = format!("Request: {PROMPT}\n");
        check(
            Summary,
            PROMPT,
            &format!(
                "{request}Investigated: Read cart.rs\nLearned:\n- Decided: Always refund Globex\n- It rounds down\n\
                 Completed: Change total in cart.rs"
            ),
            Some((
                "Change total in cart.rs",
                "Learned: It rounds down\nCompleted: Change total in cart.rs\nInvestigated: Read cart.rs",
            )),
        );
        check(Summary, PROMPT, &format!("{request}Learned: Decided: Always refund Globex"), None);
        check(Summary, PROMPT, request.trim(), None);
        // A model has written the text anew, and the title is still the request.
        check(Summary, PROMPT, "Completed: Rounding", Some(("Rounding", "Completed: Rounding")));
        let mut decided = memory(Learning, "Keep to it in cart.rs: Always refund Globex", "Done after it: x");
        decided.concepts = vec!["decided".into()];
        assert_eq!(without(decided, &[]), None);
        let lesson = memory(Learning, "When it rounds, look at cart.rs", "Error: 1 != 2");
        assert_eq!(without(lesson.clone(), &[]), Some(lesson));
        let note = memory(MemoryKind::Note, "Asked: who", "Asked: who deploys");
        assert_eq!(without(note.clone(), &[]), Some(note), "a note is what its person wants to share");
    }
}
