import type { z } from "zod";
import { RequestError, type InputPath, type RequestIssue } from "../errors.ts";
import { didYouMean } from "../model/nearest.ts";
import { MOST_ISSUES, unknownMembers, WORDING, wordValue } from "../model/schema-issues.ts";
import { jsonPointer, parseFieldPath, type FieldPath } from "../model/field-path.ts";
import { COUNTINGS, LACKING, type CountingMember } from "../model/counting.ts";
import type { AskedRequest, CountAs, ParsedFilter, ParsedMove, ParsedSortKey } from "./eval-request.ts";
import { namesIn, nameAt, type EvaluationName } from "./evaluation-name.ts";
import { checkSize } from "./check-size.ts";
import { readDerivedScores } from "./derived-scores.ts";
import type { Expression } from "./expression.ts";
import { meaningless } from "./meaningless.ts";
import { readDimension, readStepScores } from "./named-places.ts";
import { readBy } from "./slice-by.ts";
import { OPERATOR_NAMES, parseOperation } from "./operators.ts";
import { evalResultsRequest, type WireOperand } from "./wire.ts";
import { nameText } from "../model/name-text.ts";

type Wire = z.output<typeof evalResultsRequest>;

const COUNTING_MEMBERS: readonly string[] = LACKING.map((of) => COUNTINGS[of].member);

/** Checks an evaluation-results request. Throws `RequestError` with every issue found. */
export function parseRequest(input: unknown): AskedRequest {
  checkSize(input);
  const parsed = evalResultsRequest.safeParse(input, WORDING);
  if (!parsed.success)
    throw schemaError(
      parsed.error.issues.slice(0, MOST_ISSUES).flatMap((issue) => flattenIssue(issue, input)),
    );
  for (const member of ["derived_scores", ...COUNTING_MEMBERS]) checkNames(member, at(input, [member]));
  return readRequest(parsed.data);
}

/** Refuses `__proto__` as the name of a score: the schema silently drops that member. */
function checkNames(member: string, scores: unknown): void {
  if (typeof scores !== "object" || scores === null || !Object.hasOwn(scores, "__proto__")) return;
  const msg = "no score of a request can have this name";
  throw schemaError([{ loc: [member, "__proto__"], msg, type: "invalid_key" }]);
}

function rawRowsOf(wire: Wire): AskedRequest["rawRows"] {
  if (wire.include_raw_data_rows !== true) return "none";
  return wire.resolve_row_refs === true ? "resolved" : "references";
}

function idsIn(wire: Wire): AskedRequest["evaluationIds"] {
  return [
    ...namesIn(wire.evaluation_call_ids, "evaluation_call_ids"),
    ...namesIn(wire.evaluation_run_ids, "evaluation_run_ids"),
  ];
}

function readRequest(wire: Wire): AskedRequest {
  const requireIntersection = wire.require_intersection ?? false;
  return {
    evaluationIds: idsIn(wire),
    requireIntersection,
    summaryRequireIntersection: wire.summary_require_intersection ?? requireIntersection,
    includeRows: wire.include_rows ?? true,
    includeSummary: wire.include_summary ?? false,
    rawRows: rawRowsOf(wire),
    includeChildren: wire.include_predict_and_score_children ?? true,
    includeTrialErrors: wire.include_trial_errors ?? false,
    includeDetails: wire.include_details ?? false,
    prices: (wire.include_costs ?? false) || wire.prices != null ? (wire.prices ?? {}) : null,
    includeOutputs: wire.include_outputs ?? true,
    longValues: wire.long_values ?? "whole",
    includeFeedback: wire.include_feedback ?? false,
    feedbackBy: wire.feedback_by ?? "majority",
    derivedScores: readDerivedScores(wire.derived_scores ?? {}),
    countings: readCountings(wire),
    includeUncertainty: wire.include_uncertainty ?? false,
    clusterBy: wire.cluster_by == null ? null : readCluster(wire.cluster_by),
    slices: readSlices(wire),
    passK: wire.pass_k === "auto" ? "auto" : [...new Set(wire.pass_k ?? [])].toSorted((a, b) => a - b),
    ...readSuccess(wire),
    includeUsage: wire.include_usage ?? false,
    includeRowCounts: wire.include_row_counts ?? false,
    includeErrors: wire.include_errors ?? false,
    costDimension: null,
    stepDimensions: readStepScores(wire.step_scores ?? []),
    histogramBins: wire.histogram_bins ?? null,
    sortBy: (wire.sort_by ?? []).map((key, i) => readSortKey(key, ["sort_by", i])),
    moved: wire.moved == null ? null : readMoved(wire.moved),
    missing: wire.missing == null ? null : readOutcome(wire.missing.field, ["missing", "field"]),
    // As texts are stored.
    search: wire.search?.toWellFormed() ?? null,
    filters: (wire.filters ?? []).map((filter, i) => readFilter(filter, ["filters", i])),
    filterLogic: wire.filter_logic_operator ?? "and",
    limit: wire.limit ?? null,
    offset: wire.offset ?? 0,
  };
}

function readSuccess({ success, include_stop_reasons: reasons, difficulty_from: from }: Wire) {
  return {
    difficultyFrom: from == null ? null : namesIn(from, "difficulty_from"),
    difficultyOf: null,
    success: success == null ? null : readDimension(success, ["success"]).path,
    includeStopReasons: reasons ?? false,
  };
}

function readCountings(wire: Wire): AskedRequest["countings"] {
  return LACKING.flatMap((of) => {
    const as = wire[COUNTINGS[of].member];
    return as == null ? [] : [{ of, as: readCountAs(COUNTINGS[of].member, as) }];
  });
}

function readSlices(wire: Wire): AskedRequest["slices"] {
  const { slices } = readBy(wire, []);
  if (slices !== null && wire.include_summary !== true)
    throw meaningless(["by"], "slices are told in the summary; ask for include_summary");
  return slices;
}

/** Reads `cluster_by` as a JSON pointer into the row. Throws `RequestError` on a field that is none of the row. */
function readCluster(name: string): string {
  const field = readField(name, ["cluster_by"], ["inputs"]);
  if (field.root === "inputs") return jsonPointer(field.segments);
  throw meaningless(
    ["cluster_by"],
    `rows cluster by a field of theirs, inputs.<path>, not by ${JSON.stringify(name)}`,
  );
}

function readSortKey(
  key: NonNullable<Wire["sort_by"]>[number],
  path: InputPath,
): ParsedSortKey<EvaluationName> {
  const field = readField(key.field, [...path, "field"], ["scores"]);
  const mode = key.mode ?? "value";
  if (field.root === "row_digest" || field.root === "error") {
    const order = field.root === "error" ? "" : "; rows are in its order without sort_by";
    throw meaningless([...path, "field"], `${field.root} is for filters only${order}`);
  }
  if (mode === "difference" && field.root !== "scores" && field.root !== "steps") {
    throw meaningless(
      [...path, "mode"],
      `difference is for fields below scores and steps only, not for ${JSON.stringify(key.field)}`,
    );
  }
  const evaluationId = nameAt(key.evaluation_call_id, [...path, "evaluation_call_id"]);
  return { field, descending: key.direction === "desc", evaluationId, mode };
}

function readCountAs(member: CountingMember, wire: NonNullable<Wire[CountingMember]>): CountAs {
  if (typeof wire === "number") return { all: wire };
  const dimensions = Object.entries(wire).map(([name, number]) => {
    const field = parseFieldPath(`scores.${name}`);
    if ("error" in field) throw meaningless([member, name], field.error);
    return { name, path: field.segments, number };
  });
  return { dimensions };
}

function readMoved({
  field: name,
  baseline,
  direction,
}: NonNullable<Wire["moved"]>): ParsedMove<EvaluationName> {
  const field = readOutcome(name, ["moved", "field"]);
  if (baseline == null && direction != null && direction !== "any") {
    throw meaningless(
      ["moved", "direction"],
      `${JSON.stringify(direction)} needs a baseline to compare with: name an evaluation in moved.baseline, or ask for "any"`,
    );
  }
  return { field, baselineId: nameAt(baseline, ["moved", "baseline"]), direction: direction ?? "any" };
}

/** A field of which each evaluation has values of its own. */
function readOutcome(name: string, path: InputPath): FieldPath {
  const field = readField(name, path, ["scores"]);
  if (field.root === "error" || field.root === "stop_reason")
    throw meaningless(path, `${field.root} is a text; name a field that has numbers`);
  if (field.root !== "row_digest" && field.root !== "inputs" && field.root !== "row") return field;
  throw meaningless(
    path,
    `${nameText(name)} is the same in every evaluation; name a field below scores, outputs or output`,
  );
}

function readFilter(
  filter: NonNullable<Wire["filters"]>[number],
  path: InputPath,
): ParsedFilter<EvaluationName> {
  return {
    condition: readOperand(filter.query.$expr, [...path, "query", "$expr"]),
    evaluationId: nameAt(filter.evaluation_call_id, [...path, "evaluation_call_id"]),
    quantifier: filter.quantifier ?? "any",
  };
}

function readOperand(operand: WireOperand, path: InputPath): Expression {
  if ("$literal" in operand) {
    const value = operand.$literal;
    return { kind: "literal", value: typeof value === "bigint" ? Number(value) : value };
  }
  if ("$getField" in operand)
    return { kind: "field", field: readField(operand.$getField, [...path, "$getField"]) };
  if ("$convert" in operand) {
    const { input, to } = operand.$convert;
    return { kind: "convert", operands: [readOperand(input, [...path, "$convert", "input"])], to };
  }
  return parseOperation(operand, path, readOperand);
}

function readField(text: string, path: InputPath, heads?: readonly string[]): FieldPath {
  const field = parseFieldPath(text, heads);
  if ("error" in field) throw meaningless(path, field.error);
  return field;
}

function schemaError(issues: readonly RequestIssue[]): RequestError {
  const [first = { loc: [], msg: "invalid request", type: "invalid" }, ...rest] = issues;
  return new RequestError("schema", [first, ...rest]);
}

/** Replaces the issue of a union by those of the alternative that matched deepest: the one that the input meant. */
function flattenIssue(issue: z.core.$ZodIssue, input: unknown, base: InputPath = []): RequestIssue[] {
  const loc = [...base, ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part))];
  if (issue.code === "unrecognized_keys") {
    return unknownMembers(issue, loc);
  }
  if (issue.code !== "invalid_union") return [{ loc, msg: wordValue(issue, loc), type: issue.code }];
  const alternatives = issue.errors.map((errors) =>
    errors.slice(0, MOST_ISSUES).flatMap((error) => flattenIssue(error, input, loc)),
  );
  const depth = (issues: readonly RequestIssue[]) =>
    issues.some(
      (one) =>
        one.loc.length <= loc.length + 1 &&
        (one.type === "unrecognized_key" || at(input, one.loc) === undefined),
    )
      ? -1
      : Math.max(...issues.map((one) => one.loc.length));
  const best = alternatives.toSorted((a, b) => depth(b) - depth(a))[0];
  if (best !== undefined && depth(best) > loc.length) return best;
  return [
    {
      loc,
      msg: `${describe(at(input, loc))} is not allowed here; ${expectedAt(loc)}${meantOperator(at(input, loc))}`,
      type: "invalid_operand",
    },
  ];
}

const OPERATIONS = OPERATOR_NAMES.join(", ");

function expectedAt(loc: InputPath): string {
  const last = loc.at(-1);
  if (last === "$literal") return "expected a string, a finite number, true, false or null";
  if (last === "$expr") return `expected an object with exactly one of ${OPERATIONS}`;
  if (COUNTING_MEMBERS.includes(String(last)))
    return "expected a finite number, or an object of scores and numbers";
  if (loc[0] === "derived_scores") return "expected a text, or an object with the member consensus";
  if (last === "include_outputs") return 'expected true, false or "line"';
  if (last === "$not") return "expected one operand, or a list of exactly one";
  return `expected an object with exactly one of $literal, $getField, $convert, ${OPERATIONS}`;
}

/** A question about an object with one unknown member where an operation is wanted. */
function meantOperator(value: unknown): string {
  const [name, ...others] = typeof value === "object" && value !== null ? Object.keys(value) : [];
  return name === undefined || others.length > 0 ? "" : didYouMean(name, OPERATOR_NAMES);
}

function at(input: unknown, path: InputPath): unknown {
  let value: unknown = input;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

function describe(value: unknown): string {
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null)
    return value === undefined ? "nothing" : `the value ${JSON.stringify(value, bigintText).slice(0, 40)}`;
  return Array.isArray(value) ? "a list" : `an object with ${JSON.stringify(Object.keys(value).slice(0, 5))}`;
}

function bigintText(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}
