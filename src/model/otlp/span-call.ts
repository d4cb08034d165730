import type { JsonObject } from "../json.ts";
import { formatTimestamp } from "../timestamp.ts";
import type { Span } from "./export.ts";

/** Calls of such names are evaluations and trials, whatever else they say. */
const TAKEN = /^Evaluation\./;

/** The call of a span but for its project and its parent. */
export function spanCall({ id, trace, name, startedAt, endedAt, attributes, failed, message }: Span) {
  const shown = withoutNul(name);
  return {
    id,
    trace_id: trace,
    op_name: TAKEN.test(shown) ? `span ${shown}` : shown,
    started_at: formatTimestamp(startedAt),
    ...(endedAt === null ? {} : { ended_at: formatTimestamp(endedAt) }),
    ...(failed && message !== null ? { exception: withoutNul(message) } : {}),
    attributes: { ...attributes, ...(failed ? { "otel.status_code": "ERROR" } : {}) } satisfies JsonObject,
  };
}

const withoutNul = (text: string) => text.replaceAll("\0", "\uFFFD");
