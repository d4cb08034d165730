import path from "node:path";
import type { ReadContext, SourcePart } from "../../format.ts";
import { hashOf, rootId } from "../../translate/ids.ts";
import { numberAt, objectAt, textAt } from "../../read/members.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import type { JsonObject } from "../../../model/json.ts";
import { createAgentTrials, tokensIn, type AgentTrial } from "./agent-trial.ts";
import { readTrajectory } from "./atif.ts";
import { orSkipped, readOther, readPart } from "./read-part.ts";

/** Trials of trajectories that lie in no job: nothing says whether they passed. */
export async function* loneTrajectories(
  parts: readonly SourcePart[],
  { refuse, table }: ReadContext,
): AsyncGenerator<LogItem> {
  const trials = createAgentTrials();
  const named = new Set<string>();
  const told: { readonly one: AgentTrial; readonly path: string }[] = [];
  for (const [i, part] of parts.entries()) {
    const load = async (name: string) => {
      named.add(path.join(path.dirname(part.path), name));
      return await readOther(part, name);
    };
    const read = async () => await trialOf(await readPart(part), part, i, load, table.taskName);
    const one = await orSkipped(read, part.path, refuse);
    if (one !== null) told.push({ one, path: path.normalize(part.path) });
  }
  for (const { one, path: own } of told) if (!named.has(own)) yield trials.item(one);
  yield* trials.notes();
}

async function trialOf(
  first: JsonObject,
  part: SourcePart,
  index: number,
  load: (name: string) => Promise<JsonObject | null>,
  task = "harbor",
): Promise<AgentTrial> {
  const { items, asked, last } = await readTrajectory(first, load, path.basename(part.path));
  const agent = textAt(first, "agent", "name") ?? "agent";
  const model = textAt(first, "agent", "model_name") ?? agent;
  const total = objectAt(last, "final_metrics");
  const session = textAt(first, "session_id") ?? path.basename(part.path);
  const starts = items.flatMap(({ startedAt }) => startedAt ?? []);
  return {
    evaluation: {
      id: rootId("harbor", hashOf([task, agent, model])),
      knownBy: "file",
      task,
      model,
      label: agent,
      spec: { agent: objectAt(first, "agent") },
    },
    place: part.path,
    sample: session,
    identity: { session_id: session },
    stable: { instruction: asked },
    scores: {},
    details: {},
    index,
    startedAt: starts[0] ?? null,
    seconds: null,
    failure: null,
    tokens: tokensIn(total, "total_prompt_tokens", "total_completion_tokens", "total_cached_tokens"),
    cost: numberAt(total, "total_cost_usd"),
    steps: items,
  };
}
