import { beforeAll, expect, it } from "vitest";
import { openService } from "../flood/http-subject.ts";
import { rightRequest, type HttpTarget } from "../flood/http-requests.ts";
import { expectSteady, textPlaces, withText, type Schema } from "./growth.ts";

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly $ref?: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: object }>>;
  };
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

let service: Awaited<ReturnType<typeof openService>>;
let operations: readonly {
  readonly method: string;
  readonly template: string;
  readonly operation: Operation;
}[];
let schemas: Description["components"]["schemas"];

beforeAll(async () => {
  service = await openService();
  const { body } = await service.send({ method: "GET", path: "/openapi.json", headers: {}, body: null });
  const description = JSON.parse(body) as Description;
  ({ schemas } = description.components);
  operations = Object.entries(description.paths).flatMap(([template, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method === "get" || method === "post" || method === "put" || method === "delete")
      .map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
  );
  return () => service.close();
});

const resolve = (reference: string): Schema => schemas[reference.split("/").at(-1) ?? ""] ?? {};

/** A request of a target that is the operation, or else of its example. */
function rightBody(
  method: string,
  template: string,
  operation: Operation,
): { path: string; body: object; target: HttpTarget | undefined } {
  const pattern = new RegExp(`^${template.replaceAll(/\{[^{}]+\}/g, "[^/]+")}$`);
  const target = service.targets.find(
    (one) => one.method === method && pattern.test(one.path.split("?")[0] ?? ""),
  );
  const body = target?.body ?? operation.requestBody?.content["application/json"]?.example ?? {};
  const path =
    target?.path.split("?")[0] ??
    template.replace("{entity}/{project}", "acme/qa").replaceAll(/\{[^{}]+\}/g, "x");
  return { path, body, target };
}

async function send(
  method: string,
  path: string,
  body: unknown,
  target: HttpTarget | undefined,
): Promise<void> {
  const { headers } = rightRequest(
    target ?? {
      name: "",
      method: "POST",
      path,
      scheme: path.startsWith("/v1/") ? "bearer" : "basic",
      body: {},
      writes: false,
    },
    service.key,
  );
  const bytes = body === null ? null : Buffer.from(JSON.stringify(body));
  const { status } = await service.send({ method, path, headers, body: bytes });
  if (status >= 500 && status !== 501) throw new Error(`${method} ${path.slice(0, 80)} answered ${status}`);
}

it("no member of a body takes time that grows with the square of its text, or fails the service", async () => {
  let members = 0;
  for (const { method, template, operation } of operations) {
    const schema = operation.requestBody?.content["application/json"]?.schema;
    if (schema === undefined) continue;
    // What the operations before have stored lies in memory.
    await service.close();
    service = await openService();
    const { path, body, target } = rightBody(method, template, operation);
    for (const place of textPlaces(schema, resolve)) {
      members++;
      await expectSteady(`${method} ${template} ${place.join(".")}`, (text) =>
        send(method, path, withText(body, place, text), target),
      );
    }
  }
  expect(members).toBeGreaterThan(300);
}, 900_000);

it("no part of an address does", async () => {
  let parts = 0;
  for (const { method, template, operation } of operations) {
    const { path, body, target } = rightBody(method, template, operation);
    for (const { name, in: where } of operation.parameters ?? []) {
      if (where !== "path" && where !== "query") continue;
      parts++;
      await expectSteady(`${method} ${template} ${name}`, (text) => {
        const written = encodeURIComponent(text);
        const named =
          where === "path"
            ? template.replace(`{${name}}`, written).replaceAll(/\{[^{}]+\}/g, "x")
            : `${path}?${name}=${written}`;
        return send(method, named, method === "GET" ? null : body, target);
      });
    }
  }
  expect(parts).toBeGreaterThan(10);
}, 900_000);
