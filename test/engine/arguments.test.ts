import { symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine, scratchFolder } from "../support/scratch.ts";

/** Calls a function as JavaScript may, with anything. */
async function called(method: (...args: never) => unknown, ...args: readonly unknown[]): Promise<unknown> {
  const result: unknown = await Reflect.apply(method, undefined, args);
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) return result;
  return await (result as AsyncGenerator).next();
}

const REQUEST = { evaluation_call_ids: [EVALUATION] };

const QUESTIONS = {
  queryEvalResults: REQUEST,
  queryEvalResultsJson: REQUEST,
  streamEvalResults: REQUEST,
  compareEvaluations: { baseline: EVALUATION, candidates: ["f"] },
  items: { evaluations: [EVALUATION], scorer: "acc" },
  agreement: { evaluations: [EVALUATION], a: "acc", b: "ok" },
} as const;

describe.each(Object.entries(QUESTIONS))("%s", (name, request) => {
  const ask = (engine: Engine) => engine[name as keyof typeof QUESTIONS];

  it.each([null, undefined, 5n, {}, "a\0b", "qa", "a/b/c", "/qa"])(
    "refuses what names no project: %o",
    async (project) => {
      const engine = await scratchEngine();
      expect(await refusal(called(ask(engine), project, request))).toMatchObject({
        code: "invalid_option",
        message: expect.stringMatching(/^project must be ENTITY\/PROJECT.*, not /) as unknown,
      });
    },
  );

  it.each([
    [null, "options must be an object with signal"],
    [{ signal: 1 }, "signal must be an AbortSignal, not 1"],
    [{ timeout: 1 }, 'there is no option "timeout"; there are signal'],
  ])("refuses options that there are not: %o", async (options, message) => {
    const engine = await scratchEngine();
    expect(await refusal(called(ask(engine), PROJECT, request, options))).toMatchObject({ message });
  });
});

describe.each(["explain", "listEvaluations"] as const)("%s", (name) => {
  it("refuses a project that is no text", async () => {
    const engine = await scratchEngine();
    expect(await refusal(called(engine[name], 1, {}))).toMatchObject({ code: "invalid_option" });
  });
});

describe.each(["ingestCalls", "ingestRows", "ingestFile"] as const)("%s", (name) => {
  it.each([
    [null, "options must be an object with onInvalid, signal, onProgress"],
    [{ onInvalid: "ignore" }, 'onInvalid must be "fail" or "skip"'],
    [{ onProgress: true }, "onProgress must be a function"],
    [{ signal: {} }, "signal must be an AbortSignal"],
  ])("refuses options that there are not, and stores nothing: %o", async (options, message) => {
    const engine = await scratchEngine();
    const refused = await refusal(called(engine[name], [root(), trial("t", 1)], options));
    expect(refused).toMatchObject({ code: "invalid_option" });
    expect(refused.message).toContain(message);
    expect(await engine.listEvaluations(PROJECT)).toEqual([]);
  });
});

describe("a path to load", () => {
  it("into a folder with a link to nothing is refused as what cannot be read", async () => {
    const engine = await scratchEngine();
    const folder = scratchFolder();
    symlinkSync("nowhere", path.join(folder, "calls.ndjson"));
    expect(await refusal(engine.ingestCalls(folder))).toMatchObject({
      code: "no_source",
      message: expect.stringContaining(`${folder}/calls.ndjson: cannot be read: no such file`) as unknown,
    });
  });

  it("that is no pattern is refused as what cannot be read", async () => {
    const engine = await scratchEngine();
    expect(await refusal(engine.ingestCalls(path.join(scratchFolder(), "[z-a]")))).toMatchObject({
      code: "no_source",
    });
  });
});
