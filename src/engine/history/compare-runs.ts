import type { ScorePath } from "../../plan/plan.ts";
import { namedVersion } from "../../model/references.ts";
import { sidesOf } from "../../request/compared-sides.ts";
import { groupOf } from "../../request/parse-compare-request.ts";
import type { Remembering } from "../../request/history-request.ts";
import { adjustingBy, compareAll } from "../../respond/compare/compare-all.ts";
import type { Session } from "../../store/session.ts";
import { readGroup } from "../compare/read-group.ts";
import type { QueryContext } from "../base/context.ts";
import type { QueryOptions } from "../query/query.ts";
import type { ComparedRun } from "./walk.ts";

/** Where runs are compared, and in what. */
export interface RunScope {
  readonly session: Session;
  readonly context: QueryContext;
  readonly projectId: string;
  readonly remembering: Remembering;
  readonly headline: ScorePath;
  readonly signal: QueryOptions["signal"];
}

/**
 * Compares a run with others, each pair alone in the scores that both have; what is said is of the headline score, by
 * id.
 */
export async function compareRuns(
  scope: RunScope,
  baseline: string,
  ids: readonly string[],
): Promise<Map<string, ComparedRun>> {
  if (!scope.remembering.comparing.leavesOutEdited) return await compareTogether(scope, baseline, ids);
  const found = new Map<string, ComparedRun>();
  for (const id of ids) for (const one of await compareTogether(scope, baseline, [id])) found.set(...one);
  return found;
}

async function compareTogether(
  { session, context, projectId, remembering, headline, signal }: RunScope,
  baseline: string,
  ids: readonly string[],
): Promise<Map<string, ComparedRun>> {
  const asked = groupOf(sidesOf(baseline, ids), remembering.comparing, ids.length === 1);
  const group = await readGroup(session, context, projectId, asked);
  const { comparing, catalog, pairs } = group.context;
  const { confidence, adjust, margin } = comparing;
  const keys = new Map(
    [baseline, ...ids].map((id): [string, number] => [id, catalog.evaluations.get(id)?.key ?? 0]),
  );
  const { datasets, scorers: all, changes } = await group.facts();
  const scorers = all.get(headline.path[0] ?? "") ?? new Map<string, readonly string[]>();
  const isOther = (stated: ReadonlyMap<string, readonly string[]>, id: string) =>
    areOther(stated.get(baseline) ?? [], stated.get(id) ?? []);
  const found = new Map<string, ComparedRun>();
  for (const [i, id] of ids.entries()) {
    const inputs = group.inputs.filter(({ candidate }) => candidate === id);
    const adjusting = adjustingBy(adjust, confidence);
    const { comparisons } = await compareAll(
      inputs,
      { confidence, margin, adjusting, alone: adjust },
      signal,
    );
    const place = inputs.findIndex(({ path }) => JSON.stringify(path) === JSON.stringify(headline.path));
    const { both, onlyCandidate, edited } = pairs.presence(keys.get(id) ?? 0);
    const shared = both + (comparing.leavesOutEdited ? edited.count : 0);
    found.set(id, {
      comparison: comparisons[place] ?? null,
      shared,
      own: shared + onlyCandidate,
      changes: changes[i] ?? null,
      unlike: isOther(datasets, id) ? "dataset" : isOther(scorers, id) ? "scorer" : null,
    });
  }
  return found;
}

/** Whether both state versions, and these differ. */
function areOther(before: readonly string[], now: readonly string[]): boolean {
  const [own, other] = [before, now].map((references) =>
    references
      .map(namedVersion)
      .flatMap(({ name, version }) => (version === null ? [] : `${name}:${version}`))
      .join(" "),
  );
  return own !== "" && other !== "" && own !== other;
}
