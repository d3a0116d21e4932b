#!/usr/bin/env python3
"""Run the REAL Claude Code client offline against fake_model.py.

    run_claude.py install  DIR [--version V]       npm-install an own copy, print the binary's path
    run_claude.py run      SCENARIO.json --client BIN --out OUT [--cwd D] [--home D]
                           [--settings F] [--plugin-dir D]... [--prompt P] [--env K=V]...
                           [--timeout S] [--no-log-hooks] [-- more client arguments]

A scenario is what fake_model.py plays ("lanes", "turns", "default") plus, all optional:

    "files":    {"src/a.txt": "content"}   seeded into the working directory
    "settings": {...}                      written to <cwd>/.claude/settings.json
    "hooks":    {...}                      hooks added with the client's --settings
    "prompt":   "text"                     one prompt, print mode
    "steps":    [STEP, ...]                or a conversation (print mode, stream-json input)
    "tui":      [KEY, ...]                 or the interactive client in a pseudo terminal
    "args":     ["--model", "opus"]        more client arguments
    "env":      {"K": "V"}                 more environment
    "mcp":      {"mcpServers": {...}}      --mcp-config
    "then":     [{...}, ...]               further runs with the same cwd and home (own
                                           prompt/steps/turns/args/expect); {{SESSION}} = session id
    "expect":   EXPECT                     checked after the run; failures -> exit code 1

    STEP = {"prompt": "text"}              user message; waits for its result ("nowait": true: not)
         | {"control": {"subtype": ...}}   control request; waits for the response
         | {"sleep": s} | {"sh": "command run in cwd"}
         | {"answer": "allow"|"deny"|"ignore", "delay": s}   permission prompts from here on
    KEY  = "typed text" | seconds | {"wait": "regex on the screen text", "timeout": s}
    EXPECT = {"rc": 0, "result": "regex", "hooks": {"Stop": 2, "PreCompact": 0},
              "order": ["SessionStart", "Stop"],           # subsequence of logged events
              "request": [{"contains": "regex", "lane": "main", "seq": 0}, {"absent": "regex"}],
              "hook": [{"event": "Stop", "where": {"stop_hook_active": true}}],
              "file": {"made.txt": "regex", "gone.txt": null}}

{{CWD}} {{HOME}} {{OUT}} {{HARNESS}} are filled in everywhere.

Isolation: empty environment, own HOME and TMPDIR under OUT, dummy key, loopback base
URL; as root also a private network namespace that holds nothing but loopback.

OUT afterwards: stdout.jsonl, stderr.txt (screen.txt for tui), debug.txt, scenario.json,
model/ (every request the model got), hooks/ (one .json + .env per logged hook call), home/,
project/, result.json.
"""
import argparse
import fcntl
import glob
import json
import os
import pty
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
FAKE = os.path.join(HERE, "fake_model.py")

EVENTS = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification",
          "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure",
          "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch",
          "PermissionRequest", "PermissionDenied", "Setup", "TeammateIdle", "TaskCreated", "TaskCompleted",
          "Elicitation", "ElicitationResult", "ConfigChange", "WorktreeCreate", "WorktreeRemove",
          "InstructionsLoaded", "CwdChanged", "FileChanged", "DirectoryAdded", "MessageDisplay"]

HOOKLOG = r"""#!/bin/sh
# Logging hook: stdin -> <ns>-<pid>.json, environment -> <ns>-<pid>.env; prints nothing.
f="$HOOKLOG_DIR/$(date +%s%N)-$$"
cat > "$f.json.tmp"
env | grep -E '^(CLAUDE|PWD=)' | grep -v TOKEN | sort > "$f.env"
mv "$f.json.tmp" "$f.json"
exit 0
"""

# WorktreeCreate replaces the client's own worktree code, so this logger must make a directory.
WORKTREELOG = r"""#!/bin/sh
f="$HOOKLOG_DIR/$(date +%s%N)-$$"
cat > "$f.json"
d="$(jq -r .cwd < "$f.json")/.claude/worktrees/$(jq -r .name < "$f.json")"
mkdir -p "$d" && echo "$d"
"""

# ------------------------------------------------------------------------------- plumbing


def fill(value, variables):
    if isinstance(value, str):
        for key, val in variables.items():
            value = value.replace("{{%s}}" % key, val)
        return value
    if isinstance(value, list):
        return [fill(v, variables) for v in value]
    if isinstance(value, dict):
        return {fill(k, variables): fill(v, variables) for k, v in value.items()}
    return value


def write(path, text, mode=None):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    if mode:
        os.chmod(path, mode)
    return path


def dump(path, obj):
    return write(path, json.dumps(obj, indent=1, ensure_ascii=False) + "\n")


def log_hooks(out, events=None, extra=None):
    """A hooks{} object that logs every event; `extra` groups are added per event."""
    script = write(os.path.join(out, "hooklog.sh"), HOOKLOG, 0o755)
    wscript = write(os.path.join(out, "worktreelog.sh"), WORKTREELOG, 0o755)
    hooks = {}
    for event in EVENTS if events is None else events:
        group = {"hooks": [{"type": "command", "command": wscript if event == "WorktreeCreate" else script,
                            "args": []}]}
        if event == "FileChanged":
            group["matcher"] = "watched.txt"
        hooks[event] = [group]
    for event, groups in (extra or {}).items():
        hooks[event] = hooks.get(event, []) + groups
    return hooks


def isolate(argv):
    """Re-exec in a network namespace that has only loopback (root only)."""
    if os.environ.get("HARNESS_NETNS") == "1":
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        req = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(s, 0x8913, req))[1]
        fcntl.ioctl(s, 0x8914, struct.pack("16sh", b"lo", flags | 1))
        s.close()
    elif os.geteuid() == 0 and shutil.which("unshare") and os.environ.get("HARNESS_NETNS") != "0":
        os.environ["HARNESS_NETNS"] = "1"
        os.execvp("unshare", ["unshare", "--net", "--", sys.executable] + argv)


class Server:
    """fake_model.py as a child process."""

    def __init__(self, out, scenario):
        port_file = os.path.join(out, "port")
        if os.path.exists(port_file):
            os.remove(port_file)
        self.proc = subprocess.Popen([sys.executable, FAKE, "--scenario", scenario, "--log",
                                      os.path.join(out, "model"), "--port-file", port_file],
                                     stderr=subprocess.DEVNULL)
        for _ in range(500):
            if os.path.exists(port_file):
                break
            time.sleep(0.02)
        with open(port_file) as f:
            self.url = "http://127.0.0.1:" + f.read()

    def stop(self):
        self.proc.terminate()
        self.proc.wait()


def end(proc):
    os.killpg(proc.pid, signal.SIGTERM)
    try:
        return proc.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(proc.pid, signal.SIGKILL)
        return proc.wait()


class Printer:
    """The client in print mode, stdout read line by line."""

    def __init__(self, argv, env, cwd, out, stream):
        self.lines, self.results, self.done = [], 0, False
        self.cond = threading.Condition()
        self.answer, self.delay = "allow", 0.0
        self.stdout = open(os.path.join(out, "stdout.jsonl"), "ab")
        self.proc = subprocess.Popen(argv, cwd=cwd, env=env, start_new_session=True,
                                     stdin=subprocess.PIPE if stream else subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=open(os.path.join(out, "stderr.txt"), "ab"))
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def send(self, obj):
        try:
            self.proc.stdin.write((json.dumps(obj) + "\n").encode())
            self.proc.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass

    def read(self):
        for raw in self.proc.stdout:
            self.stdout.write(raw)
            self.stdout.flush()
            try:
                obj = json.loads(raw)
            except ValueError:
                obj = {"type": "_text", "text": raw.decode("utf-8", "replace")}
            obj["_t"] = time.time()
            if obj.get("type") == "control_request":
                threading.Thread(target=self.control, args=(obj,), daemon=True).start()
            with self.cond:
                self.lines.append(obj)
                self.results += obj.get("type") == "result"
                self.cond.notify_all()
        with self.cond:
            self.done = True
            self.cond.notify_all()

    def control(self, obj):
        req = obj.get("request") or {}
        if self.answer == "ignore":
            return
        time.sleep(self.delay)
        body = {}
        if req.get("subtype") == "can_use_tool":
            body = ({"behavior": "allow", "updatedInput": req.get("input") or {}} if self.answer == "allow"
                    else {"behavior": "deny", "message": "denied by the harness"})
        elif req.get("subtype") == "elicitation":
            body = {"action": "accept", "content": {"name": "harness"}}
        self.send({"type": "control_response", "response": {"subtype": "success", "response": body,
                                                            "request_id": obj.get("request_id")}})

    def wait(self, test, timeout):
        until = time.time() + timeout
        with self.cond:
            while not test() and not self.done and time.time() < until:
                self.cond.wait(max(0.01, until - time.time()))
            return test()

    def step(self, step, cwd, env, timeout):
        if "answer" in step:
            self.answer, self.delay = step["answer"], float(step.get("delay", 0))
        if "sh" in step:
            subprocess.run(step["sh"], shell=True, cwd=cwd, env=env, check=False)
        if "sleep" in step:
            time.sleep(step["sleep"])
        if "prompt" in step:
            want = self.results + 1
            self.send({"type": "user", "parent_tool_use_id": None, "session_id": "",
                       "message": {"role": "user", "content": step["prompt"]}})
            if not step.get("nowait"):
                self.wait(lambda: self.results >= want, timeout)
        if "control" in step:
            rid = "req_" + uuid.uuid4().hex[:8]
            self.send({"type": "control_request", "request_id": rid, "request": step["control"]})
            self.wait(lambda: any((l.get("response") or {}).get("request_id") == rid for l in self.lines
                                  if l.get("type") == "control_response"), timeout)

    def finish(self, timeout):
        try:
            rc, timed_out = self.proc.wait(timeout), False
        except subprocess.TimeoutExpired:
            rc, timed_out = end(self.proc), True
        self.thread.join(5)
        return rc, timed_out


class Terminal:
    """The interactive client in a pseudo terminal."""

    def __init__(self, argv, env, cwd, out):
        self.raw, self.mark, self.path = b"", 0, os.path.join(out, "screen.txt")
        self.fd, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 140, 0, 0))
        self.proc = subprocess.Popen(argv, cwd=cwd, env=env, stdin=child, stdout=child, stderr=child,
                                     start_new_session=True, close_fds=True)
        os.close(child)
        self.lines = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                return
            if not data:
                return
            self.raw += data

    def text(self):
        text = self.raw.decode("utf-8", "replace")
        return re.sub(r"\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b.", "", text)

    def key(self, key):
        if isinstance(key, (int, float)):
            time.sleep(key)
        elif isinstance(key, str):
            os.write(self.fd, key.encode())
        else:
            until = time.time() + key.get("timeout", 15)
            while time.time() < until:
                m = re.search(key["wait"], self.text()[self.mark:])
                if m:
                    self.mark += m.end()
                    return
                time.sleep(0.1)

    def finish(self, timeout):
        try:
            rc, timed_out = self.proc.wait(timeout), False
        except subprocess.TimeoutExpired:
            rc, timed_out = end(self.proc), True
        time.sleep(0.2)
        write(self.path, self.text())
        return rc, timed_out


def seed(cwd, spec):
    os.makedirs(cwd, exist_ok=True)
    for name, content in (spec.get("files") or {}).items():
        write(os.path.join(cwd, name), content, 0o755 if content.startswith("#!") else None)
    if spec.get("settings") is not None:
        dump(os.path.join(cwd, ".claude", "settings.json"), spec["settings"])


def run(spec, client, out, cwd=None, home=None, settings=None, plugin_dirs=(), prompt=None, extra_args=(),
        log=True, log_events=None, timeout=120, env_extra=None, debug=True, session=""):
    """Run one scenario; the returned summary is also written to OUT/result.json."""
    out = os.path.abspath(out)
    cwd = os.path.abspath(cwd or os.path.join(out, "project"))
    home = os.path.abspath(home or os.path.join(out, "home"))
    tmp, hooks_dir = os.path.join(out, "tmp"), os.path.join(out, "hooks")
    for d in (out, cwd, home, tmp, hooks_dir):
        os.makedirs(d, exist_ok=True)
    spec = fill(spec, {"CWD": cwd, "HOME": home, "OUT": out, "HARNESS": HERE, "SESSION": session})
    seed(cwd, spec)
    server = Server(out, dump(os.path.join(out, "scenario.json"), spec))
    key = "sk-dummy-0000000000000000000000000000"
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "TMPDIR": tmp, "CLAUDE_CODE_TMPDIR": tmp,
           "LANG": "C.UTF-8", "TERM": "xterm-256color" if spec.get("tui") else "dumb", "SHELL": "/bin/bash",
           "USER": "user", "ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": server.url,
           "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
           "DISABLE_ERROR_REPORTING": "1", "DISABLE_BUG_COMMAND": "1", "IS_SANDBOX": "1", "HOOKLOG_DIR": hooks_dir}
    env.update(spec.get("env") or {})
    env.update(env_extra or {})
    merged = json.loads(json.dumps(settings or {}))
    for event, groups in (spec.get("hooks") or {}).items():
        merged.setdefault("hooks", {}).setdefault(event, []).extend(groups)
    if log:
        merged["hooks"] = log_hooks(out, log_events, merged.get("hooks"))
    steps, tui = spec.get("steps"), spec.get("tui")
    argv = [client]
    if tui is None:
        text = prompt if prompt is not None else spec.get("prompt")
        argv += ["-p"] + ([text] if steps is None and text is not None else [])
        argv += ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
        if steps is not None:
            argv += ["--input-format", "stream-json", "--permission-prompt-tool", "stdio"]
    elif not os.path.exists(os.path.join(home, ".claude.json")):
        # skip onboarding, the key dialog and the trust dialog of this throw-away home
        dump(os.path.join(home, ".claude.json"),
             {"hasCompletedOnboarding": True, "theme": "dark",
              "customApiKeyResponses": {"approved": [key[-20:]], "rejected": []},
              "projects": {cwd: {"hasTrustDialogAccepted": spec.get("trusted", True)}}})
    if merged:
        argv += ["--settings", dump(os.path.join(out, "flag-settings.json"), merged)]
    if spec.get("mcp"):
        argv += ["--mcp-config", dump(os.path.join(out, "mcp.json"), spec["mcp"])]
    for d in plugin_dirs:
        argv += ["--plugin-dir", os.path.abspath(d)]
    if debug:
        argv += ["--debug-file", os.path.join(out, "debug.txt")]
    argv += list(spec.get("args") or []) + list(extra_args)
    started = time.time()
    try:
        if tui is not None:
            c = Terminal(argv, env, cwd, out)
            for k in tui:
                c.key(k)
        else:
            c = Printer(argv, env, cwd, out, steps is not None)
            for step in steps or []:
                if c.done:
                    break
                c.step(step, cwd, env, timeout)
            if steps is not None:
                try:
                    c.proc.stdin.close()
                except OSError:
                    pass
        rc, timed_out = c.finish(timeout if tui is None else 15)
    finally:
        server.stop()
    calls = hook_calls(out)
    init = next((l for l in c.lines if l.get("type") == "system" and l.get("subtype") == "init"), {})
    s = {"rc": rc, "timed_out": timed_out, "wall_s": round(time.time() - started, 3),
         "netns": os.environ.get("HARNESS_NETNS") == "1", "argv": argv,
         "version": init.get("claude_code_version"),
         "session_id": init.get("session_id") or (calls[-1]["stdin"].get("session_id") if calls else None),
         "tools": init.get("tools"), "plugins": init.get("plugins"), "mcp_servers": init.get("mcp_servers"),
         "results": [{k: r.get(k) for k in ("subtype", "is_error", "result", "num_turns", "stop_reason",
                                            "terminal_reason", "permission_denials")}
                     for r in c.lines if r.get("type") == "result"],
         "hook_events": [h["stdin"].get("hook_event_name") for h in calls],
         "transcripts": sorted(glob.glob(home + "/.claude/projects/*/*.jsonl")),
         "model_requests": len(model_requests(out)), "out": out, "cwd": cwd, "home": home}
    s["failures"] = check(spec.get("expect") or {}, s)
    dump(os.path.join(out, "result.json"), s)
    s["lines"] = c.lines
    return s


def hook_calls(out):
    """Logged hook calls in time order: [{t, env, stdin}]."""
    calls = []
    for path in sorted(glob.glob(os.path.join(out, "hooks", "[0-9]*.json"))):
        try:
            stdin = json.load(open(path))
        except ValueError:
            stdin = {"hook_event_name": "_unparsed"}
        env_path = path[:-5] + ".env"
        env = (dict(l.rstrip("\n").split("=", 1) for l in open(env_path) if "=" in l)
               if os.path.exists(env_path) else {})
        calls.append({"t": int(os.path.basename(path).split("-")[0]) / 1e9, "env": env, "stdin": stdin})
    return calls


def model_requests(out, lane=None):
    reqs = [json.load(open(p)) for p in sorted(glob.glob(os.path.join(out, "model", "[0-9]*.json")))]
    return [r for r in reqs if lane is None or r["lane"] == lane]


def request_text(request):
    """Everything the model reads in one request: system prompt + all messages, as text."""
    out = []

    def walk(x):
        if isinstance(x, str):
            out.append(x)
        elif isinstance(x, list):
            for y in x:
                walk(y)
        elif isinstance(x, dict):
            for k in ("text", "content", "thinking", "input"):
                if k in x:
                    walk(x[k]) if k != "input" else out.append(json.dumps(x[k], ensure_ascii=False))
    walk(request["request"].get("system"))
    walk(request["request"].get("messages"))
    return "\n".join(out)


def check(expect, s):
    bad = []
    if s["timed_out"]:
        bad.append("timed out")
    if expect.get("rc", 0) is not None and s["rc"] != expect.get("rc", 0):
        bad.append("rc %s" % s["rc"])
    if "result" in expect:
        got = (s["results"][-1]["result"] if s["results"] else None) or ""
        if not re.search(expect["result"], got, re.S):
            bad.append("result %r" % got[:120])
    for event, n in (expect.get("hooks") or {}).items():
        got = s["hook_events"].count(event)
        if (n == 0) != (got == 0) or got < n:
            bad.append("%s fired %d times, wanted %d" % (event, got, n))
    pos = 0
    for event in expect.get("order") or []:
        try:
            pos = s["hook_events"].index(event, pos) + 1
        except ValueError:
            bad.append("order: no %s after position %d" % (event, pos))
            break
    reqs = [(r, request_text(r)) for r in model_requests(s["out"])]
    for e in expect.get("request") or []:
        sel = [t for r, t in reqs if e.get("lane") in (None, r["lane"])]
        if "seq" in e:
            sel = sel[e["seq"]:][:1] if e["seq"] >= 0 else sel[e["seq"]:][:1]
        rx = e.get("contains") or e.get("absent")
        hit = any(re.search(rx, t, re.S) for t in sel)
        if hit != ("contains" in e):
            bad.append("request %s: %r" % ("lacks" if "contains" in e else "has", rx))
    calls = [h["stdin"] for h in hook_calls(s["out"])]
    for e in expect.get("hook") or []:
        if not any(c.get("hook_event_name") == e["event"] and
                   all(c.get(k) == v for k, v in (e.get("where") or {}).items()) for c in calls):
            bad.append("no %s call with %s" % (e["event"], e.get("where")))
    for name, rx in (expect.get("file") or {}).items():
        path = os.path.join(s["cwd"], name)
        if rx is None and os.path.exists(path):
            bad.append("file %s exists" % name)
        elif rx is not None and not (os.path.exists(path) and re.search(rx, open(path).read(), re.S)):
            bad.append("file %s does not match %r" % (name, rx))
    for r, _ in reqs:
        if r.get("expectation_failed"):
            bad.append("turn %s/%s: request lacks %r" % (r["lane"], r["turn"], r["expectation_failed"]))
    return bad


# ------------------------------------------------------------------------------- command line


def cmd_install(a):
    os.makedirs(a.dir, exist_ok=True)
    # an explicit version: npm silently picks an old one when the installed node is too old for the newest
    version = a.version or subprocess.run(["npm", "view", "@anthropic-ai/claude-code", "dist-tags.latest"], check=True,
                                          capture_output=True, text=True).stdout.strip()
    subprocess.run(["npm", "i", "@anthropic-ai/claude-code@" + version, "--prefix", a.dir, "--no-audit", "--no-fund",
                    "--loglevel=error"], check=True, stdout=sys.stderr)
    found = glob.glob(os.path.join(os.path.abspath(a.dir), "node_modules/@anthropic-ai/claude-code-*/claude"))
    print(found[0] if found else os.path.join(os.path.abspath(a.dir), "node_modules/.bin/claude"))
    return 0


def cmd_run(a):
    spec = json.load(open(a.scenario))
    kw = {"settings": json.load(open(a.settings)) if a.settings else None, "plugin_dirs": a.plugin_dir,
          "extra_args": a.rest, "log": not a.no_log_hooks, "timeout": a.timeout,
          "env_extra": dict(e.split("=", 1) for e in a.env)}
    first = run(spec, a.client, a.out, cwd=a.cwd, home=a.home, prompt=a.prompt, **kw)
    runs = [first]
    for i, more in enumerate(spec.get("then") or []):
        runs.append(run(dict(more, hooks=more.get("hooks", spec.get("hooks"))), a.client, "%s.%d" % (a.out, i + 2),
                        cwd=first["cwd"], home=first["home"], session=first["session_id"] or "", **kw))
    keys = ("rc", "timed_out", "wall_s", "netns", "version", "session_id", "results", "hook_events", "model_requests",
            "transcripts", "failures")
    print(json.dumps([{k: s[k] for k in keys} for s in runs], indent=1))
    return 1 if any(s["failures"] for s in runs) else 0


def main(argv):
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = ap.add_subparsers(dest="cmd", required=True)
    p = sub.add_parser("install")
    p.add_argument("dir")
    p.add_argument("--version")
    p = sub.add_parser("run")
    p.add_argument("scenario")
    p.add_argument("--client", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--cwd")
    p.add_argument("--home")
    p.add_argument("--settings")
    p.add_argument("--plugin-dir", action="append", default=[])
    p.add_argument("--prompt")
    p.add_argument("--env", action="append", default=[], metavar="K=V")
    p.add_argument("--timeout", type=float, default=120)
    p.add_argument("--no-log-hooks", action="store_true")
    p.add_argument("rest", nargs="*")
    a = ap.parse_args(argv)
    if a.cmd != "install":
        isolate([os.path.abspath(__file__)] + argv)
    return {"install": cmd_install, "run": cmd_run}[a.cmd](a)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
