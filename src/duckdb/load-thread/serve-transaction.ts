import { writeBehind, type WriteBehind } from "../load/write-behind.ts";
import type { FileSession, FileStore } from "../../store/session.ts";
import type { Answer, Ask, FromThread, ToThread } from "./messages.ts";
import { buffersOf } from "./pack-columns.ts";

type Send = (message: ToThread, moved?: readonly ArrayBuffer[]) => void;

/** Carries out what the thread asks of the transaction of its load. */
interface ServedTransaction {
  /** Returns whether the message was for the transaction. */
  readonly take: (message: FromThread) => boolean;
  /** Why the first statement failed that did. */
  readonly failure: () => unknown;
  /** Gives up what has not begun, and waits for what has. */
  readonly end: () => Promise<void>;
}

export function serveTransaction(
  transaction: FileSession,
  store: Pick<FileStore, "limitToOneThread" | "shedMemory">,
  send: Send,
): ServedTransaction {
  const session = givingBack(transaction, send);
  const behind = writeBehind(session, store);
  const seconds = openSeconds(session);
  let failure: unknown = null;
  const reply = async (id: number, ask: Ask): Promise<void> => {
    try {
      const found = await answerTo(ask, behind, seconds);
      send({ kind: "answer", id, answer: found }, movedWith(found));
    } catch (error) {
      failure ??= error;
      send({ kind: "refusal", id });
    }
  };
  return {
    take: (message) => {
      if (message.kind === "ask") void reply(message.id, message.ask);
      else if (message.kind === "run") void behind.session.run(message.query);
      else if (message.kind === "columns")
        seconds.find(message.session, behind.session).load(message.name, message.columns);
      else return false;
      return true;
    },
    failure: () => failure,
    end: async () => {
      await seconds.closeAll();
      await behind.stop();
    },
  };
}

async function answerTo(
  ask: Ask,
  behind: WriteBehind,
  seconds: ReturnType<typeof openSeconds>,
): Promise<Answer> {
  switch (ask.what) {
    case "rows":
      return await seconds.find(ask.session, behind.session).rows(ask.query);
    case "vectors":
      return await readVectors(seconds.find(ask.session, behind.session), ask.query);
    case "openSecond":
      await seconds.open(ask.session);
      return null;
    case "closeSecond":
      await seconds.close(ask.session);
      return null;
    case "becomesLarge":
      await behind.limitToOneThread();
      return null;
    case "endBatch":
    case "written":
      await behind[ask.what]();
      return null;
  }
}

async function readVectors(
  session: FileSession,
  query: Parameters<FileSession["vectors"]>[0],
): Promise<Answer> {
  const { fields, batches } = await session.vectors(query);
  const read = [];
  for await (const batch of batches) read.push(batch);
  return { fields, batches: read };
}

function movedWith(answer: Answer): ArrayBuffer[] {
  return answer !== null && "batches" in answer
    ? buffersOf(answer.batches.flatMap(({ columns }) => columns))
    : [];
}

/** A session that gives the buffers of columns back to the thread when others replace them. */
function givingBack(session: FileSession, send: Send): FileSession {
  const loaded = new Map<string, readonly ArrayBuffer[]>();
  return {
    ...session,
    load: (name, columns) => {
      session.load(name, columns);
      const used = loaded.get(name);
      if (used !== undefined) send({ kind: "used", buffers: used }, used);
      loaded.set(name, buffersOf(columns.flatMap(({ values }) => ("bytes" in values ? values : []))));
    },
  };
}

interface Second {
  readonly session: FileSession;
  readonly close: () => Promise<void>;
}

/** The sessions beside that of a load. */
function openSeconds(first: FileSession) {
  const seconds = new Map<number, Second>();
  return {
    find: (number: number, load: FileSession): FileSession =>
      number === 0 ? load : (seconds.get(number)?.session ?? load),
    open: async (number: number): Promise<void> => {
      seconds.set(number, await openSecond(first));
    },
    close: async (number: number): Promise<void> => {
      const second = seconds.get(number);
      seconds.delete(number);
      await second?.close();
    },
    closeAll: async (): Promise<void> => {
      await Promise.all([...seconds.values()].map(({ close }) => close()));
      seconds.clear();
    },
  };
}

/** Opens a session beside another until it is closed. */
async function openSecond(first: FileSession): Promise<Second> {
  return await new Promise((resolve, reject) => {
    const ended = first.inSecondSession(
      (session) =>
        new Promise<void>((close) => {
          resolve({
            session,
            close: async () => {
              close();
              await ended;
            },
          });
        }),
    );
    ended.catch(reject);
  });
}
