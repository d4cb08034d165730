import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type CallRecord, type Engine } from "../../src/index.ts";
import { exampleCalls } from "../cli/command.ts";
import { processorTime } from "../support/processor-time.ts";
import { connect, serviceOf, type Asker } from "./clients.ts";

let engine: Engine;
let asker: Asker;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls(exampleCalls() as CallRecord[]);
  asker = await connect("2025-11-25", serviceOf(engine).transport());
  return async () => {
    await asker.close();
    await engine.close();
  };
});

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | false;
}

/** Places of a schema that take a text, a list or an object of any size. */
function unbounded(schema: Schema, place: string): string[] {
  const types = [schema.type ?? []].flat();
  const has = (type: string) => types.includes(type);
  const isOne = schema.const !== undefined || schema.enum !== undefined;
  const isText = has("string") && !isOne && schema.maxLength === undefined && schema.pattern === undefined;
  const isList = has("array") && (schema.maxItems === undefined || schema.items === undefined);
  const { properties = {}, additionalProperties: others, propertyNames: names } = schema;
  const isObject =
    has("object") &&
    others !== false &&
    (names?.maxLength === undefined || schema.maxProperties === undefined);
  const isAny = types.length === 0 && schema.anyOf === undefined && schema.enum === undefined;
  const inner: [string, Schema][] = [
    ...Object.entries(properties),
    ...(others === undefined || others === false ? [] : [["*", others] as [string, Schema]]),
    ...(schema.items === undefined ? [] : [["[]", schema.items] as [string, Schema]]),
    ...(schema.anyOf ?? []).map((one, i): [string, Schema] => [`anyOf ${i}`, one]),
  ];
  return [
    ...(isText || isList || isObject || isAny ? [place] : []),
    ...inner.flatMap(([name, one]) => unbounded(one, `${place}.${name}`)),
  ];
}

it("every text, list and object that a tool takes has a bound in its schema, keys of objects too", async () => {
  const { tools } = (await asker.ask("tools/list")) as {
    tools: { readonly name: string; readonly inputSchema: Schema }[];
  };
  expect(tools.length).toBeGreaterThan(5);
  expect(tools.flatMap(({ name, inputSchema }) => unbounded(inputSchema, name))).toEqual([]);
});

const EVALUATIONS = ["good"];
const LONG = "k".repeat(9000);
const DEEP = `scores${".a".repeat(8000)}`;
const BLANKS = " ".repeat(10_000);

const REFUSED: readonly (readonly [tool: string, args: object, bound: RegExp])[] = [
  ["leaderboard", { where: { [LONG]: "x" } }, /at most 1024 characters/],
  ["leaderboard", { where: { [LONG.slice(0, 1100)]: "x" }, max_bytes: 1000 }, /at most 1024 characters/],
  ["leaderboard", { where: { [`attributes${".a".repeat(100)}`]: "x" } }, /at most 100 segments/],
  ["leaderboard", { where: { "attributes.a": "x".repeat(10_001) } }, /at most 10000 characters/],
  ["leaderboard", { [LONG]: "x", max_bytes: 1000 }, /unknown member/],
  ["leaderboard", { by: `inputs${".a".repeat(8000)}` }, /at most 1024 characters/],
  ["leaderboard", { sort_by: [DEEP] }, /at most 1035 characters/],
  ["rows", { evaluations: EVALUATIONS, filters: [BLANKS] }, /is not FIELD OP VALUE/],
  ["rows", { evaluations: EVALUATIONS, filters: [`a${BLANKS.slice(2)}=`] }, /needs a value/],
  ["rows", { evaluations: EVALUATIONS, filters: [`${BLANKS} `] }, /at most 10000 characters/],
  ["rows", { evaluations: EVALUATIONS, filters: [`${DEEP.slice(0, 9000)} = 1`] }, /at most 1024 characters/],
  ["rows", { evaluations: EVALUATIONS, filters: [`${DEEP.slice(0, 300)} = 1`] }, /at most 100 segments/],
  ["rows", { evaluations: EVALUATIONS, moved: { field: DEEP } }, /at most 1024 characters/],
  ["compare", { baseline: "good", candidates: ["bad"], scorers: [DEEP] }, /at most 1024 characters/],
  ["compare", { baseline: LONG, candidates: ["bad"] }, /at most 1000 characters/],
  ["sql", { statement: `select '${"x".repeat(70_000)}'` }, /at most 65536 characters/],
  ["sql", { statement: "select ?", parameters: ["x".repeat(10_001)] }, /at most 10000 characters/],
  ["sql", { statement: "select $a", parameters: { [LONG]: 1 } }, /at most 100 characters/],
];

describe("what is longer than its bound is refused at once, with the bound, within max_bytes", () => {
  it.each(REFUSED.map(([tool, args, bound]) => ({ tool, args, bound })))("$tool $bound", async (asked) => {
    const { max_bytes: most = 8192 } = asked.args as { readonly max_bytes?: number };
    const time = processorTime();
    const { isError, text, structured } = await asker.call(asked.tool, { ...asked.args });
    expect(time()).toBeLessThan(250);
    expect(isError).toBe(true);
    expect(JSON.stringify(structured.error)).toMatch(asked.bound);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most);
    expect(Buffer.byteLength(JSON.stringify(structured))).toBeLessThanOrEqual(most);
  });
});
