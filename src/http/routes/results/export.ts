import { z } from "zod";
import { requestFault, withIssues } from "../../../errors.ts";
import { stopWith } from "../../../flow/stop-with.ts";
import { checkArgument } from "../../../model/arguments.ts";
import { parseJson } from "../../../model/json.ts";
import { exportedRequest, namesEvaluations } from "../../../request/exported-request.ts";
import { ofKnownEvaluations } from "../../../request/resolve-names.ts";
import type { Principal } from "../../keys/key-ring.ts";
import type { Answer } from "../../wire/answer.ts";
import { parseBody } from "../../wire/body.ts";
import { answerAsWritten } from "../../wire/streamed-answer.ts";
import {
  NAMES_PARAMETER,
  projectOfPath,
  readBodyText,
  REQUEST_DEPTH,
  unknownNames,
} from "../read-request.ts";
import type { ProtectedRoute, RouteRequest } from "../route.ts";
import { offered, type Service, type ServiceEngine } from "../service.ts";

/** Media types of what is written. */
const TYPES = {
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.stream",
  csv: "text/csv; charset=utf-8",
  jsonl: "application/x-ndjson",
  json: "application/json",
} as const;
type Format = keyof typeof TYPES;

const value = z.union([z.null(), z.boolean(), z.number(), z.bigint(), z.string()]);
const statement = {
  statement: z.string(),
  params: z.union([z.array(value), z.record(z.string(), value)]).nullish(),
};

const sqlBody = z
  .strictObject({ ...statement, format: z.enum(["jsonl", "arrow"]).nullish() })
  .meta({ id: "SqlStatement" });

const exportBody = z
  .strictObject({
    request: z.looseObject({}).optional().meta({ description: "As of eval_results/query" }),
    ...statement,
    statement: statement.statement.optional().meta({ description: "Instead of a request" }),
    format: z.enum(Object.keys(TYPES) as [Format, ...Format[]]),
    csv_safe: z.boolean().nullish(),
    details: z.boolean().nullish().meta({ description: "Whether outputs tell what is beside scores" }),
    bare: z.boolean().nullish().meta({ description: "Whether trials have only rows, outputs and scores" }),
  })
  .meta({ id: "Export" });

const bytes = z.unknown().meta({ id: "Exported", description: "Bytes of the format, or lines of JSON." });

interface Target {
  readonly format: Format;
  readonly stream: WritableStream<Uint8Array>;
  readonly signal: AbortSignal;
  readonly beside: Beside;
}

/** What is told beside the bytes, before the first of them. */
interface Beside {
  warnings?: string[];
  columns?: readonly object[];
}

/** A header of JSON in ASCII. */
const BESIDE_HEADER = "x-evalcube-beside";

/** Proxies take no longer header. */
const MOST_BESIDE = 3000;

/** The header with as many warnings as it may hold. */
function besideHeader({ warnings, columns }: Beside): Readonly<Record<string, string>> {
  const text = (beside: Beside) => encodeURIComponent(JSON.stringify(beside));
  if (columns !== undefined) return { [BESIDE_HEADER]: text({ columns }) };
  const told = [...(warnings ?? [])];
  if (told.length === 0) return {};
  const more = () => {
    const left = (warnings?.length ?? 0) - told.length;
    return left === 0 ? told : [...told, `${left} more warnings`];
  };
  while (told.length > 0 && text({ warnings: more() }).length > MOST_BESIDE) told.pop();
  return { [BESIDE_HEADER]: text({ warnings: more() }) };
}

/** Writes what a body asks for. */
type Write = (engine: ServiceEngine, projectId: string, target: Target) => Promise<unknown>;

/** Reads a body, with every digit of an integer, and answers with what is written. */
async function answerBytes<Body extends z.ZodType>(
  { engine, limits }: Service,
  asked: RouteRequest,
  principal: Principal,
  schema: Body,
  plan: (body: z.output<Body>) => { readonly format: Format; readonly write: Write; readonly name?: string },
): Promise<Answer> {
  const projectId = projectOfPath(asked, principal);
  const text = await readBodyText(asked, limits.other);
  const { values } = limits;
  const { format, write, name } = plan(
    checkArgument(parseBody(text, parseJson, { depth: REQUEST_DEPTH, values }), schema),
  );
  const stop = stopWith(asked.raw.signal);
  const beside: Beside = {};
  const headers = () => ({
    "content-type": TYPES[format],
    ...(name === undefined ? {} : attachment(projectId, name)),
    ...besideHeader(beside),
  });
  const { signal } = stop;
  return answerAsWritten((stream) => write(engine, projectId, { format, stream, signal, beside }), headers, {
    trace: asked.trace,
    stop,
  });
}

/** The file is named for its project, in letters that every system takes. */
export function attachment(projectId: string, ending: string): Readonly<Record<string, string>> {
  const name = projectId.replaceAll(/[^\w.-]+/g, "-");
  return {
    "content-disposition": `attachment; filename="evalcube-${name}.${ending}"`,
    "x-content-type-options": "nosniff",
  };
}

/** Whoever sends a statement never gets more of the service than it can take back. */
function writeStatement({ statement: text, params }: z.output<typeof sqlBody>, more: object = {}): Write {
  return ({ exportSql }, projectId, { beside, ...target }) =>
    offered(exportSql)(projectId, text, params ?? [], {
      ...more,
      ...target,
      limits: "strict",
      onColumns: (columns) => void (beside.columns = columns),
    });
}

export const sqlResults: ProtectedRoute = {
  method: "POST",
  path: "/v2/{entity}/{project}/sql",
  access: "basic",
  id: "runStatement",
  reads: true,
  summary: "The records of one SELECT over the views of a project, as lines of JSON or as Arrow",
  body: sqlBody,
  reply: bytes,
  replyType: TYPES.jsonl,
  example: { request: { statement: "select count(*) as n from trials" }, reply: { n: 4 } },
  run: (service, asked, principal) =>
    answerBytes(service, asked, principal, sqlBody, (body) => ({
      format: body.format ?? "jsonl",
      write: writeStatement(body),
    })),
};

export const exportResults: ProtectedRoute = {
  method: "POST",
  path: "/v2/{entity}/{project}/export",
  access: "basic",
  id: "exportResults",
  reads: true,
  summary: "The trials of a request, or the records of a statement, as a file",
  body: exportBody,
  parameters: [NAMES_PARAMETER],
  reply: bytes,
  replyType: TYPES.jsonl,
  example: {
    request: { request: { evaluation_call_ids: ["run-1"] }, format: "jsonl" },
    reply: { evaluation_call_id: "run-1", trial_id: "trial-1" },
  },
  run: (service, asked, principal) => {
    const keeps = unknownNames(asked) === "keep";
    return answerBytes(service, asked, principal, exportBody, (body) => {
      const { format, csv_safe: csvSafe } = body;
      if (csvSafe === true && format !== "csv") throw wrong("csv_safe", "is for the format csv");
      const more = csvSafe === true ? { csvSafe } : {};
      return { format, name: format, write: writeAsked(body, keeps, more) };
    });
  },
};

function writeAsked(body: z.output<typeof exportBody>, keeps: boolean, more: object): Write {
  const { request, statement: text, params, details, bare } = body;
  if ((request === undefined) === (text === undefined))
    throw wrong("request", "give either request or statement");
  if (text !== undefined) return writeStatement({ statement: text, params }, more);
  if (params != null) throw wrong("params", "is for a statement");
  if (!keeps && !namesEvaluations(request)) throw wrong("request", "names no evaluation");
  const exported = exportedRequest(request ?? {});
  const parts = { details: details !== false, bare: bare === true };
  return ({ exportResults: write }, projectId, { beside, ...target }) =>
    offered(write)(projectId, keeps ? exported : ofKnownEvaluations(exported), {
      ...more,
      ...target,
      ...parts,
      onWarning: (warning) => void (beside.warnings ??= []).push(warning),
    }).catch((error: unknown) => {
      throw withIssues(error, (issue) => ({ ...issue, loc: ["request", ...issue.loc] }));
    });
}

function wrong(member: string, message: string) {
  return requestFault("schema", [member], message, "invalid");
}
