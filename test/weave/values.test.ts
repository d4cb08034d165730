import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { isOnServer, recordDatabase } from "../support/record-database.ts";
import { refusal } from "../support/refusal.ts";
import { scratchPath } from "../support/scratch.ts";
import { ANN, ask, collected, object, PROJECT, STRANGER, table } from "./weave-requests.ts";

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine(await recordDatabase());
});
afterAll(() => engine.close());

interface Version {
  readonly digest: string;
  readonly version_index: number;
  readonly is_latest: number;
  readonly val: unknown;
  readonly kind: string;
  readonly base_object_class: string | null;
  readonly leaf_object_class: string | null;
}

async function read(object_id: string, digest: string, others: object = {}): Promise<Version> {
  const request = { project_id: PROJECT, object_id, digest, ...others };
  return (await ask<{ obj: Version }>(engine.weave.readObject, request)).obj;
}

async function publish(object_id: string, val: unknown, others: object = {}): Promise<string> {
  const request = object(object_id, val, others);
  const answer = await ask<{ digest: string; object_id: string }>(engine.weave.createObject, request);
  expect(answer.object_id).toBe(object_id);
  return answer.digest;
}

async function versionsOf(filter: object, others: object = {}): Promise<Version[]> {
  const request = JSON.stringify({ project_id: PROJECT, filter, ...others });
  const answer = JSON.parse(await collected(engine.weave.queryObjects(request, ANN))) as { objs: Version[] };
  return answer.objs;
}

async function list(filter: object, others: object = {}): Promise<string[]> {
  const objs = await versionsOf(filter, others);
  return objs.map((one) => `${(one as unknown as { object_id: string }).object_id}:${one.version_index}`);
}

const numbers = (versions: readonly Version[]) => versions.map(({ val }) => (val as { n: number }).n);

describe("objects", () => {
  it("have a version for each value, and the one published last is the latest", async () => {
    const [first, second] = [await publish("model", { a: 1 }), await publish("model", { a: 2 })];
    expect(await publish("model", { a: 2 })).toBe(second);
    expect(await read("model", "latest")).toMatchObject({ digest: second, version_index: 1, is_latest: 1 });
    expect(await read("model", "v0")).toMatchObject({ digest: first, is_latest: 0, val: { a: 1 } });
    await publish("model", { a: 1 });
    expect(await read("model", "latest")).toMatchObject({ digest: first, version_index: 0, is_latest: 1 });
    expect(await read("model", second)).toMatchObject({ is_latest: 0 });
    await publish("model", { a: 3 });
    expect(await read("model", "latest")).toMatchObject({ version_index: 2 });
  });

  it("keep every digit, and the difference of 1 and 1.0", async () => {
    const sent = '{"big":123456789012345678901234567890,"one":1.0,"e":1e-7,"10":-0.0,"2":"\\ud800"}';
    const { digest } = await ask<{ digest: string }>(
      engine.weave.createObject,
      `{"obj":{"project_id":"${PROJECT}","object_id":"digits","val": ${sent} }}`,
    );
    const request = JSON.stringify({ project_id: PROJECT, object_id: "digits", digest });
    expect(await engine.weave.readObject(request, ANN)).toContain(`"val":${sent}`);
  });

  it("are ops or have classes, as their values say", async () => {
    await publish("op", { _type: "CustomWeaveType", weave_type: { type: "Op" } });
    expect(await read("op", "latest")).toMatchObject({ kind: "op", base_object_class: null });
    await publish("Adder", { _class_name: "Adder", _bases: ["Model", "Object", "BaseModel"] });
    expect(await read("Adder", "latest")).toMatchObject({
      kind: "object",
      base_object_class: "Model",
      leaf_object_class: "Adder",
    });
    await publish("Data", { _class_name: "Dataset", _bases: ["Object", "BaseModel"] });
    expect(await read("Data", "latest")).toMatchObject({ base_object_class: "Dataset" });
    await publish("Odd", { _class_name: "Odd", _bases: ["Odd"] });
    expect(await read("Odd", "latest")).toMatchObject({ base_object_class: null, leaf_object_class: null });
  });

  it("are listed by name and version, as a filter says", async () => {
    await publish("list-b", { n: 1 });
    await publish("list-a", { n: 1, _class_name: "Adder", _bases: ["Model", "Object", "BaseModel"] });
    await publish("list-b", { n: 2 });
    const object_ids = ["list-a", "list-b"];
    expect(await list({ object_ids })).toEqual(["list-a:0", "list-b:0", "list-b:1"]);
    expect(await list({ object_ids, latest_only: true })).toEqual(["list-a:0", "list-b:1"]);
    expect(await list({ object_ids, base_object_classes: ["Model"] })).toEqual(["list-a:0"]);
    expect(await list({ object_ids, exclude_base_object_classes: ["Model"] })).toEqual([
      "list-b:0",
      "list-b:1",
    ]);
    expect(await list({ is_op: true })).toEqual(["op:0"]);
    expect(await list({ tags: ["x"] })).toEqual([]);
    const sort_by = [{ field: "created_at", direction: "desc" }];
    expect(await list({ object_ids }, { sort_by, limit: 1, offset: 1 })).toEqual(["list-a:0"]);
  });

  it("are refused with a wrong name, class or digest, and are nothing to a stranger", async () => {
    const refused = async (request: unknown, caller = ANN) =>
      refusal(ask(engine.weave.createObject, request, caller));
    expect(await refused(object("a b", 1))).toMatchObject({ code: "invalid_request" });
    expect(await refused(object("a", 1, { builtin_object_class: "Provider" }))).toMatchObject({
      code: "invalid_request",
      path: ["obj", "builtin_object_class"],
    });
    expect(await refused(object("a", 1, { expected_digest: "x" }))).toMatchObject({ code: "conflict" });
    expect(await refusal(read("model", "v99"))).toMatchObject({ code: "not_found" });
    await expect(ask(engine.weave.createObject, object("a", 1), STRANGER)).rejects.toThrow("forbidden");
  });

  it("are listed with their values, however many there are", async () => {
    await Promise.all(Array.from({ length: 120 }, (_, n) => publish(`many-${n}`, { n })));
    const ids = Array.from({ length: 120 }, (_, n) => `many-${n}`);
    const whole = numbers(await versionsOf({ object_ids: ids }));
    expect(whole.toSorted((a, b) => a - b)).toEqual(ids.map((_, n) => n));
    expect(numbers(await versionsOf({ object_ids: ids }, { limit: 30, offset: 45 }))).toEqual(
      whole.slice(45, 75),
    );
  });

  it("that are published at the same time are all there", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => publish("crowd", { n: n % 10 })));
    const objs = await versionsOf({ object_ids: ["crowd"] });
    expect(objs.map((one) => one.version_index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});

interface Rows {
  readonly rows: { readonly digest: string; readonly val: unknown; readonly original_index: number }[];
}

async function rowsOf(digest: string, others: object = {}): Promise<Rows["rows"]> {
  const request = JSON.stringify({ project_id: PROJECT, digest, ...others });
  return (JSON.parse(await collected(engine.weave.queryTable(request, ANN))) as Rows).rows;
}

const readReferences: typeof engine.weave.createObject = async (request, caller) =>
  collected(engine.weave.readReferences(request, caller));

interface Created {
  readonly digest: string;
  readonly row_digests: string[];
}

describe("tables", () => {
  const rows = [{ n: 3 }, { n: 1, s: "b" }, { n: 2, s: "a" }, { n: 3 }];

  it("give their rows in order, repeated ones repeated, whole, in pages and sorted", async () => {
    const { digest, row_digests } = await ask<Created>(engine.weave.createTable, table(rows));
    expect(row_digests[0]).toBe(row_digests[3]);
    expect((await rowsOf(digest)).map(({ val }) => val)).toEqual(rows);
    expect((await rowsOf(digest, { offset: 1, limit: 2 })).map((one) => one.original_index)).toEqual([1, 2]);
    const filter = { row_digests: [row_digests[0]] };
    expect((await rowsOf(digest, { filter, offset: 1 })).map((one) => one.original_index)).toEqual([3]);
    const sort_by = [{ field: "s", direction: "desc" }];
    expect((await rowsOf(digest, { sort_by })).map((one) => one.original_index)).toEqual([1, 2, 0, 3]);
    expect(await ask(engine.weave.countTable, { project_id: PROJECT, digest })).toEqual({ count: 4 });
  });

  it("keep the numbers of rows as they were sent", async () => {
    const text = '{"one":1.0,"zero":-0.0,"big":12345678901234567890}';
    const request = `{"table":{"project_id":"${PROJECT}","rows":[${text}, {"one":1}]}}`;
    const { digest, row_digests } = await ask<Created>(engine.weave.createTable, request);
    const asked = JSON.stringify({ project_id: PROJECT, digest });
    expect(await collected(engine.weave.queryTable(asked, ANN))).toContain(`"val":${text}`);
    if (isOnServer) return;
    const stored = await engine.sql(
      PROJECT,
      "SELECT value::VARCHAR AS value FROM rows WHERE row_digest = ?",
      [row_digests[0] ?? ""],
    );
    expect(stored.get(0)?.["value"]).toBe('{"one":1,"zero":0,"big":12345678901234567890}');
  });

  it("are made of stored rows by their digests, and of no others", async () => {
    const { row_digests, digest } = await ask<Created>(engine.weave.createTable, table(rows));
    const again = { project_id: PROJECT, row_digests: [...row_digests, row_digests[1]] };
    const made = await ask<Created>(engine.weave.createTableFromDigests, again);
    expect((await rowsOf(made.digest)).map(({ val }) => val)).toEqual([...rows, rows[1]]);
    const same = { project_id: PROJECT, row_digests, expected_digest: digest };
    expect(await ask(engine.weave.createTableFromDigests, same)).toEqual({ digest });
    const empty = { project_id: PROJECT, row_digests: [] };
    expect((await ask<Created>(engine.weave.createTableFromDigests, empty)).digest).toMatch(/^e3b0c442/);
    const unknown = ask(engine.weave.createTableFromDigests, { project_id: PROJECT, row_digests: ["x"] });
    expect(await refusal(unknown)).toMatchObject({ code: "unsupported_request", path: ["row_digests", 0] });
    expect(await refusal(rowsOf("x"))).toMatchObject({ code: "not_found" });
    expect(await refusal(ask(engine.weave.createTable, table([1])))).toMatchObject({
      code: "invalid_request",
    });
  });

  it("change into new ones", async () => {
    const { digest: base, row_digests } = await ask<Created>(engine.weave.createTable, table(rows));
    const updates = [
      { append: { row: { n: 9 } } },
      { pop: { index: 0 } },
      { insert: { index: 1, row: { n: 7 } } },
    ];
    const request = { project_id: PROJECT, base_digest: base, updates };
    const made = await ask<{ digest: string; updated_row_digests: string[] }>(
      engine.weave.updateTable,
      request,
    );
    expect((await rowsOf(made.digest)).map(({ val }) => val)).toEqual([
      rows[1],
      { n: 7 },
      rows[2],
      rows[3],
      { n: 9 },
    ]);
    expect(made.updated_row_digests[1]).toBe(row_digests[0]);
    expect((await rowsOf(base)).map(({ val }) => val)).toEqual(rows);
    const outside = { ...request, updates: [{ pop: { index: 4 } }] };
    expect(await refusal(ask(engine.weave.updateTable, outside))).toMatchObject({ code: "invalid_request" });
    const unknown = { ...request, base_digest: "x" };
    expect(await refusal(ask(engine.weave.updateTable, unknown))).toMatchObject({ code: "not_found" });
  });

  it("of more rows than are read at once are whole", async () => {
    const many = Array.from({ length: 1203 }, (_, n) => ({ n }));
    const { digest } = await ask<Created>(engine.weave.createTable, table(many));
    expect((await rowsOf(digest)).map(({ val }) => val)).toEqual(many);
    const request = JSON.stringify({
      project_id: PROJECT,
      digest: (await rowsOf(digest, { limit: 0 })).length,
    });
    await expect(collected(engine.weave.queryTable(request, ANN))).rejects.toThrow("digest");
  });
});

it.skipIf(isOnServer)("objects and tables are views of the project", async () => {
  await publish("seen", { a: 1.5 });
  const { digest } = await ask<Created>(engine.weave.createTable, table([{ n: 1 }, { n: 2 }]));
  const objects = await engine.sql(
    PROJECT,
    "SELECT version_index, kind, value->>'$.a' AS a FROM objects WHERE object_id = 'seen'",
  );
  expect(objects.toArray().map((one) => ({ ...one }))).toEqual([
    { version_index: 0, kind: "object", a: "1.5" },
  ]);
  const joined = await engine.sql(
    PROJECT,
    `SELECT value->>'$.n' AS n FROM (SELECT unnest(row_digests->>'$[*]') AS row_digest FROM tables WHERE digest = ?)
      JOIN rows USING (row_digest) ORDER BY n`,
    [digest],
  );
  expect(joined.toArray().map((one) => one["n"] as string)).toEqual(["1", "2"]);
  for (const view of ["objects", "tables"]) {
    const foreign = await engine.sql("other/project", `SELECT count(*)::INTEGER AS n FROM ${view}`);
    expect([view, foreign.get(0)?.["n"]]).toEqual([view, 0]);
  }
});

describe("files", () => {
  it("come back byte for byte, and another digest is refused", async () => {
    for (const file of [randomBytes(100_000), new Uint8Array(), Buffer.from("\0text\0")]) {
      const { digest } = JSON.parse(
        await engine.weave.createFile({ project_id: PROJECT, file }, ANN),
      ) as Created;
      await engine.weave.createFile({ project_id: PROJECT, file, expected_digest: digest }, ANN);
      const request = JSON.stringify({ project_id: PROJECT, digest });
      expect(Buffer.compare(await engine.weave.readFile(request, ANN), file)).toBe(0);
      const wrong = engine.weave.createFile({ project_id: PROJECT, file, expected_digest: "x" }, ANN);
      expect(await refusal(wrong)).toMatchObject({ code: "conflict" });
    }
    const unknown = engine.weave.readFile(JSON.stringify({ project_id: PROJECT, digest: "x" }), ANN);
    expect(await refusal(unknown)).toMatchObject({ code: "not_found" });
  });
});

function ref(tail: string): string {
  return `weave:///${PROJECT}/${tail}`;
}

async function vals(...refs: readonly string[]): Promise<unknown[]> {
  return (await ask<{ vals: unknown[] }>(readReferences, { refs })).vals;
}

function unread(refs: readonly string[]) {
  return refusal(ask(readReferences, { refs }));
}

const knot = (path: string) => ref(`object/knot:latest/${path}`);

describe("references", () => {
  it("lead through members, items, datasets and rows", async () => {
    const { digest, row_digests } = await ask<Created>(
      engine.weave.createTable,
      table([{ q: { "a/b": [10, 20] } }, { q: 2 }]),
    );
    const dataset = await publish("sums", { rows: ref(`table/${digest}`), name: "sums" });
    await publish("eval", { dataset: ref(`object/sums:${dataset}`), trials: 2 });
    expect(
      await vals(
        ref("object/sums:latest/attr/name"),
        ref(`object/sums:${dataset}/attr/rows/id/${row_digests[1]}`),
        ref(`object/eval:v0/attr/dataset/attr/rows/id/${row_digests[0]}/attr/q/key/a%2Fb/index/1`),
        ref(`table/${digest}/index/1`),
        `svc:///${PROJECT}/object/eval:latest/attr/dataset`,
      ),
    ).toEqual(["sums", { q: 2 }, 20, { q: 2 }, ref(`object/sums:${dataset}`)]);
  });

  it("that lead nowhere are null, and circles lead nowhere", async () => {
    await publish("circle", { self: ref("object/circle:latest/attr/self") });
    await publish("dangling", { to: ref("object/absent:latest") });
    expect(
      await vals(
        ref("object/sums:latest/attr/absent"),
        ref("object/sums:latest/index/0"),
        ref("object/sums:latest/attr/rows/id/absent"),
        ref("object/circle:latest/attr/self/attr/x"),
        ref("object/dangling:latest/attr/to/attr/x"),
      ),
    ).toEqual([null, null, null, null, null]);
  });

  it("that double the way with each other are given up", async () => {
    const levels = Array.from({ length: 12 }, (_, i) => i + 1);
    const members = levels.flatMap((k): [string, unknown][] => [
      [`a${k}`, knot(k === 1 ? "attr/q1" : `attr/a${k - 1}/attr/x`)],
      [`q${k}`, { x: knot(`attr/a${k}/attr/y`), y: knot(`attr/q${k + 1}`), z: k }],
    ]);
    await publish("knot", Object.fromEntries(members));
    expect(await vals(knot("attr/a4/attr/z"), knot("attr/a12/attr/z"))).toEqual([4, null]);
  });

  it("are refused where they are malformed, too many, of calls, or of what is not there", async () => {
    expect(await unread(["weave:///acme/qa"])).toMatchObject({ code: "unsupported_request" });
    expect(await unread([ref("object/sums:latest/odd/x")])).toMatchObject({ code: "unsupported_request" });
    expect(await unread([ref("call/c")])).toMatchObject({ code: "unsupported_request" });
    expect(await unread([ref("object/absent:latest")])).toMatchObject({ code: "not_found" });
    const many = Array.from({ length: 1001 }, () => ref("object/sums:latest"));
    expect(await unread(many)).toMatchObject({ code: "unsupported_request" });
  });

  it("into another project are refused, and so is the way through a value there", async () => {
    const theirs = {
      obj: { project_id: "other/project", object_id: "spy", val: { to: ref("object/sums:latest") } },
    };
    await ask(engine.weave.createObject, theirs, STRANGER);
    await expect(ask(readReferences, { refs: [ref("object/sums:latest")] }, STRANGER)).rejects.toThrow(
      "forbidden",
    );
    const refs = ["weave:///other/project/object/spy:latest/attr/to/attr/name"];
    expect(await ask(readReferences, { refs }, STRANGER)).toEqual({ vals: [null] });
  });
});

it("objects, tables and files are there after the database is opened again", async () => {
  const path = scratchPath();
  const first = await openEngine(await recordDatabase(path));
  await ask(first.weave.createObject, object("kept", { a: 1.5 }));
  const { digest } = await ask<Created>(first.weave.createTable, table([{ n: 1 }]));
  const created = await first.weave.createFile({ project_id: PROJECT, file: Buffer.from("code") }, ANN);
  await first.close();
  const second = await openEngine(await recordDatabase(path));
  const asked = { project_id: PROJECT, object_id: "kept", digest: "latest" };
  expect(await ask(second.weave.readObject, asked)).toMatchObject({ obj: { val: { a: 1.5 } } });
  const rows = await collected(second.weave.queryTable(JSON.stringify({ project_id: PROJECT, digest }), ANN));
  expect(rows).toContain('"val":{"n":1}');
  const file = { project_id: PROJECT, digest: (JSON.parse(created) as Created).digest };
  expect(Buffer.from(await second.weave.readFile(JSON.stringify(file), ANN)).toString()).toBe("code");
  await second.close();
});
