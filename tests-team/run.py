#!/usr/bin/env python3
"""What a team shares, on real PostgreSQL servers: with pgvector, without it, and over TLS; and between two machines.

    run.py [--throughline BIN] [--only EXPRESSION] [--keep] [--fetch] [--serve]

Started by `cargo xtask team-test`. The stories are tests of the crate `throughline-team` that need a server; this file fetches
and starts one, runs them, and stops it. Then `machines.py` has two whole machines share, in network namespaces, which needs
root; `--only machines` runs nothing else. THROUGHLINE_TEST_POSTGRES=postgres://admin:password@host/postgres names a server with
pgvector that is there already. What cannot be fetched is not tested: exit code 77. `--serve` starts the server with
pgvector, prints its URL, and stops it when its input ends.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)

import servers  # noqa: E402

SKIPPED = 77
GIVEN = "THROUGHLINE_TEST_POSTGRES"
# A crate of tests is compiled and a few minutes of stories run; on two slow cores.
RUN_SECONDS = 1800


def stories(env, only):
    """Runs every story, those that need a server, too; (held, failed)."""
    nextest = subprocess.run(["cargo", "nextest", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             check=False).returncode == 0
    if nextest:
        # The whole workspace is named so that nothing is compiled that the tests of the workspace have not compiled.
        argv = ["cargo", "nextest", "run", "--workspace", "--no-fail-fast", "--run-ignored", "all"]
        argv += ["-E", f"package(throughline-team) & ({only})"]
    else:
        argv = ["cargo", "test", "-p", "throughline-team", "--no-fail-fast", "--", "--include-ignored"]
        argv += ["--skip", "tls::"] if "not test(tls::)" in only else []
    ran = subprocess.run(argv, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=RUN_SECONDS,
                         check=False)
    text = ran.stdout.decode("utf-8", "replace")
    if nextest:
        passed = re.findall(r"tests? run: (\d+) passed", text)
    else:
        passed = re.findall(r"test result: \w+\. (\d+) passed", text)
    held = sum(map(int, passed))
    if ran.returncode != 0 or held == 0:
        print(text, flush=True)
        return held, 1
    return held, 0


def machines(options):
    """Two machines in network namespaces; (held, failed, skipped)."""
    argv = [sys.executable, os.path.join(HERE, "machines.py")]
    argv += ["--throughline", options.throughline] if options.throughline else []
    argv += ["--keep"] if options.keep else []
    ran = subprocess.run(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=RUN_SECONDS, check=False)
    text = ran.stdout.decode("utf-8", "replace")
    print(text, end="", flush=True)
    held = sum(map(int, re.findall(r"^machines: (\d+) checks held", text, re.MULTILINE)))
    return held, int(ran.returncode not in (0, SKIPPED)), ran.returncode == SKIPPED


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--throughline", help="for two machines; without it the debug build")
    parser.add_argument("--only", help="stories, as nextest filters them, such as 'test(rights::)'")
    parser.add_argument("--keep", action="store_true", help="leave the servers' folders behind")
    parser.add_argument("--fetch", action="store_true", help="fetch the servers and do nothing else")
    parser.add_argument("--serve", action="store_true", help="start a server with pgvector until the input ends")
    options = parser.parse_args()
    # Whoever ends this ends its server, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    given = os.environ.get(GIVEN)
    near = None if given else servers.with_vectors()
    plain = servers.debian()
    if options.fetch:
        servers.has_program("ip", "iproute2")
        return 0
    if options.serve:
        server = servers.Server(near, settings=servers.ROOMY)
        print(server.url() + "/postgres", flush=True)
        sys.stdin.read()
        server.stop()
        return 0
    began, held, failed, missing = time.time(), 0, 0, []
    only = " and (%s)" % options.only if options.only else ""
    kinds = [("with pgvector", near, False), ("without pgvector, over TLS", plain, True)]
    # One after the other: they share two processors with whatever else runs.
    for name, programs, tls in kinds if options.only != "machines" else []:
        env = dict(os.environ)
        if not tls and given:
            print("== %s: the server that was given" % name, flush=True)
            ran = stories(env, "not test(tls::)" + only)
            held, failed = held + ran[0], failed + ran[1]
            continue
        if programs is None:
            missing.append(name)
            print("SKIPPED: there is no server %s" % name, flush=True)
            continue
        print("== %s: %s" % (name, programs.name), flush=True)
        server = servers.Server(programs, tls)
        try:
            env[GIVEN] = server.url() + "/postgres"
            if tls:
                env["THROUGHLINE_TEST_POSTGRES_TLS"] = server.url("localhost")
                env["THROUGHLINE_TEST_POSTGRES_ROOTS"] = server.folder
            ran = stories(env, ("all()" if tls else "not test(tls::)") + only)
            print("   %d held" % ran[0], flush=True)
            held, failed = held + ran[0], failed + ran[1]
        finally:
            server.stop(options.keep)
    if options.only in (None, "machines"):
        print("== two machines", flush=True)
        ran = machines(options)
        held, failed = held + ran[0], failed + ran[1]
        missing += ["two machines"] if ran[2] else []
    print("team test: %d stories held, %d parts failed, %.1f s" % (held, failed, time.time() - began), flush=True)
    if failed:
        return 1
    return SKIPPED if missing else 0


if __name__ == "__main__":
    sys.exit(main())
