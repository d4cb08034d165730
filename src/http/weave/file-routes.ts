import { z } from "zod";
import { requestFault } from "../../errors.ts";
import { tableDigestReply } from "../../weave/tables/requests.ts";
import { fileContentRequest } from "../../weave/files.ts";
import type { ProtectedRoute } from "../routes/route.ts";
import { bytesAnswer, jsonAnswer } from "../wire/answer.ts";
import { HttpError, unsupportedMedia } from "../errors/http-error.ts";
import { joinBytes } from "../../model/long-texts.ts";
import { eachChunk } from "../wire/body.ts";
import { inTime, readText, workOf } from "./weave-route.ts";

const digest = "JdfhCvhLCYamIVablUYjMo5xpfO8eXc6Br8Q1J5Sf4A";

const createFile: ProtectedRoute = {
  method: "POST",
  path: "/file/create",
  access: "basic",
  id: "weaveCreateFile",
  summary: "Store a file: multipart/form-data with the fields `project_id`, `file` and `expected_digest`",
  form: z
    .object({ project_id: z.string(), file: z.string(), expected_digest: z.string().optional() })
    .meta({ id: "WeaveFile" }),
  reply: tableDigestReply,
  example: { request: { project_id: "acme/qa", file: "print(1)" }, reply: { digest } },
  async run(service, request, principal) {
    const work = workOf(service, request, principal);
    const { fields, file } = await readForm(request.raw, service.limits.file, "file");
    request.trace.bytesIn = file?.length ?? 0;
    work.wait(request.trace.bytesIn);
    const projectId = fields.get("project_id");
    if (file === null || projectId === undefined) {
      const loc = [projectId === undefined ? "project_id" : "file"];
      throw requestFault("schema", loc, "is required", "missing");
    }
    const expected = fields.get("expected_digest");
    const sent = { project_id: projectId, file, expected_digest: expected === "" ? null : expected };
    return inTime(work, async () => jsonAnswer(await work.weave.createFile(sent, work.caller)));
  },
};

const readFile: ProtectedRoute = {
  method: "POST",
  path: "/file/content",
  access: "basic",
  id: "weaveReadFile",
  reads: true,
  summary: "The bytes of a file (application/octet-stream)",
  body: fileContentRequest,
  reply: z.string().meta({ id: "WeaveFileBytes" }),
  replyType: "application/octet-stream",
  example: { request: { project_id: "acme/qa", digest }, reply: "print(1)" },
  async run(service, request, principal) {
    const { weave, caller, wait } = workOf(service, request, principal);
    const bytes = await weave.readFile(await readText(request, service.limits.other, wait), caller);
    const headers = { "content-type": "application/octet-stream", "x-content-type-options": "nosniff" };
    return bytesAnswer(bytes, headers, 200);
  },
};

export const fileRoutes = [createFile, readFile];

/** A form of texts and one file. */
interface Form {
  readonly fields: ReadonlyMap<string, string>;
  /** Null where no file was sent. */
  readonly file: Uint8Array | null;
}

const MAX_FIELDS = 20;

/** Reads a body of `multipart/form-data` of at most `limit` bytes; the file is the part that has this name. */
async function readForm(request: Request, limit: number, fileName: string): Promise<Form> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw unsupportedMedia("The body must be multipart/form-data, with a boundary.");
  // Imported here, so that it is not loaded where no form is read.
  const { Busboy } = await import("@fastify/busboy");
  const fields = new Map<string, string>();
  const chunks: Uint8Array[] = [];
  let hasFile = false;
  const parser = openParser(() => {
    return new Busboy({ headers: { "content-type": type }, limits: { fields: MAX_FIELDS, fileSize: limit } });
  });
  const parsed = new Promise<void>((resolve, reject) => {
    const fail = (cause: unknown) => reject(malformed(cause));
    parser.on("finish", resolve).on("error", fail);
    parser.on("file", (name, stream) => {
      hasFile ||= name === fileName;
      stream.on("data", (chunk: Uint8Array) => {
        if (name === fileName) chunks.push(chunk);
      });
      // A body that ends inside a file is told to the file's stream as well.
      stream.on("error", fail);
    });
  });
  parser.on("field", (name, value) => fields.set(name, value));
  parsed.catch(() => undefined);
  await eachChunk(request, limit, (chunk) => void parser.write(chunk));
  parser.end();
  await parsed;
  return { fields, file: hasFile ? await joinBytes(chunks) : null };
}

function openParser<T>(open: () => T): T {
  try {
    return open();
  } catch (cause) {
    throw malformed(cause);
  }
}

function malformed(cause: unknown): HttpError {
  return new HttpError(400, "invalid_form", "The request body is not a well-formed form.", {}, { cause });
}
