import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/duckdb/store.ts";
import { createRowCache } from "../../src/ingest/write/row-entries.ts";
import { rowDigest } from "../../src/model/digest.ts";
import { noCounts } from "../../src/ingest/counts.ts";
import { createLoader } from "../../src/ingest/loader.ts";
import { createSessionWriters } from "../../src/duckdb/load/session-writer.ts";
import { objectSource, type RecordSource } from "../../src/ingest/formats/record-source.ts";
import { createWriterMemory } from "../../src/duckdb/load/writer-memory.ts";
import type { FileStore } from "../../src/store/session.ts";
import { sql } from "../../src/store/sql.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";

const CONVENTIONS = { predictAndScoreOps: ["Evaluation.predict_and_score"], attributeNamespaces: [] };
const ROWS = 2500;

function* trials(first: number, count: number) {
  for (let i = first; i < first + count; i++) yield trial(`t${i}`, { question: Math.floor(i / 2) % ROWS });
}

/** Two sources of several batches each, with rows that both name. */
const SOURCES = [[root(), ...trials(0, 9000)], [...trials(9000, 9000)]];

/** Opens a store whose writer remembers so many rows and bytes, and a function that loads a source into it. */
async function openWriter(cacheSize: number, cacheBytes = Infinity) {
  const store = await openStore({ path: scratchPath(), readOnly: false, threads: 2, memoryLimit: null });
  onTestFinished(() => store.close());
  const memory = { ...createWriterMemory(), cache: createRowCache(cacheBytes, cacheSize) };
  const load = createLoader(createSessionWriters(store, CONVENTIONS, memory), CONVENTIONS);
  const loadAll = async (kind: "calls" | "rows" | "mixed", source: RecordSource) =>
    (await load(kind, { source, options: {}, alone: false, counts: noCounts() })).result;
  return { store, loadAll };
}

/** (row, trials) of both sources. */
async function loadTwice(cacheSize: number, cacheBytes?: number): Promise<unknown> {
  const { store, loadAll } = await openWriter(cacheSize, cacheBytes);
  for (const source of SOURCES) await loadAll("calls", objectSource(source, "trials"));
  return store.read((session) =>
    session.rows(sql`SELECT inline_example, count(*)::INTEGER FROM trials JOIN rows USING (row_key)
      GROUP BY row_key, inline_example ORDER BY inline_example`),
  );
}

it("a row is stored once, whether or not the writer could remember all rows of a load", async () => {
  const remembered = await loadTwice(200_000);
  expect(remembered).toHaveLength(ROWS);
  expect(await loadTwice(10)).toEqual(remembered);
  expect(await loadTwice(200_000, 1000)).toEqual(remembered);
});

/** Dataset rows among calls, as an import gives them: each comes before the first trial that refers to it. */
function mixedSource(first: number, count: number, version: string): RecordSource {
  const texts: { text: string; isRow: boolean }[] = [];
  for (let i = first; i < first + count; i++) {
    const digest = `d${i % ROWS}`;
    const row = { project_id: PROJECT, digest, val: { question: digest, version } };
    const example = `svc:///${PROJECT}/object/o:v/attr/rows/id/${digest}`;
    texts.push({ text: JSON.stringify(row), isRow: true });
    texts.push({ text: JSON.stringify(trial(`t${i}`, example)), isRow: false });
  }
  async function* groups() {
    const records = texts.map((one, i) => ({ position: i + 1, ...one }));
    for (let at = 0; at < records.length; at += 1000)
      yield await Promise.resolve({ records: records.slice(at, at + 1000), bytes: 0 });
  }
  return { name: "mixed", totalBytes: null, groups: groups() };
}

it("a dataset row that comes with its trials is stored once, with its last value", async () => {
  const ends = [];
  for (const cacheSize of [200_000, 10]) {
    const { store, loadAll } = await openWriter(cacheSize);
    const results = [
      await loadAll("mixed", mixedSource(0, 6000, "a")),
      await loadAll("mixed", mixedSource(2000, 1000, "a")),
      await loadAll("mixed", mixedSource(2000, 1000, "b")),
    ];
    const counts = results.map(({ received, stored, unchanged }) => ({ received, stored, unchanged }));
    const rows = await store.read((session) =>
      session.rows(sql`SELECT digest, val, referenced, inline_example, count(trial_key)::INTEGER
        FROM rows LEFT JOIN trials USING (row_key) GROUP BY ALL ORDER BY digest`),
    );
    ends.push({ counts, rows });
  }
  expect(ends[1]).toEqual(ends[0]);
  expect(ends[0]?.counts).toEqual([
    { received: 12_000, stored: 6000 + ROWS, unchanged: 6000 - ROWS },
    { received: 2000, stored: 0, unchanged: 2000 },
    { received: 2000, stored: 1000, unchanged: 1000 },
  ]);
  const rows = ends[0]?.rows ?? [];
  expect(rows).toHaveLength(ROWS);
  expect(rows.find(([digest]) => digest === "d2400")).toEqual([
    "d2400",
    '{"question":"d2400","version":"b"}',
    true,
    null,
    2,
  ]);
  expect(rows.find(([digest]) => digest === "d600")?.[1]).toBe('{"question":"d600","version":"a"}');
});

/** How many times small loads, which go through the rows of a dataset in this order, look for rows in the database. */
async function lookUps(order: (at: number) => number): Promise<number> {
  const { store, loadAll } = await openWriter(200_000);
  await loadAll("calls", objectSource([root(), ...trials(0, 2 * ROWS)], "dataset"));
  let count = 0;
  const counting: FileStore = {
    ...store,
    inTurn: (turn) =>
      store.inTurn((write) =>
        turn((work, signal) =>
          write((session) => {
            const rows: typeof session.rows = (query) => {
              if (/FROM rows\s+WHERE digest_hash/.test(query.parts.join(""))) count++;
              return session.rows(query);
            };
            return work({ ...session, rows });
          }, signal),
        ),
      ),
  };
  const load = createLoader(createSessionWriters(counting, CONVENTIONS, createWriterMemory()), CONVENTIONS);
  for (let first = 0; first < 500; first += 25) {
    const calls = Array.from({ length: 25 }, (_, i) =>
      trial(`again${first + i}`, { question: order(first + i) }),
    );
    const source = objectSource(calls, "again");
    await load("calls", { source, options: {}, alone: false, counts: noCounts() });
  }
  const [counted] = await store.read((session) =>
    session.rows(sql`SELECT (SELECT count(*) FROM rows)::INTEGER, (SELECT count(*) FROM trials)::INTEGER`),
  );
  expect(counted).toEqual([ROWS, 2 * ROWS + 500]);
  return count;
}

it("rows that follow those of a load are read with them, where they lie close together", async () => {
  expect(await lookUps((at) => 100 + at)).toBe(1);
  expect(await lookUps((at) => (at % 2 === 0 ? at : 1500 + at))).toBeLessThan(5);
  expect(await lookUps((at) => (at * 997) % ROWS)).toBe(20);
});

it("a row that a load changes keeps what the load made of it, also when the writer has forgotten the row", async () => {
  const digest = rowDigest({ a: 1, b: 2 });
  const reference = `svc:///${PROJECT}/object/o:v/attr/rows/id/${digest}`;
  const { store, loadAll } = await openWriter(10);
  await loadAll("calls", objectSource([root(), trial("referring", reference)], "first"));
  const later = [
    trial("spelled", { a: 1, b: 2 }),
    ...Array.from({ length: 9000 }, (_, i) => trial(`other${i}`, { question: i })),
    trial("respelled", { b: 2, a: 1 }),
  ];
  await loadAll("calls", objectSource(later, "second"));
  const examples = await store.read((session) =>
    session.rows(sql`SELECT id, coalesce(example, inline_example) FROM trials JOIN rows USING (row_key)
      WHERE id LIKE '%spelled' ORDER BY id`),
  );
  expect(examples).toEqual([
    ["respelled", '{"b":2,"a":1}'],
    ["spelled", '{"a":1,"b":2}'],
  ]);
});
