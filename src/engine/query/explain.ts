import { withLongTexts } from "../catalog/long-texts.ts";
import { nameEvaluations } from "../catalog/named-request.ts";
import type { Session } from "../../store/session.ts";
import { statement, type SqlParameter } from "../../store/sql.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import { withIds } from "../../request/eval-request.ts";
import { parseRequest } from "../../request/parse-request.ts";
import { createCatalogCache, readQueryCatalog } from "../catalog/read-catalog.ts";
import { checkProjectId } from "../../flow/check-options.ts";
import { firstPiece, readRowPage, writeRowPage } from "./page.ts";
import type { QueryContext } from "../base/context.ts";
import { readSums } from "./sums.ts";

/** A statement of a request, with its bound values. */
export interface ExplainedStatement {
  /** Name of the query, for example `trials per row`. */
  readonly name: string;
  /** SQL text, with `$1`, `$2` for the values. */
  readonly sql: string;
  /** Bound values, in the order of their numbers. */
  readonly params: readonly SqlParameter[];
}

/** The plan of a request, and the statements that it ran. */
export interface Explanation {
  /**
   * The plan as plain data, to look at: its members change with releases. Null where the project has no evaluations.
   */
  readonly plan: object | null;
  /** Statements in the order in which they ran. */
  readonly statements: readonly ExplainedStatement[];
  /** Warnings of the response about the evaluations and fields that the request names. */
  readonly warnings: readonly string[];
}

/**
 * Runs a request and returns all of its statements; it must run, since a statement may depend on the results of earlier
 * ones. Caches are not used, and only the first piece of a page is read.
 */
export async function explainQuery(
  context: QueryContext,
  projectId: string,
  input: unknown,
): Promise<Explanation> {
  checkProjectId(projectId);
  const asked = parseRequest(input);
  return context.store.read(async (unobserved) => {
    const named = await nameEvaluations(unobserved, context.catalogs, projectId, { input, asked }, withIds);
    const { request, notes, label } = named;
    const { session, statements } = observed(unobserved);
    const catalogs = createCatalogCache();
    const catalog = await readQueryCatalog(session, catalogs, projectId, request);
    const plan = await withLongTexts(session, buildPlan(projectId, request, catalog), request);
    const warnings = [...notes, ...label(requestWarnings(request, catalog))];
    if (plan === null) return { plan, statements, warnings };
    if (plan.rows !== null) {
      const page = firstPiece(await readRowPage(session, plan, plan.rows), plan);
      await writeRowPage(session, null, request, plan, page, () => undefined);
    }
    await readSums(session, catalogs, plan);
    return { plan, statements, warnings };
  });
}

/** Wraps a session so that it collects the queries it is asked. */
function observed(session: Session) {
  const statements: ExplainedStatement[] = [];
  const all: Session["all"] = (query) => {
    statements.push({ name: query.name, ...statement(query.sql, session.dialect) });
    return session.all(query);
  };
  return { session: { ...session, all }, statements };
}
