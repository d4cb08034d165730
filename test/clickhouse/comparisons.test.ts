import { describe, expect, it } from "vitest";
import { openBoth } from "../support/both-engines.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

/** Each evaluation has all dimensions, and each but the first differs from it. */
function records(dimensions: readonly string[]) {
  const values: Readonly<Record<string, (i: number) => unknown>> = {
    flag: (i) => i % 2 === 0,
    wide: (i) => 0.85 / (i + 1),
    rating: (i) => i % 4,
  };
  return ["e1", "e2", "e3"].flatMap((id, k) => [
    root(id),
    ...Array.from({ length: 9 }, (_, i) => {
      const scores = Object.fromEntries(dimensions.map((name) => [name, values[name]?.(i + k * (i % 3))]));
      return trial(`${id}-${i}`, { q: i }, scores, { parent_id: id });
    }),
  ]);
}

describe.skipIf(noClickHouse !== null)(`a comparison on both engines${because(noClickHouse)}`, () => {
  it.each([
    ["few bits before many", ["flag", "wide"]],
    ["many bits before few", ["wide", "flag"]],
    ["few bits alone", ["flag", "rating"]],
    ["many bits between few", ["flag", "wide", "rating"]],
  ])("has the same bytes where scores have %s", async (_, dimensions) => {
    const both = await openBoth(await sharedClickHouse(), scratchDatabase(await sharedClickHouse()));
    try {
      const request = { baseline: "e1", candidates: ["e2", "e3"] };
      const answers = await Promise.all(
        [both.onFile, both.onServer].map(async (core) => {
          await core.ingestCalls(records(dimensions));
          return core.compareEvaluations(PROJECT, request);
        }),
      );
      const [onFile, onServer] = answers.map((answer) => JSON.stringify(answer));
      expect(onFile).toContain('"flag"');
      expect(onServer).toBe(onFile);
    } finally {
      await both.close();
    }
  });
});
