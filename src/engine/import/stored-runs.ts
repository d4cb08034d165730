import { compileEvaluations, compileRunIds } from "../../compile/catalog/evaluations.ts";
import {
  compileTrialCalls,
  compileTrialCount,
  type TrialCalls,
} from "../../compile/catalog/logged-trials.ts";
import {
  loadedRowKeys,
  compileRowValues,
  compileSharedRows,
  compileSomeRow,
} from "../../compile/catalog/dataset-rows.ts";
import type { Key } from "../../model/digest.ts";
import { parseJson, type JsonObject } from "../../model/json.ts";
import type { Query } from "../../store/query.ts";
import type { Session, Store } from "../../store/session.ts";
import type { FoundCalls, StoredRuns } from "../../import/runs/place-runs.ts";
import type { StoredRows } from "../../import/translate/place-rows.ts";
import { callReader, inProject } from "../catalog/stored-calls.ts";

const NONE: FoundCalls = { records: new Map(), hidden: new Set() };

/** Trials whose calls are in memory at a time. */
const PART = 2000;

/** Reads what is stored of the runs and rows of a project. */
export class RunReader implements StoredRuns, StoredRows {
  readonly #store: Store;
  readonly #projectId: string;

  constructor(store: Store, projectId: string) {
    this.#store = store;
    this.#projectId = projectId;
  }

  async roots(task: string, model: string): Promise<readonly JsonObject[]> {
    const alike = await inProject(this.#store, { projectId: this.#projectId }, [], async (session, key) =>
      (await session.all(compileRunIds(key, task, model))).map(({ id }) => id),
    );
    const { records } = await this.calls(alike);
    return [...records.values()].map((record) => parseJson(record) as JsonObject);
  }

  async calls(ids: readonly string[]): Promise<FoundCalls> {
    if (ids.length === 0) return NONE;
    const projectId = this.#projectId;
    return await inProject(this.#store, { projectId }, NONE, async (session, key) => {
      const reader = callReader(session, key);
      const found = await reader.find(projectId, ids);
      return {
        records: new Map(found.map(({ id, record }) => [id, record])),
        hidden: new Set(await reader.hidden(projectId, ids)),
      };
    });
  }

  async trialCount(root: string): Promise<number> {
    const [counted] = await this.#ofRun(root, (key) => compileTrialCount(key));
    return counted?.trials ?? 0;
  }

  async *callIds(root: string): AsyncGenerator<readonly string[]> {
    let after: Key | null = null;
    do {
      const from: Key | null = after;
      const trials: readonly TrialCalls[] = await this.#ofRun(root, (key) =>
        compileTrialCalls(key, from, PART),
      );
      after = trials.at(-1)?.key ?? null;
      yield trials.flatMap(({ id, predictCallId, scorerCallIds }) => [
        id,
        ...(predictCallId === null ? [] : [predictCallId]),
        ...Object.values(JSON.parse(scorerCallIds ?? "{}") as { readonly [key: string]: string }),
      ]);
    } while (after !== null);
  }

  async hasRows(): Promise<boolean> {
    const about = { projectId: this.#projectId };
    const some = await inProject(this.#store, about, [], (session, key) => session.all(compileSomeRow(key)));
    return some.length > 0;
  }

  async rowValues(
    digests: readonly string[],
    project = this.#projectId,
  ): Promise<ReadonlyMap<string, string>> {
    const found = await this.#ofRows(digests, (keys) => compileRowValues(keys), project);
    return new Map(found.map(({ digest, value }) => [digest, value]));
  }

  async sharedRows(digests: readonly string[], root: string): Promise<ReadonlySet<string>> {
    const found = await this.#ofRows(digests, (keys) => compileSharedRows(keys, root));
    return new Set(found.map(({ digest }) => digest));
  }

  /** Hashes of digests may be alike: of what is found, the digest counts. */
  async #ofRows<T>(
    digests: readonly string[],
    compile: (keys: readonly Key[]) => Query<T>,
    projectId = this.#projectId,
  ): Promise<readonly T[]> {
    if (digests.length === 0) return [];
    return await inProject(this.#store, { projectId }, [], async (session: Session, project) => {
      session.load("row_digests", [{ name: "digest", type: "VARCHAR", values: digests }]);
      const keys = (await session.all(loadedRowKeys(project, "row_digests"))).map(({ key }) => key);
      return keys.length === 0 ? [] : await session.all(compile(keys));
    });
  }

  async #ofRun<T>(root: string, query: (evaluationKey: number) => Query<T>): Promise<readonly T[]> {
    const about = { projectId: this.#projectId, ids: [root] };
    return await inProject(this.#store, about, [], async (session, projectKey) => {
      const [evaluation] = await session.all(compileEvaluations(projectKey, [root]));
      return evaluation === undefined ? [] : await session.all(query(evaluation.key));
    });
  }
}
