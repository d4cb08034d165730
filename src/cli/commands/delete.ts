import { Option } from "commander";
import type { Engine, EvaluationEntry } from "../../index.ts";
import { findEvaluation, namesakesOf } from "../../request/find-evaluation.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { checkThere } from "../options/address.ts";
import { withEngine, withProject } from "../options/database.ts";
import { type ProjectOptions, type EvalcubeCommand } from "../options/options.ts";
import { oneLine } from "../../model/plain-line.ts";
import { usageFault } from "../../request/meaningless.ts";
import { UsageError } from "../terminal/failure.ts";
import { print, type Terminal } from "../terminal/terminal.ts";
import { counted } from "../../words/figures.ts";
import { asksForOld, deleteOld, oldOptions, type OldOptions } from "./delete-old.ts";

interface DeleteOptions extends ProjectOptions, OldOptions {
  readonly yes?: true;
}

export function deleteCommand(program: EvalcubeCommand, terminal: Terminal): void {
  program
    .command("delete")
    .description("hide calls and all that is below them, for good")
    .onProject(
      new Option("--yes", "needed on a terminal, and elsewhere with --older-than: nothing comes back"),
      ...oldOptions(),
    )
    .argument("[ids...]", "ids of calls; of an evaluation also its name, latest, latest~1 or model:<name>")
    .example(
      "evalcube delete --db evals.duckdb --project acme/qa --yes latest",
      "evalcube delete --db evals.duckdb --older-than 90d --keep-latest 5 --dry-run",
    )
    .action(async (texts: readonly string[], options: DeleteOptions) => {
      if (asksForOld(texts, options)) await deleteOld(options, terminal);
      else await deleteCalls(texts, options, terminal);
    });
}

async function deleteCalls(
  texts: readonly string[],
  options: DeleteOptions,
  terminal: Terminal,
): Promise<void> {
  const { stdout, signal } = terminal;
  checkThere(options.db);
  const remove = async (engine: Engine, project: string) => {
    const before = await engine.listEvaluations(project);
    const ids = [
      ...new Set(await Promise.all(texts.map((text, i) => idOf(engine, project, before, text, i)))),
    ];
    if (stdout.isTTY === true && options.yes !== true)
      throw new UsageError(`this hides ${nameAll(ids, before)} for good; add --yes`);
    await engine.deleteCalls(project, ids, { signal });
    const lines = changes(before, await engine.listEvaluations(project));
    await print(stdout, lines.length === 0 ? "no trial was hidden\n" : lines.join(""));
  };
  await withProject(terminal, options, remove, withEngine);
}

/**
 * The id of an evaluation, or of any call. Throws `RequestError` where a text is neither, or a name that stands for
 * several evaluations.
 */
async function idOf(
  engine: Engine,
  project: string,
  list: readonly EvaluationEntry[],
  text: string,
  i: number,
): Promise<string> {
  const several = namesakesOf(text, list);
  if (several !== null) throw usageFault(["ids", i], `${several}; name one by its label or id`);
  const found = findEvaluation(text, list);
  if ("id" in found) return found.id;
  if (!found.unknown) throw usageFault(["ids", i], found.fault);
  const asked = JSON.stringify({ project_id: project, filter: { call_ids: [text] } });
  const { count } = JSON.parse(await engine.weave.countCalls(asked, { userId: "" })) as { count: number };
  if (count > 0) return text;
  throw usageFault(["ids", i], `${found.fault}; no call has this id`);
}

function nameAll(ids: readonly string[], evaluations: readonly EvaluationEntry[]): string {
  const labels = evaluationLabels(evaluations);
  return ids
    .map((id) => {
      const one = evaluations.find((evaluation) => evaluation.id === id);
      return one === undefined ? id : `${labels.get(id) ?? id} with ${counted(one.trial_count, "trial")}`;
    })
    .join(", ");
}

/** What is hidden now of each evaluation, one line each. */
function changes(before: readonly EvaluationEntry[], after: readonly EvaluationEntry[]): string[] {
  const labels = evaluationLabels(before);
  const nameOf = ({ id }: EvaluationEntry) => oneLine(labels.get(id) ?? id);
  const left = new Map(after.map((one) => [one.id, one]));
  return before.flatMap((one) => {
    const now = left.get(one.id);
    const gone = one.trial_count - (now?.trial_count ?? 0);
    if (now === undefined) return [`hidden: ${nameOf(one)} with ${counted(gone, "trial")}\n`];
    return gone === 0 ? [] : [`hidden: ${counted(gone, "trial")} of ${nameOf(one)}\n`];
  });
}
