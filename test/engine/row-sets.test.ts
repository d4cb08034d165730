import { createHash, randomInt } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderReport } from "../../src/view/make-report.ts";
import { historyCells, historyColumns } from "../../src/words/history.ts";
import { openBoth } from "../support/both-engines.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { scratchEngine } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";
import { valueDigest } from "../oracle/digests.ts";

const contentOf = (n: number) => ({ question: `é ${n}`, n });

/** What the digest of rows with these contents is. */
function digestOf(contents: Iterable<number>): string {
  const lines = Array.from(
    new Set(contents),
    (n) => `${valueDigest(new Map(Object.entries(contentOf(n))))}\n`,
  ).toSorted();
  return createHash("sha256").update(lines.join("")).digest("hex").slice(0, 12);
}

interface Asked {
  readonly content: number;
  /** Null where its row has no key. */
  readonly key: string | null;
}

const asked = fc.record({
  content: fc.nat(4),
  key: fc.option(fc.constantFrom("a", "b", "c"), { freq: 1 }),
});
const evaluations = fc.array(fc.array(asked, { maxLength: 6 }), { minLength: 30, maxLength: 30 });

const nameOf = (i: number) => `run-${i}`;

/** Trials as they were asked: of one row or of several, each once or more, in any order. */
function recordsOf(all: readonly (readonly Asked[])[]): object[] {
  return all.flatMap((trials, i) => [
    root(nameOf(i)),
    ...trials.map(({ content, key }, n) =>
      trial(
        `${nameOf(i)}-${n}`,
        contentOf(content),
        {},
        {
          parent_id: nameOf(i),
          ...(key === null ? {} : { attributes: { row_key: key } }),
        },
      ),
    ),
  ]);
}

function expected(trials: readonly Asked[]): readonly [number, string | null] {
  const rows = new Set(trials.map(({ content, key }) => key ?? content));
  return [rows.size, trials.length === 0 ? null : digestOf(trials.map(({ content }) => content))];
}

describe("the digest of the rows that ran", () => {
  it("is the same for the same contents, whatever the order, the keys and the trials of a row", async () => {
    const engine = await scratchEngine();
    const data = [1, 2, 3].map(contentOf);
    const runs = [
      { id: "plain", data },
      { id: "reversed", data: data.toReversed(), trials: 3 },
      { id: "keyed", data, rowKey: "n" },
      { id: "edited", data: [...data.slice(1), { question: "new", n: 1 }], rowKey: "n" },
      { id: "fewer", data: data.slice(1) },
    ] as const;
    for (const { id, ...run } of runs)
      await engine.evaluate(PROJECT, { id, name: id, model: "m", ...run, task: () => "", scorers: {} });
    const list = await engine.listEvaluations(PROJECT);
    const found = new Map(list.map((one) => [one.id, [one.row_count, one.rows_digest]]));
    const same = [3, digestOf([1, 2, 3])];
    expect([found.get("plain"), found.get("reversed"), found.get("keyed")]).toEqual([same, same, same]);
    expect(found.get("fewer")).toEqual([2, digestOf([2, 3])]);
    expect(found.get("edited")?.[0]).toBe(3);
    expect(new Set([...found.values()].map(([, digest]) => digest)).size).toBe(3);
  });

  it("is that of what is stored, when calls come late and are deleted", async () => {
    const engine = await scratchEngine();
    const digest = async () => {
      const [one] = await engine.listEvaluations(PROJECT);
      return [one?.row_count, one?.rows_digest];
    };
    await engine.ingestCalls([root()]);
    expect(await digest()).toEqual([0, null]);
    await engine.ingestCalls([trial("1", contentOf(1)), trial("2", contentOf(2))]);
    expect(await digest()).toEqual([2, digestOf([1, 2])]);
    await engine.ingestCalls([
      call("late", {
        parent_id: "1",
        op_name: "ok.score",
        attributes: { weave: { score: true } },
        output: 1,
      }),
    ]);
    expect(await digest()).toEqual([2, digestOf([1, 2])]);
    await engine.ingestCalls([trial("3", contentOf(3))]);
    await engine.deleteCalls(PROJECT, ["1"]);
    expect(await digest()).toEqual([2, digestOf([2, 3])]);
    await engine.deleteCalls(PROJECT, ["2", "3"]);
    expect(await digest()).toEqual([0, null]);
  });

  it("names what ran without a dataset, in a history and on the page", async () => {
    const engine = await scratchEngine();
    for (const [i, rows] of [
      [1, 2],
      [2, 1],
      [1, 2, 3],
    ].entries())
      await engine.evaluate(PROJECT, {
        name: "sums",
        model: "m",
        data: rows.map(contentOf),
        task: () => 1,
        scorers: { ok: () => i > 0 },
      });
    const answer = await engine.history(PROJECT, { name: "sums", limit: 2 });
    expect(answer.entries.map((one) => [one.dataset, one.row_count, one.rows_digest])).toEqual([
      [null, 2, digestOf([1, 2])],
      [null, 3, digestOf([1, 2, 3])],
    ]);
    const texts = [`2 rows (${digestOf([1, 2]).slice(0, 6)})`, `3 rows (${digestOf([1, 2, 3]).slice(0, 6)})`];
    expect(historyColumns(answer)).toContain("dataset");
    expect(answer.entries.map((one) => historyCells(answer, one, {}).dataset)).toEqual(texts);
    const page = await renderReport(engine, PROJECT, { runs: "all" });
    for (const text of texts) expect(page).toContain(text);
  });

  it.skipIf(noClickHouse !== null)(
    `is what is written down for random rows and keys, on both engines${because(noClickHouse)}`,
    async () => {
      const seed = randomInt(2 ** 31);
      const [all = []] = fc.sample(evaluations, { seed, numRuns: 1 });
      const both = await openBoth(await sharedClickHouse(), scratchDatabase(await sharedClickHouse()));
      try {
        for (const core of [both.onFile, both.onServer]) {
          await core.ingestCalls(recordsOf(all));
          const list = await core.listEvaluations(PROJECT);
          const found = new Map(list.map((one) => [one.id, [one.row_count, one.rows_digest]]));
          expect(
            all.map((_, i) => found.get(nameOf(i))),
            `seed ${seed}`,
          ).toEqual(all.map(expected));
        }
      } finally {
        await both.close();
      }
    },
  );
});
