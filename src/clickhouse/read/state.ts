import { createHash } from "node:crypto";
import type { ClickHouseDatabase } from "../open/open-database.ts";
import { askCoordinator, readNamed, readNoted, type TakenCommit, type Visible } from "../lookup/visible.ts";

/** What a request sees. */
export interface State {
  readonly visible: Visible;
  /** The same for statements that run on shards, where `loads` is not: all loads are in the list. */
  readonly named: Visible;
  /** What tells the state from every other one. */
  readonly epoch: number;
}

/** Reads what is visible now. */
export type ReadState = () => Promise<State>;

/**
 * Changes whenever a record of loads, of feedback or a price comes or goes. Each insert of the last two is a block with
 * a number of its own, and a record that was deleted is counted no more. Of loads it takes every column that decides
 * what is visible.
 */
const SIGN = `SELECT 'loads' AS name, count(), sum(cityHash64(load, state, commit, loads)) FROM loads
  UNION ALL SELECT 'feedback', count(), max(_block_number) FROM feedback
  UNION ALL SELECT 'model_prices', count(), max(_block_number) FROM model_prices`;

type Readable = Pick<ClickHouseDatabase, "client" | "hasCoordinator" | "spread">;

/**
 * Reads the state anew only where the coordinator or the tables, asked in this order, say something else than the time
 * before. Such records have no loads: a statement may see some that are later than the epoch; the next request then has
 * another epoch.
 */
export function createReadState(database: Readable): ReadState {
  const { client, hasCoordinator } = database;
  let last: { readonly sign: string; readonly state: State } | null = null;
  return async () => {
    const taken = await askCoordinator(client, hasCoordinator);
    await client.catchUp(["feedback", "model_prices"]);
    const found = new Map((await client.rows(SIGN)).map(([name, ...values]) => [name, values.join()]));
    const records = `${found.get("feedback")} ${found.get("model_prices")}`;
    const sign = [
      ...taken.map(({ number, loads: own, dead }) => `${number} ${own.join()} ${dead.join()}`),
      found.get("loads"),
      records,
    ].join(";");
    if (last?.sign === sign) return last.state;
    const state = await readNow(database, taken, records);
    last = { sign, state };
    return state;
  };
}

async function readNow(
  { client, spread }: Readable,
  taken: readonly TakenCommit[],
  records: string,
): Promise<State> {
  const commits = await readNoted(client, taken);
  const named = spread === null ? commits : await readNamed(client, commits);
  const text = `${commits.number},${records}`;
  return { visible: commits, named, epoch: createHash("sha256").update(text).digest().readUIntBE(0, 6) };
}
