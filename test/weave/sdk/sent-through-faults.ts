import { expect } from "vitest";
import type { Random } from "../../../src/stats/numeric/random.ts";
import { startWeave } from "../service.ts";
import { PROJECT } from "../weave-requests.ts";
import { startFaultyProxy } from "./faulty-proxy.ts";
import { sendTraffic } from "./sender.ts";
import { storedThings, wantedThings } from "./stored-things.ts";
import { evaluationTraffic } from "./traffic.ts";

/** Sends evaluations through faults and expects each thing once; returns how many requests went wrong. */
export async function sendThroughFaults(evaluations: number, rows: number, random: Random) {
  const service = await startWeave();
  const proxy = await startFaultyProxy(service.url, random);
  const programs = Array.from({ length: evaluations }, (_, i) => evaluationTraffic(`e${i}`, rows));
  const to = { url: () => proxy.url, authorization: service.ann };
  await Promise.all(programs.map((program) => sendTraffic(program, to)));
  const stored = await storedThings((path, body) => service.post(path, body), programs);
  expect(stored.toSorted()).toEqual(wantedThings(programs));
  for (const { root, trials, exact } of programs) {
    const request = { evaluation_call_ids: [root], include_summary: true, resolve_row_refs: true };
    const { total_rows, summary, warnings } = await service.engine.queryEvalResults(PROJECT, request);
    expect([total_rows, warnings]).toEqual([rows, []]);
    expect(summary?.evaluations[0]).toMatchObject({
      trial_count: trials,
      scorer_stats: expect.arrayContaining([
        expect.objectContaining({ scorer_key: "exact", pass_true_count: exact, pass_known_count: trials }),
      ]) as unknown,
    });
  }
  await proxy.close();
  await service.stop();
  return proxy.faults;
}
