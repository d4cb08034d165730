import { afterAll, beforeAll, expect, it } from "vitest";
import { bytesOf, LARGE_BODIES } from "./large-bodies.ts";
import { startWatched } from "./watched-service.ts";

let service: Awaited<ReturnType<typeof startWatched>>;
beforeAll(async () => {
  service = await startWatched();
});
afterAll(() => service.stop());

it.each(LARGE_BODIES.map((one) => [one.name, one] as const))("%s", async (_, body) => {
  const { status, text } = await service.post(body, bytesOf(body));
  expect([status, text.slice(0, 300)]).toEqual([body.status, expect.any(String)]);
  expect(service.lives()).toBe(true);
});
