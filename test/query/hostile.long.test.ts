import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  openEngine,
  RequestError,
  type Engine,
  type EvalResultsRequest,
  type Json,
} from "../../src/index.ts";
import { rowDigest } from "../../src/model/digest.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { EVALUATION, ndjson, PROJECT, root, stream, trial } from "../support/records.ts";
import { askAll } from "../support/queries.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine } from "../support/scratch.ts";

const named = hostileTexts.map((text, i): [string, string, number] => [
  JSON.stringify(text).slice(0, 40),
  text,
  i,
]);

/** A field path with a segment of any text. */
function segment(text: string): string {
  return text.replaceAll(".", "\\.");
}

/** `{ [name]: value }`, also for the name `__proto__`. */
function object(name: string, value: Json): Record<string, Json> {
  return Object.fromEntries([[name, value]]);
}

/** A dataset row and scores of which every string holds the text. */
function hostileExample(text: string, i: number): Record<string, Json> {
  return { n: i, ...object(text, text), text };
}

function hostileScores(text: string, i: number) {
  return { text, nested: object(text, i), ...object(`key ${text}`, i) };
}

/** Every string of the call holds the text. */
function hostileTrial(text: string, i: number) {
  return trial(`id ${text}`, hostileExample(text, i), hostileScores(text, i), {
    trace_id: text,
    display_name: text,
    exception: text,
    attributes: object(text, text),
    summary: { usage: object(text, { total_tokens: i }) },
  });
}

/** Each character as an escape of JSON. */
function inEscapes(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** What is said of the members with these names in rows and outputs. */
async function warningsOf(asked: Engine, names: readonly string[]): Promise<readonly string[]> {
  const fields = names.flatMap((name) => [`inputs.${segment(name)}`, `output.${segment(name)}`] as const);
  const answer = await asked.queryEvalResults(PROJECT, {
    evaluation_call_ids: [EVALUATION],
    sort_by: fields.map((field) => ({ field })),
  });
  return answer.warnings;
}

/** A field has at most 1,024 characters, what stands around the name included. */
const LONGEST_NAME = 1000;

type Filter = NonNullable<EvalResultsRequest["filters"]>[number];

const before = Object.getOwnPropertyNames(Object.prototype);
let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls([root(), ...hostileTexts.map(hostileTrial)]);
});

afterAll(async () => {
  await engine.close();
});

/** The numbers of the texts whose trials a filter keeps. */
async function kept($expr: Filter["query"]["$expr"]): Promise<number[]> {
  const { rows } = await askAll(engine, { filters: [{ query: { $expr } }] });
  return rows.map(({ raw_data_row }) => (raw_data_row as { n: number }).n).toSorted((a, b) => a - b);
}

function indexesWhere(holds: (text: string) => boolean): number[] {
  return hostileTexts.flatMap((text, i) => (holds(text) ? [i] : []));
}

describe("a call that holds it in every string", () => {
  it.each(named)("comes back exactly: %s", async (_name, text, i) => {
    const { rows } = await askAll(engine, {
      filters: [{ query: { $expr: { $eq: [{ $getField: "inputs.n" }, { $literal: i }] } } }],
    });
    const example = hostileExample(text, i);
    expect(rows).toEqual([
      {
        row_digest: rowDigest(example),
        raw_data_row: example,
        evaluations: [
          {
            evaluation_call_id: EVALUATION,
            trials: [
              {
                predict_and_score_call_id: `id ${text}`,
                predict_call_id: null,
                model_output: null,
                scores: hostileScores(text, i),
                model_latency_seconds: null,
                total_tokens: i,
                scorer_call_ids: {},
                total_cost: null,
                genai_span_ref: null,
              },
            ],
          },
        ],
      },
    ]);
  });

  it.each(named)("is found by it alone, in scores, inputs and digests: %s", async (_name, text, i) => {
    const only = indexesWhere((other) => other === text);
    expect(await kept({ $eq: [{ $getField: "scores.text" }, { $literal: text }] })).toEqual(only);
    expect(await kept({ $eq: [{ $getField: "inputs.text" }, { $literal: text }] })).toEqual(only);
    expect(
      await kept({ $in: [{ $getField: "inputs.text" }, [{ $literal: text }, { $literal: "no such text" }]] }),
    ).toEqual(only);
    const digest = rowDigest(hostileExample(text, i));
    expect(await kept({ $eq: [{ $getField: "row_digest" }, { $literal: digest }] })).toEqual([i]);
  });

  const long = named.filter(([, text]) => segment(text).length > LONGEST_NAME);
  it.each(long)("is refused as the name of a field: %s", async (_name, text, i) => {
    const field = `scores.nested.${segment(text)}`;
    await expect(kept({ $eq: [{ $getField: field }, { $literal: i }] })).rejects.toThrow(
      "must have at most 1024 characters",
    );
  });

  const short = named.filter(([, text]) => segment(text).length <= LONGEST_NAME);
  it.each(short)("is found by what its fields are called: %s", async (_name, text, i) => {
    expect(await kept({ $eq: [{ $getField: `scores.nested.${segment(text)}` }, { $literal: i }] })).toContain(
      i,
    );
    expect(await kept({ $eq: [{ $getField: `scores.${segment(`key ${text}`)}` }, { $literal: i }] })).toEqual(
      [i],
    );
    expect(await kept({ $eq: [{ $getField: `inputs.${segment(text)}` }, { $literal: text }] })).toContain(i);
  });

  it.each(named)("is found by its parts: %s", async (_name, text) => {
    for (const field of ["scores.text", "inputs.text"]) {
      const contains = { input: { $getField: field }, substr: { $literal: text } };
      expect(await kept({ $contains: contains })).toEqual(indexesWhere((other) => other.includes(text)));
      expect(await kept({ $contains: { ...contains, case_insensitive: true } })).toEqual(
        expect.arrayContaining(indexesWhere((other) => other.includes(text))),
      );
    }
  });

  // Longer patterns are refused.
  const patterns = named.filter(([, text]) => text.length < 500);

  it.each(patterns)(
    "is found by a pattern of it, and is itself a pattern or refused as one: %s",
    async (_name, text) => {
      const escaped = text.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&");
      for (const field of ["scores.text", "inputs.text"]) {
        const regex = (pattern: string) => ({
          $regex: { input: { $getField: field }, pattern: { $literal: pattern } },
        });
        expect(await kept(regex(escaped))).toEqual(indexesWhere((other) => other.includes(text)));
        expect(await kept(regex(`^${escaped}$`))).toEqual(indexesWhere((other) => other === text));
        const outcome = await kept(regex(text)).then(
          () => "answered",
          (error: unknown) => (error instanceof RequestError ? error.kind : error),
        );
        expect(["answered", "schema"]).toContain(outcome);
      }
    },
  );

  it("orders by it as UTF-8 does", async () => {
    const { rows } = await askAll(engine, { sort_by: [{ field: "inputs.text" }] });
    const found = rows.map(({ raw_data_row }) => (raw_data_row as { text: string }).text);
    const texts = found.filter((text) => !/^[+-]?[\d.]+(e\d+)?$/.test(text));
    expect(texts).toEqual(texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    expect(new Set(found)).toEqual(new Set(hostileTexts));
  });

  it("is counted in the summary under its own keys", async () => {
    const { summary } = await askAll(engine, { include_rows: false, include_summary: true });
    const stats = summary?.evaluations[0]?.scorer_stats ?? [];
    const places = new Map(stats.map((one) => [JSON.stringify([one.scorer_key, one.path]), one]));
    for (const [i, text] of hostileTexts.entries()) {
      expect(places.get(JSON.stringify([`key ${text}`, null]))).toMatchObject({
        trial_count: 1,
        numeric_mean: i,
      });
      expect(places.has(JSON.stringify(["nested", text])), text).toBe(true);
    }
    expect(stats).toHaveLength(2 * hostileTexts.length + 1);
  });
});

describe("identities", () => {
  // The database client drops a byte order mark that begins a text.
  const ids = hostileTexts.filter((text) => !text.startsWith("\ufeff"));

  it("of evaluations may be any text, and are found, listed and deleted by it alone", async () => {
    const own = await scratchEngine();
    await own.ingestCalls(
      ids.flatMap((id, i) => [
        root(id, { display_name: id, inputs: { self: id, model: id } }),
        trial(`t${i}`, i, {}, { parent_id: id }),
      ]),
    );
    const listed = await own.listEvaluations(PROJECT);
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(ids));
    for (const { id, display_name, evaluation_ref, model_ref, trial_count } of listed) {
      expect({ display_name, evaluation_ref, model_ref, trial_count }).toEqual({
        display_name: id,
        evaluation_ref: id,
        model_ref: id,
        trial_count: 1,
      });
    }
    const answer = await own.queryEvalResults(PROJECT, { evaluation_call_ids: ids, include_summary: true });
    expect(answer).toMatchObject({ total_rows: ids.length, warnings: [] });
    expect(answer.summary?.evaluations.map(({ evaluation_call_id }) => evaluation_call_id)).toEqual(ids);
    for (const [i, id] of ids.entries()) {
      if (i % 5 === 0) await own.deleteCalls(PROJECT, [id]);
    }
    const left = ids.filter((_id, i) => i % 5 !== 0);
    expect(new Set((await own.listEvaluations(PROJECT)).map(({ id }) => id))).toEqual(new Set(left));
  });

  it("of projects may be any text without control characters around a slash, and see nothing of one another", async () => {
    const own = await scratchEngine();
    const projects = ids.filter((text) => !/[/\p{Cc}]/u.test(text)).map((text) => `${text}/${text}`);
    await own.ingestCalls(projects.map((project_id, i) => trial("t", i, {}, { project_id })));
    for (const [i, project] of projects.entries()) {
      const { rows } = await own.queryEvalResults(project, {
        evaluation_call_ids: [EVALUATION],
        include_raw_data_rows: true,
      });
      expect(rows.map(({ raw_data_row }) => raw_data_row)).toEqual([i]);
    }
  });

  it("that nothing has find nothing, and are named in a warning", async () => {
    const absent = hostileTexts.map((text) => `absent ${text}`);
    const answer = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: absent });
    expect(answer).toMatchObject({ rows: [], total_rows: 0 });
    expect(answer.warnings).toHaveLength(absent.length);
    for (const text of hostileTexts.filter((one) => !/^\uFEFF|[/\p{Cc}]/u.test(one))) {
      const project = `absent/${text}`;
      expect(await engine.queryEvalResults(project, { evaluation_call_ids: [EVALUATION] })).toMatchObject({
        rows: [],
      });
      expect(await engine.listEvaluations(project)).toEqual([]);
    }
  });

  it("of members are looked for in every trial, however they are escaped", async () => {
    const own = await scratchEngine();
    const names = hostileTexts
      .filter((text) => text !== "" && text.isWellFormed() && !/^\uFEFF|\0/.test(text))
      .filter((text) => segment(text).length <= LONGEST_NAME)
      .map((text) => `name-${text}`);
    const members = `{${names.map((name) => `"${inEscapes(name)}":1`).join(",")}}`;
    const last = JSON.stringify(trial("last", "EXAMPLE", {}, { output: "OUTPUT" }))
      .replace('"EXAMPLE"', members)
      .replace('"OUTPUT"', members);
    const first = Array.from({ length: 20 }, (_, n) => JSON.stringify(trial(`t${n}`, { n })));
    await own.ingestCalls(stream([[...first, last].join("\n")]));
    // An order has at most 100 keys.
    for (let from = 0; from < names.length; from += 50)
      expect(await warningsOf(own, names.slice(from, from + 50))).toEqual([]);
    const short = await scratchEngine();
    await short.ingestCalls(stream([first.join("\n")]));
    expect(await warningsOf(short, ["name-of nothing"])).toHaveLength(2);
    // Nobody reads a long output to learn that a member is not there.
    expect(await warningsOf(own, ["name-of nothing"])).toHaveLength(1);
  });

  it("of dataset rows may be any text", async () => {
    const own = await scratchEngine();
    const digests = ids.filter((text) => !text.includes("/"));
    await own.ingestRows(digests.map((digest, i) => ({ project_id: PROJECT, digest, val: { i, digest } })));
    await own.ingestCalls(
      digests.map((digest, i) => trial(`t${i}`, `svc:///acme/qa/object/d:v/attr/rows/id/${digest}`)),
    );
    const { rows, warnings } = await askAll(own, { resolve_row_refs: true });
    expect(warnings).toEqual([]);
    expect(new Map(rows.map((row) => [row.row_digest, row.raw_data_row]))).toEqual(
      new Map(digests.map((digest, i) => [digest, { i, digest }])),
    );
  });
});

describe("the process", () => {
  it("has the prototype that it had", () => {
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});

describe("what no text may hold", () => {
  it("U+0000 is refused in identities and kept in values", async () => {
    const own = await scratchEngine();
    expect(await refusal(own.ingestCalls([trial("a\0b", 1)]))).toMatchObject({ path: ["id"] });
    await own.ingestCalls([
      trial("t", { "k\0": "a\0b" }, { text: "c\0d", "s\0": 1 }),
      trial("u", { k: "a" }, { text: "c" }),
    ]);
    const found = await askAll(own, {
      filters: [{ query: { $expr: { $eq: [{ $getField: "scores.text" }, { $literal: "c" }] } } }],
    });
    expect(found.rows.map(({ raw_data_row }) => raw_data_row)).toEqual([{ k: "a" }]);
    const { rows } = await askAll(own);
    expect(rows.map(({ raw_data_row }) => raw_data_row)).toContainEqual({ "k\0": "a\0b" });
    const trials = rows.flatMap(({ evaluations }) => evaluations.flatMap((one) => one.trials));
    expect(trials.map(({ scores }) => scores)).toContainEqual({ text: "c\0d", "s\0": 1 });
  });

  it("lone surrogates become U+FFFD, in objects and in NDJSON", async () => {
    const record = trial("\ud800id", { "k\udc00": "\ud83d" }, { "s\ud800": "v\udfff", pair: "\ud83d\ude00" });
    for (const source of [[record], stream([ndjson([record])])]) {
      const own = await scratchEngine();
      await own.ingestCalls(source);
      const { rows } = await askAll(own);
      expect(rows).toMatchObject([
        {
          raw_data_row: { "k\ufffd": "\ufffd" },
          evaluations: [
            {
              trials: [
                { predict_and_score_call_id: "\ufffdid", scores: { "s\ufffd": "v\ufffd", pair: "😀" } },
              ],
            },
          ],
        },
      ]);
      const json = await own.queryEvalResultsJson(PROJECT, { evaluation_call_ids: [EVALUATION] });
      expect(Buffer.from(json).toString()).toBe(json);
    }
  });
});
