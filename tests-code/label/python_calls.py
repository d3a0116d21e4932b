#!/usr/bin/env python3
"""Proposes caller labels for Python: pyright and jedi are asked, call by call, what is called; they must agree.

    python_calls.py OUT.json PYRIGHT-LANGSERVER NAME:FOLDER:SOURCE...

Run by hand with an interpreter that has jedi and the packages' dependencies. Every call and every decorator in the
folder that carries the definition's name (or an alias of it) is a candidate. Where the two oracles differ, or neither
knows, the proposal lists the site under "look": a person reads it.
"""
import ast
import json
import os
import sys

import jedi

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lsp  # noqa: E402
import sample  # noqa: E402

# A name this frequent would keep the oracles busy for hours, and nobody could read the result.
MOST_SITES = 250
NOT_CALLS = {"property", "overload", "cached_property", "setter", "getter", "deleter", "fixture"}


class Package:
    def __init__(self, name, folder, source, server):
        self.name, self.folder, self.source = name, os.path.abspath(folder), source
        self.files = sorted(os.path.relpath(os.path.join(root, file), self.folder)
                            for root, _, files in os.walk(self.folder) for file in files if file.endswith(".py"))
        self.trees, self.lines = {}, {}
        for file in self.files:
            with open(os.path.join(self.folder, file), encoding="utf-8") as opened:
                text = opened.read()
            self.lines[file] = text.split("\n")
            self.trees[file] = ast.parse(text)
        above = os.path.dirname(os.path.join(self.folder, source))
        command = ["node", server, "--stdio"]
        self.server = lsp.Server(command, self.folder, {"python": {"pythonPath": sys.executable, "analysis": {
            "extraPaths": [above], "diagnosticMode": "openFilesOnly", "useLibraryCodeForTypes": True}}})
        self.project = jedi.Project(self.folder, sys_path=[above, self.folder] + sys.path[1:], smart_sys_path=False)
        self.scripts, self.asked = {}, {}
        self.sites = self.collect_sites()
        self.bases, self.owners = {}, {}
        self.definitions = list(self.collect_definitions())

    def column(self, file, line, bytes_before):
        return len(self.lines[file][line - 1].encode()[:bytes_before].decode())

    def collect_sites(self):
        """name -> [(file, line, column)] of everything that is called or applied as a decorator."""
        sites = {}
        for file, tree in self.trees.items():
            for node in ast.walk(tree):
                called = [node.func] if isinstance(node, ast.Call) else []
                for decorator in getattr(node, "decorator_list", []):
                    if not isinstance(decorator, ast.Call):
                        called.append(decorator)
                for callee in called:
                    if isinstance(callee, ast.Name):
                        name, line, at = callee.id, callee.lineno, callee.col_offset
                    elif isinstance(callee, ast.Attribute):
                        name, line = callee.attr, callee.end_lineno
                        at = callee.end_col_offset - len(name.encode())
                    else:
                        continue
                    sites.setdefault(name, []).append((file, line, self.column(file, line, at)))
        return sites

    def aliases(self, bare):
        """Other names the text gives to something called `bare`."""
        found = set()
        for tree in self.trees.values():
            for node in ast.walk(tree):
                if isinstance(node, (ast.ImportFrom, ast.Import)):
                    found |= {a.asname for a in node.names if a.asname and a.name.split(".")[-1] == bare}
                elif isinstance(node, ast.Assign) and getattr(node.value, "id", getattr(node.value, "attr", "")) == bare:
                    for target in node.targets:
                        # `self.x = f` and `x = f`: a call of x may be a call of f. Annotated or not, a person looks.
                        found |= {getattr(target, "id", getattr(target, "attr", None))} - {None}
        return found - {bare}

    def collect_definitions(self):
        inside = self.source.rstrip("/") + "/"
        found = []

        def visit(node, file, owner, in_class):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.ClassDef):
                    self.bases[child.name] = [getattr(b, "id", getattr(b, "attr", "")) for b in child.bases]
                    visit(child, file, owner + [child.name], True)
                elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    found.append((child, file, owner, in_class))
                    visit(child, file, owner + [child.name], False)
                else:
                    visit(child, file, owner, in_class)

        for file, tree in self.trees.items():
            if file.startswith(inside):
                visit(tree, file, [], False)
        owners = {}
        for node, file, owner, in_class in found:
            if in_class:
                owners.setdefault(node.name, set()).add((file, tuple(owner)))
        exported = set()
        for file, tree in self.trees.items():
            if os.path.basename(file) == "__init__.py":
                exported |= {a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names}
        for node, file, owner, in_class in found:
            marks = {getattr(d, "id", getattr(d, "attr", "")) for d in node.decorator_list}
            init = node.name == "__init__"
            if marks & NOT_CALLS or (node.name.startswith("__") and not init):
                continue
            yield {"package": self.name, "file": file, "line": node.lineno, "bare": node.name,
                   "column": len(self.lines[file][node.lineno - 1].split(node.name)[0]),
                   "name": ".".join(owner + [node.name]), "owner": owner,
                   "kind": "constructor" if init else "method" if in_class else "function",
                   "private": node.name.startswith("_") and not init, "shared": len(owners.get(node.name, ())) > 1,
                   "reexported": node.name in exported}

    def candidates(self, d):
        names = {d["bare"]} | self.aliases(d["bare"])
        if d["kind"] == "constructor":
            family, grew = {d["owner"][-1]}, True
            while grew:
                more = {c for c, bases in self.bases.items() if family & set(bases)} - family
                family, grew = family | more, bool(more)
            names = family | {"__init__", "cls", "__class__"} | {a for c in family for a in self.aliases(c)}
        return sorted({site for name in names for site in self.sites.get(name, [])})

    def pyright(self, site):
        file, line, column = site
        path = os.path.join(self.folder, file)
        self.server.open(path, "python")
        return [(os.path.relpath(p, self.folder), at) for p, at, _ in self.server.definition(path, line, column)]

    def jedi(self, site):
        file, line, column = site
        if file not in self.scripts:
            self.scripts[file] = jedi.Script(path=os.path.join(self.folder, file), project=self.project)
        found = set()
        for ask in ("goto", "infer"):
            try:
                more = {"follow_imports": True} if ask == "goto" else {}
                for name in getattr(self.scripts[file], ask)(line, column, **more):
                    if name.module_path:
                        found.add((os.path.relpath(str(name.module_path), self.folder), name.line))
            except Exception:  # noqa: BLE001  jedi gives up in many ways; it then has no opinion
                pass
        return sorted(found)

    def opinions(self, site):
        if site not in self.asked:
            self.asked[site] = (self.pyright(site), self.jedi(site))
        return self.asked[site]

    def judge(self, d):
        sites = self.candidates(d)
        if len(sites) > MOST_SITES:
            return None
        here = {(d["file"], d["line"])}
        if d["kind"] == "constructor":
            # An oracle that answers with the class means its constructor, if the class has one of its own.
            node = [n for n in ast.walk(self.trees[d["file"]]) if isinstance(n, ast.ClassDef)
                    and n.name == d["owner"][-1] and n.lineno < d["line"]]
            here |= {(d["file"], n.lineno) for n in node[-1:]}
        verdict = {"yes": [], "look": [], "no": 0}
        for site in sites:
            pyright, by_jedi = self.opinions(site)
            p, j = bool(here & set(pyright)), bool(here & set(by_jedi))
            if p and j:
                verdict["yes"].append(site)
            elif p or j or not pyright or (d["kind"] == "constructor" and not by_jedi):
                verdict["look"].append((site, "pyright=%s jedi=%s" % (pyright[:3], by_jedi[:3])))
            else:
                verdict["no"] += 1
        return verdict

    def text(self, file, line):
        return self.lines[file][line - 1].strip()


def main():
    out, server, packages = sys.argv[1], sys.argv[2], sys.argv[3:]
    packages = {p.name: p for p in (Package(*spec.split(":"), server) for spec in packages)}
    verdicts = {}

    def calls_of(d):
        verdict = packages[d["package"]].judge(d)
        if verdict is None:
            return None
        verdicts[d["package"], d["file"], d["line"]] = verdict
        claimed = [site for site, why in verdict["look"] if "pyright=[]" not in why]
        return verdict["yes"] + claimed

    every = [d for p in packages.values() for d in p.definitions]
    proposals = []
    for place, split, d, _ in sample.choose(every, calls_of):
        verdict, package = verdicts[d["package"], d["file"], d["line"]], packages[d["package"]]
        proposals.append({
            "place": place, "split": split, "package": d["package"], "symbol": "%s:%d" % (d["file"], d["line"]),
            "name": d["name"], "no": verdict["no"],
            "yes": [["%s:%d" % s[:2], package.text(*s[:2])] for s in verdict["yes"]],
            "look": [["%s:%d" % s[:2], package.text(*s[:2]), why] for s, why in verdict["look"]]})
    with open(out, "w", encoding="utf-8") as file:
        json.dump(proposals, file, indent=1)
    for package in packages.values():
        package.server.close()


if __name__ == "__main__":
    main()
