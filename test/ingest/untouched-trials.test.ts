import { describe, expect, it } from "vitest";
import { callIdentity } from "../../src/duckdb/load/stored-calls.ts";
import type { KnownCall, StoredCalls } from "../../src/ingest/lookup/known-call.ts";
import { prepareBatch } from "../../src/ingest/merge/call-batch.ts";
import { createCallReading } from "../../src/ingest/record/call-reading.ts";
import { parseCallRecord } from "../../src/ingest/record/call-record.ts";
import { createTurnTaker } from "../../src/model/turns.ts";

const reading = createCallReading({
  predictAndScoreOps: ["Evaluation.predict_and_score"],
  attributeNamespaces: ["weave"],
});

const read = (members: object) =>
  parseCallRecord(
    JSON.stringify({ project_id: "own/steps", started_at: "2026-01-01T00:00:00Z", ...members }),
    reading,
  );

const TRIAL = {
  id: "t",
  op_name: "Evaluation.predict_and_score",
  parent_id: "e",
  inputs: { model: "m", example: { q: 1 } },
  output: { output: "x", scores: { ok: true } },
};

/** A database with one trial, which notes of which trials the children are asked. */
function withOneTrial(): { readonly stored: StoredCalls; readonly asked: string[] } {
  const asked: string[] = [];
  const record = read(TRIAL);
  const trial: KnownCall = {
    ...callIdentity(1, "t"),
    key: 1,
    parent: callIdentity(1, "e"),
    text: record.text,
    hidden: false,
    isStored: true,
    call: record.call,
    columns: record.columns,
    nameRank: 0,
  };
  let next = 2;
  const stored: StoredCalls = {
    reading,
    turns: createTurnTaker(),
    projectKey: () => 1,
    identify: callIdentity,
    newKey: () => next++,
    find: (wanted) => Promise.resolve(wanted.some(({ id }) => id === "t") ? [trial] : []),
    children: (parents) => {
      asked.push(...parents.map(({ id }) => id));
      return Promise.resolve([]);
    },
  };
  return { stored, asked };
}

const child = (members: object) => read({ id: "c", op_name: "search", parent_id: "t", ...members });

describe("a stored trial", () => {
  it("is not read again for children that it asks nothing of, however many there are", async () => {
    const { stored, asked } = withOneTrial();
    const steps = Array.from({ length: 50 }, (_, i) => child({ id: `s${i}`, op_name: "openai.chat" }));
    const { trials, staleTrials } = await prepareBatch(stored, steps);
    expect([trials.size, staleTrials.size, asked]).toEqual([0, 0, []]);
  });

  it.each([
    ["its predict call", child({ op_name: "Model.predict" })],
    ["a call that invokes", child({ op_name: "agent.INVOKE" })],
    ["a call on its model", child({ inputs: { self: "m" } })],
    ["a scorer's call", child({ op_name: "exact.score" })],
    ["a call that attributes mark as one of a scorer", child({ attributes: { weave: { score: true } } })],
    ["one more record of its own", read({ ...TRIAL, output: { output: "y", scores: { ok: false } } })],
  ])("is read again for %s", async (_, record) => {
    const { stored, asked } = withOneTrial();
    const { trials, staleTrials } = await prepareBatch(stored, [record]);
    expect([trials.size, [...staleTrials], asked]).toEqual([1, [1], ["t"]]);
  });
});
