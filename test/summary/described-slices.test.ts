import { beforeAll, describe, expect, it } from "vitest";
import type { EvalResultsRequest, Summary } from "../../src/index.ts";
import { importBytes, PROJECT } from "../import/imports.ts";
import { sharedEngine } from "../import/shared.ts";
import { connect, serviceOf } from "../mcp/clients.ts";

const engine = await sharedEngine();

/** Four questions, asked twice of each model; `failure` is what a run says of a trial. */
const LINES = [
  ["a", "1", "m", "true", "none", "law"],
  ["a", "1", "m", "false", "tool", "law"],
  ["b", "2", "m", "false", "tool", "law"],
  ["b", "2", "m", "true", "tool", "law"],
  ["c", "3", "m", "", "format", "art"],
  ["a", "1", "n", "true", "none", "law"],
  ["b", "2", "n", "false", "none", "law"],
  ["c", "3", "n", "true", "", "art"],
];
const HEAD = ["question", "id", "model", "correct", "failure", "topic"];
const TABLE = [HEAD, ...LINES].map((line) => line.join(",")).join("\n");

let ids: string[];
beforeAll(async () => {
  const { evaluations } = await importBytes(engine, TABLE, {}, "t.csv");
  ids = evaluations.map((one) => one.evaluation_call_id);
});

async function summaryOf(more: EvalResultsRequest): Promise<Summary> {
  const { summary } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ids,
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
    ...more,
  });
  if (summary === null) throw new Error("no summary");
  return summary;
}

/** Trials with a score and a value of a column, and the mean, by a count over the lines. */
function countedOf(model: string, value: string, column = 4) {
  const own = LINES.filter((line) => line[2] === model && line[column] === value && line[3] !== "");
  const right = own.filter((line) => line[3] === "true").length;
  const mean = own.length === 0 ? null : right / own.length;
  return { value: [value], trial_count: own.length, mean, descriptive: true };
}

describe("slices by what trials tell of themselves", () => {
  it("describe: each value has its trials and their mean, no interval and no test", async () => {
    const { slicing, evaluations } = await summaryOf({ by: "output.details.failure" });
    expect(slicing).toEqual({
      fields: ["output.details.failure"],
      slice_count: 3,
      overlapping: false,
      others: [],
      descriptive: true,
      values: [
        { value: ["none"], row_count: 2, trial_count: 3 },
        { value: ["tool"], row_count: 2, trial_count: 3 },
        { value: ["format"], row_count: 1, trial_count: 1 },
      ],
    });
    const slices = evaluations.map(({ scorer_stats: all }) => all[0]?.slices);
    const values = ["none", "tool", "format"];
    expect(slices).toEqual(["m", "n"].map((model) => values.map((value) => countedOf(model, value))));
  });

  it("are told in a leaderboard, together with fields of rows, and over filtered rows", async () => {
    const board = await engine.leaderboard(PROJECT, { evaluations: ids, by: ["output.details.failure"] });
    expect(board.slicing).toMatchObject({ descriptive: true });
    const of = new Map(board.entries.map(({ model, scores }) => [model, scores[0]?.slices?.[0]]));
    expect(of.get("m")).toEqual(countedOf("m", "none"));
    const { slicing } = await summaryOf({ by: ["inputs.topic", "output.details.failure"] });
    expect(slicing?.values.map(({ value, trial_count: count }) => [...value, count])).toEqual([
      ["law", "none", 3],
      ["law", "tool", 3],
      ["art", "format", 1],
    ]);
    const filters = [
      { query: { $expr: { $eq: [{ $getField: "inputs.topic" }, { $literal: "art" }] } } },
    ] as const;
    const { slicing: art } = await summaryOf({ by: "output.details.failure", filters });
    expect(art?.values).toEqual([{ value: ["format"], row_count: 1, trial_count: 1 }]);
  });

  it("cannot be compared, and are of details alone", async () => {
    const [baseline = "", ...candidates] = ids;
    const compared = engine.compareEvaluations(PROJECT, {
      baseline,
      candidates,
      by: "output.details.failure",
    });
    await expect(compared).rejects.toThrow("describe trials and cannot be compared");
    for (const by of ["output.details", "output.scores.correct", "output.details."])
      await expect(summaryOf({ by: by as "inputs.failure" })).rejects.toThrow(
        "there are inputs.<path>, attributes.<path>, output.details.<path>",
      );
  });

  it("are pointed to where a field of rows is asked for that trials alone have", async () => {
    await expect(summaryOf({ by: "inputs.failure" })).rejects.toThrow(
      "no row has failure; trials do: output.details.failure",
    );
    const filters = [
      { query: { $expr: { $eq: [{ $getField: "inputs.failure" }, { $literal: "tool" }] } } },
    ] as const;
    const { warnings } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ids, filters });
    expect(warnings).toEqual(["filters: no row has failure; trials do: output.details.failure"]);
    await expect(summaryOf({ by: "output.details.failures" })).rejects.toThrow("output.details.failure");
  });
});

describe("details of trials", () => {
  it("are in each trial of the rows where they are asked for", async () => {
    const asked = { evaluation_call_ids: [ids[0] ?? ""], include_details: true };
    const { rows } = await engine.queryEvalResults(PROJECT, asked);
    const details = rows.flatMap(({ evaluations: [one] }) => one?.trials.map((trial) => trial.details) ?? []);
    expect(details).toContainEqual({ failure: "format" });
    const { rows: plain } = await engine.queryEvalResults(PROJECT, { ...asked, include_details: false });
    expect(plain[0]?.evaluations[0]?.trials[0]).not.toHaveProperty("details");
  });
});

describe("slices by what trials tell, over the service", () => {
  const by = "output.details.failure" as const;

  it("are those that the engine answers, over HTTP", async () => {
    const { handler, key } = serviceOf(engine);
    const request = { evaluation_call_ids: ids, include_rows: false, include_summary: true, by };
    const answer = await handler(
      new Request(`http://evals.test/v2/${PROJECT}/eval_results/query`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`api:${key}`)}`, "content-type": "application/json" },
        body: JSON.stringify(request),
      }),
    );
    const { summary } = (await answer.json()) as { readonly summary: Summary };
    expect(summary.slicing).toMatchObject({ fields: [by], descriptive: true });
    expect(summary).toEqual((await engine.queryEvalResults(PROJECT, request)).summary);
  });

  it("are refused in a comparison, over MCP", async () => {
    const { call, close } = await connect("2025-11-25", serviceOf(engine).transport());
    const [baseline = "", ...candidates] = ids;
    const refusal = await engine.compareEvaluations(PROJECT, { baseline, candidates, by }).then(
      () => "nothing is refused",
      (error: unknown) => (error as Error).message,
    );
    const { isError, text } = await call("compare", { project: PROJECT, baseline, candidates, by });
    expect(isError).toBe(true);
    expect(text).toContain(refusal.replace(/^[^:]*: /, "").slice(0, 40));
    await close();
  });
});
