import { rm } from "node:fs/promises";
import type { openEngine } from "../../../src/index.ts";
import { projectId } from "../../generate/parameters.ts";
import { toRequest } from "../../question.ts";
import { holder } from "../holder.ts";
import type { Subject } from "../subject.ts";

type Engine = Awaited<ReturnType<typeof openEngine>>;

/** An engine over what a store holds, and what ends both. */
export interface OpenedEngine {
  readonly engine: Engine;
  close(): Promise<void>;
}

/** This package, through what it exports. */
export function throughEngine(name: string, open: (store: string) => Promise<OpenedEngine>): Subject {
  const opened = holder<OpenedEngine>(name, async (one) => one.close());
  return {
    name,
    load: async (files, store) => {
      await rm(store, { recursive: true, force: true });
      await opened.replace(open(store));
      const { engine } = opened.get();
      await engine.ingestRows(files.rows);
      await engine.ingestCalls(files.calls);
    },
    open: async (_files, store) => opened.replace(open(store)),
    answer: async (question) => opened.get().engine.queryEvalResults(projectId, toRequest(question)),
    text: async (question) => opened.get().engine.queryEvalResultsJson(projectId, toRequest(question)),
    add: async (batch) => {
      await opened.get().engine.ingestCalls<object>(batch.calls);
    },
    close: async () => opened.close(),
  };
}
