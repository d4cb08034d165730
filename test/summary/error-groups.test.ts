import { describe, expect, it } from "vitest";
import { openCore } from "../../src/engine/engine.ts";
import { groupedError } from "../../src/model/messages.ts";
import type { Engine, EvalResultsRequest } from "../../src/index.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";

const ASKED = {
  evaluation_call_ids: ["e1", "e2"],
  include_rows: false,
  include_summary: true,
  include_errors: true,
} as const;

function failed(id: string, row: number, exception: string | null, parent = "e1") {
  return trial(id, { q: row }, {}, { parent_id: parent, exception, output: null });
}

function scored(id: string, parent: string, scorer: string, exception: string) {
  const attributes = { weave: { score: true } };
  return call(id, { parent_id: parent, op_name: `${scorer}.score`, exception, attributes });
}

/** Three trials of one error, one without output, one whose predict call failed, and scorers that failed on two. */
function records() {
  return [
    root("e1"),
    failed("t0", 0, "Error: 429 after 351 ms\n    at here"),
    failed("t1", 1, "Error: 429 after 20 ms"),
    failed("t2", 2, "  Error:  429 after 7.5 ms"),
    failed("t3", 3, null),
    trial("t4", { q: 4 }, {}, { parent_id: "e1" }),
    call("t4-p", { parent_id: "t4", op_name: "Model.predict", exception: "503 at 0xdeadbeef" }),
    trial("t5", { q: 5 }, { ok: true }, { parent_id: "e1" }),
    scored("t5-a", "t5", "ok", "Error: scorer boom 1"),
    trial("t6", { q: 6 }, { ok: true }, { parent_id: "e1" }),
    scored("t6-a", "t6", "ok", "Error: scorer boom 22"),
    scored("t6-b", "t6", "judge", "Error: scorer boom 22"),
    call("t6-c", { parent_id: "t6", op_name: "tool", exception: "no score call" }),
    root("e2"),
    trial("u0", { q: 0 }, { ok: true }, { parent_id: "e2" }),
  ];
}

async function loaded(all: readonly object[]): Promise<Engine> {
  const engine = await openCore({ threads: 1 });
  await engine.ingestCalls(all);
  return engine as unknown as Engine;
}

async function errorsOf(engine: Engine, more: EvalResultsRequest = {}) {
  const { summary } = await engine.queryEvalResults(PROJECT, { ...ASKED, ...more });
  return summary?.evaluations.map(({ errors, other_error_count: others }) => ({
    others,
    groups: errors?.map(({ text, count, scorer }) => `${count} ${scorer ?? "-"} ${text}`),
  }));
}

describe("errors of a summary", () => {
  it("are grouped by text, of trials and of scorers, the most frequent first", async () => {
    const engine = await loaded(records());
    expect(await errorsOf(engine)).toEqual([
      {
        others: 0,
        groups: [
          "3 - Error: 429 after # ms",
          "2 ok Error: scorer boom #",
          "1 - 503 at #",
          "1 - no output",
          "1 judge Error: scorer boom #",
        ],
      },
      { others: 0, groups: [] },
    ]);
    const { summary } = await engine.queryEvalResults(PROJECT, ASKED);
    const rows = await engine.queryEvalResults(PROJECT, { ...ASKED, include_rows: true });
    const first = rows.rows.find(
      ({ evaluations }) => evaluations[0]?.trials[0]?.predict_and_score_call_id === "t0",
    );
    expect(summary?.evaluations[0]?.errors?.[0]).toEqual({
      text: "Error: 429 after # ms",
      count: 3,
      kind: "trial",
      scorer: null,
      example: "Error: 429 after 351 ms\n    at here",
      row_digest: first?.row_digest,
    });
    await engine.close();
  });

  it("leave out predict calls and scorers where children are left out, and rows that filters do not keep", async () => {
    const engine = await loaded(records());
    const [own] = (await errorsOf(engine, { include_predict_and_score_children: false })) ?? [];
    expect(own?.groups).toEqual(["3 - Error: 429 after # ms", "1 - no output"]);
    const odd = { query: { $expr: { $gte: [{ $getField: "inputs.q" }, { $literal: 2 }] } } } as const;
    const [kept] = (await errorsOf(engine, { filters: [odd] })) ?? [];
    expect(kept?.groups?.[0]).toBe("2 ok Error: scorer boom #");
    expect(kept?.groups).toContain("1 - Error: 429 after # ms");
    await engine.close();
  });

  it("tell at most 20 groups, and how many errors the others have", async () => {
    const names = Array.from({ length: 26 }, (_, i) => String.fromCodePoint(97 + i));
    const engine = await loaded([
      root("e1"),
      ...names.flatMap((name, i) => [
        failed(`${name}0`, i, `oh ${name}`),
        ...(i < 3 ? [failed(`${name}1`, i, `oh ${name}`)] : []),
      ]),
    ]);
    const [found] = (await errorsOf(engine)) ?? [];
    expect(found?.groups).toHaveLength(20);
    expect(found?.groups?.slice(0, 4)).toEqual(["2 - oh a", "2 - oh b", "2 - oh c", "1 - oh d"]);
    expect(found?.others).toBe(29 - 23);
    await engine.close();
  });

  it("are counted in the list of evaluations, with the text that most have", async () => {
    const engine = await loaded(records());
    const list = await engine.listEvaluations(PROJECT);
    expect(list.map(({ error_count: n, top_error: top }) => [n, top])).toEqual([
      [5, "Error: 429 after # ms"],
      [0, null],
    ]);
    await engine.close();
  });
});

describe("the field error", () => {
  it("is the grouped text of a trial, and missing where it went well", async () => {
    const engine = await loaded(records());
    const rowsWith = async ($expr: object) => {
      const filters = [{ query: { $expr } }] as EvalResultsRequest["filters"];
      const { rows } = await engine.queryEvalResults(PROJECT, {
        evaluation_call_ids: ["e1"],
        include_raw_data_rows: true,
        resolve_row_refs: true,
        filters,
      });
      return rows.map(({ raw_data_row: row }) => (row as { readonly q: number }).q).toSorted((a, b) => a - b);
    };
    const error = { $getField: "error" };
    expect(await rowsWith({ $eq: [error, { $literal: "Error: 429 after # ms" }] })).toEqual([0, 1, 2]);
    expect(await rowsWith({ $eq: [error, { $literal: "no output" }] })).toEqual([3]);
    expect(await rowsWith({ $contains: { input: error, substr: { $literal: "503" } } })).toEqual([4]);
    expect(await rowsWith({ $not: [{ $convert: { input: error, to: "exists" } }] })).toEqual([5, 6]);
    await expect(
      engine.queryEvalResults(PROJECT, { sort_by: [{ field: "error" as never }] }),
    ).rejects.toThrow("error is for filters only");
    await engine.close();
  });
});

describe("a grouped error", () => {
  it.each([
    ["Error: 429 after 351 ms", "Error: 429 after # ms"],
    ["Error: 400, 599 and 399, 600", "Error: 400, 599 and #, #"],
    ["Error: 429 after 512 ms, 500 tokens", "Error: 429 after # ms, # tokens"],
    ["took 429.5 s, code x429, 1429, 429ms", "took # s, code x#, #, #ms"],
    ["id 123e4567-e89b-12d3-a456-426614174000 of deadbeef", "id # of #"],
    ["feed beef 0x1f", "feed beef #"],
    ["\n\n first \t line \r\nsecond", "first line"],
    ["503#1", "503##"],
    ["  \n", "no message"],
    ["x".repeat(300), "x".repeat(200)],
    ["💥".repeat(201), "💥".repeat(200)],
  ])("%j is %j", (stated, grouped) => {
    expect(groupedError(stated)).toBe(grouped);
  });

  it("is the same in JavaScript and in SQL, for random texts", async () => {
    const seed = Date.now() % 1_000_000;
    let state = seed;
    const random = (n: number) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % n;
    const parts = [
      "429",
      " ms",
      "4e10",
      "0x",
      "deadbeef",
      "-",
      " ",
      "\t",
      "\n",
      "\v",
      "#",
      "12",
      ".",
      ",",
      "é",
      "💥",
      "_",
      "a",
      "\\1",
      "$1",
      "123e4567-e89b-12d3-a456-426614174000",
      "599",
      "\u00a0",
      "'",
      "…",
    ];
    const texts = Array.from({ length: 400 }, () =>
      Array.from({ length: 1 + random(9) }, () => parts[random(parts.length)]).join(""),
    );
    const engine = await loaded([root("e1"), ...texts.map((text, i) => failed(`t${i}`, i, text))]);
    const table = await engine.queryEvalResults(PROJECT, { ...ASKED, evaluation_call_ids: ["e1"] });
    const counts = new Map<string, number>();
    for (const text of texts)
      counts.set(groupedError(text) ?? "", (counts.get(groupedError(text) ?? "") ?? 0) + 1);
    const expected = [...counts]
      .map(([text, count]) => ({ text, count }))
      .toSorted((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.text), Buffer.from(b.text)))
      .slice(0, 20);
    const found = table.summary?.evaluations[0]?.errors?.map(({ text, count }) => ({ text, count }));
    expect(found, `seed ${seed}`).toEqual(expected);
    for (const [text, count] of [...counts].slice(0, 40)) {
      const same = { query: { $expr: { $eq: [{ $getField: "error" }, { $literal: text }] } } } as const;
      const { total_rows: rows } = await engine.queryEvalResults(PROJECT, {
        evaluation_call_ids: ["e1"],
        limit: 0,
        filters: [same],
      });
      expect(rows, `seed ${seed}, ${JSON.stringify(text)}`).toBe(count);
    }
    await engine.close();
  });
});
