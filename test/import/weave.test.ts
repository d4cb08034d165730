import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { SHARED_DATA } from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";
import { importBytes, recordCount } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();

type Members = Readonly<Record<string, unknown>>;

interface Exchange {
  readonly path: string;
  readonly body: Members | null;
  readonly response: Members;
}

const WIRE = new URL("weave-wire/", SHARED_DATA);
const missing = existsSync(WIRE) ? null : `no folder ${WIRE.pathname}`;

/** What Weave's trace server would answer after a recorded run of its Python SDK: calls and dataset rows. */
function recorded(): { readonly calls: Members[]; readonly rows: Members[] } {
  const exchanges = readFileSync(new URL("py-evaluate.ndjson", WIRE), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Exchange);
  const calls = new Map<unknown, Members>();
  const rows: Members[] = [];
  for (const { path, body, response } of exchanges) {
    if (body === null) continue;
    const parts = [body["start"], body["end"], ...((body["batch"] ?? []) as unknown[])].filter(Boolean);
    if (/call/.test(path))
      for (const part of parts as Members[]) calls.set(part["id"], { ...calls.get(part["id"]), ...part });
    if (path !== "/table/create") continue;
    const { rows: values } = body["table"] as { readonly rows: readonly unknown[] };
    const digests = response["row_digests"] as readonly string[];
    rows.push(...values.map((val, i) => ({ digest: digests[i], val, original_index: i })));
  }
  return { calls: [...calls.values()], rows };
}

describe.skipIf(missing !== null)(`calls of Weave's SDK${because(missing)}`, () => {
  const SHAPES: readonly (readonly [string, (calls: readonly Members[]) => string])[] = [
    ["lines", (calls) => calls.map((one) => JSON.stringify(one)).join("\n")],
    ["a list", (calls) => JSON.stringify(calls, null, 1)],
    ["an object with a list", (calls) => JSON.stringify({ calls })],
    [
      "lines, the last call first",
      (calls) =>
        calls
          .toReversed()
          .map((one) => JSON.stringify(one))
          .join("\r\n"),
    ],
  ];

  it.each(SHAPES)("in %s are loaded as an ingest loads them", async (_, write) => {
    const { calls, rows } = recorded();
    const [imported, ingested] = [await openEngine(), await openEngine()];
    try {
      const result = await imported.importEvaluations(
        { bytes: Buffer.from(write(calls)), name: "calls" },
        {},
      );
      expect(result).toMatchObject([
        {
          format: "weave",
          evaluations: [{ task: "sums-eval", model: "adder-0", rows: 4, trials: 8, errors: 2 }],
          received: calls.length,
          stored: calls.length,
        },
      ]);
      await importBytes(imported, rows.map((row) => JSON.stringify(row)).join("\n"), {
        project: "acme/py-evaluate",
      });
      await ingested.ingestCalls(calls as readonly object[]);
      await ingested.ingestRows(
        rows.map(({ digest, val }): object => ({ project_id: "acme/py-evaluate", digest, val })),
      );
      const ids = result[0]?.evaluations.map((one) => one.evaluation_call_id) ?? [];
      const answer = async (of: Engine) =>
        await of.queryEvalResults("acme/py-evaluate", {
          evaluation_call_ids: ids,
          include_raw_data_rows: true,
          resolve_row_refs: true,
          include_summary: true,
        });
      const answered = await answer(imported);
      expect(answered).toEqual(await answer(ingested));
      // Six of eight trials are exact, as the SDK counted them.
      expect(
        answered.summary?.evaluations[0]?.scorer_stats.find((one) => one.scorer_key === "exact"),
      ).toMatchObject({
        pass_true_count: 6,
      });
      expect(await imported.ingestCalls(calls as readonly object[])).toMatchObject({ stored: 0 });
    } finally {
      await imported.close();
      await ingested.close();
    }
  });
});

const PROJECT = "acme/exported";

function call(id: string, others: Members = {}): Members {
  return {
    id,
    project_id: PROJECT,
    op_name: `weave:///${PROJECT}/op/Evaluation.evaluate:x`,
    trace_id: id,
    started_at: "2026-01-01T00:00:00Z",
    inputs: { self: `weave:///${PROJECT}/object/quiz:v1`, model: `weave:///${PROJECT}/object/small:v1` },
    ...others,
  };
}

function trial(root: string, row: string, others: Members = {}): Members {
  return call(`${root}-${row}`, {
    op_name: "Evaluation.predict_and_score",
    parent_id: root,
    inputs: { example: `weave:///${PROJECT}/object/d:v/attr/rows/id/${row}` },
    output: { output: "a", scores: { exact: true } },
    ...others,
  });
}

const lines = (...records: readonly unknown[]) => records.map((one) => JSON.stringify(one)).join("\n");
const bytes = (text: string) => ({ bytes: Buffer.from(text), name: "calls" });

/** An evaluation of one trial whose score is written so. */
function score(digits: string): string {
  return lines(call("e3"), trial("e3", "r1", { output: { scores: { n: "@" } } })).replace('"@"', digits);
}

describe("an export of Weave", () => {
  it("keeps its project, and shares rows between models", async () => {
    const text = lines(
      call("e1"),
      trial("e1", "r1"),
      trial("e1", "r2", { exception: "boom" }),
      call("e2"),
      trial("e2", "r1"),
    );
    const [result] = await engine.importEvaluations(bytes(text), {});
    expect(result?.evaluations).toMatchObject([
      {
        evaluation_call_id: "e1",
        task: "quiz",
        model: "small",
        rows: 2,
        trials: 2,
        errors: 1,
        scorers: ["exact"],
      },
      { evaluation_call_id: "e2", trials: 1 },
    ]);
    expect(await engine.importEvaluations(bytes(text), { project: PROJECT })).toMatchObject([
      { stored: 0, unchanged: 5 },
    ]);
    const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["e1", "e2"] });
    expect(rows.map((row) => row.evaluations.length).toSorted((a, b) => a - b)).toEqual([1, 2]);
  });

  it("keeps its digits, and reads NaN as no value", async () => {
    await engine.importEvaluations(bytes(score("12345678901234567890")), {});
    const value = async () => {
      const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["e3"] });
      return rows[0]?.evaluations[0]?.trials[0]?.scores;
    };
    expect(await value()).toEqual({ n: 12345678901234567890n });
    await engine.importEvaluations(bytes(score("NaN")), {});
    expect(await value()).toEqual({ n: null });
  });

  it("counts trials whose evaluation is elsewhere, and rows need a project", async () => {
    const [result] = await engine.importEvaluations(bytes(lines(trial("e9", "r1"))), {});
    expect(result?.notes).toEqual([
      "1 trials belong to evaluations that are not in the file",
      "no evaluation is among the calls",
    ]);
    const rows = bytes(JSON.stringify({ rows: [{ digest: "r1", val: { q: 1.5 }, original_index: 0 }] }));
    await expect(engine.importEvaluations(rows, {})).rejects.toThrow(/does not say its project/);
    expect(await engine.importEvaluations(rows, { project: PROJECT })).toMatchObject([
      { received: 1, stored: 1 },
    ]);
    expect(await engine.importEvaluations(rows, { project: PROJECT })).toMatchObject([
      { stored: 0, unchanged: 1 },
    ]);
  });

  it.each([
    [
      "a call of another project",
      { ...call("x"), project_id: "acme/other" },
      "line 2, project_id",
      /acme\/other/,
    ],
    ["a call without a start", { ...call("x"), started_at: null }, "line 2, started_at", /required/],
    ["a time that is none", { ...call("x"), started_at: "yesterday" }, "line 2, started_at", /ISO 8601/],
    ["something else", { a: 1 }, "line 2", /neither a call nor a dataset row/],
  ])("with %s is refused by its place, or read without it", async (_, record, place, reason) => {
    const before = await recordCount(engine);
    const text = lines(call("new"), record);
    const refused = engine.importEvaluations(bytes(text), { project: PROJECT });
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toMatchObject({ code: "invalid", source: "calls", place });
    expect(await recordCount(engine)).toBe(before);
    const rest = await engine.importEvaluations(bytes(text), {
      project: PROJECT,
      onInvalid: "skip",
      dryRun: true,
    });
    expect(rest).toMatchObject([{ received: 1, rejected: [{ place }] }]);
  });

  it("that is cut stores nothing and says so", async () => {
    const before = await recordCount(engine);
    for (const text of [
      lines(call("c1"), trial("c1", "r")),
      JSON.stringify([call("c1"), trial("c1", "r")]),
    ]) {
      const cut = engine.importEvaluations(bytes(text.slice(0, -20)), {});
      await expect(cut).rejects.toMatchObject({ name: "ImportError", source: "calls" });
    }
    expect(await recordCount(engine)).toBe(before);
  });

  it("alone does without a project", async () => {
    const log = bytes("id,model,score\n1,m,1\n");
    await expect(engine.importEvaluations(log, {})).rejects.toThrow(/does not say its project: name it/);
  });
});
