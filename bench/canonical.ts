import type { Answer, PartialAnswer } from "./answer.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const times = new Set(["model_latency_seconds"]);
const statMembers = [
  "scorer_key",
  "path",
  "trial_count",
  "numeric_count",
  "numeric_mean",
  "pass_true_count",
  "pass_known_count",
  "pass_rate",
  "pass_signal_coverage",
];

/** Members that only evalcube answers. */
const ownMembers = new Set(["total_cost", "genai_span_ref", "predict_total_tokens", "predict_total_cost"]);

/** An answer without what may differ between right answers: member order, extra statistics, spelling of times. */
export function canonicalAnswer(answer: Answer | PartialAnswer): Json {
  return normalise(JSON.parse(JSON.stringify(answer)), "");
}

/** Where two canonical answers first differ. A partial answer is held to the members that it has. */
export function firstDifference(given: Answer | PartialAnswer, right: Answer): string | null {
  if (!("rows" in given)) return partialDifference(given, right);
  return difference(canonicalAnswer(given), canonicalAnswer(right), "");
}

function partialDifference(given: PartialAnswer, right: Answer): string | null {
  const expected: PartialAnswer = {
    ...(given.total_rows === undefined ? {} : { total_rows: right.total_rows }),
    ...(given.row_digests === undefined ? {} : { row_digests: right.rows.map((row) => row.row_digest) }),
    ...(given.scorer_stats === undefined
      ? {}
      : { scorer_stats: right.summary?.evaluations.map((entry) => entry.scorer_stats) ?? [] }),
  };
  return difference(canonicalAnswer(given), canonicalAnswer(expected), "");
}

function normalise(value: Json, name: string): Json {
  if (typeof value === "number" && times.has(name)) return Math.round(value * 1e6);
  if (typeof value === "string" && name === "started_at") return microseconds(value);
  if (isList(value)) return value.map((item) => normalise(item, name));
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).filter((member) => !ownMembers.has(member));
  const members = name === "scorer_stats" ? statMembers : names.sort();
  return Object.fromEntries(members.map((member) => [member, normalise(value[member] ?? null, member)]));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function microseconds(text: string): string {
  const match = /^([\d-]+)[T ]([\d:]+)(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)$/.exec(text);
  if (match === null) return text;
  const [, day, time, fraction = "", zone] = match;
  return `${Date.parse(`${day}T${time}${zone}`)} ${fraction.padEnd(6, "0")}`;
}

function difference(given: Json, right: Json, path: string): string | null {
  if (given === right) return null;
  const [left, other] = [entries(given), entries(right)];
  if (left === null || other === null) return `${path}: ${show(given)}, not ${show(right)}`;
  if (left.size !== other.size) return `${path}: ${left.size} members, not ${other.size}`;
  for (const [name, value] of other) {
    const found = difference(left.get(name) ?? null, value, `${path}/${name}`);
    if (found !== null) return found;
  }
  return null;
}

function entries(value: Json): Map<string, Json> | null {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : null;
}

function show(value: Json): string {
  return JSON.stringify(value).slice(0, 120);
}
