import { expect, it } from "vitest";
import { flood } from "../../flood/flood.ts";
import { httpSubject } from "../../flood/http-subject.ts";
import { librarySubject } from "../../flood/library-subject.ts";

/** Another one by SEED=. */
const SEED = Number(process.env["SEED"] ?? 20260102);
const COUNT = Number(process.env["COUNT"] ?? 50_000);
/** Only the functions and addresses whose names match. */
const ONLY = new RegExp(process.env["ONLY"] ?? "");

it(`library calls with anything are answered, or refused with an error of ours and without a trace (SEED=${SEED})`, async () => {
  expect(await flood(SEED, COUNT, () => librarySubject(ONLY))).toEqual([]);
});

it(`requests with anything are answered, or refused without a fault and without a trace (SEED=${SEED})`, async () => {
  expect(await flood(SEED, COUNT, () => httpSubject(ONLY))).toEqual([]);
});
