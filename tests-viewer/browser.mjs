// Debian's Chromium with somebody who watches: dialogs, requests to anywhere else, errors on the console, violations of the
// page's own policy. Whatever is seen counts against the story in which it is seen.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { eventually } from "./house.mjs";

const require = createRequire(import.meta.url);
const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
// What apt needs over a slow line.
const FETCH_MS = 300_000;

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 375, height: 812 };
export const PATIENCE_MS = 30_000;

/** The browser's program, installed if it can be; null where it cannot. */
export function program() {
  const found = () => PROGRAMS.find((path) => existsSync(path)) ?? null;
  if (!found() && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    const apt = (...words) => execFileSync("apt-get", ["-qq", ...words], { timeout: FETCH_MS, stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
    try {
      apt("update");
      apt("install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core");
    } catch (error) {
      console.log(`apt cannot install chromium: ${error.message}`);
    }
  }
  return found();
}

export class Browser {
  static async open(program) {
    const { chromium } = require("playwright-core");
    const browser = new Browser();
    browser.chromium = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu"] });
    return browser;
  }

  /** A person of their own: no cookie, no history. `seen` collects what must not be. */
  async person(origin, options = {}) {
    const context = await this.chromium.newContext({ viewport: WIDE, reducedMotion: "reduce", colorScheme: "light", ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const seen = [];
    await page.exposeFunction("sawViolation", (what) => seen.push(`policy: ${what}`));
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => window.sawViolation(`${event.violatedDirective} ${event.blockedURI}`));
    });
    page.on("dialog", async (dialog) => {
      seen.push(`dialog: ${dialog.message()}`);
      await dialog.dismiss();
    });
    page.on("console", (message) => {
      if (message.type() === "error") seen.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => seen.push(`error: ${error.message}`));
    const waiting = new Set();
    pending.set(page, waiting);
    context.on("requestfinished", (request) => waiting.delete(request));
    context.on("requestfailed", (request) => waiting.delete(request));
    context.on("request", (request) => {
      // The stream is answered as long as the page is open.
      if (!request.url().includes("/stream")) waiting.add(request);
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("blob:")) seen.push(`request: ${request.url()}`);
    });
    context.on("page", (other) => {
      if (other !== page) seen.push(`window: ${other.url()}`);
    });
    return { context, page, seen };
  }

  close() {
    return this.chromium.close();
  }
}

/** What each page has asked for and not been given yet. */
const pending = new WeakMap();

/** Waits until a page has all it asked for and has drawn it. */
export async function settled(page) {
  const frames = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
  await eventually("the page has what it asked for", async () => {
    await frames();
    if (pending.get(page).size > 0) return false;
    await frames();
    return pending.get(page).size === 0 && page.evaluate(() => !document.querySelector('.waiting, [aria-busy="true"]'));
  });
}

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Serious and critical findings, one line each. */
export async function barriers(page) {
  // Evaluated by the debugger, not by the page: its policy stays as it is.
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  const grave = found.violations.filter((one) => one.impact === "serious" || one.impact === "critical");
  return grave.map((one) => `${one.id} (${one.impact}): ${one.nodes.length} × ${one.nodes[0].target.join(" ")} ${one.nodes[0].failureSummary ?? ""}`.replace(/\s+/g, " "));
}

/** Goes to a view by its address and waits until it is there and has what it asked for. */
export async function visit(page, address) {
  await page.evaluate((address) => (window.location.hash = address), `#/${address}`);
  const view = viewOf(address);
  await page.locator(`[data-view="${view}"]`).waitFor();
  await settled(page);
}

export function viewOf(address) {
  const [view, id] = address.split("?")[0].split("/");
  return id ? { sessions: "session", memories: "memory" }[view] : view;
}

/** A browser tells its console of every answer that is a refusal; where the story wants one, that is no trouble. */
export function expected(seen, what) {
  seen.splice(0, seen.length, ...seen.filter((line) => !(line.startsWith("console: Failed to load resource") && what.test(line))));
}
