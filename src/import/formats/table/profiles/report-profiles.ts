import type { JsonObject } from "../../../../model/json.ts";
import { listAt, objectAt, textAt } from "../../../read/members.ts";
import { mappedTable, SCORE } from "../readers/report-table.ts";
import { columnsFrom, present, rolesOf, type TableProfile } from "./tool-profiles.ts";

const EVALUATOR = /^outputs\.([^.]+\..+)$/;
const BESIDE_SCORE = /(^|[_.])(reason|result|threshold)$/;

/** Azure AI Evaluation and prompt flow: `inputs.*`, and `outputs.<evaluator>.<metric>`. */
export const azure: TableProfile = {
  name: "Azure AI Evaluation",
  fits: ({ columns }) =>
    columnsFrom(columns, "inputs.").length > 0 && columns.some((column) => EVALUATOR.test(column)),
  rename: (column) => (column === "line_number" ? null : column.replace(EVALUATOR, "$1")),
  roles: (columns) => {
    // Answers that were there before are inputs of the evaluators; to the model they are none.
    const output = present(columns, "outputs.response", "outputs.answer", "inputs.response", "inputs.answer");
    const expected = present(columns, "inputs.ground_truth");
    const inputs = columnsFrom(columns, "inputs.").filter(
      (name) => !/\.(response|answer|ground_truth)$/.test(name),
    );
    const metadata = columnsFrom(columns, "outputs.").filter(
      (name) => !output.includes(name) && (BESIDE_SCORE.test(name) || !EVALUATOR.test(name)),
    );
    return { row: [], ...rolesOf({ input: inputs, expected, output: output.slice(0, 1), metadata }) };
  },
  scoresAreNumbers: true,
};

/** Output items of the Evals API of OpenAI: an evaluation a run, a trial an item. */
export const evalsApi: TableProfile = {
  name: "the Evals API of OpenAI",
  fits: ({ columns }) =>
    present(columns, "run_id", "eval_id", "datasource_item", "results", "sample").length === 5,
  open: (reader) => mappedTable(reader, outputItem),
  roles: (columns) => ({
    row: [],
    input: "datasource_item",
    output: "output",
    model: "model",
    task: "eval_id",
    evaluation: "run_id",
    score: columnsFrom(columns, SCORE),
    error: "error",
    tokens: "total_tokens",
    started: "created_at",
  }),
  rename: (column) => (column.startsWith(SCORE) ? column.slice(SCORE.length) : column),
};

function outputItem({ sample, results, ...item }: JsonObject): JsonObject {
  const answers = listAt(sample, "output");
  const failed = objectAt(sample, "error");
  const error = [textAt(failed, "code"), textAt(failed, "message")]
    .filter((part) => part !== null)
    .join(": ");
  const scores = listAt({ results: results ?? null }, "results").map((one) => {
    const { score = null, passed = null } = one as JsonObject;
    return [`${SCORE}${textAt(one, "name") ?? "passed"}`, score ?? passed] as const;
  });
  return {
    ...Object.fromEntries(
      ["run_id", "eval_id", "datasource_item", "created_at"].map((name) => [name, item[name] ?? null]),
    ),
    model: textAt(sample, "model"),
    output: objectAt({ last: answers.at(-1) ?? null }, "last")["content"] ?? null,
    error,
    total_tokens: objectAt(sample, "usage")["total_tokens"] ?? null,
    ...Object.fromEntries(scores),
  };
}

/** EvalPlus: a row a task, a trial a sample. */
export const evalPlus: TableProfile = {
  name: "EvalPlus",
  fits: ({ shape }) => shape === "evalplus",
  roles: (columns) => ({
    task: "task",
    row: "task_id",
    input: [],
    trial: "trial",
    started: "date",
    score: ["base_status", "plus_status"],
    ...rolesOf({ output: present(columns, "solution") }),
  }),
};

/** A report of SWE-bench. */
export const sweBench: TableProfile = {
  name: "SWE-bench",
  fits: ({ shape }) => shape === "swe-bench",
  roles: (columns) => ({
    task: "task",
    row: "instance_id",
    model: "model",
    evaluation: "run",
    score: "resolved",
    ...rolesOf({ error: present(columns, "error") }),
  }),
};

/** Judgments of MT-bench: a turn is a trial; a score of -1 says that the judge gave none. */
export const mtBench: TableProfile = {
  name: "MT-bench",
  fits: ({ columns }) => present(columns, "question_id", "judgment", "score", "turn").length === 4,
  open: async (reader) => {
    const unread = new Set<string>();
    const table = await mappedTable(reader, (record) => {
      const judged = { ...record, task: "MT-bench" };
      if (Number(record["score"]) !== -1) return judged;
      unread.add(
        JSON.stringify([record["question_id"] ?? null, record["model"] ?? null, record["turn"] ?? null]),
      );
      return { ...judged, score: null };
    });
    const told = () => `${unread.size} judgments have a score of -1, which is no value`;
    return { ...table, notes: () => [...(reader.notes?.() ?? []), ...(unread.size === 0 ? [] : [told()])] };
  },
  roles: (columns) => ({
    task: "task",
    row: "question_id",
    input: [],
    trial: "turn",
    score: "score",
    ...rolesOf({ model: present(columns, "model"), started: present(columns, "tstamp") }),
  }),
};

/** evalite: a task an eval, a trial a result. */
export const evalite: TableProfile = {
  name: "evalite",
  fits: ({ columns }) => present(columns, "evals.name", "input", "output", "scores", "status").length === 5,
  open: (reader) => mappedTable(reader, evaliteResult),
  roles: (columns) => ({
    task: "evals.name",
    row: [],
    input: "input",
    output: "output",
    score: columnsFrom(columns, SCORE),
    ...rolesOf({
      expected: present(columns, "expected"),
      latency: present(columns, "latency"),
      error: ["error"],
    }),
  }),
  rename: (column) => (column.startsWith(SCORE) ? column.slice(SCORE.length) : column),
};

/** Vitest JSON with scores in the meta of its tests. */
export const vitest: TableProfile = {
  name: "Vitest",
  fits: ({ shape }) => shape === "vitest",
  roles: (columns) => ({
    row: [],
    input: "input",
    score: [...present(columns, "pass"), ...columnsFrom(columns, SCORE)],
    ...rolesOf(
      Object.fromEntries(
        ["output", "expected", "latency", "error"].map((name) => [name, present(columns, name)]),
      ),
    ),
  }),
  rename: (column) => (column.startsWith(SCORE) ? column.slice(SCORE.length) : column),
};

function evaliteResult(record: JsonObject): JsonObject {
  const named = listAt(record, "scores").map((one) => {
    const { score = null } = one as JsonObject;
    return [`${SCORE}${textAt(one, "name") ?? "score"}`, score] as const;
  });
  const { input = null, output = null, expected = null, duration = null } = record;
  const hasFailed = record["status"] === "fail" && named.length === 0;
  return {
    "evals.name": record["evals.name"] ?? null,
    input,
    output,
    expected,
    latency: typeof duration === "number" ? duration / 1000 : null,
    error: hasFailed ? "failed before it was scored" : null,
    ...Object.fromEntries(named),
  };
}
