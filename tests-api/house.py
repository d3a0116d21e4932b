"""An empty home with a daemon in it, filled through hooks with every envelope the repository has of every agent."""
import glob
import http.client
import json
import os
import re
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(os.path.dirname(HERE), "crates", "agents", "fixtures")
# One command, on a machine that does other things as well.
PATIENCE_S = 60
# What is said first and last in a session; everything else is in between, in the order of its name.
FIRST, LAST = ("sessionstart",), ("stop", "sessionend")


class House:
    def __init__(self, binary, folder):
        self.binary, self.home = binary, folder
        self.project = os.path.join(folder, "uploads")
        self.env = {"HOME": folder, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
        os.makedirs(os.path.join(self.project, "src"))

    def run(self, *arguments, stdin=None, check=True):
        done = subprocess.run([self.binary, *arguments], env=self.env, cwd=self.project, input=stdin, capture_output=True,
                              text=True, timeout=PATIENCE_S, check=False)
        if check and done.returncode != 0:
            raise AssertionError("throughline %s exited %d: %s" % (" ".join(arguments), done.returncode, done.stderr[-2000:]))
        return done.stdout

    def said(self, name):
        with open(os.path.join(self.home, ".throughline", "default", "run", name), encoding="ascii") as file:
            return file.read().strip()

    def status(self):
        return json.loads(self.run("daemon", "status", "--json"))

    def ask(self, method, path, body=None):
        """What the API answers: (status, JSON or None)."""
        door = http.client.HTTPConnection("127.0.0.1", int(self.said("port")), timeout=PATIENCE_S)
        headers = {"Authorization": "Bearer " + self.said("token")}
        if body is not None:
            body, headers["Content-Type"] = json.dumps(body), "application/json"
        door.request(method, path, body, headers)
        answer = door.getresponse()
        text = answer.read()
        door.close()
        return answer.status, json.loads(text) if text else None

    def fill(self):
        """How many hooks were called."""
        self.run("daemon", "start")
        sent = 0
        for agent in sorted(name for name in os.listdir(FIXTURES) if not name.endswith("_transcripts")):
            for path in sorted(glob.glob(os.path.join(FIXTURES, agent, "*.json")), key=place):
                with open(path, encoding="utf-8") as file:
                    # Whoever wrote it sat elsewhere; here it happens in this project.
                    text = re.sub(r"/home/\w+/[\w.-]+", self.project, file.read())
                self.run("hook", "--agent", agent.replace("_", "-"), event_of(path), stdin=text)
                sent += 1
        self.run("remember", "Uploads are retried three times, then the client gives up.", "--title", "Retries")
        self.run("remember", "Files over 5 GB are sent in parts of 64 MB.", "--title", "Parts", "--critical")
        self.run("claims", "take", "src/upload.rs", "--note", "retries", "--session", self.at_work())
        self.run("handoff", "write", "Retries work; the timeout is still too short.", check=False)
        return sent

    def at_work(self):
        """A session that has begun and not ended: those of the envelopes are over."""
        session = "at-work"
        envelope = {"session_id": session, "transcript_path": "", "cwd": self.project,
                    "hook_event_name": "SessionStart", "source": "startup"}
        self.run("hook", "SessionStart", stdin=json.dumps(envelope))
        until = time.time() + PATIENCE_S
        while session not in self.run("sessions", "--json") and time.time() < until:
            time.sleep(0.1)
        return session

    def settle(self):
        """Until everything that was said is learned."""
        until = time.time() + PATIENCE_S
        while time.time() < until:
            if "\"Parts\"" in self.run("search", "how large are parts?", "--json", check=False):
                return
            time.sleep(0.1)
        raise AssertionError("what was remembered is not found")

    def leave(self):
        self.run("daemon", "stop", check=False)


def event_of(path):
    return os.path.basename(path).rsplit("-", 1)[0]


def place(path):
    event = event_of(path).lower()
    return (0 if event in FIRST else 2 if event in LAST else 1, os.path.basename(path))
