export const PROJECT = "acme/qa";
export const EVALUATION = "e";

type Members = Readonly<Record<string, unknown>>;

/** A call record with the members that are required, and others. */
export function call(id: string, others: Members = {}) {
  return { id, project_id: PROJECT, op_name: "step", started_at: "2026-01-01T00:00:00Z", ...others };
}

export function root(id = EVALUATION, others: Members = {}) {
  return call(id, { op_name: "Evaluation.evaluate", ...others });
}

/** A predict-and-score call of {@link EVALUATION}: its dataset row and its scores. */
export function trial(id: string, example: unknown, scores: Members = {}, others: Members = {}) {
  return call(id, {
    op_name: "Evaluation.predict_and_score",
    parent_id: EVALUATION,
    inputs: { example },
    output: { output: null, scores },
    ...others,
  });
}

export function ndjson(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** Texts or bytes as an NDJSON source; each item is one chunk. */
export function stream(chunks: Iterable<string | Uint8Array>, name = "calls.ndjson") {
  async function* bytes() {
    for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  }
  return { ndjson: bytes(), name };
}
