import { tmpdir } from "node:os";
import { z } from "zod";
import { passingPath, removeAbandoned } from "../../flow/passing-file.ts";
import { stopWith } from "../../flow/stop-with.ts";
import { isEnough, RIGHTS } from "../../model/rights.ts";
import { deleteRequestWire, type DeleteRequest } from "../../request/delete-request.ts";
import { checkAllProjects, checkProject } from "../keys/credentials.ts";
import { mayUse } from "../keys/key-ring.ts";
import { jsonAnswer } from "../wire/answer.ts";
import { lineChunks } from "../wire/body.ts";
import { answerOfPassingFile } from "../wire/streamed-answer.ts";
import { packageVersion, projectOfPath, queryOf, readProjectRequest } from "./read-request.ts";
import type { ProtectedRoute } from "./route.ts";
import { offered, type ServiceEngine } from "./service.ts";

const key = z
  .object({
    id: z.string(),
    user: z.string(),
    can: z.enum(RIGHTS),
    projects: z.array(z.string()),
    version: z.string().meta({ description: "Of the service" }),
  })
  .meta({ id: "Key" });

const readKey: ProtectedRoute = {
  method: "GET",
  path: "/v2/key",
  access: "basic",
  id: "readKey",
  summary: "The key that asks: whose it is, and what it may",
  reply: key,
  example: {
    reply: { id: "0123abcd", user: "ann", can: "write", projects: ["acme/*"], version: "0.1.0" },
  },
  run: async (_service, _request, { keyId, user, can, projects }) =>
    jsonAnswer(JSON.stringify({ id: keyId, user, can, projects, version: packageVersion() })),
};

type Info = Awaited<ReturnType<NonNullable<ServiceEngine["info"]>>>;

const dated = z.object({ id: z.string(), started_at: z.string().meta({ format: "date-time" }) }).nullable();

/** What `info` of an engine gives. */
const infoSchema = z
  .object({
    database: z.string().meta({ description: "The name of the file or database, without its place" }),
    format: z.int(),
    bytes: z.int(),
    log_bytes: z.int(),
    last_write_at: z.string().meta({ format: "date-time" }).nullable(),
    calls: z.int(),
    trials: z.int(),
    oldest: dated,
    newest: dated,
    projects: z.array(
      z.object({
        project_id: z.string(),
        evaluation_count: z.int(),
        trial_count: z.int(),
        call_count: z.int(),
        bytes: z.int(),
      } satisfies Record<keyof Info["projects"][number], z.ZodType>),
    ),
    largest: z.array(
      z.object({
        id: z.string(),
        project_id: z.string(),
        display_name: z.string().nullable(),
        trials: z.int(),
        bytes: z.int(),
      } satisfies Record<keyof Info["largest"][number], z.ZodType>),
    ),
  } satisfies Record<keyof Info, z.ZodType>)
  .meta({ id: "DatabaseInfo" });

const run = { id: "run-1", started_at: "2026-01-31T12:00:00.000000Z" };

/** The parameter may be repeated. */
const infoQuery = z.strictObject({ project: z.string().optional() });

const readInfo: ProtectedRoute = {
  method: "GET",
  path: "/v2/info",
  access: "basic",
  id: "readInfo",
  reads: true,
  summary: "How large the projects of the key are, and when the database was written last",
  parameters: [
    {
      name: "project",
      in: "query",
      description: "Tells of this project alone, or of those of several such parameters",
      schema: { type: "array", items: { type: "string" } },
    },
  ],
  reply: infoSchema,
  example: {
    reply: {
      database: "evals.duckdb",
      format: 6,
      bytes: 4_009_984,
      log_bytes: 0,
      last_write_at: "2026-01-31T12:00:10Z",
      calls: 9,
      trials: 4,
      oldest: run,
      newest: run,
      projects: [
        { project_id: "acme/qa", evaluation_count: 1, trial_count: 4, call_count: 9, bytes: 4_009_984 },
      ],
      largest: [{ id: "run-1", project_id: "acme/qa", display_name: "nightly", trials: 4, bytes: 3_900_120 }],
    },
  },
  async run({ engine }, asked, principal) {
    const { raw } = asked;
    const tell = offered(engine.info);
    queryOf(asked, infoQuery);
    const { signal } = stopWith(raw.signal);
    const given = new URL(raw.url).searchParams.getAll("project");
    const named = given.filter((id) => id !== "");
    for (const id of named) checkProject(principal, id);
    const isOfAll = given.length === 0 && principal.projects.includes("*");
    const all = given.length > 0 || isOfAll ? [] : await engine.countEvaluations({ signal });
    const own = all.map(({ project_id }) => project_id).filter((id) => mayUse(principal, id));
    const info = await tell({ ...(isOfAll ? {} : { projects: [...named, ...own] }), signal });
    const database = info.database.split(/[/\\]/).at(-1);
    return jsonAnswer(JSON.stringify({ ...info, database }));
  },
};

const BATCH_BYTES = 16 * 1024 * 1024;

const flag = z.enum(["true", "false"]);
const ingestQuery = z.strictObject({
  kind: z.enum(["calls", "rows"]).optional(),
  skip_invalid: flag.optional(),
});

const counts = z.record(z.string(), z.int());
const ingested = z
  .looseObject({
    received: z.int(),
    stored: z.int(),
    unchanged: z.int(),
    rejected: z.array(z.looseObject({ position: z.int(), reason: z.string() })),
    unknown_members: counts,
    epoch_times: counts,
  })
  .meta({ id: "Ingested" });

const line = z.looseObject({}).meta({ id: "RecordLine", description: "One line: a call or a dataset row." });

const ingest: ProtectedRoute = {
  method: "POST",
  path: "/v2/{entity}/{project}/ingest",
  access: "basic",
  id: "ingest",
  repeatable: true,
  summary:
    "Store calls or dataset rows, in batches of 16 MiB, each as a whole; gzip and Zstandard are unpacked",
  body: line,
  bodyType: "application/x-ndjson",
  reply: ingested,
  parameters: [
    { name: "kind", in: "query", schema: { type: "string", enum: ["calls", "rows"] } },
    { name: "skip_invalid", in: "query", schema: { type: "boolean", default: false } },
  ],
  example: {
    request: {
      id: "run-1",
      op_name: "Evaluation.evaluate",
      started_at: "2026-01-31T12:00:00Z",
      inputs: {},
    },
    reply: { received: 1, stored: 1, unchanged: 0, rejected: [], unknown_members: {}, epoch_times: {} },
  },
  async run({ engine }, asked, principal) {
    const { raw, trace } = asked;
    const projectId = projectOfPath(asked, principal);
    const { kind, skip_invalid: skips } = queryOf(asked, ingestQuery);
    trace.issuePart = "body";
    const chunks = lineChunks(raw);
    async function* counted() {
      for await (const chunk of chunks) {
        trace.bytesIn += chunk.length;
        yield chunk;
      }
    }
    const { kind: _kind, ...result } = await offered(engine.ingestFile)(
      { ndjson: counted(), name: "the request body" },
      {
        kind,
        onInvalid: skips === "true" ? "skip" : "fail",
        sender: { projectId, user: principal.user, mayDelete: isEnough(principal.can, "admin") },
        batchBytes: BATCH_BYTES,
        signal: stopWith(raw.signal).signal,
      },
    );
    return jsonAnswer(JSON.stringify(result));
  },
};

const deleted = z
  .object({
    dry_run: z.boolean(),
    hidden: z.int().meta({ description: "Calls" }),
    evaluations: z.array(
      z.object({
        id: z.string(),
        display_name: z.string().nullable(),
        started_at: z.string().nullable(),
        trial_count: z.int(),
        user: z.string().nullable(),
      }),
    ),
    kept: z.array(z.object({ id: z.string(), reason: z.enum(["baseline", "feedback", "latest"]) })),
  })
  .meta({ id: "EvaluationsDeleted" });

const deleteEvaluations: ProtectedRoute = {
  method: "DELETE",
  path: "/v2/{entity}/{project}/evaluations",
  access: "basic",
  id: "deleteEvaluations",
  summary: "Hide evaluations for good: by id, or older ones",
  body: deleteRequestWire,
  reply: deleted,
  example: {
    request: { older_than: "90d", keep_latest: 5, dry_run: true },
    reply: {
      dry_run: true,
      hidden: 0,
      evaluations: [
        {
          id: "run-1",
          display_name: "nightly",
          started_at: "2026-01-31T12:00:00.000000Z",
          trial_count: 4,
          user: "ann",
        },
      ],
      kept: [{ id: "run-2", reason: "feedback" }],
    },
  },
  async run(service, asked, principal) {
    const remove = offered(service.engine.deleteEvaluations);
    const { projectId, request, stop } = await readProjectRequest(service, asked, principal);
    const { signal } = stop;
    return jsonAnswer(
      JSON.stringify(await remove(projectId, request as DeleteRequest, { signal, user: principal.user })),
    );
  },
};

const backup: ProtectedRoute = {
  method: "POST",
  path: "/backup",
  access: "basic",
  id: "backup",
  summary: "A consistent copy of the whole database as a file; needs a key for all projects",
  reply: z.unknown().meta({ id: "Backup", description: "Bytes of a database of DuckDB." }),
  replyType: "application/octet-stream",
  example: { reply: "…" },
  async run({ engine }, { raw, trace }, principal) {
    checkAllProjects(principal);
    const copy = offered(engine.backup);
    const path = passingPath(tmpdir());
    const stop = stopWith(raw.signal);
    await copy(path);
    await removeAbandoned(path);
    const name = `evalcube-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}Z.duckdb`;
    const headers = {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="${name}"`,
    };
    return answerOfPassingFile(path, headers, { trace, stop });
  },
};

export const databaseRoutes: readonly ProtectedRoute[] = [
  readKey,
  readInfo,
  ingest,
  deleteEvaluations,
  backup,
];
