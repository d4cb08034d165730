import {
  compilePairCounts,
  compilePairMoments,
  compileRankMoments,
  compileSideKinds,
  compileTies,
  type PairCounts,
  type PairMoments,
} from "../../compile/agreement/agreement.ts";
import { compileLabelMoments } from "../../compile/agreement/label-moments.ts";
import { scorePlace } from "../../model/field-path.ts";
import { BOOLEAN, NUMBER, TEXT } from "../../model/score-kind.ts";
import type { Session } from "../../store/session.ts";
import type { Query } from "../../store/query.ts";
import {
  agreementSide,
  commonScale,
  valueType,
  type AgreementPlan,
  type Scale,
  type PlannedSide,
} from "../../plan/agreement-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import { meaningless } from "../../request/meaningless.ts";
import { parseAgreementRequest, type Agreement } from "../../request/agreement-request.ts";
import type {
  AgreementResponse,
  AgreementSide,
  JudgeCertificate,
} from "../../respond/agreement/agreement.ts";
import { correctedMeans } from "../../respond/agreement/corrected-means.ts";
import { correlation } from "../../stats/agreement/correlation.ts";
import type { RatersAnswer } from "../../respond/agreement/raters.ts";
import { measureRaters } from "./raters.ts";
import { readTableStatistics } from "./contingency-table.ts";
import { checkQuery } from "../../flow/check-options.ts";
import type { QueryContext } from "../base/context.ts";
import type { QueryOptions } from "../query/query.ts";
import { planRequest } from "../catalog/planned-request.ts";
import { createHash } from "node:crypto";

/**
 * Measures how far two dimensions agree on the trials that have both. Throws `RequestError` on an unknown dimension, on
 * texts beside numbers, and on dimensions that no trial has both of.
 */
export async function measureAgreement(
  context: QueryContext,
  projectId: string,
  input: unknown,
  query: QueryOptions,
): Promise<AgreementResponse | RatersAnswer> {
  checkQuery(projectId, query);
  const { signal } = query;
  const { store, catalogs } = context;
  const asked = parseAgreementRequest(input);
  return store.read(async (session) => {
    const given = { input, asked: asked.request };
    const planned = await planRequest(session, catalogs, projectId, given);
    const { request, catalog, plan, warnings } = planned;
    if ("raters" in asked) return { raters: await measureRaters(session, planned, asked.raters), warnings };
    const a = agreementSide(["a"], asked.a, catalog.scorePaths);
    const b = agreementSide(["b"], asked.b, catalog.scorePaths);
    return measure(session, plan, { ...asked, request }, [a, b], [...warnings], signal);
  }, signal);
}

async function measure(
  session: Session,
  plan: Plan,
  asked: Agreement,
  [a, b]: readonly [PlannedSide, PlannedSide],
  warnings: string[],
  signal: AbortSignal | undefined,
): Promise<AgreementResponse> {
  const typeA = await readType(session, plan, a, "a");
  const typeB = await readType(session, plan, b, "b");
  const agreement: AgreementPlan = { plan, a, b, scale: commonScale(typeA, typeB) };
  const [counts = NO_PAIRS] = await session.all(compilePairCounts(agreement));
  if (counts.both === 0) {
    throw meaningless(["a"], `no trial has both: ${counts.onlyA} have only a, ${counts.onlyB} have only b`);
  }
  const tied = await readTies(session, plan, [a, b]);
  if (tied > 0 && asked.request.feedbackBy === "majority") warnings.push(tiedWarning(tied));
  const { confidence } = asked;
  const seed = seedOf(plan.projectId, JSON.stringify([asked.a, asked.b, confidence, asked.request]));
  const options = { seed, confidence, atLeast: asked.atLeast, warnings, signal };
  const { certificate, ...statistics } = await readTableStatistics(session, agreement, options);
  return {
    a: describe(a, typeA),
    b: describe(b, typeB),
    confidence,
    n_both: counts.both,
    n_only_a: counts.onlyA,
    n_only_b: counts.onlyB,
    n_tied: tied,
    row_count: counts.rows,
    raw_agreement: counts.equal / counts.both,
    ...statistics,
    ...(certificate === null ? {} : { certificate }),
    ...(await readNumbers(session, agreement, confidence, certificate)),
    warnings,
  };
}

/** What only numbers have; null for texts. */
async function readNumbers(
  session: Session,
  agreement: AgreementPlan,
  confidence: number,
  certificate: JudgeCertificate | null,
): Promise<Pick<AgreementResponse, "pearson" | "spearman" | "corrected_means">> {
  if (agreement.scale === "text") return { pearson: null, spearman: null, corrected_means: null };
  const moments = await session.all(compileLabelMoments(agreement));
  const judged = certificate === null ? {} : { judge_certified: certificate.certified };
  return {
    pearson: await readCorrelation(session, compilePairMoments(agreement)),
    spearman: await readCorrelation(session, compileRankMoments(agreement)),
    corrected_means: correctedMeans(agreement.plan, moments, confidence).map((one) => ({
      ...one,
      ...judged,
    })),
  };
}

const NO_PAIRS: PairCounts = { both: 0, onlyA: 0, onlyB: 0, rows: 0, equal: 0 };

function describe({ path }: PlannedSide, type: Scale): AgreementSide {
  const types = { number: "continuous", boolean: "binary", text: "text" } as const;
  return { ...scorePlace(path), value_type: types[type] };
}

async function readTies(session: Session, plan: Plan, sides: readonly PlannedSide[]): Promise<number> {
  const keys = new Set(sides.map(({ pathKey }) => pathKey));
  const feedback = plan.virtualLeaves
    .filter((leaf) => leaf.kind === "feedback")
    .filter(({ key }) => keys.has(key));
  if (feedback.length === 0) return 0;
  const [found] = await session.all(compileTies(plan, feedback));
  return found?.trials ?? 0;
}

function tiedWarning(tied: number): string {
  const trials = tied === 1 ? "1 trial has" : `${tied} trials have`;
  return `${trials} as many people for true as for false and no value; feedback_by "mean" or "latest" gives them one`;
}

async function readType(session: Session, plan: Plan, side: PlannedSide, member: "a" | "b"): Promise<Scale> {
  const found = await session.all(compileSideKinds(plan, side));
  const kinds = new Set(found.map(({ kind }) => kind));
  const type = valueType({ number: kinds.has(NUMBER), boolean: kinds.has(BOOLEAN), text: kinds.has(TEXT) });
  if (type === null) throw meaningless([member], "has no value on these evaluations and rows");
  return type;
}

async function readCorrelation(session: Session, query: Query<PairMoments>): Promise<number | null> {
  const [found] = await session.all(query);
  return correlation(found?.ab ?? 0, found?.aa ?? 0, found?.bb ?? 0);
}

/** Derives a seed of 48 bits from the request, so that the same question has the same answer. */
function seedOf(projectId: string, text: string): number {
  return createHash("sha256").update(`${projectId}\n${text}`).digest().readUIntBE(0, 6);
}
