import { createClient } from "@clickhouse/client";
import { beforeAll, describe, expect, it } from "vitest";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";
import { inOrder, openSteps } from "../steps/compared-steps.ts";
import { expectedSteps } from "../steps/oracle.ts";
import { randomTrees } from "../steps/random-trees.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const PROJECT = "own/steps";

/** Makes of a database what it was before steps had a table. */
const OLDER = [
  "DROP TABLE call_steps SYNC",
  "ALTER TABLE trials DROP COLUMN stop_reason",
  "ALTER TABLE trial_texts DROP COLUMN stop_reason",
  "TRUNCATE TABLE evalcube_format",
  "INSERT INTO evalcube_format (format, version) VALUES ('evalcube', 1), ('evalcube', 2)",
];

describe.skipIf(noClickHouse !== null)(
  `a database of before steps had a table${because(noClickHouse)}`,
  () => {
    let url: string;
    beforeAll(async () => {
      url = await sharedClickHouse();
    });

    /** An older database with these calls, in two loads. */
    async function older(calls: ReturnType<typeof randomTrees>): Promise<string> {
      const database = scratchDatabase(url);
      const engine = await openSteps({ clickhouse: { url, database } });
      const half = Math.ceil(calls.length / 2);
      await engine.ingestCalls(calls.slice(half));
      await engine.ingestCalls(calls.slice(0, half));
      await engine.close();
      const client = createClient({ url, database });
      for (const query of OLDER) await client.command({ query });
      await client.close();
      return database;
    }

    it(`has the steps of its calls and why trials ended once it is opened (SEED=${SEED})`, async () => {
      const calls = randomTrees(SEED, 20);
      const trial = calls.find(({ op_name }) => op_name === "Evaluation.predict_and_score");
      if (trial !== undefined) trial.attributes = { "evalcube.stop_reason": "turn limit" };
      const database = await older(calls);
      const expected = inOrder(expectedSteps(calls));
      expect(expected.length).toBeGreaterThan(0);
      await expect(openSteps({ clickhouse: { url, database }, readOnly: true })).rejects.toMatchObject({
        code: "old_database",
      });
      for (const time of ["first", "second"]) {
        const again = await openSteps({ clickhouse: { url, database } });
        expect(await again.fromWalk(), time).toEqual(expected);
        const { summary } = await again.queryEvalResults(PROJECT, {
          evaluation_call_ids: [trial?.parent_id ?? ""],
          include_summary: true,
          include_stop_reasons: true,
        });
        expect(summary?.evaluations[0]?.stop_reasons).toContainEqual(
          expect.objectContaining({ reason: "turn limit", count: 1 }),
        );
        await again.close();
      }
      const reader = await openSteps({ clickhouse: { url, database }, readOnly: true });
      expect(await reader.fromWalk()).toEqual(expected);
      await reader.close();
    });

    it("is read anew where its migration did not end", async () => {
      const calls = randomTrees(SEED, 5);
      const database = await older(calls);
      const client = createClient({ url, database });
      await (await openSteps({ clickhouse: { url, database } })).close();
      for (const query of ["TRUNCATE TABLE call_steps", "DELETE FROM evalcube_format WHERE format = 'steps'"])
        await client.command({ query });
      const reading = openSteps({ clickhouse: { url, database }, readOnly: true });
      await expect(reading).rejects.toThrow("its migration did not end; open it once without readOnly");
      const again = await openSteps({ clickhouse: { url, database } });
      expect(await again.fromWalk()).toEqual(inOrder(expectedSteps(calls)));
      await again.close();
      await client.close();
    });
  },
);
