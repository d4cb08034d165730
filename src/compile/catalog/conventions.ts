import type { Conventions } from "../../model/conventions.ts";
import { column, mapped, query, select, type Query } from "../../store/query.ts";
import { sql, text, type Sql } from "../../store/sql.ts";

/** The conventions that a database was created with; no record where none are stored yet. */
export function compileConventions(): Query<Conventions> {
  const stored = select(
    { ops: column.text(sql`predict_and_score_ops`), namespaces: column.text(sql`attribute_namespaces`) },
    sql` FROM conventions`,
  );
  const read = mapped(stored, ({ ops, namespaces }) => ({
    predictAndScoreOps: JSON.parse(ops) as string[],
    attributeNamespaces: JSON.parse(namespaces) as string[],
  }));
  return query("conventions", read);
}

/** The statement that stores the conventions. */
export function compileKeepConventions({ predictAndScoreOps, attributeNamespaces }: Conventions): Sql {
  return sql`INSERT INTO conventions VALUES (${text(JSON.stringify(predictAndScoreOps))},
        ${text(JSON.stringify(attributeNamespaces))})`;
}
