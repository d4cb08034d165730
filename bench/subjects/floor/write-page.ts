import type { DuckDBValue } from "@duckdb/node-api";
import type { Page, Question } from "../../question.ts";
import { keysOf } from "./keys.ts";
import type { OpenFile } from "./open-file.ts";
import { pageStatement, rowValuesStatement, trialsStatement } from "./statements.ts";

interface Trial {
  /** The place of its evaluation in the question. */
  readonly place: number;
  readonly startedAt: bigint;
  readonly id: string;
  /** As the answer has it. */
  readonly text: string;
  /** The row's value where the trial has it inline. */
  readonly inline: string | null;
  readonly isInline: boolean;
}

/** The answer to a question about rows. The data have neither late scores, costs nor spans. */
export async function writePage(file: OpenFile, question: Question, page: Page): Promise<string> {
  const keys = keysOf(file, question);
  const found = await file.kept(pageStatement(keys, question, page));
  const digests = new Map(found.map(([row, digest]) => [Number(row), String(digest)]));
  const [trials, values] = await Promise.all([
    file.once(trialsStatement(found.map((record) => Number(record[3])))),
    page.rawDataRows ? file.once(rowValuesStatement([...digests.keys()])) : [],
  ]);
  const ofRows = trialsOfRows(trials, new Map(keys.evaluations.map((key, place) => [key, place])));
  const stored = new Map(values.map(([row, val, example]) => [Number(row), { val, example }]));
  const rows = [...digests].map(([row, digest]) => {
    const ordered = (ofRows.get(row) ?? []).sort(byPlace);
    const raw = page.rawDataRows ? rawRow(ordered[0], stored.get(row)) : "null";
    return `{"row_digest":"${digest}","raw_data_row":${raw},"evaluations":[${evaluations(question, ordered)}]}`;
  });
  const total = Number(found[0]?.[2] ?? 0);
  return `{"rows":[${rows.join(",")}],"total_rows":${total},"summary":null,"warnings":[]}`;
}

function trialsOfRows(
  records: readonly (readonly DuckDBValue[])[],
  places: ReadonlyMap<number, number>,
): Map<number, Trial[]> {
  const rows = new Map<number, Trial[]>();
  for (const record of records) {
    const [row, evaluation, startedAt, id, , , , , , prefix, example] = record;
    const trial: Trial = {
      place: places.get(Number(evaluation)) ?? 0,
      startedAt: typeof startedAt === "bigint" ? startedAt : 0n,
      id: String(id),
      text: trialText(record),
      inline: typeof example === "string" ? example : null,
      isInline: prefix === null,
    };
    const others = rows.get(Number(row));
    if (others === undefined) rows.set(Number(row), [trial]);
    else others.push(trial);
  }
  return rows;
}

/** Outputs are `{"output":…,"scores":…,"model_latency":…}`, and texts of an output hold no quoted `scores`. */
function trialText(record: readonly DuckDBValue[]): string {
  const [id = "", predict = "", output = "", scorers = "", latency = "", tokens = ""] = record
    .slice(3, 9)
    .map(String);
  const scores = output.indexOf(SCORES);
  return `{"predict_and_score_call_id":"${id}","predict_call_id":"${predict}"\
,"model_output":${output.slice(OUTPUT.length, scores)}\
,"scores":${output.slice(scores + SCORES.length, output.lastIndexOf(LATENCY))}\
,"model_latency_seconds":${latency},"total_tokens":${tokens},"scorer_call_ids":${scorers}\
,"total_cost":null,"genai_span_ref":null}`;
}

const OUTPUT = '{"output":';
const SCORES = ',"scores":';
const LATENCY = ',"model_latency":';

function byPlace(a: Trial, b: Trial): number {
  if (a.place !== b.place) return a.place - b.place;
  if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

function evaluations({ evaluationIds }: Question, ordered: readonly Trial[]): string {
  let text = "";
  let last = -1;
  for (const trial of ordered) {
    if (trial.place === last) text += `,${trial.text}`;
    else {
      const end = last === -1 ? "" : "]},";
      text += `${end}{"evaluation_call_id":"${evaluationIds[trial.place]}","trials":[${trial.text}`;
    }
    last = trial.place;
  }
  return last === -1 ? "" : `${text}]}`;
}

interface StoredRow {
  readonly val: DuckDBValue | undefined;
  readonly example: DuckDBValue | undefined;
}

function rawRow(first: Trial | undefined, stored: StoredRow | undefined): string {
  if (first?.isInline !== true) return String(stored?.val);
  return first.inline ?? String(stored?.example);
}
