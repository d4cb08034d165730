import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { renderReport } from "../../src/view-exports.ts";
import { ndjson, put, temporaryFolder } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { PROJECT } from "../support/records.ts";
import { callsOf } from "./engine-of.ts";

/** Twelve evaluations, the better the later, of rows that are the harder the later; the last one is marked the wrong way. */
const CALLS = callsOf(
  Array.from({ length: 12 }, (_, e) =>
    Array.from({ length: 12 }, (__, row) => [row === 11 ? e < 6 : e > row - 1 + ((e * 7 + row * 5) % 3)]),
  ),
);
const evaluations = Array.from({ length: 12 }, (_, e) => `e${e}`);

const { folder, remove } = temporaryFolder();
afterAll(remove);

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls(CALLS);
});
afterAll(() => engine.close());

const SENTENCE = "1 row is answered better by the worse models: look at its reference first.";

describe("items", () => {
  it("have a part of the page, whose rows are those worth reading", async () => {
    const html = await renderReport(engine, PROJECT, { scorers: ["ok"] });
    const [, part = ""] = /<section class="section items"[^>]*>(.*?)<\/section>/s.exec(html) ?? [];
    expect(part).toContain(">Items</h2>");
    expect(part).toContain(SENTENCE);
    const { rows } = await engine.items(PROJECT, { evaluations, scorer: "ok" });
    const flagged = rows.filter(({ flags, discrimination: r }) => flags.length > 0 || (r ?? 0) < 0);
    expect(part.match(/<tr/g)).toHaveLength(1 + flagged.length);
    expect(part).toContain(rows[0]?.row_digest.slice(0, 12));
  });

  it("have no part of a page of two evaluations", async () => {
    const html = await renderReport(engine, PROJECT, { evaluations: ["e0", "e1"] });
    expect(html).not.toContain('class="section items"');
  });

  it("are a table and a sentence on a terminal, and the library's answer elsewhere", async () => {
    const db = `${folder}/items.duckdb`;
    await evalcubeHere(["ingest", "--db", db, put(folder, "calls.ndjson", ndjson(CALLS))]);
    const named = evaluations.flatMap((id) => ["--evaluation", id]);
    const asked = ["items", "--db", db, ...named, "--scorer", "ok", "--limit", "2"];
    const table = await evalcubeHere(asked, "", { isTTY: true, columns: 200 });
    expect(table.stdout).toContain(SENTENCE);
    expect(table.stdout.match(/negative/g)).toHaveLength(1);
    const json = await evalcubeHere(asked);
    expect(JSON.parse(json.stdout)).toEqual(
      await engine.items(PROJECT, { evaluations, scorer: "ok", limit: 2 }),
    );
  });
});
