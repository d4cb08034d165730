import { beforeAll, describe, expect, it } from "vitest";
import { crash } from "../../support/clickhouse-crashes.ts";
import { openLoading } from "../../support/clickhouse-loading.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../../support/clickhouse-server.ts";
import { call, root, trial } from "../../support/records.ts";
import { because } from "../../support/skipped.ts";

const KILLS = Number(process.env["KILLS"] ?? 200);
/** More than a load of this size asks for. */
const STEPS = 40;

function source(i: number, trials: number) {
  const records = [];
  for (let k = 0; k < trials; k++) {
    records.push(trial(`t${i}-${k}`, { q: k % 7 }, { acc: k, judge: null }));
    records.push(
      call(`c${i}-${k}`, {
        parent_id: `t${i - 1}-${k}`,
        op_name: "late",
        attributes: { svc: { score: true } },
        output: i,
      }),
    );
  }
  return records;
}

describe.skipIf(noClickHouse !== null)(
  `a writer on ClickHouse that dies at each request${because(noClickHouse)}`,
  () => {
    let url: string;
    beforeAll(async () => {
      url = await sharedClickHouse();
    });

    it(`leaves its load whole or leaves nothing, ${KILLS} times`, async () => {
      const database = scratchDatabase(url);
      const alive = await openLoading(url, database);
      await alive.ingestCalls([root(), ...source(0, 3)]);
      for (let i = 1; i <= KILLS; i++) {
        const step = 1 + (i % STEPS);
        const death = i % (2 * STEPS) < STEPS ? "before" : "after";
        const { before, left, maintained, repeated, stray } = await crash(
          url,
          database,
          source(i, 3),
          step,
          death,
        );
        expect([
          step,
          death,
          [before, repeated].some((one) => JSON.stringify(one) === JSON.stringify(left)),
        ]).toEqual([step, death, true]);
        expect({ step, death, maintained, stray }).toEqual({ step, death, maintained: left, stray: 0 });
      }
    });
  },
);
