import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { npm } from "../release/npm.ts";
import { deadLinks } from "./check-links.ts";
import { demoReport, generatedPages } from "./generate.ts";

/*
 * Builds the site into `docs/site/dist`: the pages of `docs` as they are, those that are made of what the program says,
 * and the report of the demo. Ends with 1 where a link leads nowhere. `SITE_BASE` is where the site lies: `/evalcube/`.
 */

const SITE = fileURLToPath(new URL("../../docs/site/", import.meta.url));
const DIST = path.join(SITE, "dist");
const base = process.env["SITE_BASE"] ?? "/evalcube/";

if (!existsSync(path.join(SITE, "node_modules")))
  await npm(SITE, "ci", "--ignore-scripts", "--no-audit", "--no-fund");
await rm(DIST, { recursive: true, force: true });
await mkdir(path.join(SITE, ".vitepress/cache"), { recursive: true });
await writeFile(path.join(SITE, ".vitepress/cache/generated.json"), JSON.stringify(await generatedPages()));
const vitepress = path.join(SITE, "node_modules/vitepress/bin/vitepress.js");
const { stdout, stderr } = await promisify(execFile)(process.execPath, [vitepress, "build", SITE], {
  maxBuffer: 2 ** 26,
}).catch((error: { readonly stdout: string; readonly stderr: string }) => {
  process.exitCode = 1;
  return error;
});
process.stdout.write(stdout);
process.stderr.write(stderr);
if (process.exitCode !== 1) {
  await writeFile(path.join(DIST, "demo-report.html"), await demoReport());
  const dead = await deadLinks(DIST, base);
  for (const one of dead) process.stderr.write(`leads nowhere: ${one}\n`);
  if (dead.length > 0) process.exitCode = 1;
}
