//! Definitions that are easily overlooked, or given the wrong name: a text of a language and all that it defines, in order,
//! `kind name | signature`.

use code::{Facts, SymbolId, languages};

fn check(language: &str, text: &str, wanted: &[&str]) -> Facts {
    let facts = code::facts(languages::by_name(language).unwrap(), text).unwrap();
    let say = |(at, symbol): (usize, &code::Symbol)| {
        format!("{} {} | {}", symbol.kind.name(), facts.qualified(SymbolId(at as u32)), symbol.signature)
    };
    let found: Vec<String> = facts.symbols.iter().enumerate().map(say).collect();
    assert_eq!(found, wanted, "{language}:\n{text}");
    facts
}

#[test]
fn what_a_macro_defines_is_a_definition() {
    check(
        "rust",
        "bitflags! {\n    pub struct Flags: u32 {\n        const A = 1;\n        const B = 2;\n    }\n}\n",
        &["struct Flags | struct Flags: u32", "constant Flags.A | const A", "constant Flags.B | const B"],
    );
    check(
        "rust",
        "cfg_if! { if #[cfg(unix)] { fn go() {} } else { fn stay() {} } }\n",
        &["function go | fn go()", "function stay | fn stay()"],
    );
    let facts = check(
        "c",
        "TEST(Suite, works) { int x = 1; }\nSYSCALL_DEFINE2(read, unsigned int, fd, size_t, count)\n{\n    return fd;\n}\nint after(void) { each(a, b) { c(); } }\n",
        &[
            "test works | TEST(Suite, works)",
            "function read | SYSCALL_DEFINE2(read, unsigned int, fd, size_t, count)",
            "function after | int after(void)",
        ],
    );
    assert_eq!((facts.symbols[1].span.line, facts.symbols[1].span.end_line), (2, 5));
    check(
        "cpp",
        "TEST_CASE(\"it grows\", \"[vector]\") {\n  SECTION(\"twice\") { int y; }\n}\n",
        &[
            "test it grows | TEST_CASE(\"it grows\", \"[vector]\")",
            "test it grows.twice | SECTION(\"twice\")",
        ],
    );
}

#[test]
fn names_of_every_shape_are_names() {
    check(
        "php",
        "<?php\nit('adds', function () {});\ntest('takes', fn () => 1);\n",
        &["test adds | it('adds', function ())", "test takes | test('takes', fn ())"],
    );
    check(
        "scala",
        "object G {\n  def +(o: V): V = o\n  given Show[V] = show\n}\nval (p, q) = pair\n",
        &[
            "class G | object G",
            "method G.+ | def +(o: V): V",
            "variable G.Show[V] | given Show[V]",
            "variable p | val (p, q) = pair",
            "variable q | val (p, q) = pair",
        ],
    );
    check(
        "kotlin",
        "val (a, b) = pair\nfun f() { val (c, d) = pair }\n",
        &["variable a | val (a, b) = pair", "variable b | val (a, b) = pair", "function f | fun f()"],
    );
    check(
        "swift",
        "let (a, b) = (1, 2)\n",
        &["variable a | let (a, b) = (1, 2)", "variable b | let (a, b) = (1, 2)"],
    );
    check(
        "lua",
        "local M = {}\nM[\"x\"] = function(a, b) end\nM.y = function(c) end\n",
        &[
            "class M | local M = {}",
            "function M.x | M[\"x\"] = function(a, b)",
            "function M.y | M.y = function(c)",
        ],
    );
    check(
        "elixir",
        "defmodule A do\n  def unquote(:named)(x), do: x\n  def unquote(name)(x), do: x\nend\n",
        &[
            "module A | defmodule A",
            "function A.named | def unquote(:named)(x)",
            "function A.unquote(name) | def unquote(name)(x)",
        ],
    );
    check(
        "sql",
        "CREATE TABLE users (\"id\" INTEGER, plain TEXT);\n",
        &[
            "struct users | CREATE TABLE users",
            "field users.id | \"id\" INTEGER",
            "field users.plain | plain TEXT",
        ],
    );
    check(
        "typescript",
        "interface A {\n  (a: string): number;\n  b(): void;\n}\n",
        &["interface A | interface A", "method A.() | (a: string): number", "method A.b | b(): void"],
    );
    check("json", "{\"a\\\"b\": 1, \"c\": 2}\n", &["key a\\\"b | \"a\\\"b\": 1", "key c | \"c\": 2"]);
}

#[test]
fn a_definition_is_called_and_written_as_in_its_text() {
    check(
        "csharp",
        "static class Ext {\n    public static int Foo(this string s) => 1;\n}\n",
        &["class Ext | static class Ext", "method Ext.Foo | public static int Foo(this string s)"],
    );
    check(
        "cpp",
        "template <typename T>\nT largest(T a, T b) { return a; }\n",
        &["function largest | template <typename T> T largest(T a, T b)"],
    );
    let facts = check(
        "python",
        "class A(unittest.TestCase):\n    def testCamel(self, x=(\"a\",)): pass\nclass B:\n    def testOther(self): pass\n",
        &[
            "class A | class A(unittest.TestCase)",
            "method A.testCamel | def testCamel(self, x=(\"a\",))",
            "class B | class B",
            "method B.testOther | def testOther(self)",
        ],
    );
    let tests: Vec<bool> = facts.symbols.iter().map(|symbol| symbol.flags.test).collect();
    assert_eq!(tests, [false, true, false, false]);
}
