import type { Engine } from "../engine/api.ts";
import type { EvaluationEntry, ProjectEntry } from "../engine/catalog/list-evaluations.ts";
import type { DatabaseInfo } from "../engine/database-info.ts";
import { INFO_RULES } from "../engine/info.ts";
import type { QueryOptions } from "../engine/query/query.ts";
import { requestFault } from "../errors.ts";
import { checkOptions, checkQuery, RULE } from "../flow/check-options.ts";
import { parseAnyJson, parseJson, UnwritableJson, writeJson } from "../model/json.ts";
import { isOfKnown } from "../request/resolve-names.ts";
import { routeOf } from "./place.ts";
import type { RemoteSession } from "./session.ts";
import { notOurs, readAnswer, type Shape } from "./shape.ts";

/** How a member of an engine asks the service. */
interface Route {
  /** Below the project. */
  readonly path: string;
  readonly read: (text: string) => unknown;
  readonly shape: Shape;
  /** What is asked where the caller says nothing. */
  readonly usual?: object;
}

const RESULTS = "eval_results";
const SCORED: Shape = { dimensions: ["scorer_key"], entries: ["evaluation_call_id"], warnings: "values" };

const ROWS = '{"rows":[';

/** The response to a query as it comes; what does not begin as one is none. */
function rowsText(text: string): string | null {
  return text.startsWith(ROWS) ? text : null;
}

/** The members that ask one question about a project, and are answered as a whole. */
const ROUTES = {
  queryEvalResults: { path: `${RESULTS}/query`, read: parseAnyJson, shape: { rows: [], warnings: "values" } },
  queryEvalResultsJson: { path: `${RESULTS}/query`, read: rowsText, shape: "string" },
  explain: { path: `${RESULTS}/explain`, read: parseJson, shape: { statements: ["sql"] } },
  compareEvaluations: {
    path: `${RESULTS}/compare`,
    read: JSON.parse,
    shape: { comparisons: [], warnings: "values" },
  },
  leaderboard: { path: `${RESULTS}/leaderboard`, read: JSON.parse, shape: SCORED, usual: {} },
  history: { path: `${RESULTS}/history`, read: JSON.parse, shape: SCORED, usual: {} },
  planRows: { path: `${RESULTS}/plan`, read: JSON.parse, shape: { plans: ["trials"] } },
  items: {
    path: `${RESULTS}/items`,
    read: JSON.parse,
    shape: { rows: [], evaluations: "values", counts: "object" },
  },
  steps: { path: `${RESULTS}/steps`, read: JSON.parse, shape: { view: "string" } },
  agreement: { path: `${RESULTS}/agreement`, read: JSON.parse, shape: { warnings: "values" } },
} satisfies Partial<Record<keyof Engine, Route>>;

type Answers = Pick<Engine, keyof typeof ROUTES>;

export function remoteAnswers(session: RemoteSession): Answers {
  const members = Object.entries<Route>(ROUTES).map(([name, route]) => [name, asking(session, route)]);
  return Object.fromEntries(members) as Answers;
}

function asking({ connection, run }: RemoteSession, { path, read, shape, usual }: Route) {
  return (projectId: string, request: unknown = usual, options: QueryOptions = {}) =>
    run(async (signal) => {
      checkQuery(projectId, options);
      const sent = { method: "POST", ...questionOf(projectId, path, request), again: true } as const;
      const text = await connection.text(sent, signal);
      return await readAnswer(connection.place, shape, () => read(text));
    }, options.signal);
}

/** The response to a request, as it comes. */
export function remoteStream(session: RemoteSession): Pick<Engine, "streamEvalResults"> {
  return {
    streamEvalResults: async function* (projectId, request, options = {}) {
      checkQuery(projectId, options);
      const question = questionOf(projectId, ROUTES.queryEvalResults.path, request);
      let isBegun = false;
      for await (const piece of textPieces(session, question, options.signal)) {
        if (!isBegun && !ROWS.startsWith(piece.slice(0, ROWS.length)))
          throw notOurs(session.connection.place);
        isBegun = true;
        yield piece;
      }
    },
  };
}

/** The text of an answer to what only asks, in pieces as they come. */
export function textPieces(
  { connection, pieces }: RemoteSession,
  question: { readonly path: string; readonly body: string },
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  return pieces<string>(async (write, stop) => {
    const { chunks } = await connection.open({ method: "POST", ...question, again: true }, stop);
    const decoder = new TextDecoder();
    for await (const chunk of chunks) await write(decoder.decode(chunk, { stream: true }));
  }, signal);
}

/** The path and the body of a request; names that must stand for evaluations are refused by the service. */
export function questionOf(projectId: string, path: string, request: unknown) {
  const known = isOfKnown(request) ? "?unknown_names=refuse" : "";
  return { path: routeOf(projectId, path + known), body: bodyOf(request) };
}

/** The JSON text of a value. Throws `RequestError` where it has none. */
export function bodyOf(request: unknown): string {
  try {
    return writeJson(request);
  } catch (error) {
    if (!(error instanceof UnwritableJson)) throw error;
    throw requestFault("schema", error.path, `must be JSON: ${error.message}`, "invalid_type");
  }
}

const INFO: Shape = { format: "number", bytes: "number", projects: ["project_id"], largest: ["id"] };

type Lists = Pick<Engine, "listProjects" | "countEvaluations" | "listEvaluations" | "info">;

/** So many characters of an address, encoded, may name projects: servers and proxies refuse a much longer one. */
const MOST_NAMED = 8000;

function manyNames(length: number) {
  const said = `names so many projects that the address has ${length} characters more, of at most ${MOST_NAMED}`;
  return requestFault("schema", ["projects"], `${said}; leave it out to ask about all`, "too_big");
}

/** No list is longer. */
const MOST_ENTRIES = 999_999_999;

export function remoteLists({ connection, run }: RemoteSession): Lists {
  const get = async <T>(path: string, shape: Shape, signal: AbortSignal) => {
    const text = await connection.text({ method: "GET", path, again: true }, signal);
    return await readAnswer<T>(connection.place, shape, () => parseAnyJson(text));
  };
  const countEvaluations: Lists["countEvaluations"] = (options = {}) =>
    run(async (signal) => {
      checkOptions(options, { signal: RULE.signal });
      const shape = { projects: ["project_id"] };
      return (await get<{ projects: ProjectEntry[] }>("/v2/projects", shape, signal)).projects;
    }, options.signal);
  return {
    countEvaluations,
    listProjects: async () => (await countEvaluations()).map(({ project_id }) => project_id),
    info: (options = {}) =>
      run(async (signal) => {
        checkOptions(options, INFO_RULES);
        // An empty one stands for none, where no project is wanted.
        const named = options.projects === undefined ? [] : ["", ...options.projects];
        const query = new URLSearchParams(named.map((id) => ["project", id])).toString();
        if (query.length > MOST_NAMED) throw manyNames(query.length);
        const found = await get<DatabaseInfo>(`/v2/info?${query}`, INFO, signal);
        return { ...found, database: connection.place.base };
      }, options.signal),
    listEvaluations: (projectId, options = {}) =>
      run(async (signal) => {
        checkQuery(projectId, options);
        const path = routeOf(projectId, `evaluations?limit=${MOST_ENTRIES}`);
        const shape = { evaluations: ["id"] };
        return (await get<{ evaluations: EvaluationEntry[] }>(path, shape, signal)).evaluations;
      }, options.signal),
  };
}
