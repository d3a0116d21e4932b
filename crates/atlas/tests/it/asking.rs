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
fn a_context_begins_with_the_definition_and_keeps_its_budget_with_all_that_it_says() {
    let long: String = (0..60).map(|at| format!("    value = step_{at}(value)\n")).collect();
    let steps: String = (0..60).map(|at| format!("def step_{at}(value): return value\n")).collect();
    let uses: String = (0..20).map(|at| format!("def use_{at}():\n    return work({at})\n")).collect();
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
