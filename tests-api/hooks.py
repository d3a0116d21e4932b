"""Puts into questions what only earlier answers can say: ids of what exists. A cursor and a version that somebody made up
are refused, as they should be; a question that should be accepted goes without them."""
import json
import os

import schemathesis
from schemathesis.generation import GenerationMode
from schemathesis.generation.meta import TestPhase

with open(os.environ["API_TEST_IDS"], encoding="utf-8") as file:
    KNOWN = json.load(file)
# Of so many questions one asks for what is not there.
UNKNOWN = 5
asked = 0


# What no address can hold is refused by HTTP itself, before there is anybody who could say why.
LONGEST_VALUE = 4_000


@schemathesis.hook
def filter_query(context, query):
    return all(len(str(value)) <= LONGEST_VALUE for value in (query or {}).values())


@schemathesis.hook
def before_call(context, case, kwargs):
    global asked
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    for made_up in (case.query, case.headers):
        for name in ("cursor", "If-Match"):
            if made_up and name in made_up:
                del made_up[name]
    # A chain of questions brings its ids along, and what exists is not spent on taking it away.
    if case.method == "DELETE" or case.meta.phase.name is TestPhase.STATEFUL:
        return
    parts = case.path.split("/")
    known = KNOWN.get(parts[3]) if len(parts) > 4 and parts[4].startswith("{") else None
    asked += 1
    if known and asked % UNKNOWN:
        case.path_parameters[parts[4].strip("{}")] = known[asked % len(known)]
