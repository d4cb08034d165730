import { compileTrialNumbers } from "../../compile/statistics/slices.ts";
import type { VirtualLeaf } from "../../plan/plan.ts";
import { STEP_PREFIXES } from "../../plan/virtual-leaves.ts";
import type { CompareGroup } from "../../request/parse-compare-request.ts";
import type { SliceField, UsageAsked } from "../../request/slice-by.ts";
import { placeRows, type UsageSlices } from "../../respond/compare/usage-slices.ts";
import type { Session } from "../../store/session.ts";
import type { QueryContext } from "../base/context.ts";
import { readNames } from "../catalog/named-request.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";
import { previousOf } from "./previous.ts";

/** Rows by what they took in a run, as the values of a field. */
interface PlacedByUsage extends UsageSlices {
  readonly field: SliceField;
  readonly warnings: readonly string[];
}

/** Places all rows of the run that says what rows take; no evaluation that is compared with another one has a say. */
export async function placeByUsage(
  session: Session,
  { catalogs }: QueryContext,
  projectId: string,
  { name, measure, bins, of: named }: UsageAsked,
  { baseline, prices, request }: Pick<CompareGroup, "baseline" | "prices" | "request">,
): Promise<PlacedByUsage> {
  const list = await readNames(session, catalogs.names, projectId);
  const of = named ?? (await previousOf(session, projectId, list, baseline)) ?? baseline;
  const steps = typeof measure === "object" ? measure.steps : null;
  const { includeChildren } = request;
  const catalog = await readQueryCatalog(session, catalogs, projectId, {
    ...request,
    ...NO_FIELDS,
    evaluationIds: [of],
    costDimension: measure === "cost" ? prices : null,
    stepDimensions:
      steps === null ? [] : [{ name, path: [...STEP_PREFIXES[1], ...steps], loc: ["by", "usage"] }],
  });
  const [computed] = catalog.virtualLeaves;
  const leaf: VirtualLeaf | undefined =
    measure === "total_tokens" || measure === "latency_seconds"
      ? { kind: "usage", measure, key: -1, path: [measure] }
      : computed;
  const key = catalog.evaluations.get(of)?.key ?? null;
  const scope = { projectId, evaluationKeys: key === null ? [] : [key], includeChildren };
  const numbers =
    leaf === undefined || key === null
      ? []
      : await session.all(compileTrialNumbers({ ...scope, virtualLeaves: [leaf] }, leaf.key));
  const { ranges, ...placed } = await placeRows(numbers, bins);
  const field: SliceField = {
    name,
    root: "usage",
    segments: [],
    pointer: "",
    placed: { ...placed, bins, of },
  };
  return { field, of, bins, ranges, warnings: catalog.fieldWarnings };
}

/** What the rows of the run depend on in no way. */
const NO_FIELDS = {
  filters: [],
  sortBy: [],
  moved: null,
  missing: null,
  clusterBy: null,
  slices: null,
  derivedScores: [],
  countings: [],
  includeFeedback: false,
} as const;
