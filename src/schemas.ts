/**
 * `evalcube/schemas`: the zod schema that requests for evaluation results are checked with, to check them before they
 * are sent, or to derive a JSON Schema (`z.toJSONSchema`).
 */
export { evalResultsRequest as evalResultsRequestSchema } from "./request/wire.ts";
