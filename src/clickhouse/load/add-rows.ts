import type { RowChanges } from "../../ingest/write/row-entries.ts";
import { clickHouseDocument } from "../insert/clickhouse-document.ts";
import type { Outbox } from "../insert/outbox.ts";
import type { Projects } from "../lookup/projects.ts";

/** Adds what a batch changes in rows. `position` is that of the batch in its load. */
export function addRows(
  outbox: Outbox,
  projects: Projects,
  { created, changed, values }: RowChanges,
  position: number,
): void {
  const rows = [...new Set([...created, ...changed, ...values.keys()])];
  const projectKeys = rows.map((row) => projects.key(row.projectKey));
  const texts = rows.map((row) => values.get(row) ?? null);
  const examples = rows.map((row) => row.inlineExample);
  outbox.add("rows", rows.length, {
    project_key: projectKeys,
    row_key: rows.map((row) => row.key),
    position: rows.map(() => position),
    digest: rows.map((row) => row.digest),
    value: texts,
    value_doc: documents(texts),
    inline_example: examples,
    inline_doc: documents(examples),
    referenced: rows.map((row) => row.referenced),
    respelled: rows.map((row) => row.respelled),
  });
  const made = [...created];
  outbox.add("row_digests", made.length, {
    project_key: made.map((row) => projects.key(row.projectKey)),
    digest: made.map((row) => row.digest),
    row_key: made.map((row) => row.key),
  });
}

function documents(texts: readonly (string | null)[]): (string | null)[] {
  return texts.map((one) => (one === null ? null : clickHouseDocument(one)));
}
