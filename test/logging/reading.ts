import { EvalcubeError, type CallRecord, type Engine, type Trial } from "../../src/index.ts";
import { parseJson } from "../../src/model/json.ts";
import { PROJECT } from "../support/records.ts";

/** The stored records of an evaluation: the root, then each trial with its calls, in the order of their start. */
export async function recordsOf(engine: Engine, evaluation: string): Promise<CallRecord[]> {
  const table = await engine.sql(PROJECT, "select record from calls where trace_id = $1", [evaluation]);
  const records = Array.from(table, (row) => parseJson(String(row["record"])) as object as CallRecord);
  const depth = ({ parent_id: parent }: CallRecord) =>
    (parent ?? null) === null ? 0 : parent === evaluation ? 1 : 2;
  return records.toSorted(
    (a, b) => depth(a) - depth(b) || (String(a.started_at) < String(b.started_at) ? -1 : 1),
  );
}

/** The trials of an evaluation as an answer shows them. */
export async function trialsOf(engine: Engine, evaluation: string): Promise<Trial[]> {
  const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: [evaluation] });
  return rows.flatMap((row) => row.evaluations.flatMap(({ trials }) => trials));
}

/** The code of the error that a function throws. */
export function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof EvalcubeError ? error.code : String(error);
  }
  return "nothing was thrown";
}
