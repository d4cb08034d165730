import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { bundle } from "./bundle.ts";
import { licencesOf } from "./licences.ts";

const ROOT = path.join(import.meta.dirname, "..");
const run = promisify(execFile);

/** Writes what is published of the code to `folder`: bundles, declarations, and the licences of what is in them. */
export async function buildPackage(folder: string): Promise<void> {
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const [inputs] = await Promise.all([
    bundle(folder),
    run(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", folder], { cwd: ROOT }),
  ]);
  await writeFile(path.join(folder, "THIRD-PARTY-LICENCES.txt"), licencesOf(ROOT, inputs));
}
