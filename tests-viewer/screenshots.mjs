// Pictures for the guide, of a made-up project: docs/guide/images/viewer-VIEW-THEME.png. Taken by hand when the viewer has
// changed: `cargo xtask view-test --screenshots`.

import { randomBytes } from "node:crypto";
import { copyFile, mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { Browser, settled, viewOf, visit, WIDE } from "./browser.mjs";
import { House } from "./house.mjs";
import { remember } from "./past.mjs";
import { live, SESSIONS, session, used } from "./world.mjs";

const FOLDER = resolve(dirname(fileURLToPath(import.meta.url)), "../docs/guide/images");
const LARGEST_KB = 200;
/** Paths are on the pictures: those of nobody's machine. Making it takes root, and it must not exist. */
const HOME = "/home/dev";

async function pictures(house) {
  // Made of work, so that it has evidence, and told since.
  const { items } = await house.get(`/api/v1/memories?kind=bugfix&session=${SESSIONS.fix}&limit=1`);
  const [memory] = items;
  return [
    ["live", "dark", "live", async () => {
      const base = session(house, SESSIONS.list);
      await house.hook({ ...base, hook_event_name: "UserPromptSubmit", prompt: "Tell the first in the waiting list when a booking is canceled." });
      // A secret that is nobody's: it is masked before it is written, and counted.
      const key = `ghp_${randomBytes(18).toString("hex")}`;
      for (const call of used(base, "Bash", { command: `deploy --dry-run --token ${key}` }, { stdout: "would restart 2 machines", stderr: "" })) await house.hook(call);
      for (const call of [...used(base, "Bash", { command: "cargo test --test waiting_list" }, { stdout: "test result: ok. 6 passed", stderr: "" })]) await house.hook(call);
    }],
    ["sessions", "light", "sessions"],
    ["session", "light", `sessions/${SESSIONS.list}`],
    ["search", "light", "search?q=why+did+two+boats+get+one+berth", async (page) => page.getByRole("button", { name: "Why is this here?" }).first().click()],
    ["memory", "light", `memories/${memory.id}`],
    ["preview", "dark", "preview", async (page) => {
      await page.getByRole("textbox", { name: "Prompt" }).fill("Two boats were given one berth again. Which lock prevents that?");
      await page.getByRole("button", { name: "Show what would be told" }).click();
      await page.locator(".preview-result").getByText("row lock").first().waitFor();
    }],
    ["now", "dark", "now"],
    ["map", "light", "map"],
    ["modules", "light", "map?show=modules", async (page) => page.locator("[data-box]").filter({ hasText: "src/booking" }).hover()],
    ["charts", "dark", "charts?range=30d"],
    ["settings", "light", "settings"],
    ["health", "light", "health"],
  ];
}

export async function take(binary, program) {
  const house = await House.build(binary, HOME);
  const browser = await Browser.open(program);
  try {
    await mkdir(FOLDER, { recursive: true });
    const programs = await house.folder(".local/bin");
    for (const name of ["throughline", "throughline-hook"]) await copyFile(join(dirname(binary), name), join(programs, name));
    house.binary = join(programs, "throughline");
    house.hookBinary = join(programs, "throughline-hook");
    await house.run("install", "--yes");
    await remember(house);
    // The day has a rule of its own, which a daemon reads when it starts.
    await house.run("daemon", "stop");
    await live(house);
    const people = {};
    for (const theme of ["light", "dark"]) {
      people[theme] = (await browser.person(await house.origin(), { colorScheme: theme, viewport: WIDE })).page;
      await people[theme].goto(await house.link());
    }
    let large = 0;
    for (const [name, theme, address, act] of await pictures(house)) {
      const page = people[theme];
      await visit(page, address);
      await act?.(page);
      await page.locator(`[data-view="${viewOf(address)}"]`).waitFor();
      await settled(page);
      await page.evaluate(() => new Promise((done) => setTimeout(done, 400)));
      const path = join(FOLDER, `viewer-${name}-${theme}.png`);
      await page.screenshot({ path, animations: "disabled", caret: "hide" });
      const size = (await stat(path)).size / 1024;
      large += size > LARGEST_KB ? 1 : 0;
      console.log(`${size > LARGEST_KB ? "LARGE " : ""}${path.slice(FOLDER.length + 1)}: ${size.toFixed(0)} kB`);
    }
    console.log(`view test: 12 checks held, ${large} failed`);
    return large > 0 ? 1 : 0;
  } finally {
    await browser.close();
    await house.leave(false);
  }
}
