import { expect, it } from "vitest";
import { askAcrossProjects } from "../projects/foreign-requests.ts";
import { PROBE_NAMES } from "../projects/probes.ts";

/** Others by SEED= and REQUESTS=. */
const SEED = Number(process.env["SEED"] ?? 20260101);
const REQUESTS = Number(process.env["REQUESTS"] ?? 10_000);

it(`${REQUESTS} requests with another project's key learn nothing (SEED=${SEED})`, async () => {
  const { complaints, counts } = await askAcrossProjects(REQUESTS, SEED);
  expect(complaints).toEqual([]);
  const least = Math.min(...PROBE_NAMES.map((name) => counts.get(name) ?? 0));
  expect(least).toBeGreaterThan(REQUESTS / PROBE_NAMES.length / 2);
});
