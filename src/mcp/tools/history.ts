import { RequestError } from "../../errors.ts";
import { nameText } from "../../model/name-text.ts";
import type { HistoryRequest } from "../../request/history-request.ts";
import type { HistoryAnswer } from "../../respond/history/history.ts";
import { historySentence } from "../../words/history.ts";
import { ARGUMENTS, argumentsOf } from "../base/arguments.ts";
import { named, spoken, unknown, withoutNulls } from "../base/naming.ts";
import { tool } from "../base/tool.ts";

export const history = tool({
  name: "history",
  title: "Tell the runs of a name",
  description:
    "Since when is it worse, and does the loss last? A sentence, worse_since (the change lies after last_good, not after evaluation_call_id), and the runs, the latest last, each against the run before and its reference. One worse run is no loss that lasts: quote the sentence. Next: compare these two with by auto.",
  input: {
    ...argumentsOf("project", "name", "scorers", "lower_is_better", "cursor"),
    limit: ARGUMENTS.history_limit,
  },
  quotes: false,
  run: async (asked) => {
    const { engine, project, given, signal } = asked;
    const { request, warned } = await named<HistoryRequest>(asked, given);
    const answer = await engine.history(project, request, { signal }).catch((error: unknown) => {
      if (!(error instanceof RequestError) || error.path[0] !== "name") throw error;
      throw unknown(error.path, error.issues[0]?.msg ?? error.message, "list_evaluations");
    });
    const { name, dimensions, entries, worse_since } = answer;
    return {
      warnings: warned(warningsOf(answer)),
      items: withoutNulls(entries),
      says: () => [spoken(historySentence(answer, request))],
      data: (shown) => ({ name, dimensions, entries: shown, worse_since }),
      request: () => ({
        argv: ["history", "--project", project, ...flagsOf(request), "--format", "json", "--", name],
        stdin: null,
      }),
    };
  },
});

/** Values of flags stand behind `=`, since they may begin with a dash. */
function flagsOf({ scorers, lower_is_better: lower, limit }: HistoryRequest): string[] {
  return [
    ...(scorers ?? []).map((one) => `--scorer=${one}`),
    ...(lower ?? []).map((one) => `--lower-is-better=${one}`),
    ...(limit == null ? [] : [`--limit=${limit}`]),
  ];
}

/** The warnings with the labels of runs as sentences for agents have them. */
function warningsOf({ warnings, entries }: HistoryAnswer): string[] {
  const labels = entries.map(({ label }) => label).toSorted((a, b) => b.length - a.length);
  return warnings.map((warning) => {
    const label = labels.find((one) => warning.includes(`${one}: `));
    return label === undefined ? warning : warning.replace(label, () => nameText(label));
  });
}
