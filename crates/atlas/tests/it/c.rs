//! Who calls what in C: headers, prototypes, static functions, macros.

use atlas::{Answer, Question};

use crate::workspace::Workspace;

fn callers(files: &[(&str, &str)], symbol: &str) -> Vec<String> {
    let question = Question::Callers { symbol: symbol.to_owned(), limit: None };
    match Workspace::new(files).atlas().answer(&question).unwrap() {
        Answer::Sites { sites, .. } => {
            sites.iter().map(|site| format!("{}:{}", site.file, site.line)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_prototype_stands_for_its_definition() {
    let files = [
        ("include/shop/order.h", "#define SEAL(o) order_seal(o)\nint order_seal(struct order *o);\n"),
        ("src/order.c", "#include \"shop/order.h\"\nint order_seal(struct order *o) { return 1; }\n"),
        (
            "src/main.c",
            "#include <shop/order.h>\nint main(void) {\n  order_seal(0);\n  SEAL(0);\n  return helper();\n}\n",
        ),
        ("src/other.c", "static int helper(void) { return 0; }\nint f(void) { return helper(); }\n"),
    ];
    assert_eq!(callers(&files, "src/order.c:order_seal"), ["include/shop/order.h:1", "src/main.c:3"]);
    // A static function of another file is not meant.
    assert_eq!(callers(&files, "helper"), ["src/other.c:2"]);
}
