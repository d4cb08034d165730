import { createHash } from "node:crypto";
import type { ClickHouseDatabase } from "../open/open-database.ts";
import { readCommits, type Visible } from "../visible.ts";

/** What a request sees. */
export interface State {
  readonly visible: Visible;
  /** What tells the state from every other one. */
  readonly epoch: number;
}

/** Each insert is a block with a number of its own, and a record that was deleted is counted no more. */
const FEEDBACK = "SELECT count(), max(_block_number) FROM feedback";

/**
 * Reads what is visible now. Feedback has no loads: a statement may see some that is later than the epoch; the next request then has
 * another epoch.
 */
export async function readState({
  client,
  hasCoordinator,
}: Pick<ClickHouseDatabase, "client" | "hasCoordinator">): Promise<State> {
  const [visible, feedback] = await Promise.all([readCommits(client, hasCoordinator), client.rows(FEEDBACK)]);
  const text = [visible.number, ...feedback.flat().map(String)].join();
  return { visible, epoch: createHash("sha256").update(text).digest().readUIntBE(0, 6) };
}
