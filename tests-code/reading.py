#!/usr/bin/env python3
"""What a reading task costs with the outline and the ranges it names, beside reading the whole file.

    reading.py [-v] [--json]

For each task of eval/code/reading.jsonl: the text of `throughline code outline FILE` and the lines of the needed
definitions, as its --json says them, in tokens; against the file. A needed definition must be in the outline with a range
that holds all of what the language's own parser calls that definition. Exit code 1 where one is not, or where fewer
tokens than SAVED are saved over all tasks.
"""
import argparse
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import fetch  # noqa: E402
import house as houses  # noqa: E402
import outline  # noqa: E402
import packages  # noqa: E402

# The number of the issue.
SAVED = 0.80
# Source code, as models cut it. The same for both sides, so the ratio does not hang on it.
BYTES_PER_TOKEN = 3.2
# Below this a file is simply read.
LARGE = 400


def tasks():
    return houses.lines_of(os.path.join(houses.EVAL, "reading.jsonl"))


def wanted(definitions, name):
    """The definition a task names; of overloads the last, which is the implementation."""
    found = [d for d in definitions if ("." + ".".join(filter(None, [d.get("owner"), d["name"]]))).endswith("." + name)]
    if not found:
        raise SystemExit("%s is not defined where a task says" % name)
    shortest = min(len(d.get("owner") or "") for d in found)
    return [d for d in found if len(d.get("owner") or "") == shortest][-1]


def range_of(definition, items):
    """(first line, last line) as the outline says, or None."""
    for item in items:
        if outline.plain(item["name"]) == outline.plain(definition["name"]) and item["line"] in definition["lines"]:
            if item["end_line"] >= min(definition["ends"]):
                return item["line"], item["end_line"]
    return None


def measure(house, task, definitions):
    with open(os.path.join(house.project, task["file"]), "rb") as file:
        lines = file.read().splitlines(keepends=True)
    result = {"id": task["id"], "package": task["package"], "file": task["file"], "lines": len(lines),
              "unreachable": [], "trouble": None}
    text, read = "", set()
    try:
        text, items = house.ask("code", "outline", task["file"]), house.items("code", "outline", task["file"])
        for name in task["needs"]:
            at = range_of(wanted(definitions, name), items)
            if at is None:
                result["unreachable"].append(name)
            else:
                read |= set(range(at[0], at[1] + 1))
    except houses.Refused as trouble:
        result["trouble"], result["unreachable"] = str(trouble), list(task["needs"])
    tokens = lambda size: round(size / BYTES_PER_TOKEN)  # noqa: E731
    result.update(whole=tokens(sum(map(len, lines))), outline=tokens(len(text.encode())),
                  ranges=tokens(sum(len(lines[number - 1]) for number in read if number <= len(lines))))
    result["saved"] = 1 - (result["outline"] + result["ranges"]) / result["whole"]
    return result


def run():
    results, every = [], tasks()
    for name in dict.fromkeys(task["package"] for task in every):
        definitions = outline.expected(packages.NAMED[name])[0]
        with houses.house(packages.NAMED[name]) as house:
            results += [measure(house, task, definitions[task["file"]]) for task in every if task["package"] == name]
    small = [r["file"] for r in results if r["lines"] <= LARGE]
    if small:
        raise SystemExit("not large: %s" % ", ".join(small))
    whole, ours = (sum(r[key] for r in results) for key in ("whole", "outline"))
    ours += sum(r["ranges"] for r in results)
    return results, {"tasks": len(results), "whole": whole, "ours": ours, "saved": 1 - ours / whole,
                     "mean_saved": sum(r["saved"] for r in results) / len(results),
                     "unreachable": sum(len(r["unreachable"]) for r in results)}


def show(results, total, verbose):
    if verbose:
        print("%-8s %7s %8s %7s %7s  %s" % ("task", "whole", "outline", "ranges", "saved", "file"))
    for r in results:
        if verbose:
            print("%-8s %7d %8d %7d %6.1f%%  %s %s" % (r["id"], r["whole"], r["outline"], r["ranges"], 100 * r["saved"],
                                                     r["package"], r["file"]))
        if r["unreachable"]:
            print("%s: not reachable in %s: %s%s" % (r["id"], r["file"], ", ".join(r["unreachable"]),
                                                     "\n    " + r["trouble"] if r["trouble"] else ""))
    print("%(tasks)d tasks: %(whole)d tokens as whole files, %(ours)d with outline and ranges" % total)
    print("%.1f %% saved over all, %.1f %% on average" % (100 * total["saved"], 100 * total["mean_saved"]))


def good(total):
    return total["unreachable"] == 0 and total["saved"] >= SAVED


def checks(verbose):
    """(sentence, does it hold, why not)."""
    results, total = run()
    show(results, total, verbose)
    lost = ["%s: %s" % (r["id"], ", ".join(r["unreachable"])) for r in results if r["unreachable"]]
    yield "every needed definition of %d reading tasks is reachable" % total["tasks"], not lost, "\n".join(lost)
    yield ("outline and ranges save at least %.0f %% of the tokens" % (100 * SAVED), total["saved"] >= SAVED,
           "%.1f %% saved" % (100 * total["saved"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-v", "--verbose", action="store_true", help="every task")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    try:
        fetch.fetch_all(say=lambda text: print(text, file=sys.stderr))
    except fetch.Unreachable as trouble:
        print("SKIPPED: %s" % trouble)
        return fetch.SKIPPED
    results, total = run()
    if arguments.json:
        print(json.dumps({"total": total, "tasks": results}, indent=1))
    else:
        show(results, total, arguments.verbose)
    return 0 if good(total) else 1


if __name__ == "__main__":
    sys.exit(main())
