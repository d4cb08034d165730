import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { filesFaults, statedFaults } from "./agreement.ts";
import { installRuntimes, underRuntimes } from "./runtimes.ts";
import { checkedBy } from "./checkers.ts";
import { packPackage } from "./pack.ts";
import { tableOf, type Row } from "./rows.ts";
import { installedBy, typesIn } from "./users.ts";

/*
 * All of a release but the upload: packs, installs the tarball as users do, runs it and compiles against it, and prints a
 * table. Ends with 1 where a cell failed. Everything happens in a temporary folder; the repository stays as it is.
 */

const scratch = await mkdtemp(path.join(tmpdir(), "evalcube-rehearsal-"));
try {
  const [tarball, programs] = await Promise.all([packPackage(scratch), installRuntimes(scratch)]);
  const users = await Promise.all(
    ["npm", "pnpm", "yarn"].map((name) => installedBy(name, { scratch, tarball, programs })),
  );
  const rows: readonly Row[] = [
    ...users.map(({ row }) => row),
    ...(await typesIn(users)),
    ...(await checkedBy(tarball)),
    ...(await underRuntimes(path.join(scratch, "npm"), programs)),
    await statedFaults(programs),
    await filesFaults(tarball, scratch),
  ];
  process.stdout.write(tableOf(rows));
  if (rows.some(({ cells }) => cells.some(({ fault }) => fault !== null))) process.exitCode = 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}
