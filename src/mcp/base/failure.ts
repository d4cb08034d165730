import { EvalcubeError, formatPath, RequestError, type InputPath, type RequestIssue } from "../../errors.ts";
import { exampleOf } from "./arguments.ts";
import { withSource } from "./naming.ts";
import { countWithin, NOTE, sizeOf, withinBytes, type Fitted } from "./fit.ts";
import { withShortNames } from "../../model/name-text.ts";

/** A message of the database may quote values, so it stands in a quoted field. */
const QUOTED_MESSAGE = "The statement failed while it ran; the database's message is quoted";
const CHEAPER = "fewer rows, a filter before a join, or groups instead of records make it cheaper";
/** Arguments that name what `describe_fields` lists. */
const FIELDS = /^(scorers|lower_is_better|filters|sort_by|moved|missing|cluster_by)$/;
/** Members of requests that have another name here. */
const RENAMED = new Map([
  ["evaluation_call_ids", "evaluations"],
  ["params", "parameters"],
]);

type Given = Readonly<Record<string, unknown>>;

interface Told {
  readonly reason: string;
  readonly detail: readonly RequestIssue[];
  readonly quoted?: string | object;
}

/** What a client is told of an error. `fault` says what is neither wrong with the call nor its statement. */
export function failure(
  error: unknown,
  given: Given,
  maxBytes: number,
  fault: (error: unknown) => string,
): Fitted {
  const { reason, detail, quoted } = describe(error, given, fault);
  const told = {
    reason: withShortNames(reason),
    detail: detail.map((one) => ({ ...one, msg: withShortNames(one.msg) })),
    ...(quoted === undefined ? {} : { quoted }),
  };
  const whole = build(told);
  return sizeOf(whole) <= maxBytes ? whole : build(shortened(told, maxBytes));
}

function build({ reason, detail, quoted }: Told): Fitted {
  const whole = /[.?!…]$/.test(reason) ? reason : `${reason}.`;
  const error = { reason: whole, detail };
  if (quoted === undefined) return { text: whole, structured: { error } };
  return {
    text: `${whole}\n${NOTE}\n\n${JSON.stringify({ quoted })}`,
    structured: { error, note: NOTE, quoted },
  };
}

/** Each part within its share, so that with the note all of it fits into any answer that may be asked for. */
function shortened({ reason, detail, quoted }: Told, maxBytes: number): Told {
  const short = (text: string, share: number) => withinBytes(text, maxBytes / share);
  const cut = detail.map(({ loc, msg, type }) => {
    const parts = loc.map((part) => (typeof part === "string" ? short(part, 20) : part));
    return { loc: parts.slice(0, countWithin(parts, maxBytes / 10)), msg: short(msg, 10), type };
  });
  const told = { reason: short(reason, 5), detail: cut.slice(0, countWithin(cut, maxBytes / 4)) };
  if (typeof quoted !== "string") return told;
  return { ...told, quoted: { $cut: short(quoted, 8), bytes: Buffer.byteLength(quoted) } };
}

function describe(error: unknown, given: Given, fault: (error: unknown) => string): Told {
  if (error instanceof RequestError) return ofRequest(error, given);
  const code = error instanceof EvalcubeError ? error.code : null;
  const message = error instanceof Error ? error.message : "";
  if (code === "statement_failed") return { reason: QUOTED_MESSAGE, detail: [], quoted: message };
  const isLimit = code === "time_limit" || code === "memory_limit";
  return { reason: isLimit ? `${message}; ${CHEAPER}` : fault(error), detail: [] };
}

function ofRequest({ issues }: RequestError, given: Given): Told {
  const failed = issues.find(({ type }) => type === "sql_failed");
  const detail = issues.map((issue) =>
    adapted(issue === failed ? { ...issue, msg: "it failed" } : issue, given),
  );
  if (failed !== undefined) return { reason: QUOTED_MESSAGE, detail, quoted: failed.msg };
  const [{ loc, msg } = { loc: [], msg: "" }, ...others] = detail;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return { reason: `${loc.length === 0 ? "" : `${formatPath(loc)}: `}${msg}${more}`, detail };
}

/** An issue of a request as one of the arguments, with what to do. */
function adapted({ loc: [member, ...inner], msg, type }: RequestIssue, given: Given): RequestIssue {
  const name = RENAMED.get(String(member)) ?? String(member);
  const loc = member === undefined ? [] : placeOf(name, inner, given[name]);
  if (type === "unsupported")
    return { loc, msg: FIELDS.test(name) ? withSource(msg, "describe_fields") : msg, type };
  const example = type === "unknown" || type.startsWith("sql") ? undefined : exampleOf(name);
  return {
    loc,
    msg: example === undefined ? msg : `${msg}; for example ${JSON.stringify({ [name]: example })}`,
    type,
  };
}

/** A fault inside of what a text stands for lies in that text. */
function placeOf(name: string, inner: InputPath, list: unknown): InputPath {
  const [at] = inner;
  const isText = Array.isArray(list) && typeof at === "number" && typeof list[at] === "string";
  return isText ? [name, at] : [name, ...inner];
}
