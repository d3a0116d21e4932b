"""Gemini CLI, the npm package, against a scripted Gemini API."""
import json
import os

import model
import watched as watching
from house import text_of

# Another version is another contract: change it together with the fixtures.
PACKAGE, VERSION = "@google/gemini-cli", "0.61.0"
MODEL = "gemini-2.5-pro"
FACT = "The invoice exporter rounds half to even because the auditors of Haldane insisted on it."
# What a person has before us: how they sign in, in a form of their own.
SETTINGS = '{\n    "security": {"auth": {"selectedType": "gemini-api-key"}},\n  "hooks": {"AfterAgent": [ ]}}\n'


def client(folder):
    return ["node", os.path.join(folder, "node_modules", "@google", "gemini-cli", "bundle", "gemini.js")]


class Generate:
    """The Gemini API as far as the client reads it."""

    @staticmethod
    def is_turn(path, body):
        return "streamGenerateContent" in path

    @staticmethod
    def reply(handler, path, body, turn):
        if turn is None and "countTokens" in path:
            return model.send_json(handler, {"totalTokens": 10})
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        parts = [{"functionCall": {"name": tool["name"], "args": tool["input"]}} for tool in (turn or {}).get("tools", [])]
        # Whatever else the client asks a model for (a title, a router's choice) is answered with nothing.
        text = "{}" if turn is None else turn.get("text")
        parts += [{"text": text}] if text else []
        answer = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
                  "usageMetadata": usage}
        return model.send_json(handler, answer) if turn is None else model.send_events(handler, [(None, answer)])


def tool(name, **arguments):
    return {"name": name, "input": arguments}


class Run:
    """One headless session: what the model was asked, what the client printed."""

    def __init__(self, house, argv, prompt, turns, **env):
        served = model.Model(Generate, turns)
        self.code, self.out, self.err = house.run(
            argv + ["-m", MODEL, "--yolo", "--skip-trust", "-p", prompt],
            GEMINI_API_KEY="none", GOOGLE_GEMINI_BASE_URL=served.url, GEMINI_CLI_NO_RELAUNCH="true", NO_COLOR="1", **env)
        served.stop()
        self.requests = served.requests

    def read(self, at):
        return text_of(self.requests[at]["contents"]) if at < len(self.requests) else ""

    def result(self, at):
        """What the last call before this request gave."""
        parts = self.requests[at]["contents"][-1]["parts"] if at < len(self.requests) else []
        return text_of([part["functionResponse"] for part in parts if "functionResponse" in part])

    def __str__(self):
        return "exit %s\n%s\n%s" % (self.code, self.out[-2000:], self.err[-2500:])


def install(house):
    settings = house.path(".gemini", "settings.json")
    if not os.path.exists(settings):
        house.write(settings, SETTINGS)
    return house.throughline.run("install", "--client", "gemini-cli", "--yes")


# ------------------------------------------------------------------------------- the stories


def installed(checks, house, argv, world):
    """The file is accepted as it is written, the server answers, and an uninstall gives it back to the byte."""
    settings = house.path(".gemini", "settings.json")
    printed = install(house)
    checks.that("the person is told what Gemini CLI will ask them", "trust" in printed, printed)
    again = house.throughline.run("install", "--client", "gemini-cli", "--yes")
    checks.that("a second install changes nothing", "as it should be" in again, again)
    run = Run(house, argv, "Hello.", [{"text": "Hello."}])
    checks.that("the client takes the file without a word about it", run.code == 0 and run.out.strip() == "Hello."
                and "nvalid" not in run.err and "settings" not in run.err, run)
    code, out, err = house.run(argv + ["mcp", "list"], GEMINI_CLI_TRUST_WORKSPACE="true")
    checks.that("Gemini CLI lists the MCP server, connected", code == 0 and "throughline" in out + err
                and "Connected" in out + err, out + err)
    doctor = house.throughline.run("doctor", check=False)
    checks.that("the doctor knows", ".gemini/settings.json calls us on 7 events" in doctor, doctor)
    house.throughline.run("uninstall", "--client", "gemini-cli", "--yes")
    checks.that("an uninstall gives the settings back to the byte", house.read(settings) == SETTINGS, house.read(settings))
    house.kept("SessionEnd", 1)


def of_a_project(checks, house, argv, world):
    """A project's own file, and a home that is elsewhere."""
    elsewhere = os.path.join(house.folder, "elsewhere")
    house.write(os.path.join(elsewhere, ".gemini", "settings.json"), SETTINGS)
    house.throughline.env["GEMINI_CLI_HOME"] = elsewhere
    house.throughline.run("install", "--client", "gemini-cli", "--yes")
    moved = house.read(os.path.join(elsewhere, ".gemini", "settings.json"))
    checks.that("a home that the variable names is respected", "throughline-hook" in moved
                and not os.path.exists(house.path(".gemini")), moved)
    house.throughline.run("uninstall", "--client", "gemini-cli", "--yes")
    house.in_project("install", "--client", "gemini-cli", "--project", "--yes")
    run = Run(house, argv, "Hello.", [{"text": "Hello."}], GEMINI_CLI_HOME=elsewhere,
              GEMINI_CLI_TRUST_WORKSPACE="true")
    events = [entry["event"] for entry in house.kept("SessionEnd", 1)]
    checks.that("a project's hooks are run", events == ["SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"], "%s\n%s" % (events, run))
    house.in_project("uninstall", "--client", "gemini-cli", "--project", "--yes")
    checks.that("an uninstall leaves nothing in the project", not os.listdir(os.path.join(house.project, ".gemini")))


def recorded(checks, house, argv, world):
    """A session's events are kept, in the words of the house, under Gemini CLI's own session id."""
    install(house)
    turns = [{"tools": [tool("write_file", file_path="retry.conf", content="attempts = 0\n")]},
             {"tools": [tool("replace", file_path="retry.conf", old_string="attempts = 0", new_string="attempts = 5",
                             instruction="retry five times")]},
             {"tools": [tool("run_shell_command", command="exit 3", description="fails")]},
             {"tools": [tool("mcp_throughline_mem_status")]}, {"text": "Uploads are retried five times."}]
    run = Run(house, argv, "Uploads fail for good after packet loss: retry them.", turns)
    checks.that("the client did what it was asked to", run.code == 0 and turns[-1]["text"] in run.out, run)
    entries = house.kept("SessionEnd", 1)
    events = [entry["event"] for entry in entries]
    wanted = ["SessionStart", "BeforeAgent"] + ["BeforeTool", "AfterTool"] * 4 + ["AfterAgent", "SessionEnd"]
    checks.that("every event is in the journal once, in its order", events == wanted, events)
    checks.that("under one session id, and as Gemini CLI's", len({entry["session"] for entry in entries}) == 1
                and {entry["agent"] for entry in entries} == {"gemini-cli"}, entries[:1])
    story = house.throughline.run("session", "show", entries[0]["session"])
    checks.that("the session's story names the file that was changed", "retry.conf" in story, story)
    checks.that("our server was called and answered", "memory works" in run.result(4), run.result(4))


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
    turns = [{"tools": [tool("run_shell_command", command="touch forbidden.txt", description="touches")]}, {"text": "Then not."}]
    run = Run(house, argv, "Touch it.", turns)
    checks.that("the client did what it was asked to", run.code == 0 and "Then not." in run.out, run)
    checks.that("the command did not run", not os.path.exists(os.path.join(house.project, "forbidden.txt")))
    checks.that("the model reads the reason", "not on this machine" in run.read(1), run.read(1)[-1500:])


def held(checks, house, argv, world):
    """A rule makes the turn go on once, and not for ever; its words are no prompt of the person."""
    install(house)
    house.hold_turns("the tests were not run")
    run = Run(house, argv, "Fix it.", [{"text": "Fixed."}, {"text": "Tested, too."}, {"text": "Still going."}])
    checks.that("the turn went on once", run.code == 0 and len(run.requests) == 2 and "Tested, too." in run.out, run)
    checks.that("because of the rule", "the tests were not run" in run.read(1), run.read(1)[-1500:])
    house.kept("SessionEnd", 1)
    found = house.throughline.run("search", "the tests were not run", "--json")
    checks.that("nobody is said to have written it", '"prompt"' not in found, found)


def private(checks, house, argv, world):
    """A prompt that is private stays so behind what a hook has put in front of it."""
    house.throughline.run("remember", "The staging database is wiped every Monday at six.", "--critical", "--global")
    house.settled("staging database", "Monday")
    install(house)
    turns = [{"tools": [tool("run_shell_command", command="echo cobalt-seven", description="says it")]}, {"text": "Said."}]
    run = Run(house, argv, "<private>Say cobalt-seven.</private>", turns)
    checks.that("the client did what it was asked to", run.code == 0 and "Said." in run.out, run)
    checks.that("the session had been told something first", "staging" in run.read(0), run.read(0)[-1500:])
    kept = json.dumps(house.kept("SessionEnd", 1))
    checks.that("nothing of the private turn is kept", "cobalt" not in kept, kept[-3000:])


def one_memory(checks, house, argv, world):
    """What a session of Claude Code found out is found by a session of Gemini CLI, through hooks and the server."""
    world.claude_fixes_a_bug(checks, house)
    install(house)
    turns = [{"tools": [tool("mcp_throughline_mem_search", query="why did uploads fail after packet loss")]}, {"text": "Found."}]
    run = Run(house, argv, "Why did the uploads fail after packet loss?", turns)
    checks.that("Gemini CLI is told of it beside the prompt", "attempts" in run.read(0) and "hook_context" in run.read(0),
                run.read(0)[-2000:])
    checks.that("and finds it by asking", "bugfix" in run.result(1) and "retry.conf" in run.result(1), run.result(1))


def handed_back(checks, house, argv, world):
    """What a session of Gemini CLI found out is told to a session of Claude Code."""
    install(house)
    turns = [{"tools": [tool("write_file", file_path="cache.conf", content="expiry = 300\n")]}, {"text": watching.FOUND}]
    run = Run(house, argv, "Why does the walrus cache go stale?", turns)
    checks.that("the client did what it was asked to", run.code == 0 and watching.FOUND in run.out, run)
    world.claude_is_told(checks, house, "Why did the walrus cache go stale?", "never expired")


def watched(checks, house, argv, world):
    """Without hooks, what Gemini CLI writes of its conversations is read: once, and nothing private."""
    house.write(house.path(".gemini", "settings.json"), SETTINGS)
    line = lambda command: tool("run_shell_command", command=command, description="says it")
    watching.story(checks, house, "gemini-cli",
                   lambda prompt, command, last: Run(house, argv, prompt, [{"tools": [line(command)]}, {"text": last}]))


STORIES = [installed, of_a_project, recorded, told, denied, held, private, one_memory, handed_back, watched]
