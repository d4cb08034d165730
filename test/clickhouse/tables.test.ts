import fc from "fast-check";
import { Table, tableToIPC, type RecordBatch } from "apache-arrow";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openAnyCore, openCore } from "../../src/engine/engine.ts";
import type { EvalResultsRequest } from "../../src/index.ts";
import { scenario } from "../oracle/arbitraries.ts";
import { play } from "../oracle/play.ts";
import { rawValues } from "../tables/read-arrow.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { oddOutputs } from "../support/odd-outputs.ts";
import { PROJECT, root, stream, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const SEED = Number(process.env["SEED"] ?? 4711);
const SCENARIOS = Number(process.env["SCENARIOS"] ?? 2);
const REQUESTS = 2;

type Core = Pick<
  Awaited<ReturnType<typeof openCore>>,
  "queryTable" | "queryBatches" | "queryColumns" | "queryEvalResultsJson"
>;

describe.skipIf(noClickHouse !== null)(`tables on ClickHouse${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  async function openBoth() {
    const onServer = await openAnyCore({ clickhouse: { url, database: scratchDatabase(url) } });
    const onFile = await openCore({ threads: 1 });
    onTestFinished(async () => {
      await onServer.close();
      await onFile.close();
    });
    return [onFile, onServer] as const;
  }

  it(`have the bytes that they have on DuckDB (SEED=${SEED})`, { timeout: 300_000 }, async () => {
    let records = 0;
    await fc.assert(
      fc.asyncProperty(scenario(REQUESTS), async ({ events, projectId, requests }) => {
        const [onFile, onServer] = await openBoth();
        await Promise.all([play(onFile, events, 1000), play(onServer, events, 1000)]);
        for (const request of requests) {
          const wanted = await bytesOf(onFile, projectId, request);
          expect(await bytesOf(onServer, projectId, request), JSON.stringify(request)).toEqual(wanted);
          records += wanted.records;
          const columns = await columnsOf(onFile, projectId, request);
          expect(await columnsOf(onServer, projectId, request), JSON.stringify(request)).toEqual(columns);
        }
      }),
      { seed: SEED, numRuns: SCENARIOS, endOnFailure: true },
    );
    expect(records).toBeGreaterThan(0);
  });

  it("read numbers beyond 64 bits and odd spellings as DuckDB does", { timeout: 300_000 }, async () => {
    const both = await openBoth();
    for (const core of both) await core.ingestCalls(stream([oddCalls()]));
    for (const request of ODD_REQUESTS) {
      const asked = { evaluation_call_ids: ["e"], include_raw_data_rows: true, ...request };
      const [wanted, found] = await Promise.all(
        both.map((core) => core.queryEvalResultsJson(PROJECT, asked)),
      );
      expect(found, JSON.stringify(request)).toBe(wanted);
    }
    const [wanted, found] = await Promise.all(
      both.map(async (core) => rawValues(await core.queryTable(PROJECT, { evaluation_call_ids: ["e"] }))),
    );
    expect(found).toEqual(wanted);
  });
});

async function bytesOf(core: Core, projectId: string, request: EvalResultsRequest) {
  const table = await core.queryTable(projectId, request);
  const batches: RecordBatch[] = [];
  for await (const batch of core.queryBatches(projectId, request)) batches.push(batch);
  const bytes = [table, new Table(batches)].map((one) => Buffer.from(tableToIPC(one)).toString("latin1"));
  return { records: table.numRows, schema: String(table.schema), values: rawValues(table), bytes };
}

/** The narrow tables; those in any order as sets, dimensions by their paths. */
async function columnsOf(core: Core, projectId: string, request: EvalResultsRequest): Promise<unknown> {
  const paths = new Map<unknown, string>();
  const batches = new Map<string, RecordBatch[]>();
  const head: unknown[] = [];
  for await (const part of core.queryColumns(projectId, request)) {
    if (part.kind === "head") {
      for (const { id, path } of part.dimensions) paths.set(id, path.join("."));
      const { dimensions: _, ...others } = part;
      head.push(others);
    } else batches.set(part.kind, [...(batches.get(part.kind) ?? []), part.batch]);
  }
  const tables = [...batches].map(([kind, all]) => {
    const table = new Table(all);
    const names = table.schema.fields.map(({ name, type }) => `${name}: ${String(type)}`);
    const dimension = table.schema.fields.findIndex(({ name }) => name === "dimension");
    const records = table.toArray().map((record: Iterable<[string, unknown]>) => {
      const values = [...record].map(([, value]) => value);
      return JSON.stringify(values.map((value, i) => (i === dimension ? paths.get(value) : value)));
    });
    return [kind, names, dimension < 0 ? records : records.toSorted()];
  });
  return [head, [...paths.values()].toSorted(), tables];
}

const NUMBERS = [
  "0",
  "-0",
  "-0.0",
  "1",
  "1.0",
  "1.10",
  "1e5",
  "100000",
  "1e-7",
  "1e21",
  "1e22",
  "1e400",
  "-1e400",
  "1e-400",
  "123456789012345678901234567890",
  "-9223372036854775809",
  "18446744073709551615",
  "18446744073709551616",
  "12345678901234567.5",
  "9007199254740993",
  "0.30000000000000004",
  "5e-324",
  "1.7976931348623159e308",
];
const STRINGS = [
  '""',
  '"\uE0001.10"',
  '"\uE000\uE000x"',
  '"\\ue0007"',
  '"1e5"',
  '"a\\"\uE0001\\"b"',
  '"\u2028x\\u2029"',
  '"100000.0"',
];
const VALUES = [
  ...NUMBERS,
  ...STRINGS,
  "true",
  "false",
  "null",
  '{"a":1.10,"b":[1e5,"\uE0001"]}',
  "[1.0,1e400]",
];

/** Calls with every value in an output, in an input and in a late score, and with every odd output. */
function oddCalls(): string {
  const outputs = VALUES.map((value) => `{"output":{"x":${value},"y":[${value}]},"scores":{}}`);
  const calls = [...outputs, ...oddOutputs].map((output, i) => {
    const example = `{"i":${i},"x":${VALUES[i % VALUES.length] ?? "0"},"\uE000k":{"0":${VALUES[(i * 7) % VALUES.length] ?? "0"}}}`;
    const call = trial(`t${String(i).padStart(5, "0")}`, "EXAMPLE", {}, { output: "OUTPUT" });
    return JSON.stringify(call)
      .replace('"OUTPUT"', () => output)
      .replace('"EXAMPLE"', () => example);
  });
  return [JSON.stringify(root("e")), ...calls].map((line) => `${line}\n`).join("");
}

const field = (name: string) => ({ $getField: name });
const filtered = (query: unknown) => ({ filters: [{ query: { $expr: query } }] });

const ODD_REQUESTS: readonly Record<string, unknown>[] = [
  { include_summary: true },
  ...["outputs.x", "outputs.y.0", "inputs.x", "inputs.\uE000k.0"].flatMap((name) => [
    { sort_by: [{ field: name, direction: "asc" }] },
    filtered({ $eq: [field(name), { $literal: 100000 }] }),
    filtered({ $eq: [field(name), { $literal: "1.1" }] }),
    filtered({ $gt: [field(name), { $literal: 1e20 }] }),
    filtered({ $contains: { input: field(name), substr: { $literal: "\uE000" } } }),
    filtered({ $contains: { input: field(name), substr: { $literal: "100000.0" } } }),
  ]),
  { search: "1.10" },
  { search: "123456789012345678901234567890" },
  { search: "\uE000" },
];
