import { parseUtcTimestamp } from "../../model/timestamp.ts";
import { schemaFault } from "../request/read-request.ts";
import type { WeaveSeam } from "../request/seam.ts";
import { feedbackOutside, textIn, typeInside } from "./names.ts";
import type { WindowRequest } from "./statistics-requests.ts";

/** The feedback of a project between two times, as JSON texts of members. */
interface Window {
  /** Microseconds; `end` is exclusive. */
  readonly start: bigint;
  readonly end: bigint;
  readonly records: AsyncIterable<ReadonlyMap<string, string>>;
}

/** What a request looks at, oldest or newest first. Throws `RequestError` where its end is not after its start. */
export function windowOf(
  feedback: WeaveSeam["feedback"],
  { project_id, start: from, end: to, feedback_type: type, trigger_ref: trigger }: WindowRequest,
  newestFirst = false,
): Window {
  const start = parseUtcTimestamp(from) ?? 0n;
  const end = parseUtcTimestamp(to ?? "") ?? BigInt(Date.now()) * 1000n;
  if (end <= start) throw schemaFault(["end"], "must be after start; it is now where it is left out");
  const feedbackType = type == null ? null : typeInside(type);
  const all = feedbackOutside(feedback, project_id, { since: start, until: end, feedbackType, newestFirst });
  return { start, end, records: trigger == null ? all : ofTrigger(all, trigger) };
}

async function* ofTrigger(records: AsyncIterable<ReadonlyMap<string, string>>, trigger: string) {
  const versions = trigger.endsWith(":*") ? trigger.slice(0, -1) : null;
  for await (const record of records) {
    const own = textIn(record, "trigger_ref");
    if (versions === null ? own === trigger : own.startsWith(versions)) yield record;
  }
}
