"""What throughline kept, and how it compares with what the client fired.

The truth is the harness's own logging hook, which runs beside ours for every event.
"""
import json
import subprocess

# Two hooks of different events that overlap in time may be kept in either order. The logger is a shell script and
# ours is not, so its times say only roughly when ours ran.
SLACK_S = 0.25

# What makes one call of a hook itself. Ids and enumerations, which no redaction touches.
IDENTITY = ("hook_event_name", "session_id", "tool_use_id", "prompt_id", "agent_id", "source", "trigger", "reason",
            "load_reason", "stop_hook_active", "notification_type")


class Throughline:
    """The command line in a given home."""

    def __init__(self, binary, home):
        self.binary, self.home = binary, home
        self.env = {"HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}

    def run(self, *arguments, check=True, stdin=None, cwd=None):
        done = subprocess.run([self.binary] + list(arguments), env=self.env, input=stdin, cwd=cwd, capture_output=True,
                              timeout=60)
        if check and done.returncode != 0:
            raise AssertionError("throughline %s exited %d: %s" % (" ".join(arguments), done.returncode,
                                                                    done.stderr.decode("utf-8", "replace")[-2000:]))
        return done.stdout.decode("utf-8", "replace")

    def lines(self, *arguments):
        """What a command prints as JSON, one value per line. Nothing where it cannot answer yet."""
        return [json.loads(line) for line in self.run(*arguments, check=False).splitlines() if line.strip()]


def identity(envelope):
    return tuple((key, json.dumps(envelope[key])) for key in IDENTITY if key in envelope)


def differences(fired, kept):
    """Each call the client fired is kept once, and nothing else is. `fired` and `kept` are envelopes."""
    bad = []
    wanted, found = {}, {}
    for envelope in fired:
        wanted[identity(envelope)] = wanted.get(identity(envelope), 0) + 1
    for envelope in kept:
        found[identity(envelope)] = found.get(identity(envelope), 0) + 1
    for key in sorted(set(wanted) | set(found)):
        if wanted.get(key, 0) != found.get(key, 0):
            bad.append("fired %d times, kept %d times: %s" % (wanted.get(key, 0), found.get(key, 0), dict(key)))
    return bad


def inversions(calls, kept):
    """Pairs that were kept the other way round although one ended before the other began.

    `calls` are the logger's (it knows when), `kept` are envelopes in the journal's order.
    """
    place = {}
    for at, envelope in enumerate(kept):
        place.setdefault(identity(envelope), []).append(at)
    timed = []
    for call in sorted(calls, key=lambda call: call["t"]):
        spots = place.get(identity(call["stdin"]))
        if spots:
            timed.append((call["t"], spots.pop(0), call["stdin"]["hook_event_name"]))
    bad = []
    for at, (begun, spot, name) in enumerate(timed):
        for later_begun, later_spot, later_name in timed[at + 1:]:
            if later_spot < spot and later_begun - begun > SLACK_S:
                bad.append("%s came %.2f s before %s and was kept after it" % (name, later_begun - begun, later_name))
    return bad
