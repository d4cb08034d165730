import type { z } from "zod";
import type { SchemaCollection } from "./json-schemas.ts";
import { EXAMPLES } from "./examples.ts";
import { apiErrorSchema, plainErrorSchema } from "./reply-schemas.ts";

/** One operation, as briefly as the description of all of them allows. */
export interface OperationFacts {
  readonly id: string;
  readonly summary: string;
  readonly security: "basic" | "bearer";
  readonly body?: z.ZodType;
  readonly reply: z.ZodType;
  readonly parameters?: readonly unknown[];
  /** The reply may also be a stream of events. */
  readonly streams?: boolean;
}

const ERRORS: Readonly<Record<number, string>> = {
  400: "Not JSON, or without meaning",
  401: "No valid credentials",
  402: "The model server's quota is used up",
  403: "The key may not use this project",
  404: "Nothing here",
  405: "The method is not allowed",
  409: "The id is taken by other content",
  413: "The body is too large",
  415: "The body is not JSON",
  422: "The request breaks the schema; `detail` says where",
  429: "Too many requests under way",
  500: "A fault of the service",
  502: "The model server cannot be reached, or broke off",
  503: "The service is stopping, or has lost its database",
  504: "The model server did not answer in time",
  507: "The disk of the service is full",
};

const REPLY_HEADERS = {
  "x-request-id": { description: "In the log too", schema: { type: "string" } },
};

/** An operation object of OpenAPI, with every error that it may answer. */
export function describeOperation(
  collection: SchemaCollection,
  facts: OperationFacts,
): Record<string, unknown> {
  const { id, summary, security, body, reply, parameters } = facts;
  const json = (schema: z.ZodType, example?: unknown) => ({
    "application/json": { schema: collection.refer(schema), ...(example === undefined ? {} : { example }) },
  });
  const example = EXAMPLES[id];
  const events = { "text/event-stream": { schema: { type: "string" } } };
  const error = json(security === "basic" ? plainErrorSchema : apiErrorSchema);
  const errors = Object.entries(ERRORS).map(([status, description]) => [
    status,
    { description, headers: REPLY_HEADERS, content: error },
  ]);
  return {
    operationId: id,
    summary,
    security: [{ [security]: [] }],
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body, example?.request) } }),
    responses: {
      200: {
        description: "OK",
        headers: REPLY_HEADERS,
        content: { ...json(reply, example?.reply), ...(facts.streams === true ? events : {}) },
      },
      ...(Object.fromEntries(errors) as Record<string, unknown>),
    },
  };
}

/** A header that may be left out. */
export function headerParameter(name: string, description: string) {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}

/** A segment of the path. */
export function pathParameter(name: string) {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

/** Cursor paging; the last of them is for lists that can be turned round. */
export const PAGE_PARAMETERS = [
  {
    name: "after",
    in: "query",
    description: "Id of the last item of the page before",
    schema: { type: "string" },
  },
  { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
  { name: "order", in: "query", schema: { type: "string", enum: ["asc", "desc"], default: "asc" } },
] as const;
