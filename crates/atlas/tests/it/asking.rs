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
