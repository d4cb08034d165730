import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpHandler, type HttpHandler } from "../../src/http/handler.ts";
import type { Authenticate } from "../../src/http/keys/authenticator.ts";
import { serveHttp, type RunningService } from "../../src/http/node/serve.ts";
import { openMemoryRecords } from "../support/record-database.ts";
import { pino } from "pino";
import { NO_RESULTS } from "./running-service.ts";

const records = await openMemoryRecords();
const engine = { ...NO_RESULTS, ...records };
const log: string[] = [];
const logger = pino({ level: "trace", base: null }, { write: (line: string) => void log.push(line) });

/** Whom the hook knows by their cookie. */
const KNOWN = new Map([
  ["ann", { user: "oidc:ann", projects: ["acme/*"] }],
  ["bob", { user: "bob", projects: ["other/qa"] }],
  ["nothing", { user: "nothing", projects: [] }],
  ["bad", { user: "", projects: ["acme/*"] }],
]);

const authenticate: Authenticate = async (request) => {
  const cookie = request.headers.get("cookie");
  if (cookie === "throws") throw new TypeError("the secret of the session store");
  if (cookie === "body") return KNOWN.get(await request.clone().text());
  return KNOWN.get(cookie ?? "") ?? null;
};

let handler: HttpHandler;
let running: RunningService;
beforeAll(async () => {
  handler = createHttpHandler(engine, { authenticate, logger });
  running = await serveHttp(handler, { port: 0, graceMs: 100 });
});
afterAll(async () => {
  await running.stop();
  await records.close();
});

function ask(cookie: string, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(running.url + path, { ...init, headers: { cookie, "content-type": "application/json" } });
}

const remark = {
  project_id: "acme/qa",
  svc_ref: "svc:///acme/qa/call/c",
  feedback_type: "free",
  payload: { n: 1 },
};
const give = (cookie: string) =>
  ask(cookie, "/feedback/create", { method: "POST", body: JSON.stringify(remark) });

describe("a service with a hook instead of keys", () => {
  it("takes the user and the projects from the hook, whatever the endpoint's scheme is", async () => {
    const created = await give("ann");
    expect(created.status).toBe(200);
    expect(await created.json()).toMatchObject({ svc_user_id: "oidc:ann" });
    expect((await ask("ann", "/v1/models")).status).toBe(200);
    expect((await give("bob")).status).toBe(403);
    expect((await give("nothing")).status).toBe(403);
  });

  it("answers 401 where the hook knows nobody, and asks no browser for a password", async () => {
    for (const path of ["/feedback/create", "/v1/models", "/v1/nothing"]) {
      const refused = await ask("carl", path, { method: path.startsWith("/v1") ? "GET" : "POST" });
      expect(refused.status).toBe(401);
      expect(refused.headers.get("www-authenticate")).toBe("Bearer");
    }
    expect((await ask("carl", "/healthz")).status).toBe(200);
  });

  it.each(["throws", "bad"])("answers 500 without detail where the hook fails: %s", async (cookie) => {
    log.length = 0;
    const failed = await give(cookie);
    expect(failed.status).toBe(500);
    const text = await failed.text();
    expect(text).toMatch(/^\{"reason":"Something went wrong on our side \(request [^)]+\)\."\}$/);
    expect(log.join("")).toContain("internal error");
    expect(text + log.join("")).not.toContain("secret");
  });

  it("lets the hook read a clone of the body, and reads the body after it", async () => {
    expect((await ask("body", "/feedback/create", { method: "POST", body: "ann" })).status).toBe(400);
    expect((await ask("body", "/feedback/create", { method: "POST", body: "carl" })).status).toBe(401);
  });

  it("lets no cache keep what one user was told", async () => {
    const answers = [
      await ask("ann", "/v1/models"),
      await ask("ann", "/v1/nothing"),
      await ask("carl", "/v1/models"),
    ];
    expect(answers.map(({ headers }) => headers.get("cache-control"))).toEqual(Array(3).fill("no-store"));
  });

  it("asks the hook at each request, so that a user who is gone is refused at once", async () => {
    KNOWN.set("dora", { user: "dora", projects: ["acme/qa"] });
    expect((await give("dora")).status).toBe(200);
    KNOWN.delete("dora");
    expect((await give("dora")).status).toBe(401);
  });

  it("keeps the idempotency keys of two users apart", async () => {
    KNOWN.set("eve", { user: "eve", projects: ["acme/*"] });
    const group = { trajectories: [{ messages_and_choices: [{ role: "user", content: "x" }], reward: 1 }] };
    const model = await engine.training.registerModel(
      { entity: "acme", project: "qa", name: "agent", base_model: "base" },
      { entity: "acme" },
    );
    const body = JSON.stringify({ model_id: model.id, trajectory_groups: [group] });
    const create = async (cookie: string) => {
      const headers = { cookie, "content-type": "application/json", "idempotency-key": "k" };
      const made = await fetch(`${running.url}/v1/preview/training-jobs`, { method: "POST", body, headers });
      expect(made.status).toBe(200);
      return ((await made.json()) as { readonly id: string }).id;
    };
    const first = await create("ann");
    expect(await create("ann")).toBe(first);
    expect(await create("eve")).not.toBe(first);
  });
});

describe("createHttpHandler", () => {
  it.each([
    ["none is given", {}],
    ["both are given", { keys: { version: 1 as const, keys: [] }, authenticate }],
  ])("refuses options where %s of keys and authenticate", (told, options) => {
    expect(() => createHttpHandler(engine, options)).toThrow(told);
  });

  it("refuses a hook that is no function", () => {
    expect(() => createHttpHandler(engine, JSON.parse('{ "authenticate": "ann" }'))).toThrow(
      "must be a function",
    );
  });

  it("reloads no keys where there are none", () => {
    expect(() => handler.reloadKeys()).not.toThrow();
  });
});
