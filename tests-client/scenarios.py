"""What the client is made to do. Data only; what must follow from it is said in run.py."""

BYPASS = ["--permission-mode", "bypassPermissions"]

# The request that writes a compaction's summary.
SUMMARY_LANE = {"name": "compact", "match": {"user": "CRITICAL: Respond with TEXT ONLY"}, "loop": True,
                "turns": [{"text": "<analysis>short</analysis><summary>The service reads its settings.</summary>"}]}


def tool(name, **input_):
    return {"name": name, "input": input_}


def working_day(canaries):
    """Reads, an edit, a new file, a failing command, a subagent, a compaction, then a resume."""
    settings = tool("Read", file_path="{{CWD}}/settings.env")
    subagent = {"name": "sub", "match": {"agent": True}, "turns": [
        {"tools": [settings]}, {"text": "It logs in with Authorization: Bearer %s" % canaries.bearer}]}
    return {
        "files": {"a.txt": "alpha\nbeta\n", "settings.env": canaries.env_file(), "key.pem": canaries.pem,
                  "CLAUDE.md": "Plain words, short sentences.\n"},
        "args": BYPASS, "lanes": [SUMMARY_LANE, subagent],
        "steps": [{"prompt": "Find out how the service starts. <private>The client is %s.</private>" % canaries.private},
                  {"prompt": "/compact keep the names"},
                  {"prompt": "Sum it up."}],
        "turns": [
            {"text": "reading", "tools": [tool("Read", file_path="{{CWD}}/a.txt")]},
            {"tools": [settings, tool("Read", file_path="{{CWD}}/key.pem")]},
            {"tools": [tool("Edit", file_path="{{CWD}}/a.txt", old_string="beta", new_string="gamma")]},
            {"tools": [tool("Write", file_path="{{CWD}}/deploy.sh",
                            content="#!/bin/sh\nexport GITHUB_TOKEN=%s\n" % canaries.github)]},
            {"tools": [tool("Bash", command="cat settings.env; mysql -uroot -p%s app; exit 3" % canaries.command)]},
            {"tools": [tool("Agent", description="look at the settings", prompt="Read settings.env.",
                            subagent_type="general-purpose", run_in_background=False)]},
            {"text": "It starts with the token %s." % canaries.github},
            {"text": "Summed up."}],
        "expect": {"result": "Summed up", "file": {"a.txt": "gamma", "deploy.sh": "GITHUB_TOKEN"},
                   "hooks": {"PreToolUse": 8, "PostToolUse": 6, "PostToolUseFailure": 1, "SubagentStart": 1,
                             "PreCompact": 1, "PostCompact": 1},
                   "order": ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
                             "SubagentStart", "SubagentStop", "Stop", "PreCompact", "SessionStart", "PostCompact",
                             "UserPromptSubmit", "Stop", "SessionEnd"]},
        "then": [{"args": BYPASS + ["--resume", "{{SESSION}}"], "prompt": "And again.", "turns": [{"text": "Resumed."}],
                  "expect": {"result": "Resumed",
                             "hook": [{"event": "SessionStart", "where": {"source": "resume"}}]}}]}


def bug_fix(canaries):
    """A check that fails, an edit, the check that passes, and the agent's own words about the reason."""
    check = tool("Bash", command="sh test_retry.sh")
    return {
        "files": {"retry.conf": "attempts = 0\n",
                  "test_retry.sh": "grep -q 'attempts = 3' retry.conf || { echo 'FAIL: uploads are never retried' >&2; exit 1; }\n"
                                   "echo 'all 4 tests passed'\n"},
        "args": BYPASS,
        "prompt": "Uploads fail for good after one lost packet. Find out why. Our token is %s." % canaries.github,
        "turns": [
            {"tools": [check]},
            {"tools": [tool("Read", file_path="{{CWD}}/retry.conf")]},
            {"tools": [tool("Edit", file_path="{{CWD}}/retry.conf", old_string="attempts = 0", new_string="attempts = 3")]},
            {"tools": [check]},
            {"text": "The root cause was `attempts = 0` in retry.conf: uploads were never retried. I set it to 3; test_retry.sh passes."}],
        "expect": {"result": "root cause", "hooks": {"PostToolUse": 3, "PostToolUseFailure": 1, "Stop": 1, "SessionEnd": 1}}}


def private_turn(canaries):
    """A prompt that is entirely private, with a tool call; then an ordinary one, with a tool call."""
    return {
        "files": {"diary.txt": "%s\n" % canaries.private_turn, "a.txt": "alpha\n"}, "args": BYPASS,
        "steps": [{"prompt": "<private>Read my diary: %s</private>" % canaries.private_turn}, {"prompt": "Read a.txt."}],
        "turns": [{"tools": [tool("Read", file_path="{{CWD}}/diary.txt")]}, {"text": "Read."},
                  {"tools": [tool("Read", file_path="{{CWD}}/a.txt")]}, {"text": "Done."}],
        "expect": {"result": "Done", "hooks": {"PreToolUse": 2, "PostToolUse": 2}}}


def daemon_dies(data):
    """The daemon is killed between two prompts, and again while a tool runs."""
    kill = "kill -9 $(cat %s/*/run/daemon.pid)" % data
    return {
        "files": {"a.txt": "alpha\n"}, "args": BYPASS,
        "steps": [{"prompt": "Begin."}, {"sh": kill}, {"prompt": "Go on."}, {"prompt": "End."}],
        "turns": [{"text": "Begun."}, {"tools": [tool("Read", file_path="{{CWD}}/a.txt")]},
                  {"tools": [tool("Bash", command=kill)]}, {"tools": [tool("Read", file_path="{{CWD}}/a.txt")]},
                  {"text": "Gone on."}, {"text": "Ended."}],
        "expect": {"result": "Ended", "hooks": {"PostToolUse": 3, "UserPromptSubmit": 3}}}


def long_visit():
    """A session that is at work for a while, without saying anything."""
    return {"args": BYPASS, "steps": [{"prompt": "Stay a while."}, {"sleep": 6}], "turns": [{"text": "Staying."}],
            "expect": {"result": "Staying"}}


def newcomer():
    """A second session in the same place: its model reads our note."""
    note = r"<throughline-note from=\"register-session\".*One other agent session is at work in this workspace.*</throughline-note"
    return {"args": BYPASS, "prompt": "Who else is here?", "turns": [{"text": "Somebody."}],
            "expect": {"result": "Somebody", "request": [{"seq": 0, "contains": note}]}}


def ordinary_turn():
    """A prompt and a tool call, for runs in which we are broken."""
    return {"files": {"a.txt": "alpha\n"}, "args": BYPASS, "prompt": "Read a.txt.",
            "turns": [{"tools": [tool("Read", file_path="{{CWD}}/a.txt")]}, {"text": "Unharmed."}],
            "expect": {"result": "Unharmed", "hooks": {"PreToolUse": 1, "PostToolUse": 1, "Stop": 1, "SessionEnd": 1}}}
