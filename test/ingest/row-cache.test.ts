import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/engine/duckdb/store.ts";
import { createRowCache } from "../../src/ingest/write/dataset-rows.ts";
import { noCounts } from "../../src/ingest/counts.ts";
import { createLoader } from "../../src/ingest/loader.ts";
import { objectSource } from "../../src/ingest/formats/record-source.ts";
import { createWriterMemory } from "../../src/ingest/writer-memory.ts";
import { sql } from "../../src/store/sql.ts";
import { root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";

const CONVENTIONS = { predictAndScoreOps: ["Evaluation.predict_and_score"], attributeNamespaces: [] };
const ROWS = 2500;

function* trials(first: number, count: number) {
  for (let i = first; i < first + count; i++) yield trial(`t${i}`, { question: Math.floor(i / 2) % ROWS });
}

/** (row, trials) of two sources of several batches each, with rows that both name. */
async function loadTwice(cacheSize: number): Promise<unknown> {
  const store = await openStore({ path: scratchPath(), readOnly: false, threads: 2, memoryLimit: null });
  onTestFinished(() => store.close());
  const memory = { ...createWriterMemory(), cache: createRowCache(cacheSize) };
  const load = createLoader(store, CONVENTIONS, memory);
  for (const source of [[root(), ...trials(0, 9000)], [...trials(9000, 9000)]])
    await load("calls", {
      source: objectSource(source, "trials"),
      options: {},
      alone: false,
      counts: noCounts(),
    });
  return store.read((session) =>
    session.rows(sql`SELECT inline_example, count(*)::INTEGER FROM trials JOIN rows USING (row_key)
      GROUP BY row_key, inline_example ORDER BY inline_example`),
  );
}

it("a row is stored once, whether or not the writer could remember all rows of a load", async () => {
  const remembered = await loadTwice(200_000);
  expect(remembered).toHaveLength(ROWS);
  expect(await loadTwice(10)).toEqual(remembered);
});
