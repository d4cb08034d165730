/**
 * `evalcube/schemas`: the zod schema that checks requests for evaluation results. Use it to check them before they are
 * sent, or to derive a JSON Schema (`z.toJSONSchema`).
 */
export { evalResultsRequest as evalResultsRequestSchema } from "./request/wire.ts";
