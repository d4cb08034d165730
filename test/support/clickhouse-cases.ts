import { afterAll, beforeAll, expect, it } from "vitest";
import { createCore, openCore } from "../../src/engine/engine.ts";
import { openBackend } from "../../src/engine/open-backend.ts";
import type { ClickHouseOptions } from "../../src/clickhouse/server/options.ts";
import type { Loading } from "../../src/engine/loading.ts";
import type { CaseEvent, EvalCase } from "../cases/load.ts";

async function openBoth(clickhouse: ClickHouseOptions) {
  const server = await openBackend({ clickhouse });
  return { onFile: await openCore({ threads: 1 }), onServer: createCore(server, {}) };
}

type Both = Awaited<ReturnType<typeof openBoth>>;

/** Events of one kind that follow one another are one load. */
function loadsOf(events: readonly CaseEvent[]): { kind: "call" | "row" | "delete"; events: CaseEvent[] }[] {
  const loads: { kind: CaseEvent["kind"]; events: CaseEvent[] }[] = [];
  for (const event of events) {
    const last = loads.at(-1);
    if (last?.kind === event.kind && event.kind !== "delete") last.events.push(event);
    else loads.push({ kind: event.kind, events: [event] });
  }
  return loads;
}

async function* lines(events: readonly CaseEvent[]): AsyncGenerator<Uint8Array> {
  for (const event of events) if (event.kind !== "delete") yield Buffer.from(`${event.line}\n`);
}

async function play(core: Loading, events: readonly CaseEvent[]): Promise<void> {
  for (const load of loadsOf(events)) {
    const ndjson = { ndjson: lines(load.events), name: "case" };
    if (load.kind === "call") await core.ingestCalls(ndjson);
    else if (load.kind === "row") await core.ingestRows(ndjson);
    else
      for (const event of load.events)
        if (event.kind === "delete") await core.deleteCalls(event.project_id, [event.id]);
  }
}

/** Tests that each case has the same answer in a file and in a database of its own on a server. Cases of the same events share both. */
export function casesHaveTheSameAnswers(
  cases: readonly EvalCase[],
  server: () => Promise<Omit<ClickHouseOptions, "database">>,
): void {
  const loaded = new Map<string, Promise<Both>>();
  let options: Omit<ClickHouseOptions, "database">;
  beforeAll(async () => {
    options = await server();
  });
  afterAll(async () => {
    for (const both of loaded.values()) {
      const { onFile, onServer } = await both;
      await Promise.all([onFile.close(), onServer.close()]);
    }
  });

  const load = async (events: readonly CaseEvent[]): Promise<Both> => {
    const both = await openBoth({ ...options, database: `cases_${process.pid}_${loaded.size}` });
    await Promise.all([play(both.onFile, events), play(both.onServer, events)]);
    return both;
  };

  for (const one of cases) {
    it(`${one.name} (${one.rules.join(", ")})`, async () => {
      const key = JSON.stringify(one.events);
      const both = loaded.get(key) ?? load(one.events);
      loaded.set(key, both);
      const { onFile, onServer } = await both;
      const wanted = await onFile.queryEvalResultsJson(one.projectId, one.request);
      expect(await onServer.queryEvalResultsJson(one.projectId, one.request)).toBe(wanted);
    });
  }
}
