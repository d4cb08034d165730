import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { PROJECT, root } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { names, numbered, REQUEST, trialsOf } from "./damage.ts";
import { builtProgram } from "../support/built-program.ts";

/** Lets a process open the file, load the sources, and end as told. */
async function run(file: string, end: "close" | "kill", sources: readonly unknown[][]): Promise<void> {
  const args = [builtProgram("children/write-and-die"), file, end, JSON.stringify(sources)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect([code, signal]).toEqual(end === "kill" ? [null, "SIGKILL"] : [0, null]);
}

it("a stored call that is loaded again with a change stands once after kills", async () => {
  const file = scratchPath();
  await run(file, "kill", [[root(), ...Array.from({ length: 20 }, (_, i) => numbered(i))]]);
  await run(file, "close", []);
  await run(file, "kill", [[numbered(1, 5)]]);
  await run(file, "kill", [
    [numbered(2, 6)],
    [{ id: "t3", project_id: PROJECT, deleted_at: "2026-01-02T00:00:00Z" }],
  ]);
  expect(await trialsOf(file)).toEqual(names(20).filter((id) => id !== "t3"));
  const engine = await openEngine({ path: file, threads: 1 });
  const { rows } = await engine.queryEvalResults(PROJECT, REQUEST);
  const scores = rows.flatMap((row) => row.evaluations[0]?.trials[0]?.scores["acc"] ?? []);
  expect(scores.toSorted((a, b) => Number(a) - Number(b))).toEqual(
    [0, ...Array.from({ length: 16 }, (_, i) => (i + 4) / 8), 5, 6].toSorted((a, b) => a - b),
  );
  await engine.close();
  expect(await runOn(file, "SELECT count(*)::INTEGER, count(DISTINCT call_key)::INTEGER FROM calls")).toEqual(
    [[21, 21]],
  );
});
