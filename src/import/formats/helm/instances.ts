import { figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf } from "../../check/moments.ts";
import type { ReadContext } from "../../format.ts";
import { piecesOf } from "./run.ts";
import { orRefused, SourceFault } from "../../read/fault.ts";
import { parsePlain } from "../../read/json-pieces.ts";
import {
  checkMembers,
  expectObject,
  listAt,
  numberAt,
  objectAt,
  pick,
  textAt,
  wholeAt,
} from "../../read/members.ts";
import type { SourceFile } from "../../read/source-file.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { canonicalJson } from "../../../model/digest.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";

const FILE = "per_instance_stats.json";

/** What identifies a trial: an instance, how it was perturbed, and the choice of examples. */
export interface TrialName {
  readonly id: string;
  readonly perturbation: JsonObject | null;
  readonly trainTrial: number;
}

/** The figures of a trial. */
export interface InstanceFigures {
  readonly name: TrialName;
  readonly scores: { [name: string]: Json };
  readonly usage: { [name: string]: number };
}

/** The figures of all trials. */
export interface Instances {
  /** By `trialKey`. Whoever makes a trial of one takes it away. */
  readonly byTrial: Map<string, InstanceFigures>;
  /** The means of the instances, by `figureKey` and choice of examples. */
  readonly means: Map<string, Map<number, number[]>>;
  readonly wants: (name: string) => boolean;
}

export function trialKey({ id, perturbation, trainTrial }: TrialName): string {
  return canonicalJson([id, perturbation, trainTrial]);
}

/** What tells one figure from another: name, split, part of the split, perturbation. */
function figureKey(name: JsonObject): string {
  return canonicalJson(pick(name, ["name", "split", "sub_split", "perturbation"]));
}

/** The name of a trial, from an instance or from its figures. Throws {@link SourceFault}. */
export function trialName(
  id: Json | undefined,
  perturbation: Json | undefined,
  of: JsonObject,
  place: string,
): TrialName {
  if (typeof id !== "string" || id === "")
    throw new SourceFault("invalid", place, "lacks the id of its instance");
  return {
    id,
    perturbation: isJsonObject(perturbation) ? perturbation : null,
    trainTrial: wholeAt(of, "train_trial_index", place) ?? 0,
  };
}

/** Reads the figures of all instances; of one trial they may come in several elements. */
export async function readInstances(file: SourceFile | null, context: ReadContext): Promise<Instances> {
  const wants = (name: string) => context.allMetrics || !isBookkeeping(name);
  const instances: Instances = { byTrial: new Map(), means: new Map(), wants };
  if (file === null) return instances;
  for await (const piece of piecesOf(file, FILE, { elements: {} })) {
    const { place } = piece;
    if (place === FILE) continue;
    const add = () => addInstance(instances, expectObject(parsePlain(piece), place), place);
    orRefused(add, place, context.refuse);
  }
  return instances;
}

function addInstance(instances: Instances, element: JsonObject, place: string): void {
  const name = trialName(element["instance_id"], element["perturbation"], element, place);
  if (!Array.isArray(element["stats"])) throw new SourceFault("invalid", place, "lacks its list of stats");
  const key = trialKey(name);
  const found = instances.byTrial.get(key) ?? { name, scores: {}, usage: {} };
  instances.byTrial.set(key, found);
  for (const [i, stat] of listAt(element, "stats").entries())
    addStat(instances, found, expectObject(stat, `${place}.stats[${i}]`), `${place}.stats[${i}]`);
}

function addStat(
  instances: Instances,
  { name: trial, scores, usage }: InstanceFigures,
  stat: JsonObject,
  place: string,
): void {
  checkMembers(stat, { object: ["name"], number: ["count", "sum", "mean"] }, place);
  const name = objectAt(stat, "name");
  const key = textAt(name, "name");
  if (key === null) throw new SourceFault("invalid", place, "lacks its name");
  const count = numberAt(stat, "count") ?? 0;
  const computedOn = textAt(name, "perturbation", "computed_on");
  if (count <= 0 || (computedOn !== null && computedOn !== "perturbed")) return;
  const sum = numberAt(stat, "sum");
  const mean = numberAt(stat, "mean") ?? (sum === null ? null : sum / count);
  if (mean !== null && key.endsWith("_tokens")) usage[key] = mean;
  if (!instances.wants(key)) return;
  scores[key] = mean;
  if (mean === null) return;
  const byTrial = instances.means.get(figureKey(name)) ?? new Map<number, number[]>();
  instances.means.set(figureKey(name), byTrial);
  const means = byTrial.get(trial.trainTrial);
  if (means === undefined) byTrial.set(trial.trainTrial, [mean]);
  else means.push(mean);
}

const NAMES = new Set([
  "num_references",
  "num_train_trials",
  "num_train_instances",
  "prompt_truncated",
  "num_prompt_tokens",
  "num_completion_tokens",
  "num_output_tokens",
  "training_co2_cost",
  "training_energy_cost",
  "inference_runtime",
  "batch_size",
  "logprob",
  "num_perplexity_tokens",
  "num_bytes",
  "num_instances",
  "inference_denoised_runtime",
  "inference_idealized_runtime",
  "max_prob",
]);

/** Whether a figure is what HELM counts for itself, and no score. */
function isBookkeeping(name: string): boolean {
  return NAMES.has(name) || name.startsWith("finish_reason_");
}

const STATS_FILE = "stats.json";

/** The figures of `stats.json`: a mean over the instances of a choice of examples, and over those. */
export async function* instanceFigures(
  file: SourceFile | null,
  evaluation: string,
  instances: Instances,
  refused: number,
): AsyncGenerator<LogItem> {
  if (file === null || refused > 0) {
    const why = file === null ? "it is not there" : `${refused} parts of the log were refused`;
    yield unchecked(STATS_FILE, why);
    return;
  }
  let others = 0;
  for await (const piece of piecesOf(file, STATS_FILE, { elements: {} })) {
    if (piece.place === STATS_FILE) continue;
    const stat = parsePlain(piece);
    const computedOn = textAt(stat, "name", "perturbation", "computed_on");
    if (computedOn !== null && computedOn !== "perturbed") others++;
    else yield* statFigures(stat, evaluation, instances);
  }
  if (others > 0)
    yield unchecked(`${others} figures over several perturbations`, "they belong to no instance");
}

function* statFigures(stat: Json, evaluation: string, { means, wants }: Instances): Generator<LogItem> {
  const name = objectAt(stat, "name");
  const key = textAt(name, "name");
  const stated = numberAt(stat, "mean");
  if (key === null || !wants(key) || stated === null) return;
  const split = [textAt(name, "split"), textAt(name, "sub_split"), textAt(name, "perturbation", "name")];
  const statName = ["mean", ...split.filter((part) => part !== null)].join(" ");
  const byTrial = means.get(figureKey(name));
  if (byTrial === undefined) {
    yield unchecked(`${key} ${statName}`, "no instance has it; it is a figure of the whole run");
    return;
  }
  const computed = meanOf(Array.from(byTrial.values(), meanOf));
  yield figureOf(evaluation, key, statName, stated, computed);
}
