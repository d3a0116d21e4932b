#!/usr/bin/env python3
"""How many of the callers in eval/code/callers/ `throughline code callers` finds, and how much it says besides.

    callers.py [-v] [--json] [--split dev|test] [--language NAME]... [--by-name]

The executable is THROUGHLINE_BIN, or throughline on the PATH. A site is a file and a line. Sites a label lists under
"dynamic" are reached at run time where no static type says so: to report them is neither right nor wrong. Exit code 1
where the test split of a language is below a floor.
"""
import argparse
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import fetch  # noqa: E402
import house as houses  # noqa: E402
import packages  # noqa: E402

# The numbers of the issue, by call site, on the half nobody tunes on.
PRECISION_FLOOR = 0.95
RECALL_FLOOR = 0.90


def labels(languages=packages.LANGUAGES):
    for language in languages:
        yield from houses.lines_of(os.path.join(houses.EVAL, "callers", language + ".jsonl"))


def flaws(label):
    """What is wrong with a label itself: it must point at lines that are there."""
    top = fetch.folder(packages.NAMED[label["package"]])

    def line(file, number):
        try:
            with open(os.path.join(top, file), encoding="utf-8") as opened:
                return opened.read().split("\n")[number - 1]
        except (OSError, IndexError):
            return None

    file, number = label["symbol"].rsplit(":", 1)
    if label["name"].rsplit(".", 1)[-1] not in (line(file, int(number)) or ""):
        yield "%s: %s does not name %s" % (label["id"], label["symbol"], label["name"])
    for site in label["callers"] + label.get("dynamic", []):
        if not (line(site["file"], site["line"]) or "").strip():
            yield "%s: %s:%d is empty" % (label["id"], site["file"], site["line"])
    if label["version"] != packages.NAMED[label["package"]].version:
        yield "%s: another version of %s" % (label["id"], label["package"])


def measure(house, label, by_name=False):
    file = label["symbol"].rsplit(":", 1)[0]
    symbol = "%s:%s" % (file, label["name"]) if by_name else label["symbol"]
    result = {"id": label["id"], "language": label["language"], "split": label["split"], "symbol": label["symbol"],
              "name": label["name"], "package": label["package"], "trouble": None}
    wanted = {(site["file"], site["line"]) for site in label["callers"]}
    dynamic = {(site["file"], site["line"]) for site in label.get("dynamic", ())}
    try:
        items = house.items("code", "callers", symbol)
        found = {(house.relative(item["file"]), item["line"]) for item in items}
    except (houses.Refused, KeyError, TypeError) as trouble:
        result["trouble"], found = str(trouble), set()
    found -= dynamic - wanted
    result.update(hits=len(wanted & found), missed=sorted(wanted - found), false=sorted(found - wanted))
    return result


def score(results):
    hits = sum(r["hits"] for r in results)
    missed, false = (sum(len(r[key]) for r in results) for key in ("missed", "false"))
    # By function: one that is found nowhere has no precision, one that has no callers has no recall.
    precisions = [r["hits"] / (r["hits"] + len(r["false"])) for r in results if r["hits"] + len(r["false"])]
    recalls = [r["hits"] / (r["hits"] + len(r["missed"])) for r in results if r["hits"] + len(r["missed"])]
    return {"functions": len(results), "sites": hits + missed,
            "precision": hits / (hits + false) if hits + false else 0.0,
            "recall": hits / (hits + missed) if hits + missed else 0.0,
            "macro_precision": sum(precisions) / len(precisions) if precisions else 0.0,
            "macro_recall": sum(recalls) / len(recalls) if recalls else 0.0,
            "exact": sum(not r["missed"] and not r["false"] and not r["trouble"] for r in results)}


def run(languages=packages.LANGUAGES, splits=("dev", "test"), by_name=False):
    chosen = [label for label in labels(languages) if label["split"] in splits]
    results = []
    for name in dict.fromkeys(label["package"] for label in chosen):
        with houses.house(packages.NAMED[name]) as house:
            results += [measure(house, label, by_name) for label in chosen if label["package"] == name]
    table = []
    for split in splits:
        for language in languages:
            part = [r for r in results if (r["split"], r["language"]) == (split, language)]
            table.append(dict(score(part), split=split, language=language))
        table.append(dict(score([r for r in results if r["split"] == split]), split=split, language="all"))
    return results, table


def show(table):
    print("%-5s %-11s %9s %6s  %9s %9s  %9s %9s  %s" % ("split", "language", "functions", "sites", "precision", "recall",
                                                       "macro p", "macro r", "exact"))
    for row in table:
        print("%-5s %-11s %9d %6d  %9.3f %9.3f  %9.3f %9.3f  %d" % tuple(row[key] for key in (
            "split", "language", "functions", "sites", "precision", "recall", "macro_precision", "macro_recall", "exact")))


def show_each(results):
    for r in results:
        if r["trouble"] or r["missed"] or r["false"]:
            print("%s %s %s %s %s" % (r["id"], r["split"], r["package"], r["symbol"], r["name"]))
        if r["trouble"]:
            print("    %s" % r["trouble"].strip().replace("\n", "\n    "))
        for kind in ("missed", "false"):
            for file, line in r[kind]:
                print("    %-6s %s:%d" % (kind, file, line))


def below(table):
    """Sentences about what is not good enough."""
    for row in table:
        if row["split"] == "test" and row["language"] != "all":
            for key, floor in (("precision", PRECISION_FLOOR), ("recall", RECALL_FLOOR)):
                if row[key] < floor:
                    yield "%s: %s %.3f of callers is below %.2f" % (row["language"], key, row[key], floor)


def checks(verbose):
    """(sentence, does it hold, why not)."""
    wrong = [flaw for label in labels() for flaw in flaws(label)]
    yield "every label points at lines that are there", not wrong, "\n".join(wrong)
    results, table = run()
    if verbose:
        show_each(results)
    show(table)
    silent = [r for r in results if r["trouble"]]
    yield "callers answers every question", not silent, "\n".join("%s: %s" % (r["id"], r["trouble"]) for r in silent[:5])
    low = list(below(table))
    for language in packages.LANGUAGES:
        for key, floor in (("precision", PRECISION_FLOOR), ("recall", RECALL_FLOOR)):
            why = [text for text in low if text.startswith("%s: %s" % (language, key))]
            yield "%s of callers in %s is at least %.2f" % (key, language, floor), not why, "\n".join(why)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-v", "--verbose", action="store_true", help="every miss and every false hit")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--split", action="append", choices=["dev", "test"])
    parser.add_argument("--language", action="append", choices=packages.LANGUAGES)
    parser.add_argument("--by-name", action="store_true", help="ask with file:Owner.name instead of file:line")
    arguments = parser.parse_args()
    try:
        fetch.fetch_all(packages_only=True, say=lambda text: print(text, file=sys.stderr))
    except fetch.Unreachable as trouble:
        print("SKIPPED: %s" % trouble)
        return fetch.SKIPPED
    languages = arguments.language or packages.LANGUAGES
    wrong = [flaw for label in labels(languages) for flaw in flaws(label)]
    if wrong:
        print("\n".join(wrong))
        return 1
    results, table = run(languages, arguments.split or ("dev", "test"), arguments.by_name)
    if arguments.json:
        print(json.dumps({"table": table, "functions": results}, indent=1))
    else:
        if arguments.verbose:
            show_each(results)
        show(table)
    troubles = [r for r in results if r["trouble"]]
    if troubles and not arguments.json:
        print("%d questions were not answered, the first: %s" % (len(troubles), troubles[0]["trouble"]))
    low = list(below(table))
    if low and not arguments.json:
        print("\n".join(low))
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
