import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOpenApi } from "../../src/http/openapi/openapi.ts";
import { allRoutes } from "../../src/http/all-routes.ts";
import {
  COMPLETION,
  replyWith,
  startUpstream,
  type ScriptedUpstream,
} from "../inference/scripted-upstream.ts";
import { piecesOf, basic, startService, type TestService } from "./running-service.ts";
import { schemaChecker, type Description } from "./schema-checker.ts";

const MODEL = "0198b0d4-0000-4000-8000-00000000000a";

let upstream: ScriptedUpstream;
let service: TestService;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script("m", replyWith(200, COMPLETION));
  upstream.models = replyWith(200, '{"data":[{"id":"m"}]}');
  service = await startService({
    inference: { upstreams: [{ base_url: upstream.url }] },
    query: () => piecesOf('{"rows":[],"total_rows":0,"summary":null,"warnings":[]}'),
  });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

function regex(pattern: unknown) {
  return { filters: [{ query: { $expr: { $regex: { input: { $getField: "scores.a" }, pattern } } } }] };
}

describe("the description of the service", () => {
  it("is valid OpenAPI 3.1, without loose ends", async () => {
    const description = (await (await service.fetch("/openapi.json")).json()) as Description;
    const result = await new Validator().validate(description as unknown as Record<string, unknown>);
    expect(result).toMatchObject({ valid: true });
    const text = JSON.stringify(description);
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      expect(Object.keys(description.components.schemas)).toContain(name);
    }
    expect(text).not.toContain("$defs");
  });

  it("names what newer model servers take and answer", async () => {
    const description = (await createOpenApi(allRoutes("/"))) as unknown as Description;
    const schemas = description.components.schemas as Readonly<Record<string, object>>;
    const membersOf = (name: string) =>
      new Set(Array.from(JSON.stringify(schemas[name]).matchAll(/"(\w+)":\{/g), ([, member]) => member));
    const asked =
      "thinking_token_budget watermarking truncation_side logprob_token_ids media_io_kwargs session_id routed_experts_prompt_start return_token_offsets return_prompt_text return_mm_kwargs ec_transfer_params stream_interval cache_salt reasoning_effort tool_choice defer_loading";
    expect([...membersOf("ChatCompletionRequest")]).toEqual(expect.arrayContaining(asked.split(" ")));
    const answered =
      "routed_experts prompt_text ec_transfer_params metrics reasoning stop_reason finish_reason usage";
    expect([...membersOf("ChatCompletion")]).toEqual(expect.arrayContaining(answered.split(" ")));
  });

  it("has an example of every request and answer, each as the service would take and give it", async () => {
    const description = (await createOpenApi(allRoutes("/"))) as unknown as Description;
    const check = schemaChecker(description);
    const operations = Object.entries(description.paths)
      .filter(([path]) => !["/healthz", "/health", "/server_info", "/openapi.json"].includes(path))
      .flatMap(([, item]) => Object.values(item).filter(({ operationId }) => operationId !== undefined));
    expect(operations).toHaveLength(87);
    for (const { operationId, requestBody, responses } of operations) {
      for (const content of [requestBody?.content, responses["200"]?.content]) {
        if (content === undefined || "text/html" in content) continue;
        const [described] = Object.values(content);
        expect([operationId, described?.example]).toEqual([operationId, expect.anything() as unknown]);
        expect([operationId, check(described?.schema, described?.example)]).toEqual([operationId, []]);
      }
    }
  });

  it("tells formula and unit of the statistics", async () => {
    const text = JSON.stringify(await createOpenApi(allRoutes("/")));
    expect(text).toContain("stddev / √scored_row_count; unit: score");
    expect(text).toContain("90th percentile of the rows' values");
  });

  it("is met by what the service answers", async () => {
    const description = (await createOpenApi(allRoutes("/"))) as unknown as Description;
    const check = schemaChecker(description);
    const bearer = `Bearer ${service.key}`;
    const feedback = {
      project_id: "acme/qa",
      svc_ref: "svc:///acme/qa/call/c",
      feedback_type: "x",
      payload: {},
    };
    const job = { model_id: MODEL, trajectory_groups: [{ trajectories: [{}] }] };
    await service.training.addCheckpoint(MODEL, { step: 1, metrics: { a: 1 } });
    const cases: [string, string, string, string, unknown][] = [
      ["post", "/feedback/create", "/feedback/create", basic(service.key), feedback],
      ["post", "/feedback/create", "/feedback/create", basic(service.key), {}],
      ["post", "/feedback/create", "/feedback/create", "none", {}],
      [
        "post",
        "/v2/{entity}/{project}/eval_results/query",
        "/v2/acme/qa/eval_results/query",
        basic(service.key),
        {},
      ],
      [
        "post",
        "/v2/{entity}/{project}/eval_results/query",
        "/v2/other/qa/eval_results/query",
        basic(service.key),
        {},
      ],
      ["get", "/v1/models", "/v1/models", bearer, undefined],
      ["get", "/v1/models", "/v1/models", "none", undefined],
      ["post", "/v1/chat/completions", "/v1/chat/completions", bearer, { model: "m", messages: [] }],
      ["post", "/v1/chat/completions", "/v1/chat/completions", bearer, {}],
      ["post", "/v1/chat/completions/", "/v1/chat/completions/", bearer, { model: "none", messages: [] }],
      ["post", "/v1/completions", "/v1/completions", bearer, { model: "none", prompt: "x" }],
      ["post", "/v1/embeddings", "/v1/embeddings", bearer, {}],
      ["post", "/v1/responses", "/v1/responses", bearer, { model: "none", input: "x" }],
      ["post", "/v1/preview/training-jobs", "/v1/preview/training-jobs", bearer, job],
      ["post", "/v1/preview/training-jobs", "/v1/preview/training-jobs", bearer, {}],
      [
        "post",
        "/v1/preview/models",
        "/v1/preview/models",
        bearer,
        { project: "p", name: "n", base_model: "b" },
      ],
      [
        "get",
        "/v1/preview/models/{model_id}/checkpoints",
        `/v1/preview/models/${MODEL}/checkpoints`,
        bearer,
        undefined,
      ],
      [
        "get",
        "/v1/preview/models/{model_id}/checkpoints",
        `/v1/preview/models/${MODEL}/checkpoints?limit=0`,
        bearer,
        undefined,
      ],
      [
        "get",
        "/v1/preview/training-jobs/{job_id}/events",
        "/v1/preview/training-jobs/x/events",
        bearer,
        undefined,
      ],
    ];
    for (const [method, template, path, authorization, body] of cases) {
      const response = await service.fetch(path, {
        method: method.toUpperCase(),
        headers: { authorization, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const operation = description.paths[template]?.[method];
      const schema = operation?.responses[response.status]?.content["application/json"]?.schema;
      expect([path, response.status, check(schema, await response.json())]).toEqual([
        path,
        response.status,
        [],
      ]);
    }
  });

  it("takes the requests that the service takes, and refuses those that it refuses", async () => {
    const description = (await createOpenApi(allRoutes("/"))) as unknown as Description;
    const check = schemaChecker(description);
    const request = (path: string, body: unknown) =>
      check(description.paths[path]?.["post"]?.requestBody?.content["application/json"]?.schema, body);
    const record = {
      project_id: "acme/qa",
      svc_ref: "svc:///acme/qa/call/c",
      feedback_type: "x",
      payload: {},
    };
    expect(request("/feedback/create", { ...record, id: null })).toEqual([]);
    expect(request("/feedback/create", { ...record, surprise: 1 })).not.toEqual([]);
    expect(request("/feedback/create", { ...record, payload: [] })).not.toEqual([]);
    expect(request("/v1/preview/training-jobs", { model_id: MODEL, trajectory_groups: [], more: 1 })).toEqual(
      [],
    );
    expect(request("/v1/preview/training-jobs", { model_id: MODEL })).not.toEqual([]);
    const filter = { query: { $expr: { $eq: [{ $getField: "scores.a" }, { $literal: 1 }] } } };
    expect(request("/v2/{entity}/{project}/eval_results/query", { filters: [filter] })).toEqual([]);
    const results = "/v2/{entity}/{project}/eval_results/query";
    expect(request(results, regex({ $literal: "^a" }))).toEqual([]);
    expect(request(results, regex({ $literal: "a".repeat(1001) }))).not.toEqual([]);
    expect(request(results, regex("^a"))).not.toEqual([]);
    expect(request("/v2/{entity}/{project}/eval_results/query", { sort: [] })).not.toEqual([]);
    expect(request("/v1/chat/completions", { messages: [{ role: "user", content: "x" }], foo: 1 })).toEqual(
      [],
    );
    expect(request("/v1/chat/completions", {})).not.toEqual([]);
  });
});
