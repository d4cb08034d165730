import type { z } from "zod";
import { RequestError, type InputPath, type RequestIssue } from "../errors.ts";
import { parseFieldPath, type FieldPath } from "../model/field-path.ts";
import type { EvalRequest, Expression, Filter, SortKey } from "./eval-request.ts";
import { evalResultsRequest, type WireOperand } from "./wire.ts";

type Wire = z.output<typeof evalResultsRequest>;

/** Checks a request of specification 2.3. Throws `RequestError` with every issue found. */
export function parseRequest(input: unknown): EvalRequest {
  const depth = firstTooDeep(input);
  if (depth !== null)
    throw schemaError([{ loc: depth, msg: `nested more than ${MAX_DEPTH} levels deep`, type: "too_deep" }]);
  const parsed = evalResultsRequest.safeParse(input);
  if (!parsed.success) throw schemaError(parsed.error.issues.flatMap((issue) => flattenIssue(issue, input)));
  return readRequest(parsed.data);
}

function readRequest(wire: Wire): EvalRequest {
  const requireIntersection = wire.require_intersection ?? false;
  return {
    evaluationIds: [...new Set([...(wire.evaluation_call_ids ?? []), ...(wire.evaluation_run_ids ?? [])])],
    requireIntersection,
    summaryRequireIntersection: wire.summary_require_intersection ?? requireIntersection,
    includeRows: wire.include_rows ?? true,
    includeSummary: wire.include_summary ?? false,
    rawRows:
      (wire.include_raw_data_rows ?? false)
        ? (wire.resolve_row_refs ?? false)
          ? "resolved"
          : "references"
        : "none",
    includeChildren: wire.include_predict_and_score_children ?? true,
    sortBy: (wire.sort_by ?? []).map((key, i) => readSortKey(key, ["sort_by", i])),
    filters: (wire.filters ?? []).map((filter, i) => readFilter(filter, ["filters", i])),
    filterLogic: wire.filter_logic_operator ?? "and",
    limit: wire.limit ?? null,
    offset: wire.offset ?? 0,
  };
}

function readSortKey(key: NonNullable<Wire["sort_by"]>[number], path: InputPath): SortKey {
  const field = readField(key.field, [...path, "field"]);
  const mode = key.mode ?? "value";
  if (field.root === "row_digest") {
    throw meaningless(
      [...path, "field"],
      "row_digest is for filters only; rows are in its order without sort_by",
    );
  }
  if (mode === "difference" && field.root !== "scores") {
    throw meaningless(
      [...path, "mode"],
      `difference is for fields below scores only, not for ${JSON.stringify(key.field)}`,
    );
  }
  return { field, descending: key.direction === "desc", evaluationId: key.evaluation_call_id ?? null, mode };
}

function readFilter(filter: NonNullable<Wire["filters"]>[number], path: InputPath): Filter {
  return {
    condition: readOperand(filter.query.$expr, [...path, "query", "$expr"]),
    evaluationId: filter.evaluation_call_id ?? null,
    quantifier: filter.quantifier ?? "any",
  };
}

const COMPARISONS = { $eq: "eq", $gt: "gt", $gte: "gte", $lt: "lt", $lte: "lte" } as const;

function readOperand(operand: WireOperand, path: InputPath): Expression {
  if ("$literal" in operand) {
    const value = operand.$literal;
    return { kind: "literal", value: typeof value === "bigint" ? Number(value) : value };
  }
  if ("$getField" in operand)
    return { kind: "field", field: readField(operand.$getField, [...path, "$getField"]) };
  if ("$convert" in operand) {
    const { input, to } = operand.$convert;
    return { kind: "convert", input: readOperand(input, [...path, "$convert", "input"]), to };
  }
  if ("$and" in operand) return { kind: "and", operands: readOperands(operand.$and, [...path, "$and"]) };
  if ("$or" in operand) return { kind: "or", operands: readOperands(operand.$or, [...path, "$or"]) };
  if ("$not" in operand) {
    return Array.isArray(operand.$not)
      ? { kind: "not", operand: readOperand(operand.$not[0], [...path, "$not", 0]) }
      : { kind: "not", operand: readOperand(operand.$not, [...path, "$not"]) };
  }
  if ("$in" in operand) {
    const [tested, options] = operand.$in;
    return {
      kind: "in",
      operand: readOperand(tested, [...path, "$in", 0]),
      options: options.map((option, i) => readOperand(option, [...path, "$in", 1, i])),
    };
  }
  if ("$contains" in operand) {
    const { input, substr, case_insensitive } = operand.$contains;
    return {
      kind: "contains",
      input: readOperand(input, [...path, "$contains", "input"]),
      substring: readOperand(substr, [...path, "$contains", "substr"]),
      caseInsensitive: case_insensitive ?? false,
    };
  }
  return readComparison(operand, path);
}

function readComparison(operand: WireOperand, path: InputPath): Expression {
  for (const [name, [left, right]] of Object.entries(operand as Record<string, [WireOperand, WireOperand]>)) {
    return {
      kind: "compare",
      comparison: COMPARISONS[name as keyof typeof COMPARISONS],
      left: readOperand(left, [...path, name, 0]),
      right: readOperand(right, [...path, name, 1]),
    };
  }
  throw meaningless(path, "an empty operation");
}

function readOperands(operands: readonly WireOperand[], path: InputPath): Expression[] {
  if (operands.length === 0) throw meaningless(path, "needs at least one operand");
  return operands.map((operand, i) => readOperand(operand, [...path, i]));
}

function readField(text: string, path: InputPath): FieldPath {
  const field = parseFieldPath(text);
  if ("error" in field) throw meaningless(path, field.error);
  return field;
}

function meaningless(loc: InputPath, msg: string): RequestError {
  return new RequestError("meaning", [{ loc, msg, type: "unsupported" }]);
}

function schemaError(issues: readonly RequestIssue[]): RequestError {
  const [first = { loc: [], msg: "invalid request", type: "invalid" }, ...rest] = issues;
  return new RequestError("schema", [first, ...rest]);
}

/** A union's issue becomes the issues of the alternative that the input meant: the one that matched deepest. */
function flattenIssue(issue: z.core.$ZodIssue, input: unknown, base: InputPath = []): RequestIssue[] {
  const loc = [...base, ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part))];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ loc: [...loc, key], msg: "unknown member", type: "unrecognized_key" }));
  }
  if (issue.code !== "invalid_union") return [{ loc, msg: issue.message, type: issue.code }];
  const alternatives = issue.errors.map((errors) =>
    errors.flatMap((error) => flattenIssue(error, input, loc)),
  );
  const depth = (issues: readonly RequestIssue[]) =>
    issues.some(
      (one) => one.loc.length <= loc.length + 1 && (one.type === "unrecognized_key" || isMissing(one)),
    )
      ? -1
      : Math.max(...issues.map((one) => one.loc.length));
  const best = alternatives.toSorted((a, b) => depth(b) - depth(a))[0];
  if (best !== undefined && depth(best) > loc.length) return best;
  return [
    { loc, msg: `${describe(at(input, loc))} is not allowed here; ${EXPECTED}`, type: "invalid_operand" },
  ];
}

const EXPECTED =
  "expected an object with exactly one of $literal, $getField, $convert (not as a whole filter), $and, $or, $not, $eq, $gt, $gte, $lt, $lte, $in, $contains";

function isMissing(issue: RequestIssue): boolean {
  return issue.type === "invalid_type" && issue.msg.endsWith("received undefined");
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
  if (typeof value !== "object" || value === null)
    return value === undefined ? "nothing" : `the value ${JSON.stringify(value, bigintText).slice(0, 40)}`;
  return Array.isArray(value) ? "a list" : `an object with ${JSON.stringify(Object.keys(value).slice(0, 5))}`;
}

function bigintText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

const MAX_DEPTH = 200;

/** Where a request is nested too deep to be walked by recursion, or null. */
function firstTooDeep(input: unknown): InputPath | null {
  let level: { value: unknown; path: (string | number)[] }[] = [{ value: input, path: [] }];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return level[0]?.path.slice(0, 8) ?? [];
    level = level.flatMap(({ value, path }) => {
      if (typeof value !== "object" || value === null) return [];
      if (Array.isArray(value)) return value.map((item: unknown, i) => ({ value: item, path: [...path, i] }));
      return Object.entries(value).map(([name, member]) => ({
        value: member as unknown,
        path: [...path, name],
      }));
    });
  }
  return null;
}
