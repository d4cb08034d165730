import { afterAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { caseDifferences } from "./check.ts";
import { loadCases, type CaseEvent } from "./load.ts";
import { matchesWarnings } from "../oracle/warnings.ts";

// Many cases ask one project; it is loaded once for all of them.
const engines = new Map<string, Promise<Engine>>();
afterAll(async () => {
  for (const engine of engines.values()) await (await engine).close();
});

function engineWith(events: readonly CaseEvent[]): Promise<Engine> {
  const key = JSON.stringify(events);
  const known = engines.get(key);
  if (known !== undefined) return known;
  const opened = openEngine().then(async (engine) => {
    await play(engine, events);
    return engine;
  });
  engines.set(key, opened);
  return opened;
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function play(engine: Engine, events: readonly CaseEvent[]): Promise<void> {
  for (const event of events) {
    if (event.kind === "delete") await engine.deleteCalls(event.project_id, [event.id]);
    else if (event.kind === "call") await engine.ingestCalls({ ndjson: bytes(event.line), name: "case" });
    else await engine.ingestRows({ ndjson: bytes(event.line), name: "case" });
  }
}

describe("the engine answers every case", () => {
  for (const one of loadCases()) {
    it(`${one.name} (${one.rules.join(", ")})`, async () => {
      const engine = await engineWith(one.events);
      const response = await engine.queryEvalResults(one.projectId, one.request);
      expect(caseDifferences(response, one.expected)).toEqual([]);
      expect(matchesWarnings(response.warnings, one.expected.warnings), response.warnings.join("\n")).toBe(
        true,
      );
    });
  }
});
