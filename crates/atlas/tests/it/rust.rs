//! Who calls what in Rust: methods and fields of one name, what holders hold, aliases, type parameters, blocks.

use atlas::{Answer, Question};

use crate::workspace::Workspace;

/// `file:line` of every call, in the order of the answer.
fn callers(files: &[(&str, &str)], symbol: &str) -> Vec<String> {
    let question = Question::Callers { symbol: symbol.to_owned(), limit: None };
    match Workspace::new(files).atlas().answer(&question).unwrap() {
        Answer::Sites { sites, .. } => {
            sites.iter().map(|site| format!("{}:{}", site.file, site.line)).collect()
        }
        other => panic!("{other:?}"),
    }
}

const MANIFEST: (&str, &str) = ("Cargo.toml", "[package]\nname = \"shop\"\n");

/// Two types with the same methods, so that a name alone decides nothing.
const TYPES: &str = "
pub struct Item { pub price: u32 }
pub struct Other;
impl Item { pub fn check(&self) -> bool { true } pub fn get(&self) {} pub fn price(self) -> Item { self } }
impl Other { pub fn check(&self) -> bool { true } pub fn get(&self) {} }
";

fn lib(text: &str) -> String {
    format!("{TYPES}{text}")
}

#[test]
fn what_is_called_is_the_method_where_a_field_has_its_name() {
    let text = lib("fn f(item: Item) {\n    item.price().check();\n    let price = item.price;\n}\n");
    assert_eq!(callers(&[MANIFEST, ("src/lib.rs", &text)], "Item.check"), ["src/lib.rs:7"]);
    assert_eq!(callers(&[MANIFEST, ("src/lib.rs", &text)], "Item.price"), ["src/lib.rs:7"]);
}

#[test]
fn what_is_held_is_found_through_what_holds_it() {
    let text = lib("
use std::collections::HashMap;
type Result<T, E = ()> = std::result::Result<T, E>;
struct Shelf { items: Vec<Item>, by_name: HashMap<String, Item>, first: Option<Box<Item>>, kept: std::sync::Arc<std::sync::Mutex<Vec<Item>>> }
impl Shelf {
    fn find(&self) -> Result<Item> { todo!() }
    async fn load(&self) -> Result<Vec<Item>> { todo!() }
    async fn all(&self) {
        for item in self.items.iter().filter(|item| item.check()) { item.check(); }
        for (name, item) in &self.by_name { item.check(); }
        for (at, item) in self.items.iter().enumerate() { item.check(); }
        self.by_name.values().for_each(|item| { item.check(); });
        self.by_name.iter().any(|(_, item)| item.check());
        if let Some(first) = &self.first { first.check(); }
        self.first.as_ref().unwrap().check();
        self.find().unwrap().check();
        self.find()?.check();
        self.kept.lock().unwrap().first().unwrap().check();
        for item in self.load().await? { item.check(); }
        let (one, two) = pair();
        one.check();
        two.check();
        self.items.last().map(|item| item.check());
        match self.items.get(3) { Some(item) => item.check(), None => false };
    }
}
fn pair() -> (Item, Other) { todo!() }
");
    let expected: Vec<String> = [14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 29]
        .iter()
        .map(|line| format!("src/lib.rs:{line}"))
        .collect();
    let mut found = callers(&[MANIFEST, ("src/lib.rs", &text)], "Item.check");
    found.dedup();
    assert_eq!(found, expected);
    assert_eq!(callers(&[MANIFEST, ("src/lib.rs", &text)], "Other.check"), ["src/lib.rs:27"]);
}

#[test]
fn a_type_with_such_a_method_of_its_own_is_asked_itself() {
    let text =
        lib("fn f(item: &Item, list: Vec<Other>) {\n    item.get();\n    list.get(1).unwrap().get();\n}\n");
    assert_eq!(callers(&[MANIFEST, ("src/lib.rs", &text)], "Item.get"), ["src/lib.rs:7"]);
    assert_eq!(callers(&[MANIFEST, ("src/lib.rs", &text)], "Other.get"), ["src/lib.rs:8"]);
}

#[test]
fn a_type_parameter_has_what_it_must_have() {
    let text = "
pub trait Keep { fn of() -> Self; fn key(&self) -> u32; }
pub trait Lose { fn of() -> Self; fn key(&self) -> u32; }
fn f<T: Keep>(t: &T) {
    t.key();
    T::of();
}
fn g<T>(t: T) where T: Lose + Clone {
    T::of().key();
}
fn h(t: &impl Keep, u: &dyn Lose) {
    t.key();
    u.key();
}
";
    let files = [MANIFEST, ("src/lib.rs", text)];
    assert_eq!(callers(&files, "Keep.of"), ["src/lib.rs:6"]);
    assert_eq!(callers(&files, "Keep.key"), ["src/lib.rs:5", "src/lib.rs:12"]);
    assert_eq!(callers(&files, "Lose.of"), ["src/lib.rs:9"]);
    assert_eq!(callers(&files, "Lose.key"), ["src/lib.rs:9", "src/lib.rs:13"]);
}

#[test]
fn a_name_means_what_it_is_in_its_block() {
    let text = lib("
fn f() {
    let it = Item { price: 1 };
    it.check();
    {
        let it = Other;
        it.check();
    }
    it.check();
    let it = Other;
    it.check();
    each(|it: Item| it.check());
}
");
    let files = [MANIFEST, ("src/lib.rs", &*text)];
    assert_eq!(callers(&files, "Item.check"), ["src/lib.rs:9", "src/lib.rs:14", "src/lib.rs:17"]);
    assert_eq!(callers(&files, "Other.check"), ["src/lib.rs:12", "src/lib.rs:16"]);
}

#[test]
fn calls_in_the_arguments_of_macros_count() {
    let text = lib("
fn f(item: Item) {
    assert!(item.check(), \"{}\", item.check());
    let all = vec![item.check()];
    tokio::select! { _ = wait() => { let other = Other; other.check() } }
    assert!(matches!(item.check(), true | false if item.check()));
}
");
    let files = [MANIFEST, ("src/lib.rs", &*text)];
    let mut found = callers(&files, "Item.check");
    found.dedup();
    assert_eq!(found, ["src/lib.rs:8", "src/lib.rs:9", "src/lib.rs:11"]);
    assert_eq!(callers(&files, "Other.check"), ["src/lib.rs:10"]);
}

#[test]
fn modules_lie_where_they_are_said_to() {
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = [\"shop\", \"till\"]\n"),
        (
            "shop/Cargo.toml",
            "[package]\nname = \"shop\"\n[dependencies]\ncash = { package = \"till\", path = \"../till\" }\n",
        ),
        ("till/Cargo.toml", "[package]\nname = \"till\"\n"),
        ("till/src/lib.rs", "mod drawer;\npub use drawer::*;\n"),
        ("till/src/drawer.rs", "pub fn open() {}\npub fn shut() { super::open(); }\n"),
        (
            "shop/src/lib.rs",
            "#[path = \"old/tax.rs\"]\nmod tax;\nfn f() {\n    cash::open();\n    tax::rate();\n    self::tax::rate();\n}\n",
        ),
        ("shop/src/old/tax.rs", "use cash::shut as close;\npub fn rate() {\n    close();\n}\n"),
    ];
    assert_eq!(callers(&files, "till/src/drawer.rs:open"), ["shop/src/lib.rs:4", "till/src/drawer.rs:2"]);
    assert_eq!(callers(&files, "shut"), ["shop/src/old/tax.rs:3"]);
    assert_eq!(callers(&files, "rate"), ["shop/src/lib.rs:5", "shop/src/lib.rs:6"]);
}

#[test]
fn what_a_module_imports_is_seen_by_the_modules_inside_of_it_alone() {
    let files = [
        MANIFEST,
        ("src/lib.rs", "mod a;\nmod b;\nmod c;\n"),
        ("src/a.rs", "pub fn foo() {}\npub fn bar() {}\npub fn far() {}\n"),
        (
            "src/b.rs",
            "use crate::a::foo;\nuse crate::a::*;\nmod deep;\nmod tests {\n    use super::*;\n    #[test]\n    fn t() { foo(); bar(); }\n}\n\
             mod named {\n    use super::foo;\n    fn n() { foo(); }\n}\n",
        ),
        ("src/b/deep.rs", "use super::foo;\nfn d() { foo(); super::bar(); }\n"),
        ("src/c.rs", "use crate::b::*;\nfn c() { foo(); crate::b::far(); }\n"),
    ];
    assert_eq!(callers(&files, "foo"), ["src/b.rs:7", "src/b.rs:11", "src/b/deep.rs:2"]);
    assert_eq!(callers(&files, "bar"), ["src/b.rs:7", "src/b/deep.rs:2"]);
    assert!(callers(&files, "far").is_empty());
    let tests = Question::TestsFor { targets: vec!["foo".to_owned()], limit: None };
    match Workspace::new(&files).atlas().answer(&tests).unwrap() {
        Answer::Impact { tests, .. } => {
            assert_eq!(tests.iter().map(|test| test.item.name.as_str()).collect::<Vec<_>>(), ["tests.t"]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn of_a_module_and_a_function_of_one_name_the_function_is_called_from_inside_too() {
    let files = [
        MANIFEST,
        ("src/lib.rs", "mod retry;\npub use retry::retry;\n"),
        (
            "src/retry.rs",
            "pub fn retry() {}\nmod tests {\n    use super::*;\n    use crate::retry;\n    fn t() { retry(); }\n}\n",
        ),
    ];
    assert_eq!(callers(&files, "retry"), ["src/retry.rs:5"]);
}

#[test]
fn a_name_that_the_workspace_gives_to_a_dependency_is_that_of_the_members_that_ask_for_it() {
    let files = [
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\", \"b\", \"c\"]\n[workspace.dependencies]\n\
             renamed = { package = \"crate-a\", path = \"a\" }\n\n[workspace.dependencies.other]\npackage = \"crate-a\"\npath = \"a\"\n",
        ),
        ("a/Cargo.toml", "[package]\nname = \"crate-a\"\n"),
        ("a/src/lib.rs", "pub fn foo() {}\n"),
        ("b/Cargo.toml", "[package]\nname = \"b\"\n[dependencies]\nrenamed = { workspace = true }\n"),
        ("b/src/lib.rs", "fn f() { renamed::foo(); }\n"),
        ("c/Cargo.toml", "[package]\nname = \"c\"\n[dev-dependencies]\nother.workspace = true\n"),
        ("c/src/lib.rs", "use other::foo;\nfn f() { foo(); renamed::foo(); }\n"),
    ];
    assert_eq!(callers(&files, "foo"), ["b/src/lib.rs:1", "c/src/lib.rs:2"]);
}
