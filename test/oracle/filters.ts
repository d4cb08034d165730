import { evaluate } from "./expressions.ts";
import { meanOver } from "./fields.ts";
import type { FieldReader } from "./fields.ts";
import type { Filter } from "./request.ts";
import type { Row } from "./rows.ts";
import type { Trial } from "./trials.ts";

export function passesFilters(
  row: Row,
  filters: readonly Filter[],
  combine: "and" | "or",
  read: FieldReader,
): boolean {
  if (combine === "and") return filters.every((filter) => passes(row, filter, read));
  const groups = new Map<string | null, boolean>();
  for (const filter of filters) {
    const evaluationId = filter.evaluation_call_id ?? null;
    groups.set(evaluationId, (groups.get(evaluationId) ?? true) && passes(row, filter, read));
  }
  return groups.size === 0 || [...groups.values()].includes(true);
}

function passes(row: Row, filter: Filter, read: FieldReader): boolean {
  const evaluationId = filter.evaluation_call_id ?? null;
  const trials = row.trials.filter((trial) => evaluationId === null || trial.evaluationId === evaluationId);
  const [first] = trials;
  if (first === undefined) return false;
  const isTrue = (trial: Trial) => evaluate(filter.query.$expr, (field) => read(field, row, trial)) === true;
  const quantifier = filter.quantifier ?? "any";
  if (quantifier === "any") return trials.some(isTrue);
  if (quantifier === "all") return trials.every(isTrue);
  if (quantifier === "first") return isTrue(first);
  return evaluate(filter.query.$expr, (field) => meanOver(trials, row, field, read)) === true;
}
