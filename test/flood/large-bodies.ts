import { PROJECT } from "../support/records.ts";

/** A body that is large in one way. */
export interface LargeBody {
  readonly name: string;
  readonly path: string;
  readonly scheme: "basic" | "bearer";
  readonly text: () => string;
  /** What it must be answered with. */
  readonly status: number;
}

const MILLION = 1_000_000;
const listOf = (item: string, length: number) => `[${Array.from({ length }, () => item).join(",")}]`;
const objectOf = (length: number, value = "1") =>
  `{${Array.from({ length }, (_, i) => `"k${i}":${value}`).join(",")}}`;
const ids = (length: number) => `[${Array.from({ length }, (_, i) => `"id${i}"`).join(",")}]`;

const rowsOf = (length: number) => `[${Array.from({ length }, (_, i) => `{"n":${i}}`).join(",")}]`;

function callOf(members: string, inputs = "{}"): string {
  const times = '"started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z"';
  return `{"project_id":"${PROJECT}","id":"large","trace_id":"t","op_name":"step",${times},"attributes":{},"inputs":${inputs},"summary":{}${members}}`;
}

function trialOf(scores: string): string {
  return callOf(
    `,"parent_id":"e","output":{"output":"x","scores":${scores}}`,
    '{"example":{"n":1},"model":"m"}',
  )
    .replace('"large"', '"large trial"')
    .replace('"step"', '"Evaluation.predict_and_score"');
}

const operandOf = (field: string) => `{"$eq":[{"$getField":"${field}"},{"$literal":"x"}]}`;
const operand = operandOf("id");
const fields = (length: number) => Array.from({ length }, (_, i) => `inputs.f${i}`);
const filtered = (operands: string) => `{"filters":[{"query":{"$expr":{"$or":${operands}}}}]}`;
const nots = (depth: number) => `${'{"$not":'.repeat(depth)}${operand}${"}".repeat(depth)}`;
const condition = (expression: string) => `{"project_id":"${PROJECT}","query":{"$expr":${expression}}}`;
const filter = (members: string) => `{"project_id":"${PROJECT}","filter":{${members}}}`;

type Spec = readonly [name: string, path: string, status: number, text: () => string];

const results = `/v2/${PROJECT}/eval_results/query`;
const complete = `/v2/${PROJECT}/calls/complete`;
const jobs = "/v1/preview/training-jobs";
const job = (groups: string) =>
  `{"model_id":"0198b0d4-0000-4000-8000-00000000000a","trajectory_groups":${groups}}`;
const trajectories = (length: number) =>
  `{"trajectories":${listOf('{"reward":1,"metrics":{"a":1}}', length)}}`;

/** Text of 30 MB, and beyond what one value may have. */
const LONG_TEXTS = [
  ["letters", 200, "a", 30 * MILLION],
  ["escapes", 200, "\\n", 15 * MILLION],
  ["quotes", 200, '\\"', 15 * MILLION],
  ["letters beyond ASCII", 200, "é", 15 * MILLION],
  ["twice as many letters", 422, "a", 60 * MILLION],
] as const;
const LONG_NAMES = objectOf(900).replaceAll('"k', `"${"k".repeat(20_000)}`);

const SPECS: readonly Spec[] = [
  ...["/calls/stream_query", "/calls/query_stats", "/feedback/query"].flatMap((path): Spec[] => [
    ["20,000 operands", path, 422, () => condition(`{"$and":${listOf(operand, 20_000)}}`)],
    ["a million options", path, 422, () => condition(`{"$in":[{"$getField":"id"},${listOf("1", MILLION)}]}`)],
    ["a million operators", path, 422, () => condition(objectOf(MILLION))],
    ["400 nested operands", path, 422, () => condition(nots(400))],
  ]),
  ["100,000 ids", "/calls/query_stats", 200, () => filter(`"call_ids":${ids(100_000)}`)],
  ["100,000 parents", "/calls/query_stats", 200, () => filter(`"parent_ids":${ids(100_000)}`)],
  ["a million ids", "/calls/query_stats", 422, () => filter(`"call_ids":${ids(MILLION)}`)],
  ["190,000 numbers for ids", "/calls/query_stats", 422, () => filter(`"call_ids":${listOf("1", 190_000)}`)],
  ["100,000 objects", "/objs/query", 200, () => filter(`"object_ids":${ids(100_000)}`)],
  ["100,000 classes", "/objs/query", 200, () => filter(`"base_object_classes":${ids(100_000)}`)],
  ["five million references", "/refs/read_batch", 422, () => `{"refs":${listOf('""', 5 * MILLION)}}`],
  [
    "a long order",
    "/objs/query",
    422,
    () => filter("").replace(/\}\}$/, `},"sort_by":${listOf('{"field":"object_id"}', 50_000)}}`),
  ],
  [
    "an object of a million members",
    complete,
    422,
    () => `{"batch":[${callOf(`,"output":${objectOf(MILLION)}`)}]}`,
  ],
  [
    "a list of 20 million",
    complete,
    422,
    () => `{"batch":[${callOf(`,"output":${listOf("1", 20 * MILLION)}`)}]}`,
  ],
  [
    "a number of a million digits",
    complete,
    422,
    () => `{"batch":[${callOf(`,"output":${"1".repeat(MILLION)}`)}]}`,
  ],
  ["30 MB of blanks", complete, 422, () => `{"batch":[${callOf(`,"output":${" ".repeat(30 * MILLION)}1`)}]}`],
  ...LONG_TEXTS.flatMap(([what, status, unit, length]): Spec[] => {
    const text = () => `"${unit.repeat(length)}"`;
    return [
      [`a call of 30 MB of ${what}`, complete, status, () => `{"batch":[${callOf(`,"output":${text()}`)}]}`],
      [
        `an object of 30 MB of ${what}`,
        "/obj/create",
        status,
        () => `{"obj":{"project_id":"${PROJECT}","object_id":"o","val":${text()}}}`,
      ],
      [
        `a row of 30 MB of ${what}`,
        "/table/create",
        status,
        () => `{"table":{"project_id":"${PROJECT}","rows":[{"a":${text()}}]}}`,
      ],
    ];
  }),
  [
    "20 conditions on calls of 30 MB",
    "/calls/stream_query",
    200,
    () =>
      condition(
        `{"$and":${listOf('{"$not":[{"$contains":{"input":{"$getField":"output"},"substr":{"$literal":"z"},"case_insensitive":true}}]}', 20)}}`,
      ).replace('"query"', '"columns":["id"],"query"'),
  ],
  ["900 long names", complete, 422, () => `{"batch":[${callOf(`,"output":${LONG_NAMES}`)}]}`],
  [
    "a table of a million rows",
    "/table/create",
    200,
    () => `{"table":{"project_id":"${PROJECT}","rows":${rowsOf(MILLION)}}}`,
  ],
  ["a trial of 2,000 dimensions", complete, 200, () => `{"batch":[${trialOf(objectOf(2000))}]}`],
  ["a trial of 400,000 dimensions", complete, 422, () => `{"batch":[${trialOf(objectOf(400_000))}]}`],
  ["a trial of 12,000 dimensions", complete, 422, () => `{"batch":[${trialOf(objectOf(12_000))}]}`],
  [
    "a value of a million members",
    "/obj/create",
    422,
    () => `{"obj":{"project_id":"${PROJECT}","object_id":"o","val":${objectOf(MILLION)}}}`,
  ],
  [
    "a row of a million members",
    "/table/create",
    422,
    () => `{"table":{"project_id":"${PROJECT}","rows":[${objectOf(MILLION)}]}}`,
  ],
  [
    "two million row digests",
    "/table/create_from_digests",
    422,
    () => `{"project_id":"${PROJECT}","row_digests":${listOf('""', 2 * MILLION)}}`,
  ],
  ["a million members of feedback", "/feedback/create", 422, () => objectOf(MILLION)],
  ["a million unknown members", results, 422, () => objectOf(MILLION)],
  ["1,000 unknown members", results, 422, () => objectOf(1000)],
  ["a filter of 8,000 operands", results, 422, () => filtered(listOf(operand, 8000))],
  ["a filter of 3,200 operands", results, 200, () => filtered(listOf(operandOf("inputs.n"), 3200))],
  ["a filter of 3,200 unknown operators", results, 422, () => filtered(listOf('{"$is":1}', 3200))],
  ["a filter of 1,000 fields", results, 422, () => filtered(`[${fields(1000).map(operandOf).join(",")}]`)],
  ["an order of 3,000 keys", results, 422, () => `{"sort_by":${listOf('{"field":"inputs.n"}', 3000)}}`],
  ...(["\\n", "é"] as const).map((unit): Spec => [
    `a trajectory of 60 MB of ${unit}`,
    jobs,
    200,
    () =>
      job(
        `[{"trajectories":[{"reward":1,"messages_and_choices":[{"role":"user","content":"${unit.repeat(30 * MILLION)}"}]}]}]`,
      ),
  ]),
  ["a job of 500,000 values", jobs, 200, () => job(listOf(trajectories(1000), 100))],
];

export const LARGE_BODIES: readonly LargeBody[] = SPECS.map(([name, path, status, text]) => ({
  name: `${name} to ${path}`,
  path,
  scheme: path.startsWith("/v1/") ? "bearer" : "basic",
  text,
  status,
}));
