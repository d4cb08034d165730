import { z } from "zod";
import { needOf, RIGHTS } from "../../model/rights.ts";
import type { Scheme } from "../keys/credentials.ts";
import type { SchemaCollection } from "./json-schemas.ts";

/** An endpoint in the OpenAPI description of the service. */
export interface OpenApiOperation {
  readonly method: "GET" | "POST" | "DELETE";
  /** Segments in braces are parameters. */
  readonly path: string;
  /** How the caller authenticates. */
  readonly access: Scheme;
  readonly id: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  /** Media type of the body; default JSON. */
  readonly bodyType?: string;
  /** Whether the same request, sent again, changes nothing more. */
  readonly repeatable?: true;
  /** The parts of a form, for an endpoint that takes one instead of JSON. */
  readonly form?: z.ZodType;
  /** What is answered; a document is downloaded. */
  readonly reply: z.ZodType | "text/html";
  /** Media type of the reply; default JSON. */
  readonly replyType?: string;
  /** Whether the reply may also be a stream of server-sent events. */
  readonly streams?: boolean;
  /** Parameters other than those of the path. */
  readonly parameters?: readonly unknown[];
  readonly example: OperationExample;
}

/** A request body, where the endpoint takes one, and its reply. */
export interface OperationExample {
  readonly request?: unknown;
  readonly reply: unknown;
}

/** A document that needs no credentials. */
export interface PublicOperation {
  readonly method: "GET";
  readonly path: string;
  readonly access: "public";
  readonly id: string;
  readonly summary: string;
}

const ERRORS: Readonly<Record<number, string>> = {
  400: "Not JSON, or without meaning",
  401: "No valid credentials",
  402: "The model server's quota is used up",
  403: "The key may not use this project, or may do less than this needs (`need`, `can`)",
  404: "Nothing here",
  405: "The method is not allowed",
  409: "The id is taken by other content",
  413: "The body is too large",
  415: "The body is not JSON",
  422: "The request breaks the schema; `detail` says where",
  429: "Too many requests under way",
  500: "A fault of the service",
  501: "The database of the service does not offer this",
  502: "The model server cannot be reached, or broke off",
  503: "The service is stopping, or cannot reach its database",
  504: "The model server did not answer in time",
  507: "The disk of the service is full (`storage_full`), or its database has too little memory (`out_of_memory`, see --memory-limit)",
};

const REPLY_HEADERS = {
  "x-request-id": { description: "In the log too", schema: { type: "string" } },
};

/** Builds the OpenAPI operation object of an endpoint, with every error that it may answer. */
export function describeOperation(
  collection: SchemaCollection,
  operation: OpenApiOperation,
): Record<string, unknown> {
  const { id, summary, access, body, form, reply, parameters, example } = operation;
  const [sent, sentType] = form === undefined ? [body, operation.bodyType] : [form, "multipart/form-data"];
  const json = (schema: z.ZodType, shown?: unknown, type = "application/json") => ({
    [type]: {
      schema: collection.refer(schema),
      ...(shown === undefined ? {} : { example: shown }),
    },
  });
  const events = { "text/event-stream": { schema: { type: "string" } } };
  const error = json(access === "bearer" ? apiErrorSchema : plainErrorSchema);
  const errors = Object.entries(ERRORS).map(([status, description]) => [
    status,
    { description, headers: REPLY_HEADERS, content: error },
  ]);
  return {
    operationId: id,
    summary,
    ...marksOf(operation),
    security: access === "any" ? [{ bearer: [] }, { basic: [] }] : [{ [access]: [] }],
    ...(parameters === undefined ? {} : { parameters }),
    ...(sent === undefined
      ? {}
      : { requestBody: { required: true, content: json(sent, example.request, sentType) } }),
    responses: {
      200: {
        description: "OK",
        headers: REPLY_HEADERS,
        content: {
          ...(reply === "text/html" ? documentOf(example) : json(reply, example.reply, operation.replyType)),
          ...(operation.streams === true ? events : {}),
        },
      },
      ...(Object.fromEntries(errors) as Record<string, unknown>),
    },
  };
}

/** What no field of OpenAPI says. */
function marksOf({ method, path, repeatable }: OpenApiOperation) {
  const need = { "x-evalcube-need": needOf(method, path) };
  return repeatable === true ? { ...need, "x-evalcube-repeatable": true } : need;
}

function documentOf({ reply }: OperationExample) {
  return { "text/html": { schema: { type: "string" }, example: reply } };
}

/** Builds the OpenAPI operation object of a document that needs no credentials. */
export function describePublic({ id, summary }: PublicOperation): Record<string, unknown> {
  const content = { "application/json": { schema: { type: "object" } } };
  return { operationId: id, summary, security: [], responses: { 200: { description: "OK", content } } };
}

const issue = z.object({
  loc: z.array(z.union([z.string(), z.int()])).meta({ examples: [["body", "sort_by", 0, "mode"]] }),
  msg: z.string(),
  type: z.string(),
});

const plainErrorSchema = z
  .object({
    reason: z.string(),
    code: z.string().optional().meta({ description: "Of statuses above 500 alone" }),
    need: z.enum(RIGHTS).optional().meta({ description: "What the request needs, where the key can less" }),
    can: z.enum(RIGHTS).optional().meta({ description: "What the key can" }),
    detail: z.array(issue).optional(),
  })
  .meta({ id: "PlainError", examples: [{ reason: "The request body is not valid JSON." }] });

const apiErrorSchema = z
  .object({
    error: z.looseObject({
      message: z.string(),
      type: z.string().nullish(),
      param: z.string().nullish(),
      code: z.union([z.string(), z.number(), z.null()]).optional(),
    }),
    detail: z.array(issue).optional(),
  })
  .meta({
    id: "ApiError",
    examples: [
      {
        error: {
          message: "Authentication failed: no valid credentials were sent.",
          type: "invalid_request_error",
          param: null,
          code: "invalid_api_key",
        },
      },
    ],
  });

/** Describes an optional header. */
function headerParameter(name: string, description: string) {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}

export const PROJECT_HEADER = headerParameter(
  "OpenAI-Project",
  "ENTITY/PROJECT that the request is counted for",
);

export const IDEMPOTENCY_KEY = headerParameter(
  "Idempotency-Key",
  "Up to 255 characters; the same request sent again under it is not a second job",
);

/** Describes the parameters that a path names in braces. */
export function pathParameters(path: string) {
  return Array.from(path.matchAll(/\{([^{}]+)\}/g), ([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

/** Parameters of cursor paging. */
export const PAGE_PARAMETERS = [
  {
    name: "after",
    in: "query",
    description: "Id of the last item of the page before",
    schema: { type: "string" },
  },
  { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
];

/** Parameter of lists that can be read in either order. */
export const ORDER_PARAMETER = {
  name: "order",
  in: "query",
  schema: { type: "string", enum: ["asc", "desc"], default: "asc" },
};
