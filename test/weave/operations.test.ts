import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS, type Operation } from "./operations.ts";
import { startWeave, type WeaveService } from "./service.ts";

let service: WeaveService;

beforeAll(async () => {
  service = await startWeave();
});

afterAll(async () => {
  await service.stop();
});

/** The names in the first column of a table, each with the second column. */
const rows = (part: string) =>
  Array.from(part.matchAll(/^\| (`[^|]+) \| ([^|]*) \|/gm), ([, names = "", there = ""]) =>
    Array.from(names.matchAll(/`([^`]+)`/g), ([, name = ""]) => [name, there] as const),
  ).flat();

/** Operation -> what the document says is there instead; null: nothing; undefined: it is served. */
function documented(): Map<string, string | null | undefined> {
  const text = readFileSync(new URL("../../docs/weave.md", import.meta.url), "utf8");
  const [, served = "", refused = ""] = text.split(/^#+ (?:What is served|What is refused)$/m);
  return new Map([
    ...rows(served).map(([name]) => [name, undefined] as const),
    ...rows(refused).map(([name, there]) => [name, /`([^`]+)`/.exec(there)?.[1] ?? null] as const),
  ]);
}

/** Each parameter of a path has its own name as its value. */
async function call([, method, path]: Operation, init: RequestInit = {}) {
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    name === "entity" ? "acme" : name === "project" ? "qa" : name,
  );
  const response = await fetch(service.url + filled, {
    method,
    headers: { authorization: service.ann, "content-type": "application/json" },
    ...init,
  });
  const text = await response.text();
  return { response, text };
}

describe("the operations of the client that today's SDKs have", () => {
  it("are all named in the document, once", () => {
    const names = OPERATIONS.map(([name]) => name);
    const known = documented();
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    // The SDK has this one beside the client.
    expect([...known.keys()].filter((name) => !names.includes(name))).toEqual([
      "dataset_sources.link_delete",
    ]);
  });

  it("are refused by name, with what to use, for good", async () => {
    const known = documented();
    let refused = 0;
    for (const operation of OPERATIONS) {
      const there = known.get(operation[0]);
      if (there === undefined) continue;
      const instead = operation[2].startsWith("/v2/")
        ? (there?.replace("{entity}", "acme").replace("{project}", "qa") ?? null)
        : there;
      for (const below of ["", "/traces"]) {
        const { response, text } = await call([operation[0], operation[1], below + operation[2]]);
        expect([response.status, response.headers.get("x-should-retry")]).toEqual([404, "false"]);
        const answer = JSON.parse(text) as Record<string, unknown>;
        expect(answer).toMatchObject({ operation: operation[0], instead });
        expect(answer["reason"]).toContain(`${operation[0]} of W&B Weave is not part of this service.`);
      }
      const nobody = await call(operation, { headers: { authorization: "Basic eA==" } });
      expect(nobody.response.status).toBe(401);
      refused++;
    }
    expect(refused).toBe(known.size - 1 - [...known.values()].filter((one) => one === undefined).length);
  });

  it("or are served: the service knows their path and method", async () => {
    const known = documented();
    for (const operation of OPERATIONS) {
      if (known.get(operation[0]) !== undefined || known.get(operation[0]) === null) continue;
      const body = operation[1] === "GET" ? {} : { body: "[]" };
      const { response, text } = await call(operation, body);
      const isMissing = response.status === 404 && /nothing at this path|not part/.test(text);
      expect([operation[0], isMissing, response.status === 405]).toEqual([operation[0], false, false]);
    }
  });

  it("and a path of none of them is not confused with one", async () => {
    const { response, text } = await call(["", "POST", "/completions/created"]);
    expect(response.status).toBe(404);
    expect(text).toContain("There is nothing at this path");
  });
});
