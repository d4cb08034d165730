import { isDatasetReference } from "./digests.ts";
import { segments, type FieldReader } from "./fields.ts";
import type { Json } from "./json.ts";
import type { EvalRequest } from "./request.ts";
import type { Row } from "./rows.ts";

export type OracleWarning =
  | {
      readonly kind:
        | "unknown_evaluation"
        | "sort_evaluation_not_requested"
        | "filter_evaluation_not_requested"
        | "baseline_not_requested";
      readonly id: string;
    }
  | {
      readonly kind: "missing_field";
      readonly part: "filters" | "moved" | "missing" | "sort_by";
      readonly field: string;
    }
  | { readonly kind: "unresolved_rows"; readonly count: number; readonly digests: readonly string[] };

export function requestWarnings(
  request: EvalRequest,
  requested: readonly string[],
  known: readonly string[],
): OracleWarning[] {
  const sorts = (request.sort_by ?? []).filter((key) => key.mode !== "difference");
  return [
    ...requested
      .filter((id) => !known.includes(id))
      .map((id) => ({ kind: "unknown_evaluation" as const, id })),
    ...notRequested(sorts, requested).map((id) => ({ kind: "sort_evaluation_not_requested" as const, id })),
    ...notRequested(request.filters ?? [], requested).map((id) => ({
      kind: "filter_evaluation_not_requested" as const,
      id,
    })),
    ...notRequested([{ evaluation_call_id: request.moved?.baseline ?? null }], requested).map((id) => ({
      kind: "baseline_not_requested" as const,
      id,
    })),
  ];
}

function notRequested(
  named: readonly { readonly evaluation_call_id?: string | null }[],
  requested: readonly string[],
): string[] {
  const ids = named.map((entry) => entry.evaluation_call_id ?? null).filter((id) => id !== null);
  return [...new Set(ids)].filter((id) => !requested.includes(id));
}

export function unresolvedWarnings(
  page: readonly Row[],
  request: EvalRequest,
  stored: ReadonlyMap<string, Json>,
): OracleWarning[] {
  if (!request.include_raw_data_rows || !request.resolve_row_refs) return [];
  const digests = page
    .filter((row) => isDatasetReference(row.trials[0]?.example ?? null) && !stored.has(row.digest))
    .map((row) => row.digest);
  return digests.length === 0 ? [] : [{ kind: "unresolved_rows", count: digests.length, digests }];
}

/** The fields of filters and sorts that are missing on every trial; none where there is no trial. */
export function missingFields(
  request: EvalRequest,
  rows: readonly Row[],
  read: FieldReader,
): OracleWarning[] {
  const named = [
    ...fieldsIn(request.filters ?? []).map((field) => ({ part: "filters" as const, field })),
    ...(request.moved == null ? [] : [{ part: "moved" as const, field: request.moved.field }]),
    ...(request.missing == null ? [] : [{ part: "missing" as const, field: request.missing.field }]),
    ...(request.sort_by ?? []).map(({ field }) => ({ part: "sort_by" as const, field })),
  ];
  const isMissing = (field: string) =>
    rows.every((row) => row.trials.every((trial) => read(field, row, trial) === null));
  const missing = named
    .filter(({ field }) => field !== "row_digest" && rows.length > 0 && isMissing(field))
    .map(({ part, field }) => ({ kind: "missing_field" as const, part, field: escaped(field) }));
  return [...new Map(missing.map((one) => [`${one.part} ${one.field}`, one])).values()];
}

function fieldsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    name === "$getField" && typeof member === "string" ? [member] : fieldsIn(member),
  );
}

function escaped(field: string): string {
  return segments(field)
    .map((segment) => segment.replaceAll(".", String.raw`\.`))
    .join(".");
}

// Texts are free; what they must name is not. Each text answers for one warning.
export function matchesWarnings(texts: readonly string[], warnings: readonly OracleWarning[]): boolean {
  const [warning, ...rest] = warnings;
  if (warning === undefined) return texts.length === 0;
  return texts.some(
    (text, index) => names(text, warning) && matchesWarnings(texts.toSpliced(index, 1), rest),
  );
}

function names(text: string, warning: OracleWarning): boolean {
  if (warning.kind === "missing_field") {
    const said = [`${warning.part}: no trial`, `${warning.part}: no row`].some((part) =>
      text.startsWith(part),
    );
    // A name that is no plain word stands in quotation marks.
    const spellings = [warning.field, JSON.stringify(warning.field)];
    return said && spellings.some((field) => `${text};`.includes(` has ${field};`));
  }
  if (warning.kind !== "unresolved_rows") return text.includes(warning.id);
  return warning.digests.some((digest) => text.includes(digest) && hasCount(text, digest, warning.count));
}

function hasCount(text: string, digest: string, count: number): boolean {
  return new RegExp(`(?<!\\d)${count}(?!\\d)`).test(text.replace(digest, ""));
}
