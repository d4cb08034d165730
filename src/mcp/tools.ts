import { createHash } from "node:crypto";
import stableStringify from "safe-stable-stringify";
import { z } from "zod";
import { needOf } from "../model/rights.ts";
import { schemaError, WORDING } from "../model/schema-issues.ts";
import { meaningless } from "../request/meaningless.ts";
import { ARGUMENTS } from "./base/arguments.ts";
import { failure } from "./base/failure.ts";
import { fitted, type Fitted } from "./base/fit.ts";
import { projectOf } from "./base/naming.ts";
import type { McpEngine, Tool } from "./base/tool.ts";
import { compare } from "./tools/compare.ts";
import { describeFields } from "./tools/describe-fields.ts";
import { history } from "./tools/history.ts";
import { items } from "./tools/items.ts";
import { leaderboard } from "./tools/leaderboard.ts";
import { listEvaluations } from "./tools/list-evaluations.ts";
import { listProjects } from "./tools/list-projects.ts";
import { plan } from "./tools/plan.ts";
import { row } from "./tools/row.ts";
import { rows } from "./tools/rows.ts";
import { sql } from "./tools/sql.ts";
import { steps } from "./tools/steps.ts";
import { summary } from "./tools/summary.ts";

const ALL = [
  listProjects,
  listEvaluations,
  describeFields,
  leaderboard,
  compare,
  history,
  items,
  plan,
  steps,
  summary,
  rows,
  row,
  sql,
];

/** By name, each with the schema of all its arguments. */
const TOOLS: ReadonlyMap<string, Tool & { readonly schema: z.ZodObject }> = new Map(
  ALL.map((one) => [
    one.name,
    { ...one, schema: z.strictObject({ ...one.input, max_bytes: ARGUMENTS.max_bytes }) },
  ]),
);

const ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The tools as a client gets them. */
export function listTools() {
  return Array.from(TOOLS.values(), ({ name, title, description, schema }) => {
    const { $schema: _, ...inputSchema } = z.toJSONSchema(schema, {
      io: "input",
      unrepresentable: "any",
      override: withoutUse,
    });
    return {
      name,
      title,
      description,
      inputSchema: inputSchema as { type: "object" },
      annotations: ANNOTATIONS,
      _meta: { "evalcube/need": needOf("TOOL", name) },
    };
  });
}

/** Leaves out what tells a client nothing. */
function withoutUse({ jsonSchema: own }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (own.maximum === Number.MAX_SAFE_INTEGER) delete own.maximum;
  if (own.minimum === Number.MIN_SAFE_INTEGER) delete own.minimum;
  if (own.minLength === 1) delete own.minLength;
  if (own.minItems === 1) delete own.minItems;
  if (own.enum !== undefined) delete own.type;
  const [bare, nothing] = own.anyOf ?? [];
  if (typeof nothing === "object" && nothing.type === "null") Object.assign(own, { anyOf: undefined }, bare);
  delete own["example"];
}

/** Who calls. */
export interface Caller {
  /** Runs work on an engine that is open meanwhile. */
  readonly withEngine: <T>(work: (engine: McpEngine) => Promise<T>) => Promise<T>;
  /** Whether the caller may name the project; any other is as if it did not exist. */
  readonly mayName: (projectId: string) => boolean;
  /** Stops what is under way, as a cancelled call does. */
  readonly signal?: AbortSignal;
  /** Told the name of each tool that is called. */
  readonly onTool?: (name: string) => void;
  /** What is said of an error that the call is not to blame for. */
  readonly fault: (error: unknown) => string;
}

const USUAL_BYTES = 8192;

/** Calls a tool; null where there is none of this name. `isError`: whether it could not answer. */
export async function callTool(caller: Caller, name: string, input: unknown, cancelled: AbortSignal) {
  const found = TOOLS.get(name);
  if (found === undefined) return null;
  // In requests, too, null stands for leaving a member out.
  const given = Object.fromEntries(Object.entries(input ?? {}).filter(([, value]) => value !== null));
  const signal = caller.signal === undefined ? cancelled : AbortSignal.any([caller.signal, cancelled]);
  const { data: maxBytes = USUAL_BYTES } = ARGUMENTS.max_bytes.safeParse(given["max_bytes"]);
  try {
    const parsed = found.schema.safeParse(given, WORDING);
    if (!parsed.success) throw schemaError(parsed.error);
    return { ...(await answered(found, caller, parsed.data, signal)), isError: false };
  } catch (error) {
    if (signal.aborted) throw error;
    return { ...failure(error, given, maxBytes, caller.fault), isError: true };
  }
}

/** Arguments of a tool, which are checked, with those that several take. */
interface Given {
  readonly [name: string]: unknown;
  readonly cursor?: string;
  readonly project?: string;
  readonly max_bytes?: number;
}

async function answered(
  found: Tool,
  { withEngine, mayName }: Caller,
  { cursor, project: name, max_bytes: maxBytes = USUAL_BYTES, ...given }: Given,
  signal: AbortSignal,
): Promise<Fitted> {
  const question = questionOf([found.name, name, given]);
  const offset = cursor === undefined ? 0 : readCursor(cursor, question);
  const answer = await withEngine(async (whole) => {
    const countEvaluations: McpEngine["countEvaluations"] = async (options) =>
      (await whole.countEvaluations(options)).filter((one) => mayName(one.project_id));
    const engine = { ...whole, countEvaluations };
    const project = "project" in found.input ? await projectOf(engine, name, signal) : "";
    return found.run({ engine, project, given, offset, maxBytes, signal });
  });
  const cursorAt = (end: number) =>
    "cursor" in found.input ? Buffer.from(`${end} ${question}`).toString("base64url") : null;
  const fit = fitted(answer, { offset, maxBytes, cursorAt, quotes: found.quotes });
  if (typeof fit !== "number") return fit;
  throw meaningless(["max_bytes"], `the smallest answer takes ${fit} bytes, not ${maxBytes}`);
}

/** What a cursor belongs to: a tool with its other arguments. */
function questionOf(parts: readonly unknown[]): string {
  return createHash("sha256")
    .update(stableStringify(parts) ?? "")
    .digest("base64url")
    .slice(0, 16);
}

function readCursor(cursor: string, question: string): number {
  const text = Buffer.from(cursor, "base64url").toString();
  const [, end, own] = /^(\d{1,15}) ([\w-]{16})$/.exec(text) ?? [];
  if (end !== undefined && own === question) return Number(end);
  const said = end === undefined ? "it is broken" : "it belongs to another tool or to other arguments";
  throw meaningless(["cursor"], `${said}; begin again without it`);
}
