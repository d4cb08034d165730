import fc from "fast-check";
import { tableFromIPC } from "apache-arrow";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { oddOutputs } from "../support/odd-outputs.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchFolder, scratchPath } from "../support/scratch.ts";
import { anyCharacter } from "../support/any-character.ts";

const SEED = Number(process.env["SEED"] ?? 808);

/** By id: what DuckDB's JSON functions say. */
const EXPECTED = `SELECT trial_id,
  nullif(CAST(json_extract(output, if(json_exists(output, '/output'), '/output', '/model_output')) AS VARCHAR), 'null')
  FROM evalcube.trials ORDER BY trial_id`;

function records(texts: readonly string[]): string {
  const calls = texts.map((output, i) =>
    JSON.stringify(trial(`t${String(i).padStart(5, "0")}`, { i }, {}, { output: "OUTPUT" })).replace(
      '"OUTPUT"',
      () => output,
    ),
  );
  return [JSON.stringify(root("e")), ...calls].join("\n");
}

/** The texts of `model_output` by id, from the table, the batches, a file and the view of trials. */
async function outputs(file: string): Promise<[string, string | null][][]> {
  const engine = await openEngine({ path: file, readOnly: true, threads: 2 });
  const request = { evaluation_call_ids: ["e"] };
  const arrow = path.join(scratchFolder(), "table.arrow");
  const batches = [];
  for await (const batch of engine.queryBatches(PROJECT, request)) batches.push(batch);
  await engine.exportResults(PROJECT, request, { format: "arrow", path: arrow });
  const view = "SELECT trial_id AS predict_and_score_call_id, model_output FROM trials";
  const found = [
    [await engine.queryTable(PROJECT, request)],
    batches,
    [tableFromIPC(readFileSync(arrow))],
    [await engine.sql(PROJECT, view)],
  ];
  await engine.close();
  return found.map((parts) =>
    parts
      .flatMap(
        (part) => part.toArray() as { predict_and_score_call_id: string; model_output: string | null }[],
      )
      .map((one): [string, string | null] => [one.predict_and_score_call_id, one.model_output])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Reads these outputs in each way; returns how many there are. */
async function check(texts: readonly string[]): Promise<number> {
  const file = scratchPath();
  const engine = await openEngine({ path: file });
  await engine.ingestCalls({ ndjson: new Blob([records(texts)]).stream(), name: "records" });
  await engine.close();
  const stored = await runOn(file, EXPECTED);
  expect(stored).toHaveLength(texts.length);
  const expected = stored.map(([id, text]) => [id, text]);
  for (const found of await outputs(file)) expect(found).toEqual(expected);
  return stored.length;
}

it("is the text that DuckDB's JSON functions give, however the output is spelled", async () => {
  expect(await check(oddOutputs)).toBe(oddOutputs.length);
});

it(`is so for random outputs (SEED=${SEED})`, async () => {
  const output = fc.oneof(
    fc
      .record({ output: fc.json({ maxDepth: 4 }), rest: fc.json({ maxDepth: 2 }) })
      .map(({ output: value, rest }) => `{"output":${value},"rest":${rest}}`),
    fc.json({ maxDepth: 3 }).map((value) => `{"a":1,"output":${value}}`),
    fc.json({ maxDepth: 3 }).map((value) => `{"model_output":${value},"a":1}`),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => `{"output":${value}}`),
    fc.bigInt().map((value) => `{"output":[${value}]}`),
    fc.string({ unit: anyCharacter, maxLength: 30 }).map((value) => JSON.stringify({ output: value })),
  );
  const samples = fc.sample(output, { seed: SEED, numRuns: 3000 });
  expect(await check(samples)).toBe(samples.length);
});
