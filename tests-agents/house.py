"""A person's machine with throughline on it, and what was found out there."""
import fcntl
import glob
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from journal import Throughline

# Long enough for a client on a busy machine to play its few turns, short enough to notice one that hangs.
PATIENCE_S = 60
# As in tests-client/run.py: more time for hooks of a build without optimization.
STRETCH = "5"


class Checks:
    """Collects what held and what did not; every check has a sentence."""

    def __init__(self):
        self.held, self.failed = 0, []

    def that(self, sentence, holds, why=""):
        if holds:
            self.held += 1
            print("  ok    %s" % sentence, flush=True)
        else:
            self.failed.append(sentence)
            print("  FAIL  %s\n        %s" % (sentence, str(why)[-4000:].replace("\n", "\n        ")), flush=True)


class House:
    """An empty home, a project, and the command line in it."""

    def __init__(self, binary, folder):
        self.folder = folder
        self.home = os.path.join(folder, "home")
        self.data = os.path.join(self.home, ".throughline")
        # A name that a shell would take apart: every client has to be given it whole.
        self.project = os.path.join(folder, "my project's")
        os.makedirs(self.home)
        os.makedirs(self.project)
        self.throughline = Throughline(binary, self.home)

    def path(self, *parts):
        return os.path.join(self.home, *parts)

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, path):
        with open(path, encoding="utf-8") as f:
            return f.read()

    def run(self, argv, **more):
        """A client, to its end: (exit code, stdout, stderr). Nothing of our own environment reaches it."""
        env = {"HOME": self.home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": self.folder,
               "THROUGHLINE_TEST_STRETCH": STRETCH}
        env.update(more)
        try:
            done = subprocess.run(argv, env=env, cwd=self.project, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=PATIENCE_S)
        except subprocess.TimeoutExpired as late:
            return -1, (late.stdout or b"").decode("utf-8", "replace"), "did not end within %d s" % PATIENCE_S
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    def in_project(self, *arguments):
        """The command line, as a person types it who stands in the project."""
        code, out, err = self.run([self.throughline.binary] + list(arguments), **self.throughline.env)
        if code != 0:
            raise AssertionError("throughline %s exited %d: %s" % (" ".join(arguments), code, err[-2000:]))
        return out

    def kept(self, event, count, patience=60):
        """The journal's entries, once it holds so many of this event: the last hook of a session is not waited for."""
        until = time.time() + patience
        while True:
            entries = self.throughline.lines("export")
            if sum(entry["event"] == event for entry in entries) >= count or time.time() > until:
                return entries
            time.sleep(0.1)

    def settled(self, question, wanted, patience=60):
        """Waits until what was just remembered is found; what is found then."""
        until = time.time() + patience
        while True:
            found = self.throughline.run("search", question, "--json", check=False)
            if wanted in found or time.time() > until:
                return found
            time.sleep(0.1)

    def refuse_commands(self, reason):
        """A person's own rule that refuses every command."""
        self.rule("no-commands", 'on = ["PreToolUse"]\ntools = ["Bash"]\n', "deny", reason)

    def hold_turns(self, reason):
        """A person's own rule that makes every turn go on."""
        self.rule("go-on", 'on = ["Stop"]\n', "hold", reason)

    def rule(self, name, matching, part, reason):
        rule = os.path.join(self.data, "default", "rules", name)
        self.write(os.path.join(rule, "rule.toml"), 'kind = "command"\n' + matching)
        self.write(os.path.join(rule, "run"), "#!/bin/sh\nprintf '{\"%s\": \"%s\"}'\n" % (part, reason))
        os.chmod(os.path.join(rule, "run"), 0o700)

    def leave(self):
        self.throughline.run("daemon", "stop", check=False)
        # One that a failed story left behind: ours, by its home. Never by its name.
        for path in glob.glob(os.path.join(self.data, "**", "daemon.pid"), recursive=True):
            try:
                pid = int(self.read(path).split()[0])
                with open("/proc/%d/environ" % pid, "rb") as f:
                    if os.fsencode(self.folder) in f.read():
                        os.kill(pid, signal.SIGTERM)
            except (OSError, ValueError, IndexError):
                pass


class Screen:
    """A client in a terminal, and a person who reads and types."""

    SIZE = struct.pack("HHHH", 50, 140, 0, 0)
    # What a program asks its terminal, and what ours answers: where the cursor is, and what it can do.
    ANSWERS = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62;c"}

    def __init__(self, house, argv, **more):
        env = {"HOME": house.home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color", "TMPDIR": house.folder}
        master, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, self.SIZE)
        self.process = subprocess.Popen(argv, env=dict(env, **more), cwd=house.project, stdin=terminal, stdout=terminal,
                                        stderr=terminal, start_new_session=True)
        os.close(terminal)
        self.terminal, self.seen = master, b""

    def wait(self, words, patience=60):
        """Whether these words came onto the screen."""
        until = time.time() + patience
        while words not in self.text() and time.time() < until:
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    read = os.read(self.terminal, 65536)
                except OSError:
                    break
                self.seen += read
                for asked, answer in self.ANSWERS.items():
                    if asked in read:
                        os.write(self.terminal, answer)
        return words in self.text()

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def text(self):
        plain = re.sub(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b.", b" ", self.seen)
        return re.sub(r"\s+", " ", plain.decode("utf-8", "replace"))

    def leave(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.terminal)


def text_of(request):
    """All that a model read in one request, as it would be printed."""
    def texts(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            for item in value:
                yield from texts(item)
        elif isinstance(value, dict):
            for item in value.values():
                yield from texts(item)
    return "\n".join(texts(request))


def lines_of(text):
    """The JSON values of an output that has one per line, and may have others."""
    values = []
    for line in text.splitlines():
        try:
            values.append(json.loads(line))
        except ValueError:
            pass
    return values
