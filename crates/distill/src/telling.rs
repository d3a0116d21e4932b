//! How much a sentence of the agent tells whoever was not there: a cause, a limit, a difference, with the names and numbers
//! it is about. What a file is, how checks ended, a step of a plan and what speaks for an option tell nothing.

use crate::languages::{self, Section, says};
use crate::prose;
use crate::sentences::Sentence;
use crate::text::{letters, names};

/// A sentence worth so much explains something and names what it speaks of.
pub(crate) const EXPLAINS: u32 = 5;
/// The same where nothing was changed, and what was answered is all there is.
pub(crate) const ANSWERS: u32 = 4;
/// Less is no line of a summary of work.
pub(crate) const WORTH_A_LINE: u32 = 3;
/// Less is a remark.
const LEAST_LETTERS: usize = 30;

/// Nothing where a sentence announces, asks, guesses, only says that something is over, or names nothing.
pub(crate) fn telling(sentence: &Sentence) -> u32 {
    let text = sentence.text.as_str();
    let lower = languages::lowered(text);
    if is_howto(sentence, &lower) {
        return EXPLAINS;
    }
    if letters(text) < least_letters(text)
        || text.ends_with(['?', ':', '？', '：'])
        || is_aside(sentence, &lower)
        || is_guess(&lower)
        || says(&lower, Section::Verdict)
        || prose::looks_like_code(text)
        || languages::after(&lower, Section::Announce).is_some()
    {
        return 0;
    }
    let quoted: usize = text.split('`').skip(1).step_by(2).map(str::len).sum();
    let named = (names(text) + foreign_names(text)).min(3) as u32;
    let counts = text.split('`').step_by(2).map(amounts).sum::<usize>().min(2) as u32;
    let points = |section: Section, points: u32| if says(&lower, section) { points } else { 0 };
    let why = points(Section::Cause, 3) + points(Section::Finding, 2);
    // "In total 14 remarks", "I recommend …": what an answer comes to.
    let limit = points(Section::Gotcha, 2) + points(Section::Conclusion, 2) + points(Section::Condition, 1);
    if named + counts == 0 || why + limit == 0 || quoted * 3 > text.len() * 2 {
        return 0;
    }
    // "`a.rs` - reads the file": what stands where is seen by whoever looks there.
    let labels = sentence.bullet && why == 0 && is_label(text);
    (why + limit + named + counts + u32::from(!sentence.bullet)).saturating_sub(if labels { 3 } else { 0 })
}

/// How something is run: a command in ticks, and a word that says to run it.
fn is_howto(sentence: &Sentence, lower: &str) -> bool {
    let commands = || sentence.text.split('`').skip(1).step_by(2);
    let is_command = |code: &str| {
        let mut words = code.split_whitespace();
        let first = words.next().unwrap_or("");
        let plain = first
            .chars()
            .all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || "./-_".contains(char));
        plain
            && !first.is_empty()
            && words.next().is_some()
            && !code.contains(['{', ';', '→'])
            && crate::command::Command::read(code).purpose != crate::command::Purpose::Noise
    };
    let said: String = lower.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let heading = sentence.heading.trim_start_matches(|char: char| !char.is_alphabetic());
    commands().count() < 4
        && letters(&said) >= 12
        && says(&said, Section::Howto)
        && commands().any(is_command)
        && !lower.ends_with(['?', '？'])
        && !says(&said, Section::Verdict)
        && !prose::guesses(lower)
        && languages::after(heading, Section::Aside).is_none()
}

/// Names in Latin letters among other ones, where nothing marks them as code.
fn foreign_names(text: &str) -> usize {
    if text.chars().filter(|char| char.is_alphabetic() && !char.is_ascii()).count() * 3 < text.chars().count()
    {
        return 0;
    }
    let plain =
        text.split('`').step_by(2).flat_map(|part| part.split(|char: char| !char.is_ascii_alphanumeric()));
    plain.filter(|word| word.len() > 2 && word.starts_with(|first: char| first.is_ascii_alphabetic())).count()
}

/// Where no spaces stand between words, a sign says as much as a few letters.
fn least_letters(text: &str) -> usize {
    if text.is_ascii() || text.contains(' ') { LEAST_LETTERS } else { LEAST_LETTERS / 3 }
}

/// Whether a sentence says nothing without the one before it: "This means …", and not "This `limit` is …".
pub(crate) fn points_back(text: &str) -> bool {
    const POINTING: &[&str] = &[
        "this", "that", "it", "these", "those", "they", "which", "это", "этот", "эта", "эти", "он", "она",
        "они", "dies", "das", "diese", "cela", "ceci", "esto", "eso", "isso", "isto", "questo", "ciò",
    ];
    let lower = languages::lowered(prose::without_opening(text));
    let first = lower.split(|char: char| !char.is_alphanumeric()).next().unwrap_or("");
    POINTING.contains(&first) && !lower[first.len()..].trim_start().starts_with('`')
}

/// Said as a maybe. What would follow from something is no maybe: "importing it would create a cycle".
pub(crate) fn is_guess(lower: &str) -> bool {
    const OFFERS: &[&str] = &[
        "be",
        "like",
        "need",
        "help",
        "work",
        "want",
        "suggest",
        "recommend",
        "prefer",
        "have",
        "love",
        "do",
        "also",
    ];
    const WHO: &[&str] = &["it", "i", "you", "we", "this", "that", "which", "what"];
    if !prose::guesses(lower) {
        return false;
    }
    let Some((before, rest)) = lower.split_once(" would ") else { return true };
    let verb = rest.split(|char: char| !char.is_alphanumeric()).next().unwrap_or("");
    let offers = WHO.contains(&before.rsplit(' ').next().unwrap_or("")) || OFFERS.contains(&verb);
    offers || prose::guesses(&format!("{before} {rest}"))
}

/// What speaks for or against an option, a step of a plan, and what stands under a heading of such.
fn is_aside(sentence: &Sentence, lower: &str) -> bool {
    let begins = |text: &str| languages::after(text, Section::Aside).is_some();
    begins(lower)
        || begins(sentence.heading.trim_start_matches(|char: char| !char.is_alphabetic()))
        || sentence.bullet && prose::begins_with_order(lower) && !says(lower, Section::Cause)
}

/// How many numbers say how much of something there is.
fn amounts(text: &str) -> usize {
    let is_amount = |word: &&str| {
        let word = word.trim_matches(|char: char| !char.is_alphanumeric());
        word.starts_with(|first: char| first.is_ascii_digit()) && word.len() < 12
    };
    text.split_whitespace().skip(1).filter(is_amount).count()
}

/// A name in ticks or a path, then what it is.
fn is_label(text: &str) -> bool {
    let end = [" - ", " — ", " – ", " -- ", ": ", " → "].iter().filter_map(|mark| text.find(mark)).min();
    end.is_some_and(|end| {
        let head = &text[..end];
        names(head) > 0 && head.split_whitespace().count() == 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentences::sentences;

    fn worth(text: &str) -> u32 {
        sentences(text).iter().map(telling).max().unwrap_or(0)
    }

    #[test]
    fn an_explanation_is_told_from_a_plan_an_option_and_a_label() {
        for explains in [
            "`flush` is never reached, since `close` returns early when the buffer is empty.",
            "`Lexer` was not reused because importing it would create a cycle with `parser.rs`.",
            "`open_ro` differs from `open`: it only maps the file and takes no lock.",
            "Importing `loader.rs` here would register the plugins twice, unless `PLUGINS_OFF` is set.",
            "`open_ro` nimmt keine Sperre, weil `open` sie schon hält.",
            "Секрет `HOOK_KEY` задан только в staging, поэтому `deploy.py` падает.",
            "`open_ro` 不会加锁，因为 `open` 已经持有锁。",
        ] {
            assert!(worth(explains) >= EXPLAINS, "{explains}: {}", worth(explains));
        }
        for nothing in [
            "- Add `open_ro` to `store.rs` without a lock",
            "- `src/store.rs` - only the reader",
            "## Option 2\n\n- Keeps `open_ro` out of `store.rs`, but needs a second lock because of `close`.",
            "Pros: `open_ro` does not need a lock because `open` holds it.",
            "It would be better to use `open_ro`, since `open` takes a lock.",
            "All tests pass because `open_ro` is fixed.",
            "The code is not bad.",
            "Should `open_ro` take a lock, because `open` does not?",
        ] {
            assert!(worth(nothing) < EXPLAINS, "{nothing}: {}", worth(nothing));
        }
    }

    #[test]
    fn a_count_or_a_recommendation_is_an_answer() {
        for answer in [
            "- Всего 14 замечаний: 3 критических, 5 важных, 6 мелких",
            "- In total 14 remarks: 3 of them block the release",
            "Рекомендация: сначала закрыть замечания в `hook.py`, затем выпускать.",
        ] {
            assert!(worth(answer) >= ANSWERS, "{answer}: {}", worth(answer));
        }
    }

    #[test]
    fn how_something_is_run_is_told() {
        for howto in [
            "Run `just smoke --slow` from `web` before a release.",
            "You can start it with `just serve --port 81`.",
            "Запустить проверку можно командой `just smoke --slow`.",
        ] {
            assert!(worth(howto) >= EXPLAINS, "{howto}: {}", worth(howto));
        }
        for nothing in [
            "Should I run `just smoke --slow`?",
            "- `just smoke --slow` - passed",
            "I ran `just smoke --slow`.",
        ] {
            assert!(worth(nothing) < EXPLAINS, "{nothing}: {}", worth(nothing));
        }
    }

    #[test]
    fn what_points_back_needs_the_sentence_before_it() {
        assert!(points_back("This means that nothing is flushed."));
        assert!(!points_back("This `limit` is never read."));
        assert!(!points_back("So `limit` is only read once."));
    }
}
