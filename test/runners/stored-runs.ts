import { until } from "../support/until.ts";
import { openEngine, type Engine, type EvaluationEntry, type Trial } from "../../src/index.ts";

/** What a database holds of a runner, by the name of the evaluation; trials in the order of their rows' answers. */
export interface StoredRun {
  readonly evaluations: readonly EvaluationEntry[];
  /** By name of the evaluation: row and trial. */
  readonly trials: ReadonlyMap<string, readonly { readonly row: unknown; readonly trial: Trial }[]>;
  /** What is wrong with the file. */
  readonly problems: readonly unknown[];
  readonly calls: readonly Record<string, unknown>[];
}

export async function storedRun(db: string, project = "acme/qa"): Promise<StoredRun> {
  const engine = await openWhenFree(db);
  try {
    const evaluations = await engine.listEvaluations(project);
    const trials = new Map<string, { row: unknown; trial: Trial }[]>();
    for (const { id, display_name: name } of evaluations) {
      const { rows } = await engine.queryEvalResults(project, {
        evaluation_call_ids: [id],
        include_raw_data_rows: true,
        resolve_row_refs: true,
        include_trial_errors: true,
      });
      const found = rows.flatMap(({ raw_data_row: row, evaluations: [one] }) =>
        (one?.trials ?? []).map((trial) => ({ row, trial })),
      );
      trials.set(String(name), [...(trials.get(String(name)) ?? []), ...found]);
    }
    const table = await engine.sql(project, "select record from calls");
    const calls = Array.from(table, (one) => JSON.parse(String(one["record"])) as Record<string, unknown>);
    return { evaluations, trials, problems: (await engine.check()).problems, calls };
  } finally {
    await engine.close();
  }
}

/** A storage lets go of its database a moment after its last call. */
export async function openWhenFree(path: string): Promise<Engine> {
  const opened: Engine[] = [];
  await until("the database is closed", async () => {
    await openEngine({ path, threads: 1 }).then(
      (engine) => opened.push(engine),
      (error: { readonly code?: string }) => {
        if (error.code !== "locked_database") throw error;
      },
    );
    return opened.length > 0;
  });
  return opened[0] as Engine;
}
