import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { call } from "../support/records.ts";
import { ANN, PROJECT } from "./weave-requests.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

it("more texts than are held at once come in their order", async () => {
  const engine = await openEngine({ path: ":memory:" });
  const texts = Array.from(
    { length: 75 },
    (_, i) => `${i}:`.padEnd(i % 3 === 0 ? 10 : 700_000, "ab c") + (i % 2 === 0 ? "even" : "odd"),
  );
  await engine.ingestCalls(texts.map((output, i) => call(`c${i}`, { output, started_at: at(i) })));
  const $expr = { $contains: { input: { $getField: "output" }, substr: { $literal: "odd" } } };
  const read = async (asked: object) => {
    const request = JSON.stringify({ project_id: PROJECT, ...asked });
    const found: string[] = [];
    for await (const line of engine.weave.streamCalls(request, ANN))
      found.push((JSON.parse(line) as { output: string }).output);
    return found;
  };
  expect(await read({})).toEqual(texts);
  expect(await read({ query: { $expr } })).toEqual(texts.filter((text) => text.endsWith("odd")));
  expect(await read({ sort_by: [{ field: "output" }] })).toEqual(texts.toSorted());
  await engine.close();
});

it("a call that is deleted between two parts of an answer is left out", async () => {
  const engine = await openEngine({ path: ":memory:" });
  const outputs = Array.from({ length: 12 }, () => "z".repeat(1_200_000));
  await engine.ingestCalls(outputs.map((output, i) => call(`c${i}`, { output, started_at: at(i) })));
  const answer = engine.weave.streamCalls(JSON.stringify({ project_id: PROJECT }), ANN);
  const found = [(await answer.next()).value as string];
  await engine.deleteCalls(PROJECT, ["c10"]);
  await engine.ingestCalls([call("later")]);
  for await (const line of answer) found.push(line);
  const seen = found.map((line) => (JSON.parse(line) as { id: string; output: string }).id);
  expect(seen).toEqual(outputs.flatMap((_, i) => (i === 10 ? [] : [`c${i}`])));
  await engine.close();
});
