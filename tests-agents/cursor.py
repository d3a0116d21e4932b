"""Cursor's agent as its vendor puts it on npm, without an account: it loads the hooks and the servers that the editor
loads, and fires the hooks around a turn. The turn itself needs Cursor's own servers and is not played, so the hooks of
tool calls follow the package's code alone."""
import os

import model

# Another version is another contract: change it together with the fixtures.
PACKAGE, VERSION = "@cursor/sdk", "1.0.32"
# An older Node crashes on what the package brings along.
ALSO = ["node@22.23.3"]
# What a person has before us, in a form of their own.
HOOKS = '{ "version": 1,\n  "hooks": {"stop": [ {"command": "touch %s"} ]}\n}\n'
# One turn of a local agent with the person's settings and the project's.
TURN = """
import { Agent, JsonlLocalAgentStore } from "@cursor/sdk"
const [project, state, prompt] = process.argv.slice(2)
const local = { cwd: project, store: new JsonlLocalAgentStore(state), settingSources: ["user", "project"], enableAgentRetries: false }
const agent = await Agent.create({ apiKey: "none", model: { id: "auto" }, local })
const run = await agent.send(prompt)
for await (const message of run.stream()) console.log(JSON.stringify(message))
console.log(agent.agentId)
process.exit(0)
"""


def client(folder):
    """The script has to lie where the package is found from."""
    path = os.path.join(folder, "turn.mjs")
    with open(path, "w", encoding="utf-8") as f:
        f.write(TURN)
    return [os.path.join(folder, "node_modules", "node", "bin", "node"), path]


class Refusing:
    """Cursor's servers as far as they are needed to be refused by them."""

    @staticmethod
    def is_turn(path, body):
        return False

    @staticmethod
    def reply(handler, path, body, turn):
        return model.send_json(handler, {})


def play(house, argv, prompt):
    served = model.Model(Refusing, [])
    done = house.run(argv + [house.project, os.path.join(house.folder, "state"), prompt], CURSOR_BACKEND_URL=served.url,
                     CURSOR_WEBSITE_URL=served.url, CURSOR_SDK_LOCAL_MODEL_CATALOG_JSON='[{"id":"auto","displayName":"Auto"}]')
    served.stop()
    return done


def fired(checks, house, argv, world):
    """The files are accepted as they are written, hooks fire around a turn, and an uninstall gives them back."""
    hooks, touched = house.path(".cursor", "hooks.json"), os.path.join(house.folder, "touched")
    house.write(hooks, HOOKS % touched)
    house.throughline.run("install", "--client", "cursor", "--yes")
    again = house.throughline.run("install", "--client", "cursor", "--yes")
    checks.that("a second install changes nothing", again.count("as it should be") == 2, again)
    code, out, err = play(house, argv, "Hello.")
    checks.that("the agent ran until its servers refused it", code == 0 and '"status":"ERROR"' in out, (code, out, err))
    entries = house.kept("sessionEnd", 1)
    events = [entry["event"] for entry in entries]
    # The last two are fired at once.
    checks.that("every event is in the journal once", sorted(events) ==
                ["beforeSubmitPrompt", "sessionEnd", "sessionStart", "stop"], (events, out, err))
    checks.that("under one session id, and as Cursor's", {entry["session"] for entry in entries} == {out.split()[-1]}
                and {entry["agent"] for entry in entries} == {"cursor"}, entries[:1])
    checks.that("the person's own hook ran, too", os.path.exists(touched))
    doctor = house.throughline.run("doctor", check=False)
    checks.that("the doctor knows", "hooks.json calls us on 10 events" in doctor, doctor)
    house.throughline.run("uninstall", "--client", "cursor", "--yes")
    checks.that("an uninstall gives the hooks back to the byte", house.read(hooks) == HOOKS % touched, house.read(hooks))
    checks.that("and takes the list of servers away", not os.path.exists(house.path(".cursor", "mcp.json")))


STORIES = [fired]
