import type { Session } from "../../store/session.ts";
import { statement, type SqlParameter } from "../../store/sql.ts";
import { buildPlan } from "../../plan/build-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import { parseRequest } from "../../request/parse-request.ts";
import { createCatalogCache, readQueryCatalog } from "../catalog/read-catalog.ts";
import { checkText } from "../flow/check-options.ts";
import { firstPiece, readPage, writeRows } from "./page.ts";
import type { QueryContext } from "../context.ts";
import { readSums } from "./sums.ts";

/** A statement of a request, with its bound values. */
export interface ExplainedStatement {
  /** What it asks for. */
  readonly name: string;
  /** Its text, with `$1`, `$2` for values. */
  readonly sql: string;
  /** The bound values, in the order of their numbers. */
  readonly params: readonly SqlParameter[];
}

/** The plan of a request, and its statements in the order in which they were run. */
export interface Explanation {
  /** Plain data; null where the project has no evaluations. */
  readonly plan: Plan | null;
  /** In the order in which they ran. */
  readonly statements: readonly ExplainedStatement[];
}

/**
 * Runs a request, since a statement may depend on what those before it found, and tells all of its statements. What is
 * kept between requests is read anew, and of a page only its first piece.
 */
export async function explainQuery(
  { store }: QueryContext,
  projectId: string,
  input: unknown,
): Promise<Explanation> {
  checkText("project", projectId);
  const request = parseRequest(input);
  return store.read(async (unobserved) => {
    const { session, statements } = observed(unobserved);
    const catalogs = createCatalogCache();
    const catalog = await readQueryCatalog(session, catalogs, projectId, request);
    const plan = buildPlan(projectId, request, catalog);
    if (plan === null) return { plan, statements };
    if (plan.rows !== null) {
      const page = firstPiece(await readPage(session, plan, plan.rows), plan);
      await writeRows(session, request, plan, page, () => undefined, []);
    }
    await readSums(session, catalogs, plan, undefined);
    return { plan, statements };
  });
}

/** The session, and the queries that it was asked. */
function observed(session: Session): {
  readonly session: Session;
  readonly statements: ExplainedStatement[];
} {
  const statements: ExplainedStatement[] = [];
  const all: Session["all"] = (query) => {
    statements.push({ name: query.name, ...statement(query.sql) });
    return session.all(query);
  };
  return { session: { ...session, all }, statements };
}
