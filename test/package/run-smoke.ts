import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { npm } from "../../build/release/npm.ts";
import { packPackage, ROOT } from "../../build/release/pack.ts";

/*
 * Packs the package, installs it with npm in an empty folder, without scripts, and runs the smoke there: what is known of
 * the package on a system where nothing else runs.
 */

const scratch = await mkdtemp(path.join(tmpdir(), "evalcube-smoke-"));
try {
  const tarball = await packPackage(scratch);
  const user = path.join(scratch, "user");
  await mkdir(user);
  await writeFile(path.join(user, "package.json"), '{ "name": "user", "private": true }\n');
  await npm(user, "install", "--ignore-scripts", "--no-audit", "--no-fund", tarball);
  await cp(path.join(ROOT, "test/package/smoke.mjs"), path.join(user, "smoke.mjs"));
  const { stdout } = await promisify(execFile)(process.execPath, ["smoke.mjs"], { cwd: user });
  process.stdout.write(`Node ${process.versions.node}, ${process.platform}: ${stdout}`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
