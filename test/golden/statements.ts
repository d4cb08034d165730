import {
  compileExportedEvaluations,
  compileNullDimensions,
} from "../../src/compile/catalog/exported-evaluations.ts";
import {
  compileRowValues,
  compileSharedRows,
  compileSomeRow,
} from "../../src/compile/catalog/dataset-rows.ts";
import {
  compileCells,
  compilePairCounts,
  compilePairMoments,
  compileRankMoments,
  compileRowPatterns,
  compileSideKinds,
  compileTies,
} from "../../src/compile/agreement/agreement.ts";
import {
  compileGivenRatings,
  compileRatings,
  compileTrialNames,
} from "../../src/compile/agreement/ratings.ts";
import {
  compileItemValues,
  compileRowDigests,
  compileSideTrials,
} from "../../src/compile/items/item-values.ts";
import { compileDifferenceMoments, compileLabelMoments } from "../../src/compile/agreement/label-moments.ts";
import {
  compileCallKeys,
  compileCallRecords,
  compileChildKeys,
  compileRootMembers,
} from "../../src/compile/catalog/calls.ts";
import {
  compileAllEvaluations,
  compileConventions,
  compileEvaluationCounts,
  compileKeepConventions,
  compileProject,
  compileProjectDimensions,
  compileProjectFacts,
  compileProjects,
  compileScorePaths,
} from "../../src/compile/catalog/project.ts";
import {
  compileEvaluationList,
  compileEvaluationNames,
  compileEvaluations,
  compileHasRepeated,
  compileListedErrors,
  compileMostTrials,
  compileRowDifficulties,
  compileRowSets,
  compileRunIds,
  compileTried,
  compileValued,
} from "../../src/compile/catalog/evaluations.ts";
import {
  compileFieldPresence,
  compileFirstKind,
  compileLeafKinds,
  compileSampledDocuments,
  compileSampledField,
  compileSampledRows,
} from "../../src/compile/catalog/field-presence.ts";
import {
  compileRelatedCalls,
  compileTrialParts,
  compileTrialPlaces,
  compileTrialRows,
} from "../../src/compile/catalog/trial-parts.ts";
import {
  compileTrialCalls,
  compileFailedCalls,
  compileTrialCount,
  compileTrialList,
  compileTrialMarks,
  compileTrialScores,
} from "../../src/compile/catalog/logged-trials.ts";
import {
  compileAnyStep,
  compileCallTree,
  compileTreeSteps,
  compileEvaluationHashes,
  compileTrialHashes,
  compileWalkedTrials,
} from "../../src/compile/walk/call-tree.ts";
import { compileEditedRows, compileKeyedEvaluations } from "../../src/compile/compare/edited-rows.ts";
import {
  compileBaselineValues,
  compileDatasets,
  compileFirstScorerCalls,
  compilePresence,
} from "../../src/compile/compare/datasets.ts";
import {
  compileClusteredPairs,
  compileMovedRows,
  compileOwnSums,
  compilePairs,
  type PairScope,
} from "../../src/compile/compare/row-pairs.ts";
import { compileCosts, compileTrialCosts } from "../../src/compile/rows/costs.ts";
import { compileErrorGroups, compileFailedMarks } from "../../src/compile/statistics/error-groups.ts";
import { compileUsage } from "../../src/compile/statistics/usage.ts";
import { compileSeriesKinds } from "../../src/compile/scores/counted-trials.ts";
import {
  compileCountedTrials,
  compilePage,
  compileRowCount,
  compileRowDetails,
  compileSummary,
  compileSummaryScores,
} from "../../src/compile/query.ts";
import { compilePatternCheck } from "../../src/compile/filter/operators.ts";
import {
  compileFailedTrials,
  compileTrialErrors,
  compileTrials,
  compileTrialVersions,
  compileVersionKeys,
} from "../../src/compile/rows/trials.ts";
import { compileLongTrials, compileLongTrue } from "../../src/compile/filter/long-texts.ts";
import {
  compileLongDocuments,
  compileLongHashes,
  compileLongParts,
  compileLongReadings,
} from "../../src/compile/rows/sort-keys.ts";
import { compileLongSearch, narrowing } from "../../src/compile/rows/selected-rows.ts";
import { compileEvaluationsWithFeedback } from "../../src/compile/catalog/feedback.ts";
import { compileFeedbackTypes } from "../../src/compile/scores/feedback-scores.ts";
import {
  compileLeafNumbers,
  compileValueKinds,
  compileVirtualRanges,
  compileVirtualScores,
} from "../../src/compile/scores/score-records.ts";
import { compileTrialValues } from "../../src/compile/statistics/trial-values.ts";
import {
  compileBinCounts,
  compileMagnitudes,
  compileRowTallies,
  compileUnitSums,
  compileZeroOnes,
  type ValueScope,
} from "../../src/compile/statistics/row-values.ts";
import {
  compileCountedMoments,
  compileNumberSample,
  compileRowMoments,
  compileTriedRows,
} from "../../src/compile/statistics/row-moments.ts";
import {
  compileScoredErrors,
  compileTrialCounts,
  compileUnscored,
} from "../../src/compile/statistics/outcomes.ts";
import {
  compileFieldKinds,
  compileMemberNames,
  compileSampledAttributes,
  compileSliceValues,
  sliceTables,
  type SliceScope,
  compileTrialNumbers,
} from "../../src/compile/statistics/slices.ts";
import { compileEvaluationsOf, compileTriedTrials } from "../../src/compile/steps/tried-trials.ts";
import {
  compileSpending,
  compileStopReasons,
  compileSuccessRows,
  compileTruths,
} from "../../src/compile/statistics/success.ts";
import {
  compileSliceClusters,
  compileSliceMoments,
  compileSliceTrials,
} from "../../src/compile/statistics/slice-sums.ts";
import type { SliceField } from "../../src/request/slice-by.ts";
import { compileClusteredRows, compileRowClusters } from "../../src/compile/statistics/clusters.ts";
import { countablePoints, fixedPoints } from "../../src/compile/sums/fixed-point.ts";
import {
  compileResultOutputs,
  compileResultRows,
  compileResultScores,
  compileResultSize,
  compileResultTexts,
  compileResultTrials,
} from "../../src/compile/table/result-columns.ts";
import {
  compileDimensionKinds,
  compileTableColumns,
  compileTableTexts,
  compileCopiedLines,
  compileTableLines,
} from "../../src/compile/table/trial-table.ts";
import { BOOLEAN, NUMBER } from "../../src/model/score-kind.ts";
import type { AgreementPlan, PlannedSide } from "../../src/plan/agreement-plan.ts";
import type { CountingPlan, Plan, RowsPlan, ScorePath, SummaryPlan } from "../../src/plan/plan.ts";
import type { TrialTablePlan } from "../../src/plan/trial-table.ts";
import type { Query } from "../../src/store/query.ts";
import { sql, type Sql } from "../../src/store/sql.ts";

/** A plan that filters, with rows, a summary, derived scores and feedback. */
export type FullPlan = Plan & { readonly rows: RowsPlan; readonly summary: SummaryPlan };

type Compiled = Query<unknown> | Sql;

/** What compilers give, by the name of the compiler; where there are several cases, each by a name of its own. */
export function compiledStatements(plan: FullPlan, acc: ScorePath, ok: ScorePath): Record<string, Compiled> {
  return {
    ...ofCatalog(plan),
    ...ofWalk(plan),
    ...ofFields(plan, acc),
    ...ofQuery(plan),
    ...ofStatistics(plan, acc, ok),
    ...ofCompare(plan, acc, ok),
    ...ofSlices(plan, acc),
    ...ofAgreement(plan, acc, ok),
    ...ofLeaderboard(plan),
    ...ofTable(plan, acc, ok),
  };
}

function ofFields(plan: Plan, { key }: ScorePath): Record<string, Compiled> {
  const output = { kind: "output", of: "model", pointer: "/a" } as const;
  const input = { kind: "input", pointer: "/q" } as const;
  return {
    compileFirstKind: compileFirstKind(plan, key),
    compileLeafKinds: compileLeafKinds(plan, key),
    compileSampledField: compileSampledField(plan, output, []),
    "compileSampledField of a row": compileSampledField(plan, input, [1, 2]),
    compileFieldPresence: compileFieldPresence(plan, { kind: "score", pointer: "/a/0" }),
    "compileFieldPresence of a row": compileFieldPresence(plan, input),
    compileSampledRows: compileSampledRows(plan, "any"),
    "compileSampledRows of the first trials": compileSampledRows(plan, "first"),
    compileSampledDocuments: compileSampledDocuments(plan, output, []),
  };
}

function ofWalk({ projectId, projectKey, evaluationKeys }: Plan): Record<string, Compiled> {
  const scope = { projectId, projectKey, evaluationKeys, trialIds: null };
  return {
    compileWalkedTrials: compileWalkedTrials({ ...scope, trialIds: ["t"] }),
    compileEvaluationHashes: compileEvaluationHashes(scope),
    compileTrialHashes: compileTrialHashes(scope, evaluationKeys),
    compileCallTree: compileCallTree(scope, ["hash", "key", "microseconds"], "trials"),
    "compileCallTree of few": compileCallTree(scope, ["hash", "id"], [1n, 2n ** 63n]),
    "compileCallTree of others": compileCallTree(scope, ["hash", "parent"], "others", 100),
    "compileTreeSteps of few": compileTreeSteps(["state", "name"], [1, 2]),
    "compileTreeSteps of many": compileTreeSteps(["action"], { from: 1n, to: 2n ** 40n }),
  };
}

function ofCatalog({ projectId, projectKey, evaluationKeys, evaluationIds }: Plan): Record<string, Compiled> {
  return {
    compileProject: compileProject(projectId),
    compileProjects: compileProjects(),
    compileAllEvaluations: compileAllEvaluations(),
    compileEvaluationCounts: compileEvaluationCounts(),
    compileScorePaths: compileScorePaths(projectKey),
    compileProjectFacts: compileProjectFacts(projectKey),
    compileProjectDimensions: compileProjectDimensions(projectKey),
    compileConventions: compileConventions(),
    compileKeepConventions: compileKeepConventions({
      predictAndScoreOps: ["a"],
      attributeNamespaces: ["b", "c"],
    }),
    compileHasRepeated: compileHasRepeated(evaluationKeys),
    compileMostTrials: compileMostTrials(evaluationKeys),
    compileEvaluations: compileEvaluations(projectKey, evaluationIds),
    compileTried: compileTried(evaluationKeys),
    compileEvaluationNames: compileEvaluationNames(projectId),
    compileRowDifficulties: compileRowDifficulties([1, 2], 3, false, 10),
    compileEvaluationList: compileEvaluationList(projectId),
    compileListedErrors: compileListedErrors(projectKey),
    compileRowSets: compileRowSets(sql`e.evaluation_key IN (1, 2)`),
    compileValued: compileValued(evaluationKeys),
    compileCallKeys: compileCallKeys(projectKey, evaluationIds),
    compileChildKeys: compileChildKeys(projectKey, evaluationIds),
    compileCallRecords: compileCallRecords(projectKey, [1, 2]),
    compileTrialList: compileTrialList(1, 10, 100),
    compileTrialCalls: compileTrialCalls(1, 10, 100),
    compileTrialCount: compileTrialCount(1),
    compileRowValues: compileRowValues([1, 2]),
    compileSharedRows: compileSharedRows([1, 2], "table:one"),
    compileSomeRow: compileSomeRow(projectKey),
    compileRunIds: compileRunIds(projectKey, "table:quiz", "m"),
    compileTrialMarks: compileTrialMarks([1, 2]),
    compileFailedCalls: compileFailedCalls(projectKey, 3),
    compileTrialScores: compileTrialScores(projectKey, "t"),
    compileTrialPlaces: compileTrialPlaces(
      7,
      { evaluationId: "e", trialId: "t", predictionId: "p" },
      null,
      10,
    ),
    compileTrialParts: compileTrialParts([1, 2]),
    compileTrialRows: compileTrialRows([1, 2]),
    "compileRelatedCalls predict": compileRelatedCalls(1, [1, 2], "predict"),
    "compileRelatedCalls children": compileRelatedCalls(1, [1, 2], "children"),
  };
}

function ofQuery(plan: FullPlan): Record<string, Compiled> {
  const { rows, summary } = plan;
  return {
    compilePage: compilePage(plan, rows),
    compileRowCount: compileRowCount(plan, rows),
    compileTrials: compileTrials(plan, [1, 2]),
    compileVersionKeys: compileVersionKeys(plan, [1, 2]),
    compileTrialVersions: compileTrialVersions(plan, [3, 4]),
    "compileTrials without children": compileTrials({ ...plan, includeChildren: false, rows: null }, [1]),
    compileRowDetails: compileRowDetails([1, 2]),
    compileFailedTrials: compileFailedTrials(plan, [1, 2]),
    compileTrialErrors: compileTrialErrors(plan, [1, 2]),
    "compileTrialErrors without children": compileTrialErrors({ ...plan, includeChildren: false }, [1]),
    compileSummary: compileSummary(plan, summary),
    compileSummaryScores: compileSummaryScores(plan, summary),
    compileCountedTrials: compileCountedTrials(plan, summary, counted(plan)),
    "compileCountedTrials of nulls": compileCountedTrials(plan, summary, counted(plan, "null")),
    compileSeriesKinds: compileSeriesKinds(plan),
    "compileSummaryScores of no place": compileSummaryScores(plan, { ...summary, scorePaths: [] }),
    compileFeedbackTypes: compileFeedbackTypes(plan.projectId, 10),
    compileEvaluationsWithFeedback: compileEvaluationsWithFeedback(plan.projectId, 3, "evalcube.baseline"),
    compileVirtualRanges: compileVirtualRanges(plan, plan.virtualLeaves),
    "compileVirtualRanges of usage": compileVirtualRanges(plan, [USED_TOKENS]),
    compileVirtualScores: compileVirtualScores(plan, [1, 2]),
    compileLeafNumbers: compileLeafNumbers(plan, [1, 2], 10),
    compileValueKinds: compileValueKinds([1, 2]),
    compilePatternCheck: compilePatternCheck({ pattern: "^a", caseInsensitive: true, loc: ["filters"] }),
  };
}

const USED_TOKENS = { kind: "usage", measure: "total_tokens", key: -9, path: ["total_tokens"] } as const;

/** Trials without a value as 0 and as false in dimensions of each kind. */
function counted({ evaluationKeys }: FullPlan, of: CountingPlan["of"] = "error"): CountingPlan {
  const numbers = {
    kind: 0,
    dimensions: [
      { pathKey: 1, ancestors: [9], number: 0.5 },
      { pathKey: -1, ancestors: [], number: 0 },
    ],
  };
  const booleans = { kind: 1, dimensions: [{ pathKey: 2, ancestors: [], number: 0 }] };
  const [first = 0] = evaluationKeys;
  return {
    of,
    groups: [
      { ...numbers, evaluationKeys },
      { ...booleans, evaluationKeys: [first] },
    ],
  };
}

function ofStatistics(plan: FullPlan, acc: ScorePath, ok: ScorePath): Record<string, Compiled> {
  const narrowed = narrowing(plan, true);
  const places = plan.evaluationKeys.map((evaluationKey) => ({
    evaluationKey,
    pathKey: acc.key,
    kind: NUMBER,
  }));
  const passes = places.map((place) => ({ ...place, pathKey: ok.key, kind: BOOLEAN }));
  const single: ValueScope = { places, wholeKinds: true, trialsPerRow: 1, narrowing: narrowing(plan, false) };
  const several: ValueScope = { places, wholeKinds: false, trialsPerRow: 3, narrowing: narrowed };
  const points = fixedPoints([acc], [{ evaluationKey: 1, pathKey: acc.key, exponent: -1 }], 3);
  const words = countablePoints([ok]);
  return {
    compileUnscored: compileUnscored(plan, narrowed),
    compileFailedMarks: compileFailedMarks(plan, ["/attributes/a/score"]),
    compileErrorGroups: compileErrorGroups(
      plan,
      narrowed,
      ["/attributes/a/score"],
      [{ mark: '["s",true]', scorer: "s" }],
      20,
    ),
    compileTrialCounts: compileTrialCounts(plan, narrowed),
    compileScoredErrors: compileScoredErrors(plan, narrowed, [acc.key, ok.key]),
    compileMagnitudes: compileMagnitudes(plan, single),
    compileNumberSample: compileNumberSample(plan, single, 100),
    compileTrialValues: compileTrialValues(plan, single),
    compileUnitSums: compileUnitSums(plan, single),
    compileZeroOnes: compileZeroOnes(plan, single),
    "compileUnitSums with errors": compileUnitSums({ ...plan, countings: [counted(plan)] }, single),
    compileRowTallies: compileRowTallies(plan, { ...several, places: passes }),
    compileClusteredRows: compileClusteredRows(plan, several, points, "/q"),
    compileRowClusters: compileRowClusters(plan, "/q"),
    compileCountedMoments: compileCountedMoments(plan, { ...single, places: passes }, words),
    compileTriedRows: compileTriedRows([1, 2], several.narrowing),
    compileBinCounts: compileBinCounts(plan, several, points, new Map([[acc.key, [0, 0.25, 0.5]]])),
    compileRowMoments: compileRowMoments(plan, single, points),
    "compileRowMoments with several trials a row": compileRowMoments(plan, several, points),
  };
}

const TOPIC: SliceField = { name: "inputs.topic", root: "inputs", segments: ["topic"], pointer: "/topic" };
const SHARD: SliceField = {
  name: "attributes.shard",
  root: "attributes",
  segments: ["shard"],
  pointer: "/shard",
};

function sliceScope(plan: FullPlan): SliceScope {
  const [baseline = 0, ...others] = plan.evaluationKeys;
  return { plan, narrowing: narrowing(plan, false), groups: [{ baseline, others }] };
}

function tablesOf(plan: FullPlan) {
  const keys = [
    ["tlaw", "n1"],
    ["btrue", "n2"],
  ];
  return sliceTables(sliceScope(plan), [{ fields: [TOPIC, SHARD], keys, first: 0, any: -1 }]);
}

function ofSlices(plan: FullPlan, acc: ScorePath): Record<string, Compiled> {
  const [evaluationKey = 0] = plan.evaluationKeys;
  const places = [{ evaluationKey, pathKey: acc.key, kind: NUMBER }];
  const scope: ValueScope = {
    places,
    wholeKinds: false,
    trialsPerRow: 1,
    narrowing: narrowing(plan, false),
  };
  const points = fixedPoints([acc], [{ evaluationKey, pathKey: acc.key, exponent: -1 }]);
  const tables = tablesOf(plan);
  const all = { ...sliceScope(plan), groups: [{ baseline: null, others: plan.evaluationKeys }] };
  return {
    compileSliceValues: compileSliceValues(sliceScope(plan), [TOPIC, SHARD], 220),
    compileFieldKinds: compileFieldKinds(all, [TOPIC]),
    compileMemberNames: compileMemberNames(all, ["", "/topic"]),
    compileSampledAttributes: compileSampledAttributes(all),
    compileTrialNumbers: compileTrialNumbers(
      { projectId: "acme/qa", evaluationKeys: plan.evaluationKeys, includeChildren: true, virtualLeaves: [] },
      acc.key,
    ),
    compileSliceTrials: compileSliceTrials(plan, scope, tables),
    compileSliceMoments: compileSliceMoments(plan, scope, points, tables),
    compileSliceClusters: compileSliceClusters(plan, scope, points, tables, "/q"),
  };
}

function ofCompare(plan: FullPlan, acc: ScorePath, ok: ScorePath): Record<string, Compiled> {
  const [first = 0, second = 0] = plan.evaluationKeys;
  const place = ({ key, exponents }: ScorePath, kind: number, shift: number, small: boolean) => ({
    pathKey: key,
    baseline: { evaluationKey: first, pathKey: key, kind },
    candidates: [{ evaluationKey: second, pathKey: key, kind }],
    small,
    point: { evaluationKey: null, pathKey: key, shift, exponents },
    own: null,
  });
  const measured = place(acc, NUMBER, 60, false);
  const scope: PairScope = {
    places: [measured, place(ok, BOOLEAN, 0, true)],
    trialsPerRow: new Map([[second, 2]]),
    narrowing: narrowing(plan, false),
    slices: null,
  };
  return {
    compilePairs: compilePairs(plan, scope),
    "compilePairs by slice": compilePairs(plan, { ...scope, slices: tablesOf(plan) }),
    compileClusteredPairs: compileClusteredPairs(plan, scope, "/q"),
    compileMovedRows: compileMovedRows(plan, scope, measured, 4),
    compileOwnSums: compileOwnSums(plan, scope, measured, {
      baseline: measured.point,
      candidate: { ...measured.point, shift: 90 },
    }),
    compilePresence: compilePresence(plan, scope.narrowing),
    compileBaselineValues: compileBaselineValues(plan, scope),
    compileDatasets: compileDatasets(plan, scope.narrowing),
    compileEditedRows: compileEditedRows(plan, scope.narrowing),
    compileKeyedEvaluations: compileKeyedEvaluations(plan),
    compileFirstScorerCalls: compileFirstScorerCalls(plan),
  };
}

function ofLeaderboard(plan: FullPlan): Record<string, Compiled> {
  const scope = narrowing(plan, false);
  const prices = { small: { input: 2.5, output: 10 } };
  return {
    compileUsage: compileUsage(plan, scope),
    "compileUsage without children": compileUsage({ ...plan, includeChildren: false }, scope),
    compileCosts: compileCosts(plan, scope, prices),
    compileTrialCosts: compileTrialCosts(plan, prices, [1, 2]),
    "compileCosts without children and prices": compileCosts({ ...plan, includeChildren: false }, scope, {}),
    compileRootMembers: compileRootMembers(plan.projectId, ["/attributes/branch", "/display_name"]),
  };
}

function sideOf({ key, path, exponents }: ScorePath): PlannedSide {
  return { pathKey: key, path, exponents };
}

function ofAgreement(plan: FullPlan, acc: ScorePath, ok: ScorePath): Record<string, Compiled> {
  const agreement: AgreementPlan = { plan, a: sideOf(acc), b: sideOf(ok), scale: "number" };
  return {
    compileTies: compileTies(agreement.plan, [
      { kind: "feedback", key: -1, path: ["feedback", "ok"], feedbackType: "ok", by: "majority" },
    ]),
    compileEvaluationsOf: compileEvaluationsOf(plan.projectKey, ["t1", "t2"]),
    compileTriedTrials: compileTriedTrials(plan, agreement.a, null, narrowing(plan, false)),
    "compileTriedTrials of some": compileTriedTrials(plan, null, ["t1", "t2"], narrowing(plan, false)),
    compileStopReasons: compileStopReasons(plan, agreement.a, narrowing(plan, false)),
    "compileStopReasons of no success": compileStopReasons(plan, null, narrowing(plan, false)),
    compileAnyStep: compileAnyStep(),
    compileTruths: compileTruths(plan, [1, 2]),
    compileSuccessRows: compileSuccessRows(plan, agreement.a, narrowing(plan, false)),
    compileSpending: compileSpending(plan, agreement.a, [USED_TOKENS], narrowing(plan, false)),
    compileItemValues: compileItemValues(plan, agreement.a, 10),
    compileRowDigests: compileRowDigests(plan),
    compileSideTrials: compileSideTrials(plan, agreement.a),
    compileSideKinds: compileSideKinds(plan, agreement.a),
    compileRatings: compileRatings(plan, [agreement.a, agreement.b], false, 10),
    compileGivenRatings: compileGivenRatings(
      plan,
      { kind: "feedback", key: -1, path: ["feedback", "ok"], feedbackType: "ok", by: "majority" },
      10,
    ),
    compileTrialNames: compileTrialNames(plan),
    compilePairCounts: compilePairCounts(agreement),
    compileCells: compileCells(agreement, 10),
    "compileCells of texts": compileCells({ ...agreement, scale: "text" }, 10),
    compileRowPatterns: compileRowPatterns(agreement, 10),
    compilePairMoments: compilePairMoments(agreement),
    compileRankMoments: compileRankMoments(agreement),
    compileLabelMoments: compileLabelMoments(agreement),
    compileDifferenceMoments: compileDifferenceMoments(agreement),
  };
}

function ofTable(plan: FullPlan, acc: ScorePath, ok: ScorePath): Record<string, Compiled> {
  const table: TrialTablePlan = {
    ...plan,
    scoreColumns: [
      { name: "scores.acc", path: ["acc"], pathKey: acc.key, type: "double" },
      { name: "scores.ok", path: ["ok"], pathKey: ok.key, type: "boolean" },
    ],
    repeatedKeys: plan.evaluationKeys.slice(0, 1),
    part: null,
  };
  const exported: TrialTablePlan = {
    ...table,
    exported: {
      evaluations: plan.evaluationKeys.map((key) => ({
        key,
        startedAt: "2026-01-31T12:00:00Z",
        endedAt: null,
      })),
      hasTraces: true,
      hasFailed: true,
      withDetails: true,
      nulls: [{ pathKey: acc.key, name: "acc" }],
    },
  };
  const range = { trialKeys: [1, 2], textKeys: [3, 4], ofOutputs: true };
  const part = { from: 0, to: 10, textKeys: [3, 4] };
  const outputs = { kind: "output", of: "model", pointer: "/a" } as const;
  const condition = {
    kind: "$contains",
    operands: [
      { kind: "field", field: outputs },
      { kind: "literal", value: "text" },
    ],
    settings: { caseInsensitive: false },
  } as const;
  const { evaluationKeys } = plan;
  const ranged = { ...plan, longTexts: true, range };
  const use = { evaluationKeys, fields: [outputs], condition, among: null };
  return {
    compileLongTrials: compileLongTrials({ ...plan, longTexts: true }, use),
    compileLongTrue: compileLongTrue(ranged, { condition, evaluationKeys, quantifier: "any" }),
    compileLongDocuments: compileLongDocuments({ ...ranged, range: { ...range, ofOutputs: false } }),
    compileLongSearch: compileLongSearch(ranged, "text"),
    compileLongReadings: compileLongReadings(ranged, outputs),
    compileLongHashes: compileLongHashes(ranged, outputs, [0, 64], 2),
    compileLongParts: compileLongParts(ranged, outputs, [0, 64]),
    compileTableTexts: compileTableTexts(table, ["outputs", "rows"]),
    "compileTableColumns of a part": compileTableColumns({ ...table, part }),
    compileDimensionKinds: compileDimensionKinds(plan),
    compileExportedEvaluations: compileExportedEvaluations(plan.evaluationKeys),
    compileNullDimensions: compileNullDimensions(plan.evaluationKeys),
    compileTableColumns: compileTableColumns(table),
    "compileTableColumns of an export": compileTableColumns(exported),
    "compileTableLines as csv": compileTableLines(table, "csv"),
    "compileTableLines as json": compileTableLines(table, "json"),
    compileCopiedLines: compileCopiedLines(table, sql`(${compileTableColumns(table)})`, "jsonl"),
    compileTableLines: compileTableLines(table, "jsonl"),
    compileResultSize: compileResultSize(table),
    compileResultRows: compileResultRows(table),
    compileResultTrials: compileResultTrials(table, false),
    "compileResultTrials with errors": compileResultTrials(table, true),
    compileResultScores: compileResultScores(table),
    compileResultTexts: compileResultTexts(table),
    compileResultOutputs: compileResultOutputs(table, 0, 10),
  };
}
