import { EvalcubeError } from "../../src/index.ts";

export const PROJECT = "acme/qa";

/** Two evaluations of four rows; every score is there in three kinds, one of its keys has a dot. */
export function exampleCalls(): object[] {
  return ["good", "bad"].flatMap((id) => [
    call(id, "Evaluation.evaluate", { inputs: { model: `model-${id}` } }),
    ...[0, 1, 2, 3].map((n) => trial(id, n)),
  ]);
}

function trial(id: string, n: number): object {
  const right = id === "good" || n === 0;
  return call(`${id}-${n}`, "Evaluation.predict_and_score", {
    parent_id: id,
    inputs: { example: { question: `question ${n}`, difficulty: n } },
    output: {
      output: { text: `answer ${n}`, words: n + 2 },
      scores: { correct: right, judge: { score: n / 4, label: right ? "fine" : "poor" }, "my.key": n },
    },
  });
}

export function call(id: string, opName: string, members: object = {}): object {
  return { id, project_id: PROJECT, op_name: opName, started_at: "2025-01-01T00:00:00Z", ...members };
}

export function ndjson(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** A filter on one field. */
export function filtered(field: string, literal: string | number | boolean, operator = "$eq") {
  const compared = [{ $getField: field }, { $literal: literal }];
  return { evaluation_call_ids: ["good"], filters: [{ query: { $expr: { [operator]: compared } } }] };
}

/** What a good message has: what is wrong, where, and what to do or what is allowed. */
export type Says = readonly (string | RegExp)[];

/** What a programmer of this library alone understands. */
const INTERNAL = [
  /TypeError/,
  /SELECT .* FROM/,
  /(Binder|Parser|Catalog) Error/,
  /\[object/,
  /\bE(NOENT|ACCES|ISDIR|EXIST|NOTDIR|ADDRINUSE)\b/,
];

/** What a message does not say, and what it should not say, each with the message. */
export function lacks(text: string, says: Says): string[] {
  const has = (part: string | RegExp) => (typeof part === "string" ? text.includes(part) : part.test(text));
  return [
    ...says.filter((part) => !has(part)).map((part) => `lacks ${String(part)}: ${text}`),
    ...INTERNAL.filter((part) => part.test(text)).map((part) => `has ${String(part)}: ${text}`),
  ];
}

/** What a refusal says. Anything that is not refused on purpose fails. */
export async function refusal(attempt: () => unknown): Promise<string> {
  let answer: unknown;
  try {
    answer = await attempt();
  } catch (error) {
    if (!(error instanceof EvalcubeError)) throw error;
    return error.message;
  }
  throw new Error(`not refused: ${String(answer)}`);
}
