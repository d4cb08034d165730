import { readFileSync } from "node:fs";
import { Table } from "apache-arrow";
import { parse } from "csv-parse/sync";
import pl from "nodejs-polars";
import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { ADDED_COLUMNS } from "./expected-table.ts";
import { rawValues } from "./read-arrow.ts";

const REQUEST = { evaluation_call_ids: ["e"] };
const DIMENSIONS = 1000;

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  const scores = Array.from({ length: DIMENSIONS }, (_, i) => [
    `"key" ${i}, é`,
    [i / 7, i % 2 === 0, `text ${i}`][i % 3],
  ]);
  await engine.ingestCalls([
    root("e"),
    ...Array.from({ length: 20 }, (_, i) =>
      trial(`t${i}`, { i }, Object.fromEntries(scores.slice(i, 50 * i + 50))),
    ),
  ]);
  return () => engine.close();
});

const spelled = (value: unknown) => (typeof value === "boolean" ? String(value) : (value ?? ""));

describe(`a table of ${DIMENSIONS} scores`, () => {
  it("is the same at once, in batches and in files", async () => {
    const table = await engine.queryTable(PROJECT, REQUEST);
    const names = table.schema.fields.map(({ name }) => name);
    expect(new Set(names).size).toBe(9 + DIMENSIONS);
    const batches = [];
    for await (const batch of engine.queryBatches(PROJECT, REQUEST)) batches.push(batch);
    expect(rawValues(new Table(batches))).toEqual(rawValues(table));

    const parquet = scratchPath("table.parquet");
    await engine.exportResults(PROJECT, REQUEST, { format: "parquet", path: parquet });
    const frame = pl.readParquet(parquet);
    const columns = table.schema.fields.map((_, i) =>
      Array.from(table.getChildAt(i) ?? [], (value: unknown) => value),
    );
    const own = frame.select(...frame.columns.filter((name) => !ADDED_COLUMNS.has(name)));
    expect(own.columns).toEqual(names);
    expect(own.rows()).toEqual(Array.from({ length: 20 }, (_, row) => columns.map((column) => column[row])));

    const csv = scratchPath("table.csv");
    await engine.exportResults(PROJECT, REQUEST, { format: "csv", path: csv });
    const written: string[][] = parse(readFileSync(csv, "utf8"));
    const cells = written.map((line) => line.filter((_, i) => !ADDED_COLUMNS.has(written[0]?.[i] ?? "")));
    expect(cells[0]).toEqual(names);
    const values = Array.from({ length: 20 }, (_, row) => columns.map((column) => column[row]));
    const typed = cells
      .slice(1)
      .map((line, row) =>
        line.map((cell, i) => (typeof values[row]?.[i] === "number" ? Number(cell) : cell)),
      );
    expect(typed).toEqual(values.map((line) => line.map((value) => spelled(value))));
  });
});
