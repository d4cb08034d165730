import * as fc from "fast-check";
import stableStringify from "fast-json-stable-stringify";
import { describe, expect, test } from "vitest";

import { caseDifferences } from "../cases/check.ts";
import { loadCases, oracleEvents } from "../cases/load.ts";
import { scenario } from "./arbitraries.ts";
import { responseDifferences } from "./compare.ts";
import { valueDigest } from "./digests.ts";
import { callEvents, callLine, lineOf, rowLine } from "./events.ts";
import { canonicalText, compactText, fromPlain, parseJson, toPlain } from "./json.ts";
import { exactMean } from "./mean.ts";
import { oracleProject, oracleQuery } from "./oracle.ts";
import type { OracleResponse } from "./oracle.ts";
import { byCodePoint, microseconds } from "./order.ts";
import { segments } from "./fields.ts";
import { matchesWarnings } from "./warnings.ts";

describe("JSON without loss", () => {
  test("text survives parsing and writing", () => {
    const text =
      '{"b":[1,-2.5,"\\u0001é\\""],"10":null,"2":{"__proto__":true,"":{}},"n":12345678901234567890}';
    expect(compactText(parseJson(text))).toBe(text);
  });

  test("of duplicate keys the last value stands at the first position", () => {
    expect(compactText(parseJson('{"a":1,"b":2,"a":3}'))).toBe('{"a":3,"b":2}');
  });

  test("numbers take their shortest form and big integers keep their digits", () => {
    expect(compactText(parseJson("[1.0, 1E21, 1e-7, -0, 0.10, 9007199254740993, 1e17]"))).toBe(
      "[1,1e+21,1e-7,0,0.1,9007199254740993,100000000000000000]",
    );
  });

  test("a member named __proto__ is a member like any other", () => {
    expect(Object.keys(Object(toPlain(parseJson('{"__proto__":1}'))))).toEqual(["__proto__"]);
  });

  test("the canonical form is the one of fast-json-stable-stringify", () => {
    const values = [null, "é\u2028\u0007", { b: [1, { d: -0, c: 1e21 }], a: "x", "10": 0.1, "2": {}, é: [] }];
    for (const value of values) expect(canonicalText(fromPlain(value))).toBe(stableStringify(value));
  });

  test("the digest of null is the SHA-256 of four letters", () => {
    expect(valueDigest(null)).toBe("dCNOmK_nSY-12vHzasLXiswzlGT5UHA7jAGYkvmCuQs");
  });
});

describe("exact arithmetic", () => {
  test("a mean is rounded once", () => {
    expect(exactMean([])).toBe(null);
    expect(exactMean([0.1, 0.1, 0.1])).toBe(0.1);
    expect(exactMean([1e308, 1e308])).toBe(1e308);
    expect(exactMean([1e21, 1, -1e21])).toBe(1 / 3);
    expect(exactMean([5e-324, 0])).toBe(0);
    expect(exactMean([-1, -2])).toBe(-1.5);
  });
});

describe("order", () => {
  test("text is ordered by code point", () => {
    expect(["\u{1F600}", "\uFFFD", "a", "B"].sort(byCodePoint)).toEqual(["B", "a", "\uFFFD", "\u{1F600}"]);
  });

  test("timestamps are instants with microseconds", () => {
    expect(microseconds("2025-01-01T02:00:00.5+02:00")).toBe(microseconds("2025-01-01T00:00:00.500000Z"));
  });

  test("an escaped dot belongs to its segment", () => {
    expect(segments("scores.a\\.b.0.c")).toEqual(["scores", "a.b", "0", "c"]);
  });
});

describe("warnings", () => {
  const unresolved = { kind: "unresolved_rows" as const, count: 2, digests: ["r1", "r2"] };
  const unknown = { kind: "unknown_evaluation" as const, id: "e" };

  test("each text answers for one warning", () => {
    expect(matchesWarnings(["2 rows, for example r2", "no evaluation e"], [unknown, unresolved])).toBe(true);
    expect(matchesWarnings(["no evaluation e"], [unknown, unresolved])).toBe(false);
    expect(matchesWarnings(["3 rows, for example r2"], [unresolved])).toBe(false);
  });
});

describe("a project of one trial", () => {
  const start = { project_id: "acme/qa", started_at: "2025-01-01T00:00:00Z" };
  const trial = { ...start, id: "t", op_name: "Evaluation.predict_and_score", parent_id: "e" };
  const state = oracleProject([
    ...callEvents([
      { ...start, id: "e", op_name: "Evaluation.evaluate" },
      { ...trial, output: { output: 1 } },
    ]),
    callLine(JSON.stringify({ ...trial, inputs: { example: { q: 1 } } })),
  ]);
  const response = oracleQuery(state, "acme/qa", { evaluation_call_ids: ["e"] });

  test("shows the merged call", () => {
    expect(response).toEqual({
      rows: [
        {
          row_digest: valueDigest(fromPlain({ q: 1 })),
          raw_data_row: null,
          evaluations: [
            {
              evaluation_call_id: "e",
              trials: [
                {
                  predict_and_score_call_id: "t",
                  predict_call_id: null,
                  model_output: 1,
                  scores: {},
                  model_latency_seconds: null,
                  total_tokens: null,
                  scorer_call_ids: {},
                  total_cost: null,
                  genai_span_ref: null,
                },
              ],
            },
          ],
        },
      ],
      total_rows: 1,
      summary: null,
      warnings: [],
    });
  });

  test("agrees with itself and with nothing else", () => {
    expect(responseDifferences({ ...response, warnings: [] }, response)).toEqual([]);
    expect(responseDifferences({ ...response, total_rows: 2, warnings: ["?"] }, response)).toEqual([
      "total_rows: 2, not 1",
      'warnings: ["?"], not []',
    ]);
  });
});

describe("random projects", () => {
  test("loading everything twice changes nothing", () => {
    fc.assert(
      fc.property(scenario(2), ({ events, projectId, requests }) => {
        const once = oracleProject(events);
        const twice = oracleProject([...events, ...events]);
        for (const request of requests) {
          expect(oracleQuery(twice, projectId, request)).toEqual(oracleQuery(once, projectId, request));
        }
      }),
      { numRuns: 100 },
    );
  });

  test("lines of NDJSON carry the events without loss", () => {
    fc.assert(
      fc.property(scenario(2), ({ events, projectId, requests }) => {
        const reread = events.map((event) => {
          if (event.kind === "delete") return event;
          return event.kind === "call" ? callLine(lineOf(event)) : rowLine(lineOf(event));
        });
        const [again, once] = [oracleProject(reread), oracleProject(events)];
        for (const request of requests)
          expect(oracleQuery(again, projectId, request)).toEqual(oracleQuery(once, projectId, request));
      }),
      { numRuns: 100 },
    );
  });

  test("reach rows, empty pages, summaries and every kind of warning", () => {
    const responses = fc
      .sample(scenario(3), { numRuns: 200, seed: 1 })
      .flatMap(({ events, projectId, requests }) => {
        const state = oracleProject(events);
        return requests.map((request) => oracleQuery(state, projectId, request));
      });
    const share = (holds: (response: OracleResponse) => boolean) =>
      responses.filter(holds).length / responses.length;
    expect(share(({ rows }) => rows.length > 1)).toBeGreaterThan(0.2);
    expect(share(({ rows }) => rows.length === 0)).toBeGreaterThan(0.1);
    expect(share(({ summary }) => (summary?.row_count ?? 0) > 0)).toBeGreaterThan(0.1);
    const kinds = new Set(responses.flatMap(({ warnings }) => warnings.map(({ kind }) => kind)));
    expect([...kinds].sort()).toEqual([
      "filter_evaluation_not_requested",
      "missing_field",
      "sort_evaluation_not_requested",
      "unknown_evaluation",
      "unresolved_rows",
    ]);
  });
});

describe("cases", () => {
  const cases = loadCases();
  const RULES_PER_SECTION = [7, 6, 8, 8, 4, 6, 8, 7];

  test.for(cases)("$name", ({ events, projectId, request, expected }) => {
    const response = oracleQuery(oracleProject(oracleEvents(events)), projectId, request);
    expect(caseDifferences(response, expected)).toEqual([]);
    expect(response.warnings).toEqual(expected.warnings);
  });

  test("have names of their own", () => {
    const names = cases.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("cover every rule", () => {
    const numbered = RULES_PER_SECTION.flatMap((count, section) =>
      Array.from({ length: count }, (_, rule) => `${section + 1}.${rule + 1}`),
    );
    const rules = [...numbered, "moved", "missing", "search", "errors"];
    const covered = new Set(cases.flatMap((entry) => entry.rules));
    expect([...covered].filter((rule) => !rules.includes(rule))).toEqual([]);
    expect(rules.filter((rule) => !covered.has(rule))).toEqual([]);
  });
});
