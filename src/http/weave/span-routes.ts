import { z } from "zod";
import { isJsonObject, parseJson, writeJson, type Json } from "../../model/json.ts";
import { exportFromProtobuf } from "../../model/otlp/protobuf.ts";
import { PROJECT_ID } from "../../model/project-id.ts";
import { spansRequest } from "../../weave/spans/store-spans.ts";
import { HttpError } from "../errors/http-error.ts";
import type { Principal } from "../keys/key-ring.ts";
import { readBodyBytes } from "../routes/read-request.ts";
import type { ProtectedRoute } from "../routes/route.ts";
import { bytesAnswer, jsonAnswer, type Answer } from "../wire/answer.ts";
import { decodeBody, readPackedBody } from "../wire/body.ts";
import { inTime, workOf } from "./weave-route.ts";

const PROTOBUF = "application/x-protobuf";
const TYPES = ["application/json", PROTOBUF];

const reply = z
  .looseObject({ partialSuccess: z.looseObject({ errorMessage: z.string() }).optional() })
  .meta({ id: "OtlpReply" });

/** Exporters of spans append `/v1/traces` to an address; those of Weave to that of the service with `/otel`. */
function spanRoute(path: string, id: string, kind: "traces" | "logs"): ProtectedRoute {
  return {
    method: "POST",
    path,
    access: "any",
    id,
    summary:
      kind === "traces"
        ? "Store spans of OpenTelemetry, as JSON or protobuf; agents are trials"
        : "Store scores among log records of OpenTelemetry, as JSON or protobuf",
    body: spansRequest,
    reply,
    example: { request: kind === "traces" ? { resourceSpans: [] } : { resourceLogs: [] }, reply: {} },
    async run(service, request, principal) {
      const work = workOf(service, request, principal);
      const { raw, trace } = request;
      const chunks = await readBodyBytes(request, service.limits.weave, (given, most) =>
        readPackedBody(given, most, TYPES),
      );
      work.wait(trace.bytesIn);
      const isBinary = raw.headers.get("content-type")?.toLowerCase().startsWith(PROTOBUF) === true;
      const text = isBinary
        ? jsonOf(Buffer.concat(chunks), kind, service.limits.values)
        : await decodeBody(chunks);
      const options = {
        ...work.caller,
        projectFor: (named: string | undefined) =>
          projectFor(raw.headers.get("project_id") ?? named, principal),
      };
      const answer = await inTime(work, () => work.weave.storeSpans(text, options));
      return isBinary ? binaryAnswer(parseJson(answer)) : jsonAnswer(answer);
    },
  };
}

export const spanRoutes = [
  spanRoute("/v1/traces", "otlpTraces", "traces"),
  spanRoute("/v1/logs", "otlpLogs", "logs"),
  spanRoute("/otel/v1/traces", "weaveSpans", "traces"),
  spanRoute("/otel/v1/logs", "weaveLogs", "logs"),
];

function jsonOf(bytes: Buffer, kind: "traces" | "logs", values: number): string {
  try {
    return writeJson(exportFromProtobuf(bytes, kind, values));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const reason = `The request body is no export of OpenTelemetry: it ${cause.message}.`;
    throw new HttpError(400, "invalid_body", reason, {}, { cause });
  }
}

/** The project that a request or a resource names, else the only one of the key. */
function projectFor(named: string | undefined, { projects }: Principal): string {
  const [only, other] = projects;
  const project = named ?? (other === undefined ? only : undefined);
  if (project !== undefined && PROJECT_ID.test(project)) return project;
  const found = named === undefined ? "No project is named" : `${JSON.stringify(named)} is no project`;
  const ways = "in the header project_id, or as wandb.entity and wandb.project of the resource";
  const reason = `${found}: name one as ENTITY/PROJECT ${ways}.`;
  throw new HttpError(400, "invalid_project", reason);
}

/** The answer as bytes: what was refused is a message in field 1, with a count and a text. */
function binaryAnswer(answer: Json): Answer {
  const partial = isJsonObject(answer) ? (answer["partialSuccess"] ?? null) : null;
  const headers = { "content-type": PROTOBUF };
  if (!isJsonObject(partial)) return bytesAnswer(new Uint8Array(), headers, 200);
  const { errorMessage, ...counts } = partial;
  const [count] = Object.values(counts);
  const text = Buffer.from(typeof errorMessage === "string" ? errorMessage : "");
  const inner = [8, ...varint(Number(count)), 18, ...varint(text.length), ...text];
  return bytesAnswer(Uint8Array.from([10, ...varint(inner.length), ...inner]), headers, 200);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
