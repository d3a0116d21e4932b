"""A client without our hooks, whose conversations are read as it writes them. The same story for every client that can be
watched; how it is played is the client's."""
import json

FOUND = "The walrus cache never expired; it does so after five minutes now."


def story(checks, house, agent, play):
    """`play(prompt, command, last)` is a session of the client that runs one command and says one thing."""
    say = house.throughline.run
    play("Why does the walrus cache go stale?", "echo walrus", FOUND)
    say("watch", "add", agent)
    checks.that("a conversation from before the watch is taken in", len(house.kept("PostToolUse", 1)) > 2, say("watch", "list"))
    play("<private>Say cobalt-seven.</private>", "echo cobalt-seven", "cobalt-seven it is.")
    play("Who reads the walrus cache?", "echo reader", "The exporter does.")
    house.kept("PostToolUse", 2)
    say("daemon", "stop")
    play("Who writes the walrus cache?", "echo writer", "The importer does.")
    say("daemon", "start")
    house.kept("PostToolUse", 3)
    # What the daemon could not know yet is known to a backfill: the end of a turn, where the client does not write it.
    say("backfill", "--client", agent)
    entries = house.throughline.lines("export")
    events = [entry["event"] for entry in entries]
    checks.that("every turn is kept once, over a restart and a backfill", [events.count(event) for event in
                ("UserPromptSubmit", "PostToolUse", "Stop")] == [3, 3, 3], [(e["session"], e["event"]) for e in entries])
    checks.that("as the client's", {entry["agent"] for entry in entries} == {agent}, entries[:1])
    checks.that("nothing of the private turn is kept", "cobalt" not in json.dumps(entries), json.dumps(entries)[-3000:])
    found = house.settled("why does the walrus cache go stale?", '"summary"')
    checks.that("what was done is found", '"summary"' in found, found)
    recalled = say("search", "why does the walrus cache go stale?")
    checks.that("with what was said", "never expired" in recalled, recalled)
    listed = say("watch", "list")
    checks.that("a person sees that all is well", agent in listed and "ok" in listed, listed)
    say("watch", "remove", agent)
    listed = say("watch", "list")
    checks.that("and that nobody looks any more", "nothing is watched" in listed, listed)
