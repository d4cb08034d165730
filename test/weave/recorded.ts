import { openEngine, type Engine } from "../../src/index.ts";
import { createHttpHandler } from "../../src/http/handler.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { itemTexts, memberTexts } from "../../src/model/member-texts.ts";
import { expect } from "vitest";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { basic } from "../http/running-service.ts";
import { recordDatabase } from "../support/record-database.ts";

/** One request of a recorded program, and how it was answered. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** JSON as it was sent, or the parts of a form. */
  readonly body: string | Readonly<Record<string, { readonly text: string; readonly filename?: string }>>;
  readonly status: number;
  readonly digests: unknown;
}

/** Reads a recording of one exchange a line; bodies stay as they were sent. */
export function readExchanges(text: string): Exchange[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const members = memberTexts(line);
      const body = members.get("body") ?? "null";
      const form = body.startsWith('{"multipart"') ? (JSON.parse(body) as { multipart: never }) : null;
      return {
        method: JSON.parse(members.get("method") ?? '""') as string,
        path: JSON.parse(members.get("path") ?? '""') as string,
        body: form?.multipart ?? body,
        status: Number(members.get("status")),
        digests: digestsIn(JSON.parse(members.get("response") ?? "null")),
      };
    });
}

function digestsIn(answer: unknown): unknown {
  const { digest, row_digests } = (answer ?? {}) as { digest?: unknown; row_digests?: unknown };
  return { digest, row_digests };
}

/** A service without a server. */
export interface Replayed {
  readonly engine: Engine;
  readonly send: (exchange: Exchange) => Promise<{ readonly status: number; readonly digests: unknown }>;
}

export async function openReplay(): Promise<Replayed> {
  const engine = await openEngine(await recordDatabase());
  const { key, entry } = generateKey("ann", ["acme/*"], new Date());
  const handler = createHttpHandler(engine, { keys: { version: 1, keys: [entry] } });
  return {
    engine,
    send: async ({ method, path, body }) => {
      const headers = new Headers({ authorization: basic(key) });
      if (typeof body === "string") headers.set("content-type", "application/json");
      const payload = method === "GET" ? {} : { body: typeof body === "string" ? body : formOf(body) };
      const answer = await handler(new Request(`http://localhost${path}`, { method, headers, ...payload }));
      const text = await answer.text();
      const hasDigests = /^\/(obj|table|file)\/create/.test(path);
      return { status: answer.status, digests: digestsIn(hasDigests ? JSON.parse(text) : null) };
    },
  };
}

function formOf(parts: Exclude<Exchange["body"], string>): FormData {
  const form = new FormData();
  for (const [name, { text, filename }] of Object.entries(parts))
    if (filename === undefined) form.set(name, text);
    else form.set(name, new Blob([text]), filename);
  return form;
}

/** Whether a request stores calls, and one for each call of it, in the form of a batch. */
export function callsIn(exchange: Exchange): Exchange[] | null {
  const { path, body } = exchange;
  if (typeof body !== "string" || !/\/call\/(start|end|upsert_batch)$|\/calls\/complete$/.test(path))
    return null;
  const batch = memberTexts(body).get("batch");
  if (batch === undefined) return [exchange];
  return itemTexts(batch).map((item) => ({ ...exchange, body: `{"batch":[${item}]}` }));
}

/** What the evaluations of every project answer. */
export async function evaluationsOf(engine: Engine): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const { project_id: project } of await engine.countEvaluations()) {
    const listed = await engine.listEvaluations(project);
    const evaluation_call_ids = listed.map(({ id }) => id);
    const request = {
      evaluation_call_ids,
      include_summary: true,
      include_raw_data_rows: true,
      resolve_row_refs: true,
    };
    answers[project] = JSON.parse(await engine.queryEvalResultsJson(project, request));
  }
  return answers;
}

/** The seed of the other order. */
export const SEED = Number(process.env["SEED"] ?? 11);

function shuffled<T>(items: readonly T[]): T[] {
  const random = seededRandom(SEED);
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Replays in order, again, and with the calls one by one in another order; the answers must stay the same. */
export async function replay(exchanges: readonly Exchange[]): Promise<void> {
  const { engine, send } = await openReplay();
  for (const exchange of exchanges) {
    const { path, status, digests } = exchange;
    const isCreated = /^\/(obj|table|file)\/create/.test(path);
    const expected = { path, status, digests: isCreated ? digests : {} };
    expect({ path, ...(await send(exchange)) }).toEqual(expected);
  }
  const answers = await evaluationsOf(engine);
  for (const exchange of exchanges) expect((await send(exchange)).status).toBe(exchange.status);
  expect(await evaluationsOf(engine)).toEqual(answers);
  await engine.close();
  const other = await openReplay();
  const others = exchanges.filter((one) => callsIn(one) === null && !/^\/calls?\//.test(one.path));
  for (const exchange of others) await other.send(exchange);
  for (const exchange of shuffled(exchanges.flatMap((one) => callsIn(one) ?? [])))
    expect((await other.send(exchange)).status).toBe(200);
  for (const exchange of exchanges.filter((one) => /^\/calls?\/(update|delete)$/.test(one.path)))
    await other.send(exchange);
  expect(await evaluationsOf(other.engine)).toEqual(answers);
  await other.engine.close();
}
