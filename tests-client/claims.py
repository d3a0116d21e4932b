"""Two sessions of the real client and one file: the second editor's model is told who holds it, and edits on."""
import os
import threading
import time

from recall import notes, requests
from scenarios import BYPASS, tool

GOAL = "Port the parser to the new grammar."
FILE = "parser.txt"


def holder():
    """Edits the file and stays, as somebody does who thinks about the next edit."""
    return {"files": {FILE: "one\ntwo\n"}, "args": BYPASS,
            "steps": [{"prompt": GOAL}, {"sh": "while [ ! -e second-is-done ] && [ $((waited += 1)) -lt 600 ]; do sleep 0.1; done"}],
            "turns": [{"tools": [tool("Read", file_path="{{CWD}}/" + FILE)]},
                      {"tools": [tool("Edit", file_path="{{CWD}}/" + FILE, old_string="one", new_string="uno")]},
                      {"text": "Begun."}],
            "expect": {"result": "Begun"}}


def second():
    edit = lambda old, new: tool("Edit", file_path="{{CWD}}/" + FILE, old_string=old, new_string=new)
    return {"args": BYPASS, "prompt": "Translate the second line.",
            "turns": [{"tools": [tool("Read", file_path="{{CWD}}/" + FILE)]}, {"tools": [edit("two", "due")]},
                      {"tools": [edit("due", "duo")]}, {"text": "Translated."}],
            "expect": {"result": "Translated", "file": {FILE: "uno\nduo"}}}


def claims(checks, house, client, canaries, ours):
    """The note is in the request after the first edit, and only there; the end of a session ends its claims."""
    first = []
    visit = threading.Thread(target=lambda: first.extend(house.play("holder", holder(), client)))
    visit.start()
    held = lambda: house.throughline.lines("claims", "list", "--all", "--json")
    until = time.time() + 30
    while time.time() < until and not held():
        time.sleep(0.1)
    listed = held()
    checks.that("the first editor holds the file", len(listed) == 1 and listed[0]["path"] == os.path.join(house.project, FILE), listed)
    run, = house.play("second", second(), client)
    open(os.path.join(house.project, "second-is-done"), "w").close()
    visit.join()
    checks.nothing("the second editor's edits were made", run["failures"])
    checks.nothing("the first did what it was asked to", first[0]["failures"] if first else ["it could not be run"])
    said = requests(run)
    told = [len(notes(text, "claim-files")) for text in said]
    checks.that("its model is told after the first edit, once", told == [0, 0, 1, 1], told)
    note = "".join(notes(said[-1], "claim-files"))
    checks.that("whose file it is and for what",
                first and first[0]["session_id"][:8] in note and GOAL in note and FILE in note, note or said[-1][-1500:])
    house.kept(ends=2)
    until = time.time() + 15
    while time.time() < until and held():
        time.sleep(0.1)
    checks.that("who has left holds nothing", not held(), held())


STORIES = {"claims": claims}
