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
 * Changes whenever a record of loads or of feedback comes or goes. Each insert of feedback is a block with a number of
 * its own, and a record that was deleted is counted no more. Of loads it takes every column that decides what is
 * visible.
 */
const SIGN = `SELECT 'loads' AS name, count(), sum(cityHash64(load, state, commit, loads)) FROM loads
  UNION ALL SELECT 'feedback', count(), max(_block_number) FROM feedback`;

type Readable = Pick<ClickHouseDatabase, "client" | "hasCoordinator" | "spread">;

/**
 * Reads the state anew only where the coordinator or the tables, asked in this order, say something else than the time
 * before. Feedback has no loads: a statement may see some that is later than the epoch; the next request then has
 * another epoch.
 */
export function createReadState(database: Readable): ReadState {
  const { client, hasCoordinator } = database;
  let last: { readonly sign: string; readonly state: State } | null = null;
  return async () => {
    const taken = await askCoordinator(client, hasCoordinator);
    await client.catchUp(["feedback"]);
    const found = new Map((await client.rows(SIGN)).map(([name, ...values]) => [name, values.join()]));
    const feedback = found.get("feedback") ?? "";
    const sign = [
      ...taken.map(({ number, loads: own, dead }) => `${number} ${own.join()} ${dead.join()}`),
      found.get("loads"),
      feedback,
    ].join(";");
    if (last?.sign === sign) return last.state;
    const state = await readNow(database, taken, feedback);
    last = { sign, state };
    return state;
  };
}

async function readNow(
  { client, spread }: Readable,
  taken: readonly TakenCommit[],
  feedback: string,
): Promise<State> {
  const commits = await readNoted(client, taken);
  const named = spread === null ? commits : await readNamed(client, commits);
  const text = `${commits.number},${feedback}`;
  return { visible: commits, named, epoch: createHash("sha256").update(text).digest().readUIntBE(0, 6) };
}
