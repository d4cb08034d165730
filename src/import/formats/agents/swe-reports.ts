import path from "node:path";
import { figureOf, unchecked } from "../../check/agreement.ts";
import type { RunFiles, SourcePart } from "../../format.ts";
import { SourceFault } from "../../read/fault.ts";
import { checkMembers, listAt, numberAt, objectAt, textAt } from "../../read/members.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject } from "../../recognise/json-prefix.ts";
import type { LogItem, LogTrial } from "../../translate/log-parts.ts";
import { isJsonObject, type JsonObject } from "../../../model/json.ts";
import { readPart } from "./read-part.ts";

/** How an instance of SWE-bench ended; null where a report names it and does not say. */
type Outcome = boolean | "error" | null;

/** A verdict, and the report that gives it. */
interface InstanceVerdict {
  readonly outcome: Outcome;
  readonly report: string;
}

/** Lists of a report, the one that decides first. */
const OUTCOMES: readonly (readonly [string, Outcome])[] = [
  ["resolved_ids", true],
  ["error_ids", "error"],
  ["unresolved_ids", false],
  ["empty_patch_ids", false],
  ["submitted_ids", null],
];

/** What a file tells of the instances of other files. */
function sweRole({ json }: Head): string | null {
  if (!isPrefixObject(json)) return null;
  if (hasMembers(json, "submitted_ids", "resolved_ids")) return "report";
  const values = Object.values(json);
  if (values.length === 0) return null;
  if (values.every((one) => hasMembers(one, "resolved"))) return "report";
  return values.every((one) => hasMembers(one, "model_name_or_path", "instance_id")) ? "predictions" : null;
}

/** What runs over SWE-bench have in common. */
export function sweFiles(
  role: string,
  isTrial: (head: Head) => boolean,
  own: Pick<RunFiles, "runOf" | "owns"> & Partial<RunFiles>,
): RunFiles {
  return {
    counts: [role],
    takes: ["report", "predictions"],
    ...own,
    roleOf: (head) => (isTrial(head) ? role : sweRole(head)),
    runOf: (file, of, head) => (of === role ? own.runOf(file, of, head) : null),
  };
}

/** The folder of a run whose instances may have folders of their own. */
export function instanceRun(file: string, ending: RegExp): string {
  const folder = path.dirname(file);
  return path.basename(file).replace(ending, "") === path.basename(folder) ? path.dirname(folder) : folder;
}

interface Reports {
  readonly verdicts: ReadonlyMap<string, InstanceVerdict>;
  readonly reports: readonly JsonObject[];
  /** The run of a report by the name of its file; null where there is none. */
  readonly run: string | null;
}

/** What the reports of a run say. Throws {@link SourceFault} where two say differently of one instance. */
export async function readReports(parts: readonly SourcePart[]): Promise<Reports> {
  const verdicts = new Map<string, InstanceVerdict>();
  const reports: JsonObject[] = [];
  let run: string | null = null;
  for (const part of parts.filter(({ role }) => role === "report")) {
    const report = await readPart(part);
    if (report["resolved_ids"] !== undefined) {
      reports.push(report);
      run ??= /^.+\.([^.]+)\.json$/.exec(path.basename(part.path))?.[1] ?? null;
    }
    for (const [instance, outcome] of outcomesIn(report)) {
      const before = verdicts.get(instance);
      if (before != null && before.outcome !== null && outcome !== null && before.outcome !== outcome)
        throw new SourceFault(
          "invalid",
          part.path,
          `says ${worded(outcome)} of ${instance}, and ${before.report} ${worded(before.outcome)}: name one of them`,
        );
      if (before?.outcome == null) verdicts.set(instance, { outcome, report: part.path });
    }
  }
  return { verdicts, reports, run };
}

function worded(outcome: Outcome): string {
  return outcome === "error" ? "in error" : outcome === true ? "resolved" : "not resolved";
}

function outcomesIn(report: JsonObject): Map<string, Outcome> {
  const found = new Map<string, Outcome>();
  if (report["resolved_ids"] === undefined) {
    for (const [instance, one] of Object.entries(report))
      if (isJsonObject(one) && typeof one["resolved"] === "boolean") found.set(instance, one["resolved"]);
    return found;
  }
  checkMembers(report, { list: OUTCOMES.map(([name]) => name) }, null);
  for (const [name, outcome] of OUTCOMES)
    for (const instance of listAt(report, name))
      if (typeof instance === "string" && !found.has(instance)) found.set(instance, outcome);
  return found;
}

/** What a trial has of its verdict. */
export function verdictOf(
  verdict: InstanceVerdict | undefined,
): Pick<LogTrial, "scores"> & { readonly failure: string | null } {
  const { outcome = null } = verdict ?? {};
  if (outcome !== "error") return { scores: { resolved: outcome }, failure: null };
  return { scores: {}, failure: `the evaluation of its patch failed, as ${verdict?.report ?? ""} says` };
}

/** The row of an instance: runs of all agents meet on it, and on that of a report alone. */
export function instanceRow(instance: string): Pick<LogTrial, "sample" | "stable" | "row"> {
  return { sample: instance, stable: { task: "SWE-bench", row: instance }, row: { instance_id: instance } };
}

/** Says where the verdicts come from, and compares the counts of reports with them. */
export function* reportItems(
  evaluation: string | null,
  { verdicts, reports }: Reports,
  instances: readonly string[],
): Generator<LogItem> {
  const judged = instances.filter((one) => verdicts.has(one));
  const names = [...new Set(judged.map((one) => verdicts.get(one)?.report ?? ""))];
  const shown = [...names.slice(0, 3), ...(names.length > 3 ? [`${names.length - 3} more`] : [])].join(", ");
  const missing =
    "no report says which are resolved: put that of SWE-bench (submitted_ids, resolved_ids) beside them";
  const given = `${judged.length} of ${instances.length} instances have a verdict, by ${shown}`;
  const text = names.length === 0 ? missing : given;
  yield { kind: "note", text };
  const own = new Set(instances);
  for (const report of reports)
    for (const [list] of OUTCOMES) {
      const name = list.replace(/_ids$/, "_instances");
      const stated = numberAt(report, name);
      const ids = new Set(listAt(report, list).filter((one) => typeof one === "string"));
      if (stated === null || report[list] === undefined) continue;
      const here = [...ids].filter((one) => own.has(one)).length;
      if (here < ids.size)
        yield unchecked(name, `${ids.size - here} of its instances have no trajectory here`);
      else yield figureOf(evaluation, evaluation === null ? null : "resolved", name, stated, here);
    }
}

/** The model of an instance by the predictions beside it. */
export async function readPredictions(parts: readonly SourcePart[]): Promise<ReadonlyMap<string, string>> {
  const models = new Map<string, string>();
  for (const part of parts.filter(({ role }) => role === "predictions")) {
    for (const [name, one] of Object.entries(await readPart(part))) {
      const model = textAt(objectAt(one), "model_name_or_path");
      if (model !== null) models.set(textAt(objectAt(one), "instance_id") ?? name, model);
    }
  }
  return models;
}
