import { describe, expect, it, onTestFinished } from "vitest";
import type { EvalResultsRequest } from "../../src/index.ts";
import { answersOfBoth, openBoth } from "../support/both-engines.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const SUM = [0.1, 0.2, 0.3, 1e16, -1e16];

function trialsOf(evaluation: string, isOneRow: boolean) {
  return SUM.map((m, n) =>
    trial(`${evaluation}${n}`, { n: isOneRow ? 0 : n }, { m }, { parent_id: evaluation }),
  );
}

describe.skipIf(noClickHouse !== null)(`a server answers as a file${because(noClickHouse)}`, () => {
  it("to a literal of 100,000 characters, and about the mean of numbers that nearly cancel", async () => {
    const url = await sharedClickHouse();
    const both = await openBoth(url, scratchDatabase(url));
    onTestFinished(both.close);
    for (const engine of [both.onFile, both.onServer])
      await engine.ingestCalls([root("e"), ...trialsOf("e", false), root("f"), ...trialsOf("f", true)]);
    const text = { $literal: "x".repeat(100_000) };
    const one = { evaluation_call_ids: ["e", "f"], include_summary: true, sort_by: [{ field: "scores.m" }] };
    const field = { $getField: "scores.m" };
    const odd = [
      { $eq: [{ $getField: "inputs.n" }, text] },
      { $eq: [field, text] },
      { $gt: [{ $getField: "output.output" }, text] },
      { $in: [field, [text, text]] },
      { $contains: { input: field, substr: text } },
      { $regex: { input: field, pattern: text } },
      { $eq: [field, { $literal: "é".repeat(100_000) }] },
      { $eq: [field, { $literal: "%".repeat(100_000) }] },
      { $eq: [field, { $literal: "\\".repeat(100_000) }] },
    ];
    const asked = odd.map(($expr) => ({ ...one, filters: [{ query: { $expr } }] }));
    const requests = [{ ...one, limit: 2 }, ...asked] as readonly EvalResultsRequest[];
    const answers = await answersOfBoth(both, PROJECT, { requests, compare: null, agreement: null });
    for (const { question, onFile, onServer } of answers)
      expect([question.slice(0, 300), onServer]).toEqual([question.slice(0, 300), onFile]);
    const page = answers.find(({ question }) => question.includes('"limit"'))?.onServer;
    const mean = '"numeric_mean":0.12';
    expect(page?.match(/"numeric_mean":[^,]*/g)).toEqual([mean, mean]);
  });
});
