import type { Conventions } from "../../model/conventions.ts";
import { operationName } from "../../model/references.ts";
import type { Session } from "../../store/session.ts";
import { join, sql, text, type Sql } from "../../store/sql.ts";
import { countOf, type Problem } from "../../store/check-result.ts";

/** Checks that each visible predict-and-score call has its trial, and each trial its call. */
export async function unsettledTrials(session: Session, conventions: Conventions): Promise<Problem[]> {
  const ops = await session.rows(sql`SELECT DISTINCT ${OP_NAME} FROM calls AS c`);
  const ofTrials = ops
    .map(([op]) => String(op))
    .filter((op) => conventions.predictAndScoreOps.includes(operationName(op)));
  const isTrial = sql`c.parent_hash IS NOT NULL AND NOT c.hidden AND ${among(ofTrials)}`;
  const [missing] = await session.rows(sql`SELECT count(*), min(c.id)
    FROM calls AS c ANTI JOIN trials AS t ON t.trial_key = c.call_key WHERE ${isTrial}`);
  const [superfluous] = await session.rows(sql`SELECT count(*), min(c.id)
    FROM trials AS t JOIN calls AS c ON c.call_key = t.trial_key WHERE NOT (${isTrial})`);
  return [
    ...problemOf("missing", missing, "predict-and-score call without its trial"),
    ...problemOf(
      "superfluous",
      superfluous,
      "trial of a call that is hidden, or not a predict-and-score call",
    ),
  ];
}

/** Our JSON reader accepts numbers that DuckDB's refuses; such records are not compared. */
const OP_NAME = sql`TRY(c.record ->> '$.op_name')`;

function among(ops: readonly string[]): Sql {
  if (ops.length === 0) return sql`false`;
  return sql`coalesce(${OP_NAME} IN (${join(ops.map((op) => sql`${text(op)}`))}), false)`;
}

function problemOf(
  kind: "missing" | "superfluous",
  found: readonly unknown[] | undefined,
  what: string,
): Problem[] {
  const records = Number(found?.[0] ?? 0);
  if (records === 0) return [];
  const message = `trials: ${countOf(records)} ${kind}: ${what}, such as ${String(found?.[1])}`;
  return [{ kind, table: "trials", records, message }];
}
