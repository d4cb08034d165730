import { PROJECT, transcript } from "./transcripts.ts";
import type { Asked } from "./processes.ts";

/** What is known of the data without asking for it. */
export interface Data {
  readonly trials: number;
  readonly bytes: number;
  /** Texts in the middle of outputs, and how many outputs have each. */
  readonly needles: readonly { readonly text: string; readonly having: number }[];
  /** Trials in the order of their outputs. */
  readonly first: readonly number[];
}

export interface Question {
  readonly measure: string;
  /** Milliseconds of processor time for these trials, or times those for trials of 1 KB. */
  readonly bar: { readonly ms: (data: Data) => number } | { readonly times: number };
  readonly most?: { readonly grownMb?: number; readonly waitedMs?: number };
  readonly ask: (data: Data, at: number) => Asked;
  /** Whether an answer is right. */
  readonly isRight: (text: string, data: Data, at: number) => boolean;
}

const SIZE = 50;
const over2000 = (ms: number) => ({ ms: ({ trials }: Data) => (ms * trials) / 2000 });
const plain = (ms: number) => ({ ms: () => ms });

const page = (others: object): Asked => ({
  path: `/v2/${PROJECT}/eval_results/query`,
  body: { evaluation_call_ids: ["e"], limit: SIZE, ...others },
});
const calls = (others: object): Asked => ({
  path: "/calls/stream_query",
  body: { project_id: PROJECT, ...others },
});
const mcp = (name: string, given: object): Asked => ({
  path: "/mcp",
  accept: "application/json, text/event-stream",
  body: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: { project: PROJECT, ...given } },
  },
});

const output = { $getField: "output.output" };
const where = (...all: object[]) => ({ filters: all.map((query) => ({ query: { $expr: query } })) });
const has = (needle: string) => ({ $contains: { input: output, substr: { $literal: needle } } });
const idsFrom = (at: number, trials: number) =>
  Array.from({ length: SIZE }, (_, i) => `e-${(at * SIZE + i) % trials}`);

interface Answer {
  readonly total_rows?: number;
  readonly rows?: readonly {
    evaluations: readonly {
      trials: readonly { predict_and_score_call_id: string; model_output: unknown }[];
    }[];
  }[];
}
const trialsIn = (text: string) =>
  ((JSON.parse(text) as Answer).rows ?? []).flatMap((row) => row.evaluations.flatMap((one) => one.trials));
const totals = (text: string) => (JSON.parse(text) as Answer).total_rows;
const linesOf = (text: string) => text.trimEnd().split("\n");
const numberOf = (id: string) => Number(id.slice(id.indexOf("-") + 1));

function areWhole(text: string, { bytes, trials }: Data): boolean {
  const found = trialsIn(text);
  const isWhole = (one: (typeof found)[number]) =>
    one.model_output === transcript(numberOf(one.predict_and_score_call_id), bytes);
  return found.length === Math.min(SIZE, trials) && found.every(isWhole);
}

export const QUESTIONS: readonly Question[] = [
  {
    measure: "page of 50 and summary without outputs",
    bar: { times: 1.2 },
    ask: (_, at) => page({ include_outputs: false, include_summary: true, offset: at * SIZE }),
    isRight: (text, { trials }) => totals(text) === trials,
  },
  {
    measure: "page of 50 with outputs",
    bar: plain(1000),
    most: { grownMb: 100 },
    ask: ({ trials }, at) => page({ offset: (at * SIZE) % trials }),
    isRight: areWhole,
  },
  {
    measure: "50 whole calls by `stream_query`",
    bar: plain(1000),
    most: { grownMb: 100 },
    ask: ({ trials }, at) => calls({ filter: { call_ids: idsFrom(at, trials) } }),
    isRight: (text, { bytes }) =>
      linesOf(text).every((line) => {
        const call = JSON.parse(line) as { id: string; output: { output: string } };
        return call.output.output === transcript(numberOf(call.id), bytes);
      }) && linesOf(text).length === SIZE,
  },
  {
    measure: "one row",
    bar: plain(60),
    ask: ({ trials }, at) => page({ limit: 1, offset: (at * 29 + 11) % trials }),
    isRight: (text, { bytes }) =>
      trialsIn(text).every(
        (one) => one.model_output === transcript(numberOf(one.predict_and_score_call_id), bytes),
      ),
  },
  {
    measure: "`$contains` over all outputs",
    bar: over2000(6000),
    most: { waitedMs: 250 },
    ask: ({ needles }, at) => page({ ...where(has(needles[at]?.text ?? "")), include_outputs: false }),
    isRight: (text, { needles }, at) => totals(text) === needles[at]?.having,
  },
  {
    measure: "`search` over all outputs",
    bar: over2000(6000),
    most: { waitedMs: 250 },
    ask: ({ needles }, at) => page({ search: needles[at]?.text, include_outputs: false }),
    isRight: (text, { needles }, at) => totals(text) === needles[at]?.having,
  },
  {
    measure: "equality with an output",
    bar: over2000(6000),
    most: { waitedMs: 250 },
    ask: ({ bytes }, at) =>
      page({ ...where({ $eq: [output, { $literal: transcript(at, bytes) }] }), include_outputs: false }),
    isRight: (text, _, at) =>
      trialsIn(text)
        .map((one) => one.predict_and_score_call_id)
        .join() === `e-${at}`,
  },
  {
    measure: "`sort_by` outputs, alike in their first 350 characters",
    bar: over2000(6000),
    most: { waitedMs: 250 },
    ask: (_, at) =>
      page({
        sort_by: [{ field: "output.output", direction: "asc" }],
        include_outputs: false,
        limit: 10 + at,
      }),
    isRight: (text, { first }, at) =>
      trialsIn(text)
        .map((one) => numberOf(one.predict_and_score_call_id))
        .join() === first.slice(0, 10 + at).join(),
  },
  {
    measure: "`$contains` where another condition leaves one row",
    bar: plain(100),
    ask: (_, at) =>
      page(where(has("agent"), { $eq: [{ $getField: "inputs.task" }, { $literal: `task ${at + 3}` }] })),
    isRight: (text) => totals(text) === 1,
  },
  {
    measure: "page filtered by a score",
    bar: { times: 1.2 },
    ask: (_, at) =>
      page({ ...where({ $gt: [{ $getField: "scores.steps" }, { $literal: at }] }), include_outputs: false }),
    isRight: (text) => trialsIn(text).length > 0,
  },
  {
    measure: "page sorted by a score",
    bar: { times: 1.2 },
    ask: (_, at) =>
      page({
        sort_by: [{ field: "scores.steps", direction: "desc" }],
        include_outputs: false,
        offset: at * 7,
      }),
    isRight: (text, { trials }) => totals(text) === trials,
  },
  {
    measure: "MCP `describe_fields`",
    bar: { times: 1.2 },
    ask: () => mcp("describe_fields", { evaluations: ["e"] }),
    isRight: (text) => text.includes("steps"),
  },
  {
    measure: "page of a small evaluation beside",
    bar: { times: 1.2 },
    ask: (_, at) => page({ evaluation_call_ids: ["small"], offset: at }),
    isRight: (text) => trialsIn(text).length > 40,
  },
  {
    measure: "`/call/read`",
    bar: plain(60),
    ask: (_, at) => ({ path: "/call/read", body: { project_id: PROJECT, id: `e-${at * 3 + 5}` } }),
    isRight: (text, { bytes }, at) => text.length > bytes && text.includes(`"e-${at * 3 + 5}"`),
  },
  {
    measure: "`stream_query` of all, ids alone",
    bar: { ms: ({ trials }) => 30 + (120 * trials) / 2000 },
    ask: () => calls({ columns: ["id"], filter: { op_names: ["Evaluation.predict_and_score"] } }),
    isRight: (text, { trials }) => linesOf(text).length >= trials && text.length < 300 * linesOf(text).length,
  },
  {
    measure: "`stream_query` of one id",
    bar: plain(60),
    ask: (_, at) => calls({ columns: ["id"], filter: { call_ids: [`e-${at * 5}`] } }),
    isRight: (text) => linesOf(text).length === 1,
  },
  {
    measure: "`stream_query` of 100 calls without inputs and output",
    bar: plain(150),
    ask: (_, at) =>
      calls({ columns: ["id", "op_name", "started_at", "ended_at", "trace_id"], limit: 100, offset: at }),
    isRight: (text) => linesOf(text).length === 100,
  },
];

const call = { project_id: PROJECT, op_name: "step", trace_id: "t", started_at: "2026-01-01T00:00:00Z" };

/** What writes, after the questions. */
export const WRITES: readonly Question[] = [
  {
    measure: "delete one trial",
    bar: plain(150),
    ask: (_, at) => ({ path: "/calls/delete", body: { project_id: PROJECT, call_ids: [`e-${at}`] } }),
    isRight: () => true,
  },
  {
    measure: "one more small call",
    bar: plain(50),
    ask: (_, at) => ({
      path: "/call/start",
      body: { start: { ...call, id: `late-${at}`, attributes: {}, inputs: {} } },
    }),
    isRight: (text, _, at) => text.includes(`late-${at}`),
  },
  {
    measure: "one more feedback record",
    bar: plain(50),
    ask: (_, at) => ({
      path: "/feedback/create",
      body: {
        project_id: PROJECT,
        weave_ref: `weave:///${PROJECT}/call/e-${at + 9}`,
        feedback_type: "note",
        payload: { note: "seen" },
      },
    }),
    isRight: (text) => text.includes('"id"'),
  },
];
