#!/usr/bin/env python3
"""The real Claude Code client, offline, with throughline installed: what it fires is kept, once, in order, clean.

    run.py --throughline BIN [--client BIN] [--only NAME]... [--keep] [--fetch]

Started by `cargo xtask client-test`. Python's standard library only. The client is fetched from npm into .tools/
once. Without --client and without npm nothing can be tested: exit code 77.
"""
import argparse
import glob
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(HERE, "harness")]

import checks as project_checks  # noqa: E402
import claims  # noqa: E402
import code_map  # noqa: E402
import fast  # noqa: E402
import guards  # noqa: E402
import mcp  # noqa: E402
import patterns  # noqa: E402
import plugin  # noqa: E402
import recall  # noqa: E402
import rules  # noqa: E402
import run_claude  # noqa: E402
import scenarios  # noqa: E402
import skills  # noqa: E402
from canaries import Canaries  # noqa: E402
from journal import Throughline, differences, inversions  # noqa: E402

# Another version is another contract: change it together with the fixtures.
PACKAGE, VERSION = "@anthropic-ai/claude-code", "2.1.325"
SKIPPED = 77
# A busy machine makes hooks late, and these stories are about what is said. Only a build without optimization listens to it.
STRETCH = "5"


class Checks:
    """Collects what held and what did not; every check has a sentence."""

    def __init__(self):
        self.held, self.failed = 0, []

    def that(self, sentence, holds, why=""):
        if holds:
            self.held += 1
            print("  ok    %s" % sentence, flush=True)
        else:
            self.failed.append(sentence)
            print("  FAIL  %s\n        %s" % (sentence, str(why).replace("\n", "\n        ")), flush=True)

    def nothing(self, sentence, findings):
        findings = list(findings)
        self.that(sentence, not findings, "\n".join(str(finding) for finding in findings[:20]))


class House:
    """A person's machine: an empty home with throughline installed in it."""

    # What a person had before us, in a form of its own: an uninstall gives it back byte for byte.
    SETTINGS = """{
    "permissions": {"deny": ["Read(./secret/**)"]},
  "hooks": {"Stop": [ { "hooks": [
        {"type": "command", "command": "/bin/touch", "args": ["%s"]} ] } ]
  }}
"""

    def __init__(self, binary, folder):
        self.folder = folder
        self.home = os.path.join(folder, "home")
        self.data = os.path.join(self.home, ".throughline")
        self.project = os.path.join(folder, "project")
        os.makedirs(self.home)
        os.makedirs(self.project)
        self.touched = os.path.join(folder, "touched-by-another-hook")
        self.settings = os.path.join(self.home, ".claude", "settings.json")
        run_claude.write(self.settings, self.SETTINGS % self.touched)
        self.throughline = Throughline(binary, self.home)
        self.throughline.run("install", "--yes")
        with open(self.settings) as f:
            self.hooks = json.load(f)["hooks"]
        # The daemon is started by the first hook, as it is for a person; not by us.
        self.throughline.run("daemon", "stop", check=False)

    def play(self, name, spec, client, env=None):
        """The scenario and its `then` runs: [(summary, logged hook calls)]."""
        env = dict({"CLAUDE_CODE_MAX_RETRIES": "0", "THROUGHLINE_TEST_STRETCH": STRETCH}, **(env or {}))
        first = run_claude.run(spec, client, os.path.join(self.folder, name), cwd=self.project, home=self.home, env_extra=env)
        runs = [first]
        for i, more in enumerate(spec.get("then") or []):
            runs.append(run_claude.run(more, client, os.path.join(self.folder, "%s.%d" % (name, i + 2)), cwd=self.project,
                                       home=self.home, env_extra=env, session=first["session_id"] or ""))
        return runs

    def fired(self, runs):
        """The logged calls of the events we are registered for."""
        calls = [call for run in runs for call in run_claude.hook_calls(run["out"])]
        return [call for call in calls if call["stdin"].get("hook_event_name") in self.hooks]

    def kept(self, ends):
        """The journal's entries, once it holds this many ends of sessions: the last hook may have been spooled."""
        until = time.time() + 60
        while True:
            entries = self.throughline.lines("export")
            if sum(entry["event"] == "SessionEnd" for entry in entries) >= ends or time.time() > until:
                return entries
            time.sleep(0.1)

    def leave(self):
        self.throughline.run("daemon", "stop", check=False)


def hook_troubles(run, ours):
    """What the client itself says went wrong with a hook of ours."""
    for line in run["lines"]:
        if line.get("subtype") == "hook_response" and line.get("outcome") != "success":
            yield {key: line.get(key) for key in ("hook_name", "outcome", "exit_code", "stdout", "stderr")}
        elif line.get("type") == "system" and "no_verdict" in str(line.get("subtype")):
            yield line
    for path in run["transcripts"]:
        for text in open(path, encoding="utf-8"):
            if ("hook_non_blocking_error" in text or "hook_blocking_error" in text) and ours in text:
                yield text[:300]


def open_to_others(folder):
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            mode = stat.S_IMODE(os.lstat(path).st_mode)
            if mode & 0o077:
                yield "%o %s" % (mode, os.path.relpath(path, folder))


def envelopes(entries):
    return [entry["envelope"] for entry in entries]


# ------------------------------------------------------------------------------- the stories


def working_day(checks, house, client, canaries, ours):
    runs = house.play("working-day", scenarios.working_day(canaries), client)
    for run in runs:
        checks.nothing("the client did what it was asked to (%s)" % os.path.basename(run["out"]), run["failures"])
        checks.nothing("no hook of ours troubled the client", hook_troubles(run, ours))
    calls = house.fired(runs)
    fired = [call["stdin"] for call in calls]
    entries = house.kept(ends=2)
    kept = envelopes(entries)
    checks.that("the session fired what it should (%d events)" % len(fired), len(fired) > 35, len(fired))
    checks.nothing("every event is in the journal once", differences(fired, kept))
    checks.nothing("in the order in which they happened", inversions(calls, kept))
    ids = [entry["id"] for entry in entries]
    checks.that("every event has an id of its own", len(ids) == len(set(ids)))
    session = runs[0]["session_id"]
    checks.that("under the client's own session id", {entry["session"] for entry in entries} == {session},
                {entry["session"] for entry in entries})
    checks.that("the command line shows the same events",
                house.throughline.lines("events", "--json") == house.throughline.lines("export"))
    checks.that("another's hook beside ours still runs", os.path.exists(house.touched))
    text = json.dumps(kept)
    checks.that("what was masked says so", "[REDACTED:" in text)
    checks.that("what is no secret is still there", all(word in text for word in ("LOG_LEVEL=debug", "gamma", "keep the names")))
    house.leave()
    checks.nothing("no secret is anywhere in our folder, in any coat (seed %d)" % canaries.seed,
                   canaries.found_under(house.data))
    checks.nothing("our folder is open to nobody else", open_to_others(house.data))


def remembered(checks, house, client, canaries, ours):
    """A session is over; what it did is found by somebody who was not there."""
    run, = house.play("remembered", scenarios.bug_fix(canaries), client)
    checks.nothing("the client did what it was asked to", run["failures"])
    checks.nothing("no hook of ours troubled the client", hook_troubles(run, ours))
    house.kept(ends=1)
    found = lambda question: json.loads(house.throughline.run("search", question, "--json"))
    kinds = {hit["kind"]: hit for hit in reversed(found("why did uploads fail after packet loss?"))}
    checks.that("the fix is found by what it was about", "bugfix" in kinds, kinds)
    fix = house.throughline.run("show", kinds["bugfix"]["id"]) if "bugfix" in kinds else ""
    checks.that("with its cause, its file and the command that passes",
                all(word in fix for word in ("attempts = 0", "retry.conf", "test_retry.sh")), fix)
    story = house.throughline.run("session", "show", run["session_id"])
    checks.that("the session's story is told", "Uploads fail for good" in story and "retry.conf" in story, story)
    # The transcript is archived in the background.
    until = time.time() + 60
    chunks = []
    while not chunks and time.time() < until:
        chunks = [hit for hit in found("root cause never retried") if hit["kind"] == "chunk"]
        time.sleep(0.1)
    checks.that("the talk itself is found, too", chunks, chunks)
    archived = house.throughline.run("session", "transcript", run["session_id"])
    checks.that("the transcript is archived", "attempts = 0" in archived, archived[:300])
    checks.nothing("without its secrets", (name for name, value in canaries.all.items() if value in archived))
    house.throughline.run("forget", "--session", run["session_id"], "--yes")
    checks.nothing("what is forgotten is not found again", (hit["title"] for hit in found("uploads retry attempts")))
    house.leave()
    left = [name for name in ("uploads were never retried", "Uploads fail for good")
            for path in glob.glob(os.path.join(house.data, "**"), recursive=True)
            if os.path.isfile(path) and name.encode() in open(path, "rb").read()]
    checks.nothing("nor in any file", left)
    checks.nothing("no secret is anywhere in our folder (seed %d)" % canaries.seed, canaries.found_under(house.data))


def private_turn(checks, house, client, canaries, ours):
    run, = house.play("private-turn", scenarios.private_turn(canaries), client)
    checks.nothing("the client did what it was asked to", run["failures"])
    checks.nothing("no hook of ours troubled the client", hook_troubles(run, ours))
    kept = envelopes(house.kept(ends=1))
    house.leave()
    tools = [e for e in kept if e["hook_event_name"] in ("PreToolUse", "PostToolUse")]
    checks.that("the ordinary turn's tool call is kept, the private one's is not",
                [e["tool_input"]["file_path"] for e in tools] == [os.path.join(house.project, "a.txt")] * 2, tools)
    until, archived = time.time() + 60, ""
    while "Read a.txt." not in archived and time.time() < until:
        archived = house.throughline.run("session", "transcript", run["session_id"], check=False)
        time.sleep(0.1)
    house.leave()
    checks.that("the ordinary turn is archived", "Read a.txt." in archived, archived)
    checks.nothing("nothing of the private turn is archived", (name for name, value in canaries.all.items() if value in archived))
    checks.nothing("nothing of the private turn is anywhere in our folder (seed %d)" % canaries.seed,
                   canaries.found_under(house.data))


def daemon_dies(checks, house, client, canaries, ours):
    run, = house.play("daemon-dies", scenarios.daemon_dies(house.data), client)
    checks.nothing("the client did what it was asked to", run["failures"])
    checks.nothing("no hook of ours troubled the client", hook_troubles(run, ours))
    calls = house.fired([run])
    fired = [call["stdin"] for call in calls]
    kept = envelopes(house.kept(ends=1))
    house.leave()
    checks.nothing("every event is in the journal once, although the daemon was killed twice", differences(fired, kept))
    checks.nothing("in the order in which they happened", inversions(calls, kept))


def two_sessions(checks, house, client, canaries, ours):
    visit = threading.Thread(target=house.play, args=("long-visit", scenarios.long_visit(), client))
    visit.start()
    # The newcomer hears of it once the visitor's first events are in the tables.
    until = time.time() + 60
    while time.time() < until and not house.throughline.lines("sessions", "--json"):
        time.sleep(0.1)
    run, = house.play("newcomer", scenarios.newcomer(), client)
    visit.join()
    house.leave()
    checks.nothing("a newcomer's model reads who else is at work, fenced", run["failures"])
    checks.nothing("no hook of ours troubled the client", hook_troubles(run, ours))


def broken_home(checks, house, client, canaries, ours):
    """Our folder cannot be made: there is a file in its place."""
    house.leave()
    shutil.rmtree(house.data, ignore_errors=True)
    with open(house.data, "w") as f:
        f.write("in the way\n")
    run, = house.play("broken-home", scenarios.ordinary_turn(), client)
    checks.nothing("a client whose home we cannot write to is unharmed", run["failures"])
    checks.nothing("no hook of ours troubled the client", hook_troubles(run, ours))


def uninstalled(checks, house, client, canaries, ours):
    house.throughline.run("uninstall", "--yes")
    house.leave()
    checks.that("an uninstall gives the settings back byte for byte", open(house.settings).read() == house.SETTINGS % house.touched,
                open(house.settings).read())
    before = house.throughline.lines("export") if os.path.isdir(house.data) else []
    run, = house.play("uninstalled", scenarios.ordinary_turn(), client)
    checks.nothing("a client is unharmed after an uninstall", run["failures"])
    after = house.throughline.lines("export") if os.path.isdir(house.data) else []
    checks.that("nothing is recorded after an uninstall", len(after) == len(before), (len(before), len(after)))


STORIES = {"working-day": working_day, "remembered": remembered, "private-turn": private_turn, "daemon-dies": daemon_dies, "two-sessions": two_sessions,
           **recall.STORIES, **mcp.STORIES, **fast.STORIES, **plugin.STORIES,
           **rules.STORIES, **claims.STORIES, **code_map.STORIES, **guards.STORIES, **patterns.STORIES, **skills.STORIES, **project_checks.STORIES, "broken-home": broken_home, "uninstalled": uninstalled}


# ------------------------------------------------------------------------------- command line


def fetch_client():
    """The pinned client's executable, from .tools/ or from npm; None where npm cannot help."""
    folder = os.path.join(ROOT, ".tools", "claude-code-" + VERSION)
    found = lambda: glob.glob(os.path.join(folder, "node_modules", "@anthropic-ai", "claude-code-*", "claude"))
    if not found() and shutil.which("npm"):
        os.makedirs(folder, exist_ok=True)
        # The version is named: without one, an old node silently gets an old client.
        subprocess.run(["npm", "install", "%s@%s" % (PACKAGE, VERSION), "--prefix", folder, "--no-audit", "--no-fund",
                        "--no-save", "--loglevel=error"], stdout=sys.stderr, timeout=600)
    return found()[0] if found() else None


def end_daemons(folder):
    """A daemon a failed story left behind: ours, by its home. Never by its name."""
    for path in glob.glob(os.path.join(folder, "*", "home", ".throughline", "*", "run", "daemon.pid")):
        try:
            pid = int(open(path).read().split()[0])
            with open("/proc/%d/environ" % pid, "rb") as f:
                if os.fsencode(folder) in f.read():
                    os.kill(pid, signal.SIGTERM)
        except (OSError, ValueError, IndexError):
            pass


def main(argv):
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--throughline", required=True)
    ap.add_argument("--hook", help="beside --throughline unless said otherwise")
    ap.add_argument("--client", help="an executable of the client; default: the pinned one")
    ap.add_argument("--only", action="append", choices=sorted(STORIES))
    ap.add_argument("--bench", action="store_true", help="tell no story: measure what hooks cost, as processes and through the server")
    ap.add_argument("--keep", action="store_true", help="leave the folder with everything that happened")
    ap.add_argument("--fetch", action="store_true", help="fetch the client and do nothing else")
    a = ap.parse_args(argv)
    a.hook = a.hook or os.path.join(os.path.dirname(os.path.abspath(a.throughline)), "throughline-hook")
    client = a.client or fetch_client()
    if client is None:
        print("SKIPPED: the real client cannot be fetched, npm cannot be reached")
        return SKIPPED
    # Once, while there is a network: below we start ourselves anew without one.
    if os.environ.get("HARNESS_NETNS") != "1" and (not a.only or any(name in project_checks.STORIES for name in a.only)):
        project_checks.fetch()
    if a.fetch:
        return 0
    run_claude.isolate([os.path.abspath(__file__)] + argv + ([] if a.client else ["--client", client]))
    if os.path.dirname(os.path.abspath(a.hook)) != os.path.dirname(os.path.abspath(a.throughline)):
        ap.error("both executables belong into one folder")
    checks, folder = Checks(), tempfile.mkdtemp(prefix="throughline-client-")
    try:
        if a.bench:
            fast.bench(lambda name: House(os.path.abspath(a.throughline), os.path.join(folder, name)), client)
        for name, story in STORIES.items():
            if a.bench or (a.only and name not in a.only):
                continue
            print("%s:" % name, flush=True)
            try:
                house = House(os.path.abspath(a.throughline), os.path.join(folder, name))
                story(checks, house, client, Canaries(), os.path.basename(a.hook))
                house.leave()
            except Exception as trouble:  # a story that cannot be told has failed
                checks.that("the story %s can be told" % name, False, "%s: %s" % (type(trouble).__name__, trouble))
    finally:
        end_daemons(folder)
        if a.keep or checks.failed:
            print("everything that happened: %s" % folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print("client test: %d checks held, %d failed" % (checks.held, len(checks.failed)))
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
