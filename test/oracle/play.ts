import type { Engine } from "../../src/index.ts";
import type { OracleEvent } from "./calls.ts";
import { lineOf } from "./events.ts";

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Consecutive records of one kind are one source, up to `size` of them. */
function sources(events: readonly OracleEvent[], size: number): OracleEvent[][] {
  const groups: OracleEvent[][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (last !== undefined && last[0]?.kind === event.kind && last.length < size) last.push(event);
    else groups.push([event]);
  }
  return groups;
}

/** Loads the events in their order, `size` records of one kind at a time. */
export async function play(
  engine: Pick<Engine, "deleteCalls" | "ingestCalls" | "ingestRows">,
  events: readonly OracleEvent[],
  size: number,
): Promise<void> {
  for (const group of sources(events, size)) {
    const lines = group.flatMap((event) => (event.kind === "delete" ? [] : [lineOf(event)])).join("\n");
    const first = group[0];
    if (first?.kind === "call") await engine.ingestCalls({ ndjson: bytes(lines), name: "calls" });
    else if (first?.kind === "row") await engine.ingestRows({ ndjson: bytes(lines), name: "rows" });
    else
      for (const event of group)
        if (event.kind === "delete") await engine.deleteCalls(event.project_id, [event.id]);
  }
}
