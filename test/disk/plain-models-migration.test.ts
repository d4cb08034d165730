import { expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { migrated } from "../support/older-file.ts";
import { randomProjects } from "../support/random-projects.ts";
import { call, root, stream, trial } from "../support/records.ts";

const SEED = Number(process.env["SEED"] ?? 1010);

const ANSWER = "svc:///acme/qa/op/answer:v1";
const ended = (second: string) => ({ ended_at: `2026-01-01T00:00:${second}` });

/** A trial whose model is a plain op, and its children. */
function plain(
  id: string,
  children: readonly Record<string, unknown>[],
  others: Record<string, unknown> = {},
) {
  const { model = ANSWER, ...members } = others;
  return [
    trial(id, { id }, {}, { inputs: { example: { id }, model }, ...members }),
    ...children.map((child, i) =>
      call(`${id}-${i}`, { parent_id: id, op_name: ANSWER, ...ended(`0${i + 1}Z`), ...child }),
    ),
  ];
}

const usage = (models: Record<string, unknown>) => ({ summary: { usage: models } });
const scored = (mark: unknown) => ({ attributes: { _weave_eval_meta: { score: mark } } });

const RECORDS = [
  root("e"),
  ...plain("first", [{ started_at: "2026-01-01T00:00:00.5Z" }, {}, { op_name: "step" }]),
  ...plain("none", [{ op_name: "svc:///acme/qa/op/answer:v2" }, { op_name: "answer" }]),
  ...plain("number", [{ op_name: "5" }], { model: 5 }),
  ...plain("named", [{}, { op_name: "predict" }]),
  ...plain("same", [{}, { op_name: "step", inputs: { self: ANSWER } }]),
  ...plain("failed", [{ exception: "boom" }]),
  ...plain("failed-itself", [{ exception: "boom" }], { exception: "boom" }),
  ...plain("unfinished", [{ ended_at: null }], { output: { output: 1, model_latency: 0.25 } }),
  ...plain("reported", [{ ended_at: null }], { output: { model_latency: { mean: 3 } } }),
  ...plain("tokens", [
    usage({ "a.b": { total_tokens: 1 }, "": { total_tokens: 2.5 }, c: { total_tokens: "3" }, d: 4 }),
  ]),
  ...plain("no-tokens", [usage({ a: { total_tokens: null } })], usage({ a: { total_tokens: 7 } })),
  ...plain("no-summary", [{ summary: {} }], usage({ a: { total_tokens: 7 } })),
  ...[true, "yes", 0.5, [], {}, false, 0, "", null].flatMap((mark, i) => plain(`mark${i}`, [scored(mark)])),
  ...plain("marked", [
    { attributes: { svc: { score: true } } },
    { attributes: { weave: { score: "true" } } },
    { attributes: { svc: { score: "True" }, other: { score: true } } },
  ]),
  ...plain("ahead", [
    { started_at: "2026-01-01T02:30:00.25+02:30", ended_at: "2026-01-01t00:00:01,123456789z" },
  ]),
  ...plain("behind", [{ started_at: "2025-12-31T22:00-0200", ended_at: "2025-12-31 21:30:03.5-02:31" }]),
  ...plain("deleted", [{ deleted_at: "2026-01-02T00:00:00Z" }, {}]),
  ...plain("elsewhere", [{ project_id: "acme/other" }]),
  ...hostileTexts.flatMap((text, i) => plain(`hostile${i}`, [{ op_name: text }], { model: text })),
  trial("plain-latency", { q: 1 }, {}, { output: { model_latency: 1.5 } }),
  trial("latency-of-child", { q: 2 }, {}, { output: { model_latency: 1.5 } }),
  call("latency-child", { parent_id: "latency-of-child", op_name: "predict", ...ended("09Z") }),
  trial("latency-in-text", { q: 3 }, {}, { output: { a: '"model_latency":1', model_latency: "2" } }),
];

/** What only a text of JSON can say: `OP` and `MODEL` for the members of interest, of a child and of a trial. */
const SPELLED: readonly (readonly [child: string, trial: string])[] = [
  ['"op_name":"\\u0061\\\\b/\\ud83d\\ude00"', '"model":"a\\\\b/😀"'],
  ['"op_name":"a\\ud800"', '"model":"a\\ud800"'],
  ['"op_name":"a\\ud800"', '"model":"a\\ufffd"'],
  ['"op_name":"a\\\\ud800","x":"\\udc00"', '"model":"a\\\\ud800"'],
  ['"op_name":"\\ud83d\\ude00\\\\","x":"\\udc00"', '"model":"😀\\\\"'],
  ['"op_name":"b","op_name":"a"', '"model":"b","model":"a"'],
  ['"op_name":"a","op_name":"b"', '"model":"a"'],
  ['"op_name":"a","attributes":{"svc":{"score":true,"score":0}}', '"model":"a"'],
  ['"op_name":"a","attributes":{"_weave_eval_meta":{"score":-0.0}}', '"model":"a"'],
  ['"op_name":"a","attributes":{"_weave_eval_meta":{"score":1e-400}}', '"model":"a"'],
  ['"op_name":"a","attributes":{"_weave_eval_meta":{"score":1e400}}', '"model":"a"'],
  ['"op_name":"a","attributes":{"svc":{"score":"\\u0074rue"}}', '"model":"a"'],
  [
    '"op_name":"a","summary":{"usage":{"x":{"total_tokens":12345678901234567890},"x":{"total_tokens":5}}}',
    '"model":"a"',
  ],
  ['"op_name":"a","summary":{"usage":{"x":{"total_tokens":1e400}}}', '"model":"a"'],
  [
    '"op_name":"a","summary":{"usage":{"x":{"total_tokens":1e308},"y":{"total_tokens":1e308}}}',
    '"model":"a"',
  ],
  ['"op_name":"a"', '"model":"a"},"summary":{"usage":{"x":{"total_tokens":1e400}}},"y":{"z":1'],
  ['"op_name":"step"', '"model":"a"},"summary":{"usage":{"x":{"total_tokens":1e400}}},"y":{"z":1'],
  ['"op_name":"step"', '"model":"a"},"output":{"model_latency":1e400},"y":{"z":1'],
  ['"op_name":"step"', '"model":"a"},"output":{"model_latency":12345678901234567890},"y":{"z":1'],
  ['"op_name":"step"', '"model":"a"},"output":{"model_latency":-0,"\\ud800":1},"y":{"z":1'],
  ['"op_name":"step"', '"model":"a"},"output":{"model_latency":1,"model_latenc\\u0079":2},"y":{"z":1'],
  ['"op_name":"step"', '"model":"a"},"output":{"model_latency":{"mean":1e400}},"y":{"z":1'],
];

function spelledLines(): string {
  const start = '"project_id":"acme/qa","started_at":"2026-01-01T00:00:00Z"';
  const lines = SPELLED.flatMap(([child, own], i) => [
    ` { ${start},"id":"t${i}","parent_id":"e","op_name":"Evaluation.predict_and_score","inputs":{"example":${i},${own}}}`,
    `{"id":"p${i}","parent_id":"t${i}",${child},${start},"ended_at":"2026-01-01T00:00:01Z"}`,
  ]);
  return lines.join("\n");
}

async function load(engine: Engine): Promise<void> {
  await engine.ingestCalls(RECORDS);
  await engine.ingestCalls(stream([spelledLines()]));
  const late = plain("late", [{}]);
  for (const record of [...late.toReversed(), { ...late[1], output: 1 }]) await engine.ingestCalls([record]);
  await engine.ingestCalls(plain("hidden", [{}, {}]));
  await engine.deleteCalls("acme/qa", ["hidden-0"]);
}

it.each([true, false])(
  "gives an older file what loading its calls anew gives (indexes: %s)",
  async (indexed) => {
    expect(await migrated(["acme/qa"], load, { indexed })).toBeGreaterThan(30);
  },
);

it("knows the conventions of the file", async () => {
  const namespace = 'a/b~c.$"\\';
  const records = [
    root("e"),
    ...plain("own", [
      { attributes: { [namespace]: { score: true } } },
      { attributes: { svc: { score: true } } },
    ]),
  ];
  const options = { attributeNamespaces: [namespace] };
  const loadOwn = async (engine: Engine) => {
    await engine.ingestCalls(records);
    const { rows } = await engine.queryEvalResults("acme/qa", { evaluation_call_ids: ["e"] });
    expect(rows[0]?.evaluations[0]?.trials[0]?.predict_call_id).toBe("own-1");
  };
  expect(await migrated(["acme/qa"], loadOwn, options)).toBe(1);
});

it(`does so for random projects (SEED=${SEED})`, async () => {
  const projects = randomProjects(SEED, 6);
  expect(await migrated(projects.names, projects.load)).toBeGreaterThan(5);
});
