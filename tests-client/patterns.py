"""Patterns of real subagents in the real client: each hears its part, votes are sealed until all are in, a stage is given
what the one before it said, and what follows reaches the coordinator's model.
"""
import json
import os
import time

from recall import notes, requests
from scenarios import BYPASS, tool


def agent(prompt, background=False):
    return tool("Agent", description="a part", prompt=prompt, subagent_type="general-purpose", run_in_background=background)


def lane(name, match, *turns):
    """A subagent by a word of its task."""
    return {"name": name, "match": {"agent": True, "any": match}, "turns": list(turns)}


def vote(word, why):
    return {"text": "I looked at it.\n" + json.dumps({"vote": word, "why": why})}


def shown(house, name):
    """The pattern as the command line shows it, once it is over."""
    until = time.time() + 60
    while True:
        seen = json.loads(house.throughline.run("pattern", "show", name, "--json", check=False) or "{}")
        if seen.get("ended_at") or time.time() > until:
            return seen
        time.sleep(0.1)


def jury(checks, house, client, canaries, ours):
    """Three at once: nobody reads another's vote, one that forgets its line is asked for it, the verdict is said once."""
    task = "[pattern:jury id=review n=%d of=3] Is the change right? Task of %s."
    names = ["ALDA", "BRAM", "CLEO"]
    spec = {"args": BYPASS, "prompt": "Have three agents judge the change.",
            "lanes": [lane("alda", "Task of ALDA", vote("approve", "WHY-ALDA")),
                      lane("bram", "Task of BRAM", vote("reject", "WHY-BRAM")),
                      lane("cleo", "Task of CLEO", {"text": "WHY-CLEO: it is right."}, vote("approve", "WHY-CLEO"))],
            "turns": [{"tools": [agent(task % (n + 1, name)) for n, name in enumerate(names)]}, {"text": "Judged."}],
            "expect": {"result": "Judged", "hooks": {"SubagentStart": 3}}}
    run, = house.play("jury", spec, client)
    checks.nothing("the client did what it was asked to", run["failures"])
    said = {name: requests(run, name.lower()) for name in names}
    for name in names:
        brief = "".join(notes(said[name][0], "brief-subagent")) if said[name] else ""
        checks.that("%s hears that it is a juror, and the line it ends with" % name, "juror" in brief and '"vote"' in brief,
                    brief or said[name])
        others = [other for other in names if other != name and any("WHY-" + other in text for text in said[name])]
        checks.nothing("%s reads nobody else's vote" % name, others)
    checks.that("the one without a line is asked for it once", len(said["CLEO"]) == 2 and "lacks the last line" in said["CLEO"][-1],
                [text[-600:] for text in said["CLEO"]])
    main = requests(run, "main")
    verdict = "".join(notes(main[-1], "collect-subagent"))
    checks.that("the verdict reaches the coordinator's model", "approved, 2 for and 1 against" in verdict, main[-1][-2500:])
    checks.that("with every juror's own vote", "juror 2 of 3:\n> reject: WHY-BRAM" in verdict, verdict)
    checks.that("once", main[-1].count("approved, 2 for and 1 against") == 1, main[-1].count("approved, 2 for"))
    seen = shown(house, "review")
    states = [node["state"] for node in seen.get("nodes", [])]
    checks.that("and is kept", seen.get("state") == "approved" and states == ["done"] * 3, seen)
    agents = house.throughline.lines("agents", "--json")
    checks.that("the agents are listed with their parts", sum("juror" in (one["part"] or "") for one in agents) == 3, agents)


def pipeline(checks, house, client, canaries, ours):
    """Declared by a command in the session; the next stage's model reads what the stage before it answered."""
    start = "%s pattern start pipeline --id ship --names plan,build" % house.throughline.binary
    spec = {"args": BYPASS, "prompt": "Plan it, then build it.",
            "lanes": [lane("plan", "Task of the planner", {"text": "Keep seven RINGBUFFERS in a row.\n"
                                                           + json.dumps({"status": "ok", "summary": "rings"})}),
                      lane("build", "Task of the builder", {"text": "Built.\n" + json.dumps({"status": "ok", "summary": "BUILT-IT"})})],
            "turns": [{"tools": [tool("Bash", command=start, description="declare")]},
                      {"tools": [agent("[pattern:pipeline id=ship role=stage n=1] Task of the planner.")]},
                      {"tools": [agent("[pattern:pipeline id=ship stage=build] Task of the builder.")]},
                      {"text": "Shipped."}],
            "expect": {"result": "Shipped", "hooks": {"SubagentStart": 2}}}
    run, = house.play("pipeline", spec, client)
    checks.nothing("the client did what it was asked to", run["failures"])
    main, plan, build = requests(run, "main"), requests(run, "plan"), requests(run, "build")
    told = ["".join(notes(text, "collect-subagent")) for text in main]
    checks.that("the coordinator hears how to start the first stage", "[pattern:pipeline id=ship role=stage n=1]" in told[1], main[1][-1500:])
    checks.that("then that the second is due", "[pattern:pipeline id=ship role=stage n=2]" in told[2], told)
    checks.that("the first stage has nothing before it", plan and "RINGBUFFERS" not in plan[0], plan)
    brief = "".join(notes(build[0], "brief-subagent")) if build else ""
    checks.that("the second stage's model reads the first one's answer", "> Keep seven RINGBUFFERS in a row." in brief, brief or build)
    checks.that("what came of it is said", "is complete: 2 stages" in told[3] and "BUILT-IT" in told[3], told)
    seen = shown(house, "ship")
    checks.that("the hand-over is an edge", seen.get("edges") == [{"from": "stage-1", "to": "stage-2"}], seen)


def held(checks, house, client, canaries, ours):
    """In the background: the turn does not end while the juror is out, then it may, and its verdict comes with the notice."""
    slow = dict(vote("reject", "WHY-SLOW"), delay_ms=4000)
    spec = {"args": BYPASS, "prompt": "Ask one juror.",
            "lanes": [lane("slow", "Task of the slow one", slow)],
            "turns": [{"tools": [agent("[pattern:jury id=slow n=1 of=1] Task of the slow one.", background=True)]},
                      {"text": "All done."}, {"text": "I wait."}, {"text": "Heard."}],
            "expect": {"result": "Heard"}}
    run, = house.play("held", spec, client)
    checks.nothing("the client did what it was asked to", run["failures"])
    main = requests(run, "main")
    checks.that("the end of the turn is held while it is out", len(main) > 2 and "out: the juror" in main[2], [text[-700:] for text in main])
    checks.that("where nothing has changed it is let go", len(main) == 4 and "(hold 2 " not in main[3], len(main))
    verdict = "".join(notes(main[-1], "collect-subagent"))
    checks.that("the verdict comes with the notice that it is back", "rejected, 0 for and 1 against" in verdict, main[-1][-2500:])
    house.kept(ends=1)


STORIES = {"jury": jury, "pipeline": pipeline, "held": held}
