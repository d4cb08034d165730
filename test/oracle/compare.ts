import { canonicalText, fromPlain, isList, isNumber, isObject, member } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import type { OracleResponse } from "./oracle.ts";
import { microseconds } from "./order.ts";
import { histogramFaults, usedFaults } from "./row-values.ts";
import { matchesWarnings } from "./warnings.ts";

export type ActualResponse = {
  readonly rows: unknown;
  readonly total_rows: unknown;
  readonly summary?: unknown;
  readonly warnings: readonly string[];
};

// Where an engine's response departs from the oracle's; empty when it does not.
export function responseDifferences(actual: ActualResponse, expected: OracleResponse): string[] {
  const warned = matchesWarnings(
    actual.warnings.filter((text) => !text.includes("requested evaluations that has it, and never")),
    expected.warnings,
  );
  return [
    ...differences("rows", fromPlain(actual.rows), fromPlain(expected.rows), "whole"),
    ...differences("total_rows", fromPlain(actual.total_rows), expected.total_rows, "whole"),
    ...differences("summary", fromPlain(actual.summary), fromPlain(expected.summary), "named"),
    ...(warned
      ? []
      : [`warnings: ${JSON.stringify(actual.warnings)}, not ${JSON.stringify(expected.warnings)}`]),
  ];
}

// Values of the user; everything else is the shape of a response.
const USER_VALUES = new Set(["raw_data_row", "model_output", "scores", "scorer_call_ids"]);

// Members that are there only where a request asks for them.
const ASKED_FOR = new Set(["usage", "histogram"]);

// `named` compares only the members that are expected.
export function differences(
  path: string,
  actual: Json,
  expected: Json,
  members: "named" | "whole",
): string[] {
  if (isObject(actual) && isObject(expected)) return memberDifferences(path, actual, expected, members);
  if (isList(actual) && isList(expected) && actual.length === expected.length) {
    return actual.flatMap((item, index) =>
      differences(`${path}[${index}]`, item, expected[index] ?? null, members),
    );
  }
  return canonicalText(actual) === canonicalText(expected)
    ? []
    : [`${path}: ${canonicalText(actual)}, not ${canonicalText(expected)}`];
}

function memberDifferences(
  path: string,
  actual: JsonObject,
  expected: JsonObject,
  members: "named" | "whole",
): string[] {
  const asked = [...actual.keys()].filter(
    (key) => members === "whole" || ASKED_FOR.has(key) || (key === "row_count" && path !== "summary"),
  );
  const keys = [...asked, ...expected.keys()];
  return [...new Set(keys)].flatMap((key) => {
    const [left, right] = [actual.get(key), expected.get(key)];
    const inner = `${path}.${key}`;
    // What a success took has an oracle of its own: test/summary/per-success.test.ts.
    if (key === "numeric_magnitude" || key === "identity" || key === "per_success") return [];
    if (key === "histogram")
      return histogramFaults(left ?? null, right ?? null).map((fault) => `${inner}: ${fault}`);
    if ((key === "latency_seconds" || key === "total_tokens") && path.endsWith(".usage"))
      return usedFaults(left ?? null, right ?? null).map((fault) => `${inner}.${fault}`);
    if (left === undefined) return [`${inner} is absent`];
    if (right === undefined) return [`${inner} is not expected`];
    if (USER_VALUES.has(key)) return differences(inner, left, right, "whole");
    if (key === "scorer_stats") return statsDifferences(inner, left, right, members);
    if (key === "numeric_mean" && isNear(left, right, expected)) return [];
    if (key === "started_at" && isSameInstant(left, right)) return [];
    return differences(inner, left, right, members);
  });
}

function isNear(actual: Json, expected: Json, stats: JsonObject): boolean {
  if (!isNumber(actual) || !isNumber(expected)) return false;
  const magnitude = stats.get("numeric_magnitude") ?? expected;
  return Math.abs(Number(actual) - Number(expected)) <= 1e-12 * Math.abs(Number(magnitude));
}

function isSameInstant(actual: Json, expected: Json): boolean {
  if (typeof actual !== "string" || typeof expected !== "string") return false;
  return microseconds(actual) === microseconds(expected);
}

// Dimensions whose paths read the same have no order of their own.
function statsDifferences(path: string, actual: Json, expected: Json, members: "named" | "whole"): string[] {
  if (!isList(actual) || !isList(expected)) return differences(path, actual, expected, members);
  return [
    ...differences(`${path} (order)`, actual.map(dimension), expected.map(dimension), "whole"),
    ...differences(path, settled(actual), settled(expected), members),
  ];
}

function dimension(stats: Json): Json {
  return [member(stats, "scorer_key"), member(stats, "path")];
}

const COUNTS = ["trial_count", "numeric_count", "pass_known_count", "pass_true_count", "numeric_mean"];

function identity(stats: Json): string {
  return canonicalText([dimension(stats), ...COUNTS.map((name) => member(stats, name))]);
}

function settled(stats: readonly Json[]): readonly Json[] {
  return [...stats].sort((left, right) => (identity(left) < identity(right) ? -1 : 1));
}
