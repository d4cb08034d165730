import type { Json } from "../../../model/json.ts";
import { figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf } from "../../check/moments.ts";
import { parsePlain } from "../../read/json-pieces.ts";
import { numberAt, objectAt, textAt } from "../../read/members.ts";
import type { SourceFile } from "../../read/source-file.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { figureKey, type Instances } from "./instances.ts";
import { piecesOf } from "./run-files.ts";

const FILE = "stats.json";

/** The figures of `stats.json`: a mean over the instances of a choice of examples, and over those. */
export async function* instanceFigures(
  file: SourceFile | null,
  evaluation: string,
  instances: Instances,
  refused: number,
): AsyncGenerator<LogItem> {
  if (file === null || refused > 0) {
    const why = file === null ? "it is not there" : `${refused} parts of the log were refused`;
    yield unchecked(FILE, why);
    return;
  }
  let others = 0;
  for await (const piece of piecesOf(file, FILE, { elements: {} })) {
    if (piece.place === FILE) continue;
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
