import { afterAll, describe, expect, it } from "vitest";
import { openEngine, RequestError, type EvaluationOptions } from "../../src/index.ts";
import { PROJECT } from "../support/records.ts";
import { trialsOf } from "./reading.ts";

const engine = await openEngine();
afterAll(() => engine.close());

const OPTIONS: EvaluationOptions<unknown> = { name: "refused", model: "bot" };
const start = (options: object = {}) =>
  engine.startEvaluation<unknown, unknown>(PROJECT, { ...OPTIONS, ...options });

const circle: Record<string, unknown> = {};
circle["self"] = { back: circle };

describe("a value that JSON cannot hold", () => {
  it.each<[unknown, string]>([
    [{ score: Number.NaN }, "row.score: NaN is no JSON number"],
    [{ a: [1, { b: -Infinity }] }, "row.a[1].b: -Infinity is no JSON number"],
    [{ "a b": () => 1 }, 'row["a b"]: a function is no JSON value'],
    [{ a: Symbol("x") }, "row.a: a symbol is no JSON value"],
    [undefined, "row: undefined is no JSON value"],
    [{ a: new Map([[1, 2]]) }, "row.a: a Map is no JSON value"],
    [{ a: Promise.resolve() }, "row.a: a Promise is no JSON value"],
    [{ a: new Uint8Array(2) }, "row.a: an Uint8Array is no JSON value"],
    [{ a: new Date(Number.NaN) }, "row.a: an invalid Date is no JSON value"],
    [circle, "row.self.back: refers to itself, which JSON cannot"],
  ])("is refused as a row with its path", (row, message) => {
    const run = start();
    expect(() => run.startPrediction(row)).toThrow(message);
    expect(() => run.startPrediction(row)).toThrow(
      expect.objectContaining({ code: "invalid_value" }) as Error,
    );
  });

  it("is refused where it is nested too deep", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 2000; i++) deep = [deep];
    expect(() => start().startPrediction(deep)).toThrow("row: is nested more than 992 levels deep");
  });

  it("is refused as an output, and the trial goes on", async () => {
    const run = start();
    const prediction = run.startPrediction(1);
    expect(() => prediction.output({ logits: [Number.NaN] })).toThrow(
      "output.logits[0]: NaN is no JSON number",
    );
    prediction.output("x");
    await prediction.finish();
    await run.finish();
    expect(await trialsOf(engine, run.id)).toMatchObject([{ model_output: "x" }]);
  });

  it.each<[unknown, string]>([
    [Number.NaN, "scores.acc: NaN is no JSON number"],
    [{ deep: { f1: Infinity } }, "scores.acc.deep.f1: Infinity is no JSON number"],
    [undefined, "scores.acc: undefined is no JSON value"],
    [[1, 2], "scores.acc: a list is no score; name its items in an object"],
    [{ each: [1] }, "scores.acc.each: a list is no score"],
    [new Date(), "scores.acc: a Date is no score"],
  ])("is refused as a score, and the trial goes on", async (value, message) => {
    const run = start();
    const prediction = run.startPrediction(1);
    expect(() => prediction.logScore("acc", value as number)).toThrow(message);
    prediction.logScore("acc", 1);
    await prediction.finish();
    await run.finish();
    expect(await trialsOf(engine, run.id)).toMatchObject([{ scores: { acc: 1 } }]);
  });

  it("is refused as the name of a scorer", () => {
    const prediction = start().startPrediction(1);
    expect(() => prediction.logScore("", 1)).toThrow("scorer: must be a text that is not empty");
    expect(() => prediction.logScore("a\0", 1)).toThrow("scorer: must not contain U+0000");
  });

  it("is refused as the name of a scorer of a whole trial, which keeps its other scores", async () => {
    const run = start();
    const scores = { "\ud800": 1, good: 2, ["__proto__"]: 3, constructor: 4 };
    await expect(run.logExample({ row: 1, output: 1, scores })).rejects.toThrow("half of a surrogate pair");
    expect(await run.finish()).toMatchObject({ trials: 1, errors: 0 });
    const [trial] = await trialsOf(engine, run.id);
    const expected = { good: 2, ["__proto__"]: 3, constructor: 4 };
    expect(new Map(Object.entries(trial?.scores ?? {}))).toEqual(new Map(Object.entries(expected)));
  });

  it("is refused in a summary, and the evaluation can be finished without it", async () => {
    const run = start();
    await expect(run.finish({ summary: { cost: Number.NaN } })).rejects.toThrow("summary.cost: NaN");
    expect((await run.finish()).status).toBe("finished");
  });
});

describe("names of models and datasets", () => {
  it.each<[object, string]>([
    [{ model: "openai/gpt-4" }, 'model: "openai/gpt-4" has "/", which a name cannot have'],
    [{ model: "" }, "model: must not be empty"],
    [{ model: "bot:" }, "model.version: must not be empty"],
    [{ model: { name: "a:b" } }, 'model.name: "a:b" has ":", which a name cannot have'],
    [{ model: { name: "bot", version: "1/2" } }, 'model.version: "1/2" has "/", which a name cannot have'],
    [{ model: "bot", dataset: "a\nb" }, "has U+000A, which a name cannot have"],
    [{ model: { name: "bot", temperature: Number.NaN } }, "model.temperature: NaN is no JSON number"],
    [{ attributes: { seed: Infinity } }, "attributes.seed: Infinity is no JSON number"],
  ])("are refused where a reference cannot hold them: %j", (options, message) => {
    expect(() => start(options)).toThrow(message);
  });

  it.each<[object, string, string]>([
    [{ model: "bot" }, "svc:///acme/qa/object/bot:latest", "refused"],
    [{ model: "bot:7:b", dataset: "q:v1" }, "svc:///acme/qa/object/bot:7:b", "svc:///acme/qa/object/q:v1"],
    [
      { model: "weave:///a/b/object/m:x", dataset: { name: "q", version: "2" } },
      "weave:///a/b/object/m:x",
      "svc:///acme/qa/object/q:2",
    ],
    [{ model: { name: "bot", version: "8", temperature: 0 } }, "svc:///acme/qa/object/bot:8", "refused"],
  ])("become references: %j", async (options, model, self) => {
    const run = start(options);
    await run.finish();
    const list = await engine.listEvaluations(PROJECT);
    expect(list.find(({ id }) => id === run.id)).toMatchObject({ model_ref: model, evaluation_ref: self });
  });

  it("keep what else is said of the model in the attributes of the root", async () => {
    const run = start({ model: { name: "bot", temperature: 0.2 }, attributes: { commit: "abc" } });
    await run.finish();
    const [row] = await engine.sql(PROJECT, "select record from calls where id = $1", [run.id]);
    expect(JSON.parse(String(row?.["record"]))).toMatchObject({
      attributes: { commit: "abc", model: { temperature: 0.2 } },
    });
  });
});

describe("options of a wrong name or type", () => {
  it.each<[() => unknown, RegExp]>([
    [() => start({ modle: "x" }), /modle/],
    [() => start({ name: "" }), /^name/],
    [() => start({ id: 7 }), /^id/],
    [() => engine.startEvaluation("acme", OPTIONS), /^project: must be ENTITY\/PROJECT/],
    [() => start().startPrediction(1, { trial: -1 }), /trial/],
    [() => start().startPrediction(1, { trial: 1.5 }), /trial/],
  ])("are refused", (work, message) => {
    expect(work).toThrow(RequestError);
    expect(work).toThrow(message);
  });

  it.each<[object, RegExp]>([
    [{ scorers: new Map([["good", () => 1]]) }, /^scorers: must be an object of functions/],
    [{ data: 7 }, /^data: must be a list, an iterable, or a function that makes one/],
    [{ task: "x" }, /^task/],
    [{ scorers: { ok: 1 } }, /^scorers\.ok/],
    [{ trials: 0 }, /^trials/],
    [{ maxConcurrency: 0 }, /^maxConcurrency/],
    [{ timeoutMs: 2 ** 31 }, /^timeoutMs/],
    [{ failOnError: -1 }, /^failOnError/],
    [{ signal: {} }, /^signal/],
    [{ concurrency: 3 }, /concurrency/],
  ])("are refused by evaluate: %j", async (options, message) => {
    const all = { ...OPTIONS, data: [1], task: () => 1, scorers: {}, ...options };
    await expect(engine.evaluate(PROJECT, all)).rejects.toThrow(message);
  });
});
