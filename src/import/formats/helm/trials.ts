import type { Json, JsonObject } from "../../../model/json.ts";
import type { ReadContext } from "../../format.ts";
import { SourceFault, withPlace } from "../../read/fault.ts";
import type { JsonCut } from "../../read/json-cut.ts";
import { jsonPieces, parsePlain } from "../../read/json-pieces.ts";
import { checkMembers, expectObject, objectAt, pick, textAt } from "../../read/members.ts";
import type { SourceFile } from "../../read/source-file.ts";
import { hashOf } from "../../translate/ids.ts";
import { withoutMedia } from "../../translate/clean.ts";
import type { LogEvaluation, LogItem, LogTrial } from "../../translate/log-parts.ts";
import { trialKey, trialName, type InstanceFigures, type Instances, type TrialName } from "./instances.ts";
import { answerParts } from "./requests.ts";
import { STATE_FILE } from "./run.ts";

/** The requests of one trial: several where each reference is asked by itself. */
interface TrialRequests {
  readonly key: string;
  readonly name: TrialName;
  readonly place: string;
  readonly states: JsonObject[];
}

const REQUESTS_CUT: JsonCut = {
  members: {
    request_states: { elements: { members: { result: { members: { embedding: "skip" } } } } },
  },
  others: "skip",
};

/** The trials of the requests, with the figures of their instances. */
export async function* trialsOfRequests(
  file: SourceFile,
  evaluation: LogEvaluation,
  instances: Instances,
  context: ReadContext,
): AsyncGenerator<LogItem, { readonly trials: number; readonly refused: number }> {
  const done = new Set<string>();
  let open: TrialRequests | null = null;
  let refused = 0;
  let apart = 0;
  const trialOf = (requests: TrialRequests): LogItem => {
    const figures = instances.byTrial.get(requests.key);
    instances.byTrial.delete(requests.key);
    return { kind: "trial", trial: requestTrial(requests, figures, evaluation) };
  };
  for await (const state of statesOf(file, context)) {
    if (state === null) refused++;
    else if (state.key === open?.key) open.states.push(...state.states);
    else if (done.has(state.key)) apart++;
    else {
      if (open !== null) yield trialOf(open);
      done.add(state.key);
      open = state;
    }
  }
  if (open !== null) yield trialOf(open);
  if (apart > 0)
    yield {
      kind: "note",
      text: `${apart} requests lie apart from the first of their trial and are left out`,
    };
  return { trials: done.size, refused: refused + instances.refused };
}

/** The requests one by one; null for one that was refused. */
async function* statesOf(file: SourceFile, context: ReadContext): AsyncGenerator<TrialRequests | null> {
  try {
    for await (const piece of jsonPieces(file.bytes(), REQUESTS_CUT)) {
      if (piece.place === "") continue;
      const place = `${STATE_FILE}, ${piece.place}`;
      try {
        const state = expectObject(parsePlain(piece), piece.place);
        checkMembers(state, { object: ["instance", "request", "result"] }, piece.place);
        const instance = objectAt(state, "instance");
        if (instance["input"] === undefined)
          throw new SourceFault("invalid", piece.place, "lacks its instance with an input");
        const name = trialName(instance["id"], instance["perturbation"], state, piece.place);
        yield { key: trialKey(name), name, place, states: [state] };
      } catch (error) {
        if (!(error instanceof SourceFault)) throw error;
        context.refuse(new SourceFault(error.code, place, error.message, { cause: error.cause }));
        yield null;
      }
    }
  } catch (error) {
    throw withPlace(STATE_FILE, error);
  }
}

/** Trials of which there are only figures. */
export function* trialsOfInstances(
  evaluation: LogEvaluation,
  instances: Instances,
): Generator<LogItem, number> {
  for (const figures of instances.byTrial.values()) {
    const { name } = figures;
    const stable = { id: name.id, ...pick({ perturbation: name.perturbation }, ["perturbation"]) };
    const trial = trialWith(name, "per_instance_stats.json", stable, figures, evaluation);
    yield { kind: "trial", trial };
  }
  return instances.byTrial.size;
}

function requestTrial(
  { name, place, states }: TrialRequests,
  figures: InstanceFigures | undefined,
  evaluation: LogEvaluation,
): LogTrial {
  const instance = objectAt(states[0], "instance");
  const stable = pick(instance, ["id", "split", "sub_split", "perturbation", "input", "references"]);
  const bare = trialWith(name, place, stable, figures, evaluation);
  return { ...bare, ...answerParts(states, figures?.usage ?? {}, evaluation.model, name.trainTrial) };
}

function trialWith(
  name: TrialName,
  place: string,
  stable: JsonObject,
  figures: InstanceFigures | undefined,
  evaluation: LogEvaluation,
): LogTrial {
  const { id, perturbation, trainTrial } = name;
  return {
    evaluation: evaluation.id,
    place,
    sample:
      perturbation === null ? id : `${id}:${textAt(perturbation, "name") ?? ""}:${hashOf(perturbation)}`,
    trial: String(trainTrial),
    identity: { id, ...(perturbation === null ? {} : { perturbation }), epoch: trainTrial },
    stable,
    row: withoutMedia(stable) as { readonly [name: string]: Json },
    output: null,
    scores: figures?.scores ?? {},
    details: {},
    index: trainTrial,
  };
}
