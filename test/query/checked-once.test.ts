import { expect, it, onTestFinished } from "vitest";
import { createCatalogCache, readQueryCatalog } from "../../src/engine/catalog/read-catalog.ts";
import { openCore } from "../../src/engine/engine.ts";
import { parseDerivedScores } from "../../src/request/derived-scores.ts";
import { withIds } from "../../src/request/eval-request.ts";
import { parseRequest } from "../../src/request/parse-request.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";

async function openWithTrials() {
  const core = await openCore({ threads: 1 });
  onTestFinished(() => core.close());
  await core.ingestCalls([root(), trial("t1", { q: 1 }, { acc: 1 }), root("f")]);
  return core;
}

const asked = (request: object) =>
  withIds(parseRequest({ evaluation_call_ids: ["e"], ...request }), ({ text }) => text);

const matching = (pattern: string) => ({
  filters: [
    { query: { $expr: { $regex: { input: { $getField: "inputs.q" }, pattern: { $literal: pattern } } } } },
  ],
});

it("a pattern is checked once for all groups that one request makes", async () => {
  const core = await openWithTrials();
  const names: string[] = [];
  await core.store.read(async (session) => {
    const all: typeof session.all = (query) => {
      names.push(query.name);
      return session.all(query);
    };
    const noted = { ...session, all };
    const request = asked(matching("^1"));
    for (const id of ["e", "f"])
      await readQueryCatalog(noted, createCatalogCache(), PROJECT, { ...request, evaluationIds: [id] });
    expect(names.filter((name) => name === "pattern check")).toHaveLength(1);
    await readQueryCatalog(noted, createCatalogCache(), PROJECT, asked(matching("^1")));
    expect(names.filter((name) => name === "pattern check")).toHaveLength(2);
  });
});

it("a pattern that is refused is refused again", async () => {
  const core = await openWithTrials();
  const request = asked(matching("("));
  for (const _ of ["first", "second"]) {
    const refused = core.store.read((session) =>
      readQueryCatalog(session, createCatalogCache(), PROJECT, request),
    );
    expect(await refusal(refused)).toMatchObject({ issues: [{ type: "invalid_pattern" }] });
  }
});

it("derived scores are parsed once, and a fault is told each time", async () => {
  const { derivedScores } = asked({ derived_scores: { twice: "2 * acc" } });
  expect(await parseDerivedScores(derivedScores)).toBe(await parseDerivedScores(derivedScores));
  const { derivedScores: wrong } = asked({ derived_scores: { twice: "2 *" } });
  const faults = [await refusal(parseDerivedScores(wrong)), await refusal(parseDerivedScores(wrong))];
  expect(faults).toEqual([faults[0], faults[0]]);
  expect(faults[0]).toMatchObject({ issues: [{ loc: ["derived_scores", "twice"] }] });
});
