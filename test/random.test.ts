import fc from "fast-check";
import { expect, it } from "vitest";
import { openEngine, type Engine } from "../src/index.ts";
import { scenario } from "./oracle/arbitraries.ts";
import type { OracleEvent } from "./oracle/calls.ts";
import { responseDifferences } from "./oracle/compare.ts";
import { lineOf } from "./oracle/events.ts";
import { oracleProject, oracleQuery } from "./oracle/oracle.ts";

const SEED = Number(process.env["SEED"] ?? 303);
const SCENARIOS = Number(process.env["SCENARIOS"] ?? 110);
const REQUESTS = 20;

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Consecutive records of one kind are one source, up to `size` of them. */
function sources(events: readonly OracleEvent[], size: number): OracleEvent[][] {
  const groups: OracleEvent[][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (last !== undefined && last[0]?.kind === event.kind && last.length < size) last.push(event);
    else groups.push([event]);
  }
  return groups;
}

async function play(engine: Engine, events: readonly OracleEvent[], size: number): Promise<void> {
  for (const group of sources(events, size)) {
    const lines = group.flatMap((event) => (event.kind === "delete" ? [] : [lineOf(event)])).join("\n");
    const first = group[0];
    if (first?.kind === "call") await engine.ingestCalls({ ndjson: bytes(lines), name: "calls" });
    else if (first?.kind === "row") await engine.ingestRows({ ndjson: bytes(lines), name: "rows" });
    else
      for (const event of group)
        if (event.kind === "delete") await engine.deleteCalls(event.project_id, [event.id]);
  }
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
              const actual = await engine.queryEvalResults(projectId, request);
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
