import { expect, it } from "vitest";
import { compareSteps } from "./random-steps.ts";

/** Trials of each seed; every arrival has the same. */
const TRIALS = 50;

const first = Math.floor(Math.random() * 2 ** 31);
const seeds = Array.from({ length: 21 }, (_, i) => first + i);

it.each(seeds)("finds the steps that plain code finds, in every order of arrival: seed %i", async (seed) => {
  expect(await compareSteps(seed, TRIALS)).toBeGreaterThan(0);
});
