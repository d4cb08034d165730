import { compilePatternCheck } from "../../compile/filter/operators.ts";
import { StoreError } from "../../errors.ts";
import { malformed } from "../../request/meaningless.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { operandsOf, type Expression } from "../../request/expression.ts";
import type { PatternText } from "../../request/operators.ts";
import type { Session } from "../../store/session.ts";

const MAX_PATTERNS = 20;

/** What was checked: the groups of a comparison share the filters of their request. */
const checked = new WeakSet<EvalRequest["filters"]>();

/**
 * Checks the regular expressions of a request, once, with DuckDB, which will match them. Throws `RequestError` on more
 * than {@link MAX_PATTERNS} patterns, and on one that DuckDB refuses.
 */
export async function checkPatterns(session: Session, { filters }: EvalRequest): Promise<void> {
  if (checked.has(filters)) return;
  const patterns = filters.flatMap(({ condition }) => patternsOf(condition));
  const beyond = patterns[MAX_PATTERNS];
  if (beyond !== undefined)
    throw malformed(beyond.loc, `a request may have at most ${MAX_PATTERNS} $regex patterns`, "too_many");
  for (const one of patterns) {
    try {
      await session.all(compilePatternCheck(one));
    } catch (error) {
      const reason = refusal(error);
      throw reason === null
        ? error
        : malformed(one.loc, `not a regular expression of RE2: ${reason}`, "invalid_pattern");
    }
  }
  checked.add(filters);
}

function patternsOf(expression: Expression): PatternText[] {
  const own = expression.kind === "$regex" ? [expression.settings] : [];
  return [...own, ...operandsOf(expression).flatMap(patternsOf)];
}

/** DuckDB's reason for refusing a value; null for any other error. */
function refusal(error: unknown): string | null {
  const cause = error instanceof StoreError ? error.cause : null;
  const message = cause instanceof Error ? cause.message : "";
  return /^Invalid Input Error: ([^\n]*)/.exec(message)?.[1] ?? null;
}
