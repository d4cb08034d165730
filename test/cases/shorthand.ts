import { EMPTY, asText, compactText, isList, isObject, objectOr } from "../oracle/json.ts";
import type { Json, JsonObject } from "../oracle/json.ts";
import type { CaseEvent } from "./load.ts";

export const DEFAULT_PROJECT = "acme/qa";

// An event names its kind by its first member:
//   root   an evaluation root with that id
//   trial  a predict-and-score call; `of` evaluation, `row` (dataset row) or `example`, `output` and `scores`
//          of the output object or `result` for all of it, `model`, `children` (calls)
//   call   any other call; `parent`
//   row    a dataset row of that digest (null: none given) with `val`
//   line, row_line   the text of a record
//   delete the id of a call
// Every call takes `op`, `at` (seconds after the start of time here), `seconds` (duration), `self` (inputs.self),
// `score` and `scorer` (attributes), `tokens` (usage). Other members are members of the record as they are.
export function expandEvent(event: Json): CaseEvent[] {
  const shorthand = objectOr(event, EMPTY);
  const project = shorthand.get("project") ?? DEFAULT_PROJECT;
  const [kind = "", subject = null] = [...shorthand][0] ?? [];
  switch (kind) {
    case "root":
      return [call(shorthand, project, { op: "Evaluation.evaluate" })];
    case "call":
      return [call(shorthand, project, { op: "step", parent_id: shorthand.get("parent") })];
    case "trial":
      return trialEvents(shorthand, project);
    case "row":
      return [
        { kind: "row", line: line({ project_id: project, digest: subject, val: shorthand.get("val") }) },
      ];
    case "line":
      return [{ kind: "call", line: asText(subject) }];
    case "row_line":
      return [{ kind: "row", line: asText(subject) }];
    case "delete":
      return [{ kind: "delete", project_id: asText(project), id: asText(subject) }];
    default:
      throw new TypeError(`unknown event ${compactText(event)}`);
  }
}

type Members = Readonly<Record<string, Json | undefined>>;

function object(members: Members): JsonObject {
  const present = Object.entries(members).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return new Map(present);
}

function line(members: Members): string {
  return compactText(object(members));
}

const SHORTHAND = new Set(
  "root trial call project parent of row example output scores result model children op at seconds self score scorer tokens".split(
    " ",
  ),
);

function call(shorthand: JsonObject, project: Json, defaults: Members): CaseEvent {
  const [subject = null] = shorthand.values();
  const own = [...shorthand].filter(
    ([key]) => !SHORTHAND.has(key) || (key === "output" && !shorthand.has("trial")),
  );
  const at = Number(shorthand.get("at") ?? 0);
  const { op, ...others } = defaults;
  const seconds = shorthand.get("seconds");
  const record = object({
    id: subject,
    project_id: project,
    op_name: shorthand.get("op") ?? op,
    started_at: instant(at),
    ended_at: seconds === undefined ? undefined : instant(at + Number(seconds)),
    attributes: attributesOf(shorthand),
    inputs: shorthand.has("self") ? object({ self: shorthand.get("self") }) : undefined,
    summary: usageOf(shorthand),
    ...others,
  });
  return { kind: "call", line: compactText(new Map([...record, ...own])) };
}

function instant(seconds: number): string {
  return new Date(Date.UTC(2025, 0, 1) + seconds * 1000).toISOString();
}

function attributesOf(shorthand: JsonObject): JsonObject | undefined {
  const name = shorthand.get("scorer");
  if (name === undefined && !shorthand.has("score")) return undefined;
  const scorer = name === undefined ? undefined : `svc:///acme/qa/object/${asText(name)}:v1`;
  return object({ svc: object({ score: shorthand.get("score") ?? true, scorer }) });
}

function usageOf(shorthand: JsonObject): JsonObject | undefined {
  const tokens = shorthand.get("tokens");
  if (tokens === undefined) return undefined;
  return object({ usage: object({ "model-1": object({ total_tokens: tokens }) }) });
}

function trialEvents(shorthand: JsonObject, project: Json): CaseEvent[] {
  const [id = null] = shorthand.values();
  const row = shorthand.get("row");
  const example = row === undefined ? shorthand.get("example") : datasetReference(asText(row));
  const output = object({ output: shorthand.get("output"), scores: shorthand.get("scores") });
  const trial = call(shorthand, project, {
    op: "Evaluation.predict_and_score",
    parent_id: shorthand.get("of"),
    inputs: object({ example, model: shorthand.get("model") }),
    output: shorthand.get("result") ?? (output.size > 0 ? output : undefined),
  });
  const children = shorthand.get("children") ?? null;
  const below = (isList(children) ? children : [])
    .filter((child) => isObject(child))
    .map((child) => call(child, child.get("project") ?? project, { op: "step", parent_id: id }));
  return [trial, ...below];
}

function datasetReference(digest: string): string {
  return `svc:///acme/qa/object/data:v1/attr/rows/id/${digest}`;
}
