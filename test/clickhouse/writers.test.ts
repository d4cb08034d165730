import { EventEmitter, once } from "node:events";
import { beforeAll, describe, expect, it } from "vitest";
import { clickHouseFacts, settledFacts } from "../support/clickhouse-facts.ts";
import { openLoading } from "../support/clickhouse-loading.ts";
import { after } from "../support/clickhouse-meeting.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { compareSchedule, randomSchedules } from "../support/clickhouse-schedules.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const SEED = Number(process.env["SEED"] ?? 5);

const PARTS = { partial: true } as const;
const BEFORE = [root(), trial("t", 1), trial("u", 2), call("c", { parent_id: "t" })];
const ENDED = { project_id: PROJECT, ended_at: "2026-01-01T00:00:09Z" };
const START = call("judged", {
  parent_id: "t",
  op_name: "judge.score",
  attributes: { svc: { score: true } },
});

/** Two sources, each loaded by a writer that knows nothing of the other one: the first is the last to commit. */
const meetings: readonly (readonly [string, readonly object[], readonly object[]])[] = [
  [
    "an end that names no parent comes before its start",
    [START],
    [{ ...ENDED, id: "judged", output: { late: 7 } }],
  ],
  [
    "a start comes before an end that names no parent",
    [{ ...ENDED, id: "judged", output: { late: 7 } }],
    [START],
  ],
  [
    "a child moves away from a trial that gets another one",
    [call("z", { parent_id: "t" })],
    [call("c", { parent_id: "u", ended_at: ENDED.ended_at })],
  ],
  [
    "a trial gets a child while it is deleted",
    [{ id: "t", project_id: PROJECT, deleted_at: "2026-01-02T00:00:00Z" }],
    [call("z", { parent_id: "t" })],
  ],
];

/** What may be waited for until it happens. */
function gate() {
  const waiting = new EventEmitter();
  const opened = once(waiting, "open");
  return { opened, open: () => waiting.emit("open") };
}

async function factsOfOne(url: string, sources: readonly (readonly object[])[]) {
  const alone = await openLoading(url, scratchDatabase(url));
  for (const one of sources) await alone.ingestCalls(one, PARTS);
  return settledFacts(await clickHouseFacts(alone.database.client));
}

describe.skipIf(noClickHouse !== null)(`several writers of one database${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it.each([...randomSchedules(SEED, 1).entries()])(
    `end where one writer ends who loads their sources in the order of their loads (SEED=${SEED}, schedule %d)`,
    async (_, schedule) => {
      const { found, expected } = await compareSchedule(url, schedule);
      expect(found).toEqual(expected);
    },
  );

  it.each(meetings)("end where one writer ends when %s", async (_, slowSource, quickSource) => {
    const database = scratchDatabase(url);
    const quick = await openLoading(url, database);
    await quick.ingestCalls(BEFORE, PARTS);
    const slow = await openLoading(url, database, (own) =>
      after(own, () => quick.ingestCalls(quickSource, PARTS)),
    );
    await slow.ingestCalls(slowSource, PARTS);
    const found = settledFacts(await clickHouseFacts(quick.database.client));
    expect(found).toEqual(await factsOfOne(url, [BEFORE, slowSource, quickSource]));
  });

  it("store what a call is although one that only looked at it stored that later", async () => {
    const database = scratchDatabase(url);
    const [begun, looked] = [gate(), gate()];
    const quick = await openLoading(url, database);
    const early = [{ ...ENDED, id: "t", summary: { n: 1 } }];
    const late = [{ ...ENDED, id: "t", ended_at: "2026-01-01T00:00:19Z", summary: { n: 2 } }];
    const child = [call("z", { parent_id: "t" })];
    await quick.ingestCalls(BEFORE, PARTS);
    const last = await openLoading(url, database, (own) =>
      after(own, () => {
        begun.open();
        return looked.opened;
      }),
    );
    let written: Promise<unknown> = Promise.resolve();
    const between = await openLoading(url, database, (own) =>
      after(own, async () => {
        await quick.ingestCalls(early, PARTS);
        written = last.ingestCalls(late, PARTS);
        await begun.opened;
      }),
    );
    await between.ingestCalls(child, PARTS);
    looked.open();
    await written;
    const found = settledFacts(await clickHouseFacts(quick.database.client));
    expect(found).toEqual(await factsOfOne(url, [BEFORE, child, early, late]));
  });
});
