import type { StoredRuns } from "../import/runs/place-runs.ts";
import type { StoredRows } from "../import/translate/place-rows.ts";
import type { CallStore, EarlierTrial } from "../logging/seam.ts";
import { parseAnyJson, type JsonObject } from "../model/json.ts";
import type { AskStored, StoredQuestion } from "../request/stored-question.ts";
import { bodyOf } from "./answers.ts";
import { routeOf } from "./place.ts";
import type { RemoteSession } from "./session.ts";
import { readAnswer, type Shape } from "./shape.ts";

/** Answers to what is asked; those of the last two may be null. */
const SHAPES: Readonly<Record<StoredQuestion["ask"], Shape>> = {
  roots: [],
  calls: { records: "values", hidden: "values" },
  trial_count: "number",
  call_ids: "values",
  has_rows: "boolean",
  row_values: "values",
  shared_rows: "values",
  evaluation: { root: "object", trials: ["id"] },
  trial: "object",
};

export function storedBy({ connection, run }: RemoteSession): AskStored {
  return (projectId, question) =>
    run(async (signal) => {
      const path = routeOf(projectId, "stored");
      const sent = { method: "POST", path, body: bodyOf(question), again: true } as const;
      const text = await connection.text(sent, signal);
      const isNone = text === "null" && (question.ask === "evaluation" || question.ask === "trial");
      if (isNone) return null;
      return await readAnswer(connection.place, SHAPES[question.ask], () => parseAnyJson(text));
    });
}

type Entries = readonly (readonly [string, string])[];

/** What is stored of the runs and rows of a project, for an import. */
export function remoteRuns(ask: AskStored, projectId: string): StoredRuns & StoredRows {
  const own = async <T>(question: StoredQuestion, project = projectId) => (await ask(project, question)) as T;
  return {
    roots: (task, model) => own<readonly JsonObject[]>({ ask: "roots", task, model }),
    calls: async (ids) => {
      if (ids.length === 0) return { records: new Map(), hidden: new Set() };
      const found = await own<{ records: Entries; hidden: readonly string[] }>({ ask: "calls", ids });
      return { records: new Map(found.records), hidden: new Set(found.hidden) };
    },
    trialCount: (root) => own<number>({ ask: "trial_count", root }),
    callIds: async function* (root) {
      yield* await own<readonly (readonly string[])[]>({ ask: "call_ids", root });
    },
    hasRows: () => own<boolean>({ ask: "has_rows" }),
    rowValues: async (digests, project) =>
      new Map(digests.length === 0 ? [] : await own<Entries>({ ask: "row_values", digests }, project)),
    sharedRows: async (digests, root) =>
      new Set(
        digests.length === 0 ? [] : await own<readonly string[]>({ ask: "shared_rows", digests, root }),
      ),
  };
}

type Root = NonNullable<Awaited<ReturnType<CallStore["readEvaluation"]>>>;

/** What loggers read of an evaluation, and of a trial. */
export function remoteTrials(ask: AskStored): Pick<CallStore, "readEvaluation" | "readTrial"> {
  return {
    readEvaluation: async (projectId, id, each) => {
      const found = (await ask(projectId, { ask: "evaluation", id })) as {
        readonly root: Omit<Root, "startedAt"> & { readonly startedAt: number | bigint | null };
        readonly trials: readonly EarlierTrial[];
      } | null;
      if (found === null) return null;
      await each(found.trials);
      const { startedAt, ...root } = found.root;
      return { ...root, startedAt: startedAt === null ? null : BigInt(startedAt) };
    },
    readTrial: async (projectId, id, scorer, call) =>
      (await ask(projectId, { ask: "trial", id, scorer, call })) as Awaited<
        ReturnType<CallStore["readTrial"]>
      >,
  };
}
