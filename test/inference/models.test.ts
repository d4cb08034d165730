import { OpenAI } from "openai6";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService, type TestService } from "../http/running-service.ts";
import { COMPLETION, replyWith, startUpstream, type ScriptedUpstream } from "./scripted-upstream.ts";

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let named: ScriptedUpstream;
let service: TestService;

function listOf(...names: string[]): string {
  return JSON.stringify({
    object: "list",
    data: names.map((id) => ({ id, owned_by: "x", max_model_len: 8 })),
  });
}

beforeAll(async () => {
  [first, second, named] = await Promise.all([startUpstream(), startUpstream(), startUpstream()]);
  for (const upstream of [first, second, named]) {
    for (const model of ["a", "b", "c", "shared", "unlisted"])
      upstream.script(model, replyWith(200, COMPLETION));
  }
  first.models = replyWith(200, listOf("a", "shared"));
  second.models = replyWith(200, listOf("b", "shared", "c"));
  named.models = replyWith(200, listOf("c", "hidden"));
  service = await startService({
    inference: {
      upstreams: [
        { base_url: first.url },
        { base_url: `${second.url}/` },
        { base_url: named.url, models: ["c"], priority_scheduling: false },
      ],
      default_model: "b",
      models_max_age_ms: 60_000,
    },
  });
});

afterAll(async () => {
  await service.stop();
  await Promise.all([first, second, named].map((upstream) => upstream.close()));
});

async function ids(): Promise<unknown[]> {
  const response = await service.fetch("/v1/models", { headers: { authorization: `Bearer ${service.key}` } });
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

/** Which upstream a completion reaches. */
async function reached(body: object): Promise<string> {
  for (const upstream of [first, second, named]) upstream.calls.length = 0;
  await service.chat({ messages: [], ...body });
  const counts = [first, second, named].map(
    ({ calls }) => calls.filter(({ method }) => method === "POST").length,
  );
  return counts.join("");
}

describe("models of several upstreams", () => {
  it("are listed once each, first those that an upstream names, and never those that it does not", async () => {
    expect(await ids()).toEqual(["c", "a", "shared", "b"]);
  });

  it("are answered by the upstream that lists them", async () => {
    expect(await reached({ model: "a" })).toBe("100");
    expect(await reached({ model: "b" })).toBe("010");
    expect(await reached({ model: "shared" })).toBe("100");
    expect(await reached({ model: "c" })).toBe("001");
    expect(await reached({ model: "unlisted" })).toBe("100");
  });

  it("have one that stands in for none, written into the request where it belongs", async () => {
    expect(await reached({})).toBe("010");
    expect(second.calls.at(-1)?.body).toBe('{"model":"b","messages":[]}');
    expect(await reached({ model: null })).toBe("010");
    expect(second.calls.at(-1)?.body).toBe('{"messages":[],"model":"b"}');
  });

  it("refuse a priority where the upstream has no use for it", async () => {
    const refused = await service.chat({ model: "c", messages: [], priority: 1 });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: "priority" } });
    expect((await service.chat({ model: "c", messages: [], priority: 0 })).status).toBe(200);
  });

  it("outlive a failure of their upstream for a while", async () => {
    second.models = replyWith(500, "");
    expect(await ids()).toEqual(["c", "a", "shared", "b"]);
  });
});

describe("without a list to fall back on", () => {
  it("the models of the servers that answer are listed, and the log says which does not, and why", async () => {
    const [gone, broken, there] = await Promise.all([startUpstream(), startUpstream(), startUpstream()]);
    await gone.close();
    broken.models = replyWith(200, "no list");
    there.models = replyWith(200, listOf("a"));
    const on = await startService({
      inference: { upstreams: [gone, broken, there].map(({ url }) => ({ base_url: url })) },
    });
    const response = await on.fetch("/v1/models", { headers: { authorization: `Bearer ${on.key}` } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: [{ id: "a" }] });
    const warnings = on.log.map((line) => JSON.parse(line) as object).filter((line) => "upstream" in line);
    expect(warnings).toMatchObject([
      { level: 40, upstream: "upstreams.0", code: "upstream_unreachable", cause: "ECONNREFUSED" },
      { level: 40, upstream: "upstreams.1", code: "upstream_error" },
    ]);
    await there.close();
    const refused = await on.fetch("/v1/models", { headers: { authorization: `Bearer ${on.key}` } });
    expect(await refused.json()).toMatchObject({ data: [{ id: "a" }] });
    await on.stop();
    await broken.close();
  });

  it("an upstream that fails is a 502, which the SDK tries again only if it was never reached", async () => {
    const failing = await startUpstream();
    failing.models = replyWith(500, "");
    const on = await startService({ inference: { upstreams: [{ base_url: failing.url }] } });
    const client = new OpenAI({ apiKey: on.key, baseURL: `${on.url}/v1` });
    const list = async () => client.models.list().catch((error: unknown) => error);
    expect(await list()).toMatchObject({ status: 502, code: "upstream_error" });
    expect(failing.calls).toHaveLength(1);
    await failing.close();
    on.log.length = 0;
    expect(await list()).toMatchObject({ status: 502, code: "upstream_unreachable" });
    expect(on.log).toHaveLength(3);
    await on.stop();
  });

  it("no upstream is an empty list, and every completion a 404", async () => {
    const empty = await startService();
    const headers = { authorization: `Bearer ${empty.key}` };
    expect(await (await empty.fetch("/v1/models", { headers })).json()).toEqual({ object: "list", data: [] });
    const response = await empty.chat({ model: "m", messages: [] });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "model_not_found", param: "model" } });
    await empty.stop();
  });

  it("a bad file, or a missing key of an upstream, is one clear line", async () => {
    const broken = { upstreams: [{ base_url: "nonsense" }] };
    await expect(startService({ inference: broken })).rejects.toThrow("upstreams[0].base_url");
    const keyless = { upstreams: [{ base_url: "http://127.0.0.1:9", api_key_env: "EVALCUBE_NO_SUCH_KEY" }] };
    await expect(startService({ inference: keyless })).rejects.toThrow("EVALCUBE_NO_SUCH_KEY");
  });
});
