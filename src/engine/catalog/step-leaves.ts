import type { WalkScope } from "../../compile/walk/call-tree.ts";
import { fieldText, stepFault } from "../../model/field-path.ts";
import { quotedName } from "../../model/name-text.ts";
import { nearestWords } from "../../model/nearest.ts";
import { MOST_STEP_SCORES, STEP_NUMBERS } from "../../model/steps.ts";
import { fieldUses } from "../../plan/field-uses.ts";
import { keyedNumbers, type VirtualLeaf } from "../../plan/plan.ts";
import type { CatalogPath } from "../../plan/query-catalog.ts";
import { hasStepsScorer, stepLeaf, stepSegments } from "../../plan/virtual-leaves.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { NamedPlace } from "../../request/named-places.ts";
import type { Session } from "../../store/session.ts";
import { countSteps, type StepNumbers } from "../walk/count-steps.ts";
import { madeOnce } from "./asked-once.ts";

/** What steps count, by the evaluations and names that it was asked for; kept until the next write. */
export type KeptSteps = Map<string, Promise<StepNumbers>>;

export type CountSteps = (asked: readonly (readonly string[])[]) => Promise<StepNumbers>;

/** Counts the steps of the evaluations of a scope once until the next write. */
export function stepCounter(session: Session, kept: KeptSteps, scope: WalkScope): CountSteps {
  return (asked) =>
    madeOnce(kept, JSON.stringify([scope.evaluationKeys, asked]), () => countSteps(session, scope, asked));
}

/** What a request names of steps: as dimensions of its answer, or as fields alone. Throws `RequestError`. */
export function namedSteps(
  request: EvalRequest,
  stored: readonly CatalogPath[],
): { readonly dimensions: ReadonlySet<string>; readonly all: ReadonlySet<string> } {
  const isTaken = hasStepsScorer(stored);
  const dimensions = new Set<string>();
  for (const place of request.stepDimensions) {
    for (const segments of segmentsOf(place, isTaken)) dimensions.add(JSON.stringify(segments));
    if (dimensions.size > MOST_STEP_SCORES)
      throw meaningless(
        place.loc,
        `more than ${MOST_STEP_SCORES} numbers of steps; ask for the others apart`,
      );
  }
  const fields = fieldUses(request).flatMap(({ field }) => (field.root === "steps" ? [field.segments] : []));
  return { dimensions, all: new Set([...dimensions, ...fields.map((one) => JSON.stringify(one))]) };
}

function segmentsOf({ path, loc }: NamedPlace, isTaken: boolean): readonly (readonly string[])[] {
  const segments = stepSegments(path, isTaken);
  if (segments === null) return [];
  if (segments.length === 0) return STEP_NUMBERS.map((name) => [name]);
  const root = fieldText(path.slice(0, path.length - segments.length));
  const fault = stepFault(segments, root);
  if (fault !== null) throw meaningless(loc, fault);
  return [segments];
}

/** A dimension of each thing that a request names of steps, and warnings of tools that nobody called. */
export async function stepLeaves(
  named: ReturnType<typeof namedSteps>,
  stored: readonly CatalogPath[],
  count: CountSteps,
  firstKey: number,
): Promise<{ readonly leaves: readonly VirtualLeaf[]; readonly warnings: readonly string[] }> {
  const all = Array.from(named.all, (text) => JSON.parse(text) as readonly string[]);
  if (all.length === 0) return { leaves: [], warnings: [] };
  const tools = [...new Set(all.flatMap(([first, name]) => (first === "tool" ? (name ?? []) : [])))];
  const counted = await count(all);
  const isTaken = hasStepsScorer(stored);
  const leaves = all.map((segments, i) => {
    const name = JSON.stringify(segments);
    const numbers = counted.numbers.get(name) ?? keyedNumbers([]);
    return stepLeaf(firstKey - i, segments, numbers, { isTaken, isField: !named.dimensions.has(name) });
  });
  return {
    leaves,
    warnings: tools.flatMap((name) => (counted.tools.has(name) ? [] : [uncalled(name, counted.tools)])),
  };
}

const SUGGESTED = 5;

function uncalled(tool: string, known: ReadonlySet<string>): string {
  const near = nearestWords(tool, known, SUGGESTED);
  const names = (near.length > 0 ? near : [...known].toSorted().slice(0, SUGGESTED)).map((name) =>
    quotedName(name),
  );
  const there = names.length === 0 ? "" : `; there are ${names.join(", ")}`;
  return `steps: no trial of the requested evaluations calls the tool ${quotedName(tool)}${there}`;
}
