import { elementsOf, objectTable } from "./json-table.ts";
import { cellText, type TableReader } from "./table-reader.ts";
import type { JsonCut } from "../../../read/json-cut.ts";
import { parsePlain, readDocument } from "../../../read/json-pieces.ts";
import {
  checkMembers,
  expectObject,
  listAt,
  numberAt,
  objectAt,
  omit,
  textAt,
} from "../../../read/members.ts";
import type { SourceFile } from "../../../read/source-file.ts";
import { hasMembers, isPrefixObject, type Prefix } from "../../../recognise/json-prefix.ts";
import { readTime } from "../../../translate/times.ts";
import type { Json, JsonObject } from "../../../../model/json.ts";

/** What the columns of scores begin with. */
export const SCORE = "score.";
/** What the columns of evaluations begin with. */
export const EVALUATION = "evaluation.";

/** An experiment of Phoenix: a run of the task a record, joined with its evaluations. */
export async function experimentTable(file: SourceFile): Promise<TableReader> {
  const evaluations = new Map<string, JsonObject>();
  for await (const { value } of elementsOf(file, cutOf("evaluation_runs"))) {
    const run = textAt(value, "experiment_run_id") ?? "";
    evaluations.set(run, { ...evaluations.get(run), ...evaluationCells(value) });
  }
  const table = objectTable(async function* () {
    for await (const { value, place } of elementsOf(file, cutOf("task_runs"))) {
      const run = expectObject(value, place);
      yield { place, value: { ...runCells(run), ...evaluations.get(textAt(run, "id") ?? "") } };
    }
  });
  return { ...table, shape: "experiment" };
}

const cutOf = (name: string): JsonCut => ({ members: { [name]: { elements: {} } }, others: "skip" });

function runCells(run: JsonObject): JsonObject {
  const start = readTime(run["start_time"]);
  const end = readTime(run["end_time"]);
  const latency = start === null || end === null ? null : Number(end - start) / 1e6;
  return { ...omit(run, ["end_time", "trace_id"]), latency };
}

/** The score of an evaluation, or its label where it has none, and what else it says. */
function evaluationCells(evaluation: Json): { readonly [column: string]: Json } {
  const key = `${EVALUATION}${textAt(evaluation, "name") ?? "evaluation"}`;
  const { score = null, label = null, explanation = null } = objectAt(evaluation, "result");
  const error = textAt(evaluation, "error");
  return {
    [key]: score ?? label,
    ...(label === null ? {} : { [`${key}.label`]: label }),
    ...(explanation === null ? {} : { [`${key}.explanation`]: explanation }),
    ...(error === null ? {} : { [`${key}.error`]: error }),
  };
}

/** A report of a tool that is one object and no list of records. */
interface Report {
  readonly shape: "evalplus" | "swe-bench" | "vitest";
  readonly fits: (json: { readonly [name: string]: Prefix }) => boolean;
  readonly records: (report: JsonObject, file: string) => readonly JsonObject[];
  readonly notes?: (report: JsonObject) => readonly string[];
}

const REPORTS: readonly Report[] = [
  {
    shape: "evalplus",
    fits: ({ eval: tasks, date, hash }) => isPrefixObject(tasks) && date !== undefined && hash !== undefined,
    records: ({ eval: tasks = {}, date = null }) =>
      Object.entries(expectObject(tasks, "eval")).flatMap(([task_id, samples]) =>
        listAt({ samples }, "samples").map((sample, trial) => ({
          ...withStatus(expectObject(sample, `eval.${task_id}[${trial}]`)),
          task: task_id.replace(/\/.*/s, ""),
          task_id,
          trial,
          date,
        })),
      ),
  },
  {
    shape: "swe-bench",
    fits: (json) => Array.isArray(json["submitted_ids"]) && Array.isArray(json["resolved_ids"]),
    records: sweBenchRecords,
    notes: (report) => {
      const ended = new Set(sweBenchRecords(report, "").map((record) => record["instance_id"]));
      const open = listAt(report, "submitted_ids").filter((id) => !ended.has(id)).length;
      const never = open === 0 ? [] : [`${open} submitted instances never finished; they have no trials`];
      return [...never, ...wrongCounts(report)];
    },
  },
  {
    shape: "vitest",
    fits: ({ testResults }) => Array.isArray(testResults) && hasMembers(testResults[0], "assertionResults"),
    records: vitestRecords,
    notes: (report) => {
      const [all, evals] = [testsOf(report).length, vitestRecords(report).length];
      return all === evals
        ? []
        : [`${all - evals} of ${all} tests have no scores or did not run; they are left out`];
    },
  },
];

const testsOf = (report: JsonObject) =>
  listAt(report, "testResults").flatMap((file) => listAt(file, "assertionResults"));

/** The tests that ran and have scores in `meta.eval`; the time of a test is in milliseconds. */
function vitestRecords(report: JsonObject): JsonObject[] {
  return testsOf(report).flatMap((test) => {
    const { input, output = null, expected = null, scores = null } = objectAt(objectAt(test, "meta"), "eval");
    const [status, duration] = [textAt(test, "status"), numberAt(test, "duration")];
    if (typeof scores !== "object" || scores === null || (status !== "passed" && status !== "failed"))
      return [];
    const named = Array.isArray(scores)
      ? scores.map(
          (one: Json) => [textAt(one, "name") ?? "score", objectAt({ one }, "one")["score"] ?? null] as const,
        )
      : Object.entries(scores);
    const hasFailed = status === "failed" && named.length === 0;
    const record = {
      input: input ?? textAt(test, "fullName"),
      output,
      expected,
      latency: duration === null ? null : duration / 1000,
      error: hasFailed ? cellText(listAt(test, "failureMessages")[0]) || "failed before it was scored" : null,
      pass: hasFailed ? null : status === "passed",
    };
    return [{ ...record, ...Object.fromEntries(named.map(([name, score]) => [`${SCORE}${name}`, score])) }];
  });
}

/** A status other than `pass` is a failure. */
const passed = (status: Json = null) => (typeof status === "string" ? status === "pass" : null);

function withStatus({ base_status: base, plus_status: plus, ...sample }: JsonObject): JsonObject {
  return { ...sample, base_status: passed(base), plus_status: passed(plus) };
}

const OUTCOMES: readonly (readonly [string, JsonObject])[] = [
  ["resolved_ids", { resolved: true }],
  ["unresolved_ids", { resolved: false }],
  ["empty_patch_ids", { resolved: false, empty_patch: true }],
  ["error_ids", { error: "the evaluation of the instance failed" }],
];

/** The outcome of each instance; the file is called `<model>.<run>.json`. */
function sweBenchRecords(report: JsonObject, file: string): JsonObject[] {
  checkMembers(report, { list: OUTCOMES.map(([name]) => name) }, null);
  const [, model = null, run = null] = /^(.+)\.([^.]+)\.json$/.exec(file) ?? [];
  const records = new Map<Json, JsonObject>();
  for (const [name, outcome] of OUTCOMES)
    for (const instance_id of listAt(report, name))
      if (!records.has(instance_id))
        records.set(instance_id, { task: "SWE-bench", instance_id, model, run, ...outcome });
  return [...records.values()];
}

/** Counts of instances that are not as long as the list of these instances. */
function wrongCounts(report: JsonObject): string[] {
  return Object.keys(report).flatMap((name) => {
    const list = name.replace(/_instances$/, "_ids");
    const [stated, ids] = [numberAt(report, name), listAt(report, list)];
    const isCounted = list !== name && stated !== null && report[list] !== undefined;
    return isCounted && stated !== ids.length
      ? [`states ${name} ${stated}, and ${list} has ${ids.length}`]
      : [];
  });
}

export function reportOf(json: Prefix | undefined): Report | null {
  return isPrefixObject(json) ? (REPORTS.find(({ fits }) => fits(json)) ?? null) : null;
}

export async function reportTable(file: SourceFile, { shape, records, notes }: Report): Promise<TableReader> {
  const report = expectObject(parsePlain(await readDocument(file.bytes())), null);
  const all = records(report, file.name.replace(/^.*[/\\]/, ""));
  const table = objectTable(async function* () {
    for (const [i, value] of all.entries()) yield { place: `record ${i + 1}`, value };
  });
  const resolved = numberAt(report, "resolved_instances");
  const figures = new Map(resolved === null ? [] : [["resolved_instances", resolved]]);
  return { ...table, shape, figures, notes: () => notes?.(report) ?? [] };
}

/** A table whose records are other objects; null leaves one out. */
export async function mappedTable(
  reader: TableReader,
  map: (record: JsonObject) => JsonObject | null,
): Promise<TableReader> {
  const mapped = objectTable(async function* () {
    for await (const { place, cells, fault } of reader.records()) {
      const members = reader.columns.flatMap((name, i) => {
        const cell = cells[i];
        return cell === undefined ? [] : [[name, cell] as const];
      });
      const value = fault === undefined ? map(Object.fromEntries(members)) : null;
      if (fault !== undefined) yield { place, value, fault };
      else if (value !== null) yield { place, value };
    }
  });
  await mapped.findColumns?.();
  return { ...reader, ...mapped, isText: reader.isText, notes: () => reader.notes?.() ?? [] };
}
