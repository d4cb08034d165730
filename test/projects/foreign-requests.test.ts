import { expect, it } from "vitest";
import { askAcrossProjects } from "./foreign-requests.ts";
import { PROBE_NAMES } from "./probes.ts";

/** Another one by SEED=. */
const SEED = Number(process.env["SEED"] ?? 20260101);

it(`300 requests with another project's key learn nothing (SEED=${SEED})`, async () => {
  const { complaints, counts } = await askAcrossProjects(300, SEED);
  expect(complaints).toEqual([]);
  expect(new Set(counts.keys())).toEqual(new Set(PROBE_NAMES));
});
