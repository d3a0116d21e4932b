"""What the SDK's own client sees, over a pipe and over HTTP. Runs in the environment that has it; run.py makes that and
starts this."""
import asyncio
import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import time

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import ListRootsResult, Root

BINARY, HOME = sys.argv[1], sys.argv[2]
WORK = os.path.join(HOME, "work")
RUN = os.path.join(HOME, ".throughline", "default", "run")
# Some of them; both doors list the same.
TOOLS = {"mem_search", "mem_timeline", "mem_get", "mem_save", "mem_forget", "mem_context", "handoff", "checkpoint",
         "message", "sessions", "mem_status", "code_outline", "code_symbol", "code_callers", "code_impact", "code_slice", "code_search",
         "code_context", "code_deps"}
DOORS = ("pipe", "http")
FOLDER = {"X-Throughline-Folder": WORK}
LISTED = {}
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


def said(name):
    with open(os.path.join(RUN, name), encoding="ascii") as file:
        return file.read().strip()


@contextlib.asynccontextmanager
async def entered(door, mode, headers=None, **more):
    """A client inside: over a pipe, or over HTTP with the token and these headers."""
    if door == "pipe":
        async with Client(server(), mode=mode, **more) as client:
            yield client
        return
    run("daemon", "start")
    headers = dict({"Authorization": "Bearer " + said("token")}, **(FOLDER if headers is None else headers))
    async with httpx2.AsyncClient(headers=headers, timeout=30) as calls:
        transport = streamable_http_client("http://127.0.0.1:%s/mcp" % said("port"), http_client=calls)
        async with Client(transport, mode=mode, **more) as client:
            yield client


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


async def speaks(door, mode, version):
    how = "%s, %s" % (door, mode)
    async with entered(door, mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        check("%s: the tools are listed" % how, TOOLS <= set(names), names)
        check("%s: every door has the same" % how, LISTED.setdefault("tools", names) == names, names)
        status = await data(client, "mem_status")
        check("%s: the daemon is started and answers" % how, status["running"] is True, status)
        check("%s: the version is %s" % (how, version), client.protocol_version == version, client.protocol_version)


async def every_tool(door):
    print("  -- every tool, over %s" % door)
    envelope("SessionStart", source="startup")
    envelope("UserPromptSubmit", prompt="write the release notes")
    async with entered(door, "legacy") as client:
        text = "Release notes are written in the voice of the user, over %s." % door
        saved = await data(client, "mem_save", text=text, kind="decision")
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

        await the_code(client)

        refused = await client.call_tool("mem_get", {"ids": [saved["id"]]})
        check("a tool's error is an answer", refused.is_error and "What to do" in refused.content[0].text, refused)
        refused = await client.call_tool("mem_search", {"query": "x", "limit": 1000})
        check("bad arguments are explained", refused.is_error and "1 to 50" in refused.content[0].text, refused)
        try:
            await client.call_tool("mem_dance", {})
            check("an unknown tool is an error", False)
        except MCPError as error:
            check("an unknown tool is an error", "mem_search" in str(error), error)


async def the_code(client):
    write("shop/store.py", "class Store:\n    def save(self, order):\n        return order\n")
    write("shop/app.py", "from shop.store import Store\n\n\ndef run(order):\n    return Store().save(order)\n")
    outline = await data(client, "code_outline", file="shop/store.py")
    check("a file is told as its outline", outline["outline"][1].strip() == "2-3  def save(self, order)", outline)
    symbol = await data(client, "code_symbol", name="Store.save")
    check("a definition is found", symbol["symbols"][0]["line"] == 2, symbol)
    uses = await data(client, "code_callers", symbol="Store.save")
    check("and who calls it, with the line", [(use["file"], use["line"]) for use in uses["uses"]] == [("shop/app.py", 5)], uses)
    reached = await data(client, "code_impact", symbol="Store.save")
    check("and what a change of it reaches", reached["reached"][0]["name"] == "run", reached)
    needed = await data(client, "code_context", symbol="Store.save", tokens=500)
    check("and what a change of it needs", "return order" in needed["text"], needed)
    sliced = await data(client, "code_slice", file="shop/store.py", line=3)
    check("and what a line depends on", 3 in sliced["lines"], sliced)
    hits = await data(client, "code_search", query="save an order")
    check("code is found by what it does", any(hit["name"] == "Store.save" for hit in hits["hits"]), hits)
    deps = await data(client, "code_deps", files=True)
    check("and which file uses which", {"from": "shop/app.py", "to": "shop/store.py", "count": 1} in deps["uses"], deps)


def write(path, text):
    path = os.path.join(WORK, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


async def resources_and_prompts(door):
    print("  -- resources and prompts, over %s" % door)
    async with entered(door, "legacy") as client:
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
    print("  -- trouble, over a pipe")
    async with entered("pipe", "legacy") as client:
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


async def where():
    """Which folder somebody works in, over HTTP."""
    print("  -- folders, over http")

    async def roots(_context):
        return ListRootsResult(roots=[Root(uri="file://" + WORK)])

    async with entered("http", "legacy", headers={}, list_roots_callback=roots) as client:
        status = await data(client, "mem_status")
        check("a client's roots say where it works", status["project"] == "work", status)
    async with entered("http", "2026-07-28") as client:
        status = await data(client, "mem_status")
        check("a header says it where there are no roots", status["project"] == "work", status)
    async with entered("http", "legacy", headers={}) as client:
        found = await data(client, "mem_search", query="fact of the build")
        check("who is nowhere searches everywhere", found["hits"], found)
        refused = await client.call_tool("checkpoint", {"action": "create"})
        check("and keeps no files of nowhere", refused.is_error and "X-Throughline-Folder" in refused.content[0].text, refused)


async def restarted():
    """The daemon ends while a client is inside."""
    print("  -- a daemon that is killed, over http")
    port, token = said("port"), said("token")
    for mode in ("legacy", "2026-07-28"):
        async with entered("http", mode) as client:
            await data(client, "mem_status")
            os.kill(json.loads(run("daemon", "status", "--json"))["pid"], signal.SIGKILL)
            run("daemon", "start")
            check("%s: the port and the token stay" % mode, (said("port"), said("token")) == (port, token))
            status = await data(client, "mem_status")
            check("%s: the next call is answered by the next daemon" % mode, status["uptime_s"] < 5, status)
            check("%s: which knows where the client works" % mode, status["project"] == "work", status)


def knock(path="/mcp", **headers):
    """The status of a request with these headers beside the right token."""
    port = said("port")
    given = {"Authorization": "Bearer " + said("token"), "Host": "127.0.0.1:" + port, "Content-Type": "application/json",
             "Accept": "application/json, text/event-stream"}
    given.update({name.replace("_", "-"): value for name, value in headers.items()})
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=10)
    connection.request("POST", path, body, {name: value for name, value in given.items() if value})
    status = connection.getresponse().status
    connection.close()
    return status


async def strangers():
    print("  -- strangers, over http")
    run("daemon", "start")
    port = said("port")
    for sentence, status, headers in (
            ("without a token", 401, {"Authorization": ""}), ("with another token", 401, {"Authorization": "Bearer " + "0" * 64}),
            ("under a name that was pointed here", 421, {"Host": "attacker.example:" + port}),
            ("from another page", 403, {"Origin": "https://attacker.example"}), ("from a file", 403, {"Origin": "null"}),
            ("as a browser says of another site", 403, {"Sec_Fetch_Site": "cross-site"})):
        check("%s nobody is let in" % sentence, knock(**headers) == status, knock(**headers))
    try:
        async with Client("http://127.0.0.1:%s/mcp" % port, mode="legacy") as client:
            await client.list_tools()
        refused = False
    except BaseException:  # noqa: BLE001 (the SDK wraps what it is told in groups)
        refused = True
    check("the SDK without a token is refused", refused)


def main():
    began = time.monotonic()
    for door in DOORS:
        for mode, version in (("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")):
            asyncio.run(speaks(door, mode, version))
        for scenario in (every_tool, resources_and_prompts):
            asyncio.run(scenario(door))
    for scenario in (trouble, where, restarted, strangers):
        asyncio.run(scenario())
    print("  %.1f s" % (time.monotonic() - began))
    print("held: %d" % HELD)


if __name__ == "__main__":
    main()
