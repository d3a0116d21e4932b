"""Guards through the real client, one story per decision: denied, asked, allowed, said, held, and both answers to a request
for permission. What is denied does not happen, what is asked happens if the person says so, and the model reads why."""
import json
import os

from recall import requests
from rules import made
from scenarios import BYPASS, tool

REFUSED = "That folder is not ours."
SCOPE = json.dumps({"allow": ["src/**"], "deny": ["src/vault/**"]})


def write(path, content="made\n"):
    return tool("Write", file_path="{{CWD}}/" + path, content=content)


def trust(house, rules):
    """The person's own rules over commands."""
    os.makedirs(os.path.join(house.data, "default"), exist_ok=True)
    with open(os.path.join(house.data, "default", "commands.json"), "w", encoding="utf-8") as file:
        json.dump(rules, file)


def scope(checks, house, client, canaries, ours):
    """A scope holds for the file tools and for commands, whatever the person lets the agent do otherwise."""
    spec = {"files": {".throughline/scope.json": SCOPE, "src/a.txt": "a\n"}, "args": BYPASS, "prompt": "Write them.",
            "turns": [{"tools": [write("docs/a.txt")]}, {"tools": [write("src/b.txt")]},
                      {"tools": [tool("Bash", command="mkdir -p docs && echo x > docs/c.txt")]},
                      {"tools": [tool("Bash", command="cat src/a.txt > src/vault.txt")]},
                      {"tools": [write("src/vault/key")]}, {"text": "Written."}],
            "expect": {"result": "Written", "file": {"docs/a.txt": None, "docs/c.txt": None, "src/b.txt": "made",
                                                     "src/vault.txt": "a", "src/vault/key": None}}}
    run, = house.play("scope", spec, client)
    checks.nothing("only what the scope allows was written", run["failures"])
    said = requests(run)
    checks.that("the model reads the file and what is allowed", "scope.json" in said[1] and "Allowed there: src/**" in said[1], said[1][-1200:])
    checks.that("also of a command", "This command would change" in said[3], said[3][-1200:])
    checks.that("and the rule that denies", "src/vault/**" in said[5] and "line 1" in said[5], said[5][-1200:])


def asked(checks, house, client, canaries, ours):
    """A scope file that cannot be understood makes every write a question; the person's answer is what happens."""
    spec = {"files": {".throughline/scope.json": '{"allow": ["src/**",]}'}, "args": ["--permission-mode", "acceptEdits"],
            "steps": [{"answer": "allow"}, {"prompt": "Write the first."}, {"answer": "deny"}, {"prompt": "Write the second."}],
            "turns": [{"tools": [write("src/first.txt")]}, {"text": "One."}, {"tools": [write("src/second.txt")]}, {"text": "Two."}],
            "expect": {"result": "Two", "file": {"src/first.txt": "made", "src/second.txt": None}}}
    run, = house.play("asked", spec, client)
    checks.nothing("what the person allows is written, what they refuse is not", run["failures"])


def strict(checks, house, client, canaries, ours):
    """Who chose strict is not asked."""
    house.throughline.run("config", "set", "behaviors.guard-scope", "strict")
    spec = {"files": {".throughline/scope.json": '{"allow": ["src/**",]}'}, "args": BYPASS, "prompt": "Write it.",
            "turns": [{"tools": [write("src/a.txt")]}, {"text": "Done."}], "expect": {"result": "Done", "file": {"src/a.txt": None}}}
    run, = house.play("strict-scope", spec, client)
    house.throughline.run("config", "set", "behaviors.guard-scope", "on")
    checks.nothing("nothing is written under a broken scope", run["failures"])
    said = requests(run)
    checks.that("the model reads where it is broken", "line 1, column" in said[1], said[1][-1200:])


def commands(checks, house, client, canaries, ours):
    """A destructive command is denied by what it does, not by what it says; a trusted one is not asked about."""
    trust(house, {"allow": ["touch *"], "deny": ["terraform destroy *"]})
    spec = {"args": BYPASS, "prompt": "Clean up.",
            "turns": [{"tools": [tool("Bash", command="bash -c 'terraform destroy -auto-approve'; touch after")]},
                      {"tools": [tool("Bash", command="echo 'terraform destroy -auto-approve' > said")]},
                      {"tools": [tool("Bash", command="git push --force origin main; touch pushed")]}, {"text": "Clean."}],
            "expect": {"result": "Clean", "file": {"after": None, "said": "terraform", "pushed": None}}}
    run, = house.play("commands", spec, client)
    checks.nothing("what the rules deny is not run, what only says it is", run["failures"])
    said = requests(run)
    checks.that("the model reads the rule", "terraform destroy" in said[1] and "commands.json" in said[1], said[1][-1200:])
    checks.that("and of a shipped one why, and what to do instead", "force" in said[3].rsplit("tool_result", 1)[-1], said[3][-1200:])


def permitted(checks, house, client, canaries, ours):
    """In the client's own mode, with nobody to ask: what the person's rules allow is run, what they deny is refused."""
    trust(house, {"allow": ["touch *"], "deny": ["mkdir forbidden"]})
    spec = {"prompt": "Touch them.",
            "turns": [{"tools": [tool("Bash", command="touch trusted")]}, {"tools": [tool("Bash", command="mkdir forbidden")]},
                      {"tools": [tool("Bash", command="chmod 600 trusted && mkdir unknown")]}, {"text": "Touched."}],
            "expect": {"result": "Touched", "file": {"trusted": ""}}}
    run, = house.play("permitted", spec, client)
    checks.nothing("the trusted command ran without a question", run["failures"])
    made = [name for name in ("forbidden", "unknown") if os.path.exists(os.path.join(house.project, name))]
    checks.nothing("the denied one did not, and of what no rule speaks nothing was decided", made)
    kept = house.throughline.lines("events", "--json", "--limit", "200")
    checks.that("the client asked for permission where nobody had decided", any(event["event"] == "PermissionRequest" for event in kept), len(kept))


REQUESTS = """#!/bin/sh
case $(cat) in
*'mkdir wanted'*) echo '{"allow": "folders are fine"}' ;;
*'mkdir unwanted'*) echo '{"deny": "%s"}' ;;
esac
""" % REFUSED


def requested(checks, house, client, canaries, ours):
    """The client asks whether it may; a rule of the person's answers in their place, either way."""
    made(house, "folders", REQUESTS, 'kind = "command"\non = ["PermissionRequest"]\nallow = true\n')
    spec = {"prompt": "Make them.", "turns": [{"tools": [tool("Bash", command="mkdir wanted")]}, {"tools": [tool("Bash", command="mkdir unwanted")]},
                                              {"text": "Made."}], "expect": {"result": "Made"}}
    run, = house.play("requested", spec, client)
    checks.nothing("the client did what it was asked to", run["failures"])
    there = {name: os.path.isdir(os.path.join(house.project, name)) for name in ("wanted", "unwanted")}
    checks.that("what was granted happened, what was refused did not", there == {"wanted": True, "unwanted": False}, there)
    said = requests(run)
    checks.that("and the model reads why", REFUSED in said[-1], said[-1][-1200:])


def moved(checks, house, client, canaries, ours):
    """The scope of the folder a session began in holds after `cd` into a repository that has none."""
    spec = {"files": {".throughline/scope.json": SCOPE, "src/a.txt": "a\n", "inner/.git/HEAD": "ref: refs/heads/main\n"}, "args": BYPASS,
            "prompt": "Go there and write.",
            "turns": [{"tools": [tool("Bash", command="cd inner && pwd")]}, {"tools": [tool("Bash", command="echo x > here.txt")]},
                      {"tools": [write("inner/there.txt")]}, {"tools": [tool("Bash", command="ln -s /tmp ../src/out && echo x > ../src/out/moved-out.txt")]},
                      {"tools": [write("src/b.txt")]}, {"text": "Moved."}],
            "expect": {"result": "Moved", "file": {"inner/here.txt": None, "inner/there.txt": None, "here.txt": None, "src/b.txt": "made"}}}
    run, = house.play("moved", spec, client)
    checks.nothing("nothing was written where the scope of the beginning does not allow it", run["failures"])
    checks.that("nor through a link of the same command", not os.path.exists("/tmp/moved-out.txt"), "/tmp/moved-out.txt")
    said = requests(run)
    checks.that("the model reads which file says so", "scope.json" in said[2] and "scope.json" in said[3], said[2][-1200:])


def switches(checks, house, client, canaries, ours):
    """What guards rest on is a question, also where no scope file is: the person's answer is what happens."""
    spec = {"args": ["--permission-mode", "acceptEdits"],
            "steps": [{"answer": "deny"}, {"prompt": "Change the settings."}, {"answer": "deny"}, {"prompt": "Write a rule."}],
            "turns": [{"tools": [write(".throughline/scope.json", "{}")]}, {"text": "One."},
                      {"tools": [write(".codex/hooks.json", "{}")]}, {"text": "Two."}],
            "expect": {"result": "Two", "file": {".throughline/scope.json": None, ".codex/hooks.json": None}}}
    run, = house.play("switches", spec, client)
    checks.nothing("what the person refuses is not changed", run["failures"])


STORIES = {"guard-cd": moved, "guard-switches": switches, "guard-request": requested, "guard-scope": scope, "guard-ask": asked, "guard-strict": strict, "guard-commands": commands, "guard-permission": permitted}
