"""Codex CLI, the npm package, against a scripted Responses API."""
import glob
import json
import os
import subprocess
import time

import model
import watched as watching
from house import Screen, lines_of, text_of

# Another version is another contract: change it together with the fixtures.
PACKAGE, VERSION = "@openai/codex", "0.166.0"
# One that the client knows by itself, so that it offers its own tools; no such model is ever asked.
MODEL = "gpt-5.5"
# At every start it looks for its vendor's plugins, and waits five seconds where there is no network.
QUICK = ["-c", "features.plugins=false", "-c", "analytics.enabled=false"]
FACT = "The invoice exporter rounds half to even because the auditors of Haldane insisted on it."


def client(folder):
    """The executable inside of the platform's package: the script around it only finds it."""
    found = glob.glob(os.path.join(folder, "node_modules", "@openai", "codex-*", "vendor", "*", "bin", "codex"))
    if not found:
        raise AssertionError("%s has no executable for this machine" % PACKAGE)
    return [found[0]] + QUICK


class Responses:
    """The Responses API as far as the client reads it."""

    @staticmethod
    def is_turn(path, body):
        return path.endswith("/responses")

    @staticmethod
    def reply(handler, path, body, turn):
        if turn is None:
            return model.send_json(handler, {"models": [], "data": []})
        at, items = turn["at"], []
        for i, tool in enumerate(turn.get("tools", [])):
            call = {"call_id": "call_%d_%d" % (at, i), "name": tool["name"]}
            if "patch" in tool:
                items.append(dict(call, type="custom_tool_call", id="ctc_%d_%d" % (at, i), input=tool["patch"],
                                  status="completed"))
                continue
            if "namespace" in tool:
                call["namespace"] = tool["namespace"]
            items.append(dict(call, type="function_call", id="fc_%d_%d" % (at, i), arguments=json.dumps(tool["input"])))
        if "text" in turn:
            items.append({"type": "message", "role": "assistant", "id": "msg_%d" % at,
                          "content": [{"type": "output_text", "text": turn["text"]}]})
        usage = {"input_tokens": turn.get("tokens", 10), "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": turn.get("tokens", 10) + 5}
        response = {"id": "resp_%d" % at}
        events = [{"type": "response.created", "response": response}]
        for index, item in enumerate(items):
            events += [{"type": "response.output_item.%s" % state, "output_index": index, "item": item}
                       for state in ("added", "done")]
        events.append({"type": "response.completed", "response": dict(response, usage=usage)})
        return model.send_events(handler, [(event["type"], event) for event in events])


def command(text):
    return {"name": "exec_command", "input": {"cmd": text}}


def patch(text):
    return {"name": "apply_patch", "patch": "*** Begin Patch\n%s\n*** End Patch\n" % text}


def own(tool, **arguments):
    """A call of our MCP server."""
    return {"name": tool, "namespace": "mcp__throughline", "input": arguments}


class Run:
    """One `codex exec`: what the model was asked, what the client printed."""

    def __init__(self, house, argv, prompt, turns, *more):
        served = model.Model(Responses, turns)
        provider = 'model_providers.scripted={name="scripted",base_url="%s/v1",wire_api="responses",env_key="SCRIPTED_KEY",' \
                   'request_max_retries=0,stream_max_retries=0}' % served.url
        options = ["-c", 'model_provider="scripted"', "-c", provider, "-m", MODEL]
        self.code, self.out, self.err = house.run(
            argv + ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"] + options
            + list(more) + [prompt], SCRIPTED_KEY="none")
        served.stop()
        self.requests = served.requests
        self.events = lines_of(self.out)
        self.said = [event["item"]["text"] for event in self.events
                     if event.get("type") == "item.completed" and event["item"].get("type") == "agent_message"]
        self.complaints = [event["item"]["message"] for event in self.events
                           if event.get("type") == "item.completed" and event["item"].get("type") == "error"]
        self.session = next((event["thread_id"] for event in self.events if event.get("type") == "thread.started"), None)

    def read(self, at):
        return text_of(self.requests[at]["input"]) if at < len(self.requests) else ""

    def result(self, at):
        """What the last call before this request gave."""
        items = self.requests[at]["input"] if at < len(self.requests) else []
        return next((text_of(item["output"]) for item in reversed(items) if item["type"].endswith("_call_output")), "")

    def __str__(self):
        return "exit %s\n%s\n%s" % (self.code, self.out[-3000:], self.err[-1500:])


class Server:
    """`codex app-server`: what the client's own screens ask it."""

    def __init__(self, house, argv):
        env = {"HOME": house.home, "PATH": os.environ["PATH"], "TMPDIR": house.folder}
        self.process = subprocess.Popen(argv + ["app-server"], env=env, cwd=house.project, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.asked = 0
        self.ask("initialize", {"clientInfo": {"name": "throughline-test", "version": "1"}})
        self.process.stdin.write(json.dumps({"method": "initialized"}) + "\n")

    def ask(self, method, params):
        self.asked += 1
        self.process.stdin.write(json.dumps({"id": self.asked, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.asked:
                if "error" in answer:
                    raise AssertionError("%s: %s" % (method, answer["error"]))
                return answer["result"]
        raise AssertionError("the app server ended before it answered %s" % method)

    def hooks(self, house):
        listed = self.ask("hooks/list", {"cwds": [house.project]})["data"][0]
        return listed["hooks"], listed.get("errors", []) + listed.get("warnings", [])

    def trust(self, hooks):
        """What the client's own screen does when a person confirms."""
        state = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
        edit = {"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
        self.ask("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})

    def leave(self):
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait(10)


def install(house, argv):
    """Installed, and confirmed by the person as the client asks them to."""
    printed = house.throughline.run("install", "--client", "codex", "--yes")
    server = Server(house, argv)
    try:
        hooks, _ = server.hooks(house)
        server.trust(hooks)
    finally:
        server.leave()
    return printed


# ------------------------------------------------------------------------------- the stories


def installed(checks, house, argv, world):
    """The files are accepted as they are written, a person's own lines stay, and an uninstall gives them back."""
    config, hooks = house.path(".codex", "config.toml"), house.path(".codex", "hooks.json")
    before = '# mine\nmodel_reasoning_effort = "low"   # for now\n\n[mcp_servers.other]\ncommand = "true"'
    house.write(config, before)
    printed = house.throughline.run("install", "--client", "codex", "--yes")
    checks.that("the person is told to trust the hooks", "trust" in printed and "/hooks" in printed, printed)
    server = Server(house, argv)
    listed, troubles = server.hooks(house)
    checks.that("Codex takes all eleven hooks and has nothing to say about them", len(listed) == 11 and not troubles,
                (len(listed), troubles))
    checks.that("and none is trusted yet", {hook["trustStatus"] for hook in listed} == {"untrusted"}, listed[:1])
    run = Run(house, argv, "Hello.", [{"text": "Hello."}], "--strict-config")
    checks.that("the configuration is accepted by the strictest reading", run.code == 0 and run.said == ["Hello."], run)
    checks.that("a hook that nobody trusted is not run", not house.throughline.lines("export"), run)
    server.trust(listed)
    checks.that("a person's word makes them run", {hook["trustStatus"] for hook in server.hooks(house)[0]} == {"trusted"})
    again = house.throughline.run("install", "--client", "codex", "--yes")
    checks.that("a second install changes nothing, so that the trust stays", again.count("as it should be") == 2, again)
    server.leave()
    doctor = house.throughline.run("doctor", check=False)
    checks.that("the doctor knows", "codex" in doctor and "is not attached" not in doctor.split("codex")[1][:40], doctor)
    code, out, err = house.run(argv + ["mcp", "list"])
    checks.that("Codex lists the MCP server", code == 0 and "throughline" in out, out + err)
    house.throughline.run("uninstall", "--client", "codex", "--yes")
    left = house.read(config)
    checks.that("an uninstall leaves the person's own lines and the client's", left.startswith(before)
                and "mcp_servers.throughline" not in left and not os.path.exists(hooks), left)


def undone(checks, house, argv, world):
    """Where nobody has touched the files since, they come back to the byte."""
    config = house.path(".codex", "config.toml")
    before = "# mine\r\nmodel = \"x\"\r\n"
    with open_new(config) as f:
        f.write(before.encode())
    house.throughline.run("install", "--client", "codex", "--yes")
    house.throughline.run("uninstall", "--client", "codex", "--yes")
    with open(config, "rb") as f:
        checks.that("the configuration is back to the byte", f.read() == before.encode())
    checks.that("what we made is gone", sorted(os.listdir(house.path(".codex"))) == ["config.toml"],
                os.listdir(house.path(".codex")))


def trusted(checks, house, argv, world):
    """A person is asked at the next start, says yes, and from then on it is recorded."""
    house.write(house.path(".codex", "config.toml"), '[projects."%s"]\ntrust_level = "trusted"\n' % house.project)
    house.throughline.run("install", "--client", "codex", "--yes")
    provider = 'model_providers.scripted={name="scripted",base_url="http://127.0.0.1:9/v1",wire_api="responses",env_key="SCRIPTED_KEY"}'
    screen = Screen(house, argv + ["--no-alt-screen", "--no-daemon", "-m", MODEL, "-c", 'model_provider="scripted"', "-c", provider],
                    SCRIPTED_KEY="none")
    checks.that("Codex asks about our hooks", screen.wait("Trust all and continue") and "11 hooks are new" in screen.text(),
                screen.text()[-1500:])
    # What is typed while it is still loading is thrown away.
    for _ in range(10):
        screen.wait("never shown", 1)
        screen.type("2")
        if screen.wait("› 2. Trust all", 1):
            break
    screen.type("\r")
    checks.that("and takes a yes", screen.wait("Trusting hooks"), screen.text()[-1500:])
    config, until = "", time.time() + 60
    while config.count("trusted_hash") < 11 and time.time() < until:
        config = house.read(house.path(".codex", "config.toml"))
        time.sleep(0.1)
    screen.leave()
    checks.that("for all of them", config.count("trusted_hash") == 11 and "[mcp_servers.throughline]" in config, config)
    run = Run(house, argv, "Hello.", [{"text": "Hello."}])
    events = [entry["event"] for entry in house.kept("SessionEnd", 1)]
    checks.that("the next session is recorded", events[:1] == ["SessionStart"] and run.session in
                {entry["session"] for entry in house.throughline.lines("export")}, (events, str(run)))


def of_a_project(checks, house, argv, world):
    """A project's own files, for everybody who trusts the project."""
    house.write(house.path(".codex", "config.toml"), '[projects."%s"]\ntrust_level = "trusted"\n' % house.project)
    house.in_project("install", "--client", "codex", "--project", "--yes")
    checks.that("they are in the project", sorted(os.listdir(os.path.join(house.project, ".codex"))) ==
                ["config.toml", "hooks.json"], os.listdir(house.project))
    server = Server(house, argv)
    listed, troubles = server.hooks(house)
    checks.that("Codex takes them as the project's", len(listed) == 11 and not troubles
                and {hook["source"] for hook in listed} == {"project"}, (listed[:1], troubles))
    server.trust(listed)
    server.leave()
    run = Run(house, argv, "Hello.", [{"tools": [own("mem_status")]}, {"text": "Hello."}])
    checks.that("the project's server answers", "memory" in run.result(1), run)
    events = [entry["event"] for entry in house.kept("SessionEnd", 1)]
    checks.that("and its hooks are run", events[0] == "SessionStart" and events[-1] == "SessionEnd", events)
    house.in_project("uninstall", "--client", "codex", "--project", "--yes")
    checks.that("an uninstall leaves nothing in the project", not glob.glob(os.path.join(house.project, ".codex", "*")))


def open_new(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return open(path, "wb")


def recorded(checks, house, argv, world):
    """A session's events are kept, in the words of the house, under Codex's own session id."""
    install(house, argv)
    turns = [{"tools": [command("printf 'alpha\\n' > a.txt")]},
             {"tools": [patch("*** Add File: retry.conf\n+attempts = 0")]},
             {"tools": [patch("*** Update File: retry.conf\n@@\n-attempts = 0\n+attempts = 5")]},
             {"tools": [own("mem_status")]}, {"text": "Uploads are retried five times."}]
    run = Run(house, argv, "Uploads fail for good after packet loss: retry them.", turns)
    checks.that("the client did what it was asked to", run.code == 0 and run.said == [turns[-1]["text"]], run)
    entries = house.kept("SessionEnd", 1)
    events = [entry["event"] for entry in entries]
    wanted = ["SessionStart", "UserPromptSubmit"] + ["PreToolUse", "PostToolUse"] * 4 + ["Stop", "SessionEnd"]
    checks.that("every event is in the journal once, in its order", events == wanted, events)
    checks.that("under the client's own session id", {entry["session"] for entry in entries} == {run.session}, run.session)
    checks.that("as Codex's", {entry["agent"] for entry in entries} == {"codex"}, entries[:1])
    listed = house.throughline.run("events")
    checks.that("a person sees them", all(event in listed for event in set(wanted)), listed)
    story = house.throughline.run("session", "show", run.session)
    checks.that("the session's story names the file that was changed", "retry.conf" in story, story)


def told(checks, house, argv, world):
    """What is remembered is in the model's next request: at the start, and beside the prompt that needs it."""
    critical = "The staging database is wiped every Monday at six; nothing in it may be relied on."
    house.throughline.run("remember", critical, "--critical", "--global")
    house.throughline.run("remember", FACT, "--global")
    house.settled("invoice exporter", "rounds")
    install(house, argv)
    run = Run(house, argv, "Which shell is this?", [{"text": "This one."}])
    checks.that("a session that starts is told what is critical", critical in run.read(0), run.read(0)[-2000:])
    house.throughline.run("behaviors", "disable", "recall-on-start")
    run = Run(house, argv, "Why does the invoice exporter round half to even?", [{"text": "Haldane."}])
    checks.that("a prompt that needs a fact gets it", FACT in run.read(0) and "throughline-note" in run.read(0),
                run.read(0)[-2000:])
    checks.that("none of our own words is captured", "throughline-note" not in json.dumps(house.throughline.lines("export")))


def denied(checks, house, argv, world):
    """A rule's refusal keeps the command from running, and the model reads why."""
    install(house, argv)
    house.refuse_commands("not on this machine")
    turns = [{"tools": [command("touch forbidden.txt")]}, {"text": "Then not."}]
    run = Run(house, argv, "Touch it.", turns)
    checks.that("the client did what it was asked to", run.code == 0 and run.said == ["Then not."], run)
    checks.that("the command did not run", not os.path.exists(os.path.join(house.project, "forbidden.txt")))
    checks.that("the model reads the reason", "not on this machine" in run.read(1), run.read(1)[-1500:])


def held(checks, house, argv, world):
    """A rule makes the turn go on once, and not for ever."""
    install(house, argv)
    house.hold_turns("the tests were not run")
    run = Run(house, argv, "Fix it.", [{"text": "Fixed."}, {"text": "Tested, too."}, {"text": "Still going."}])
    checks.that("the turn went on once", run.code == 0 and run.said == ["Fixed.", "Tested, too."], run)
    checks.that("because of the rule", "the tests were not run" in run.read(1), run.read(1)[-1500:])


def compacted(checks, house, argv, world):
    """After a compaction the model is told again what is critical."""
    critical = "The staging database is wiped every Monday at six; nothing in it may be relied on."
    house.throughline.run("remember", critical, "--critical", "--global")
    house.settled("staging database", "Monday")
    install(house, argv)
    turns = [{"tools": [command("true")], "tokens": 900000}, {"text": "Summary: nothing yet."}, {"text": "Gone on."}]
    run = Run(house, argv, "Look around.", turns)
    checks.that("the client compacted and went on", run.code == 0 and run.said == ["Gone on."], run)
    checks.that("the summary replaced what was said at the start, and it was said again", run.read(2).count(critical) == 1,
                run.read(2)[-2500:])
    events = [entry["event"] for entry in house.kept("SessionEnd", 1)]
    checks.that("the compaction is in the journal", events.count("PreCompact") == events.count("PostCompact") == 1
                and events.count("SessionStart") == 2, events)


def one_memory(checks, house, argv, world):
    """What a session of Claude Code found out is found by a session of Codex, through hooks and through the server."""
    world.claude_fixes_a_bug(checks, house)
    install(house, argv)
    turns = [{"tools": [own("mem_search", query="why did uploads fail after packet loss")]}, {"text": "Found."}]
    run = Run(house, argv, "Why did the uploads fail after packet loss?", turns)
    checks.that("Codex is told of it beside the prompt", "attempts" in run.read(0) and "throughline-note" in run.read(0),
                run.read(0)[-2000:])
    checks.that("and finds it by asking", "bugfix" in run.result(1) and "retry.conf" in run.result(1), run.result(1))


def handed_back(checks, house, argv, world):
    """What a session of Codex found out is told to a session of Claude Code."""
    install(house, argv)
    turns = [{"tools": [patch("*** Add File: cache.conf\n+expiry = 300")]}, {"text": watching.FOUND}]
    run = Run(house, argv, "Why does the walrus cache go stale?", turns)
    checks.that("the client did what it was asked to", run.code == 0 and run.said == [watching.FOUND], run)
    world.claude_is_told(checks, house, "Why did the walrus cache go stale?", "never expired")


def watched(checks, house, argv, world):
    """Without hooks, what Codex writes of its conversations is read: once, and nothing private."""
    watching.story(checks, house, "codex",
                   lambda prompt, line, last: Run(house, argv, prompt, [{"tools": [command(line)]}, {"text": last}]))


STORIES = [installed, undone, trusted, of_a_project, recorded, told, denied, held, compacted, one_memory, handed_back, watched]
