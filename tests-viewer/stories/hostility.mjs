// The corpus of hostile.mjs, stored through hooks in every field a hook can carry: every view shows it as the text it is.
// The watcher of browser.mjs sees dialogs, requests, errors and violations; here the page itself is searched for anything
// that came to be from it.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { settled, visit } from "../browser.mjs";
import { CORPUS, ELSEWHERE, store } from "../hostile.mjs";
import { eventually } from "../house.mjs";

/** Ends a list that never ends. */
const MOST_SCREENS = 200;

/** Sources whose names and words are of the corpus. */
const CODE = "hostile-code";

async function code(house) {
  const folder = await house.folder("work", CODE);
  for (const [number, text] of CORPUS.entries()) {
    const name = Buffer.from(text.replaceAll("/", "∕").replaceAll("\u0000", "")).subarray(0, 180).toString("utf8").replaceAll("\ufffd", "");
    const quoted = JSON.stringify(text.replaceAll("\n", " "));
    await writeFile(join(folder, `${name}.py`), `import hostile_${number + 1}\nTEXT = ${quoted}\ndef f_${number}(a=${quoted}):\n    return a\n`);
  }
  await house.hook({ session_id: "of-the-code", transcript_path: "/nowhere.jsonl", cwd: folder, hook_event_name: "SessionStart", source: "startup" });
}

async function fill(house) {
  await house.start();
  await code(house);
  await store(house);
  await eventually("the last of it is learned", async () => (await house.get("/api/v1/memories?limit=1&count=true")).total >= CORPUS.length, 60_000);
}

/** Elements, attributes and addresses that only the corpus could have made. */
function intruders(elsewhere) {
  const found = [];
  const say = (element, why) => found.push(`${why}: ${element.outerHTML.slice(0, 200)}`);
  if (document.title.includes("owned") || document.body.dataset.owned) found.push("the page is owned");
  for (const element of document.querySelectorAll("*")) {
    const tag = element.localName;
    if (tag === "script" && new URL(element.src, location.href).pathname !== "/assets/app.js") say(element, "a script");
    if (tag === "link" && new URL(element.href, location.href).origin !== location.origin) say(element, "a link elsewhere");
    if (tag === "img" && new URL(element.src, location.href).pathname !== "/assets/icon.svg") say(element, "an image");
    if (["iframe", "object", "embed", "base", "style", "marquee", "video", "audio", "math", "template", "foreignobject", "plaintext", "xss-element", "mtext", "animate", "source"].includes(tag)) say(element, "an element");
    if (tag === "noscript" && element.parentElement !== document.body) say(element, "an element");
    if (element.shadowRoot) say(element, "a shadow");
    for (const { name, value } of element.attributes) {
      if (/^on/i.test(name)) say(element, `a handler ${name}`);
      if (["href", "src", "srcset", "action", "formaction", "data", "xlink:href"].includes(name)) {
        const address = new URL(value.split(" ")[0], location.href);
        if (address.origin !== location.origin || !/^https?:$/.test(address.protocol)) say(element, `an address ${name}`);
      }
      if (name === "style" && /url\(|elsewhere|expression/i.test(value)) say(element, "a style");
    }
  }
  if ([...document.styleSheets].some((sheet) => sheet.href && !sheet.href.startsWith(location.origin))) found.push("a style sheet");
  if (performance.getEntriesByType("resource").some((entry) => entry.name.includes(elsewhere))) found.push("a request");
  return found;
}

/** What is left of a text when invisible letters and white space are not compared. */
const plain = (text) => text.normalize("NFC").replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd\ufffe]/gu, "");

/** Scrolls every list of the view from its top to its end, and looks after each screen. */
async function scroll(page, look) {
  await look();
  for (let screen = 0; screen < MOST_SCREENS; screen += 1) {
    const moved = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll("*")].filter((element) => element.scrollHeight > element.clientHeight + 4 && /auto|scroll/.test(getComputedStyle(element).overflowY));
      return boxes.map((box) => {
        const before = box.scrollTop;
        box.scrollTop += box.clientHeight * 0.8;
        return box.scrollTop > before + 1;
      }).some(Boolean);
    });
    if (!moved) return;
    await settled(page);
    await look();
  }
}

export async function text_is_text(checks, world) {
  const house = await world.house(fill);
  const { page, seen } = await world.person(house);
  const found = [];
  const marks = new Map();
  let here = "";
  const look = async () => {
    found.push(...(await page.evaluate(intruders, ELSEWHERE)).map((line) => `${here}: ${line}`));
    const text = await page.evaluate(() => document.body.textContent);
    for (const [, number] of text.matchAll(/hostile-(\d+) /g)) {
      if (!marks.has(here)) marks.set(here, new Set());
      marks.get(here).add(Number(number));
    }
  };
  const walk = async (address, goes = true) => {
    here = address.split("/")[0].split("?")[0];
    await visit(page, address);
    if (goes) await scroll(page, look);
    else await look();
  };
  for (const address of ["live", "sessions", "search?q=hostile+script+alert", "memories", "now", "map", "charts", "settings", "health", "preview"]) await walk(address);
  // The code map of a folder in which every name is somebody else's idea.
  const folders = (await house.get("/api/v1/workspaces?limit=500")).items;
  const hostile = folders.find((one) => one.root.endsWith(`/${CODE}`));
  marks.delete("map");
  await walk(`map?show=modules&unit=files&workspace=${hostile.key}`);
  await page.locator(".modules svg").waitFor();
  await look();
  checks.that("the picture of modules shows it, too", (marks.get("map")?.size ?? 0) >= 40, marks.get("map")?.size);
  const first = page.locator(".map-open").first();
  await first.click();
  await page.locator(".outline-list").waitFor();
  await look();
  const least = CORPUS.length * 0.9;
  for (const view of ["sessions", "memories"]) {
    checks.that(`the list of ${view} shows the corpus as text`, (marks.get(view)?.size ?? 0) >= least, [...(marks.get(view) ?? [])].length);
  }
  checks.that("who holds what shows it, too", (marks.get("now")?.size ?? 0) > 0);

  // Each memory and each session alone: all of its text is there, to the letter.
  const { items } = await house.get("/api/v1/memories?limit=500");
  const kept = items.filter((memory) => memory.written_by !== "agent" && /^hostile-\d+ /.test(memory.title));
  const altered = [];
  for (const memory of kept.slice(0, CORPUS.length)) {
    await walk(`memories/${memory.id}`, false);
    const whole = await house.get(`/api/v1/memories/${memory.id}`);
    const shown = plain(await page.evaluate(() => document.querySelector("[data-view]").textContent + [...document.querySelectorAll("textarea, input")].map((field) => field.value).join(" ")));
    if (!shown.includes(plain(whole.text)) || !shown.includes(plain(whole.title))) altered.push(whole.title);
  }
  checks.that("every one has a page", kept.length >= least, kept.length);
  checks.nothing("and is shown to the letter", altered);
  for (const [number, text] of CORPUS.entries()) {
    // The same fields hold all of them; every third session is enough to look at alone.
    if (number % 3 > 0) continue;
    await walk(`sessions/hostile-session-${String(number).padStart(3, "0")}`, number % 9 === 0);
    const shown = plain(await page.evaluate(() => document.querySelector("[data-view]").textContent));
    if (!shown.includes(plain(text).slice(0, 120))) altered.push(`session: ${text.slice(0, 80)}`);
  }
  checks.nothing("sessions show their prompts to the letter", altered.filter((line) => line.startsWith("session: ")));
  await visit(page, "preview");
  checks.nothing("nothing came to be from it", found);
  checks.nothing("nothing was said, asked or refused", seen);
  // Whoever looks would see it.
  await page.evaluate(() => document.querySelector("[data-view]").insertAdjacentHTML("beforeend", "<img src=x onerror=alert(1)>"));
  await eventually("the handler is refused", () => seen.some((line) => line.startsWith("policy: ")));
  checks.that("an intruder would have been seen", (await page.evaluate(intruders, ELSEWHERE)).length === 2);
  seen.length = 0;
  world.report(`${CORPUS.length} hostile strings in ${[...marks.values()].reduce((sum, set) => sum + set.size, 0)} places of ${marks.size} views`);
}
