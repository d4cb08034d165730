import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { answerOf, importBytes, PROJECT } from "../import/imports.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { scratchFolder } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

const idOf = ({ evaluations }: Awaited<ReturnType<typeof importBytes>>) =>
  evaluations[0]?.evaluation_call_id ?? "";

describe.skipIf(noClickHouse !== null)(`imports into a server${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  async function opened(): Promise<Engine> {
    return await openEngine({ clickhouse: { url, database: scratchDatabase(url) } });
  }

  it("leave stored rows as they are, and keep with trials what these say otherwise", async () => {
    const engine = await opened();
    try {
      const own = idOf(
        await importBytes(engine, "id,question,expected,score\n1,q,A,1\n2,r,B,1\n", {}, "a.csv"),
      );
      const [{ row_digest } = { row_digest: "" }] = (await answerOf(engine, own)).rows;
      const before = JSON.stringify(await answerOf(engine, own));
      const other = await importBytes(
        engine,
        "id,question,expected,tag,score\n1,q,Z,t,0\n2,r,B,t,0\n",
        {},
        "b.csv",
      );
      const rows = JSON.stringify({ digest: row_digest, val: { input: "q", expected: "other" } });
      const { notes } = await importBytes(engine, rows, {}, "rows.jsonl");
      expect(JSON.stringify(await answerOf(engine, own))).toBe(before);
      expect(other.notes.join()).toContain("expected: 1 of 2 rows keep what is stored");
      expect(notes.join()).toContain("expected: 1 of 1 rows keep what is stored");
      const { rows: found } = await answerOf(engine, own, idOf(other));
      expect(found).toHaveLength(2);
      const file = path.join(scratchFolder(), "trials.jsonl");
      await engine.exportResults(
        PROJECT,
        { evaluation_call_ids: [idOf(other)] },
        { format: "jsonl", path: file },
      );
      const lines = readFileSync(file, "utf8").trim().split("\n");
      const details = lines.map((line) => (JSON.parse(line) as { readonly details: string }).details);
      expect(details.map((text) => JSON.parse(text) as unknown)).toEqual([
        { row: { expected: "Z" }, tag: "t" },
        { tag: "t" },
      ]);
      const by = "output.details.tag";
      const described = await engine.queryEvalResults(PROJECT, {
        evaluation_call_ids: [own, idOf(other)],
        include_summary: true,
        by,
      });
      expect(described.summary?.slicing?.values).toEqual([{ value: ["t"], row_count: 2, trial_count: 2 }]);
      expect(described.summary?.evaluations.map(({ scorer_stats: [one] }) => one?.slices)).toEqual([
        [{ value: ["t"], trial_count: 0, mean: null, descriptive: true }],
        [{ value: ["t"], trial_count: 2, mean: 0, descriptive: true }],
      ]);
      await expect(
        engine.queryEvalResults(PROJECT, {
          evaluation_call_ids: [idOf(other)],
          include_summary: true,
          by: ["inputs.input", "inputs.tag"],
        }),
      ).rejects.toThrow("no row has tag; trials do: output.details.tag");
    } finally {
      await engine.close();
    }
  });
});
