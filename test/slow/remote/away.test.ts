import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openEngine, type Engine, type EvaluateOptions } from "../../../src/index.ts";
import { startRemote, type RemoteService } from "../../remote/remote-service.ts";

/* Services that are away for longer than a test of the other tiers may take. */

const PROJECT = "acme/qa";
let here: Engine;
let service: RemoteService;

beforeEach(async () => {
  here = await openEngine({ threads: 1 });
  service = await startRemote(here);
});

afterEach(async () => {
  await service.stop().catch(() => undefined);
  await here.close();
});

/** An evaluation of forty rows that takes about four seconds, and how far it is. */
function slowly(
  more: Partial<EvaluateOptions<{ q: number }, number>> = {},
): EvaluateOptions<{ q: number }, number> {
  return {
    name: "slowly",
    model: "small",
    id: "slowly",
    data: Array.from({ length: 40 }, (_, q) => ({ q })),
    maxConcurrency: 1,
    task: async ({ q }) => {
      await pause(100);
      return q;
    },
    scorers: { ok: () => true },
    ...more,
  };
}

async function trialCounts(): Promise<readonly number[]> {
  return (await here.listEvaluations(PROJECT)).map(({ trial_count: count }) => count);
}

it("waits for a service that is away for 30 s, and loses nothing", { timeout: 120_000 }, async () => {
  const far = await service.open();
  const running = far.evaluate(PROJECT, slowly());
  await pause(1500);
  await service.stop();
  await pause(30_000);
  service = await service.restart(Number(new URL(service.url).port));
  expect(await running).toMatchObject({ trials: 40, status: "finished" });
  await far.close();
  expect(await trialCounts()).toEqual([40]);
});

it("ends when it is away for longer, says what is stored, and can go on", { timeout: 180_000 }, async () => {
  const far = await service.open();
  const running = far.evaluate(PROJECT, slowly()).catch((error: unknown) => error);
  await pause(1500);
  await service.stop();
  const from = performance.now();
  const error = (await running) as Error & { readonly run: { readonly trials: number } };
  const seconds = (performance.now() - from) / 1000;
  expect(seconds).toBeGreaterThan(30);
  expect(seconds).toBeLessThan(60);
  const [stored = 0] = await trialCounts();
  expect(stored).toBeGreaterThan(0);
  expect(error).toMatchObject({
    code: "unreachable",
    run: { id: "slowly", trials: stored, status: "failed" },
  });
  expect(error.message).toContain(`${stored} trials are stored, go on with the id "slowly" and resume: true`);
  await expect(far.close()).rejects.toMatchObject({ code: "unreachable" });
  expect((performance.now() - from) / 1000).toBeLessThan(60);
  service = await service.restart(Number(new URL(service.url).port));
  const again = await service.open();
  expect(await again.evaluate(PROJECT, slowly({ resume: true }))).toMatchObject({
    trials: 40,
    skipped: stored,
  });
  await again.close();
  expect(await trialCounts()).toEqual([40]);
});
