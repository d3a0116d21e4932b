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
