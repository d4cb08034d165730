import { afterAll, beforeAll, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { lineOfStart, outputLineOf } from "../../src/model/one-line.ts";
import { itemTexts, memberTexts } from "../../src/model/member-texts.ts";
import { EVALUATION, PROJECT, root, stream, trial } from "../support/records.ts";

/** Outputs as a client may spell them: short, and with a text that makes them long. */
const SPELLED: readonly ((text: string) => string)[] = [
  (text) => String.raw`"\u00e9\/\u0041 é ${text}"`,
  (text) => String.raw`"\ud83d\ude00 \ud800 ${text}"`,
  (text) => String.raw`"\\u0041 \"q\" \\ ${text}"`,
  (text) => String.raw`{ "b" : [ 1.0 , 1e2 , 12345678901234567890 ] , "2" : "${text}" , "1" : -0 }`,
  (text) => String.raw`{"\u0061":"first","é":1,"a":"last ${text}","\u00e9":2}`,
  (text) => `[ "${text}" , null , true ]`,
  (text) => `"   語 ${text}"`,
  (text) => String.raw`"\n\n{ no JSON ${text}"`,
];
const LONG = "语 ".repeat(2500);
/** Of at most 4,096 bytes, and of more, which no count of characters tells. */
const EDGES = ["é".repeat(2047), "é".repeat(2048)];

const said = (output: string) => `{ "output" : ${output} , "scores" : {} }`;
const record = (id: string, output: string) =>
  `${JSON.stringify(trial(id, { of: id })).replace(/"output":\{.*\}\}$/, () => `"output":${output}}`)}\n`;

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ path: ":memory:" });
  const scores = `{${Array.from({ length: 2000 }, (_, i) => `"s${i}": ${i}.0`).join(" , ")}}`;
  await engine.ingestCalls(
    stream([
      `${JSON.stringify(root())}\n`,
      ...SPELLED.flatMap((spell, i) => [
        record(`s${i}`, said(spell("x"))),
        record(`l${i}`, said(spell(LONG))),
      ]),
      ...EDGES.map((text, i) => record(`e${i}`, said(`"${text}"`))),
      record("many", String.raw`{ "n": 12345678901234567890 , "t": "\u0061", "scores" : ${scores} }`),
    ]),
  );
});
afterAll(() => engine.close());

const select = async (statement: string) =>
  (await engine.sql(PROJECT, statement))
    .toArray()
    .map((one) => (one as { toJSON: () => Record<string, unknown> }).toJSON());

const items = (object: string, list: string) => itemTexts(memberTexts(object).get(list) ?? "[]");

/** The text of the output of each trial of a page, and of its scores. */
async function texts(name: "model_output" | "scores") {
  const page = await engine.queryEvalResultsJson(PROJECT, { evaluation_call_ids: [EVALUATION] });
  const trials = items(page, "rows")
    .flatMap((row) => items(row, "evaluations"))
    .flatMap((evaluation) => items(evaluation, "trials"))
    .map(memberTexts);
  return new Map(
    trials.map((one) => [JSON.parse(one.get("predict_and_score_call_id") ?? "") as string, one.get(name)]),
  );
}

it("a long output has the spelling that a short one has", async () => {
  const found = await texts("model_output");
  for (const i of SPELLED.keys())
    expect(found.get(`l${i}`)?.replace(LONG, "x"), `spelling ${i}`).toBe(found.get(`s${i}`));
  expect(EDGES.map((_, i) => found.get(`e${i}`))).toEqual(EDGES.map((text) => `"${text}"`));
});

it("a record that is long for its scores keeps its output", async () => {
  expect((await texts("model_output")).get("many")).toBe("null");
  const [first] = await select("SELECT output FROM trials WHERE trial_id = 'many'");
  const output = String(first?.["output"]);
  expect(memberTexts(output).get("n")).toBe("12345678901234567890");
  expect(memberTexts(output).get("t")).toBe('"a"');
  expect(Object.keys(JSON.parse((await texts("scores")).get("many") ?? "") as object)).toHaveLength(2000);
});

it.each([
  `first line\r\nsecond ${"x ".repeat(50_000)}`,
  `\n \n${"long first line 語 😀 ".repeat(9000)}`,
  `a ${" ".repeat(5000)} b${"x".repeat(100_000)}`,
  `\\"${"q\\".repeat(60_000)}`,
])("the line of a long text is told by its beginning: %#", (text) => {
  const json = JSON.stringify(text);
  expect(lineOfStart(json.slice(0, 70_000))).toBe(outputLineOf(json));
});

it.each([" ".repeat(100_000) + "x", '[{"role":"user"}]'.padEnd(90_000), "short"])(
  "a beginning that does not tell the line says so: %#",
  (text) => {
    expect(lineOfStart(JSON.stringify(text).slice(0, 70_000))).toBeNull();
  },
);
