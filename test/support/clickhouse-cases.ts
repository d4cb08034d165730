import { afterAll, beforeAll, it } from "vitest";
import { createCore, openCore } from "../../src/engine/engine.ts";
import { openBackend } from "../../src/engine/open-backend.ts";
import type { ClickHouseOptions } from "../../src/clickhouse/server/options.ts";
import type { Loading } from "../../src/engine/loading.ts";
import { asList } from "../oracle/json.ts";
import type { CaseEvent, EvalCase } from "../cases/load.ts";

async function openBoth(clickhouse: ClickHouseOptions) {
  const server = await openBackend({ clickhouse });
  return { onFile: await openCore({ threads: 1 }), onServer: createCore(server, {}) };
}

type Both = Awaited<ReturnType<typeof openBoth>>;

interface Load {
  readonly kind: CaseEvent["kind"];
  readonly events: CaseEvent[];
}

/** Events of one kind that follow one another are one load. */
function loadsOf(events: readonly CaseEvent[]): Load[] {
  const loads: Load[] = [];
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

async function playRound(core: Loading, loads: readonly Load[]): Promise<void> {
  const of = (kind: Load["kind"]) =>
    loads.filter((load) => load.kind === kind).flatMap(({ events }) => events);
  await core.ingestCalls({ ndjson: lines(of("call")), name: "cases" });
  await core.ingestRows({ ndjson: lines(of("row")), name: "cases" });
  for (const event of of("delete"))
    if (event.kind === "delete") await core.deleteCalls(event.project_id, [event.id]);
}

/** Loads the first loads of all cases at once, then the second ones, and so on: no case has projects of another. */
async function play(core: Loading, cases: readonly (readonly CaseEvent[])[]): Promise<void> {
  const loads = cases.map(loadsOf);
  const rounds = Math.max(...loads.map(({ length }) => length));
  for (let round = 0; round < rounds; round += 1)
    await playRound(
      core,
      loads.flatMap((one) => one.slice(round, round + 1)),
    );
}

/** The case with its projects named anew. */
function inProjectsOfItsOwn(one: EvalCase, number: number): EvalCase {
  const renamed = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll(/\bacme\/(?:qa|other)\b/g, `$&-${number}`)) as T;
  return {
    ...one,
    events: renamed(one.events),
    projectId: renamed(one.projectId),
    request: renamed(one.request),
  };
}

/**
 * Tests that each case has the same answer in a file and in a database on a server. All cases share both: the events of each are in projects of
 * their own, which cases of the same events share.
 */
export function casesHaveTheSameAnswers(
  cases: readonly EvalCase[],
  server: () => Promise<Omit<ClickHouseOptions, "database">>,
): void {
  const events = [...new Set(cases.map((one) => JSON.stringify(one.events)))];
  const apart = cases.map((one) => inProjectsOfItsOwn(one, events.indexOf(JSON.stringify(one.events))));
  let both: Both;
  beforeAll(async () => {
    both = await openBoth({ ...(await server()), database: `cases_${process.pid}` });
    const loaded = [...new Map(apart.map((one) => [JSON.stringify(one.events), one.events])).values()];
    await Promise.all([play(both.onFile, loaded), play(both.onServer, loaded)]);
  });
  afterAll(() => Promise.all([both.onFile.close(), both.onServer.close()]));

  for (const { name, rules, projectId, request, expected } of apart) {
    it.concurrent(`${name} (${rules.join(", ")})`, async ({ expect }) => {
      const wanted = await both.onFile.queryEvalResultsJson(projectId, request);
      // Rows are there under the new names too.
      if (expected.digests !== undefined)
        expect(JSON.parse(wanted).rows).toHaveLength(asList(expected.digests).length);
      expect(await both.onServer.queryEvalResultsJson(projectId, request)).toBe(wanted);
    });
  }
}
