import { createTurnTaker } from "../../model/turns.ts";
import type { Outbox } from "../insert/outbox.ts";
import { createMetCalls } from "../lookup/met-calls.ts";
import { createStoredCalls } from "../lookup/stored-calls.ts";
import { createStoredRows } from "../lookup/stored-rows.ts";
import { withLoads, type Visible } from "../lookup/visible.ts";
import type { LoadState } from "./load-state.ts";

const notKept = () => null;

/** Reads what is visible now, with what a load has sent, and remembers nothing of what the load met. */
export function createSettledReader(state: LoadState, outbox: Outbox, now: Visible) {
  const { client, known, reading, open } = state;
  const visible = withLoads(now, [open.outbox.load]);
  const turns = createTurnTaker();
  const met = createMetCalls(notKept);
  const source = { client, visible, projects: known.known, turns, keys: notKept };
  const calls = createStoredCalls({ ...source, reading, met, outbox: null, looked: null });
  const histories = { client, visible, projectKey: known.known.key, stored: calls, looked: null };
  return {
    visible,
    calls,
    rows: createStoredRows({ ...source, outbox }),
    histories,
    /** Where the calls that were read were first stored, by identity. */
    first: met.first,
    turns,
  };
}
