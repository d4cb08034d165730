import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCatalogCache } from "../../../src/engine/catalog/read-catalog.ts";
import { openDatabase } from "../../../src/engine/clickhouse/open/open-database.ts";
import { createReads } from "../../../src/engine/clickhouse/read/store.ts";
import type { QueryContext } from "../../../src/engine/context.ts";
import { openCore } from "../../../src/engine/engine.ts";
import { writeAnswer } from "../../../src/engine/query/answers.ts";
import { loadCases, type CaseEvent } from "../../cases/load.ts";
import { copiedProject, copyToClickHouse } from "../../support/clickhouse-copy.ts";
import { noClickHouse, sharedClickHouse } from "../../support/clickhouse-server.ts";
import { because } from "../../support/skipped.ts";

type Core = Awaited<ReturnType<typeof openCore>>;
interface Copied {
  readonly core: Core;
  readonly number: number;
}

const DATABASE = `cases_${process.pid}`;
const copies = new Map<string, Promise<Copied>>();

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const loader = () => Promise.reject(new Error("nothing is loaded here"));

async function play(core: Core, events: readonly CaseEvent[]): Promise<void> {
  for (const event of events) {
    if (event.kind === "delete") await core.deleteCalls(event.project_id, [event.id]);
    else if (event.kind === "call") await core.ingestCalls({ ndjson: bytes(event.line), name: "case" });
    else await core.ingestRows({ ndjson: bytes(event.line), name: "case" });
  }
}

async function copied(events: readonly CaseEvent[], url: string, number: number): Promise<Copied> {
  const core = await openCore({ threads: 1 });
  await play(core, events);
  await copyToClickHouse(core.store, url, DATABASE, number);
  return { core, number };
}

describe.skipIf(noClickHouse !== null)(
  `every case has the same answer on ClickHouse${because(noClickHouse)}`,
  () => {
    let url: string;
    let context: QueryContext;
    beforeAll(async () => {
      url = await sharedClickHouse();
      const { client, conventions } = await openDatabase({ url, database: DATABASE }, {}, false);
      const store = createReads(client, DATABASE);
      context = {
        store,
        loader,
        conventions,
        catalogs: createCatalogCache(),
        answers: null,
        comparisons: null,
      };
    });
    afterAll(async () => {
      for (const copy of copies.values()) await (await copy).core.close();
      await context.store.close();
    });

    for (const one of loadCases()) {
      it(`${one.name} (${one.rules.join(", ")})`, async () => {
        const key = JSON.stringify(one.events);
        const copy = copies.get(key) ?? copied(one.events, url, copies.size + 1);
        copies.set(key, copy);
        const { core, number } = await copy;
        const wanted = await core.queryEvalResultsJson(one.projectId, one.request);
        const project = copiedProject(one.projectId, number);
        expect(await writeAnswer(context, project, one.request, {})).toBe(wanted);
      });
    }
  },
);
