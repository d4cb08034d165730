import { rm } from "node:fs/promises";
import { openEngine } from "../../../src/index.ts";
import { projectId } from "../../generate/parameters.ts";
import { toRequest } from "../../question.ts";
import { holder } from "../holder.ts";
import type { Subject } from "../subject.ts";

type Engine = Awaited<ReturnType<typeof openEngine>>;

/** This package, through what it exports. */
export function evalcube(): Subject {
  const engine = holder<Engine>("evalcube", async (opened) => opened.close());
  return {
    name: "evalcube",
    load: async (files, store) => {
      await rm(store, { force: true });
      await engine.replace(openEngine({ path: store, keepAnswers: false }));
      await engine.get().ingestRows(files.rows);
      await engine.get().ingestCalls(files.calls);
    },
    open: async (_files, store) => engine.replace(openEngine({ path: store, keepAnswers: false })),
    answer: async (question) => engine.get().queryEvalResults(projectId, toRequest(question)),
    add: async (batch) => {
      await engine.get().ingestCalls(batch.calls);
    },
    close: async () => engine.close(),
  };
}
