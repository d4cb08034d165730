import type { JsonObject } from "../json.ts";
import { isTakenOp } from "../references.ts";
import { formatTimestamp } from "../timestamp.ts";
import type { Span } from "./export.ts";

/** The call of a span but for its project and its parent. */
export function spanCall(span: Span) {
  const { id, trace, name, startedAt, endedAt, attributes, failed, message, rest } = span;
  const shown = withoutNul(name);
  return {
    id,
    trace_id: trace,
    op_name: isTakenOp(shown) ? `span ${shown}` : shown,
    started_at: formatTimestamp(startedAt),
    ...(endedAt === null ? {} : { ended_at: formatTimestamp(endedAt) }),
    ...(failed && message !== null ? { exception: withoutNul(message) } : {}),
    attributes: { ...attributes, ...(failed ? { "otel.status_code": "ERROR" } : {}) } satisfies JsonObject,
    ...(Object.keys(rest).length === 0 ? {} : { otel_dump: rest }),
  };
}

const withoutNul = (text: string) => text.replaceAll("\0", "\uFFFD");
