import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createHttpHandler, type HttpHandler } from "../../src/http/handler.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { openEngine, type CallRecord, type Engine } from "../../src/index.ts";
import { writeJson } from "../../src/model/json.ts";
import { basic } from "./running-service.ts";

const KEYS = { ann: ["acme/*"], root: ["*"] };
const keys = Object.entries(KEYS).map(([user, projects]) => generateKey(user, projects, new Date()));
const WRITER = keys.push(generateKey("wil", ["acme/*"], new Date(), "write")) - 1;

let folder: string;
let engine: Engine;
let handler: HttpHandler;

type Call = CallRecord & { readonly project_id: string };

/** An evaluation of trials, as lines of calls. */
function run(id: string, startedAt: string, trials = 2, members: object = {}): Call[] {
  const common = { project_id: "acme/qa", trace_id: "t", started_at: startedAt, ended_at: startedAt };
  return [
    { ...common, id, op_name: "Evaluation.evaluate", display_name: "nightly", inputs: {}, ...members },
    ...Array.from({ length: trials }, (_, at) => ({
      ...common,
      id: `${id}-${at}`,
      parent_id: id,
      op_name: "Evaluation.predict_and_score",
      inputs: { example: { n: at, text: "é".repeat(20) } },
      output: { output: `answer ${at}`, scores: { correct: at % 2 === 0 } },
    })),
  ];
}

function lines(records: readonly object[]): string {
  return records.map((one) => `${JSON.stringify(one)}\n`).join("");
}

function call(
  path: string,
  init: RequestInit & { readonly duplex?: "half" } = {},
  who = 0,
): Promise<Response> {
  const headers = { authorization: basic(keys[who]?.key ?? ""), ...(init.headers as object) };
  return handler(new Request(`http://localhost${path}`, { ...init, headers }));
}

function post(path: string, body: unknown, method = "POST"): Promise<Response> {
  return call(path, { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } });
}

function load(
  body: NonNullable<RequestInit["body"]>,
  query = "",
  headers: object = {},
  who = 0,
): Promise<Response> {
  const sent = { "content-type": "application/x-ndjson", ...headers };
  const init = { method: "POST", body, duplex: "half", headers: sent } as const;
  return call(`/v2/acme/qa/ingest${query}`, init, who);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evalcube-routes-"));
  engine = await openEngine({ path: join(folder, "evals.duckdb"), threads: 1 });
  handler = createHttpHandler(engine, { keys: { version: 1, keys: keys.map(({ entry }) => entry) } });
  for (const day of ["01", "02", "03"])
    await engine.ingestCalls(run(`run-${day}`, `2026-01-${day}T12:00:00Z`, 4));
});

afterAll(async () => {
  await handler.close();
  await engine.close();
  await rm(folder, { recursive: true });
});

const askList = async (query: string) => {
  const response = await call(`/v2/acme/listed/evaluations?${query}`);
  const answer = (await response.json()) as { evaluations?: { id: string }[]; total_count?: number };
  return [response.status, answer.evaluations?.map(({ id }) => id), answer.total_count];
};
const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();
const idsLeft = async (project = "acme/old") => (await engine.listEvaluations(project)).map(({ id }) => id);
const feedback = (call_id: string, feedback_type: string) =>
  engine.feedback.create(
    {
      project_id: "acme/old",
      svc_ref: `svc:///acme/old/call/${call_id}`,
      feedback_type,
      payload: { a: 1 },
    },
    { userId: "ann" },
  );

describe("a key", () => {
  it("is told whose it is and what it may", async () => {
    const { version } = (await import("../../package.json", { with: { type: "json" } })).default;
    expect(await (await call("/v2/key")).json()).toEqual({
      id: keys[0]?.entry.id,
      user: "ann",
      can: "admin",
      projects: ["acme/*"],
      version,
    });
    expect((await handler(new Request("http://localhost/v2/key"))).status).toBe(401);
  });
});

describe("what the database tells of itself over HTTP", () => {
  it("is about the projects of the key, and names no folder", async () => {
    const other = { ...run("elsewhere", "2026-01-05T12:00:00Z")[0], project_id: "other/qa" };
    await engine.ingestCalls([other as Call]);
    const all = await engine.info();
    const [mine, ofAll] = await Promise.all([call("/v2/info"), call("/v2/info", {}, 1)]);
    expect(await ofAll.json()).toEqual({ ...all, database: "evals.duckdb" });
    const own = await engine.info({ projects: ["acme/qa"] });
    expect(await mine.json()).toEqual({ ...own, database: "evals.duckdb" });
    expect([all.projects, own.projects].map((list) => list.map((one) => one.project_id))).toEqual([
      ["acme/qa", "other/qa"],
      ["acme/qa"],
    ]);
    expect([all.newest?.id, own.newest?.id]).toEqual(["elsewhere", "run-03"]);
  });

  it("refuses a parameter that it does not know", async () => {
    const response = await call("/v2/info?projekt=acme/qa", {}, 1);
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("projekt")]);
  });
});

describe("a load over HTTP", () => {
  it("stores what the library would, however it is packed, and a repeated one changes nothing", async () => {
    const other = await openEngine({ threads: 1 });
    const records = [...run("a", "2026-02-01T12:00:00Z"), ...run("b", "2026-02-02T12:00:00Z")];
    const expected = await other.ingestCalls(records);
    await other.close();
    const response = await load(gzipSync(lines(records)), "?kind=calls", { "content-encoding": "gzip" });
    expect([response.status, await response.json()]).toEqual([200, expected]);
    const again = (await (await load(lines(records))).json()) as object;
    expect(again).toMatchObject({ received: 6, stored: 0, unchanged: 6 });
  });

  it("stores the user of the key that came first, whatever records say of theirs", async () => {
    const records = run("mine", "2026-02-02T13:00:00Z", 1, { wb_user_id: "eve" });
    await load(lines(records), "", {}, WRITER);
    const again = lines([
      { ...records[0], wb_user_id: null },
      { ...records[1], "wb\u005fuser_id": "eve" },
    ]);
    expect(await (await load(again.replace("wb_user_id", "wb\\u005fuser_id"))).json()).toMatchObject({
      received: 2,
      stored: 0,
    });
    const listed = await engine.listEvaluations("acme/qa");
    expect(listed.find(({ id }) => id === "mine")).toMatchObject({ user: "wil" });
    const calls = await engine.sql("acme/qa", "select record from calls where id like 'mine%'");
    for (const row of calls.toArray() as { record: string }[])
      expect(JSON.parse(row.record)).toMatchObject({ wb_user_id: "wil" });
  });

  it("hides calls for a key that can admin, and for no other", async () => {
    const records = run("kept", "2026-02-02T14:00:00Z", 1);
    await load(lines(records));
    const deletion = lines([{ id: "kept", deleted_at: "2026-02-03T00:00:00Z" }]);
    const refused = await load(deletion, "", {}, WRITER);
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringMatching(/deleted_at.*needs a key that can admin/),
    ]);
    const skipped = await load(deletion, "?skip_invalid=true", {}, WRITER);
    expect(await skipped.json()).toMatchObject({
      stored: 0,
      rejected: [{ position: 1, path: ["deleted_at"] }],
    });
    expect(await idsLeft("acme/qa")).toContain("kept");
    expect(await (await load(deletion)).json()).toMatchObject({ stored: 1 });
    expect(await idsLeft("acme/qa")).not.toContain("kept");
  });

  it("gives records without a project that of the address, in whatever order their members are", async () => {
    const records = run("own", "2026-02-03T12:00:00Z").map(({ project_id: _project, ...one }) => one);
    const odd = [
      { ...records[0], inputs: { project_id: "other/qa" }, id: "own-2" },
      { ...records[1], project_id: null, id: "x" },
    ];
    expect(await (await load(lines([...records, ...odd]))).json()).toMatchObject({ received: 5, stored: 5 });
    expect((await engine.listEvaluations("acme/qa")).map(({ id }) => id)).toEqual(
      expect.arrayContaining(["own", "own-2"]),
    );
    const rows = lines([{ val: { n: 1 } }, { project_id: "acme/qa", val: { n: 2 } }]);
    expect(await (await load(rows, "?kind=rows")).json()).toMatchObject({ received: 2, stored: 2 });
  });

  it("refuses a record of another project with its line, and stores nothing of its batch", async () => {
    const records = run("mixed", "2026-02-04T12:00:00Z");
    const text = `\n${lines(records)}${lines([{ ...records[1], id: "z", project_id: "acme/other" }])}`;
    const response = await load(text);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      reason: expect.stringContaining("record 5, project_id: must be acme/qa") as unknown,
      detail: [{ loc: ["body", 5, "project_id"] }],
    });
    expect((await engine.listEvaluations("acme/qa")).map(({ id }) => id)).not.toContain("mixed");
    const skipped = await (await load(text, "?skip_invalid=true")).json();
    expect(skipped).toMatchObject({ stored: 3, rejected: [{ position: 5, path: ["project_id"] }] });
  });

  it("stores a long stream in batches, each as a whole, and keeps those before one that fails", async () => {
    const padding = "x".repeat(1_000_000);
    const one = (at: number) => ({ ...run(`long-${at}`, "2026-02-05T12:00:00Z", 0)[0], inputs: { padding } });
    const records = Array.from({ length: 40 }, (_, at) => one(at));
    const whole = lines(records);
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < whole.length; at += 300_000)
          controller.enqueue(Buffer.from(whole.slice(at, at + 300_000)));
        controller.enqueue(Buffer.from('{"id": 1}\n'));
        controller.close();
      },
    });
    const response = await load(body);
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("record 41, id")]);
    const stored = (await engine.listEvaluations("acme/qa")).filter(({ id }) => id.startsWith("long-"));
    expect(stored).toHaveLength(32);
    expect(await (await load(whole)).json()).toMatchObject({ received: 40, stored: 8, unchanged: 32 });
  });

  it("leaves nothing of the batch that its client was sending when it left", async () => {
    const gone = new AbortController();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(lines(run("gone", "2026-02-06T12:00:00Z")))),
      pull: () => new Promise(() => gone.abort()),
    });
    const request = new Request("http://localhost/v2/acme/qa/ingest", {
      method: "POST",
      body,
      duplex: "half",
      signal: gone.signal,
      headers: { "content-type": "application/x-ndjson", authorization: basic(keys[0]?.key ?? "") },
    } as RequestInit);
    expect((await handler(request)).status).toBe(499);
    expect((await engine.listEvaluations("acme/qa")).map(({ id }) => id)).not.toContain("gone");
  });

  it.each([
    ["", { "content-type": "application/json" }, 415],
    ["", { "content-encoding": "br" }, 415],
    ["?kind=traces", {}, 422],
    ["?skip_invalid=1", {}, 422],
    ["?batch=1", {}, 422],
  ])("of %j with %j is refused", async (query, headers, status) => {
    const response = await load("", query, headers);
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining("reason")]);
  });
});

describe("a statement over HTTP", () => {
  const count = "select count(*) as n from trials where evaluation_call_id = ?";

  it("is answered with lines of JSON, or with a stream of Arrow", async () => {
    const lined = await post("/v2/acme/qa/sql", { statement: count, params: ["run-01"] });
    expect([lined.headers.get("content-type"), await lined.text()]).toEqual([
      "application/x-ndjson",
      '{"n":4}\n',
    ]);
    const arrow = await post("/v2/acme/qa/sql", {
      statement: "select $big as big",
      params: { big: 7 },
      format: "arrow",
    });
    expect(arrow.headers.get("content-type")).toBe("application/vnd.apache.arrow.stream");
    expect(
      tableFromIPC(new Uint8Array(await arrow.arrayBuffer()))
        .toArray()
        .map(String),
    ).toEqual(['{"big": 7}']);
    const digits = await call("/v2/acme/qa/sql", {
      method: "POST",
      body: '{"statement": "select ? as big", "params": [9007199254740993]}',
      headers: { "content-type": "application/json" },
    });
    expect(await digits.text()).toBe('{"big":9007199254740993}\n');
  });

  it.each([
    [{ statement: count, time_limit: 1 }, "time_limit"],
    [{ statement: "select 1", format: "csv" }, "format"],
    [{ statement: "delete from trials" }, "statement"],
    [{ statement: "select * from read_csv('/etc/passwd')" }, "statement"],
    [{ statement: "select error('x')" }, "statement"],
    [{}, "statement"],
  ])("%j is refused", async (body, member) => {
    const response = await post("/v2/acme/qa/sql", body);
    expect([response.status >= 400 && response.status < 500, await response.text()]).toEqual([
      true,
      expect.stringContaining(member),
    ]);
  });
});

describe("an export over HTTP", () => {
  const request = { evaluation_call_ids: ["run-01", "run-02"], sort_by: [{ field: "scores.correct" }] };

  it.each(["parquet", "arrow", "csv", "jsonl", "json"] as const)("has the bytes of %s", async (format) => {
    const chunks: Uint8Array[] = [];
    const stream = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk.slice()) });
    const asked = { include_raw_data_rows: true, resolve_row_refs: true, ...request };
    await engine.exportResults("acme/qa", asked as never, { format, stream });
    const response = await post("/v2/acme/qa/export", { request, format });
    expect(response.headers.get("content-disposition")).toBe(
      `attachment; filename="evalcube-acme-qa.${format}"`,
    );
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.concat(chunks))).toBe(true);
  });

  it("has the records of a statement, of any length", async () => {
    const statement = "select id, inputs from calls";
    const response = await post("/v2/acme/qa/export", { statement, format: "csv" });
    const text = await response.text();
    const calls = (await engine.sql("acme/qa", "select id from calls")).numRows;
    expect(text.length).toBeGreaterThan(40_000_000);
    expect(text.split("\n")).toHaveLength(calls + 2);
    const safe = await post("/v2/acme/qa/export", {
      statement: "select '=1' as a",
      format: "csv",
      csv_safe: true,
    });
    expect(await safe.text()).toBe('"a"\r\n"\'=1"\r\n');
  });

  it.each([
    [{ request, statement: "select 1", format: "csv" }, "request"],
    [{ format: "csv" }, "request"],
    [{ request: {}, format: "csv" }, "request"],
    [{ request }, "format"],
    [{ request, format: "xlsx" }, "format"],
    [{ request, format: "json", csv_safe: true }, "csv_safe"],
    [
      { request: { ...request, sort_by: [{ field: "scores.correct", mode: "no" }] }, format: "csv" },
      "request.sort_by",
    ],
    [{ request: { evaluation_call_ids: ["nobody"] }, format: "csv" }, "nobody"],
    [{ statement: "select 1/0::int as x, error('no') from range(5)", format: "csv" }, "reason"],
  ])("%j is refused before the first byte", async (body, member) => {
    const response = await post("/v2/acme/qa/export", body);
    expect([response.status >= 400 && response.status < 500, await response.text()]).toEqual([
      true,
      expect.stringContaining(member),
    ]);
  });

  it("ends the statement when the client leaves", async () => {
    const statement = "select id, inputs from calls";
    const response = await post("/v2/acme/qa/export", { statement, format: "csv" });
    await response.body?.cancel();
    expect((await post("/v2/acme/qa/sql", { statement: "select 1 as a" })).status).toBe(200);
  });
});

describe("an explanation over HTTP", () => {
  it("is that of the library", async () => {
    const request = { evaluation_call_ids: ["run-01"], limit: 1 };
    const response = await post("/v2/acme/qa/eval_results/explain", request);
    expect(await response.text()).toBe(writeJson(await engine.explain("acme/qa", request)));
  });
});

describe("the list of evaluations", () => {
  beforeAll(async () => {
    const project_id = "acme/listed";
    for (const [id, day, members] of [
      ["a", "01", { wb_user_id: "ann" }],
      ["b", "02", { display_name: "weekly" }],
      ["c", "03", { exception: "Error: no" }],
      ["d", "04", { ended_at: null, wb_user_id: "bob" }],
    ] as const)
      await engine.ingestCalls(run(id, `2026-03-${day}T12:00:00Z`, 0, { project_id, ...members }));
  });

  it.each([
    ["", ["a", "b", "c", "d"], 4],
    ["limit=2", ["c", "d"], 4],
    ["limit=2&offset=1", ["b", "c"], 4],
    ["limit=2&offset=3", ["a"], 4],
    ["offset=9", [], 4],
    ["limit=0", [], 4],
    ["name=nightly", ["a", "c", "d"], 3],
    ["name=night", [], 0],
    ["since=2026-03-02T12:00:00Z&until=2026-03-03T13:00:00%2B01:00", ["b", "c"], 2],
    ["until=2026-03-02", ["a"], 1],
    ["status=failed", ["c"], 1],
    ["status=running", ["d"], 1],
    ["user=ann", ["a"], 1],
    ["user=carl", [], 0],
  ])("of %j", async (query, ids, total) => {
    expect(await askList(query)).toEqual([200, ids, total]);
  });

  it.each(["limit=-1", "limit=x", "offset=1.5", "since=yesterday", "status=done", "sort=name", "until="])(
    "of %j is refused",
    async (query) => {
      expect(await askList(query)).toEqual([422, undefined, undefined]);
    },
  );

  it("has the newest thousand without a limit", async () => {
    const many = Array.from({ length: 1003 }, (_, at) => ({
      ...run(`m-${at}`, new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(), 0)[0],
      project_id: "acme/many",
    }));
    await engine.ingestCalls(many as Call[]);
    const { evaluations, total_count } = (await (await call("/v2/acme/many/evaluations")).json()) as {
      evaluations: { id: string }[];
      total_count: number;
    };
    expect([evaluations.length, evaluations[0]?.id, evaluations.at(-1)?.id, total_count]).toEqual([
      1000,
      "m-3",
      "m-1002",
      1003,
    ]);
  });
});

const NEITHER = /one of ids and older_than is needed, not [[{]/;

describe("evaluations", () => {
  const path = "/v2/acme/old/evaluations";
  beforeAll(async () => {
    const runs = [100, 99, 98, 97, 96, 95, 10].map((age, at) => run(`o${at}`, days(age)));
    await engine.ingestCalls(
      [...runs.flat(), ...run("other", days(200), 1, { display_name: "weekly" })].map((one) => ({
        ...one,
        project_id: "acme/old",
      })),
    );
    await feedback("o0-1", "thumb");
    await feedback("o1", "evalcube.baseline.1");
  });

  it("that are old are deleted, but for baselines, those with feedback, and the latest of each name", async () => {
    const asked = { older_than: "90d", keep_latest: 2, name: "nightly" };
    const dry = await (await post(path, { ...asked, dry_run: true }, "DELETE")).json();
    expect(dry).toMatchObject({ dry_run: true, hidden: 0 });
    expect(await idsLeft()).toHaveLength(8);
    const answer = (await (await post(path, asked, "DELETE")).json()) as {
      evaluations: { id: string }[];
      kept: object[];
      hidden: number;
    };
    expect(answer.evaluations.map(({ id }) => id)).toEqual(["o2", "o3", "o4"]);
    expect(answer.kept).toEqual([
      { id: "o0", reason: "feedback" },
      { id: "o1", reason: "baseline" },
      { id: "o5", reason: "latest" },
    ]);
    expect(answer.hidden).toBe(9);
    expect(await idsLeft()).toEqual(["other", "o0", "o1", "o5", "o6"]);
  });

  it("are deleted by id, of which unknown ones change nothing", async () => {
    const unknown = await (await post(path, { ids: ["nobody", "o6-0"] }, "DELETE")).json();
    expect(unknown).toEqual({ dry_run: false, hidden: 0, evaluations: [], kept: [] });
    await engine.ingestCalls(run("nobody", days(1)).map((one) => ({ ...one, project_id: "acme/old" })));
    expect(await idsLeft()).toContain("nobody");
    const answer = (await (await post(path, { ids: ["nobody", "o0"] }, "DELETE")).json()) as {
      evaluations: { id: string }[];
    };
    expect(answer.evaluations.map(({ id }) => id)).toEqual(["o0", "nobody"]);
    const all = (await (await post(path, { older_than: "2w", all: true }, "DELETE")).json()) as object;
    expect(all).toMatchObject({ kept: [], evaluations: [{ id: "other" }, { id: "o1" }, { id: "o5" }] });
  });

  it.each([
    [{}, NEITHER],
    [[], NEITHER],
    [{ keep_latest: 1 }, NEITHER],
    [{ id: ["a"] }, NEITHER],
    [{ ids: ["a"], older_than: "1d" }, NEITHER],
    [{ ids: "a" }, 'ids: expected array, not "a"'],
    [{ older_than: "90" }, /^older_than: must be a whole number .*, not "90"$/],
    [{ older_than: "1d", keep_latest: -1 }, /^keep_latest: must be at least 0, not -1$/],
  ])("are not deleted by %j, and it is said why: %s", async (body, reason) => {
    const refused = await post(path, body, "DELETE");
    expect(refused.status).toBe(422);
    expect(((await refused.json()) as { reason: string }).reason).toMatch(reason);
  });
});

describe("a backup over HTTP", () => {
  it("is a database with all that was acknowledged, and leaves nothing behind", async () => {
    // Others make backups in the folder that all share.
    const temporary = await mkdtemp(join(folder, "temporary-"));
    vi.stubEnv("TMPDIR", temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const response = await call("/backup", { method: "POST" }, 1);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([response.status, Number(response.headers.get("content-length"))]).toEqual([200, bytes.length]);
    const path = join(folder, "copy.duckdb");
    await writeFile(path, bytes);
    const copy = await openEngine({ path, readOnly: true, threads: 1 });
    expect(await copy.listEvaluations("acme/qa")).toEqual(await engine.listEvaluations("acme/qa"));
    expect((await copy.check()).problems).toEqual([]);
    await copy.close();
    const left = await call("/backup", { method: "POST" }, 1);
    await left.body?.cancel();
    expect(await readdir(temporary)).toEqual([]);
  });

  it("needs a key for all projects", async () => {
    const response = await call("/backup", { method: "POST" });
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining("all projects")]);
  });
});
