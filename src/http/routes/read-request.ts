import { z } from "zod";
import { checkArgument } from "../../model/arguments.ts";
import { PROJECT_ID } from "../../model/project-id.ts";
import { packageFile } from "../../package-files.ts";
import { checkProject } from "../keys/credentials.ts";
import type { Principal } from "../keys/key-ring.ts";
import { sizeOf } from "../../model/long-texts.ts";
import { isJsonObject } from "../../model/json.ts";
import { inOwnTurn } from "../../model/turns.ts";
import { ofKnownEvaluations } from "../../request/resolve-names.ts";
import { type Chunks, decodeBody, parseBody, readBody } from "../wire/body.ts";
import { unknownPath } from "../errors/http-error.ts";
import type { PageQuery } from "../../training/page.ts";
import type { RouteRequest } from "./route.ts";
import { stopWith } from "../../flow/stop-with.ts";
import type { BodyLimits, Service } from "./service.ts";

/**
 * Reads the text of a body of at most `limit` bytes, then waits for a place among the answers under way, if it needs
 * one, and for its turn among large bodies. Who has the turn has its place already.
 */
export async function readBodyText(
  request: RouteRequest,
  limit: number,
  read: (raw: Request, limit: number) => Promise<Chunks> = readBody,
): Promise<string> {
  const text = await decodeBody(await readBodyBytes(request, limit, read));
  return inOwnTurn(text, () => text);
}

/** As {@link readBodyText}, the bytes. */
export async function readBodyBytes(
  { raw, trace, turn }: RouteRequest,
  limit: number,
  read: (raw: Request, limit: number) => Promise<Chunks>,
): Promise<Chunks> {
  const body = await read(raw, limit);
  trace.bytesIn = sizeOf(body);
  await trace.place?.take(raw.signal);
  await turn.take(trace.bytesIn);
  return body;
}

/** Parses a JSON text that is nested at most `depth` deep, and has no more values than a body may have. */
export function parseRequestJson(
  text: string,
  depth: number,
  { values }: Pick<BodyLimits, "values">,
): unknown {
  return parseBody(text, (json) => JSON.parse(json) as unknown, { depth, values });
}

/** The version of this package. */
export function packageVersion(): string {
  return (JSON.parse(packageFile("package.json")) as { readonly version: string }).version;
}

/** Filters nest, but no sensible request nests deeper. */
export const REQUEST_DEPTH = 256;

/** What becomes of names of no evaluation; each route has its usual. */
const namesQuery = z.object({ unknown_names: z.enum(["keep", "refuse"]).optional() });

export function unknownNames(asked: RouteRequest): "keep" | "refuse" | undefined {
  const { unknown_names: unknown } = queryOf(asked, namesQuery);
  asked.trace.issuePart = "body";
  return unknown;
}

export const NAMES_PARAMETER = {
  name: "unknown_names",
  in: "query",
  description: "Whether names of no evaluation are kept, with a warning, or refused",
  schema: { type: "string", enum: ["keep", "refuse"] },
};

/** The project of the path, the request in the body, and what stops the work when the client goes. */
export async function readProjectRequest(
  { limits }: Pick<Service, "limits">,
  asked: RouteRequest,
  principal: Principal,
) {
  const projectId = projectOfPath(asked, principal);
  const refuses = unknownNames(asked) === "refuse";
  const parsed = parseRequestJson(await readBodyText(asked, limits.other), REQUEST_DEPTH, limits);
  const request = refuses && isJsonObject(parsed) ? ofKnownEvaluations(parsed) : parsed;
  return { projectId, request, stop: stopWith(asked.raw.signal) };
}

/** Returns a path segment, decoded once; throws 404 when it is empty or has a slash or a control character. */
export function segment({ params }: RouteRequest, name: string): string {
  const value = params.get(name) ?? "";
  if (!/^[^/\p{Cc}]+$/u.test(value)) throw unknownPath();
  return value;
}

/**
 * The project that the segments `entity` and `project` name, each decoded once; throws 404 where they are not a project
 * name, and 403 where the caller may not use it.
 */
export function projectOfPath({ params, trace }: RouteRequest, principal: Principal): string {
  const projectId = `${params.get("entity") ?? ""}/${params.get("project") ?? ""}`;
  if (!PROJECT_ID.test(projectId)) throw unknownPath();
  checkProject(principal, projectId);
  trace.project = projectId;
  return projectId;
}

/**
 * A parameter that is a whole number, for a schema to check: any other text stays one. Undefined where it is missing.
 */
export function countParameter({ raw, trace }: RouteRequest, name: string): number | string | undefined {
  trace.issuePart = "query";
  const given = new URL(raw.url).searchParams.getAll(name).at(-1);
  return given !== undefined && /^\d+$/.test(given) ? Number(given) : given;
}

/** The parameters of the address, of a repeated one the last; throws 422 where the schema does not allow them. */
export function queryOf<Query extends z.ZodType>(
  { raw, trace }: RouteRequest,
  schema: Query,
): z.output<Query> {
  trace.issuePart = "query";
  return checkArgument(Object.fromEntries(new URL(raw.url).searchParams), schema);
}

/**
 * The parameters of a page; a repeated one has its last value, an empty `after` counts as absent, and others are
 * ignored.
 */
export function pageParameters({ raw, trace }: RouteRequest): PageQuery {
  trace.issuePart = "query";
  const { after = "", limit, order } = Object.fromEntries<string | undefined>(new URL(raw.url).searchParams);
  return { after: after === "" ? undefined : after, limit, order };
}
