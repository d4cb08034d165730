import { isByUsage } from "../model/field-path.ts";
import { namesIn, type IdOf } from "./evaluation-name.ts";

/** Arguments of a tool or of a report that name evaluations. */
interface NamingArguments {
  readonly evaluations?: readonly string[] | null | undefined;
  readonly evaluation_call_ids?: readonly string[] | null | undefined;
  readonly candidates?: readonly string[] | null | undefined;
  readonly evaluation?: string | null | undefined;
  readonly candidate?: string | null | undefined;
  readonly baseline?: string | null | undefined;
  readonly against?: string | null | undefined;
  readonly by?: unknown;
  readonly moved?: { readonly baseline?: string | null | undefined } | null | undefined;
  readonly filters?: readonly (string | { readonly evaluation_call_id?: unknown })[] | null | undefined;
}

/** The arguments with an id for each name. */
export function argumentsWithIds<Given extends NamingArguments>(given: Given, idOf: IdOf): Given {
  const { moved, filters, by } = given;
  const list = (member: "evaluations" | "evaluation_call_ids" | "candidates") =>
    given[member] == null ? {} : { [member]: namesIn(given[member], member).map(idOf) };
  const one = (text: unknown, member: string, ...above: readonly (string | number)[]) =>
    typeof text === "string" ? { [member]: idOf({ text, place: [...above, member] }) } : {};
  const conditions = filters?.map((filter, i) =>
    typeof filter === "string"
      ? filter
      : { ...filter, ...one(filter.evaluation_call_id, "evaluation_call_id", "filters", i) },
  );
  return {
    ...given,
    ...list("evaluations"),
    ...list("evaluation_call_ids"),
    ...list("candidates"),
    ...one(given.evaluation, "evaluation"),
    ...one(given.candidate, "candidate"),
    ...one(given.baseline, "baseline"),
    ...one(given.against, "against"),
    ...(isByUsage(by) && { by: { ...by, ...one(by.of, "of", "by") } }),
    ...(moved != null && { moved: { ...moved, ...one(moved.baseline, "baseline", "moved") } }),
    ...(conditions && { filters: conditions }),
  };
}
