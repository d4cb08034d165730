import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine, type Engine } from "../../../src/index.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../../support/clickhouse-server.ts";
import { questions, scoredRuns } from "../../support/random-questions.ts";
import { PROJECT } from "../../support/records.ts";
import { because } from "../../support/skipped.ts";

const SEED = Number(process.env["SEED"] ?? 606);
const QUESTIONS = Number(process.env["QUESTIONS"] ?? 10);

/** How each kind of question is asked. Requests are drawn as JSON, as clients send them. */
const ASKED = {
  query: (engine: Engine, request: object) => engine.queryEvalResultsJson(PROJECT, request),
  comparison: (engine: Engine, request: object) => engine.compareEvaluations(PROJECT, request),
  agreement: (engine: Engine, request: object) =>
    engine.agreement(PROJECT, request as Parameters<Engine["agreement"]>[1]),
  leaderboard: (engine: Engine, request: object) => engine.leaderboard(PROJECT, request),
};

/** An engine of each kind with the same records, closed after the test. */
async function bothWithRuns(): Promise<readonly Engine[]> {
  const url = await sharedClickHouse();
  const database = scratchDatabase(url);
  const [runs] = fc.sample(scoredRuns, { seed: SEED, numRuns: 1 });
  const engines = [await openEngine({ threads: 1 }), await openEngine({ clickhouse: { url, database } })];
  for (const engine of engines) {
    onTestFinished(() => engine.close());
    await engine.ingestCalls(runs?.calls ?? []);
    for (const [i, record] of (runs?.feedback ?? []).entries())
      await engine.feedback.create(record, { userId: i % 3 === 0 ? "ann" : "bob" });
  }
  return engines;
}

describe.skipIf(noClickHouse !== null)(
  `random questions of both engines (SEED=${SEED})${because(noClickHouse)}`,
  () => {
    it.each(Object.entries(ASKED))("have the same answers: %s", async (kind, ask) => {
      const engines = await bothWithRuns();
      const drawn = fc.sample<object>(questions[kind as keyof typeof ASKED], {
        seed: SEED,
        numRuns: QUESTIONS,
      });
      let refused = 0;
      for (const request of drawn) {
        const [onFile, onServer] = await Promise.all(
          engines.map(async (engine) => {
            try {
              const answer = await ask(engine, request);
              return typeof answer === "string" ? answer : JSON.stringify(answer);
            } catch (error) {
              return String(error);
            }
          }),
        );
        if (onFile?.startsWith("RequestError") === true) refused += 1;
        expect.soft(onFile, JSON.stringify(request)).not.toMatch(/^StoreError/);
        expect.soft(onServer, JSON.stringify(request)).toBe(onFile);
      }
      expect(refused, "refused by both").toBeLessThan(QUESTIONS);
    });
  },
);
