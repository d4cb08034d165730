import { vi } from "vitest";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { openEngine } from "../../../src/index.ts";
import { call, PROJECT, TRIAL } from "../command.ts";
import { evalcubeHere } from "../in-process.ts";
import type { Ended } from "../command.ts";

/** What one trial has: its scores, or an error. */
export type MadeTrial = Readonly<Record<string, unknown>> | "error";

export interface MadeRun {
  readonly id: string;
  readonly name?: string;
  /** By row, then by trial. */
  readonly trials: readonly (readonly MadeTrial[])[];
  readonly attributes?: object;
  /** Names the dataset of the rows. */
  readonly dataset?: string;
  /** References of scorers. */
  readonly scorers?: Readonly<Record<string, string>>;
  readonly rowOf?: (i: number) => unknown;
  readonly keyOf?: (i: number) => string | undefined;
  /** Minutes after the first of January. */
  readonly at?: number;
  readonly finished?: boolean;
  readonly seconds?: number;
  readonly usage?: object;
  readonly model?: string;
}

/** The calls of a run. */
export function callsOf(run: MadeRun): object[] {
  const { id, name = "qa", trials, at = 0, dataset, scorers = {}, seconds = 1 } = run;
  const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, at) + second * 1000).toISOString();
  const rowOf = (i: number) =>
    dataset === undefined
      ? (run.rowOf ?? ((n: number) => ({ n })))(i)
      : `weave:///${PROJECT}/object/${dataset}/attr/rows/id/row${i}`;
  const model = `weave:///${PROJECT}/object/${run.model ?? "small"}:v1`;
  const calls = [
    call(id, "Evaluation.evaluate", {
      display_name: name,
      started_at: time(0),
      ...(run.finished === false ? {} : { ended_at: time(50) }),
      attributes: run.attributes ?? {},
      inputs: { self: "set", model },
    }),
  ];
  for (const [i, row] of trials.entries())
    for (const [k, one] of row.entries()) {
      const own = `${id}-${i}-${k}`;
      const isError = one === "error";
      calls.push(
        call(own, TRIAL, {
          parent_id: id,
          started_at: time(1),
          ended_at: time(2 + seconds),
          inputs: { example: rowOf(i), model },
          ...(run.keyOf === undefined ? {} : { attributes: { row_key: run.keyOf(i) } }),
          ...(isError
            ? { exception: "TimeoutError: secret stack" }
            : { output: { output: "secret answer", scores: one } }),
        }),
        call(`${own}-predict`, "Model.predict", {
          parent_id: own,
          started_at: time(1),
          ended_at: time(1 + seconds),
          inputs: { self: model },
          output: "secret answer",
          ...(run.usage === undefined ? {} : { summary: { usage: run.usage } }),
        }),
      );
      for (const [scorer, reference] of Object.entries(scorers))
        calls.push(
          call(`${own}-${scorer}`, `${scorer}.score`, {
            parent_id: own,
            started_at: time(2),
            attributes: { weave: { score: true, scorer: reference } },
            output: isError ? null : one[scorer],
          }),
        );
    }
  return calls;
}

/** Rows of `trials` trials each, of which the first pass. */
export function passing(rows: number, passes: number, trials = 1): MadeTrial[][] {
  return Array.from({ length: rows }, (_, i) =>
    Array.from({ length: trials }, () => ({ correct: i < passes })),
  );
}

/** Loads runs into a new database of a folder. */
export async function database(folder: string, name: string, runs: readonly MadeRun[]): Promise<string> {
  const path = join(folder, name);
  const engine = await openEngine({ path });
  for (const run of runs) await engine.ingestCalls(callsOf(run));
  await engine.close();
  return path;
}

/** Runs `evalcube ci` in this process. */
export function ci(db: string, ...args: readonly string[]): Promise<Ended> {
  return evalcubeHere(["ci", "--db", db, "--project", PROJECT, ...args]);
}

/** Runs git in a folder. */
export function git(folder: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...who, ...args], { cwd: folder, encoding: "utf8" }).trim();
}

/** Variables of jobs on GitHub and GitLab, all of them empty. */
export const NO_JOB: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "GITHUB_ACTIONS",
    "GITHUB_API_URL",
    "GITHUB_BASE_REF",
    "GITHUB_EVENT_PATH",
    "GITHUB_OUTPUT",
    "GITHUB_REPOSITORY",
    "GITHUB_RUN_ATTEMPT",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_TOKEN",
    "BUILDKITE_RETRY_COUNT",
    "CI_API_V4_URL",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA",
    "CI_MERGE_REQUEST_IID",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "CI_PROJECT_ID",
    "COMMENT_TOKEN",
    "SYSTEM_JOBATTEMPT",
  ].map((name) => [name, ""]),
);

/** Sets the variables of a job until the test ends. */
export function stubJob(variables: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries({ ...NO_JOB, ...variables })) vi.stubEnv(name, value);
}
