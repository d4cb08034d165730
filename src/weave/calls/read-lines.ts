import { isLongText, nextTurn } from "../../model/turns.ts";
import type { Key } from "../../model/digest.ts";
import type { Session } from "../../store/session.ts";
import { lineMembers, type Line } from "./call-line.ts";
import { readRecords } from "./call-relation.ts";

/** As {@link lineMembers}, of a long record in a turn of its own. */
export async function membersOf(record: string, feedback: string | null): Promise<Line> {
  if (!isLongText(record)) return lineMembers(record, feedback);
  await nextTurn();
  const line = lineMembers(record, feedback);
  await nextTurn();
  return line;
}

/** The lines of calls as this session has them; one that was hidden meanwhile is missing. */
export async function readLines<Call extends { readonly key: Key; readonly feedback: string | null }>(
  session: Session,
  calls: readonly Call[],
): Promise<readonly (Call & { readonly line: Line })[]> {
  const records = await readRecords(
    session,
    calls.map(({ key }) => key),
  );
  const found: (Call & { readonly line: Line })[] = [];
  for (const call of calls) {
    const record = records.get(call.key);
    if (record !== undefined) found.push({ ...call, line: await membersOf(record, call.feedback) });
  }
  return found;
}
