import { afterAll, beforeAll, expect, it } from "vitest";
import { startService, type TestService } from "./running-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service.stop();
});

it("endpoints of model servers that are left out are refused by name, for those with a key", async () => {
  for (const [method, path] of [
    ["GET", "/v1/responses/r1"],
    ["POST", "/v1/responses/r1/cancel"],
    ["DELETE", "/v1/responses/r1"],
    ["POST", "/v1/preview/sft-training-jobs"],
  ] as const) {
    const asked = await fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${service.key}` },
    });
    const { error } = (await asked.json()) as {
      readonly error: { readonly code: string; readonly message: string };
    };
    expect([asked.status, asked.headers.get("x-should-retry"), error.code]).toEqual([
      404,
      "false",
      "not_offered",
    ]);
    expect(error.message).toContain(`${method} ${path} is not part of this service: `);
    expect((await fetch(service.url + path, { method })).status).toBe(401);
  }
  const other = await fetch(`${service.url}/v1/response`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  expect(((await other.json()) as { readonly error: { readonly code: string } }).error.code).toBe(
    "not_found",
  );
});
