"""The code map reaches the model of the real client: beside searches, reads, edits and imports, and never in their way."""
from recall import notes, requests
from scenarios import BYPASS, tool


def large(methods):
    """A class with many methods of ten lines each, as real files are."""
    lines = ["class Store:", '    """Keeps orders."""']
    for at in range(methods):
        lines += ["", "    def method_%d(self, order, limit=%d):" % (at, at), '        """Does %d."""' % at]
        lines += ["        order.step()  # one of several things that are done"] * 7
    return "\n".join(lines) + "\n"


FILES = {"shop/__init__.py": "", "shop/store.py": large(60),
         "shop/mail.py": "def send_receipt(to: str, order, *, copy: bool = False) -> None:\n    print(to, order, copy)\n",
         "shop/app.py": "from shop.store import Store\n\n\ndef run(order):\n    Store().method_42(order)\n"}
STORE = tool("Read", file_path="{{CWD}}/shop/store.py")
# The map is made when a session starts; while a person writes the second prompt it is finished.
GREETING = [{"prompt": "Good morning."}, {"sh": "sleep 2"}]


def assisted(checks, house, client, canaries, ours):
    """A search is answered, a large file comes with its outline, a new call with its signature, a bad import with the right one."""
    edit = tool("Edit", file_path="{{CWD}}/shop/app.py", old_string="    Store().method_42(order)",
                new_string="    Store().method_42(order)\n    send_receipt(order.mail, order)")
    import_ = tool("Edit", file_path="{{CWD}}/shop/app.py", old_string="from shop.store import Store",
                   new_string="from shop.store import Store\nfrom shop.mails import send_invoice")
    spec = {"files": FILES, "args": BYPASS, "steps": GREETING + [{"prompt": "Where is method_42, and who calls it?"}],
            "turns": [{"text": "Morning."},
                      {"tools": [tool("Bash", command="grep -rn 'method_42' shop | head -5")]},
                      {"tools": [STORE]}, {"tools": [STORE]},
                      {"tools": [tool("Edit", file_path="{{CWD}}/shop/app.py", old_string="from shop.store import Store",
                                      new_string="from shop.store import Store\nfrom shop.mail import send_receipt")]},
                      {"tools": [edit]}, {"tools": [import_]}, {"text": "There."}],
            "expect": {"result": "There", "file": {"shop/app.py": "send_receipt.order.mail"}}}
    run, = house.play("assisted", spec, client)
    checks.nothing("the client did what it was asked to", run["failures"])
    said = requests(run)
    found = "".join(notes(said[2], "route-searches"))
    checks.that("a search in a shell command is answered beside its output",
                "shop/store.py:" in found and "def method_42(self, order, limit=42)" in found and "shop/app.py:5 in run" in found, found or said[2][-1500:])
    checks.that("and its output is there", "shop/app.py:5:" in said[2], said[2][-800:])
    outline = "".join(notes(said[3], "map-reads"))
    checks.that("a large file comes with its outline", "Outline of shop/store.py" in outline and "class Store" in outline, outline or said[3][-1500:])
    checks.that("what was searched for first", 0 < outline.find("method_42") < outline.find("method_0 "), outline[:600])
    checks.that("and the file itself", "one of several things that are done" in said[3], "not read")
    again = notes(said[4], "map-reads")
    checks.that("a read of the same lines again is noted, not outlined again", len(again) == 2 and "did not change" in again[1], again[1:])
    signature = "".join(notes(said[6], "show-signatures"))
    checks.that("an edit that calls something new hears what it takes", "def send_receipt(to: str, order, *, copy: bool = False)" in signature, signature or said[6][-1500:])
    trouble = "".join(notes(said[7], "check-imports"))
    checks.that("an import that leads nowhere is told with the right one", "shop.mails" in trouble and "shop/mail.py" in trouble, trouble or said[7][-1500:])
    checks.nothing("and a good import is not spoken of", notes(said[5], "check-imports"))


def strict(checks, house, client, canaries, ours):
    """Who chose strict gets the whole outline for the first read, and the file for the second."""
    house.throughline.run("config", "set", "behaviors.map-reads", "strict")
    part = tool("Read", file_path="{{CWD}}/shop/store.py", offset=10, limit=20)
    spec = {"files": FILES, "args": BYPASS, "steps": GREETING + [{"prompt": "Read the store."}],
            "turns": [{"text": "Morning."}, {"tools": [STORE]}, {"tools": [part]}, {"tools": [STORE]}, {"text": "Read."}],
            "expect": {"result": "Read"}}
    run, = house.play("strict", spec, client)
    house.throughline.run("config", "set", "behaviors.map-reads", "assist")
    checks.nothing("the client did what it was asked to", run["failures"])
    said = requests(run)
    missing = [at for at in range(60) if "method_%d" % at not in said[2]]
    checks.that("the first read is answered with every definition", not missing and "same call again" in said[2], missing or said[2][-1500:])
    checks.that("and not with the file", "one of several things that are done" not in said[2], "it was read")
    checks.that("a part of it is read at once", said[3].count("one of several things") >= 10, said[3][-800:])
    checks.that("the same call again reads all of it", said[4].count("one of several things") > 400, said[4].count("one of several things"))


STORIES = {"code-map": assisted, "code-map-strict": strict}
