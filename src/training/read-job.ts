import type { z } from "zod";
import { RequestError, type InputPath, requestFault } from "../errors.ts";
import { checkArgument } from "../model/arguments.ts";
import { boundFault, MOST_BYTES, MOST_VALUES, type JsonBounds } from "../model/json-bounds.ts";
import { parseLongJson } from "../model/json.ts";
import { nestedItems } from "../model/member-texts.ts";
import { inOwnTurn, isLongText, mapInSlices, nextTurn } from "../model/turns.ts";
import { MAX_GROUPS, MAX_TRAJECTORIES, trajectorySchema, type JobRequest } from "./job-request.ts";

/** What one trajectory may have, where nobody says otherwise. */
const BOUNDS: JsonBounds = { depth: 64, values: MOST_VALUES, bytes: 2 * MOST_BYTES };

/** A trajectory of a request: what was read, its JSON text, and its place. */
export interface SentTrajectory {
  readonly trajectory: JobRequest["trajectory_groups"][number]["trajectories"][number];
  readonly text: string;
  readonly group: number;
  readonly index: number;
}

/**
 * Reads a long request trajectory by trajectory, so that it does not keep others waiting. Throws `RequestError`. `rest`
 * is its JSON text without them, `request` what that says.
 */
export async function readJob<T extends z.ZodType, Result>(
  text: string,
  schema: T,
  read: (sent: SentTrajectory) => Result,
  { depth, values, bytes = Infinity }: JsonBounds = BOUNDS,
) {
  const bounds = { depth, values, bytes };
  let rest = "";
  function* trajectories() {
    rest = yield* nestedItems(text, ["trajectory_groups", "trajectories"], bounds, (group) => {
      if (group === MAX_GROUPS) throw tooMany(["trajectory_groups"], MAX_GROUPS);
    });
  }
  try {
    const results = await mapInSlices(trajectories(), async ([group, index, one]) => {
      const list = ["trajectory_groups", group, "trajectories"];
      if (index === MAX_TRAJECTORIES) throw tooMany(list, MAX_TRAJECTORIES);
      const parsed = await parse(one, bounds, [...list, index]);
      const trajectory = checkArgument(parsed, trajectorySchema, [...list, index]);
      return read({ trajectory, text: one, group, index });
    });
    await nextTurn();
    return { request: checkArgument(await parse(rest, bounds, []), schema), rest, results };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw fault([], `must be the JSON text of a job: it ${error.message}`);
  }
}

async function parse(text: string, bounds: JsonBounds, place: InputPath): Promise<unknown> {
  const found = await inOwnTurn(text, () => boundFault(text, bounds));
  if (found !== null) throw fault(place, found.msg);
  return isLongText(text) ? parseLongJson(text) : inOwnTurn(text, () => JSON.parse(text) as unknown);
}

function tooMany(loc: InputPath, most: number): RequestError {
  return fault(loc, `must have at most ${most} items`);
}

function fault(loc: InputPath, msg: string): RequestError {
  return requestFault("schema", loc, msg, "invalid_value");
}
