import { RequestError, type InputPath } from "../errors.ts";
import { checkArgument } from "../model/arguments.ts";
import { boundFault, MOST_BYTES, MOST_VALUES, type JsonBounds } from "../model/json-bounds.ts";
import { listItems } from "../model/member-texts.ts";
import { inOwnTurn, mapInSlices } from "../model/turns.ts";
import {
  jobRequestSchema,
  MAX_GROUPS,
  MAX_TRAJECTORIES,
  trajectoryGroupSchema,
  trajectorySchema,
  type JobRequest,
} from "./job-request.ts";
import { trajectoryRecord, type TrajectoryRecord } from "./trajectories.ts";

/** What one trajectory may have, where nobody says otherwise. */
const BOUNDS: JsonBounds = { depth: 64, values: MOST_VALUES, bytes: 2 * MOST_BYTES };

/** A request that was read trajectory by trajectory, without them. */
interface ReadJob {
  readonly request: JobRequest;
  readonly records: readonly TrajectoryRecord[];
}

/** Reads a long request trajectory by trajectory, so that it does not keep others waiting. Throws `RequestError`. */
export async function readJob(text: string, bounds = BOUNDS): Promise<ReadJob> {
  let rest = "";
  function* trajectories() {
    rest = yield* trajectoryTexts(text, bounds);
  }
  try {
    const records = await mapInSlices(trajectories(), ({ group, index, text: one }) => {
      const place = ["trajectory_groups", group, "trajectories", index];
      checkBounds(one, bounds, place);
      return inOwnTurn(one, () =>
        trajectoryRecord(checkArgument(JSON.parse(one), trajectorySchema, place), group, index),
      );
    });
    return { request: checkArgument(parse(rest, bounds, []), jobRequestSchema), records };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw fault([], `must be the JSON text of a job: it ${error.message}`);
  }
}

function* trajectoryTexts(text: string, bounds: JsonBounds) {
  const groups = listItems(text, ["trajectory_groups"]);
  for (let group = 0; ; group++) {
    const { done, value } = groups.next();
    if (done === true) return value;
    const place = ["trajectory_groups", group];
    if (group === MAX_GROUPS) throw fault(["trajectory_groups"], `must have at most ${MAX_GROUPS} items`);
    const items = listItems(value, ["trajectories"]);
    let index = 0;
    let item = items.next();
    for (; item.done !== true; item = items.next(), index++) {
      if (index === MAX_TRAJECTORIES)
        throw fault([...place, "trajectories"], `must have at most ${MAX_TRAJECTORIES} items`);
      yield { group, index, text: item.value };
    }
    checkArgument(parse(item.value, bounds, place), trajectoryGroupSchema, place);
  }
}

function parse(text: string, bounds: JsonBounds, place: InputPath): unknown {
  checkBounds(text, bounds, place);
  return JSON.parse(text);
}

function checkBounds(text: string, bounds: JsonBounds, place: InputPath): void {
  const found = boundFault(text, bounds);
  if (found !== null) throw fault(place, found.msg);
}

function fault(loc: InputPath, msg: string): RequestError {
  return new RequestError("schema", [{ loc, msg, type: "invalid_value" }]);
}
