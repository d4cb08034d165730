import { shortCommit } from "../../model/labels.ts";
import { referenceLabel } from "../../model/references.ts";
import { isJsonObject, writeJson, type Json } from "../../model/json.ts";
import type { EvaluationEntry } from "../../engine/catalog/list-evaluations.ts";
import type { Answers, Question } from "./answers.ts";
import { countText, datasetText, moneyText, NOTHING } from "../../words/figures.ts";
import { namesById } from "./page-names.ts";
import type { Name } from "../../words/sentence.ts";

/** What is known of an evaluation beside its scores, as texts. */
export type Run = ReturnType<typeof runsOf>[number];

/** The evaluations of a page in the order in which they began. */
export function runsOf(answers: Answers) {
  const { evaluations, left_out, summary, question } = answers;
  const { prices = null } = question;
  const usage = new Map(summary.evaluations.map((one) => [one.evaluation_call_id, one.usage]));
  const names = namesById(answers);
  return byStart([...evaluations, ...left_out]).map((one) => {
    const cost = usage.get(one.id)?.cost?.mean;
    return {
      name: names.get(one.id) ?? { id: one.id, text: one.id, full: one.id },
      model: referred(one.model_ref),
      started: startText(one.started_at),
      duration: durationOf(one),
      dataset: {
        text: datasetText(one.dataset_ref, one),
        full: one.dataset_ref ?? one.rows_digest ?? NOTHING,
      },
      commit: { text: shortCommit(one.commit ?? NOTHING), full: one.commit ?? NOTHING },
      branch: one.branch ?? NOTHING,
      user: one.user,
      trials: one.trial_count,
      errors: one.error_count,
      /** Money a row; null where it is not known. */
      cost: cost == null ? null : moneyText(cost),
      /** What the texts are short for, the exception, and the prices that costs were made with, by member. */
      facts: factsOf(one, prices),
    };
  });
}

export function startText(at: string | null): string {
  return at?.slice(0, 19).replace("T", " ") ?? NOTHING;
}

/** In the order in which they began; those without a start come last. */
export function byStart(evaluations: readonly EvaluationEntry[]): EvaluationEntry[] {
  return evaluations.toSorted((a, b) => order(began(a), began(b)) || order(a.id, b.id));
}

function began({ started_at: at }: EvaluationEntry): string {
  return at ?? "~";
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The name of what a reference is to, with its version; the whole of it behind that. */
function referred(reference: string | null): Name {
  return reference === null
    ? { text: NOTHING, full: NOTHING }
    : { text: referenceLabel(reference), full: reference };
}

/** `4 min 5 s`, or `4 min 5 s, cancelled`; of what did not end, its state. */
function durationOf({ started_at: from, ended_at: to, status }: EvaluationEntry): string {
  if (to === null) return status;
  const took = from === null ? NOTHING : timeBetween(from, to);
  return status === "finished" ? took : `${took}, ${status}`;
}

function timeBetween(from: string, to: string): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(seconds < 10 ? 1 : 0))} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), Math.round(seconds % 60)];
  return minutes < 60 ? `${minutes} min ${rest} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function factsOf(one: EvaluationEntry, prices: Question["prices"]) {
  const { id, evaluation_ref, model_ref, dataset_ref, started_at, ended_at, exception, attributes } = one;
  const known = { id, evaluation_ref, model_ref, dataset_ref, started_at, ended_at, exception, attributes };
  return Object.entries({ ...known, prices: prices as unknown as Json }).flatMap(([member, value]) => {
    const leaves = value === null ? [] : leavesOf(member, value);
    const left = leaves.length - MOST_LEAVES;
    return left <= 0
      ? leaves
      : [...leaves.slice(0, MOST_LEAVES), [member, `and ${countText(left)} more`] as const];
  });
}

/** Values of one member that are shown. */
const MOST_LEAVES = 200;

/** Values by the paths to them. */
function leavesOf(path: string, value: Json): (readonly [string, string])[] {
  if (!isJsonObject(value)) return [[path, typeof value === "string" ? value : writeJson(value)]];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(`${path}.${name}`, member));
}
