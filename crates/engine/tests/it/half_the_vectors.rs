//! While vectors are being made, automatic recall and search are never worse than with none: a made-up store, a model
//! that is told what it finds near, and every share of the vectors on the way.

use std::sync::Arc;

use embed::{EmbedError, Embedder, Identity};
use engine::search::Legs;
use engine::search::eval::{Document, Order, Partly, Prompt, Question, measure, measure_prompts};
use serde_json::json;

use crate::house::NOW;

/// What is asked, and the memory that answers: with its own words, or with others.
const KNOWN: &[(&str, &str, &str)] = &[
    (
        "why does the stripe webhook signature check fail on the parsed body",
        "Stripe webhook signature check",
        "The signature check fails on the parsed body, keep the raw one.",
    ),
    (
        "the invoice counter of the year skipped a number again",
        "Invoice counter of the year",
        "A number was skipped: the counter is locked while a number is taken.",
    ),
    (
        "did we move the nightly warehouse export to three",
        "Nightly warehouse export",
        "We did move the nightly export of the warehouse to three, backups run at two.",
    ),
    (
        "mail template compile error stops the worker at start",
        "Mail template compile error",
        "A template that does not compile stops the worker at start, as wanted.",
    ),
    (
        "people are logged out whenever a deploy happens",
        "Session keys are made at boot",
        "Cookies become void when processes restart; put them into the vault.",
    ),
    (
        "pictures arrive rotated from phones",
        "Orientation tag is dropped by the resizer",
        "Read EXIF before thumbnails are cut.",
    ),
];
const ASIDE: &[&str] = &[
    "Colors of the dashboard header",
    "Fonts are served locally",
    "Linter rules for imports",
    "Cache headers of assets",
    "Feature flags live in a table",
    "Metrics are scraped twice",
    "Docker image is built by hand",
    "Locale files are sorted",
];
/// Memories that the model finds near to whatever is asked.
const DECOYS: usize = 12;
const DIMS: usize = 32;

/// Every question leans towards the decoys; its own answer is nearer.
struct Told(Identity);

impl Told {
    fn new() -> Self {
        Self(Identity { name: "told".into(), version: "1".into(), weights: "0".into(), dims: DIMS })
    }
}

impl Embedder for Told {
    fn identity(&self) -> &Identity {
        &self.0
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &&str| {
            let mut vector = vec![0.0; DIMS];
            if let Some(at) = KNOWN.iter().position(|(asked, _, _)| text.contains(asked)) {
                (vector[0], vector[1 + at]) = (0.6, 0.8);
            } else if let Some(at) = KNOWN.iter().position(|(_, title, _)| text.contains(title)) {
                vector[1 + at] = 1.0;
            } else if text.contains("decoy") {
                vector[0] = 1.0;
            } else {
                vector[DIMS - 1 - text.len() % 16] = 1.0;
            }
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }
}

/// What is known is older than the decoys, so it gets its vectors last; what is aside is in between.
fn documents() -> Vec<Document> {
    let document = |id: String, title: &str, text: String, ts: u64| -> Document {
        let project = "shop";
        serde_json::from_value(
            json!({ "id": id, "title": title, "text": text, "ts": ts, "project": project, "kind": "note" }),
        )
        .unwrap()
    };
    let known = KNOWN.iter().enumerate();
    let known = known.map(|(at, (_, title, text))| {
        document(format!("k{at}"), title, (*text).to_owned(), 1_000 + at as u64)
    });
    let aside = ASIDE.iter().enumerate();
    let aside = aside.map(|(at, title)| {
        document(format!("a{at}"), title, format!("{title}, as agreed."), 2_000 + at as u64)
    });
    let decoys = (0..DECOYS).map(|at| {
        let text =
            format!("Agreed about decoy {at}: it stays, the number is kept and the check runs at start.");
        document(format!("d{at}"), &format!("Paper decoy {at}"), text, 3_000 + at as u64)
    });
    known.chain(aside).chain(decoys).collect()
}

fn prompts() -> Vec<Prompt> {
    let line = |(at, (asked, _, _)): (usize, &(&str, &str, &str))| {
        let (id, relevant) = (format!("p{at}"), [format!("k{at}")]);
        serde_json::from_value(json!({ "id": id, "prompt": asked, "project": "shop", "relevant": relevant }))
            .unwrap()
    };
    KNOWN.iter().enumerate().map(line).collect()
}

#[test]
fn no_share_of_the_vectors_is_worse_than_none_and_all_are_best() {
    let prompts = prompts();
    let questions: Vec<Question> = prompts
        .iter()
        .map(|prompt| {
            serde_json::from_value(json!({ "query": prompt.prompt, "relevant": prompt.relevant })).unwrap()
        })
        .collect();
    for order in [Order::AsMade, Order::Random] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("partly.db");
        let mut store = Partly::build(&path, &documents(), Arc::new(Told::new()), order).unwrap();
        let mut measured = Vec::new();
        for percent in [100, 90, 75, 50, 25, 10, 0] {
            let search = store.with(percent).unwrap();
            let (said, _) = measure_prompts(&search, &path, &prompts, NOW).unwrap();
            let asked = measure(&search, &questions, Legs::Both, NOW).unwrap();
            measured.push((percent, said.right, said.items - said.right, asked.mrr));
        }
        let (all, none) = (measured[0], *measured.last().unwrap());
        assert!(none.1 > 0, "words alone find some of them: {measured:?}");
        for (percent, right, wrong, mrr) in &measured {
            assert!(*right >= none.1, "fewer right ones at {percent} % ({order:?}): {measured:?}");
            // Vectors find what no word finds, and some of it is wrong; a part of them brings no more of that than all.
            assert!(*wrong <= none.2.max(all.2), "more wrong ones at {percent} % ({order:?}): {measured:?}");
            assert!(*mrr >= none.3 - 1e-6, "search ranks worse at {percent} % ({order:?}): {measured:?}");
        }
        assert!(all.1 > none.1 && all.1 == KNOWN.len(), "all of them with all: {measured:?}");
    }
}
