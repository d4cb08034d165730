import {
  compileLabelMoments,
  compilePairCounts,
  compilePairMoments,
  compileRankMoments,
  compileSideKinds,
} from "../../compile/agreement/agreement.ts";
import { RequestError } from "../../errors.ts";
import type { Session } from "../../store/session.ts";
import type { Sql } from "../../store/sql.ts";
import {
  agreementSide,
  commonScale,
  valueType,
  type AgreementPlan,
  type Scale,
  type Side,
} from "../../plan/agreement-plan.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import { parseAgreementRequest, type Agreement } from "../../request/agreement-request.ts";
import type { AgreementResponse, AgreementSide } from "../../respond/agreement/agreement.ts";
import { correctedMeans } from "../../respond/agreement/corrected-means.ts";
import { correlation } from "../../stats/agreement/correlation.ts";
import { readTableStatistics } from "./contingency-table.ts";
import { checkQuery } from "../flow/check-options.ts";
import type { QueryContext } from "../context.ts";
import type { QueryOptions } from "../query/query.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";
import { seedOf } from "../statistics/seed.ts";

/**
 * How far two score dimensions agree on the trials that have both. Throws `RequestError` on an unknown
 * dimension, texts beside numbers, and dimensions that no trial has both of.
 */
export async function measureAgreement(
  { store, catalogs, conventions }: QueryContext,
  projectId: string,
  input: unknown,
  query: QueryOptions,
): Promise<AgreementResponse> {
  checkQuery(projectId, query);
  const { signal } = query;
  const asked = parseAgreementRequest(input);
  const { request } = asked;
  return store.read(async (session) => {
    const catalog = await readQueryCatalog(session, catalogs, conventions, projectId, request);
    const plan = buildPlan(projectId, request, catalog);
    if (plan === null) throw meaningless(["evaluations"], "no trial of these evaluations is stored");
    const a = agreementSide("a", asked.a, catalog.scorePaths);
    const b = agreementSide("b", asked.b, catalog.scorePaths);
    return measure(session, plan, asked, [a, b], requestWarnings(request, catalog), signal);
  }, signal);
}

async function measure(
  session: Session,
  plan: Plan,
  asked: Agreement,
  [a, b]: readonly [Side, Side],
  warnings: string[],
  signal: AbortSignal | undefined,
): Promise<AgreementResponse> {
  const typeA = await readType(session, plan, a, "a");
  const typeB = await readType(session, plan, b, "b");
  const agreement: AgreementPlan = { plan, a, b, scale: commonScale(typeA, typeB) };
  const [nBoth = 0, nOnlyA = 0, nOnlyB = 0, rowCount = 0, equal = 0] = await readNumbers(
    session,
    compilePairCounts(agreement),
  );
  if (nBoth === 0) {
    throw meaningless(["a"], `no trial has both: ${nOnlyA} have only a, ${nOnlyB} have only b`);
  }
  const { confidence } = asked;
  const seed = seedOf(plan.projectId, asked.text);
  const isText = agreement.scale === "text";
  return {
    a: describe(a, typeA),
    b: describe(b, typeB),
    confidence,
    n_both: nBoth,
    n_only_a: nOnlyA,
    n_only_b: nOnlyB,
    row_count: rowCount,
    raw_agreement: equal / nBoth,
    ...(await readTableStatistics(session, agreement, { seed, confidence, warnings, signal })),
    pearson: isText ? null : await readCorrelation(session, compilePairMoments(agreement)),
    spearman: isText ? null : await readCorrelation(session, compileRankMoments(agreement)),
    corrected_means: isText
      ? null
      : correctedMeans(plan, await session.rows(compileLabelMoments(agreement)), confidence),
    warnings,
  };
}

function meaningless(loc: readonly string[], msg: string): RequestError {
  return new RequestError("meaning", [{ loc, msg, type: "unsupported" }]);
}

function describe({ path }: Side, type: Scale): AgreementSide {
  const [scorerKey = "", ...rest] = path;
  const types = { number: "continuous", boolean: "binary", text: "text" } as const;
  return { scorer_key: scorerKey, path: rest.length === 0 ? null : rest.join("."), value_type: types[type] };
}

async function readType(session: Session, plan: Plan, side: Side, member: "a" | "b"): Promise<Scale> {
  const found = await session.rows(compileSideKinds(plan, side));
  const kinds = new Set(found.map(([kind]) => Number(kind)));
  const type = valueType({ number: kinds.has(0), boolean: kinds.has(1), text: kinds.has(2) });
  if (type === null) throw meaningless([member], "has no value on these evaluations and rows");
  return type;
}

async function readNumbers(session: Session, query: Sql): Promise<number[]> {
  const [found = []] = await session.rows(query);
  return found.map(Number);
}

async function readCorrelation(session: Session, query: Sql): Promise<number | null> {
  const [, xx = 0, yy = 0, xy = 0] = await readNumbers(session, query);
  return correlation(xy, xx, yy);
}
