/** The path to a fault in an input: member names and list positions, from the outside in. */
export type InputPath = readonly (string | number)[];

/** One fault of a request, in the shape of an entry of `detail` in HTTP answers. */
export interface RequestIssue {
  /** Where the fault lies. */
  readonly loc: InputPath;
  /** What is wrong, as the end of a sentence that begins with the place. */
  readonly msg: string;
  /** A short name for the kind of fault, such as `invalid_type`. */
  readonly type: string;
}

/** Every error that this package raises on purpose has a `code`. */
export class EvalcubeError extends Error {
  /** A short name for the fault, such as `invalid_option`; stable, unlike the message. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/**
 * The caller's request is at fault. `kind` tells a wrong shape (`schema`, HTTP 422) from a well-formed
 * request without meaning (`meaning`, HTTP 400). `path` locates the first issue inside the request.
 */
export class RequestError extends EvalcubeError {
  /** Wrong shape, or without meaning. */
  readonly kind: "schema" | "meaning";
  /** Where the first issue lies. */
  readonly path: InputPath;
  /** Every fault found, at least one. */
  readonly issues: readonly RequestIssue[];

  constructor(kind: "schema" | "meaning", issues: readonly [RequestIssue, ...RequestIssue[]]) {
    const first = issues[0];
    super(
      kind === "schema" ? "invalid_request" : "unsupported_request",
      `${formatPath(first.loc)}: ${first.msg}${issues.length > 1 ? ` (and ${issues.length - 1} more)` : ""}`,
    );
    this.kind = kind;
    this.path = first.loc;
    this.issues = issues;
  }
}

/** The error of a request with one fault. */
export function requestFault(
  kind: RequestError["kind"],
  loc: InputPath,
  msg: string,
  type: string,
): RequestError {
  return new RequestError(kind, [{ loc, msg, type }]);
}

/** The error with other issues where a request is at fault; any other as it is. */
export function withIssues(error: unknown, change: (issue: RequestIssue) => RequestIssue): unknown {
  if (!(error instanceof RequestError)) return error;
  const [first, ...rest] = error.issues.map(change);
  return first === undefined ? error : new RequestError(error.kind, [first, ...rest]);
}

/** A fault of the database file, or of DuckDB. */
export class StoreError extends EvalcubeError {
  /** SQL text that DuckDB refused; with the code `query_failed` only. */
  declare readonly statement?: string;
}

/** Codes of errors that say nothing of what is stored. */
const LACKS = new Set([
  "out_of_memory",
  "memory_limit",
  "too_many_files",
  "timeout",
  "busy",
  "unreachable",
  "storage_full",
  "database_stopped",
]);

/** Whether a database lacked memory, time, files, room or a connection, which says nothing of what is stored. */
export function isLack(error: unknown): error is StoreError {
  return error instanceof StoreError && LACKS.has(error.code);
}

/** The database in use does not offer something; nothing was sent to it. */
export class UnsupportedError extends EvalcubeError {
  /** What is not offered, such as `sql`. */
  readonly feature: string;

  constructor(feature: string, message: string) {
    super("unsupported_on_backend", message);
    this.feature = feature;
  }
}

/** A record of an ingest source was refused. `position` counts records (or lines of a text) from 1. */
export class IngestError extends EvalcubeError {
  /** Name of the source: a path, or what the caller named it. */
  readonly source: string;
  /** The record, or the line of a text, from 1. */
  readonly position: number;
  /** Where in the record; empty where the record as a whole is refused. */
  readonly path: InputPath;

  constructor(source: string, position: number, path: InputPath, reason: string, options?: ErrorOptions) {
    const place = path.length === 0 ? "" : `, ${formatPath(path)}`;
    super("invalid_record", `${source}, record ${position}${place}: ${reason}`, options);
    this.source = source;
    this.position = position;
    this.path = path;
  }
}

/** Why a log or a table was not imported. */
export type ImportFault =
  | "unrecognised"
  | "invalid"
  | "unsupported_version"
  | "truncated"
  | "no_samples"
  | "ambiguous_mapping"
  | "check_failed";

/** A log or a table was not imported; nothing of it is stored. `code` is an {@link ImportFault}. */
export class ImportError extends EvalcubeError {
  declare readonly code: ImportFault;
  /** Name of the source: a path, or what the caller named it. */
  readonly source: string;
  /** Where in the source, such as `line 37` or `results.results[14]`; null where the whole source is meant. */
  readonly place: string | null;
  /** What is wrong, in one line. */
  readonly reason: string;
  /** The errors of all sources that were refused; the first is this one. */
  readonly refused: readonly ImportError[];
  /** The results (`ImportResult`) of the sources that were stored all the same. */
  readonly results: readonly { readonly source: string }[];

  constructor(
    code: ImportFault,
    source: string,
    place: string | null,
    reason: string,
    options: ErrorOptions & Partial<Pick<ImportError, "refused" | "results">> = {},
  ) {
    super(code, `${place === null ? source : `${source}, ${place}`}: ${reason}`, options);
    this.source = source;
    this.place = place;
    this.reason = reason;
    this.refused = options.refused ?? [];
    this.results = options.results ?? [];
  }
}

/** `a.b[0]`, `--flag[0]`; the empty path is `the request`. */
export function formatPath(path: InputPath): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^(?:--)?[A-Za-z_$][\w$-]*$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text === "" ? "the request" : text;
}
