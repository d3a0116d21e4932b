// Setting things right: find, understand, write, correct, keep, replace, forget, and switch. What the page says it did is
// looked up where it must have happened: in the API, on the command line, in what the next agent is told.

import { expected, visit } from "../browser.mjs";
import { eventually } from "../house.mjs";
import { session } from "../world.mjs";
import { memoryNamed } from "./looking.mjs";

export async function search_and_explain(checks, world) {
  const house = await world.house();
  const { page } = await world.person(house);
  await visit(page, "search");
  const box = page.getByRole("searchbox", { name: "Search all memories" });
  await box.fill("why was a guest charged twice?");
  const view = page.locator('[data-view="search"]');
  const hit = view.locator("[data-id]").filter({ hasText: "Retrying a payment charged twice" });
  await hit.waitFor();
  checks.that("a question in other words finds what is meant", true);
  checks.that("the question is in the address, so that it can be kept", page.url().includes("charged"), page.url());
  await hit.getByRole("button", { name: "Why is this here?" }).click();
  const why = await hit.getByRole("table").innerText();
  checks.that("and it says why it is there", /says your words|means something close/i.test(why) && /\d/.test(why), why);
  await box.fill("zzyzx quux");
  await eventually("an answer without a hit", async () => /^0 hits|nothing/im.test(await view.innerText()));
  checks.that("what is not there is said to be not there", true);
  await box.fill("tide table");
  await view.getByText("The tide table ends in March").first().waitFor();
  await view.getByRole("link", { name: "The tide table ends in March" }).click();
  await page.locator('[data-view="memory"]').getByText("comes from the harbor office").waitFor();
  await page.goBack();
  await view.getByText("The tide table ends in March").first().waitFor();
  checks.that("back from a hit the question is still asked", (await box.inputValue()) === "tide table", await box.inputValue());
}

export async function a_memory_is_corrected(checks, world) {
  const house = await world.house();
  const { page, seen } = await world.person(house);
  const view = page.locator('[data-view="memory"]');

  // Written by hand
  await visit(page, "memories");
  await page.getByRole("button", { name: "New memory" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Text").fill("The crane is booked by telephone, not in the system.");
  await form.getByLabel(/^Title/).fill("How the crane is booked");
  await form.getByLabel("Project").fill("tidewater");
  await form.getByRole("button", { name: "Remember" }).click();
  await view.getByText("booked by telephone").waitFor();
  const written = await memoryNamed(house, "How the crane is booked");
  checks.that("what is written is kept", written?.project === "tidewater", written);

  // Corrected
  await page.keyboard.press("e");
  await view.getByLabel("Text").fill("The crane is booked by radio on channel 9.");
  await view.getByRole("button", { name: "Save" }).click();
  await view.getByText("by radio on channel 9").waitFor();
  const corrected = await house.get(`/api/v1/memories/${written.id}`);
  checks.that("what is corrected is kept", corrected.text.includes("channel 9") && !corrected.text.includes("telephone"), corrected);
  const found = await house.run("search", "how is the crane booked", "--json");
  checks.that("and found", found.includes("crane"), found);

  // Somebody was faster
  await view.getByRole("button", { name: "Edit" }).click();
  await house.ask("PATCH", `/api/v1/memories/${written.id}`, { text: "The crane is booked by radio on channel 10." });
  await view.getByLabel("Text").fill("The crane is not booked at all.");
  await view.getByRole("button", { name: "Save" }).click();
  await view.getByText("Somebody changed this memory meanwhile").waitFor();
  expected(seen, /status of 412/);
  const faster = await house.get(`/api/v1/memories/${written.id}`);
  checks.that("nobody's words are written over", faster.text.includes("channel 10"), faster.text);
  await view.getByRole("button", { name: "Load what is there now" }).click();
  await view.getByText("on channel 10").waitFor();

  // Said again meanwhile, in the same words: that is no change of theirs
  await view.getByRole("button", { name: "Edit" }).click();
  await house.ask("POST", "/api/v1/memories", { title: "How the crane is booked", text: "The crane is booked by radio on channel 10.", project: "tidewater" });
  await view.getByLabel("Text").fill("The crane is booked by radio on channel 11.");
  await view.getByRole("button", { name: "Save" }).click();
  await view.getByText("on channel 11").waitFor();
  checks.that("that it was said again refuses nobody", (await house.get(`/api/v1/memories/${written.id}`)).text.includes("channel 11"));

  // Not thrown away by a key
  await page.keyboard.press("e");
  await view.getByLabel("Text").fill("Half a sentence");
  await page.keyboard.press("Escape");
  checks.that("what is being written stays when Escape is pressed", (await view.getByLabel("Text").inputValue()) === "Half a sentence");
  await view.getByRole("button", { name: "Cancel" }).click();

  // Kept for good
  await view.getByRole("button", { name: "Pin" }).click();
  await view.getByRole("button", { name: "Pinned" }).waitFor();
  checks.that("what is pinned is pinned", (await house.get(`/api/v1/memories/${written.id}`)).pinned === true);

  // Replaced by another
  const old = await memoryNamed(house, "Snapshot tests of the week table are slow");
  await visit(page, `memories/${old.id}`);
  await view.getByRole("button", { name: "Supersede" }).click();
  await form.getByRole("searchbox").fill("how the crane is booked");
  await form.getByRole("radio").first().waitFor();
  await form.locator("label").filter({ hasText: "How the crane is booked" }).click();
  await form.getByRole("button", { name: "Supersede" }).click();
  await view.getByText("Another memory holds instead of this one").waitFor();
  const replaced = await house.get(`/api/v1/memories/${old.id}`);
  checks.that("what is superseded names what holds", replaced.superseded_by === written.id, replaced);
}

export async function a_memory_is_forgotten(checks, world) {
  const house = await world.house();
  const { page, seen } = await world.person(house);
  await house.ask("POST", "/api/v1/memories", { title: "The harbor master's birthday", text: "The harbor master turns sixty on the day of the regatta; nobody may know.", project: "tidewater" });
  const memory = await memoryNamed(house, "The harbor master's birthday");
  await visit(page, `memories/${memory.id}`);
  await page.locator('[data-view="memory"]').getByRole("button", { name: "Forget" }).click();
  const dialog = page.getByRole("dialog");
  checks.that("before it is forgotten it is said what goes", (await dialog.innerText()).includes("cannot be brought back"), await dialog.innerText());
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  checks.that("whoever thinks again has lost nothing", (await house.get(`/api/v1/memories/${memory.id}`)).id === memory.id);
  await page.locator('[data-view="memory"]').getByRole("button", { name: "Forget" }).click();
  await dialog.getByRole("button", { name: "Forget it for good" }).click();
  await page.locator('[data-view="memories"]').waitFor();
  await house.ask("GET", `/api/v1/memories/${memory.id}`, undefined, 404);
  const found = await house.get("/api/v1/search?q=harbor+master+birthday+sixty");
  checks.that("it is gone from the API and from search", !JSON.stringify(found).includes("sixty"), found);
  await visit(page, "search?q=harbor+master+birthday");
  await page.locator('[data-view="search"]').getByRole("status").filter({ hasText: /hit/ }).waitFor();
  checks.that("and from the page", !(await page.locator('[data-view="search"]').innerText()).includes("sixty"));
  const journal = await house.run("export");
  checks.that("and from the journal", !journal.includes("turns sixty"), journal.slice(0, 500));
  await visit(page, `memories/${memory.id}`);
  await page.getByText(/no such|not there|nothing|does not exist|gone|forgotten/i).first().waitFor();
  checks.that("its old address says so in words", true);
  expected(seen, /status of 404/);
}

export async function settings(checks, world) {
  const house = await world.house();
  const { page, seen } = await world.person(house);
  await visit(page, "settings");
  const view = page.locator('[data-view="settings"]');
  const row = (key) => view.locator(`[data-id="${key}"]`);
  const number = row("recall.prompt-tokens");
  await number.getByRole("spinbutton", { name: "recall.prompt-tokens" }).fill("350");
  await number.getByRole("button", { name: "Save" }).click();
  await eventually("the command line knows", async () => (await house.run("config", "get", "recall.prompt-tokens")).includes("350"));
  checks.that("a setting changed here is the one the command line knows", true);
  await number.getByText("your file").waitFor();
  checks.that("and says where it comes from", true);
  await number.getByRole("button", { name: /^Reset/ }).click();
  await eventually("it is back", async () => (await house.run("config", "get", "recall.prompt-tokens")).includes("400"));
  await number.getByText("your file").waitFor({ state: "detached" });
  checks.that("what was changed can be reset", true);
  await number.getByRole("spinbutton").fill("-5");
  await number.getByRole("button", { name: "Save" }).click();
  await number.getByRole("alert").waitFor();
  checks.that("what makes no sense is refused in words", (await number.getByRole("alert").innerText()).length > 10, await number.innerText());
  checks.that("and not written", (await house.run("config", "get", "recall.prompt-tokens")).includes("400"));
  expected(seen, /status of 4/);
  const address = row("embed.base-url");
  checks.that("an address is not changed from a page", (await address.getByRole("textbox").count()) === 0 && (await address.innerText()).includes("throughline config set"), await address.innerText());

  const behavior = row("recall-on-prompt");
  const asks = { ...session(house, "6f3f8f9c-0000-4000-8000-0000000asks1"), hook_event_name: "UserPromptSubmit", prompt: "Why were two boats given the same berth, and which lock prevents it?" };
  await behavior.locator("label").filter({ has: page.getByRole("switch") }).click();
  await eventually("it is off", async () => (await house.get("/api/v1/behaviors")).items.find((one) => one.name === "recall-on-prompt").on === false);
  const told = await house.hook(asks);
  checks.that("a behavior that is off says nothing", !JSON.stringify(told ?? "").includes("row lock"), told);
  await behavior.locator("label").filter({ has: page.getByRole("switch") }).click();
  await eventually("it is on", async () => (await house.get("/api/v1/behaviors")).items.find((one) => one.name === "recall-on-prompt").on === true);
  await eventually("it speaks again", async () => JSON.stringify((await house.hook({ ...asks, session_id: `6f3f8f9c-${Date.now()}` })) ?? "").includes("row lock"));
  checks.that("and speaks again when it is on", true);
}
