import { readFileSync } from "node:fs";
import path from "node:path";
import { tableToIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  EvalcubeError,
  openEngine,
  RequestError,
  type ColumnsPart,
  type Engine,
  type ExportFormat,
} from "../../src/index.ts";
import { temporaryFolder } from "../cli/command.ts";
import { CALLS, PROJECT } from "../doors/calls.ts";
import { REQUESTS, TWO_FAULTS } from "../doors/requests.ts";
import { RECORDS } from "../golden/records.ts";
import { goldenRequests } from "../golden/requests.ts";
import { startRemote, type RemoteService } from "./remote-service.ts";

/*
 * The oracle is the engine that the service holds: what it is asked over HTTP is what it answers by itself.
 */

const { folder, remove } = temporaryFolder();
const FORMATS: readonly ExportFormat[] = ["csv", "jsonl", "json", "arrow", "parquet"];

interface Both {
  readonly here: Engine;
  readonly far: Engine;
  readonly service: RemoteService;
}

async function open(records: readonly object[]): Promise<Both> {
  const here = await openEngine({ threads: 1 });
  await here.ingestCalls(records);
  const service = await startRemote(here);
  return { here, far: await service.open(), service };
}

async function close({ here, far, service }: Both): Promise<void> {
  await far.close();
  await service.stop();
  await here.close();
}

let golden: Both;
let doors: Both;

beforeAll(async () => {
  golden = await open(RECORDS);
  doors = await open(CALLS);
});

afterAll(async () => {
  await close(golden);
  await close(doors);
  remove();
});

/** What came of it: an answer, or an error without its stack. */
async function outcome(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await work() };
  } catch (error) {
    if (!(error instanceof EvalcubeError)) throw error;
    const { code, message } = error;
    return error instanceof RequestError
      ? { code, message, kind: error.kind, issues: error.issues }
      : { code, message };
  }
}

async function expectSame({ here, far }: Both, ask: (engine: Engine) => Promise<unknown>): Promise<void> {
  expect(await outcome(() => ask(far))).toEqual(await outcome(() => ask(here)));
}

async function collected<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

function readable(part: ColumnsPart): unknown {
  if (part.kind === "head") return part;
  const { schema, numRows } = part.batch;
  return {
    kind: part.kind,
    schema: String(schema),
    numRows,
    records: part.batch.toArray().map((one) => one?.toJSON()),
  };
}

async function exported(engine: Engine, format: ExportFormat, request: object, name: string) {
  const file = path.join(folder, name);
  const { trials } = await engine.exportResults(PROJECT, request, { format, path: file });
  return { trials, bytes: readFileSync(file).toString("hex") };
}

async function warned(engine: Engine, request: object) {
  const warnings: string[] = [];
  const onWarning = (warning: string) => void warnings.push(warning);
  const table = tableToIPC(await engine.queryTable(PROJECT, request, { onWarning }));
  return { table: Buffer.from(table).toString("hex"), warnings };
}

describe.each(Object.entries(goldenRequests))("the golden request %s", (name, request) => {
  it("is answered and explained as by the engine itself", async () => {
    expect.hasAssertions();
    await expectSame(golden, (engine) => engine.queryEvalResultsJson(PROJECT, request));
    await expectSame(golden, (engine) => engine.queryEvalResults(PROJECT, request));
    await expectSame(golden, async (engine) =>
      (await collected(engine.streamEvalResults(PROJECT, request))).join(""),
    );
    await expectSame(golden, (engine) => engine.explain(PROJECT, request));
  });

  it("gives the same tables, with the same warnings", async () => {
    expect.hasAssertions();
    await expectSame(golden, (engine) => warned(engine, request));
    await expectSame(golden, async (engine) =>
      (await collected(engine.queryColumns(PROJECT, request))).map(readable),
    );
  });

  it.each(FORMATS)("is exported to the same bytes of %s", async (format) => {
    expect.hasAssertions();
    await expectSame(golden, (engine) => exported(engine, format, request, `${name}.${format}`));
  });
});

const ASK = {
  query: (engine, request) => engine.queryEvalResultsJson(PROJECT, request),
  compare: (engine, request) => engine.compareEvaluations(PROJECT, request as never),
  leaderboard: (engine, request) => engine.leaderboard(PROJECT, request as never),
  history: (engine, request) => engine.history(PROJECT, request as never),
  items: (engine, request) => engine.items(PROJECT, request as never),
  steps: (engine, request) => engine.steps(PROJECT, request as never),
  agreement: (engine, request) => engine.agreement(PROJECT, request as never),
  explain: (engine, request) => engine.explain(PROJECT, request as never),
  table: async (engine, request) => {
    const warnings: string[] = [];
    const table = await engine.queryTable(PROJECT, request as never, {
      onWarning: (one) => void warnings.push(one),
    });
    return { warnings, columns: table.schema.names, rows: table.numRows };
  },
} satisfies Record<keyof typeof REQUESTS, (engine: Engine, request: unknown) => Promise<unknown>>;

type Kind = keyof typeof ASK;

describe.each(Object.entries({ ...REQUESTS }) as [Kind, readonly unknown[]][])(
  "requests of the kind %s",
  (kind, requests) => {
    it("have the same answers, and the same faults in the same places", async () => {
      expect.hasAssertions();
      for (const request of requests) await expectSame(doors, (engine) => ASK[kind](engine, request));
    });
  },
);

it("tells of two faults what the engine tells", async () => {
  expect.hasAssertions();
  for (const [kind, requests] of Object.entries(TWO_FAULTS) as [Kind, readonly unknown[]][])
    for (const request of requests) await expectSame(doors, (engine) => ASK[kind](engine, request));
});

it("lists the same projects and evaluations", async () => {
  expect.hasAssertions();
  await expectSame(doors, (engine) => engine.listProjects());
  await expectSame(doors, (engine) => engine.countEvaluations());
  await expectSame(doors, (engine) => engine.listEvaluations(PROJECT));
  await expectSame(doors, (engine) => engine.listEvaluations("no/where"));
  await expectSame(doors, (engine) => engine.listEvaluations("no project"));
});

it("tells the same of the database, but for where it is", async () => {
  expect.hasAssertions();
  for (const options of [{}, { projects: [] }, { projects: [PROJECT, "no/where"] }, { projects: 1 }])
    await expectSame(doors, async (engine) => ({
      ...(await engine.info(options as Parameters<Engine["info"]>[0])),
      database: "",
    }));
  const { database } = await doors.far.info();
  expect(database).toBe(doors.service.url);
});

it("plans the same rows", async () => {
  expect.hasAssertions();
  await expectSame(doors, (engine) => engine.planRows(PROJECT, { detect: 0.05, rate: 0.7, trials: [1] }));
  await expectSame(doors, (engine) => engine.planRows(PROJECT, { detect: 2 }));
});

const STATEMENTS: readonly (readonly [
  statement: string,
  parameters: readonly (string | number | bigint)[],
])[] = [
  [
    "select count(*) as n, 9007199254740993 as wide, 0.1 + 0.2 as sum, 1.5::decimal(9, 2) as price from trials",
    [],
  ],
  ["select evaluation_call_id, count(*) as n from trials group by all order by all", []],
  ["select ? as a, ? as b", ["é", 9_007_199_254_740_993n]],
  ["select * from trials where false", []],
  ["select [1, 2] as list, {'a': 1} as object, null as nothing, date '2026-01-01' as day", []],
  ["select no_such_column from trials", []],
  ["delete from trials", []],
  ["select ? as a", []],
  ["", []],
];

describe.each(STATEMENTS)("the statement %j", (statement, parameters) => {
  it("gives the same table", async () => {
    expect.hasAssertions();
    await expectSame(doors, async (engine) =>
      Buffer.from(tableToIPC(await engine.sql(PROJECT, statement, parameters))).toString("hex"),
    );
  });

  it.each(FORMATS)("is exported to the same %s", async (format) => {
    expect.hasAssertions();
    await expectSame(doors, async (engine) => {
      const file = path.join(folder, `statement.${format}`);
      const told = await engine.exportSql(PROJECT, statement, parameters, { format, path: file });
      return { ...told, bytes: readFileSync(file).toString("hex") };
    });
  });
});

it("counts records of CSV by their ends, not by line ends in texts", async () => {
  expect.hasAssertions();
  const statement = "select 'a\n\"b\"\n' as text from range(3)";
  await expectSame(doors, async (engine) => {
    const target = { format: "csv", path: path.join(folder, "lines.csv") } as const;
    return (await engine.exportSql(PROJECT, statement, [], target)).records;
  });
});

it("stops a statement at the time that was asked for", async () => {
  const statement = "select sum(a.range * b.range) as n from range(100000) a, range(100000) b";
  const asked = doors.far.sql(PROJECT, statement, [], { timeLimitSeconds: 0.05 });
  await expect(asked).rejects.toMatchObject({
    code: "time_limit",
    message: "the statement took longer than 0.05 seconds",
  });
});
