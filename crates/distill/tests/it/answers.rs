//! What was answered in words: kept in the agent's words, with the mark of what it had heard, and nothing for nothing.

use model::{MemoryKind, Summary};

use crate::script::{Played, play};

fn summary(played: &Played) -> Option<&Summary> {
    played.turns[0].summary.as_ref()
}

fn learned(prompt: &str, said: &str) -> Vec<String> {
    let played = play(&format!("> {prompt}\n.\n< {said}\n.\n"));
    summary(&played).map(|summary| summary.learned.clone()).unwrap_or_default()
}

#[test]
fn an_answer_in_words_is_what_was_learned() {
    let size = "The maximum upload size is 25 MB; it is set in nginx.conf by client_max_body_size.";
    // What names its place is a discovery, and its title is what was learned.
    assert_eq!(learned("what is the max upload size?", size), [size.trim_end_matches('.')]);
    let cause =
        "The cause was an off-by-one in the flamingo exporter: it skipped the last row of every page.";
    assert_eq!(
        learned("why was the export short?", &format!("Great question! {cause} Want me to fix it?")),
        [cause.trim_end_matches('.')]
    );
    let fenced = "It is read at the start of the gateway.\n```\nlimit = load_the_limit_of(\"upload\")\n```\nLet me know if you need more.";
    assert_eq!(learned("when is the limit read?", fenced), ["It is read at the start of the gateway."]);
}

#[test]
fn an_answer_is_short_however_long_the_message_is() {
    let said = (0..60).map(|n| format!("Shard {n} holds the orders of region {n}.")).collect::<Vec<_>>();
    assert_eq!(learned("where are the orders?", &said.join(" ")), said[..7]);
    // In a long conversation a turn carries less.
    let before = "> and the shards?\n.\n< They are in use.\n.\n".repeat(4);
    let played = play(&format!("{before}> where are the orders?\n.\n< {}\n.\n", said.join(" ")));
    assert_eq!(played.turns[4].summary.as_ref().unwrap().learned, said[..3]);
}

#[test]
fn a_turn_of_which_only_the_request_is_known_has_no_summary() {
    for said in
        ["ok", "Sure!", "Which of the two do you mean?", "I'll do that as soon as you say so.", "", "好的。"]
    {
        let played = play(&format!("> what is the max upload size?\n.\n< {said}\n.\n"));
        assert_eq!(summary(&played), None, "{said}");
        assert!(played.observations().is_empty(), "{said}");
    }
}

#[test]
fn an_order_and_an_answer_are_both_kept() {
    let played = play(
        "> Never push to main. What is the max upload size?\n.\n< The maximum upload size is 25 MB.\n.\n",
    );
    assert_eq!(
        summary(&played).unwrap().learned,
        ["Decided: Never push to main", "The maximum upload size is 25 MB."]
    );
}

#[test]
fn an_answer_after_a_look_is_learned_where_nothing_else_is() {
    let played = play("> what is the limit?\n.\nread nginx.conf\n< The upload limit is 25 MB.\n.\n");
    assert_eq!(summary(&played).unwrap().learned, ["The upload limit is 25 MB."]);
    assert!(played.turns[0].outside.is_empty());
}

#[test]
fn an_answer_beside_a_page_carries_the_mark_of_the_page() {
    let played = play(
        "> what is the limit?\n.\nweb https://docs.example/limits\nUploads are refused.\n.\n< The upload limit of the vendor is 25 MB.\n.\n",
    );
    assert_eq!(summary(&played).unwrap().learned, ["The upload limit of the vendor is 25 MB."]);
    assert_eq!(played.turns[0].outside, [format!("{}web", distill::MARK)]);
}

#[test]
fn an_explanation_is_kept_where_nothing_was_called_and_names_work_nobody_spoke_of() {
    let said = "`open_ro` differs from `open`: it takes no lock.\n\n\
                ## Option 2\n\n- Keeps `open_ro`, but `close` must not flush because of `LOCKS`.\n\n\
                ## Files changed\n\n- `src/store.rs` - only the reader";
    for work in ["", "edit src/other.rs\n@ 3\n fn a() {\n-    b()\n+    c()\n.\n"] {
        let played = play(&format!("> how do open and open_ro differ?\n.\n{work}< {said}\n.\n"));
        let found = played.observations();
        assert_eq!(found.len(), 1, "{found:#?}");
        let kind = if work.is_empty() { MemoryKind::Discovery } else { MemoryKind::Change };
        assert_eq!(found[0].kind, kind);
        assert_eq!(found[0].title, "`open_ro` differs from `open`: it takes no lock");
        let told = format!("{:?}", found[0]);
        assert!(!told.contains("LOCKS") && !told.contains("only the reader"), "{told}");
    }
}

#[test]
fn a_choice_at_the_end_and_what_is_left_for_later_are_next_steps() {
    let said = "The cache in `pages.rs` never expires. Evicting old pages is out of scope of this change. \
                Should pages expire after an hour, or when the index is rebuilt?";
    let played = play(&format!("> why is it stale?\n.\nread src/pages.rs\n< {said}\n.\n"));
    let next = &summary(&played).unwrap().next_steps;
    assert_eq!(
        next[..],
        [
            "Evicting old pages is out of scope of this change.",
            "Left to the person: Should pages expire after an hour, or when the index is rebuilt?",
        ]
    );
    let any = "The cache in `pages.rs` never expires. Does this make sense, or is something missing?";
    let played = play(&format!("> why is it stale?\n.\nread src/pages.rs\n< {any}\n.\n"));
    assert!(summary(&played).unwrap().next_steps.is_empty());
}
