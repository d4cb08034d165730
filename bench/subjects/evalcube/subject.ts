import { openEngine } from "../../../src/index.ts";
import type { Subject } from "../subject.ts";
import { throughEngine } from "./through-engine.ts";

/** This package on a file of DuckDB. */
export function evalcube(): Subject {
  return throughEngine("evalcube", async (store) => {
    const engine = await openEngine({ path: store, keepAnswers: false });
    return { engine, close: async () => engine.close() };
  });
}
