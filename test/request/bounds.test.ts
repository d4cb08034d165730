import { describe, expect, it } from "vitest";
import { RequestError } from "../../src/index.ts";
import { checkArgument } from "../../src/model/arguments.ts";
import { parseCiGates } from "../../src/cli/gates/parse-gate.ts";
import { parseAgreementRequest } from "../../src/request/agreement-request.ts";
import { parseCompareRequest } from "../../src/request/parse-compare-request.ts";
import { parseHistoryRequest } from "../../src/request/history-request.ts";
import { parseLeaderboardRequest } from "../../src/request/leaderboard-request.ts";
import { parseFilter, parseSort } from "../../src/request/parse-filter.ts";
import { parseRequest } from "../../src/request/parse-request.ts";
import { checkReportOptions } from "../../src/view/report-options.ts";
import { querySchema } from "../../src/weave/conditions/operands.ts";
import { sortOrder } from "../../src/weave/conditions/order.ts";
import { processorTime } from "../support/processor-time.ts";

/** The fault of a request; null where there is none. */
function faultOf(read: () => unknown) {
  const time = processorTime();
  try {
    read();
    return null;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (time() > 250) throw new Error(`took ${time()} ms`, { cause: error });
    return { kind: error.kind, loc: error.path, msg: error.issues[0]?.msg };
  }
}

const schemaOf =
  (schema: typeof querySchema | typeof sortOrder) =>
  (value: unknown): unknown =>
    checkArgument(value, schema);
const comparing = (members: object) => parseCompareRequest({ baseline: "a", candidates: ["b"], ...members });
const agreeing = (members: object) =>
  parseAgreementRequest({ evaluations: ["a"], a: "x", b: "y", ...members });

/** Where a field is named: its root, and how it is asked for. */
const PLACES: readonly (readonly [place: string, root: string, read: (field: string) => unknown])[] = [
  ["sort_by.0.field", "scores.", (field) => parseRequest({ sort_by: [{ field }] })],
  ["moved.field", "scores.", (field) => parseRequest({ moved: { field } })],
  ["missing.field", "scores.", (field) => parseRequest({ missing: { field } })],
  ["cluster_by", "inputs.", (field) => parseRequest({ cluster_by: field })],
  ["by", "inputs.", (field) => parseRequest({ by: field, include_summary: true })],
  ["by.0", "inputs.", (field) => parseRequest({ by: [field], include_summary: true })],
  ["count_errors_as.*", "", (field) => parseRequest({ count_errors_as: { [field]: 0 } })],
  [
    "filters.0.query.$expr.$eq.0.$getField",
    "outputs.",
    (field) =>
      parseRequest({ filters: [{ query: { $expr: { $eq: [{ $getField: field }, { $literal: 1 }] } } }] }),
  ],
  ["scorers.0", "", (field) => comparing({ scorers: [field] })],
  ["lower_is_better.0", "", (field) => comparing({ lower_is_better: [field] })],
  ["higher_is_better.0", "", (field) => comparing({ higher_is_better: [field] })],
  ["corrected_by.human", "", (field) => comparing({ corrected_by: { human: field } })],
  ["cluster_by", "inputs.", (field) => comparing({ cluster_by: field })],
  ["by", "attributes.", (field) => comparing({ by: field })],
  ["where.*", "attributes.", (field) => comparing({ by: "model", where: { [field]: "x" } })],
  ["sort_by.0.field", "scores.", (field) => parseLeaderboardRequest({ sort_by: [{ field }] })],
  ["where.*", "summary.", (field) => parseLeaderboardRequest({ where: { [field]: "x" } })],
  ["by.1", "inputs.", (field) => parseLeaderboardRequest({ by: ["model", field] })],
  ["scorers.0", "", (field) => parseHistoryRequest({ scorers: [field] })],
  ["a", "", (field) => agreeing({ a: field })],
  ["b", "", (field) => agreeing({ b: field })],
  ["score", "", (field) => checkReportOptions({ score: field })],
  ["by", "inputs.", (field) => checkReportOptions({ by: field as "inputs.a" })],
  ["$expr.$getField", "inputs.", (field) => schemaOf(querySchema)({ $expr: { $getField: field } })],
  ["0.field", "inputs.", (field) => schemaOf(sortOrder)([{ field }])],
  ["--fail-on", "scores.", (field) => parseCiGates([`${field}<1`])],
];

describe("a field has at most 100 segments and 1,024 characters", () => {
  it.each(PLACES.map(([place, root, read]) => ({ place, root, read })))(
    "$place $root",
    ({ place, root, read }) => {
      // Names of scores have `scores` before them.
      const deepest = `${root}a${".a".repeat(98)}`;
      const longest = `${root}${"a".repeat(1024 - root.length)}`;
      expect(faultOf(() => read(deepest))).toBeNull();
      expect(faultOf(() => read(longest))).toBeNull();
      const faults = [
        [`${deepest}.a`, /at most 100 segments/],
        [`${longest}a`, /at most 1024 characters/],
        [`${root}${"a.".repeat(8000)}a`, /at most 1024 characters/],
        [`${root}${" ".repeat(200_000)}a`, /at most 1024 characters/],
      ] as const;
      for (const [field, bound] of faults) {
        const fault = faultOf(() => read(field));
        expect(fault).toMatchObject({ kind: "schema", msg: expect.stringMatching(bound) });
        expect(fault?.loc).toEqual(
          place.split(".").map((part) => (part === "*" ? field : /^\d$/.test(part) ? Number(part) : part)),
        );
      }
    },
  );
});

describe("a filter that is a text", () => {
  it("has at most 10,000 characters", () => {
    const value = "x".repeat(10_000 - "scores.a = ".length);
    expect(faultOf(() => parseFilter(`scores.a = ${value}`, ["--filter"]))).toBeNull();
    expect(faultOf(() => parseFilter(`scores.a = ${value}x`, ["--filter"]))).toEqual({
      kind: "schema",
      loc: ["--filter"],
      msg: "must have at most 10000 characters",
    });
  });

  it.each([" ", "=", "= ", " =", "a ", "a in", " in", "contains ", "(", '"', "[", "a.", "9", "\n", "\\"])(
    "of %j alone is answered at once",
    (part) => {
      const text = part.repeat(10_000 / part.length);
      const time = processorTime();
      for (const one of [text, `${text.slice(1)}x`, `x${text.slice(1)}`, `x${text.slice(2)}=`])
        faultOf(() => parseFilter(one, []));
      expect(time()).toBeLessThan(250);
      faultOf(() => parseSort(text, []));
      expect(time()).toBeLessThan(250);
    },
  );

  it.each([
    ["scores.a = 1", "$eq", "scores.a", 1],
    ["  scores.a=1  ", "$eq", "scores.a", 1],
    ["scores.a\t>=\n 2", "$gte", "scores.a", 2],
    ["inputs.my name < a = b", "$lt", "inputs.my name", "a = b"],
    ["inputs.contains = in", "$eq", "inputs.contains", "in"],
    ["inputs.in contains=1", "$eq", "inputs.in contains", 1],
  ])("%j is read at its first operator", (text, operator, field, value) => {
    expect(parseFilter(text, [])).toEqual({
      query: { $expr: { [operator]: [{ $getField: field }, { $literal: value }] } },
    });
  });
});
