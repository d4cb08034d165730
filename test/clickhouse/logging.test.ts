import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openAnyCore, openCore } from "../../src/engine/engine.ts";
import { openEngine, type EvaluateOptions } from "../../src/index.ts";
import { createLogging } from "../../src/logging/logging.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { PROJECT } from "../support/records.ts";
import { because } from "../support/skipped.ts";

interface Row {
  readonly n: number;
}

/** An evaluation of which some trials fail. */
function options(fails: (n: number, trial: number) => boolean): EvaluateOptions<Row, number> {
  return {
    name: "resumed",
    id: "again",
    model: "bot",
    data: [1, 2, 3, 2].map((n) => ({ n })),
    task: ({ n }, { trial }) => {
      if (fails(n, trial)) throw new Error("no luck");
      return n * 10 + trial;
    },
    scorers: { ok: ({ output }) => output % 2 === 0, sum: ({ row, output }) => row.n + output },
    trials: 2,
    maxConcurrency: 3,
  };
}

type Core = Pick<
  Awaited<ReturnType<typeof openCore>>,
  | "logged"
  | "storeCalls"
  | "queryEvalResults"
  | "listProjects"
  | "countEvaluations"
  | "listEvaluations"
  | "ingestCalls"
>;

interface Tally {
  readonly trials: number;
  readonly errors: number;
  readonly skipped: number;
}

/** What logging answers and stores, without times. */
async function logged(core: Core) {
  const engine = createLogging({ ...core.logged, write: core.storeCalls });
  const tallies: Tally[] = [];
  const tally = ({ trials, errors, skipped }: Tally) => tallies.push({ trials, errors, skipped });
  tally(
    await engine.evaluate(
      PROJECT,
      options((n, trial) => n === 2 && trial % 2 === 0),
    ),
  );
  const refused = await engine
    .evaluate(
      PROJECT,
      options(() => false),
    )
    .catch((error: unknown) => error);
  tally(await engine.evaluate(PROJECT, { ...options(() => false), resume: true }));
  const before = await core.queryEvalResults(PROJECT, { evaluation_call_ids: ["again"], include_rows: true });
  const [first] = before.rows.flatMap((row) => row.evaluations.flatMap(({ trials }) => trials));
  const trialId = first?.predict_and_score_call_id ?? "";
  await engine.logScore(PROJECT, trialId, "late", { value: 0.25 });
  const twice = await engine
    .logScore(PROJECT, trialId, "late", { value: 0.5 })
    .catch((error: unknown) => error);
  const missing = await engine
    .logScore(PROJECT, "no-trial", "late", { value: 1 })
    .catch((error: unknown) => error);
  await core.ingestCalls([{ ...STRAY, project_id: "acme/other" }]);
  const after = await core.queryEvalResults(PROJECT, { evaluation_call_ids: ["again"], include_rows: true });
  const contents = after.rows.map((row) => [
    row.row_digest,
    row.evaluations.flatMap(({ trials }) =>
      trials.map((one) => [one.predict_and_score_call_id, one.model_output, one.scores]),
    ),
  ]);
  const timeless = (await core.listEvaluations(PROJECT)).map((one) => ({
    ...one,
    started_at: typeof one.started_at,
    ended_at: typeof one.ended_at,
    last_trial_at: typeof one.last_trial_at,
  }));
  return {
    tallies,
    errors: [refused, twice, missing].map(String),
    contents,
    timeless,
    projects: await core.listProjects(),
    counts: await core.countEvaluations(),
  };
}

const STRAY = { id: "stray", op_name: "step", started_at: "2026-01-01T00:00:00Z" };

describe.skipIf(noClickHouse !== null)(`logging on ClickHouse${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it("goes on with an evaluation, adds late scores and refuses as on DuckDB", async () => {
    const onServer = await openAnyCore({ clickhouse: { url, database: scratchDatabase(url) } });
    const onFile = await openCore({ threads: 1 });
    onTestFinished(async () => {
      await onServer.close();
      await onFile.close();
    });
    const wanted = await logged(onFile);
    expect(await logged(onServer)).toEqual(wanted);
    expect(wanted.tallies).toEqual([
      { trials: 8, errors: 2, skipped: 0 },
      { trials: 8, errors: 0, skipped: 6 },
    ]);
    expect(wanted.errors.join()).toMatch(/resume: true.*late.*no-trial/);
    expect(wanted.counts).toEqual([
      { project_id: "acme/other", evaluation_count: 0 },
      { project_id: PROJECT, evaluation_count: 1 },
    ]);
  });

  it.each([{ id: "closed" }, {}])(
    "stores on close what was logged just before, with options %j",
    async (given) => {
      const clickhouse = { url, database: scratchDatabase(url) };
      const engine = await openEngine({ clickhouse });
      const run = engine.startEvaluation(PROJECT, { name: "closed", model: "bot", ...given });
      for (let n = 0; n < 300; n++) {
        const prediction = run.startPrediction({ n });
        prediction.output("x");
        prediction.logScore("right", n);
        void prediction.finish();
      }
      const finished = run.finish();
      await engine.close();
      expect(await finished).toMatchObject({ trials: 300, status: "finished" });
      const again = await openEngine({ clickhouse });
      onTestFinished(() => again.close());
      expect(await again.listEvaluations(PROJECT)).toMatchObject([
        { id: run.id, status: "finished", trial_count: 300 },
      ]);
      const { rows } = await again.queryEvalResults(PROJECT, { evaluation_call_ids: [run.id] });
      const trials = rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials));
      expect(new Set(trials.map(({ scores }) => scores["right"])).size).toBe(300);
    },
  );
});
