import { z } from "zod";
import type { Engine } from "../engine/api.ts";
import type { EngineOptions } from "../engine/engine-options.ts";
import { replaceFile, writeFileChunks } from "../engine/export/to-file.ts";
import { checkDeletion, createLoading } from "../engine/load-records.ts";
import { besideServer } from "../engine/open-backend.ts";
import { requestFault, UnsupportedError } from "../errors.ts";
import { checkQuery, checkText } from "../flow/check-options.ts";
import { refuseTaken } from "../flow/passing-file.ts";
import { createLogging } from "../logging/logging.ts";
import type { CallStore } from "../logging/seam.ts";
import { DEFAULT_CONVENTIONS } from "../model/conventions.ts";
import { RIGHTS } from "../model/rights.ts";
import { bodyOf, remoteAnswers, remoteLists, remoteStream } from "./answers.ts";
import { remoteColumns } from "./columns.ts";
import { connectTo, type Connection } from "./connection.ts";
import { foreign, olderFault, parsed, silent } from "./faults.ts";
import { remoteLoader } from "./load.ts";
import { createPatience } from "./patience.ts";
import { servicePlace, routeOf, type ServiceKey } from "./place.ts";
import { REFUSED_USAGE, remoteFeedback, remoteWeave, refused, refusing, sendText } from "./sent-texts.ts";
import { openRemoteSession, withinTime, type RemoteSession } from "./session.ts";
import { remoteRuns, remoteTrials, storedBy } from "./stored.ts";
import { readAnswer, type Shape } from "./shape.ts";
import { remoteStatements, remoteTables } from "./tables.ts";

/** Options that say something of a database itself, which the service has opened. */
const OF_DATABASES = [
  "path",
  "clickhouse",
  "threads",
  "memoryLimit",
  "predictAndScoreOps",
  "attributeNamespaces",
  "keepAnswers",
  "user",
  "onJob",
  "onUsageError",
] as const;

type Place = Pick<EngineOptions, "key" | "readOnly"> & { readonly url: string };

/**
 * Opens the database of a service. Rejects with `RequestError` on options that are those of a database itself, and with
 * `StoreError` `unreachable`, `bad_credentials` and `foreign_service`.
 */
export async function openRemote(options: EngineOptions & Place): Promise<Engine> {
  const other = OF_DATABASES.find((name) => options[name] !== undefined);
  if (other !== undefined)
    throw requestFault(
      "schema",
      [other],
      "says how a database is opened, and url names a service",
      "meaningless",
    );
  return createRemote(await connect(options));
}

/** So long a service has to say what its key may do, however often it is asked. */
const OPENING_MS = 10_000;

/** What runners need of a database. */
interface RemoteStore extends Pick<Engine, "ingestCalls" | "close"> {
  readonly logged: Omit<CallStore, "write">;
  readonly storeCalls: CallStore["write"];
}

/** Opens what stores calls in the database of a service, and waits for one that is away. */
export async function openRemoteStore(place: Place): Promise<RemoteStore> {
  const { base } = servicePlace(place.url, place.key);
  const session = await createPatience(base)(
    (signal) => connect(place, signal),
    new AbortController().signal,
  );
  const { members, store, close } = createStoring(session);
  return { ...store, ingestCalls: members.ingestCalls, close };
}

async function connect(
  { url, key, readOnly }: Place,
  signal = new AbortController().signal,
): Promise<RemoteSession> {
  const place = servicePlace(url, key);
  const connection = await connectTo(place);
  try {
    place.service = await withinTime(OPENING_MS, silent(place, OPENING_MS), signal, (stop) =>
      askKey(connection, stop),
    );
    if (readOnly === false && place.service.can === "read")
      throw requestFault(
        "schema",
        ["readOnly"],
        "must not be false: this key can only read",
        "missing_right",
      );
    return openRemoteSession(connection, readOnly === true);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

const keySchema = z.looseObject({
  can: z.enum(RIGHTS),
  projects: z.array(z.string()),
  version: z.string(),
});

async function askKey(connection: Connection, signal: AbortSignal): Promise<ServiceKey> {
  const get = (path: string) => connection.text({ method: "GET", path, again: true }, signal);
  const text = await get("/v2/key").catch(async (error: unknown) => {
    if (error instanceof UnsupportedError)
      throw olderFault(connection.place, await get("/openapi.json").catch(() => ""));
    throw error;
  });
  try {
    return keySchema.parse(parsed(connection.place, text));
  } catch {
    throw foreign(connection.place, "what answers there is not an evalcube");
  }
}

/** The members that store, and what closing the engine needs of them. */
function createStoring(session: RemoteSession) {
  const beside = besideServer();
  const ask = storedBy(session);
  const patiently = createPatience(session.connection.place.address);
  const {
    endLoads,
    storeCalls,
    interruptLoads: _interrupt,
    storeParts: _parts,
    storeRows: _rows,
    ...loading
  } = createLoading({
    parquet: beside.parquet,
    conventions: DEFAULT_CONVENTIONS,
    loader: remoteLoader(session),
    stored: (project) => remoteRuns(ask, project),
  });
  const asking = storedBy({
    ...session,
    run: (work, signal) => session.run((stop) => patiently(work, stop), signal),
  });
  const store = {
    logged: { conventions: DEFAULT_CONVENTIONS, ...remoteTrials(asking) },
    storeCalls: (records: readonly object[]) =>
      session.change((signal) => patiently((stop) => storeCalls(records, stop), signal)),
  };
  const { close: closeLogging, ...logging } = createLogging({ ...store.logged, write: store.storeCalls });
  const close = async () => {
    const unwritten = await closeLogging();
    await endLoads();
    await session.close();
    await beside.close();
    if (unwritten !== null) throw unwritten;
  };
  return { members: { ...loading, ...logging }, store, close };
}

function createRemote(session: RemoteSession): Engine {
  const { members, close } = createStoring(session);
  let closing: Promise<void> | null = null;
  const engine: Engine = {
    ...remoteAnswers(session),
    ...remoteStream(session),
    ...remoteLists(session),
    ...remoteTables(session),
    ...remoteColumns(session),
    ...remoteStatements(session),
    ...members,
    ...createDeletions(session),
    ...NOT_OFFERED,
    backup: (path) => backUp(session, path),
    feedback: remoteFeedback(session),
    training: refusing("training"),
    weave: remoteWeave(session),
    usage: REFUSED_USAGE,
    interrupt: session.interrupt,
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => engine.close(),
  };
  return engine;
}

const NOT_OFFERED: Pick<Engine, "check" | "maintain"> = {
  check: () => refused("check"),
  maintain: () => refused("maintain"),
};

function createDeletions(session: RemoteSession): Pick<Engine, "deleteCalls" | "deleteEvaluations"> {
  const read = <T>(shape: Shape, text: string) =>
    readAnswer<T>(session.connection.place, shape, () => JSON.parse(text));
  return {
    deleteCalls: async (projectId, ids, options = {}) => {
      checkDeletion(projectId, ids, options);
      const body = bodyOf({ project_id: projectId, call_ids: ids });
      const text = await sendText(session, "/calls/delete", body, options.signal);
      const answer = await read<{ num_deleted: number }>({ num_deleted: "number" }, text);
      return { hidden: answer.num_deleted };
    },
    deleteEvaluations: async (projectId, request, options = {}) => {
      checkQuery(projectId, options);
      const path = routeOf(projectId, "evaluations");
      const sent = { method: "DELETE", path, body: bodyOf(request), again: false } as const;
      const through = request.dry_run === true ? session.run : session.change;
      const answer = await through((signal) => session.connection.text(sent, signal), options.signal);
      return await read({ hidden: "number", evaluations: "values", kept: "values" }, answer);
    },
  };
}

async function backUp({ connection, run }: RemoteSession, path: string): Promise<void> {
  checkText("path", path);
  refuseTaken(path);
  await run(async (signal) => {
    const sent = {
      method: "POST",
      path: "/backup",
      again: false,
      comes: "application/octet-stream",
    } as const;
    const { chunks } = await connection.open(sent, signal);
    await replaceFile(path, (temporary) => writeFileChunks(temporary, chunks));
  });
}
