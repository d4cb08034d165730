import { createHash } from "node:crypto";
import type { ClickHouse } from "../client.ts";
import type { ClickHouseDatabase } from "../open/open-database.ts";
import { readCommits, readNamed, type Visible } from "../visible.ts";

/** What a request sees. */
export interface State {
  readonly visible: Visible;
  /** The same for statements that run on shards, where `loads` is not: all loads are in the list. */
  readonly named: Visible;
  /** What tells the state from every other one. */
  readonly epoch: number;
}

/** Each insert is a block with a number of its own, and a record that was deleted is counted no more. */
const FEEDBACK = "SELECT count(), max(_block_number) FROM feedback";

async function readFeedback(client: ClickHouse): ReturnType<ClickHouse["rows"]> {
  await client.catchUp(["feedback"]);
  return client.rows(FEEDBACK);
}

/**
 * Reads what is visible now. Feedback has no loads: a statement may see some that is later than the epoch; the next request then has
 * another epoch.
 */
export async function readState({
  client,
  hasCoordinator,
  spread,
}: Pick<ClickHouseDatabase, "client" | "hasCoordinator" | "spread">): Promise<State> {
  const [commits, feedback] = await Promise.all([readCommits(client, hasCoordinator), readFeedback(client)]);
  const named = spread === null ? commits : await readNamed(client, commits);
  const text = [commits.number, ...feedback.flat().map(String)].join();
  return { visible: commits, named, epoch: createHash("sha256").update(text).digest().readUIntBE(0, 6) };
}
