import { beforeEach, describe, expect, it } from "vitest";
import { openEngine, type Engine, type ImportOptions } from "../../src/index.ts";
import { answerOf, importBytes, PROJECT } from "./imports.ts";

let engine: Engine;

beforeEach(async () => {
  engine = await openEngine();
  return () => engine.close();
});

type Member = string | number | boolean | null;
type Members = Readonly<Record<string, Member>>;

async function load(records: readonly Members[], table: ImportOptions["table"] = {}, name = "t.jsonl") {
  const text = records.map((one) => JSON.stringify(one)).join("\n");
  const result = await importBytes(engine, text, { table: { modelName: "m", ...table } }, name);
  return { ...result, told: result.notes.join("\n") };
}

/** Each question of three with each of these members. */
const each = (members: readonly Members[]): Members[] =>
  ["a", "b", "c"].flatMap((id) => members.map((one) => ({ id, question: `q ${id}`, ...one })));

async function namesAndTrials() {
  const found = await engine.listEvaluations(PROJECT);
  return found
    .map(({ display_name: name, trial_count: trials }) => ({ name, trials }))
    .toSorted((a, b) => ((a.name ?? "") < (b.name ?? "") ? -1 : 1));
}

async function trialsOf(result: Awaited<ReturnType<typeof load>>) {
  const { rows } = await answerOf(engine, ...result.evaluations.map((one) => one.evaluation_call_id));
  return rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials));
}

async function detailsOf() {
  const found = await engine.sql<{ readonly details: string }>(
    PROJECT,
    "SELECT output -> 'details' AS details FROM trials ORDER BY trial_id",
  );
  return found.toArray().map(({ details }) => JSON.parse(details) as unknown);
}

describe("records of one row that differ", () => {
  it.each(["prompt_version", "strategy", "embedding_model", "temperature", "appVersion", "config", "topK"])(
    "in the configuration %s are an evaluation for each value",
    async (name) => {
      const values = name === "temperature" || name === "topK" ? [1, 7] : ["plain", "guided"];
      const { evaluations, told } = await load(
        each(values.map((value, i) => ({ [name]: value, score: i / 2 }))),
      );
      expect(evaluations).toHaveLength(2);
      expect(told).toContain(`evaluation = ${name} (${values.join(", ")})`);
      expect(told).not.toContain("repeat");
      const named = values.map((value) => ({ name: `t: m [${value}]`, trials: 3 }));
      expect(await namesAndTrials()).toEqual(named.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
    },
  );

  it("in two configurations have both values, and in those that go together the first", async () => {
    const both = ["plain", "guided"].flatMap((strategy) =>
      [0.1, 0.7].map((temperature) => ({ strategy, temperature, score: temperature })),
    );
    await load(each(both));
    expect((await namesAndTrials()).map(({ name }) => name)).toContain("t: m [guided, 0.7]");
    const together = [1, 2].map((n) => ({ app_version: `v${n}`, app_id: `id${n}`, score: n }));
    const { told, evaluations } = await load(each(together), { taskName: "u" });
    expect(told).toContain("evaluation = app_version (v1, v2)");
    expect(told).toContain("to the trial: app_id");
    expect(evaluations).toHaveLength(2);
  });

  it("in attempts, of one column or several together, are trials", async () => {
    const several = [0, 1].flatMap((epoch) => [5, 6].map((seed) => ({ epoch, seed, score: 1 })));
    const { told, evaluations } = await load(each(several));
    expect(evaluations).toMatchObject([{ rows: 3, trials: 12 }]);
    expect(told).toContain("trial = epoch, seed");
    for (const first of [0, 1]) {
      const counted = [0, 1, 2].map((i) => ({ k: first + i, score: 1 }));
      const result = await load(each(counted), { taskName: `k${first}` });
      expect(result.evaluations).toMatchObject([{ rows: 3, trials: 9 }]);
      expect(result.told).toContain("trial = k");
    }
    const settings = await load(each([1, 3, 5].map((k) => ({ k, score: 1 }))), { taskName: "top" });
    expect(settings.evaluations).toHaveLength(3);
  });

  it("in raters are ratings of one trial, with what else each says beside", async () => {
    const result = await load(
      each([
        { annotator: "ann", rating: 4, comment: "good" },
        { annotator: "bob", rating: 2, comment: "bad" },
      ]),
    );
    expect(result.evaluations).toMatchObject([{ rows: 3, trials: 3 }]);
    expect(result.told).toContain("rater = annotator");
    expect((await trialsOf(result)).map(({ scores }) => scores)).toEqual(
      Array.from({ length: 3 }, () => ({ rating: { ann: 4, bob: 2 } })),
    );
    expect((await detailsOf())[0]).toEqual({
      rating: { ann: { comment: "good" }, bob: { comment: "bad" } },
    });
    const [evaluation] = result.evaluations;
    const agreement = await engine.agreement(PROJECT, {
      evaluations: [evaluation?.evaluation_call_id ?? ""],
      a: "rating.ann",
      b: "rating.bob",
    });
    expect(JSON.stringify(agreement)).toContain("rating");
  });

  it("in the source of scores, one a record, are members of the score", async () => {
    const records = ["a", "b", "c"].flatMap((id) => [
      { id, name: "correct", value: true, source: "ANNOTATION" },
      { id, name: "correct", value: id === "a", source: "EVAL" },
    ]);
    const table = { metric: "name", value: "value" };
    const result = await load(records, table);
    expect(result.evaluations).toMatchObject([{ rows: 3, trials: 3 }]);
    const scores = (await trialsOf(result)).map((one) => one.scores);
    expect(scores).toContainEqual({ correct: { ANNOTATION: true, EVAL: true } });
    expect(scores).toContainEqual({ correct: { ANNOTATION: true, EVAL: false } });
    const configured = each(["x", "y"].map((source) => ({ source, score: 1 })));
    expect((await load(configured, { taskName: "u" })).evaluations).toHaveLength(2);
  });

  it("in more than 20 raters are numbered, with the names in the details", async () => {
    const raters = Array.from({ length: 21 }, (_, i) => `r${String(i).padStart(2, "0")}`);
    const records = each([]).concat(
      ["a", "b"].flatMap((id) => raters.map((rater_id, i) => ({ id, rater_id, rating: i }))),
    );
    const result = await load(records);
    expect(result.evaluations).toMatchObject([{ trials: 2 }]);
    expect((await trialsOf(result))[0]?.scores["rating"]).toMatchObject({ 1: 0, 21: 20 });
    expect((await detailsOf())[0]).toMatchObject({ rating: { 1: { rater: "r00" }, 21: { rater: "r20" } } });
  });

  it("in a model, a configuration, raters and attempts are all of these at once", async () => {
    const result = await load(
      each(
        ["m1", "m2"].flatMap((model) =>
          ["plain", "guided"].flatMap((strategy) =>
            ["ann", "bob"].flatMap((judge) =>
              [1, 2].map((epoch) => ({ model, strategy, judge, epoch, rating: epoch })),
            ),
          ),
        ),
      ),
      { modelName: undefined },
    );
    expect(result.evaluations).toHaveLength(4);
    for (const one of result.evaluations) expect(one).toMatchObject({ rows: 3, trials: 6 });
  });

  it("in a column that is nothing known are refused with the ways out, which work", async () => {
    const records = each(["mild", "hot"].map((flavour, i) => ({ flavour, score: i })));
    await expect(load(records)).rejects.toThrow(
      "each row stands twice, once for each value of flavour (mild, hot): say what it is with --evaluation-column flavour, --trial-column flavour or --rater-column flavour",
    );
    await expect(load(records)).rejects.toMatchObject({ code: "ambiguous_mapping" });
    expect((await load(records, { evaluation: "flavour" })).evaluations).toHaveLength(2);
    const trials = await load(records, { trial: "flavour", taskName: "u" });
    expect(trials.evaluations).toMatchObject([{ trials: 6 }]);
    const rated = await load(records, { rater: "flavour", taskName: "v" });
    expect(rated.evaluations).toMatchObject([{ trials: 3 }]);
    const kept = await load(records, { metadata: "flavour", taskName: "w" });
    expect(kept.told).toContain("repeat");
    const free = each([0, 1].map((i) => ({ note: "", score: i }))).map((one, i) => ({
      ...one,
      note: `n${i}`,
    }));
    expect((await load(free, { taskName: "x" })).evaluations).toMatchObject([{ trials: 6 }]);
  });

  it("in files of one evaluation are attempts where each file states its run, else refused", async () => {
    const table = { evaluationName: "nightly" };
    await load(each([{ run_id: "r1", score: 1 }]), table, "a.jsonl");
    const second = await load(each([{ run_id: "r2", score: 1 }]), table, "b.jsonl");
    expect(second.told).not.toContain("replaces");
    expect(await namesAndTrials()).toEqual([{ name: expect.any(String), trials: 6 }]);
  });
});
