import { evaluationLabels } from "../../model/labels.ts";
import { modelName } from "../../model/references.ts";
import { counted, datasetText } from "../../words/figures.ts";
import { ARGUMENTS, argumentsOf } from "../base/arguments.ts";
import { spoken } from "../base/naming.ts";
import { tool } from "../base/tool.ts";
import type { EvaluationEntry } from "../../engine/catalog/list-evaluations.ts";
import { allFailed } from "../../words/errors.ts";

export const listEvaluations = tool({
  name: "list_evaluations",
  title: "List evaluations",
  description:
    "Which runs are there, and which is the latest? Id, name, model, dataset, start, status, user, trials, errors, the latest first. A run that is not finished may lack rows: say so before you compare it. Other tools take the id, the name, latest, latest~1 (the run before) or model:NAME. Next: compare for two runs, leaderboard for several, summary for one.",
  input: {
    ...argumentsOf("project", "search", "cursor"),
    search: ARGUMENTS.search.describe("in name, model, user or id"),
  },
  quotes: true,
  run: async ({ engine, project, given, signal, offset }) => {
    const list = await engine.listEvaluations(project, { signal });
    const labels = evaluationLabels(list);
    const wanted = given.search?.toLowerCase() ?? "";
    const items = list
      .map((one) => {
        const { id, model_ref: ref, dataset_ref, started_at, status, user, trial_count, error_count } = one;
        const model = ref === null ? null : modelName(ref);
        const dataset = datasetText(dataset_ref, one);
        const told = {
          id,
          name: labels.get(id) ?? id,
          model,
          dataset,
          started_at,
          status,
          user,
          trial_count,
        };
        const errors = error_count === 0 ? {} : { quoted: { top_error: one.top_error } };
        return { ...told, error_count, ...errors };
      })
      .filter(({ id, name, model, user }) =>
        [id, name, model, user].some((one) => one?.toLowerCase().includes(wanted)),
      )
      .toSorted((a, b) => byText(b.started_at ?? "", a.started_at ?? "") || byText(a.id, b.id));
    return {
      items,
      says: (shown) => [
        `${counted(items.length, "evaluation")}.`,
        ...items.slice(offset, offset + shown).flatMap(failedLine),
      ],
      data: (evaluations) => ({ evaluations, total: items.length }),
      request: () => ({ argv: ["evaluations", "--project", project, "--format", "json"], stdin: null }),
    };
  },
});

function failedLine({
  name,
  error_count: failed,
  trial_count: trials,
}: Pick<EvaluationEntry, "error_count" | "trial_count"> & { readonly name: string }): string[] {
  const sentence = allFailed({ text: name, full: name }, failed, trials);
  return sentence === null ? [] : [spoken(sentence)];
}

function byText(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}
