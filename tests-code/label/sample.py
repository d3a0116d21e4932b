"""Which definitions are labeled: a seeded walk that fills quotas, so that nobody picks what is easy.

All definitions of a language's packages are shuffled with SEED. The walk gives each one to the first kind of place it
fits and that is still open. A place asks for a number of call sites, which only the oracle knows, so the oracle is
asked while walking. Every second place of a kind wants at least FEW call sites: without that most labels would have one.
"""
import random

SEED = "throughline code callers 1"
FEW, MANY = 3, 40
# (kind of place, how many, does a definition fit). Order matters: the rare ones first, or others would take them.
PLACES = [
    ("dead", 2, lambda d: True),
    ("constructor", 2, lambda d: d["kind"] == "constructor"),
    ("reexported", 3, lambda d: d["kind"] == "function" and d["reexported"]),
    ("shared", 5, lambda d: d["kind"] == "method" and d["shared"]),
    ("private", 3, lambda d: d["private"] and d["kind"] in ("function", "method")),
    ("method", 5, lambda d: d["kind"] == "method" and not d["shared"]),
    ("function", 4, lambda d: d["kind"] == "function" and not d["private"]),
]


def choose(definitions, calls_of, say=print, places=PLACES):
    """[(place, split, definition, calls)]; `calls_of(definition)` answers None where the oracle cannot judge."""
    packages = sorted({d["package"] for d in definitions})
    wanted = sum(count for _, count, _ in places)
    cap = -(-wanted // len(packages)) + 1
    order = sorted(definitions, key=lambda d: (d["package"], d["file"], d["line"]))
    random.Random(SEED).shuffle(order)
    taken = {place: [] for place, _, _ in places}
    load = dict.fromkeys(packages, 0)
    for definition in order:
        open_places = [p for p in places if len(taken[p[0]]) < p[1] and p[2](definition)]
        if not open_places or load[definition["package"]] >= cap:
            continue
        calls = calls_of(definition)
        if calls is None or len(calls) > MANY:
            continue
        for place, count, _ in open_places:
            needs = 0 if place == "dead" else FEW if len(taken[place]) % 2 == 0 else 1
            if (place == "dead") == (len(calls) == 0) and len(calls) >= needs:
                taken[place].append((definition, calls))
                load[definition["package"]] += 1
                say("%-11s %3d  %s %s:%d %s" % (place, len(calls), definition["package"], definition["file"],
                                                definition["line"], definition["name"]))
                break
        if all(len(taken[place]) >= count for place, count, _ in places):
            break
    chosen = []
    for place, _, _ in places:
        for definition, calls in taken[place]:
            chosen.append((place, "test" if len(chosen) % 2 else "dev", definition, calls))
    return chosen
