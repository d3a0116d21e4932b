"""Several sessions of the real client in one project: each start hears of the others, the second editor's model is told who
holds the file and where, `deny` denies, and a message arrives with the next event."""
import os
import threading
import time

from recall import notes, requests
from scenarios import BYPASS, tool

GOAL = "Port the parser to the new grammar."
OTHER = "Write the lexer's tables anew."
FILE, SECOND = "parser.txt", "lexer.txt"
WORDS = "The third of us asks: may I have the parser when you are done?"


def holder(file, goal, until, later=()):
    """Edits the file and stays, as somebody does who thinks about the next edit."""
    wait = "while [ ! -e %s ] && [ $((waited += 1)) -lt 900 ]; do sleep 0.1; done" % until
    return {"files": {file: "one\ntwo\n"}, "args": BYPASS,
            "steps": [{"prompt": goal}, {"sh": wait}] + [{"prompt": prompt} for prompt, _ in later],
            "turns": [{"tools": [tool("Read", file_path="{{CWD}}/" + file)]},
                      {"tools": [tool("Edit", file_path="{{CWD}}/" + file, old_string="one", new_string="uno")]},
                      {"text": "Begun."}] + [{"text": answer} for _, answer in later],
            "expect": {"result": later[-1][1].rstrip(".") if later else "Begun"}}


def second():
    edit = lambda old, new: tool("Edit", file_path="{{CWD}}/" + FILE, old_string=old, new_string=new)
    return {"args": BYPASS, "prompt": "Translate the second line.",
            "turns": [{"tools": [tool("Read", file_path="{{CWD}}/" + FILE)]}, {"tools": [edit("two", "due")]},
                      {"tools": [edit("due", "duo")]}, {"text": "Translated."}],
            "expect": {"result": "Translated", "file": {FILE: "uno\nduo"}}}


class Visit(threading.Thread):
    """A session that runs beside the others."""

    def __init__(self, house, name, spec, client):
        super().__init__()
        self.runs, self.play = [], lambda: house.play(name, spec, client)
        self.start()

    def run(self):
        self.runs.extend(self.play())

    def over(self):
        self.join()
        return self.runs[0] if self.runs else {"failures": ["it could not be run"], "session_id": "none", "out": ""}


def until(question, patience=60):
    """What a question is answered with, once that is something."""
    end = time.time() + patience
    while time.time() < end and not question():
        time.sleep(0.1)
    return question()


def finish(house, name):
    open(os.path.join(house.project, name), "w").close()


def held(house, count):
    """What is held, once so many files were edited: a file is wanted a moment before."""
    listed = lambda: house.throughline.lines("claims", "list", "--all", "--json")
    edited = lambda: [claim for claim in listed() if claim["lines"]]
    until(lambda: len(edited()) >= count)
    return listed()


def claims(checks, house, client, canaries, ours):
    """Two sessions. The note is in the request after the first edit, and only there; the end of a session ends its claims."""
    visit = Visit(house, "holder", holder(FILE, GOAL, "second-is-done"), client)
    listed = held(house, 1)
    checks.that("the first editor holds the file", len(listed) == 1 and listed[0]["path"] == os.path.join(house.project, FILE), listed)
    checks.that("with the lines it edited", listed and listed[0]["lines"] == [[1, 1]], listed)
    run, = house.play("second", second(), client)
    finish(house, "second-is-done")
    first = visit.over()
    checks.nothing("the second editor's edits were made", run["failures"])
    checks.nothing("the first did what it was asked to", first["failures"])
    said = requests(run)
    met = "".join(notes(said[0], "register-session"))
    checks.that("its start hears who is here, for what and with which file",
                first["session_id"][:8] in met and GOAL in met and FILE + " (line 1)" in met, met or said[0][-1500:])
    checks.that("the first start heard of nobody", not notes(requests(first)[0], "register-session"))
    told = [len(notes(text, "claim-files")) for text in said]
    checks.that("its model is told after the first edit, once", told == [0, 0, 1, 1], told)
    note = "".join(notes(said[-1], "claim-files"))
    checks.that("whose file it is, for what and on which lines",
                first["session_id"][:8] in note and GOAL in note and FILE in note and "on line 1" in note, note or said[-1][-1500:])
    checks.that("and that its own are others", "Your edit is on other lines." in note, note)
    house.kept(ends=2)
    gone = lambda: not house.throughline.lines("claims", "list", "--all", "--json")
    checks.that("who has left holds nothing", until(gone, 15), "it does")
    checks.that("and is not at work any more", not house.throughline.lines("sessions", "--live", "--json"))


def three(checks, house, client, canaries, ours):
    """Three sessions. The third hears of both, is refused the first one's file, and writes to it."""
    one = Visit(house, "one", holder(FILE, GOAL, "third-is-done", [("Go on.", "Heard.")]), client)
    held(house, 1)
    two = Visit(house, "two", holder(SECOND, OTHER, "third-is-done"), client)
    held(house, 2)
    live = house.throughline.lines("sessions", "--live", "--json")
    checks.that("two sessions are at work, with goals and files",
                sorted((row["goal"], os.path.basename(row["files"][0]["path"])) for row in live if row["files"]) ==
                sorted([(GOAL, FILE), (OTHER, SECOND)]), live)
    first = next((row["id"] for row in live if row["goal"] == GOAL), "nobody")
    house.throughline.run("config", "set", "behaviors.claim-files", "deny")
    edit = tool("Edit", file_path="{{CWD}}/" + FILE, old_string="two", new_string="due")
    run, = house.play("three", {
        "args": BYPASS, "prompt": "Translate the second line.",
        "turns": [{"tools": [tool("Read", file_path="{{CWD}}/" + FILE)]}, {"tools": [edit]},
                  {"tools": [tool("Bash", command="%s message %s '%s'" % (house.throughline.binary, first[:8], WORDS))]},
                  {"text": "Waiting."}],
        "expect": {"result": "Waiting", "file": {FILE: "uno\ntwo"}}}, client)
    finish(house, "third-is-done")
    one, two = one.over(), two.over()
    checks.nothing("the third did what it was asked to, and its edit was not made", run["failures"])
    for name, other in (("first", one), ("second", two)):
        checks.nothing("the %s did what it was asked to" % name, other["failures"])
    said = requests(run)
    met = "".join(notes(said[0], "register-session"))
    checks.that("its start hears of both, each with its goal and its file",
                all(word in met for word in (one["session_id"][:8], two["session_id"][:8], GOAL, OTHER, FILE, SECOND)), met)
    of_two = "".join(notes(requests(two)[0], "register-session"))
    checks.that("the second's start had heard of the first", one["session_id"][:8] in of_two and GOAL in of_two, of_two)
    refused = said[2] if len(said) > 2 else ""
    checks.that("the refusal says who holds it, on which lines and until when",
                "is held by another session: session %s" % one["session_id"][:8] in refused and "on line 1" in refused and
                "its lease ends in" in refused and "throughline claims release" in refused, refused[-2000:])
    checks.that("and a note for what", GOAL in "".join(notes(refused, "claim-files")), refused[-2000:])
    heard = requests(one)
    message = "".join(notes(heard[-1], "deliver-messages"))
    checks.that("the first hears the message with its next prompt, from the third",
                WORDS in message and "from session %s" % run["session_id"][:8] in message, message or heard[-1][-1500:])
    checks.that("once", sum(text.count(WORDS) for text in heard) == 1, [text.count(WORDS) for text in heard])
    checks.that("and nobody else does", not any(WORDS in text for text in requests(two)))
    listed = house.throughline.lines("message", "--list", "--json")
    checks.that("it is listed as said", len(listed) == 1 and listed[0]["delivered_at"] and listed[0]["from"] == run["session_id"], listed)


STORIES = {"claims": claims, "three-sessions": three}
