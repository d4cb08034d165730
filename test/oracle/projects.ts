import * as fc from "fast-check";

import type { OracleEvent } from "./calls.ts";
import { valueDigest } from "./digests.ts";
import { parseJson } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { json, number, objectOf, scalar } from "./values.ts";

export const PROJECTS: readonly string[] = ["acme/qa", "Ä & Söhne/数据 100%"];
export const EVALUATIONS: readonly string[] = ["e1", "e2", "e3"];

type Members = Readonly<Record<string, Json | undefined>>;

function object(members: Members): JsonObject {
  const present = Object.entries(members).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return new Map(present);
}

function shuffled(value: JsonObject): fc.Arbitrary<JsonObject> {
  const members = [...value];
  return fc
    .shuffledSubarray(members, { minLength: members.length, maxLength: members.length })
    .map((order) => new Map(order));
}

function maybe<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined });
}

function often<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 12 });
}

// The first two are one instant.
const startedAt = fc.constantFrom(
  "2025-03-01T10:00:00Z",
  "2025-03-01T12:00:00.000+02:00",
  "2025-03-01T10:00:00.000001Z",
  "2025-03-01T10:00:00.5Z",
  "2025-03-01T09:59:59.999999+00:00",
);
const endedAt = fc.constantFrom(
  "2025-03-01T10:00:02Z",
  "2025-03-01T10:00:02.25Z",
  "2025-03-01T13:00:01.000001+01:00",
);

const MODEL = "svc:///acme/qa/object/model:v1";
const modelRef = fc.constantFrom<Json>(MODEL, "svc:///acme/qa/object/model:v2", 5);
// Whole op names of children, and a name within one.
const opRef = fc.constantFrom<Json>(
  "format",
  "a",
  "AccScorer",
  "svc:///acme/predict/op/format:v1",
  "acc.score",
);

function reference(id: string, scheme = "svc"): string {
  return `${scheme}:///acme/qa/object/data:v1/attr/rows/id/${id}`;
}

const INLINE: Json = parseJson('{"a":2}');
const EXAMPLES: readonly Json[] = [
  parseJson('{"a":1,"b":"x"}'),
  parseJson('{"b":"x","a":1}'),
  parseJson('{"b":"x","a":1.0}'),
  INLINE,
  parseJson('{"a":"é","b":[0.5,{"a":"ab"}]}'),
  parseJson('{"a":9007199254740992}'),
  parseJson('{"a":9007199254740993}'),
  parseJson('{"a":{"10":1,"2":2}}'),
  parseJson('{"a":{"2":2,"10":1}}'),
  parseJson('{"__proto__":1,"":2,"a.b":0.3}'),
  null,
  true,
  0.1,
  "hello",
  "[1,0.5]",
  parseJson("[1,0.5]"),
  reference("r1"),
  reference("r1"),
  reference("r1", "weave"),
  reference("r2"),
  reference("r10"),
  reference("42"),
  reference(valueDigest(INLINE)),
  reference("a/b"),
  reference(""),
  "/attr/rows/id/r1",
];

const example = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...EXAMPLES.slice(0, 4), reference("r1"), reference("r2")) },
  { weight: 1, arbitrary: fc.constantFrom(...EXAMPLES) },
);

const datasetRow: fc.Arbitrary<JsonObject> = fc
  .record({
    project_id: fc.constantFrom(...PROJECTS),
    digest: fc.constantFrom(undefined, "r1", "r2", "42", valueDigest(INLINE), valueDigest(null)),
    val: fc.oneof(json(2), fc.constantFrom(...EXAMPLES)),
  })
  .map(object);

const scores: fc.Arbitrary<Json> = fc.oneof(
  { weight: 8, arbitrary: objectOf(json(2), ["acc", "judge"]) },
  { weight: 1, arbitrary: scalar },
);

const latency = fc.oneof(number, fc.constantFrom<Json>(true, "1", null, 9007199254740993n));

const modelOutput = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 6, arbitrary: json(1) },
  { weight: 6, arbitrary: objectOf(json(1), ["a", "b"]) },
);

const trialOutput: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({
        output: fc.option(modelOutput, { nil: undefined, freq: 4 }),
        model_output: fc.option(modelOutput, { nil: undefined, freq: 1 }),
        scores: often(scores),
        model_latency: maybe(
          fc.oneof(
            latency,
            latency.map((mean) => object({ mean })),
          ),
        ),
        a: maybe(json(1)),
      })
      .chain((members) => shuffled(object(members))),
  },
  { weight: 1, arbitrary: scalar },
);

const summary: fc.Arbitrary<Json> = fc
  .array(
    fc.tuple(
      fc.constantFrom("gpt", "gpt-4.1", "__proto__"),
      fc.oneof(
        fc.constantFrom<Json>(0, 7, 120, true, "9", null).map((total) => object({ total_tokens: total })),
        scalar,
      ),
    ),
    { maxLength: 3 },
  )
  .map((usage) => object({ usage: new Map(usage) }));

const attributes: fc.Arbitrary<Json> = fc
  .constantFrom(
    "{}",
    '{"svc":{"score":true}}',
    '{"svc":{"score":"true","scorer":"svc:///acme/qa/object/judge:v1"}}',
    '{"weave":{"score":"true","scorer":"weave:///acme/qa/op/acc:v1"}}',
    '{"svc":{"score":"true","scorer":"judge"}}',
    '{"svc":{"score":"True"}}',
    '{"svc":{"score":1}}',
    '{"svc":"score"}',
    '{"_weave_eval_meta":{"score":true}}',
    '{"_weave_eval_meta":{"score":{}}}',
    '{"_weave_eval_meta":{"score":0}}',
    '{"_weave_eval_meta":{"score":""}}',
  )
  .map(parseJson);

const childOp = fc.constantFrom(
  "Model.predict",
  "PREDICT",
  "svc:///acme/qa/op/Model.Invoke:v1",
  "svc:///acme/predict/op/format:v1",
  "svc:///acme/qa/op/acc.score:v2",
  "weave:///acme/qa/op/Judge.score:*",
  "AccScorer",
  "a",
  "format",
);

const trialOp = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "Evaluation.predict_and_score",
      "Evaluation.predictAndScore",
      "svc:///acme/qa/op/Evaluation.predict_and_score:v1",
      "weave:///acme/qa/op/Evaluation.predictAndScore:*",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "evaluation.predict_and_score",
      "Evaluation.predict_and_score.x",
      "svc:///acme/qa/object/Evaluation.predict_and_score:v1",
      "Evaluation.summarize",
    ),
  },
);

type Node = { readonly members: Members; readonly children: readonly Node[] };

function node(
  members: Readonly<Record<string, fc.Arbitrary<Json | undefined>>>,
  children: fc.Arbitrary<Node[]>,
): fc.Arbitrary<Node> {
  return fc.record({
    members: fc.record({ started_at: startedAt, ended_at: maybe(endedAt), ...members }),
    children,
  });
}

const grandchild = node({ op_name: childOp, attributes, output: json(1) }, fc.constant([]));

const child = node(
  {
    op_name: childOp,
    attributes,
    inputs: maybe(fc.oneof(modelRef, opRef).map((self) => object({ self }))),
    output: maybe(json(2)),
    summary: maybe(summary),
  },
  fc.array(grandchild, { maxLength: 1 }),
);

const trial = node(
  {
    op_name: trialOp,
    inputs: fc.record({ example: often(example), model: maybe(fc.oneof(modelRef, opRef)) }).map(object),
    output: often(trialOutput),
    summary: maybe(summary),
    trace_id: maybe(fc.constantFrom("trace1")),
  },
  fc.array(child, { maxLength: 3 }),
);

const root = node(
  {
    op_name: fc.constantFrom("Evaluation.evaluate", "svc:///acme/qa/op/Evaluation.evaluate:v1"),
    inputs: fc
      .record({
        self: maybe(fc.constantFrom<Json>("svc:///acme/qa/object/eval:v1", 1)),
        this: maybe(fc.constantFrom<Json>("svc:///acme/qa/object/eval:v2", false)),
        model: maybe(modelRef),
      })
      .map(object),
    display_name: maybe(fc.constantFrom("first", "second")),
    trace_id: maybe(fc.constantFrom("trace1", "trace2")),
  },
  fc.array(trial, { minLength: 2, maxLength: 6, size: "max" }),
);

// Every parent has its own ids, so that an id has one parent wherever its records arrive.
function recordsOf(
  { members, children }: Node,
  project: string,
  id: string,
  parent: string | undefined,
): (readonly [string, JsonObject])[] {
  const own = object({ project_id: project, id, parent_id: parent, ...members });
  const below = children.flatMap((inner, index) => recordsOf(inner, project, `${id}-${index + 1}`, id));
  return [[id, own], ...below];
}

const END_MEMBERS = new Set(["ended_at", "output", "summary"]);
const REQUIRED = new Set(["id", "project_id", "op_name", "started_at"]);

function startRecord(record: JsonObject): JsonObject {
  return new Map([...record].map(([key, value]) => [key, END_MEMBERS.has(key) ? null : value]));
}

function endRecord(record: JsonObject): JsonObject {
  return new Map([...record].filter(([key]) => END_MEMBERS.has(key) || REQUIRED.has(key)));
}

function arrivalsOf(record: JsonObject, manner: number): JsonObject[] {
  if (manner < 5) return [record];
  if (manner < 8) return [startRecord(record), endRecord(record)];
  if (manner === 8) return [record, record];
  const update = object({ output: null, inputs: new Map(), custom: 1 });
  return [record, new Map([...record, ...update])];
}

const projectRecords: fc.Arbitrary<JsonObject[]> = fc
  .record({
    project: fc.oneof(
      { weight: 6, arbitrary: fc.constant("acme/qa") },
      { weight: 1, arbitrary: fc.constantFrom(...PROJECTS.slice(1)) },
    ),
    trees: fc.tuple(often(root), often(root), maybe(root)),
    rootless: fc.constantFrom(undefined, undefined, undefined, "e1", "e2"),
  })
  .chain(({ project, trees, rootless }) => {
    const all = trees
      .flatMap((tree, index) => (tree ? recordsOf(tree, project, `e${index + 1}`, undefined) : []))
      .flatMap(([id, own]) => (id === rootless ? [] : [own]));
    return fc
      .array(fc.nat({ max: 9 }), { minLength: all.length, maxLength: all.length })
      .map((manners) => all.flatMap((record, index) => arrivalsOf(record, manners[index] ?? 0)));
  });

const callId = fc.constantFrom("e2", "e1-1", "e1-2", "e2-1", "e3-1", "e1-1-1", "e2-1-1", "e1-1-2");

const deletion: fc.Arbitrary<OracleEvent> = fc.record({
  kind: fc.constant("delete" as const),
  project_id: fc.constantFrom(...PROJECTS),
  id: callId,
});

const deletedRecord: fc.Arbitrary<JsonObject> = fc
  .record({
    project_id: fc.constantFrom(...PROJECTS),
    id: callId,
    op_name: trialOp,
    started_at: startedAt,
    deleted_at: endedAt,
  })
  .map(object);

// Up to two projects with the same ids, everything in random order of arrival.
export const events: fc.Arbitrary<OracleEvent[]> = fc
  .record({
    projects: fc.array(projectRecords, { minLength: 1, maxLength: 2 }),
    rows: fc.array(datasetRow, { maxLength: 4 }),
    deletions: fc.oneof(
      { weight: 5, arbitrary: fc.constant<OracleEvent[]>([]) },
      { weight: 1, arbitrary: fc.array(deletion, { maxLength: 2 }) },
    ),
    deletedRecords: fc.oneof(
      { weight: 4, arbitrary: fc.constant<JsonObject[]>([]) },
      { weight: 1, arbitrary: fc.array(deletedRecord, { maxLength: 1 }) },
    ),
  })
  .chain(({ projects, rows, deletions, deletedRecords }) => {
    const all: OracleEvent[] = [
      ...[...projects.flat(), ...deletedRecords].map((record) => ({ kind: "call" as const, record })),
      ...rows.map((record) => ({ kind: "row" as const, record })),
      ...deletions,
    ];
    return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length });
  });
