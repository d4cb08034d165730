import { DUCKDB } from "../dialect/dialect.ts";
import type { WriteBehind } from "../load/write-behind.ts";
import { createTurns } from "../../model/turns.ts";
import type { ColumnBatch } from "../../store/columns.ts";
import type { FileSession } from "../../store/session.ts";
import type { SqlValue } from "../../store/sql.ts";
import { buffersOf, packColumns, type BufferPool } from "./pack-columns.ts";
import type { Answer, Ask, FromThread, Vectors } from "./messages.ts";
import { StatementFailed } from "./read/pack-error.ts";

export type Send = (message: FromThread, moved?: readonly ArrayBuffer[]) => void;

/** The transaction of a load, which the engine has, as the thread sees it. */
export interface RemoteTransaction {
  /** Writes are sent at once and never waited for: the engine carries them out behind the work that makes them. */
  readonly behind: WriteBehind;
  readonly answer: (id: number, answer: Answer) => void;
  readonly refuse: (id: number) => void;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

export function createRemoteTransaction(send: Send, pool: BufferPool): RemoteTransaction {
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  const ask = (what: Ask): Promise<Answer> =>
    new Promise((resolve, reject) => {
      waiting.set(++asked, { resolve, reject });
      send({ kind: "ask", id: asked, ask: what });
    });
  const take = (id: number): Waiting | undefined => {
    const one = waiting.get(id);
    waiting.delete(id);
    return one;
  };
  const wait = async (what: "endBatch" | "written" | "becomesLarge") => void (await ask({ what }));
  return {
    behind: {
      session: createSessions(send, ask, pool),
      endBatch: () => wait("endBatch"),
      written: () => wait("written"),
      limitToOneThread: () => wait("becomesLarge"),
      // The engine gives up by itself when the load has ended.
      stop: () => Promise.resolve(),
    },
    answer: (id, answer) => take(id)?.resolve(answer),
    refuse: (id) => take(id)?.reject(new StatementFailed("a statement of the load failed")),
  };
}

/** The session of the load, which opens others beside it. */
function createSessions(send: Send, ask: (what: Ask) => Promise<Answer>, pool: BufferPool): FileSession {
  const turns = createTurns();
  let opened = 0;
  const open = (session: number): FileSession => {
    const rows: FileSession["rows"] = async (query) => rowsOf(await ask({ what: "rows", session, query }));
    return {
      dialect: DUCKDB,
      epoch: null,
      turns,
      about: () => Promise.resolve(),
      rows,
      all: async (query) => (await rows(query.sql)).map((row) => query.read(row)),
      vectors: async (query) => {
        const { fields, batches } = vectorsOf(await ask({ what: "vectors", session, query }));
        return { fields, batches: each(batches) };
      },
      run: (query) => {
        if (session !== 0) throw new Error("only the transaction of the load writes");
        send({ kind: "run", query });
        return Promise.resolve();
      },
      inSecondSession: async (work) => {
        const second = ++opened;
        await ask({ what: "openSecond", session: second });
        try {
          return await work(open(second));
        } finally {
          await ask({ what: "closeSecond", session: second });
        }
      },
      load: (name, columns) => {
        const packed = packColumns(columns, pool);
        const buffers = buffersOf(packed.map(({ values }) => values));
        send({ kind: "columns", session, name, columns: packed }, buffers);
      },
    };
  };
  return open(0);
}

async function* each(batches: readonly ColumnBatch[]): AsyncGenerator<ColumnBatch> {
  for (const batch of batches) yield await Promise.resolve(batch);
}

function rowsOf(answer: Answer): readonly (readonly SqlValue[])[] {
  if (answer !== null && !("batches" in answer)) return answer;
  throw new Error("the engine gave no rows");
}

function vectorsOf(answer: Answer): Vectors {
  if (answer !== null && "batches" in answer) return answer;
  throw new Error("the engine gave no columns");
}
