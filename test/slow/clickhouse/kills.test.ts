import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClickHouse } from "../../../src/clickhouse/server/client.ts";
import { crash } from "../../support/clickhouse-crashes.ts";
import { clickHouseFacts } from "../../support/clickhouse-facts.ts";
import { openLoading } from "../../support/clickhouse-loading.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../../support/clickhouse-server.ts";
import { call, root, trial } from "../../support/records.ts";
import { because } from "../../support/skipped.ts";
import { until } from "../../support/until.ts";

const KILLS = Number(process.env["KILLS"] ?? 200);
/** The first kill; the runs of several processes begin at different ones. */
const FIRST = Number(process.env["FIRST"] ?? 1);
/** More than a load of this size asks for. */
const STEPS = 28;
/** When a process dies: before it sends a request, so many milliseconds after it began to, after the answer. */
const DEATHS = [-1, 0, 1, 3, 10, 30, null] as const;
const CHILD = path.join(import.meta.dirname, "../../children/load-and-die.ts");

/** Trials with scores that come late for those of the source before, and rows that others have. */
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

interface Victim {
  /** Loads until it dies. */
  readonly die: (
    order: readonly object[],
    step: number,
    after: number | null,
  ) => Promise<{ survived: boolean }>;
  readonly end: () => void;
}

/** A process that has opened the database and waits for what it loads. */
function startVictim(url: string, database: string): Victim {
  const child: ChildProcess = spawn(process.execPath, ["--import", "tsx", CHILD, url, database], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return {
    die: async (records, step, after) => {
      await until("the process to open the database", () => said.startsWith("open\n"));
      const ended = once(child, "exit");
      child.stdin?.write(`${JSON.stringify({ source: records, step, after })}\n`);
      await ended;
      return { survived: said.includes("survived") };
    },
    end: () => child.kill("SIGKILL"),
  };
}

/** What was under way when its process died may go on. */
async function allEnded(client: ClickHouse, database: string): Promise<void> {
  await until("the server to end what it does", async () => {
    const [found] = await client.rows(
      "SELECT count() FROM system.processes WHERE current_database = {database: String} AND query NOT LIKE '%system.processes%'",
      { database },
    );
    return Number(found?.[0]) === 0;
  });
}

describe.skipIf(noClickHouse !== null)(
  `a process that loads into ClickHouse and is killed${because(noClickHouse)}`,
  () => {
    let url: string;
    let next: Victim | null = null;
    beforeAll(async () => {
      url = await sharedClickHouse();
    });
    afterAll(() => next?.end());

    it(`leaves its load whole or leaves nothing, ${KILLS} times, at every step`, async () => {
      const alive = await openLoading(url, scratchDatabase(url));
      await alive.ingestCalls([root(), ...source(FIRST - 1, 3)]);
      const { client, schema } = alive.database;
      let before = await clickHouseFacts(client);
      const outcomes = { whole: 0, nothing: 0, survived: 0 };
      for (let i = FIRST; i < FIRST + KILLS; i++) {
        const step = 1 + (i % STEPS);
        const after = DEATHS[i % DEATHS.length] ?? null;
        const victim: Victim = next ?? startVictim(url, schema);
        // It starts while the database is looked at.
        next = startVictim(url, schema);
        const { left, maintained, repeated, stray, survived } = await crash(
          alive,
          source(i, 3),
          async (_, records) => {
            const end = await victim.die(records, step, after);
            await allEnded(client, schema);
            return end;
          },
        );
        const [was, is, later] = [before, left, repeated].map((one) => JSON.stringify(one));
        expect({ i, step, after, isOneOfBoth: [was, later].includes(is) }).toEqual({
          i,
          step,
          after,
          isOneOfBoth: true,
        });
        expect({ i, step, after, maintained, stray }).toEqual({ i, step, after, maintained: left, stray: 0 });
        expect(later).not.toEqual(was);
        before = repeated;
        if (survived) outcomes.survived++;
        else outcomes[is === was ? "nothing" : "whole"]++;
      }
      expect({ ...outcomes, nothing: outcomes.nothing > 0 }).toMatchObject({ nothing: true });
    });
  },
);
