"""What the SDK's own client sees. Runs in the environment that has it; run.py makes that and starts this."""
import asyncio
import json
import os
import signal
import subprocess
import sys
import time

from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

BINARY, HOME = sys.argv[1], sys.argv[2]
WORK = os.path.join(HOME, "work")
TOOLS = ["mem_search", "mem_timeline", "mem_get", "mem_save", "mem_forget", "mem_context", "handoff", "checkpoint",
         "sessions", "mem_status"]
HELD = 0


def check(sentence, holds, why=""):
    global HELD
    if not holds:
        print("  FAIL  %s\n        %s" % (sentence, why), flush=True)
        sys.exit(1)
    HELD += 1
    print("  ok    %s" % sentence, flush=True)


def server():
    return StdioServerParameters(command=BINARY, args=["mcp"], env={"HOME": HOME}, cwd=WORK)


def run(*arguments, stdin=None):
    env = {"HOME": HOME, "PATH": os.environ["PATH"]}
    return subprocess.run([BINARY, *arguments], env=env, cwd=WORK, input=stdin, capture_output=True, text=True, check=True).stdout


def envelope(event, **fields):
    base = {"session_id": "of-the-sdk", "transcript_path": "/nowhere.jsonl", "cwd": WORK, "hook_event_name": event}
    run("hook", stdin=json.dumps(dict(base, **fields)))


async def data(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, (tool, arguments, result)
    assert result.content[0].text, (tool, arguments)
    return result.structured_content


async def speaks(mode, version):
    async with Client(server(), mode=mode) as client:
        tools = (await client.list_tools()).tools
        check("%s (%s): the tools are listed" % (mode, version), [tool.name for tool in tools] == TOOLS, tools)
        status = await data(client, "mem_status")
        check("%s: the daemon is started and answers" % mode, status["running"] is True, status)
        check("%s: the version is %s" % (mode, version), client.protocol_version == version, client.protocol_version)


async def every_tool():
    envelope("SessionStart", source="startup")
    envelope("UserPromptSubmit", prompt="write the release notes")
    async with Client(server(), mode="legacy") as client:
        saved = await data(client, "mem_save", text="Release notes are written in the voice of the user.", kind="decision")
        found = await data(client, "mem_search", query="release notes", project="here")
        check("what is saved is found", saved["id"] in [hit["id"] for hit in found["hits"]], found)
        read = await data(client, "mem_get", ids=[saved["id"]])
        check("and read in full, as quoted data", "<throughline-note" in read["memories"][0]["text"], read)
        around = await data(client, "mem_timeline", id=saved["id"], before=2, after=2)
        check("and has surroundings", around["center"] == saved["id"], around)
        told = await data(client, "mem_context", prompt="how do we write release notes?")
        check("what a prompt would be told is shown", told["event"] == "UserPromptSubmit", told)
        written = await data(client, "handoff", action="write", text="Next: the changelog.")
        check("a hand-off is written for the session here", written["session"] == "of-the-sdk", written)
        shown = await data(client, "handoff", action="show")
        check("and shown", "Next: the changelog." in shown["text"], shown)
        made = await data(client, "checkpoint", action="create", message="before the notes")
        listed = await data(client, "checkpoint", action="list")
        check("a checkpoint is made and listed", made["id"] == listed["checkpoints"][0]["id"], listed)
        sessions = await data(client, "sessions", action="list", here=True)
        check("the session is listed", sessions["sessions"][0]["id"] == "of-the-sdk", sessions)
        story = await data(client, "sessions", action="show", id="of-the")
        check("and its story told", "write the release notes" in json.dumps(story), story)
        would = await data(client, "mem_forget", ids=[saved["id"]])
        check("nothing is forgotten without a word", would["forgotten"] == [], would)
        gone = await data(client, "mem_forget", ids=[saved["id"]], confirm=True)
        check("and with one it is", gone["forgotten"] == [saved["id"]], gone)

        refused = await client.call_tool("mem_get", {"ids": [saved["id"]]})
        check("a tool's error is an answer", refused.is_error and "What to do" in refused.content[0].text, refused)
        refused = await client.call_tool("mem_search", {"query": "x", "limit": 1000})
        check("bad arguments are explained", refused.is_error and "1 to 50" in refused.content[0].text, refused)
        try:
            await client.call_tool("mem_dance", {})
            check("an unknown tool is an error", False)
        except MCPError as error:
            check("an unknown tool is an error", "mem_search" in str(error), error)


async def resources_and_prompts():
    async with Client(server(), mode="legacy") as client:
        for n in range(25):
            await data(client, "mem_save", text="Fact number %d of the build." % n)
        uris, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            uris += [str(resource.uri) for resource in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                break
        check("resources come in pages", len(uris) == len(set(uris)) == 26, uris)
        memory = next(uri for uri in uris if uri.startswith("memory://"))
        text = (await client.read_resource(memory)).contents[0].text
        check("a memory is a resource", "of the build" in text, text)
        text = (await client.read_resource("session://of-the-sdk")).contents[0].text
        check("a session is a resource", "write the release notes" in text, text)
        templates = (await client.list_resource_templates()).resource_templates
        check("both have templates", [str(one.uri_template) for one in templates] == ["memory://{id}", "session://{id}"])
        prompts = (await client.list_prompts()).prompts
        check("prompts are listed", [prompt.name for prompt in prompts] == ["recall", "handoff", "checkpoint"], prompts)
        recall = await client.get_prompt("recall", {"topic": "the build"})
        check("a prompt says its argument", "the build" in recall.messages[0].content.text, recall)


async def trouble():
    async with Client(server(), mode="legacy") as client:
        await data(client, "mem_status")
        pid = json.loads(run("daemon", "status", "--json"))["pid"]
        os.kill(pid, signal.SIGKILL)
        found = await data(client, "mem_search", query="build")
        check("a daemon killed between two calls is not noticed", found["hits"], found)
        heard = []

        async def progress(done, _total, message):
            heard.append((done, message))

        pid = json.loads(run("daemon", "status", "--json"))["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            refused = await client.call_tool("mem_status", {}, progress_callback=progress)
        finally:
            os.kill(pid, signal.SIGCONT)
        check("a daemon that hangs is an answer", refused.is_error and "in time" in refused.content[0].text, refused)
        check("and progress is heard meanwhile", len(heard) >= 2 and heard == sorted(heard), heard)
        answers = await asyncio.gather(*(data(client, "mem_search", query="fact %d" % n) for n in range(20)))
        check("twenty calls at once are answered", len(answers) == 20)


def main():
    began = time.monotonic()
    for mode, version in (("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")):
        asyncio.run(speaks(mode, version))
    for scenario in (every_tool, resources_and_prompts, trouble):
        asyncio.run(scenario())
    print("  %.1f s" % (time.monotonic() - began))
    print("held: %d" % HELD)


if __name__ == "__main__":
    main()
