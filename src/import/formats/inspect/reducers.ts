import { meanOf, medianOf, modeOf } from "../../check/moments.ts";

type Reducer = (values: readonly number[]) => number;

const REDUCERS: ReadonlyMap<string, Reducer> = new Map<string, Reducer>([
  ["mean", meanOf],
  ["median", medianOf],
  ["mode", modeOf],
  ["max", (values) => Math.max(...values)],
]);

/** How the epochs of a row become one value; null for a name that is not known. */
export function reducerOf(name: string): Reducer | null {
  const known = REDUCERS.get(name);
  if (known !== undefined) return known;
  const [, kind, digits] = /^(at_least|pass_at)_(\d+)$/.exec(name) ?? [];
  if (kind === undefined) return null;
  const k = Number(digits);
  return kind === "at_least" ? (values) => (passes(values) >= k ? 1 : 0) : (values) => passAt(values, k);
}

/** Whether versions of Inspect reduce these values in different ways: `pass_at_k` of values above 1, or of fewer than k. */
export function isDisputed(name: string, byRow: readonly (readonly number[])[]): boolean {
  const k = Number(/^pass_at_(\d+)$/.exec(name)?.[1] ?? 0);
  return k > 0 && byRow.some((values) => values.length < k || values.some((value) => value > 1));
}

function passes(values: readonly number[]): number {
  return values.filter((value) => value >= 1).length;
}

/** The chance that one of k values that are drawn without putting back passes. */
function passAt(values: readonly number[], k: number): number {
  const failed = values.length - passes(values);
  if (failed < k) return 1;
  let allFail = 1;
  for (let i = failed + 1; i <= values.length; i++) allFail *= 1 - k / i;
  return 1 - allFail;
}
