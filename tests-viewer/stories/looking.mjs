// Looking and going about: who may come in, every view with its data, both themes, a phone, and no mouse at all.

import { gzipSync } from "node:zlib";

import { barriers, expected, PHONE, settled, viewOf, visit, WIDE } from "../browser.mjs";
import { eventually } from "../house.mjs";
import { SESSIONS } from "../world.mjs";

const BUNDLE_KB = 250;
const FIRST_PAINT_MS = 300;

/** Every view, and words that must be read there. */
async function views(house) {
  const memory = await memoryNamed(house, "Booking takes the berth's row lock first");
  return [
    ["live", []],
    ["sessions", ["tidewater", "waiting list"]],
    [`sessions/${SESSIONS.fix}`, ["Two boats got berth 12", "cargo test --test booking", "booking.rs"]],
    [`sessions/${SESSIONS.list}`, ["Add a waiting list", "Explore", "rewrite history", /^The table and the type are there$/]],
    ["search?q=two+requests+for+one+berth", ["Booking takes the berth's row lock first"]],
    ["memories", ["Staging sends no mail", "The tide table ends in March"]],
    [`memories/${memory.id}`, ["Booking takes the berth's row lock first", "availability was read before"]],
    ["preview", []],
    ["now", ["booking.rs"]],
    ["patterns", []],
    ["map", ["src"]],
    ["map?show=modules", ["src/web", "page/api"]],
    ["map?show=modules&at=src&unit=files&file=src/db/berths.rs", ["db/pool.rs", "pub fn lock(berth: u32) -> u32"]],
    ["charts", []],
    ["settings", ["recall.prompt-tokens", "recall-on-prompt"]],
    ["health", ["throughline install"]],
  ];
}

export async function memoryNamed(house, title) {
  const { items } = await house.get("/api/v1/memories?limit=500");
  return items.find((memory) => memory.title === title);
}

export async function the_door(checks, world) {
  const house = await world.house();
  const origin = await house.origin();
  const link = await house.link();
  const { page, context } = await world.stranger(house);
  await page.goto(link);
  await page.locator("[data-view]").first().waitFor();
  checks.that("the link leads to the page and is gone from the address", page.url().startsWith(`${origin}/`) && !page.url().includes(new URL(link).pathname.split("/").pop()), page.url());
  const [cookie] = await context.cookies();
  checks.that("the cookie is the daemon's alone", cookie.httpOnly && cookie.sameSite === "Strict" && !cookie.value.includes(await house.said("token")), cookie);
  checks.that("the cookie goes with the window", cookie.expires === -1, cookie);
  // What another program gets that has copied the browser's cookies, while the page is open.
  const copied = await Promise.all(["/api/v1/memories", "/api/v1/stream", "/metrics"].map(async (path) => (await context.request.get(origin + path)).status()));
  const key = await context.request.post(`${origin}/api/v1/page-key`, { headers: { "X-Throughline": "viewer" } });
  checks.that("the cookie alone opens nothing that is remembered", [...copied, key.status()].every((status) => status === 401), [copied, key.status()]);
  await page.reload();
  await page.locator("[data-view]").first().waitFor();
  checks.that("a page that is loaded again goes on", (await page.getByText("throughline view").count()) === 0);
  const again = await fetch(link, { redirect: "manual" });
  checks.that("the link opens once", again.status >= 400, again.status);

  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.now());
  world.report(`first paint ${paint.toFixed(0)} ms (goal ${FIRST_PAINT_MS})`);
  const files = await page.evaluate(async () => {
    const names = ["/", ...performance.getEntriesByType("resource").map((entry) => new URL(entry.name).pathname)].filter((name) => name === "/" || name.startsWith("/assets/"));
    return Promise.all([...new Set(names)].map(async (name) => [name, await (await fetch(name)).text()]));
  });
  const size = files.reduce((sum, [, text]) => sum + gzipSync(text).length, 0) / 1024;
  world.report(`the page is ${size.toFixed(1)} kB gzip in ${files.length} files (goal ${BUNDLE_KB})`);
  checks.that(`the page is at most ${BUNDLE_KB} kB`, files.length >= 3 && size <= BUNDLE_KB, files.map(([name]) => name));
  const policy = (await page.request.get(`${origin}/`)).headers()["content-security-policy"] ?? "";
  checks.that("the page's policy allows nothing inline", policy.includes("default-src 'none'") && !policy.includes("unsafe"), policy);

  const stranger = await world.stranger(house);
  const answer = await stranger.page.goto(`${origin}/`);
  const shown = await stranger.page.content();
  checks.that("without the cookie nothing is seen", answer.status() === 401 && !shown.includes("tidewater") && shown.includes("throughline view"), shown.slice(0, 500));
  const statuses = await Promise.all(["/assets/app.js", "/api/v1/memories", "/api/v1/stream", "/api/v1/openapi.json", "/metrics"].map(async (path) => (await stranger.context.request.get(origin + path)).status()));
  checks.that("nor by asking for its parts", statuses.every((status) => status === 401), statuses);
  expected(stranger.seen, /status of 401/);
}

export async function every_view(checks, world) {
  const house = await world.house();
  const { page } = await world.person(house);
  for (const [address, words] of await views(house)) {
    await visit(page, address);
    const root = page.locator(`[data-view="${viewOf(address)}"]`);
    for (const wanted of words) {
      const found = await root.getByText(wanted).filter({ visible: true }).first().waitFor().then(() => true, () => false);
      checks.that(`${address} shows ${wanted}`, found, (await root.innerText()).slice(0, 1500));
    }
    checks.that(`${address} is named in the title`, (await page.title()).length > "throughline".length, await page.title());
    checks.that(`${address} fits ${WIDE.width} pixels`, await fits(page), await widest(page));
    checks.nothing(`${address} is open to everybody, in the light`, await barriers(page));
  }
}

export async function the_modules(checks, world) {
  const house = await world.house();
  const { page } = await world.person(house);
  await visit(page, "map");
  await page.getByRole("radiogroup", { name: "Show" }).getByText("Modules").click();
  const graph = page.getByRole("application", { name: "Folders and which uses which" });
  await graph.waitFor();
  const details = page.getByRole("complementary", { name: "Details" });
  const table = page.getByRole("region", { name: "Modules of this folder, as a table" });
  const rows = await table.locator("tbody tr").count();
  checks.that("every box is a row of the table", rows > 8 && rows === (await graph.locator("[data-box]").count()), rows);
  await graph.locator("[data-box]").filter({ hasText: "src/booking" }).hover();
  checks.that("a box that is pointed at says whom it uses", /Uses\s.*src\/db/s.test(await details.innerText()), await details.innerText());
  checks.that("and its lines stand out", (await graph.locator(".modules-line.modules-lit").count()) >= 4, await graph.locator(".modules-line.modules-lit").count());
  checks.that("a circle is marked", (await graph.locator(".module-circular").count()) === 2, await graph.locator(".module-circular").count());

  // Without a mouse: to a box, into it, to a file, to what it defines, and out again.
  await graph.focus();
  const said = () => graph.getByRole("status").innerText();
  for (const key of ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"]) await page.keyboard.press(key);
  await eventually("a box is named", async () => /lines/.test(await said()));
  checks.that("arrow keys walk from box to box, and each is said", /uses .+, used by /.test(await said()), await said());
  await page.keyboard.press("Enter");
  await eventually("the folder is gone into", async () => page.url().includes("at="));
  const files = page.getByRole("application", { name: "Files and which uses which" });
  await files.waitFor();
  await files.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const outline = page.locator(".outline-list");
  await outline.waitFor();
  checks.that("a file says what it defines, with lines", /^\d+(–\d+)?\s+(pub|export|fn|mod)/.test(await outline.innerText()), await outline.innerText());
  await files.focus();
  await page.keyboard.press("Escape");
  await outline.waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await eventually("the way leads out again", async () => !/at=src%2F/.test(page.url()));
  checks.that("Escape leads out again", true);
}

export async function in_the_dark(checks, world) {
  const house = await world.house();
  const { page } = await world.person(house, { colorScheme: "dark" });
  const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await color();
  for (const [address] of await views(house)) {
    await visit(page, address);
    checks.nothing(`${address} is open to everybody, in the dark`, await barriers(page));
  }
  // A color is there with the next frame.
  const turn = async () => {
    await page.keyboard.press("t");
    await settled(page);
  };
  await turn();
  const other = await color();
  checks.that("the theme follows the system until the person chooses", luminance(dark) < 0.2 && (luminance(other) > 0.8 || other === dark), [dark, other]);
  for (let press = 0; press < 3 && luminance(await color()) < 0.5; press += 1) await turn();
  const chosen = await color();
  await page.reload();
  await page.locator("[data-view]").first().waitFor();
  checks.that("what was chosen stays after a reload", (await color()) === chosen && luminance(chosen) > 0.8, [chosen, await color()]);
}

export async function on_a_phone(checks, world) {
  const house = await world.house();
  const { page } = await world.person(house, { viewport: PHONE, hasTouch: true, isMobile: true });
  for (const [address] of await views(house)) {
    await visit(page, address);
    checks.that(`${address} fits ${PHONE.width} pixels`, await fits(page), await widest(page));
  }
  await visit(page, "live");
  await page.getByRole("button", { name: "More" }).tap();
  await page.getByRole("dialog").getByRole("link", { name: "Health" }).tap();
  await page.locator('[data-view="health"]').waitFor();
  checks.that("every place can be reached with a thumb", true);
  checks.nothing("a phone is open to everybody", await barriers(page));
}

export async function by_keyboard(checks, world) {
  const house = await world.house();
  const { page } = await world.person(house);
  const keys = { l: "live", s: "sessions", n: "now", f: "search", m: "memories", p: "preview", a: "map", c: "charts", e: "settings", h: "health" };
  for (const [key, view] of Object.entries(keys)) {
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    const there = await page.locator(`[data-view="${view}"]`).waitFor().then(() => true, () => false);
    checks.that(`g ${key} goes to ${view}`, there, page.url());
  }
  await page.keyboard.press("?");
  const help = page.getByRole("dialog");
  await help.waitFor();
  checks.that("? shows the keys", (await help.innerText()).includes("Go to Sessions"), await page.innerText("body"));
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await page.locator('[data-view="sessions"] [data-id]').first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.locator('[data-view="session"]').waitFor();
  checks.that("j and Enter open a session", page.url().includes("#/sessions/"), page.url());
  await page.keyboard.press("/");
  await page.locator('[data-view="search"]').waitFor();
  await eventually("the box has the focus", () => page.evaluate(() => document.activeElement?.getAttribute("type") === "search"));
  checks.that("/ goes to the search box", true);
  await page.keyboard.type("waiting list mail on staging");
  await page.locator('[data-view="search"]').getByText("Staging sends no mail").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator('[data-view="memory"]').waitFor();
  checks.that("a hit is opened without a mouse", true);

  // Whoever walks with Tab alone sees where they are, and comes around.
  await visit(page, "memories");
  await page.reload();
  await page.locator('[data-view="memories"] [data-id]').first().waitFor();
  const stops = [];
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      const style = getComputedStyle(element);
      const ringed = style.outlineStyle !== "none" || style.boxShadow !== "none";
      return { what: element.outerHTML.slice(0, 80), body: element === document.body, ringed };
    });
    if (stop.body) break;
    stops.push(stop);
  }
  checks.that("Tab walks through the page and out of it", stops.length >= 10 && stops.length < 60, stops.map((stop) => stop.what));
  checks.nothing("every stop shows that it has the focus", stops.filter((stop) => !stop.ringed).map((stop) => stop.what));
}

const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth && document.body.scrollWidth <= window.innerWidth);

/** What sticks out, for whoever has to find it. */
const widest = (page) =>
  page.evaluate(() => [...document.querySelectorAll("*")].filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1).slice(0, 8).map((element) => `${element.tagName}.${element.className} ${Math.round(element.getBoundingClientRect().right)}`).join("\n"));

function luminance(color) {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / (color.startsWith("color(") ? 1 : 255);
}

export async function what_would_be_said(checks, world) {
  const house = await world.house();
  const { page } = await world.person(house);
  await visit(page, "preview");
  const view = page.locator('[data-view="preview"]');
  await view.getByRole("textbox", { name: "Prompt" }).fill("Two boats were given one berth again. Which lock prevents that?");
  const before = await house.get("/api/v1/injections?limit=1&count=true");
  await view.getByRole("button", { name: "Show what would be told" }).click();
  const result = view.locator(".preview-result");
  await result.getByText("Booking takes the berth's row lock first").first().waitFor();
  checks.that("what would be told is shown", true);
  checks.that("with what it costs", /\d+ tokens?/.test(await result.innerText()), await result.innerText());
  const after = await house.get("/api/v1/injections?limit=1&count=true");
  checks.that("and nobody was told", before.total === after.total, [before.total, after.total]);
  await view.getByText("Session starts").click();
  await result.getByText("The tide table ends in March").first().waitFor();
  checks.that("a session that starts is told what is critical", true);
}
