import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { call, root, trial } from "../support/records.ts";
import { ANN, ask, collected, PROJECT, table } from "./weave-requests.ts";

/** What fills texts up: little, or more than stands in a record. */
interface Filling {
  readonly isLong: boolean;
}

const NEEDLE = 'find "me" ß\n';
const REFERENCE = `weave:///${PROJECT}/object/sums:v1`;
/** Longer than the head of a long text, and shorter than what orders look at. */
const SAME = "s".repeat(600);
/** Rows and calls whose needle begins at these places of the text, most of them across two pieces. */
const PLACES = [4079, 4083, 4086, 4090, 4093, 4094, 4095, 4096];

const filled = ({ isLong }: Filling, text: string, length = 1000) =>
  text + " é語".repeat(isLong ? length : 2);

const step = (id: string, others: object) =>
  call(id, { parent_id: "e", started_at: `2026-01-02T00:00:00.${id.replace(/\D/g, "")}Z`, ...others });

function calls(filling: Filling) {
  const fill = (text: string) => filled(filling, text);
  return [
    root(),
    trial("t001", { q: fill("q") }, { s: 1 }, { output: { output: fill(SAME + "b"), scores: { s: 1 } } }),
    trial("t002", { q: "q" }, { s: 2 }, { output: { output: fill(SAME + "a"), scores: { s: 2 } } }),
    trial("t003", { q: 3 }, {}, { output: { output: { messages: [{ content: fill("hello") }] }, n: 3 } }),
    trial("t004", { q: 4 }, {}, { output: { output: null, scores: {} } }),
    step("c005", { output: fill("Upper CASE"), inputs: { a: 1 } }),
    step("c006", {
      output: { messages: [{ content: "hello" }, fill("")], n: 12 },
      inputs: { a: fill("in") },
    }),
    step("c007", { output: [fill(""), NEEDLE], inputs: { a: fill("in"), self: REFERENCE } }),
    step("c008", { output: "short", inputs: { a: [fill(""), { at: `${REFERENCE}/attr/x` }] } }),
    step("c009", { inputs: { a: null }, attributes: { k: { long: fill("attribute"), n: 7 } } }),
    step("c010", { output: "1".padStart(filling.isLong ? 5000 : 5, "0"), summary: { note: fill("sum") } }),
    ...PLACES.map((place, i) => {
      const before = "x".repeat(filling.isLong ? place : 10);
      return step(`c1${i}0`, { output: before + NEEDLE + fill("") });
    }),
  ];
}

const folder = mkdtempSync(path.join(tmpdir(), "evalcube-test-"));
const long: Filling = { isLong: true };
const short: Filling = { isLong: false };
const engines = new Map<Filling, Engine>();
const fileOf = ({ isLong }: Filling) => path.join(folder, `${isLong}.db`);
beforeAll(async () => {
  for (const filling of [long, short]) {
    const engine = await openEngine({ path: fileOf(filling) });
    engines.set(filling, engine);
    await engine.ingestCalls(calls(filling));
  }
});
afterAll(async () => {
  for (const engine of engines.values()) await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const engineOf = (filling: Filling): Engine => {
  const engine = engines.get(filling);
  if (engine === undefined) throw new Error("not open");
  return engine;
};

type Line = Readonly<Record<string, unknown>>;

async function lines(filling: Filling, asked: object): Promise<Line[]> {
  const request = JSON.stringify({ project_id: PROJECT, ...asked });
  const text = await collected(engineOf(filling).weave.streamCalls(request, ANN));
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
}

const ids = async (filling: Filling, asked: object) => (await lines(filling, asked)).map(({ id }) => id);
const field = (name: string) => ({ $getField: name });
const literal = (value: unknown) => ({ $literal: value });
const has = (name: string, substr: string, folds = false) => ({
  $contains: { input: field(name), substr: literal(substr), case_insensitive: folds },
});
const where = ($expr: object, others: object = {}) => ({ query: { $expr }, ...others });

const at = "2026-01-03T00:00:00Z";
const lastOf = (filling: Filling, text: string) => literal(filled(filling, text));
const CONDITIONS: readonly [what: string, expression: (filling: Filling) => object, met: number][] = [
  ["a part across two pieces", () => has("output", "find"), 9],
  ["a part with escapes, of texts and of what JSON writes", () => has("output", NEEDLE), 8],
  ["a part of the text form of a list", () => has("output", 'find \\"me\\"'), 1],
  ["a part without regard to case", () => has("output", "UPPER case É", true), 1],
  ["a part that none has", () => has("output", "UPPER case É"), 0],
  ["a part longer than a piece", (filling) => has("output", filled(filling, SAME, 2000)), 0],
  ["a part of an output as long as it", (filling) => has("output.output", filled(filling, `${SAME}a`)), 1],
  ["a path below a text", () => has("output.messages.0.content", "hell"), 1],
  ["a path below the output of a trial", () => has("output.output.messages.0.content", "hello é"), 1],
  ["an object with texts inside", () => has("inputs", "é語"), 4],
  ["an object with a short value", () => ({ $eq: [field("attributes.k.n"), literal(7)] }), 1],
  ["a text inside attributes", () => has("attributes.k", "attribute é"), 1],
  ["a text inside a summary", () => has("summary.note", "sum é"), 1],
  ["equality", (filling) => ({ $eq: [field("output"), lastOf(filling, "Upper CASE")] }), 1],
  ["equality of two fields", () => ({ $eq: [field("inputs.a"), field("inputs.a")] }), 4],
  [
    "a text among others",
    (filling) => ({ $in: [field("inputs.a"), [literal(1), lastOf(filling, "in")]] }),
    3,
  ],
  ["an order", () => ({ $gt: [field("output.output"), literal(`${SAME}a~`)] }), 2],
  ["an order at the end", (filling) => ({ $lte: [field("output"), lastOf(filling, "Upper CASE")] }), 2],
  ["a number in a long spelling", () => ({ $eq: [field("output"), literal(1)] }), 1],
  ["no value", () => ({ $eq: [field("output"), literal(null)] }), 2],
  ["a value", () => ({ $convert: { input: field("output.output"), to: "exists" } }), 3],
  ["a value below", () => ({ $convert: { input: field("output.messages.1"), to: "exists" } }), 1],
  ["a plain part that none has", () => has("output", "Upper words"), 0],
  ["the opposite below a text", () => ({ $not: [has("output.messages.0.content", "Upper words")] }), 1],
  ["the opposite", () => ({ $not: [has("output", "find")] }), 8],
  ["both of two", () => ({ $and: [has("output", "x"), has("inputs.a", "in")] }), 0],
  ["either of two", () => ({ $or: [has("output", "short"), has("inputs.a", "in é"), has("id", "t001")] }), 4],
  ["a text as a condition", () => field("inputs.a"), 3],
];

describe("conditions on long texts select the calls that they select with short ones:", () => {
  it.each(CONDITIONS)("%s", async (_, expression, met) => {
    const found = await ids(long, where(expression(long)));
    expect(found).toEqual(await ids(short, where(expression(short))));
    expect(found).toHaveLength(met);
    const request = { project_id: PROJECT, ...where(expression(long)) };
    expect(await ask(engineOf(long).weave.countCalls, request)).toEqual({ count: met });
  });

  it("a page of them", async () => {
    for (const [limit, offset] of [[3], [3, 2], [1, 7], [0], [5, 100], [undefined, 6]]) {
      const page = where(has("output", "find"), { limit, offset, columns: ["id"] });
      const found = await ids(long, page);
      expect(found).toEqual(await ids(short, page));
      const all = await ids(long, where(has("output", "find")));
      expect(found).toEqual(all.slice(offset ?? 0, (offset ?? 0) + (limit ?? Infinity)));
    }
  });

  it("references inside of them", async () => {
    for (const [input_refs, met] of [
      [[REFERENCE], ["c007", "c008"]],
      [[`${REFERENCE}/attr/x`], ["c008"]],
      [[`${REFERENCE}/attr/y`], []],
    ])
      for (const filling of [long, short])
        expect(await ids(filling, { filter: { input_refs } })).toEqual(met);
  });
});

it.each([
  ["find words", "\\u0066ind words", 1],
  ["find words", "\\u00e9\\n find words", 1],
  ["FIND Words", "\\u0046ind words", 1],
  ["kelvin words", "\\u212aelvin words", 1],
  ["kelvin words", "\u212aelvin words", 1],
  ["find words", "find \\u00e9 words", 0],
  ["1.5", '", "n": 1.50, "m": "', 1],
  ["n 1", '", "n": 1, "m": "', 0],
])("a search for %s looks into what is written as %s", async (substr, written, met) => {
  const engine = await openEngine({ path: ":memory:" });
  for (const filling of [short, long]) {
    const output = `{"a": "${filled(filling, "")}${written}"}`;
    const id = `c${filling.isLong}`;
    const sent = JSON.stringify({
      ...call(id),
      attributes: {},
      trace_id: "t",
      ended_at: at,
      summary: {},
      inputs: {},
    });
    await engine.weave.completeCalls(`{"batch":[${sent.slice(0, -1)},"output":${output}}]}`, ANN);
  }
  for (const name of ["output", "output.a"])
    for (const folds of [true, substr !== substr.toLowerCase() || substr.startsWith("k")]) {
      const { $contains } = has(name, substr, folds);
      for (const $expr of [{ $contains }, { $not: [{ $contains }] }]) {
        const request = JSON.stringify({ project_id: PROJECT, query: { $expr }, columns: ["id"] });
        const text = await collected(engine.weave.streamCalls(request, ANN));
        const isMet = "$contains" in $expr === (met === 1 && !(name === "output.a" && substr === "1.5"));
        expect(text.match(/ctrue|cfalse/gu) ?? []).toEqual(isMet ? ["cfalse", "ctrue"] : []);
      }
    }
  await engine.close();
});

const ORDERS = [
  ["output.output", "id"],
  ["output", "id"],
  ["inputs", "output"],
  ["inputs.a", "output"],
  ["attributes.k.long", "summary.note", "id"],
  ["output.messages.0.content", "inputs.a"],
];

it.each(ORDERS.map((fields) => [fields]))("calls stand in the order of %s, long or short", async (fields) => {
  for (const direction of ["asc", "desc"])
    for (const page of [{}, { limit: 5, offset: 2 }, where(has("output", "é"))]) {
      const sort_by = fields.map((one) => ({ field: one, direction }));
      const found = await ids(long, { sort_by, ...page });
      expect(found).toEqual(await ids(short, { sort_by, ...page }));
      expect(found.length).toBeGreaterThan(4);
    }
});

it("lines and single calls have what was sent", async () => {
  const sent = calls(long);
  const found = await lines(long, {});
  expect(found).toHaveLength(sent.length);
  for (const line of found) {
    const { output = null, inputs = {}, attributes = {} } = sent.find(({ id }) => id === line["id"]) as Line;
    expect(line).toMatchObject({ output, inputs, attributes });
    const request = { project_id: PROJECT, id: line["id"] };
    expect(await ask(engineOf(long).weave.readCall, request)).toEqual({ call: line });
  }
  expect(found.find(({ id }) => id === "c010")).toMatchObject({ summary: { note: filled(long, "sum") } });
});

it("rows of tables and references are read whole, and sorted by what long texts say", async () => {
  const { weave } = engineOf(long);
  const rows = ["b", "a", "c"].map((one) => ({ k: SAME + one, value: filled(long, one), n: 1.5 }));
  const sent = [...rows, { k: "short", value: "a", n: 2 }];
  const { digest, row_digests } = await ask<{ digest: string; row_digests: string[] }>(
    weave.createTable,
    table(sent),
  );
  const query = async (others: object) => {
    const request = JSON.stringify({ project_id: PROJECT, digest, ...others });
    return JSON.parse(await collected(weave.queryTable(request, ANN))) as { rows: { val: unknown }[] };
  };
  expect((await query({})).rows.map(({ val }) => val)).toEqual(sent);
  expect((await query({ sort_by: [{ field: "k" }], limit: 2 })).rows.map(({ val }) => val)).toEqual([
    sent[3],
    sent[1],
  ]);
  const filter = { row_digests: [row_digests[2]] };
  expect((await query({ filter })).rows.map(({ val }) => val)).toEqual([sent[2]]);
  const refs = [
    `weave:///${PROJECT}/table/${digest}/id/${row_digests[0]}/key/value`,
    `weave:///${PROJECT}/table/${digest}/index/1`,
  ];
  expect(JSON.parse(await collected(weave.readReferences(JSON.stringify({ refs }), ANN)))).toEqual({
    vals: [sent[0]?.value, sent[1]],
  });
});

const bytes = (text: string) => Buffer.from(text);
const idOf = (i: number) => `c${i + 100}`;

describe("long texts that begin alike, or are spelled with escapes,", () => {
  const alike = "s".repeat(999);
  const starts = [
    "",
    "\n",
    "a",
    "\u{1f600}",
    "\u{1f601}",
    "\uffff",
    "é",
    "t\u{1f600}",
    "t\u{1f601}",
    "t\uffff",
  ];
  const texts = [
    ...starts.flatMap((start) => [
      `${alike}${start}${"x".repeat(4000)}`,
      `${alike}${start}${"x".repeat(4000)}y`,
    ]),
    '"\\\n'.repeat(2000),
    "\u0001".repeat(5000),
    "\t\u007f".repeat(3000),
    "7".repeat(5000),
    `${"7".repeat(5000)}, or seven`,
  ];
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine({ path: ":memory:" });
    await engine.ingestCalls(texts.map((output, i) => call(idOf(i), { output, inputs: { some: [output] } })));
  });
  afterAll(() => engine.close());
  const found = async (asked: object) => {
    const request = JSON.stringify({ project_id: PROJECT, columns: ["id"], ...asked });
    return (await collected(engine.weave.streamCalls(request, ANN)))
      .match(/"c\d+"/gu)
      ?.map((id) => id.slice(1, -1));
  };
  const selected = (isMet: (text: string) => boolean) => {
    const all = texts.flatMap((text, i) => (isMet(text) ? [idOf(i)] : []));
    return all.length === 0 ? undefined : all;
  };

  const inOrder = (read: (text: string) => string, sign: number) =>
    texts
      .map((text, i) => ({ id: idOf(i), key: bytes(read(text).slice(0, 1000)) }))
      .toSorted((a, b) => sign * Buffer.compare(a.key, b.key))
      .map(({ id }) => id);

  it("are compared as a whole", async () => {
    for (const one of [...texts, alike, `${alike}t`, "s", "", "7"])
      for (const [name, isMet] of [
        ["$eq", (order: number) => order === 0],
        ["$gt", (order: number) => order > 0],
        ["$lte", (order: number) => order <= 0],
      ] as const) {
        const given = [field("output"), literal(one)];
        const expected = selected((text) => isMet(Buffer.compare(bytes(text), bytes(one))));
        expect(await found(where({ [name]: given })), `${name} ${one.slice(990, 1010)}`).toEqual(expected);
        const turned = selected((text) => isMet(Buffer.compare(bytes(one), bytes(text))));
        expect(await found(where({ [name]: given.toReversed() }))).toEqual(turned);
      }
  });

  it("are searched for any part", async () => {
    const parts = [
      "s\n",
      "sé",
      "\u{1f601}x",
      "xy",
      "s, or",
      "7, or seven",
      "7, or eight",
      '"\\',
      "ss\u{1f600}",
      "u0001",
    ];
    for (const part of parts) {
      expect(await found(where(has("output", part))), part).toEqual(selected((text) => text.includes(part)));
      const inside = selected((text) => JSON.stringify({ some: [text] }).includes(part));
      expect(await found(where(has("inputs", part))), part).toEqual(inside);
    }
  });

  it("are sorted by their first 1,000 characters", async () => {
    const keys = {
      output: (text: string) => text,
      inputs: (text: string) => JSON.stringify({ some: [text] }),
    };
    for (const [name, read] of Object.entries(keys))
      for (const [direction, sign] of [
        ["asc", 1],
        ["desc", -1],
      ] as const)
        expect(await found({ sort_by: [{ field: name, direction }] }), name).toEqual(inOrder(read, sign));
  });
});

describe("in a file that lost its long texts", () => {
  const file = path.join(folder, "lost.db");
  let engine: Engine;
  beforeAll(async () => {
    const first = await openEngine({ path: file });
    await first.ingestCalls(calls(long));
    await first.close();
    const database = await DuckDBInstance.create(file);
    const connection = await database.connect();
    await connection.run("DELETE FROM pieces");
    connection.closeSync();
    database.closeSync();
    engine = await openEngine({ path: file });
  });
  afterAll(() => engine.close());
  const read = async (asked: object) => {
    const request = JSON.stringify({ project_id: PROJECT, ...asked });
    const text = await collected(engine.weave.streamCalls(request, ANN));
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
  };

  it("questions that need none are answered", async () => {
    expect(await read({ columns: ["id"] })).toHaveLength(calls(long).length);
    expect(await read({ columns: ["summary", "id"], filter: { call_ids: ["c009"] } })).toMatchObject([
      { attributes: {}, inputs: { a: null }, summary: { weave: { status: "running" } } },
    ]);
    const columns = ["id"];
    const isC5 = { $eq: [field("id"), literal("c005")] };
    const $and = [has("output", "Upper"), { $not: isC5 }, isC5];
    expect(await read({ ...where({ $and }), columns })).toEqual([]);
    const $or = [{ $convert: { input: field("output"), to: "exists" } }, isC5];
    expect(await read({ ...where({ $or }), columns })).toHaveLength(17);
    expect(await read({ columns, filter: { input_refs: [REFERENCE], call_ids: ["c007"] } })).toHaveLength(1);
    expect(await read({ columns: ["output"], filter: { call_ids: ["c008"] } })).toMatchObject([
      { output: "short", inputs: {} },
    ]);
  });

  it("all others say what is missing", async () => {
    const message = expect.stringMatching(
      /^the long text \d+ is missing; evalcube check lists what is$/u,
    ) as string;
    const missing = { name: "StoreError", code: "damaged_database", message };
    await expect(read({})).rejects.toMatchObject(missing);
    await expect(read({ ...where(has("output", "Upper")), columns: ["id"] })).rejects.toMatchObject(missing);
    await expect(read({ ...where(has("output", "1, 2")), columns: ["id"] })).rejects.toMatchObject(missing);
    await expect(read({ columns: ["id"], sort_by: [{ field: "output" }] })).rejects.toMatchObject(missing);
    const isOther = { $gt: [field("output.output"), literal("other")] };
    await expect(read({ ...where(isOther), columns: ["id"] })).rejects.toMatchObject(missing);
  });
});
