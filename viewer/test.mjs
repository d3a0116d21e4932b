// Bundles every `*.test.ts` and runs it with Node's own test runner: what can be tested without a browser.

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const files = (await readdir(join(here, "src"), { recursive: true })).filter((file) => file.endsWith(".test.ts"));
const folder = await mkdtemp(join(tmpdir(), "throughline-viewer-"));
try {
  await build({
    absWorkingDir: here,
    entryPoints: files.map((file) => join("src", file)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  const tests = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".mjs"));
  const run = spawnSync(process.execPath, ["--test", ...tests.map((file) => join(folder, file))], { stdio: "inherit" });
  process.exitCode = run.status ?? 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
