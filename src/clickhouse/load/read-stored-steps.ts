import { StoreError } from "../../errors.ts";
import { readCalls } from "../lookup/call-histories.ts";
import { integerOf } from "../server/integer-of.ts";
import type { ClickHouseDatabase } from "../open/open-database.ts";
import { addCallSteps } from "./add-facts.ts";
import type { LoadState } from "./load-state.ts";
import { createSettledReader, resettle } from "./resettle.ts";

/** The schema that has a table of steps; noted under this name once all calls of the database are in it. */
const STEPS = { format: "steps", version: 3 };

const CALLS_AT_ONCE = 5000;

/**
 * Reads what calls tell of steps that were stored before these had a table; `write` commits what it is given. Throws
 * `StoreError` where the database is opened to be read only.
 */
export async function readStoredSteps(
  { client, name, readOnly }: Pick<ClickHouseDatabase, "client" | "name" | "readOnly">,
  write: (work: (state: LoadState) => Promise<void>) => Promise<void>,
): Promise<void> {
  const [noted] = await client.rows(
    "SELECT count() FROM evalcube_format WHERE format = {format: String}",
    STEPS,
  );
  if (Number(noted?.[0]) > 0) return;
  const stored = await client.rows("SELECT 1 FROM fragments LIMIT 1");
  if (readOnly && stored.length === 0) return;
  if (readOnly)
    throw new StoreError("old_database", `${name}: its migration did not end; open it once without readOnly`);
  if (stored.length > 0) await write(addStoredSteps);
  await client.run(
    "INSERT INTO evalcube_format (format, version) SELECT {format: String}, {version: UInt32}",
    STEPS,
  );
}

/** Adds what all calls tell, and why trials ended. */
async function addStoredSteps(state: LoadState): Promise<void> {
  const { client, open, known, snapshot } = state;
  const pagesOf = (project: number, from: string) =>
    pages((after) =>
      client.rows(`SELECT DISTINCT ${from} AND key > {after: UInt64} ORDER BY key LIMIT {limit: UInt32}`, {
        project: known.known.key(project),
        after,
        limit: CALLS_AT_ONCE,
      }),
    );
  for (const project of known.stored) {
    const all = "call_key AS key FROM call_groups WHERE project_key = {project: UInt64}";
    for await (const keys of pagesOf(project, all)) {
      const { histories, first } = createSettledReader(state, open.outbox, snapshot);
      const calls = await readCalls(histories, project, keys, first);
      for (const { hash } of calls) state.looked.add(hash);
      const unread = calls.map((call) => ({ call: { ...call, isStored: false }, position: 0 }));
      addCallSteps(open.outbox, known.known, unread);
      await open.outbox.flushMany();
    }
    const stopped = `group_key AS key FROM fragments
      WHERE project_key = {project: UInt64} AND position(record, 'stop_reason') > 0`;
    for await (const keys of pagesOf(project, stopped))
      await resettle(state, open.outbox, snapshot, [{ project, keys }]);
  }
}

async function* pages(
  read: (after: bigint) => Promise<readonly (readonly unknown[])[]>,
): AsyncGenerator<readonly bigint[], void, undefined> {
  for (let after = 0n; ;) {
    const keys = (await read(after)).map(([key]) => integerOf(key));
    const last = keys.at(-1);
    if (last === undefined) return;
    yield keys;
    after = last;
  }
}
