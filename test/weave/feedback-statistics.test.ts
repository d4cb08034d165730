import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { startWeave, type WeaveService } from "./service.ts";

let service: WeaveService;

beforeAll(async () => {
  service = await startWeave();
});

afterAll(async () => {
  await service.stop();
});

type Answer = Readonly<Record<string, unknown>>;

async function post(path: string, body: unknown, as = service.ann) {
  const response = await service.post(path, body, { as });
  return { status: response.status, body: JSON.parse(await response.text()) as Answer };
}

async function give(project_id: string, records: readonly object[], as = service.ann): Promise<string[]> {
  const batch = records.map((one) => ({
    project_id,
    weave_ref: `weave:///${project_id}/call/t1`,
    feedback_type: "score",
    payload: {},
    ...one,
  }));
  const { status, body } = await post("/feedback/batch/create", { batch }, as);
  expect(status).toBe(200);
  return (body["res"] as readonly { readonly created_at: string }[]).map(({ created_at }) => created_at);
}

const HOUR = 3_600_000;
const around = (hours = 1) => ({
  start: new Date(Date.now() - hours * HOUR).toISOString(),
  end: new Date(Date.now() + hours * HOUR).toISOString(),
});

async function stats(project_id: string, metrics: unknown, more: object = {}) {
  const { status, body } = await post("/feedback/stats", { project_id, ...around(), metrics, ...more });
  expect([status, body["detail"]]).toEqual([200, undefined]);
  return body as {
    readonly granularity: number;
    readonly timezone: string;
    readonly start: string;
    readonly end: string;
    readonly buckets: readonly (Answer & { readonly timestamp: string; readonly count: number })[];
    readonly window_stats: Readonly<Record<string, Answer>>;
  };
}

const AGGREGATIONS = ["sum", "avg", "min", "max", "count", "count_true", "count_false"];

describe("the figures of payloads", () => {
  it("are of numbers and of texts that read as one; null and 0 of nothing", async () => {
    const project = "acme/numbers";
    await give(
      project,
      [1, "2.5", true, null, "many", [4, "8", null, { a: 1 }], { a: 1 }, undefined].map((score) => ({
        payload: { output: { score } },
      })),
    );
    const metric = {
      json_path: "output.score",
      aggregations: AGGREGATIONS,
      percentiles: [0, 25, 50, 99.9, 100],
    };
    const nothing = { json_path: "nothing.there", aggregations: AGGREGATIONS, percentiles: [50] };
    const { window_stats: found } = await stats(project, [metric, nothing]);
    expect(found).toEqual({
      output_score: {
        sum: 15.5,
        avg: 15.5 / 4,
        min: 1,
        max: 8,
        count: 4,
        count_true: 0,
        count_false: 0,
        p0: 1,
        p25: 2.125,
        p50: 3.25,
        "p99.9": expect.closeTo(4 + 0.997 * 4, 9) as number,
        p100: 8,
      },
      nothing_there: {
        sum: 0,
        avg: null,
        min: null,
        max: null,
        count: 0,
        count_true: 0,
        count_false: 0,
        p50: null,
      },
    });
  });

  it("are by default those of their type, which counts its own values alone", async () => {
    const project = "acme/types";
    await give(
      project,
      [true, "true", "false", 1, "yes", null, ["a", false]].map((value) => ({ payload: { v: value } })),
    );
    const of = async (value_type?: string, more: object = {}) =>
      (await stats(project, [{ json_path: "v", value_type, ...more }])).window_stats["v"];
    expect(await of()).toEqual({ avg: 1, min: 1, max: 1 });
    expect(await of("boolean")).toEqual({ count_true: 2, count_false: 2 });
    expect(await of("categorical")).toEqual({ count: 7 });
    expect(await of("boolean", { aggregations: ["avg", "count"], percentiles: [50] })).toEqual({
      avg: 0.5,
      count: 4,
    });
    expect(await of("numeric", { aggregations: [], percentiles: [50] })).toEqual({
      avg: 1,
      min: 1,
      max: 1,
      p50: 1,
    });
  });

  it("are in every bucket of the window, empty ones too", async () => {
    const project = "acme/buckets";
    const [first = ""] = await give(project, [{ payload: { v: 1 } }, { payload: { v: 2 } }]);
    const at = Date.parse(first);
    const window = {
      start: new Date(at - 10 * 60_000).toISOString(),
      end: new Date(at + 10 * 60_000).toISOString(),
    };
    const { buckets, granularity } = await stats(
      project,
      [{ json_path: "v", aggregations: ["sum"] }],
      window,
    );
    expect(granularity).toBe(300);
    const times = buckets.map(({ timestamp }) => Date.parse(timestamp));
    expect(
      times.every((time, i) => time % 300_000 === 0 && (i === 0 || time === (times[i - 1] ?? 0) + 300_000)),
    ).toBe(true);
    const [begin = NaN] = times;
    expect(begin <= Date.parse(window.start) && Date.parse(window.start) < begin + 300_000).toBe(true);
    expect((times.at(-1) ?? NaN) < Date.parse(window.end)).toBe(true);
    expect((times.at(-1) ?? NaN) + 300_000 >= Date.parse(window.end)).toBe(true);
    for (const { timestamp, ...rest } of buckets) {
      const holds = Date.parse(timestamp) <= at && at < Date.parse(timestamp) + 300_000;
      expect(rest).toEqual(holds ? { count: 2, sum_v: 3 } : { count: 0, sum_v: 0 });
    }
  });

  it.each([
    ["2026-01-01T00:00:00", "2026-01-01T02:00:00", 300, 24],
    ["2026-01-01T00:00:00", "2026-01-01T02:00:00.000001", 3_600, 3],
    ["2026-01-01", "2026-01-01T12:00:00Z", 3_600, 12],
    ["2026-01-01", "2026-01-04", 21_600, 12],
    ["2026-01-01", "2026-01-15", 43_200, 28],
    ["2026-01-01", "2026-01-16", 86_400, 15],
    ["1970-01-01", "2026-01-01", 176_723, 10_000],
  ])("are in buckets that fit the window from %s to %s", async (start, end, granularity, count) => {
    const answer = await stats("acme/none", [{ json_path: "v" }], { start, end });
    expect([answer.granularity, answer.buckets.length]).toEqual([granularity, count]);
    expect(answer).toMatchObject({
      timezone: "UTC",
      start: new Date(start.slice(0, 10)).toISOString().replace("Z", "000Z"),
    });
  });

  it("are in as many buckets as are allowed, however short one is asked to be", async () => {
    const day = { start: "2026-01-01", end: "2026-01-02" };
    expect((await stats("acme/none", [{ json_path: "v" }], { ...day, granularity: 1 })).granularity).toBe(9);
    expect((await stats("acme/none", [{ json_path: "v" }], { ...day, granularity: 9 })).granularity).toBe(9);
    const many = Array.from({ length: 90 }, (_, i) => ({ json_path: `v${i}` }));
    const refused = await post("/feedback/stats", {
      project_id: "acme/none",
      ...day,
      granularity: 9,
      metrics: many,
    });
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "metrics"] }] } });
  });

  it.each([
    ["Europe/Berlin", "2026-07-01T12:00:00Z", "2026-06-30T22:00:00.000000Z"],
    ["Europe/Berlin", "2026-01-01T12:00:00Z", "2025-12-31T23:00:00.000000Z"],
    ["Asia/Kolkata", "2026-01-01T12:00:00Z", "2025-12-31T18:30:00.000000Z"],
    ["America/St_Johns", "2026-01-01T12:00:00Z", "2026-01-01T03:30:00.000000Z"],
    ["Africa/Monrovia", "1960-01-01T12:00:00Z", "1960-01-01T00:44:30.000000Z"],
  ])("begin their days at midnight of %s", async (timezone, start, first) => {
    const end = new Date(Date.parse(start) + HOUR).toISOString();
    const { buckets } = await stats("acme/none", [{ json_path: "v" }], {
      start,
      end,
      timezone,
      granularity: 86_400,
    });
    expect(buckets.map(({ timestamp }) => timestamp)).toEqual([first]);
  });

  it("are of one type, in either spelling, and of one trigger or all its versions", async () => {
    const project = "acme/filters";
    const trigger = (name: string) => `weave:///${project}/object/${name}`;
    const monitored = { feedback_type: "wandb.agent_monitor", payload: { v: 1 } };
    await give(project, [
      { feedback_type: "wandb.note.1", payload: { note: "x" } },
      { ...monitored, trigger_ref: trigger("watch:v1") },
      { ...monitored, trigger_ref: trigger("watch:v2") },
      { ...monitored, trigger_ref: trigger("watched:v2") },
      { feedback_type: "wandb.note.11", payload: { v: 9 } },
    ]);
    const counted = async (more: object) =>
      (await stats(project, [{ json_path: "v" }], { granularity: 86_400 * 7, ...more })).buckets.reduce(
        (sum, { count }) => sum + count,
        0,
      );
    expect(await counted({})).toBe(5);
    expect(await counted({ feedback_type: "wandb.note.1" })).toBe(1);
    expect(await counted({ feedback_type: "svc.note.1" })).toBe(1);
    expect(await counted({ feedback_type: "wandb.agent_monitor" })).toBe(3);
    expect(await counted({ trigger_ref: trigger("watch:v1") })).toBe(1);
    expect(await counted({ trigger_ref: trigger("watch:*") })).toBe(2);
    expect(await counted({ trigger_ref: trigger("watch") })).toBe(0);
    expect(await counted({ end: null })).toBe(5);
  });

  it("are those of names with dots, blanks and worse, and of long numbers", async () => {
    const project = "acme/names";
    const payload = `{"a.b":{"c d":2},"__proto__":3,"":{"":4},"big":123456789012345678901,"beyond":1e400,"low":[1e308,1e308]}`;
    const sent = JSON.stringify({
      project_id: project,
      weave_ref: `weave:///${project}/call/t1`,
      feedback_type: "score",
      payload: {},
    });
    expect(
      (await post("/feedback/create", sent.replace('"payload":{}', `"payload":${payload}`))).status,
    ).toBe(200);
    const paths = ["a\\.b.c d", "__proto__", ".", "big", "beyond", "low"];
    const { window_stats: found } = await stats(
      project,
      paths.map((json_path) => ({ json_path, aggregations: ["sum", "max"] })),
    );
    expect(Object.entries(found)).toEqual([
      ["a\\_b_c_d", { sum: 2, max: 2 }],
      ["__proto__", { sum: 3, max: 3 }],
      ["_", { sum: 4, max: 4 }],
      ["big", { sum: 123456789012345680000, max: 123456789012345680000 }],
      ["beyond", { sum: 0, max: null }],
      ["low", { sum: null, max: 1e308 }],
    ]);
  });

  it("agree with what is computed another way", async () => {
    const random = seededRandom(505);
    const project = "acme/oracle";
    const values = Array.from({ length: 1234 }, () => Math.round(random() * 2000 - 1000) / 7);
    for (let at = 0; at < values.length; at += 400)
      await give(
        project,
        values.slice(at, at + 400).map((v) => ({ payload: { v } })),
      );
    const { window_stats: found } = await stats(project, [
      { json_path: "v", aggregations: ["sum", "avg", "min", "max", "count"], percentiles: [5, 50, 95] },
    ]);
    const sorted = values.toSorted((a, b) => a - b);
    const quantile = (p: number) => {
      const h = (sorted.length - 1) * p;
      const [a = NaN, b = NaN] = [sorted[Math.floor(h)], sorted[Math.ceil(h)]];
      return a * (1 - (h % 1)) + b * (h % 1);
    };
    const sum = sorted.reduce((a, b) => a + b, 0);
    const expected = { sum, avg: sum / 1234, min: sorted[0], max: sorted.at(-1), count: 1234 };
    const figures = { ...expected, p5: quantile(0.05), p50: quantile(0.5), p95: quantile(0.95) };
    for (const [name, figure] of Object.entries(figures))
      expect([name, found["v"]?.[name]]).toEqual([name, expect.closeTo(Number(figure), 8)]);
  });

  const v = [{ json_path: "v" }];
  it.each([
    ["no metric", { metrics: [] }, ["metrics"]],
    ["metrics that are missing", {}, ["metrics"]],
    ["an unknown time zone", { metrics: v, timezone: "Mars/Base" }, ["timezone"]],
    ["a bucket that begins before all times", { metrics: v, granularity: 2 ** 53 - 1 }, ["granularity"]],
    ["a bucket of 0 seconds", { metrics: v, granularity: 0 }, ["granularity"]],
    [
      "a percentile above 100",
      { metrics: [{ json_path: "v", percentiles: [101] }] },
      ["metrics", 0, "percentiles", 0],
    ],
    [
      "a percentile below 0",
      { metrics: [{ json_path: "v", percentiles: [-1] }] },
      ["metrics", 0, "percentiles", 0],
    ],
    [
      "an unknown aggregation",
      { metrics: [{ json_path: "v", aggregations: ["median"] }] },
      ["metrics", 0, "aggregations", 0],
    ],
    ["an end at the start", { metrics: v, start: "2026-01-01", end: "2026-01-01" }, ["end"]],
    ["a start that is still to come", { metrics: v, start: "2999-01-01", end: null }, ["end"]],
    ["no time", { metrics: v, start: "yesterday" }, ["start"]],
    ["two metrics of one slug", { metrics: [{ json_path: "a.b" }, { json_path: "a b" }] }, ["metrics"]],
  ])("are refused with %s", async (_, more, place) => {
    const { status, body } = await post("/feedback/stats", { project_id: "acme/none", ...around(), ...more });
    expect([status, body["detail"]]).toMatchObject([422, [{ loc: ["body", ...place] }]]);
  });
});

describe("tags and ratings", () => {
  const project = "acme/tags";
  const SCORER = { feedback_type: "wandb.agent_monitor" };
  const object = (name: string) => `weave:///${project}/object/${name}:v1`;
  let window: { readonly after_ms: number; readonly before_ms: number };

  beforeAll(async () => {
    const times = await give(project, [
      {
        ...SCORER,
        runnable_ref: object("judge"),
        trigger_ref: object("watch"),
        scorer_tags: ["a", "b", "a"],
        scorer_ratings: { _rating_: 0.5, tone: 3 },
        span_agent_name: "bot",
        weave_ref: `weave:///${project}/agent_turn/x`,
      },
      {
        ...SCORER,
        runnable_ref: object("judge"),
        trigger_ref: object("watch2"),
        scorer_ratings: { _rating_: 1 },
        span_status_code: "OK",
      },
      {
        ...SCORER,
        runnable_ref: object("critic"),
        scorer_tags: ["b"],
        weave_ref: `weave:///${project}/agent_conversation/x`,
      },
      { ...SCORER, payload: { v: 1 } },
      { feedback_type: "wandb.note.1", payload: { note: "x" } },
    ]);
    const at = Date.parse(times[0] ?? "");
    window = { after_ms: at - 1000, before_ms: at + HOUR };
  });

  async function buckets(more: object = {}) {
    const { status, body } = await post("/feedback/aggregate", { project_id: project, ...window, ...more });
    expect([status, body["detail"]]).toEqual([200, undefined]);
    expect(body).toMatchObject({ time_bucket_seconds: null });
    return body["buckets"] as readonly (Answer & { readonly total_count: number })[];
  }
  const total = async (more: object) => (await buckets(more)).reduce((sum, one) => sum + one.total_count, 0);

  it("are counted and added up, all together or by who gave them", async () => {
    expect(await buckets()).toEqual([
      {
        time_bucket_start_ms: null,
        group: {},
        total_count: 5,
        scored_count: 3,
        tag_counts: { a: 2, b: 2 },
        rating_sums: { _rating_: 1.5, tone: 3 },
        rating_counts: { _rating_: 2, tone: 1 },
      },
    ]);
    const by = await buckets({ group_by: ["scorer_id", "span_status_code"] });
    expect(by.map(({ group, total_count }) => [group, total_count])).toEqual([
      [{ scorer_id: "", span_status_code: "UNSET" }, 2],
      [{ scorer_id: "critic", span_status_code: "UNSET" }, 1],
      [{ scorer_id: "judge", span_status_code: "OK" }, 1],
      [{ scorer_id: "judge", span_status_code: "UNSET" }, 1],
    ]);
  });

  it("are kept by type, scorer, monitor, agent, span, tag and rating", async () => {
    expect(await total({ feedback_types: ["wandb.agent_"] })).toBe(4);
    expect(await total({ feedback_types: ["wandb.agent_*", "svc.note"] })).toBe(5);
    expect(await total({ feedback_types: ["wandb.note"] })).toBe(1);
    expect(await total({ scorer_ids: ["judge"] })).toBe(2);
    expect(await total({ scorer_ids: ["jud"] })).toBe(0);
    expect(await total({ scorer_ids: ["jud*", "critic"] })).toBe(3);
    expect(await total({ monitor_ids: ["watch"] })).toBe(1);
    expect(await total({ monitor_ids: ["watch*"] })).toBe(2);
    expect(await total({ span_agent_names: ["bot", "other"] })).toBe(1);
    expect(await total({ span_types: ["agent_turn"] })).toBe(1);
    expect(await total({ span_types: ["agent_turn", "agent_conversation"] })).toBe(2);
    expect(await total({ tags: ["b", "z"] })).toBe(2);
    expect(await total({ rating_min: 0.5, rating_max: 0.9 })).toBe(1);
    expect(await total({ rating_min: 0.6 })).toBe(1);
    expect(await total({ rating_max: 2 })).toBe(2);
    expect(await total({ tags: [], scorer_ids: [], span_types: [], feedback_types: [] })).toBe(5);
    expect(await total({ tags: ["b"], scorer_ids: ["judge"] })).toBe(1);
    expect(await total({ before_ms: window.after_ms })).toBe(0);
  });

  it("are in buckets of time that have any", async () => {
    const { body } = await post("/feedback/aggregate", {
      project_id: project,
      ...window,
      time_bucket_seconds: 7,
    });
    const found = body["buckets"] as readonly {
      readonly time_bucket_start_ms: number;
      readonly total_count: number;
    }[];
    expect(body["time_bucket_seconds"]).toBe(7);
    expect(found.reduce((sum, one) => sum + one.total_count, 0)).toBe(5);
    for (const { time_bucket_start_ms: begin, total_count: count } of found) {
      expect(begin % 7000).toBe(0);
      expect(count).toBeGreaterThan(0);
    }
  });

  it("may have any name", async () => {
    const own = "acme/hostile";
    await give(own, [
      JSON.parse(
        '{"scorer_tags":["__proto__","2","1",""],"scorer_ratings":{"__proto__":1,"constructor":2,"10":3,"9":4}}',
      ) as object,
    ]);
    const response = await service.post("/feedback/aggregate", { project_id: own, ...window });
    const text = await response.text();
    expect(text).toContain('"tag_counts":{"":1,"1":1,"2":1,"__proto__":1}');
    expect(text).toContain('"rating_sums":{"10":3,"9":4,"__proto__":1,"constructor":2}');
  });

  it("that nobody checked count as far as they are tags and ratings", async () => {
    const own = "acme/odd";
    const odd = (scorer_tags: unknown, scorer_ratings: unknown) => ({
      project_id: own,
      svc_ref: `svc:///${own}/call/t1`,
      feedback_type: "odd",
      payload: {},
      weave: { scorer_tags, scorer_ratings, span_status_code: 7, span_agent_name: {} },
    });
    const batch = [
      odd("tags", "1"),
      odd(5, [1]),
      odd([1, "a"], { x: "1", y: 2, z: true }),
      odd({}, 1),
      odd(null, null),
    ];
    expect((await post("/feedback/batch/create", { batch })).status).toBe(200);
    const group_by = ["span_status_code", "span_agent_name"];
    const { body } = await post("/feedback/aggregate", { project_id: own, ...window, group_by });
    expect(body["buckets"]).toMatchObject([
      { total_count: 5, scored_count: 1, tag_counts: { a: 1 }, rating_sums: { y: 2 } },
    ]);
  });

  it.each([
    ["a bucket that begins before all times", { time_bucket_seconds: 2 ** 53 - 1 }, ["time_bucket_seconds"]],
    ["another dimension", { group_by: ["payload"] }, ["group_by", 0]],
    ["a bucket of no time", { time_bucket_seconds: 0 }, ["time_bucket_seconds"]],
    ["no window", { after_ms: undefined }, ["after_ms"]],
  ])("are refused by %s", async (_, more, place) => {
    const { status, body } = await post("/feedback/aggregate", { project_id: project, ...window, ...more });
    expect([status, body["detail"]]).toMatchObject([422, [{ loc: ["body", ...place] }]]);
  });
});

describe("the paths of payloads", () => {
  it("are those of the leaves, with their types", async () => {
    const project = "acme/paths";
    await give(project, [
      {
        payload: {
          ok: true,
          output: { score: 1, "a.b": "x" },
          list: [1, { no: 1 }, [2]],
          mixed: 1,
          none: null,
        },
      },
      { payload: { ok: false, output: { score: 2.5 }, list: [], mixed: true, empty: {} } },
    ]);
    const { body } = await post("/feedback/payload_schema", { project_id: project, ...around() });
    expect(body).toEqual({
      paths: [
        { json_path: "list", value_type: "numeric" },
        { json_path: "mixed", value_type: "categorical" },
        { json_path: "ok", value_type: "boolean" },
        { json_path: "output.a\\.b", value_type: "categorical" },
        { json_path: "output.score", value_type: "numeric" },
      ],
    });
    const metrics = (body["paths"] as readonly { json_path: string }[]).map(({ json_path }) => ({
      json_path,
      value_type: "categorical",
    }));
    const { window_stats: found } = await stats(project, metrics);
    expect(Object.values(found).map(({ count }) => count)).toEqual([2, 2, 2, 1, 2]);
  });

  it("are those of the newest records", async () => {
    const project = "acme/newest";
    await give(project, [{ payload: { old: 1 } }, { payload: { older: 1 } }]);
    await give(project, [{ payload: { young: 1 } }]);
    const asked = { project_id: project, ...around() };
    const paths = async (more: object) =>
      (
        (await post("/feedback/payload_schema", { ...asked, ...more })).body["paths"] as readonly {
          json_path: string;
        }[]
      ).map(({ json_path }) => json_path);
    expect(await paths({ sample_limit: 1 })).toEqual(["young"]);
    expect(await paths({})).toEqual(["old", "older", "young"]);
    expect(await paths({ feedback_type: "other" })).toEqual([]);
    for (const sample_limit of [0, 5001])
      expect((await post("/feedback/payload_schema", { ...asked, sample_limit })).status).toBe(422);
  });
});

describe("statistics of feedback", () => {
  it("read one project, with its key, and nothing of what is deleted", async () => {
    const project = "acme/secret";
    await give(project, [{ id: "f1", payload: { v: 1 } }]);
    const bodies: readonly (readonly [string, object])[] = [
      ["/feedback/stats", { ...around(), metrics: [{ json_path: "v" }] }],
      ["/feedback/aggregate", { after_ms: 0, before_ms: 4e12 }],
      ["/feedback/payload_schema", around()],
    ];
    for (const [path, body] of bodies) {
      expect((await post(path, { project_id: project, ...body }, service.eve)).status).toBe(403);
      expect((await post(path, body)).status).toBe(422);
      const { body: foreign } = await post(path, { project_id: "other/project", ...body }, service.eve);
      expect(JSON.stringify(foreign)).not.toMatch(/"(?:total_)?count":1|"json_path"/);
    }
    const isId = { $expr: { $eq: [{ $getField: "id" }, { $literal: "f1" }] } };
    await post("/feedback/purge", { project_id: project, query: isId });
    const { body } = await post("/feedback/aggregate", { project_id: project, after_ms: 0, before_ms: 4e12 });
    expect(body["buckets"]).toEqual([]);
  });
});
