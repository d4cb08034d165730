import { meanOf, medianOf, modeOf } from "../../check/moments.ts";

type Reducer = (values: readonly number[]) => number;

const REDUCERS: ReadonlyMap<string, Reducer> = new Map<string, Reducer>([
  ["mean", meanOf],
  ["median", medianOf],
  ["mode", modeOf],
  ["max", (values) => Math.max(...values)],
]);

type Reduction = (byRow: readonly (readonly number[])[]) => number[];

/** How the epochs of each row become one value; a text that says why not, where that is not known for certain. */
export function reducerOf(name: string, byRow: readonly (readonly number[])[]): Reduction | string {
  const known = REDUCERS.get(name);
  const [, kind, digits] = /^(at_least|pass_at)_(\d+)$/.exec(name) ?? [];
  const k = Number(digits);
  if (known !== undefined) return (rows) => rows.map(known);
  if (kind === "at_least") return (rows) => rows.map((values) => (passes(values) >= k ? 1 : 0));
  if (kind === undefined) return `the reducer ${name} is not known`;
  // Versions of Inspect reduce values above 1, and fewer than k values, in different ways.
  const isDisputed = byRow.some((values) => values.length < k || values.some((value) => value > 1));
  if (isDisputed) return `the reducer ${name} is not the same in all versions`;
  return (rows) => rows.map((values) => passAt(values, k));
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
