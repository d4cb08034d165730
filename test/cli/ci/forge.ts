import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export const TOKEN = "token-0123456789-secret";

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Comment {
  readonly id: number;
  readonly body: string;
  /** The account that wrote it. */
  readonly by: string;
}

export interface ForgeOptions {
  readonly comments?: readonly Comment[];
  /** The account of the token; null: who it is is refused. */
  readonly me?: string | null;
  /** Answers in place of the API; false leaves it to the API. */
  readonly instead?: (sent: Sent, response: ServerResponse) => boolean;
}

/** Plays the API of GitHub and of GitLab; resolves to its address, what it was sent, and the comments that it holds. */
export async function forge({ comments = [], me = "robot", instead }: ForgeOptions = {}) {
  const sent: Sent[] = [];
  const held = new Map(comments.map((one) => [one.id, one]));
  const server = createServer((request, response) => {
    void serve(request, response);
  });
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const one = { method, path: url, headers, body: await readBody(request) };
    sent.push(one);
    if (instead?.(one, response) !== true) answer(one, response, held, me);
  }
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address, sent, held };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function answer(
  { method, path, body }: Sent,
  response: ServerResponse,
  held: Map<number, Comment>,
  me: string | null,
): void {
  const reply = (status: number, value: unknown) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  const { pathname, searchParams } = new URL(path, "http://x");
  if (pathname === "/user") return me === null ? reply(403, {}) : reply(200, { login: me, username: me });
  const told = ({ id, body: text, by }: Comment) => ({
    id,
    body: text,
    user: { login: by },
    author: { username: by },
  });
  if (method === "GET") {
    const [size, page] = [Number(searchParams.get("per_page") ?? 30), Number(searchParams.get("page") ?? 1)];
    return reply(200, [...held.values()].slice((page - 1) * size, page * size).map(told));
  }
  const { body: text } = JSON.parse(body) as { body: string };
  const id = method === "POST" ? 1000 + held.size : Number(pathname.split("/").at(-1));
  held.set(id, { id, body: text, by: held.get(id)?.by ?? me ?? "github-actions[bot]" });
  reply(method === "POST" ? 201 : 200, { id });
}

/** The variables of a job of a pull request on GitHub. */
export function onGitHub(folder: string, address: string): Record<string, string> {
  const event = join(folder, "event.json");
  writeFileSync(event, JSON.stringify({ pull_request: { number: 7 } }));
  return {
    GITHUB_ACTIONS: "true",
    GITHUB_API_URL: address,
    GITHUB_REPOSITORY: "acme/qa",
    GITHUB_TOKEN: TOKEN,
    GITHUB_EVENT_PATH: event,
    GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
    GITHUB_OUTPUT: join(folder, "output.txt"),
  };
}

/** The variables of a job of a merge request on GitLab. */
export function onGitLab(address: string): Record<string, string> {
  return { CI_API_V4_URL: address, CI_PROJECT_ID: "5", CI_MERGE_REQUEST_IID: "9", COMMENT_TOKEN: TOKEN };
}
