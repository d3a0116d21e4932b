// An empty home with a real daemon in it, and the ways into it: hooks, the command line, the API. Nothing of the person's
// environment comes along but where programs are.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile, chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

// One command, on a machine that does other things as well.
const PATIENCE_MS = 60_000;
const LOOK_MS = 20;

export class House {
  patience = PATIENCE_MS;

  /** In a folder of its own under the system's temporary one, or at a home that must not exist yet. */
  static async build(binary, home = null) {
    const house = new House();
    house.binary = binary;
    house.hookBinary = join(dirname(binary), "throughline-hook");
    if (home) await mkdir(home, { mode: 0o700 });
    house.home = home ?? (await mkdtemp(join(tmpdir(), "tests-viewer-")));
    house.project = await house.folder("work", "tidewater");
    return house;
  }

  async folder(...parts) {
    const path = join(this.home, ...parts);
    await mkdir(path, { recursive: true });
    return path;
  }

  get env() {
    return { HOME: this.home, PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };
  }

  /** What a program prints; it must end well. */
  #start(program, words, { stdin = "", cwd = this.project, fails = false } = {}) {
    return new Promise((resolve, reject) => {
      const options = { env: this.env, cwd, timeout: this.patience, maxBuffer: 64 << 20 };
      const child = execFile(program, words, options, (error, stdout, stderr) => {
        if (error && !fails) reject(new Error(`${words.join(" ")}: ${stderr || error.message}`));
        else resolve(stdout);
      });
      // Whoever does not read may have ended by now.
      child.stdin.on("error", () => {});
      child.stdin.end(stdin);
    });
  }

  run(...words) {
    return this.#start(this.binary, words);
  }

  /** Whether it ends well or not. */
  attempt(...words) {
    return this.#start(this.binary, words, { fails: true });
  }

  async json(...words) {
    return JSON.parse(await this.run(...words));
  }

  /** One hook call, as an agent makes it; what the agent is told. */
  async hook(envelope, agent = "claude-code") {
    const said = await this.#start(this.hookBinary, ["--agent", agent, envelope.hook_event_name], { stdin: JSON.stringify(envelope) });
    return said ? JSON.parse(said) : null;
  }

  start() {
    return this.run("daemon", "start");
  }

  async said(name) {
    return (await readFile(join(this.home, ".throughline/default/run", name), "ascii")).trim();
  }

  async origin() {
    return `http://127.0.0.1:${await this.said("port")}`;
  }

  /** A question to the API by token; the answer's JSON. Anything but success is an error unless a status is wanted. */
  async ask(method, path, body, wanted = null) {
    const headers = { authorization: `Bearer ${await this.said("token")}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    const answer = await fetch((await this.origin()) + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (wanted === null ? !answer.ok : answer.status !== wanted) {
      throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
    }
    return text ? JSON.parse(text) : null;
  }

  get(path) {
    return this.ask("GET", path);
  }

  /** The address a person opens; good for one visit. */
  async link() {
    return (await this.run("view", "--print")).trim().split(/\s+/).find((word) => word.startsWith("http"));
  }

  /** A person's own rule that refuses what has these words in it. */
  async refuse(words, reason) {
    const folder = await this.folder(".throughline/default/rules", "no-force-push");
    await writeFile(join(folder, "rule.toml"), 'kind = "command"\non = ["PreToolUse"]\ntools = ["Bash"]\n');
    const program = `#!/bin/sh\ncase $(cat) in *'${words}'*) echo '{"deny":"${reason}"}';; esac\n`;
    await writeFile(join(folder, "run"), program);
    await chmod(join(folder, "run"), 0o700);
  }

  async leave(keep) {
    await this.attempt("daemon", "stop");
    if (keep) console.log(`kept: ${this.home}`);
    else await rm(this.home, { recursive: true, force: true });
  }
}

/** Waits for something to become true; what it became. */
export async function eventually(what, look, patience = 60_000) {
  const until = Date.now() + patience;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > until) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
