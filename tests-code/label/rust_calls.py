#!/usr/bin/env python3
"""Proposes caller labels for Rust: rust-analyzer's references, and the compiler's own word.

    rust_calls.py OUT.json RUST-ANALYZER ORACLE-RUST NAME:FOLDER...

Run by hand on copies of the crates with an empty [workspace] table each. For the chosen ones the definition is marked
`#[deprecated]` and `cargo check --all-targets --all-features` names every use of it, except in its own body. What only
one of the two names, and what stands where neither looks (code for another system, macros), goes under "look".
Methods of trait implementations cannot be marked: there rust-analyzer is alone, and every site is read.
"""
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lsp  # noqa: E402
import sample  # noqa: E402

LINT = "deprecated"
# Conditions that hold here, with all features on Linux. What stands below another one is not chosen.
BUILT = re.compile(r"(feature = |any \(feature|all \(feature|unix|not \(windows)")


class Crate:
    def __init__(self, name, folder, analyzer, oracle):
        self.name, self.folder = name, os.path.realpath(folder)
        self.files = sorted(os.path.relpath(os.path.join(root, file), self.folder)
                            for root, _, files in os.walk(self.folder) for file in files
                            if file.endswith(".rs") and "/target" not in root)
        self.lines = {}
        for file in self.files:
            with open(os.path.join(self.folder, file), encoding="utf-8") as opened:
                self.lines[file] = opened.read().split("\n")
        self.definitions = list(self.define(oracle))
        options = {"cargo": {"features": "all", "targetDir": True}, "checkOnSave": False, "procMacro": {"enable": True},
                   "cachePriming": {"enable": False}}
        self.server = lsp.Server([analyzer], self.folder, {"rust-analyzer": options}, options)
        self.server.open(os.path.join(self.folder, "src/lib.rs"), "rust")
        deadline = time.time() + 240
        while time.time() < deadline:
            message = self.server.progress.get(timeout=240)
            if message["method"] == "experimental/serverStatus" and message["params"].get("quiescent"):
                break

    def define(self, oracle):
        said = subprocess.run([oracle] + self.files, cwd=self.folder, capture_output=True, text=True, check=True).stdout
        found = []
        for line in said.splitlines():
            read = json.loads(line)
            for d in read.get("definitions", ()):
                shut = [c for c in d["conditions"] if not BUILT.match(c)]
                if d["kind"] in ("function", "method") and read["file"].startswith("src/") and not shut:
                    found.append(dict(d, file=read["file"]))
        owners, text = {}, "\n".join("\n".join(lines) for lines in self.lines.values())
        for d in found:
            if d["kind"] == "method":
                owners.setdefault(d["name"], set()).add((d["file"], d["owner"]))
        exported = set(re.findall(r"\w+", " ".join(re.findall(r"pub use [^;]*;", text))))
        for d in found:
            yield {"package": self.name, "file": d["file"], "line": d["line"], "column": d["column"], "bare": d["name"],
                   "name": ".".join(filter(None, [d["owner"].split(".")[-1] if d["kind"] == "method" else "", d["name"]])),
                   "kind": "constructor" if d["kind"] == "method" and d["name"] == "new" else d["kind"],
                   "private": not d["public"] and not d["in_trait_impl"], "in_trait_impl": d["in_trait_impl"],
                   "shared": len(owners.get(d["name"], ())) > 1, "first_line": d["first_line"],
                   "reexported": d["name"] in exported}

    def is_call(self, file, line, column, bare):
        rest = "\n".join([self.lines[file][line - 1][column:]] + self.lines[file][line:line + 3])
        before = self.lines[file][line - 1][:column]
        if not rest.startswith(bare) or re.search(r"\bfn\s+$", before) or before.lstrip().startswith("//"):
            return False
        rest, depth = rest[len(bare):].lstrip(), 0
        if rest.startswith("::<"):
            for at, letter in enumerate(rest):
                depth += {"<": 1, ">": -1}.get(letter, 0)
                if letter == ">" and depth == 0 and rest[at - 1] != "-":
                    rest = rest[at + 1:].lstrip()
                    break
        return rest.startswith("(")

    def references(self, d):
        found = self.server.references(os.path.join(self.folder, d["file"]), d["line"], d["column"])
        inside = [(os.path.relpath(p, self.folder), line, column) for p, line, column in found]
        return sorted({(f, line) for f, line, column in inside
                       if f in self.lines and self.is_call(f, line, column, d["bare"])})

    def compiled(self, d):
        """{(file, line)} the compiler warns about, or None where it cannot be asked."""
        if d["in_trait_impl"]:
            return None
        path, at = os.path.join(self.folder, d["file"]), d["first_line"] - 1
        text = "\n".join(self.lines[d["file"]])
        marked = list(self.lines[d["file"]])
        # In front of the item, on its own line: line numbers stay.
        marked[at] = "#[deprecated] " + marked[at].lstrip()
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(marked))
            ran = subprocess.run(["cargo", "check", "--all-targets", "--all-features", "--message-format=json", "-q"],
                                 cwd=self.folder, capture_output=True, text=True, check=False)
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        sites = set()
        for line in ran.stdout.splitlines():
            message = json.loads(line).get("message") or {}
            if (message.get("code") or {}).get("code") == LINT:
                for span in message["spans"]:
                    if span["is_primary"] and span["file_name"] in self.lines:
                        at = span["column_start"] - 1
                        if self.is_call(span["file_name"], span["line_start"], at, d["bare"]):
                            sites.add((span["file_name"], span["line_start"]))
        return sites

    def text(self, site):
        return ["%s:%d" % site, self.lines[site[0]][site[1] - 1].strip()]


def main():
    out, analyzer, oracle = sys.argv[1:4]
    crates = {c.name: c for c in (Crate(*spec.split(":"), analyzer, oracle) for spec in sys.argv[4:])}
    every = [d for crate in crates.values() for d in crate.definitions]
    proposals = []
    for place, split, d, calls in sample.choose(every, lambda d: crates[d["package"]].references(d)):
        crate, calls = crates[d["package"]], set(calls)
        compiled = crate.compiled(d)
        agreed = calls if compiled is None else calls & compiled
        look = [crate.text(s) + ["rust-analyzer only"] for s in sorted(calls - agreed)]
        look += [crate.text(s) + ["compiler only"] for s in sorted((compiled or set()) - calls)]
        proposals.append({"place": place, "split": split, "package": d["package"], "name": d["name"], "no": 0,
                          "symbol": "%s:%d" % (d["file"], d["line"]), "in_trait_impl": d["in_trait_impl"],
                          "yes": [crate.text(s) for s in sorted(agreed)], "look": look})
    with open(out, "w", encoding="utf-8") as file:
        json.dump(proposals, file, indent=1)
    for crate in crates.values():
        crate.server.close()


if __name__ == "__main__":
    main()
