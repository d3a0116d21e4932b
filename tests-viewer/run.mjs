#!/usr/bin/env node
// The viewer in a real browser, against a real daemon, with data that real hooks delivered.
//
//     run.mjs --throughline BIN [--only STORY]... [--list] [--keep] [--fetch] [--screenshots] [--bench]
//
// Started by `cargo xtask view-test`. playwright-core and axe-core are fetched by npm as the lock file names them; the
// browser is Debian's Chromium, installed with apt where that is possible. What cannot be had is not tested: exit code 77.
// A story is a function of (checks, world); what the page does that no page may do counts against the story it does it in.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HERE = dirname(fileURLToPath(import.meta.url));
const SKIPPED = 77;
const FETCH_MS = 300_000;

const { values: options } = parseArgs({
  options: {
    throughline: { type: "string" },
    only: { type: "string", multiple: true, default: [] },
    list: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    fetch: { type: "boolean", default: false },
    screenshots: { type: "boolean", default: false },
    bench: { type: "boolean", default: false },
  },
});

/** Whether the pinned packages are here, from before or from npm. */
function packages() {
  const wanted = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8")).devDependencies;
  const there = () =>
    Object.entries(wanted).every(([name, version]) => {
      const file = join(HERE, "node_modules", name, "package.json");
      return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version === version;
    });
  if (!there()) {
    try {
      execFileSync("npm", ["ci", "--silent", "--ignore-scripts"], { cwd: HERE, timeout: FETCH_MS, stdio: "ignore" });
    } catch (error) {
      console.log(`npm cannot fetch playwright-core and axe-core: ${error.message}`);
    }
  }
  return there();
}

class Checks {
  held = 0;
  failed = [];

  that(sentence, holds, why = "") {
    if (holds) this.held += 1;
    else this.failed.push(sentence);
    const words = typeof why === "string" ? why : JSON.stringify(why);
    console.log(holds ? `  ok    ${sentence}` : `  FAIL  ${sentence}\n        ${words.slice(0, 4000)}`);
  }

  nothing(sentence, findings) {
    this.that(sentence, findings.length === 0, [...new Set(findings)].slice(0, 20).join("\n        "));
  }
}

async function main() {
  const npm = packages();
  const browser = npm && (await import("./browser.mjs"));
  const program = browser && browser.program();
  if (!program) {
    console.log(`SKIPPED: ${npm ? "there is no Chromium" : "npm cannot be reached"}; the viewer is not tested`);
    return SKIPPED;
  }
  if (options.fetch) return 0;
  const { STORIES, World } = await import("./stories.mjs");
  const binary = resolve(options.throughline);
  if (options.list) {
    console.log(STORIES.map((story) => story.name).join("\n"));
    return 0;
  }
  const began = Date.now();
  if (options.screenshots) return (await import("./screenshots.mjs")).take(binary, program);
  if (options.bench) return (await import("./bench.mjs")).measure(binary, program);
  const checks = new Checks();
  const world = new World(binary, program);
  try {
    for (const story of STORIES) {
      if (options.only.length > 0 && !options.only.includes(story.name)) continue;
      const from = Date.now();
      console.log(`${story.name}:`);
      try {
        await story(checks, world);
      } catch (trouble) {
        checks.that(`the story ${story.name} can be told to its end`, false, trouble.stack ?? String(trouble));
      }
      checks.nothing("nothing happened on the page that must not", await world.leaveStory());
      console.log(`        ${((Date.now() - from) / 1000).toFixed(1)} s`);
    }
  } finally {
    await world.end(options.keep);
  }
  for (const line of world.numbers) console.log(`number: ${line}`);
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`view test: ${checks.held} checks held, ${checks.failed.length} failed, ${seconds} s`);
  return checks.failed.length > 0 ? 1 : 0;
}

process.exitCode = await main();
