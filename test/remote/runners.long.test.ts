import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { readSettings } from "../../src/runners/options.ts";
import { createRecorder, type Recorder } from "../../src/runners/recorder.ts";
import { scratchFolder } from "../support/scratch.ts";
import { startRemote, type RemoteService } from "./remote-service.ts";

const PROJECT = "acme/qa";
let here: Engine;
let service: RemoteService;

beforeEach(async () => {
  here = await openEngine({ threads: 1 });
  service = await startRemote(here);
  vi.stubEnv("EVALCUBE_KEY", service.key("write"));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await service.stop();
  await here.close();
});

function recorderOf(db: string, root = scratchFolder()): Recorder {
  return createRecorder(readSettings({ db, project: PROJECT, run: "r1" }, root), "vitest 4.0.0");
}

function add(recorder: Recorder, from: number, to: number): void {
  for (let n = from; n < to; n++)
    recorder.add({ file: "sums.eval.test.ts", name: "sums" }, () => ({
      row: { n },
      output: n,
      scores: { passed: n % 2 === 0 },
      startedAt: new Date(1_000 + n),
      endedAt: new Date(2_000 + n),
      leftOut: 0,
    }));
}

async function told(engine: Engine) {
  const [one] = await engine.listEvaluations(PROJECT);
  const { summary } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: [one?.id ?? ""],
    include_rows: false,
    include_summary: true,
  });
  return {
    name: one?.display_name,
    status: one?.status,
    trials: one?.trial_count,
    evaluations: summary.evaluations.map((of) => ({ ...of, started_at: "" })),
  };
}

describe("a runner over a service", () => {
  it("stores what it stores in a file, and says the same", async () => {
    const file = path.join(scratchFolder(), "evals.duckdb");
    const lines: string[] = [];
    for (const db of [service.url, file]) {
      const recorder = recorderOf(db);
      add(recorder, 0, 10);
      await recorder.end();
      lines.push(recorder.lines().replace(db, "DATABASE"));
    }
    expect(lines[0]).toBe("evalcube: 1 evaluation, 10 trials, 0 in error → DATABASE (acme/qa)\n");
    expect(lines[0]).toBe(lines[1]);
    const near = await openEngine({ path: file, readOnly: true });
    const [here_, near_] = [await told(here), await told(near)];
    await near.close();
    expect(here_).toEqual(near_);
  });

  it("goes on with the same run, and stores nothing twice", async () => {
    for (const to of [4, 10]) {
      const recorder = recorderOf(service.url);
      add(recorder, 0, to);
      await recorder.end();
    }
    expect(await told(here)).toMatchObject({ trials: 10, status: "finished" });
  });

  it("waits for a service that is started anew amid the run", async () => {
    const recorder = recorderOf(service.url);
    add(recorder, 0, 5);
    await recorder.save({ file: "sums.eval.test.ts", name: "sums" });
    await service.stop();
    add(recorder, 5, 10);
    const ending = recorder.end();
    await pause(1500);
    service = await service.restart(Number(new URL(service.url).port));
    await ending;
    expect(recorder.lines()).toContain(`10 trials, 0 in error → ${service.url}`);
    expect(await told(here)).toMatchObject({ trials: 10, status: "finished" });
  });

  it("needs the key, and says so when it starts", () => {
    vi.stubEnv("EVALCUBE_KEY", "");
    expect(() => recorderOf(service.url)).toThrow(/EVALCUBE_KEY/);
  });

  it("keeps in a file what a service refuses, and ends with status 1", async () => {
    vi.stubEnv("EVALCUBE_KEY", service.key("read"));
    const before = process.exitCode;
    const root = scratchFolder();
    try {
      const recorder = recorderOf(service.url, root);
      add(recorder, 0, 3);
      await recorder.end();
      expect(process.exitCode).toBe(1);
      const lines = recorder.lines();
      expect(lines).toMatch(
        /0 trials are stored, go on with EVALCUBE_RUN=r1, or load them with: evalcube ingest/,
      );
      const [, kept = ""] = /→ (\S+\.r1\.ndjson) \(acme\/qa\)/.exec(lines) ?? [];
      const far = await service.open();
      await far.ingestFile(kept);
      await far.close();
      expect(await told(here)).toMatchObject({ trials: 3 });
    } finally {
      process.exitCode = before;
    }
  });
});
