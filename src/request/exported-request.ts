import { isJsonObject } from "../model/json.ts";

/** The request of an export, which has the values of rows unless it says otherwise. */
export function exportedRequest(request: object): object {
  return { include_raw_data_rows: true, resolve_row_refs: true, ...request };
}

const NAMING = ["evaluation_call_ids", "evaluation_run_ids", "evaluations"];

/** Whether a request about evaluations names some; what is no object is not told of here. */
export function namesEvaluations(request: unknown): boolean {
  if (!isJsonObject(request)) return true;
  const members = NAMING.map((name) => request[name]);
  return members.some((one) => one != null && !(Array.isArray(one) && one.length === 0));
}
