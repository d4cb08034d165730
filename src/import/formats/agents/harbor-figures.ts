import { figureOf, unchecked } from "../../check/agreement.ts";
import { sumOf } from "../../check/moments.ts";
import { listAt, numberAt, objectAt } from "../../read/members.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import type { Json, JsonObject } from "../../../model/json.ts";

/** What of a trial the figures of its job are made of. */
export interface HarborTrial {
  readonly name: string;
  readonly evaluation: LogEvaluation;
  readonly rewards: JsonObject;
  /** The type of its exception. */
  readonly exception: string | null;
}

/** Compares what a job states with its trials. */
export function* harborFigures(
  job: JsonObject,
  trials: readonly HarborTrial[],
  refused: number,
): Generator<LogItem> {
  const total = numberAt(job, "n_total_trials");
  const given = trials.length + refused;
  if (refused > 0 || (total !== null && total > given)) {
    const why = `${trials.length} of ${total ?? given} trials were read`;
    if (refused === 0) yield { kind: "note", text: `${why}: the run goes on` };
    yield unchecked("stats", why);
    return;
  }
  const evals = Object.entries(objectAt(job, "stats", "evals"));
  for (const [name, stated] of evals) {
    const id = evaluationOf(stated, trials) ?? (evals.length === 1 ? trials[0]?.evaluation.id : undefined);
    if (id === undefined) yield unchecked(name, "none of its trials is named");
    else
      yield* evalFigures(
        stated,
        id,
        trials.filter((one) => one.evaluation.id === id),
      );
  }
}

/** The evaluation of the trials that a list of figures names. */
function evaluationOf(stated: Json, trials: readonly HarborTrial[]): string | undefined {
  const lists = [...Object.values(objectAt(stated, "reward_stats")), objectAt(stated, "exception_stats")];
  const names = new Set(lists.flatMap((one) => Object.values(objectAt(one)).flat()));
  return trials.find(({ name }) => names.has(name))?.evaluation.id;
}

function* evalFigures(stated: Json, id: string, trials: readonly HarborTrial[]): Generator<LogItem> {
  const key = scoreOf(trials);
  const values = trials.map(({ rewards }) => Number(rewards[key] ?? 0));
  const counts = {
    n_trials: trials.filter(({ rewards }) => Object.keys(rewards).length > 0).length,
    n_errors: trials.filter(({ exception }) => exception !== null).length,
  };
  for (const [name, computed] of Object.entries(counts)) {
    const figure = numberAt(stated, name);
    if (figure !== null) yield figureOf(id, null, name, figure, computed);
  }
  for (const metric of listAt(stated, "metrics"))
    for (const [name, value] of Object.entries(objectAt(metric))) {
      if (typeof value !== "number") continue;
      // Harbor counts a trial without a reward as 0.
      if (name === "mean") yield figureOf(id, key, name, value, sumOf(values) / trials.length);
      else yield unchecked(`${key} ${name}`, "the metric is not known");
    }
  for (const [reward, lists] of Object.entries(objectAt(stated, "reward_stats")))
    for (const [value, names] of Object.entries(objectAt(lists))) {
      const own = new Set(Array.isArray(names) ? (names as readonly Json[]) : []);
      const alike = trials.filter(({ name, rewards }) => own.has(name) && rewards[reward] === Number(value));
      yield figureOf(id, reward, `trials of ${value}`, own.size, alike.length);
    }
}

/** The reward of which a mean is stated. */
function scoreOf(trials: readonly HarborTrial[]): string {
  const names = new Set(trials.flatMap(({ rewards }) => Object.keys(rewards)));
  return names.size === 1 && !names.has("reward") ? String([...names][0]) : "reward";
}
