import { describe, expect, it } from "vitest";
import type { CompareRequest } from "../../src/index.ts";
import { openBoth } from "../support/both-engines.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

/** Each evaluation has all dimensions, and each but the first differs from it. */
function records(dimensions: readonly string[], labelled = 0) {
  const values: Readonly<Record<string, (i: number) => unknown>> = {
    flag: (i) => i % 2 === 0,
    wide: (i) => 0.85 / (i + 1),
    rating: (i) => i % 4,
  };
  return ["e1", "e2", "e3"].flatMap((id, k) => [
    root(id),
    ...Array.from({ length: 9 }, (_, i) => {
      const scores = Object.fromEntries(dimensions.map((name) => [name, values[name]?.(i + k * (i % 3))]));
      const labels = i < labelled ? { human: (i + k * (i % 2)) % 3 === 0 } : {};
      return trial(`${id}-${i}`, { q: i }, { ...scores, ...labels }, { parent_id: id });
    }),
  ]);
}

/** The answers of a file and of a server, as texts. */
async function answersOf(calls: object[], request: CompareRequest): Promise<readonly [string, string]> {
  const both = await openBoth(await sharedClickHouse(), scratchDatabase(await sharedClickHouse()));
  try {
    const [onFile, onServer] = await Promise.all(
      [both.onFile, both.onServer].map(async (core) => {
        await core.ingestCalls(calls);
        return JSON.stringify(await core.compareEvaluations(PROJECT, request));
      }),
    );
    return [onFile ?? "", onServer ?? ""];
  } finally {
    await both.close();
  }
}

describe.skipIf(noClickHouse !== null)(`a comparison on both engines${because(noClickHouse)}`, () => {
  const request = { baseline: "e1", candidates: ["e2", "e3"] };

  it.each([
    ["few bits before many", ["flag", "wide"]],
    ["many bits before few", ["wide", "flag"]],
    ["few bits alone", ["flag", "rating"]],
    ["many bits between few", ["flag", "wide", "rating"]],
  ])("has the same bytes where scores have %s", async (_, dimensions) => {
    const [onFile, onServer] = await answersOf(records(dimensions), request);
    expect(onFile).toContain('"flag"');
    expect(onServer).toBe(onFile);
  });

  it("has the same bytes where labels correct it", async () => {
    const calls = records(["flag", "wide", "rating"], 5);
    const [onFile, onServer] = await answersOf(calls, { ...request, corrected_by: { human: "human" } });
    expect(onFile).toContain('"method":"ppi"');
    expect(onServer).toBe(onFile);
  });
});
