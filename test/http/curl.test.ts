import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  delta,
  DONE,
  finish,
  replyWith,
  startUpstream,
  streamOf,
  type ScriptedUpstream,
} from "../inference/scripted-upstream.ts";
import { because } from "../support/skipped.ts";
import { startService, type TestService } from "./running-service.ts";

const run = promisify(execFile);
const missing = spawnSync("curl", ["--version"]).error === undefined ? null : "no curl on this machine";

let upstream: ScriptedUpstream;
let service: TestService;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.models = replyWith(200, '{"data":[{"id":"m"}]}');
  upstream.script("s", streamOf([delta("a"), finish(), DONE]));
  upstream.script("m", replyWith(200, '{"ok":true}'));
  service = await startService({ inference: { upstreams: [{ base_url: upstream.url }] } });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

async function curl(path: string, ...options: string[]): Promise<string> {
  return (await run("curl", ["--silent", "--noproxy", "*", ...options, service.url + path])).stdout;
}

function bearer(): string[] {
  return ["--oauth2-bearer", service.key];
}

describe.skipIf(missing !== null)(`curl${because(missing)}`, () => {
  const json = ["--header", "Content-Type: application/json", "--data-binary"];

  it("lists models, completes and streams", async () => {
    expect(JSON.parse(await curl("/v1/models", ...bearer()))).toMatchObject({ data: [{ id: "m" }] });
    const plain = '{"model":"m","messages":[],"seed":9223372036854775807}';
    expect(await curl("/v1/chat/completions", ...bearer(), ...json, plain)).toBe('{"ok":true}');
    expect(upstream.calls.at(-1)?.body).toBe(plain);
    const events = await curl(
      "/v1/chat/completions/",
      "-N",
      ...bearer(),
      ...json,
      '{"model":"s","messages":[],"stream":true}',
    );
    expect(events).toBe(delta("a") + finish() + DONE);
  });

  it("gives feedback with a user and a key", async () => {
    const record =
      '{"project_id":"acme/qa","svc_ref":"svc:///acme/qa/call/c","feedback_type":"svc.note.1","payload":{"note":"é"}}';
    const answer = await curl("/feedback/create", "--user", `ann:${service.key}`, ...json, record);
    expect(JSON.parse(answer)).toMatchObject({ svc_user_id: "ann", payload: { note: "é" } });
  });

  it("is told that its upload is too large, or its key wrong, before it has sent it", async () => {
    const large = JSON.stringify({ pad: "x".repeat(17 << 20) });
    const file = [
      "--header",
      "Content-Type: application/json",
      "--data-binary",
      "@-",
      "--write-out",
      " %{http_code} %{size_upload}",
    ];
    const upload = (...options: string[]) =>
      new Promise<string>((resolve, reject) => {
        const child = execFile(
          "curl",
          ["--silent", "--noproxy", "*", ...file, ...options, `${service.url}/feedback/create`],
          (error, stdout) => (error === null || stdout !== "" ? resolve(stdout) : reject(error)),
        );
        child.stdin?.on("error", () => {});
        child.stdin?.end(large);
      });
    expect(await upload("--user", `ann:${service.key}`)).toMatch(/^\{"reason":.* 413 0$/);
    expect(await upload("--user", "ann:wrong")).toMatch(/^\{"reason":.* 401 0$/);
  });
});
