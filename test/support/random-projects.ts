import fc from "fast-check";
import type { Engine } from "../../src/index.ts";
import { events } from "../oracle/arbitraries.ts";
import type { OracleEvent } from "../oracle/calls.ts";
import { asText } from "../oracle/json.ts";
import { play } from "../oracle/play.ts";

/** Random projects, each with a name of its own, and how they are loaded. */
export function randomProjects(seed: number, count: number) {
  const samples = fc.sample(events, { seed, numRuns: count });
  const names = new Set<string>();
  const renamed = samples.map((sample, i) =>
    sample.map((event): OracleEvent => {
      if (event.kind === "delete") return { ...event, project_id: `${event.project_id}-${i}` };
      const name = `${asText(event.record.get("project_id"))}-${i}`;
      names.add(name);
      return { ...event, record: new Map([...event.record, ["project_id", name]]) };
    }),
  );
  const load = async (engine: Pick<Engine, "deleteCalls" | "ingestCalls" | "ingestRows">) => {
    for (const sample of renamed) await play(engine, sample, 1000);
  };
  return { names: [...names], load };
}
