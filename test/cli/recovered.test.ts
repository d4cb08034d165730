import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loggedFile } from "../disk/damage.ts";
import { evalcubeHere } from "./in-process.ts";

/** A database whose log a power cut left torn. */
async function torn(): Promise<string> {
  const file = await loggedFile(3, 2);
  const log = readFileSync(`${file}.wal`);
  writeFileSync(`${file}.wal`, log.fill(0, log.length - 100));
  return file;
}

const recovered = (file: string) =>
  `note: ${file} was recovered, since a process that had it open was killed\n`;

it("a command that must write a database to read it says so, once, also of one that a flag names", async () => {
  const [db, baseline] = [await torn(), await torn()];
  expect((await evalcubeHere(["evaluations", "--db", db])).stderr).toContain(recovered(db));
  expect((await evalcubeHere(["evaluations", "--db", db])).stderr).not.toContain("recovered");
  expect((await evalcubeHere(["ci", "--db", db, "--baseline", baseline])).stderr).toContain(
    recovered(baseline),
  );
});
