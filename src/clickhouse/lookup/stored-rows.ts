import { identity } from "../../ingest/keys/catalog.ts";
import {
  createRowCache,
  newRow,
  type RowEntry,
  type RowName,
  type RowValue,
  type StoredRows,
} from "../../ingest/write/row-entries.ts";
import { StoreError } from "../../errors.ts";
import { hashKey } from "../../model/digest.ts";
import { partsOf, type TurnTaker } from "../../model/turns.ts";
import type { ClickHouse } from "../server/client.ts";
import { integerOf } from "../server/integer-of.ts";
import { IS_VISIBLE, visibleValues, type Visible } from "./visible.ts";
import { grouped } from "../../model/grouped.ts";
import type { Outbox } from "../insert/outbox.ts";
import type { Projects } from "./projects.ts";
import { halvesOf, type StoredKeys } from "./stored-keys.ts";

interface RowSource {
  readonly client: ClickHouse;
  readonly visible: Visible;
  readonly projects: Projects;
  readonly turns: TurnTaker;
  readonly outbox: Outbox;
  /** Where the keys of what is stored are kept, if they are. */
  readonly keys: () => StoredKeys | null;
}

const KEYS_AT_ONCE = 5000;
/** What the rows that a load has met may hold in memory. */
const ROW_BYTES = 16 * 1024 * 1024;

/** The rows that are visible, and those of the load that is under way. */
export function createStoredRows(source: RowSource): StoredRows {
  const cache = createRowCache(ROW_BYTES);
  const { projects, turns } = source;
  return {
    cache,
    turns,
    projectKey: projects.number,
    resolve: async (wanted, changes) => {
      const rows = new Map<string, RowEntry>();
      const missing = new Map<string, RowName>();
      for (const [id, name] of wanted) {
        const known = cache.byDigest.get(id);
        if (known === undefined) missing.set(id, name);
        else rows.set(id, known);
      }
      await findRows(source, missing, rows);
      for (const [id, { projectKey, digest }] of missing) {
        if (rows.has(id)) continue;
        const row = newRow(hashKey(projects.id(projectKey), digest), projectKey, digest);
        rows.set(id, row);
        changes.created.add(row);
      }
      if (cache.byDigest.size + rows.size > cache.size || cache.held > cache.bytes)
        await forgetRows(source, cache);
      for (const [id, row] of rows) cache.byDigest.set(id, row);
      return rows;
    },
    compare: (values) => compareValues(source, values),
  };
}

/** Rows that the load made, and that are forgotten, are found on the server from then on. */
async function forgetRows({ outbox, keys }: RowSource, cache: StoredRows["cache"]): Promise<void> {
  await outbox.flush(["rows"]);
  keepKeys(keys(), cache);
  cache.byDigest.clear();
  cache.digests.clear();
  cache.held = 0;
}

/** Adds the keys of all rows that the load has met. */
export function keepKeys(keys: StoredKeys | null, { byDigest }: StoredRows["cache"]): void {
  if (keys !== null) for (const { key } of byDigest.values()) keys.rows.add(halvesOf(BigInt(key)));
}

async function findRows(
  source: RowSource,
  missing: ReadonlyMap<string, RowName>,
  found: Map<string, RowEntry>,
): Promise<void> {
  const { client, visible, projects } = source;
  const kept = source.keys();
  for (const [project, names] of grouped(missing.values(), ({ projectKey }) => projectKey)) {
    const all = names.map(({ digest }) => [hashKey(projects.id(project), digest), digest] as const);
    const digests = new Map(kept === null ? all : all.filter(([key]) => kept.rows.has(halvesOf(key))));
    for (const keys of partsOf([...digests.keys()], KEYS_AT_ONCE)) {
      const records = await client.rows(
        `SELECT row_key, groupUniqArray(2)(digest),
          argMinIf(tuple(inline_example), (load, position), inline_example IS NOT NULL).1, max(referenced), max(respelled)
        FROM rows WHERE project_key = {project: UInt64} AND row_key IN {keys: Array(UInt64)} AND ${IS_VISIBLE}
        GROUP BY row_key`,
        { project: projects.key(project), keys, ...visibleValues(visible) },
      );
      for (const [rowKey, stored, inlineExample, referenced, respelled] of records) {
        const key = integerOf(rowKey);
        const digest = digests.get(key) ?? "";
        if (!Array.isArray(stored) || stored.length !== 1 || stored[0] !== digest)
          throw collision(key, digest, stored);
        found.set(identity(project, digest), {
          ...newRow(key, project, digest),
          inlineExample: typeof inlineExample === "string" ? inlineExample : null,
          referenced: referenced === true,
          respelled: respelled === true,
        });
      }
    }
  }
}

function collision(key: bigint, digest: string, stored: unknown): StoreError {
  const others = Array.isArray(stored) ? stored.filter((one) => one !== digest).join(", ") : "";
  return new StoreError(
    "key_collision",
    `rows: the digests ${digest} and ${others} have one key, ${key}; nothing of this load is stored. Give one of these rows another digest`,
  );
}

/** Compares values with the latest ones that are stored. */
async function compareValues<Value extends RowValue>(
  { client, visible, projects, outbox }: RowSource,
  values: readonly Value[],
): Promise<(Value & { same: boolean; firstSame: boolean })[]> {
  if (values.length === 0) return [];
  await outbox.flush(["rows"]);
  const latest = new Map<string, string>();
  for (const [project, all] of grouped(values, ({ row }) => row.projectKey)) {
    for (const keys of partsOf(
      all.map(({ row }) => BigInt(row.key)),
      KEYS_AT_ONCE,
    )) {
      const records = await client.rows(
        `SELECT row_key, argMax(value, (load, position)) FROM rows WHERE project_key = {project: UInt64}
          AND row_key IN {keys: Array(UInt64)} AND value IS NOT NULL AND ${IS_VISIBLE} GROUP BY row_key`,
        { project: projects.key(project), keys, ...visibleValues(visible) },
      );
      for (const [key, value] of records) latest.set(`${project}:${String(key)}`, String(value));
    }
  }
  return values.map((one) => {
    const stored = latest.get(`${one.row.projectKey}:${one.row.key}`);
    return { ...one, same: stored === one.val, firstSame: stored === (one.firstVal ?? one.val) };
  });
}
