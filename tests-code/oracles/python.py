#!/usr/bin/env python3
"""What Python's own parser finds in files: every definition with its lines.

    python.py FILE... > lines of {file, definitions: [{name, owner, kind, lines, ends}]}

Functions, classes, methods, nested ones, lambdas with a name, constants of the module (UPPER_CASE). A decorator is not
part of the definition's first line.
"""
import ast
import json
import re
import sys

CONSTANT = re.compile(r"_*[A-Z][A-Z0-9_]*$")


def names(target):
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from names(element)
    elif isinstance(target, ast.Starred):
        yield from names(target.value)


def definitions(tree):
    found, owner = [], []

    def add(name, kind, line, node):
        found.append({"name": name, "owner": ".".join(owner), "kind": kind, "lines": sorted({line, node.lineno}),
                      "ends": [node.end_lineno]})

    def inside(child, in_class):
        owner.append(child.name)
        visit(child, False, in_class)
        owner.pop()

    def visit(node, at_module, in_class):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                add(child.name, "method" if in_class else "function" if at_module else "nested function", child.lineno, child)
                inside(child, False)
            elif isinstance(child, ast.ClassDef):
                add(child.name, "class", child.lineno, child)
                inside(child, True)
            elif isinstance(child, (ast.Assign, ast.AnnAssign)):
                targets = child.targets if isinstance(child, ast.Assign) else [child.target]
                for target in targets:
                    for name in names(target):
                        if isinstance(child.value, ast.Lambda) and isinstance(target, ast.Name):
                            add(name.id, "lambda", name.lineno, child)
                        # An annotation alone gives no value: `X: int` declares, and is not a constant yet.
                        elif at_module and child.value is not None and CONSTANT.match(name.id):
                            add(name.id, "constant", name.lineno, child)
                visit(child, False, False)
            else:
                # `if`, `try` and `with` at the top are still the module; an expression is not.
                block = isinstance(child, (ast.stmt, ast.ExceptHandler))
                visit(child, at_module and block, in_class and block)

    visit(tree, True, False)
    return found


def main():
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            text = file.read()
        try:
            print(json.dumps({"file": path, "definitions": definitions(ast.parse(text))}))
        except (SyntaxError, ValueError) as trouble:
            print(json.dumps({"file": path, "error": str(trouble)}))


if __name__ == "__main__":
    main()
