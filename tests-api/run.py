#!/usr/bin/env python3
"""schemathesis against /api/v1: does every answer keep what the OpenAPI document promises, whatever is asked?

    run.py --throughline BIN [--examples N] [--seed N] [--only PATH] [--keep] [--fetch]

Started by `cargo xtask api-test`. This file needs the standard library only; schemathesis is fetched with pip into a
virtual environment under .tools/ once. What cannot be fetched is not tested: exit code 77. Everything is asked of a
real daemon in a home of its own, writes too; what was filled in through hooks is in house.py, and hooks.py lends the
generator ids that exist. Afterwards the daemon must be the same process, healthy, and its log free of panics.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)

from house import House  # noqa: E402

# Another version asks other questions: change it when its findings were looked at.
PACKAGE, VERSION = "schemathesis", "4.32.5"
SKIPPED = 77
FETCH_SECONDS = 600
# Random questions per operation, after the ones that cover the document. Enough to find what is found at all, few
# enough for every change; a night may ask more.
EXAMPLES = 12
# The same questions every time: a change is judged by what it changed. `--seed` asks others.
SEED = 20
# Over all operations; one that hangs must not take the run with it.
RUN_SECONDS = 300
ANSWER_SECONDS = 10


def tool():
    """The program `st`; None where pip cannot help."""
    folder = os.path.join(ROOT, ".tools", "%s-%s" % (PACKAGE, VERSION))
    program = os.path.join(folder, "bin", "st")
    works = lambda: os.path.exists(program) and subprocess.run(  # noqa: E731
        [program, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
    if not works():
        shutil.rmtree(folder, ignore_errors=True)
        try:
            venv.create(folder, with_pip=True)
            subprocess.run([os.path.join(folder, "bin", "python"), "-m", "pip", "install", "--quiet",
                            "--disable-pip-version-check", "%s==%s" % (PACKAGE, VERSION)],
                           timeout=FETCH_SECONDS, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            print("cannot make an environment: %s" % error)
    return program if works() else None


def ids(house):
    """What exists, by the first word of its path, for questions that get as far as an answer."""
    lists = {"sessions": "id", "memories": "id", "prompts": "id", "events": "id", "hand-offs": "session",
             "checkpoints": "id", "workspaces": "key", "behaviors": "name", "settings": "key"}
    known = {}
    for name, field in lists.items():
        status, answer = house.ask("GET", "/api/v1/%s" % name)
        if status == 200:
            items = answer["items"] if isinstance(answer, dict) else answer
            known[name] = [item[field] for item in items][:20]
    return known


def ask_everything(program, house, folder, options):
    """Runs schemathesis; (exit code, what it says of itself)."""
    report = os.path.join(folder, "report.json")
    with open(os.path.join(folder, "ids.json"), "w", encoding="utf-8") as file:
        json.dump(ids(house), file)
    url = "http://127.0.0.1:%s" % house.said("port")
    argv = [program, "--config-file", os.path.join(HERE, "schemathesis.toml"), "run", url + "/api/v1/openapi.json",
            "--url", url, "--header", "Authorization: Bearer " + house.said("token"),
            "--phases", "examples,coverage,fuzzing,stateful", "--max-examples", str(options.examples),
            "--seed", str(options.seed), "--request-timeout", str(ANSWER_SECONDS), "--generation-database", "none",
            "--continue-on-failure", "--workers", "1", "--no-color", "--report", "json", "--report-json-path", report]
    if options.only:
        argv += ["--include-path", options.only]
    env = dict(house.env, SCHEMATHESIS_HOOKS="hooks", PYTHONPATH=HERE, PYTHONDONTWRITEBYTECODE="1",
               API_TEST_IDS=os.path.join(folder, "ids.json"))
    ran = subprocess.run(argv, env=env, cwd=folder, timeout=RUN_SECONDS, check=False)
    try:
        with open(report, encoding="utf-8") as file:
            return ran.returncode, json.load(file)
    except (OSError, ValueError):
        return ran.returncode or 1, {}


class Checks:
    def __init__(self):
        self.held, self.failed = 0, []

    def that(self, sentence, holds, why=""):
        if holds:
            self.held += 1
        else:
            self.failed.append(sentence)
        print("  %s  %s" % ("ok  " if holds else "FAIL", sentence if holds else "%s\n        %s" % (sentence, why)), flush=True)


def check(program, house, folder, options):
    checks, began = Checks(), time.time()
    sent = house.fill()
    house.settle()
    before = house.status()
    print("%d hooks were called in %.1f s" % (sent, time.time() - began), flush=True)
    code, report = ask_everything(program, house, folder, options)
    checks.that("every operation keeps what the document says of it", code == 0, "see above")
    after = house.status()
    checks.that("the daemon is the one that was asked first", after["pid"] == before["pid"], (before["pid"], after["pid"]))
    panics = [line for line in house.run("daemon", "logs").splitlines() if re.search(r"panick", line, re.I)]
    checks.that("its log tells of no panic", not panics, "\n        ".join(panics[:10]))
    doctor = house.run("doctor", check=False)
    checks.that("the doctor finds nothing broken", not "FAIL" in doctor, doctor)
    return checks, report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--throughline")
    parser.add_argument("--examples", type=int, default=EXAMPLES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", help="one path of the document, such as /api/v1/search")
    parser.add_argument("--keep", action="store_true", help="leave the home of the test behind")
    parser.add_argument("--fetch", action="store_true", help="fetch schemathesis and do nothing else")
    options = parser.parse_args()
    program = tool()
    if program is None:
        print("SKIPPED: %s %s cannot be fetched, pip cannot reach its index" % (PACKAGE, VERSION))
        return SKIPPED
    if options.fetch:
        return 0
    folder = tempfile.mkdtemp(prefix="tests-api-")
    house = House(os.path.abspath(options.throughline), os.path.join(folder, "home"))
    began = time.time()
    try:
        checks, report = check(program, house, folder, options)
    finally:
        house.leave()
        if options.keep:
            print("kept: %s" % folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    cases = report.get("test_cases", {}).get("generated", 0)
    print("api test: %d checks held, %d failed, %s cases, %.1f s" % (checks.held, len(checks.failed), cases, time.time() - began))
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
