// Builds the page into crates/web/assets (or into the folder named as the only argument). The same sources give the
// same bytes on every machine: no dates, no absolute paths, no source map, and the compiler's version is pinned.

import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const assets = resolve(process.argv[2] ?? join(here, "../crates/web/assets"));

await mkdir(assets, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { app: "src/main.tsx" },
  outdir: assets,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022", "chrome123", "firefox120", "safari17.5"],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
for (const file of ["index.html", "icon.svg"]) {
  await copyFile(join(here, "src", file), join(assets, file));
}
