import { describe, expect, it } from "vitest";
import { RequestError } from "../../src/index.ts";
import { parseRequest } from "../../src/request/parse-request.ts";
import { PROJECT } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine } from "../support/scratch.ts";

const FIELD = { $getField: "scores.a" };
const ONE = { $literal: 1 };
const EXPR = ["filters", 0, "query", "$expr"];

type Place = readonly (string | number)[];

/** The request whose only filter is this. */
function filter(expression: unknown) {
  return { filters: [{ query: { $expr: expression } }] };
}

function refused(request: unknown): RequestError {
  try {
    parseRequest(request);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error("expected a RequestError");
}

describe("a request of a wrong shape", () => {
  it.each<[string, unknown, Place, RegExp]>([
    ["null", null, [], /expected object/],
    ["a list", [], [], /expected object/],
    ["a text", "{}", [], /expected object/],
    ["ids that were not awaited", { evaluation_call_ids: Promise.resolve(["e"]) }, [], /await it/],
    ["an unknown member", { limits: 5 }, ["limits"], /unknown member/],
    ["a member of every object", JSON.parse('{"__proto__":{}}'), ["__proto__"], /unknown member/],
    ["ids that are no list", { evaluation_call_ids: "e" }, ["evaluation_call_ids"], /expected array/],
    [
      "an id that is no text",
      { evaluation_call_ids: ["e", 5] },
      ["evaluation_call_ids", 1],
      /expected string/,
    ],
    [
      "a run id that is no text",
      { evaluation_run_ids: [null] },
      ["evaluation_run_ids", 0],
      /expected string/,
    ],
    ["a negative limit", { limit: -1 }, ["limit"], /must be at least 0/],
    ["a broken limit", { limit: 1.5 }, ["limit"], /expected int/],
    ["a limit in words", { limit: "5" }, ["limit"], /expected number/],
    ["a limit beyond all", { limit: 2 ** 53 }, ["limit"], /must be at most 9007199254740991/],
    ["a limit that is no number", { limit: Number.NaN }, ["limit"], /expected number/],
    ["a histogram without bins", { histogram_bins: 0 }, ["histogram_bins"], /must be at least 1/],
    ["a histogram of too many bins", { histogram_bins: 201 }, ["histogram_bins"], /must be at most 200/],
    ["a histogram of parts of bins", { histogram_bins: 1.5 }, ["histogram_bins"], /expected int/],
    [
      "a move in no direction",
      { moved: { field: "scores.a", direction: "left" } },
      ["moved", "direction"],
      /"up"/,
    ],
    ["a move of no field", { moved: { baseline: "e" } }, ["moved", "field"], /required/],
    ["values that are missing nowhere", { missing: {} }, ["missing", "field"], /required/],
    [
      "values missing from one evaluation",
      { missing: { field: "scores.a", baseline: "e" } },
      ["missing", "baseline"],
      /unknown|not a member/,
    ],
    [
      "outputs that are no flag",
      { include_outputs: "no" },
      ["include_outputs"],
      /expected true, false or "line"$/,
    ],
    ["row counts that are no flag", { include_row_counts: 1 }, ["include_row_counts"], /expected boolean/],
    ["a search for nothing", { search: "" }, ["search"], /must have at least 1 character$/],
    [
      "a search for a long text",
      { search: "a".repeat(1001) },
      ["search"],
      /must have at most 1000 characters/,
    ],
    ["a search for a number", { search: 5 }, ["search"], /expected string/],
    ["usage that is no flag", { include_usage: "yes" }, ["include_usage"], /expected boolean/],
    ["a negative offset", { offset: -1 }, ["offset"], /must be at least 0/],
    ["an unknown logic", { filter_logic_operator: "xor" }, ["filter_logic_operator"], /"and"\|"or"/],
    ["sorts that are no list", { sort_by: { field: "scores.a" } }, ["sort_by"], /expected array/],
    ...[
      "require_intersection",
      "include_raw_data_rows",
      "resolve_row_refs",
      "include_rows",
      "include_summary",
      "include_predict_and_score_children",
      "offset",
    ].map((name): [string, unknown, (string | number)[], RegExp] => [
      `null for ${name}`,
      { [name]: null },
      [name],
      /expected (boolean|number|int)/,
    ]),
    [
      "null for the mode of a sort",
      { sort_by: [{ field: "scores.a", mode: null }] },
      ["sort_by", 0, "mode"],
      /expected one of/,
    ],
    ["a sort that is null", { sort_by: [null] }, ["sort_by", 0], /expected object/],
    ["a sort without a field", { sort_by: [{}] }, ["sort_by", 0, "field"], /expected string/],
    [
      "an unknown direction",
      { sort_by: [{ field: "scores.a", direction: "up" }] },
      ["sort_by", 0, "direction"],
      /"asc"\|"desc"/,
    ],
    [
      "an unknown mode",
      { sort_by: [{ field: "scores.a", mode: "max" }] },
      ["sort_by", 0, "mode"],
      /"value"\|"difference"/,
    ],
    [
      "an unknown member of a sort",
      { sort_by: [{ field: "scores.a", order: 1 }] },
      ["sort_by", 0, "order"],
      /unknown member/,
    ],
    [
      "a sort by a number",
      { sort_by: [{ field: "scores.a", evaluation_call_id: 1 }] },
      ["sort_by", 0, "evaluation_call_id"],
      /expected string/,
    ],
    ["a filter without a query", { filters: [{}] }, ["filters", 0, "query"], /expected object/],
    ["a query without $expr", { filters: [{ query: {} }] }, EXPR, /expected an object/],
    [
      "a query with more",
      { filters: [{ query: { $expr: { $and: [ONE] }, x: 1 } }] },
      ["filters", 0, "query", "x"],
      /unknown member/,
    ],
    [
      "an unknown member of a filter",
      { filters: [{ query: { $expr: { $and: [ONE] } }, x: 1 }] },
      ["filters", 0, "x"],
      /unknown member/,
    ],
    [
      "an unknown quantifier",
      { filters: [{ query: { $expr: { $and: [ONE] } }, quantifier: "most" }] },
      ["filters", 0, "quantifier"],
      /"any"\|"all"\|"first"\|"mean"/,
    ],
  ])("is refused: %s", (_fault, request, path, message) => {
    const error = refused(request);
    expect(error).toMatchObject({ kind: "schema", code: "invalid_request", path });
    expect(error.message).toMatch(message);
    expect(error.issues[0]).toMatchObject({ loc: path, msg: expect.stringMatching(message) });
  });

  it.each([
    "require_intersection",
    "include_raw_data_rows",
    "resolve_row_refs",
    "include_rows",
    "include_summary",
    "summary_require_intersection",
    "include_predict_and_score_children",
  ])("is refused: %s that is no boolean", (name) => {
    for (const value of [1, "true", []]) {
      expect(refused({ [name]: value })).toMatchObject({ kind: "schema", path: [name] });
      expect(refused({ [name]: value }).message).toMatch(/expected boolean/);
    }
  });

  it("tells every issue, and how many there are besides the first", () => {
    const error = refused({ limit: -1, include_rows: "yes", extra: 1 });
    expect(new Set(error.issues.map(({ loc }) => loc[0]))).toEqual(
      new Set(["extra", "include_rows", "limit"]),
    );
    expect(error.message).toMatch(/\(and 2 more\)$/);
  });
});

describe("a filter of a wrong shape", () => {
  const OPERATION = /\$and, \$or, \$not, \$eq, \$gt, \$gte, \$lt, \$lte, \$in, \$contains, \$regex/;

  it.each<[string, unknown, Place, RegExp]>([
    ["a number", 5, [], OPERATION],
    ["a text", "x", [], OPERATION],
    ["null", null, [], OPERATION],
    ["a list", [ONE], [], OPERATION],
    ["a literal", ONE, [], OPERATION],
    ["a field", FIELD, [], OPERATION],
    ["a cast", { $convert: { input: FIELD, to: "bool" } }, [], OPERATION],
    ["an unknown operator", { $ne: [FIELD, ONE] }, [], OPERATION],
    ["two operators", { $eq: [FIELD, ONE], $gt: [FIELD, ONE] }, [], OPERATION],
    ["a comparison of one", { $eq: [FIELD] }, ["$eq"], /must have at least 2 items/],
    ["a comparison of three", { $gt: [FIELD, ONE, ONE] }, ["$gt"], /must have at most 2 items/],
    ["a comparison of no list", { $lte: FIELD }, ["$lte"], /expected tuple/],
    ["a comparison with a bare value", { $gte: [FIELD, 5] }, ["$gte", 1], /\$literal, \$getField, \$convert/],
    [
      "a bare value deep inside",
      { $and: [{ $or: [{ $not: [{ $lt: ["x", ONE] }] }] }] },
      ["$and", 0, "$or", 0, "$not", 0, "$lt", 0],
      /\$literal/,
    ],
    ["$and of no list", { $and: FIELD }, ["$and"], /expected array/],
    ["$or of a bare value", { $or: [FIELD, true] }, ["$or", 1], /\$literal/],
    ["$not of nothing", { $not: [] }, ["$not"], /not allowed here/],
    ["$not of two", { $not: [FIELD, FIELD] }, ["$not"], /not allowed here/],
    ["$in without options", { $in: [FIELD] }, ["$in"], /must have at least 2 items/],
    ["$in with one option that is no list", { $in: [FIELD, ONE] }, ["$in", 1], /expected array/],
    ["$in with a bare option", { $in: [FIELD, [ONE, 5]] }, ["$in", 1, 1], /\$literal/],
    ["$contains of a list", { $contains: [FIELD, ONE] }, ["$contains"], /expected object/],
    [
      "$contains of a bare text",
      { $contains: { input: FIELD, substr: "x" } },
      ["$contains", "substr"],
      /\$literal/,
    ],
    ["$contains without a text", { $contains: { input: FIELD } }, ["$contains", "substr"], /\$literal/],
    [
      "$contains with more",
      { $contains: { input: FIELD, substr: ONE, x: 1 } },
      ["$contains", "x"],
      /unknown member/,
    ],
    [
      "$contains with a wrong flag",
      { $contains: { input: FIELD, substr: ONE, case_insensitive: 1 } },
      ["$contains", "case_insensitive"],
      /expected boolean/,
    ],
    ["$regex of a list", { $regex: [FIELD, ONE] }, ["$regex"], /expected object/],
    ["$regex without a pattern", { $regex: { input: FIELD } }, ["$regex", "pattern"], /expected object/],
    [
      "$regex of a bare pattern",
      { $regex: { input: FIELD, pattern: "x" } },
      ["$regex", "pattern"],
      /expected object/,
    ],
    [
      "$regex of a field as pattern",
      { $regex: { input: FIELD, pattern: FIELD } },
      ["$regex", "pattern", "$literal"],
      /expected string/,
    ],
    [
      "$regex of a number as pattern",
      { $regex: { input: FIELD, pattern: ONE } },
      ["$regex", "pattern", "$literal"],
      /expected string/,
    ],
    [
      "$regex with more",
      { $regex: { input: FIELD, pattern: { $literal: "x" }, flags: "i" } },
      ["$regex", "flags"],
      /unknown member/,
    ],
    [
      "$regex of a bare text",
      { $regex: { input: "x", pattern: { $literal: "x" } } },
      ["$regex", "input"],
      /\$literal/,
    ],
    ["a field that is no text", { $eq: [{ $getField: 5 }, ONE] }, ["$eq", 0, "$getField"], /expected string/],
    [
      "a literal that is an object",
      { $eq: [FIELD, { $literal: {} }] },
      ["$eq", 1, "$literal"],
      /not allowed here/,
    ],
    [
      "a literal that is a list",
      { $eq: [FIELD, { $literal: [1] }] },
      ["$eq", 1, "$literal"],
      /not allowed here/,
    ],
    [
      "a literal that is no number",
      { $eq: [FIELD, { $literal: Number.NaN }] },
      ["$eq", 1, "$literal"],
      /not allowed here/,
    ],
    ["a literal with more", { $eq: [FIELD, { $literal: 1, x: 1 }] }, ["$eq", 1, "x"], /unknown member/],
    [
      "a cast to an unknown type",
      { $eq: [{ $convert: { input: FIELD, to: "float" } }, ONE] },
      ["$eq", 0, "$convert", "to"],
      /"double"\|"int"\|"string"\|"bool"\|"exists"/,
    ],
    [
      "a cast to nothing",
      { $eq: [{ $convert: { input: FIELD } }, ONE] },
      ["$eq", 0, "$convert", "to"],
      /"double"/,
    ],
    [
      "a cast of a bare value",
      { $eq: [{ $convert: { input: 5, to: "int" } }, ONE] },
      ["$eq", 0, "$convert", "input"],
      /\$literal/,
    ],
  ])("is refused: %s", (_fault, expression, place, message) => {
    const error = refused(filter(expression));
    expect(error).toMatchObject({ kind: "schema", path: [...EXPR, ...place] });
    expect(error.message).toMatch(message);
  });
});

/** The request whose only filter has this pattern. */
function regex(text: string) {
  return filter({ $regex: { input: FIELD, pattern: { $literal: text } } });
}

describe("a pattern", () => {
  it.each([
    ["x".repeat(1001), /must have at most 1000 characters/],
    ["a{1001}", /too large/],
    ["(a{1000}){1000}", /too large/],
    ["((a{10}){10}){10}", /too large/],
    ["(?:a{1,100}b){10,}", /too large/],
    ["a{1,1000}".repeat(100), /too large/],
    ["[a-z0-9]{200}", /too large/],
    [".{201}", /too large/],
    ["a" + ".".repeat(200), /too large/],
    ["\\p{L}{30}", /too large/],
    ["\\pL".repeat(30), /too large/],
    ["[^\\p{Greek}]{20}", /too large/],
    ["(?:\\Q)\\Ea{100}){100}", /too large/],
    ["(?:[)]a{100}){100}", /too large/],
    ["(?:\\)a{100}){100}", /too large/],
    ["(?:[])]a{100}){100}", /too large/],
    ["(((((a{100}){100}", /too large/],
  ])("is refused where it costs too much: %s", (text, message) => {
    const error = refused(regex(text));
    expect(error).toMatchObject({ kind: "schema", path: [...EXPR, "$regex", "pattern", "$literal"] });
    expect(error.message).toMatch(message);
  });

  it.each([
    "x".repeat(1000),
    ".{200}",
    "^.{150,}$",
    "\\x{2019}\\x{1F600}",
    "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    "(\\d{1,3}\\.){3}\\d{1,3}",
    "\\p{Lu}\\p{Ll}{1,10}",
    "(?:ab){80}(?:cd){80}",
    "{1000}{x",
    "",
  ])("is taken where it does not: %s", (text) => {
    expect(() => parseRequest(regex(text))).not.toThrow();
  });
});

describe("a request without meaning", () => {
  const SORT = ["sort_by", 0];

  it.each<[string, unknown, Place, RegExp]>([
    [
      "a sort by an unknown field",
      { sort_by: [{ field: "speed" }] },
      [...SORT, "field"],
      /scores\., inputs\., outputs\. or output\./,
    ],
    ["a sort by no field", { sort_by: [{ field: "" }] }, [...SORT, "field"], /fields begin with/],
    ["a sort by a bare prefix", { sort_by: [{ field: "scores" }] }, [...SORT, "field"], /scores\.name/],
    [
      "a sort by a prefix and a dot",
      { sort_by: [{ field: "outputs." }] },
      [...SORT, "field"],
      /outputs\.name/,
    ],
    ["a sort by the digest", { sort_by: [{ field: "row_digest" }] }, [...SORT, "field"], /for filters only/],
    [
      "a difference of inputs",
      { sort_by: [{ field: "inputs.a", mode: "difference" }] },
      [...SORT, "mode"],
      /below scores and steps only/,
    ],
    [
      "a difference of outputs",
      { sort_by: [{ field: "outputs.a", mode: "difference" }] },
      [...SORT, "mode"],
      /below scores and steps only/,
    ],
    [
      "a difference of the output",
      { sort_by: [{ field: "output.a", mode: "difference" }] },
      [...SORT, "mode"],
      /below scores and steps only/,
    ],
    ["an empty $and", filter({ $and: [] }), [...EXPR, "$and"], /at least one operand/],
    ["an empty $or", filter({ $or: [] }), [...EXPR, "$or"], /at least one operand/],
    [
      "an empty $and deep inside",
      filter({ $not: { $or: [{ $and: [] }] } }),
      [...EXPR, "$not", "$or", 0, "$and"],
      /at least one operand/,
    ],
    [
      "a filter on an unknown field",
      filter({ $eq: [{ $getField: "latency" }, ONE] }),
      [...EXPR, "$eq", 0, "$getField"],
      /fields begin with/,
    ],
    [
      "a filter on a bare prefix",
      filter({ $eq: [{ $getField: "inputs" }, ONE] }),
      [...EXPR, "$eq", 0, "$getField"],
      /inputs\.name/,
    ],
    [
      "a move up from nothing",
      { moved: { field: "scores.a", direction: "up" } },
      ["moved", "direction"],
      /"up" needs a baseline.*moved\.baseline.*"any"/,
    ],
    [
      "a move of inputs",
      { moved: { field: "inputs.a" } },
      ["moved", "field"],
      /inputs\.a is the same in every evaluation/,
    ],
    [
      "a value missing from inputs",
      { missing: { field: "inputs.a" } },
      ["missing", "field"],
      /inputs\.a is the same in every evaluation/,
    ],
    [
      "a value missing from the digest",
      { missing: { field: "row_digest" } },
      ["missing", "field"],
      /row_digest is the same in every evaluation/,
    ],
    [
      "a value missing at a bare prefix",
      { missing: { field: "scores." } },
      ["missing", "field"],
      /scores\.name/,
    ],
    ["a move of a bare prefix", { moved: { field: "scores" } }, ["moved", "field"], /scores\.name/],
    [
      "a filter below the digest",
      filter({ $eq: [{ $getField: "row_digest.a" }, ONE] }),
      [...EXPR, "$eq", 0, "$getField"],
      /fields begin with/,
    ],
    [
      "a field within $in",
      filter({ $in: [FIELD, [{ $getField: "x" }]] }),
      [...EXPR, "$in", 1, 0, "$getField"],
      /fields begin with/,
    ],
    [
      "a field within a cast",
      filter({ $eq: [{ $convert: { input: { $getField: "x" }, to: "int" } }, ONE] }),
      [...EXPR, "$eq", 0, "$convert", "input", "$getField"],
      /fields begin with/,
    ],
    [
      "a field within $contains",
      filter({ $contains: { input: FIELD, substr: { $getField: "x" } } }),
      [...EXPR, "$contains", "substr", "$getField"],
      /fields begin with/,
    ],
  ])("is refused: %s", (_fault, request, path, message) => {
    const error = refused(request);
    expect(error).toMatchObject({ kind: "meaning", code: "unsupported_request", path });
    expect(error.message).toMatch(message);
  });
});

describe("a request", () => {
  it.each<[string, unknown]>([
    ["says nothing", {}],
    [
      "leaves out with null",
      {
        evaluation_call_ids: null,
        evaluation_run_ids: null,
        summary_require_intersection: null,
        limit: null,
        sort_by: null,
        filters: null,
        filter_logic_operator: null,
        include_feedback: null,
        include_uncertainty: null,
        pass_k: null,
        include_usage: null,
        include_outputs: null,
        include_row_counts: null,
        histogram_bins: null,
        moved: null,
        missing: null,
        search: null,
        include_trial_errors: null,
        derived_scores: null,
      },
    ],
    [
      "leaves out in a sort, a filter and a move",
      {
        moved: { field: "scores.a", baseline: null, direction: null },
        sort_by: [{ field: "scores.a", direction: null, evaluation_call_id: null }],
        filters: [{ query: { $expr: { $and: [ONE] } }, quantifier: null, evaluation_call_id: null }],
      },
    ],
    ["has a limit of nothing", { limit: 0, offset: 2 ** 53 - 1 }],
    ["has an empty list of options", filter({ $in: [FIELD, []] })],
    ["negates without a list", filter({ $not: { $eq: [FIELD, ONE] } })],
    ["negates a list of one", filter({ $not: [FIELD] })],
    ["filters by digest", filter({ $eq: [{ $getField: "row_digest" }, { $literal: "x" }] })],
    [
      "has every kind of literal",
      filter({ $in: [FIELD, ["x", 1, true, null].map(($literal) => ({ $literal }))] }),
    ],
    [
      "has differences of scores",
      { sort_by: [{ field: "scores.a.b", mode: "difference", evaluation_call_id: "whatever" }] },
    ],
  ])("may be one that %s", (_kind, request) => {
    expect(() => parseRequest(request)).not.toThrow();
  });

  it("has more fields or keys of an order than a statement can have", () => {
    const named = Array.from({ length: 101 }, (_, i) => ({ field: `inputs.f${i}` }));
    const conditions = named.map(({ field }) => ({ $eq: [{ $getField: field }, { $literal: 1 }] }));
    expect(parseRequest(filter({ $or: conditions.slice(0, 100) })).filters).toHaveLength(1);
    expect(refused(filter({ $or: conditions })).message).toMatch(/^filters: more than 100 different fields/);
    expect(refused({ sort_by: named }).message).toMatch(/^sort_by: more than 100 different fields/);
    const same = Array.from({ length: 101 }, () => ({ field: "inputs.n" }));
    expect(refused({ sort_by: same }).message).toMatch(/^sort_by: .*100/);
  });

  it("is refused by the engine with the same error, before it looks at the data", async () => {
    const engine = await scratchEngine();
    for (const ask of [engine.queryEvalResults, engine.queryEvalResultsJson, engine.explain]) {
      expect(await refusal(ask(PROJECT, { limit: -1 }))).toMatchObject({
        name: "RequestError",
        kind: "schema",
        path: ["limit"],
      });
    }
  });

  it.each([() => 1, Symbol("s")])("with what JSON has not is refused where it stands: %o", (value) => {
    const error = refused(filter({ $eq: [{ $literal: value }, ONE] }));
    expect(error).toMatchObject({ kind: "schema", path: [...EXPR, "$eq", 0, "$literal"] });
    expect(error.message).toContain(typeof value);
  });

  it.each([250, 5000, 200_000])("nested %i levels deep is refused at once", (depth) => {
    let expression: unknown = { $and: [ONE] };
    for (let i = 0; i < depth; i++) expression = { $not: expression };
    const error = refused(filter(expression));
    expect(error).toMatchObject({ kind: "schema" });
    expect(error.message).toMatch(/nested more than \d+ levels deep/);
    expect(error.message.length).toBeLessThan(500);
  });

  it("nested a hundred levels deep is answered", async () => {
    const engine = await scratchEngine();
    let expression: object = { $eq: [FIELD, ONE] };
    for (let i = 0; i < 100; i++) expression = { $not: expression };
    const request = JSON.parse(JSON.stringify(filter(expression)));
    expect(await engine.queryEvalResults(PROJECT, request)).toMatchObject({ rows: [] });
  });
});
