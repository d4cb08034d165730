import { createRecordGroup, now, textColumns } from "../store/records.ts";
import type { RecordSession, RecordStore, Session } from "../store/session.ts";
import { sql, statement, text } from "../store/sql.ts";
import { checkArgument, projectId as projectIdSchema } from "../model/arguments.ts";
import { writeJson } from "../model/json.ts";
import { z } from "zod";
import { authorize, checkDigest, notFound, readRequest } from "./request/read-request.ts";
import type { WeaveCaller } from "./request/seam.ts";
import { longBytesDigest } from "./values/digests.ts";

export const fileContentRequest = z
  .looseObject({ project_id: projectIdSchema, digest: z.string() })
  .meta({ id: "WeaveFileContent" });

/** A file to store. */
export interface SentFile {
  /** `entity/project`. */
  readonly project_id: string;
  /** Its bytes. */
  readonly file: Uint8Array;
  /** Where it is given and not that of the bytes, the file is refused. */
  readonly expected_digest?: string | null | undefined;
}

/** Files by digest: source code, images, audio. They are given back as they were, and never read. */
export interface WeaveFiles {
  /** Stores a file once a project; answers its digest as JSON text. */
  readonly createFile: (file: SentFile, caller: WeaveCaller) => Promise<string>;
  /** The bytes of a file. Rejects with `not_found`. */
  readonly readFile: (request: string, caller: WeaveCaller) => Promise<Uint8Array>;
}

interface NewFile {
  readonly projectId: string;
  readonly digest: string;
  readonly bytes: Uint8Array;
}

export function createFiles(store: RecordStore): WeaveFiles {
  const commit = createRecordGroup(
    store,
    (file: NewFile) => file.bytes.length,
    async (session, files) => {
      for (const file of files) await insertFile(session, file);
      return files;
    },
  );
  return {
    createFile: async ({ project_id, file, expected_digest: expected }, caller) => {
      const projectId = authorize(caller, checkArgument(project_id, projectIdSchema, ["project_id"]));
      const digest = await longBytesDigest(file);
      checkDigest(expected, digest);
      await commit({ projectId, digest, bytes: file }, { signal: caller.signal });
      return writeJson({ digest });
    },
    readFile: async (request, caller) => {
      const { project_id: projectId, digest } = await readRequest(request, fileContentRequest, caller);
      authorize(caller, projectId);
      const bytes = await store.read((session) => readBytes(session, projectId, digest));
      if (bytes === null) throw notFound(`file ${JSON.stringify(digest)}`);
      return bytes;
    },
  };
}

async function insertFile(session: RecordSession, { projectId, digest, bytes }: NewFile): Promise<void> {
  const known = await session.rows(sql`SELECT 1 FROM stored_files
    WHERE project_id = ${text(projectId)} AND digest = ${text(digest)}`);
  if (known.length > 0) return;
  await session.add("stored_files", [
    ...textColumns({ project_id: projectId, digest }),
    { name: "created_at", type: "BIGINT", values: [now()] },
    { name: "bytes", type: "BLOB", values: [bytes] },
  ]);
}

async function readBytes(session: Session, projectId: string, digest: string): Promise<Uint8Array | null> {
  const found = await session.vectors(
    statement(
      sql`SELECT bytes FROM stored_files
      WHERE project_id = ${text(projectId)} AND digest = ${text(digest)} LIMIT 1`,
      session.dialect,
    ),
  );
  for await (const { columns } of found.batches) {
    await session.turns.take();
    const { bytes, offsets } = columns[0] ?? {};
    if (bytes != null && offsets != null) return bytes.slice(offsets[0], offsets[1]);
    if (offsets != null) return new Uint8Array();
  }
  return null;
}
