import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { readManifest, ROOT } from "./pack.ts";
import { notesOf, versionFaults } from "./versions.ts";

/*
 * Compares what states the version of a release: a tag such as `v0.2.0` where one is named, package.json, the lock file,
 * and the first heading of the changelog. `--notes FILE` writes what the changelog says of it.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { notes: { type: "string" } },
});
const { version } = await readManifest();
const lock = JSON.parse(await readFile(path.join(ROOT, "package-lock.json"), "utf8")) as {
  readonly version: string;
  readonly packages: { readonly "": { readonly version: string } };
};
const changelog = await readFile(path.join(ROOT, "CHANGELOG.md"), "utf8");
const notes = notesOf(changelog, version);
const faults = versionFaults({
  tag: positionals[0] ?? null,
  manifest: version,
  lock: [lock.version, lock.packages[""].version],
  changelog,
});
if (notes === null) faults.push(`CHANGELOG.md says nothing of ${version}.`);
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
else {
  if (values.notes !== undefined) await writeFile(values.notes, notes ?? "");
  process.stdout.write(`${version}: package.json, package-lock.json and CHANGELOG.md agree.\n`);
}
