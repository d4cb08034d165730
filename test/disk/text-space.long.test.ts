import { statSync } from "node:fs";
import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { call, EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";

const TRIALS = 60;

/** A text that hardly packs. */
function noise(seed: number, length: number): string {
  let state = seed + 1;
  const parts: string[] = [];
  for (let at = 0; at < length; at += 6) {
    state = (state * 48271) % 2147483647;
    parts.push(state.toString(36).padStart(6, "0"));
  }
  return parts.join("").slice(0, length);
}

const OUTPUTS = Array.from({ length: TRIALS }, (_, i) => noise(i, 300_000 + i));

async function filled(path: string) {
  const engine = await openEngine({ path });
  const trials = OUTPUTS.map((output, i) =>
    trial(`t${i}`, { i }, {}, { output: { output, scores: { s: i } } }),
  );
  await engine.ingestCalls([root(), ...trials]);
  await engine.close();
  return statSync(path).size;
}

it("long texts stand once in pieces of at most 4,096 bytes, without gaps, and late scores write none again", async () => {
  const path = scratchPath();
  const size = await filled(path);
  const sent = OUTPUTS.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
  const [[bytes, most, least]] = (await runOn(
    path,
    "SELECT sum(strlen(txt))::DOUBLE, max(strlen(txt))::INTEGER, min(strlen(txt))::INTEGER FROM pieces",
  )) as [[number, number, number]];
  expect(bytes / sent).toBeLessThanOrEqual(1.05);
  expect([most <= 4096, least > 0]).toEqual([true, true]);
  expect(
    await runOn(
      path,
      "SELECT text_key FROM pieces GROUP BY text_key HAVING count(*) <> max(piece) + 1 OR min(piece) <> 0",
    ),
  ).toEqual([]);
  const engine = await openEngine({ path });
  for (let i = 0; i < 20; i++) {
    const late = {
      parent_id: `t${i}`,
      op_name: "late.score",
      attributes: { weave: { score: true } },
      output: i,
    };
    await engine.ingestCalls([call(`late${i}`, late)]);
  }
  const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: [EVALUATION], limit: 1 });
  const [one] = rows.flatMap(({ evaluations }) => evaluations.flatMap(({ trials }) => trials));
  expect(OUTPUTS).toContain(one?.model_output);
  await engine.close();
  expect(statSync(path).size - size).toBeLessThan(2e6);
});

it("a file gives up the space of long texts once their trials are deleted and another load has ended", async () => {
  const path = scratchPath();
  const size = await filled(path);
  const engine = await openEngine({ path });
  await engine.deleteCalls(PROJECT, [EVALUATION]);
  await engine.ingestCalls(Array.from({ length: 200 }, (_, i) => call(`short${i}`, { inputs: { i } })));
  await engine.close();
  expect(statSync(path).size).toBeLessThan(0.3 * size);
  const again = await openEngine({ path });
  expect((await again.check()).problems).toEqual([]);
  expect((await again.sql(PROJECT, "SELECT count(*) AS n FROM calls")).toArray().map(String)).toEqual([
    '{"n": 200}',
  ]);
  await again.close();
});
