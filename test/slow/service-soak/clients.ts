// The pauses are the pace of people and programs that use a service. They leave it time to rest: what one that is overloaded holds
// follows what else the machine does.
import { Agent, request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../../../src/stats/numeric/random.ts";
import { basic } from "../../http/running-service.ts";
import { formOf } from "../../support/cut-bodies.ts";
import { PROJECT } from "../../support/records.ts";
import type { SoakedService } from "./soaked-service.ts";

/** One connection's worth of a client: what it does again and again. */
export type Client = (at: Surroundings) => Promise<void>;

export interface Surroundings {
  readonly service: SoakedService;
  readonly agent: Agent;
  readonly random: Random;
  /** Told of each answer. */
  readonly answered: (status: number) => void;
}

interface Asked {
  readonly path: string;
  /** An object to write as JSON, a JSON text, or bytes of another type. */
  readonly body?: object | string | Buffer;
  readonly type?: string;
  readonly scheme?: "basic" | "bearer";
}

/** Pauses for about so long, each time and each client for another time. */
export function rest({ random }: Surroundings, ms: number): Promise<void> {
  return pause(ms * (0.5 + random()));
}

export function ask(
  { service, agent, answered }: Surroundings,
  { path, body, type = "application/json", scheme = "bearer" }: Asked,
): Promise<IncomingMessage> {
  const authorization = scheme === "basic" ? basic(service.key) : `Bearer ${service.key}`;
  const headers = { authorization, "content-type": type };
  const method = body === undefined ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, port: service.port, host: "127.0.0.1", method, path, headers },
      (response) => {
        answered(response.statusCode ?? 0);
        resolve(response);
      },
    );
    sent.on("error", reject);
    const isWritten = body === undefined || typeof body === "string" || Buffer.isBuffer(body);
    sent.end(isWritten ? body : JSON.stringify(body));
  });
}

/** Reads an answer to its end, or leaves in the middle of it, or stops reading for a while before that. */
export async function read(
  { random }: Surroundings,
  response: IncomingMessage,
  gapMs: number,
): Promise<string> {
  const leaves = random();
  const pieces: string[] = [];
  response.setEncoding("utf8");
  for await (const piece of response) {
    pieces.push(String(piece));
    if (leaves < 0.05 && pieces.length > 3) await pause(4000);
    if (leaves < 0.2 && pieces.length > 3) break;
    if (gapMs > 0) await pause(gapMs);
  }
  return pieces.join("");
}

export async function readAll(response: IncomingMessage): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of response.setEncoding("utf8")) pieces.push(String(piece));
  return pieces.join("");
}

/** A completion word by word. */
export const chatStream: Client = async (at) => {
  const body = { model: "slow", stream: true, messages: [{ role: "user", content: "hi" }] };
  await read(at, await ask(at, { path: "/v1/chat/completions", body }), 0);
};

export const QUERY = `/v2/${PROJECT}/eval_results/query`;
export const BOTH = ["e", "f"];

/** Every row of two evaluations, read slowly. */
export const resultStream: Client = async (at) => {
  // A place of its own each time: nobody has asked this before.
  const offset = Math.floor(at.random() * 100);
  const body = { evaluation_call_ids: BOTH, include_raw_data_rows: true, offset };
  await read(at, await ask(at, { path: QUERY, body, scheme: "basic" }), 50);
  await rest(at, 15_000);
};

/** A page of results under one of many filters. */
export const resultPage: Client = async (at) => {
  const least = { $gte: [{ $getField: "scores.acc" }, { $literal: at.random() * 7 }] };
  const body = {
    evaluation_call_ids: BOTH,
    filters: [{ query: { $expr: least } }],
    include_summary: true,
    limit: 10,
  };
  await readAll(await ask(at, { path: QUERY, body, scheme: "basic" }));
  await rest(at, 10_000);
};

export const feedbackWriter: Client = async (at) => {
  const note = { project_id: PROJECT, svc_ref: `svc:///${PROJECT}/call/e1`, feedback_type: "svc.note.1" };
  const body = { ...note, payload: { note: "well done ".repeat(10) } };
  await readAll(await ask(at, { path: "/feedback/create", body, scheme: "basic" }));
  await rest(at, 10_000);
};

const MODEL_ID = "0198b0d4-0000-4000-8000-00000000000a";

/** Hands in a job, then looks at what has become of it. */
export const trainer: Client = async (at) => {
  const trajectories = [{ reward: 1, messages_and_choices: [{ role: "user", content: "x".repeat(500) }] }];
  const body = { model_id: MODEL_ID, trajectory_groups: [{ trajectories }] };
  const told = await readAll(await ask(at, { path: "/v1/preview/training-jobs", body }));
  const { id } = JSON.parse(told) as { id: string };
  await readAll(await ask(at, { path: `/v1/preview/training-jobs/${id}/events` }));
  await readAll(await ask(at, { path: `/v1/preview/models/${MODEL_ID}/checkpoints` }));
  await rest(at, 12_000);
};

export const chatter: Client = async (at) => {
  const body = { model: "whole", messages: [{ role: "user", content: "hi" }] };
  await readAll(await ask(at, { path: "/v1/chat/completions", body }));
  await readAll(await ask(at, { path: "/v1/models" }));
  await pause(500);
};

/** Leaves before the model server has said anything. */
export const impatient: Client = async ({ service, random }) => {
  const body = JSON.stringify({ model: "silent", stream: random() < 0.5, messages: [] });
  await half(service, `${head(service, body.length)}${body}`, 500 + random() * 1000);
};

/** Asks for every row of two evaluations, reads nothing, and leaves. */
export const deaf: Client = async (at) => {
  const { service, random } = at;
  const body = JSON.stringify({ evaluation_call_ids: BOTH, include_raw_data_rows: true });
  const headers = ["Host: x", `Authorization: ${basic(service.key)}`, "Content-Type: application/json"];
  const lines = [`POST ${QUERY} HTTP/1.1`, ...headers, `Content-Length: ${body.length}`, "", body];
  await half(service, lines.join("\r\n"), 1000 + random() * 3000);
  await rest(at, 6000);
};

/** Sends a part of a form with a file, and leaves. */
export const cutForm: Client = async ({ service, random }) => {
  const { type, body } = formOf(PROJECT, "x".repeat(300));
  const headers = ["Host: x", `Authorization: ${basic(service.key)}`, `Content-Type: ${type}`];
  const end = Math.floor(random() * body.length);
  const lines = ["POST /file/create HTTP/1.1", ...headers, `Content-Length: ${end}`, "", ""];
  await half(service, `${lines.join("\r\n")}${body.toString("latin1", 0, end)}`, 500 + random() * 1000);
};

/** Sends a part of a request, waits, and leaves. */
export const halfSender: Client = async ({ service, random }) => {
  const whole = `${head(service, 5000)}{"model":"whole","messages":[`;
  await half(service, whole.slice(0, Math.floor(random() * whole.length)), random() * 3000);
};

function head({ key }: SoakedService, length: number): string {
  const lines = ["POST /v1/chat/completions HTTP/1.1", "Host: x", `Authorization: Bearer ${key}`];
  return [...lines, "Content-Type: application/json", `Content-Length: ${length}`, "", ""].join("\r\n");
}

export async function half({ port }: SoakedService, text: string, ms: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  socket.write(text);
  await pause(ms);
  socket.destroy();
}
