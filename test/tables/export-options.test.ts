import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchPath } from "../support/scratch.ts";

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  return () => engine.close();
});

type Options = Readonly<Record<string, unknown>>;

/** The first step of an iterator. */
const step = (batches: AsyncIterator<unknown>) => batches.next();

/** Each way out with options that the types do not allow. */
const ways = {
  queryTable: (options: Options) => engine.queryTable(PROJECT, {}, options),
  queryBatches: (options: Options) => step(engine.queryBatches(PROJECT, {}, options)),
  queryColumns: (options: Options) => step(engine.queryColumns(PROJECT, {}, options)),
  sql: (options: Options) => engine.sql(PROJECT, "SELECT 1", [], options),
  sqlBatches: (options: Options) => step(engine.sqlBatches(PROJECT, "SELECT 1", [], options)),
  exportResults: (options: Options) => engine.exportResults(PROJECT, {}, options as never),
  exportSql: (options: Options) => engine.exportSql(PROJECT, "SELECT 1", [], options as never),
};
type Way = keyof typeof ways;

const ofTables: readonly Way[] = ["queryTable", "queryBatches", "queryColumns", "exportResults"];
const ofSql: readonly Way[] = ["sql", "sqlBatches", "exportSql"];
const ofExports: readonly Way[] = ["exportResults", "exportSql"];
const all = [...ofTables, ...ofSql];

function refused(
  names: readonly Way[],
  message: string,
  ...options: readonly Options[]
): [Way, string, Options][] {
  return names.flatMap((name) => options.map((one): [Way, string, Options] => [name, message, one]));
}

describe("an option is refused by name, with what is allowed", () => {
  it.each([
    ...refused(all, 'there is no option "sigal"; did you mean "signal"?', {
      sigal: new AbortController().signal,
    }),
    ...refused(
      all,
      "signal must be an AbortSignal",
      { signal: 5 },
      { signal: null },
      { signal: new AbortController() },
    ),
    ...refused(ofTables, "onWarning must be a function", { onWarning: "log" }),
    ...refused(ofTables, 'there is no option "timeLimitSeconds"', { timeLimitSeconds: 1 }),
    ...refused(
      ofSql,
      "timeLimitSeconds must be a number above 0",
      ...[0, -1, Number.NaN, "5", null].map((timeLimitSeconds) => ({ timeLimitSeconds })),
    ),
    ...refused(
      ofSql,
      "maxResultBytes must be a number of bytes, 0 or more",
      ...[-1, Number.NaN, "5", null].map((maxResultBytes) => ({ maxResultBytes })),
    ),
    ...refused(
      ofExports,
      "format must be one of parquet, csv, jsonl, json, arrow",
      {},
      ...["xlsx", "CSV", null, ["csv"], "toString"].map((format) => ({ format, path: "/nowhere/x" })),
    ),
    ...refused(
      ofExports,
      "an export goes either to a path or to a stream: give one of the two",
      { format: "csv" },
      { format: "csv", path: "/nowhere/x", stream: process.stdout },
    ),
    ...refused(
      ofExports,
      "path must be the path of a file, a text",
      ...[5, null, new URL("file:///nowhere/x")].map((path) => ({ format: "csv", path })),
    ),
    ...refused(
      ofExports,
      "stream must be a Writable of Node or a WritableStream",
      ...[null, "x", {}, { write: () => {} }, new ReadableStream()].map((stream) => ({
        format: "csv",
        stream,
      })),
    ),
  ])("%s: %s", async (name, message, options) => {
    const error = await refusal(ways[name](options));
    expect(error.code).toBe("invalid_option");
    expect(error.message.startsWith(message), error.message).toBe(true);
  });

  it.each(all)("%s: options that are none", async (name) => {
    for (const none of [null, 5, "csv"]) {
      const error = await refusal(ways[name](none as never));
      expect(error.message).toMatch(/^options must be an object with /);
    }
  });

  it("before there is a file", async () => {
    const path = scratchPath("table");
    await refusal(ways.exportSql({ format: "csv", path, sigal: 1 }));
    expect(existsSync(path)).toBe(false);
  });
});

describe("an option", () => {
  it("that is undefined is not given", async () => {
    const none = { signal: undefined, timeLimitSeconds: undefined, maxResultBytes: undefined };
    expect(await ways.sql(none)).toMatchObject({ numRows: 1 });
  });

  it("may be a limit that is never reached", async () => {
    for (const most of [1e300, Infinity]) {
      expect(await ways.sql({ timeLimitSeconds: most, maxResultBytes: most })).toMatchObject({
        numRows: 1,
      });
    }
  });
});

describe("a project, a statement and parameters", () => {
  it("are refused by name where they are no texts", async () => {
    const uses: readonly (readonly [name: string, use: (none: never) => Promise<unknown>])[] = [
      ["project", (none) => engine.sql(none, "SELECT 1")],
      ["project", (none) => step(engine.queryBatches(none, {}))],
      ["statement", (none) => engine.sql(PROJECT, none)],
    ];
    for (const [name, use] of uses) {
      for (const none of [undefined, null, 5, {}, "a\0b"] as never[]) {
        expect(await refusal(use(none))).toMatchObject({
          code: "invalid_option",
          message: expect.stringMatching(`^${name} must be .*(ENTITY/PROJECT|U\\+0000)`) as unknown,
        });
      }
    }
  });

  it("are refused by place where they are no values", async () => {
    for (const none of [null, 5, "x", new Map(), new Date(), new Uint8Array(1)] as never[]) {
      expect(await refusal(engine.sql(PROJECT, "SELECT ?", none))).toMatchObject({
        code: "invalid_request",
        message: "params: it must be an array, or an object with a value for each $name",
      });
    }
    for (const value of [undefined, Number.NaN, 2n ** 64n, {}, "a\0b"] as never[]) {
      expect((await refusal(engine.sql(PROJECT, "SELECT ?", [value]))).message).toMatch(
        /^params\["1"\]: it must be /,
      );
    }
  });

  it("keep the sign of zero", async () => {
    const table = await engine.sql(PROJECT, "SELECT $x", { x: -0 });
    expect(table.getChildAt(0)?.get(0)).toBe(-0);
  });
});
