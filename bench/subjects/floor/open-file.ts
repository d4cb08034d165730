import {
  DuckDBInstance,
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBValue,
} from "@duckdb/node-api";
import type { DataFiles } from "../../generate/files.ts";

/** A record of `evaluations`, as far as an answer has it. */
export interface StoredEvaluation {
  readonly key: number;
  readonly id: string;
  readonly evaluationRef: string | null;
  readonly modelRef: string | null;
  readonly displayName: string | null;
  readonly traceId: string | null;
  /** Microseconds since 1970. */
  readonly startedAt: bigint | null;
}

/** A file that evalcube wrote, and what is known of its data before anything is asked. */
export interface OpenFile {
  /** Trials of each evaluation on each of its rows. */
  readonly trialsPerRow: number;
  readonly evaluations: readonly StoredEvaluation[];
  /** Keys of score paths by their JSON. */
  readonly paths: ReadonlyMap<string, number>;
  /** Runs a statement that is prepared once on each connection; one without values is also planned once. */
  kept(sql: string): Promise<DuckDBValue[][]>;
  /** Runs a statement that is another one each time. */
  once(sql: string): Promise<DuckDBValue[][]>;
  close(): void;
}

interface Connected {
  readonly connection: DuckDBConnection;
  readonly prepared: Map<string, DuckDBPreparedStatement>;
}

/** With evalcube's settings of DuckDB, as far as they concern questions. */
export async function openFile(files: DataFiles, store: string): Promise<OpenFile> {
  const instance = await DuckDBInstance.create(store, {
    access_mode: "READ_ONLY",
    memory_limit: "1GiB",
    perfect_ht_threshold: "19",
  });
  const all: Connected[] = [];
  const idle: Connected[] = [];
  const using = async <T>(work: (one: Connected) => Promise<T>): Promise<T> => {
    const one = idle.pop() ?? { connection: await instance.connect(), prepared: new Map() };
    if (!all.includes(one)) all.push(one);
    try {
      return await work(one);
    } finally {
      idle.push(one);
    }
  };
  const once = async (sql: string) => using(async ({ connection }) => rowsOf(await connection.run(sql)));
  return {
    trialsPerRow: files.parameters.trials,
    evaluations: (await once(EVALUATIONS)).map(storedEvaluation),
    paths: new Map((await once(PATHS)).map(([key, path]) => [String(path), Number(key)])),
    once,
    kept: async (sql) =>
      using(async ({ connection, prepared }) => {
        const statement = prepared.get(sql) ?? (await connection.prepare(sql));
        prepared.set(sql, statement);
        return rowsOf(await statement.run());
      }),
    close: () => {
      for (const { connection, prepared } of all) {
        for (const statement of prepared.values()) statement.destroySync();
        connection.closeSync();
      }
      instance.closeSync();
    },
  };
}

async function rowsOf(result: { getRows(): Promise<DuckDBValue[][]> }): Promise<DuckDBValue[][]> {
  return result.getRows();
}

const EVALUATIONS = `select evaluation_key, id, evaluation_ref, model_ref, display_name, trace_id, started_at
  from evaluations where not hidden`;
const PATHS = "select path_key, path from score_paths";

function storedEvaluation(record: readonly DuckDBValue[]): StoredEvaluation {
  const [key, id, evaluationRef, modelRef, displayName, traceId, startedAt] = record;
  return {
    key: Number(key),
    id: String(id),
    evaluationRef: textOrNull(evaluationRef),
    modelRef: textOrNull(modelRef),
    displayName: textOrNull(displayName),
    traceId: textOrNull(traceId),
    startedAt: typeof startedAt === "bigint" ? startedAt : null,
  };
}

function textOrNull(value: DuckDBValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}
