import diagnostics from "node:diagnostics_channel";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../http/running-service.ts";
import { COMPLETION, replyWith, sent, startUpstream, type ScriptedUpstream } from "./scripted-upstream.ts";

let upstream: ScriptedUpstream;
let service: TestService;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script("m", replyWith(200, COMPLETION));
  service = await startService({ inference: { upstreams: [{ base_url: upstream.url }] } });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

beforeEach(() => {
  upstream.calls.length = 0;
});

const HELLO = { model: "m", messages: [{ role: "user", content: "hi" }] };

async function errorOf(
  response: Response,
): Promise<{ message: string; code: unknown; param: unknown; type: string }> {
  return (
    (await response.json()) as { error: { message: string; code: unknown; param: unknown; type: string } }
  ).error;
}

describe("what goes wrong upstream", () => {
  it.each([
    [400, '{"error":{"message":"bad seed","type":"Bad Request","param":"body.seed","code":400}}'],
    [404, '{"error":{"message":"no model","type":"NotFoundError","param":"model","code":404}}'],
    [500, '{"error":{"message":"boom","type":"x","param":null,"code":null}}'],
  ])("keeps the status %i and an error object as it is", async (status, body) => {
    upstream.script("refusing", replyWith(status, body));
    const response = await service.chat({ ...HELLO, model: "refusing" });
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(body);
    expect(upstream.calls).toHaveLength(1);
  });

  it.each([
    [
      422,
      '{"detail":[{"loc":["body","seed"],"msg":"too big","type":"x","input":"secret"}]}',
      "body.seed: too big",
    ],
    [422, '{"detail":"not so"}', "not so"],
    [502, "<html>nginx 10.0.0.1</html>", "Upstream error (502)"],
    [500, "", "Upstream error (500)"],
    [402, '{"error":"pay"}', "pay"],
  ])("wraps a %i without an error object", async (status, body, message) => {
    upstream.script("refusing", replyWith(status, body));
    const response = await service.chat({ ...HELLO, model: "refusing" });
    expect(response.status).toBe(status);
    expect((await errorOf(response)).message).toBe(message);
  });

  it.each([401, 403])("takes a %i of the upstream for its own fault", async (status) => {
    upstream.script("refusing", replyWith(status, '{"error":"Unauthorized"}'));
    const response = await service.chat({ ...HELLO, model: "refusing" });
    expect(response.status).toBe(502);
    expect((await errorOf(response)).code).toBe("upstream_auth");
  });

  it("passes 429 and Retry-After on", async () => {
    const body = '{"error":{"message":"slow down","type":"rate","param":null,"code":"rate_limit_exceeded"}}';
    upstream.script(
      "busy",
      replyWith(429, body, { "retry-after": "1", "set-cookie": "a=b", "keep-alive": "timeout=9" }),
    );
    const response = await service.chat({ ...HELLO, model: "busy" });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(response.headers.get("keep-alive")).not.toBe("timeout=9");
  });

  it("answers 502, not to be tried again, when the upstream hangs up", async () => {
    upstream.script("hanging-up", (response) => void response.destroy());
    const response = await service.chat({ ...HELLO, model: "hanging-up" });
    expect(response.status).toBe(502);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect((await errorOf(response)).code).toBe("upstream_error");
    expect(upstream.calls).toHaveLength(1);
  });

  it("answers 502 when a reply is cut short", async () => {
    upstream.script("short", async (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      await sent(response, "{");
      response.destroy();
    });
    expect((await service.chat({ ...HELLO, model: "short" })).status).toBe(502);
  });

  it("unpacks a reply that is compressed unasked", async () => {
    upstream.script("zipped", replyWith(200, gzipSync(COMPLETION), { "content-encoding": "gzip" }));
    const response = await service.chat({ ...HELLO, model: "zipped" });
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(await response.text()).toBe(COMPLETION);
  });

  it("says that it cannot reach an upstream that is down", async () => {
    const down = await startService({ inference: { upstreams: [{ base_url: "http://127.0.0.1:9/v1" }] } });
    const headers = { authorization: `Bearer ${down.key}` };
    for (const response of [await down.chat(HELLO), await down.fetch("/v1/models", { headers })]) {
      expect(response.status).toBe(502);
      expect(response.headers.get("x-should-retry")).toBe("true");
      const text = await response.text();
      expect(text).toContain("upstream_unreachable");
      expect(text).not.toContain("127.0.0.1");
    }
    await down.stop();
  });
});

describe("a model server that cannot be connected to", () => {
  it("is tried once more, a moment later, since nothing of the request has been sent", async () => {
    const gone = await startUpstream();
    const { port } = new URL(gone.url);
    await gone.close();
    const patient = await startService({ inference: { upstreams: [{ base_url: gone.url }] } });
    const reply = patient.chat(HELLO);
    const back = createServer((_request, response) => void response.end(COMPLETION));
    back.listen(Number(port), "127.0.0.1");
    expect(await (await reply).text()).toBe(COMPLETION);
    back.closeAllConnections();
    back.close();
    await patient.stop();
  });

  it("is tried no third time", async () => {
    const attempts: string[] = [];
    const count = ({ connectParams }: { readonly connectParams: { readonly port: string } }) =>
      void attempts.push(connectParams.port);
    diagnostics.subscribe("undici:client:connectError", count as diagnostics.ChannelListener);
    const down = await startService({ inference: { upstreams: [{ base_url: "http://127.0.0.1:9/v1" }] } });
    expect((await down.chat(HELLO)).status).toBe(502);
    expect(attempts.filter((port) => port === "9")).toHaveLength(2);
    diagnostics.unsubscribe("undici:client:connectError", count as diagnostics.ChannelListener);
    await down.stop();
  });
});
