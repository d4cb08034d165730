import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../http/running-service.ts";
import { COMPLETION, replyWith, startUpstream, type ScriptedUpstream } from "./scripted-upstream.ts";

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

/** A text after its length in bytes. */
function field(text: string): Buffer {
  const length = Buffer.alloc(8);
  length.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([length, Buffer.from(text)]);
}

describe("a cache salt", () => {
  const salted = { ...HELLO, cache_salt: "salt-4711" };

  it("travels as it was sent", async () => {
    await service.chat(salted);
    expect(upstream.calls[0]?.body).toBe(JSON.stringify(salted));
  });

  it("bound to its tenant is another for each project and user, and the rest of the body stays", async () => {
    const bound = await startService({
      inference: { upstreams: [{ base_url: upstream.url }], cache_salt_secret_env: "SALT_SECRET" },
      inferenceOptions: { environment: { SALT_SECRET: "s3cret" } },
    });
    const saltOf = async (body: object, project?: string) => {
      await bound.chat(body, project === undefined ? {} : { headers: { "openai-project": project } });
      const sent = upstream.calls.at(-1)?.body ?? "";
      const { cache_salt: salt, ...rest } = JSON.parse(sent) as Record<string, unknown>;
      expect(rest).toEqual(HELLO);
      return salt;
    };
    const mac = createHmac("sha256", "s3cret").update(
      Buffer.concat([field("project acme/qa"), field("salt-4711")]),
    );
    expect(await saltOf(salted, "acme/qa")).toBe(mac.digest("base64url"));
    expect(await saltOf(salted, "acme/qa")).toMatch(/^[\w-]{43}$/);
    const salts = [await saltOf(salted, "acme/qa"), await saltOf(salted, "acme/b"), await saltOf(salted)];
    salts.push(await saltOf({ ...HELLO, cache_salt: "other" }, "acme/qa"));
    expect(new Set(salts).size).toBe(4);
    expect(await saltOf({ ...HELLO, cache_salt: "" })).toBe("");
    expect(await saltOf({ ...HELLO, cache_salt: null })).toBeNull();
    await bound.stop();
  });
});
