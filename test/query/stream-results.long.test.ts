import { describe, expect, it, onTestFinished } from "vitest";
import { openCore } from "../../src/engine/engine.ts";
import { generatePieces } from "../../src/flow/pieces.ts";
import { createCatalogCache, readQueryCatalog } from "../../src/engine/catalog/read-catalog.ts";
import { readRowPage, writeRowPage } from "../../src/engine/query/page.ts";
import { RequestError } from "../../src/errors.ts";
import { buildPlan } from "../../src/plan/build-plan.ts";
import { withIds } from "../../src/request/eval-request.ts";
import { parseRequest } from "../../src/request/parse-request.ts";
import type { Session } from "../../src/store/session.ts";
import { sql } from "../../src/store/sql.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { scratchEngine } from "../support/scratch.ts";
import { settle, untilWorking } from "../support/until.ts";

const REQUEST = { evaluation_call_ids: [EVALUATION], include_raw_data_rows: true, include_summary: true };

/** An evaluation of `rows` rows, whose outputs are `size` letters each. */
function calls(rows: number, size: number): object[] {
  const output = { output: { text: "x".repeat(size) }, scores: { correct: true, length: 0.5 } };
  const trials = Array.from({ length: rows }, (_, at) => trial(`t${at}`, { n: at }, {}, { output }));
  return [root(), ...trials];
}

async function filled(rows: number, size: number) {
  const engine = await scratchEngine();
  await engine.ingestCalls(calls(rows, size));
  return engine;
}

async function collect(pieces: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

/** The rows of a response, how often trials were read for them, and the same rows from pages of 500. */
async function writtenRows(rows: number, size: number) {
  const core = await openCore({ threads: 1 });
  onTestFinished(() => core.close());
  await core.ingestCalls(calls(rows, size));
  const asked = { evaluation_call_ids: [EVALUATION], include_summary: false };
  const request = withIds(parseRequest(asked), ({ text }) => text);
  const pieces: string[] = [];
  let reads = 0;
  await core.store.read(async (session) => {
    const all: Session["all"] = (query) => {
      if (query.name === "trials") reads++;
      return session.all(query);
    };
    const catalog = await readQueryCatalog(session, createCatalogCache(), PROJECT, request);
    const plan = buildPlan(PROJECT, request, catalog);
    if (plan?.rows == null) throw new Error("no rows");
    const page = await readRowPage(session, plan, plan.rows);
    await writeRowPage({ ...session, all }, null, request, plan, page, (piece) => void pieces.push(piece));
  });
  const pages: string[] = [];
  for (let offset = 0; offset < rows; offset += 500) {
    const page = await core.queryEvalResultsJson(PROJECT, { ...asked, limit: 500, offset });
    pages.push(page.slice('{"rows":['.length, page.lastIndexOf('],"total_rows"')));
  }
  return { reads, written: pieces.join(""), single: pages.join(",") };
}

describe("a streamed answer", () => {
  it("has the bytes of the whole one", async () => {
    const engine = await filled(1000, 100);
    for (const request of [{}, REQUEST, { ...REQUEST, limit: 7, offset: 3 }, { ...REQUEST, limit: 900 }]) {
      const pieces = await collect(engine.streamEvalResults(PROJECT, request));
      expect(pieces.join("")).toBe(await engine.queryEvalResultsJson(PROJECT, request));
      expect(pieces.length).toBeGreaterThan(3);
    }
  });

  it("has the rows of single pages, from few reads where rows are short", async () => {
    const { reads, written, single } = await writtenRows(6000, 10);
    expect(written === single).toBe(true);
    expect(reads).toBe(3);
  });

  it("reads fewer rows at a time where they are long", async () => {
    const { reads, written, single } = await writtenRows(2000, 4000);
    expect(written === single).toBe(true);
    expect(reads).toBeGreaterThan((await writtenRows(2000, 10)).reads);
  });

  it("has the rows of single pages where texts stand in pieces", async () => {
    const { written, single } = await writtenRows(2000, 9000);
    expect(written === single).toBe(true);
  });

  it("throws what is wrong with the request before its first piece", async () => {
    const engine = await scratchEngine();
    for (const request of [{ limit: -1 }, { sort_by: [{ field: "nonsense.a" }] }]) {
      await expect(engine.streamEvalResults(PROJECT, request).next()).rejects.toThrow(RequestError);
    }
  });

  it("does nothing before it is read", async () => {
    const engine = await scratchEngine();
    const pieces = engine.streamEvalResults(PROJECT, { limit: -1 });
    expect(await pieces.return()).toEqual({ done: true, value: undefined });
  });

  it("frees its connections when it is left early", async () => {
    const core = await openCore({ threads: 1 });
    onTestFinished(() => core.close());
    await core.ingestCalls(calls(1000, 10));
    const connections = () =>
      core.store.read((session) => session.rows(sql`SELECT count FROM duckdb_connection_count()`));
    await collect(core.streamEvalResults(PROJECT, REQUEST));
    const before = await connections();
    for (let at = 0; at < 10; at++) {
      for await (const piece of core.streamEvalResults(PROJECT, { ...REQUEST, limit: 1000 })) {
        if (piece.length > 100) break;
      }
    }
    expect(await connections()).toEqual(before);
  });

  it("ends with the reason of its signal, under way and before", async () => {
    const engine = await filled(1000, 10);
    const controller = new AbortController();
    const reason = new Error("enough");
    const { signal } = controller;
    const pieces = engine.streamEvalResults(PROJECT, { ...REQUEST, limit: 1000 }, { signal });
    await pieces.next();
    controller.abort(reason);
    await expect(pieces.next()).rejects.toBe(reason);
    await expect(engine.streamEvalResults(PROJECT, REQUEST, { signal }).next()).rejects.toBe(reason);
    expect((await engine.queryEvalResults(PROJECT, REQUEST)).total_rows).toBe(1000);
  });

  it("is interrupted while DuckDB works", { timeout: 30_000 }, async () => {
    const engine = await filled(20_000, 1000);
    const controller = new AbortController();
    // Uninterrupted they take longer than a test may. DuckDB looks for an interrupt between its tasks, here filters.
    const filters = Array.from({ length: 200 }, (_, at) => ({
      query: {
        $expr: {
          $contains: {
            input: { $getField: "outputs.text" },
            substr: { $literal: `x${"y".repeat(20)}${at}` },
          },
        },
      },
    }));
    const request = { ...REQUEST, filters };
    const pieces = collect(engine.streamEvalResults(PROJECT, request, { signal: controller.signal }));
    const stopped = pieces.catch((error: unknown) => error);
    await untilWorking("DuckDB runs the filters");
    controller.abort(new Error("enough"));
    expect(await stopped).toMatchObject({ message: "enough" });
    await engine.close();
  });
});

/** Writes numbers for ever, and tells how far it got. */
function numbers() {
  const seen = { made: 0, ended: false };
  const pieces = generatePieces(async (write) => {
    try {
      for (;;) await write(String(++seen.made));
    } finally {
      seen.ended = true;
    }
  });
  return { seen, pieces };
}

describe("pieces", () => {
  it("are made one ahead of their reader, no more", async () => {
    const { seen, pieces } = numbers();
    for (const expected of ["1", "2", "3"]) {
      expect(await pieces.next()).toEqual({ done: false, value: expected });
      await settle();
      expect(seen.made).toBe(Number(expected) + 1);
    }
    await pieces.return();
    expect(seen).toEqual({ made: 4, ended: true });
  });

  it("pass on the fault of the work after what was written before it", async () => {
    const pieces = generatePieces(async (write) => {
      await write("a");
      throw new Error("broken");
    });
    expect(await pieces.next()).toEqual({ done: false, value: "a" });
    await expect(pieces.next()).rejects.toThrow("broken");
    expect(await pieces.next()).toEqual({ done: true, value: undefined });
  });
});
