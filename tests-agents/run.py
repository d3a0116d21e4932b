#!/usr/bin/env python3
"""The agents on npm, offline, with throughline installed: what they fire is kept, and what we answer is taken.

    run.py --throughline BIN [--only NAME]... [--keep] [--list] [--fetch]

Started by `cargo xtask agents-test`. Python's standard library only. Every module here that has STORIES is an agent:
PACKAGE and VERSION (and ALSO) say what is fetched from npm into .tools/ once, `client(folder)` gives the command that starts it,
and a story is a function of (checks, house, client, world). The model they talk to is model.py, on loopback; as root
they run in a network namespace that has nothing else.

What throughline says late it does not say at all, and on a busy machine a hook may be late: a story that did not hold is
played once more from the beginning, and named at the end if it held then.

Exit codes: 0 all held, 1 something did not, 77 nothing failed but a package could not be fetched (it is named).
"""
import argparse
import glob
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "tests-client"), os.path.join(ROOT, "tests-client", "harness")]

import run_claude  # noqa: E402
import scenarios  # noqa: E402
from canaries import Canaries  # noqa: E402
from house import Checks, House  # noqa: E402

SKIPPED = 77
# The stories in which the Claude Code client is, too.
WITH_CLAUDE = ("one_memory", "handed_back")
# How often a story is played at most.
ATTEMPTS = 2
# A package of a hundred megabytes over a slow line; all of them take less than a minute over a fast one.
FETCH_S = 300


def load(name, path):
    """A module by its path: the other folder has a run.py, too."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


client_test = load("client_test", os.path.join(ROOT, "tests-client", "run.py"))


class World:
    """What stories share: where the executables are, and another agent's session."""

    def __init__(self, throughline, hook):
        self.throughline, self.hook = throughline, hook

    def claude_fixes_a_bug(self, checks, house):
        """A session of the real Claude Code client in this house that finds out why uploads failed; what it learned
        is remembered when this returns."""
        client = client_test.fetch_client()
        if not client:
            raise AssertionError("the Claude Code client cannot be fetched from npm")
        house.throughline.run("install", "--yes")
        run = run_claude.run(scenarios.bug_fix(Canaries(7)), client, os.path.join(house.folder, "claude"),
                             cwd=house.project, home=house.home, env_extra={"CLAUDE_CODE_MAX_RETRIES": "0"})
        checks.that("Claude Code did what it was asked to", not run["failures"], run["failures"])
        found = house.settled("why did uploads fail after packet loss?", "bugfix")
        checks.that("what it found out is remembered", "bugfix" in found, found)

    def claude_is_told(self, checks, house, question, answer):
        """A session of the real Claude Code client in this house whose model reads the answer beside the question."""
        client = client_test.fetch_client()
        if not client:
            raise AssertionError("the Claude Code client cannot be fetched from npm")
        house.settled(question, answer)
        house.throughline.run("install", "--yes")
        spec = {"args": scenarios.BYPASS, "prompt": question, "turns": [{"text": "As was said."}],
                "expect": {"result": "As was said"}}
        run = run_claude.run(spec, client, os.path.join(house.folder, "claude"), cwd=house.project, home=house.home,
                             env_extra={"CLAUDE_CODE_MAX_RETRIES": "0"})
        checks.that("Claude Code did what it was asked to", not run["failures"], run["failures"])
        read = run_claude.request_text(run_claude.model_requests(run["out"])[0])
        checks.that("its model reads what the other found out", answer in read and "throughline-note" in read, read[-2000:])


def agents():
    names = sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(HERE, "*.py")))
    modules = [importlib.import_module(name) for name in names if name != "run"]
    return [module for module in modules if hasattr(module, "STORIES")]


def tools(module):
    return os.path.join(ROOT, ".tools", "%s-%s" % (module.PACKAGE.split("/")[-1], module.VERSION))


def fetch(module):
    """Whether the pinned package is there, from .tools/ or from npm."""
    folder = tools(module)
    there = os.path.join(folder, "node_modules", *module.PACKAGE.split("/"), "package.json")
    if not os.path.exists(there) and shutil.which("npm"):
        os.makedirs(folder, exist_ok=True)
        wanted = ["%s@%s" % (module.PACKAGE, module.VERSION)] + list(getattr(module, "ALSO", []))
        try:
            subprocess.run(["npm", "install"] + wanted + ["--prefix", folder, "--no-audit", "--no-fund", "--no-save",
                                                          "--loglevel=error"], stdout=sys.stderr, timeout=FETCH_S)
        except subprocess.TimeoutExpired:
            pass  # what is there by then says whether it is enough
    return os.path.exists(there)


def play(name, module, story, world, folder):
    """What held and what did not in one story, from an empty house to its end."""
    checks, house, began = Checks(), House(world.throughline, folder), time.time()
    try:
        story(checks, house, module.client(tools(module)), world)
    except Exception as error:  # a story that cannot go on is a story that failed
        checks.that("%s ran to its end" % name, False, "%s: %s" % (type(error).__name__, error))
    finally:
        house.leave()
        print("        %.1f s" % (time.time() - began), flush=True)
    return checks


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--throughline", required=True)
    parser.add_argument("--hook", help="beside --throughline unless said otherwise")
    parser.add_argument("--only", action="append", default=[], help="an agent (codex) or one story (codex.denied)")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--fetch", action="store_true", help="fetch the agents and do nothing else")
    options = parser.parse_args(argv[1:])
    binary = os.path.abspath(options.throughline)
    world = World(binary, os.path.abspath(options.hook or os.path.join(os.path.dirname(binary), "throughline-hook")))
    stories = [(module, story) for module in agents() for story in module.STORIES]
    named = lambda module, story: "%s.%s" % (module.__name__, story.__name__)
    if options.only:
        stories = [(m, s) for m, s in stories if {m.__name__, named(m, s)} & set(options.only)]
    if options.list:
        print("\n".join(named(module, story) for module, story in stories))
        return 0
    # Packages come over the network; what follows has none.
    missing = [module for module in dict.fromkeys(module for module, _ in stories) if not fetch(module)]
    without = [] if client_test.fetch_client() else [story for _, story in stories if story.__name__ in WITH_CLAUDE]
    if options.fetch:
        return SKIPPED if missing or without else 0
    run_claude.isolate([os.path.abspath(argv[0])] + argv[1:])
    held, failed, again, began = 0, [], [], time.time()
    folder = tempfile.mkdtemp(prefix="throughline-agents-", dir=os.environ.get("TMPDIR"))
    for module, story in stories:
        if module in missing or story in without:
            continue
        name = named(module, story)
        print("%s: %s" % (name, (story.__doc__ or "").strip().splitlines()[0]), flush=True)
        for attempt in range(1, ATTEMPTS + 1):
            checks = play(name, module, story, world, os.path.join(folder, "%s-%d" % (name, attempt)))
            if not checks.failed:
                break
            if attempt < ATTEMPTS:
                print("AGAIN: %s" % name, flush=True)
                again.append(name)
        held, failed = held + checks.held, failed + checks.failed
    if options.keep:
        print("kept: %s" % folder)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    for module in missing:
        print("SKIPPED: %s %s cannot be fetched from npm; none of its %d stories ran"
              % (module.PACKAGE, module.VERSION, sum(m is module for m, _ in stories)))
    if without:
        print("SKIPPED: %s cannot be fetched from npm; %d stories with both did not run" % (client_test.PACKAGE, len(without)))
    if again:
        print("played twice: %s" % ", ".join(again))
    print("agents test: %d checks held, %d failed, %.1f s" % (held, len(failed), time.time() - began))
    return 1 if failed else SKIPPED if missing or without else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
