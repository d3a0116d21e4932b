"""The plugin in the real client: installed from a folder marketplace, it attaches, recalls, serves tools, skills and an agent.

Every story begins in a house without hooks of ours in its settings; the plugin comes from this repository.
"""
import glob
import json
import os
import re
import subprocess
import time

import run_claude
from journal import differences
from recall import CRITICAL, FACT, notes, requests, settled
from scenarios import BYPASS, SUMMARY_LANE, tool

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLUGIN = os.path.join(ROOT, "plugin")
ID = "throughline@throughline"
TOOLS = "mcp__plugin_throughline_throughline__"
# A listing that is in every request of every session: what it may cost at most.
MAX_DESCRIPTIONS_BYTES, MAX_ALWAYS_TOKENS, MAX_SKILL_LINES = 2000, 600, 80
LEFT = "The ledger is ported up to the letter Q; the tests of R are next."
# Of every tool call, subagent and end of a turn. Before each of them there was a prompt.
FREQUENT = {"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "SubagentStart", "SubagentStop", "Stop"}
NOT_INSTALLED = "throughline is not installed"
TWICE = "throughline is attached twice"


# ------------------------------------------------------------------------------- the client's own commands


def claude(house, client, *arguments, check=True):
    """A command of the client in the house's home; (exit code, stdout)."""
    env = {"HOME": house.home, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "dumb", "TMPDIR": house.folder,
           "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
           "DISABLE_ERROR_REPORTING": "1"}
    done = subprocess.run([client] + list(arguments), env=env, cwd=house.project, capture_output=True, text=True, timeout=60)
    if check and done.returncode != 0:
        raise AssertionError("claude %s exited %d: %s" % (" ".join(arguments), done.returncode, done.stdout + done.stderr))
    return done.returncode, done.stdout


def detach(house):
    """No hooks of ours in the settings."""
    house.throughline.run("uninstall", "--yes")
    house.throughline.run("daemon", "stop", check=False)


def attach(house, client):
    """Two commands, as the guide says."""
    place_executables(house)
    claude(house, client, "plugin", "marketplace", "add", ROOT)
    claude(house, client, "plugin", "install", ID)


def place_executables(house):
    """Where a person has them, and not on the client's PATH."""
    folder = os.path.join(house.home, ".local", "bin")
    os.makedirs(folder)
    for name in ("throughline", "throughline-hook"):
        os.symlink(os.path.join(os.path.dirname(house.throughline.binary), name), os.path.join(folder, name))


def frequent_hook(house):
    """What the frequent events call."""
    return os.path.realpath(os.path.join(house.home, ".claude", "plugins", "data", "throughline-throughline", "bin", "throughline-hook"))


def troubles(run):
    """What the client says went wrong with a hook or a server, to anybody."""
    for line in run["lines"]:
        if line.get("subtype") == "hook_response" and line.get("outcome") != "success":
            yield {key: line.get(key) for key in ("hook_name", "outcome", "exit_code", "stdout", "stderr")}
        elif "no_verdict" in str(line.get("tag")) or "hook error" in str(line.get("text")):
            yield line


def told(run, words):
    """What our hooks gave the client to show to the person, of these words."""
    said = [line.get("stdout") or "" for line in run["lines"] if line.get("subtype") == "hook_response"]
    return [text for text in said if text.startswith("{") and words in json.loads(text).get("systemMessage", "")]


# ------------------------------------------------------------------------------- files


def front_matter(path):
    """({field: value}, body) of a skill or an agent."""
    with open(path, encoding="utf-8") as f:
        _, head, body = f.read().split("---\n", 2)
    return dict(line.split(": ", 1) for line in head.splitlines()), body.strip()


def skills():
    """{name: (fields, body)}"""
    return {os.path.basename(os.path.dirname(path)): front_matter(path)
            for path in sorted(glob.glob(os.path.join(PLUGIN, "skills", "*", "SKILL.md")))}


def agents():
    return {os.path.basename(path)[:-3]: front_matter(path) for path in sorted(glob.glob(os.path.join(PLUGIN, "agents", "*.md")))}


def ask_server(house, method, *all_params):
    """What the server answers to each of these, in their order."""
    ask = lambda number, method, params: json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    hello = ask(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}})
    begun = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    asked = [ask(number, method, params) for number, params in enumerate(all_params, 1)]
    # In the project: a client that leaves is waited for two seconds, and the map of a large folder takes longer.
    said = house.throughline.run("mcp", stdin="\n".join([hello, begun, *asked, ""]).encode(), cwd=house.project)
    answers = {line.get("id"): line for line in map(json.loads, said.splitlines())}
    refused = lambda answer: {"isError": True, "content": [{"text": answer["error"]["message"]}]}
    return [answers[number].get("result") or refused(answers[number]) for number in range(1, len(asked) + 1)]


def served_tools(house):
    """{name: schema of its arguments} as the server itself says."""
    listed, = ask_server(house, "tools/list", {})
    return {each["name"]: each["inputSchema"] for each in listed["tools"]}


def spans(text):
    """What is between backticks, and the lines of fenced blocks."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
    inline = re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.S))
    return [" ".join(each.split()) for each in inline] + [line.strip() for block in blocks for line in block.splitlines()]


def unknown_commands(house, text):
    """Commands and options of `throughline` in a text that its own help does not know."""
    helps = {}

    def manual(*words):
        if words not in helps:
            helps[words] = house.throughline.run(*words, "--help", check=False)
        return helps[words]

    allowed = re.findall(r"Bash\((throughline [^:)]*)", text)
    for span in [each for each in spans(text) + allowed if each.startswith("throughline ")]:
        words = re.match(r"throughline ((?:[a-z][a-z-]+(?: |$))*)", span + " ").group(1).split()
        if not words or not re.search(r"^  %s\s" % words[0], manual(), re.M):
            yield span
            continue
        of = words[:1]
        # A rule for a tool may allow a whole family.
        if "Commands:" in manual(words[0]) and span not in allowed:
            of = words[:2]
            if len(of) < 2 or not re.search(r"^  %s\s" % of[1], manual(words[0]), re.M):
                yield span
                continue
        for option in re.findall(r"(?<= )(--[a-z-]+|-[a-z]\b)", span):
            if not re.search(r"(^|[ ,])%s\b" % re.escape(option), manual(*of), re.M):
                yield "%s: %s" % (span, option)


def unfit_calls(house, tools, text):
    """Calls written down as `tool {arguments}` that the tool would refuse, and names of tools that nobody serves."""
    for name in re.findall(TOOLS + r"(\w+)", text):
        if name not in tools:
            yield "no tool is named %s" % name
    calls = [call for call in (re.match(r"(\w+) (\{.*\})$", span) for span in spans(text)) if call]
    params = [{"name": call.group(1), "arguments": json.loads(call.group(2))} for call in calls]
    for call, result in zip(calls, ask_server(house, "tools/call", *params)):
        said = result["content"][0]["text"]
        # Nobody is called what a page calls somebody; that it would be looked for is enough.
        if result.get("isError") and re.search("is missing|cannot be read|must be|there is no tool", said):
            yield "%s: %s" % (call.group(0), said)


def called(event):
    """Where a shell would be felt there is none; what may come first in a session goes through the launcher."""
    if event in FREQUENT:
        return {"command": "${CLAUDE_PLUGIN_DATA}/bin/throughline-hook", "args": [event]}
    return {"command": "${CLAUDE_PLUGIN_ROOT}/bin/throughline", "args": ["hook", event]}


def files(checks, house, client, canaries, ours):
    """What is in the folder fits the client, the executable and itself."""
    with open(os.path.join(PLUGIN, "hooks", "hooks.json")) as f:
        hooks = json.load(f)["hooks"]
    mine = {event: [h for group in groups for h in group["hooks"] if "throughline" in h] for event, groups in house.hooks.items()}
    mine = {event: handlers for event, handlers in mine.items() if handlers}
    checks.nothing("the plugin hooks into the events that an install does (%d)" % len(mine), set(hooks) ^ set(mine))
    odd = [event for event, groups in hooks.items() if len(groups) != 1 or "matcher" in groups[0] or groups[0]["hooks"] != [
        {"type": "command", **called(event), "timeout": mine[event][0]["timeout"]}]]
    checks.nothing("with one handler each, in exec form; the frequent ones call the hook itself", odd)
    manifest = json.load(open(os.path.join(PLUGIN, ".claude-plugin", "plugin.json")))
    version = house.throughline.run("--version").split()[1]
    checks.that("plugin and executable have one version", manifest["version"] == version, (manifest["version"], version))
    for what, arguments in (("plugin", [PLUGIN, "--profile", "directory"]), ("marketplace", [ROOT])):
        code, said = claude(house, client, "plugin", "validate", "--strict", *arguments, check=False)
        checks.that("the client finds nothing to object to in the %s" % what, code == 0, said)
    texts = {**skills(), **agents()}
    described = sum(len(fields["description"].encode()) for fields, _ in texts.values())
    checks.that("all descriptions together have %d of %d bytes" % (described, MAX_DESCRIPTIONS_BYTES), described <= MAX_DESCRIPTIONS_BYTES)
    checks.nothing("every skill and agent is called what its file is", (n for n, (fields, _) in texts.items() if fields["name"] != n))
    tools = served_tools(house)
    for name, (fields, body) in texts.items():
        text = "\n".join(list(fields.values()) + [body])
        checks.that("%s is short" % name, body.count("\n") < MAX_SKILL_LINES, body.count("\n"))
        checks.nothing("%s names commands that exist" % name, unknown_commands(house, text))
        checks.nothing("%s names tools that exist, and calls that they take" % name, unfit_calls(house, tools, text))


def launcher(checks, house, client, canaries, ours):
    """It finds what a person has installed, wherever, and nothing that lies in a workspace."""
    script = os.path.join(PLUGIN, "bin", "throughline")
    version = house.throughline.run("--version")
    spaced, other = os.path.join(house.folder, "with a space"), os.path.join(house.folder, "other")
    for folder in (spaced, other, os.path.join(house.folder, "parent", "throughline")):
        os.makedirs(folder)
    os.symlink(house.throughline.binary, os.path.join(spaced, "throughline"))
    # Another copy of the plugin, and a file of the workspace that would like to be called.
    os.symlink(script, os.path.join(other, "throughline"))
    run_claude.write(os.path.join(house.project, "throughline"), "#!/bin/sh\necho planted\n", 0o755)

    def call(*arguments, path="/usr/bin:/bin", **env):
        done = subprocess.run([script] + list(arguments), env={"HOME": house.home, "PATH": path, **env}, cwd=house.project,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
        return done.returncode, done.stdout, done.stderr

    found = lambda **env: call("--version", **env) == (0, version, "")
    absent = lambda **env: call("--version", **env)[:2] == (127, "")
    checks.that("without an executable it says so", absent() and NOT_INSTALLED in call("--version")[2], call("--version"))
    checks.that("and hooks are silent", call("hook", "Stop") == (0, "", ""), call("hook", "Stop"))
    checks.that("it is found on the path, also behind a space", found(path="/usr/bin:" + spaced))
    checks.that("and by its variable", found(THROUGHLINE_BIN=house.throughline.binary))
    checks.that("a folder of that name is none", absent(path=os.path.join(house.folder, "parent") + ":/usr/bin"))
    for path in ("/usr/bin:.", ":/usr/bin", "/usr/bin::/bin"):
        checks.that("nor is a file of the workspace (%s)" % path, absent(path=path), call("--version", path=path))
    checks.that("nor one that the variable names by half", absent(THROUGHLINE_BIN="throughline"))
    around = ":".join([os.path.dirname(script), other, "/usr/bin"])
    checks.that("launchers that find each other end", absent(path=around) and absent(path=around, THROUGHLINE_BIN=script))
    checks.that("or go on to the executable", found(path=around + ":" + spaced))
    place_executables(house)
    checks.that("it is found where a person installs, too", found())


# ------------------------------------------------------------------------------- sessions


def installed(checks, house, client, canaries, ours):
    """A person's day with the plugin: installed, recorded, recalled, asked, removed."""
    detach(house)
    attach(house, client)
    listed = json.loads(claude(house, client, "plugin", "list", "--json")[1])
    checks.that("the client lists it, enabled", [(p["id"], p["enabled"]) for p in listed] == [(ID, True)], listed)
    details = claude(house, client, "plugin", "details", "throughline")[1]
    tokens = re.search(r"Always-on:\s+~(\d+) tok", details)
    checks.that("and says what it costs every session: %s tokens" % (tokens and tokens.group(1)),
                tokens and int(tokens.group(1)) <= MAX_ALWAYS_TOKENS, details)

    house.throughline.run("remember", CRITICAL, "--critical", "--global")
    house.throughline.run("remember", FACT, "--global")
    settled(house, "invoice exporter", "rounds")
    search = tool(TOOLS + "mem_search", query="why does the invoice exporter round half to even?")
    spec = {"files": {"a.txt": "alpha\n"}, "args": BYPASS, "prompt": "Good morning.",
            "turns": [{"tools": [tool("Read", file_path="{{CWD}}/a.txt")]},
                      {"tools": [tool(TOOLS + "handoff", action="write", text=LEFT)]}, {"tools": [search]},
                      # The folder of the plugin's launcher is on the tool's PATH; ours is not.
                      {"tools": [tool("Bash", command="throughline search 'invoice exporter' --limit 3")]}, {"text": "Morning."}],
            "expect": {"result": "Morning", "hooks": {"PreToolUse": 4, "PostToolUse": 4, "SessionEnd": 1}}}
    run, = house.play("installed", spec, client)
    checks.nothing("the client did what it was asked to", run["failures"])
    checks.nothing("no hook of ours troubled the client", troubles(run))
    checks.nothing("every event is in the journal once", doubts(house, run))
    hook = os.path.realpath(os.path.join(os.path.dirname(house.throughline.binary), "throughline-hook"))
    checks.that("the frequent ones through the hook itself", frequent_hook(house) == hook, frequent_hook(house))
    said = requests(run)
    checks.that("a session that starts is told what is critical", CRITICAL in "".join(notes(said[0], "recall-on-start")), said[0][-1500:])
    checks.that("the tools are listed", TOOLS + "mem_search" in (run["tools"] or []) or TOOLS + "mem_search" in said[0], run["mcp_servers"])
    handed, found, printed = tool_results(run, last=3)
    checks.that("a tool that is called answers the model", "Haldane" in found, found)
    checks.that("a command of ours does, too", "invoice exporter" in printed, printed)
    shown = house.throughline.run("handoff", "show", run["session_id"])
    checks.that("a tool knows in which session it is called", LEFT in shown, handed + shown)
    checks.that("nobody is told that something is missing", not told(run, NOT_INSTALLED) and not told(run, TWICE))

    delivered(checks, house, client)
    permitted(checks, house, client)
    researched(checks, house, client)

    claude(house, client, "plugin", "uninstall", ID)
    claude(house, client, "plugin", "marketplace", "remove", "throughline")
    before = len(house.kept(ends=1))
    run, = house.play("removed", dict(spec, turns=[{"text": "Morning."}], expect={"result": "Morning"}), client)
    checks.nothing("a client is unharmed after it is removed", list(run["failures"]) + list(troubles(run)))
    checks.that("and nothing is recorded", len(house.throughline.lines("export")) == before)


def doubts(house, *runs):
    """What was fired in these runs and is not kept once."""
    ours = {run["session_id"] for run in runs}
    until = time.time() + 60
    while True:
        kept = [entry["envelope"] for entry in house.throughline.lines("export") if entry["session"] in ours]
        if sum(envelope["hook_event_name"] == "SessionEnd" for envelope in kept) >= len(runs) or time.time() > until:
            # The client's own commands end a session, too, that never began: it is none of these.
            return differences([call["stdin"] for call in house.fired(runs)], kept)
        time.sleep(0.1)


def tool_results(run, last):
    """The texts of the last results the model got from tools."""
    blocks = [block for message in run_claude.model_requests(run["out"], "main")[-1]["request"]["messages"]
              if isinstance(message.get("content"), list) for block in message["content"] if block.get("type") == "tool_result"]
    return [json.dumps(block.get("content")) for block in blocks][-last:]


def delivered(checks, house, client):
    """Each skill, as a person types it, and one as a model asks for it."""
    texts = skills()
    filled = lambda body, run, asked: body.replace("$ARGUMENTS", asked).replace("${CLAUDE_SESSION_ID}", run["session_id"])
    spec = {"args": BYPASS, "steps": [{"prompt": "/throughline:%s the walrus question" % name} for name in texts],
            "turns": [{"text": "Did %s." % name} for name in texts], "expect": {"result": "Did %s" % list(texts)[-1]}}
    run, = house.play("skills", spec, client)
    checks.nothing("the client did what it was asked to (skills)", list(run["failures"]) + list(troubles(run)))
    said = requests(run, "main")
    wanted = {name: filled(body, run, "the walrus question") for name, (_, body) in texts.items()}
    for at, (name, body) in enumerate(wanted.items()):
        checks.that("/throughline:%s is delivered, whole and with its arguments" % name, at < len(said) and body in said[at]
                    and (at == 0 or body not in said[at - 1]), said[at][-1500:] if at < len(said) else "no request")
    listing = requests(run, "main")[0].split(wanted[list(texts)[0]][:40])[0]
    checks.nothing("before that only descriptions are there", (name for name, body in wanted.items() if body[-60:] in listing))
    spec = {"args": BYPASS, "prompt": "What did we decide about rounding?",
            "turns": [{"tools": [tool("Skill", skill="throughline:recall", args="rounding")]}, {"text": "Recalled."}],
            "expect": {"result": "Recalled"}}
    run, = house.play("skill-tool", spec, client)
    checks.nothing("the client did what it was asked to (a skill by the model)", list(run["failures"]) + list(troubles(run)))
    checks.that("a skill that the model asks for is delivered", filled(texts["recall"][1], run, "rounding") in requests(run, "main")[-1],
                requests(run, "main")[-1][-1500:])


def permitted(checks, house, client):
    """A person who uses a skill is not asked about each of its steps, and is asked about what changes much."""
    bash = lambda command: {"tools": [tool("Bash", command=command)]}
    denied = lambda run: [denial["tool_input"] for denial in run["results"][-1]["permission_denials"]]
    careful = ["--permission-mode", "default"]
    steps = [{"tools": [tool(TOOLS + "mem_search", query="rounding")]}, bash("throughline handoff write - <<'END'\nTask: nothing\nEND"),
             bash('throughline checkpoint create -m "before lunch"'), bash("throughline checkpoint restore 1234"), {"text": "Saved."}]
    run, = house.play("permitted", {"args": careful, "prompt": "/throughline:checkpoint before lunch", "turns": steps,
                                    "expect": {"result": "Saved"}}, client)
    checks.nothing("the client did what it was asked to (permissions)", list(run["failures"]) + list(troubles(run)))
    checks.that("a skill may do its steps, and no more", [each["command"] for each in denied(run)] == ["throughline checkpoint restore 1234"],
                denied(run))
    run, = house.play("backfill", {"args": careful, "prompt": "/throughline:mem-setup", "expect": {"result": "Asked"}, "turns": [
        bash("throughline doctor"), bash("throughline backfill --dry-run"), bash("throughline backfill"), {"text": "Asked."}]}, client)
    checks.that("taking in the past is asked for", [each["command"] for each in denied(run)] == ["throughline backfill"], denied(run))


def researched(checks, house, client):
    """The agent is started, has the tools, and what it returns is all that comes back."""
    search = tool(TOOLS + "mem_search", query="invoice exporter rounding")
    spec = {"args": BYPASS, "prompt": "Have it looked up.",
            "lanes": [{"name": "sub", "match": {"agent": True}, "turns": [{"tools": [search]}, {"text": "Answer: the auditors of H."}]}],
            "turns": [{"tools": [tool("Agent", description="look up", prompt="Why is it rounded half to even?",
                                      subagent_type="throughline:historian", run_in_background=False)]}, {"text": "Looked up."}],
            "expect": {"result": "Looked up", "hook": [{"event": "SubagentStart", "where": {"agent_type": "throughline:historian"}}]}}
    run, = house.play("historian", spec, client)
    checks.nothing("the client did what it was asked to (the agent)", list(run["failures"]) + list(troubles(run)))
    sub = requests(run, "sub")
    checks.that("the agent is told how to search", sub and agents()["historian"][1][:200] in sub[0], sub[0][:1500] if sub else "no request")
    checks.that("its search is answered", len(sub) > 1 and "Haldane" in sub[-1].split("Why is it rounded")[-1], sub[-1][-1500:] if sub else "")
    back, = tool_results(run, last=1)
    checks.that("only its answer comes back", "the auditors of H." in back and "Haldane" not in back, back)


def reloaded(checks, house, client, canaries, ours):
    """Installed while a session is at work: no start of it comes before the first frequent event."""
    detach(house)
    place_executables(house)
    install = "%s plugin install throughline --marketplace %s >/dev/null" % (client, ROOT)
    read = tool("Read", file_path="{{CWD}}/a.txt")
    spec = {"files": {"a.txt": "alpha\n"}, "args": BYPASS,
            "steps": [{"prompt": "Begin."}, {"sh": install}, {"prompt": "/reload-plugins"}, {"prompt": "Read a.txt."}],
            "turns": [{"text": "Begun."}, {"tools": [read]}, {"text": "Read."}], "expect": {"result": "Read"}}
    run, = house.play("reloaded", spec, client)
    checks.nothing("the client did what it was asked to", run["failures"])
    checks.nothing("no hook of ours troubled the client", troubles(run))
    house.kept(ends=1)
    kept = [entry["event"] for entry in house.throughline.lines("export") if entry["session"] == run["session_id"]]
    checks.that("from then on it is recorded", {"UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"} <= set(kept), kept)


def twice(checks, house, client, canaries, ours):
    """Hooks in the settings and the plugin beside them: nothing comes twice, and either may go."""
    attach(house, client)
    house.throughline.run("remember", CRITICAL, "--critical", "--global")
    settled(house, "staging database", "staging")
    spec = {"files": {"a.txt": "alpha\n"}, "args": BYPASS, "prompt": "Read a.txt.",
            "turns": [{"tools": [tool("Read", file_path="{{CWD}}/a.txt")]}, {"text": "Read."}], "expect": {"result": "Read"}}
    first, = house.play("twice", spec, client)
    second, = house.play("twice-again", spec, client)
    checks.nothing("the client did what it was asked to", list(first["failures"]) + list(second["failures"]))
    checks.nothing("no hook of ours troubled the client", list(troubles(first)) + list(troubles(second)))
    checks.nothing("every event is in the journal once", doubts(house, first, second))
    checks.that("the model is told once", requests(first)[0].count(CRITICAL) == 1, requests(first)[0].count(CRITICAL))
    checks.that("the person is told what to do about it", len(told(first, TWICE)) == 1, told(first, TWICE))
    checks.that("and not again", not told(second, TWICE), told(second, TWICE))
    with open(house.settings) as f:
        hooks = {event: groups for event, groups in json.load(f)["hooks"].items() if "throughline" in json.dumps(groups)}
    house.throughline.run("uninstall", "--yes")
    third, = house.play("once", spec, client)
    checks.nothing("the client did what it was asked to, with the plugin alone", list(third["failures"]) + list(troubles(third)))
    checks.nothing("the plugin takes over when the settings are without us", doubts(house, third))
    # Not looked for by the plugin: both are called, and the daemon keeps one.
    run_claude.dump(os.path.join(house.project, ".claude", "settings.local.json"), {"hooks": hooks})
    fourth, = house.play("in-a-project", spec, client)
    checks.nothing("hooks in the settings of a project beside it trouble nobody", list(fourth["failures"]) + list(troubles(fourth)))
    checks.nothing("and every event is in the journal once", doubts(house, fourth))
    checks.that("and the model is told once", requests(fourth)[0].count(CRITICAL) == 1, requests(fourth)[0].count(CRITICAL))


def missing(checks, house, client, canaries, ours):
    """The plugin without the executable: one line to the person, and nothing else is different."""
    detach(house)
    attach(house, client)
    run, = house.play("not-yet", {"args": BYPASS, "prompt": "Hello.", "turns": [{"text": "Hello."}], "expect": {"result": "Hello"}}, client)
    checks.nothing("it was there once", list(run["failures"]) + doubts(house, run))
    for name in ("throughline", "throughline-hook"):
        os.remove(os.path.join(house.home, ".local", "bin", name))
    before = len(house.throughline.lines("export"))
    # An envelope that is larger than a pipe, for a hook that does not read it.
    write = tool("Write", file_path="{{CWD}}/large.txt", content="x" * 300_000)
    spec = {"args": BYPASS, "lanes": [SUMMARY_LANE],
            "steps": [{"prompt": "Write it."}, {"prompt": "/compact"}, {"prompt": "/clear"}, {"prompt": "Go on."}],
            "turns": [{"tools": [write]}, {"tools": [tool("Bash", command="throughline search anything")]},
                      {"text": "Written."}, {"text": "Unharmed."}],
            "expect": {"result": "Unharmed", "file": {"large.txt": "xxx"}, "hooks": {"SessionStart": 3, "PreCompact": 1, "Stop": 2}}}
    run, = house.play("missing", spec, client)
    checks.nothing("the client did what it was asked to", run["failures"])
    checks.nothing("no hook of ours troubled the client", troubles(run))
    checks.that("the person is told once, with the command to use", len(told(run, NOT_INSTALLED)) == 1 and told(run, "cargo xtask setup"),
                told(run, NOT_INSTALLED))
    screen = seen(house, client, NOT_INSTALLED)
    checks.that("on the screen of an interactive client, too", screen.count(NOT_INSTALLED) == 1 and "hook error" not in screen, screen)
    said = requests(run, "main")
    checks.that("the model is not told", NOT_INSTALLED not in said[0])
    checks.that("unless it asks for us", NOT_INSTALLED in "".join(said) and "cargo xtask setup" in "".join(said))
    checks.that("nothing is recorded", len(house.throughline.lines("export")) == before)
    checks.that("the frequent events call the launcher", frequent_hook(house) == os.path.join(PLUGIN, "bin", "throughline"), frequent_hook(house))


def seen(house, client, words):
    """What an interactive session shows, from its start until these words are there and a prompt is answered."""
    path = os.path.join(house.home, ".claude.json")
    state = json.load(open(path)) if os.path.exists(path) else {}
    # As after a first start: no questions about a theme, a key or the folder.
    state.update(hasCompletedOnboarding=True, theme="dark", projects={house.project: {"hasTrustDialogAccepted": True}},
                 customApiKeyResponses={"approved": ["0" * 20], "rejected": []})
    run_claude.dump(path, state)
    spec = {"tui": [{"wait": words, "timeout": 30}, "Good morning.", 0.5, "\r", {"wait": "Morning", "timeout": 15}, 1, "/exit\r"],
            "turns": [{"text": "Morning."}]}
    run = run_claude.run(spec, client, os.path.join(house.folder, "screen"), cwd=house.project, home=house.home, log=False)
    with open(os.path.join(run["out"], "screen.txt")) as f:
        return f.read()


STORIES = {"plugin-files": files, "plugin-launcher": launcher, "plugin": installed, "plugin-reloaded": reloaded,
           "plugin-twice": twice, "plugin-missing": missing}
