import fc from "fast-check";
import { expect, it } from "vitest";
import { openEngine, type EvaluationEntry } from "../../src/index.ts";
import { evaluationLabels } from "../../src/model/labels.ts";
import { scenario } from "../oracle/arbitraries.ts";
import { responseDifferences } from "../oracle/compare.ts";
import { oracleProject, oracleQuery } from "../oracle/oracle.ts";
import { play } from "../oracle/play.ts";

const SEED = Number(process.env["SEED"] ?? 303);
const SCENARIOS = Number(process.env["SCENARIOS"] ?? 14);
const REQUESTS = 20;

/** Writes ids, which the oracle knows, where a warning quotes labels. */
function idsOf(list: readonly EvaluationEntry[], request: unknown): (warning: string) => string {
  const asked = JSON.stringify(request);
  const labels = evaluationLabels(list.filter(({ id }) => asked.includes(JSON.stringify(id))));
  return (warning) =>
    [...labels].reduce(
      (text, [id, label]) => text.replaceAll(JSON.stringify(label), JSON.stringify(id)),
      warning,
    );
}

it(
  `answers random requests on random projects as the oracle does (SEED=${SEED})`,
  { timeout: 900_000 },
  async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        scenario(REQUESTS),
        fc.constantFrom(1, 3, 1000),
        async ({ events, projectId, requests }, size) => {
          const engine = await openEngine({ threads: 1 });
          try {
            await play(engine, events, size);
            const state = oracleProject(events);
            for (const request of requests) {
              const answer = await engine.queryEvalResults(projectId, request);
              const ids = idsOf(await engine.listEvaluations(projectId), request);
              const actual = { ...answer, warnings: answer.warnings.map(ids) };
              const found = responseDifferences(actual, oracleQuery(state, projectId, request));
              expect(found, JSON.stringify(request)).toEqual([]);
              compared++;
            }
          } finally {
            await engine.close();
          }
        },
      ),
      { seed: SEED, numRuns: SCENARIOS, endOnFailure: process.env["SHRINK"] === undefined },
    );
    expect(compared).toBeGreaterThanOrEqual(SCENARIOS * REQUESTS);
  },
);
