import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type Json, type Trial } from "../../src/index.ts";
import { makeReport, type ReportEngine } from "../../src/view/make-report.ts";
import { readPacked } from "../../src/view/payload/packed-rows.ts";
import { inputLine } from "../../src/view/rows/input-line.ts";
import { reportRows } from "../../src/view/rows/report-rows.ts";
import type { RowDetail } from "../../src/view/rows/row-source.ts";
import { call, trial } from "../support/records.ts";

const IDS = ["one", "two", "three"];
const ROWS = 40;

/** What a trial says of itself, by row: all kinds of scores, and what is not one. */
function scoresOf(row: number, e: number): object {
  const good = (row * 7 + e) % 5 < 3;
  const odd = [
    { mixed: good },
    { mixed: row / 8 },
    { judge: null },
    { judge: { points: null } },
    { tone: "" },
  ];
  return {
    good,
    judge: { points: row + e / 3, tone: `tone ${row} ä` },
    ...odd[(row + e) % 7],
    ...(row === 5 ? { "10": "ten", "9": "nine" } : {}),
  };
}

/** Three evaluations; of one row in four there are two trials in the third, row 3 was not run in the second, row 6 failed. */
function* calls(project: string, words: (row: number) => string) {
  for (const [e, id] of IDS.entries()) {
    yield call(id, { project_id: project, op_name: "Evaluation.evaluate" });
    for (let row = 0; row < ROWS; row++)
      for (let k = 0; k <= (e === 2 && row % 4 === 0 ? 1 : 0); k++) {
        if (e === 1 && row === 3) continue;
        const output = row === 8 ? null : { answer: `${row} 😀 ${e}`, k };
        const failed = row === 6 && { exception: "it\nbroke" };
        yield trial(
          `${id}-${row}-${k}`,
          { n: row, question: words(row) },
          {},
          {
            project_id: project,
            parent_id: id,
            output: { output, scores: scoresOf(row, e) },
            ...failed,
          },
        );
        if (row !== 2) yield predict(project, `${id}-${row}-${k}`, row);
      }
  }
}

/** The model's call below a trial: how long it took, and what it used. */
const predict = (project: string, of: string, row: number) =>
  call(`${of}-p`, {
    project_id: project,
    parent_id: of,
    op_name: "Model.predict",
    ended_at: new Date(Date.UTC(2026, 0, 1, 0, 0, row, row)).toISOString(),
    summary: { usage: { m: { total_tokens: 7 * row } } },
  });

/** Words that no compression makes much shorter. */
const random = (row: number) =>
  Array.from({ length: 40 }, (_, i) => createHash("md5").update(`${row}.${i}`).digest("hex")).join(" ");

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls([
    ...calls("acme/plain", (row) => `what is ${row}?`),
    ...calls("acme/wordy", random),
  ]);
});
afterAll(() => engine.close());

const textOf = (html: string) =>
  /<script type="application\/octet-stream" id="evalcube-rows">([^<]*)</.exec(html)?.[1] ?? "";

async function detailsIn(html: string) {
  const packed = await readPacked(textOf(html));
  const source = reportRows(packed);
  const digests = packed.columns.digests();
  const { signal } = new AbortController();
  const details = await Promise.all(digests.map((digest) => source.detail(digest, signal)));
  return { packed, digests, details: details.filter((one): one is RowDetail => one !== null) };
}

/** What stands at a name with dots; null where the way there ends in null. */
function valueAt(scores: Json, name: string): Json | undefined {
  let value: Json | undefined = scores;
  for (const member of name.split(".")) {
    if (value === null) return null;
    if (typeof value !== "object" || Array.isArray(value)) return undefined;
    value = (value as { readonly [key: string]: Json })[member];
  }
  return value;
}

/** The scores of a trial as a report shows them: leaves, and behind them the texts by name. */
function shownScores({ scores }: Trial, names: readonly string[], textNames: readonly string[]) {
  const values = names
    .map((name) => [name, valueAt(scores, name)] as const)
    .filter(([, value]) => value === null || typeof value === "number" || typeof value === "boolean");
  const texts = textNames
    .map((name) => [name, valueAt(scores, name)] as const)
    .filter(([, value]) => typeof value === "string");
  return [...values, ...texts];
}

const SORTED = [
  { field: "scores.good", mode: "difference", direction: "desc" },
  { field: "scores.good", direction: "asc" },
] as const;

const ask = (project: string, request: object = {}) =>
  engine.queryEvalResults(project, {
    evaluation_call_ids: IDS,
    include_raw_data_rows: true,
    resolve_row_refs: true,
    include_trial_errors: true,
    sort_by: [...SORTED],
    ...request,
  });

describe("the rows of a report file", () => {
  it("are those of the library in its order, with all that it says of each trial", async () => {
    const derived = { derived_scores: { both: "good * judge.points" } };
    const { html } = await makeReport(engine, "acme/plain", {
      evaluations: IDS,
      outputs: "all",
      score: "good",
      ...derived,
    });
    const { rows } = await ask("acme/plain", derived);
    const { packed, digests, details } = await detailsIn(html);
    expect(digests).toEqual(rows.map((row) => row.row_digest));
    expect(details.map((one) => one.input)).toEqual(rows.map((row) => row.raw_data_row));
    const names = packed.header.dimensions;
    expect(names).toEqual(expect.arrayContaining(["good", "both", "judge.points", "mixed"]));
    const textNames = ["10", "9", "judge.tone", "tone"];
    const wanted = rows.map((row) =>
      IDS.map((id) =>
        (row.evaluations.find((one) => one.evaluation_call_id === id)?.trials ?? []).map((one) => ({
          id: null,
          output: one.model_output,
          outputBytes: null,
          scores: shownScores(one, names, textNames),
          latency: one.model_latency_seconds,
          tokens: one.total_tokens,
          error: one.error ?? null,
        })),
      ),
    );
    const told = details.map((row) =>
      row.trials.map((own) => own.map(({ line: _line, score: _score, ...one }) => one)),
    );
    expect(told).toEqual(wanted);
    expect(wanted.flat(2).map(({ error }) => error)).toContain("it\nbroke");
    expect(wanted.flat(2).map(({ latency, tokens }) => [latency, tokens])).toContainEqual([7.007, 49]);
  });

  it("say how many there are beyond those that it holds, the first in its order", async () => {
    const limits: unknown[] = [];
    const short: ReportEngine = {
      ...engine,
      queryColumns: (project, request, options) => {
        limits.push(request.limit);
        return engine.queryColumns(project, { ...request, limit: 3 }, options);
      },
    };
    const { html, rows } = await makeReport(short, "acme/plain", { score: "good" });
    const { packed, digests } = await detailsIn(html);
    expect(limits).toEqual([250_000]);
    expect([rows.rows, packed.left.rowsNotHere]).toEqual([3, ROWS - 3]);
    const answer = await ask("acme/plain", { limit: 3 });
    expect(digests).toEqual(answer.rows.map((row) => row.row_digest));
  });

  it.each([
    [60_000, "whole", "all-there"],
    [22_000, "line", "none"],
    [1_000, "none", "none"],
  ])("of long inputs under %i characters have them %s, and outputs of %s", async (room, inputs, outputs) => {
    const { html: without } = await makeReport(engine, "acme/wordy", { max_bytes: 1, score: "good" });
    const page = Buffer.byteLength(without) - textOf(without).length;
    const { html, rows } = await makeReport(engine, "acme/wordy", { max_bytes: page + room, score: "good" });
    expect(rows.left).toMatchObject({ inputs, outputs });
    const { details } = await detailsIn(html);
    const { rows: answered } = await ask("acme/wordy");
    const wanted = { whole: (input: Json) => input, line: inputLine, none: () => undefined }[inputs];
    expect(details.map((one) => one.input)).toEqual(
      answered.map((row) => (wanted as (input: Json) => Json | undefined)(row.raw_data_row)),
    );
  });

  it("end the reading of the database with them, and with the signal", async () => {
    const ended: string[] = [];
    const watched: ReportEngine = {
      ...engine,
      queryColumns: async function* (...asked) {
        try {
          yield* engine.queryColumns(...asked);
        } finally {
          ended.push("ended");
        }
      },
    };
    await makeReport(watched, "acme/plain", { outputs: "none" });
    expect(ended).toEqual(["ended"]);
    const stop = new AbortController();
    const reading = makeReport(
      {
        ...watched,
        queryColumns: (...asked) => {
          stop.abort(new Error("enough"));
          return watched.queryColumns(...asked);
        },
      },
      "acme/plain",
      { signal: stop.signal },
    );
    await expect(reading).rejects.toThrow("enough");
    expect(ended).toEqual(["ended", "ended"]);
  });
});
