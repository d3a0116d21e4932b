"""GitHub Copilot CLI, the npm package, against a scripted Chat Completions API of one's own, without an account."""
import glob
import json
import os

import model
import watched as watching
from chat import Chat, tool
from house import text_of

# Another version is another contract: change it together with the fixtures.
PACKAGE, VERSION = "@github/copilot", "1.0.102"
FACT = "The invoice exporter rounds half to even because the auditors of Haldane insisted on it."
# What a person has before us, in a form of their own.
SERVERS = '{"mcpServers" : {"other": {"type": "local", "command": "/bin/false", "args": [], "tools": []}}}\n'


def client(folder):
    """The executable inside of the platform's package: the script around it only finds it."""
    found = glob.glob(os.path.join(folder, "node_modules", "@github", "copilot-*", "copilot"))
    if not found:
        raise AssertionError("%s has no executable for this machine" % PACKAGE)
    return [found[0]]


class Run:
    """One headless session: what the model was asked, what the client printed."""

    def __init__(self, house, argv, prompt, turns, *more):
        served = model.Model(Chat, turns)
        # It unpacks itself at its first start: once is enough.
        unpacked = os.path.join(os.path.dirname(argv[0]), "unpacked")
        self.code, self.out, self.err = house.run(
            argv + ["-p", prompt, "--allow-all-tools"] + list(more), COPILOT_OFFLINE="true", COPILOT_AUTO_UPDATE="false",
            COPILOT_PROVIDER_BASE_URL=served.url + "/v1", COPILOT_PROVIDER_TYPE="openai", COPILOT_MODEL="scripted",
            COPILOT_PKG_CACHE_HOME=unpacked, NO_COLOR="1")
        served.stop()
        self.requests = served.requests

    def read(self, at):
        return text_of(self.requests[at]["messages"]) if at < len(self.requests) else ""

    def tools(self):
        return [offered["function"]["name"] for offered in self.requests[0]["tools"]] if self.requests else []

    def __str__(self):
        return "exit %s\n%s\n%s" % (self.code, self.out[-2000:], self.err[-2500:])


def hooks(house):
    return house.path(".copilot", "hooks", "throughline.json")


def install(house):
    servers = house.path(".copilot", "mcp-config.json")
    if not os.path.exists(servers):
        house.write(servers, SERVERS)
    return house.throughline.run("install", "--client", "copilot", "--yes")


# ------------------------------------------------------------------------------- the stories


def installed(checks, house, argv, world):
    """The files are accepted as they are written, the server answers, and an uninstall gives all back to the byte."""
    install(house)
    again = install(house)
    checks.that("a second install changes nothing", again.count("as it should be") == 2, again)
    run = Run(house, argv, "Hello.", [{"text": "Hello."}])
    checks.that("the client takes the files without a word about them", run.code == 0 and "Hello." in run.out
                and "hook" not in run.err.lower(), run)
    checks.that("the tools of our server are offered to the model", "throughline-mem_search" in run.tools(), run.tools())
    doctor = house.throughline.run("doctor", check=False)
    checks.that("the doctor knows", "throughline.json calls us on 10 events" in doctor, doctor)
    house.kept("SessionEnd", 1)
    house.throughline.run("uninstall", "--client", "copilot", "--yes")
    checks.that("an uninstall takes the file of hooks away", not os.path.exists(hooks(house)))
    servers = house.read(house.path(".copilot", "mcp-config.json"))
    checks.that("and gives the servers back to the byte", servers == SERVERS, servers)


def recorded(checks, house, argv, world):
    """A session's events are kept, in the words of the house, under Copilot's own session id."""
    install(house)
    path = os.path.join(house.project, "retry.conf")
    turns = [{"tools": [tool("create", path=path, file_text="attempts = 0\n")]},
             {"tools": [tool("edit", path=path, old_str="attempts = 0", new_str="attempts = 5")]},
             {"tools": [tool("bash", command="exit 3", description="fails")]},
             {"tools": [tool("view", path=path + ".missing")]},
             {"tools": [tool("throughline-mem_status")]}, {"text": "Uploads are retried five times."}]
    run = Run(house, argv, "Uploads fail for good after packet loss: retry them.", turns)
    checks.that("the client did what it was asked to", run.code == 0 and turns[-1]["text"] in run.out, run)
    # Ids are minted as events are fired; one that was spooled on a busy machine is kept later.
    entries = sorted(house.kept("SessionEnd", 1), key=lambda entry: entry["id"])
    events = [entry["event"] for entry in entries]
    calls = ["PreToolUse", "PostToolUse"]
    wanted = ["SessionStart", "UserPromptSubmit"] + calls * 3 + ["PreToolUse", "PostToolUseFailure"] + calls + \
        ["Stop", "SessionEnd"]
    checks.that("every event is in the journal once, in its order", events == wanted, events)
    checks.that("under one session id, and as Copilot's", len({entry["session"] for entry in entries}) == 1
                and {entry["agent"] for entry in entries} == {"copilot"}, entries[:1])
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
    run = Run(house, argv, "Touch it.", turns)
    checks.that("the client did what it was asked to", run.code == 0 and "Then not." in run.out, run)
    checks.that("the command did not run", not os.path.exists(os.path.join(house.project, "forbidden.txt")))
    checks.that("the model reads the reason", "not on this machine" in run.read(1), run.read(1)[-1500:])


def delegated(checks, house, argv, world):
    """A subagent is part of the session that started it."""
    install(house)
    turns = [{"tools": [tool("task", agent_type="explore", name="look", description="look", prompt="Look around.", mode="sync")]},
             {"text": "Nothing there."}, {"text": "Nothing was found."}]
    run = Run(house, argv, "Have a look.", turns)
    checks.that("the client did what it was asked to", run.code == 0 and turns[-1]["text"] in run.out, run)
    entries = house.kept("SessionEnd", 1)
    events = [entry["event"] for entry in entries]
    checks.that("a subagent's events are its session's", len({entry["session"] for entry in entries}) == 1
                and "SubagentStart" in events and "SubagentStop" in events, [(e["event"], e["session"]) for e in entries])
    listed = house.throughline.lines("sessions", "--json")
    checks.that("one session is listed, with the one prompt that a person wrote", len(listed) == 1
                and listed[0]["prompts"] == 1, listed)


def gone(checks, house, argv, world):
    """Without throughline its hooks stop nobody, though a hook that fails denies a call."""
    install(house)
    house.write(hooks(house), house.read(hooks(house)).replace(world.hook, "/nowhere/throughline-hook"))
    turns = [{"tools": [tool("bash", command="touch made.txt", description="touches")]}, {"text": "Done."}]
    run = Run(house, argv, "Hello.", turns)
    checks.that("the client did what it was asked to", run.code == 0 and "Done." in run.out, run)
    checks.that("the command ran", os.path.exists(os.path.join(house.project, "made.txt")), run)


def watched(checks, house, argv, world):
    """Without hooks, what Copilot writes of its conversations is read: once, and nothing private."""
    line = lambda command: tool("bash", command=command, description="says it")
    watching.story(checks, house, "copilot",
                   lambda prompt, command, last: Run(house, argv, prompt, [{"tools": [line(command)]}, {"text": last}]))


STORIES = [installed, recorded, told, denied, delegated, gone, watched]
