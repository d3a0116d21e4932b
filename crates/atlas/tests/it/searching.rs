//! One question finds definitions by name, by text and by meaning, and says which.

use std::io::Read as _;

use atlas::answer::Found;
use atlas::{Answer, Atlas, Question};

use crate::workspace::Workspace;

const FILES: &[(&str, &str)] = &[
    (
        "net/client.py",
        "\"\"\"Talks to servers.\"\"\"\nimport time\n\nclass Client:\n    def send_request(self, url):\n        \"\"\"Sends a request and waits for the answer.\"\"\"\n        raise IOError('connection refused by peer')\n\n    def close(self):\n        self.socket.close()\n\ndef retry_with_backoff(work, times):\n    \"\"\"Tries again after a longer and longer pause.\"\"\"\n    for at in range(times):\n        time.sleep(2 ** at)\n",
    ),
    (
        "store/cache.rs",
        "/// Keeps what was read before.\npub struct LruCache { entries: Vec<u8> }\n\nimpl LruCache {\n    /// Forgets the entry that was used longest ago.\n    pub fn evict_oldest(&mut self) {}\n    pub fn close(&mut self) {}\n}\n\npub fn parse_config(text: &str) -> u32 { text.len() as u32 }\n",
    ),
    (
        "web/app.ts",
        "export class Session {\n  /** Writes a cookie that names the user. */\n  setCookie(name: string) { return name }\n}\nexport const renderTemplate = (path: string) => path\n",
    ),
    ("tests/test_client.py", "def test_send_request():\n    Client().send_request('x')\n"),
];

fn search(atlas: &mut Atlas, query: &str) -> Vec<Found> {
    search_under(atlas, query, None)
}

fn search_under(atlas: &mut Atlas, query: &str, under: Option<&str>) -> Vec<Found> {
    let under = under.map(str::to_owned);
    match atlas.answer(&Question::Search { query: query.to_owned(), under, limit: Some(10) }).unwrap() {
        Answer::Search { hits } => hits,
        other => panic!("{other:?}"),
    }
}

fn first(atlas: &mut Atlas, query: &str) -> (String, String) {
    let hits = search(atlas, query);
    let hit = hits.first().unwrap_or_else(|| panic!("nothing for {query}"));
    (hit.item.name.clone(), hit.why.clone())
}

#[test]
fn a_name_is_found_however_it_is_typed() {
    let workspace = Workspace::new(FILES);
    let mut atlas = workspace.atlas();
    for query in [
        "evict_oldest",
        "Evict_Oldest",
        "fn evict_oldest(",
        "LruCache.evict_oldest",
        "LruCache::evict_oldest",
        "evict oldest",
    ] {
        let (name, why) = first(&mut atlas, query);
        assert!(name.ends_with("evict_oldest") && why == "name", "{query}: {name} by {why}");
    }
    assert_eq!(first(&mut atlas, "struct LruCache").0, "LruCache");
    assert_eq!(first(&mut atlas, "class Client").0, "Client");
    assert_eq!(first(&mut atlas, "kind:method setcook").0, "Session.setCookie");
    assert_eq!(first(&mut atlas, "set cookie").0, "Session.setCookie");
    let closes: Vec<String> =
        search(&mut atlas, "LruCache.close").into_iter().map(|hit| hit.item.file).collect();
    assert_eq!(closes[0], "store/cache.rs");
}

#[test]
fn a_text_is_found_where_it_is_written() {
    let workspace = Workspace::new(FILES);
    let mut atlas = workspace.atlas();
    for query in ["connection refused by peer", "\"connection refused\"", "'Connection refused'"] {
        let hits = search(&mut atlas, query);
        if query.contains("Conn") {
            assert!(hits.is_empty(), "capitals are meant: {hits:?}");
            continue;
        }
        assert_eq!(
            (hits[0].item.name.as_str(), hits[0].why.as_str()),
            ("Client.send_request", "text"),
            "{query}"
        );
        assert_eq!(hits[0].text.as_deref(), Some("7: raise IOError('connection refused by peer')"));
    }
    // In no definition.
    let hits = search(&mut atlas, "\"import time\"");
    assert_eq!((hits[0].item.file.as_str(), hits[0].item.line), ("net/client.py", 2));
}

#[test]
fn a_description_finds_what_it_describes() {
    let workspace = Workspace::new(FILES);
    let mut atlas = workspace.atlas();
    for (query, name) in [
        ("wait longer after each failure and try again", "retry_with_backoff"),
        ("remove the least recently used entry", "LruCache.evict_oldest"),
        ("parse settings of the configuration", "parse_config"),
        ("produce html from a template file", "renderTemplate"),
    ] {
        let hits = search(&mut atlas, query);
        let place = hits.iter().position(|hit| hit.item.name == name);
        assert!(
            place.is_some_and(|place| place < 2),
            "{query}: {:?}",
            hits.iter().map(|hit| &hit.item.name).collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_folder_narrows_and_an_edit_is_found_at_once() {
    let workspace = Workspace::new(FILES);
    let mut atlas = workspace.shelved();
    let files = |hits: Vec<Found>| hits.into_iter().map(|hit| hit.item.file).collect::<Vec<_>>();
    assert!(
        files(search_under(&mut atlas, "close", Some("store"))).iter().all(|file| file == "store/cache.rs")
    );
    assert!(files(search_under(&mut atlas, "close", Some("sto"))).is_empty());
    workspace.write("store/cache.rs", "/// Paints the screen in one color.\npub fn fill_screen() {}\n");
    assert_eq!(first(&mut atlas, "paint the whole screen").0, "fill_screen");
    assert!(search(&mut atlas, "evict_oldest").iter().all(|hit| hit.why != "name"));
    workspace.remove("store/cache.rs");
    assert!(search(&mut atlas, "fill_screen").iter().all(|hit| hit.item.name != "fill_screen"));
    // What definitions are about is kept, too.
    drop(atlas);
    assert_eq!(first(&mut workspace.shelved(), "try again after a pause").0, "retry_with_backoff");
}

#[test]
fn strange_queries_are_answered() {
    let workspace = Workspace::new(FILES);
    let mut atlas = workspace.atlas();
    for query in
        ["(", "::", "a", "\"", "kind:", "kind:class", "→ ü 漢字", "*", "....", "\0", &"x ".repeat(5000)]
    {
        let _ = atlas.answer(&Question::Search { query: query.to_owned(), under: None, limit: None });
    }
    assert!(atlas.answer(&Question::Search { query: "  ".to_owned(), under: None, limit: None }).is_err());
}

/// Web queries for Python functions. `THROUGHLINE_EVAL` is the folder of the sets; prints what was reached.
#[test]
#[ignore = "needs the evaluation sets, which are not part of this project"]
fn functions_are_found_by_what_people_type() {
    let folder = std::env::var("THROUGHLINE_EVAL").expect("the folder of the sets");
    let read = |name: &str| {
        let output =
            std::process::Command::new("gzip").args(["-dc", &format!("{folder}/{name}")]).output().unwrap();
        let mut text = String::new();
        output.stdout.as_slice().read_to_string(&mut text).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<serde_json::Value>>()
    };
    let documents = read("functions-cosqa.documents.jsonl.gz");
    let files: Vec<(String, String)> = documents
        .iter()
        .map(|document| {
            let id = document["id"].as_str().unwrap().replace(':', "-");
            (format!("{id}.py"), format!("{}\n", document["text"].as_str().unwrap()))
        })
        .collect();
    let pairs: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let workspace = Workspace::new(&pairs);
    let mut atlas = workspace.atlas();
    assert!(atlas.answer(&Question::Status).is_ok() && atlas.understand(None));
    let (mut reciprocal, mut at_1, mut at_5, mut at_10, mut count) = (0.0, 0, 0, 0, 0);
    let from = std::time::Instant::now();
    for query in read("functions-cosqa.queries.jsonl.gz") {
        let relevant: Vec<String> = query["relevant"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| format!("{}.py", id.as_str().unwrap().replace(':', "-")))
            .collect();
        let hits = search(&mut atlas, query["query"].as_str().unwrap());
        let place = hits.iter().position(|hit| relevant.contains(&hit.item.file));
        count += 1;
        if let Some(place) = place {
            reciprocal += 1.0 / (place + 1) as f64;
            at_1 += usize::from(place < 1);
            at_5 += usize::from(place < 5);
            at_10 += usize::from(place < 10);
        }
    }
    let share = |hits: usize| 100.0 * hits as f64 / f64::from(count);
    println!(
        "MRR@10 {:.3}, hit@1 {:.1}, hit@5 {:.1}, hit@10 {:.1}, {} files, {:.1} ms a question",
        reciprocal / f64::from(count),
        share(at_1),
        share(at_5),
        share(at_10),
        atlas.library().len(),
        from.elapsed().as_secs_f64() * 1e3 / f64::from(count)
    );
    assert!(reciprocal / f64::from(count) > 0.3);
}
