import { z } from "zod";
import { RequestError } from "../../errors.ts";
import { tableDigestReply } from "../../weave/tables/requests.ts";
import { fileContentRequest } from "../../weave/files.ts";
import type { ProtectedRoute } from "../routes/route.ts";
import { bytesAnswer, jsonAnswer } from "../wire/answer.ts";
import { readForm } from "../wire/form.ts";
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
      throw new RequestError("schema", [{ loc, msg: "is required", type: "missing" }]);
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
