#!/usr/bin/env python3
"""Two machines and one database, each in a network namespace of its own: shared, cut, rejoined.

    machines.py [--throughline BIN] [--cuts N] [--keep]

A part of `cargo xtask team-test`; needs root. Real daemons with data folders of their own, a real PostgreSQL, and a cable
that is pulled. Prints what was measured. Where namespaces are not allowed it says SKIPPED: exit code 77.
"""
import argparse
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import servers  # noqa: E402

SKIPPED = 77
NET = "10.77.41"
MARK = "tl%d" % (os.getpid() % 100000)
# A cut connection is given up after ten seconds, and the next tries come after one, two, four and so on up to two minutes,
# as long as the cut was; whoever finds what they wait for waits no longer.
CATCH_UP_SECONDS = 240
# What `daemon stop` may take while the server does not answer, beside what it takes on this machine now.
STOP_SECONDS = 5
failed, held = [], []


def run(*words, check=True, **more):
    ran = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False, **more)
    if check and ran.returncode != 0:
        raise SystemExit("%s left with %d: %s" % (" ".join(words[:8]), ran.returncode, ran.stdout.decode("utf-8", "replace")))
    return ran.stdout.decode()


def that(what, holds, shown=""):
    print("%s %s" % ("ok  " if holds else "FAIL", what), flush=True)
    (held if holds else failed).append(what)
    if not holds:
        print("     %s" % (shown,), flush=True)


def until(seconds, holds):
    """Seconds it took, or None."""
    began = time.time()
    while time.time() - began < seconds:
        if holds():
            return time.time() - began
        time.sleep(0.005)
    return None


class Net:
    """A switch in the database's namespace, and a cable to each machine."""

    def __init__(self):
        self.spaces = []

    def lay(self, names):
        self.space("db")
        self.inside("db", "ip", "link", "add", "sw", "type", "bridge")
        self.inside("db", "ip", "addr", "add", NET + ".1/24", "dev", "sw")
        self.inside("db", "ip", "link", "set", "sw", "up")
        for number, name in enumerate(names):
            self.space(name)
            run("ip", "link", "add", "p" + name, "netns", MARK + "db", "type", "veth", "peer", "name", "eth0", "netns", MARK + name)
            self.inside("db", "ip", "link", "set", "p" + name, "master", "sw", "up")
            self.inside(name, "ip", "addr", "add", "%s.%d/24" % (NET, number + 2), "dev", "eth0")
            self.inside(name, "ip", "link", "set", "eth0", "up")

    def space(self, name):
        run("ip", "netns", "add", MARK + name)
        self.spaces.append(MARK + name)
        self.inside(name, "ip", "link", "set", "lo", "up")

    def inside(self, name, *words, **more):
        return run("ip", "netns", "exec", MARK + name, *words, **more)

    def cable(self, name, state):
        self.inside("db", "ip", "link", "set", "p" + name, state)

    def gone(self):
        for space in self.spaces:
            run("ip", "netns", "del", space, check=False)


class Server(servers.Server):
    """A server that lives in the database's namespace."""

    def __init__(self, net, programs):
        self.net = net
        super().__init__(programs, settings=("-c", "listen_addresses=127.0.0.1,%s.1" % NET))

    def call(self, program, *words):
        argv = ["ip", "netns", "exec", MARK + "db", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                os.path.join(self.bin, program)] + list(words)
        ran = subprocess.run(argv, cwd="/", env=dict(os.environ, LC_ALL="C"), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
        if ran.returncode != 0:
            raise RuntimeError("%s: %s" % (program, ran.stdout.decode("utf-8", "replace")))
        if program == "initdb":
            with open(os.path.join(self.data, "pg_hba.conf"), "a", encoding="utf-8") as file:
                file.write("host all all %s.0/24 scram-sha-256\n" % NET)


class Machine:
    def __init__(self, net, name, binary, folder, seed):
        self.net, self.name, self.binary = net, name, binary
        self.home = os.path.join(folder, name)
        os.makedirs(self.home)
        self.work = os.path.join(self.home, "shop")
        run("git", "clone", "-q", seed, self.work)
        self.env = {"HOME": self.home, "USER": name, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        self.database = None

    def call(self, *words, check=True, **more):
        return self.net.inside(self.name, self.binary, *words, cwd=self.work, env=self.env, check=check, **more)

    def hook(self, event, session, **more):
        body = dict(session_id=session, cwd=self.work, hook_event_name=event, transcript_path=self.home + "/none.jsonl", **more)
        return self.call("hook", input=json.dumps(body).encode())

    def ask(self, sql, *values):
        """Of the machine's own tables."""
        if self.database is None:
            for place, _, files in os.walk(os.path.join(self.home, ".throughline")):
                for name in files:
                    if name.endswith(".db") and name.startswith("derived"):
                        self.database = os.path.join(place, name)
        if self.database is None:
            return []
        with sqlite3.connect("file:%s?mode=ro" % self.database, uri=True, timeout=5) as tables:
            return tables.execute(sql, values).fetchall()

    def status(self):
        return json.loads(self.call("daemon", "status", "--json"))["sharing"]

    def pid(self):
        return json.loads(self.call("daemon", "status", "--json"))["pid"]

    def notes(self):
        rows = self.ask("SELECT id, title FROM memories WHERE kind = 'note'")
        return sorted((number, title.split(": ", 1)[-1]) for number, title in rows)


def story(options, net, folder):
    seed = os.path.join(folder, "seed")
    run("git", "init", "-q", "-b", "main", seed)
    os.makedirs(seed + "/src")
    with open(seed + "/src/cart.rs", "w", encoding="utf-8") as file:
        file.write("fn cart() {}\n")
    run("git", "-C", seed, "add", ".")
    run("git", "-C", seed, "-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-qm", "first")
    programs = servers.debian() or servers.wheel()
    if programs is None:
        print("SKIPPED: there is no PostgreSQL", flush=True)
        return SKIPPED
    server = Server(net, programs)
    try:
        return shared(options, net, folder, seed, server)
    finally:
        server.stop(options.keep)


def shared(options, net, folder, seed, server):
    admin = "postgres://postgres@127.0.0.1:%d/postgres" % server.port
    env = dict(os.environ, PGPASSWORD=server.password, HOME=folder)
    cli = lambda *words: net.inside("db", options.throughline, "team", *words, env=env)  # noqa: E731
    print(cli("init", admin).strip(), flush=True)
    ana, ben = (Machine(net, name, options.throughline, folder, seed) for name in ("ana", "ben"))
    try:
        for machine in (ana, ben):
            invite = cli("invite", machine.name, "--url", admin, "--host", "%s.1:%d" % (NET, server.port))
            url = invite.split("'")[1] + "?sslmode=disable"
            if machine is ana:
                ana.call("remember", "said before anybody joined")
            print(machine.call("team", "join", "--allow-plain", url).strip(), flush=True)
        # Before any session was there.
        ana.call("remember", "said since she joined")
        early = lambda: ben.ask("SELECT title FROM memories WHERE author = 'ana' ORDER BY at")  # noqa: E731
        said = [("ana: said before anybody joined",), ("ana: said since she joined",)]
        that("what was said before and since is told without a session", until(60, lambda: early() == said) is not None,
             [early(), ana.status(), ben.status()])
        for machine in (ana, ben):
            machine.hook("SessionStart", "session-of-" + machine.name, source="startup")
        ready = [until(60, lambda machine=machine: machine.status()["state"] == "connected") for machine in (ana, ben)]
        that("both machines are connected", None not in ready, [ana.status(), ben.status()])
        took = until(60, lambda: ben.ask("SELECT 1 FROM team_sessions WHERE id = 'session-of-ana'"))
        that("each knows the other's session", took is not None, ben.ask("SELECT * FROM team_sessions"))
        live = ben.call("sessions", "--live")
        that("and lists it among those at work", "other machines" in live and "ana" in live, live)

        times = []
        for number in range(10):
            path = "src/file%d.rs" % number
            began = time.time()
            ana.call("claims", "take", path, "--session", "session-of-ana")
            said = time.time()
            if until(60, lambda path=path: ben.ask("SELECT 1 FROM team_claims WHERE path = ?", path)) is None:
                break
            times.append((time.time() - began, max(0.0, time.time() - said)))
        that("a claim is visible on another machine", len(times) == 10, ana.status())
        if times:
            whole, after = sorted(one for one, _ in times), sorted(two for _, two in times)
            print("     claim visible: median %.0f ms, worst %.0f ms from the command's start; worst %.0f ms after its end" %
                  (whole[len(whole) // 2] * 1000, whole[-1] * 1000, after[-1] * 1000), flush=True)

        words(ana, ben)
        prompts(net, server, admin, ana, ben)

        began = time.time()
        for block in range(5):
            files = ["burst/%d-%d.rs" % (block, number) for number in range(200)]
            ana.call("claims", "take", *files, "--session", "session-of-ana")
        took = until(60, lambda: ben.ask("SELECT count(*) FROM team_claims WHERE path LIKE 'burst/%'") == [(1000,)])
        that("a thousand claims arrive", took is not None, ben.ask("SELECT count(*) FROM team_claims"))
        print("     %.0f changes a minute, commands included" % (1000 / (time.time() - began) * 60), flush=True)

        ana.call("remember", "carts expire after " + ana.work + "/src/cart.rs says so")
        ana.call("remember", "my own business", "--private")
        carts = lambda: ben.ask("SELECT title, text FROM memories WHERE author = 'ana' AND title LIKE '%carts%'")  # noqa: E731
        took, told = until(60, carts), carts()
        that("a memory arrives under its author's name", took is not None and told and told[0][0].startswith("ana: carts"), told)
        that("without a path of its machine", told and ana.work not in told[0][1] and "src/cart.rs" in told[0][1], told)

        # The cable is pulled while both work.
        net.cable("ana", "down")
        for number in range(5):
            ana.call("remember", "said while cut off %d" % number)
            ben.call("remember", "said while she is away %d" % number)
        ana.call("claims", "release", "--session", "session-of-ana")
        ana.call("claims", "take", "src/alone.rs", "--session", "session-of-ana")
        that("nothing of it has arrived", not ben.ask("SELECT 1 FROM memories WHERE title LIKE '%said while cut off%'"))
        net.cable("ana", "up")
        whole = lambda: (ben.ask("SELECT count(*) FROM memories WHERE title LIKE '%said while cut off%'") == [(5,)]  # noqa: E731
                         and ana.ask("SELECT count(*) FROM memories WHERE title LIKE '%said while she is away%'") == [(5,)])
        took = until(CATCH_UP_SECONDS, whole)
        that("rejoined, both have everything", took is not None, [ana.notes(), ben.notes(), ana.status(), ben.status()])
        if took is not None:
            print("     caught up %.1f s after the cable was back" % took, flush=True)
        held = lambda: ben.ask("SELECT path FROM team_claims WHERE session = 'session-of-ana'")  # noqa: E731
        that("claims are as they are at their owner's", until(60, lambda: held() == [("src/alone.rs",)]) is not None, held()[:5])

        began = time.time()
        for cut in range(options.cuts):
            # Before something is to be told, and in the middle of telling it.
            if cut % 2:
                net.cable("ana", "down")
            ana.call("remember", "note of cut %d" % cut)
            if cut % 2 == 0:
                net.cable("ana", "down")
            net.cable("ana", "up")
            if cut % 10 == 5:
                # And the daemon is killed, now and then.
                os.kill(ana.pid(), 9)
        print("     %d cuts in %.1f s" % (options.cuts, time.time() - began), flush=True)
        took = until(CATCH_UP_SECONDS, lambda: ben.ask("SELECT count(*) FROM memories WHERE title LIKE '%note of cut %'") == [(options.cuts,)])
        if took is not None:
            print("     caught up %.1f s after the last" % took, flush=True)
        that("nothing is lost over %d cuts" % options.cuts, took is not None, [ana.status(), len(ben.notes()), len(ana.notes())])
        # Of one the title is another elsewhere: it named a place.
        mine = [row for row in ana.notes() if row[1] != "my own business"]
        as_told = [(number, title.replace(ana.work + "/", "")) for number, title in mine]
        that("nothing is doubled", until(60, lambda: ben.notes() == as_told) is not None, (ben.notes(), as_told))
        that("what is private never left", not any(title == "my own business" for _, title in ben.notes()))

        forgotten = ana.ask("SELECT id FROM memories WHERE title LIKE 'carts%'")
        ana.call("forget", "--yes", json.loads(ana.call("search", "carts expire", "--json"))[0]["id"])
        gone = until(60, lambda: not ben.ask("SELECT 1 FROM memories WHERE id = ?", forgotten[0][0]))
        that("what its author forgets is forgotten by everybody", gone is not None, forgotten)

        unfit(net, server, admin, ana, ben)

        # Told to stop while the server does not answer.
        net.cable("ana", "down")
        ana.call("remember", "the last word")
        that("it waits", until(60, lambda: ana.status()["waiting"] > 0) is not None, ana.status())
        began = time.time()
        ben.call("daemon", "stop")
        alone = time.time() - began
        ben.call("daemon", "start")
        began = time.time()
        ana.call("daemon", "stop")
        took = time.time() - began
        that("a daemon stops while its connection hangs", took < STOP_SECONDS + 3 * alone, "%.1f s, %.1f s" % (took, alone))
        print("     it stopped within %.2f s" % took, flush=True)
        net.cable("ana", "up")
        ana.call("daemon", "start")
        last = lambda: ben.ask("SELECT 1 FROM memories WHERE title LIKE '%the last word'")  # noqa: E731
        that("and what waited is told by the next one", until(CATCH_UP_SECONDS, last) is not None, ana.status())
    finally:
        for machine in (ana, ben):
            machine.call("daemon", "stop", check=False)
    return 1 if failed else 0


def unfit(net, server, admin, ana, ben):
    """A change that the database does not take holds up nothing, and is told when the database takes it."""
    ask = lambda sql: net.inside("db", os.path.join(server.bin, "psql"), "-qc", sql, admin,  # noqa: E731
                                 env=dict(os.environ, PGPASSWORD=server.password))
    ask("ALTER TABLE throughline.memories ADD CONSTRAINT picky CHECK (position('indigestible' IN body) = 0)")
    ana.call("remember", "something indigestible")
    ana.call("remember", "something wholesome")
    has = lambda what: ben.ask("SELECT 1 FROM memories WHERE title LIKE ?", "%" + what)  # noqa: E731
    took = until(60, lambda: has("wholesome"))
    that("what the database does not take holds up nothing", took is not None and not has("indigestible"), ana.status())
    that("it is kept and counted", until(60, lambda: ana.status()["aside"] == 1) is not None, ana.status())
    said = ana.call("team", "status", check=False) + ana.call("doctor", check=False)
    that("and shown by status and doctor", said.count("set aside") == 2, said)
    ask("ALTER TABLE throughline.memories DROP CONSTRAINT picky")
    ana.call("daemon", "restart")
    took = until(60, lambda: has("indigestible") and ana.status()["aside"] == 0)
    that("and told when the database takes it", took is not None, ana.status())


def spoken(hook, words):
    """What a hook says, asked again while it is late: on a busy machine what is late is silence."""
    said = ""
    for at in range(5):
        said = hook(at)
        if words in said:
            break
    return said


def prompts(net, server, admin, ana, ben):
    """What a person asks for stays with them, also in what is made of it."""
    asked = ("Our biggest client Globex is upset. Henry from sales promised them a refund; please fix the rounding. "
             "Always refund Globex in full.")
    path = ana.work + "/src/cart.rs"
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-fn cart() {}", "+fn cart() { half_up() }"]}]
    ana.hook("SessionStart", "session-of-globex", source="startup")
    ana.hook("UserPromptSubmit", "session-of-globex", prompt=asked)
    ana.hook("PostToolUse", "session-of-globex", tool_name="Edit", tool_use_id="g1",
             tool_input={"file_path": path, "old_string": "fn cart() {}", "new_string": "fn cart() { half_up() }"},
             tool_response={"filePath": path, "structuredPatch": patch})
    ana.hook("Stop", "session-of-globex", last_assistant_message="I made cart in src/cart.rs round half up.")
    ana.hook("SessionEnd", "session-of-globex", reason="exit")
    kinds = lambda of: [row[0] for row in of.ask(  # noqa: E731
        "SELECT DISTINCT kind FROM memories WHERE session = 'session-of-globex' AND kind IN ('summary', 'change', 'bugfix')")]
    that("a turn leaves what was done", until(60, lambda: len(kinds(ben)) == 2) is not None, [kinds(ana), kinds(ben)])
    own = [row[0] for row in ana.ask("SELECT text FROM memories WHERE session = 'session-of-globex' AND text LIKE '%Globex%'")]
    that("what was asked for is with who asked", any(text.startswith("Request: ") for text in own), own)
    for machine in (ana, ben):
        that("%s has nothing more to tell" % machine.name, until(60, lambda machine=machine: machine.status()["waiting"] == 0)
             is not None, machine.status())
    found = []
    for table, in ben.ask("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"):
        for row in ben.ask('SELECT * FROM "%s"' % table):
            found += [(table, row)] if "Globex" in str(row) or "Henry" in str(row) else []
    that("and nowhere on another machine", not found, found[:3])
    dump = net.inside("db", os.path.join(server.bin, "pg_dump"), "--schema=throughline", "--inserts", admin,
                      env=dict(os.environ, PGPASSWORD=server.password))
    left = [line for line in dump.splitlines() if "globex" in line.lower().replace("session-of-globex", "") or "Henry" in line]
    that("nor in the team's database", "half_up" in dump and not left, left[:3])


def words(ana, ben):
    """What travels beside memories: where in a file somebody is, messages, patterns of agents."""
    path = ana.work + "/src/cart.rs"
    patch = [{"oldStart": 7, "oldLines": 1, "newStart": 7, "newLines": 3, "lines": ["-a", "+b", "+c", "+d"]}]
    ana.hook("PostToolUse", "session-of-ana", tool_name="Edit", tool_use_id="t1",
             tool_input={"file_path": path, "old_string": "a", "new_string": "b"},
             tool_response={"filePath": path, "structuredPatch": patch})
    lines = lambda: ben.ask("SELECT first_line, last_line FROM team_claims WHERE path = 'src/cart.rs'")  # noqa: E731
    that("which lines somebody edits is told", until(60, lambda: lines() == [(7, 9)]) is not None, lines())
    mine = {"file_path": ben.work + "/src/cart.rs", "old_string": "fn", "new_string": "pub fn"}
    said = spoken(lambda at: ben.hook("PreToolUse", "session-of-ben", tool_name="Edit", tool_use_id="t2-%d" % at,
                                      tool_input=mine), "ana, on another machine")
    that("who edits the same file hears of it", "ana, on another machine, edits src/cart.rs" in said and "lines 7 to 9" in said, said)

    ana.call("message", "session-of-ben", "are you in cart.rs?")
    waits = lambda: ben.ask("SELECT author, delivered_at FROM messages")  # noqa: E731
    that("a message reaches the other machine", until(60, lambda: waits() == [("ana", None)]) is not None, waits())
    said = spoken(lambda _: ben.hook("UserPromptSubmit", "session-of-ben", prompt="go on"), "are you in cart.rs?")
    that("it is said with the session's next event", "are you in cart.rs?" in said and "ana" in said, said)
    again = ben.hook("UserPromptSubmit", "session-of-ben", prompt="go on")
    that("and once", "are you in cart.rs?" not in again, again)
    back = lambda: ana.ask("SELECT 1 FROM messages WHERE delivered_at IS NOT NULL")  # noqa: E731
    that("and its sender sees that it was said", until(60, back) is not None, ana.call("message", "--list"))

    ana.call("pattern", "start", "jury", "--id", "review", "--agents", "3", "--session", "session-of-ana")
    seen = lambda: "review" in ben.call("pattern", "list")  # noqa: E731
    that("a pattern of agents is seen on the other machine", until(60, seen) is not None, ben.call("pattern", "list"))
    shown = ben.call("pattern", "show", "review")
    that("with whose it is", "ana" in shown, shown)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--throughline", default=os.path.join(os.path.dirname(HERE), "target", "debug", "throughline"))
    parser.add_argument("--cuts", type=int, default=50)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    options.throughline = os.path.abspath(options.throughline)
    # Whoever ends this ends its machines, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if os.getuid() != 0 or not servers.has_program("ip", "iproute2"):
        print("SKIPPED: two machines need root and `ip netns`", flush=True)
        return SKIPPED
    folder = tempfile.mkdtemp(prefix="tests-team-machines-")
    net = None
    began = time.time()
    try:
        try:
            net = Net()
            net.lay(["ana", "ben"])
        except (OSError, subprocess.SubprocessError, SystemExit) as error:
            print("SKIPPED: network namespaces are not allowed here: %s" % error, flush=True)
            return SKIPPED
        code = story(options, net, folder)
        if failed:
            print("failed: %s" % "; ".join(failed), flush=True)
        print("machines: %d checks held, %.1f s" % (len(held), time.time() - began), flush=True)
        return code
    finally:
        if net is not None:
            net.gone()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
