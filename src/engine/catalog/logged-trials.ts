import { compileEvaluations } from "../../compile/catalog/evaluations.ts";
import {
  compileFailedCalls,
  compileTrialList,
  compileTrialMarks,
  compileTrialScores,
  type ListedTrial,
} from "../../compile/catalog/logged-trials.ts";
import type { Key } from "../../model/digest.ts";
import { isJsonObject, parseJson, type Json } from "../../model/json.ts";
import type { Session, Store } from "../../store/session.ts";
import { callReader, inProject } from "./stored-calls.ts";

/** A stored trial, for whoever wants to add to its evaluation. */
interface LoggedTrial {
  readonly id: string;
  /** The digest of its row. */
  readonly digest: string;
  /** `attributes.trial_index`, if it is a whole number. */
  readonly number: number | null;
  /** Microseconds since 1970. */
  readonly startedAt: number;
  readonly errored: boolean;
  readonly ended: boolean;
}

/** Trials that are in memory at a time. */
const PART = 2000;

/** Passes the trials of an evaluation to `each` in parts, from one snapshot; null where nothing of it is stored. */
export async function readEvaluation(
  store: Store,
  projectId: string,
  evaluationId: string,
  each: (trials: readonly LoggedTrial[]) => Promise<void>,
) {
  return await inProject(store, { projectId, ids: [evaluationId] }, null, async (session, projectKey) => {
    const [evaluation] = await session.all(compileEvaluations(projectKey, [evaluationId]));
    if (evaluation === undefined) return null;
    for (let after: Key | null = null; ;) {
      const found: readonly ListedTrial[] = await session.all(compileTrialList(evaluation.key, after, PART));
      const last = found.at(-1);
      if (last === undefined) break;
      after = last.key;
      const marks = await session.all(compileTrialMarks(found.map(({ key }) => key)));
      const byKey = new Map(marks.map(({ key, ...mark }) => [key, mark]));
      await each(
        found.map(({ key, startedAt, ...trial }) => ({
          ...trial,
          startedAt: Number(startedAt),
          ...(byKey.get(key) ?? { ended: true, number: null }),
        })),
      );
    }
    const root = await readRecord(session, projectId, projectKey, evaluationId);
    return {
      startedAt: evaluation.startedAt,
      failedCalls: (await session.all(compileFailedCalls(projectKey, evaluation.key))).map(({ id }) => id),
      failed: isJsonObject(root) && (root["exception"] ?? "") !== "",
    };
  });
}

/** What a trial has of a scorer, and whether a call is stored; null where there is no such trial. */
export async function readTrial(
  store: Store,
  projectId: string,
  trialId: string,
  scorer: string,
  callId: string,
) {
  return await inProject(store, { projectId }, null, async (session, projectKey) => {
    const [trial] = await session.all(compileTrialScores(projectKey, trialId));
    if (trial === undefined) return null;
    const scores = memberOf(trial.output, "scores");
    const late = trial.lateScores === null ? null : (JSON.parse(trial.lateScores) as Json);
    return {
      evaluationId: trial.evaluationId,
      hasScore: [scores, late].some((one) => isJsonObject(one) && Object.hasOwn(one, scorer)),
      output: memberOf(trial.output, "output"),
      hasCall: (await readRecord(session, projectId, projectKey, callId)) !== null,
    };
  });
}

function memberOf(text: string | null, name: string): Json {
  const value = text === null ? null : parseJson(text);
  return isJsonObject(value) ? (value[name] ?? null) : null;
}

async function readRecord(
  session: Session,
  projectId: string,
  projectKey: number,
  id: string,
): Promise<Json> {
  const calls = await callReader(session, projectKey).find(projectId, [id]);
  const found = calls.find((one) => one.id === id);
  return found === undefined ? null : (JSON.parse(found.record) as Json);
}
