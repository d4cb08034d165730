import { countOf } from "../../model/messages.ts";
import type { Problem } from "../../store/check-result.ts";
import type { Session } from "../../store/session.ts";
import { join, sql, text, type Sql } from "../../store/sql.ts";

/** What may be wrong with a long text. */
const FAULTS: Readonly<Record<string, { readonly kind: Problem["kind"]; readonly what: string }>> = {
  short: { kind: "missing", what: "with a piece that is missing or shorter" },
  long: { kind: "superfluous", what: "with more in its pieces than its record says" },
  order: { kind: "misplaced", what: "whose pieces are not numbered one after the other" },
  bytes: { kind: "unreadable", what: "with a piece that is not UTF-8" },
};

/** What has long texts: its documents, and the name by which people know it. */
const OWNERS: readonly Sql[] = [
  sql`SELECT 'call ' || id AS owner, record AS document FROM calls WHERE text_bytes IS NOT NULL`,
  sql`SELECT 'trial ' || id, output FROM trials WHERE text_bytes IS NOT NULL`,
  sql`SELECT 'trial ' || id, example FROM trials WHERE example IS NOT NULL`,
  sql`SELECT 'row ' || digest, val FROM rows WHERE text_bytes IS NOT NULL`,
  sql`SELECT 'row ' || digest, inline_example FROM rows WHERE text_bytes IS NOT NULL`,
];

/**
 * Checks that the pieces of each long text are there, in their order, and have the bytes that its owners say. DuckDB
 * keeps no piece that it has counted.
 */
export async function brokenTexts(session: Session): Promise<Problem[]> {
  const begin = sql`${text(`"${session.mark ?? ""}:`)}`;
  const found = await session.rows(sql`WITH stubs AS (
      SELECT owner, unnest(string_split(document, ${begin})[2:]) AS stub FROM (${join(OWNERS, sql` UNION ALL `)})
    ), owned AS (
      SELECT owner, split_part(stub, ':', 3)::BIGINT AS text_key, split_part(stub, ':', 2)::BIGINT AS bytes FROM stubs
      UNION ALL SELECT owner, split_part(stub, ':', 4)::BIGINT, split_part(stub, ':', 5)::BIGINT FROM stubs
      WHERE split_part(stub, ':', 4) <> ''
    ), held AS (
      SELECT text_key, sum(strlen(txt)) AS bytes, bool_and(TRY(decode(encode(txt))) IS NOT NULL) AS is_text,
        max(piece) + 1 = count(*) AND count(DISTINCT piece) = count(*) AND min(piece) = 0 AS is_in_order
      FROM pieces GROUP BY text_key
    )
    SELECT CASE WHEN coalesce(h.bytes, 0) < o.bytes THEN 'short' WHEN h.bytes > o.bytes THEN 'long'
        WHEN NOT is_in_order THEN 'order' WHEN NOT is_text THEN 'bytes' END AS fault,
      count(DISTINCT text_key), min(owner)
    FROM owned AS o LEFT JOIN held AS h USING (text_key) GROUP BY fault ORDER BY fault`);
  return found.flatMap(([name, texts, owner]) => {
    const fault = FAULTS[String(name)];
    if (fault === undefined) return [];
    const count = countOf(Number(texts), "long text");
    const message = `pieces: ${count} ${fault.what}, such as that of the ${String(owner)}`;
    return [{ kind: fault.kind, table: "pieces", records: Number(texts), message }];
  });
}
