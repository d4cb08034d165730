import { expect, describe, it } from "vitest";
import { openEngine, type EngineOptions } from "../../src/index.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

const LONG = 'über 語 "\n'.repeat(3000);
const LONGER = [{ role: "user", content: 'é😀"\n'.repeat(20_000) }, 12, null];

describe.skipIf(noClickHouse !== null)(`long texts${because(noClickHouse)}`, () => {
  it("are on a server, and in a file that is a copy of it, as they were sent to a file", async () => {
    const [file, back] = [scratchPath("evals.duckdb"), scratchPath("back.duckdb")];
    const url = await sharedClickHouse();
    const database = scratchDatabase(url);
    const engine = await openEngine({ path: file });
    await engine.ingestRows([{ project_id: PROJECT, digest: "long", val: { text: LONG } }]);
    await engine.ingestCalls([
      root(),
      trial("t1", { q: 1, text: LONG }, {}, { output: { output: LONG, scores: { s: 1 } } }),
      trial("t3", { q: 3 }, {}, { output: { output: LONGER, scores: { s: 0 } } }),
      trial("t2", `svc:///${PROJECT}/object/d:v1/attr/rows/id/long`, {}, { attributes: { note: LONG } }),
    ]);
    await engine.close();
    const address = `clickhouse+http://${new URL(url).host}/${database}`;
    for (const [from, to] of [
      [file, address],
      [address, back],
    ] as const)
      expect(await evalcubeHere(["migrate", "--db", from, "--to", to])).toMatchObject({
        status: 0,
        stderr: "",
      });
    const pages = [{ path: file }, { clickhouse: { url, database } }, { path: back }].map(pageOf);
    const [sent, ...copies] = await Promise.all(pages);
    expect(JSON.stringify(sent?.rows).split(JSON.stringify(LONG)).length - 1).toBe(3);
    expect(copies).toEqual([sent, sent]);
    const sizes = (sent?.start ?? []).flatMap(({ evaluations: [one] }) => one?.trials[0]?.output_bytes ?? []);
    expect(sizes).toEqual([Buffer.byteLength(JSON.stringify(LONGER))]);
  });
});

async function pageOf(options: EngineOptions) {
  const engine = await openEngine(options);
  try {
    const request = {
      evaluation_call_ids: [EVALUATION],
      include_raw_data_rows: true,
      resolve_row_refs: true,
    };
    const { rows } = await engine.queryEvalResults(PROJECT, request);
    const start = await engine.queryEvalResults(PROJECT, { ...request, long_values: "start" });
    const head = await engine.queryEvalResults(PROJECT, { ...request, long_values: "head" });
    return { rows, start: start.rows, head: head.rows };
  } finally {
    await engine.close();
  }
}
