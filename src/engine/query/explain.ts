import { compilePage, compileSummary } from "../../compile/query.ts";
import { statement, type SqlParameter } from "../../store/sql.ts";
import { buildPlan } from "../../plan/build-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import { parseRequest } from "../../request/parse-request.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";
import { checkText } from "../flow/check-options.ts";
import type { QueryContext } from "./query.ts";

/** What a query would do: its plan, and each statement with its bound values. */
export interface Explanation {
  readonly plan: Plan | null;
  readonly sql: readonly string[];
  readonly params: readonly (readonly SqlParameter[])[];
}

export async function explainQuery(
  { store, catalogs }: QueryContext,
  projectId: string,
  input: unknown,
): Promise<Explanation> {
  checkText("project", projectId);
  const request = parseRequest(input);
  return store.read(async (session) => {
    const catalog = await readQueryCatalog(session, catalogs, projectId, request);
    const plan = buildPlan(projectId, request, catalog);
    if (plan === null) return { plan, sql: [], params: [] };
    const statements = [
      ...(plan.rows === null ? [] : [compilePage(plan, plan.rows)]),
      ...(plan.summary === null ? [] : [compileSummary(plan, plan.summary)]),
    ].map((one) => statement(one.sql));
    return { plan, sql: statements.map((one) => one.sql), params: statements.map((one) => one.params) };
  });
}
