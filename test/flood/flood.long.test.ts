import { expect, it } from "vitest";
import { flood } from "./flood.ts";
import { httpSubject, rightRequests } from "./http-subject.ts";
import { librarySubject, rightCalls } from "./library-subject.ts";

/** Another one by SEED=. */
const SEED = Number(process.env["SEED"] ?? 20260102);
const COUNT = Number(process.env["COUNT"] ?? 250);
/** Only the functions and addresses whose names match. */
const ONLY = new RegExp(process.env["ONLY"] ?? "");

it("library calls that are right are answered, so that what follows begins from there", async () => {
  expect(await rightCalls()).toEqual([]);
});

it("requests that are right are answered, so that what follows begins from there", async () => {
  expect(await rightRequests()).toEqual([]);
});

it(`library calls with anything are answered, or refused with an error of ours and without a trace (SEED=${SEED})`, async () => {
  expect(await flood(SEED, COUNT, () => librarySubject(ONLY))).toEqual([]);
});

it(`requests with anything are answered, or refused without a fault and without a trace (SEED=${SEED})`, async () => {
  expect(await flood(SEED, COUNT, () => httpSubject(ONLY))).toEqual([]);
});
