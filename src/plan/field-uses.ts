import { fieldText, isWholeField, pointerSegments, type FieldPath } from "../model/field-path.ts";
import type { EvalRequest } from "../request/eval-request.ts";
import { operandsOf, type Expression } from "../request/expression.ts";

/** A field that a request names. */
export interface FieldUse {
  /** The member of the request that names it. */
  readonly part: string;
  readonly field: FieldPath;
  /** What its single values are compared with. */
  readonly comparisons: readonly FieldComparison[];
}

export type ComparisonOperator = "$eq" | "$gt" | "$gte" | "$lt" | "$lte";

/** A comparison of a field, on the left, with constants, of which one must fit. */
export interface FieldComparison {
  readonly operator: ComparisonOperator;
  readonly constants: readonly (string | number | boolean)[];
}

/** The fields of filters, `moved`, `missing`, sorts, clusters and slices, each once a member of the request. */
export function fieldUses(request: EvalRequest): FieldUse[] {
  const uses = [
    ...request.filters.flatMap(({ condition, quantifier }) =>
      usesIn(condition).map((use) => (quantifier === "mean" ? { ...use, comparisons: [] } : use)),
    ),
    ...(request.moved === null ? [] : [{ part: "moved", field: request.moved.field, comparisons: [] }]),
    ...(request.missing === null ? [] : [{ part: "missing", field: request.missing, comparisons: [] }]),
    ...request.sortBy.map(({ field }): FieldUse => ({ part: "sort_by", field, comparisons: [] })),
  ];
  const { clusterBy } = request;
  if (clusterBy !== null) {
    const field = { root: "inputs" as const, segments: pointerSegments(clusterBy) };
    uses.push({ part: "cluster_by", field, comparisons: [] });
  }
  for (const { root, segments } of request.slices?.fields ?? [])
    if (root !== "attributes" && root !== "usage")
      uses.push({ part: "by", field: { root, segments }, comparisons: [] });
  const byName = new Map<string, FieldUse>();
  for (const use of uses) {
    if (isWholeField(use.field.root)) continue;
    const name = `${use.part} ${fieldName(use.field)}`;
    const before = byName.get(name)?.comparisons ?? [];
    byName.set(name, { ...use, comparisons: [...before, ...use.comparisons] });
  }
  return [...byName.values()];
}

/** A field as a request writes it. */
export function fieldName({ root, segments }: FieldPath): string {
  return [root, fieldText(segments)].join(".");
}

function usesIn(expression: Expression): FieldUse[] {
  if (expression.kind === "field") return [{ part: "filters", field: expression.field, comparisons: [] }];
  const below = operandsOf(expression).flatMap(usesIn);
  const compared = comparisonIn(expression);
  return compared === null ? below : [{ part: "filters", ...compared }, ...below];
}

function comparisonIn(expression: Expression): Omit<FieldUse, "part"> | null {
  if (expression.kind === "$in") {
    const [tested, ...options] = expression.operands;
    return comparisonOf("$eq", tested, options);
  }
  if (!isComparison(expression)) return null;
  const [left, right] = expression.operands;
  return (
    comparisonOf(expression.kind, left, [right]) ?? comparisonOf(MIRRORED[expression.kind], right, [left])
  );
}

function comparisonOf(
  operator: ComparisonOperator,
  tested: Expression,
  options: readonly Expression[],
): Omit<FieldUse, "part"> | null {
  const constants = options.map((option) => (option.kind === "literal" ? option.value : null));
  const known = constants.filter((value) => value !== null);
  if (tested.kind !== "field" || known.length === 0 || known.length < constants.length) return null;
  return { field: tested.field, comparisons: [{ operator, constants: known }] };
}

const MIRRORED = { $eq: "$eq", $gt: "$lt", $gte: "$lte", $lt: "$gt", $lte: "$gte" } as const;

function isComparison(
  expression: Expression,
): expression is Extract<Expression, { readonly kind: ComparisonOperator }> {
  return Object.hasOwn(MIRRORED, expression.kind);
}
