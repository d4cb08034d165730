import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { EVALUATION, ndjson, PROJECT, root, stream, trial } from "../support/records.ts";
import { scratchEngine, scratchPath } from "../support/scratch.ts";

const MOST = 100_000_000;

function trialSaying(output: string) {
  const members = { output: { output, scores: { s: 1 } } };
  return { ...trial("t1", { q: 1 }, {}, members), ...members };
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** A trial whose JSON has so many bytes. */
function trialOf(bytes: number) {
  const text = "é and a line\n".repeat(10);
  const room = bytes - bytesOf(trialSaying(""));
  const one = bytesOf(text) - bytesOf("");
  return trialSaying(text.repeat(Math.floor(room / one)) + "x".repeat(room % one));
}

it("a call of 100 MB is stored within a limit of 1 GiB, and read as it was sent", async () => {
  const engine = await openEngine({ path: scratchPath(), memoryLimit: "1GiB" });
  try {
    const sent = trialOf(MOST);
    expect(bytesOf(sent)).toBe(MOST);
    expect(await engine.ingestCalls([root(), sent])).toMatchObject({ stored: 2, trials: 1 });
    const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: [EVALUATION] });
    const [found] = rows.flatMap(({ evaluations }) => evaluations.flatMap(({ trials }) => trials));
    expect(found?.model_output === sent.output.output).toBe(true);
  } finally {
    await engine.close();
  }
});

it("a longer call is refused with its size, whatever it comes from, and nothing is stored", async () => {
  const engine = await scratchEngine();
  const sent = trialOf(MOST + 1);
  const reason = /record 2: has 100\.000001 MB of JSON; a call or dataset row may have at most 100 MB/;
  await expect(engine.ingestCalls([root(), sent])).rejects.toThrow(reason);
  await expect(engine.ingestCalls(stream([ndjson([root(), sent])]))).rejects.toThrow(reason);
  const row = { project_id: PROJECT, digest: "d", val: sent };
  await expect(engine.ingestRows([row])).rejects.toThrow(/record 1: has 100\.\d+ MB of JSON/);
  expect(await engine.listEvaluations(PROJECT)).toEqual([]);
  const skipped = await engine.ingestCalls([root(), sent, trial("t2", { q: 2 })], { onInvalid: "skip" });
  expect(skipped).toMatchObject({ stored: 2, rejected: [{ position: 2 }] });
  const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: [EVALUATION] });
  expect(rows).toHaveLength(1);
});

it("a line that does not end is given up with the bound", async () => {
  const engine = await scratchEngine();
  const chunk = Buffer.alloc(2 ** 20, "x");
  const lines = stream([ndjson([root()]), ...Array.from({ length: 300 }, () => chunk)]);
  await expect(engine.ingestCalls(lines)).rejects.toThrow(
    /record 2: has more than 268\.435456 MB of JSON; .* at most 100 MB/,
  );
});
