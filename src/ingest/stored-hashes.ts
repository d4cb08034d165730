import type { ColumnStream } from "../model/columns.ts";
import type { Session } from "../model/session.ts";
import { sql, statement } from "../model/sql.ts";
import { createHashFilter, type HashFilter } from "./hash-filter.ts";
import type { TurnTaker } from "./turns.ts";

/** Of which identities, and of whose children, calls may be stored: what is not in here is not stored. */
export interface StoredHashes {
  readonly ids: HashFilter;
  readonly parents: HashFilter;
}

export function noStoredHashes(): StoredHashes {
  return { ids: createHashFilter(), parents: createHashFilter() };
}

/** Reads the hashes of all stored calls, in their order: at random each would wait for memory. */
export async function readStoredHashes(session: Session, turns: TurnTaker): Promise<StoredHashes> {
  const [counted] = await session.rows(sql`SELECT count(*) FROM calls`);
  const count = Number(counted?.[0]);
  const stored = { ids: createHashFilter(count * 1.25), parents: createHashFilter(count / 2) };
  const ids = sql`SELECT id_hash FROM calls ORDER BY id_hash`;
  const parents = sql`SELECT DISTINCT parent_hash FROM calls WHERE parent_hash IS NOT NULL ORDER BY parent_hash`;
  await addAll(stored.ids, await session.vectors(statement(ids)), turns);
  await addAll(stored.parents, await session.vectors(statement(parents)), turns);
  return stored;
}

async function addAll(filter: HashFilter, { batches }: ColumnStream, turns: TurnTaker): Promise<void> {
  for await (const { columns } of batches) {
    const bytes = columns[0]?.bytes ?? null;
    if (bytes === null) continue;
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
    for (let i = 0; i + 1 < words.length; i += 2) {
      if (turns.isOver()) await turns.next();
      filter.add({ low: words[i] ?? 0, high: words[i + 1] ?? 0 });
    }
  }
}
