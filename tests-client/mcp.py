"""The real client calls our tools: the server stands in its settings as `throughline install` wrote it, the model asks.

What a tool says is read in the model's next request; nothing here talks to the server itself. Of the two forms of an
answer this client gives the model the structured one.
"""
import json
import os
import time

import run_claude
from recall import notes, requests, settled
from scenarios import BYPASS, tool

TOOLS = "mcp__throughline__"
SAVED = "Releases are cut from the branch named harbor, never from main, because the signing key lives there."
SEEN = "The lighthouse service keeps its leases in etcd and loses them when the clock jumps."
LEFT = "The harbor branch is rebased up to the third commit; the changelog is next."


def ours(name, **arguments):
    return tool(TOOLS + name, **arguments)


def results(run):
    """{tool_use_id: text} and [(name, id)] of what the model called and was given."""
    last = run_claude.model_requests(run["out"])[-1]["request"]["messages"]
    calls, given = [], {}
    for message in last:
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block.get("type") == "tool_use":
                calls.append((block["name"], block["id"]))
            elif block.get("type") == "tool_result":
                content = block["content"]
                text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
                given[block["tool_use_id"]] = (text, bool(block.get("is_error")))
    return [(name.removeprefix(TOOLS),) + given.get(call, ("", True)) for name, call in calls]


def play(checks, house, client, name, turns, **more):
    spec = dict({"args": BYPASS, "prompt": "Go on.", "turns": turns + [{"text": "Done."}], "expect": {"result": "Done"}}, **more)
    run, = house.play(name, spec, client)
    checks.nothing("the client did what it was asked to (%s)" % name, run["failures"])
    return run


def tools(checks, house, client, canaries, hook):
    """Every tool, called by name; what it says reaches the model's next request."""
    house.throughline.run("remember", SEEN, "--project", "project")
    settled(house, "lighthouse leases", "etcd")
    found = json.loads(house.throughline.run("search", "lighthouse leases", "--json"))[0]["id"]
    run = play(checks, house, client, "tools", [
        {"tools": [tool("ToolSearch", query="select:%smem_search,%smem_get" % (TOOLS, TOOLS))]},
        {"tools": [ours("mem_search", query="where do the leases of the lighthouse live?")]},
        {"tools": [ours("mem_timeline", id=found)]},
        {"tools": [ours("mem_get", ids=[found])]},
        {"tools": [ours("mem_save", text=SAVED, kind="decision")]},
        {"tools": [ours("mem_status"), ours("mem_context")]},
        {"tools": [ours("handoff", action="write", text=LEFT)]},
        {"tools": [ours("handoff", action="list")]},
        {"tools": [ours("checkpoint", action="list")]},
        {"tools": [ours("sessions", action="list")]},
        {"tools": [ours("mem_get", ids=["000000000000"])]}])
    servers = {server["name"]: server["status"] for server in run["mcp_servers"] or []}
    checks.that("the server is connected, as install named it", servers.get("throughline") == "connected", servers)
    offered = [name for name in run["tools"] or [] if name.startswith(TOOLS)]
    checks.that("its tools are there, the one for hooks is not", TOOLS + "mem_search" in offered and TOOLS + "hook" not in offered, offered)
    said = results(run)
    text = {}
    for name, words, failed in said:
        text.setdefault(name, []).append((words, failed))
    first = lambda name: text.get(name, [("", True)])[0][0]
    found_tools = json.dumps(run_claude.model_requests(run["out"])[1]["request"])
    checks.that("the model finds them through ToolSearch", TOOLS + "mem_search" in first("ToolSearch") or TOOLS + "mem_search" in found_tools, first("ToolSearch"))
    checks.that("mem_search gives an index with what it costs", found in first("mem_search") and "lighthouse" in first("mem_search"), first("mem_search"))
    checks.that("mem_timeline gives the neighbors", found in first("mem_timeline"), first("mem_timeline"))
    checks.that("mem_get gives the text", SEEN in first("mem_get"), first("mem_get"))
    checks.that("mem_save keeps and says under which name", SAVED in first("mem_save") and '"id"' in first("mem_save"), first("mem_save"))
    checks.that("mem_status says that memory works", '"running":true' in first("mem_status"), first("mem_status"))
    checks.that("mem_context says what a session starts with", text.get("mem_context", [("", True)])[0][1] is False, first("mem_context"))
    handoffs = text.get("handoff", [])
    checks.that("a hand-off is written for this session and listed", len(handoffs) == 2 and not handoffs[0][1] and "harbor" in handoffs[1][0] or
                run["session_id"][:8] in str(handoffs), handoffs)
    checks.that("checkpoint answers", text.get("checkpoint"), said)
    checks.that("sessions knows this one", run["session_id"][:8] in first("sessions"), first("sessions"))
    checks.that("an id that does not exist is an error with a next step", text["mem_get"][1][1] and "mem_search" in text["mem_get"][1][0], text["mem_get"])
    hit = lambda: [hit for hit in json.loads(house.throughline.run("search", "releases branch harbor", "--json")) if "harbor" in json.dumps(hit)]
    until = time.time() + 60
    while not hit() and time.time() < until:
        time.sleep(0.1)
    checks.that("what was saved is found from outside", hit())
    run = play(checks, house, client, "tools-later", [], prompt="From which branch are releases cut, and where does the signing key live?")
    said = "".join(requests(run))
    checks.that("and said to the next session unasked", "harbor" in said and SAVED[:50] in said, said[-1500:])


def survives(checks, house, client, canaries, hook):
    """The daemon is killed between two calls; the second is answered like the first."""
    kill = tool("Bash", command="kill -9 $(cat %s/*/run/daemon.pid)" % house.data)
    run = play(checks, house, client, "survives", [
        {"tools": [ours("mem_save", text=SEEN)]}, {"tools": [kill]}, {"tools": [ours("mem_search", query="lighthouse leases")]},
        {"tools": [kill]}, {"tools": [ours("mem_save", text=SAVED)]}])
    said = [(words, failed) for name, words, failed in results(run) if name != "Bash"]
    checks.that("every call is answered", len(said) == 3 and not any(failed for _, failed in said), said)
    checks.that("and knows what was saved before", len(said) == 3 and "lighthouse" in said[1][0], said)


def quiet(checks, house, client, canaries, hook):
    """What our own tools say is no news: asking for a memory makes none, nor does a call that fails or changes something."""
    house.throughline.run("remember", SEEN, "--project", "project")
    settled(house, "lighthouse leases", "etcd")
    unknown = ours("mem_get", ids=["000000000000"])
    run = play(checks, house, client, "quiet", [
        {"tools": [ours("mem_search", query="lighthouse leases")]}, {"tools": [unknown]}, {"tools": [unknown]},
        {"tools": [ours("mem_status"), ours("mem_context")]}, {"tools": [ours("checkpoint", action="create", message="before the lighthouse")]},
        {"tools": [ours("handoff", action="write", text=LEFT)]}])
    house.kept(ends=1)
    # The session's own story is the last thing made of it.
    until = time.time() + 60
    while run["session_id"] not in house.throughline.run("session", "show", run["session_id"], check=False) and time.time() < until:
        time.sleep(0.1)
    made = [row for question in ("lighthouse leases etcd", "checkpoint create", "mem_get 000000000000", "handoff write throughline")
            for row in json.loads(house.throughline.run("search", question, "--json", check=False) or "[]")]
    checks.that("the one memory is found", any("lighthouse" in json.dumps(row) for row in made), made)
    checks.nothing("no memory is made of what our own tools said or did",
                   {"%s: %s" % (row["kind"], row["title"]) for row in made if SEEN[:40] not in row["title"] and row["kind"] not in ("chunk", "summary")})


STORIES = {"mcp-tools": tools, "mcp-survives": survives, "mcp-quiet": quiet}
