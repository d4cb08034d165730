import { expect, it, onTestFinished } from "vitest";
import { createHttpHandler } from "../../src/http/handler.ts";
import { parseJson } from "../../src/model/json.ts";
import { openEngine } from "../../src/index.ts";
import { ndjson, PROJECT, root, stream } from "../support/records.ts";

const authenticate = () => ({ user: "ann", projects: ["*"] });
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const withAttributes = (id: string, attributes: string) =>
  ndjson([root(id, { attributes: "ATTRIBUTES" })]).replace('"ATTRIBUTES"', attributes);

it("lists the attributes of evaluations with all their digits, however deep they are", async () => {
  const engine = await openEngine();
  onTestFinished(() => engine.close());
  const exact = '{"seed":12345678901234567890,"prompt":{"version":"v3"},"tags":["a",null]}';
  const records = [
    withAttributes("exact", exact),
    withAttributes("deep", nested(998)),
    withAttributes("null", "null"),
    ndjson([root("none")]),
  ];
  await engine.ingestCalls(stream(records));
  const list = await engine.listEvaluations(PROJECT);
  const attributes = new Map(list.map((one) => [one.id, one.attributes]));
  expect(attributes.get("exact")).toEqual(parseJson(exact));
  expect(attributes.get("deep")).toBe(nested(998));
  expect([attributes.get("null"), attributes.get("none")]).toEqual([null, null]);
  const handler = createHttpHandler(engine, { authenticate });
  const answer = await handler(new Request(`http://localhost/v2/${PROJECT}/evaluations`));
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain(`"attributes":${exact}`);
});

it("gives each caller attributes of their own", async () => {
  const engine = await openEngine();
  onTestFinished(() => engine.close());
  await engine.ingestCalls([root("e", { attributes: { prompt: { version: "v3" } } })]);
  const [first] = await engine.listEvaluations(PROJECT);
  Object.assign((first?.attributes ?? {}) as object, { prompt: "changed" });
  expect((await engine.listEvaluations(PROJECT))[0]?.attributes).toEqual({ prompt: { version: "v3" } });
});
