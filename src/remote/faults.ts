import type { Response } from "undici";
import {
  EvalcubeError,
  type IngestError,
  RequestError,
  StoreError,
  UnsupportedError,
  type InputPath,
  type RequestIssue,
} from "../errors.ts";
import { ingestError } from "../ingest/formats/record-source.ts";
import { InvalidRecord } from "../ingest/record/invalid-record.ts";
import { at, isJsonObject, type JsonObject } from "../model/json.ts";
import { firstAndMore } from "../model/messages.ts";
import { oneLine, withoutTrailing } from "../model/plain-line.ts";
import type { ServicePlace } from "./place.ts";

/** The header in which the service says the code of an error of the library. */
const CODE_HEADER = "x-evalcube-code";
/** The header that has the issues of a request without meaning. */
const ISSUES_HEADER = "x-evalcube-issues";

/** Codes of refusals that have none of their own. */
const BY_STATUS: Readonly<Record<number, string>> = {
  400: "unsupported_request",
  401: "bad_credentials",
  403: "not_allowed",
  413: "payload_too_large",
  500: "service_failed",
};

interface Asked {
  readonly method: string;
  readonly path: string;
}

/** The error that an answer is; null for one that is none. */
export async function answerFault(
  place: ServicePlace,
  asked: Asked,
  reply: Response,
): Promise<EvalcubeError | null> {
  const { status, headers } = reply;
  const leadsTo = headers.get("location");
  if (status >= 300 && status < 400) return pageFault(place, status, leadsTo);
  const isPage = /^text\/html/i.test(headers.get("content-type") ?? "");
  if (reply.ok && !isPage) return null;
  const body = parsed(place, await reply.text());
  if (typeof body?.["reason"] === "string")
    return serviceFault(place, asked, {
      status,
      body,
      reason: line(body["reason"]),
      code: headers.get(CODE_HEADER),
      issues: clean(place, () => decodeURIComponent(headers.get(ISSUES_HEADER) ?? "null")),
    });
  if (status >= 502 && status <= 504) return behindProxy(place, status);
  if (isPage) return pageFault(place, status, null);
  if (status === 404) return notThere(place);
  return foreign(place, `the answer is ${status}, and not that of an evalcube`);
}

function behindProxy({ address }: ServicePlace, status: number): StoreError {
  const said = `a proxy answers ${status}, since it has no answer of the service; see whether that runs`;
  return new StoreError("unreachable", `${address}: ${said}`);
}

function notThere(place: ServicePlace): StoreError {
  return foreign(place, "the answer is 404: no evalcube is there; see whether a base path is missing");
}

/** The error of a service that tells nothing of keys; `description` is what it says of itself, empty where nothing. */
export function olderFault(place: ServicePlace, description: string): EvalcubeError {
  const info = at(parsed(place, description), "info");
  if (at(info, "title") !== "evalcube") return notThere(place);
  const version = oneLine(String(at(info, "version")));
  const said = `this evalcube (version ${version}) has no GET /v2/key; bring the service up to date`;
  return new UnsupportedError("GET /v2/key", `${place.address}: ${said}`);
}

/** What a service says, null where it is no JSON. Its texts are {@link veiled}: errors quote them. */
function clean(place: ServicePlace, text: () => string): unknown {
  try {
    return JSON.parse(text(), (_, value: unknown) =>
      typeof value === "string" ? veiled(place, value) : value,
    );
  } catch {
    return null;
  }
}

/** The object that a service tells, null where it tells none. */
export function parsed(place: ServicePlace, text: string): JsonObject | null {
  const body = clean(place, () => text);
  return isJsonObject(body) ? body : null;
}

/** No message of the library is longer. */
const LONGEST = 1000;

/** A text of an answer without the key, which what answers may have repeated, and no longer than people read. */
function veiled({ key }: ServicePlace, text: string): string {
  const sent = withoutTrailing(credentials(key), "=");
  const rest = [sent, key].reduce((left, secret) => left.replaceAll(secret, "…"), text);
  return rest.length > LONGEST ? `${rest.slice(0, LONGEST).toWellFormed()}…` : rest;
}

/** The user and the key as a request has them. */
export function credentials(key: string): string {
  return Buffer.from(`api:${key}`).toString("base64");
}

function line(text: string): string {
  return /[\r\n]/.test(text) ? oneLine(text) : text;
}

/** The error of an answer that no evalcube gives. */
export function foreign({ address }: ServicePlace, what: string): StoreError {
  return new StoreError("foreign_service", `${address}: ${what}`);
}

function pageFault(place: ServicePlace, status: number, leadsTo: string | null): StoreError {
  const target = leadsTo !== null && URL.canParse(leadsTo, place.base) ? new URL(leadsTo, place.base) : null;
  const led = target === null ? "" : ` that leads to ${veiled(place, target.origin + target.pathname)}`;
  return foreign(place, `a page came (${status})${led}, as of a proxy or a login, instead of an answer`);
}

interface Told {
  readonly status: number;
  readonly body: JsonObject;
  readonly reason: string;
  /** Of the library's error at the service; null where the refusal is of the service itself. */
  readonly code: string | null;
  /** Of a request without meaning; null elsewhere, and where they are too long. */
  readonly issues: unknown;
}

function serviceFault(place: ServicePlace, asked: Asked, told: Told): EvalcubeError {
  const { status, body, reason, issues } = told;
  const [first, ...rest] = issuesOf(body["detail"] ?? issues);
  if (first?.type === "invalid_record") return recordFault(first);
  if (first !== undefined) return new RequestError(status === 400 ? "meaning" : "schema", [first, ...rest]);
  const ownCode = typeof body["code"] === "string" ? body["code"] : null;
  const code = told.code ?? ownCode ?? BY_STATUS[status];
  if (code === "unsupported_on_backend") return new UnsupportedError(asked.path, reason);
  if (told.code !== null)
    return status === 403 ? new StoreError(told.code, reason) : new EvalcubeError(told.code, reason);
  if (status === 404) return missingRoute(place, asked);
  const text = `${place.address}: ${status === 401 ? KEY_UNKNOWN : reason}${status === 403 ? usable(place, body) : ""}`;
  return new StoreError(code ?? "service_failed", veiled(place, text));
}

const KEY_UNKNOWN = "the service does not know this key; set another as EVALCUBE_KEY, or with --key-file";

/** Which projects the key may use, where a refusal is about those. */
function usable({ service }: ServicePlace, body: JsonObject): string {
  if (service === null || "need" in body || "code" in body) return "";
  return ` It may use ${firstAndMore(service.projects.map(line), 5)}.`;
}

function missingRoute({ address, service }: ServicePlace, { method, path }: Asked): UnsupportedError {
  const version = service === null ? "" : ` (version ${oneLine(service.version)})`;
  const route = `${method} ${path.split("?")[0] ?? ""}`;
  return new UnsupportedError(
    route,
    `${address}: this evalcube${version} has no ${route}; bring it up to date`,
  );
}

/** The issues as the library tells them, without the part of the request before each. */
function issuesOf(detail: unknown): RequestIssue[] {
  if (!Array.isArray(detail)) return [];
  return detail.flatMap((one: unknown) => {
    if (!isJsonObject(one) || !Array.isArray(one["loc"])) return [];
    const loc = one["loc"].slice(1) as InputPath;
    return [{ loc, msg: textOf(one["msg"]), type: textOf(one["type"]) }];
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? line(value) : "";
}

/** The error of a line that was sent; whoever sent it knows its place in the source. */
function recordFault({ loc: [position, ...path], msg }: RequestIssue): IngestError {
  return ingestError("the request body", Number(position), new InvalidRecord(path, msg));
}

/** The error of a service to which no connection can be made. */
export function notReached({ address }: ServicePlace, error: unknown): StoreError {
  const said = `there is no answer (${reasonOf(error)}); check the address, and whether the service runs`;
  return new StoreError("unreachable", `${address}: ${said}`, { cause: error });
}

/** The error of a service that takes a request, and says nothing for so many milliseconds. */
export function silent({ address }: ServicePlace, ms: number): StoreError {
  const said = `there is no answer within ${ms / 1000} s; check the address, and whether the service runs`;
  return new StoreError("unreachable", `${address}: ${said}`);
}

/** The error of an answer that ended too early. */
export function answerBrokenOff({ address }: ServicePlace, error: unknown): StoreError {
  return new StoreError("unreachable", `${address}: the answer broke off (${reasonOf(error)}); ask again`, {
    cause: error,
  });
}

/** The code of the innermost error, else what it says. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return oneLine(String(error));
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return "code" in error && typeof error.code === "string" ? error.code : oneLine(error.message);
}
