import { Agent, request } from "node:http";
import { startService } from "../http/running-service.ts";
import {
  COMPLETION,
  DONE,
  delta,
  finish,
  replyWith,
  startUpstream,
  streamOf,
} from "../inference/scripted-upstream.ts";
import type { Outcome, Subject } from "./flood.ts";
import { openFlooded } from "./flooded-engine.ts";
import {
  httpTargets,
  rightRequest,
  wrongRequest,
  type HttpRequest,
  type HttpTarget,
} from "./http-requests.ts";
import { pick } from "./hostile-values.ts";

interface Answered {
  readonly status: number;
  readonly body: string;
}

/** A service with records of every kind, and its addresses. */
export async function openService() {
  const engine = await openFlooded();
  const upstream = await startUpstream();
  upstream.script("m", (response, call) =>
    (/"stream"\s*:\s*true/.test(call.body)
      ? streamOf([delta("x"), finish(), DONE])
      : replyWith(200, COMPLETION))(response, call),
  );
  const service = await startService({
    inference: { upstreams: [{ base_url: upstream.url }] },
    results: engine,
    view: true,
    records: engine,
  });
  const agent = new Agent({ keepAlive: true });
  return {
    engine,
    key: service.key,
    targets: httpTargets(engine),
    send: (what: HttpRequest) => send(agent, service.port, what),
    close: async () => {
      agent.destroy();
      await service.stop();
      await upstream.close();
      await engine.close();
    },
  };
}

/** The addresses of the service that match. */
export async function httpSubject(only: RegExp): Promise<Subject> {
  const { engine, key, targets: all, send: ask, close } = await openService();
  const targets = all.filter(({ name }) => only.test(name));
  return {
    state: engine.state,
    close,
    attempt: async (random) => {
      const target = pick(random, targets);
      const sent = wrongRequest(random, target, key);
      return outcomeOf(target, sent, await ask(sent));
    },
  };
}

/** Each address with a request that is right; resolves to what is not answered with 200. */
export async function rightRequests(): Promise<string[]> {
  const { key, targets, send: ask, close } = await openService();
  const faults: string[] = [];
  for (const target of targets) {
    const { status, body } = await ask(rightRequest(target, key));
    if (status !== 200) faults.push(`${target.name}: ${status} ${body}`);
  }
  await close();
  return faults;
}

function outcomeOf(target: HttpTarget, sent: HttpRequest, { status, body }: Answered): Outcome {
  const stored = status < 400 && target.writes;
  const what = complaintAbout(sent, status, body);
  if (what === null) return { name: target.name, stored, fault: null };
  const detail = `${sent.method} ${sent.path} ${sent.body?.toString("latin1").slice(0, 1000)} -> ${body}`;
  return { name: target.name, stored, fault: { what: `${status} ${what}`, detail } };
}

/** Null for an answer in one of the shapes that clients know. */
function complaintAbout(sent: HttpRequest, status: number, body: string): string | null {
  if (status >= 500 || status < 200) return "is a fault";
  if (sent.method === "HEAD" || status === 307) return body === "" ? null : "has a body";
  if (status < 300 && body.startsWith("<!doctype html>"))
    return body.endsWith("</html>\n") ? null : "ends early";
  if (status < 300 && body.startsWith("data: "))
    return body.endsWith("data: [DONE]\n\n") ? null : "ends early";
  if (status < 300 && sent.path.includes("stream_query")) return complaintAboutLines(body);
  try {
    const answer: unknown = JSON.parse(body);
    if (typeof answer !== "object" || answer === null) return "is no object";
    return status < 300 || "reason" in answer || "error" in answer ? null : "has no reason";
  } catch {
    return "is no JSON";
  }
}

function complaintAboutLines(body: string): string | null {
  try {
    for (const line of body.split("\n").slice(0, -1)) JSON.parse(line);
    return body === "" || body.endsWith("\n") ? null : "ends early";
  } catch {
    return "has a line that is no JSON";
  }
}

function send(agent: Agent, port: number, { method, path, headers, body }: HttpRequest): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { "content-length": String(body.length) };
    const options = { agent, port, host: "127.0.0.1", method, path, headers: { ...headers, ...length } };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") });
      });
    });
    sent.on("error", reject);
    sent.end(body ?? undefined);
  });
}
