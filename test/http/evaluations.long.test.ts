import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StoreError } from "../../src/errors.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { root, trial } from "../support/records.ts";
import { until } from "../support/until.ts";
import { basic, startService, type TestService } from "./running-service.ts";
import { closed, schemaChecker, type Description } from "./schema-checker.ts";

const COMPARE = "/v2/acme/qa/eval_results/compare";
const REPORT = "/v2/acme/qa/eval_results/report";
const VIEW = "/v2/acme/qa/eval_results/view";
const REQUEST = { baseline: "e", candidates: ["f"], scorers: ["correct"] };

let engine: Engine;
let service: TestService;
let description: Description;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  const ofOther = { project_id: "other/qa" };
  const trials = ["e", "f"].flatMap((parent_id) =>
    Array.from({ length: 4 }, (_, n) =>
      trial(`${parent_id}${n}`, { n }, { correct: n < (parent_id === "e" ? 3 : 1) }, { parent_id }),
    ),
  );
  // Of these, the list has neither the hidden one nor one without a root and trials.
  await engine.ingestCalls([
    root("e", { display_name: "é", ended_at: "2026-01-01T00:01:00Z" }),
    root("f"),
    root("gone"),
    ...trials,
  ]);
  await engine.ingestCalls([trial("lone", { n: 0 }, {}, { parent_id: "rootless" }), root("o", ofOther)]);
  await engine.ingestCalls([trial("hidden", { n: 0 }, {}, { parent_id: "empty" })]);
  await engine.deleteCalls("acme/qa", ["gone", "hidden"]);
  await engine.ingestRows([{ project_id: "acme/rows", val: 1 }]);
  service = await startService({ results: engine });
  description = closed((await (await service.fetch("/openapi.json")).json()) as Description);
});

afterAll(async () => {
  await service.stop();
  await engine.close();
});

function ask(path: string, body?: unknown, one = service, authorization = basic(one.key)): Promise<Response> {
  const headers = { authorization, "content-type": "application/json" };
  if (body === undefined) return one.fetch(path, { headers });
  return one.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Requests for a project, by path and body. */
function requestsFor(project: string) {
  return [
    [`/v2/${project}/evaluations`, undefined],
    [`/v2/${project}/eval_results/compare`, REQUEST],
    [`/v2/${project}/eval_results/report`, { evaluations: ["e"] }],
    [`/v2/${project}/eval_results/view`, {}],
  ] as const;
}

/** What is wrong with an answer by the description of its endpoint. */
function faultsOf(path: string, method: "get" | "post", answer: unknown): unknown {
  const content = description.paths[path]?.[method]?.responses["200"]?.content;
  return schemaChecker(description)(Object.values(content ?? {})[0]?.schema, answer);
}

async function listed(projects: readonly string[]): Promise<unknown> {
  const one = await startService({ results: engine, projects });
  const answer: unknown = await (await ask("/v2/projects", undefined, one)).json();
  await one.stop();
  return answer;
}

describe("the list of projects", () => {
  it("has those that the key may use, each with as many evaluations as its list has", async () => {
    const answer: unknown = await (await ask("/v2/projects")).json();
    const counted = ["acme/qa", "acme/rows"].map(async (project_id) => ({
      project_id,
      evaluation_count: (await engine.listEvaluations(project_id)).length,
    }));
    expect(answer).toEqual({ projects: await Promise.all(counted) });
    expect(answer).toMatchObject({ projects: [{ evaluation_count: 3 }, { evaluation_count: 0 }] });
    expect(faultsOf("/v2/projects", "get", answer)).toEqual([]);
  });

  it("follows the patterns of the key", async () => {
    const other = { project_id: "other/qa", evaluation_count: 1 };
    expect(await listed(["*"])).toMatchObject({ projects: [{}, {}, other] });
    expect(await listed(["other/qa"])).toEqual({ projects: [other] });
    expect(await listed(["nobody/*", "acme/q"])).toEqual({ projects: [] });
  });
});

describe("the list of evaluations", () => {
  it("is the library's", async () => {
    const answer: unknown = await (await ask("/v2/acme/qa/evaluations")).json();
    expect(answer).toEqual({ evaluations: await engine.listEvaluations("acme/qa"), total_count: 3 });
    expect(faultsOf("/v2/{entity}/{project}/evaluations", "get", answer)).toEqual([]);
    expect(await (await ask("/v2/acme/none/evaluations")).json()).toEqual({
      evaluations: [],
      total_count: 0,
    });
  });
});

describe("a comparison over HTTP", () => {
  it("is the library's answer", async () => {
    const response = await ask(COMPARE, REQUEST);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const answer: unknown = await response.json();
    expect(answer).toEqual(await engine.compareEvaluations("acme/qa", REQUEST));
    expect(answer).toMatchObject({ comparisons: [{ n_common: 4, difference: -0.5 }] });
    expect(faultsOf("/v2/{entity}/{project}/eval_results/compare", "post", answer)).toEqual([]);
  });

  it.each([
    [422, { ...REQUEST, candidate: "f" }, ["body", "candidate"]],
    [422, { ...REQUEST, confidence: 2 }, ["body", "confidence"]],
    [422, [], ["body"]],
  ])("answers %i to %j, and says where", async (status, request, loc) => {
    const response = await ask(COMPARE, request);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ detail: [{ loc }] });
  });

  it.each([
    [{ ...REQUEST, candidates: ["none"] }, "none"],
    [{ ...REQUEST, scorers: ["nothing"] }, "nothing"],
  ])("answers 400 to %j, which names nothing", async (request, named) => {
    const response = await ask(COMPARE, request);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { reason: string }).reason).toContain(named);
  });
});

describe("statistics over HTTP", () => {
  it.each([
    ["leaderboard", {}, () => engine.leaderboard("acme/qa", {})],
    ["leaderboard", { costs: true }, () => engine.leaderboard("acme/qa", { costs: true })],
    ["history", { name: "é" }, () => engine.history("acme/qa", { name: "é" })],
    [
      "items",
      { evaluations: ["e"], scorer: "correct" },
      () => engine.items("acme/qa", { evaluations: ["e"], scorer: "correct" }),
    ],
    ["steps", { evaluation_call_ids: ["e"] }, () => engine.steps("acme/qa", { evaluation_call_ids: ["e"] })],
    [
      "agreement",
      { evaluations: ["e"], a: "correct", b: "correct" },
      () => engine.agreement("acme/qa", { evaluations: ["e"], a: "correct", b: "correct" }),
    ],
  ])("are the library's answers: %s", async (name, request, own) => {
    const response = await ask(`/v2/acme/qa/eval_results/${name}`, request);
    const answer: unknown = await response.json();
    expect(answer).toEqual(JSON.parse(JSON.stringify(await own())));
    expect(faultsOf(`/v2/{entity}/{project}/eval_results/${name}`, "post", answer)).toEqual([]);
  });

  it.each(["leaderboard", "history"])("say where a request is at fault: %s", async (name) => {
    const response = await ask(`/v2/acme/qa/eval_results/${name}`, { filter: [] });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [{ loc: ["body", "filter"] }] });
  });
});

describe("a report over HTTP", () => {
  const asked = { evaluations: ["f", "e"], baseline: "e", scorers: ["correct"], title: "é <b>" };

  it("is the library's, as a file that browsers save and do not show", async () => {
    const response = await ask(REPORT, asked);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="evalcube-acme-qa.html"');
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = await response.text();
    expect(text === (await renderReport(engine, "acme/qa", asked))).toBe(true);
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).not.toContain(service.key);
  });

  it.each([
    [422, { evaluation: ["e"] }, ["body", "evaluation"]],
    [422, { signal: {} }, ["body", "signal"]],
    [422, { outputs: "some" }, ["body", "outputs"]],
    [422, [], ["body"]],
  ])("answers %i to %j, and says where", async (status, request, loc) => {
    const response = await ask(REPORT, request);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ detail: [{ loc }] });
  });

  it("answers 400 to an evaluation that there is not", async () => {
    const response = await ask(REPORT, { evaluations: ["none"] });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ reason: expect.stringContaining("none") as unknown });
  });
});

/** The lines of an answer, each with its one member. */
async function linesOf(response: Response): Promise<readonly (readonly [string, unknown, object])[]> {
  const lines = (await response.text()).trimEnd().split("\n");
  return lines.map((line) => {
    const part = JSON.parse(line) as object;
    const [first] = Object.entries(part) as [[string, unknown]];
    return [...first, part] as const;
  });
}

describe("what a view is told over HTTP", () => {
  it("is what the library answers, in lines", async () => {
    const response = await ask(VIEW, { evaluations: ["f", "e", "gone"], baseline: "e", first_rows: 2 });
    expect(response.headers.get("content-type")).toBe("application/jsonl");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const lines = await linesOf(response);
    const parts: Record<string, unknown> = Object.fromEntries(lines.map(([name, value]) => [name, value]));
    expect([lines[0]?.[0], lines.at(-1)?.[0], lines.length]).toEqual(["means", "spread", 5]);
    for (const [, , part] of lines)
      expect(faultsOf("/v2/{entity}/{project}/eval_results/view", "post", part)).toEqual([]);
    const means = parts["means"] as { summary: unknown; rows_request: object };
    expect(means).toMatchObject({
      evaluations: await engine.listEvaluations("acme/qa"),
      shown: ["f", "e"],
      baseline: "e",
      unknown: ["gone"],
    });
    const asked = { evaluation_call_ids: ["f", "e"], include_rows: false, include_summary: true } as const;
    const { summary } = await engine.queryEvalResults("acme/qa", { ...asked, include_uncertainty: true });
    expect(means.summary).toMatchObject(summary ?? {});
    expect(parts["comparison"]).toEqual(
      await engine.compareEvaluations("acme/qa", { baseline: "e", candidates: ["f"], by: "auto" }),
    );
    expect(parts["first_rows"]).toEqual(await engine.queryEvalResults("acme/qa", means.rows_request));
    expect(parts["first_rows"]).toMatchObject({ rows: [{}, {}], total_rows: 4 });
    const { summary: spread } = await engine.queryEvalResults("acme/qa", { ...asked, include_usage: true });
    expect(parts["spread"]).toMatchObject(spread ?? {});
  });

  it.each([
    [new Error("a secret of the disk"), { status: 500, reason: /our side/ }],
    [
      new StoreError("out_of_memory", "a secret"),
      { status: 507, code: "out_of_memory", reason: /--memory-limit/ },
    ],
  ])("comes as soon as it is known, and says what fails later in a last line: %s", async (fault, told) => {
    const failing: ((error: Error) => void)[] = [];
    const compareEvaluations = () => new Promise<never>((_resolve, reject) => failing.push(reject));
    const one = await startService({ results: { ...engine, compareEvaluations } });
    const response = await ask(VIEW, { evaluations: ["e", "f"] }, one);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toMatch(/^\{"means":.*\n$/);
    failing[0]?.(fault);
    const last = await reader?.read();
    const line = JSON.parse(new TextDecoder().decode(last?.value)) as object;
    expect(line).toEqual({ failure: { ...told, reason: expect.stringMatching(told.reason) as unknown } });
    expect((await reader?.read())?.done).toBe(true);
    await one.stop();
  });

  it.each([
    [422, { evaluation: ["e"] }, ["body", "evaluation"]],
    [422, { first_rows: 0 }, ["body", "first_rows"]],
    [422, [], ["body"]],
    [422, { filters: [{}] }, ["body", "filters", 0, "query"]],
  ])("is refused with %i to %j, and says where", async (status, request, loc) => {
    const response = await ask(VIEW, request);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ detail: [{ loc }] });
  });
});

describe("the endpoints of the page", () => {
  it("answer 401 without a key, and to a bearer", async () => {
    for (const [path, body] of [["/v2/projects", undefined] as const, ...requestsFor("acme/qa")]) {
      for (const authorization of ["", basic("ec_wrong"), `Bearer ${service.key}`]) {
        const response = await ask(path, body, service, authorization);
        expect([path, response.status]).toEqual([path, 401]);
        expect(response.headers.get("www-authenticate")).toContain("Basic");
      }
    }
  });

  it("answer 403 to a key of other projects, and 404 to what names none", async () => {
    for (const [path, body] of requestsFor("other/qa")) expect((await ask(path, body)).status).toBe(403);
    for (const [path, body] of requestsFor("acme/%2F")) expect((await ask(path, body)).status).toBe(404);
  });

  it("stop their work when the client goes away", async () => {
    const signals: AbortSignal[] = [];
    const endless = (options?: { readonly signal?: AbortSignal | undefined }) =>
      new Promise<never>((_resolve, reject) => {
        if (options?.signal === undefined) return;
        signals.push(options.signal);
        options.signal.addEventListener("abort", () => reject(options.signal?.reason as Error));
      });
    const one = await startService({
      results: {
        countEvaluations: endless,
        listEvaluations: (_project, options) => endless(options),
        compareEvaluations: (_project, _request, options) => endless(options),
      },
    });
    for (const [path, body] of [["/v2/projects", undefined] as const, ...requestsFor("acme/qa")]) {
      const leaving = new AbortController();
      const headers = { authorization: basic(one.key), "content-type": "application/json" };
      const sent = { headers, signal: leaving.signal };
      const init = body === undefined ? sent : { ...sent, method: "POST", body: JSON.stringify(body) };
      const answer = one.fetch(path, init).catch(() => null);
      const before = signals.length;
      await until(`the engine is asked for ${path}`, () => signals.length > before);
      leaving.abort();
      await answer;
      await until(`${path} is stopped`, () => signals.at(-1)?.aborted === true);
      expect(signals).toHaveLength(before + 1);
    }
    await one.stop();
  });
});
