#!/usr/bin/env python3
"""The code map on real public packages: is every definition in the outline, every caller found, fewer tokens read?

    run.py --throughline BIN [--only NAME]... [-v] [--list] [--fetch]

Python's standard library only. The packages and the parsers they are compared with are fetched once into a cache
(see fetch.py); then no network is needed. What cannot be fetched is not tested: exit code 77.
"""
import argparse
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import callers  # noqa: E402
import fetch  # noqa: E402
import outline  # noqa: E402
import reading  # noqa: E402

# A script is a module with `checks(verbose)`, which yields (sentence, does it hold, why not).
SCRIPTS = {
    "outline": outline,
    "callers": callers,
    "reading": reading,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--throughline", required=True)
    parser.add_argument("--only", action="append", choices=sorted(SCRIPTS))
    parser.add_argument("-v", "--verbose", action="store_true", help="what is missing, one by one")
    parser.add_argument("--list", action="store_true", help="the names for --only")
    parser.add_argument("--fetch", action="store_true", help="fetch and do nothing else")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(SCRIPTS))
        return 0
    try:
        fetch.fetch_all()
    except fetch.Unreachable as trouble:
        print("SKIPPED: %s" % trouble)
        return fetch.SKIPPED
    if arguments.fetch:
        return 0
    os.environ["THROUGHLINE_BIN"] = os.path.abspath(arguments.throughline)
    held, failed = 0, []
    for name in arguments.only or SCRIPTS:
        began = time.monotonic()
        print("%s:" % name, flush=True)
        for sentence, holds, why in SCRIPTS[name].checks(arguments.verbose):
            if holds:
                held += 1
                print("  ok    %s" % sentence, flush=True)
            else:
                failed.append(sentence)
                print("  FAIL  %s\n        %s" % (sentence, str(why).replace("\n", "\n        ")), flush=True)
        print("  %.0f s" % (time.monotonic() - began), flush=True)
    if failed:
        print("%d of %d checks failed" % (len(failed), held + len(failed)))
        return 1
    print("code test: %d checks held" % held)
    return 0


if __name__ == "__main__":
    sys.exit(main())
