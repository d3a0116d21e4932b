"""A person's own rules through the real client: what is denied does not happen, what is said is read by the model.

The rules are made as a person makes them, with `throughline hook new`; nothing is registered but their folder.
"""
import os

import run_claude
from recall import notes, requests
from scenarios import BYPASS, tool

DENIED = "We do not rewrite history here. Push a new commit."
SAID = "Files of this folder are generated: change the template and run make."

# Both decide in the shell itself: a rule before a tool call has 80 ms, on the busiest machine, too.
NO_FORCE_PUSH = """#!/bin/sh
case $(cat) in
*'push --force'*) echo '{"deny": "%s"}' ;;
esac
""" % DENIED
GENERATED = """#!/bin/sh
cat >/dev/null
echo '{"say": "%s"}'
""" % SAID
GENERATED_WHEN = 'kind = "command"\non = ["PreToolUse"]\ntools = ["Write"]\nmatch = { file = "generated/**" }\n'


def made(house, name, program, when=None):
    """A new rule with this program."""
    house.throughline.run("hook", "new", name)
    folder = os.path.join(house.data, "default", "rules", name)
    run_claude.write(os.path.join(folder, "run"), program)
    if when:
        run_claude.write(os.path.join(folder, "rule.toml"), when)


def rules(checks, house, client, canaries, ours):
    """One rule denies a command, one speaks about a file; what they do not mean goes on in silence."""
    made(house, "no-force-push", NO_FORCE_PUSH)
    made(house, "generated", GENERATED, GENERATED_WHEN)
    spec = {"args": BYPASS, "prompt": "Publish it.",
            "turns": [{"tools": [tool("Bash", command="touch forced # git push --force")]},
                      {"tools": [tool("Bash", command="touch pushed # git push")]},
                      {"tools": [tool("Write", file_path="{{CWD}}/generated/api.txt", content="made\n")]},
                      {"tools": [tool("Write", file_path="{{CWD}}/plain.txt", content="made\n")]},
                      {"text": "Published."}],
            "expect": {"result": "Published", "file": {"forced": None, "pushed": "", "generated/api.txt": "made", "plain.txt": "made"}}}
    run, = house.play("rules", spec, client)
    checks.nothing("the denied command was not run, the others were", run["failures"])
    said = requests(run)
    checks.that("the model reads why", len(said) == 5 and DENIED in said[1] and DENIED not in said[0], said[1:2])
    checks.that("once: the command without force was let through", said[-1].count(DENIED) == 1, said[-1].count(DENIED))
    spoken = notes(said[3], "run-rules") if len(said) == 5 else []
    checks.that("the other rule speaks when its file is written, fenced, in its own name",
                len(spoken) == 1 and SAID in spoken[0] and "generated" in spoken[0], spoken or said[-1][-1500:])
    checks.that("and of no other file", said[-1].count(SAID) == 1, said[-1].count(SAID))
    counted = {row["name"]: row for row in house.throughline.lines("hook", "list", "--json")}
    checks.that("neither failed", counted and not any(row["failures"] for row in counted.values()), counted)


STORIES = {"rules": rules}
