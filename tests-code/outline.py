#!/usr/bin/env python3
"""Does `throughline code outline FILE` list every definition that the language's own parser finds?

    outline.py [-v] [--json] [--language NAME]... [--package NAME]...

Over all source files of the packages. A definition is a name and the line it begins on; what kind it is called does
not matter. The executable is THROUGHLINE_BIN, or throughline on the PATH. Exit code 1 below 100 %.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import fetch  # noqa: E402
import house as houses  # noqa: E402
import packages  # noqa: E402

# Where a parser is wrong, or is asked for more than a definition: (package, file, name, line) -> why. Nothing else may
# be left out.
EXCLUSIONS = {
    ("mobx", "src/api/action.ts", "res", 56): "`const res: T = function action(…) {…}` in a file the grammar reads only in parts",
}
# One process for each file; more at once would measure the machine.
AT_ONCE = 2


def oracle(language):
    """The command that prints what the language's own parser finds, and its environment."""
    script = os.path.join(houses.HERE, "oracles")
    if language == "python":
        return [sys.executable, os.path.join(script, "python.py")], {}
    if language == "typescript":
        return ["node", os.path.join(script, "typescript.mjs"), fetch.typescript()], {}
    if language == "go":
        command, env = fetch.go()
        # The last name that ends in .go before `--` is the program, the files come behind it.
        return [command, "run", os.path.join(script, "go.go"), "--"], env
    return [fetch.oracle_rust()], {}


def expected(package):
    """{file: [definition]}, and the files the parser cannot read."""
    command, env = oracle(package.language)
    top, files = fetch.folder(package), houses.sources(package)
    ran = subprocess.run(command + files, cwd=top, env=dict(os.environ, **env), capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise SystemExit("the parser for %s failed: %s" % (package.language, ran.stderr[-800:]))
    found, unread = {}, []
    for line in ran.stdout.splitlines():
        read = json.loads(line)
        if "error" in read:
            unread.append("%s: %s" % (read["file"], read["error"]))
            continue
        definitions = []
        for d in read["definitions"]:
            if "lines" not in d:
                d = dict(d, lines=sorted({d["line"], d["first_line"]}), ends=[d["end_line"]])
            if d["name"] != "_" and (package.name, read["file"], d["name"], d["lines"][0]) not in EXCLUSIONS:
                definitions.append(d)
        found[read["file"]] = definitions
    if set(found) | {text.split(":")[0] for text in unread} != set(files):
        raise SystemExit("the parser for %s did not answer for every file of %s" % (package.language, package.name))
    return found, unread


def plain(name):
    """Without what owns it and without the signs some languages write around a name."""
    for sign in ("::", "."):
        # A computed name such as Symbol.iterator has a dot of its own; its last part is enough to compare.
        name = name.rsplit(sign, 1)[-1]
    return name.strip("[]\"'`#*&()").removeprefix("r#")


def compare(definitions, items):
    """(missing definitions, found ones whose end differs)."""
    said = collections.defaultdict(list)
    for item in items:
        said[plain(item["name"]), item["line"]].append(item["end_line"])
    missing, ends = [], []
    for d in definitions:
        places = [(plain(d["name"]), line) for line in d["lines"]]
        at = next((place for place in places if said.get(place)), None)
        if at is None:
            missing.append(d)
        elif not set(said[at]) & set(d["ends"]):
            ends.append(dict(d, said=said[at]))
    return missing, ends


def measure(package):
    result = {"package": package.name, "language": package.language, "files": 0, "definitions": 0, "kinds": collections.Counter(),
              "missing": [], "ends": [], "troubles": []}
    wanted, unread = expected(package)
    result["unread"] = unread
    with houses.house(package) as house, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        def ask(file):
            try:
                return file, house.items("code", "outline", file), None
            except houses.Refused as trouble:
                return file, [], str(trouble)
        for file, items, trouble in pool.map(ask, sorted(wanted)):
            if trouble:
                result["troubles"].append(trouble)
            missing, ends = compare(wanted[file], items)
            result["files"] += 1
            result["definitions"] += len(wanted[file])
            result["kinds"].update(d["kind"] for d in wanted[file])
            result["missing"] += [dict(d, file=file) for d in missing]
            result["ends"] += [dict(d, file=file) for d in ends]
    return result


def run(chosen):
    results = [measure(package) for package in chosen]
    table = []
    for language in packages.LANGUAGES:
        part = [r for r in results if r["language"] == language]
        if part:
            total = sum(r["definitions"] for r in part)
            missing, ends = (sum(len(r[key]) for r in part) for key in ("missing", "ends"))
            table.append({"language": language, "files": sum(r["files"] for r in part), "definitions": total,
                          "missing": missing, "recall": (total - missing) / total if total else 0.0,
                          "ends": (total - missing - ends) / (total - missing) if total > missing else 0.0})
    return results, table


def show(results, table, verbose):
    for r in results:
        for text in r["unread"]:
            print("not readable for the parser: %s %s" % (r["package"], text))
        if verbose:
            for d in r["missing"]:
                print("missing  %s %s:%d %s (%s)" % (r["package"], d["file"], d["lines"][0], d["name"], d["kind"]))
            for d in r["ends"]:
                print("end      %s %s:%d %s (%s): %s instead of %s" % (r["package"], d["file"], d["lines"][0], d["name"],
                                                                      d["kind"], d["said"], d["ends"]))
        if r["troubles"]:
            print("%s: %d files without an answer, the first: %s" % (r["package"], len(r["troubles"]), r["troubles"][0]))
    print("%-11s %6s %12s %8s %8s %9s" % ("language", "files", "definitions", "missing", "recall", "end line"))
    for row in table:
        print("%-11s %6d %12d %8d %7.2f%% %8.2f%%" % (row["language"], row["files"], row["definitions"], row["missing"],
                                                    100 * row["recall"], 100 * row["ends"]))
    missing = collections.Counter((r["language"], d["kind"]) for r in results for d in r["missing"])
    kinds = collections.Counter()
    for r in results:
        for kind, count in r["kinds"].items():
            kinds[r["language"], kind] += count
    for (language, kind), count in sorted(missing.items()):
        print("  missing of %s, %s: %d of %d" % (language, kind, count, kinds[language, kind]))


def checks(verbose):
    """(sentence, does it hold, why not)."""
    results, table = run(packages.ALL)
    show(results, table, verbose)
    silent = [trouble for r in results for trouble in r["troubles"]]
    yield "outline answers for every file", not silent, "\n".join(silent[:5])
    for row in table:
        first = ["%s %s:%d %s (%s)" % (r["package"], d["file"], d["lines"][0], d["name"], d["kind"])
                 for r in results if r["language"] == row["language"] for d in r["missing"]]
        yield ("the outline has all %d definitions of %d files in %s" % (row["definitions"], row["files"], row["language"]),
               not first, "%d are missing:\n%s" % (len(first), "\n".join(first[:20])))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-v", "--verbose", action="store_true", help="every missing definition, every other end")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--language", action="append", choices=packages.LANGUAGES)
    parser.add_argument("--package", action="append", choices=sorted(packages.NAMED))
    arguments = parser.parse_args()
    try:
        fetch.fetch_all(say=lambda text: print(text, file=sys.stderr))
    except fetch.Unreachable as trouble:
        print("SKIPPED: %s" % trouble)
        return fetch.SKIPPED
    chosen = [p for p in packages.ALL if p.language in (arguments.language or packages.LANGUAGES)
              and p.name in (arguments.package or packages.NAMED)]
    results, table = run(chosen)
    if arguments.json:
        print(json.dumps({"table": table, "packages": results}, indent=1))
    else:
        show(results, table, arguments.verbose)
    return 0 if all(row["missing"] == 0 for row in table) else 1


if __name__ == "__main__":
    sys.exit(main())
