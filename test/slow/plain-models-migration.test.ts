import { expect, it } from "vitest";
import { migrated } from "../support/older-file.ts";
import { randomProjects } from "../support/random-projects.ts";

const SEED = Number(process.env["SEED"] ?? 1011);
const PROJECTS = Number(process.env["PROJECTS"] ?? 100);

it(`gives an older file what loading its calls anew gives, for random projects (SEED=${SEED})`, async () => {
  const { names, load } = randomProjects(SEED, PROJECTS);
  expect(await migrated(names, load)).toBeGreaterThan(PROJECTS);
});
