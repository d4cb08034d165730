import path from "node:path";
import type { SourcePart } from "../../format.ts";
import { withPlace } from "../../read/fault.ts";
import { listAt, textAt } from "../../read/members.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { StepItem } from "../../../model/step-items/items.ts";
import { isTrajectory, readTrajectory } from "./atif.ts";
import { readOther } from "./read-part.ts";

/** The steps of a trial; those of a task in several steps are a frame each. */
export async function harborSteps(
  part: SourcePart,
  result: JsonObject,
  notes: Set<string>,
): Promise<StepItem[]> {
  const whole = await trajectoryIn(part, "agent", notes);
  const steps: StepItem[] = [...whole];
  for (const one of listAt(result, "step_results")) {
    const name = textAt(one, "step_name") ?? textAt(one, "name");
    if (name === null || path.basename(name) !== name) continue;
    const items = await trajectoryIn(part, path.join("steps", name, "agent"), notes);
    steps.push({ kind: "frame", name, items });
  }
  return steps;
}

async function trajectoryIn(
  part: SourcePart,
  folder: string,
  notes: Set<string>,
): Promise<readonly StepItem[]> {
  const load = async (name: string) => await readOther(part, path.join(folder, name));
  const first = await load("trajectory.json");
  if (first === null || !isTrajectory(first)) return [];
  const { items, missing } = await readTrajectory(first, load, "trajectory.json").catch((error: unknown) => {
    throw withPlace(path.join(folder, "trajectory.json"), error);
  });
  for (const name of missing) notes.add(`${part.path}: the trajectory names ${name}, which is not there`);
  return items;
}
