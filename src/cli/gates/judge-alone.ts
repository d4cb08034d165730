import type { CompareRequest, Engine } from "../../index.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { NOTHING_COMPARED } from "../../words/comparison-words.ts";
import { judgeGates, readFigures } from "./judge-gates.ts";
import { type Gate, needsBaseline } from "./parse-gate.ts";

/** What gates say of evaluations that are compared with nothing. */
export interface JudgedAlone {
  /** Why those on an evaluation alone are met. */
  readonly reasons: readonly string[];
  /** Why the others are not judged. */
  readonly unjudged: readonly string[];
}

/** Judges evaluations that have no earlier run. `request` says how values and costs count. */
export async function judgeAlone(
  engine: Engine,
  project: string,
  ids: readonly string[],
  gates: readonly Gate[],
  request: CompareRequest,
  signal: AbortSignal,
): Promise<JudgedAlone> {
  if (ids.length === 0 || gates.length === 0) return { reasons: [], unjudged: [] };
  const list = await engine.listEvaluations(project, { signal });
  const names = evaluationLabels(list.filter(({ id }) => ids.includes(id)));
  const own = gates.filter((gate) => !needsBaseline(gate));
  const sides = ids.map((id) => ({ baseline: id, candidate: id }));
  const compared = { answer: NOTHING_COMPARED, request, sides, names };
  const figures = await readFigures(engine, project, compared, own, signal);
  const judged = judgeGates(own, compared, figures);
  const others = gates.filter(needsBaseline);
  return {
    reasons: judged.flatMap(({ reasons }) => reasons.map(({ text }) => text)),
    unjudged: others.flatMap(({ text }) =>
      ids.map((id) => `${text}: not judged, ${names.get(id) ?? id} has no earlier run`),
    ),
  };
}
