import { createCallReads, type WeaveCallReads } from "./calls/read-calls.ts";
import { createCallWrites, type WeaveCallWrites } from "./calls/write-calls.ts";
import { createCosts, type WeaveCosts } from "./costs/costs.ts";
import { createEvaluationReads, type WeaveEvaluations } from "./evaluations/evaluations.ts";
import { createWeaveFeedback, type WeaveFeedback } from "./feedback/feedback.ts";
import { createFiles, type WeaveFiles } from "./files.ts";
import { createObjects, type WeaveObjects } from "./objects/objects.ts";
import { createReferences, type WeaveReferences } from "./references/references.ts";
import type { WeaveSeam } from "./request/seam.ts";
import { createSpanWrites, type WeaveSpans } from "./spans/store-spans.ts";
import { createTables, type WeaveTables } from "./tables/tables.ts";

/**
 * What SDKs of W&B Weave ask of their server: calls, objects, tables, files, references, prices and
 * feedback. Each function
 * takes the JSON text of a request and gives the JSON text of the answer, so that no digit changes on the way; unknown
 * members of requests are ignored. All reject with `RequestError`, and with `EvalcubeError` of the codes `not_found`
 * and `conflict`. A promise resolves when what was sent is durable.
 */
export interface Weave
  extends
    WeaveCallWrites,
    WeaveCallReads,
    WeaveObjects,
    WeaveTables,
    WeaveFiles,
    WeaveReferences,
    WeaveEvaluations,
    WeaveCosts,
    WeaveFeedback,
    WeaveSpans {}

export function createWeave(seam: WeaveSeam): Weave {
  return {
    ...createCallWrites(seam),
    ...createCallReads(seam),
    ...createObjects(seam.store),
    ...createTables(seam),
    ...createFiles(seam.store),
    ...createReferences(seam.store),
    ...createEvaluationReads(seam),
    ...createCosts(seam.store),
    ...createWeaveFeedback(seam.feedback),
    ...createSpanWrites(seam),
  };
}
