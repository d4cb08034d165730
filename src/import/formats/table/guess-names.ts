import type { TableMapping } from "../../translate/table-mapping.ts";

/** Roles of which a table has one column, and the names by which it is guessed, in order. */
export type SingleRole =
  | "row"
  | "model"
  | "evaluation"
  | "task"
  | "expected"
  | "output"
  | "trial"
  | "error"
  | "started"
  | "latency"
  | "tokens"
  | "cost";

/** A name of a column as guesses see it: lower case, `_` for what divides words. */
export function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s.-]/g, "_");
}

/** Names that a role is guessed by; `*` stands for any end. */
export const GUESSES: Readonly<Record<SingleRole, readonly string[]>> = {
  row: [
    "row_id",
    "sample_id",
    "example_id",
    "question_id",
    "instance_id",
    "task_id",
    "item_id",
    "doc_id",
    "prompt_id",
    "test_id",
    "id",
    "index",
  ],
  model: ["model", "model_name", "model_id", "system", "llm", "engine", "agent", "provider"],
  evaluation: ["evaluation", "experiment", "experiment_id", "run", "run_id", "variant"],
  task: ["task", "benchmark", "dataset", "suite"],
  expected: [
    "expected",
    "expected_output",
    "target",
    "reference",
    "ground_truth",
    "answer_key",
    "label",
    "gold",
    "ideal",
  ],
  output: [
    "output",
    "outputs",
    "response",
    "prediction",
    "completion",
    "model_output",
    "generated",
    "answer",
    "actual_output",
  ],
  trial: ["trial", "epoch", "repeat", "attempt", "sample_index", "seed", "iteration", "replicate"],
  error: ["error", "exception", "error_message"],
  started: ["started_at", "timestamp", "created_at"],
  latency: ["latency*", "duration*", "elapsed*", "execution_time"],
  tokens: ["total_tokens", "tokens"],
  cost: ["cost*"],
};

export const INPUT_NAMES = [
  "input",
  "inputs",
  "question",
  "prompt",
  "query",
  "user_input",
  "problem",
  "instruction",
  "input_*",
];

const SCORE_WORDS = [
  "score",
  "correct",
  "pass",
  "passed",
  "success",
  "accuracy",
  "acc",
  "em",
  "exact_match",
  "f1",
  "bleu",
  "rating",
  "grade",
  "reward",
];

const SCORE_BEGINS = ["rouge", "is_", "judge"];

/** Whether a column is guessed to be a score: its name is one of these words, or begins or ends with one. */
export function isScoreName(name: string): boolean {
  const plain = plainName(name);
  return (
    SCORE_BEGINS.some((begin) => plain.startsWith(begin)) ||
    SCORE_WORDS.some((word) => plain === word || plain.startsWith(`${word}_`) || plain.endsWith(`_${word}`))
  );
}

export const METRIC_NAMES = ["metric", "scorer", "metric_name", "criterion"];
export const VALUE_NAMES = ["value", "score", "result"];

/** Columns that fit the first of these names that any column fits. */
export function firstFitting(columns: readonly string[], names: readonly string[]): string[] {
  for (const name of names) {
    const found = columns.filter((column) => fitsPattern(plainName(column), name));
    if (found.length > 0) return found;
  }
  return [];
}

/** Whether a text fits a pattern in which `*` stands for any characters. */
export function fitsPattern(text: string, pattern: string): boolean {
  const [begin = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return text === pattern;
  if (!text.startsWith(begin)) return false;
  let at = begin.length;
  const end = rest.pop() ?? "";
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - end.length >= at && text.endsWith(end);
}

/** The flag of a role, as the command has it. */
export function flagOf(role: keyof TableMapping): string {
  const names: Readonly<Record<string, string>> = {
    modelName: "--model",
    evaluationName: "--evaluation",
    taskName: "--task",
    scoreName: "--score",
    modelColumns: "--model-columns",
  };
  return names[role] ?? `--${role}-column`;
}
