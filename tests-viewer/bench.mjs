// What a person waits for when there is much: 100,000 memories in the list, and from a key or a wheel to the next paint.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Browser, visit } from "./browser.mjs";
import { eventually, House } from "./house.mjs";

const MANY = 100_000;
const ROUNDS = 40;
const INTERACTION_MS = 100;
const IMPORT_MS = 600_000;

async function fill(house) {
  await house.start();
  await house.run("model", "pause");
  const words = "berth tide lock booking harbor night boat crane buoy pier wind list mail deploy table row".split(" ");
  const lines = [];
  for (let number = 0; number < MANY; number += 1) {
    const text = Array.from({ length: 24 }, (_, at) => words[(number * 7 + at * 11 + ((number >> 4) * at) % 13) % words.length]).join(" ");
    lines.push(JSON.stringify({ id: `m-${number}`, text: `Number ${number}: ${text}`, ts: 1_760_000_000_000 + number * 60_000, project: `project-${number % 7}` }));
  }
  const file = join(house.home, "many.jsonl");
  await writeFile(file, lines.join("\n"));
  await house.run("import", "--jsonl", file, "--json");
  await eventually("all of it is in the list", async () => (await house.get("/api/v1/memories?limit=1&count=true")).total >= MANY, IMPORT_MS);
}

/** Does something in the page and waits for the frame that shows it, with nothing left to load. */
const painted = (page, act, argument) =>
  page.evaluate(
    ([act, argument]) => {
      const list = () => [...document.querySelectorAll("*")].find((one) => one.scrollHeight > one.clientHeight + 1000 && /auto|scroll/.test(getComputedStyle(one).overflowY));
      const acts = {
        notch: () => (list().scrollTop += 120),
        jump: () => (list().scrollTop = argument * list().scrollHeight),
        next: () => window.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true })),
        view: () => (location.hash = argument % 2 ? "#/memories" : "#/settings"),
        letter: () => {
          const box = document.querySelector("input[type=search]");
          box.value = `tide lock ${argument}`;
          box.dispatchEvent(new Event("input", { bubbles: true }));
        },
      };
      const begun = performance.now();
      acts[act]();
      return new Promise((resolve) => {
        const look = () => {
          if (document.querySelector('[aria-busy="true"]')) requestAnimationFrame(look);
          else setTimeout(() => resolve(performance.now() - begun));
        };
        requestAnimationFrame(look);
      });
    },
    [act, argument],
  );

function say(name, times) {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (percent) => sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))].toFixed(1);
  console.log(`| ${name} | ${sorted.length} | ${at(50)} | ${at(95)} |`);
  return Number(at(95));
}

export async function measure(binary, program) {
  const house = await House.build(binary);
  const browser = await Browser.open(program);
  try {
    house.patience = IMPORT_MS;
    await fill(house);
    const { page } = await browser.person(await house.origin());
    await page.goto(await house.link());
    await visit(page, "memories");
    await page.locator('[data-view="memories"] [data-id]').first().waitFor();
    console.log(`| with ${MANY} memories | runs | p50 ms | p95 ms |\n| --- | --- | --- | --- |`);
    const results = [];
    const rounds = async (name, act, argument) => {
      const times = [];
      for (let round = 0; round < ROUNDS; round += 1) times.push(await painted(page, act, argument?.(round)));
      results.push(say(name, times));
    };
    await rounds("the wheel, one notch", "notch");
    await rounds("a jump to anywhere in the list", "jump", (round) => (round * 0.618) % 1);
    await rounds("j, the next row", "next");
    await rounds("another view and back", "view", (round) => round);
    await visit(page, "search");
    await rounds("a letter in the search box", "letter", (round) => round);
    const missed = results.filter((time) => time > INTERACTION_MS).length;
    console.log(`view bench: ${results.length - missed} of ${results.length} at most ${INTERACTION_MS} ms, p95`);
    console.log(`view test: ${results.length} checks held, ${missed} failed`);
    return 0;
  } finally {
    await browser.close();
    await house.leave(false);
  }
}
