import { beforeAll, expect, it } from "vitest";
import { openEngine, type CallRecord, type Engine } from "../../src/index.ts";
import { exampleCalls } from "../cli/command.ts";
import { connect, serviceOf, type Asker } from "../mcp/clients.ts";
import { expectSteady, textPlaces, withText, type Schema } from "./growth.ts";

let engine: Engine;
let asker: Asker;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls(exampleCalls() as CallRecord[]);
  asker = await connect("2025-11-25", serviceOf(engine).transport());
  return async () => {
    await asker.close();
    await engine.close();
  };
});

/** What the tools need beside the argument that is asked. */
const RIGHT: Readonly<Record<string, unknown>> = {
  evaluations: ["good"],
  baseline: "good",
  candidates: ["bad"],
  row: "0a1b2c3d4e5f",
  statement: "select 1",
};

it("no argument of a tool takes time that grows with the square of its text, or is answered beyond max_bytes", async () => {
  const { tools } = (await asker.ask("tools/list")) as {
    tools: {
      readonly name: string;
      readonly inputSchema: Schema & { readonly required?: readonly string[] };
    }[];
  };
  let members = 0;
  for (const { name, inputSchema } of tools) {
    const required = Object.fromEntries((inputSchema.required ?? []).map((one) => [one, RIGHT[one]]));
    for (const place of [...textPlaces(inputSchema, () => ({})), [null]]) {
      members++;
      await expectSteady(`${name} ${place.join(".")}`, async (text) => {
        const args = { ...(withText(required, place, text) as object), max_bytes: 1000 };
        const { text: said, structured } = await asker.call(name, args);
        const size = Math.max(Buffer.byteLength(said), Buffer.byteLength(JSON.stringify(structured)));
        if (size > 1000) throw new Error(`${name} answered ${size} bytes`);
      });
    }
  }
  expect(members).toBeGreaterThan(50);
}, 600_000);
