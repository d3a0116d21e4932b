#!/usr/bin/env python3
"""Chooses from the dumps of typescript_calls.mjs or go_calls.go and writes a proposal for settle.py.

    propose.py OUT.json DUMP.json:FOLDER...

A call of the name that the oracle could not resolve at all is a question for a person.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402


def main():
    out, definitions, folders, unknown = sys.argv[1], [], {}, {}
    for spec in sys.argv[2:]:
        dump, folder = spec.split(":")
        with open(dump, encoding="utf-8") as file:
            read = json.load(file)
        definitions += read["definitions"]
        package = read["definitions"][0]["package"]
        folders[package], unknown[package] = folder, read["unknown"]

    def shown(package, site):
        with open(os.path.join(folders[package], site["file"]), encoding="utf-8") as file:
            return ["%s:%d" % (site["file"], site["line"]), file.read().split("\n")[site["line"] - 1].strip()]

    proposals = []
    for place, split, d, _ in sample.choose(definitions, lambda d: d["yes"]):
        look = [shown(d["package"], s) + [s["why"]] for s in d["look"]]
        look += [shown(d["package"], s) + ["not resolved"] for s in unknown[d["package"]].get(d["bare"], [])]
        proposals.append({"place": place, "split": split, "package": d["package"], "name": d["name"], "no": 0,
                          "symbol": "%s:%d" % (d["file"], d["line"]),
                          "yes": [shown(d["package"], s) for s in d["yes"]], "look": look})
    with open(out, "w", encoding="utf-8") as file:
        json.dump(proposals, file, indent=1)


if __name__ == "__main__":
    main()
