// A page that stays open: what happens appears on it, a reload takes up where it was, and a daemon that comes back is found.

import { expected, visit } from "../browser.mjs";
import { eventually } from "../house.mjs";
import { session, used } from "../world.mjs";

const DELIVERY_MS = 50;
const EVENTS = 20;

/** Waits in the page for a text; the time by its own clock. */
function appears(page, text) {
  return page.evaluate(
    (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!document.body.innerText.includes(text)) return false;
          resolve(Date.now());
          return true;
        };
        if (look()) return;
        const observer = new MutationObserver(() => {
          if (look()) observer.disconnect();
        });
        observer.observe(document.body, { childList: true, subtree: true, characterData: true });
      }),
    text,
  );
}

export async function as_it_happens(checks, world) {
  const house = await world.house();
  const { page } = await world.person(house);
  await visit(page, "live");
  const base = session(house, "6f3f8f9c-0000-4000-8000-00000000live");
  await house.hook({ ...base, hook_event_name: "SessionStart", source: "startup" });
  const delays = [];
  for (let number = 0; number < EVENTS; number += 1) {
    const text = `Sail number ${number} of the regatta`;
    const seen = appears(page, text);
    const before = Date.now();
    await house.hook({ ...base, hook_event_name: "UserPromptSubmit", prompt: text });
    delays.push((await seen) - before);
  }
  delays.sort((one, other) => one - other);
  const [median, worst] = [delays[EVENTS >> 1], delays[Math.floor(EVENTS * 0.95)]];
  checks.that("prompts appear while they are written", delays.length === EVENTS);
  world.report(`hook started to text on the page: p50 ${median} ms, p95 ${worst} ms (goal after the commit ${DELIVERY_MS})`);

  for (const call of used(base, "Bash", { command: "make regatta" }, { stdout: "won", stderr: "" })) await house.hook(call);
  await appears(page, "make regatta");
  checks.that("tools appear", true);
  await house.ask("POST", "/api/v1/memories", { text: "The regatta starts at the breakwater, not at the pier.", title: "Where the regatta starts" });
  await appears(page, "Where the regatta starts");
  checks.that("memories appear when they are kept", true);

  await visit(page, "sessions");
  await house.hook({ ...session(house, "6f3f8f9c-0000-4000-8000-00000000new1"), hook_event_name: "UserPromptSubmit", prompt: "Paint the buoys yellow" });
  await appears(page, "Paint the buoys yellow");
  checks.that("a new session comes into the list of its own accord", true);

  await visit(page, "live");
  await page.reload();
  await page.locator('[data-view="live"]').waitFor();
  checks.that("a reload stays where it was", page.url().endsWith("#/live"), page.url());
  const text = "After the reload the wind turned";
  const seen = appears(page, text);
  await house.hook({ ...base, hook_event_name: "UserPromptSubmit", prompt: text });
  await seen;
  checks.that("and goes on hearing", true);
}

export async function the_daemon_comes_back(checks, world) {
  const house = await world.house();
  const person = await world.person(house);
  const { page, seen } = person;
  await visit(page, "live");
  const before = await house.json("daemon", "status", "--json");
  await house.run("daemon", "restart");
  const after = await house.json("daemon", "status", "--json");
  checks.that("the daemon is another one, at the same door", before.pid !== after.pid && before.port === after.port, [before, after]);
  const text = "After the restart the tide came in";
  const heard = appears(page, text);
  await house.hook({ ...session(house, "6f3f8f9c-0000-4000-8000-00000000back"), hook_event_name: "UserPromptSubmit", prompt: text });
  await heard;
  checks.that("the open page hears the new one", true);
  await visit(page, "memories");
  await page.locator('[data-view="memories"]').locator("[data-id]").first().waitFor();
  checks.that("and its cookie still opens the door", true);
  const banner = page.getByText("does not answer");
  await eventually("the page says that all is well", async () => (await banner.count()) === 0);
  expected(seen, /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
}
