//! What is asked, and what is answered: which definition a name means, what an answer says and what it costs.

use atlas::{Answer, Question};

use crate::workspace::{Workspace, callers};

fn ask(files: &[(&str, &str)], question: &Question) -> Answer {
    Workspace::new(files).atlas().answer(question).unwrap()
}

#[test]
fn a_constant_is_not_hidden_by_a_function_of_its_name_further_inside() {
    let files = [
        (
            "pure.ts",
            "export const two = build()\nexport function wrap() {\n  function two() {}\n  two()\n}\n",
        ),
        ("use.ts", "import { two } from './pure'\ntwo()\n"),
    ];
    for asked in ["two", "pure.ts:two"] {
        let question = Question::Symbol { name: asked.to_owned(), kind: None, limit: None };
        let Answer::Items { items, .. } = ask(&files, &question) else { panic!("{asked}") };
        let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
        assert_eq!(names, ["wrap.two", "two"], "{asked}");
    }
    assert_eq!(callers(&files, "two"), ["pure.ts:4", "use.ts:2"]);
    assert_eq!(callers(&files, "pure.ts:two"), ["use.ts:2"]);
    assert_eq!(callers(&files, "pure.ts:wrap.two"), ["pure.ts:4"]);
}

#[test]
fn what_is_called_is_said_to_be_of_elsewhere_only_where_that_is_known() {
    let files = [(
        "a.py",
        "import json\ndef mine(): ...\ndef f(x):\n    mine()\n    json.dumps(x)\n    x.frobnicate()\n",
    )];
    let answer = ask(&files, &Question::Callees { symbol: "f".to_owned(), limit: None });
    let text = atlas::say::answer(&answer, 1000);
    let Answer::Callees { callees, outside, unknown, .. } = answer else { panic!("{answer:?}") };
    assert_eq!(callees.len(), 1);
    assert_eq!((outside, unknown), (vec!["dumps".to_owned()], vec!["frobnicate".to_owned()]));
    assert!(text.ends_with("not of this workspace: dumps\nnot seen what it is: frobnicate\n"), "{text}");
}

#[test]
fn a_context_begins_with_the_definition_and_keeps_its_budget_with_all_that_it_says() {
    let lines = |count: u32, line: fn(u32) -> String| (0..count).map(line).collect::<Vec<_>>().concat();
    let long = lines(60, |at| format!("    value = step_{at}(value)\n"));
    let steps = lines(60, |at| format!("def step_{at}(value): return value\n"));
    let uses = lines(20, |at| format!("def use_{at}():\n    return work({at})\n"));
    let text = format!("{steps}def work(value):\n{long}    return value\n{uses}");
    for tokens in [100, 300, 800] {
        let question = Question::Context { symbol: "work".to_owned(), tokens: Some(tokens) };
        let answer = ask(&[("a.py", &text)], &question);
        let said = atlas::say::answer(&answer, tokens);
        let Answer::Context { pieces, tokens: cost, left_out, .. } = answer else { panic!("{answer:?}") };
        assert_eq!((pieces[0].role.as_str(), pieces[0].line), ("definition", 61), "{tokens}: {said}");
        assert!(pieces[0].text.starts_with("def work(value):\n"), "{said}");
        assert!(cost <= tokens && said.len() <= tokens * 4, "{tokens}: {cost}, {} bytes", said.len());
        assert!(left_out.last().is_some_and(|last| last.ends_with(" more")), "{left_out:?}");
    }
}

#[test]
fn a_change_that_removes_something_says_who_misses_it() {
    let workspace = Workspace::new(&[
        (
            "keep.py",
            "def kept():\n    ...\ndef gone():\n    ...\nclass Box:\n    def open(self): ...\n    def shut(self): ...\n",
        ),
        ("old.py", "def lost():\n    ...\ndef moved():\n    ...\n"),
        (
            "use.py",
            "from keep import gone, kept, Box\nfrom old import lost, moved\ndef use(box: Box):\n    gone()\n    kept()\n    box.shut()\n\
             \x20   lost()\ndef other():\n    len([])\n",
        ),
        ("test_use.py", "from use import use\ndef test_use():\n    use(None)\n"),
    ]);
    let git = |words: &[&str]| {
        let all = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let mut command = std::process::Command::new("git");
        let ran = command.args(all).args(words).current_dir(workspace.root()).output().unwrap();
        assert!(ran.status.success(), "{words:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "all"]);
    workspace.write("keep.py", "def kept():\n    ...\nclass Box:\n    def open(self): ...\n");
    workspace.remove("old.py");
    workspace.write("new.py", "def moved():\n    ...\n");
    let answer = workspace.atlas().answer(&Question::DiffImpact { base: None, limit: None }).unwrap();
    let text = atlas::say::answer(&answer, 2000);
    let Answer::Impact { removed, tests, .. } = answer else { panic!("{answer:?}") };
    let gone: Vec<(&str, Vec<u32>)> = removed
        .iter()
        .map(|gone| (gone.item.name.as_str(), gone.users.iter().map(|user| user.line).collect()))
        .collect();
    assert_eq!(gone, [("gone", vec![4]), ("Box.shut", vec![6]), ("lost", vec![7])]);
    assert_eq!(tests.iter().map(|test| test.item.name.as_str()).collect::<Vec<_>>(), ["test_use"]);
    assert!(text.starts_with("gone: keep.py:3  gone, still used by use.py:4 in use\n"), "{text}");
}

/// The names of the tests that reach a symbol, sorted.
fn tests_for(files: &[(&str, &str)], symbol: &str) -> Vec<String> {
    let answer = ask(files, &Question::TestsFor { targets: vec![symbol.to_owned()], limit: None });
    let Answer::Impact { tests, .. } = answer else { panic!("{answer:?}") };
    let mut names: Vec<String> = tests.into_iter().map(|test| test.item.name).collect();
    names.sort();
    names
}

/// An engine with fixtures that give it.
const ENGINE: [(&str, &str); 2] = [
    (
        "engine.py",
        "class Engine:\n    def __init__(self): ...\n    def start(self): ...\n    def stop(self): ...\nclass Other:\n    def start(self): ...\n",
    ),
    (
        "tests/conftest.py",
        "import pytest\nfrom typing import Iterator\nfrom engine import Engine\n@pytest.fixture\ndef one() -> Iterator[Engine]:\n    yield Engine()\n\
         @pytest.fixture(scope='module')\ndef two():\n    it = Engine()\n    yield it\n    it.stop()\n@pytest.fixture\ndef three(two):\n    return two\n",
    ),
];

#[test]
fn tests_reach_what_their_fixtures_run_and_have_what_they_give() {
    let tests = "def test_one(one):\n    one.start()\ndef test_two(two):\n    two.start()\ndef test_three(three):\n    three.start()\n\
                 def test_unused(two): ...\ndef test_none(): ...\ndef test_inner():\n    call(lambda one: one.start())\n    def inner(two): two.start()\n";
    let files = [ENGINE[0], ENGINE[1], ("tests/unit/test_a.py", tests)];
    assert_eq!(tests_for(&files, "Engine.start"), ["test_one", "test_three", "test_two"]);
    assert_eq!(tests_for(&files, "Engine.stop"), ["test_three", "test_two", "test_unused"]);
    assert_eq!(tests_for(&files, "Engine.__init__"), ["test_one", "test_three", "test_two", "test_unused"]);
}

#[test]
fn the_nearest_fixture_of_a_name_is_given() {
    let own = "import pytest\nfrom engine import Other\n@pytest.fixture\ndef one():\n    return Other()\ndef test_own(one):\n    one.start()\n";
    let of_class = "import pytest\nfrom engine import Other\nclass TestA:\n    @pytest.fixture\n    def one(self):\n        return Other()\n\
                    \x20   def test_class(self, one):\n        one.start()\nclass TestB:\n    def test_shared(self, one):\n        one.start()\n";
    let again = "import pytest\n@pytest.fixture\ndef one(one):\n    return one\ndef test_again(one):\n    one.start()\n";
    let beyond = "def test_beyond(one):\n    one.start()\n";
    let files = [
        ENGINE[0],
        ENGINE[1],
        ("tests/test_a.py", own),
        ("tests/test_b.py", of_class),
        ("tests/test_c.py", again),
        ("other_tests/test_d.py", beyond),
    ];
    assert_eq!(tests_for(&files, "Other.start"), ["TestA.test_class", "test_own"]);
    assert_eq!(tests_for(&files, "Engine.start"), ["TestB.test_shared", "test_again"]);
    assert_eq!(tests_for(&files, "Engine.__init__"), ["TestB.test_shared", "test_again"]);
}

#[test]
fn tests_reach_what_is_set_up_before_them() {
    let case = "import unittest\nfrom engine import Engine\nclass A(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        cls.engine = Engine()\n\
                \x20   def test_a(self): ...\nclass B(unittest.TestCase):\n    def setUp(self):\n        self.engine = Engine()\n        self.engine.start()\n\
                \x20   def tearDown(self):\n        self.engine.stop()\n    def test_b(self): ...\n    def helper(self): ...\n";
    let file = "from engine import Other\ndef setup_module():\n    Other().start()\nclass TestC:\n    def test_c(self): ...\ndef test_d(): ...\n";
    let files = [ENGINE[0], ("tests/test_a.py", case), ("tests/test_b.py", file)];
    assert_eq!(tests_for(&files, "Engine.__init__"), ["A.test_a", "B.test_b"]);
    assert_eq!(tests_for(&files, "Engine.start"), ["B.test_b"]);
    assert_eq!(tests_for(&files, "Engine.stop"), ["B.test_b"]);
    assert_eq!(tests_for(&files, "Other.start"), ["TestC.test_c", "test_d"]);
    let java = "class CartTest {\n  Cart cart;\n  @BeforeEach void prepare() { cart = new Cart(); cart.fill(); }\n  @Test void holds() {}\n}\n";
    let files = [("src/Cart.java", "class Cart {\n  void fill() {}\n}\n"), ("src/test/CartTest.java", java)];
    assert_eq!(tests_for(&files, "Cart.fill"), ["CartTest.holds"]);
}

#[test]
fn who_calls_a_method_of_a_base_may_call_what_overrides_it() {
    let files = [(
        "a.py",
        "class Base:\n    def matches(self): ...\nclass Route(Base):\n    def matches(self):\n        return super().matches()\n\
         def go(route: Base, own: Route):\n    route.matches()\n    own.matches()\n",
    )];
    let question = Question::Callers { symbol: "Route.matches".to_owned(), limit: None };
    let answer = ask(&files, &question);
    let text = atlas::say::answer(&answer, 1000);
    let Answer::Sites { sites, through, .. } = answer else { panic!("{answer:?}") };
    assert_eq!(sites.iter().map(|site| site.line).collect::<Vec<_>>(), [8]);
    let through: Vec<_> = through.iter().map(|base| (base.name.as_str(), base.uses)).collect();
    assert_eq!(through, [("a.py:Base.matches", 1)]);
    assert!(text.ends_with("and 1 through a.py:Base.matches\n"), "{text}");
}
