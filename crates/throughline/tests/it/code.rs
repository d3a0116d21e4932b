//! The code map as people and scripts meet it: the real binary on small projects that are made for the test.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::house::House;
use crate::terminal::Terminal;

mod api;
mod pictures;

/// A shop in Python, its tests, and a page in TypeScript.
pub(crate) const SHOP: &[(&str, &str)] = &[
    (
        "shop/store.py",
        "\"\"\"Where orders are kept.\"\"\"\nfrom shop.money import total\n\nLIMIT = 3\n\n\nclass Store:\n    \"\"\"Keeps \
         orders.\"\"\"\n\n    def save(self, order):\n        \"\"\"Keeps one order.\"\"\"\n        return total(order)\n\n    \
         def load(self, key):\n        def again():\n            return key\n        return again()\n\n\ndef _unused():\n    \
         return LIMIT\n",
    ),
    (
        "shop/money.py",
        "def total(order):\n    price = order.price\n    tax = price * 2\n    name = order.name\n    \
         print(name)\n    return price + tax\n",
    ),
    (
        "shop/app.py",
        "from shop.store import Store\n\n\ndef run(order):\n    store = Store()\n    store.save(order)\n\n\n\
         def main():\n    run(None)\n\n\nif __name__ == \"__main__\":\n    main()\n",
    ),
    ("shop/__init__.py", ""),
    (
        "tests/test_store.py",
        "from shop.store import Store\n\n\ndef test_an_order_is_kept():\n    assert Store().save(1)\n",
    ),
    ("web/page.ts", "import { price } from \"./price\";\nexport const show = (n: number) => price(n);\n"),
    ("web/price.ts", "export function price(n: number): string {\n  return `${n}`;\n}\n"),
];

pub(crate) fn make(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

pub(crate) fn shop() -> House {
    let house = House::new();
    make(&house.work(), SHOP);
    house
}

fn json(house: &House, words: &[&str]) -> Value {
    let words: Vec<&str> = ["code"].iter().chain(words).chain(&["--json"]).copied().collect();
    serde_json::from_str(&house.ok(&words)).unwrap()
}

/// What scripts may rely on: an array of items that can be gone to.
fn rows(house: &House, words: &[&str]) -> Vec<Value> {
    let rows = json(house, words);
    let rows = rows.as_array().unwrap_or_else(|| panic!("{words:?}: no array: {rows}")).clone();
    for row in &rows {
        for (key, is_right) in [
            ("file", row["file"].is_string()),
            ("line", row["line"].is_u64()),
            ("end_line", row["end_line"].is_u64()),
            ("name", row["name"].is_string()),
            ("kind", row["kind"].is_string()),
            ("signature", row["signature"].is_string()),
        ] {
            assert!(is_right, "{words:?}: {key} in {row}");
        }
        let file = row["file"].as_str().unwrap();
        assert!(house.work().join(file).is_file(), "{file} is a path from the top of the workspace");
    }
    rows
}

fn names(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn an_outline_has_every_definition_with_its_lines() {
    let house = shop();
    let found = rows(&house, &["outline", "shop/store.py"]);
    assert_eq!(names(&found), ["LIMIT", "Store", "Store.save", "Store.load", "Store.load.again", "_unused"]);
    let save = &found[2];
    assert_eq!((&save["line"], &save["end_line"]), (&Value::from(10), &Value::from(12)));
    assert_eq!(save["signature"], "def save(self, order)");
    let plain = house.ok(&["code", "outline", "shop/store.py"]);
    assert!(plain.starts_with("shop/store.py  python, 21 lines\n"), "{plain}");
    assert!(plain.contains("\n 7-17  class Store\n10-12    def save(self, order)\n"), "{plain}");
    let last = plain.lines().last().unwrap();
    assert!(last.starts_with("outline: ") && last.contains(" tokens; the file: "), "{last}");
    assert!(!plain.contains('\u{1b}'), "no colors where nobody looks");
    let short = house.ok(&["code", "outline", "shop/store.py", "--tokens", "22"]);
    assert!(short.contains("save 10-12"), "{short}");
}

#[test]
fn a_caller_is_its_line_and_the_function_around_it() {
    let house = shop();
    let found = rows(&house, &["callers", "Store.save"]);
    let run = found.iter().find(|row| row["file"] == "shop/app.py").unwrap();
    assert_eq!((&run["name"], &run["line"]), (&Value::from("run"), &Value::from(6)));
    let test = found.iter().find(|row| row["file"] == "tests/test_store.py").unwrap();
    assert_eq!((&test["name"], &test["line"]), (&Value::from("test_an_order_is_kept"), &Value::from(5)));
    assert_eq!(found.len(), 2, "{found:?}");
    let plain = house.ok(&["code", "callers", "Store.save"]);
    assert!(plain.contains("shop/app.py:6"), "{plain}");
    assert!(plain.lines().last().unwrap().starts_with("uses: 2; "), "{plain}");
    assert_eq!(rows(&house, &["callers", "Store.save", "--limit", "1"]).len(), 1);
}

#[test]
fn every_command_of_rows_gives_rows() {
    let house = shop();
    assert_eq!(names(&rows(&house, &["symbol", "Store"])), ["Store"]);
    assert_eq!(names(&rows(&house, &["symbols", "Store", "--kind", "class"])), ["Store"]);
    assert!(rows(&house, &["refs", "Store"]).len() >= 4, "two imports and two uses");
    assert!(names(&rows(&house, &["callees", "run"])).contains(&"Store.save"));
    let reached = rows(&house, &["impact", "total"]);
    for name in ["Store.save", "run", "main"] {
        assert!(names(&reached).contains(&name), "{name} in {reached:?}");
    }
    let main = reached.iter().find(|row| row["name"] == "main").unwrap();
    assert_eq!(main["depth"], 3);
    assert_eq!(names(&rows(&house, &["tests-for", "shop/money.py"])), ["test_an_order_is_kept"]);
    assert_eq!(names(&rows(&house, &["dead", "shop"])), ["_unused"]);
}

#[test]
fn what_is_no_list_is_one_object() {
    let house = shop();
    let deps = json(&house, &["deps"]);
    assert!(deps["modules"].is_array() && deps["edges"].is_array(), "{deps}");
    let context = json(&house, &["context", "Store.save", "--tokens", "500"]);
    assert_eq!(context["symbol"]["name"], "Store.save");
    assert!(context["tokens"].as_u64().unwrap() <= 500);
    let status = json(&house, &["status"]);
    assert_eq!(status["files"], SHOP.len());
    assert_eq!(json(&house, &["index"])["files"], SHOP.len());
    for object in [&deps, &context, &status] {
        assert!(object.get("answer").is_none(), "{object}");
    }
}

#[test]
fn an_answer_is_about_the_file_as_it_is_now() {
    let house = shop();
    assert_eq!(rows(&house, &["callers", "total"]).len(), 1);
    make(
        &house.work(),
        &[("shop/late.py", "from shop.money import total\n\ndef later():\n    return total(1)\n")],
    );
    assert_eq!(rows(&house, &["callers", "total"]).len(), 2);
    fs::remove_file(house.work().join("shop/late.py")).unwrap();
    assert_eq!(rows(&house, &["callers", "total"]).len(), 1);
}

#[test]
fn paths_are_read_where_one_stands_and_told_from_the_top() {
    let house = shop();
    git(&house.work(), &["init", "-q"]);
    let below = |words: &[&str]| {
        let mut command = house.command(words);
        command.current_dir(house.work().join("shop"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(below(&["code", "outline", "store.py"]).starts_with("shop/store.py  "));
    assert!(below(&["code", "callers", "store.py:Store.save"]).contains("shop/app.py:6"));
    assert!(below(&["code", "outline", "web/price.ts"]).starts_with("web/price.ts  "), "from the top, too");
    // Without git a folder is a workspace of its own.
    let elsewhere = house.ok(&["code", "status", "--cwd", "web", "--json"]);
    assert!(elsewhere.contains("/work\""), "git's top level: {elsewhere}");
    assert_eq!(house.run(&["code", "status", "--cwd", "nowhere"]).status.code(), Some(1));
}

#[test]
fn a_diff_says_what_it_touches() {
    let house = shop();
    let work = house.work();
    git(&work, &["init", "-q"]);
    git(&work, &["add", "-A"]);
    git(&work, &["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a shop"]);
    let money = fs::read_to_string(work.join("shop/money.py")).unwrap();
    fs::write(work.join("shop/money.py"), money.replace("* 2", "* 3")).unwrap();
    let touched = json(&house, &["diff-impact"]);
    assert_eq!(touched["symbols"][0]["name"], "total");
    assert_eq!(touched["tests"][0]["name"], "test_an_order_is_kept");
    assert!(house.ok(&["code", "diff-impact", "HEAD"]).contains("test_an_order_is_kept"));
}

#[test]
fn what_is_not_there_ends_with_the_next_step() {
    let house = shop();
    for (words, code, what, next) in [
        (&["code", "callers", "Stor"][..], 1, "nothing here is called", "near it: Store"),
        (&["code", "outline", "nowhere.py"][..], 1, "not on the map", "throughline code status"),
        (&["code", "outline"][..], 2, "required", "--help"),
        (&["code", "slice", "shop/money.py"][..], 2, "a file and a line are wanted", "--help"),
        (&["code", "symbol", "a", "--kind", "thing"][..], 2, "the kinds are function, method", "--help"),
        (&["code", "callers", "a", "--limit", "0"][..], 2, "0", "--help"),
    ] {
        let output = house.run(words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert!(
            said.starts_with("error: ") && said.contains(what) && said.contains(next),
            "{words:?}: {said}"
        );
    }
}

#[test]
fn no_daemon_is_started_to_ask_the_map() {
    let house = shop();
    house.ok(&["code", "outline", "shop/store.py"]);
    assert!(!house.place().socket().exists());
    assert_eq!(
        serde_json::from_str::<Value>(&house.ok(&["daemon", "status", "--json"])).unwrap()["running"],
        false
    );
}

#[test]
fn a_daemon_that_runs_is_asked_and_says_the_same() {
    let house = shop();
    let questions: &[&[&str]] = &[
        &["outline", "shop/store.py"],
        &["callers", "Store.save"],
        &["impact", "total"],
        &["tests-for", "shop/money.py"],
        &["search", "total"],
        &["deps"],
        &["context", "Store.save"],
    ];
    let alone: Vec<Value> = questions.iter().map(|words| json(&house, words)).collect();
    house.start();
    for (words, alone) in questions.iter().zip(alone) {
        assert_eq!(json(&house, words), alone, "{words:?}");
    }
    let indexed = json(&house, &["index", "--anew"]);
    assert_eq!((&indexed["files"], &indexed["partial"]), (&Value::from(SHOP.len()), &Value::from(false)));
    // Never stale, with a daemon that has it all in memory.
    make(
        &house.work(),
        &[("shop/late.py", "from shop.money import total\n\ndef later():\n    return total(1)\n")],
    );
    assert!(names(&rows(&house, &["callers", "total"])).contains(&"later"));
    let wrong = house.run(&["code", "callers", "Stor"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("near it: Store"), "{wrong:?}");
}

#[test]
fn a_slice_has_the_lines_that_matter_and_no_others() {
    let house = shop();
    let slice = json(&house, &["slice", "shop/money.py:6"]);
    assert_eq!(slice["lines"], serde_json::json!([1, 2, 3, 6]));
    let plain = house.ok(&["code", "slice", "shop/money.py:6"]);
    assert!(plain.lines().last().unwrap().starts_with("slice: 4 of 6 lines, "), "{plain}");
    assert!(plain.contains("tax = price * 2") && !plain.contains("order.name"), "{plain}");
    let forward = json(&house, &["slice", "shop/money.py:2", "--forward"]);
    assert!(forward["lines"].as_array().unwrap().contains(&Value::from(3)), "{forward}");
    let flow = json(&house, &["flow", "total"]);
    assert_eq!(flow["flow"]["complexity"], 1);
    assert!(house.ok(&["code", "flow", "total"]).contains("complexity 1"));
    assert!(house.ok(&["code", "flow", "total", "--dot"]).starts_with("digraph "));
}

#[test]
fn code_is_found_by_what_it_does() {
    let house = shop();
    let hits = rows(&house, &["search", "keeps", "an", "order"]);
    assert!(names(&hits[..2]).contains(&"Store.save"), "{hits:?}");
    assert!(hits.iter().all(|hit| hit["score"].is_f64() && hit["why"].is_string()), "{hits:?}");
    let below = rows(&house, &["search", "price", "--under", "web"]);
    assert!(below.iter().all(|hit| hit["file"].as_str().unwrap().starts_with("web/")), "{below:?}");
    let across = rows(&house, &["callers", "web/price.ts:price"]);
    assert_eq!((&across[0]["file"], &across[0]["line"]), (&Value::from("web/page.ts"), &Value::from(2)));
}

#[test]
fn a_person_sees_a_bar_and_colors_and_a_script_neither() {
    let house = shop();
    let mut terminal = Terminal::new(&mut house.command(&["code", "outline", "shop/store.py"]), 24, 80);
    let seen = terminal.shows("the file: ");
    assert!(terminal.ends().success());
    assert!(terminal.sent().windows(4).any(|bytes| bytes == b"\x1b[1m"), "the file's name is bold");
    let plain = house.ok(&["code", "outline", "shop/store.py"]);
    let cost = plain.lines().last().unwrap();
    assert!(seen.contains(cost), "colors cost a model nothing: {cost} in {seen}");
    let mut without = house.command(&["code", "outline", "shop/store.py"]);
    let mut terminal = Terminal::new(without.env("NO_COLOR", "1"), 24, 80);
    terminal.shows("the file: ");
    assert!(!terminal.sent().windows(4).any(|bytes| bytes == b"\x1b[1m"));
}

#[test]
fn a_module_of_a_crate_is_not_another_crate_of_its_name() {
    let house = House::new();
    make(
        &house.work(),
        &[
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
            ("crates/shop/Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("crates/shop/src/lib.rs", "mod engine;\npub use engine::Engine;\n"),
            ("crates/shop/src/engine.rs", "pub struct Engine;\n"),
            ("crates/engine/Cargo.toml", "[package]\nname = \"engine\"\n"),
            ("crates/engine/src/lib.rs", "pub struct Engine;\n"),
            (
                "crates/app/Cargo.toml",
                "[package]\nname = \"app\"\n[dependencies]\nengine.path = \"../engine\"\n",
            ),
            ("crates/app/src/main.rs", "use engine::Engine;\nfn main() { let _ = Engine; }\n"),
        ],
    );
    let plain = house.ok(&["code", "deps", "crates", "--depth", "1"]);
    assert!(plain.contains("app (1 file, 2 lines) -> engine 1\n"), "{plain}");
    assert!(plain.contains("shop (2 files, 3 lines)\n"), "{plain}");
}

#[test]
fn every_command_shows_an_example_that_runs() {
    let house = shop();
    let help = house.ok(&["code", "--help"]);
    for name in [
        "index",
        "outline",
        "symbol",
        "refs",
        "callers",
        "callees",
        "impact",
        "tests-for",
        "dead",
        "flow",
        "slice",
        "search",
        "deps",
        "context",
        "diff-impact",
        "map",
        "status",
    ] {
        assert!(help.contains(&format!("\n  {name} ")), "{name} in {help}");
        let own = house.ok(&["code", name, "--help"]);
        assert!(own.contains(&format!("Example: throughline code {name}")), "{own}");
    }
}

fn git(folder: &Path, words: &[&str]) {
    let done = Command::new("git").args(words).current_dir(folder).env("HOME", folder).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}
