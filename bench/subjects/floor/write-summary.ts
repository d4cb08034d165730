import type { DuckDBValue } from "@duckdb/node-api";
import type { Question } from "../../question.ts";
import { scoreLeaves, type ScoreLeaf } from "../score-leaves.ts";
import { scorerStat } from "../score-stats.ts";
import { keysOf } from "./keys.ts";
import type { OpenFile, StoredEvaluation } from "./open-file.ts";
import { summaryStatement } from "./statements.ts";

interface Sum {
  readonly count: number;
  readonly sum: number;
}

/** The answer to a question about the summary alone. */
export async function writeSummary(file: OpenFile, question: Question): Promise<string> {
  const found = await file.kept(summaryStatement(keysOf(file, question)));
  const sums = new Map(
    found.map(([evaluation, path, ...sum]) => [`${String(evaluation)} ${String(path)}`, sumOf(sum)]),
  );
  const evaluations = question.evaluationIds.map((id) => evaluationSummary(file, id, sums));
  const summary = { row_count: sums.get("null null")?.count ?? 0, evaluations };
  return `{"rows":[],"total_rows":0,"summary":${JSON.stringify(summary)},"warnings":[]}`;
}

function sumOf([count, sum]: readonly DuckDBValue[]): Sum {
  return { count: Number(count), sum: Number(sum) };
}

function evaluationSummary(file: OpenFile, id: string, sums: ReadonlyMap<string, Sum>) {
  const evaluation = file.evaluations.find((one) => one.id === id);
  const trials = sums.get(`${evaluation?.key} null`);
  return {
    evaluation_call_id: id,
    trial_count: trials?.count ?? 0,
    scorer_stats: scoreLeaves.flatMap((leaf) => {
      const path = file.paths.get(JSON.stringify([leaf.key, ...(leaf.path?.split(".") ?? [])]));
      const sum = sums.get(`${evaluation?.key} ${path}`);
      return sum === undefined ? [] : [stat(leaf, sum)];
    }),
    evaluation_ref: evaluation?.evaluationRef ?? null,
    model_ref: evaluation?.modelRef ?? null,
    display_name: evaluation?.displayName ?? null,
    trace_id: evaluation?.traceId ?? null,
    started_at: startedAt(evaluation),
    predict_total_tokens: trials?.sum ?? null,
    predict_total_cost: null,
  };
}

const valueTypes = { boolean: "binary", number: "continuous", text: "text" } as const;

/** With its type between the path and the counts, where evalcube writes it. */
function stat({ key, path, kind }: ScoreLeaf, { count, sum }: Sum) {
  const [numbers, known] = [kind === "number" ? count : 0, kind === "boolean" ? count : 0];
  const passed = kind === "boolean" ? sum : 0;
  const counted = scorerStat({ key, path, leaves: count, numbers, sum, known, passed });
  const { scorer_key, path: below, ...counts } = counted;
  return { scorer_key, path: below, value_type: valueTypes[kind], ...counts };
}

function startedAt(evaluation: StoredEvaluation | undefined): string | null {
  const microseconds = evaluation?.startedAt ?? null;
  if (microseconds === null) return null;
  const milliseconds = new Date(Number(microseconds / 1000n)).toISOString();
  return milliseconds.replace("Z", `${String(microseconds % 1000n).padStart(3, "0")}Z`);
}
