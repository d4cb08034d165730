import type { ItemsRequest } from "../../request/items-request.ts";
import { ARGUMENTS, argumentsOf } from "../base/arguments.ts";
import { named, withoutNulls } from "../base/naming.ts";
import { commandRequest, tool } from "../base/tool.ts";

export const items = tool({
  name: "items",
  title: "Judge rows",
  description:
    "Which rows tell these runs apart, and which do the worse ones answer better? Negative rows first, whose reference may be wrong, then unstable ones, whose trials differ. Give all runs that there are: below 8 nothing is shown of a single row. Next: row with a row_digest, to read it.",
  input: {
    ...argumentsOf("project", "evaluations", "scorer", "filters", "confidence", "cursor"),
    scorer: ARGUMENTS.scorer.unwrap(),
  },
  quotes: false,
  run: async (asked) => {
    const { engine, project, given, signal } = asked;
    const { request, warned } = await named<ItemsRequest>(asked, given);
    const answer = await engine.items(project, request, { signal });
    const { counts, row_count, evaluations } = answer;
    return {
      warnings: warned(answer.warnings),
      items: withoutNulls(answer.rows),
      says: () => [answer.sentence],
      data: (rows) => ({ row_count, evaluations, counts, rows }),
      request: () => commandRequest("items", project, request),
    };
  },
});
