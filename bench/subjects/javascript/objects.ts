import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import stringify from "fast-json-stable-stringify";
import {
  asObject,
  isScoreCall,
  joinChildren,
  opName,
  sumTokens,
  type ChildFacts,
  type TrialFacts,
  type TrialRecord,
} from "../trial-record.ts";

/** All that questions need of the calls, as objects. */
export interface Objects {
  readonly trials: Map<string, TrialRecord[]>;
  readonly roots: Map<string, Record<string, unknown>>;
  readonly rows: Map<string, unknown>;
}

const rowReference = "/attr/rows/id/";

export async function readRows(file: string, into: Objects): Promise<void> {
  for await (const line of lines(file)) {
    const row = asObject(JSON.parse(line));
    into.rows.set(String(row["digest"]), row["val"]);
  }
}

export async function readCalls(
  calls: AsyncIterable<unknown> | Iterable<unknown>,
  into: Objects,
): Promise<void> {
  const children = new Map<string, ChildFacts[]>();
  const trials: TrialFacts[] = [];
  for await (const value of calls) {
    const call = asObject(value);
    const name = opName(String(call["op_name"]));
    if (name === "Evaluation.predict_and_score") trials.push(trialFacts(call));
    else if (typeof call["parent_id"] === "string") {
      const child = childFacts(call, name, call["parent_id"]);
      const siblings = children.get(child.parentId);
      if (siblings === undefined) children.set(child.parentId, [child]);
      else siblings.push(child);
    } else into.roots.set(String(call["id"]), call);
  }
  for (const trial of trials) {
    const record = joinChildren(trial, children.get(trial.id) ?? []);
    const list = into.trials.get(trial.evaluationId);
    if (list === undefined) into.trials.set(trial.evaluationId, [record]);
    else list.push(record);
  }
}

export async function* parseLines(file: string): AsyncGenerator {
  for await (const line of lines(file)) yield JSON.parse(line);
}

function lines(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file, { highWaterMark: 1 << 20 }) });
}

function trialFacts(call: Record<string, unknown>): TrialFacts {
  const inputs = asObject(call["inputs"]);
  return {
    id: String(call["id"]),
    evaluationId: String(call["parent_id"]),
    digest: rowDigest(inputs["example"]),
    startedAt: microseconds(String(call["started_at"])),
    model: typeof inputs["model"] === "string" ? inputs["model"] : null,
    example: inputs["example"] ?? null,
    output: call["output"],
  };
}

function childFacts(call: Record<string, unknown>, name: string, parentId: string): ChildFacts {
  const { self } = asObject(call["inputs"]);
  return {
    id: String(call["id"]),
    parentId,
    opName: name,
    self: typeof self === "string" ? self : null,
    isScore: isScoreCall(call["attributes"]),
    startedAt: microseconds(String(call["started_at"])),
    endedAt: typeof call["ended_at"] === "string" ? microseconds(call["ended_at"]) : null,
    tokens: sumTokens(call["summary"]),
  };
}

function rowDigest(example: unknown): string {
  if (typeof example === "string" && example.includes(rowReference))
    return example.slice(example.lastIndexOf("/") + 1);
  return createHash("sha256")
    .update(stringify(example ?? null))
    .digest("base64url");
}

/** Of a time with six decimals in UTC. */
function microseconds(text: string): number {
  return Date.parse(`${text.slice(0, 19)}Z`) * 1000 + Number(text.slice(20, 26));
}
