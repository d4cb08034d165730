import { gzipSync } from "node:zlib";
import { formOf } from "../support/cut-bodies.ts";
import { PROJECT } from "../support/records.ts";

/** A body that is large in one way. */
export interface LargeBody {
  readonly name: string;
  readonly path: string;
  readonly scheme: "basic" | "bearer";
  readonly text: () => string;
  /** What it must be answered with. */
  readonly status: number;
  /** The content type. */
  readonly type: string;
  /** Whether it is sent as gzip. */
  readonly packed: boolean;
  /** The names of those that must be stored before it, since they are what it reads. */
  readonly reads: readonly string[];
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

type Spec = readonly [
  name: string,
  path: string,
  status: number,
  text: () => string,
  how?: Partial<Pick<LargeBody, "type" | "packed" | "reads">>,
];

const results = `/v2/${PROJECT}/eval_results/query`;
const complete = `/v2/${PROJECT}/calls/complete`;
const jobs = "/v1/preview/training-jobs";
const MODEL_ID = "0198b0d4-0000-4000-8000-00000000000a";
const job = (groups: string) => `{"model_id":"${MODEL_ID}","split":"val","trajectory_groups":${groups}}`;
/** Trajectories of a megabyte each. */
const long = (length: number) =>
  job(
    `[{"trajectories":${listOf(`{"messages_and_choices":[{"role":"user","content":"${"a \\n".repeat(250_000)}"}]}`, length)}}]`,
  );
const note = (payload: string) =>
  `{"project_id":"${PROJECT}","svc_ref":"svc:///${PROJECT}/call/c","feedback_type":"custom","payload":${payload}}`;
const chat = (members: string) =>
  `{"model":"m"${members},"messages":[{"role":"user","content":"${"a\\n".repeat(10 * MILLION)}"}]}`;
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
const CALLS = [`a call of 30 MB of quotes to ${complete}`];
const TRIAL = [`a trial of 30 MB to ${complete}`];
const OBJECT = ["an object of 30 MB of quotes to /obj/create"];
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
  ...(["a", "[]", "a1", " "] as const).map((unit): Spec => [
    `60 MB of ${JSON.stringify(unit)}`,
    complete,
    unit === " " ? 200 : 422,
    () => `{"batch":[${unit.repeat((60 * MILLION) / unit.length)}]}`,
  ]),
  [
    "60 MB of digits over members before a batch",
    complete,
    422,
    () =>
      `{${Array.from({ length: 8 }, (_, i) => `"x${i}":[${listOf("1234567", 900_000)}],`).join("")}"batch":[]}`,
  ],
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
    { reads: CALLS },
  ],
  ...[complete, "/call/upsert_batch", jobs].map((path): Spec => [
    "a million members before a list",
    path,
    422,
    () => `{${objectOf(MILLION).slice(1, -1)},"batch":[],"trajectory_groups":[]}`,
  ]),
  ["900 long names", complete, 422, () => `{"batch":[${callOf(`,"output":${LONG_NAMES}`)}]}`],
  [
    "a table of a million rows",
    "/table/create",
    200,
    () => `{"table":{"project_id":"${PROJECT}","rows":${rowsOf(MILLION)}}}`,
  ],
  [
    "a table of 300,000 rows of numbers that are not stored as they were sent",
    "/table/create",
    200,
    () =>
      `{"table":{"project_id":"${PROJECT}","rows":${rowsOf(300_000).replaceAll("}", `.0,"s":"${"a".repeat(40)}"}`)}}}`,
  ],
  [
    "a million unknown row digests",
    "/table/create_from_digests",
    400,
    () => `{"project_id":"${PROJECT}","row_digests":${ids(MILLION)}}`,
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
  [
    "a filter of 3,200 operands",
    results,
    200,
    () => filtered(listOf(operandOf("inputs.n"), 3200)),
    { reads: TRIAL },
  ],
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
  ["a job of 200 MB", jobs, 200, () => long(200)],
  ["a log of 200 MB", `/v1/preview/models/${MODEL_ID}/log`, 404, () => long(200)],
  ["30 million strings without commas", complete, 422, () => `{"batch":[${'""'.repeat(15 * MILLION)}]}`],
  [
    "20 million values beside a batch",
    complete,
    422,
    () => `{"x":1,"batch":[],"y":${listOf("1", 20 * MILLION)}}`,
  ],
  [
    "a list of 20 million before a batch",
    complete,
    422,
    () => `{"y":${listOf("1", 20 * MILLION)},"batch":[]}`,
  ],
  [
    "a packed list of 20 million",
    complete,
    422,
    () => `{"batch":[${listOf("1", 20 * MILLION)}]}`,
    { packed: true },
  ],
  [
    "a packed call of 30 MB",
    complete,
    200,
    () => `{"batch":[${callOf(`,"output":"${"a".repeat(30 * MILLION)}"`)}]}`,
    { packed: true },
  ],
  [
    "a start of 30 MB",
    "/call/upsert_batch",
    200,
    () =>
      `{"batch":[{"mode":"start","req":{"start":${callOf("", `{"x":"${'\\"'.repeat(15 * MILLION)}"}`)}}}]}`,
  ],
  [
    "15 MB of feedback",
    "/feedback/batch/create",
    200,
    () => `{"batch":${listOf(note(`{"note":"${"é\\n".repeat(250_000)}"}`), 15)}}`,
  ],
  [
    "25,000 remarks",
    "/feedback/batch/create",
    200,
    () => `{"batch":${listOf(note('{"note":"x"}'), 25_000)}}`,
  ],
  [
    "60,000 ids to purge",
    "/feedback/purge",
    200,
    () => condition(`{"$in":[{"$getField":"id"},${listOf('{"$literal":"x"}', 60_000)}]}`),
  ],
  [
    "a file of 100 MB",
    "/file/create",
    200,
    () => formOf(PROJECT, "a".repeat(100 * MILLION)).body.toString("latin1"),
    { type: formOf(PROJECT, "").type },
  ],
  ["a prompt of 30 MB", "/v1/chat/completions", 200, () => chat("")],
  ["a prompt of 20 MB of quotes", "/v1/chat/completions", 200, () => chat("").replaceAll("a\\n", '\\"')],
  ["a prompt of 30 MB whose answer is a stream", "/v1/chat/completions", 200, () => chat(',"stream":true')],
  [
    "a trial of 30 MB",
    complete,
    200,
    () => `{"batch":[${trialOf("{}").replace('"output":"x"', `"output":"${"é".repeat(15 * MILLION)}"`)}]}`,
  ],
  [
    "rows of 30 MB",
    results,
    200,
    () => '{"evaluation_call_ids":["e"],"include_raw_data_rows":true}',
    { reads: TRIAL },
  ],
  ["calls of 30 MB", "/calls/stream_query", 200, () => `{"project_id":"${PROJECT}"}`, { reads: CALLS }],
  [
    "an object of 30 MB",
    "/obj/read",
    200,
    () => `{"project_id":"${PROJECT}","object_id":"o","digest":"latest"}`,
    { reads: OBJECT },
  ],
  [
    "calls of 30 MB in the order of their outputs",
    "/calls/stream_query",
    200,
    () => `{"project_id":"${PROJECT}","sort_by":[{"field":"output"}],"columns":["id"]}`,
    { reads: CALLS },
  ],
  ["objects of 30 MB", "/objs/query", 200, () => filter('"latest_only":true'), { reads: OBJECT }],
];

export const LARGE_BODIES: readonly LargeBody[] = SPECS.map(([name, path, status, text, how = {}]) => ({
  type: "application/json",
  packed: false,
  reads: [],
  ...how,
  name: `${name} to ${path}`,
  path,
  scheme: path.startsWith("/v1/") ? "bearer" : "basic",
  text,
  status,
}));

/** A body as it is sent. */
export function bytesOf({ text, packed }: LargeBody): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(text());
  return packed ? gzipSync(bytes) : bytes;
}
