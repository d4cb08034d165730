import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type CallRecord, type Engine } from "../../src/index.ts";
import { checkSentence, MARK, NAMES } from "../support/marked-names.ts";
import { connect, serviceOf, type Asker } from "./clients.ts";

const PROJECT = "red/names";

/** Two runs in which everything that models, judges and datasets name has the name. */
function* calls(name: string): Generator<CallRecord> {
  for (const [i, run] of ["old", "new"].entries()) {
    const root = {
      project_id: PROJECT,
      op_name: `weave:///${PROJECT}/op/${name}:v${i}`,
      started_at: `2026-01-0${i + 1}T00:00:00Z`,
      attributes: { [name]: name },
    };
    const model = `weave:///${PROJECT}/object/${name}${i}:abc`;
    const inputs = { self: `weave:///${PROJECT}/object/${name}:${i}`, model };
    yield {
      ...root,
      op_name: "Evaluation.evaluate",
      id: `${run} ${name}`,
      display_name: `${name} ${i}`,
      inputs,
    };
    for (let row = 0; row < 12; row++) {
      const scores = {
        [name]: { [name]: (row + i) % 3 === 0, text: name },
        number: row === 0 ? 1000 : row * i,
        ...(i === 0 ? { [`${name}.only`]: 1 } : {}),
      };
      yield {
        ...root,
        op_name: "Evaluation.predict_and_score",
        id: `${run} ${row} ${name}`,
        parent_id: `${run} ${name}`,
        inputs: { model, example: { [name]: name, topic: `${name}${row % 2}`, n: row } },
        ...(row === 7 ? { exception: name } : { output: { output: name, scores } }),
      };
    }
  }
}

function equal(left: string, right: unknown): object {
  return { query: { $expr: { $eq: [{ $getField: left }, { $literal: right }] } } };
}

function asked(name: string): readonly (readonly [tool: string, args: object])[] {
  const field = name.replaceAll(".", "\\.");
  const evaluations = [`old ${name}`, `new ${name}`];
  const sides = { baseline: evaluations[0], candidates: [evaluations[1]] };
  return [
    ["list_projects", {}],
    ["list_evaluations", {}],
    ["list_evaluations", { search: name }],
    ["describe_fields", {}],
    ["leaderboard", {}],
    ["leaderboard", { by: "model" }],
    ["leaderboard", { scorers: [field] }],
    ["leaderboard", { scorers: ["nothing"] }],
    ["leaderboard", { by: `inputs.${field}` }],
    ["leaderboard", { by: `attributes.${field}x` }],
    ["leaderboard", { where: { [`attributes.${field}`]: name } }],
    ["leaderboard", { where: { [`attributes.${field}`]: "other" } }],
    ["leaderboard", { sort_by: [`scores.${field}x`] }],
    ["compare", sides],
    ["compare", { ...sides, scorers: [field, "number"] }],
    ["compare", { ...sides, scorers: [`${field}.text`] }],
    ["compare", { ...sides, scorers: [`${field}x`] }],
    ["compare", { ...sides, cluster_by: `inputs.${field}` }],
    ["compare", { ...sides, cluster_by: "inputs.topic" }],
    ["compare", { ...sides, cluster_by: `inputs.${field}x` }],
    ["compare", { ...sides, filters: [equal(`inputs.${field}`, 5)] }],
    ["compare", { ...sides, filters: [equal(`inputs.${field}x`, 5)] }],
    ["compare", { ...sides, baseline: name }],
    ["compare", { ...sides, baseline: `model:${name}` }],
    ["compare", { ...sides, candidates: [evaluations[1], evaluations[1]] }],
    ["summary", { evaluations, pass_k: [1] }],
    ["summary", { evaluations, scorers: [field] }],
    ["summary", { evaluations, scorers: [`${field}x`] }],
    ["rows", { evaluations }],
    ["rows", { evaluations, moved: { field: `scores.${field}.${field}`, baseline: evaluations[0] } }],
    ["rows", { evaluations, moved: { field: `scores.${field}x` } }],
    ["rows", { evaluations, moved: { field: `inputs.${field}` } }],
    ["rows", { evaluations, missing: { field: `scores.${field}x` } }],
    ["rows", { evaluations, filters: [name, equal(name, name)] }],
    ["rows", { evaluations, filters: [equal(`scores.${field}.text`, 7)] }],
    ["rows", { evaluations, sort_by: [`scores.${field}x:desc`] }],
    ["rows", { evaluations, sort_by: [name] }],
    ["row", { evaluations, row: name }],
    ["sql", { statement: `select ${JSON.stringify(name)} from trials` }],
    ["sql", { statement: `select * from ${JSON.stringify(name)}` }],
    ["sql", { statement: name }],
    ["compare", { ...sides, project: name }],
    ["compare", { ...sides, [name]: name }],
    ["compare", { ...sides, confidence: name }],
  ];
}

interface Answer {
  readonly says?: readonly string[];
  readonly warnings?: readonly string[];
  readonly error?: { readonly reason: string; readonly detail: readonly { readonly msg: string }[] };
}

function sentencesOf({ says = [], warnings = [], error }: Answer): readonly string[] {
  const refused = error === undefined ? [] : [error.reason, ...error.detail.map(({ msg }) => msg)];
  return [...says, ...warnings, ...refused];
}

describe.each(NAMES)("the name %j", (name) => {
  let engine: Engine;
  let asker: Asker;

  beforeAll(async () => {
    engine = await openEngine({ threads: 1 });
    await engine.ingestCalls([...calls(name)]);
    asker = await connect("2025-11-25", serviceOf(engine).transport());
    return async () => {
      await asker.close();
      await engine.close();
    };
  });

  it("stands in quotation marks, on one line and short, in each sentence of each tool", async () => {
    let told = 0;
    for (const [tool, args] of asked(name)) {
      const { structured } = await asker.call(tool, { ...args, max_bytes: 100_000 });
      for (const sentence of sentencesOf(structured as Answer)) {
        checkSentence(sentence);
        if (sentence.includes(MARK)) told++;
      }
    }
    expect(told).toBeGreaterThan(10);
  });
});
