#!/usr/bin/env python3
"""Turns a proposal of the oracles and what a person decided into eval/code/callers/LANGUAGE.jsonl.

    settle.py LANGUAGE PROPOSAL.json

decisions.json holds, by language and "package symbol": "add", "drop" and "dynamic" (lists of "file:line") and "why".
A site the oracles were not of one mind about must be named there, or nothing is written.
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import packages  # noqa: E402

TARGET = os.path.join(os.path.dirname(os.path.dirname(HERE)), "eval", "code", "callers")
ORACLES = {
    "python": "pyright and jedi, asked at every call of the name what it calls, agree; read",
    "typescript": "the compiler's resolved signature at every call, checked against findReferences; read",
    "rust": "rust-analyzer's references, checked against the compiler's warnings with the definition deprecated; read",
    "go": "go/types' uses and selections at every call, tests included; read",
}


def sites(texts):
    split = [text.rsplit(":", 1) for text in texts]
    return [{"file": file, "line": int(line)} for file, line in sorted({(f, int(n)) for f, n in split})]


def main():
    language, proposal = sys.argv[1:]
    with open(os.path.join(HERE, "decisions.json"), encoding="utf-8") as file:
        decisions = json.load(file).get(language, {})
    with open(proposal, encoding="utf-8") as file:
        proposals = json.load(file)
    lines, open_questions = [], []
    for number, p in enumerate(proposals, 1):
        decided = decisions.get("%s %s" % (p["package"], p["symbol"]), {})
        # Two calls on one line are one site: what is compared has lines, not columns.
        yes = {site for site, *_ in p["yes"]} - set(decided.get("drop", ()))
        answered = {s for key in ("add", "drop", "dynamic") for s in decided.get(key, ())}
        open_questions += ["%s %s: %s" % (p["package"], p["symbol"], s) for s, *_ in p["look"]
                           if s not in answered and s not in yes]
        how = ORACLES[language] + ("; by hand: " + decided["why"] if "why" in decided else "")
        label = {"id": "%s-%02d" % (language[:2], number), "split": p["split"], "package": p["package"],
                 "version": packages.NAMED[p["package"]].version, "language": language, "place": p["place"],
                 "symbol": p["symbol"], "name": p["name"], "callers": sites(yes | set(decided.get("add", ()))),
                 "how": how}
        if decided.get("dynamic"):
            label["dynamic"] = sites(decided["dynamic"])
        lines.append(json.dumps(label))
    if open_questions:
        sys.exit("nobody decided:\n" + "\n".join(open_questions))
    with open(os.path.join(TARGET, language + ".jsonl"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print("%s: %d labels" % (language, len(lines)))


if __name__ == "__main__":
    main()
