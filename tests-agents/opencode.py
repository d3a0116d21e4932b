"""OpenCode, the npm package, against a scripted Chat Completions API."""
import glob
import json
import os

import model
from chat import Chat, tool
from house import text_of

# Another version is another contract: change it together with the fixtures.
PACKAGE, VERSION = "opencode-ai", "1.18.33"
FACT = "The invoice exporter rounds half to even because the auditors of Haldane insisted on it."
# What a person has before us, with a comment: no edit may cost them that.
SETTINGS = """{
  // my own model
  "model": "scripted/scripted", "permission": {"*": "allow"},
  "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "%s/v1", "apiKey": "none"},
    "models": {"scripted": {"tool_call": true, "limit": {"context": 200000, "output": 8000}}}}}
}
"""
# Nothing is fetched at the start. Plugins wait for an installation from npm, which is not there.
ENVIRONMENT = {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
               "npm_config_fetch_retries": "0", "NO_COLOR": "1"}


def client(folder):
    """The executable inside of the platform's package: the script around it only finds it."""
    found = sorted(glob.glob(os.path.join(folder, "node_modules", "opencode-*-*", "bin", "opencode")), key=len)
    if not found:
        raise AssertionError("%s has no executable for this machine" % PACKAGE)
    return [found[0]]


class Run:
    """One headless session: what the model was asked, what the client printed."""

    def __init__(self, house, argv, prompt, turns, *more):
        served = model.Model(Chat, turns)
        house.write(config(house), SETTINGS % served.url)
        self.code, self.out, self.err = house.run(argv + ["run"] + list(more) + ["--", prompt], **ENVIRONMENT)
        served.stop()
        self.requests = served.requests
        self.titles = [body for path, body in served.others if path.endswith("/chat/completions")]

    def read(self, at):
        return text_of(self.requests[at]["messages"]) if at < len(self.requests) else ""

    def tools(self):
        return [offered["function"]["name"] for offered in self.requests[0]["tools"]] if self.requests else []

    def __str__(self):
        return "exit %s\n%s\n%s" % (self.code, self.out[-2000:], self.err[-2500:])


def config(house):
    return house.path(".config", "opencode", "opencode.jsonc")


def plugin(house):
    return house.path(".config", "opencode", "plugin", "throughline.js")


def install(house):
    return house.throughline.run("install", "--client", "opencode", "--yes")


# ------------------------------------------------------------------------------- the stories


def installed(checks, house, argv, world):
    """The plugin is loaded as it is written, brings the server with it, and an uninstall leaves nothing behind."""
    install(house)
    again = install(house)
    checks.that("a second install changes nothing", "as it should be" in again, again)
    run = Run(house, argv, "Hello.", [{"text": "Hello."}])
    checks.that("the client takes the plugin without a word about it", run.code == 0 and "Hello." in run.out
                and "plugin" not in run.err, run)
    checks.that("the tools of our server are offered to the model", "throughline_mem_search" in run.tools(), run.tools())
    checks.that("the person's configuration is as it was", "// my own model" in house.read(config(house)))
    run = Run(house, argv, "And again.", [{"text": "Hello again."}], "--continue")
    entries = house.kept("SessionEnd", 2)
    starts = [entry["envelope"]["source"] for entry in entries if entry["event"] == "SessionStart"]
    checks.that("a session that goes on is the same session", starts == ["startup", "resume"]
                and len({entry["session"] for entry in entries}) == 1, [(e["event"], e["session"]) for e in entries])
    doctor = house.throughline.run("doctor", check=False)
    checks.that("the doctor knows", "throughline.js calls us on" in doctor, doctor)
    house.throughline.run("uninstall", "--client", "opencode", "--yes")
    checks.that("an uninstall takes the plugin away", not os.path.exists(plugin(house)))


def recorded(checks, house, argv, world):
    """A session's events are kept once, in the words of the house, under OpenCode's own session id."""
    install(house)
    house.write(os.path.join(house.project, ".opencode", "plugin", "throughline.js"), house.read(plugin(house)))
    path = os.path.join(house.project, "retry.conf")
    turns = [{"tools": [tool("write", filePath=path, content="attempts = 0\n")]},
             {"tools": [tool("edit", filePath=path, oldString="attempts = 0", newString="attempts = 5")]},
             {"tools": [tool("bash", command="exit 3", description="fails")]},
             {"tools": [tool("read", filePath=path + ".missing")]},
             {"tools": [tool("throughline_mem_status")]}, {"text": "Uploads are retried five times."}]
    run = Run(house, argv, "Uploads fail for good after packet loss: retry them.", turns)
    checks.that("the client did what it was asked to", run.code == 0 and turns[-1]["text"] in run.out, run)
    # Ids are minted as events are fired; one that was spooled on a busy machine is kept later.
    entries = sorted(house.kept("SessionEnd", 1), key=lambda entry: entry["id"])
    events = [entry["event"] for entry in entries]
    calls = ["PreToolUse", "PostToolUse"]
    wanted = ["SessionStart", "UserPromptSubmit"] + calls * 3 + ["PreToolUse", "PostToolUseFailure"] + calls + \
        ["Stop", "SessionEnd"]
    checks.that("every event is in the journal once, in its order", events == wanted, events)
    checks.that("under one session id, and as OpenCode's", len({entry["session"] for entry in entries}) == 1
                and entries[0]["session"].startswith("ses_") and {entry["agent"] for entry in entries} == {"opencode"},
                entries[:1])
    story = house.throughline.run("session", "show", entries[0]["session"])
    checks.that("the session's story names the file that was changed", "retry.conf" in story, story)
    checks.that("our server was called and answered", "memory works" in run.read(5), run.read(5)[-1500:])


def told(checks, house, argv, world):
    """What is remembered is in the model's next request: at the start, and beside the prompt that needs it."""
    critical = "The staging database is wiped every Monday at six; nothing in it may be relied on."
    house.throughline.run("remember", critical, "--critical", "--global")
    house.throughline.run("remember", FACT, "--global")
    house.settled("invoice exporter", "rounds")
    install(house)
    run = Run(house, argv, "Which shell is this?", [{"text": "This one."}])
    checks.that("a session that starts is told what is critical", critical in run.read(0), run.read(0)[-2000:])
    checks.that("its title is made without that", run.titles and all(critical not in json.dumps(body) for body in run.titles))
    house.throughline.run("behaviors", "disable", "recall-on-start")
    run = Run(house, argv, "Why does the invoice exporter round half to even?", [{"text": "Haldane."}])
    checks.that("a prompt that needs a fact gets it", FACT in run.read(0), run.read(0)[-2000:])
    kept = json.dumps([entry["envelope"] for entry in house.kept("SessionEnd", 2)])
    checks.that("none of our own words is captured", "throughline-note" not in kept and "staging" not in kept, kept[:3000])


def denied(checks, house, argv, world):
    """A rule's refusal keeps the command from running, and the model reads why."""
    install(house)
    house.refuse_commands("not on this machine")
    turns = [{"tools": [tool("bash", command="touch forbidden.txt", description="touches")]}, {"text": "Then not."}]
    forbidden = os.path.join(house.project, "forbidden.txt")
    # A rule that is late is silent, and on a busy machine its process may be late.
    for _ in range(3):
        if os.path.exists(forbidden):
            os.remove(forbidden)
        run = Run(house, argv, "Touch it.", turns)
        if not os.path.exists(forbidden):
            break
    checks.that("the client did what it was asked to", run.code == 0 and "Then not." in run.out, run)
    checks.that("the command did not run", not os.path.exists(forbidden))
    checks.that("the model reads the reason", "not on this machine" in run.read(1), run.read(1)[-1500:])
    events = [entry["event"] for entry in house.kept("SessionEnd", 1)]
    checks.that("what was refused did not fail", "PostToolUseFailure" not in events, events)


def compacted(checks, house, argv, world):
    """A subagent is part of its session, and after a compaction the model is told again what is critical."""
    critical = "The staging database is wiped every Monday at six; nothing in it may be relied on."
    house.throughline.run("remember", critical, "--critical", "--global")
    house.settled("staging database", "Monday")
    install(house)
    turns = [{"tools": [tool("task", description="look", prompt="Look around.", subagent_type="explore")]},
             {"text": "Nothing there."}, {"tools": [tool("glob", pattern="*.txt")], "tokens": 199000},
             {"text": "Going on."}, {"text": "Still."}]
    run = Run(house, argv, "Have a look.", turns)
    checks.that("the client did what it was asked to", run.code == 0, run)
    entries = house.kept("SessionEnd", 1)
    events = [entry["event"] for entry in entries]
    checks.that("a subagent's events are its session's", len({entry["session"] for entry in entries}) == 1
                and "SubagentStart" in events and "SubagentStop" in events, events)
    starts = [entry["envelope"].get("source") for entry in entries if entry["event"] == "SessionStart"]
    checks.that("a compaction is announced, and the session starts anew", "PreCompact" in events
                and starts == ["startup", "compact"], (events, starts))
    checks.that("the model is told again", critical in run.read(len(run.requests) - 1), run.read(len(run.requests) - 1)[-1500:])


def gone(checks, house, argv, world):
    """Without throughline its plugin is silent."""
    install(house)
    shim = house.read(plugin(house))
    house.write(plugin(house), shim.replace(world.throughline, "/nowhere/throughline").replace(world.hook, "/nowhere/throughline-hook"))
    run = Run(house, argv, "Hello.", [{"tools": [tool("bash", command="touch made.txt", description="touches")]}, {"text": "Done."}])
    checks.that("the client did what it was asked to", run.code == 0 and "Done." in run.out, run)
    checks.that("the command ran", os.path.exists(os.path.join(house.project, "made.txt")))


STORIES = [installed, recorded, told, denied, compacted, gone]
