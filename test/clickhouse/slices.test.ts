import { expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import { openBoth } from "../support/both-engines.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const TOPICS = [1, "1", 1.5, true, "true", "\uE000", 'é "x"', null, { a: 1 }, "law", "law", -0, 1e300];

/** Three evaluations over rows with all kinds of values; rows of one come without some trials, another has several. */
const calls = ["e", "f", "g"].flatMap((id, k) => [
  root(id),
  ...Array.from({ length: 80 }, (_, i) => i).flatMap((i) => {
    const row = {
      i,
      topic: TOPICS[(i * 7) % TOPICS.length],
      wide: Number(`1234567890123456789${i % 3}`),
      deep: { level: i % 4, list: [i % 2] },
      tags: [`t${i % 3}`, i % 5 === 0 ? null : i % 2, `t${i % 3}`],
    };
    const scores = {
      ok: (i * (k + 3)) % 4 > 0 && !(k > 0 && i % 4 === 1),
      far: i % 2 === 0 ? 0.1 * i : 1e-9 * (i + k),
    };
    const attributes = { shard: i % 6 === 0 ? k : `s${i % 3}`, marked: "\uE0001" };
    const count = (i + k) % 9 === 0 ? 0 : k === 2 && i % 5 === 0 ? 2 : 1;
    return Array.from({ length: count }, (_unused, n) =>
      trial(`${id}-${i}-${n}`, row, scores, { parent_id: id, attributes }),
    );
  }),
]);

const FIELDS = [
  ["inputs.topic"],
  ["inputs.tags"],
  ["inputs.deep.level", "inputs.topic"],
  ["attributes.shard"],
  ["attributes.marked", "inputs.tags"],
  ["inputs.topc"],
  ["attributes.shrd"],
] as const;

it.skipIf(noClickHouse !== null)(
  `on ClickHouse slices are what they are on DuckDB${because(noClickHouse)}`,
  async () => {
    const url = await sharedClickHouse();
    const both = await openBoth(url, scratchDatabase(url));
    try {
      await Promise.all([both.onFile, both.onServer].map((core) => core.ingestCalls(calls)));
      const same = async (
        ask: (
          core: Pick<Engine, "compareEvaluations" | "leaderboard" | "queryEvalResultsJson">,
        ) => Promise<unknown>,
      ) => {
        const [onFile, onServer] = await Promise.all(
          [both.onFile, both.onServer].map((core) => ask(core).catch((error: unknown) => String(error))),
        );
        expect(onServer).toEqual(onFile);
        return onFile;
      };
      for (const by of FIELDS)
        for (const more of by.length > 1 ? [{ cluster_by: "inputs.deep.level" } as const] : [{}]) {
          const sides = { baseline: "e", candidates: ["f", "g"] };
          await same((core) => core.compareEvaluations(PROJECT, { ...sides, ...more, by, max_slices: 3 }));
          await same((core) =>
            core.queryEvalResultsJson(PROJECT, {
              evaluation_call_ids: ["e", "f", "g"],
              include_summary: true,
              include_rows: false,
              include_uncertainty: true,
              ...more,
              by,
            }),
          );
        }
      const auto = await same((core) =>
        core.compareEvaluations(PROJECT, { baseline: "e", candidates: ["f", "g"], by: "auto" }),
      );
      expect(auto).toMatchObject({
        slicing: { fields_tried: ["inputs.deep.level", "inputs.topic"] },
      });
      await same((core) => core.leaderboard(PROJECT, { by: ["evaluation", "inputs.topic"] }));
      for (const of of ["g", "e", null])
        for (const usage of ["latency_seconds", "total_tokens", "cost", "steps.count"])
          await same((core) =>
            core.compareEvaluations(PROJECT, {
              baseline: "e",
              candidates: ["f"],
              by: { usage, bins: 4, of },
            }),
          );
    } finally {
      await both.close();
    }
  },
);
