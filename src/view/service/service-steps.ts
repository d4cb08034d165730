import type { StepsRequest } from "../../request/steps-request.ts";
import type { TrialAnswer } from "../../respond/steps/trial.ts";
import type { BesideAnswer } from "../../respond/steps/beside.ts";
import type { DiffAnswer } from "../../respond/steps/diff.ts";
import { MOST_LINES, type RowSource } from "../rows/row-source.ts";
import { failedPlaces, type TrialSteps } from "../rows/trial-steps.ts";
import { linePages, PAGE_ROWS } from "./row-pages.ts";
import { projectPath, type Service } from "./service.ts";

/** Steps that are read at a time where their texts are not wanted. */
const MANY = 10_000;

/** Steps and frames that a strip is made of. */
const STRIP = 100;

/** Reads the beginnings of trials one after the other, so that what somebody opens does not wait for many. */
export function serviceStrips(service: Service, project: string): RowSource["strip"] {
  const path = projectPath(project, "eval_results/steps");
  let last: Promise<unknown> = Promise.resolve();
  return async ({ id }, signal) => {
    if (id === null) return null;
    const before = last;
    const asked = (async () => {
      await before;
      signal.throwIfAborted();
      const body: StepsRequest = { view: "trial", trials: [id], texts: false, limit: STRIP };
      return (await service.post(path, body, signal)) as TrialAnswer;
    })();
    last = asked.catch(() => undefined);
    return asked;
  };
}

/** What trials that a service has have in common. */
export function serviceBeside(
  service: Service,
  project: string,
  evaluations: readonly string[],
): Pick<RowSource, "beside" | "pair"> {
  const path = projectPath(project, "eval_results/steps");
  const ask = async (members: StepsRequest, signal: AbortSignal) =>
    service.post(path, { view: "diff", ...members }, signal);
  return {
    beside: async (wanted, signal) => {
      const trials = wanted.flatMap(({ id }) => id ?? []);
      if (trials.length < wanted.length) return null;
      return (await ask({ trials, limit: MOST_LINES }, signal)) as BesideAnswer;
    },
    pair: async ({ success, trials }, signal) => {
      const [first] = trials;
      const id = evaluations[first?.evaluation ?? -1];
      if (first === undefined || id === undefined) return null;
      const isRow = { $eq: [{ $getField: "row_digest" }, { $literal: first.digest }] } as const;
      const filters = [{ query: { $expr: isRow } }];
      const asked = { evaluation_call_ids: [id], success, filters, limit: 1 };
      const { pairs } = (await ask(asked, signal)) as DiffAnswer;
      const [pair] = pairs;
      if (pair === undefined) return null;
      const placeOf = (trial: string) => trials.findIndex((one) => one.id === trial);
      return [placeOf(pair.trial_id), placeOf(pair.other_trial_id)];
    },
  };
}

/** The steps of a trial that a service has, in pages around what is seen. */
export async function serviceSteps(
  service: Service,
  project: string,
  trial: string,
  signal: AbortSignal,
): Promise<TrialSteps> {
  const path = projectPath(project, "eval_results/steps");
  const ask = async (members: StepsRequest, wanted: AbortSignal): Promise<TrialAnswer> =>
    (await service.post(path, { view: "trial", trials: [trial], ...members }, wanted)) as TrialAnswer;
  const page = async (number: number, wanted: AbortSignal) =>
    ask({ limit: PAGE_ROWS, offset: number * PAGE_ROWS }, wanted);
  const { steps, counts, stop_reason, step_count } = await page(0, signal);
  let failed: Promise<readonly number[]> | null = null;
  return {
    counts,
    stop_reason,
    step_count,
    held: step_count,
    ...linePages(steps, async (number, wanted) => (await page(number, wanted)).steps),
    errors: async (wanted) => {
      failed ??= counts.errors === 0 ? Promise.resolve([]) : allFailed(ask, step_count, wanted);
      try {
        return await failed;
      } catch (error) {
        failed = null;
        throw error;
      }
    },
    whole: async (place, wanted) => {
      const { steps: found } = await ask({ texts: true, limit: 1, offset: place }, wanted);
      if (found[0] === undefined) throw new Error("It is not there any more. Open the row again.");
      return found[0];
    },
  };
}

async function allFailed(
  ask: (members: StepsRequest, signal: AbortSignal) => Promise<TrialAnswer>,
  count: number,
  signal: AbortSignal,
): Promise<number[]> {
  const found: number[] = [];
  for (let offset = 0; offset < count; offset += MANY) {
    const { steps } = await ask({ texts: false, limit: MANY, offset }, signal);
    found.push(...failedPlaces(steps, offset));
  }
  return found;
}
