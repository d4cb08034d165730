import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allRoutes } from "../../src/http/all-routes.ts";
import { createHttpHandler, type HttpHandler } from "../../src/http/handler.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import type { ProtectedRoute } from "../../src/http/routes/route.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { basic } from "./running-service.ts";

const RIGHTS = ["read", "write", "admin"] as const;
type Right = (typeof RIGHTS)[number];

const keys = RIGHTS.map((can) => ({ can, ...generateKey(can, ["acme/*"], new Date(), can) }));
const ofAll = RIGHTS.map((can) => ({ can, ...generateKey(can, ["*"], new Date(), can) }));
const routes = allRoutes("/").filter((one): one is ProtectedRoute => one.access !== "public");

let engine: Engine;
let handler: HttpHandler;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  handler = createHttpHandler(engine, {
    keys: { version: 1, keys: [...keys, ...ofAll].map(({ entry }) => entry) },
  });
});

afterAll(async () => {
  await handler.close();
  await engine.close();
});

/** What the service promises, told apart from its own table. */
function promised({ method, path }: ProtectedRoute): Right {
  if (method === "GET") return "read";
  const last = path.replace("/v2/{entity}/{project}/", "…/");
  if (/^…\/(eval_results\/\w+|sql|export)$|^\/(mcp|graphql)$/.test(last)) return "read";
  if (/^\/(calls\/(stream_query|query_stats)|call\/read|objs?\/(read|query)|refs\/read_batch)$/.test(last))
    return "read";
  if (/^\/(table\/query(_stats)?|file\/content|feedback\/query|service\/projects_info)$/.test(last))
    return "read";
  const isAdmins =
    method === "DELETE"
      ? /^(…\/evaluations|\/v1\/preview\/models\/\{model_id\})$/
      : /^\/(calls\/delete|backup)$/;
  return isAdmins.test(last) ? "admin" : "write";
}

/** The example of a route, about a project. */
function ask(route: ProtectedRoute, key: string, project: string): Request {
  const [entity = "", name = ""] = project.split("/");
  const path = route.path.replace("{entity}", entity).replace("{project}", name);
  const { example, access, method } = route;
  const json = JSON.stringify(example.request)?.replaceAll("acme/qa", project);
  const body = route.form === undefined ? json : sentFile(project);
  return new Request(`http://localhost${path.replaceAll(/\{\w+\}/g, "x")}`, {
    method,
    headers: {
      authorization: access === "bearer" ? `Bearer ${key}` : basic(key),
      ...(route.form === undefined ? { "content-type": "application/json" } : {}),
      accept: "application/json, text/event-stream",
    },
    ...(body === undefined ? {} : { body }),
  });
}

function sentFile(project: string): FormData {
  const form = new FormData();
  form.set("project_id", project);
  form.set("file", new Blob(["text"]), "text.txt");
  return form;
}

interface Refusal {
  readonly error?: { readonly need?: string; readonly can?: string };
  readonly need?: string;
  readonly can?: string;
}

const named = routes.map((route) => [`${route.method} ${route.path}`, route] as const);

describe("the rights of a key", () => {
  it.each(named)("decide on %s, before its body is read", async (_name, route) => {
    const need = promised(route);
    const told = (route.path === "/backup" ? ofAll : keys).map(async ({ can, key }) => {
      const request = ask(route, key, "acme/qa");
      const response = await handler(request);
      if (response.status !== 403) return [can, await response.body?.cancel()];
      const answer = (await response.json()) as Refusal;
      const { need: needed, can: mine } = (route.path.startsWith("/v1/") ? answer.error : answer) ?? {};
      return [can, { need: needed, can: mine, isBodyRead: request.bodyUsed }];
    });
    const less = new Set(RIGHTS.slice(0, RIGHTS.indexOf(need)));
    expect(await Promise.all(told)).toEqual(
      RIGHTS.map((can) => [can, less.has(can) ? { need, can, isBodyRead: false } : undefined]),
    );
  });

  const ofProject = named.filter(
    ([, { path, example }]) =>
      path !== "/graphql" &&
      `${path}${JSON.stringify(example.request)}`.match(/\{entity\}|acme\/qa/) !== null,
  );

  it.each(ofProject)("end at its projects: %s of another one is refused to each", async (_name, route) => {
    for (const { can, key } of keys) {
      const response = await handler(ask(route, key, "other/qa"));
      const answer = (await response.json()) as Refusal & { readonly reason?: string };
      const isEnough = RIGHTS.indexOf(can) >= RIGHTS.indexOf(promised(route));
      expect([can, response.status]).toEqual([can, 403]);
      expect(answer.need === undefined && answer.error?.need === undefined).toBe(isEnough);
    }
  });

  it("are told of each operation that needs a key, and of no other", async () => {
    const response = await handler(new Request("http://localhost/openapi.json"));
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, object>> };
    const told = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => "operationId" in operation)
        .map(([method, one]) => [`${method.toUpperCase()} ${path}`, Reflect.get(one, "x-evalcube-need")]),
    );
    const open = allRoutes("/").filter(({ access }) => access === "public");
    expect(new Map(told as [string, string][])).toEqual(
      new Map([
        ...named.map(([name, route]) => [name, promised(route)] as const),
        ...open.map(({ method, path }) => [`${method} ${path}`, undefined] as const),
      ]),
    );
  });

  it("are told of each tool of agents", async () => {
    const key = keys[0]?.key ?? "";
    const response = await handler(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
      }),
    );
    const text = await response.text();
    const { result } = JSON.parse(/\{.*\}/s.exec(text)?.[0] ?? "") as {
      result: { tools: readonly { readonly name: string; readonly _meta: object }[] };
    };
    expect(result.tools.length).toBeGreaterThan(10);
    for (const { _meta } of result.tools) expect(_meta).toEqual({ "evalcube/need": "read" });
  });
});
