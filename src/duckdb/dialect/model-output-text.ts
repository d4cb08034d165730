import { sql } from "../../store/sql.ts";

/**
 * Not with `nullif`: DuckDB computes an expression that a statement has twice for every record, in spite of the CASE
 * around it.
 */
const SPELLED_OUTPUT = sql`list_filter([CAST(model_output(t.output, '') AS VARCHAR)], lambda spelled: spelled <> 'null')[1]`;

/** The model output where its length is known: it then follows `{"output":`. */
const OUTPUT_BYTES = sql`encode(t.output)[11:10 + t.model_output_bytes]`;

/** The model output of the trial `t` as text, null for a JSON null. */
export const MODEL_OUTPUT_TEXT = sql`CASE WHEN t.model_output_bytes IS NULL THEN ${SPELLED_OUTPUT}
    ELSE decode(${OUTPUT_BYTES}) END`;
